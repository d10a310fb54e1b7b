// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT terms: the requests and settings of a queue. These are the priority that it asks for,
 * the one that is set instead, the length of its turn, a hold, an announcement, and reasons to
 * leave it alone. A scan gets the terms that follow.
 */

#include <linux/capability.h>
#include <linux/timekeeping.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "kfd_debug.h"
#include "gpreempt/control/inherit.h"
#include "queue.h"

/* Two lots are compared as a whole. */
static_assert(sizeof(struct gpreempt_lot) == 40);

static_assert(GPREEMPT_TURN_LEAST_US == KFD_GPREEMPT_TIMESLICE_US_MIN);
static_assert(GPREEMPT_TURN_MOST_US == KFD_GPREEMPT_TIMESLICE_US_MAX);

/* So that a queue's own lots are read as a whole; writers have locked its process. */
static DEFINE_SPINLOCK(terms_lock);

/* A queue's own setting comes before its process's lot, and that before the queue's request. */
static struct gpreempt_lot lot_of(const struct queue *q)
{
	const struct gpreempt_lot process = kfd_gpreempt_process_lot(q->process);
	const struct kfd_gpreempt_terms *t = &q->gpreempt->terms;

	guard(spinlock)(&terms_lock);
	return gpreempt_lot_inherit(gpreempt_lot_inherit(t->set, &process), &t->asked);
}

/*
 * Does the caller's CAP_SYS_NICE lift the node's cap for the priority that it asks for? (Rule 8,
 * permission.) No audit record if not: the priority is clamped, and HIP's high-priority streams
 * ask in every application.
 */
static bool lifts_cap(const struct kfd_gpreempt *gp, u32 priority)
{
	return priority > READ_ONCE(gp->priority_cap) &&
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
}

/**
 * kfd_gpreempt_terms_init - a process creates a queue
 * @gp: the node
 * @q: the queue; its process and properties are set
 * @gpq: its record, all 0
 */
void kfd_gpreempt_terms_init(const struct kfd_gpreempt *gp, const struct queue *q,
			     struct kfd_gpreempt_queue *gpq)
{
	gpq->terms.set = GPREEMPT_NO_LOT;
	gpq->terms.asked = GPREEMPT_NO_LOT;
	/* A checkpoint's image may say anything. */
	gpq->terms.asked.priority = min_t(u32, q->properties.priority, KFD_MAX_QUEUE_PRIORITY);
	gpq->terms.asked.nice = lifts_cap(gp, gpq->terms.asked.priority);
}

/* Without a runlist, which changes with the rest, nothing else tells the monitor. */
static void say(struct kfd_gpreempt_queue *gpq, struct gpreempt_lot *said,
		const struct gpreempt_lot *now)
{
	if (!memcmp(said, now, sizeof(*now)))
		return;
	spin_lock(&terms_lock);
	*said = *now;
	spin_unlock(&terms_lock);
	kfd_gpreempt_wake(gpq->gp);
}

/**
 * kfd_gpreempt_queue_updated - a process is about to update a queue
 * @q: the queue, its process locked
 * @priority: the priority that it asks for now
 */
void kfd_gpreempt_queue_updated(struct queue *q, u32 priority)
{
	struct gpreempt_lot asked = GPREEMPT_NO_LOT;
	struct kfd_gpreempt_queue *gpq = q->gpreempt;

	if (!gpq)
		return;
	asked.priority = priority;
	asked.nice = lifts_cap(gpq->gp, priority);
	say(gpq, &gpq->terms.asked, &asked);
}

/**
 * kfd_gpreempt_queue_priority - the priority a queue may have
 * @gp: the node
 * @q: the queue
 *
 * The MQD keeps what the process asked for.
 */
u8 kfd_gpreempt_queue_priority(const struct kfd_gpreempt *gp, const struct queue *q)
{
	const struct gpreempt_lot lot = lot_of(q);

	return gpreempt_permitted(&lot, READ_ONCE(gp->priority_cap));
}

/**
 * kfd_gpreempt_set_priority - set the priority that GPREEMPT acts on
 * @q: the queue, its process locked
 * @priority: 0 to 15, or KFD_GPREEMPT_NONE: what the application asks for
 *
 * Return: what remains of it.
 */
u8 kfd_gpreempt_set_priority(struct queue *q, u32 priority)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	struct gpreempt_lot set = gpq->terms.set;

	set.priority = priority;
	kfd_gpreempt_process_follow(q->process);
	set.nice = priority != KFD_GPREEMPT_NONE && lifts_cap(gpq->gp, priority);
	say(gpq, &gpq->terms.set, &set);
	return kfd_gpreempt_queue_priority(gpq->gp, q);
}

/**
 * kfd_gpreempt_set_timeslice - set the length of a queue's turn
 * @q: the queue, its process locked
 * @us: length, 0: that of its process or level
 *
 * A longer turn takes time from the queue's equals. The queue may go to another level, where turns
 * are shorter: the turn is clamped when it is used.
 *
 * Return: 0, or -EPERM for a longer turn without CAP_SYS_NICE.
 */
int kfd_gpreempt_set_timeslice(struct queue *q, u32 us)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	u8 level = kfd_gpreempt_queue_priority(gpq->gp, q);
	bool nice = ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
	struct gpreempt_lot set = gpq->terms.set;

	if (us > READ_ONCE(gpq->gp->tunables.timeslice_us[level]) && !nice)
		return -EPERM;
	set.turn_us = us;
	set.longer = us && nice;
	say(gpq, &gpq->terms.set, &set);
	return 0;
}

/**
 * kfd_gpreempt_queue_pinned - must a queue be left alone?
 * @q: the queue; DQM lock held
 *
 * So it must while its waves may meet by global wave sync, where stock does not trust the firmware
 * to take such a queue off for a debugger. Nothing else pins a queue, neither a debugger nor its
 * destruction: a tenant decides about these (Rule 11, nobody opts out). A debugger only reads the
 * state of waves while it has suspended their queue, which is off the hardware then, and none of
 * GPREEMPT's business.
 */
bool kfd_gpreempt_queue_pinned(const struct queue *q)
{
	const struct kfd_gpreempt_queue *gpq = q->gpreempt;
	u64 now_ns = ktime_get_ns();

	return (READ_ONCE(q->gws) || q->properties.is_gws) && !kfd_dbg_has_gws_support(q->device) &&
	       !q->properties.is_preempted && !gpreempt_is_kept_off(&gpq->suspect, now_ns) &&
	       gpreempt_gws_stays(gpq->off.back_ns, now_ns,
				  READ_ONCE(gpq->gp->tunables.starvation_ms));
}

/* Off the hardware, once or held there. Noted for the next scan. */
static int preempt(struct queue *q, const struct kfd_ioctl_gpreempt_args *args, bool nice)
{
	struct kfd_gpreempt_terms *t = &q->gpreempt->terms;
	u32 hold_ms = args->preempt.hold_ms;

	if (kfd_gpreempt_queue_pinned(q))
		return -EBUSY;
	if (t->hold.by_nice && !nice)
		return -EPERM;
	if (!(args->flags & KFD_GPREEMPT_HOLD))
		t->hold.asked = !q->properties.is_preempted;
	else
		t->hold = (struct kfd_gpreempt_hold) {
			.asked = t->hold.asked,
			.held = true,
			.by_nice = nice,
			.end_ns = hold_ms ? ktime_get_ns() + (u64)hold_ms * NSEC_PER_MSEC : 0,
		};
	t->requests++;
	return 1;
}

/* It need not be off any longer, whoever asked for it. */
static int resume(struct kfd_gpreempt_terms *t, bool nice)
{
	bool changes = t->hold.asked || t->hold.held;

	if (t->hold.by_nice && !nice)
		return -EPERM;
	t->hold = (struct kfd_gpreempt_hold) {};
	t->requests++;
	return changes;
}

static void forget_hint(struct kfd_gpreempt_terms *t)
{
	t->hint_ns = 0;
	t->hint_end_ns = 0;
}

/* Work is on its way to it; or it is not, with a duration of 0. */
static int hint(struct kfd_gpreempt_terms *t, const struct kfd_gpreempt_hint *h)
{
	bool changes = h->duration_us || t->hint_end_ns;

	forget_hint(t);
	if (h->duration_us) {
		t->hint_ns = ktime_get_ns() + (u64)h->arrival_us * NSEC_PER_USEC;
		t->hint_end_ns = t->hint_ns + (u64)h->duration_us * NSEC_PER_USEC;
	}
	return changes;
}

/**
 * kfd_gpreempt_ask - ask something of a queue
 * @q: the queue; DQM lock held
 * @args: what is asked: PREEMPT, RESUME or HINT
 * @nice: the caller has CAP_SYS_NICE
 *
 * Return: 1 if there is something new for the monitor, 0 if not, or -EPERM or -EBUSY.
 */
int kfd_gpreempt_ask(struct queue *q, const struct kfd_ioctl_gpreempt_args *args, bool nice)
{
	bool foreign = q->process->mm != current->mm;

	switch (args->op) {
	case KFD_GPREEMPT_OP_PREEMPT:
		if ((args->flags & KFD_GPREEMPT_HOLD) && !args->preempt.hold_ms && foreign && !nice)
			return -EPERM;
		return preempt(q, args, foreign && nice);
	case KFD_GPREEMPT_OP_RESUME:
		return resume(&q->gpreempt->terms, nice);
	default:
		return hint(&q->gpreempt->terms, &args->hint);
	}
}

/**
 * kfd_gpreempt_forget - nothing is asked of a queue any more
 * @gpq: the queue's record; DQM lock held
 */
void kfd_gpreempt_forget(struct kfd_gpreempt_queue *gpq)
{
	gpq->terms.hold = (struct kfd_gpreempt_hold) {};
	gpq->terms.requests++;
	forget_hint(&gpq->terms);
	gpq->suspect.role = GPREEMPT_UNSUSPECTED;
}

/**
 * kfd_gpreempt_queue_flags - a queue's terms as flags of the ABI
 * @gpq: the queue's record; DQM lock held
 */
u32 kfd_gpreempt_queue_flags(const struct kfd_gpreempt_queue *gpq)
{
	const struct kfd_gpreempt_terms *t = &gpq->terms;
	u64 now_ns = ktime_get_ns();
	u32 flags = 0;

	if (t->hold.asked)
		flags |= KFD_GPREEMPT_QUEUE_ASKED;
	if (t->hold.held)
		flags |= KFD_GPREEMPT_QUEUE_HOLD;
	if (t->hint_end_ns > now_ns)
		flags |= KFD_GPREEMPT_QUEUE_HINT;
	scoped_guard(spinlock, &terms_lock)
		if (t->set.priority != GPREEMPT_UNSET)
			flags |= KFD_GPREEMPT_QUEUE_PRIORITY;
	if (gpq->q->properties.is_preempted && gpq->suspect.until_ns > now_ns)
		flags |= KFD_GPREEMPT_QUEUE_EXCLUDED;
	return flags;
}

/**
 * kfd_gpreempt_terms - the terms of a queue now; forgets what has expired
 * @q: the queue; DQM lock held
 * @now_ns: the time
 * @terms: out
 */
void kfd_gpreempt_terms(const struct queue *q, u64 now_ns, struct gpreempt_terms *terms)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	bool kept_off = gpreempt_is_kept_off(&gpq->suspect, now_ns);
	struct kfd_gpreempt_terms *t = &gpq->terms;
	const struct kfd_gpreempt *gp = gpq->gp;
	struct gpreempt_lot lot;
	u8 level;

	kfd_gpreempt_process_follow(q->process);
	lot = lot_of(q);
	level = gpreempt_permitted(&lot, READ_ONCE(gp->priority_cap));
	if (t->hold.end_ns && t->hold.end_ns <= now_ns)
		t->hold = (struct kfd_gpreempt_hold) { .asked = t->hold.asked };
	if (t->hint_end_ns <= now_ns)
		forget_hint(t);
	*terms = (struct gpreempt_terms) {
		.priority = level,
		.timeslice_us = gpreempt_turn_us(&lot, READ_ONCE(gp->tunables.timeslice_us[level])),
		.held = t->hold.held || kept_off,
		.hold_end_ns = kept_off ? gpq->suspect.until_ns : t->hold.end_ns,
		.asked = t->hold.asked,
		.pinned = kfd_gpreempt_queue_pinned(q),
		.hint_ns = t->hint_ns,
		.hint_end_ns = t->hint_end_ns,
		.stays = q->properties.format != KFD_QUEUE_FORMAT_AQL || q->properties.is_gws ||
			 READ_ONCE(q->process->debug_trap_enabled),
	};
}
