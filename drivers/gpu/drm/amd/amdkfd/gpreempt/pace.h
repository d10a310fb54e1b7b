/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT pace: how long the monitor sleeps between two scans. Pure functions of
 * times that they are told, without a clock of their own, so that KUnit builds them
 * as they are.
 */
#ifndef GPREEMPT_PACE_H_INCLUDED
#define GPREEMPT_PACE_H_INCLUDED

#include <linux/average.h>
#include <linux/types.h>

/* Intervals: each new one counts for an eighth. */
DECLARE_EWMA(gpreempt_pace, 0, 8)

/**
 * struct gpreempt_pace - the monitor's rhythm
 * @begun_ns:	when the last scan began; 0 if the one before it is no measure
 * @interval_ns: wanted time from that to the next; 0 before the first
 * @achieved:	that time as it really was, in ns
 *
 * All zero at the start. Only the monitor touches it.
 */
struct gpreempt_pace {
	u64 begun_ns;
	u64 interval_ns;
	struct ewma_gpreempt_pace achieved;
};

u64 gpreempt_pace_begin(struct gpreempt_pace *p, u64 now_ns, bool woken);
u64 gpreempt_pace_next(struct gpreempt_pace *p, u64 now_ns, u32 min_us,
		       u32 max_us);
void gpreempt_pace_restart(struct gpreempt_pace *p, u64 now_ns);
void gpreempt_pace_rest(struct gpreempt_pace *p);

#endif /* GPREEMPT_PACE_H_INCLUDED */
