/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BAR5: the registers. Offsets are in bytes; values come from the register
 * headers of Linux' amdgpu for Aldebaran (GC at dword 0x2000 and 0xa000, MMHUB
 * at 0x1a000, OSSSYS at 0x10a0, NBIO at 0xd20, ATHUB at 0xc20).
 */
#ifndef GPU_MODEL_REGS_H
#define GPU_MODEL_REGS_H

#include "gpu.h"

#define REGS_SIZE			0x80000

/*
 * XCCs but the first have their GC registers behind that, in windows in which
 * each is where the first has it: amdgpu's packets name a register by the low 16
 * bits of its dword offset (gfx_v9_4_3_normalize_xcc_reg_offset()).
 */
#define REGS_XCC_SIZE			0x40000

#define REG_MM_INDEX			0x00000
#define REG_MM_DATA			0x00004
#define REG_MM_INDEX_HI			0x00018
#define REG_MP0_C2PMSG_33		0x58184
#define   C2PMSG_33_FIRMWARE_UP		0x80000000u
#define REG_NBIF_STRAP0			0x034d8
#define   NBIF_STRAP0_REVISION(v)	((v) << 24)
#define REG_PARTITION_MEM_STATUS	0x03a10
#define   PARTITION_MEM_NPS1		1u
#define REG_BIOS_SCRATCH_0		0x00100
#define REG_BIOS_SCRATCH_7		0x0011c
#define   BIOS_SCRATCH_7_POSTED		0x200
#define REG_ATC_PASID_UPDATE_STATUS	0x030ac
#define REG_ATC_VMID0_PASID		0x030b0
#define REG_RCC_CONFIG_MEMSIZE		0x0378c
#define REG_HDP_FLUSH_DONE		0x0389c
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
#define REG_GRBM_GFX_CNTL		0x08088
#define REG_SH_MEM_CONFIG		0x08c34
#define   SH_MEM_CONFIG_RETRY_DISABLE	(1u << 12)
#define REG_SQ_SHADER_TBA_LO		0x08c70
#define REG_SQ_CMD			0x08dec
#define   SQ_CMD_CMD(v)			((v) & 7)
#define   SQ_CMD_KILL			3
#define   SQ_CMD_MODE(v)		((v) >> 4 & 7)
#define   SQ_CMD_BROADCAST		1
#define   SQ_CMD_VMID(v)		((v) >> 28)
#define REG_SPI_CSQ_WF_ACTIVE_STATUS	0x0936c
#define REG_SPI_CSQ_WF_ACTIVE_COUNT_0	0x09370
#define REG_VM_L2_FAULT_CNTL		0x0a11c
#define REG_VM_L2_FAULT_STATUS		0x0a12c
#define REG_VM_L2_FAULT_ADDR_LO		0x0a130
#define REG_VM_L2_FAULT_ADDR_HI		0x0a134
#define REG_VM_CONTEXT0_CNTL		0x0a200
#define REG_VM_INV_SEM			0x0a244
#define REG_VM_INV_REQ			0x0a28c
#define REG_VM_INV_ACK			0x0a2d4
#define REG_VM_CONTEXT0_BASE_LO		0x0a3ac
#define REG_VM_CONTEXT0_START_LO	0x0a42c
#define REG_VM_CONTEXT0_END_LO		0x0a4ac
#define REG_MC_VM_FB_LOCATION_BASE	0x0a600
#define REG_MC_VM_FB_LOCATION_TOP	0x0a604
#define REG_CP_IQ_WAIT_TIME2		0x0c2c0
#define REG_TCP_WATCH0_ADDR_H		0x0ca80	/* then _ADDR_L and _CNTL; the others follow */
#define REG_TCP_WATCH0_ADDR_L		0x0ca84
#define   TCP_WATCH_STRIDE		12
#define REG_SPI_COMPUTE_QUEUE_RESET	0x0c76c
#define REG_CP_HYP_XCP_CTL		0x3e0a0
#define   XCP_CTL(xcc, xccs)		((xcc) | (xccs) << 3)
#define REG_GRBM_GFX_INDEX		0x30800
#define REG_SCRATCH_REG0		0x30100
#define REG_RLC_SAFE_MODE		0x3b014
#define REG_RLC_GPU_CLOCK_LSB		0x3b090
#define REG_RLC_GPU_CLOCK_MSB		0x3b094
#define REG_RLC_CAPTURE_GPU_CLOCK	0x3b098
#define REG_MMHUB_INV_SEM		0x6af44
#define REG_MMHUB_INV_REQ		0x6af8c
#define REG_MMHUB_INV_ACK		0x6afd4
#define REG_MMHUB_FB_LOCATION_BASE	0x6b300
#define REG_MMHUB_FB_LOCATION_TOP	0x6b304

#define VM_INV_ENGINES			18
#define SPI_CSQ_COUNTS			8

/* Fields */
#define GRBM_PIPE(v)			((v) & 3)
#define GRBM_ME(v)			((v) >> 2 & 3)
#define GRBM_VMID(v)			((v) >> 4 & 15)
#define GRBM_QUEUE(v)			((v) >> 8 & 7)
#define GRBM_INDEX_SE(v)		((v) >> 16 & 0xff)
#define GRBM_INDEX_SE_BROADCAST		(1u << 31)

/* Where XCC @xcc has the register that the first has at @off. */
static inline u32 regs_of_xcc(unsigned int xcc, u32 off)
{
	return xcc ? REGS_SIZE + (xcc - 1) * REGS_XCC_SIZE + off : off;
}

/* Bytes of the BAR: a power of two. */
u32 regs_size(struct gpu *g);

/* The register that a packet of that XCC names by @off: its own, if it is of GC. */
u32 regs_in_packet(unsigned int xcc, u32 off);

int regs_create(struct gpu *g);
void regs_destroy(struct gpu *g);

/* Power-on values; @posted tells whether the VBIOS' init table has run. */
void regs_reset(struct gpu *g, bool posted);

/* An access of the driver or of a packet: handlers run. Offsets out of range read 0. */
u32 regs_read(struct gpu *g, u32 off);
void regs_write(struct gpu *g, u32 off, u32 val);

/* The stored value alone, for the rooms that own a register. Any thread. */
u32 regs_get(struct gpu *g, u32 off);
void regs_set(struct gpu *g, u32 off, u32 val);

/* SQ_SHADER_TBA and _TMA of a VMID, as an address (of the first XCC). Any thread. */
enum shader_trap { SHADER_TBA, SHADER_TMA };
u64 regs_shader_trap(struct gpu *g, unsigned int vmid, enum shader_trap which);

#endif
