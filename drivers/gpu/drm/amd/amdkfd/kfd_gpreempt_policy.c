// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policies: none, strict.
 *
 * A decision is five passes over the queues, each linear and without memory of
 * its own beyond a few extremes: contended() asks whether wave counts matter,
 * observe() classifies and keeps the history, expire() finds those that do not
 * use the machine they were given, weigh() finds who keeps whom off, and the
 * policy fills in the verdicts.
 */
#include <linux/array_size.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "kfd_gpreempt_policy.h"

/**
 * struct gpreempt_levels - extremes of the effective levels at one moment
 * @running:	highest with a queue that executes, -1 if none does
 * @holding:	lowest with a queue that may have waves and could be preempted,
 *		above %GPREEMPT_BOOST if none has
 * @active:	highest that runs or is runnable, -1 if none is
 * @wanting:	highest that wants more of the machine, -1 if none does
 * @unaged:	the same without the queues that were raised for being starved
 * @blocked:	highest that is blocked, -1 if none is
 */
struct gpreempt_levels {
	int running;
	int holding;
	int active;
	int wanting;
	int unaged;
	int blocked;
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

/* Off the hardware for another reason than ours: not in the game. */
static bool gpreempt_takes_part(const struct gpreempt_queue_view *q)
{
	return q->mapped || (q->preempted && !q->held);
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

/*
 * Wave counts matter if queues of two levels may want or hold the machine, or
 * if nothing but hidden waves keeps the monitor from parking. Changes nothing.
 * @blind tells that one of these counts is not known.
 */
static bool gpreempt_contended(const struct gpreempt_view *view, bool *blind)
{
	int lowest = GPREEMPT_BOOST + 1, highest = -1;
	bool shown = false, hidden = false;
	unsigned int i;

	*blind = false;
	for (i = 0; i < view->nr; i++) {
		const struct gpreempt_queue_view *q = &view->q[i];
		bool hides = gpreempt_may_hide(q);
		bool backlog = gpreempt_backlog(q);
		bool shows = q->preempted || !q->readable || backlog || q->waves > 0 ||
			     gpreempt_consumed(q) || gpreempt_pending(q);

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
		if (q->mapped && q->waves == GPREEMPT_WAVES_UNKNOWN)
			*blind = true;
		lowest = min_t(int, lowest, gpreempt_effective(q));
		highest = max_t(int, highest, gpreempt_effective(q));
	}
	return lowest < highest || (hidden && !shown);
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
	h->boosted = false;
	h->blocked = false;
	if (q->preempted || h->busy)
		h->restored = true;
	h->busy = false;

	if (q->backlog || h->restored || h->fresh)
		q->state = GPREEMPT_BLOCKED;
	else
		q->state = q->readable ? GPREEMPT_IDLE : GPREEMPT_UNKNOWN;
}

/*
 * Bring the evidence up to date. Uncontended for blocked_us, a queue is past
 * launching: it has waves or it has none, and a count will tell which.
 */
static void gpreempt_remember(struct gpreempt_queue_view *q,
			      const struct gpreempt_tunables *tun, u64 now,
			      bool informed)
{
	struct gpreempt_history *h = q->hist;
	bool done = q->signal == GPREEMPT_SIGNAL_DONE;
	bool settled;

	if (q->readable)
		h->done = done || (h->done && q->wptr == h->wptr);

	if (gpreempt_submitted(q) || gpreempt_consumed(q)) {
		h->fresh = true;
		h->moved_ns = max_t(u64, now, 1);
	}
	/* A new head packet, or one that was waiting, gets its chance. */
	if (gpreempt_consumed(q) || q->preempted || q->waves > 0 ||
	    (q->backlog && (!h->backlog || q->head == GPREEMPT_HEAD_WAITS)))
		h->blocked = false;
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
	}

	if (q->preempted) {
		h->restored = true;
		h->moved_ns = max_t(u64, now, 1);
		h->busy = false;
		h->resident_since_ns = 0;
		return;
	}
	gpreempt_clock_run(&h->resident_since_ns, now);
	settled = gpreempt_clock_reached(h->moved_ns, now,
					 (u64)tun->blocked_us * NSEC_PER_USEC);
	if (!informed && settled && (h->fresh || h->restored)) {
		h->fresh = false;
		h->restored = false;
		h->busy = true;
	}
	if (q->waves > 0) {
		h->fresh = false;
		h->restored = false;
		h->busy = true;
	} else {
		if (q->waves == 0)
			h->busy = false;
		if (h->done && (q->waves == 0 || informed))
			h->fresh = false;
		/* It ended before it was taken off: nothing was saved. */
		if (h->done && q->waves == 0 && settled)
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

static void gpreempt_classify(struct gpreempt_queue_view *q, bool moved)
{
	bool waits = q->head == GPREEMPT_HEAD_WAITS;
	bool launching = gpreempt_launching(q);

	q->wants = false;
	if (q->preempted) {
		q->state = GPREEMPT_RUNNABLE;
		q->wants = true;
	} else if (q->waves > 0 || moved) {
		q->state = GPREEMPT_RUNNING;
		q->wants = q->backlog ? !waits : launching;
	} else if (!q->readable) {
		q->state = GPREEMPT_UNKNOWN;
	} else if (q->backlog && waits) {
		q->state = GPREEMPT_BLOCKED;
	} else if (q->hist->blocked) {
		q->state = gpreempt_unused(q);
	} else if (q->backlog || launching) {
		q->state = GPREEMPT_RUNNABLE;
		q->wants = true;
	} else {
		q->state = GPREEMPT_IDLE;
	}
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
static void gpreempt_age(struct gpreempt_queue_view *q,
			 const struct gpreempt_tunables *tun, u64 now, bool informed)
{
	struct gpreempt_history *h = q->hist;
	bool executing = q->mapped && q->state == GPREEMPT_RUNNING;
	bool waiting = q->preempted || (informed && q->state == GPREEMPT_RUNNABLE);

	if (h->boosted) {
		if ((!executing && !waiting) || (!informed && q->mapped) ||
		    gpreempt_clock_reached(h->executed_since_ns, now,
					   (u64)tun->min_residency_us * NSEC_PER_USEC))
			gpreempt_boost_end(h);
		else if (executing)
			gpreempt_clock_run(&h->executed_since_ns, now);
	}
	if (!waiting)
		h->waiting_since_ns = 0;
	else if (gpreempt_clock_reached(h->waiting_since_ns, now,
					(u64)tun->starvation_ms * NSEC_PER_MSEC))
		h->boosted = true;
	else
		gpreempt_clock_run(&h->waiting_since_ns, now);
}

/*
 * Classify every queue and bring its history up to date. @informed: wave counts
 * are as good as they get; without them nobody is blocked or waiting.
 */
static void gpreempt_observe(struct gpreempt_view *view,
			     const struct gpreempt_tunables *tun,
			     bool informed, bool ageing, struct gpreempt_levels *lv)
{
	unsigned int i;

	lv->running = -1;
	lv->holding = GPREEMPT_BOOST + 1;
	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];
		bool moved = gpreempt_consumed(q);
		bool holds;

		q->reason = GPREEMPT_REASON_NONE;
		q->wants = false;
		q->backlog = gpreempt_backlog(q);
		if (!gpreempt_takes_part(q)) {
			gpreempt_observe_absent(q);
			q->effective = gpreempt_effective(q);
			continue;
		}
		gpreempt_remember(q, tun, view->now_ns, informed);
		gpreempt_classify(q, moved);
		if (ageing)
			gpreempt_age(q, tun, view->now_ns, informed);
		else
			gpreempt_boost_end(q->hist);
		q->effective = gpreempt_effective(q);

		if (!q->mapped)
			continue;
		if (q->state == GPREEMPT_RUNNING)
			lv->running = max_t(int, lv->running, q->effective);
		holds = q->state == GPREEMPT_RUNNING ||
			(q->state == GPREEMPT_RUNNABLE && q->waves < 0);
		if (holds && !q->pinned)
			lv->holding = min_t(int, lv->holding, q->effective);
	}
}

/*
 * Rule 2. A queue has been given the machine when it is mapped, all that it
 * could be given was taken from the lower ones, and none of its own level or
 * above executes (that one keeps lower ones off by its own right). If it does
 * not use the machine for blocked_us, it is blocked, or has nothing to run.
 */
static void gpreempt_expire(struct gpreempt_view *view,
			    const struct gpreempt_tunables *tun, bool informed,
			    const struct gpreempt_levels *lv)
{
	u64 limit = (u64)tun->blocked_us * NSEC_PER_USEC;
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];
		struct gpreempt_history *h = q->hist;

		if (!informed || !q->mapped || q->state != GPREEMPT_RUNNABLE ||
		    lv->holding < q->effective || lv->running >= q->effective) {
			h->given_since_ns = 0;
			continue;
		}
		gpreempt_clock_run(&h->given_since_ns, view->now_ns);
		if (!gpreempt_clock_reached(h->given_since_ns, view->now_ns, limit))
			continue;
		h->given_since_ns = 0;
		h->fresh = false;
		h->busy = false;
		/* Saved waves show in no index: believe it the second time. */
		h->restored = h->restored && !h->doubted;
		h->doubted = true;
		h->blocked = true;
		h->blocked_ns = max_t(u64, view->now_ns, 1);
		gpreempt_boost_end(h);
		q->effective = gpreempt_effective(q);
		q->state = gpreempt_unused(q);
		q->wants = false;
	}
}

/* Who keeps whom off, once every state is known. Returns whether all is idle. */
static bool gpreempt_weigh(const struct gpreempt_view *view, struct gpreempt_levels *lv)
{
	bool idle = true;
	unsigned int i;

	lv->active = -1;
	lv->wanting = -1;
	lv->unaged = -1;
	lv->blocked = -1;
	for (i = 0; i < view->nr; i++) {
		const struct gpreempt_queue_view *q = &view->q[i];

		if (!gpreempt_takes_part(q))
			continue;
		if (q->state != GPREEMPT_IDLE)
			idle = false;
		if (q->state == GPREEMPT_RUNNING || q->state == GPREEMPT_RUNNABLE)
			lv->active = max_t(int, lv->active, q->effective);
		if (q->state == GPREEMPT_BLOCKED)
			lv->blocked = max_t(int, lv->blocked, q->effective);
		if (q->wants) {
			lv->wanting = max_t(int, lv->wanting, q->effective);
			if (!q->hist->boosted)
				lv->unaged = max_t(int, lv->unaged, q->effective);
		}
	}
	return idle;
}

/* From the view to levels that verdicts can be made of; false: need wave counts. */
static bool gpreempt_assess(struct gpreempt_view *view,
			    const struct gpreempt_tunables *tun, bool ageing,
			    struct gpreempt_plan *plan, struct gpreempt_levels *lv)
{
	bool contended, blind, informed;

	plan->idle = false;
	plan->nr_preempt = 0;
	plan->nr_resume = 0;
	memset(plan->verdict, 0, view->nr * sizeof(*plan->verdict));

	contended = gpreempt_contended(view, &blind);
	plan->need_waves = contended && blind && !view->waves_final;
	if (plan->need_waves)
		return false;

	informed = contended;
	gpreempt_observe(view, tun, informed, ageing, lv);
	gpreempt_expire(view, tun, informed, lv);
	plan->idle = gpreempt_weigh(view, lv);
	return true;
}

/*
 * What may be taken off for a higher queue: it executes or is about to; or it
 * looks blocked, but may have waves that cannot be counted.
 */
static bool gpreempt_in_the_way(const struct gpreempt_queue_view *q)
{
	const struct gpreempt_history *h = q->hist;

	if (q->state == GPREEMPT_BLOCKED)
		return q->waves == GPREEMPT_WAVES_UNKNOWN &&
		       (h->blocked || h->busy || h->fresh || h->restored);
	return q->state == GPREEMPT_RUNNING || q->state == GPREEMPT_RUNNABLE;
}

/* Rule 10: who has only just begun may end before its save would. */
static bool gpreempt_worth_saving(const struct gpreempt_queue_view *q,
				  const struct gpreempt_tunables *tun, u64 now)
{
	u64 ns = max_t(u64, (u64)tun->min_residency_us * NSEC_PER_USEC,
		       q->save_cost_ns);

	return gpreempt_clock_reached(q->hist->resident_since_ns, now, ns);
}

static void gpreempt_none_decide(struct gpreempt_view *view,
				 const struct gpreempt_tunables *tun,
				 struct gpreempt_plan *plan)
{
	struct gpreempt_levels lv;
	unsigned int i;

	if (!gpreempt_assess(view, tun, false, plan, &lv))
		return;
	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];

		if (!q->preempted || q->held)
			continue;
		q->reason = GPREEMPT_REASON_FREE;
		plan->verdict[i] = GPREEMPT_RESUME;
		plan->nr_resume++;
	}
}

static void gpreempt_strict_resume(struct gpreempt_queue_view *q,
				   const struct gpreempt_levels *lv)
{
	if (q->hist->boosted)
		q->reason = GPREEMPT_REASON_STARVED;
	else if (lv->blocked > q->effective)
		q->reason = GPREEMPT_REASON_BLOCKED;
	else
		q->reason = GPREEMPT_REASON_FREE;
}

static void gpreempt_strict_decide(struct gpreempt_view *view,
				   const struct gpreempt_tunables *tun,
				   struct gpreempt_plan *plan)
{
	struct gpreempt_levels lv;
	unsigned int i;

	if (!gpreempt_assess(view, tun, true, plan, &lv))
		return;
	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];

		if (q->preempted) {
			if (q->held || q->effective < lv.active)
				continue;
			gpreempt_strict_resume(q, &lv);
			plan->verdict[i] = GPREEMPT_RESUME;
			plan->nr_resume++;
		} else if (q->mapped && !q->pinned && q->effective < lv.wanting &&
			   gpreempt_in_the_way(q) &&
			   gpreempt_worth_saving(q, tun, view->now_ns)) {
			q->reason = q->effective < lv.unaged ?
				    GPREEMPT_REASON_INVERSION : GPREEMPT_REASON_AGED;
			plan->verdict[i] = GPREEMPT_PREEMPT;
			plan->nr_preempt++;
		}
	}
}

static const struct gpreempt_policy gpreempt_policies[] = {
	{ .name = "none", .decide = gpreempt_none_decide },
	{ .name = "strict", .decide = gpreempt_strict_decide },
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
