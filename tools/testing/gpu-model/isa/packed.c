// SPDX-License-Identifier: GPL-2.0
/* Packed 16-bit integers (VOP3P): each half of the result chooses its halves. */
#include "isa.h"

#define SH(v)	((s32)(int16_t)(v))

/* Source @n for the high or low half of the result, as 16 bits a lane. */
static void half(struct ctx *c, const struct insn *i, unsigned int n, bool high, u32 *t)
{
	const u32 *v = vsrc(c, i, n);
	unsigned int shift = (high ? i->op_sel_hi : i->op_sel) >> n & 1 ? 16 : 0;

	LANE
		t[l] = v[l] >> shift & 0xffff;
}

static inline u32 sat(s32 v, s32 lo, s32 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* @expr of 16-bit a, b and x; @exact its value for saturation to [lo, hi]. */
#define PK(name, n, expr, exact, lo, hi) \
X(name) \
{ \
	u32 t[3][LANES], r[2][LANES]; \
 \
	for (unsigned int h = 0; h < 2; h++) { \
		half(c, i, 0, h, t[0]); \
		half(c, i, 1, h, t[1]); \
		if ((n) > 2) \
			half(c, i, 2, h, t[2]); \
		LANE { \
			u32 a = t[0][l], b = t[1][l], x = (n) > 2 ? t[2][l] : 0; \
 \
			(void)x; \
			r[h][l] = i->clamp ? sat((exact), (lo), (hi)) : (expr); \
		} \
	} \
	LANE \
		c->out[0][l] = (r[0][l] & 0xffff) | r[1][l] << 16; \
	vput(c, i, 1); \
	return WAVE_BUDGET; \
}

#define PK_U(name, n, expr, exact)	PK(name, n, expr, exact, 0, 0xffff)
#define PK_I(name, n, expr, exact)	PK(name, n, expr, exact, -0x8000, 0x7fff)

/* An unsigned product does not fit s32: anything above 16 bits saturates alike. */
static inline s32 mad_u16(u32 a, u32 b, u32 x)
{
	u32 r = a * b;

	return r > 0xffff ? 0x10000 : (s32)(r + x);
}

PK_I(x_v_pk_mad_i16, 3, (u32)(SH(a) * SH(b) + SH(x)), SH(a) * SH(b) + SH(x))
PK_U(x_v_pk_mad_u16, 3, a * b + x, mad_u16(a, b, x))
PK_U(x_v_pk_mul_lo_u16, 2, a * b, mad_u16(a, b, 0))
PK_I(x_v_pk_add_i16, 2, a + b, SH(a) + SH(b))
PK_I(x_v_pk_sub_i16, 2, a - b, SH(a) - SH(b))
PK_U(x_v_pk_add_u16, 2, a + b, (s32)(a + b))
PK_U(x_v_pk_sub_u16, 2, a - b, (s32)a - (s32)b)
PK_U(x_v_pk_lshlrev_b16, 2, b << (a & 15), (s32)(b << (a & 15) & 0xffff))
PK_U(x_v_pk_lshrrev_b16, 2, b >> (a & 15), (s32)(b >> (a & 15)))
PK_I(x_v_pk_ashrrev_i16, 2, (u32)(SH(b) >> (a & 15)), SH(b) >> (a & 15))
PK_I(x_v_pk_max_i16, 2, SH(a) > SH(b) ? a : b, SH(a) > SH(b) ? SH(a) : SH(b))
PK_I(x_v_pk_min_i16, 2, SH(a) < SH(b) ? a : b, SH(a) < SH(b) ? SH(a) : SH(b))
PK_U(x_v_pk_max_u16, 2, a > b ? a : b, (s32)(a > b ? a : b))
PK_U(x_v_pk_min_u16, 2, a < b ? a : b, (s32)(a < b ? a : b))
