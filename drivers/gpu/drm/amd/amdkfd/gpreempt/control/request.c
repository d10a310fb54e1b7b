// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT requests: keep requests with their queues for the next scan, and tell callers of a
 * queue's state. Changes no queue: that is for the commit room alone.
 */

#include <linux/list.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "request.h"

/**
 * kfd_gpreempt_chosen - is a queue among the chosen ones?
 * @choice: what kfd_gpreempt_choose() has found
 * @q: the queue, of one of its processes; that or the DQM is locked
 *
 * %KFD_GPREEMPT_AT_LEAST compares the priority that the application asked for: above the cap all
 * queues are served at the cap, and a program could not tell its own apart by that.
 */
bool kfd_gpreempt_chosen(const struct kfd_gpreempt_choice *choice, const struct queue *q)
{
	if (!q->gpreempt || (choice->gpu_id && q->gpreempt->gp->gpu_id != choice->gpu_id))
		return false;
	switch (choice->which) {
	case KFD_GPREEMPT_ALL:
		return true;
	case KFD_GPREEMPT_AT_LEAST:
		return READ_ONCE(q->properties.priority) >= choice->number;
	case KFD_GPREEMPT_BELOW:
		return kfd_gpreempt_queue_priority(q->gpreempt->gp, q) < choice->number;
	default:
		return q->properties.queue_id == choice->number;
	}
}

/* The node may be going: its lock keeps it, and the DQM lock what is asked of its queues. */
static int lock_node(struct kfd_gpreempt *gp)
{
	if (mutex_lock_interruptible(&gp->lock))
		return -ERESTARTSYS;
	if (gp->dead) {
		mutex_unlock(&gp->lock);
		return -ENODEV;
	}
	dqm_lock(gp->node->dqm);
	return 0;
}

static void unlock_node(struct kfd_gpreempt *gp)
{
	dqm_unlock(gp->node->dqm);
	mutex_unlock(&gp->lock);
}

/* Is there a monitor to carry something out? A hold outlives a bypass, so it can be ended there. */
static int check_monitor(struct kfd_gpreempt *gp, bool resumes)
{
	enum gpreempt_state state = kfd_gpreempt_state(gp);

	return state == GPREEMPT_DISABLED ? -ENODEV :
	       state == GPREEMPT_BYPASSED && !resumes ? -EIO : 0;
}

/* Space for what is asked of so many more queues, with none of the locks held. */
static int make_room(struct kfd_gpreempt_asks *asks, unsigned int n)
{
	struct kfd_gpreempt_asked *asked;

	asked = kvrealloc(asks->asked, array_size(asks->count + n, sizeof(*asked)),
			  GFP_KERNEL_ACCOUNT);
	if (!asked)
		return -ENOMEM;
	asks->asked = asked;
	asks->room = asks->count + n;
	return 0;
}

/* A process's queues on a node: the list changes under the DQM lock alone. */
static struct list_head *queues_on(struct kfd_node *node, struct kfd_process *p)
{
	struct kfd_process_device *pdd = kfd_get_process_device_data(node, p);
	static LIST_HEAD(none);

	return pdd ? &pdd->qpd.queues_list : &none;
}

/**
 * kfd_gpreempt_request - ask something of the chosen queues of a node, all at once
 * @gp: the node
 * @choice: the queues
 * @args: what is asked: PREEMPT, RESUME or HINT
 * @asks: of which queues that was asked, of those of other nodes by now, and of these; and of
 *	how many it was refused
 *
 * One hold of the DQM lock: the monitor sees either none of it or all, and carries it out in
 * one transaction.
 *
 * Return: 0, also if some or all have to refuse; -ENODEV if the node is gone, -ENOMEM or
 * -ERESTARTSYS.
 */
int kfd_gpreempt_request(struct kfd_gpreempt *gp, const struct kfd_gpreempt_choice *choice,
			 const struct kfd_ioctl_gpreempt_args *args, struct kfd_gpreempt_asks *asks)
{
	struct list_head *queues;
	bool changes = false;
	struct queue *q;
	unsigned int n, i;
	int monitor, r;

	for (;;) {
		r = lock_node(gp);
		if (r)
			return r;
		n = 0;
		for (i = 0; i < choice->count; i++)
			n += list_count_nodes(queues_on(gp->node, choice->processes[i]));
		if (n <= asks->room - asks->count)
			break;
		unlock_node(gp);
		r = make_room(asks, n);
		if (r)
			return r;
	}
	monitor = check_monitor(gp, args->op == KFD_GPREEMPT_OP_RESUME);
	for (i = 0; i < choice->count; i++) {
		queues = queues_on(gp->node, choice->processes[i]);
		list_for_each_entry(q, queues, list) {
			if (!kfd_gpreempt_chosen(choice, q))
				continue;
			asks->asked[asks->count] = (struct kfd_gpreempt_asked) {
				.p = q->process,
				.gpq = q->gpreempt,
				.queue_id = q->properties.queue_id,
				.hold = q->gpreempt->terms.hold,
				.preemptions = q->gpreempt->off.times,
				.requests = q->gpreempt->terms.requests + 1,
			};
			r = monitor ?: kfd_gpreempt_ask(q, args, asks->nice);
			if (r < 0) {
				asks->error = asks->error ?: r;
				asks->refused++;
				continue;
			}
			changes |= r;
			kobject_get(&q->gpreempt->kobj);
			asks->count++;
		}
	}
	unlock_node(gp);
	if (changes)
		kfd_gpreempt_wake(gp);
	return 0;
}

/**
 * kfd_gpreempt_take_back - undo a request of kfd_gpreempt_request() that was not met in time
 * @before: the queue as it was before; not if somebody has asked for something else since
 *
 * No signal ends this. The queue may be gone: then nobody looks at its record any more.
 */
void kfd_gpreempt_take_back(const struct kfd_gpreempt_asked *before)
{
	struct kfd_gpreempt_terms *t = &before->gpq->terms;
	struct kfd_gpreempt *gp = before->gpq->gp;

	guard(mutex)(&gp->lock);
	if (gp->dead)
		return;
	guard(kfd_gpreempt_dqm)(gp->node->dqm);
	if (t->requests != before->requests)
		return;
	t->hold = before->hold;
	kfd_gpreempt_wake(gp);
}

/**
 * kfd_gpreempt_outcome - was a request met?
 * @q: the queue, its process locked
 * @off: to be taken off, or to be put back
 * @preemptions: how often it had been taken off before the request. If no other queue wants the
 *	machine it is back before anybody looks
 *
 * Return: 1 if it was, 0 if not yet, -EBUSY, -ENODEV or -EIO if it never will.
 */
int kfd_gpreempt_outcome(struct queue *q, bool off, u64 preemptions)
{
	struct kfd_gpreempt *gp = q->gpreempt->gp;
	int r = lock_node(gp);

	if (r)
		return r;
	r = check_monitor(gp, !off);
	/* Evicted, suspended or switched off is off, too. */
	if (!r)
		r = off ? !q->properties.is_active ||
			  q->gpreempt->off.times != preemptions :
			  !q->properties.is_preempted || q->gpreempt->off.bare;
	if (!r && off && kfd_gpreempt_queue_pinned(q))
		r = -EBUSY;
	unlock_node(gp);
	return r;
}

static u32 queue_state(struct kfd_gpreempt *gp, const struct queue *q)
{
	static const u8 states[] = {
		[GPREEMPT_IDLE] = KFD_GPREEMPT_QUEUE_IDLE,
		[GPREEMPT_RUNNING] = KFD_GPREEMPT_QUEUE_RUNNING,
		[GPREEMPT_RUNNABLE] = KFD_GPREEMPT_QUEUE_WAITING,
		[GPREEMPT_BLOCKED] = KFD_GPREEMPT_QUEUE_BLOCKED,
		[GPREEMPT_UNKNOWN] = KFD_GPREEMPT_QUEUE_UNKNOWN,
	};

	if (q->properties.is_preempted)
		return q->gpreempt->terms.hold.held ? KFD_GPREEMPT_QUEUE_HELD :
						      KFD_GPREEMPT_QUEUE_PREEMPTED;
	if (!q->properties.is_active)
		return KFD_GPREEMPT_QUEUE_OFF;
	if (!q->gpreempt->account.last.ns || kfd_gpreempt_state(gp) != GPREEMPT_ACTIVE)
		return KFD_GPREEMPT_QUEUE_UNKNOWN;
	return states[q->gpreempt->account.last.out.activity];
}

/**
 * kfd_gpreempt_queue_info - what GPREEMPT knows of a queue
 * @gpq: the queue's record; its process is locked, or its folder in use
 * @info: out
 *
 * Return: 0, -ENODEV if the node is gone, or -ERESTARTSYS.
 */
int kfd_gpreempt_queue_info(struct kfd_gpreempt_queue *gpq, struct kfd_gpreempt_queue_info *info)
{
	struct kfd_gpreempt *gp = gpq->gp;
	const struct queue *q = gpq->q;
	struct gpreempt_terms terms;
	int r = lock_node(gp);

	if (r)
		return r;
	/* No scan does it while the node is bypassed. */
	kfd_gpreempt_terms(q, ktime_get_ns(), &terms);
	mutex_lock(&gp->account.lock);
	*info = (struct kfd_gpreempt_queue_info) {
		.queue_id = q->properties.queue_id,
		.gpu_id = gp->gpu_id,
		.priority = READ_ONCE(q->properties.priority),
		.permitted = terms.priority,
		.effective = terms.priority,
		.state = queue_state(gp, q),
		.flags = kfd_gpreempt_queue_flags(gpq),
		.timeslice_us = terms.timeslice_us,
		.running_ns = gpq->account.running_ns,
		.waiting_ns = gpq->account.waiting_ns,
		.preempted_ns = gpq->off.total_ns,
		.preemptions = gpq->off.times,
		.pid = task_tgid_vnr(q->process->lead_thread),
		.context_id = kfd_process_context_id(q->process),
		.backlog = gpq->account.last.backlog,
		.waves = KFD_GPREEMPT_NONE,
		.save_ns = gpq->off.save_ns,
		.seen_ns = gpq->account.last.ns,
		.resumes = gpq->off.times - q->properties.is_preempted,
		.resumed_ns = gpq->off.back_ns,
	};
	if (gpq->account.last.ns && gpq->account.last.seen.waves >= 0)
		info->waves = gpq->account.last.seen.waves;
	if (gpq->account.last.ns && kfd_gpreempt_state(gp) == GPREEMPT_ACTIVE &&
	    gpq->account.last.out.level == GPREEMPT_BOOST)
		info->effective = GPREEMPT_BOOST;
	if (q->properties.is_preempted)
		info->preempted_ns += ktime_get_ns() - gpq->off.since_ns;
	mutex_unlock(&gp->account.lock);
	unlock_node(gp);
	return 0;
}
