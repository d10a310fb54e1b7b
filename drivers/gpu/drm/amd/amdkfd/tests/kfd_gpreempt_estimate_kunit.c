// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's estimate: from what was seen of a queue, now and before, to what
 * it is doing.
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_estimate_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

/* How late a scan may be where work is announced. */
#define LATE_NS		(INTERVAL_NS / 4)

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

KUNIT_ARRAY_PARAM_DESC(backlog, backlog_cases, name);

static void gpreempt_estimate_backlog(struct kunit *test)
{
	const struct backlog_case *c = test->param_value;
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *q, *low;

	q = bench_queue(b, 7);
	low = bench_queue(b, 0);
	runs(low);
	q->seen.rptr = c->rptr;
	q->seen.wptr = c->wptr;
	q->seen.size = c->size;
	q->seen.head = c->head;
	q->seen.readable = !c->unreadable;
	bench_scan(b);
	KUNIT_EXPECT_EQ(test, q->state.backlog, c->backlog);
	KUNIT_EXPECT_EQ(test, q->out.activity, c->state);
	KUNIT_EXPECT_EQ(test, q->out.wants, c->state == GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_EQ(test, q->out.level, 7);
}

/* Equal indices do not mean idle: a long kernel shows an empty ring. */
static void gpreempt_estimate_running(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	b->low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	KUNIT_EXPECT_EQ(test, after(b, 5000, b->low)->seen.rptr, b->low->seen.wptr);
	EXPECT_IS(test, b->low, RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* A newest packet that completed says nothing of older ones. */
	b->low->seen.signal = GPREEMPT_SIGNAL_DONE;
	EXPECT_IS(test, after(b, 10, b->low), RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* The read index moved, no waves: running for this one scan. */
	b->low->seen.waves = 0;
	b->low->seen.wptr++;
	finishes(b->low);
	EXPECT_IS(test, after(b, 1, b->low), RUNNING);
	EXPECT_IS(test, after(b, 1, b->low), IDLE);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
}

/* A kernel that was there before the first scan is found by its waves only. */
static void gpreempt_estimate_first_sight(struct kunit *test)
{
	struct bench *b = bench_two(test);

	runs(b->low);
	runs(b->high);
	finishes(b->high);
	b->low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_scan(b);
	KUNIT_EXPECT_TRUE(test, b->asked);
	EXPECT_IS(test, b->low, RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	/* and what high did before that is no evidence of new work */
	EXPECT_IS(test, b->high, IDLE);
	EXPECT_KEEP(test, after(b, 5, b->low));
}

/* The same if the first look at its waves comes only later. */
static void gpreempt_estimate_first_sight_later(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *low, *peer;

	low = bench_queue(b, 0);
	peer = bench_queue(b, 0);
	runs(low);
	low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	runs(peer);
	bench_scan(b);
	KUNIT_EXPECT_FALSE(test, b->asked);
	finishes(peer);
	EXPECT_IS(test, after(b, 5, low), RUNNING);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
}

/*
 * A packet that waited for space before the first scan: its signal tells; with a barrier behind
 * it, there already or new, that of the packet before the barrier.
 */
static void gpreempt_estimate_first_sight_launching(struct kunit *test)
{
	static const struct { bool barrier, later; } c[] = { { false }, { true }, { true, true } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_two(test);

		runs(b->low);
		runs(b->high);
		b->high->seen.waves = 0;
		bench_ticks(b, c[i].later);
		if (c[i].barrier) {
			waits_for_signal(b->high);
			b->high->seen.previous = GPREEMPT_SIGNAL_PENDING;
		}
		EXPECT_OFF(test, after(b, 2 - c[i].later, b->low), INVERSION);
	}
}

/*
 * The two ways the read index may go. A packet that waits for space is backlog,
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

static void gpreempt_estimate_waiter(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits_in_model(test, b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 1, b->high)->out.wants);
	EXPECT_OFF(test, b->low, INVERSION);
	EXPECT_KEEP(test, b->high);
	KUNIT_EXPECT_EQ(test, b->plan.nr_preempt, 1);
	KUNIT_EXPECT_EQ(test, b->plan.nr_resume, 0);
}

/* The same without a completion signal: the moved index is the evidence. */
static void gpreempt_estimate_waiter_no_signal(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits_in_model(test, b->high);
	b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	/* it is still launching, and low stays off, until its waves come */
	EXPECT_IS(test, after(b, 1, b->high), RUNNABLE);
	EXPECT_KEEP(test, b->low);
	is_fetched(b->high);
	b->high->seen.waves = 4;
	EXPECT_KEEP(test, after(b, 20, b->low));
	b->high->seen.waves = 0;
	EXPECT_IS(test, after(b, 1, b->high), IDLE);
	EXPECT_BACK(test, b->low, FREE);
}

/* A short kernel that came and went between two scans takes nobody off. */
static void gpreempt_estimate_done_is_not_launching(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	unsigned int i;

	for (i = 0; i < 20; i++) {
		if (i % 3 == 0) {
			submits(b->high);
			finishes(b->high);
		}
		KUNIT_EXPECT_FALSE(test, after(b, 1, b->high)->out.wants);
		EXPECT_KEEP(test, b->low);
	}
}

/* Its last signal is re-used for another queue's packet. */
static void gpreempt_estimate_pooled_signal(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	unsigned int i;

	submits(b->high);
	finishes(b->high);
	bench_ticks(b, 2);
	b->high->seen.signal = GPREEMPT_SIGNAL_PENDING;
	for (i = 0; i < 10; i++) {
		EXPECT_IS(test, after(b, 1, b->high), IDLE);
		EXPECT_KEEP(test, b->low);
	}
	finishes(b->low);
	KUNIT_EXPECT_TRUE(test, plan_after(b, 5)->idle);
	runs(b->low);
	bench_ticks(b, 1);
	submits_fetched(b->high);
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
}

/* Evidence without a signal holds until waves are seen, and no longer. */
static void gpreempt_estimate_launched(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	b->tun.min_residency_us = 7000;
	submits_fetched(b->high);
	b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	KUNIT_EXPECT_TRUE(test, after(b, 1, b->high)->out.wants);
	EXPECT_KEEP(test, b->low);
	b->high->seen.waves = 4;
	KUNIT_EXPECT_FALSE(test, after(b, 1, b->high)->out.wants);
	EXPECT_KEEP(test, b->low);
	b->high->seen.waves = 0;
	KUNIT_EXPECT_FALSE(test, after(b, 1, b->high)->out.wants);
	EXPECT_KEEP(test, b->low);
}

/* The second packet of a batch, consumed when the first one ended. */
static void gpreempt_estimate_launching_next(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(b->high);
	submits(b->high);
	b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	bench_ticks(b, 1);
	b->high->seen.rptr++;
	b->high->seen.waves = 4;
	bench_ticks(b, 1);
	b->high->seen.rptr++;
	b->high->seen.waves = 0;
	EXPECT_IS(test, after(b, 2, b->high), RUNNABLE);
	EXPECT_KEEP(test, b->low);
}

/* Nor does it outlive a time in which none kept the queue from launching. */
static void gpreempt_estimate_launched_unseen(struct kunit *test)
{
	struct bench *b = bench_two(test);
	struct gpreempt_queue_view *peer = bench_queue(b, 15);

	/* and none are counted for it alone */
	b->view.blind = true;
	bench_scan(b);
	submits_fetched(b->high);
	b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	runs(peer);
	KUNIT_EXPECT_FALSE(test, asks_after(b, 5));
	finishes(peer);
	runs(b->low);
	KUNIT_EXPECT_FALSE(test, after(b, 1, b->high)->out.wants);
	EXPECT_KEEP(test, b->low);
}

/* A write index that is scribbled over is no evidence of anything. */
static void gpreempt_estimate_nonsense_write(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	unsigned int i;

	for (i = 0; i < 100; i++) {
		b->high->seen.wptr = b->high->seen.rptr - i;
		EXPECT_IS(test, after(b, 1, b->high), IDLE);
		EXPECT_KEEP(test, b->low);
	}
	/* one that claims a full ring gets its chance, and is found out */
	b->high->seen.wptr = b->high->seen.rptr + S64_MAX;
	EXPECT_IS(test, after(b, 10, b->high), BLOCKED);
	EXPECT_KEEP(test, b->low);
	KUNIT_EXPECT_TRUE(test, b->low->seen.mapped);
}

/* Launching is a claim that ends: given the machine, it must show waves. */
static void gpreempt_estimate_launching_expires(struct kunit *test)
{
	static const struct {
		enum gpreempt_signal signal;
		enum gpreempt_activity state;
		enum gpreempt_reason reason;
	} c[] = {
		{ GPREEMPT_SIGNAL_UNKNOWN, GPREEMPT_IDLE, GPREEMPT_REASON_FREE },
		{ GPREEMPT_SIGNAL_PENDING, GPREEMPT_BLOCKED, GPREEMPT_REASON_BLOCKED },
	};
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_low_runs(test);

		submits_fetched(b->high);
		b->high->seen.signal = c[i].signal;
		KUNIT_EXPECT_EQ(test, after(b, 1, b->low)->out.verdict, GPREEMPT_PREEMPT);
		for (n = 0; n < 2; n++) {
			EXPECT_IS(test, after(b, 1, b->high), RUNNABLE);
			EXPECT_KEEP(test, b->low);
		}
		KUNIT_EXPECT_EQ(test, after(b, 1, b->high)->out.activity, c[i].state);
		KUNIT_EXPECT_EQ(test, bench_plan(b->low), VERDICT(GPREEMPT_RESUME, c[i].reason));
		/* nor does it come back with nothing new */
		KUNIT_EXPECT_EQ(test, after(b, 3000, b->high)->out.activity, c[i].state);
		EXPECT_KEEP(test, b->low);
		/* a new packet does */
		submits(b->high);
		EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	}
}

/* Rule 7: what cannot be read is unknown, and unknown is not runnable. */
static void gpreempt_estimate_unreadable(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(b->high);
	b->high->seen.readable = false;
	b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	EXPECT_IS(test, after(b, 1, b->high), UNKNOWN);
	EXPECT_KEEP(test, b->low);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* a victim only if waves say so */
	b->high->seen.readable = true;
	b->low->seen.readable = false;
	b->low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	b->low->seen.waves = 0;
	EXPECT_IS(test, after(b, 1, b->low), UNKNOWN);
	EXPECT_KEEP(test, b->low);
	b->low->seen.waves = 1;
	EXPECT_IS(test, after(b, 1, b->low), RUNNING);
	EXPECT_OFF(test, b->low, INVERSION);

	/* and never forgotten, readable or not */
	bench_ticks(b, 1);
	finishes(b->high);
	EXPECT_BACK(test, after(b, 2, b->low), FREE);
	b->low->seen.waves = 0;
	KUNIT_EXPECT_FALSE(test, plan_after(b, 10)->idle);
}

/* What stands for indices that cannot be read is no evidence when they can be again. */
static void gpreempt_estimate_unreadable_indices(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(b->high);
	finishes(b->high);
	EXPECT_IS(test, after(b, 5, b->high), IDLE);
	b->high->seen.readable = false;
	b->high->seen.rptr = 0;
	b->high->seen.wptr = 0;
	EXPECT_IS(test, after(b, 1, b->high), UNKNOWN);
	b->high->seen.readable = true;
	b->high->seen.rptr = 1;
	b->high->seen.wptr = 1;
	EXPECT_IS(test, after(b, 1, b->high), IDLE);
	EXPECT_KEEP(test, b->low);
}

/*
 * Neither can its memory be read nor its waves be counted, as with MES: it keeps nobody
 * else off, and does not so protect itself from higher ones.
 */
static void gpreempt_estimate_unreadable_uncountable(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	b->waves_unreadable = true;
	b->low->seen.readable = false;
	b->low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	EXPECT_KEEP(test, after(b, 2, b->low));
	submits(b->high);
	EXPECT_IS(test, after(b, 1, b->low), UNKNOWN);
	EXPECT_OFF(test, b->low, INVERSION);
	bench_ticks(b, 1);
	finishes(b->high);
	KUNIT_EXPECT_TRUE(test, is_on(after(b, 2, b->low)));
	/* it is not work that others would leave for */
	b->low->terms.priority = 9;
	b->high->terms.priority = 3;
	submits(b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 5, b->high)->seen.mapped);
}

/* Its head waits, and the waves that it had cannot be counted: it may be in the way. */
static void gpreempt_estimate_blocked_uncountable(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	b->waves_unreadable = true;
	waits_for_signal(b->low);
	bench_ticks(b, 3);
	submits(b->high);
	KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
	EXPECT_IS(test, b->low, BLOCKED);
	EXPECT_OFF(test, b->low, INVERSION);
}

/* Backlog behind waves in flight still wants the machine; waves alone do not. */
static void gpreempt_estimate_running_waiter(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	runs(b->high);
	EXPECT_IS(test, after(b, 20, b->high), RUNNING);
	KUNIT_EXPECT_FALSE(test, b->high->out.wants);
	EXPECT_KEEP(test, b->low);

	submits(b->high);
	b->high->seen.head = GPREEMPT_HEAD_WAITS;
	EXPECT_IS(test, after(b, 1, b->high), RUNNING);
	EXPECT_KEEP(test, b->low);

	b->high->seen.head = GPREEMPT_HEAD_READY;
	EXPECT_IS(test, after(b, 1, b->high), RUNNING);
	KUNIT_EXPECT_TRUE(test, b->high->out.wants);
	EXPECT_OFF(test, b->low, INVERSION);
}

/* One interval without progress, not one moment: a stream costs no ping-pong. */
static void gpreempt_estimate_short_kernels(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);
	unsigned int i;

	for (i = 0; i < 100; i++) {
		submits(b->high);
		finishes(b->high);
		EXPECT_KEEP(test, after(b, 1, b->low));
	}
	EXPECT_BACK(test, after(b, 1, b->low), FREE);
}

/* Put back, a queue is not idle because its waves are not there yet. */
static void gpreempt_estimate_restored(struct kunit *test)
{
	struct bench *b = bench_three(test);

	bench_scan(b);
	runs(b->low);
	runs(b->mid);
	/* the newest packet is done; an older one beside it is not */
	b->mid->seen.signal = GPREEMPT_SIGNAL_DONE;
	EXPECT_KEEP(test, after(b, 5, b->low));
	EXPECT_KEEP(test, b->mid);
	submits(b->high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 2);
	bench_ticks(b, 1);
	finishes(b->high);
	bench_ticks(b, 2);

	/* the highest first, one level at a time */
	EXPECT_BACK(test, b->mid, FREE);
	EXPECT_KEEP(test, b->low);
	b->mid->seen.waves = 0;
	EXPECT_IS(test, after(b, 1, b->mid), RUNNABLE);
	EXPECT_KEEP(test, b->low);
	b->mid->seen.waves = 32;
	EXPECT_KEEP(test, after(b, 20, b->low));
	b->mid->seen.waves = 0;
	EXPECT_IS(test, after(b, 1, b->mid), IDLE);
	EXPECT_BACK(test, b->low, FREE);
}

/* If nothing comes back, because nothing was saved, low does not wait for it. */
static void gpreempt_estimate_restored_nothing(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);

	finishes(b->high);
	bench_ticks(b, 1);
	finishes(b->low);
	EXPECT_IS(test, after(b, 10, b->low), IDLE);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
}

/* What is held off may have had waves of which no scan knows: it is not idle. */
static void gpreempt_estimate_held_idle(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	EXPECT_IS(test, b->high, IDLE);
	b->high->terms.held = true;
	EXPECT_OFF(test, after(b, 1, b->high), ASKED);
	KUNIT_EXPECT_TRUE(test, after(b, 1, b->high)->seen.preempted);
	EXPECT_IS(test, b->high, BLOCKED);
}

/* Rule 2: a barrier on an unsatisfied signal gives way at once. */
static void gpreempt_estimate_blocked_head(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	waits_for_signal(b->high);
	EXPECT_IS(test, after(b, 3000, b->high), BLOCKED);
	EXPECT_KEEP(test, b->low);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);

	/* satisfied: a waiter at once */
	b->high->seen.head = GPREEMPT_HEAD_READY;
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);

	/* and blocked again, by the next barrier, when the first has run */
	bench_ticks(b, 1);
	is_fetched(b->high);
	waits_for_signal(b->high);
	b->high->seen.previous = GPREEMPT_SIGNAL_DONE;
	EXPECT_IS(test, after(b, 1, b->high), RUNNING);
	EXPECT_IS(test, after(b, 1, b->high), BLOCKED);
	EXPECT_BACK(test, b->low, BLOCKED);
}

/*
 * A dispatch that was consumed at fetch waits for space, and a barrier behind it
 * for the dispatch: that is no reason to let low have the machine.
 */
static void gpreempt_estimate_blocked_behind(struct kunit *test)
{
	static const struct {
		enum gpreempt_signal previous;
		bool preempts;
	} c[] = {
		{ GPREEMPT_SIGNAL_PENDING, true },
		{ GPREEMPT_SIGNAL_UNKNOWN, true },
		{ GPREEMPT_SIGNAL_DONE, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_low_runs(test);

		submits(b->high);
		b->high->seen.rptr++;
		waits_for_signal(b->high);
		b->high->seen.previous = c[i].previous;
		KUNIT_EXPECT_EQ(test, after(b, 2, b->low)->out.verdict,
				c[i].preempts ? GPREEMPT_PREEMPT : GPREEMPT_KEEP);
		bench_ticks(b, 1);
		if (c[i].preempts)
			EXPECT_IS(test, b->high, RUNNABLE);
		/* nothing comes: it waits after all, and is believed */
		EXPECT_IS(test, after(b, 4, b->high), BLOCKED);
		KUNIT_EXPECT_TRUE(test, b->low->seen.mapped);
		KUNIT_EXPECT_TRUE(test, after(b, 3000, b->low)->seen.mapped);
	}
}

/* Mid's head waits, and its waves were saved with low's, for a high that has ended since. */
static struct bench *bench_blocked_saved(struct kunit *test)
{
	struct bench *b = bench_three(test);

	bench_scan(b);
	runs(b->low);
	runs(b->mid);
	waits_for_signal(b->mid);
	bench_ticks(b, 5);
	submits(b->high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 2);
	b->mid->seen.waves = 0;
	return b;
}

/* Saved waves of a queue whose head waits come back before those below. */
static void gpreempt_estimate_blocked_saved(struct kunit *test)
{
	struct bench *b = bench_blocked_saved(test);

	bench_ticks(b, 1);
	finishes(b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 3, b->mid)->seen.mapped);
	EXPECT_IS(test, b->mid, RUNNABLE);
	KUNIT_EXPECT_TRUE(test, b->low->seen.preempted);
	b->mid->seen.waves = 8;
	KUNIT_EXPECT_TRUE(test, after(b, 50, b->low)->seen.preempted);
	b->mid->seen.waves = 0;
	EXPECT_IS(test, after(b, 1, b->mid), BLOCKED);
	EXPECT_BACK(test, b->low, BLOCKED);
}

/* It ended before it was taken off, and its head waits: low is not disturbed again. */
static void gpreempt_estimate_blocked_saved_nothing(struct kunit *test)
{
	struct bench *b = bench_blocked_saved(test);
	unsigned int i;

	b->mid->seen.previous = GPREEMPT_SIGNAL_DONE;
	bench_ticks(b, 1);
	finishes(b->high);
	EXPECT_IS(test, after(b, 5, b->mid), BLOCKED);
	for (i = 0; i < 5000; i++)
		KUNIT_EXPECT_TRUE(test, after(b, 1, b->low)->seen.mapped);
}

/* A chain: high waits for mid, mid for low, and low is what runs. */
static void gpreempt_estimate_blocked_chain(struct kunit *test)
{
	struct bench *b = bench_three(test);

	bench_scan(b);
	runs(b->low);
	bench_ticks(b, 3);
	waits_for_signal(b->mid);
	waits_for_signal(b->high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 10)->nr_preempt, 0);
	finishes(b->low);
	b->mid->seen.head = GPREEMPT_HEAD_READY;
	KUNIT_EXPECT_TRUE(test, after(b, 1, b->mid)->out.wants);
	EXPECT_IS(test, b->high, BLOCKED);
	runs(b->low);
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	EXPECT_KEEP(test, b->mid);
	EXPECT_KEEP(test, b->high);
}

/* Rule 2: given the machine, no progress and no waves, to the nanosecond. */
static void gpreempt_estimate_blocked_given(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	unsigned int i, off = 0;
	u64 given;

	submits(b->high);
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	bench_ticks(b, 1);
	given = b->view.now_ns;
	bench_scan_at(b, given + 1999999);
	EXPECT_IS(test, b->high, RUNNABLE);
	EXPECT_KEEP(test, b->low);
	bench_scan_at(b, given + 2000000);
	EXPECT_IS(test, b->high, BLOCKED);
	EXPECT_BACK(test, b->low, BLOCKED);
	/* more packets behind the stuck one change nothing */
	submits(b->high);
	for (i = 0; i < 999; i++)
		EXPECT_KEEP(test, after(b, 1, b->low));
	/* every starvation_ms it gets another chance of blocked_us */
	for (i = 0; i < 3000; i++) {
		bench_ticks(b, 1);
		off += b->low->seen.preempted;
	}
	KUNIT_EXPECT_GT(test, off, 0);
	KUNIT_EXPECT_LE(test, off, 3 * 3);
}

/*
 * Rule 3 before rule 2: a device that was slow for once makes a queue look
 * blocked. Beside one that never stops it has to be found out; signal or not.
 */
static void gpreempt_estimate_blocked_wrongly(struct kunit *test)
{
	unsigned int i, signal;

	for (signal = 0; signal < 2; signal++) {
		struct bench *b = bench_high_runs(test);

		b->low->seen.waves = 0;
		b->low->seen.signal = signal ? GPREEMPT_SIGNAL_PENDING : GPREEMPT_SIGNAL_UNKNOWN;
		/* starved, given the machine, and its restore is late */
		EXPECT_OFF(test, after(b, 1000, b->high), AGED);
		KUNIT_EXPECT_EQ(test, after(b, 5, b->low)->out.activity,
				signal ? GPREEMPT_BLOCKED : GPREEMPT_IDLE);
		KUNIT_EXPECT_TRUE(test, b->high->seen.mapped);
		for (i = 0; i < 1005 && !b->high->seen.preempted; i++)
			bench_ticks(b, 1);
		KUNIT_EXPECT_TRUE(test, b->high->seen.preempted);
	}
}

/* What ends being blocked. */
static void gpreempt_estimate_unblocked(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct bench *b = bench_low_runs(test);

		submits(b->high);
		submits(b->high);
		b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
		EXPECT_IS(test, after(b, 20, b->high), BLOCKED);
		EXPECT_KEEP(test, b->low);
		if (i == 0)
			b->high->seen.rptr++;
		else if (i == 1)
			b->high->seen.waves = 1;
		else if (i == 2)
			b->high->seen.head = GPREEMPT_HEAD_WAITS;
		else
			b->high->seen.mapped = false;
		bench_ticks(b, 1);
		if (i >= 2) {
			EXPECT_KEEP(test, b->low);
			b->high->seen.head = GPREEMPT_HEAD_READY;
			b->high->seen.mapped = true;
			bench_ticks(b, 1);
		}
		KUNIT_EXPECT_TRUE(test, b->high->out.wants);
		EXPECT_OFF(test, b->low, INVERSION);
		/* with a whole blocked_us of its own */
		b->high->seen.waves = 0;
		EXPECT_IS(test, after(b, 2, b->high), RUNNABLE);
		EXPECT_KEEP(test, b->low);
	}
}

/* Its head waited behind waves that were saved and never came: satisfied, it can run. */
static void gpreempt_estimate_unblocked_saved(struct kunit *test)
{
	struct bench *b = bench_blocked_saved(test);

	bench_ticks(b, 1);
	finishes(b->high);
	EXPECT_IS(test, after(b, 10, b->mid), BLOCKED);
	KUNIT_EXPECT_TRUE(test, b->low->seen.mapped);
	b->mid->seen.head = GPREEMPT_HEAD_READY;
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
}

/* What pauses as a rule gives the machine back at once, and is not waited for. */
static void gpreempt_estimate_pauses(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	unsigned int n;

	for (n = 0; n < 5; n++) {
		submits(b->high);
		EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
		finishes(b->high);
		bench_ticks(b, 1);
		/* nothing is known of it at first */
		if (n)
			EXPECT_BACK(test, b->low, FREE);
		else
			EXPECT_KEEP(test, b->low);
		EXPECT_KEEP(test, after(b, 20, b->low));
	}
	/* it changes its ways: waited for an interval again */
	for (n = 0; n < 20; n++) {
		submits(b->high);
		finishes(b->high);
		bench_ticks(b, 1);
	}
	EXPECT_KEEP(test, b->low);
	if (b->low->seen.mapped)
		EXPECT_IS(test, b->high, RUNNING);
}

/* A pause over which the clock went back has no length: the next one is the first. */
static void gpreempt_estimate_pauses_clock(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(b->high);
	finishes(b->high);
	bench_ticks(b, 3);
	b->view.now_ns -= 4 * INTERVAL_NS;
	submits(b->high);
	bench_ticks(b, 1);
	finishes(b->high);
	bench_ticks(b, 6);
	submits(b->high);
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	finishes(b->high);
	EXPECT_BACK(test, after(b, 1, b->low), FREE);
}

/* Something is pending, whatever the indices say: that was no pause. */
static void gpreempt_estimate_pauses_pending(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(b->high);
	finishes(b->high);
	bench_ticks(b, 3);
	/* scribbled over, the write index is behind the read index */
	b->high->seen.wptr -= 2;
	b->high->seen.signal = GPREEMPT_SIGNAL_PENDING;
	bench_ticks(b, 20);
	b->high->seen.wptr += 2;
	submits(b->high);
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	finishes(b->high);
	bench_ticks(b, 1);
	/* nothing is known of its pauses */
	EXPECT_KEEP(test, b->low);
}

/* High moves on while waves are counted, on a machine that low is on. */
static struct bench *bench_high_moves(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	/* all it has is in flight, and nothing tells when it ends: it has to be counted */
	b->low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	submits(b->high);
	b->mover = b->high;
	return b;
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

/* None is taken off for what got space, or ended, while waves were counted. */
static void gpreempt_estimate_late(struct kunit *test)
{
	static void (*const moves[])(struct gpreempt_queue_view *q) = { launches, finishes };
	struct bench *b;
	unsigned int i, consumed;

	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		for (consumed = 0; consumed < 2; consumed++) {
			b = bench_high_moves(test);
			if (consumed)
				is_fetched(b->high);
			b->meanwhile = moves[i];
			KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
			/* launched, what was fetched before moves no more */
			if (consumed && moves[i] == launches)
				continue;
			EXPECT_KEEP(test, b->low);
			EXPECT_KEEP(test, after(b, 3, b->low));
			KUNIT_EXPECT_EQ(test, b->high->out.activity, moves[i] == launches ?
					GPREEMPT_RUNNING : GPREEMPT_IDLE);
		}
	}
}

/* If it was fetched and got no space, the next scan finds out: also behind others' end. */
static void gpreempt_estimate_late_waits(struct kunit *test)
{
	static void (*const moves[])(struct gpreempt_queue_view *q) = {
		is_fetched, has_next_fetched, has_next_fetched_before_barrier,
	};
	struct bench *b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		b = bench_high_moves(test);
		if (i)
			launches(b->high);
		b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
		b->meanwhile = moves[i];
		KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
		EXPECT_KEEP(test, b->low);
		/* at once, if it had nothing before */
		if (!i)
			KUNIT_EXPECT_EQ(test, b->plan.within_us, GPREEMPT_POLL_LEAST_US);
		b->high->seen.waves = 0;
		EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	}
}

/* What has only just begun is looked at soon: also if it was evicted, not if it was at work. */
static void gpreempt_estimate_late_begins(struct kunit *test)
{
	struct bench *b;
	unsigned int worked;

	for (worked = 0; worked < 2; worked++) {
		b = bench_high_moves(test);
		b->high->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
		if (worked)
			launches(b->high);
		else
			b->high->seen.mapped = false;
		bench_ticks(b, 1);
		b->high->seen.mapped = true;
		b->high->seen.waves = 0;
		b->meanwhile = worked ? has_next_fetched : is_fetched;
		KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
		EXPECT_KEEP(test, b->low);
		KUNIT_EXPECT_EQ(test, b->plan.within_us, worked ? 0 : GPREEMPT_POLL_LEAST_US);
	}
}

/*
 * Some of its waves got space beside what runs, and its packet shows no longer that it has
 * more: taken for granted when it begins, and not when some of them may have ended.
 */
static void gpreempt_estimate_lacks(struct kunit *test)
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
	struct bench *b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		b = bench_low_runs(test);
		has_next_fetched(b->high);
		b->high->seen.signal = c[i].signal;
		b->high->seen.waves = c[i].waves;
		b->high->seen.newest = c[i].newest;
		KUNIT_EXPECT_EQ_MSG(test, after(b, 1, b->low)->out.verdict,
				    c[i].wants ? GPREEMPT_PREEMPT : GPREEMPT_KEEP, "%s", c[i].name);
	}

	b = bench_low_runs(test);
	has_next_fetched(b->high);
	b->high->seen.signal = GPREEMPT_SIGNAL_PENDING;
	b->high->seen.waves = 32;
	b->high->seen.newest = 32;
	EXPECT_KEEP(test, after(b, 1, b->low));
	b->high->seen.waves = 1;
	EXPECT_KEEP(test, after(b, 1, b->low));

	/* Counted before it was fetched: those of the packet before. */
	b = bench_high_moves(test);
	launches(b->high);
	b->high->seen.waves = 16;
	b->high->seen.newest = 32;
	b->meanwhile = has_next_fetched;
	KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
	EXPECT_KEEP(test, b->low);
	/* the next count tells */
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
}

/*
 * That the newest packet ended says nothing of those before it, launched after the
 * count; unless it waited for them.
 */
static void gpreempt_estimate_late_end(struct kunit *test)
{
	struct bench *b;
	unsigned int i, ordered;

	for (i = 0; i < 3; i++) {
		ordered = i == 1;
		b = bench_low_runs(test);
		submits(b->high);
		launches(b->high);
		EXPECT_IS(test, after(b, 1, b->high), RUNNING);
		b->high->seen.waves = 0;
		b->high->seen.ordered = ordered;
		b->mover = b->high;
		b->meanwhile = ordered ? finishes : ends_first;
		KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
		EXPECT_KEEP(test, b->low);
		if (ordered) {
			EXPECT_IS(test, b->high, IDLE);
			continue;
		}
		KUNIT_EXPECT_NE(test, b->high->out.activity, GPREEMPT_IDLE);
		if (i == 2) {
			/* so that was no pause */
			b->view.now_ns += 2 * INTERVAL_NS;
			submits(b->high);
			KUNIT_EXPECT_EQ(test, after(b, 1, b->high)->state.look_us, 0);
			continue;
		}
		/* nothing depends on it until one might be put back, or the monitor park */
		finishes(b->low);
		KUNIT_EXPECT_TRUE(test, asks_after(b, 1));
		EXPECT_IS(test, b->high, RUNNING);
	}
}

static void gpreempt_estimate_idle(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *q;

	bench_scan(b);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	q = bench_queue(b, 7);
	bench_queue(b, 8);
	bench_scan(b);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);

	/* evicted with waves: what brings it back wakes the monitor */
	runs(q);
	KUNIT_EXPECT_FALSE(test, plan_after(b, 1)->idle);
	q->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	KUNIT_EXPECT_NE(test, after(b, 1, q)->out.activity, GPREEMPT_IDLE);
	q->seen.mapped = false;
	q->seen.waves = 0;
	EXPECT_IS(test, after(b, 1, q), BLOCKED);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	EXPECT_KEEP(test, q);
	/* back, and its waves are about to be */
	q->seen.mapped = true;
	EXPECT_IS(test, after(b, 1, q), RUNNABLE);
	KUNIT_EXPECT_FALSE(test, b->plan.idle);
	finishes(q);
	KUNIT_EXPECT_TRUE(test, plan_after(b, 10)->idle);

	/* evicted without, and then with something in its ring */
	q->seen.mapped = false;
	EXPECT_IS(test, after(b, 1, q), IDLE);
	submits(q);
	EXPECT_IS(test, after(b, 1, q), BLOCKED);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	q->seen.readable = false;
	EXPECT_IS(test, after(b, 1, q), UNKNOWN);
	KUNIT_EXPECT_TRUE(test, b->plan.idle);
	q->seen.readable = true;
	q->seen.mapped = true;
	finishes(q);
	KUNIT_EXPECT_TRUE(test, plan_after(b, 10)->idle);

	/* the CPU may set a signal, and rings no doorbell either */
	waits_for_signal(q);
	KUNIT_EXPECT_FALSE(test, plan_after(b, 50)->idle);
	finishes(q);
	KUNIT_EXPECT_TRUE(test, plan_after(b, 10)->idle);

	/* a signal is pending */
	submits_fetched(q);
	KUNIT_EXPECT_FALSE(test, plan_after(b, 50)->idle);
}

/* A queue was not idle while it was not there. */
static void gpreempt_estimate_absent_idle(struct kunit *test)
{
	struct bench *b = bench_new(test, "strict");
	struct gpreempt_queue_view *q = bench_queue(b, 3);

	q->seen.mapped = false;
	bench_scan(b);
	EXPECT_IS(test, q, IDLE);
	q->seen.mapped = true;
	EXPECT_IS(test, after(b, 1, q), IDLE);
	KUNIT_EXPECT_FALSE(test, q->state.was_idle);
	KUNIT_EXPECT_TRUE(test, after(b, 1, q)->state.was_idle);
}

/* Evicted while it ran: what it does when it is back is another burst. */
static void gpreempt_estimate_absent_burst(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	/* nothing but its waves tells that it runs */
	b->low->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	KUNIT_EXPECT_LT(test, after(b, 1, b->low)->state.ends_ns, b->view.now_ns);
	b->low->seen.mapped = false;
	bench_ticks(b, 20);
	b->low->seen.mapped = true;
	EXPECT_IS(test, after(b, 1, b->low), RUNNING);
	/* of how long that takes nothing is known */
	KUNIT_EXPECT_EQ(test, b->low->state.ends_ns, b->view.now_ns);
}

/* Evicted and back, it is left there for as long as one that has just come. */
static void gpreempt_estimate_absent_residency(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	b->low->seen.mapped = false;
	bench_ticks(b, 1);
	b->low->seen.mapped = true;
	submits(b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 1, b->high)->out.wants);
	EXPECT_KEEP(test, b->low);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, b->view.now_ns + 500 * NSEC_PER_USEC);
}

/* Announced work: the machine is freed before it comes, to the nanosecond. */
static void gpreempt_estimate_hint(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	u64 cost = 300 * NSEC_PER_USEC, t = announces(b, b->high, 50, 20);

	b->low->seen.save_cost_ns = cost;
	KUNIT_EXPECT_TRUE(test, plan_after(b, 1)->waiting);
	EXPECT_IS(test, b->high, IDLE);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, t - cost - LATE_NS);
	bench_scan_at(b, b->plan.next_ns - 1);
	EXPECT_KEEP(test, b->low);
	bench_scan_at(b, b->view.now_ns + 1);
	EXPECT_OFF(test, b->low, HINT);
	KUNIT_EXPECT_TRUE(test, b->high->out.announced);
	KUNIT_EXPECT_EQ(test, b->plan.next_ns, 0);
	bench_commit(b);

	/* it is not blocked, and does not starve, because it has not come yet */
	bench_scan_at(b, t - 1);
	KUNIT_EXPECT_TRUE(test, b->high->out.announced);
	KUNIT_EXPECT_EQ(test, b->high->state.waits_ns, 0);
	EXPECT_KEEP(test, b->low);

	/* it comes, it pauses, it is over */
	submits(b->high);
	bench_ticks(b, 2);
	runs(b->high);
	KUNIT_EXPECT_FALSE(test, after(b, 5, b->high)->out.announced);
	finishes(b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 2, b->high)->out.announced);
	EXPECT_KEEP(test, b->low);
	submits_fetched(b->high);
	b->high->seen.waves = 32;
	bench_scan_at(b, t + 20 * INTERVAL_NS - 1);
	finishes(b->high);
	bench_scan_at(b, b->view.now_ns + 1);
	EXPECT_BACK(test, b->low, FREE);
	EXPECT_KEEP(test, after(b, 20, b->low));
}

/* Where a save takes long the machine is free early, and stays so until then. */
static void gpreempt_estimate_hint_early(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	unsigned int i;

	b->low->seen.save_cost_ns = 10 * INTERVAL_NS;
	announces(b, b->high, 30, 10);
	EXPECT_KEEP(test, after(b, 19, b->low));
	EXPECT_OFF(test, after(b, 1, b->low), HINT);
	/* five times blocked_us */
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_TRUE(test, after(b, 1, b->high)->out.announced);
		KUNIT_EXPECT_EQ(test, b->high->state.waits_ns, 0);
		EXPECT_KEEP(test, b->low);
	}
}

/* Of several announcements the first one's time counts, whichever queue's it is. */
static void gpreempt_estimate_hint_first(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	struct gpreempt_queue_view *above = bench_queue(b, 15);
	u64 t;

	b->high->terms.priority = 10;
	t = announces(b, b->high, 20, 30);
	announces(b, above, 30, 30);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->next_ns, t - LATE_NS);
	swap(b->high->terms.hint_ns, above->terms.hint_ns);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->next_ns, t - LATE_NS);
}

/* The machine is to be free in time whichever queue is saved: the costliest counts. */
static void gpreempt_estimate_hint_costliest(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	struct gpreempt_queue_view *other = bench_queue(b, 3);
	u64 t;

	b->low->seen.save_cost_ns = 100 * NSEC_PER_USEC;
	other->seen.save_cost_ns = 300 * NSEC_PER_USEC;
	t = announces(b, b->high, 20, 10);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->next_ns, t - 300 * NSEC_PER_USEC - LATE_NS);
	swap(b->low->seen.save_cost_ns, other->seen.save_cost_ns);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->next_ns, t - 300 * NSEC_PER_USEC - LATE_NS);
	/* what is not there is not saved */
	other->seen.mapped = false;
	other->seen.save_cost_ns = 900 * NSEC_PER_USEC;
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->next_ns, t - 300 * NSEC_PER_USEC - LATE_NS);
}

/* Whether a packet that came before is still under way is not known: the work is announced. */
static void gpreempt_estimate_hint_not_counted(struct kunit *test)
{
	struct bench *b = bench_three(test);

	bench_scan(b);
	runs(b->low);
	bench_ticks(b, 5);
	submits(b->low);
	submits(b->mid);
	finishes(b->mid);
	KUNIT_EXPECT_FALSE(test, asks_after(b, 1));
	EXPECT_KEEP(test, b->low);
	announces(b, b->mid, 1, 19);
	announces(b, b->high, 1, 19);
	KUNIT_EXPECT_FALSE(test, asks_after(b, 1));
	KUNIT_EXPECT_TRUE(test, b->mid->out.announced);
	EXPECT_OFF(test, b->low, HINT);
}

/* Announced, and it does not come: low is back after blocked_us. */
static void gpreempt_estimate_hint_void(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	u64 t = announces(b, b->high, 10, 500);

	bench_ticks(b, 1);
	bench_scan_at(b, b->plan.next_ns);
	EXPECT_OFF(test, b->low, HINT);
	bench_commit(b);
	bench_scan_at(b, t);
	bench_scan_at(b, t + 2000 * NSEC_PER_USEC - 1);
	EXPECT_KEEP(test, b->low);
	bench_scan_at(b, b->view.now_ns + 1);
	EXPECT_IS(test, b->high, IDLE);
	KUNIT_EXPECT_FALSE(test, b->high->out.announced);
	EXPECT_BACK(test, b->low, FREE);
	EXPECT_KEEP(test, after(b, 300, b->low));
	KUNIT_EXPECT_FALSE(test, b->plan.waiting);
	/* it is no starving queue, and the next announcement is believed */
	KUNIT_EXPECT_EQ(test, b->high->state.waits_ns, 0);
	b->high->terms.hint_ns = b->view.now_ns + INTERVAL_NS;
	KUNIT_EXPECT_TRUE(test, after(b, 2, b->low)->seen.preempted);
	/* neither here nor anywhere is a queue waited for that waits itself */
	waits_for_signal(b->high);
	KUNIT_EXPECT_EQ(test, after(b, 1, b->low)->out.verdict, GPREEMPT_RESUME);
}

/* Announced in vain, and at once anew: it has all its time again, before others are back. */
static void gpreempt_estimate_hint_again(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	announces(b, b->high, 1, 499);
	KUNIT_EXPECT_TRUE(test, after(b, 3, b->low)->seen.preempted);
	EXPECT_BACK(test, after(b, 1, b->low), FREE);
	b->high->terms.hint_ns = b->view.now_ns;
	bench_scan_at(b, b->view.now_ns + INTERVAL_NS);
	EXPECT_KEEP(test, b->low);
	KUNIT_EXPECT_TRUE(test, b->high->out.announced);
	bench_scan_at(b, b->view.now_ns + 2 * INTERVAL_NS);
	EXPECT_BACK(test, b->low, FREE);
}

/* Announced, and it does not come, just when a higher one wants the machine: it is idle. */
static void gpreempt_estimate_hint_void_above(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);
	struct gpreempt_queue_view *above = bench_queue(b, 15);

	b->high->terms.priority = 10;
	bench_ticks(b, 1);
	announces(b, b->high, 1, 500);
	EXPECT_OFF(test, after(b, 1, b->low), HINT);
	KUNIT_EXPECT_TRUE(test, after(b, 2, b->high)->out.announced);
	submits(above);
	EXPECT_IS(test, after(b, 1, b->high), IDLE);
	EXPECT_KEEP(test, b->high);
}

/* An announcement keeps the monitor awake, until it is over or not to be kept. */
static void gpreempt_estimate_hint_idle(struct kunit *test)
{
	struct bench *b = bench_two(test);

	KUNIT_EXPECT_TRUE(test, plan_after(b, 5)->idle);
	KUNIT_EXPECT_FALSE(test, b->plan.waiting);
	announces(b, b->high, 100, 1);
	KUNIT_EXPECT_FALSE(test, plan_after(b, 50)->idle);
	KUNIT_EXPECT_FALSE(test, plan_after(b, 50)->idle);
	EXPECT_KEEP(test, b->low);
	KUNIT_EXPECT_TRUE(test, plan_after(b, 1)->idle);
	announces(b, b->high, 100, 1);
	b->high->seen.mapped = false;
	KUNIT_EXPECT_TRUE(test, plan_after(b, 1)->idle);
}

/* Rule 10: what is about to end anyway, for all its past tells, is left alone. */
static void gpreempt_estimate_ends_soon(struct kunit *test)
{
	struct bench *b = bench_two(test);
	unsigned int i;

	b->low->seen.save_cost_ns = 3 * INTERVAL_NS;
	bench_ticks(b, 2);
	for (i = 0; i < 20; i++) {
		runs(b->low);
		bench_ticks(b, 10);
		finishes(b->low);
		bench_ticks(b, 10);
	}

	/* with 7 of 10 to go, it costs less to save it */
	runs(b->low);
	bench_ticks(b, 4);
	KUNIT_EXPECT_EQ(test, b->low->state.ends_ns, b->view.now_ns + 7 * INTERVAL_NS);
	submits(b->high);
	b->view.now_ns--;
	EXPECT_OFF(test, after(b, 1, b->low), INVERSION);
	bench_ticks(b, 1);
	finishes(b->high);
	finishes(b->low);
	bench_ticks(b, 40);

	/* with 2, not; but not for longer than that, and not if there is more */
	for (i = 0; i < 2; i++) {
		runs(b->low);
		bench_ticks(b, 9);
		KUNIT_EXPECT_EQ(test, b->low->state.ends_ns, b->view.now_ns + 2 * INTERVAL_NS);
		submits(b->high);
		if (i)
			submits(b->low);
		bench_ticks(b, 1);
		if (!i) {
			EXPECT_KEEP(test, b->low);
			bench_ticks(b, 1);
		}
		EXPECT_OFF(test, b->low, INVERSION);
		bench_ticks(b, 1);
		finishes(b->high);
		finishes(b->low);
		bench_ticks(b, 40);
	}
}

/* A clock that jumps back, or far ahead, does no lasting harm. */
static void gpreempt_estimate_clock_jumps(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);
	unsigned int i;

	bench_scan_at(b, 0);
	EXPECT_KEEP(test, b->low);
	KUNIT_EXPECT_EQ(test, b->low->out.level, 0);
	/* rule 3 from there */
	bench_scan_at(b, 1000 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, b->low->out.level, 0);
	bench_scan_at(b, b->view.now_ns + 1);
	KUNIT_EXPECT_EQ(test, b->low->out.level, GPREEMPT_BOOST);
	KUNIT_EXPECT_TRUE(test, after(b, 5, b->low)->seen.preempted);

	/* an hour passes in one interval: one turn for low, then as before */
	bench_scan_at(b, b->view.now_ns + 3600ULL * 1000 * NSEC_PER_MSEC);
	EXPECT_BACK(test, b->low, STARVED);
	bench_ticks(b, 5);
	for (i = 0; i < 900; i++)
		KUNIT_EXPECT_TRUE(test, after(b, 1, b->low)->seen.preempted);
	/* a queue that has just got the machine is not blocked by a jump back */
	finishes(b->high);
	bench_ticks(b, 5);
	submits(b->high);
	EXPECT_IS(test, after(b, 2, b->high), RUNNABLE);
	bench_scan_at(b, b->view.now_ns - 10 * INTERVAL_NS);
	EXPECT_IS(test, b->high, RUNNABLE);
	EXPECT_IS(test, after(b, 2, b->high), BLOCKED);
	/* nor does another one end that it is */
	bench_scan_at(b, b->view.now_ns - 5 * INTERVAL_NS);
	EXPECT_IS(test, b->high, BLOCKED);
}

static struct kunit_case gpreempt_estimate_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_estimate_backlog, backlog_gen_params),
	KUNIT_CASE(gpreempt_estimate_running),
	KUNIT_CASE(gpreempt_estimate_first_sight),
	KUNIT_CASE(gpreempt_estimate_first_sight_later),
	KUNIT_CASE(gpreempt_estimate_first_sight_launching),
	KUNIT_CASE_PARAM(gpreempt_estimate_waiter, fetch_model_gen_params),
	KUNIT_CASE_PARAM(gpreempt_estimate_waiter_no_signal, fetch_model_gen_params),
	KUNIT_CASE(gpreempt_estimate_done_is_not_launching),
	KUNIT_CASE(gpreempt_estimate_pooled_signal),
	KUNIT_CASE(gpreempt_estimate_launched),
	KUNIT_CASE(gpreempt_estimate_launching_next),
	KUNIT_CASE(gpreempt_estimate_launched_unseen),
	KUNIT_CASE(gpreempt_estimate_nonsense_write),
	KUNIT_CASE(gpreempt_estimate_launching_expires),
	KUNIT_CASE(gpreempt_estimate_unreadable),
	KUNIT_CASE(gpreempt_estimate_unreadable_indices),
	KUNIT_CASE(gpreempt_estimate_unreadable_uncountable),
	KUNIT_CASE(gpreempt_estimate_blocked_uncountable),
	KUNIT_CASE(gpreempt_estimate_running_waiter),
	KUNIT_CASE(gpreempt_estimate_short_kernels),
	KUNIT_CASE(gpreempt_estimate_restored),
	KUNIT_CASE(gpreempt_estimate_restored_nothing),
	KUNIT_CASE(gpreempt_estimate_held_idle),
	KUNIT_CASE(gpreempt_estimate_blocked_head),
	KUNIT_CASE(gpreempt_estimate_blocked_behind),
	KUNIT_CASE(gpreempt_estimate_blocked_saved),
	KUNIT_CASE(gpreempt_estimate_blocked_saved_nothing),
	KUNIT_CASE(gpreempt_estimate_blocked_chain),
	KUNIT_CASE(gpreempt_estimate_blocked_given),
	KUNIT_CASE(gpreempt_estimate_blocked_wrongly),
	KUNIT_CASE(gpreempt_estimate_unblocked),
	KUNIT_CASE(gpreempt_estimate_unblocked_saved),
	KUNIT_CASE(gpreempt_estimate_pauses),
	KUNIT_CASE(gpreempt_estimate_pauses_clock),
	KUNIT_CASE(gpreempt_estimate_pauses_pending),
	KUNIT_CASE(gpreempt_estimate_late),
	KUNIT_CASE(gpreempt_estimate_late_waits),
	KUNIT_CASE(gpreempt_estimate_late_begins),
	KUNIT_CASE(gpreempt_estimate_lacks),
	KUNIT_CASE(gpreempt_estimate_late_end),
	KUNIT_CASE(gpreempt_estimate_idle),
	KUNIT_CASE(gpreempt_estimate_absent_idle),
	KUNIT_CASE(gpreempt_estimate_absent_burst),
	KUNIT_CASE(gpreempt_estimate_absent_residency),
	KUNIT_CASE(gpreempt_estimate_hint),
	KUNIT_CASE(gpreempt_estimate_hint_early),
	KUNIT_CASE(gpreempt_estimate_hint_first),
	KUNIT_CASE(gpreempt_estimate_hint_costliest),
	KUNIT_CASE(gpreempt_estimate_hint_not_counted),
	KUNIT_CASE(gpreempt_estimate_hint_void),
	KUNIT_CASE(gpreempt_estimate_hint_again),
	KUNIT_CASE(gpreempt_estimate_hint_void_above),
	KUNIT_CASE(gpreempt_estimate_hint_idle),
	KUNIT_CASE(gpreempt_estimate_ends_soon),
	KUNIT_CASE(gpreempt_estimate_clock_jumps),
	{}
};

static struct kunit_suite gpreempt_estimate_suite = {
	.name = "amdgpu_kfd_gpreempt_estimate",
	.test_cases = gpreempt_estimate_cases,
};

kunit_test_suite(gpreempt_estimate_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's estimate");
MODULE_LICENSE("Dual MIT/GPL");
