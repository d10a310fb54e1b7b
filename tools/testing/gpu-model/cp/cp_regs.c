// SPDX-License-Identifier: GPL-2.0
/* Registers of the command processor; see cp_regs.h. */
#include "asic.h"
#include "bus/grbm.h"
#include "cp/machine.h"
#include "cp/queue/engine.h"
#include "cp/queue/hqd.h"
#include "cp/queue/slot.h"
#include "cp_regs.h"
#include "host/log.h"
#include "host/params.h"

#define CLOCK_CAPTURE		1u
#define SAFE_MODE_CMD		1u
#define ICACHE_INVALIDATED	(1u << 1)
#define ICACHE_PRIMED		(1u << 5)

/*
 * Version, and from bit 12 on that of the API: what owners report of 2024 and 2025. From 0x47 on
 * MES maps the kernel's queues, from API 2 on ADD_QUEUE has the write pointer's address in VMID 0.
 */
#define MES_API			(14u << 12)
#define MES_KIQ_VERSION		0x6f

/* enum amdgpu_gfx_partition: each XCC is one; else the partitions, less one */
#define PARTITION_CPX		4

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
	regs_set(g, reg_at(g, regs_xcc(off), REG_RLC_GPU_CLOCK_LSB), (u32)now);
	regs_set(g, reg_at(g, regs_xcc(off), REG_RLC_GPU_CLOCK_MSB), (u32)(now >> 32));
}

/* Firmware's caches, of which there are none: each request is done. */
static u32 read_cache(struct gpu *g, u32 off, u32 index)
{
	(void)index;
	return regs_get(g, off) | ICACHE_INVALIDATED | ICACHE_PRIMED;
}

/* The clock that the driver tells as the GPU's, in halves. */
static u32 read_tsc(struct gpu *g, u32 off, u32 index)
{
	u64 now = gpu_now() / GPU_CLOCK_NS;

	(void)index;
	return off == reg_at(g, 0, REG_GOLDEN_TSC_COUNT_UPPER) ? now >> 32 : (u32)now;
}

/* Firmware tells its version here, each pipe its own. */
static u32 read_mes_version(struct gpu *g, u32 off, u32 index)
{
	u32 sel = grbm_cntl(g, off);

	(void)index;
	if (GRBM_ME(sel) != ME_MES || GRBM_PIPE(sel) > 1)
		return 0;
	return MES_API | (GRBM_PIPE(sel) ? MES_KIQ_VERSION : param.mes_version);
}

/* The slot that GRBM_GFX_CNTL of a register's XCC selects, or NULL. */
static struct hqd *selected_hqd(struct gpu *g, u32 off)
{
	u32 sel = grbm_cntl(g, off);

	if (GRBM_ME(sel) == ME_GFX)	/* these have registers of other names */
		return NULL;
	return mec_hqd(g, regs_xcc(off), GRBM_ME(sel), GRBM_PIPE(sel), GRBM_QUEUE(sel));
}

/* A place without a slot reads 0. */
static u32 read_hqd(struct gpu *g, u32 off, u32 index)
{
	struct hqd *h = selected_hqd(g, off);
	u32 val;

	if (!h)
		return 0;
	mec_lock(g);
	val = h->reg[index];
	mec_unlock(g);
	return val;
}

static void write_active(struct gpu *g, struct hqd *h, bool active)
{
	if (active && !h->active)
		mec_activate(g, h);
	else if (!active && h->active)
		slot_kill(g, h);
}

static void write_hqd(struct gpu *g, u32 off, u32 index, u32 val)
{
	struct hqd *h = selected_hqd(g, off);

	if (!h)
		return;
	mec_lock(g);
	h->reg[index] = val;
	if (index == HQD(MQD_ACTIVE)) {
		write_active(g, h, val & 1);
	} else if (index == HQD(MQD_DEQUEUE_REQUEST) && val & 7 && h->active) {
		if (h->is_user)
			mec_kick(g);		/* slot_turn() */
		else
			mec_unmap(g, h);	/* it stopped between two packets */
	} else if (index == HQD(MQD_DOORBELL_CONTROL)) {
		mec_set_doorbell(h);
	}
	mec_unlock(g);
}

static void write_queue_reset(struct gpu *g, u32 off, u32 index, u32 val)
{
	struct hqd *h = selected_hqd(g, off);

	(void)index;
	if (!(val & 1) || !h)
		return;
	mec_lock(g);
	if (h->active)
		slot_kill(g, h);
	mec_unlock(g);
}

/* As dbgdev_wave_reset_wavefronts() sends it; its other commands are the debugger's. */
static void write_sq_cmd(struct gpu *g, u32 off, u32 index, u32 val)
{
	u32 sel = grbm_index(g, off);

	(void)index;
	regs_set(g, off, val);
	if (SQ_CMD_CMD(val) != SQ_CMD_KILL || SQ_CMD_MODE(val) != SQ_CMD_BROADCAST)
		return;
	machine_kill_waves(g, regs_xcc(off), sel & GRBM_INDEX_SE_BROADCAST ? ~0u :
			   1u << (GRBM_INDEX_SE(sel) & 31), SQ_CMD_VMID(val));
}

/*
 * The driver writes it for each XCC, alike: here that of the first counts. Where it finds a
 * security processor it has that do this.
 */
static void write_xcp_ctl(struct gpu *g, u32 off, u32 index, u32 val)
{
	unsigned int xcc = regs_xcc(off), n = XCP_CTL_XCCS(val);

	(void)index;
	if (!n || g->cfg.xccs % n || XCP_CTL_XCC(val) != xcc % n) {
		log_warn("XCC %u cannot be number %u of %u in a partition", xcc, XCP_CTL_XCC(val), n);
		return;
	}
	if (xcc || machine_partition(g, n))
		regs_set(g, off, val);
}

static u32 read_partition_status(struct gpu *g, u32 off, u32 index)
{
	unsigned int n = g->cfg.xccs / gpu_partition(g);

	(void)off;
	(void)index;
	return PARTITION_MODE(n > 1 && n == g->cfg.xccs ? PARTITION_CPX : n - 1);
}

const struct reg_range cp_regs[] = {
	{ REG_SQ_CMD, 1, NULL, write_sq_cmd },
	{ REG_CP_HQD, HQD_REGS, read_hqd, write_hqd },
	{ REG_SPI_COMPUTE_QUEUE_RESET, 1, NULL, write_queue_reset },
	{ REG_CP_HYP_XCP_CTL, 1, NULL, write_xcp_ctl },
	{ REG_PARTITION_COMPUTE_STATUS, 1, read_partition_status, regs_write_ignore },
	{ REG_RLC_SAFE_MODE, 1, read_safe_mode, NULL },
	{ REG_RLC_CAPTURE_GPU_CLOCK, 1, NULL, write_clock_capture },
	{ REG_CP_PFP_IC_OP_CNTL, 1, read_cache, NULL },
	{ REG_CP_ME_IC_OP_CNTL, 1, read_cache, NULL },
	{ REG_CP_CPC_IC_OP_CNTL, 1, read_cache, NULL },
	{ REG_CP_GFX_RS64_DC_OP_CNTL, 1, read_cache, NULL },
	{ REG_CP_MEC_DC_OP_CNTL, 1, read_cache, NULL },
	{ REG_CP_MES_GP3_LO, 1, read_mes_version, regs_write_ignore },
	{ REG_GOLDEN_TSC_COUNT_UPPER, 1, read_tsc, regs_write_ignore },
	{ REG_GOLDEN_TSC_COUNT_LOWER, 1, read_tsc, regs_write_ignore },
	{ 0 }
};

void cp_regs_power_on(struct gpu *g)
{
	unsigned int i, n = g->cfg.xccs;

	for (i = 0; i < n; i++) {
		/* gc_9_0_default.h */
		regs_set(g, reg_at(g, i, REG_CP_IQ_WAIT_TIME2), 0x40404040);
		regs_set(g, reg_at(g, i, REG_GB_ADDR_CONFIG), asic_of(g)->gb_addr_config);
		if (asic_of(g)->xccs > 1)	/* one partition of all */
			regs_set(g, reg_at(g, i, REG_CP_HYP_XCP_CTL), XCP_CTL(i, n));
	}
}
