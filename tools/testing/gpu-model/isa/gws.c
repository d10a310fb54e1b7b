// SPDX-License-Identifier: GPL-2.0
/*
 * The global wave sync unit, which all waves of a process share: resources with a
 * count, for semaphores and barriers. A wave that has to wait asks again later. One
 * that names a resource which its VMID does not have stops, as at an illegal instruction.
 *
 * A barrier's count is of the waves to come but one. The last one turns the
 * resource's flag, brings the next count, and the others see the flag and go on.
 */
#include "isa.h"
#include "host/params.h"

/* M0[21:16] and the offset name the resource ("MI200 ISA", GWS). */
static u32 *resource(struct ctx *c, const struct insn *i)
{
	u32 n = ((c->w->sgpr[SGPR_M0] >> 16) + (u32)i->simm) % GWS_RESOURCES;
	const struct wave_mem *mem = c->w->mem;
	u32 range = mem->gws_range ? mem->gws_range(mem->ctx) : GWS_RANGE(0, GWS_RESOURCES);

	if (mem->gws && n < GWS_COUNT(range))
		return &mem->gws[(GWS_BASE(range) + n) % GWS_RESOURCES];
	complain(c->w, i, "GWS resource that its VMID does not have");
	return NULL;
}

/* The data operand: of the first active lane, or of lane 0. */
static u32 operand(const struct ctx *c, const struct insn *i)
{
	u64 exec = wave_exec(c->w);

	return vreg(c, i->src[0])[exec ? __builtin_ctzll(exec) : 0];
}

X(x_ds_gws_init)
{
	u32 *r = resource(c, i);

	if (!r)
		return WAVE_ILLEGAL;
	__atomic_store_n(r, operand(c, i) & ~GWS_FLAG, __ATOMIC_RELEASE);
	return WAVE_BUDGET;
}

X(x_ds_gws_sema_v)
{
	u32 *r = resource(c, i);

	if (!r)
		return WAVE_ILLEGAL;
	__atomic_fetch_add(r, i->row->src[0] ? operand(c, i) : 1, __ATOMIC_RELEASE);
	return WAVE_BUDGET;
}

static enum wave_stop ask_again(struct ctx *c)
{
	c->next_pc = c->w->pc;
	c->w->wake_at = gpu_now() + POLL_MIN_NS;
	return WAVE_SLEEP;
}

X(x_ds_gws_sema_p)
{
	u32 *r = resource(c, i), v;

	if (!r)
		return WAVE_ILLEGAL;
	v = __atomic_load_n(r, __ATOMIC_RELAXED);
	while (v & ~GWS_FLAG)
		if (__atomic_compare_exchange_n(r, &v, v - 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return WAVE_BUDGET;
	return ask_again(c);
}

X(x_ds_gws_barrier)
{
	u32 *r = resource(c, i), v, next;
	struct wave *w = c->w;

	if (!r)
		return WAVE_ILLEGAL;
	v = __atomic_load_n(r, __ATOMIC_ACQUIRE);
	if (w->gws) {
		if ((v & GWS_FLAG) == w->gws_flag)
			return ask_again(c);
		w->gws = NULL;
		return WAVE_BUDGET;
	}
	do {
		next = v & ~GWS_FLAG ? v - 1 : (~v & GWS_FLAG) | (operand(c, i) & ~GWS_FLAG);
	} while (!__atomic_compare_exchange_n(r, &v, next, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	if (!(v & ~GWS_FLAG))
		return WAVE_BUDGET;
	w->gws = r;
	w->gws_flag = v & GWS_FLAG;
	return ask_again(c);
}
