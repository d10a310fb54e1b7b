/* SPDX-License-Identifier: GPL-2.0 */
/* PM4 packets of the compute micro engine. */
#ifndef GPU_MODEL_PM4_H
#define GPU_MODEL_PM4_H

#include "cp/queue/hqd.h"
#include "cp/queue/pm4_opcodes.h"

/* Enter the buffer of the INDIRECT_BUFFER packet @p; 0, or -EINVAL if it is none. */
int pm4_enter_ib(struct hqd *h, const u32 p[4]);

/* Is there a packet of a PM4 queue that it could take or has to wait at? */
bool pm4_has_packet(const struct hqd *h);

/**
 * pm4_run() - take packets of a PM4 queue, or of an AQL queue's indirect buffer
 * @g:	device; mec_lock held, which the scheduler's packets may drop for a while
 * @h:	active slot
 * @s:	the slot's state
 *
 * Return: true if it stopped with packets left that could run now.
 */
bool pm4_run(struct gpu *g, struct hqd *h, struct pm4_state *s);

#endif
