// SPDX-License-Identifier: GPL-2.0
/*
 * Where an engine's registers are (sdma0_4_2_2_offset.h, sdma_4_4_2_offset.h, and SDMA 6's in
 * gc_11_0_0_offset.h), and an MQD's dwords (v9_structs.h, v11_structs.h); see sdma.h. The kernel
 * uses one ring of an SDMA 6, whose eight are alike; MES has those from the third on.
 */
#include "sdma/sdma.h"

const struct sdma_regs sdma_4_4_0 = {
	.f32_cntl = 0x0a8, .status = 0x094,
	.gfx = 0x200, .page = 0x380, .user = 0x4c0, .stride = 0x160,
	.mqd_rptr_addr = 8, .mqd_ib = 11, .mqd_doorbell = 22, .placed = true,
};

const struct sdma_regs sdma_4_4_2 = {
	.f32_cntl = 0x008, .status = 0x094,
	.gfx = 0x200, .page = 0x380, .user = 0x4c0, .stride = 0x160,
	.mqd_rptr_addr = 8, .mqd_ib = 11, .mqd_doorbell = 22, .placed = true,
};

const struct sdma_regs sdma_6_0_0 = {
	.status = 0x094,
	.gfx = 0x200, .page = 0x360, .user = 0x4c0, .stride = 0x160,
	.mqd_rptr_addr = 7, .mqd_ib = 10, .mqd_doorbell = 19, .is_6 = true,
};
