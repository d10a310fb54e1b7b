// SPDX-License-Identifier: GPL-2.0
/* The builds of the semantic functions, and which of them this host can execute. */
#include <pthread.h>
#include "isa.h"

extern const isa_fn isa_fns[];
extern const isa_fn isa_fns_plain[] __asm__("isa_fns.plain");
#ifdef __x86_64__
extern const isa_fn isa_fns_avx2[] __asm__("isa_fns.avx2");
#endif

static const struct isa_build builds[] = {
	{ "reference", isa_fns },
	{ "plain", isa_fns_plain },
#ifdef __x86_64__
	{ "avx2", isa_fns_avx2 },
#endif
};

static unsigned int usable;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_usable(void)
{
	usable = 2;
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
		usable++;
#endif
}

const struct isa_build *isa_builds(unsigned int *n)
{
	pthread_once(&once, find_usable);
	*n = usable;
	return builds;
}

int isa_decode_for(struct insn *i, const u32 raw[INSN_DWORDS], const struct wave_mem *mem)
{
	const struct isa_build *b = mem->build;
	int err = mem->isa->decode(i, raw, mem->isa);
	unsigned int n;

	if (!b) {
		b = isa_builds(&n);
		b += n - 1;
	}
	i->fn = b->fn[i->what];
	return err;
}
