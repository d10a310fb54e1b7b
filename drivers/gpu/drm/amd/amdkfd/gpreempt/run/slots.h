/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT slots: registers of hardware slots. */
#ifndef GPREEMPT_SLOTS_H_INCLUDED
#define GPREEMPT_SLOTS_H_INCLUDED

#include "node.h"

/**
 * struct kfd_gpreempt_slots - where a generation has the registers of a slot
 * @select:	the accesses that follow mean this slot
 * @status:	SPI_CSQ_WF_ACTIVE_STATUS: offset in the first segment of the graphics core
 * @count:	SPI_CSQ_WF_ACTIVE_COUNT_0, likewise, and so the others
 * @doorbell:	CP_HQD_PQ_DOORBELL_CONTROL
 * @rptr:	CP_HQD_PQ_RPTR
 */
struct kfd_gpreempt_slots {
	void (*select)(struct amdgpu_device *adev, u32 xcc, u32 me, u32 pipe, u32 queue);
	u32 status;
	u32 count;
	u32 doorbell;
	u32 rptr;
};

unsigned int kfd_gpreempt_read_slots(struct kfd_node *node, struct kfd_gpreempt_scan *scan,
				     const struct kfd_gpreempt_slots *slots);

#endif /* GPREEMPT_SLOTS_H_INCLUDED */
