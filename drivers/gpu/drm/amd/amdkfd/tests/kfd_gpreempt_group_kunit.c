// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's groups: turns, which go by process.
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_group_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

/* Each has the machine for its time, to the nanosecond, and not longer. */
static void gpreempt_group_turns(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	struct gpreempt_queue_view *q[2] = { b->one, b->other };
	unsigned int i, n;

	while (b->other->out.verdict == GPREEMPT_KEEP || b->other->seen.mapped)
		bench_ticks(b, 1);
	for (i = 1; i < 50; i++) {
		struct gpreempt_queue_view *has = q[i % 2], *waits = q[!(i % 2)];

		bench_commit(b);
		/* as the commit room does */
		gpreempt_resumed(has->memory, b->view.now_ns);
		for (n = 1; n < TURN; n++) {
			bench_ticks(b, 1);
			KUNIT_EXPECT_EQ(test, b->plan.nr_preempt + b->plan.nr_resume, 0);
			KUNIT_EXPECT_TRUE(test, has->seen.mapped);
			KUNIT_EXPECT_TRUE(test, waits->seen.preempted);
			KUNIT_EXPECT_TRUE(test, b->plan.waiting);
		}
		bench_scan_at(b, b->view.now_ns + INTERVAL_NS - 1);
		EXPECT_KEEP(test, has);
		bench_scan_at(b, b->view.now_ns + 1);
		EXPECT_OFF(test, has, TIMESLICE);
		EXPECT_BACK(test, waits, TURN);
	}
	KUNIT_EXPECT_EQ(test, b->one->out.level, 7);
}

/* Who had the machine for longer than a turn gives it to a newcomer at once. */
static void gpreempt_group_turns_newcomer(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_level(test, q, 2);

	runs(q[0]);
	bench_ticks(b, TURN + 2);
	submits(q[1]);
	EXPECT_OFF(test, after(b, 1, q[0]), TIMESLICE);
	EXPECT_KEEP(test, q[1]);
}

/* Off where a level has one queue that could use a turn. */
static void gpreempt_group_turns_alone(struct kunit *test)
{
	static const struct {
		const char *name;
		u8 priority;
		bool idle, waits, pinned, held, absent;
		u32 level_us, own_us;
	} c[] = {
		{ .name = "idle", .priority = 7, .idle = true, .level_us = 10000 },
		{ .name = "waits for a signal", .priority = 7, .waits = true, .level_us = 10000 },
		{ .name = "pinned", .priority = 7, .pinned = true, .level_us = 10000 },
		{ .name = "evicted", .priority = 7, .absent = true, .level_us = 10000 },
		{ .name = "no turns on the level", .priority = 7 },
		{ .name = "turns of one only", .priority = 7, .own_us = 10000 },
		{ .name = "another level", .priority = 8, .level_us = 10000 },
	};
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_new(test, "timeslice");
		struct gpreempt_queue_view *a, *other;

		a = bench_queue(b, 7);
		other = bench_queue(b, c[i].priority);
		b->tun.timeslice_us[7] = c[i].level_us;
		b->tun.timeslice_us[8] = c[i].level_us;
		other->terms.timeslice_us = c[i].own_us;
		other->terms.pinned = c[i].pinned;
		other->seen.mapped = !c[i].absent;
		bench_scan(b);
		runs(a);
		if (c[i].waits)
			waits_for_signal(other);
		else if (!c[i].idle)
			runs(other);
		for (n = 0; n < 50; n++) {
			KUNIT_EXPECT_EQ_MSG(test, plan_after(b, 1)->nr_preempt, 0, "%s", c[i].name);
			/* nor is that worth a register */
			if (c[i].priority == 7 && n > 0)
				KUNIT_EXPECT_FALSE_MSG(test, b->asked, "%s", c[i].name);
		}
	}
}

/* Of two that come at once, the first turn is whose waves are there already. */
static void gpreempt_group_turns_first(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_level(test, q, 2);

	bench_ticks(b, 3);
	submits(q[0]);
	runs(q[1]);
	EXPECT_OFF(test, after(b, 1, q[0]), TIMESLICE);
	EXPECT_KEEP(test, q[1]);
}

/* None may leave yet: but time alone will change that. */
static void gpreempt_group_turns_waiting(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_level(test, q, 2);

	b->tun.min_residency_us = 50 * 1000;
	runs(q[0]);
	runs(q[1]);
	KUNIT_EXPECT_EQ(test, plan_after(b, 5)->nr_preempt, 0);
	KUNIT_EXPECT_TRUE(test, b->plan.waiting);
}

/* A turn that cannot be used ends at once, and its rest is not saved up. */
static void gpreempt_group_turns_unused(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct bench *b = bench_turns(test);

		KUNIT_EXPECT_TRUE(test, after(b, 2, b->other)->seen.preempted);
		/* all it has done; or it waits for what the other will do */
		finishes(b->one);
		if (i == 0)
			waits_for_signal(b->one);
		KUNIT_EXPECT_EQ(test, after(b, 1, b->other)->out.verdict, GPREEMPT_RESUME);
		bench_ticks(b, 2);
		/* it may run again: after the other's turn */
		b->one->seen.head = GPREEMPT_HEAD_READY;
		if (i)
			submits(b->one);
		EXPECT_OFF(test, after(b, 1, b->one), TIMESLICE);
		KUNIT_EXPECT_TRUE(test, after(b, TURN - 4, b->other)->seen.mapped);
		KUNIT_EXPECT_TRUE(test, after(b, 3, b->one)->seen.mapped);
		KUNIT_EXPECT_TRUE(test, b->other->seen.preempted);
	}
}

/* Asked to leave, it has no turn: the other one does not wait for the end of it. */
static void gpreempt_group_turns_asked(struct kunit *test)
{
	struct bench *b = bench_turns(test);

	KUNIT_EXPECT_TRUE(test, after(b, 2, b->other)->seen.preempted);
	b->one->terms.asked = true;
	EXPECT_OFF(test, after(b, 1, b->one), ASKED);
	EXPECT_BACK(test, b->other, FREE);
}

/* Announced work has no turn: none leaves for it before it comes. */
static void gpreempt_group_turns_hint(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_level(test, q, 2);
	unsigned int i;

	runs(q[0]);
	bench_ticks(b, 3);
	announces(b, q[1], 1, 99);
	for (i = 0; i < 3 * TURN; i++) {
		EXPECT_KEEP(test, after(b, 1, q[0]));
		EXPECT_KEEP(test, q[1]);
	}
}

/* Three queues, and one that comes later: each in its order. */
static void gpreempt_group_turns_order(struct kunit *test)
{
	struct gpreempt_queue_view *q[4];
	struct bench *b = bench_level(test, q, 4);
	unsigned int n, i, k, last = 4;

	for (i = 0; i < 3; i++)
		runs(q[i]);
	for (i = 0, n = 0; i < 200 && n < 8; i++) {
		/* 3 comes during the turn of 1, and never had one */
		if (n == 2 && q[3]->seen.rptr == 0)
			runs(q[3]);
		bench_ticks(b, 1);
		for (k = 0; k < 4 && !q[k]->out.turn; k++)
			;
		if (k != last)
			KUNIT_EXPECT_EQ(test, k, n++ % 4);
		last = k;
	}
	KUNIT_EXPECT_EQ(test, n, 8);
}

/* A queue's own turn goes before its level's. */
static void gpreempt_group_turns_own(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	unsigned int mapped[2] = {}, i;

	b->other->terms.timeslice_us = 3 * TURN * 1000;
	for (i = 0; i < 40 * TURN; i++) {
		bench_ticks(b, 1);
		mapped[0] += b->one->seen.mapped;
		mapped[1] += b->other->seen.mapped;
	}
	KUNIT_EXPECT_LE(test, 27 * mapped[0], 10 * mapped[1]);
	KUNIT_EXPECT_LE(test, 10 * mapped[1], 33 * mapped[0]);
	KUNIT_EXPECT_EQ(test, mapped[0] + mapped[1], 40 * TURN);
}

/* One without a turn shares the machine with whose turn it is. */
static void gpreempt_group_turns_none(struct kunit *test)
{
	struct gpreempt_queue_view *q[3];
	struct bench *b = bench_level(test, q, 3);
	unsigned int i;

	b->tun.timeslice_us[7] = 0;
	for (i = 0; i < 3; i++) {
		q[i]->terms.timeslice_us = i ? TURN * 1000 : 0;
		runs(q[i]);
	}
	bench_ticks(b, 3);
	for (i = 0; i < 10 * TURN; i++) {
		KUNIT_EXPECT_TRUE(test, after(b, 1, q[0])->seen.mapped);
		KUNIT_EXPECT_NE(test, q[1]->seen.mapped, q[2]->seen.mapped);
	}
}

/* A turn is never shorter than what its queue is promised. */
static void gpreempt_group_turns_residency(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	unsigned int i, turns = 0;
	bool had;

	b->tun.timeslice_us[7] = 1000;
	b->tun.min_residency_us = 5 * 1000;
	b->other->seen.save_cost_ns = 8 * INTERVAL_NS;
	bench_ticks(b, 20);
	for (i = 0; i < 140; i++) {
		had = b->one->out.turn;
		turns += after(b, 1, b->one)->out.turn != had;
	}
	/* 5 ms and 8 ms, and the scan that first sees it mapped */
	KUNIT_EXPECT_LE(test, 16, turns);
	KUNIT_EXPECT_LE(test, turns, 20);
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

	b->tun.starvation_ms = 60000;
	b->tun.min_residency_us = 0;
	bench_ticks(b, 1);
	for (i = 0; i < 200; i++) {
		submits(high);
		bench_ticks(b, 1);
		runs(high);
		for (n = 0; n < 3; n++) {
			KUNIT_EXPECT_TRUE(test, after(b, 1, b->one)->seen.preempted);
			KUNIT_EXPECT_TRUE(test, b->other->seen.preempted);
		}
		finishes(high);
		for (n = 0; n < 4; n++) {
			bench_ticks(b, 1);
			mapped[0] += b->one->seen.mapped;
			mapped[1] += b->other->seen.mapped;
			KUNIT_EXPECT_FALSE(test, b->one->seen.mapped && b->other->seen.mapped);
		}
	}
	KUNIT_EXPECT_LE(test, 100, mapped[0]);
	KUNIT_EXPECT_LE(test, 100, mapped[1]);
	KUNIT_EXPECT_LE(test, mapped[0], mapped[1] * 5 / 4);
	KUNIT_EXPECT_LE(test, mapped[1], mapped[0] * 5 / 4);
}

/* The time that a higher queue takes is not the turn's. */
static void gpreempt_group_turns_interrupted(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	struct gpreempt_queue_view *high = bench_queue(b, 15);
	unsigned int had;

	/* bench_turns() saw it have three intervals */
	for (had = 3; had < TURN / 2; had++)
		EXPECT_KEEP(test, after(b, 1, b->one));
	submits(high);
	EXPECT_OFF(test, after(b, 1, b->one), INVERSION);
	runs(high);
	KUNIT_EXPECT_TRUE(test, after(b, 2 * TURN, b->one)->seen.preempted);
	finishes(high);
	KUNIT_EXPECT_TRUE(test, after(b, 2, b->one)->seen.mapped);
	for (had += 1; had < TURN; had++) {
		EXPECT_KEEP(test, b->one);
		KUNIT_EXPECT_TRUE(test, b->other->seen.preempted);
		bench_ticks(b, 1);
	}
	EXPECT_OFF(test, b->one, TIMESLICE);
}

/* A process with eight queues and one with one queue have equal turns; each with all its own. */
static void gpreempt_group_turns_groups(struct kunit *test)
{
	struct gpreempt_queue_view *q[8];
	struct bench *b = bench_level(test, q, 8);
	unsigned int mapped[2] = {}, i, k;

	/* those of one process alone leave each other alone */
	for (i = 0; i < 7; i++) {
		q[i]->group = q[0]->group;
		runs(q[i]);
	}
	for (i = 0; i < 3 * TURN; i++)
		KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 0);
	KUNIT_EXPECT_FALSE(test, b->plan.waiting);
	KUNIT_EXPECT_FALSE(test, b->view.contested);
	runs(q[7]);
	bench_ticks(b, 3);
	for (i = 0; i < 40 * TURN; i++) {
		bench_ticks(b, 1);
		for (k = 1; k < 7; k++)
			KUNIT_EXPECT_EQ(test, q[k]->seen.mapped, q[0]->seen.mapped);
		mapped[0] += q[0]->seen.mapped;
		mapped[1] += q[7]->seen.mapped;
	}
	KUNIT_EXPECT_EQ(test, mapped[0] + mapped[1], 40 * TURN);
	KUNIT_EXPECT_LE(test, mapped[0], mapped[1] + TURN + 1);
	KUNIT_EXPECT_LE(test, mapped[1], mapped[0] + TURN + 1);
}

/* A turn goes on while one of the process's queues can use it, and is as long as the longest. */
static void gpreempt_group_turns_group_goes_on(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	struct gpreempt_queue_view *more = bench_queue(b, 7);
	unsigned int n;

	more->group = b->one->group;
	b->one->terms.timeslice_us = 2 * TURN * 1000;
	bench_ticks(b, 1);
	finishes(b->one);
	runs(more);
	for (n = 0; n < TURN; n++) {
		EXPECT_KEEP(test, after(b, 1, b->other));
		KUNIT_EXPECT_TRUE(test, b->other->seen.preempted);
	}
	while (n++ < 30 * TURN && b->other->out.verdict == GPREEMPT_KEEP)
		bench_ticks(b, 1);
	/* from when bench_turns() saw the other one come; of 3 intervals before */
	KUNIT_EXPECT_LE(test, 3 * TURN / 2, n);
	KUNIT_EXPECT_LE(test, n, 2 * TURN);
	EXPECT_OFF(test, more, TIMESLICE);
	EXPECT_BACK(test, b->other, TURN);
}

/* A queue that is as a rule about to end keeps its own place, and the turn of its group not. */
static void gpreempt_group_turns_group_ends(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	struct gpreempt_queue_view *fresh = bench_queue(b, 7);
	unsigned int n;

	fresh->group = b->one->group;
	bench_ticks(b, 1);
	for (n = 0; n < 3 * TURN && b->other->out.verdict == GPREEMPT_KEEP; n++) {
		/* put back, or made, all the time */
		gpreempt_resumed(fresh->memory, b->view.now_ns + INTERVAL_NS);
		runs(fresh);
		bench_ticks(b, 1);
	}
	KUNIT_EXPECT_LE(test, n, TURN);
	EXPECT_BACK(test, b->other, TURN);
	EXPECT_OFF(test, b->one, TIMESLICE);
	EXPECT_KEEP(test, fresh);
}

/* What a process had of a level is of no concern on another, nor when it comes back. */
static void gpreempt_group_turns_group_levels(struct kunit *test)
{
	struct bench *b = bench_turns(test);
	unsigned int n;

	while (!b->other->out.turn)
		bench_ticks(b, 1);
	b->other->terms.priority = 3;
	KUNIT_EXPECT_TRUE(test, after(b, 6, b->one)->seen.mapped);
	b->other->terms.priority = 7;
	KUNIT_EXPECT_TRUE(test, after(b, 2, b->one)->seen.mapped);
	KUNIT_EXPECT_TRUE(test, b->one->out.turn);
	KUNIT_EXPECT_FALSE(test, b->other->out.turn);
	/* its next turn is a whole one */
	while (!b->other->out.turn)
		bench_ticks(b, 1);
	for (n = 0; b->other->out.turn; n++)
		bench_ticks(b, 1);
	KUNIT_EXPECT_EQ(test, n, TURN + 1);
}

/* The time that a save and a restore take is not the turn's; however many queues stay idle. */
static void gpreempt_group_turns_group_restored(struct kunit *test)
{
	struct gpreempt_queue_view *q[3];
	struct bench *b = bench_level(test, q, 3);
	unsigned int n;

	q[2]->group = q[1]->group;
	bench_ticks(b, 3);
	runs(q[0]);
	bench_ticks(b, 3);
	runs(q[1]);
	EXPECT_OFF(test, after(b, 1, q[1]), TIMESLICE);
	while (q[1]->out.verdict != GPREEMPT_RESUME)
		bench_ticks(b, 1);
	bench_commit(b);
	/* it is back an interval later, and seen two after that */
	gpreempt_resumed(q[1]->memory, b->view.now_ns + INTERVAL_NS);
	bench_scan_at(b, b->view.now_ns + 3 * INTERVAL_NS);
	for (n = 2; n < TURN; n++) {
		EXPECT_KEEP(test, q[1]);
		bench_ticks(b, 1);
	}
	EXPECT_OFF(test, q[1], TIMESLICE);
}

/* Rule 3 over turns: a queue waits for the turns of others so long, not longer. */
static void gpreempt_group_turns_starved(struct kunit *test)
{
	struct bench *b = bench_turns(test);

	b->tun.timeslice_us[7] = 10000 * 1000;
	b->tun.timeslice_us[GPREEMPT_LEVELS - 1] = 10000 * 1000;
	EXPECT_KEEP(test, after(b, 999, b->other));
	EXPECT_BACK(test, after(b, 1, b->other), STARVED);
	EXPECT_OFF(test, b->one, AGED);
}

static struct kunit_case gpreempt_group_cases[] = {
	KUNIT_CASE(gpreempt_group_turns),
	KUNIT_CASE(gpreempt_group_turns_newcomer),
	KUNIT_CASE(gpreempt_group_turns_alone),
	KUNIT_CASE(gpreempt_group_turns_first),
	KUNIT_CASE(gpreempt_group_turns_waiting),
	KUNIT_CASE(gpreempt_group_turns_unused),
	KUNIT_CASE(gpreempt_group_turns_asked),
	KUNIT_CASE(gpreempt_group_turns_hint),
	KUNIT_CASE(gpreempt_group_turns_order),
	KUNIT_CASE(gpreempt_group_turns_own),
	KUNIT_CASE(gpreempt_group_turns_none),
	KUNIT_CASE(gpreempt_group_turns_residency),
	KUNIT_CASE(gpreempt_group_turns_below),
	KUNIT_CASE(gpreempt_group_turns_interrupted),
	KUNIT_CASE(gpreempt_group_turns_groups),
	KUNIT_CASE(gpreempt_group_turns_group_goes_on),
	KUNIT_CASE(gpreempt_group_turns_group_ends),
	KUNIT_CASE(gpreempt_group_turns_group_levels),
	KUNIT_CASE(gpreempt_group_turns_group_restored),
	KUNIT_CASE(gpreempt_group_turns_starved),
	{}
};

static struct kunit_suite gpreempt_group_suite = {
	.name = "amdgpu_kfd_gpreempt_group",
	.test_cases = gpreempt_group_cases,
};

kunit_test_suite(gpreempt_group_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's groups");
MODULE_LICENSE("Dual MIT/GPL");
