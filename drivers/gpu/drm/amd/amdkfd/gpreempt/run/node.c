// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT: life of a node; what the rest of amdkfd calls for it.
 */

#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "amdgpu.h"
#include "gpreempt/core/policy.h"
#include "gpreempt/show/show.h"
#include "gpreempt/single/single.h"

static bool enable_at_boot;
module_param_named(gpreempt, enable_at_boot, bool, 0444);
MODULE_PARM_DESC(gpreempt,
		 "Enable preemption of compute queues by priority on every node that can do it (default: off)");

static bool untested;
module_param_named(gpreempt_untested, untested, bool, 0444);
MODULE_PARM_DESC(gpreempt_untested,
		 "Let GPREEMPT be enabled on kinds of GPUs that it was never tried on (default: off)");

/* All nodes. Nothing is called inside the lock. */
static LIST_HEAD(nodes);
static DEFINE_SPINLOCK(nodes_lock);

/* How often disabling tries to put the queues back before it leaves that to others. */
#define DISABLE_TRIES	20

static const char *node_unsupported(struct kfd_node *node)
{
	const struct gpreempt_platform platform = {
		.gfx_version = node->kfd->device_info.gfx_target_version,
		.mes = node->kfd->shared_resources.enable_mes,
		.cwsr = node->kfd->cwsr_enabled,
		.vf = amdgpu_sriov_vf(node->adev),
		.owner_dares = untested,
	};

	return gpreempt_unsupported(&platform);
}

static const struct kfd_gpreempt_backend *node_backend(struct kfd_node *node)
{
	if (node->kfd->shared_resources.enable_mes)
		return &kfd_gpreempt_mes;
	if (node->dqm->sched_policy == KFD_SCHED_POLICY_NO_HWS)
		return &kfd_gpreempt_hqd;
	return &kfd_gpreempt_hws;
}

/*
 * Teach lockdep the order before anything can get it wrong: the node's lock,
 * then the monitor's completion, then the DQM lock. So waiting for the monitor
 * under the DQM lock is reported at the first attempt, not at the first hang.
 */
static void prime_lockdep(struct kfd_gpreempt *gp)
{
	static struct lock_class_key key;

	lockdep_init_map(&gp->monitor.map, "kfd_gpreempt_monitor", &key, 0);
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;
	mutex_lock(&gp->lock);
	lock_map_acquire(&gp->monitor.map);
	dqm_lock(gp->node->dqm);
	mutex_lock(&gp->account.lock);
	mutex_unlock(&gp->account.lock);
	dqm_unlock(gp->node->dqm);
	lock_map_release(&gp->monitor.map);
	mutex_unlock(&gp->lock);
}

/* What follows waits for the monitor. */
static void will_wait_for_monitor(struct kfd_gpreempt *gp)
{
	lockdep_assert_held(&gp->lock);
	lock_map_acquire(&gp->monitor.map);
	lock_map_release(&gp->monitor.map);
}

/**
 * kfd_gpreempt_init - a node has come up
 * @node: the node, its queue manager running
 *
 * A node without GPREEMPT is a complete node: this does not fail.
 */
void kfd_gpreempt_init(struct kfd_node *node)
{
	struct kfd_gpreempt *gp;

	gp = kzalloc(sizeof(*gp), GFP_KERNEL);
	if (!gp)
		return;
	gp->node = node;
	gp->backend = node_backend(node);
	gp->unsupported = node_unsupported(node);
	if (gp->backend != &kfd_gpreempt_mes)
		gp->hw = &kfd_gpreempt_gfx_v9;
	gp->policy = &gpreempt_strict;
	gp->gpu_id = node->id;
	mutex_init(&gp->lock);
	mutex_init(&gp->account.lock);
	mutex_init(&gp->groups.lock);
	INIT_WORK(&gp->state.bypass_work, kfd_gpreempt_send_bypass);
	mutex_init(&gp->doorbell.lock);
	spin_lock_init(&gp->state.lock);
	init_waitqueue_head(&gp->monitor.wait);
	init_waitqueue_head(&gp->monitor.ticked);
	INIT_LIST_HEAD(&gp->doorbell.list);
	INIT_LIST_HEAD(&gp->groups.list);
	prime_lockdep(gp);

	/* From here on the kobject frees it. */
	if (kfd_gpreempt_sysfs_add(gp)) {
		dev_warn(node->adev->dev, "no sysfs folder for GPREEMPT\n");
		kobject_put(&gp->kobj);
		return;
	}
	node->gpreempt = gp;
	spin_lock(&nodes_lock);
	list_add_tail(&gp->list, &nodes);
	spin_unlock(&nodes_lock);
	if (enable_at_boot)
		kfd_gpreempt_enable(gp);
}

/**
 * kfd_gpreempt_free - nothing refers to a node's GPREEMPT any more
 * @kobj: of &struct kfd_gpreempt, which is freed
 */
void kfd_gpreempt_free(struct kobject *kobj)
{
	struct kfd_gpreempt *gp = container_of(kobj, struct kfd_gpreempt, kobj);

	mutex_destroy(&gp->doorbell.lock);
	mutex_destroy(&gp->groups.lock);
	mutex_destroy(&gp->account.lock);
	mutex_destroy(&gp->lock);
	kfree(gp);
}

/**
 * kfd_gpreempt_fini - a node is about to go down
 * @node: the node, its queue manager still running
 *
 * Queues and doorbell mappings of processes may outlive the node; they keep
 * &struct kfd_gpreempt, but nothing reaches the node through it any more.
 */
void kfd_gpreempt_fini(struct kfd_node *node)
{
	struct kfd_gpreempt *gp = node->gpreempt;

	if (!gp)
		return;
	mutex_lock(&gp->lock);
	WRITE_ONCE(gp->dead, true);
	mutex_unlock(&gp->lock);
	/* The monitor needs the folders; nobody can start it again. */
	kfd_gpreempt_disable(gp);
	cancel_work_sync(&gp->state.bypass_work);
	spin_lock(&nodes_lock);
	list_del(&gp->list);
	spin_unlock(&nodes_lock);
	/* Waits for handlers of the files: none runs after this. */
	kfd_gpreempt_sysfs_remove(gp);
	/* The lock that kfd_gpreempt_runlist_changed() is called with. */
	dqm_lock(node->dqm);
	node->gpreempt = NULL;
	dqm_unlock(node->dqm);
	kobject_put(&gp->kobj);
}

/**
 * kfd_gpreempt_get - GPREEMPT on a node, referenced
 * @node: the node. Where it may be gone, so may its memory: it is not followed. NULL: any
 * @n: the caller passes over so many of these. Where nodes go meanwhile one may be passed over
 *     besides, none comes twice
 *
 * Return: NULL if the node has none, or is gone; or if there are no more. It may be going: see
 * @dead.
 */
struct kfd_gpreempt *kfd_gpreempt_get(const struct kfd_node *node, unsigned int n)
{
	struct kfd_gpreempt *gp;

	guard(spinlock)(&nodes_lock);
	list_for_each_entry(gp, &nodes, list) {
		if ((!node || gp->node == node) && !n--) {
			kobject_get(&gp->kobj);
			return gp;
		}
	}
	return NULL;
}

/**
 * kfd_gpreempt_wake_for - make the monitors of those nodes look where a process has a queue
 * @p: the process, which stays
 */
void kfd_gpreempt_wake_for(const struct kfd_process *p)
{
	struct kfd_gpreempt *gp;
	int i;

	/*
	 * Before queues are looked for: one that is made meanwhile wakes the monitor itself,
	 * and the scan sees what was changed.
	 */
	smp_mb();
	for (i = 0; i < p->n_pdds; i++) {
		if (!READ_ONCE(p->pdds[i]->qpd.queue_count))
			continue;
		gp = kfd_gpreempt_get(p->pdds[i]->dev, 0);
		if (!gp)
			continue;
		kfd_gpreempt_wake(gp);
		kobject_put(&gp->kobj);
	}
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
		if (gp->stopped)
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
		dqm_lock(gp->node->dqm);
		kfd_gpreempt_release(gp);
		dqm_unlock(gp->node->dqm);
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

	if (!gp)
		return;
	mutex_lock(&gp->lock);
	kfd_gpreempt_event(gp, GPREEMPT_EV_STOP);
	if (gp->monitor.thread && !gp->stopped) {
		will_wait_for_monitor(gp);
		kthread_park(gp->monitor.thread);
		dqm_lock(dqm);
		kfd_gpreempt_release(gp);
		dqm_unlock(dqm);
	}
	gp->stopped = true;
	mutex_unlock(&gp->lock);
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
	mutex_lock(&gp->lock);
	kfd_gpreempt_event(gp, GPREEMPT_EV_START);
	gp->stopped = false;
	gp->epoch++;
	if (gp->monitor.thread)
		kthread_unpark(gp->monitor.thread);
	mutex_unlock(&gp->lock);
	kfd_gpreempt_wake(gp);
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
