// SPDX-License-Identifier: GPL-2.0
/*
 * A compute unit of gfx90a. Source: LLVM, AMDGPUBaseInfo.cpp (waves, VGPR, SGPR and LDS
 * granules) and "MI200 ISA" section 3.
 */
#include "gfx9.h"

const struct cu_size gfx9_cu = {
	.simds = 4, .waves = 8,
	.lanes = 64, .vgprs = 512, .vgpr_granule = 8,
	.sgprs = 800, .sgpr_granule = 16,
	.lds = 64 * 1024, .lds_granule = 512,
	.barriers = 16,
};
