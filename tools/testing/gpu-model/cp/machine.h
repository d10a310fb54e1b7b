/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the command processor does with all queues and their waves. With gpu.mec_lock held
 * unless said otherwise.
 */
#ifndef GPU_MODEL_MACHINE_H
#define GPU_MODEL_MACHINE_H

#include "gpu.h"

void machine_stop(struct gpu *g);	/* no lock; drops all queues and waves */
void machine_reset(struct gpu *g);	/* function-level reset: likewise */

/**
 * machine_turn() - what the command processor does by itself in one turn
 * @g:	device
 *
 * To be called in every turn of the command-processor loop (mec_kick() and
 * mec_kick_at() ask for one): ends preemptions whose time has come, rotates an
 * oversubscribed runlist, completes dispatches, looks at barriers, launches
 * workgroups. Cheap when there is nothing to do.
 */
void machine_turn(struct gpu *g);

/* SQ_CMD, kill: end the waves of @vmid (0: all) in the XCC's engines of @mask; takes mec_lock. */
void machine_kill_waves(struct gpu *g, unsigned int xcc, u32 mask, unsigned int vmid);

/*
 * Partitions of @n XCCs, a divisor of how many there are; takes mec_lock. False: queues are
 * mapped, and all stays as it is.
 */
bool machine_partition(struct gpu *g, unsigned int n);

#endif
