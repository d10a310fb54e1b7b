// SPDX-License-Identifier: GPL-2.0
/*
 * How long a queue has its pipe; where the workgroups of a dispatch belong, and how large
 * they are; see queue.h.
 */
#include "compute/queue.h"

/* CP_HQD_QUANTUM, in ms; its other scale is not documented (cik_regs.h). */
#define QUANTUM_EN		1u
#define QUANTUM_SCALE_1MS	(1u << 4)
#define QUANTUM_DURATION(v)	((v) >> 8 & 0x3f)

/**
 * queue_quantum() - how long a queue has its pipe while an equal wants it
 * @q:	queue
 *
 * Return: ns, or 0: it has no quantum.
 */
u64 queue_quantum(const struct user_queue *q)
{
	u32 v = q->h->reg[HQD(MQD_QUANTUM)];

	return v & QUANTUM_EN && v & QUANTUM_SCALE_1MS ? QUANTUM_DURATION(v) * NS_PER_MS : 0;
}

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
	return (items + d->code.lanes - 1) / d->code.lanes;
}
