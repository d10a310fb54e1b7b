// SPDX-License-Identifier: GPL-2.0
/*
 * What the pure rooms promise, as CBMC proves it: for every input, not for those that somebody
 * thought of. Each prove_...() is an entry of its own. What it hands to the room is anything
 * but what "take" says of it; what must hold afterwards is what "promise" says, by name. That
 * arithmetic does not overflow, nothing is read or written out of bounds and all loops end
 * within the bounds they were unwound to are promises of CBMC's own.
 *
 * What one room takes of another is proved of the other: prove_state() of what prove_select()
 * takes, prove_rank() of the rest.
 */
#include <linux/types.h>

/* A claim is of each word alike. */
#define GPREEMPT_CU_WORDS	1

#include "gpreempt/core/estimate.c"
#include "gpreempt/core/proof.c"
#include "gpreempt/core/help.c"
#include "gpreempt/core/linger.c"
#include "gpreempt/core/select.c"
#include "gpreempt/core/policy.c"
#include "gpreempt/turns/policy_timeslice.c"
#include "gpreempt/turns/policy_fair.c"

#ifndef QUEUES
#define QUEUES	4
#endif

/* On which level is each queue, and of which group there? See prove_turns(). */
#ifndef LEVELS
#define LEVELS	{ 0 }
#define TURNS	{ 0 }
#endif

#define take(condition)			__CPROVER_assume(condition)
#define promise(name, condition)	__CPROVER_assert(condition, name)

/* A time, or a sum of a few: 146 years. */
#define AGES	(1ULL << 62)

bool nondet_bool(void);
u8 nondet_u8(void);
u32 nondet_u32(void);
u64 nondet_u64(void);
int nondet_int(void);

static u64 any_time(void)
{
	u64 ns = nondet_u64();

	take(ns < AGES);
	return ns;
}

static enum gpreempt_activity any_activity(void)
{
	u8 activity = nondet_u8();

	take(activity <= GPREEMPT_UNKNOWN);
	return activity;
}

static void any_tunables(struct gpreempt_tunables *tun)
{
	unsigned int i;

	tun->poll_interval_us = nondet_u32();
	tun->starvation_ms = nondet_u32();
	tun->min_residency_us = nondet_u32();
	tun->blocked_us = nondet_u32();
	tun->linger_max_us = nondet_u32();
	for (i = 0; i < GPREEMPT_LEVELS; i++)
		tun->timeslice_us[i] = nondet_u32();
}

static void any_terms(struct gpreempt_terms *t)
{
	t->priority = nondet_u8();
	t->timeslice_us = nondet_u32();
	t->held = nondet_bool();
	t->hold_end_ns = nondet_u64();
	t->asked = nondet_bool();
	t->pinned = nondet_bool();
	t->hint_ns = nondet_u64();
	t->hint_end_ns = nondet_u64();
}

/* What scan promises: see &struct gpreempt_evidence. */
static void any_evidence(struct gpreempt_evidence *e)
{
	e->preempted = nondet_bool();
	e->mapped = nondet_bool();
	take(!e->preempted || !e->mapped);
	e->readable = nondet_bool();
	e->rptr = nondet_u64();
	e->wptr = nondet_u64();
	e->size = nondet_u32();
	e->head = nondet_u8();
	take(e->head <= GPREEMPT_HEAD_WAITS);
	e->signal = nondet_u8();
	take(e->signal <= GPREEMPT_SIGNAL_DONE);
	e->ordered = nondet_bool();
	e->previous = nondet_u8();
	take(e->previous <= GPREEMPT_SIGNAL_DONE);
	e->waves = nondet_int();
	take(e->waves >= GPREEMPT_WAVES_UNKNOWN);
	e->late = nondet_bool();
	e->head_ordered = nondet_bool();
	e->begun = nondet_u32();
	e->cus.barred[0] = nondet_u64();
}

/* What select takes of estimate: nobody who is not there wants or waits, ... */
static bool is_sound(const struct gpreempt_queue_view *q)
{
	const struct gpreempt_queue_state *s = &q->state;

	return s->activity <= GPREEMPT_UNKNOWN &&
	       (s->unused == GPREEMPT_IDLE || s->unused == GPREEMPT_BLOCKED) &&
	       (gpreempt_takes_part(q) || (!s->wants && !s->announced && !s->waits_ns)) &&
	       /* ... and what cannot run wants nothing */
	       (!s->wants || s->activity == GPREEMPT_RUNNING || s->activity == GPREEMPT_RUNNABLE);
}

static void any_state(struct gpreempt_queue_view *q)
{
	struct gpreempt_queue_state *s = &q->state;

	s->activity = any_activity();
	s->unused = any_activity();
	s->wants = nondet_bool();
	s->announced = nondet_bool();
	s->expects = nondet_bool();
	s->in_the_way = nondet_bool();
	s->begins = nondet_bool();
	s->was_idle = nondet_bool();
	s->unused_ns = any_time();
	s->leave_ns = nondet_u64();
	s->waits_ns = nondet_u64();
	take(is_sound(q));
}

static void any_queue(struct gpreempt_queue_view *q)
{
	any_evidence(&q->seen);
	any_terms(&q->terms);
	q->memory = NULL;
	q->group = NULL;
	q->turn = NULL;
	q->rank.level = nondet_u8();
	take(q->rank.level < GPREEMPT_LEVELS);
	q->rank.key = nondet_u64();
	q->rank.not_before_ns = nondet_u64();
	q->rank.slice_ns = nondet_u64();
	any_state(q);
}

static void any_view(struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	unsigned int i;

	view->first = q;
	view->now_ns = any_time();
	view->save_ns = any_time();
	view->lead_ns = any_time();
	view->passive = nondet_bool();
	view->contested = nondet_bool();
	view->waves_final = nondet_bool();
	view->help.since_ns = any_time();
	view->help.executed_ns = any_time();
	view->help.next_ns = any_time();
	for (i = 0; i < QUEUES; i++) {
		any_queue(&q[i]);
		q[i].next = i + 1 < QUEUES ? &q[i + 1] : NULL;
	}
}

/*
 * A part that finds a queue by a pointer, or searches, is proved by itself, and in the proof
 * of the whole something else is called: what does anything that the part is proved to do.
 */
struct gpreempt_outcome before[QUEUES];

static void begin_part(struct selection *s, struct gpreempt_view *view,
		       struct gpreempt_plan *plan, struct gpreempt_queue_view *q)
{
	unsigned int i;

	any_tunables(&view->tun);
	any_view(view, q);
	*s = (struct selection) { .view = view, .plan = plan };
	for (i = 0; i < QUEUES; i++) {
		struct gpreempt_outcome *out = &q[i].out;

		out->verdict = nondet_u8();
		take(out->verdict <= GPREEMPT_RESUME);
		out->reason = nondet_u8();
		take(out->reason <= GPREEMPT_REASON_OFF);
		out->activity = any_activity();
		out->wants = nondet_bool();
		out->announced = nondet_bool();
		out->raised = nondet_bool();
		out->level = out->raised ? GPREEMPT_BOOST : q[i].rank.level;
		out->given = nondet_bool();
		out->unused = nondet_bool();
		out->takes_turns = false;
		out->turn = false;
		out->turn_begins = false;
		out->limited = false;
		out->awaited = nondet_bool();
		before[i] = *out;
	}
}

/* But for level, raised and turn, of which the part has promised more. */
static void promise_same(const struct gpreempt_outcome *a, const struct gpreempt_outcome *b)
{
	promise("the rest of an outcome stays",
		a->verdict == b->verdict && a->reason == b->reason &&
		a->activity == b->activity && a->wants == b->wants &&
		a->announced == b->announced && a->given == b->given &&
		a->unused == b->unused && a->awaited == b->awaited);
}

/* May the @n-th be raised? It was, and goes on; or it has waited. */
static bool may_raise(const struct selection *s, unsigned int n)
{
	const struct gpreempt_queue_view *q = &s->view->first[n];

	return !s->view->passive &&
	       ((q->memory->raised && gpreempt_has_work(q)) || q->state.waits_ns);
}

void any_raise(struct selection *s)
{
	unsigned int raised = nondet_u8(), i;

	for (i = 0; i < QUEUES; i++)
		before[i] = s->view->first[i].out;
	for (i = 0; i < QUEUES; i++) {
		if (i != raised)
			continue;
		take(may_raise(s, i));
		s->helps = true;
		s->view->first[i].out.raised = true;
		s->view->first[i].out.level = GPREEMPT_BOOST;
	}
	s->plan->next_ns = nondet_u64();
}

/* What help remembers: a queue, its group, and when that ran on the level. */
static void any_past(struct gpreempt_queue_view *q, struct gpreempt_memory *memory,
		     struct gpreempt_group *group)
{
	unsigned int i;

	for (i = 0; i < QUEUES; i++) {
		memory[i].raised = nondet_bool();
		group[i].helped_ns = any_time();
		group[i].turn[0].ran_ns = any_time();
		q[i].memory = &memory[i];
		q[i].group = &group[i];
		q[i].turn = &group[i].turn[0];
	}
}

/* Does one above each queue want what it may use? Whether it does is plain; here it is anything. */
bool wanted_above[QUEUES];

bool any_wanted(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	return wanted_above[q - view->first];
}

void prove_raise(void)
{
	struct gpreempt_memory memory[QUEUES];
	struct gpreempt_group group[QUEUES];
	struct gpreempt_queue_view q[QUEUES];
	struct gpreempt_plan plan;
	struct gpreempt_view view;
	unsigned int raised = 0, i;
	struct selection s;

	begin_part(&s, &view, &plan, q);
	any_past(q, memory, group);
	for (i = 0; i < QUEUES; i++) {
		take(!q[i].out.raised);
		q[i].state.waits_ns = any_time();
		wanted_above[i] = nondet_bool();
	}
	raise(&s);
	for (i = 0; i < QUEUES; i++) {
		const struct gpreempt_outcome *out = &q[i].out;

		promise_same(out, &before[i]);
		promise("no turn yet", !out->turn);
		raised += out->raised;
		promise("what is raised has waited, and nothing else is raised",
			!out->raised || may_raise(&s, i));
		promise("what is raised has the highest level, and nothing else",
			out->level == (out->raised ? GPREEMPT_BOOST : q[i].rank.level));
		promise("between two that starve there is neither",
			!out->raised || memory[i].raised || view.now_ns >= view.help.next_ns ||
			!wanted_above[i]);
	}
	promise("one is raised at a time", raised <= 1);
	promise("the selection knows", s.helps == raised);
}

/* Do two queues of a level take turns there? */
static bool are_rivals(const struct gpreempt_queue_view *a, const struct gpreempt_queue_view *b)
{
	return a->out.takes_turns && b->out.takes_turns && a->out.level == b->out.level;
}

/* Does a queue's group have the turn on its level, or another one that has a queue there? */
static bool is_taken(const struct selection *s, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_queue_view *other;

	gpreempt_for_each(other, s->view)
		if (are_rivals(other, q) && other->out.turn)
			return true;
	return false;
}

/* Does a level rotate: is there a rival of another group, or one that is limited? */
static bool rotates(const struct selection *s, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_queue_view *other;

	gpreempt_for_each(other, s->view)
		if (are_rivals(other, q) && (other->turn != q->turn || is_limited(s, other)))
			return true;
	return false;
}

static void promise_turn(const struct selection *s, const struct gpreempt_queue_view *q)
{
	promise("those take turns that may", q->out.takes_turns == takes_turns(q));
	promise("what takes no turns has none",
		q->out.takes_turns || !(q->out.turn || q->out.limited));
	promise("a turn begins for what has it", q->out.turn || !q->out.turn_begins);
	promise("what is limited begins no turn", !q->out.turn_begins || !is_limited(s, q));
	promise("what is limited, and not in its turn, is known to be",
		q->out.limited == (q->out.takes_turns && !q->out.turn && is_limited(s, q)));
	promise("where some take turns, one of them has it",
		!q->out.takes_turns || q->out.limited || is_taken(s, q));
	promise("a level rotates if two groups take turns, or one is limited",
		!q->out.takes_turns || !(s->rotating & BIT(q->out.level)) == !rotates(s, q));
}

/* What prove_turns() promises of two queues. */
static void promise_turns(const struct gpreempt_queue_view *a, const struct gpreempt_queue_view *b)
{
	if (are_rivals(a, b))
		promise("a turn is its group's, and of one group on a level",
			a->turn == b->turn ? a->out.turn == b->out.turn :
					     !(a->out.turn && b->out.turn));
}

/*
 * As little of that as select needs: with whom a queue shares its turn does not matter to the
 * rest.
 */
void any_turns(struct selection *s)
{
	struct gpreempt_queue_view *q;

	s->rotating = nondet_u32();
	s->plan->waiting = nondet_bool();
	s->plan->next_ns = nondet_u64();
	gpreempt_for_each(q, s->view) {
		q->out.takes_turns = takes_turns(q);
		q->out.turn = nondet_bool();
		q->out.turn_begins = nondet_bool();
		q->out.limited = q->out.takes_turns && !q->out.turn && is_limited(s, q);
		take(q->out.takes_turns || !q->out.turn);
	}
	gpreempt_for_each(q, s->view)
		take(!q->out.takes_turns || q->out.limited || is_taken(s, q));
}

/*
 * Levels are nothing but indices here, and groups nothing but addresses, so what matters is
 * which queues share them. What is raised takes no turns, as what is announced.
 */
void prove_turns(void)
{
	static const u8 levels[QUEUES] = LEVELS, turns[QUEUES] = TURNS;
	struct gpreempt_turn turn[QUEUES];
	struct gpreempt_queue_view q[QUEUES];
	struct gpreempt_plan plan;
	struct gpreempt_view view;
	struct selection s;
	unsigned int i, j;

	begin_part(&s, &view, &plan, q);
	for (i = 0; i < QUEUES; i++) {
		turn[i].has = nondet_bool();
		turn[i].had_ns = nondet_u64();
		turn[i].slice_ns = nondet_u64();
		q[i].turn = &turn[turns[i]];
		q[i].out.raised = false;
		q[i].out.level = levels[i];
		before[i] = q[i].out;
		/* A policy is asked about a group on a level, whichever of its queues it is for. */
		for (j = 0; j < i; j++)
			take(turns[i] != turns[j] ||
			     (q[i].rank.key == q[j].rank.key &&
			      q[i].rank.not_before_ns == q[j].rank.not_before_ns));
	}
	take_turns(&s);
	for (i = 0; i < QUEUES; i++) {
		promise_same(&q[i].out, &before[i]);
		promise("turns raise none", q[i].out.raised == before[i].raised &&
					    q[i].out.level == before[i].level);
		promise_turn(&s, &q[i]);
		for (j = 0; j < i; j++)
			promise_turns(&q[i], &q[j]);
	}
}

/* Until when does each queue keep lower ones off, if nothing new comes? */
u64 kept_until[QUEUES];

u64 any_until(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	return kept_until[q - view->first];
}

/* Is there a compute unit that both may use? */
static bool meets(const struct gpreempt_queue_view *a, const struct gpreempt_queue_view *b)
{
	return ~a->seen.cus.barred[0] & ~b->seen.cus.barred[0];
}

/* Is @q taken off for @other? */
static bool is_above(const struct gpreempt_queue_view *other, const struct gpreempt_queue_view *q)
{
	bool works = other->out.activity == GPREEMPT_RUNNING ||
		     other->out.activity == GPREEMPT_RUNNABLE;

	if (other == q || !gpreempt_takes_part(other) || !works)
		return false;
	if (!meets(other, q))
		return false;
	if (q->out.reason == GPREEMPT_REASON_TIMESLICE)
		return are_rivals(other, q) && other->out.turn;
	return other->out.level > q->out.level && other->out.wants;
}

/* Does @other keep @q off? */
static bool keeps(const struct gpreempt_view *view, const struct gpreempt_queue_view *other,
		  const struct gpreempt_queue_view *q)
{
	if (!gpreempt_takes_part(other) || !meets(other, q))
		return false;
	if (!q->out.turn && are_rivals(other, q) && other->out.turn)
		return true;
	return !view->passive && other->out.level > q->out.level && !other->out.limited &&
	       kept_until[other - view->first] > view->now_ns;
}

static void promise_victim(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_queue_view *other;
	bool above = false;

	promise("no pinned queue is taken off", !q->terms.pinned);
	promise("no absent queue is taken off", q->seen.mapped);
	promise("no preempted queue is taken off", !q->seen.preempted);
	if (q->out.reason == GPREEMPT_REASON_ASKED) {
		promise("what is asked for was asked for", q->terms.asked || q->terms.held);
		return;
	}
	gpreempt_for_each(other, view)
		above |= is_above(other, q);
	above |= q->out.reason == GPREEMPT_REASON_TIMESLICE && q->out.limited;
	promise("none is taken off but for a runnable queue above that it meets, a turn, or a cap",
		above);
	promise("a passive policy takes none off",
		!view->passive || q->out.reason == GPREEMPT_REASON_TIMESLICE);
	promise("what takes no turns has none to leave for",
		q->out.reason != GPREEMPT_REASON_TIMESLICE || q->rank.slice_ns);
}

static void promise_kept(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_queue_view *other;
	bool kept = q->out.limited, above = false;

	gpreempt_for_each(other, view) {
		kept |= keeps(view, other, q);
		above |= is_above(other, q) && !other->out.limited;
	}
	promise("none stays off but for one above that it meets, a turn, or a cap",
		!q->seen.preempted || gpreempt_held(q) || kept);
	promise("all that is below one that wants more, and in its way, leaves when it may",
		!above || view->passive || !gpreempt_takes_part(q) || !q->seen.mapped ||
		q->terms.pinned || q->out.unused || !q->state.in_the_way ||
		view->now_ns < q->state.leave_ns);
}

static void promise_outcome(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	switch (q->out.verdict) {
	case GPREEMPT_PREEMPT:
		promise_victim(view, q);
		break;
	case GPREEMPT_RESUME:
		promise("only what was preempted is put back", q->seen.preempted);
		promise("no held queue is put back", !gpreempt_held(q));
		break;
	default:
		promise("a verdict is one of three", q->out.verdict == GPREEMPT_KEEP);
		promise("no held queue stays on", !q->seen.mapped || !gpreempt_held(q));
		promise("no reason without a verdict", q->out.reason == GPREEMPT_REASON_NONE);
		promise_kept(view, q);
	}
	promise("a queue stands where its policy says, or is raised",
		q->out.level == (q->out.raised ? GPREEMPT_BOOST : q->rank.level));
}

/* All of select, of QUEUES queues. */
void prove_select(void)
{
	unsigned int i, preempt = 0, resume = 0, raised = 0;
	struct gpreempt_queue_view q[QUEUES];
	struct gpreempt_plan plan;
	struct gpreempt_view view;

	struct gpreempt_memory memory[QUEUES];

	any_tunables(&view.tun);
	any_view(&view, q);
	for (i = 0; i < QUEUES; i++) {
		memory[i].raised = nondet_bool();
		q[i].memory = &memory[i];
		kept_until[i] = nondet_u64();
	}
	gpreempt_select(&view, &plan);

	for (i = 0; i < QUEUES; i++) {
		promise_outcome(&view, &q[i]);
		preempt += q[i].out.verdict == GPREEMPT_PREEMPT;
		resume += q[i].out.verdict == GPREEMPT_RESUME;
		raised += q[i].out.raised;
	}
	promise("the plan counts what it takes off", plan.nr_preempt == preempt);
	promise("the plan counts what it puts back", plan.nr_resume == resume);
	promise("one is raised at a time", raised <= 1);
	promise("no interval is below the least",
		!plan.within_us || plan.within_us >= GPREEMPT_POLL_LEAST_US);
}

/* Whatever is seen and remembered of a queue: its state is what select takes of it. */
void prove_state(void)
{
	struct gpreempt_memory memory;
	struct gpreempt_queue_view q;
	struct gpreempt_view view;

	any_tunables(&view.tun);
	any_evidence(&q.seen);
	any_terms(&q.terms);
	view.first = &q;
	q.next = NULL;
	view.now_ns = any_time();
	view.lead_ns = any_time();
	view.passive = nondet_bool();
	view.contested = nondet_bool();
	view.waves_final = nondet_bool();
	q.memory = &memory;
	gpreempt_work(&view, &q);
	q.matters = nondet_bool();
	gpreempt_estimate(&view, &q);
	promise("estimate's state is what select takes", is_sound(&q));
}

/*
 * Whatever a group has learned: none keeps others off for longer than linger_max_us after its
 * end, nor with work that cannot run; and one that wants more does.
 */
void prove_until(void)
{
	struct gpreempt_queue_view q;
	struct gpreempt_turn turn;
	struct gpreempt_view view;
	struct gpreempt_linger *l = &turn.linger;
	u64 until_ns;

	any_tunables(&view.tun);
	view.now_ns = any_time();
	l->idle_ns = any_time();
	l->wanted_ns = any_time();
	l->linger_ns = any_time();
	l->began_ns = any_time();
	l->quiet_ns = any_time();
	l->spent_ns = any_time();
	q.turn = &turn;
	q.out.activity = any_activity();
	q.out.wants = nondet_bool();
	q.out.raised = nondet_bool();
	q.change.consumed = nondet_bool();
	take(l->idle_ns <= view.now_ns);
	take(l->quiet_ns <= NSEC_PER_SEC);	/* gpreempt_linger_learn() clamps it */
	until_ns = gpreempt_linger_until(&view, &q);
	switch (q.out.activity) {
	case GPREEMPT_RUNNING:
	case GPREEMPT_RUNNABLE:
		promise("what wants more keeps others off",
			!(q.out.wants || q.out.raised) || until_ns == U64_MAX);
		promise("a group that works on keeps others off for 4 s after its last want, at most",
			q.out.wants || q.out.raised ||
			until_ns <= l->wanted_ns + 4 * NSEC_PER_SEC);
		break;
	case GPREEMPT_IDLE:
		promise("what has ended keeps others off for linger_max_us at most",
			until_ns <= view.now_ns + (u64)view.tun.linger_max_us * NSEC_PER_USEC);
		break;
	default:
		promise("what cannot run keeps nobody off", !until_ns);
	}
}

static u64 nonsense(const struct gpreempt_party *p)
{
	return nondet_u64();
}

/*
 * Whatever priority was asked for, and whatever a policy returns: no queue's place is outside of
 * the levels, and none waits for its turn for longer than rule 3, starvation, lets it.
 */
void prove_rank(void)
{
	struct gpreempt_policy policy = {
		.turns = nondet_bool(),
		.key = nondet_bool() ? nonsense : NULL,
		.not_before_ns = nondet_bool() ? nonsense : NULL,
	};
	struct gpreempt_group group;
	struct gpreempt_queue_view q;
	struct gpreempt_rank rank;
	struct gpreempt_view view;

	any_tunables(&view.tun);
	any_terms(&q.terms);
	q.group = &group;
	view.now_ns = any_time();
	view.policy = &policy;
	rank = gpreempt_policy_rank(&view, &q);
	promise("a level is one of those there are", rank.level < GPREEMPT_LEVELS);
	promise("no turns without a policy of turns", policy.turns || !rank.slice_ns);
	promise("none is limited for longer than may starve",
		rank.not_before_ns <= view.now_ns + (u64)view.tun.starvation_ms * NSEC_PER_MSEC);
}
