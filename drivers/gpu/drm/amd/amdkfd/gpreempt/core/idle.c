// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT idle: processes that have nothing to do leave the runlist.
 *
 * Where there are more queues than slots, or more processes than VMIDs, firmware rotates them,
 * those that idle as well as those that work. So while that is so, all queues of a process that
 * have been idle for idle_unmap_ms leave, and come back as soon as one is rung. A CPU that rings
 * takes a fault, as its mapping of the doorbells was taken away before; waves and other GPUs take
 * none, and the queues' memory is read for them.
 *
 * That a queue is idle is not forecast: its indices are equal, no waves of it were found since they
 * moved. Commit has the last word when all queues are off, as the MQD then tells what was saved.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/* Were all of them on the runlist, would some have to wait? */
static bool is_crowded(const struct gpreempt_view *view)
{
	const struct gpreempt_queue_view *q;
	unsigned int queues = view->away;

	gpreempt_for_each(q, view)
		queues += q->seen.mapped || q->seen.preempted;
	return queues > view->slots || view->processes > view->vmids;
}

/**
 * gpreempt_may_idle - may a process have to leave the runlist, or come back?
 * @view: the queues; of their memory nothing is looked at
 *
 * Return: false if no doorbell, whoever rings it, changes anything.
 */
bool gpreempt_may_idle(const struct gpreempt_view *view)
{
	const struct gpreempt_queue_view *q;

	gpreempt_for_each(q, view)
		if (q->seen.bare)
			return true;
	return view->away || (view->tun.idle_unmap_ms && is_crowded(view));
}

/* Has a queue that was read something to do? */
static bool works(const struct gpreempt_queue_view *q)
{
	const struct gpreempt_evidence *e = &q->seen, *was = &q->memory->index.was;

	return (e->mapped ? !q->memory->idle : !e->bare) || !e->readable || e->rptr != e->wptr ||
	       (was->readable && was->rptr != e->rptr);
}

/* Must it stay, or come back, whatever its memory shows? */
static bool must_stay(const struct gpreempt_view *view, const struct gpreempt_terms *t)
{
	return t->stays || t->pinned || t->held || t->asked || t->hint_end_ns > view->now_ns;
}

static void see(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	struct gpreempt_idle *p = q->idle;

	if (!p->begun) {
		p->begun = true;
		p->judged = false;
		p->works = false;
		p->unread = false;
	}
	/* One that stock has taken off, or its process has switched off, needs no slot. */
	if (!q->seen.mapped && !q->seen.preempted)
		return;
	p->works |= must_stay(view, &q->terms);
	if (q->reading.wanted || (q->seen.bare && !p->look))
		p->unread = true;
	else
		p->works |= works(q);
}

/*
 * A process has come back. It changes the runlist twice, at the cost of all others: if it was off
 * for less time than it had been idle before that, it has to be idle for twice as long the next
 * time.
 */
static void see_back(struct gpreempt_idle *p, u64 off_ns, u64 idle_ns)
{
	if (off_ns >= idle_ns)
		p->doublings -= p->doublings > 0;
	else if (p->doublings < GPREEMPT_IDLE_DOUBLINGS)
		p->doublings++;
}

static void judge(const struct gpreempt_view *view, struct gpreempt_idle *p, bool crowded)
{
	u64 now = max_t(u64, view->now_ns, 1);
	u64 idle_ns = (view->tun.idle_unmap_ms * NSEC_PER_MSEC) << p->doublings;
	bool rung = p->awaited && !p->trapped, was_off = p->off;

	p->begun = false;
	p->judged = true;
	if (p->works)
		p->since_ns = 0;
	else if (!p->since_ns || p->since_ns > now || rung)
		p->since_ns = now;
	p->awaited = crowded && idle_ns && gpreempt_reached(p->since_ns, now, idle_ns);
	/* What was not read this time stays as it is. */
	p->off = p->awaited && p->trapped && (p->off || !p->unread);
	if (p->off && !was_off)
		p->off_ns = now;
	else if (was_off && !p->off && crowded && idle_ns)
		see_back(p, now - p->off_ns, idle_ns);
}

/**
 * gpreempt_find_idle - which processes are to be off the runlist?
 * @view: the scan, its memory read; of each queue &gpreempt_terms.idle is filled in
 *
 * Called before the decision, once a scan.
 *
 * Return: &gpreempt_view.look_ns, when the next scan is to be at the latest; 0: there is no need.
 */
u64 gpreempt_find_idle(struct gpreempt_view *view)
{
	bool crowded = is_crowded(view);
	struct gpreempt_queue_view *q;

	gpreempt_for_each(q, view)
		see(view, q);
	gpreempt_for_each(q, view) {
		if (!q->idle->judged)
			judge(view, q->idle, crowded);
		q->terms.idle = q->idle->off;
	}
	return gpreempt_may_idle(view) ? view->look_ns : 0;
}
