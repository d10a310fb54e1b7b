// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT select: which queues to take off the hardware, which to put back.
 *
 * A pure function of the queues' states and ranks: no locks, no I/O, no memory. A few passes
 * over the queues, each linear: begin() finds who holds the machine, raise() who has starved,
 * judge_use() those that do not use the machine they were given; take_turns() finds whose turn
 * it is on each level, weigh() which levels keep others off. Then come the verdicts: obey() does
 * what was asked for, displace() finds the queues that leave for a higher one; others come back.
 *
 * Queues with disjoint CU masks are not in each other's way: below, a level stands for the compute
 * units that are claimed on it.
 */
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/**
 * struct selection - a plan in the making
 * @view:	what it is about
 * @plan:	what comes of it
 * @blocked:	highest level with a queue that is blocked; as the others below, -1 if there is
 *		none
 * @entitled:	highest that wants more, of those that have work and were not raised
 * @off:	lowest that is kept off, above %GPREEMPT_BOOST if none is
 * @pinned:	lowest that may have waves and must not be taken off, likewise
 * @helps:	one is raised
 * @rotating:	bit n: level n has two groups that take turns, or one that is limited
 */
struct selection {
	struct gpreempt_view *view;
	struct gpreempt_plan *plan;
	int blocked;
	int entitled;
	int off;
	int pinned;
	bool helps;
	u32 rotating;
};

static void claim(struct gpreempt_claims *c, const struct gpreempt_queue_view *q)
{
	gpreempt_claim(c, q->out.level, &q->seen.cus);
}

static bool is_claimed(const struct gpreempt_claims *c, u32 levels,
		       const struct gpreempt_queue_view *q)
{
	return gpreempt_is_claimed(c, levels, &q->seen.cus);
}

/* At that time, 0: there is none. */
static void look_again(struct gpreempt_plan *plan, u64 ns)
{
	plan->next_ns = min_not_zero(plan->next_ns, ns);
}

static void look_within(struct gpreempt_plan *plan, u32 us)
{
	plan->within_us = min_not_zero(plan->within_us, max_t(u32, us, GPREEMPT_POLL_LEAST_US));
}

/* Rule 3, starvation. One that has starved stands above all levels until it was helped. */
static void raise(struct selection *s)
{
	u64 next_ns;
	struct gpreempt_queue_view *q = gpreempt_help(s->view, &next_ns);

	look_again(s->plan, next_ns);
	if (!q)
		return;
	s->helps = true;
	q->out.raised = true;
	q->out.level = GPREEMPT_BOOST;
}

static void begin(struct selection *s)
{
	struct gpreempt_view *view = s->view;
	struct gpreempt_queue_view *q;

	view->holding.levels = 0;
	view->running.levels = 0;
	view->keeping.levels = 0;
	view->wanting.levels = 0;
	view->turning.levels = 0;
	gpreempt_for_each(q, view) {
		q->out = (struct gpreempt_outcome) {
			.activity = q->state.activity,
			.wants = q->state.wants,
			.announced = q->state.announced,
			.level = q->rank.level,
		};
	}
	raise(s);
	gpreempt_for_each(q, view) {
		if (!gpreempt_takes_part(q))
			continue;
		if (q->seen.preempted)
			s->off = min_t(int, s->off, q->out.level);
		if (!q->seen.mapped)
			continue;
		/* It has waves, or may have some, for all that was counted. */
		if (q->out.activity == GPREEMPT_RUNNING)
			claim(&view->running, q);
		else if (q->out.activity != GPREEMPT_RUNNABLE || q->seen.waves >= 0)
			continue;
		if (q->terms.pinned)
			s->pinned = min_t(int, s->pinned, q->out.level);
		else
			claim(&view->holding, q);
	}
}

/*
 * Has a queue the machine for itself? It is mapped, all that it could be given was taken from
 * the lower ones, and none of its own level or above executes (that one keeps lower ones off by
 * its own right). One that must not be taken off may be in its way: then it is judged only if
 * others are kept off meanwhile. Announced work has its time from when it was announced for.
 */
static bool is_given(const struct selection *s, const struct gpreempt_queue_view *q)
{
	bool runs = q->out.activity == GPREEMPT_RUNNING;
	u8 level = q->out.level;

	if (!s->view->contested || !q->seen.mapped || !gpreempt_has_work(q) ||
	    (q->out.announced && s->view->now_ns < q->terms.hint_ns) ||
	    (s->pinned < level && s->off >= level))
		return false;
	return !is_claimed(&s->view->holding, GPREEMPT_BELOW(level), q) &&
	       !is_claimed(&s->view->running, GPREEMPT_ABOVE(level) | (runs ? 0 : BIT(level)), q);
}

/*
 * Rule 2, inversion. A queue that has the machine for itself, and does not use it for blocked_us,
 * is blocked, or has nothing to run.
 */
static void judge_use(struct selection *s)
{
	struct gpreempt_queue_view *q;

	gpreempt_for_each(q, s->view) {
		struct gpreempt_outcome *out = &q->out;

		out->given = is_given(s, q);
		if (!out->given || out->activity == GPREEMPT_RUNNING ||
		    s->view->now_ns < q->state.unused_ns)
			continue;
		out->unused = true;
		out->wants = false;
		out->activity = out->announced ? GPREEMPT_IDLE : q->state.unused;
		out->announced = false;
		out->raised = false;
		out->level = q->rank.level;
	}
}

/* Does it keep those below off? */
static void keep_off(struct selection *s, const struct gpreempt_queue_view *q)
{
	u64 until_ns = gpreempt_linger_until(s->view, q);

	if (until_ns <= s->view->now_ns)
		return;
	claim(&s->view->keeping, q);
	if (until_ns != U64_MAX && s->off < q->out.level)
		look_again(s->plan, until_ns);
}

/* Which levels keep others off, once all activities are known. */
static void weigh(struct selection *s)
{
	struct gpreempt_plan *plan = s->plan;
	const struct gpreempt_queue_view *q;

	gpreempt_for_each(q, s->view) {
		const struct gpreempt_outcome *out = &q->out;
		int level = out->level;

		if (!gpreempt_takes_part(q))
			continue;
		plan->idle &= out->activity == GPREEMPT_IDLE && !q->state.expects;
		plan->waiting |= (out->wants && s->view->contested) || q->state.expects;
		if (q->state.expects && s->view->now_ns + s->view->lead_ns < q->terms.hint_ns)
			look_again(plan, q->terms.hint_ns - s->view->lead_ns);
		/*
		 * If it has only just begun, it is not to wait for the interval: however long
		 * that is, its doorbell may have been what woke the monitor.
		 */
		if (q->state.begins)
			look_within(plan, GPREEMPT_POLL_LEAST_US);
		if (out->activity == GPREEMPT_BLOCKED)
			s->blocked = max(s->blocked, level);
		if (out->limited)
			continue;
		keep_off(s, q);
		if (!out->wants)
			continue;
		claim(&s->view->wanting, q);
		if (!out->announced && !out->raised)
			s->entitled = max(s->entitled, level);
	}
}

static void take_off(struct selection *s, struct gpreempt_queue_view *q,
		     enum gpreempt_reason reason)
{
	q->out.reason = reason;
	q->out.verdict = GPREEMPT_PREEMPT;
	s->plan->nr_preempt++;
}

/* Explicit requests are not for a policy to judge. */
static void obey(struct selection *s)
{
	struct gpreempt_queue_view *q;

	gpreempt_for_each(q, s->view) {
		if (!q->seen.mapped || q->terms.pinned)
			continue;
		if (q->terms.held || q->terms.asked)
			take_off(s, q, GPREEMPT_REASON_ASKED);
		else if (q->terms.idle)
			take_off(s, q, GPREEMPT_REASON_IDLE);
	}
}

static bool holds(const struct selection *s, const struct gpreempt_queue_view *q)
{
	if (q->out.unused)
		return q->out.activity == GPREEMPT_BLOCKED && s->view->waves_final &&
		       q->seen.waves == GPREEMPT_WAVES_UNKNOWN;
	return q->state.in_the_way;
}

/* Might it be taken off, if there is a reason, once it has been there for min_residency_us? */
static bool is_in_reach(const struct selection *s, const struct gpreempt_queue_view *q)
{
	return gpreempt_takes_part(q) && q->seen.mapped && !q->terms.pinned && holds(s, q) &&
	       q->out.verdict == GPREEMPT_KEEP;
}

/* Rule 10, worth a save: may it be taken off now? What has only just come stays. */
static bool may_leave(const struct selection *s, const struct gpreempt_queue_view *q)
{
	return is_in_reach(s, q) && s->view->now_ns >= q->state.leave_ns;
}

static enum gpreempt_reason reason_to_leave(const struct selection *s,
					    const struct gpreempt_queue_view *q)
{
	u32 above = GPREEMPT_ABOVE(q->out.level) & ~BIT(GPREEMPT_BOOST);

	if (q->out.level < s->entitled)
		return GPREEMPT_REASON_INVERSION;
	return is_claimed(&s->view->wanting, above, q) ? GPREEMPT_REASON_HINT :
							 GPREEMPT_REASON_AGED;
}

/*
 * Rule 1, victims. All lower queues that are in the way leave for one that wants the machine:
 * under the hardware scheduler the unmap saves each of them anyway. Where none may leave, as all
 * have only just come, the monitor looks again when all of them may, in one transaction.
 */
static void displace(struct selection *s)
{
	unsigned int before = s->plan->nr_preempt;
	struct gpreempt_queue_view *q;
	u64 end_ns = 0;

	gpreempt_for_each(q, s->view) {
		if (!is_in_reach(s, q) ||
		    !is_claimed(&s->view->wanting, GPREEMPT_ABOVE(q->out.level), q))
			continue;
		end_ns = max(end_ns, q->state.leave_ns);
		if (may_leave(s, q))
			take_off(s, q, reason_to_leave(s, q));
	}
	if (s->plan->nr_preempt == before && end_ns)
		look_again(s->plan, end_ns);
}

/*
 * Groups that take turns on a level, if there are two that could use one: one has the machine,
 * with all its queues there, for its slice, or as long as it can use it; then it is the turn of
 * the one with the least key.
 */
static bool takes_turns(const struct gpreempt_queue_view *q)
{
	return gpreempt_has_work(q) && !q->terms.asked && !q->out.announced && !q->out.raised &&
	       q->rank.slice_ns;
}

/* As soon as one of its queues may leave: else one or another of many might never. */
static bool is_turn_over(const struct selection *s, const struct gpreempt_queue_view *q)
{
	return q->turn->has && q->turn->had_ns >= q->turn->slice_ns &&
	       (!q->seen.mapped || s->view->now_ns >= q->state.leave_ns);
}

static bool is_limited(const struct selection *s, const struct gpreempt_queue_view *q)
{
	return q->rank.not_before_ns > s->view->now_ns;
}

/* Find out whose turn it is on each level. */
static void take_turns(struct selection *s)
{
	const struct gpreempt_turn *one[GPREEMPT_LEVELS] = {}, *has[GPREEMPT_LEVELS] = {};
	struct gpreempt_queue_view *next[GPREEMPT_LEVELS] = {};
	struct gpreempt_queue_view *q;
	u32 over = 0;

	gpreempt_for_each(q, s->view) {
		u8 level = q->out.level;

		q->out.takes_turns = takes_turns(q);
		if (!q->out.takes_turns)
			continue;
		if ((one[level] && one[level] != q->turn) || is_limited(s, q))
			s->rotating |= BIT(level);
		one[level] = q->turn;
		if (q->turn->has)
			has[level] = q->turn;
		if (is_turn_over(s, q))
			over |= BIT(level);
		if (!is_limited(s, q) && (!next[level] || q->rank.key < next[level]->rank.key))
			next[level] = q;
	}
	gpreempt_for_each(q, s->view) {
		u8 level = q->out.level;

		if (!q->out.takes_turns)
			continue;
		if (has[level] && !(over & s->rotating & BIT(level))) {
			q->out.turn = has[level] == q->turn;
		} else if (next[level]) {
			q->out.turn = next[level]->turn == q->turn;
			q->out.turn_begins = q->out.turn;
		}
		if (q->out.turn)
			claim(&s->view->turning, q);
		q->out.limited = !q->out.turn && is_limited(s, q);
		if (q->out.limited)
			look_again(s->plan, q->rank.not_before_ns);
		/* Its turn ends even if no other group wants the machine. */
		s->plan->waiting |= q->rank.not_before_ns != 0;
	}
	s->plan->waiting |= s->rotating != 0;
}

/* Is it another one's turn? */
static bool is_out_of_turn(const struct selection *s, const struct gpreempt_queue_view *q)
{
	return q->out.takes_turns && !q->out.turn &&
	       (q->out.limited || is_claimed(&s->view->turning, BIT(q->out.level), q));
}

static enum gpreempt_reason reason_back(const struct selection *s,
					const struct gpreempt_queue_view *q)
{
	if (q->out.raised)
		return GPREEMPT_REASON_STARVED;
	if (s->rotating & BIT(q->out.level))
		return GPREEMPT_REASON_TURN;
	return s->blocked > q->out.level ? GPREEMPT_REASON_BLOCKED : GPREEMPT_REASON_FREE;
}

/* Queues out of turn leave; preempted ones that nothing above keeps off come back. */
static void settle(struct selection *s)
{
	struct gpreempt_queue_view *q;

	gpreempt_for_each(q, s->view) {
		bool out_of_turn = is_out_of_turn(s, q);

		if (out_of_turn && may_leave(s, q))
			take_off(s, q, GPREEMPT_REASON_TIMESLICE);
		if (q->seen.preempted && !gpreempt_held(q) && !out_of_turn &&
		    (s->view->passive ||
		     !is_claimed(&s->view->keeping, GPREEMPT_ABOVE(q->out.level), q))) {
			q->out.reason = reason_back(s, q);
			q->out.verdict = GPREEMPT_RESUME;
			s->plan->nr_resume++;
		}
	}
}

/*
 * While a queue is off, the monitor looks again after an eighth of the time that the queue has been
 * off, because nobody forecasts when those that keep it off will end. It does not hurry while it
 * helps a starved queue: that end is known.
 */
static void await_end(struct selection *s)
{
	u64 now = s->view->now_ns, off_ns = U64_MAX, most_us = s->view->tun.poll_interval_us;
	const struct gpreempt_queue_view *q;

	if (s->helps)
		return;
	gpreempt_for_each(q, s->view) {
		if (!gpreempt_takes_part(q))
			continue;
		if (q->out.verdict == GPREEMPT_PREEMPT)
			off_ns = 0;
		else if (q->seen.preempted && q->out.verdict == GPREEMPT_KEEP)
			off_ns = min(off_ns, now - min(q->state.waits_ns, now));
	}
	if (off_ns != U64_MAX)
		look_within(s->plan, clamp_t(u64, div_u64(off_ns, 8 * NSEC_PER_USEC), most_us / 8,
					     most_us));
}

/**
 * gpreempt_select - what to take off the hardware, and what to put back
 * @view: the queues, with their states and ranks; their outcomes are filled in
 * @plan: filled in
 */
void gpreempt_select(struct gpreempt_view *view, struct gpreempt_plan *plan)
{
	struct selection s = {
		.view = view,
		.plan = plan,
		.blocked = -1,
		.entitled = -1,
		.off = GPREEMPT_BOOST + 1,
		.pinned = GPREEMPT_BOOST + 1,
	};

	*plan = (struct gpreempt_plan) { .idle = true };
	begin(&s);
	judge_use(&s);
	take_turns(&s);
	weigh(&s);
	obey(&s);
	if (!view->passive)
		displace(&s);
	settle(&s);
	await_end(&s);
}
