// SPDX-License-Identifier: GPL-2.0
/*
 * Operands: scalar reads and writes, vector sources with their modifiers
 * (SDWA, DPP, abs, neg, op_sel), vector results under EXEC.
 */
#include "isa.h"

/* Operand numbers that are not registers (gfx9). */
#define OP_INT_0	128	/* 128..192: 0..64 */
#define OP_INT_NEG	193	/* 193..208: -1..-16 */
#define OP_SHARED_BASE	235
#define OP_PRIVATE_BASE	237
#define OP_FLOAT	240	/* 240..248: 0.5 -0.5 1 -1 2 -2 4 -4 1/(2*pi) */
#define OP_VCCZ		251
#define OP_EXECZ	252
#define OP_SCC		253

#define SEL_DWORD	6

static const u32 float32_const[9] = {
	0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
	0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983,
};

static const u16 float16_const[9] = {
	0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
};

static const u64 float64_const[9] = {
	0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
	0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882,
};

static u64 float_const(unsigned int n, enum isa_type t)
{
	switch (t) {
	case B16: case I16: case U16: case F16: case V2H: case V2I:
		return float16_const[n];
	case B64: case I64: case U64: case F64: case B256:	/* four doubles */
		return float64_const[n];
	default:
		return float32_const[n];
	}
}

static u64 literal(const struct insn *i, enum isa_type t)
{
	switch (t) {
	case F64:
		return (u64)i->literal << 32;
	case I64:
		return (s64)(s32)i->literal;
	default:
		return i->literal;
	}
}

bool constant(const struct insn *i, unsigned int op, enum isa_type t, u64 *v)
{
	if (op >= OP_INT_0 && op < OP_INT_NEG)
		*v = op - OP_INT_0;
	else if (op >= OP_INT_NEG && op < OP_INT_NEG + 16)
		*v = (s64)OP_INT_NEG - 1 - (s64)op;
	else if (op >= OP_FLOAT && op < OP_FLOAT + 9)
		*v = float_const(op - OP_FLOAT, t);
	else if (op == OP_LITERAL)
		*v = literal(i, t);
	else
		return false;
	return true;
}

/* Value of scalar operand @op; a 64-bit one when @t is. */
static u64 scalar(struct ctx *c, const struct insn *i, unsigned int op, enum isa_type t)
{
	const struct wave *w = c->w;
	bool wide = isa_type_dwords(t) >= 2;
	u64 v;

	if (op < MAX_SGPRS)
		return wide && op + 1 < MAX_SGPRS ? sgpr64(w, op) : w->sgpr[op];
	if (constant(i, op, t, &v))
		return v;
	switch (op) {
	/* Base in bits 63:32; the limits add a whole aperture of 4 GiB. */
	case OP_SHARED_BASE:
		return w->mem->shared_base;
	case OP_SHARED_BASE + 1:
		return w->mem->shared_base | 0xffffffff;
	case OP_PRIVATE_BASE:
		return w->mem->private_base;
	case OP_PRIVATE_BASE + 1:
		return w->mem->private_base | 0xffffffff;
	case OP_VCCZ:
		return !get_mask(w, SGPR_VCC);
	case OP_EXECZ:
		return !wave_exec(w);
	case OP_SCC:
		return w->scc;
	}
	return 0;
}

u32 scalar_value(struct ctx *c, const struct insn *i, unsigned int op)
{
	return scalar(c, i, op, B32);
}

u32 ssrc32_build(struct ctx *c, const struct insn *i, unsigned int n)
{
	return scalar(c, i, i->src[n], i->row->src[n]);
}

u64 ssrc64(struct ctx *c, const struct insn *i, unsigned int n)
{
	enum isa_type t = i->row->src[n];

	return scalar(c, i, i->src[n], t == NIL ? B64 : t);
}

#ifdef __AVX2__
void mask_expand(u32 out[LANES], u64 mask)
{
	for (unsigned int half = 0; half < LANES; half += 32, mask >>= 32)
		for (unsigned int l = 0; l < 32; l++)
			out[half + l] = (s32)((u32)mask << (31 - l)) >> 31;
}
#else
void mask_expand(u32 out[LANES], u64 mask)
{
	static const u32 nibble[16][4] = {
#define N(n) { -((n) & 1u), -((n) >> 1 & 1u), -((n) >> 2 & 1u), -((n) >> 3 & 1u) }
		N(0), N(1), N(2), N(3), N(4), N(5), N(6), N(7),
		N(8), N(9), N(10), N(11), N(12), N(13), N(14), N(15),
#undef N
	};

	for (unsigned int n = 0; n < LANES / 4; n++, mask >>= 4)
		memcpy(out + 4 * n, nibble[mask & 15], sizeof(nibble[0]));
}

#endif

/* EXEC as lane masks, remade only when EXEC changed. */
const u32 *lane_masks(struct ctx *c)
{
	u64 exec = wave_exec(c->w);

	if (exec != c->lane_exec) {
		mask_expand(c->lane_mask, exec);
		c->lane_exec = exec;
	}
	return c->lane_mask;
}

/*
 * The lane that lane @l reads under DPP control @ctrl, or -1 when there is
 * none. Rows are 16 lanes, banks 4. What only one family has, the others' decoders refuse.
 */
static int dpp_lane(unsigned int ctrl, unsigned int l)
{
	unsigned int row = l & ~15u, n = ctrl & 15;
	int s;

	if (ctrl & DPP8)
		return (l & ~7u) + (ctrl >> 3 * (l & 7) & 7);
	if (ctrl < 0x100)			/* quad_perm */
		return (l & ~3u) + (ctrl >> 2 * (l & 3) & 3);
	switch (ctrl & ~15u) {
	case 0x100:				/* row_shl */
		s = (int)(l & 15) + (int)n;
		return s < 16 ? (int)row + s : -1;
	case 0x110:				/* row_shr */
		s = (int)(l & 15) - (int)n;
		return s >= 0 ? (int)row + s : -1;
	case 0x120:				/* row_ror */
		return row + ((l - n) & 15);
	case 0x150:				/* row_newbcast (gfx90a), row_share (RDNA) */
		return row + n;
	case 0x160:				/* row_xmask (RDNA) */
		return l ^ n;
	}
	switch (ctrl) {
	case 0x130:				/* wave_shl */
		return l < 63 ? (int)l + 1 : -1;
	case 0x134:				/* wave_rol */
		return (l + 1) & 63;
	case 0x138:				/* wave_shr */
		return (int)l - 1;
	case 0x13c:				/* wave_ror */
		return (l - 1) & 63;
	case 0x140:				/* row_mirror */
		return row + (15 - (l & 15));
	case 0x141:				/* row_half_mirror */
		return (l & ~7u) + (7 - (l & 7));
	case 0x142:				/* row_bcast:15: last lane of the row before */
		return l >= 16 ? (int)row - 1 : -1;
	case 0x143:				/* row_bcast:31 */
		return l >= 32 ? 31 : -1;
	}
	return -1;
}

/*
 * A lane without a source (outside of the row, or EXEC off and not fetched) reads zero
 * with bound_ctrl, else it is not written; nor are rows and banks masked out.
 */
static void dpp_permute(struct ctx *c, const struct insn *i, u32 *v, u32 *hi)
{
	u64 exec = wave_exec(c->w), mask = 0;
	u32 in[2][LANES];

	memcpy(in[0], v, sizeof(in[0]));
	if (hi)
		memcpy(in[1], hi, sizeof(in[1]));
	LANE {
		int s = dpp_lane(i->dpp_ctrl, l);
		bool valid = s >= 0 && (i->fetch_inactive || exec >> s & 1);

		v[l] = valid ? in[0][s] : 0;
		if (hi)
			hi[l] = valid ? in[1][s] : 0;
		if ((valid || i->bound_ctrl) && i->row_mask >> l / 16 & 1 &&
		    i->bank_mask >> (l / 4 & 3) & 1)
			mask |= 1ull << l;
	}
	c->dpp_mask = mask;
}

static void sdwa_select(u32 *v, unsigned int sel, bool sext)
{
	unsigned int shift = sel < 4 ? 8 * sel : 16 * (sel & 1);
	unsigned int bits = sel < 4 ? 8 : 16;

	if (sel >= SEL_DWORD)
		return;
	LANE {
		u32 x = v[l] >> shift << (32 - bits);

		v[l] = sext ? (u32)((s32)x >> (32 - bits)) : x >> (32 - bits);
	}
}

/**
 * vsrc_build() - make a source operand that is not a plain register
 * @c:	context; tmp[n] takes the lanes
 * @i:	instruction
 * @n:	which source
 *
 * Return: the low dwords; the high ones of wide operands are in tmp[n][1].
 */
const u32 *vsrc_build(struct ctx *c, const struct insn *i, unsigned int n)
{
	enum isa_type t = source_type(i->row, n);
	bool wide = isa_type_dwords(t) >= 2;
	u32 *v = c->tmp[n][0], *hi = c->tmp[n][1];
	u32 sign = is_16bit(t) ? 0x8000 : 0x80000000;

	if (i->src[n] >= OP_VGPR) {
		memcpy(v, vreg(c, i->src[n]), sizeof(c->tmp[n][0]));
		if (wide)
			memcpy(hi, vreg(c, i->src[n] + 1), sizeof(c->tmp[n][1]));
	} else {
		u64 k = scalar(c, i, i->src[n], t);

		LANE
			v[l] = (u32)k;
		if (wide)
			LANE
				hi[l] = k >> 32;
	}
	if (is_dpp(i) && n == 0)
		dpp_permute(c, i, v, wide ? hi : NULL);
	if (i->enc == ENC_SDWA && n < 2)
		sdwa_select(v, i->sel[n], i->sext[n]);
	if (t == V2H || t == V2I || t == V2S || i->row->flags & F_HALVES)
		return v;			/* their modifiers go by halves */
	if (sign == 0x8000 && i->op_sel >> n & 1 && i->src[n] != OP_LITERAL)
		LANE
			v[l] >>= 16;
	if (i->abs >> n & 1) {
		u32 *top = wide ? hi : v;

		LANE
			top[l] &= ~sign;
	}
	if (i->neg >> n & 1) {
		u32 *top = wide ? hi : v;

		LANE
			top[l] ^= sign;
	}
	return v;
}

/* SDWA: put the result into its part of the register. */
static void sdwa_merge(const struct insn *i, u32 *v, const u32 *old)
{
	unsigned int sel = i->dst_sel;
	unsigned int shift = sel < 4 ? 8 * sel : 16 * (sel & 1);
	unsigned int bits = sel < 4 ? 8 : 16;
	u32 field = ((1u << bits) - 1) << shift;

	if (sel >= SEL_DWORD)
		return;
	LANE {
		u32 x = v[l] << shift & field;

		if (i->dst_unused == 1)		/* sign-extended above, zero below */
			v[l] = (u32)((s32)(v[l] << (32 - bits)) >> (32 - bits)) << shift;
		else if (i->dst_unused == 2)
			v[l] = (old[l] & ~field) | x;
		else
			v[l] = x;
	}
}

static inline void blend(struct ctx *c, const struct insn *i, unsigned int dwords, const u32 *m)
{
	for (unsigned int n = 0; n < dwords; n++) {
		u32 *d = vreg(c, i->dst + n);
		const u32 *v = c->out[n];

		VLANE
			d[l] = (v[l] & m[l]) | (d[l] & ~m[l]);
	}
}

/**
 * vput() - write results to the destination's active lanes
 * @c:		context; out[0..@dwords-1] holds the results
 * @i:		instruction
 * @dwords:	registers to write
 */
void vput(struct ctx *c, const struct insn *i, unsigned int dwords)
{
	u64 lanes = active_lanes(c, i);
	u32 built[LANES];
	const u32 *m;

	if (i->direct) {
		blend(c, i, dwords, lane_masks(c));
		return;
	}
	if (i->enc == ENC_SDWA) {
		sdwa_merge(i, c->out[0], vreg(c, i->dst));
	} else if (i->row->flags & F_KEEP16) {
		const u32 *old = vreg(c, i->dst);
		u32 *v = c->out[0];

		if (i->op_sel & 8)
			LANE
				v[l] = v[l] << 16 | (old[l] & 0xffff);
		else
			LANE
				v[l] = (v[l] & 0xffff) | (old[l] & 0xffff0000);
	}
	if (lanes == wave_exec(c->w)) {
		m = lane_masks(c);
	} else {
		mask_expand(built, lanes);
		m = built;
	}
	blend(c, i, dwords, m);
}
