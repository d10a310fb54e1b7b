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
 * struct gpreempt_policy - a policy, known by its name
 * @name:	as sysfs shows it
 * @passive:	takes nothing off but what is asked for: it only watches
 * @slice_ns:	how long is a queue's turn, if it takes turns on its level? Its group's is the
 *		longest of its queues'. NULL: there are none
 * @key:	of groups that take turns the one with the least key is next, whose turn is over
 *		included. NULL: all are alike
 *
 * A policy has no side effects. What it returns is clamped, so that it may be unfair, never
 * unsafe.
 */
struct gpreempt_policy {
	const char *name;
	bool passive;
	u64 (*slice_ns)(const struct gpreempt_terms *terms, u32 level_us);
	u64 (*key)(const struct gpreempt_turn *turn);
};

extern const struct gpreempt_policy gpreempt_none;
extern const struct gpreempt_policy gpreempt_strict;
extern const struct gpreempt_policy gpreempt_timeslice;

const struct gpreempt_policy *gpreempt_policy_find(const char *name);
const struct gpreempt_policy *gpreempt_policy_get(unsigned int index);
void gpreempt_policy_rank(const struct gpreempt_policy *policy,
			  const struct gpreempt_tunables *tun, struct gpreempt_queue_view *q);

#endif /* GPREEMPT_POLICY_H_INCLUDED */
