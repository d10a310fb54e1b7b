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

/* Memory is a hint, waves are the proof: they are counted when one above has waited. */
static void gpreempt_proof_hides(struct kunit *test)
{
	struct bench *b = bench_low_hides(test);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		submits(&b->high);
		EXPECT_KEEP(test, after(b, 1, &b->low));
		KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
		EXPECT_OFF(test, &b->low, INVERSION);
		bench_ticks(b, 1);
		runs(&b->high);
		bench_ticks(b, 1);
		finishes(&b->high);
		KUNIT_EXPECT_TRUE(test, after(b, 3, &b->low)->seen.mapped);
		/* what it had ends, and is counted; the next it hides again */
		b->low.seen.waves = 0;
		bench_ticks(b, 200);
		b->low.seen.waves = 32;
	}
}

/* A packet that waits for ever explains nothing either. */
static void gpreempt_proof_hides_behind_barrier(struct kunit *test)
{
	struct bench *b = bench_low_hides(test);

	b->low.seen.waves = 0;
	waits_for_signal(&b->low);
	bench_ticks(b, 5);
	b->low.seen.waves = 32;
	submits(&b->high);
	EXPECT_OFF(test, after(b, 2, &b->low), INVERSION);
}

/* Nor does it that low has no slot, or high: then all below leave unseen. */
static void gpreempt_proof_hides_in_crowd(struct kunit *test)
{
	struct bench *b = bench_low_hides(test);

	b->waves_unreadable = true;
	submits(&b->high);
	EXPECT_KEEP(test, after(b, 1, &b->low));
	EXPECT_OFF(test, after(b, 1, &b->low), INVERSION);
	runs(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 5, &b->low)->seen.preempted);
	finishes(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 5, &b->low)->seen.mapped);
}

/*
 * One that has waited and is in no slot waits for a lower one that is: all below leave, although
 * they are counted to have no waves. If it has a slot, they are not in its way; but for one that
 * cannot be counted.
 */
static void gpreempt_proof_hides_in_slot(struct kunit *test)
{
	struct bench *b;
	unsigned int slot;

	for (slot = 0; slot < 3; slot++) {
		b = bench_low_hides(test);
		b->low.seen.waves = slot == 2 ? GPREEMPT_WAVES_UNKNOWN : 0;
		b->high.seen.waves = slot ? 0 : GPREEMPT_WAVES_UNKNOWN;
		submits(&b->high);
		EXPECT_KEEP(test, after(b, 1, &b->low));
		KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
		if (slot == 1)
			EXPECT_KEEP(test, &b->low);
		else
			EXPECT_OFF(test, &b->low, INVERSION);
	}
}

/* What has only announced its work has not waited: none is suspected for that. */
static void gpreempt_proof_hides_nothing_from_hint(struct kunit *test)
{
	struct bench *b = bench_low_hides(test);
	unsigned int i;

	b->tun.blocked_us = 10000;
	announces(b, &b->high, 1, 499);
	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_TRUE(test, after(b, 1, &b->high)->out.announced);
		KUNIT_EXPECT_FALSE(test, b->view.proof);
	}
}

/* What was seen to move less than an interval ago needs no proof. */
static void gpreempt_proof_hides_nothing_that_moves(struct kunit *test)
{
	struct bench *b = bench_low_hides(test);
	unsigned int i;

	for (i = 0; i < 20; i++) {
		runs(&b->high);
		bench_scan_at(b, b->view.now_ns + INTERVAL_NS / 2);
		KUNIT_EXPECT_FALSE(test, b->view.proof);
		EXPECT_KEEP(test, &b->low);
	}
}

/* A clock that goes back does not end that one above has waited: it begins anew. */
static void gpreempt_proof_hides_clock(struct kunit *test)
{
	struct bench *b = bench_low_hides(test);

	submits(&b->high);
	EXPECT_KEEP(test, after(b, 1, &b->low));
	b->view.now_ns /= 2;
	bench_scan(b);
	EXPECT_KEEP(test, &b->low);
	bench_ticks(b, 1);
	KUNIT_EXPECT_TRUE(test, b->view.proof);
	EXPECT_OFF(test, &b->low, INVERSION);
}

/* Where waves are never to be had, none is suspected. */
static void gpreempt_proof_hides_unprovably(struct kunit *test)
{
	struct bench *b = bench_low_hides(test);

	b->view.blind = true;
	b->waves_unreadable = true;
	submits(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 10, &b->low)->seen.mapped);
}

/* One that hides nothing stays; and for a long kernel above it little is counted. */
static void gpreempt_proof_hides_nothing(struct kunit *test)
{
	struct bench *b = bench_low_hides(test);
	unsigned int i, asked = 0;

	b->low.seen.waves = 0;
	runs(&b->high);
	for (i = 0; i < 1000; i++) {
		EXPECT_KEEP(test, after(b, 1, &b->low));
		asked += b->asked;
	}
	/* each interval for eight, and then each eighth of the time */
	KUNIT_EXPECT_LE(test, asked, 60);
	KUNIT_EXPECT_LE(test, 20, asked);
	/* nor more often than the scan allows */
	finishes(&b->high);
	bench_ticks(b, 200);
	runs(&b->high);
	b->view.proof_ns = b->view.now_ns + 10 * INTERVAL_NS;
	for (i = 0; i < 9; i++) {
		bench_ticks(b, 1);
		KUNIT_EXPECT_FALSE(test, b->view.proof);
	}
	for (asked = 0; i < 12; i++) {
		bench_ticks(b, 1);
		asked += b->view.proof;
	}
	KUNIT_EXPECT_LE(test, 1, asked);
}

static struct kunit_case gpreempt_proof_cases[] = {
	KUNIT_CASE(gpreempt_proof_hides),
	KUNIT_CASE(gpreempt_proof_hides_behind_barrier),
	KUNIT_CASE(gpreempt_proof_hides_in_crowd),
	KUNIT_CASE(gpreempt_proof_hides_in_slot),
	KUNIT_CASE(gpreempt_proof_hides_nothing_from_hint),
	KUNIT_CASE(gpreempt_proof_hides_nothing_that_moves),
	KUNIT_CASE(gpreempt_proof_hides_clock),
	KUNIT_CASE(gpreempt_proof_hides_unprovably),
	KUNIT_CASE(gpreempt_proof_hides_nothing),
	{}
};

static struct kunit_suite gpreempt_proof_suite = {
	.name = "amdgpu_kfd_gpreempt_proof",
	.test_cases = gpreempt_proof_cases,
};

kunit_test_suite(gpreempt_proof_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's proof");
MODULE_LICENSE("Dual MIT/GPL");
