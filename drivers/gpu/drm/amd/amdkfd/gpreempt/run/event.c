// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT events: change the state of a node, report it, and wake its monitor and those that wait.
 */

#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>

#include "amdgpu.h"
#include "queue.h"
#include "trace.h"

/**
 * kfd_gpreempt_send_bypass - send the uevent of a bypass
 * @work: &kfd_gpreempt.state.bypass_work
 *
 * Sending allocates, so the monitor must not: a reset waits for it, and memory may for the reset.
 */
void kfd_gpreempt_send_bypass(struct work_struct *work)
{
	struct kfd_gpreempt *gp = container_of(work, struct kfd_gpreempt, state.bypass_work);
	char gpu_id[40], reason[64];
	char *envp[] = { gpu_id, "GPREEMPT_STATE=bypassed", reason, NULL };

	snprintf(gpu_id, sizeof(gpu_id), "GPREEMPT_GPU_ID=%u", gp->node->id);
	snprintf(reason, sizeof(reason), "GPREEMPT_REASON=%s", READ_ONCE(gp->state.bypass_name));
	/* kfd_device itself may be gone already, when the module is unloaded. */
	kobject_uevent_env(gp->kobj.parent->parent, KOBJ_CHANGE, envp);
}

/* The monitor gave up: one line in the log, and a uevent of the kfd device for those that watch. */
static void report_bypass(struct kfd_gpreempt *gp, const char *name)
{
	trace_kfd_gpreempt_bypass(gp->node->id, name);
	dev_warn(gp->node->adev->dev, "GPREEMPT bypassed on node %u: %s, no queue is preempted\n",
		 gp->node->id, name);
	WRITE_ONCE(gp->state.bypass_name, name);
	schedule_work(&gp->state.bypass_work);
}

/**
 * kfd_gpreempt_event - change a node's state as an event demands
 * @gp: the node
 * @event: what happened
 *
 * Return: the new state.
 */
enum gpreempt_state kfd_gpreempt_event(struct kfd_gpreempt *gp, enum gpreempt_event event)
{
	enum gpreempt_state before, after;
	enum gpreempt_bypass bypass;
	const char *gave_up = NULL;
	u64 ms;

	spin_lock(&gp->state.lock);
	before = gpreempt_state(&gp->state.facts);
	bypass = gp->state.facts.bypass;
	gpreempt_event(&gp->state.facts, event);
	after = gpreempt_state(&gp->state.facts);
	/* When is a bypass that has begun, or another one, to end by itself? */
	if (bypass != gp->state.facts.bypass) {
		ms = gpreempt_rearm_ms(&gp->state.facts);
		WRITE_ONCE(gp->state.rearm_ns, ms ? ktime_get_ns() + ms * NSEC_PER_MSEC : 0);
		if (after == GPREEMPT_BYPASSED)
			gave_up = gpreempt_bypass_names[gp->state.facts.bypass];
	}
	if (before != after) {
		trace_kfd_gpreempt_state(gp->node->id, gpreempt_state_names[after]);
		kfd_gpreempt_ticked(gp);
	}
	spin_unlock(&gp->state.lock);
	if (gave_up)
		report_bypass(gp, gave_up);
	return after;
}

/**
 * kfd_gpreempt_kick - make the monitor look at once, though not at those that are off as they idle
 * @gp: the node; its &kfd_gpreempt.node may be gone
 */
void kfd_gpreempt_kick(struct kfd_gpreempt *gp)
{
	atomic64_cmpxchg(&gp->monitor.woken_ns, 0, ktime_get_ns());
	WRITE_ONCE(gp->monitor.kick, true);
	wake_up(&gp->monitor.wait);
}

/**
 * kfd_gpreempt_wake - make the monitor look at all queues at once
 * @gp: the node; its &kfd_gpreempt.node may be gone
 */
void kfd_gpreempt_wake(struct kfd_gpreempt *gp)
{
	/* Before kick: a scan that clears that sees this. */
	smp_store_mb(gp->monitor.all, true);
	kfd_gpreempt_kick(gp);
}

/**
 * kfd_gpreempt_wake_for - make the monitors of those nodes look where a process has made queues
 * @p: the process, which stays
 */
void kfd_gpreempt_wake_for(const struct kfd_process *p)
{
	const struct kfd_gpreempt_client *client;
	int i;

	/*
	 * Before clients are looked for: a first queue that is made meanwhile wakes the monitor
	 * itself, and the scan sees what was changed.
	 */
	smp_mb();
	for (i = 0; i < p->n_pdds; i++) {
		/* See client_get(). */
		client = smp_load_acquire(&p->pdds[i]->gpreempt);
		if (client)
			kfd_gpreempt_wake(client->gp);
	}
}

/**
 * kfd_gpreempt_runlist_changed - there is, or may be, another set of queues
 * @dqm: the queue manager, its lock held
 */
void kfd_gpreempt_runlist_changed(struct device_queue_manager *dqm)
{
	struct kfd_gpreempt *gp = dqm->dev->gpreempt;

	/* The monitor's own commits come here too: it need not wake itself. */
	if (gp && READ_ONCE(gp->monitor.thread) != current)
		kfd_gpreempt_wake(gp);
}

/* How often a parked node is looked at, at most, however many read what its queues do. */
#define LOOK_EVERY_NS	(100 * NSEC_PER_MSEC)
/* A monitor that does not run, as during a reset, is waited for no longer. */
#define LOOK_MS		10

/**
 * kfd_gpreempt_look - have a parked monitor scan once, for somebody who reads what queues do
 * @gp: the node; no lock may be held that the monitor takes
 */
void kfd_gpreempt_look(struct kfd_gpreempt *gp)
{
	u64 now_ns = ktime_get_ns(), looked_ns = atomic64_read(&gp->monitor.looked_ns);

	if (kfd_gpreempt_state(gp) != GPREEMPT_PARKED || now_ns - looked_ns < LOOK_EVERY_NS ||
	    atomic64_cmpxchg(&gp->monitor.looked_ns, looked_ns, now_ns) != looked_ns)
		return;
	WRITE_ONCE(gp->monitor.look, true);
	kfd_gpreempt_wake(gp);
	wait_event_interruptible_timeout(gp->monitor.ticked, !READ_ONCE(gp->monitor.look),
					 msecs_to_jiffies(LOOK_MS));
}

/**
 * kfd_gpreempt_ticked - let callers that wait for an outcome look
 * @gp: the node
 *
 * Callers of the ioctl wait exclusively: one is woken here, and wakes the next.
 */
void kfd_gpreempt_ticked(struct kfd_gpreempt *gp)
{
	atomic_inc_return_release(&gp->monitor.ticks);
	wake_up(&gp->monitor.ticked);
}
