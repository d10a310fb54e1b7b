/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the command processor and of the RLC beside it. */
#ifndef GPU_MODEL_CP_REGS_H
#define GPU_MODEL_CP_REGS_H

#include "block.h"

#define REG_SQ_CMD			0x08dec
#define   SQ_CMD_CMD(v)			((v) & 7)
#define   SQ_CMD_KILL			3
#define   SQ_CMD_MODE(v)		((v) >> 4 & 7)
#define   SQ_CMD_BROADCAST		1
#define   SQ_CMD_VMID(v)		((v) >> 28)
#define REG_CP_IQ_WAIT_TIME2		0x0c2c0
#define REG_SPI_COMPUTE_QUEUE_RESET	0x0c76c
#define REG_CP_HYP_XCP_CTL		0x3e0a0
#define   XCP_CTL(xcc, xccs)		((xcc) | (xccs) << 3)
#define   XCP_CTL_XCC(v)		((v) & 7)
#define   XCP_CTL_XCCS(v)		((v) >> 3 & 15)
#define REG_PARTITION_COMPUTE_STATUS	0x03a0c
#define   PARTITION_MODE(v)		((v) << 4)
#define REG_SCRATCH_REG0		0x30100
#define REG_RLC_SAFE_MODE		0x3b014
#define REG_RLC_GPU_CLOCK_LSB		0x3b090
#define REG_RLC_GPU_CLOCK_MSB		0x3b094
#define REG_RLC_CAPTURE_GPU_CLOCK	0x3b098

extern const struct reg_range cp_regs[];
void cp_regs_power_on(struct gpu *g);

#endif
