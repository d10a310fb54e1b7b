/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the bus interface, and of what answers the driver before all else. */
#ifndef GPU_MODEL_NBIO_H
#define GPU_MODEL_NBIO_H

#include "bus/regs.h"

#define C2PMSG_33_FIRMWARE_UP		0x80000000u
#define NBIF_STRAP0_REVISION(v)		((v) << 24)
#define PARTITION_MEM_CAP_NPS1		1u
#define PARTITION_MEM_NPS(v)		((v) << 4)
#define BIOS_SCRATCH_7_POSTED		0x200

extern const struct block nbio_block;

#endif
