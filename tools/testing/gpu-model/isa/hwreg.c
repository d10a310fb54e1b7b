// SPDX-License-Identifier: GPL-2.0
/* Hardware registers of waves (SIDefines.h, Hwreg): number, first bit, width less one. */
#include "isa.h"
#include "host/params.h"

#define HWREG_MODE	1
#define HWREG_STATUS	2
#define HWREG_TRAPSTS	3
#define HWREG_GPR_ALLOC	5
#define HWREG_LDS_ALLOC	6
#define HWREG_IB_STS	7
#define HWREG_SH_MEM_BASES 15

/* gfx9 */
#define HWREG_HW_ID	4
#define HWREG_TBA_LO	16
#define HWREG_TBA_HI	17
#define HWREG_TMA_LO	18
#define HWREG_TMA_HI	19
#define HWREG_XCC_ID	20	/* gfx942 */

/* RDNA */
#define HWREG_FLAT_SCR_LO 20
#define HWREG_FLAT_SCR_HI 21
#define HWREG_HW_ID1	23
#define HWREG_HW_ID2	24
#define HWREG_IB_STS2	28
#define HWREG_SHADER_CYCLES 29

#define IB_STS2_WAVE64	(1u << 11)

/* Fields of GPR_ALLOC as the kernel's cwsr_trap_handler_gfx9.asm reads them on this GPU. */
static bool read_gfx9(const struct wave *w, unsigned int id, u32 *v)
{
	switch (id) {
	case HWREG_HW_ID:
		*v = w->hw_id;
		return true;
	case HWREG_GPR_ALLOC:	/* VGPR_SIZE 11:6, ACCV_OFFSET 17:12, SGPR_SIZE 26:24 */
		*v = (u32)(w->vgprs / 8 - 1) << 6 | (u32)(w->acc_offset / 4 - 1) << 12 |
		     (SAVED_SGPRS / 16 - 1) << 24;
		return true;
	case HWREG_XCC_ID:
		*v = w->xcc_id;
		return w->mem->isa == &isa_gfx942;
	/* SQ_SHADER_TBA and _TMA: addresses in units of 256 bytes. */
	case HWREG_TBA_LO:
		*v = w->mem->tba >> 8;
		return true;
	case HWREG_TBA_HI:
		*v = w->mem->tba >> 40;
		return true;
	case HWREG_TMA_LO:
		*v = w->mem->tma >> 8;
		return true;
	case HWREG_TMA_HI:
		*v = w->mem->tma >> 40;
		return true;
	}
	return false;
}

/* As cwsr_trap_handler_gfx10.asm reads them. */
static bool read_rdna(const struct wave *w, unsigned int id, u32 *v)
{
	switch (id) {
	case HWREG_GPR_ALLOC:	/* VGPR_SIZE 19:12, in fours */
		*v = (u32)(w->vgprs / 4 - 1) << 12;
		return true;
	case HWREG_IB_STS2:
		*v = w->lanes > 32 ? IB_STS2_WAVE64 : 0;
		return true;
	case HWREG_FLAT_SCR_LO:
		*v = w->flat_scratch;
		return true;
	case HWREG_FLAT_SCR_HI:
		*v = w->flat_scratch >> 32;
		return true;
	case HWREG_HW_ID1:
		*v = w->hw_id;
		return true;
	case HWREG_HW_ID2:
		*v = w->xcc_id;
		return true;
	case HWREG_SHADER_CYCLES:
		*v = gpu_now() / 10 * (SHADER_CLK_MHZ / 100) & 0xfffff;
		return true;
	}
	return false;
}

static bool hwreg_read(const struct wave *w, unsigned int id, u32 *v)
{
	switch (id) {
	case HWREG_MODE:
		*v = w->mode;
		return true;
	case HWREG_STATUS:
		*v = wave_status(w);
		return true;
	case HWREG_TRAPSTS:
		*v = w->trapsts;
		return true;
	case HWREG_LDS_ALLOC:	/* LDS_SIZE 20:12 in units of 64 dwords; no shared VGPRs */
		*v = (w->wg->lds_bytes + 255) / 256 << 12;
		return true;
	case HWREG_IB_STS:
		*v = 0;
		return true;
	case HWREG_SH_MEM_BASES:
		*v = (u32)(w->mem->private_base >> 48) |
		     (u32)(w->mem->shared_base >> 48) << 16;
		return true;
	}
	return w->mem->isa->rdna ? read_rdna(w, id, v) : read_gfx9(w, id, v);
}

static unsigned int shift(const struct insn *i)
{
	return i->simm >> 6 & 31;
}

static u32 field_mask(const struct insn *i)
{
	return (u32)(((1ull << ((i->simm >> 11 & 31) + 1)) - 1) << shift(i));
}

X(x_s_getreg_b32)
{
	u32 v;

	if (!hwreg_read(c->w, i->simm & 63, &v))
		return x_unsupported(c, i);
	sdst32(c, i, (v & field_mask(i)) >> shift(i));
	return WAVE_BUDGET;
}

/* What the launcher set stays what it is, but for trap handlers. */
static bool write_flat_scratch(struct wave *w, bool high, u32 mask, u32 v)
{
	if (!(w->status & STATUS_PRIV) || mask != ~0u)
		return false;
	if (high)
		w->flat_scratch = (u32)w->flat_scratch | (u64)v << 32;
	else
		w->flat_scratch = (w->flat_scratch & ~0xffffffffull) | v;
	return true;
}

static bool hwreg_write(struct wave *w, unsigned int id, u32 mask, u32 v)
{
	bool rdna = w->mem->isa->rdna;

	switch (id) {
	case HWREG_MODE:
		mask &= rdna ? MODE_RDNA : ~0u;
		w->mode = (w->mode & ~mask) | (v & mask);
		return true;
	case HWREG_STATUS:
		mask &= ~STATUS_PRIV;	/* S_RFE alone leaves the trap handler */
		wave_set_status(w, (wave_status(w) & ~mask) | (v & mask));
		return true;
	case HWREG_TRAPSTS:
		w->trapsts = (w->trapsts & ~mask) | (v & mask);
		return true;
	case HWREG_IB_STS:	/* of replays after XNACK, which there are not */
		return true;
	case HWREG_FLAT_SCR_LO:
	case HWREG_FLAT_SCR_HI:
		return rdna && write_flat_scratch(w, id == HWREG_FLAT_SCR_HI, mask, v);
	}
	return false;
}

static enum wave_stop setreg(struct ctx *c, const struct insn *i, u32 v)
{
	if (!hwreg_write(c->w, i->simm & 63, field_mask(i), v << shift(i)))
		return x_unsupported(c, i);
	return WAVE_BUDGET;
}

X(x_s_setreg_b32)
{
	return setreg(c, i, ssrc32(c, i, 0));
}

X(x_s_setreg_imm32_b32)
{
	return setreg(c, i, i->literal);
}
