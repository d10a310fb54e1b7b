// SPDX-License-Identifier: GPL-2.0
/*
 * Floats of 32 and 64 bits. What IEEE 754 fixes has to agree in every bit; the
 * functions of the library within the limits of the OpenCL specification
 * (OpenCL C, "Relative Error as ULPs"), which stand in the outputs' names.
 */
#pragma OPENCL FP_CONTRACT OFF

#define IN(k)	in[get_global_id(0) + (k) * get_global_size(0)]
#define ANY(k)	any[get_global_id(0) + (k) * get_global_size(0)]
#define POS(k)	pos[get_global_id(0) + (k) * get_global_size(0)]
#define PUT(o, k) o[get_global_id(0) + (k) * get_global_size(0)]

#define EVERY(X) X(float, int, uint) X(double, long, ulong)

#define ARITH(T, I, U)							\
kernel void arith_##T(global const T *any, global T *out, T s)		\
{									\
	T a = ANY(0), b = ANY(1), c = ANY(2);				\
									\
	PUT(out, 0) = a + b - c;					\
	PUT(out, 1) = a * b + c * s;					\
	PUT(out, 2) = -a * fabs(b) - fabs(c);				\
	PUT(out, 3) = (a - s) * (T)0.5 + b * (T)4;			\
}

#define FUSED(T, I, U)							\
kernel void fused_##T(global const T *any, global T *out)		\
{									\
	T a = ANY(0), b = ANY(1), c = ANY(2);				\
									\
	PUT(out, 0) = fma(a, b, c);					\
	PUT(out, 1) = fma(-a, b, (T)1);					\
	PUT(out, 2) = fma(a, a, -b);					\
	PUT(out, 3) = fma(b, (T)0.25, fabs(c));				\
}

#define DIVIDE(T, I, U)							\
kernel void divide_##T(global const T *any, global T *out)		\
{									\
	T a = ANY(0), b = ANY(1);					\
									\
	PUT(out, 0) = a / b;						\
	PUT(out, 1) = (T)1 / a;						\
	PUT(out, 2) = sqrt(fabs(b));					\
	PUT(out, 3) = sqrt(a) / (T)3;					\
}

#define ROUND(T, I, U)							\
kernel void round_##T(global const T *in, global const T *any, global T *out)	\
{									\
	PUT(out, 0) = floor(IN(0)) + ceil(ANY(0)) * (T)2;		\
	PUT(out, 1) = trunc(IN(1)) + rint(ANY(1)) * (T)2;		\
	PUT(out, 2) = round(IN(2)) + fabs(ANY(2));			\
	PUT(out, 3) = rint(IN(3) * (T)0.5) - floor(ANY(3));		\
}

#define REMAIN(T, I, U)							\
kernel void remain_##T(global const T *in, global T *out, global int *q)	\
{									\
	int k;								\
									\
	PUT(out, 0) = fmod(IN(0), IN(1));				\
	PUT(out, 1) = remainder(IN(0), IN(1));				\
	PUT(out, 2) = remquo(IN(2), IN(3), &k);				\
	PUT(q, 0) = k & 7;						\
	PUT(out, 3) = fdim(IN(0), IN(3));				\
}

#define PARTS(T, I, U)							\
kernel void parts_##T(global const T *in, global const T *any, global T *out, global int *e)	\
{									\
	int x;								\
	T whole;							\
									\
	PUT(out, 0) = frexp(IN(0), &x);					\
	PUT(e, 0) = x;							\
	PUT(e, 1) = ilogb(IN(1));					\
	PUT(out, 1) = ldexp(IN(1), (int)get_global_id(0) - 128);	\
	PUT(out, 2) = modf(IN(2), &whole) + logb(IN(3));		\
	PUT(e, 2) = (int)whole;						\
	PUT(out, 3) = nextafter(ANY(0), ANY(1)) + copysign(ANY(2), ANY(3));	\
}

#define PICK(T, I, U)							\
kernel void pick_##T(global const T *in, global const T *any, global T *out)	\
{									\
	PUT(out, 0) = fmin(ANY(0), ANY(1)) + fmax(ANY(2), ANY(3));	\
	PUT(out, 1) = clamp(IN(0), (T)-4, (T)4) + step(IN(1), IN(2)) + sign(IN(3));	\
	PUT(out, 2) = IN(0) < IN(1) ? IN(2) : IN(3);			\
	PUT(out, 3) = maxmag(IN(0), IN(1)) + minmag(IN(2), IN(3));	\
}

#define CLASS(T, I, U)							\
kernel void class_##T(global const T *any, global int *out)		\
{									\
	T a = ANY(0), b = ANY(1);					\
									\
	PUT(out, 0) = isnan(a) | isinf(a) << 1 | isfinite(b) << 2 | isnormal(b) << 3 |	\
		      signbit(a) << 4 | (signbit(b) != 0) << 5;		\
	PUT(out, 1) = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 |	\
		      (a > b) << 4 | (a >= b) << 5;			\
	PUT(out, 2) = isless(a, b) | isgreaterequal(a, b) << 1 | islessgreater(a, b) << 2 |	\
		      isordered(a, b) << 3 | isunordered(a, b) << 4;	\
	PUT(out, 3) = !(a < b) | !(a >= b) << 1;			\
}

/* Integers of each width to float and, in range or held at the ends, back. */
#define CONVERT(T, I, U)						\
kernel void conv_##T(global const int *i, global const uint *u, global const long *l,	\
		     global const ulong *ul, global const T *in, global T *out,	\
		     global int *ri, global ulong *rul)			\
{									\
	size_t g = get_global_id(0);					\
									\
	PUT(out, 0) = (T)i[g] + (T)(char)i[g];				\
	PUT(out, 1) = (T)u[g] - (T)(ushort)u[g];			\
	PUT(out, 2) = (T)l[g];						\
	PUT(out, 3) = (T)ul[g];						\
	PUT(ri, 0) = (int)IN(0) + (short)IN(1) + (ushort)fabs(IN(2));	\
	PUT(ri, 1) = convert_int_rte(IN(0)) + convert_int_rtn(IN(1)) * 3 +	\
		     convert_int_rtp(IN(2)) * 5;			\
	PUT(ri, 2) = convert_int_sat(IN(0) * (T)1e8) ^ convert_char_sat(IN(1));	\
	PUT(rul, 0) = (ulong)fabs(IN(0) * (T)1e12);			\
	PUT(rul, 1) = (ulong)(long)(IN(1) * (T)1e15);			\
	PUT(rul, 2) = convert_ulong_sat(IN(2) * (T)1e18);		\
}

#define GEOMETRY(T, I, U)						\
kernel void geometry_##T(global const T##4 *in, global T##4 *out, global T *out_8ulp)	\
{									\
	size_t g = get_global_id(0);					\
	T##4 a = in[2 * g], b = in[2 * g + 1];				\
									\
	out[2 * g] = a * b.wzyx + a.xxyy;				\
	out[2 * g + 1] = a > b ? a : b * (T)2;				\
	out_8ulp[g] = distance(a, b) + length(a);			\
	vstore3(normalize(b.xyz), g, out_8ulp + get_global_size(0));	\
}

#define EXPONENT(T, I, U)						\
kernel void exponent_##T(global const T *in, global T *out_3ulp)	\
{									\
	PUT(out_3ulp, 0) = exp(IN(0) * (T)0.25);			\
	PUT(out_3ulp, 1) = exp2(IN(1));					\
	PUT(out_3ulp, 2) = exp10(IN(2) * (T)0.125);			\
	PUT(out_3ulp, 3) = expm1(IN(3) * (T)0.25);			\
}

#define LOGARITHM(T, I, U)						\
kernel void logarithm_##T(global const T *pos, global T *out_3ulp)	\
{									\
	PUT(out_3ulp, 0) = log(POS(0) + (T)1e-3);			\
	PUT(out_3ulp, 1) = log2(POS(1) + (T)1e-3);			\
	PUT(out_3ulp, 2) = log10(POS(2) + (T)1e-3);			\
	PUT(out_3ulp, 3) = log1p(POS(3));				\
}

#define POWER(T, I, U)							\
kernel void power_##T(global const T *pos, global const T *in, global T *out_16ulp)	\
{									\
	PUT(out_16ulp, 0) = pow(POS(0) + (T)0.01, IN(0) * (T)0.05);	\
	PUT(out_16ulp, 1) = pown(IN(1), (int)(get_global_id(0) % 9) - 4);	\
	PUT(out_16ulp, 2) = powr(POS(2) + (T)0.01, IN(2) * (T)0.05);	\
	PUT(out_16ulp, 3) = rootn(POS(3) + (T)0.01, 5);			\
}

#define ROOTS(T, I, U)							\
kernel void roots_##T(global const T *pos, global const T *in, global T *out_4ulp)	\
{									\
	PUT(out_4ulp, 0) = rsqrt(POS(0) + (T)0.01);			\
	PUT(out_4ulp, 1) = cbrt(IN(1));					\
	PUT(out_4ulp, 2) = hypot(IN(2), IN(3));				\
	PUT(out_4ulp, 3) = sqrt(POS(3));				\
}

#define TRIG(T, I, U)							\
kernel void trig_##T(global const T *in, global T *out_5ulp)		\
{									\
	T c;								\
									\
	PUT(out_5ulp, 0) = sin(IN(0));					\
	PUT(out_5ulp, 1) = cos(IN(1) * (T)1e4);				\
	PUT(out_5ulp, 2) = tan(IN(2));					\
	PUT(out_5ulp, 3) = sincos(IN(3), &c);				\
	PUT(out_5ulp, 3) = get_global_id(0) & 1 ? c : PUT(out_5ulp, 3);	\
}

#define ARC(T, I, U)							\
kernel void arc_##T(global const T *in, global T *out_6ulp)		\
{									\
	PUT(out_6ulp, 0) = asin(IN(0) / (T)300);			\
	PUT(out_6ulp, 1) = acos(IN(1) / (T)300);			\
	PUT(out_6ulp, 2) = atan(IN(2));					\
	PUT(out_6ulp, 3) = atan2(IN(3), IN(0));				\
}

#define HYPERBOLIC(T, I, U)						\
kernel void hyperbolic_##T(global const T *in, global T *out_5ulp)	\
{									\
	PUT(out_5ulp, 0) = sinh(IN(0) * (T)0.1);			\
	PUT(out_5ulp, 1) = cosh(IN(1) * (T)0.1);			\
	PUT(out_5ulp, 2) = tanh(IN(2) * (T)0.1);			\
	PUT(out_5ulp, 3) = asinh(IN(3)) ;				\
}

#define GAMMA(T, I, U)							\
kernel void gamma_##T(global const T *pos, global const T *in, global T *out_16ulp)	\
{									\
	PUT(out_16ulp, 0) = erf(IN(0));					\
	PUT(out_16ulp, 1) = erfc(IN(1) * (T)0.02);			\
	PUT(out_16ulp, 2) = tgamma(POS(2) * (T)0.05 + (T)0.1);		\
	PUT(out_16ulp, 3) = acosh(POS(3) + (T)1);			\
}

EVERY(ARITH)
EVERY(FUSED)
EVERY(DIVIDE)
EVERY(ROUND)
EVERY(REMAIN)
EVERY(PARTS)
EVERY(PICK)
EVERY(CLASS)
EVERY(CONVERT)
EVERY(GEOMETRY)
EVERY(EXPONENT)
EVERY(LOGARITHM)
EVERY(POWER)
EVERY(ROOTS)
EVERY(TRIG)
EVERY(ARC)
EVERY(HYPERBOLIC)
EVERY(GAMMA)

kernel void between_floats(global const float *any, global const double *anyd, global float *out,
			   global double *outd)
{
	PUT(outd, 0) = (double)ANY(0) + (double)ANY(1) * 3.0;
	PUT(out, 0) = (float)PUT(anyd, 0);
	PUT(out, 1) = convert_float_rtz(PUT(anyd, 1)) + convert_float_rtp(PUT(anyd, 2));
	PUT(out, 2) = convert_float_rtn(PUT(anyd, 3));
}

kernel void float_bits(global const float *in, global uint *out)
{
	uint v = as_uint(IN(0));

	PUT(out, 0) = v ^ as_uint(fabs(IN(1))) & 0x7f800000;
	PUT(out, 1) = (v >> 23 & 0xff) - 127;
	PUT(out, 2) = as_uint(as_float(v & 0x7fffff | 0x3f800000) - 1.0f);
	PUT(out, 3) = any(isnan((float2)(IN(2), IN(3)))) | all(isfinite((float2)(IN(0), IN(1)))) << 1;
}

kernel void horner(global const float *in, global float *out)
{
	float x = IN(0) * 0.004f, s = 1.0f;

	for (int k = 12; k > 0; k--)
		s = s * x / (float)k + 1.0f;
	PUT(out, 0) = s;
}

kernel void newton(global const double *pos, global double *out)
{
	double v = POS(0) + 0.5, r = v;

	for (int k = 0; k < 40 && fabs(r * r - v) > v * 1e-15; k++)
		r = 0.5 * (r + v / r);
	PUT(out, 0) = r;
}
