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
	struct bench *b = bench_strict(test);
	struct gpreempt_queue_view *q = bench_queue(b, 7);

	runs(bench_queue(b, 0));
	q->seen.rptr = c->rptr;
	q->seen.wptr = c->wptr;
	q->seen.size = c->size;
	q->seen.head = c->head;
	q->seen.readable = !c->unreadable;
	bench_scan(b);
	KUNIT_EXPECT_EQ(test, q->change.backlog, c->backlog);
	KUNIT_EXPECT_EQ(test, q->out.activity, c->state);
	KUNIT_EXPECT_EQ(test, q->out.wants, c->state == GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_EQ(test, q->out.level, 7);
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
	has_next_fetched(q);
	waits_for_signal(q);
}

/* Its memory cannot be read. */
static void is_unreadable(struct gpreempt_queue_view *q)
{
	q->seen.readable = false;
	q->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
}

/* Mid's head waits, and its waves were saved with low's, for a high that has ended since. */
static struct bench *bench_blocked_saved(struct kunit *test)
{
	struct bench *b = bench_three(test);

	bench_scan(b);
	runs(&b->low);
	runs(&b->mid);
	waits_for_signal(&b->mid);
	bench_ticks(b, 5);
	submits(&b->high);
	KUNIT_EXPECT_EQ(test, plan_after(b, 1)->nr_preempt, 2);
	b->mid.seen.waves = 0;
	return b;
}

/* High is about to move on while waves are counted, on a machine that low is on. */
static struct bench *bench_high_moves(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	/* all it has is in flight, and nothing tells when it ends: it has to be counted */
	b->low.seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	submits(&b->high);
	return b;
}

/* It takes low off until its waves come; and low is back when they have ended. */
static const struct step waits_without_signal[] = {
	SIGNAL(high, UNKNOWN), SCAN(1), OFF(low, INVERSION),
	SCAN(1), IS(high, RUNNABLE), KEEP(low),
	DOES(high, is_fetched), WAVES(high, 4), SCAN(5), KEEP(low),
	WAVES(high, 0), SCAN(1), IS(high, IDLE), BACK(low, FREE), {}
};

/* High was given the machine, and did not use it. */
static const struct step found_blocked[] = {
	REPEAT(2, DOES(high, submits)), SIGNAL(high, UNKNOWN),
	SCAN(20), IS(high, BLOCKED), KEEP(low), {}
};

/* It is blocked no more, and has a whole blocked_us of its own. */
static const struct step is_unblocked[] = {
	SCAN(1), YES(high.out.wants), OFF(low, INVERSION),
	WAVES(high, 0), SCAN(2), IS(high, RUNNABLE), KEEP(low), {}
};

/* A dispatch that was fetched waits for space, and a barrier for it; but nothing comes of it. */
static const struct step waits_behind[] = {
	SCAN(1), SEE(low.out.verdict, GPREEMPT_PREEMPT), SCAN(1), IS(high, RUNNABLE),
	SCAN(4), IS(high, BLOCKED), ON(low), SCAN(3000), ON(low), {}
};

/* So many of its newest packet's waves are there when it begins. */
#define LAUNCHES(n, newest_has, is)								\
	REPEAT(1, DOES(high, has_next_fetched), SIGNAL(high, is), PREVIOUS(high, is),		\
	       WAVES(high, n), SET(high.seen.begun, newest_has), SCAN(1))

#define COST_NS		(300 * NSEC_PER_USEC)

static const struct scene estimate_scenes[] = {
	/* Equal indices do not mean idle: a long kernel shows an empty ring. */
	{ "running", bench_low_runs, STEPS {
		SIGNAL(low, UNKNOWN), SCAN(5000), IS(low, RUNNING), NO(plan.idle),
		/* a newest packet that completed says nothing of older ones */
		SIGNAL(low, DONE), SCAN(10), IS(low, RUNNING), NO(plan.idle),
		/* the read index moved, no waves: running for this one scan */
		DOES(low, submits), DOES(low, finishes), SCAN(1), IS(low, RUNNING),
		SCAN(1), IS(low, IDLE), YES(plan.idle), {} } },
	/* A kernel that was there before the first scan is found by its waves only. */
	{ "first_sight", bench_two, STEPS {
		DOES(low, runs), DOES(high, runs), DOES(high, finishes),
		SIGNAL(low, UNKNOWN), SIGNAL(high, UNKNOWN),
		SCAN(1), YES(asked), IS(low, RUNNING), NO(plan.idle),
		/* and what high did before that is no evidence of new work */
		IS(high, IDLE), SCAN(5), KEEP(low), {} } },
	/* The same if the first look at its waves comes only later. */
	{ "first_sight_later", bench_strict, STEPS {
		QUEUE(0), QUEUE(0), DOES(one, runs), SIGNAL(one, UNKNOWN), DOES(other, runs),
		SCAN(1), NO(asked),
		DOES(other, finishes), SCAN(5), IS(one, RUNNING), NO(plan.idle), {} } },
	/* A packet that waited for space before the first scan: its signal tells; ... */
	{ "first_sight_launching", bench_two, STEPS {
		DOES(low, runs), DOES(high, runs), WAVES(high, 0),
		SCAN(2), OFF(low, INVERSION), {} } },
	/* ... with a barrier behind it, that of the packet before the barrier; ... */
	{ "first_sight_launching_barrier", bench_two, STEPS {
		DOES(low, runs), DOES(high, runs), WAVES(high, 0),
		DOES(high, waits_for_signal), PREVIOUS(high, PENDING),
		SCAN(2), OFF(low, INVERSION), {} } },
	/* ... also if that is new. */
	{ "first_sight_launching_new_barrier", bench_two, STEPS {
		DOES(low, runs), DOES(high, runs), WAVES(high, 0), SCAN(1),
		DOES(high, waits_for_signal), PREVIOUS(high, PENDING),
		SCAN(1), OFF(low, INVERSION), {} } },
	/* A packet that waits for space is backlog, ... */
	{ "waiter", bench_low_runs, STEPS {
		DOES(high, submits), SCAN(1), YES(high.out.wants), OFF(low, INVERSION),
		KEEP(high), SEE(plan.nr_preempt, 1), SEE(plan.nr_resume, 0), {} } },
	/* ... or it was fetched, and shows equal indices and no waves. */
	{ "waiter_fetched", bench_low_runs, STEPS {
		DOES(high, submits_fetched), SCAN(1), YES(high.out.wants), OFF(low, INVERSION),
		KEEP(high), SEE(plan.nr_preempt, 1), SEE(plan.nr_resume, 0), {} } },
	/* The same without a completion signal: ... */
	{ "waiter_no_signal", bench_low_runs, STEPS {
		DOES(high, submits), PLAY(waits_without_signal), {} } },
	/* ... the moved index is the evidence. */
	{ "waiter_fetched_no_signal", bench_low_runs, STEPS {
		DOES(high, submits_fetched), PLAY(waits_without_signal), {} } },
	/* A short kernel that came and went between two scans takes nobody off. */
	{ "done_is_not_launching", bench_low_runs, STEPS {
		REPEAT(7, DOES(high, submits), DOES(high, finishes),
		       EACH(3, NO(high.out.wants), KEEP(low))), {} } },
	/* Its last signal is re-used for another queue's packet. */
	{ "pooled_signal", bench_low_runs, STEPS {
		DOES(high, submits), DOES(high, finishes), SCAN(2), SIGNAL(high, PENDING),
		EACH(10, IS(high, IDLE), KEEP(low)),
		DOES(low, finishes), SCAN(5), YES(plan.idle), DOES(low, runs), SCAN(1),
		DOES(high, submits_fetched), SCAN(1), OFF(low, INVERSION), {} } },
	/* Evidence without a signal holds until waves are seen, and no longer. */
	{ "launched", bench_low_runs, STEPS {
		SET(view.tun.min_residency_us, 7000), DOES(high, submits_fetched),
		SIGNAL(high, UNKNOWN), SCAN(1), YES(high.out.wants), KEEP(low),
		WAVES(high, 4), SCAN(1), NO(high.out.wants), KEEP(low),
		WAVES(high, 0), SCAN(1), NO(high.out.wants), KEEP(low), {} } },
	/*
	 * Some waves of the packet before a barrier have ended, and others have found no space:
	 * its signal tells.
	 */
	{ "launched_in_part", bench_low_runs, STEPS {
		DOES(high, submits_fetched), DOES(high, waits_for_signal), PREVIOUS(high, PENDING),
		WAVES(high, 4), SCAN(2), IS(high, RUNNING), KEEP(low),
		WAVES(high, 0), SCAN(1), YES(asked), IS(high, RUNNABLE),
		OFF(low, INVERSION), {} } },
	{ "launched_in_part_no_signal", bench_low_runs, STEPS {
		DOES(high, submits_fetched), DOES(high, waits_for_signal), PREVIOUS(high, UNKNOWN),
		WAVES(high, 4), SCAN(2), IS(high, RUNNING), KEEP(low),
		WAVES(high, 0), EACH(9, KEEP(low)), {} } },
	/* The second packet of a batch, consumed when the first one ended. */
	{ "launching_next", bench_low_runs, STEPS {
		DOES(high, submits), DOES(high, submits), SIGNAL(high, UNKNOWN), SCAN(1),
		SET(high.seen.rptr, 1), WAVES(high, 4), SCAN(1),
		SET(high.seen.rptr, 2), WAVES(high, 0), SCAN(2), IS(high, RUNNABLE),
		KEEP(low), {} } },
	/* Nor does it outlive a time in which none kept the queue from launching. */
	{ "launched_unseen", bench_two, STEPS {
		/* and none are counted for it alone */
		QUEUE(15), SET(view.blind, true), SCAN(1),
		DOES(high, submits_fetched), SIGNAL(high, UNKNOWN), DOES(third, runs),
		SCAN(5), NO(asked),
		DOES(third, finishes), DOES(low, runs), SCAN(1), NO(high.out.wants),
		KEEP(low), {} } },
	/* A write index that is scribbled over is no evidence of anything. */
	{ "nonsense_write", bench_low_runs, STEPS {
		SET(high.seen.wptr, -1), SCAN(1), IS(high, IDLE), KEEP(low),
		SET(high.seen.wptr, -99), EACH(9, IS(high, IDLE), KEEP(low)),
		/* one that claims a full ring gets its chance, and is found out */
		SET(high.seen.wptr, S64_MAX), SCAN(10), IS(high, BLOCKED), KEEP(low),
		ON(low), {} } },
	/* Launching is a claim that ends: given the machine, it must show waves. */
	{ "launching_expires", bench_low_runs, STEPS {
		DOES(high, submits_fetched), SIGNAL(high, UNKNOWN), SCAN(1), OFF(low, INVERSION),
		EACH(2, IS(high, RUNNABLE), KEEP(low)), SCAN(1), IS(high, IDLE), BACK(low, FREE),
		/* nor does it come back with nothing new; a new packet does */
		SCAN(3000), IS(high, IDLE), KEEP(low),
		DOES(high, submits), SCAN(1), OFF(low, INVERSION), {} } },
	/* The same with a signal: it is blocked. */
	{ "launching_expires_pending", bench_low_runs, STEPS {
		DOES(high, submits_fetched), SCAN(1), OFF(low, INVERSION),
		EACH(2, IS(high, RUNNABLE), KEEP(low)),
		SCAN(1), IS(high, BLOCKED), BACK(low, BLOCKED),
		SCAN(3000), IS(high, BLOCKED), KEEP(low),
		DOES(high, submits), SCAN(1), OFF(low, INVERSION), {} } },
	/* Rule 7: what cannot be read is unknown, and unknown is not runnable. */
	{ "unreadable", bench_low_runs, STEPS {
		DOES(high, submits), DOES(high, is_unreadable),
		SCAN(1), IS(high, UNKNOWN), KEEP(low), NO(plan.idle),
		/* a victim in any case: it may have a slot, at least */
		SET(high.seen.readable, true), DOES(low, is_unreadable), WAVES(low, 0),
		SCAN(1), OFF(low, INVERSION),
		/* and never forgotten, readable or not */
		SCAN(1), DOES(high, finishes), SCAN(1), BACK(low, FREE),
		WAVES(low, 0), SCAN(10), NO(plan.idle), {} } },
	/* What stands for indices that cannot be read is no evidence when they can be again. */
	{ "unreadable_indices", bench_low_runs, STEPS {
		DOES(high, submits), DOES(high, finishes), SCAN(5), IS(high, IDLE),
		SET(high.seen.readable, false), SET(high.seen.rptr, 0), SET(high.seen.wptr, 0),
		SCAN(1), IS(high, UNKNOWN),
		SET(high.seen.readable, true), SET(high.seen.rptr, 1), SET(high.seen.wptr, 1),
		SCAN(1), IS(high, IDLE), KEEP(low), {} } },
	/*
	 * Neither can its memory be read nor its waves be counted, as with MES: it keeps nobody
	 * else off, and does not so protect itself from higher ones.
	 */
	{ "unreadable_uncountable", bench_low_runs, STEPS {
		SET(waves_unreadable, true), DOES(low, is_unreadable), SCAN(2), KEEP(low),
		DOES(high, submits), SCAN(1), OFF(low, INVERSION),
		SCAN(1), DOES(high, finishes), SCAN(2), BACK(low, FREE),
		/* it is not work that others would leave for */
		SET(low.terms.priority, 9), SET(high.terms.priority, 3), DOES(high, submits),
		SCAN(5), ON(high), {} } },
	/* Its head waits, and the waves that it had cannot be counted: it may be in the way. */
	{ "blocked_uncountable", bench_low_runs, STEPS {
		SET(waves_unreadable, true), DOES(low, waits_for_signal), SCAN(3),
		DOES(high, submits), SCAN(1), YES(asked), IS(low, BLOCKED),
		OFF(low, INVERSION), {} } },
	/* Backlog behind waves in flight still wants the machine; waves alone do not. */
	{ "running_waiter", bench_low_runs, STEPS {
		DOES(high, runs), SCAN(20), IS(high, RUNNING), NO(high.out.wants), KEEP(low),
		DOES(high, waits_for_signal), SCAN(1), IS(high, RUNNING), KEEP(low),
		HEAD(high, READY), SCAN(1), IS(high, RUNNING), YES(high.out.wants),
		OFF(low, INVERSION), {} } },
	/* Short kernels that no scan catches keep nobody off: low is back, for good. */
	{ "short_kernels", bench_high_runs, STEPS {
		DOES(high, submits), DOES(high, finishes), SCAN(1), BACK(low, FREE),
		REPEAT(100, DOES(high, submits), DOES(high, finishes), SCAN(1), KEEP(low)),
		{} } },
	/* Put back, a queue is not idle because its waves are not there yet. */
	{ "restored", bench_three, STEPS {
		SCAN(1), DOES(low, runs), DOES(mid, runs),
		/* the newest packet is done; an older one beside it is not */
		SIGNAL(mid, DONE), SCAN(5), KEEP(low), KEEP(mid),
		DOES(high, submits), SCAN(1), SEE(plan.nr_preempt, 2), SCAN(1),
		/* the highest first, one level at a time */
		DOES(high, finishes), SCAN(1), BACK(mid, FREE), KEEP(low),
		WAVES(mid, 0), SCAN(1), IS(mid, RUNNABLE), KEEP(low),
		WAVES(mid, 32), SCAN(5), KEEP(low),
		WAVES(mid, 0), SCAN(1), IS(mid, IDLE), BACK(low, FREE), {} } },
	/* If nothing comes back, because nothing was saved, low does not wait for it. */
	{ "restored_nothing", bench_high_runs, STEPS {
		DOES(high, finishes), SCAN(1), DOES(low, finishes),
		SCAN(10), IS(low, IDLE), YES(plan.idle), {} } },
	/* Back beside one that fills the machine, it waits on, though a packet of it is fetched. */
	{ "restored_fetched", bench_high_runs, STEPS {
		WAVES(low, 0), UNTIL(low.out.verdict, GPREEMPT_RESUME), SCAN(1),
		DOES(low, submits_fetched), SCAN(1), IS(low, RUNNING),
		SEE(low.state.waits_ns, 12 * INTERVAL_NS),
		WAVES(low, 1), SCAN(1), IS(low, RUNNING), SEE(low.state.waits_ns, 0), {} } },
	/* What is held off may have had waves of which no scan knows: it is not idle. */
	{ "held_idle", bench_low_runs, STEPS {
		IS(high, IDLE), SET(high.terms.held, true), SCAN(1), OFF(high, ASKED),
		SCAN(1), GONE(high), IS(high, BLOCKED), {} } },
	/* Rule 2: a barrier on an unsatisfied signal gives way at once. */
	{ "blocked_head", bench_low_runs, STEPS {
		DOES(high, waits_for_signal), SCAN(3000), IS(high, BLOCKED), KEEP(low),
		NO(plan.idle),
		/* satisfied: a waiter at once */
		HEAD(high, READY), SCAN(1), OFF(low, INVERSION), SCAN(1),
		/* and blocked again, by the next barrier, when the first has run */
		DOES(high, is_fetched), DOES(high, waits_for_signal), PREVIOUS(high, DONE),
		SCAN(1), IS(high, RUNNING), SCAN(1), IS(high, BLOCKED), BACK(low, BLOCKED), {} } },
	/* Behind a dispatch that waits for space a barrier does not let low go on, ... */
	{ "blocked_behind", bench_low_runs, STEPS {
		DOES(high, submits_fetched), DOES(high, waits_for_signal), PREVIOUS(high, PENDING),
		PLAY(waits_behind), {} } },
	/* ... nor behind one of which nothing is known, ... */
	{ "blocked_behind_unknown", bench_low_runs, STEPS {
		DOES(high, submits_fetched), DOES(high, waits_for_signal),
		PLAY(waits_behind), {} } },
	/* ... but behind one that has ended. */
	{ "blocked_behind_done", bench_low_runs, STEPS {
		DOES(high, submits_fetched), DOES(high, waits_for_signal), PREVIOUS(high, DONE),
		SCAN(2), KEEP(low), SCAN(5), IS(high, BLOCKED), SCAN(3000), ON(low), {} } },
	/* Saved waves of a queue whose head waits come back before those below. */
	{ "blocked_saved", bench_blocked_saved, STEPS {
		SCAN(1), DOES(high, finishes), SCAN(3), ON(mid), IS(mid, RUNNABLE), GONE(low),
		WAVES(mid, 8), SCAN(5), GONE(low),
		WAVES(mid, 0), SCAN(1), IS(mid, BLOCKED), BACK(low, BLOCKED), {} } },
	/* It ended before it was taken off, and its head waits: low is not disturbed again. */
	{ "blocked_saved_nothing", bench_blocked_saved, STEPS {
		PREVIOUS(mid, DONE), SCAN(1), DOES(high, finishes), SCAN(5), IS(mid, BLOCKED),
		EACH(5000, ON(low)), {} } },
	/* A chain: high waits for mid, mid for low, and low is what runs. */
	{ "blocked_chain", bench_three, STEPS {
		SCAN(1), DOES(low, runs), SCAN(3),
		DOES(mid, waits_for_signal), DOES(high, waits_for_signal),
		SCAN(10), SEE(plan.nr_preempt, 0),
		DOES(low, finishes), HEAD(mid, READY),
		SCAN(1), YES(mid.out.wants), IS(high, BLOCKED),
		DOES(low, runs), SCAN(1), OFF(low, INVERSION), KEEP(mid), KEEP(high), {} } },
	/* Rule 2: given the machine, no progress and no waves, to the nanosecond. */
	{ "blocked_given", bench_low_runs, STEPS {
		DOES(high, submits), SCAN(1), OFF(low, INVERSION), SCAN(1),
		RESCAN(1999999), IS(high, RUNNABLE), KEEP(low),
		RESCAN(1), IS(high, BLOCKED), BACK(low, BLOCKED),
		/* more packets behind the stuck one change nothing */
		DOES(high, submits), EACH(999, KEEP(low)),
		/* every starvation_ms it gets another chance of blocked_us */
		COUNT, SCAN(3000), MOST(had[0], 2999), LEAST(had[0], 2991), {} } },
	/*
	 * Rule 3 before rule 2: a device that was slow for once makes a queue look blocked. Beside
	 * one that never stops it has to be found out; with a signal ...
	 */
	{ "blocked_wrongly", bench_high_runs, STEPS {
		WAVES(low, 0), SCAN(1000), OFF(high, AGED),
		/* its restore is late */
		SCAN(5), IS(low, BLOCKED), ON(high), UNTIL(high.seen.preempted, true), {} } },
	/* ... or without. */
	{ "blocked_wrongly_no_signal", bench_high_runs, STEPS {
		WAVES(low, 0), SIGNAL(low, UNKNOWN), SCAN(1000), OFF(high, AGED),
		SCAN(5), IS(low, IDLE), ON(high), UNTIL(high.seen.preempted, true), {} } },
	/* What ends being blocked: that its read index moves, ... */
	{ "unblocked", bench_low_runs, STEPS {
		PLAY(found_blocked), SET(high.seen.rptr, 1), PLAY(is_unblocked), {} } },
	/* ... waves, ... */
	{ "unblocked_waves", bench_low_runs, STEPS {
		PLAY(found_blocked), WAVES(high, 1), PLAY(is_unblocked), {} } },
	/* ... that its head waited for a signal, ... */
	{ "unblocked_head", bench_low_runs, STEPS {
		PLAY(found_blocked), HEAD(high, WAITS), SCAN(1), KEEP(low),
		HEAD(high, READY), PLAY(is_unblocked), {} } },
	/* ... and that it was evicted. */
	{ "unblocked_evicted", bench_low_runs, STEPS {
		PLAY(found_blocked), SET(high.seen.mapped, false), SCAN(1), KEEP(low),
		SET(high.seen.mapped, true), PLAY(is_unblocked), {} } },
	/* Its head waited behind waves that were saved and never came: satisfied, it can run. */
	{ "unblocked_saved", bench_blocked_saved, STEPS {
		SCAN(1), DOES(high, finishes), SCAN(10), IS(mid, BLOCKED), ON(low),
		HEAD(mid, READY), SCAN(1), OFF(low, INVERSION), {} } },
	/* None is taken off for what got space while waves were counted, ... */
	{ "late", bench_high_moves, STEPS {
		MEANWHILE(high, launches), SCAN(1), YES(asked), KEEP(low),
		SCAN(3), KEEP(low), IS(high, RUNNING), {} } },
	/* ... or ended, ... */
	{ "late_ended", bench_high_moves, STEPS {
		MEANWHILE(high, finishes), SCAN(1), YES(asked), KEEP(low),
		SCAN(3), KEEP(low), IS(high, IDLE), {} } },
	/* ... although it had been fetched. */
	{ "late_fetched_ended", bench_high_moves, STEPS {
		DOES(high, is_fetched), MEANWHILE(high, finishes), SCAN(1), YES(asked), KEEP(low),
		SCAN(3), KEEP(low), IS(high, IDLE), {} } },
	/* If it was fetched and got no space, the next scan finds out, which comes soon; ... */
	{ "late_waits", bench_high_moves, STEPS {
		SIGNAL(high, UNKNOWN), MEANWHILE(high, is_fetched), SCAN(1), YES(asked), KEEP(low),
		SEE(plan.within_us, GPREEMPT_POLL_LEAST_US),
		WAVES(high, 0), SCAN(1), OFF(low, INVERSION), {} } },
	/* ... also behind others' end, ... */
	{ "late_waits_next", bench_high_moves, STEPS {
		DOES(high, launches), SIGNAL(high, UNKNOWN), MEANWHILE(high, has_next_fetched),
		SCAN(1), YES(asked), KEEP(low),
		WAVES(high, 0), SCAN(1), OFF(low, INVERSION), {} } },
	/* ... and before a barrier. */
	{ "late_waits_before_barrier", bench_high_moves, STEPS {
		DOES(high, launches), SIGNAL(high, UNKNOWN),
		MEANWHILE(high, has_next_fetched_before_barrier),
		SCAN(1), YES(asked), KEEP(low),
		WAVES(high, 0), SCAN(1), OFF(low, INVERSION), {} } },
	/* What has only just begun is looked at soon: also if it was evicted, ... */
	{ "late_begins", bench_high_moves, STEPS {
		SIGNAL(high, UNKNOWN), SET(high.seen.mapped, false), SCAN(1),
		SET(high.seen.mapped, true), MEANWHILE(high, is_fetched), SCAN(1), YES(asked),
		KEEP(low), SEE(plan.within_us, GPREEMPT_POLL_LEAST_US), {} } },
	/* ... not if it was at work. */
	{ "late_goes_on", bench_high_moves, STEPS {
		DOES(high, launches), SIGNAL(high, UNKNOWN), SCAN(1),
		WAVES(high, 0), MEANWHILE(high, has_next_fetched), SCAN(1), YES(asked),
		KEEP(low), SEE(plan.within_us, 0), {} } },
	/* Some of its waves got space beside what runs, and no index shows that it has more: ... */
	{ "lacks_half", bench_low_runs, STEPS {
		LAUNCHES(16, 32, PENDING), OFF(low, INVERSION), {} } },
	{ "lacks_one", bench_low_runs, STEPS {
		LAUNCHES(31, 32, PENDING), OFF(low, INVERSION), {} } },
	/* ... nor its signal; ... */
	{ "lacks_signal", bench_low_runs, STEPS {
		LAUNCHES(16, 32, UNKNOWN), OFF(low, INVERSION), {} } },
	/* ... it has all; ... */
	{ "lacks_none", bench_low_runs, STEPS { LAUNCHES(32, 32, PENDING), KEEP(low), {} } },
	/* ... with those of earlier packets; ... */
	{ "lacks_less", bench_low_runs, STEPS { LAUNCHES(33, 32, PENDING), KEEP(low), {} } },
	/* ... for all that is known; ... */
	{ "lacks_unknown", bench_low_runs, STEPS { LAUNCHES(16, 0, PENDING), KEEP(low), {} } },
	/* ... it has ended; ... */
	{ "lacks_done", bench_low_runs, STEPS { LAUNCHES(16, 32, DONE), KEEP(low), {} } },
	/* ... it had all when it began, and some of them may have ended. */
	{ "lacks_later", bench_low_runs, STEPS {
		LAUNCHES(32, 32, PENDING), KEEP(low), WAVES(high, 1), SCAN(1), KEEP(low), {} } },
	/* Counted before it was fetched: those of the packet before. The next count tells. */
	{ "lacks_late", bench_high_moves, STEPS {
		DOES(high, launches), WAVES(high, 16), SET(high.seen.begun, 32),
		MEANWHILE(high, has_next_fetched), SCAN(1), YES(asked), KEEP(low),
		SCAN(1), OFF(low, INVERSION), {} } },
	/* That the newest packet ended says nothing of what was launched after the count; ... */
	{ "late_end", bench_low_runs, STEPS {
		DOES(high, submits), DOES(high, launches), SCAN(1), IS(high, RUNNING),
		WAVES(high, 0), MEANWHILE(high, ends_first), SCAN(1), YES(asked), KEEP(low),
		SEE_NOT(high.out.activity, GPREEMPT_IDLE),
		/* nothing depends on it until one might be put back, or the monitor park */
		DOES(low, finishes), SCAN(1), YES(asked), IS(high, RUNNING), {} } },
	/* ... unless it waited for them. */
	{ "late_end_ordered", bench_low_runs, STEPS {
		DOES(high, submits), DOES(high, launches), SCAN(1), IS(high, RUNNING),
		WAVES(high, 0), SET(high.seen.ordered, true), MEANWHILE(high, finishes),
		SCAN(1), YES(asked), KEEP(low), IS(high, IDLE), {} } },
	/* The monitor may park when none that is there has anything. */
	{ "idle", bench_strict, STEPS {
		SCAN(1), YES(plan.idle), QUEUE(7), QUEUE(8), SCAN(1), YES(plan.idle),
		/* evicted with waves: what brings it back wakes the monitor */
		DOES(one, runs), SCAN(1), NO(plan.idle),
		SIGNAL(one, UNKNOWN), SCAN(1), SEE_NOT(one.out.activity, GPREEMPT_IDLE),
		SET(one.seen.mapped, false), WAVES(one, 0),
		SCAN(1), IS(one, BLOCKED), YES(plan.idle), KEEP(one),
		/* back, and its waves are about to be */
		SET(one.seen.mapped, true), SCAN(1), IS(one, RUNNABLE), NO(plan.idle),
		DOES(one, finishes), SCAN(10), YES(plan.idle),
		/* evicted without, and then with something in its ring */
		SET(one.seen.mapped, false), SCAN(1), IS(one, IDLE),
		DOES(one, submits), SCAN(1), IS(one, BLOCKED), YES(plan.idle),
		SET(one.seen.readable, false), SCAN(1), IS(one, UNKNOWN), YES(plan.idle),
		SET(one.seen.readable, true), SET(one.seen.mapped, true), DOES(one, finishes),
		SCAN(10), YES(plan.idle),
		/* the CPU may set a signal, and rings no doorbell either */
		DOES(one, waits_for_signal), SCAN(50), NO(plan.idle),
		DOES(one, finishes), SCAN(10), YES(plan.idle),
		/* a signal is pending */
		DOES(one, submits_fetched), SCAN(50), NO(plan.idle), {} } },
	/* A queue was not idle while it was not there. */
	{ "absent_idle", bench_strict, STEPS {
		QUEUE(3), SET(one.seen.mapped, false), SCAN(1), IS(one, IDLE),
		SET(one.seen.mapped, true), SCAN(1), IS(one, IDLE), NO(one.state.was_idle),
		SCAN(1), YES(one.state.was_idle), {} } },
	/* Evicted and back, it is left there for as long as one that has just come. */
	{ "absent_residency", bench_low_runs, STEPS {
		SET(low.seen.mapped, false), SCAN(1), SET(low.seen.mapped, true),
		DOES(high, submits), SCAN(1), YES(high.out.wants), KEEP(low),
		SEE_IN(plan.next_ns, 500 * NSEC_PER_USEC), {} } },
	/* Announced work: the machine is freed before it comes, to the nanosecond. */
	{ "hint", bench_low_runs, STEPS {
		ANNOUNCES(high, 50, 20), SET(view.save_ns, COST_NS),
		SCAN(1), YES(plan.waiting), IS(high, IDLE),
		SEE_AT(plan.next_ns, -COST_NS - LATE_NS),
		SCAN_AT(-COST_NS - LATE_NS - 1), KEEP(low),
		RESCAN(1), OFF(low, HINT), YES(high.out.announced), SEE(plan.next_ns, 0),
		/* it is not blocked, and does not starve, because it has not come yet */
		SCAN_AT(-1), YES(high.out.announced), SEE(high.state.waits_ns, 0), KEEP(low),
		/* it comes, it pauses, it is over */
		DOES(high, submits), SCAN(2), DOES(high, runs), SCAN(5), NO(high.out.announced),
		DOES(high, finishes), SCAN(2), YES(high.out.announced), KEEP(low),
		DOES(high, submits_fetched), WAVES(high, 32), SCAN_AT(20 * INTERVAL_NS - 1),
		DOES(high, finishes), RESCAN(1), BACK(low, FREE), SCAN(20), KEEP(low), {} } },
	/* Where a save takes long the machine is free early, and stays so until then. */
	{ "hint_early", bench_low_runs, STEPS {
		SET(view.save_ns, 10 * INTERVAL_NS), ANNOUNCES(high, 30, 10),
		SCAN(19), KEEP(low), SCAN(1), OFF(low, HINT),
		/* five times blocked_us */
		EACH(10, YES(high.out.announced), SEE(high.state.waits_ns, 0), KEEP(low)), {} } },
	/* Of several announcements the first one's time counts, whichever queue's it is. */
	{ "hint_first", bench_low_runs, STEPS {
		QUEUE(15), SET(high.terms.priority, 10),
		ANNOUNCES(third, 30, 30), ANNOUNCES(high, 20, 30), SCAN(1),
		SEE_AT(plan.next_ns, -LATE_NS),
		ANNOUNCES(high, 29, 30), ANNOUNCES(third, 19, 30), SCAN(1),
		SEE_AT(plan.next_ns, -LATE_NS), {} } },
	/* Announced, and it does not come: low is back after blocked_us. */
	{ "hint_void", bench_low_runs, STEPS {
		ANNOUNCES(high, 10, 500), SCAN(1), SCAN_AT(-LATE_NS), OFF(low, HINT), SCAN_AT(0),
		SCAN_AT(2000 * NSEC_PER_USEC - 1), KEEP(low),
		RESCAN(1), IS(high, IDLE), NO(high.out.announced), BACK(low, FREE),
		SCAN(300), KEEP(low), NO(plan.waiting),
		/* it is no starving queue, and the next announcement is believed */
		SEE(high.state.waits_ns, 0), ANNOUNCES(high, 1, 100), SCAN(2), GONE(low),
		/* neither here nor anywhere is a queue waited for that waits itself */
		DOES(high, waits_for_signal), SCAN(1), SEE(low.out.verdict, GPREEMPT_RESUME),
		{} } },
	/* Announced in vain, and at once anew: it has all its time again before others are back. */
	{ "hint_again", bench_low_runs, STEPS {
		ANNOUNCES(high, 1, 499), SCAN(3), GONE(low), SCAN(1), BACK(low, FREE),
		ANNOUNCES(high, 0, 499), RESCAN(INTERVAL_NS), KEEP(low), YES(high.out.announced),
		RESCAN(2 * INTERVAL_NS), BACK(low, FREE), {} } },
	/* Announced, and it does not come, just when a higher one wants the machine: it is idle. */
	{ "hint_void_above", bench_low_runs, STEPS {
		QUEUE(15), SET(high.terms.priority, 10), SCAN(1),
		ANNOUNCES(high, 1, 500), SCAN(1), OFF(low, HINT), SCAN(2), YES(high.out.announced),
		DOES(third, submits), SCAN(1), IS(high, IDLE), KEEP(high), {} } },
	/* An announcement keeps the monitor awake, until it is over or not to be kept. */
	{ "hint_idle", bench_two, STEPS {
		SCAN(5), YES(plan.idle), NO(plan.waiting),
		ANNOUNCES(high, 100, 1), SCAN(50), NO(plan.idle), SCAN(50), NO(plan.idle),
		KEEP(low), SCAN(1), YES(plan.idle),
		ANNOUNCES(high, 100, 1), SET(high.seen.mapped, false),
		SCAN(1), YES(plan.idle), {} } },
	/* A clock that jumps back, or far ahead, does no lasting harm. */
	{ "clock_jumps", bench_high_fills, STEPS {
		SCAN_AT(0), KEEP(low), SEE(low.out.level, 0),
		/* rule 3, late by the jump: from when it was seen executing last */
		SCAN_AT(11 * INTERVAL_NS + 1000 * NSEC_PER_MSEC - 1), SEE(low.out.level, 0),
		RESCAN(1), SEE(low.out.level, GPREEMPT_BOOST), SCAN(5), GONE(low),
		/* an hour passes in one interval: one turn for low, then as before */
		RESCAN(3600 * NSEC_PER_SEC), BACK(low, STARVED), SCAN(5), EACH(900, GONE(low)),
		/* a queue that has just got the machine is not blocked by a jump back */
		DOES(high, finishes), SCAN(5), DOES(high, submits), SCAN(2), IS(high, RUNNABLE),
		RESCAN(-10 * INTERVAL_NS), IS(high, RUNNABLE), SCAN(2), IS(high, BLOCKED),
		/* nor does another one end that it is */
		RESCAN(-5 * INTERVAL_NS), IS(high, BLOCKED), {} } },
};

KUNIT_ARRAY_PARAM_DESC(estimate, estimate_scenes, name);

static void gpreempt_estimate_scenes(struct kunit *test)
{
	scene_play(test);
}

/* What a queue consumed until it was taken off is no news once it is back. */
static void gpreempt_estimate_read_off(struct kunit *test)
{
	struct bench *b = bench_strict(test);
	struct gpreempt_queue_view *q = bench_queue(b, 7);

	q->seen.head = GPREEMPT_HEAD_READY;
	q->seen.rptr = 1;
	q->seen.wptr = 8;
	bench_scan(b);
	q->seen.mapped = false;
	q->seen.preempted = true;
	q->seen.rptr = 2;
	bench_scan(b);
	q->seen.mapped = true;
	q->seen.preempted = false;
	bench_scan(b);
	KUNIT_EXPECT_FALSE(test, q->change.consumed);
	q->seen.rptr = 3;
	bench_scan(b);
	KUNIT_EXPECT_TRUE(test, q->change.consumed);
}

/* However far its indices are, a packet that comes is one. */
static void gpreempt_estimate_far(struct kunit *test)
{
	struct bench *b = bench_strict(test);
	struct gpreempt_queue_view *q = bench_queue(b, 7);

	q->seen.head = GPREEMPT_HEAD_READY;
	q->seen.rptr = 1ULL << 62;
	q->seen.wptr = q->seen.rptr + 1;
	bench_scan(b);
	KUNIT_EXPECT_FALSE(test, q->change.submitted);
	q->seen.wptr++;
	bench_scan(b);
	KUNIT_EXPECT_TRUE(test, q->change.submitted);
}

static struct kunit_case gpreempt_estimate_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_estimate_backlog, backlog_gen_params),
	KUNIT_CASE_PARAM(gpreempt_estimate_scenes, estimate_gen_params),
	KUNIT_CASE(gpreempt_estimate_read_off),
	KUNIT_CASE(gpreempt_estimate_far),
	{}
};

static struct kunit_suite gpreempt_estimate_suite = {
	.name = "amdgpu_kfd_gpreempt_estimate",
	.test_cases = gpreempt_estimate_cases,
};

kunit_test_suite(gpreempt_estimate_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's estimate");
MODULE_LICENSE("Dual MIT/GPL");
