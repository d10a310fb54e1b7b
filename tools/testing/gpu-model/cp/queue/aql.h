/* SPDX-License-Identifier: GPL-2.0 */
/* AQL packets of user queues. mec_lock held. */
#ifndef GPU_MODEL_AQL_H
#define GPU_MODEL_AQL_H

#include "compute/queue.h"

/* Fetch packets as far as possible. Return: true if anything moved. */
bool aql_advance(struct user_queue *q);

/* Is there a packet that it could take or has to wait at? */
bool aql_has_packet(struct user_queue *q);

/* The doorbell of a user AQL queue rang: read its write index; clears @h->rung. */
void aql_run(struct hqd *h);

#endif
