// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces: what the policies decided on the simulated machine, in random runs with fixed
 * seeds, when that was looked at last; so that a change that is to decide the same can be shown
 * to. golden.txt has a hash a run: of all that each scan saw, and of the plan.
 *
 *   GOLDEN=record     write golden.txt anew
 *   GOLDEN=CASE:SEED  print that run, to compare it with another version's
 */
#include <kunit/test.h>

#define OWN(name)	golden_##name
#include "tests/gpreempt_rooms.h"
#include "tests/kfd_gpreempt_sim.h"

#define SEEDS	40

static u32 hash;
static bool print;

/* FNV-1a, of a number's bytes. */
static void mix(u64 v)
{
	unsigned int i;

	for (i = 0; i < sizeof(v); i++, v >>= 8)
		hash = (hash ^ (v & 0xff)) * 16777619;
}

static void mix_queue(const struct sim *s, unsigned int i)
{
	const struct gpreempt_queue_view *q = &s->q[i];

	mix(q->seen.preempted);
	mix(q->seen.rptr);
	mix(q->seen.wptr);
	mix(q->seen.head);
	mix(q->seen.signal);
	mix(q->seen.waves);
	mix(q->out.activity);
	mix(q->out.level);
	mix(q->out.wants);
	mix(q->out.verdict);
	mix(q->out.reason);
	mix(q->out.awaited);
	if (print)
		printf("%llu.%u %s%s %llu/%llu head %d signal %d%s previous %d waves %d%s: "
		       "state %d level %d%s, %d for %d\n", s->step, i,
		       q->seen.preempted ? "off" : "on", q->matters ? " counted" : "",
		       q->seen.rptr, q->seen.wptr, q->seen.head, q->seen.signal, q->seen.ordered ? " ordered" : "",
		       q->seen.previous, q->seen.waves, q->seen.late ? " late" : "", q->out.activity, q->out.level,
		       q->out.wants ? " wants" : "", q->out.verdict, q->out.reason);
}

static void watch(struct sim *s)
{
	unsigned int i;

	mix(s->view.waves_final);
	mix(s->plan.idle);
	mix(s->plan.waiting);
	mix(s->plan.within_us);
	mix(s->planned_ns);
	mix(s->plan.rest);
	mix(s->plan.next_ns);
	for (i = 0; i < s->nr; i++)
		mix_queue(s, i);
}

static u32 trace(struct kunit *test, unsigned int seed)
{
	struct sim *s = sim_new(test, seed);

	hash = 2166136261;
	s->watch = watch;
	sim_work(s, seed);
	sim_go(s, 1000);
	return hash;
}

/* The hash that golden.txt has of a run; lines are "case seed hash". */
static bool recorded(FILE *file, unsigned int c, unsigned int seed, u32 *is)
{
	unsigned int of[2];

	rewind(file);
	while (fscanf(file, "%u %u %x", &of[0], &of[1], is) == 3)
		if (of[0] == c && of[1] == seed)
			return true;
	return false;
}

static void gpreempt_golden(struct kunit *test)
{
	const char *how = getenv("GOLDEN") ?: "";
	bool record = !strcmp(how, "record");
	unsigned int c = (const struct sim_case *)test->param_value - sim_cases;
	unsigned int seed, of, only = 0, differ = 0;
	FILE *file = fopen(GOLDEN_TXT, record ? c ? "a" : "w" : "r");
	u32 is, was;

	if (sscanf(how, "%u:%u", &of, &only) == 2 && of != c)
		return;
	KUNIT_ASSERT_NOT_NULL(test, file);
	for (seed = only ?: 1; seed <= (only ?: SEEDS); seed++) {
		print = only;
		is = trace(test, seed);
		if (record)
			fprintf(file, "%u %u %08x\n", c, seed, is);
		else if (!recorded(file, c, seed, &was) || is != was)
			differ++;
	}
	fclose(file);
	KUNIT_EXPECT_EQ(test, differ, 0);
}

static struct kunit_case golden_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_golden, sim_gen_params),
	{}
};

static struct kunit_suite golden_suite = {
	.name = "golden",
	.test_cases = golden_cases,
};

kunit_test_suite(golden_suite);
