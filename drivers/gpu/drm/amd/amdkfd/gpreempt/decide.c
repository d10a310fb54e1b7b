// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT decide: the order of the rooms. The policy ranks each queue, estimate tells what it
 * is doing, select makes a plan of that, and estimate remembers what came of it.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "decide.h"

/*
 * Announced work finds the machine free if the lower queues are taken off as much earlier
 * as a save takes, and a scan may be late. One that is off already counts too, and so stays
 * off until then.
 */
static u64 lead_ns(const struct gpreempt_view *view, const struct gpreempt_tunables *tun)
{
	u64 cost = 0;
	unsigned int i;

	for (i = 0; i < view->nr; i++)
		if (gpreempt_takes_part(&view->q[i]))
			cost = max(cost, gpreempt_save_cost(view, &view->q[i]));
	return cost + (u64)tun->poll_interval_us * NSEC_PER_USEC / 4;
}

/**
 * gpreempt_decide - what to take off the hardware, and what to put back
 * @policy: which ranks the queues
 * @view: the queues
 * @tun: the tunables
 * @plan: filled in
 *
 * Called by the monitor only, never concurrently for a node.
 */
void gpreempt_decide(const struct gpreempt_policy *policy, struct gpreempt_view *view,
		     const struct gpreempt_tunables *tun, struct gpreempt_plan *plan)
{
	unsigned int i;

	for (i = 0; i < view->nr; i++)
		gpreempt_policy_rank(policy, tun, &view->q[i]);
	view->lead_ns = lead_ns(view, tun);
	if (gpreempt_need_waves(policy, view, tun)) {
		*plan = (struct gpreempt_plan) { .need_waves = true };
		for (i = 0; i < view->nr; i++)
			view->q[i].out.verdict = GPREEMPT_KEEP;
		return;
	}
	for (i = 0; i < view->nr; i++)
		gpreempt_estimate(view, tun, policy->passive, &view->q[i]);
	gpreempt_select(view, tun, policy->passive, plan);
	for (i = 0; i < view->nr; i++)
		gpreempt_learn(view, &view->q[i], plan->makes_room);
}

/**
 * gpreempt_may_contend - could anything have to be decided?
 * @policy: which would rank the queues
 * @view: the queues; only whether they are there and on what terms is looked at
 * @tun: the tunables
 *
 * Return: false if no work of these queues, whenever it comes, would make the
 * policy do anything.
 */
bool gpreempt_may_contend(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			  const struct gpreempt_tunables *tun)
{
	u32 levels = 0, turns = 0;
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];
		u32 level;

		gpreempt_policy_rank(policy, tun, q);
		level = BIT(q->rank.level);
		if (q->seen.mapped && !q->terms.pinned && (q->terms.held || q->terms.asked))
			return true;
		if (!gpreempt_takes_part(q))
			continue;
		if (q->seen.preempted || (levels & ~level))
			return true;
		levels |= level;
		if (!q->rank.slice_ns || q->terms.pinned)
			continue;
		if (turns & level)
			return true;
		turns |= level;
	}
	return false;
}
