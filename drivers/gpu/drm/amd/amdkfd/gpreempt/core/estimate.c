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
				      const struct gpreempt_memory *m)
{
	const struct gpreempt_evidence *was = &m->index.was;
	const struct gpreempt_unseen *u = &m->unseen;
	bool known = e->readable && was->readable;
	struct gpreempt_change c = {
		.consumed = known && e->rptr != was->rptr,
		.submitted = known && e->wptr != was->wptr && e->wptr - e->rptr <= S64_MAX,
		.backlog = backlog_of(e),
	};
	/*
	 * Waves of its own, or packets on their way to some, that an ordered packet waits for; but
	 * if the packet before it has ended, waves are of those that it has launched so far.
	 */
	bool own = (e->waves > 0 && e->previous != GPREEMPT_SIGNAL_DONE) || e->late ||
		   (e->waves < 0 && (c.consumed || u->busy || u->passed || u->restored));

	c.begins = c.consumed || u->passed;
	c.ready = c.backlog && e->head != GPREEMPT_HEAD_WAITS && !(e->head_ordered && own);
	return c;
}

static void index_off(struct gpreempt_index *x, u64 now)
{
	x->moved_ns = max_t(u64, now, 1);
}

static void index_see(struct gpreempt_index *x, const struct gpreempt_evidence *e,
		      const struct gpreempt_change *c, u64 now)
{
	if (c->submitted || c->consumed || e->late)
		x->moved_ns = max_t(u64, now, 1);
	if (e->readable)
		x->was = *e;
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

/* An index that moved may mean unseen work, until waves or a completed signal are seen. */
static void unseen_see(struct gpreempt_unseen *u, const struct gpreempt_evidence *was,
		       const struct gpreempt_evidence *e, const struct gpreempt_change *c)
{
	bool begun = u->passed || c->consumed, counted = e->waves > 0 && !e->late;

	if (e->readable) {
		u->busy |= !was->readable;
		u->done = e->signal == GPREEMPT_SIGNAL_DONE || (u->done && e->wptr == was->wptr);
	}
	u->fresh |= c->submitted || c->consumed || e->late;
	if (counted && begun)
		u->lacks = e->begun > e->waves;
	if (c->consumed && !counted)
		u->lacks = false;
	u->passed |= c->consumed ||
		     (!was->readable && (c->backlog ? e->previous == GPREEMPT_SIGNAL_PENDING :
						   pending(e, u)));
	if (counted || e->previous == GPREEMPT_SIGNAL_DONE)
		u->passed = false;
	if (e->previous == GPREEMPT_SIGNAL_DONE)
		u->lacks = false;
}

/*
 * Learn of unseen work from a count of waves, or from time that stands for one: a queue that was
 * alone on the hardware for blocked_us has launched all it could. A later count tells whether it
 * has waves.
 */
static void unseen_count(struct gpreempt_unseen *u, const struct gpreempt_view *view,
			 const struct gpreempt_evidence *e, const struct gpreempt_change *c,
			 bool settled, bool given)
{
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
		u->lacks = false;
	}
	if (u->done && (!e->late || e->ordered) && (e->waves == 0 || view->waves_final))
		u->fresh = false;
	/*
	 * It ended before it was taken off, so that nothing was saved: else its waves would be
	 * back, unless others fill the machine.
	 */
	if ((u->done || e->previous == GPREEMPT_SIGNAL_DONE) && e->waves == 0 && settled &&
	    (given || !view->contested))
		u->restored = false;
}

/* Off the hardware, and what it has may be saved. */
static void unseen_off(struct gpreempt_unseen *u)
{
	u->restored = true;
	u->busy = false;
	u->lacks = false;
}

/* Off the hardware, with nothing. */
static void unseen_bare(struct gpreempt_unseen *u)
{
	*u = (struct gpreempt_unseen) { .done = u->done };
}

/* It had the machine and showed nothing. Saved waves show in no index: believe it twice. */
static void unseen_give_up(struct gpreempt_unseen *u, bool doubted)
{
	u->fresh = false;
	u->passed = false;
	u->busy = false;
	u->lacks = false;
	u->restored &= !doubted;
}

/* It is judged anew when it has been given the machine again. */
static void blocked_anew(struct gpreempt_blocked *b)
{
	b->given_ns = 0;
	b->blocked_ns = 0;
}

/* A new head packet, or one that was waiting, gets its chance. */
static void blocked_see(struct gpreempt_blocked *b, const struct gpreempt_memory *m,
			const struct gpreempt_evidence *e, const struct gpreempt_change *c)
{
	const struct gpreempt_evidence *was = &m->index.was;

	if (c->consumed || e->preempted || e->waves > 0 ||
	    (c->backlog && (!backlog_of(was) || waits(e, &m->unseen, c) ||
			    (was->head == GPREEMPT_HEAD_WAITS && e->head != was->head))))
		blocked_anew(b);
	if (c->consumed || e->waves > 0)
		b->doubted = false;
}

/*
 * Rule 3, starvation, before rule 2, inversion: a queue that was found blocked gets another chance
 * after starvation_ms, as the machine may only have been slow. It has waited since it was found.
 */
static u64 blocked_end(struct gpreempt_blocked *b, u64 now, u32 starvation_ms)
{
	u64 since_ns = b->blocked_ns;

	if (!gpreempt_reached(since_ns, now, (u64)starvation_ms * NSEC_PER_MSEC))
		return 0;
	b->blocked_ns = 0;
	return since_ns;
}

static void blocked_give_up(struct gpreempt_blocked *b, u64 now)
{
	b->doubted = true;
	b->blocked_ns = max_t(u64, now, 1);
}

static void blocked_learn(struct gpreempt_blocked *b, const struct gpreempt_outcome *out, u64 now)
{
	if (!out->given || out->unused || out->activity == GPREEMPT_RUNNING)
		b->given_ns = 0;
	else
		clock_run(&b->given_ns, now);
}

/*
 * The state of a queue that takes no part: neither its saved waves nor the packets in its ring
 * can run. Its indices are compared again when it is back.
 */
static enum gpreempt_activity estimate_absent(const struct gpreempt_evidence *e,
					      struct gpreempt_memory *m, u32 backlog, u64 now)
{
	m->waits_ns = 0;
	m->resident_ns = 0;
	m->awake = false;
	blocked_anew(&m->blocked);
	index_off(&m->index, now);
	if (e->bare)
		unseen_bare(&m->unseen);
	else if (e->preempted || m->unseen.busy || m->unseen.fresh)
		unseen_off(&m->unseen);

	if (backlog || m->unseen.restored || m->unseen.fresh)
		return GPREEMPT_BLOCKED;
	return e->readable || e->bare ? GPREEMPT_IDLE : GPREEMPT_UNKNOWN;
}

/*
 * Wanting more is a fact: a packet could be launched, or one was launched in part, or saved waves
 * are not back. A queue that moved on while its waves were counted got some space; the next scan
 * tells whether for all of them.
 */
static void classify(const struct gpreempt_view *view, const struct gpreempt_evidence *e,
		     const struct gpreempt_memory *m, const struct gpreempt_change *c,
		     struct gpreempt_queue_state *s)
{
	const struct gpreempt_unseen *u = &m->unseen;
	bool uncounted = e->waves < 0, launches = launching(e, u);
	/* Where no count was needed, it goes on as it did when it was counted last. */
	bool presumed = uncounted && !view->waves_final && u->busy;

	s->unused = c->backlog || pending(e, u) ? GPREEMPT_BLOCKED : GPREEMPT_IDLE;
	if (e->preempted && (!e->bare || c->backlog)) {
		s->activity = GPREEMPT_RUNNABLE;
		s->wants = true;
	} else if (e->waves > 0 || presumed ||
		   (c->consumed && (uncounted || c->backlog || launches))) {
		s->activity = GPREEMPT_RUNNING;
		s->wants = c->ready || u->lacks ||
			   (launches && !waits(e, u, c) && !presumed && !e->late);
	} else if (!e->readable) {
		s->activity = GPREEMPT_UNKNOWN;
	} else if (waits(e, u, c)) {
		s->activity = GPREEMPT_BLOCKED;
	} else if (m->blocked.blocked_ns) {
		s->activity = s->unused;
	} else if (c->backlog || launches) {
		s->activity = GPREEMPT_RUNNABLE;
		s->wants = c->ready || !e->late;
	}
	s->begins = !s->wants && e->late && launches && !m->awake;
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

/* The clock runs while it is kept off, or was seen not to execute what it has. */
static void waits_see(u64 *waits_ns, const struct gpreempt_view *view,
		      const struct gpreempt_evidence *e, const struct gpreempt_queue_state *s)
{
	bool waiting = (e->preempted && s->activity == GPREEMPT_RUNNABLE) ||
		       (view->contested && !s->announced &&
			(s->activity == GPREEMPT_RUNNABLE ||
			 (s->activity == GPREEMPT_RUNNING && !e->waves)));

	if (waiting && !view->passive)
		clock_run(waits_ns, view->now_ns);
	else
		*waits_ns = 0;
}

/*
 * May a queue have part of the machine, or be about to, so that a higher one may take it off? It
 * executes or is about to; or its memory was not read, which must not protect it; or it looks
 * blocked, but may have waves that cannot be counted; or it looks idle or blocked, but a queue
 * above waits all the same, and either waves cannot be counted or a slot is missing.
 */
static bool in_the_way(const struct gpreempt_view *view, const struct gpreempt_evidence *e,
		       const struct gpreempt_memory *m, enum gpreempt_activity activity)
{
	bool uncounted = e->waves == GPREEMPT_WAVES_UNKNOWN;
	bool hides = view->proof && (uncounted || view->crowded);

	switch (activity) {
	case GPREEMPT_RUNNING:
	case GPREEMPT_RUNNABLE:
	case GPREEMPT_UNKNOWN:
		return true;
	case GPREEMPT_BLOCKED:
		return hides || (uncounted && (m->blocked.blocked_ns || m->unseen.busy ||
					       m->unseen.fresh || m->unseen.restored));
	default:
		return hides;
	}
}

/**
 * gpreempt_estimate - what is a queue doing?
 * @view: the scan
 * @q: the queue: from what was seen of it, and what is remembered, to its state
 */
void gpreempt_estimate(const struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	const struct gpreempt_evidence *e = &q->seen;
	const struct gpreempt_change *c = &q->change;
	struct gpreempt_queue_state *s = &q->state;
	struct gpreempt_memory *m = q->memory;
	u64 now = view->now_ns, blocked_ns = (u64)view->tun.blocked_us * NSEC_PER_USEC;
	bool settled;

	*s = (struct gpreempt_queue_state) {};
	if (!gpreempt_takes_part(q)) {
		s->activity = estimate_absent(e, m, c->backlog, now);
		return;
	}
	unseen_see(&m->unseen, &m->index.was, e, c);
	blocked_see(&m->blocked, m, e, c);
	m->waits_ns = blocked_end(&m->blocked, now, view->tun.starvation_ms) ?: m->waits_ns;
	index_see(&m->index, e, c, now);
	settled = gpreempt_reached(m->index.moved_ns, now, blocked_ns);
	if (e->preempted) {
		if (e->bare)
			unseen_bare(&m->unseen);
		else
			unseen_off(&m->unseen);
		index_off(&m->index, now);
		m->resident_ns = 0;
	} else {
		clock_run(&m->resident_ns, now);
		unseen_count(&m->unseen, view, e, c, settled, m->blocked.given_ns);
	}
	classify(view, e, m, c, s);
	/* Waves of a half-launched packet are its own, but it would have moved by now. */
	if (e->waves > 0 && e->head_ordered && settled && s->activity == GPREEMPT_RUNNING)
		s->wants &= m->unseen.lacks;
	s->wants &= !q->terms.asked;
	expect(view, &q->terms, m, s);
	m->awake = s->activity == GPREEMPT_RUNNING || s->activity == GPREEMPT_RUNNABLE;
	waits_see(&m->waits_ns, view, e, s);

	s->in_the_way = in_the_way(view, e, m, s->activity);
	s->leave_ns = m->resident_ns + (u64)view->tun.min_residency_us * NSEC_PER_USEC;
	s->waits_ns = m->waits_ns;
	/* Given the machine since a count that found no waves. */
	s->unused_ns = min_not_zero(m->blocked.given_ns, now) + blocked_ns;
	s->was_idle = m->idle;
}

/* May have waves, or packets on their way to waves, that no index shows. */
static bool hides(const struct gpreempt_queue_view *q)
{
	const struct gpreempt_memory *m = q->memory;

	return m->unseen.busy || m->unseen.fresh || m->unseen.restored ||
	       (m->unseen.passed && q->seen.previous == GPREEMPT_SIGNAL_PENDING) ||
	       (q->seen.readable && !m->index.was.readable) || q->change.submitted;
}

/**
 * gpreempt_work - may a queue want or hold the machine?
 * @view: the scan
 * @q: the queue; what is new of it is filled in
 *
 * Return: what its indices, its signal and its past tell of that.
 */
enum gpreempt_work gpreempt_work(const struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	const struct gpreempt_change *c = &q->change;

	q->change = changes(&q->seen, q->memory);
	if (!gpreempt_takes_part(q))
		return GPREEMPT_WORK_NONE;
	if ((q->seen.preempted && !q->seen.bare) || !q->seen.readable || q->seen.waves > 0 ||
	    c->consumed ||
	    (c->backlog ? q->seen.head != GPREEMPT_HEAD_WAITS :
			 pending(&q->seen, &q->memory->unseen)))
		return GPREEMPT_WORK_SHOWN;
	if (hides(q))
		return GPREEMPT_WORK_HIDDEN;
	return expects(view, &q->terms, q->memory) && is_due(view, &q->terms) ?
	       GPREEMPT_WORK_ANNOUNCED : GPREEMPT_WORK_NONE;
}

/**
 * gpreempt_learn - remember what a plan has made of a queue
 * @view: the scan
 * @q: the queue
 */
void gpreempt_learn(const struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	struct gpreempt_memory *m = q->memory;

	if (q->out.unused && q->state.announced) {
		m->void_hint_ns = q->terms.hint_ns;
	} else if (q->out.unused) {
		unseen_give_up(&m->unseen, m->blocked.doubted);
		blocked_give_up(&m->blocked, view->now_ns);
		m->waits_ns = 0;
	}
	blocked_learn(&m->blocked, &q->out, view->now_ns);
	m->idle = q->seen.mapped && q->out.activity == GPREEMPT_IDLE;
}
