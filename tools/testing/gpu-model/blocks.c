// SPDX-License-Identifier: GPL-2.0
/* The list of blocks; see block.h. */
#include "blocks.h"
#include "bus/memory.h"
#include "bus/nbio.h"
#include "bus/pci.h"
#include "bus/regs.h"
#include "bus/smu.h"
#include "compute/spi.h"
#include "cp/cp.h"
#include "sdma/sdma.h"
#include "vm/fault.h"
#include "vm/ih.h"
#include "vm/vm.h"

/* Doorbells, too, are offered to them in this order. */
static const struct block *const blocks[] = {
	&memory_block,
	&regs_block,
	&nbio_block,
	&smu_block,
	&pci_block,
	&vm_block,
	&ih_block,
	&fault_block,
	&compute_block,
	&sdma_block,
	&cp_block,
};

#define NBLOCKS (sizeof(blocks) / sizeof(blocks[0]))

int blocks_start(struct gpu *g, const char **failed)
{
	unsigned int i;
	int err;

	g->blocks = blocks;
	g->nblocks = NBLOCKS;
	for (i = 0; i < NBLOCKS; i++) {
		err = blocks[i]->start ? blocks[i]->start(g) : 0;
		if (err) {
			*failed = blocks[i]->name;
			return err;
		}
	}
	return 0;
}

void blocks_stop(struct gpu *g)
{
	unsigned int i;

	for (i = NBLOCKS; i--;)
		if (blocks[i]->stop)
			blocks[i]->stop(g);
	for (i = NBLOCKS; i--;)
		if (blocks[i]->free)
			blocks[i]->free(g);
}
