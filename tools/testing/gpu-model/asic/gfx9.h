/* SPDX-License-Identifier: GPL-2.0 */
/* What MI210 and MI300X share; their registers are in gfx9_regs.def. */
#ifndef GPU_MODEL_ASIC_GFX9_H
#define GPU_MODEL_ASIC_GFX9_H

#include "asic.h"

extern const struct cu_size gfx9_cu;

#endif
