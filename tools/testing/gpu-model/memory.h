/* SPDX-License-Identifier: GPL-2.0 */
/* VRAM, guest memory by DMA address, and the GPU's page tables. */
#ifndef GPU_MODEL_MEMORY_H
#define GPU_MODEL_MEMORY_H

#include "gpu.h"

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
 * A failed walk is logged. The pointer is valid while vm_enter() is held.
 * Return: pointer, or NULL: page fault.
 */
void *vm_ptr(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write);

/* Copy across pages; return 0 or -EFAULT. */
int vm_read(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len);
int vm_write(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len);

/*
 * Readers of guest memory bracket their use of pointers: DMA_UNMAP and BAR
 * changes wait for them. vm_enter/vm_exit may be held for at most one slice of
 * waves (below 1 ms) and nest per thread.
 */
void vm_enter(struct gpu *g);
void vm_exit(struct gpu *g);

/* Root of the page table of @vmid, a PDE as MAP_PROCESS and the VM registers carry it. */
void vm_set_base(struct gpu *g, unsigned int vmid, u64 pde);

/* Changes whenever a TLB of @vmid was flushed: cached vm_ptr() results die. */
u32 vm_generation(struct gpu *g, unsigned int vmid);

#endif
