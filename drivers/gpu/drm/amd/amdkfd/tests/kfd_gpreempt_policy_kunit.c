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

#define gpreempt_policy_find	gpreempt_kunit_policy_find
#define gpreempt_policy_get	gpreempt_kunit_policy_get
#include "../kfd_gpreempt_policy.c"

#define INTERVAL_NS	(1000 * NSEC_PER_USEC)

static const struct gpreempt_tunables defaults = {
	.poll_interval_us = 1000,
	.starvation_ms = 1000,
	.min_residency_us = 500,
	.blocked_us = 2000,
	.preempt_timeout_ms = 100,
};

/*
 * A bench: a handful of queues that a case describes as the hardware would,
 * and the two-phase protocol between monitor and policy.
 */
#define BENCH_MAX	8

struct bench {
	struct gpreempt_queue_view q[BENCH_MAX];
	struct gpreempt_history hist[BENCH_MAX];
	struct gpreempt_history before[BENCH_MAX];
	enum gpreempt_verdict verdict[BENCH_MAX];
	struct gpreempt_view view;
	struct gpreempt_tunables tun;
	struct gpreempt_plan plan;
	const struct gpreempt_policy *policy;
	bool waves_unreadable;
	bool asked;			/* the last scan needed wave counts */
};

static struct bench *bench_new(struct kunit *test, const char *policy)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	if (!b)
		return NULL;
	b->view.q = b->q;
	b->view.now_ns = 5 * INTERVAL_NS;
	b->plan.verdict = b->verdict;
	b->tun = defaults;
	b->policy = gpreempt_policy_find(policy);
	return b;
}

/* An empty mapped queue that was never used. */
static struct gpreempt_queue_view *bench_queue(struct bench *b, u8 priority)
{
	struct gpreempt_queue_view *q = &b->q[b->view.nr];

	q->hist = &b->hist[b->view.nr++];
	q->priority = priority;
	q->mapped = true;
	q->readable = true;
	q->size = 64;
	return q;
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
		waves[i] = b->q[i].waves;
		b->q[i].waves = GPREEMPT_WAVES_UNKNOWN;
	}
	memcpy(b->before, b->hist, sizeof(b->hist));
	b->view.waves_final = false;
	b->policy->decide(&b->view, &b->tun, &b->plan);
	b->asked = b->plan.need_waves;
	if (b->asked) {
		KUNIT_EXPECT_MEMEQ(test, b->hist, b->before, sizeof(b->hist));
		KUNIT_EXPECT_EQ(test, b->plan.nr_preempt + b->plan.nr_resume, 0);
		for (i = 0; i < b->view.nr; i++)
			if (b->q[i].mapped && !b->waves_unreadable)
				b->q[i].waves = waves[i];
		b->view.waves_final = true;
		b->policy->decide(&b->view, &b->tun, &b->plan);
		KUNIT_EXPECT_FALSE(test, b->plan.need_waves);
	}
	for (i = 0; i < b->view.nr; i++)
		b->q[i].waves = waves[i];
}

/* What the commit room does with a plan. Waves are what the case says. */
static void bench_commit(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->view.nr; i++) {
		struct gpreempt_queue_view *q = &b->q[i];

		if (b->verdict[i] == GPREEMPT_PREEMPT) {
			q->preempted = true;
			q->mapped = false;
		} else if (b->verdict[i] == GPREEMPT_RESUME) {
			q->preempted = false;
			q->mapped = true;
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
	return b->verdict[q - b->q];
}

/* What, and why, in one number: a failure points at the line of the case. */
#define VERDICT(what, why)	((what) << 8 | (why))

static unsigned int bench_plan(const struct bench *b, const struct gpreempt_queue_view *q)
{
	return VERDICT(bench_verdict(b, q), q->reason);
}

#define EXPECT_VERDICT(test, b, q, what, why) \
	KUNIT_EXPECT_EQ(test, bench_plan(b, q), VERDICT(what, why))

#define EXPECT_KEEP(test, b, q) \
	EXPECT_VERDICT(test, b, q, GPREEMPT_KEEP, GPREEMPT_REASON_NONE)

/* A kernel that fills the machine: consumed, and its waves in flight. */
static void runs(struct gpreempt_queue_view *q)
{
	q->rptr++;
	q->wptr = q->rptr;
	q->signal = GPREEMPT_SIGNAL_PENDING;
	q->waves = 32;
}

static void finishes(struct gpreempt_queue_view *q)
{
	q->rptr = q->wptr;
	q->waves = 0;
	q->signal = GPREEMPT_SIGNAL_DONE;
}

/* A packet that the hardware has not consumed. */
static void submits(struct gpreempt_queue_view *q)
{
	q->wptr++;
	q->head = GPREEMPT_HEAD_READY;
	q->signal = GPREEMPT_SIGNAL_PENDING;
}

static void waits_for_signal(struct gpreempt_queue_view *q)
{
	submits(q);
	q->head = GPREEMPT_HEAD_WAITS;
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
	(*high)->rptr = (*high)->wptr;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, (*low)->preempted);
	return b;
}

static void gpreempt_policy_registry(struct kunit *test)
{
	unsigned int n = 0;

	while (gpreempt_policy_get(n))
		n++;
	KUNIT_EXPECT_EQ(test, n, 2);
	KUNIT_EXPECT_NULL(test, gpreempt_policy_get(U32_MAX));
	KUNIT_EXPECT_STREQ(test, gpreempt_policy_get(0)->name, "none");
	KUNIT_EXPECT_STREQ(test, gpreempt_policy_get(1)->name, "strict");
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
	enum gpreempt_queue_state state;
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
	q->rptr = c->rptr;
	q->wptr = c->wptr;
	q->size = c->size;
	q->head = c->head;
	q->readable = !c->unreadable;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, q->backlog, c->backlog);
	KUNIT_EXPECT_EQ(test, q->state, c->state);
	KUNIT_EXPECT_EQ(test, q->wants, c->state == GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_EQ(test, q->effective, 7);
}

/* Equal indices do not mean idle: a long kernel shows an empty ring. */
static void gpreempt_policy_running(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	low->signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_ticks(test, b, 5000);
	KUNIT_EXPECT_EQ(test, low->rptr, low->wptr);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* A newest packet that completed says nothing of older ones. */
	low->signal = GPREEMPT_SIGNAL_DONE;
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* The read index moved, no waves: running for this one scan. */
	low->waves = 0;
	low->wptr++;
	finishes(low);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNING);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_IDLE);
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
	low->signal = GPREEMPT_SIGNAL_UNKNOWN;
	high->signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_scan(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	/* and what high did before that is no evidence of new work */
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_IDLE);
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
	low->signal = GPREEMPT_SIGNAL_UNKNOWN;
	runs(peer);
	bench_scan(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	finishes(peer);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNING);
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
	high->waves = 0;
	bench_ticks(test, b, 2);
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
		q->rptr = q->wptr;
}

static void gpreempt_policy_waiter(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	submits_in_model(test, high);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, high->wants);
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
	high->signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	/* it is still launching, and low stays off, until its waves come */
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	high->rptr = high->wptr;
	high->waves = 4;
	bench_ticks(test, b, 20);
	EXPECT_KEEP(test, b, low);
	high->waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_IDLE);
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
		KUNIT_EXPECT_FALSE(test, high->wants);
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
	high->signal = GPREEMPT_SIGNAL_PENDING;
	for (i = 0; i < 10; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_IDLE);
		EXPECT_KEEP(test, b, low);
	}
	finishes(low);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	runs(low);
	bench_tick(test, b);
	submits(high);
	high->rptr = high->wptr;
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
	high->rptr = high->wptr;
	high->signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, high->wants);
	EXPECT_KEEP(test, b, low);
	high->waves = 4;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, high->wants);
	EXPECT_KEEP(test, b, low);
	high->waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, high->wants);
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
	high->signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	high->rptr++;
	high->waves = 4;
	bench_tick(test, b);
	high->rptr++;
	high->waves = 0;
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
}

/* Nor does it outlive a time in which nobody kept the queue from launching. */
static void gpreempt_policy_launched_unseen(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *high, *peer;

	KUNIT_ASSERT_NOT_NULL(test, b);
	low = bench_queue(b, 0);
	high = bench_queue(b, 15);
	peer = bench_queue(b, 15);
	bench_scan(test, b);
	submits(high);
	high->rptr = high->wptr;
	high->signal = GPREEMPT_SIGNAL_UNKNOWN;
	runs(peer);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_FALSE(test, b->asked);
	finishes(peer);
	runs(low);
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, high->wants);
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
		high->wptr = high->rptr - i;
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_IDLE);
		EXPECT_KEEP(test, b, low);
	}
	/* one that claims a full ring gets its chance, and is found out */
	high->wptr = high->rptr + S64_MAX;
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_TRUE(test, low->mapped);
}

/* Launching is a claim that ends: given the machine, it must show waves. */
static void gpreempt_policy_launching_expires(struct kunit *test)
{
	static const struct {
		enum gpreempt_signal signal;
		enum gpreempt_queue_state state;
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
		high->rptr = high->wptr;
		high->signal = c[i].signal;
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, bench_verdict(b, low), GPREEMPT_PREEMPT);
		for (n = 0; n < 2; n++) {
			bench_tick(test, b);
			KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
			EXPECT_KEEP(test, b, low);
		}
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, high->state, c[i].state);
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, c[i].reason);
		/* nor does it come back with nothing new */
		bench_ticks(test, b, 3000);
		KUNIT_EXPECT_EQ(test, high->state, c[i].state);
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
	high->readable = false;
	high->signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_UNKNOWN);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* a victim only if waves say so */
	high->readable = true;
	low->readable = false;
	low->signal = GPREEMPT_SIGNAL_UNKNOWN;
	low->waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_UNKNOWN);
	EXPECT_KEEP(test, b, low);
	low->waves = 1;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNING);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);

	/* and never forgotten, readable or not */
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 2);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	low->waves = 0;
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
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
	low->priority = c->low;
	high->priority = c->high;
	low->pinned = c->pinned;
	if (c->idle || c->backlog_only || c->waits)
		finishes(low);
	if (c->backlog_only)
		submits(low);
	if (c->waits)
		waits_for_signal(low);
	bench_ticks(test, b, 2);
	if (!c->waiter_idle)
		submits(high);
	high->mapped = !c->waiter_absent;
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
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNING);
	KUNIT_EXPECT_FALSE(test, high->wants);
	EXPECT_KEEP(test, b, low);

	submits(high);
	high->head = GPREEMPT_HEAD_WAITS;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNING);
	EXPECT_KEEP(test, b, low);

	high->head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNING);
	KUNIT_EXPECT_TRUE(test, high->wants);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
}

/* Rule 10, to the nanosecond: from the first scan that saw low mapped. */
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

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_high_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		b->tun.min_residency_us = c[i].min_residency_us;
		b->tun.starvation_ms = 60000;
		low->save_cost_ns = c[i].save_cost_ns;
		finishes(high);
		bench_tick(test, b);
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
		bench_tick(test, b);
		submits(high);
		b->view.now_ns += c[i].resident_ns;
		bench_scan(test, b);
		KUNIT_EXPECT_EQ(test, bench_verdict(b, low), c[i].verdict);
	}
}

/* Low comes back when high is done, and not before. */
static void gpreempt_policy_resume(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_high_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	bench_ticks(test, b, 100);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNABLE);
	/* between two kernels of high */
	finishes(high);
	submits(high);
	bench_ticks(test, b, 2);
	EXPECT_KEEP(test, b, low);
	runs(high);
	bench_tick(test, b);
	high->waves = 0;
	high->signal = GPREEMPT_SIGNAL_DONE;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_IDLE);
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
	mid->signal = GPREEMPT_SIGNAL_DONE;
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
	mid->waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, mid->state, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	mid->waves = 32;
	bench_ticks(test, b, 20);
	EXPECT_KEEP(test, b, low);
	mid->waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, mid->state, GPREEMPT_IDLE);
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
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_IDLE);
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
	mid->priority = 7;
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
	low->held = true;
	finishes(high);
	bench_ticks(test, b, 3000);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* it keeps nobody off, however high it is */
	low->priority = 15;
	third = bench_queue(b, 1);
	bench_tick(test, b);
	runs(third);
	bench_ticks(test, b, 5);
	EXPECT_KEEP(test, b, third);

	low->held = false;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
}

/* Rule 2: a barrier on an unsatisfied signal gives way at once. */
static void gpreempt_policy_blocked_head(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	waits_for_signal(high);
	bench_ticks(test, b, 3000);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
	EXPECT_KEEP(test, b, low);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* satisfied: a waiter at once */
	high->head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);

	/* and blocked again, by the next barrier, when the first has run */
	bench_tick(test, b);
	high->rptr = high->wptr;
	waits_for_signal(high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNING);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_BLOCKED);
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
	mid->head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, mid->wants);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
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
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	b->view.now_ns = given + 2000000;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
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
		off += low->preempted;
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
		low->waves = 0;
		low->signal = signal ? GPREEMPT_SIGNAL_PENDING : GPREEMPT_SIGNAL_UNKNOWN;
		/* starved, given the machine, and its restore is late */
		bench_ticks(test, b, 1000);
		EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
		bench_ticks(test, b, 5);
		KUNIT_EXPECT_TRUE(test, low->hist->blocked);
		KUNIT_EXPECT_TRUE(test, high->mapped);
		for (i = 0; i < 1005 && !high->preempted; i++)
			bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, high->preempted);
	}
}

/* What ends being blocked. */
static void gpreempt_policy_unblocked(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct bench *b = bench_low_runs(test, &low, &high);

		KUNIT_ASSERT_NOT_NULL(test, b);
		submits(high);
		submits(high);
		high->signal = GPREEMPT_SIGNAL_UNKNOWN;
		bench_ticks(test, b, 20);
		KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
		EXPECT_KEEP(test, b, low);
		if (i == 0)
			high->rptr++;
		else if (i == 1)
			high->waves = 1;
		else
			high->head = GPREEMPT_HEAD_WAITS;
		bench_tick(test, b);
		if (i == 2) {
			EXPECT_KEEP(test, b, low);
			high->head = GPREEMPT_HEAD_READY;
			bench_tick(test, b);
		}
		KUNIT_EXPECT_TRUE(test, high->wants);
		EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
		/* with a whole blocked_us of its own */
		high->waves = 0;
		bench_ticks(test, b, 2);
		KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
		EXPECT_KEEP(test, b, low);
	}
}

/* Nobody is blocked while the machine is in fact another's. */
static void gpreempt_policy_not_given(struct kunit *test)
{
	struct gpreempt_queue_view *low, *high, *peer;
	struct bench *b = bench_low_runs(test, &low, &high);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->tun.starvation_ms = 60000;
	/* a lower one that cannot be taken off yet */
	low->save_cost_ns = 100 * INTERVAL_NS;
	submits(high);
	bench_ticks(test, b, 94);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	bench_tick(test, b);
	finishes(high);
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, low->mapped);

	/* one of its own level, or above */
	peer = bench_queue(b, 15);
	bench_tick(test, b);
	runs(peer);
	bench_tick(test, b);
	submits(high);
	bench_ticks(test, b, 500);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_TRUE(test, low->preempted);

	/* a lower one that never can be: high has got all there is to give */
	finishes(peer);
	finishes(high);
	bench_ticks(test, b, 500);
	KUNIT_EXPECT_TRUE(test, low->mapped);
	low->pinned = true;
	submits(high);
	bench_ticks(test, b, 20);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
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
	KUNIT_EXPECT_EQ(test, low->effective, 0);
	b->view.now_ns++;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, GPREEMPT_BOOST);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);

	/* until its waves are there it has not executed */
	low->waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, GPREEMPT_BOOST);
	EXPECT_KEEP(test, b, low);
	EXPECT_KEEP(test, b, high);
	low->waves = 32;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, GPREEMPT_BOOST);
	EXPECT_KEEP(test, b, high);
	b->view.now_ns += 499999;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, GPREEMPT_BOOST);
	b->view.now_ns++;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, 0);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_VERDICT(test, b, high, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);

	/* the clock starts anew */
	for (n = 0; n < 1000; n++) {
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, low->effective, 0);
	}
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, GPREEMPT_BOOST);
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
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNING);
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
	low->waves = 0;
	submits(low);
	submits(low);
	submits(low);
	bench_ticks(test, b, 1000);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	low->rptr++;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, GPREEMPT_BOOST);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, 0);
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
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNABLE);
	EXPECT_KEEP(test, b, low);
	EXPECT_KEEP(test, b, high);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, GPREEMPT_BOOST);
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
		low->waves = i % 900 == 800;
		bench_tick(test, b);
		KUNIT_EXPECT_EQ(test, low->effective, 0);
		EXPECT_KEEP(test, b, high);
	}
	/* nor is one that waits for a signal */
	low->waves = 0;
	low->head = GPREEMPT_HEAD_WAITS;
	bench_ticks(test, b, 5000);
	KUNIT_EXPECT_EQ(test, low->effective, 0);
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
		low->waves = 0;
		low->signal = GPREEMPT_SIGNAL_DONE;
		if (i == 0)
			submits(low);
		else if (i == 1)
			waits_for_signal(low);
		bench_ticks(test, b, 1000);
		EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
		EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
		bench_tick(test, b);
		if (i != 1) {
			EXPECT_KEEP(test, b, high);
			bench_ticks(test, b, i == 0 ? 2 : 1);
		}
		KUNIT_EXPECT_EQ(test, low->effective, 0);
		KUNIT_EXPECT_EQ(test, low->state, i == 2 ? GPREEMPT_IDLE : GPREEMPT_BLOCKED);
		KUNIT_EXPECT_EQ(test, bench_verdict(b, high), GPREEMPT_RESUME);
		bench_ticks(test, b, 3000);
		KUNIT_EXPECT_TRUE(test, high->mapped);
	}
}

/* Two at once: together, and who finds no room is served after the other. */
static void gpreempt_policy_starved_two(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low[2], *high;

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
	EXPECT_VERDICT(test, b, low[0], GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	EXPECT_VERDICT(test, b, low[1], GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	EXPECT_VERDICT(test, b, high, GPREEMPT_PREEMPT, GPREEMPT_REASON_AGED);
	/* one fills the machine first */
	low[0]->waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low[1]->effective, GPREEMPT_BOOST);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, low[1]->effective, 3);
	KUNIT_EXPECT_EQ(test, low[0]->effective, GPREEMPT_BOOST);
	EXPECT_VERDICT(test, b, low[1], GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	EXPECT_KEEP(test, b, high);
	low[0]->waves = 32;
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, low[0]->effective, 0);
	EXPECT_VERDICT(test, b, high, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	EXPECT_VERDICT(test, b, low[0], GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
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
		executed += low->mapped;
	}
	KUNIT_EXPECT_LE(test, 9, executed);
	KUNIT_EXPECT_LE(test, executed, 40);
}

/* The decision alone, when wave counts are worth their register reads. */
static void gpreempt_policy_need_waves(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *a, *peer, *high;

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
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	high->hist->fresh = false;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	high->head = GPREEMPT_HEAD_READY;
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	high->mapped = false;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);

	/* parking: whoever has hidden waves */
	finishes(a);
	finishes(peer);
	a->signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	bench_tick(test, b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	/* it may have been saved: believed at the second time */
	bench_ticks(test, b, 1005);
	KUNIT_EXPECT_FALSE(test, b->asked);
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
	b->policy->decide(&b->view, &b->tun, &b->plan);
	KUNIT_EXPECT_FALSE(test, b->plan.need_waves);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
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
	KUNIT_EXPECT_TRUE(test, low->mapped);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
	bench_ticks(test, b, 20);
	/* low too looks blocked by now, and may be in the way none the less */
	high->rptr++;
	submits(high);
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_PREEMPT, GPREEMPT_REASON_INVERSION);
	finishes(high);
	bench_ticks(test, b, 3);
	KUNIT_EXPECT_TRUE(test, low->mapped);
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
	q->signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->state, GPREEMPT_RUNNING);
	q->mapped = false;
	q->waves = 0;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->state, GPREEMPT_BLOCKED);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	EXPECT_KEEP(test, b, q);
	/* back, and its waves are about to be */
	q->mapped = true;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->state, GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	finishes(q);
	bench_ticks(test, b, 10);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* evicted without, and then with something in its ring */
	q->mapped = false;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->state, GPREEMPT_IDLE);
	submits(q);
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->state, GPREEMPT_BLOCKED);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	q->readable = false;
	bench_tick(test, b);
	KUNIT_EXPECT_EQ(test, q->state, GPREEMPT_UNKNOWN);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	q->readable = true;
	q->mapped = true;
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
	q->rptr = q->wptr;
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
	mid->mapped = false;
	mid->preempted = true;
	mid->held = true;
	low->hist->boosted = true;
	b->policy = gpreempt_policy_find("none");
	bench_tick(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_FREE);
	KUNIT_EXPECT_EQ(test, low->effective, 0);
	EXPECT_KEEP(test, b, mid);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 1);

	submits(high);
	bench_ticks(test, b, 5000);
	KUNIT_EXPECT_TRUE(test, high->wants);
	KUNIT_EXPECT_EQ(test, low->state, GPREEMPT_RUNNING);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 0);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 0);

	/* waiting for long makes nobody starved */
	finishes(low);
	submits(low);
	bench_ticks(test, b, 5000);
	KUNIT_EXPECT_EQ(test, low->effective, 0);

	/* nor does the time before */
	b->policy = gpreempt_policy_find("strict");
	finishes(high);
	runs(high);
	bench_ticks(test, b, 100);
	KUNIT_EXPECT_NE(test, low->hist->waiting_since_ns, 0);
	b->policy = gpreempt_policy_find("none");
	bench_ticks(test, b, 5000);
	b->policy = gpreempt_policy_find("strict");
	bench_ticks(test, b, 100);
	KUNIT_EXPECT_EQ(test, low->effective, 0);

	b->policy = gpreempt_policy_find("none");
	finishes(low);
	finishes(high);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
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
	KUNIT_EXPECT_EQ(test, low->effective, 0);
	/* rule 3 from there */
	b->view.now_ns = 1000 * NSEC_PER_MSEC;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, 0);
	b->view.now_ns++;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, low->effective, GPREEMPT_BOOST);
	bench_ticks(test, b, 5);
	KUNIT_EXPECT_TRUE(test, low->preempted);

	/* an hour passes in one interval: one turn for low, then as before */
	b->view.now_ns += 3600ULL * 1000 * NSEC_PER_MSEC;
	bench_scan(test, b);
	EXPECT_VERDICT(test, b, low, GPREEMPT_RESUME, GPREEMPT_REASON_STARVED);
	bench_ticks(test, b, 5);
	for (i = 0; i < 900; i++) {
		bench_tick(test, b);
		KUNIT_EXPECT_TRUE(test, low->preempted);
	}
	/* a queue that has just got the machine is not blocked by a jump back */
	finishes(high);
	bench_ticks(test, b, 5);
	submits(high);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
	b->view.now_ns -= 10 * INTERVAL_NS;
	bench_scan(test, b);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_RUNNABLE);
	bench_ticks(test, b, 2);
	KUNIT_EXPECT_EQ(test, high->state, GPREEMPT_BLOCKED);
}

/*
 * The simulated machine. Time goes in steps of a quarter interval. A packet is
 * a barrier on an earlier packet of any queue, or a kernel of workgroups that
 * each take one of the machine's slots for some steps; packets of a queue are
 * launched in order. What is preempted is saved, and restored before anything
 * new is launched. The read index goes at fetch or with the last workgroup.
 */
#define SIM_QUEUES	6
#define SIM_SLOTS	8
#define SIM_RING	16
#define SIM_STEPS	4			/* per poll interval */
#define SIM_STEP_NS	(INTERVAL_NS / SIM_STEPS)
#define SIM_STARVATION	100			/* ms */

struct sim_packet {
	bool barrier;
	bool in_order;			/* the packet's barrier bit */
	bool signal;
	bool complete;
	u8 dep_queue;
	u64 dep_packet;
	u64 valid_at;			/* step; reserved until then */
	u16 steps;
	u8 groups;
	u8 launched;
	u8 ended;
};

struct sim_group {
	u64 packet;
	u16 left;
};

struct sim_queue {
	struct sim_packet ring[SIM_RING];
	struct sim_group group[SIM_SLOTS];
	struct gpreempt_history hist;
	u64 wptr;
	u64 next;			/* packet to launch from */
	u64 read;			/* published read index */
	u64 touched;			/* step of the last packet, progress or resume */
	u64 served;			/* step when it executed or had nothing to */
	u64 owed;			/* steps preempted with nobody above it */
	unsigned int groups;		/* saved or executing */
	unsigned int live;		/* of these, executing */
	u8 priority;
	bool preempted;
};

struct sim {
	struct sim_queue queue[SIM_QUEUES];
	struct gpreempt_queue_view q[SIM_QUEUES];
	enum gpreempt_verdict verdict[SIM_QUEUES];
	struct gpreempt_view view;
	struct gpreempt_tunables tun;
	struct gpreempt_plan plan;
	struct rnd_state rnd;
	const struct gpreempt_policy *policy;
	u64 step;
	unsigned int nr;
	bool fetch;
	unsigned int preempted, resumed, aged, blocked;
};

static u32 sim_random(struct sim *s, u32 below)
{
	return prandom_u32_state(&s->rnd) % below;
}

static struct sim_packet *sim_packet(struct sim_queue *sq, u64 packet)
{
	return &sq->ring[packet % SIM_RING];
}

/* An old packet's place may be taken by another: then it has completed. */
static bool sim_complete(struct sim *s, unsigned int queue, u64 packet)
{
	struct sim_queue *sq = &s->queue[queue];

	return packet + SIM_RING < sq->wptr || sim_packet(sq, packet)->complete;
}

static bool sim_head_waits(struct sim *s, struct sim_queue *sq)
{
	struct sim_packet *p = sim_packet(sq, sq->next);

	return p->barrier && !sim_complete(s, p->dep_queue, p->dep_packet);
}

/* Is there something that this queue would do with a free slot? */
static bool sim_has_work(struct sim *s, struct sim_queue *sq)
{
	if (sq->groups)
		return true;
	return sq->next < sq->wptr && sim_packet(sq, sq->next)->valid_at <= s->step &&
	       !sim_head_waits(s, sq);
}

static void sim_submit(struct sim *s, struct sim_queue *sq)
{
	struct sim_packet *p = sim_packet(sq, sq->wptr);
	unsigned int dep = sim_random(s, s->nr);

	/* room for one more, the oldest packet completed */
	if (sq->wptr >= SIM_RING && !p->complete)
		return;
	if (sq->wptr - sq->read >= SIM_RING)
		return;
	memset(p, 0, sizeof(*p));
	p->signal = sim_random(s, 4);
	p->valid_at = s->step + (sim_random(s, 10) ? 0 : sim_random(s, 12));
	p->in_order = sim_random(s, 2);
	if (s->queue[dep].wptr && sim_random(s, 4) == 0) {
		p->barrier = true;
		p->dep_queue = dep;
		p->dep_packet = s->queue[dep].wptr - 1;
	} else {
		p->groups = 1 + sim_random(s, 2 * SIM_SLOTS);
		p->steps = sim_random(s, 3) ? 1 + sim_random(s, 8) : 1 + sim_random(s, 200);
	}
	sq->wptr++;
	sq->touched = s->step;
}

static void sim_launch_one(struct sim *s, struct sim_queue *sq, bool *launched)
{
	struct sim_packet *p;

	*launched = false;
	if (sq->live < sq->groups) {
		sq->live++;
		*launched = true;
		return;
	}
	/* barriers that are satisfied cost nothing */
	while (sq->next < sq->wptr) {
		p = sim_packet(sq, sq->next);
		if (p->valid_at > s->step)
			return;
		if (p->in_order && sq->groups && sq->group[0].packet != sq->next)
			return;
		if (p->barrier) {
			if (sim_head_waits(s, sq))
				return;
			p->complete = true;
			sq->next++;
			sq->read = sq->next;
			sq->touched = s->step;
			continue;
		}
		if (s->fetch)
			sq->read = sq->next + 1;
		if (sq->groups == SIM_SLOTS)
			return;
		sq->group[sq->groups].packet = sq->next;
		sq->group[sq->groups].left = p->steps;
		sq->groups++;
		sq->live++;
		if (++p->launched == p->groups) {
			sq->next++;
			sq->read = sq->next;
		}
		sq->touched = s->step;
		*launched = true;
		return;
	}
}

static void sim_execute(struct sim *s, struct sim_queue *sq)
{
	unsigned int i = 0;

	while (i < sq->live) {
		struct sim_packet *p = sim_packet(sq, sq->group[i].packet);

		if (--sq->group[i].left) {
			i++;
			continue;
		}
		if (++p->ended == p->groups)
			p->complete = true;
		sq->groups--;
		sq->live--;
		memmove(&sq->group[i], &sq->group[i + 1],
			(sq->groups - i) * sizeof(sq->group[0]));
		sq->touched = s->step;
	}
}

static void sim_step(struct sim *s)
{
	unsigned int busy = 0, i, first = sim_random(s, s->nr);
	bool any = true, launched;

	s->step++;
	for (i = 0; i < s->nr; i++) {
		sim_execute(s, &s->queue[i]);
		busy += s->queue[i].live;
	}
	while (any && busy < SIM_SLOTS) {
		any = false;
		for (i = 0; i < s->nr && busy < SIM_SLOTS; i++) {
			struct sim_queue *sq = &s->queue[(first + i) % s->nr];

			if (sq->preempted)
				continue;
			sim_launch_one(s, sq, &launched);
			busy += launched;
			any |= launched;
		}
	}
	for (i = 0; i < s->nr; i++) {
		struct sim_queue *sq = &s->queue[i];

		if (sq->live || !sim_has_work(s, sq))
			sq->served = s->step;
	}
}

static void sim_look(struct sim *s, unsigned int i)
{
	struct sim_queue *sq = &s->queue[i];
	struct gpreempt_queue_view *q = &s->q[i];
	struct sim_packet *p;

	q->hist = &sq->hist;
	q->priority = sq->priority;
	q->preempted = sq->preempted;
	q->mapped = !sq->preempted;
	q->readable = true;
	q->size = SIM_RING;
	q->rptr = sq->read;
	q->wptr = sq->wptr;
	q->waves = GPREEMPT_WAVES_UNKNOWN;
	q->head = GPREEMPT_HEAD_INVALID;
	q->signal = GPREEMPT_SIGNAL_UNKNOWN;
	if (sq->read < sq->wptr && sim_packet(sq, sq->read)->valid_at <= s->step) {
		p = sim_packet(sq, sq->read);
		q->head = p->barrier && !sim_complete(s, p->dep_queue, p->dep_packet) ?
			  GPREEMPT_HEAD_WAITS : GPREEMPT_HEAD_READY;
	}
	if (sq->wptr) {
		p = sim_packet(sq, sq->wptr - 1);
		if (p->signal)
			q->signal = p->complete ? GPREEMPT_SIGNAL_DONE :
						  GPREEMPT_SIGNAL_PENDING;
	}
}

/*
 * Does a queue have work, for all that can be known? What ended between a scan
 * and the unmap shows when the queue is back; and what has no signal looks like
 * launching until waves were seen, or room enough was given.
 */
static bool sim_seems_to_have_work(struct sim *s, unsigned int i)
{
	u64 window = (s->tun.blocked_us / 1000 + 2) * SIM_STEPS;
	struct sim_queue *sq = &s->queue[i];

	return sq->preempted || sim_has_work(s, sq) ||
	       s->q[i].signal == GPREEMPT_SIGNAL_UNKNOWN ||
	       s->step - sq->touched <= window;
}

/* Rules 1 and 10 of one victim: someone above had work, and it had some itself. */
static void sim_check_victim(struct kunit *test, struct sim *s, unsigned int victim)
{
	bool justified = false;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->q[i].effective > s->q[victim].effective && s->q[i].wants &&
		    sim_seems_to_have_work(s, i))
			justified = true;
	KUNIT_EXPECT_TRUE_MSG(test, justified, "rule 1, queue %u, step %llu",
			      victim, s->step);
	KUNIT_EXPECT_TRUE_MSG(test, sim_seems_to_have_work(s, victim),
			      "idle victim %u, step %llu", victim, s->step);
}

/* Rule 2, rule 3 and no one forgotten: bounds that hold for every queue. */
static void sim_check(struct kunit *test, struct sim *s)
{
	/* each starved queue has its turn: residency, save, restore, blocked_us */
	u64 bound = SIM_STARVATION * SIM_STEPS + s->nr * 8 * SIM_STEPS + 20 * SIM_STEPS;
	/* each one above that came back with nothing: resume, blocked_us, a scan */
	u64 owed = s->nr * (s->tun.blocked_us / 1000 + 2) * SIM_STEPS;
	unsigned int i, k;

	for (i = 0; i < s->nr; i++) {
		struct sim_queue *sq = &s->queue[i];
		bool above = false;

		for (k = 0; k < s->nr; k++)
			if (s->q[k].effective > s->q[i].effective &&
			    sim_has_work(s, &s->queue[k]))
				above = true;
		sq->owed = sq->preempted && !above ? sq->owed + SIM_STEPS : 0;
		KUNIT_EXPECT_TRUE_MSG(test, sq->owed <= owed,
				      "rule 2, queue %u, step %llu", i, s->step);
		KUNIT_EXPECT_TRUE_MSG(test, s->step - sq->served <= bound,
				      "rule 3, queue %u, step %llu", i, s->step);
	}
}

static void sim_scan(struct kunit *test, struct sim *s)
{
	unsigned int i;

	s->view.now_ns = s->step * SIM_STEP_NS;
	s->view.waves_final = false;
	for (i = 0; i < s->nr; i++)
		sim_look(s, i);
	s->policy->decide(&s->view, &s->tun, &s->plan);
	if (s->plan.need_waves) {
		for (i = 0; i < s->nr; i++)
			if (s->q[i].mapped)
				s->q[i].waves = s->queue[i].live;
		s->view.waves_final = true;
		s->policy->decide(&s->view, &s->tun, &s->plan);
		KUNIT_EXPECT_FALSE(test, s->plan.need_waves);
	}
	for (i = 0; i < s->nr; i++) {
		if (s->verdict[i] == GPREEMPT_PREEMPT)
			sim_check_victim(test, s, i);
		s->aged += s->q[i].reason == GPREEMPT_REASON_AGED;
		s->blocked += s->q[i].reason == GPREEMPT_REASON_BLOCKED;
	}
	sim_check(test, s);
	if (s->plan.idle)
		for (i = 0; i < s->nr; i++)
			KUNIT_EXPECT_FALSE(test, s->queue[i].live || s->queue[i].groups);

	/* the machine goes on while the transaction is prepared */
	if (s->plan.nr_preempt || s->plan.nr_resume)
		sim_step(s);
	for (i = 0; i < s->nr; i++) {
		struct sim_queue *sq = &s->queue[i];

		if (s->verdict[i] == GPREEMPT_PREEMPT) {
			KUNIT_EXPECT_FALSE(test, sq->preempted);
			sq->preempted = true;
			sq->live = 0;
			s->preempted++;
		} else if (s->verdict[i] == GPREEMPT_RESUME) {
			KUNIT_EXPECT_TRUE(test, sq->preempted);
			sq->preempted = false;
			sq->touched = s->step;
			s->resumed++;
		}
	}
}

static struct sim *sim_new(struct kunit *test, u64 seed)
{
	struct sim *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int i, levels;

	if (!s)
		return NULL;
	prandom_seed_state(&s->rnd, seed);
	s->fetch = *(const bool *)test->param_value;
	s->policy = gpreempt_policy_find("strict");
	s->nr = 2 + sim_random(s, SIM_QUEUES - 1);
	s->view.nr = s->nr;
	s->view.q = s->q;
	s->plan.verdict = s->verdict;
	s->tun = defaults;
	s->tun.starvation_ms = SIM_STARVATION;
	s->step = 1000;
	levels = 2 + sim_random(s, 15);
	for (i = 0; i < s->nr; i++) {
		s->queue[i].priority = sim_random(s, levels);
		s->queue[i].served = s->step;
	}
	return s;
}

/* How often, of 4096, a queue gets a packet in a step: quiet, busy, saturated. */
static const u16 sim_load[] = { 16, 128, 1024 };

static void gpreempt_policy_random(struct kunit *test)
{
	unsigned int preempted = 0, resumed = 0, aged = 0, blocked = 0, seed, n, i;

	for (seed = 1; seed <= 12; seed++) {
		struct sim *s = sim_new(test, seed);
		bool left = true;

		KUNIT_ASSERT_NOT_NULL(test, s);
		for (n = 0; n < 3000; n++) {
			for (i = 0; i < s->nr; i++)
				if (sim_random(s, 4096) < sim_load[(i + seed) % 3])
					sim_submit(s, &s->queue[i]);
			sim_step(s);
			if (n % SIM_STEPS == 0)
				sim_scan(test, s);
		}
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
	}
	kunit_info(test, "%u preempted (%u for a starved queue), %u resumed (%u from a blocked one)\n",
		   preempted, aged, resumed, blocked);
	/* a run that never gets there proves nothing */
	KUNIT_EXPECT_LE(test, 100, preempted);
	KUNIT_EXPECT_LE(test, 10, aged);
	KUNIT_EXPECT_LE(test, 10, blocked);
}

/* Best of a few: what the decision itself takes, whoever else is on the CPU. */
static u64 decision_ns(struct gpreempt_view *view, struct gpreempt_plan *plan)
{
	const struct gpreempt_policy *strict = gpreempt_policy_find("strict");
	u64 best = U64_MAX;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		u64 begin = ktime_get_ns();

		view->now_ns += INTERVAL_NS;
		view->waves_final = true;
		strict->decide(view, &defaults, plan);
		best = min_t(u64, best, ktime_get_ns() - begin);
	}
	return best;
}

/* Sixteen times the queues may take sixteen times as long; squared would be 256. */
static void gpreempt_policy_linear(struct kunit *test)
{
	const unsigned int few = 64, many = 1024;
	struct gpreempt_view view = { .now_ns = INTERVAL_NS };
	struct gpreempt_plan plan = {};
	struct gpreempt_history *hist;
	u64 few_ns, many_ns;
	unsigned int i;

	view.q = kunit_kcalloc(test, many, sizeof(*view.q), GFP_KERNEL);
	hist = kunit_kcalloc(test, many, sizeof(*hist), GFP_KERNEL);
	plan.verdict = kunit_kcalloc(test, many, sizeof(*plan.verdict), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, view.q);
	KUNIT_ASSERT_NOT_NULL(test, hist);
	KUNIT_ASSERT_NOT_NULL(test, plan.verdict);
	for (i = 0; i < many; i++) {
		struct gpreempt_queue_view *q = &view.q[i];

		q->hist = &hist[i];
		q->priority = i % GPREEMPT_LEVELS;
		q->mapped = i % 3;
		q->preempted = !q->mapped;
		q->readable = true;
		q->size = 64;
		q->wptr = i % 5;
		q->waves = i % 2;
	}
	view.nr = few;
	few_ns = decision_ns(&view, &plan);
	view.nr = many;
	many_ns = decision_ns(&view, &plan);
	kunit_info(test, "%u queues %llu ns, %u queues %llu ns\n",
		   few, few_ns, many, many_ns);
	KUNIT_EXPECT_LT(test, many_ns, 4 * (many / few) * max_t(u64, few_ns, 500));
}

static struct kunit_case gpreempt_policy_cases[] = {
	KUNIT_CASE(gpreempt_policy_registry),
	KUNIT_CASE_PARAM(gpreempt_policy_backlog, backlog_gen_params),
	KUNIT_CASE(gpreempt_policy_running),
	KUNIT_CASE(gpreempt_policy_first_sight),
	KUNIT_CASE(gpreempt_policy_first_sight_later),
	KUNIT_CASE(gpreempt_policy_first_sight_launching),
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
	KUNIT_CASE_PARAM(gpreempt_policy_victim, victim_gen_params),
	KUNIT_CASE(gpreempt_policy_running_waiter),
	KUNIT_CASE(gpreempt_policy_residency),
	KUNIT_CASE(gpreempt_policy_resume),
	KUNIT_CASE(gpreempt_policy_resume_again),
	KUNIT_CASE(gpreempt_policy_short_kernels),
	KUNIT_CASE(gpreempt_policy_restored),
	KUNIT_CASE(gpreempt_policy_restored_nothing),
	KUNIT_CASE(gpreempt_policy_equals),
	KUNIT_CASE(gpreempt_policy_preempted_wants),
	KUNIT_CASE(gpreempt_policy_held),
	KUNIT_CASE(gpreempt_policy_blocked_head),
	KUNIT_CASE(gpreempt_policy_blocked_chain),
	KUNIT_CASE(gpreempt_policy_blocked_given),
	KUNIT_CASE(gpreempt_policy_blocked_wrongly),
	KUNIT_CASE(gpreempt_policy_unblocked),
	KUNIT_CASE(gpreempt_policy_not_given),
	KUNIT_CASE(gpreempt_policy_starved),
	KUNIT_CASE(gpreempt_policy_starved_executes),
	KUNIT_CASE(gpreempt_policy_starved_progress),
	KUNIT_CASE(gpreempt_policy_starved_mapped),
	KUNIT_CASE(gpreempt_policy_starved_not),
	KUNIT_CASE(gpreempt_policy_starved_unused),
	KUNIT_CASE(gpreempt_policy_starved_two),
	KUNIT_CASE(gpreempt_policy_spinning_high),
	KUNIT_CASE(gpreempt_policy_need_waves),
	KUNIT_CASE(gpreempt_policy_waves_at_once),
	KUNIT_CASE(gpreempt_policy_no_wave_counts),
	KUNIT_CASE(gpreempt_policy_idle),
	KUNIT_CASE(gpreempt_policy_none),
	KUNIT_CASE(gpreempt_policy_clock_jumps),
	KUNIT_CASE_PARAM(gpreempt_policy_random, fetch_model_gen_params),
	KUNIT_CASE(gpreempt_policy_linear),
	{}
};

static struct kunit_suite gpreempt_policy_suite = {
	.name = "amdgpu_kfd_gpreempt_policy",
	.test_cases = gpreempt_policy_cases,
};

kunit_test_suite(gpreempt_policy_suite);

MODULE_DESCRIPTION("KUnit tests of the GPREEMPT policies");
MODULE_LICENSE("Dual MIT/GPL");
