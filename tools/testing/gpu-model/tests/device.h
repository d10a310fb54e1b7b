/* SPDX-License-Identifier: GPL-2.0 */
/* A whole device without a client, for unit tests. */
#ifndef GPU_MODEL_TESTS_DEVICE_H
#define GPU_MODEL_TESTS_DEVICE_H

#include <stdio.h>
#include <stdlib.h>

#include "vm/ih.h"
#include "cp/machine.h"
#include "cp/mec.h"
#include "vm/memory.h"
#include "bus/pci.h"
#include "bus/regs.h"
#include "sdma/sdma.h"

#define DEVICE_VRAM_MB	64

static inline void device_start_xccs(struct gpu *g, unsigned int xccs)
{
	*g = (struct gpu){ .cfg = { .xccs = xccs, .engines = 2, .cus_per_engine = 2,
				    .vram_mb = DEVICE_VRAM_MB, .workers = 1 } };
	pthread_mutex_init(&g->mec_lock, NULL);
	if (mem_create(g) || regs_create(g) || ih_create(g) || machine_start(g) ||
	    sdma_start(g) || mec_start(g)) {
		printf("Bail out! the device does not start\n");
		exit(1);
	}
	pci_init(g);
}

static inline void device_start(struct gpu *g)
{
	device_start_xccs(g, 1);
}

static inline void device_stop(struct gpu *g)
{
	mec_stop(g);
	sdma_stop(g);
	machine_stop(g);
	mec_destroy(g);
	ih_destroy(g);
	regs_destroy(g);
	mem_destroy(g);
}

#endif
