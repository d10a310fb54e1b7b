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

/* Why a translation failed. */
enum vm_fault {
	VM_FAULT_NO_PAGE,
	VM_FAULT_READ,		/* there is a page, which may not be read */
	VM_FAULT_WRITE,		/* ... written */
};

/* A translation failed: fault registers and interrupt (memory.c calls it once a page). */
void ih_post_vm_fault(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why);

/*
 * The same where the access is made again: the retry CAM lets one interrupt a page
 * pass until the driver answers it. Return: true if it did.
 */
bool ih_post_vm_retry(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why);

/* Queue @v and raise the MSI. May be called from any thread. */
void ih_post(struct gpu *g, const struct ih_vector *v);

/* MAP_PROCESS: the scheduler gives @vmid to the process @pasid; 0 takes it away. */
void ih_set_vmid_pasid(struct gpu *g, unsigned int vmid, u16 pasid);

/* PASID that the driver assigned to @vmid (ATC_VMID_PASID_MAPPING), 0 if none. */
u16 ih_vmid_pasid(struct gpu *g, unsigned int vmid);

#endif
