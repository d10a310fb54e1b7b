/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workgroup launch: which queue's next workgroup goes to which compute unit.
 * Everything here is protected by gpu.mec_lock, except the wave counters.
 */
#ifndef GPU_MODEL_SPI_H
#define GPU_MODEL_SPI_H

#include "compute/cu.h"
#include "block.h"
#include "compute/queue.h"
#include "vm/vm.h"

/**
 * struct room - what is free in one compute unit
 * @slots:	wave slots taken, a bitmap for each SIMD
 * @vgprs: @sgprs: free, for each SIMD
 * @lds:	bytes free
 * @barriers:	barrier resources free
 */
struct room {
	u16 slots[CU_SIMDS];
	u16 vgprs[CU_SIMDS], sgprs[CU_SIMDS];
	u32 lds;
	u16 barriers;
};

/**
 * struct partition - XCCs that are one device to the driver; what it does no other can tell
 * @g: @xcc:	device, and the XCC that leads it
 * @queues:	mapped user queues
 * @slotted:	queue slots that hold one, bit pipe * asic.pipe_queues + queue
 * @next_cu:	where the search for room starts
 * @turn:	counts launches, for round-robin among equals
 */
struct partition {
	struct gpu *g;
	unsigned int xcc;
	struct user_queue *queues;
	atomic_uint slotted;
	unsigned int next_cu;
	u64 turn;
};

/**
 * struct spi - launcher
 * @cus: @room: @ncus: the machine; XCCs and engines interleaved
 * @workers:	threads of cu.c
 * @partition:	by the XCC that leads; those of the others have nothing to do
 * @count:	waves in flight by engine of all and queue slot
 * @restored_at: model time at which an engine's last wave is launched again
 * @shader_trap:	SQ_SHADER_TBA_LO, _HI, _TMA_LO and _HI of each VMID
 * @gws:	resources of the global wave sync unit (isa/gws.c), by the XCC that leads
 */
struct spi {
	struct cu *cus;
	struct room *room;
	unsigned int ncus;
	struct worker *workers;
	struct partition partition[XCCS_MAX];
	atomic_uint count[ALL_ENGINES_MAX][MEC_PIPES * MEC_QUEUES];
	u64 restored_at[ALL_ENGINES_MAX];
	_Atomic u32 shader_trap[VM_COUNT][4];
	u32 gws[XCCS_MAX][GWS_RESOURCES];
};

/* The partition of an XCC. */
static inline struct partition *spi_partition(struct gpu *g, unsigned int xcc)
{
	return &g->spi->partition[gpu_leader(g, xcc)];
}

#define for_each_partition(g, p)						\
	for (p = (g)->spi->partition; p < (g)->spi->partition + (g)->cfg.xccs;	\
	     p += gpu_partition(g))

/* Would a workgroup ever fit into an empty unit? */
bool spi_fits(const struct gpu *g, unsigned int nwaves, const struct kernel_code *k, u32 lds);

/*
 * Launch up to *@limit workgroups of a partition: higher pipe priority first, then higher queue
 * priority, then, on a pipe, who holds it for its quantum, then round-robin. While a workgroup of one pipe priority waits for
 * room, no lower pipe priority may take room in the units it could use. Running
 * waves are never displaced. Return: a dispatch that was launched completely, or NULL.
 */
struct dispatch *spi_launch(struct partition *p, unsigned int *limit);

/* Give back the resources of a group that left its unit. */
void spi_release(struct gpu *g, struct group *grp);

/* A queue came to, or left, a hardware slot. */
void spi_attach(struct user_queue *q);
void spi_detach(struct user_queue *q);

/* A queue's scratch slots, by the group that uses them. */
void spi_scratch_take(struct user_queue *q, const struct group *grp);
void spi_scratch_give(struct user_queue *q, const struct group *grp);

/* Has the queue waves on the machine? */
bool spi_in_flight(const struct user_queue *q);

/* Give back what a partition's ended groups held, and tell of their dispatches. True: some. */
bool spi_reap(struct partition *p, void (*ended)(struct dispatch *d));

/* SPI_CSQ_WF_ACTIVE_STATUS and _COUNT_n of one engine of all; lock-free, any thread. */
u32 spi_wave_status(struct gpu *g, unsigned int engine);
u32 spi_wave_count(struct gpu *g, unsigned int engine, unsigned int pipe, unsigned int n);

/* SQ_SHADER_TBA and _TMA of a VMID, as an address (of the first XCC). Any thread. */
enum shader_trap { SHADER_TBA, SHADER_TMA };
u64 spi_shader_trap(struct gpu *g, unsigned int vmid, enum shader_trap which);

/* GDS_GWS_VMIDn of an XCC: GWS_RANGE(). Any thread. */
u32 spi_gws_range(struct gpu *g, unsigned int xcc, unsigned int vmid);
void spi_set_gws_range(struct gpu *g, unsigned int xcc, unsigned int vmid, u32 range);

extern const struct block compute_block;

int spi_start(struct gpu *g);
void spi_stop(struct gpu *g);

struct group *group_alloc(struct dispatch *d, u64 number, unsigned int nwaves, s32 scratch);

/* Free a group with its waves; it holds no resources any more. */
void group_free(struct group *grp);

#endif
