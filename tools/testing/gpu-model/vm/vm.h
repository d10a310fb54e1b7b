/* SPDX-License-Identifier: GPL-2.0 */
/* The GPU's virtual memory. */
#ifndef GPU_MODEL_VM_H
#define GPU_MODEL_VM_H

#include "block.h"

/**
 * vm_ptr() - translate a GPU virtual address
 * @g:		device
 * @vmid:	0 (GART and VRAM aperture, kernel addresses) or a process' VMID
 * @va:		address
 * @span:	out: bytes from @va that lie contiguous behind the result (>= 1)
 * @write:	access is a write
 *
 * A failed walk is logged and raises the page-fault interrupt, once for a page
 * until the next flush of the VMID. The pointer is valid while mem_enter() is held.
 * Return: pointer, or NULL: page fault.
 */
void *vm_ptr(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write);

/* As vm_ptr(), but a failed walk is told nobody. */
void *vm_ptr_quiet(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write);

/*
 * XNACK: do accesses that fault in this VMID wait and are made again? The process
 * wants it (SH_MEM_CONFIG), and the context sends such faults (VM_CONTEXT_CNTL).
 */
#define SH_MEM_CONFIG_RETRY_DISABLE	(1u << 12)
void vm_set_retry(struct gpu *g, unsigned int vmid, bool on);
bool vm_retries(struct gpu *g, unsigned int vmid);

/* The XCC whose hub serves @vmid: the driver is told of faults by that. 0 until it is set. */
void vm_set_hub(struct gpu *g, unsigned int vmid, unsigned int xcc);
unsigned int vm_hub(struct gpu *g, unsigned int vmid);

/**
 * vm_retry() - vm_ptr_quiet() gave NULL to a client that can make an access again
 * @g:		device
 * @vmid:	VMID
 * @va:		address
 * @write:	access is a write
 *
 * The driver is asked for the page by a retry fault. Where there is no retry it is
 * a fault as vm_ptr() raises it. Under mem_enter().
 * Return: true if the access is to be made again, later.
 */
bool vm_retry(struct gpu *g, unsigned int vmid, u64 va, bool write);

/* Copy across pages; return 0 or -EFAULT. */
int vm_read(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len);
int vm_write(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len);

/* The same for a client of vm_retry(): -EAGAIN where that is true. */
int vm_read_retry(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len);
int vm_write_retry(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len);

/* A process has its doorbells in its page table, too: @addr on the bus, if @va may be one. */
bool vm_on_bus(struct gpu *g, unsigned int vmid, u64 va, u64 *addr);

extern const struct block vm_block;

#define VM_COUNT	16

/* The address of VRAM in VMID 0, as MC_VM_FB_LOCATION_BASE tells the driver. */
#define MEM_FB_BASE	0x8000000000ull

/* VM_CONTEXTn registers of the graphics hub. */
enum vm_field {
	VM_CNTL,
	VM_BASE_LO,
	VM_BASE_HI,
	VM_START_LO,	/* in pages, as the END fields */
	VM_START_HI,
	VM_END_LO,
	VM_END_HI,
	VM_FIELDS,
};

void vm_set_field(struct gpu *g, unsigned int vmid, enum vm_field f, u32 val);

/* Drop cached translations of the VMIDs in @mask. */
void vm_flush(struct gpu *g, u32 mask);

/*
 * The driver's invalidation: with it, nobody uses what was there before any more. That is
 * waited for: queues run on while pages go, with XNACK, and where a process unmaps a buffer.
 * Not under mem_enter().
 */
void vm_invalidate(struct gpu *g, u32 mask);

/* Root of the page table of @vmid, a PDE as MAP_PROCESS and the VM registers carry it. */
void vm_set_base(struct gpu *g, unsigned int vmid, u64 pde);

/* Changes whenever a TLB of @vmid was flushed: cached vm_ptr() results die. */
u32 vm_generation(struct gpu *g, unsigned int vmid);

#endif
