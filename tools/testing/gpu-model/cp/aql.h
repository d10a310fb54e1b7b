/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User queues on the hardware: AQL packets, dispatches, signals.
 * Protected by gpu.mec_lock unless said otherwise.
 *
 * A struct user_queue lives from a queue's mapping to its unmapping. What must
 * outlast that (indices, dispatches begun, waves) goes to the MQD and the
 * queue's save area: see cwsr.c.
 */
#ifndef GPU_MODEL_AQL_H
#define GPU_MODEL_AQL_H

#include "compute/cu.h"
#include "cp/mec.h"
#include "compute/trap.h"
#include "isa/wave.h"

#define AQL_PACKET_BYTES	64
#define AQL_PACKET_DWORDS	16

/* Of a dispatch, that which it is made from: an AQL packet, or registers (pm4_dispatch.c). */
#define DISPATCH_SOURCE_BYTES	136

/* Compute registers of a queue: MQD dwords 1 to 80. */
#define COMPUTE_REGS		80

/* Dispatches of one queue begun and not completed. Fixed by the control stack's size. */
#define DISPATCHES_MAX		8

/* Of struct dispatch.packet: an AQL queue's indirect buffer began it, by registers. */
#define DISPATCH_IN_BUFFER	(1ull << 63)

/* RELEASE_MEM packets of one queue that wait for dispatches, likewise. */
#define RELEASES_MAX		8

/* MQD dwords (v9_structs.h). */
enum {
	MQD_COMPUTE = 1, MQD_DISPATCH_ID = 33,
	MQD_SE0_MASK = 23, MQD_SE1_MASK = 24, MQD_SE2_MASK = 26, MQD_SE3_MASK = 27,
	MQD_SE4_MASK = 39,
	MQD_LOGIC_XCC = 39, MQD_TG_CHUNK = 41,	/* GPUs of several XCCs: 4 masks */
	MQD_PERSISTENT_STATE = 132, MQD_PIPE_PRIORITY = 133, MQD_QUEUE_PRIORITY = 134,
	MQD_QUANTUM = 135,
	MQD_ACTIVE = 130, MQD_PQ_BASE_LO = 136, MQD_PQ_BASE_HI = 137, MQD_PQ_RPTR = 138,
	MQD_RPTR_REPORT_LO = 139, MQD_RPTR_REPORT_HI = 140,
	MQD_WPTR_POLL_LO = 141, MQD_WPTR_POLL_HI = 142,
	MQD_DOORBELL_CONTROL = 143, MQD_PQ_CONTROL = 145,
	MQD_IB_BASE_LO = 146, MQD_IB_BASE_HI = 147, MQD_IB_RPTR = 148, MQD_IB_CONTROL = 149,
	MQD_CTX_SAVE_BASE_LO = 171, MQD_CTX_SAVE_BASE_HI = 172,
	MQD_CNTL_STACK_OFFSET = 174, MQD_CNTL_STACK_SIZE = 175,
	MQD_WG_STATE_OFFSET = 176, MQD_CTX_SAVE_SIZE = 177,
	MQD_DEQUEUE_REQUEST = 152,
	MQD_AQL_CONTROL = 181, MQD_PQ_WPTR_LO = 182, MQD_PQ_WPTR_HI = 183,
	MQD_SAVED_IB_CONTROL = 184,	/* reserved; the model's own, see slot.c */
	MQD_PM4_TARGET_XCC = 225, MQD_STRIDE = 226,
	MQD_DOORBELL_ID0 = 240,
};

#define PERSISTENT_QSWITCH_MODE	(1u << 14)	/* CWSR allowed */
#define IB_PROCESSING		(1u << 31)	/* CP_HQD_IB_CONTROL: it is not at its end */

/* COMPUTE_TMPRING_SIZE: waves, and KiB of one wave. */
#define TMPRING_WAVES(v)	((v) & 0xfff)
#define TMPRING_WAVESIZE(v)	((v) >> 12 & 0x1fff)

/* Why a queue takes no more packets: bits of ROCr's queue_inactive_signal. */
enum aql_error {
	AQL_OK = 0,
	AQL_NO_SCRATCH = 1 << 0,	/* recoverable: waits until the host clears the signal */
	AQL_BAD_DIM = 1 << 1,
	AQL_BAD_GROUP_SEGMENT = 1 << 2,
	AQL_BAD_CODE = 1 << 3,
	AQL_BAD_PACKET = 1 << 5,
	AQL_BAD_GROUP_SIZE = 1 << 6,
	AQL_BAD_REGISTERS = 1 << 7,
	AQL_BAD_VENDOR = 1 << 8,
	AQL_FAULT = 1 << 30,		/* the model's own: a page of the queue is not mapped */
};

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
 * struct dispatch - a kernel dispatch that began
 * @q:		queue
 * @packet:	index of its packet; of those made by registers a running number, in
 *		AQL queues with DISPATCH_IN_BUFFER: unique in the queue's life
 * @source:	the packet (its slot in the ring may be written anew) or registers
 * @code:	what the kernel descriptor, or registers, say
 * @regs:	what initial registers are made of
 * @wgs: @start: workgroups by dimension, and the first one
 * @total: @next: workgroups, and how many were launched
 * @live:	launched and not ended
 * @ready:	model time from which its waves may issue
 * @begin:	model time at which its first workgroup could
 * @end:	model time of its last wave's end, else 0: what it completes with follows
 */
struct dispatch {
	bool used;
	struct user_queue *q;
	u64 packet;
	u8 source[DISPATCH_SOURCE_BYTES];
	struct kernel_code code;
	struct dispatch_regs regs;
	u32 lds_bytes;
	u32 wgs[3], start[3];
	u64 total, next;
	u64 live;
	u64 ready, begin, end;
};

/**
 * struct release - a RELEASE_MEM packet that waits for what was dispatched before it
 * @packet:	its payload
 * @after:	bitmap of the queue's dispatches
 */
struct release {
	u32 packet[7];
	u32 after;
};

/**
 * struct user_queue - a user queue in a hardware slot
 * @h:		slot on the first XCC
 * @pasid: @vmid: address space
 * @aql:	AQL, else PM4: then pm4.c takes packets, by the slot's registers
 * @cwsr:	waves can be saved; otherwise a preemption lets dispatches end
 * @ring: @mask: ring address and packets - 1
 * @read_addr: @write_addr: where the 64-bit indices live
 * @amd_queue:	amd_queue_t around them, or 0
 * @write:	write index as last read from memory
 * @fetch:	next packet to look at; of PM4 queues, number of the next dispatch
 * @read:	read index as published
 * @d:		dispatches begun
 * @begun:	how many of them
 * @launching:	dispatch with workgroups left to launch
 * @release: @releases: the packets that wait, oldest first, and how many they are
 * @pending:	restored groups that wait for room
 * @removed:	groups taken off the machine by a preemption
 * @debug:	of struct trap_setup
 * @mem:	address space as waves see it
 * @sh:		compute registers, MQD dwords 1 on
 * @cus:	compute units allowed, by engine of all XCCs
 * @chunk:	so many workgroups go to an XCC, as many to the next, and so on; 0:
 *		all go to one
 * @xcc:	which has which turn
 * @pipe_priority: @priority: of the MQD
 * @turn:	spi.turn of its last launch
 * @pipe_until:	model time until which it goes before its equals on its pipe
 * @scratch_base: @scratch_wave_bytes: of amd_queue_t
 * @scratch_slots: slots of each XCC's share: those of the next follow
 * @scratch_used: bitmap of slots taken
 * @frozen:	takes and launches nothing: preemption under way
 * @drain:	takes nothing new, ends what began: preemption without CWSR
 * @stalled:	a wave of it stopped for good: it cannot be saved (set by workers)
 * @stuck:	could not be saved, waits for a reset
 * @leaving:	the scheduler is taking it off (preempt.c)
 * @since:	model time at which the scheduler gave it its slot: it does nothing before
 * @is_static:	stays when "all dynamic queues" go
 * @request_at: @leave_at: model times of a dequeue request (slot.c): served since,
 *		and free of its slot from then on; 0 for none
 * @saved_bytes: by that request
 * @error:	why it stopped
 * @poll_at: @poll_ns: next look at a barrier's signals, and the interval
 */
struct user_queue {
	struct gpu *g;
	struct hqd *h;
	u16 pasid;
	u8 vmid;
	bool aql, cwsr;
	u64 ring, mask;
	u64 read_addr, write_addr, amd_queue;
	u64 write, fetch, read;
	struct dispatch d[DISPATCHES_MAX];
	unsigned int begun;
	struct dispatch *launching;
	struct release release[RELEASES_MAX];
	unsigned int releases;
	struct group *pending, *removed;
	u32 debug;
	struct wave_mem mem;
	u32 sh[COMPUTE_REGS];
	u32 cus[ALL_ENGINES_MAX];
	u32 chunk;
	u8 xcc[XCCS_MAX];
	unsigned int pipe_priority, priority;
	u64 turn, pipe_until;
	u64 scratch_base;
	u32 scratch_wave_bytes, scratch_slots;
	u64 scratch_used[64 * XCCS_MAX];	/* TMPRING_WAVES has 12 bits */
	bool frozen, drain, stuck, leaving, is_static;
	u64 since;
	atomic_bool stalled;
	u64 request_at, leave_at, saved_bytes;
	enum aql_error error;
	u64 poll_at, poll_ns;
	struct user_queue *next;
};

/**
 * struct queue_env - what a queue's process brings
 * @pasid:		process
 * @sh_mem_bases:	private aperture in the low, shared in the high half: bits 63:48
 * @trap:		how its waves trap
 * @write_addr:		where the write index lives, or 0: as the MQD says
 * @since: @is_static:	see struct user_queue
 */
struct queue_env {
	u16 pasid;
	u32 sh_mem_bases;
	struct trap_setup trap;
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

/* The XCC to which a dispatch's workgroup @number belongs. */
unsigned int group_xcc(const struct user_queue *q, u64 number);

/* The last workgroup was launched. */
void aql_launched(struct dispatch *d);

/* A workgroup ended: with its last one the dispatch. */
void aql_group_ended(struct dispatch *d);

/* Complete the dispatches whose end can be seen by now. True if another ended already. */
bool aql_complete(struct user_queue *q);

/* Waves in workgroup @number, which an edge of the grid may clip; id[] filled. */
unsigned int dispatch_waves(const struct dispatch *d, u64 number, u32 id[3]);

#endif
