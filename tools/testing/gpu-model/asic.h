/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which GPU the device is. Each kind is a file of asic/, which puts it together of what
 * the rooms have; a room asks here for what is not the same on all of them.
 */
#ifndef GPU_MODEL_ASIC_H
#define GPU_MODEL_ASIC_H

#include "gpu.h"

#define PCI_VENDOR	0x1002

struct cwsr_ops;
struct discovery;
struct ih_sources;
struct isa;
struct sched_ops;
struct sdma_regs;

/* The registers that rooms know, by the names of the register headers; some begin a row. */
enum reg {
	REG_MM_INDEX,		/* first: it is at 0 on all GPUs */
	REG_MM_DATA,
	REG_MM_INDEX_HI,
	REG_BIOS_SCRATCH_0,
	REG_BIOS_SCRATCH_7,
	REG_RCC_CONFIG_MEMSIZE,
	REG_HDP_FLUSH_DONE,
	REG_NBIF_STRAP0,
	REG_PARTITION_MEM_CAP,
	REG_PARTITION_MEM_STATUS,
	REG_PARTITION_COMPUTE_STATUS,
	REG_MP0_C2PMSG_33,
	REG_RSMU_INDEX,
	REG_RSMU_DATA,
	REG_GFX_IMU_RESET_CTRL,
	REG_MP1_MESSAGE,	/* MP1_SMN_C2PMSG_66 */
	REG_MP1_PARAM,		/* _82 */
	REG_MP1_RESULT,		/* _90 */
	REG_MP1_DEBUG_MESSAGE,	/* _75 */
	REG_GOLDEN_TSC_COUNT_UPPER,
	REG_GOLDEN_TSC_COUNT_LOWER,

	REG_ATC_PASID_UPDATE_STATUS,
	REG_ATC_VMID0_PASID,
	REG_IH_VMID_0_LUT,
	REG_IH_RB_CNTL,
	REG_IH_RB_BASE,
	REG_IH_RB_BASE_HI,
	REG_IH_RB_RPTR,
	REG_IH_RB_WPTR,
	REG_IH_RB_WPTR_ADDR_HI,
	REG_IH_RB_WPTR_ADDR_LO,
	REG_IH_DOORBELL_RPTR,
	REG_IH_DOORBELL_RETRY_CAM,
	REG_IH_RETRY_CAM_CNTL,

	REG_SH_MEM_CONFIG,
	REG_VM_L2_FAULT_CNTL,
	REG_VM_L2_FAULT_STATUS,
	REG_VM_L2_FAULT_ADDR_LO,
	REG_VM_L2_FAULT_ADDR_HI,
	REG_VM_CONTEXT0_CNTL,
	REG_VM_INV_SEM,
	REG_VM_INV_REQ,
	REG_VM_INV_ACK,
	REG_VM_CONTEXT0_BASE_LO,
	REG_VM_CONTEXT0_START_LO,
	REG_VM_CONTEXT0_END_LO,
	REG_MC_VM_FB_LOCATION_BASE,
	REG_MC_VM_FB_LOCATION_TOP,
	REG_MMHUB_INV_SEM,
	REG_MMHUB_INV_REQ,
	REG_MMHUB_INV_ACK,
	REG_MMHUB_FB_LOCATION_BASE,
	REG_MMHUB_FB_LOCATION_TOP,

	REG_GRBM_GFX_CNTL,
	REG_GRBM_GFX_INDEX,
	REG_CC_GC_SHADER_ARRAY_CONFIG,
	REG_SQ_SHADER_TBA_LO,
	REG_SQ_CMD,
	REG_SPI_CSQ_WF_ACTIVE_STATUS,
	REG_SPI_CSQ_WF_ACTIVE_COUNT_0,
	REG_SPI_COMPUTE_QUEUE_RESET,
	REG_GDS_GWS_VMID0,
	REG_TCP_WATCH0_ADDR_H,	/* then _ADDR_L and _CNTL; the others follow */
	REG_CP_IQ_WAIT_TIME2,
	REG_CP_HQD,		/* those of MQD dwords 128 on (compute/queue.h) */
	REG_CP_HYP_XCP_CTL,
	REG_SCRATCH_REG0,
	REG_RLC_SAFE_MODE,
	REG_RLC_GPU_CLOCK_LSB,
	REG_RLC_GPU_CLOCK_MSB,
	REG_RLC_CAPTURE_GPU_CLOCK,
	REG_GB_ADDR_CONFIG,
	REG_CP_PFP_IC_OP_CNTL,
	REG_CP_ME_IC_OP_CNTL,
	REG_CP_CPC_IC_OP_CNTL,
	REG_CP_GFX_RS64_DC_OP_CNTL,
	REG_CP_MEC_DC_OP_CNTL,
	REG_CP_MES_GP3_LO,

	REG_SDMA0,		/* each with all of its engine's */
	REG_SDMA1,
	REG_SDMA2,
	REG_SDMA3,
	REG_SDMA4,
	REG_SDMA0_F32_CNTL,	/* where it is not among its engine's */
	REG_SDMA1_F32_CNTL,
	REG_IDS
};

/**
 * struct cu_size - a compute unit
 * @simds: @waves:	SIMDs, and wave slots of each
 * @lanes: @vgprs: @vgpr_granule: vector registers of a SIMD, of so many lanes, and of how many
 *		its waves get multiples
 * @sgprs: @sgpr_granule:	likewise scalar registers
 * @lds: @lds_granule:	likewise bytes of the LDS, and workgroups
 * @barriers:		for workgroups of more than one wave
 */
struct cu_size {
	u8 simds, waves, lanes;
	u16 vgprs, vgpr_granule;
	u16 sgprs, sgpr_granule;
	u32 lds, lds_granule;
	u16 barriers;
};

/**
 * struct asic - a kind of GPU
 * @name:		of the command line
 * @part:		of the VBIOS
 * @device: @subsystem: @revision: @class: PCI identity (pci.ids, amdgpu.ids)
 * @discovery:		describes its blocks by a table at the end of VRAM; NULL: the driver
 *			knows them
 * @xccs: @engines:	most XCCs, and shader engines of one, that it may have
 * @pipe_queues:	queue slots of a pipe
 * @mes:		micro engines with slots: 2, or 4 where MES is ME 3 and graphics' queues
 *			have slots of ME 0
 * @wgps:		two units of an engine are a work-group processor, and work or not together
 * @scratch_regs:	packets of processes may write SCRATCH_REG0 to 7
 * @cu:			its compute units
 * @watch_line:		a watch point's address counts in these bytes, log2
 * @isa:		instruction set
 * @mqd_rsrc3: @mqd_se4_mask: MQD dwords of COMPUTE_PGM_RSRC3, and of the CU mask of the engine
 *			behind the first four
 * @ih:			who sends interrupts
 * @sdma:		the registers of an SDMA engine
 * @sched:		the scheduler's firmware
 * @gb_addr_config:	GB_ADDR_CONFIG
 * @cwsr:		how waves are saved
 * @reg:		byte offset of each register; 0: it has none of that name
 */
struct asic {
	const char *name;
	const char *part;
	u16 device, subsystem;
	u8 revision;
	u16 class;
	const struct discovery *discovery;
	u8 xccs, engines;
	u8 pipe_queues, mes;
	bool wgps, scratch_regs;
	const struct cu_size *cu;
	u8 watch_line;
	const struct isa *isa;
	u8 mqd_rsrc3, mqd_se4_mask;
	const struct ih_sources *ih;
	const struct sdma_regs *sdma;
	const struct sched_ops *sched;
	const struct cwsr_ops *cwsr;
	u32 gb_addr_config;
	u32 reg[REG_IDS];
};

/* The MI210 comes first: a configuration of zeros is one. */
enum asic_id { ASIC_MI210, ASIC_MI300X, ASIC_GFX1100, ASICS };

extern const struct asic *const asics[ASICS];
extern const struct asic asic_mi210, asic_mi300x, asic_gfx1100;

static inline const struct asic *asic_of(const struct gpu *g)
{
	return asics[g->cfg.asic];
}

#endif
