// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT: life of a node; what the rest of amdkfd calls for it.
 */

#include <linux/module.h>
#include <linux/slab.h>

#include "amdgpu.h"
#include "gpreempt/core/policy.h"
#include "gpreempt/show/show.h"
#include "commit.h"

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

static const struct kfd_gpreempt_backend *node_backend(struct kfd_node *node)
{
	if (node->kfd->shared_resources.enable_mes)
		return &kfd_gpreempt_mes;
	if (node->dqm->sched_policy == KFD_SCHED_POLICY_NO_HWS)
		return &kfd_gpreempt_hqd;
	return &kfd_gpreempt_hws;
}

/* NULL: the waves of such a GPU are not counted. */
static const struct kfd_gpreempt_hw *node_hw(struct kfd_node *node)
{
	u32 gc = KFD_GC_VERSION(node);

	if (gc < IP_VERSION(10, 0, 0))
		return &kfd_gpreempt_gfx_v9;
	if (gc >= IP_VERSION(11, 0, 0) && gc < IP_VERSION(12, 0, 0))
		return &kfd_gpreempt_gfx_v11;
	return NULL;
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
	guard(mutex)(&gp->lock);
	lock_map_acquire(&gp->monitor.map);
	scoped_guard(kfd_gpreempt_dqm, gp->node->dqm)
		might_lock(&gp->account.lock);
	lock_map_release(&gp->monitor.map);
}

static void node_free(struct kobject *kobj)
{
	kfree(container_of(kobj, struct kfd_gpreempt, kobj));
}

static const struct kobj_type node_ktype = {
	.release = node_free,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = kfd_gpreempt_groups,
};

/**
 * kfd_gpreempt_init - a node has come up
 * @node: the node, its queue manager running
 *
 * A node without GPREEMPT is a complete node: this does not fail.
 */
void kfd_gpreempt_init(struct kfd_node *node)
{
	const struct gpreempt_platform platform = {
		.gfx_version = node->kfd->device_info.gfx_target_version,
		.mes = node->kfd->shared_resources.enable_mes,
		.cwsr = node->kfd->cwsr_enabled,
		.vf = amdgpu_sriov_vf(node->adev),
		.owner_dares = untested,
	};
	struct kfd_gpreempt *gp = kzalloc(sizeof(*gp), GFP_KERNEL);

	if (!gp)
		return;
	gp->node = node;
	gp->backend = node_backend(node);
	gp->unsupported = gpreempt_unsupported(&platform);
	gp->hw = node_hw(node);
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
	kfd_gpreempt_grace_init(gp);
	prime_lockdep(gp);

	/* From here on the kobject frees it. */
	kobject_init(&gp->kobj, &node_ktype);
	if (kfd_gpreempt_sysfs_add(gp)) {
		dev_warn(node->adev->dev, "no sysfs folder for GPREEMPT\n");
		kobject_put(&gp->kobj);
		return;
	}
	node->gpreempt = gp;
	scoped_guard(spinlock, &nodes_lock)
		list_add_tail(&gp->list, &nodes);
	if (enable_at_boot)
		kfd_gpreempt_enable(gp);
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
	scoped_guard(mutex, &gp->lock)
		WRITE_ONCE(gp->dead, true);
	/* The monitor needs the folders; nobody can start it again. */
	kfd_gpreempt_disable(gp);
	cancel_work_sync(&gp->state.bypass_work);
	scoped_guard(spinlock, &nodes_lock)
		list_del(&gp->list);
	/* Waits for handlers of the files: none runs after this. */
	kfd_gpreempt_sysfs_remove(gp);
	/* The lock that kfd_gpreempt_runlist_changed() is called with. */
	scoped_guard(kfd_gpreempt_dqm, node->dqm)
		node->gpreempt = NULL;
	kobject_put(&gp->kobj);
}
