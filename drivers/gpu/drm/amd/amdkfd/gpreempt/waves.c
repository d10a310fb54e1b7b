// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT waves: are wave counts worth the register accesses that they take?
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "decide.h"

/* May have waves, or packets on their way to waves, that no index shows. */
static bool hides(const struct gpreempt_queue_view *q)
{
	const struct gpreempt_memory *m = q->memory;

	return m->unseen.busy || m->unseen.fresh || m->unseen.restored ||
	       (q->seen.readable && !m->index.seen) ||
	       gpreempt_changes(&q->seen, &m->index).submitted;
}

/* Is work announced, so soon that the machine is to be freed for it? */
static bool is_hinted(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_terms *t = &q->terms;

	return t->hint_ns && view->now_ns < t->hint_end_ns &&
	       q->memory->void_hint_ns != t->hint_ns &&
	       view->now_ns + view->lead_ns >= t->hint_ns;
}

static u32 backlog(const struct gpreempt_queue_view *q)
{
	return gpreempt_changes(&q->seen, &q->memory->index).backlog;
}

static bool pending(const struct gpreempt_queue_view *q)
{
	return gpreempt_pending(&q->seen, &q->memory->unseen);
}

/* Wants or holds the machine, as its indices, its signal or a hint show. */
static bool shows(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	struct gpreempt_change c = gpreempt_changes(&q->seen, &q->memory->index);

	return q->seen.preempted || !q->seen.readable || c.backlog || q->seen.waves > 0 ||
	       c.consumed || pending(q) || is_hinted(view, q);
}

static u8 level(const struct gpreempt_queue_view *q)
{
	return q->memory->waiting.raised ? GPREEMPT_BOOST : q->rank.level;
}

/*
 * Wave counts matter if queues of two levels, or two that take turns, may want
 * or hold the machine, or if nothing but hidden waves keeps the monitor from
 * parking. What said that it has ended may hide some: that it did keeps others off
 * no longer, and is to be checked. @blind tells that one of these counts is not known.
 */
static bool contended(const struct gpreempt_view *view, bool *blind)
{
	int lowest = GPREEMPT_BOOST + 1, highest = -1;
	bool shown = false, hidden = false;
	u32 turns = 0, contested = 0;
	unsigned int i;

	*blind = false;
	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];
		bool hide = hides(q) || q->memory->unseen.claimed;
		bool show = shows(view, q);

		q->matters = false;
		q->presumed = false;
		q->ended = false;
		if (!gpreempt_takes_part(q))
			continue;
		hidden |= hide;
		shown |= show;
		if (!hide && !show)
			continue;
		/* Waits for a signal, and has nothing else to run. */
		if (backlog(q) && q->seen.head == GPREEMPT_HEAD_WAITS && !hide &&
		    !q->seen.preempted && q->seen.waves <= 0)
			continue;
		q->matters = q->seen.mapped;
		*blind |= q->seen.mapped && q->seen.waves == GPREEMPT_WAVES_UNKNOWN;
		lowest = min_t(int, lowest, level(q));
		highest = max_t(int, highest, level(q));
		if (q->rank.slice_ns && !q->terms.pinned && level(q) < GPREEMPT_LEVELS) {
			contested |= turns & BIT(level(q));
			turns |= BIT(level(q));
		}
	}
	if (lowest < highest || contested)
		return true;
	/* Before the monitor parks, whatever still runs has to be found. */
	for (i = 0; i < view->nr && hidden && !shown; i++)
		view->q[i].matters = view->q[i].seen.mapped;
	return hidden && !shown;
}

static bool is_reached(u64 since, u64 now, u64 ns)
{
	return since && now >= since && now - since >= ns;
}

static bool is_worth_it(const struct gpreempt_view *view,
			    const struct gpreempt_tunables *tun,
			    const struct gpreempt_queue_view *q)
{
	const struct gpreempt_memory *m = q->memory;
	u64 cost = gpreempt_save_cost(view, q), now = view->now_ns;
	u64 end = m->burst.begun_ns + gpreempt_average(m->burst.length);

	if (!q->out.wants && m->burst.begun_ns && end > now && end - now < cost)
		return false;
	return is_reached(m->resident_ns, now,
			  max_t(u64, cost, (u64)tun->min_residency_us * NSEC_PER_USEC));
}

/*
 * Will a lower queue be taken off for @top, whatever waves would be counted? It may be
 * taken off, and has a packet that can run, so it wants more whether it has waves or none.
 * Or it had some, and has not completed its newest packet: unless there are @several such
 * queues, and not all need go for @top. What seems to have waited for long is to be
 * counted, as it may execute each time it is put back: rule 3 is for what does not.
 */
static bool has_to_go(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
		      const struct gpreempt_queue_view *q,
		      const struct gpreempt_queue_view *top, bool several)
{
	const struct gpreempt_memory *m = q->memory;
	u64 long_ns = (u64)tun->starvation_ms * NSEC_PER_MSEC / 2;

	if (!q->seen.mapped || q->terms.pinned || m->blocked.blocked ||
	    !is_worth_it(view, tun, q) ||
	    is_reached(m->waiting.since_ns, view->now_ns, long_ns))
		return false;
	/* What it waits for may be what it has in hand, or a signal. */
	if (backlog(q))
		return q->seen.head != GPREEMPT_HEAD_WAITS;
	return m->unseen.busy && pending(q) &&
	       !(several && top->seen.mapped && backlog(top) == 1 && !top->memory->served &&
		 top->seen.demand);
}

/* Has it a packet that can run, or work that was announced, and no waves? */
static bool only_waits(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_memory *m = q->memory;

	if (backlog(q))
		return q->seen.head == GPREEMPT_HEAD_READY && !m->unseen.busy &&
		       !m->blocked.blocked;
	return is_hinted(view, q) && !hides(q) && !pending(q);
}

/*
 * With all lower queues off, is it plain what @top does? It waits for announced work,
 * or moves on, or says that all it had has ended. Were that a lie, it would share the
 * machine with what comes back until the next scan that counts its waves.
 */
static bool tells(const struct gpreempt_view *view, struct gpreempt_queue_view *top)
{
	bool done = !backlog(top) && top->seen.signal == GPREEMPT_SIGNAL_DONE;

	top->ended = top->seen.readable && done && top->seen.ordered;
	return top->ended ||
	       (gpreempt_changes(&top->seen, &top->memory->index).consumed && !done) ||
	       (!backlog(top) && only_waits(view, top));
}

/*
 * Are the verdicts plain, whatever waves would be counted? Reading registers would
 * only make them later. So it is if one queue stands above all others that may want
 * or hold the machine, and those are off already, or have to go.
 */
static bool is_plain(const struct gpreempt_policy *policy, const struct gpreempt_view *view,
		     const struct gpreempt_tunables *tun)
{
	struct gpreempt_queue_view *top = NULL, *q;
	unsigned int i, mapped = 0, off = 0;
	bool alone = false;

	for (i = 0; i < view->nr; i++) {
		q = &view->q[i];
		if (!q->matters && !(q->seen.preempted && gpreempt_takes_part(q)))
			continue;
		mapped += q->seen.mapped;
		off += q->seen.preempted;
		if (top && level(q) < level(top))
			continue;
		alone = !top || level(q) > level(top);
		top = q;
	}
	if (policy->passive || !alone || !top->seen.mapped)
		return false;
	if (mapped == 1)
		return off && tells(view, top);
	if (!only_waits(view, top))
		return false;
	for (i = 0; i < view->nr; i++) {
		q = &view->q[i];
		if (q->matters && q != top && !has_to_go(view, tun, q, top, mapped > 2))
			return false;
	}
	/* What had none when they were counted last goes on waiting for its turn: rule 3. */
	for (i = 0; i < view->nr; i++) {
		q = &view->q[i];
		q->presumed = q->matters && q != top && q->memory->unseen.busy;
	}
	return true;
}

/**
 * gpreempt_need_waves - are waves to be counted before anything is decided?
 * @policy: which has ranked the queues
 * @view: the queues; what matters of them, and what is taken for granted, is filled in
 * @tun: the tunables
 */
bool gpreempt_need_waves(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			 const struct gpreempt_tunables *tun)
{
	bool blind;

	view->informed = contended(view, &blind);
	return view->informed && blind && !view->waves_final && !is_plain(policy, view, tun);
}
