/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A bench: a handful of queues that a case describes as the hardware would, and the monitor's
 * part of a scan. Time is the case's own; nothing sleeps. Most cases are scenes, see below.
 */
#include <kunit/test.h>

#include "gpreempt_chain.h"

#define INTERVAL_NS	(1000 * NSEC_PER_USEC)
#define BENCH_MAX	8

static const struct gpreempt_tunables defaults = {
	.poll_interval_us = 1000,
	.starvation_ms = 1000,
	.min_residency_us = 500,
	.blocked_us = 2000,
	.preempt_timeout_ms = 100,
	.linger_max_us = 1000,
};

struct bench {
	struct kunit *test;
	union {
		struct gpreempt_queue_view q[BENCH_MAX];
		struct { struct gpreempt_queue_view low, high, mid; };	/* those of most cases */
		struct { struct gpreempt_queue_view one, other, third, fourth; };
	};
	struct gpreempt_memory memory[BENCH_MAX];
	struct gpreempt_memory before[BENCH_MAX];
	struct gpreempt_group group[BENCH_MAX];
	struct gpreempt_view view;
	struct gpreempt_plan plan;
	bool waves_unreadable;
	bool asked;			/* the last scan needed wave counts */
	u64 mark_ns;			/* what a scene counts from */
	unsigned int had[BENCH_MAX];	/* scans that saw each queue on the machine, */
	unsigned int alone;		/* or just one of them, */
	unsigned int asks;		/* or needed wave counts, */
	unsigned int proofs;		/* or those of all */
	/* what happens in a queue after its waves were counted, once */
	void (*meanwhile)(struct gpreempt_queue_view *q);
	struct gpreempt_queue_view *mover;
};

static inline struct bench *bench_new(struct kunit *test, const char *policy)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->test = test;
	b->view.now_ns = 5 * INTERVAL_NS;
	b->view.tun = defaults;
	b->view.policy = gpreempt_policy_find(policy);
	return b;
}

/* An empty mapped queue that was never used, of a process of its own. */
static inline struct gpreempt_queue_view *bench_queue(struct bench *b, u8 priority)
{
	struct gpreempt_queue_view *q = &b->q[b->view.nr];

	q->memory = &b->memory[b->view.nr];
	q->group = &b->group[b->view.nr];
	q->terms.priority = priority;
	q->seen.mapped = true;
	q->seen.readable = true;
	q->seen.size = 64;
	gpreempt_chain(&b->view, b->q, b->view.nr + 1);
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
	gpreempt_decide(&b->view, &b->plan);
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
		gpreempt_decide(&b->view, &b->plan);
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
	unsigned int i, on;

	while (n--) {
		bench_commit(b);
		for (i = 0, on = 0; i < b->view.nr; i++) {
			b->had[i] += b->q[i].seen.mapped;
			on += b->q[i].seen.mapped;
		}
		b->alone += on == 1;
		b->view.now_ns += INTERVAL_NS;
		bench_scan(b);
		b->asks += b->asked;
		b->proofs += b->view.proof;
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

/* No queues yet. */
static inline struct bench *bench_strict(struct kunit *test)
{
	return bench_new(test, "strict");
}

/* Low (0) and high (15), which were never used, under strict. */
static inline struct bench *bench_two(struct kunit *test)
{
	struct bench *b = bench_strict(test);

	bench_queue(b, 0);
	bench_queue(b, 15);
	return b;
}

/* Low, mid (7) and high, likewise. */
static inline struct bench *bench_three(struct kunit *test)
{
	struct bench *b = bench_two(test);

	bench_queue(b, 7);
	return b;
}

/* Low has run long enough to be a victim; high has nothing to do. */
static inline struct bench *bench_low_runs(struct kunit *test)
{
	struct bench *b = bench_two(test);

	bench_scan(b);
	runs(&b->low);
	bench_ticks(b, 5);
	return b;
}

/* As above, one step on: low is off the machine, and high executes. */
static inline struct bench *bench_high_runs(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(&b->high);
	EXPECT_OFF(test, after(b, 1, &b->low), INVERSION);
	runs(&b->high);
	KUNIT_EXPECT_TRUE(test, after(b, 1, &b->low)->seen.preempted);
	return b;
}

/* As above, and high has more than there is space for. */
static inline struct bench *bench_high_fills(struct kunit *test)
{
	struct bench *b = bench_high_runs(test);

	submits(&b->high);
	EXPECT_KEEP(test, after(b, 1, &b->low));
	return b;
}

#define TURN	10				/* intervals */

/* Level 7 has such turns, and no queues yet. */
static inline struct bench *bench_level(struct kunit *test)
{
	struct bench *b = bench_new(test, "timeslice");

	b->view.tun.timeslice_us[7] = TURN * 1000;
	return b;
}

/* Two that each fill the machine: one has it, the other has just come. */
static inline struct bench *bench_turns(struct kunit *test)
{
	struct bench *b = bench_level(test);

	bench_queue(b, 7);
	bench_queue(b, 7);
	bench_scan(b);
	runs(&b->one);
	EXPECT_KEEP(test, after(b, 3, &b->one));
	submits(&b->other);
	/* one keeps the turn that it has without asking */
	EXPECT_OFF(test, after(b, 1, &b->other), TIMESLICE);
	EXPECT_KEEP(test, &b->one);
	b->other.seen.waves = 32;
	return b;
}

/**
 * struct step - a step of a scene: something happens, time passes, or something is expected
 * @run:	which of these; NULL: the scene is over
 * @text:	of what, for a failure
 * @line:	where it stands
 * @size:	of a field of the bench
 * @how:	it is to be: as, or not (!), at least (>) or at most (<)
 * @from:	counted from now (n) or from the mark (m) on, or as it is
 * @at:		where that is, or a queue
 * @value:	what it is to be, or how often, or how long
 * @act:	what happens to the queue
 * @steps:	of these, one after another
 */
struct step {
	void (*run)(struct bench *b, const struct step *s);
	const char *text;
	u16 line;
	u16 size;
	char how, from;
	u32 at;
	s64 value;
	union {
		void (*act)(struct gpreempt_queue_view *q);
		const struct step *steps;
	};
};

/**
 * struct scene - a case as a table of steps, most often a scan a line
 * @name:	of the case
 * @begins:	makes the bench, as it is at first
 * @steps:	what happens then
 */
struct scene {
	const char *name;
	struct bench *(*begins)(struct kunit *test);
	const struct step *steps;
};

static inline void play(struct bench *b, const struct step *s)
{
	for (; s->run; s++)
		s->run(b, s);
}

static inline void scene_play(struct kunit *test)
{
	const struct scene *scene = test->param_value;

	play(scene->begins(test), scene->steps);
}

static inline struct gpreempt_queue_view *step_queue(struct bench *b, const struct step *s)
{
	return (void *)b + s->at;
}

static inline void step_does(struct bench *b, const struct step *s)
{
	s->act(step_queue(b, s));
}

static inline void step_meanwhile(struct bench *b, const struct step *s)
{
	b->mover = step_queue(b, s);
	b->meanwhile = s->act;
}

static inline void step_announces(struct bench *b, const struct step *s)
{
	b->mark_ns = announces(b, step_queue(b, s), s->value, s->size);
}

/* As the commit room says of a queue that it has put back. */
static inline void step_resumed(struct bench *b, const struct step *s)
{
	bench_commit(b);
	step_queue(b, s)->memory->resident_ns = b->view.now_ns + s->value;
}

/* Of the same process as the first queue. */
static inline void step_joins(struct bench *b, const struct step *s)
{
	step_queue(b, s)->group = b->q[s->value].group;
}

/* A CU mask: of the first units, a bit each. */
static inline void step_cus(struct bench *b, const struct step *s)
{
	struct gpreempt_cus *cus = &step_queue(b, s)->seen.cus;

	memset(cus, 0xff, sizeof(*cus));
	cus->barred[0] = ~s->value;
}

static inline void step_count(struct bench *b, const struct step *s)
{
	memset(b->had, 0, sizeof(b->had));
	b->alone = 0;
	b->asks = 0;
	b->proofs = 0;
}

static inline void step_queues(struct bench *b, const struct step *s)
{
	bench_queue(b, s->value);
}

static inline void step_policy(struct bench *b, const struct step *s)
{
	b->view.policy = gpreempt_policy_find(s->text);
}

static inline void step_scan(struct bench *b, const struct step *s)
{
	bench_ticks(b, s->value);
}

static inline void step_scan_in(struct bench *b, const struct step *s)
{
	bench_commit(b);
	bench_scan_at(b, b->view.now_ns + s->value);
}

static inline void step_rescan(struct bench *b, const struct step *s)
{
	bench_scan_at(b, b->view.now_ns + s->value);
}

static inline void step_scan_at(struct bench *b, const struct step *s)
{
	bench_commit(b);
	bench_scan_at(b, b->mark_ns + s->value);
}

static inline void step_mark(struct bench *b, const struct step *s)
{
	b->mark_ns = b->view.now_ns;
}

static inline void step_repeat(struct bench *b, const struct step *s)
{
	s64 n;

	for (n = 0; n < s->value; n++)
		play(b, s->steps);
}

static inline void step_each(struct bench *b, const struct step *s)
{
	s64 n;

	for (n = 0; n < s->value; n++) {
		bench_ticks(b, 1);
		play(b, s->steps);
	}
}

static inline void step_set(struct bench *b, const struct step *s)
{
	void *field = (void *)b + s->at;

	if (s->size == sizeof(u8))
		*(u8 *)field = s->value;
	else if (s->size == sizeof(u32))
		*(u32 *)field = s->value;
	else
		*(u64 *)field = s->value;
}

static inline void step_set_in(struct bench *b, const struct step *s)
{
	*(u64 *)((void *)b + s->at) = b->view.now_ns + s->value;
}

static inline s64 step_field(struct bench *b, const struct step *s)
{
	void *field = (void *)b + s->at;

	if (s->size == sizeof(u8))
		return *(u8 *)field;
	return s->size == sizeof(u32) ? *(int *)field : *(s64 *)field;
}

static inline void step_see(struct bench *b, const struct step *s)
{
	u64 from = s->from == 'n' ? b->view.now_ns : s->from == 'm' ? b->mark_ns : 0;
	s64 is = step_field(b, s) - from;
	bool good = s->how == '!' ? is != s->value : s->how == '>' ? is >= s->value :
		    s->how == '<' ? is <= s->value : is == s->value;

	KUNIT_EXPECT_TRUE_MSG(b->test, good, "line %u: %s is %lld, wanted: %c %lld", s->line,
			      s->text, (long long)is, s->how, (long long)s->value);
}

static inline void step_until(struct bench *b, const struct step *s)
{
	unsigned int n;

	for (n = 0; n < 1005 && step_field(b, s) != s->value; n++)
		bench_ticks(b, 1);
	step_see(b, s);
}

static inline void step_plan(struct bench *b, const struct step *s)
{
	KUNIT_EXPECT_EQ_MSG(b->test, bench_plan(step_queue(b, s)), s->value,
			    "line %u: verdict on %s", s->line, s->text);
}

#define STEPS		(const struct step[])
#define STEP(kind, ...) \
	{ .run = step_##kind, .line = __LINE__, __VA_ARGS__ }
#define STEP_QUEUE(kind, which, ...) \
	STEP(kind, .text = #which, .at = offsetof(struct bench, which), __VA_ARGS__)
#define STEP_FIELD(kind, field, v, ...) \
	STEP(kind, .text = #field, .at = offsetof(struct bench, field), \
	     .size = sizeof_field(struct bench, field), .value = (v), ##__VA_ARGS__)

/* What happens: to a queue, while waves are counted, to a field; or a queue of a level comes. */
#define DOES(which, what)	STEP_QUEUE(does, which, .act = (what))
#define MEANWHILE(which, what)	STEP_QUEUE(meanwhile, which, .act = (what))
#define ANNOUNCES(which, in, lasts) \
	STEP_QUEUE(announces, which, .value = (in), .size = (lasts))
#define SET(field, v)		STEP_FIELD(set, field, v)
#define SET_IN(field, ns)	STEP_FIELD(set_in, field, ns)
#define SIGNAL(which, is)	SET(which.seen.signal, GPREEMPT_SIGNAL_##is)
#define PREVIOUS(which, is)	SET(which.seen.previous, GPREEMPT_SIGNAL_##is)
#define HEAD(which, is)		SET(which.seen.head, GPREEMPT_HEAD_##is)
#define WAVES(which, n)		SET(which.seen.waves, n)
#define CUS(which, mask)	STEP_QUEUE(cus, which, .value = (mask))
#define RESUMED(which, ns)	STEP_QUEUE(resumed, which, .value = (ns))
#define JOINS(which, other)	STEP_QUEUE(joins, which, .value = (other))
#define QUEUE(level)		STEP(queues, .value = (level))
#define POLICY(name)		STEP(policy, .text = (name))

/*
 * Time: so many scans, each after what was decided was done; one so many ns later, and the same
 * but that it was not done; or from the mark on, which an announcement's time is as well.
 */
#define SCAN(n)			STEP(scan, .value = (n))
#define SCAN_IN(ns)		STEP(scan_in, .value = (ns))
#define RESCAN(ns)		STEP(rescan, .value = (ns))
#define SCAN_AT(ns)		STEP(scan_at, .value = (ns))
#define MARK			STEP(mark)
#define COUNT			STEP(count)
#define UNTIL(field, v)		STEP_FIELD(until, field, v, .how = '=')

/* So often all of these; and after each of so many scans. */
#define REPEAT(n, ...)		STEP(repeat, .value = (n), .steps = STEPS { __VA_ARGS__, {} })
#define EACH(n, ...)		STEP(each, .value = (n), .steps = STEPS { __VA_ARGS__, {} })
#define PLAY(table)		STEP(repeat, .value = 1, .steps = (table))

/* What is expected: of a field, as it is or counted from now or the mark on; of the plan. */
#define SEE(field, v)		STEP_FIELD(see, field, v, .how = '=')
#define SEE_NOT(field, v)	STEP_FIELD(see, field, v, .how = '!')
#define LEAST(field, v)		STEP_FIELD(see, field, v, .how = '>')
#define MOST(field, v)		STEP_FIELD(see, field, v, .how = '<')
#define SEE_IN(field, ns)	STEP_FIELD(see, field, ns, .how = '=', .from = 'n')
#define SEE_AT(field, ns)	STEP_FIELD(see, field, ns, .how = '=', .from = 'm')
#define YES(field)		SEE(field, true)
#define NO(field)		SEE(field, false)
#define ON(which)		YES(which.seen.mapped)
#define GONE(which)		YES(which.seen.preempted)
#define IS(which, what)		SEE(which.out.activity, GPREEMPT_##what)
#define OFF(which, why) \
	STEP_QUEUE(plan, which, .value = VERDICT(GPREEMPT_PREEMPT, GPREEMPT_REASON_##why))
#define BACK(which, why) \
	STEP_QUEUE(plan, which, .value = VERDICT(GPREEMPT_RESUME, GPREEMPT_REASON_##why))
#define KEEP(which) \
	STEP_QUEUE(plan, which, .value = VERDICT(GPREEMPT_KEEP, GPREEMPT_REASON_NONE))
