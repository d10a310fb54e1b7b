/* SPDX-License-Identifier: GPL-2.0 */
/* Test Anything Protocol, as little of it as the unit tests need. */
#ifndef GPU_MODEL_TESTS_TAP_H
#define GPU_MODEL_TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>

static unsigned int tap_tests, tap_failures;

static inline void ok(bool good, const char *name)
{
	tap_tests++;
	tap_failures += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tap_tests, name);
	fflush(stdout);
}

/* Exit status of the program. */
static inline int tap_done(void)
{
	printf("1..%u\n", tap_tests);
	return tap_failures ? 1 : 0;
}

#endif
