// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Example: a program that hints before its work. */
#include <stdio.h>
#include <libgpreempt.h>

int main(void)
{
	struct gpreempt *g = gpreempt_open(GPREEMPT_ALL_GPUS);
	int r = gpreempt_hint(g, 2000, 5000);	/* in 2 ms, for 5 ms */

	if (r)
		fprintf(stderr, "no hint: %s\n", gpreempt_strerror(r));
	puts("work");	/* launch kernels here */
	gpreempt_close(g);
	return 0;
}
