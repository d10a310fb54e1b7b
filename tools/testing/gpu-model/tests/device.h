/* SPDX-License-Identifier: GPL-2.0 */
/* A whole device without a client, for unit tests. */
#ifndef GPU_MODEL_TESTS_DEVICE_H
#define GPU_MODEL_TESTS_DEVICE_H

#include <stdio.h>
#include <stdlib.h>

#include "blocks.h"
#include "bus/grbm.h"
#include "bus/memory.h"
#include "bus/nbio.h"
#include "compute/compute_regs.h"
#include "cp/cp_regs.h"
#include "vm/ih.h"
#include "vm/vm.h"
#include "cp/doorbell.h"
#include "cp/queue/engine.h"
#include "cp/queue/hqd.h"
#include "bus/pci.h"
#include "bus/regs.h"
#include "sdma/sdma.h"

#define DEVICE_VRAM_MB	64

/* Where the test's device, gpu, has a register. */
#define REG_AT(reg)	reg_at(&gpu, 0, reg)

static inline void device_start_cfg(struct gpu *g, struct gpu_config cfg)
{
	const char *failed;

	*g = (struct gpu){ .cfg = cfg };
	g->cfg.vram_mb = DEVICE_VRAM_MB;
	g->cfg.workers = 1;
	pthread_mutex_init(&g->mec_lock, NULL);
	pthread_cond_init(&g->copied, NULL);
	if (blocks_start(g, &failed)) {
		printf("Bail out! %s: does not start\n", failed);
		exit(1);
	}
}

static inline void device_start_xccs(struct gpu *g, unsigned int xccs)
{
	device_start_cfg(g, (struct gpu_config){ .xccs = xccs, .engines = 2, .cus_per_engine = 2 });
}

static inline void device_start(struct gpu *g)
{
	device_start_xccs(g, 1);
}

static inline void device_stop(struct gpu *g)
{
	blocks_stop(g);
}

#endif
