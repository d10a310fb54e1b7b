/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT pace: how long the monitor sleeps between two scans, and how much it
 * reads in one. Pure functions of times that they are told, without a
 * clock of their own, so that KUnit builds them as they are.
 */
#ifndef GPREEMPT_PACE_H_INCLUDED
#define GPREEMPT_PACE_H_INCLUDED

#include <linux/types.h>

/* Words that are read of a queue at most, with what it takes to enter its process; ... */
#define GPREEMPT_QUEUE_READS	37
/* ... and in a scan: some 2.5 ms, if all are read uncached over PCIe. */
#define GPREEMPT_SCAN_READS	(64 * GPREEMPT_QUEUE_READS)

struct gpreempt_queue_view;
struct gpreempt_view;

/**
 * struct gpreempt_pace - the monitor's rhythm
 * @begun_ns:	when the last scan began, or queues have changed places since: one that was put on
 *		the hardware has nothing to show yet
 * @early:	that scan came before its time
 * @due_ns:	when the next is by its rhythm, %U64_MAX: never
 * @free_ns:	no sooner, whatever wakes the monitor
 * @paid_ns:	by then it has slept enough for all scans before their time
 *
 * All zero at the start. Only the monitor touches it.
 */
struct gpreempt_pace {
	u64 begun_ns;
	bool early;
	u64 due_ns;
	u64 free_ns;
	u64 paid_ns;
};

/**
 * struct gpreempt_reading - what a scan is to read of a queue
 * @process:	its process; only told from others. Those of a process follow each other
 * @wanted:	its memory is to be read, and was not yet
 * @turn:	when it was read last, or was new: of two queues, the later one's is higher
 */
struct gpreempt_reading {
	const void *process;
	bool wanted;
	u64 turn;
};

/* Reads the memory of a queue; returns how many words those were, %GPREEMPT_QUEUE_READS at most. */
typedef unsigned int (*gpreempt_read_fn)(struct gpreempt_view *view, struct gpreempt_queue_view *q);

void gpreempt_read(struct gpreempt_view *view, gpreempt_read_fn read);

void gpreempt_pace_begin(struct gpreempt_pace *p, u64 now_ns);
void gpreempt_pace_end(struct gpreempt_pace *p, u64 now_ns, u64 worked_ns, u32 interval_us);
u64 gpreempt_pace_next(struct gpreempt_pace *p, u64 now_ns, u32 interval_us, u64 until_ns);
u64 gpreempt_pace_wait(const struct gpreempt_pace *p, u64 now_ns);

#endif /* GPREEMPT_PACE_H_INCLUDED */
