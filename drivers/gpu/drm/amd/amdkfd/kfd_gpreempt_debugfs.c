// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT debugfs: kfd/gpreempt/<gpu_id>, what the last scan saw of each queue.
 * Not ABI. Reads no register and no user memory.
 */

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "kfd_gpreempt_priv.h"

static struct dentry *gpreempt_root;

static const char *queue_state_name(enum gpreempt_queue_state state)
{
	/* The order of enum gpreempt_queue_state. */
	static const char * const names[] = {
		"idle", "running", "runnable", "blocked", "unknown",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

static const char *mapping_name(const struct queue *q)
{
	if (q->properties.is_preempted)
		return "preempted";
	return q->properties.is_active ? "mapped" : "off";
}

static void show_queue(struct seq_file *m, const struct queue *q, u64 now_ns)
{
	const struct kfd_gpreempt_queue *gpq = q->gpreempt;
	const struct gpreempt_queue_view *v = &gpq->last;
	u64 preempted_ns = gpq->preempted_total_ns;

	if (q->properties.is_preempted)
		preempted_ns += now_ns - gpq->preempted_ns;

	seq_printf(m, "%d %u %u %u %s ", gpq->pid, q->properties.queue_id,
		   q->properties.priority,
		   kfd_gpreempt_queue_priority(gpq->gp, q), mapping_name(q));
	if (gpq->last_ns)
		seq_printf(m, "%u %s %llu %llu %u %d %llu ", v->effective,
			   queue_state_name(v->state), v->rptr, v->wptr,
			   v->backlog, v->waves,
			   div_u64(now_ns - gpq->last_ns, NSEC_PER_USEC));
	else
		seq_puts(m, "- - - - - - - ");
	seq_printf(m, "%llu %llu %llu\n", gpq->preemptions,
		   div_u64(preempted_ns, NSEC_PER_USEC),
		   div_u64(gpq->save_cost_ns, NSEC_PER_USEC));
}

static int gpreempt_show(struct seq_file *m, void *unused)
{
	struct kfd_gpreempt *gp = m->private;
	struct device_queue_manager *dqm = gp->node->dqm;
	struct device_process_node *dpn;
	u64 now_ns = ktime_get_ns();
	struct queue *q;

	seq_puts(m, "# waves -1: not known. age_us: since that scan\n");
	seq_puts(m, "# pid queue asked permitted mapping effective state rptr wptr backlog waves age_us preemptions preempted_us save_us\n");
	dqm_lock(dqm);
	mutex_lock(&gp->last_lock);
	list_for_each_entry(dpn, &dqm->queues, list)
		list_for_each_entry(q, &dpn->qpd->queues_list, list)
			if (q->gpreempt)
				show_queue(m, q, now_ns);
	mutex_unlock(&gp->last_lock);
	dqm_unlock(dqm);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(gpreempt);

/**
 * kfd_gpreempt_debugfs_init - make the folder for all nodes
 * @root: kfd's folder, which takes it away again
 */
void kfd_gpreempt_debugfs_init(struct dentry *root)
{
	gpreempt_root = debugfs_create_dir("gpreempt", root);
}

/**
 * kfd_gpreempt_debugfs_add - make a node's file
 * @gp: the node
 */
void kfd_gpreempt_debugfs_add(struct kfd_gpreempt *gp)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", gp->node->id);
	gp->debugfs = debugfs_create_file(name, 0400, gpreempt_root, gp,
					  &gpreempt_fops);
}

/**
 * kfd_gpreempt_debugfs_remove - remove a node's file
 * @gp: the node
 *
 * Returns when nobody reads it any more.
 */
void kfd_gpreempt_debugfs_remove(struct kfd_gpreempt *gp)
{
	debugfs_remove(gp->debugfs);
}
