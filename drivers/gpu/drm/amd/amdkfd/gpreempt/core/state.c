// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT state of a node.
 */

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "state.h"

/**
 * gpreempt_state - the state that follows from the facts
 * @m: the facts
 */
enum gpreempt_state gpreempt_state(const struct gpreempt_facts *m)
{
	if (!m->enabled)
		return GPREEMPT_DISABLED;
	if (m->bypass != GPREEMPT_BYPASS_NONE)
		return GPREEMPT_BYPASSED;
	if (m->stopped || m->idle)
		return GPREEMPT_PARKED;
	return GPREEMPT_ACTIVE;
}

/* The first bypass ends by itself after so long; ... */
#define REARM_MS	1000
/* ... each that follows it in a row lasts twice as long, 64 s at most. */
#define DOUBLINGS	6U

/**
 * gpreempt_rearm_ms - how long is a bypass that has begun now to last?
 * @m: the facts
 *
 * Return: 0 if there is none, or only a reset ends it.
 */
unsigned int gpreempt_rearm_ms(const struct gpreempt_facts *m)
{
	if (m->bypass == GPREEMPT_BYPASS_NONE || m->bypass == GPREEMPT_BYPASS_HANG)
		return 0;
	return REARM_MS << min(m->row - 1, DOUBLINGS);
}

/**
 * gpreempt_event - change the facts as an event demands
 * @m: the facts
 * @event: what happened
 *
 * A hang outlives disabling and enabling: only a scheduler that has come up
 * anew may be given another preemption. A first reason is never replaced by a
 * later one, except that a hang replaces any.
 */
void gpreempt_event(struct gpreempt_facts *m, enum gpreempt_event event)
{
	switch (event) {
	case GPREEMPT_EV_ENABLE:
	case GPREEMPT_EV_DISABLE:
		m->enabled = event == GPREEMPT_EV_ENABLE;
		m->idle = false;
		m->row = 0;
		if (m->bypass != GPREEMPT_BYPASS_HANG)
			m->bypass = GPREEMPT_BYPASS_NONE;
		break;
	case GPREEMPT_EV_WORK:
	case GPREEMPT_EV_IDLE:
		m->idle = event == GPREEMPT_EV_IDLE;
		break;
	case GPREEMPT_EV_STOP:
		m->stopped = true;
		break;
	case GPREEMPT_EV_START:
		m->stopped = false;
		m->idle = false;
		m->row = 0;
		m->bypass = GPREEMPT_BYPASS_NONE;
		break;
	case GPREEMPT_EV_LATE:
	case GPREEMPT_EV_MAP:
		if (m->bypass != GPREEMPT_BYPASS_NONE)
			break;
		m->bypass = event == GPREEMPT_EV_LATE ? GPREEMPT_BYPASS_LATE : GPREEMPT_BYPASS_MAP;
		m->row++;
		break;
	case GPREEMPT_EV_SAVED:
		if (m->bypass == GPREEMPT_BYPASS_NONE)
			m->row = 0;
		break;
	case GPREEMPT_EV_REARM:
		if (gpreempt_rearm_ms(m))
			m->bypass = GPREEMPT_BYPASS_NONE;
		break;
	case GPREEMPT_EV_HANG:
		m->bypass = GPREEMPT_BYPASS_HANG;
		break;
	}
}

/* As sysfs shows them, in the order of enum gpreempt_state. */
const char *const gpreempt_state_names[] = { "disabled", "parked", "active", "bypassed" };
/* As sysfs, log and uevent show them, in the order of enum gpreempt_bypass. */
const char *const gpreempt_bypass_names[] = {
	"none", "late_preemption", "hung_preemption", "map_failed",
};

/**
 * gpreempt_unsupported - why GPREEMPT cannot work on a node, or is not to be tried there
 * @p: what the node is
 *
 * CWSR alone is not enough. Without MES the scan must know the GPU's registers
 * (gfx9 layout, up to MI300's). With MES it goes without wave counts, up to gfx12.0: MES
 * takes priorities otherwise from 12.1 on.
 *
 * Rule 15, untested GPUs: no GPU is the first of its kind without its owner's word, as an error
 * there resets it, at the expense of all that runs on it.
 *
 * Return: the reason, or NULL if it can work.
 */
const char *gpreempt_unsupported(const struct gpreempt_platform *p)
{
	if (p->mes ? p->gfx_version < 110000 || p->gfx_version >= 120100 :
		     p->gfx_version < 90000 || p->gfx_version >= 90500)
		return "graphics core not supported";
	if (!p->cwsr)
		return "compute wave save/restore is off (cwsr_enable=0)";
	if (p->vf)
		return "a virtual function has no access to the registers";
	/* MI200 and MI300, of which there are models. */
	if (!p->owner_dares && p->gfx_version != 90010 && p->gfx_version != 90402)
		return "never tried on such a GPU; to try it, load amdgpu with gpreempt_untested=1";
	return NULL;
}

/**
 * gpreempt_gws_stays - must a queue with global wave sync stay on the hardware for now?
 * @back_ns: when it came back last, 0: it was never taken off
 * @now_ns: the time
 * @starvation_ms: the node's
 *
 * It must where firmware may lose the synchronisation of its waves. These meet when all of them are
 * on the machine, so each time that the queue comes back they have time to. It stays no longer, or
 * a tenant would use global wave sync to opt out (Rule 11, nobody opts out).
 */
bool gpreempt_gws_stays(u64 back_ns, u64 now_ns, u32 starvation_ms)
{
	return back_ns && now_ns - back_ns < (u64)starvation_ms * NSEC_PER_MSEC;
}
