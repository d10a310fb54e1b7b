/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT linger: when do lower queues come back?
 */
#ifndef GPREEMPT_LINGER_H_INCLUDED
#define GPREEMPT_LINGER_H_INCLUDED

#include "evidence.h"

struct gpreempt_queue_view;
struct gpreempt_view;

/**
 * struct gpreempt_linger - for how long does a group keep others off that has ended on a level, or
 *	works on there and wants no more?
 * @idle_ns:	seen without work since; 0: it had some at the last scan, or never
 * @wanted_ns:	wanted more of the machine last; 0: never
 * @began_ns:	began something last; 0: never
 * @linger_ns:	for so long after its end
 * @quiet_ns:	for so long after it wanted more last, if that is longer than 10 ms
 * @pause_ns:	how long it had no work, before that which it has now
 * @spent_ns:	so much of the time is spent: lingers that ended in a return are to be 2 % of it
 * @back_ns:	lower queues that had waited for it came back then; 0: that was judged
 * @worked:	while it was at work
 * @cut:	or before the linger was over, as no more of the time was left for it
 */
struct gpreempt_linger {
	u64 idle_ns;
	u64 wanted_ns;
	u64 began_ns;
	u64 linger_ns;
	u64 quiet_ns;
	u64 pause_ns;
	u64 spent_ns;
	u64 back_ns;
	bool worked;
	bool cut;
};

u64 gpreempt_linger_until(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
			  const struct gpreempt_queue_view *q);
void gpreempt_linger_learn(const struct gpreempt_view *view, const struct gpreempt_tunables *tun);

#endif /* GPREEMPT_LINGER_H_INCLUDED */
