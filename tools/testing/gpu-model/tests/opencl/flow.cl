// SPDX-License-Identifier: GPL-2.0
/* Control flow that differs from lane to lane, arrays of each work-item, calls. */
#define G	get_global_id(0)

kernel void nested_branches(global const uint *in, global uint *out)
{
	uint v = in[G], r = 0;

	if (v & 1) {
		if (v & 2)
			r = v * 3;
		else if (v & 4)
			r = v + 7;
		if (v & 8)
			r ^= 0x55;
	} else if (v & 16) {
		r = v >> 3;
		if (!(v & 32))
			r = -r;
	} else {
		r = 1;
	}
	out[G] = r;
}

kernel void early_out(global const uint *in, global uint *out)
{
	uint v = in[G];

	if (v % 3 == 0)
		return;
	out[G] = v * 7;
	if (v % 3 == 1)
		return;
	out[G] += 11;
}

kernel void collatz(global const uint *in, global uint *out)
{
	ulong v = in[G] % 100000 + 1;
	uint n = 0;

	while (v != 1 && n < 1000) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		n++;
	}
	out[G] = n;
}

kernel void gcd(global const uint *in, global uint *out)
{
	uint a = in[2 * G], b = in[2 * G + 1];

	while (b) {
		uint t = a % b;

		a = b;
		b = t;
	}
	out[G] = a;
}

kernel void loops_with_exits(global const uint *in, global uint *out)
{
	uint sum = 0;

	for (uint i = 0; i < 20; i++) {
		uint v = in[(G * 5 + i) & 511];

		if (v % 11 == 0)
			break;
		if (v % 5 == 0)
			continue;
		for (uint j = 0; j < (v & 7); j++) {
			if ((v >> j) % 13 == 12)
				break;
			sum += v >> j;
		}
	}
	out[G] = sum;
}

kernel void dense_switch(global const uint *in, global uint *out)
{
	uint v = in[G], r = v;

	for (int k = 0; k < 6; k++) {
		switch (r % 9) {
		case 0: r += 3; break;
		case 1: r *= 5; break;
		case 2: r ^= 0xf0f0;		/* and on */
		case 3: r -= 17; break;
		case 4: r = r << 3 | r >> 29; break;
		case 5: r = ~r; break;
		case 6: return;
		case 7: r /= 3; break;
		default: r += k;
		}
	}
	out[G] = r;
}

kernel void sparse_switch(global const int *in, global int *out)
{
	switch (in[G] & 0x3ff) {
	case 3: out[G] = 1; break;
	case 77: out[G] = 2; break;
	case 500: out[G] = 3; break;
	case 513: out[G] = 4; break;
	case 1000: out[G] = 5; break;
	default: out[G] = in[G] < 0 ? 6 : 7;
	}
}

kernel void state_machine(global const uint *in, global uint *out)
{
	uint state = 0, words = 0, v = in[G];

	for (int k = 0; k < 32; k++) {
		bool bit = v >> k & 1;

		switch (state) {
		case 0: state = bit ? 1 : 0; break;
		case 1: state = bit ? 2 : 0; words += !bit; break;
		case 2: state = bit ? 2 : 3; break;
		case 3: state = 0; words += bit ? 16 : 256; break;
		}
	}
	out[G] = words;
}

kernel void do_while_mixed(global const ulong *in, global ulong *out)
{
	ulong v = in[G], r = 0;

	do {
		r = r * 31 + (v & 0xff);
		v >>= 8;
	} while (v && (r & 0x3f) != 0x15);
	out[G] = r;
}

kernel void uniform_and_not(global const uint *in, global uint *out, uint s)
{
	uint v = in[G];

	for (uint k = 0; k < (s & 7) + 2; k++)		/* the same for all */
		for (uint j = 0; j < (v & 3); j++)	/* not */
			v = v * 1664525 + (s >> k & 1 ? 1013904223 : j);
	out[G] = v;
}

kernel void binary_search(global const uint *in, global uint *out)
{
	uint lo = 0, hi = 1000, want = in[G] % 1000;

	while (lo < hi) {
		uint mid = (lo + hi) / 2;

		if (mid * mid < want * 977)
			lo = mid + 1;
		else
			hi = mid;
	}
	out[G] = lo;
}

kernel void popcount_by_hand(global const ulong *in, global uint *out)
{
	ulong v = in[G];
	uint n = 0;

	for (; v; v &= v - 1)
		n++;
	out[G] = n;
}

/* ---- arrays of a work-item: scratch when indexed by values ---- */

kernel void sort_private(global const int *in, global int *out)
{
	int t[16];

	for (int k = 0; k < 16; k++)
		t[k] = in[(G * 3 + k) & 1023];
	for (int i = 1; i < 16; i++)
		for (int j = i; j > 0 && t[j - 1] > t[j]; j--) {
			int s = t[j];

			t[j] = t[j - 1];
			t[j - 1] = s;
		}
	for (int k = 0; k < 4; k++)
		out[4 * G + k] = t[5 * k];
}

kernel void histogram_private(global const uchar *in, global uint *out)
{
	uint count[32] = { 0 };

	for (uint k = 0; k < 40; k++)
		count[in[(G + k * 7) & 1023] & 31]++;
	out[G] = count[0] + count[G & 31] * 100 + count[31] * 10000;
}

kernel void bytes_private(global const uint *in, global uint *out)
{
	uchar b[24];
	short s[8];

	for (int k = 0; k < 24; k++)
		b[k] = in[(G + k) & 255] >> (k & 3) * 8;
	for (int k = 0; k < 8; k++)
		s[k] = b[b[k] % 24] * (int)b[k + 8] - 9000;
	out[G] = s[b[3] & 7] + b[b[1] % 24] * 65536;
}

kernel void longs_private(global const ulong *in, global ulong *out)
{
	ulong t[12];
	double d[4];

	for (int k = 0; k < 12; k++)
		t[k] = in[(G + k) & 255] >> k;
	for (int k = 0; k < 4; k++)
		d[k] = (double)(int)t[t[k] % 12];
	for (int k = 0; k < 20; k++)
		t[k % 12] += t[t[(k + 5) % 12] % 12] ^ (ulong)(long)d[t[k % 12] & 3];
	out[G] = t[in[G] % 12];
}

kernel void structs_private(global const uint *in, global uint *out)
{
	struct point { ushort x; uint y; uchar z; } p[6];

	for (int k = 0; k < 6; k++) {
		p[k].x = in[G] >> k;
		p[k].y = in[G] * (k + 1);
		p[k].z = in[G] >> 2 * k;
	}
	for (int k = 0; k < 5; k++) {
		struct point t = p[p[k].z % 6];

		p[p[k].x % 6] = p[k];
		t.y += t.x;
		p[k] = t;
	}
	out[G] = p[2].x ^ p[3].y ^ p[4].z;
}

kernel void queens(global const uint *in, global uint *out)
{
	uint n = 5 + in[G] % 3, row[8], at = 0, count = 0;

	row[0] = 0;
	while (1) {
		bool good = row[at] < n;

		if (!good) {
			if (!at)
				break;
			row[--at]++;
			continue;
		}
		for (uint k = 0; good && k < at; k++) {
			int d = (int)row[at] - (int)row[k];

			good = d && d != (int)(at - k) && d != -(int)(at - k);
		}
		if (!good) {
			row[at]++;
		} else if (at + 1 == n) {
			count++;
			row[at]++;
		} else {
			row[++at] = 0;
		}
	}
	out[G] = count;
}

kernel void many_registers(global const uint *in, global uint *out)
{
	uint t[96];

#pragma unroll
	for (int k = 0; k < 96; k++)
		t[k] = in[(G + k) & 511];
	for (int n = 0; n < 3; n++) {
#pragma unroll
		for (int k = 0; k < 96; k++)
			t[k] = t[k] * 5 + (t[(k + 31) % 96] ^ t[(k + 67) % 96]);
	}
	uint r = 0;
#pragma unroll
	for (int k = 0; k < 96; k++)
		r = r * 31 + t[k];
	out[G] = r;
}

/* ---- calls ---- */

__attribute__((noinline)) uint mix(uint a, uint b)
{
	return (a ^ b >> 5) * 0x9e3779b1 + b;
}

__attribute__((noinline)) ulong4 many_arguments(ulong a, uchar b, short c, float d, uint4 e,
						double f)
{
	return (ulong4)(a + b, (ulong)(long)c, (ulong)(long)(d * 4.0f) + e.x + e.w,
			(ulong)(long)f);
}

__attribute__((noinline)) uint deeper(uint v, uint depth)
{
	uint t[4] = { v, v >> 8, v >> 16, v >> 24 };

	for (uint k = 0; k < depth; k++)
		t[t[k & 3] & 3] += mix(t[(k + 1) & 3], k);
	return t[depth & 3];
}

__attribute__((noinline)) void by_pointer(uint *p, uint n)
{
	for (uint k = 1; k < n; k++)
		p[k] += p[k - 1] * 3;
}

kernel void call_leaf(global const uint *in, global uint *out)
{
	uint v = in[G];

	for (int k = 0; k < 5; k++)
		v = mix(v, k);
	out[G] = v;
}

kernel void call_in_branch(global const uint *in, global uint *out)
{
	uint v = in[G];

	if (v & 1)
		v = mix(v, 3);
	else if (v & 2)
		v = deeper(v, v >> 2 & 7);
	out[G] = v + deeper(v, 3);
}

kernel void call_with_many(global const ulong *in, global ulong *out)
{
	ulong v = in[G];
	ulong4 r = many_arguments(v, v >> 3, v >> 9, (float)(int)(v & 0xffff),
				  (uint4)(v, v >> 1, v >> 2, v >> 3), (double)(int)(v >> 32));

	out[G] = r.x + r.y * 3 + r.z * 5 + r.w * 7;
}

kernel void call_with_pointer(global const uint *in, global uint *out)
{
	uint t[10];

	for (int k = 0; k < 10; k++)
		t[k] = in[(G + k) & 255];
	by_pointer(t, 3 + (t[0] & 7));
	out[G] = t[9] ^ t[t[5] % 10];
}
