/* SPDX-License-Identifier: GPL-2.0 */
/* Dispatches by registers, of PM4 queues and PM4 buffers in AQL queues. mec_lock held. */
#ifndef GPU_MODEL_PM4_DISPATCH_H
#define GPU_MODEL_PM4_DISPATCH_H

#include "compute/queue.h"

/* First register (in dwords) of those that struct user_queue.sh holds. */
#define COMPUTE_REG_BASE	0x2e00

/* SET_SH_REG of a process: @n values from register @reg on. 0 or -EINVAL. */
int compute_set_regs(struct user_queue *q, u32 reg, const u32 *val, u32 n);

/* Units that COMPUTE_STATIC_THREAD_MGMT_SEn allow. */
void compute_masks(struct user_queue *q, unsigned int xcc, const u32 *sh);

/*
 * DISPATCH_DIRECT with the payload @p: begin it. *@wait is set when that cannot
 * be now. AQL_OK, or why the registers make no dispatch.
 */
enum aql_error pm4_dispatch(struct user_queue *q, const u32 *p, bool *wait);

/* As dispatch_parse(), from the registers in @d->source. */
enum aql_error pm4_dispatch_parse(struct user_queue *q, struct dispatch *d);

#endif
