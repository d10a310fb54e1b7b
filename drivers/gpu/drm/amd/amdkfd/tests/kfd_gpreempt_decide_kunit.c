// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's decide, with whole scans: which waves are counted; and what must
 * always hold of random work on a simulated machine.
 */
#include <kunit/test.h>
#include <linux/ktime.h>
#include <linux/prandom.h>

#define OWN(name)	gpreempt_kunit_decide_##name
#include "gpreempt_rooms.h"
#include "kfd_gpreempt_sim.h"

/* A scan, but what is known of waves is given at once: are no counts asked for? */
static void step_decide(struct bench *b, const struct step *s)
{
	bench_commit(b);
	b->view.now_ns += INTERVAL_NS;
	b->view.waves_final = false;
	gpreempt_decide(&b->view, &b->plan);
}

#define DECIDE	STEP(decide)

/* Low runs, and each has a packet that finds no space. */
static struct bench *bench_both_stuck(struct kunit *test)
{
	struct bench *b = bench_low_runs(test);

	submits(&b->low);
	submits(&b->high);
	return b;
}

/* Three of as many levels run, and wait together for nothing, as none is watched over. */
static const struct step three_levels[] = {
	QUEUE(0), QUEUE(1), QUEUE(2), QUEUE(15), POLICY("none"), SCAN(1),
	DOES(one, runs), DOES(other, runs), DOES(third, runs), {}
};

/* Each was given the machine, and did not use it. */
static const struct step blocked_below[] = {
	DOES(high, submits), DOES(low, finishes), DOES(low, submits), SCAN(20),
	IS(high, BLOCKED), IS(low, BLOCKED), DOES(high, finishes), {}
};

static const struct scene decide_scenes[] = {
	/* Wave counts are worth their register reads where something depends on them. */
	{ "need_waves", bench_strict, STEPS {
		QUEUE(3), QUEUE(3), QUEUE(9), SCAN(2), NO(asked),
		/* one level busy */
		DOES(one, runs), DOES(other, submits), SCAN(5), NO(asked),
		/* two, but the other cannot run */
		DOES(third, waits_for_signal), SCAN(2), NO(asked),
		/* unless what it consumed before may still be under way */
		DOES(third, waits_for_signal), SET(third.seen.rptr, 1), SCAN(2), YES(asked),
		PREVIOUS(third, DONE), SCAN(2), NO(asked),
		/* it can run, and what has come back is counted: has it executed? */
		HEAD(third, READY), SCAN(1), YES(asked), SET(third.seen.mapped, false),
		SCAN(1), NO(asked),
		/* parking: whatever has hidden waves */
		DOES(one, finishes), DOES(other, finishes), SIGNAL(one, UNKNOWN), SCAN(1),
		NO(asked),
		UNTIL(asked, true),
		/* it may have been saved: believed at the second time */
		SCAN(1005), NO(asked), {} } },
	/* No register is read where memory shows that both are stuck, and only there. */
	{ "evident", bench_both_stuck, STEPS {
		SCAN(1), NO(asked), OFF(low, INVERSION),
		/* alone on the machine, it may turn out to be blocked */
		SCAN(1), YES(asked), {} } },
	/* One of several that all have to go is enough. */
	{ "evident_several", bench_strict, STEPS {
		PLAY(three_levels), DOES(other, submits), SCAN(5), POLICY("strict"),
		DOES(fourth, submits), SCAN(1), NO(asked), SEE(plan.nr_preempt, 3), {} } },
	/* A queue that has only just come is not counted either; ... */
	{ "evident_residency", bench_both_stuck, STEPS {
		RESUMED(low, INTERVAL_NS), SCAN(1), NO(asked), KEEP(low), {} } },
	/* ... nor if there is a third. */
	{ "evident_third", bench_low_runs, STEPS {
		QUEUE(7), SCAN(1), DOES(high, submits), DOES(third, submits), SCAN(1), NO(asked),
		OFF(low, INVERSION), OFF(third, INVERSION), {} } },
	/* Evidence needs each of these, one missing at a time: that low has more, ... */
	{ "not_evident_low", bench_low_runs, STEPS {
		DOES(high, submits), SCAN(1), YES(asked), OFF(low, INVERSION), {} } },
	/* ... that high has a packet, ... */
	{ "not_evident_packet", bench_both_stuck, STEPS {
		DOES(high, is_fetched), SCAN(1), YES(asked), {} } },
	/* ... which could be launched now: it waits for a signal, ... */
	{ "not_evident_head", bench_both_stuck, STEPS {
		HEAD(high, WAITS), SCAN(1), YES(asked), {} } },
	/* ... or for waves of its own; ... */
	{ "not_evident_ordered", bench_low_runs, STEPS {
		DOES(low, submits), DOES(high, runs), SCAN(3), IS(high, RUNNING),
		DOES(high, submits), SET(high.seen.head_ordered, true), SCAN(1), YES(asked),
		KEEP(low), SET(high.seen.head_ordered, false), SCAN(1), NO(asked),
		OFF(low, INVERSION), {} } },
	/* ... that neither was found blocked, ... */
	{ "not_evident_low_blocked", bench_low_runs, STEPS {
		PLAY(blocked_below), QUEUE(15), DOES(third, submits), SCAN(1), YES(asked), {} } },
	{ "not_evident_high_blocked", bench_low_runs, STEPS {
		DOES(high, submits), SCAN(8), IS(high, BLOCKED), ON(low), DOES(low, submits),
		SCAN(1), YES(asked), {} } },
	/* ... that low is to leave at all, ... */
	{ "not_evident_pinned", bench_both_stuck, STEPS {
		SET(low.terms.pinned, true), SCAN(1), YES(asked), {} } },
	/* ... and is below; ... */
	{ "not_evident_equal", bench_both_stuck, STEPS {
		QUEUE(3), SET(low.terms.priority, 15), DOES(third, runs), SCAN(1), YES(asked),
		{} } },
	/* ... that it has not come back since it was counted last, so that it may starve, ... */
	{ "not_evident_restored", bench_both_stuck, STEPS {
		SCAN(1), DOES(high, finishes), SCAN(1), BACK(low, FREE), DOES(high, submits),
		SCAN(1), YES(asked), {} } },
	/* ... that both may use some compute unit, ... */
	{ "not_evident_cus", bench_both_stuck, STEPS {
		CUS(low, 0x0f), CUS(high, 0xf0), SCAN(1), YES(asked), KEEP(low), {} } },
	/* ... and that none may have to leave that has nothing. */
	{ "not_evident_hidden", bench_both_stuck, STEPS {
		QUEUE(3), DOES(third, submits), DOES(third, finishes), SCAN(1), YES(asked),
		OFF(low, INVERSION), KEEP(third), {} } },
	/* A packet that can run says enough of a lower queue: it wants more, with waves or not. */
	{ "evident_waits", bench_low_runs, STEPS {
		DOES(low, finishes), SCAN(5), IS(low, IDLE),
		DOES(low, submits), DOES(high, submits), SCAN(1), NO(asked), OFF(low, INVERSION),
		/* it is not taken to run: rule 3 */
		IS(low, RUNNABLE), SEE_NOT(low.state.waits_ns, 0), {} } },
	/* Decisions without counts starve no queue that executes whenever it is put back. */
	{ "evident_put_back", bench_low_runs, STEPS {
		DOES(low, submits), SET(high.seen.ordered, true),
		/* it has an interval until the next scan */
		REPEAT(600, DOES(high, submits), SCAN(1), OFF(low, INVERSION), DOES(high, finishes),
		       UNTIL(low.out.verdict, GPREEMPT_RESUME), BACK(low, FREE),
		       RESUMED(low, 0), SEE(low.out.level, 0)), {} } },
	/* Counts given with the first call are used, none are asked for. */
	{ "waves_at_once", bench_low_runs, STEPS {
		DOES(high, submits), DECIDE, NO(plan.need_waves), OFF(low, INVERSION),
		DECIDE, NO(plan.need_waves), KEEP(low), {} } },
	/* A single wave that was counted is work, although nothing else shows it. */
	{ "waves_at_once_only", bench_low_runs, STEPS {
		DOES(low, finishes), SCAN(5), IS(low, IDLE), WAVES(low, 1), DOES(high, submits),
		DECIDE, NO(plan.need_waves), YES(view.contested), OFF(low, INVERSION), {} } },
	/* What was counted at once is not doubted, while another one's count is asked for. */
	{ "waves_at_once_some", bench_low_runs, STEPS {
		SIGNAL(low, UNKNOWN), SCAN(5), DOES(high, submits_fetched),
		/* low has to leave unless it was launched */
		WAVES(high, GPREEMPT_WAVES_UNKNOWN), DECIDE, YES(plan.need_waves), {} } },
	/* Hardware that counts no waves: less is known, all rules hold. */
	{ "no_wave_counts", bench_two, STEPS {
		SET(waves_unreadable, true), SCAN(20), YES(plan.idle),
		DOES(low, runs), SCAN(5), NO(plan.idle),
		DOES(high, submits), SCAN(1), OFF(low, INVERSION), SCAN(2), KEEP(low),
		/* no progress: blocked, for all that is known */
		SCAN(5), ON(low), IS(high, BLOCKED), SCAN(20),
		/* low too looks blocked by now, and may be in the way none the less */
		SET(high.seen.rptr, 1), DOES(high, submits), SCAN(1), OFF(low, INVERSION),
		DOES(high, finishes), SCAN(3), ON(low),
		DOES(low, finishes), SCAN(20), YES(plan.idle), {} } },
};

KUNIT_ARRAY_PARAM_DESC(decide, decide_scenes, name);

static void gpreempt_decide_scenes(struct kunit *test)
{
	scene_play(test);
}

/* Without looking at work: could there be anything to decide? */
static void gpreempt_decide_may_contend(struct kunit *test)
{
	static const struct {
		const char *name, *policy;
		struct {
			u8 priority;
			u32 own_us;
			bool off, preempted, held, asked, pinned, same;
		} q[2];
		bool contends;
	} c[] = {
		{ "one level", "strict", { { 7 }, { 7 } }, false },
		{ "two levels", "strict", { { 7 }, { 8 } }, true },
		{ "out of range is the highest", "strict", { { 15 }, { 200 } }, false },
		{ "two levels, to count", "none", { { 7 }, { 8 } }, true },
		{ "one level, no turns", "strict", { { 3 }, { 3 } }, false },
		{ "one level, turns", "timeslice", { { 3 }, { 3 } }, true },
		{ "one process", "timeslice", { { 3 }, { 3, .same = true } }, false },
		{ "another level", "timeslice", { { 7 }, { 7 } }, false },
		{ "own turns", "timeslice", { { 7, 100 }, { 7, 100 } }, true },
		{ "one own turn", "timeslice", { { 7, 100 }, { 7 } }, false },
		{ "pinned", "timeslice", { { 3 }, { 3, .pinned = true } }, false },
		{ "evicted", "strict", { { 7 }, { 8, .off = true } }, false },
		{ "to resume", "none", { { 7 }, { 7, .preempted = true } }, true },
		{ "to hold", "none", { { 7 }, { 7, .held = true } }, true },
		{ "to take off", "none", { { 7 }, { 7, .asked = true } }, true },
		{ "held", "strict", { { 7 }, { 8, .preempted = true, .held = true } }, false },
		{ "held, pinned", "strict",
		  { { 7 }, { 7, .preempted = true, .held = true, .pinned = true } }, true },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct bench *b = bench_new(test, c[i].policy);

		b->view.tun.timeslice_us[3] = 1000;
		for (k = 0; k < 2; k++) {
			struct gpreempt_queue_view *q = bench_queue(b, c[i].q[k].priority);

			q->terms.timeslice_us = c[i].q[k].own_us;
			if (c[i].q[k].same)
				q->group = b->q[0].group;
			q->seen.mapped = !c[i].q[k].off && !c[i].q[k].preempted;
			q->seen.preempted = c[i].q[k].preempted;
			q->terms.held = c[i].q[k].held;
			q->terms.asked = c[i].q[k].asked;
			q->terms.pinned = c[i].q[k].pinned;
		}
		KUNIT_EXPECT_EQ_MSG(test, gpreempt_may_contend(&b->view),
				    c[i].contends, "%s", c[i].name);
	}
}

/*
 * It only asks: a policy that has just come finds the last one's words, and the decision is to
 * clear these.
 */
static void gpreempt_decide_may_contend_asks(struct kunit *test)
{
	struct bench *b = bench_new(test, "fair");
	struct gpreempt_queue_view *q = bench_queue(b, 7), seen;
	struct gpreempt_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	struct gpreempt_view *view = kunit_kzalloc(test, sizeof(*view), GFP_KERNEL);

	bench_ticks(b, 1);
	KUNIT_EXPECT_FALSE(test, gpreempt_may_contend(&b->view));
	q->group->own[0] = 4711;
	b->view.clock[7] = 4711;
	KUNIT_ASSERT_NOT_NULL(test, view);
	KUNIT_ASSERT_NOT_NULL(test, group);
	b->view.policy = gpreempt_policy_find("timeslice");
	*view = b->view;
	seen = *q;
	*group = *q->group;
	KUNIT_EXPECT_TRUE(test, gpreempt_may_contend(&b->view));
	KUNIT_EXPECT_EQ(test, memcmp(view, &b->view, sizeof(*view)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&seen, q, sizeof(seen)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(group, q->group, sizeof(*group)), 0);

	bench_ticks(b, 1);
	KUNIT_EXPECT_EQ(test, q->group->own[0], 0);
	KUNIT_EXPECT_EQ(test, b->view.clock[7], 0);
	KUNIT_EXPECT_FALSE(test, gpreempt_may_contend(&b->view));
}

static void gpreempt_decide_random(struct kunit *test)
{
	unsigned int preempted = 0, resumed = 0, aged = 0, blocked = 0, turns = 0;
	unsigned int late = 0, scans = 0, counted = 0;
	const struct sim_case *c = test->param_value;
	unsigned int seed, i;

	for (seed = 1; seed <= SIM_SEEDS; seed++) {
		struct sim *s = sim_new(test, seed);

		sim_work(s, seed);
		/* quiet: everything ends, nobody is forgotten, the monitor parks */
		KUNIT_EXPECT_LT(test, sim_finish(s, 40000), 40000);
		for (i = 0; i < s->nr; i++)
			KUNIT_EXPECT_FALSE(test, s->queue[i].preempted);
		KUNIT_EXPECT_EQ(test, s->preempted, s->resumed);
		preempted += s->preempted;
		resumed += s->resumed;
		aged += s->aged;
		blocked += s->blocked;
		turns += s->turns;
		late += s->late;
		scans += s->scans;
		counted += s->counted;
	}
	kunit_info(test, "%u preempted (%u starved, %u turns), %u resumed (%u blocked), %u late, waves counted in %u of %u scans\n",
		   preempted, aged, turns, resumed, blocked, late, counted, scans);
	/* a run that never gets there proves nothing */
	KUNIT_EXPECT_LE(test, 100, preempted);
	KUNIT_EXPECT_LE(test, c->changes ? 1 : 10, aged);
	KUNIT_EXPECT_LE(test, 10, blocked);
	KUNIT_EXPECT_LE(test, 1, late);
	KUNIT_EXPECT_EQ(test, turns >= 10, strcmp(c->policy, "strict") != 0 || c->changes);
}

enum sim_gets { NONE, UNAWAITED, ALL };

/* Does select decide something, an interval later, if idle queues get work? */
static bool sim_decides(struct sim *s, enum sim_gets gets)
{
	struct gpreempt_memory *memory = s->memory_if;
	struct gpreempt_queue_view *q = s->q_if;
	struct gpreempt_view *view = &s->view_if;
	struct gpreempt_plan plan;
	unsigned int i;

	*view = s->view;
	view->waves_final = false;
	/* what they have is known, but of one that only says that it is idle */
	view->blind = true;
	view->now_ns += INTERVAL_NS;
	for (i = 0; i < s->nr; i++) {
		q[i] = s->q[i];
		memory[i] = s->queue[i].memory;
		q[i].memory = &memory[i];
		s->as_if[i] = s->group[i];
		q[i].group = &s->as_if[s->q[i].group - s->group];
		q[i].seen.waves = s->queue[i].lies && q[i].out.activity == GPREEMPT_IDLE ?
				  0 : s->queue[i].live;
		if (q[i].seen.mapped && q[i].out.activity == GPREEMPT_IDLE &&
		    (gets == ALL || (gets == UNAWAITED && !q[i].out.awaited)))
			submits(&q[i]);
	}
	gpreempt_chain(view, q, s->nr);
	gpreempt_decide(view, &plan);
	KUNIT_EXPECT_FALSE(s->test, plan.need_waves);
	return plan.nr_preempt || plan.nr_resume;
}

static void sim_check_rest(struct sim *s)
{
	bool contend = gpreempt_may_contend(&s->view);

	KUNIT_EXPECT_TRUE(s->test, contend || !(s->plan.nr_preempt || s->plan.nr_resume));
	if (s->plan.rest == GPREEMPT_CALM && contend) {
		s->calm++;
		KUNIT_EXPECT_FALSE_MSG(s->test,
				       sim_decides(s, UNAWAITED) && !sim_decides(s, NONE),
				       "seed %llu, step %llu", s->seed, s->step);
	}
	if (!contend) {
		s->uncontended++;
		KUNIT_EXPECT_FALSE_MSG(s->test, sim_decides(s, ALL), "seed %llu, step %llu",
				       s->seed, s->step);
	}
}

/*
 * While the monitor is calm, no work that would not wake it would have something decided; and
 * where nothing is said to be able to contend, none at all would, nor does any plan.
 */
static void gpreempt_decide_rests(struct kunit *test)
{
	unsigned int seed, calm = 0, uncontended = 0;
	bool capped = false;

	for (seed = 1; seed <= max(50, SIM_SEEDS); seed++) {
		struct sim *s = sim_new(test, seed);

		s->watch = sim_check_rest;
		sim_work(s, seed);
		calm += s->calm;
		uncontended += s->uncontended;
		capped |= s->group[0].share.cap_percent;
	}
	kunit_info(test, "%u scans calm, %u uncontended\n", calm, uncontended);
	/* time alone ends the turn of what has a cap, and what it may have of the next */
	KUNIT_EXPECT_LE(test, capped ? 0 : 50, calm);
	KUNIT_EXPECT_LE(test, uncontended ? 100 : 0, uncontended);
}

/* Kernels without an end that each fill the machine, the first of them already on it. */
static void sim_hog(struct sim *s, const u8 *priority, unsigned int nr)
{
	unsigned int i;

	s->nr = nr;
	gpreempt_chain(&s->view, s->q, nr);
	s->view.policy = gpreempt_policy_find("strict");
	s->changes = false;
	s->groups = false;
	/* what an equal waits for is what is asked for here */
	s->starves = true;
	for (i = 0; i < nr; i++) {
		struct sim_packet *p = sim_packet(&s->queue[i], 0);

		s->queue[i].priority = priority[i];
		s->queue[i].lies = false;
		p->groups = SIM_SLOTS;
		p->steps = 0xffff;
		p->signal = true;
		p->valid_at = s->step + (i ? 2 * SIM_STEPS : 0);
		s->queue[i].wptr = 1;
		s->queue[i].touched = s->step;
	}
}

/* When each executed first, in steps; and for how long it did not after that, at most. */
static void sim_wait(struct sim *s, unsigned int steps, u64 *first, u64 *gap)
{
	u64 seen[SIM_QUEUES] = {}, begun = s->step;
	unsigned int n, i;

	memset(first, 0, s->nr * sizeof(*first));
	memset(gap, 0, s->nr * sizeof(*gap));
	for (n = 0; n < steps; n++) {
		sim_step(s);
		s->top += s->queue[0].live || (s->queue[1].live &&
					       s->queue[1].priority == s->queue[0].priority);
		for (i = 0; i < s->nr; i++) {
			if (!s->queue[i].live)
				continue;
			if (!seen[i])
				first[i] = s->step - begun;
			else
				gap[i] = max(gap[i], s->step - seen[i]);
			seen[i] = s->step;
		}
		if (n % SIM_STEPS == 0)
			sim_scan(s);
	}
}

/*
 * Rule 3, of several that starve at once: they are helped one after the other, the n-th after the
 * time that the formula gives, whatever their levels are; and an eighth of the time at most is
 * not the highest's.
 */
static void gpreempt_decide_starved_nth(struct kunit *test)
{
	static const u8 levels[][SIM_QUEUES] = {
		{ 15, 0, 2, 4, 6, 8 }, { 15, 8, 6, 4, 2, 0 }, { 15, 3, 3, 3, 3, 3 },
		{ 15, 15, 3, 3, 9, 9 },
	};
	u64 first[SIM_QUEUES], gap[SIM_QUEUES], last;
	unsigned int c, i, n, before;

	for (c = 0; c < ARRAY_SIZE(levels); c++) {
		struct sim *s = sim_new(test, c + 1);

		sim_hog(s, levels[c], SIM_QUEUES);
		sim_wait(s, 8000, first, gap);
		for (i = 1, last = 0; i < SIM_QUEUES; i++) {
			for (n = 1, before = 1; n < SIM_QUEUES; n++)
				before += first[n] < first[i];
			KUNIT_EXPECT_NE(test, first[i], 0);
			KUNIT_EXPECT_LE_MSG(test, first[i], SIM_HELPED(before, SIM_TURN),
					    "case %u, queue %u, %u", c, i, before);
			KUNIT_EXPECT_LE_MSG(test, gap[i], SIM_HELPED(SIM_QUEUES - 1, SIM_TURN),
					    "case %u, queue %u", c, i);
			last = max(last, first[i]);
		}
		/* the last one does wait for the others' help, and what comes after each */
		KUNIT_EXPECT_LE(test, SIM_HELPED(1, SIM_TURN), last);
		KUNIT_EXPECT_LE(test, 8000 * 87 / 100, s->top);
	}
}

/*
 * Among equals strict bounds nothing, as long as no other level has work: the hardware shares
 * the machine. If one has, rule 3 is for equals, too.
 */
static void gpreempt_decide_starved_equal(struct kunit *test)
{
	static const u8 equals[] = { 7, 7 }, beside[] = { 7, 7, 3 };
	u64 first[SIM_QUEUES], gap[SIM_QUEUES];
	struct sim *s = sim_new(test, 1);

	sim_hog(s, equals, ARRAY_SIZE(equals));
	sim_wait(s, 4000, first, gap);
	KUNIT_EXPECT_EQ(test, first[1], 0);
	KUNIT_EXPECT_EQ(test, s->preempted, 0);

	s = sim_new(test, 1);
	sim_hog(s, beside, ARRAY_SIZE(beside));
	sim_wait(s, 4000, first, gap);
	KUNIT_EXPECT_LE(test, 1, first[1]);
	KUNIT_EXPECT_LE(test, first[1], SIM_HELPED(2, SIM_TURN));
	KUNIT_EXPECT_LE(test, gap[1], SIM_HELPED(2, SIM_TURN));
}

/*
 * All wait for all: in barriers, and in the waves of kernels that each need the
 * whole machine. The former need no help. The latter would wait for ever for
 * those that the highest keeps off: each has its turn by rule 3.
 */
static void sim_all_wait(struct sim *s, bool spin)
{
	unsigned int i, k;

	for (i = 0; i < s->nr; i++) {
		struct sim_queue *sq = &s->queue[i];
		struct sim_packet *p = sim_packet(sq, 0);

		sq->priority = 2 * i;
		p->groups = SIM_SLOTS;
		p->steps = 20;
		p->meets = spin;
		sq->wptr = 1;
		if (spin) {
			s->all += SIM_SLOTS;
			/*
			 * The highest comes first and fills the machine. If parts
			 * of all of them filled it, and the read index went at
			 * fetch, nothing would show that one wants more.
			 */
			if (i < s->nr - 1)
				p->valid_at = s->step + 4 * SIM_STEPS;
			continue;
		}
		for (k = 0; k < s->nr; k++) {
			p = sim_packet(sq, sq->wptr++);
			p->barrier = true;
			p->dep_queue = k;
		}
		p = sim_packet(sq, sq->wptr++);
		p->groups = SIM_SLOTS;
		p->steps = 20;
	}
}

static void gpreempt_decide_all_wait(struct kunit *test)
{
	/* so long until each was helped, or for two kernels of each */
	unsigned int kernels = 2 * 20 + 4 * SIM_STEPS;
	unsigned int seed, spin, n;

	for (seed = 1; seed <= 20; seed++) {
		for (spin = 0; spin < 2; spin++) {
			struct sim *s = sim_new(test, seed);

			s->nr = SIM_QUEUES;
			gpreempt_chain(&s->view, s->q, SIM_QUEUES);
			s->view.policy = gpreempt_policy_find("strict");
			s->changes = false;
			sim_all_wait(s, spin);
			if (!spin)
				s->view.tun.starvation_ms = 60000;
			n = 0;
			while (!sim_all_done(s) && n < 20000) {
				sim_step(s);
				if (n++ % SIM_STEPS == 0)
					sim_scan(s);
			}
			KUNIT_EXPECT_LE(test, n, s->nr * kernels +
					(spin ? SIM_HELPED(s->nr, SIM_TURN) : 0));
			KUNIT_EXPECT_EQ(test, s->met, s->all);
		}
	}
}

/* What a decision is measured on. */
struct load_case {
	const char *name;
	const char *policy;
	bool preempted;			/* a third of the queues is */
	bool uncounted;			/* and the waves of the others are not known */
};

static const struct load_case load_cases[] = {
	{ "none", "none", true },
	{ "strict, work everywhere", "strict", true },
	{ "strict, victims", "strict", false },
	{ "timeslice, work everywhere", "timeslice", true },
	{ "timeslice, victims", "timeslice", false },
	{ "strict, waves not counted", "strict", true, true },
	{ "timeslice, waves not counted", "timeslice", true, true },
	{ "fair, work everywhere", "fair", true },
};

static const unsigned int load_sizes[] = { 64, 1024, 4096 };

/* A group is large, and what the kernel allocates in one piece is not. */
#define LOAD_GROUPS	1024

KUNIT_ARRAY_PARAM_DESC(load, load_cases, name);

static void load_queue(const struct load_case *c, struct gpreempt_queue_view *q, unsigned int i)
{
	q->terms.priority = i % GPREEMPT_LEVELS;
	q->seen.mapped = i % 3 || !c->preempted;
	q->seen.preempted = !q->seen.mapped;
	q->seen.readable = true;
	q->seen.size = 64;
	q->seen.waves = c->uncounted ? GPREEMPT_WAVES_UNKNOWN : (int)(i % 7);
	if (c->preempted) {
		q->seen.wptr = i % 5;
	} else if (q->terms.priority == GPREEMPT_LEVELS - 1) {
		q->seen.head = GPREEMPT_HEAD_READY;
		q->seen.wptr = 1;
		q->seen.waves = 0;
	}
}

/* Best of a few: what the decision itself takes, whatever else is on the CPU. */
static u64 decision_ns(const struct load_case *c, struct gpreempt_view *view,
		       struct gpreempt_plan *plan, struct gpreempt_memory *before)
{
	u64 best = U64_MAX, begin;
	size_t size = view->nr * sizeof(*before);
	unsigned int i;

	view->policy = gpreempt_policy_find(c->policy);
	view->tun = defaults;
	for (i = 0; i < GPREEMPT_LEVELS; i++)
		view->tun.timeslice_us[i] = 10000;
	for (i = 0; i < 50; i++) {
		view->now_ns += INTERVAL_NS;
		view->waves_final = !c->uncounted;
		/* from the second scan on the same one each time */
		if (i > 1)
			memcpy(view->first->memory, before, size);
		else
			memcpy(before, view->first->memory, size);
		begin = ktime_get_ns();
		gpreempt_decide(view, plan);
		best = min_t(u64, best, ktime_get_ns() - begin);
	}
	return best;
}

/*
 * So many times the queues may take so many times as long, or twice that, as they no longer fit
 * into a cache: squared would be 16 times that and more.
 */
static void gpreempt_decide_linear(struct kunit *test)
{
	const unsigned int many = load_sizes[ARRAY_SIZE(load_sizes) - 1];
	const struct load_case *c = test->param_value;
	struct gpreempt_view *view = kunit_kzalloc(test, sizeof(*view), GFP_KERNEL);
	struct gpreempt_plan plan = {};
	struct gpreempt_memory *memory, *before;
	struct gpreempt_queue_view *q;
	struct gpreempt_group *group;
	u64 few_ns = 0, ns;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, view);
	view->now_ns = INTERVAL_NS;
	view->save_ns = 1000;
	q = kunit_kcalloc(test, many, sizeof(*q), GFP_KERNEL);
	memory = kunit_kcalloc(test, many, sizeof(*memory), GFP_KERNEL);
	before = kunit_kcalloc(test, many, sizeof(*before), GFP_KERNEL);
	group = kunit_kcalloc(test, LOAD_GROUPS, sizeof(*group), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_NOT_NULL(test, before);
	KUNIT_ASSERT_NOT_NULL(test, group);
	for (i = 0; i < many; i++) {
		q[i].memory = &memory[i];
		q[i].group = &group[i % LOAD_GROUPS];
		load_queue(c, &q[i], i);
	}
	for (i = 0; i < ARRAY_SIZE(load_sizes); i++) {
		gpreempt_chain(view, q, load_sizes[i]);
		ns = decision_ns(c, view, &plan, before);
		kunit_info(test, "report: %s: %u queues %llu ns\n", c->name, view->nr, ns);
		/* it did what it is measured for */
		if (!c->preempted)
			KUNIT_EXPECT_GT(test, plan.nr_preempt, 0);
		few_ns = few_ns ?: max_t(u64, ns, 500);
		/* what looks for data races takes any time */
		if (!IS_ENABLED(CONFIG_KCSAN))
			KUNIT_EXPECT_LE(test, ns, 4 * (view->nr / load_sizes[0]) * few_ns);
	}
}

static struct kunit_case gpreempt_decide_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_decide_scenes, decide_gen_params),
	KUNIT_CASE(gpreempt_decide_may_contend),
	KUNIT_CASE(gpreempt_decide_may_contend_asks),
	KUNIT_CASE_PARAM(gpreempt_decide_random, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_decide_rests, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_decide_starved_nth, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_decide_starved_equal, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_decide_all_wait, sim_gen_params),
	KUNIT_CASE_PARAM(gpreempt_decide_linear, load_gen_params),
	{}
};

static struct kunit_suite gpreempt_decide_suite = {
	.name = "amdgpu_kfd_gpreempt_decide",
	.test_cases = gpreempt_decide_cases,
};

kunit_test_suite(gpreempt_decide_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's decide");
MODULE_LICENSE("Dual MIT/GPL");
