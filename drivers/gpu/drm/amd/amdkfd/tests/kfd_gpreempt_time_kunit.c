// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's help and lingers, over time: how much of the machine has each queue,
 * and how often do others leave and come back?
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_time_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_machine.h"

#define HIGH	12
#define LOW	3

static const struct machine_work endless = { .groups = MACHINE_SLOTS, .ns = MACHINE_EVER };

/* From the unmap of a high queue for one that starves to its return, at most. */
#define HELP_NS		(2 * MACHINE_SAVE_NS + 500 * NSEC_PER_USEC + 2 * INTERVAL_NS)

/* One endless high queue, and so many endless low ones, of so many processes. */
struct starve_case {
	unsigned int low, processes;
	unsigned int starvation_ms, ms;		/* and how long it is looked at */
	unsigned int part;		/* of the time that high has at least, in 1/1000 */
	bool more;				/* high has another kernel, which finds no space */
	bool fetch;
	bool skewed;				/* the first has all but one of each other one */
};

static const struct starve_case starve_cases[] = {
	{ 5, 5, 1000, 5000, 980, .more = true },
	{ 39, 39, 1000, 5000, 870, .more = true },
	{ 119, 119, 100, 4000, 870, .more = true },
	{ 399, 399, 100, 2000, 870, .more = true, .fetch = true },
	{ 1000, 1000, 100, 1000, 870, .more = true },
	{ 119, 1, 100, 4000, 960, .more = true },
	{ 399, 4, 100, 2000, 870, .more = true, .fetch = true },
	{ 1000, 1, 100, 1000, 960, .more = true },
	{ 109, 10, 100, 4000, 870, .more = true, .skewed = true },
	{ 39, 39, 100, 2000, 870 },
	{ 39, 39, 100, 2000, 870, .fetch = true },
	{ 399, 4, 100, 1000, 870 },
};

static void starve_desc(const struct starve_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u queues of %u processes%s%s%s", c->low,
		 c->processes, c->skewed ? ", most of the first" : "",
		 c->more ? "" : ", high has what it wants", c->fetch ? ", fetch" : "");
}

KUNIT_ARRAY_PARAM(starve, starve_cases, starve_desc);

/* A process, and what its queues had. */
struct starve_process {
	struct gpreempt_group *group;
	unsigned int queues, ran, helped;
	u64 seen_ns;
};

/* The process of a low queue. */
static unsigned int starve_process(const struct starve_case *c, unsigned int low)
{
	if (c->skewed)
		return low < c->processes ? low : 0;
	return low * c->processes / c->low;
}

/*
 * Rule 3: queues that starve are helped. Those above lose an eighth of the time at most, and are
 * never away for longer than it takes to help one.
 */
static void gpreempt_time_starve(struct kunit *test)
{
	const struct starve_case *c = test->param_value;
	struct machine *m = machine_new(test, c->low + 1, c->fetch);
	u64 begun_ns, bound_ns, ns = c->ms * (u64)NSEC_PER_MSEC;
	unsigned int least = U32_MAX, most = 0, all = 0, i;
	struct starve_process *p;

	p = kunit_kcalloc(test, c->processes, sizeof(*p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	for (i = 0; i < c->processes; i++)
		p[i].group = machine_process(test);
	m->view.tun.starvation_ms = c->starvation_ms;
	machine_queue(m, 0, machine_process(test), HIGH, &endless);
	for (i = 0; i < c->low; i++) {
		machine_queue(m, i + 1, p[starve_process(c, i)].group,
			      c->skewed ? LOW + i % 6 : LOW, &endless);
		machine_submit(m, i + 1, 1);
	}
	machine_run(m, 20 * NSEC_PER_MSEC);
	machine_submit(m, 0, c->more ? 2 : 1);
	machine_run(m, 20 * NSEC_PER_MSEC);
	machine_begin(m);
	begun_ns = m->now_ns;
	machine_run(m, ns);

	KUNIT_EXPECT_GE(test, machine_part(m, 0, ns), c->part);
	KUNIT_EXPECT_LE(test, m->q[0].gap_ns, HELP_NS);
	for (i = 0; i < c->low; i++) {
		const struct machine_queue *q = &m->q[i + 1];
		struct starve_process *of = &p[starve_process(c, i)];

		of->queues++;
		of->ran += q->ran_ns > 0;
		of->helped += q->helped;
		of->seen_ns = max(of->seen_ns, q->seen_ns);
	}
	bound_ns = c->starvation_ms * (u64)NSEC_PER_MSEC +
		   c->processes * GPREEMPT_HELP_PART * HELP_NS;
	for (i = 0; i < c->processes; i++) {
		all += p[i].helped;
		least = min(least, p[i].helped);
		most = max(most, p[i].helped);
		KUNIT_EXPECT_LE_MSG(test, m->now_ns - max(p[i].seen_ns, begun_ns), bound_ns,
				    "process %u", i);
		/* of a process the queue that has waited longest */
		KUNIT_EXPECT_EQ_MSG(test, p[i].ran, min(p[i].helped, p[i].queues), "process %u",
				    i);
	}
	kunit_info(test, "high has %u, is away for %llu us; %u helped, %u to %u each; %u taken off in %u transactions, %u scans\n",
		   machine_part(m, 0, ns), div_u64(m->q[0].gap_ns, NSEC_PER_USEC), all, least,
		   most, m->preempted, m->transactions, m->scans);
	/* all processes alike, and as often as the formula says, at least */
	KUNIT_EXPECT_LE(test, most, least + 1);
	KUNIT_EXPECT_GE(test, (least + 1) * bound_ns, ns);
	/* one leaves for help, and one after it; but for what has come back in vain */
	KUNIT_EXPECT_LE(test, m->transactions, 2 * all + (c->more ? 1 : 12));
	if (c->more && !c->fetch)
		KUNIT_EXPECT_EQ(test, m->preempted, m->transactions);
}

/*
 * A queue that is helped, and sees to it that it never executes while it has the machine for
 * itself: its process asks that it leaves, again and again, or an accomplice makes a queue anew
 * each time, which is in its way.
 */
struct idle_help_case {
	const char *name;
	unsigned int ask_us, anew_us;
	unsigned int part;		/* of the time that high has at least, in 1/1000 */
};

static const struct idle_help_case idle_help_cases[] = {
	{ "no tricks", .part = 980 },
	{ "asked to leave each 300 us", .ask_us = 300, .part = 860 },
	{ "asked to leave each ms", .ask_us = 1000, .part = 860 },
	{ "asked to leave each 1.9 ms", .ask_us = 1900, .part = 860 },
	{ "one made anew each 2 ms", .anew_us = 2000, .part = 600 },
	{ "one made anew each 3 ms", .anew_us = 3000, .part = 700 },
};

KUNIT_ARRAY_PARAM_DESC(idle_help, idle_help_cases, name);

/* The tenant with these tricks. */
struct idle_help_state {
	const struct idle_help_case *c;
	u64 ask_ns, anew_ns;
};

enum { IDLE_HELP_HIGH, IDLE_HELP_HELPED, IDLE_HELP_ANEW, IDLE_HELP_QUEUES };

/* A queue is destroyed, and made with the same work to do. */
static void idle_help_anew(struct machine *m, unsigned int i)
{
	struct machine_queue *q = &m->q[i];
	const struct machine_work work = q->work;
	unsigned int slot;

	for (slot = 0; slot < MACHINE_SLOTS; slot++) {
		if (m->slot_q[slot] == i) {
			m->slot_q[slot] = -1;
			m->free |= BIT(slot);
		}
	}
	*q = (struct machine_queue) { .work = work };
	m->v[i].seen = (struct gpreempt_evidence) {};
	machine_submit(m, i, 1);
	m->stall_ns = max(m->stall_ns, m->now_ns + MACHINE_SAVE_NS);
}

static void idle_help_app(struct machine *m)
{
	struct idle_help_state *s = m->own;
	bool off = m->q[IDLE_HELP_HELPED].off;

	if (s->c->ask_us && m->now_ns >= s->ask_ns) {
		m->v[IDLE_HELP_HELPED].terms.asked = true;
		s->ask_ns = m->now_ns + s->c->ask_us * (u64)NSEC_PER_USEC;
		m->scan_ns = min(m->scan_ns, m->now_ns + MACHINE_WAKE_NS);
	}
	m->v[IDLE_HELP_HELPED].terms.asked &= !off;
	if (s->c->anew_us && m->now_ns >= s->anew_ns) {
		idle_help_anew(m, IDLE_HELP_ANEW);
		s->anew_ns = m->now_ns + s->c->anew_us * (u64)NSEC_PER_USEC;
		m->scan_ns = min(m->scan_ns, m->now_ns + MACHINE_WAKE_NS);
	}
	m->app_ns = min(s->c->ask_us ? s->ask_ns : U64_MAX, s->c->anew_us ? s->anew_ns : U64_MAX);
}

/* Rule 3 again: help ends, whether it was of use or not, and is charged to all help. */
static void gpreempt_time_idle_help(struct kunit *test)
{
	static const struct machine_work nothing = { .groups = 1, .ns = 1,
						     .signal = MACHINE_SHARED };
	static const struct machine_work small = { .groups = 1, .ns = MACHINE_EVER };
	struct machine *m = machine_new(test, IDLE_HELP_QUEUES, false);
	struct idle_help_state s = { .c = test->param_value };

	machine_queue(m, IDLE_HELP_HIGH, machine_process(test), HIGH, &endless);
	machine_queue(m, IDLE_HELP_HELPED, machine_process(test), LOW, &nothing);
	machine_queue(m, IDLE_HELP_ANEW, machine_process(test), LOW, &small);
	m->own = &s;
	m->app = idle_help_app;
	machine_submit(m, IDLE_HELP_HELPED, 1);
	machine_run(m, 20 * NSEC_PER_MSEC);
	machine_submit(m, IDLE_HELP_HIGH, 2);
	machine_run(m, 1500 * NSEC_PER_MSEC);
	machine_begin(m);
	machine_run(m, 5 * (u64)NSEC_PER_SEC);
	kunit_info(test, "high has %u, is away for %llu us, in %u transactions\n",
		   machine_part(m, IDLE_HELP_HIGH, 5 * (u64)NSEC_PER_SEC),
		   div_u64(m->q[IDLE_HELP_HIGH].gap_ns, NSEC_PER_USEC), m->transactions);
	KUNIT_EXPECT_GE(test, machine_part(m, IDLE_HELP_HIGH, 5 * (u64)NSEC_PER_SEC), s.c->part);
}

/* Requests of many kernels that each fill the machine, in order, with gaps. */
struct request_case {
	const char *name;
	unsigned int kernels, kernel_us, gap_us, every_us;
	unsigned int added_us;			/* by low, to a request, at most */
	unsigned int part;			/* of what high leaves, that low has */
};

static const struct request_case request_cases[] = {
	{ "150 kernels of 100 us, gaps of 20 us", 150, 100, 20, 40000, 350, 940 },
	{ "60 kernels of 200 us, gaps of 100 us", 60, 200, 100, 40000, 400, 910 },
	{ "40 kernels of 200 us, gaps of 300 us", 40, 200, 300, 40000, 400, 930 },
	{ "decode: 35 kernels of 250 us, gaps of 5 us", 35, 250, 5, 20000, 300, 900 },
	{ "decode: 400 kernels of 30 us, gaps of 10 us", 400, 30, 10, 25000, 250, 850 },
	{ "one kernel of 200 us", 1, 200, 0, 20000, 250, 970 },
};

KUNIT_ARRAY_PARAM_DESC(request, request_cases, name);

/* The application of requests, and what came of it so far. */
struct request_state {
	const struct request_case *c;
	struct rnd_state rnd;
	u64 next_ns;
	u64 begun_ns;
	u64 total_ns;
	unsigned int kernel;
	unsigned int requests;
	bool running;
};

static u64 request_random(struct request_state *r, unsigned int us)
{
	return (us / 2 + prandom_u32_state(&r->rnd) % (us + 1)) * (u64)NSEC_PER_USEC;
}

static void request_app(struct machine *m)
{
	struct request_state *r = m->own;

	if (m->q[0].ended < m->q[0].wptr)
		return;
	if (r->running) {
		r->running = false;
		r->next_ns = m->now_ns + request_random(r, r->c->gap_us);
		if (r->kernel == r->c->kernels) {
			r->requests++;
			r->total_ns += m->now_ns - r->begun_ns;
			r->kernel = 0;
			r->next_ns = max(m->now_ns,
					 r->begun_ns + request_random(r, r->c->every_us));
		}
	}
	m->app_ns = r->next_ns;
	if (m->now_ns < r->next_ns)
		return;
	if (!r->kernel)
		r->begun_ns = m->now_ns;
	machine_submit(m, 0, 1);
	r->kernel++;
	r->running = true;
	m->app_ns = U64_MAX;
}

/* Two seconds, after two in which lingers are learned; returns what a request takes, in us. */
static u64 request_run(struct machine *m, struct request_state *r, bool beside)
{
	const struct machine_work high = { .groups = MACHINE_SLOTS, .in_order = true,
					   .ns = r->c->kernel_us * (u64)NSEC_PER_USEC };
	static const struct machine_work low = { .groups = 4 * MACHINE_SLOTS, .depth = 20,
						 .ns = 5 * NSEC_PER_MSEC };
	static const struct machine_work none = {};

	machine_queue(m, 0, machine_process(m->test), HIGH, &high);
	machine_queue(m, 1, machine_process(m->test), LOW, beside ? &low : &none);
	prandom_seed_state(&r->rnd, 1);
	r->next_ns = m->now_ns + 20 * NSEC_PER_MSEC;
	m->own = r;
	m->app = request_app;
	machine_run(m, 2 * NSEC_PER_SEC);
	r->requests = 0;
	r->total_ns = 0;
	machine_begin(m);
	machine_run(m, 2 * NSEC_PER_SEC);
	return div_u64(r->total_ns, r->requests * (u32)NSEC_PER_USEC);
}

/* A request costs one preemption, and not one a gap. */
static void gpreempt_time_request(struct kunit *test)
{
	const struct request_case *c = test->param_value;
	unsigned int fetch, part;

	for (fetch = 0; fetch < 2; fetch++) {
		struct request_state alone = { .c = c }, beside = { .c = c };
		struct machine *m = machine_new(test, 2, fetch);
		u64 alone_us = request_run(m, &alone, false), us;

		KUNIT_EXPECT_EQ(test, m->preempted, 0);
		m = machine_new(test, 2, fetch);
		us = request_run(m, &beside, true);
		part = div_u64(m->q[1].ran_ns,
			       div_u64((2 * NSEC_PER_SEC - beside.total_ns) * MACHINE_SLOTS, 1000));
		kunit_info(test, "%s: %llu us, and %llu alone; %u of %u requests preempted low, which has %u of the rest; %u of %u scans counted\n",
			   fetch ? "fetch" : "launch", us, alone_us, m->preempted, beside.requests,
			   part, m->counts, m->scans);
		KUNIT_EXPECT_LE(test, m->preempted * 100, beside.requests * 105);
		KUNIT_EXPECT_LE(test, us, alone_us + c->added_us);
		KUNIT_EXPECT_GE(test, part, c->part);
	}
}

/* A high queue that cannot use the machine whatever it is given, beside a low one that can. */
struct harm_case {
	const char *name;
	struct machine_work high, low;
	unsigned int part;		/* that low has of what it has alone, at least */
	bool off;			/* low is off when high begins */
};

static const struct harm_case harm_cases[] = {
	{ "a small kernel that never ends",
	  { .groups = 1, .ns = MACHINE_EVER, .depth = 1 },
	  { .groups = MACHINE_SLOTS / 2, .ns = 2 * NSEC_PER_MSEC, .depth = 20, .in_order = true },
	  800 },
	{ "a small kernel that never ends, beside one that fills the machine",
	  { .groups = 1, .ns = MACHINE_EVER, .depth = 1 },
	  { .groups = 4 * MACHINE_SLOTS, .ns = 2 * NSEC_PER_MSEC, .depth = 20 }, 800 },
	{ "kernels of one workgroup in order, with two behind",
	  { .groups = 1, .ns = 1100 * NSEC_PER_USEC, .depth = 3, .in_order = true },
	  { .groups = MACHINE_SLOTS / 2, .ns = 70 * NSEC_PER_USEC, .depth = 20, .in_order = true },
	  950 },
	{ "kernels of one workgroup in order, with nothing behind",
	  { .groups = 1, .ns = 1100 * NSEC_PER_USEC, .depth = 1, .in_order = true },
	  { .groups = MACHINE_SLOTS / 2, .ns = 70 * NSEC_PER_USEC, .depth = 20, .in_order = true },
	  950 },
	{ "kernels of one workgroup in order, with two behind and one signal",
	  { .groups = 1, .ns = 1100 * NSEC_PER_USEC, .depth = 3, .in_order = true,
	    .signal = MACHINE_SHARED },
	  { .groups = MACHINE_SLOTS / 2, .ns = 70 * NSEC_PER_USEC, .depth = 20, .in_order = true },
	  950 },
	{ "kernels of one workgroup in order, with two behind and no signal",
	  { .groups = 1, .ns = 1100 * NSEC_PER_USEC, .depth = 3, .in_order = true,
	    .signal = MACHINE_NONE },
	  { .groups = MACHINE_SLOTS / 2, .ns = 70 * NSEC_PER_USEC, .depth = 20, .in_order = true },
	  950 },
	{ "a small kernel that never ends, is said to have ended, and has one behind",
	  { .groups = 1, .ns = MACHINE_EVER, .depth = 2, .in_order = true,
	    .signal = MACHINE_FORGED },
	  { .groups = 4 * MACHINE_SLOTS, .ns = 2 * NSEC_PER_MSEC, .depth = 20 }, 800 },
	{ "kernels of one workgroup in order, with two behind, and low is off",
	  { .groups = 1, .ns = 1100 * NSEC_PER_USEC, .depth = 3, .in_order = true },
	  { .groups = MACHINE_SLOTS / 2, .ns = 70 * NSEC_PER_USEC, .depth = 20, .in_order = true },
	  950, .off = true },
	{ "kernels that fill the machine in order, with two behind",
	  { .groups = MACHINE_SLOTS, .ns = 200 * NSEC_PER_USEC, .depth = 3, .in_order = true },
	  { .groups = 4 * MACHINE_SLOTS, .ns = 2 * NSEC_PER_MSEC, .depth = 20 }, 0 },
	{ "kernels that fill the machine in order, with nothing behind",
	  { .groups = MACHINE_SLOTS, .ns = 1300 * NSEC_PER_USEC, .depth = 1, .in_order = true },
	  { .groups = 4 * MACHINE_SLOTS, .ns = 2 * NSEC_PER_MSEC, .depth = 20 }, 0 },
};

KUNIT_ARRAY_PARAM_DESC(harm, harm_cases, name);

/* The time that each of the two has in two seconds, with the other one beside it or not. */
static void harm_run(struct kunit *test, const struct harm_case *c, bool fetch, bool high, bool low,
		     u64 *ran_ns, struct machine **machine)
{
	static const struct machine_work none = {};
	struct machine *m = machine_new(test, 2, fetch);

	machine_queue(m, 0, machine_process(test), HIGH, c->off && high ? &c->high : &none);
	machine_queue(m, 1, machine_process(test), LOW, !c->off && low ? &c->low : &none);
	machine_run(m, 20 * NSEC_PER_MSEC);
	if (high)
		m->q[0].work = c->high;
	if (low)
		m->q[1].work = c->low;
	/* It left as high wanted more, but now. */
	m->q[1].off = c->off && high && low;
	if (m->q[1].off)
		m->v[0].group->turn[HIGH].linger.wanted_ns = m->now_ns;
	machine_run(m, 500 * NSEC_PER_MSEC);
	machine_begin(m);
	machine_run(m, 2 * NSEC_PER_SEC);
	ran_ns[0] = m->q[0].ran_ns;
	ran_ns[1] = m->q[1].ran_ns;
	*machine = m;
}

/* Nobody gains by it that low is away: it has what it has alone, and high as well. */
static void gpreempt_time_harm(struct kunit *test)
{
	const struct harm_case *c = test->param_value;
	u64 alone_ns[2], other_ns[2], ns[2];
	unsigned int fetch;

	for (fetch = 0; fetch < 2; fetch++) {
		struct machine *m;

		harm_run(test, c, fetch, true, false, alone_ns, &m);
		harm_run(test, c, fetch, false, true, other_ns, &m);
		harm_run(test, c, fetch, true, true, ns, &m);
		kunit_info(test, "%s: high has %llu of %llu us, low %llu of %llu; %u preempted\n",
			   fetch ? "fetch" : "launch", div_u64(ns[0], 1000),
			   div_u64(alone_ns[0], 1000), div_u64(ns[1], 1000),
			   div_u64(other_ns[1], 1000), m->preempted);
		KUNIT_EXPECT_GE(test, ns[0], alone_ns[0] - div_u64(alone_ns[0], 50));
		KUNIT_EXPECT_GE(test, ns[1], div_u64(other_ns[1], 1000) * c->part);
	}
}

/* Where a queue stays for long when it has come, help begins when those above may leave. */
static void gpreempt_time_help_waits(struct kunit *test)
{
	struct machine *m = machine_new(test, 3, false);
	unsigned int i;

	m->view.policy = gpreempt_policy_find("timeslice");
	m->view.tun.min_residency_us = 50000;
	for (i = 0; i < GPREEMPT_LEVELS; i++)
		m->view.tun.timeslice_us[i] = 1000;
	machine_queue(m, 0, machine_process(test), LOW, &endless);
	machine_queue(m, 1, machine_process(test), HIGH, &endless);
	machine_queue(m, 2, machine_process(test), HIGH, &endless);
	machine_submit(m, 0, 1);
	machine_run(m, 20 * NSEC_PER_MSEC);
	machine_submit(m, 1, 2);
	machine_submit(m, 2, 2);
	machine_run(m, 1500 * NSEC_PER_MSEC);
	machine_begin(m);
	machine_run(m, 20ULL * NSEC_PER_SEC);
	/* each time that it starves, and at once */
	KUNIT_EXPECT_GE(test, m->q[0].helped, 18);
	KUNIT_EXPECT_GE(test, 1100 * NSEC_PER_MSEC, m->q[0].gap_ns);
}

static struct kunit_case gpreempt_time_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_time_starve, starve_gen_params),
	KUNIT_CASE_PARAM(gpreempt_time_idle_help, idle_help_gen_params),
	KUNIT_CASE(gpreempt_time_help_waits),
	KUNIT_CASE_PARAM(gpreempt_time_request, request_gen_params),
	KUNIT_CASE_PARAM(gpreempt_time_harm, harm_gen_params),
	{}
};

static struct kunit_suite gpreempt_time_suite = {
	.name = "amdgpu_kfd_gpreempt_time",
	.test_cases = gpreempt_time_cases,
};

kunit_test_suite(gpreempt_time_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's help and lingers");
MODULE_LICENSE("Dual MIT/GPL");
