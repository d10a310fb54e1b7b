/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT evidence: what a scan has seen of a queue, and on what terms the queue is served.
 * Facts, no opinion: nothing here says what the queue is doing.
 */
#ifndef GPREEMPT_EVIDENCE_H_INCLUDED
#define GPREEMPT_EVIDENCE_H_INCLUDED

#include <linux/types.h>

#include "cus.h"

#define GPREEMPT_LEVELS		16	/* the KFD ABI's priorities, 15 highest */
#define GPREEMPT_WAVES_UNKNOWN	(-1)
#define GPREEMPT_POLL_LEAST_US	50	/* between two scans, but for what wakes the monitor */
#define GPREEMPT_TURN_LEAST_US	1000	/* of a level's turns, if it has any */
#define GPREEMPT_TURN_MOST_US	1000000

/**
 * enum gpreempt_head - what the packet at a queue's read index is
 * @GPREEMPT_HEAD_UNKNOWN: could not be read, or no AQL queue: backlog counts
 * @GPREEMPT_HEAD_INVALID: reserved, not yet submitted: no backlog
 * @GPREEMPT_HEAD_READY: a dispatch, or a barrier whose signals are satisfied
 * @GPREEMPT_HEAD_WAITS: a barrier on unsatisfied signals
 */
enum gpreempt_head {
	GPREEMPT_HEAD_UNKNOWN,
	GPREEMPT_HEAD_INVALID,
	GPREEMPT_HEAD_READY,
	GPREEMPT_HEAD_WAITS,
};

/**
 * enum gpreempt_signal - a packet's completion signal
 * @GPREEMPT_SIGNAL_UNKNOWN: none, or unreadable
 * @GPREEMPT_SIGNAL_PENDING: the packet has not completed
 * @GPREEMPT_SIGNAL_DONE: the packet has completed
 */
enum gpreempt_signal {
	GPREEMPT_SIGNAL_UNKNOWN,
	GPREEMPT_SIGNAL_PENDING,
	GPREEMPT_SIGNAL_DONE,
};

/**
 * struct gpreempt_evidence - one queue as a scan saw it
 * @preempted:	taken off by GPREEMPT
 * @bare:	and, when it was taken off for being idle, had nothing that was saved
 * @mapped:	in the runlist (active); never together with @preempted
 * @readable:	its memory could be read
 * @rptr:	64-bit read index in packets. Read it before @wptr
 * @wptr:	64-bit write index in packets
 * @size:	ring size in packets
 * @head:	packet at @rptr
 * @head_ordered: that packet does not begin before all earlier ones have ended
 * @signal:	completion signal of the packet before @wptr; unknown while that packet is
 *		reserved only
 * @ordered:	that packet does not begin before all earlier ones have ended, and waves can
 *		be counted if that has to be checked
 * @previous:	completion signal of the packet before @rptr
 * @waves:	waves in flight, or GPREEMPT_WAVES_UNKNOWN: not counted, or the queue is mapped
 *		but in no hardware slot, where its waves may be saved
 * @late:	the read index moved, or a signal changed, after it was read for the first time:
 *		@waves may be older
 * @begun:	waves that the packet before @rptr launches, 0: unknown
 * @cus:	compute units that it may use
 */
struct gpreempt_evidence {
	bool preempted;
	bool bare;
	bool mapped;
	bool readable;
	u64 rptr;
	u64 wptr;
	u32 size;
	enum gpreempt_head head;
	bool head_ordered;
	enum gpreempt_signal signal;
	bool ordered;
	enum gpreempt_signal previous;
	int waves;
	bool late;
	u32 begun;
	struct gpreempt_cus cus;
};

/**
 * struct gpreempt_terms - what was asked for a queue, and permitted
 * @priority:	0 to 15: after cap and ceiling
 * @timeslice_us: length of its turn on its level; 0: the level's
 * @held:	kept off until released: taken off if it is mapped, resumed by no policy
 * @hold_end_ns: released by itself then, in the scan's clock; 0: never
 * @idle:	kept off, likewise, as its process has nothing to do; idle's
 * @stays:	but not for that: nobody could tell whether it is idle, or a debugger has it
 * @asked:	to be taken off once. Cleared when the queue is off; it comes back as any
 *		other preempted queue
 * @pinned:	must not be taken off now (global wave sync), so it is not preempted; a hold has no
 *		force then
 * @hint_ns:	when work was announced for, in the scan's clock; 0: none was
 * @hint_end_ns: when that work is expected to be over
 */
struct gpreempt_terms {
	u8 priority;
	u32 timeslice_us;
	bool held;
	u64 hold_end_ns;
	bool idle;
	bool stays;
	bool asked;
	bool pinned;
	u64 hint_ns;
	u64 hint_end_ns;
};

/**
 * struct gpreempt_tunables - snapshot of a node's tunables, taken once a scan
 * @poll_interval_us:	time between two scans
 * @starvation_ms:	no queue with work is kept from executing for longer
 * @min_residency_us:	no queue is preempted sooner after it was mapped
 * @blocked_us:		a queue that is given the machine and does not use it for so long
 *			is blocked
 * @preempt_timeout_ms:	a preemption that takes longer is late
 * @linger_max_us:	a group that has ended keeps lower queues off for no longer
 * @idle_unmap_ms:	a process that was idle for so long leaves the runlist while there are too
 *			few slots or VMIDs; 0: none does
 * @timeslice_us:	per level: how long a queue's turn is where queues of the level take
 *			turns; 0: they do not
 */
struct gpreempt_tunables {
	u32 poll_interval_us;
	u32 starvation_ms;
	u32 min_residency_us;
	u32 blocked_us;
	u32 preempt_timeout_ms;
	u32 linger_max_us;
	u32 idle_unmap_ms;
	u32 timeslice_us[GPREEMPT_LEVELS];
};

#endif /* GPREEMPT_EVIDENCE_H_INCLUDED */
