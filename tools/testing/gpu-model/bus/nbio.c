// SPDX-License-Identifier: GPL-2.0
/* Registers of the bus interface; see nbio.h. */
#include "asic.h"
#include "bus/nbio.h"
#include "bus/memory.h"

#define MM_INDEX_VRAM		(1u << 31)

/* MM_INDEX and MM_DATA: VRAM without its BAR, a dword at a time. */
static u32 *indexed_vram(struct gpu *g)
{
	u32 index = reg_get(g, REG_MM_INDEX);
	u64 off = (u64)reg_get(g, REG_MM_INDEX_HI) << 31 | (index & ~(MM_INDEX_VRAM | 3));

	return index & MM_INDEX_VRAM ? mem_ptr(g, off, 4, false) : NULL;
}

static u32 read_mm_data(struct gpu *g, u32 off, u32 index)
{
	u32 *p, val = 0;

	(void)off;
	(void)index;
	mem_enter(g);
	p = indexed_vram(g);
	if (p)
		val = *p;
	mem_exit(g);
	return val;
}

static void write_mm_data(struct gpu *g, u32 off, u32 index, u32 val)
{
	u32 *p;

	(void)off;
	(void)index;
	mem_enter(g);
	p = indexed_vram(g);
	if (p)
		*p = val;
	mem_exit(g);
}

static const struct reg_range ranges[] = {
	{ REG_MM_DATA, 1, read_mm_data, write_mm_data },
	{ REG_RCC_CONFIG_MEMSIZE, 1, NULL, regs_write_ignore },
	{ REG_HDP_FLUSH_DONE, 1, regs_read_ones, NULL },
	{ 0 }
};

static void power_on(struct gpu *g)
{
	reg_set(g, REG_RCC_CONFIG_MEMSIZE, g->cfg.vram_mb);
	reg_set(g, REG_MP0_C2PMSG_33, C2PMSG_33_FIRMWARE_UP);
	if (asic_of(g)->xccs == 1)
		return;
	reg_set(g, REG_PARTITION_MEM_CAP, PARTITION_MEM_CAP_NPS1);
	reg_set(g, REG_PARTITION_MEM_STATUS, PARTITION_MEM_NPS(1));
	reg_set(g, REG_NBIF_STRAP0, NBIF_STRAP0_REVISION(g->cfg.revision));
}

const struct block nbio_block = {
	.name = "bus interface",
	.power_on = power_on,
	.regs = ranges,
};
