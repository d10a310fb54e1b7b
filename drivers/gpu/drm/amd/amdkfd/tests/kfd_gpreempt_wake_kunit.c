// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's wake: how long the monitor may sleep, and whose doorbells wake it.
 */
#include <kunit/test.h>

/* Names of its own, should the driver be built in beside it. */
#define gpreempt_wake		kunit_gpreempt_wake

#include "../gpreempt/core/wake.c"
#include "gpreempt_chain.h"

#define NOW_NS		(1000 * NSEC_PER_MSEC)
#define QUEUES		4

/* What a queue is in a case: its level and one letter, besides what else may be said of it. */
struct wake_queue {
	u8 level;
	char is;	/* Idle for long, Just idle, Running, Waiting, Blocked, unknown (?) */
	bool preempted, off, held, asked, hinted, turns, pinned;
	bool back;	/* and no scan has seen what it had saved */
	bool same;	/* of the process of the one before */
};

struct wake_case {
	const char *name;
	struct wake_queue q[QUEUES];	/* as many as are anything */
	struct gpreempt_plan plan;
	enum gpreempt_rest rest;
	unsigned int awaited;		/* bit n: queue n */
};

static const struct wake_case wake_cases[] = {
	{ "one runs alone", { { 3, 'R' } }, .rest = GPREEMPT_CALM },
	{ "one that has only just come back", { { 3, 'R', .back = true }, { 4, 'I' } },
	  .awaited = 2 },
	{ "one that starved runs alone", { { GPREEMPT_BOOST, 'R' } }, .rest = GPREEMPT_CALM },
	{ "two of a level", { { 3, 'R' }, { 3, 'W' } }, .rest = GPREEMPT_CALM },
	{ "blocked, or unknown, on its own level",
	  { { 3, 'B' }, { 3, '?' } }, .rest = GPREEMPT_CALM },
	{ "two levels at work", { { 3, 'R' }, { 4, 'R' } } },
	{ "blocked above one that runs", { { 3, 'R' }, { 4, 'B' } } },
	{ "unknown below one that runs", { { 3, '?' }, { 4, 'R' } } },
	{ "idle above", { { 3, 'R' }, { 4, 'I' }, { 5, 'I' } },
	  .rest = GPREEMPT_CALM, .awaited = 6 },
	{ "idle above, for less than a scan", { { 3, 'R' }, { 4, 'J' }, { 5, 'I' } },
	  .awaited = 4 },
	{ "and others come back for it", { { 3, 'W', .preempted = true }, { 4, 'J' } },
	  .plan = { .nr_resume = 1 }, .awaited = 2 },
	{ "not yet", { { 3, 'W', .preempted = true }, { 4, 'J' } } },
	{ "idle on the same level", { { 3, 'R' }, { 3, 'I' } }, .rest = GPREEMPT_CALM },
	{ "and takes turns with it", { { 3, 'R', .turns = true }, { 3, 'I', .turns = true } },
	  .rest = GPREEMPT_CALM, .awaited = 2 },
	{ "or is blocked", { { 3, 'R', .turns = true }, { 3, 'B', .turns = true } } },
	{ "or unknown, the two", { { 3, '?', .turns = true }, { 3, 'B', .turns = true } } },
	{ "two of a process",
	  { { 3, 'R', .turns = true }, { 3, 'B', .turns = true, .same = true } },
	  .rest = GPREEMPT_CALM },
	{ "and one of another",
	  { { 3, 'R', .turns = true }, { 3, 'B', .turns = true, .same = true },
	    { 3, 'B', .turns = true } } },
	{ "idle beside one of its process, and of another's",
	  { { 3, 'R', .turns = true }, { 3, 'I', .turns = true, .same = true },
	    { 3, 'I', .turns = true } }, .rest = GPREEMPT_CALM, .awaited = 4 },
	{ "idle beside two processes",
	  { { 3, 'R', .turns = true }, { 3, 'R', .turns = true },
	    { 3, 'I', .turns = true, .same = true } }, .awaited = 4 },
	{ "the other process is above",
	  { { 4, 'B', .turns = true }, { 3, 'R', .turns = true },
	    { 3, 'I', .turns = true, .same = true } } },
	{ "blocked without turns", { { 3, 'R', .turns = true }, { 3, 'B' } },
	  .rest = GPREEMPT_CALM },
	{ "but only just idle", { { 3, 'R', .turns = true }, { 3, 'J', .turns = true } } },
	{ "one has no turns", { { 3, 'R' }, { 3, 'I', .turns = true }, { 3, 'R' } },
	  .rest = GPREEMPT_CALM },
	{ "nor the other", { { 3, 'R', .turns = true }, { 3, 'I' }, { 3, 'R' } },
	  .rest = GPREEMPT_CALM },
	{ "one of two has", { { 3, 'R' }, { 3, 'R', .turns = true }, { 3, 'I', .turns = true } },
	  .rest = GPREEMPT_CALM, .awaited = 4 },
	{ "the other of two has",
	  { { 3, 'R', .turns = true }, { 3, 'R' }, { 3, 'I', .turns = true } },
	  .rest = GPREEMPT_CALM, .awaited = 4 },
	{ "pinned", { { 3, 'R', .turns = true, .pinned = true }, { 3, 'I', .turns = true } },
	  .rest = GPREEMPT_CALM },
	{ "turns are taken on another level",
	  { { 4, 'R', .turns = true }, { 3, 'R' }, { 3, 'I', .turns = true } } },
	{ "idle below: may be in the way of what comes", { { 3, 'I' }, { 4, 'R' } } },
	{ "idle above and below", { { 3, 'I' }, { 4, 'R' }, { 5, 'I' } }, .awaited = 4 },
	{ "idle between two that work", { { 3, 'R' }, { 5, 'R' }, { 4, 'I' } }, .awaited = 4 },
	{ "off the hardware", { { 3, 'R' }, { 4, 'I', .off = true } }, .rest = GPREEMPT_CALM },
	{ "one waits for its turn", { { 3, 'R' }, { 3, 'W' } }, .plan = { .waiting = true } },
	{ "one may be about to want more", { { 3, 'R' } }, .plan = { .within_us = 125 } },
	{ "one leaves", { { 3, 'R' } }, .plan = { .nr_preempt = 1 } },
	{ "one was asked to", { { 3, 'R', .asked = true } } },
	{ "one is to be held", { { 3, 'R', .held = true } } },
	{ "one is held", { { 3, 'R' }, { 2, 'B', .preempted = true, .held = true } },
	  .rest = GPREEMPT_CALM },
	{ "one is to be held, and is not to leave",
	  { { 3, 'R' }, { 3, 'W', .preempted = true, .held = true, .pinned = true } } },
	{ "held by one that is gone", { { 3, 'R' }, { 3, 'W', .preempted = true } } },
	{ "work is announced for another level",
	  { { 3, 'R', .hinted = true }, { 4, 'I' } }, .awaited = 2 },
	{ "work is announced for its level", { { 3, 'R' }, { 4, 'I', .hinted = true } } },
	{ "or above it", { { 3, 'R' }, { 4, 'I' }, { 5, 'I', .hinted = true } } },
	{ "nothing works", { { 3, 'I' }, { 4, 'J' }, { 5, 'I', .off = true } },
	  .plan = { .idle = true }, .rest = GPREEMPT_PARK, .awaited = 7 },
	{ "nothing works, but one leaves", { { 3, 'I' }, { 4, 'I' } },
	  .plan = { .idle = true, .nr_preempt = 1 } },
};

KUNIT_ARRAY_PARAM_DESC(wake, wake_cases, name);

static void wake_queue(struct gpreempt_queue_view *v, const struct wake_queue *q)
{
	static const struct { char is; enum gpreempt_activity activity; } states[] = {
		{ 'R', GPREEMPT_RUNNING }, { 'W', GPREEMPT_RUNNABLE },
		{ 'B', GPREEMPT_BLOCKED }, { '?', GPREEMPT_UNKNOWN },
	};
	static struct gpreempt_memory seen, back = { .unseen.restored = true };
	unsigned int i;

	*v = (struct gpreempt_queue_view) {
		.seen = { .mapped = !q->off && !q->preempted, .preempted = q->preempted },
		.terms = { .held = q->held, .asked = q->asked,
			   .pinned = q->pinned,
			   .hint_end_ns = q->hinted ? NOW_NS + 1 : NOW_NS },
		.memory = q->back ? &back : &seen,
		.rank = { .level = q->level, .slice_ns = q->turns && !q->pinned },
		.state = { .was_idle = q->is == 'I' },
		.out = { .level = q->level, .activity = GPREEMPT_IDLE },
	};
	for (i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i].is == q->is)
			v->out.activity = states[i].activity;
}

static struct gpreempt_view *wake_view(struct kunit *test, struct gpreempt_queue_view *q,
				       unsigned int nr)
{
	struct gpreempt_view *view = kunit_kzalloc(test, sizeof(*view), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, view);
	view->now_ns = NOW_NS;
	gpreempt_chain(view, q, nr);
	return view;
}

static void wake_check(struct kunit *test, const struct wake_case *c,
		       const struct gpreempt_view *view, const struct gpreempt_plan *plan)
{
	const struct gpreempt_queue_view *q = view->first;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, plan->rest, c->rest);
	KUNIT_EXPECT_EQ(test, view->busy_ns == NOW_NS, c->rest != GPREEMPT_PARK);
	KUNIT_EXPECT_EQ(test, plan->within_us, c->plan.within_us);
	KUNIT_EXPECT_EQ(test, plan->next_ns, 0);
	for (i = 0; i < QUEUES && c->q[i].is; i++)
		KUNIT_EXPECT_EQ_MSG(test, q[i].out.awaited, !!(c->awaited & BIT(i)),
				    "queue %u", i);
}

static void gpreempt_wake_rest(struct kunit *test)
{
	const struct wake_case *c = test->param_value;
	static struct gpreempt_group group[QUEUES];
	struct gpreempt_queue_view *q;
	struct gpreempt_view *view;
	struct gpreempt_plan plan = c->plan;
	unsigned int nr;

	q = kunit_kcalloc(test, QUEUES, sizeof(*q), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	for (nr = 0; nr < QUEUES && c->q[nr].is; nr++) {
		wake_queue(&q[nr], &c->q[nr]);
		q[nr].group = c->q[nr].same ? q[nr - 1].group : &group[nr];
	}
	view = wake_view(test, q, nr);
	gpreempt_wake(view, &plan);
	wake_check(test, c, view, &plan);
}

/* An idle node's doorbells are left alone for a while. */
static void gpreempt_wake_lingers(struct kunit *test)
{
	const struct wake_queue idle = { 3, 'I' };
	struct gpreempt_plan plan = { .idle = true };
	struct gpreempt_queue_view q;
	struct gpreempt_view *view;

	wake_queue(&q, &idle);
	view = wake_view(test, &q, 1);
	view->busy_ns = NOW_NS - LINGER_NS;
	gpreempt_wake(view, &plan);
	KUNIT_EXPECT_EQ(test, plan.rest, GPREEMPT_POLL);
	KUNIT_EXPECT_EQ(test, view->busy_ns, NOW_NS - LINGER_NS);
	KUNIT_EXPECT_FALSE(test, q.out.awaited);
	view->busy_ns--;
	gpreempt_wake(view, &plan);
	KUNIT_EXPECT_EQ(test, plan.rest, GPREEMPT_PARK);
	KUNIT_EXPECT_TRUE(test, q.out.awaited);

	/* Where nothing could have to be decided, they do not matter. */
	view->busy_ns = NOW_NS - 1;
	plan = (struct gpreempt_plan) { .rest = GPREEMPT_PARK };
	gpreempt_wake(view, &plan);
	KUNIT_EXPECT_EQ(test, plan.rest, GPREEMPT_PARK);
	KUNIT_EXPECT_EQ(test, view->busy_ns, NOW_NS - 1);
	KUNIT_EXPECT_FALSE(test, q.out.awaited);
}

/* A time that is not to be missed, however the monitor goes on: the first one. */
static void gpreempt_wake_until(struct kunit *test)
{
	static const struct { u64 next_ns, hold_ns[2], until_ns; } c[] = {
		{ 0, { 0, 0 }, 0 },
		{ 5, { 0, 0 }, 5 },
		{ 0, { 0, 7 }, 7 },
		{ 0, { 8, 7 }, 7 },
		{ 0, { 7, 8 }, 7 },
		{ 9, { 8, 7 }, 7 },
		{ 6, { 8, 7 }, 6 },
	};
	const struct wake_queue idle = { 3, 'I' };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct gpreempt_plan plan = { .idle = true, .next_ns = c[i].next_ns };
		struct gpreempt_queue_view q[2];
		struct gpreempt_view *view;

		for (k = 0; k < 2; k++) {
			wake_queue(&q[k], &idle);
			q[k].terms.hold_end_ns = c[i].hold_ns[k];
		}
		view = wake_view(test, q, 2);
		gpreempt_wake(view, &plan);
		KUNIT_EXPECT_EQ_MSG(test, plan.next_ns, c[i].until_ns, "case %u", i);
		if (c[i].next_ns)
			continue;
		plan = (struct gpreempt_plan) { .rest = GPREEMPT_PARK };
		gpreempt_wake(view, &plan);
		KUNIT_EXPECT_EQ_MSG(test, plan.next_ns, c[i].until_ns, "case %u", i);
	}
}

static struct kunit_case gpreempt_wake_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_wake_rest, wake_gen_params),
	KUNIT_CASE(gpreempt_wake_lingers),
	KUNIT_CASE(gpreempt_wake_until),
	{}
};

static struct kunit_suite gpreempt_wake_suite = {
	.name = "amdgpu_kfd_gpreempt_wake",
	.test_cases = gpreempt_wake_cases,
};

kunit_test_suite(gpreempt_wake_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's wake");
MODULE_LICENSE("Dual MIT/GPL");
