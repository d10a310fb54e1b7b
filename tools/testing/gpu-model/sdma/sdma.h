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
 * @f32_cntl: @status:	of the engine
 * @gfx: @page:	of the kernel's rings
 * @user: @stride:	of the first ring of processes, and from each to the next
 */
struct sdma_regs {
	u16 f32_cntl, status;
	u16 gfx, page, user, stride;
};

extern const struct sdma_regs sdma_4_4_0, sdma_4_4_2;

/**
 * struct sdma_user - a process' queue, as MAP_QUEUES names it
 * @mqd:	its MQD: place and registers
 * @write_addr:	where the write pointer lives
 * @since:	model time at which the scheduler has come to mapping it
 * @vmid: @pasid: address space
 * @first:	the first engine of its partition, from which its MQD counts
 */
struct sdma_user {
	u64 mqd, write_addr, since;
	unsigned int vmid;
	u16 pasid;
	unsigned int first;
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

/* Is the queue with this MQD mapped? Does a mapped queue run in @vmid? */
bool sdma_mapped(struct gpu *g, u64 mqd);
bool sdma_vmid_used(struct gpu *g, unsigned int vmid);

#endif
