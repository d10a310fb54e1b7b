// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policies: the list of them, and what stands between them and the core.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "policy.h"

/* Watches and counts, and does what it is asked to. */
const struct gpreempt_policy gpreempt_none = {
	.name = "none",
	.passive = true,
};

/* The queue of the highest priority goes first, and that is all. */
const struct gpreempt_policy gpreempt_strict = {
	.name = "strict",
};

const struct gpreempt_policy *const gpreempt_policies[] = {
	&gpreempt_none,
	&gpreempt_strict,
	&gpreempt_timeslice,
	&gpreempt_fair,
	NULL
};

/**
 * gpreempt_policy_find - look a policy up by its name
 * @name: as sysfs shows it; a trailing newline is ignored
 *
 * Return: the policy, or NULL if there is none of that name.
 */
const struct gpreempt_policy *gpreempt_policy_find(const char *name)
{
	unsigned int i;

	for (i = 0; gpreempt_policies[i]; i++)
		if (sysfs_streq(name, gpreempt_policies[i]->name))
			break;
	return gpreempt_policies[i];
}

/**
 * gpreempt_policy_party - a group on a level, as a policy sees it
 * @view: the scan
 * @group: the group
 * @level: the level
 */
struct gpreempt_party gpreempt_policy_party(struct gpreempt_view *view,
					    struct gpreempt_group *group, unsigned int level)
{
	return (struct gpreempt_party) {
		.now_ns = view->now_ns,
		.share = &group->share,
		.turn = &group->turn[level],
		.clock = &view->clock[level],
		.turn_own = group->turn[level].own,
		.own = group->own,
	};
}

/**
 * gpreempt_policy_rank - where is a queue, and when is its group's turn there?
 * @view: the scan
 * @q: the queue
 *
 * No group waits for longer than rule 3, starvation, allows, nor does the monitor look for it
 * later.
 */
struct gpreempt_rank gpreempt_policy_rank(struct gpreempt_view *view,
					  const struct gpreempt_queue_view *q)
{
	const struct gpreempt_policy *policy = view->policy;
	u64 latest = view->now_ns + (u64)view->tun.starvation_ms * NSEC_PER_MSEC;
	u8 level = min_t(u8, q->terms.priority, GPREEMPT_LEVELS - 1);
	u64 us = q->terms.timeslice_us ?: view->tun.timeslice_us[level];
	struct gpreempt_party p = gpreempt_policy_party(view, q->group, level);

	return (struct gpreempt_rank) {
		.level = level,
		.slice_ns = policy->turns && !q->terms.pinned ? us * NSEC_PER_USEC : 0,
		.key = policy->key ? policy->key(&p) : 0,
		.not_before_ns = policy->not_before_ns ?
				 min(policy->not_before_ns(&p), latest) : 0,
	};
}
