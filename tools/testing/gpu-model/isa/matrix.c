// SPDX-License-Identifier: GPL-2.0
/*
 * Matrix instructions: D = A * B + C for matrices that are spread over the lanes
 * of registers. All of them are one engine, driven by the shape in the row's
 * argument; matrix_dot.c has the arithmetic. EXEC does not count ("MI300 ISA", chapter
 * 7), nor do the rounding and subnormals of MODE.
 *
 * A lane holds one row of A and the consecutive k of it, and so of B with columns;
 * lanes go over the rows, then the blocks, then k. D has four rows (of f64: one) in
 * consecutive registers, its columns in consecutive lanes.
 */
#include <math.h>
#include "matrix.h"
#include "f8.h"

#define NAN32		0x7fc00000u
#define NAN64		0x7ff8000000000000ull

/* Elements of 32 bits and less; f64 is read by itself. */
static inline unsigned int bits_of(enum mm_type t)
{
	switch (t) {
	case MM_F16: case MM_BF16: case MM_BF16_1K:
		return 16;
	case MM_I8: case MM_FP8: case MM_BF8:
		return 8;
	default:
		return 32;
	}
}

/* Exponent that the smallest normal number of the type has. */
static inline int min_exp(enum mm_type t)
{
	switch (t) {
	case MM_F16:
		return -14;
	case MM_FP8:
		return F8_MIN_EXP(FP8_MAN);
	case MM_BF8:
		return F8_MIN_EXP(BF8_MAN);
	default:
		return -126;
	}
}

static inline float to_float(enum mm_type t, u32 v)
{
	switch (t) {
	case MM_F16:
		return f16_to_f32(v);
	case MM_BF16: case MM_BF16_1K:
		return u2f(v << 16);
	case MM_XF32:		/* 10 bits of mantissa are looked at */
		return u2f(v & ~0x1fffu);
	case MM_FP8:
		return f8_to_f32(v, FP8_MAN);
	case MM_BF8:
		return f8_to_f32(v, BF8_MAN);
	default:
		return u2f(v);
	}
}

/* Element @e of lane @l of the registers at @op. */
static u32 element(const struct ctx *c, unsigned int op, unsigned int bits, unsigned int e,
		   unsigned int l)
{
	unsigned int each = 32 / bits;

	return vreg(c, op + e / each)[l] >> bits * (e % each) & (~0u >> (32 - bits));
}

static inline s32 exponent(enum mm_type t, float f)
{
	s32 exp = (s32)(f2u(f) >> 23 & 0xff) - 127;

	return exp < min_exp(t) ? min_exp(t) : exp;
}

/* @count consecutive elements, each in the bits from @shift on of a lane of @reg. */
static inline __attribute__((always_inline))
void put(struct mm_operand *o, unsigned int at, enum mm_type t, const u32 *reg,
	 unsigned int shift, unsigned int count)
{
	u32 mask = ~0u >> (32 - bits_of(t));
	float *f = &o->f[at];
	s32 *exp = &o->exp[at], *i = &o->i[at];

	if (t == MM_I8) {
		for (unsigned int n = 0; n < count; n++)
			i[n] = (int8_t)(reg[n] >> shift);
		return;
	}
	VLOOP(n, count) {
		f[n] = to_float(t, reg[n] >> shift & mask);
		exp[n] = exponent(t, f[n]);
	}
}

/* B's lane groups (BLGP): all lanes read 32 or 16 of them, or those 16 further on. */
static unsigned int group_lane(unsigned int blgp, unsigned int l)
{
	switch (blgp) {
	case 0:
		return l;
	case 1: case 2:
		return l % 32 + 32 * (blgp - 1);
	case 3:
		return (l + 16) % LANES;
	default:
		return l % 16 + 16 * (blgp - 4);
	}
}

static void load_f64(struct ctx *c, struct mm_operand *o, unsigned int op)
{
	const u32 *lo = vreg(c, op), *hi = vreg(c, op + 1);

	LANE
		o->d[l] = u2d(join(lo[l], hi[l]));
}

static void load(struct ctx *c, struct mm_operand *o, unsigned int op, enum mm_type t,
		 const struct mm_shape *s, unsigned int blgp)
{
	unsigned int step = s->n * s->blocks, each = s->k * step / LANES, bits = bits_of(t);
	u32 grouped[LANES];

	for (unsigned int e = 0; e < each; e++) {
		const u32 *reg = vreg(c, op + e * bits / 32);
		unsigned int shift = e * bits % 32;

		if (blgp) {
			LANE
				grouped[l] = reg[group_lane(blgp, l)];
			reg = grouped;
		}
		for (unsigned int l = 0; l < LANES; l += step) {
			unsigned int at = l * each + e * step;

			switch (t) {	/* a loop of its own for each type */
			case MM_F16:
				put(o, at, MM_F16, reg + l, shift, step);
				break;
			case MM_F32:
				put(o, at, MM_F32, reg + l, shift, step);
				break;
			case MM_BF16: case MM_BF16_1K:
				put(o, at, MM_BF16, reg + l, shift, step);
				break;
			case MM_I8:
				put(o, at, MM_I8, reg + l, shift, step);
				break;
			default:
				put(o, at, t, reg + l, shift, step);
			}
		}
	}
}

/*
 * A with two of each four k: the lane's bits of the index register, two for each
 * element, say which. ABID chooses the set of bits, unless CBSZ is not zero.
 */
static void load_sparse(struct ctx *c, struct mm_operand *o, const struct insn *i,
			const struct mm_shape *s)
{
	unsigned int bits = bits_of(s->a), each = s->k / 2 * s->n / LANES;
	unsigned int set = i->neg_hi ? 0 : i->op_sel % (16 / each) * 2 * each;
	const u32 *index = vreg(c, i->src[2]), zero = 0;

	for (unsigned int at = 0; at < s->k * s->n; at++)
		put(o, at, s->a, &zero, 0, 1);
	LANE {
		for (unsigned int e = 0; e < each; e++) {
			unsigned int k = 4 * ((l / s->n * each + e) / 2) +
					 (index[l] >> (set + 2 * e) & 3);

			u32 v = element(c, i->src[0], bits, e, l);

			put(o, k * s->n + l % s->n, s->a, &v, 0, 1);
		}
	}
}

/* Where row @row of block @block of D begins: a register, and a lane in it. */
static void place(const struct mm_shape *s, unsigned int block, unsigned int row,
		  unsigned int *reg, unsigned int *lane)
{
	unsigned int rows = s->a == MM_F64 ? 1 : 4, across = LANES / s->n;
	unsigned int chunk = s->n * s->n / rows, share = chunk < LANES ? LANES / chunk : 1;

	*reg = block * (s->n * s->n / LANES) + row / (rows * across) * rows + row % rows;
	*lane = block % share * s->n + row / rows % across * share * s->n;
}

static void sum_f32(const struct insn *i, const struct mm_shape *s, const struct mm_row *r,
		    float *c)
{
	bool cdna2 = i->isa == &isa_gfx90a;

	switch (s->a) {
	case MM_F32:
		mm_fma_f32(r, c);
		break;
	case MM_BF16:
		mm_flushed(r, 2, c);
		break;
	case MM_F16: case MM_BF16_1K:
		if (cdna2)
			mm_flushed(r, 4, c);
		else
			mm_fused(r, s->k < 8 ? s->k : 8, c);
		break;
	case MM_XF32:
		mm_fused(r, 4, c);
		break;
	default:
		mm_fused_fp8(r, c);
	}
}

/* The result's registers, while they are computed. */
union acc {
	u32 u[32][LANES];
	float f[32][LANES];
	double d[4][LANES];
};

/* C, or the constant that stands for it. Returns its number of registers. */
static unsigned int load_c(struct ctx *c, const struct insn *i, const struct mm_shape *s,
			   union acc *acc)
{
	unsigned int op = s->sparse ? i->dst : i->src[2], regs = s->n * s->n * s->blocks / LANES;
	u64 k = op < OP_VGPR ? ssrc64(c, i, 2) : 0, sign = i->neg & 4 ? 1ull << 63 : 0;

	for (unsigned int r = 0; r < regs; r++) {
		if (op < OP_VGPR && s->a == MM_F64)
			LANE
				acc->d[r][l] = u2d(k ^ sign);
		else if (op < OP_VGPR)
			LANE
				acc->u[r][l] = (u32)k;
		else if (s->a == MM_F64)
			LANE
				acc->d[r][l] = u2d(join(vreg(c, op + 2 * r)[l],
							vreg(c, op + 2 * r + 1)[l]) ^ sign);
		else
			memcpy(acc->u[r], vreg(c, op + r), sizeof(acc->u[r]));
	}
	return regs;
}

/* NaNs lose what they carried: the hardware's is not known. */
static void store_d(struct ctx *c, const struct insn *i, const struct mm_shape *s,
		    const union acc *acc, unsigned int regs)
{
	for (unsigned int r = 0; r < regs; r++) {
		u32 *d = vreg(c, i->dst + r);

		if (s->a == MM_F64) {
			u32 *lo = vreg(c, i->dst + 2 * r), *hi = vreg(c, i->dst + 2 * r + 1);

			LANE {
				u64 v = isnan(acc->d[r][l]) ? NAN64 : d2u(acc->d[r][l]);

				lo[l] = (u32)v;
				hi[l] = v >> 32;
			}
		} else if (s->a == MM_I8) {
			memcpy(d, acc->u[r], sizeof(acc->u[r]));
		} else {
			VLANE {
				u32 v = acc->u[r][l];

				d[l] = (v & 0x7fffffff) > 0x7f800000 ? NAN32 : v;
			}
		}
	}
}

static void negate(struct mm_operand *o)
{
	LANE
		o->d[l] = -o->d[l];
}

/* CDNA2 takes subnormals of 16 bits for +0. */
static void flush_operand(struct mm_operand *o, const struct mm_shape *s)
{
	float min = ldexpf(1.0f, min_exp(s->a));

	for (unsigned int at = 0; at < s->n * s->k * s->blocks; at++)
		if (fabsf(o->f[at]) < min)
			o->f[at] = 0;
}

X(x_mfma)
{
	struct mm_shape s = mm_shape(i->row->arg);
	bool f64 = s.a == MM_F64;
	struct mm_operand a, b;
	struct mm_row r = {
		.a = &a, .b = &b, .step = s.n * s.blocks, .n = s.n, .k = s.k,
	};
	unsigned int regs;
	union acc acc;

	if (f64) {
		load_f64(c, &a, i->src[0]);
		load_f64(c, &b, i->src[1]);
	} else {
		if (s.sparse)
			load_sparse(c, &a, i, &s);
		else
			load(c, &a, i->src[0], s.a, &s, 0);
		load(c, &b, i->src[1], s.b, &s, i->neg);
	}
	if (i->isa == &isa_gfx90a && bits_of(s.a) == 16) {
		flush_operand(&a, &s);
		flush_operand(&b, &s);
	}
	regs = load_c(c, i, &s, &acc);
	if (f64 && i->neg & 1)
		negate(&a);
	if (f64 && i->neg & 2)
		negate(&b);
	for (unsigned int block = 0; block < s.blocks; block++) {
		/* CBSZ: so many blocks, as a power of two, have A of the one that ABID says. */
		unsigned int from = s.sparse ? 0 : (block >> i->neg_hi << i->neg_hi) + i->op_sel;

		r.bi = block * s.n;
		for (unsigned int row = 0; row < s.n; row++) {
			unsigned int reg, lane;

			place(&s, block, row, &reg, &lane);
			r.ai = from * s.n + row;
			if (f64)
				mm_fma_f64(&r, &acc.d[reg][lane]);
			else if (s.a == MM_I8)
				mm_int(&r, &acc.u[reg][lane]);
			else
				sum_f32(i, &s, &r, &acc.f[reg][lane]);
		}
	}
	store_d(c, i, &s, &acc, regs);
	return WAVE_BUDGET;
}
