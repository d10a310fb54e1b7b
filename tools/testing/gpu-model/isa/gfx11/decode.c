// SPDX-License-Identifier: GPL-2.0
/*
 * gfx1100: from dwords to struct insn, by the rows of table.def. Operand numbers become those
 * that the semantic functions know: M0 is 125 here and NULL 124, which is a zero as a source,
 * and as a destination a register that nothing reads.
 */
#include <errno.h>
#include <pthread.h>
#include "isa/decoder.h"
#include "gfx11.h"

#define I(fmt, op, name, fn, d, s0, s1, s2, flags, arg) \
	{ fmt, op, #name, FN_##fn, d, { s0, s1, s2 }, flags, arg },
static const struct isa_row rows[] = {
#include "table.def"
};
#undef I

/* VOP3 opcodes of the shorter formats' instructions. */
#define VOP3_VOP2	0x100
#define VOP3_VOP1	0x180

/* Every two that go together. */
static const struct isa_row dual = { VOPD, 0, "v_dual", FN_x_v_dual, NIL, { NIL }, 0, 0 };

#define OP_NULL		124
#define OP_M0		125
#define OP_ZERO		128
#define SRC_DPP8	233
#define SRC_DPP8_FI	234
#define SRC_DPP		250

static const struct isa_row *lookup[ISA_FMTS][1024];
static pthread_once_t lookup_once = PTHREAD_ONCE_INIT;

static int decode(struct insn *i, const u32 raw[INSN_DWORDS], const struct isa *isa);
static void half(const struct insn *i, bool y, u32 raw[INSN_DWORDS]);

#define GFX1100(n) { \
	.name = "gfx1100", \
	.rows = rows, .nrows = sizeof(rows) / sizeof(rows[0]), \
	.rdna = true, \
	.flat_scratch = true, \
	.sgprs = 106, \
	.mask_dwords = (n), \
	.lookup = lookup, \
	.decode = decode, \
	.print = gfx11_print, \
	.half = half, \
}

const struct isa isa_gfx1100 = GFX1100(1);
const struct isa isa_gfx1100_wave64 = GFX1100(2);

static void lookup_init(void)
{
	isa_lookup_init(&isa_gfx1100, VOP3_VOP2, VOP3_VOP1);
}

/* A source's number. */
static u16 source(unsigned int op)
{
	return op == OP_NULL ? OP_ZERO : op == OP_M0 ? SGPR_M0 : op;
}

/* A scalar destination's; that of none is refused later. */
static u16 sdst(unsigned int op)
{
	if (op >= MAX_SGPRS)
		return OP_LITERAL;
	return op == OP_NULL ? SGPR_SINK : op == OP_M0 ? SGPR_M0 : op;
}

/* A constant behind the @len bytes of the encoding. */
static void take_literal(struct insn *i, const u32 *raw, unsigned int len)
{
	i->literal = raw[len / 4];
	i->len = len + 4;
}

static void decode_scalar(struct insn *i, enum isa_fmt fmt, const u32 *raw)
{
	const struct isa_row *r = i->row;
	const u32 dw = raw[0];

	i->len = 4;
	i->simm = (int16_t)dw;
	if (r->dst)
		i->dst = sdst(dw >> 16 & 0x7f);
	if (r->flags & F_MSG) {
		i->simm = dw & 0xff;
		return;
	}
	switch (fmt) {
	case SOPP:
		return;
	case SOPK:
		if (r->src[0])
			i->src[0] = source(dw >> 16 & 0x7f);
		else if (!r->dst && r->flags & F_LAST)		/* s_setreg_imm32_b32 */
			take_literal(i, raw, 4);
		return;
	default:
		if (r->src[0])
			i->src[0] = source(dw & 0xff);
		if (r->src[1])
			i->src[1] = source(dw >> 8 & 0xff);
	}
	if (i->src[0] == OP_LITERAL || i->src[1] == OP_LITERAL)
		take_literal(i, raw, 4);
}

static void decode_smem(struct insn *i, u32 dw, u32 dw1)
{
	i->len = 8;
	i->glc = dw >> 14 & 1;
	if (i->row->flags & F_NOPERAND)
		return;
	i->src[0] = (dw & 0x3f) << 1;
	i->dst = sdst(dw >> 6 & 0x7f);
	i->simm = (s32)(dw1 << 11) >> 11;
	if (dw1 >> 25 != OP_NULL)
		i->soffset = source(dw1 >> 25);
}

/* Those with operands of 64 bits, with a literal, and packed ones have no DPP form. */
bool gfx11_has_dpp(const struct isa_row *r)
{
	if (!r->src[0] || r->flags & (F_NODPP | F_MK | F_AK))
		return false;
	for (unsigned int n = 0; n < 3; n++)
		if (isa_type_dwords(r->src[n]) > 1)
			return false;
	return r->fmt == VOPC || isa_type_dwords(r->dst) <= 1;
}

/* Controls that there are: no shift by 0, nothing from one row to another. */
static bool dpp_defined(unsigned int ctrl)
{
	if (ctrl < 0x100 || ctrl == 0x140 || ctrl == 0x141)
		return true;
	return (ctrl > 0x100 && ctrl < 0x130 && ctrl & 15) || (ctrl >= 0x150 && ctrl < 0x170);
}

/* @dw, behind @len bytes of the encoding, which source 0 stands for. */
static void decode_dpp(struct insn *i, u32 dw, unsigned int len)
{
	bool dpp8 = i->src[0] != SRC_DPP;

	i->len = len + 4;
	i->enc = i->enc == ENC_VOP3 ? ENC_VOP3_DPP : ENC_DPP;
	if (dpp8) {
		i->fetch_inactive = i->src[0] == SRC_DPP8_FI;
		i->dpp_ctrl = dw >> 8 | DPP8;
		i->bound_ctrl = true;
		i->row_mask = i->bank_mask = 0xf;
	} else {
		i->dpp_ctrl = dw >> 8 & 0x1ff;
		i->fetch_inactive = dw >> 18 & 1;
		i->bound_ctrl = dw >> 19 & 1;
		i->bank_mask = dw >> 24 & 0xf;
		i->row_mask = dw >> 28;
		if (i->enc == ENC_DPP) {
			i->neg = (dw >> 20 & 1) | (dw >> 21 & 2);
			i->abs = (dw >> 21 & 1) | (dw >> 22 & 2);
		}
	}
	i->src[0] = (dw & 0xff) | OP_VGPR;
	if (!gfx11_has_dpp(i->row) || !(dpp8 || dpp_defined(i->dpp_ctrl)))
		i->what = FN_x_unsupported;
}

static bool names_dpp(unsigned int op)
{
	return op == SRC_DPP || op == SRC_DPP8 || op == SRC_DPP8_FI;
}

/* VOPC writes VCC, its cmpx instructions EXEC alone. */
static u16 compare_dst(const struct insn *i, unsigned int op)
{
	return i->row->arg & CMPX ? SGPR_EXEC : sdst(op);
}

/*
 * Operands of 16 bits in the short encodings are halves of the first 128 registers: bit 7 of
 * the number says which.
 */
static void take_halves(struct insn *i)
{
	const struct isa_row *r = i->row;

	for (unsigned int n = 0; n < 3; n++)
		if (is_16bit(r->src[n]) && i->src[n] != OP_NONE && i->src[n] >= OP_VGPR + 128) {
			i->src[n] -= 128;
			i->op_sel |= 1u << n;
		}
	if (is_16bit(r->dst) && i->dst >= OP_VGPR + 128) {
		i->dst -= 128;
		i->op_sel |= r->flags & F_DACC ? 8 | 4 : 8;
	}
}

static void decode_vop(struct insn *i, enum isa_fmt fmt, const u32 *raw)
{
	const struct isa_row *r = i->row;
	const u32 dw = raw[0];
	unsigned int vsrc1 = (dw >> 9 & 0xff) | OP_VGPR;

	i->len = 4;
	if (r->src[0])
		i->src[0] = source(dw & 0x1ff);
	if (fmt == VOPC)
		i->dst = compare_dst(i, SGPR_VCC);
	else if (r->flags & F_SDST)
		i->dst = sdst(dw >> 17 & 0xff);
	else if (r->dst)
		i->dst = (dw >> 17 & 0xff) | OP_VGPR;
	if (fmt != VOP1)
		i->src[1] = vsrc1;
	if (r->flags & F_MK) {
		i->src[1] = OP_LITERAL;
		i->src[2] = vsrc1;
	} else if (r->flags & F_AK) {
		i->src[2] = OP_LITERAL;
	}
	if (r->flags & F_CO)
		i->sdst = SGPR_VCC;
	if (r->flags & F_CI)
		i->src[2] = SGPR_VCC;
	if (names_dpp(i->src[0]))
		decode_dpp(i, raw[1], 4);
	else if (i->src[0] == OP_LITERAL || r->flags & (F_MK | F_AK))
		take_literal(i, raw, 4);
	take_halves(i);
}

/* Modifiers of VOP3 and VOP3P. */
static void decode_modifiers(struct insn *i, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;

	if (r->fmt == VOP3P) {
		insn_packed(i, dw, dw1);
		return;
	}
	i->clamp = dw >> 15 & 1;
	i->omod = dw1 >> 27 & 3;
	i->neg = dw1 >> 29;
	if (r->flags & F_CO) {
		i->sdst = sdst(dw >> 8 & 0x7f);
		return;
	}
	i->abs = dw >> 8 & 7;
	i->op_sel = dw >> 11 & 0xf;
	if (r->flags & F_DACC)
		i->op_sel = (i->op_sel & ~4u) | (i->op_sel >> 1 & 4);
}

static void decode_vop3(struct insn *i, const u32 *raw)
{
	const struct isa_row *r = i->row;
	const u32 dw = raw[0], dw1 = raw[1];
	bool literal = false;

	i->enc = ENC_VOP3;
	i->len = 8;
	if (r->fmt == VOPC)
		i->dst = compare_dst(i, dw & 0xff);
	else if (r->flags & F_SDST)
		i->dst = sdst(dw & 0xff);
	else if (r->dst)
		i->dst = (dw & 0xff) | OP_VGPR;
	for (unsigned int n = 0; n < 3; n++) {
		if (!r->src[n] && !(n == 2 && r->flags & F_CI))
			continue;
		i->src[n] = source(dw1 >> 9 * n & 0x1ff);
		literal |= i->src[n] == OP_LITERAL;
	}
	decode_modifiers(i, dw, dw1);
	if (literal)
		take_literal(i, raw, 8);
	if (names_dpp(i->src[0])) {
		decode_dpp(i, raw[2], 8);
		if (literal)
			i->what = FN_x_unsupported;
	}
}

static void decode_ds(struct insn *i, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;

	i->len = 8;
	i->gds = dw >> 17 & 1;
	if (r->flags & F_OFF2) {
		i->simm = dw & 0xff;
		i->simm2 = dw >> 8 & 0xff;
	} else {
		i->simm = dw & 0xffff;
	}
	for (unsigned int n = 0; n < 3; n++)
		if (r->src[n])
			i->src[n] = (dw1 >> 8 * n & 0xff) | OP_VGPR;
	if (r->dst)
		i->dst = dw1 >> 24 | OP_VGPR;
	if (i->gds)
		i->what = FN_x_unsupported;
}

static void decode_flat(struct insn *i, enum isa_fmt fmt, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;
	unsigned int dwords = isa_type_dwords(r->dst), saddr = dw1 >> 16 & 0x7f, addr;

	i->len = 8;
	i->simm = fmt == FLAT ? (s32)(dw & 0xfff) : (s32)(dw << 19) >> 19;
	i->glc = dw >> 14 & 1;
	i->slc = dw >> 15 & 1;
	if (saddr != OP_NULL)
		i->saddr = source(saddr);
	addr = fmt == SCRATCH ? dw1 >> 23 & 1 : r->flags & F_ADDTID ? 0 : i->saddr == OP_NONE ? 2 : 1;
	if (addr)
		i->src[0] = (dw1 & 0xff) | OP_VGPR;
	insn_uses(i, i->src[0], addr);
	if (r->flags & (F_STORE | F_ATOMIC)) {
		i->src[1] = (dw1 >> 8 & 0xff) | OP_VGPR;
		insn_uses(i, i->src[1], dwords);
	}
	if (r->flags & F_STORE || (r->flags & F_ATOMIC && !i->glc))
		return;
	i->dst = dw1 >> 24 | OP_VGPR;
	if ((r->arg & 0xff) == A_CMPSWAP && r->flags & F_ATOMIC)
		dwords /= 2;
	insn_uses(i, i->dst, dwords);
}

/*
 * Two instructions on vector registers, each with a number of its own here. The registers
 * that they write are an even and an odd one.
 */
static void half(const struct insn *i, bool y, u32 raw[INSN_DWORDS])
{
	static const u8 vop2[32] = {
		0x2b, 0x2d, 0x2c, 0x08, 0x03, 0x04, 0x05, 0x07, 0, 0x01, 0x10, 0x0f, 0x02, 0, 0, 0,
		0x25, 0x18, 0x1b,
	};
	const u32 dw = i->raw[0], dw1 = i->raw[1], from = y ? dw1 : dw;
	unsigned int op = y ? dw >> 17 & 0x1f : dw >> 22 & 0xf, dst = dw1 >> 24;

	if (y)
		dst = (dw1 >> 17 & 0x7f) << 1 | !(dst & 1);
	if (op == 8)			/* v_mov_b32 */
		raw[0] = 0x3fu << 25 | dst << 17 | 1 << 9 | (from & 0x1ff);
	else
		raw[0] = (u32)vop2[op] << 25 | dst << 17 | (from & 0x1ffff);
	raw[1] = i->literal;
	raw[2] = 0;
}

static int decode_dual(struct insn *i, const u32 *raw)
{
	struct insn h;
	u32 code[INSN_DWORDS];

	i->row = &dual;
	i->what = FN_x_v_dual;
	i->len = 8;
	i->literal = raw[2];
	for (unsigned int y = 0; y < 2; y++) {
		half(i, y, code);
		if (!(code[0] >> 25) || decode(&h, code, i->isa) || h.enc != ENC_BASE)
			i->what = FN_x_unsupported;
		else if (h.vmax > i->vmax)
			i->vmax = h.vmax;
		if (h.len > 4)
			i->len = 12;
	}
	return 0;
}

static void decode_mubuf(struct insn *i, u32 dw, u32 dw1)
{
	const struct isa_row *r = i->row;

	i->len = 8;
	i->glc = dw >> 14 & 1;
	i->slc = dw >> 12 & 1;
	if (r->flags & F_NOPERAND)
		return;
	i->simm = dw & 0xfff;
	i->offen = dw1 >> 22 & 1;
	i->idxen = dw1 >> 23 & 1;
	if (i->offen || i->idxen) {
		i->src[0] = (dw1 & 0xff) | OP_VGPR;
		insn_uses(i, i->src[0], i->offen + i->idxen);
	}
	i->src[2] = (dw1 >> 16 & 0x1f) << 2;
	i->soffset = source(dw1 >> 24);
	i->src[1] = (dw1 >> 8 & 0xff) | OP_VGPR;
	insn_uses(i, i->src[1], isa_type_dwords(r->dst));
	if (!(r->flags & (F_STORE | F_ATOMIC)) || (r->flags & F_ATOMIC && i->glc))
		i->dst = i->src[1];
	if (dw1 >> 21 & 1)		/* texture fail */
		i->what = FN_x_unsupported;
}

/* Format and opcode of an encoding; ISA_FMTS when it is none of those known. */
static enum isa_fmt classify(u32 dw, unsigned int *op)
{
	if (dw >> 30 != 3)
		return isa_short_format(dw, op);
	*op = dw >> 18 & 0xff;
	switch (dw >> 26) {
	case 0x33:
		*op = dw >> 16 & 0x7f;
		return VOP3P;
	case 0x35:
		*op = dw >> 16 & 0x3ff;
		return VOP3;
	case 0x36:
		return DS;
	case 0x37:
		*op &= 0x7f;
		switch (dw >> 16 & 3) {
		case 0:
			return FLAT;
		case 1:
			return SCRATCH;
		case 2:
			return GLOBAL;
		}
		break;
	case 0x38:
		return MUBUF;
	case 0x3d:
		return SMEM;
	}
	return ISA_FMTS;
}

static bool dst_fits(unsigned int op, unsigned int dwords)
{
	return op == SGPR_SINK ? dwords <= 2 : scalar_fits(op, dwords) && (op < MAX_SGPRS || op >= OP_VGPR);
}

/* Numbers of sources that stand for nothing. */
static bool reserved(unsigned int op)
{
	return (op > 208 && op < 235) || op == 239 || (op > 248 && op < 251) || op == 254;
}

/* Are scalar operands what they may be, and inside the register file? */
static bool scalars_fit(const struct insn *i)
{
	const struct isa_row *r = i->row;

	for (unsigned int n = 0; n < 3; n++)
		if (!scalar_fits(i->src[n], isa_type_dwords(r->src[n])) || reserved(i->src[n]))
			return false;
	if (r->fmt == MUBUF && (!scalar_fits(i->src[2], 4) || i->soffset == OP_LITERAL))
		return false;
	if (i->saddr != OP_NONE &&
	    (r->fmt == FLAT || i->saddr + (r->fmt == SCRATCH ? 1 : 2) > MAX_SGPRS))
		return false;
	return dst_fits(i->dst, isa_type_dwords(r->dst)) && dst_fits(i->sdst, 1);
}

static int decode(struct insn *i, const u32 raw[INSN_DWORDS], const struct isa *isa)
{
	enum isa_fmt fmt;
	unsigned int op;

	pthread_once(&lookup_once, lookup_init);
	insn_begin(i, raw, isa);
	if (raw[0] >> 26 == 0x32)
		return decode_dual(i, raw);
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
		decode_vop(i, fmt, raw);
		insn_finish(i);
		break;
	case VOP3:
	case VOP3P:
		decode_vop3(i, raw);
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
		decode_mubuf(i, raw[0], raw[1]);
		break;
	default:
		decode_scalar(i, fmt, raw);
		for (unsigned int n = 0; n < 3; n++)
			insn_finish_scalar(i, n);
		break;
	}
	return scalars_fit(i) ? 0 : -EINVAL;
}
