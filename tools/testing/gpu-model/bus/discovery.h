/* SPDX-License-Identifier: GPL-2.0 */
/* The IP discovery table, by which newer GPUs describe themselves. */
#ifndef GPU_MODEL_DISCOVERY_H
#define GPU_MODEL_DISCOVERY_H

#include "gpu.h"

#define DISCOVERY_OFFSET	(64u << 10)	/* it starts that far from the end of VRAM */
#define DISCOVERY_SIZE		(10u << 10)

#define BASES_MAX		9

/**
 * struct ip - a hardware block
 * @id:		hardware id (soc15_hw_ip.h)
 * @instance:	number among those
 * @version:	major, minor, revision
 * @base:	register segments, dword offsets, up to the last that is not 0
 */
struct ip {
	u16 id;
	u8 instance;
	u8 version[3];
	u32 base[BASES_MAX];
};

/**
 * struct discovery - what a GPU's table says
 * @gc:		its graphics block, of the first XCC
 * @gc_info:	version of the table that tells that block's shape
 * @ips: @nips:	the others
 */
struct discovery {
	struct ip gc;
	enum { GC_INFO_2_1, GC_INFO_1_2 } gc_info;
	const struct ip *ips;
	unsigned int nips;
};

/* Build it into @buf of DISCOVERY_SIZE bytes. */
void discovery_build(const struct gpu_config *cfg, u8 *buf);

#endif
