// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policies: the list of them, and what stands between them and the core.
 */
#include <linux/array_size.h>
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

/* A group on a level, as a policy that is asked sees it. */
static struct gpreempt_party party_of(const struct gpreempt_view *view,
				      const struct gpreempt_group *group, unsigned int level)
{
	struct gpreempt_party p = {
		.now_ns = view->now_ns,
		.share = &group->share,
		.turn = &group->turn[level],
		.clock = view->clock[level],
	};

	memcpy(p.turn_own, group->turn[level].own, sizeof(p.turn_own));
	memcpy(p.own, group->own, sizeof(p.own));
	return p;
}

/* Keep the words of a policy that was told something. */
static void keep_words(const struct gpreempt_party *p, struct gpreempt_view *view,
		       struct gpreempt_group *group, unsigned int level)
{
	view->clock[level] = p->clock;
	memcpy(group->turn[level].own, p->turn_own, sizeof(p->turn_own));
	memcpy(group->own, p->own, sizeof(p->own));
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
	u64 us = terms->timeslice_us ?: tun->timeslice_us[level];

	return (struct gpreempt_rank) {
		.level = level,
		.slice_ns = policy->turns ? us * NSEC_PER_USEC : 0,
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
	struct gpreempt_party p = party_of(view, group, rank->level);

	if (policy->key)
		rank->key = policy->key(&p);
	if (policy->not_before_ns)
		rank->not_before_ns = min(policy->not_before_ns(&p), latest);
}

/**
 * gpreempt_policy_charge - a group had the machine
 * @policy: which is told so
 * @view: the scan
 * @group: the group
 * @level: on which level
 * @ns: for so long
 * @group_ns: the part of it that was not yet charged on another level
 */
void gpreempt_policy_charge(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			    struct gpreempt_group *group, unsigned int level, u64 ns, u64 group_ns)
{
	struct gpreempt_party p = party_of(view, group, level);

	policy->charge(&p, ns, group_ns);
	keep_words(&p, view, group, level);
}

/**
 * gpreempt_policy_wake - a group has work that it lacked, or was not allowed to run
 * @policy: which is told so
 * @view: the scan
 * @group: the group
 * @level: on which level
 */
void gpreempt_policy_wake(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			  struct gpreempt_group *group, unsigned int level)
{
	struct gpreempt_party p = party_of(view, group, level);

	policy->wake(&p);
	keep_words(&p, view, group, level);
}
