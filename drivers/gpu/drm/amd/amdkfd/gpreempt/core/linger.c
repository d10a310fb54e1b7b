// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT linger: when do lower queues come back?
 *
 * They come back when all above have been idle for a while. Each group learns that time: it starts
 * at 0, doubles when lower queues came back and had to leave again at once, and shrinks slowly when
 * they could stay. So a request of many kernels costs one preemption, and not one for each gap.
 * They also come back when no queue above has wanted more of the machine for 10 ms, or for 40 ms
 * while kernels go on to begin there. So small kernels keep nobody off, whether they never end or
 * follow each other. Each group learns these times in the same way.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/* The first linger of a group whose lower queues came back in vain. */
#define FIRST_NS	(50 * NSEC_PER_USEC)
/* It loses this part of its linger each time that they could stay: once in a request. */
#define SHRINK		64
/* Lingers are no greater part of the time of those that are kept off, ... */
#define PART		50
/* ... over so long. */
#define SPAN_NS		NSEC_PER_SEC
#define QUIET_LEAST_NS	(10 * NSEC_PER_MSEC)
#define BEGINS		4	/* so many times as long, while something goes on to begin */
#define QUIET_MOST_NS	NSEC_PER_SEC

/* How long may a group linger now? It saves up unused time for SPAN_NS at most. */
static u64 linger_ns(const struct gpreempt_linger *l, const struct gpreempt_view *view)
{
	u64 most_ns = (u64)view->tun.linger_max_us * NSEC_PER_USEC, now = view->now_ns;
	u64 spent_ns = clamp_t(u64, l->spent_ns, now - min_t(u64, now, SPAN_NS), now);

	return min3(l->linger_ns, most_ns, div_u64(now - spent_ns, PART));
}

/**
 * gpreempt_linger_until - until when does a queue keep lower ones off, if nothing new comes?
 * @view: the scan
 * @q: the queue, whose activity and wants are known
 *
 * Return: ns in the scan's clock, U64_MAX for as long as it wants more, 0 if it does not.
 */
u64 gpreempt_linger_until(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_linger *l = &q->turn->linger;
	u64 quiet_ns = max_t(u64, l->quiet_ns, QUIET_LEAST_NS);
	u64 began_ns = q->change.consumed ? view->now_ns : max(l->began_ns, l->wanted_ns);
	u64 idle_ns = q->change.consumed || !l->idle_ns ? view->now_ns : l->idle_ns;

	switch (q->out.activity) {
	case GPREEMPT_RUNNING:
	case GPREEMPT_RUNNABLE:
		if (q->out.wants || q->out.raised)
			return U64_MAX;
		return l->wanted_ns ?
		       min(began_ns + quiet_ns, l->wanted_ns + BEGINS * quiet_ns) : 0;
	case GPREEMPT_IDLE:
		return l->wanted_ns ? idle_ns + linger_ns(l, view) : 0;
	default:
		return 0;
	}
}

/*
 * Lower queues leave for a group again: was their return worth it? If the group had ended, a longer
 * linger would have bridged its pause. If it worked on, the lower queues may not even have run.
 */
static void leaves(const struct gpreempt_view *view, const struct gpreempt_queue_view *q,
		   struct gpreempt_linger *l)
{
	u64 most_ns = (u64)view->tun.linger_max_us * NSEC_PER_USEC;
	u64 once_us = 2ULL * view->tun.poll_interval_us + view->tun.min_residency_us;
	u64 now = view->now_ns;

	if (!l->back_ns)
		return;
	if (l->worked)
		l->quiet_ns = (!view->blind && q->memory->unseen.restored) ||
			      now - l->back_ns <= once_us * NSEC_PER_USEC ?
			      clamp_t(u64, 2 * l->quiet_ns, 2 * QUIET_LEAST_NS, QUIET_MOST_NS) :
			      l->quiet_ns / 2;
	else if ((l->idle_ns ? now - l->idle_ns : l->pause_ns) > most_ns)
		l->linger_ns -= l->linger_ns / SHRINK;
	else if (!l->cut)
		l->linger_ns = min(max_t(u64, 2 * l->linger_ns, FIRST_NS), most_ns);
	l->back_ns = 0;
}

static void comes_back(const struct gpreempt_view *view, const struct gpreempt_queue_view *q,
		       const struct gpreempt_queue_view *above, struct gpreempt_linger *l)
{
	u64 now = max_t(u64, view->now_ns, 1), lingered_ns = linger_ns(l, view);
	bool works = gpreempt_has_work(above);

	/* One of its queues stands for all; and it was waited for. */
	if (l->back_ns == now ||
	    (!works && (!l->wanted_ns || (l->idle_ns && l->idle_ns < q->state.waits_ns))))
		return;
	l->back_ns = now;
	l->worked = works;
	l->cut = lingered_ns < l->linger_ns;
	if (!works)
		l->spent_ns = max(l->spent_ns, now - min_t(u64, now, SPAN_NS)) + PART * lingered_ns;
}

/* The lowest queue that leaves for those above, or comes back as they let it. */
static const struct gpreempt_queue_view *lowest(const struct gpreempt_view *view)
{
	const struct gpreempt_queue_view *lowest = NULL;
	const struct gpreempt_queue_view *q;

	gpreempt_for_each(q, view) {
		if (q->out.reason != GPREEMPT_REASON_INVERSION &&
		    q->out.reason != GPREEMPT_REASON_AGED &&
		    q->out.reason != GPREEMPT_REASON_FREE &&
		    q->out.reason != GPREEMPT_REASON_BLOCKED)
			continue;
		if (!lowest || q->out.level < lowest->out.level)
			lowest = q;
	}
	return lowest;
}

/**
 * gpreempt_linger_learn - remember for whom others left and came back, and what they want
 * @view: the scan, with its plan
 */
void gpreempt_linger_learn(const struct gpreempt_view *view)
{
	const struct gpreempt_queue_view *mover = lowest(view), *q;
	u64 now = max_t(u64, view->now_ns, 1);

	gpreempt_for_each(q, view) {
		struct gpreempt_linger *l = &q->turn->linger;

		if (!mover || !gpreempt_takes_part(q) || q->out.level <= mover->out.level ||
		    !gpreempt_cus_meet(&q->seen.cus, &mover->seen.cus))
			continue;
		if (mover->out.verdict == GPREEMPT_RESUME)
			comes_back(view, mover, q, l);
		else if (q->out.wants || mover->out.reason == GPREEMPT_REASON_AGED)
			leaves(view, mover, l);
	}
	/* The end of a group is that of its last queue; something consumed is another end. */
	gpreempt_for_each(q, view) {
		struct gpreempt_linger *l = &q->turn->linger;

		if (!l->idle_ns || q->change.consumed)
			l->idle_ns = now;
		if (q->out.wants)
			l->wanted_ns = now;
		if (q->change.consumed)
			l->began_ns = now;
	}
	gpreempt_for_each(q, view) {
		struct gpreempt_linger *l = &q->turn->linger;

		if (!gpreempt_has_work(q))
			continue;
		if (l->idle_ns)
			l->pause_ns = now - min(now, l->idle_ns);
		l->idle_ns = 0;
	}
}
