/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Floats of 8 bits as gfx942 has them: no infinities, no -0, which is the only NaN, and
 * the exponent's bias one more than IEEE 754 would have it (OCP's E4M3 and E5M2 differ).
 */
#ifndef GPU_MODEL_ISA_F8_H
#define GPU_MODEL_ISA_F8_H

#include "f16.h"

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

/**
 * f32_to_f8() - to 8 bits, to nearest even or at random
 * @f:		number
 * @man:	format
 * @random:	added to the bits that are lost, of which as many count; NULL: to nearest
 * @clamp:	what is too large becomes the largest number, else NaN
 */
static inline u8 f32_to_f8(float f, unsigned int man, const u32 *random, bool clamp)
{
	u32 bits = f2u(f), exp = bits >> 23 & 0xff, m = bits & 0x7fffff, r;
	int e = exp ? (int)exp - 127 : -126;
	unsigned int drop = 23 - man;

	if (exp == 0xff)
		return F8_NAN;
	if (exp)
		m |= 1u << 23;
	if (e < F8_MIN_EXP(man))
		drop += F8_MIN_EXP(man) - e;
	if (drop > 31)
		return 0;
	if (random)
		r = (m + (*random >> (32 - drop))) >> drop;
	else
		r = (m + (1u << (drop - 1)) - 1 + (m >> drop & 1)) >> drop;
	/* The hidden bit adds one to the exponent; a carry goes up by itself. */
	if (e > F8_MIN_EXP(man))
		r += (u32)(e - F8_MIN_EXP(man)) << man;
	if (r > 0x7f)
		return clamp ? (bits >> 24 & 0x80) | 0x7f : F8_NAN;
	return r ? (bits >> 24 & 0x80) | r : 0;
}

#endif
