// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policies: the list of them, and what stands between them and the core.
 */
#include <linux/array_size.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "policy.h"

static const struct gpreempt_policy *const policies[] = {
	&gpreempt_none,
	&gpreempt_strict,
	&gpreempt_timeslice,
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
 * gpreempt_policy_rank - place a queue
 * @policy: by which policy
 * @tun: the tunables
 * @q: the queue; its rank is filled in, and what its group has had of its turn there found
 */
void gpreempt_policy_rank(const struct gpreempt_policy *policy,
			  const struct gpreempt_tunables *tun, struct gpreempt_queue_view *q)
{
	u8 level = min_t(u8, q->terms.priority, GPREEMPT_LEVELS - 1);

	q->turn = &q->group->turn[level];
	q->rank = (struct gpreempt_rank) {
		.level = level,
		.key = policy->key ? policy->key(q->turn) : 0,
	};
	if (policy->slice_ns)
		q->rank.slice_ns = policy->slice_ns(&q->terms, tun->timeslice_us[level]);
}
