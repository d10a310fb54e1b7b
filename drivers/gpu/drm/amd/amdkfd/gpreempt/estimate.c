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
 * nothing is waiting. One above the ring's size is producers waiting for room.
 */
static u32 backlog_of(const struct gpreempt_evidence *e)
{
	u64 packets = e->wptr - e->rptr;

	if (!e->readable || e->head == GPREEMPT_HEAD_INVALID || packets > S64_MAX)
		return 0;
	return min_t(u64, packets, e->size);
}

/**
 * gpreempt_changes - what is new of a queue?
 * @e: what was seen of it
 * @last: its indices at the last scan
 */
struct gpreempt_change gpreempt_changes(const struct gpreempt_evidence *e,
					const struct gpreempt_index *last)
{
	bool known = e->readable && last->seen;

	return (struct gpreempt_change) {
		.consumed = known && e->rptr != last->rptr,
		.submitted = known && e->wptr != last->wptr && e->wptr - e->rptr <= S64_MAX,
		.backlog = backlog_of(e),
	};
}

/**
 * gpreempt_pending - has its newest packet not completed?
 * @e: what was seen of a queue
 * @u: what is remembered of unseen work
 */
bool gpreempt_pending(const struct gpreempt_evidence *e, const struct gpreempt_unseen *u)
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
	return e->waves <= 0 && (u->restored || u->busy || u->fresh || gpreempt_pending(e, u));
}

/*
 * The state of a queue that takes no part: what it has saved, or has in its
 * ring, cannot run. Its indices are compared again when it is back.
 */
static void estimate_absent(struct gpreempt_queue_view *q)
{
	struct gpreempt_memory *m = q->memory;
	struct gpreempt_unseen *u = &m->unseen;

	m->waiting = (struct gpreempt_waiting) {};
	m->resident_ns = 0;
	m->blocked.given_ns = 0;
	m->blocked.blocked = false;
	m->burst.begun_ns = 0;
	m->burst.awake = false;
	m->turn.since_ns = 0;
	if (q->seen.preempted || u->busy)
		u->restored = true;
	u->busy = false;

	if (q->state.backlog || u->restored || u->fresh)
		q->state.activity = GPREEMPT_BLOCKED;
	else
		q->state.activity = q->seen.readable ? GPREEMPT_IDLE : GPREEMPT_UNKNOWN;
}

/* Pauses: from a scan that saw all ended to one that saw something submitted. */
static void track_pause(const struct gpreempt_queue_view *q, const struct gpreempt_change *c,
			u64 now)
{
	const struct gpreempt_evidence *e = &q->seen;
	struct gpreempt_burst *b = &q->memory->burst;

	if (b->ended_ns && c->submitted) {
		ewma_gpreempt_ns_add(&b->pause, now > b->ended_ns ? now - b->ended_ns : 0);
		b->ended_ns = 0;
	}
	if (c->backlog || e->waves > 0 || gpreempt_pending(e, &q->memory->unseen))
		b->ended_ns = 0;
	else if (e->signal == GPREEMPT_SIGNAL_DONE &&
		 (q->ended || (e->waves == 0 && (!e->late || e->ordered))))
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
	u->passed |= c->consumed ||
		     (!m->index.seen && (c->backlog ? e->previous == GPREEMPT_SIGNAL_PENDING :
						      gpreempt_pending(e, u)));
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
			    (m->index.waited && e->head != GPREEMPT_HEAD_WAITS))))
		b->blocked = false;
	if (c->consumed || e->waves > 0)
		b->doubted = false;
	/*
	 * Rule 3 before rule 2: the machine may only have been slow. What was found
	 * blocked gets another chance, at once, after starvation_ms.
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
			const struct gpreempt_change *c, u32 blocked_us)
{
	const struct gpreempt_evidence *e = &q->seen;
	struct gpreempt_unseen *u = &q->memory->unseen;
	bool settled = clock_reached(q->memory->index.moved_ns, view->now_ns,
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
	if (!view->informed && settled) {
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
	if (e->waves == 0)
		u->busy = false;
	if (u->done && (!e->late || e->ordered) && (e->waves == 0 || view->informed))
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

/* What it did until now says that nothing will come soon after all it had has ended. */
static bool pauses(const struct gpreempt_burst *b, u32 poll_interval_us)
{
	return gpreempt_average(b->pause) > 2ULL * poll_interval_us * NSEC_PER_USEC;
}

/* What moved on while waves were counted got room: whether for all, the next scan tells. */
static void classify(struct gpreempt_queue_view *q, const struct gpreempt_change *c,
		     u32 poll_interval_us)
{
	const struct gpreempt_evidence *e = &q->seen;
	const struct gpreempt_memory *m = q->memory;
	bool launches = launching(e, &m->unseen);
	struct gpreempt_queue_state *s = &q->state;
	/* What it consumed since the last scan would be taken to run for an interval. */
	bool ended = m->burst.ended_ns && pauses(&m->burst, poll_interval_us);

	s->unused = c->backlog || gpreempt_pending(e, &m->unseen) ? GPREEMPT_BLOCKED :
								   GPREEMPT_IDLE;
	if (e->preempted) {
		s->activity = GPREEMPT_RUNNABLE;
		s->wants = true;
	} else if (e->waves > 0 || (c->consumed && !ended) ||
		   q->presumed) {
		s->activity = GPREEMPT_RUNNING;
		s->wants = c->backlog ? e->head != GPREEMPT_HEAD_WAITS :
					launches && !q->presumed && !e->late;
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
	if (q->terms.asked)
		s->wants = false;
	s->begins = !s->wants && e->late && launches;
}

/* Work that was announced, and has not come: so soon that the machine is to be freed for it? */
static void expect(const struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	const struct gpreempt_terms *t = &q->terms;
	struct gpreempt_queue_state *s = &q->state;

	s->expects = t->hint_ns && view->now_ns < t->hint_end_ns &&
		     q->memory->void_hint_ns != t->hint_ns;
	if (s->activity != GPREEMPT_IDLE || !s->expects ||
	    view->now_ns + view->lead_ns < t->hint_ns)
		return;
	s->announced = true;
	s->activity = GPREEMPT_RUNNABLE;
	s->wants = true;
}

/*
 * How long it works as a rule. Without wave counts, what is runnable runs: it has no
 * competitor.
 */
static void track_burst(const struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	struct gpreempt_burst *b = &q->memory->burst;
	struct gpreempt_queue_state *s = &q->state;
	bool runs = s->activity == GPREEMPT_RUNNING;
	bool runnable = s->activity == GPREEMPT_RUNNABLE;
	u64 now = view->now_ns;

	if (s->activity == GPREEMPT_IDLE && b->begun_ns && now > b->begun_ns)
		ewma_gpreempt_ns_add(&b->length, now - b->begun_ns);
	if (q->seen.mapped && (runs || (runnable && !view->informed)))
		clock_run(&b->begun_ns, now);
	else
		b->begun_ns = 0;
	s->begins &= !b->awake;
	b->awake = runs || runnable;
	if (b->begun_ns)
		s->ends_ns = b->begun_ns + gpreempt_average(b->length);
}

/*
 * The machine is free as soon as this queue ends: it has no packet but the one that runs or
 * is about to, and pauses after that. How soon is it to be looked? What waits for its end
 * waits for no more than an eighth of what it takes, so that it costs a few looks, however
 * long it runs.
 */
static u32 look_us(const struct gpreempt_queue_view *q, u64 now, u32 poll_interval_us)
{
	const struct gpreempt_burst *b = &q->memory->burst;
	u64 ran_us = b->begun_ns && b->begun_ns < now ? (now - b->begun_ns) / NSEC_PER_USEC : 0;
	u64 soon_us = poll_interval_us / 8;

	if (!q->seen.mapped || q->state.announced || q->state.backlog > 1 ||
	    !pauses(b, poll_interval_us))
		return 0;
	return min_t(u64, max(soon_us, ran_us / 8), poll_interval_us);
}

static void track_turn(const struct gpreempt_queue_view *q, u64 now)
{
	struct gpreempt_turn *t = &q->memory->turn;
	u64 since = max(t->since_ns, q->memory->resident_ns);

	if (t->has && since && now > since)
		t->had_ns += now - since;
	t->since_ns = q->seen.mapped ? now : 0;
}

/* The clock runs while it is kept off, or seen not to execute what it has. */
static void track_waiting(const struct gpreempt_view *view, const struct gpreempt_queue_view *q,
			  u32 min_residency_us)
{
	struct gpreempt_waiting *w = &q->memory->waiting;
	const struct gpreempt_queue_state *s = &q->state;
	bool executes = q->seen.mapped && s->activity == GPREEMPT_RUNNING;
	bool waiting = q->seen.preempted ||
		       (view->informed && s->activity == GPREEMPT_RUNNABLE && !s->announced);
	u64 now = view->now_ns;

	if (w->raised) {
		if ((!executes && !waiting) || (!view->informed && q->seen.mapped) ||
		    clock_reached(w->executed_ns, now, (u64)min_residency_us * NSEC_PER_USEC))
			*w = (struct gpreempt_waiting) {};
		else if (executes)
			clock_run(&w->executed_ns, now);
	}
	if (waiting)
		clock_run(&w->since_ns, now);
	else
		w->since_ns = 0;
}

/*
 * What may be taken off for a higher queue: it executes or is about to; or it
 * looks blocked, but may have waves that cannot be counted; or it cannot be read
 * either, which would protect whatever hides its memory.
 */
static bool in_the_way(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	const struct gpreempt_memory *m = q->memory;
	bool uncounted = q->seen.waves == GPREEMPT_WAVES_UNKNOWN;

	switch (q->state.activity) {
	case GPREEMPT_RUNNING:
	case GPREEMPT_RUNNABLE:
		return true;
	case GPREEMPT_BLOCKED:
		return uncounted && (m->blocked.blocked || m->unseen.busy ||
				     m->unseen.fresh || m->unseen.restored);
	case GPREEMPT_UNKNOWN:
		return uncounted && view->waves_final;
	default:
		return false;
	}
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

/**
 * gpreempt_estimate - what is a queue doing?
 * @view: the scan
 * @tun: the tunables
 * @passive: nothing is taken off, so nothing is starved
 * @q: the queue: from what was seen of it, and what is remembered, to its state
 */
void gpreempt_estimate(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
		       bool passive, struct gpreempt_queue_view *q)
{
	struct gpreempt_memory *m = q->memory;
	struct gpreempt_change c = gpreempt_changes(&q->seen, &m->index);
	struct gpreempt_queue_state *s = &q->state;
	u64 now = view->now_ns;

	*s = (struct gpreempt_queue_state) {
		.takes_part = gpreempt_takes_part(q),
		.backlog = c.backlog,
	};
	if (!s->takes_part) {
		m->served = false;
		estimate_absent(q);
		return;
	}
	track_pause(q, &c, now);
	track_moves(m, &q->seen, &c, now);
	track_blocked(m, &q->seen, &c, now, tun->starvation_ms);
	track_index(m, &q->seen, &c);
	if (c.consumed)
		m->served = false;
	if (q->seen.preempted) {
		track_preempted(m, now);
	} else {
		clock_run(&m->resident_ns, now);
		track_waves(view, q, &c, tun->blocked_us);
	}
	classify(q, &c, tun->poll_interval_us);
	expect(view, q);
	track_burst(view, q);
	s->look_us = look_us(q, now, tun->poll_interval_us);
	track_turn(q, now);
	if (passive)
		m->waiting = (struct gpreempt_waiting) {};
	else
		track_waiting(view, q, tun->min_residency_us);

	s->in_the_way = in_the_way(view, q);
	s->save_cost_ns = gpreempt_save_cost(view, q);
	s->leave_ns = m->resident_ns + max_t(u64, s->save_cost_ns,
					     (u64)tun->min_residency_us * NSEC_PER_USEC);
	if (q->seen.mapped && c.backlog == 1 && !m->served)
		s->demand = q->seen.demand;
	s->raised = m->waiting.raised;
	s->waits_ns = m->waiting.since_ns;
	s->unused_ns = (m->blocked.given_ns && m->blocked.given_ns <= now ?
			m->blocked.given_ns : now) + (u64)tun->blocked_us * NSEC_PER_USEC;
	s->was_idle = m->idle;
	s->turn = m->turn;
}

/* Rule 2, of one queue: it was given the machine, and did not use it. */
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
 * gpreempt_learn - remember what a plan has made of a queue
 * @view: the scan
 * @q: the queue
 * @makes_room: some queues are taken off for those that want the machine
 */
void gpreempt_learn(const struct gpreempt_view *view, struct gpreempt_queue_view *q,
		    bool makes_room)
{
	struct gpreempt_memory *m = q->memory;
	struct gpreempt_turn *t = &m->turn;

	if (q->out.raised)
		m->waiting.raised = true;
	if (q->out.unused)
		give_up(q, view->now_ns);
	if (q->out.given && !q->out.unused)
		clock_run(&m->blocked.given_ns, view->now_ns);
	else
		m->blocked.given_ns = 0;
	m->served = q->out.wants && (m->served || makes_room);
	m->idle = q->seen.mapped && q->out.activity == GPREEMPT_IDLE;
	if (!q->out.turn) {
		if (t->has)
			t->ended_ns = max_t(u64, view->now_ns, 1);
		t->had_ns = 0;
	}
	t->has = q->out.turn;
}
