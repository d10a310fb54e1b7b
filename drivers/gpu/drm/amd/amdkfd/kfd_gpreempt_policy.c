// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policies: none, strict, timeslice.
 *
 * A decision is a few passes over the queues, each linear and without memory of
 * its own beyond a few extremes: contended() asks whether wave counts matter,
 * observe() classifies and keeps the history, expire() finds those that do not
 * use the machine they were given, weigh() finds who keeps whom off. Then come
 * the verdicts: take_turns() finds whose turn it is on each level, preempt()
 * whom to take off for a higher one, and who may is put back.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "kfd_gpreempt_policy.h"

/**
 * struct gpreempt_decision - a decision in the making
 * @view:	what it is about
 * @tun:	the tunables
 * @policy:	who decides
 * @plan:	what comes of it
 * @lead_ns:	how long before announced work comes the machine is to be freed
 * @informed:	wave counts are as good as they get; without them nobody is
 *		blocked or waiting
 * @running:	highest effective level with a queue that executes; as the others
 *		below, -1 if there is none
 * @holding:	lowest with a queue that may have waves and could be preempted,
 *		above %GPREEMPT_BOOST if none has
 * @active:	highest that runs or is runnable
 * @blocked:	highest that is blocked
 * @wanting:	highest that wants more of the machine
 * @entitled:	the same of those that have work and were not raised
 * @announced:	the same of those that work was announced for
 * @unbounded:	the same of those that want all there is, for all that is known
 * @demand:	waves that the others of @wanting want
 */
struct gpreempt_decision {
	struct gpreempt_view *view;
	const struct gpreempt_tunables *tun;
	const struct gpreempt_policy *policy;
	struct gpreempt_plan *plan;
	u64 lead_ns;
	bool informed;
	int running;
	int holding;
	int active;
	int blocked;
	int wanting;
	int entitled;
	int announced;
	int unbounded;
	u64 demand;
};

/* A clock that lies in the future (time went backwards) starts anew. */
static void gpreempt_clock_run(u64 *since, u64 now)
{
	if (!*since || *since > now)
		*since = max_t(u64, now, 1);
}

static bool gpreempt_clock_reached(u64 since, u64 now, u64 ns)
{
	return since && now >= since && now - since >= ns;
}

/* A hold has no force over a queue that must not be taken off. */
static bool gpreempt_held(const struct gpreempt_queue_view *q)
{
	return q->held && !q->pinned;
}

/* Held, or off the hardware for another reason than ours: not in the game. */
static bool gpreempt_takes_part(const struct gpreempt_queue_view *q)
{
	return (q->mapped || q->preempted) && !gpreempt_held(q);
}

/*
 * A difference below zero is nonsense, or the GPU moved on between two reads:
 * nothing is waiting. One above the ring's size is producers waiting for room.
 */
static u32 gpreempt_backlog(const struct gpreempt_queue_view *q)
{
	u64 packets = q->wptr - q->rptr;

	if (!q->readable || q->head == GPREEMPT_HEAD_INVALID || packets > S64_MAX)
		return 0;
	return min_t(u64, packets, q->size);
}

static bool gpreempt_consumed(const struct gpreempt_queue_view *q)
{
	return q->readable && q->hist->seen && q->rptr != q->hist->rptr;
}

static bool gpreempt_submitted(const struct gpreempt_queue_view *q)
{
	return q->readable && q->hist->seen && q->wptr != q->hist->wptr &&
	       q->wptr - q->rptr <= S64_MAX;
}

/*
 * Signals are pooled: one that completed may be at work for another queue. It
 * is this queue's again when there is a newer packet.
 */
static bool gpreempt_pending(const struct gpreempt_queue_view *q)
{
	return q->signal == GPREEMPT_SIGNAL_PENDING && !q->hist->done;
}

/* May have waves, or packets on their way to waves, that no index shows. */
static bool gpreempt_may_hide(const struct gpreempt_queue_view *q)
{
	const struct gpreempt_history *h = q->hist;

	return h->busy || h->fresh || h->restored ||
	       (q->readable && !h->seen) || gpreempt_submitted(q);
}

static u8 gpreempt_effective(const struct gpreempt_queue_view *q)
{
	if (q->hist->boosted)
		return GPREEMPT_BOOST;
	return min_t(u8, q->priority, GPREEMPT_LEVELS - 1);
}

/* How long a queue's turn is; 0 if it takes none. */
static u64 gpreempt_slice_ns(const struct gpreempt_decision *d,
			     const struct gpreempt_queue_view *q)
{
	u8 level = gpreempt_effective(q);

	if (!d->policy->rotates || level >= GPREEMPT_LEVELS || q->pinned)
		return 0;
	return (u64)(q->timeslice_us ?: d->tun->timeslice_us[level]) * NSEC_PER_USEC;
}

/* Is work announced that has not come, and may still come? */
static bool gpreempt_expects(const struct gpreempt_decision *d,
			     const struct gpreempt_queue_view *q)
{
	return q->hint_ns && d->view->now_ns < q->hint_end_ns &&
	       q->hist->void_hint_ns != q->hint_ns;
}

/* The same, so soon that the machine is to be freed for it. */
static bool gpreempt_hinted(const struct gpreempt_decision *d,
			    const struct gpreempt_queue_view *q)
{
	return gpreempt_expects(d, q) && d->view->now_ns + d->lead_ns >= q->hint_ns;
}

/* Wants or holds the machine, as its indices, its signal or a hint show. */
static bool gpreempt_shows(const struct gpreempt_decision *d,
			   const struct gpreempt_queue_view *q)
{
	return q->preempted || !q->readable || gpreempt_backlog(q) || q->waves > 0 ||
	       gpreempt_consumed(q) || gpreempt_pending(q) || gpreempt_hinted(d, q);
}

/*
 * Wave counts matter if queues of two levels, or two that take turns, may want
 * or hold the machine, or if nothing but hidden waves keeps the monitor from
 * parking. Who said that it has ended may hide some: that it did keeps others off
 * no longer, and is to be checked. Changes no history. @blind tells that one of
 * these counts is not known.
 */
static bool gpreempt_contended(const struct gpreempt_decision *d, bool *blind)
{
	int lowest = GPREEMPT_BOOST + 1, highest = -1;
	bool shown = false, hidden = false;
	u32 turns = 0, contested = 0;
	unsigned int i;

	*blind = false;
	for (i = 0; i < d->view->nr; i++) {
		struct gpreempt_queue_view *q = &d->view->q[i];
		bool hides = gpreempt_may_hide(q) || q->hist->claimed;
		bool backlog = gpreempt_backlog(q);
		bool shows = gpreempt_shows(d, q);
		u8 level = gpreempt_effective(q);

		q->matters = false;
		q->presumed = false;
		q->ended = false;
		if (!gpreempt_takes_part(q))
			continue;
		hidden |= hides;
		shown |= shows;
		if (!hides && !shows)
			continue;
		/* Waits for a signal, and has nothing else to run. */
		if (backlog && q->head == GPREEMPT_HEAD_WAITS && !hides &&
		    !q->preempted && q->waves <= 0)
			continue;
		q->matters = q->mapped;
		*blind |= q->mapped && q->waves == GPREEMPT_WAVES_UNKNOWN;
		lowest = min_t(int, lowest, level);
		highest = max_t(int, highest, level);
		if (gpreempt_slice_ns(d, q)) {
			contested |= turns & BIT(level);
			turns |= BIT(level);
		}
	}
	if (lowest < highest || contested)
		return true;
	/* Before the monitor parks, whatever still runs has to be found. */
	for (i = 0; i < d->view->nr && hidden && !shown; i++)
		d->view->q[i].matters = d->view->q[i].mapped;
	return hidden && !shown;
}

/*
 * The state of a queue that takes no part: what it has saved, or has in its
 * ring, cannot run. Its indices are compared again when it is back.
 */
static void gpreempt_observe_absent(struct gpreempt_queue_view *q)
{
	struct gpreempt_history *h = q->hist;

	h->resident_since_ns = 0;
	h->waiting_since_ns = 0;
	h->executed_since_ns = 0;
	h->given_since_ns = 0;
	h->busy_since_ns = 0;
	h->awake = false;
	h->scanned_ns = 0;
	h->boosted = false;
	h->blocked = false;
	h->served = false;
	if (q->preempted || h->busy)
		h->restored = true;
	h->busy = false;

	if (q->backlog || h->restored || h->fresh)
		q->state = GPREEMPT_BLOCKED;
	else
		q->state = q->readable ? GPREEMPT_IDLE : GPREEMPT_UNKNOWN;
}

/*
 * Its head packet waits, and nothing before it is on its way to waves: a packet
 * that was consumed at fetch, or waves that were saved.
 */
static bool gpreempt_waits(const struct gpreempt_queue_view *q)
{
	return q->backlog && q->head == GPREEMPT_HEAD_WAITS &&
	       (q->waves > 0 || !(q->hist->passed || q->hist->restored));
}

/* How long it has nothing, from a scan that saw so to one that saw it submit. */
static void gpreempt_time_pause(struct gpreempt_queue_view *q, u64 now)
{
	struct gpreempt_history *h = q->hist;
	u64 ns;

	if (h->ended_ns && gpreempt_submitted(q)) {
		ns = now > h->ended_ns ? now - h->ended_ns : 0;
		h->pause_ns = h->pause_ns ? (3 * h->pause_ns + ns) / 4 : ns;
		h->ended_ns = 0;
	}
	if (q->backlog || q->waves > 0 || gpreempt_pending(q))
		h->ended_ns = 0;
	else if (q->signal == GPREEMPT_SIGNAL_DONE &&
		 (q->ended || (q->waves == 0 && (!q->late || q->ordered))))
		gpreempt_clock_run(&h->ended_ns, now);
}

/*
 * Bring the evidence up to date. Uncontended for blocked_us, a queue is past
 * launching: it has waves or it has none, and a count will tell which.
 */
static void gpreempt_remember(const struct gpreempt_decision *d,
			      struct gpreempt_queue_view *q)
{
	const struct gpreempt_tunables *tun = d->tun;
	struct gpreempt_history *h = q->hist;
	u64 now = d->view->now_ns;
	bool done = q->signal == GPREEMPT_SIGNAL_DONE;
	bool waits = q->head == GPREEMPT_HEAD_WAITS;
	bool settled;

	gpreempt_time_pause(q, now);
	if (q->readable)
		h->done = done || (h->done && q->wptr == h->wptr);

	if (gpreempt_submitted(q) || gpreempt_consumed(q) || q->late) {
		h->fresh = true;
		h->moved_ns = max_t(u64, now, 1);
	}
	h->passed |= gpreempt_consumed(q) ||
		     (!h->seen && (q->backlog ? q->previous == GPREEMPT_SIGNAL_PENDING :
						gpreempt_pending(q)));
	if ((q->waves > 0 && !q->late) || q->previous == GPREEMPT_SIGNAL_DONE)
		h->passed = false;
	/* A new head packet, or one that was waiting, gets its chance. */
	if (gpreempt_consumed(q) || q->preempted || q->waves > 0 ||
	    (q->backlog && (!h->backlog || gpreempt_waits(q) || (h->waited && !waits))))
		h->blocked = false;
	if (gpreempt_consumed(q))
		h->served = false;
	if (gpreempt_consumed(q) || q->waves > 0)
		h->doubted = false;
	/*
	 * Rule 3 before rule 2: the machine may only have been slow. Who was
	 * found blocked gets another chance, at once, after starvation_ms.
	 */
	if (h->blocked && gpreempt_clock_reached(h->blocked_ns, now,
						 (u64)tun->starvation_ms * NSEC_PER_MSEC)) {
		h->blocked = false;
		h->waiting_since_ns = h->blocked_ns;
	}
	if (q->readable) {
		if (!h->seen)
			h->busy = true;
		h->seen = true;
		h->rptr = q->rptr;
		h->wptr = q->wptr;
		h->backlog = q->backlog;
		h->waited = waits;
	}

	if (q->preempted) {
		h->restored = true;
		h->moved_ns = max_t(u64, now, 1);
		h->busy = false;
		h->resident_since_ns = 0;
		return;
	}
	gpreempt_clock_run(&h->resident_since_ns, now);
	/* What cannot be checked is not believed. */
	if (h->claimed && d->view->waves_final && q->matters) {
		h->busy |= q->waves == GPREEMPT_WAVES_UNKNOWN;
		h->claimed = false;
	}
	if (q->ended) {
		h->busy = false;
		h->fresh = false;
		h->passed = false;
		h->restored = false;
		h->claimed = true;
	}
	/* New packets behind a head that waits are not on their way to waves. */
	if (gpreempt_waits(q))
		h->fresh = false;
	settled = gpreempt_clock_reached(h->moved_ns, now,
					 (u64)tun->blocked_us * NSEC_PER_USEC);
	if (!d->informed && settled) {
		h->busy |= h->fresh || h->restored;
		h->fresh = false;
		h->passed = false;
		h->restored = false;
	}
	/* A count says nothing of packets that were consumed after it. */
	if (q->waves > 0) {
		h->fresh = q->late;
		h->restored = false;
		h->busy = true;
	} else {
		if (q->waves == 0)
			h->busy = false;
		if (h->done && (!q->late || q->ordered) && (q->waves == 0 || d->informed))
			h->fresh = false;
		/* It ended before it was taken off: nothing was saved. */
		if ((h->done || q->previous == GPREEMPT_SIGNAL_DONE) &&
		    q->waves == 0 && settled)
			h->restored = false;
	}
}

/* Packets consumed, waves not seen, and reason to believe that they will come. */
static bool gpreempt_launching(const struct gpreempt_queue_view *q)
{
	const struct gpreempt_history *h = q->hist;

	return q->waves <= 0 &&
	       (h->restored || h->busy || h->fresh || gpreempt_pending(q));
}

/* A queue that is blocked without backlog is idle, but for a pending signal. */
static enum gpreempt_queue_state gpreempt_unused(const struct gpreempt_queue_view *q)
{
	if (q->backlog || gpreempt_pending(q))
		return GPREEMPT_BLOCKED;
	return GPREEMPT_IDLE;
}

/*
 * Whatever it consumed since the last scan has ended, and what it did until now says
 * that nothing will come soon: then it is idle, and not for an interval taken to run.
 */
static bool gpreempt_pauses(const struct gpreempt_decision *d,
			    const struct gpreempt_queue_view *q)
{
	return q->hist->ended_ns &&
	       q->hist->pause_ns > 2ULL * d->tun->poll_interval_us * NSEC_PER_USEC;
}

/* Who moved on while waves were counted got room: whether for all, the next scan tells. */
static void gpreempt_classify(const struct gpreempt_decision *d,
			      struct gpreempt_queue_view *q, bool moved)
{
	bool waits = gpreempt_waits(q);
	bool launching = gpreempt_launching(q);

	q->wants = false;
	if (q->preempted) {
		q->state = GPREEMPT_RUNNABLE;
		q->wants = true;
	} else if (q->waves > 0 || (moved && !gpreempt_pauses(d, q)) || q->presumed) {
		q->state = GPREEMPT_RUNNING;
		q->wants = q->backlog ? q->head != GPREEMPT_HEAD_WAITS :
					launching && !q->presumed && !q->late;
	} else if (!q->readable) {
		q->state = GPREEMPT_UNKNOWN;
	} else if (waits) {
		q->state = GPREEMPT_BLOCKED;
	} else if (q->hist->blocked) {
		q->state = gpreempt_unused(q);
	} else if (q->backlog || launching) {
		q->state = GPREEMPT_RUNNABLE;
		q->wants = q->backlog || !q->late;
	} else {
		q->state = GPREEMPT_IDLE;
	}
	if (q->asked)
		q->wants = false;

	q->announced = q->state == GPREEMPT_IDLE && gpreempt_hinted(d, q);
	if (q->announced) {
		q->state = GPREEMPT_RUNNABLE;
		q->wants = true;
	}
}

/*
 * How long it has been busy, and how long it is as a rule: from a scan that saw
 * it begin to one that saw it idle. Who was kept off in between says nothing.
 */
static void gpreempt_time_work(const struct gpreempt_decision *d,
			       struct gpreempt_queue_view *q)
{
	struct gpreempt_history *h = q->hist;
	u64 now = d->view->now_ns, ns;

	if (q->state == GPREEMPT_IDLE && h->busy_since_ns && now > h->busy_since_ns) {
		ns = now - h->busy_since_ns;
		h->span_ns = h->span_ns ? (3 * h->span_ns + ns) / 4 : ns;
	}
	/* Without wave counts, whoever is runnable runs: it has no competitor. */
	if (q->mapped && (q->state == GPREEMPT_RUNNING ||
			  (q->state == GPREEMPT_RUNNABLE && !d->informed)))
		gpreempt_clock_run(&h->busy_since_ns, now);
	else
		h->busy_since_ns = 0;
	h->begun = !h->awake;
	h->awake = q->state == GPREEMPT_RUNNING || q->state == GPREEMPT_RUNNABLE;
}

/* Its turn goes on while it is mapped, from scan to scan or from the resume. */
static void gpreempt_time_turn(struct gpreempt_queue_view *q, u64 now)
{
	struct gpreempt_history *h = q->hist;
	u64 since = max(h->scanned_ns, h->resident_since_ns);

	if (h->turn && since && now > since)
		h->turn_ns += now - since;
	h->scanned_ns = q->mapped ? now : 0;
}

static void gpreempt_boost_end(struct gpreempt_history *h)
{
	h->boosted = false;
	h->executed_since_ns = 0;
	h->waiting_since_ns = 0;
}

/*
 * Rule 3. The clock runs while a queue is preempted or was seen not to execute
 * what it has; who executes, or cannot, does not wait. Raised, a queue stays so
 * until a scan after the one that first saw it execute, and for min_residency_us.
 */
static void gpreempt_age(const struct gpreempt_decision *d, struct gpreempt_queue_view *q)
{
	const struct gpreempt_tunables *tun = d->tun;
	struct gpreempt_history *h = q->hist;
	u64 now = d->view->now_ns;
	bool executing = q->mapped && q->state == GPREEMPT_RUNNING;
	bool waiting = q->preempted || (d->informed && q->state == GPREEMPT_RUNNABLE &&
					!q->announced);

	if (h->boosted) {
		if ((!executing && !waiting) || (!d->informed && q->mapped) ||
		    gpreempt_clock_reached(h->executed_since_ns, now,
					   (u64)tun->min_residency_us * NSEC_PER_USEC))
			gpreempt_boost_end(h);
		else if (executing)
			gpreempt_clock_run(&h->executed_since_ns, now);
	}
	if (!waiting)
		h->waiting_since_ns = 0;
	else
		gpreempt_clock_run(&h->waiting_since_ns, now);
}

/*
 * Raise who has waited for longer than starvation_ms, one at a time, the one that
 * has waited longest. Two at once might share the machine so that neither can
 * launch all it has, each time anew; kernels that wait for each other in their
 * waves would never end.
 */
static void gpreempt_raise(const struct gpreempt_decision *d)
{
	u64 limit = (u64)d->tun->starvation_ms * NSEC_PER_MSEC;
	struct gpreempt_queue_view *starved = NULL;
	unsigned int i;

	for (i = 0; i < d->view->nr; i++) {
		struct gpreempt_queue_view *q = &d->view->q[i];
		u64 since = q->hist->waiting_since_ns;

		if (q->hist->boosted)
			return;
		if (gpreempt_clock_reached(since, d->view->now_ns, limit) &&
		    (!starved || since < starved->hist->waiting_since_ns))
			starved = q;
	}
	if (!starved)
		return;
	starved->hist->boosted = true;
	starved->effective = GPREEMPT_BOOST;
}

/* Classify every queue and bring its history up to date. */
static void gpreempt_observe(struct gpreempt_decision *d)
{
	u64 now = d->view->now_ns;
	unsigned int i;

	for (i = 0; i < d->view->nr; i++) {
		struct gpreempt_queue_view *q = &d->view->q[i];
		bool moved = gpreempt_consumed(q);
		bool holds;

		q->reason = GPREEMPT_REASON_NONE;
		q->wants = false;
		q->announced = false;
		q->backlog = gpreempt_backlog(q);
		if (!gpreempt_takes_part(q)) {
			gpreempt_observe_absent(q);
			q->effective = gpreempt_effective(q);
			continue;
		}
		gpreempt_remember(d, q);
		gpreempt_classify(d, q, moved);
		gpreempt_time_work(d, q);
		gpreempt_time_turn(q, now);
		if (d->policy->preempts)
			gpreempt_age(d, q);
		else
			gpreempt_boost_end(q->hist);
		q->effective = gpreempt_effective(q);

		if (!q->mapped)
			continue;
		if (q->state == GPREEMPT_RUNNING)
			d->running = max_t(int, d->running, q->effective);
		holds = q->state == GPREEMPT_RUNNING ||
			(q->state == GPREEMPT_RUNNABLE && q->waves < 0);
		if (holds && !q->pinned)
			d->holding = min_t(int, d->holding, q->effective);
	}
	gpreempt_raise(d);
}

/* Rule 2, of one queue: it was given the machine, and did not use it. */
static void gpreempt_give_up(struct gpreempt_queue_view *q, u64 now)
{
	struct gpreempt_history *h = q->hist;

	q->wants = false;
	if (q->announced) {
		q->announced = false;
		q->state = GPREEMPT_IDLE;
		h->void_hint_ns = q->hint_ns;
		return;
	}
	h->fresh = false;
	h->passed = false;
	h->busy = false;
	/* Saved waves show in no index: believe it the second time. */
	h->restored = h->restored && !h->doubted;
	h->doubted = true;
	h->blocked = true;
	h->blocked_ns = max_t(u64, now, 1);
	gpreempt_boost_end(h);
	q->effective = gpreempt_effective(q);
	q->state = gpreempt_unused(q);
}

/*
 * Rule 2. A queue has been given the machine when it is mapped, all that it
 * could be given was taken from the lower ones, and none of its own level or
 * above executes (that one keeps lower ones off by its own right). If it does
 * not use the machine for blocked_us, it is blocked, or has nothing to run.
 * Announced work has that time from when it was announced for.
 */
static void gpreempt_expire(struct gpreempt_decision *d)
{
	u64 limit = (u64)d->tun->blocked_us * NSEC_PER_USEC;
	u64 now = d->view->now_ns;
	unsigned int i;

	for (i = 0; i < d->view->nr; i++) {
		struct gpreempt_queue_view *q = &d->view->q[i];
		struct gpreempt_history *h = q->hist;

		if (!d->informed || !q->mapped || q->state != GPREEMPT_RUNNABLE ||
		    (q->announced && now < q->hint_ns) ||
		    d->holding < q->effective || d->running >= q->effective) {
			h->given_since_ns = 0;
			continue;
		}
		gpreempt_clock_run(&h->given_since_ns, now);
		if (!gpreempt_clock_reached(h->given_since_ns, now, limit))
			continue;
		h->given_since_ns = 0;
		gpreempt_give_up(q, now);
	}
}

/*
 * How much a waiter wants: what its only packet would launch. Everything there
 * is if that is not known, or if it turns out that more is needed: waves differ
 * in the registers and the memory they take.
 */
static u32 gpreempt_demand(const struct gpreempt_queue_view *q)
{
	return q->mapped && gpreempt_backlog(q) == 1 && !q->hist->served ? q->demand : 0;
}

/* Who keeps whom off, once every state is known. */
static void gpreempt_weigh(struct gpreempt_decision *d)
{
	u64 soon_ns = d->view->now_ns + (u64)d->tun->poll_interval_us * NSEC_PER_USEC / 8;
	struct gpreempt_plan *plan = d->plan;
	unsigned int i;

	plan->idle = true;
	for (i = 0; i < d->view->nr; i++) {
		const struct gpreempt_queue_view *q = &d->view->q[i];
		struct gpreempt_history *h = q->hist;

		if (!gpreempt_takes_part(q))
			continue;
		if (q->state != GPREEMPT_IDLE || gpreempt_expects(d, q))
			plan->idle = false;
		if ((q->wants && d->informed) || gpreempt_expects(d, q))
			plan->waiting = true;
		if (gpreempt_expects(d, q) && !gpreempt_hinted(d, q) &&
		    (!plan->next_ns || q->hint_ns - d->lead_ns < plan->next_ns))
			plan->next_ns = q->hint_ns - d->lead_ns;
		if (q->state == GPREEMPT_RUNNING || q->state == GPREEMPT_RUNNABLE)
			d->active = max_t(int, d->active, q->effective);
		if (q->state == GPREEMPT_BLOCKED)
			d->blocked = max_t(int, d->blocked, q->effective);
		if (!q->wants && q->late && gpreempt_launching(q)) {
			/* If it has only just begun, it is not to wait for the interval. */
			if (h->begun && (!plan->next_ns || soon_ns < plan->next_ns))
				plan->next_ns = soon_ns;
		}
		if (!q->wants) {
			h->served = false;
			continue;
		}
		d->wanting = max_t(int, d->wanting, q->effective);
		if (q->announced)
			d->announced = max_t(int, d->announced, q->effective);
		else if (!h->boosted)
			d->entitled = max_t(int, d->entitled, q->effective);
		if (gpreempt_demand(q))
			d->demand += gpreempt_demand(q);
		else
			d->unbounded = max_t(int, d->unbounded, q->effective);
	}
}

/* What saving a queue costs, in ns: as measured, or as its waves let expect. */
static u64 gpreempt_save_cost(const struct gpreempt_decision *d,
			      const struct gpreempt_queue_view *q)
{
	if (q->save_cost_ns)
		return q->save_cost_ns;
	return q->waves > 0 ? q->waves * d->view->save_wave_ns : 0;
}

/*
 * Announced work finds the machine free if somebody is taken off as much earlier as a
 * save takes, and a scan may be late. Who has been taken off counts too, and so stays
 * off until then.
 */
static u64 gpreempt_lead_ns(const struct gpreempt_decision *d)
{
	u64 cost = 0;
	unsigned int i;

	for (i = 0; i < d->view->nr; i++)
		if (gpreempt_takes_part(&d->view->q[i]))
			cost = max(cost, gpreempt_save_cost(d, &d->view->q[i]));
	return cost + (u64)d->tun->poll_interval_us * NSEC_PER_USEC / 4;
}

/* How long a queue is left on the machine. */
static u64 gpreempt_residency_ns(const struct gpreempt_decision *d,
				 const struct gpreempt_queue_view *q)
{
	return max_t(u64, gpreempt_save_cost(d, q),
		     (u64)d->tun->min_residency_us * NSEC_PER_USEC);
}

/*
 * Rule 10: who has only just begun may end before its save would, and so may
 * who has no more in its ring and is as a rule not busy for much longer.
 */
static bool gpreempt_worth_saving(const struct gpreempt_decision *d,
				  const struct gpreempt_queue_view *q)
{
	const struct gpreempt_history *h = q->hist;
	u64 cost = gpreempt_save_cost(d, q), now = d->view->now_ns;
	u64 end = h->busy_since_ns + h->span_ns;

	if (!q->wants && h->busy_since_ns && end > now && end - now < cost)
		return false;
	return gpreempt_clock_reached(h->resident_since_ns, now, gpreempt_residency_ns(d, q));
}

/*
 * Will a lower queue be taken off for @top, whatever waves would be counted? It may be
 * taken off, and has a packet that can run, so it wants more whether it has waves or none.
 * Or it had some, and has not completed its newest packet: unless there are @several such
 * queues, and not all need go for @top. Who seems to have waited for long is to be
 * counted, as it may execute each time it is put back: rule 3 is for who does not.
 */
static bool gpreempt_has_to_go(const struct gpreempt_decision *d,
			       const struct gpreempt_queue_view *q,
			       const struct gpreempt_queue_view *top, bool several)
{
	const struct gpreempt_history *h = q->hist;
	u64 long_ns = (u64)d->tun->starvation_ms * NSEC_PER_MSEC / 2;

	if (!q->mapped || q->pinned || h->blocked || !gpreempt_worth_saving(d, q) ||
	    gpreempt_clock_reached(h->waiting_since_ns, d->view->now_ns, long_ns))
		return false;
	/* What it waits for may be what it has in hand, or a signal. */
	if (gpreempt_backlog(q))
		return q->head != GPREEMPT_HEAD_WAITS;
	return h->busy && gpreempt_pending(q) && !(several && gpreempt_demand(top));
}

/* Has it a packet that can run, or work that was announced, and no waves? */
static bool gpreempt_only_waits(const struct gpreempt_decision *d,
				const struct gpreempt_queue_view *q)
{
	if (gpreempt_backlog(q))
		return q->head == GPREEMPT_HEAD_READY && !q->hist->busy &&
		       !q->hist->blocked;
	return gpreempt_hinted(d, q) && !gpreempt_may_hide(q) && !gpreempt_pending(q);
}

/*
 * With all lower queues off, is it plain what @top does? It waits for announced work,
 * or moves on, or says that all it had has ended. Were that a lie, it would share the
 * machine with who comes back until the next scan that counts its waves.
 */
static bool gpreempt_tells(const struct gpreempt_decision *d, struct gpreempt_queue_view *top)
{
	bool done = !gpreempt_backlog(top) && top->signal == GPREEMPT_SIGNAL_DONE;

	top->ended = top->readable && done && top->ordered;
	return top->ended || (gpreempt_consumed(top) && !done) ||
	       (!gpreempt_backlog(top) && gpreempt_only_waits(d, top));
}

/*
 * Are the verdicts plain, whatever waves would be counted? Reading registers would
 * only make them later. So it is if one queue stands above all others that may want
 * or hold the machine, and those are off already, or have to go.
 */
static bool gpreempt_plain(const struct gpreempt_decision *d)
{
	struct gpreempt_queue_view *top = NULL, *q;
	unsigned int i, mapped = 0, off = 0;
	bool alone = false;

	for (i = 0; i < d->view->nr; i++) {
		q = &d->view->q[i];
		if (!q->matters && !(q->preempted && gpreempt_takes_part(q)))
			continue;
		mapped += q->mapped;
		off += q->preempted;
		if (top && gpreempt_effective(q) < gpreempt_effective(top))
			continue;
		alone = !top || gpreempt_effective(q) > gpreempt_effective(top);
		top = q;
	}
	if (!d->policy->preempts || !alone || !top->mapped)
		return false;
	if (mapped == 1)
		return off && gpreempt_tells(d, top);
	if (!gpreempt_only_waits(d, top))
		return false;
	for (i = 0; i < d->view->nr; i++) {
		q = &d->view->q[i];
		if (!q->matters || q == top)
			continue;
		if (!gpreempt_has_to_go(d, q, top, mapped > 2))
			return false;
	}
	/* Who had none when they were counted last goes on waiting for its turn: rule 3. */
	for (i = 0; i < d->view->nr; i++) {
		q = &d->view->q[i];
		q->presumed = q->matters && q != top && q->hist->busy;
	}
	return true;
}

/* From the view to levels that verdicts can be made of; false: need wave counts. */
static bool gpreempt_assess(struct gpreempt_decision *d)
{
	struct gpreempt_plan *plan = d->plan;
	bool blind;

	plan->idle = false;
	plan->waiting = false;
	plan->next_ns = 0;
	plan->nr_preempt = 0;
	plan->nr_resume = 0;
	memset(plan->verdict, 0, d->view->nr * sizeof(*plan->verdict));

	d->lead_ns = gpreempt_lead_ns(d);
	d->informed = gpreempt_contended(d, &blind);
	plan->need_waves = d->informed && blind && !d->view->waves_final &&
			   !gpreempt_plain(d);
	if (plan->need_waves)
		return false;

	d->running = -1;
	d->holding = GPREEMPT_BOOST + 1;
	d->active = -1;
	d->blocked = -1;
	d->wanting = -1;
	d->entitled = -1;
	d->announced = -1;
	d->unbounded = -1;
	d->demand = 0;
	gpreempt_observe(d);
	gpreempt_expire(d);
	gpreempt_weigh(d);
	return true;
}

static void gpreempt_take_off(struct gpreempt_decision *d, struct gpreempt_queue_view *q,
			      enum gpreempt_reason reason)
{
	q->reason = reason;
	d->plan->verdict[q - d->view->q] = GPREEMPT_PREEMPT;
	d->plan->nr_preempt++;
}

static void gpreempt_put_back(struct gpreempt_decision *d, struct gpreempt_queue_view *q,
			      enum gpreempt_reason reason)
{
	q->reason = reason;
	d->plan->verdict[q - d->view->q] = GPREEMPT_RESUME;
	d->plan->nr_resume++;
}

/* What was asked for explicitly is not for a policy to judge. */
static void gpreempt_obey(struct gpreempt_decision *d)
{
	unsigned int i;

	for (i = 0; i < d->view->nr; i++) {
		struct gpreempt_queue_view *q = &d->view->q[i];

		if (q->mapped && !q->pinned && (q->held || q->asked))
			gpreempt_take_off(d, q, GPREEMPT_REASON_ASKED);
	}
}

/*
 * What may be taken off for a higher queue: it executes or is about to; or it
 * looks blocked, but may have waves that cannot be counted; or it cannot be read
 * either, which would protect whatever hides its memory.
 */
static bool gpreempt_in_the_way(const struct gpreempt_decision *d,
				const struct gpreempt_queue_view *q)
{
	const struct gpreempt_history *h = q->hist;

	if (q->state == GPREEMPT_UNKNOWN)
		return d->view->waves_final && q->waves == GPREEMPT_WAVES_UNKNOWN;
	if (q->state == GPREEMPT_BLOCKED)
		return q->waves == GPREEMPT_WAVES_UNKNOWN &&
		       (h->blocked || h->busy || h->fresh || h->restored);
	return q->state == GPREEMPT_RUNNING || q->state == GPREEMPT_RUNNABLE;
}

/* May this queue be taken off now, if there is a reason? */
static bool gpreempt_may_yield(const struct gpreempt_decision *d,
			       const struct gpreempt_queue_view *q)
{
	return q->mapped && !q->pinned && gpreempt_in_the_way(d, q) &&
	       gpreempt_worth_saving(d, q) &&
	       d->plan->verdict[q - d->view->q] == GPREEMPT_KEEP;
}

static enum gpreempt_reason gpreempt_reason_below(const struct gpreempt_decision *d,
						  u8 level)
{
	if (level < d->entitled)
		return GPREEMPT_REASON_INVERSION;
	return level < d->announced ? GPREEMPT_REASON_HINT : GPREEMPT_REASON_AGED;
}

/* A victim that need not go if others free enough: all it has is in flight. */
static bool gpreempt_may_stay(const struct gpreempt_decision *d,
			      const struct gpreempt_queue_view *q)
{
	return q->effective < d->wanting && !q->wants && q->waves > 0 &&
	       gpreempt_may_yield(d, q);
}

/* Waves of a level's queues that may stay, and cost no more than @cost each. */
static u64 gpreempt_waves_for(const struct gpreempt_decision *d, u8 level, u64 cost)
{
	u64 waves = 0;
	unsigned int i;

	for (i = 0; i < d->view->nr; i++) {
		const struct gpreempt_queue_view *q = &d->view->q[i];

		if (q->effective == level && gpreempt_save_cost(d, q) <= cost &&
		    gpreempt_may_stay(d, q))
			waves += q->waves;
	}
	return waves;
}

/* The least cost such that all queues of a level that cost no more free enough. */
static u64 gpreempt_cost_limit(const struct gpreempt_decision *d, u8 level)
{
	u64 low = 0, high = 1, mid;

	while (high <= S64_MAX && gpreempt_waves_for(d, level, high) < d->demand)
		high *= 2;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (gpreempt_waves_for(d, level, mid) < d->demand)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Of those that need not all go, the lowest level goes first, and within the
 * level that need not go as a whole, those that cost least to save.
 */
static void gpreempt_choose(struct gpreempt_decision *d)
{
	u64 waves[GPREEMPT_LEVELS] = {};
	u8 last = 0;
	u64 limit;
	unsigned int i;

	for (i = 0; i < d->view->nr; i++)
		if (gpreempt_may_stay(d, &d->view->q[i]))
			waves[d->view->q[i].effective] += d->view->q[i].waves;
	while (last < GPREEMPT_LEVELS && waves[last] <= d->demand)
		d->demand -= waves[last++];
	limit = last < GPREEMPT_LEVELS ? gpreempt_cost_limit(d, last) : 0;

	for (i = 0; i < d->view->nr; i++) {
		struct gpreempt_queue_view *q = &d->view->q[i];

		if (!gpreempt_may_stay(d, q) || q->effective > last)
			continue;
		if (q->effective == last) {
			if (!d->demand || gpreempt_save_cost(d, q) > limit)
				continue;
			d->demand -= min_t(u64, d->demand, q->waves);
		}
		gpreempt_take_off(d, q, gpreempt_reason_below(d, q->effective));
	}
}

/*
 * Nobody goes, as who is in the way has only just come: look again when all of them may
 * go, in one transaction.
 */
static void gpreempt_await_residency(struct gpreempt_decision *d)
{
	u64 end_ns = 0;
	unsigned int i;

	for (i = 0; i < d->view->nr; i++) {
		const struct gpreempt_queue_view *q = &d->view->q[i];

		if (q->effective < d->wanting && q->mapped && !q->pinned &&
		    gpreempt_in_the_way(d, q))
			end_ns = max(end_ns, q->hist->resident_since_ns +
					     gpreempt_residency_ns(d, q));
	}
	if (end_ns > d->view->now_ns && (!d->plan->next_ns || end_ns < d->plan->next_ns))
		d->plan->next_ns = end_ns;
}

/*
 * Take lower queues off for those that want the machine: all below one that
 * may need all there is. Below the others those that want more themselves, and
 * would take what is freed; of the rest as many as free what is wanted.
 */
static void gpreempt_preempt(struct gpreempt_decision *d)
{
	unsigned int before = d->plan->nr_preempt, i;

	for (i = 0; i < d->view->nr; i++) {
		struct gpreempt_queue_view *q = &d->view->q[i];

		if (q->effective >= d->wanting || !gpreempt_may_yield(d, q))
			continue;
		if (q->effective >= d->unbounded && gpreempt_may_stay(d, q))
			continue;
		gpreempt_take_off(d, q, gpreempt_reason_below(d, q->effective));
		if (q->waves > 0)
			d->demand -= min_t(u64, d->demand, q->waves);
	}
	if (d->demand)
		gpreempt_choose(d);
	if (!d->plan->nr_preempt)
		gpreempt_await_residency(d);
	if (d->plan->nr_preempt == before)
		return;
	for (i = 0; i < d->view->nr; i++)
		d->view->q[i].hist->served |= d->view->q[i].wants;
}

/*
 * Queues of a level that take turns, if there are two that could use one: one
 * has the machine for its timeslice, or as long as it can use it; then it is
 * the turn of the one whose last turn is longest ago.
 */
static bool gpreempt_takes_turns(const struct gpreempt_decision *d,
				 const struct gpreempt_queue_view *q)
{
	return gpreempt_takes_part(q) && !q->announced && !q->asked &&
	       (q->state == GPREEMPT_RUNNING || q->state == GPREEMPT_RUNNABLE) &&
	       gpreempt_slice_ns(d, q);
}

static void gpreempt_turn_end(struct gpreempt_history *h, u64 now)
{
	if (h->turn)
		h->turned_ns = max_t(u64, now, 1);
	h->turn = false;
	h->turn_ns = 0;
}

static bool gpreempt_turn_over(const struct gpreempt_decision *d,
			       const struct gpreempt_queue_view *q)
{
	return q->hist->turn_ns >= gpreempt_slice_ns(d, q) &&
	       (!q->mapped || gpreempt_worth_saving(d, q));
}

/* Among those that had none yet, who executes anyway need not be saved for it. */
static bool gpreempt_turns_before(const struct gpreempt_queue_view *q,
				  const struct gpreempt_queue_view *other)
{
	if (!other || q->hist->turned_ns != other->hist->turned_ns)
		return !other || q->hist->turned_ns < other->hist->turned_ns;
	return q->state == GPREEMPT_RUNNING && other->state != GPREEMPT_RUNNING;
}

/* Find out whose turn it is. Returns bit n: level n has two that take turns. */
static u32 gpreempt_take_turns(struct gpreempt_decision *d)
{
	struct gpreempt_queue_view *next[GPREEMPT_LEVELS] = {};
	struct gpreempt_queue_view *holder[GPREEMPT_LEVELS] = {};
	u64 now = d->view->now_ns;
	u32 one = 0, two = 0;
	unsigned int i;

	for (i = 0; i < d->view->nr; i++) {
		struct gpreempt_queue_view *q = &d->view->q[i];

		if (!gpreempt_takes_turns(d, q)) {
			gpreempt_turn_end(q->hist, now);
			continue;
		}
		two |= one & BIT(q->effective);
		one |= BIT(q->effective);
		if (q->hist->turn && !holder[q->effective]) {
			holder[q->effective] = q;
			continue;
		}
		gpreempt_turn_end(q->hist, now);
		if (gpreempt_turns_before(q, next[q->effective]))
			next[q->effective] = q;
	}
	for (i = 0; i < GPREEMPT_LEVELS; i++) {
		if (!next[i])
			continue;
		if (holder[i]) {
			if (!gpreempt_turn_over(d, holder[i]))
				continue;
			gpreempt_turn_end(holder[i]->hist, now);
		}
		next[i]->hist->turn = true;
	}
	return two;
}

/* Is it somebody else's turn? */
static bool gpreempt_out_of_turn(const struct gpreempt_decision *d, u32 rotating,
				 const struct gpreempt_queue_view *q)
{
	return rotating & BIT(q->effective) && !q->hist->turn &&
	       gpreempt_takes_turns(d, q);
}

static enum gpreempt_reason gpreempt_reason_back(const struct gpreempt_decision *d,
						 u32 rotating,
						 const struct gpreempt_queue_view *q)
{
	if (q->hist->boosted)
		return GPREEMPT_REASON_STARVED;
	if (rotating & BIT(q->effective))
		return GPREEMPT_REASON_TURN;
	return d->blocked > q->effective ? GPREEMPT_REASON_BLOCKED : GPREEMPT_REASON_FREE;
}

/**
 * gpreempt_decide - what to take off the hardware, and what to put back
 * @policy: who decides
 * @view: the queues
 * @tun: the tunables
 * @plan: filled in
 *
 * Called by the monitor only, never concurrently for a node.
 */
void gpreempt_decide(const struct gpreempt_policy *policy, struct gpreempt_view *view,
		     const struct gpreempt_tunables *tun, struct gpreempt_plan *plan)
{
	struct gpreempt_decision d = {
		.view = view,
		.tun = tun,
		.policy = policy,
		.plan = plan,
	};
	u32 rotating;
	unsigned int i;

	if (!gpreempt_assess(&d))
		return;
	gpreempt_obey(&d);
	rotating = gpreempt_take_turns(&d);
	if (rotating)
		plan->waiting = true;
	if (policy->preempts)
		gpreempt_preempt(&d);

	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];
		bool out_of_turn = gpreempt_out_of_turn(&d, rotating, q);

		if (out_of_turn && gpreempt_may_yield(&d, q))
			gpreempt_take_off(&d, q, GPREEMPT_REASON_TIMESLICE);
		if (!q->preempted || gpreempt_held(q) || out_of_turn)
			continue;
		if (q->effective >= d.active || !policy->preempts)
			gpreempt_put_back(&d, q, gpreempt_reason_back(&d, rotating, q));
	}
}

/**
 * gpreempt_may_contend - could anything have to be decided?
 * @policy: who would decide
 * @view: the queues; only whether they are there and on what terms is looked at
 * @tun: the tunables
 *
 * Return: false if no work of these queues, whenever it comes, would make the
 * policy do anything.
 */
bool gpreempt_may_contend(const struct gpreempt_policy *policy,
			  const struct gpreempt_view *view,
			  const struct gpreempt_tunables *tun)
{
	const struct gpreempt_decision d = { .policy = policy, .tun = tun };
	u32 levels = 0, turns = 0;
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		const struct gpreempt_queue_view *q = &view->q[i];
		u32 level = BIT(min_t(u8, q->priority, GPREEMPT_LEVELS - 1));

		if (q->mapped && !q->pinned && (q->held || q->asked))
			return true;
		if (!gpreempt_takes_part(q))
			continue;
		if (q->preempted || (levels & ~level))
			return true;
		levels |= level;
		if (!gpreempt_slice_ns(&d, q))
			continue;
		if (turns & level)
			return true;
		turns |= level;
	}
	return false;
}

static const struct gpreempt_policy gpreempt_policies[] = {
	{ .name = "none" },
	{ .name = "strict", .preempts = true },
	{ .name = "timeslice", .preempts = true, .rotates = true },
};

/**
 * gpreempt_policy_get - list the policies
 * @index: from 0
 *
 * Return: the policy, or NULL past the last one.
 */
const struct gpreempt_policy *gpreempt_policy_get(unsigned int index)
{
	if (index >= ARRAY_SIZE(gpreempt_policies))
		return NULL;
	return &gpreempt_policies[index];
}

/**
 * gpreempt_policy_find - look a policy up by its name
 * @name: as sysfs shows it; a trailing newline is ignored
 *
 * Return: the policy, or NULL if there is none of that name.
 */
const struct gpreempt_policy *gpreempt_policy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gpreempt_policies); i++)
		if (sysfs_streq(name, gpreempt_policies[i].name))
			return &gpreempt_policies[i];
	return NULL;
}
