// SPDX-License-Identifier: GPL-2.0
/* AMD Instinct MI210; see asic.h. */
#include "asic.h"
#include "cp/hws/hws.h"
#include "cp/queue/cwsr_ops.h"
#include "gfx9.h"
#include "host/params.h"
#include "isa/wave.h"
#include "sdma/sdma.h"
#include "vm/ih.h"

#define VM_L2		0x0a100
#define VM_FB		0x0a600
#define MMHUB_L2	0x6ad80
#define MMHUB_FB	0x6b300

const struct asic asic_mi210 = {
	.name = "mi210",
	.part = "GPU-MODEL-MI210",
	.device = 0x740f, .subsystem = 0x0c34, .revision = 2,
	.class = 0x0380,	/* other display controller */
	.xccs = 1, .engines = ENGINES_MAX,
	.pipe_queues = 8, .mes = 2,
	.cu = &gfx9_cu,
	.watch_line = 6,
	.isa = &isa_gfx90a,
	.mqd_rsrc3 = 46, .mqd_se4_mask = 39,
	.sdma = &sdma_4_4_0,
	.ih = &ih_soc15,
	.sched = &hws_sched,
	.cwsr = &cwsr_gfx9,
	.reg = {
#include "gfx9_regs.def"
	},
};
