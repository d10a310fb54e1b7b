/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the command processor and of the RLC beside it. */
#ifndef GPU_MODEL_CP_REGS_H
#define GPU_MODEL_CP_REGS_H

#include "block.h"

/* SQ_CMD */
#define SQ_CMD_CMD(v)			((v) & 7)
#define SQ_CMD_KILL			3
#define SQ_CMD_MODE(v)			((v) >> 4 & 7)
#define SQ_CMD_BROADCAST		1
#define SQ_CMD_VMID(v)		((v) >> 28)
/* CP_HYP_XCP_CTL */
#define XCP_CTL(xcc, xccs)		((xcc) | (xccs) << 3)
#define XCP_CTL_XCC(v)			((v) & 7)
#define XCP_CTL_XCCS(v)			((v) >> 3 & 15)
/* PARTITION_COMPUTE_STATUS */
#define PARTITION_MODE(v)		((v) << 4)

extern const struct reg_range cp_regs[];
void cp_regs_power_on(struct gpu *g);

#endif
