// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT decide: the order of the rooms. The policy ranks each queue, estimate tells what it
 * is doing, select makes a plan of that, and estimate remembers what came of it.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "policy.h"

/**
 * struct rivals - queues that may want the machine, none of which contends with another
 * @level:	the level they all are on, as a bit; 0: there is none yet
 * @turns:	the group of those that take turns, NULL: none does
 */
struct rivals {
	u32 level;
	const struct gpreempt_group *turns;
};

/*
 * Does a queue contend with these? Two levels do, and two groups that take turns on one; and a
 * group that is not to have its turn yet, with nobody. Else it is one of them.
 */
static bool contends(struct rivals *r, const struct gpreempt_queue_view *q)
{
	u8 level = gpreempt_level(q);

	if (r->level & ~BIT(level))
		return true;
	r->level = BIT(level);
	if (!q->rank.slice_ns || level >= GPREEMPT_LEVELS)
		return false;
	if (q->rank.not_before_ns || (r->turns && r->turns != q->group))
		return true;
	r->turns = q->group;
	return false;
}

/*
 * The view is contested if queues that may have work contend, or if waves were counted to find out
 * which queues still run. Otherwise no queue waits for another, and none is kept off. Waves are to
 * be counted if queues contend, or if none shows work but one may hide some: no parking then.
 */
static bool contest(struct gpreempt_view *view)
{
	bool contested = view->waves_final, unsure = false, shown = false;
	struct gpreempt_queue_view *q;
	struct rivals rivals = {};

	gpreempt_for_each(q, view) {
		enum gpreempt_work work = gpreempt_work(view, q);

		q->matters = work >= GPREEMPT_WORK_HIDDEN && q->seen.mapped;
		q->shows = work == GPREEMPT_WORK_SHOWN;
		unsure |= q->matters && q->seen.waves == GPREEMPT_WAVES_UNKNOWN;
		shown |= q->shows || (q->change.backlog && gpreempt_takes_part(q));
		if (work != GPREEMPT_WORK_NONE)
			contested |= contends(&rivals, q);
	}
	view->contested = contested;
	return unsure && !view->waves_final && (contested || !shown);
}

/* Has it a packet that could be launched now, and is not? */
static bool is_stuck(const struct gpreempt_queue_view *q)
{
	return q->change.ready && q->seen.mapped && gpreempt_takes_part(q) && !q->terms.pinned &&
	       !q->memory->blocked.blocked_ns;
}

/*
 * Does memory show that a queue waits for a lower one? It does where both are stuck: then the
 * machine is full. So a preemption for it is decided without a count. But one that may have
 * nothing is counted before it leaves, and so is one that has come back: whether it has executed
 * decides whether it starves.
 */
static bool shows_inversion(struct gpreempt_view *view)
{
	const struct gpreempt_queue_view *q;

	view->wanting.levels = 0;
	gpreempt_for_each(q, view) {
		if (q->matters && (!q->shows || q->memory->unseen.restored))
			return false;
		if (is_stuck(q))
			gpreempt_claim(&view->wanting, gpreempt_level(q), &q->seen.cus);
	}
	gpreempt_for_each(q, view) {
		if (is_stuck(q) && gpreempt_is_claimed(&view->wanting,
						       GPREEMPT_ABOVE(gpreempt_level(q)),
						       &q->seen.cus))
			return true;
	}
	return false;
}

/**
 * gpreempt_decide - what to take off the hardware, and what to put back
 * @view: the queues
 * @plan: filled in
 *
 * Called by the monitor only, never concurrently for a node.
 */
void gpreempt_decide(struct gpreempt_view *view, struct gpreempt_plan *plan)
{
	struct gpreempt_queue_view *q;
	bool need_waves;

	/*
	 * Announced work finds the machine free if lower queues are taken off early enough for a
	 * save and for a scan that is late. One that is off already stays off until then.
	 */
	view->lead_ns = view->save_ns + (u64)view->tun.poll_interval_us * NSEC_PER_USEC / 4;
	view->passive = view->policy->passive;
	gpreempt_group_rank(view);
	view->proof &= view->waves_final;
	view->crowded = view->proof && gpreempt_lacks_slot(view);
	need_waves = contest(view) && !shows_inversion(view);
	if (!view->waves_final && !view->passive && gpreempt_wants_proof(view, need_waves)) {
		view->proof = true;
		need_waves = true;
	}
	if (need_waves) {
		*plan = (struct gpreempt_plan) { .need_waves = true };
		gpreempt_for_each(q, view) {
			q->out.verdict = GPREEMPT_KEEP;
			q->matters |= view->proof && q->seen.mapped;
		}
		return;
	}
	gpreempt_for_each(q, view)
		gpreempt_estimate(view, q);
	gpreempt_select(view, plan);
	gpreempt_for_each(q, view) {
		gpreempt_learn(view, q);
		gpreempt_track_proof(view, q);
	}
	gpreempt_help_learn(view);
	gpreempt_linger_learn(view);
	gpreempt_group_learn(view);
}

/**
 * gpreempt_skip - a scan has shown that there is nothing to decide
 * @view: the scan
 * @plan: filled in: nothing is to be done, nor looked for
 *
 * Then no queue waits for another, and none has before: one that comes back when its hold
 * ends, say, has not starved meanwhile.
 */
void gpreempt_skip(struct gpreempt_view *view, struct gpreempt_plan *plan)
{
	struct gpreempt_queue_view *q;

	*plan = (struct gpreempt_plan) { .rest = GPREEMPT_PARK };
	gpreempt_for_each(q, view) {
		q->memory->waits_ns = 0;
		q->memory->raised = false;
	}
	/* No turn continues across such a scan: it is unknown which group ran. */
	view->seen_ns = view->now_ns;
}

/**
 * gpreempt_may_contend - could anything have to be decided?
 * @view: the queues; only whether they are there and on what terms is looked at
 *
 * Rule 14, quiet. That is gpreempt_select()'s answer if all had work, found without estimating
 * what each of them does: a monitor that is about to park asks for nothing that has to be read.
 *
 * Return: false if no work of these queues, whenever it comes, would make the policy do anything.
 * True after a change of the policy: there are the last one's words to be cleared.
 */
bool gpreempt_may_contend(struct gpreempt_view *view)
{
	struct gpreempt_queue_view *q;
	struct rivals rivals = {};

	if (view->clock_of && view->clock_of != view->policy)
		return true;
	gpreempt_for_each(q, view) {
		q->rank = gpreempt_policy_rank(view, q);
		if (q->seen.mapped && !q->terms.pinned && (q->terms.held || q->terms.asked))
			return true;
		if (gpreempt_takes_part(q) &&
		    (q->seen.preempted || q->rank.not_before_ns || contends(&rivals, q)))
			return true;
	}
	return false;
}
