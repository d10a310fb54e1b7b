/* SPDX-License-Identifier: GPL-2.0 */
/* RELEASE_MEM: what it writes, at the end of what its queue dispatched before. mec_lock held. */
#ifndef GPU_MODEL_RELEASE_H
#define GPU_MODEL_RELEASE_H

#include "compute/queue.h"

/* Do what the packet with the payload @p asks for. 0, -EFAULT or -EINVAL. */
int release_now(struct gpu *g, struct hqd *h, u32 vmid, const u32 *p);

/* Do it when all that @q has dispatched has ended. False: too many wait already. */
bool release_later(struct user_queue *q, const u32 *p);

/*
 * The dispatch in that place ended: packets that waited for it and no other are due.
 * 0 or -EFAULT.
 */
int release_ended(struct user_queue *q, unsigned int place);

#endif
