// SPDX-License-Identifier: GPL-2.0
/* 8-bit floats: every value, and conversions against a search among all of them. */
#include <math.h>
#include <stdlib.h>
#include "isa/f8.h"
#include "random.h"
#include "tap.h"

#define RUNS	200000

/* By the definition: sign, exponent of bias 8 or 16, mantissa. */
static double value(u8 v, unsigned int man)
{
	int exp = (v & 0x7f) >> man, bias = man == 3 ? 8 : 16;
	double m = v & ((1 << man) - 1);

	m = exp ? ldexp(1 + ldexp(m, -(int)man), exp - bias) : ldexp(m, 1 - bias - (int)man);
	return v & 0x80 ? -m : m;
}

static bool test_values(unsigned int man)
{
	unsigned int wrong = 0;

	for (unsigned int v = 0; v < 256; v++) {
		float f = f8_to_f32(v, man);

		if (v == 0x80)
			wrong += !isnan(f);
		else
			wrong += f != value(v, man) || f32_to_f8(f, man, NULL, false) != v;
	}
	return !wrong;
}

/* The largest of at most |@f|; its neighbour above is the next number. */
static u8 below(double f, unsigned int man)
{
	u8 v = 0x7f;

	while (value(v, man) > f)
		v--;
	return v;
}

static u8 nearest(double f, unsigned int man, bool clamp)
{
	u8 v = below(fabs(f), man), sign = signbit(f) ? 0x80 : 0;
	double step = v == 0x7f ? value(v, man) - value(v - 1, man) :
				  value(v + 1, man) - value(v, man);
	double over = fabs(f) - value(v, man);

	if (over > step / 2 || (over == step / 2 && v & 1))
		v++;
	if (v > 0x7f)
		return clamp ? sign | 0x7f : 0x80;
	return v ? sign | v : 0;
}

static float number(unsigned int man)
{
	int exp = (int)(rnd() % 44) - 24;
	float f = ldexpf(1 + (float)(rnd() & 0x7fffff) * 0x1p-23f, exp);

	if (!(rnd() & 3))	/* just between two */
		f = (f8_to_f32(rnd() & 0x7e, man) + f8_to_f32((rnd() & 0x7e) | 1, man)) / 2;
	return rnd() & 1 ? -f : f;
}

static bool test_nearest(unsigned int man)
{
	unsigned int wrong = 0;

	for (unsigned int n = 0; n < RUNS; n++) {
		float f = number(man);
		bool clamp = rnd() & 1;

		if (f32_to_f8(f, man, NULL, clamp) == nearest(f, man, clamp))
			continue;
		if (!wrong++)
			printf("# %a: %#x, not %#x\n", f, f32_to_f8(f, man, NULL, clamp),
			       nearest(f, man, clamp));
	}
	return !wrong;
}

/* Up as often as the number is far from the one below, of 4096 random ones. */
static bool test_random(unsigned int man)
{
	unsigned int wrong = 0;

	for (unsigned int n = 0; n < 500; n++) {
		float f = ldexpf(1 + (float)(rnd() & 0x7fffff) * 0x1p-23f, (int)(rnd() % 12) - 9);
		u8 v = below(f, man);
		double part = (f - value(v, man)) / (value(v + 1, man) - value(v, man));
		unsigned int ups = 0;

		for (u32 k = 0; k < 4096; k++) {
			u32 random = k << 20;
			u8 r = f32_to_f8(f, man, &random, false);

			wrong += r != v && r != v + 1;
			ups += r == v + 1;
		}
		wrong += fabs(ups - part * 4096) > 1;
	}
	return !wrong;
}

int main(void)
{
	static const unsigned int formats[] = { FP8_MAN, BF8_MAN };

	for (unsigned int k = 0; k < 2; k++) {
		unsigned int man = formats[k];

		printf("# %u bits of mantissa\n", man);
		ok(test_values(man), "every value there and back");
		ok(test_nearest(man), "to the nearest, even where two are");
		ok(test_random(man), "up at random, as often as it is near");
		ok(f32_to_f8(INFINITY, man, NULL, true) == 0x80 &&
		   f32_to_f8(NAN, man, NULL, true) == 0x80, "infinity and NaN are NaN");
		ok(!f32_to_f8(-1e-30f, man, NULL, true) && !f32_to_f8(-0.0f, man, NULL, true),
		   "there is no -0");
	}
	return tap_done();
}
