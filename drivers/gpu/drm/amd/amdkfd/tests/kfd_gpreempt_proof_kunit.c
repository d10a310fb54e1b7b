// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's proof: where one waits that should not, waves are counted, whatever
 * memory says.
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_proof_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

/* Low was seen to do nothing; whatever it does since, its memory does not tell. */
static struct bench *bench_low_hides(struct kunit *test)
{
	struct bench *b = bench_two(test);

	KUNIT_EXPECT_TRUE(test, plan_after(b, 5)->idle);
	b->low.seen.waves = 32;
	return b;
}

/* One with nothing to do is not taken off, the next time that high waits. */
static const struct step wait_in_slots[] = {
	DOES(high, submits), SCAN(1), KEEP(low), SCAN(1), YES(asked), {}
};

static const struct scene hides_scenes[] = {
	/* Memory is a hint, waves are the proof: they are counted when one above has waited. */
	{ "hides", bench_low_hides, STEPS {
		REPEAT(3, DOES(high, submits), SCAN(1), KEEP(low),
		       SCAN(1), YES(asked), OFF(low, INVERSION), SCAN(1),
		       DOES(high, runs), SCAN(1), DOES(high, finishes), SCAN(3), ON(low),
		       /* what it had ends, and is counted; the next it hides again */
		       WAVES(low, 0), SCAN(200), WAVES(low, 32)), {} } },
	/* A packet that waits for ever explains nothing either. */
	{ "hides_behind_barrier", bench_low_hides, STEPS {
		WAVES(low, 0), DOES(low, waits_for_signal), SCAN(5), WAVES(low, 32),
		DOES(high, submits), SCAN(2), OFF(low, INVERSION), {} } },
	/* Nor does it that low has no slot, or high: then all below leave unseen. */
	{ "hides_in_crowd", bench_low_hides, STEPS {
		SET(waves_unreadable, true), DOES(high, submits), SCAN(1), KEEP(low),
		SCAN(1), OFF(low, INVERSION), DOES(high, runs), SCAN(4), GONE(low),
		DOES(high, finishes), SCAN(5), ON(low), {} } },
	/*
	 * One above that hides is why another does not use the machine that it seems to have: it
	 * is not found blocked.
	 */
	{ "hides_above", bench_low_hides, STEPS {
		WAVES(low, 0), QUEUE(15), SCAN(3), WAVES(third, 32),
		DOES(low, submits), DOES(high, submits), SCAN(1), OFF(low, INVERSION),
		EACH(20, IS(high, RUNNABLE), GONE(low)), IS(third, RUNNING),
		WAVES(third, 0), SCAN(5), IS(high, BLOCKED), ON(low), {} } },
	/*
	 * One that has waited and is in no slot waits for a lower one that is: all below leave,
	 * although they are counted to have no waves.
	 */
	{ "hides_in_slot", bench_low_hides, STEPS {
		WAVES(low, 0), WAVES(high, GPREEMPT_WAVES_UNKNOWN),
		PLAY(wait_in_slots), OFF(low, INVERSION), {} } },
	/* And again, when they are back and in no slot, so that waves of theirs may be hidden. */
	{ "hides_in_slot_again", bench_low_hides, STEPS {
		WAVES(low, 0), WAVES(high, GPREEMPT_WAVES_UNKNOWN),
		PLAY(wait_in_slots), OFF(low, INVERSION), SCAN(1),
		WAVES(low, GPREEMPT_WAVES_UNKNOWN), DOES(high, finishes), SCAN(5), ON(low),
		DOES(high, submits), SCAN(2), OFF(low, INVERSION), {} } },
	/* If it has a slot, they are not in its way; ... */
	{ "hides_not_in_slot", bench_low_hides, STEPS {
		WAVES(low, 0), WAVES(high, 0), PLAY(wait_in_slots), KEEP(low), {} } },
	/* ... but for one that cannot be counted. */
	{ "hides_uncounted", bench_low_hides, STEPS {
		WAVES(low, GPREEMPT_WAVES_UNKNOWN), WAVES(high, 0),
		PLAY(wait_in_slots), OFF(low, INVERSION), {} } },
	/* What has only announced its work has not waited: none is suspected for that. */
	{ "hides_nothing_from_hint", bench_low_hides, STEPS {
		SET(view.tun.blocked_us, 10000), ANNOUNCES(high, 1, 499),
		EACH(8, YES(high.out.announced), NO(view.proof)), {} } },
	/* What was seen to move less than an interval ago needs no proof. */
	{ "hides_nothing_that_moves", bench_low_hides, STEPS {
		REPEAT(20, DOES(high, runs), RESCAN(INTERVAL_NS / 2), NO(view.proof), KEEP(low)),
		{} } },
	/* A clock that goes back does not end that one above has waited: it begins anew. */
	{ "hides_clock", bench_low_hides, STEPS {
		DOES(high, submits), SCAN(1), KEEP(low), RESCAN(-5 * INTERVAL_NS), KEEP(low),
		SCAN(1), YES(view.proof), OFF(low, INVERSION), {} } },
	/* Where waves are never to be had, none is suspected. */
	{ "hides_unprovably", bench_low_hides, STEPS {
		SET(view.blind, true), SET(waves_unreadable, true), DOES(high, submits),
		SCAN(10), ON(low), {} } },
	/* One that hides nothing stays; and for a long kernel above it little is counted: ... */
	{ "hides_nothing", bench_low_hides, STEPS {
		/* ... each interval for eight, and then each eighth of the time; ... */
		WAVES(low, 0), DOES(high, runs), COUNT, EACH(1000, KEEP(low)),
		LEAST(asks, 20), MOST(asks, 60),
		/* ... nor more often than the scan allows. */
		DOES(high, finishes), SCAN(200), DOES(high, runs),
		SET_IN(view.proof_ns, 10 * INTERVAL_NS), EACH(9, NO(view.proof)),
		COUNT, SCAN(3), LEAST(proofs, 1), {} } },
};

KUNIT_ARRAY_PARAM_DESC(hides, hides_scenes, name);

static void gpreempt_proof_hides(struct kunit *test)
{
	scene_play(test);
}

static struct kunit_case gpreempt_proof_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_proof_hides, hides_gen_params),
	{}
};

static struct kunit_suite gpreempt_proof_suite = {
	.name = "amdgpu_kfd_gpreempt_proof",
	.test_cases = gpreempt_proof_cases,
};

kunit_test_suite(gpreempt_proof_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's proof");
MODULE_LICENSE("Dual MIT/GPL");
