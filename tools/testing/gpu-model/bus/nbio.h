/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the bus interface, and of what answers the driver before all else. */
#ifndef GPU_MODEL_NBIO_H
#define GPU_MODEL_NBIO_H

#include "bus/regs.h"

#define REG_MM_INDEX			0x00000
#define REG_MM_DATA			0x00004
#define REG_MM_INDEX_HI			0x00018
#define REG_MP0_C2PMSG_33		0x58184
#define   C2PMSG_33_FIRMWARE_UP		0x80000000u
#define REG_NBIF_STRAP0			0x034d8
#define   NBIF_STRAP0_REVISION(v)	((v) << 24)
#define REG_PARTITION_MEM_CAP		0x03a08
#define   PARTITION_MEM_CAP_NPS1	1u
#define REG_PARTITION_MEM_STATUS	0x03a10
#define   PARTITION_MEM_NPS(v)		((v) << 4)
#define REG_BIOS_SCRATCH_0		0x00100
#define REG_BIOS_SCRATCH_7		0x0011c
#define   BIOS_SCRATCH_7_POSTED		0x200
#define REG_RCC_CONFIG_MEMSIZE		0x0378c
#define REG_HDP_FLUSH_DONE		0x0389c

extern const struct block nbio_block;

#endif
