/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Micro-engine compute: hardware queue slots (HQD), doorbells, PM4, and the
 * command-processor thread that runs them.
 */
#ifndef GPU_MODEL_MEC_H
#define GPU_MODEL_MEC_H

#include "gpu.h"

#define MEC_COUNT	2	/* ME1 (user queues and KCQ), ME2 (HIQ, KIQ) */
#define MEC_PIPES	4
#define MEC_QUEUES	8

/* HQD registers are kept as the 56 dwords 0xc914 + 4*n that MQD dwords 128..183 hold. */
#define HQD_REG_BASE	0xc914
#define HQD_REGS	56
#define HQD_MQD_DW	128
/* Index into hqd.reg[] of an MQD dword. */
#define HQD(mqd_dword)	((mqd_dword) - HQD_MQD_DW)

struct pm4_state;	/* pm4.h */
struct user_queue;	/* aql.h: what the command processor knows of it while mapped */

/**
 * struct hqd - one hardware queue slot; protected by gpu.mec_lock
 *
 * A process' queue has the same slot on each XCC, and an MQD for each. The first
 * XCC's leads: it has @uq, the others follow. So it is with the HIQ.
 *
 * @active:	CP_HQD_ACTIVE
 * @xcc: @me: @pipe: @queue: place
 * @vmid:	VMID the queue runs in
 * @mqd:	MQD address (VMID 0), 0 when loaded by registers alone
 * @doorbell:	doorbell offset in dwords of BAR2, valid when @active
 * @aql:	AQL format, else PM4
 * @is_user:	mapped by the runlist
 * @reg:	register values, as the MQD holds them
 * @uq:		dispatch state of a user AQL queue
 * @rung:	a doorbell came and the command processor has not looked yet
 * @db_value:	last doorbell value
 */
struct hqd {
	bool active;
	u8 xcc, me, pipe, queue;
	u8 vmid;
	u64 mqd;
	u32 doorbell;
	bool aql;
	bool is_user;
	u32 reg[HQD_REGS];
	struct user_queue *uq;
	bool rung;
	u64 db_value;
};

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
