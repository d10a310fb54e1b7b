/* SPDX-License-Identifier: GPL-2.0 */
/* VRAM, guest memory by DMA address, and the GPU's page tables. */
#ifndef GPU_MODEL_MEMORY_H
#define GPU_MODEL_MEMORY_H

#include "block.h"

/**
 * mem_ptr() - host pointer behind a physical address of the GPU
 * @g:		device
 * @addr:	VRAM offset, or DMA (bus) address when @system
 * @len:	bytes that must all be mapped
 * @system:	address is guest memory
 *
 * Return: pointer, or NULL if any byte is outside VRAM or the guest's maps.
 */
void *mem_ptr(struct gpu *g, u64 addr, size_t len, bool system);

/**
 * vm_ptr() - translate a GPU virtual address
 * @g:		device
 * @vmid:	0 (GART and VRAM aperture, kernel addresses) or a process' VMID
 * @va:		address
 * @span:	out: bytes from @va that lie contiguous behind the result (>= 1)
 * @write:	access is a write
 *
 * A failed walk is logged and raises the page-fault interrupt, once for a page
 * until the next flush of the VMID. The pointer is valid while vm_enter() is held.
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

/**
 * vm_retry() - vm_ptr_quiet() gave NULL to a client that can make an access again
 * @g:		device
 * @vmid:	VMID
 * @va:		address
 * @write:	access is a write
 *
 * The driver is asked for the page by a retry fault. Where there is no retry it is
 * a fault as vm_ptr() raises it. Under vm_enter().
 * Return: true if the access is to be made again, later.
 */
bool vm_retry(struct gpu *g, unsigned int vmid, u64 va, bool write);

/* Copy across pages; return 0 or -EFAULT. */
int vm_read(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len);
int vm_write(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len);

/* The same for a client of vm_retry(): -EAGAIN where that is true. */
int vm_read_retry(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len);
int vm_write_retry(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len);

/*
 * Readers of guest memory bracket their use of pointers: DMA_UNMAP and BAR
 * changes wait for them. vm_enter/vm_exit may be held for at most one slice of
 * waves (below 1 ms) and nest per thread.
 */
void vm_enter(struct gpu *g);
void vm_exit(struct gpu *g);

extern const struct block memory_block, vm_block;

/* Forget all page tables (function-level reset); VRAM and the guest's maps stay. */
void mem_reset(struct gpu *g);

/* What a card without power does: VRAM reads zeros. */
void mem_lose_vram(struct gpu *g);

/* File descriptor and bytes of VRAM, for the BAR. */
int mem_vram_fd(struct gpu *g);
u64 mem_vram_size(struct gpu *g);

/**
 * mem_dma_map() - the client made guest memory reachable by DMA
 * @g:		device
 * @iova: @size: DMA addresses
 * @fd:		file with the contents, or -1: the range is taken but stays unreachable
 * @offset:	of @iova in the file
 * @write:	the device may write
 *
 * Return: 0, -EINVAL for a bad range or file, -EEXIST on overlap, -ENOSPC,
 * -errno of mmap().
 */
int mem_dma_map(struct gpu *g, u64 iova, u64 size, int fd, u64 offset, bool write);

/* Undo exactly one or several whole mappings; -ENOENT if none matches. */
int mem_dma_unmap(struct gpu *g, u64 iova, u64 size);
void mem_dma_unmap_all(struct gpu *g);

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
 * The driver's invalidation: with it, nobody uses what was there before any more.
 * Where queues run on while pages go, with XNACK, that has to be waited for. Not
 * under vm_enter().
 */
void vm_invalidate(struct gpu *g, u32 mask);

/* Root of the page table of @vmid, a PDE as MAP_PROCESS and the VM registers carry it. */
void vm_set_base(struct gpu *g, unsigned int vmid, u64 pde);

/* Changes whenever a TLB of @vmid was flushed: cached vm_ptr() results die. */
u32 vm_generation(struct gpu *g, unsigned int vmid);

#endif
