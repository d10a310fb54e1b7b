// SPDX-License-Identifier: GPL-2.0
/*
 * Decoded code. Nothing tells when code is written, by the guest's CPU for one: a run of
 * instructions is compared with memory each time before it is executed.
 */
#include "code.h"

#define PAGES		16	/* a thread's */
#define RUN_MAX		64	/* instructions */

static _Thread_local struct code_page pages[PAGES];

/* Other threads may write to the page. */
static void copy(struct code_page *p, const u32 *code)
{
	memset(p->run, 0, sizeof(p->run));
	for (unsigned int n = 0; n < CODE_DWORDS; n++)
		p->raw[n] = __atomic_load_n(&code[n], __ATOMIC_RELAXED);
}

struct code_page *code_page(u64 va, const u32 *code, const struct wave_mem *mem)
{
	u64 page = va / sizeof(pages[0].raw);
	struct code_page *p = &pages[page % PAGES];

	if (p->page != page || p->isa != mem->isa || p->build != mem->build || !p->used) {
		p->page = page;
		p->isa = mem->isa;
		p->build = mem->build;
		p->used = true;
		copy(p, code);
	}
	return p;
}

static bool is_last(const struct insn *i)
{
	return i->row->flags & (F_LAST | F_BRANCH | F_STORE | F_ATOMIC | F_SDATA | F_GDS);
}

static u16 max(u16 a, u16 b)
{
	return a > b ? a : b;
}

/* The run at dword @at, and those that begin with its later instructions. */
static void decode(struct code_page *p, unsigned int at)
{
	const struct wave_mem mem = { .isa = p->isa, .build = p->build };
	struct code_run r = { 0 };
	u16 begin[RUN_MAX];
	unsigned int n = 0;

	while (n < RUN_MAX && at < CODE_DWORDS) {
		u32 raw[INSN_DWORDS] = { 0 };
		struct insn *i = &p->insn[at];

		for (unsigned int d = 0; d < INSN_DWORDS && at + d < CODE_DWORDS; d++)
			raw[d] = p->raw[at + d];
		if (isa_decode_for(i, raw, &mem) || at + i->len / 4 > CODE_DWORDS)
			break;
		i->to_next = i->len / 4 * sizeof(*i);
		begin[n++] = at;
		at += i->len / 4;
		if (is_last(i))
			break;
	}
	while (n--) {
		const struct insn *i = &p->insn[begin[n]];

		r.insns++;
		r.dwords += i->len / 4;
		r.vmax = max(r.vmax, i->vmax);
		r.amax = max(r.amax, i->amax);
		p->run[begin[n]] = r;
	}
}

const struct code_run *code_run_anew(struct code_page *p, const u32 *code, unsigned int at,
				     u32 most)
{
	const struct code_run *r = &p->run[at];

	for (;;) {
		if (!r->insns)
			decode(p, at);
		if (code_same(p->raw, code, at, r->insns ? code_dwords(r, most) : 1))
			return r->insns ? r : NULL;
		copy(p, code);
	}
}
