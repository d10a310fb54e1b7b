// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's policies: which there are, and that none breaks what holds for all.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#define OWN(name)	gpreempt_kunit_policy_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_sim.h"

static void gpreempt_policy_registry(struct kunit *test)
{
	static const char * const names[] = { "none", "strict", "timeslice", "fair" };
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(names); n++)
		KUNIT_EXPECT_STREQ(test, gpreempt_policies[n]->name, names[n]);
	KUNIT_EXPECT_NULL(test, gpreempt_policies[n]);
	KUNIT_EXPECT_PTR_EQ(test, gpreempt_policy_find("none"), gpreempt_policies[0]);
	KUNIT_EXPECT_PTR_EQ(test, gpreempt_policy_find("strict\n"), gpreempt_policies[1]);
	KUNIT_EXPECT_NULL(test, gpreempt_policy_find(""));
	KUNIT_EXPECT_NULL(test, gpreempt_policy_find("strictly"));
	KUNIT_EXPECT_NULL(test, gpreempt_policy_find("stric"));
}

static const struct scene policy_scenes[] = {
	/* `none` watches; it only gives back what another policy left preempted. */
	{ "none", bench_high_runs, STEPS {
		QUEUE(7), DOES(mid, is_off), SET(mid.terms.held, true),
		RESCAN(1000 * INTERVAL_NS), SEE(low.out.level, GPREEMPT_BOOST),
		/* what was decided then is not done */
		POLICY("none"), RESCAN(INTERVAL_NS), BACK(low, FREE), SEE(low.out.level, 0),
		KEEP(mid), SEE(plan.nr_resume, 1),
		DOES(high, submits), SCAN(5000), YES(high.out.wants), SEE(plan.nr_preempt, 0),
		SEE(plan.nr_resume, 0),
		/* none starves that waits for long */
		DOES(low, finishes), DOES(low, submits), SCAN(5000), SEE(low.out.level, 0),
		/* nor does the time before count */
		POLICY("strict"), DOES(high, finishes), DOES(high, runs),
		SCAN(100), SEE_NOT(low.state.waits_ns, 0), POLICY("none"), SCAN(5000),
		POLICY("strict"), SCAN(100), SEE(low.out.level, 0),
		POLICY("none"), DOES(low, finishes), DOES(high, finishes),
		SCAN(5), YES(plan.idle), {} } },
};

KUNIT_ARRAY_PARAM_DESC(policy, policy_scenes, name);

static void gpreempt_policy_scenes(struct kunit *test)
{
	scene_play(test);
}

/* Whatever a policy left preempted, the next one puts back. */
static void gpreempt_policy_switch(struct kunit *test)
{
	static const char * const names[] = { "none", "strict", "timeslice" };
	struct gpreempt_queue_view *low, *high;
	unsigned int from, to;

	for (from = 1; from < ARRAY_SIZE(names); from++) {
		for (to = 0; to < ARRAY_SIZE(names); to++) {
			struct bench *b = bench_turns(test);

			low = bench_queue(b, 3);
			runs(low);
			high = bench_queue(b, 9);
			KUNIT_EXPECT_TRUE(test, after(b, 4, low)->seen.preempted);
			KUNIT_EXPECT_TRUE(test, b->other.seen.preempted);
			if (from == 1) {
				b->view.policy = gpreempt_policy_find("strict");
				submits(high);
				KUNIT_EXPECT_TRUE(test, after(b, 2, &b->one)->seen.preempted);
				KUNIT_EXPECT_TRUE(test, b->other.seen.preempted);
				finishes(high);
			}
			b->view.policy = gpreempt_policy_find(names[to]);
			bench_ticks(b, to ? 3 : 2);
			KUNIT_EXPECT_EQ(test, b->one.seen.mapped + b->other.seen.mapped,
					to < 2 ? 2 : 1);
			KUNIT_EXPECT_EQ(test, low->seen.mapped, to == 0);
			/* and none stays behind when the work is done */
			finishes(&b->one);
			finishes(&b->other);
			finishes(high);
			KUNIT_EXPECT_TRUE(test, after(b, 20, low)->seen.mapped);
			KUNIT_EXPECT_TRUE(test, b->one.seen.mapped && b->other.seen.mapped);
		}
	}
}

/* A policy of numbers that mean nothing. */
static struct rnd_state odd_state;

static u64 odd_number(void)
{
	u64 n = (u64)prandom_u32_state(&odd_state) << 32 | prandom_u32_state(&odd_state);

	switch (n % 7) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return U64_MAX;
	case 3:
		return n;
	default:
		return n >> 33;		/* seconds, at most */
	}
}

static u64 odd_key(const struct gpreempt_party *p)
{
	return odd_number();
}

static u64 odd_not_before_ns(const struct gpreempt_party *p)
{
	return odd_number() % 2 ? odd_number() : p->now_ns + odd_number();
}

static void odd_charge(struct gpreempt_party *p, u64 ns, u64 group_ns)
{
	*p->clock = odd_number();
	p->own[odd_number() % GPREEMPT_OWN_WORDS] = ns;
	p->turn_own[odd_number() % GPREEMPT_OWN_WORDS] = group_ns;
}

static void odd_wake(struct gpreempt_party *p)
{
	*p->clock = odd_number();
}

static const struct gpreempt_policy odd = {
	.name = "odd",
	.turns = true,
	.key = odd_key,
	.not_before_ns = odd_not_before_ns,
	.charge = odd_charge,
	.wake = odd_wake,
};

/*
 * It is unfair, but lets none starve, and takes nothing off that has only just come, or for
 * nothing, as sim_scan() checks; and all work ends.
 */
static void gpreempt_policy_odd(struct kunit *test)
{
	unsigned int seed, preempted = 0, scans = 0;

	for (seed = 1; seed <= SIM_SEEDS; seed++) {
		struct sim *s = sim_new(test, seed);

		prandom_seed_state(&odd_state, seed);
		s->view.policy = &odd;
		s->changes = false;
		sim_work(s, seed);
		KUNIT_EXPECT_LT(test, sim_finish(s, 80000), 80000);
		preempted += s->preempted;
		scans += s->scans;
	}
	kunit_info(test, "%u preempted in %u scans\n", preempted, scans);
	KUNIT_EXPECT_LE(test, 100, preempted);
}

#define EVERY_SEEDS	6

/*
 * Whatever the list has, but for what only watches and so promises nothing: the invariants
 * hold, none starves, and all work ends.
 */
static void gpreempt_policy_every(struct kunit *test)
{
	const struct gpreempt_policy *policy;
	struct sim_case c = {};
	unsigned int i, seed;

	test->param_value = &c;
	for (i = 0; (policy = gpreempt_policies[i]); i++) {
		if (policy->passive)
			continue;
		c.policy = policy->name;
		for (seed = 1; seed <= EVERY_SEEDS; seed++) {
			struct sim *s = sim_new(test, seed);

			sim_work(s, seed);
			KUNIT_EXPECT_LE_MSG(test, sim_finish(s, 80000), 79999, "%s", policy->name);
		}
		kunit_info(test, "policy %s: %u machines\n", policy->name, EVERY_SEEDS);
	}
	test->param_value = NULL;
}

static struct kunit_case gpreempt_policy_cases[] = {
	KUNIT_CASE(gpreempt_policy_registry),
	KUNIT_CASE_PARAM(gpreempt_policy_scenes, policy_gen_params),
	KUNIT_CASE(gpreempt_policy_switch),
	KUNIT_CASE_PARAM(gpreempt_policy_odd, sim_gen_params),
	KUNIT_CASE(gpreempt_policy_every),
	{}
};

static struct kunit_suite gpreempt_policy_suite = {
	.name = "amdgpu_kfd_gpreempt_policy",
	.test_cases = gpreempt_policy_cases,
};

kunit_test_suite(gpreempt_policy_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's policies");
MODULE_LICENSE("Dual MIT/GPL");
