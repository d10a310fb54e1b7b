/* SPDX-License-Identifier: GPL-2.0 */
/* Matrix instructions: shapes, and the arithmetic of one row of the result. */
#ifndef GPU_MODEL_ISA_MATRIX_H
#define GPU_MODEL_ISA_MATRIX_H

#include "isa.h"

#define MM_ELEMS	1024	/* of an operand: 64 lanes of at most 16 */

/**
 * struct mm_shape - what the argument of a row says
 * @n:		rows of A and D, columns of B and D
 * @k:		columns of A, rows of B
 * @blocks:	independent products
 * @a: @b:	element types (enum mm_type)
 * @sparse:	two of each four elements of a row of A are there
 */
struct mm_shape {
	unsigned int n, k, blocks;
	enum mm_type a, b;
	bool sparse;
};

static inline struct mm_shape mm_shape(u32 arg)
{
	return (struct mm_shape) {
		.n = arg & 0x3f,
		.k = arg >> 6 & 0x7f,
		.blocks = arg >> 13 & 0x1f,
		.a = arg >> 18 & 0xf,
		.b = arg >> 22 & 0xf,
		.sparse = arg & MM_SPARSE,
	};
}

/**
 * struct mm_operand - A or B as numbers, one k after the other
 * @f: @d: @i:	elements: float types (each is exact in f32), f64, integers
 * @exp:	exponents of @f as the element type has them
 */
struct mm_operand {
	union {
		float f[MM_ELEMS];
		double d[LANES];
		s32 i[MM_ELEMS];
	};
	s32 exp[MM_ELEMS];
};

/**
 * struct mm_row - one row of D
 * @a: @b:	operands
 * @ai: @bi:	where in them the row and the first column are, for k = 0
 * @step:	from there to the next k
 * @n: @k:	columns; length of the sums
 */
struct mm_row {
	const struct mm_operand *a, *b;
	unsigned int ai, bi, step;
	unsigned int n, k;
};

/* matrix_dot.c: add the row's products to @c, as the hardware rounds them. */
void mm_fma_f32(const struct mm_row *r, float *c) NAMED(mm_fma_f32);
void mm_fma_f64(const struct mm_row *r, double *c) NAMED(mm_fma_f64);
void mm_int(const struct mm_row *r, u32 *c) NAMED(mm_int);
void mm_flushed(const struct mm_row *r, unsigned int group, float *c) NAMED(mm_flushed);
void mm_fused(const struct mm_row *r, unsigned int group, float *c) NAMED(mm_fused);
void mm_fused_fp8(const struct mm_row *r, float *c) NAMED(mm_fused_fp8);

#endif
