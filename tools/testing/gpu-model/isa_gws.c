// SPDX-License-Identifier: GPL-2.0
/*
 * Semaphores of the global wave sync unit, which all waves of the GPU share. A
 * wave that has to wait asks again later. Barriers of the unit are not modelled.
 */
#include "isa.h"
#include "params.h"

/* M0[21:16] and the offset name the resource ("MI200 ISA", GWS). */
static u32 *resource(struct ctx *c, const struct insn *i)
{
	u32 *all = c->w->mem->gws;

	return all ? &all[((c->w->sgpr[SGPR_M0] >> 16) + (u32)i->simm) % GWS_RESOURCES] : NULL;
}

/* The data operand: of the first active lane, or of lane 0. */
static u32 operand(const struct ctx *c, const struct insn *i)
{
	u64 exec = wave_exec(c->w);

	return vreg(c->w, i->src[0])[exec ? __builtin_ctzll(exec) : 0];
}

X(x_ds_gws_init)
{
	u32 *r = resource(c, i);

	if (!r)
		return x_unsupported(c, i);
	__atomic_store_n(r, operand(c, i), __ATOMIC_RELEASE);
	return WAVE_BUDGET;
}

X(x_ds_gws_sema_v)
{
	u32 *r = resource(c, i);

	if (!r)
		return x_unsupported(c, i);
	__atomic_fetch_add(r, i->row->src[0] ? operand(c, i) : 1, __ATOMIC_RELEASE);
	return WAVE_BUDGET;
}

X(x_ds_gws_sema_p)
{
	u32 *r = resource(c, i), v;

	if (!r)
		return x_unsupported(c, i);
	v = __atomic_load_n(r, __ATOMIC_RELAXED);
	while (v)
		if (__atomic_compare_exchange_n(r, &v, v - 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return WAVE_BUDGET;
	c->next_pc = c->w->pc;
	c->w->wake_at = gpu_now() + POLL_MIN_NS;
	return WAVE_SLEEP;
}
