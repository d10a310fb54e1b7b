/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT wake: what must wake the monitor after a scan, and how long it may sleep.
 */
#ifndef GPREEMPT_WAKE_H_INCLUDED
#define GPREEMPT_WAKE_H_INCLUDED

#include "select.h"

/**
 * enum gpreempt_rest - how the monitor goes on
 * @GPREEMPT_POLL: it scans again after an interval
 * @GPREEMPT_CALM: nothing can have to be decided before something wakes it: a long interval
 * @GPREEMPT_PARK: it sleeps without an interval until something wakes it
 */
enum gpreempt_rest {
	GPREEMPT_POLL,
	GPREEMPT_CALM,
	GPREEMPT_PARK,
};

/**
 * struct gpreempt_wake - what wakes the monitor; and the doorbells of those queues that are
 *	&gpreempt_outcome.awaited
 * @rest:	how it goes on, once each of these doorbells is sure to wake it; if one is not,
 *		one step more wakeful
 * @within_us:	the next interval is to be no longer, 0: &gpreempt_tunables.poll_interval_us
 * @until_ns:	in any case it is to look then, 0: there is no such time
 */
struct gpreempt_wake {
	enum gpreempt_rest rest;
	u32 within_us;
	u64 until_ns;
};

void gpreempt_wake(struct gpreempt_view *view, const struct gpreempt_plan *plan,
		   struct gpreempt_wake *wake);

#endif /* GPREEMPT_WAKE_H_INCLUDED */
