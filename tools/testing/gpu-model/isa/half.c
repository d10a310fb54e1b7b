// SPDX-License-Identifier: GPL-2.0
/*
 * Half precision: scalar, packed and mixed; dot products; packing conversions.
 * Everything is computed in double, where sums and products are exact, and rounded once to
 * f16, as MODE says; approximations to nearest.
 */
#include <math.h>
#include "isa.h"
#include "f16.h"

#define NAN16		0x7e00
#define QUIET16		0x0200
#define SH(v)		((s32)(int16_t)(v))

static bool is_nan16(u32 v)
{
	return (v & 0x7fff) > 0x7c00;
}

static u32 flush16(u32 v)
{
	return v & 0x7c00 ? v : v & 0x8000;
}

/* An exact sum. One of nothing is -0 where MODE rounds down. */
static double sum(double a, double b, enum round round)
{
	double s = a + b;

	return s == 0 && round == ROUND_DOWN && (signbit(a) || signbit(b)) ? -0.0 : s;
}

/*
 * a * b + x to double with the last bit odd when it is not exact, so that a
 * second rounding to f16 is the only one that counts. The product is exact.
 */
static double fma_odd(double a, double b, double x, enum round round)
{
	double p = a * b, s = sum(p, x, round), v = s - p, err = (p - (s - v)) + (x - v);
	u64 bits = d2u(s);

	if (err == 0 || !isfinite(s) || bits & 1)
		return s;
	/* Toward the exact value: up in magnitude when the error has s's sign. */
	return u2d((err > 0) == (s > 0) ? bits + 1 : bits - 1);
}

static u16 fma16(const double *f, enum round round)
{
	return f64_to_f16(fma_odd(f[0], f[1], f[2], round), round);
}

/* Unfused, as the "mad" forms of f16 do. */
static u16 mad16(const double *f, enum round round)
{
	double product = f16_to_f32(f64_to_f16(f[0] * f[1], round));

	return f64_to_f16(sum(product, f[2], round), round);
}

static u16 add16(double a, double b, enum round round)
{
	return f64_to_f16(sum(a, b, round), round);
}

static u16 fract16(double d, enum round round)
{
	double r = sum(d, -floor(d), round);

	return f64_to_f16(r < 0x1.ffcp-1 || r != r ? r : 0x1.ffcp-1, round);
}

/* NaN rules, subnormals and modifiers for the result @r of sources @s0.. */
static u16 finish16(const struct wave *w, const struct insn *i, u16 r, const u16 *s, unsigned int n)
{
	float factor = omod_factor(w, i, MODE_DENORM64(w->mode));

	if (is_nan16(r)) {
		r = NAN16;
		for (unsigned int k = n; k--;)
			if (is_nan16(s[k]))
				r = s[k] | QUIET16;
	}
	if (!(MODE_DENORM64(w->mode) & 2))
		r = flush16(r);
	if (factor != 1.0f) {
		r = f64_to_f16(f16_to_f32(r) * factor, MODE_ROUND64(w->mode));
		r = r & 0x7c00 ? r : 0;
	}
	if (i->clamp) {
		float f = f16_to_f32(r);

		if (is_nan16(r))
			return w->mode & MODE_DX10_CLAMP ? 0 : r;
		r = f > 0.0f ? f32_to_f16(f < 1.0f ? f : 1.0f) : 0;
	}
	return r;
}

static u16 in16(const struct wave *w, u32 v)
{
	return MODE_DENORM64(w->mode) & 1 ? v & 0xffff : flush16(v & 0xffff);
}

/* h: f16 bits of the sources; f: their values; round: of MODE. The expression gives f16 bits. */
#define F16_N(name, n, ...) \
X(name) \
{ \
	enum round round = MODE_ROUND64(c->w->mode); \
	const u32 *src[3]; \
 \
	(void)round; \
	for (unsigned int k = 0; k < (n); k++) \
		src[k] = vsrc(c, i, k); \
	LANE { \
		u16 h[3] = { 0 }; \
		double f[3] = { 0 }; \
 \
		for (unsigned int k = 0; k < (n); k++) { \
			h[k] = in16(c->w, src[k][l]); \
			f[k] = f16_to_f32(h[k]); \
		} \
		(void)f; \
		c->out[0][l] = finish16(c->w, i, (__VA_ARGS__), h, (n)); \
	} \
	vput(c, i, 1); \
	return WAVE_BUDGET; \
}

#define NEAREST(d)	f64_to_f16(d, ROUND_NEAREST)

F16_N(x_v_add_f16, 2, add16(f[0], f[1], round))
F16_N(x_v_sub_f16, 2, add16(f[0], -f[1], round))
F16_N(x_v_subrev_f16, 2, add16(f[1], -f[0], round))
F16_N(x_v_mul_f16, 2, f64_to_f16(f[0] * f[1], round))
F16_N(x_v_mac_f16, 3, mad16(f, round))
F16_N(x_v_mad_f16, 3, mad16(f, round))
F16_N(x_v_mad_legacy_f16, 3, mad16(f, round))
F16_N(x_v_madmk_f16, 3, mad16(f, round))
F16_N(x_v_madak_f16, 3, mad16(f, round))
F16_N(x_v_fma_f16, 3, fma16(f, round))
F16_N(x_v_fma_legacy_f16, 3, fma16(f, round))
F16_N(x_v_floor_f16, 1, NEAREST(floor(f[0])))
F16_N(x_v_ceil_f16, 1, NEAREST(ceil(f[0])))
F16_N(x_v_trunc_f16, 1, NEAREST(trunc(f[0])))
F16_N(x_v_rndne_f16, 1, NEAREST(rint(f[0])))
F16_N(x_v_fract_f16, 1, fract16(f[0], round))
F16_N(x_v_rcp_f16, 1, NEAREST(1.0 / f[0]))
F16_N(x_v_sqrt_f16, 1, NEAREST(sqrt(f[0])))
F16_N(x_v_rsq_f16, 1, NEAREST(1.0 / sqrt(f[0])))
F16_N(x_v_log_f16, 1, NEAREST(log2(f[0])))
F16_N(x_v_exp_f16, 1, NEAREST(exp2(f[0])))
F16_N(x_v_sin_f16, 1, fabs(f[0]) > 256.0 && !isinf(f[0]) ? 0 : NEAREST(sin(f[0] * 2.0 * M_PI)))
F16_N(x_v_cos_f16, 1, fabs(f[0]) > 256.0 && !isinf(f[0]) ? 0x3c00 :
      NEAREST(cos(f[0] * 2.0 * M_PI)))

static double mant16(double f)
{
	int e;

	return isfinite(f) ? frexp(f, &e) : f;
}

static int exp16(float f)
{
	int e = 0;

	if (isfinite(f))
		frexpf(f, &e);
	return e;
}

F16_N(x_v_frexp_mant_f16, 1, NEAREST(mant16(f[0])))

X(x_v_ldexp_f16)
{
	enum round round = MODE_ROUND64(c->w->mode);
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);

	LANE {
		u16 h = in16(c->w, s0[l]);
		/* As far as double holds what the rounding looks at. */
		int e = SH(s1[l]) < -100 ? -100 : SH(s1[l]) > 100 ? 100 : SH(s1[l]);

		c->out[0][l] = finish16(c->w, i, f64_to_f16(ldexp(f16_to_f32(h), e), round),
					&h, 1);
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}

/* Minimum and maximum as for f32; see float.c. */
static u16 pick16(u16 a, u16 b, bool want_min, bool ieee)
{
	float fa = f16_to_f32(a), fb = f16_to_f32(b);

	if (ieee && is_nan16(a) && !(a & QUIET16))
		return a | QUIET16;
	if (ieee && is_nan16(b) && !(b & QUIET16))
		return b | QUIET16;
	if (is_nan16(a))
		return b;
	if (is_nan16(b))
		return a;
	if (fa == fb)
		return (a >> 15 != 0) == want_min ? a : b;
	return (fa < fb) == want_min ? a : b;
}

static u16 med16(u16 a, u16 b, u16 x, bool ieee)
{
	if (is_nan16(a) || is_nan16(b) || is_nan16(x))
		return pick16(pick16(a, b, true, ieee), x, true, ieee);
	return pick16(pick16(a, b, true, false),
		      pick16(pick16(a, b, false, false), x, true, false), false, false);
}

#define IEEE	(c->w->mode & MODE_IEEE)
F16_N(x_v_min_f16, 2, pick16(h[0], h[1], true, IEEE))
F16_N(x_v_max_f16, 2, pick16(h[0], h[1], false, IEEE))
F16_N(x_v_min3_f16, 3, pick16(pick16(h[0], h[1], true, IEEE), h[2], true, IEEE))
F16_N(x_v_max3_f16, 3, pick16(pick16(h[0], h[1], false, IEEE), h[2], false, IEEE))
F16_N(x_v_med3_f16, 3, med16(h[0], h[1], h[2], IEEE))
F16_N(x_v_maxmin_f16, 3, pick16(pick16(h[0], h[1], false, IEEE), h[2], true, IEEE))
F16_N(x_v_minmax_f16, 3, pick16(pick16(h[0], h[1], true, IEEE), h[2], false, IEEE))

/* Quotient, denominator, numerator: special cases of a division. */
static u16 div_fixup16(u16 q, u16 den, u16 num)
{
	u16 sign = (den ^ num) & 0x8000;
	bool den_inf = (den & 0x7fff) == 0x7c00, num_inf = (num & 0x7fff) == 0x7c00;

	if (is_nan16(num))
		return num | QUIET16;
	if (is_nan16(den))
		return den | QUIET16;
	if ((!(den & 0x7fff) && !(num & 0x7fff)) || (den_inf && num_inf))
		return 0xfe00;
	if (!(den & 0x7fff) || num_inf)
		return sign | 0x7c00;
	if (den_inf || !(num & 0x7fff))
		return sign;
	return sign | (q & 0x7fff);
}

X(x_v_div_fixup_f16)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2);

	LANE
		c->out[0][l] = div_fixup16(in16(c->w, s0[l]), in16(c->w, s1[l]),
					   in16(c->w, s2[l]));
	vput(c, i, 1);
	return WAVE_BUDGET;
}

X(x_v_div_fixup_legacy_f16)
{
	return x_v_div_fixup_f16(c, i);
}

/* Conversions. */
static u32 sat_i(double d, double lo, double hi)
{
	if (d != d)
		return 0;
	return (u32)(s32)(d < lo ? lo : d > hi ? hi : d);
}

#define CVT(name, n, ...) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *s1 = (n) > 1 ? vsrc(c, i, 1) : NULL; \
	enum round round = MODE_ROUND64(c->w->mode); \
 \
	(void)round; \
	LANE { \
		u32 a = s0[l], b = (n) > 1 ? s1[l] : 0; \
 \
		(void)b; \
		c->out[0][l] = (__VA_ARGS__); \
	} \
	vput(c, i, 1); \
	return WAVE_BUDGET; \
}

#define RTZ(v)	((u32)f64_to_f16(u2f(v), ROUND_ZERO))
#define F(v)	f16_to_f32(v)
/* Sources rounded to nearest when scaled to the full range of 16 bits. */
#define NORM_I(f)	(sat_i(rint((double)(f) * 32767.0), -32767.0, 32767.0) & 0xffff)
#define NORM_U(f)	sat_i(rint((double)(f) * 65535.0), 0.0, 65535.0)

CVT(x_v_cvt_f16_u16, 1, finish16(c->w, i, f64_to_f16(a & 0xffff, round), NULL, 0))
CVT(x_v_cvt_f16_i16, 1, finish16(c->w, i, f64_to_f16(SH(a), round), NULL, 0))
CVT(x_v_cvt_u16_f16, 1, sat_i(F(a), 0.0, 65535.0))
CVT(x_v_cvt_i16_f16, 1, sat_i(F(a), -32768.0, 32767.0) & 0xffff)
CVT(x_v_cvt_norm_i16_f16, 1, NORM_I(F(a)))
CVT(x_v_cvt_norm_u16_f16, 1, NORM_U(F(a)))
CVT(x_v_frexp_exp_i16_f16, 1, (u32)exp16(F(a)) & 0xffff)
CVT(x_v_cvt_pkrtz_f16_f32, 2, RTZ(a) | RTZ(b) << 16)
CVT(x_v_cvt_pk_i16_f32, 2, (sat_i(u2f(a), -32768.0, 32767.0) & 0xffff) |
    sat_i(u2f(b), -32768.0, 32767.0) << 16)
CVT(x_v_cvt_pk_u16_f32, 2, sat_i(u2f(a), 0.0, 65535.0) | sat_i(u2f(b), 0.0, 65535.0) << 16)
CVT(x_v_cvt_pknorm_i16_f32, 2, NORM_I(u2f(a)) | NORM_I(u2f(b)) << 16)
CVT(x_v_cvt_pknorm_u16_f32, 2, NORM_U(u2f(a)) | NORM_U(u2f(b)) << 16)
CVT(x_v_cvt_pknorm_i16_f16, 2, NORM_I(F(a)) | NORM_I(F(b)) << 16)
CVT(x_v_cvt_pknorm_u16_f16, 2, NORM_U(F(a)) | NORM_U(F(b)) << 16)
CVT(x_v_pack_b32_f16, 2, (a & 0xffff) | b << 16)

X(x_v_cvt_f16_f32)
{
	enum round round = MODE_ROUND64(c->w->mode);
	const u32 *s0 = vsrc_f32(c, i, 0);

	LANE {
		u16 r = f64_to_f16(u2f(s0[l]), round);

		c->out[0][l] = finish16(c->w, i, r, &r, 1);
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}

static u32 clamp_f32(const struct wave *w, float f)
{
	if (f != f)
		return w->mode & MODE_DX10_CLAMP ? 0 : 0x7fc00000;
	return f > 0.0f ? f2u(f < 1.0f ? f : 1.0f) : 0;
}

X(x_v_cvt_f32_f16)
{
	float factor = omod_factor(c->w, i, MODE_DENORM32(c->w->mode));
	const u32 *s0 = vsrc(c, i, 0);

	LANE {
		float f = f16_to_f32(in16(c->w, s0[l])) * factor;

		if (factor != 1.0f && f == 0)
			f = 0;
		c->out[0][l] = i->clamp ? clamp_f32(c->w, f) : f2u(f);
		if (is_nan16(s0[l]))
			c->out[0][l] |= 0x00400000;
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}

/* One byte of the third source is replaced by the first, rounded and clamped. */
X(x_v_cvt_pk_u8_f32)
{
	const u32 *s0 = vsrc_f32(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2);

	LANE {
		unsigned int shift = 8 * (s1[l] & 3);
		u32 byte = sat_i(rint((double)u2f(s0[l])), 0.0, 255.0);

		c->out[0][l] = (s2[l] & ~(0xffu << shift)) | byte << shift;
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}

/* Mixed: each source is f32, or a half of f16 where op_sel_hi is set. */
static float mix_src(const struct insn *i, const u32 *v, unsigned int n, unsigned int l)
{
	float f;

	if (i->op_sel_hi >> n & 1)
		f = f16_to_f32(i->op_sel >> n & 1 ? v[l] >> 16 : v[l]);
	else
		f = u2f(v[l]);
	if (i->neg_hi >> n & 1)		/* abs in these instructions */
		f = fabsf(f);
	return i->neg >> n & 1 ? -f : f;
}

#define MIX(name, ...) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2); \
	enum round round = MODE_ROUND64(c->w->mode); \
	const u32 *old = vreg(c, i->dst); \
 \
	(void)round; \
	LANE { \
		float r = fmaf(mix_src(i, s0, 0, l), mix_src(i, s1, 1, l), \
			       mix_src(i, s2, 2, l)); \
		u32 o = old[l]; \
 \
		if (r != r) \
			r = u2f(0x7fc00000); \
		if (i->clamp) \
			r = u2f(clamp_f32(c->w, r)); \
		(void)o; \
		c->out[0][l] = (__VA_ARGS__); \
	} \
	vput(c, i, 1); \
	return WAVE_BUDGET; \
}

MIX(x_v_fma_mix_f32, f2u(r))
MIX(x_v_fma_mixlo_f16, (o & 0xffff0000) | f64_to_f16(r, round))
MIX(x_v_fma_mixhi_f16, (o & 0xffff) | (u32)f64_to_f16(r, round) << 16)

/* Packed f16. */
#define PK_F16(name, n, ...) \
X(name) \
{ \
	enum round round = MODE_ROUND64(c->w->mode); \
	const u32 *src[3]; \
 \
	(void)round; \
	for (unsigned int k = 0; k < (n); k++) \
		src[k] = vsrc(c, i, k); \
	LANE { \
		u16 r[2]; \
 \
		for (unsigned int half = 0; half < 2; half++) { \
			u16 h[3] = { 0 }; \
			double f[3] = { 0 }; \
 \
			for (unsigned int k = 0; k < (n); k++) { \
				h[k] = in16(c->w, pk_half(i, src[k][l], k, half)); \
				f[k] = f16_to_f32(h[k]); \
			} \
			(void)f; \
			r[half] = finish16(c->w, i, (__VA_ARGS__), h, (n)); \
		} \
		c->out[0][l] = r[0] | (u32)r[1] << 16; \
	} \
	vput(c, i, 1); \
	return WAVE_BUDGET; \
}

/* VOP2 has no op_sel: each half of the result takes the same half of the source. */
static u32 pk_half(const struct insn *i, u32 v, unsigned int n, bool high)
{
	bool sel = (high ? i->op_sel_hi : i->op_sel) >> n & 1;
	bool neg = (high ? i->neg_hi : i->neg) >> n & 1;

	if (i->row->fmt == VOP2)
		return high ? v >> 16 : v;
	return (sel ? v >> 16 : v) ^ (neg ? 0x8000 : 0);
}

PK_F16(x_v_pk_add_f16, 2, add16(f[0], f[1], round))
PK_F16(x_v_pk_mul_f16, 2, f64_to_f16(f[0] * f[1], round))
PK_F16(x_v_pk_fma_f16, 3, fma16(f, round))
PK_F16(x_v_pk_fmac_f16, 3, fma16(f, round))
PK_F16(x_v_pk_min_f16, 2, pick16(h[0], h[1], true, IEEE))
PK_F16(x_v_pk_max_f16, 2, pick16(h[0], h[1], false, IEEE))

/*
 * Dot products: sums of products of parts of @bits, and the third source. @sign: what is signed,
 * a bit for each of the first two sources, and SIGNED for the sum.
 */
#define SIGNED	(1u << 2)

static s64 part(u32 v, unsigned int n, unsigned int bits, bool sign)
{
	u32 p = v << (32 - bits * (n + 1));

	return sign ? (s64)((s32)p >> (32 - bits)) : (s64)(p >> (32 - bits));
}

static enum wave_stop dot(struct ctx *c, const struct insn *i, unsigned int bits,
			  unsigned int sign)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2);
	s64 lo = sign & SIGNED ? -0x80000000ll : 0, hi = sign & SIGNED ? 0x7fffffff : 0xffffffffll;

	if (i->row->fmt == VOP3P && (i->op_sel & 3 || (i->op_sel_hi & 3) != 3))
		return x_unsupported(c, i);
	LANE {
		s64 sum = sign & SIGNED ? (s64)(s32)s2[l] : (s64)s2[l];

		for (unsigned int n = 0; n < 32 / bits; n++)
			sum += part(s0[l], n, bits, sign & 1) * part(s1[l], n, bits, sign & 2);
		if (i->clamp)
			sum = sum < lo ? lo : sum > hi ? hi : sum;
		c->out[0][l] = (u32)sum;
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}

#define DOT(name, bits, sign) \
X(name) \
{ \
	return dot(c, i, bits, sign); \
}

DOT(x_v_dot2_i32_i16, 16, SIGNED | 3)
DOT(x_v_dot2_u32_u16, 16, 0)
DOT(x_v_dot4_i32_i8, 8, SIGNED | 3)
DOT(x_v_dot4_u32_u8, 8, 0)
DOT(x_v_dot8_i32_i4, 4, SIGNED | 3)
DOT(x_v_dot8_u32_u4, 4, 0)
DOT(x_v_dot2c_i32_i16, 16, SIGNED | 3)
DOT(x_v_dot4c_i32_i8, 8, SIGNED | 3)
DOT(x_v_dot8c_i32_i4, 4, SIGNED | 3)
DOT(x_v_dot4_i32_iu8, 8, SIGNED | (i->neg & 3))
DOT(x_v_dot8_i32_iu4, 4, SIGNED | (i->neg & 3))

static float bf16_to_f32(u16 v)
{
	return u2f((u32)v << 16);
}

static inline enum wave_stop dot2(struct ctx *c, const struct insn *i, float (*value)(u16))
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2);

	LANE {
		float r = u2f(s2[l]);

		for (unsigned int half = 0; half < 2; half++)
			r = fmaf(value(pk_half(i, s0[l], 0, half)),
				 value(pk_half(i, s1[l], 1, half)), r);
		c->out[0][l] = i->clamp ? clamp_f32(c->w, r) : r != r ? 0x7fc00000 : f2u(r);
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}

X(x_v_dot2_f32_f16)
{
	return dot2(c, i, f16_to_f32);
}

X(x_v_dot2_f32_bf16)
{
	return dot2(c, i, bf16_to_f32);
}

/* All in f16 or bf16: rounded once, to nearest even. There are no signs but the operands'. */
X(x_v_dot2_f16_f16)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2);

	if (i->neg || i->abs)
		return x_unsupported(c, i);
	LANE {
		double r = f16_to_f32(s2[l]);

		for (unsigned int shift = 0; shift < 32; shift += 16)
			r += (double)f16_to_f32(s0[l] >> shift) * f16_to_f32(s1[l] >> shift);
		c->out[0][l] = r != r ? NAN16 : f64_to_f16(r, ROUND_NEAREST);
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}

X(x_v_dot2_bf16_bf16)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2);

	if (i->neg || i->abs)
		return x_unsupported(c, i);
	LANE {
		float r = bf16_to_f32(s2[l]);

		for (unsigned int shift = 0; shift < 32; shift += 16)
			r = fmaf(bf16_to_f32(s0[l] >> shift), bf16_to_f32(s1[l] >> shift), r);
		c->out[0][l] = f32_to_bf16(r);
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}

X(x_v_dot2c_f32_f16)
{
	return x_v_dot2_f32_f16(c, i);
}
