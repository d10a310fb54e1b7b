// SPDX-License-Identifier: GPL-2.0
/* Where the workgroups of a dispatch belong, and how large they are; see queue.h. */
#include "compute/queue.h"

/**
 * group_xcc() - where a workgroup runs
 * @q:		queue
 * @number:	linear number in its dispatch
 *
 * Return: the XCC, counted from the one that leads its partition.
 */
unsigned int group_xcc(const struct user_queue *q, u64 number)
{
	return q->xcc[q->chunk ? number / q->chunk % gpu_partition(q->g) : 0];
}

/**
 * dispatch_waves() - size of a workgroup
 * @d:		dispatch
 * @number:	linear workgroup number
 * @id:		out: its place in the grid
 *
 * Return: waves; fewer than the full size where the grid's edge clips it.
 */
unsigned int dispatch_waves(const struct dispatch *d, u64 number, u32 id[3])
{
	unsigned int i, items = 1;

	id[0] = number % d->wgs[0];
	id[1] = number / d->wgs[0] % d->wgs[1];
	id[2] = number / d->wgs[0] / d->wgs[1];
	for (i = 0; i < 3; i++) {
		u32 left;

		id[i] += d->start[i];
		left = d->regs.grid[i] - id[i] * d->regs.wgsize[i];
		items *= left < d->regs.wgsize[i] ? left : d->regs.wgsize[i];
	}
	return (items + LANES - 1) / LANES;
}
