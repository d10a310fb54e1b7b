// SPDX-License-Identifier: GPL-2.0
/* Dispatches at their end; see complete.h. */
#include <inttypes.h>

#include "cp/queue/aql_dispatch.h"
#include "cp/queue/aql_ring.h"
#include "cp/queue/complete.h"
#include "cp/queue/dispatch.h"
#include "cp/queue/engine.h"
#include "cp/queue/pm4_dispatch.h"
#include "cp/queue/release.h"
#include "cp/queue/signal.h"
#include "host/log.h"
#include "host/params.h"

/**
 * dispatch_parse() - work out a dispatch from its source
 * @q:	queue
 * @d:	dispatch; @d->source and @d->packet are set
 *
 * Return: AQL_OK, or why it is refused.
 */
enum aql_error dispatch_parse(struct user_queue *q, struct dispatch *d)
{
	return dispatch_by_packet(q, d) ? aql_dispatch_parse(q, d) : pm4_dispatch_parse(q, d);
}

/**
 * aql_launched() - the last workgroup of a dispatch was launched
 * @d:	dispatch
 */
void aql_launched(struct dispatch *d)
{
	d->q->launching = NULL;
	if (dispatch_by_packet(d->q, d) && !d->q->g->cfg.rptr_at_fetch)
		aql_publish(d->q);
}

/* A workgroup ended; with its last one the dispatch is aql_complete()'s. */
static void group_ended(struct dispatch *d)
{
	struct user_queue *q = d->q;

	d->live--;
	if (d->live || d->next < d->total)
		return;
	log_event("dispatch-end", "queue=%#x pasid=%u disp=%" PRIu64 " us=%" PRIu64,
		  q->h->doorbell, q->pasid, d->packet, (gpu_now() - d->begin) / NS_PER_US);
	d->end = gpu_now();
}

/**
 * aql_reap() - take note of the workgroups that ended
 * @p:	partition
 *
 * Return: true if there were any.
 */
bool aql_reap(struct partition *p)
{
	return spi_reap(p, group_ended);
}

/* Its signal, and the packets that waited for it; free for another. */
static void complete(struct dispatch *d)
{
	struct user_queue *q = d->q;

	if (dispatch_by_packet(q, d) && signal_complete(q, get64(d->source + 56), d->begin, d->end))
		queue_fail(q, AQL_FAULT);
	d->used = false;
	q->begun--;
	if (release_ended(q, d - q->d))
		queue_fail(q, AQL_FAULT);
}

/**
 * aql_complete() - complete dispatches whose end can be seen by now
 * @q:	queue
 *
 * Return: true if one ended that will be seen later; a turn is asked for then.
 */
bool aql_complete(struct user_queue *q)
{
	u64 now = gpu_now();
	bool later = false;
	unsigned int i;

	for (i = 0; i < DISPATCHES_MAX; i++) {
		struct dispatch *d = &q->d[i];

		if (!d->used || !d->end)
			continue;
		if (now >= d->end + param.signal_ns) {
			complete(d);
		} else {
			mec_kick_at(q->g, d->end + param.signal_ns);
			later = true;
		}
	}
	return later;
}
