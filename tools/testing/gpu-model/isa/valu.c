// SPDX-License-Identifier: GPL-2.0
/* Vector instructions on integers and bits, and those that cross lanes. */
#include "isa.h"

/*
 * One result dword a lane, from sources a, b and x (32 bits each; 16-bit
 * operations ignore what is above). These loops vectorise. Most instructions have
 * nothing but registers and scalars, and all lanes: those need no call.
 */
#define V1(name, expr) \
static NOINLINE X(name##_any) \
{ \
	const u32 *s0 = vsrc(c, i, 0); \
	u32 *d = vdst(c, i); \
 \
	VLANE { \
		u32 a = s0[l]; \
 \
		d[l] = (expr); \
	} \
	vdone(c, i, d); \
	return WAVE_BUDGET; \
} \
 \
X(name) \
{ \
	const u32 *s0; \
	u32 *d; \
 \
	if (!in_place(c, i)) \
		return name##_any(c, i); \
	s0 = in_place_src(c, i, 0); \
	d = vreg(c, i->dst); \
	VLANE { \
		u32 a = s0[l]; \
 \
		d[l] = (expr); \
	} \
	return WAVE_BUDGET; \
}

/* A source that is the same for all lanes, as many are, needs no register. */
#define V2(name, expr)	V2_SAT(name, expr, expr)

#define V2_SAT(name, expr, saturated) \
static NOINLINE X(name##_any) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1); \
	u32 *d = vdst(c, i); \
 \
	if (i->simple && !REFERENCE) { \
		const u32 *m = lane_masks(c); \
 \
		d = vreg(c, i->dst); \
		VLANE { \
			u32 a = s0[l], b = s1[l]; \
 \
			d[l] = ((expr) & m[l]) | (d[l] & ~m[l]); \
		} \
		return WAVE_BUDGET; \
	} \
	if (i->clamp) \
		VLANE { \
			u32 a = s0[l], b = s1[l]; \
 \
			d[l] = (saturated); \
		} \
	else \
		VLANE { \
			u32 a = s0[l], b = s1[l]; \
 \
			d[l] = (expr); \
		} \
	vdone(c, i, d); \
	return WAVE_BUDGET; \
} \
 \
X(name) \
{ \
	const u32 *s0, *s1; \
	u32 *d; \
 \
	if (!in_place(c, i)) \
		return name##_any(c, i); \
	d = vreg(c, i->dst); \
	if (i->plain & 2) { \
		s1 = vreg(c, i->src[1]); \
		if (i->plain & 1) { \
			s0 = vreg(c, i->src[0]); \
			VLANE { \
				u32 a = s0[l], b = s1[l]; \
 \
				d[l] = (expr); \
			} \
		} else { \
			u32 a = uniform(c, i, 0); \
 \
			VLANE { \
				u32 b = s1[l]; \
 \
				d[l] = (expr); \
			} \
		} \
	} else { \
		u32 b = uniform(c, i, 1); \
 \
		s0 = in_place_src(c, i, 0); \
		VLANE { \
			u32 a = s0[l]; \
 \
			d[l] = (expr); \
		} \
	} \
	return WAVE_BUDGET; \
}

#define V3(name, expr)	V3_SAT(name, expr, expr)

#define V3_SAT(name, expr, saturated) \
static NOINLINE X(name##_any) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2); \
	u32 *d = vdst(c, i); \
 \
	if (i->simple && !REFERENCE) { \
		const u32 *m = lane_masks(c); \
 \
		d = vreg(c, i->dst); \
		VLANE { \
			u32 a = s0[l], b = s1[l], x = s2[l]; \
 \
			d[l] = ((expr) & m[l]) | (d[l] & ~m[l]); \
		} \
		return WAVE_BUDGET; \
	} \
	if (i->clamp) \
		VLANE { \
			u32 a = s0[l], b = s1[l], x = s2[l]; \
 \
			d[l] = (saturated); \
		} \
	else \
		VLANE { \
			u32 a = s0[l], b = s1[l], x = s2[l]; \
 \
			d[l] = (expr); \
		} \
	vdone(c, i, d); \
	return WAVE_BUDGET; \
} \
 \
X(name) \
{ \
	const u32 *s0, *s1, *s2; \
	u32 *d; \
 \
	if (!in_place(c, i)) \
		return name##_any(c, i); \
	s0 = in_place_src(c, i, 0); \
	s1 = in_place_src(c, i, 1); \
	s2 = in_place_src(c, i, 2); \
	d = vreg(c, i->dst); \
	VLANE { \
		u32 a = s0[l], b = s1[l], x = s2[l]; \
 \
		d[l] = (expr); \
	} \
	return WAVE_BUDGET; \
}

/* With the clamp bit the result saturates to [lo, hi]; @wide is the exact result. */
#define V_CLAMP(V, name, expr, wide, lo, hi) \
V##_SAT(name, expr, saturate((wide), (lo), (hi)))

static inline u32 saturate(s64 v, s64 lo, s64 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

#define S(v)	((s32)(v))
#define H(v)	((u32)(u16)(v))
#define SH(v)	((s32)(int16_t)(v))
#define U32_LO	0
#define U32_HI	0xffffffffll
#define S32_LO	(-0x80000000ll)
#define S32_HI	0x7fffffffll

V1(x_v_mov_b32, a)

X(x_v_mov_b64)
{
	const u32 *lo = vsrc(c, i, 0), *hi = vsrc_hi(c, i, 0);
	u32 *d = vdst(c, i), *dh = vdst_hi(c, i, d);

	VLANE {
		d[l] = lo[l];
		dh[l] = hi[l];
	}
	vdone64(c, i, d);
	return WAVE_BUDGET;
}

X(x_v_accvgpr_mov_b32)
{
	return x_v_mov_b32(c, i);
}

X(x_v_swap_b32)
{
	const u32 *m = lane_masks(c);
	u32 *a, *b;

	if (i->src[0] < OP_VGPR || i->enc != ENC_BASE)
		return x_unsupported(c, i);
	a = vreg(c, i->dst);
	b = vreg(c, i->src[0]);
	LANE {
		u32 t = (a[l] ^ b[l]) & m[l];

		a[l] ^= t;
		if (a != b)
			b[l] ^= t;
	}
	return WAVE_BUDGET;
}

V1(x_v_not_b32, ~a)
V2(x_v_and_b32, a & b)
V2(x_v_or_b32, a | b)
V2(x_v_xor_b32, a ^ b)
V2(x_v_xnor_b32, ~(a ^ b))
V2(x_v_lshlrev_b32, b << (a & 31))
V2(x_v_lshrrev_b32, b >> (a & 31))
V2(x_v_ashrrev_i32, S(b) >> (a & 31))
V3(x_v_and_or_b32, (a & b) | x)
V3(x_v_or3_b32, a | b | x)
V3(x_v_lshl_or_b32, a << (b & 31) | x)
V3(x_v_lshl_add_u32, (a << (b & 31)) + x)
V3(x_v_add_lshl_u32, (a + b) << (x & 31))
V3(x_v_add3_u32, a + b + x)
V3(x_v_xad_u32, (a ^ b) + x)
V3(x_v_bfi_b32, (a & b) | (~a & x))
V2(x_v_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31))

static inline u32 bfe_u32(u32 a, u32 off, u32 width)
{
	off &= 31;
	width &= 31;
	return a >> off & ((1u << width) - 1);
}

static inline u32 bfe_i32(u32 a, u32 off, u32 width)
{
	off &= 31;
	width &= 31;
	if (!width)
		return 0;
	if (off + width >= 32)
		return (s32)a >> off;
	return (s32)(a << (32 - off - width)) >> (32 - width);
}

V3(x_v_bfe_u32, bfe_u32(a, b, x))
V3(x_v_bfe_i32, bfe_i32(a, b, x))
V3(x_v_alignbit_b32, join(b, a) >> (x & 31))
V3(x_v_alignbyte_b32, join(b, a) >> 8 * (x & 3))

static inline u32 reverse_bits(u32 v)
{
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(v);
}

V1(x_v_bfrev_b32, reverse_bits(a))
V1(x_v_ffbh_u32, a ? (u32)__builtin_clz(a) : -1u)
V1(x_v_ffbl_b32, a ? (u32)__builtin_ctz(a) : -1u)
V1(x_v_ffbh_i32, S(a) < 0 ? (~a ? (u32)__builtin_clz(~a) : -1u) :
		 a ? (u32)__builtin_clz(a) : -1u)
V2(x_v_bcnt_u32_b32, (u32)__builtin_popcount(a) + b)

/* Byte selectors: 0-3 second source, 4-7 first, 8-11 signs, 12 zero, above all ones. */
static inline u32 perm(u32 a, u32 b, u32 sel)
{
	u64 v = join(b, a);
	u32 r = 0;

	for (unsigned int n = 0; n < 4; n++) {
		u32 s = sel >> 8 * n & 0xff, byte;

		if (s < 8)
			byte = v >> 8 * s & 0xff;
		else if (s < 12)
			byte = v >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
		else
			byte = s == 12 ? 0 : 0xff;
		r |= byte << 8 * n;
	}
	return r;
}

V3(x_v_perm_b32, perm(a, b, x))

/* Addition, multiplication. */
V_CLAMP(V2, x_v_add_u32, a + b, (s64)a + b, U32_LO, U32_HI)
V_CLAMP(V2, x_v_sub_u32, a - b, (s64)a - b, U32_LO, U32_HI)
V_CLAMP(V2, x_v_subrev_u32, b - a, (s64)b - a, U32_LO, U32_HI)
V_CLAMP(V2, x_v_add_i32, a + b, (s64)S(a) + S(b), S32_LO, S32_HI)
V_CLAMP(V2, x_v_sub_i32, a - b, (s64)S(a) - S(b), S32_LO, S32_HI)
V2(x_v_mul_lo_u32, a * b)
V2(x_v_mul_hi_u32, (u64)a * b >> 32)
V2(x_v_mul_hi_i32, (s64)S(a) * S(b) >> 32)

#define U24(v)	((v) & 0xffffff)
#define S24(v)	((s64)((s32)((v) << 8) >> 8))
V2(x_v_mul_u32_u24, U24(a) * U24(b))
V2(x_v_mul_hi_u32_u24, (u64)U24(a) * U24(b) >> 32)
V2(x_v_mul_i32_i24, (u64)(S24(a) * S24(b)))
V2(x_v_mul_hi_i32_i24, S24(a) * S24(b) >> 32)
V_CLAMP(V3, x_v_mad_u32_u24, U24(a) * U24(b) + x, (s64)((u64)U24(a) * U24(b) + x),
	U32_LO, U32_HI)
V_CLAMP(V3, x_v_mad_i32_i24, (u64)(S24(a) * S24(b)) + x, S24(a) * S24(b) + S(x),
	S32_LO, S32_HI)
V_CLAMP(V3, x_v_mad_u32_u16, H(a) * H(b) + x, (s64)H(a) * H(b) + x, U32_LO, U32_HI)
V_CLAMP(V3, x_v_mad_i32_i16, (u32)(SH(a) * SH(b)) + x, (s64)SH(a) * SH(b) + S(x),
	S32_LO, S32_HI)

V2(x_v_min_u32, a < b ? a : b)
V2(x_v_max_u32, a > b ? a : b)
V2(x_v_min_i32, S(a) < S(b) ? a : b)
V2(x_v_max_i32, S(a) > S(b) ? a : b)

#define MIN3(T)	(T(a) < T(b) ? (T(a) < T(x) ? a : x) : (T(b) < T(x) ? b : x))
#define MAX3(T)	(T(a) > T(b) ? (T(a) > T(x) ? a : x) : (T(b) > T(x) ? b : x))
#define MED3(T)	(T(a) < T(b) ? (T(b) < T(x) ? b : T(a) < T(x) ? x : a) : \
			       (T(a) < T(x) ? a : T(b) < T(x) ? x : b))
V3(x_v_min3_u32, MIN3())
V3(x_v_max3_u32, MAX3())
V3(x_v_med3_u32, MED3())
V3(x_v_min3_i32, MIN3(S))
V3(x_v_max3_i32, MAX3(S))
V3(x_v_med3_i32, MED3(S))

static inline u32 sad8(u32 a, u32 b, u32 sum, bool masked)
{
	for (unsigned int n = 0; n < 32; n += 8) {
		s32 p = a >> n & 0xff, q = b >> n & 0xff;

		if (!masked || q)
			sum += p > q ? p - q : q - p;
	}
	return sum;
}

static inline u32 absdiff(u32 a, u32 b)
{
	return a > b ? a - b : b - a;
}

V_CLAMP(V3, x_v_sad_u8, sad8(a, b, x, false), (s64)x + sad8(a, b, 0, false), U32_LO, U32_HI)
V_CLAMP(V3, x_v_sad_hi_u8, (sad8(a, b, 0, false) << 16) + x,
	(s64)x + (sad8(a, b, 0, false) << 16), U32_LO, U32_HI)
V_CLAMP(V3, x_v_sad_u16, absdiff(H(a), H(b)) + absdiff(a >> 16, b >> 16) + x,
	(s64)absdiff(H(a), H(b)) + absdiff(a >> 16, b >> 16) + x, U32_LO, U32_HI)
V_CLAMP(V3, x_v_sad_u32, absdiff(a, b) + x, (s64)absdiff(a, b) + x, U32_LO, U32_HI)
V_CLAMP(V3, x_v_msad_u8, sad8(a, b, x, true), (s64)x + sad8(a, b, 0, true), U32_LO, U32_HI)

/* Four sums of differences, at byte offsets 0 to 3 of 64 bits, added to 16-bit parts. */
static enum wave_stop qsad16(struct ctx *c, const struct insn *i, bool masked)
{
	const u32 *lo = vsrc(c, i, 0), *hi = vsrc_hi(c, i, 0), *ref = vsrc(c, i, 1);
	const u32 *add = vsrc(c, i, 2), *add_hi = vsrc_hi(c, i, 2);

	LANE {
		u64 a = join(lo[l], hi[l]), x = join(add[l], add_hi[l]), r = 0;

		for (unsigned int n = 0; n < 4; n++) {
			u32 sum = sad8(a >> 8 * n, ref[l], x >> 16 * n & 0xffff, masked);

			if (i->clamp && sum > 0xffff)
				sum = 0xffff;
			r |= (u64)(sum & 0xffff) << 16 * n;
		}
		c->out[0][l] = r;
		c->out[1][l] = r >> 32;
	}
	vput(c, i, 2);
	return WAVE_BUDGET;
}

X(x_v_qsad_pk_u16_u8)
{
	return qsad16(c, i, false);
}

X(x_v_mqsad_pk_u16_u8)
{
	return qsad16(c, i, true);
}

/* The same with 32-bit sums. */
X(x_v_mqsad_u32_u8)
{
	const u32 *lo = vsrc(c, i, 0), *hi = vsrc_hi(c, i, 0), *ref = vsrc(c, i, 1);

	if (i->src[2] < OP_VGPR)
		return x_unsupported(c, i);
	for (unsigned int n = 0; n < 4; n++) {
		const u32 *add = vreg(c, i->src[2] + n);

		LANE {
			u64 a = join(lo[l], hi[l]);

			c->out[n][l] = sad8(a >> 8 * n, ref[l], add[l], true);
		}
	}
	vput(c, i, 4);
	return WAVE_BUDGET;
}

/* Rounded average of each byte; the third source's low bits choose the rounding. */
static inline u32 lerp(u32 a, u32 b, u32 x)
{
	u32 r = 0;

	for (unsigned int n = 0; n < 32; n += 8)
		r |= (((a >> n & 0xff) + (b >> n & 0xff) + (x >> n & 1)) >> 1) << n;
	return r;
}

V3(x_v_lerp_u8, lerp(a, b, x))

static inline u32 pk_u16(u32 a, u32 b)
{
	return (a > 0xffff ? 0xffff : a) | (b > 0xffff ? 0xffff : b) << 16;
}

V2(x_v_cvt_pk_u16_u32, pk_u16(a, b))
V2(x_v_cvt_pk_i16_i32, H(saturate(S(a), -0x8000, 0x7fff)) |
		       saturate(S(b), -0x8000, 0x7fff) << 16)
V1(x_v_sat_pk_u8_i16, saturate(SH(a), 0, 255) | saturate(SH(a >> 16), 0, 255) << 8)

/* 16 bits: the result's upper half is zero on gfx9. */
V_CLAMP(V2, x_v_add_u16, H(a + b), (s64)H(a) + H(b), 0, 0xffff)
V_CLAMP(V2, x_v_sub_u16, H(a - b), (s64)H(a) - H(b), 0, 0xffff)
V_CLAMP(V2, x_v_subrev_u16, H(b - a), (s64)H(b) - H(a), 0, 0xffff)
V_CLAMP(V2, x_v_add_i16, H(a + b), H(saturate((s64)SH(a) + SH(b), -0x8000, 0x7fff)),
	0, 0xffff)
V_CLAMP(V2, x_v_sub_i16, H(a - b), H(saturate((s64)SH(a) - SH(b), -0x8000, 0x7fff)),
	0, 0xffff)
V2(x_v_mul_lo_u16, H(H(a) * H(b)))
V2(x_v_lshlrev_b16, H(H(b) << (a & 15)))
V2(x_v_lshrrev_b16, H(b) >> (a & 15))
V2(x_v_ashrrev_i16, H(SH(b) >> (a & 15)))
V2(x_v_min_u16, H(a) < H(b) ? H(a) : H(b))
V2(x_v_max_u16, H(a) > H(b) ? H(a) : H(b))
V2(x_v_min_i16, SH(a) < SH(b) ? H(a) : H(b))
V2(x_v_max_i16, SH(a) > SH(b) ? H(a) : H(b))
V3(x_v_min3_u16, H(MIN3(H)))
V3(x_v_max3_u16, H(MAX3(H)))
V3(x_v_med3_u16, H(MED3(H)))
V3(x_v_min3_i16, H(MIN3(SH)))
V3(x_v_max3_i16, H(MAX3(SH)))
V3(x_v_med3_i16, H(MED3(SH)))
V_CLAMP(V3, x_v_mad_u16, H(H(a) * H(b) + H(x)), (s64)H(a) * H(b) + H(x), 0, 0xffff)
V_CLAMP(V3, x_v_mad_i16, H(SH(a) * SH(b) + SH(x)),
	H(saturate((s64)SH(a) * SH(b) + SH(x), -0x8000, 0x7fff)), 0, 0xffff)

V1(x_v_cvt_i32_i16, SH(a))
V1(x_v_cvt_u32_u16, H(a))

X(x_v_mad_legacy_u16)
{
	return x_v_mad_u16(c, i);
}

X(x_v_mad_legacy_i16)
{
	return x_v_mad_i16(c, i);
}

/* Carry: bits of inactive lanes in the mask are zero. Last, since it may go to EXEC. */
static void put_carry(struct ctx *c, const struct insn *i, const u32 carry[LANES])
{
	set_mask(c->w, i->sdst, mask_pack(carry) & active_lanes(c, i));
}

#define V_CARRY(name, result, carry_out) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1); \
	u32 *d = vdst(c, i), out[LANES]; \
 \
	VLANE { \
		u32 a = s0[l], b = s1[l]; \
 \
		out[l] = -(u32)(carry_out); \
		d[l] = (result); \
	} \
	if (i->clamp) \
		clamp_carry(d, out, result_is_sum_##name); \
	vdone(c, i, d); \
	put_carry(c, i, out); \
	return WAVE_BUDGET; \
}

#define V_CARRY_IN(name, result, carry_out) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1); \
	u32 in[LANES], out[LANES], *d = vdst(c, i); \
 \
	mask_expand(in, carry_in(c, i)); \
	VLANE { \
		u32 a = s0[l], b = s1[l], k = in[l] & 1, r = (result); \
 \
		out[l] = -(u32)(carry_out); \
		d[l] = r; \
	} \
	if (i->clamp) \
		clamp_carry(d, out, result_is_sum_##name); \
	vdone(c, i, d); \
	put_carry(c, i, out); \
	return WAVE_BUDGET; \
}

/* Saturate where a carry came out: sums to the maximum, differences to zero. */
static void clamp_carry(u32 *d, const u32 carry[LANES], bool sum)
{
	LANE
		if (carry[l])
			d[l] = sum ? ~0u : 0;
}

enum {
	result_is_sum_x_v_add_co_u32 = true,
	result_is_sum_x_v_addc_co_u32 = true,
	result_is_sum_x_v_sub_co_u32 = false,
	result_is_sum_x_v_subrev_co_u32 = false,
	result_is_sum_x_v_subb_co_u32 = false,
	result_is_sum_x_v_subbrev_co_u32 = false,
};

V_CARRY(x_v_add_co_u32, a + b, (u32)(a + b) < a)
V_CARRY(x_v_sub_co_u32, a - b, b > a)
V_CARRY(x_v_subrev_co_u32, b - a, a > b)
V_CARRY_IN(x_v_addc_co_u32, a + b + k, r < a || (k && r == a))
V_CARRY_IN(x_v_subb_co_u32, a - b - k, b > a || (k && b == a))
V_CARRY_IN(x_v_subbrev_co_u32, b - a - k, a > b || (k && a == b))

X(x_v_cndmask_b32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);
	u32 m[LANES], *d = vdst(c, i);

	mask_expand(m, carry_in(c, i));
	VLANE
		d[l] = (s1[l] & m[l]) | (s0[l] & ~m[l]);
	vdone(c, i, d);
	return WAVE_BUDGET;
}

/* Results of 64 bits. */
#define V2_64(name, expr) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *lo = vsrc(c, i, 1), *hi = vsrc_hi(c, i, 1); \
	u32 *d = vdst(c, i), *dh = vdst_hi(c, i, d); \
 \
	VLANE { \
		u32 a = s0[l]; \
		u64 b = join(lo[l], hi[l]), r = (expr); \
 \
		d[l] = r; \
		dh[l] = r >> 32; \
	} \
	vdone64(c, i, d); \
	return WAVE_BUDGET; \
}

V2_64(x_v_lshlrev_b64, b << (a & 63))
V2_64(x_v_lshrrev_b64, b >> (a & 63))
V2_64(x_v_ashrrev_i64, (u64)((s64)b >> (a & 63)))

X(x_v_lshl_add_u64)
{
	const u32 *alo = vsrc(c, i, 0), *ahi = vsrc_hi(c, i, 0), *shift = vsrc(c, i, 1);
	const u32 *lo = vsrc(c, i, 2), *hi = vsrc_hi(c, i, 2);
	u32 *d = vdst(c, i), *dh = vdst_hi(c, i, d);

	VLANE {
		u64 r = (join(alo[l], ahi[l]) << (shift[l] & 7)) + join(lo[l], hi[l]);

		d[l] = r;
		dh[l] = r >> 32;
	}
	vdone64(c, i, d);
	return WAVE_BUDGET;
}

#define V_MAD64(name, product, carry) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1); \
	const u32 *lo = vsrc(c, i, 2), *hi = vsrc_hi(c, i, 2); \
	u32 *d = vdst(c, i), *dh = vdst_hi(c, i, d), out[LANES]; \
 \
	VLANE { \
		u32 a = s0[l], b = s1[l]; \
		u64 x = join(lo[l], hi[l]), p = (u64)(product), r = p + x; \
 \
		out[l] = -(u32)(carry); \
		d[l] = r; \
		dh[l] = r >> 32; \
	} \
	vdone64(c, i, d); \
	put_carry(c, i, out); \
	return WAVE_BUDGET; \
}

/* By halves, of which a host's vector holds more; it has no form but VOP3's. */
X(x_v_mad_u64_u32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);
	const u32 *lo = vsrc(c, i, 2), *hi = vsrc_hi(c, i, 2), *m = lane_masks(c);
	u32 *d = vreg(c, i->dst), *dh = vreg(c, i->dst + 1), out[LANES] ALIGNED;

	VLANE {
		u32 a = s0[l], b = s1[l], x = lo[l], y = hi[l];
		u32 r = a * b + x, k = r < x, sum = (u32)((u64)a * b >> 32) + y;

		out[l] = -(u32)((sum < y) | (sum + k < k));
		d[l] = (r & m[l]) | (d[l] & ~m[l]);
		dh[l] = ((sum + k) & m[l]) | (dh[l] & ~m[l]);
	}
	put_carry(c, i, out);
	return WAVE_BUDGET;
}

/* Signed: bit 64 of the sum of sign-extended terms. */
V_MAD64(x_v_mad_i64_i32, (s64)S(a) * S(b), (p >> 63 ^ x >> 63 ^ (r < p)) & 1)

/* Lanes below this one in a mask, low and high half of it. */
X(x_v_mbcnt_lo_u32_b32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);
	u32 *d = vdst(c, i);

	VLANE {
		u32 below = l >= 32 ? ~0u : (1u << l) - 1;

		d[l] = (u32)__builtin_popcount(s0[l] & below) + s1[l];
	}
	vdone(c, i, d);
	return WAVE_BUDGET;
}

X(x_v_mbcnt_hi_u32_b32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);
	u32 *d = vdst(c, i);

	VLANE {
		u32 below = l > 32 ? (1u << (l - 32)) - 1 : 0;

		d[l] = (u32)__builtin_popcount(s0[l] & below) + s1[l];
	}
	vdone(c, i, d);
	return WAVE_BUDGET;
}

X(x_v_readfirstlane_b32)
{
	u64 exec = wave_exec(c->w);
	unsigned int l = exec ? __builtin_ctzll(exec) : 0;

	sdst32(c, i, vsrc(c, i, 0)[l]);
	return WAVE_BUDGET;
}

X(x_v_readlane_b32)
{
	unsigned int l = ssrc32(c, i, 1) & (c->w->lanes - 1);

	sdst32(c, i, vsrc(c, i, 0)[l]);
	return WAVE_BUDGET;
}

/* Whatever EXEC says. */
X(x_v_writelane_b32)
{
	unsigned int l = ssrc32(c, i, 1) & (c->w->lanes - 1);

	vreg(c, i->dst)[l] = ssrc32(c, i, 0);
	return WAVE_BUDGET;
}
