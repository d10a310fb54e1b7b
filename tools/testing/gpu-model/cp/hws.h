/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hardware schedulers, one a partition: what its HIQ's packets ask for. Protected by
 * gpu.mec_lock.
 */
#ifndef GPU_MODEL_HWS_H
#define GPU_MODEL_HWS_H

#include "cp/aql.h"

/* IT opcodes of the HIQ (kfd_pm4_opcodes.h). */
enum {
	IT_SET_RESOURCES = 0xa0, IT_MAP_PROCESS = 0xa1, IT_MAP_QUEUES = 0xa2,
	IT_UNMAP_QUEUES = 0xa3, IT_QUERY_STATUS = 0xa4, IT_RUN_LIST = 0xa5,
};

int hws_start(struct gpu *g);
void hws_stop(struct gpu *g);

/* Forget runlist, preemption and VMIDs; the caller drops the queues. */
void hws_reset(struct gpu *g);

/* End a preemption whose time has come; rotate an oversubscribed runlist. */
void hws_turn(struct gpu *g);

/* Save or restore state with mec_lock dropped meanwhile; one thread at a time. */
void hws_copy_begin(struct gpu *g);
void hws_copy_end(struct gpu *g);

/* Wait until none is. */
void hws_wait_copied(struct gpu *g);

#endif
