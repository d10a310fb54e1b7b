// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's back end mes, with the calls to MES and the rest of
 * the driver replaced. What is tested is the commit room, and the way through
 * single queues, which the back end hqd shares.
 */

#include <kunit/test.h>

/* Names of its own, should the driver be built in beside it. */
#define add_queue_mes			kunit_add_queue_mes
#define remove_queue_mes		kunit_remove_queue_mes
#define increment_queue_count		kunit_increment_queue_count
#define decrement_queue_count		kunit_decrement_queue_count
#define kfd_reset_pending		kunit_reset_pending
#define kfd_smi_event_queue_preempt	kunit_smi_event_queue_preempt
#define kfd_smi_event_queue_resume	kunit_smi_event_queue_resume
#define kfd_gpreempt_commit		kunit_gpreempt_commit
#define kfd_gpreempt_answered		kunit_gpreempt_answered
#define kfd_gpreempt_save_took		kunit_gpreempt_save_took
#define kfd_gpreempt_verdict		kunit_gpreempt_verdict
#define kfd_gpreempt_queue_off		kunit_gpreempt_queue_off
#define kfd_gpreempt_queue_on		kunit_gpreempt_queue_on
#define kfd_gpreempt_queue_pinned	kunit_gpreempt_queue_pinned
#define kfd_gpreempt_queue_priority	kunit_gpreempt_queue_priority
#define kfd_gpreempt_forget		kunit_gpreempt_forget
#define kfd_gpreempt_release		kunit_gpreempt_release
#define kfd_gpreempt_give_back		kunit_gpreempt_give_back
#define kfd_gpreempt_map_again		kunit_gpreempt_map_again
#define kfd_gpreempt_single_transact	kunit_gpreempt_single_transact
#define kfd_gpreempt_single_give_back	kunit_gpreempt_single_give_back
#define kfd_gpreempt_exclude		kunit_gpreempt_exclude
#define kfd_gpreempt_account_save	kunit_gpreempt_account_save
#define gpreempt_keep_off		kunit_mes_keep_off
#define gpreempt_search_delayed		kunit_mes_search_delayed
#define kfd_gpreempt_mes		kunit_gpreempt_mes

/* Tracepoints are the driver's. */
#define GPREEMPT_TRACE_H_INCLUDED
#define trace_kfd_gpreempt_preempt_begin(...)	do { } while (0)
#define trace_kfd_gpreempt_preempt_end(...)	do { } while (0)
#define trace_kfd_gpreempt_resume(...)		do { } while (0)
struct kfd_gpreempt_queue;
static void trace_kfd_gpreempt_excluded(const struct kfd_gpreempt_queue *gpq, int reason, u64 ns);

#include "../gpreempt/run/commit.c"
#include "../gpreempt/single/single.c"
#include "../gpreempt/single/mes.c"

#define QUEUES	4	/* two of each of two processes */

/* What the replaced functions were told, and what they are to answer. */
static struct {
	char calls[64];		/* "-0+1": removed queue 0, added queue 1 */
	int remove_result;
	int add_result;
	int map_result;
	unsigned int maps;
	u32 reset;		/* bit n: queue n does not leave but by a reset */
	u32 excluded;
	bool reset_pending;
	enum gpreempt_event event;
	unsigned int evictions;
	unsigned int resumes;
} mes;

struct machine {
	struct amdgpu_reset_domain domain;
	struct amdgpu_device *adev;
	struct kfd_dev kfd;
	struct kfd_node node;
	struct device_queue_manager dqm;
	struct kfd_process process[2];
	struct qcm_process_device qpd[2];
	struct device_process_node dpn[2];
	struct queue queue[QUEUES];
	struct kfd_gpreempt_queue gpq[QUEUES];
	struct kfd_gpreempt_group group[2];
	struct kfd_gpreempt gp;
};

static void called(char what, const struct queue *q)
{
	size_t n = strlen(mes.calls);

	snprintf(mes.calls + n, sizeof(mes.calls) - n, "%c%u", what,
		 q->properties.queue_id);
}

int add_queue_mes(struct device_queue_manager *dqm, struct queue *q,
		  struct qcm_process_device *qpd)
{
	called('+', q);
	return mes.add_result;
}

int remove_queue_mes(struct device_queue_manager *dqm, struct queue *q,
		     struct qcm_process_device *qpd)
{
	called('-', q);
	ndelay(100);
	if (mes.reset & BIT(q->properties.queue_id)) {
		q->properties.is_active = false;
		decrement_queue_count(dqm, qpd, q);
	}
	return mes.remove_result;
}

void increment_queue_count(struct device_queue_manager *dqm,
			   struct qcm_process_device *qpd, struct queue *q)
{
	dqm->active_queue_count++;
}

void decrement_queue_count(struct device_queue_manager *dqm,
			   struct qcm_process_device *qpd, struct queue *q)
{
	dqm->active_queue_count--;
}

bool kfd_reset_pending(struct device_queue_manager *dqm)
{
	return mes.reset_pending;
}

void kfd_smi_event_queue_preempt(struct kfd_node *node, struct kfd_process *p)
{
	mes.evictions++;
}

void kfd_smi_event_queue_resume(struct kfd_node *node, struct kfd_process *p)
{
	mes.resumes++;
}

u8 kfd_gpreempt_queue_priority(const struct kfd_gpreempt *gp,
			       const struct queue *q)
{
	return q->properties.priority;
}

void kfd_gpreempt_forget(struct kfd_gpreempt_queue *gpq)
{
	gpq->terms.hold.held = false;
}

bool kfd_gpreempt_queue_pinned(const struct queue *q)
{
	return q->properties.is_gws;
}

void kfd_gpreempt_account_save(struct kfd_gpreempt *gp, unsigned int preempt,
			       u64 ns, bool late)
{
}

static void trace_kfd_gpreempt_excluded(const struct kfd_gpreempt_queue *gpq, int reason, u64 ns)
{
	mes.excluded |= BIT(gpq->scan.queue_id);
}

void gpreempt_keep_off(struct gpreempt_suspect *suspect, struct gpreempt_past *past, u64 now_ns)
{
	suspect->until_ns = now_ns + NSEC_PER_SEC;
}

bool gpreempt_search_delayed(struct gpreempt_search *search, bool preempts, u64 now_ns, u64 ns,
			     u64 slow_ns, u64 late_ns)
{
	return ns > late_ns;
}

/* A node with all queues mapped, and nothing to do. */
static int mes_init(struct kunit *test)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->adev = kunit_kzalloc(test, sizeof(*m->adev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->adev);
	init_rwsem(&m->domain.sem);
	m->adev->reset_domain = &m->domain;
	m->node.adev = m->adev;
	m->node.kfd = &m->kfd;
	m->node.dqm = &m->dqm;
	m->dqm.dev = &m->node;
	m->dqm.sched_running = true;
	mutex_init(&m->dqm.lock_hidden);
	INIT_LIST_HEAD(&m->dqm.queues);
	spin_lock_init(&m->gp.state.lock);
	mutex_init(&m->gp.groups.lock);
	INIT_LIST_HEAD(&m->gp.groups.list);
	for (i = 0; i < ARRAY_SIZE(m->group); i++)
		list_add_tail(&m->group[i].list, &m->gp.groups.list);
	m->gp.node = &m->node;
	m->gp.backend = &kfd_gpreempt_mes;
	for (i = 0; i < ARRAY_SIZE(m->qpd); i++) {
		INIT_LIST_HEAD(&m->qpd[i].queues_list);
		m->dpn[i].qpd = &m->qpd[i];
		list_add_tail(&m->dpn[i].list, &m->dqm.queues);
	}
	for (i = 0; i < QUEUES; i++) {
		struct queue *q = &m->queue[i];

		q->process = &m->process[i / 2];
		q->device = &m->node;
		q->gpreempt = &m->gpq[i];
		q->properties.queue_id = i;
		q->properties.queue_size = 4096;
		q->properties.queue_address = 4096;
		q->properties.queue_percent = 100;
		q->properties.is_active = true;
		m->gpq[i].gp = &m->gp;
		m->gpq[i].scan.queue_id = i;
		m->gpq[i].group = &m->group[i / 2];
		m->dqm.active_queue_count++;
		list_add_tail(&q->list, &m->qpd[i / 2].queues_list);
	}
	m->gp.tunables.preempt_timeout_ms = 1000;
	m->gp.slow_save_ms = 10;
	memset(&mes, 0, sizeof(mes));
	mes.event = GPREEMPT_EV_WORK;
	test->priv = m;
	return 0;
}

static void decide(struct machine *m, unsigned int queue,
		   enum gpreempt_verdict verdict)
{
	m->gpq[queue].view.out.verdict = verdict;
	m->gpq[queue].view.out.reason = verdict == GPREEMPT_PREEMPT ?
					GPREEMPT_REASON_INVERSION : GPREEMPT_REASON_FREE;
}

/* Preempted by an earlier commit. */
static void preempted(struct machine *m, unsigned int queue)
{
	m->queue[queue].properties.is_active = false;
	m->queue[queue].properties.is_preempted = true;
	m->dqm.active_queue_count--;
}

/* What is each queue: active, preempted, neither (-), or of no interest (?)? */
static void expect_queues(struct kunit *test, const char *expected)
{
	struct machine *m = test->priv;
	char is[QUEUES + 1] = {};
	unsigned int i;

	for (i = 0; i < QUEUES; i++) {
		const struct queue_properties *p = &m->queue[i].properties;

		is[i] = p->is_active ? 'A' : p->is_preempted ? 'P' : '-';
		KUNIT_EXPECT_FALSE(test, p->is_active && p->is_preempted);
		if (expected[i] == '?')
			is[i] = '?';
	}
	KUNIT_EXPECT_STREQ(test, is, expected);
}

static void gpreempt_mes_victims_first(struct kunit *test)
{
	struct machine *m = test->priv;

	preempted(m, 1);
	decide(m, 1, GPREEMPT_RESUME);
	decide(m, 2, GPREEMPT_PREEMPT);
	decide(m, 3, GPREEMPT_PREEMPT);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), 0);
	KUNIT_EXPECT_STREQ(test, mes.calls, "-2-3+1");
	expect_queues(test, "AAPP");
	KUNIT_EXPECT_EQ(test, m->dqm.active_queue_count, 2);
	KUNIT_EXPECT_EQ(test, mes.evictions, 2);
	KUNIT_EXPECT_EQ(test, mes.resumes, 1);
	KUNIT_EXPECT_EQ(test, mes.event, GPREEMPT_EV_WORK);
}

/* A queue that stock resets to get it off is counted by stock, and not preempted. */
static void gpreempt_mes_reset_instead(struct kunit *test)
{
	struct machine *m = test->priv;

	mes.reset = BIT(0);
	decide(m, 0, GPREEMPT_PREEMPT);
	decide(m, 1, GPREEMPT_PREEMPT);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), 0);
	KUNIT_EXPECT_STREQ(test, mes.calls, "-0-1");
	expect_queues(test, "-PAA");
	KUNIT_EXPECT_EQ(test, m->dqm.active_queue_count, QUEUES - 2);
	KUNIT_EXPECT_EQ(test, mes.evictions, 1);
}

/* Nothing is sent to a scheduler that hangs. */
static void gpreempt_mes_reset_pending(struct kunit *test)
{
	struct machine *m = test->priv;

	mes.reset_pending = true;
	decide(m, 0, GPREEMPT_PREEMPT);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), -EAGAIN);
	KUNIT_EXPECT_STREQ(test, mes.calls, "");
}

/* Between the scan and the commit much may happen to a queue. */
static void gpreempt_mes_verdict_no_longer_holds(struct kunit *test)
{
	struct machine *m = test->priv;

	decide(m, 0, GPREEMPT_PREEMPT);
	m->queue[0].properties.is_gws = true;
	decide(m, 1, GPREEMPT_PREEMPT);
	m->queue[1].properties.is_evicted = true;
	m->queue[1].properties.is_active = false;
	decide(m, 2, GPREEMPT_RESUME);
	preempted(m, 3);
	m->gpq[3].terms.hold.held = true;
	decide(m, 3, GPREEMPT_RESUME);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), 0);
	KUNIT_EXPECT_STREQ(test, mes.calls, "");
	expect_queues(test, "A-AP");
}

/* What is remembered of a queue's saves. */
static void gpreempt_mes_taken_off(struct kunit *test)
{
	struct machine *m = test->priv;
	struct kfd_gpreempt_queue *gpq = &m->gpq[0];

	gpq->terms.hold.asked = true;
	kfd_gpreempt_queue_off(&m->gp, &m->qpd[0], &m->queue[0], 1000);
	KUNIT_EXPECT_FALSE(test, gpq->terms.hold.asked);
	KUNIT_EXPECT_EQ(test, gpq->off.times, 1);
	KUNIT_EXPECT_EQ(test, gpq->off.save_ns, 1000);
	KUNIT_EXPECT_EQ(test, atomic64_read(&m->gp.account.level_preemptions[0]), 1);

	kfd_gpreempt_queue_on(&m->gp, &m->qpd[0], &m->queue[0], GPREEMPT_REASON_FREE);
	kfd_gpreempt_queue_off(&m->gp, &m->qpd[0], &m->queue[0], 2000);
	KUNIT_EXPECT_EQ(test, gpq->off.times, 2);
	KUNIT_EXPECT_EQ(test, gpq->off.save_ns, 2000);
}

/* A node's time for a save is the average of those that were in time. */
static void gpreempt_mes_save_took(struct kunit *test)
{
	struct machine *m = test->priv;
	struct gpreempt_search *search = &m->gp.saves.search;

	KUNIT_EXPECT_FALSE(test, kfd_gpreempt_save_took(&m->gp, search, 1, 1000));
	KUNIT_EXPECT_FALSE(test, kfd_gpreempt_save_took(&m->gp, search, 2, 2000));
	KUNIT_EXPECT_FALSE(test, kfd_gpreempt_save_took(&m->gp, search, 0, 900000));
	/* slow, and not yet three times running */
	KUNIT_EXPECT_FALSE(test, kfd_gpreempt_save_took(&m->gp, search, 1, 11 * NSEC_PER_MSEC));
	KUNIT_EXPECT_TRUE(test, kfd_gpreempt_save_took(&m->gp, search, 1, NSEC_PER_SEC + 1));
	KUNIT_EXPECT_EQ(test, ewma_gpreempt_ns_read(&m->gp.saves.mean_ns), (3 * 1000 + 2000) / 4);
}

/* A queue that is back begins anew. What it was off for is counted. */
static void gpreempt_mes_put_back(struct kunit *test)
{
	struct machine *m = test->priv;
	struct kfd_gpreempt_queue *gpq = &m->gpq[0];
	u64 begin_ns = ktime_get_ns();

	preempted(m, 0);
	gpq->off.since_ns = begin_ns - 1000;
	decide(m, 0, GPREEMPT_RESUME);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), 0);
	KUNIT_EXPECT_GE(test, gpq->off.total_ns, 1000);
	KUNIT_EXPECT_GE(test, gpq->off.back_ns, begin_ns);
	KUNIT_EXPECT_EQ(test, gpq->memory.resident_ns, gpq->off.back_ns);
}

/* An evicted queue is resumed in name; its restore will add it. */
static void gpreempt_mes_resume_while_evicted(struct kunit *test)
{
	struct machine *m = test->priv;

	preempted(m, 2);
	m->queue[2].properties.is_evicted = true;
	decide(m, 2, GPREEMPT_RESUME);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), 0);
	KUNIT_EXPECT_STREQ(test, mes.calls, "");
	expect_queues(test, "??-?");
}

/* Rule 6: no retry into a hung scheduler; the reset adds what is marked. */
static void gpreempt_mes_never_answers(struct kunit *test)
{
	struct machine *m = test->priv;

	preempted(m, 3);
	decide(m, 0, GPREEMPT_PREEMPT);
	decide(m, 1, GPREEMPT_PREEMPT);
	decide(m, 3, GPREEMPT_RESUME);
	mes.remove_result = -ETIMEDOUT;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), -ETIMEDOUT);
	KUNIT_EXPECT_STREQ(test, mes.calls, "-0");
	expect_queues(test, "AA?A");
	KUNIT_EXPECT_EQ(test, m->dqm.active_queue_count, QUEUES);
	KUNIT_EXPECT_EQ(test, mes.event, GPREEMPT_EV_HANG);
}

/* A reset that came first is no error. */
static void gpreempt_mes_reset_first(struct kunit *test)
{
	struct machine *m = test->priv;

	decide(m, 0, GPREEMPT_PREEMPT);
	mes.remove_result = -EIO;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), -EAGAIN);
	expect_queues(test, "A???");
	KUNIT_EXPECT_EQ(test, mes.event, GPREEMPT_EV_WORK);

	mes.calls[0] = '\0';
	KUNIT_ASSERT_TRUE(test, down_write_trylock(&m->domain.sem));
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), -EAGAIN);
	up_write(&m->domain.sem);
	m->dqm.sched_running = false;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), -EAGAIN);
	KUNIT_EXPECT_STREQ(test, mes.calls, "");
	KUNIT_EXPECT_EQ(test, mes.event, GPREEMPT_EV_WORK);
}

/* Late: the queue is kept off, as none but it was saved. The others' turn is the next scan's. */
static void gpreempt_mes_late(struct kunit *test)
{
	struct machine *m = test->priv;

	preempted(m, 3);
	m->gpq[3].terms.hold.held = true;
	decide(m, 0, GPREEMPT_PREEMPT);
	decide(m, 1, GPREEMPT_PREEMPT);
	m->gp.tunables.preempt_timeout_ms = 0;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), -EAGAIN);
	KUNIT_EXPECT_STREQ(test, mes.calls, "-0");
	expect_queues(test, "PA?P");
	KUNIT_EXPECT_TRUE(test, m->gpq[3].terms.hold.held);
	KUNIT_EXPECT_EQ(test, mes.excluded, BIT(0));
	KUNIT_EXPECT_NE(test, m->gpq[0].suspect.until_ns, 0);
	KUNIT_EXPECT_EQ(test, m->gpq[1].suspect.until_ns, 0);
	KUNIT_EXPECT_EQ(test, mes.event, GPREEMPT_EV_WORK);
}

/* Stock asks for a reset when a queue is refused, and that adds what is marked. */
static void gpreempt_mes_restore_refused(struct kunit *test)
{
	struct machine *m = test->priv;

	preempted(m, 2);
	preempted(m, 3);
	decide(m, 2, GPREEMPT_RESUME);
	mes.add_result = -EINVAL;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_commit(&m->gp, &mes.event), -EINVAL);
	KUNIT_EXPECT_STREQ(test, mes.calls, "+2");
	expect_queues(test, "??AA");
	KUNIT_EXPECT_EQ(test, mes.event, GPREEMPT_EV_MAP);
}

/* Disabled: all queues are back, and nothing is asked of them any more. */
static void gpreempt_mes_gives_back(struct kunit *test)
{
	struct machine *m = test->priv;
	unsigned int i;

	for (i = 0; i < QUEUES; i++)
		m->gpq[i].terms.hold.held = true;
	m->gpq[1].suspect.until_ns = U64_MAX;
	/* also of a process that has no queue now */
	m->gpq[1].group->past.end_ns = U64_MAX;
	m->gpq[2].group = m->gpq[0].group;
	m->gpq[3].group = m->gpq[0].group;
	m->group[1].past.end_ns = U64_MAX;
	preempted(m, 0);
	preempted(m, 2);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_give_back(&m->gp), 0);
	KUNIT_EXPECT_EQ(test, m->gpq[1].suspect.until_ns, 0);
	for (i = 0; i < ARRAY_SIZE(m->group); i++)
		KUNIT_EXPECT_EQ_MSG(test, m->group[i].past.end_ns, 0, "process %u", i);
	KUNIT_EXPECT_STREQ(test, mes.calls, "+0+2");
	expect_queues(test, "A?A?");
	for (i = 0; i < QUEUES; i++)
		KUNIT_EXPECT_FALSE_MSG(test, m->gpq[i].terms.hold.held, "queue %u", i);
	KUNIT_EXPECT_EQ(test, m->dqm.active_queue_count, QUEUES);
}

/* After an error queues are on the hardware, and what is held of them stays so for later. */
static void gpreempt_mes_release_keeps_holds(struct kunit *test)
{
	struct machine *m = test->priv;

	preempted(m, 0);
	m->gpq[0].terms.hold.held = true;
	m->gpq[1].terms.hold.asked = true;
	m->gpq[1].suspect.role = GPREEMPT_TRIED;
	m->gp.saves.search.on = true;
	mutex_lock(&m->dqm.lock_hidden);
	kfd_gpreempt_release(&m->gp);
	mutex_unlock(&m->dqm.lock_hidden);
	expect_queues(test, "AAAA");
	KUNIT_EXPECT_STREQ(test, mes.calls, "");
	KUNIT_EXPECT_TRUE(test, m->gpq[0].terms.hold.held);
	KUNIT_EXPECT_FALSE(test, m->gpq[1].terms.hold.asked);
	KUNIT_EXPECT_EQ(test, m->gpq[1].suspect.role, GPREEMPT_UNSUSPECTED);
	KUNIT_EXPECT_FALSE(test, m->gp.saves.search.on);
}

static int refuse(struct kfd_gpreempt *gp)
{
	return -EIO;
}

/* Somebody has the reset semaphore: nothing is taken for done. With a reset to come all is. */
static void gpreempt_mes_give_back_refused(struct kunit *test)
{
	static const struct kfd_gpreempt_backend refuses = { .give_back = refuse };
	struct machine *m = test->priv;

	m->gp.backend = &refuses;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_give_back(&m->gp), 0);
	preempted(m, 0);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_give_back(&m->gp), -EIO);
	expect_queues(test, "PAAA");
	mes.reset_pending = true;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_give_back(&m->gp), 0);
	expect_queues(test, "AAAA");
}

static int map(struct kfd_gpreempt *gp)
{
	mes.maps++;
	return mes.map_result;
}

/* What an error left unmapped is tried again, but never with a scheduler that is down. */
static void gpreempt_mes_map_again(struct kunit *test)
{
	static const struct kfd_gpreempt_backend runlist = { .map = map };
	struct machine *m = test->priv;

	KUNIT_EXPECT_EQ(test, kfd_gpreempt_map_again(&m->gp), 0);
	KUNIT_EXPECT_EQ(test, mes.maps, 0);
	m->gp.backend = &runlist;
	mes.map_result = -ENOMEM;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_map_again(&m->gp), -ENOMEM);
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_map_again(&m->gp), -ENOMEM);
	KUNIT_EXPECT_EQ(test, mes.maps, 2);

	KUNIT_ASSERT_TRUE(test, down_write_trylock(&m->domain.sem));
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_map_again(&m->gp), 0);
	up_write(&m->domain.sem);
	m->dqm.is_hws_hang = true;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_map_again(&m->gp), 0);
	m->dqm.is_hws_hang = false;
	m->dqm.sched_running = false;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_map_again(&m->gp), 0);
	KUNIT_EXPECT_EQ(test, mes.maps, 2);

	m->dqm.sched_running = true;
	mes.map_result = 0;
	KUNIT_EXPECT_EQ(test, kfd_gpreempt_map_again(&m->gp), 0);
	KUNIT_EXPECT_EQ(test, mes.maps, 3);
}

/* Firmware rotates the queues of a node that has more than slots, and no runlist says so. */
static void gpreempt_mes_oversubscribed(struct kunit *test)
{
	struct machine *m = test->priv;
	struct amdgpu_mes *adev_mes = &m->adev->mes;
	unsigned int slots = 0, i;

	for (i = 0; i < 4; i++, slots += 2)
		adev_mes->compute_hqd_mask[i] = 0xc;
	m->dqm.active_cp_queue_count = slots;
	KUNIT_EXPECT_FALSE(test, m->gp.backend->oversubscribed(&m->dqm));
	m->dqm.active_cp_queue_count++;
	KUNIT_EXPECT_TRUE(test, m->gp.backend->oversubscribed(&m->dqm));
	/* the last pipe's slots count, too */
	adev_mes->compute_hqd_mask[ARRAY_SIZE(adev_mes->compute_hqd_mask) - 1] = 1;
	KUNIT_EXPECT_FALSE(test, m->gp.backend->oversubscribed(&m->dqm));
}

static struct kunit_case gpreempt_mes_cases[] = {
	KUNIT_CASE(gpreempt_mes_victims_first),
	KUNIT_CASE(gpreempt_mes_reset_instead),
	KUNIT_CASE(gpreempt_mes_reset_pending),
	KUNIT_CASE(gpreempt_mes_verdict_no_longer_holds),
	KUNIT_CASE(gpreempt_mes_taken_off),
	KUNIT_CASE(gpreempt_mes_save_took),
	KUNIT_CASE(gpreempt_mes_put_back),
	KUNIT_CASE(gpreempt_mes_resume_while_evicted),
	KUNIT_CASE(gpreempt_mes_never_answers),
	KUNIT_CASE(gpreempt_mes_reset_first),
	KUNIT_CASE(gpreempt_mes_late),
	KUNIT_CASE(gpreempt_mes_restore_refused),
	KUNIT_CASE(gpreempt_mes_gives_back),
	KUNIT_CASE(gpreempt_mes_release_keeps_holds),
	KUNIT_CASE(gpreempt_mes_give_back_refused),
	KUNIT_CASE(gpreempt_mes_map_again),
	KUNIT_CASE(gpreempt_mes_oversubscribed),
	{}
};

static struct kunit_suite gpreempt_mes_suite = {
	.name = "amdgpu_kfd_gpreempt_mes",
	.init = mes_init,
	.test_cases = gpreempt_mes_cases,
};

kunit_test_suite(gpreempt_mes_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's back end mes");
MODULE_LICENSE("Dual MIT/GPL");
