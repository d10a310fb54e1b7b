/* SPDX-License-Identifier: GPL-2.0 */
/* System DMA engines: five, each with two rings of the kernel and eight of processes. */
#ifndef GPU_MODEL_SDMA_H
#define GPU_MODEL_SDMA_H

#include "block.h"

#define SDMA_ENGINES	5

extern const struct block sdma_block;

/* Bytes of an engine's registers, which begin at REG_SDMAn. */
#define SDMA_REG_WINDOW	0x1000

/**
 * struct sdma_regs - where an engine's registers are, in bytes from its first
 * @f32_cntl: @status:	of the engine; @f32_cntl 0: at REG_SDMAn_F32_CNTL
 * @gfx: @page:	of the kernel's rings
 * @user: @stride:	of the first ring of processes, and from each to the next
 * @mqd_rptr_addr: @mqd_ib: @mqd_doorbell: dwords of an MQD: RB_RPTR_ADDR_HI, IB_RPTR,
 *		DOORBELL_OFFSET
 * @placed:	MQDs name the place of their queue; else the scheduler chooses it
 * @is_6:	it has the packets of SDMA 6
 */
struct sdma_regs {
	u16 f32_cntl, status;
	u16 gfx, page, user, stride;
	u8 mqd_rptr_addr, mqd_ib, mqd_doorbell;
	bool placed, is_6;
};

extern const struct sdma_regs sdma_4_4_0, sdma_4_4_2, sdma_6_0_0;

/**
 * struct sdma_user - a process' queue, as MAP_QUEUES names it
 * @mqd:	its MQD: place and registers
 * @write_addr:	where the write pointer lives
 * @since:	model time at which the scheduler has come to mapping it
 * @vmid: @pasid: address space
 * @first:	the first engine of its partition, from which its MQD counts
 * @engine: @queue:	its place, if MQDs do not name it
 * @doorbell:	then its MQD has to have this one
 */
struct sdma_user {
	u64 mqd, write_addr, since;
	unsigned int vmid;
	u16 pasid;
	unsigned int first;
	unsigned int engine, queue;
	u32 doorbell;
};

/* The first engine of the partition that @xcc leads: each has as many. */
unsigned int sdma_first(const struct gpu *g, unsigned int xcc);

/* 0, -EFAULT or -EINVAL for a bad MQD, -EBUSY: its place is taken. */
int sdma_map(struct gpu *g, const struct sdma_user *u);

/*
 * Take the mapped queues off that @wanted says; where they are goes to their
 * MQDs. mec_lock may be held. Return: how many.
 */
typedef bool sdma_wanted_fn(const void *ctx, unsigned int vmid, u16 pasid, u32 doorbell);
unsigned int sdma_unmap(struct gpu *g, sdma_wanted_fn *wanted, const void *ctx);

/* A place that no queue has, of those in @mask (by engine); false: there is none. */
bool sdma_free_place(struct gpu *g, const u32 mask[2], unsigned int *engine, unsigned int *queue);

/* Is the queue with this MQD mapped? Does a mapped queue run in @vmid? */
bool sdma_mapped(struct gpu *g, u64 mqd);
bool sdma_vmid_used(struct gpu *g, unsigned int vmid);

#endif
