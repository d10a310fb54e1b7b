/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT groups: a process's queues on a node, however many, or those of all processes in a
 * cgroup. Rule 13, by process: turns and time go by group.
 */
#ifndef GPREEMPT_GROUP_H_INCLUDED
#define GPREEMPT_GROUP_H_INCLUDED

#include "evidence.h"
#include "lot.h"

#define GPREEMPT_OWN_WORDS	2

struct gpreempt_policy;
struct gpreempt_queue_view;
struct gpreempt_view;

/**
 * struct gpreempt_linger - for how long does a group keep others off that has ended on a level, or
 *	works on there and wants no more?
 * @idle_ns:	seen without work since; 0: it had some at the last scan, or never
 * @wanted_ns:	wanted more of the machine last; 0: never
 * @began_ns:	began something last; 0: never
 * @linger_ns:	for so long after its end
 * @quiet_ns:	for so long after it wanted more last, if that is longer than 10 ms
 * @pause_ns:	how long it had no work, before that which it has now
 * @spent_ns:	so much of the time is spent: lingers that ended in a return are to be 2 % of it
 * @back_ns:	lower queues that had waited for it came back then; 0: that was judged
 * @worked:	while it was at work
 * @cut:	or before the linger was over, as no more of the time was left for it
 */
struct gpreempt_linger {
	u64 idle_ns;
	u64 wanted_ns;
	u64 began_ns;
	u64 linger_ns;
	u64 quiet_ns;
	u64 pause_ns;
	u64 spent_ns;
	u64 back_ns;
	bool worked;
	bool cut;
};

/**
 * struct gpreempt_turn - what has a group had of its turn on a level?
 * @has:	it is its turn
 * @awake:	at the last scan it had work there that it might run
 * @had_ns:	of it so far
 * @since_ns:	a queue of it was on the machine then, in its turn, raised, or at work without
 *		one; 0: none was
 * @last_ns:	when it had its turn last, 0: it never had
 * @seen_ns:	the last scan that saw a queue of it there
 * @slice_ns:	length of its turn: the longest of its queues'
 * @restoring:	none was, but one was put back
 * @resident_ns: of the scan under way, as those that follow: the first of these is mapped
 *		since, U64_MAX: none is
 * @gets:	it is its turn from now on
 * @begins:	and that is a new one
 * @stays:	a queue of it stays on the machine, in its turn, raised, or at work without one
 * @comes_back: one is put back
 * @wants:	it has work there that it may run
 * @ran_ns:	a queue of it was seen executing there last; 0: never
 * @linger:	when do lower queues come back?
 * @own:	the policy's
 *
 * A turn goes on while a queue is mapped, from scan to scan or from the resume. What is charged
 * is from the scan that gave it: with the save that was made for it.
 */
struct gpreempt_turn {
	bool has;
	bool awake;
	u64 had_ns;
	u64 since_ns;
	u64 last_ns;
	u64 seen_ns;
	u64 slice_ns;
	bool restoring;
	u64 resident_ns;
	bool gets;
	bool begins;
	bool stays;
	bool comes_back;
	bool wants;
	u64 ran_ns;
	struct gpreempt_linger linger;
	u64 own[GPREEMPT_OWN_WORDS];
};

/**
 * struct gpreempt_group - the queues of a process, or of a cgroup, on a node
 * @share:	what it is entitled to
 * @policy:	whose words its own are
 * @charged_ns:	its time was charged until then, on one level or another
 * @helped_ns:	a queue of it was helped last, as it had starved; 0: never
 * @levels:	those on which some of it is to be charged yet, as bits
 * @own:	the policy's
 * @turn:	on each level
 *
 * Zeroed when it is made, with each &kfd_gpreempt.epoch and, but for @share, when the policy
 * changes. It goes with the process, or the last queue in the cgroup.
 */
struct gpreempt_group {
	struct gpreempt_share share;
	const struct gpreempt_policy *policy;
	u64 charged_ns;
	u64 helped_ns;
	u32 levels;
	u64 own[GPREEMPT_OWN_WORDS];
	struct gpreempt_turn turn[GPREEMPT_LEVELS];
};

void gpreempt_group_rank(struct gpreempt_view *view);
void gpreempt_group_learn(struct gpreempt_view *view);

#endif /* GPREEMPT_GROUP_H_INCLUDED */
