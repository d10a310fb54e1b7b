/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers, the same in each run: Marsaglia's xorshift. */
#ifndef GPU_MODEL_TESTS_RANDOM_H
#define GPU_MODEL_TESTS_RANDOM_H

#include "gpu.h"

static u64 seed = 88172645463325252ull;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

#endif
