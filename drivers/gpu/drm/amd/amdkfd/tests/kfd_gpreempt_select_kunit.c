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
	int waves;		/* that run; or that it waits for, 0: for all there is */
	u64 cost;		/* of its save, in ns; 0: 1000 a wave */
	bool more;		/* than what runs is wanted */
	bool off, absent, pinned, held, asked, announced;
	bool fresh;		/* it is not to leave yet */
	bool ends;		/* as a rule sooner than it is saved */
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
	bool passive, guesses;
};

#define NOW_NS		(5000 * NSEC_PER_MSEC)

static void select_queue(struct gpreempt_queue_view *v, const struct select_queue *q)
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
			   .in_the_way = runs || waits, .raised = q->raised,
			   .unused = GPREEMPT_BLOCKED, .unused_ns = NOW_NS + !q->unused,
			   .demand = waits ? q->waves : 0,
			   .save_cost_ns = q->cost ?: runs && q->waves > 0 ? q->waves * 1000 : 0,
			   .ends_ns = q->ends ? NOW_NS + q->cost - 1 : 0,
			   .leave_ns = NOW_NS + q->fresh,
			   .waits_ns = q->starved ? NOW_NS - 1000 * NSEC_PER_MSEC : 0 },
	};
	v->state.takes_part = gpreempt_takes_part(v);
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
	struct gpreempt_view view = { .now_ns = NOW_NS, .contested = true, .passive = c->passive };
	struct gpreempt_queue_view *q;
	char is[ARRAY_SIZE(c->q) + 1] = {};
	unsigned int i, off = 0, back = 0;
	struct gpreempt_plan plan;

	q = kunit_kcalloc(test, ARRAY_SIZE(c->q), sizeof(*q), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	view.q = q;
	for (; view.nr < ARRAY_SIZE(c->q) && c->q[view.nr].is; view.nr++)
		select_queue(&q[view.nr], &c->q[view.nr]);
	gpreempt_select(&view, &defaults, &plan);
	for (i = 0; i < view.nr; i++) {
		is[i] = select_letter(&q[i].out);
		off += q[i].out.verdict == GPREEMPT_PREEMPT;
		back += q[i].out.verdict == GPREEMPT_RESUME;
	}
	KUNIT_EXPECT_STREQ(test, is, c->plan);
	KUNIT_EXPECT_EQ(test, plan.nr_preempt, off);
	KUNIT_EXPECT_EQ(test, plan.nr_resume, back);
	KUNIT_EXPECT_EQ(test, plan.guesses, c->guesses);
}

/* Which leave, which are back, and why. */
static const struct select_case plan_cases[] = {
	{ "lower runs", { { 6, 'R', 8 }, { 7, 'W' } }, "I-" },
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
	{ "it is about to end", { { 6, 'R', 8, 300, .ends = true }, { 7, 'W' } }, "--" },
	{ "it would be, but wants more",
	  { { 6, 'R', 8, 300, .ends = true, .more = true }, { 7, 'W' } }, "I-" },
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

/*
 * Rule 10: for work of one packet, the lowest priority first, then least to save, and no more
 * than it needs.
 */
static const struct select_case cheapest_cases[] = {
#define FOR(level, n)	{ level, 'W', n }
	{ "unknown: all",
	  { { 0, 'R', 8 }, { 0, 'R', 8 }, { 3, 'R', 8 }, { 3, 'R', 8 }, FOR(15, 0) }, "IIII-" },
	{ "one is enough",
	  { { 3, 'R', 8 }, { 0, 'R', 8 }, { 3, 'R', 8 }, { 3, 'R', 8 }, FOR(15, 8) }, "-I---" },
	{ "one is not",
	  { { 3, 'R', 8 }, { 0, 'R', 8 }, { 3, 'R', 9 }, FOR(15, 9) }, "II--" },
	{ "lowest first", { { 5, 'R', 1 }, { 3, 'R', 32 }, { 4, 'R', 8 }, FOR(15, 4) }, "-I--" },
	{ "least cost",
	  { { 3, 'R', 8, 400 }, { 3, 'R', 8, 300 }, { 3, 'R', 8, 500 }, FOR(15, 8) }, "-I--" },
	{ "what others cost does not matter",
	  { { 3, 'R', 8, 100 }, { 3, 'R', 8, 200 }, { 5, 'R', 8, 50 }, FOR(15, 8) }, "I---" },
	{ "fewest waves",
	  { { 3, 'R', 32 }, { 3, 'R', 5 }, { 3, 'R', 6 }, { 3, 'R', 7 }, FOR(15, 4) }, "-I---" },
	{ "cheap ones together",
	  { { 3, 'R', 16, 400 }, { 3, 'R', 4, 100 }, { 3, 'R', 6, 101 }, { 3, 'R', 6, 102 },
	    FOR(15, 10) }, "-II--" },
	{ "what must not be taken off frees nothing",
	  { { 3, 'R', 8, 100, .pinned = true }, { 3, 'R', 8, 300 }, { 3, 'R', 8, 400 },
	    FOR(15, 8) }, "-I--" },
	{ "of equals the first",
	  { { 3, 'R', 8, 7 }, { 3, 'R', 8, 7 }, { 3, 'R', 8, 7 }, FOR(15, 8) }, "I---" },
	{ "more than there is",
	  { { 0, 'R', 8 }, { 1, 'R', 8 }, { 2, 'R', 8 }, { 3, 'R', 8 }, FOR(15, 33) }, "IIII-" },
	{ "all there is",
	  { { 0, 'R', 8 }, { 1, 'R', 8 }, { 2, 'R', 8 }, { 3, 'R', 8 }, FOR(15, 32) }, "IIII-" },
	{ "not a peer",
	  { { 15, 'R', 8 }, { 15, 'R', 8 }, { 14, 'R', 8 }, FOR(15, 8) }, "--I-" },
	{ "what would take the space",
	  { { 3, 'R', 8 }, { 1, 'R', 8 }, { 0, 'R', 1, .more = true }, FOR(15, 8) }, "-II-" },
	{ "what that one frees counts",
	  { { 3, 'R', 8 }, { 3, 'R', 8, .more = true }, { 3, 'R', 8 }, FOR(15, 8) }, "-I--" },
	{ "and be it a single wave",
	  { { 3, 'R', 8 }, { 3, 'R', 1, .more = true }, { 3, 'R', 8 }, FOR(15, 9) }, "II--" },
	{ "what only waits for space",
	  { FOR(3, 0), { 5, 'R', 8 }, { 4, 'R', 8 }, { 5, 'R', 8 }, FOR(15, 8) }, "I-I--" },
	{ "what moved on, of which no waves are seen",
	  { { 3, 'R', 8 }, { 3, 'R', 0 }, { 3, 'R', 9 }, FOR(15, 8) }, "II--" },
	{ "what was not counted might do alone",
	  { { 3, 'R', 8 }, { 3, 'R', -1 }, FOR(15, 8) }, "II-", .guesses = true },
	{ "there is no other", { { 3, 'R', -1 }, FOR(15, 8) }, "I-" },
	{ "what two want together",
	  { { 3, 'R', 8 }, { 3, 'R', 8 }, { 3, 'R', 8 }, FOR(15, 8), FOR(15, 8) }, "II---" },
	{ "another one wants all there is below it",
	  { { 3, 'R', 8 }, { 14, 'R', 8 }, { 14, 'R', 8 }, FOR(15, 8), FOR(13, 0) }, "I---I" },
#undef FOR
};

KUNIT_ARRAY_PARAM_DESC(cheapest, cheapest_cases, name);

static void gpreempt_select_plan(struct kunit *test)
{
	select_check(test);
}

static void gpreempt_select_cheapest(struct kunit *test)
{
	select_check(test);
}

/* Rule 1, what may be a victim. Each line differs from the first in one thing. */
struct victim_case {
	const char *name;
	u8 low, high;
	bool pinned, idle, backlog_only, waits, waiter_idle, waiter_absent;
	enum gpreempt_verdict verdict;
};

static const struct victim_case victim_cases[] = {
	{ .name = "lower runs", .low = 6, .high = 7, .verdict = GPREEMPT_PREEMPT },
	{ .name = "furthest levels", .low = 0, .high = 15, .verdict = GPREEMPT_PREEMPT },
	{ .name = "lower is about to", .low = 6, .high = 7, .backlog_only = true,
	  .verdict = GPREEMPT_PREEMPT },
	{ .name = "same level", .low = 7, .high = 7 },
	{ .name = "higher runs", .low = 8, .high = 7 },
	{ .name = "out of range is the highest", .low = 15, .high = 200 },
	{ .name = "pinned", .low = 6, .high = 7, .pinned = true },
	{ .name = "idle stays mapped", .low = 6, .high = 7, .idle = true },
	{ .name = "lower is blocked", .low = 6, .high = 7, .waits = true },
	{ .name = "no work above", .low = 6, .high = 7, .waiter_idle = true },
	{ .name = "waiter evicted", .low = 6, .high = 7, .waiter_absent = true },
};

KUNIT_ARRAY_PARAM_DESC(victim, victim_cases, name);

static void gpreempt_select_victim(struct kunit *test)
{
	const struct victim_case *c = test->param_value;
	struct bench *b = bench_low_runs(test);

	b->low.terms.priority = c->low;
	b->high.terms.priority = c->high;
	b->low.terms.pinned = c->pinned;
	if (c->idle || c->backlog_only || c->waits)
		finishes(&b->low);
	if (c->backlog_only)
		submits(&b->low);
	if (c->waits)
		waits_for_signal(&b->low);
	bench_ticks(b, 2);
	if (!c->waiter_idle)
		submits(&b->high);
	b->high.seen.mapped = !c->waiter_absent;
	KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.verdict, c->verdict);
	EXPECT_KEEP(test, &b->high);
}

/*
 * Rule 10, to the nanosecond: from the first scan that saw low mapped. What waits for the
 * rest of it does not wait for the next scan as well.
 */
static void gpreempt_select_residency(struct kunit *test)
{
	static const struct {
		u32 min_residency_us;
		u64 save_cost_ns, resident_ns;
		enum gpreempt_verdict verdict;
	} c[] = {
		{ 500, 0, 499999, GPREEMPT_KEEP },
		{ 500, 0, 500000, GPREEMPT_PREEMPT },
		{ 500, 700000, 699999, GPREEMPT_KEEP },
		{ 500, 700000, 700000, GPREEMPT_PREEMPT },
		{ 900, 700000, 899999, GPREEMPT_KEEP },
		{ 0, 0, 0, GPREEMPT_PREEMPT },
		{ 1000000, 0, 999999999, GPREEMPT_KEEP },
		{ 1000000, 0, 1000000000, GPREEMPT_PREEMPT },
	};
	unsigned int i;
	u64 end_ns;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_high_runs(test);

		b->tun.min_residency_us = c[i].min_residency_us;
		b->tun.starvation_ms = 60000;
		b->low.seen.save_cost_ns = c[i].save_cost_ns;
		finishes(&b->high);
		EXPECT_BACK(test, after(b, 1, &b->low), FREE);
		bench_ticks(b, 1);
		submits(&b->high);
		end_ns = b->view.now_ns + max_t(u64, c[i].save_cost_ns,
						(u64)c[i].min_residency_us * NSEC_PER_USEC);
		bench_scan_at(b, b->view.now_ns + c[i].resident_ns);
		KUNIT_EXPECT_EQ(test, b->low.out.verdict, c[i].verdict);
		KUNIT_EXPECT_EQ(test, b->plan.next_ns,
				c[i].verdict == GPREEMPT_KEEP ? end_ns : 0);
		/* none waits for low */
		b->view.now_ns -= c[i].resident_ns;
		finishes(&b->high);
		bench_scan(b);
		KUNIT_EXPECT_EQ(test, b->plan.next_ns, 0);
	}
}

/*
 * One has been there for long, the other has not: the first goes at once, and what comes
 * then gets a whole interval. Neither has: both are waited for, and go together.
 */
static void gpreempt_select_residencies(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	struct gpreempt_queue_view *other = bench_queue(b, 0);

	runs(other);
	bench_ticks(b, 1);
	submits(&b->high);
	submits(&b->high);
	bench_scan_at(b, b->view.now_ns + INTERVAL_NS / 4);
	EXPECT_OFF(test, &b->low, INVERSION);
	EXPECT_KEEP(test, other);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, 0);

	EXPECT_OFF(test, after(b, 1, other), INVERSION);
	runs(&b->high);
	bench_ticks(b, 1);
	finishes(&b->high);
	b->low.seen.save_cost_ns = INTERVAL_NS * 7 / 10;
	other->seen.save_cost_ns = INTERVAL_NS * 9 / 10;
	EXPECT_BACK(test, after(b, 1, &b->low), FREE);
	EXPECT_BACK(test, other, FREE);
	bench_ticks(b, 1);
	submits(&b->high);
	submits(&b->high);
	bench_scan_at(b, b->view.now_ns + INTERVAL_NS / 4);
	EXPECT_KEEP(test, &b->low);
	EXPECT_KEEP(test, other);
	b->view.now_ns += other->seen.save_cost_ns - INTERVAL_NS / 4;
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, b->view.now_ns);
	bench_scan(b);
	EXPECT_OFF(test, &b->low, INVERSION);
	EXPECT_OFF(test, other, INVERSION);
}

/* What is off already does not have to be there for a while before there is space. */
static void gpreempt_select_residency_off(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);

	b->tun.min_residency_us = 1000 * 1000;
	submits(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 1, &b->high)->out.wants);
	EXPECT_KEEP(test, &b->low);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, 0);
}

/* Low comes back when high is done, and not before. */
static void gpreempt_select_resume(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);

	EXPECT_KEEP(test, after(b, 100, &b->low));
	EXPECT_IS(test, &b->low, RUNNABLE);
	/* between two kernels of high */
	finishes(&b->high);
	submits(&b->high);
	EXPECT_KEEP(test, after(b, 2, &b->low));
	runs(&b->high);
	bench_ticks(b, 1);
	b->high.seen.waves = 0;
	b->high.seen.signal = GPREEMPT_SIGNAL_DONE;
	EXPECT_IS(test, after(b, 1, &b->high), IDLE);
	EXPECT_BACK(test, &b->low, FREE);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 1);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	EXPECT_KEEP(test, after(b, 10, &b->low));
}

/* A plan that could not be carried out is made again. */
static void gpreempt_select_resume_again(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);
	unsigned int i;

	finishes(&b->high);
	bench_ticks(b, 1);
	for (i = 0; i < 5; i++) {
		EXPECT_BACK(test, &b->low, FREE);
		bench_scan_at(b, b->view.now_ns + INTERVAL_NS);
	}
}

/* Queues of one level share the machine: they leave and return together. */
static void gpreempt_select_equals(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[2], *high;

	low[0] = bench_queue(b, 3);
	low[1] = bench_queue(b, 3);
	high = bench_queue(b, 4);
	bench_scan(b);
	runs(low[0]);
	submits(low[1]);
	KUNIT_EXPECT_EQ(test, plan_after(b, 5)->nr_preempt, 0);
	submits(high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 2);
	bench_ticks(b, 1);
	finishes(high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 2)->nr_resume, 2);
}

static void gpreempt_select_held(struct kunit *test)
{
	struct gpreempt_queue_view *third;
	struct bench *b = bench_high_runs(test);

	b->low.terms.held = true;
	finishes(&b->high);
	EXPECT_KEEP(test, after(b, 3000, &b->low));
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* it keeps none off, however high it is */
	b->low.terms.priority = 15;
	third = bench_queue(b, 1);
	bench_ticks(b, 1);
	runs(third);
	EXPECT_KEEP(test, after(b, 5, third));

	b->low.terms.held = false;
	EXPECT_BACK(test, after(b, 1, &b->low), FREE);
}

/* None is blocked while the machine is in fact another's. */
static void gpreempt_select_not_given(struct kunit *test)
{
	struct gpreempt_queue_view *peer, *other;
	struct bench *b = bench_low_runs(test);

	b->tun.starvation_ms = 60000;
	/* a lower one that cannot be taken off yet */
	b->low.seen.save_cost_ns = 100 * INTERVAL_NS;
	submits(&b->high);
	EXPECT_IS(test, after(b, 94, &b->high), RUNNABLE);
	EXPECT_KEEP(test, &b->low);
	EXPECT_OFF(test, after(b, 1, &b->low), INVERSION);
	bench_ticks(b, 1);
	finishes(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 3, &b->low)->seen.mapped);

	/* one of its own level, or above */
	peer = bench_queue(b, 15);
	bench_ticks(b, 1);
	runs(peer);
	bench_ticks(b, 1);
	submits(&b->high);
	EXPECT_IS(test, after(b, 500, &b->high), RUNNABLE);
	KUNIT_EXPECT_TRUE(test, b->low.seen.preempted);

	/* a lower one that must not be, for as long as that is so */
	finishes(peer);
	finishes(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 500, &b->low)->seen.mapped);
	b->low.terms.pinned = true;
	submits(&b->high);
	EXPECT_IS(test, after(b, 500, &b->high), RUNNABLE);
	EXPECT_KEEP(test, &b->low);
	b->low.terms.pinned = false;
	EXPECT_OFF(test, after(b, 1, &b->low), INVERSION);
	bench_ticks(b, 1);
	finishes(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 3, &b->low)->seen.mapped);

	/* but it does not keep a third off for good: high has got all there is to give */
	b->low.terms.pinned = true;
	other = bench_queue(b, 3);
	bench_ticks(b, 1);
	runs(other);
	submits(&b->high);
	KUNIT_EXPECT_FALSE(test, is_on(after(b, 2, other)));
	EXPECT_IS(test, after(b, 20, &b->high), BLOCKED);
	KUNIT_EXPECT_TRUE(test, other->seen.mapped);
}

/* What is in its way must not be taken off: it is not blocked, unless others are kept off. */
static void gpreempt_select_not_given_pinned(struct kunit *test)
{
	struct gpreempt_queue_view *held;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct bench *b = bench_low_runs(test);

		b->low.terms.pinned = true;
		if (i) {
			/* what is held is not kept off for its sake */
			held = bench_queue(b, 3);
			is_off(held);
			held->terms.held = true;
		}
		submits(&b->high);
		KUNIT_EXPECT_TRUE(test, asks_after(b, 900));
		EXPECT_IS(test, &b->high, RUNNABLE);
	}
}

/* What must not be taken off is not in its own way. */
static void gpreempt_select_given_pinned(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *mid, *high;

	b->waves_unreadable = true;
	mid = bench_queue(b, 7);
	high = bench_queue(b, 15);
	mid->terms.pinned = true;
	/* for all that is known it may have work, and it keeps nothing off */
	high->seen.readable = false;
	submits(mid);
	EXPECT_IS(test, after(b, 900, high), UNKNOWN);
	EXPECT_IS(test, mid, BLOCKED);
}

/* Rule 3, to the nanosecond, and how the favour ends. */
static void gpreempt_select_starved(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);
	u64 off, n;

	off = b->view.now_ns;
	bench_scan_at(b, off + 999 * INTERVAL_NS + 999999);
	EXPECT_KEEP(test, &b->low);
	KUNIT_EXPECT_EQ(test, b->low.out.level, 0);
	bench_scan_at(b, b->view.now_ns + 1);
	KUNIT_EXPECT_EQ(test, b->low.out.level, GPREEMPT_BOOST);
	EXPECT_BACK(test, &b->low, STARVED);
	EXPECT_OFF(test, &b->high, AGED);

	/* until its waves are there it has not executed */
	b->low.seen.waves = 0;
	KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.level, GPREEMPT_BOOST);
	EXPECT_KEEP(test, &b->low);
	EXPECT_KEEP(test, &b->high);
	b->low.seen.waves = 32;
	KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.level, GPREEMPT_BOOST);
	EXPECT_KEEP(test, &b->high);
	bench_scan_at(b, b->view.now_ns + 499999);
	KUNIT_EXPECT_EQ(test, b->low.out.level, GPREEMPT_BOOST);
	bench_scan_at(b, b->view.now_ns + 1);
	KUNIT_EXPECT_EQ(test, b->low.out.level, 0);
	EXPECT_OFF(test, &b->low, INVERSION);
	EXPECT_BACK(test, &b->high, FREE);

	/* the clock starts anew */
	for (n = 0; n < 1000; n++)
		KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.level, 0);
	KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.level, GPREEMPT_BOOST);
}

/* Held, with none beside it that it could wait for: it did not starve meanwhile. */
static void gpreempt_select_starved_skipped(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);

	bench_ticks(b, 1);
	b->low.terms.held = true;
	KUNIT_EXPECT_FALSE(test, gpreempt_may_contend(b->policy, &b->view, &b->tun));
	gpreempt_skip(&b->view);
	b->low.terms.held = false;
	bench_scan_at(b, b->view.now_ns + 5000 * INTERVAL_NS);
	KUNIT_EXPECT_EQ(test, b->low.out.level, 0);
	EXPECT_KEEP(test, &b->high);
}

/* min_residency_us 0: still one scan between seeing it run and taking it off. */
static void gpreempt_select_starved_executes(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);

	b->tun.min_residency_us = 0;
	EXPECT_BACK(test, after(b, 1000, &b->low), STARVED);
	EXPECT_IS(test, after(b, 1, &b->low), RUNNING);
	EXPECT_KEEP(test, &b->low);
	EXPECT_OFF(test, after(b, 1, &b->low), INVERSION);
}

/* Its read index moved: it executed, though no scan caught its waves. */
static void gpreempt_select_starved_progress(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);

	b->low.seen.waves = 0;
	submits(&b->low);
	submits(&b->low);
	submits(&b->low);
	EXPECT_BACK(test, after(b, 1000, &b->low), STARVED);
	b->low.seen.rptr++;
	KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.level, GPREEMPT_BOOST);
	KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.level, 0);
}

/* Kept from running without ever being preempted counts as well. */
static void gpreempt_select_starved_mapped(struct kunit *test)
{
	struct bench *b = bench_two(test);

	bench_scan(b);
	runs(&b->high);
	bench_ticks(b, 3);
	submits(&b->low);
	EXPECT_IS(test, after(b, 1000, &b->low), RUNNABLE);
	EXPECT_KEEP(test, &b->low);
	EXPECT_KEEP(test, &b->high);
	KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.level, GPREEMPT_BOOST);
	EXPECT_KEEP(test, &b->low);
	EXPECT_OFF(test, &b->high, AGED);
}

/* What executes now and then is not starved. */
static void gpreempt_select_starved_not(struct kunit *test)
{
	struct bench *b = bench_two(test);
	unsigned int i;

	bench_scan(b);
	runs(&b->high);
	bench_ticks(b, 1);
	submits(&b->low);
	for (i = 0; i < 5000; i++) {
		b->low.seen.waves = i % 900 == 800;
		KUNIT_EXPECT_EQ(test, after(b, 1, &b->low)->out.level, 0);
		EXPECT_KEEP(test, &b->high);
	}
	/* nor is one that waits for a signal */
	b->low.seen.waves = 0;
	b->low.seen.head = GPREEMPT_HEAD_WAITS;
	KUNIT_EXPECT_EQ(test, after(b, 5000, &b->low)->out.level, 0);
	EXPECT_KEEP(test, &b->high);
}

/* Raised, but blocked, or with nothing left to do: the favour ends. */
static void gpreempt_select_starved_unused(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct bench *b = bench_high_runs(test);

		b->low.seen.waves = 0;
		b->low.seen.signal = GPREEMPT_SIGNAL_DONE;
		if (i == 0)
			submits(&b->low);
		else if (i == 1)
			waits_for_signal(&b->low);
		EXPECT_BACK(test, after(b, 1000, &b->low), STARVED);
		EXPECT_OFF(test, &b->high, AGED);
		EXPECT_KEEP(test, after(b, 1, &b->high));
		KUNIT_EXPECT_EQ(test, after(b, i == 2 ? 1 : 2, &b->low)->out.level, 0);
		KUNIT_EXPECT_EQ(test, b->low.out.activity,
				i == 2 ? GPREEMPT_IDLE : GPREEMPT_BLOCKED);
		KUNIT_EXPECT_EQ(test, b->high.out.verdict, GPREEMPT_RESUME);
		KUNIT_EXPECT_TRUE(test, after(b, 3000, &b->high)->seen.mapped);
	}
}

/* Two at once: one after the other, each with the machine for itself. */
static void gpreempt_select_starved_two(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[2], *high;
	unsigned int round;

	low[0] = bench_queue(b, 0);
	low[1] = bench_queue(b, 3);
	high = bench_queue(b, 15);
	bench_scan(b);
	runs(low[0]);
	runs(low[1]);
	bench_ticks(b, 5);
	submits(high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 2);
	runs(high);
	bench_ticks(b, 1001);
	for (round = 0; round < 3; round++) {
		/* of two that have waited equally long the first; then the one that waits longer */
		EXPECT_BACK(test, low[0], STARVED);
		EXPECT_KEEP(test, low[1]);
		EXPECT_OFF(test, high, AGED);
		KUNIT_EXPECT_EQ(test, after(b, 2, low[0])->out.level, 0);
		EXPECT_OFF(test, low[0], INVERSION);
		EXPECT_BACK(test, low[1], STARVED);
		KUNIT_EXPECT_TRUE(test, high->seen.preempted);
		KUNIT_EXPECT_EQ(test, after(b, 2, low[1])->out.level, 3);
		EXPECT_OFF(test, low[1], INVERSION);
		EXPECT_BACK(test, high, FREE);
		bench_ticks(b, 1);
		for (; low[0]->out.level == 0; bench_ticks(b, 1))
			EXPECT_KEEP(test, low[1]);
	}
}

/* Of several, the one that has waited longest, wherever it is listed. */
static void gpreempt_select_starved_longest(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[2], *high;

	b->tun.starvation_ms = 60000;
	low[0] = bench_queue(b, 0);
	low[1] = bench_queue(b, 3);
	high = bench_queue(b, 15);
	bench_scan(b);
	runs(low[1]);
	bench_ticks(b, 5);
	submits(high);
	bench_ticks(b, 1);
	runs(high);
	bench_ticks(b, 100);
	submits(low[0]);
	EXPECT_IS(test, after(b, 100, low[0]), RUNNABLE);
	b->tun.starvation_ms = 10;
	KUNIT_EXPECT_EQ(test, after(b, 1, low[1])->out.level, GPREEMPT_BOOST);
	KUNIT_EXPECT_EQ(test, low[0]->out.level, 0);
}

/* Raised, but its resume failed: it stays raised until it has executed, though all is quiet. */
static void gpreempt_select_starved_late(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);
	unsigned int i;

	EXPECT_BACK(test, after(b, 1000, &b->low), STARVED);
	finishes(&b->high);
	for (i = 0; i < 5; i++) {
		bench_scan_at(b, b->view.now_ns + INTERVAL_NS);
		EXPECT_BACK(test, &b->low, STARVED);
	}
	EXPECT_IS(test, &b->high, IDLE);
}

/* What leaves for a starved queue does not leave for work announced on its own level. */
static void gpreempt_select_starved_hint(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);
	struct gpreempt_queue_view *peer = bench_queue(b, 15);

	bench_ticks(b, 999);
	announces(b, peer, 1, 9);
	KUNIT_EXPECT_TRUE(test, after(b, 1, peer)->out.announced);
	EXPECT_BACK(test, &b->low, STARVED);
	EXPECT_OFF(test, &b->high, AGED);
}

/*
 * A high kernel that spins in its waves on what low must write cannot be told
 * from work: low executes by rule 3, every starvation_ms.
 */
static void gpreempt_select_spinning_high(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);
	unsigned int executed = 0, i;

	for (i = 0; i < 10000; i++) {
		bench_ticks(b, 1);
		executed += b->low.seen.mapped;
	}
	KUNIT_EXPECT_LE(test, 9, executed);
	KUNIT_EXPECT_LE(test, executed, 40);
}

/* The end of what keeps others off, and pauses after it, is looked for. */
static void gpreempt_select_end(struct kunit *test)
{
	const u32 interval_us = INTERVAL_NS / NSEC_PER_USEC;
	struct gpreempt_queue_view *other;
	struct bench *b = bench_low_runs(test);
	unsigned int n;

	for (n = 0; n < 3; n++) {
		KUNIT_EXPECT_EQ(test, b->plan.within_us, 0);	/* nothing is off */
		submits(&b->high);
		EXPECT_OFF(test, after(b, 1, &b->low), INVERSION);
		/* of what it does after it nothing is known at first */
		KUNIT_EXPECT_EQ(test, b->plan.within_us, n ? interval_us / 8 : 0);
		finishes(&b->high);
		bench_ticks(b, 20);
	}

	submits(&b->high);
	b->tun.poll_interval_us = 160;
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->within_us, GPREEMPT_POLL_LEAST_US);
	b->tun.poll_interval_us = interval_us;
	runs(&b->high);
	bench_ticks(b, 3 + 4);		/* from the first scan that counts its waves */
	EXPECT_KEEP(test, &b->low);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, interval_us / 2);
	KUNIT_EXPECT_EQ(test, plan_after(b, 20)->within_us, interval_us);

	/* what is held does not wait for it */
	b->low.terms.held = true;
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->within_us, 0);
	b->low.terms.held = false;
	KUNIT_EXPECT_EQ(test, plan_after(b, 3)->within_us, interval_us);

	/* so is the end of another one, of which nothing is known */
	other = bench_queue(b, b->high.terms.priority);
	runs(other);
	EXPECT_IS(test, after(b, 2, &b->high), RUNNING);
	EXPECT_IS(test, other, RUNNING);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, 0);
	finishes(other);
	KUNIT_EXPECT_EQ(test, plan_after(b, 4)->within_us, interval_us);

	/* it goes on after its end */
	submits(&b->high);
	submits(&b->high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->within_us, 0);

	/* none waits for it */
	finishes(&b->high);
	bench_ticks(b, 20);
	finishes(&b->low);
	bench_ticks(b, 1);
	submits(&b->high);
	EXPECT_IS(test, after(b, 1, &b->high), RUNNABLE);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, 0);
}

/* One has only just begun while the end of another one is awaited: the shorter time counts. */
static void gpreempt_select_end_begins(struct kunit *test)
{
	const u32 interval_us = INTERVAL_NS / NSEC_PER_USEC;
	struct gpreempt_queue_view *peer;
	struct bench *b = bench_low_runs(test);
	unsigned int n;

	peer = bench_queue(b, 15);
	bench_ticks(b, 1);
	for (n = 0; n < 3; n++) {
		submits(&b->high);
		submits(peer);
		bench_ticks(b, 1);
		finishes(&b->high);
		finishes(peer);
		bench_ticks(b, 20);
	}
	submits(&b->high);
	bench_ticks(b, 1);
	runs(&b->high);
	EXPECT_KEEP(test, after(b, 20, &b->low));
	KUNIT_EXPECT_EQ(test, b->plan.within_us, interval_us);
	b->mover = peer;
	b->meanwhile = is_fetched;
	submits(peer);
	KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
	KUNIT_EXPECT_EQ(test, b->plan.within_us, GPREEMPT_POLL_LEAST_US);
}

/* Asked for by ioctl: every policy takes it off, with a hold for good. */
static void gpreempt_select_asked(struct kunit *test)
{
	static const char * const names[] = { "none", "strict", "timeslice" };
	unsigned int i, hold;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (hold = 0; hold < 2; hold++) {
			struct bench *b = bench_new(test, names[i]);
			struct gpreempt_queue_view *q, *peer;

			q = bench_queue(b, 15);
			peer = bench_queue(b, 3);
			bench_scan(b);
			runs(q);
			runs(peer);
			submits(q);
			q->terms.held = hold;
			q->terms.asked = !hold;
			KUNIT_EXPECT_TRUE(test, gpreempt_may_contend(b->policy, &b->view, &b->tun));
			EXPECT_OFF(test, after(b, 1, q), ASKED);
			/* it goes: none is taken off for it any more */
			EXPECT_KEEP(test, peer);
			q->terms.asked = false;
			bench_ticks(b, 1);
			if (!hold) {
				EXPECT_BACK(test, q, FREE);
				continue;
			}
			KUNIT_EXPECT_TRUE(test, after(b, 3000, q)->seen.preempted);
			EXPECT_KEEP(test, peer);
			/* a debugger comes: the hold has no force */
			q->terms.pinned = true;
			KUNIT_EXPECT_EQ(test, after(b, 1, q)->out.verdict, GPREEMPT_RESUME);
			EXPECT_KEEP(test, after(b, 1, q));
		}
	}
}

/* What is to be taken off in any case wants nothing, so its waves are not counted for that. */
static void gpreempt_select_asked_not_counted(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(&b->high);
	b->high.terms.asked = true;
	KUNIT_EXPECT_FALSE(test, asks_after(b, 1));
	EXPECT_OFF(test, &b->high, ASKED);
	EXPECT_KEEP(test, &b->low);
}

/* What is off has work, for all that is known, even at first sight: the monitor does not park. */
static void gpreempt_select_preempted_shows(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *off, *on;

	off = bench_queue(b, 3);
	on = bench_queue(b, 3);
	is_off(off);
	bench_scan(b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	EXPECT_BACK(test, off, FREE);
	EXPECT_KEEP(test, on);
}

/* Work of one packet that would launch @waves, behind low queues with work. */
static void wants_waves(struct gpreempt_queue_view *q, u32 waves)
{
	submits(q);
	q->seen.demand = waves;
}

/* Too few after all: at the next scan it gets what there is. */
static void gpreempt_select_cheapest_again(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[3], *high;
	unsigned int i;

	for (i = 0; i < 3; i++)
		low[i] = bench_queue(b, 0);
	high = bench_queue(b, 15);
	bench_scan(b);
	for (i = 0; i < 3; i++)
		runs(low[i]);
	bench_ticks(b, 5);
	wants_waves(high, 8);
	EXPECT_OFF(test, after(b, 1, low[0]), INVERSION);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
	EXPECT_OFF(test, after(b, 1, low[1]), INVERSION);
	EXPECT_OFF(test, low[2], INVERSION);
	/* it runs and ends; the next one is judged anew */
	finishes(high);
	bench_ticks(b, 6);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, low[i]->seen.mapped);
	for (i = 0; i < 2; i++) {
		wants_waves(high, 8);
		KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 1);
		finishes(high);
		bench_ticks(b, 6);
	}
	/* what two packets want is not known */
	wants_waves(high, 8);
	wants_waves(high, 8);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 3);

	/* announced work that did not come says nothing about what comes */
	finishes(high);
	bench_ticks(b, 6);
	announces(b, high, 1, 100);
	bench_ticks(b, 2);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, low[i]->seen.preempted);
	bench_ticks(b, 10);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, low[i]->seen.mapped);
	wants_waves(high, 8);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 1);
}

/* None may leave yet, so none was taken off for it: later as many leave as it needs. */
static void gpreempt_select_cheapest_later(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[3], *high;
	unsigned int i;

	b->tun.min_residency_us = 10 * 1000;
	for (i = 0; i < 3; i++)
		low[i] = bench_queue(b, 0);
	high = bench_queue(b, 15);
	bench_scan(b);
	for (i = 0; i < 3; i++)
		runs(low[i]);
	bench_ticks(b, 5);
	wants_waves(high, 8);
	KUNIT_EXPECT_TRUE(test, after(b, 3, high)->out.wants);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	KUNIT_EXPECT_EQ(test, plan_after(b, 2)->nr_preempt, 1);
}

/* Behind the last queue there is none, whatever the memory there looks like. */
static void gpreempt_select_beyond(struct kunit *test)
{
	static const u8 levels[] = { 3, 9 };
	struct gpreempt_queue_view *other, *beyond, before;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		struct bench *b = bench_low_runs(test);

		b->low.terms.priority = 3;
		b->low.seen.waves = 9;
		b->low.seen.save_cost_ns = 300;
		other = bench_queue(b, 3);
		runs(other);
		other->seen.waves = 9;
		other->seen.save_cost_ns = 400;
		bench_ticks(b, 1);
		for (n = 0; n < 3; n++) {
			wants_waves(&b->high, 8);
			bench_ticks(b, 1);
			finishes(&b->high);
			bench_ticks(b, 20);
		}
		beyond = &b->q[b->view.nr];
		*beyond = *&b->low;
		beyond->memory = &b->memory[b->view.nr];
		beyond->seen.waves = 1000;
		beyond->state.save_cost_ns = 0;
		beyond->state.unsure = false;
		beyond->out.level = levels[i];
		beyond->out.verdict = i ? GPREEMPT_RESUME : GPREEMPT_KEEP;
		memcpy(&before, beyond, sizeof(before));
		wants_waves(&b->high, 8);
		EXPECT_OFF(test, after(b, 1, &b->low), INVERSION);
		KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
		KUNIT_EXPECT_EQ(test, b->plan.within_us, INTERVAL_NS / NSEC_PER_USEC / 8);
		KUNIT_EXPECT_MEMEQ(test, beyond, &before, sizeof(before));
	}
}

/* Nor is it waited for what is there until it may leave. */
static void gpreempt_select_beyond_residency(struct kunit *test)
{
	struct gpreempt_queue_view *beyond;
	struct bench *b = bench_low_runs(test);

	b->tun.min_residency_us = 50 * 1000;
	beyond = &b->q[b->view.nr];
	*beyond = *&b->low;
	beyond->state.leave_ns = U64_MAX;
	submits(&b->high);
	EXPECT_KEEP(test, after(b, 1, &b->low));
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, b->low.state.leave_ns);
}

static struct kunit_case gpreempt_select_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_select_plan, plan_gen_params),
	KUNIT_CASE_PARAM(gpreempt_select_victim, victim_gen_params),
	KUNIT_CASE(gpreempt_select_residency),
	KUNIT_CASE(gpreempt_select_residencies),
	KUNIT_CASE(gpreempt_select_residency_off),
	KUNIT_CASE(gpreempt_select_resume),
	KUNIT_CASE(gpreempt_select_resume_again),
	KUNIT_CASE(gpreempt_select_equals),
	KUNIT_CASE(gpreempt_select_held),
	KUNIT_CASE(gpreempt_select_not_given),
	KUNIT_CASE(gpreempt_select_not_given_pinned),
	KUNIT_CASE(gpreempt_select_given_pinned),
	KUNIT_CASE(gpreempt_select_starved),
	KUNIT_CASE(gpreempt_select_starved_skipped),
	KUNIT_CASE(gpreempt_select_starved_executes),
	KUNIT_CASE(gpreempt_select_starved_progress),
	KUNIT_CASE(gpreempt_select_starved_mapped),
	KUNIT_CASE(gpreempt_select_starved_not),
	KUNIT_CASE(gpreempt_select_starved_unused),
	KUNIT_CASE(gpreempt_select_starved_two),
	KUNIT_CASE(gpreempt_select_starved_longest),
	KUNIT_CASE(gpreempt_select_starved_late),
	KUNIT_CASE(gpreempt_select_starved_hint),
	KUNIT_CASE(gpreempt_select_spinning_high),
	KUNIT_CASE(gpreempt_select_end),
	KUNIT_CASE(gpreempt_select_end_begins),
	KUNIT_CASE(gpreempt_select_asked),
	KUNIT_CASE(gpreempt_select_asked_not_counted),
	KUNIT_CASE(gpreempt_select_preempted_shows),
	KUNIT_CASE_PARAM(gpreempt_select_cheapest, cheapest_gen_params),
	KUNIT_CASE(gpreempt_select_cheapest_again),
	KUNIT_CASE(gpreempt_select_cheapest_later),
	KUNIT_CASE(gpreempt_select_beyond),
	KUNIT_CASE(gpreempt_select_beyond_residency),
	{}
};

static struct kunit_suite gpreempt_select_suite = {
	.name = "amdgpu_kfd_gpreempt_select",
	.test_cases = gpreempt_select_cases,
};

kunit_test_suite(gpreempt_select_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's select");
MODULE_LICENSE("Dual MIT/GPL");
