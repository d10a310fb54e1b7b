/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A machine whose monitor scans when wake says, for what is a matter of time: how much of the
 * machine each of many queues has, and how often one leaves and comes back. A file that includes
 * it has taken in the policies before.
 *
 * Time goes in small steps. A queue runs kernels of as many workgroups as it likes, each in one of
 * the machine's slots; they are launched in order, a kernel that is in order after the one before
 * has ended. A transaction stops all that is mapped for as long as a save takes.
 */
#include <kunit/test.h>
#include <linux/time64.h>

#define MACHINE_SLOTS	32
#define MACHINE_RING	64
#define MACHINE_EVER	U64_MAX

/* What things take, in ns: on the modelled MI210. */
#define MACHINE_SAVE_NS		(130 * NSEC_PER_USEC)
#define MACHINE_RESTORE_NS	(60 * NSEC_PER_USEC)
#define MACHINE_COUNT_NS	(10 * NSEC_PER_USEC)
#define MACHINE_WAKE_NS		(20 * NSEC_PER_USEC)

/**
 * struct machine_queue - a queue, and what its application does
 * @memory:	estimate's
 * @groups:	workgroups of each of its kernels
 * @ns:		how long each of these takes, MACHINE_EVER: it does not end
 * @in_order:	its packets have the barrier bit
 * @wptr:	kernels submitted
 * @next:	the kernel to launch from, and read index at launch
 * @fetched:	read index at fetch
 * @ended:	kernels that have ended, in order
 * @launched:	workgroups of @next that were launched
 * @live:	its workgroups on the machine
 * @saved:	those that were saved, and what each had left
 * @left:	likewise
 * @ran_ns:	time times slots that it had
 * @seen_ns:	it had a slot last
 * @gap_ns:	longest time without one, since it had the first
 * @kernel_left: of each kernel in flight, workgroups that have not ended
 * @off:	preempted
 */
struct machine_queue {
	struct gpreempt_memory memory;
	u16 groups;
	u64 ns;
	bool in_order;
	u64 wptr, next, fetched, ended;
	u16 launched;
	u16 live;
	u16 saved;
	u64 left[MACHINE_SLOTS];
	u64 saved_of[MACHINE_SLOTS];
	u64 ran_ns;
	u64 seen_ns;
	u64 gap_ns;
	u16 kernel_left[MACHINE_RING];
	bool off;
};

/**
 * struct machine - the machine
 * @test:	which it is for
 * @q:		its queues
 * @v:		their views
 * @nr:		how many there are
 * @slot_q:	the queue of each slot that is in use, -1: none is
 * @slot_left:	what its workgroup has left, in ns
 * @slot_of:	the kernel
 * @now_ns:	the time
 * @step_ns:	of a step
 * @scan_ns:	the next scan
 * @stall_ns:	nothing executes until then
 * @fetch:	the read index goes at fetch
 * @app:	is told each time that a step has passed
 * @preempted:	queues taken off
 * @transactions: for that, and to put them back
 * @scans:	how many there were
 * @counts:	how many counted waves
 */
struct machine {
	struct kunit *test;
	struct machine_queue *q;
	struct gpreempt_queue_view *v;
	struct gpreempt_group *group;
	unsigned int nr;
	int slot_q[MACHINE_SLOTS];
	u64 slot_left[MACHINE_SLOTS];
	u64 slot_of[MACHINE_SLOTS];
	struct gpreempt_view view;
	struct gpreempt_tunables tun;
	struct gpreempt_plan plan;
	struct gpreempt_wake wake;
	u64 now_ns, step_ns, scan_ns, stall_ns;
	bool fetch;
	void (*app)(struct machine *m);
	void *own;
	unsigned int preempted, transactions, scans, counts;
};

static struct machine *machine_new(struct kunit *test, unsigned int nr)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	m->nr = nr;
	m->q = kunit_kcalloc(test, nr, sizeof(*m->q), GFP_KERNEL);
	m->v = kunit_kcalloc(test, nr, sizeof(*m->v), GFP_KERNEL);
	m->group = kunit_kcalloc(test, nr, sizeof(*m->group), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->q);
	KUNIT_ASSERT_NOT_NULL(test, m->v);
	KUNIT_ASSERT_NOT_NULL(test, m->group);
	m->view.q = m->v;
	m->view.nr = nr;
	m->view.save_ns = MACHINE_SAVE_NS;
	m->tun = defaults;
	m->now_ns = NSEC_PER_SEC;
	m->scan_ns = m->now_ns;
	m->step_ns = 10 * NSEC_PER_USEC;
	for (i = 0; i < MACHINE_SLOTS; i++)
		m->slot_q[i] = -1;
	for (i = 0; i < nr; i++) {
		m->v[i].memory = &m->q[i].memory;
		m->v[i].group = &m->group[i];
		m->v[i].seen.mapped = true;
		m->v[i].seen.readable = true;
		m->v[i].seen.size = MACHINE_RING;
	}
	return m;
}

static void machine_kernels(struct machine *m, unsigned int i, u16 groups, u64 ns, unsigned int n)
{
	struct machine_queue *q = &m->q[i];

	q->groups = groups;
	q->ns = ns;
	for (; n; n--)
		q->kernel_left[q->wptr++ % MACHINE_RING] = groups;
	if (m->v[i].out.awaited)
		m->scan_ns = min(m->scan_ns, m->now_ns + MACHINE_WAKE_NS);
}

/* May a queue launch a workgroup, or take a saved one back? */
static bool machine_ready(const struct machine_queue *q)
{
	if (q->off)
		return false;
	if (q->saved)
		return true;
	return q->next < q->wptr && !(q->in_order && !q->launched && q->ended < q->next);
}

static void machine_launch(struct machine *m, unsigned int slot, unsigned int i)
{
	struct machine_queue *q = &m->q[i];

	m->slot_q[slot] = i;
	q->live++;
	if (q->saved) {
		q->saved--;
		m->slot_left[slot] = q->left[q->saved];
		m->slot_of[slot] = q->saved_of[q->saved];
		return;
	}
	m->slot_left[slot] = q->ns;
	m->slot_of[slot] = q->next;
	if (++q->launched < q->groups)
		return;
	q->launched = 0;
	q->next++;
}

static void machine_step(struct machine *m)
{
	bool stalled = m->now_ns < m->stall_ns, any = true;
	unsigned int slot, i;

	m->now_ns += m->step_ns;
	for (slot = 0; slot < MACHINE_SLOTS && !stalled; slot++) {
		struct machine_queue *q;

		if (m->slot_q[slot] < 0)
			continue;
		q = &m->q[m->slot_q[slot]];
		q->ran_ns += m->step_ns;
		if (m->slot_left[slot] == MACHINE_EVER)
			continue;
		m->slot_left[slot] -= min(m->slot_left[slot], m->step_ns);
		if (m->slot_left[slot])
			continue;
		m->slot_q[slot] = -1;
		q->live--;
		q->kernel_left[m->slot_of[slot] % MACHINE_RING]--;
		while (q->ended < q->next && !q->kernel_left[q->ended % MACHINE_RING])
			q->ended++;
	}
	if (m->app)
		m->app(m);
	for (slot = 0; any && !stalled;) {
		any = false;
		for (i = 0; i < m->nr; i++) {
			if (!machine_ready(&m->q[i]))
				continue;
			while (slot < MACHINE_SLOTS && m->slot_q[slot] >= 0)
				slot++;
			if (slot == MACHINE_SLOTS)
				break;
			machine_launch(m, slot, i);
			any = true;
		}
		if (slot == MACHINE_SLOTS)
			break;
	}
	for (i = 0; i < m->nr; i++) {
		struct machine_queue *q = &m->q[i];

		if (q->off)
			continue;
		q->fetched = max(q->fetched, q->next + machine_ready(q));
		q->fetched = min(q->fetched, q->wptr);
		if (!q->live)
			continue;
		if (q->seen_ns)
			q->gap_ns = max(q->gap_ns, m->now_ns - q->seen_ns);
		q->seen_ns = m->now_ns;
	}
}

static void machine_look(struct machine *m, unsigned int i)
{
	struct gpreempt_evidence *e = &m->v[i].seen;
	struct machine_queue *q = &m->q[i];

	e->rptr = m->fetch ? q->fetched : q->next;
	e->wptr = q->wptr;
	e->head = e->rptr < e->wptr ? GPREEMPT_HEAD_READY : GPREEMPT_HEAD_UNKNOWN;
	e->head_ordered = q->in_order && e->rptr < e->wptr;
	e->signal = !q->wptr ? GPREEMPT_SIGNAL_UNKNOWN :
		    q->ended == q->wptr ? GPREEMPT_SIGNAL_DONE : GPREEMPT_SIGNAL_PENDING;
	e->previous = !e->rptr ? GPREEMPT_SIGNAL_UNKNOWN :
		      q->ended >= e->rptr ? GPREEMPT_SIGNAL_DONE : GPREEMPT_SIGNAL_PENDING;
	e->begun = e->rptr ? q->groups : 0;
	e->ordered = q->in_order;
	e->late = false;
	e->waves = GPREEMPT_WAVES_UNKNOWN;
	e->mapped = !q->off;
	e->preempted = q->off;
}

static void machine_off(struct machine *m, unsigned int i)
{
	struct machine_queue *q = &m->q[i];
	unsigned int slot;

	q->off = true;
	for (slot = 0; slot < MACHINE_SLOTS; slot++) {
		if (m->slot_q[slot] != (int)i)
			continue;
		q->left[q->saved] = m->slot_left[slot];
		q->saved_of[q->saved++] = m->slot_of[slot];
		m->slot_q[slot] = -1;
	}
	q->live = 0;
}

static void machine_commit(struct machine *m)
{
	unsigned int i;

	m->stall_ns = m->now_ns + MACHINE_SAVE_NS + MACHINE_RESTORE_NS;
	m->transactions++;
	m->preempted += m->plan.nr_preempt;
	for (i = 0; i < m->nr; i++) {
		if (m->v[i].out.verdict == GPREEMPT_PREEMPT)
			machine_off(m, i);
		if (m->v[i].out.verdict != GPREEMPT_RESUME)
			continue;
		m->q[i].off = false;
		gpreempt_resumed(&m->q[i].memory, m->now_ns + MACHINE_SAVE_NS);
	}
}

static void machine_scan(struct machine *m)
{
	const struct gpreempt_policy *policy = gpreempt_policy_find("strict");
	u64 begun_ns = m->now_ns, ns;
	unsigned int i;

	m->scans++;
	m->view.now_ns = m->now_ns;
	m->view.waves_final = false;
	for (i = 0; i < m->nr; i++)
		machine_look(m, i);
	gpreempt_decide(policy, &m->view, &m->tun, &m->plan);
	if (m->plan.need_waves) {
		m->counts++;
		for (i = 0; i < m->nr; i++)
			if (m->v[i].matters)
				m->v[i].seen.waves = m->q[i].live;
		m->view.waves_final = true;
		gpreempt_decide(policy, &m->view, &m->tun, &m->plan);
	}
	gpreempt_wake(&m->view, &m->plan, &m->wake);
	if (getenv("TRACE")) { struct gpreempt_linger *l = &m->v[0].turn->linger; struct gpreempt_queue_view *q=&m->v[0]; printf("#T %llu us: %s%u/%u high act %d wants %d cons %d r %llu w %llu waves %d live %u sig %d | low act %d map %d rest %d | linger %llu earned %lld back %llu idle %llu wanted %llu | within %u until %lld\n", m->now_ns/1000, m->plan.nr_preempt ? "PREEMPT " : m->plan.nr_resume ? "RESUME " : "", m->plan.nr_preempt, m->plan.nr_resume, q->out.activity, q->out.wants, q->change.consumed, q->seen.rptr, q->seen.wptr, q->seen.waves, m->q[0].live, q->seen.signal, m->v[1].out.activity, m->v[1].seen.mapped, m->v[1].memory->unseen.restored, l->linger_ns, (long long)(l->spent_ns - m->now_ns), l->back_ns, l->idle_ns, l->wanted_ns, m->wake.within_us, (long long)(m->wake.until_ns ? m->wake.until_ns - m->now_ns : 0)); }
	if (!m->wake.idle)
		m->view.busy_ns = m->now_ns;
	if (m->plan.nr_preempt || m->plan.nr_resume) {
		machine_commit(m);
		begun_ns = m->now_ns + MACHINE_SAVE_NS;
	}
	ns = (m->wake.within_us ?: m->tun.poll_interval_us) * NSEC_PER_USEC;
	m->scan_ns = m->wake.rest == GPREEMPT_PARK ? U64_MAX :
		     begun_ns + ns * (m->wake.rest == GPREEMPT_CALM ? 10 : 1);
	if (m->wake.until_ns)
		m->scan_ns = min(m->scan_ns, m->wake.until_ns);
	m->scan_ns = max(m->scan_ns, m->now_ns + m->step_ns);
}

static void machine_run(struct machine *m, u64 ns)
{
	u64 end_ns = m->now_ns + ns;

	while (m->now_ns < end_ns) {
		machine_step(m);
		if (m->now_ns >= m->scan_ns && m->now_ns >= m->stall_ns)
			machine_scan(m);
	}
}
