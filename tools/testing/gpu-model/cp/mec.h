/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Micro-engine compute: hardware queue slots (HQD), doorbells, PM4, and the
 * command-processor thread that runs them.
 */
#ifndef GPU_MODEL_MEC_H
#define GPU_MODEL_MEC_H

#include "compute/queue.h"

struct pm4_state;	/* pm4.h */

int mec_start(struct gpu *g);	/* no lock; starts the command-processor thread */
void mec_stop(struct gpu *g);	/* no lock; joins it */
void mec_destroy(struct gpu *g);	/* after mec_stop() and machine_stop() */
void mec_reset(struct gpu *g);	/* drop all slots and doorbells; mec_lock held */

/* A doorbell of the compute queues; all that are no other block's are. As struct block's. */
bool mec_doorbell(struct gpu *g, u32 dw, u64 value);

/*
 * mec_lock for another thread than the command processor's, which yields to it
 * between its turns. That one comes here when a packet names a register whose
 * handler wants the lock; it has it already, and keeps it.
 */
void mec_lock(struct gpu *g);
void mec_unlock(struct gpu *g);

/*
 * Banked HQD registers: @index is that of hqd.reg[]. They take mec_lock. A place
 * without a slot (NULL) reads 0.
 */
u32 mec_hqd_read(struct gpu *g, struct hqd *h, unsigned int index);
void mec_hqd_write(struct gpu *g, struct hqd *h, unsigned int index, u32 val);

/* SPI_COMPUTE_QUEUE_RESET of a slot (NULL: none is selected); takes mec_lock. */
void mec_queue_reset(struct gpu *g, struct hqd *h);

/* Active slot of an XCC with that doorbell, or NULL; mec_lock held. @dw: dword offset in BAR2 */
struct hqd *mec_find_doorbell(struct gpu *g, unsigned int xcc, u32 dw);

/* The slot was mapped as hardware-interface queue; mec_lock held. */
void mec_set_hiq(struct gpu *g, struct hqd *h);

/* @me counts from 1, as GRBM_GFX_CNTL does (1: user queues, 2: HIQ and KIQ). NULL: none. */
struct hqd *mec_hqd(struct gpu *g, unsigned int xcc, unsigned int me, unsigned int pipe,
		    unsigned int queue);

/* The slot on @xcc of the queue whose slot on another is @h. */
static inline struct hqd *mec_on_xcc(struct gpu *g, const struct hqd *h, unsigned int xcc)
{
	return mec_hqd(g, xcc, h->me, h->pipe, h->queue);
}

/* What the packet processor knows of the slot; mec_lock held. */
struct pm4_state *mec_pm4(struct gpu *g, struct hqd *h);

/* Copy an MQD into the slot and make it active; mec_lock held. 0, -EFAULT or -EINVAL. */
int mec_map(struct gpu *g, struct hqd *h, u64 mqd, unsigned int vmid);

/*
 * Make the slot inactive, and those that follow it (no write back: the caller's
 * business); mec_lock held.
 */
void mec_unmap(struct gpu *g, struct hqd *h);

/* Run the command-processor thread's loop again soon. Any thread, no lock needed. */
void mec_kick(struct gpu *g);

/* Ask for a turn of the command-processor loop at or before model time @t. */
void mec_kick_at(struct gpu *g, u64 t);

#endif
