// SPDX-License-Identifier: GPL-2.0
/* What the atomics of memory and of LDS compute. */
#include "isa.h"
#include "f16.h"

static bool f_less(u64 a, u64 b, bool wide)
{
	return wide ? u2d(a) < u2d(b) : u2f(a) < u2f(b);
}

static bool f_is_nan(u64 a, bool wide)
{
	return wide ? u2d(a) != u2d(a) : u2f(a) != u2f(a);
}

static u64 f_pick(u64 a, u64 b, bool want_less, bool wide)
{
	if (f_is_nan(a, wide))
		return b;
	if (f_is_nan(b, wide))
		return a;
	return f_less(want_less ? a : b, want_less ? b : a, wide) ? a : b;
}

/* Of two NaNs it is the first, quieted: compilers exchange what they add. */
static float add32(float a, float b)
{
	return a != a ? a + a : a + b;
}

static double add64(double a, double b)
{
	return a != a ? a + a : a + b;
}

static u64 f_add(u64 a, u64 b, bool wide)
{
	return wide ? d2u(add64(u2d(a), u2d(b))) : f2u(add32(u2f(a), u2f(b)));
}

static u32 pk_add(u32 a, u32 b)
{
	return f32_to_f16(add32(f16_to_f32(a), f16_to_f32(b))) |
	       (u32)f32_to_f16(add32(f16_to_f32(a >> 16), f16_to_f32(b >> 16))) << 16;
}

static u32 bf16_add(u32 a, u32 b)
{
	return f32_to_bf16(add32(u2f(a << 16), u2f(b << 16)));
}

static u32 pk_add_bf16(u32 a, u32 b)
{
	return bf16_add(a & 0xffff, b & 0xffff) | bf16_add(a >> 16, b >> 16) << 16;
}

/**
 * atomic_result() - new value of an atomic's memory
 * @op:		operation
 * @old:	memory
 * @data:	first data operand
 * @cmp:	second one: the comparand of A_CMPSWAP, else DS data1
 * @wide:	64 bits, else 32
 */
u64 atomic_result(enum isa_atomic op, u64 old, u64 data, u64 cmp, bool wide)
{
	s64 so = wide ? (s64)old : (s32)old, sd = wide ? (s64)data : (s32)data;

	if (!wide) {
		old = (u32)old;
		data = (u32)data;
		cmp = (u32)cmp;
	}
	switch (op) {
	case A_SWAP:
		return data;
	case A_CMPSWAP:
		return old == cmp ? data : old;
	case A_ADD:
		return old + data;
	case A_SUB:
		return old - data;
	case A_RSUB:
		return data - old;
	case A_SMIN:
		return so < sd ? old : data;
	case A_UMIN:
		return old < data ? old : data;
	case A_SMAX:
		return so > sd ? old : data;
	case A_UMAX:
		return old > data ? old : data;
	case A_AND:
		return old & data;
	case A_OR:
		return old | data;
	case A_XOR:
		return old ^ data;
	case A_INC:
		return old >= data ? 0 : old + 1;
	case A_DEC:
		return !old || old > data ? data : old - 1;
	case A_FADD:
		return f_add(old, data, wide);
	case A_FMIN:
		return f_pick(old, data, true, wide);
	case A_FMAX:
		return f_pick(old, data, false, wide);
	case A_PKADD:
		return pk_add(old, data);
	case A_PKADD_BF16:
		return pk_add_bf16(old, data);
	case A_MSKOR:
		return (old & ~data) | cmp;
	case A_DSCMP:
		return old == data ? cmp : old;
	case A_DSFCMP:
		if (wide)
			return u2d(old) == u2d(data) ? cmp : old;
		return u2f(old) == u2f(data) ? cmp : old;
	case A_WRAP:
		return old >= data ? old - data : old + cmp;
	}
	return old;
}

/**
 * atomic_host() - do an atomic on memory that others use
 * @p:		aligned memory
 *
 * The other parameters are those of atomic_result().
 * Return: the memory's old value.
 */
u64 atomic_host(void *p, enum isa_atomic op, u64 data, u64 cmp, bool wide)
{
	u32 old32;
	u64 old;

	if (wide) {
		old = __atomic_load_n((u64 *)p, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n((u64 *)p, &old,
						    atomic_result(op, old, data, cmp, true),
						    true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
		return old;
	}
	old32 = __atomic_load_n((u32 *)p, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n((u32 *)p, &old32,
					    (u32)atomic_result(op, old32, data, cmp, false),
					    true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return old32;
}
