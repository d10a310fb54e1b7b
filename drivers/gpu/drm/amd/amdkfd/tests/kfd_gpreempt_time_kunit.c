// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's help and linger, over time: how much of the machine has each, and
 * how often do others leave and come back?
 */
#include <kunit/test.h>
#include <stdlib.h>

#define OWN(name)	gpreempt_kunit_time_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_bench.h"
#include "kfd_gpreempt_machine.h"

/* One endless high queue and so many endless low ones, of so many processes. */
struct starve_case {
	unsigned int low, processes;
	unsigned int percent;			/* that high has, at least */
};

static const struct starve_case starve_cases[] = {
	{ 5, 5, 96 }, { 39, 39, 87 }, { 119, 119, 87 }, { 399, 399, 87 }, { 1000, 1000, 87 },
	{ 119, 1, 98 }, { 399, 4, 98 }, { 1000, 1, 98 },
};

static void starve_desc(const struct starve_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u queues of %u processes", c->low, c->processes);
}

KUNIT_ARRAY_PARAM(starve, starve_cases, starve_desc);

#define STARVE_NS	(10 * NSEC_PER_SEC)

/* Rule 3: what starves is helped, and those above lose no more than an eighth by it. */
static void gpreempt_time_starve(struct kunit *test)
{
	const struct starve_case *c = test->param_value;
	struct machine *m = machine_new(test, c->low + 1);
	unsigned int i, percent, never = 0;
	u64 longest = 0;

	m->step_ns = 50 * NSEC_PER_USEC;
	m->v[0].terms.priority = 12;
	for (i = 1; i <= c->low; i++) {
		m->v[i].terms.priority = 3;
		m->v[i].group = &m->group[1 + i % c->processes];
		machine_kernels(m, i, MACHINE_SLOTS, MACHINE_EVER, 1);
	}
	machine_run(m, 20 * NSEC_PER_MSEC);
	machine_kernels(m, 0, MACHINE_SLOTS, MACHINE_EVER, 1);
	machine_run(m, STARVE_NS);
	percent = div_u64(m->q[0].ran_ns * 100 / MACHINE_SLOTS, NSEC_PER_SEC) / 10;
	for (i = 1; i <= c->low; i++) {
		never += !m->q[i].ran_ns;
		longest = max(longest, m->q[i].gap_ns);
	}
	kunit_info(test, "high has %u %%, its longest gap is %llu us; %u preempted, %u transactions, %u scans, %u counts, %u never ran, gap %llu ms\n",
		   percent, div_u64(m->q[0].gap_ns, NSEC_PER_USEC), m->preempted, m->transactions,
		   m->scans, m->counts, never, div_u64(longest, NSEC_PER_MSEC));
	KUNIT_EXPECT_GE(test, percent, c->percent);
}

/* Requests of many kernels, in order, with gaps. */
struct request_case {
	const char *name;
	unsigned int kernels, kernel_us, gap_us, every_us;
	unsigned int per_100;
};

struct request_state {
	const struct request_case *c;
	u64 next_ns, begun_ns, total_ns;
	unsigned int kernel, requests;
	bool running;
	struct rnd_state rnd;
};

static const struct request_case request_cases[] = {
	{ "150 kernels of 100 us, gaps of 20 us", 150, 100, 20, 40000 },
	{ "60 kernels of 200 us, gaps of 100 us", 60, 200, 100, 40000 },
	{ "40 kernels of 200 us, gaps of 300 us", 40, 200, 300, 40000 },
	{ "decode: 35 kernels of 250 us, gaps of 5 us", 35, 250, 5, 20000 },
	{ "decode: 400 kernels of 30 us, gaps of 10 us", 400, 30, 10, 25000 },
	{ "one kernel of 200 us", 1, 200, 0, 20000 },
};

KUNIT_ARRAY_PARAM_DESC(request, request_cases, name);

static void request_app(struct machine *m)
{
	struct request_state *r = m->own;
	struct machine_queue *q = &m->q[0];

	if (m->q[1].wptr - m->q[1].ended < 20)
		machine_kernels(m, 1, 4 * MACHINE_SLOTS, 5 * NSEC_PER_MSEC, 20);
	if (q->ended < q->wptr)
		return;
	if (r->running) {
		r->running = false;
		if (r->kernel < r->c->kernels) {
			u32 gap = r->c->gap_us / 2 + prandom_u32_state(&r->rnd) % (r->c->gap_us + 1);

			r->next_ns = m->now_ns + gap * NSEC_PER_USEC;
		} else {
			r->requests++;
			r->total_ns += m->now_ns - r->begun_ns;
			r->kernel = 0;
			r->next_ns = max(m->now_ns, r->begun_ns + r->c->every_us * NSEC_PER_USEC / 2 +
					 prandom_u32_state(&r->rnd) % r->c->every_us * NSEC_PER_USEC);
		}
	}
	if (m->now_ns < r->next_ns)
		return;
	if (!r->kernel)
		r->begun_ns = m->now_ns;
	machine_kernels(m, 0, MACHINE_SLOTS, r->c->kernel_us * NSEC_PER_USEC, 1);
	r->kernel++;
	r->running = true;
}

static void gpreempt_time_request(struct kunit *test)
{
	struct machine *m = machine_new(test, 2);
	struct request_state r = { .c = test->param_value, .next_ns = m->now_ns + 20 * NSEC_PER_MSEC };
	u64 alone_us;
	unsigned int fetch;

	for (fetch = 0; fetch < 2; fetch++) {
	m = machine_new(test, 2);
	r = (struct request_state) { .c = test->param_value, .next_ns = m->now_ns + 20 * NSEC_PER_MSEC };
	prandom_seed_state(&r.rnd, 1);
	m->fetch = fetch;
	m->v[0].terms.priority = 12;
	m->v[1].terms.priority = 3;
	m->q[0].in_order = true;
	m->own = &r;
	m->app = request_app;
	machine_run(m, 2 * NSEC_PER_SEC);
	m->preempted = 0;
	m->transactions = 0;
	m->scans = m->counts = 0;
	r.requests = 0;
	r.total_ns = 0;
	m->q[0].ran_ns = m->q[1].ran_ns = 0;
	machine_run(m, 2 * NSEC_PER_SEC);
	alone_us = r.c->kernels * (r.c->kernel_us + r.c->gap_us);
	kunit_info(test, "%s: %u requests, %llu us each, some %llu alone, %u preempted per 100; low has %llu %% of what high leaves, %u scans, %u counts\n",
		   fetch ? "fetch" : "launch", r.requests, div_u64(r.total_ns, r.requests * NSEC_PER_USEC), alone_us,
		   m->preempted * 100 / r.requests,
		   (u64)(m->q[1].ran_ns * 100 / (2ULL * NSEC_PER_SEC - r.total_ns) / MACHINE_SLOTS), m->scans, m->counts);
	}
}

static struct kunit_case gpreempt_time_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_time_starve, starve_gen_params),
	KUNIT_CASE_PARAM(gpreempt_time_request, request_gen_params),
	{}
};

static struct kunit_suite gpreempt_time_suite = {
	.name = "amdgpu_kfd_gpreempt_time",
	.test_cases = gpreempt_time_cases,
};

kunit_test_suite(gpreempt_time_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's help and linger");
MODULE_LICENSE("Dual MIT/GPL");
