// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT debugfs, in kfd/gpreempt/<gpu_id>/: what the last scan saw of each
 * queue, and how long things took. Not ABI. Reads no register and no user memory.
 */

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "priv.h"

static struct dentry *gpreempt_root;

static const char *queue_state_name(enum gpreempt_activity state)
{
	/* The order of enum gpreempt_activity. */
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

/* The packet that a queue's read index was at, as no more than one word. */
static void show_head(struct seq_file *m, const struct kfd_gpreempt_last *last)
{
	static const char * const types[] = {
		[AQL_TYPE_VENDOR] = "vendor",
		[AQL_TYPE_INVALID] = "invalid",
		[AQL_TYPE_DISPATCH] = "dispatch",
		[AQL_TYPE_BARRIER_AND] = "barrier-and",
		[AQL_TYPE_AGENT] = "agent",
		[AQL_TYPE_BARRIER_OR] = "barrier-or",
	};
	const union aql_packet *head = &last->head;
	int i;

	if (last->seen.head == GPREEMPT_HEAD_UNKNOWN) {
		seq_puts(m, "-");
		return;
	}
	if (head->type >= ARRAY_SIZE(types)) {
		seq_printf(m, "type-%u", head->type);
		return;
	}
	seq_puts(m, types[head->type]);
	if (last->seen.head == GPREEMPT_HEAD_WAITS)
		seq_puts(m, ",waits");
	switch (head->type) {
	case AQL_TYPE_DISPATCH:
		seq_printf(m, ",grid=%ux%ux%u,workgroup=%ux%ux%u,lds=%u,scratch=%u,kernel=%#llx",
			   head->grid[0], head->grid[1], head->grid[2],
			   head->workgroup[0], head->workgroup[1],
			   head->workgroup[2], head->group_bytes,
			   head->private_bytes, head->kernel);
		break;
	case AQL_TYPE_BARRIER_AND:
	case AQL_TYPE_BARRIER_OR:
		for (i = 0; i < AQL_DEP_SIGNALS; i++)
			if (head->dep_signal[i])
				seq_printf(m, ",on=%#llx", head->dep_signal[i]);
		break;
	case AQL_TYPE_VENDOR:
		seq_printf(m, ",format=%u", head->amd_format);
		if (head->amd_format == AQL_AMD_FORMAT_BARRIER_VALUE)
			seq_printf(m, ",on=%#llx,value=%lld,mask=%#llx,condition=%u",
				   head->value_signal, head->value, head->mask,
				   head->condition);
		break;
	}
	if (head->type != AQL_TYPE_INVALID && head->completion_signal)
		seq_printf(m, ",signal=%#llx", head->completion_signal);
}

static void show_queue(struct seq_file *m, const struct queue *q, u64 now_ns)
{
	const struct kfd_gpreempt_queue *gpq = q->gpreempt;
	const struct kfd_gpreempt_last *last = &gpq->last;
	u64 preempted_ns = gpq->preempted_total_ns;

	if (q->properties.is_preempted)
		preempted_ns += now_ns - gpq->preempted_ns;

	seq_printf(m, "%d %u %u %u %s ", gpq->pid, q->properties.queue_id,
		   READ_ONCE(q->properties.priority),
		   kfd_gpreempt_queue_priority(gpq->gp, q), mapping_name(q));
	if (last->ns)
		seq_printf(m, "%u %s %llu %llu %u %d %llu ", last->out.level,
			   queue_state_name(last->out.activity), last->seen.rptr,
			   last->seen.wptr, last->backlog, last->seen.waves,
			   div_u64(now_ns - last->ns, NSEC_PER_USEC));
	else
		seq_puts(m, "- - - - - - - ");
	seq_printf(m, "%llu %llu %llu ", gpq->preemptions,
		   div_u64(preempted_ns, NSEC_PER_USEC),
		   div_u64(gpq->save_ns, NSEC_PER_USEC));
	show_head(m, last);
	seq_putc(m, '\n');
}

static int queues_show(struct seq_file *m, void *unused)
{
	struct kfd_gpreempt *gp = m->private;
	struct device_queue_manager *dqm = gp->node->dqm;
	struct device_process_node *dpn;
	u64 now_ns = ktime_get_ns();
	struct queue *q;

	seq_puts(m, "# waves -1: not known. age_us: since that scan\n");
	seq_puts(m, "# pid queue asked permitted mapping effective state rptr wptr backlog waves age_us preemptions preempted_us save_us head\n");
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
DEFINE_SHOW_ATTRIBUTE(queues);

/* One line a power of two, up to the longest that was seen. */
static int latency_show(struct seq_file *m, void *unused)
{
	struct kfd_gpreempt *gp = m->private;
	unsigned int i, l, last = 0;
	u64 count[GPREEMPT_LATENCIES][GPREEMPT_BUCKETS];

	for (l = 0; l < GPREEMPT_LATENCIES; l++) {
		for (i = 0; i < GPREEMPT_BUCKETS; i++) {
			count[l][i] = READ_ONCE(gp->histograms[l].count[i]);
			if (count[l][i])
				last = max(last, i);
		}
	}
	seq_puts(m, "# below_us detection save restore\n");
	for (i = 0; i <= last; i++) {
		if (i < GPREEMPT_BUCKETS - 1)
			seq_printf(m, "%lu", BIT(i));
		else
			seq_puts(m, "inf");
		for (l = 0; l < GPREEMPT_LATENCIES; l++)
			seq_printf(m, " %llu", count[l][i]);
		seq_putc(m, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(latency);

/**
 * kfd_gpreempt_debugfs_init - make the folder for all nodes
 * @root: kfd's folder, which takes it away again
 */
void kfd_gpreempt_debugfs_init(struct dentry *root)
{
	gpreempt_root = debugfs_create_dir("gpreempt", root);
}

/**
 * kfd_gpreempt_debugfs_fini - kfd's folder goes away, and ours with it
 *
 * When the module is unloaded this comes before the nodes go down.
 */
void kfd_gpreempt_debugfs_fini(void)
{
	gpreempt_root = NULL;
}

/**
 * kfd_gpreempt_debugfs_add - make a node's folder
 * @gp: the node
 */
void kfd_gpreempt_debugfs_add(struct kfd_gpreempt *gp)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", gp->node->id);
	gp->debugfs = debugfs_create_dir(name, gpreempt_root);
	debugfs_create_file("queues", 0400, gp->debugfs, gp, &queues_fops);
	debugfs_create_file("latency", 0400, gp->debugfs, gp, &latency_fops);
}

/**
 * kfd_gpreempt_debugfs_remove - remove a node's folder
 * @gp: the node
 *
 * Returns when nobody reads its files any more.
 */
void kfd_gpreempt_debugfs_remove(struct kfd_gpreempt *gp)
{
	if (gpreempt_root)
		debugfs_remove(gp->debugfs);
}
