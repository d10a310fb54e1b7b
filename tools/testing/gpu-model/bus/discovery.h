/* SPDX-License-Identifier: GPL-2.0 */
/* The IP discovery table, by which newer GPUs describe themselves. */
#ifndef GPU_MODEL_DISCOVERY_H
#define GPU_MODEL_DISCOVERY_H

#include "gpu.h"

#define DISCOVERY_OFFSET	(64u << 10)	/* it starts that far from the end of VRAM */
#define DISCOVERY_SIZE		(10u << 10)

/* Build it into @buf of DISCOVERY_SIZE bytes. */
void discovery_build(const struct gpu_config *cfg, u8 *buf);

#endif
