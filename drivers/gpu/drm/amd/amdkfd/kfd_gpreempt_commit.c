// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT commit: the only room that changes queue state. Back end: hws.
 *
 * UNMAP_QUEUES takes the whole runlist off the hardware, so all decisions of a
 * scan share one transaction: unmap, flip the flags, map. The flags are flipped
 * between the two, as update_queue() does it. So a queue that did not answer
 * and was reset is no longer active and is not taken for a victim, and a
 * failed unmap leaves nothing to put back.
 */

#include <linux/timekeeping.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "amdgpu_reset.h"
#include "kfd_gpreempt_priv.h"
#include "kfd_gpreempt_trace.h"

static void queue_preempt(struct kfd_gpreempt *gp, struct qcm_process_device *qpd,
			  struct queue *q, u64 fence_ns)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;

	q->properties.is_preempted = true;
	q->properties.is_active = false;
	decrement_queue_count(gp->node->dqm, qpd, q);

	gpq->preempted_ns = ktime_get_ns();
	gpq->preemptions++;
	/* A moving average: the cost changes with the waves and their size. */
	gpq->save_cost_ns = gpq->save_cost_ns ?
			    (3 * gpq->save_cost_ns + fence_ns) / 4 : fence_ns;
	kfd_gpreempt_count(gp, GPREEMPT_STAT_PREEMPTIONS, 1);
	trace_kfd_gpreempt_preempt(gp->node->id, gpq->pid, q->properties.queue_id,
				   gpq->reason);
}

static void queue_resume(struct kfd_gpreempt *gp, struct qcm_process_device *qpd,
			 struct queue *q, enum gpreempt_reason reason)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	u64 preempted_ns = ktime_get_ns() - gpq->preempted_ns;

	q->properties.is_preempted = false;
	/* Evicted, suspended or switched off meanwhile: it stays off. */
	if (QUEUE_IS_ACTIVE(q->properties)) {
		q->properties.is_active = true;
		increment_queue_count(gp->node->dqm, qpd, q);
	}

	gpq->preempted_total_ns += preempted_ns;
	kfd_gpreempt_count(gp, GPREEMPT_STAT_RESUMES, 1);
	trace_kfd_gpreempt_resume(gp->node->id, gpq->pid, q->properties.queue_id,
				  reason, preempted_ns);
}

/* Is the plan's verdict on this queue still to the point? */
static bool verdict_holds(const struct queue *q)
{
	const struct kfd_gpreempt_queue *gpq = q->gpreempt;

	if (!gpq)
		return false;
	switch (gpq->verdict) {
	case GPREEMPT_PREEMPT:
		return q->properties.is_active && !kfd_gpreempt_queue_pinned(q);
	case GPREEMPT_RESUME:
		return q->properties.is_preempted;
	default:
		return false;
	}
}

static unsigned int verdicts_that_hold(struct device_queue_manager *dqm)
{
	struct device_process_node *dpn;
	struct queue *q;
	unsigned int n = 0;

	list_for_each_entry(dpn, &dqm->queues, list)
		list_for_each_entry(q, &dpn->qpd->queues_list, list)
			n += verdict_holds(q);
	return n;
}

static void flip(struct kfd_gpreempt *gp, u64 fence_ns)
{
	struct device_process_node *dpn;
	struct queue *q;

	list_for_each_entry(dpn, &gp->node->dqm->queues, list) {
		list_for_each_entry(q, &dpn->qpd->queues_list, list) {
			if (!verdict_holds(q))
				continue;
			if (q->gpreempt->verdict == GPREEMPT_PREEMPT) {
				queue_preempt(gp, dpn->qpd, q, fence_ns);
				continue;
			}
			queue_resume(gp, dpn->qpd, q, q->gpreempt->reason);
			/* The next scan would be late by up to its interval. */
			q->gpreempt->hist.resident_since_ns = ktime_get_ns();
		}
	}
}

/*
 * Map what should be mapped. A return of 0 from map_queues_cpsch() is not yet
 * success: it also is what a stopped scheduler answers.
 */
static int map_and_check(struct device_queue_manager *dqm)
{
	int r = map_queues_cpsch(dqm);

	if (!r && !dqm->active_runlist && dqm->active_queue_count)
		r = -EAGAIN;
	return r;
}

static int transact(struct kfd_gpreempt *gp, enum gpreempt_event *error)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	bool mapped = dqm->active_runlist;
	u64 start_ns, fence_ns;
	int r;

	start_ns = ktime_get_ns();
	/* The wait for the fence is never cut short: its word is used again. */
	r = unmap_queues_cpsch(dqm, KFD_UNMAP_QUEUES_FILTER_DYNAMIC_QUEUES, 0,
			       USE_DEFAULT_GRACE_PERIOD, false);
	fence_ns = ktime_get_ns() - start_ns;
	if (r == -EIO && !amdgpu_amdkfd_is_fed(dqm->dev->adev))
		return -EAGAIN;		/* a reset came first */
	if (r) {
		*error = GPREEMPT_EV_HANG;	/* stock has asked for a reset */
		kfd_gpreempt_release(gp, NULL);
		return r;
	}
	kfd_gpreempt_count(gp, GPREEMPT_STAT_TRANSACTIONS, 1);
	if (mapped) {
		kfd_gpreempt_count_fence(gp, fence_ns);
		trace_kfd_gpreempt_fence(gp->node->id, fence_ns);
	}

	if (fence_ns > (u64)READ_ONCE(gp->tunables.preempt_timeout_ms) *
		       NSEC_PER_MSEC) {
		kfd_gpreempt_count(gp, GPREEMPT_STAT_LATE, 1);
		*error = GPREEMPT_EV_LATE;
		kfd_gpreempt_release(gp, NULL);
	} else {
		flip(gp, fence_ns);
	}

	r = map_and_check(dqm);
	if (r) {
		*error = GPREEMPT_EV_MAP;
		kfd_gpreempt_release(gp, NULL);
		map_and_check(dqm);
	}
	return r;
}

/*
 * May a transaction be started? Not while the scheduler is down, and not into
 * one that has hung, when a reset is already asked for.
 */
static bool may_transact(struct device_queue_manager *dqm)
{
	return dqm->sched_running && !dqm->sched_halt && !dqm->is_hws_hang &&
	       !work_busy(&dqm->hw_exception_work) &&
	       !work_busy(&dqm->dev->adev->kfd.reset_work);
}

/**
 * kfd_gpreempt_commit - carry out the verdicts of the monitor's scan
 * @gp: the node
 *
 * The scan is some time ago: each verdict is checked against the queue as it
 * is now. An error is entered into the state machine and reported.
 *
 * Return: 0, -EAGAIN if the scheduler is down or being reset, or what the
 * failed transaction returned.
 */
int kfd_gpreempt_commit(struct kfd_gpreempt *gp)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	struct amdgpu_device *adev = gp->node->adev;
	enum gpreempt_event error = GPREEMPT_EV_WORK;
	int r = 0;

	dqm_lock(dqm);
	if (!may_transact(dqm) || !down_read_trylock(&adev->reset_domain->sem)) {
		dqm_unlock(dqm);
		return -EAGAIN;
	}
	if (verdicts_that_hold(dqm)) {
		trace_kfd_gpreempt_commit_begin(gp->node->id,
						gp->scan.plan.nr_preempt,
						gp->scan.plan.nr_resume);
		r = transact(gp, &error);
		trace_kfd_gpreempt_commit_end(gp->node->id, r);
	}
	up_read(&adev->reset_domain->sem);
	dqm_unlock(dqm);

	if (r && r != -EAGAIN)
		kfd_gpreempt_count(gp, GPREEMPT_STAT_FAILED, 1);
	if (error != GPREEMPT_EV_WORK) {
		kfd_gpreempt_event(gp, error);
		kfd_gpreempt_report_bypass(gp);
	}
	return r;
}

/**
 * kfd_gpreempt_release - mark preempted queues as to be mapped again
 * @gp: the node
 * @qpd: only queues of this process on this node, or NULL for all
 *
 * Does not touch the hardware: the next runlist has them.
 *
 * Return: the number of queues that changed.
 */
unsigned int kfd_gpreempt_release(struct kfd_gpreempt *gp,
				  struct qcm_process_device *qpd)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	struct device_process_node *dpn;
	struct queue *q;
	unsigned int n = 0;

	lockdep_assert_held(&dqm->lock_hidden);

	list_for_each_entry(dpn, &dqm->queues, list) {
		list_for_each_entry(q, &dpn->qpd->queues_list, list) {
			if (!q->properties.is_preempted || (qpd && dpn->qpd != qpd))
				continue;
			queue_resume(gp, dpn->qpd, q, GPREEMPT_REASON_OFF);
			n++;
		}
	}
	return n;
}

/**
 * kfd_gpreempt_release_remap - put preempted queues back on the hardware
 * @gp: the node
 * @qpd: only queues of this process on this node, or NULL for all
 *
 * If the scheduler is down, they are mapped when it comes up.
 */
void kfd_gpreempt_release_remap(struct kfd_gpreempt *gp,
				struct qcm_process_device *qpd)
{
	struct device_queue_manager *dqm = gp->node->dqm;

	dqm_lock(dqm);
	if (kfd_gpreempt_release(gp, qpd) &&
	    execute_queues_cpsch(dqm, KFD_UNMAP_QUEUES_FILTER_DYNAMIC_QUEUES, 0,
				 USE_DEFAULT_GRACE_PERIOD))
		dev_dbg(dqm->dev->adev->dev,
			"preempted queues wait for the next runlist\n");
	dqm_unlock(dqm);
}
