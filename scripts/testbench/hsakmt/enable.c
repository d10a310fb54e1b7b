// SPDX-License-Identifier: GPL-2.0
/* What tests of patches/rocm with and without ROCr share. */
#include <glob.h>
#include <stdio.h>

#include "enable.h"

int enable_gpreempt(void)
{
	glob_t found;
	size_t i;
	int ret = glob("/sys/class/kfd/kfd/gpreempt/*/enable", 0, NULL, &found) ? -1 : 0;

	for (i = 0; !ret && i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "w");

		if (!f)
			return -1;
		ret = fputs("1", f) < 0 ? -1 : 0;
		if (fclose(f))
			ret = -1;
	}
	return ret;
}
