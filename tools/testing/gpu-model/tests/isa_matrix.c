// SPDX-License-Identifier: GPL-2.0
/*
 * Matrix instructions, each with registers of both files and all its modifiers:
 *
 *   where elements are: of each instruction one element of A, B and D, as AMD's
 *   matrix instruction calculator (github.com/ROCm/amd_matrix_instruction_calculator)
 *   places them;
 *   sums of small integers, which every way of rounding has exact: whole products of
 *   matrices, computed here in double and 64-bit integers;
 *   any bits and numbers of very different size: the formulas of arXiv:2511.10909,
 *   written here as the paper has them, in double with floor() and trunc().
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "isa/f8.h"
#include "isa/matrix.h"
#include "random.h"
#include "tap.h"

#define CODE_VA		0x10000000ull
#define VGPRS		256
#define ACC		128
#define D_REG		64
#define C_REG		96
#define A_REG		8
#define B_REG		16
#define INDEX_REG	24
#define SHOWN		5	/* differences of an instruction that are printed */

/* ---- one instruction ---- */

/**
 * struct run - an instruction to execute
 * @acc:	bit 0: D and C, bit 1: A, bit 2: B are accumulation registers
 * @cbsz: @abid: @blgp: modifiers
 * @c:		operand number of C; OP_VGPR + C_REG, or a constant
 */
struct run {
	const struct isa_row *row;
	const struct isa *isa;
	struct mm_shape s;
	unsigned int acc, cbsz, abid, blgp, c;
};

static u32 code[2];
static struct wave *w;

static void *code_ptr(void *ctx, u64 va, size_t *span, bool write)
{
	(void)ctx;
	if (va < CODE_VA || va >= CODE_VA + 4096 || write)
		return NULL;
	*span = 4096 - (va - CODE_VA);
	return (u8 *)ctx + (va - CODE_VA);
}

static u32 generation(void *ctx)
{
	(void)ctx;
	return 1;
}

/* The registers that operand @n (0: D, 1: C, 2: A, 3: B) is in. */
static u32 (*regs(const struct run *r, unsigned int n))[LANES]
{
	static const unsigned int first[] = { D_REG, C_REG, A_REG, B_REG };
	bool acc = r->acc & (n < 2 ? 1 : n == 2 ? 2 : 4);

	if (n == 1 && r->s.sparse)
		return regs(r, 0);
	return w->vgpr + first[n] + (acc ? ACC : 0);
}

static enum wave_stop execute(const struct run *r)
{
	unsigned int c = r->s.sparse ? OP_VGPR + INDEX_REG : r->c;
	u32 budget = 1;

	code[0] = 0xd3800000 | (u32)r->row->op << 16 | (r->acc & 1) << 15 | r->abid << 11 |
		  r->cbsz << 8 | D_REG;
	code[1] = r->blgp << 29 | r->acc >> 1 << 27 | c << 18 | (OP_VGPR + B_REG) << 9 |
		  (OP_VGPR + A_REG);
	memcpy(w->mem->ctx, code, sizeof(code));
	((struct wave_mem *)w->mem)->isa = r->isa;
	w->pc = CODE_VA;
	return wave_run(w, &budget);
}

/* ---- where elements are ---- */

struct where {
	unsigned int reg, bit, lane;
};

/**
 * struct fact - three elements: A[i][k], B[k][j] and D[i][j] of a block
 * @index:	of a sparse A, the index register: k, and another one that has the second element
 */
struct fact {
	const char *name;
	struct where a, b, d;
	u32 index;
};

static const struct fact facts[] = {
	{ "v_mfma_f32_32x32x1f32", { 0, 0, 58 }, { 0, 0, 52 }, { 30, 0, 20 }, 0 },
	{ "v_mfma_f32_16x16x1f32", { 0, 0, 41 }, { 0, 0, 41 }, { 9, 0, 41 }, 0 },
	{ "v_mfma_f32_4x4x1f32", { 0, 0, 58 }, { 0, 0, 58 }, { 2, 0, 58 }, 0 },
	{ "v_mfma_f32_32x32x2f32", { 0, 0, 61 }, { 0, 0, 50 }, { 13, 0, 50 }, 0 },
	{ "v_mfma_f32_16x16x4f32", { 0, 0, 46 }, { 0, 0, 40 }, { 2, 0, 56 }, 0 },
	{ "v_mfma_f32_32x32x4f16", { 1, 0, 49 }, { 1, 0, 60 }, { 25, 0, 28 }, 0 },
	{ "v_mfma_f32_16x16x4f16", { 1, 16, 56 }, { 1, 16, 58 }, { 12, 0, 42 }, 0 },
	{ "v_mfma_f32_4x4x4f16", { 1, 16, 42 }, { 1, 16, 42 }, { 2, 0, 42 }, 0 },
	{ "v_mfma_f32_32x32x8f16", { 1, 0, 51 }, { 1, 0, 54 }, { 11, 0, 22 }, 0 },
	{ "v_mfma_f32_16x16x16f16", { 1, 16, 41 }, { 1, 16, 40 }, { 1, 0, 40 }, 0 },
	{ "v_mfma_i32_32x32x4i8", { 0, 24, 61 }, { 0, 24, 58 }, { 29, 0, 58 }, 0 },
	{ "v_mfma_i32_16x16x4i8", { 0, 16, 45 }, { 0, 16, 44 }, { 9, 0, 60 }, 0 },
	{ "v_mfma_i32_4x4x4i8", { 0, 24, 62 }, { 0, 24, 62 }, { 2, 0, 62 }, 0 },
	{ "v_mfma_i32_32x32x8i8", { 0, 16, 58 }, { 0, 16, 62 }, { 14, 0, 30 }, 0 },
	{ "v_mfma_i32_16x16x16i8", { 0, 16, 41 }, { 0, 16, 46 }, { 1, 0, 46 }, 0 },
	{ "v_mfma_f32_32x32x4bf16_1k", { 1, 16, 52 }, { 1, 16, 63 }, { 24, 0, 63 }, 0 },
	{ "v_mfma_f32_16x16x4bf16_1k", { 1, 16, 57 }, { 1, 16, 61 }, { 13, 0, 45 }, 0 },
	{ "v_mfma_f32_4x4x4bf16_1k", { 1, 0, 39 }, { 1, 0, 39 }, { 3, 0, 39 }, 0 },
	{ "v_mfma_f32_32x32x8bf16_1k", { 0, 0, 56 }, { 0, 0, 63 }, { 12, 0, 31 }, 0 },
	{ "v_mfma_f32_16x16x16bf16_1k", { 0, 0, 60 }, { 0, 0, 63 }, { 0, 0, 63 }, 0 },
	{ "v_mfma_f32_32x32x2bf16", { 0, 16, 59 }, { 0, 16, 48 }, { 31, 0, 16 }, 0 },
	{ "v_mfma_f32_16x16x2bf16", { 0, 16, 42 }, { 0, 16, 41 }, { 10, 0, 41 }, 0 },
	{ "v_mfma_f32_4x4x2bf16", { 0, 16, 46 }, { 0, 16, 47 }, { 2, 0, 47 }, 0 },
	{ "v_mfma_f32_32x32x4bf16", { 0, 16, 60 }, { 0, 16, 60 }, { 12, 0, 60 }, 0 },
	{ "v_mfma_f32_16x16x8bf16", { 0, 16, 58 }, { 0, 16, 63 }, { 2, 0, 47 }, 0 },
	{ "v_mfma_f64_16x16x4f64", { 0, 0, 58 }, { 0, 0, 62 }, { 4, 0, 46 }, 0 },
	{ "v_mfma_f64_4x4x4f64", { 0, 0, 43 }, { 0, 0, 43 }, { 0, 0, 59 }, 0 },
	{ "v_mfma_f32_16x16x8_xf32", { 1, 0, 41 }, { 1, 0, 42 }, { 1, 0, 42 }, 0 },
	{ "v_mfma_f32_32x32x4_xf32", { 1, 0, 55 }, { 1, 0, 48 }, { 11, 0, 48 }, 0 },
	{ "v_mfma_i32_32x32x16_i8", { 0, 0, 56 }, { 0, 0, 57 }, { 12, 0, 25 }, 0 },
	{ "v_mfma_i32_16x16x32_i8", { 0, 16, 62 }, { 0, 16, 61 }, { 2, 0, 61 }, 0 },
	{ "v_mfma_f32_32x32x4_2b_bf16", { 1, 16, 49 }, { 1, 16, 62 }, { 25, 0, 30 }, 0 },
	{ "v_mfma_f32_16x16x4_4b_bf16", { 1, 0, 62 }, { 1, 0, 62 }, { 14, 0, 62 }, 0 },
	{ "v_mfma_f32_4x4x4_16b_bf16", { 1, 0, 39 }, { 1, 0, 38 }, { 3, 0, 38 }, 0 },
	{ "v_mfma_f32_32x32x8_bf16", { 0, 16, 54 }, { 0, 16, 62 }, { 10, 0, 62 }, 0 },
	{ "v_mfma_f32_16x16x16_bf16", { 0, 16, 45 }, { 0, 16, 40 }, { 1, 0, 56 }, 0 },
	{ "v_smfmac_f32_16x16x32_f16", { 0, 0, 43 }, { 1, 0, 44 }, { 3, 0, 44 }, 0xe },
	{ "v_smfmac_f32_32x32x16_f16", { 1, 0, 55 }, { 3, 16, 58 }, { 11, 0, 58 }, 0xb0 },
	{ "v_smfmac_f32_16x16x32_bf16", { 0, 0, 63 }, { 0, 0, 60 }, { 3, 0, 60 }, 0x4 },
	{ "v_smfmac_f32_32x32x16_bf16", { 0, 0, 58 }, { 1, 16, 60 }, { 14, 0, 28 }, 0xb },
	{ "v_smfmac_i32_16x16x64_i8", { 1, 16, 46 }, { 3, 16, 42 }, { 2, 0, 58 }, 0xe000 },
	{ "v_smfmac_i32_32x32x32_i8", { 1, 0, 53 }, { 2, 8, 58 }, { 9, 0, 58 }, 0x100 },
	{ "v_mfma_f64_16x16x4_f64", { 0, 0, 47 }, { 0, 0, 42 }, { 6, 0, 58 }, 0 },
	{ "v_mfma_f64_4x4x4_4b_f64", { 0, 0, 47 }, { 0, 0, 46 }, { 0, 0, 62 }, 0 },
	{ "v_mfma_f32_16x16x32_bf8_bf8", { 0, 24, 57 }, { 0, 24, 60 }, { 1, 0, 44 }, 0 },
	{ "v_mfma_f32_16x16x32_bf8_fp8", { 0, 16, 61 }, { 0, 16, 59 }, { 1, 0, 59 }, 0 },
	{ "v_mfma_f32_16x16x32_fp8_bf8", { 1, 0, 59 }, { 1, 0, 59 }, { 3, 0, 43 }, 0 },
	{ "v_mfma_f32_16x16x32_fp8_fp8", { 0, 24, 59 }, { 0, 24, 63 }, { 3, 0, 47 }, 0 },
	{ "v_mfma_f32_32x32x16_bf8_bf8", { 1, 24, 48 }, { 1, 24, 56 }, { 8, 0, 24 }, 0 },
	{ "v_mfma_f32_32x32x16_bf8_fp8", { 1, 24, 54 }, { 1, 24, 59 }, { 10, 0, 59 }, 0 },
	{ "v_mfma_f32_32x32x16_fp8_bf8", { 0, 24, 59 }, { 0, 24, 50 }, { 15, 0, 18 }, 0 },
	{ "v_mfma_f32_32x32x16_fp8_fp8", { 0, 24, 55 }, { 0, 24, 63 }, { 11, 0, 63 }, 0 },
	{ "v_smfmac_f32_16x16x64_bf8_bf8", { 1, 0, 46 }, { 2, 0, 42 }, { 2, 0, 58 }, 0x400 },
	{ "v_smfmac_f32_16x16x64_bf8_fp8", { 0, 16, 46 }, { 1, 16, 46 }, { 2, 0, 62 }, 0xe0 },
	{ "v_smfmac_f32_16x16x64_fp8_bf8", { 1, 0, 40 }, { 2, 16, 42 }, { 0, 0, 42 }, 0xe00 },
	{ "v_smfmac_f32_16x16x64_fp8_fp8", { 0, 16, 60 }, { 1, 8, 61 }, { 0, 0, 61 }, 0x10 },
	{ "v_smfmac_f32_32x32x32_bf8_bf8", { 0, 0, 61 }, { 0, 8, 50 }, { 13, 0, 50 }, 0x1 },
	{ "v_smfmac_f32_32x32x32_bf8_fp8", { 0, 16, 49 }, { 1, 16, 50 }, { 9, 0, 18 }, 0xe0 },
	{ "v_smfmac_f32_32x32x32_fp8_bf8", { 0, 16, 51 }, { 1, 24, 62 }, { 11, 0, 30 }, 0xb0 },
	{ "v_smfmac_f32_32x32x32_fp8_fp8", { 1, 16, 48 }, { 3, 0, 54 }, { 8, 0, 22 }, 0x4000 },
};

static u64 one(enum mm_type t)
{
	switch (t) {
	case MM_F64:
		return d2u(1.0);
	case MM_F16:
		return 0x3c00;
	case MM_BF16: case MM_BF16_1K:
		return 0x3f80;
	case MM_I8:
		return 1;
	case MM_FP8:
		return F8_BIAS(FP8_MAN) << FP8_MAN;
	case MM_BF8:
		return F8_BIAS(BF8_MAN) << BF8_MAN;
	default:
		return f2u(1.0f);
	}
}

static void set_one(u32 (*v)[LANES], const struct where *at, enum mm_type t)
{
	u64 o = one(t);

	v[at->reg][at->lane] = (u32)o << at->bit;
	if (t == MM_F64)
		v[at->reg + 1][at->lane] = o >> 32;
}

/* All zero but one element of A and one of B: D has one that is not, and where it must be. */
static bool fact_holds(const struct fact *f, struct run *r)
{
	unsigned int wide = r->s.a == MM_F64, set = 0;
	u32 (*d)[LANES] = regs(r, 0);

	memset(w->vgpr, 0, VGPRS * sizeof(*w->vgpr));
	set_one(regs(r, 2), &f->a, r->s.a);
	set_one(regs(r, 3), &f->b, r->s.b);
	LANE
		w->vgpr[INDEX_REG][l] = f->index;
	if (execute(r) != WAVE_BUDGET)
		return false;
	for (unsigned int n = 0; n < 32; n++)
		LANE
			set += d[n][l] != 0;
	return set == 1 && d[f->d.reg + wide][f->d.lane] != 0;
}

static struct run plain(const struct isa_row *row, const struct isa *isa)
{
	return (struct run) {
		.row = row, .isa = isa, .s = mm_shape(row->arg), .c = OP_VGPR + C_REG,
	};
}

static void test_facts(void)
{
	unsigned int found = 0, rows = 0;

	for (unsigned int n = 0; n < isa_gfx90a.nrows; n++) {
		const struct isa_row *row = &isa_gfx90a.rows[n];

		if (!(row->flags & F_MFMA))
			continue;
		rows++;
		for (unsigned int k = 0; k < sizeof(facts) / sizeof(facts[0]); k++) {
			struct run r = plain(row, row->flags & F_942 ? &isa_gfx942 : &isa_gfx90a);

			if (strcmp(facts[k].name, row->name))
				continue;
			found++;
			if (!fact_holds(&facts[k], &r)) {
				printf("# %s\n", row->name);
				found--;
			}
		}
	}
	ok(found == rows && rows == sizeof(facts) / sizeof(facts[0]),
	   "elements are where AMD's calculator has them");
}

/* ---- the reference ---- */

/* Raw bits of A[i][k] (@b: B[k][i]) of a block; @blgp moves B's lanes. */
static u64 element(const struct run *r, bool b, unsigned int block, unsigned int i, unsigned int k)
{
	const struct mm_shape *s = &r->s;
	static const u8 bits[] = { [MM_F32] = 32, [MM_F64] = 64, [MM_F16] = 16, [MM_BF16] = 16,
				   [MM_BF16_1K] = 16, [MM_XF32] = 32, [MM_I8] = 8, [MM_FP8] = 8,
				   [MM_BF8] = 8 };
	unsigned int size = bits[b ? s->b : s->a], len = s->sparse && !b ? s->k / 2 : s->k;
	unsigned int each = len * s->n * s->blocks / 64, e = k % each;
	unsigned int lane = k / each * s->n * s->blocks + block * s->n + i;
	u32 (*v)[LANES] = regs(r, b ? 3 : 2);
	static const u8 lanes16[8] = { 0, 0, 0, 0, 0, 16, 32, 48 };

	if (b && s->b != MM_F64 && r->blgp) {
		if (r->blgp < 3)
			lane = lane % 32 + (r->blgp == 2 ? 32 : 0);
		else if (r->blgp == 3)
			lane = lane < 48 ? lane + 16 : lane - 48;
		else
			lane = lane % 16 + lanes16[r->blgp];
	}
	if (size == 64)
		return join(v[0][lane], v[1][lane]);
	if (size == 32)
		return v[e][lane];
	return v[e * size / 32][lane] >> e * size % 32 & ((1u << size) - 1);
}

/* A[i][k], of which a sparse A may have nothing. */
static u64 element_a(const struct run *r, unsigned int block, unsigned int i, unsigned int k)
{
	unsigned int each, size, set;

	if (!r->s.sparse)
		return element(r, false, block >> r->cbsz << r->cbsz | r->abid, i, k);
	each = r->s.k / 2 * r->s.n / 64;
	size = 2 * each;
	set = r->cbsz ? 0 : r->abid % (32 / size);
	for (unsigned int e = k / 4 * 2; e < k / 4 * 2 + 2; e++) {
		u32 index = w->vgpr[INDEX_REG][e / each * r->s.n + i] >> set * size;

		if ((index >> 2 * (e % each) & 3) == k % 4)
			return element(r, false, 0, i, e);
	}
	return 0;
}

static float number(enum mm_type t, u32 v)
{
	switch (t) {
	case MM_F16:
		return f16_to_f32(v);
	case MM_BF16: case MM_BF16_1K:
		return u2f(v << 16);
	case MM_XF32:
		return u2f(v >> 13 << 13);
	case MM_FP8:
		return f8_to_f32(v, FP8_MAN);
	case MM_BF8:
		return f8_to_f32(v, BF8_MAN);
	default:
		return u2f(v);
	}
}

static int lowest(enum mm_type t)
{
	return t == MM_F16 ? -14 : t == MM_FP8 ? -7 : t == MM_BF8 ? -15 : -126;
}

/* @f = mantissa * 2^exponent, the latter not below @lowest. */
static double mantissa(float f, int lowest, int *exp)
{
	int e;

	frexpf(f, &e);
	*exp = e - 1 < lowest ? lowest : e - 1;
	if (f == 0)
		*exp = -1000;
	return f == 0 ? 0 : ldexp(f, -*exp);
}

static float ftz(float f, bool input)
{
	if (fabsf(f) < 0x1p-126f)
		return input ? 0.0f : copysignf(0.0f, f);
	return f;
}

/* FTZ-AddMul */
static float flushed(const struct mm_shape *sh, const float *a, const float *b, unsigned int p,
		     float c)
{
	float min = ldexpf(1.0f, lowest(sh->a));

	c = ftz(c, true);
	for (unsigned int n = 0; n < sh->k; n += p) {
		float m[4], s;

		for (unsigned int x = 0; x < p; x++) {
			float fa = a[n + x], fb = b[n + x];

			m[x] = ftz((fabsf(fa) < min ? 0 : fa) * (fabsf(fb) < min ? 0 : fb), false);
		}
		s = ftz(m[0] + m[1], false);
		if (p == 4)
			s = ftz(s + ftz(m[2] + m[3], false), false);
		c = ftz(c + s, false);
	}
	return c;
}

/* The sum of products n, n + step, ... as @sum * 2^@exp */
static double truncated(const struct mm_shape *s, const float *a, const float *b, unsigned int n,
			unsigned int step, unsigned int count, int *exp)
{
	double p[16], sum = 0;
	int e[16];

	*exp = -1000;
	for (unsigned int x = 0; x < count; x++) {
		int ea, eb;

		p[x] = mantissa(a[n + x * step], lowest(s->a), &ea) *
		       mantissa(b[n + x * step], lowest(s->b), &eb);
		e[x] = ea + eb;
		if (p[x] != 0 && e[x] > *exp)
			*exp = e[x];
	}
	for (unsigned int x = 0; x < count; x++)
		if (p[x] != 0)
			sum += trunc(ldexp(p[x], 24 + e[x] - *exp));
	if (*exp == -1000)
		*exp = -126;
	return ldexp(sum, -24);
}

/* TR-FDPA, and GTR-FDPA of two halves */
static float fused(const struct mm_shape *s, const float *a, const float *b, unsigned int count,
		   bool fp8, float c)
{
	int exp, ec, top, odd;
	double sum = c, inf = 0, sc, v;

	for (unsigned int x = 0; x < count; x++) {
		double p = (double)a[x] * b[x];

		sum += p;
		if (fabs(p) >= 0x1p128)
			inf += copysign(INFINITY, p);
	}
	if (!isfinite(sum))
		return sum;
	if (inf != 0)
		return inf;
	if (fp8) {
		sum = truncated(s, a, b, 0, 2, count / 2, &exp);
		v = truncated(s, a, b, 1, 2, count / 2, &odd);
		top = exp > odd ? exp : odd;
		sum = ldexp(floor(ldexp(sum, 24 + exp - top)) + floor(ldexp(v, 24 + odd - top)),
			    -24);
		exp = top;
	} else {
		sum = truncated(s, a, b, 0, 1, count, &exp);
	}
	sc = mantissa(c, -126, &ec);
	if (c == 0)
		ec = -126;
	top = exp > ec ? exp : ec;
	sum = ldexp(floor(ldexp(sum, 31 + exp - top)), -31);
	if (!fp8 || ec >= top - 25)
		sum += ldexp(floor(ldexp(sc, 24 + ec - top)), -24);
	return ldexp(sum, top);
}

static float reference_f32(const struct run *r, const float *a, const float *b, float c)
{
	unsigned int k = r->s.k, group = 1;

	switch (r->s.a) {
	case MM_F32:
		for (unsigned int n = 0; n < k; n++)
			c = fmaf(a[n], b[n], c);
		return c;
	case MM_XF32:
		group = 4;
		break;
	case MM_FP8: case MM_BF8:
		group = 16;
		break;
	default:
		if (r->isa == &isa_gfx90a)
			return flushed(&r->s, a, b, r->s.a == MM_BF16 ? 2 : 4, c);
		group = k < 8 ? k : 8;
	}
	for (unsigned int n = 0; n < k; n += group)
		c = fused(&r->s, a + n, b + n, group, group == 16, c);
	return c;
}

/* Element of C or D in register @reg (pair, for f64) and lane @l. */
static void place(const struct mm_shape *s, unsigned int reg, unsigned int l, unsigned int *block,
		  unsigned int *i, unsigned int *j)
{
	bool wide = s->a == MM_F64;

	*block = 0;
	*j = l % s->n;
	switch (s->n) {
	case 32:
		*i = reg % 16 / 4 * 8 + l / 32 * 4 + reg % 4;
		*block = reg / 16;
		break;
	case 16:
		*i = wide ? 4 * reg + l / 16 : l / 16 * 4 + reg % 4;
		*block = wide ? 0 : reg / 4;
		break;
	default:
		*i = wide ? l / 16 : reg;
		*block = wide ? l / 4 % 4 : l / 4;
	}
}

/* D of the registers as they are, by @c: C, of which an instruction may keep nothing. */
static u64 reference(const struct run *r, unsigned int reg, unsigned int l, u64 c)
{
	unsigned int block, i, j;
	float a[64], b[64];
	double d = u2d(c);
	u32 sum = c;

	place(&r->s, reg, l, &block, &i, &j);
	if (r->s.a == MM_F64 && r->blgp & 4)
		d = -d;
	for (unsigned int k = 0; k < r->s.k; k++) {
		u64 va = element_a(r, block, i, k), vb = element(r, true, block, j, k);

		if (r->s.a == MM_F64)
			d = fma(r->blgp & 1 ? -u2d(va) : u2d(va), r->blgp & 2 ? -u2d(vb) : u2d(vb),
				d);
		else if (r->s.a == MM_I8)
			sum += (int8_t)va * (int8_t)vb;
		else {
			a[k] = number(r->s.a, va);
			b[k] = number(r->s.b, vb);
		}
	}
	if (r->s.a == MM_F64)
		return d != d ? 0x7ff8000000000000 : d2u(d);
	if (r->s.a == MM_I8)
		return sum;
	a[0] = reference_f32(r, a, b, u2f(c));
	return a[0] != a[0] ? 0x7fc00000 : f2u(a[0]);
}

/* ---- inputs ---- */

/* TINY: products that may be subnormal, and LOW for C, which may be it, too. */
enum values { SMALL, NEAR, FAR, ANY, TINY, VALUES, LOW };

/* A float of @exp bits of exponent and @man of mantissa, as @v says. */
static u64 make_float(enum values v, unsigned int exp, unsigned int man)
{
	u64 bias = (1ull << (exp - 1)) - 1, field = 0, sign = rnd() & 1, m = rnd() >> (64 - man);
	static const u8 spread[VALUES] = { [NEAR] = 6, [FAR] = 60 };

	if (v == SMALL) {
		double d = (double)(rnd() % 9);
		int e;

		d = frexp(d, &e) * 2;
		if (d == 0)
			return 0;
		return sign << (exp + man) | (bias + e - 1) << man |
		       (u64)ldexp(d - 1, (int)man);
	}
	if (v == LOW)
		field = rnd() % 6;
	else if (v == TINY)
		field = bias / 2 + rnd() % 8 - 3;
	else if (v == ANY || exp < 6)
		field = rnd() >> (64 - exp);
	else
		field = bias + rnd() % spread[v] - spread[v] / 2;
	if (v == ANY && !(rnd() & 3))		/* what is subnormal, infinite or not a number */
		field = rnd() & 7 ? 0 : (1ull << exp) - 1;
	return sign << (exp + man) | field << man | m;
}

static u64 make(enum mm_type t, enum values v)
{
	switch (t) {
	case MM_F64:
		return make_float(v, 11, 52);
	case MM_F16:
		return make_float(v, 5, 10);
	case MM_BF16: case MM_BF16_1K:
		return make_float(v, 8, 7);
	case MM_I8:
		return rnd() & 0xff;
	case MM_FP8: case MM_BF8:
		if (v != SMALL)
			return v != ANY && !(rnd() & 0x7f) ? 0 : rnd() & 0xff;
		/* The bias is one more than make_float() has it. */
		v = make_float(SMALL, t == MM_FP8 ? 4 : 5, t == MM_FP8 ? 3 : 2);
		return v & 0x7f ? v + (t == MM_FP8 ? 8 : 4) : 0;
	default:
		return make_float(v, 8, 23);
	}
}

/* Fill @count registers with elements of a type. */
static void fill(u32 (*v)[LANES], unsigned int count, enum mm_type t, enum values how)
{
	for (unsigned int n = 0; n < count; n++)
		LANE {
			u64 x = make(t, how);

			switch (t) {
			case MM_F64:
				v[n][l] = n & 1 ? (u32)(x >> 32) : (u32)x;
				if (n & 1)
					v[n - 1][l] = (u32)x;
				break;
			case MM_F16: case MM_BF16: case MM_BF16_1K:
				v[n][l] = (u32)x | (u32)make(t, how) << 16;
				break;
			case MM_I8: case MM_FP8: case MM_BF8:
				v[n][l] = x | (u32)make(t, how) << 8 | (u32)make(t, how) << 16 |
					  (u32)make(t, how) << 24;
				break;
			default:
				v[n][l] = x;
			}
		}
}

/* Which two of four: each byte of an index is two such pairs. */
static u32 make_index(void)
{
	static const u8 pairs[] = { 0x4, 0x8, 0xc, 0x9, 0xd, 0xe };
	u32 v = 0;

	for (unsigned int n = 0; n < 8; n++)
		v = v << 4 | pairs[rnd() % 6];
	return v;
}

/* ---- comparison ---- */

static bool compare(struct run *r, enum values how)
{
	bool wide = r->s.a == MM_F64;
	unsigned int count = r->s.n * r->s.n * r->s.blocks / LANES, wrong = 0;
	u32 (*d)[LANES] = regs(r, 0);
	static u64 want[32][LANES];
	enum mm_type ct = wide ? MM_F64 : MM_F32;

	fill(regs(r, 2), 4, r->s.a, how);
	fill(regs(r, 3), 4, r->s.b, how);
	fill(regs(r, 1), 32, r->s.a == MM_I8 ? MM_I8 : ct, how == TINY ? LOW : how);
	LANE
		w->vgpr[INDEX_REG][l] = make_index();
	for (unsigned int n = 0; n < count; n++)
		LANE {
			u32 (*v)[LANES] = regs(r, 1);
			u64 c = wide ? join(v[2 * n][l], v[2 * n + 1][l]) : v[n][l];

			if (r->c < OP_VGPR)	/* 1.0 and -2: the constants tried */
				c = r->c == 242 ? wide ? d2u(1.0) : f2u(1.0f) : (u64)-2;
			want[n][l] = reference(r, n, l, wide ? c : (u32)c);
		}
	/* EXEC does not count. */
	set_sgpr64(w, SGPR_EXEC, rnd());
	if (execute(r) != WAVE_BUDGET) {
		printf("# %s: not executed\n", r->row->name);
		return false;
	}
	for (unsigned int n = 0; n < count; n++)
		LANE {
			u64 got = wide ? join(d[2 * n][l], d[2 * n + 1][l]) : d[n][l];

			if (got == want[n][l])
				continue;
			if (wrong++ < SHOWN)
				printf("# %s cbsz:%u abid:%u blgp:%u: d%u[%u]: %#llx, not %#llx\n",
				       r->row->name, r->cbsz, r->abid, r->blgp, n, l,
				       (unsigned long long)got, (unsigned long long)want[n][l]);
		}
	return !wrong;
}

/* Is the instruction refused, and nothing changed? */
static bool refused(const struct run *r)
{
	static u32 before[VGPRS][LANES];

	fill(w->vgpr, VGPRS, MM_F32, ANY);
	memcpy(before, w->vgpr, sizeof(before));
	return execute(r) == WAVE_ILLEGAL && !memcmp(before, w->vgpr, sizeof(before));
}

static bool test_row(const struct isa_row *row, const struct isa *isa)
{
	struct run r = plain(row, isa);
	bool good = true, wide = r.s.a == MM_F64;

	for (unsigned int n = 0; n < 8; n++)
		for (unsigned int how = SMALL; how < VALUES; how++) {
			r.acc = n;
			good &= compare(&r, how);
		}
	r.acc = 0;
	for (r.cbsz = 0; 1u << r.cbsz <= r.s.blocks && !wide; r.cbsz++)
		for (r.abid = 0; r.abid < 1u << r.cbsz; r.abid++)
			good &= compare(&r, NEAR);
	for (r.cbsz = 0; r.cbsz < 2 && r.s.sparse; r.cbsz++)
		for (r.abid = 0; r.abid < 4; r.abid++)
			good &= compare(&r, NEAR);
	r.cbsz = 0;
	r.abid = 0;
	if (r.s.sparse)
		return good;
	for (r.c = 194; r.c <= 242; r.c += 48)
		good &= compare(&r, NEAR);
	r.c = OP_VGPR + C_REG;
	for (r.blgp = 1; r.blgp < 8; r.blgp++) {
		bool has = isa == &isa_gfx90a ? !wide :
			   wide || r.s.blocks > 1 || r.s.a == MM_F32;

		good &= has ? compare(&r, NEAR) : refused(&r);
	}
	return good;
}

static void test_refusals(void)
{
	struct run r = plain(isa_gfx90a.rows, &isa_gfx90a);

	for (unsigned int n = 0; n < isa_gfx90a.nrows; n++)
		if (!strcmp(isa_gfx90a.rows[n].name, "v_mfma_f32_16x16x4f16"))
			r = plain(&isa_gfx90a.rows[n], &isa_gfx90a);
	r.cbsz = 3;
	ok(refused(&r), "refused: more blocks than there are");
	r.cbsz = 1;
	r.abid = 2;
	ok(refused(&r), "refused: a block that is not one of those");
	r.cbsz = 0;
	r.abid = 0;
	r.c = 4;
	ok(refused(&r), "refused: a scalar register for C");
	r.c = 235;
	ok(refused(&r), "refused: an aperture's base");
}

int main(void)
{
	static const struct isa *const isas[] = { &isa_gfx90a, &isa_gfx942 };
	struct wave_mem mem = { .isa = &isa_gfx90a, .ptr = code_ptr, .generation = generation };
	struct workgroup *wg = wg_alloc(1, LANES, VGPRS, ACC, 0);
	char what[96];

	mem.ctx = calloc(1, 4096);
	if (!wg || !mem.ctx)
		return 1;
	w = wg->waves;
	w->mem = &mem;
	test_facts();
	for (unsigned int k = 0; k < sizeof(isas) / sizeof(isas[0]); k++)
		for (unsigned int n = 0; n < isas[k]->nrows; n++) {
			const struct isa_row *row = &isas[k]->rows[n];

			if (!(row->flags & F_MFMA) || !isa_has(row, isas[k]))
				continue;
			snprintf(what, sizeof(what), "%s: %s", isas[k]->name, row->name);
			ok(test_row(row, isas[k]), what);
		}
	test_refusals();
	wg_free(wg);
	free(mem.ctx);
	return tap_done();
}
