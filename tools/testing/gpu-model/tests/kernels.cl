// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels of the instruction tests. isa_kernels.c computes the same on the
 * host. One work-item writes out[gid]; in[] is pseudo-random.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

/* All widths of integers: arithmetic, shifts, compares, conversions, carries. */
__kernel void ints(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0);
	ulong a = in[2 * g], b = in[2 * g + 1];
	char ca = a, cb = b;
	uchar ua = a >> 8, ub = b >> 8;
	short sa = a >> 16, sb = b >> 16;
	ushort ta = a >> 24, tb = b >> 24;
	int ia = a >> 3, ib = b >> 5;
	uint xa = a >> 7, xb = b >> 9;
	long la = a, lb = b;
	ulong r = 0;

	r += (uchar)(ca * cb + ca) ^ (uchar)(ca >> (cb & 7)) ^ (ua / (ub | 1)) ^ (ua % (ub | 1));
	r = r * 31 + (ushort)(sa * sb - sa) + (ushort)(sa / (sb | 1)) + (ushort)(ta % (tb | 1));
	r = r * 31 + (uint)(ia * ib) + (uint)(ia / (ib | 1)) + (uint)(ia % (ib | 1));
	r = r * 31 + xa / (xb | 1) + xa % (xb | 1) + mul_hi(xa, xb) + (uint)mul_hi(ia, ib);
	r = r * 31 + (ulong)(la * lb) + (ulong)(la / (lb | 1)) + (ulong)(la % (lb | 1));
	r = r * 31 + a / (b | 1) + a % (b >> 32 | 1) + mul_hi(a, b) + (ulong)mul_hi(la, lb);
	r ^= (a << (b & 63)) + (a >> (b & 63)) + (ulong)(la >> (b & 63));
	r += clz(xa) + popcount(a) + clz(a | 1) + (uint)rotate(ia, (int)(xb & 31));
	r += (la < lb) + 2 * (a < b) + 4 * (sa < sb) + 8 * (ta < tb) + 16 * (ca < cb);
	r += max(ia, ib) + min(xa, xb) + (ulong)max(la, lb) + abs_diff(ia, ib);
	r += add_sat(ia, ib) + (ulong)sub_sat(xa, xb) + (ushort)add_sat(sa, sb) + sub_sat(ta, tb);
	out[g] = r;
}

/* Vectors of small integers: packed instructions and sub-dword selects. */
__kernel void packed(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0);
	short4 a = as_short4(in[2 * g]), b = as_short4(in[2 * g + 1]);
	ushort4 ua = as_ushort4(in[2 * g]), ub = as_ushort4(in[2 * g + 1]);
	uchar8 ca = as_uchar8(in[2 * g]), cb = as_uchar8(in[2 * g + 1]);
	short4 r = a * b + (a >> (short4)3) - max(a, b);

	r ^= as_short4(ua * ub + (ua >> (ushort4)2) + min(ua, ub));
	r += add_sat(a, b) - as_short4(sub_sat(ua, ub));
	r = r.wzyx + as_short4(ca * cb + (ca << (uchar8)1) + max(ca, cb));
	out[g] = as_ulong(r);
}

__kernel void f32(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0);
	float a = (float)(int)in[2 * g] * 0x1p-16f, b = (float)(uint)in[2 * g + 1] * 0x1p-20f;
	float r = fma(a, b, 1.5f), s = a / b;
	uint bits = as_uint(r) ^ as_uint(s) ^ as_uint(sqrt(fabs(a))) ^ as_uint(a + b) ^
		    as_uint(fmin(a, b)) ^ as_uint(floor(a)) ^ as_uint(trunc(b)) ^
		    as_uint(rint(a)) ^ as_uint(ldexp(a, 7));

	bits += (uint)(int)a + convert_uint_sat(b) + (a < b) + isnan(s) + (uint)ilogb(b);
	/* Subnormals, infinities, NaN by bits. */
	a = as_float((uint)in[2 * g]);
	b = as_float((uint)(in[2 * g + 1] >> 13));
	r = a * b;
	out[g] = (ulong)bits << 32 | (isnan(r) ? 0x7fc00000u : as_uint(r)) ^
		 ((uint)isinf(a) << 7 | (uint)(a > b) << 3 | (uint)isnormal(b));
}

__kernel void f64(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0);
	double a = (double)(long)in[2 * g] * 0x1p-40, b = (double)in[2 * g + 1] * 0x1p-44;
	double r = fma(a, b, 1.5), s = a / b, x = as_double(in[2 * g]), y;
	ulong bits = as_ulong(r) ^ as_ulong(s) ^ as_ulong(sqrt(fabs(a))) ^ as_ulong(a + b) ^
		     as_ulong(fmax(a, b)) ^ as_ulong(ceil(a)) ^ as_ulong(trunc(b)) ^
		     as_ulong(rint(a)) ^ as_ulong(ldexp(a, -7)) ^ as_ulong((double)(float)a);

	bits += (ulong)(long)a + (ulong)b + (ulong)(uint)(int)(a * 0x1p-20) + (a < b);
	y = x * as_double(in[2 * g + 1]);
	bits += isnan(y) ? 0x7ff8ul : as_ulong(y);
	y = x / as_double(in[2 * g + 1]);
	out[g] = bits + (isnan(y) ? 0x7ff8ul : as_ulong(y));
}

/* Divergence: nested branches, loops of different length, early exits, switch. */
__kernel void diverge(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0);
	ulong v = in[g], r = g;
	uint n = v & 63;

	for (uint k = 0; k < n; k++) {
		if (v >> k & 1) {
			r = r * 3 + k;
			if ((r & 0xff) == 0x77)
				continue;
			if ((r & 0x3fff) == 0x1234)
				break;
		} else if (k & 1) {
			r ^= v >> (k & 31);
		}
		switch ((r >> 5) & 7) {
		case 0: r += 17; break;
		case 1: r ^= 0x5555; break;
		case 3: r = r << 1 | r >> 63; break;
		case 6: r -= k; break;
		default: r++;
		}
	}
	out[g] = r;
}

/* Tree reduction in local memory. The workgroup is 256. */
__kernel void reduce(__global const ulong *in, __global ulong *out, __local ulong *part)
{
	uint l = get_local_id(0), g = get_global_id(0);

	part[l] = in[g];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint n = get_local_size(0) / 2; n; n /= 2) {
		if (l < n)
			part[l] += part[l + n] * 3;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[g] = part[0] + l;
}

/* Atomics on local and global memory, 32 and 64 bits. */
__kernel void atomics(__global const ulong *in, __global ulong *out, __global ulong *sum,
		      __local uint *count)
{
	uint l = get_local_id(0), g = get_global_id(0), v = in[g];

	if (l < 4)
		count[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&count[v & 3], v);
	atomic_sub(&count[3], 1u);
	atomic_xor(&count[3], (v >> 31) << 31);
	barrier(CLK_LOCAL_MEM_FENCE);
	atom_add(&sum[0], (ulong)v * v);
	atom_max(&sum[1], in[g]);
	atom_min(&sum[2], in[g]);
	atomic_or((__global uint *)&sum[3], 1u << (v & 31));
	atomic_max((__global int *)&sum[4], (int)v);
	atomic_inc((__global uint *)&sum[5]);
	out[g] = (ulong)count[1] << 32 | (count[0] ^ count[2] ^ count[3]);
}

/* Scratch: an array indexed by data. */
__kernel void scratch(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0);
	ulong v = in[g], r = 0;
	uint t[48];
	uchar bytes[40];

	for (uint k = 0; k < 48; k++)
		t[k] = (uint)(v >> (k & 31)) + k;
	for (uint k = 0; k < 40; k++)
		bytes[k] = t[(v + k * 7) % 48];
	for (uint k = 0; k < 64; k++) {
		uint at = (v >> (k & 7)) % 48;

		t[at] = t[at] * 5 + t[(at + k) % 48] + bytes[(at * k) % 40];
		bytes[at % 40] ^= k;
	}
	for (uint k = 0; k < 48; k++)
		r = r * 33 + t[k] + bytes[k % 40];
	out[g] = r;
}

/* Calls that stay calls: arguments and results by the ABI, a stack, pointers to locals. */
__attribute__((noinline)) static ulong mix(ulong a, uint b)
{
	return (a ^ a >> 29) * 0xbf58476d1ce4e5b9ul + b;
}

__attribute__((noinline)) static void twist(ulong *p, uint n)
{
	ulong save[6];

	for (uint k = 0; k < 6; k++)
		save[k] = mix(*p, k + n);
	*p = save[n % 6] ^ save[(n + 1) % 6];
}

__attribute__((noinline)) static ulong fib(uint n, ulong seed)
{
	ulong a = seed, b = mix(seed, n);

	for (uint k = 0; k < n; k++) {
		ulong t = mix(a + b, k);

		a = b;
		b = t;
	}
	return b;
}

__kernel void calls(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0);
	ulong v = in[g];

	for (uint k = 0; k < (g & 7); k++)
		twist(&v, k + g);
	out[g] = v + fib(v & 15, v);
}

/* More live values than there are architectural registers: the rest go to AGPRs. */
#define N 176
__attribute__((amdgpu_flat_work_group_size(1, 64), amdgpu_waves_per_eu(1, 1)))
__kernel void registers(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0), t[N];
	ulong r = 0;

#pragma unroll
	for (uint k = 0; k < N; k++)
		t[k] = (uint)(in[(g + k) & 255] >> (k & 31)) * (k + 3);
	for (uint n = 0; n < 4; n++) {
#pragma unroll
		for (uint k = 0; k < N; k++)
			t[k] = t[k] * 5 + (t[(k + 61) % N] ^ t[(k + 127) % N]);
	}
#pragma unroll
	for (uint k = 0; k < N; k++)
		r = r * 31 + t[k];
	out[g] = r;
}

/* Lanes that read each other: DPP, permutes, lane reads, ballots by count. */
__kernel void lanes(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0), v = in[g], r = v;

	r += __builtin_amdgcn_mov_dpp(v, 0x1b, 0xf, 0xf, true);		/* quads reversed */
	r = r * 3 + __builtin_amdgcn_mov_dpp(v, 0x111, 0xf, 0xf, true);	/* row_shr:1 */
	r = r * 3 + __builtin_amdgcn_update_dpp(r, v, 0x104, 0xf, 0xf, false);
	r = r * 3 + __builtin_amdgcn_update_dpp(r, v, 0x142, 0xa, 0xf, false);
	r = r * 3 + __builtin_amdgcn_mov_dpp(v, 0x140, 0xf, 0xf, true);	/* row_mirror */
	r = r * 3 + __builtin_amdgcn_ds_swizzle(v, 0x081f);		/* xor 2 */
	r = r * 3 + __builtin_amdgcn_ds_bpermute(4 * ((g * 7) & 63), v);
	r = r * 3 + __builtin_amdgcn_ds_permute(4 * ((g * 5 + 3) & 63), v);
	r += __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_readlane(v, 13);
	r += __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
	out[g] = r + ((ulong)__builtin_amdgcn_uicmp(v, 0x80000000u, 36) << 8);
}

/* Flat pointers that are local, private or global by lane. */
__kernel void flat(__global ulong *in, __global ulong *out)
{
	__local uint shared[256];
	uint own[4] = { 1, 2, 3, 4 }, g = get_global_id(0), l = get_local_id(0), *p;
	ulong v = in[g];

	shared[l] = v;
	own[v & 3] += l;
	barrier(CLK_LOCAL_MEM_FENCE);
	p = v & 4 ? (uint *)&shared[(l + 1) & 255] : v & 8 ? &own[v >> 4 & 3] : (uint *)&in[g];
	out[g] = *(volatile uint *)p + own[v >> 6 & 3];
}

/* Vectors indexed by what is the same in all lanes: register indexing. */
__kernel void vectors(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0);
	uint16 t = (uint16)(in[g]);
	ulong v = in[g];

	for (uint k = 0; k < 16; k++)
		t[k] = v >> k * 3;
	for (uint k = 0; k < 40; k++)
		t[in[k] & 15] += t[(in[k] >> 4) + k & 15] * 3 + k;
	for (uint k = 0; k < 16; k++)
		v = v * 7 + t[k];
	out[g] = v;
}

/* Half precision below 2, subnormals included: scalar and packed. */
__kernel void halves(__global const ulong *in, __global ulong *out)
{
	uint g = get_global_id(0), v = in[g];
	half a = as_half((ushort)(v & 0xbfff)), b = as_half((ushort)(v >> 16 & 0xbfff));
	half product = a * b, sum = a + b, fused = fma(a, b, a), root = sqrt(fabs(a));
	half2 p = (half2)(a, b) + (half2)(b, b), q = fmax((half2)(a, b), (half2)(b, a));
	ulong r = as_ushort(product) | (ulong)as_ushort(sum) << 16 |
		  (ulong)as_ushort(fused) << 32 | (ulong)as_ushort(root) << 48;

	r += (ulong)as_uint(p) << 9;
	r += (ulong)as_uint(q) << 13;
	out[g] = r + (ulong)(uint)(int)((float)a * 1000.0f) + as_ushort((half)((float)b * 1.1f));
}
