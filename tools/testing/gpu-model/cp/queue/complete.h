/* SPDX-License-Identifier: GPL-2.0 */
/* Dispatches at their end, and what follows from it. mec_lock held. */
#ifndef GPU_MODEL_COMPLETE_H
#define GPU_MODEL_COMPLETE_H

#include "compute/spi.h"

/* Fill everything of @d that follows from its source; AQL_OK or why not. */
enum aql_error dispatch_parse(struct user_queue *q, struct dispatch *d);

/* The last workgroup was launched. */
void aql_launched(struct dispatch *d);

/* Take note of a partition's workgroups that ended: with its last one a dispatch. True: some. */
bool aql_reap(struct partition *p);

/* Complete the dispatches whose end can be seen by now. True if another ended already. */
bool aql_complete(struct user_queue *q);

#endif
