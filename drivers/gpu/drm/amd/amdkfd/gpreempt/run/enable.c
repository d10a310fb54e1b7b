// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT enable: start and stop a node's monitor, for the administrator and with the scheduler.
 */

#include <linux/delay.h>
#include <linux/kthread.h>

#include "amdgpu.h"
#include "commit.h"

/* How often disabling tries to put the queues back before it leaves that to others. */
#define DISABLE_TRIES	20

/* What follows waits for the monitor. */
static void will_wait_for_monitor(struct kfd_gpreempt *gp)
{
	lockdep_assert_held(&gp->lock);
	lock_map_acquire(&gp->monitor.map);
	lock_map_release(&gp->monitor.map);
}

/**
 * kfd_gpreempt_enable - start the monitor, or re-arm it after a bypass
 * @gp: the node
 *
 * Return: 0, -EOPNOTSUPP if the node cannot do it (one log line says why), -EBUSY while a hung
 * scheduler waits for its reset, -ENODEV when the node is going, or an error of kthread_create().
 */
int kfd_gpreempt_enable(struct kfd_gpreempt *gp)
{
	struct task_struct *thread;
	int r = 0;

	if (gp->unsupported) {
		dev_notice(gp->node->adev->dev, "GPREEMPT on node %u: %s\n", gp->gpu_id,
			   gp->unsupported);
		return -EOPNOTSUPP;
	}

	/* Before the lock: see @lock in struct kfd_gpreempt. */
	thread = kthread_create(kfd_gpreempt_monitor, gp, "gpreempt/%u", gp->node->id);
	if (IS_ERR(thread))
		return PTR_ERR(thread);

	mutex_lock(&gp->lock);
	if (gp->dead) {
		r = -ENODEV;
	} else if (kfd_gpreempt_event(gp, GPREEMPT_EV_ENABLE) == GPREEMPT_BYPASSED) {
		r = -EBUSY;
		if (!gp->monitor.thread)
			kfd_gpreempt_event(gp, GPREEMPT_EV_DISABLE);
	} else if (!gp->monitor.thread) {
		gp->epoch++;
		memset(gp->account.latencies, 0, sizeof(gp->account.latencies));
		WRITE_ONCE(gp->monitor.thread, thread);
		thread = NULL;
		if (gp->state.facts.stopped)
			kthread_park(gp->monitor.thread);
		else
			wake_up_process(gp->monitor.thread);
	}
	mutex_unlock(&gp->lock);

	if (thread)
		kthread_stop(thread);	/* it was enabled already, or may not be */
	kfd_gpreempt_wake(gp);
	return r;
}

/**
 * kfd_gpreempt_disable - stop the monitor and resume every queue
 * @gp: the node
 *
 * Rule 5, off means off. Queues that cannot be put back in time are marked for the next runlist,
 * and the reason of the bypass says so.
 */
void kfd_gpreempt_disable(struct kfd_gpreempt *gp)
{
	unsigned int tries;
	int r = 0;

	mutex_lock(&gp->lock);
	kfd_gpreempt_event(gp, GPREEMPT_EV_DISABLE);
	if (gp->monitor.thread) {
		will_wait_for_monitor(gp);
		kthread_stop(gp->monitor.thread);
		WRITE_ONCE(gp->monitor.thread, NULL);
		r = kfd_gpreempt_give_back(gp);
	}
	/* There is no monitor any more to do it later; unless somebody has enabled it again. */
	for (tries = 0; r && tries < DISABLE_TRIES; tries++) {
		mutex_unlock(&gp->lock);
		msleep(GPREEMPT_MAP_AGAIN_MS);
		mutex_lock(&gp->lock);
		r = gp->monitor.thread ? 0 : kfd_gpreempt_give_back(gp);
	}
	if (r) {
		scoped_guard(kfd_gpreempt_dqm, gp->node->dqm)
			kfd_gpreempt_release(gp);
		kfd_gpreempt_event(gp, GPREEMPT_EV_MAP);
		dev_warn(gp->node->adev->dev, "GPREEMPT on node %u: queues were not put back: %d\n",
			 gp->gpu_id, r);
	}
	mutex_unlock(&gp->lock);
}

/**
 * kfd_gpreempt_stop - the scheduler is about to stop
 * @dqm: its queue manager; the DQM lock is not held
 *
 * Rule 5, off means off: for reset, suspend and teardown alike the monitor is parked,
 * and no queue stays preempted. The hardware is not touched: all is unmapped now anyway.
 * Held queues are taken off again when the scheduler has come up.
 */
void kfd_gpreempt_stop(struct device_queue_manager *dqm)
{
	struct kfd_gpreempt *gp = dqm->dev->gpreempt;
	bool runs;

	if (!gp)
		return;
	guard(mutex)(&gp->lock);
	runs = gp->monitor.thread && !gp->state.facts.stopped;
	kfd_gpreempt_event(gp, GPREEMPT_EV_STOP);
	if (runs) {
		will_wait_for_monitor(gp);
		kthread_park(gp->monitor.thread);
		scoped_guard(kfd_gpreempt_dqm, dqm)
			kfd_gpreempt_release(gp);
	}
}

/**
 * kfd_gpreempt_start - the scheduler has come up
 * @dqm: its queue manager; the DQM lock is not held
 */
void kfd_gpreempt_start(struct device_queue_manager *dqm)
{
	struct kfd_gpreempt *gp = dqm->dev->gpreempt;

	if (!gp)
		return;
	guard(mutex)(&gp->lock);
	kfd_gpreempt_event(gp, GPREEMPT_EV_START);
	gp->epoch++;
	if (gp->monitor.thread)
		kthread_unpark(gp->monitor.thread);
	kfd_gpreempt_wake(gp);
}
