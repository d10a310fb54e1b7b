// SPDX-License-Identifier: GPL-2.0
/* Local memory, barriers, atomics. What comes out does not depend on order. */
#define G	get_global_id(0)
#define L	get_local_id(0)

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce_tree(global const uint *in, global uint *out, local uint *t)
{
	t[L] = in[G];
	for (uint n = 128; n; n >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (L < n)
			t[L] += t[L + n];
	}
	if (!L)
		out[get_group_id(0)] = t[0];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan_inclusive(global const uint *in, global uint *out)
{
	local uint t[2][256];
	uint from = 0;

	t[0][L] = in[G];
	for (uint n = 1; n < 256; n *= 2, from ^= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		t[!from][L] = t[from][L] + (L >= n ? t[from][L - n] : 0);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[G] = t[from][L];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void bitonic_sort(global const int *in, global int *out, local int *t)
{
	t[L] = in[G];
	for (uint k = 2; k <= 256; k *= 2)
		for (uint j = k / 2; j; j /= 2) {
			uint other = L ^ j;

			barrier(CLK_LOCAL_MEM_FENCE);
			if (other > L && (t[L] > t[other]) == !(L & k)) {
				int s = t[L];

				t[L] = t[other];
				t[other] = s;
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[G] = t[L];
}

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose(global const float *in, global float *out)
{
	local float t[16][17];
	uint w = get_global_size(0), h = get_global_size(1);

	t[get_local_id(1)][L] = in[get_global_id(1) * w + G];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(get_group_id(0) * 16 + get_local_id(1)) * h + get_group_id(1) * 16 + L] =
		t[L][get_local_id(1)];
}

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void matrix_tiles(global const int *a, global const int *b, global int *out)
{
	local int ta[8][8], tb[8][8];
	uint x = L, y = get_local_id(1), w = get_global_size(0);
	uint sum = 0;

	for (uint k = 0; k < w; k += 8) {
		ta[y][x] = a[get_global_id(1) * w + k + x];
		tb[y][x] = b[(k + y) % 16 * w + G];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint n = 0; n < 8; n++)
			sum += (uint)ta[y][n] * (uint)tb[n][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(1) * w + G] = sum;
}

kernel __attribute__((reqd_work_group_size(8, 4, 4)))
void three_dimensions(global const uint *in, global uint *out)
{
	local uint t[4][4][8];
	uint x = L, y = get_local_id(1), z = get_local_id(2);
	uint at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + G;

	t[z][y][x] = in[at];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[at] = t[(z + 1) & 3][(y + 3) & 3][7 - x] + t[z][y][(x + 1) & 7] * 3 +
		  (uint)get_group_id(2) * 1000 + (uint)get_num_groups(1);
}

kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void stencil(global const int *in, global int *out)
{
	local int t[130];
	int last = get_global_size(0) - 1;

	t[L + 1] = in[G];
	if (L == 0)
		t[0] = in[max((int)G - 1, 0)];
	if (L == 127)
		t[129] = in[min((int)G + 1, last)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[G] = (uint)t[L] + 2 * (uint)t[L + 1] + (uint)t[L + 2];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void local_widths(global const ulong *in, global ulong *out)
{
	local uchar b[256];
	local ushort s[256];
	local ulong l[256];
	local uint4 v[256];
	local double d[256];
	uint a = (L * 7 + 3) & 255, c = (L + 128) & 255;

	b[L] = in[G];
	s[a] = in[G] >> 8;
	l[L] = in[G] * 3;
	v[c] = (uint4)(in[G], in[G] >> 32, L, G);
	d[L] = (double)(int)in[G];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[G] = b[c] + s[L] * 256ul + l[a] + v[L].x * (ulong)v[L].y + v[L].z + v[a].w +
		 (ulong)(long)(d[c] * 2.0);
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void local_atomics(global const uint *in, global uint *out)
{
	local uint count[16], low, high, bits, any, odd;
	local int least, most;
	uint v = in[G];

	if (L < 16)
		count[L] = 0;
	if (!L) {
		low = ~0u;
		high = bits = odd = 0;
		any = ~0u;
		least = 0x7fffffff;
		most = -least;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&count[v & 15]);
	atomic_add(&count[v >> 4 & 15], 100);
	atomic_sub(&count[v >> 8 & 15], 7);
	atomic_min(&low, v);
	atomic_max(&high, v);
	atomic_or(&bits, 1u << (v & 31));
	atomic_and(&any, ~(1u << (v >> 5 & 31)));
	atomic_xor(&odd, v);
	atomic_min(&least, (int)v);
	atomic_max(&most, (int)v);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (L < 16)
		out[G] = count[L];
	else
		out[G] = L & 1 ? low ^ high : bits + any + odd + (uint)least + (uint)most;
}

kernel void global_atomics(global const uint *in, global uint *zero, global uint *out)
{
	uint v = in[G], k = v >> 7 & 15;

	atomic_inc(&zero[k]);
	atomic_add(&zero[16 + k], v);
	atomic_sub(&zero[32 + k], v >> 3);
	atomic_dec(&zero[48 + k]);
	atomic_min(&out[k], v);
	atomic_max(&out[16 + k], v);
	atomic_and(&out[32 + k], v | 0xff);
	atomic_or(&out[48 + k], v & 0xff);
	atomic_xor(&out[64 + k], v);
	atomic_min((volatile global int *)&out[80 + k], (int)v);
	atomic_max((volatile global int *)&out[96 + k], (int)v);
}

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void long_atomics(global const ulong *in, global ulong *zero, global ulong *out)
{
	ulong v = in[G];
	uint k = v >> 7 & 15;

	atom_add(&zero[k], v);
	atom_sub(&zero[16 + k], v * 3);
	atom_inc(&zero[32 + k]);
	atom_max(&out[k], v);
	atom_min(&out[16 + k], v);
	atom_and(&out[32 + k], v | 0xffff);
	atom_or(&out[48 + k], v & 0xffff);
	atom_xor(&out[64 + k], v);
}

/* The old values of an atomic are each there once. */
kernel void atomic_tickets(global uint *zero, global uint *out)
{
	uint mine = atomic_inc(zero);

	out[mine] = 1000 + mine;
	atomic_xchg(&zero[1 + (mine & 7)], 5);
}

kernel void compare_exchange(global const uint *in, global uint *zero)
{
	global uint *p = &zero[in[G] & 7];
	uint old = *p, seen;

	while ((seen = atomic_cmpxchg(p, old, old + (in[G] >> 8 & 15))) != old)
		old = seen;
}

/* Whole numbers: the sum is exact in any order. */
kernel void float_add_by_exchange(global const uint *in, global uint *zero)
{
	volatile global uint *p = &zero[in[G] & 3];
	float v = (float)(in[G] >> 8 & 255);
	uint old = *p, seen;

	while ((seen = atomic_cmpxchg(p, old, as_uint(as_float(old) + v))) != old)
		old = seen;
}

kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void append_to_list(global const uint *in, global uint *zero, global uint *out)
{
	local uint n, list[128];
	uint base, sum = 0;

	if (!L)
		n = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (in[G] % 3 == 0)
		list[atomic_inc(&n)] = in[G];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = L; k < n; k += 128)
		sum += list[k];
	atomic_add(&zero[get_group_id(0)], sum);
	if (!L)
		out[get_group_id(0)] = n;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void async_copies(global const uint *in, global uint *out, local uint *t)
{
	event_t e = async_work_group_copy(t, in + get_group_id(0) * 128, 128, 0);

	wait_group_events(1, &e);
	t[L] ^= t[64 + L] * 3;
	barrier(CLK_LOCAL_MEM_FENCE);
	e = async_work_group_strided_copy(out + get_group_id(0) * 128, t, 64, 2, 0);
	wait_group_events(1, &e);
}

kernel __attribute__((reqd_work_group_size(1024, 1, 1)))
void sixteen_waves(global const uint *in, global uint *out, global uint *zero)
{
	local uint t[1024];
	uint v = in[G];

	for (int k = 0; k < 8; k++) {
		t[L] = v;
		barrier(CLK_LOCAL_MEM_FENCE);
		v = v * 5 + t[(L * 129 + 77 * k) & 1023];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[G] = v;
	atomic_add(zero, v);
}

/* Waves that leave before the others reach a barrier of the rest's loop. */
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void uneven_work(global const uint *in, global uint *out)
{
	local uint t[256];
	uint v = in[G], n = L / 64 * 9 + (v & 7);

	for (uint k = 0; k < n; k++)
		v = v * 1103515245 + 12345;
	t[L] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[G] = t[255 - L] ^ v;
}

constant uint table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };

kernel void constant_memory(global const uint *in, constant uint *c, global uint *out)
{
	uint v = in[G];

	for (int k = 0; k < 8; k++)
		v = v * table[v >> 28] + c[v & 63] + table[k];
	out[G] = v;
}
