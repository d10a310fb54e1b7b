// SPDX-License-Identifier: GPL-2.0
/* Registers of the shader engines; see compute_regs.h. */
#include <string.h>

#include "bus/grbm.h"
#include "compute/spi.h"
#include "compute_regs.h"
#include "vm/vm.h"

/*
 * Among the engines of all XCCs the one that GRBM_GFX_INDEX of a register's XCC
 * selects; all of them is behind the last. A read of all comes from the first.
 */
static unsigned int selected_engine(struct gpu *g, u32 off)
{
	u32 sel = grbm_index(g, off);
	unsigned int se = sel & GRBM_INDEX_SE_BROADCAST ? 0 : GRBM_INDEX_SE(sel);

	return se < g->cfg.engines ? regs_xcc(off) * g->cfg.engines + se : gpu_engines(g);
}

static u32 read_wf_status(struct gpu *g, u32 off, u32 index)
{
	(void)index;
	return spi_wave_status(g, selected_engine(g, off));
}

static u32 read_wf_count(struct gpu *g, u32 off, u32 index)
{
	u32 pipe = GRBM_PIPE(grbm_cntl(g, off));

	return spi_wave_count(g, selected_engine(g, off), pipe, index);
}

/*
 * Which units, or pairs of them, of an engine do not work: those behind the ones that do, up to
 * the mask's end.
 */
static u32 read_array_config(struct gpu *g, u32 off, u32 index)
{
	unsigned int engine = selected_engine(g, off), cus;

	(void)index;
	if (engine >= gpu_engines(g))
		return 0;
	cus = gpu_engine_cus(&g->cfg, engine % g->cfg.engines);
	return ARRAY_INACTIVE_CUS(~0u << (asic_of(g)->wgps ? cus / 2 : cus));
}

/* Banked by the VMID that GRBM_GFX_CNTL selects; all XCCs are told the same. */
static void write_shader_trap(struct gpu *g, u32 off, u32 index, u32 val)
{
	u32 vmid = GRBM_VMID(grbm_cntl(g, off));

	regs_set(g, off, val);
	atomic_store_explicit(&g->spi->shader_trap[vmid][index], val, memory_order_relaxed);
}

u64 spi_shader_trap(struct gpu *g, unsigned int vmid, enum shader_trap which)
{
	const _Atomic u32 *r = &g->spi->shader_trap[vmid % VM_COUNT][2 * which];
	u32 lo = atomic_load_explicit(&r[0], memory_order_relaxed);
	u32 hi = atomic_load_explicit(&r[1], memory_order_relaxed);

	return (lo | (u64)(hi & 0xff) << 32) << 8;
}

u32 spi_gws_range(struct gpu *g, unsigned int xcc, unsigned int vmid)
{
	return regs_get(g, reg_at(g, xcc, REG_GDS_GWS_VMID0) + 4 * vmid);
}

void spi_set_gws_range(struct gpu *g, unsigned int xcc, unsigned int vmid, u32 range)
{
	regs_set(g, reg_at(g, xcc, REG_GDS_GWS_VMID0) + 4 * vmid, range);
}

static const struct reg_range ranges[] = {
	{ REG_CC_GC_SHADER_ARRAY_CONFIG, 1, read_array_config, regs_write_ignore },
	{ REG_SPI_CSQ_WF_ACTIVE_STATUS, 1, read_wf_status, regs_write_ignore },
	{ REG_SPI_CSQ_WF_ACTIVE_COUNT_0, SPI_CSQ_COUNTS, read_wf_count, regs_write_ignore },
	{ REG_SQ_SHADER_TBA_LO, 4, NULL, write_shader_trap },
	{ 0 }
};

static void reset(struct gpu *g)
{
	unsigned int vmid, n;

	for (vmid = 0; vmid < VM_COUNT; vmid++)
		for (n = 0; n < 4; n++)
			atomic_store_explicit(&g->spi->shader_trap[vmid][n], 0,
					      memory_order_relaxed);
	memset(g->spi->gws, 0, sizeof(g->spi->gws));
}

static void power_on(struct gpu *g)
{
	unsigned int xcc;

	for (xcc = 0; xcc < g->cfg.xccs; xcc++)		/* broadcast to all */
		regs_set(g, reg_at(g, xcc, REG_GRBM_GFX_INDEX), 0xe0000000);
}

const struct block compute_block = {
	.name = "compute units",
	.start = spi_start,
	.stop = spi_stop,
	.reset = reset,
	.power_on = power_on,
	.regs = ranges,
};
