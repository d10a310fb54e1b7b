// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policies: the list of them, and what stands between them and the core.
 */
#include <linux/array_size.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "policy.h"

static const struct gpreempt_policy *const policies[] = {
	&gpreempt_none,
	&gpreempt_strict,
	&gpreempt_timeslice,
	&gpreempt_fair,
};

/**
 * gpreempt_policy_get - list the policies
 * @index: from 0
 *
 * Return: the policy, or NULL past the last one.
 */
const struct gpreempt_policy *gpreempt_policy_get(unsigned int index)
{
	return index < ARRAY_SIZE(policies) ? policies[index] : NULL;
}

/**
 * gpreempt_policy_find - look a policy up by its name
 * @name: as sysfs shows it; a trailing newline is ignored
 *
 * Return: the policy, or NULL if there is none of that name.
 */
const struct gpreempt_policy *gpreempt_policy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (sysfs_streq(name, policies[i]->name))
			return policies[i];
	return NULL;
}

/**
 * gpreempt_party - a group on a level, as a policy that is asked sees it
 * @view: the scan
 * @group: the group
 * @level: the level
 */
struct gpreempt_party gpreempt_party(const struct gpreempt_view *view,
				     const struct gpreempt_group *group, unsigned int level)
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
 * gpreempt_words - what a policy may write of a group on a level
 * @view: the scan
 * @group: the group
 * @level: the level
 */
struct gpreempt_words gpreempt_words(struct gpreempt_view *view, struct gpreempt_group *group,
				     unsigned int level)
{
	return (struct gpreempt_words) {
		.clock = &view->clock[level],
		.turn_own = group->turn[level].own,
		.own = group->own,
	};
}

/* A group's share is not the policy's to change. */
static void clear_group(struct gpreempt_group *g, const struct gpreempt_policy *policy)
{
	struct gpreempt_share share = g->share;

	if (g->policy != policy)
		memset(g, 0, sizeof(*g));
	g->share = share;
	g->policy = policy;
}

/**
 * gpreempt_policy_comes - clear what another policy has left
 * @policy: the one that is in force now
 * @view: the scan
 *
 * A policy never sees another one's words. If it was in force before, nothing changes.
 */
void gpreempt_policy_comes(const struct gpreempt_policy *policy, struct gpreempt_view *view)
{
	struct gpreempt_queue_view *q;

	if (view->policy != policy) {
		view->policy = policy;
		memset(view->clock, 0, sizeof(view->clock));
	}
	gpreempt_for_each(q, view)
		clear_group(q->group, policy);
}

/**
 * gpreempt_policy_rank - on which level is a queue, and how long is its turn there?
 * @policy: by which policy
 * @terms: on which the queue is served
 * @tun: the tunables
 *
 * Return: its rank, not yet placed among those of its level.
 */
struct gpreempt_rank gpreempt_policy_rank(const struct gpreempt_policy *policy,
					  const struct gpreempt_terms *terms,
					  const struct gpreempt_tunables *tun)
{
	u8 level = min_t(u8, terms->priority, GPREEMPT_LEVELS - 1);

	return (struct gpreempt_rank) {
		.level = level,
		.slice_ns = policy->slice_ns ?
			    policy->slice_ns(terms, tun->timeslice_us[level]) : 0,
	};
}

/**
 * gpreempt_policy_place - when is the turn of a queue's group?
 * @policy: by which policy
 * @view: the scan
 * @group: the group
 * @tun: the tunables
 * @rank: the queue's, whose level is known; the rest of it is filled in
 *
 * No group waits for longer than rule 3, starvation, allows, nor does the monitor look for it
 * later.
 */
void gpreempt_policy_place(const struct gpreempt_policy *policy, const struct gpreempt_view *view,
			   const struct gpreempt_group *group, const struct gpreempt_tunables *tun,
			   struct gpreempt_rank *rank)
{
	u64 latest = view->now_ns + (u64)tun->starvation_ms * NSEC_PER_MSEC;
	struct gpreempt_party p = gpreempt_party(view, group, rank->level);

	if (policy->key)
		rank->key = policy->key(&p);
	if (policy->not_before_ns)
		rank->not_before_ns = min(policy->not_before_ns(&p), latest);
}
