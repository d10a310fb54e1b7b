// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's pace, with a fake clock, of what a scan reads, and of how long
 * firmware is to wait before it saves waves.
 */

#include <kunit/test.h>
#include <linux/prandom.h>

/* Names of its own, should the driver be built in beside it. */
#define gpreempt_pace_begin	kunit_gpreempt_pace_begin
#define gpreempt_pace_end	kunit_gpreempt_pace_end
#define gpreempt_pace_next	kunit_gpreempt_pace_next
#define gpreempt_pace_wait	kunit_gpreempt_pace_wait
#define gpreempt_read		kunit_gpreempt_read

#include "../gpreempt/core/grace.h"
#include "../gpreempt/core/pace.c"
#include "gpreempt_chain.h"

#define US	NSEC_PER_USEC

/* The clock, and a scan of @took ns at its time; the next is then due. The time since the last. */
static u64 scan(struct gpreempt_pace *p, u64 *now, u64 took, u32 us)
{
	u64 real = p->begun_ns ? *now - p->begun_ns : 0;

	gpreempt_pace_begin(p, *now);
	*now += took;
	gpreempt_pace_end(p, *now, took, us);
	*now += gpreempt_pace_next(p, *now, us, 0);
	return real;
}

static void gpreempt_pace_keeps_time(struct kunit *test)
{
	static const u32 intervals[] = { 50, 1000, 1000000 };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(intervals); i++) {
		struct gpreempt_pace p = {};
		u64 us = intervals[i], now = 1000 * US;

		KUNIT_EXPECT_EQ(test, scan(&p, &now, us * US / 4, us), 0);
		for (n = 0; n < 20; n++)
			KUNIT_EXPECT_EQ(test, scan(&p, &now, (n % 5) * us * US / 8, us),
					us * US);
	}
}

/* The monitor sleeps as long as it worked, whatever the interval, and whatever wakes it. */
static void gpreempt_pace_yields(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 1;

	scan(&p, &now, 3000 * US, 1000);
	KUNIT_EXPECT_EQ(test, scan(&p, &now, 3000 * US, 1000), 6000 * US);
	/* at a time that is told, ... */
	gpreempt_pace_begin(&p, now);
	now += 300 * US;
	gpreempt_pace_end(&p, now, 300 * US, 1000);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 1000, now + 100 * US), 300 * US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now + 100 * US), 200 * US);
	/* ... and parked */
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 0, 0), U64_MAX);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now), 300 * US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now + 300 * US), 0);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now + 301 * US), 0);
	/* A thread that did not run has not worked. */
	gpreempt_pace_end(&p, now, NSEC_PER_SEC, 1000);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now), BEHIND_NS);
}

/* A time that is told comes before the end of the interval, or a rest. */
static void gpreempt_pace_until(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 1000 * US;

	gpreempt_pace_begin(&p, now);
	gpreempt_pace_end(&p, now, 0, 1000);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 1000, now + 10), 10);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 1000, now + 2000 * US), 1000 * US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 1000, 1), 0);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 0, now + 10), 10);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 0, 1), 0);
}

/* The interval is the one that is given, whatever the last was. */
static void gpreempt_pace_interval_changes(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 1;

	scan(&p, &now, 0, 100000);
	KUNIT_EXPECT_EQ(test, scan(&p, &now, 10 * US, 100), 100000 * US);
	KUNIT_EXPECT_EQ(test, scan(&p, &now, 10 * US, 1000000), 100 * US);
	gpreempt_pace_next(&p, now, 0, 0);
	gpreempt_pace_begin(&p, now);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 100, 0), 100 * US);
}

/* After a transaction the whole interval is slept, however long it took. */
static void gpreempt_pace_restarts(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 5000 * US;

	gpreempt_pace_begin(&p, now);
	now += 70 * US;
	p.begun_ns = now;
	now += 10 * US;
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now, 100, 0), 90 * US);
}

/* A clock that goes back does not sleep for ever. */
static void gpreempt_pace_clock_goes_back(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now = 1000 * US;

	scan(&p, &now, 0, 100);
	gpreempt_pace_begin(&p, 500 * US);
	gpreempt_pace_end(&p, 400 * US, 0, 100);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, 400 * US, 100, 0), 100 * US);
}

#define POLL_US	1000

/* The clock, and a scan of @took_ns as soon as it may be; returns how long it waited. */
static u64 early_scan(struct gpreempt_pace *p, u64 *now_ns, u64 took_ns)
{
	u64 wait_ns;

	gpreempt_pace_next(p, *now_ns, 0, 0);
	wait_ns = gpreempt_pace_wait(p, *now_ns);
	*now_ns += wait_ns;
	gpreempt_pace_begin(p, *now_ns);
	*now_ns += took_ns;
	gpreempt_pace_end(p, *now_ns, took_ns, POLL_US);
	return wait_ns;
}

/* However often the monitor is woken, its scans take their part of a CPU and no more. */
static void gpreempt_early_is_rationed(struct kunit *test)
{
	static const u64 took_us[] = { 1, 10, 40 };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(took_us); i++) {
		u64 took_ns = took_us[i] * US, now_ns = NSEC_PER_SEC, begun_ns, longest_ns = 0;
		struct gpreempt_pace p = {};
		u64 distance_ns = EARLY_PART * (took_ns + WAKE_NS) + took_ns;
		/* what quiet has earned is spent at once */
		unsigned int before = BEHIND_NS / distance_ns;

		KUNIT_EXPECT_EQ(test, early_scan(&p, &now_ns, took_ns), 0);
		for (n = 0; n < before; n++)
			KUNIT_EXPECT_EQ(test, early_scan(&p, &now_ns, took_ns), took_ns);
		while (early_scan(&p, &now_ns, took_ns) == took_ns)
			;
		begun_ns = now_ns;
		for (n = 0; n < 1000; n++)
			longest_ns = max(longest_ns, early_scan(&p, &now_ns, took_ns));
		KUNIT_EXPECT_LE(test, 1000 * (distance_ns - 2 * took_ns), now_ns - begun_ns);
		KUNIT_EXPECT_GE(test, 1000 * distance_ns, now_ns - begun_ns);
		KUNIT_EXPECT_GE(test, distance_ns, longest_ns);
	}
}

/* None waits for longer than the interval, however much the others have cost. */
static void gpreempt_early_waits_no_longer(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now_ns = NSEC_PER_SEC;
	unsigned int n;

	for (n = 0; n < 100; n++)
		KUNIT_EXPECT_LE(test, early_scan(&p, &now_ns, 500 * US), POLL_US * US);
	KUNIT_EXPECT_EQ(test, early_scan(&p, &now_ns, 500 * US), POLL_US * US);
	/* or than one takes: half of a CPU is left to others */
	for (n = 0; n < 100; n++)
		early_scan(&p, &now_ns, 3000 * US);
	KUNIT_EXPECT_EQ(test, early_scan(&p, &now_ns, 500 * US), 3000 * US);
	KUNIT_EXPECT_EQ(test, early_scan(&p, &now_ns, 500 * US), POLL_US * US);
}

/* Nor beyond the time when it would have come by itself. */
static void gpreempt_early_waits_until_due(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now_ns = NSEC_PER_SEC;
	unsigned int n;

	for (n = 0; n < 100; n++)
		early_scan(&p, &now_ns, 100 * US);
	p.begun_ns = now_ns;
	gpreempt_pace_next(&p, now_ns, 200, 0);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now_ns), 200 * US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now_ns + 200 * US - 1), 1);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now_ns + 200 * US), 0);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now_ns + 200 * US + 1), 0);
	/* then it is no longer before its time, and owes no more than it has worked */
	now_ns += 200 * US;
	gpreempt_pace_begin(&p, now_ns);
	gpreempt_pace_end(&p, now_ns, 0, POLL_US);
	gpreempt_pace_next(&p, now_ns, 0, 0);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now_ns), (POLL_US - 200) * US);
}

/* Ends that are announced one after the other are rationed like what wakes the monitor. */
static void gpreempt_early_announced(struct kunit *test)
{
	u64 now_ns = NSEC_PER_SEC, begun_ns = now_ns, worked_ns = 0;
	struct gpreempt_pace p = {};
	unsigned int n;

	for (n = 0; n < 10000; n++) {
		if (n == 1000) {
			begun_ns = now_ns;
			worked_ns = 0;
		}
		gpreempt_pace_begin(&p, now_ns);
		now_ns += 15 * US;
		worked_ns += 15 * US;
		gpreempt_pace_end(&p, now_ns, 15 * US, POLL_US);
		now_ns += gpreempt_pace_next(&p, now_ns, POLL_US, now_ns + 20 * US);
		now_ns += gpreempt_pace_wait(&p, now_ns);
	}
	KUNIT_EXPECT_GE(test, now_ns - begun_ns, EARLY_PART * worked_ns);
	/* one that comes now and then is in time */
	now_ns += BEHIND_NS;
	gpreempt_pace_begin(&p, now_ns);
	gpreempt_pace_end(&p, now_ns, 15 * US, POLL_US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_next(&p, now_ns, POLL_US, now_ns + 20 * US), 20 * US);
	KUNIT_EXPECT_EQ(test, gpreempt_pace_wait(&p, now_ns + 20 * US), 0);
}

/* One that comes now and then does not wait, nor do several at once after a while. */
static void gpreempt_early_is_at_once(struct kunit *test)
{
	struct gpreempt_pace p = {};
	u64 now_ns = NSEC_PER_SEC;
	unsigned int n;

	for (n = 0; n < 1000; n++, now_ns += 500 * US)
		KUNIT_EXPECT_EQ(test, early_scan(&p, &now_ns, 20 * US), 0);
	for (n = 0; n < 20; n++)
		KUNIT_EXPECT_GE(test, 20 * US, early_scan(&p, &now_ns, 20 * US));
	now_ns += BEHIND_NS;
	KUNIT_EXPECT_EQ(test, early_scan(&p, &now_ns, 20 * US), 0);
}

#define READ_MOST	1300	/* queues of a mix */
#define READ_PARTS	24

/* Queues of a process on a level, and how many words each is; 0: it changes. */
struct read_part {
	u8 level;
	u16 nr;
	u8 words;
	bool same;	/* process as the one before */
};

/**
 * struct reads - a mix of queues, and what scans have read of it
 * @view:	the scan
 * @q:		its queues
 * @part:	that a queue is of
 * @gap:	scans since it was read
 * @most:	the longest that was so far
 * @turn:	counts reads
 * @words:	read in this scan
 * @of:		queues read in this scan, by part
 * @parts:	of the mix
 * @rnd:	random numbers
 */
struct reads {
	struct gpreempt_view view;
	struct gpreempt_queue_view *q;
	u8 part[READ_MOST];
	u16 gap[READ_MOST], most[READ_MOST];
	u64 turn;
	unsigned int words, of[READ_PARTS];
	const struct read_part *parts;
	struct rnd_state rnd;
};

static unsigned int fake_read(struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	struct reads *r = container_of(view, struct reads, view);
	unsigned int i = q - r->q;
	unsigned int words = r->parts[r->part[i]].words ?:
			     2 + prandom_u32_state(&r->rnd) % (GPREEMPT_QUEUE_READS - 1);

	q->reading.turn = ++r->turn;
	r->gap[i] = 0;
	r->of[r->part[i]]++;
	r->words += words;
	return words;
}

static struct reads *reads_make(struct kunit *test, const struct read_part *parts)
{
	struct reads *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	unsigned int part, first = 0, nr = 0, i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->q = kunit_kcalloc(test, READ_MOST, sizeof(*r->q), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->q);
	r->parts = parts;
	prandom_seed_state(&r->rnd, 1);
	for (part = 0; part < READ_PARTS && parts[part].nr; part++) {
		if (!parts[part].same)
			first = part;
		for (i = 0; i < parts[part].nr; i++) {
			r->q[nr].terms.priority = parts[part].level;
			r->q[nr].reading.process = &parts[first];
			r->part[nr++] = part;
		}
	}
	gpreempt_chain(&r->view, r->q, nr);
	return r;
}

static void reads_scan(struct kunit *test, struct reads *r)
{
	unsigned int wrong = 0, i;

	r->words = 0;
	memset(r->of, 0, sizeof(r->of));
	for (i = 0; i < r->view.nr; i++) {
		r->q[i].reading.wanted = true;
		r->gap[i]++;
	}
	gpreempt_read(&r->view, fake_read);
	KUNIT_EXPECT_GE(test, GPREEMPT_SCAN_READS, r->words);
	for (i = 0; i < r->view.nr; i++) {
		/* what was left is still wanted */
		wrong += r->q[i].reading.wanted != !!r->gap[i];
		r->most[i] = max(r->most[i], r->gap[i]);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

struct read_case {
	const char *name;
	struct read_part part[READ_PARTS];	/* as many as have queues */
	u16 of[READ_PARTS];
};

#define ALL	GPREEMPT_QUEUE_READS

static const struct read_case read_cases[] = {
	{ "nothing", {}, {} },
	{ "one", { { 7, 1, ALL } }, { 1 } },
	{ "all that always fit", { { 7, 64, ALL } }, { 64 } },
	{ "of many processes", { { 7, 1, ALL }, { 7, 1, ALL }, { 7, 1, ALL }, { 8, 19, ALL },
				 { 7, 1, ALL }, { 9, 41, ALL } }, { 1, 1, 1, 19, 1, 41 } },
	{ "of three levels", { { 7, 1, ALL }, { 8, 1, ALL }, { 9, 62, ALL } }, { 1, 1, 62 } },
	{ "too many", { { 7, 65, ALL } }, { 64 } },
	{ "many that are idle", { { 7, 900, 2 } }, { 900 } },
	{ "one above many", { { 0, 1000, ALL }, { 15, 1, ALL } }, { 60, 1 } },
	{ "one below many", { { 15, 1000, ALL }, { 0, 1, ALL } }, { 60, 1 } },
	{ "two levels of many", { { 0, 600, ALL }, { 15, 600, ALL } }, { 32, 32 } },
	{ "of one process", { { 0, 600, ALL }, { 15, 600, ALL, .same = true } }, { 32, 32 } },
	{ "what three levels leave goes to the highest",
	  { { 0, 400, ALL }, { 15, 400, ALL }, { 7, 400, ALL } }, { 20, 24, 20 } },
	{ "idle ones leave it to those below",
	  { { 15, 100, 2 }, { 0, 300, ALL } }, { 100, 56 } },
	{ "one process beside another", { { 7, 1000, ALL }, { 7, 10, ALL } }, { 52, 10 } },
	{ "two of many", { { 7, 500, ALL }, { 7, 500, ALL } }, { 32, 32 } },
	{ "three", { { 7, 10, ALL }, { 7, 500, ALL }, { 7, 500, ALL } }, { 10, 28, 24 } },
	{ "idle ones leave it to another", { { 7, 100, 2 }, { 7, 500, ALL } }, { 100, 56 } },
	{ "all levels", { { 0, 70, ALL }, { 1, 70, ALL }, { 2, 70, ALL }, { 3, 70, ALL },
			  { 4, 70, ALL }, { 5, 70, ALL }, { 6, 70, ALL }, { 7, 70, ALL },
			  { 8, 70, ALL }, { 9, 70, ALL }, { 10, 70, ALL }, { 11, 70, ALL },
			  { 12, 70, ALL }, { 13, 70, ALL }, { 14, 70, ALL }, { 15, 70, ALL } },
	  { 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 } },
};

KUNIT_ARRAY_PARAM_DESC(read, read_cases, name);

/* How many queues a scan reads of each process and level. */
static void gpreempt_read_which(struct kunit *test)
{
	const struct read_case *c = test->param_value;
	struct reads *r = reads_make(test, c->part);
	unsigned int part;

	reads_scan(test, r);
	for (part = 0; part < READ_PARTS; part++)
		KUNIT_EXPECT_EQ_MSG(test, r->of[part], c->of[part], "part %u", part);
}

/* In so many scans a queue is read once: see gpreempt_read(). */
static unsigned int scans_for(unsigned int n, unsigned int p, unsigned int levels)
{
	unsigned int turns = 64 / levels / 4;

	return (n + 3) / 4 * ((p + turns - 1) / turns);
}

/* Whatever the mix, no queue is left for longer; and a high one is not for those below. */
static void gpreempt_read_each(struct kunit *test)
{
	unsigned int round, part, i, scan, levels, longest, p;
	struct read_part parts[READ_PARTS];
	struct rnd_state rnd;
	struct reads *r;
	u32 seen;

	prandom_seed_state(&rnd, 1);
	for (round = 0; round < 20; round++) {
		memset(parts, 0, sizeof(parts));
		levels = 1 + prandom_u32_state(&rnd) % GPREEMPT_LEVELS;
		for (part = 0; part < READ_PARTS; part++) {
			parts[part].level = prandom_u32_state(&rnd) % levels;
			/* of one process on each level at most */
			parts[part].nr = 1 + prandom_u32_state(&rnd) %
					 (part ? 40 : 200);
			parts[part].words = prandom_u32_state(&rnd) % 2 ? GPREEMPT_QUEUE_READS : 0;
		}
		r = reads_make(test, parts);
		levels = 0;
		for (seen = 0, part = 0; part < READ_PARTS; part++) {
			levels += !(seen & BIT(parts[part].level));
			seen |= BIT(parts[part].level);
		}
		longest = 0;
		for (part = 0; part < READ_PARTS; part++)
			longest = max(longest, scans_for(parts[part].nr, READ_PARTS, levels));
		for (scan = 0; scan < 2 * longest; scan++)
			reads_scan(test, r);
		for (i = 0; i < r->view.nr; i++) {
			const struct read_part *own = &parts[r->part[i]];

			for (p = 0, part = 0; part < READ_PARTS; part++)
				p += parts[part].level == own->level;
			KUNIT_EXPECT_LE_MSG(test, r->most[i] + 1, scans_for(own->nr, p, levels),
					    "%u queues, %u processes, %u levels", own->nr, p,
					    levels);
		}
	}
}

/* More processes than are read of a level in a scan take turns. */
static void gpreempt_read_crowd(struct kunit *test)
{
	unsigned int scan, i, n;
	struct reads *r;

	for (n = 1; n <= 4; n++) {
		static const struct read_part one[] = { { 7, READ_MOST, 32 }, {} };

		r = reads_make(test, one);
		/* processes of n queues */
		for (i = 0; i < r->view.nr; i++)
			r->q[i].reading.process = &r->q[i / n * n];
		for (scan = 0; scan < 3 * scans_for(n, READ_MOST / n, 1); scan++)
			reads_scan(test, r);
		for (i = 0; i < r->view.nr / n * n; i++)
			KUNIT_EXPECT_GT(test, scans_for(n, READ_MOST / n, 1), r->most[i]);
	}
}

/* A process's changes of its own queues cost no other process a scan. */
static void gpreempt_read_churn(struct kunit *test)
{
	static const struct read_part parts[READ_PARTS] = {
		{ 7, 1000, 32 }, { 7, 50, 32 }, { 15, 1, 32 },
	};
	struct reads *r = reads_make(test, parts);
	unsigned int scan, i;

	for (scan = 0; scan < 400; scan++) {
		for (i = 0; i < 1000; i++) {
			u32 random = prandom_u32_state(&r->rnd);

			/* new, read long ago, on another level */
			if (random % 4 == 0)
				r->q[i].reading.turn = random & 4 ? ++r->turn : 0;
			if (random % 16 == 8)
				r->q[i].terms.priority = random >> 8 & 7;
		}
		reads_scan(test, r);
	}
	for (i = 1000; i < 1050; i++)
		KUNIT_EXPECT_GT(test, scans_for(50, 2, 9), r->most[i]);
	KUNIT_EXPECT_EQ(test, r->most[1050], 0);
}

/* An MI210's register as at power-on, and the most that it holds. */
static void gpreempt_grace_of_units(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, gpreempt_grace_us(64, 1700), 38);
	KUNIT_EXPECT_EQ(test, gpreempt_grace_us(GPREEMPT_GRACE_MOST, 1700), 153);
	KUNIT_EXPECT_EQ(test, gpreempt_grace_us(1, 1700), 0);
}

/* Each time that a GPU takes fits, is kept, and not by more than a unit; none is without end. */
static void gpreempt_grace_in_units(struct kunit *test)
{
	static const u32 clocks_mhz[] = { 50, 100, 1000, 1024, 1700, 2100, 4000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks_mhz); i++) {
		u32 mhz = clocks_mhz[i], most_us = gpreempt_grace_us(GPREEMPT_GRACE_MOST, mhz), us;

		KUNIT_EXPECT_EQ(test, gpreempt_grace_units(0, mhz), 1);
		for (us = 1; us <= most_us; us++) {
			u32 units = gpreempt_grace_units(us, mhz);

			if (units < 1 || units > GPREEMPT_GRACE_MOST ||
			    gpreempt_grace_us(units, mhz) < us ||
			    gpreempt_grace_us(units - 1, mhz) >= us)
				KUNIT_FAIL(test, "%u us at %u MHz: %u units", us, mhz, units);
		}
	}
}

static struct kunit_case gpreempt_pace_cases[] = {
	KUNIT_CASE(gpreempt_pace_keeps_time),
	KUNIT_CASE(gpreempt_pace_yields),
	KUNIT_CASE(gpreempt_pace_interval_changes),
	KUNIT_CASE(gpreempt_pace_restarts),
	KUNIT_CASE(gpreempt_pace_until),
	KUNIT_CASE(gpreempt_pace_clock_goes_back),
	KUNIT_CASE(gpreempt_early_is_rationed),
	KUNIT_CASE(gpreempt_early_waits_no_longer),
	KUNIT_CASE(gpreempt_early_waits_until_due),
	KUNIT_CASE(gpreempt_early_announced),
	KUNIT_CASE(gpreempt_early_is_at_once),
	KUNIT_CASE(gpreempt_grace_of_units),
	KUNIT_CASE(gpreempt_grace_in_units),
	KUNIT_CASE_PARAM(gpreempt_read_which, read_gen_params),
	KUNIT_CASE(gpreempt_read_each),
	KUNIT_CASE(gpreempt_read_crowd),
	KUNIT_CASE(gpreempt_read_churn),
	{}
};

static struct kunit_suite gpreempt_pace_suite = {
	.name = "amdgpu_kfd_gpreempt_pace",
	.test_cases = gpreempt_pace_cases,
};

kunit_test_suite(gpreempt_pace_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's pace");
MODULE_LICENSE("Dual MIT/GPL");
