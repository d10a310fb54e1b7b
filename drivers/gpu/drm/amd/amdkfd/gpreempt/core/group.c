// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT groups: the tracker of their turns. The functions walk queues, and so meet a group once
 * for each of its queues: every step changes nothing when it is repeated.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "policy.h"

/* The most that one charge is, some 18 minutes: so no policy has to think of an overflow. */
#define CHARGE_MAX_NS	BIT_ULL(40)

/* A policy never sees another one's words. A group's share is no policy's to change. */
static void policy_comes(struct gpreempt_view *view)
{
	struct gpreempt_queue_view *q;

	if (view->clock_of != view->policy) {
		view->clock_of = view->policy;
		memset(view->clock, 0, sizeof(view->clock));
	}
	gpreempt_for_each(q, view) {
		struct gpreempt_share share = q->group->share;

		if (q->group->policy == view->policy)
			continue;
		memset(q->group, 0, sizeof(*q->group));
		q->group->share = share;
		q->group->policy = view->policy;
	}
}

/* A turn that the last scan did not see is over: the group had no queue on the level then. */
static void turn_open(struct gpreempt_turn *t, u64 last_scan_ns)
{
	if (t->seen_ns != last_scan_ns) {
		t->has = false;
		t->awake = false;
		t->since_ns = 0;
	}
	t->slice_ns = 0;
	t->resident_ns = U64_MAX;
	t->gets = false;
	t->stays = false;
	t->comes_back = false;
	t->wants = false;
}

/* From the last scan on, or from when the first of its queues was put back. */
static void turn_goes_on(struct gpreempt_turn *t, u64 now)
{
	u64 from = t->restoring ? t->resident_ns : t->since_ns;

	t->begins = false;
	if (!t->since_ns)
		return;
	if (from < now)
		t->had_ns += now - from;
	t->since_ns = now;
	t->restoring = false;
}

/* Of the group's time what was not charged on another level. */
static void charge(struct gpreempt_view *view, struct gpreempt_group *g, unsigned int level)
{
	u64 now = view->now_ns, since = g->turn[level].since_ns;
	u64 group_since = max(since, g->charged_ns);
	struct gpreempt_party p;

	g->levels &= ~BIT(level);
	if (!view->policy->charge || !since || since >= now)
		return;
	p = gpreempt_policy_party(view, g, level);
	view->policy->charge(&p, min(now - since, CHARGE_MAX_NS),
			     group_since < now ? min(now - group_since, CHARGE_MAX_NS) : 0);
	g->charged_ns = now;
}

/* Charge the time that a group had on levels which it has left: leaving one is no way out. */
static void charge_left(struct gpreempt_view *view, struct gpreempt_group *g)
{
	unsigned int level;

	while (g->levels) {
		level = fls64(g->levels) - 1;
		if (g->turn[level].seen_ns != view->seen_ns)
			g->turn[level].since_ns = 0;
		charge(view, g, level);
		g->turn[level].since_ns = 0;
	}
}

/**
 * gpreempt_group_rank - where does each queue stand, and what has its group had of its turn?
 * @view: the queues; their ranks are filled in
 *
 * Once more for the same scan it changes nothing. A policy without turns needs none of this,
 * and pays for none.
 */
void gpreempt_group_rank(struct gpreempt_view *view)
{
	struct gpreempt_queue_view *q;

	policy_comes(view);
	gpreempt_for_each(q, view) {
		q->rank = gpreempt_policy_rank(view, q);
		q->turn = &q->group->turn[q->rank.level];
	}
	if (!view->policy->turns)
		return;
	gpreempt_for_each(q, view)
		turn_open(q->turn, view->seen_ns);
	gpreempt_for_each(q, view) {
		u64 resident_ns = q->memory->resident_ns;
		struct gpreempt_turn *t = q->turn;

		t->slice_ns = max(t->slice_ns, q->rank.slice_ns);
		if (q->seen.mapped && resident_ns >= t->since_ns)
			t->resident_ns = min(t->resident_ns, resident_ns);
	}
	gpreempt_for_each(q, view) {
		charge(view, q->group, q->rank.level);
		turn_goes_on(q->turn, view->now_ns);
	}
	gpreempt_for_each(q, view)
		charge_left(view, q->group);
	/* Anew, by what each has had. */
	gpreempt_for_each(q, view)
		q->rank = gpreempt_policy_rank(view, q);
}

static void turn_close(struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	struct gpreempt_turn *t = q->turn;
	struct gpreempt_party p = gpreempt_policy_party(view, q->group, q->rank.level);
	u64 now = view->now_ns;

	if (view->policy->wake && t->wants && !t->awake)
		view->policy->wake(&p);
	t->awake = t->wants;
	if (!t->gets || t->begins)
		t->had_ns = 0;
	t->has = t->gets;
	t->since_ns = t->stays || t->comes_back ? max_t(u64, now, 1) : 0;
	if (t->since_ns)
		q->group->levels |= BIT(q->rank.level);
	t->restoring = t->comes_back && !t->stays;
	if (t->has)
		t->last_ns = max_t(u64, now, 1);
	t->seen_ns = now;
}

/**
 * gpreempt_group_learn - remember whose turn a plan has made it
 * @view: the scan
 */
void gpreempt_group_learn(struct gpreempt_view *view)
{
	struct gpreempt_queue_view *q;

	view->seen_ns = view->now_ns;
	if (!view->policy->turns)
		return;
	gpreempt_for_each(q, view) {
		struct gpreempt_turn *t = q->turn;

		t->wants |= q->out.takes_turns && !q->out.limited;
		/* Whatever lets it execute, it has that time; a pinned one as well. */
		if (!q->out.turn && !q->out.raised && q->out.activity != GPREEMPT_RUNNING)
			continue;
		t->gets |= q->out.turn;
		t->begins |= q->out.turn_begins;
		t->stays |= q->seen.mapped && q->out.verdict == GPREEMPT_KEEP;
		t->comes_back |= q->out.verdict == GPREEMPT_RESUME;
	}
	gpreempt_for_each(q, view)
		turn_close(view, q);
}
