/* SPDX-License-Identifier: GPL-2.0 */
/* Page faults on their way to the driver: fault registers, retry CAM, interrupts. */
#ifndef GPU_MODEL_VM_FAULT_H
#define GPU_MODEL_VM_FAULT_H

#include "block.h"

/* Why a translation failed. */
enum vm_fault {
	VM_FAULT_NO_PAGE,
	VM_FAULT_READ,		/* there is a page, which may not be read */
	VM_FAULT_WRITE,		/* ... written */
};

/* A translation failed: fault registers and interrupt (access.c calls it once a page). */
void fault_post(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why);

/*
 * The same where the access is made again: the retry CAM lets one interrupt a page
 * pass until the driver answers it. Return: true if it did.
 */
bool fault_post_retry(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why);

extern const struct block fault_block;

#endif
