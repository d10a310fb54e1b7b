// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT estimate: the trackers of a queue's past, and its state.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/* A clock that lies in the future (time went backwards) starts anew. */
static void clock_run(u64 *since, u64 now)
{
	if (!*since || *since > now)
		*since = max_t(u64, now, 1);
}

static bool clock_reached(u64 since, u64 now, u64 ns)
{
	return since && now >= since && now - since >= ns;
}

/*
 * A difference below zero is nonsense, or the GPU moved on between two reads:
 * nothing is waiting. One above the ring's size is producers waiting for space.
 */
static u32 backlog_of(const struct gpreempt_evidence *e)
{
	u64 packets = e->wptr - e->rptr;

	if (!e->readable || e->head == GPREEMPT_HEAD_INVALID || packets > S64_MAX)
		return 0;
	return min_t(u64, packets, e->size);
}

static struct gpreempt_change changes(const struct gpreempt_evidence *e,
				      const struct gpreempt_index *last)
{
	bool known = e->readable && last->seen;

	return (struct gpreempt_change) {
		.consumed = known && e->rptr != last->rptr,
		.submitted = known && e->wptr != last->wptr && e->wptr - e->rptr <= S64_MAX,
		.backlog = backlog_of(e),
	};
}

/* Has its newest packet not completed? */
static bool pending(const struct gpreempt_evidence *e, const struct gpreempt_unseen *u)
{
	return e->signal == GPREEMPT_SIGNAL_PENDING && !u->done;
}

/*
 * Its head packet waits, and nothing before it is on its way to waves: a packet
 * that was consumed at fetch, or waves that were saved.
 */
static bool waits(const struct gpreempt_evidence *e, const struct gpreempt_unseen *u,
		  const struct gpreempt_change *c)
{
	return c->backlog && e->head == GPREEMPT_HEAD_WAITS &&
	       (e->waves > 0 || !(u->passed || u->restored));
}

/* Packets consumed, waves not seen, and reason to believe that they will come. */
static bool launching(const struct gpreempt_evidence *e, const struct gpreempt_unseen *u)
{
	return e->waves <= 0 && (u->restored || u->busy || u->fresh || pending(e, u));
}

/*
 * The state of a queue that takes no part: what it has saved, or has in its
 * ring, cannot run. Its indices are compared again when it is back.
 */
static enum gpreempt_activity estimate_absent(const struct gpreempt_evidence *e,
					      struct gpreempt_memory *m, u32 backlog, u64 now)
{
	struct gpreempt_unseen *u = &m->unseen;

	m->waiting = (struct gpreempt_waiting) {};
	m->resident_ns = 0;
	m->blocked.given_ns = 0;
	m->blocked.blocked = false;
	m->burst.begun_ns = 0;
	m->awake = false;
	m->served = false;
	if (e->preempted || u->busy || u->fresh)
		u->restored = true;
	u->busy = false;
	m->index.moved_ns = max_t(u64, now, 1);

	if (backlog || u->restored || u->fresh)
		return GPREEMPT_BLOCKED;
	return e->readable ? GPREEMPT_IDLE : GPREEMPT_UNKNOWN;
}

/* Pauses: from a scan that saw all ended to one that saw something submitted. */
static void track_pause(struct gpreempt_memory *m, const struct gpreempt_evidence *e,
			const struct gpreempt_change *c, bool unsure, bool ended, u64 now)
{
	struct gpreempt_burst *b = &m->burst;

	if (b->ended_ns && c->submitted) {
		ewma_gpreempt_ns_add(&b->pause, now > b->ended_ns ? now - b->ended_ns : 0);
		b->ended_ns = 0;
	}
	if (c->backlog || e->waves > 0 || pending(e, &m->unseen))
		b->ended_ns = 0;
	else if (e->signal == GPREEMPT_SIGNAL_DONE &&
		 (ended || unsure || (e->waves == 0 && (!e->late || e->ordered))))
		clock_run(&b->ended_ns, now);
}

/* What has moved makes work that may be unseen; what shows it, or its end, ends that. */
static void track_moves(struct gpreempt_memory *m, const struct gpreempt_evidence *e,
			const struct gpreempt_change *c, u64 now)
{
	struct gpreempt_unseen *u = &m->unseen;

	if (e->readable)
		u->done = e->signal == GPREEMPT_SIGNAL_DONE ||
			  (u->done && e->wptr == m->index.wptr);
	if (c->submitted || c->consumed || e->late) {
		u->fresh = true;
		m->index.moved_ns = max_t(u64, now, 1);
	}
	u->begun = u->passed || c->consumed;
	u->passed |= c->consumed ||
		     (!m->index.seen && (c->backlog ? e->previous == GPREEMPT_SIGNAL_PENDING :
						      pending(e, u)));
	if ((e->waves > 0 && !e->late) || e->previous == GPREEMPT_SIGNAL_DONE)
		u->passed = false;
}

/* A new head packet, or one that was waiting, gets its chance. */
static void track_blocked(struct gpreempt_memory *m, const struct gpreempt_evidence *e,
			  const struct gpreempt_change *c, u64 now, u32 starvation_ms)
{
	struct gpreempt_blocked *b = &m->blocked;

	if (c->consumed || e->preempted || e->waves > 0 ||
	    (c->backlog && (!m->index.backlog || waits(e, &m->unseen, c) ||
			    (m->index.waited && e->head != GPREEMPT_HEAD_WAITS)))) {
		b->blocked = false;
		b->given_ns = 0;
	}
	if (c->consumed || e->waves > 0)
		b->doubted = false;
	/*
	 * Rule 3, starvation, before rule 2, inversion: the machine may only have been slow.
	 * What was found blocked gets another chance, at once, after starvation_ms.
	 */
	if (b->blocked && clock_reached(b->found_ns, now, (u64)starvation_ms * NSEC_PER_MSEC)) {
		b->blocked = false;
		m->waiting.since_ns = b->found_ns;
	}
}

static void track_index(struct gpreempt_memory *m, const struct gpreempt_evidence *e,
			const struct gpreempt_change *c)
{
	if (!e->readable)
		return;
	if (!m->index.seen)
		m->unseen.busy = true;
	m->index.seen = true;
	m->index.rptr = e->rptr;
	m->index.wptr = e->wptr;
	m->index.backlog = c->backlog;
	m->index.waited = e->head == GPREEMPT_HEAD_WAITS;
}

/*
 * What a count of waves, or what stands for it, tells of unseen work. Uncontended for
 * blocked_us, a queue is past launching: it has waves or it has none, and a count will
 * tell which.
 */
static void track_waves(const struct gpreempt_view *view, const struct gpreempt_queue_view *q,
			struct gpreempt_memory *m, const struct gpreempt_evidence *e,
			const struct gpreempt_change *c, u32 blocked_us)
{
	struct gpreempt_unseen *u = &m->unseen;
	bool settled = clock_reached(m->index.moved_ns, view->now_ns,
				     (u64)blocked_us * NSEC_PER_USEC);

	/* What cannot be checked is not believed. */
	if (u->claimed && view->waves_final && q->matters) {
		u->busy |= e->waves == GPREEMPT_WAVES_UNKNOWN;
		u->claimed = false;
	}
	if (q->ended)
		*u = (struct gpreempt_unseen) { .claimed = true, .done = u->done };
	/* New packets behind a head that waits are not on their way to waves. */
	if (waits(e, u, c))
		u->fresh = false;
	if (!view->contested && settled) {
		u->busy |= u->fresh || u->restored;
		u->fresh = false;
		u->passed = false;
		u->restored = false;
	}
	/* A count says nothing of packets that were consumed after it. */
	if (e->waves > 0) {
		u->fresh = e->late;
		u->restored = false;
		u->busy = true;
		return;
	}
	if (e->waves == 0) {
		/* Some of its waves have ended, others have found no space. */
		u->passed |= u->busy && e->previous == GPREEMPT_SIGNAL_PENDING;
		u->busy = false;
	}
	if (u->done && (!e->late || e->ordered) && (e->waves == 0 || view->waves_final))
		u->fresh = false;
	/* It ended before it was taken off: nothing was saved. */
	if ((u->done || e->previous == GPREEMPT_SIGNAL_DONE) && e->waves == 0 && settled)
		u->restored = false;
}

static void track_preempted(struct gpreempt_memory *m, u64 now)
{
	m->unseen.restored = true;
	m->unseen.busy = false;
	m->index.moved_ns = max_t(u64, now, 1);
	m->resident_ns = 0;
}

/* Had its newest packet fewer waves than it launches when it began? Later some have ended. */
static bool lacks(const struct gpreempt_evidence *e, const struct gpreempt_unseen *u,
		  const struct gpreempt_change *c)
{
	return u->begun && !c->backlog && !e->late && pending(e, u) &&
	       e->waves > 0 && e->newest > e->waves;
}

/* What it did until now says that nothing will come soon after all it had has ended. */
static bool pauses(const struct gpreempt_burst *b, u32 poll_interval_us)
{
	return gpreempt_average(b->pause) > 2ULL * poll_interval_us * NSEC_PER_USEC;
}

/* What moved on while waves were counted got space: whether for all, the next scan tells. */
static void classify(const struct gpreempt_evidence *e, const struct gpreempt_memory *m,
		     const struct gpreempt_change *c, u32 poll_interval_us,
		     struct gpreempt_queue_state *s)
{
	bool launches = launching(e, &m->unseen);
	/* Where nothing depends on it, it goes on as it did when it was counted last. */
	bool presumed = s->unsure && m->unseen.busy;
	/* What it consumed since the last scan would be taken to run for an interval. */
	bool ended = m->burst.ended_ns && pauses(&m->burst, poll_interval_us);

	s->unused = c->backlog || pending(e, &m->unseen) ? GPREEMPT_BLOCKED :
								   GPREEMPT_IDLE;
	if (e->preempted) {
		s->activity = GPREEMPT_RUNNABLE;
		s->wants = true;
	} else if (e->waves > 0 || presumed || (c->consumed && !ended)) {
		s->activity = GPREEMPT_RUNNING;
		s->unsure &= !c->consumed;
		s->wants = c->backlog ? e->head != GPREEMPT_HEAD_WAITS :
			   lacks(e, &m->unseen, c) ||
			   (launches && !presumed && !e->late);
	} else if (!e->readable) {
		s->activity = GPREEMPT_UNKNOWN;
	} else if (waits(e, &m->unseen, c)) {
		s->activity = GPREEMPT_BLOCKED;
	} else if (m->blocked.blocked) {
		s->activity = s->unused;
	} else if (c->backlog || launches) {
		s->activity = GPREEMPT_RUNNABLE;
		s->wants = c->backlog || !e->late;
	}
	s->begins = !s->wants && e->late && launches;
}

/* When it is idle again, as a rule, if it executes now. */
static u64 burst_end(const struct gpreempt_burst *b, u64 now)
{
	u64 begun_ns = b->begun_ns;

	clock_run(&begun_ns, now);
	return begun_ns + gpreempt_average(b->length);
}

/* Is work announced that has not come, and may still come? */
static bool expects(const struct gpreempt_view *view, const struct gpreempt_terms *t,
		    const struct gpreempt_memory *m)
{
	return t->hint_ns && view->now_ns < t->hint_end_ns && m->void_hint_ns != t->hint_ns;
}

/* So soon that the machine is to be freed for it? */
static bool is_due(const struct gpreempt_view *view, const struct gpreempt_terms *t)
{
	return view->now_ns + view->lead_ns >= t->hint_ns;
}

static void expect(const struct gpreempt_view *view, const struct gpreempt_terms *t,
		   const struct gpreempt_memory *m, struct gpreempt_queue_state *s)
{
	s->expects = expects(view, t, m);
	if (s->activity != GPREEMPT_IDLE || !s->expects || !is_due(view, t))
		return;
	s->announced = true;
	s->activity = GPREEMPT_RUNNABLE;
	s->wants = true;
}

/*
 * How long it works as a rule. Without wave counts, what is runnable runs: it has no
 * competitor.
 */
static void track_burst(const struct gpreempt_view *view, struct gpreempt_memory *m,
			const struct gpreempt_evidence *e, struct gpreempt_queue_state *s)
{
	bool runs = s->activity == GPREEMPT_RUNNING;
	bool runnable = s->activity == GPREEMPT_RUNNABLE;
	struct gpreempt_burst *b = &m->burst;
	u64 now = view->now_ns;

	if (s->activity == GPREEMPT_IDLE && b->begun_ns && now > b->begun_ns)
		ewma_gpreempt_ns_add(&b->length, now - b->begun_ns);
	if (e->mapped && (runs || (runnable && !view->contested && !m->unseen.restored)))
		clock_run(&b->begun_ns, now);
	else
		b->begun_ns = 0;
	if (b->begun_ns)
		s->ends_ns = burst_end(b, now);
}

static void track_awake(struct gpreempt_memory *m, struct gpreempt_queue_state *s)
{
	s->begins &= !m->awake;
	m->awake = s->activity == GPREEMPT_RUNNING || s->activity == GPREEMPT_RUNNABLE;
}

/*
 * The machine is free as soon as this queue ends: it has no packet but the one that runs or
 * is about to, and pauses after that. How soon is it to be looked? What waits for its end
 * waits for no more than an eighth of what it takes, so that it costs a few looks, however
 * long it runs.
 */
static u32 look_us(const struct gpreempt_queue_view *q, const struct gpreempt_burst *b, u64 now,
		   u32 poll_interval_us)
{
	u64 ran_us = b->begun_ns && b->begun_ns < now ? (now - b->begun_ns) / NSEC_PER_USEC : 0;
	u64 soon_us = poll_interval_us / 8;

	if (!q->seen.mapped || q->state.announced || q->state.backlog > 1 ||
	    !pauses(b, poll_interval_us))
		return 0;
	return min_t(u64, max(soon_us, ran_us / 8), poll_interval_us);
}

/*
 * The clock runs while it is kept off, or was seen not to execute what it has. What is taken
 * to execute, and was neither counted nor seen to move since, may have waited as well.
 */
static void track_waiting(const struct gpreempt_view *view, struct gpreempt_memory *m,
			  const struct gpreempt_evidence *e, const struct gpreempt_change *c,
			  const struct gpreempt_queue_state *s, u32 min_residency_us)
{
	bool runs = e->mapped && s->activity == GPREEMPT_RUNNING;
	bool doubt = runs && s->unsure && view->contested;
	bool executes = runs && !doubt;
	bool waiting = e->preempted || (view->contested && !s->announced &&
					s->activity == GPREEMPT_RUNNABLE);
	struct gpreempt_waiting *w = &m->waiting;
	u64 now = view->now_ns;

	if (waiting && e->mapped && !w->since_ns)
		w->since_ns = w->doubt_ns;
	if (doubt)
		clock_run(&w->doubt_ns, now);
	else
		w->doubt_ns = 0;

	if (w->raised) {
		if ((!executes && !waiting) || (!view->contested && e->mapped) ||
		    clock_reached(w->executed_ns, now, (u64)min_residency_us * NSEC_PER_USEC))
			*w = (struct gpreempt_waiting) {};
		else if (executes && (e->waves || w->moved))
			clock_run(&w->executed_ns, now);
		/* One packet may have been fetched, and have found no space. */
		w->moved |= executes;
	}
	if (waiting)
		clock_run(&w->since_ns, now);
	else
		w->since_ns = 0;
}

/**
 * gpreempt_save_cost - what saving a queue costs
 * @view: the scan
 * @q: the queue
 *
 * Return: ns, as measured, or as its waves let expect; 0 if nothing is known.
 */
u64 gpreempt_save_cost(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	if (q->seen.save_cost_ns)
		return q->seen.save_cost_ns;
	return q->seen.waves > 0 ? q->seen.waves * view->save_wave_ns : 0;
}

/*
 * Since when may it have had the machine, and not used it? Since a count that found no waves;
 * or, for all that is known, since it was looked at last.
 */
static u64 unused_since(const struct gpreempt_blocked *b, bool unsure, u64 now)
{
	if (b->given_ns && b->given_ns <= now)
		return b->given_ns;
	if (unsure && b->given)
		return b->looked_ns <= now ? b->looked_ns : 0;
	return now;
}

/* Find the state of a queue with this memory, which is brought up to date. */
static void estimate(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
		     struct gpreempt_queue_view *q, struct gpreempt_memory *m)
{
	const struct gpreempt_evidence *e = &q->seen;
	const struct gpreempt_change *c = &q->change;
	struct gpreempt_queue_state *s = &q->state;
	u64 now = view->now_ns;

	*s = (struct gpreempt_queue_state) {
		.takes_part = gpreempt_takes_part(q),
		.unsure = q->unsure && e->waves == GPREEMPT_WAVES_UNKNOWN,
		.backlog = c->backlog,
	};
	if (!s->takes_part) {
		s->activity = estimate_absent(e, m, c->backlog, now);
		return;
	}
	track_pause(m, e, c, s->unsure, q->ended, now);
	track_moves(m, e, c, now);
	track_blocked(m, e, c, now, tun->starvation_ms);
	track_index(m, e, c);
	if (c->consumed)
		m->served = false;
	if (c->consumed || !q->unsure)
		m->blocked.looked_ns = now;
	if (e->preempted) {
		track_preempted(m, now);
	} else {
		clock_run(&m->resident_ns, now);
		track_waves(view, q, m, e, c, tun->blocked_us);
	}
	classify(e, m, c, tun->poll_interval_us, s);
	s->wants &= !q->terms.asked;
	expect(view, &q->terms, m, s);
	track_burst(view, m, e, s);
	track_awake(m, s);
	s->look_us = look_us(q, &m->burst, now, tun->poll_interval_us);
	if (view->passive)
		m->waiting = (struct gpreempt_waiting) {};
	else
		track_waiting(view, m, e, c, s, tun->min_residency_us);

	s->may_hold = s->activity == GPREEMPT_RUNNING ||
		      (s->activity == GPREEMPT_RUNNABLE && e->waves < 0);
	s->in_the_way = gpreempt_in_the_way(view, q, m, s->activity);
	s->save_cost_ns = gpreempt_save_cost(view, q);
	s->leave_ns = m->resident_ns + max_t(u64, s->save_cost_ns,
					     (u64)tun->min_residency_us * NSEC_PER_USEC);
	if (e->mapped && c->backlog == 1 && !m->served)
		s->demand = e->demand;
	s->raised = m->waiting.raised;
	s->waits_ns = m->waiting.since_ns;
	s->unused_ns = unused_since(&m->blocked, q->unsure, now) +
		       (u64)tun->blocked_us * NSEC_PER_USEC;
	s->given = m->blocked.given;
	s->was_idle = m->idle;
}

/**
 * gpreempt_suppose - what might a queue be doing, with waves and without?
 * @view: the scan
 * @tun: the tunables
 * @q: the queue; its state, or what is not sure of that, is filled in; nothing is remembered
 */
void gpreempt_suppose(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
		      struct gpreempt_queue_view *q)
{
	struct gpreempt_memory memory = *q->memory;
	int waves = q->seen.waves;

	if (q->unsure)
		q->seen.waves = 0;
	estimate(view, tun, q, &memory);
	q->seen.waves = waves;
	if (!q->unsure)
		return;
	q->if_none = (struct gpreempt_guess) {
		.activity = q->state.activity,
		.wants = q->state.wants,
		.announced = q->state.announced,
		.may_hold = q->state.may_hold,
		.in_the_way = q->state.in_the_way,
		.waits_ns = q->state.waits_ns,
	};
	/* With waves it executes: it waits for nothing, and wants more for what it has left. */
	q->if_some = (struct gpreempt_guess) {
		.activity = GPREEMPT_RUNNING,
		.wants = q->state.backlog && q->seen.head != GPREEMPT_HEAD_WAITS &&
			 !q->terms.asked,
		.may_hold = true,
		.in_the_way = true,
		.ends_ns = burst_end(&q->memory->burst, view->now_ns),
	};
}

/**
 * gpreempt_assume - take a queue to do as much, or as little, as it may
 * @q: an unsure queue, of which all was supposed
 * @most: it works, wants more and is in the way, if it may with waves or without. Or only if
 *	it does in any case
 */
void gpreempt_assume(struct gpreempt_queue_view *q, bool most)
{
	const struct gpreempt_guess *none = &q->if_none, *some = &q->if_some;
	struct gpreempt_queue_state *s = &q->state;

	s->activity = most ? some->activity : none->activity;
	s->announced = none->announced && !most;
	s->wants = most ? none->wants || some->wants : none->wants && some->wants;
	s->may_hold = most ? some->may_hold : none->may_hold;
	s->in_the_way = most ? some->in_the_way : none->in_the_way;
	s->waits_ns = most ? none->waits_ns : some->waits_ns;
	s->ends_ns = most ? 0 : some->ends_ns;
}

/**
 * gpreempt_estimate - what is a queue doing?
 * @view: the scan
 * @tun: the tunables
 * @q: the queue: from what was seen of it, and what is remembered, to its state
 *
 * If its waves are not counted, nothing depends on them: then it is taken to have some if it
 * had when they were counted last, and nothing is remembered of that.
 */
void gpreempt_estimate(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
		       struct gpreempt_queue_view *q)
{
	const struct gpreempt_guess *presumed;

	presumed = q->memory->unseen.busy ? &q->if_some : &q->if_none;
	estimate(view, tun, q, q->memory);
	/* With nothing to contend with, nothing was supposed either. */
	if (!q->unsure || !view->contested)
		return;
	q->state.activity = presumed->activity;
	q->state.wants = presumed->wants;
	q->state.announced = presumed->announced;
	q->state.may_hold = presumed->may_hold;
	q->state.in_the_way = presumed->in_the_way;
}

/* May have waves, or packets on their way to waves, that no index shows. */
static bool hides(const struct gpreempt_queue_view *q)
{
	const struct gpreempt_memory *m = q->memory;

	return m->unseen.busy || m->unseen.fresh || m->unseen.restored || m->unseen.claimed ||
	       (m->unseen.passed && q->seen.previous == GPREEMPT_SIGNAL_PENDING) ||
	       (q->seen.readable && !m->index.seen) || q->change.submitted;
}

/**
 * gpreempt_work - may a queue want or hold the machine?
 * @q: the queue; what is new of it is filled in
 *
 * Return: what its indices, its signal and its past tell of that.
 */
enum gpreempt_work gpreempt_work(struct gpreempt_queue_view *q)
{
	const struct gpreempt_change *c = &q->change;

	q->change = changes(&q->seen, &q->memory->index);
	if (!gpreempt_takes_part(q))
		return GPREEMPT_WORK_NONE;
	if (q->seen.preempted || !q->seen.readable || q->seen.waves > 0 || c->consumed ||
	    (c->backlog ? q->seen.head != GPREEMPT_HEAD_WAITS || hides(q) :
			 pending(&q->seen, &q->memory->unseen)))
		return GPREEMPT_WORK_SHOWN;
	if (c->backlog)
		return GPREEMPT_WORK_WAITS;
	return hides(q) ? GPREEMPT_WORK_HIDDEN : GPREEMPT_WORK_NONE;
}

/**
 * gpreempt_is_announced - is the machine to be freed for work that was announced?
 * @view: the scan
 * @q: the queue for which it was
 */
bool gpreempt_is_announced(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	return gpreempt_takes_part(q) && expects(view, &q->terms, q->memory) &&
	       is_due(view, &q->terms);
}

/**
 * gpreempt_must_count - are the waves of a queue to be counted, whatever depends on them?
 * @view: the scan
 * @tun: the tunables
 * @m: what is remembered of the queue
 *
 * So it is where a promise depends on having seen it execute: what was raised is raised until
 * then, what seems to have waited for half of starvation_ms may execute each time that it is put
 * back, and so may what was found blocked for all of it. And where its word was taken that it
 * does not.
 */
bool gpreempt_must_count(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
			 const struct gpreempt_memory *m)
{
	u64 long_ns = (u64)tun->starvation_ms * NSEC_PER_MSEC / 2;
	u64 found_ns = m->blocked.blocked ? m->blocked.found_ns : 0;

	return m->waiting.raised || m->unseen.claimed ||
	       clock_reached(found_ns, view->now_ns, 2 * long_ns) ||
	       clock_reached(m->waiting.since_ns, view->now_ns, long_ns) ||
	       clock_reached(m->waiting.doubt_ns, view->now_ns, long_ns);
}

/**
 * gpreempt_is_judged - may a count tell that a queue does not use the machine it was given?
 * @view: the scan
 * @tun: the tunables
 * @m: what is remembered of the queue
 */
bool gpreempt_is_judged(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
			const struct gpreempt_memory *m)
{
	return clock_reached(m->blocked.given_ns, view->now_ns,
			     (u64)tun->blocked_us * NSEC_PER_USEC);
}

/* A queue was given the machine, and did not use it. */
static void give_up(const struct gpreempt_queue_view *q, u64 now)
{
	struct gpreempt_memory *m = q->memory;

	if (q->state.announced) {
		m->void_hint_ns = q->terms.hint_ns;
		return;
	}
	m->unseen.fresh = false;
	m->unseen.passed = false;
	m->unseen.busy = false;
	/* Saved waves show in no index: believe it the second time. */
	m->unseen.restored = m->unseen.restored && !m->blocked.doubted;
	m->blocked.doubted = true;
	m->blocked.blocked = true;
	m->blocked.found_ns = max_t(u64, now, 1);
	m->waiting = (struct gpreempt_waiting) {};
}

/**
 * gpreempt_waits_no_more - a queue is not kept from executing
 * @m: its memory
 */
void gpreempt_waits_no_more(struct gpreempt_memory *m)
{
	m->waiting = (struct gpreempt_waiting) {};
}

/**
 * gpreempt_learn - remember what a plan has made of a queue
 * @view: the scan
 * @q: the queue
 * @displaces: some queues are taken off for those that want the machine
 */
void gpreempt_learn(const struct gpreempt_view *view, struct gpreempt_queue_view *q,
		    bool displaces)
{
	struct gpreempt_memory *m = q->memory;

	if (q->out.raised)
		m->waiting.raised = true;
	if (q->out.unused)
		give_up(q, view->now_ns);
	m->blocked.given = q->out.given;
	if (!q->out.given || q->out.unused || q->out.activity == GPREEMPT_RUNNING)
		m->blocked.given_ns = 0;
	else if (!q->unsure)
		clock_run(&m->blocked.given_ns, view->now_ns);
	m->served = q->out.wants && (m->served || displaces);
	m->idle = q->seen.mapped && q->out.activity == GPREEMPT_IDLE;
}
