/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Floats of 8 bits as gfx942 has them: no infinities, no -0, which is the only NaN, and
 * the exponent's bias one more than IEEE 754 would have it (OCP's E4M3 and E5M2 differ).
 */
#ifndef GPU_MODEL_ISA_F8_H
#define GPU_MODEL_ISA_F8_H

#include "f16.h"

/* A format is known by the bits of its mantissa. */
#define FP8_MAN		3
#define BF8_MAN		2
#define F8_NAN		0x80
#define F8_BIAS(man)	(1 << (6 - (man)))
#define F8_MIN_EXP(man)	(1 - F8_BIAS(man))

static inline float f8_to_f32(u8 v, unsigned int man)
{
	u32 exp = (v & 0x7fu) >> man, m = v & ((1u << man) - 1);
	u32 sign = (u32)(v & 0x80) << 24;

	if (v == F8_NAN)
		return u2f(0x7fc00000);
	if (exp)
		return u2f(sign | (exp + 127 - F8_BIAS(man)) << 23 | m << (23 - man));
	/* Subnormal: an integer times the smallest one. */
	return u2f(f2u((float)m * u2f((u32)(F8_MIN_EXP(man) - (int)man + 127) << 23)) | sign);
}

#endif
