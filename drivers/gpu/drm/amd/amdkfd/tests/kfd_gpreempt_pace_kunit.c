// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's pace, with a fake clock.
 */

#include <kunit/test.h>

/* Names of its own, should the driver be built in beside it. */
#define gpreempt_pace_begin	kunit_gpreempt_pace_begin
#define gpreempt_pace_next	kunit_gpreempt_pace_next
#define gpreempt_pace_rest	kunit_gpreempt_pace_rest
#define gpreempt_pace_restart	kunit_gpreempt_pace_restart

#include "../gpreempt/pace.c"

#define US	NSEC_PER_USEC

/* The clock, and a scan of @took ns at its time; the next is then due. The time since the last. */
static u64 scan(struct gpreempt_pace *p, u64 *now, u64 took, u32 min_us, u32 max_us)
{
	u64 real = p->begun_ns ? *now - p->begun_ns : 0;

	gpreempt_pace_begin(p, *now, false);
	*now += took;
	*now += gpreempt_pace_next(p, *now, min_us, max_us);
	return real;
}

static void gpreempt_pace_keeps_time(struct kunit *test)
{
	static const u32 intervals[] = { 50, 1000, 1000000 };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(intervals); i++) {
		struct gpreempt_pace p = {};
		u64 us = intervals[i], now = 1000 * US;

		KUNIT_EXPECT_EQ(test, scan(&p, &now, us * US / 4, us, us), 0);
		for (n = 0; n < 20; n++)
			KUNIT_EXPECT_EQ(test, scan(&p, &now, (n % 5) * us * US / 8, us,
						   us), us * US);
	}
}

/* Scans that take all the time leave half an interval between them. */
static void gpreempt_pace_yields(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 1;

	scan(&p, &now, 3000 * US, 1000, 1000);
	KUNIT_EXPECT_EQ(test, scan(&p, &now, 3000 * US, 1000, 1000), 3500 * US);
}

static void gpreempt_pace_stretches(struct kunit *test)
{
	static const u64 expected[] = { 100, 400, 1500, 1500 };
	struct gpreempt_pace p = {};
	u64 now = 1;
	unsigned int i;

	scan(&p, &now, 10 * US, 100, 1500);
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		KUNIT_EXPECT_EQ(test, scan(&p, &now, 10 * US, 100, 1500),
				expected[i] * US);
	/* A sign of work in a scan ... */
	scan(&p, &now, 10 * US, 100, 100);
	KUNIT_EXPECT_EQ(test, scan(&p, &now, 10 * US, 100, 1500), 100 * US);
	KUNIT_EXPECT_EQ(test, scan(&p, &now, 10 * US, 100, 1500), 400 * US);
	/* ... or between two. */
	gpreempt_pace_begin(&p, now, true);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 100, 1500), 100 * US);
}

/* The operator's bounds hold at once, whatever the interval was. */
static void gpreempt_pace_bounds_change(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 1;
	int i;

	for (i = 0; i < 10; i++)
		scan(&p, &now, 0, 100, 100000);
	gpreempt_pace_begin(&p, now, false);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 100, 300), 300 * US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 5000, 300), 5000 * US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 5000, 5000), 5000 * US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 1000000, 1000000),
			1000000 * US);
}

/* After a transaction the whole interval is slept, however long it took. */
static void gpreempt_pace_restarts(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 5000 * US;

	gpreempt_pace_begin(&p, now, false);
	now += 70 * US;
	gpreempt_pace_restart(&p, now);
	now += 10 * US;
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 100, 100), 90 * US);
}

/* A calm that was before a rest does not go on. */
static void gpreempt_pace_rests(struct kunit *test)
{
	struct gpreempt_pace p = {};
	unsigned int i;
	u64 now = 1;

	for (i = 0; i < 3; i++)
		scan(&p, &now, 0, 100, 1500);
	gpreempt_pace_rest(&p);
	gpreempt_pace_begin(&p, now, false);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 100, 1500), 100 * US);
}

/* A clock that goes back does not sleep for ever. */
static void gpreempt_pace_clock_goes_back(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 1000 * US;

	scan(&p, &now, 0, 100, 100);
	gpreempt_pace_begin(&p, 500 * US, false);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, 400 * US, 100, 100), 100 * US);
}


static struct kunit_case gpreempt_pace_cases[] = {
	KUNIT_CASE(gpreempt_pace_keeps_time),
	KUNIT_CASE(gpreempt_pace_yields),
	KUNIT_CASE(gpreempt_pace_stretches),
	KUNIT_CASE(gpreempt_pace_bounds_change),
	KUNIT_CASE(gpreempt_pace_restarts),
	KUNIT_CASE(gpreempt_pace_rests),
	KUNIT_CASE(gpreempt_pace_clock_goes_back),
	{}
};

static struct kunit_suite gpreempt_pace_suite = {
	.name = "amdgpu_kfd_gpreempt_pace",
	.test_cases = gpreempt_pace_cases,
};

kunit_test_suite(gpreempt_pace_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's pace");
MODULE_LICENSE("Dual MIT/GPL");
