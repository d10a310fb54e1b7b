/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the shader engines: SPI, SQ and TCP. */
#ifndef GPU_MODEL_COMPUTE_REGS_H
#define GPU_MODEL_COMPUTE_REGS_H

#define REG_CC_GC_SHADER_ARRAY_CONFIG	0x089bc
#define   ARRAY_INACTIVE_CUS(v)		((u32)(v) << 16)
#define REG_SQ_SHADER_TBA_LO		0x08c70
#define REG_SPI_CSQ_WF_ACTIVE_STATUS	0x0936c
#define REG_SPI_CSQ_WF_ACTIVE_COUNT_0	0x09370
#define REG_TCP_WATCH0_ADDR_H		0x0ca80	/* then _ADDR_L and _CNTL; the others follow */
#define REG_TCP_WATCH0_ADDR_L		0x0ca84
#define   TCP_WATCH_STRIDE		12
#define SPI_CSQ_COUNTS			8

#endif
