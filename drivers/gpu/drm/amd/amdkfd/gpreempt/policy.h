/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT policies: which group's turn it is on a level. A policy says so in numbers; what
 * follows from them, and all that no policy may break, is select's. So is that levels go by
 * priority.
 */
#ifndef GPREEMPT_POLICY_H_INCLUDED
#define GPREEMPT_POLICY_H_INCLUDED

#include "select.h"

/**
 * struct gpreempt_party - a group on a level, as a policy sees it
 * @now_ns:	time of the scan
 * @share:	what the group is entitled to
 * @turn:	what it has had of its turn on the level
 * @clock:	the policy's word of the level
 * @turn_own:	its words of the group on the level
 * @own:	its words of the group
 *
 * The policy's words are zeroed when it comes.
 */
struct gpreempt_party {
	u64 now_ns;
	const struct gpreempt_share *share;
	const struct gpreempt_turn *turn;
	u64 *clock;
	u64 *turn_own;
	u64 *own;
};

/**
 * struct gpreempt_policy - a policy, known by its name
 * @name:	as sysfs shows it
 * @passive:	takes nothing off but what is asked for: it only watches
 * @slice_ns:	how long is a queue's turn, if it takes turns on its level? Its group's is the
 *		longest of its queues'. NULL: there are none
 * @key:	of groups that take turns the one with the least key is next, whose turn is over
 *		included. NULL: all are alike
 * @not_before_ns: it has no turn before that time, but ends the one that it has. 0: it has no
 *		such time, now or later. NULL: none has
 * @charge:	a group had the machine for so long, on the level; and so much of that is not
 *		charged yet on another
 * @wake:	it has work on the level, as it had not at the last scan, or might not run it
 *
 * A policy has no side effects but, in @charge and @wake, on its own words. What it returns is
 * clamped, so that it may be unfair, never unsafe.
 */
struct gpreempt_policy {
	const char *name;
	bool passive;
	u64 (*slice_ns)(const struct gpreempt_terms *terms, u32 level_us);
	u64 (*key)(const struct gpreempt_party *p);
	u64 (*not_before_ns)(const struct gpreempt_party *p);
	void (*charge)(const struct gpreempt_party *p, u64 ns, u64 group_ns);
	void (*wake)(const struct gpreempt_party *p);
};

extern const struct gpreempt_policy gpreempt_none;
extern const struct gpreempt_policy gpreempt_strict;
extern const struct gpreempt_policy gpreempt_timeslice;
extern const struct gpreempt_policy gpreempt_fair;

const struct gpreempt_policy *gpreempt_policy_find(const char *name);
const struct gpreempt_policy *gpreempt_policy_get(unsigned int index);
struct gpreempt_party gpreempt_party(struct gpreempt_view *view, struct gpreempt_group *group,
				     unsigned int level);
void gpreempt_policy_rank(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			  const struct gpreempt_tunables *tun, struct gpreempt_queue_view *q);
void gpreempt_policy_place(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			   const struct gpreempt_tunables *tun, struct gpreempt_queue_view *q);

#endif /* GPREEMPT_POLICY_H_INCLUDED */
