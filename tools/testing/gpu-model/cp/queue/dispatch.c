// SPDX-License-Identifier: GPL-2.0
/* Dispatches; see dispatch.h. */
#include <inttypes.h>

#include "cp/queue/dispatch.h"
#include "host/log.h"

/**
 * dispatch_dims() - workgroups of a dispatch
 * @d:		dispatch
 * @grid:	work-items
 * @size:	work-items of a workgroup
 * @start:	first workgroup; those before it are not launched
 *
 * Return: AQL_OK, or which of them is no good.
 */
enum aql_error dispatch_dims(struct dispatch *d, const u32 grid[3], const u32 size[3],
			     const u32 start[3])
{
	unsigned int i, items = 1;

	d->total = 1;
	for (i = 0; i < 3; i++) {
		if (!grid[i])
			return AQL_BAD_DIM;
		if (!size[i] || size[i] > WG_ITEMS_MAX)
			return AQL_BAD_GROUP_SIZE;
		items *= size[i];
		if (items > WG_ITEMS_MAX)
			return AQL_BAD_GROUP_SIZE;
		d->regs.grid[i] = grid[i];
		d->regs.wgsize[i] = size[i];
		d->wgs[i] = (grid[i] - 1) / size[i] + 1;
		if (start[i] >= d->wgs[i])
			return AQL_BAD_DIM;
		d->wgs[i] -= start[i];
		d->start[i] = start[i];
		if (__builtin_mul_overflow(d->total, d->wgs[i], &d->total))
			return AQL_BAD_DIM;
	}
	return AQL_OK;
}

/**
 * dispatch_alloc() - a place for the queue's next dispatch
 * @q:	queue
 *
 * Return: dispatch, or NULL while too many are under way or one is launching.
 */
struct dispatch *dispatch_alloc(struct user_queue *q)
{
	struct dispatch *d = q->d;

	if (q->begun == DISPATCHES_MAX || q->launching)
		return NULL;
	while (d->used)
		d++;
	*d = (struct dispatch){ .packet = q->fetch };
	return d;
}

/**
 * dispatch_begin() - launch a dispatch from now on
 * @d:	dispatch that was parsed
 */
void dispatch_begin(struct dispatch *d)
{
	struct user_queue *q = d->q;

	d->used = true;
	d->ready = gpu_now() + param.launch_ns;
	q->begun++;
	q->launching = d;
	log_event("dispatch-begin", "queue=%#x pasid=%u disp=%" PRIu64 " wgs=%" PRIu64
		  " waves=%u vgprs=%u lds=%u kernel=%#" PRIx64, q->h->doorbell, q->pasid,
		  d->packet, d->total, dispatch_waves(d, 0, (u32[3]){}), d->code.vgprs,
		  d->lds_bytes, dispatch_by_packet(q, d) ? get64(d->source + 32) : d->code.entry);
}
