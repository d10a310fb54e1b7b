// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT commit, one queue at a time: the common part of the back ends hqd and mes.
 *
 * No other queue is disturbed. A queue changes its flags when it is off, and
 * before it is put back, so that one whose removal failed stays what it was.
 */

#include <linux/timekeeping.h>

#include "amdgpu.h"
#include "gpreempt/run/commit.h"
#include "gpreempt/run/queue.h"

static int put_back(struct kfd_gpreempt *gp, struct qcm_process_device *qpd, struct queue *q)
{
	/* Evicted or suspended meanwhile: the restore or the resume puts it back. */
	if (!q->properties.is_active || !gp->node->dqm->sched_running)
		return 0;
	return gp->backend->add(gp->node->dqm, q, qpd);
}

/**
 * kfd_gpreempt_single_give_back - put preempted queues back on the hardware
 * @gp: the node, DQM lock held
 *
 * Return: 0, or the first error; the other queues are put back all the same.
 */
int kfd_gpreempt_single_give_back(struct kfd_gpreempt *gp)
{
	struct device_process_node *dpn;
	struct queue *q;
	int r = 0, err;

	kfd_gpreempt_for_each(q, dpn, gp->node->dqm) {
		if (!q->properties.is_preempted)
			continue;
		kfd_gpreempt_queue_on(gp, dpn->qpd, q, GPREEMPT_REASON_OFF);
		err = put_back(gp, dpn->qpd, q);
		r = r ?: err;
	}
	return r;
}

static int take_off(struct kfd_gpreempt *gp, struct qcm_process_device *qpd,
		    struct queue *q, enum gpreempt_event *error)
{
	u64 start_ns = ktime_get_ns(), ns;
	int r = gp->backend->remove(gp->node->dqm, q, qpd);

	ns = ktime_get_ns() - start_ns;
	if (r == -EIO)
		return -EAGAIN;		/* a reset came first */
	if (r) {
		*error = GPREEMPT_EV_HANG;
		return r;
	}
	kfd_gpreempt_count(gp, TRANSACTIONS, 1);
	/* Stock has reset it to get it off: it is counted, and does not come back. */
	if (!q->properties.is_active)
		return 0;
	kfd_gpreempt_queue_off(gp, qpd, q, ns);
	if (!kfd_gpreempt_save_took(gp, &q->gpreempt->group->saves, 1, ns))
		return 0;
	/* Nothing else was saved meanwhile: it is to blame. The others may be as slow. */
	if (!gp->hw || gp->hw->has_saved(q))
		kfd_gpreempt_exclude(gp, q);
	return -EAGAIN;
}

static int carry_out(struct kfd_gpreempt *gp, enum gpreempt_verdict verdict,
		     enum gpreempt_event *error)
{
	struct device_process_node *dpn;
	struct queue *q;
	int r = 0;

	kfd_gpreempt_for_each(q, dpn, gp->node->dqm) {
		if (kfd_gpreempt_verdict(q) != verdict)
			continue;
		if (verdict == GPREEMPT_PREEMPT) {
			r = take_off(gp, dpn->qpd, q, error);
		} else {
			kfd_gpreempt_count(gp, TRANSACTIONS, 1);
			kfd_gpreempt_queue_on(gp, dpn->qpd, q, q->gpreempt->view.out.reason);
			r = put_back(gp, dpn->qpd, q);
			if (r)
				*error = GPREEMPT_EV_MAP;
		}
		if (r || *error != GPREEMPT_EV_WORK)
			return r;
	}
	return 0;
}

/**
 * kfd_gpreempt_single_transact - carry out the verdicts, victims first
 * @gp: the node, DQM lock and reset semaphore held
 * @preempt: not of interest
 * @error: out: what went wrong
 *
 * After an error nothing stays preempted. Where the scheduler did not do as it
 * was told, queues are only marked: the reset that was asked for puts them back.
 *
 * Return: 0, or the error.
 */
int kfd_gpreempt_single_transact(struct kfd_gpreempt *gp, unsigned int preempt,
				 enum gpreempt_event *error)
{
	int r = carry_out(gp, GPREEMPT_PREEMPT, error);

	if (!r && *error == GPREEMPT_EV_WORK)
		r = carry_out(gp, GPREEMPT_RESUME, error);
	if (*error != GPREEMPT_EV_WORK)
		kfd_gpreempt_release(gp);
	return r;
}
