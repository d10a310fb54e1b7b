// SPDX-License-Identifier: GPL-2.0
/*
 * A GPU like AMD's Radeon RX 7900 (GC 11.0.0), without display; see asic.h. UNFINISHED: of its
 * instructions it has those of isa/gfx11/table.def.
 *
 * Versions: those that amdgpu takes for one. Offsets: gc_11_0_0, mmhub_3_0_0, osssys_6_0_0,
 * nbio_4_3_0, smuio_13_0_6 of its register headers, and these bases.
 */
#include "asic.h"
#include "bus/discovery.h"
#include "cp/mes/mes.h"
#include "cp/queue/cwsr_ops.h"
#include "host/params.h"
#include "isa/wave.h"
#include "sdma/sdma.h"
#include "vm/ih.h"

#define GC0		0x1260
#define GC1		0xa000
#define MMHUB		0x1a000
#define OSSSYS		0x10a0
#define NBIO2		0xd20
#define MP0		0x16000
#define MP1		0x16000
#define SMUIO1		0x16a00
/* What has no registers that matter here shares a corner of the register space. */
#define NOWHERE		0x16c00

static const struct ip ips[] = {
	{ 34, 0, { 3, 0, 0 }, { MMHUB } },
	{ 40, 0, { 6, 0, 0 }, { OSSSYS } },
	{ 108, 0, { 4, 3, 0 }, { 0x0, 0x14, NBIO2, 0x10400, 0x241b000, 0x4040000 } },	/* NBIF */
	{ 35, 0, { 3, 0, 0 }, { 0xc00 } },				/* ATHUB */
	{ 41, 0, { 6, 0, 0 }, { 0xf20 } },				/* HDP */
	{ 42, 0, { 6, 0, 0 }, { GC0 } },				/* SDMA, in GC */
	{ 43, 0, { 6, 0, 0 }, { GC0 } },
	{ 255, 0, { 13, 0, 0 }, { MP0, MP0 } },				/* MP0, the PSP */
	{ 1, 0, { 13, 0, 0 }, { MP1, MP1 } },				/* MP1, the SMU */
	{ 3, 0, { 13, 0, 0 }, { NOWHERE } },				/* THM */
	{ 4, 0, { 13, 0, 0 }, { SMUIO1, SMUIO1 } },			/* SMUIO */
	{ 6, 0, { 13, 0, 0 }, { NOWHERE } },				/* CLKA */
	{ 12, 0, { 4, 0, 0 }, { 0x7800, 0x7e00 } },			/* VCN */
	{ 46, 0, { 4, 6, 0 }, { 0x7000 } },				/* DF */
	{ 150, 0, { 8, 10, 0 }, { NOWHERE } },				/* UMC */
};

static const struct discovery discovery = {
	.gc = { 11, 0, { 11, 0, 0 }, { GC0, GC1 } },
	.gc_info = GC_INFO_1_2,
	.ips = ips,
	.nips = sizeof(ips) / sizeof(ips[0]),
};

/*
 * A compute unit, which is half of a work-group processor: a workgroup has one of them, in WGP
 * mode, too. Source: LLVM, AMDGPUBaseInfo.cpp, and
 * "RDNA 3 ISA" section 3: two SIMDs of 16 waves, 1536 VGPRs of 32 lanes each.
 */
static const struct cu_size cu = {
	.simds = 2, .waves = 16,
	.lanes = 32, .vgprs = 1536, .vgpr_granule = 24,
	.sgprs = 128 * 16, .sgpr_granule = 128,
	.lds = 64 * 1024, .lds_granule = 512,
	.barriers = 32,
};

const struct asic asic_gfx1100 = {
	.name = "gfx1100",
	.part = "GPU-MODEL-GFX1100",
	.device = 0x744c, .subsystem = 0x0e3b, .revision = 0xc8,
	.class = 0x0380,	/* other display controller */
	.discovery = &discovery,
	.xccs = 1, .engines = 6,
	.pipe_queues = 4, .mes = 4,
	.wgps = true, .scratch_regs = true,
	.cu = &cu,
	.watch_line = 7,
	.isa = &isa_gfx1100,
	.mqd_rsrc3 = 41, .mqd_se4_mask = 44,
	.ih = &ih_soc21,
	.sdma = &sdma_6_0_0,
	.sched = &mes_sched,
	.cwsr = &cwsr_gfx11,
	.gb_addr_config = 0x545,
	.reg = {
		[REG_MM_DATA] = 0x00004, [REG_MM_INDEX_HI] = 0x00018,
		[REG_BIOS_SCRATCH_0] = 4 * (0x14 + 0x38), [REG_BIOS_SCRATCH_7] = 4 * (0x14 + 0x3f),
		[REG_RCC_CONFIG_MEMSIZE] = 4 * (NBIO2 + 0xc3),
		[REG_HDP_FLUSH_DONE] = 4 * (NBIO2 + 0x107),
		[REG_NBIF_STRAP0] = 4 * (NBIO2 + 0x16),
		[REG_MP0_C2PMSG_33] = 4 * (MP0 + 0x61),
		[REG_RSMU_INDEX] = 4 * 0x14, [REG_RSMU_DATA] = 4 * (0x14 + 1),
		[REG_MP1_MESSAGE] = 4 * (MP1 + 0x282), [REG_MP1_PARAM] = 4 * (MP1 + 0x292),
		[REG_MP1_RESULT] = 4 * (MP1 + 0x29a),
		[REG_MP1_DEBUG_MESSAGE] = 4 * (MP1 + 0x28b),
		[REG_GFX_IMU_RESET_CTRL] = 4 * (GC1 + 0x40bc),
		[REG_GOLDEN_TSC_COUNT_UPPER] = 4 * (SMUIO1 + 0x2d),
		[REG_GOLDEN_TSC_COUNT_LOWER] = 4 * (SMUIO1 + 0x2e),

		[REG_IH_VMID_0_LUT] = 4 * OSSSYS,
		[REG_IH_RB_CNTL] = 4 * (OSSSYS + 0x80),
		[REG_IH_RB_BASE] = 4 * (OSSSYS + 0x81), [REG_IH_RB_BASE_HI] = 4 * (OSSSYS + 0x82),
		[REG_IH_RB_RPTR] = 4 * (OSSSYS + 0x83), [REG_IH_RB_WPTR] = 4 * (OSSSYS + 0x84),
		[REG_IH_RB_WPTR_ADDR_HI] = 4 * (OSSSYS + 0x85),
		[REG_IH_RB_WPTR_ADDR_LO] = 4 * (OSSSYS + 0x86),
		[REG_IH_DOORBELL_RPTR] = 4 * (OSSSYS + 0x87),
		[REG_IH_DOORBELL_RETRY_CAM] = 4 * (OSSSYS + 0x88),
		[REG_IH_RETRY_CAM_CNTL] = 4 * (OSSSYS + 0xef),

		[REG_SH_MEM_CONFIG] = 4 * (GC1 + 0x9e4),
		[REG_VM_L2_FAULT_CNTL] = 4 * (GC0 + 0x15c4),
		[REG_VM_L2_FAULT_STATUS] = 4 * (GC0 + 0x15c8),
		[REG_VM_L2_FAULT_ADDR_LO] = 4 * (GC0 + 0x15c9),
		[REG_VM_L2_FAULT_ADDR_HI] = 4 * (GC0 + 0x15ca),
		[REG_VM_CONTEXT0_CNTL] = 4 * (GC0 + 0x1688),
		[REG_VM_INV_SEM] = 4 * (GC0 + 0x1699),
		[REG_VM_INV_REQ] = 4 * (GC0 + 0x16ab),
		[REG_VM_INV_ACK] = 4 * (GC0 + 0x16bd),
		[REG_VM_CONTEXT0_BASE_LO] = 4 * (GC0 + 0x16f3),
		[REG_VM_CONTEXT0_START_LO] = 4 * (GC0 + 0x1713),
		[REG_VM_CONTEXT0_END_LO] = 4 * (GC0 + 0x1733),
		[REG_MC_VM_FB_LOCATION_BASE] = 4 * (GC0 + 0x1678),
		[REG_MC_VM_FB_LOCATION_TOP] = 4 * (GC0 + 0x1679),
		[REG_MMHUB_INV_SEM] = 4 * (MMHUB + 0x751),
		[REG_MMHUB_INV_REQ] = 4 * (MMHUB + 0x763),
		[REG_MMHUB_INV_ACK] = 4 * (MMHUB + 0x775),
		[REG_MMHUB_FB_LOCATION_BASE] = 4 * (MMHUB + 0x8ec),
		[REG_MMHUB_FB_LOCATION_TOP] = 4 * (MMHUB + 0x8ed),

		[REG_GRBM_GFX_CNTL] = 4 * (GC1 + 0x900), [REG_GRBM_GFX_INDEX] = 4 * (GC1 + 0x2200),
		[REG_CC_GC_SHADER_ARRAY_CONFIG] = 4 * (GC0 + 0x100f),
		[REG_SQ_SHADER_TBA_LO] = 4 * (GC1 + 0x9e6),
		[REG_SQ_CMD] = 4 * (GC0 + 0x111b),
		[REG_SPI_CSQ_WF_ACTIVE_STATUS] = 4 * (GC0 + 0x127b),
		[REG_SPI_CSQ_WF_ACTIVE_COUNT_0] = 4 * (GC0 + 0x127c),
		[REG_SPI_COMPUTE_QUEUE_RESET] = 4 * (GC0 + 0x1f73),
		[REG_GDS_GWS_VMID0] = 4 * (GC0 + 0x20c0),
		[REG_TCP_WATCH0_ADDR_H] = 4 * (GC0 + 0x2048),
		[REG_CP_IQ_WAIT_TIME2] = 4 * (GC0 + 0x1e50),
		[REG_CP_HQD] = 4 * (GC0 + 0x1fa9),
		[REG_SCRATCH_REG0] = 4 * (GC1 + 0x2040),
		[REG_RLC_SAFE_MODE] = 4 * (GC1 + 0x980),
		[REG_RLC_GPU_CLOCK_LSB] = 4 * (GC1 + 0x4c24),
		[REG_RLC_GPU_CLOCK_MSB] = 4 * (GC1 + 0x4c25),
		[REG_RLC_CAPTURE_GPU_CLOCK] = 4 * (GC1 + 0x4c26),
		[REG_GB_ADDR_CONFIG] = 4 * (GC0 + 0x13de),
		[REG_CP_PFP_IC_OP_CNTL] = 4 * (GC1 + 0x5843),
		[REG_CP_ME_IC_OP_CNTL] = 4 * (GC1 + 0x5847),
		[REG_CP_CPC_IC_OP_CNTL] = 4 * (GC1 + 0x297a),
		[REG_CP_GFX_RS64_DC_OP_CNTL] = 4 * (GC1 + 0x2a09),
		[REG_CP_MEC_DC_OP_CNTL] = 4 * (GC1 + 0x290c),
		[REG_CP_MES_GP3_LO] = 4 * (GC1 + 0x2849),

		[REG_SDMA0] = 4 * GC0, [REG_SDMA1] = 4 * (GC0 + 0x600),
		[REG_SDMA0_F32_CNTL] = 4 * (GC1 + 0x589a),
		[REG_SDMA1_F32_CNTL] = 4 * (GC1 + 0x58ba),
	},
};
