// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of the GPREEMPT policies, in two parts: one named case a rule,
 * and runs of random work on a simulated machine that check what must always
 * hold. Time is the tests' own; nothing sleeps.
 *
 * The policies are built in, under names of their own, so that the suite needs
 * no amdgpu and may stand beside one in the same kernel.
 */
#include <kunit/test.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#define OWN(name)	gpreempt_kunit_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_sim.h"

/* How late a scan may be where work is announced. */
#define LATE_NS		(INTERVAL_NS / 4)

/*
 * A bench: a handful of queues that a case describes as the hardware would,
 * and the two-phase protocol between monitor and policy.
 */
#define BENCH_MAX	8

struct bench {
	struct gpreempt_queue_view q[BENCH_MAX];
	struct gpreempt_memory memory[BENCH_MAX];
	struct gpreempt_memory before[BENCH_MAX];
	struct gpreempt_group group[BENCH_MAX];
	struct gpreempt_view view;
	struct gpreempt_tunables tun;
	struct gpreempt_plan plan;
	const struct gpreempt_policy *policy;
	bool waves_unreadable;
	bool asked;			/* the last scan needed wave counts */
	/* what happens in a queue after its waves were counted, once */
	void (*meanwhile)(struct gpreempt_queue_view *q);
	struct gpreempt_queue_view *mover;
};

static struct bench *bench_new(struct kunit *test, const char *policy)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	if (!b)
		return NULL;
	b->view.q = b->q;
	b->view.now_ns = 5 * INTERVAL_NS;
	b->tun = defaults;
	b->policy = gpreempt_policy_find(policy);
	return b;
}

/* An empty mapped queue that was never used, of a process of its own. */
static struct gpreempt_queue_view *bench_queue(struct bench *b, u8 priority)
{
	struct gpreempt_queue_view *q = &b->q[b->view.nr];

	q->memory = &b->memory[b->view.nr];
	q->group = &b->group[b->view.nr++];
	q->terms.priority = priority;
	q->seen.mapped = true;
	q->seen.readable = true;
	q->seen.size = 64;
	return q;
}

/* As the monitor, which reads memory again: the count is from before. */
static void bench_move(struct bench *b, int *waves)
{
	struct gpreempt_queue_view before, *q = b->mover;

	if (!b->meanwhile)
		return;
	before = *q;
	b->meanwhile(q);
	q->seen.late = q->seen.rptr != before.seen.rptr || q->seen.signal != before.seen.signal;
	*waves = q->seen.waves;
	q->seen.waves = before.seen.waves;
	b->meanwhile = NULL;
}

/*
 * One scan, at the present time. As from the monitor, waves of queues that are
 * not mapped are not counted, and the others' only when the policy asks.
 */
static void bench_scan(struct kunit *test, struct bench *b)
{
	int waves[BENCH_MAX];
	unsigned int i;

	for (i = 0; i < b->view.nr; i++) {
		waves[i] = b->q[i].seen.waves;
		b->q[i].seen.waves = GPREEMPT_WAVES_UNKNOWN;
	}
	memcpy(b->before, b->memory, sizeof(b->memory));
	b->view.waves_final = false;
	gpreempt_decide(b->policy, &b->view, &b->tun, &b->plan);
	b->asked = b->plan.need_waves;
	if (b->asked) {
		KUNIT_EXPECT_MEMEQ(test, b->memory, b->before, sizeof(b->memory));
		KUNIT_EXPECT_EQ(test, b->plan.nr_preempt + b->plan.nr_resume, 0);
		for (i = 0; i < b->view.nr; i++) {
			KUNIT_EXPECT_EQ(test, b->q[i].out.verdict, GPREEMPT_KEEP);
			if (b->q[i].matters && !b->waves_unreadable)
				b->q[i].seen.waves = waves[i];
		}
		if (b->mover)
			bench_move(b, &waves[b->mover - b->q]);
		b->view.waves_final = true;
		gpreempt_decide(b->policy, &b->view, &b->tun, &b->plan);
		KUNIT_EXPECT_FALSE(test, b->plan.need_waves);
	}
	for (i = 0; i < b->view.nr; i++) {
		b->q[i].seen.waves = waves[i];
		b->q[i].seen.late = false;
	}
}

/* What the commit room does with a plan. Waves are what the case says. */
static void bench_commit(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->view.nr; i++) {
		struct gpreempt_queue_view *q = &b->q[i];

		if (q->out.verdict == GPREEMPT_PREEMPT) {
			q->seen.preempted = true;
			q->seen.mapped = false;
		} else if (q->out.verdict == GPREEMPT_RESUME) {
			q->seen.preempted = false;
			q->seen.mapped = true;
		}
	}
}

static void bench_tick(struct kunit *test, struct bench *b)
{
	bench_commit(b);
	b->view.now_ns += INTERVAL_NS;
	bench_scan(test, b);
}

static void bench_ticks(struct kunit *test, struct bench *b, unsigned int n)
{
	while (n--)
		bench_tick(test, b);
}

static enum gpreempt_verdict bench_verdict(const struct bench *b,
					   const struct gpreempt_queue_view *q)
{
	return q->out.verdict;
}

/* What, and why, in one number: a failure points at the line of the case. */
#define VERDICT(what, why)	((what) << 8 | (why))

static unsigned int bench_plan(const struct bench *b, const struct gpreempt_queue_view *q)
{
	return VERDICT(bench_verdict(b, q), q->out.reason);
}

#define EXPECT_VERDICT(test, b, q, what, why) \
	KUNIT_EXPECT_EQ(test, bench_plan(b, q), VERDICT(what, why))

#define EXPECT_KEEP(test, b, q) \
	EXPECT_VERDICT(test, b, q, GPREEMPT_KEEP, GPREEMPT_REASON_NONE)

/* A kernel that fills the machine: consumed, and its waves in flight. */
static void runs(struct gpreempt_queue_view *q)
{
	q->seen.rptr++;
	q->seen.wptr = q->seen.rptr;
	q->seen.signal = GPREEMPT_SIGNAL_PENDING;
	q->seen.waves = 32;
}

static void finishes(struct gpreempt_queue_view *q)
{
	q->seen.rptr = q->seen.wptr;
	q->seen.waves = 0;
	q->seen.signal = GPREEMPT_SIGNAL_DONE;
}

/* A packet that the hardware has not consumed. */
static void submits(struct gpreempt_queue_view *q)
{
	q->seen.wptr++;
	q->seen.head = GPREEMPT_HEAD_READY;
	q->seen.signal = GPREEMPT_SIGNAL_PENDING;
}

static void waits_for_signal(struct gpreempt_queue_view *q)
{
	submits(q);
	q->seen.head = GPREEMPT_HEAD_WAITS;
}

/* Low (0) has run long enough to be a victim; high (15) has nothing to do. */
static struct bench *bench_low_runs(struct kunit *test,
				    struct gpreempt_queue_view **low,
				    struct gpreempt_queue_view **high)
{
	struct bench *b = bench_new(test, "strict");

	if (!b)
		return NULL;
	*low = bench_queue(b, 0);
	*high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(*low);
	bench_ticks(test, b, 5);
	return b;
}

/* As above, one step on: low is off the machine, and high executes. */
static struct bench *bench_high_runs(struct kunit *test,
				     struct gpreempt_queue_view **low,
				     struct gpreempt_queue_view **high)
{
	struct bench *b = bench_low_runs(test, low, high);

	if (!b)
		return NULL;
	submits(*high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, *low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	runs(*high);
	(*high)->seen.rptr = (*high)->seen.wptr;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, (*low)->seen.preempted);
	return b;
}

static void gpreempt_policy_registry(struct kunit *test)
{
	unsigned int n = 0;

	while (gpreempt_policy_get(n))
		n++;
	KUNIT_EXPECT_EQ(test, n, 4);
	KUNIT_EXPECT_NULL(test, gpreempt_policy_get(U32_MAX));
	KUNIT_EXPECT_STREQ(test, gpreempt_policy_get(0)->name, "none");
	KUNIT_EXPECT_STREQ(test, gpreempt_policy_get(1)->name, "strict");
	KUNIT_EXPECT_STREQ(test, gpreempt_policy_get(2)->name, "timeslice");
	KUNIT_EXPECT_STREQ(test, gpreempt_policy_get(3)->name, "fair");
	KUNIT_EXPECT_PTR_EQ(test, gpreempt_policy_find("none"), gpreempt_policy_get(0));
	KUNIT_EXPECT_PTR_EQ(test, gpreempt_policy_find("strict\n"), gpreempt_policy_get(1));
	KUNIT_EXPECT_NULL(test, gpreempt_policy_find(""));
	KUNIT_EXPECT_NULL(test, gpreempt_policy_find("strictly"));
	KUNIT_EXPECT_NULL(test, gpreempt_policy_find("stric"));
}

/* What the indices and the head packet alone say of a mapped queue. */
struct backlog_case {
	const char *name;
	u64 rptr, wptr;
	u32 size;
	enum gpreempt_head head;
	bool unreadable;
	u32 backlog;
	enum gpreempt_activity state;
};

static const struct backlog_case backlog_cases[] = {
	{ "empty", 7, 7, 64, GPREEMPT_HEAD_UNKNOWN, false, 0, GPREEMPT_IDLE },
	{ "one packet", 7, 8, 64, GPREEMPT_HEAD_READY, false, 1, GPREEMPT_RUNNABLE },
	{ "no AQL", 7, 8, 64, GPREEMPT_HEAD_UNKNOWN, false, 1, GPREEMPT_RUNNABLE },
	{ "reserved only", 7, 8, 64, GPREEMPT_HEAD_INVALID, false, 0, GPREEMPT_IDLE },
	{ "barrier", 7, 9, 64, GPREEMPT_HEAD_WAITS, false, 2, GPREEMPT_BLOCKED },
	{ "full less one", 64, 127, 64, GPREEMPT_HEAD_READY, false, 63, GPREEMPT_RUNNABLE },
	{ "exactly full", 64, 128, 64, GPREEMPT_HEAD_READY, false, 64, GPREEMPT_RUNNABLE },
	{ "more than full", 64, 129, 64, GPREEMPT_HEAD_READY, false, 64, GPREEMPT_RUNNABLE },
	{ "full, reserved", 64, 128, 64, GPREEMPT_HEAD_INVALID, false, 0, GPREEMPT_IDLE },
	{ "above 32 bits", 1, 1 + (1ULL << 32), 64, GPREEMPT_HEAD_READY, false, 64,
	  GPREEMPT_RUNNABLE },
	{ "wraps at 64 bits", U64_MAX, 1, 64, GPREEMPT_HEAD_READY, false, 2,
	  GPREEMPT_RUNNABLE },
	{ "write behind read", 8, 7, 64, GPREEMPT_HEAD_READY, false, 0, GPREEMPT_IDLE },
	{ "write index reset", 1ULL << 40, 0, 64, GPREEMPT_HEAD_READY, false, 0,
	  GPREEMPT_IDLE },
	{ "furthest ahead", 0, S64_MAX, 64, GPREEMPT_HEAD_READY, false, 64,
	  GPREEMPT_RUNNABLE },
	{ "no ring", 7, 8, 0, GPREEMPT_HEAD_READY, false, 0, GPREEMPT_IDLE },
	{ "unreadable", 7, 8, 64, GPREEMPT_HEAD_READY, true, 0, GPREEMPT_UNKNOWN },
};

static void backlog_case_name(const struct backlog_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(backlog, backlog_cases, backlog_case_name);

static void gpreempt_policy_backlog(struct kunit *test)
{
	const struct backlog_case *c = test->param_value;
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *q, *low;

	KUNIT_ASSERT_NOT_NULL(test, b);
	q = bench_queue(b, 7);
	low = bench_queue(b, 0);
	runs(low);
	q->seen.rptr = c->rptr;
	q->seen.wptr = c->wptr;
	q->seen.size = c->size;
	q->seen.head = c->head;
	q->seen.readable = !c->unreadable;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, q->state.backlog, c->backlog);
	KUNIT_EXPECT_EQ(test, q->out.activity, c->state);
	KUNIT_EXPECT_EQ(test, q->out.wants, c->state == GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_EQ(test, q->out.level, 7);
}

/* Equal indices do not mean idle: a long kernel shows an empty ring. */
static void gpreempt_policy_running(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_ticks(test, b, 5000);
	KUNIT_EXPECT_EQ(test, low->seen.rptr, low->seen.wptr);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* A newest packet that completed says nothing of older ones. */
	low->seen.signal = GPREEMPT_SIGNAL_DONE;
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* The read index moved, no waves: running for this one scan. */
	low->seen.waves = 0;
	low->seen.wptr++;
	finishes(low);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNING);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_IDLE);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
}

/* A kernel that was there before the first scan is found by its waves only. */
static void gpreempt_policy_first_sight(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	runs(low);
	runs(high);
	finishes(high);
	low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_scan(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	/* and what high did before that is no evidence of new work */
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	bench_ticks(test, b, 5);
	EXPECT_KEEP(test, b, low);
}

/* The same if the first look at its waves comes only later. */
static void gpreempt_policy_first_sight_later(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *peer;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	peer = bench_queue(b, 0);
	runs(low);
	low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	runs(peer);
	bench_scan(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	finishes(peer);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
}

/* A packet that waited for room before the first scan: its signal tells. */
static void gpreempt_policy_first_sight_launching(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	runs(low);
	runs(high);
	high->seen.waves = 0;
	bench_ticks(test, b, 2);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* The same with a barrier behind it: the packet before the barrier tells. */
static void gpreempt_policy_first_sight_behind(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	runs(low);
	runs(high);
	high->seen.waves = 0;
	waits_for_signal(high);
	high->seen.previous = GPREEMPT_SIGNAL_PENDING;
	bench_ticks(test, b, 2);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* And with a barrier that came after the first scan. */
static void gpreempt_policy_first_sight_between(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	runs(low);
	runs(high);
	high->seen.waves = 0;
	bench_tick(test, b);
	waits_for_signal(high);
	high->seen.previous = GPREEMPT_SIGNAL_PENDING;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/*
 * The two ways the read index may go. A packet that waits for room is backlog,
 * or it shows equal indices and no waves.
 */
static const bool fetch_models[] = { false, true };

static void fetch_model_name(const bool *fetch, char *desc)
{
	strscpy(desc, *fetch ? "read index at fetch" : "read index at launch",
		KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(fetch_model, fetch_models, fetch_model_name);

static void submits_in_model(struct kunit *test, struct gpreempt_queue_view *q)
{
	submits(q);
	if (*(const bool *)test->param_value)
		q->seen.rptr = q->seen.wptr;
}

static void gpreempt_policy_waiter(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits_in_model(test, high);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, high->out.wants);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_KEEP(test, b, high);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 0);
}

/* The same without a completion signal: the moved index is the evidence. */
static void gpreempt_policy_waiter_no_signal(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits_in_model(test, high);
	high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	/* it is still launching, and low stays off, until its waves come */
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	high->seen.rptr = high->seen.wptr;
	high->seen.waves = 4;
	bench_ticks(test, b, 20);
	EXPECT_KEEP(test, b, low);
	high->seen.waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
}

/* A short kernel that came and went between two scans takes nobody off. */
static void gpreempt_policy_done_is_not_launching(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < 20; i++) {
		if (i % 3 == 0) {
			submits(high);
			finishes(high);
		}
		bench_tick(test, b);
		KUNIT_EXPECT_FALSE(test, high->out.wants);
		EXPECT_KEEP(test, b, low);
	}
}

/* Its last signal is re-used for another queue's packet. */
static void gpreempt_policy_pooled_signal(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	finishes(high);
	bench_ticks(test, b, 2);
	high->seen.signal = GPREEMPT_SIGNAL_PENDING;
	for (i = 0; i < 10; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
		EXPECT_KEEP(test, b, low);
	}
	finishes(low);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	runs(low);
	bench_tick(test, b);
	submits(high);
	high->seen.rptr = high->seen.wptr;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* Evidence without a signal holds until waves are seen, and no longer. */
static void gpreempt_policy_launched(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.min_residency_us = 7000;
	submits(high);
	high->seen.rptr = high->seen.wptr;
	high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, high->out.wants);
	EXPECT_KEEP(test, b, low);
	high->seen.waves = 4;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, high->out.wants);
	EXPECT_KEEP(test, b, low);
	high->seen.waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, high->out.wants);
	EXPECT_KEEP(test, b, low);
}

/* The second packet of a batch, consumed when the first one ended. */
static void gpreempt_policy_launching_next(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	submits(high);
	high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	high->seen.rptr++;
	high->seen.waves = 4;
	bench_tick(test, b);
	high->seen.rptr++;
	high->seen.waves = 0;
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
}

/* Nor does it outlive a time in which nobody kept the queue from launching. */
static void gpreempt_policy_launched_unseen(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high, *peer;

	KUNIT_ASSERT_NOT_NULL(test, b);
	/* and nobody counts for it alone */
	b->view.blind = true;
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	peer = bench_queue(b, 15);
	bench_scan(test, b);
	submits(high);
	high->seen.rptr = high->seen.wptr;
	high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	runs(peer);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_FALSE(test, b->asked);
	finishes(peer);
	runs(low);
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, high->out.wants);
	EXPECT_KEEP(test, b, low);
}

/* A write index that is scribbled over is no evidence of anything. */
static void gpreempt_policy_nonsense_write(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < 100; i++) {
		high->seen.wptr = high->seen.rptr - i;
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
		EXPECT_KEEP(test, b, low);
	}
	/* one that claims a full ring gets its chance, and is found out */
	high->seen.wptr = high->seen.rptr + S64_MAX;
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);
}

/* Launching is a claim that ends: given the machine, it must show waves. */
static void gpreempt_policy_launching_expires(struct kunit *test)
{
	static const struct {
		enum gpreempt_signal signal;
		enum gpreempt_activity state;
		enum gpreempt_reason reason;
	} c[] = {
		{ GPREEMPT_SIGNAL_UNKNOWN, GPREEMPT_IDLE, GPREEMPT_REASON_FREE },
		{ GPREEMPT_SIGNAL_PENDING, GPREEMPT_BLOCKED, GPREEMPT_REASON_BLOCKED },
	};
	struct gpreempt_queue_view *low, *high;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_low_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		submits(high);
		high->seen.rptr = high->seen.wptr;
		high->seen.signal = c[i].signal;
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, bench_verdict(b, low), GPREEMPT_PREEMPT);
		for (n = 0; n < 2; n++) {
			bench_tick(test, b);
			KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
			EXPECT_KEEP(test, b, low);
		}
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, high->out.activity, c[i].state);
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, c[i].reason);
		/* nor does it come back with nothing new */
		bench_ticks(test, b, 3000);
		KUNIT_EXPECT_EQ(test, high->out.activity, c[i].state);
		EXPECT_KEEP(test, b, low);
		/* a new packet does */
		submits(high);
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	}
}

/* Rule 7: what cannot be read is unknown, and unknown is not runnable. */
static void gpreempt_policy_unreadable(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	high->seen.readable = false;
	high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_UNKNOWN);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* a victim only if waves say so */
	high->seen.readable = true;
	low->seen.readable = false;
	low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	low->seen.waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_UNKNOWN);
	EXPECT_KEEP(test, b, low);
	low->seen.waves = 1;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNING);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);

	/* and never forgotten, readable or not */
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 2);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	low->seen.waves = 0;
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
}

/* What stands for indices that cannot be read is no evidence when they can be again. */
static void gpreempt_policy_unreadable_indices(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	finishes(high);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	high->seen.readable = false;
	high->seen.rptr = 0;
	high->seen.wptr = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_UNKNOWN);
	high->seen.readable = true;
	high->seen.rptr = 1;
	high->seen.wptr = 1;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	EXPECT_KEEP(test, b, low);
}

/*
 * Neither can its memory be read nor its waves be counted, as with MES: it keeps nobody
 * else off, and does not so protect itself from higher ones.
 */
static void gpreempt_policy_unreadable_uncountable(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->waves_unreadable = true;
	low->seen.readable = false;
	low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_ticks(test, b, 2);
	EXPECT_KEEP(test, b, low);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_UNKNOWN);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_FALSE(test, low->seen.preempted && low->out.verdict != GPREEMPT_RESUME);
	/* it is not work that anybody would leave for */
	low->terms.priority = 9;
	high->terms.priority = 3;
	submits(high);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, high->seen.mapped);
}

/* Low was seen to do nothing; whatever it does since, its memory does not tell. */
static struct bench *bench_low_hides(struct kunit *test, struct gpreempt_queue_view **low,
				     struct gpreempt_queue_view **high)
{
	struct bench *b = bench_new(test, "strict");

	if (!b)
		return NULL;
	*low = bench_queue(b, 0);
	*high = bench_queue(b, 15);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	(*low)->seen.waves = 32;
	return b;
}

/* Memory is a hint, waves are the proof: they are counted when one above has waited. */
static void gpreempt_policy_hides(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_hides(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < 3; i++) {
		submits(high);
		bench_tick(test, b);
		EXPECT_KEEP(test, b, low);
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, b->asked);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		bench_tick(test, b);
		runs(high);
		bench_tick(test, b);
		finishes(high);
		bench_ticks(test, b, 3);
		KUNIT_EXPECT_TRUE(test, low->seen.mapped);
		/* what it had ends, and is counted; the next it hides again */
		low->seen.waves = 0;
		bench_ticks(test, b, 200);
		low->seen.waves = 32;
	}
}

/* A packet that waits for ever explains nothing either. */
static void gpreempt_policy_hides_behind_barrier(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_hides(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.waves = 0;
	waits_for_signal(low);
	bench_ticks(test, b, 5);
	low->seen.waves = 32;
	submits(high);
	bench_ticks(test, b, 2);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* Nor does it that low has no slot, or high: then all below leave unseen. */
static void gpreempt_policy_hides_in_crowd(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_hides(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->waves_unreadable = true;
	submits(high);
	bench_tick(test, b);
	EXPECT_KEEP(test, b, low);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	runs(high);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, low->seen.preempted);
	finishes(high);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);
}

/*
 * One that has waited and is in no slot waits for a lower one that is: all below leave, although
 * they are counted to have no waves. If it has a slot, they are not in its way; but for one that
 * cannot be counted.
 */
static void gpreempt_policy_hides_in_slot(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b;
	unsigned int slot;

	for (slot = 0; slot < 3; slot++) {
		b = bench_low_hides(test, &low, &high);
		KUNIT_ASSERT_NOT_NULL(test, b);
		low->seen.waves = slot == 2 ? GPREEMPT_WAVES_UNKNOWN : 0;
		high->seen.waves = slot ? 0 : GPREEMPT_WAVES_UNKNOWN;
		submits(high);
		bench_tick(test, b);
		EXPECT_KEEP(test, b, low);
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, b->asked);
		if (slot == 1)
			EXPECT_KEEP(test, b, low);
		else
			EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	}
}

/* Who has only announced its work has not waited: nobody is suspected for that. */
static void gpreempt_policy_hides_nothing_from_hint(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_hides(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.blocked_us = 10000;
	high->terms.hint_ns = b->view.now_ns + INTERVAL_NS;
	high->terms.hint_end_ns = b->view.now_ns + 500 * INTERVAL_NS;
	for (i = 0; i < 8; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, high->out.announced);
		KUNIT_EXPECT_FALSE(test, b->view.proof);
	}
}

/* What was seen to move less than an interval ago needs no proof. */
static void gpreempt_policy_hides_nothing_that_moves(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_hides(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < 20; i++) {
		runs(high);
		b->view.now_ns += INTERVAL_NS / 2;
		bench_scan(test, b);
		KUNIT_EXPECT_FALSE(test, b->view.proof);
		EXPECT_KEEP(test, b, low);
	}
}

/* A clock that goes back does not end that one above has waited: it begins anew. */
static void gpreempt_policy_hides_clock(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_hides(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	bench_tick(test, b);
	EXPECT_KEEP(test, b, low);
	b->view.now_ns /= 2;
	bench_scan(test, b);
	EXPECT_KEEP(test, b, low);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->view.proof);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* Where waves are never to be had, nobody is suspected. */
static void gpreempt_policy_hides_unprovably(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_hides(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->view.blind = true;
	b->waves_unreadable = true;
	submits(high);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);
}

/* One that hides nothing stays; and for a long kernel above it little is counted. */
static void gpreempt_policy_hides_nothing(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_hides(test, &low, &high);
	unsigned int i, asked = 0;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.waves = 0;
	runs(high);
	for (i = 0; i < 1000; i++) {
		bench_tick(test, b);
		EXPECT_KEEP(test, b, low);
		asked += b->asked;
	}
	/* each interval for eight, and then each eighth of the time */
	KUNIT_EXPECT_LE(test, asked, 60);
	KUNIT_EXPECT_LE(test, 20, asked);
	/* nor more often than the scan allows */
	finishes(high);
	bench_ticks(test, b, 200);
	runs(high);
	b->view.proof_ns = b->view.now_ns + 10 * INTERVAL_NS;
	for (i = 0; i < 9; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_FALSE(test, b->view.proof);
	}
	for (asked = 0; i < 12; i++) {
		bench_tick(test, b);
		asked += b->view.proof;
	}
	KUNIT_EXPECT_LE(test, 1, asked);
}

/* Its head waits, and the waves that it had cannot be counted: it may be in the way. */
static void gpreempt_policy_blocked_uncountable(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->waves_unreadable = true;
	waits_for_signal(low);
	bench_ticks(test, b, 3);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_BLOCKED);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* Rule 1, who may be a victim. Each line differs from the first in one thing. */
struct victim_case {
	const char *name;
	u8 low, high;
	bool pinned, idle, backlog_only, waits, waiter_idle, waiter_absent;
	enum gpreempt_verdict verdict;
};

static const struct victim_case victim_cases[] = {
	{ .name = "lower runs", .low = 6, .high = 7, .verdict = GPREEMPT_PREEMPT },
	{ .name = "furthest levels", .low = 0, .high = 15, .verdict = GPREEMPT_PREEMPT },
	{ .name = "lower is about to", .low = 6, .high = 7, .backlog_only = true,
	  .verdict = GPREEMPT_PREEMPT },
	{ .name = "same level", .low = 7, .high = 7 },
	{ .name = "higher runs", .low = 8, .high = 7 },
	{ .name = "out of range is the highest", .low = 15, .high = 200 },
	{ .name = "pinned", .low = 6, .high = 7, .pinned = true },
	{ .name = "idle stays mapped", .low = 6, .high = 7, .idle = true },
	{ .name = "lower is blocked", .low = 6, .high = 7, .waits = true },
	{ .name = "no work above", .low = 6, .high = 7, .waiter_idle = true },
	{ .name = "waiter evicted", .low = 6, .high = 7, .waiter_absent = true },
};

static void victim_case_name(const struct victim_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(victim, victim_cases, victim_case_name);

static void gpreempt_policy_victim(struct kunit *test)
{
	const struct victim_case *c = test->param_value;
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->terms.priority = c->low;
	high->terms.priority = c->high;
	low->terms.pinned = c->pinned;
	if (c->idle || c->backlog_only || c->waits)
		finishes(low);
	if (c->backlog_only)
		submits(low);
	if (c->waits)
		waits_for_signal(low);
	bench_ticks(test, b, 2);
	if (!c->waiter_idle)
		submits(high);
	high->seen.mapped = !c->waiter_absent;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, bench_verdict(b, low), c->verdict);
	EXPECT_KEEP(test, b, high);
}

/* Backlog behind waves in flight still wants the machine; waves alone do not. */
static void gpreempt_policy_running_waiter(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	runs(high);
	bench_ticks(test, b, 20);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, high->out.wants);
	EXPECT_KEEP(test, b, low);

	submits(high);
	high->seen.head = GPREEMPT_HEAD_WAITS;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
	EXPECT_KEEP(test, b, low);

	high->seen.head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_TRUE(test, high->out.wants);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/*
 * Rule 10, to the nanosecond: from the first scan that saw low mapped. Who waits for the
 * rest of it does not wait for the next scan as well.
 */
static void gpreempt_policy_residency(struct kunit *test)
{
	static const struct {
		u32 min_residency_us;
		u64 save_cost_ns, resident_ns;
		enum gpreempt_verdict verdict;
	} c[] = {
		{ 500, 0, 499999, GPREEMPT_KEEP },
		{ 500, 0, 500000, GPREEMPT_PREEMPT },
		{ 500, 700000, 699999, GPREEMPT_KEEP },
		{ 500, 700000, 700000, GPREEMPT_PREEMPT },
		{ 900, 700000, 899999, GPREEMPT_KEEP },
		{ 0, 0, 0, GPREEMPT_PREEMPT },
		{ 1000000, 0, 999999999, GPREEMPT_KEEP },
		{ 1000000, 0, 1000000000, GPREEMPT_PREEMPT },
	};
	struct gpreempt_queue_view *low, *high;
	unsigned int i;
	u64 end_ns;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_high_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		b->tun.min_residency_us = c[i].min_residency_us;
		b->tun.starvation_ms = 60000;
		low->seen.save_cost_ns = c[i].save_cost_ns;
		finishes(high);
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
		bench_tick(test, b);
		submits(high);
		end_ns = b->view.now_ns + max_t(u64, c[i].save_cost_ns,
						(u64)c[i].min_residency_us * NSEC_PER_USEC);
		b->view.now_ns += c[i].resident_ns;
		bench_scan(test, b);
		KUNIT_EXPECT_EQ(test, bench_verdict(b, low), c[i].verdict);
		KUNIT_EXPECT_EQ(test, b->plan.next_ns,
				c[i].verdict == GPREEMPT_KEEP ? end_ns : 0);
		/* nobody waits for low */
		b->view.now_ns -= c[i].resident_ns;
		finishes(high);
		bench_scan(test, b);
		KUNIT_EXPECT_EQ(test, b->plan.next_ns, 0);
	}
}

/*
 * One has been there for long, the other has not: the first goes at once, and who comes
 * then gets a whole interval. Neither has: both are waited for, and go together.
 */
static void gpreempt_policy_residencies(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *other;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	other = bench_queue(b, 0);
	runs(other);
	bench_tick(test, b);
	submits(high);
	submits(high);
	b->view.now_ns += INTERVAL_NS / 4;
	bench_scan(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_KEEP(test, b, other);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, 0);

	bench_tick(test, b);
	EXPECT_VERDICT(test, b, other, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	runs(high);
	bench_tick(test, b);
	finishes(high);
	low->seen.save_cost_ns = INTERVAL_NS * 7 / 10;
	other->seen.save_cost_ns = INTERVAL_NS * 9 / 10;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	EXPECT_VERDICT(test, b, other, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	bench_tick(test, b);
	submits(high);
	submits(high);
	b->view.now_ns += INTERVAL_NS / 4;
	bench_scan(test, b);
	EXPECT_KEEP(test, b, low);
	EXPECT_KEEP(test, b, other);
	b->view.now_ns += other->seen.save_cost_ns - INTERVAL_NS / 4;
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, b->view.now_ns);
	bench_scan(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_VERDICT(test, b, other, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* What is off already does not have to be there for a while before there is room. */
static void gpreempt_policy_residency_off(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.min_residency_us = 1000 * 1000;
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, high->out.wants);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, 0);
}

/* Low comes back when high is done, and not before. */
static void gpreempt_policy_resume(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_ticks(test, b, 100);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNABLE);
	/* between two kernels of high */
	finishes(high);
	submits(high);
	bench_ticks(test, b, 2);
	EXPECT_KEEP(test, b, low);
	runs(high);
	bench_tick(test, b);
	high->seen.waves = 0;
	high->seen.signal = GPREEMPT_SIGNAL_DONE;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 1);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	bench_ticks(test, b, 10);
	EXPECT_KEEP(test, b, low);
}

/* A plan that could not be carried out is made again. */
static void gpreempt_policy_resume_again(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	finishes(high);
	bench_tick(test, b);
	for (i = 0; i < 5; i++) {
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
		b->view.now_ns += INTERVAL_NS;
		bench_scan(test, b);
	}
}

/* One interval without progress, not one moment: a stream costs no ping-pong. */
static void gpreempt_policy_short_kernels(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < 100; i++) {
		submits(high);
		finishes(high);
		bench_tick(test, b);
		EXPECT_KEEP(test, b, low);
	}
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
}

/* Put back, a queue is not idle because its waves are not there yet. */
static void gpreempt_policy_restored(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *mid, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	mid = bench_queue(b, 7);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(low);
	runs(mid);
	/* the newest packet is done; an older one beside it is not */
	mid->seen.signal = GPREEMPT_SIGNAL_DONE;
	bench_ticks(test, b, 5);
	EXPECT_KEEP(test, b, low);
	EXPECT_KEEP(test, b, mid);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 2);
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 2);

	/* the highest first, one level at a time */
	EXPECT_VERDICT(test, b, mid, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	EXPECT_KEEP(test, b, low);
	mid->seen.waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, mid->out.activity, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	mid->seen.waves = 32;
	bench_ticks(test, b, 20);
	EXPECT_KEEP(test, b, low);
	mid->seen.waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, mid->out.activity, GPREEMPT_IDLE);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
}

/* If nothing comes back, because nothing was saved, low does not wait for it. */
static void gpreempt_policy_restored_nothing(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	finishes(high);
	bench_tick(test, b);
	finishes(low);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_IDLE);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
}

/* Queues of one level share the machine: they leave and return together. */
static void gpreempt_policy_equals(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[2], *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low[0] = bench_queue(b, 3);
	low[1] = bench_queue(b, 3);
	high = bench_queue(b, 4);
	bench_scan(test, b);
	runs(low[0]);
	submits(low[1]);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 2);
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 2);
}

/* What is preempted wants the machine too: nobody below may slip in. */
static void gpreempt_policy_preempted_wants(struct kunit *test)
{
	struct gpreempt_queue_view *mid, *high, *low;
	struct bench *b = bench_high_runs(test, &mid, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	mid->terms.priority = 7;
	low = bench_queue(b, 3);
	bench_ticks(test, b, 2);
	EXPECT_KEEP(test, b, low);
	runs(low);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_KEEP(test, b, mid);
}

static void gpreempt_policy_held(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *third;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->terms.held = true;
	finishes(high);
	bench_ticks(test, b, 3000);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* it keeps nobody off, however high it is */
	low->terms.priority = 15;
	third = bench_queue(b, 1);
	bench_tick(test, b);
	runs(third);
	bench_ticks(test, b, 5);
	EXPECT_KEEP(test, b, third);

	low->terms.held = false;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
}

/* What is held off may have had waves of which no scan knows: it is not idle. */
static void gpreempt_policy_held_idle(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	high->terms.held = true;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_ASKED);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, high->seen.preempted);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
}

/* Rule 2: a barrier on an unsatisfied signal gives way at once. */
static void gpreempt_policy_blocked_head(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	waits_for_signal(high);
	bench_ticks(test, b, 3000);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* satisfied: a waiter at once */
	high->seen.head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);

	/* and blocked again, by the next barrier, when the first has run */
	bench_tick(test, b);
	high->seen.rptr = high->seen.wptr;
	waits_for_signal(high);
	high->seen.previous = GPREEMPT_SIGNAL_DONE;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_BLOCKED);
}

/*
 * A dispatch that was consumed at fetch waits for room, and a barrier behind it
 * for the dispatch: that is no reason to let low have the machine.
 */
static void gpreempt_policy_blocked_behind(struct kunit *test)
{
	static const struct {
		enum gpreempt_signal previous;
		bool preempts;
	} c[] = {
		{ GPREEMPT_SIGNAL_PENDING, true },
		{ GPREEMPT_SIGNAL_UNKNOWN, true },
		{ GPREEMPT_SIGNAL_DONE, false },
	};
	struct gpreempt_queue_view *low, *high;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_low_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		submits(high);
		high->seen.rptr++;
		waits_for_signal(high);
		high->seen.previous = c[i].previous;
		bench_ticks(test, b, 2);
		KUNIT_EXPECT_EQ(test, bench_verdict(b, low),
				c[i].preempts ? GPREEMPT_PREEMPT : GPREEMPT_KEEP);
		bench_tick(test, b);
		if (c[i].preempts)
			KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
		/* nothing comes: it waits after all, and is believed */
		bench_ticks(test, b, 4);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
		KUNIT_EXPECT_TRUE(test, low->seen.mapped);
		bench_ticks(test, b, 3000);
		KUNIT_EXPECT_TRUE(test, low->seen.mapped);
	}
}

/* Mid's head waits, and its waves were saved with low's, for a high that has ended since. */
static struct bench *bench_blocked_saved(struct kunit *test, struct gpreempt_queue_view **low,
					 struct gpreempt_queue_view **mid)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *high;

	if (!b)
		return NULL;
	*low = bench_queue(b, 0);
	*mid = bench_queue(b, 7);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(*low);
	runs(*mid);
	waits_for_signal(*mid);
	bench_ticks(test, b, 5);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 2);
	(*mid)->seen.waves = 0;
	bench_tick(test, b);
	finishes(high);
	return b;
}

/* Saved waves of a queue whose head waits come back before anybody below. */
static void gpreempt_policy_blocked_saved(struct kunit *test)
{
	struct gpreempt_queue_view *low, *mid;
	struct bench *b = bench_blocked_saved(test, &low, &mid);

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, mid->seen.mapped);
	KUNIT_EXPECT_EQ(test, mid->out.activity, GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_TRUE(test, low->seen.preempted);
	mid->seen.waves = 8;
	bench_ticks(test, b, 50);
	KUNIT_EXPECT_TRUE(test, low->seen.preempted);
	mid->seen.waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, mid->out.activity, GPREEMPT_BLOCKED);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_BLOCKED);
}

/* It ended before it was taken off, and its head waits: low is not disturbed again. */
static void gpreempt_policy_blocked_saved_nothing(struct kunit *test)
{
	struct gpreempt_queue_view *low, *mid, *high;
	struct bench *b = bench_new(test, "strict");
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	mid = bench_queue(b, 7);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(low);
	runs(mid);
	waits_for_signal(mid);
	bench_ticks(test, b, 5);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 2);
	mid->seen.waves = 0;
	mid->seen.previous = GPREEMPT_SIGNAL_DONE;
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_EQ(test, mid->out.activity, GPREEMPT_BLOCKED);
	for (i = 0; i < 5000; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, low->seen.mapped);
	}
}

/* A chain: high waits for mid, mid for low, and low is what runs. */
static void gpreempt_policy_blocked_chain(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *mid, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	mid = bench_queue(b, 7);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(low);
	bench_ticks(test, b, 3);
	waits_for_signal(mid);
	waits_for_signal(high);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	finishes(low);
	mid->seen.head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, mid->out.wants);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
	runs(low);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_KEEP(test, b, mid);
	EXPECT_KEEP(test, b, high);
}

/* Rule 2: given the machine, no progress and no waves, to the nanosecond. */
static void gpreempt_policy_blocked_given(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int i, off = 0;
	u64 given;

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	bench_tick(test, b);
	given = b->view.now_ns;
	b->view.now_ns = given + 1999999;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	b->view.now_ns = given + 2000000;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_BLOCKED);
	/* more packets behind the stuck one change nothing */
	submits(high);
	for (i = 0; i < 999; i++) {
		bench_tick(test, b);
		EXPECT_KEEP(test, b, low);
	}
	/* every starvation_ms it gets another chance of blocked_us */
	for (i = 0; i < 3000; i++) {
		bench_tick(test, b);
		off += low->seen.preempted;
	}
	KUNIT_EXPECT_GT(test, off, 0);
	KUNIT_EXPECT_LE(test, off, 3 * 3);
}

/*
 * Rule 3 before rule 2: a device that was slow for once makes a queue look
 * blocked. Beside one that never stops it has to be found out; signal or not.
 */
static void gpreempt_policy_blocked_wrongly(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	unsigned int i, signal;

	for (signal = 0; signal < 2; signal++) {
		struct bench *b = bench_high_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		low->seen.waves = 0;
		low->seen.signal = signal ? GPREEMPT_SIGNAL_PENDING : GPREEMPT_SIGNAL_UNKNOWN;
		/* starved, given the machine, and its restore is late */
		bench_ticks(test, b, 1000);
		EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
		bench_ticks(test, b, 5);
		KUNIT_EXPECT_TRUE(test, low->memory->blocked.blocked);
		KUNIT_EXPECT_TRUE(test, high->seen.mapped);
		for (i = 0; i < 1005 && !high->seen.preempted; i++)
			bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, high->seen.preempted);
	}
}

/* What ends being blocked. */
static void gpreempt_policy_unblocked(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct bench *b = bench_low_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		submits(high);
		submits(high);
		high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
		bench_ticks(test, b, 20);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
		EXPECT_KEEP(test, b, low);
		if (i == 0)
			high->seen.rptr++;
		else if (i == 1)
			high->seen.waves = 1;
		else if (i == 2)
			high->seen.head = GPREEMPT_HEAD_WAITS;
		else
			high->seen.mapped = false;
		bench_tick(test, b);
		if (i >= 2) {
			EXPECT_KEEP(test, b, low);
			high->seen.head = GPREEMPT_HEAD_READY;
			high->seen.mapped = true;
			bench_tick(test, b);
		}
		KUNIT_EXPECT_TRUE(test, high->out.wants);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		/* with a whole blocked_us of its own */
		high->seen.waves = 0;
		bench_ticks(test, b, 2);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
		EXPECT_KEEP(test, b, low);
	}
}

/* Its head waited behind waves that were saved and never came: satisfied, it can run. */
static void gpreempt_policy_unblocked_saved(struct kunit *test)
{
	struct gpreempt_queue_view *low, *mid;
	struct bench *b = bench_blocked_saved(test, &low, &mid);

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_EQ(test, mid->out.activity, GPREEMPT_BLOCKED);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);
	mid->seen.head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* Nobody is blocked while the machine is in fact another's. */
static void gpreempt_policy_not_given(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *peer, *other;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.starvation_ms = 60000;
	/* a lower one that cannot be taken off yet */
	low->seen.save_cost_ns = 100 * INTERVAL_NS;
	submits(high);
	bench_ticks(test, b, 94);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);

	/* one of its own level, or above */
	peer = bench_queue(b, 15);
	bench_tick(test, b);
	runs(peer);
	bench_tick(test, b);
	submits(high);
	bench_ticks(test, b, 500);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_TRUE(test, low->seen.preempted);

	/* a lower one that must not be, for as long as that is so */
	finishes(peer);
	finishes(high);
	bench_ticks(test, b, 500);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);
	low->terms.pinned = true;
	submits(high);
	bench_ticks(test, b, 500);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	low->terms.pinned = false;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);

	/* but it does not keep a third off for good: high has got all there is to give */
	low->terms.pinned = true;
	other = bench_queue(b, 3);
	bench_tick(test, b);
	runs(other);
	submits(high);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_TRUE(test, other->seen.preempted || other->out.verdict == GPREEMPT_PREEMPT);
	bench_ticks(test, b, 20);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
	KUNIT_EXPECT_TRUE(test, other->seen.mapped);
}

/* What is in its way must not be taken off: it is not blocked, unless others are kept off. */
static void gpreempt_policy_not_given_pinned(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *held;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct bench *b = bench_low_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		low->terms.pinned = true;
		if (i) {
			/* what is held is not kept off for its sake */
			held = bench_queue(b, 3);
			held->seen.mapped = false;
			held->seen.preempted = true;
			held->terms.held = true;
		}
		submits(high);
		bench_ticks(test, b, 900);
		KUNIT_EXPECT_TRUE(test, b->asked);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	}
}

/* What must not be taken off is not in its own way. */
static void gpreempt_policy_given_pinned(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *mid, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->waves_unreadable = true;
	mid = bench_queue(b, 7);
	high = bench_queue(b, 15);
	mid->terms.pinned = true;
	/* for all that is known it may have work, and it keeps nothing off */
	high->seen.readable = false;
	submits(mid);
	bench_ticks(test, b, 900);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_UNKNOWN);
	KUNIT_EXPECT_EQ(test, mid->out.activity, GPREEMPT_BLOCKED);
}

/* Rule 3, to the nanosecond, and how the favour ends. */
static void gpreempt_policy_starved(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);
	u64 off, n;

	KUNIT_ASSERT_NOT_NULL(test, b);
	off = b->view.now_ns;
	b->view.now_ns = off + 999 * INTERVAL_NS + 999999;
	bench_scan(test, b);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);
	b->view.now_ns++;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, GPREEMPT_BOOST);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);

	/* until its waves are there it has not executed */
	low->seen.waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, GPREEMPT_BOOST);
	EXPECT_KEEP(test, b, low);
	EXPECT_KEEP(test, b, high);
	low->seen.waves = 32;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, GPREEMPT_BOOST);
	EXPECT_KEEP(test, b, high);
	b->view.now_ns += 499999;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, GPREEMPT_BOOST);
	b->view.now_ns++;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_VERDICT(test, b, high, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);

	/* the clock starts anew */
	for (n = 0; n < 1000; n++) {
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, low->out.level, 0);
	}
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, GPREEMPT_BOOST);
}

/* Held, with nobody beside it that it could wait for: it did not starve meanwhile. */
static void gpreempt_policy_starved_skipped(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_tick(test, b);
	low->terms.held = true;
	KUNIT_EXPECT_FALSE(test, gpreempt_may_contend(b->policy, &b->view, &b->tun));
	gpreempt_skip(&b->view);
	low->terms.held = false;
	b->view.now_ns += 5000 * INTERVAL_NS;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);
	EXPECT_KEEP(test, b, high);
}

/* min_residency_us 0: still one scan between seeing it run and taking it off. */
static void gpreempt_policy_starved_executes(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.min_residency_us = 0;
	bench_ticks(test, b, 1000);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNING);
	EXPECT_KEEP(test, b, low);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* Its read index moved: it executed, though no scan caught its waves. */
static void gpreempt_policy_starved_progress(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.waves = 0;
	submits(low);
	submits(low);
	submits(low);
	bench_ticks(test, b, 1000);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	low->seen.rptr++;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, GPREEMPT_BOOST);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);
}

/* Kept from running without ever being preempted counts as well. */
static void gpreempt_policy_starved_mapped(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(high);
	bench_ticks(test, b, 3);
	submits(low);
	bench_ticks(test, b, 1000);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	EXPECT_KEEP(test, b, high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, GPREEMPT_BOOST);
	EXPECT_KEEP(test, b, low);
	EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
}

/* Who executes now and then is not starved. */
static void gpreempt_policy_starved_not(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(high);
	bench_tick(test, b);
	submits(low);
	for (i = 0; i < 5000; i++) {
		low->seen.waves = i % 900 == 800;
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, low->out.level, 0);
		EXPECT_KEEP(test, b, high);
	}
	/* nor is one that waits for a signal */
	low->seen.waves = 0;
	low->seen.head = GPREEMPT_HEAD_WAITS;
	bench_ticks(test, b, 5000);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);
	EXPECT_KEEP(test, b, high);
}

/* Raised, but blocked, or with nothing left to do: the favour ends. */
static void gpreempt_policy_starved_unused(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct bench *b = bench_high_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		low->seen.waves = 0;
		low->seen.signal = GPREEMPT_SIGNAL_DONE;
		if (i == 0)
			submits(low);
		else if (i == 1)
			waits_for_signal(low);
		bench_ticks(test, b, 1000);
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
		EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
		bench_tick(test, b);
		EXPECT_KEEP(test, b, high);
		bench_ticks(test, b, i == 2 ? 1 : 2);
		KUNIT_EXPECT_EQ(test, low->out.level, 0);
		KUNIT_EXPECT_EQ(test, low->out.activity, i == 2 ? GPREEMPT_IDLE : GPREEMPT_BLOCKED);
		KUNIT_EXPECT_EQ(test, bench_verdict(b, high), GPREEMPT_RESUME);
		bench_ticks(test, b, 3000);
		KUNIT_EXPECT_TRUE(test, high->seen.mapped);
	}
}

/* Two at once: one after the other, each with the machine for itself. */
static void gpreempt_policy_starved_two(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[2], *high;
	unsigned int round;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low[0] = bench_queue(b, 0);
	low[1] = bench_queue(b, 3);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(low[0]);
	runs(low[1]);
	bench_ticks(test, b, 5);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 2);
	runs(high);
	bench_ticks(test, b, 1001);
	for (round = 0; round < 3; round++) {
		/* of two that have waited equally long the first; then who waits longer */
		EXPECT_VERDICT(test, b, low[0], GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
		EXPECT_KEEP(test, b, low[1]);
		EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
		bench_ticks(test, b, 2);
		KUNIT_EXPECT_EQ(test, low[0]->out.level, 0);
		EXPECT_VERDICT(test, b, low[0], GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		EXPECT_VERDICT(test, b, low[1], GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
		KUNIT_EXPECT_TRUE(test, high->seen.preempted);
		bench_ticks(test, b, 2);
		KUNIT_EXPECT_EQ(test, low[1]->out.level, 3);
		EXPECT_VERDICT(test, b, low[1], GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		EXPECT_VERDICT(test, b, high, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
		bench_tick(test, b);
		for (; low[0]->out.level == 0; bench_tick(test, b))
			EXPECT_KEEP(test, b, low[1]);
	}
}

/* Of several, who has waited longest, wherever it is listed. */
static void gpreempt_policy_starved_longest(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[2], *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.starvation_ms = 60000;
	low[0] = bench_queue(b, 0);
	low[1] = bench_queue(b, 3);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	runs(low[1]);
	bench_ticks(test, b, 5);
	submits(high);
	bench_tick(test, b);
	runs(high);
	high->seen.rptr = high->seen.wptr;
	bench_ticks(test, b, 100);
	submits(low[0]);
	bench_ticks(test, b, 100);
	KUNIT_EXPECT_EQ(test, low[0]->out.activity, GPREEMPT_RUNNABLE);
	b->tun.starvation_ms = 10;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low[1]->out.level, GPREEMPT_BOOST);
	KUNIT_EXPECT_EQ(test, low[0]->out.level, 0);
}

/* Raised, but its resume failed: it stays raised until it has executed, though all is quiet. */
static void gpreempt_policy_starved_late(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_ticks(test, b, 1000);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	finishes(high);
	for (i = 0; i < 5; i++) {
		b->view.now_ns += INTERVAL_NS;
		bench_scan(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	}
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
}

/* What leaves for a starved queue does not leave for work announced on its own level. */
static void gpreempt_policy_starved_hint(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *peer;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	peer = bench_queue(b, 15);
	bench_ticks(test, b, 999);
	peer->terms.hint_ns = b->view.now_ns + INTERVAL_NS;
	peer->terms.hint_end_ns = b->view.now_ns + 10 * INTERVAL_NS;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, peer->out.announced);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
}

/*
 * A high kernel that spins in its waves on what low must write cannot be told
 * from work: low executes by rule 3, every starvation_ms.
 */
static void gpreempt_policy_spinning_high(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);
	unsigned int executed = 0, i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < 10000; i++) {
		bench_tick(test, b);
		executed += low->seen.mapped;
	}
	KUNIT_EXPECT_LE(test, 9, executed);
	KUNIT_EXPECT_LE(test, executed, 40);
}

/* The decision alone, when wave counts are worth their register reads. */
static void gpreempt_policy_need_waves(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *a, *peer, *high;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	a = bench_queue(b, 3);
	peer = bench_queue(b, 3);
	high = bench_queue(b, 9);
	bench_scan(test, b);
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);

	/* one level busy */
	runs(a);
	submits(peer);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_FALSE(test, b->asked);

	/* two, but the other cannot run */
	waits_for_signal(high);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_FALSE(test, b->asked);
	/* unless what it consumed before may still be under way */
	waits_for_signal(high);
	high->seen.rptr++;
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_TRUE(test, b->asked);
	high->seen.previous = GPREEMPT_SIGNAL_DONE;
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_FALSE(test, b->asked);
	/* it can run, and the others have to leave whatever they do */
	high->seen.head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	high->seen.mapped = false;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);

	/* parking: whoever has hidden waves */
	finishes(a);
	finishes(peer);
	a->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	for (i = 0; i < 5 && !b->asked; i++)
		bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	/* it may have been saved: believed at the second time */
	bench_ticks(test, b, 1005);
	KUNIT_EXPECT_FALSE(test, b->asked);
}

/* No register is read when the verdict is plain, and only then. */
static void gpreempt_policy_evident(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);

	/* alone on the machine, it may turn out to be blocked */
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);

	/* unless it moves on */
	for (i = 0; i < 10; i++) {
		submits(high);
		runs(high);
		bench_tick(test, b);
		KUNIT_EXPECT_FALSE(test, b->asked);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
		EXPECT_KEEP(test, b, low);
	}
}

/* What an application says of its end brings others back, and is not relied on. */
static void gpreempt_policy_says_ended(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *above;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	high->terms.priority = 10;
	above = bench_queue(b, 15);
	/* an older packet may be under way */
	finishes(high);
	high->seen.waves = 32;
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, b->asked);
	EXPECT_KEEP(test, b, low);
	/* no packet may, if the newest waited for all of them: or so it says */
	high->seen.ordered = true;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	KUNIT_EXPECT_NE(test, high->memory->burst.ended_ns, 0);
	/* so somebody looks, once others are on the machine with it */
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_EQ(test, high->memory->burst.ended_ns, 0);
	submits(above);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* If it was true, that was the only time. */
static void gpreempt_policy_says_ended_truly(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_tick(test, b);
	finishes(high);
	high->seen.ordered = true;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_FALSE(test, b->asked);
	EXPECT_KEEP(test, b, low);
}

/* While nothing contends with it, its word stands: nothing depends on it. */
static void gpreempt_policy_says_ended_quiet(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_tick(test, b);
	finishes(high);
	high->seen.ordered = true;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	low->terms.priority = high->terms.priority;
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_FALSE(test, b->asked);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	/* it is checked as soon as something does */
	low->terms.priority = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
}

/*
 * A kernel that never ends, on all of the machine, with a signal that is 0 from the
 * start: rule 3 holds for who cannot launch beside it, on a lower level or its own.
 */
static void gpreempt_policy_says_ended_and_fills(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	unsigned int i, ran = 0;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	high->seen.signal = GPREEMPT_SIGNAL_DONE;
	high->seen.ordered = true;
	for (i = 0; i < 5000; i++) {
		low->seen.waves = high->seen.mapped ? 0 : 32;
		bench_tick(test, b);
		ran += low->seen.mapped && !high->seen.mapped;
	}
	KUNIT_EXPECT_GE(test, ran, 3);
}

/* A word that was taken and then cannot be checked is not believed any more. */
static void gpreempt_policy_says_ended_unchecked(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	high->seen.signal = GPREEMPT_SIGNAL_DONE;
	high->seen.ordered = true;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	b->waves_unreadable = true;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
}

/* Who says so while it is in the way of a higher one is not believed. */
static void gpreempt_policy_says_ended_and_runs(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.signal = GPREEMPT_SIGNAL_DONE;
	low->seen.ordered = true;
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* Several that all have to go: plain, unless the work may need some of them only. */
static void gpreempt_policy_evident_several(struct kunit *test)
{
	static const struct { u32 demand; bool more, asked; } c[] = {
		{ 0, false, false }, { 8, true, false }, { 8, false, true },
	};
	struct gpreempt_queue_view *low[3], *high;
	struct bench *b;
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(c); k++) {
		b = bench_new(test, "strict");
		KUNIT_ASSERT_NOT_NULL(test, b);
		for (i = 0; i < 3; i++)
			low[i] = bench_queue(b, i);
		high = bench_queue(b, 15);
		b->policy = gpreempt_policy_find("none");
		bench_scan(test, b);
		for (i = 0; i < 3; i++) {
			runs(low[i]);
			if (c[k].more)
				submits(low[i]);
		}
		bench_ticks(test, b, 5);
		b->policy = gpreempt_policy_find("strict");
		submits(high);
		high->seen.demand = c[k].demand;
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, b->asked, c[k].asked);
		KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, c[k].asked ? 1 : 3);
	}
}

/* The end of what keeps others off, and pauses after it, is looked for. */
static void gpreempt_policy_end(struct kunit *test)
{
	const u32 interval_us = INTERVAL_NS / NSEC_PER_USEC;
	struct gpreempt_queue_view *low, *high, *other;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (n = 0; n < 3; n++) {
		KUNIT_EXPECT_EQ(test, b->plan.within_us, 0);	/* nothing is off */
		submits(high);
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		/* of what it does after it nothing is known at first */
		KUNIT_EXPECT_EQ(test, b->plan.within_us, n ? interval_us / 8 : 0);
		finishes(high);
		bench_ticks(test, b, 20);
	}

	submits(high);
	b->tun.poll_interval_us = 160;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, GPREEMPT_POLL_LEAST_US);
	b->tun.poll_interval_us = interval_us;
	runs(high);
	bench_ticks(test, b, 3 + 4);		/* from the first scan that counts its waves */
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, interval_us / 2);
	bench_ticks(test, b, 20);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, interval_us);

	/* what is held does not wait for it */
	low->terms.held = true;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, 0);
	low->terms.held = false;
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, interval_us);

	/* so is the end of another one, of which nothing is known */
	other = bench_queue(b, high->terms.priority);
	runs(other);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_EQ(test, other->out.activity, GPREEMPT_RUNNING);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, 0);
	finishes(other);
	bench_ticks(test, b, 4);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, interval_us);

	/* it goes on after its end */
	submits(high);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, 0);

	/* nobody waits for it */
	finishes(high);
	bench_ticks(test, b, 20);
	finishes(low);
	bench_tick(test, b);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, 0);
}

/* Who pauses as a rule gives the machine back at once, and is not waited for. */
static void gpreempt_policy_pauses(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (n = 0; n < 5; n++) {
		submits(high);
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		finishes(high);
		bench_tick(test, b);
		/* nothing is known of it at first */
		if (n)
			EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
		else
			EXPECT_KEEP(test, b, low);
		bench_ticks(test, b, 20);
		EXPECT_KEEP(test, b, low);
	}
	/* it changes its ways: waited for an interval again */
	for (n = 0; n < 20; n++) {
		submits(high);
		finishes(high);
		bench_tick(test, b);
	}
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_TRUE(test, low->seen.preempted || high->out.activity == GPREEMPT_RUNNING);
}

/* A pause over which the clock went back has no length: the next one is the first. */
static void gpreempt_policy_pauses_clock(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	finishes(high);
	bench_ticks(test, b, 3);
	b->view.now_ns -= 4 * INTERVAL_NS;
	submits(high);
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 6);
	submits(high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	finishes(high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
}

/* Something is pending, whatever the indices say: that was no pause. */
static void gpreempt_policy_pauses_pending(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	finishes(high);
	bench_ticks(test, b, 3);
	/* scribbled over, the write index is behind the read index */
	high->seen.wptr -= 2;
	high->seen.signal = GPREEMPT_SIGNAL_PENDING;
	bench_ticks(test, b, 20);
	high->seen.wptr += 2;
	submits(high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	finishes(high);
	bench_tick(test, b);
	/* nothing is known of its pauses */
	EXPECT_KEEP(test, b, low);
}

/* What makes a verdict plain, one thing missing at a time. */
static void gpreempt_policy_not_evident(struct kunit *test)
{
	enum { SIGNAL, PACKET, BLOCKED, HEAD, RESIDENCY, PINNED, THIRD, CASES };
	struct gpreempt_queue_view *low, *high, *third;
	struct bench *b;
	int missing;

	for (missing = 0; missing < CASES; missing++) {
		b = bench_low_runs(test, &low, &high);
		KUNIT_ASSERT_NOT_NULL(test, b);
		submits(high);
		if (missing == SIGNAL)
			low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
		if (missing == HEAD)
			waits_for_signal(high);
		if (missing == PACKET)
			high->seen.rptr = high->seen.wptr;
		if (missing == RESIDENCY)
			low->memory->resident_ns = b->view.now_ns + INTERVAL_NS;
		if (missing == PINNED)
			low->terms.pinned = true;
		if (missing == BLOCKED)
			low->memory->blocked.blocked = true;
		if (missing == THIRD) {
			third = bench_queue(b, 7);
			submits(third);
		}
		bench_tick(test, b);
		/* what cannot leave, or has to whatever it does, is not counted */
		KUNIT_EXPECT_EQ_MSG(test, b->asked, missing < HEAD, "case %d", missing);
	}
}

/* A packet that can run says enough of a lower queue: it wants more, with waves or without. */
static void gpreempt_policy_evident_waits(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	finishes(low);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_FALSE(test, low->memory->unseen.busy);
	submits(low);
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	/* it is not taken to run: rule 3 */
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_NE(test, low->memory->waiting.since_ns, 0);
}

/* Who executes whenever it is put back is not starved, though a plain verdict takes it off. */
static void gpreempt_policy_evident_put_back(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(low);
	high->seen.ordered = true;
	for (i = 0; i < 600; i++) {
		submits(high);
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		finishes(high);
		bench_tick(test, b);
		if (bench_verdict(b, low) != GPREEMPT_RESUME)
			bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
		low->memory->resident_ns = b->view.now_ns;
		/* it has an interval until the next scan */
		KUNIT_EXPECT_EQ(test, low->out.level, 0);
	}
}

/* High moves on while waves are counted, on a machine that low is on. */
static struct bench *bench_high_moves(struct kunit *test, struct gpreempt_queue_view **low,
				      struct gpreempt_queue_view **high)
{
	struct bench *b = bench_low_runs(test, low, high);

	if (!b)
		return NULL;
	/* all it has is in flight, and nothing tells when it ends: it has to be counted */
	(*low)->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	submits(*high);
	b->mover = *high;
	return b;
}

static void is_fetched(struct gpreempt_queue_view *q)
{
	q->seen.rptr = q->seen.wptr;
}

static void launches(struct gpreempt_queue_view *q)
{
	q->seen.rptr = q->seen.wptr;
	q->seen.waves = 32;
}

/* The newest packet ends, and one before it is launched. */
static void ends_first(struct gpreempt_queue_view *q)
{
	q->seen.signal = GPREEMPT_SIGNAL_DONE;
	q->seen.waves = 32;
}

static void has_next_fetched(struct gpreempt_queue_view *q)
{
	q->seen.rptr = ++q->seen.wptr;
}

/* Behind it a barrier, which waits for it. */
static void has_next_fetched_before_barrier(struct gpreempt_queue_view *q)
{
	q->seen.rptr = ++q->seen.wptr;
	waits_for_signal(q);
}

/* Nobody is taken off for what got room, or ended, while waves were counted. */
static void gpreempt_policy_late(struct kunit *test)
{
	static void (*const moves[])(struct gpreempt_queue_view *q) = { launches, finishes };
	struct gpreempt_queue_view *low, *high;
	struct bench *b;
	unsigned int i, consumed;

	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		for (consumed = 0; consumed < 2; consumed++) {
			b = bench_high_moves(test, &low, &high);
			KUNIT_ASSERT_NOT_NULL(test, b);
			if (consumed)
				is_fetched(high);
			b->meanwhile = moves[i];
			bench_tick(test, b);
			KUNIT_EXPECT_TRUE(test, b->asked);
			/* launched, what was fetched before moves no more */
			if (consumed && moves[i] == launches)
				continue;
			EXPECT_KEEP(test, b, low);
			bench_ticks(test, b, 3);
			EXPECT_KEEP(test, b, low);
			KUNIT_EXPECT_EQ(test, high->out.activity, moves[i] == launches ?
					GPREEMPT_RUNNING : GPREEMPT_IDLE);
		}
	}
}

/* If it was fetched and got no room, the next scan finds out: also behind others' end. */
static void gpreempt_policy_late_waits(struct kunit *test)
{
	static void (*const moves[])(struct gpreempt_queue_view *q) = {
		is_fetched, has_next_fetched, has_next_fetched_before_barrier,
	};
	struct gpreempt_queue_view *low, *high;
	struct bench *b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		b = bench_high_moves(test, &low, &high);
		KUNIT_ASSERT_NOT_NULL(test, b);
		if (i)
			launches(high);
		high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
		b->meanwhile = moves[i];
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, b->asked);
		EXPECT_KEEP(test, b, low);
		/* at once, if it had nothing before */
		if (!i)
			KUNIT_EXPECT_EQ(test, b->plan.within_us, GPREEMPT_POLL_LEAST_US);
		high->seen.waves = 0;
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	}
}

/* What has only just begun is looked at soon: also if it was evicted, not if it was at work. */
static void gpreempt_policy_late_begins(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b;
	unsigned int worked;

	for (worked = 0; worked < 2; worked++) {
		b = bench_high_moves(test, &low, &high);
		KUNIT_ASSERT_NOT_NULL(test, b);
		high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
		if (worked)
			launches(high);
		else
			high->seen.mapped = false;
		bench_tick(test, b);
		high->seen.mapped = true;
		high->seen.waves = 0;
		b->meanwhile = worked ? has_next_fetched : is_fetched;
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, b->asked);
		EXPECT_KEEP(test, b, low);
		KUNIT_EXPECT_EQ(test, b->plan.within_us, worked ? 0 : GPREEMPT_POLL_LEAST_US);
	}
}

/* One has only just begun while the end of another one is awaited: the shorter time counts. */
static void gpreempt_policy_end_begins(struct kunit *test)
{
	const u32 interval_us = INTERVAL_NS / NSEC_PER_USEC;
	struct gpreempt_queue_view *low, *high, *peer;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, b);
	peer = bench_queue(b, 15);
	bench_tick(test, b);
	for (n = 0; n < 3; n++) {
		submits(high);
		submits(peer);
		bench_tick(test, b);
		finishes(high);
		finishes(peer);
		bench_ticks(test, b, 20);
	}
	submits(high);
	bench_tick(test, b);
	runs(high);
	bench_ticks(test, b, 20);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, interval_us);
	b->mover = peer;
	b->meanwhile = is_fetched;
	submits(peer);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	KUNIT_EXPECT_EQ(test, b->plan.within_us, GPREEMPT_POLL_LEAST_US);
}

/*
 * Some of its waves got room beside what runs, and its packet shows no longer that it has
 * more: taken for granted when it begins, and not when some of them may have ended.
 */
static void gpreempt_policy_lacks(struct kunit *test)
{
	static const struct {
		const char *name;
		u32 waves, newest;
		enum gpreempt_signal signal;
		bool wants;
	} c[] = {
		{ "half of them", 16, 32, GPREEMPT_SIGNAL_PENDING, true },
		{ "all but one", 31, 32, GPREEMPT_SIGNAL_PENDING, true },
		{ "all", 32, 32, GPREEMPT_SIGNAL_PENDING, false },
		{ "of earlier ones, too", 33, 32, GPREEMPT_SIGNAL_PENDING, false },
		{ "for all that is known", 16, 0, GPREEMPT_SIGNAL_PENDING, false },
		{ "it has ended", 16, 32, GPREEMPT_SIGNAL_DONE, false },
		{ "nothing tells its end", 16, 32, GPREEMPT_SIGNAL_UNKNOWN, false },
	};
	struct gpreempt_queue_view *low, *high;
	struct bench *b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		b = bench_low_runs(test, &low, &high);
		KUNIT_ASSERT_NOT_NULL(test, b);
		has_next_fetched(high);
		high->seen.signal = c[i].signal;
		high->seen.waves = c[i].waves;
		high->seen.newest = c[i].newest;
		bench_tick(test, b);
		KUNIT_EXPECT_EQ_MSG(test, low->out.verdict,
				    c[i].wants ? GPREEMPT_PREEMPT : GPREEMPT_KEEP, "%s", c[i].name);
	}

	b = bench_low_runs(test, &low, &high);
	KUNIT_ASSERT_NOT_NULL(test, b);
	has_next_fetched(high);
	high->seen.signal = GPREEMPT_SIGNAL_PENDING;
	high->seen.waves = 32;
	high->seen.newest = 32;
	bench_tick(test, b);
	EXPECT_KEEP(test, b, low);
	high->seen.waves = 1;
	bench_tick(test, b);
	EXPECT_KEEP(test, b, low);

	/* Counted before it was fetched: those of the packet before. */
	b = bench_high_moves(test, &low, &high);
	KUNIT_ASSERT_NOT_NULL(test, b);
	launches(high);
	high->seen.waves = 16;
	high->seen.newest = 32;
	b->meanwhile = has_next_fetched;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	EXPECT_KEEP(test, b, low);
	/* the next count tells */
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/*
 * That the newest packet ended says nothing of those before it, launched after the
 * count; unless it waited for them.
 */
static void gpreempt_policy_late_end(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b;
	unsigned int ordered;

	for (ordered = 0; ordered < 2; ordered++) {
		b = bench_low_runs(test, &low, &high);
		KUNIT_ASSERT_NOT_NULL(test, b);
		submits(high);
		launches(high);
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
		high->seen.waves = 0;
		high->seen.ordered = ordered;
		b->mover = high;
		b->meanwhile = ordered ? finishes : ends_first;
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, b->asked);
		EXPECT_KEEP(test, b, low);
		if (ordered) {
			KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
			continue;
		}
		KUNIT_EXPECT_NE(test, high->out.activity, GPREEMPT_IDLE);
		KUNIT_EXPECT_EQ(test, high->memory->burst.ended_ns, 0);
		/* nothing depends on it until somebody might be put back, or the monitor park */
		finishes(low);
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, b->asked);
		KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNING);
	}
}

/* Counts given with the first call are used, none are asked for. */
static void gpreempt_policy_waves_at_once(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	b->view.now_ns += INTERVAL_NS;
	b->view.waves_final = false;
	gpreempt_decide(b->policy, &b->view, &b->tun, &b->plan);
	KUNIT_EXPECT_FALSE(test, b->plan.need_waves);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	bench_commit(b);
	b->view.now_ns += INTERVAL_NS;
	gpreempt_decide(b->policy, &b->view, &b->tun, &b->plan);
	KUNIT_EXPECT_FALSE(test, b->plan.need_waves);
	EXPECT_KEEP(test, b, low);
}

/* A single wave that was counted is work, although nothing else shows it. */
static void gpreempt_policy_waves_at_once_only(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	finishes(low);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_IDLE);
	low->seen.waves = 1;
	submits(high);
	b->view.now_ns += INTERVAL_NS;
	b->view.waves_final = false;
	gpreempt_decide(b->policy, &b->view, &b->tun, &b->plan);
	KUNIT_EXPECT_FALSE(test, b->plan.need_waves);
	KUNIT_EXPECT_TRUE(test, b->view.contested);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* What was counted at once is not doubted, while another one's count is asked for. */
static void gpreempt_policy_waves_at_once_some(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_ticks(test, b, 5);
	submits(high);
	high->seen.rptr = high->seen.wptr;
	high->seen.waves = GPREEMPT_WAVES_UNKNOWN;
	b->view.now_ns += INTERVAL_NS;
	b->view.waves_final = false;
	gpreempt_decide(b->policy, &b->view, &b->tun, &b->plan);
	/* low has to leave unless it was launched */
	KUNIT_EXPECT_TRUE(test, b->plan.need_waves);
}

/* Hardware that counts no waves: less is known, all rules hold. */
static void gpreempt_policy_no_wave_counts(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->waves_unreadable = true;
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	bench_ticks(test, b, 20);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	runs(low);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	submits(high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	bench_ticks(test, b, 2);
	EXPECT_KEEP(test, b, low);
	/* no progress: blocked, for all that is known */
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
	bench_ticks(test, b, 20);
	/* low too looks blocked by now, and may be in the way none the less */
	high->seen.rptr++;
	submits(high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	finishes(high);
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, low->seen.mapped);
	finishes(low);
	bench_ticks(test, b, 20);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
}

static void gpreempt_policy_idle(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *q;

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_scan(test, b);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	q = bench_queue(b, 7);
	bench_queue(b, 8);
	bench_scan(test, b);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* evicted with waves: whoever brings it back wakes the monitor */
	runs(q);
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	q->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_NE(test, q->out.activity, GPREEMPT_IDLE);
	q->seen.mapped = false;
	q->seen.waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->out.activity, GPREEMPT_BLOCKED);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	EXPECT_KEEP(test, b, q);
	/* back, and its waves are about to be */
	q->seen.mapped = true;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->out.activity, GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	finishes(q);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* evicted without, and then with something in its ring */
	q->seen.mapped = false;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->out.activity, GPREEMPT_IDLE);
	submits(q);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->out.activity, GPREEMPT_BLOCKED);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	q->seen.readable = false;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->out.activity, GPREEMPT_UNKNOWN);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	q->seen.readable = true;
	q->seen.mapped = true;
	finishes(q);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* the CPU may set a signal, and rings no doorbell either */
	waits_for_signal(q);
	bench_ticks(test, b, 50);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	finishes(q);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* a signal is pending */
	submits(q);
	q->seen.rptr = q->seen.wptr;
	bench_ticks(test, b, 50);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
}

/* `none` watches; it only gives back what another policy left preempted. */
static void gpreempt_policy_none(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *mid;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	mid = bench_queue(b, 7);
	mid->seen.mapped = false;
	mid->seen.preempted = true;
	mid->terms.held = true;
	low->memory->waiting.raised = true;
	b->policy = gpreempt_policy_find("none");
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);
	EXPECT_KEEP(test, b, mid);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 1);

	submits(high);
	bench_ticks(test, b, 5000);
	KUNIT_EXPECT_TRUE(test, high->out.wants);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 0);

	/* waiting for long makes nobody starved */
	finishes(low);
	submits(low);
	bench_ticks(test, b, 5000);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);

	/* nor does the time before */
	b->policy = gpreempt_policy_find("strict");
	finishes(high);
	runs(high);
	bench_ticks(test, b, 100);
	KUNIT_EXPECT_NE(test, low->memory->waiting.since_ns, 0);
	b->policy = gpreempt_policy_find("none");
	bench_ticks(test, b, 5000);
	b->policy = gpreempt_policy_find("strict");
	bench_ticks(test, b, 100);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);

	b->policy = gpreempt_policy_find("none");
	finishes(low);
	finishes(high);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
}

/* Two queues of one level that each fill the machine, and a turn of 10 ms. */
#define TURN	10				/* intervals */

static struct bench *bench_turns(struct kunit *test, struct gpreempt_queue_view **a,
				 struct gpreempt_queue_view **b_)
{
	struct bench *b = bench_new(test, "timeslice");

	if (!b)
		return NULL;
	b->tun.timeslice_us[7] = TURN * 1000;
	*a = bench_queue(b, 7);
	*b_ = bench_queue(b, 7);
	bench_scan(test, b);
	runs(*a);
	bench_ticks(test, b, 3);
	EXPECT_KEEP(test, b, *a);
	submits(*b_);
	bench_tick(test, b);
	return b;
}

/* Each has the machine for its time, to the nanosecond, and not longer. */
static void gpreempt_policy_turns(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_turns(test, &q[0], &q[1]);
	unsigned int i, n;

	KUNIT_ASSERT_NOT_NULL(test, b);
	/* a keeps the turn that it has without asking */
	EXPECT_VERDICT(test, b, q[1], GPREEMPT_PREEMPT, GPREEMPT_REASON_TIMESLICE);
	EXPECT_KEEP(test, b, q[0]);
	q[1]->seen.waves = 32;
	while (q[0]->seen.mapped)
		bench_tick(test, b);
	q[1]->memory->resident_ns = b->view.now_ns;
	q[1]->turn->had_ns = 0;
	for (i = 1; i < 50; i++) {
		struct gpreempt_queue_view *has = q[i % 2], *waits = q[!(i % 2)];

		for (n = 1; n < TURN; n++) {
			bench_tick(test, b);
			KUNIT_EXPECT_EQ(test, b->plan.nr_preempt + b->plan.nr_resume, 0);
			KUNIT_EXPECT_TRUE(test, has->seen.mapped);
			KUNIT_EXPECT_TRUE(test, waits->seen.preempted);
			KUNIT_EXPECT_TRUE(test, b->plan.waiting);
		}
		b->view.now_ns += INTERVAL_NS - 1;
		bench_scan(test, b);
		EXPECT_KEEP(test, b, has);
		b->view.now_ns++;
		bench_scan(test, b);
		EXPECT_VERDICT(test, b, has, GPREEMPT_PREEMPT, GPREEMPT_REASON_TIMESLICE);
		EXPECT_VERDICT(test, b, waits, GPREEMPT_RESUME, GPREEMPT_REASON_TURN);
		bench_commit(b);
		/* as the commit room does */
		waits->memory->resident_ns = b->view.now_ns;
	}
	KUNIT_EXPECT_EQ(test, q[0]->out.level, 7);
}

/* Who had the machine for longer than a turn gives it to a newcomer at once. */
static void gpreempt_policy_turns_newcomer(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");
	struct gpreempt_queue_view *q, *comes;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[7] = TURN * 1000;
	q = bench_queue(b, 7);
	comes = bench_queue(b, 7);
	bench_scan(test, b);
	runs(q);
	bench_ticks(test, b, TURN + 2);
	submits(comes);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, q, GPREEMPT_PREEMPT, GPREEMPT_REASON_TIMESLICE);
	EXPECT_KEEP(test, b, comes);
}

/* Off where a level has one queue that could use a turn. */
static void gpreempt_policy_turns_alone(struct kunit *test)
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

		KUNIT_ASSERT_NOT_NULL(test, b);
		a = bench_queue(b, 7);
		other = bench_queue(b, c[i].priority);
		b->tun.timeslice_us[7] = c[i].level_us;
		b->tun.timeslice_us[8] = c[i].level_us;
		other->terms.timeslice_us = c[i].own_us;
		other->terms.pinned = c[i].pinned;
		other->seen.mapped = !c[i].absent;
		bench_scan(test, b);
		runs(a);
		if (c[i].waits)
			waits_for_signal(other);
		else if (!c[i].idle)
			runs(other);
		for (n = 0; n < 50; n++) {
			bench_tick(test, b);
			KUNIT_EXPECT_EQ_MSG(test, b->plan.nr_preempt, 0, "%s", c[i].name);
			/* nor is that worth a register */
			if (c[i].priority == 7 && n > 0)
				KUNIT_EXPECT_FALSE_MSG(test, b->asked, "%s", c[i].name);
		}
	}
}

/* Of two that come at once, the first turn is whose waves are there already. */
static void gpreempt_policy_turns_first(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");
	struct gpreempt_queue_view *waits, *has;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[7] = TURN * 1000;
	waits = bench_queue(b, 7);
	has = bench_queue(b, 7);
	bench_ticks(test, b, 3);
	submits(waits);
	runs(has);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, waits, GPREEMPT_PREEMPT, GPREEMPT_REASON_TIMESLICE);
	EXPECT_KEEP(test, b, has);
}

/* Nobody may leave yet: but time alone will change that. */
static void gpreempt_policy_turns_waiting(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");
	struct gpreempt_queue_view *q[2];

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[7] = TURN * 1000;
	b->tun.min_residency_us = 50 * 1000;
	q[0] = bench_queue(b, 7);
	q[1] = bench_queue(b, 7);
	bench_scan(test, b);
	runs(q[0]);
	runs(q[1]);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	KUNIT_EXPECT_TRUE(test, b->plan.waiting);
}

/* A turn that cannot be used ends at once, and its rest is not saved up. */
static void gpreempt_policy_turns_unused(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct bench *b = bench_turns(test, &q[0], &q[1]);

		KUNIT_ASSERT_NOT_NULL(test, b);
		bench_ticks(test, b, 2);
		KUNIT_EXPECT_TRUE(test, q[1]->seen.preempted);
		/* all it has done; or it waits for what the other will do */
		finishes(q[0]);
		if (i == 0)
			waits_for_signal(q[0]);
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, bench_verdict(b, q[1]), GPREEMPT_RESUME);
		q[1]->seen.waves = 32;
		bench_ticks(test, b, 2);
		/* it may run again: after the other's turn */
		q[0]->seen.head = GPREEMPT_HEAD_READY;
		if (i)
			submits(q[0]);
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, q[0], GPREEMPT_PREEMPT, GPREEMPT_REASON_TIMESLICE);
		bench_ticks(test, b, TURN - 4);
		KUNIT_EXPECT_TRUE(test, q[1]->seen.mapped);
		bench_ticks(test, b, 3);
		KUNIT_EXPECT_TRUE(test, q[0]->seen.mapped);
		KUNIT_EXPECT_TRUE(test, q[1]->seen.preempted);
	}
}

/* Asked to leave, it has no turn: the other one does not wait for the end of it. */
static void gpreempt_policy_turns_asked(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_turns(test, &q[0], &q[1]);

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_TRUE(test, q[1]->seen.preempted);
	q[0]->terms.asked = true;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, q[0], GPREEMPT_PREEMPT, GPREEMPT_REASON_ASKED);
	EXPECT_VERDICT(test, b, q[1], GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
}

/* Announced work has no turn: none leaves for it before it comes. */
static void gpreempt_policy_turns_hint(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");
	struct gpreempt_queue_view *q, *comes;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[7] = TURN * 1000;
	q = bench_queue(b, 7);
	comes = bench_queue(b, 7);
	bench_scan(test, b);
	runs(q);
	bench_ticks(test, b, 3);
	comes->terms.hint_ns = b->view.now_ns + INTERVAL_NS;
	comes->terms.hint_end_ns = b->view.now_ns + 100 * INTERVAL_NS;
	for (i = 0; i < 3 * TURN; i++) {
		bench_tick(test, b);
		EXPECT_KEEP(test, b, q);
		EXPECT_KEEP(test, b, comes);
	}
}

/* Three queues, and one that comes later: each in its order. */
static void gpreempt_policy_turns_order(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");
	struct gpreempt_queue_view *q[4];
	unsigned int order[8] = {}, n = 0, i, k, last = 4;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[3] = TURN * 1000;
	for (i = 0; i < 4; i++)
		q[i] = bench_queue(b, 3);
	bench_scan(test, b);
	for (i = 0; i < 3; i++)
		runs(q[i]);
	for (i = 0; i < 200 && n < 8; i++) {
		if (n == 2 && q[3]->seen.rptr == 0)
			runs(q[3]);
		bench_tick(test, b);
		for (k = 0; k < 4 && !q[k]->turn->has; k++)
			;
		if (k != last)
			order[n++] = k;
		last = k;
	}
	/* 3 came during the turn of 1, and never had one */
	KUNIT_EXPECT_EQ(test, order[0], 0);
	KUNIT_EXPECT_EQ(test, order[1], 1);
	KUNIT_EXPECT_EQ(test, order[2], 2);
	KUNIT_EXPECT_EQ(test, order[3], 3);
	KUNIT_EXPECT_EQ(test, order[4], 0);
	KUNIT_EXPECT_EQ(test, order[5], 1);
	KUNIT_EXPECT_EQ(test, order[6], 2);
	KUNIT_EXPECT_EQ(test, order[7], 3);
}

/* A queue's own turn goes before its level's. */
static void gpreempt_policy_turns_own(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_turns(test, &q[0], &q[1]);
	unsigned int mapped[2] = {}, i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	q[1]->terms.timeslice_us = 3 * TURN * 1000;
	q[1]->seen.waves = 32;
	for (i = 0; i < 40 * TURN; i++) {
		bench_tick(test, b);
		mapped[0] += q[0]->seen.mapped;
		mapped[1] += q[1]->seen.mapped;
	}
	KUNIT_EXPECT_LE(test, 27 * mapped[0], 10 * mapped[1]);
	KUNIT_EXPECT_LE(test, 10 * mapped[1], 33 * mapped[0]);
	KUNIT_EXPECT_EQ(test, mapped[0] + mapped[1], 40 * TURN);
}

/* One without a turn shares the machine with whose turn it is. */
static void gpreempt_policy_turns_none(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");
	struct gpreempt_queue_view *q[3];
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < 3; i++) {
		q[i] = bench_queue(b, 7);
		q[i]->terms.timeslice_us = i ? TURN * 1000 : 0;
	}
	bench_scan(test, b);
	for (i = 0; i < 3; i++)
		runs(q[i]);
	bench_ticks(test, b, 3);
	for (i = 0; i < 10 * TURN; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, q[0]->seen.mapped);
		KUNIT_EXPECT_NE(test, q[1]->seen.mapped, q[2]->seen.mapped);
	}
}

/* A turn is never shorter than what its queue is promised. */
static void gpreempt_policy_turns_residency(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_turns(test, &q[0], &q[1]);
	unsigned int i, turns = 0;
	bool had;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[7] = 1000;
	b->tun.min_residency_us = 5 * 1000;
	q[1]->seen.save_cost_ns = 8 * INTERVAL_NS;
	q[1]->seen.waves = 32;
	bench_ticks(test, b, 20);
	for (i = 0; i < 140; i++) {
		had = q[0]->turn->has;
		bench_tick(test, b);
		turns += q[0]->turn->has != had;
	}
	/* 5 ms and 8 ms, and the scan that first sees it mapped */
	KUNIT_EXPECT_LE(test, 16, turns);
	KUNIT_EXPECT_LE(test, turns, 20);
}

/*
 * Strict between levels: all of the level leave for a higher one, and when it
 * comes back the turn goes on where it was. So who is interrupted more often
 * than a turn is long does not keep the turn for ever.
 */
static void gpreempt_policy_turns_below(struct kunit *test)
{
	struct gpreempt_queue_view *q[2], *high;
	struct bench *b = bench_turns(test, &q[0], &q[1]);
	unsigned int mapped[2] = {}, i, n;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.starvation_ms = 60000;
	b->tun.min_residency_us = 0;
	high = bench_queue(b, 15);
	q[1]->seen.waves = 32;
	bench_tick(test, b);
	for (i = 0; i < 200; i++) {
		submits(high);
		bench_tick(test, b);
		runs(high);
		high->seen.rptr = high->seen.wptr;
		for (n = 0; n < 3; n++) {
			bench_tick(test, b);
			KUNIT_EXPECT_TRUE(test, q[0]->seen.preempted && q[1]->seen.preempted);
		}
		finishes(high);
		for (n = 0; n < 4; n++) {
			bench_tick(test, b);
			mapped[0] += q[0]->seen.mapped;
			mapped[1] += q[1]->seen.mapped;
			KUNIT_EXPECT_FALSE(test, q[0]->seen.mapped && q[1]->seen.mapped);
		}
	}
	KUNIT_EXPECT_LE(test, 100, mapped[0]);
	KUNIT_EXPECT_LE(test, 100, mapped[1]);
	KUNIT_EXPECT_LE(test, mapped[0], mapped[1] * 5 / 4);
	KUNIT_EXPECT_LE(test, mapped[1], mapped[0] * 5 / 4);
}

/* The time that a higher queue takes is not the turn's. */
static void gpreempt_policy_turns_interrupted(struct kunit *test)
{
	struct gpreempt_queue_view *q[2], *high;
	struct bench *b = bench_turns(test, &q[0], &q[1]);
	unsigned int i;
	u64 had;

	KUNIT_ASSERT_NOT_NULL(test, b);
	high = bench_queue(b, 15);
	bench_tick(test, b);
	submits(high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, q[0], GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	had = q[0]->turn->had_ns;
	KUNIT_EXPECT_LT(test, had, TURN * INTERVAL_NS);
	runs(high);
	high->seen.rptr = high->seen.wptr;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q[0]->turn->had_ns, had);
	for (i = 0; i < 2 * TURN; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, q[0]->turn->had_ns, had);
	}
	finishes(high);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_TRUE(test, q[0]->seen.mapped);
	KUNIT_EXPECT_TRUE(test, q[1]->seen.preempted);
}

/* A process with eight queues and one with one queue have equal turns; each with all its own. */
static void gpreempt_policy_turns_groups(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");
	unsigned int mapped[2] = {}, i, k;
	struct gpreempt_queue_view *q[8];

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[7] = TURN * 1000;
	for (i = 0; i < 8; i++) {
		q[i] = bench_queue(b, 7);
		q[i]->group = &b->group[i && i < 7 ? 0 : i];
	}
	bench_scan(test, b);
	/* those of one process alone leave each other alone */
	for (i = 0; i < 7; i++)
		runs(q[i]);
	for (i = 0; i < 3 * TURN; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	}
	KUNIT_EXPECT_FALSE(test, b->plan.waiting);
	KUNIT_EXPECT_FALSE(test, b->view.contested);
	runs(q[7]);
	bench_ticks(test, b, 3);
	for (i = 0; i < 40 * TURN; i++) {
		bench_tick(test, b);
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
static void gpreempt_policy_turns_group_goes_on(struct kunit *test)
{
	struct gpreempt_queue_view *q[2], *more;
	struct bench *b = bench_turns(test, &q[0], &q[1]);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, b);
	more = bench_queue(b, 7);
	more->group = q[0]->group;
	q[0]->terms.timeslice_us = 2 * TURN * 1000;
	q[1]->seen.waves = 32;
	bench_tick(test, b);
	finishes(q[0]);
	runs(more);
	for (n = 0; n < TURN; n++) {
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, q[1]->seen.preempted && q[1]->out.verdict == GPREEMPT_KEEP);
	}
	while (n++ < 30 * TURN && q[1]->out.verdict == GPREEMPT_KEEP)
		bench_tick(test, b);
	/* from when bench_turns() saw the other one come; of 3 intervals before */
	KUNIT_EXPECT_EQ(test, q[0]->turn->had_ns, 0);
	KUNIT_EXPECT_LE(test, 3 * TURN / 2, n);
	KUNIT_EXPECT_LE(test, n, 2 * TURN);
	EXPECT_VERDICT(test, b, more, GPREEMPT_PREEMPT, GPREEMPT_REASON_TIMESLICE);
	EXPECT_VERDICT(test, b, q[1], GPREEMPT_RESUME, GPREEMPT_REASON_TURN);
}

/* A queue that is as a rule about to end keeps its own place, and the turn of its group not. */
static void gpreempt_policy_turns_group_ends(struct kunit *test)
{
	struct gpreempt_queue_view *q[2], *fresh;
	struct bench *b = bench_turns(test, &q[0], &q[1]);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, b);
	fresh = bench_queue(b, 7);
	fresh->group = q[0]->group;
	q[1]->seen.waves = 32;
	bench_tick(test, b);
	for (n = 0; n < 3 * TURN && q[1]->out.verdict == GPREEMPT_KEEP; n++) {
		/* put back, or made, all the time */
		if (fresh->memory->resident_ns)
			fresh->memory->resident_ns = b->view.now_ns + INTERVAL_NS;
		runs(fresh);
		bench_tick(test, b);
	}
	KUNIT_EXPECT_LE(test, n, TURN);
	EXPECT_VERDICT(test, b, q[1], GPREEMPT_RESUME, GPREEMPT_REASON_TURN);
	EXPECT_VERDICT(test, b, q[0], GPREEMPT_PREEMPT, GPREEMPT_REASON_TIMESLICE);
	EXPECT_KEEP(test, b, fresh);
}

/* What a process had of a level is of no concern on another, nor when it comes back. */
static void gpreempt_policy_turns_group_levels(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_turns(test, &q[0], &q[1]);

	KUNIT_ASSERT_NOT_NULL(test, b);
	q[1]->seen.waves = 32;
	while (!q[1]->turn->has)
		bench_tick(test, b);
	q[1]->terms.priority = 3;
	bench_ticks(test, b, 6);
	KUNIT_EXPECT_TRUE(test, q[0]->seen.mapped && q[0]->turn->has);
	q[1]->terms.priority = 7;
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_TRUE(test, q[0]->seen.mapped && q[0]->turn->has);
	KUNIT_EXPECT_FALSE(test, q[1]->turn->has);
	KUNIT_EXPECT_EQ(test, q[1]->turn->had_ns, 0);
}

/* The time that a save and a restore take is not the turn's; however many queues stay idle. */
static void gpreempt_policy_turns_group_restored(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");
	struct gpreempt_queue_view *q[3];
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[7] = TURN * 1000;
	for (i = 0; i < 3; i++)
		q[i] = bench_queue(b, 7);
	q[2]->group = q[1]->group;
	bench_ticks(test, b, 3);
	runs(q[0]);
	bench_ticks(test, b, 3);
	runs(q[1]);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, q[1], GPREEMPT_PREEMPT, GPREEMPT_REASON_TIMESLICE);
	while (q[1]->out.verdict != GPREEMPT_RESUME)
		bench_tick(test, b);
	bench_commit(b);
	q[1]->memory->resident_ns = b->view.now_ns + INTERVAL_NS;
	b->view.now_ns += 3 * INTERVAL_NS;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, q[1]->turn->had_ns, 2 * INTERVAL_NS);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q[1]->turn->had_ns, 3 * INTERVAL_NS);
}

/* Rule 3 over turns: a queue waits for the turns of others so long, not longer. */
static void gpreempt_policy_turns_starved(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_turns(test, &q[0], &q[1]);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.timeslice_us[7] = 10000 * 1000;
	b->tun.timeslice_us[GPREEMPT_LEVELS - 1] = 10000 * 1000;
	q[1]->seen.waves = 32;
	bench_ticks(test, b, 999);
	EXPECT_KEEP(test, b, q[1]);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, q[1], GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	EXPECT_VERDICT(test, b, q[0], GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
}

/* Whatever a policy left preempted, the next one puts back. */
static void gpreempt_policy_switch(struct kunit *test)
{
	static const char * const names[] = { "none", "strict", "timeslice" };
	struct gpreempt_queue_view *q[2], *low, *high;
	unsigned int from, to, n;

	for (from = 1; from < ARRAY_SIZE(names); from++) {
		for (to = 0; to < ARRAY_SIZE(names); to++) {
			struct bench *b = bench_turns(test, &q[0], &q[1]);

			KUNIT_ASSERT_NOT_NULL(test, b);
			low = bench_queue(b, 3);
			runs(low);
			high = bench_queue(b, 9);
			bench_ticks(test, b, 4);
			KUNIT_EXPECT_TRUE(test, low->seen.preempted);
			KUNIT_EXPECT_TRUE(test, q[1]->seen.preempted);
			if (from == 1) {
				b->policy = gpreempt_policy_find("strict");
				submits(high);
				bench_ticks(test, b, 2);
				KUNIT_EXPECT_TRUE(test, q[0]->seen.preempted);
				KUNIT_EXPECT_TRUE(test, q[1]->seen.preempted);
				finishes(high);
			}
			b->policy = gpreempt_policy_find(names[to]);
			q[1]->seen.waves = 32;
			bench_ticks(test, b, to ? 3 : 2);
			if (to < 2)
				KUNIT_EXPECT_TRUE(test, q[0]->seen.mapped && q[1]->seen.mapped);
			else
				KUNIT_EXPECT_NE(test, q[0]->seen.mapped, q[1]->seen.mapped);
			KUNIT_EXPECT_EQ(test, low->seen.mapped, to == 0);
			/* and nobody stays behind when the work is done */
			finishes(q[0]);
			finishes(q[1]);
			finishes(high);
			for (n = 0; n < 20; n++)
				bench_tick(test, b);
			KUNIT_EXPECT_TRUE(test, low->seen.mapped);
			KUNIT_EXPECT_TRUE(test, q[0]->seen.mapped && q[1]->seen.mapped);
		}
	}
}

/* Asked for by ioctl: every policy takes it off, with a hold for good. */
static void gpreempt_policy_asked(struct kunit *test)
{
	static const char * const names[] = { "none", "strict", "timeslice" };
	unsigned int i, hold;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (hold = 0; hold < 2; hold++) {
			struct bench *b = bench_new(test, names[i]);
			struct gpreempt_queue_view *q, *peer;

			KUNIT_ASSERT_NOT_NULL(test, b);
			q = bench_queue(b, 15);
			peer = bench_queue(b, 3);
			bench_scan(test, b);
			runs(q);
			runs(peer);
			submits(q);
			q->terms.held = hold;
			q->terms.asked = !hold;
			KUNIT_EXPECT_TRUE(test, gpreempt_may_contend(b->policy, &b->view, &b->tun));
			bench_tick(test, b);
			EXPECT_VERDICT(test, b, q, GPREEMPT_PREEMPT, GPREEMPT_REASON_ASKED);
			/* it goes: nobody is taken off for it any more */
			EXPECT_KEEP(test, b, peer);
			q->terms.asked = false;
			bench_tick(test, b);
			if (!hold) {
				EXPECT_VERDICT(test, b, q, GPREEMPT_RESUME,
					       GPREEMPT_REASON_FREE);
				continue;
			}
			bench_ticks(test, b, 3000);
			KUNIT_EXPECT_TRUE(test, q->seen.preempted);
			EXPECT_KEEP(test, b, peer);
			/* a debugger comes: the hold has no force */
			q->terms.pinned = true;
			bench_tick(test, b);
			KUNIT_EXPECT_EQ(test, bench_verdict(b, q), GPREEMPT_RESUME);
			bench_tick(test, b);
			EXPECT_KEEP(test, b, q);
		}
	}
}

/* What is to be taken off in any case wants nothing, so its waves are not counted for that. */
static void gpreempt_policy_asked_not_counted(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits(high);
	high->terms.asked = true;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_ASKED);
	EXPECT_KEEP(test, b, low);
}

/* What is off has work, for all that is known, even at first sight: the monitor does not park. */
static void gpreempt_policy_preempted_shows(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *off, *on;

	KUNIT_ASSERT_NOT_NULL(test, b);
	off = bench_queue(b, 3);
	on = bench_queue(b, 3);
	off->seen.mapped = false;
	off->seen.preempted = true;
	bench_scan(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	EXPECT_VERDICT(test, b, off, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	EXPECT_KEEP(test, b, on);
}

/* A queue was not idle while it was not there. */
static void gpreempt_policy_absent_idle(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *q;

	KUNIT_ASSERT_NOT_NULL(test, b);
	q = bench_queue(b, 3);
	q->seen.mapped = false;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, q->out.activity, GPREEMPT_IDLE);
	q->seen.mapped = true;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->out.activity, GPREEMPT_IDLE);
	KUNIT_EXPECT_FALSE(test, q->state.was_idle);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, q->state.was_idle);
}

/* Evicted while it ran: what it does when it is back is another burst. */
static void gpreempt_policy_absent_burst(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	/* nothing but its waves tells that it runs */
	low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_LT(test, low->state.ends_ns, b->view.now_ns);
	low->seen.mapped = false;
	bench_ticks(test, b, 20);
	low->seen.mapped = true;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->out.activity, GPREEMPT_RUNNING);
	/* of how long that takes nothing is known */
	KUNIT_EXPECT_EQ(test, low->state.ends_ns, b->view.now_ns);
}

/* Evicted and back, it is left there for as long as one that has just come. */
static void gpreempt_policy_absent_residency(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.mapped = false;
	bench_tick(test, b);
	low->seen.mapped = true;
	submits(high);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, high->out.wants);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, b->view.now_ns + 500 * NSEC_PER_USEC);
}

/* Announced work: the machine is freed before it comes, to the nanosecond. */
static void gpreempt_policy_hint(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	u64 cost = 300 * NSEC_PER_USEC, t;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.save_cost_ns = cost;
	t = b->view.now_ns + 50 * INTERVAL_NS;
	high->terms.hint_ns = t;
	high->terms.hint_end_ns = t + 20 * INTERVAL_NS;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->plan.waiting);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, t - cost - LATE_NS);
	b->view.now_ns = b->plan.next_ns - 1;
	bench_scan(test, b);
	EXPECT_KEEP(test, b, low);
	b->view.now_ns++;
	bench_scan(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_HINT);
	KUNIT_EXPECT_TRUE(test, high->out.announced);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, 0);
	bench_commit(b);

	/* it is not blocked, and not starved, because it has not come yet */
	b->tun.starvation_ms = 1;
	low->memory->waiting.since_ns = 0;
	b->view.now_ns = t - 1;
	bench_scan(test, b);
	b->tun.starvation_ms = 1000;
	KUNIT_EXPECT_TRUE(test, high->out.announced);
	KUNIT_EXPECT_EQ(test, high->out.level, 15);
	EXPECT_KEEP(test, b, low);

	/* it comes, it pauses, it is over */
	submits(high);
	bench_ticks(test, b, 2);
	runs(high);
	high->seen.rptr = high->seen.wptr;
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_FALSE(test, high->out.announced);
	finishes(high);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_TRUE(test, high->out.announced);
	EXPECT_KEEP(test, b, low);
	submits(high);
	high->seen.rptr = high->seen.wptr;
	high->seen.waves = 32;
	b->view.now_ns = t + 20 * INTERVAL_NS - 1;
	bench_scan(test, b);
	finishes(high);
	b->view.now_ns++;
	bench_scan(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	bench_ticks(test, b, 20);
	EXPECT_KEEP(test, b, low);
}

/* Where a save takes long the machine is free early, and stays so until then. */
static void gpreempt_policy_hint_early(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.save_cost_ns = 10 * INTERVAL_NS;
	high->terms.hint_ns = b->view.now_ns + 30 * INTERVAL_NS;
	high->terms.hint_end_ns = high->terms.hint_ns + 10 * INTERVAL_NS;
	bench_ticks(test, b, 19);
	EXPECT_KEEP(test, b, low);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_HINT);
	/* five times blocked_us */
	for (i = 0; i < 10; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, high->out.announced);
		KUNIT_EXPECT_EQ(test, high->state.waits_ns, 0);
		EXPECT_KEEP(test, b, low);
	}
}

/* Of several announcements the first one's time counts, whichever queue's it is. */
static void gpreempt_policy_hint_first(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *above;
	struct bench *b = bench_low_runs(test, &low, &high);
	u64 t;

	KUNIT_ASSERT_NOT_NULL(test, b);
	high->terms.priority = 10;
	above = bench_queue(b, 15);
	t = b->view.now_ns + 20 * INTERVAL_NS;
	high->terms.hint_ns = t;
	above->terms.hint_ns = t + 10 * INTERVAL_NS;
	high->terms.hint_end_ns = t + 30 * INTERVAL_NS;
	above->terms.hint_end_ns = t + 30 * INTERVAL_NS;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, t - LATE_NS);
	swap(high->terms.hint_ns, above->terms.hint_ns);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, t - LATE_NS);
}

/* The machine is to be free in time whichever queue is saved: the costliest counts. */
static void gpreempt_policy_hint_costliest(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *other;
	struct bench *b = bench_low_runs(test, &low, &high);
	u64 t;

	KUNIT_ASSERT_NOT_NULL(test, b);
	other = bench_queue(b, 3);
	low->seen.save_cost_ns = 100 * NSEC_PER_USEC;
	other->seen.save_cost_ns = 300 * NSEC_PER_USEC;
	t = b->view.now_ns + 20 * INTERVAL_NS;
	high->terms.hint_ns = t;
	high->terms.hint_end_ns = t + 10 * INTERVAL_NS;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, t - 300 * NSEC_PER_USEC - LATE_NS);
	swap(low->seen.save_cost_ns, other->seen.save_cost_ns);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, t - 300 * NSEC_PER_USEC - LATE_NS);
	/* what is not there is not saved */
	other->seen.mapped = false;
	other->seen.save_cost_ns = 900 * NSEC_PER_USEC;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, t - 300 * NSEC_PER_USEC - LATE_NS);
}

/* Whether a packet that came before is still under way is not known: the work is announced. */
static void gpreempt_policy_hint_not_counted(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high, *above;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 10);
	above = bench_queue(b, 15);
	bench_scan(test, b);
	runs(low);
	bench_ticks(test, b, 5);
	submits(low);
	submits(high);
	finishes(high);
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	EXPECT_KEEP(test, b, low);
	high->terms.hint_ns = b->view.now_ns + INTERVAL_NS;
	high->terms.hint_end_ns = b->view.now_ns + 20 * INTERVAL_NS;
	above->terms.hint_ns = high->terms.hint_ns;
	above->terms.hint_end_ns = high->terms.hint_end_ns;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	KUNIT_EXPECT_TRUE(test, high->out.announced);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_HINT);
}

/* Announced, and it does not come: low is back after blocked_us. */
static void gpreempt_policy_hint_void(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	u64 t;

	KUNIT_ASSERT_NOT_NULL(test, b);
	t = b->view.now_ns + 10 * INTERVAL_NS;
	high->terms.hint_ns = t;
	high->terms.hint_end_ns = t + 500 * INTERVAL_NS;
	bench_tick(test, b);
	b->view.now_ns = b->plan.next_ns;
	bench_scan(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_HINT);
	bench_commit(b);
	b->view.now_ns = t;
	bench_scan(test, b);
	b->view.now_ns = t + 2000 * NSEC_PER_USEC - 1;
	bench_scan(test, b);
	EXPECT_KEEP(test, b, low);
	b->view.now_ns++;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	KUNIT_EXPECT_FALSE(test, high->out.announced);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	bench_ticks(test, b, 300);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_FALSE(test, b->plan.waiting);
	/* it is no starving queue, and the next announcement is believed */
	KUNIT_EXPECT_EQ(test, high->memory->waiting.since_ns, 0);
	high->terms.hint_ns = b->view.now_ns + INTERVAL_NS;
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_TRUE(test, low->seen.preempted);
	/* neither here nor anywhere is a queue waited for that waits itself */
	waits_for_signal(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, bench_verdict(b, low), GPREEMPT_RESUME);
}

/* Announced in vain, and at once anew: it has all its time again, before anybody is back. */
static void gpreempt_policy_hint_again(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	high->terms.hint_ns = b->view.now_ns + INTERVAL_NS;
	high->terms.hint_end_ns = b->view.now_ns + 500 * INTERVAL_NS;
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, low->seen.preempted);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	high->terms.hint_ns = b->view.now_ns;
	b->view.now_ns += INTERVAL_NS;
	bench_scan(test, b);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_TRUE(test, high->out.announced);
	b->view.now_ns += 2 * INTERVAL_NS;
	bench_scan(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
}

/* Announced, and it does not come, just when a higher one wants the machine: it is idle. */
static void gpreempt_policy_hint_void_above(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *above;
	struct bench *b = bench_low_runs(test, &low, &high);
	u64 t;

	KUNIT_ASSERT_NOT_NULL(test, b);
	high->terms.priority = 10;
	above = bench_queue(b, 15);
	bench_tick(test, b);
	t = b->view.now_ns + INTERVAL_NS;
	high->terms.hint_ns = t;
	high->terms.hint_end_ns = t + 500 * INTERVAL_NS;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_HINT);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_TRUE(test, high->out.announced);
	submits(above);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_IDLE);
	EXPECT_KEEP(test, b, high);
}

/* An announcement keeps the monitor awake, until it is over or not to be kept. */
static void gpreempt_policy_hint_idle(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	KUNIT_EXPECT_FALSE(test, b->plan.waiting);
	high->terms.hint_ns = b->view.now_ns + 100 * INTERVAL_NS;
	high->terms.hint_end_ns = high->terms.hint_ns + INTERVAL_NS;
	bench_ticks(test, b, 50);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	bench_ticks(test, b, 50);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	EXPECT_KEEP(test, b, low);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	high->terms.hint_ns = b->view.now_ns + 100 * INTERVAL_NS;
	high->terms.hint_end_ns = high->terms.hint_ns + INTERVAL_NS;
	high->seen.mapped = false;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
}

/* Work of one packet that would launch @waves, behind low queues with work. */
static void wants_waves(struct gpreempt_queue_view *q, u32 waves)
{
	submits(q);
	q->seen.demand = waves;
}

/* Rule 10: lowest priority first, then least to save, and no more than needed. */
static void gpreempt_policy_cheapest(struct kunit *test)
{
	static const struct {
		const char *name;
		u32 demand;
		struct { u8 priority; u32 waves; u64 cost; bool more, moved, pinned; } q[4];
		u32 victims;			/* bit n: q[n] */
	} c[] = {
		{ "unknown: all", 0, { { 0, 8, 0 }, { 0, 8, 0 }, { 3, 8, 0 }, { 3, 8, 0 } }, 0xf },
		{ "one is enough", 8, { { 3, 8, 0 }, { 0, 8, 0 }, { 3, 8, 0 }, { 3, 8, 0 } }, 2 },
		{ "one is not", 9, { { 3, 8, 0 }, { 0, 8, 0 }, { 3, 9, 0 }, { 3, 8, 0 } }, 3 },
		{ "lowest first", 4, { { 5, 1, 0 }, { 3, 32, 0 }, { 5, 8, 0 }, { 4, 8, 0 } }, 2 },
		{ "fewest waves", 4, { { 3, 32, 0 }, { 3, 5, 0 }, { 3, 6, 0 }, { 3, 7, 0 } }, 2 },
		{ "least cost as measured", 8,
		  { { 3, 8, 400 }, { 3, 8, 300 }, { 3, 8, 500 }, { 3, 8, 600 } }, 2 },
		{ "cheap ones together", 10,
		  { { 3, 16, 400 }, { 3, 4, 100 }, { 3, 6, 101 }, { 3, 6, 102 } }, 6 },
		{ "what must not be taken off frees nothing", 8,
		  { { 3, 8, 100, .pinned = true }, { 3, 8, 300 }, { 3, 8, 400 }, { 3, 8, 500 } },
		  2 },
		{ "of equals the first", 8,
		  { { 3, 8, 7 }, { 3, 8, 7 }, { 3, 8, 7 }, { 3, 8, 7 } }, 1 },
		{ "more than there is", 33,
		  { { 0, 8, 0 }, { 1, 8, 0 }, { 2, 8, 0 }, { 3, 8, 0 } }, 0xf },
		{ "all there is", 32,
		  { { 0, 8, 0 }, { 1, 8, 0 }, { 2, 8, 0 }, { 3, 8, 0 } }, 0xf },
		{ "not a peer", 8,
		  { { 15, 8, 0 }, { 15, 8, 0 }, { 14, 8, 0 }, { 15, 8, 0 } }, 4 },
		{ "who would take the room", 8,
		  { { 3, 8, 0 }, { 1, 8, 0 }, { 0, 1, 0, true }, { 3, 8, 0 } }, 6 },
		{ "what that one frees counts", 8,
		  { { 3, 8, 0 }, { 3, 8, 0, true }, { 3, 8, 0 }, { 3, 8, 0 } }, 2 },
		{ "and be it a single wave", 9,
		  { { 3, 8, 0 }, { 3, 1, 0, true }, { 3, 8, 0 }, { 3, 8, 0 } }, 3 },
		{ "who only waits for room", 8,
		  { { 3, 0, 0, true }, { 5, 8, 0 }, { 4, 8, 0 }, { 5, 8, 0 } }, 5 },
		{ "what moved on, of which no waves are seen", 8,
		  { { 3, 8, 0 }, { 3, 0, 0, .moved = true }, { 3, 9, 0 }, { 3, 9, 0 } }, 3 },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_new(test, "strict");
		struct gpreempt_queue_view *q, *high;
		u32 victims = 0;

		KUNIT_ASSERT_NOT_NULL(test, b);
		b->view.save_wave_ns = 1000;
		high = bench_queue(b, 15);
		for (k = 0; k < 4; k++) {
			q = bench_queue(b, c[i].q[k].priority);
			q->seen.save_cost_ns = c[i].q[k].cost;
			q->terms.pinned = c[i].q[k].pinned;
		}
		/* in their turn, so that nobody is taken off for a peer's sake */
		b->policy = gpreempt_policy_find("none");
		bench_scan(test, b);
		for (k = 0; k < 4; k++) {
			q = &b->q[1 + k];
			runs(q);
			q->seen.waves = c[i].q[k].waves;
			if (c[i].q[k].more)
				submits(q);
		}
		bench_ticks(test, b, 5);
		b->policy = gpreempt_policy_find("strict");
		wants_waves(high, c[i].demand);
		for (k = 0; k < 4; k++) {
			if (c[i].q[k].moved) {
				submits(&b->q[1 + k]);
				finishes(&b->q[1 + k]);
			}
		}
		bench_tick(test, b);
		for (k = 0; k < 4; k++)
			if (b->q[1 + k].out.verdict == GPREEMPT_PREEMPT)
				victims |= BIT(k);
		KUNIT_EXPECT_EQ_MSG(test, victims, c[i].victims, "%s", c[i].name);
	}
}

/* A plan says if it might be another one were waves counted that are not known, and only then. */
static void gpreempt_policy_cheapest_guesses(struct kunit *test)
{
	struct gpreempt_queue_view *low, *other, *high;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct bench *b = bench_new(test, "strict");

		KUNIT_ASSERT_NOT_NULL(test, b);
		low = bench_queue(b, 3);
		other = bench_queue(b, 3);
		high = bench_queue(b, 15);
		bench_scan(test, b);
		runs(low);
		bench_ticks(test, b, 5);
		submits(other);
		finishes(other);
		if (i)
			other->seen.waves = GPREEMPT_WAVES_UNKNOWN;
		wants_waves(high, 8);
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, b->asked);
		KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 2);
		KUNIT_EXPECT_EQ(test, b->plan.guesses, i);
	}
}

/* Too few after all: at the next scan it gets what there is. */
static void gpreempt_policy_cheapest_again(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[3], *high;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < 3; i++)
		low[i] = bench_queue(b, 0);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	for (i = 0; i < 3; i++)
		runs(low[i]);
	bench_ticks(test, b, 5);
	wants_waves(high, 8);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low[0], GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low[1], GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_VERDICT(test, b, low[2], GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	/* it runs and ends; the next one is judged anew */
	finishes(high);
	bench_ticks(test, b, 6);
	KUNIT_EXPECT_TRUE(test, low[0]->seen.mapped && low[1]->seen.mapped && low[2]->seen.mapped);
	for (i = 0; i < 2; i++) {
		wants_waves(high, 8);
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
		finishes(high);
		bench_ticks(test, b, 6);
	}
	/* what two packets want is not known */
	wants_waves(high, 8);
	wants_waves(high, 8);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 3);

	/* announced work that did not come says nothing about what comes */
	finishes(high);
	bench_ticks(test, b, 6);
	high->terms.hint_ns = b->view.now_ns + INTERVAL_NS;
	high->terms.hint_end_ns = high->terms.hint_ns + 100 * INTERVAL_NS;
	bench_ticks(test, b, 2);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, low[i]->seen.preempted);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_TRUE(test, low[0]->seen.mapped && low[1]->seen.mapped && low[2]->seen.mapped);
	wants_waves(high, 8);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
}

/* None may leave yet, so none was taken off for it: later as many leave as it needs. */
static void gpreempt_policy_cheapest_later(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[3], *high;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.min_residency_us = 10 * 1000;
	for (i = 0; i < 3; i++)
		low[i] = bench_queue(b, 0);
	high = bench_queue(b, 15);
	bench_scan(test, b);
	for (i = 0; i < 3; i++)
		runs(low[i]);
	bench_ticks(test, b, 5);
	wants_waves(high, 8);
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, high->out.wants);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
}

/* Behind the last queue there is none, whatever the memory there looks like. */
static void gpreempt_policy_beyond(struct kunit *test)
{
	static const u8 levels[] = { 3, 9 };
	struct gpreempt_queue_view *low, *high, *other, *beyond, before;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		struct bench *b = bench_low_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		low->terms.priority = 3;
		low->seen.waves = 9;
		low->seen.save_cost_ns = 300;
		other = bench_queue(b, 3);
		runs(other);
		other->seen.waves = 9;
		other->seen.save_cost_ns = 400;
		bench_tick(test, b);
		for (n = 0; n < 3; n++) {
			wants_waves(high, 8);
			bench_tick(test, b);
			finishes(high);
			bench_ticks(test, b, 20);
		}
		beyond = &b->q[b->view.nr];
		*beyond = *low;
		beyond->memory = &b->memory[b->view.nr];
		beyond->seen.waves = 1000;
		beyond->state.save_cost_ns = 0;
		beyond->state.unsure = false;
		beyond->out.level = levels[i];
		beyond->out.verdict = i ? GPREEMPT_RESUME : GPREEMPT_KEEP;
		memcpy(&before, beyond, sizeof(before));
		wants_waves(high, 8);
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
		KUNIT_EXPECT_EQ(test, b->plan.within_us, INTERVAL_NS / NSEC_PER_USEC / 8);
		KUNIT_EXPECT_MEMEQ(test, beyond, &before, sizeof(before));
	}
}

/* Nor is it waited for what is there until it may leave. */
static void gpreempt_policy_beyond_residency(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *beyond;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.min_residency_us = 50 * 1000;
	beyond = &b->q[b->view.nr];
	*beyond = *low;
	beyond->state.leave_ns = U64_MAX;
	submits(high);
	bench_tick(test, b);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, low->state.leave_ns);
}

/* Rule 10: who is about to end anyway, for all its past tells, is left alone. */
static void gpreempt_policy_ends_soon(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->seen.save_cost_ns = 3 * INTERVAL_NS;
	finishes(low);
	bench_ticks(test, b, 20);
	low->memory->burst.length.internal = 0;
	for (i = 0; i < 20; i++) {
		runs(low);
		bench_ticks(test, b, 10);
		finishes(low);
		bench_ticks(test, b, 10);
	}
	KUNIT_EXPECT_EQ(test, low->memory->burst.length.internal, 10 * INTERVAL_NS);

	/* with 7 of 10 to go, it costs less to save it */
	runs(low);
	bench_ticks(test, b, 4);
	submits(high);
	b->view.now_ns--;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	bench_tick(test, b);
	finishes(high);
	finishes(low);
	bench_ticks(test, b, 40);
	KUNIT_EXPECT_EQ(test, low->memory->burst.length.internal, 10 * INTERVAL_NS);

	/* with 2, not; but not for longer than that, and not if there is more */
	for (i = 0; i < 2; i++) {
		runs(low);
		bench_ticks(test, b, 9);
		submits(high);
		if (i)
			submits(low);
		bench_tick(test, b);
		if (!i) {
			EXPECT_KEEP(test, b, low);
			bench_tick(test, b);
		}
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		bench_tick(test, b);
		finishes(high);
		finishes(low);
		bench_ticks(test, b, 40);
	}
}

/* Without looking at work: could there be anything to decide? */
static void gpreempt_policy_may_contend(struct kunit *test)
{
	static const struct {
		const char *name, *policy;
		struct { u8 priority; u32 own_us; bool off, preempted, held, pinned, same; } q[2];
		bool contends;
	} c[] = {
		{ "one level", "strict", { { 7 }, { 7 } }, false },
		{ "two levels", "strict", { { 7 }, { 8 } }, true },
		{ "out of range is the highest", "strict", { { 15 }, { 200 } }, false },
		{ "two levels, to count", "none", { { 7 }, { 8 } }, true },
		{ "one level, no turns", "strict", { { 3 }, { 3 } }, false },
		{ "one level, turns", "timeslice", { { 3 }, { 3 } }, true },
		{ "one process", "timeslice", { { 3 }, { 3, .same = true } }, false },
		{ "another level", "timeslice", { { 7 }, { 7 } }, false },
		{ "own turns", "timeslice", { { 7, 100 }, { 7, 100 } }, true },
		{ "one own turn", "timeslice", { { 7, 100 }, { 7 } }, false },
		{ "pinned", "timeslice", { { 3 }, { 3, .pinned = true } }, false },
		{ "evicted", "strict", { { 7 }, { 8, .off = true } }, false },
		{ "to resume", "none", { { 7 }, { 7, .preempted = true } }, true },
		{ "to hold", "none", { { 7 }, { 7, .held = true } }, true },
		{ "held", "strict", { { 7 }, { 8, .preempted = true, .held = true } }, false },
		{ "held, pinned", "strict",
		  { { 7 }, { 7, .preempted = true, .held = true, .pinned = true } }, true },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_new(test, c[i].policy);

		KUNIT_ASSERT_NOT_NULL(test, b);
		b->tun.timeslice_us[3] = 1000;
		for (k = 0; k < 2; k++) {
			struct gpreempt_queue_view *q = bench_queue(b, c[i].q[k].priority);

			q->terms.timeslice_us = c[i].q[k].own_us;
			if (c[i].q[k].same)
				q->group = b->q[0].group;
			q->seen.mapped = !c[i].q[k].off && !c[i].q[k].preempted;
			q->seen.preempted = c[i].q[k].preempted;
			q->terms.held = c[i].q[k].held;
			q->terms.pinned = c[i].q[k].pinned;
		}
		KUNIT_EXPECT_EQ_MSG(test, gpreempt_may_contend(b->policy, &b->view, &b->tun),
				    c[i].contends, "%s", c[i].name);
	}
}

/* A clock that jumps back, or far ahead, does no lasting harm. */
static void gpreempt_policy_clock_jumps(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->view.now_ns = 0;
	bench_scan(test, b);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);
	/* rule 3 from there */
	b->view.now_ns = 1000 * NSEC_PER_MSEC;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, 0);
	b->view.now_ns++;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->out.level, GPREEMPT_BOOST);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, low->seen.preempted);

	/* an hour passes in one interval: one turn for low, then as before */
	b->view.now_ns += 3600ULL * 1000 * NSEC_PER_MSEC;
	bench_scan(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	bench_ticks(test, b, 5);
	for (i = 0; i < 900; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, low->seen.preempted);
	}
	/* a queue that has just got the machine is not blocked by a jump back */
	finishes(high);
	bench_ticks(test, b, 5);
	submits(high);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	b->view.now_ns -= 10 * INTERVAL_NS;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_RUNNABLE);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
	/* nor does another one end that it is */
	b->view.now_ns -= 5 * INTERVAL_NS;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, high->out.activity, GPREEMPT_BLOCKED);
}

static void gpreempt_policy_random(struct kunit *test)
{
	unsigned int preempted = 0, resumed = 0, aged = 0, blocked = 0, turns = 0;
	unsigned int late = 0, scans = 0, counted = 0;
	const struct sim_case *c = test->param_value;
	unsigned int seed, n, i;

	for (seed = 1; seed <= 12; seed++) {
		struct sim *s = sim_new(test, seed);
		bool left = true;

		KUNIT_ASSERT_NOT_NULL(test, s);
		sim_work(test, s, seed);
		/* quiet: everything ends, nobody is forgotten, the monitor parks */
		for (n = 0; n < 40000 && left; n++) {
			sim_step(s);
			if (n % SIM_STEPS == 0)
				sim_scan(test, s);
			left = !s->plan.idle;
			for (i = 0; i < s->nr; i++)
				if (s->queue[i].next < s->queue[i].wptr || s->queue[i].groups)
					left = true;
		}
		KUNIT_EXPECT_FALSE(test, left);
		for (i = 0; i < s->nr; i++)
			KUNIT_EXPECT_FALSE(test, s->queue[i].preempted);
		KUNIT_EXPECT_EQ(test, s->preempted, s->resumed);
		preempted += s->preempted;
		resumed += s->resumed;
		aged += s->aged;
		blocked += s->blocked;
		turns += s->turns;
		late += s->late;
		scans += s->scans;
		counted += s->counted;
	}
	kunit_info(test, "%u preempted (%u starved, %u turns), %u resumed (%u blocked), %u late, waves counted in %u of %u scans\n",
		   preempted, aged, turns, resumed, blocked, late, counted, scans);
	/* a run that never gets there proves nothing */
	KUNIT_EXPECT_LE(test, 100, preempted);
	KUNIT_EXPECT_LE(test, c->changes ? 1 : 10, aged);
	KUNIT_EXPECT_LE(test, 10, blocked);
	KUNIT_EXPECT_LE(test, 1, late);
	KUNIT_EXPECT_EQ(test, turns >= 10, strcmp(c->policy, "strict") != 0 || c->changes);
}

static bool sim_all_done(const struct sim *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->queue[i].next < s->queue[i].wptr || s->queue[i].groups)
			return false;
	return true;
}

/* A policy of numbers that mean nothing. */
static struct rnd_state odd_state;

static u64 odd_number(void)
{
	u64 n = (u64)prandom_u32_state(&odd_state) << 32 | prandom_u32_state(&odd_state);

	switch (n % 7) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return U64_MAX;
	case 3:
		return n;
	default:
		return n >> 33;		/* seconds, at most */
	}
}

static u64 odd_slice_ns(const struct gpreempt_terms *terms, u32 level_us)
{
	return odd_number();
}

static u64 odd_key(const struct gpreempt_party *p)
{
	return odd_number();
}

static u64 odd_not_before_ns(const struct gpreempt_party *p)
{
	return odd_number() % 2 ? odd_number() : p->now_ns + odd_number();
}

static void odd_charge(const struct gpreempt_party *p, u64 ns, u64 group_ns)
{
	*p->clock = odd_number();
	p->own[odd_number() % GPREEMPT_OWN_WORDS] = ns;
	p->turn_own[odd_number() % GPREEMPT_OWN_WORDS] = group_ns;
}

static void odd_wake(const struct gpreempt_party *p)
{
	*p->clock = odd_number();
}

static const struct gpreempt_policy odd = {
	.name = "odd",
	.slice_ns = odd_slice_ns,
	.key = odd_key,
	.not_before_ns = odd_not_before_ns,
	.charge = odd_charge,
	.wake = odd_wake,
};

/* As many runs of 750 scans, and then some until all has ended; a million scans are 1,300. */
#ifndef ODD_SEEDS
#define ODD_SEEDS	12
#endif

/*
 * It is unfair, but lets nobody starve, and takes nothing off that has only just come, or for
 * nothing, as sim_scan() checks; and all work ends.
 */
static void gpreempt_policy_odd(struct kunit *test)
{
	unsigned int seed, n, preempted = 0, scans = 0;

	prandom_seed_state(&odd_state, 1);
	for (seed = 1; seed <= ODD_SEEDS; seed++) {
		struct sim *s = sim_new(test, seed);

		KUNIT_ASSERT_NOT_NULL(test, s);
		s->policy = &odd;
		s->changes = false;
		sim_work(test, s, seed);
		for (n = 0; n < 80000 && !(sim_all_done(s) && s->plan.idle); n++) {
			sim_step(s);
			if (n % SIM_STEPS == 0)
				sim_scan(test, s);
		}
		KUNIT_EXPECT_LT(test, n, 80000);
		preempted += s->preempted;
		scans += s->scans;
	}
	kunit_info(test, "%u preempted in %u scans\n", preempted, scans);
	KUNIT_EXPECT_LE(test, 100, preempted);
}

#define EVERY_SEEDS	6

/*
 * Whatever the list has, but for what only watches and so promises nothing: the invariants
 * hold, nobody starves, and all work ends.
 */
static void gpreempt_policy_every(struct kunit *test)
{
	const struct gpreempt_policy *policy;
	struct sim_case c = {};
	unsigned int i, n, seed;

	test->param_value = &c;
	for (i = 0; (policy = gpreempt_policy_get(i)); i++) {
		if (policy->passive)
			continue;
		c.policy = policy->name;
		for (seed = 1; seed <= EVERY_SEEDS; seed++) {
			struct sim *s = sim_new(test, seed);

			KUNIT_ASSERT_NOT_NULL(test, s);
			sim_work(test, s, seed);
			for (n = 0; n < 80000 && !(sim_all_done(s) && s->plan.idle); n++) {
				sim_step(s);
				if (n % SIM_STEPS == 0)
					sim_scan(test, s);
			}
			KUNIT_EXPECT_LE_MSG(test, n, 79999, "%s", policy->name);
		}
		kunit_info(test, "policy %s: %u machines\n", policy->name, EVERY_SEEDS);
	}
	test->param_value = NULL;
}

/*
 * If waves are not counted, nothing depends on them: whichever queues have some, the plan is
 * the same, and so is what wakes the monitor.
 */
static void sim_suppose_all(struct kunit *test, struct sim *s)
{
	struct gpreempt_memory memory[SIM_QUEUES];
	struct gpreempt_queue_view q[SIM_QUEUES];
	struct gpreempt_view view = s->view;
	struct gpreempt_plan plan;
	struct gpreempt_wake wake;
	unsigned int some, i;

	view.q = q;
	view.contested = false;
	for (some = 0; some < BIT(s->nr); some++) {
		view.seen_ns = s->view_before.seen_ns;
		view.policy = s->view_before.policy;
		memcpy(view.clock, s->view_before.clock, sizeof(view.clock));
		for (i = 0; i < s->nr; i++) {
			q[i] = s->q[i];
			memory[i] = s->before[i];
			q[i].memory = &memory[i];
			s->as_if[i] = s->groups_before[i];
			q[i].group = &s->as_if[s->q[i].group - s->group];
			if (q[i].unsure)
				q[i].seen.waves = some & BIT(i) ? 1 : 0;
			else if (some & BIT(i))
				break;		/* the same as without it */
		}
		if (i < s->nr)
			continue;
		gpreempt_decide(s->policy, &view, &s->tun, &plan);
		gpreempt_wake(&view, &plan, &wake);
		if (!plan.nr_preempt)
			KUNIT_EXPECT_EQ(test, wake.rest, s->wake.rest);
		for (i = 0; i < s->nr; i++) {
			KUNIT_EXPECT_EQ_MSG(test, q[i].out.verdict, s->q[i].out.verdict,
					    "queue %u, step %llu, waves of %x", i, s->step, some);
			if (!plan.nr_preempt)
				KUNIT_EXPECT_EQ(test, q[i].out.awaited, s->q[i].out.awaited);
		}
	}
}

static void sim_check_waves(struct sim *s)
{
	unsigned int i, unsure = 0;

	for (i = 0; i < s->nr; i++) {
		/* a word was taken instead */
		if (s->q[i].ended)
			return;
		unsure += s->q[i].unsure;
	}
	if (unsure)
		sim_suppose_all(s->test, s);
}

static void gpreempt_policy_not_counted(struct kunit *test)
{
	unsigned int seed;

	for (seed = 1; seed <= 12; seed++) {
		struct sim *s = sim_new(test, seed);

		KUNIT_ASSERT_NOT_NULL(test, s);
		s->test = test;
		s->hints = seed % 2;
		s->watch = sim_check_waves;
		sim_work(test, s, seed);
	}
}

/* Does select decide something if idle queues, all or those not awaited, get work? */
static bool sim_decides(struct sim *s, bool all)
{
	struct gpreempt_memory memory[SIM_QUEUES];
	struct gpreempt_queue_view q[SIM_QUEUES];
	struct gpreempt_view view = s->view;
	struct gpreempt_plan plan;
	unsigned int i;

	view.q = q;
	view.waves_final = false;
	/* what they have is known */
	view.blind = true;
	view.now_ns += INTERVAL_NS;
	for (i = 0; i < s->nr; i++) {
		q[i] = s->q[i];
		memory[i] = s->queue[i].memory;
		q[i].memory = &memory[i];
		s->as_if[i] = s->group[i];
		q[i].group = &s->as_if[s->q[i].group - s->group];
		q[i].seen.waves = s->queue[i].live;
		if (q[i].seen.mapped && q[i].out.activity == GPREEMPT_IDLE &&
		    (all || !q[i].out.awaited))
			submits(&q[i]);
	}
	gpreempt_decide(s->policy, &view, &s->tun, &plan);
	KUNIT_EXPECT_FALSE(s->test, plan.need_waves);
	return plan.nr_preempt || plan.nr_resume;
}

static void sim_check_rest(struct sim *s)
{
	bool contend = gpreempt_may_contend(s->policy, &s->view, &s->tun);

	KUNIT_EXPECT_TRUE(s->test, contend || !(s->plan.nr_preempt || s->plan.nr_resume));
	if (s->wake.rest == GPREEMPT_CALM && contend) {
		s->calm++;
		KUNIT_EXPECT_FALSE_MSG(s->test, sim_decides(s, false), "step %llu", s->step);
	}
	if (!contend) {
		s->uncontended++;
		KUNIT_EXPECT_FALSE_MSG(s->test, sim_decides(s, true), "step %llu", s->step);
	}
}

/*
 * While the monitor is calm, no work that would not wake it would have something decided; and
 * where nothing is said to be able to contend, none at all would, nor does any plan.
 */
static void gpreempt_policy_rests(struct kunit *test)
{
	unsigned int seed, calm = 0, uncontended = 0;
	bool capped = false;

	for (seed = 1; seed <= 50; seed++) {
		struct sim *s = sim_new(test, seed);

		KUNIT_ASSERT_NOT_NULL(test, s);
		s->test = test;
		s->watch = sim_check_rest;
		sim_work(test, s, seed);
		calm += s->calm;
		uncontended += s->uncontended;
		capped |= s->group[0].share.cap_percent;
	}
	kunit_info(test, "%u scans calm, %u uncontended\n", calm, uncontended);
	/* time alone ends the turn of what has a cap, and what it may have of the next */
	KUNIT_EXPECT_LE(test, capped ? 0 : 50, calm);
	KUNIT_EXPECT_LE(test, uncontended ? 100 : 0, uncontended);
}

/* Kernels without an end that each fill the machine, the first of them already on it. */
static void sim_hog(struct sim *s, const u8 *priority, unsigned int nr)
{
	unsigned int i;

	s->nr = nr;
	s->view.nr = nr;
	s->policy = gpreempt_policy_find("strict");
	/* what an equal waits for is what is asked for here */
	s->changes = true;
	for (i = 0; i < nr; i++) {
		struct sim_packet *p = sim_packet(&s->queue[i], 0);

		s->queue[i].priority = priority[i];
		s->queue[i].cost_ns = SIM_COST * INTERVAL_NS;
		p->groups = SIM_SLOTS;
		p->steps = 0xffff;
		p->signal = true;
		p->valid_at = s->step + (i ? 2 * SIM_STEPS : 0);
		s->queue[i].wptr = 1;
		s->queue[i].touched = s->step;
	}
}

/* When each executed first, in steps; and for how long it did not after that, at most. */
static void sim_wait(struct kunit *test, struct sim *s, unsigned int steps, u64 *first, u64 *gap)
{
	const struct gpreempt_policy *policy = s->policy;
	u64 seen[SIM_QUEUES] = {}, begun = s->step;
	unsigned int n, i;

	memset(first, 0, s->nr * sizeof(*first));
	memset(gap, 0, s->nr * sizeof(*gap));
	for (n = 0; n < steps; n++) {
		sim_step(s);
		for (i = 0; i < s->nr; i++) {
			if (!s->queue[i].live)
				continue;
			if (!seen[i])
				first[i] = s->step - begun;
			else
				gap[i] = max(gap[i], s->step - seen[i]);
			seen[i] = s->step;
		}
		if (n % SIM_STEPS == 0)
			sim_scan(test, s);
		s->policy = policy;
	}
}

/* What one that starves has the machine for: its residency, and what it takes to come and go. */
#define SIM_TURN	(3 * SIM_INTERVAL)

/*
 * Rule 3, of several that starve at once: they have their turns one after the other, so the
 * n-th executes n turns after starvation_ms, whatever their levels are.
 */
static void gpreempt_policy_starved_nth(struct kunit *test)
{
	static const u8 levels[][SIM_QUEUES] = {
		{ 15, 0, 2, 4, 6, 8 }, { 15, 8, 6, 4, 2, 0 }, { 15, 3, 3, 3, 3, 3 },
		{ 15, 15, 3, 3, 9, 9 },
	};
	u64 first[SIM_QUEUES], gap[SIM_QUEUES];
	unsigned int c, i, late, bound;

	for (c = 0; c < ARRAY_SIZE(levels); c++) {
		struct sim *s = sim_new(test, c + 1);

		KUNIT_ASSERT_NOT_NULL(test, s);
		sim_hog(s, levels[c], SIM_QUEUES);
		sim_wait(test, s, 8000, first, gap);
		bound = SIM_STARVATION * SIM_STEPS + SIM_QUEUES * SIM_TURN;
		for (i = 1, late = 0; i < SIM_QUEUES; i++) {
			KUNIT_EXPECT_TRUE_MSG(test, first[i] && max(first[i], gap[i]) <= bound,
					      "case %u, queue %u: %llu, %llu", c, i, first[i],
					      gap[i]);
			late += first[i] > SIM_STARVATION * SIM_STEPS + 2 * SIM_TURN;
		}
		/* the last ones do wait for the others' turns */
		KUNIT_EXPECT_LE(test, 1, late);
	}
}

/*
 * Among equals strict bounds nothing, as long as no other level has work: the hardware shares
 * the machine. If one has, rule 3 is for equals, too.
 */
static void gpreempt_policy_starved_equal(struct kunit *test)
{
	static const u8 equals[] = { 7, 7 }, beside[] = { 7, 7, 3 };
	u64 first[SIM_QUEUES], gap[SIM_QUEUES];
	struct sim *s = sim_new(test, 1);

	KUNIT_ASSERT_NOT_NULL(test, s);
	sim_hog(s, equals, ARRAY_SIZE(equals));
	sim_wait(test, s, 4000, first, gap);
	KUNIT_EXPECT_EQ(test, first[1], 0);
	KUNIT_EXPECT_EQ(test, s->preempted, 0);

	s = sim_new(test, 1);
	KUNIT_ASSERT_NOT_NULL(test, s);
	sim_hog(s, beside, ARRAY_SIZE(beside));
	sim_wait(test, s, 4000, first, gap);
	KUNIT_EXPECT_LE(test, 1, first[1]);
	KUNIT_EXPECT_LE(test, first[1], SIM_STARVATION * SIM_STEPS + 3 * SIM_TURN);
	KUNIT_EXPECT_LE(test, gap[1], SIM_STARVATION * SIM_STEPS + 3 * SIM_TURN);
}

/*
 * All wait for all: in barriers, and in the waves of kernels that each need the
 * whole machine. The former need no help. The latter would wait for ever for
 * those that the highest keeps off: each has its turn by rule 3.
 */
static void sim_all_wait(struct sim *s, bool spin)
{
	unsigned int i, k;

	for (i = 0; i < s->nr; i++) {
		struct sim_queue *sq = &s->queue[i];
		struct sim_packet *p = sim_packet(sq, 0);

		sq->priority = 2 * i;
		p->groups = SIM_SLOTS;
		p->steps = 20;
		p->meets = spin;
		sq->wptr = 1;
		if (spin) {
			s->all += SIM_SLOTS;
			/*
			 * The highest comes first and fills the machine. If parts
			 * of all of them filled it, and the read index went at
			 * fetch, nothing would show that somebody wants more.
			 */
			if (i < s->nr - 1)
				p->valid_at = s->step + 4 * SIM_STEPS;
			continue;
		}
		for (k = 0; k < s->nr; k++) {
			p = sim_packet(sq, sq->wptr++);
			p->barrier = true;
			p->dep_queue = k;
		}
		p = sim_packet(sq, sq->wptr++);
		p->groups = SIM_SLOTS;
		p->steps = 20;
	}
}

static void gpreempt_policy_all_wait(struct kunit *test)
{
	/* one starvation time and, for each queue, its turn, or two kernels */
	unsigned int turn = 8 * SIM_STEPS, kernels = 2 * 20 + 4 * SIM_STEPS;
	unsigned int seed, spin, n;

	for (seed = 1; seed <= 20; seed++) {
		for (spin = 0; spin < 2; spin++) {
			struct sim *s = sim_new(test, seed);

			KUNIT_ASSERT_NOT_NULL(test, s);
			s->nr = SIM_QUEUES;
			s->view.nr = SIM_QUEUES;
			s->policy = gpreempt_policy_find("strict");
			s->changes = false;
			sim_all_wait(s, spin);
			if (!spin)
				s->tun.starvation_ms = 60000;
			n = 0;
			while (!sim_all_done(s) && n < 20000) {
				sim_step(s);
				if (n++ % SIM_STEPS == 0)
					sim_scan(test, s);
			}
			KUNIT_EXPECT_LE(test, n, s->nr * kernels +
					(spin ? SIM_STARVATION * SIM_STEPS + s->nr * turn : 0));
			KUNIT_EXPECT_EQ(test, s->met, s->all);
		}
	}
}

/* What a decision is measured on. */
struct load_case {
	const char *name;
	const char *policy;
	bool preempted;			/* a third of the queues is */
	bool uncounted;			/* and the waves of the others are not known */
};

static const struct load_case load_cases[] = {
	{ "none", "none", true },
	{ "strict, work everywhere", "strict", true },
	{ "strict, victims by cost", "strict", false },
	{ "timeslice, work everywhere", "timeslice", true },
	{ "timeslice, victims by cost", "timeslice", false },
	{ "strict, waves not counted", "strict", true, true },
	{ "timeslice, waves not counted", "timeslice", true, true },
};

static void load_case_name(const struct load_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(load, load_cases, load_case_name);

static void load_queue(const struct load_case *c, struct gpreempt_queue_view *q, unsigned int i)
{
	q->terms.priority = i % GPREEMPT_LEVELS;
	q->seen.mapped = i % 3 || !c->preempted;
	q->seen.preempted = !q->seen.mapped;
	q->seen.readable = true;
	q->seen.size = 64;
	q->seen.waves = c->uncounted ? GPREEMPT_WAVES_UNKNOWN : (int)(i % 7);
	if (c->preempted) {
		q->seen.wptr = i % 5;
	} else if (q->terms.priority == GPREEMPT_LEVELS - 1) {
		q->seen.head = GPREEMPT_HEAD_READY;
		q->seen.wptr = 1;
		q->seen.waves = 0;
		q->seen.demand = 1;
	}
}

/* Best of a few: what the decision itself takes, whoever else is on the CPU. */
static u64 decision_ns(const struct load_case *c, struct gpreempt_view *view,
		       struct gpreempt_plan *plan)
{
	const struct gpreempt_policy *policy = gpreempt_policy_find(c->policy);
	struct gpreempt_tunables tun = defaults;
	u64 best = U64_MAX, begin;
	unsigned int i, n;

	for (i = 0; i < GPREEMPT_LEVELS; i++)
		tun.timeslice_us[i] = 10000;
	for (i = 0; i < 50; i++) {
		view->now_ns += INTERVAL_NS;
		view->waves_final = !c->uncounted;
		for (n = 0; n < view->nr; n++)
			view->q[n].memory->served = false;
		begin = ktime_get_ns();
		gpreempt_decide(policy, view, &tun, plan);
		best = min_t(u64, best, ktime_get_ns() - begin);
	}
	return best;
}

/* Sixteen times the queues may take sixteen times as long; squared would be 256. */
static void gpreempt_policy_linear(struct kunit *test)
{
	const unsigned int few = 64, many = 1024;
	const struct load_case *c = test->param_value;
	struct gpreempt_view view = { .now_ns = INTERVAL_NS, .save_wave_ns = 1000 };
	struct gpreempt_plan plan = {};
	struct gpreempt_memory *memory;
	struct gpreempt_group *group;
	u64 few_ns, many_ns;
	unsigned int i;

	view.q = kunit_kcalloc(test, many, sizeof(*view.q), GFP_KERNEL);
	memory = kunit_kcalloc(test, many, sizeof(*memory), GFP_KERNEL);
	group = kunit_kcalloc(test, many, sizeof(*group), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, view.q);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_NOT_NULL(test, group);
	for (i = 0; i < many; i++) {
		view.q[i].memory = &memory[i];
		view.q[i].group = &group[i];
		load_queue(c, &view.q[i], i);
	}
	view.nr = few;
	few_ns = decision_ns(c, &view, &plan);
	view.nr = many;
	many_ns = decision_ns(c, &view, &plan);
	kunit_info(test, "report: %s: %u queues %llu ns, %u queues %llu ns (aim: 20000, 200000)\n",
		   c->name, few, few_ns, many, many_ns);
	/* it did what it is measured for */
	if (!c->preempted)
		KUNIT_EXPECT_GT(test, plan.nr_preempt, 0);
	KUNIT_EXPECT_LT(test, many_ns, 4 * (many / few) * max_t(u64, few_ns, 500));
}

static struct kunit_case gpreempt_policy_cases[] = {
	KUNIT_CASE(gpreempt_policy_registry),
	KUNIT_CASE_PARAM(gpreempt_policy_backlog, backlog_gen_params),
	KUNIT_CASE(gpreempt_policy_running),
	KUNIT_CASE(gpreempt_policy_first_sight),
	KUNIT_CASE(gpreempt_policy_first_sight_later),
	KUNIT_CASE(gpreempt_policy_first_sight_launching),
	KUNIT_CASE(gpreempt_policy_first_sight_behind),
	KUNIT_CASE(gpreempt_policy_first_sight_between),
	KUNIT_CASE_PARAM(gpreempt_policy_waiter, fetch_model_gen_params),
	KUNIT_CASE_PARAM(gpreempt_policy_waiter_no_signal, fetch_model_gen_params),
	KUNIT_CASE(gpreempt_policy_done_is_not_launching),
	KUNIT_CASE(gpreempt_policy_pooled_signal),
	KUNIT_CASE(gpreempt_policy_launched),
	KUNIT_CASE(gpreempt_policy_launching_next),
	KUNIT_CASE(gpreempt_policy_launched_unseen),
	KUNIT_CASE(gpreempt_policy_nonsense_write),
	KUNIT_CASE(gpreempt_policy_launching_expires),
	KUNIT_CASE(gpreempt_policy_unreadable),
	KUNIT_CASE(gpreempt_policy_unreadable_indices),
	KUNIT_CASE(gpreempt_policy_unreadable_uncountable),
	KUNIT_CASE(gpreempt_policy_hides),
	KUNIT_CASE(gpreempt_policy_hides_behind_barrier),
	KUNIT_CASE(gpreempt_policy_hides_in_crowd),
	KUNIT_CASE(gpreempt_policy_hides_in_slot),
	KUNIT_CASE(gpreempt_policy_hides_unprovably),
	KUNIT_CASE(gpreempt_policy_hides_nothing),
	KUNIT_CASE(gpreempt_policy_hides_nothing_from_hint),
	KUNIT_CASE(gpreempt_policy_hides_nothing_that_moves),
	KUNIT_CASE(gpreempt_policy_hides_clock),
	KUNIT_CASE(gpreempt_policy_blocked_uncountable),
	KUNIT_CASE_PARAM(gpreempt_policy_victim, victim_gen_params),
	KUNIT_CASE(gpreempt_policy_running_waiter),
	KUNIT_CASE(gpreempt_policy_residency),
	KUNIT_CASE(gpreempt_policy_residencies),
	KUNIT_CASE(gpreempt_policy_residency_off),
	KUNIT_CASE(gpreempt_policy_resume),
	KUNIT_CASE(gpreempt_policy_resume_again),
	KUNIT_CASE(gpreempt_policy_short_kernels),
	KUNIT_CASE(gpreempt_policy_restored),
	KUNIT_CASE(gpreempt_policy_restored_nothing),
	KUNIT_CASE(gpreempt_policy_equals),
	KUNIT_CASE(gpreempt_policy_preempted_wants),
	KUNIT_CASE(gpreempt_policy_held),
	KUNIT_CASE(gpreempt_policy_held_idle),
	KUNIT_CASE(gpreempt_policy_blocked_head),
	KUNIT_CASE(gpreempt_policy_blocked_behind),
	KUNIT_CASE(gpreempt_policy_blocked_saved),
	KUNIT_CASE(gpreempt_policy_blocked_saved_nothing),
	KUNIT_CASE(gpreempt_policy_blocked_chain),
	KUNIT_CASE(gpreempt_policy_blocked_given),
	KUNIT_CASE(gpreempt_policy_blocked_wrongly),
	KUNIT_CASE(gpreempt_policy_unblocked),
	KUNIT_CASE(gpreempt_policy_unblocked_saved),
	KUNIT_CASE(gpreempt_policy_not_given),
	KUNIT_CASE(gpreempt_policy_not_given_pinned),
	KUNIT_CASE(gpreempt_policy_given_pinned),
	KUNIT_CASE(gpreempt_policy_starved),
	KUNIT_CASE(gpreempt_policy_starved_skipped),
	KUNIT_CASE(gpreempt_policy_starved_executes),
	KUNIT_CASE(gpreempt_policy_starved_progress),
	KUNIT_CASE(gpreempt_policy_starved_mapped),
	KUNIT_CASE(gpreempt_policy_starved_not),
	KUNIT_CASE(gpreempt_policy_starved_unused),
	KUNIT_CASE(gpreempt_policy_starved_two),
	KUNIT_CASE(gpreempt_policy_starved_longest),
	KUNIT_CASE_PARAM(gpreempt_policy_starved_nth, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_policy_starved_equal, sim_gen_params),
	KUNIT_CASE(gpreempt_policy_starved_late),
	KUNIT_CASE(gpreempt_policy_starved_hint),
	KUNIT_CASE(gpreempt_policy_spinning_high),
	KUNIT_CASE(gpreempt_policy_need_waves),
	KUNIT_CASE(gpreempt_policy_evident),
	KUNIT_CASE(gpreempt_policy_evident_several),
	KUNIT_CASE(gpreempt_policy_evident_waits),
	KUNIT_CASE(gpreempt_policy_evident_put_back),
	KUNIT_CASE(gpreempt_policy_late),
	KUNIT_CASE(gpreempt_policy_late_waits),
	KUNIT_CASE(gpreempt_policy_late_begins),
	KUNIT_CASE(gpreempt_policy_end_begins),
	KUNIT_CASE(gpreempt_policy_lacks),
	KUNIT_CASE(gpreempt_policy_late_end),
	KUNIT_CASE(gpreempt_policy_says_ended),
	KUNIT_CASE(gpreempt_policy_says_ended_truly),
	KUNIT_CASE(gpreempt_policy_says_ended_quiet),
	KUNIT_CASE(gpreempt_policy_says_ended_and_fills),
	KUNIT_CASE(gpreempt_policy_says_ended_unchecked),
	KUNIT_CASE(gpreempt_policy_says_ended_and_runs),
	KUNIT_CASE(gpreempt_policy_end),
	KUNIT_CASE(gpreempt_policy_pauses),
	KUNIT_CASE(gpreempt_policy_pauses_clock),
	KUNIT_CASE(gpreempt_policy_pauses_pending),
	KUNIT_CASE(gpreempt_policy_not_evident),
	KUNIT_CASE(gpreempt_policy_waves_at_once),
	KUNIT_CASE(gpreempt_policy_waves_at_once_only),
	KUNIT_CASE(gpreempt_policy_waves_at_once_some),
	KUNIT_CASE(gpreempt_policy_no_wave_counts),
	KUNIT_CASE(gpreempt_policy_idle),
	KUNIT_CASE(gpreempt_policy_none),
	KUNIT_CASE(gpreempt_policy_turns),
	KUNIT_CASE(gpreempt_policy_turns_newcomer),
	KUNIT_CASE(gpreempt_policy_turns_alone),
	KUNIT_CASE(gpreempt_policy_turns_first),
	KUNIT_CASE(gpreempt_policy_turns_waiting),
	KUNIT_CASE(gpreempt_policy_turns_unused),
	KUNIT_CASE(gpreempt_policy_turns_asked),
	KUNIT_CASE(gpreempt_policy_turns_hint),
	KUNIT_CASE(gpreempt_policy_turns_order),
	KUNIT_CASE(gpreempt_policy_turns_own),
	KUNIT_CASE(gpreempt_policy_turns_none),
	KUNIT_CASE(gpreempt_policy_turns_residency),
	KUNIT_CASE(gpreempt_policy_turns_below),
	KUNIT_CASE(gpreempt_policy_turns_interrupted),
	KUNIT_CASE(gpreempt_policy_turns_groups),
	KUNIT_CASE(gpreempt_policy_turns_group_goes_on),
	KUNIT_CASE(gpreempt_policy_turns_group_ends),
	KUNIT_CASE(gpreempt_policy_turns_group_levels),
	KUNIT_CASE(gpreempt_policy_turns_group_restored),
	KUNIT_CASE(gpreempt_policy_turns_starved),
	KUNIT_CASE(gpreempt_policy_switch),
	KUNIT_CASE(gpreempt_policy_asked),
	KUNIT_CASE(gpreempt_policy_asked_not_counted),
	KUNIT_CASE(gpreempt_policy_preempted_shows),
	KUNIT_CASE(gpreempt_policy_absent_idle),
	KUNIT_CASE(gpreempt_policy_absent_burst),
	KUNIT_CASE(gpreempt_policy_absent_residency),
	KUNIT_CASE(gpreempt_policy_hint),
	KUNIT_CASE(gpreempt_policy_hint_early),
	KUNIT_CASE(gpreempt_policy_hint_first),
	KUNIT_CASE(gpreempt_policy_hint_costliest),
	KUNIT_CASE(gpreempt_policy_hint_not_counted),
	KUNIT_CASE(gpreempt_policy_hint_void),
	KUNIT_CASE(gpreempt_policy_hint_again),
	KUNIT_CASE(gpreempt_policy_hint_void_above),
	KUNIT_CASE(gpreempt_policy_hint_idle),
	KUNIT_CASE(gpreempt_policy_cheapest),
	KUNIT_CASE(gpreempt_policy_cheapest_guesses),
	KUNIT_CASE(gpreempt_policy_cheapest_again),
	KUNIT_CASE(gpreempt_policy_cheapest_later),
	KUNIT_CASE(gpreempt_policy_beyond),
	KUNIT_CASE(gpreempt_policy_beyond_residency),
	KUNIT_CASE(gpreempt_policy_ends_soon),
	KUNIT_CASE(gpreempt_policy_may_contend),
	KUNIT_CASE(gpreempt_policy_clock_jumps),
	KUNIT_CASE_PARAM(gpreempt_policy_random, sim_gen_params),
	KUNIT_CASE(gpreempt_policy_every),
	KUNIT_CASE_PARAM(gpreempt_policy_odd, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_policy_not_counted, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_policy_rests, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_policy_all_wait, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_policy_linear, load_gen_params),
	{}
};

static struct kunit_suite gpreempt_policy_suite = {
	.name = "amdgpu_kfd_gpreempt_policy",
	.test_cases = gpreempt_policy_cases,
};

kunit_test_suite(gpreempt_policy_suite);

MODULE_DESCRIPTION("KUnit tests of the GPREEMPT policies");
MODULE_LICENSE("Dual MIT/GPL");
