/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BAR5: the registers, which the blocks have. Offsets are in bytes; where a register is
 * struct asic says.
 */
#ifndef GPU_MODEL_REGS_H
#define GPU_MODEL_REGS_H

#include "asic.h"
#include "block.h"

#define REGS_SIZE			0x80000

/*
 * XCCs but the first have their GC registers behind that, in windows in which
 * each is where the first has it: amdgpu's packets name a register by the low 16
 * bits of its dword offset (gfx_v9_4_3_normalize_xcc_reg_offset()).
 */
#define REGS_XCC_SIZE			0x40000

/* Where XCC @xcc has the register that the first has at @off. */
static inline u32 regs_of_xcc(unsigned int xcc, u32 off)
{
	return xcc ? REGS_SIZE + (xcc - 1) * REGS_XCC_SIZE + off : off;
}

/* XCC of a register, and the offset at which its window begins. */
static inline unsigned int regs_xcc(u32 off)
{
	return off < REGS_SIZE ? 0 : (off - REGS_SIZE) / REGS_XCC_SIZE + 1;
}

static inline u32 regs_window(u32 off)
{
	return regs_of_xcc(regs_xcc(off), 0);
}

/* Where XCC @xcc has a register; REGS_NONE, which reads 0: this GPU has none of the name. */
#define REGS_NONE			(1u << 31)
static inline u32 reg_at(const struct gpu *g, unsigned int xcc, enum reg id)
{
	u32 off = asic_of(g)->reg[id];

	return off || id == REG_MM_INDEX ? regs_of_xcc(xcc, off) : REGS_NONE;
}

/* Bytes of the BAR: a power of two. */
u32 regs_size(struct gpu *g);

/* The register that a packet of that XCC names by @off: its own, if it is of GC. */
u32 regs_in_packet(unsigned int xcc, u32 off);

extern const struct block regs_block;

/* All blocks' registers as at power-on. */
void regs_reset(struct gpu *g);

/* An access of the driver or of a packet: handlers run. Offsets out of range read 0. */
u32 regs_read(struct gpu *g, u32 off);
void regs_write(struct gpu *g, u32 off, u32 val);

/* The stored value alone, for the rooms that own a register. Any thread. */
u32 regs_get(struct gpu *g, u32 off);
void regs_set(struct gpu *g, u32 off, u32 val);

/* The same of the first XCC's, or of what there is once. */
static inline u32 reg_get(struct gpu *g, enum reg id)
{
	return regs_get(g, reg_at(g, 0, id));
}

static inline void reg_set(struct gpu *g, enum reg id, u32 val)
{
	regs_set(g, reg_at(g, 0, id), val);
}

/* Handlers: what always reads as done; what cannot be written. */
u32 regs_read_ones(struct gpu *g, u32 off, u32 index);
void regs_write_ignore(struct gpu *g, u32 off, u32 index, u32 val);

#endif
