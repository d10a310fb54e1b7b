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
	const u64 *clock;
	const u64 *turn_own;
	const u64 *own;
};

/**
 * struct gpreempt_words - the same words, for a policy that is told something
 * @clock:	its word of the level
 * @turn_own:	its words of the group on the level
 * @own:	its words of the group
 */
struct gpreempt_words {
	u64 *clock;
	u64 *turn_own;
	u64 *own;
};

/**
 * struct gpreempt_policy - a policy, known by its name
 * @name:	as sysfs shows it
 * @passive:	takes a queue off only where that is asked for, and else watches
 * @slice_ns:	how long is a queue's turn, if it takes turns on its level? Its group's is the
 *		longest of its queues'. NULL: there are none
 * @key:	among groups that take turns, the one with the least key goes next; the group
 *		whose turn has just ended competes too. NULL: all are alike
 * @not_before_ns: no new turn of a group starts before that time; one in progress is finished.
 *		0: it has no such time, now or later. NULL: none has
 * @charge:	a group had the machine on the level for @ns; @group_ns is the part of it that was
 *		not yet charged on another level
 * @wake:	a group has work on the level that it lacked, or was not allowed to run, at the
 *		last scan
 *
 * @slice_ns, @key and @not_before_ns are asked, and change nothing; @charge and @wake are told,
 * and may write the policy's own words. What a policy returns is clamped, so that it may be
 * unfair, never unsafe.
 */
struct gpreempt_policy {
	const char *name;
	bool passive;
	u64 (*slice_ns)(const struct gpreempt_terms *terms, u32 level_us);
	u64 (*key)(const struct gpreempt_party *p);
	u64 (*not_before_ns)(const struct gpreempt_party *p);
	void (*charge)(const struct gpreempt_party *p, const struct gpreempt_words *w, u64 ns,
		       u64 group_ns);
	void (*wake)(const struct gpreempt_party *p, const struct gpreempt_words *w);
};

extern const struct gpreempt_policy gpreempt_none;
extern const struct gpreempt_policy gpreempt_strict;
extern const struct gpreempt_policy gpreempt_timeslice;
extern const struct gpreempt_policy gpreempt_fair;

const struct gpreempt_policy *gpreempt_policy_find(const char *name);
const struct gpreempt_policy *gpreempt_policy_get(unsigned int index);
struct gpreempt_party gpreempt_party(const struct gpreempt_view *view,
				     const struct gpreempt_group *group, unsigned int level);
struct gpreempt_words gpreempt_words(struct gpreempt_view *view, struct gpreempt_group *group,
				     unsigned int level);
void gpreempt_policy_comes(const struct gpreempt_policy *policy, struct gpreempt_view *view);
struct gpreempt_rank gpreempt_policy_rank(const struct gpreempt_policy *policy,
					  const struct gpreempt_terms *terms,
					  const struct gpreempt_tunables *tun);
void gpreempt_policy_place(const struct gpreempt_policy *policy, const struct gpreempt_view *view,
			   const struct gpreempt_group *group, const struct gpreempt_tunables *tun,
			   struct gpreempt_rank *rank);

#endif /* GPREEMPT_POLICY_H_INCLUDED */
