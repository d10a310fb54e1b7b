// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT events: what changes a node's state, and what is woken then.
 */

#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>

#include "priv.h"
#include "trace.h"

/**
 * kfd_gpreempt_state - the state of a node
 * @gp: the node
 */
enum gpreempt_state kfd_gpreempt_state(struct kfd_gpreempt *gp)
{
	enum gpreempt_state state;

	spin_lock(&gp->facts_lock);
	state = gpreempt_state(&gp->facts);
	spin_unlock(&gp->facts_lock);
	return state;
}

/**
 * kfd_gpreempt_event - change a node's state as an event demands
 * @gp: the node
 * @event: what happened
 *
 * Return: the new state.
 */
enum gpreempt_state kfd_gpreempt_event(struct kfd_gpreempt *gp,
				       enum gpreempt_event event)
{
	enum gpreempt_state before, after;

	spin_lock(&gp->facts_lock);
	before = gpreempt_state(&gp->facts);
	gpreempt_event(&gp->facts, event);
	after = gpreempt_state(&gp->facts);
	if (before != after) {
		trace_kfd_gpreempt_state(gp->node->id, after);
		kfd_gpreempt_ticked(gp);
	}
	spin_unlock(&gp->facts_lock);
	return after;
}

/**
 * kfd_gpreempt_wake - make the monitor look at once
 * @gp: the node; its &kfd_gpreempt.node may be gone
 */
void kfd_gpreempt_wake(struct kfd_gpreempt *gp)
{
	atomic64_cmpxchg(&gp->woken_ns, 0, ktime_get_ns());
	WRITE_ONCE(gp->kick, true);
	wake_up(&gp->wait);
}

/**
 * kfd_gpreempt_ticked - let whoever waits for an outcome look
 * @gp: the node
 */
void kfd_gpreempt_ticked(struct kfd_gpreempt *gp)
{
	atomic_inc_return_release(&gp->ticks);
	wake_up_all(&gp->ticked);
}
