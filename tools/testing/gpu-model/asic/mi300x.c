// SPDX-License-Identifier: GPL-2.0
/*
 * AMD Instinct MI300X; see asic.h. Versions: those that amdgpu takes for one. The bases are
 * chosen so that registers are where an MI210 has them, as far as the blocks' own offsets
 * allow. The MMHUB is elsewhere: amdgpu takes the low 16 bits of a register that is on a
 * compute die, and would take 0x1axxx for one.
 */
#include "asic.h"
#include "bus/discovery.h"
#include "cp/hws/hws.h"
#include "cp/queue/cwsr_ops.h"
#include "gfx9.h"
#include "host/params.h"
#include "isa/wave.h"
#include "sdma/sdma.h"
#include "vm/ih.h"

/* What has no registers that matter here shares a corner of the register space. */
#define NOWHERE	0x16c00

static const struct ip ips[] = {
	{ 34, 0, { 1, 8, 0 }, { 0x14000 } },				/* MMHUB */
	{ 40, 0, { 4, 4, 2 }, { 0x10a0 } },				/* OSSSYS */
	{ 108, 0, { 7, 9, 0 },
	  { 0x0, 0x14, 0xd20, NOWHERE, NOWHERE, 0x10000, NOWHERE, NOWHERE, 0x4000 } }, /* NBIF */
	{ 35, 0, { 1, 8, 0 }, { 0xbed } },				/* ATHUB */
	{ 41, 0, { 4, 4, 2 }, { 0xf20 } },				/* HDP */
	{ 42, 0, { 4, 4, 2 }, { 0x1260 } },				/* SDMA */
	{ 42, 1, { 4, 4, 2 }, { 0x1860 } },
	{ 42, 2, { 4, 4, 2 }, { 0x1e000 } },
	{ 42, 3, { 4, 4, 2 }, { 0x1e400 } },
	{ 255, 0, { 13, 0, 6 }, { 0x16000, 0x16000 } },			/* MP0, the PSP */
	{ 1, 0, { 13, 0, 6 }, { 0x16200, 0x16200 } },			/* MP1, the SMU */
	{ 3, 0, { 13, 0, 6 }, { NOWHERE } },				/* THM */
	{ 4, 0, { 13, 0, 3 }, { 0x16a00, 0x16a00 } },			/* SMUIO */
	{ 6, 0, { 13, 0, 6 }, { NOWHERE } },				/* CLKA */
	{ 12, 0, { 4, 0, 3 }, { 0x7800, 0x7e00 } },			/* VCN */
	{ 46, 0, { 4, 6, 2 }, { 0x7000 } },				/* DF */
	{ 150, 0, { 12, 0, 0 }, { NOWHERE } },				/* UMC */
	{ 200, 0, { 6, 4, 0 }, { NOWHERE } },				/* XGMI */
};

static const struct discovery discovery = {
	.gc = { 11, 0, { 9, 4, 3 }, { 0x2000, 0xa000 } },
	.ips = ips,
	.nips = sizeof(ips) / sizeof(ips[0]),
};

#define VM_L2		0x0a080
#define VM_FB		0x0a570
#define MMHUB_L2	0x52d00
#define MMHUB_FB	0x53270

const struct asic asic_mi300x = {
	.name = "mi300x",
	.part = "GPU-MODEL-MI300X",
	.device = 0x74a1, .subsystem = 0x74a1, .revision = 0,
	.class = 0x1200,	/* processing accelerator */
	.discovery = &discovery,
	.xccs = XCCS_MAX,
	.engines = 4,		/* the MQD has CU masks for no more (v9_structs.h) */
	.pipe_queues = 8, .mes = 2,
	.cu = &gfx9_cu,
	.watch_line = 7,
	.isa = &isa_gfx942,
	.mqd_rsrc3 = 46, .mqd_se4_mask = 39,
	.sdma = &sdma_4_4_2,
	.ih = &ih_soc15,
	.sched = &hws_sched,
	.cwsr = &cwsr_gfx9,
	.reg = {
#include "gfx9_regs.def"
	},
};
