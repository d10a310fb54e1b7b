/* SPDX-License-Identifier: GPL-2.0 */
/* VRAM, and guest memory by DMA address. */
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

/* The same as far as it goes: *@len bytes lie behind the result. @write: to be written */
void *mem_at(struct gpu *g, u64 addr, bool system, bool write, u64 *len);

/*
 * Readers of guest memory bracket their use of pointers: DMA_UNMAP and BAR
 * changes wait for them. mem_enter/mem_exit may be held for at most one slice of
 * waves (below 1 ms) and nest per thread.
 */
void mem_enter(struct gpu *g);
void mem_exit(struct gpu *g);

/* Wait until all that are inside now have left. Not from inside. */
void mem_wait(struct gpu *g);

/* Changes whenever guest memory goes: pointers kept outside of mem_enter() die. */
u32 mem_generation(struct gpu *g);

extern const struct block memory_block;

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

#endif
