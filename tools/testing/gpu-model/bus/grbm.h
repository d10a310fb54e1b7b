/* SPDX-License-Identifier: GPL-2.0 */
/* What a register access of the graphics block is meant for, where there are several. */
#ifndef GPU_MODEL_GRBM_H
#define GPU_MODEL_GRBM_H

#include "bus/regs.h"

#define GRBM_PIPE(v)			((v) & 3)
#define GRBM_ME(v)			((v) >> 2 & 3)
#define GRBM_VMID(v)			((v) >> 4 & 15)
#define GRBM_QUEUE(v)			((v) >> 8 & 7)
#define GRBM_INDEX_SE(v)		((v) >> 16 & 0xff)
#define GRBM_INDEX_SE_BROADCAST		(1u << 31)

/* GRBM_GFX_CNTL and GRBM_GFX_INDEX of the XCC that has the register @off. */
static inline u32 grbm_cntl(struct gpu *g, u32 off)
{
	return regs_get(g, reg_at(g, regs_xcc(off), REG_GRBM_GFX_CNTL));
}

static inline u32 grbm_index(struct gpu *g, u32 off)
{
	return regs_get(g, reg_at(g, regs_xcc(off), REG_GRBM_GFX_INDEX));
}

#endif
