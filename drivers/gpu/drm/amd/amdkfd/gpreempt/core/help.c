// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT help: rule 3, starvation.
 *
 * A process that is kept from executing on a level for longer than starvation_ms is helped: the
 * queue of it that has waited longest stands above all others until it has executed for
 * min_residency_us. It has that long until those above may be taken off, and then blocked_us and
 * some scans to begin, as one that never does would be helped for ever. One queue at a time: two
 * might share the machine so that neither can launch all it has, each time anew, and kernels that
 * wait for each other in their waves would never end.
 *
 * Help is a loss for those above. So what it took from them, with the saves, is followed by seven
 * times as long in which there is none: with many that starve the wait grows, and never the loss.
 * Processes are helped in turn, however many queues or levels one has.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/* So many scans find what still stands in the way of a queue that is helped, and that it left. */
#define BEGIN_SCANS	4

/* Since when does a queue's process wait on its level? */
static u64 waits_ns(const struct gpreempt_queue_view *q)
{
	return q->state.waits_ns ? max(q->state.waits_ns, q->turn->ran_ns) : 0;
}

/* Processes in turn; of one of them the level, and then the queue, that has waited longest. */
static bool is_next(const struct gpreempt_queue_view *q, const struct gpreempt_queue_view *other)
{
	u64 q_ns = max(waits_ns(q), q->group->helped_ns), other_ns;

	if (!other)
		return true;
	other_ns = max(waits_ns(other), other->group->helped_ns);
	if (q_ns != other_ns)
		return q_ns < other_ns;
	if (waits_ns(q) != waits_ns(other))
		return waits_ns(q) < waits_ns(other);
	return q->state.waits_ns < other->state.waits_ns;
}

/* Does one above a queue want compute units that the queue may use? */
static bool is_wanted_above(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_queue_view *above;

	gpreempt_for_each(above, view) {
		if (above->rank.level > q->rank.level && gpreempt_has_work(above) &&
		    gpreempt_cus_meet(&above->seen.cus, &q->seen.cus))
			return true;
	}
	return false;
}

/* Has a queue that is being helped had what it needs, made no use of it, or nothing more to run? */
static bool is_over(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	u64 begin_us = view->tun.min_residency_us + view->tun.blocked_us +
		       BEGIN_SCANS * (u64)view->tun.poll_interval_us;
	u64 us = view->help.executed_ns ? view->tun.min_residency_us : begin_us;
	u64 from_ns = view->help.executed_ns ?: view->help.given_ns, now_ns = view->now_ns;

	return !gpreempt_has_work(q) || (!view->contested && q->seen.mapped) ||
	       from_ns > now_ns || gpreempt_reached(from_ns, now_ns, us * NSEC_PER_USEC);
}

/**
 * gpreempt_help - which queue stands above all others, as it has starved?
 * @view: the scan, with the queues' states
 * @next_ns: when the answer may be another one, in the scan's clock; 0 if that is not known
 *
 * Return: the queue, or NULL.
 */
struct gpreempt_queue_view *gpreempt_help(const struct gpreempt_view *view, u64 *next_ns)
{
	u64 starved_ns = (u64)view->tun.starvation_ms * NSEC_PER_MSEC;
	struct gpreempt_queue_view *next = NULL, *q;

	*next_ns = 0;
	if (view->passive)
		return NULL;
	gpreempt_for_each(q, view) {
		if (q->memory->raised && !is_over(view, q)) {
			if (view->help.executed_ns)
				*next_ns = view->help.executed_ns +
					   (u64)view->tun.min_residency_us * NSEC_PER_USEC;
			return q;
		}
		/* Between two the machine is theirs that stand above by right. */
		if (q->memory->raised)
			return NULL;
		if (gpreempt_reached(waits_ns(q), view->now_ns, starved_ns) && is_next(q, next))
			next = q;
	}
	if (!next || view->now_ns >= view->help.next_ns || !is_wanted_above(view, next))
		return next;
	*next_ns = view->help.next_ns;
	return NULL;
}

/**
 * gpreempt_help_learn - remember who is helped, and what that costs those above
 * @view: the scan, with its plan
 */
void gpreempt_help_learn(struct gpreempt_view *view)
{
	struct gpreempt_help *h = &view->help;
	u64 now = max_t(u64, view->now_ns, 1);
	const struct gpreempt_queue_view *helped = NULL;
	struct gpreempt_queue_view *q;
	bool executes;

	gpreempt_for_each(q, view) {
		executes = q->seen.mapped && q->out.activity == GPREEMPT_RUNNING;
		if (executes && q->seen.waves)
			q->turn->ran_ns = now;
		q->memory->raised = q->out.raised;
		if (q->out.raised)
			helped = q;
	}
	if (!helped) {
		/* They are back when this plan is carried out, which takes a save. */
		if (h->since_ns && h->costs)
			h->next_ns = now + (GPREEMPT_HELP_PART - 1) *
					   (now - min(h->since_ns, now) + view->save_ns);
		h->since_ns = 0;
		return;
	}
	if (!h->since_ns)
		*h = (struct gpreempt_help) { .since_ns = now, .next_ns = h->next_ns };
	else if (!h->given_ns)
		h->given_ns = now;
	h->costs |= is_wanted_above(view, helped);
	helped->group->helped_ns = now;
	executes = helped->seen.mapped && helped->out.activity == GPREEMPT_RUNNING;
	/* One packet may have been fetched, and have found no space. */
	if (executes && !h->executed_ns && (helped->seen.waves || h->moved))
		h->executed_ns = now;
	h->moved |= executes;
}
