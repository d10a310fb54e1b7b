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
 * gpreempt_party - a group on a level, as a policy sees it
 * @view: the scan
 * @group: the group
 * @level: the level
 */
struct gpreempt_party gpreempt_party(struct gpreempt_view *view, struct gpreempt_group *group,
				     unsigned int level)
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

/* No policy takes another one's words for its own. */
static void own_words(const struct gpreempt_policy *policy, struct gpreempt_view *view,
		      struct gpreempt_group *g)
{
	struct gpreempt_share share = g->share;

	if (view->policy != policy) {
		view->policy = policy;
		memset(view->clock, 0, sizeof(view->clock));
	}
	if (g->policy != policy)
		memset(g, 0, sizeof(*g));
	g->share = share;
	g->policy = policy;
}

/**
 * gpreempt_policy_rank - on which level is a queue, and how long is its turn there?
 * @policy: by which policy
 * @view: the scan
 * @tun: the tunables
 * @q: the queue; its rank is filled in, and what its group has had of its turn there found
 */
void gpreempt_policy_rank(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			  const struct gpreempt_tunables *tun, struct gpreempt_queue_view *q)
{
	u8 level = min_t(u8, q->terms.priority, GPREEMPT_LEVELS - 1);

	own_words(policy, view, q->group);
	q->turn = &q->group->turn[level];
	q->rank = (struct gpreempt_rank) { .level = level };
	if (policy->slice_ns)
		q->rank.slice_ns = policy->slice_ns(&q->terms, tun->timeslice_us[level]);
}

/**
 * gpreempt_policy_place - when is the turn of a queue's group?
 * @policy: by which policy
 * @view: the scan
 * @tun: the tunables
 * @q: the queue, ranked; the rest of its rank is filled in
 *
 * None is to wait for longer than rule 3, starvation, lets it, nor the monitor to look for it
 * later.
 */
void gpreempt_policy_place(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			   const struct gpreempt_tunables *tun, struct gpreempt_queue_view *q)
{
	u64 latest = view->now_ns + (u64)tun->starvation_ms * NSEC_PER_MSEC;
	struct gpreempt_party p = gpreempt_party(view, q->group, q->rank.level);

	if (policy->key)
		q->rank.key = policy->key(&p);
	if (policy->not_before_ns)
		q->rank.not_before_ns = min(policy->not_before_ns(&p), latest);
}
