/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT policies: which group's turn it is on a level. A policy says so in numbers; what follows
 * from them, and all that no policy may break, is select's. So is that levels go by priority.
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
 * @passive:	takes a queue off only where that is asked for, and else watches
 * @turns:	groups take turns on a level, where it gives them a length. A group's turn is as
 *		long as the longest of its queues'
 * @key:	among groups that take turns, the one with the least key goes next; the group
 *		whose turn has just ended competes too. NULL: all are alike
 * @not_before_ns: no new turn of a group starts before that time; one in progress is finished.
 *		0: it has no such time, now or later. NULL: none has
 * @charge:	a group had the machine on the level for @ns; @group_ns is the part of it that was
 *		not yet charged on another level
 * @wake:	a group has work on the level that it lacked, or was not allowed to run, at the
 *		last scan
 *
 * @key and @not_before_ns are asked, and change nothing; @charge and @wake are told,
 * and may write the policy's own words. What a policy returns is clamped, so that it may be
 * unfair, never unsafe.
 */
struct gpreempt_policy {
	const char *name;
	bool passive;
	bool turns;
	u64 (*key)(const struct gpreempt_party *p);
	u64 (*not_before_ns)(const struct gpreempt_party *p);
	void (*charge)(struct gpreempt_party *p, u64 ns, u64 group_ns);
	void (*wake)(struct gpreempt_party *p);
};

extern const struct gpreempt_policy gpreempt_none;
extern const struct gpreempt_policy gpreempt_strict;
extern const struct gpreempt_policy gpreempt_timeslice;
extern const struct gpreempt_policy gpreempt_fair;
/* All of them, and then NULL. */
extern const struct gpreempt_policy *const gpreempt_policies[];

const struct gpreempt_policy *gpreempt_policy_find(const char *name);
struct gpreempt_party gpreempt_policy_party(struct gpreempt_view *view,
					    struct gpreempt_group *group, unsigned int level);
struct gpreempt_rank gpreempt_policy_rank(struct gpreempt_view *view,
					  const struct gpreempt_queue_view *q);

/* decide.c */
void gpreempt_decide(struct gpreempt_view *view, struct gpreempt_plan *plan);
void gpreempt_skip(struct gpreempt_view *view, struct gpreempt_plan *plan);
bool gpreempt_may_contend(struct gpreempt_view *view);

#endif /* GPREEMPT_POLICY_H_INCLUDED */
