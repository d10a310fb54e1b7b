// SPDX-License-Identifier: GPL-2.0
/* Code objects of any content: loaded, and a kernel of theirs described. */
#include "isa/code_object.h"
#include "fuzz.h"
#include "isa/wave.h"

#define BASE	0x100000000ull

static void fuzz_start(void)
{
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct co_kernel k;
	struct kernel_code code;
	struct code_object co;
	const char *err;

	if (code_object_load(&co, data, size, BASE, &err))
		return 0;
	if (!code_object_kernel(&co, "integer_loop", &k, &err))
		kernel_code_parse(&code, co.isa, co.image + k.descriptor, BASE + k.descriptor);
	code_object_free(&co);
	return 0;
}

/* The Makefile adds a code object that clang made: tests/bench.cl. */
static bool seed(unsigned int n)
{
	static const char magic[] = "\177ELF";

	seed_bytes(magic, 4);
	return !n;
}
