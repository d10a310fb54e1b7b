/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT idle: which processes leave the runlist, as they have nothing to do and slots or VMIDs
 * are too few? A pure function of what a scan has seen.
 */
#ifndef GPREEMPT_IDLE_H_INCLUDED
#define GPREEMPT_IDLE_H_INCLUDED

#include <linux/types.h>

#define GPREEMPT_IDLE_LEAST_MS	10
#define GPREEMPT_IDLE_MOST_MS	60000
/* Waves and other GPUs may ring a process that is off, and no CPU notices: so often it is read. */
#define GPREEMPT_IDLE_LOOK_MS	20
/* The time that a process has to be idle doubles no more often. */
#define GPREEMPT_IDLE_DOUBLINGS	6

struct gpreempt_view;

/**
 * struct gpreempt_idle - is a process to be off the runlist?
 * @since_ns:	idle since, in the scans' clock; 0: it is not, or it turned out that it had waves
 * @awaited:	it has been idle for long enough: its doorbells are to be taken away, and to wake
 *		the monitor
 * @trapped:	so they were, and no CPU has rung one when the scan began to read; scan's
 * @look:	its memory is read though it is off: it was rung, or the time has come; scan's
 * @off:	so all its queues are to be off the hardware
 * @off_ns:	since then, in the scans' clock
 * @doublings:	of the time that it has to be idle
 * @begun:	of the scan under way, like those that follow: a queue of it was seen
 * @judged:	all of them were
 * @works:	one has, or may have, something to do, or must stay
 * @unread:	one was not read
 */
struct gpreempt_idle {
	u64 since_ns;
	bool awaited;
	bool trapped;
	bool look;
	bool off;
	u64 off_ns;
	u8 doublings;
	bool begun;
	bool judged;
	bool works;
	bool unread;
};

bool gpreempt_may_idle(const struct gpreempt_view *view);
u64 gpreempt_find_idle(struct gpreempt_view *view);

#endif /* GPREEMPT_IDLE_H_INCLUDED */
