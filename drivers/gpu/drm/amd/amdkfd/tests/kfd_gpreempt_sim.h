/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A simulated machine with queues, packets and waves, for the tests of the policies, and what
 * must always hold of it. A file that includes it has taken in the policies before.
 */
#include <linux/prandom.h>

#include "kfd_gpreempt_bench.h"

/*
 * The simulated machine. Time goes in steps of a quarter interval. A packet is
 * a barrier on an earlier packet of any queue, or a kernel of workgroups that
 * each take one of the machine's slots for some steps; packets of a queue are
 * launched in order. What is preempted is saved, and restored before anything
 * new is launched. The read index goes at fetch or with the last workgroup.
 */
#define SIM_QUEUES	6
#define SIM_SLOTS	8
#define SIM_RING	16
#define SIM_STEPS	4			/* per poll interval */
#define SIM_INTERVAL	(SIM_STEPS + 1)	/* as counting takes its time */
#define SIM_STEP_NS	(INTERVAL_NS / SIM_STEPS)
#define SIM_STARVATION	100			/* ms */
#define SIM_BLOCKED	2			/* likewise: blocked_us */

/*
 * One that starves is helped for so many steps: until a scan has seen it execute, and another one
 * finds that it has for its residency, or that it has not used the machine for blocked_us. The
 * n-th of those that starve is helped after so many: each help is followed by
 * GPREEMPT_HELP_PART - 1 times as long without.
 */
#define SIM_TURN	(3 * SIM_INTERVAL)
#define SIM_TURN_UNUSED	((SIM_BLOCKED + 2) * SIM_INTERVAL)
#define SIM_HELPED(n, turn) \
	(SIM_STARVATION * SIM_STEPS + SIM_INTERVAL + (n) * GPREEMPT_HELP_PART * (turn))

/* Machines of a random test: each scans 750 times and more, of policy_odd 6,000 times. */
#ifndef SIM_SEEDS
#define SIM_SEEDS	12
#endif

struct sim_packet {
	bool barrier;
	bool in_order;			/* the packet's barrier bit */
	bool signal;
	bool complete;
	bool meets;			/* its groups wait in their waves for all such */
	u8 dep_queue;
	u64 dep_packet;
	u64 valid_at;			/* step; reserved until then */
	u16 steps;
	u8 groups;
	u8 launched;
	u8 ended;
};

struct sim_group {
	u64 packet;
	u16 left;
};

struct sim_queue {
	struct sim_packet ring[SIM_RING];
	struct sim_group group[SIM_SLOTS];
	struct gpreempt_memory memory;
	u64 wptr;
	u64 next;			/* packet to launch from */
	u64 read;			/* published read index */
	u64 touched;			/* step of the last packet, progress or resume */
	u64 served;			/* step when it executed or had nothing to */
	u64 owed;			/* steps preempted with none above it */
	bool back;			/* and nothing was seen of it since */
	bool lies;			/* of signals that are 0 from the start */
	unsigned int groups;		/* saved or executing */
	unsigned int live;		/* of these, executing */
	u64 mapped_ns;			/* first seen so */
	u8 priority;
	bool preempted;
	bool read_off;			/* and its memory was read since */
};

struct sim {
	struct kunit *test;
	struct sim_queue queue[SIM_QUEUES];
	struct gpreempt_queue_view q[SIM_QUEUES];
	struct gpreempt_group group[SIM_QUEUES];
	struct gpreempt_view view;
	struct gpreempt_plan plan;
	u64 planned_ns;
	struct rnd_state rnd;
	u64 seed;
	u64 step;
	unsigned int nr;
	bool fetch;
	bool groups;			/* of two queues */
	bool changes;			/* of policy */
	bool starves;			/* for its equals: rule 3 is not checked */
	bool hints;			/* now and then work is announced, which may come */
	void (*watch)(struct sim *s);	/* told of each decision, or NULL */
	struct gpreempt_group as_if[SIM_QUEUES];	/* for another decision, as are */
	struct gpreempt_view view_if;
	struct gpreempt_memory memory_if[SIM_QUEUES];
	struct gpreempt_queue_view q_if[SIM_QUEUES];
	unsigned int scans, counted, calm, uncontended;
	unsigned int met, all;		/* groups of packets that meet */
	unsigned int top;		/* steps in which the highest executed */
	unsigned int preempted, resumed, aged, blocked, turns, late;
};

struct sim_case {
	const char *name;
	const char *policy;
	bool fetch;
	bool changes;
	bool groups;
};

static const struct sim_case sim_cases[] = {
	{ "strict, read index at launch", "strict", false, false },
	{ "strict, read index at fetch", "strict", true, false },
	{ "timeslice, read index at launch", "timeslice", false, false },
	{ "timeslice, read index at fetch", "timeslice", true, false },
	{ "changing policies", "strict", false, true },
	{ "timeslice, groups of two", "timeslice", false, false, true },
	{ "fair", "fair" },
	{ "fair, groups of two, limited", "fair", true, false, true },
};

KUNIT_ARRAY_PARAM_DESC(sim, sim_cases, name);

static u32 sim_random(struct sim *s, u32 below)
{
	return prandom_u32_state(&s->rnd) % below;
}

static struct sim_packet *sim_packet(struct sim_queue *sq, u64 packet)
{
	return &sq->ring[packet % SIM_RING];
}

/* An old packet's place may be taken by another: then it has completed. */
static bool sim_complete(struct sim *s, unsigned int queue, u64 packet)
{
	struct sim_queue *sq = &s->queue[queue];

	return packet + SIM_RING < sq->wptr || sim_packet(sq, packet)->complete;
}

static bool sim_head_waits(struct sim *s, struct sim_queue *sq)
{
	struct sim_packet *p = sim_packet(sq, sq->next);

	return p->barrier && !sim_complete(s, p->dep_queue, p->dep_packet);
}

/* Is there something that this queue would do with a free slot? */
static bool sim_has_work(struct sim *s, struct sim_queue *sq)
{
	if (sq->groups)
		return true;
	return sq->next < sq->wptr && sim_packet(sq, sq->next)->valid_at <= s->step &&
	       !sim_head_waits(s, sq);
}

static void sim_submit(struct sim *s, struct sim_queue *sq)
{
	struct sim_packet *p = sim_packet(sq, sq->wptr);
	unsigned int dep = sim_random(s, s->nr);

	/* space for one more, the oldest packet completed */
	if (sq->wptr >= SIM_RING && !p->complete)
		return;
	if (sq->wptr - sq->read >= SIM_RING)
		return;
	memset(p, 0, sizeof(*p));
	p->signal = sim_random(s, 4);
	p->valid_at = s->step + (sim_random(s, 10) ? 0 : sim_random(s, 12));
	p->in_order = sim_random(s, 2);
	if (s->queue[dep].wptr && sim_random(s, 4) == 0) {
		p->barrier = true;
		p->dep_queue = dep;
		p->dep_packet = s->queue[dep].wptr - 1;
	} else {
		p->groups = 1 + sim_random(s, 2 * SIM_SLOTS);
		p->steps = 1 + sim_random(s, sim_random(s, 3) ? 8 : 200);
		/* longer than any may be kept waiting */
		if (sim_random(s, 50) == 0)
			p->steps = 3 * SIM_STARVATION * SIM_STEPS;
	}
	sq->wptr++;
	sq->touched = s->step;
}

static void sim_launch_one(struct sim *s, struct sim_queue *sq, bool *launched)
{
	struct sim_packet *p;

	*launched = false;
	if (sq->live < sq->groups) {
		sq->live++;
		*launched = true;
		return;
	}
	/* barriers that are satisfied cost nothing */
	while (sq->next < sq->wptr) {
		p = sim_packet(sq, sq->next);
		if (p->valid_at > s->step)
			return;
		if (p->in_order && sq->groups && sq->group[0].packet != sq->next)
			return;
		if (p->barrier) {
			if (sim_head_waits(s, sq))
				return;
			p->complete = true;
			sq->next++;
			sq->read = sq->next;
			sq->touched = s->step;
			continue;
		}
		if (sq->groups == SIM_SLOTS)
			return;
		sq->group[sq->groups].packet = sq->next;
		sq->group[sq->groups].left = p->steps;
		sq->groups++;
		sq->live++;
		s->met += p->meets;
		if (++p->launched == p->groups) {
			sq->next++;
			sq->read = sq->next;
		}
		sq->touched = s->step;
		*launched = true;
		return;
	}
}

/* The read index at fetch: before there is space, with a barrier behind or not. */
static void sim_fetch(struct sim *s, struct sim_queue *sq)
{
	struct sim_packet *p = sim_packet(sq, sq->next);

	if (s->fetch && !sq->preempted && sq->read == sq->next && sq->next < sq->wptr &&
	    p->valid_at <= s->step && !p->barrier && !(p->in_order && sq->groups)) {
		sq->read++;
		sq->touched = s->step;
	}
}

static void sim_execute(struct sim *s, struct sim_queue *sq)
{
	unsigned int i = 0;

	while (i < sq->live) {
		struct sim_packet *p = sim_packet(sq, sq->group[i].packet);

		if ((p->meets && s->met < s->all) || --sq->group[i].left) {
			i++;
			continue;
		}
		if (++p->ended == p->groups)
			p->complete = true;
		sq->groups--;
		sq->live--;
		memmove(&sq->group[i], &sq->group[i + 1],
			(sq->groups - i) * sizeof(sq->group[0]));
		sq->touched = s->step;
	}
}

/* What waits for its equals does not wait for GPREEMPT. */
static bool sim_peer_executes(const struct sim *s, const struct sim_queue *sq)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->queue[i].live && s->queue[i].priority == sq->priority)
			return true;
	return false;
}

static void sim_step(struct sim *s)
{
	unsigned int busy = 0, i, first = sim_random(s, s->nr);
	bool any = true, launched;

	s->step++;
	for (i = 0; i < s->nr; i++) {
		sim_execute(s, &s->queue[i]);
		busy += s->queue[i].live;
	}
	while (any && busy < SIM_SLOTS) {
		any = false;
		for (i = 0; i < s->nr && busy < SIM_SLOTS; i++) {
			struct sim_queue *sq = &s->queue[(first + i) % s->nr];

			if (sq->preempted)
				continue;
			sim_launch_one(s, sq, &launched);
			busy += launched;
			any |= launched;
		}
	}
	for (i = 0; i < s->nr; i++) {
		struct sim_queue *sq = &s->queue[i];

		sim_fetch(s, sq);
		if (sq->live || !sim_has_work(s, sq) || sim_peer_executes(s, sq))
			sq->served = s->step;
	}
}

static void sim_look(struct sim *s, unsigned int i)
{
	struct sim_queue *sq = &s->queue[i];
	struct gpreempt_queue_view *q = &s->q[i];
	struct sim_packet *p;

	q->memory = &sq->memory;
	q->group = &s->group[s->groups ? i / 2 : i];
	q->terms.priority = sq->priority;
	if (s->hints && !sim_random(s, 32)) {
		q->terms.hint_ns = s->view.now_ns + sim_random(s, 4) * INTERVAL_NS;
		q->terms.hint_end_ns = q->terms.hint_ns + 8 * INTERVAL_NS;
	}
	q->seen.preempted = sq->preempted;
	q->seen.mapped = !sq->preempted;
	/* The memory of one that is off is read once. */
	q->seen.readable = !sq->preempted || !sq->read_off;
	q->seen.size = SIM_RING;
	q->seen.rptr = sq->read;
	q->seen.wptr = sq->wptr;
	q->seen.waves = GPREEMPT_WAVES_UNKNOWN;
	q->seen.late = false;
	q->seen.head = GPREEMPT_HEAD_INVALID;
	q->seen.signal = GPREEMPT_SIGNAL_UNKNOWN;
	q->seen.ordered = false;
	q->seen.head_ordered = false;
	q->seen.begun = 0;
	q->seen.previous = GPREEMPT_SIGNAL_UNKNOWN;
	if (!q->seen.readable) {
		q->seen.rptr = 0;
		q->seen.wptr = 0;
		return;
	}
	if (sq->read < sq->wptr && sim_packet(sq, sq->read)->valid_at <= s->step) {
		p = sim_packet(sq, sq->read);
		q->seen.head = p->barrier && !sim_complete(s, p->dep_queue, p->dep_packet) ?
			  GPREEMPT_HEAD_WAITS : GPREEMPT_HEAD_READY;
		q->seen.head_ordered = p->in_order;
	}
	if (sq->read && sq->wptr - sq->read < SIM_RING) {
		p = sim_packet(sq, sq->read - 1);
		q->seen.begun = p->groups;
		if (p->signal)
			q->seen.previous = p->complete ? GPREEMPT_SIGNAL_DONE :
						    GPREEMPT_SIGNAL_PENDING;
	}
	if (sq->wptr) {
		p = sim_packet(sq, sq->wptr - 1);
		q->seen.ordered = p->in_order && p->valid_at <= s->step;
		if (p->signal)
			q->seen.signal = p->complete || sq->lies ? GPREEMPT_SIGNAL_DONE :
							      GPREEMPT_SIGNAL_PENDING;
	}
}

/*
 * Does a queue have work, for all that can be known? What ended between a scan
 * and the unmap shows when the queue is back; and what has no signal looks like
 * launching until waves were seen, or space enough was given; so does what was
 * put back, with waves saved or without. What is announced is as good as there.
 */
static bool sim_seems_to_have_work(struct sim *s, unsigned int i)
{
	u64 window = (SIM_BLOCKED + 2) * SIM_STEPS;
	struct sim_queue *sq = &s->queue[i];

	return s->q[i].out.announced || sq->preempted || sq->back || sim_has_work(s, sq) ||
	       s->q[i].seen.signal == GPREEMPT_SIGNAL_UNKNOWN ||
	       (s->q[i].seen.head == GPREEMPT_HEAD_WAITS &&
		s->q[i].seen.previous == GPREEMPT_SIGNAL_UNKNOWN) ||
	       s->step - sq->touched <= window;
}

/* Is it above? Or whose turn it may be, which comes to the same. */
static bool sim_above(const struct sim *s, unsigned int queue, unsigned int other)
{
	return s->q[queue].out.level > s->q[other].out.level ||
	       (s->view.policy->turns && s->q[queue].group != s->q[other].group &&
		s->q[queue].out.level == s->q[other].out.level);
}

/* Rules 1 and 10 of one victim: someone above had work, and it had some itself. */
static void sim_check_victim(struct sim *s, unsigned int victim)
{
	bool turn = s->q[victim].out.reason == GPREEMPT_REASON_TIMESLICE;
	bool justified = turn && s->q[victim].out.limited;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (sim_above(s, i, victim) && (turn || s->q[i].out.wants) &&
		    sim_seems_to_have_work(s, i))
			justified = true;
	KUNIT_EXPECT_TRUE(s->test, !s->view.policy->passive);
	KUNIT_EXPECT_TRUE(s->test, s->view.policy->turns || !turn);
	KUNIT_EXPECT_TRUE_MSG(s->test, justified, "rule 1, seed %llu, queue %u, step %llu",
			      s->seed, victim, s->step);
	/* rule 10, whatever a policy says */
	KUNIT_EXPECT_GE(s->test, s->view.now_ns - s->queue[victim].mapped_ns,
			s->view.tun.min_residency_us * NSEC_PER_USEC);
	KUNIT_EXPECT_TRUE_MSG(s->test, sim_seems_to_have_work(s, victim),
			      "idle victim, seed %llu, queue %u, step %llu",
			      s->seed, victim, s->step);
}

/*
 * Does its newest signal hide what it has? It lies; or a packet that need not wait for those
 * before it has overtaken them.
 */
static bool sim_hides(struct sim_queue *sq)
{
	const struct sim_packet *newest = sim_packet(sq, sq->wptr - 1);

	return sq->lies || (sq->wptr && newest->signal && newest->complete);
}

/*
 * Rule 3 holds for what can be known. One above that lies hides what keeps a queue from
 * executing; a packet without a signal of which some waves have ended, and others found no
 * space, looks as if it had ended.
 */
static bool sim_is_promised(const struct sim *s, struct sim_queue *sq)
{
	u64 first = sq->groups ? sq->group[0].packet : sq->next;
	const struct sim_packet *oldest = sim_packet(sq, first);
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->queue[i].lies && s->queue[i].live && s->queue[i].priority > sq->priority)
			return false;
	return !sim_hides(sq) && (oldest->signal || !oldest->launched);
}

/* Rule 2, rule 3 and no one forgotten: bounds that hold for every queue. */
static void sim_check(struct sim *s)
{
	u64 bound = SIM_HELPED(s->nr, SIM_TURN_UNUSED);
	/* each one above that came back with nothing: resume, save, blocked_us, a scan */
	u64 owed = s->nr * (SIM_BLOCKED + 4) * SIM_STEPS;
	unsigned int i, k;

	for (i = 0; i < s->nr; i++) {
		struct sim_queue *sq = &s->queue[i];
		bool above = false;

		for (k = 0; k < s->nr; k++)
			if (sim_above(s, k, i) && sim_has_work(s, &s->queue[k]))
				above = true;
		sq->owed = sq->preempted && !above && !s->q[i].out.limited ?
			   sq->owed + SIM_STEPS : 0;
		KUNIT_EXPECT_TRUE_MSG(s->test, sq->owed <= owed,
				      "rule 2, seed %llu, queue %u, step %llu",
				      s->seed, i, s->step);
		KUNIT_EXPECT_TRUE_MSG(s->test,
				      s->step - sq->served <= bound || s->changes ||
				      s->starves || s->all || !sim_is_promised(s, sq),
				      "rule 3, seed %llu, queue %u, step %llu",
				      s->seed, i, s->step);
	}
}

/* The machine goes on while waves are counted, and memory of higher queues is read again. */
static void sim_count(struct sim *s, unsigned int steps)
{
	unsigned int i, lowest = GPREEMPT_LEVELS;

	for (i = 0; i < s->nr; i++) {
		if (!s->q[i].matters)
			continue;
		s->q[i].seen.waves = s->queue[i].live;
		lowest = min_t(unsigned int, lowest, s->q[i].terms.priority);
	}
	while (steps--)
		sim_step(s);
	for (i = 0; i < s->nr; i++) {
		struct gpreempt_queue_view before = s->q[i], *q = &s->q[i];

		if (!before.matters || before.terms.priority <= lowest)
			continue;
		sim_look(s, i);
		q->seen.waves = before.seen.waves;
		q->seen.ordered &= before.seen.ordered;
		q->seen.late = q->seen.rptr != before.seen.rptr ||
			       q->seen.signal != before.seen.signal;
		s->late += q->seen.late;
	}
}

static unsigned int sim_policies(void)
{
	unsigned int n = 0;

	while (gpreempt_policies[n])
		n++;
	return n;
}

static void sim_scan(struct sim *s)
{
	unsigned int i, steps = sim_random(s, 3) ? sim_random(s, SIM_STEPS) : 0;

	s->view.now_ns = s->step * SIM_STEP_NS;
	s->view.waves_final = false;
	s->scans++;
	for (i = 0; i < s->nr; i++) {
		sim_look(s, i);
		if (!s->queue[i].preempted && !s->queue[i].mapped_ns)
			s->queue[i].mapped_ns = s->view.now_ns;
	}
	gpreempt_decide(&s->view, &s->plan);
	if (s->plan.need_waves) {
		s->counted++;
		sim_count(s, steps);
		s->view.waves_final = true;
		gpreempt_decide(&s->view, &s->plan);
		KUNIT_EXPECT_FALSE(s->test, s->plan.need_waves);
	}
	s->planned_ns = s->plan.next_ns;
	gpreempt_wake(&s->view, &s->plan);
	if (s->watch)
		s->watch(s);
	for (i = 0; i < s->nr; i++)
		if (s->q[i].seen.waves > 0)
			s->queue[i].back = false;
	for (i = 0; i < s->nr; i++) {
		if (s->q[i].out.verdict == GPREEMPT_PREEMPT)
			sim_check_victim(s, i);
		s->aged += s->q[i].out.reason == GPREEMPT_REASON_AGED;
		s->turns += s->q[i].out.reason == GPREEMPT_REASON_TIMESLICE;
		s->blocked += s->q[i].out.reason == GPREEMPT_REASON_BLOCKED;
	}
	sim_check(s);
	/* what was reserved only may have begun: before it parks the monitor looks again */
	if (s->plan.idle && !steps)
		for (i = 0; i < s->nr; i++)
			KUNIT_EXPECT_TRUE_MSG(s->test,
					      !s->queue[i].groups || sim_hides(&s->queue[i]),
					      "parks, seed %llu, queue %u, step %llu",
					      s->seed, i, s->step);

	/* the machine goes on while the transaction is prepared */
	if (s->plan.nr_preempt || s->plan.nr_resume)
		sim_step(s);
	for (i = 0; i < s->nr; i++) {
		struct sim_queue *sq = &s->queue[i];

		sq->read_off = sq->preempted;
		if (s->q[i].out.verdict == GPREEMPT_PREEMPT) {
			KUNIT_EXPECT_FALSE(s->test, sq->preempted);
			sq->preempted = true;
			sq->mapped_ns = 0;
			sq->live = 0;
			s->preempted++;
		} else if (s->q[i].out.verdict == GPREEMPT_RESUME) {
			KUNIT_EXPECT_TRUE(s->test, sq->preempted);
			sq->preempted = false;
			sq->touched = s->step;
			sq->back = true;
			s->resumed++;
		}
		/* `none` takes one scan to give back what others took */
		KUNIT_EXPECT_TRUE(s->test, !s->view.policy->passive || !sq->preempted);
	}
	if (s->changes && sim_random(s, 20) == 0)
		s->view.policy = gpreempt_policies[sim_random(s, sim_policies())];
}

static struct sim *sim_new(struct kunit *test, u64 seed)
{
	const struct sim_case *c = test->param_value;
	struct sim *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int i, levels;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->test = test;
	s->seed = seed;
	prandom_seed_state(&s->rnd, seed);
	s->fetch = c->fetch;
	s->changes = c->changes;
	s->groups = c->groups;
	s->view.policy = gpreempt_policy_find(c->policy);
	s->nr = 2 + sim_random(s, SIM_QUEUES - 1);
	gpreempt_chain(&s->view, s->q, s->nr);
	s->view.tun = defaults;
	s->view.tun.starvation_ms = SIM_STARVATION;
	s->view.tun.blocked_us = SIM_BLOCKED * 1000;
	for (i = 0; i < GPREEMPT_LEVELS; i++)
		s->view.tun.timeslice_us[i] = 5000;
	s->step = 1000;
	levels = 2 + sim_random(s, 15);
	for (i = 0; i < s->nr; i++) {
		s->queue[i].priority = sim_random(s, levels);
		s->queue[i].served = s->step;
		s->queue[i].lies = sim_random(s, 3) == 0;
	}
	if (s->groups && s->view.policy->not_before_ns) {
		s->group[0].share = (struct gpreempt_share) { 300, 20, 60 };
		s->group[1].share = (struct gpreempt_share) { 50, 0, 30 };
	}
	return s;
}

/* How often, of 4096, a queue gets a packet in a step: quiet, busy, saturated. */
static const u16 sim_load[] = { 16, 128, 1024 };

/* So many steps, with a scan each interval. */
static inline void sim_go(struct sim *s, unsigned int steps)
{
	unsigned int n;

	for (n = 0; n < steps; n++) {
		sim_step(s);
		if (n % SIM_STEPS == 0)
			sim_scan(s);
	}
}

/* Random work. */
static void sim_work(struct sim *s, unsigned int seed)
{
	unsigned int n, i;

	for (n = 0; n < 3000; n++) {
		for (i = 0; i < s->nr; i++)
			if (sim_random(s, 4096) < sim_load[(i + seed) % 3])
				sim_submit(s, &s->queue[i]);
		sim_step(s);
		if (n % SIM_STEPS == 0)
			sim_scan(s);
	}
}

static inline bool sim_all_done(const struct sim *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->queue[i].next < s->queue[i].wptr || s->queue[i].groups)
			return false;
	return true;
}

/* On until all has ended and the monitor parks, or for so many steps; returns how many. */
static inline unsigned int sim_finish(struct sim *s, unsigned int steps)
{
	unsigned int n;

	for (n = 0; n < steps && !(sim_all_done(s) && s->plan.idle); n++) {
		sim_step(s);
		if (n % SIM_STEPS == 0)
			sim_scan(s);
	}
	return n;
}
