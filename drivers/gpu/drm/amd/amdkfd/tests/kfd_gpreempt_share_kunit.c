// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of how much each process has: those with endless kernels, or such that think, on a
 * machine that each of their queues could fill; and what each has of its time.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#define OWN(name)	gpreempt_shares_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"

#define SCAN_NS		INTERVAL_NS
#define STEP_NS		(SCAN_NS / 10)
#define SAVE_NS		(300 * NSEC_PER_USEC)	/* so long a transaction takes */
#define SLICE_NS	(10 * NSEC_PER_MSEC)
#define PROCESSES	5
#define QUEUES		8

/**
 * struct process - what it does, and what comes of it
 * @share:	what it is entitled to
 * @queues:	all of them alike
 * @priority:	of these
 * @work_us:	for how long it works
 * @think_us:	and thinks; 0: it only works
 * @left_ns:	of the work at hand
 * @arrives_ns:	when it has some again
 * @arrived_ns:	when it had
 * @ran_ns:	on the machine, since that was measured
 * @longest_ns:	that it waited for the machine
 * @busy:	it has work
 * @waits:	and none of that was done yet
 */
struct process {
	struct gpreempt_share share;
	unsigned int queues;
	u8 priority;
	u32 work_us;
	u32 think_us;
	u64 left_ns, arrives_ns, arrived_ns;
	u64 ran_ns, longest_ns;
	bool busy, waits;
};

struct mill {
	struct kunit *test;
	struct gpreempt_view view;
	struct gpreempt_queue_view q[PROCESSES * QUEUES];
	struct gpreempt_memory memory[PROCESSES * QUEUES];
	struct gpreempt_group group[PROCESSES];
	struct process process[PROCESSES];
	bool live[PROCESSES * QUEUES];		/* has waves on the machine */
	unsigned int of[PROCESSES * QUEUES];	/* which process */
	unsigned int nr;
	unsigned int preempted;
};

static struct mill *mill_new(struct kunit *test, const char *policy,
			     const struct process *process, unsigned int nr)
{
	struct mill *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i, k;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	m->view.policy = gpreempt_policy_find(policy);
	m->view.tun = defaults;
	for (i = 0; i < GPREEMPT_LEVELS; i++)
		m->view.tun.timeslice_us[i] = SLICE_NS / NSEC_PER_USEC;
	m->view.now_ns = 10 * SCAN_NS;
	m->view.save_ns = SAVE_NS;
	m->nr = nr;
	for (i = 0; i < nr; i++) {
		m->process[i] = process[i];
		m->group[i].share = process[i].share;
		for (k = 0; k < process[i].queues; k++) {
			struct gpreempt_queue_view *q = &m->q[m->view.nr];

			q->memory = &m->memory[m->view.nr];
			q->group = &m->group[i];
			q->terms.priority = process[i].priority;
			q->seen.mapped = true;
			q->seen.readable = true;
			q->seen.size = 64;
			m->of[m->view.nr] = i;
			gpreempt_chain(&m->view, m->q, m->view.nr + 1);
		}
	}
	return m;
}

/* Which have work? A process that thinks gets some in one queue after another. */
static void mill_arrive(struct mill *m)
{
	unsigned int i;

	for (i = 0; i < m->view.nr; i++) {
		struct process *p = &m->process[m->of[i]];

		if (p->busy || m->view.now_ns < p->arrives_ns)
			continue;
		p->busy = true;
		p->waits = true;
		p->arrived_ns = m->view.now_ns;
		p->left_ns = p->think_us ? (u64)p->work_us * NSEC_PER_USEC : U64_MAX;
	}
	for (i = 0; i < m->view.nr; i++) {
		struct gpreempt_queue_view *q = &m->q[i];

		if (m->process[m->of[i]].busy && q->seen.signal != GPREEMPT_SIGNAL_PENDING) {
			q->seen.rptr = ++q->seen.wptr;
			q->seen.signal = GPREEMPT_SIGNAL_PENDING;
		}
	}
}

/* What is there keeps the machine, and those of its process; the rest waits for space. */
static void mill_run(struct mill *m, u64 ns)
{
	unsigned int i, owner = PROCESSES, n = 0;

	for (i = 0; i < m->view.nr; i++) {
		m->live[i] &= m->q[i].seen.mapped && m->process[m->of[i]].busy;
		if (m->live[i] && owner == PROCESSES)
			owner = m->of[i];
	}
	for (i = 0; i < m->view.nr; i++) {
		if (!m->q[i].seen.mapped || !m->process[m->of[i]].busy)
			continue;
		if (owner == PROCESSES)
			owner = m->of[i];
		m->live[i] |= m->of[i] == owner;
		n += m->live[i];
	}
	for (i = 0; i < m->view.nr; i++) {
		struct process *p = &m->process[m->of[i]];

		if (!m->live[i])
			continue;
		if (p->waits)
			p->longest_ns = max(p->longest_ns, m->view.now_ns - p->arrived_ns);
		p->waits = false;
		p->ran_ns += ns / n;
		if (p->left_ns != U64_MAX)
			p->left_ns -= min(p->left_ns, ns / n);
	}
	for (i = 0; i < m->nr; i++) {
		struct process *p = &m->process[i];

		if (p->busy && !p->left_ns) {
			p->busy = false;
			p->arrives_ns = m->view.now_ns + (u64)p->think_us * NSEC_PER_USEC;
		}
	}
	m->view.now_ns += ns;
}

static void mill_scan(struct mill *m)
{
	struct gpreempt_plan plan;
	unsigned int i;

	for (i = 0; i < m->view.nr; i++) {
		struct gpreempt_queue_view *q = &m->q[i];
		bool busy = m->process[m->of[i]].busy;

		q->seen.waves = q->seen.mapped ? 8 * (m->live[i] && busy) : GPREEMPT_WAVES_UNKNOWN;
		if (!busy)
			q->seen.signal = GPREEMPT_SIGNAL_DONE;
	}
	m->view.waves_final = true;
	gpreempt_decide(&m->view, &plan);
	KUNIT_EXPECT_FALSE(m->test, plan.need_waves);
	m->preempted += plan.nr_preempt;
	if (plan.nr_preempt)
		m->view.now_ns += SAVE_NS;
	for (i = 0; i < m->view.nr; i++) {
		struct gpreempt_queue_view *q = &m->q[i];

		if (q->out.verdict == GPREEMPT_KEEP)
			continue;
		q->seen.mapped = q->out.verdict == GPREEMPT_RESUME;
		q->seen.preempted = !q->seen.mapped;
		if (q->seen.mapped)
			q->memory->resident_ns = m->view.now_ns;
	}
}

static void mill_go(struct mill *m, unsigned int ms)
{
	u64 end_ns = m->view.now_ns + (u64)ms * NSEC_PER_MSEC;
	unsigned int i;

	while (m->view.now_ns < end_ns) {
		for (i = 0; i < SCAN_NS / STEP_NS; i++) {
			mill_arrive(m);
			mill_run(m, STEP_NS);
		}
		mill_scan(m);
	}
}

/* So long, of which is counted what each has. */
static void mill_count(struct mill *m, unsigned int ms)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		m->process[i].ran_ns = 0;
		m->process[i].longest_ns = 0;
	}
	mill_go(m, ms);
}

/* Two seconds, after a while. */
static void mill_measure(struct mill *m)
{
	mill_go(m, 300);
	mill_count(m, 2000);
}

/* Of all that was done a process's part, in tenths of a per cent. */
static int mill_part(const struct mill *m, unsigned int which)
{
	u64 all = 0;
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		all += m->process[i].ran_ns;
	return div_u64(m->process[which].ran_ns, div_u64(all, 1000) ?: 1);
}

#define EXPECT_PART(test, m, i, part) do {						\
	KUNIT_EXPECT_LE_MSG(test, mill_part(m, i), (part) + 20, "process %u", i);	\
	KUNIT_EXPECT_GE_MSG(test, mill_part(m, i), (part) - 20, "process %u", i);	\
} while (0)

/* Two with a queue each, and nothing but that they work. */
static const struct process pair[] = { { .queues = 1 }, { .queues = 1 } };

/* What each has, in tenths of a per cent, however many queues it has. */
static const struct part_case {
	const char *name;
	struct process p[4];
	int part[4];
	const char *policy;		/* NULL: fair */
} part_cases[] = {
	{ "turns, not by queue", { { .queues = 8 }, { .queues = 1 } }, { 500, 500 }, "timeslice" },
#define OF(weight, nr)	{ { weight }, nr }
	{ "by weight", { OF(100, 1), OF(200, 1), OF(400, 1), OF(800, 1) }, { 67, 133, 267, 533 } },
	{ "many queues", { OF(100, 8), OF(200, 8), OF(400, 8), OF(800, 8) },
	  { 67, 133, 267, 533 } },
	{ "many here and there", { OF(100, 1), OF(200, 8), OF(400, 2), OF(800, 4) },
	  { 67, 133, 267, 533 } },
	{ "many where there is little", { OF(100, 8), OF(200, 4), OF(400, 2), OF(800, 1) },
	  { 67, 133, 267, 533 } },
	{ "some", { OF(100, 3), OF(200, 1), OF(400, 8), OF(800, 5) }, { 67, 133, 267, 533 } },
#undef OF
	{ "a minimum", { { { 100, 40 }, 1 }, { { 400 }, 2 }, { { 400 }, 8 } },
	  { 400, 300, 300 } },
	{ "less than the weight", { { { 100, 20 }, 4 }, { { 300 }, 1 } }, { 250, 750 } },
	{ "two minima", { { { 100, 50 }, 1 }, { { 100, 30 }, 2 }, { { 900 }, 3 } },
	  { 500, 300, 200 } },
	{ "a cap", { { { 800, 0, 25 }, 2 }, { { 100 }, 1 } }, { 250, 750 } },
	{ "and two others", { { { 800, 0, 10 }, 1 }, { { 100 }, 1 }, { { 200 }, 1 } },
	  { 100, 300, 600 } },
	{ "more than the weight", { { { 100, 0, 60 }, 1 }, { { 100 }, 1 } }, { 500, 500 } },
	{ "both", { { { 500, 20, 20 }, 1 }, { { 100 }, 1 }, { { 100 }, 4 } }, { 200, 400, 400 } },
	{ "what is below has the rest", { { { 0, 0, 30 }, 2, 9 }, { .queues = 1, .priority = 3 } },
	  { 300, 700 } },
};

KUNIT_ARRAY_PARAM_DESC(part, part_cases, name);

static void gpreempt_share_parts(struct kunit *test)
{
	const struct part_case *c = test->param_value;
	unsigned int nr, i;
	struct mill *m;

	for (nr = 0; nr < ARRAY_SIZE(c->p) && c->p[nr].queues; nr++)
		;
	m = mill_new(test, c->policy ?: "fair", c->p, nr);
	mill_measure(m);
	for (i = 0; i < nr; i++)
		EXPECT_PART(test, m, i, c->part[i]);
	/* no more is taken off than a queue of each for each turn */
	KUNIT_EXPECT_LE(test, m->preempted, 2400 / 10 * QUEUES);
}

/* A cap is one of the machine's time, also where no other wants it, on whatever level. */
static void gpreempt_share_cap_alone(struct kunit *test)
{
	static const struct process p = { { .cap_percent = 30 }, .queues = 2, .priority = 9 };
	struct mill *m = mill_new(test, "fair", &p, 1);

	KUNIT_EXPECT_TRUE(test, gpreempt_may_contend(&m->view));
	mill_measure(m);
	KUNIT_EXPECT_LE(test, m->process[0].ran_ns, 2000 * NSEC_PER_MSEC * 32 / 100);
	KUNIT_EXPECT_GE(test, m->process[0].ran_ns, 2000 * NSEC_PER_MSEC * 28 / 100);
}

/* With a cap of 20 per cent, above another one. */
static const struct process capped[] = {
	{ { .cap_percent = 20 }, .queues = 2, .priority = 9 }, { .queues = 1 },
};

/* Not two caps, for a process that works on two levels. */
static void gpreempt_share_cap_of_levels(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", capped, 2);

	m->q[1].terms.priority = 5;
	mill_measure(m);
	EXPECT_PART(test, m, 0, 200);
}

/* Nor does a cap end with a level: a process that changes it all the time has no more. */
static void gpreempt_share_cap_of_changes(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", capped, 2);
	unsigned int i;

	mill_go(m, 300);
	mill_count(m, 0);
	for (i = 0; i < 2000; i++) {
		m->q[0].terms.priority = 3 + i % 7;
		m->q[1].terms.priority = m->q[0].terms.priority;
		mill_go(m, 1);
	}
	KUNIT_EXPECT_LE(test, m->process[0].ran_ns, 2000 * NSEC_PER_MSEC * 22 / 100);
}

/* What must not be taken off has that time all the same, and pays for it later. */
static void gpreempt_share_cap_of_pinned(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", pair, 2);

	m->group[0].share.cap_percent = 10;
	mill_go(m, 300);
	while (!m->live[0])
		mill_go(m, 1);
	m->q[0].terms.pinned = true;
	mill_count(m, 300);
	KUNIT_EXPECT_EQ(test, m->process[0].ran_ns, 300 * NSEC_PER_MSEC);
	m->q[0].terms.pinned = false;
	mill_count(m, 900);
	KUNIT_EXPECT_LE(test, m->process[0].ran_ns, 30 * NSEC_PER_MSEC);
}

/* A minimum lasts, however long its process had the machine to itself. */
static void gpreempt_share_minimum_after_rest(struct kunit *test)
{
	static const struct process p[] = {
		{ { 1, 50 }, .queues = 1 },
		{ { 1000 }, .queues = 1, .work_us = 1000, .think_us = 9000000 },
	};
	struct mill *m = mill_new(test, "fair", p, 2);

	mill_go(m, 5000);
	m->process[1].arrives_ns = m->view.now_ns;
	m->process[1].think_us = 0;
	mill_measure(m);
	EXPECT_PART(test, m, 0, 500);
}

/* What it had for its minimum is not held against it when it has none any more. */
static void gpreempt_share_minimum_taken(struct kunit *test)
{
	static const struct process p[] = {
		{ { 100, 60 }, .queues = 1 }, { { 300 }, .queues = 4 },
	};
	struct mill *m = mill_new(test, "fair", p, 2);

	mill_measure(m);
	EXPECT_PART(test, m, 0, 600);
	m->group[0].share = (struct gpreempt_share) { .weight = 300, .cap_percent = 30 };
	m->group[1].share.weight = 100;
	mill_measure(m);
	EXPECT_PART(test, m, 0, 300);
}

/* What worked while nothing was decided is not known: none pays for it. */
static void gpreempt_share_of_a_gap(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", pair, 2);
	struct gpreempt_plan plan;

	mill_go(m, 300);
	m->view.now_ns += 1000 * NSEC_PER_MSEC;
	gpreempt_skip(&m->view, &plan);
	m->view.now_ns += 1000ULL * NSEC_PER_SEC;
	m->group[0].share.cap_percent = 50;
	m->group[1].share.cap_percent = 50;
	mill_measure(m);
	EXPECT_PART(test, m, 0, 500);
	KUNIT_EXPECT_GE(test, m->process[0].ran_ns, 800 * NSEC_PER_MSEC);
}

/* What thinks waits for a turn and a save, and what it is seen late by; and is not charged. */
static void gpreempt_share_thinks(struct kunit *test)
{
	static const u32 weights[][2] = { { 100, 100 }, { 100, 800 }, { 800, 100 }, { 10, 10 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		const struct process p[] = {
			{ { weights[i][0] }, .queues = 1, .work_us = 700, .think_us = 41300 },
			{ { weights[i][1] }, .queues = 1 }, { { weights[i][1] }, .queues = 4 },
		};
		struct mill *m = mill_new(test, "fair", p, 3);

		mill_measure(m);
		KUNIT_EXPECT_GT(test, m->process[0].ran_ns, 20 * 700 * NSEC_PER_USEC);
		KUNIT_EXPECT_LE(test, m->process[0].longest_ns, SLICE_NS + SAVE_NS + 2 * SCAN_NS);
	}
}

/*
 * What slept is not owed that time, nor does what ran alone owe it: from the first turns on
 * both have half.
 */
static void gpreempt_share_wakes(struct kunit *test)
{
	static const struct process p[] = {
		{ .queues = 1 }, { .queues = 1, .work_us = 1000, .think_us = 3000000 },
	};
	struct mill *m = mill_new(test, "fair", p, 2);
	u64 ran;

	mill_go(m, 2000);
	m->process[1].arrives_ns = m->view.now_ns;
	m->process[1].think_us = 0;
	mill_count(m, 200);
	EXPECT_PART(test, m, 0, 500 - 30);
	ran = m->process[0].ran_ns;

	/* now the first one sleeps, and comes back */
	m->process[0].busy = false;
	m->process[0].arrives_ns = m->view.now_ns + 2000 * NSEC_PER_MSEC;
	mill_go(m, 2000);
	KUNIT_EXPECT_EQ(test, m->process[0].ran_ns, ran);
	mill_count(m, 200);
	EXPECT_PART(test, m, 0, 500 + 30);
}

/* What is made anew for each turn has not the first one each time. */
static void gpreempt_share_new(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", pair, 2);
	unsigned int i, had_ms = 0;

	mill_go(m, 100);
	mill_count(m, 0);
	for (i = 0; i < 200 * 10; i++) {
		mill_go(m, 1);
		had_ms = m->live[1] ? had_ms + 1 : 0;
		if (had_ms == SLICE_NS / NSEC_PER_MSEC / 2)
			m->group[1] = (struct gpreempt_group) {};
	}
	KUNIT_EXPECT_LE(test, mill_part(m, 1), 540);
}

/* A policy that writes down what is paid, there and in words of its own. */
static struct {
	u64 ns[GPREEMPT_LEVELS];
	u64 group_ns;
	u64 slice_ns;			/* of the turn that was paid last */
	u64 not_before_ns;		/* has any a turn */
	unsigned int charges;
} book;

static u64 clerk_not_before_ns(const struct gpreempt_party *p)
{
	return book.not_before_ns;
}

static void clerk_charge(struct gpreempt_party *p, u64 ns, u64 group_ns)
{
	const struct gpreempt_group *g = container_of(p->share, struct gpreempt_group, share);

	book.ns[p->turn - g->turn] += ns;
	book.group_ns += group_ns;
	book.slice_ns = p->turn->slice_ns;
	book.charges++;
	*p->clock += ns;
	p->turn_own[0] += ns;
	p->own[0] += group_ns;
}

static const struct gpreempt_policy clerk = {
	.name = "clerk",
	.turns = true,
	.not_before_ns = clerk_not_before_ns,
	.charge = clerk_charge,
};

static u64 book_open(struct mill *m)
{
	memset(&book, 0, sizeof(book));
	m->view.policy = &clerk;
	return m->view.now_ns;
}

static u64 book_sum(void)
{
	unsigned int i;
	u64 ns = 0;

	for (i = 0; i < GPREEMPT_LEVELS; i++)
		ns += book.ns[i];
	return ns;
}

static const struct process one = { .queues = 1, .priority = 9 };

/* All that a process has is paid: on each level where it has it, and by the process once. */
static void gpreempt_share_paid_once(struct kunit *test)
{
	static const struct process three = { .queues = 3, .priority = 9 };
	struct mill *m = mill_new(test, "fair", &three, 1);
	u64 begun_ns;

	book_open(m);
	m->q[1].terms.priority = 5;
	mill_go(m, 100);
	begun_ns = book_open(m);
	mill_go(m, 200);
	KUNIT_EXPECT_EQ(test, book.ns[9], m->view.now_ns - begun_ns);
	KUNIT_EXPECT_EQ(test, book.ns[5], m->view.now_ns - begun_ns);
	KUNIT_EXPECT_EQ(test, book.group_ns, m->view.now_ns - begun_ns);
	KUNIT_EXPECT_EQ(test, book.charges, 2 * 200);
	KUNIT_EXPECT_EQ(test, book.slice_ns, SLICE_NS);

	/* a scan that comes late, however late, costs no more than there are words for */
	begun_ns = book_open(m);
	m->view.now_ns += BIT_ULL(41);
	mill_scan(m);
	KUNIT_EXPECT_EQ(test, book.ns[9], BIT_ULL(40));
	KUNIT_EXPECT_EQ(test, book.group_ns, BIT_ULL(40));

	/* nor does it end that a level has no turns; one of no time is not paid */
	memset(m->view.tun.timeslice_us, 0, sizeof(m->view.tun.timeslice_us));
	begun_ns = book_open(m);
	mill_go(m, 10);
	KUNIT_EXPECT_EQ(test, book.group_ns, m->view.now_ns - begun_ns);
	KUNIT_EXPECT_EQ(test, book.slice_ns, 0);
}

/* What changes its level pays where it was, once, also if that was for no time at all. */
static void gpreempt_share_paid_by_changes(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", &one, 1);
	unsigned int i;
	u64 begun_ns;

	book_open(m);
	mill_go(m, 100);
	begun_ns = book_open(m);
	for (i = 0; i < 100; i++) {
		m->q[0].terms.priority = 3 + i % 7;
		mill_go(m, 1);
	}
	KUNIT_EXPECT_EQ(test, book_sum(), m->view.now_ns - begun_ns);
	KUNIT_EXPECT_EQ(test, book.group_ns, m->view.now_ns - begun_ns);

	m->q[0].terms.priority = 9;
	mill_go(m, 10);
	begun_ns = book_open(m);
	m->q[0].terms.priority = 5;
	mill_scan(m);
	m->q[0].terms.priority = 9;
	mill_go(m, 10);
	KUNIT_EXPECT_EQ(test, book_sum(), m->view.now_ns - begun_ns);
	KUNIT_EXPECT_EQ(test, book.group_ns, m->view.now_ns - begun_ns);
}

/* Nor does any pay on a level that it left while nothing was decided. */
static void gpreempt_share_paid_after_gap(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", &one, 1);
	struct gpreempt_plan plan;
	u64 begun_ns;

	book_open(m);
	mill_go(m, 100);
	book_open(m);
	m->view.now_ns += 100 * NSEC_PER_MSEC;
	gpreempt_skip(&m->view, &plan);
	m->q[0].terms.priority = 5;
	mill_scan(m);
	KUNIT_EXPECT_EQ(test, book_sum(), 0);
	begun_ns = m->view.now_ns;
	mill_go(m, 10);
	KUNIT_EXPECT_EQ(test, book_sum(), m->view.now_ns - begun_ns);
	KUNIT_EXPECT_EQ(test, book.ns[9], 0);
}

/* The time before which a group has no turn ends to the nanosecond. */
static void gpreempt_share_not_before(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", &one, 1);

	book_open(m);
	mill_arrive(m);
	m->view.now_ns += SCAN_NS;
	book.not_before_ns = m->view.now_ns + 1;
	mill_scan(m);
	KUNIT_EXPECT_TRUE(test, m->q[0].out.limited);
	KUNIT_EXPECT_FALSE(test, m->q[0].out.turn);
	m->view.now_ns = book.not_before_ns;
	mill_scan(m);
	KUNIT_EXPECT_FALSE(test, m->q[0].out.limited);
	KUNIT_EXPECT_TRUE(test, m->q[0].out.turn);
}

/* A scan that is looked at twice, as where waves have to be counted, is paid once. */
static void gpreempt_share_paid_at_first_look(struct kunit *test)
{
	static const struct process p[] = {
		{ .share = { .weight = 100, .min_percent = 40 }, .queues = 2 },
		{ .share = { .weight = 300, .cap_percent = 50 }, .queues = 1 },
	};
	struct mill *m = mill_new(test, "fair", p, 2), *before;
	unsigned int i, k;

	before = kunit_kzalloc(test, sizeof(*before), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, before);
	for (i = 0; i < 500; i++) {
		mill_go(m, 1);
		m->view.now_ns += SCAN_NS;
		gpreempt_group_rank(&m->view);
		memcpy(before, m, sizeof(*m));
		gpreempt_group_rank(&m->view);
		KUNIT_EXPECT_EQ(test, m->view.clock[0], before->view.clock[0]);
		for (k = 0; k < 2; k++) {
			KUNIT_EXPECT_EQ(test, m->group[k].turn[0].had_ns,
					before->group[k].turn[0].had_ns);
			KUNIT_EXPECT_MEMEQ(test, m->group[k].turn[0].own,
					   before->group[k].turn[0].own,
					   sizeof(m->group[k].turn[0].own));
			KUNIT_EXPECT_MEMEQ(test, m->group[k].own, before->group[k].own,
					   sizeof(m->group[k].own));
		}
	}
}

/* A policy finds its words zeroed when it comes, and as it left them at each later scan. */
static void gpreempt_share_words(struct kunit *test)
{
	struct mill *m = mill_new(test, "fair", pair, 2);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		m->view.policy = &gpreempt_fair;
		mill_go(m, 100);
		KUNIT_EXPECT_GT(test, m->view.clock[0], 0);
		book_open(m);
		mill_go(m, 300);
		KUNIT_EXPECT_GT(test, book.ns[0], 200 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, m->view.clock[0], book.ns[0]);
		KUNIT_EXPECT_EQ(test, m->group[0].turn[0].own[0] + m->group[1].turn[0].own[0],
				book.ns[0]);
		KUNIT_EXPECT_EQ(test, m->group[0].own[0] + m->group[1].own[0], book.group_ns);
	}
}

/* A group that fair itself is asked about, on level 0. */
static struct gpreempt_group *fair_group(struct kunit *test, struct gpreempt_share share)
{
	struct gpreempt_group *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, g);
	g->share = share;
	g->turn[0].slice_ns = SLICE_NS;
	return g;
}

static u64 fair_key_of(struct gpreempt_view *view, struct gpreempt_group *g)
{
	struct gpreempt_party p = gpreempt_policy_party(view, g, 0);

	return gpreempt_fair.key(&p);
}

static void fair_pays(struct gpreempt_view *view, struct gpreempt_group *g, u64 ns)
{
	struct gpreempt_party p = gpreempt_policy_party(view, g, 0);

	gpreempt_fair.charge(&p, ns, ns);
}

static struct gpreempt_view *fair_view(struct kunit *test)
{
	struct gpreempt_view *view = kunit_kzalloc(test, sizeof(*view), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, view);
	view->now_ns = 10 * NSEC_PER_SEC;
	return view;
}

/* It had turns before, and has work. */
static void fair_wakes(struct gpreempt_view *view, struct gpreempt_group *g)
{
	struct gpreempt_party p = gpreempt_policy_party(view, g, 0);

	g->turn[0].last_ns = 1;
	gpreempt_fair.wake(&p);
	g->turn[0].awake = true;
}

/* What a group had is held against its minimum for one turn at that rate, and no longer. */
static void gpreempt_share_minimum_is_due(struct kunit *test)
{
	struct gpreempt_view *view = fair_view(test);
	struct gpreempt_group *p, *other;
	u64 due_ns = view->now_ns + SLICE_NS * 100 / 40;

	p = fair_group(test, (struct gpreempt_share) { .min_percent = 40 });
	other = fair_group(test, (struct gpreempt_share) {});
	fair_pays(view, p, 5 * NSEC_PER_SEC);
	view->now_ns = due_ns - 1;
	KUNIT_EXPECT_GE(test, fair_key_of(view, p), fair_key_of(view, other));
	view->now_ns = due_ns;
	KUNIT_EXPECT_LT(test, fair_key_of(view, p), fair_key_of(view, other));
}

/* What has had a nanosecond more, by its weight, is the later one. */
static void gpreempt_share_had_least(struct kunit *test)
{
	static const struct { u32 weight, other; u64 ns, other_ns; } c[] = {
		{ 100, 100, 2, 1 }, { 0, 100, 2, 1 }, { 100, 1000, 2, 19 }, { 1, 50, 1, 49 },
	};
	struct gpreempt_view *view = fair_view(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct gpreempt_group *p, *other;

		p = fair_group(test, (struct gpreempt_share) { .weight = c[i].weight });
		other = fair_group(test, (struct gpreempt_share) { .weight = c[i].other });
		fair_wakes(view, p);
		fair_wakes(view, other);
		KUNIT_EXPECT_EQ(test, fair_key_of(view, p), fair_key_of(view, other));
		fair_pays(view, p, c[i].ns);
		fair_pays(view, other, c[i].other_ns);
		KUNIT_EXPECT_FALSE_MSG(test, fair_key_of(view, p) <= fair_key_of(view, other),
				       "case %u", i);
	}
}

/*
 * What goes first for its minimum makes no other wait by that, for as long as its turn is: what it
 * has beyond that, as no other wants it, is counted.
 */
static void gpreempt_share_minimum_for_a_turn(struct kunit *test)
{
	struct gpreempt_view *view = fair_view(test);
	struct gpreempt_group *p, *other;
	u64 key;

	p = fair_group(test, (struct gpreempt_share) { .min_percent = 40 });
	other = fair_group(test, (struct gpreempt_share) {});
	fair_wakes(view, other);
	key = fair_key_of(view, other);
	p->turn[0].begins = true;
	fair_pays(view, p, SLICE_NS / 2);
	KUNIT_EXPECT_EQ(test, fair_key_of(view, other), key);
	p->turn[0].begins = false;
	p->turn[0].had_ns = SLICE_NS - 1;
	fair_pays(view, p, 3 * SLICE_NS);
	KUNIT_EXPECT_EQ(test, fair_key_of(view, other), key);
	p->turn[0].had_ns = SLICE_NS;
	fair_pays(view, p, SLICE_NS / 2);
	KUNIT_EXPECT_LT(test, fair_key_of(view, other), key);
}

/* What is not above its greatest value, nor a cap below the minimum. */
static void gpreempt_share_makes_sense(struct kunit *test)
{
	static const struct { struct gpreempt_share share; bool valid; } c[] = {
		{ { 1 }, true }, { { GPREEMPT_WEIGHT_MAX, 100, 100 }, true },
		{ { 0 }, true }, { { GPREEMPT_WEIGHT_MAX + 1 }, false },
		{ { 1, 101 }, false }, { { 1, 100 }, true },
		{ { 1, 0, 101 }, false }, { { 1, 0, 1 }, true },
		{ { 1, 50, 49 }, false }, { { 1, 50, 50 }, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++)
		KUNIT_EXPECT_EQ_MSG(test, gpreempt_share_valid(&c[i].share), c[i].valid,
				    "case %u", i);
}

/* Anybody may take less; more, and what is taken from others, only with CAP_SYS_NICE. */
static void gpreempt_share_admitted(struct kunit *test)
{
	static const struct {
		struct gpreempt_share share, had;
		u32 others;
		int ret, nice_ret;
	} c[] = {
		{ { 100 }, {}, 0, 0, 0 }, { { 101 }, {}, 0, -EPERM, 0 },
		{ { 99 }, {}, 0, 0, 0 }, { { 100 }, { 99 }, 0, -EPERM, 0 },
		{ { 200 }, { 200 }, 0, 0, 0 }, { { 201 }, { 200 }, 0, -EPERM, 0 },
		{ { 100, 1 }, {}, 0, -EPERM, 0 }, { { 100, 20 }, { 100, 20 }, 80, 0, 0 },
		{ { 100, 21 }, { 100, 20 }, 0, -EPERM, 0 }, { { 100, 19 }, { 100, 20 }, 0, 0, 0 },
		{ { 100, 0, 50 }, {}, 0, 0, 0 }, { { 100, 0, 50 }, { 100, 0, 50 }, 0, 0, 0 },
		{ { 100, 0, 51 }, { 100, 0, 50 }, 0, -EPERM, 0 },
		{ { 100 }, { 100, 0, 50 }, 0, -EPERM, 0 },
		{ { 100, 50 }, { 100, 50 }, 50, 0, 0 },
		{ { 100, 50 }, { 100, 50 }, 51, -ENOSPC, -ENOSPC },
		{ { 100 }, {}, 100, 0, 0 }, { { 0, 0, 50 }, { 50 }, 0, -EPERM, 0 },
		{ { 0, 0, 50 }, {}, 0, 0, 0 }, { { 0 }, { 200 }, 0, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		int ret = gpreempt_share_admit(&c[i].share, &c[i].had, false, c[i].others);

		KUNIT_EXPECT_EQ_MSG(test, ret, c[i].ret, "case %u", i);
		ret = gpreempt_share_admit(&c[i].share, &c[i].had, true, c[i].others);
		KUNIT_EXPECT_EQ_MSG(test, ret, c[i].nice_ret, "case %u", i);
	}
}

static void expect_share(struct kunit *test, struct gpreempt_share share,
			 const struct gpreempt_share *is, unsigned int i)
{
	KUNIT_EXPECT_EQ_MSG(test, share.weight, is->weight, "case %u", i);
	KUNIT_EXPECT_EQ_MSG(test, share.min_percent, is->min_percent, "case %u", i);
	KUNIT_EXPECT_EQ_MSG(test, share.cap_percent, is->cap_percent, "case %u", i);
}

/* No more of any than another one. */
static void gpreempt_share_lowered(struct kunit *test)
{
	static const struct { struct gpreempt_share share, most, left; } c[] = {
		{ {}, {}, {} }, { { 100 }, { 0 }, { 100 } }, { { 300 }, {}, { 100 } },
		{ {}, { 10 }, { 10 } }, { { 5 }, { 10 }, { 5 } }, { {}, { 300 }, {} },
		{ { 100, 40 }, { 100, 20 }, { 100, 20 } },
		{ { 100, 10 }, { 100, 20 }, { 100, 10 } },
		{ { 100 }, { 100, 0, 60 }, { 100, 0, 60 } },
		{ { 100, 0, 70 }, { 100, 0, 60 }, { 100, 0, 60 } },
		{ { 100, 0, 50 }, { 100, 0, 60 }, { 100, 0, 50 } },
		{ { 100, 0, 50 }, { 100 }, { 100, 0, 50 } },
		{ { 100 }, { 100, 0, 100 }, { 100, 0, 100 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++)
		expect_share(test, gpreempt_share_lower(c[i].share, &c[i].most), &c[i].left, i);
}

static struct gpreempt_share share_inherited(struct gpreempt_share own,
					     struct gpreempt_share parent)
{
	const struct gpreempt_lot above = { .share = parent };

	return gpreempt_lot_inherit((struct gpreempt_lot) { .share = own }, &above).share;
}

/* The nearest weight, the lowest cap, nobody else's minimum. */
static void gpreempt_share_inherited(struct kunit *test)
{
	static const struct { struct gpreempt_share own, parent, follows; } c[] = {
		{ {}, {}, {} }, { {}, { 50, 20, 60 }, { 50, 0, 60 } },
		{ { 70 }, { 50, 20, 60 }, { 70, 0, 60 } },
		{ { 70, 10, 30 }, { 50, 20, 60 }, { 70, 10, 30 } },
		{ { 70, 10, 80 }, { 50, 20, 60 }, { 70, 10, 60 } },
		{ { 70, 80, 80 }, { 50, 20, 60 }, { 70, 60, 60 } },
		{ { 70, 10 }, { 50 }, { 70, 10 } }, { { 70, 100 }, { 50 }, { 70, 100 } },
		{ { 70, 0, 30 }, { 50 }, { 70, 0, 30 } }, { {}, { 50, 0, 100 }, { 50, 0, 100 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++)
		expect_share(test, share_inherited(c[i].own, c[i].parent), &c[i].follows,
			     i);
}

static struct kunit_case gpreempt_share_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_share_parts, part_gen_params),
	KUNIT_CASE(gpreempt_share_cap_alone),
	KUNIT_CASE(gpreempt_share_cap_of_levels),
	KUNIT_CASE(gpreempt_share_cap_of_changes),
	KUNIT_CASE(gpreempt_share_cap_of_pinned),
	KUNIT_CASE(gpreempt_share_minimum_after_rest),
	KUNIT_CASE(gpreempt_share_minimum_taken),
	KUNIT_CASE(gpreempt_share_of_a_gap),
	KUNIT_CASE(gpreempt_share_thinks),
	KUNIT_CASE(gpreempt_share_wakes),
	KUNIT_CASE(gpreempt_share_new),
	KUNIT_CASE(gpreempt_share_paid_once),
	KUNIT_CASE(gpreempt_share_paid_by_changes),
	KUNIT_CASE(gpreempt_share_paid_at_first_look),
	KUNIT_CASE(gpreempt_share_paid_after_gap),
	KUNIT_CASE(gpreempt_share_not_before),
	KUNIT_CASE(gpreempt_share_words),
	KUNIT_CASE(gpreempt_share_minimum_is_due),
	KUNIT_CASE(gpreempt_share_had_least),
	KUNIT_CASE(gpreempt_share_minimum_for_a_turn),
	KUNIT_CASE(gpreempt_share_makes_sense),
	KUNIT_CASE(gpreempt_share_admitted),
	KUNIT_CASE(gpreempt_share_lowered),
	KUNIT_CASE(gpreempt_share_inherited),
	{}
};

static struct kunit_suite gpreempt_share_suite = {
	.name = "amdgpu_kfd_gpreempt_share",
	.test_cases = gpreempt_share_cases,
};

kunit_test_suite(gpreempt_share_suite);

MODULE_DESCRIPTION("KUnit tests of the shares that GPREEMPT's policies give");
MODULE_LICENSE("Dual MIT/GPL");
