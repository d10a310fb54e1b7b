// SPDX-License-Identifier: GPL-2.0
/*
 * Conversions of 8-bit floats (gfx942). Overflow is NaN, or with MODE.FP16_OVFL the
 * largest number; infinity is NaN. Of the random bits the stochastic ones use the
 * highest, which is a guess.
 */
#include "f8.h"

static bool clamps(const struct ctx *c)
{
	return c->w->mode & MODE_FP16_OVFL;
}

X(x_v_cvt_f32_f8)
{
	const u32 *s0 = vsrc(c, i, 0);

	LANE
		c->out[0][l] = f2u(f8_to_f32(s0[l], i->row->arg));
	vput(c, i, 1);
	return WAVE_BUDGET;
}

X(x_v_cvt_pk_f32_f8)
{
	const u32 *s0 = vsrc(c, i, 0);

	LANE {
		c->out[0][l] = f2u(f8_to_f32(s0[l], i->row->arg));
		c->out[1][l] = f2u(f8_to_f32(s0[l] >> 8, i->row->arg));
	}
	vput(c, i, 2);
	return WAVE_BUDGET;
}

X(x_v_cvt_pk_f8_f32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);

	LANE
		c->out[0][l] = f32_to_f8(u2f(s0[l]), i->row->arg, NULL, clamps(c)) |
			       f32_to_f8(u2f(s1[l]), i->row->arg, NULL, clamps(c)) << 8;
	vput(c, i, 1);
	return WAVE_BUDGET;
}

X(x_v_cvt_sr_f8_f32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *old = vreg(c, i->dst);
	unsigned int shift = 8 * (i->op_sel >> 2);

	LANE {
		u32 v = f32_to_f8(u2f(s0[l]), i->row->arg, &s1[l], clamps(c));

		c->out[0][l] = (old[l] & ~(0xffu << shift)) | v << shift;
	}
	vput(c, i, 1);
	return WAVE_BUDGET;
}
