/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A bench: a handful of queues that a case describes as the hardware would, and the monitor's
 * part of a scan. Time is the case's own; nothing sleeps.
 */
#include <kunit/test.h>

#define INTERVAL_NS	(1000 * NSEC_PER_USEC)
#define BENCH_MAX	8

static const struct gpreempt_tunables defaults = {
	.poll_interval_us = 1000,
	.starvation_ms = 1000,
	.min_residency_us = 500,
	.blocked_us = 2000,
	.preempt_timeout_ms = 100,
};

struct bench {
	struct kunit *test;
	struct gpreempt_queue_view q[BENCH_MAX];
	struct gpreempt_queue_view *low, *mid, *high;	/* those of most cases */
	struct gpreempt_queue_view *one, *other;	/* that take turns */
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

static inline struct bench *bench_new(struct kunit *test, const char *policy)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->test = test;
	b->view.q = b->q;
	b->view.now_ns = 5 * INTERVAL_NS;
	b->tun = defaults;
	b->policy = gpreempt_policy_find(policy);
	return b;
}

/* An empty mapped queue that was never used, of a process of its own. */
static inline struct gpreempt_queue_view *bench_queue(struct bench *b, u8 priority)
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
static inline void bench_move(struct bench *b, int *waves)
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
static inline void bench_scan(struct bench *b)
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
		KUNIT_EXPECT_MEMEQ(b->test, b->memory, b->before, sizeof(b->memory));
		KUNIT_EXPECT_EQ(b->test, b->plan.nr_preempt + b->plan.nr_resume, 0);
		for (i = 0; i < b->view.nr; i++) {
			KUNIT_EXPECT_EQ(b->test, b->q[i].out.verdict, GPREEMPT_KEEP);
			if (b->q[i].matters && !b->waves_unreadable)
				b->q[i].seen.waves = waves[i];
		}
		if (b->mover)
			bench_move(b, &waves[b->mover - b->q]);
		b->view.waves_final = true;
		gpreempt_decide(b->policy, &b->view, &b->tun, &b->plan);
		KUNIT_EXPECT_FALSE(b->test, b->plan.need_waves);
	}
	for (i = 0; i < b->view.nr; i++) {
		b->q[i].seen.waves = waves[i];
		b->q[i].seen.late = false;
	}
}

/* What the commit room does with a plan. Waves are what the case says. */
static inline void bench_commit(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->view.nr; i++) {
		struct gpreempt_queue_view *q = &b->q[i];

		if (q->out.verdict != GPREEMPT_KEEP) {
			q->seen.mapped = q->out.verdict == GPREEMPT_RESUME;
			q->seen.preempted = !q->seen.mapped;
		}
	}
}

/* Scans, each an interval after the one before and what was decided there. */
static inline void bench_ticks(struct bench *b, unsigned int n)
{
	while (n--) {
		bench_commit(b);
		b->view.now_ns += INTERVAL_NS;
		bench_scan(b);
	}
}

/* A queue as it is so many scans later. */
static inline struct gpreempt_queue_view *after(struct bench *b, unsigned int ticks,
						struct gpreempt_queue_view *q)
{
	bench_ticks(b, ticks);
	return q;
}

static inline const struct gpreempt_plan *plan_after(struct bench *b, unsigned int ticks)
{
	bench_ticks(b, ticks);
	return &b->plan;
}

/* Did the last of so many scans need wave counts? */
static inline bool asks_after(struct bench *b, unsigned int ticks)
{
	bench_ticks(b, ticks);
	return b->asked;
}

/* A scan at that very time, with nothing done since the last one. */
static inline void bench_scan_at(struct bench *b, u64 now_ns)
{
	b->view.now_ns = now_ns;
	bench_scan(b);
}

/* What, and why, in one number: a failure points at the line of the case. */
#define VERDICT(what, why)	((what) << 8 | (why))

static inline unsigned int bench_plan(const struct gpreempt_queue_view *q)
{
	return VERDICT(q->out.verdict, q->out.reason);
}

#define EXPECT_OFF(test, q, why) \
	KUNIT_EXPECT_EQ(test, bench_plan(q), VERDICT(GPREEMPT_PREEMPT, GPREEMPT_REASON_##why))

#define EXPECT_BACK(test, q, why) \
	KUNIT_EXPECT_EQ(test, bench_plan(q), VERDICT(GPREEMPT_RESUME, GPREEMPT_REASON_##why))

#define EXPECT_KEEP(test, q) \
	KUNIT_EXPECT_EQ(test, bench_plan(q), VERDICT(GPREEMPT_KEEP, GPREEMPT_REASON_NONE))

#define EXPECT_IS(test, q, is)	KUNIT_EXPECT_EQ(test, (q)->out.activity, GPREEMPT_##is)

/* Is it there, or put back now? */
static inline bool is_on(const struct gpreempt_queue_view *q)
{
	return q->out.verdict == GPREEMPT_RESUME ||
	       (q->seen.mapped && q->out.verdict == GPREEMPT_KEEP);
}

/* A kernel that fills the machine: consumed, and its waves in flight. */
static inline void runs(struct gpreempt_queue_view *q)
{
	q->seen.rptr++;
	q->seen.wptr = q->seen.rptr;
	q->seen.signal = GPREEMPT_SIGNAL_PENDING;
	q->seen.waves = 32;
}

static inline void finishes(struct gpreempt_queue_view *q)
{
	q->seen.rptr = q->seen.wptr;
	q->seen.waves = 0;
	q->seen.signal = GPREEMPT_SIGNAL_DONE;
}

/* A packet that the hardware has not consumed. */
static inline void submits(struct gpreempt_queue_view *q)
{
	q->seen.wptr++;
	q->seen.head = GPREEMPT_HEAD_READY;
	q->seen.signal = GPREEMPT_SIGNAL_PENDING;
}

/* One that was consumed at fetch, and has no waves yet. */
static inline void is_fetched(struct gpreempt_queue_view *q)
{
	q->seen.rptr = q->seen.wptr;
}

static inline void submits_fetched(struct gpreempt_queue_view *q)
{
	submits(q);
	is_fetched(q);
}

static inline void waits_for_signal(struct gpreempt_queue_view *q)
{
	submits(q);
	q->seen.head = GPREEMPT_HEAD_WAITS;
}

/* Work is announced for some intervals from now on, and for how many of them. */
static inline u64 announces(const struct bench *b, struct gpreempt_queue_view *q,
			    unsigned int in, unsigned int lasts)
{
	q->terms.hint_ns = b->view.now_ns + in * INTERVAL_NS;
	q->terms.hint_end_ns = q->terms.hint_ns + lasts * INTERVAL_NS;
	return q->terms.hint_ns;
}

static inline void is_off(struct gpreempt_queue_view *q)
{
	q->seen.mapped = false;
	q->seen.preempted = true;
}

/* Low (0) and high (15), which were never used, under strict. */
static inline struct bench *bench_two(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");

	b->low = bench_queue(b, 0);
	b->high = bench_queue(b, 15);
	return b;
}

/* Low, mid (7) and high, likewise. */
static inline struct bench *bench_three(struct kunit *test)
{
	struct bench *b = bench_two(test);

	b->mid = bench_queue(b, 7);
	return b;
}

/* Low has run long enough to be a victim; high has nothing to do. */
static inline struct bench *bench_low_runs(struct kunit *test)
{
	struct bench *b = bench_two(test);

	bench_scan(b);
	runs(b->low);
	bench_ticks(b, 5);
	return b;
}

/* As above, one step on: low is off the machine, and high executes. */
static inline struct bench *bench_high_runs(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(b->high);
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	runs(b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 1, b->low)->seen.preempted);
	return b;
}

#define TURN	10				/* intervals */

/* Queues of a level, each of a process of its own, with such turns. */
static inline struct bench *bench_level(struct kunit *test, struct gpreempt_queue_view **q,
					unsigned int nr)
{
	struct bench *b = bench_new(test, "timeslice");
	unsigned int i;

	b->tun.timeslice_us[7] = TURN * 1000;
	for (i = 0; i < nr; i++)
		q[i] = bench_queue(b, 7);
	bench_scan(b);
	return b;
}

/* Two that each fill the machine: one has it, the other has just come. */
static inline struct bench *bench_turns(struct kunit *test)
{
	struct gpreempt_queue_view *q[2];
	struct bench *b = bench_level(test, q, 2);

	b->one = q[0];
	b->other = q[1];
	runs(b->one);
	EXPECT_KEEP(test, after(b, 3, b->one));
	submits(b->other);
	/* one keeps the turn that it has without asking */
	EXPECT_OFF(test, after(b, 1, b->other), TIMESLICE);
	EXPECT_KEEP(test, b->one);
	b->other->seen.waves = 32;
	return b;
}
