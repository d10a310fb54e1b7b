// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT select: which queues to take off the hardware, which to put back.
 *
 * A pure function of the queues' states and ranks: no locks, no I/O, no memory. A few passes
 * over the queues, each linear: raise() and judge_use() find those that starve, and those
 * that do not use the machine they were given; take_turns() finds whose turn it is on each
 * level, weigh() which levels keep others off; then come the verdicts: obey() does what was
 * asked for, displace() finds what leaves for a higher one; and what may is put back.
 */
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/**
 * struct selection - a plan in the making
 * @view:	what it is about
 * @tun:	the tunables
 * @plan:	what comes of it
 * @running:	highest level with a queue that executes for sure; as the others below, -1 if
 *		there is none
 * @holding:	lowest with a queue that may have waves and could be preempted, above
 *		%GPREEMPT_BOOST if none has
 * @active:	highest that runs or is runnable
 * @blocked:	highest that is blocked
 * @off:	lowest that is kept off, above %GPREEMPT_BOOST if none is
 * @pinned:	lowest that may have waves and must not be taken off, likewise
 * @wanting:	highest that wants more of the machine
 * @entitled:	the same of those that have work and were not raised
 * @announced:	the same of those that work was announced for
 * @unbounded:	the same of those that want all there is, for all that is known
 * @demand:	waves that the others of @wanting want
 * @turns:	there is one that may take turns
 * @rotating:	bit n: level n has two groups that take turns, or one that is limited
 */
struct selection {
	struct gpreempt_view *view;
	const struct gpreempt_tunables *tun;
	struct gpreempt_plan *plan;
	int running;
	int holding;
	int active;
	int blocked;
	int off;
	int pinned;
	int wanting;
	int entitled;
	int announced;
	int unbounded;
	u64 demand;
	bool turns;
	u32 rotating;
};

static void begin(struct selection *s)
{
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];
		struct gpreempt_outcome *out = &q->out;

		*out = (struct gpreempt_outcome) {
			.activity = q->state.activity,
			.wants = q->state.wants,
			.announced = q->state.announced,
			.raised = q->state.raised,
			.level = q->state.raised ? GPREEMPT_BOOST : q->rank.level,
		};
		if (!q->state.takes_part)
			continue;
		s->turns |= q->rank.slice_ns;
		if (q->seen.preempted)
			s->off = min_t(int, s->off, out->level);
		if (!q->seen.mapped)
			continue;
		if (out->activity == GPREEMPT_RUNNING && !q->state.unsure)
			s->running = max_t(int, s->running, out->level);
		if (q->state.may_hold && q->terms.pinned)
			s->pinned = min_t(int, s->pinned, out->level);
		else if (q->state.may_hold)
			s->holding = min_t(int, s->holding, out->level);
	}
}

/*
 * Rule 3, starvation.
 * Raise what has waited for longer than starvation_ms, one at a time, the one that
 * has waited longest. Two at once might share the machine so that neither can launch all it
 * has, each time anew; kernels that wait for each other in their waves would never end.
 */
static void raise(struct selection *s)
{
	u64 limit = (u64)s->tun->starvation_ms * NSEC_PER_MSEC;
	struct gpreempt_queue_view *starved = NULL;
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];
		u64 since = q->state.waits_ns;

		if (q->out.raised)
			return;
		if (since && s->view->now_ns >= since && s->view->now_ns - since >= limit &&
		    (!starved || since < starved->state.waits_ns))
			starved = q;
	}
	if (!starved)
		return;
	starved->out.raised = true;
	starved->out.level = GPREEMPT_BOOST;
}

/*
 * Rule 2, inversion. A queue has been given the machine when it is mapped, all that it
 * could be given was taken from the lower ones, and none of its own level or
 * above executes (that one keeps lower ones off by its own right). If it does
 * not use the machine for blocked_us, it is blocked, or has nothing to run. One
 * that must not be taken off may be in its way: then it is judged only if others
 * are kept off meanwhile.
 * Announced work has that time from when it was announced for.
 */
static void judge_use(struct selection *s)
{
	u64 now = s->view->now_ns;
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];
		struct gpreempt_outcome *out = &q->out;

		bool runs = out->activity == GPREEMPT_RUNNING && !q->state.unsure;

		out->given = s->view->contested && q->state.takes_part && q->seen.mapped &&
			     (runs || out->activity == GPREEMPT_RUNNABLE || q->state.unsure) &&
			     !(out->announced && now < q->terms.hint_ns) &&
			     s->holding >= out->level && s->running < out->level + runs &&
			     (s->pinned >= out->level || s->off < out->level);
		if (runs)
			continue;
		/* Its time begins with a count, if others wait for its end. */
		if (out->given && q->unsure && !q->state.given && s->off < out->level)
			s->plan->guesses = true;
		if (!out->given || q->state.unsure || now < q->state.unused_ns)
			continue;
		out->unused = true;
		out->wants = false;
		out->activity = out->announced ? GPREEMPT_IDLE : q->state.unused;
		if (out->announced) {
			out->announced = false;
			continue;
		}
		out->raised = false;
		out->level = q->rank.level;
	}
}

static void look_again(struct gpreempt_plan *plan, u64 ns)
{
	if (!plan->next_ns || ns < plan->next_ns)
		plan->next_ns = ns;
}

static void look_within(struct gpreempt_plan *plan, u32 us)
{
	us = max_t(u32, us, GPREEMPT_POLL_LEAST_US);
	if (!plan->within_us || us < plan->within_us)
		plan->within_us = us;
}

/* Which levels keep others off, once all activities are known. */
static void weigh(struct selection *s)
{
	struct gpreempt_plan *plan = s->plan;
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		const struct gpreempt_queue_view *q = &s->view->q[i];
		const struct gpreempt_outcome *out = &q->out;
		int level = out->level;

		if (!q->state.takes_part)
			continue;
		if (out->activity != GPREEMPT_IDLE || q->state.expects)
			plan->idle = false;
		if ((out->wants && s->view->contested) || q->state.expects)
			plan->waiting = true;
		if (q->state.expects && s->view->now_ns + s->view->lead_ns < q->terms.hint_ns)
			look_again(plan, q->terms.hint_ns - s->view->lead_ns);
		/*
		 * If it has only just begun, it is not to wait for the interval: however long
		 * that is, its doorbell may have been what woke the monitor.
		 */
		if (q->state.begins)
			look_within(plan, GPREEMPT_POLL_LEAST_US);
		if (!out->limited && (out->activity == GPREEMPT_RUNNING ||
				      out->activity == GPREEMPT_RUNNABLE))
			s->active = max(s->active, level);
		if (out->activity == GPREEMPT_BLOCKED)
			s->blocked = max(s->blocked, level);
		if (!out->wants || out->limited)
			continue;
		s->wanting = max(s->wanting, level);
		if (out->announced)
			s->announced = max(s->announced, level);
		else if (!out->raised)
			s->entitled = max(s->entitled, level);
		if (q->state.demand)
			s->demand += q->state.demand;
		else
			s->unbounded = max(s->unbounded, level);
	}
}

static void take_off(struct selection *s, struct gpreempt_queue_view *q,
		     enum gpreempt_reason reason)
{
	q->out.reason = reason;
	q->out.verdict = GPREEMPT_PREEMPT;
	s->plan->nr_preempt++;
}

static void put_back(struct selection *s, struct gpreempt_queue_view *q,
		     enum gpreempt_reason reason)
{
	q->out.reason = reason;
	q->out.verdict = GPREEMPT_RESUME;
	s->plan->nr_resume++;
}

/* What was asked for explicitly is not for a policy to judge. */
static void obey(struct selection *s)
{
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];

		if (q->seen.mapped && !q->terms.pinned && (q->terms.held || q->terms.asked))
			take_off(s, q, GPREEMPT_REASON_ASKED);
	}
}

static bool holds(const struct gpreempt_queue_view *q)
{
	if (q->out.unused)
		return q->out.activity == GPREEMPT_BLOCKED && !q->unsure &&
		       q->seen.waves == GPREEMPT_WAVES_UNKNOWN;
	return q->state.in_the_way;
}

/*
 * Rule 10, worth a save: what has only just come may end before its save would, and so may
 * what has no more in its ring and is as a rule not busy for much longer.
 */
static bool is_worth_saving(const struct selection *s, const struct gpreempt_queue_view *q)
{
	u64 now = s->view->now_ns, ends = q->state.ends_ns;

	if (!q->out.wants && ends > now && ends - now < q->state.save_cost_ns)
		return false;
	return now >= q->state.leave_ns;
}

/* May this queue be taken off now, if there is a reason? */
static bool may_leave(const struct selection *s, const struct gpreempt_queue_view *q)
{
	return q->state.takes_part && q->seen.mapped && !q->terms.pinned && holds(q) &&
	       is_worth_saving(s, q) && q->out.verdict == GPREEMPT_KEEP;
}

static enum gpreempt_reason reason_below(const struct selection *s, u8 level)
{
	if (level < s->entitled)
		return GPREEMPT_REASON_INVERSION;
	return level < s->announced ? GPREEMPT_REASON_HINT : GPREEMPT_REASON_AGED;
}

/* A victim that need not go if others free enough: all it has is in flight. */
static bool may_stay(const struct selection *s, const struct gpreempt_queue_view *q)
{
	return q->out.level < s->wanting && !q->out.wants && q->seen.waves > 0 &&
	       may_leave(s, q);
}

/* Waves of a level's queues that may stay, and cost no more than @cost each. */
static u64 waves_for(const struct selection *s, u8 level, u64 cost)
{
	u64 waves = 0;
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		const struct gpreempt_queue_view *q = &s->view->q[i];

		if (q->out.level == level && q->state.save_cost_ns <= cost && may_stay(s, q))
			waves += q->seen.waves;
	}
	return waves;
}

/* The least cost such that all queues of a level that cost no more free enough. */
static u64 cost_limit(const struct selection *s, u8 level)
{
	u64 low = 0, high = 1, mid;

	while (high <= S64_MAX && waves_for(s, level, high) < s->demand)
		high *= 2;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (waves_for(s, level, mid) < s->demand)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Of those that need not all go, the lowest level goes first, and within the
 * level that need not go as a whole, those that cost least to save.
 */
static void choose(struct selection *s)
{
	u64 waves[GPREEMPT_LEVELS] = {};
	u8 last = 0;
	u64 limit;
	unsigned int i;

	for (i = 0; i < s->view->nr; i++)
		if (may_stay(s, &s->view->q[i]))
			waves[s->view->q[i].out.level] += s->view->q[i].seen.waves;
	while (last < GPREEMPT_LEVELS && waves[last] <= s->demand)
		s->demand -= waves[last++];
	limit = last < GPREEMPT_LEVELS ? cost_limit(s, last) : 0;

	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];

		if (!may_stay(s, q) || q->out.level > last)
			continue;
		if (q->out.level == last) {
			if (!s->demand || q->state.save_cost_ns > limit)
				continue;
			s->demand -= min_t(u64, s->demand, q->seen.waves);
		}
		take_off(s, q, reason_below(s, q->out.level));
	}
}

/*
 * Nothing leaves, as what is in the way has only just come: look again when all of it may
 * leave, in one transaction.
 */
static void await_residency(struct selection *s)
{
	u64 end_ns = 0;
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		const struct gpreempt_queue_view *q = &s->view->q[i];

		if (q->out.level < s->wanting && q->state.takes_part && q->seen.mapped &&
		    !q->terms.pinned && holds(q))
			end_ns = max(end_ns, q->state.leave_ns);
	}
	if (end_ns > s->view->now_ns)
		look_again(s->plan, end_ns);
}

/*
 * Rule 1, victims. Take lower queues off for those that want the machine: all below one that
 * may need all there is. Below the others those that want more themselves, and
 * would take what is freed; of the rest as many as free what is wanted.
 */
static void displace(struct selection *s)
{
	unsigned int before = s->plan->nr_preempt, nr = 0, unknown = 0, spare = 0, i;

	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];

		if (q->out.level >= s->wanting || !may_leave(s, q))
			continue;
		nr++;
		unknown += q->seen.waves < 0;
		spare += q->out.level >= s->unbounded && !q->out.wants;
		if (q->out.level >= s->unbounded && may_stay(s, q))
			continue;
		take_off(s, q, reason_below(s, q->out.level));
		if (q->seen.waves > 0)
			s->demand -= min_t(u64, s->demand, q->seen.waves);
	}
	if (spare && s->demand)
		choose(s);
	if (!s->plan->nr_preempt)
		await_residency(s);
	s->plan->displaces = s->plan->nr_preempt > before;
	/* Whether it may be spared depends on what the others free, and on what it has. */
	s->plan->guesses |= spare && unknown && nr > 1;
}

/*
 * Groups that take turns on a level, if there are two that could use one: one has the machine,
 * with all its queues there, for its slice, or as long as it can use it; then it is the turn of
 * the one with the least key.
 */
static bool takes_turns(const struct gpreempt_queue_view *q)
{
	return q->state.takes_part && !q->terms.asked && !q->terms.pinned &&
	       !q->out.announced && !q->out.raised && q->rank.slice_ns &&
	       (q->out.activity == GPREEMPT_RUNNING || q->out.activity == GPREEMPT_RUNNABLE);
}

/* As soon as one of its queues may leave: else one or another of many might never. */
static bool is_turn_over(const struct selection *s, const struct gpreempt_queue_view *q)
{
	return q->turn->has && q->turn->had_ns >= q->turn->slice_ns &&
	       (!q->seen.mapped || is_worth_saving(s, q));
}

/* Among those that are alike, what executes anyway need not be saved for it. */
static bool is_before(const struct gpreempt_queue_view *q, const struct gpreempt_queue_view *other)
{
	if (!other || q->rank.key != other->rank.key)
		return !other || q->rank.key < other->rank.key;
	return q->out.activity == GPREEMPT_RUNNING && other->out.activity != GPREEMPT_RUNNING;
}

/* Does the choice depend on which of two queues is executing, and is that unknown? */
static bool is_guess(const struct gpreempt_queue_view *q, const struct gpreempt_queue_view *next)
{
	return q->rank.key == next->rank.key && q->turn != next->turn &&
	       (q->unsure || next->unsure);
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
	u32 over = 0;
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];
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
		if (!is_limited(s, q) && is_before(q, next[level]))
			next[level] = q;
	}
	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];
		u8 level = q->out.level;

		if (!q->out.takes_turns)
			continue;
		if (has[level] && !(over & s->rotating & BIT(level))) {
			q->out.turn = has[level] == q->turn;
		} else if (next[level]) {
			q->out.turn = next[level]->turn == q->turn;
			q->out.turn_begins = q->out.turn;
			s->plan->guesses |= is_guess(q, next[level]);
		}
		q->out.limited = !q->out.turn && is_limited(s, q);
		if (q->out.limited)
			look_again(s->plan, q->rank.not_before_ns);
		/* Its turn ends even if no other group wants the machine. */
		if (q->rank.not_before_ns)
			s->plan->waiting = true;
	}
	if (s->rotating)
		s->plan->waiting = true;
}

/* Is it another one's turn? */
static bool is_out_of_turn(const struct gpreempt_queue_view *q)
{
	return q->out.takes_turns && !q->out.turn;
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

/* What is out of turn leaves; what nothing above keeps off comes back. */
static void settle(struct selection *s)
{
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		struct gpreempt_queue_view *q = &s->view->q[i];
		bool out_of_turn = is_out_of_turn(q);

		if (out_of_turn && may_leave(s, q))
			take_off(s, q, GPREEMPT_REASON_TIMESLICE);
		if (q->seen.preempted && !gpreempt_held(q) && !out_of_turn &&
		    (q->out.level >= s->active || s->view->passive))
			put_back(s, q, reason_back(s, q));
	}
}

/*
 * What is off is put back soon after all that keeps it off has ended: the highest first. It is
 * not looked for where one of those goes on for as long as it likes.
 */
static void await_end(struct selection *s)
{
	int off = -1;
	u32 us = 0;
	unsigned int i;

	for (i = 0; i < s->view->nr; i++) {
		const struct gpreempt_queue_view *q = &s->view->q[i];

		if (gpreempt_takes_part(q) && (q->out.verdict == GPREEMPT_PREEMPT ||
		    (q->seen.preempted && q->out.verdict == GPREEMPT_KEEP)))
			off = max_t(int, off, q->out.level);
	}
	if (off < 0)
		return;
	for (i = 0; i < s->view->nr; i++) {
		const struct gpreempt_queue_view *q = &s->view->q[i];

		if (!gpreempt_takes_part(q) || q->out.level <= off ||
		    (q->out.activity != GPREEMPT_RUNNING && q->out.activity != GPREEMPT_RUNNABLE))
			continue;
		if (!q->state.look_us)
			return;
		us = max(us, q->state.look_us);
	}
	if (us)
		look_within(s->plan, us);
}

/**
 * gpreempt_select - what to take off the hardware, and what to put back
 * @view: the queues, with their states and ranks; their outcomes are filled in
 * @tun: the tunables
 * @plan: filled in
 */
void gpreempt_select(struct gpreempt_view *view, const struct gpreempt_tunables *tun,
		     struct gpreempt_plan *plan)
{
	struct selection s = {
		.view = view,
		.tun = tun,
		.plan = plan,
		.running = -1,
		.holding = GPREEMPT_BOOST + 1,
		.active = -1,
		.blocked = -1,
		.off = GPREEMPT_BOOST + 1,
		.pinned = GPREEMPT_BOOST + 1,
		.wanting = -1,
		.entitled = -1,
		.announced = -1,
		.unbounded = -1,
	};

	*plan = (struct gpreempt_plan) { .idle = true };
	begin(&s);
	raise(&s);
	judge_use(&s);
	if (s.turns)
		take_turns(&s);
	weigh(&s);
	obey(&s);
	if (!view->passive)
		displace(&s);
	settle(&s);
	await_end(&s);
}
