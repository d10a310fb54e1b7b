/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A machine whose monitor scans when wake says, for what is a matter of time: how much of the
 * machine each of many queues has, and how often one leaves and comes back. A file that includes
 * it has taken in the policies before.
 *
 * Time goes from one event to the next. A queue runs kernels of as many workgroups as it likes,
 * each in one of the machine's slots; they are launched in order, and one that is in order after
 * the one before has ended. A transaction stops all that is mapped for as long as it takes.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "kfd_gpreempt_bench.h"

#define MACHINE_SLOTS	32
#define MACHINE_ENGINES	4		/* of as many slots each, which are counted by themselves */
#define MACHINE_RING	64
#define MACHINE_EVER	U64_MAX

/* Times: of a transaction, with the saves and the restores; and until a doorbell wakes. */
#define MACHINE_SAVE_NS	(190 * NSEC_PER_USEC)
#define MACHINE_WAKE_NS	(20 * NSEC_PER_USEC)

/**
 * enum machine_signal - what tells that kernels of a queue have ended
 * @MACHINE_OWN: each has a completion signal
 * @MACHINE_NONE: none has
 * @MACHINE_SHARED: all share one, which counts down and never gets to 0
 * @MACHINE_FORGED: the application says so before
 */
enum machine_signal {
	MACHINE_OWN,
	MACHINE_NONE,
	MACHINE_SHARED,
	MACHINE_FORGED,
};

/**
 * struct machine_work - what an application does on a queue
 * @groups:	workgroups of each of its kernels
 * @ns:		how long each of these takes, MACHINE_EVER: it does not end
 * @depth:	it keeps so many kernels submitted, 0: it submits by itself
 * @in_order:	its packets have the barrier bit
 * @signal:	what tells that they have ended
 * @slots:	those that the CU mask allows, 0: all
 */
struct machine_work {
	u16 groups;
	u64 ns;
	unsigned int depth;
	bool in_order;
	enum machine_signal signal;
	u32 slots;
};

/**
 * struct machine_queue - a queue
 * @memory:	estimate's
 * @work:	what it is used for
 * @wptr:	kernels submitted
 * @next:	the kernel to launch from: the read index at launch
 * @fetched:	the read index at fetch
 * @ended:	kernels that have ended, in order
 * @launched:	workgroups of @next that were launched
 * @live:	its workgroups on the machine
 * @saved:	those that were saved; what each had left, and of which kernel it is
 * @saved_left:	likewise
 * @saved_of:	likewise
 * @kernel_left: of each kernel in flight, workgroups that have not ended
 * @off:	preempted
 * @read_off:	and its memory was read since
 * @ran_ns:	time that it had, of all its slots together
 * @seen_ns:	it had a slot last
 * @gap_ns:	longest time without one, since it had the first
 * @helped:	how often it was helped, as it had starved
 * @raised:	it is
 */
struct machine_queue {
	struct gpreempt_memory memory;
	struct machine_work work;
	u64 wptr;
	u64 next;
	u64 fetched;
	u64 ended;
	u16 launched;
	u16 live;
	u16 saved;
	u64 saved_left[MACHINE_SLOTS];
	u64 saved_of[MACHINE_SLOTS];
	u16 kernel_left[MACHINE_RING];
	bool off, read_off;
	u64 ran_ns;
	u64 seen_ns;
	u64 gap_ns;
	unsigned int helped;
	bool raised;
};

/**
 * struct machine - the machine
 * @test:	what it is for
 * @q:		its queues
 * @v:		their views
 * @nr:		how many there are
 * @slot_q:	the queue of each slot that is in use, -1: none is
 * @slot_left:	what its workgroup has left, in ns
 * @slot_of:	the kernel
 * @free:	slots that are not in use, a bit each
 * @first:	the queue that is the first to launch
 * @view:	the scan
 * @plan:	what was decided at it
 * @now_ns:	the time
 * @scan_ns:	the next scan
 * @stall_ns:	nothing executes until then
 * @app_ns:	when the application is to be asked at the latest
 * @fetch:	the read index goes at fetch
 * @app:	submits what it has to, after each event
 * @own:	the application's
 * @preempted:	queues taken off
 * @transactions: in which some were
 * @scans:	how many there were
 * @counts:	how many counted waves
 */
struct machine {
	struct kunit *test;
	struct machine_queue *q;
	struct gpreempt_queue_view *v;
	unsigned int nr;
	int slot_q[MACHINE_SLOTS];
	u64 slot_left[MACHINE_SLOTS];
	u64 slot_of[MACHINE_SLOTS];
	u32 free;
	unsigned int first;
	struct gpreempt_view view;
	struct gpreempt_plan plan;
	u64 now_ns;
	u64 scan_ns;
	u64 stall_ns;
	u64 app_ns;
	bool fetch;
	void (*app)(struct machine *m);
	void *own;
	unsigned int preempted;
	unsigned int transactions;
	unsigned int scans;
	unsigned int counts;
};

/* A process; its queues are those of its group. */
static struct gpreempt_group *machine_process(struct kunit *test)
{
	struct gpreempt_group *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, g);
	return g;
}

static struct machine *machine_new(struct kunit *test, unsigned int nr, bool fetch)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->q = kunit_kcalloc(test, nr, sizeof(*m->q), GFP_KERNEL);
	m->v = kunit_kcalloc(test, nr, sizeof(*m->v), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->q);
	KUNIT_ASSERT_NOT_NULL(test, m->v);
	m->test = test;
	m->nr = nr;
	m->fetch = fetch;
	m->view.policy = gpreempt_policy_find("strict");
	gpreempt_chain(&m->view, m->v, nr);
	m->view.save_ns = MACHINE_SAVE_NS;
	m->view.tun = defaults;
	m->now_ns = NSEC_PER_SEC;
	m->scan_ns = m->now_ns;
	m->app_ns = U64_MAX;
	m->free = U32_MAX;
	for (i = 0; i < MACHINE_SLOTS; i++)
		m->slot_q[i] = -1;
	for (i = 0; i < nr; i++)
		m->v[i].memory = &m->q[i].memory;
	return m;
}

/* A queue of a process, on a level, and what it is used for. */
static void machine_queue(struct machine *m, unsigned int i, struct gpreempt_group *process,
			  u8 level, const struct machine_work *work)
{
	struct gpreempt_cus *cus = &m->v[i].seen.cus;

	m->v[i].group = process;
	m->v[i].terms.priority = level;
	m->q[i].work = *work;
	if (!work->slots)
		return;
	memset(cus, 0xff, sizeof(*cus));
	cus->barred[0] = ~(u64)work->slots;
}

/* So many kernels are submitted; the doorbell may wake the monitor. */
static void machine_submit(struct machine *m, unsigned int i, unsigned int n)
{
	struct machine_queue *q = &m->q[i];

	for (; n; n--)
		q->kernel_left[q->wptr++ % MACHINE_RING] = q->work.groups;
	if (m->v[i].out.awaited)
		m->scan_ns = min(m->scan_ns, m->now_ns + MACHINE_WAKE_NS);
}

/* Could it launch a workgroup, or take a saved one back, if there is space? */
static bool machine_is_ready(const struct machine_queue *q)
{
	if (q->off)
		return false;
	if (q->saved)
		return true;
	return q->next < q->wptr && !(q->work.in_order && !q->launched && q->ended < q->next);
}

static void machine_launch(struct machine *m, unsigned int slot, unsigned int i)
{
	struct machine_queue *q = &m->q[i];

	m->free &= ~BIT(slot);
	m->slot_q[slot] = i;
	q->live++;
	if (q->saved) {
		q->saved--;
		m->slot_left[slot] = q->saved_left[q->saved];
		m->slot_of[slot] = q->saved_of[q->saved];
		return;
	}
	m->slot_left[slot] = q->work.ns;
	m->slot_of[slot] = q->next;
	if (++q->launched < q->work.groups)
		return;
	q->launched = 0;
	q->next++;
}

/* All that is ready launches, a workgroup each in turn, while there is space for it. */
static void machine_fill(struct machine *m)
{
	bool any = true;
	unsigned int n;

	m->first = (m->first + 1) % m->nr;
	while (any && m->free) {
		any = false;
		for (n = 0; n < m->nr && m->free; n++) {
			unsigned int i = (m->first + n) % m->nr;
			u32 slots = m->free & (m->q[i].work.slots ?: U32_MAX);

			if (!slots || !machine_is_ready(&m->q[i]))
				continue;
			machine_launch(m, ffs(slots) - 1, i);
			any = true;
		}
	}
}

static void machine_ends(struct machine *m, unsigned int slot)
{
	struct machine_queue *q = &m->q[m->slot_q[slot]];

	m->slot_q[slot] = -1;
	m->free |= BIT(slot);
	q->live--;
	q->kernel_left[m->slot_of[slot] % MACHINE_RING]--;
	while (q->ended < q->next && !q->kernel_left[q->ended % MACHINE_RING])
		q->ended++;
}

/* Queues that have a slot execute until then. */
static void machine_execute(struct machine *m, u64 until_ns)
{
	u64 ns = until_ns - m->now_ns;
	unsigned int slot;

	for (slot = 0; slot < MACHINE_SLOTS; slot++) {
		struct machine_queue *q;

		if (m->slot_q[slot] < 0)
			continue;
		q = &m->q[m->slot_q[slot]];
		q->ran_ns += ns;
		if (q->seen_ns && m->now_ns > q->seen_ns)
			q->gap_ns = max(q->gap_ns, m->now_ns - q->seen_ns);
		q->seen_ns = until_ns;
		if (m->slot_left[slot] != MACHINE_EVER)
			m->slot_left[slot] -= ns;
	}
	for (slot = 0; slot < MACHINE_SLOTS; slot++)
		if (m->slot_q[slot] >= 0 && !m->slot_left[slot])
			machine_ends(m, slot);
}

/* When does anything happen next, but for the end of a workgroup? */
static u64 machine_next_ns(const struct machine *m, u64 end_ns)
{
	u64 scan_ns = max(m->scan_ns, m->stall_ns), next_ns = min3(scan_ns, m->app_ns, end_ns);

	return m->now_ns < m->stall_ns ? min(next_ns, m->stall_ns) : next_ns;
}

static void machine_step(struct machine *m, u64 end_ns)
{
	u64 next_ns = max(machine_next_ns(m, end_ns), m->now_ns);
	bool stalled = m->now_ns < m->stall_ns;
	unsigned int slot, i;

	for (slot = 0; slot < MACHINE_SLOTS && !stalled; slot++)
		if (m->slot_q[slot] >= 0 && m->slot_left[slot] < next_ns - m->now_ns)
			next_ns = m->now_ns + m->slot_left[slot];
	if (!stalled)
		machine_execute(m, next_ns);
	m->now_ns = next_ns;
	for (i = 0; i < m->nr; i++)
		while (m->q[i].wptr - m->q[i].ended < m->q[i].work.depth)
			machine_submit(m, i, 1);
	if (m->app)
		m->app(m);
	if (m->now_ns >= m->stall_ns)
		machine_fill(m);
	for (i = 0; i < m->nr; i++) {
		struct machine_queue *q = &m->q[i];

		if (!q->off)
			q->fetched = min(max(q->fetched, q->next + machine_is_ready(q)), q->wptr);
	}
}

static enum gpreempt_signal machine_signal(const struct machine_queue *q, u64 packets)
{
	if (!packets || q->work.signal == MACHINE_NONE)
		return GPREEMPT_SIGNAL_UNKNOWN;
	if (q->work.signal == MACHINE_FORGED)
		return GPREEMPT_SIGNAL_DONE;
	return q->work.signal == MACHINE_OWN && q->ended >= packets ? GPREEMPT_SIGNAL_DONE :
								      GPREEMPT_SIGNAL_PENDING;
}

static void machine_look(struct machine *m, unsigned int i)
{
	struct gpreempt_evidence *e = &m->v[i].seen;
	struct machine_queue *q = &m->q[i];

	/* The memory of one that is off is read once. */
	*e = (struct gpreempt_evidence) {
		.mapped = !q->off,
		.preempted = q->off,
		.readable = !q->off || !q->read_off,
		.size = MACHINE_RING,
		.waves = GPREEMPT_WAVES_UNKNOWN,
		.cus = e->cus,
	};
	q->read_off = q->off;
	if (!e->readable)
		return;
	e->rptr = m->fetch ? q->fetched : q->next;
	e->wptr = q->wptr;
	e->head = e->rptr < e->wptr ? GPREEMPT_HEAD_READY : GPREEMPT_HEAD_UNKNOWN;
	e->head_ordered = q->work.in_order && e->rptr < e->wptr;
	e->signal = machine_signal(q, e->wptr);
	e->previous = machine_signal(q, e->rptr);
	e->begun = e->rptr ? q->work.groups : 0;
	e->ordered = q->work.in_order;
}

/* Of all engines, or up to the first one that has some. */
static int machine_count(const struct machine *m, unsigned int i)
{
	unsigned int slot, waves = 0;

	for (slot = 0; slot < MACHINE_SLOTS; slot++) {
		waves += m->slot_q[slot] == (int)i;
		if ((slot + 1) % (MACHINE_SLOTS / MACHINE_ENGINES) == 0 && waves &&
		    !m->v[i].change.begins)
			break;
	}
	return waves;
}

static void machine_off(struct machine *m, unsigned int i)
{
	struct machine_queue *q = &m->q[i];
	unsigned int slot;

	q->off = true;
	for (slot = 0; slot < MACHINE_SLOTS; slot++) {
		if (m->slot_q[slot] != (int)i)
			continue;
		q->saved_left[q->saved] = m->slot_left[slot];
		q->saved_of[q->saved++] = m->slot_of[slot];
		m->slot_q[slot] = -1;
		m->free |= BIT(slot);
	}
	q->live = 0;
}

static void machine_commit(struct machine *m)
{
	unsigned int i;

	m->stall_ns = m->now_ns + MACHINE_SAVE_NS;
	m->transactions += m->plan.nr_preempt > 0;
	m->preempted += m->plan.nr_preempt;
	for (i = 0; i < m->nr; i++) {
		if (m->v[i].out.verdict == GPREEMPT_PREEMPT)
			machine_off(m, i);
		if (m->v[i].out.verdict != GPREEMPT_RESUME)
			continue;
		m->q[i].off = false;
		m->q[i].memory.resident_ns = m->stall_ns;
	}
}

static void machine_scan(struct machine *m)
{
	u64 interval_ns, from_ns = m->now_ns;
	unsigned int i;

	m->scans++;
	m->view.now_ns = m->now_ns;
	m->view.waves_final = false;
	for (i = 0; i < m->nr; i++)
		machine_look(m, i);
	gpreempt_decide(&m->view, &m->plan);
	if (m->plan.need_waves) {
		m->counts++;
		for (i = 0; i < m->nr; i++)
			if (m->v[i].matters)
				m->v[i].seen.waves = machine_count(m, i);
		m->view.waves_final = true;
		gpreempt_decide(&m->view, &m->plan);
	}
	for (i = 0; i < m->nr; i++)
		m->q[i].helped += m->v[i].out.raised && !m->q[i].raised;
	for (i = 0; i < m->nr; i++)
		m->q[i].raised = m->v[i].out.raised;
	gpreempt_wake(&m->view, &m->plan);
	if (m->plan.nr_preempt || m->plan.nr_resume) {
		machine_commit(m);
		from_ns = m->stall_ns;
	}
	interval_ns = (m->plan.within_us ?: m->view.tun.poll_interval_us) * (u64)NSEC_PER_USEC;
	m->scan_ns = m->plan.rest == GPREEMPT_PARK ? U64_MAX :
		     from_ns + interval_ns * (m->plan.rest == GPREEMPT_CALM ? 10 : 1);
	if (m->plan.next_ns)
		m->scan_ns = min(m->scan_ns, max(m->plan.next_ns, m->now_ns + NSEC_PER_USEC));
}

static void machine_run(struct machine *m, u64 ns)
{
	u64 end_ns = m->now_ns + ns;

	while (m->now_ns < end_ns) {
		machine_step(m, end_ns);
		if (m->now_ns >= m->scan_ns && m->now_ns >= m->stall_ns)
			machine_scan(m);
	}
}

/* Counts so far are forgotten. */
static void machine_begin(struct machine *m)
{
	unsigned int i;

	m->preempted = 0;
	m->transactions = 0;
	m->scans = 0;
	m->counts = 0;
	for (i = 0; i < m->nr; i++) {
		m->q[i].ran_ns = 0;
		m->q[i].gap_ns = 0;
		m->q[i].helped = 0;
	}
}

/* A queue's part of the machine in so long, in tenths of a per cent. */
static unsigned int machine_part(const struct machine *m, unsigned int i, u64 ns)
{
	return div_u64(m->q[i].ran_ns, div_u64(ns * MACHINE_SLOTS, 1000));
}
