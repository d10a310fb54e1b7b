// SPDX-License-Identifier: GPL-2.0
/*
 * Registers. An array holds what was last written; the table below names those
 * that do more, and what a register reads at power-on when that is not zero.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "bus/asic.h"
#include "vm/ih.h"
#include "host/log.h"
#include "cp/machine.h"
#include "cp/mec.h"
#include "vm/memory.h"
#include "host/params.h"
#include "bus/regs.h"
#include "sdma/sdma.h"

#define MM_INDEX_VRAM		(1u << 31)
#define CLOCK_CAPTURE		1u
#define SAFE_MODE_CMD		1u
#define FAULT_CNTL_CLEAR	1u
#define SDMA_F32_CNTL		0xa8	/* in an engine's window */
#define   SDMA_F32_HALT		1u
#define SDMA_STATUS_REG		0x94
#define   SDMA_STATUS_IDLE	1u
#define SDMA_RLC_CONTEXT_STATUS	0x504	/* KFD's queues: eight, 0x160 bytes apart */
#define   SDMA_CONTEXT_IDLE	4u

/**
 * struct reg_range - registers that share handlers
 * @name:	as in the register headers, for the reader
 * @off:	first byte offset
 * @count:	registers, 4 bytes apart
 * @read: @write: given the index within the range; NULL: as stored
 */
struct reg_range {
	const char *name;
	u32 off;
	u32 count;
	u32 (*read)(struct gpu *g, u32 off, u32 index);
	void (*write)(struct gpu *g, u32 off, u32 index, u32 val);
};

/**
 * struct regs - the register file
 * @range:	for each register its place in ranges[] plus 1, 0 for plain storage
 * @shader_trap: SQ_SHADER_TBA_LO, _HI, _TMA_LO and _HI of each VMID
 * @size:	bytes of registers
 * @val:	last written values
 */
struct regs {
	u8 range[REGS_SIZE / 4];
	_Atomic u32 shader_trap[VM_COUNT][4];
	u32 size;
	_Atomic u32 val[];
};

/* XCC of a register, and the offset at which its window begins. */
static unsigned int xcc_of(u32 off)
{
	return off < REGS_SIZE ? 0 : (off - REGS_SIZE) / REGS_XCC_SIZE + 1;
}

static u32 window(u32 off)
{
	return regs_of_xcc(xcc_of(off), 0);
}

/* Ranges of GC, which each XCC has (gfx_v9_4_3.c: gfxdec0 and gfxdec1). */
static bool is_gc(u32 off)
{
	return (off >= 0x8000 && off < 0xd000) || (off >= 0x28000 && off < 0x40000);
}

u32 regs_in_packet(unsigned int xcc, u32 off)
{
	return is_gc(off) ? regs_of_xcc(xcc, off) : off;
}

u32 regs_size(struct gpu *g)
{
	u32 size = REGS_SIZE;

	while (size < regs_of_xcc(g->cfg.xccs, 0))
		size *= 2;
	return size;
}

static u32 read_ones(struct gpu *g, u32 off, u32 index)
{
	(void)g;
	(void)off;
	(void)index;
	return ~0u;
}

static void write_ignore(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)g;
	(void)off;
	(void)index;
	(void)val;
}

/* The firmware acknowledges by clearing the command bit. */
static u32 read_safe_mode(struct gpu *g, u32 off, u32 index)
{
	(void)index;
	return regs_get(g, off) & ~SAFE_MODE_CMD;
}

static void write_clock_capture(struct gpu *g, u32 off, u32 index, u32 val)
{
	u64 now = gpu_now() / GPU_CLOCK_NS;

	(void)index;
	if (!(val & CLOCK_CAPTURE))
		return;
	regs_set(g, window(off) + REG_RLC_GPU_CLOCK_LSB, (u32)now);
	regs_set(g, window(off) + REG_RLC_GPU_CLOCK_MSB, (u32)(now >> 32));
}

/* MM_INDEX and MM_DATA: VRAM without its BAR, a dword at a time. */
static u32 *indexed_vram(struct gpu *g)
{
	u32 index = regs_get(g, REG_MM_INDEX);
	u64 off = (u64)regs_get(g, REG_MM_INDEX_HI) << 31 | (index & ~(MM_INDEX_VRAM | 3));

	return index & MM_INDEX_VRAM ? mem_ptr(g, off, 4, false) : NULL;
}

static u32 read_mm_data(struct gpu *g, u32 off, u32 index)
{
	u32 *p, val = 0;

	(void)off;
	(void)index;
	vm_enter(g);
	p = indexed_vram(g);
	if (p)
		val = *p;
	vm_exit(g);
	return val;
}

static void write_mm_data(struct gpu *g, u32 off, u32 index, u32 val)
{
	u32 *p;

	(void)off;
	(void)index;
	vm_enter(g);
	p = indexed_vram(g);
	if (p)
		*p = val;
	vm_exit(g);
}

/* The slot that GRBM_GFX_CNTL of a register's XCC selects, or NULL. */
static struct hqd *selected_hqd(struct gpu *g, u32 off)
{
	u32 sel = regs_get(g, window(off) + REG_GRBM_GFX_CNTL);

	return mec_hqd(g, xcc_of(off), GRBM_ME(sel), GRBM_PIPE(sel), GRBM_QUEUE(sel));
}

static u32 read_hqd(struct gpu *g, u32 off, u32 index)
{
	return mec_hqd_read(g, selected_hqd(g, off), index);
}

static void write_hqd(struct gpu *g, u32 off, u32 index, u32 val)
{
	mec_hqd_write(g, selected_hqd(g, off), index, val);
}

static void write_queue_reset(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)index;
	if (val & 1)
		mec_queue_reset(g, selected_hqd(g, off));
}

/* As dbgdev_wave_reset_wavefronts() sends it; its other commands are the debugger's. */
static void write_sq_cmd(struct gpu *g, u32 off, u32 index, u32 val)
{
	u32 sel = regs_get(g, window(off) + REG_GRBM_GFX_INDEX);

	(void)index;
	regs_set(g, off, val);
	if (SQ_CMD_CMD(val) != SQ_CMD_KILL || SQ_CMD_MODE(val) != SQ_CMD_BROADCAST)
		return;
	machine_kill_waves(g, xcc_of(off), sel & GRBM_INDEX_SE_BROADCAST ? ~0u :
			   1u << (GRBM_INDEX_SE(sel) & 31), SQ_CMD_VMID(val));
}

/*
 * Among the engines of all XCCs the one that GRBM_GFX_INDEX of a register's XCC
 * selects; all of them is behind the last. A read of all comes from the first.
 */
static unsigned int selected_engine(struct gpu *g, u32 off)
{
	u32 sel = regs_get(g, window(off) + REG_GRBM_GFX_INDEX);
	unsigned int se = sel & GRBM_INDEX_SE_BROADCAST ? 0 : GRBM_INDEX_SE(sel);

	return se < g->cfg.engines ? xcc_of(off) * g->cfg.engines + se : gpu_engines(g);
}

static u32 read_wf_status(struct gpu *g, u32 off, u32 index)
{
	(void)index;
	return spi_wave_status(g, selected_engine(g, off));
}

static u32 read_wf_count(struct gpu *g, u32 off, u32 index)
{
	u32 pipe = GRBM_PIPE(regs_get(g, window(off) + REG_GRBM_GFX_CNTL));

	return spi_wave_count(g, selected_engine(g, off), pipe, index);
}

/* Banked by the VMID that GRBM_GFX_CNTL selects; all XCCs are told the same. */
static void write_shader_trap(struct gpu *g, u32 off, u32 index, u32 val)
{
	u32 vmid = GRBM_VMID(regs_get(g, window(off) + REG_GRBM_GFX_CNTL));

	regs_set(g, off, val);
	atomic_store_explicit(&g->regs->shader_trap[vmid][index], val, memory_order_relaxed);
}

/* Likewise; of it the model wants to know whether the VMID's process has XNACK on. */
static void write_sh_mem_config(struct gpu *g, u32 off, u32 index, u32 val)
{
	u32 vmid = GRBM_VMID(regs_get(g, window(off) + REG_GRBM_GFX_CNTL));

	(void)index;
	regs_set(g, off, val);
	vm_set_retry(g, vmid, !(val & SH_MEM_CONFIG_RETRY_DISABLE));
}

u64 regs_shader_trap(struct gpu *g, unsigned int vmid, enum shader_trap which)
{
	const _Atomic u32 *r = &g->regs->shader_trap[vmid % VM_COUNT][2 * which];
	u32 lo = atomic_load_explicit(&r[0], memory_order_relaxed);
	u32 hi = atomic_load_explicit(&r[1], memory_order_relaxed);

	return (lo | (u64)(hi & 0xff) << 32) << 8;
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
	invalidate(g, window(off) + REG_VM_INV_ACK, index, val);
}

static void write_mm_inv(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	invalidate(g, REG_MMHUB_INV_ACK, index, val);
}

/* The XCCs' VM contexts are the same: those of the first count. */
static void write_context_cntl(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	if (!xcc_of(off))
		vm_set_field(g, index, VM_CNTL, val);
}

static void write_context_base(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	if (!xcc_of(off))
		vm_set_field(g, index / 2, index & 1 ? VM_BASE_HI : VM_BASE_LO, val);
}

static void write_context_start(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	if (!xcc_of(off))
		vm_set_field(g, index / 2, index & 1 ? VM_START_HI : VM_START_LO, val);
}

static void write_context_end(struct gpu *g, u32 off, u32 index, u32 val)
{
	regs_set(g, off, val);
	if (!xcc_of(off))
		vm_set_field(g, index / 2, index & 1 ? VM_END_HI : VM_END_LO, val);
}

static void write_fault_cntl(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)index;
	regs_set(g, off, val & ~FAULT_CNTL_CLEAR);
	if (val & FAULT_CNTL_CLEAR)
		regs_set(g, window(off) + REG_VM_L2_FAULT_STATUS, 0);
}

static void write_ih_cntl(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)off;
	(void)index;
	ih_control(g, val);
}

static void write_retry_cam(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)index;
	regs_set(g, off, val);
	ih_retry_cam_control(g);
}

static void write_sdma(struct gpu *g, u32 off, u32 index, u32 val)
{
	unsigned int n;

	(void)index;
	regs_set(g, off, val);
	for (n = 0; n < SDMA_ENGINES; n++)
		if (off - sdma_reg_base(n) < SDMA_REG_WINDOW)
			sdma_reg_written(g, n, off - sdma_reg_base(n));
}

static const struct reg_range ranges[] = {
	{ "MM_DATA", REG_MM_DATA, 1, read_mm_data, write_mm_data },
	{ "ATC_VMID_PASID_MAPPING_UPDATE_STATUS", REG_ATC_PASID_UPDATE_STATUS, 1,
	  read_ones, NULL },
	{ "GPU_HDP_FLUSH_DONE", REG_HDP_FLUSH_DONE, 1, read_ones, NULL },
	{ "IH_RB_CNTL", REG_IH_RB_CNTL, 1, NULL, write_ih_cntl },
	{ "IH_RETRY_INT_CAM_CNTL", REG_IH_RETRY_CAM_CNTL, 1, NULL, write_retry_cam },
	{ "RCC_CONFIG_MEMSIZE", REG_RCC_CONFIG_MEMSIZE, 1, NULL, write_ignore },
	{ "SPI_CSQ_WF_ACTIVE_STATUS", REG_SPI_CSQ_WF_ACTIVE_STATUS, 1,
	  read_wf_status, write_ignore },
	{ "SPI_CSQ_WF_ACTIVE_COUNT", REG_SPI_CSQ_WF_ACTIVE_COUNT_0, SPI_CSQ_COUNTS,
	  read_wf_count, write_ignore },
	{ "SH_MEM_CONFIG", REG_SH_MEM_CONFIG, 1, NULL, write_sh_mem_config },
	{ "SQ_SHADER_TBA, SQ_SHADER_TMA", REG_SQ_SHADER_TBA_LO, 4, NULL, write_shader_trap },
	{ "SQ_CMD", REG_SQ_CMD, 1, NULL, write_sq_cmd },
	{ "VM_L2_PROTECTION_FAULT_CNTL", REG_VM_L2_FAULT_CNTL, 1, NULL, write_fault_cntl },
	{ "VM_CONTEXT_CNTL", REG_VM_CONTEXT0_CNTL, VM_COUNT, NULL, write_context_cntl },
	{ "VM_INVALIDATE_SEM", REG_VM_INV_SEM, VM_INV_ENGINES, read_ones, NULL },
	{ "VM_INVALIDATE_REQ", REG_VM_INV_REQ, VM_INV_ENGINES, NULL, write_gc_inv },
	{ "VM_INVALIDATE_ACK", REG_VM_INV_ACK, VM_INV_ENGINES, NULL, write_ignore },
	{ "VM_CONTEXT_PAGE_TABLE_BASE", REG_VM_CONTEXT0_BASE_LO, 2 * VM_COUNT,
	  NULL, write_context_base },
	{ "VM_CONTEXT_PAGE_TABLE_START", REG_VM_CONTEXT0_START_LO, 2 * VM_COUNT,
	  NULL, write_context_start },
	{ "VM_CONTEXT_PAGE_TABLE_END", REG_VM_CONTEXT0_END_LO, 2 * VM_COUNT,
	  NULL, write_context_end },
	{ "SPI_COMPUTE_QUEUE_RESET", REG_SPI_COMPUTE_QUEUE_RESET, 1,
	  NULL, write_queue_reset },
	{ "CP_HQD", HQD_REG_BASE, HQD_REGS, read_hqd, write_hqd },
	{ "RLC_SAFE_MODE", REG_RLC_SAFE_MODE, 1, read_safe_mode, NULL },
	{ "RLC_CAPTURE_GPU_CLOCK_COUNT", REG_RLC_CAPTURE_GPU_CLOCK, 1,
	  NULL, write_clock_capture },
	{ "MMVM_INVALIDATE_SEM", REG_MMHUB_INV_SEM, VM_INV_ENGINES, read_ones, NULL },
	{ "MMVM_INVALIDATE_REQ", REG_MMHUB_INV_REQ, VM_INV_ENGINES, NULL, write_mm_inv },
	{ "MMVM_INVALIDATE_ACK", REG_MMHUB_INV_ACK, VM_INV_ENGINES, NULL, write_ignore },
};

#define NRANGES (sizeof(ranges) / sizeof(ranges[0]))

/* The engines' windows; their place depends on the instance. */
static const struct reg_range sdma_range = { "SDMA", 0, SDMA_REG_WINDOW / 4, NULL, write_sdma };

static void bind(struct regs *r, u32 off, u32 count, u8 id)
{
	u32 i;

	for (i = 0; i < count; i++)
		r->range[off / 4 + i] = id;
}

int regs_create(struct gpu *g)
{
	u32 i, size = regs_size(g);

	g->regs = calloc(1, sizeof(*g->regs) + size);
	if (!g->regs)
		return -ENOMEM;
	g->regs->size = size;
	for (i = 0; i < NRANGES; i++)
		bind(g->regs, ranges[i].off, ranges[i].count, i + 1);
	for (i = 0; i < SDMA_ENGINES; i++)
		bind(g->regs, sdma_reg_base(i), SDMA_REG_WINDOW / 4, NRANGES + 1);
	regs_reset(g, true);
	return 0;
}

void regs_destroy(struct gpu *g)
{
	free(g->regs);
	g->regs = NULL;
}

static void reset_xcc(struct gpu *g, unsigned int xcc, u32 fb_base, u32 fb_top)
{
	regs_set(g, regs_of_xcc(xcc, REG_MC_VM_FB_LOCATION_BASE), fb_base);
	regs_set(g, regs_of_xcc(xcc, REG_MC_VM_FB_LOCATION_TOP), fb_top);
	regs_set(g, regs_of_xcc(xcc, REG_GRBM_GFX_INDEX), 0xe0000000);	/* broadcast to all */
	regs_set(g, regs_of_xcc(xcc, REG_CP_IQ_WAIT_TIME2), 0x40404040);	/* gc_9_0_default.h */
	if (asic_of(g)->discovery)	/* one partition of all */
		regs_set(g, regs_of_xcc(xcc, REG_CP_HYP_XCP_CTL), XCP_CTL(xcc, g->cfg.xccs));
}

void regs_reset(struct gpu *g, bool posted)
{
	u32 fb_base = MEM_FB_BASE >> 24, i, n;
	u32 fb_top = fb_base + ((g->cfg.vram_mb + 15) >> 4) - 1;

	for (i = 0; i < g->regs->size / 4; i++)
		atomic_store_explicit(&g->regs->val[i], 0, memory_order_relaxed);
	for (i = 0; i < VM_COUNT; i++)
		for (n = 0; n < 4; n++)
			atomic_store_explicit(&g->regs->shader_trap[i][n], 0,
					      memory_order_relaxed);

	regs_set(g, REG_RCC_CONFIG_MEMSIZE, g->cfg.vram_mb);
	regs_set(g, REG_MMHUB_FB_LOCATION_BASE, fb_base);
	regs_set(g, REG_MMHUB_FB_LOCATION_TOP, fb_top);
	for (i = 0; i < g->cfg.xccs; i++)
		reset_xcc(g, i, fb_base, fb_top);
	if (asic_of(g)->discovery) {
		regs_set(g, REG_MP0_C2PMSG_33, C2PMSG_33_FIRMWARE_UP);
		regs_set(g, REG_PARTITION_MEM_STATUS, PARTITION_MEM_NPS1);
		regs_set(g, REG_NBIF_STRAP0, NBIF_STRAP0_REVISION(1));
	}
	if (posted)
		regs_set(g, REG_BIOS_SCRATCH_7, BIOS_SCRATCH_7_POSTED);
	for (n = 0; n < SDMA_ENGINES; n++) {
		regs_set(g, sdma_reg_base(n) + SDMA_F32_CNTL, SDMA_F32_HALT);
		regs_set(g, sdma_reg_base(n) + SDMA_STATUS_REG, SDMA_STATUS_IDLE);
		for (i = 0; i < 8; i++)
			regs_set(g, sdma_reg_base(n) + SDMA_RLC_CONTEXT_STATUS + 0x160 * i,
				 SDMA_CONTEXT_IDLE);
	}
}

u32 regs_get(struct gpu *g, u32 off)
{
	return off < g->regs->size ? atomic_load_explicit(&g->regs->val[off / 4],
							  memory_order_relaxed) : 0;
}

void regs_set(struct gpu *g, u32 off, u32 val)
{
	if (off < g->regs->size)
		atomic_store_explicit(&g->regs->val[off / 4], val, memory_order_relaxed);
}

static const struct reg_range *find(struct gpu *g, u32 off, u32 *index)
{
	u8 id;

	off -= window(off);
	id = g->regs->range[off / 4];
	if (!id)
		return NULL;
	if (id > NRANGES) {
		*index = 0;
		return &sdma_range;
	}
	*index = (off - ranges[id - 1].off) / 4;
	return &ranges[id - 1];
}

/* The offset under which this model knows a register. */
static u32 home(struct gpu *g, u32 off)
{
	const struct reg_move *m;
	u32 base = window(off);

	for (m = asic_of(g)->moves; m->last; m++)
		if (off - base >= m->first && off - base <= m->last)
			return m->to + (off - m->first);
	return off;
}

/* What only the first XCC's window has: no handlers elsewhere. */
static bool plain(u32 off)
{
	return xcc_of(off) && !is_gc(off - window(off));
}

u32 regs_read(struct gpu *g, u32 off)
{
	const struct reg_range *r;
	u32 index;

	if (off >= g->regs->size || off & 3)
		return 0;
	off = home(g, off);
	r = plain(off) ? NULL : find(g, off, &index);
	return r && r->read ? r->read(g, off, index) : regs_get(g, off);
}

void regs_write(struct gpu *g, u32 off, u32 val)
{
	const struct reg_range *r;
	u32 index;

	if (off >= g->regs->size || off & 3)
		return;
	off = home(g, off);
	r = plain(off) ? NULL : find(g, off, &index);
	if (r && r->write)
		r->write(g, off, index, val);
	else
		regs_set(g, off, val);
}
