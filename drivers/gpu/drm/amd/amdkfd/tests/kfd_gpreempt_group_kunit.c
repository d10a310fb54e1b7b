// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's groups: turns, which go by process.
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_group_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

/* So many queues, of a process each, that were never used. */
#define LEVEL(n)	REPEAT(1, REPEAT(n, QUEUE(7)), SCAN(1))

/* A whole turn, after which it is another one's. */
#define HAS_TURN(which, next)								\
	REPEAT(1, RESUMED(which, 0),							\
	       EACH(TURN - 1, SEE(plan.nr_preempt, 0), SEE(plan.nr_resume, 0),		\
		    YES(plan.waiting), ON(which), GONE(next)),				\
	       RESCAN(INTERVAL_NS - 1), KEEP(which),					\
	       RESCAN(1), OFF(which, TIMESLICE), BACK(next, TURN))

/* None is taken off, nor is that worth a register. */
static const struct step no_turns[] = {
	SCAN(1), SEE(plan.nr_preempt, 0),
	EACH(50, SEE(plan.nr_preempt, 0), NO(asked)), {}
};

static const struct scene turns_scenes[] = {
	/* Each has the machine for its time, to the nanosecond, and not longer. */
	{ "turns", bench_turns, STEPS {
		UNTIL(other.out.verdict, GPREEMPT_RESUME),
		REPEAT(25, HAS_TURN(other, one), HAS_TURN(one, other)),
		SEE(one.out.level, 7), {} } },
	/* What had the machine for longer than a turn gives it to a newcomer at once. */
	{ "turns_newcomer", bench_level, STEPS {
		LEVEL(2), DOES(one, runs), SCAN(TURN + 2),
		DOES(other, submits), SCAN(1), OFF(one, TIMESLICE), KEEP(other), {} } },
	/* None where a level has one queue that could use a turn: the other is idle, ... */
	{ "turns_idle", bench_level, STEPS {
		LEVEL(2), DOES(one, runs), PLAY(no_turns), {} } },
	/* ... waits for a signal, ... */
	{ "turns_blocked", bench_level, STEPS {
		LEVEL(2), DOES(one, runs), DOES(other, waits_for_signal), PLAY(no_turns), {} } },
	/* ... is pinned, ... */
	{ "turns_pinned", bench_level, STEPS {
		SET(other.terms.pinned, true), LEVEL(2),
		DOES(one, runs), DOES(other, runs), PLAY(no_turns), {} } },
	/* ... or evicted; ... */
	{ "turns_evicted", bench_level, STEPS {
		REPEAT(2, QUEUE(7)), SET(other.seen.mapped, false), SCAN(1),
		DOES(one, runs), DOES(other, runs), PLAY(no_turns), {} } },
	/* ... there are no turns on the level, ... */
	{ "turns_not_there", bench_level, STEPS {
		SET(view.tun.timeslice_us[7], 0), LEVEL(2),
		DOES(one, runs), DOES(other, runs), PLAY(no_turns), {} } },
	/* ... or for one only; ... */
	{ "turns_of_one", bench_level, STEPS {
		SET(view.tun.timeslice_us[7], 0), SET(other.terms.timeslice_us, 10000), LEVEL(2),
		DOES(one, runs), DOES(other, runs), PLAY(no_turns), {} } },
	/* ... or it is on another level. */
	{ "turns_above", bench_level, STEPS {
		SET(view.tun.timeslice_us[8], 10000), QUEUE(7), QUEUE(8), SCAN(1),
		DOES(one, runs), DOES(other, runs), EACH(50, SEE(plan.nr_preempt, 0)), {} } },
	/* None may leave yet: but time alone will change that. */
	{ "turns_waiting", bench_level, STEPS {
		SET(view.tun.min_residency_us, 50 * 1000), LEVEL(2),
		DOES(one, runs), DOES(other, runs), SCAN(5),
		SEE(plan.nr_preempt, 0), YES(plan.waiting), {} } },
	/* A turn that cannot be used ends at once, and its rest is not saved up: it waits, ... */
	{ "turns_unused", bench_turns, STEPS {
		SCAN(2), GONE(other),
		DOES(one, finishes), DOES(one, waits_for_signal), SCAN(1),
		SEE(other.out.verdict, GPREEMPT_RESUME), SCAN(2),
		/* it may run again: after the other's turn */
		HEAD(one, READY), SCAN(1), OFF(one, TIMESLICE),
		SCAN(TURN - 4), ON(other), SCAN(3), ON(one), GONE(other), {} } },
	/* ... or all it has is done. */
	{ "turns_done", bench_turns, STEPS {
		SCAN(2), GONE(other),
		DOES(one, finishes), SCAN(1), SEE(other.out.verdict, GPREEMPT_RESUME), SCAN(2),
		DOES(one, submits), SCAN(1), OFF(one, TIMESLICE),
		SCAN(TURN - 4), ON(other), SCAN(3), ON(one), GONE(other), {} } },
	/* Asked to leave, it has no turn: the other one does not wait for the end of it. */
	{ "turns_asked", bench_turns, STEPS {
		SCAN(2), GONE(other),
		SET(one.terms.asked, true), SCAN(1), OFF(one, ASKED), BACK(other, FREE), {} } },
	/* Announced work has no turn: none leaves for it before it comes. */
	{ "turns_hint", bench_level, STEPS {
		LEVEL(2), DOES(one, runs), SCAN(3),
		ANNOUNCES(other, 1, 99), EACH(3 * TURN, KEEP(one), KEEP(other)), {} } },
	/* Three queues, and one that comes during a turn and never had one: each in its order. */
	{ "turns_order", bench_level, STEPS {
		LEVEL(4), DOES(one, runs), DOES(other, runs), DOES(third, runs),
		SCAN(1), YES(one.out.turn),
		UNTIL(one.out.turn, false), YES(other.out.turn), DOES(fourth, runs),
		UNTIL(other.out.turn, false), YES(third.out.turn),
		UNTIL(third.out.turn, false), YES(fourth.out.turn),
		UNTIL(fourth.out.turn, false), YES(one.out.turn),
		UNTIL(one.out.turn, false), YES(other.out.turn),
		UNTIL(other.out.turn, false), YES(third.out.turn), {} } },
	/* A queue's own turn goes before its level's. */
	{ "turns_own", bench_turns, STEPS {
		SET(other.terms.timeslice_us, 3 * TURN * 1000), COUNT, SCAN(40 * TURN),
		LEAST(had[0], 94), MOST(had[0], 108), SEE(alone, 40 * TURN), {} } },
	/* One without a turn shares the machine with whose turn it is. */
	{ "turns_none", bench_level, STEPS {
		LEVEL(3), SET(view.tun.timeslice_us[7], 0),
		SET(other.terms.timeslice_us, TURN * 1000),
		SET(third.terms.timeslice_us, TURN * 1000),
		DOES(one, runs), DOES(other, runs), DOES(third, runs), SCAN(3),
		UNTIL(other.out.turn, true), SCAN(1),
		EACH(TURN / 2, ON(one), ON(other), GONE(third)),
		UNTIL(third.out.turn, true), SCAN(1),
		EACH(TURN / 2, ON(one), ON(third), GONE(other)),
		UNTIL(other.out.turn, true), SCAN(1), ON(one), ON(other), GONE(third), {} } },
	/* The time that a higher queue takes is not the turn's. */
	{ "turns_interrupted", bench_turns, STEPS {
		QUEUE(15), EACH(TURN / 2 - 3, KEEP(one)),	/* it had three intervals before */
		DOES(third, submits), SCAN(1), OFF(one, INVERSION),
		DOES(third, runs), DOES(third, submits), SCAN(2 * TURN), GONE(one),
		DOES(third, finishes), SCAN(2), ON(one),
		REPEAT(TURN / 2 - 1, KEEP(one), GONE(other), SCAN(1)), OFF(one, TIMESLICE), {} } },
	/* What a process had of a level is of no concern on another, nor when it comes back. */
	{ "turns_group_levels", bench_turns, STEPS {
		UNTIL(other.out.turn, true), SET(other.terms.priority, 3), SCAN(6), ON(one),
		SET(other.terms.priority, 7),
		SCAN(2), ON(one), YES(one.out.turn), NO(other.out.turn),
		/* its next turn is a whole one */
		UNTIL(other.out.turn, true), EACH(TURN, YES(other.out.turn)),
		SCAN(1), NO(other.out.turn), {} } },
	/* The time that a save and a restore take is not the turn's; however many stay idle. */
	{ "turns_group_restored", bench_level, STEPS {
		LEVEL(3), JOINS(third, 1), SCAN(3), DOES(one, runs), SCAN(3),
		DOES(other, runs), SCAN(1), OFF(other, TIMESLICE),
		UNTIL(other.out.verdict, GPREEMPT_RESUME),
		/* it is back an interval later, and seen two after that */
		RESUMED(other, INTERVAL_NS), RESCAN(3 * INTERVAL_NS),
		REPEAT(TURN - 2, KEEP(other), SCAN(1)), OFF(other, TIMESLICE), {} } },
	/* A turn goes on while a queue of the process can use it, and is as long as the longest. */
	{ "turns_group_goes_on", bench_turns, STEPS {
		QUEUE(7), JOINS(third, 0), SET(one.terms.timeslice_us, 2 * TURN * 1000), SCAN(1),
		DOES(one, finishes), DOES(third, runs), COUNT,
		EACH(TURN, KEEP(other), GONE(other)), UNTIL(other.out.verdict, GPREEMPT_RESUME),
		/* from when the other one was seen to come; of 3 intervals before */
		LEAST(had[2], 3 * TURN / 2 - 1), MOST(had[2], 2 * TURN - 1),
		OFF(third, TIMESLICE), BACK(other, TURN), {} } },
	/* A queue that has only just come keeps its own place, but not its group's turn. */
	{ "turns_group_ends", bench_turns, STEPS {
		QUEUE(7), JOINS(third, 0), SCAN(1),
		/* put back, or made, all the time */
		REPEAT(TURN - 5, RESUMED(third, INTERVAL_NS), DOES(third, runs),
		       SCAN(1), KEEP(other)),
		RESUMED(third, INTERVAL_NS), DOES(third, runs), SCAN(1),
		BACK(other, TURN), OFF(one, TIMESLICE), KEEP(third), {} } },
	/* Rule 3 over turns: a queue waits for the turns of others so long, not longer. */
	{ "turns_starved", bench_turns, STEPS {
		SET(view.tun.timeslice_us[7], 10000 * 1000),
		SET(view.tun.timeslice_us[15], 10000 * 1000),
		SCAN(999), KEEP(other), SCAN(1), BACK(other, STARVED), OFF(one, AGED), {} } },
};

KUNIT_ARRAY_PARAM_DESC(turns, turns_scenes, name);

static void gpreempt_group_turns(struct kunit *test)
{
	scene_play(test);
}

/* A turn is never shorter than what its queue is promised. */
static void gpreempt_group_turns_residency(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	unsigned int i, turns = 0;
	bool had;

	b->view.tun.timeslice_us[7] = 1000;
	b->view.tun.min_residency_us = 5 * 1000;
	bench_ticks(b, 20);
	for (i = 0; i < 140; i++) {
		had = b->one.out.turn;
		turns += after(b, 1, &b->one)->out.turn != had;
	}
	/* 5 ms, and the scan that first sees it mapped */
	KUNIT_EXPECT_LE(test, 20, turns);
	KUNIT_EXPECT_LE(test, turns, 28);
}

/*
 * Strict between levels: all of the level leave for a higher one, and when it
 * comes back the turn goes on where it was. So what is interrupted more often
 * than a turn is long does not keep the turn for ever.
 */
static void gpreempt_group_turns_below(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	struct gpreempt_queue_view *high = bench_queue(b, 15);
	unsigned int mapped[2] = {}, i, n;

	b->view.tun.starvation_ms = 60000;
	b->view.tun.min_residency_us = 0;
	bench_ticks(b, 1);
	for (i = 0; i < 200; i++) {
		submits(high);
		bench_ticks(b, 1);
		runs(high);
		for (n = 0; n < 3; n++) {
			KUNIT_EXPECT_TRUE(test, after(b, 1, &b->one)->seen.preempted);
			KUNIT_EXPECT_TRUE(test, b->other.seen.preempted);
		}
		finishes(high);
		for (n = 0; n < 4; n++) {
			bench_ticks(b, 1);
			mapped[0] += b->one.seen.mapped;
			mapped[1] += b->other.seen.mapped;
			KUNIT_EXPECT_FALSE(test, b->one.seen.mapped && b->other.seen.mapped);
		}
	}
	KUNIT_EXPECT_LE(test, 100, mapped[0]);
	KUNIT_EXPECT_LE(test, 100, mapped[1]);
	KUNIT_EXPECT_LE(test, mapped[0], mapped[1] * 5 / 4);
	KUNIT_EXPECT_LE(test, mapped[1], mapped[0] * 5 / 4);
}

/* A process with seven queues and one with one have equal turns; each with all its own. */
static void gpreempt_group_turns_groups(struct kunit *test)
{
	struct bench *b = bench_level(test);
	unsigned int i, k;

	/* those of one process alone leave each other alone */
	for (i = 0; i < 8; i++)
		bench_queue(b, 7);
	bench_scan(b);
	for (i = 0; i < 7; i++) {
		b->q[i].group = b->q[0].group;
		runs(&b->q[i]);
	}
	for (i = 0; i < 3 * TURN; i++)
		KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 0);
	KUNIT_EXPECT_FALSE(test, b->plan.waiting);
	KUNIT_EXPECT_FALSE(test, b->view.contested);
	runs(&b->q[7]);
	bench_ticks(b, 3);
	memset(b->had, 0, sizeof(b->had));
	for (i = 0; i < 40 * TURN; i++) {
		bench_ticks(b, 1);
		for (k = 1; k < 7; k++)
			KUNIT_EXPECT_EQ(test, b->q[k].seen.mapped, b->q[0].seen.mapped);
	}
	KUNIT_EXPECT_EQ(test, b->had[0] + b->had[7], 40 * TURN);
	KUNIT_EXPECT_LE(test, b->had[0], b->had[7] + TURN + 1);
	KUNIT_EXPECT_LE(test, b->had[7], b->had[0] + TURN + 1);
}

static struct kunit_case gpreempt_group_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_group_turns, turns_gen_params),
	KUNIT_CASE(gpreempt_group_turns_residency),
	KUNIT_CASE(gpreempt_group_turns_below),
	KUNIT_CASE(gpreempt_group_turns_groups),
	{}
};

static struct kunit_suite gpreempt_group_suite = {
	.name = "amdgpu_kfd_gpreempt_group",
	.test_cases = gpreempt_group_cases,
};

kunit_test_suite(gpreempt_group_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's groups");
MODULE_LICENSE("Dual MIT/GPL");
