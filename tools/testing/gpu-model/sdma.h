/* SPDX-License-Identifier: GPL-2.0 */
/* System DMA engines: the kernel's rings (GFX and PAGE) of five instances. */
#ifndef GPU_MODEL_SDMA_H
#define GPU_MODEL_SDMA_H

#include "gpu.h"

#define SDMA_ENGINES	5

int sdma_start(struct gpu *g);
void sdma_stop(struct gpu *g);
void sdma_reset(struct gpu *g);

/* First register byte of engine @n, and the bytes a register window has. */
u32 sdma_reg_base(unsigned int n);
#define SDMA_REG_WINDOW	0x500	/* up to the user queues' registers */

/* A register in an engine's window was written. */
void sdma_reg_written(struct gpu *g, unsigned int n, u32 off);

/* True if the doorbell belongs to an SDMA ring. @dw: dword offset in BAR2 */
bool sdma_doorbell(struct gpu *g, u32 dw, u64 value);

#endif
