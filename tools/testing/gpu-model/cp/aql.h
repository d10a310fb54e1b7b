/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User queues on the hardware: AQL packets, dispatches, signals.
 * Protected by gpu.mec_lock unless said otherwise.
 */
#ifndef GPU_MODEL_AQL_H
#define GPU_MODEL_AQL_H

#include "compute/queue.h"
#include "compute/trap.h"
#include "cp/mec.h"

#define AQL_PACKET_BYTES	64
#define AQL_PACKET_DWORDS	16

#define PERSISTENT_QSWITCH_MODE	(1u << 14)	/* CWSR allowed */
#define IB_PROCESSING		(1u << 31)	/* CP_HQD_IB_CONTROL: it is not at its end */

/* COMPUTE_TMPRING_SIZE: waves, and KiB of one wave. */
#define TMPRING_WAVES(v)	((v) & 0xfff)
#define TMPRING_WAVESIZE(v)	((v) >> 12 & 0x1fff)

/**
 * struct amd_signal - amd_signal_t in guest memory, 64 bytes
 */
struct amd_signal {
	s64 kind;
	s64 value;
	u64 event_mailbox;
	u32 event_id;
	u32 reserved;
	u64 start_ts;
	u64 end_ts;
	u64 queue;
	u32 reserved2[2];
};

_Static_assert(sizeof(struct amd_signal) == 64, "ABI");

/**
 * struct queue_env - what a queue's process brings
 * @pasid:		process
 * @sh_mem_bases:	private aperture in the low, shared in the high half: bits 63:48
 * @trap:		how its waves trap
 * @gws: @gws_count:	its resources of the global wave sync unit
 * @write_addr:		where the write index lives, or 0: as the MQD says
 * @since: @is_static:	see struct user_queue
 */
struct queue_env {
	u16 pasid;
	u32 sh_mem_bases;
	struct trap_setup trap;
	u32 *gws;
	unsigned int gws_count;
	u64 write_addr, since;
	bool is_static;
};

/* SH_MEM_BASES of a queue loaded by registers: what amdkfd always sets. */
#define SH_MEM_BASES_DEFAULT	0x00010002u

/* Bind a queue to the slot mec_map() filled; reads indices, restores nothing. */
struct user_queue *aql_attach(struct gpu *g, struct hqd *h, const struct queue_env *env);

/* Unbind and free; its groups must be gone. */
void aql_detach(struct user_queue *q);

/* Read the write index again (map, doorbell). */
void aql_read_write_index(struct user_queue *q);

/* Fetch packets as far as possible. Return: true if anything moved. */
bool aql_advance(struct user_queue *q);

/* Is there a packet that it could take or has to wait at? */
bool aql_has_packet(struct user_queue *q);

/* Fill everything of @d that follows from its source; AQL_OK or why not. */
enum aql_error dispatch_parse(struct user_queue *q, struct dispatch *d);

/* @d->total, grid and workgroups from a grid in work-items and a workgroup's size. */
enum aql_error dispatch_dims(struct dispatch *d, const u32 grid[3], const u32 size[3],
			     const u32 start[3]);

/* A dispatch with nothing but its number, not yet begun; NULL: not now. */
struct dispatch *dispatch_alloc(struct user_queue *q);

/* Launch its workgroups from now on. */
void dispatch_begin(struct dispatch *d);

/* The queue stops and tells its process and the driver why. */
void queue_fail(struct user_queue *q, enum aql_error error);

/* The last workgroup was launched. */
void aql_launched(struct dispatch *d);

/* Take note of a partition's workgroups that ended: with its last one a dispatch. True: some. */
bool aql_reap(struct partition *p);

/* Complete the dispatches whose end can be seen by now. True if another ended already. */
bool aql_complete(struct user_queue *q);


#endif
