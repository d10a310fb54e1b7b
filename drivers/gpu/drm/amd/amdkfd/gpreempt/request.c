// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT requests: what is asked of queues from outside, kept with each
 * queue for the next scan, and what the queue's state is, for whoever asks.
 * Changes no queue: that is for the commit room alone.
 */

#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "priv.h"

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

/* Is there a monitor to carry something out? */
static int check_monitor(struct kfd_gpreempt *gp)
{
	enum gpreempt_state state = kfd_gpreempt_state(gp);

	return state == GPREEMPT_DISABLED ? -ENODEV : state == GPREEMPT_BYPASSED ? -EIO : 0;
}

/**
 * kfd_gpreempt_forget - nothing is asked of a queue any more
 * @gpq: the queue's record; DQM lock held
 */
void kfd_gpreempt_forget(struct kfd_gpreempt_queue *gpq)
{
	gpq->hold = (struct kfd_gpreempt_hold) {};
	gpq->requests++;
	gpq->hint = (struct kfd_gpreempt_announced) {};
	gpq->suspect.role = GPREEMPT_UNSUSPECTED;
}

/**
 * kfd_gpreempt_expire - forget what has had its time
 * @gpq: the queue's record; DQM lock held
 * @now_ns: time of the scan
 */
void kfd_gpreempt_expire(struct kfd_gpreempt_queue *gpq, u64 now_ns)
{
	if (gpq->hold.end_ns && gpq->hold.end_ns <= now_ns)
		gpq->hold = (struct kfd_gpreempt_hold) { .asked = gpq->hold.asked };
	if (gpq->hint.end_ns <= now_ns)
		gpq->hint = (struct kfd_gpreempt_announced) {};
}

/* Off the hardware, once or held there. Noted for the next scan. */
static int ask(struct queue *q, const struct kfd_ioctl_gpreempt_args *args, bool nice)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	u32 hold_ms = args->preempt.hold_ms;

	if (kfd_gpreempt_queue_pinned(q))
		return -EBUSY;
	if (gpq->hold.by_nice && !nice)
		return -EPERM;
	if (!(args->flags & KFD_GPREEMPT_HOLD))
		gpq->hold.asked = !q->properties.is_preempted;
	else
		gpq->hold = (struct kfd_gpreempt_hold) {
			.asked = gpq->hold.asked,
			.held = true,
			.by_nice = nice,
			.end_ns = hold_ms ? ktime_get_ns() + (u64)hold_ms * NSEC_PER_MSEC : 0,
		};
	gpq->requests++;
	return 1;
}

/* It need not be off any longer, whoever asked for it. */
static int unask(struct kfd_gpreempt_queue *gpq, bool nice)
{
	bool changes = gpq->hold.asked || gpq->hold.held;

	if (gpq->hold.by_nice && !nice)
		return -EPERM;
	gpq->hold = (struct kfd_gpreempt_hold) {};
	gpq->requests++;
	return changes;
}

/* Work is on its way to it, or is not. */
static int hint(struct kfd_gpreempt_queue *gpq, const struct kfd_gpreempt_hint *h)
{
	u64 arrival_ns = ktime_get_ns() + (u64)h->arrival_us * NSEC_PER_USEC;
	u64 duration_ns = (u64)h->duration_us * NSEC_PER_USEC;
	bool changes = duration_ns || gpq->hint.end_ns;

	gpq->hint = (struct kfd_gpreempt_announced) {};
	if (duration_ns)
		gpq->hint = (struct kfd_gpreempt_announced) {
			.ns = arrival_ns,
			.end_ns = arrival_ns + duration_ns,
		};
	return changes;
}

/* Return: 1 if there is something new for the monitor, 0 if not, or an error. */
static int request(struct queue *q, const struct kfd_ioctl_gpreempt_args *args, bool nice)
{
	bool foreign = q->process->mm != current->mm;

	switch (args->op) {
	case KFD_GPREEMPT_OP_PREEMPT:
		if ((args->flags & KFD_GPREEMPT_HOLD) && !args->preempt.hold_ms && foreign && !nice)
			return -EPERM;
		return ask(q, args, foreign && nice);
	case KFD_GPREEMPT_OP_RESUME:
		return unask(q->gpreempt, nice);
	default:
		return hint(q->gpreempt, &args->hint);
	}
}

/* What there was before, for kfd_gpreempt_take_back() and whoever waits for the outcome. */
static void note(struct kfd_gpreempt_asked *asked, struct queue *q)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;

	*asked = (struct kfd_gpreempt_asked) {
		.p = q->process,
		.gpq = gpq,
		.queue_id = q->properties.queue_id,
		.hold = gpq->hold,
		.preemptions = gpq->preemptions,
		.requests = gpq->requests + 1,
	};
}

/* Space for what is asked of so many more queues, with none of the locks held. */
static int make_room(struct kfd_gpreempt_asks *asks, unsigned int n)
{
	struct kfd_gpreempt_asked *asked;

	asked = kvcalloc(asks->count + n, sizeof(*asked), GFP_KERNEL_ACCOUNT);
	if (!asked)
		return -ENOMEM;
	memcpy(asked, asks->asked, asks->count * sizeof(*asked));
	kvfree(asks->asked);
	asks->asked = asked;
	asks->room = asks->count + n;
	return 0;
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
	struct device_process_node *dpn;
	bool changes = false;
	struct queue *q;
	unsigned int n;
	int monitor, r;

	for (;;) {
		r = lock_node(gp);
		if (r)
			return r;
		/* No more can be chosen than the node has, of whatever type. */
		n = choice->which ? gp->node->dqm->total_queue_count : 1;
		if (n <= asks->room - asks->count)
			break;
		unlock_node(gp);
		r = make_room(asks, n);
		if (r)
			return r;
	}
	monitor = check_monitor(gp);
	/* A hold outlives a bypass, so it can be ended there. */
	if (monitor == -EIO && args->op == KFD_GPREEMPT_OP_RESUME)
		monitor = 0;
	list_for_each_entry(dpn, &gp->node->dqm->queues, list) {
		if (!kfd_gpreempt_chosen_process(choice, qpd_to_pdd(dpn->qpd)->process))
			continue;
		list_for_each_entry(q, &dpn->qpd->queues_list, list) {
			if (!kfd_gpreempt_chosen(choice, q))
				continue;
			note(&asks->asked[asks->count], q);
			r = monitor ?: request(q, args, asks->nice);
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
 * kfd_gpreempt_take_back - what kfd_gpreempt_request() asked for did not come in time
 * @before: the queue as it was before; not if somebody has asked for something else since
 *
 * No signal ends this. The queue may be gone: then nobody looks at its record any more.
 */
void kfd_gpreempt_take_back(const struct kfd_gpreempt_asked *before)
{
	struct kfd_gpreempt_queue *gpq = before->gpq;
	struct kfd_gpreempt *gp = gpq->gp;
	bool mine = false;

	mutex_lock(&gp->lock);
	if (!gp->dead) {
		dqm_lock(gp->node->dqm);
		mine = gpq->requests == before->requests;
		if (mine)
			gpq->hold = before->hold;
		dqm_unlock(gp->node->dqm);
	}
	mutex_unlock(&gp->lock);
	if (mine)
		kfd_gpreempt_wake(gp);
}

/**
 * kfd_gpreempt_outcome - has come what was asked for?
 * @q: the queue, its process locked
 * @off: to be taken off, or to be put back
 * @preemptions: how often it had been taken off before that was asked for. With
 *	nobody else waiting it is back before anybody looks
 *
 * Return: 1 if it has, 0 if not yet, -EBUSY, -ENODEV or -EIO if it never will.
 */
int kfd_gpreempt_outcome(struct queue *q, bool off, u64 preemptions)
{
	struct kfd_gpreempt *gp = q->gpreempt->gp;
	int r = lock_node(gp);

	if (r)
		return r;
	r = check_monitor(gp);
	if (r == -EIO && !off)
		r = 0;
	if (!r && off && kfd_gpreempt_queue_pinned(q))
		r = -EBUSY;
	/* Evicted, suspended or switched off is off, too. */
	if (!r)
		r = off ? !q->properties.is_active ||
			  q->gpreempt->preemptions != preemptions :
			  !q->properties.is_preempted;
	unlock_node(gp);
	return r;
}

/**
 * kfd_gpreempt_set_priority - set the priority that GPREEMPT acts on
 * @q: the queue, its process locked
 * @priority: 0 to 15, or KFD_GPREEMPT_NONE: what the application asks for
 * @permitted: out: what remains of it
 *
 * Return: 0, or -EPERM where priorities above the cap are refused.
 */
int kfd_gpreempt_set_priority(struct queue *q, u32 priority, u32 *permitted)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	struct kfd_gpreempt *gp = gpq->gp;
	u32 word = 0;
	int r = 0;

	if (priority != KFD_GPREEMPT_NONE)
		r = kfd_gpreempt_permit(gp, q->process, priority, &word);
	if (r)
		return r;
	if (xchg(&gpq->priority_set, word) != word)
		kfd_gpreempt_wake(gp);
	*permitted = kfd_gpreempt_queue_priority(gp, q);
	return 0;
}

/**
 * kfd_gpreempt_set_timeslice - set the length of a queue's turn
 * @q: the queue, its process locked
 * @us: length, 0: that of its process or level
 *
 * A longer turn than its equals have is taken from them. That the queue may go to
 * another level, where turns are shorter, is seen to when the turn is used.
 *
 * Return: 0, or -EPERM for a longer turn without CAP_SYS_NICE.
 */
int kfd_gpreempt_set_timeslice(struct queue *q, u32 us)
{
	struct kfd_gpreempt *gp = q->gpreempt->gp;
	u8 level = kfd_gpreempt_queue_priority(gp, q);
	bool nice = ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
	u32 word = gpreempt_word_turn(0, us, nice);

	if (us > READ_ONCE(gp->tunables.timeslice_us[level]) && !nice)
		return -EPERM;
	if (xchg(&q->gpreempt->turn_set, word) != word)
		kfd_gpreempt_wake(gp);
	return 0;
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
		return q->gpreempt->hold.held ? KFD_GPREEMPT_QUEUE_HELD :
						KFD_GPREEMPT_QUEUE_PREEMPTED;
	if (!q->properties.is_active)
		return KFD_GPREEMPT_QUEUE_OFF;
	if (!q->gpreempt->last.ns || kfd_gpreempt_state(gp) != GPREEMPT_ACTIVE)
		return KFD_GPREEMPT_QUEUE_UNKNOWN;
	return states[q->gpreempt->last.out.activity];
}

static u32 queue_flags(const struct kfd_gpreempt_queue *gpq)
{
	u32 flags = 0;

	if (gpq->hold.asked)
		flags |= KFD_GPREEMPT_QUEUE_ASKED;
	if (gpq->hold.held)
		flags |= KFD_GPREEMPT_QUEUE_HOLD;
	if (gpq->hint.end_ns > ktime_get_ns())
		flags |= KFD_GPREEMPT_QUEUE_HINT;
	if (READ_ONCE(gpq->priority_set))
		flags |= KFD_GPREEMPT_QUEUE_PRIORITY;
	if (gpq->q->properties.is_preempted && gpq->suspect.until_ns > ktime_get_ns())
		flags |= KFD_GPREEMPT_QUEUE_EXCLUDED;
	return flags;
}

/**
 * kfd_gpreempt_queue_info - what GPREEMPT knows of a queue
 * @gpq: the queue's record; its process is locked, or its folder in use
 * @info: out
 *
 * Return: 0, -ENODEV if the node is gone, or -ERESTARTSYS.
 */
int kfd_gpreempt_queue_info(struct kfd_gpreempt_queue *gpq,
			    struct kfd_gpreempt_queue_info *info)
{
	struct kfd_gpreempt *gp = gpq->gp;
	const struct queue *q = gpq->q;
	u32 level;
	int r;

	r = lock_node(gp);
	if (r)
		return r;
	/* No scan does it while the node is bypassed. */
	kfd_gpreempt_expire(gpq, ktime_get_ns());
	kfd_gpreempt_process_follow(q->process);
	mutex_lock(&gp->last_lock);
	level = kfd_gpreempt_queue_priority(gp, q);
	*info = (struct kfd_gpreempt_queue_info) {
		.queue_id = q->properties.queue_id,
		.gpu_id = gp->gpu_id,
		.priority = READ_ONCE(q->properties.priority),
		.permitted = level,
		.effective = level,
		.state = queue_state(gp, q),
		.flags = queue_flags(gpq),
		.timeslice_us = kfd_gpreempt_queue_turn(gp, q),
		.running_ns = gpq->running_ns,
		.waiting_ns = gpq->waiting_ns,
		.preempted_ns = gpq->preempted_total_ns,
		.preemptions = gpq->preemptions,
		.pid = task_tgid_vnr(q->process->lead_thread),
		.context_id = kfd_process_context_id(q->process),
		.backlog = gpq->last.backlog,
		.waves = KFD_GPREEMPT_NONE,
		.save_ns = gpq->save_ns,
		.seen_ns = gpq->last.ns,
	};
	if (gpq->last.ns && gpq->last.seen.waves >= 0)
		info->waves = gpq->last.seen.waves;
	if (gpq->last.ns && kfd_gpreempt_state(gp) == GPREEMPT_ACTIVE &&
	    gpq->last.out.level == GPREEMPT_BOOST)
		info->effective = GPREEMPT_BOOST;
	if (q->properties.is_preempted)
		info->preempted_ns += ktime_get_ns() - gpq->preempted_ns;
	mutex_unlock(&gp->last_lock);
	unlock_node(gp);
	return 0;
}
