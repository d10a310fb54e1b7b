// SPDX-License-Identifier: GPL-2.0
/*
 * Random encodings on random registers: whatever a kernel holds, the model
 * stays alive (best run with SAN=1), a lane whose EXEC bit is off keeps its
 * registers, and an instruction that is refused or faults changes nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "isa/isa.h"
#include "random_insn.h"
#include "tap.h"

#define PAGE		4096u
#define CODE_VA		0x10000000ull
#define DATA_VA		0x20000000ull
#define VGPRS		64
#define ACC		48
#define RUNS		300000

struct memory {
	u8 *code, *data;
};

static void *fuzz_ptr(void *ctx, u64 va, size_t *span, bool write)
{
	const struct memory *m = ctx;

	if (va - CODE_VA < PAGE && !write) {
		*span = PAGE - (va - CODE_VA);
		return m->code + (va - CODE_VA);
	}
	if (va - DATA_VA < PAGE) {
		*span = PAGE - (va - DATA_VA);
		return m->data + (va - DATA_VA);
	}
	return NULL;
}

static u32 fuzz_generation(void *ctx)
{
	(void)ctx;
	return 1;
}

static void randomise(struct wave *w)
{
	for (unsigned int n = 0; n < MAX_SGPRS; n++)
		w->sgpr[n] = value();
	for (unsigned int n = 0; n < VGPRS; n++)
		for (unsigned int l = 0; l < LANES; l++)
			w->vgpr[n][l] = value();
	w->scc = rnd() & 1;
	w->mode = (rnd() & 0xff) | (rnd() & (MODE_IEEE | MODE_DX10_CLAMP));
}

int main(void)
{
	static u32 before[VGPRS][LANES];
	struct memory m = { aligned_alloc(PAGE, PAGE), aligned_alloc(PAGE, PAGE) };
	struct wave_mem mem = {
		.isa = &isa_gfx90a, .ptr = fuzz_ptr, .generation = fuzz_generation, .ctx = &m,
		.shared_base = 0x1000000000000ull, .private_base = 0x2000000000000ull,
	};
	struct workgroup *wg = wg_alloc(2, LANES, VGPRS, ACC, 512);
	unsigned int kept = 0, broken = 0, changed = 0, done = 0;
	struct wave *w;

	if (!wg || !m.code || !m.data)
		return 1;
	/* Refusals are expected by the thousand. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	w = wg->waves;
	w->mem = &mem;
	for (unsigned int n = 0; n < RUNS; n++) {
		u32 raw[INSN_DWORDS] = { 0 }, budget = 1, at = 4 * (rnd() % (PAGE / 4));
		u32 sgpr[MAX_SGPRS];
		enum wave_stop stop;
		char text[160] = "?";
		struct insn i;
		u64 exec;
		bool odd, rdna = n % 3 == 0;

		if (n % 32 == 0)
			randomise(w);
		if (rdna)
			encode_rdna(&isa_gfx1100.rows[rnd() % isa_gfx1100.nrows], raw);
		else
			encode(&isa_gfx90a.rows[rnd() % isa_gfx90a.nrows], raw);
		memcpy(m.code + at, raw, at + sizeof(raw) < PAGE ? sizeof(raw) : 4);
		w->lanes = rdna && n & 8 ? 32 : 64;
		w->all = ALL_LANES >> (LANES - w->lanes);
		w->flat_scratch = DATA_VA;
		set_sgpr64(w, 0, DATA_VA + (rnd() & 0xfc));
		set_sgpr64(w, SGPR_EXEC, n & 1 ? rnd() : n & 2 ? ~0ull : 0);
		exec = wave_exec(w);
		memcpy(before, w->vgpr, sizeof(before));
		memcpy(sgpr, w->sgpr, sizeof(sgpr));
		mem.isa = rdna ? &isa_gfx1100 : n & 4 ? &isa_gfx942 : &isa_gfx90a;
		w->pc = CODE_VA + at;
		w->ended = w->at_barrier = false;
		stop = wave_run(w, &budget);

		odd = false;
		if (!isa_decode(&i, raw, mem.isa)) {
			isa_print(&i, text, sizeof(text));
			odd = !strncmp(text, "v_writelane", 11) || i.row->flags & F_MFMA;
		}
		done += stop != WAVE_ILLEGAL && stop != WAVE_FAULT;
		for (unsigned int k = 0; k < VGPRS && !odd; k++)
			for (unsigned int l = 0; l < w->lanes; l++)
				if (!(exec >> l & 1) && w->vgpr[k][l] != before[k][l]) {
					printf("# %s: v%u[%u] changed, exec %#llx\n", text, k, l,
					       (unsigned long long)exec);
					broken++;
					k = VGPRS - 1;
					break;
				}
		kept++;
		if ((stop == WAVE_ILLEGAL || stop == WAVE_FAULT) &&
		    (memcmp(before, w->vgpr, sizeof(before)) ||
		     memcmp(sgpr, w->sgpr, sizeof(sgpr)) || budget != 1)) {
			printf("# %s: stopped by %d, but changed registers\n", text, stop);
			changed++;
		}
	}
	ok(kept == RUNS, "random code is survived");
	ok(done > RUNS / 3, "much of it executes");
	ok(!broken, "lanes that are off keep their registers");
	ok(!changed, "what faults or is refused changes no register");
	printf("# %u of %u instructions executed\n", done, RUNS);
	wg_free(wg);
	free(m.code);
	free(m.data);
	return tap_done();
}
