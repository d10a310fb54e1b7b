/* SPDX-License-Identifier: GPL-2.0 */
/* A queue's dispatches, from where they are made until they launch. mec_lock held. */
#ifndef GPU_MODEL_DISPATCH_H
#define GPU_MODEL_DISPATCH_H

#include <string.h>

#include "compute/queue.h"

/* COMPUTE_TMPRING_SIZE: waves, and bytes of one wave. */
#define TMPRING_WAVES(v)	((v) & 0xfff)

static inline u32 tmpring_wave_bytes(const struct isa *isa, u32 v)
{
	return isa->rdna ? (v >> 12 & 0x7fff) * 256 : (v >> 12 & 0x1fff) * 1024;
}

static inline u32 get32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline u64 get64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Is a dispatch made by an AQL packet? Else by registers. */
static inline bool dispatch_by_packet(const struct user_queue *q, const struct dispatch *d)
{
	return q->aql && !(d->packet & DISPATCH_IN_BUFFER);
}

/* @d->total, grid and workgroups from a grid in work-items and a workgroup's size. */
enum aql_error dispatch_dims(struct dispatch *d, const u32 grid[3], const u32 size[3],
			     const u32 start[3]);

/* A dispatch with nothing but its number, not yet begun; NULL: not now. */
struct dispatch *dispatch_alloc(struct user_queue *q);

/* Launch its workgroups from now on. */
void dispatch_begin(struct dispatch *d);

#endif
