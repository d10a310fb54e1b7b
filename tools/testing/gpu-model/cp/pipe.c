// SPDX-License-Identifier: GPL-2.0
/*
 * One connected queue a pipe (--connect pipe, strict): its packets alone are taken, its
 * workgroups alone are launched. Waves that were launched go on, and what they complete is
 * told of.
 *
 * A queue with work keeps the pipe for its quantum, or without one until it has no work, then
 * it goes to the one with work that has been without it for longest. With strict that holds
 * of queues of one queue priority, and a higher one has the pipe at once, for as long as it
 * has work. A queue that waits, for a signal, for memory or for room, has work.
 */
#include <inttypes.h>

#include "cp/pipe.h"
#include "cp/queue/aql.h"
#include "cp/queue/engine.h"
#include "cp/queue/pm4.h"
#include "host/log.h"

static bool has_work(struct user_queue *q)
{
	if (q->frozen || gpu_now() < q->since)
		return false;
	if (q->pending || q->launching)
		return true;
	if (q->drain)
		return false;
	if (q->error)
		return q->error == AQL_NO_SCRATCH;	/* it looks for some */
	return q->aql ? aql_has_packet(q) : pm4_has_packet(q->h);
}

static bool equals(const struct user_queue *a, const struct user_queue *b)
{
	return a->g->cfg.connect != CONNECT_STRICT || a->priority == b->priority;
}

/* Is @a to be connected rather than @b? */
static bool goes_first(const struct user_queue *a, const struct user_queue *b)
{
	if (!equals(a, b))
		return a->priority > b->priority;
	return a->connected_at < b->connected_at;
}

static void connect(struct user_queue *q)
{
	u64 quantum = queue_quantum(q);

	q->connected = true;
	q->connected_at = ++q->part->turn;
	q->pipe_until = quantum ? gpu_now() + quantum : ~0ull;
}

static bool pipe_connect(struct partition *p, unsigned int pipe)
{
	struct user_queue *q, *last = NULL, *next = NULL;

	for (q = p->queues; q; q = q->next) {
		if (q->h->pipe != pipe)
			continue;
		if (q->connected)
			last = q;
		if (has_work(q) && (!next || goes_first(q, next)))
			next = q;
	}
	if (!next)
		return false;
	if (last && has_work(last) && equals(last, next) && gpu_now() < last->pipe_until) {
		if (next != last)
			mec_kick_at(p->g, last->pipe_until);
		return false;
	}
	if (last)
		last->connected = false;
	connect(next);
	if (next == last)
		return false;
	log_event("pipe-connect", "queue=%#x pasid=%u xcc=%u pipe=%u", next->h->doorbell,
		  next->pasid, p->xcc, pipe);
	return true;
}

/**
 * pipes_connect() - connect who is next on each pipe
 * @p:	partition
 *
 * To be called whenever queues got work, or have done theirs.
 *
 * Return: true if a pipe has another queue now.
 */
bool pipes_connect(struct partition *p)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < MEC_PIPES; i++)
		any |= pipe_connect(p, i);
	return any;
}
