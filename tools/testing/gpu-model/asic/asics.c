// SPDX-License-Identifier: GPL-2.0
/* The GPUs that can be modelled; see asic.h. */
#include "asic.h"

const struct asic *const asics[ASICS] = {
	[ASIC_MI210] = &asic_mi210,
	[ASIC_MI300X] = &asic_mi300x,
	[ASIC_GFX1100] = &asic_gfx1100,
};
