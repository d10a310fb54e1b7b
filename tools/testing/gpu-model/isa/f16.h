/* SPDX-License-Identifier: GPL-2.0 */
/* Half precision, by way of float and double: no host type is needed. */
#ifndef GPU_MODEL_ISA_F16_H
#define GPU_MODEL_ISA_F16_H

#include "isa.h"

static inline float f16_to_f32(u16 h)
{
	u32 sign = (u32)(h & 0x8000) << 16, exp = h >> 10 & 31, man = h & 0x3ff;
	/* Subnormal: man * 2^-24 is exact in float. */
	u32 v = exp ? (exp + 112) << 23 | man << 13 : f2u((float)(s32)man * 0x1p-24f);

	return u2f(sign | (exp == 31 ? 0x7f800000 | man << 13 : v));
}

/*
 * Round as MODE says. @d need not be exact: with its last bit odd when bits were lost
 * below it, the rounding is still that of the exact value.
 */
static inline u16 f64_to_f16(double d, enum round round)
{
	u64 v = d2u(d), man = v & 0xfffffffffffff;
	u16 sign = v >> 48 & 0x8000;
	bool up = round == (sign ? ROUND_DOWN : ROUND_UP);	/* in magnitude, whatever is lost */
	int exp = (int)(v >> 52 & 0x7ff) - 1023;
	unsigned int drop = 42;
	u64 r, half;

	if (exp == 1024)
		return sign | 0x7c00 | (man ? 0x200 | (man >> 42) : 0);
	if (exp > 15)
		return sign | (round == ROUND_NEAREST || up ? 0x7c00 : 0x7bff);
	if (exp < -26)
		return sign | (up && d != 0);
	man |= 1ull << 52;
	if (exp < -14)
		drop += -14 - exp;
	r = man >> drop;
	man &= (1ull << drop) - 1;
	half = 1ull << (drop - 1);
	if (round == ROUND_NEAREST ? man > half || (man == half && r & 1) : up && man)
		r++;
	/* The hidden bit adds one to the exponent; a carry goes up by itself. */
	if (exp >= -14)
		r += (u64)(exp + 14) << 10;
	return sign | r;
}

/* bfloat16, the high half of f32: rounded to nearest even, a NaN quiet. */
static inline u16 f32_to_bf16(float f)
{
	u32 v = f2u(f);

	return f != f ? v >> 16 | 0x40 : (v + 0x7fff + (v >> 16 & 1)) >> 16;
}

static inline u16 f32_to_f16(float f)
{
	return f64_to_f16(f, ROUND_NEAREST);
}

#endif
