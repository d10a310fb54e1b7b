/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the command processor hands to the units: a queue in its hardware slot, and
 * the dispatches that it began. All of it is protected by gpu.mec_lock unless said
 * otherwise.
 *
 * A struct user_queue lives from a queue's mapping to its unmapping. What must
 * outlast that (indices, dispatches begun, waves) goes to the MQD and the
 * queue's save area: see cwsr.c.
 */
#ifndef GPU_MODEL_QUEUE_H
#define GPU_MODEL_QUEUE_H

#include <stdatomic.h>

#include "host/params.h"
#include "isa/wave.h"

#define MEC_COUNT	2	/* ME1 (user queues and KCQ), ME2 (HIQ, KIQ) */
#define MEC_PIPES	4
#define MEC_QUEUES	8

/* HQD registers are kept as the 56 dwords that MQD dwords 128..183 hold. */
#define HQD_REGS	56
#define HQD_MQD_DW	128
/* Index into hqd.reg[] of an MQD dword. */
#define HQD(mqd_dword)	((mqd_dword) - HQD_MQD_DW)

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
	MQD_LOGIC_XCC = 39, MQD_TG_CHUNK = 41,	/* GPUs of several XCCs: 4 masks */
	MQD_PERSISTENT_STATE = 132, MQD_PIPE_PRIORITY = 133, MQD_QUEUE_PRIORITY = 134,
	MQD_QUANTUM = 135,
	MQD_BASE_LO = 128, MQD_BASE_HI = 129, MQD_ACTIVE = 130, MQD_VMID = 131,
	MQD_PQ_BASE_LO = 136, MQD_PQ_BASE_HI = 137, MQD_PQ_RPTR = 138,
	MQD_RPTR_REPORT_LO = 139, MQD_RPTR_REPORT_HI = 140,
	MQD_WPTR_POLL_LO = 141, MQD_WPTR_POLL_HI = 142,
	MQD_DOORBELL_CONTROL = 143, MQD_PQ_CONTROL = 145,
	MQD_GFX_WPTR_LO = 149,		/* of a graphics queue's (v11_structs.h) */
	MQD_IB_BASE_LO = 146, MQD_IB_BASE_HI = 147, MQD_IB_RPTR = 148, MQD_IB_CONTROL = 149,
	MQD_CTX_SAVE_BASE_LO = 171, MQD_CTX_SAVE_BASE_HI = 172,
	MQD_CNTL_STACK_OFFSET = 174, MQD_CNTL_STACK_SIZE = 175,
	MQD_WG_STATE_OFFSET = 176, MQD_CTX_SAVE_SIZE = 177,
	MQD_DEQUEUE_REQUEST = 152,
	MQD_AQL_CONTROL = 181, MQD_PQ_WPTR_LO = 182, MQD_PQ_WPTR_HI = 183,
	MQD_SAVED_IB_CONTROL = 184,	/* reserved; the model's own, see slot.c */
	MQD_PM4_TARGET_XCC = 225, MQD_STRIDE = 226,
	MQD_DOORBELL_ID0 = 240,
	MQD_SDMA_WPTR_POLL_HI = 26,	/* of an SDMA queue's, then _LO (v11_structs.h) */
};

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

struct user_queue;
struct partition;
struct group;

/**
 * struct hqd - one hardware queue slot; protected by gpu.mec_lock
 *
 * A process' queue has the same slot on each XCC of its partition, and an MQD for each.
 * That of the first leads: it has @uq, the others follow. So it is with the HIQ.
 *
 * @active:	CP_HQD_ACTIVE
 * @xcc: @me: @pipe: @queue: place
 * @vmid:	VMID the queue runs in
 * @mqd:	MQD address (VMID 0), 0 when loaded by registers alone
 * @doorbell:	doorbell offset in dwords of BAR2, valid when @active
 * @aql:	AQL format, else PM4
 * @is_user:	mapped by the runlist
 * @reg:	register values, as the MQD holds them
 * @uq:		dispatch state of a user AQL queue
 * @rung:	a doorbell came and the command processor has not looked yet
 * @db_value:	last doorbell value
 */
struct hqd {
	bool active;
	u8 xcc, me, pipe, queue;
	u8 vmid;
	u64 mqd;
	u32 doorbell;
	bool aql;
	bool is_user;
	u32 reg[HQD_REGS];
	struct user_queue *uq;
	bool rung;
	u64 db_value;
};

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
 * @part:	partition
 * @h:		slot on the XCC that leads it
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
 * @debug: @traps_off: of struct trap_setup
 * @mem:	address space as waves see it
 * @sh:		compute registers, MQD dwords 1 on
 * @cus:	compute units allowed, by engine of all XCCs
 * @chunk:	so many workgroups go to an XCC, as many to the next, and so on; 0:
 *		all go to one
 * @xcc:	which has which turn, counted from the leader
 * @pipe_priority: @priority: of the MQD
 * @turn:	partition.turn of its last launch
 * @no_room:	spi_launch() found none for it this time
 * @pipe_until:	model time until which it goes before its equals on its pipe
 * @connected:	its pipe takes its packets and launches its workgroups
 * @connected_at: partition.turn when it was connected last
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
 * @gws:	uses global wave sync: its VMID has resources of that as long as it is mapped
 * @request_at: @leave_at: model times of a dequeue request (slot.c): served since,
 *		and free of its slot from then on; 0 for none
 * @saved_bytes: by that request
 * @error:	why it stopped
 * @poll_at: @poll_ns: next look at a barrier's signals, and the interval
 */
struct user_queue {
	struct gpu *g;
	struct partition *part;
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
	bool traps_off;
	struct wave_mem mem;
	u32 sh[COMPUTE_REGS];
	u32 cus[ALL_ENGINES_MAX];
	u32 chunk;
	u8 xcc[XCCS_MAX];
	unsigned int pipe_priority, priority;
	u64 turn, pipe_until, connected_at;
	bool no_room, connected;
	u64 scratch_base;
	u32 scratch_wave_bytes, scratch_slots;
	u64 scratch_used[64 * XCCS_MAX];	/* TMPRING_WAVES has 12 bits */
	bool frozen, drain, stuck, leaving, is_static, gws;
	u64 since;
	atomic_bool stalled;
	u64 request_at, leave_at, saved_bytes;
	enum aql_error error;
	u64 poll_at, poll_ns;
	struct user_queue *next;
};

/* CP_HQD_QUANTUM in ns; 0: none. */
u64 queue_quantum(const struct user_queue *q);

/* The XCC of the partition to which a dispatch's workgroup @number belongs. */
unsigned int group_xcc(const struct user_queue *q, u64 number);

/* Waves in workgroup @number, which an edge of the grid may clip; id[] filled. */
unsigned int dispatch_waves(const struct dispatch *d, u64 number, u32 id[3]);

#endif
