// SPDX-License-Identifier: GPL-2.0
/*
 * Products of matrices: on the model by the matrix instructions that clang has builtins
 * for, on the host by loops. One wave has one product. A is stored by rows, B and C by
 * rows too. What is rounded is fused and in the same order, or small integers, which
 * are exact; gfx942 has instructions of its own for some (LLVM 15: gfx940).
 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#define L		((uint)get_local_id(0))
#define WAVE		((uint)get_group_id(0))
#define VALUES(p, per_item)	((p) + WAVE * 64 * (per_item))

/* Row of the lane's result r; its column is L % n. */
#define ROW32(r)	(8 * ((r) / 4) + 4 * (L / 32) + (r) % 4)
#define ROW16(r)	(4 * (L / 16) + (r))
#define ROW16_F64(r)	(4 * (r) + L / 16)

/* D as the host has it: FMA is the type's fused or plain product and sum. */
#define HOST(n, len, regs, row, T, a, b, c, d, FMA)			\
	for (uint r = 0; r < (regs); r++) {				\
		uint i = row(r), j = L % (n);				\
		T sum = (c)[i * (n) + j];				\
									\
		for (uint k = 0; k < (len); k++)			\
			sum = FMA((T)(a)[i * (len) + k], (T)(b)[k * (n) + j], sum);	\
		(d)[i * (n) + j] = sum;					\
	}

/* C to registers, and D from there. */
#define GET(n, regs, row, c, v)						\
	for (uint r = 0; r < (regs); r++)				\
		v[r] = (c)[row(r) * (n) + L % (n)]
#define PUT(n, regs, row, d, v)						\
	for (uint r = 0; r < (regs); r++)				\
		(d)[row(r) * (n) + L % (n)] = v[r]

#define MAD(a, b, c)	((a) * (b) + (c))

kernel void f32_16x16(global const float *in, global const float *in_c, global float *out)
{
	global const float *a = VALUES(in, 4), *b = a + 128, *c = VALUES(in_c, 4);
	global float *d = VALUES(out, 4);

#ifdef __AMDGCN__
	float4 v;

	GET(16, 4, ROW16, c, v);
	for (uint k = L / 16; k < 8; k += 4)
		v = __builtin_amdgcn_mfma_f32_16x16x4f32(a[L % 16 * 8 + k], b[k * 16 + L % 16],
							 v, 0, 0, 0);
	PUT(16, 4, ROW16, d, v);
#else
	HOST(16, 8, 4, ROW16, float, a, b, c, d, fma)
#endif
}

kernel void f32_32x32(global const float *in, global const float4 *in_c, global float4 *out)
{
	global const float *a = VALUES(in, 4), *b = a + 128;
	global const float *c = (global const float *)VALUES(in_c, 4);
	global float *d = (global float *)VALUES(out, 4);

#ifdef __AMDGCN__
	float16 v;

	GET(32, 16, ROW32, c, v);
	for (uint k = L / 32; k < 4; k += 2)
		v = __builtin_amdgcn_mfma_f32_32x32x2f32(a[L % 32 * 4 + k], b[k * 32 + L % 32],
							 v, 0, 0, 0);
	PUT(32, 16, ROW32, d, v);
#else
	HOST(32, 4, 16, ROW32, float, a, b, c, d, fma)
#endif
}

/* Sixteen products of 4x1 by 1x4; A is that of every fourth one, as CBSZ and ABID say. */
kernel void f32_4x4_shared_a(global const float *in, global const float *in_c,
			     global float *out)
{
	global const float *a = VALUES(in, 4), *b = a + 64, *c = VALUES(in_c, 4);
	global float *d = VALUES(out, 4);
	uint block = L / 4, from = block / 4 * 4 + 3;

#ifdef __AMDGCN__
	float4 v;

	for (uint r = 0; r < 4; r++)
		v[r] = c[block * 16 + 4 * r + L % 4];
	v = __builtin_amdgcn_mfma_f32_4x4x1f32(a[L], b[L], v, 2, 3, 0);
	for (uint r = 0; r < 4; r++)
		d[block * 16 + 4 * r + L % 4] = v[r];
#else
	for (uint r = 0; r < 4; r++) {
		uint at = block * 16 + 4 * r + L % 4;

		d[at] = fma(a[from * 4 + r], b[L], c[at]);
	}
#endif
}

kernel void f64_16x16(global const double *in, global const double *in_c, global double *out)
{
	global const double *a = VALUES(in, 4), *b = a + 128, *c = VALUES(in_c, 4);
	global double *d = VALUES(out, 4);

#ifdef __AMDGCN__
	double4 v;

	GET(16, 4, ROW16_F64, c, v);
	for (uint k = L / 16; k < 8; k += 4)
		v = __builtin_amdgcn_mfma_f64_16x16x4f64(a[L % 16 * 8 + k], b[k * 16 + L % 16],
							 v, 0, 0, 0);
	PUT(16, 4, ROW16_F64, d, v);
#else
	HOST(16, 8, 4, ROW16_F64, double, a, b, c, d, fma)
#endif
}

/* Four products of 4x4. */
kernel void f64_4x4(global const double *in, global double *out)
{
	uint block = L / 4 % 4, i = L / 16, j = L % 4;
	global const double *a = VALUES(in, 4) + 16 * block, *b = a + 64, *c = a + 128;
	global double *d = VALUES(out, 4) + 16 * block + 4 * i + j;

#ifdef __AMDGCN__
	/* A lane has A's row L % 4, B's column, and k, the result's row, is L / 16. */
	*d = __builtin_amdgcn_mfma_f64_4x4x4f64(a[4 * j + i], b[4 * i + j], c[4 * i + j],
						0, 0, 0);
#else
	double sum = c[4 * i + j];

	for (uint k = 0; k < 4; k++)
		sum = fma(a[4 * i + k], b[4 * k + j], sum);
	*d = sum;
#endif
}

kernel void i8_16x16(global const char4 *any, global const int *any_c, global int *out)
{
	global const char *a = (global const char *)VALUES(any, 4), *b = a + 512;
	global const int *c = VALUES(any_c, 4);
	global int *d = VALUES(out, 4);

#ifdef __AMDGCN__
	int4 v;

	GET(16, 4, ROW16, c, v);
#ifdef __gfx940__
	char8 va, vb;

	for (uint e = 0; e < 8; e++) {
		va[e] = a[L % 16 * 32 + L / 16 * 8 + e];
		vb[e] = b[(L / 16 * 8 + e) * 16 + L % 16];
	}
	v = __builtin_amdgcn_mfma_i32_16x16x32_i8(as_long(va), as_long(vb), v, 0, 0, 0);
#else
	for (uint k = L / 16 * 4; k < 32; k += 16) {
		char4 va, vb;

		for (uint e = 0; e < 4; e++) {
			va[e] = a[L % 16 * 32 + k + e];
			vb[e] = b[(k + e) * 16 + L % 16];
		}
		v = __builtin_amdgcn_mfma_i32_16x16x16i8(as_int(va), as_int(vb), v, 0, 0, 0);
	}
#endif
	PUT(16, 4, ROW16, d, v);
#else
	HOST(16, 32, 4, ROW16, int, a, b, c, d, MAD)
#endif
}

/* ---- small integers in formats that the host need not have ---- */

#define SMALL(v)	((v) % 8)
#define SMALL_MAD(a, b, c)	MAD(SMALL((int)(a)), SMALL((int)(b)), c)

/* Bits of an integer of less than 8 in a format of @man bits and a bias of @bias. */
uint float_bits(int v, uint man, uint bias, uint sign)
{
	uint m = abs(v), exp = 31 - clz(m);

	return m ? (v < 0 ? sign : 0) | (bias + exp) << man | (m << man >> exp) - (1 << man) : 0;
}

short to_bf16(int v)
{
	return float_bits(v, 7, 127, 0x8000);
}

kernel void f16_16x16(global const char2 *any, global const char *any_c, global float *out)
{
	global const char *a = (global const char *)VALUES(any, 4), *b = a + 256;
	global const char *c = VALUES(any_c, 4);
	global float *d = VALUES(out, 4);

#ifdef __AMDGCN__
	half4 va, vb;
	float4 v;

	GET(16, 4, ROW16, c, v);
	for (uint e = 0; e < 4; e++) {
		va[e] = SMALL(a[L % 16 * 16 + L / 16 * 4 + e]);
		vb[e] = SMALL(b[(L / 16 * 4 + e) * 16 + L % 16]);
	}
	v = __builtin_amdgcn_mfma_f32_16x16x16f16(va, vb, v, 0, 0, 0);
	PUT(16, 4, ROW16, d, v);
#else
	HOST(16, 16, 4, ROW16, float, a, b, c, d, SMALL_MAD)
#endif
}

kernel void bf16_32x32(global const char2 *any, global const char4 *any_c, global float4 *out)
{
	global const char *a = (global const char *)VALUES(any, 4), *b = a + 256;
	global const char *c = (global const char *)VALUES(any_c, 4);
	global float *d = (global float *)VALUES(out, 4);

#ifdef __AMDGCN__
	float16 v;
	short4 va, vb;

	GET(32, 16, ROW32, c, v);
	for (uint e = 0; e < 4; e++) {
		va[e] = to_bf16(SMALL(a[L % 32 * 8 + L / 32 * 4 + e]));
		vb[e] = to_bf16(SMALL(b[(L / 32 * 4 + e) * 32 + L % 32]));
	}
	v = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(va, vb, v, 0, 0, 0);
	PUT(32, 16, ROW32, d, v);
#else
	HOST(32, 8, 16, ROW32, float, a, b, c, d, SMALL_MAD)
#endif
}

/* The older bf16, of which a lane has two; xf32 on gfx942, which has none of them. */
kernel void bf16_or_xf32_16x16(global const char *any, global const char *any_c,
			       global float *out)
{
	global const char *a = VALUES(any, 4), *b = a + 128, *c = VALUES(any_c, 4);
	global float *d = VALUES(out, 4);

#ifdef __AMDGCN__
	float4 v;
#ifdef __gfx940__
	float2 va, vb;
#else
	short2 va, vb;
#endif

	GET(16, 4, ROW16, c, v);
	for (uint e = 0; e < 2; e++) {
		int x = SMALL(a[L % 16 * 8 + L / 16 * 2 + e]);
		int y = SMALL(b[(L / 16 * 2 + e) * 16 + L % 16]);

#ifdef __gfx940__
		va[e] = x;
		vb[e] = y;
#else
		va[e] = to_bf16(x);
		vb[e] = to_bf16(y);
#endif
	}
#ifdef __gfx940__
	v = __builtin_amdgcn_mfma_f32_16x16x8_xf32(va, vb, v, 0, 0, 0);
#else
	v = __builtin_amdgcn_mfma_f32_16x16x8bf16(va, vb, v, 0, 0, 0);
#endif
	PUT(16, 4, ROW16, d, v);
#else
	HOST(16, 8, 4, ROW16, float, a, b, c, d, SMALL_MAD)
#endif
}

/* fp8 of gfx942, by its own conversion; the others multiply the integers. */
kernel void fp8_16x16(global const char4 *any, global const char *any_c, global float *out)
{
	global const char *a = (global const char *)VALUES(any, 4), *b = a + 512;
	global const char *c = VALUES(any_c, 4);
	global float *d = VALUES(out, 4);

#ifdef __gfx940__
	int va[2] = { 0, 0 }, vb[2] = { 0, 0 };
	float4 v;

	GET(16, 4, ROW16, c, v);
	for (uint e = 0; e < 8; e += 4) {
		float4 x, y;

		for (uint n = 0; n < 4; n++) {
			x[n] = SMALL(a[L % 16 * 32 + L / 16 * 8 + e + n]);
			y[n] = SMALL(b[(L / 16 * 8 + e + n) * 16 + L % 16]);
		}
		va[e / 4] = __builtin_amdgcn_cvt_pk_fp8_f32(x[0], x[1], va[e / 4], false);
		va[e / 4] = __builtin_amdgcn_cvt_pk_fp8_f32(x[2], x[3], va[e / 4], true);
		vb[e / 4] = __builtin_amdgcn_cvt_pk_fp8_f32(y[0], y[1], vb[e / 4], false);
		vb[e / 4] = __builtin_amdgcn_cvt_pk_fp8_f32(y[2], y[3], vb[e / 4], true);
	}
	v = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(as_long((int2)(va[0], va[1])),
						       as_long((int2)(vb[0], vb[1])), v,
						       0, 0, 0);
	PUT(16, 4, ROW16, d, v);
#else
	HOST(16, 32, 4, ROW16, float, a, b, c, d, SMALL_MAD)
#endif
}

/* Which k, of four, the first and the second of A's elements there have: any two. */
uint first_k(uint v)
{
	return v % 3;
}

uint second_k(uint v)
{
	return 1 + v % 3 + v / 4 % (3 - v % 3);
}

/* A has two of each four k; gfx942 has an instruction for it. */
kernel void sparse_16x16(global const char4 *any, global const uchar2 *any_k,
			 global const char *any_c, global float *out)
{
	global const char *a = (global const char *)VALUES(any, 4), *b = a + 256;
	global const uchar *which = (global const uchar *)VALUES(any_k, 4);
	global const char *c = VALUES(any_c, 4);
	global float *d = VALUES(out, 4);

#ifdef __gfx940__
	uint index = 0, i = L % 16, q = L / 16;
	half4 va;
	half8 vb;
	float4 v;

	GET(16, 4, ROW16, c, v);
	for (uint e = 0; e < 4; e++) {
		uint w = which[i * 8 + q * 2 + e / 2];

		va[e] = SMALL(a[i * 16 + q * 4 + e]);
		index |= (e % 2 ? second_k(w) : first_k(w)) << 2 * e;
	}
	for (uint e = 0; e < 8; e++)
		vb[e] = SMALL(b[(q * 8 + e) * 16 + i]);
	v = __builtin_amdgcn_smfmac_f32_16x16x32_f16(va, vb, v, index, 0, 0);
	PUT(16, 4, ROW16, d, v);
#else
	for (uint r = 0; r < 4; r++) {
		uint i = ROW16(r), j = L % 16;
		float sum = c[i * 16 + j];

		for (uint e = 0; e < 16; e++) {
			uint w = which[i * 8 + e / 2];
			uint k = e / 2 * 4 + (e % 2 ? second_k(w) : first_k(w));

			sum += SMALL(a[i * 16 + e]) * SMALL(b[k * 16 + j]);
		}
		d[i * 16 + j] = sum;
	}
#endif
}
