// SPDX-License-Identifier: GPL-2.0
/* What processes and cgroups were given, as a table. */
#include "gpreempt.h"

void given_title(const char *of)
{
	printf(" %8s %8s %8s %8s %8s %8s %8s  %s\n", "PRIORITY", "CEILING", "GRANT", "SLICE",
	       "WEIGHT", "MIN%", "CAP%", of);
}

static void print_priority(unsigned int priority)
{
	if (priority == KFD_GPREEMPT_NONE)
		printf(" %8s", "-");
	else
		printf(" %8u", priority);
}

static void print_number(unsigned int number)
{
	if (number)
		printf(" %8u", number);
	else
		printf(" %8s", "-");
}

void given_print(const struct kfd_gpreempt_process_default *def, const char *name)
{
	print_priority(def->priority);
	print_priority(def->ceiling);
	print_priority(def->grant);
	if (def->timeslice_us)
		printf(" %6gms", def->timeslice_us / 1e3);
	else
		printf(" %8s", "-");
	print_number(def->weight);
	print_number(def->min_percent);
	print_number(def->cap_percent);
	printf("  %s\n", name);
}
