// SPDX-License-Identifier: GPL-2.0
/* Registers of the memory hubs: VM contexts, invalidation, faults. */
#include "bus/grbm.h"
#include "walk.h"

#define FAULT_CNTL_CLEAR	1u
#define VM_INV_ENGINES		18

/*
 * Banked by the VMID that GRBM_GFX_CNTL selects. Of it the model wants to know whether
 * the VMID's process has XNACK on.
 */
static void write_sh_mem_config(struct gpu *g, u32 off, u32 index, u32 val)
{
	u32 vmid = GRBM_VMID(grbm_cntl(g, off));

	(void)index;
	regs_set(g, off, val);
	vm_set_retry(g, vmid, !(val & SH_MEM_CONFIG_RETRY_DISABLE));
}

/* One bit per VMID; done before the write returns. */
static void invalidate(struct gpu *g, u32 ack, u32 index, u32 val)
{
	vm_invalidate(g, val & 0xffff);
	regs_set(g, ack + 4 * index, val & 0xffff);
}

static void write_gc_inv(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	invalidate(g, reg_at(g, regs_xcc(off), REG_VM_INV_ACK), index, val);
}

static void write_mm_inv(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	invalidate(g, reg_at(g, 0, REG_MMHUB_INV_ACK), index, val);
}

/* The VM contexts of a partition's XCCs are the same: those of its leader count. */
static bool counts(const struct gpu *g, u32 off)
{
	unsigned int xcc = regs_xcc(off);

	return xcc == gpu_leader(g, xcc);
}

static void write_context_cntl(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	if (counts(g, off))
		vm_set_field(g, index, VM_CNTL, val);
}

static void write_context_base(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	if (counts(g, off))
		vm_set_field(g, index / 2, index & 1 ? VM_BASE_HI : VM_BASE_LO, val);
}

static void write_context_start(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	if (counts(g, off))
		vm_set_field(g, index / 2, index & 1 ? VM_START_HI : VM_START_LO, val);
}

static void write_context_end(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	if (counts(g, off))
		vm_set_field(g, index / 2, index & 1 ? VM_END_HI : VM_END_LO, val);
}

static void write_fault_cntl(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)index;
	regs_set(g, off, val & ~FAULT_CNTL_CLEAR);
	if (val & FAULT_CNTL_CLEAR)
		regs_set(g, reg_at(g, regs_xcc(off), REG_VM_L2_FAULT_STATUS), 0);
}

static const struct reg_range ranges[] = {
	{ REG_ATC_PASID_UPDATE_STATUS, 1, regs_read_ones, NULL },
	{ REG_SH_MEM_CONFIG, 1, NULL, write_sh_mem_config },
	{ REG_VM_L2_FAULT_CNTL, 1, NULL, write_fault_cntl },
	{ REG_VM_CONTEXT0_CNTL, VM_COUNT, NULL, write_context_cntl },
	{ REG_VM_INV_SEM, VM_INV_ENGINES, regs_read_ones, NULL },
	{ REG_VM_INV_REQ, VM_INV_ENGINES, NULL, write_gc_inv },
	{ REG_VM_INV_ACK, VM_INV_ENGINES, NULL, regs_write_ignore },
	{ REG_VM_CONTEXT0_BASE_LO, 2 * VM_COUNT, NULL, write_context_base },
	{ REG_VM_CONTEXT0_START_LO, 2 * VM_COUNT, NULL, write_context_start },
	{ REG_VM_CONTEXT0_END_LO, 2 * VM_COUNT, NULL, write_context_end },
	{ REG_MMHUB_INV_SEM, VM_INV_ENGINES, regs_read_ones, NULL },
	{ REG_MMHUB_INV_REQ, VM_INV_ENGINES, NULL, write_mm_inv },
	{ REG_MMHUB_INV_ACK, VM_INV_ENGINES, NULL, regs_write_ignore },
	{ 0 }
};

/* Where VRAM is in VMID 0, in units of 16 MiB. */
static void power_on(struct gpu *g)
{
	u32 base = MEM_FB_BASE >> 24, top = base + ((g->cfg.vram_mb + 15) >> 4) - 1, xcc;

	reg_set(g, REG_MMHUB_FB_LOCATION_BASE, base);
	reg_set(g, REG_MMHUB_FB_LOCATION_TOP, top);
	for (xcc = 0; xcc < g->cfg.xccs; xcc++) {
		regs_set(g, reg_at(g, xcc, REG_MC_VM_FB_LOCATION_BASE), base);
		regs_set(g, reg_at(g, xcc, REG_MC_VM_FB_LOCATION_TOP), top);
	}
}

const struct block vm_block = {
	.name = "address translation",
	.start = vm_create,
	.free = vm_destroy,
	.reset = vm_reset,
	.power_on = power_on,
	.regs = ranges,
};
