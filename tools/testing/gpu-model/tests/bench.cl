// SPDX-License-Identifier: GPL-2.0
/* What "make bench-model" measures, a kernel for each kind of work. */
kernel void integer_loop(global uint *out, uint turns)
{
	uint g = get_global_id(0), a = g, b = ~g;

#pragma unroll 4
	for (uint k = 0; k < turns; k++) {
		a = a * 1664525 + k;
		b = (b ^ a >> 3) + (a << 5);
	}
	out[g] = a + b;
}

/* A polynomial, and what keeps its argument in range. */
kernel void float_loop(global uint *out, uint turns)
{
	uint g = get_global_id(0);
	float x = g * 0.001f, sum = 0;

#pragma unroll 4
	for (uint k = 0; k < turns; k++) {
		float p = fma(fma(fma(x, 0.25f, -0.5f), x, 0.75f), x, 1.0f);

		sum = sum * 0.5f + p;
		x = x + 0.37f;
		x = x > 1.0f ? x - 1.0f : x;
		sum = fmax(sum, x);
	}
	out[g] = as_uint(sum);
}

/* In half of the lanes, and in the other half. */
kernel void branch_loop(global uint *out, uint turns)
{
	uint g = get_global_id(0), a = g;

	for (uint k = 0; k < turns; k++) {
		if (a & 1)
			a = a * 3 + 1;
		else
			a = (a >> 1) ^ k;
	}
	out[g] = a;
}

/* Rows of a wave, in both directions and sizes. */
kernel void memory_loop(global uint *data, uint turns)
{
	uint g = get_global_id(0), n = get_global_size(0), sum = 0;
	global uint4 *wide = (global uint4 *)data;

	for (uint k = 0; k < turns; k++) {
		uint4 v = wide[n / 4 + g % (n / 4)];

		sum += v.x + v.w + data[(g + k) % n];
		data[n + g] = sum;
		wide[n / 2 + g % (n / 4)] = v + sum;
	}
	data[g] = sum;
}

/* A tile turned by way of local memory. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void local_loop(global uint *out, uint turns)
{
	local uint tile[16 * 64];
	uint l = get_local_id(0), sum = l;

	for (uint k = 0; k < turns; k++) {
		for (uint r = 0; r < 16; r++)
			tile[r * 64 + l] = sum + r;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint r = 0; r < 16; r++)
			sum += tile[l * 16 + r];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = sum;
}

typedef float float16_t __attribute__((ext_vector_type(16)));
typedef half half4_t __attribute__((ext_vector_type(4)));
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* Matrix products of float and of half. */
kernel void matrix_loop(global uint *out, uint turns)
{
	uint g = get_global_id(0), l = g % 64;
	half4_t h = { (half)(l & 7), (half)1, (half)(l & 3), (half)2 };
	float16_t c = 0, d = 0;
	float a = l, b = l * 0.5f;

	for (uint k = 0; k < turns; k++) {
		c = __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, c, 0, 0, 0);
		d = __builtin_amdgcn_mfma_f32_32x32x8f16(h, h, d, 0, 0, 0);
		a += 1;
	}
	for (uint n = 0; n < 16; n++)
		c[0] += c[n] + d[n];
	out[g] = as_uint(c[0]);
}
