// SPDX-License-Identifier: GPL-2.0
/* What "make bench-model" measures: a loop over integers. */
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
