// SPDX-License-Identifier: GPL-2.0
/* Vector compares: a bit a lane into a scalar mask; the cmpx forms into EXEC too. */
#include "isa.h"
#include "f16.h"

/* Conditions of integer compares (low 3 bits of the opcode), and of float ones (4). */
enum { C_F, C_LT, C_EQ, C_LE, C_GT, C_NE, C_GE, C_T };
enum { C_O = 7, C_U, C_NGE, C_NLG, C_NGT, C_NLE, C_NEQ, C_NLT, C_TRU };

static enum wave_stop put_mask(struct ctx *c, const struct insn *i, const u32 bits[LANES])
{
	u64 m = mask_pack(bits) & active_lanes(c, i);

	set_mask(c->w, i->dst, m);
	if (i->row->arg & CMPX)
		set_mask(c->w, SGPR_EXEC, m);
	return WAVE_BUDGET;
}

#define LOOP(cond) \
	VLANE { \
		GET; \
		r[l] = -(u32)(cond); \
	} \
	break;

#define ALL(v) \
	LANE \
		r[l] = (v); \
	break;

#define INT_CONDITIONS \
	switch (i->row->arg & 15) { \
	case C_F: \
		ALL(0) \
	case C_LT: \
		LOOP(a < b) \
	case C_EQ: \
		LOOP(a == b) \
	case C_LE: \
		LOOP(a <= b) \
	case C_GT: \
		LOOP(a > b) \
	case C_NE: \
		LOOP(a != b) \
	case C_GE: \
		LOOP(a >= b) \
	default: \
		ALL(~0u) \
	}

/* The negated conditions are true for NaN. */
#define FLOAT_CONDITIONS \
	switch (i->row->arg & 15) { \
	case C_F: \
		ALL(0) \
	case C_LT: \
		LOOP(a < b) \
	case C_EQ: \
		LOOP(a == b) \
	case C_LE: \
		LOOP(a <= b) \
	case C_GT: \
		LOOP(a > b) \
	case C_NE: \
		LOOP(a < b || a > b) \
	case C_GE: \
		LOOP(a >= b) \
	case C_O: \
		LOOP(a == a && b == b) \
	case C_U: \
		LOOP(a != a || b != b) \
	case C_NGE: \
		LOOP(!(a >= b)) \
	case C_NLG: \
		LOOP(!(a < b || a > b)) \
	case C_NGT: \
		LOOP(!(a > b)) \
	case C_NLE: \
		LOOP(!(a <= b)) \
	case C_NEQ: \
		LOOP(!(a == b)) \
	case C_NLT: \
		LOOP(!(a < b)) \
	default: \
		ALL(~0u) \
	}

#define CMP32(name, conditions) \
X(name) \
{ \
	const u32 *s0 = SRC(c, i, 0), *s1 = SRC(c, i, 1); \
	u32 r[LANES]; \
 \
	conditions \
	return put_mask(c, i, r); \
}

#define CMP64(name, conditions) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *h0 = vsrc_hi(c, i, 0); \
	const u32 *s1 = vsrc(c, i, 1), *h1 = vsrc_hi(c, i, 1); \
	u32 r[LANES]; \
 \
	conditions \
	return put_mask(c, i, r); \
}

#define SRC	vsrc
#define GET	u32 a = s0[l], b = s1[l]
CMP32(x_v_cmp_u32, INT_CONDITIONS)
#undef GET
#define GET	s32 a = s0[l], b = s1[l]
CMP32(x_v_cmp_i32, INT_CONDITIONS)
#undef GET
#define GET	u16 a = s0[l], b = s1[l]
CMP32(x_v_cmp_u16, INT_CONDITIONS)
#undef GET
#define GET	int16_t a = s0[l], b = s1[l]
CMP32(x_v_cmp_i16, INT_CONDITIONS)
#undef GET
#define GET	float a = f16_to_f32(s0[l]), b = f16_to_f32(s1[l])
CMP32(x_v_cmp_f16, FLOAT_CONDITIONS)
#undef GET
#undef SRC
#define SRC	vsrc_f32
#define GET	float a = u2f(s0[l]), b = u2f(s1[l])
CMP32(x_v_cmp_f32, FLOAT_CONDITIONS)
#undef GET
#define GET	u64 a = join(s0[l], h0[l]), b = join(s1[l], h1[l])
CMP64(x_v_cmp_u64, INT_CONDITIONS)
#undef GET
#define GET	s64 a = join(s0[l], h0[l]), b = join(s1[l], h1[l])
CMP64(x_v_cmp_i64, INT_CONDITIONS)
#undef GET
#define GET	double a = u2d(join(s0[l], h0[l])), b = u2d(join(s1[l], h1[l]))
CMP64(x_v_cmp_f64, FLOAT_CONDITIONS)
#undef GET

/*
 * Class of a float, as a bit: 0 signaling NaN, 1 quiet NaN, 2 -inf, 3 -normal,
 * 4 -subnormal, 5 -0, 6 +0, 7 +subnormal, 8 +normal, 9 +inf.
 */
static u32 class_bit(bool sign, bool exp_max, bool exp_zero, bool man, bool quiet)
{
	if (exp_max && man)
		return quiet ? 1 << 1 : 1 << 0;
	if (exp_max)
		return sign ? 1 << 2 : 1 << 9;
	if (!exp_zero)
		return sign ? 1 << 3 : 1 << 8;
	if (man)
		return sign ? 1 << 4 : 1 << 7;
	return sign ? 1 << 5 : 1 << 6;
}

X(x_v_cmp_class_f32)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);
	u32 r[LANES];

	LANE {
		u32 v = s0[l], e = v >> 23 & 0xff;

		r[l] = -(u32)!!(s1[l] & class_bit(v >> 31, e == 0xff, !e, v & 0x7fffff,
						  v >> 22 & 1));
	}
	return put_mask(c, i, r);
}

X(x_v_cmp_class_f64)
{
	const u32 *s0 = vsrc(c, i, 0), *h0 = vsrc_hi(c, i, 0), *s1 = vsrc(c, i, 1);
	u32 r[LANES];

	LANE {
		u32 v = h0[l], e = v >> 20 & 0x7ff;

		r[l] = -(u32)!!(s1[l] & class_bit(v >> 31, e == 0x7ff, !e,
						  (v & 0xfffff) | s0[l], v >> 19 & 1));
	}
	return put_mask(c, i, r);
}

X(x_v_cmp_class_f16)
{
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1);
	u32 r[LANES];

	LANE {
		u32 v = s0[l] & 0xffff, e = v >> 10 & 31;

		r[l] = -(u32)!!(s1[l] & class_bit(v >> 15, e == 31, !e, v & 0x3ff, v >> 9 & 1));
	}
	return put_mask(c, i, r);
}
