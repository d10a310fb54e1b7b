// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT queues: life of a queue's record, and of its group's.
 */

#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "amdgpu.h"
#include "gpreempt/control/inherit.h"
#include "gpreempt/show/show.h"
#include "queue.h"

/*
 * The group of a process or of a cgroup, referenced, or NULL without memory. A later
 * process of the same number has another &struct pid, and so another group.
 */
static struct kfd_gpreempt_group *group_get(struct kfd_gpreempt *gp, struct pid *pid, u64 cgroup,
					    gfp_t gfp)
{
	struct kfd_gpreempt_group *spare __free(kfree) = kzalloc(sizeof(*spare), gfp);
	struct kfd_gpreempt_group *g;

	guard(mutex)(&gp->groups.lock);
	list_for_each_entry(g, &gp->groups.list, list) {
		if (g->pid == pid && g->cgroup == cgroup) {
			g->users++;
			return g;
		}
	}
	if (!spare)
		return NULL;
	spare->pid = get_pid(pid);
	spare->cgroup = cgroup;
	spare->users = 1;
	list_add(&spare->list, &gp->groups.list);
	return_ptr(spare);
}

static void group_put(struct kfd_gpreempt *gp, struct kfd_gpreempt_group *g)
{
	guard(mutex)(&gp->groups.lock);
	if (!g || --g->users)
		return;
	list_del(&g->list);
	put_pid(g->pid);
	kfree(g);
}

/*
 * Have the queue's time go by a cgroup, or by its process alone. The monitor must not wait for
 * memory, nor take what is kept for those that free some: if there is none, all stays as it was.
 */
static bool regroup(struct kfd_gpreempt_queue *gpq, u64 cgroup)
{
	struct kfd_gpreempt_group *g = NULL;

	if ((gpq->common ? gpq->common->cgroup : 0) == cgroup)
		return true;
	if (cgroup) {
		g = group_get(gpq->gp, NULL, cgroup, GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC);
		if (!g)
			return false;
	}
	/* Puts this queue's reference alone: others of the scan have their own. */
	group_put(gpq->gp, gpq->common);
	gpq->common = g;
	return true;
}

/*
 * A process as a client of a node, referenced, or NULL without memory. The process, which is
 * locked, creates a queue there. It is a client from its first queue to its end, whatever becomes
 * of its queues. The record may outlive it: a queue that is gone may still be in a scan.
 */
static struct kfd_gpreempt_client *client_get(struct kfd_gpreempt *gp, const struct queue *q)
{
	struct kfd_process_device *pdd = kfd_get_process_device_data(q->device, q->process);
	struct kfd_gpreempt_client *client = pdd->gpreempt;

	if (!client) {
		client = kzalloc(sizeof(*client), GFP_KERNEL);
		if (client)
			client->group = group_get(gp, task_tgid(current), 0, GFP_KERNEL);
		if (!client || !client->group) {
			kfree(client);
			return NULL;
		}
		kref_init(&client->ref);
		kobject_get(&gp->kobj);
		client->gp = gp;
		/* Readers of a file's fdinfo take no lock: see client_in(). */
		smp_store_release(&pdd->gpreempt, client);
	}
	kref_get(&client->ref);
	return client;
}

static void client_free(struct kref *ref)
{
	struct kfd_gpreempt_client *client = container_of(ref, struct kfd_gpreempt_client, ref);

	group_put(client->gp, client->group);
	kobject_put(&client->gp->kobj);
	kfree(client);
}

/**
 * kfd_gpreempt_client_put - drop a reference
 * @client: the client, or NULL
 */
void kfd_gpreempt_client_put(struct kfd_gpreempt_client *client)
{
	if (client)
		kref_put(&client->ref, client_free);
}

/* What was seen before does not count any more. */
static void begin_epoch(struct kfd_gpreempt_group *g, unsigned int epoch)
{
	if (g->epoch == epoch)
		return;
	g->epoch = epoch;
	memset(&g->idle, 0, sizeof(g->idle));
	memset(&g->group, 0, sizeof(g->group));
}

/**
 * kfd_gpreempt_queue_group - the group by which a queue's time goes, and its share
 * @gpq: the queue's record, referenced as long as the group is used; monitor only
 * @p: the queue's process
 *
 * A queue that cannot change groups now, for want of memory, keeps its old one until the next scan.
 */
struct gpreempt_group *kfd_gpreempt_queue_group(struct kfd_gpreempt_queue *gpq,
						struct kfd_process *p)
{
	const struct gpreempt_lot lot = kfd_gpreempt_process_lot(p);
	bool right = regroup(gpq, lot.group);
	struct kfd_gpreempt_group *g = gpq->common ?: gpq->group;

	begin_epoch(gpq->group, gpq->gp->epoch);
	begin_epoch(g, gpq->gp->epoch);
	if (right)
		g->group.share = lot.share;
	return &g->group;
}

static void queue_free(struct kobject *kobj)
{
	struct kfd_gpreempt_queue *gpq = container_of(kobj, struct kfd_gpreempt_queue, kobj);

	if (gpq->mm)
		mmdrop(gpq->mm);
	group_put(gpq->gp, gpq->common);
	kfd_gpreempt_client_put(gpq->client);
	kobject_put(&gpq->gp->kobj);
	kfree(gpq);
}

static void queue_ownership(const struct kobject *kobj, kuid_t *uid, kgid_t *gid)
{
	const struct kfd_gpreempt_queue *gpq = container_of(kobj, struct kfd_gpreempt_queue, kobj);

	*uid = gpq->uid;
	*gid = gpq->gid;
}

static const struct kobj_type queue_ktype = {
	.release = queue_free,
	.sysfs_ops = &kfd_gpreempt_queue_ops,
	.default_groups = kfd_gpreempt_queue_groups,
	.get_ownership = queue_ownership,
};

/**
 * kfd_gpreempt_queue_init - a process creates a queue
 * @q: the queue; its device, process and properties are set
 *
 * Return: 0 or -ENOMEM.
 */
int kfd_gpreempt_queue_init(struct queue *q)
{
	struct kfd_gpreempt_queue *gpq __free(kfree) = NULL;
	struct kfd_gpreempt *gp = q->device->gpreempt;

	if (!gp || q->properties.type != KFD_QUEUE_TYPE_COMPUTE)
		return 0;
	gpq = kzalloc(sizeof(*gpq), GFP_KERNEL);
	if (!gpq)
		return -ENOMEM;
	gpq->pid = q->process->lead_thread->tgid;
	/* From Linux 7.3 on, a thread beside the one that makes the process may be first. */
	kfd_gpreempt_process_init(q->process);
	kfd_gpreempt_terms_init(gp, q, gpq);
	gpq->client = client_get(gp, q);
	if (!gpq->client)
		return -ENOMEM;

	gpq->group = gpq->client->group;
	kobject_init(&gpq->kobj, &queue_ktype);
	kobject_get(&gp->kobj);
	gpq->gp = gp;
	gpq->account.quiet_ns = ktime_get_ns();
	/* A new queue is no way out of what another of its process has earned. */
	gpq->suspect.until_ns = READ_ONCE(gpq->group->past.end_ns);
	gpq->q = q;
	gpq->account.last.seen.waves = GPREEMPT_WAVES_UNKNOWN;
	/* The addresses are the process's own, whoever restores it. */
	if (current->mm == q->process->mm) {
		mmgrab(current->mm);
		gpq->mm = current->mm;
	}
	q->gpreempt = no_free_ptr(gpq);
	return 0;
}

/**
 * kfd_gpreempt_queue_fini - a queue is freed
 * @q: the queue, off the queue manager's list, or NULL
 */
void kfd_gpreempt_queue_fini(struct queue *q)
{
	if (!q || !q->gpreempt)
		return;
	/* A caller that waits for it sees that it is gone. */
	kfd_gpreempt_ticked(q->gpreempt->gp);
	kobject_put(&q->gpreempt->kobj);
}

/**
 * kfd_gpreempt_queue_held - would a queue be active, were it not for GPREEMPT?
 * @q: the queue; DQM lock held
 *
 * For code that refuses an active queue because its state is on the hardware:
 * a preempted queue's is not, but it may be at any time.
 */
bool kfd_gpreempt_queue_held(const struct queue *q)
{
	struct queue_properties p = q->properties;

	if (!p.is_preempted)
		return false;
	p.is_preempted = false;
	return QUEUE_IS_ACTIVE(p);
}

/**
 * kfd_gpreempt_checkpoint_refused - must a queue not be checkpointed?
 * @q: the queue; DQM lock held
 *
 * It must not while kfd_gpreempt_queue_held(). Nor must one that was ever preempted on a node of
 * several XCCs, where the kernel's image has the first XCC's saved waves alone: the dispatch would
 * lose the others, and still count as done.
 */
bool kfd_gpreempt_checkpoint_refused(const struct queue *q)
{
	struct mqd_manager *mqd_mgr = q->device->dqm->mqd_mgrs[KFD_MQD_TYPE_CP];
	unsigned int xccs = NUM_XCC(q->device->xcc_mask);
	u32 size = 0;

	if (kfd_gpreempt_queue_held(q))
		return true;
	if (!q->gpreempt || !q->gpreempt->off.saved || xccs == 1)
		return false;
	/* Of all control stacks, where they are carried. */
	if (mqd_mgr->get_checkpoint_info)
		mqd_mgr->get_checkpoint_info(mqd_mgr, q->mqd, &size);
	if (size >= xccs * q->properties.ctl_stack_size)
		return false;
	dev_warn_ratelimited(q->device->adev->dev,
			     "GPREEMPT on node %u: queue %u of process %d was preempted; this kernel cannot checkpoint what its %u XCCs have saved\n",
			     q->device->id, q->properties.queue_id, q->gpreempt->pid, xccs);
	return true;
}
