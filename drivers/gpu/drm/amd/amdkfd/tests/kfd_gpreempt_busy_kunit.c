// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of the time that a process has been on the GPU.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "../gpreempt/run/busy.h"

#define QUEUES	4
#define STEPS	60000

static void gpreempt_busy_one_queue(struct kunit *test)
{
	struct gpreempt_busy b = {};

	gpreempt_busy_count(&b, 100, 110);
	KUNIT_EXPECT_EQ(test, b.total_ns, 10);
	gpreempt_busy_count(&b, 110, 125);
	KUNIT_EXPECT_EQ(test, b.total_ns, 25);
	/* it was idle meanwhile */
	gpreempt_busy_count(&b, 200, 201);
	KUNIT_EXPECT_EQ(test, b.total_ns, 26);
}

static void gpreempt_busy_same_time_counts_once(struct kunit *test)
{
	struct gpreempt_busy b = {};
	unsigned int i;

	for (i = 0; i < QUEUES; i++)
		gpreempt_busy_count(&b, 100, 110);
	KUNIT_EXPECT_EQ(test, b.total_ns, 10);
}

/* A queue that was in no scan for a while: what is counted is not counted again. */
static void gpreempt_busy_not_before_the_last_scan(struct kunit *test)
{
	struct gpreempt_busy b = {};

	gpreempt_busy_count(&b, 100, 110);
	gpreempt_busy_count(&b, 100, 120);
	KUNIT_EXPECT_EQ(test, b.total_ns, 20);
}

/* Whatever queues do from scan to scan: each ns counts once in which one or more executed. */
static void gpreempt_busy_is_the_union(struct kunit *test)
{
	u64 now = 1, before, is = 0;
	struct gpreempt_busy b = {};
	unsigned int i, queue;
	struct rnd_state rnd;
	bool any;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < STEPS; i++) {
		before = now;
		now += 1 + prandom_u32_state(&rnd) % 1000;
		for (queue = 0, any = false; queue < QUEUES; queue++) {
			if (prandom_u32_state(&rnd) % 3)
				continue;
			gpreempt_busy_count(&b, before, now);
			any = true;
		}
		is += any ? now - before : 0;
		KUNIT_EXPECT_EQ(test, b.total_ns, is);
	}
}

/* From the last scan on as long as it goes on, by that scan and no older one. */
static void gpreempt_busy_goes_on_until_the_next_scan(struct kunit *test)
{
	struct gpreempt_busy b = {};
	u64 scan = 0;

	/* nobody has looked */
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 50), 0);
	scan = 100;
	gpreempt_busy_goes_on(&b, scan);
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 100), 0);
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 107), 7);
	/* another CPU's clock */
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 99), 0);
	/* while a scan is accounted it is not counted twice */
	scan = 110;
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 111), 0);
	gpreempt_busy_goes_on(&b, scan);
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 112), 2);
	gpreempt_busy_count(&b, 100, scan);
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 112), 12);
	/* nobody watches */
	scan = 0;
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 5000), 10);
	/* it has stopped */
	scan = 120;
	gpreempt_busy_count(&b, 110, scan);
	KUNIT_EXPECT_EQ(test, gpreempt_busy_at(&b, &scan, 500), 20);
}

/* Of a queue without a pause, from a moment after one scan to one after another. */
static void gpreempt_busy_is_all_of_the_time(struct kunit *test)
{
	const u64 ms = NSEC_PER_MSEC, late = 40 * NSEC_PER_USEC, interval = 10 * ms;
	struct gpreempt_busy b = {};
	u64 scan = ms, now, first, second;

	gpreempt_busy_goes_on(&b, scan);
	first = gpreempt_busy_at(&b, &scan, scan + 9 * ms);
	for (now = scan + interval; now <= 101 * ms; now += interval) {
		gpreempt_busy_goes_on(&b, now);
		gpreempt_busy_count(&b, scan, now);
		scan = now;
	}
	KUNIT_EXPECT_EQ(test, b.total_ns, 100 * ms);
	second = gpreempt_busy_at(&b, &scan, scan + 9 * ms + late);
	KUNIT_EXPECT_EQ(test, second - first, 100 * ms + late);
}

static struct kunit_case gpreempt_busy_cases[] = {
	KUNIT_CASE(gpreempt_busy_one_queue),
	KUNIT_CASE(gpreempt_busy_same_time_counts_once),
	KUNIT_CASE(gpreempt_busy_not_before_the_last_scan),
	KUNIT_CASE(gpreempt_busy_is_the_union),
	KUNIT_CASE(gpreempt_busy_goes_on_until_the_next_scan),
	KUNIT_CASE(gpreempt_busy_is_all_of_the_time),
	{}
};

static struct kunit_suite gpreempt_busy_suite = {
	.name = "amdgpu_kfd_gpreempt_busy",
	.test_cases = gpreempt_busy_cases,
};

kunit_test_suite(gpreempt_busy_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's time on the GPU");
MODULE_LICENSE("Dual MIT/GPL");
