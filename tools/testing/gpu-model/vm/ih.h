/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupt ring: 32-byte vectors in guest memory, then an MSI. */
#ifndef GPU_MODEL_IH_H
#define GPU_MODEL_IH_H

#include "block.h"

/**
 * struct ih_vector - one interrupt as the driver decodes it (soc15_ih)
 * @xcc:	XCC it comes from, if a client of that sends it
 * @client:	IH client (0x14 is GRBM_CP)
 * @source:	source id (181 is CP end of pipe)
 * @ring:	ring id: pipe, me and queue as the source packs them
 * @vmid:	VMID, 0 for the kernel
 * @pasid:	PASID of the process
 * @data:	context id dwords 0 to 3
 */
struct ih_vector {
	u8 xcc;
	u8 client;
	u8 source;
	u8 ring;
	u8 vmid;
	u16 pasid;
	u32 data[4];
};

extern const struct block ih_block;

/**
 * struct ih_sources - who sends what, as far as GPUs differ
 * @fault_client:	of page faults
 * @sdma_client: @sdma_source: of traps, by SDMA engine
 * @sdma_places:	the ring id of such traps is queue and engine; else the kind of ring
 */
struct ih_sources {
	u8 fault_client;
	u8 sdma_client[5], sdma_source;
	bool sdma_places;
};

extern const struct ih_sources ih_soc15, ih_soc21;

/* Queue @v and raise the MSI. May be called from any thread. */
void ih_post(struct gpu *g, const struct ih_vector *v);

/* Is @dw the doorbell that the register @control of an interrupt doorbell sets up? */
bool ih_rings(struct gpu *g, enum reg control, u32 dw);

/* MAP_PROCESS: the scheduler gives @vmid to the process @pasid; 0 takes it away. */
void ih_set_vmid_pasid(struct gpu *g, unsigned int vmid, u16 pasid);

/* PASID that the driver assigned to @vmid (ATC_VMID_PASID_MAPPING), 0 if none. */
u16 ih_vmid_pasid(struct gpu *g, unsigned int vmid);

#endif
