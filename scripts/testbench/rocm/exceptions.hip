// SPDX-License-Identifier: GPL-2.0
/*
 * A wave meets an exception. ROCr's trap handler, which the wave executes, tells the
 * driver, or the page walk does; the driver tells ROCr, and ROCr ends the program.
 * usage: exceptions trap|illegal|fault
 */
#include <cstring>

#include "hip.h"

__global__ void trap(void)
{
	__builtin_trap();
}

__global__ void illegal(void)
{
	asm volatile(".long 0xbfff0000");	/* a program control of no meaning */
}

__global__ void fault(void)
{
	*reinterpret_cast<volatile int *>(0xdead000) = 1;	/* nobody has mapped it */
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*kernel)(void);
	} exceptions[] = { { "trap", trap }, { "illegal", illegal }, { "fault", fault } };

	for (const auto &e : exceptions) {
		if (argc != 2 || strcmp(argv[1], e.name))
			continue;
		LAUNCH(e.kernel, 1, 64, nullptr);
		HIP(hipDeviceSynchronize());
		printf("%s: nobody minded\n", e.name);
		return 0;
	}
	fputs("usage: exceptions trap|illegal|fault\n", stderr);
	return 2;
}
