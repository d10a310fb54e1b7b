/* SPDX-License-Identifier: GPL-2.0 */
/* Decoded code, a page at a time. */
#ifndef GPU_MODEL_ISA_CODE_H
#define GPU_MODEL_ISA_CODE_H

#include "isa.h"

#define CODE_DWORDS	1024	/* of a page */

/**
 * struct code_run - instructions that are executed one after the other
 * @insns: @dwords: how many; 0: not decoded
 * @vmax: @amax: highest VGPR and acc register of them plus one
 *
 * Only its last instruction may branch, stop the wave, change what MODE says of decoding, or
 * write to memory: what was the code when the run began is the code when it ends.
 */
struct code_run {
	u16 insns, dwords;
	u16 vmax, amax;
};

/**
 * struct code_page - the instructions of one page of code
 * @used:	holds one
 * @page: @isa: @build: its number, and how it is decoded
 * @raw:	the page when they were decoded
 * @insn:	by the dword where each begins
 * @run:	likewise, of those from there on
 */
struct code_page {
	u64 page;
	const struct isa *isa;
	const struct isa_build *build;
	bool used;
	u32 raw[CODE_DWORDS];
	struct code_run run[CODE_DWORDS];
	struct insn insn[CODE_DWORDS];
};

/* This thread's copy of the page at @va of @mem; @code: the page as it is in memory. */
struct code_page *code_page(u64 va, const u32 *code, const struct wave_mem *mem);

/* Both are dword @at of a page: two are compared at once where that is aligned. */
static inline bool code_same(const u32 *raw, const u32 *code, unsigned int at, unsigned int dwords)
{
	unsigned int end = at + dwords;
	u64 diff = 0, two;

	if (at & 1)
		diff = raw[at] ^ __atomic_load_n(&code[at], __ATOMIC_RELAXED);
	for (at += at & 1; at + 1 < end; at += 2) {
		memcpy(&two, &raw[at], sizeof(two));
		diff |= two ^ __atomic_load_n((const u64 *)&code[at], __ATOMIC_RELAXED);
	}
	if (at < end)
		diff |= raw[at] ^ __atomic_load_n(&code[at], __ATOMIC_RELAXED);
	return !diff;
}

/* Of a run, when at most @most of its instructions are executed. */
static inline unsigned int code_dwords(const struct code_run *r, u32 most)
{
	return r->dwords < 2ull * most ? r->dwords : 2 * most;
}

/* code_run(), when the copy is not what is in memory, or not decoded. */
const struct code_run *code_run_anew(struct code_page *p, const u32 *code, unsigned int at,
				     u32 most);

/**
 * code_run() - the run that begins at a dword of a page
 * @p:		from code_page()
 * @code:	the page in memory
 * @at:		the dword
 * @most:	instructions that will be executed at most
 *
 * Return: NULL when the first one is not known, or goes on in the next page.
 */
static inline const struct code_run *code_run(struct code_page *p, const u32 *code,
					      unsigned int at, u32 most)
{
	const struct code_run *r = &p->run[at];

	if (r->insns && code_same(p->raw, code, at, code_dwords(r, most)))
		return r;
	return code_run_anew(p, code, at, most);
}

#endif
