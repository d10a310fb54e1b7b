// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of any content: two waves of a workgroup execute them; from byte 64 on
 * they are also the trap handler. Registers are checked by the sanitizers, memory by
 * what lies around it.
 */
#include "fuzz.h"
#include "isa/isa.h"
#include "compute/trap.h"

#define CODE_VA		0x10000000ull
#define DATA_VA		0x20000000ull
#define BYTES		4096u
#define VGPRS		32
#define ACC		24
#define LDS		512
#define INSNS		200u

static u8 *code, *data;

static void *ptr(void *ctx, u64 va, size_t *span, bool write)
{
	(void)ctx;
	if (va - CODE_VA < BYTES && !write) {
		*span = BYTES - (va - CODE_VA);
		return code + (va - CODE_VA);
	}
	if (va - DATA_VA < BYTES) {
		*span = BYTES - (va - DATA_VA);
		return data + (va - DATA_VA);
	}
	return NULL;
}

static u32 generation(void *ctx)
{
	static u32 n;

	(void)ctx;
	return n++;
}

static void fuzz_start(void)
{
	code = aligned_alloc(4096, BYTES);
	data = aligned_alloc(4096, BYTES);
	if (!code || !data)
		abort();
}

/* Addresses in the low registers, lanes with different ones, some of them off. */
static void init(struct wave *w, const struct wave_mem *mem)
{
	unsigned int n, l;

	w->mem = mem;
	w->pc = CODE_VA;
	w->mode = MODE_EXCP_EN_WATCH;
	for (n = 0; n < 32; n++)
		w->sgpr[n] = n & 1 ? 0 : DATA_VA + 16 * n;
	for (n = 0; n < VGPRS; n++)
		for (l = 0; l < LANES; l++)
			w->vgpr[n][l] = n & 1 ? l * n : n & 2 ? DATA_VA + 8 * l : l * 4;
	set_sgpr64(w, SGPR_EXEC, w->index ? 0x00ff00ff00ff00ffull : ~0ull);
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	static u32 gws[GWS_RESOURCES];
	const struct wave_mem mem = {
		.isa = &isa_gfx90a, .ptr = ptr, .generation = generation, .gws = gws,
		.shared_base = 0x1000000000000ull, .private_base = 0x2000000000000ull,
		.tba = CODE_VA + 64, .tma = DATA_VA,
		.watch = { { DATA_VA, ~63ull, WATCH_NONREAD, TRAPSTS_WATCH0 } }, .watches = 1,
	};
	struct workgroup *wg = wg_alloc(2, LANES, VGPRS, ACC, LDS);
	unsigned int n, round;

	if (!wg)
		abort();
	memset(code, 0, BYTES);
	memcpy(code, input, size < BYTES ? size : BYTES);
	memset(data, 0x11, BYTES);
	for (n = 0; n < 2; n++)
		init(&wg->waves[n], &mem);
	for (round = 0; round < 4; round++) {
		for (n = 0; n < 2; n++) {
			struct wave *w = &wg->waves[n];
			u32 budget = INSNS / 4;

			if (w->ended || w->at_barrier)
				continue;
			switch (wave_run(w, &budget)) {
			case WAVE_FAULT:
			case WAVE_ILLEGAL:
			case WAVE_TRAP:
			case WAVE_WATCH:
				if (w->status & STATUS_PRIV)
					w->ended = true;
				else
					trap_enter(w, w->trap_id);
				break;
			default:
				break;
			}
		}
		wg_barrier_done(wg);
	}
	wg_free(wg);
	return 0;
}

/* Fixed bits of each format, and where its opcode stands. */
static const struct {
	u32 bits;
	u8 op;
} formats[ISA_FMTS] = {
	[SOP1] = { 0xbe800000, 8 }, [SOP2] = { 0x80000000, 23 }, [SOPK] = { 0xb0000000, 23 },
	[SOPC] = { 0xbf000000, 16 }, [SOPP] = { 0xbf800000, 16 }, [SMEM] = { 0xc0020000, 18 },
	[VOP1] = { 0x7e000100, 9 }, [VOP2] = { 0x00000100, 25 }, [VOPC] = { 0x7c000100, 17 },
	[VOP3] = { 0xd0000000, 16 }, [VOP3P] = { 0xd3800000, 16 }, [DS] = { 0xd8000000, 17 },
	[FLAT] = { 0xdc000000, 18 }, [GLOBAL] = { 0xdc008000, 18 },
	[SCRATCH] = { 0xdc004000, 18 }, [MUBUF] = { 0xe0000000, 18 }, [MTBUF] = { 0xe8000000, 15 },
};

#define SEED_ROWS	8

/* Each row of the instruction table, some in a program. */
static bool seed(unsigned int n)
{
	unsigned int i;

	for (i = n * SEED_ROWS; i < (n + 1) * SEED_ROWS && i < isa_gfx90a.nrows; i++) {
		const struct isa_row *r = &isa_gfx90a.rows[i];
		const u32 words[2] = {
			formats[r->fmt].bits | (u32)r->op << formats[r->fmt].op, 0x00000100,
		};

		seed_bytes(words, r->fmt == SMEM || r->fmt >= VOP3 ? 8 : 4);
	}
	return n * SEED_ROWS < isa_gfx90a.nrows;
}
