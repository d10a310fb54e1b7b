// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT state machine and input checks.
 */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>

#include "kfd_gpreempt_state.h"

/* As IP_VERSION() in amdgpu.h, which this file does without. */
#define GC_VERSION(major, minor, rev)	((major) << 24 | (minor) << 16 | (rev) << 8)

/**
 * gpreempt_state - the state that follows from the facts
 * @m: the facts
 */
enum gpreempt_state gpreempt_state(const struct gpreempt_machine *m)
{
	if (!m->enabled)
		return GPREEMPT_DISABLED;
	if (m->bypass != GPREEMPT_BYPASS_NONE)
		return GPREEMPT_BYPASSED;
	if (m->stopped || m->idle)
		return GPREEMPT_PARKED;
	return GPREEMPT_ACTIVE;
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
void gpreempt_event(struct gpreempt_machine *m, enum gpreempt_event event)
{
	switch (event) {
	case GPREEMPT_EV_ENABLE:
	case GPREEMPT_EV_DISABLE:
		m->enabled = event == GPREEMPT_EV_ENABLE;
		m->idle = false;
		if (m->bypass != GPREEMPT_BYPASS_HANG)
			m->bypass = GPREEMPT_BYPASS_NONE;
		break;
	case GPREEMPT_EV_WORK:
		m->idle = false;
		break;
	case GPREEMPT_EV_IDLE:
		m->idle = true;
		break;
	case GPREEMPT_EV_STOP:
		m->stopped = true;
		break;
	case GPREEMPT_EV_START:
		m->stopped = false;
		m->idle = false;
		m->bypass = GPREEMPT_BYPASS_NONE;
		break;
	case GPREEMPT_EV_LATE:
		if (m->bypass == GPREEMPT_BYPASS_NONE)
			m->bypass = GPREEMPT_BYPASS_LATE;
		break;
	case GPREEMPT_EV_HANG:
		m->bypass = GPREEMPT_BYPASS_HANG;
		break;
	case GPREEMPT_EV_MAP:
		if (m->bypass == GPREEMPT_BYPASS_NONE)
			m->bypass = GPREEMPT_BYPASS_MAP;
		break;
	}
}

/**
 * gpreempt_state_name - a state as sysfs shows it
 * @state: the state
 */
const char *gpreempt_state_name(enum gpreempt_state state)
{
	/* The order of enum gpreempt_state. */
	static const char * const names[] = {
		"disabled", "parked", "active", "bypassed",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

/**
 * gpreempt_bypass_name - a bypass reason as sysfs, log and uevent show it
 * @bypass: the reason
 */
const char *gpreempt_bypass_name(enum gpreempt_bypass bypass)
{
	/* The order of enum gpreempt_bypass. */
	static const char * const names[] = {
		"none", "late_preemption", "hung_preemption", "map_failed",
	};

	return bypass < ARRAY_SIZE(names) ? names[bypass] : "unknown";
}

/**
 * gpreempt_unsupported - why GPREEMPT cannot work on a node
 * @p: what the node is
 *
 * Not a list of the graphics cores that have CWSR. Without MES it is of those
 * whose registers the scan knows (single XCC, gfx9 layout). With MES it goes
 * without wave counts.
 *
 * Return: the reason, or NULL if it can work.
 */
const char *gpreempt_unsupported(const struct gpreempt_platform *p)
{
	if (p->mes ? p->gc_version < GC_VERSION(11, 0, 0) :
		     p->gc_version < GC_VERSION(9, 0, 1) ||
		     p->gc_version > (GC_VERSION(9, 4, 2) | 0xff))
		return "graphics core not supported";
	if (!p->cwsr)
		return "compute wave save/restore is off (cwsr_enable=0)";
	if (p->vf)
		return "a virtual function has no access to the registers";
	return NULL;
}

/**
 * gpreempt_parse - a number as sysfs takes it
 * @buf: decimal digits, a newline may follow
 * @min: smallest value allowed
 * @max: largest value allowed
 * @value: out: the number; untouched on error
 *
 * Return: 0, or -EINVAL for garbage and for what is out of range.
 */
int gpreempt_parse(const char *buf, u32 min, u32 max, u32 *value)
{
	u32 v;

	if (kstrtou32(buf, 10, &v) || v < min || v > max)
		return -EINVAL;
	*value = v;
	return 0;
}
