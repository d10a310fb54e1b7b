/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT estimate: from what was seen of a queue, now and before, to what it is doing.
 *
 * Owns all memory of a queue's past: a handful of trackers, each with one job and written by its
 * own functions only. Other rooms see a small state of the queue, without a past.
 */
#ifndef GPREEMPT_ESTIMATE_H_INCLUDED
#define GPREEMPT_ESTIMATE_H_INCLUDED

#include "evidence.h"

/**
 * struct gpreempt_index - has anything moved since the last scan?
 * @was:	what the last that could read them has seen; not readable: there was none
 * @moved_ns:	an index moved, or the queue was seen off the hardware, last
 */
struct gpreempt_index {
	struct gpreempt_evidence was;
	u64 moved_ns;
};

/**
 * struct gpreempt_unseen - may there be work that no index shows?
 * @fresh:	an index moved, and no waves were seen since
 * @passed:	the read index moved, and no waves were seen since
 * @restored:	was taken off, and no waves were seen since
 * @busy:	had waves when last counted (assumed at first sight)
 * @lacks:	the first count after the read index moved found fewer waves than that packet
 *		launches, and it has not ended since
 * @done:	the newest packet's signal was seen completed. Signals are pooled: it may be at
 *		work for another queue since, until there is a newer packet
 *
 * A packet that was consumed is on its way to waves until waves are seen, its signal tells
 * that it has ended, or the queue has had the machine and shown none.
 */
struct gpreempt_unseen {
	bool fresh;
	bool passed;
	bool restored;
	bool busy;
	bool lacks;
	bool done;
};

/**
 * struct gpreempt_blocked - was it given the machine, and did not use it?
 * @given_ns:	has the machine for itself, and was counted not to use it, since; 0: it has
 *		not, or does
 * @blocked_ns:	when it was found blocked, 0: it was not, or something has changed
 * @doubted:	so it was, and nothing was seen of it since
 *
 * Rule 2, inversion. It is judged anew when its head packet is another one, or begins or ceases
 * to wait; and, as the machine may only have been slow, after starvation_ms.
 */
struct gpreempt_blocked {
	u64 given_ns;
	u64 blocked_ns;
	bool doubted;
};

/**
 * struct gpreempt_memory - what is remembered of a queue between scans
 * @index:	its trackers
 * @unseen:	likewise
 * @blocked:	likewise
 * @waits_ns:	preempted, or seen not to execute what it has, since; 0: it does not wait
 * @resident_ns: mapped since; that it was put back the next scan would find out late
 * @void_hint_ns: the announcement of work for that time was not kept
 * @unproved_ns: has work, and neither moved nor was counted to have all it wants, since;
 *		proof's
 * @raised:	stands above all others, as it has starved; help's
 * @awake:	had work that could run at the last scan
 * @idle:	was idle then
 *
 * Zeroed when the queue is created and when the monitor is enabled. A time is in ns of the scans'
 * clock; 0 means that it does not run. One in the future (time went backwards) starts anew.
 */
struct gpreempt_memory {
	struct gpreempt_index index;
	struct gpreempt_unseen unseen;
	struct gpreempt_blocked blocked;
	u64 waits_ns;
	u64 resident_ns;
	u64 void_hint_ns;
	u64 unproved_ns;
	bool raised;
	bool awake;
	bool idle;
};

/**
 * enum gpreempt_activity - what a queue is doing
 * @GPREEMPT_IDLE: nothing
 * @GPREEMPT_RUNNING: waves in flight, or progress since the last scan
 * @GPREEMPT_RUNNABLE: work, no waves: waits for the machine, or is preempted
 * @GPREEMPT_BLOCKED: work that cannot run whatever it is given
 * @GPREEMPT_UNKNOWN: indices unreadable: never a reason to preempt
 */
enum gpreempt_activity {
	GPREEMPT_IDLE,
	GPREEMPT_RUNNING,
	GPREEMPT_RUNNABLE,
	GPREEMPT_BLOCKED,
	GPREEMPT_UNKNOWN,
};

/**
 * struct gpreempt_queue_state - what a queue is doing, for all that is known
 * @activity:	what
 * @unused:	what it is doing if it has had the machine and did not use it
 * @wants:	could use more of the machine than it has, now
 * @announced:	wants it for announced work only
 * @expects:	work is announced that may still come
 * @in_the_way:	may have part of the machine, or be about to
 * @begins:	may have begun since the last scan, and want more at the next
 * @was_idle:	was idle at the last scan
 * @unused_ns:	when it is found not to use the machine, if it has it for itself until then
 * @leave_ns:	no sooner is it to be taken off
 * @waits_ns:	kept from executing since, 0: it is not
 */
struct gpreempt_queue_state {
	enum gpreempt_activity activity;
	enum gpreempt_activity unused;
	bool wants;
	bool announced;
	bool expects;
	bool in_the_way;
	bool begins;
	bool was_idle;
	u64 unused_ns;
	u64 leave_ns;
	u64 waits_ns;
};

/**
 * struct gpreempt_change - what is new of a queue since the last scan
 * @consumed:	the GPU took packets
 * @submitted:	the application added some
 * @ready:	its head packet could be launched now
 * @begins:	it began a packet since its waves were counted last: the next count is to be of all
 *		engines, to tell whether all that the packet launches have found space
 * @backlog:	valid packets the GPU has not consumed
 */
struct gpreempt_change {
	bool consumed;
	bool submitted;
	bool ready;
	bool begins;
	u32 backlog;
};

/**
 * enum gpreempt_work - may a queue want or hold the machine, for all that is seen at first?
 * @GPREEMPT_WORK_NONE: no, or what it has waits for a signal
 * @GPREEMPT_WORK_ANNOUNCED: likewise, but the machine is to be freed for work that was announced
 * @GPREEMPT_WORK_HIDDEN: it may have waves that nothing shows
 * @GPREEMPT_WORK_SHOWN: it has work
 */
enum gpreempt_work {
	GPREEMPT_WORK_NONE,
	GPREEMPT_WORK_ANNOUNCED,
	GPREEMPT_WORK_HIDDEN,
	GPREEMPT_WORK_SHOWN,
};

struct gpreempt_queue_view;
struct gpreempt_view;

enum gpreempt_work gpreempt_work(const struct gpreempt_view *view, struct gpreempt_queue_view *q);
void gpreempt_estimate(const struct gpreempt_view *view, struct gpreempt_queue_view *q);
void gpreempt_learn(const struct gpreempt_view *view, struct gpreempt_queue_view *q);

/* Has so much time gone by since then? Not if that is 0, or in the future. */
static inline bool gpreempt_reached(u64 since_ns, u64 now_ns, u64 ns)
{
	return since_ns && now_ns >= since_ns && now_ns - since_ns >= ns;
}

#endif /* GPREEMPT_ESTIMATE_H_INCLUDED */
