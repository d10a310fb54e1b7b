// SPDX-License-Identifier: GPL-2.0
/*
 * The sums of matrix instructions. AMD does not document their rounding; this is
 * what P. Xie et al. measured, "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores
 * and Matrix Cores", arXiv:2511.10909, and their names for it:
 *
 *   f32, f64		a chain of fused multiply-adds, k ascending (FMA)
 *   f16, bf16 of CDNA2	pairs of products, each step rounded, subnormals flushed
 *			(FTZ-AddMul)
 *   f16, bf16, xf32 of	products cut off 24 bits below the largest one, their exact sum
 *   CDNA3		rounded down for the addition to C (TR-FDPA)
 *   fp8, bf8		the same, products of even and of odd k apart (GTR-FDPA)
 *
 * Not of theirs: the order in sparse products, which is taken to be that of the dense
 * ones, and that a product of zero never decides what is cut off.
 */
#include <limits.h>
#include <math.h>
#include "matrix.h"

#define CHUNK		4	/* columns at once: all counts of them are multiples of it */
#define CHUNKS(r)	for (unsigned int j = 0; j < (r)->n; j += CHUNK)

/* In vectors of the host's, which compilers do not make of these loops by themselves. */
#define VECTOR(type)	__attribute__((vector_size(4 * sizeof(type)), aligned(sizeof(type))))
typedef u32 u32_4 VECTOR(u32);
typedef s32 s32_4 VECTOR(s32);
typedef s64 s64_4 VECTOR(s64);
typedef float f32_4 VECTOR(u32);
typedef double f64_4 VECTOR(u64);

#define FRACTION	24	/* bits below the largest product that count */
#define WIDE		31	/* of a sum, when C is added to it */
#define ZERO_EXP	(-126)	/* of zero */
#define FUSED		16	/* products that are added at once, at most */

/* c += a * b of one row, in a type's vectors, and rounded once. */
#define FMA_ROW(name, type, vec, member, fma) \
static inline __attribute__((always_inline)) void name(const struct mm_row *r, type *c) \
{ \
	CHUNKS(r) { \
		vec sum = *(vec *)(c + j); \
 \
		for (unsigned int k = 0; k < r->k; k++) { \
			vec b = *(const vec *)(r->b->member + r->bi + k * r->step + j); \
			type a = r->a->member[r->ai + k * r->step]; \
 \
			sum = (vec) { \
				fma(a, b[0], sum[0]), fma(a, b[1], sum[1]), \
				fma(a, b[2], sum[2]), fma(a, b[3], sum[3]), \
			}; \
		} \
		*(vec *)(c + j) = sum; \
	} \
}

FMA_ROW(fma_f32, float, f32_4, f, fmaf)
FMA_ROW(fma_f64, double, f64_4, d, fma)

/* Without an instruction for it, fma() is a call: ten times as long. */
#ifdef __x86_64__
static __attribute__((target("fma"))) void host_fma_f32(const struct mm_row *r, float *c)
{
	fma_f32(r, c);
}

static __attribute__((target("fma"))) void host_fma_f64(const struct mm_row *r, double *c)
{
	fma_f64(r, c);
}

#define HOST_FMA	__builtin_cpu_supports("fma")
#else
#define host_fma_f32	fma_f32
#define host_fma_f64	fma_f64
#define HOST_FMA	true
#endif

void mm_fma_f32(const struct mm_row *r, float *c)
{
	if (HOST_FMA)
		host_fma_f32(r, c);
	else
		fma_f32(r, c);
}

void mm_fma_f64(const struct mm_row *r, double *c)
{
	if (HOST_FMA)
		host_fma_f64(r, c);
	else
		fma_f64(r, c);
}

void mm_int(const struct mm_row *r, u32 *c)
{
	CHUNKS(r) {
		u32_4 sum = *(u32_4 *)(c + j);

		for (unsigned int k = 0; k < r->k; k++)
			sum += (u32_4)(*(const s32_4 *)(r->b->i + r->bi + k * r->step + j) *
				       r->a->i[r->ai + k * r->step]);
		*(u32_4 *)(c + j) = sum;
	}
}

/* A result that is subnormal becomes a zero of its sign. */
static inline float flush(float v)
{
	u32 u = f2u(v);

	return u2f(u & 0x7f800000 ? u : u & 0x80000000);
}

/* @n and @group are constants: so many vectors. */
static inline __attribute__((always_inline))
void flushed(const struct mm_row *r, unsigned int n, unsigned int group, float *c)
{
	float sum[32];

	for (unsigned int j = 0; j < n; j++)
		sum[j] = f2u(c[j]) & 0x7f800000 ? c[j] : 0;
	for (unsigned int k = 0; k < r->k; k += group) {
		const float *a = r->a->f + r->ai + k * r->step;
		const float *b = r->b->f + r->bi + k * r->step, *b1 = b + r->step;
		const float *b2 = b1 + r->step, *b3 = b2 + r->step;

		for (unsigned int j = 0; j < n; j++) {
			float s = flush(flush(b[j] * a[0]) + flush(b1[j] * a[r->step]));

			if (group == 4)
				s = flush(s + flush(flush(b2[j] * a[2 * r->step]) +
						    flush(b3[j] * a[3 * r->step])));
			sum[j] = flush(sum[j] + s);
		}
	}
	for (unsigned int j = 0; j < n; j++)
		c[j] = sum[j];
}

/**
 * mm_flushed() - f16 and bf16 on CDNA2
 * @r:		row; its operands have no subnormals
 * @group:	products that are added before C is: 2 or 4, by pairs
 * @c:		C, then D; C that is subnormal is taken for +0
 */
void mm_flushed(const struct mm_row *r, unsigned int group, float *c)
{
	switch (r->n) {
	case 32:
		group == 4 ? flushed(r, 32, 4, c) : flushed(r, 32, 2, c);
		break;
	case 16:
		group == 4 ? flushed(r, 16, 4, c) : flushed(r, 16, 2, c);
		break;
	default:
		flushed(r, 4, group, c);
	}
}

/* Sums of a chunk, in units of 2^(@exp - FRACTION); of infinities they are any. */
struct sums {
	u32_4 v;
	s32_4 exp;
};

/* Products, and the sums of their factors' exponents: NEVER where they are zero. */
struct terms {
	f64_4 p[FUSED];
	s32_4 exp[FUSED];
};

#define NEVER	INT_MIN

static double pow2(int n)
{
	return u2d((u64)(n + 1023) << 52);
}

/* Toward minus infinity, however far. */
static s64 shift_down(s64 v, int n)
{
	return v >> (n < 63 ? n : 63);
}

/* @mask ? @a : @b */
static inline s32_4 choose(s32_4 mask, s32_4 a, s32_4 b)
{
	return (a & mask) | (b & ~mask);
}

/* @count products from @k on. True if one may be no number, or too large for f32. */
static bool multiply(const struct mm_row *r, unsigned int j, unsigned int k, unsigned int count,
		     struct terms *t)
{
	s32_4 strange = { 0 };

	for (unsigned int n = 0; n < count; n++) {
		unsigned int at = (k + n) * r->step;
		const f32_4 b = *(const f32_4 *)(r->b->f + r->bi + at + j);
		const s32_4 exp = *(const s32_4 *)(r->b->exp + r->bi + at + j);
		float a = r->a->f[r->ai + at];
		s32 ea = r->a->exp[r->ai + at];

		t->p[n] = __builtin_convertvector(b, f64_4) * (double)a;
		t->exp[n] = choose((b == 0) | -(a == 0), (s32_4) { 0 } + NEVER, exp + ea);
		strange |= (exp > 127) | -(ea > 127) | (t->exp[n] > 126);
	}
	return strange[0] | strange[1] | strange[2] | strange[3];
}

/* Every @every-th product, from @first on. */
static struct sums add(const struct terms *t, unsigned int first, unsigned int count,
		       unsigned int every)
{
	struct sums s = { { 0 }, t->exp[first] };
	f64_4 scale;

	for (unsigned int n = first + every; n < count; n += every)
		s.exp = choose(s.exp > t->exp[n], s.exp, t->exp[n]);
	s.exp = choose(s.exp == NEVER, (s32_4) { 0 } + ZERO_EXP, s.exp);
	scale = (f64_4)(__builtin_convertvector(FRACTION + 1023 - s.exp, s64_4) << 52);
	for (unsigned int n = first; n < count; n += every)
		s.v += (u32_4)__builtin_convertvector(t->p[n] * scale, s32_4);
	return s;
}

/*
 * @v in units of 2^(@sum_exp - FRACTION), and C, which is cut off at FRACTION bits; @lost:
 * one that has none of them is nothing at all.
 */
static float add_c(s64 v, int sum_exp, float c, bool lost)
{
	u32 bits = f2u(c), man = bits & 0x7fffff;
	int exp = (int)(bits >> 23 & 0xff) - 127, top;
	s64 cv;

	if (exp < ZERO_EXP)
		exp = ZERO_EXP;
	else
		man |= 0x800000;
	cv = (s64)man << (FRACTION - 23);
	if (bits >> 31)
		cv = -cv;
	top = sum_exp > exp ? sum_exp : exp;
	cv = lost && top - exp > FRACTION + 1 ? 0 : shift_down(cv, top - exp);
	v = shift_down(v * (1 << (WIDE - FRACTION)), top - sum_exp);
	return (float)((double)(v + cv * (1 << (WIDE - FRACTION))) * pow2(top - WIDE));
}

/* Is the result no number, by what the products and C are? Products too large are infinite. */
static bool special(const struct terms *t, unsigned int count, unsigned int x, float *c)
{
	double sum = 0, huge = 0;

	for (unsigned int n = 0; n < count; n++) {
		double p = t->p[n][x];

		sum += p;
		if (fabs(p) >= 0x1p128)
			huge += p > 0 ? INFINITY : -INFINITY;
	}
	sum += *c;
	if (isfinite(sum) && huge == 0)
		return false;
	*c = (float)(isfinite(sum) ? huge : sum);
	return true;
}

/**
 * mm_fused() - f16, bf16 and xf32 on CDNA3
 * @r:		row
 * @group:	products that are added at once
 * @c:		C, then D
 */
void mm_fused(const struct mm_row *r, unsigned int group, float *c)
{
	struct terms t;

	CHUNKS(r)
		for (unsigned int k = 0; k < r->k; k += group) {
			bool strange = multiply(r, j, k, group, &t);
			struct sums s = add(&t, 0, group, 1);

			for (unsigned int x = 0; x < CHUNK; x++)
				if ((!strange && isfinite(c[j + x])) ||
				    !special(&t, group, x, &c[j + x]))
					c[j + x] = add_c((s32)s.v[x], s.exp[x], c[j + x],
							 false);
		}
}

/* Sums of the even and of the odd k: the one with the smaller exponent is cut off. */
static float add_halves(s64 even, int even_exp, s64 odd, int odd_exp, float c)
{
	int top = even_exp > odd_exp ? even_exp : odd_exp;

	return add_c(shift_down(even, top - even_exp) + shift_down(odd, top - odd_exp), top, c,
		     true);
}

/* fp8 and bf8: 16 products at once, those of even k and those of odd k by themselves. */
void mm_fused_fp8(const struct mm_row *r, float *c)
{
	struct terms t;

	CHUNKS(r)
		for (unsigned int k = 0; k < r->k; k += FUSED) {
			bool strange = multiply(r, j, k, FUSED, &t);
			struct sums even = add(&t, 0, FUSED, 2), odd = add(&t, 1, FUSED, 2);

			for (unsigned int x = 0; x < CHUNK; x++)
				if ((!strange && isfinite(c[j + x])) ||
				    !special(&t, FUSED, x, &c[j + x]))
					c[j + x] = add_halves((s32)even.v[x], even.exp[x],
							      (s32)odd.v[x], odd.exp[x],
							      c[j + x]);
		}
}
