// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT account: statistics, tracepoints, and the report of a bypass.
 */

#include <linux/device.h>

#include "amdgpu.h"
#include "kfd_gpreempt_priv.h"

#define CREATE_TRACE_POINTS
#include "kfd_gpreempt_trace.h"

/**
 * kfd_gpreempt_count - add to a statistic
 * @gp: the node
 * @stat: which
 * @n: how much
 */
void kfd_gpreempt_count(struct kfd_gpreempt *gp, enum gpreempt_stat stat, u64 n)
{
	atomic64_add(n, &gp->stats[stat]);
}

/**
 * kfd_gpreempt_count_max - raise a statistic to a new maximum
 * @gp: the node
 * @stat: which
 * @n: the value seen
 *
 * Maxima have one writer at a time: the monitor.
 */
void kfd_gpreempt_count_max(struct kfd_gpreempt *gp, enum gpreempt_stat stat,
			    u64 n)
{
	if (n > atomic64_read(&gp->stats[stat]))
		atomic64_set(&gp->stats[stat], n);
}

/**
 * kfd_gpreempt_count_fence - account one preemption's time to its fence
 * @gp: the node
 * @ns: the time
 */
void kfd_gpreempt_count_fence(struct kfd_gpreempt *gp, u64 ns)
{
	u64 min = atomic64_read(&gp->stats[GPREEMPT_STAT_FENCE_NS_MIN]);

	kfd_gpreempt_count(gp, GPREEMPT_STAT_FENCE_NS, ns);
	kfd_gpreempt_count_max(gp, GPREEMPT_STAT_FENCE_NS_MAX, ns);
	if (!min || ns < min)
		atomic64_set(&gp->stats[GPREEMPT_STAT_FENCE_NS_MIN], ns);
}

static bool sees_inversion(const struct gpreempt_view *view)
{
	int waiting = -1, running = GPREEMPT_BOOST + 1;
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		const struct gpreempt_queue_view *v = &view->q[i];

		if (v->state == GPREEMPT_RUNNABLE && v->wants)
			waiting = max_t(int, waiting, v->effective);
		if (v->state == GPREEMPT_RUNNING && v->mapped)
			running = min_t(int, running, v->effective);
	}
	return waiting > running;
}

/**
 * kfd_gpreempt_account_scan - count, trace and keep what a scan has shown
 * @gp: the node, with a decided plan
 */
void kfd_gpreempt_account_scan(struct kfd_gpreempt *gp)
{
	const struct gpreempt_view *view = &gp->scan.view;
	const struct gpreempt_plan *plan = &gp->scan.plan;
	u64 ns = ktime_get_ns() - view->now_ns;
	unsigned int i;

	kfd_gpreempt_count(gp, GPREEMPT_STAT_SCANS, 1);
	kfd_gpreempt_count(gp, GPREEMPT_STAT_SCAN_NS, ns);
	kfd_gpreempt_count_max(gp, GPREEMPT_STAT_SCAN_NS_MAX, ns);
	trace_kfd_gpreempt_scan(gp->node->id, view->nr, view->waves_final, ns);
	if (sees_inversion(view))
		kfd_gpreempt_count(gp, GPREEMPT_STAT_INVERSIONS, 1);

	mutex_lock(&gp->last_lock);
	for (i = 0; i < view->nr; i++) {
		const struct kfd_gpreempt_scan_queue *sq = &gp->scan.queues[i];
		const struct gpreempt_queue_view *v = &view->q[i];
		struct gpreempt_queue_view *last = &sq->gpq->last;

		if (v->state == GPREEMPT_BLOCKED &&
		    last->state != GPREEMPT_BLOCKED)
			kfd_gpreempt_count(gp, GPREEMPT_STAT_BLOCKED, 1);
		if (v->effective == GPREEMPT_BOOST &&
		    last->effective != GPREEMPT_BOOST)
			kfd_gpreempt_count(gp, GPREEMPT_STAT_STARVED, 1);
		if (plan->verdict[i] != GPREEMPT_KEEP)
			trace_kfd_gpreempt_decision(gp->node->id, sq->gpq->pid,
						    sq->queue_id, v,
						    plan->verdict[i]);
		*last = *v;
		sq->gpq->last_ns = view->now_ns;
	}
	mutex_unlock(&gp->last_lock);
}

/**
 * kfd_gpreempt_report_bypass - say that and why the monitor gave up
 * @gp: the node
 *
 * One line in the log, and a uevent of the kfd device for whoever watches.
 */
void kfd_gpreempt_report_bypass(struct kfd_gpreempt *gp)
{
	char gpu_id[40], reason[64];
	char *envp[] = { gpu_id, "GPREEMPT_STATE=bypassed", reason, NULL };
	const char *name;

	spin_lock(&gp->machine_lock);
	name = gpreempt_bypass_name(gp->machine.bypass);
	spin_unlock(&gp->machine_lock);

	dev_warn(gp->node->adev->dev,
		 "GPREEMPT bypassed on node %u: %s, no queue is preempted\n",
		 gp->node->id, name);
	snprintf(gpu_id, sizeof(gpu_id), "GPREEMPT_GPU_ID=%u", gp->node->id);
	snprintf(reason, sizeof(reason), "GPREEMPT_REASON=%s", name);
	kobject_uevent_env(&kfd_device->kobj, KOBJ_CHANGE, envp);
}
