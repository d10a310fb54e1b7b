// SPDX-License-Identifier: GPL-2.0
/*
 * Each build of the semantic functions does what the reference does, bit for bit: every
 * instruction of each table, in every form, with random operands, EXEC and MODE, on registers,
 * LDS and memory. And a run of instructions does what they do one by one.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "isa/gfx11/gfx11.h"
#include "random_insn.h"
#include "tap.h"

#define PAGE		4096u
#define CODE_VA		0x10000000ull
#define DATA_VA		0x20000000ull
#define DATA_PAGES	3
#define VGPRS		96
#define ACC		48
#define LDS		2048
#ifdef __SANITIZE_ADDRESS__
#define EACH		40	/* encodings of a row */
#define RUNS		2000	/* of several instructions */
#else
#define EACH		300
#define RUNS		10000
#endif
#define TRIES		8000	/* encodings, until one of each form was executed */
#define FORMS		5	/* enum isa_enc */
#define MAX_BUILDS	4

/* A machine of one wave; its pages of data are apart, as those of VRAM may be. */
struct machine {
	struct wave_mem mem;
	struct workgroup *wg;
	u8 *code, *data[DATA_PAGES];
	u32 gws[GWS_RESOURCES];
};

static void *machine_ptr(void *ctx, u64 va, size_t *span, bool write)
{
	const struct machine *m = ctx;
	u64 page = (va - DATA_VA) / PAGE;

	*span = PAGE - va % PAGE;
	if (va - CODE_VA < PAGE && !write)
		return m->code + va % PAGE;
	return va >= DATA_VA && page < DATA_PAGES ? m->data[page] + va % PAGE : NULL;
}

static u32 machine_generation(void *ctx)
{
	(void)ctx;
	return 1;
}

static bool machine_init(struct machine *m, u8 *code, const struct isa_build *build)
{
	m->mem = (struct wave_mem) {
		.isa = &isa_gfx90a, .build = build, .ptr = machine_ptr, .generation = machine_generation, .ctx = m,
		.shared_base = 0x1000000000000ull, .private_base = 0x2000000000000ull,
		.gws = m->gws,
	};
	m->code = code;
	for (unsigned int n = 0; n < DATA_PAGES; n++) {
		m->data[n] = aligned_alloc(PAGE, PAGE);
		if (!m->data[n])
			return false;
	}
	m->wg = wg_alloc(2, LANES, VGPRS, ACC, LDS);
	if (!m->wg)
		return false;
	m->wg->waves[0].mem = &m->mem;
	return true;
}

static void machine_free(struct machine *m)
{
	wg_free(m->wg);
	for (unsigned int n = 0; n < DATA_PAGES; n++)
		free(m->data[n]);
}

/* Everything that an instruction may change, as it is in @from. */
static void machine_copy(struct machine *to, const struct machine *from)
{
	struct wave *d = to->wg->waves;
	const struct wave *s = from->wg->waves;
	u32 (*vgpr)[LANES] = d->vgpr;
	u8 tlb[sizeof(d->tlb)];

	memcpy(tlb, d->tlb, sizeof(tlb));
	memcpy(vgpr, s->vgpr, VGPRS * sizeof(*vgpr));
	memcpy(to->wg->lds, from->wg->lds, LDS);
	for (unsigned int n = 0; n < DATA_PAGES; n++)
		memcpy(to->data[n], from->data[n], PAGE);
	memcpy(to->gws, from->gws, sizeof(to->gws));
	to->mem.isa = from->mem.isa;
	*d = *s;
	d->vgpr = vgpr;
	d->wg = to->wg;
	d->mem = &to->mem;
	d->tlb_generation = machine_generation(to);
	memcpy(d->tlb, tlb, sizeof(tlb));	/* the pages stay where they are */
	if (!(rnd() & 3))
		wave_drop_tlb(d);
}

/* What differs, or NULL. */
static const char *difference(const struct machine *a, const struct machine *b)
{
	const struct wave *v = a->wg->waves, *w = b->wg->waves;
	static char text[80];

	for (unsigned int n = 0; n < VGPRS; n++)
		for (unsigned int l = 0; l < LANES; l++)
			if (v->vgpr[n][l] != w->vgpr[n][l]) {
				snprintf(text, sizeof(text), "v%u lane %u: %#x for %#x", n, l,
					 w->vgpr[n][l], v->vgpr[n][l]);
				return text;
			}
	for (unsigned int n = 0; n < DATA_PAGES; n++)
		if (memcmp(a->data[n], b->data[n], PAGE))
			return "memory";
	if (memcmp(a->wg->lds, b->wg->lds, LDS))
		return "LDS";
	for (unsigned int n = 0; n < MAX_SGPRS; n++)
		if (v->sgpr[n] != w->sgpr[n]) {
			snprintf(text, sizeof(text), "s%u: %#x for %#x", n, w->sgpr[n], v->sgpr[n]);
			return text;
		}
	if (memcmp(a->gws, b->gws, sizeof(a->gws)) || !v->gws != !w->gws)
		return "GWS";
	if (v->scc != w->scc)
		return "SCC";
	if (v->pc != w->pc || v->last_pc != w->last_pc || v->insns != w->insns)
		return "PC";
	if (v->mode != w->mode || v->status != w->status || v->trapsts != w->trapsts)
		return "MODE, STATUS or TRAPSTS";
	return v->fault_va != w->fault_va ? "the address of a fault" : NULL;
}

/* Addresses as kernels have them, and others: @at lane by lane, in @bytes of memory. */
static void addresses(u32 at[LANES], u32 base, u32 bytes)
{
	static const u32 step[] = { 4, 4, 8, 16, 12, 1, 0, 256, 20 };
	u32 by = step[rnd() % (sizeof(step) / sizeof(step[0]))], from = rnd() % bytes;
	unsigned int kind = rnd() % 8;

	if (bytes > PAGE && rnd() & 1)	/* from one page to the next */
		from = PAGE - 4 * (rnd() % 64);
	for (unsigned int l = 0; l < LANES; l++) {
		if (kind < 4)		/* a row, mostly of dwords */
			at[l] = base + (from & (kind ? ~3u : ~0u)) % bytes + by * l;
		else if (kind < 6)
			at[l] = base + (rnd() % bytes & ~15u);
		else
			at[l] = base + rnd() % (kind == 6 ? bytes : bytes + 64);
	}
}

/* Numbers everywhere. */
static void randomise(struct machine *m)
{
	struct wave *w = m->wg->waves;

	for (unsigned int n = 0; n < VGPRS; n++)
		for (unsigned int l = 0; l < LANES; l++)
			w->vgpr[n][l] = value();
	for (unsigned int n = 0; n < DATA_PAGES; n++)
		for (unsigned int b = 0; b < PAGE; b += 4)
			*(u32 *)(m->data[n] + b) = value();
	for (unsigned int n = 0; n < LDS; n++)
		m->wg->lds[n] = rnd();
}

/* A state in which the memory operands of @i are likely to be good. */
static void prepare(struct machine *m, const struct insn *i, u64 exec)
{
	unsigned int reg = i->src[0] - OP_VGPR;		/* of addresses */
	struct wave *w = m->wg->waves;
	enum isa_fmt fmt = i->row->fmt;

	for (unsigned int n = 0; n < MAX_SGPRS; n++)
		w->sgpr[n] = value();
	w->scc = rnd() & 1;
	w->mode = (rnd() & 0xff) | (rnd() & (MODE_IEEE | MODE_DX10_CLAMP | MODE_FP16_OVFL));
	w->status = rnd() & STATUS_PRIV;
	w->trapsts = 0;
	for (unsigned int n = 0; n < GWS_RESOURCES; n++)
		m->gws[n] = rnd() & (GWS_FLAG | 3);
	w->fault_va = 0;
	w->at_barrier = w->ended = w->again = false;
	set_sgpr64(w, SGPR_FLAT_SCRATCH, DATA_VA);
	w->flat_scratch = DATA_VA;
	set_sgpr64(w, SGPR_EXEC, exec);
	if (fmt == SMEM && i->row->src[0])
		set_sgpr64(w, i->src[0], DATA_VA + rnd() % PAGE);
	if (fmt == MUBUF && i->src[2] < SGPR_VCC) {
		w->sgpr[i->src[2]] = DATA_VA + (rnd() & 0xfc);
		w->sgpr[i->src[2] + 1] = (rnd() & 3 ? rnd() & 0x1c : 0) << 16 | (u32)rnd() << 31;
		w->sgpr[i->src[2] + 2] = rnd() % (2 * PAGE);
		w->sgpr[i->src[2] + 3] = rnd() & 0xe00000;
	}
	w->gws = NULL;
	if (fmt == MUBUF && i->soffset < SGPR_VCC)
		w->sgpr[i->soffset] = rnd() & 0xfc;
	if (fmt < DS || i->src[0] < OP_VGPR || reg >= ACC - 1)
		return;
	if (fmt == DS) {
		addresses(w->vgpr[reg], 0, LDS);
	} else if (fmt == SCRATCH || fmt == MUBUF) {
		addresses(w->vgpr[reg], 0, rnd() & 1 ? 64 : fmt == MUBUF ? PAGE : 200);
		if (fmt == SCRATCH && i->saddr != OP_NONE)
			w->sgpr[i->saddr] = rnd() & 0x3c;
		if (fmt == MUBUF && i->offen && i->idxen)
			addresses(w->vgpr[reg + 1], 0, 64);
	} else if (i->saddr != OP_NONE) {
		set_sgpr64(w, i->saddr, DATA_VA);
		addresses(w->vgpr[reg], 0, PAGE);
	} else {
		addresses(w->vgpr[reg], DATA_VA, 2 * PAGE);
		for (unsigned int l = 0; l < LANES; l++)
			w->vgpr[reg + 1][l] = 0;
		if (fmt == FLAT && !(rnd() & 3)) {
			addresses(w->vgpr[reg], 0, 256);
			for (unsigned int l = 0; l < LANES; l++)
				w->vgpr[reg + 1][l] = rnd() & 1 ? 0x10000 : 0x20000;
		}
	}
}

/* The model's: for all builds it is the same time. */
u64 gpu_now(void)
{
	return 1234567;
}

static bool is_vop(const struct isa_row *r)
{
	return r->fmt == VOP1 || r->fmt == VOP2 || r->fmt == VOPC;
}

/* One of the tables of rows. */
static const struct isa *family;

/* SDWA and DPP as often as the others. */
static void random_form(const struct isa_row *r, u32 raw[INSN_DWORDS])
{
	if (family->rdna)
		encode_rdna(r, raw);
	else
		encode(r, raw);
	if (r->fmt == SCRATCH)
		raw[0] &= ~0x1fc0u;		/* an offset of all lanes together */
	if (family->rdna && r->fmt == FLAT)	/* NULL: FLAT has no scalar address */
		raw[1] = (raw[1] & ~(0x7fu << 16)) | 124u << 16;
	if (r->flags & F_MFMA) {	/* of VGPRs, and C a constant sometimes */
		raw[1] |= 1u << 8 | 1u << 17 | 1u << 26;
		if (!(rnd() & 3))
			raw[1] = (raw[1] & ~(0x1ffu << 18)) | (128 + rnd() % 64) << 18;
	}
	if (r->fmt == VOP3P && rnd() & 3) {	/* NEG; CBSZ, ABID, BLGP */
		raw[0] &= ~0x7f00u;
		raw[1] &= 0x1fffffff;
		if (!(r->flags & F_MFMA))
			raw[1] |= 3u << 27;	/* OP_SEL_HI as integers want it */
	}
	if (!is_vop(r) || raw[0] >> 31)
		return;
	if (!family->rdna && rnd() & 1)
		raw[0] = (raw[0] & ~0x1ffu) | (rnd() & 1 ? 249 : 250);
	else if (raw[0] & OP_VGPR)
		raw[0] &= ~0xc0u;		/* registers that there are */
	raw[0] &= r->fmt == VOP2 ? ~0x1818000u : r->fmt == VOP1 ? ~0x1800000u : ~0x18000u;
}

static struct machine ref, other[MAX_BUILDS], start;
static const struct isa_build *builds;
static unsigned int nbuilds, executed[2048][FORMS], differ[MAX_BUILDS];

static void report(unsigned int build, const struct insn *i, const char *what)
{
	char text[160];

	if (differ[build]++ > 20)
		return;
	isa_print(i, text, sizeof(text));
	printf("# %s: %s: %s, %s, MODE %#x, EXEC %#llx\n", builds[build].name, text, what,
	       i->isa->name, start.wg->waves[0].mode,
	       (unsigned long long)wave_exec(start.wg->waves));
}

static void set_lanes(struct machine *m, unsigned int lanes)
{
	struct wave *w = m->wg->waves;

	w->lanes = lanes;
	w->all = ALL_LANES >> (LANES - lanes);
}

/* One instruction by all builds. */
static void compare(const struct isa_row *r)
{
	u32 raw[INSN_DWORDS] = { 0 }, at = 4 * (rnd() % (PAGE / 4 - 2)), budget = 1;
	enum wave_stop want, stop;
	struct insn i;
	u64 exec = rnd();

	random_form(r, raw);
	start.mem.isa = family;
	if (r->flags & F_942 || (!family->rdna && rnd() & 1 && !(r->flags & F_90A)))
		start.mem.isa = &isa_gfx942;
	set_lanes(&start, family->rdna && rnd() & 1 ? 32 : 64);
	if (isa_decode(&i, raw, start.mem.isa) || (i.row != r && i.row->fmt != VOPD))
		return;
	if (rnd() & 1)
		exec = rnd() & 3 ? ~0ull : exec & rnd() & rnd();
	prepare(&start, &i, exec);
	memcpy(ref.code + at, raw, sizeof(raw));
	start.wg->waves[0].pc = CODE_VA + at;

	machine_copy(&ref, &start);
	want = wave_run(ref.wg->waves, &budget);
	if (want != WAVE_ILLEGAL && want != WAVE_FAULT && i.row == r)
		executed[r - family->rows][i.enc]++;
	for (unsigned int n = 1; n < nbuilds; n++) {
		const char *what;

		budget = 1;
		machine_copy(&other[n], &start);
		stop = wave_run(other[n].wg->waves, &budget);
		what = stop != want ? "how it stops" : difference(&ref, &other[n]);
		if (what)
			report(n, &i, what);
	}
}

static bool has_form(const struct isa_row *r, enum isa_enc form)
{
	bool vop3 = r->fmt == VOP3 || r->fmt == VOP3P;

	if (form == (vop3 ? ENC_VOP3 : ENC_BASE))
		return true;
	if (!family->rdna)
		return form != ENC_VOP3_DPP && is_vop(r) && !(r->flags & (F_E32 | F_MK | F_AK));
	switch (form) {
	case ENC_VOP3:
		return is_vop(r) && !(r->flags & F_E32);
	case ENC_DPP:
		return is_vop(r) && gfx11_has_dpp(r);
	case ENC_VOP3_DPP:
		return (vop3 || is_vop(r)) && !(r->flags & F_E32) && gfx11_has_dpp(r);
	default:
		return false;
	}
}

/* In each of its forms, if it is one that is executed. */
static bool was_executed(unsigned int row)
{
	const struct isa_row *r = &family->rows[row];

	if (r->fn == FN_x_unsupported)
		return true;
	for (unsigned int f = 0; f < FORMS; f++)
		if (has_form(r, f) && !executed[row][f])
			return false;
	return true;
}

static bool all_executed(void)
{
	bool all = true;

	for (unsigned int n = 0; n < family->nrows; n++)
		if (!was_executed(n)) {
			printf("# %s: not in each form\n", family->rows[n].name);
			all = false;
		}
	return all;
}

/* An instruction that a run may hold, and that is not the run's last by its nature. */
static u32 *any(u32 *code)
{
	for (;;) {
		const struct isa_row *r = &family->rows[rnd() % family->nrows];
		struct insn i;

		random_form(r, code);
		if (r->fn == FN_x_unsupported || r->fmt == SMEM || r->fmt >= FLAT ||
		    isa_decode(&i, code, family) || i.vmax > ACC || i.amax > VGPRS - ACC)
			continue;
		return code + i.len / 4;
	}
}

/* A page of code, so many instructions of it at once, and one by one. */
static void run_of(unsigned int insns)
{
	u32 *code = (u32 *)ref.code, *end = code + PAGE / 4 - INSN_DWORDS, budget = insns;
	struct wave *w = ref.wg->waves;
	enum wave_stop want = WAVE_BUDGET, stop;
	struct insn i;
	const char *what;

	while (code < end)
		code = any(code);
	start.mem.isa = family;
	set_lanes(&start, family->rdna && rnd() & 1 ? 32 : 64);
	if (isa_decode(&i, (const u32 *)ref.code, family))
		return;
	prepare(&start, &i, rnd());
	start.wg->waves[0].pc = CODE_VA + 4 * (rnd() % (PAGE / 4));
	machine_copy(&ref, &start);
	ref.mem.build = &builds[nbuilds - 1];
	for (unsigned int n = 0; n < insns && want == WAVE_BUDGET; n++) {
		u32 one = 1;

		want = wave_run(w, &one);
	}
	machine_copy(&other[nbuilds - 1], &start);
	stop = wave_run(other[nbuilds - 1].wg->waves, &budget);
	what = stop != want ? "how the run stops" : difference(&ref, &other[nbuilds - 1]);
	if (what)
		report(0, &i, what);
}

/* A wave that writes over its next instruction, with @with, which it has in its cache. */
static u32 overwrites(struct machine *m, u32 with)
{
	static const u32 program[] = {
		0xdc708000, 0x007f0200,		/* global_store_dword v[0:1], v2, off */
		0xb00a0001,			/* s_movk_i32 s10, 1 */
		0xb00b0001,			/* s_movk_i32 s11, 1 */
		0xbf810000,			/* s_endpgm */
	};
	struct wave *w = m->wg->waves;
	u32 budget = 10;

	m->mem.isa = &isa_gfx90a;
	set_lanes(m, 64);
	memcpy(m->data[0], program, sizeof(program));
	w->pc = DATA_VA;
	w->mode = 0;
	set_sgpr64(w, SGPR_EXEC, 1);
	w->vgpr[0][0] = DATA_VA + 8;
	w->vgpr[1][0] = 0;
	w->vgpr[2][0] = with;
	return wave_run(w, &budget) == WAVE_END ? w->sgpr[10] : 0;
}

/* All rows of a table. */
static void check_family(const struct isa *isa)
{
	char text[80];

	family = isa;
	memset(executed, 0, sizeof(executed));
	memset(differ, 0, sizeof(differ));
	ref.mem.build = &builds[0];
	for (unsigned int n = 0; n < isa->nrows; n++)
		for (unsigned int k = 0; k < EACH || (k < TRIES && !was_executed(n)); k++) {
			if (k % 16 == 0)
				randomise(&start);
			compare(&isa->rows[n]);
		}
	for (unsigned int n = 1; n < nbuilds; n++) {
		snprintf(text, sizeof(text), "%s: %s: as the reference", isa->name,
			 builds[n].name);
		ok(!differ[n], text);
	}
	snprintf(text, sizeof(text), "%s: each instruction was executed in each form", isa->name);
	ok(all_executed(), text);

	for (unsigned int n = 0; n < RUNS; n++) {
		if (n % 16 == 0)
			randomise(&start);
		run_of(1 + rnd() % 60);
	}
	snprintf(text, sizeof(text), "%s: a run of instructions is as one by one", isa->name);
	ok(!differ[0], text);
}

int main(void)
{
	u8 *code = aligned_alloc(PAGE, PAGE);

	builds = isa_builds(&nbuilds);
	if (!code || nbuilds > MAX_BUILDS || isa_gfx90a.nrows > 2048 || isa_gfx1100.nrows > 2048 ||
	    !machine_init(&start, code, NULL) || !machine_init(&ref, code, &builds[0]))
		return 1;
	memset(code, 0, PAGE);
	for (unsigned int n = 1; n < nbuilds; n++)
		if (!machine_init(&other[n], code, &builds[n]))
			return 1;
	/* Refusals are expected by the thousand. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	check_family(&isa_gfx90a);
	check_family(&isa_gfx1100);

	ok(overwrites(&start, 0xb00a0001) == 1 && overwrites(&start, 0xb00a0002) == 2,
	   "a wave executes what it wrote over its next instruction");

	machine_free(&start);
	for (unsigned int n = 0; n < nbuilds; n++)
		machine_free(n ? &other[n] : &ref);
	free(code);
	return tap_done();
}
