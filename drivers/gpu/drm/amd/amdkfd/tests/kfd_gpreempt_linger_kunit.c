// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's lingers: when do lower queues come back?
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_linger_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

#define US(n)		((n) * NSEC_PER_USEC)

/* High's, which it keeps on its level. */
#define LINGER		group[1].turn[15].linger

/* Low is off for high, long after boot; and it may leave as soon as it is put back. */
static struct bench *bench_lingers(struct kunit *test)
{
	struct bench *b = bench_two(test);

	b->view.now_ns = 5 * NSEC_PER_SEC;
	b->view.tun.min_residency_us = 0;
	bench_scan(b);
	runs(&b->low);
	bench_ticks(b, 5);
	submits(&b->high);
	EXPECT_OFF(test, after(b, 1, &b->low), INVERSION);
	runs(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 1, &b->low)->seen.preempted);
	return b;
}

/* High ends, low is back after a linger, and high goes on so long after its end. */
#define PAUSE(linger_ns, pause_ns)							\
	REPEAT(1, DOES(high, finishes), SCAN(1), SCAN_IN(linger_ns), BACK(low, FREE),	\
	       SCAN_IN((pause_ns) - (linger_ns)), DOES(high, submits), SCAN_IN(0),	\
	       OFF(low, INVERSION), DOES(high, runs), SCAN_IN(INTERVAL_NS))

/* High has all it wants, so that low is back after so long; and then it wants more. */
#define QUIET(ns, then_ns, waves)							\
	REPEAT(1, SCAN_IN((ns) - 1), KEEP(low), GONE(low), SCAN_IN(1), BACK(low, FREE),	\
	       RESUMED(low, 0), WAVES(low, waves), SCAN_IN(then_ns),			\
	       DOES(high, submits), SCAN_IN(0), OFF(low, INVERSION),			\
	       DOES(high, runs), SCAN_IN(INTERVAL_NS))

static const struct scene linger_scenes[] = {
	/* It starts at 0: low is back with the first scan that sees the end. */
	{ "first", bench_lingers, STEPS {
		DOES(high, finishes), SCAN(1), BACK(low, FREE), SEE(LINGER.linger_ns, 0), {} } },
	/* It doubles each time that low came back and had to leave again at once, ... */
	{ "doubles", bench_lingers, STEPS {
		DOES(high, finishes), SCAN(1), BACK(low, FREE), SCAN_IN(US(300)),
		DOES(high, submits), SCAN_IN(0), OFF(low, INVERSION),
		SEE(LINGER.linger_ns, US(50)), DOES(high, runs), SCAN(1),
		PAUSE(US(50), US(300)), SEE(LINGER.linger_ns, US(100)),
		PAUSE(US(100), US(300)), SEE(LINGER.linger_ns, US(200)),
		PAUSE(US(200), US(300)), SEE(LINGER.linger_ns, US(400)),
		/* ... until it bridges the pause: then low is not back */
		DOES(high, finishes), SCAN(1), KEEP(low), SEE_IN(plan.next_ns, US(400)),
		DOES(high, submits), SCAN_IN(US(300)), KEEP(low), GONE(low),
		SEE(LINGER.linger_ns, US(400)), {} } },
	/* ... also where it could not leave as soon as high went on: the pause counts; ... */
	{ "doubles_later", bench_lingers, STEPS {
		SET(view.tun.min_residency_us, 5000), SET(LINGER.linger_ns, US(100)),
		DOES(high, finishes), SCAN(1), SCAN_IN(US(100)), BACK(low, FREE), RESUMED(low, 0),
		DOES(high, submits), SCAN_IN(US(200)), KEEP(low), SCAN(4), KEEP(low),
		SCAN(1), OFF(low, INVERSION), SEE(LINGER.linger_ns, US(200)),
		/* each return once, whatever else leaves; ... */
		QUEUE(0), RESUMED(third, -6 * INTERVAL_NS), DOES(third, runs), SCAN(1),
		OFF(third, INVERSION), SEE(LINGER.linger_ns, US(200)), {} } },
	/* ... up to the greatest; ... */
	{ "most", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(800)), PAUSE(US(800), US(900)),
		SEE(LINGER.linger_ns, US(1000)), PAUSE(US(1000), US(1000)),
		SEE(LINGER.linger_ns, US(1000)), {} } },
	/* ... which counts from when it is set; ... */
	{ "most_lowered", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(800)), SET(view.tun.linger_max_us, 300),
		DOES(high, finishes), SCAN(1), KEEP(low), SEE_IN(plan.next_ns, US(300)),
		SCAN_IN(US(300)), BACK(low, FREE), {} } },
	/* ... if there is any. */
	{ "none", bench_lingers, STEPS {
		SET(view.tun.linger_max_us, 0),
		REPEAT(3, DOES(high, finishes), SCAN(1), BACK(low, FREE), DOES(high, submits),
		       SCAN_IN(0), OFF(low, INVERSION), SEE(LINGER.linger_ns, 0),
		       DOES(high, runs), SCAN(1)), {} } },
	/* It loses a 64th where low could stay. */
	{ "shrinks", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(640)), PAUSE(US(640), US(1001)),
		SEE(LINGER.linger_ns, US(630)), PAUSE(US(630), 50 * INTERVAL_NS),
		SEE(LINGER.linger_ns, US(630) - US(630) / 64), {} } },
	/* It counts from the first scan that saw the end; what came and went is another. */
	{ "end_again", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(900)), DOES(high, finishes), SCAN(1), KEEP(low),
		SCAN_IN(US(800)), KEEP(low), SEE_IN(plan.next_ns, US(100)),
		DOES(high, submits), DOES(high, finishes), SCAN_IN(US(110)), KEEP(low),
		SCAN_IN(US(899)), KEEP(low), SCAN_IN(US(1)), BACK(low, FREE), {} } },
	/* The end of a process is that of its last queue. */
	{ "end_of_last", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(900)), QUEUE(15), JOINS(third, 1), DOES(third, runs),
		SCAN(1), DOES(high, finishes), SCAN(3), SEE(LINGER.idle_ns, 0),
		DOES(third, finishes), SCAN(1), KEEP(low), SEE_IN(LINGER.idle_ns, 0),
		SEE_IN(plan.next_ns, US(900)), {} } },
	/* It is no more than 2 % of the time of those that wait, ... */
	{ "part", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(900)), DOES(high, finishes),
		SET_IN(LINGER.spent_ns, -9 * INTERVAL_NS), SCAN(1), KEEP(low),
		SEE_IN(plan.next_ns, US(200)), SCAN_IN(US(205)), BACK(low, FREE),
		/* ... all that there was of it is spent, but for what that took; ... */
		SEE_IN(LINGER.spent_ns, 0), YES(LINGER.cut),
		/* ... and it does not double for that */
		DOES(high, submits), SCAN_IN(US(100)), OFF(low, INVERSION),
		SEE(LINGER.linger_ns, US(900)), {} } },
	/* ... of a second at most, however long it spent nothing. */
	{ "part_span", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(1000)), DOES(high, finishes), SCAN(1), KEEP(low),
		SCAN_IN(US(1000)), BACK(low, FREE),
		SEE_IN(LINGER.spent_ns, 50 * US(1000) - 1000 * US(1000)), NO(LINGER.cut), {} } },
	{ "part_most", bench_lingers, STEPS {
		SET(view.tun.linger_max_us, 100 * 1000), SET(LINGER.linger_ns, US(100 * 1000)),
		DOES(high, finishes), SCAN(1), KEEP(low), SEE_IN(plan.next_ns, US(20 * 1000)),
		{} } },
	/* One that bridged a pause costs nothing. */
	{ "part_bridged", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(1000)), DOES(high, finishes), SCAN(1), KEEP(low),
		DOES(high, submits), SCAN_IN(US(500)), KEEP(low), SEE(LINGER.spent_ns, 0), {} } },
	/* Low does not wait for high, which ended before low left for a third: no part in it. */
	{ "not_waited_for", bench_low_runs, STEPS {
		QUEUE(7), SCAN(1), DOES(high, submits), DOES(high, finishes), SCAN(5),
		DOES(third, submits), SCAN(1), OFF(low, INVERSION), DOES(third, runs), SCAN(1),
		DOES(third, finishes), SCAN(1), BACK(low, FREE), SEE(LINGER.back_ns, 0),
		SEE_IN(group[2].turn[7].linger.back_ns, 0), {} } },
	/* A queue that has wanted no more for 10 ms keeps nobody off. */
	{ "quiet", bench_lingers, STEPS {
		SEE_IN(plan.next_ns, 10 * INTERVAL_NS), SCAN_IN(1),
		SEE_IN(plan.next_ns, 10 * INTERVAL_NS - 1),
		SCAN_IN(10 * INTERVAL_NS - 2), KEEP(low),
		SCAN_IN(1), BACK(low, FREE), IS(high, RUNNING), {} } },
	/* That costs nothing: high is at work. */
	{ "quiet_free", bench_lingers, STEPS {
		SET(LINGER.linger_ns, US(500)), SET_IN(LINGER.spent_ns, -100 * INTERVAL_NS), MARK,
		QUIET(10 * INTERVAL_NS, US(2500), 32),
		SEE_AT(LINGER.spent_ns, -100 * INTERVAL_NS), {} } },
	/* One whose kernels go on to begin may need that others are off: four times as long, ... */
	{ "quiet_begins", bench_lingers, STEPS {
		REPEAT(4, SCAN(9), KEEP(low), GONE(low), DOES(high, runs)), SCAN(2),
		KEEP(low), SCAN(1), BACK(low, FREE), {} } },
	/* ... and one that finds no space does. */
	{ "quiet_wants", bench_high_fills, STEPS { EACH(500, KEEP(low), GONE(low)), {} } },
	/* It doubles where low was back in vain: it had to leave again at once, ... */
	{ "quiet_doubles", bench_lingers, STEPS {
		/* within two intervals and a residency */
		SET(view.tun.min_residency_us, 500),
		QUIET(10 * INTERVAL_NS, US(2500), 32), SEE(LINGER.quiet_ns, 20 * INTERVAL_NS),
		QUIET(20 * INTERVAL_NS, US(500), 32), SEE(LINGER.quiet_ns, 40 * INTERVAL_NS),
		{} } },
	/* ... or high filled the machine all the time. */
	{ "quiet_filled", bench_lingers, STEPS {
		QUIET(10 * INTERVAL_NS, 900 * INTERVAL_NS, 0),
		SEE(LINGER.quiet_ns, 20 * INTERVAL_NS), {} } },
	/* Up to a second. */
	{ "quiet_most", bench_lingers, STEPS {
		SET(view.tun.starvation_ms, 60000), SET(LINGER.quiet_ns, 600 * INTERVAL_NS),
		QUIET(600 * INTERVAL_NS, 5 * INTERVAL_NS, 0),
		SEE(LINGER.quiet_ns, 1000 * INTERVAL_NS), {} } },
	/* It halves where low executed for longer. */
	{ "quiet_halves", bench_lingers, STEPS {
		SET(view.tun.min_residency_us, 500), SET(LINGER.quiet_ns, 40 * INTERVAL_NS),
		QUIET(40 * INTERVAL_NS, US(2501), 32), SEE(LINGER.quiet_ns, 20 * INTERVAL_NS),
		QUIET(20 * INTERVAL_NS, 50 * INTERVAL_NS, 32),
		SEE(LINGER.quiet_ns, 10 * INTERVAL_NS), {} } },
	/* Where waves are never to be had, none was seen not to execute. */
	{ "quiet_blind", bench_lingers, STEPS {
		SET(view.blind, true), SET(LINGER.quiet_ns, 40 * INTERVAL_NS),
		QUIET(40 * INTERVAL_NS, 50 * INTERVAL_NS, 0),
		SEE(LINGER.quiet_ns, 20 * INTERVAL_NS), {} } },
	/* It is judged whatever ends it: also that one that starves takes the machine. */
	{ "quiet_aged", bench_lingers, STEPS {
		QUEUE(7), SCAN(1), DOES(third, submits), DOES(high, submits), SCAN(1),
		OFF(third, INVERSION), DOES(high, runs), SCAN(11), BACK(third, FREE), KEEP(low),
		UNTIL(low.out.level, GPREEMPT_BOOST), BACK(low, STARVED), OFF(third, AGED),
		OFF(high, AGED), SEE(LINGER.quiet_ns, 20 * INTERVAL_NS), {} } },
	/*
	 * Back while high fills the machine, low is there, but does not execute: it starves as one
	 * that is off does, is helped, and leaves again.
	 */
	{ "back_in_vain", bench_lingers, STEPS {
		WAVES(low, 0), SCAN(10), BACK(low, FREE),
		EACH(989, IS(low, RUNNABLE), ON(low), KEEP(low), KEEP(high)),
		SCAN(1), YES(low.out.raised), OFF(high, AGED), KEEP(low),
		WAVES(low, 32), WAVES(high, 0), SCAN(1), YES(low.out.raised), SCAN(1),
		NO(low.out.raised), OFF(low, INVERSION), BACK(high, FREE),
		WAVES(low, 0), WAVES(high, 32), SCAN(10), GONE(low), SCAN(2), ON(low), {} } },
};

KUNIT_ARRAY_PARAM_DESC(linger, linger_scenes, name);

static void gpreempt_linger_scenes(struct kunit *test)
{
	scene_play(test);
}

static struct kunit_case gpreempt_linger_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_linger_scenes, linger_gen_params),
	{}
};

static struct kunit_suite gpreempt_linger_suite = {
	.name = "amdgpu_kfd_gpreempt_linger",
	.test_cases = gpreempt_linger_cases,
};

kunit_test_suite(gpreempt_linger_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's lingers");
MODULE_LICENSE("Dual MIT/GPL");
