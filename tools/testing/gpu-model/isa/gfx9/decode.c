// SPDX-License-Identifier: GPL-2.0
/* gfx90a and gfx942: from dwords to struct insn, by the rows of table.def. */
#include <errno.h>
#include <pthread.h>
#include "isa/decoder.h"
#include "isa/matrix.h"
#include "gfx9.h"

#define I(fmt, op, name, fn, d, s0, s1, s2, flags, arg) \
	{ fmt, op, #name, FN_##fn, d, { s0, s1, s2 }, flags, arg },
static const struct isa_row rows[] = {
#include "table.def"
};
#undef I

/* VOP3 opcodes of the shorter formats' instructions. */
#define VOP3_VOP2	0x100
#define VOP3_VOP1	0x140
#define SRC_SDWA	249
#define SRC_DPP		250

static const struct isa_row *of_gfx90a[ISA_FMTS][1024], *of_gfx942[ISA_FMTS][1024];
static pthread_once_t lookup_once = PTHREAD_ONCE_INIT;

static int decode(struct insn *i, const u32 raw[INSN_DWORDS], const struct isa *isa);

const struct isa isa_gfx90a = {
	.name = "gfx90a",
	.rows = rows, .nrows = sizeof(rows) / sizeof(rows[0]),
	.without = F_942,
	.sgprs = SGPR_FLAT_SCRATCH, .mask_dwords = 2,
	.lookup = of_gfx90a,
	.decode = decode,
	.print = gfx9_print,
};

const struct isa isa_gfx942 = {
	.name = "gfx942",
	.rows = rows, .nrows = sizeof(rows) / sizeof(rows[0]),
	.without = F_90A,
	.sgprs = SGPR_FLAT_SCRATCH, .mask_dwords = 2,
	.flat_scratch = true,
	.lookup = of_gfx942,
	.decode = decode,
	.print = gfx9_print,
};

static void lookups_init(void)
{
	isa_lookup_init(&isa_gfx90a, VOP3_VOP2, VOP3_VOP1);
	isa_lookup_init(&isa_gfx942, VOP3_VOP2, VOP3_VOP1);
}

static void take_literal(struct insn *i, u32 dw)
{
	i->literal = dw;
	i->len = 8;
}

static void decode_scalar(struct insn *i, enum isa_fmt fmt, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;

	i->len = 4;
	i->simm = (int16_t)dw;
	i->dst = dw >> 16 & 0x7f;
	i->src[0] = dw & 0xff;
	i->src[1] = dw >> 8 & 0xff;
	switch (fmt) {
	case SOPK:
		i->src[0] = i->dst;
		i->src[1] = OP_NONE;
		if (!r->src[0] && !r->dst)	/* s_setreg_imm32_b32 */
			take_literal(i, dw1);
		return;
	case SOPP:
		i->src[0] = OP_NONE;
		i->src[1] = OP_NONE;
		return;
	case SOP1:
		i->src[1] = OP_NONE;
		break;
	case SOPC:
		if (r->flags & F_IMM) {		/* s_set_gpr_idx_on */
			i->simm = i->src[1];
			i->src[1] = OP_NONE;
		}
		break;
	default:
		break;
	}
	if ((r->src[0] && i->src[0] == OP_LITERAL) ||
	    (r->src[1] && fmt != SOP1 && i->src[1] == OP_LITERAL))
		take_literal(i, dw1);
}

static void decode_smem(struct insn *i, u32 dw, u32 dw1)
{
	bool imm = dw >> 17 & 1, soffset = dw >> 14 & 1;

	i->len = 8;
	i->src[0] = (dw & 0x3f) << 1;
	i->dst = dw >> 6 & 0x7f;
	i->glc = dw >> 16 & 1;
	i->soffset = OP_NONE;
	if (i->row->flags & F_IMM) {		/* s_atc_probe */
		i->simm2 = i->dst;
		i->dst = OP_NONE;
	}
	if (imm)
		i->simm = (s32)(dw1 << 11) >> 11;
	if (soffset)
		i->soffset = dw1 >> 25;
	else if (!imm)
		i->soffset = dw1 & 0x7f;
}

static void decode_sdwa(struct insn *i, u32 dw1)
{
	const struct isa_row *r = i->row;

	i->enc = ENC_SDWA;
	i->len = 8;
	i->src[0] = (dw1 & 0xff) | (dw1 >> 23 & 1 ? 0 : OP_VGPR);
	if (r->src[1])
		i->src[1] = (i->src[1] & 0xff) | (dw1 >> 31 ? 0 : OP_VGPR);
	i->sel[0] = dw1 >> 16 & 7;
	i->sel[1] = dw1 >> 24 & 7;
	i->sext[0] = dw1 >> 19 & 1;
	i->sext[1] = dw1 >> 27 & 1;
	i->neg = (dw1 >> 20 & 1) | (dw1 >> 27 & 2);
	i->abs = (dw1 >> 21 & 1) | (dw1 >> 28 & 2);
	if (r->fmt == VOPC) {
		if (dw1 >> 15 & 1)
			i->dst = dw1 >> 8 & 0x7f;
		return;
	}
	i->dst_sel = dw1 >> 8 & 7;
	i->dst_unused = dw1 >> 11 & 3;
	i->clamp = dw1 >> 13 & 1;
	i->omod = dw1 >> 14 & 3;
}

static void decode_dpp(struct insn *i, u32 dw1)
{
	i->enc = ENC_DPP;
	i->len = 8;
	i->src[0] = (dw1 & 0xff) | OP_VGPR;
	i->dpp_ctrl = dw1 >> 8 & 0x1ff;
	i->bound_ctrl = dw1 >> 19 & 1;
	i->neg = (dw1 >> 20 & 1) | (dw1 >> 21 & 2);
	i->abs = (dw1 >> 21 & 1) | (dw1 >> 22 & 2);
	i->bank_mask = dw1 >> 24 & 0xf;
	i->row_mask = dw1 >> 28;
}

static void decode_vop(struct insn *i, enum isa_fmt fmt, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;
	unsigned int vsrc1 = (dw >> 9 & 0xff) | OP_VGPR;

	i->len = 4;
	i->src[0] = dw & 0x1ff;
	i->dst = dw >> 17 & 0xff;
	if (fmt == VOPC)
		i->dst = SGPR_VCC;
	else if (!(r->flags & F_SDST))
		i->dst |= OP_VGPR;
	if (fmt != VOP1)
		i->src[1] = vsrc1;
	if (r->flags & F_MK) {
		i->src[1] = OP_LITERAL;
		i->src[2] = vsrc1;
		take_literal(i, dw1);
	} else if (r->flags & F_AK) {
		i->src[2] = OP_LITERAL;
		take_literal(i, dw1);
	}
	if (r->flags & F_CO)
		i->sdst = SGPR_VCC;
	if (r->flags & F_CI)
		i->src[2] = SGPR_VCC;
	if (!r->src[0])
		i->src[0] = OP_NONE;
	else if (i->src[0] == SRC_SDWA)
		decode_sdwa(i, dw1);
	else if (i->src[0] == SRC_DPP)
		decode_dpp(i, dw1);
	else if (i->src[0] == OP_LITERAL)
		take_literal(i, dw1);
}

static void decode_vop3(struct insn *i, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;

	i->enc = ENC_VOP3;
	i->len = 8;
	i->dst = dw & 0xff;
	if (!(r->flags & F_SDST))
		i->dst |= OP_VGPR;
	for (unsigned int n = 0; n < 3; n++)
		if (r->src[n] || (n == 2 && r->flags & F_CI))
			i->src[n] = dw1 >> 9 * n & 0x1ff;
	i->clamp = dw >> 15 & 1;
	i->omod = dw1 >> 27 & 3;
	i->neg = dw1 >> 29;
	if (r->flags & F_CO) {
		i->sdst = dw >> 8 & 0x7f;
	} else {
		i->abs = dw >> 8 & 7;
		i->op_sel = dw >> 11 & 0xf;
	}
}

/* 0 to 64, -1 to -16, and some floats. */
static bool inline_constant(unsigned int op)
{
	return (op >= 128 && op <= 208) || (op >= 240 && op <= 248);
}

/*
 * Matrix instructions read A and B from vector registers, and C from there or it is a
 * constant. Which has CBSZ, ABID and BLGP: AMD's matrix instruction calculator. With
 * other values the result is not defined.
 */
static bool matrix_defined(const struct insn *i)
{
	const struct mm_shape s = mm_shape(i->row->arg);
	unsigned int cbsz = i->neg_hi, abid = i->op_sel, c = i->src[2];

	if (i->src[0] < OP_VGPR || i->src[1] < OP_VGPR)
		return false;
	if (s.sparse)
		return c >= OP_VGPR && !i->neg;
	if (c < OP_VGPR && !inline_constant(c))
		return false;
	if (s.a == MM_F64)
		return !cbsz && !abid && (!i->neg || i->isa == &isa_gfx942);
	if (i->isa == &isa_gfx942 && s.blocks == 1 && s.a != MM_F32 && i->neg)
		return false;
	return 1u << cbsz <= s.blocks && abid < 1u << cbsz;
}

static void decode_mfma(struct insn *i, u32 dw, u32 dw1)
{
	i->op_sel = dw >> 11 & 0xf;	/* ABID */
	i->neg_hi = dw >> 8 & 7;	/* CBSZ */
	i->neg = dw1 >> 29;		/* BLGP; of f64 what is negated */
	if (!matrix_defined(i))
		i->what = FN_x_unsupported;
	/* Bit 15 and the source bits name the accumulation file. */
	if (dw >> 15 & 1) {
		i->dst += OP_ACC - OP_VGPR;
		if (i->src[2] >= OP_VGPR && !(i->row->arg & MM_SPARSE))
			i->src[2] += OP_ACC - OP_VGPR;
	}
	for (unsigned int n = 0; n < 2; n++)
		if (dw1 >> (27 + n) & 1 && i->src[n] >= OP_VGPR)
			i->src[n] += OP_ACC - OP_VGPR;
}

static void decode_vop3p(struct insn *i, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;

	i->enc = ENC_VOP3;
	i->len = 8;
	i->dst = (dw & 0xff) | OP_VGPR;
	for (unsigned int n = 0; n < 3; n++)
		if (r->src[n])
			i->src[n] = dw1 >> 9 * n & 0x1ff;
	if (r->flags & F_MFMA) {
		decode_mfma(i, dw, dw1);
		return;
	}
	insn_packed(i, dw, dw1);
}

static void decode_ds(struct insn *i, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;
	unsigned int file = dw >> 25 & 1 ? OP_ACC : OP_VGPR;

	i->len = 8;
	i->gds = dw >> 16 & 1;
	if (r->flags & F_OFF2) {
		i->simm = dw & 0xff;
		i->simm2 = dw >> 8 & 0xff;
	} else {
		i->simm = dw & 0xffff;
	}
	if (r->src[0])
		i->src[0] = (dw1 & 0xff) | OP_VGPR;
	if (r->src[1])
		i->src[1] = (dw1 >> 8 & 0xff) + file;
	if (r->src[2])
		i->src[2] = (dw1 >> 16 & 0xff) + file;
	if (r->dst)
		i->dst = (dw1 >> 24) + file;
	/* Of the GDS there are the semaphores, not the memory. */
	if (i->gds && !(r->flags & F_GDS))
		i->what = FN_x_unsupported;
}

static void decode_flat(struct insn *i, enum isa_fmt fmt, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;
	unsigned int file = dw1 >> 23 & 1 ? OP_ACC : OP_VGPR;
	unsigned int dwords = isa_type_dwords(r->dst), addr = 2;

	i->len = 8;
	i->simm = fmt == FLAT ? (s32)(dw & 0xfff) : (s32)(dw << 19) >> 19;
	i->glc = dw >> 16 & 1;
	i->slc = dw >> 17 & 1;
	i->scc = dw >> 25 & 1;
	i->saddr = dw1 >> 16 & 0x7f;
	if (i->saddr == 0x7f || fmt == FLAT)
		i->saddr = OP_NONE;
	if (fmt == SCRATCH) {
		/* An address in a VGPR, or in an SGPR; gfx942: in any of both, or none. */
		addr = i->isa == &isa_gfx942 ? dw >> 13 & 1 : i->saddr == OP_NONE;
	} else {
		i->lds = dw >> 13 & 1;
		if (i->saddr != OP_NONE)
			addr = 1;
	}
	if (addr)
		i->src[0] = (dw1 & 0xff) | OP_VGPR;
	insn_uses(i, i->src[0], addr);
	if (r->flags & (F_STORE | F_ATOMIC)) {
		i->src[1] = (dw1 >> 8 & 0xff) + file;
		insn_uses(i, i->src[1], dwords);
	}
	if (r->flags & F_STORE || !r->dst)
		return;
	if (!(r->flags & F_ATOMIC) || i->glc) {
		i->dst = (dw1 >> 24) + file;
		if ((r->arg & 0xff) == A_CMPSWAP && r->flags & F_ATOMIC)
			dwords /= 2;
		insn_uses(i, i->dst, dwords);
	}
}

static void decode_mubuf(struct insn *i, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;
	unsigned int file = dw1 >> 23 & 1 ? OP_ACC : OP_VGPR;

	i->len = 8;
	i->glc = dw >> 14 & 1;
	if (r->fmt == MTBUF) {
		i->simm2 = dw >> 19 & 0x7f;
		i->scc = dw1 >> 21 & 1;
		i->slc = dw1 >> 22 & 1;
	} else {
		i->scc = dw >> 15 & 1;
		i->slc = dw >> 17 & 1;
	}
	if (r->flags & F_NOPERAND)
		return;
	i->simm = dw & 0xfff;
	i->offen = dw >> 12 & 1;
	i->idxen = dw >> 13 & 1;
	i->lds = r->fmt == MUBUF && dw >> 16 & 1;
	if (i->offen || i->idxen) {
		i->src[0] = (dw1 & 0xff) | OP_VGPR;
		insn_uses(i, i->src[0], i->offen + i->idxen);
	}
	i->src[2] = (dw1 >> 16 & 0x1f) << 2;
	i->soffset = dw1 >> 24;
	i->src[1] = (dw1 >> 8 & 0xff) + file;
	insn_uses(i, i->src[1], isa_type_dwords(r->dst));
	if (!(r->flags & (F_STORE | F_ATOMIC)) || (r->flags & F_ATOMIC && i->glc))
		i->dst = i->src[1];
}

/* Format and opcode of an encoding; ISA_FMTS when it is none of those known. */
static enum isa_fmt classify(u32 dw, unsigned int *op)
{
	if (dw >> 30 != 3)
		return isa_short_format(dw, op);
	switch (dw >> 26) {
	case 0x30:
		*op = dw >> 18 & 0xff;
		return SMEM;
	case 0x34:
		*op = dw >> 16 & 0x3ff;
		if (*op >> 7 != 7)
			return VOP3;
		*op &= 0x7f;
		return VOP3P;
	case 0x36:
		*op = dw >> 17 & 0xff;
		return DS;
	case 0x37:
		*op = dw >> 18 & 0x7f;
		switch (dw >> 14 & 3) {
		case 0:
			return FLAT;
		case 1:
			return SCRATCH;
		case 2:
			return GLOBAL;
		}
		break;
	case 0x38:
		*op = dw >> 18 & 0x7f;
		return MUBUF;
	case 0x3a:
		*op = dw >> 15 & 0xf;
		return MTBUF;
	}
	return ISA_FMTS;
}

static bool scalars_fit(const struct insn *i)
{
	const struct isa_row *r = i->row;

	for (unsigned int n = 0; n < 3; n++)
		if (!scalar_fits(i->src[n], isa_type_dwords(r->src[n])))
			return false;
	if (i->row->fmt >= MUBUF && !scalar_fits(i->src[2], 4))
		return false;
	if (r->flags & F_CI && !scalar_fits(i->src[2], 2))
		return false;
	if (i->dst >= MAX_SGPRS && i->dst < OP_VGPR)	/* constants are no destination */
		return false;
	return scalar_fits(i->dst, isa_type_dwords(r->dst)) &&
	       scalar_fits(i->sdst, 2) && scalar_fits(i->saddr, 2);
}

static int decode(struct insn *i, const u32 raw[INSN_DWORDS], const struct isa *isa)
{
	enum isa_fmt fmt;
	unsigned int op;

	pthread_once(&lookup_once, lookups_init);
	insn_begin(i, raw, isa);
	fmt = classify(raw[0], &op);
	if (insn_find(i, fmt, op))
		return -ENOENT;
	switch (fmt) {
	case SMEM:
		decode_smem(i, raw[0], raw[1]);
		break;
	case VOP1:
	case VOP2:
	case VOPC:
		decode_vop(i, fmt, raw[0], raw[1]);
		insn_finish(i);
		break;
	case VOP3:
		decode_vop3(i, raw[0], raw[1]);
		insn_finish(i);
		break;
	case VOP3P:
		decode_vop3p(i, raw[0], raw[1]);
		insn_finish(i);
		break;
	case DS:
		decode_ds(i, raw[0], raw[1]);
		insn_finish(i);
		break;
	case FLAT:
	case GLOBAL:
	case SCRATCH:
		decode_flat(i, fmt, raw[0], raw[1]);
		break;
	case MUBUF:
	case MTBUF:
		decode_mubuf(i, raw[0], raw[1]);
		break;
	default:
		decode_scalar(i, fmt, raw[0], raw[1]);
		for (unsigned int n = 0; n < 3; n++)
			insn_finish_scalar(i, n);
		break;
	}
	return scalars_fit(i) ? 0 : -EINVAL;
}
