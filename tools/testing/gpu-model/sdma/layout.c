// SPDX-License-Identifier: GPL-2.0
/* Where an engine's registers are (sdma0_4_2_2_offset.h, sdma_4_4_2_offset.h); see sdma.h. */
#include "sdma/sdma.h"

const struct sdma_regs sdma_4_4_0 = {
	.f32_cntl = 0x0a8, .status = 0x094,
	.gfx = 0x200, .page = 0x380, .user = 0x4c0, .stride = 0x160,
};

const struct sdma_regs sdma_4_4_2 = {
	.f32_cntl = 0x008, .status = 0x094,
	.gfx = 0x200, .page = 0x380, .user = 0x4c0, .stride = 0x160,
};
