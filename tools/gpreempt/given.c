// SPDX-License-Identifier: GPL-2.0
/* What processes and cgroups were given, as a table. */
#include "gpreempt.h"

void given_title(const char *of)
{
	printf(" %8s %8s %8s %8s %8s %8s %8s  %s\n", "PRIORITY", "CEILING", "GRANT", "SLICE",
	       "WEIGHT", "MIN%", "CAP%", of);
}

/* Of a priority no number is NONE, of the others 0. */
static void cell(unsigned int number, unsigned int none, double unit, const char *suffix)
{
	char text[16] = "-";

	if (number != none)
		snprintf(text, sizeof(text), "%g%s", number / unit, suffix);
	printf(" %8s", text);
}

void given_print(const struct kfd_gpreempt_process_default *def, const char *name)
{
	cell(def->priority, KFD_GPREEMPT_NONE, 1, "");
	cell(def->ceiling, KFD_GPREEMPT_NONE, 1, "");
	cell(def->grant, KFD_GPREEMPT_NONE, 1, "");
	cell(def->timeslice_us, 0, 1e3, "ms");
	cell(def->weight, 0, 1, "");
	cell(def->min_percent, 0, 1, "");
	cell(def->cap_percent, 0, 1, "");
	printf("  %s\n", name);
}
