// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's select: from what queues are doing, and where they stand, to a plan.
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_select_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

/* What a queue is in a case: its level and one letter, besides what else may be said of it. */
struct select_queue {
	u8 level;
	char is;		/* Idle, Running, Waiting, Blocked, unknown (?) */
	int waves;		/* that run */
	bool more;		/* than what runs is wanted */
	bool off, absent, pinned, held, asked, announced;
	bool fresh;		/* it is not to leave yet */
	bool starved, raised;
	bool unused;		/* it had the machine for blocked_us, if it was given it */
};

/*
 * States and ranks, and what becomes of each queue. It leaves for an Inversion, an Aged one, a
 * Hint, or as it was asked to (Q); it is back as the machine is free, what is above is blocked,
 * or it starved; or it stays as it is.
 */
struct select_case {
	const char *name;
	struct select_queue q[6];	/* as many as are anything */
	const char *plan;
	bool passive;
};

#define NOW_NS		(5000 * NSEC_PER_MSEC)

/* Of a queue that has none but what a case says. */
struct select_past {
	struct gpreempt_memory memory;
	struct gpreempt_group group;
};

static void select_queue(struct gpreempt_queue_view *v, const struct select_queue *q,
			 struct select_past *past)
{
	static const char letters[] = {
		[GPREEMPT_IDLE] = 'I', [GPREEMPT_RUNNING] = 'R', [GPREEMPT_RUNNABLE] = 'W',
		[GPREEMPT_BLOCKED] = 'B', [GPREEMPT_UNKNOWN] = '?',
	};
	bool runs = q->is == 'R', waits = q->is == 'W';

	*v = (struct gpreempt_queue_view) {
		.seen = { .mapped = !q->off && !q->absent, .preempted = q->off,
			  .waves = runs ? q->waves : 0 },
		.terms = { .held = q->held, .asked = q->asked, .pinned = q->pinned,
			   .hint_ns = q->announced ? NOW_NS + 1 : 0 },
		.rank = { .level = q->level },
		.state = { .wants = (waits || q->more) && !q->asked, .announced = q->announced,
			   .in_the_way = runs || waits,
			   .unused = GPREEMPT_BLOCKED, .unused_ns = NOW_NS + !q->unused,
			   .leave_ns = NOW_NS + q->fresh,
			   .waits_ns = q->starved ? NOW_NS - 1000 * NSEC_PER_MSEC : 0 },
	};
	v->memory = &past->memory;
	v->memory->raised = q->raised;
	v->group = &past->group;
	v->turn = &v->group->turn[q->level];
	/* it has just wanted more */
	v->turn->linger.wanted_ns = NOW_NS;
	while (letters[v->state.activity] != q->is)
		v->state.activity++;
}

static char select_letter(const struct gpreempt_outcome *out)
{
	static const char letters[] = {
		[GPREEMPT_REASON_NONE] = '-', [GPREEMPT_REASON_INVERSION] = 'I',
		[GPREEMPT_REASON_AGED] = 'A', [GPREEMPT_REASON_HINT] = 'H',
		[GPREEMPT_REASON_ASKED] = 'Q', [GPREEMPT_REASON_FREE] = 'f',
		[GPREEMPT_REASON_BLOCKED] = 'b', [GPREEMPT_REASON_STARVED] = 's',
	};

	return letters[out->reason];
}

static void select_check(struct kunit *test)
{
	const struct select_case *c = test->param_value;
	struct gpreempt_view *view = kunit_kzalloc(test, sizeof(*view), GFP_KERNEL);
	struct gpreempt_queue_view *q;
	struct select_past *past;
	char is[ARRAY_SIZE(c->q) + 1] = {};
	unsigned int nr, i, off = 0, back = 0;
	struct gpreempt_plan plan;

	q = kunit_kcalloc(test, ARRAY_SIZE(c->q), sizeof(*q), GFP_KERNEL);
	past = kunit_kcalloc(test, ARRAY_SIZE(c->q), sizeof(*past), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, view);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_ASSERT_NOT_NULL(test, past);
	view->now_ns = NOW_NS;
	view->contested = true;
	view->passive = c->passive;
	for (nr = 0; nr < ARRAY_SIZE(c->q) && c->q[nr].is; nr++)
		select_queue(&q[nr], &c->q[nr], &past[nr]);
	gpreempt_chain(view, q, nr);
	view->tun = defaults;
	gpreempt_select(view, &plan);
	for (i = 0; i < nr; i++) {
		is[i] = select_letter(&q[i].out);
		off += q[i].out.verdict == GPREEMPT_PREEMPT;
		back += q[i].out.verdict == GPREEMPT_RESUME;
	}
	KUNIT_EXPECT_STREQ(test, is, c->plan);
	KUNIT_EXPECT_EQ(test, plan.nr_preempt, off);
	KUNIT_EXPECT_EQ(test, plan.nr_resume, back);
}

/* Which leave, which are back, and why. */
static const struct select_case plan_cases[] = {
	{ "lower runs", { { 6, 'R', 8 }, { 7, 'W' } }, "I-" },
	{ "furthest levels", { { 0, 'R', 8 }, { 15, 'W' } }, "I-" },
	{ "of the same level", { { 7, 'R', 8 }, { 7, 'W' } }, "--" },
	{ "higher runs", { { 8, 'R', 8 }, { 7, 'W' } }, "--" },
	{ "lower waits as well", { { 6, 'W' }, { 7, 'W' } }, "I-" },
	{ "pinned", { { 6, 'R', 8, .pinned = true }, { 7, 'W' } }, "--" },
	{ "idle", { { 6, 'I' }, { 7, 'W' } }, "--" },
	{ "blocked", { { 6, 'B' }, { 7, 'W' } }, "--" },
	{ "unknown", { { 6, '?' }, { 7, 'W' } }, "--" },
	{ "for one that is unknown", { { 6, 'R', 8 }, { 7, '?' } }, "--" },
	{ "that is blocked", { { 6, 'R', 8 }, { 7, 'B' } }, "--" },
	{ "that is not there", { { 6, 'R', 8 }, { 7, 'B', .absent = true } }, "--" },
	{ "that runs", { { 6, 'R', 8 }, { 7, 'R', 8 } }, "--" },
	{ "that runs, and wants more", { { 6, 'R', 8 }, { 7, 'R', 8, .more = true } }, "I-" },
	{ "that is off itself, and wants the machine",
	  { { 3, 'R', 8 }, { 7, 'W', .off = true }, { 9, 'R', 8 } }, "I--" },
	{ "all below at once, what is off stays off",
	  { { 3, 'R', 8 }, { 5, 'W', .off = true }, { 4, 'R', 8 }, { 9, 'W' } }, "I-I-" },
	{ "it has only just come", { { 6, 'R', 8, .fresh = true }, { 7, 'W' } }, "--" },
	{ "nothing is taken off by one that only watches", { { 6, 'R', 8 }, { 7, 'W' } }, "--",
	  .passive = true },
	{ "but what was asked to leave", { { 6, 'R', 8, .asked = true }, { 7, 'W' } }, "Q-",
	  .passive = true },
	{ "and all comes back", { { 6, 'W', .off = true }, { 7, 'R', 8 } }, "f-",
	  .passive = true },
	{ "for announced work", { { 6, 'R', 8 }, { 7, 'W', .announced = true } }, "H-" },
	{ "for what is there as well",
	  { { 6, 'R', 8 }, { 7, 'W' }, { 7, 'W', .announced = true } }, "I--" },
	{ "for one that starves", { { 6, 'W', .off = true, .starved = true }, { 7, 'R', 8 } },
	  "sA" },
	{ "one at a time",
	  { { 6, 'W', .off = true, .starved = true }, { 7, 'R', 8 },
	    { 5, 'W', .off = true, .starved = true } }, "sA-" },
	{ "another one is raised",
	  { { 6, 'W', .off = true, .starved = true }, { 7, 'R', 8 },
	    { 5, 'W', .off = true, .raised = true } }, "-As" },
	{ "what was raised does not leave", { { 3, 'R', 8, .raised = true }, { 7, 'W' } }, "--" },
	{ "asked to leave, none leaves for it",
	  { { 6, 'R', 8 }, { 7, 'W', .asked = true } }, "-Q" },
	{ "held: as asked", { { 6, 'R', 8, .held = true }, { 7, 'R', 8 } }, "Q-" },
	{ "held, and pinned", { { 6, 'R', 8, .held = true, .pinned = true } }, "-" },
	{ "held is not put back", { { 6, 'W', .off = true, .held = true }, { 3, 'R', 8 } }, "--" },
	{ "unless it is pinned",
	  { { 6, 'W', .off = true, .held = true, .pinned = true }, { 3, 'I' } }, "f-" },
	{ "the machine is free", { { 3, 'W', .off = true }, { 7, 'I' } }, "f-" },
	{ "the highest first", { { 3, 'W', .off = true }, { 7, 'W', .off = true } }, "-f" },
	{ "equals together", { { 3, 'W', .off = true }, { 3, 'W', .off = true } }, "ff" },
	{ "beside an equal", { { 3, 'W', .off = true }, { 3, 'R', 8 } }, "f-" },
	{ "what is above is blocked", { { 3, 'W', .off = true }, { 7, 'B' } }, "b-" },
	{ "given the machine, it does not use it",
	  { { 3, 'W', .off = true }, { 7, 'W', .unused = true } }, "b-" },
	{ "announced work has not come",
	  { { 3, 'W', .off = true }, { 7, 'W', .announced = true, .unused = true } }, "--" },
	{ "an equal has the machine",
	  { { 3, 'W', .off = true }, { 7, 'W', .unused = true }, { 7, 'R', 8 } }, "---" },
	{ "a lower one is still there",
	  { { 3, 'R', 8, .fresh = true }, { 7, 'W', .unused = true } }, "--" },
	{ "what is there must not leave",
	  { { 3, 'R', 8, .pinned = true }, { 7, 'W', .unused = true },
	    { 5, 'W', .off = true } }, "--b" },
	{ "raised, and does not use it",
	  { { 3, 'W', .raised = true, .unused = true }, { 7, 'W', .off = true } }, "-f" },
};

KUNIT_ARRAY_PARAM_DESC(plan, plan_cases, name);

static void gpreempt_select_plan(struct kunit *test)
{
	select_check(test);
}

#define INTERVAL_US	(INTERVAL_NS / NSEC_PER_USEC)

/* Low is put back, and there for so long before it leaves again for high. */
#define STAYS(residency_us, ns)								\
	REPEAT(1, SET(view.tun.min_residency_us, residency_us),				\
	       SET(view.tun.starvation_ms, 60000),						\
	       DOES(high, finishes), SCAN(1), BACK(low, FREE), SCAN(1),				\
	       DOES(high, submits), RESCAN((ns) - 1), KEEP(low), SEE_IN(plan.next_ns, 1),	\
	       RESCAN(1), OFF(low, INVERSION), SEE(plan.next_ns, 0))

/* Low was raised, and does not use it: high is back, for good. */
static const struct step starved_in_vain[] = {
	SEE(low.out.level, 0), SEE(high.out.verdict, GPREEMPT_RESUME), SCAN(3000), ON(high), {}
};

/* What is asked to leave does so for once, ... */
static const struct step asked_once[] = {
	QUEUE(15), QUEUE(3), SCAN(1), DOES(one, runs), DOES(other, runs), DOES(one, submits),
	SET(one.terms.asked, true), SCAN(1), OFF(one, ASKED),
	/* none is taken off for it any more */
	KEEP(other), SET(one.terms.asked, false), SCAN(1), BACK(one, FREE), {}
};

/* ... or, with a hold, for good. */
static const struct step asked_to_stay_off[] = {
	QUEUE(15), QUEUE(3), SCAN(1), DOES(one, runs), DOES(other, runs), DOES(one, submits),
	SET(one.terms.held, true), SCAN(1), OFF(one, ASKED), KEEP(other),
	SCAN(3001), GONE(one), KEEP(other), {}
};

static const struct scene select_scenes[] = {
	/* Beyond the highest level there is none. */
	{ "victim_out_of_range", bench_low_runs, STEPS {
		SET(low.terms.priority, 15), SET(high.terms.priority, 200), SCAN(2),
		DOES(high, submits), SCAN(1), KEEP(low), KEEP(high), {} } },
	/* Rule 10, to the nanosecond: from the first scan that saw low mapped. */
	{ "residency", bench_high_runs, STEPS { STAYS(500, 500000), {} } },
	{ "residency_longest", bench_high_runs, STEPS { STAYS(1000000, 1000000000), {} } },
	/* None at all is none. */
	{ "residency_0", bench_high_runs, STEPS {
		SET(view.tun.min_residency_us, 0), DOES(high, finishes), SCAN(1), BACK(low, FREE),
		SCAN(1),
		DOES(high, submits), RESCAN(0), OFF(low, INVERSION), SEE(plan.next_ns, 0), {} } },
	/* Where none waits for low its end is not waited for. */
	{ "residency_for_none", bench_high_runs, STEPS {
		DOES(high, finishes), SCAN(1), BACK(low, FREE), SCAN(1),
		DOES(high, submits), RESCAN(0), SEE_IN(plan.next_ns, 500000),
		DOES(high, finishes), RESCAN(0), SEE(plan.next_ns, 0), {} } },
	/*
	 * One has been there for long, the other has not: the first goes at once, and what comes
	 * then gets a whole interval. Neither has: both are waited for, and go together.
	 */
	{ "residencies", bench_low_runs, STEPS {
		QUEUE(0), DOES(third, runs), SCAN(1), REPEAT(2, DOES(high, submits)),
		RESCAN(INTERVAL_NS / 4), OFF(low, INVERSION), KEEP(third), SEE(plan.next_ns, 0),
		SCAN(1), OFF(third, INVERSION), DOES(high, runs), SCAN(1), DOES(high, finishes),
		SCAN(1), BACK(low, FREE), BACK(third, FREE),
		RESUMED(low, 0), RESUMED(third, INTERVAL_NS / 10),
		REPEAT(2, DOES(high, submits)),
		RESCAN(INTERVAL_NS / 4), KEEP(low), KEEP(third),
		SEE_IN(plan.next_ns, INTERVAL_NS * 6 / 10 - INTERVAL_NS / 4),
		RESCAN(INTERVAL_NS * 6 / 10 - INTERVAL_NS / 4),
		OFF(low, INVERSION), OFF(third, INVERSION), {} } },
	/* What is off already does not have to be there for a while before there is space. */
	{ "residency_off", bench_high_runs, STEPS {
		SET(view.tun.min_residency_us, 1000 * 1000), DOES(high, submits),
		SCAN(1), YES(high.out.wants), KEEP(low), SEE(plan.next_ns, 0), {} } },
	/* Low comes back when high is done, and not before. */
	{ "resume", bench_high_fills, STEPS {
		SCAN(100), KEEP(low), IS(low, RUNNABLE),
		/* between two kernels of high */
		DOES(high, finishes), DOES(high, submits), SCAN(2), KEEP(low),
		DOES(high, runs), SCAN(1), DOES(high, finishes), SCAN(1), IS(high, IDLE),
		BACK(low, FREE), SEE(plan.nr_resume, 1), SEE(plan.nr_preempt, 0),
		SCAN(10), KEEP(low), {} } },
	/* A plan that could not be carried out is made again. */
	{ "resume_again", bench_high_runs, STEPS {
		DOES(high, finishes), SCAN(1),
		REPEAT(5, BACK(low, FREE), RESCAN(INTERVAL_NS)), {} } },
	/* Queues of one level share the machine: they leave and return together. */
	{ "equals", bench_strict, STEPS {
		QUEUE(3), QUEUE(3), QUEUE(4), SCAN(1), DOES(one, runs), DOES(other, submits),
		SCAN(5), SEE(plan.nr_preempt, 0),
		DOES(third, submits), SCAN(1), SEE(plan.nr_preempt, 2), SCAN(1),
		DOES(third, finishes), SCAN(1), SEE(plan.nr_resume, 2), {} } },
	/* What is held stays off, and none leaves for it. */
	{ "held", bench_high_runs, STEPS {
		SET(low.terms.held, true), DOES(high, finishes), SCAN(3000), KEEP(low),
		YES(plan.idle),
		/* it keeps none off, however high it is */
		SET(low.terms.priority, 15), QUEUE(1), SCAN(1), DOES(third, runs),
		SCAN(5), KEEP(third), SET(low.terms.held, false), SCAN(1), BACK(low, FREE), {} } },
	/* None is blocked while the machine is in fact another's: */
	{ "not_given", bench_low_runs, STEPS {
		SET(view.tun.starvation_ms, 60000),
		/* a lower one that cannot be taken off yet; */
		SET(view.tun.min_residency_us, 100 * 1000), DOES(high, submits),
		SCAN(94), IS(high, RUNNABLE), KEEP(low), SCAN(1), OFF(low, INVERSION), SCAN(1),
		SET(view.tun.min_residency_us, 500),
		DOES(high, finishes), SCAN(3), ON(low),
		/* one of its own level, or above; */
		QUEUE(15), SCAN(1), DOES(third, runs), SCAN(1),
		DOES(high, submits), SCAN(500), IS(high, RUNNABLE), GONE(low),
		/* a lower one that must not be taken off, for as long as that is so; */
		DOES(third, finishes), DOES(high, finishes), SCAN(500), ON(low),
		SET(low.terms.pinned, true), DOES(high, submits),
		SCAN(500), IS(high, RUNNABLE), KEEP(low),
		SET(low.terms.pinned, false), SCAN(1), OFF(low, INVERSION), SCAN(1),
		DOES(high, finishes), SCAN(3), ON(low),
		/* but that does not keep a third off for good: high has got all there is to give */
		SET(low.terms.pinned, true), QUEUE(3), SCAN(1),
		DOES(fourth, runs), DOES(high, submits), SCAN(2), GONE(fourth),
		SCAN(20), IS(high, BLOCKED), ON(fourth), {} } },
	/* What is in its way must not be taken off: it is not blocked, if none is kept off, ... */
	{ "not_given_pinned", bench_low_runs, STEPS {
		SET(low.terms.pinned, true), DOES(high, submits),
		SCAN(900), YES(asked), IS(high, RUNNABLE), {} } },
	/* ... as what is held is not for its sake. */
	{ "not_given_pinned_held", bench_low_runs, STEPS {
		SET(low.terms.pinned, true), QUEUE(3), DOES(third, is_off),
		SET(third.terms.held, true), DOES(high, submits),
		SCAN(900), YES(asked), IS(high, RUNNABLE), {} } },
	/* What must not be taken off is not in its own way. */
	{ "given_pinned", bench_strict, STEPS {
		SET(waves_unreadable, true), QUEUE(7), QUEUE(15), SET(one.terms.pinned, true),
		/* for all that is known it may have work, and it keeps nothing off */
		SET(other.seen.readable, false), DOES(one, submits),
		SCAN(900), IS(other, UNKNOWN), IS(one, BLOCKED), {} } },
	/* Rule 3, to the nanosecond, and how the favour ends. */
	{ "starved", bench_high_fills, STEPS {
		RESCAN(998 * INTERVAL_NS + 999999), KEEP(low), SEE(low.out.level, 0),
		RESCAN(1), SEE(low.out.level, GPREEMPT_BOOST), BACK(low, STARVED), OFF(high, AGED),
		/* until its waves are there it has not executed */
		WAVES(low, 0), SCAN(1), SEE(low.out.level, GPREEMPT_BOOST), KEEP(low), KEEP(high),
		WAVES(low, 32), SCAN(1), SEE(low.out.level, GPREEMPT_BOOST), KEEP(high),
		RESCAN(499999), SEE(low.out.level, GPREEMPT_BOOST),
		RESCAN(1), SEE(low.out.level, 0), OFF(low, INVERSION), BACK(high, FREE),
		/* the clock starts anew */
		EACH(1000, SEE(low.out.level, 0)), SCAN(1), SEE(low.out.level, GPREEMPT_BOOST),
		{} } },
	/* min_residency_us 0: still one scan between seeing it run and taking it off. */
	{ "starved_executes", bench_high_fills, STEPS {
		SET(view.tun.min_residency_us, 0), SCAN(999), BACK(low, STARVED),
		SCAN(1), IS(low, RUNNING), KEEP(low), SCAN(1), OFF(low, INVERSION), {} } },
	/*
	 * Its read index moved, and no scan caught its waves. That may have been at fetch, with no
	 * space for its packet; when it moves again, the packet before has executed.
	 */
	{ "starved_progress", bench_high_fills, STEPS {
		WAVES(low, 0), REPEAT(3, DOES(low, submits)), SCAN(999), BACK(low, STARVED),
		SET(low.seen.rptr, 2), SCAN(2), SEE(low.out.level, GPREEMPT_BOOST), GONE(high),
		SET(low.seen.rptr, 3), SCAN(1), SEE(low.out.level, GPREEMPT_BOOST),
		SCAN(1), SEE(low.out.level, 0), {} } },
	/* Kept from running without ever being preempted counts as well. */
	{ "starved_mapped", bench_two, STEPS {
		SCAN(1), DOES(high, runs), SCAN(3), DOES(low, submits),
		SCAN(1000), IS(low, RUNNABLE), KEEP(low), KEEP(high),
		SCAN(1), SEE(low.out.level, GPREEMPT_BOOST), KEEP(low), OFF(high, AGED), {} } },
	/* What executes now and then is not starved, ... */
	{ "starved_not", bench_two, STEPS {
		SCAN(1), DOES(high, runs), SCAN(1), DOES(low, submits),
		REPEAT(6, EACH(800, SEE(low.out.level, 0), KEEP(high)), WAVES(low, 1),
		       SCAN(1), SEE(low.out.level, 0), KEEP(high), WAVES(low, 0)),
		/* ... nor is one that waits for a signal. */
		HEAD(low, WAITS), SCAN(5000), SEE(low.out.level, 0), KEEP(high), {} } },
	/* Raised, but blocked, ... */
	{ "starved_unused", bench_high_fills, STEPS {
		DOES(low, finishes), DOES(low, submits), SCAN(999), BACK(low, STARVED),
		OFF(high, AGED), SCAN(1), KEEP(high),
		SCAN(2), IS(low, BLOCKED), PLAY(starved_in_vain), {} } },
	/* ... by a signal, ... */
	{ "starved_waits", bench_high_fills, STEPS {
		DOES(low, finishes), DOES(low, waits_for_signal), SCAN(999), BACK(low, STARVED),
		OFF(high, AGED), SCAN(1), KEEP(high),
		SCAN(2), IS(low, BLOCKED), PLAY(starved_in_vain), {} } },
	/* ... or with nothing left to do: the favour ends. */
	{ "starved_idle", bench_high_fills, STEPS {
		DOES(low, finishes), SCAN(999), BACK(low, STARVED), OFF(high, AGED),
		SCAN(1), KEEP(high), SCAN(1), IS(low, IDLE), PLAY(starved_in_vain), {} } },
	/* Two at once: each has the machine for itself, and high seven times as long between. */
	{ "starved_two", bench_strict, STEPS {
		QUEUE(0), QUEUE(3), QUEUE(15), SCAN(1), DOES(one, runs), DOES(other, runs), SCAN(5),
		DOES(third, submits), SCAN(1), SEE(plan.nr_preempt, 2),
		DOES(third, runs), DOES(third, submits),
		/* of two that have waited equally long the first; then the one that waits longer */
		REPEAT(3, UNTIL(one.out.level, GPREEMPT_BOOST), BACK(one, STARVED), KEEP(other),
		       OFF(third, AGED), SCAN(2), SEE(one.out.level, 0), OFF(one, INVERSION),
		       BACK(third, FREE), EACH(13, KEEP(other), ON(third)),
		       SCAN(1), BACK(other, STARVED), OFF(third, AGED), SCAN(2),
		       SEE(other.out.level, 3), OFF(other, INVERSION), BACK(third, FREE),
		       EACH(900, KEEP(one), KEEP(other))), {} } },
	/* Of several, the one that has waited longest, wherever it is listed. */
	{ "starved_longest", bench_strict, STEPS {
		SET(view.tun.starvation_ms, 60000), QUEUE(0), QUEUE(3), QUEUE(15), SCAN(1),
		DOES(other, runs), SCAN(5), DOES(third, submits), SCAN(1), DOES(third, runs),
		DOES(third, submits), SCAN(100),
		DOES(one, submits), SCAN(100), IS(one, RUNNABLE),
		SET(view.tun.starvation_ms, 10), SCAN(1), SEE(other.out.level, GPREEMPT_BOOST),
		SEE(one.out.level, 0), {} } },
	/* Raised, but its resume failed: it stays so until it has executed, though all is quiet. */
	{ "starved_late", bench_high_fills, STEPS {
		SCAN(999), BACK(low, STARVED), DOES(high, finishes),
		REPEAT(5, RESCAN(INTERVAL_NS), BACK(low, STARVED)), IS(high, IDLE), {} } },
	/* What leaves for a starved queue does not leave for work announced on its own level. */
	{ "starved_hint", bench_high_fills, STEPS {
		QUEUE(15), SCAN(998), ANNOUNCES(third, 1, 9),
		SCAN(1), YES(third.out.announced), BACK(low, STARVED), OFF(high, AGED), {} } },
	/*
	 * A high kernel that spins in its waves on what low must write cannot be told
	 * from work: low executes by rule 3, every starvation_ms.
	 */
	{ "spinning_high", bench_high_fills, STEPS {
		COUNT, SCAN(10000), LEAST(had[0], 9), MOST(had[0], 40), {} } },
	/* While something is off, the monitor looks again after an eighth of that time. */
	{ "end", bench_low_runs, STEPS {
		SEE(plan.within_us, 0), DOES(high, submits), SCAN(1), OFF(low, INVERSION),
		SEE(plan.within_us, INTERVAL_US / 8),
		/* from the first scan that sees it off, and an interval at most */
		DOES(high, runs), DOES(high, submits), SCAN(1),
		SEE(plan.within_us, INTERVAL_US / 8),
		SCAN(4), KEEP(low), SEE(plan.within_us, INTERVAL_US / 2),
		SCAN(20), SEE(plan.within_us, INTERVAL_US),
		/* of two the one that left last */
		QUEUE(0), SCAN(1), DOES(third, runs), SCAN(1), OFF(third, INVERSION),
		SEE(plan.within_us, INTERVAL_US / 8), SCAN(5), SEE(plan.within_us, INTERVAL_US / 2),
		SET(view.tun.poll_interval_us, 160), SET(third.seen.preempted, false),
		SCAN(1), SEE(plan.within_us, 160),
		SET(view.tun.poll_interval_us, INTERVAL_US),
		/* what is held does not wait for it */
		SET(low.terms.held, true), SCAN(1), SEE(plan.within_us, 0),
		SET(low.terms.held, false), SCAN(3), SEE(plan.within_us, INTERVAL_US / 4),
		/* nor does what is back */
		DOES(high, finishes), SCAN(1), BACK(low, FREE), SEE(plan.within_us, 0), {} } },
	/* However short the interval, there is a least. */
	{ "end_least", bench_low_runs, STEPS {
		SET(view.tun.poll_interval_us, 160), DOES(high, submits), SCAN(1),
		OFF(low, INVERSION), SEE(plan.within_us, GPREEMPT_POLL_LEAST_US), {} } },
	/* One has just begun while the end of another one is awaited: the shorter time counts. */
	{ "end_begins", bench_low_runs, STEPS {
		QUEUE(15), SCAN(1), DOES(high, submits), SCAN(1), DOES(high, runs),
		DOES(high, submits), SCAN(20), KEEP(low), SEE(plan.within_us, INTERVAL_US),
		DOES(third, submits), MEANWHILE(third, is_fetched),
		SCAN(1), YES(asked), SEE(plan.within_us, GPREEMPT_POLL_LEAST_US), {} } },
	/* Asked for by ioctl: every policy takes it off, with a hold for good. */
	{ "asked", bench_strict, STEPS { PLAY(asked_once), {} } },
	{ "asked_of_none", bench_strict, STEPS { POLICY("none"), PLAY(asked_once), {} } },
	{ "asked_of_timeslice", bench_strict, STEPS { POLICY("timeslice"), PLAY(asked_once), {} } },
	{ "asked_to_hold", bench_strict, STEPS { PLAY(asked_to_stay_off), {} } },
	{ "asked_to_hold_of_none", bench_strict, STEPS {
		POLICY("none"), PLAY(asked_to_stay_off), {} } },
	{ "asked_to_hold_of_timeslice", bench_strict, STEPS {
		POLICY("timeslice"), PLAY(asked_to_stay_off), {} } },
	/* What is off has work, for all that is known, even at first sight: the monitor looks. */
	{ "preempted_shows", bench_strict, STEPS {
		QUEUE(3), QUEUE(3), DOES(one, is_off),
		SCAN(1), NO(asked), BACK(one, FREE), KEEP(other), {} } },
};

KUNIT_ARRAY_PARAM_DESC(select, select_scenes, name);

static void gpreempt_select_scenes(struct kunit *test)
{
	scene_play(test);
}

/* Held, with none beside it that it could wait for: it did not starve meanwhile. */
static void gpreempt_select_starved_skipped(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);

	bench_ticks(b, 1);
	b->low.terms.held = true;
	KUNIT_EXPECT_FALSE(test, gpreempt_may_contend(&b->view));
	b->plan.nr_preempt = 1;
	b->plan.nr_resume = 1;
	gpreempt_skip(&b->view, &b->plan);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt + b->plan.nr_resume, 0);
	b->low.terms.held = false;
	bench_scan_at(b, b->view.now_ns + 5000 * INTERVAL_NS);
	KUNIT_EXPECT_EQ(test, b->low.out.level, 0);
	EXPECT_KEEP(test, &b->high);
}

static struct kunit_case gpreempt_select_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_select_plan, plan_gen_params),
	KUNIT_CASE_PARAM(gpreempt_select_scenes, select_gen_params),
	KUNIT_CASE(gpreempt_select_starved_skipped),
	{}
};

static struct kunit_suite gpreempt_select_suite = {
	.name = "amdgpu_kfd_gpreempt_select",
	.test_cases = gpreempt_select_cases,
};

kunit_test_suite(gpreempt_select_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's select");
MODULE_LICENSE("Dual MIT/GPL");
