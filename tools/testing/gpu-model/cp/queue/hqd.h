/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queue slots (HQD) and what is mapped in them; mec_lock held unless said otherwise.
 */
#ifndef GPU_MODEL_HQD_H
#define GPU_MODEL_HQD_H

#include "compute/queue.h"

#define IB_PROCESSING		(1u << 31)	/* CP_HQD_IB_CONTROL: it is not at its end */

/**
 * struct pm4_state - what a slot's packet processor remembers between turns
 * @hiq:	the slot was mapped as hardware-interface queue
 * @hung:	takes no packet until it is mapped anew or the device is reset
 * @waiting:	a WAIT_REG_MEM has done its write and waits; of MES: it has a frame of this ring
 * @ib_vmid:	VMID of the indirect buffer under way (kernel queues may choose)
 * @hold_until:	model time before which no packet is taken
 * @poll_ns:	current distance of polls of a waiting packet
 */
struct pm4_state {
	bool hiq;
	bool hung;
	bool waiting;
	u8 ib_vmid;
	u64 hold_until;
	u64 poll_ns;
};

#define ME_SLOTS	(MEC_PIPES * MEC_QUEUES)
#define MEC_SLOTS	(MEC_COUNT * ME_SLOTS)	/* of an XCC; more where its MES has some */

/* The micro engines that the driver selects, and what MAP_QUEUES calls them. */
enum { ME_GFX = 0, ME_MEC1 = 1, ME_MES = 3, MES_COUNT = 4 };

/**
 * struct slots - those of all XCCs
 * @hqd: @pm4:	XCC after XCC
 * @count:	how many
 */
struct slots {
	struct hqd hqd[XCCS_MAX * MEC_SLOTS];
	struct pm4_state pm4[XCCS_MAX * MEC_SLOTS];
	unsigned int count;
};

int slots_start(struct gpu *g);		/* no lock; 0 or -ENOMEM */
void slots_destroy(struct gpu *g);	/* no lock */

/* Active slot of an XCC with that doorbell, or NULL. @dw: dword offset in BAR2 */
struct hqd *mec_find_doorbell(struct gpu *g, unsigned int xcc, u32 dw);

/* Is it active, and has it that doorbell? */
bool mec_has_doorbell(const struct hqd *h, u32 dw);

/* Is the slot's queue one of packets of a scheduler that has no HIQ? */
static inline bool mec_is_mes(const struct hqd *h)
{
	return h->me == ME_MES && !h->pipe && !h->queue;
}

/* The slot was mapped as hardware-interface queue. */
void mec_set_hiq(struct gpu *g, struct hqd *h);

/*
 * @me as GRBM_GFX_CNTL has it: 1 is user queues, 2 HIQ and KIQ; with MES, ME_MES is its
 * scheduler and KIQ, ME_GFX graphics. NULL: none.
 */
struct hqd *mec_hqd(struct gpu *g, unsigned int xcc, unsigned int me, unsigned int pipe,
		    unsigned int queue);

/* The slot on @xcc of the queue whose slot on another is @h. */
static inline struct hqd *mec_on_xcc(struct gpu *g, const struct hqd *h, unsigned int xcc)
{
	return mec_hqd(g, xcc, h->me, h->pipe, h->queue);
}

/* What the packet processor knows of the slot. */
struct pm4_state *mec_pm4(struct gpu *g, struct hqd *h);

/* Copy an MQD, of its kind, into the slot and make it active. 0, -EFAULT or -EINVAL. */
int mec_map(struct gpu *g, struct hqd *h, u64 mqd, unsigned int vmid);

/* CP_HQD_ACTIVE: make the slot active with its registers as they are, if it may be. */
void mec_activate(struct gpu *g, struct hqd *h);

/* CP_HQD_PQ_DOORBELL_CONTROL was written. */
void mec_set_doorbell(struct hqd *h);

/*
 * Make the slot inactive, and those that follow it (no write back: the caller's
 * business).
 */
void mec_unmap(struct gpu *g, struct hqd *h);

/* Is the slot on the XCC that leads its partition? */
bool mec_leads(const struct gpu *g, const struct hqd *h);

/* Is @h an active slot of the queue of @leader? */
bool mec_follows(const struct hqd *h, const struct hqd *leader);

#endif
