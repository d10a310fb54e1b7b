// SPDX-License-Identifier: GPL-2.0
/*
 * Integers of 8 to 64 bits, signed and not, and vectors of them. Sums are made
 * in unsigned types: an overflow of a signed one would be undefined.
 */
#define IN(k)	in[get_global_id(0) + (k) * get_global_size(0)]
#define OUT(k)	out[get_global_id(0) + (k) * get_global_size(0)]

#define ARITH(T, U)							\
kernel void arith_##T(global const T *in, global T *out, T s)		\
{									\
	U a = IN(0), b = IN(1), c = IN(2);				\
									\
	OUT(0) = a + b * c - s;						\
	OUT(1) = (a - b) * (U)s + (c ^ a);				\
	OUT(2) = -a * b * c + (U)3 * a;					\
	OUT(3) = (a + 1) * (b - 1) * (c + (U)s) ^ (a & ~b | c);		\
}

#define DIVIDE(T, U)							\
kernel void divide_##T(global const T *in, global T *out, T s)		\
{									\
	T a = IN(0), b = IN(1), least = (T)((T)-1 < 0 ? (U)1 << (8 * sizeof(T) - 1) : 0); \
									\
	b = b == 0 || (b == (T)-1 && a == least) ? 7 : b;		\
	s = s == 0 || s == (T)-1 ? 3 : s;				\
	OUT(0) = a / b;							\
	OUT(1) = a % b;							\
	OUT(2) = a / s + a / 10;					\
	OUT(3) = a % s + a % 1000003;					\
}

#define SHIFT(T, U)							\
kernel void shift_##T(global const T *in, global T *out, uint s)	\
{									\
	T a = IN(0), b = IN(1);						\
	uint by = (uint)IN(2) % (8 * sizeof(T));			\
									\
	OUT(0) = (T)((U)a << by) + (a >> by);				\
	OUT(1) = (T)((U)a << s % (8 * sizeof(T))) ^ (b >> s % (8 * sizeof(T)));	\
	OUT(2) = rotate(a, b) + rotate(b, (T)3) + clz(a) + popcount(b);	\
	OUT(3) = ((U)a >> by) + (U)(b >> 3) + (T)((U)b << 5);		\
}

#define BUILTIN(T, U)							\
kernel void builtin_##T(global const T *in, global T *out)		\
{									\
	T a = IN(0), b = IN(1), c = IN(2), d = IN(3);			\
									\
	OUT(0) = (U)add_sat(a, b) + (U)sub_sat(c, d) + (U)mul_hi(a, c);	\
	OUT(1) = (U)hadd(a, b) ^ (U)rhadd(c, d) ^ (U)mad_sat(a, b, c);	\
	OUT(2) = (U)abs(a) + (U)abs_diff(b, c) + (U)mad_hi(a, b, d);	\
	OUT(3) = (U)min(a, b) + (U)max(c, d) * 3u +			\
		 (U)clamp(a, min(b, c), max(b, c)) * 5u + (U)bitselect(a, b, c);	\
}

#define COMPARE(T, U)							\
kernel void compare_##T(global const T *in, global T *out, T s)		\
{									\
	T a = IN(0), b = IN(1);						\
									\
	OUT(0) = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > s) << 4 | \
		 (a >= s) << 5;						\
	OUT(1) = a < b ? a : b == s ? (T)1 : b;				\
	OUT(2) = (a && b) + (a || s) * 2 + !a * 4;			\
	OUT(3) = select(a, b, (T)(a > b ? (T)-1 : 0));			\
}

#define VECTOR(T, U)							\
kernel void vector_##T(global const T##4 *in, global T##4 *out, T s)	\
{									\
	size_t i = get_global_id(0);					\
	U##4 a = __builtin_astype(in[4 * i], U##4), b = __builtin_astype(in[4 * i + 1], U##4); \
	U##4 c = a * b + (U##4)((U)s);					\
									\
	out[4 * i] = __builtin_astype(c.wzyx + a.xxzz, T##4);		\
	out[4 * i + 1] = in[4 * i] > in[4 * i + 1] ? in[4 * i] : in[4 * i + 2];	\
	out[4 * i + 2] = min(in[4 * i], in[4 * i + 3]) ^ max(in[4 * i + 1], in[4 * i + 2]); \
	out[4 * i + 3] = __builtin_astype((U##4)(a.lo, b.hi) >> (U##4)(1, 2, 3, 4), T##4); \
}

#define EVERY(X) X(char, uchar) X(uchar, uchar) X(short, ushort) X(ushort, ushort)	\
		 X(int, uint) X(uint, uint) X(long, ulong) X(ulong, ulong)

EVERY(ARITH)
EVERY(DIVIDE)
EVERY(SHIFT)
EVERY(BUILTIN)
EVERY(COMPARE)
EVERY(VECTOR)

/* From each type to each: cut off, extended, and held at the ends. */
#define CONVERT(T, U)							\
kernel void casts_##T(global const T *in, global char *c, global ushort *us,	\
			global int *i, global ulong *ul, global long *l)	\
{									\
	size_t g = get_global_id(0), n = get_global_size(0);		\
									\
	c[g] = (char)in[g];						\
	c[g + n] = convert_char_sat(in[g + n]);				\
	us[g] = (ushort)in[g];						\
	us[g + n] = convert_ushort_sat(in[g + n]);			\
	i[g] = (int)in[g];						\
	i[g + n] = convert_int_sat(in[g + n]);				\
	i[g + 2 * n] = convert_uchar_sat(in[g + n]) + convert_short_sat(in[g]);	\
	ul[g] = (ulong)in[g];						\
	ul[g + n] = convert_ulong_sat(in[g + n]) + convert_uint_sat(in[g]);	\
	l[g] = (long)in[g];						\
	l[g + n] = convert_long_sat(in[g + n]);				\
}
EVERY(CONVERT)

kernel void mul24_mad24(global const int *in, global int *out)
{
	int a = IN(0) >> 8, b = IN(1) >> 8, c = IN(2);

	OUT(0) = mul24(a >> 8, b >> 8);
	OUT(1) = mad24(a >> 8, b >> 8, c >> 2);
	OUT(2) = mul24((uint)a & 0xffff, (uint)b & 0xffff);
	OUT(3) = mad24((uint)a & 0xffff, (uint)b & 0xffff, (uint)c);
}

kernel void upsample_all(global const uint *in, global ulong *out)
{
	uint a = IN(0), b = IN(1);

	OUT(0) = upsample(a, b);
	OUT(1) = upsample((int)a, b);
	OUT(2) = upsample((ushort)a, (ushort)b) + upsample((short)a, (ushort)b);
	OUT(3) = upsample((uchar)a, (uchar)b) + upsample((char)a, (uchar)b);
}

kernel void wide_products(global const ulong *in, global ulong *out)
{
	ulong a = IN(0), b = IN(1);
	long c = IN(2), d = IN(3);

	OUT(0) = (a & 0xffffffff) * (b & 0xffffffff) + (ulong)c;
	OUT(1) = (ulong)((long)(int)c * (long)(int)d) + a;
	OUT(2) = mul_hi(a, b) + (ulong)mul_hi(c, d);
	OUT(3) = a * b + mul_hi(a, (ulong)d) * 7;
}

kernel void byte_lanes(global const uint *in, global uint *out)
{
	uint a = IN(0), b = IN(1);
	uchar4 x = as_uchar4(a), y = as_uchar4(b);

	OUT(0) = as_uint(abs_diff(x, y)) + as_uint(x.wzyx);
	OUT(1) = (uint)x.x * y.x + (uint)x.y * y.y + (uint)x.z * y.z + (uint)x.w * y.w;
	OUT(2) = as_uint(convert_uchar4_sat(convert_short4(x) - convert_short4(y)));
	OUT(3) = as_uint((uchar4)(x.lo, y.hi)) ^ (a >> 24 | a << 8);
}

kernel void wide_vectors(global const uint *in, global uint *out)
{
	size_t g = get_global_id(0) * 4;
	uint16 v = (uint16)(vload4(0, in + g), vload4(0, in + g / 2), vload4(0, in + g / 4),
			    (uint4)(1, 2, 3, 4));
	uint16 w = v.sfedcba9876543210 * v + 3;
	uint8 h = w.even ^ w.odd;

	vstore4(h.lo + h.hi * w.s0123, 0, out + g);
}

kernel void threes(global const short *in, global short *out)
{
	size_t g = get_global_id(0);
	ushort3 a = as_ushort3(vload3(g, in)), b = a.zxy;

	vstore3(as_short3((ushort3)(a * b + (ushort)g)), g, out);
}

kernel void shuffles(global const uint4 *in, global uint4 *out)
{
	size_t g = get_global_id(0);
	uint4 a = in[2 * g], b = in[2 * g + 1];

	out[2 * g] = shuffle(a, b & 3);
	out[2 * g + 1] = shuffle2(a, b, a ^ b);
}

kernel void bit_fields(global const uint *in, global uint *out, uint s)
{
	uint a = IN(0), b = IN(1), off = b & 31, len = b >> 5 & 15;

	OUT(0) = a >> off & ((1u << len) - 1);
	OUT(1) = (a & ~(((1u << len) - 1) << off)) | (b & ((1u << len) - 1)) << off;
	OUT(2) = (int)(a << 7) >> 20 ^ (a >> 3 & 0x3ff);
	OUT(3) = (a >> (s & 15) & 0xff) + (a & -a) + (a & a - 1);
}

kernel void reverse_bits(global const uint *in, global uint *out)
{
	uint v = IN(0), r = 0;
	ulong w = (ulong)IN(1) << 32 | IN(2), t = 0;

	for (uint k = 0; k < 32; k++)
		r |= (v >> k & 1) << (31 - k);
	for (uint k = 0; k < 64; k++)
		t = t << 1 | (w >> k & 1);
	OUT(0) = r;
	OUT(1) = (uint)t;
	OUT(2) = (uint)(t >> 32);
	OUT(3) = clz(r & -r) + popcount(v) * 64 + popcount(w);
}

kernel void carry_chain(global const ulong *in, global ulong *out)
{
	ulong a = IN(0), b = IN(1), c = IN(2), d = IN(3), lo = a + c, carry = lo < a;

	OUT(0) = lo;
	OUT(1) = b + d + carry;
	OUT(2) = a - c;
	OUT(3) = b - d - (a < c);
}
