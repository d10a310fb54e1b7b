/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Typed buffers: the components of an element as numbers. Formats have the values of
 * amdgpu's vega10_enum.h (BUF_DATA_FORMAT_*, BUF_NUM_FORMAT_*), whose names begin with the
 * most significant bits: of 10_11_11, X is the lowest 11.
 */
#ifndef GPU_MODEL_ISA_TYPED_H
#define GPU_MODEL_ISA_TYPED_H

#include "f16.h"

enum typed_number {
	TYPED_UNORM, TYPED_SNORM, TYPED_USCALED, TYPED_SSCALED, TYPED_UINT, TYPED_SINT,
	TYPED_RESERVED, TYPED_FLOAT,
};

#define TYPED_INVALID	0	/* the data format of no buffer at all */
#define TYPED_XYZW	(4 | 5 << 3 | 6 << 6 | 7 << 9)	/* each component from its own */

/**
 * struct typed - how a typed access sees an element
 * @data:	data format, 0 to 15
 * @number:	number format, enum typed_number
 * @select:	of each component of the result, where it is from, three bits: 0 is a zero,
 *		1 a one, 4 to 7 are the element's X to W
 */
struct typed {
	u32 data, number, select;
};

/* The bytes of an element, and the bits of its components from the lowest on. */
struct typed_layout {
	u8 bytes, bits[4];
};

static inline const struct typed_layout *typed_layout(const struct typed *t)
{
	static const struct typed_layout layouts[16] = {
		[1] = { 1, { 8 } },
		[2] = { 2, { 16 } },
		[3] = { 2, { 8, 8 } },
		[4] = { 4, { 32 } },
		[5] = { 4, { 16, 16 } },
		[6] = { 4, { 11, 11, 10 } },
		[7] = { 4, { 10, 11, 11 } },
		[8] = { 4, { 2, 10, 10, 10 } },
		[9] = { 4, { 10, 10, 10, 2 } },
		[10] = { 4, { 8, 8, 8, 8 } },
		[11] = { 8, { 32, 32 } },
		[12] = { 8, { 16, 16, 16, 16 } },
		[13] = { 12, { 32, 32, 32 } },
		[14] = { 16, { 32, 32, 32, 32 } },
	};

	return &layouts[t->data];
}

/* Is it a pair that hardware has? There are no floats of 8 bits, nor fractions of 32. */
static inline bool typed_known(const struct typed *t)
{
	const struct typed_layout *layout = typed_layout(t);

	switch (t->number) {
	case TYPED_UINT:
	case TYPED_SINT:
		return layout->bytes;
	case TYPED_FLOAT:
		return layout->bits[0] >= 10 && layout->bits[3] != 2;
	case TYPED_RESERVED:
		return false;
	default:
		return layout->bytes && layout->bits[0] < 32;
	}
}

/* Component @v of @bits as a register has it. */
static inline u32 typed_value(u32 v, unsigned int bits, enum typed_number number)
{
	u32 max = ~0u >> (32 - bits);
	s32 s = (s32)(v << (32 - bits)) >> (32 - bits);

	switch (number) {
	case TYPED_UNORM:
		return f2u((float)v / max);
	case TYPED_SNORM:	/* the lowest value is -1, as is the one after it */
		return f2u(s < -(s32)(max >> 1) ? -1 : (float)s / (max >> 1));
	case TYPED_USCALED:
		return f2u(v);
	case TYPED_SSCALED:
		return f2u(s);
	case TYPED_SINT:
		return s;
	case TYPED_FLOAT:	/* 11 and 10 bits: halves without the sign and the last bits */
		return bits == 32 ? v : f2u(f16_to_f32(bits == 16 ? v : v << (15 - bits)));
	default:
		return v;
	}
}

/* Component @n of a result; those that an element has not are 0, 0, 0 and 1. */
static inline u32 typed_component(const struct typed *t, const u32 element[4], unsigned int n)
{
	const u8 *bits = typed_layout(t)->bits;
	u32 one = t->number == TYPED_UINT || t->number == TYPED_SINT ? 1 : f2u(1);
	unsigned int from = t->select >> 3 * n & 7, at = 0;

	if (from < 4)
		return from == 1 ? one : 0;
	from -= 4;
	if (!bits[from])
		return from == 3 ? one : 0;
	for (unsigned int k = 0; k < from; k++)
		at += bits[k];
	return typed_value(element[at / 32] >> at % 32 & ~0u >> (32 - bits[from]), bits[from],
			   t->number);
}

#endif
