/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT policy: which queues to take off the hardware, which to put back.
 *
 * A pure function of a view, the tunables and each queue's history: no locks,
 * no I/O, no allocation, no clock of its own. It includes no amdgpu header, so
 * that KUnit, a simulator or a fuzzer can build it as it is.
 */
#ifndef KFD_GPREEMPT_POLICY_H_INCLUDED
#define KFD_GPREEMPT_POLICY_H_INCLUDED

#include <linux/types.h>

#define GPREEMPT_LEVELS		16	/* the KFD ABI's priorities, 15 highest */
#define GPREEMPT_BOOST		16	/* effective priority of an aged queue */

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
 * enum gpreempt_signal - completion signal of the newest packet
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
 * enum gpreempt_queue_state - what the policy made of a queue
 * @GPREEMPT_IDLE: nothing to do
 * @GPREEMPT_RUNNING: waves in flight, or progress since the last scan
 * @GPREEMPT_RUNNABLE: work, no waves: waits for the machine, or is preempted
 * @GPREEMPT_BLOCKED: work that cannot run whatever it is given
 * @GPREEMPT_UNKNOWN: indices unreadable: never a reason to preempt
 */
enum gpreempt_queue_state {
	GPREEMPT_IDLE,
	GPREEMPT_RUNNING,
	GPREEMPT_RUNNABLE,
	GPREEMPT_BLOCKED,
	GPREEMPT_UNKNOWN,
};

/**
 * enum gpreempt_reason - why a queue is on the plan
 * @GPREEMPT_REASON_NONE: it is not
 * @GPREEMPT_REASON_INVERSION: preempt: a higher queue waits
 * @GPREEMPT_REASON_AGED: preempt: a starved queue was raised above it
 * @GPREEMPT_REASON_HINT: preempt: work was announced for a higher queue
 * @GPREEMPT_REASON_ASKED: preempt: by ioctl, for once or with a hold
 * @GPREEMPT_REASON_TIMESLICE: preempt: another queue of its level has its turn
 * @GPREEMPT_REASON_FREE: resume: no higher queue needs the machine
 * @GPREEMPT_REASON_BLOCKED: resume: a higher queue has work but cannot run
 * @GPREEMPT_REASON_STARVED: resume: kept off longer than starvation_ms
 * @GPREEMPT_REASON_TURN: resume: its turn on its level has come
 * @GPREEMPT_REASON_OFF: resume: disabled, torn down, bypassed; never by a policy
 */
enum gpreempt_reason {
	GPREEMPT_REASON_NONE,
	GPREEMPT_REASON_INVERSION,
	GPREEMPT_REASON_AGED,
	GPREEMPT_REASON_HINT,
	GPREEMPT_REASON_ASKED,
	GPREEMPT_REASON_TIMESLICE,
	GPREEMPT_REASON_FREE,
	GPREEMPT_REASON_BLOCKED,
	GPREEMPT_REASON_STARVED,
	GPREEMPT_REASON_TURN,
	GPREEMPT_REASON_OFF,
};

/**
 * enum gpreempt_verdict - what a plan does with one queue
 * @GPREEMPT_KEEP: leave it as it is
 * @GPREEMPT_PREEMPT: take it off the hardware
 * @GPREEMPT_RESUME: put it back
 */
enum gpreempt_verdict {
	GPREEMPT_KEEP,
	GPREEMPT_PREEMPT,
	GPREEMPT_RESUME,
};

#define GPREEMPT_WAVES_UNKNOWN	(-1)

/**
 * struct gpreempt_history - what the policy remembers of a queue between scans
 * @rptr:		read index at the last scan
 * @wptr:		write index at the last scan
 * @moved_ns:		an index moved, or the queue was seen preempted, last
 * @given_since_ns:	has the machine for itself, and does not use it, since
 * @waiting_since_ns:	preempted, or runnable and not executing, since
 * @resident_since_ns:	mapped since
 * @executed_since_ns:	boosted and seen executing since
 * @blocked_ns:		when it was found blocked last
 * @busy_since_ns:	executes, and was seen to at every scan, since
 * @span_ns:		how long it does so until it is idle, on average
 * @ended_ns:		all it had was seen to have ended, and nothing came since
 * @pause_ns:		how long it takes until something comes, on average
 * @scanned_ns:		time of the last scan, if it was mapped
 * @turn_ns:		what it had of its turn
 * @turned_ns:		when its last turn ended
 * @void_hint_ns:	the announcement of work for that time was not kept
 * @seen:		@rptr and @wptr are valid
 * @backlog:		there was backlog at the last scan
 * @waited:		the head packet waited at the last scan
 * @done:		the newest packet's signal was seen completed
 * @fresh:		an index moved, and no waves were seen since
 * @passed:		the read index moved, and no waves were seen since
 * @restored:		was taken off, and no waves were seen since
 * @busy:		had waves when last looked at (assumed at first sight)
 * @claimed:		said that all it had has ended, and was not counted since
 * @blocked:		was given the machine for blocked_us and did not use it
 * @doubted:		was found so, and nothing was seen of it since
 * @boosted:		starved: its effective priority is GPREEMPT_BOOST
 * @served:		some were taken off for it, and it wanted more ever since
 * @awake:		had work that could run at the last scan
 * @begun:		has, and had none at the scan before
 * @turn:		it is its turn on its level
 *
 * Owned by the policies, but for @resident_since_ns, which the commit room sets
 * when it resumes; zeroed when the queue is created and when the monitor is
 * enabled. A time is in ns of the view's clock, 0 means that it does not run.
 */
struct gpreempt_history {
	u64 rptr;
	u64 wptr;
	u64 moved_ns;
	u64 given_since_ns;
	u64 waiting_since_ns;
	u64 resident_since_ns;
	u64 executed_since_ns;
	u64 blocked_ns;
	u64 busy_since_ns;
	u64 span_ns;
	u64 ended_ns;
	u64 pause_ns;
	u64 scanned_ns;
	u64 turn_ns;
	u64 turned_ns;
	u64 void_hint_ns;
	bool seen;
	bool backlog;
	bool waited;
	bool done;
	bool fresh;
	bool passed;
	bool restored;
	bool busy;
	bool claimed;
	bool blocked;
	bool doubted;
	bool boosted;
	bool served;
	bool awake;
	bool begun;
	bool turn;
};

/**
 * struct gpreempt_queue_view - one queue as the scan saw it
 * @hist:	the queue's history
 * @priority:	permitted priority, 0 to 15: after cap and ceiling
 * @timeslice_us: length of its turn on its level; 0: the level's
 * @preempted:	taken off by GPREEMPT
 * @mapped:	in the runlist (active); never together with @preempted
 * @held:	explicitly kept off until released: never resumed by a policy,
 *		taken off by every policy if it is @mapped
 * @asked:	explicitly to be taken off once. Whoever asked clears it when it
 *		is off; it comes back as any other preempted queue
 * @hint_ns:	when work was announced for, in the view's clock; 0: none was
 * @hint_end_ns: when that work is expected to be over
 * @pinned:	must not be a victim now (GWS, debugger, ...)
 * @readable:	indices could be read
 * @rptr:	64-bit read index in packets. Read it before @wptr
 * @wptr:	64-bit write index in packets
 * @size:	ring size in packets
 * @head:	packet at @rptr
 * @signal:	completion signal of the packet before @wptr; unknown while that
 *		packet is reserved only
 * @ordered:	that packet does not begin before all earlier ones have ended, and
 *		waves can be counted if that has to be checked
 * @previous:	completion signal of the packet before @rptr, if @head waits
 * @waves:	waves in flight, or GPREEMPT_WAVES_UNKNOWN: not read, or the queue
 *		is mapped but in no hardware slot, where its waves may be saved
 * @late:	the read index moved, or the signal changed, after it was read for the first
 *		time: @waves may be older
 * @demand:	waves of the packet at @rptr, 0: unknown
 * @save_cost_ns: measured cost of saving it, 0 when never saved
 * @state:	out: classification
 * @effective:	out: priority after ageing
 * @wants:	out: could use more of the machine than it has, now
 * @announced:	out: it wants the machine for announced work only
 * @matters:	out, with &gpreempt_plan.need_waves too: it may want or hold the
 *		machine, so its waves are to be counted
 * @presumed:	out: taken to run although its waves are not counted
 * @ended:	out: taken to have ended all it had although they are not
 * @backlog:	out: valid packets the GPU has not consumed
 * @reason:	out: why it is on the plan
 */
struct gpreempt_queue_view {
	struct gpreempt_history *hist;
	u8 priority;
	u32 timeslice_us;
	bool preempted;
	bool mapped;
	bool held;
	bool asked;
	bool pinned;
	bool readable;
	u64 rptr;
	u64 wptr;
	u32 size;
	enum gpreempt_head head;
	enum gpreempt_signal signal;
	bool ordered;
	enum gpreempt_signal previous;
	int waves;
	bool late;
	u32 demand;
	u64 save_cost_ns;
	u64 hint_ns;
	u64 hint_end_ns;
	enum gpreempt_queue_state state;
	u8 effective;
	bool wants;
	bool announced;
	bool matters;
	bool presumed;
	bool ended;
	u32 backlog;
	enum gpreempt_reason reason;
};

/**
 * struct gpreempt_view - a node's queues at one moment
 * @now_ns:	time of the scan
 * @save_wave_ns: what saving one wave costs on this node, 0: never measured
 * @waves_final: the wave counts were read: what is unknown stays unknown
 * @nr:		queues in @q
 * @q:		the queues
 */
struct gpreempt_view {
	u64 now_ns;
	u64 save_wave_ns;
	bool waves_final;
	unsigned int nr;
	struct gpreempt_queue_view *q;
};

/**
 * struct gpreempt_tunables - snapshot of a node's tunables, taken once a scan
 * @poll_interval_us:	time between two scans
 * @starvation_ms:	no queue with work is kept from executing for longer
 * @min_residency_us:	no queue is preempted sooner after it was mapped
 * @blocked_us:		who is given the machine and does not use it for so long
 *			is blocked
 * @preempt_timeout_ms:	a preemption that takes longer is late
 * @timeslice_us:	per level: how long a queue's turn is where queues of the
 *			level take turns (policy timeslice); 0: they do not
 */
struct gpreempt_tunables {
	u32 poll_interval_us;
	u32 starvation_ms;
	u32 min_residency_us;
	u32 blocked_us;
	u32 preempt_timeout_ms;
	u32 timeslice_us[GPREEMPT_LEVELS];
};

/**
 * struct gpreempt_plan - what to do, all in one transaction
 * @need_waves:	no decision without wave counts: read them where they matter, set
 *		&gpreempt_view.waves_final and decide again with the same view.
 *		The rest of the plan and of the view's out fields is not valid, and
 *		no history has changed
 * @idle:	no queue that is mapped, or preempted and not held, has work: the
 *		monitor may park. Others come back by a change of the runlist
 * @waiting:	somebody waits: for the machine, its turn, or announced work. Time
 *		alone may change the plan
 * @next_ns:	when to decide again, however long the interval is: the machine is to be
 *		freed for announced work, or somebody has been there for as long as it is
 *		left there; 0: there is no such time
 * @nr_preempt:	queues whose verdict is GPREEMPT_PREEMPT
 * @nr_resume:	queues whose verdict is GPREEMPT_RESUME
 * @verdict:	per queue of the view: what to do (caller's array of view->nr)
 */
struct gpreempt_plan {
	bool need_waves;
	bool idle;
	bool waiting;
	u64 next_ns;
	unsigned int nr_preempt;
	unsigned int nr_resume;
	enum gpreempt_verdict *verdict;
};

/**
 * struct gpreempt_policy - a policy, known by its name
 * @name:	as sysfs shows it
 * @preempts:	takes lower queues off for higher ones; if not, it only watches
 *		and does what it is asked to
 * @rotates:	queues of one level take turns
 */
struct gpreempt_policy {
	const char *name;
	bool preempts;
	bool rotates;
};

const struct gpreempt_policy *gpreempt_policy_find(const char *name);
const struct gpreempt_policy *gpreempt_policy_get(unsigned int index);
void gpreempt_decide(const struct gpreempt_policy *policy, struct gpreempt_view *view,
		     const struct gpreempt_tunables *tun, struct gpreempt_plan *plan);
bool gpreempt_may_contend(const struct gpreempt_policy *policy,
			  const struct gpreempt_view *view,
			  const struct gpreempt_tunables *tun);

#endif /* KFD_GPREEMPT_POLICY_H_INCLUDED */
