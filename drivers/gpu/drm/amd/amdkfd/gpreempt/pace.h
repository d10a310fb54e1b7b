/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT pace: how long the monitor sleeps between two scans. Pure functions of
 * times that they are told, without a clock of their own, so that KUnit builds them
 * as they are.
 */
#ifndef GPREEMPT_PACE_H_INCLUDED
#define GPREEMPT_PACE_H_INCLUDED

#include <linux/types.h>

/**
 * struct gpreempt_pace - the monitor's rhythm
 * @begun_ns:	when the last scan began, or queues have changed places since
 * @interval_ns: wanted time from that to the next; 0 before the first
 *
 * All zero at the start. Only the monitor touches it.
 */
struct gpreempt_pace {
	u64 begun_ns;
	u64 interval_ns;
};

void gpreempt_pace_begin(struct gpreempt_pace *p, u64 now_ns, bool woken);
u64 gpreempt_pace_next(struct gpreempt_pace *p, u64 now_ns, u32 min_us,
		       u32 max_us);
void gpreempt_pace_restart(struct gpreempt_pace *p, u64 now_ns);
void gpreempt_pace_rest(struct gpreempt_pace *p);

#endif /* GPREEMPT_PACE_H_INCLUDED */
