// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT commit: the only room that changes queue state. What the back ends
 * share is here; how queues get off the hardware and back is in hws.c (runlist)
 * and, for those that take one queue at a time, in single.c.
 */

#include <linux/math64.h>
#include <linux/timekeeping.h>

#include "amdgpu.h"
#include "amdgpu_reset.h"
#include "commit.h"
#include "queue.h"
#include "trace.h"
#include "kfd_smi_events.h"

/**
 * kfd_gpreempt_queue_off - a queue has been taken off the hardware
 * @gp: the node
 * @qpd: the queue's process on this node
 * @q: the queue
 * @save_ns: how long that took, for all that left with it
 */
void kfd_gpreempt_queue_off(struct kfd_gpreempt *gp,
			    struct qcm_process_device *qpd, struct queue *q, u64 save_ns)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;

	q->properties.is_preempted = true;
	q->properties.is_active = false;
	decrement_queue_count(gp->node->dqm, qpd, q);

	gpq->off.bare = gpq->view.out.reason == GPREEMPT_REASON_IDLE;
	gpq->off.saved |= !gpq->off.bare;
	gpq->off.since_ns = ktime_get_ns();
	gpq->off.times++;
	gpq->off.save_ns = save_ns;
	kfd_gpreempt_was_off(&gpq->terms);
	atomic64_inc(&gp->account.level_preemptions[kfd_gpreempt_queue_priority(gp, q)]);
	kfd_gpreempt_count(gp, PREEMPTIONS, 1);
	trace_kfd_gpreempt_preempt_end(gpq, gpq->view.out.reason, save_ns);
	kfd_smi_event_queue_preempt(gp->node, q->process);
}

/**
 * kfd_gpreempt_queue_on - resume a queue
 * @gp: the node
 * @qpd: the queue's process on this node
 * @q: the queue; if it is active afterwards, it has to be mapped
 * @reason: why; with any but %GPREEMPT_REASON_OFF the monitor carries out a verdict
 */
void kfd_gpreempt_queue_on(struct kfd_gpreempt *gp, struct qcm_process_device *qpd, struct queue *q,
			   enum gpreempt_reason reason)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	u64 now_ns = ktime_get_ns();
	u64 preempted_ns = now_ns - gpq->off.since_ns;

	q->properties.is_preempted = false;
	gpq->off.bare = false;
	gpq->off.back_ns = now_ns;
	/* Evicted, suspended or switched off meanwhile: it stays off. */
	if (QUEUE_IS_ACTIVE(q->properties)) {
		q->properties.is_active = true;
		increment_queue_count(gp->node->dqm, qpd, q);
	}

	if (reason != GPREEMPT_REASON_OFF)
		gpq->memory.resident_ns = now_ns;
	gpq->off.total_ns += preempted_ns;
	kfd_gpreempt_count(gp, RESUMES, 1);
	trace_kfd_gpreempt_resume(gpq, reason, preempted_ns);
	kfd_smi_event_queue_resume(gp->node, q->process);
}

/**
 * kfd_gpreempt_verdict - what is to be done with a queue, if that still holds
 * @q: the queue; DQM lock held
 */
enum gpreempt_verdict kfd_gpreempt_verdict(const struct queue *q)
{
	const struct kfd_gpreempt_queue *gpq = q->gpreempt;

	if (!gpq)
		return GPREEMPT_KEEP;
	if (gpq->view.out.verdict == GPREEMPT_PREEMPT && q->properties.is_active &&
	    !kfd_gpreempt_queue_pinned(q))
		return GPREEMPT_PREEMPT;
	/* A hold may have come since; a trial comes before it. */
	if (gpq->view.out.verdict == GPREEMPT_RESUME && q->properties.is_preempted &&
	    (!gpq->terms.hold.held || gpq->suspect.role == GPREEMPT_TRIED))
		return GPREEMPT_RESUME;
	return GPREEMPT_KEEP;
}

/**
 * kfd_gpreempt_process_off - has a process left the runlist, as it is idle?
 * @qpd: the process on a node; DQM lock held
 *
 * Not while a queue of another kind is there, for which it needs its VMID.
 */
bool kfd_gpreempt_process_off(const struct qcm_process_device *qpd)
{
	const struct queue *q;
	bool off = false;

	list_for_each_entry(q, &qpd->queues_list, list) {
		if (q->properties.is_active)
			return false;
		off |= q->properties.is_preempted && q->gpreempt->off.bare;
	}
	return off && list_empty(&qpd->priv_queue_list);
}

/**
 * kfd_gpreempt_processes_off - how many have?
 * @dqm: the queue manager, its lock held
 */
unsigned int kfd_gpreempt_processes_off(const struct device_queue_manager *dqm)
{
	const struct device_process_node *dpn;
	unsigned int n = 0;

	list_for_each_entry(dpn, &dqm->queues, list)
		n += kfd_gpreempt_process_off(dpn->qpd);
	return n;
}

/* How many verdicts hold, and of these how many are to preempt. */
static unsigned int count_verdicts(struct kfd_gpreempt *gp, unsigned int *preempt)
{
	struct device_process_node *dpn;
	unsigned int n = 0;
	struct queue *q;

	*preempt = 0;
	kfd_gpreempt_for_each(q, dpn, gp->node->dqm) {
		enum gpreempt_verdict verdict = kfd_gpreempt_verdict(q);

		n += verdict != GPREEMPT_KEEP;
		if (verdict != GPREEMPT_PREEMPT)
			continue;
		++*preempt;
		trace_kfd_gpreempt_preempt_begin(q->gpreempt, q->gpreempt->view.out.reason, 0);
	}
	return n;
}

/*
 * May a transaction be started? Not while the scheduler is down, and not into
 * one that has hung, when a reset is already asked for.
 */
static bool may_transact(struct device_queue_manager *dqm)
{
	return dqm->sched_running && !dqm->sched_halt && !dqm->is_hws_hang &&
	       !kfd_reset_pending(dqm);
}

/**
 * kfd_gpreempt_answered - the fence of a request to take queues off has come
 * @dqm: the queue manager, its lock held
 *
 * The save ends here, because the time that stock takes before it returns is not the queues' fault:
 * from Linux 7.3 on it reads hundreds of registers.
 */
void kfd_gpreempt_answered(struct device_queue_manager *dqm)
{
	if (dqm->dev->gpreempt)
		dqm->dev->gpreempt->saves.answered_ns = ktime_get_ns();
}

/**
 * kfd_gpreempt_save_took - the GPU has answered a request to take queues off
 * @gp: the node, DQM lock held
 * @search: sums up the delays: the node's, or that of the only process with queues that leave
 * @preempt: how many queues leave, 0 if the list is only changed
 * @ns: the time it took
 *
 * Return: is there a queue to be searched for that delays such answers?
 */
bool kfd_gpreempt_save_took(struct kfd_gpreempt *gp, struct gpreempt_search *search,
			    unsigned int preempt, u64 ns)
{
	u64 late_ns = (u64)READ_ONCE(gp->tunables.preempt_timeout_ms) * NSEC_PER_MSEC;
	u64 slow_ns = (u64)READ_ONCE(gp->slow_save_ms) * NSEC_PER_MSEC;

	kfd_gpreempt_account_save(gp, preempt, ns, ns > late_ns);
	/* Announced work is made room for by so much earlier: no slow save may make that long. */
	if (preempt && ns <= min(slow_ns, late_ns))
		ewma_gpreempt_ns_add(&gp->saves.mean_ns, ns);
	return gpreempt_search_delayed(search, preempt, ktime_get_ns(), ns, slow_ns, late_ns);
}

/**
 * kfd_gpreempt_commit - carry out the verdicts of the monitor's scan
 * @gp: the node
 * @event: out: what that means for the state; untouched if nothing
 *
 * The scan is some time ago: each verdict is checked against the queue as it
 * is now. While a culprit is searched for it ends a trial.
 *
 * Return: 0, -EAGAIN if the scheduler is down or being reset, or what the
 * failed transaction returned.
 */
int kfd_gpreempt_commit(struct kfd_gpreempt *gp, enum gpreempt_event *event)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	struct amdgpu_device *adev = gp->node->adev;
	unsigned int preempt;
	int r = 0;

	guard(kfd_gpreempt_dqm)(dqm);
	if (!may_transact(dqm) || !down_read_trylock(&adev->reset_domain->sem))
		return -EAGAIN;
	if (count_verdicts(gp, &preempt) || gp->saves.search.on)
		r = gp->backend->transact(gp, preempt, event);
	up_read(&adev->reset_domain->sem);
	return r;
}

/**
 * kfd_gpreempt_exclude - a queue delays its saves: keep it off for some time
 * @gp: the node, DQM lock held
 * @q: the queue
 *
 * Its waves keep what they have done; it is the one queue that may starve.
 */
void kfd_gpreempt_exclude(struct kfd_gpreempt *gp, struct queue *q)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	u64 now_ns = ktime_get_ns(), ns;

	gpreempt_keep_off(&gpq->suspect, &gpq->group->past, now_ns);
	ns = gpq->suspect.until_ns - now_ns;
	kfd_gpreempt_count(gp, EXCLUDED, 1);
	trace_kfd_gpreempt_excluded(gpq, GPREEMPT_REASON_LATE, ns);
	dev_warn_ratelimited(gp->node->adev->dev,
			     "GPREEMPT on node %u: queue %u of process %d delays its preemption, kept off for %llu s\n",
			     gp->node->id, q->properties.queue_id, gpq->pid,
			     div_u64(ns, NSEC_PER_SEC));
}

/**
 * kfd_gpreempt_release - mark preempted queues as to be mapped again
 * @gp: the node, DQM lock held
 *
 * Does not touch the hardware: the next runlist has them. A hold stays in force: the monitor takes
 * its queue off again when it goes on.
 */
void kfd_gpreempt_release(struct kfd_gpreempt *gp)
{
	struct device_process_node *dpn;
	struct queue *q;

	lockdep_assert_held(&gp->node->dqm->lock_hidden);

	gp->saves.search = (struct gpreempt_search) {};
	kfd_gpreempt_for_each(q, dpn, gp->node->dqm) {
		if (!q->gpreempt)
			continue;
		kfd_gpreempt_was_off(&q->gpreempt->terms);
		q->gpreempt->suspect.role = GPREEMPT_UNSUSPECTED;
		if (q->properties.is_preempted)
			kfd_gpreempt_queue_on(gp, dpn->qpd, q, GPREEMPT_REASON_OFF);
	}
}

/*
 * Forget requests of all queues. No queue, nor one that its process makes later, is kept off for
 * slow saves any more either. Returns whether one of them is preempted.
 */
static bool forget(struct kfd_gpreempt *gp)
{
	struct device_process_node *dpn;
	struct kfd_gpreempt_group *g;
	bool preempted = false;
	struct queue *q;

	scoped_guard(mutex, &gp->groups.lock)
		list_for_each_entry(g, &gp->groups.list, list) {
			WRITE_ONCE(g->past.end_ns, 0);
			g->saves = (struct gpreempt_search) {};
		}

	kfd_gpreempt_for_each(q, dpn, gp->node->dqm) {
		if (!q->gpreempt)
			continue;
		kfd_gpreempt_forget(q->gpreempt);
		q->gpreempt->suspect.until_ns = 0;
		preempted |= q->properties.is_preempted;
	}
	return preempted;
}

/**
 * kfd_gpreempt_give_back - forget what was asked of queues, and put them back on the hardware
 * @gp: the node
 *
 * Leaves alone a scheduler that is down, hung or being reset: bringing it up maps all queues.
 *
 * Return: 0, or an error if the caller must try again: nothing was changed then, or
 * kfd_gpreempt_map_again() has to map the rest.
 */
int kfd_gpreempt_give_back(struct kfd_gpreempt *gp)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	int r = 0;

	scoped_guard(kfd_gpreempt_dqm, dqm)
		if (forget(gp)) {
			if (may_transact(dqm))
				r = gp->backend->give_back(gp);
			else
				kfd_gpreempt_release(gp);
		}
	return r ?: kfd_gpreempt_map_again(gp);
}

/**
 * kfd_gpreempt_map_again - map what should be mapped, if nothing is
 * @gp: the node
 *
 * Nothing is mapped after a runlist that found no memory; map_queues_cpsch() has woken the monitor
 * before. Leaves alone a scheduler that is down, hung or being reset: bringing it up maps all
 * queues. Each tick calls this, so it takes the DQM lock only if there is something to do: a tenant
 * may hold that up.
 *
 * Return: 0, or an error if the caller must try again.
 */
int kfd_gpreempt_map_again(struct kfd_gpreempt *gp)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	struct amdgpu_device *adev = gp->node->adev;
	int r = 0;

	if (!gp->backend->map || READ_ONCE(dqm->active_runlist) ||
	    !READ_ONCE(dqm->active_queue_count))
		return 0;
	guard(kfd_gpreempt_dqm)(dqm);
	if (may_transact(dqm) && down_read_trylock(&adev->reset_domain->sem)) {
		r = gp->backend->map(gp);
		up_read(&adev->reset_domain->sem);
	}
	return r;
}
