// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's help: which queue is helped, when, and for how long.
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_help_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

/* Low and mid, each of a process of its own, are kept off by a high that wants more. */
static struct bench *bench_both_starve(struct kunit *test)
{
	struct bench *b = bench_three(test);

	bench_scan(b);
	runs(&b->low);
	runs(&b->mid);
	bench_ticks(b, 5);
	submits(&b->high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 2);
	runs(&b->high);
	submits(&b->high);
	return b;
}

/* One is helped until it has executed for its residency. */
#define HELPED(which)									\
	REPEAT(1, UNTIL(which.out.level, GPREEMPT_BOOST), BACK(which, STARVED),		\
	       OFF(high, AGED), SCAN(2), NO(which.out.raised), OFF(which, INVERSION),	\
	       BACK(high, FREE))

static const struct scene help_scenes[] = {
	/* Of a process the queue that has waited longest; then it waits anew, with all it has. */
	{ "longest", bench_strict, STEPS {
		QUEUE(0), QUEUE(15), QUEUE(0), JOINS(third, 0), SCAN(1),
		DOES(third, runs), DOES(high, runs), DOES(high, submits), SCAN(2), GONE(third),
		DOES(one, submits), SCAN(100), IS(one, RUNNABLE),
		HELPED(third), EACH(998, NO(one.out.raised), NO(third.out.raised)),
		WAVES(one, 32), HELPED(one), {} } },
	/* No more than an eighth of the time: seven times what help took, saves included. */
	{ "budget", bench_both_starve, STEPS {
		SET(view.save_ns, INTERVAL_NS), HELPED(low), MARK,
		EACH(20, KEEP(mid), SEE_AT(plan.next_ns, 21 * INTERVAL_NS)),
		RESCAN(INTERVAL_NS - 1), KEEP(mid), RESCAN(1), BACK(mid, STARVED), {} } },
	/* While none above wants the machine help costs nothing, and has no such end. */
	{ "budget_free", bench_strict, STEPS {
		QUEUE(7), QUEUE(7), QUEUE(7), QUEUE(3), SCAN(1), DOES(one, runs), SCAN(3),
		DOES(other, submits), DOES(third, submits), DOES(fourth, submits), SCAN(1001),
		YES(other.out.raised), OFF(one, AGED), WAVES(other, 32), WAVES(one, 0), SCAN(2),
		NO(other.out.raised), SEE(view.help.next_ns, 0),
		SCAN(1), YES(third.out.raised), {} } },
	/* What a higher one wants while help lasts counts, also if it has gone before it ends. */
	{ "budget_costs", bench_high_fills, STEPS {
		SET(low.terms.priority, 3), QUEUE(0), DOES(third, submits),
		UNTIL(low.out.level, GPREEMPT_BOOST), SET(high.seen.preempted, false), SCAN(1),
		YES(low.out.raised), SCAN(1), NO(low.out.raised),
		SEE_IN(view.help.next_ns, 14 * INTERVAL_NS), {} } },
	/* When it has gone the next is helped at once. */
	{ "budget_gone", bench_both_starve, STEPS {
		SET(low.terms.priority, 3), SET(mid.terms.priority, 3), QUEUE(0),
		DOES(fourth, submits), HELPED(low), SCAN(1), KEEP(mid),
		SET(high.seen.mapped, false), SCAN(1), BACK(mid, STARVED), {} } },
	/* A process that was helped comes after one that has waited less, on other levels, too. */
	{ "in_turn", bench_both_starve, STEPS {
		JOINS(mid, 0), QUEUE(3), SCAN(100), DOES(fourth, submits), SCAN(1), GONE(mid),
		HELPED(low), SET(view.tun.starvation_ms, 10),
		EACH(13, NO(fourth.out.raised), NO(mid.out.raised)), SCAN(1),
		YES(fourth.out.raised), WAVES(fourth, 32), SCAN(2), HELPED(mid), {} } },
	/* A packet that was fetched is no reason to wait anew: it has not executed. */
	{ "fetched", bench_high_runs, STEPS {
		WAVES(low, 0), UNTIL(low.out.verdict, GPREEMPT_RESUME), SCAN(1),
		DOES(low, submits_fetched), SCAN(1), IS(low, RUNNING),
		UNTIL(low.out.level, GPREEMPT_BOOST), SEE(view.now_ns, 1012 * INTERVAL_NS), {} } },
	/* Help is over when the queue is held, ... */
	{ "held", bench_both_starve, STEPS {
		UNTIL(low.out.level, GPREEMPT_BOOST), SET(low.terms.held, true),
		SCAN(1), NO(low.out.raised), OFF(low, ASKED), BACK(high, FREE), {} } },
	/* ... evicted, ... */
	{ "evicted", bench_both_starve, STEPS {
		UNTIL(low.out.level, GPREEMPT_BOOST), SCAN(1), SET(low.seen.mapped, false),
		SCAN(1), NO(low.out.raised), BACK(high, FREE), {} } },
	/* ... or no other one has work. */
	{ "alone", bench_high_fills, STEPS {
		UNTIL(low.out.level, GPREEMPT_BOOST), WAVES(low, 0), SCAN(1), YES(low.out.raised),
		SET(high.seen.preempted, false), SCAN(1), NO(low.out.raised), {} } },
	/* Asked to leave for once, it is back for what it has not had. */
	{ "asked", bench_both_starve, STEPS {
		UNTIL(low.out.level, GPREEMPT_BOOST), WAVES(low, 0), SET(low.terms.asked, true),
		SCAN(1), OFF(low, ASKED), SET(low.terms.asked, false),
		SCAN(1), BACK(low, STARVED), GONE(high), {} } },
	/* None that is held starves; when it is released it waits for as long as any other. */
	{ "held_waits", bench_both_starve, STEPS {
		SCAN(500), SET(low.terms.held, true), SCAN(10), SET(low.terms.held, false),
		UNTIL(mid.out.level, GPREEMPT_BOOST), SCAN(450), NO(low.out.raised),
		UNTIL(low.out.level, GPREEMPT_BOOST), {} } },
	/* Nor is any helped by a policy that only watches: all are back. */
	{ "passive", bench_both_starve, STEPS {
		UNTIL(low.out.level, GPREEMPT_BOOST), POLICY("none"),
		SCAN(1), NO(low.out.raised), BACK(high, FREE), BACK(mid, FREE),
		EACH(2000, NO(low.out.raised), ON(low), ON(mid), ON(high)), {} } },
	/* It is not hurried: the monitor looks when its time is over. */
	{ "not_hurried", bench_both_starve, STEPS {
		UNTIL(low.out.level, GPREEMPT_BOOST), SEE(plan.within_us, 0),
		WAVES(low, 0), SCAN(1), SEE(plan.next_ns, 0), SEE(plan.within_us, 0),
		WAVES(low, 32), SCAN(1), RESCAN(1),
		SEE_IN(plan.next_ns, 500 * NSEC_PER_USEC - 1), {} } },
};

KUNIT_ARRAY_PARAM_DESC(help, help_scenes, name);

static void gpreempt_help_scenes(struct kunit *test)
{
	scene_play(test);
}

static struct kunit_case gpreempt_help_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_help_scenes, help_gen_params),
	{}
};

static struct kunit_suite gpreempt_help_suite = {
	.name = "amdgpu_kfd_gpreempt_help",
	.test_cases = gpreempt_help_cases,
};

kunit_test_suite(gpreempt_help_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's help");
MODULE_LICENSE("Dual MIT/GPL");
