// SPDX-License-Identifier: GPL-2.0
/*
 * The GPUs that can be modelled; see asic.h. Offsets are those of Linux' amdgpu
 * register headers (gc_9_4_3, mmhub_1_8_0, sdma_4_4_2, against gc_9_4_2,
 * mmhub_1_7, sdma_4_4_0), with the blocks' bases as discovery.c gives them.
 */
#include "bus/asic.h"
#include "host/params.h"

#define GC(dw)		(4 * (0x2000 + (dw)))
#define MMHUB(dw)	(4 * (0x1a000 + (dw)))
#define MMHUB_1_8(dw)	(4 * (0x14000 + (dw)))
/* SDMA_F32_CNTL of one engine; 0x2a in the older block. */
#define SDMA_F32(base)	{ 4 * (base) + 4 * 0x02, 4 * (base) + 4 * 0x02, 4 * (base) + 4 * 0x2a }

static const struct reg_move mi210_moves[] = { { 0 } };

static const struct reg_move mi300x_moves[] = {
	{ GC(0x820), GC(0x95b), GC(0x840) },		/* VM_L2_*, VM_CONTEXT*, VM_INVALIDATE_* */
	{ GC(0x95c), GC(0x99f), GC(0x980) },		/* MC_VM_FB_LOCATION_* */
	{ MMHUB_1_8(0xb40), MMHUB_1_8(0xc9b), MMHUB(0xb60) },
	{ MMHUB_1_8(0xc9c), MMHUB_1_8(0xcdf), MMHUB(0xcc0) },
	SDMA_F32(0x1260), SDMA_F32(0x1860), SDMA_F32(0x1e000), SDMA_F32(0x1e400),
	{ 0 },
};

const struct asic asics[ASICS] = {
	[ASIC_MI210] = {
		.name = "mi210", .part = "GPU-MODEL-MI210",
		.device = 0x740f, .subsystem = 0x0c34, .revision = 2,
		.class = 0x0380,	/* other display controller */
		.xccs = 1, .engines = ENGINES_MAX,
		.arch = GFX90A,
		.moves = mi210_moves,
	},
	[ASIC_MI300X] = {
		.name = "mi300x", .part = "GPU-MODEL-MI300X",
		.device = 0x74a1, .subsystem = 0x74a1, .revision = 0,
		.class = 0x1200,	/* processing accelerator */
		.moves = mi300x_moves,
		.discovery = true,
		.xccs = XCCS_MAX,
		.engines = 4,		/* the MQD has CU masks for no more (v9_structs.h) */
		.arch = GFX942,
	},
};
