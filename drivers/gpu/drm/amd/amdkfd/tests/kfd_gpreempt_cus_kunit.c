// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's compute units: queues whose CU masks are disjoint are in nobody's way.
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_cus_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

/* Masks of units: two halves, and more than one. */
#define LEFT		0x0f
#define RIGHT		0xf0
#define MORE		0x1f

/* Low runs on one half, and has more; high may use the other, and finds no space there. */
static struct bench *bench_halves(struct kunit *test)
{
	static const struct step masks[] = { CUS(low, LEFT), CUS(high, RIGHT), {} };
	struct bench *b = bench_low_runs(test);

	play(b, masks);
	submits(&b->low);
	submits(&b->high);
	return b;
}

/* Two that take turns on level 7 by a policy, each on a half of its own. */
static const struct step turns_of_halves[] = {
	SET(view.tun.timeslice_us[7], TURN * 1000), QUEUE(7), QUEUE(7), CUS(one, LEFT),
	CUS(other, RIGHT), SCAN(1), DOES(one, runs), DOES(other, runs), DOES(one, submits),
	DOES(other, submits), SCAN(3), {}
};

/* Both are there all the time. */
static const struct step both_stay[] = {
	EACH(5 * TURN, KEEP(one), KEEP(other), ON(one), ON(other)), {}
};

/* Another one may use all of the machine: when it has its turn it has it alone. */
static const struct step third_bridges[] = {
	QUEUE(7), DOES(third, runs), UNTIL(third.out.turn, true), SCAN(1),
	GONE(one), GONE(other), ON(third), UNTIL(third.out.turn, false), SCAN(1), GONE(third),
	EACH(TURN / 2, ON(one), ON(other)), {}
};

static const struct scene cus_scenes[] = {
	/* Where no unit is of use to both, none leaves for the other; ... */
	{ "disjoint", bench_halves, STEPS {
		EACH(1, KEEP(low)), DOES(high, runs), DOES(high, submits),
		EACH(2000, KEEP(low), KEEP(high), ON(low)), {} } },
	/* ... where one is, it does; ... */
	{ "overlaps", bench_halves, STEPS { CUS(low, MORE), SCAN(1), OFF(low, INVERSION), {} } },
	/* ... as where one has no mask; ... */
	{ "no_mask", bench_halves, STEPS {
		SET(high.seen.cus.barred[0], 0), SET(high.seen.cus.barred[7], 0),
		SCAN(1), OFF(low, INVERSION), {} } },
	/* ... and be it in the last word. */
	{ "last_word", bench_halves, STEPS {
		SET(low.seen.cus.barred[7], S64_MAX), SCAN(1), KEEP(low),
		SET(high.seen.cus.barred[7], S64_MAX), SCAN(1), OFF(low, INVERSION), {} } },
	/* One without a mask leaves, and makes nobody leave that is disjoint with high. */
	{ "bridged", bench_halves, STEPS {
		QUEUE(0), DOES(third, runs), SCAN(1), SCAN(1), OFF(third, INVERSION), KEEP(low),
		DOES(high, runs), DOES(high, submits), EACH(500, ON(low), GONE(third)), {} } },
	/* Nor does one above both: the units that it takes are theirs again when it ends. */
	{ "bridged_above", bench_halves, STEPS {
		SET(high.terms.priority, 7), QUEUE(15), SCAN(1), ON(low), DOES(third, submits),
		SCAN(1), OFF(low, INVERSION), OFF(high, INVERSION), DOES(third, runs), SCAN(1),
		DOES(third, finishes), SCAN(1), BACK(low, FREE), BACK(high, FREE), {} } },
	/* Only queues above that meet a preempted one keep it off. */
	{ "kept_off", bench_halves, STEPS {
		DOES(high, runs), DOES(high, submits), QUEUE(7), CUS(third, LEFT), SCAN(1),
		DOES(third, submits), SCAN(1), OFF(low, INVERSION), DOES(third, runs), SCAN(1),
		DOES(third, finishes), SCAN(1), BACK(low, FREE), YES(high.out.wants), {} } },
	/* It waits for the lingers of those that it meets alone, and these are judged. */
	{ "lingers", bench_halves, STEPS {
		SET(view.tun.min_residency_us, 0), SET(high.terms.priority, 15), QUEUE(7),
		CUS(third, LEFT), SCAN(1), DOES(third, submits), SCAN(1), OFF(low, INVERSION),
		DOES(third, runs), DOES(high, finishes), SCAN(1),
		SET(group[1].turn[15].linger.linger_ns, INTERVAL_NS),
		DOES(third, finishes), SCAN(1), BACK(low, FREE),
		SEE(group[1].turn[15].linger.back_ns, 0),
		SEE_IN(group[2].turn[7].linger.back_ns, 0),
		SCAN_IN(INTERVAL_NS / 2), DOES(third, submits), SCAN_IN(0), OFF(low, INVERSION),
		SEE(group[1].turn[15].linger.linger_ns, INTERVAL_NS),
		SEE(group[2].turn[7].linger.linger_ns, 50 * NSEC_PER_USEC), {} } },
	/* A disjoint queue is not in high's way: high has its half for itself, and is judged. */
	{ "judged", bench_halves, STEPS {
		SCAN(1), YES(high.out.given), SCAN(2), IS(high, BLOCKED), ON(low), {} } },
	/* One that meets it and must not leave is in its way. */
	{ "not_judged", bench_halves, STEPS {
		SET(low.terms.pinned, true), CUS(low, MORE), SCAN(100), IS(high, RUNNABLE),
		NO(high.out.given), {} } },
	/* One that starves is helped by those that meet it, and no others; ... */
	{ "helped", bench_halves, STEPS {
		QUEUE(7), SCAN(1), DOES(high, runs), DOES(high, submits), CUS(third, LEFT),
		DOES(third, runs), DOES(third, submits), SCAN(2), GONE(low),
		UNTIL(low.out.level, GPREEMPT_BOOST), BACK(low, STARVED),
		SEE(third.out.verdict, GPREEMPT_PREEMPT), KEEP(high), ON(high), SCAN(2),
		OFF(low, INVERSION), BACK(third, FREE),
		/* ... that is what it costs */
		SEE_IN(view.help.next_ns, 14 * INTERVAL_NS), {} } },
	/* If high wants units that do not meet them, help among others costs it nothing. */
	{ "helped_free", bench_halves, STEPS {
		QUEUE(0), CUS(third, LEFT), DOES(high, runs), DOES(high, submits), SCAN(1),
		DOES(third, submits), SCAN(1003), YES(third.out.raised), WAVES(third, 32),
		WAVES(low, 0), SCAN(3), NO(third.out.raised), SEE(view.help.next_ns, 0), {} } },
	/* Turns are taken where two meet. */
	{ "turns", bench_strict, STEPS {
		POLICY("timeslice"), PLAY(turns_of_halves), PLAY(both_stay), {} } },
	{ "turns_overlap", bench_strict, STEPS {
		POLICY("timeslice"), PLAY(turns_of_halves), CUS(one, MORE), COUNT, SCAN(4 * TURN),
		LEAST(had[0], TURN), MOST(had[0], 3 * TURN), LEAST(alone, 3 * TURN), {} } },
	{ "turns_bridged", bench_strict, STEPS {
		POLICY("timeslice"), PLAY(turns_of_halves), PLAY(third_bridges), {} } },
	{ "fair", bench_strict, STEPS {
		POLICY("fair"), PLAY(turns_of_halves), PLAY(both_stay), {} } },
	{ "fair_bridged", bench_strict, STEPS {
		POLICY("fair"), PLAY(turns_of_halves), PLAY(third_bridges), {} } },
	/* A cap is a process's own: it leaves by itself, and the other one does not notice. */
	{ "fair_capped", bench_strict, STEPS {
		POLICY("fair"), SET(group[0].share.cap_percent, 50), PLAY(turns_of_halves), COUNT,
		EACH(20 * TURN, ON(other), KEEP(other)), LEAST(had[0], 9 * TURN),
		MOST(had[0], 12 * TURN), {} } },
};

KUNIT_ARRAY_PARAM_DESC(cus, cus_scenes, name);

static void gpreempt_cus_scenes(struct kunit *test)
{
	scene_play(test);
}

/* A level's claims are those of all of its queues together. */
static void gpreempt_cus_claims(struct kunit *test)
{
	struct gpreempt_claims *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct gpreempt_cus of[3], none = {};
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		memset(&of[i], 0xff, sizeof(of[i]));
		of[i].barred[i * (GPREEMPT_CU_WORDS - 1) / 2] &= ~BIT_ULL(63 * (i % 2));
	}
	KUNIT_EXPECT_FALSE(test, gpreempt_is_claimed(c, U32_MAX, &none));
	gpreempt_claim(c, 3, &of[0]);
	gpreempt_claim(c, 3, &of[2]);
	gpreempt_claim(c, 16, &of[1]);
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		KUNIT_EXPECT_EQ(test, gpreempt_is_claimed(c, BIT(3), &of[i]), i != 1);
		KUNIT_EXPECT_EQ(test, gpreempt_is_claimed(c, GPREEMPT_ABOVE(3), &of[i]), i == 1);
		KUNIT_EXPECT_FALSE(test, gpreempt_is_claimed(c, GPREEMPT_ABOVE(16), &of[i]));
		KUNIT_EXPECT_FALSE(test, gpreempt_is_claimed(c, GPREEMPT_BELOW(3), &of[i]));
		KUNIT_EXPECT_EQ(test, gpreempt_is_claimed(c, GPREEMPT_BELOW(4), &of[i]), i != 1);
	}
	KUNIT_EXPECT_TRUE(test, gpreempt_is_claimed(c, BIT(16), &none));
	KUNIT_EXPECT_FALSE(test, gpreempt_is_claimed(c, BIT(2) | BIT(4), &none));
}

static struct kunit_case gpreempt_cus_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_cus_scenes, cus_gen_params),
	KUNIT_CASE(gpreempt_cus_claims),
	{}
};

static struct kunit_suite gpreempt_cus_suite = {
	.name = "amdgpu_kfd_gpreempt_cus",
	.test_cases = gpreempt_cus_cases,
};

kunit_test_suite(gpreempt_cus_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's compute units");
MODULE_LICENSE("Dual MIT/GPL");
