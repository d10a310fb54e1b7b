/* SPDX-License-Identifier: GPL-2.0 */
/* Dispatches by AQL packets. mec_lock held. */
#ifndef GPU_MODEL_AQL_DISPATCH_H
#define GPU_MODEL_AQL_DISPATCH_H

#include "compute/queue.h"

/* Begin that of @packet. *@wait is set when that cannot be now. AQL_OK, or why it is refused. */
enum aql_error aql_dispatch(struct user_queue *q, const u8 *packet, bool *wait);

/* As dispatch_parse(), from the packet in @d->source. */
enum aql_error aql_dispatch_parse(struct user_queue *q, struct dispatch *d);

#endif
