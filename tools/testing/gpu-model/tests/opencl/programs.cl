// SPDX-License-Identifier: GPL-2.0
/* Whole algorithms, as users' kernels are. */
#pragma OPENCL FP_CONTRACT OFF
#define G	get_global_id(0)

kernel void vector_add(global const float *a, global const float *b, global float *out)
{
	out[G] = a[G] + b[G];
}

kernel void saxpy(global const float *x, global float *y, float s)
{
	y[G] = fma(s, x[G], y[G]);
}

kernel void matrix_naive(global const double *a, global const double *b, global double *out)
{
	uint row = G / 16, col = G % 16;
	double s = 0;

	for (int k = 0; k < 16; k++)
		s += a[row * 16 + k] * b[k * 16 + col];
	out[G] = s;
}

kernel void crc32(global const uchar *in, global uint *out)
{
	uint c = ~0u;

	for (int k = 0; k < 32; k++) {
		c ^= in[(G * 4 + k) & 1023];
		for (int b = 0; b < 8; b++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
	}
	out[G] = ~c;
}

kernel void adler_fletcher(global const uchar *in, global uint *out)
{
	uint a = 1, b = 0, f = 0, g = 0;

	for (int k = 0; k < 100; k++) {
		uint v = in[(G + k) & 1023];

		a = (a + v) % 65521;
		b = (b + a) % 65521;
		f = (f + v) % 255;
		g = (g + f) % 255;
	}
	out[G] = (b << 16 | a) ^ (g << 8 | f);
}

kernel void fnv_murmur(global const ulong *in, global ulong *out)
{
	ulong h = 0xcbf29ce484222325, v = in[G];

	for (int k = 0; k < 8; k++)
		h = (h ^ (v >> 8 * k & 0xff)) * 0x100000001b3;
	v ^= v >> 33;
	v *= 0xff51afd7ed558ccd;
	v ^= v >> 33;
	v *= 0xc4ceb9fe1a85ec53;
	v ^= v >> 33;
	out[G] = h ^ v;
}

constant uint sha_k[16] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174,
};

/* SHA-256's round, over a schedule of its kind. */
kernel void sha_rounds(global const uint *in, global uint *out)
{
	uint w[16], s[8];

	for (int k = 0; k < 16; k++)
		w[k] = in[(G + k * 16) & 1023];
	for (int k = 0; k < 8; k++)
		s[k] = sha_k[k] ^ (uint)G;
	for (int r = 0; r < 64; r++) {
		uint e1 = rotate(s[4], 26u) ^ rotate(s[4], 21u) ^ rotate(s[4], 7u);
		uint t1 = s[7] + e1 + bitselect(s[6], s[5], s[4]) + sha_k[r & 15] + w[r & 15];
		uint e0 = rotate(s[0], 30u) ^ rotate(s[0], 19u) ^ rotate(s[0], 10u);
		uint t2 = e0 + bitselect(s[0], s[1], s[2] ^ s[0]);

		for (int k = 7; k; k--)
			s[k] = s[k - 1];
		s[4] += t1;
		s[0] = t1 + t2;
		w[r & 15] += w[(r + 9) & 15] + (rotate(w[(r + 1) & 15], 25u) ^
						w[(r + 14) & 15] >> 10);
	}
	for (int k = 0; k < 4; k++)
		out[4 * G + k] = s[2 * k] + s[2 * k + 1];
}

kernel void chacha(global const uint *in, global uint *out)
{
	uint x[16];

	for (int k = 0; k < 16; k++)
		x[k] = in[(G + k) & 1023];
#define QUARTER(a, b, c, d)						\
	x[a] += x[b]; x[d] = rotate(x[d] ^ x[a], 16u);			\
	x[c] += x[d]; x[b] = rotate(x[b] ^ x[c], 12u);			\
	x[a] += x[b]; x[d] = rotate(x[d] ^ x[a], 8u);			\
	x[c] += x[d]; x[b] = rotate(x[b] ^ x[c], 7u)
	for (int r = 0; r < 10; r++) {
		QUARTER(0, 4, 8, 12);
		QUARTER(1, 5, 9, 13);
		QUARTER(2, 6, 10, 14);
		QUARTER(3, 7, 11, 15);
		QUARTER(0, 5, 10, 15);
		QUARTER(1, 6, 11, 12);
		QUARTER(2, 7, 8, 13);
		QUARTER(3, 4, 9, 14);
	}
	for (int k = 0; k < 4; k++)
		out[4 * G + k] = x[k] ^ x[k + 4] ^ x[k + 8] ^ x[k + 12];
}

kernel void xorshift(global const ulong *in, global ulong *out)
{
	ulong a = in[2 * G] | 1, b = in[2 * G + 1];

	for (int k = 0; k < 50; k++) {
		ulong t = a ^ a << 23;

		a = b;
		b = t ^ a ^ t >> 18 ^ a >> 5;
	}
	out[G] = a + b;
}

kernel void modular_power(global const uint *in, global uint *out)
{
	ulong base = in[G] % 1000000007, r = 1;

	for (uint e = in[G + get_global_size(0)]; e; e >>= 1) {
		if (e & 1)
			r = r * base % 1000000007;
		base = base * base % 1000000007;
	}
	out[G] = r;
}

kernel void primes(global const uint *in, global uint *out)
{
	uint v = in[G] % 20000 | 1, d = 3;

	while (d * d <= v && v % d)
		d += 2;
	out[G] = d * d > v ? v : 0;
}

kernel void square_root_by_bits(global const ulong *in, global ulong *out)
{
	ulong v = in[G], r = 0;

	for (ulong bit = 1ul << 62; bit; bit >>= 2) {
		if (v >= r + bit) {
			v -= r + bit;
			r = r >> 1 | bit;
			r = (r & ~bit) + bit;
		} else {
			r >>= 1;
		}
	}
	out[G] = r;
}

kernel void mandelbrot(global float *out)
{
	float cx = -2.0f + 2.5f * (float)(G % 16) / 16.0f, cy = -1.25f + 2.5f * (float)(G / 16) / 16.0f;
	float x = 0, y = 0;
	int n = 0;

	for (; n < 100 && x * x + y * y < 4.0f; n++) {
		float t = x * x - y * y + cx;

		y = 2.0f * x * y + cy;
		x = t;
	}
	out[G] = n;
}

kernel void bodies(global const float4 *in, global float4 *out_64ulp)
{
	float4 me = in[G], f = 0;

	for (int k = 0; k < 32; k++) {
		float4 d = in[k] - me;
		float r = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;

		f += d / (r * sqrt(r));
	}
	out_64ulp[G] = fabs(f) + 1.0f;
}

kernel void black_scholes(global const float *pos, global float *out_64ulp)
{
	float s = 20.0f + pos[G] * 0.1f, k = 20.0f + pos[G + 256] * 0.1f, t = 1.0f, v = 0.4f, r = 0.05f;
	float d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);

	out_64ulp[G] = s * 0.5f * erfc(-d1 * 0.70710678f) + 10.0f -
		       k * exp(-r * t) * 0.5f * erfc(-d2 * 0.70710678f) + k;
}

/* 16 points; the factors are from the library, hence not exact. */
kernel void fourier(global const float *in, global float *out_2000ulp)
{
	float re = 0, im = 0, sum = 0;
	uint base = G & ~15u, k = G & 15;

	for (int n = 0; n < 16; n++) {
		float a = -6.2831853f * (float)(n * k % 16) / 16.0f;

		re += in[base + n] * cos(a);
		im += in[base + n] * sin(a);
		sum += fabs(in[base + n]);
	}
	out_2000ulp[2 * G] = re + 4 * sum;
	out_2000ulp[2 * G + 1] = im + 4 * sum;
}

kernel void polynomial(global const int *in, global int *out)
{
	int r[8] = { 0 };

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			r[i + j] += (in[(G + i) & 255] & 0xffff) * (in[(G + j + 9) & 255] & 0x7ff);
	for (int k = 0; k < 4; k++)
		out[4 * G + k] = r[k] - r[7 - k];
}

kernel void sparse_rows(global const uint *cols, global const float *in, global float *out)
{
	float s = 0;
	uint n = cols[G] & 7;

	for (uint k = 0; k < n; k++)
		s = fma(in[cols[G * 4 + k % 4] & 255], in[(G + k) & 255], s);
	out[G] = s;
}

kernel void string_search(global const uchar *in, global uint *out)
{
	uint found = 0;

	for (uint at = 0; at < 64; at++) {
		uint k = 0;

		while (k < 4 && (in[(G + at + k) & 1023] & 1) == (in[G + k] & 1))
			k++;
		if (k == 4)
			found = found * 3 + at + 1;
	}
	out[G] = found;
}

kernel void edit_distance(global const uchar *in, global uint *out)
{
	uchar row[13];

	for (int k = 0; k < 13; k++)
		row[k] = k;
	for (int i = 1; i <= 12; i++) {
		uchar diag = row[0];

		row[0] = i;
		for (int j = 1; j <= 12; j++) {
			uchar up = row[j], cost = (in[G + i] & 3) != (in[(G + j * 5) & 1023] & 3);

			row[j] = min((uchar)(min(up, row[j - 1]) + 1), (uchar)(diag + cost));
			diag = up;
		}
	}
	out[G] = row[12];
}

kernel void big_numbers(global const uint *in, global uint *out)
{
	uint a[4], b[4], r[8] = { 0 };

	for (int k = 0; k < 4; k++) {
		a[k] = in[4 * G + k];
		b[k] = in[(4 * G + k * 7 + 5) & 1023];
	}
	for (int i = 0; i < 4; i++) {
		ulong carry = 0;

		for (int j = 0; j < 4; j++) {
			carry += (ulong)a[i] * b[j] + r[i + j];
			r[i + j] = carry;
			carry >>= 32;
		}
		r[i + 4] = carry;
	}
	for (int k = 0; k < 4; k++)
		out[4 * G + k] = r[k] ^ r[k + 4];
}

kernel void life(global const uchar *in, global uchar *out)
{
	uint x = G % 32, y = G / 32, n = 0;

	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			n += (dx || dy) && in[((y + dy) & 7) * 32 + ((x + dx) & 31)] & 1;
	out[G] = n == 3 || (n == 2 && in[G] & 1);
}

kernel void luma(global const uchar4 *in, global uchar4 *out)
{
	uint4 p = convert_uint4(in[G]);
	uint y = (p.x * 77 + p.y * 150 + p.z * 29 + 128) >> 8;

	out[G] = convert_uchar4_sat((int4)(y, (int)p.x - (int)y + 128, (int)p.z - (int)y + 128, p.w));
}

kernel void argument_types(global ulong *out, char a, uchar b, short c, ushort d, int e, uint f,
			   long g, ulong h, float i, double j, uint n)
{
	out[G] = (ulong)((long)a * 3 + b * 5 + c * 7 + d * 11) + (ulong)e * 13 + f * 17ul +
		 (ulong)g * 19 + h * 23 + (as_uint(i) ^ as_ulong(j)) + n;
}

kernel void sizes_and_ids(global uint *out)
{
	out[G] = get_local_id(0) + get_group_id(0) * 1000 + get_local_size(0) * 3 +
		 get_num_groups(0) * 5 + get_global_size(0) * 7 + get_work_dim() * 11 +
		 get_global_offset(0) * 13 + get_global_size(1) * 17 + get_local_size(2) * 19;
}
