// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT pace: how long the monitor sleeps between two scans.
 */

#include <linux/minmax.h>
#include <linux/time64.h>

#include "pace.h"

/* How much longer each interval is than the one before, while calm. */
#define CALM_GROWTH	4

/**
 * gpreempt_pace_begin - a scan begins
 * @p: the rhythm
 * @now_ns: the time
 * @woken: before its time, by a sign of work: the interval is short again
 */
void gpreempt_pace_begin(struct gpreempt_pace *p, u64 now_ns, bool woken)
{
	if (woken)
		p->interval_ns = 0;
	p->begun_ns = now_ns;
}

/**
 * gpreempt_pace_next - a scan has ended
 * @p: the rhythm
 * @now_ns: the time
 * @min_us: shortest interval between the beginnings of two scans
 * @max_us: longest as things are; below @min_us it counts as that
 *
 * Each interval is four times the one before, up to @max_us: where that is longer than
 * @min_us, things have been calm for a scan already, and each more on the way costs as
 * much as a late one. A scan that takes long does not make the interval longer, unless it
 * takes more than half of it.
 *
 * Return: how long to sleep, in ns.
 */
u64 gpreempt_pace_next(struct gpreempt_pace *p, u64 now_ns, u32 min_us,
		       u32 max_us)
{
	u64 shortest = (u64)min_us * NSEC_PER_USEC;
	u64 longest = (u64)max(min_us, max_us) * NSEC_PER_USEC;
	u64 took = now_ns > p->begun_ns ? now_ns - p->begun_ns : 0;

	p->interval_ns = clamp(CALM_GROWTH * p->interval_ns, shortest, longest);
	return p->interval_ns - min(took, p->interval_ns / 2);
}

/**
 * gpreempt_pace_restart - queues have changed places: the interval begins anew
 * @p: the rhythm
 * @now_ns: the time
 *
 * What was put on the hardware has nothing to show yet.
 */
void gpreempt_pace_restart(struct gpreempt_pace *p, u64 now_ns)
{
	p->begun_ns = now_ns;
}

/**
 * gpreempt_pace_rest - the monitor is about to sleep without a timer
 * @p: the rhythm
 *
 * A calm that was before does not go on after it.
 */
void gpreempt_pace_rest(struct gpreempt_pace *p)
{
	p->interval_ns = 0;
}
