/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which GPU the device says it is, and where its registers are. The rooms name
 * registers by the offsets of the MI210 (regs.h); another GPU's offsets are
 * turned into those where an access enters.
 */
#ifndef GPU_MODEL_ASIC_H
#define GPU_MODEL_ASIC_H

#include "gpu.h"

#define PCI_VENDOR	0x1002

/**
 * struct reg_move - registers that are elsewhere on this GPU
 * @first: @last:	byte offsets there
 * @to:			offset of the first on the MI210
 */
struct reg_move {
	u32 first, last;
	u32 to;
};

/**
 * struct asic - a kind of GPU
 * @name:		of the command line
 * @part:		of the VBIOS
 * @device: @subsystem: @revision: @class: PCI identity (pci.ids, amdgpu.ids)
 * @moves:		registers elsewhere, up to an empty entry
 * @discovery:		describes its blocks by a table at the end of VRAM
 * @xccs: @engines:	most XCCs, and shader engines of one, that it may have
 * @arch:		instruction set
 */
struct asic {
	const char *name;
	const char *part;
	u16 device, subsystem;
	u8 revision;
	u16 class;
	const struct reg_move *moves;
	bool discovery;
	u8 xccs, engines;
	enum isa_arch arch;
};

/* The MI210 comes first: a configuration of zeros is one. */
enum asic_id { ASIC_MI210, ASIC_MI300X, ASICS };

extern const struct asic asics[ASICS];

static inline const struct asic *asic_of(const struct gpu *g)
{
	return &asics[g->cfg.asic];
}

#endif
