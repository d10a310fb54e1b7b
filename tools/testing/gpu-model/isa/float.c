// SPDX-License-Identifier: GPL-2.0
/*
 * Vector instructions on floats. Results are computed out of place, since NaN
 * results are remade from the sources: hosts differ in the NaN they give.
 */
#define _GNU_SOURCE	/* roundeven() */
#include <fenv.h>
#include <math.h>
#include "isa.h"
#include "f16.h"

#define EXP32(v)	((int)((v) >> 23 & 0xff))
#define EXP64(v)	((int)((v) >> 52 & 0x7ff))
#define NAN32		0x7fc00000u
#define NAN64		0x7ff8000000000000ull
#define QUIET32		0x00400000u
#define QUIET64		0x0008000000000000ull

static inline bool is_nan32(u32 v)
{
	return (v & 0x7fffffff) > 0x7f800000;
}

static inline bool is_nan64(u64 v)
{
	return (v & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

static inline bool is_snan32(u32 v)
{
	return is_nan32(v) && !(v & QUIET32);
}

static inline bool is_snan64(u64 v)
{
	return is_nan64(v) && !(v & QUIET64);
}

static inline u32 flush32(u32 v)
{
	return EXP32(v) ? v : v & 0x80000000;
}

static inline u64 flush64(u64 v)
{
	return EXP64(v) ? v : v & 0x8000000000000000;
}

/* A single-precision source with subnormals flushed whatever the mode. */
const u32 *vsrc_f32_flushed(struct ctx *c, const struct insn *i, unsigned int n)
{
	const u32 *p = vsrc(c, i, n);
	u32 *t = c->tmp[n][0];

	LANE
		t[l] = flush32(p[l]);
	return t;
}

/* A double source as values. */
static void src_f64(struct ctx *c, const struct insn *i, unsigned int n, u64 v[LANES])
{
	const u32 *lo = vsrc(c, i, n), *hi = vsrc_hi(c, i, n);

	LANE
		v[l] = join(lo[l], hi[l]);
	if (!(MODE_DENORM64(c->w->mode) & 1))
		LANE
			v[l] = flush64(v[l]);
}

/* Rounding modes of MODE to the host's. */
static void round_enter(unsigned int mode)
{
	static const int host[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	if (mode)
		fesetround(host[mode]);
}

static void round_leave(unsigned int mode)
{
	if (mode)
		fesetround(FE_TONEAREST);
}

static u32 omod32(u32 v, float factor)
{
	u32 r = f2u(u2f(v) * factor);

	return EXP32(r) ? r : 0;
}

static u64 omod64(u64 v, double factor)
{
	u64 r = d2u(u2d(v) * factor);

	return EXP64(r) ? r : 0;
}

static u32 clamp32(u32 v, u32 mode)
{
	float f = u2f(v);

	if (is_nan32(v))
		return mode & MODE_DX10_CLAMP ? 0 : v;
	return f > 0.0f ? f2u(f < 1.0f ? f : 1.0f) : 0;
}

static u64 clamp64(u64 v, u32 mode)
{
	double d = u2d(v);

	if (is_nan64(v))
		return mode & MODE_DX10_CLAMP ? 0 : v;
	return d > 0.0 ? d2u(d < 1.0 ? d : 1.0) : 0;
}

/* Output modifiers, then out[0] to the register. */
static enum wave_stop put32(struct ctx *c, const struct insn *i)
{
	float factor = omod_factor(c->w, i, MODE_DENORM32(c->w->mode));
	u32 *v = c->out[0];

	if (factor != 1.0f)
		LANE
			v[l] = omod32(v[l], factor);
	if (i->clamp)
		LANE
			v[l] = clamp32(v[l], c->w->mode);
	if (i->direct && wave_exec(c->w) == c->w->all)
		memcpy(vreg(c, i->dst), v, sizeof(c->out[0]));
	else
		vput(c, i, 1);
	return WAVE_BUDGET;
}

static enum wave_stop put64(struct ctx *c, const struct insn *i, u64 v[LANES])
{
	double factor = omod_factor(c->w, i, MODE_DENORM64(c->w->mode));
	u32 *d = vdst(c, i), *dh = vdst_hi(c, i, d);

	if (factor != 1.0)
		LANE
			v[l] = omod64(v[l], factor);
	if (i->clamp)
		LANE
			v[l] = clamp64(v[l], c->w->mode);
	VLANE {
		d[l] = v[l];
		dh[l] = v[l] >> 32;
	}
	vdone64(c, i, d);
	return WAVE_BUDGET;
}

/* A NaN becomes the first NaN source, quieted, or the positive default one. */
static inline void fix_nan32(u32 *v, const u32 *s0, const u32 *s1, const u32 *s2)
{
	u32 nan = 0;

	VLANE
		nan |= is_nan32(v[l]);
	if (!nan)
		return;
	LANE {
		if (!is_nan32(v[l]))
			continue;
		if (is_nan32(s0[l]))
			v[l] = s0[l] | QUIET32;
		else if (s1 && is_nan32(s1[l]))
			v[l] = s1[l] | QUIET32;
		else if (s2 && is_nan32(s2[l]))
			v[l] = s2[l] | QUIET32;
		else
			v[l] = NAN32;
	}
}

static inline void fix_nan64(u64 *v, const u64 *s0, const u64 *s1, const u64 *s2)
{
	u64 nan = 0;

	VLANE
		nan |= is_nan64(v[l]);
	if (!nan)
		return;
	LANE {
		if (!is_nan64(v[l]))
			continue;
		if (is_nan64(s0[l]))
			v[l] = s0[l] | QUIET64;
		else if (s1 && is_nan64(s1[l]))
			v[l] = s1[l] | QUIET64;
		else if (s2 && is_nan64(s2[l]))
			v[l] = s2[l] | QUIET64;
		else
			v[l] = NAN64;
	}
}

/* Arithmetic results: NaNs are remade, subnormals go as MODE says. */
static enum wave_stop put_arith32(struct ctx *c, const struct insn *i, const u32 *s0,
				  const u32 *s1, const u32 *s2)
{
	u32 *v = c->out[0];

	fix_nan32(v, s0, s1, s2);
	if (!(MODE_DENORM32(c->w->mode) & 2))
		VLANE
			v[l] = flush32(v[l]);
	return put32(c, i);
}

static enum wave_stop put_arith64(struct ctx *c, const struct insn *i, u64 v[LANES],
				  const u64 *s0, const u64 *s1, const u64 *s2)
{
	fix_nan64(v, s0, s1, s2);
	if (!(MODE_DENORM64(c->w->mode) & 2))
		LANE
			v[l] = flush64(v[l]);
	return put64(c, i, v);
}

/* float r = expr of a, b, x */
#define F32_N(name, n, src, ...) \
X(name) \
{ \
	const u32 *s0 = src(c, i, 0); \
	const u32 *s1 = (n) > 1 ? src(c, i, 1) : NULL; \
	const u32 *s2 = (n) > 2 ? src(c, i, 2) : NULL; \
	unsigned int round = MODE_ROUND32(c->w->mode); \
	u32 *d = c->out[0]; \
 \
	round_enter(round); \
	LANE { \
		float a = u2f(s0[l]), b = (n) > 1 ? u2f(s1[l]) : 0; \
		float x = (n) > 2 ? u2f(s2[l]) : 0; \
 \
		(void)b; \
		(void)x; \
		d[l] = f2u(__VA_ARGS__); \
	} \
	round_leave(round); \
	return put_arith32(c, i, s0, s1, s2); \
}

#define F64_N(name, n, ...) \
X(name) \
{ \
	u64 s0[LANES], s1[LANES], s2[LANES], d[LANES]; \
	unsigned int round = MODE_ROUND64(c->w->mode); \
 \
	src_f64(c, i, 0, s0); \
	if ((n) > 1) \
		src_f64(c, i, 1, s1); \
	if ((n) > 2) \
		src_f64(c, i, 2, s2); \
	round_enter(round); \
	LANE { \
		double a = u2d(s0[l]), b = (n) > 1 ? u2d(s1[l]) : 0; \
		double x = (n) > 2 ? u2d(s2[l]) : 0; \
 \
		(void)b; \
		(void)x; \
		d[l] = d2u(__VA_ARGS__); \
	} \
	round_leave(round); \
	return put_arith64(c, i, d, s0, (n) > 1 ? s1 : NULL, (n) > 2 ? s2 : NULL); \
}

F32_N(x_v_add_f32, 2, vsrc_f32, a + b)
F32_N(x_v_sub_f32, 2, vsrc_f32, a - b)
F32_N(x_v_subrev_f32, 2, vsrc_f32, b - a)
F32_N(x_v_mul_f32, 2, vsrc_f32, a * b)
F32_N(x_v_mul_legacy_f32, 2, vsrc_f32, a == 0.0f || b == 0.0f ? 0.0f : a * b)
F32_N(x_v_fma_f32, 3, vsrc_f32, fmaf(a, b, x))
F32_N(x_v_fmac_f32, 3, vsrc_f32, fmaf(a, b, x))
F32_N(x_v_fmamk_f32, 3, vsrc_f32, fmaf(a, b, x))
F32_N(x_v_fmaak_f32, 3, vsrc_f32, fmaf(a, b, x))
F64_N(x_v_add_f64, 2, a + b)
F64_N(x_v_mul_f64, 2, a * b)
F64_N(x_v_fma_f64, 3, fma(a, b, x))

X(x_v_fmac_f64)
{
	u64 s0[LANES], s1[LANES], s2[LANES], d[LANES];
	unsigned int round = MODE_ROUND64(c->w->mode);
	const u32 *lo = vreg(c, i->dst), *hi = vreg(c, i->dst + 1);

	src_f64(c, i, 0, s0);
	src_f64(c, i, 1, s1);
	round_enter(round);
	LANE {
		s2[l] = join(lo[l], hi[l]);
		d[l] = d2u(fma(u2d(s0[l]), u2d(s1[l]), u2d(s2[l])));
	}
	round_leave(round);
	return put_arith64(c, i, d, s0, s1, s2);
}

/* Unfused: two roundings, and never subnormals, whatever the mode. */
static inline float mad(float a, float b, float x)
{
	float p = u2f(flush32(f2u(a * b)));

	return u2f(flush32(f2u(p + x)));
}

F32_N(x_v_mad_f32, 3, vsrc_f32_flushed, mad(a, b, x))
F32_N(x_v_mac_f32, 3, vsrc_f32_flushed, mad(a, b, x))
F32_N(x_v_madmk_f32, 3, vsrc_f32_flushed, mad(a, b, x))
F32_N(x_v_madak_f32, 3, vsrc_f32_flushed, mad(a, b, x))
F32_N(x_v_mad_legacy_f32, 3, vsrc_f32_flushed,
      a == 0.0f || b == 0.0f ? x : mad(a, b, x))

/*
 * Rounding to integers, and friends. A compiler's floor() may give a zero the wrong sign
 * when the host rounds down.
 */
static inline float floor32(float a)
{
	return copysignf(floorf(a), a);
}

static inline double floor64(double a)
{
	return copysign(floor(a), a);
}

static inline float fract32(float a)
{
	float r = a - floor32(a);

	return r < 1.0f || r != r ? r : 0x1.fffffep-1f;
}

static inline double fract64(double a)
{
	double r = a - floor64(a);

	return r < 1.0 || r != r ? r : 0x1.fffffffffffffp-1;
}

F32_N(x_v_fract_f32, 1, vsrc_f32, fract32(a))
F32_N(x_v_trunc_f32, 1, vsrc_f32, truncf(a))
F32_N(x_v_ceil_f32, 1, vsrc_f32, ceilf(a))
F32_N(x_v_rndne_f32, 1, vsrc_f32, roundevenf(a))
F32_N(x_v_floor_f32, 1, vsrc_f32, floor32(a))
F64_N(x_v_fract_f64, 1, fract64(a))
F64_N(x_v_trunc_f64, 1, trunc(a))
F64_N(x_v_ceil_f64, 1, ceil(a))
F64_N(x_v_rndne_f64, 1, roundeven(a))
F64_N(x_v_floor_f64, 1, floor64(a))

/* The hardware's approximations are within an ulp; these are rounded correctly. */
F32_N(x_v_rcp_f32, 1, vsrc_f32, (float)(1.0 / (double)a))
F32_N(x_v_rcp_iflag_f32, 1, vsrc_f32, (float)(1.0 / (double)a))
F32_N(x_v_rsq_f32, 1, vsrc_f32, (float)(1.0 / sqrt((double)a)))
F32_N(x_v_sqrt_f32, 1, vsrc_f32, sqrtf(a))
F64_N(x_v_rcp_f64, 1, 1.0 / a)
F64_N(x_v_rsq_f64, 1, 1.0 / sqrt(a))
F64_N(x_v_sqrt_f64, 1, sqrt(a))

/* No subnormals in or out; sines count in revolutions, to 256 of them. */
F32_N(x_v_exp_f32, 1, vsrc_f32_flushed, u2f(flush32(f2u((float)exp2((double)a)))))
F32_N(x_v_log_f32, 1, vsrc_f32_flushed, (float)log2((double)a))
F32_N(x_v_exp_legacy_f32, 1, vsrc_f32_flushed, u2f(flush32(f2u((float)exp2((double)a)))))
F32_N(x_v_log_legacy_f32, 1, vsrc_f32_flushed, (float)log2((double)a))
F32_N(x_v_sin_f32, 1, vsrc_f32_flushed,
      fabsf(a) > 256.0f && !isinf(a) ? 0.0f : (float)sin((double)a * 2.0 * M_PI))
F32_N(x_v_cos_f32, 1, vsrc_f32_flushed,
      fabsf(a) > 256.0f && !isinf(a) ? 1.0f : (float)cos((double)a * 2.0 * M_PI))

static inline int clamp_exp(u32 e)
{
	s32 s = e;

	return s < -10000 ? -10000 : s > 10000 ? 10000 : s;
}

X(x_v_ldexp_f32)
{
	const u32 *s0 = vsrc_f32(c, i, 0), *s1 = vsrc(c, i, 1);

	LANE
		c->out[0][l] = f2u(ldexpf(u2f(s0[l]), clamp_exp(s1[l])));
	return put_arith32(c, i, s0, NULL, NULL);
}

X(x_v_ldexp_f64)
{
	u64 s0[LANES], d[LANES];
	const u32 *s1 = vsrc(c, i, 1);

	src_f64(c, i, 0, s0);
	LANE
		d[l] = d2u(ldexp(u2d(s0[l]), clamp_exp(s1[l])));
	return put_arith64(c, i, d, s0, NULL, NULL);
}

/* Minimum and maximum. In IEEE mode a signaling NaN comes out, quieted. */
static inline u32 pick32(u32 a, u32 b, u32 number, bool ieee)
{
	u32 r = is_nan32(b) ? a : number;

	r = is_nan32(a) ? b : r;
	r = ieee && is_snan32(b) ? b | QUIET32 : r;
	return ieee && is_snan32(a) ? a | QUIET32 : r;
}

static inline u32 min32(u32 a, u32 b, bool ieee)
{
	u32 r = u2f(a) < u2f(b) ? a : b;

	r = u2f(a) == u2f(b) && a >> 31 ? a : r;
	return pick32(a, b, r, ieee);
}

static inline u32 max32(u32 a, u32 b, bool ieee)
{
	u32 r = u2f(a) > u2f(b) ? a : b;

	r = u2f(a) == u2f(b) && b >> 31 ? a : r;
	return pick32(a, b, r, ieee);
}

static inline u64 min64(u64 a, u64 b, bool ieee)
{
	if (ieee && is_snan64(a))
		return a | QUIET64;
	if (ieee && is_snan64(b))
		return b | QUIET64;
	if (is_nan64(a))
		return b;
	if (is_nan64(b))
		return a;
	if (u2d(a) == u2d(b))
		return a >> 63 ? a : b;
	return u2d(a) < u2d(b) ? a : b;
}

static inline u64 max64(u64 a, u64 b, bool ieee)
{
	if (ieee && is_snan64(a))
		return a | QUIET64;
	if (ieee && is_snan64(b))
		return b | QUIET64;
	if (is_nan64(a))
		return b;
	if (is_nan64(b))
		return a;
	if (u2d(a) == u2d(b))
		return a >> 63 ? b : a;
	return u2d(a) > u2d(b) ? a : b;
}

/* The middle one; with a NaN among them, the least. */
static inline u32 med32(u32 a, u32 b, u32 x, bool ieee)
{
	if (is_nan32(a) || is_nan32(b) || is_nan32(x))
		return min32(min32(a, b, ieee), x, ieee);
	return max32(min32(a, b, false), min32(max32(a, b, false), x, false), false);
}

#define F32_BITS(name, n, ...) \
X(name) \
{ \
	const u32 *s0 = vsrc_f32(c, i, 0), *s1 = vsrc_f32(c, i, 1); \
	const u32 *s2 = (n) > 2 ? vsrc_f32(c, i, 2) : NULL; \
	bool ieee = c->w->mode & MODE_IEEE; \
 \
	LANE { \
		u32 a = s0[l], b = s1[l], x = (n) > 2 ? s2[l] : 0; \
 \
		(void)x; \
		c->out[0][l] = __VA_ARGS__; \
	} \
	if (!(MODE_DENORM32(c->w->mode) & 2)) \
		LANE \
			c->out[0][l] = flush32(c->out[0][l]); \
	return put32(c, i); \
}

#define F64_BITS(name, ...) \
X(name) \
{ \
	u64 s0[LANES], s1[LANES], d[LANES]; \
	bool ieee = c->w->mode & MODE_IEEE; \
 \
	src_f64(c, i, 0, s0); \
	src_f64(c, i, 1, s1); \
	LANE { \
		u64 a = s0[l], b = s1[l]; \
 \
		d[l] = __VA_ARGS__; \
	} \
	return put64(c, i, d); \
}

F32_BITS(x_v_min_f32, 2, min32(a, b, ieee))
F32_BITS(x_v_max_f32, 2, max32(a, b, ieee))
F32_BITS(x_v_min3_f32, 3, min32(min32(a, b, ieee), x, ieee))
F32_BITS(x_v_max3_f32, 3, max32(max32(a, b, ieee), x, ieee))
F32_BITS(x_v_med3_f32, 3, med32(a, b, x, ieee))
F32_BITS(x_v_maxmin_f32, 3, min32(max32(a, b, ieee), x, ieee))
F32_BITS(x_v_minmax_f32, 3, max32(min32(a, b, ieee), x, ieee))
F64_BITS(x_v_min_f64, min64(a, b, ieee))
F64_BITS(x_v_max_f64, max64(a, b, ieee))

/* Conversions to integers saturate; NaN gives zero. */
static inline u32 to_u32(double d)
{
	return !(d > 0.0) ? 0 : d >= 4294967295.0 ? ~0u : (u32)d;
}

static inline u32 to_i32(double d)
{
	if (d != d)
		return 0;
	return d >= 2147483647.0 ? 0x7fffffff : d <= -2147483648.0 ? 0x80000000 : (u32)(s32)d;
}

#define TO_INT32(name, ...) \
X(name) \
{ \
	const u32 *s0 = vsrc_f32(c, i, 0); \
	u32 *d = vdst(c, i); \
 \
	LANE { \
		double a = u2f(s0[l]); \
 \
		d[l] = __VA_ARGS__; \
	} \
	vdone(c, i, d); \
	return WAVE_BUDGET; \
}

TO_INT32(x_v_cvt_u32_f32, to_u32(a))
TO_INT32(x_v_cvt_i32_f32, to_i32(a))
TO_INT32(x_v_cvt_rpi_i32_f32, to_i32(floor(a + 0.5)))
TO_INT32(x_v_cvt_flr_i32_f32, to_i32(floor(a)))

#define TO_INT64(name, ...) \
X(name) \
{ \
	u64 s0[LANES]; \
	u32 *d; \
 \
	src_f64(c, i, 0, s0); \
	d = vdst(c, i); \
	LANE { \
		double a = u2d(s0[l]); \
 \
		d[l] = __VA_ARGS__; \
	} \
	vdone(c, i, d); \
	return WAVE_BUDGET; \
}

/* Exponent such that the mantissa is in [0.5, 1); zero for 0, inf and NaN. */
static inline u32 frexp_exp(double a)
{
	int e = 0;

	if (isfinite(a))
		frexp(a, &e);
	return e;
}

static inline double frexp_mant(double a)
{
	int e;

	return isfinite(a) ? frexp(a, &e) : a;
}

TO_INT64(x_v_cvt_u32_f64, to_u32(a))
TO_INT64(x_v_cvt_i32_f64, to_i32(a))
TO_INT64(x_v_frexp_exp_i32_f64, frexp_exp(a))
TO_INT32(x_v_frexp_exp_i32_f32, frexp_exp(a))
F32_N(x_v_frexp_mant_f32, 1, vsrc_f32, (float)frexp_mant((double)a))
F64_N(x_v_frexp_mant_f64, 1, frexp_mant(a))

/* Conversions from integers. */
#define FROM_INT(name, ...) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0); \
	unsigned int round = MODE_ROUND32(c->w->mode); \
 \
	round_enter(round); \
	LANE { \
		u32 a = s0[l]; \
 \
		c->out[0][l] = f2u(__VA_ARGS__); \
	} \
	round_leave(round); \
	return put32(c, i); \
}

FROM_INT(x_v_cvt_f32_u32, (float)a)
FROM_INT(x_v_cvt_f32_i32, (float)(s32)a)
FROM_INT(x_v_cvt_f32_ubyte0, (float)(a & 0xff))
FROM_INT(x_v_cvt_f32_ubyte1, (float)(a >> 8 & 0xff))
FROM_INT(x_v_cvt_f32_ubyte2, (float)(a >> 16 & 0xff))
FROM_INT(x_v_cvt_f32_ubyte3, (float)(a >> 24))
FROM_INT(x_v_cvt_off_f32_i4, (float)((s32)(a << 28) >> 28) * 0.0625f)

#define F64_FROM(name, src, type, ...) \
X(name) \
{ \
	const u32 *s0 = src(c, i, 0); \
	u64 d[LANES]; \
 \
	LANE { \
		type a = (type)s0[l]; \
 \
		d[l] = d2u(__VA_ARGS__); \
	} \
	return put64(c, i, d); \
}

F64_FROM(x_v_cvt_f64_u32, vsrc, u32, (double)a)
F64_FROM(x_v_cvt_f64_i32, vsrc, s32, (double)a)

/* A NaN keeps its upper mantissa bits, quieted. */
X(x_v_cvt_f64_f32)
{
	const u32 *s0 = vsrc_f32(c, i, 0);
	u64 d[LANES];

	LANE {
		u64 v = s0[l];

		if (is_nan32(v))
			d[l] = (v >> 31) << 63 | 0x7ff0000000000000 | QUIET64 |
			       (v & 0x7fffff) << 29;
		else
			d[l] = d2u((double)u2f(v));
	}
	return put64(c, i, d);
}

X(x_v_cvt_f32_f64)
{
	unsigned int round = MODE_ROUND32(c->w->mode);
	u64 s0[LANES];
	u32 *d = c->out[0];

	src_f64(c, i, 0, s0);
	round_enter(round);
	LANE {
		if (is_nan64(s0[l]))
			d[l] = (u32)(s0[l] >> 63) << 31 | NAN32 | (s0[l] >> 29 & 0x3fffff);
		else
			d[l] = f2u((float)u2d(s0[l]));
	}
	round_leave(round);
	if (!(MODE_DENORM32(c->w->mode) & 2))
		LANE
			d[l] = flush32(d[l]);
	return put32(c, i);
}

/*
 * Division: scale operands out of the subnormal range, iterate (in code), and
 * scale back. VCC tells div_fmas that scaling back is due. Source 1 is the
 * denominator, 2 the numerator, 0 the one of them to scale.
 */
static bool subnormal32(float f)
{
	return fpclassify(f) == FP_SUBNORMAL;
}

static bool subnormal64(double f)
{
	return fpclassify(f) == FP_SUBNORMAL;
}

#define DIV_SCALE(bits, ftype, u2, u2x, ldexpx, EXP, subnormal, range, by, tiny) \
static u##bits div_scale##bits(u##bits v, u##bits den, u##bits num, bool *flag) \
{ \
	ftype fv = u2(v), fd = u2(den), fn = u2(num); \
	bool scale_up = false, scale_down = false; \
 \
	*flag = false; \
	if (fd == 0 || fn == 0) \
		return NAN##bits; \
	if (EXP(num) - EXP(den) >= range) { \
		*flag = true; \
		scale_up = fv == fd; \
	} else if (subnormal(fd)) { \
		scale_up = true; \
	} else if (subnormal((ftype)1 / fd) && subnormal(fn / fd)) { \
		*flag = true; \
		scale_up = fv == fd; \
	} else if (subnormal((ftype)1 / fd)) { \
		scale_down = true; \
	} else if (subnormal(fn / fd)) { \
		*flag = true; \
		scale_up = fv == fn; \
	} else if (EXP(num) <= tiny) { \
		scale_up = true; \
	} \
	if (scale_up) \
		return u2x(ldexpx(fv, by)); \
	return scale_down ? u2x(ldexpx(fv, -(by))) : v; \
}

DIV_SCALE(32, float, u2f, f2u, ldexpf, EXP32, subnormal32, 96, 64, 23)
DIV_SCALE(64, double, u2d, d2u, ldexp, EXP64, subnormal64, 768, 128, 53)

X(x_v_div_scale_f32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2);
	u64 flags = 0;

	LANE {
		bool flag;

		c->out[0][l] = div_scale32(s0[l], s1[l], s2[l], &flag);
		flags |= (u64)flag << l;
	}
	vput(c, i, 1);
	set_mask(c->w, i->sdst, flags & active_lanes(c, i));
	return WAVE_BUDGET;
}

X(x_v_div_scale_f64)
{
	u64 s0[LANES], s1[LANES], s2[LANES], flags = 0;

	src_f64(c, i, 0, s0);
	src_f64(c, i, 1, s1);
	src_f64(c, i, 2, s2);
	LANE {
		bool flag;
		u64 r = div_scale64(s0[l], s1[l], s2[l], &flag);

		c->out[0][l] = r;
		c->out[1][l] = r >> 32;
		flags |= (u64)flag << l;
	}
	vput(c, i, 2);
	set_mask(c->w, i->sdst, flags & active_lanes(c, i));
	return WAVE_BUDGET;
}

/* The scale goes by the quotient: large ones were made small, and the reverse. */
X(x_v_div_fmas_f32)
{
	const u32 *s0 = vsrc_f32(c, i, 0), *s1 = vsrc_f32(c, i, 1), *s2 = vsrc_f32(c, i, 2);
	u64 vcc = get_mask(c->w, SGPR_VCC);

	LANE {
		float a = u2f(s0[l]), b = u2f(s1[l]), x = u2f(s2[l]);

		if (vcc >> l & 1)
			c->out[0][l] = f2u((float)ldexp(fma((double)a, (double)b, (double)x),
							EXP32(s2[l]) > 127 ? 64 : -64));
		else
			c->out[0][l] = f2u(fmaf(a, b, x));
	}
	return put_arith32(c, i, s0, s1, s2);
}

X(x_v_div_fmas_f64)
{
	u64 s0[LANES], s1[LANES], s2[LANES], d[LANES], vcc = get_mask(c->w, SGPR_VCC);

	src_f64(c, i, 0, s0);
	src_f64(c, i, 1, s1);
	src_f64(c, i, 2, s2);
	LANE {
		double a = u2d(s0[l]), b = u2d(s1[l]), x = u2d(s2[l]);

		if (vcc >> l & 1)	/* long double: subnormal results round once more */
			d[l] = d2u((double)ldexpl(fmal(a, b, x),
						  EXP64(s2[l]) > 1023 ? 128 : -128));
		else
			d[l] = d2u(fma(a, b, x));
	}
	return put_arith64(c, i, d, s0, s1, s2);
}

#define DIV_FIXUP(bits, ftype, u2, EXP, is_nan, QUIET, INF, NAN, under) \
static u##bits div_fixup##bits(u##bits q, u##bits den, u##bits num) \
{ \
	u##bits sign = (den ^ num) & (u##bits)1 << (bits - 1); \
	ftype fd = u2(den), fn = u2(num); \
 \
	if (is_nan(num)) \
		return num | QUIET; \
	if (is_nan(den)) \
		return den | QUIET; \
	if ((fd == 0 && fn == 0) || (isinf(fd) && isinf(fn))) \
		return NAN | (u##bits)1 << (bits - 1); \
	if (fd == 0 || isinf(fn)) \
		return sign | INF; \
	if (isinf(fd) || fn == 0) \
		return sign; \
	if (EXP(num) - EXP(den) < under) \
		return sign; \
	/* Finite operands make no NaN: the scaled quotient went above all. */ \
	if (is_nan(q)) \
		return sign | INF; \
	return sign | (q & ~((u##bits)1 << (bits - 1))); \
}

DIV_FIXUP(32, float, u2f, EXP32, is_nan32, QUIET32, 0x7f800000u, NAN32, -150)
DIV_FIXUP(64, double, u2d, EXP64, is_nan64, QUIET64, 0x7ff0000000000000ull, NAN64, -1075)

X(x_v_div_fixup_f32)
{
	const u32 *s0 = vsrc_f32(c, i, 0), *s1 = vsrc_f32(c, i, 1), *s2 = vsrc_f32(c, i, 2);

	LANE
		c->out[0][l] = div_fixup32(s0[l], s1[l], s2[l]);
	return put32(c, i);
}

X(x_v_div_fixup_f64)
{
	u64 s0[LANES], s1[LANES], s2[LANES], d[LANES];

	src_f64(c, i, 0, s0);
	src_f64(c, i, 1, s1);
	src_f64(c, i, 2, s2);
	LANE
		d[l] = div_fixup64(s0[l], s1[l], s2[l]);
	return put64(c, i, d);
}

/* Bits of 2/pi after the point, for the reduction of large angles. */
static const u32 two_over_pi[] = {
	0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
	0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
	0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
	0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
	0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
	0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
	0x56033046, 0xfc7b6bab,
};

/* @n bits (at most 53) from bit @at on; zeros past the table. */
static u64 two_over_pi_bits(unsigned int at, unsigned int n)
{
	const unsigned int words = sizeof(two_over_pi) / sizeof(two_over_pi[0]);
	u64 r = 0;

	for (unsigned int k = at; k < at + n; k++)
		r = r << 1 | (k / 32 < words ? two_over_pi[k / 32] >> (31 - k % 32) & 1 : 0);
	return r;
}

/* Segment src1 of 2/pi, 53 bits each, moved by a large exponent of src0. */
X(x_v_trig_preop_f64)
{
	const u32 *s1 = vsrc(c, i, 1);
	u64 s0[LANES], d[LANES];

	src_f64(c, i, 0, s0);
	LANE {
		int exp = EXP64(s0[l]), shift = (s1[l] & 31) * 53, scale;

		if (exp > 1077)
			shift += exp - 1077;
		scale = -53 - shift;
		if (exp >= 1968)
			scale += 128;
		d[l] = d2u(ldexp((double)two_over_pi_bits(shift, 53), scale));
	}
	return put64(c, i, d);
}

/* Packed f32 in two adjacent registers: op_sel picks a dword for each half. */
static const u32 *half_f32(struct ctx *c, const struct insn *i, unsigned int n, bool high, u32 *t)
{
	bool sel = (high ? i->op_sel_hi : i->op_sel) >> n & 1;
	bool neg = (high ? i->neg_hi : i->neg) >> n & 1;
	const u32 *lo = vsrc(c, i, n), *v = sel ? vsrc_hi(c, i, n) : lo;

	if (!neg)
		return v;
	LANE
		t[l] = v[l] ^ 0x80000000;
	return t;
}

#define PK_F32(name, n, expr) \
X(name) \
{ \
	u32 t[3][LANES], r[2][LANES]; \
 \
	for (unsigned int h = 0; h < 2; h++) { \
		const u32 *s0 = half_f32(c, i, 0, h, t[0]), *s1 = half_f32(c, i, 1, h, t[1]); \
		const u32 *s2 = (n) > 2 ? half_f32(c, i, 2, h, t[2]) : NULL; \
 \
		LANE { \
			float a = u2f(s0[l]), b = u2f(s1[l]), x = (n) > 2 ? u2f(s2[l]) : 0; \
 \
			(void)x; \
			r[h][l] = f2u(expr); \
		} \
		fix_packed(c, i, r[h], s0, s1, s2); \
	} \
	memcpy(c->out[0], r, sizeof(r)); \
	vput(c, i, 2); \
	return WAVE_BUDGET; \
}

static void fix_packed(struct ctx *c, const struct insn *i, u32 *v, const u32 *s0,
		       const u32 *s1, const u32 *s2)
{
	fix_nan32(v, s0, s1, s2);
	if (!(MODE_DENORM32(c->w->mode) & 2))
		VLANE
			v[l] = flush32(v[l]);
	if (i->clamp)
		LANE
			v[l] = clamp32(v[l], c->w->mode);
}

PK_F32(x_v_pk_fma_f32, 3, fmaf(a, b, x))
PK_F32(x_v_pk_mul_f32, 2, a * b)
PK_F32(x_v_pk_add_f32, 2, a + b)

/* Two moves: the low result from source 0, the high one from source 1. */
X(x_v_pk_mov_b32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);
	const u32 *a = i->op_sel & 1 ? vsrc_hi(c, i, 0) : s0;
	const u32 *b = i->op_sel & 2 ? vsrc_hi(c, i, 1) : s1;

	memcpy(c->out[0], a, sizeof(c->out[0]));
	memcpy(c->out[1], b, sizeof(c->out[1]));
	vput(c, i, 2);
	return WAVE_BUDGET;
}
