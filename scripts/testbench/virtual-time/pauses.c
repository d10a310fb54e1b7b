// SPDX-License-Identifier: GPL-2.0
/* How long a PAUSE takes, besides the three instructions of its loop. In ns. */
#include <immintrin.h>
#include <stdio.h>
#include <x86intrin.h>

#define LOOPS	100000

static unsigned long long loop(int pauses)
{
	unsigned long long begin = __rdtsc();
	int i;

	for (i = 0; i < LOOPS; i++) {
		if (pauses)
			_mm_pause();
		__asm__ volatile("");
	}
	return __rdtsc() - begin;
}

int main(void)
{
	unsigned long long none = loop(0);

	printf("pause %.1f\n", ((double)loop(1) - none) / LOOPS);
	return 0;
}
