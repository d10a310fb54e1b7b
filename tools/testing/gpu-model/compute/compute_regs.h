/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the shader engines: SPI, SQ and TCP. */
#ifndef GPU_MODEL_COMPUTE_REGS_H
#define GPU_MODEL_COMPUTE_REGS_H

#define ARRAY_INACTIVE_CUS(v)	((u32)(v) << 16)	/* CC_GC_SHADER_ARRAY_CONFIG */
#define TCP_WATCH_STRIDE	12
#define SPI_CSQ_COUNTS		8

#endif
