/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the interrupt ring. */
#ifndef GPU_MODEL_IH_REGS_H
#define GPU_MODEL_IH_REGS_H

#define REG_ATC_VMID0_PASID		0x030b0
#define REG_IH_VMID_0_LUT		0x04280
#define REG_IH_RB_CNTL			0x04480
#define REG_IH_RB_BASE			0x04484
#define REG_IH_RB_BASE_HI		0x04488
#define REG_IH_RB_RPTR			0x0448c
#define REG_IH_RB_WPTR			0x04490
#define REG_IH_RB_WPTR_ADDR_HI		0x04494
#define REG_IH_RB_WPTR_ADDR_LO		0x04498
#define REG_IH_DOORBELL_RPTR		0x0449c
#define REG_IH_DOORBELL_RETRY_CAM	0x044a0
#define REG_IH_RETRY_CAM_CNTL		0x04628

#endif
