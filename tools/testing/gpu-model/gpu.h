/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modelled device: what every room shares.
 *
 * Rooms and who calls whom:
 *
 *   vfio_user -> pci -> regs -> (a block)             the socket thread
 *   control -> (fault, pci)                           the control thread
 *   cp -> (hws, queue) -> spi -> cu -> wave           the command-processor thread
 *   cu -> (wave, trap)                                the worker threads
 *
 * A GPU of several compute dies (XCCs) has registers, queue slots and units for each, but
 * one command processor. Scheduler and launcher are a partition's (struct partition of
 * spi.h), whose XCCs run as one: a queue is led by its slot on the first of them.
 *
 * Locks, in the order they may be taken:
 *   gpu.mec_lock   hardware queue slots, the scheduler, AQL and dispatch state
 *   cu.lock        the waves of one compute unit (see cu.h)
 *   leaf locks of memory.c, walk.h, fault.c, ih.c and log.c
 * The socket thread takes mec_lock only for the time of a banked register
 * access; a doorbell only posts to the command-processor thread.
 */
#ifndef GPU_MODEL_GPU_H
#define GPU_MODEL_GPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

struct block;
struct mem;
struct vm;
struct faults;
struct ih;
struct sdma;
struct doorbells;
struct engine;
struct schedulers;
struct mes;
struct slots;
struct spi;
struct regs;
struct control;
struct vfio_user;

/**
 * struct gpu_config - what the command line may change
 * @asic:		which GPU (enum asic_id of asic.h)
 * @revision:		of an MI300X: 0 is gfx941, from 1 on gfx942
 * @xccs:		compute dies in one partition
 * @engines:		shader engines of a die, 2 or more so that per-engine registers matter
 * @cus_per_engine:	compute units in each engine
 * @inactive_cus:	of a die's so many do not work: the last one of each of its last engines
 * @vram_mb:		VRAM size in MiB
 * @workers:		host threads that execute waves
 * @rptr_at_fetch:	AQL read index advances when a packet is fetched; otherwise
 *			when its last workgroup is launched (undocumented in hardware)
 * @connect:		do all queues of a pipe go on, or one (cp/pipe.c)? Is that by priority?
 * @pack_slots:		queues get slots pipe after pipe; otherwise over the pipes
 * @rotate_all:		an oversubscribed runlist rotates all queues; otherwise as many as wait
 * @status:		what SPI_CSQ_WF_ACTIVE_STATUS has bits for
 * @offset_stays:	an unmap without waves leaves the offset of an older wave state in the MQD
 * @cwsr:		who saves and restores waves
 * @log_path:		event log, or NULL
 */
struct gpu_config {
	unsigned int asic;
	unsigned int revision;
	unsigned int xccs;
	unsigned int engines;
	unsigned int cus_per_engine;
	unsigned int inactive_cus;
	unsigned int vram_mb;
	unsigned int workers;
	bool rptr_at_fetch;
	enum { CONNECT_ALL, CONNECT_PIPE, CONNECT_STRICT } connect;
	bool pack_slots, rotate_all;
	enum { STATUS_QUEUES, STATUS_BUSY, STATUS_WAVES } status;
	bool offset_stays;
	enum { CWSR_NATIVE, CWSR_HANDLER, CWSR_MIXED } cwsr;
	const char *log_path;
};

#define GWS_RESOURCES	64

/* GDS_GWS_VMIDn: which of them its VMID has. */
#define GWS_RANGE(base, count)	((u32)(count) << 16 | (base))
#define GWS_BASE(range)		((range) & 0x3f)
#define GWS_COUNT(range)	((range) >> 16 & 0x7f)

/**
 * struct gpu - one modelled device
 * @cfg:	configuration, constant after start
 * @blocks: @nblocks: what it is made of, see block.h
 * @mec_lock:	see the top of this file
 * @copying:	state is being saved or restored with mec_lock dropped
 * @copied:	announces the end of that
 * @partition_xccs: XCCs of a partition, which the driver takes for a device: a divisor of
 *		@cfg's xccs, 0 is all; mec_lock
 * @kick:	has the command processor take a turn, for those below it: mec_kick()
 */
struct gpu {
	struct gpu_config cfg;
	const struct block *const *blocks;
	unsigned int nblocks;
	pthread_mutex_t mec_lock;
	bool copying;
	pthread_cond_t copied;
	struct mem *mem;
	struct vm *vm;
	struct faults *faults;
	struct regs *regs;
	struct ih *ih;
	struct sdma *sdma;
	struct slots *slots;
	struct doorbells *doorbells;
	struct engine *engine;
	struct schedulers *hws;
	struct mes *mes;
	struct spi *spi;
	struct control *control;
	unsigned int partition_xccs;
	void (*kick)(struct gpu *g);
	struct vfio_user *vfio;
};

/* Shader engines of all XCCs; those of XCC n begin at n * cfg.engines. */
static inline unsigned int gpu_engines(const struct gpu *g)
{
	return g->cfg.xccs * g->cfg.engines;
}

/* Compute units that work in an engine of each die; they are its first. */
static inline unsigned int gpu_engine_cus(const struct gpu_config *c, unsigned int engine)
{
	return c->cus_per_engine - (engine + c->inactive_cus >= c->engines);
}

/* And in a die. */
static inline unsigned int gpu_die_cus(const struct gpu_config *c)
{
	return c->engines * c->cus_per_engine - c->inactive_cus;
}

/* XCCs of a partition, and the one that leads that of @xcc. */
static inline unsigned int gpu_partition(const struct gpu *g)
{
	return g->partition_xccs ? g->partition_xccs : g->cfg.xccs;
}

static inline unsigned int gpu_leader(const struct gpu *g, unsigned int xcc)
{
	return g->partition_xccs ? xcc - xcc % g->partition_xccs : 0;
}

/* Model time in ns; see clock.h. */
u64 gpu_now(void);

#endif
