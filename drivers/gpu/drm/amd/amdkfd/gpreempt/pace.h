/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT pace: how long the monitor sleeps between two scans, how much it reads in one, and
 * how long it has seen nothing come. Pure functions of times that they are told, without a
 * clock of their own, so that KUnit builds them as they are.
 */
#ifndef GPREEMPT_PACE_H_INCLUDED
#define GPREEMPT_PACE_H_INCLUDED

#include <linux/average.h>
#include <linux/types.h>

/* Words that are read of a queue at most, with what it takes to enter its process; ... */
#define GPREEMPT_QUEUE_READS	32
/* ... and in a scan: some 2 ms, if all are read uncached over PCIe. */
#define GPREEMPT_SCAN_READS	(64 * GPREEMPT_QUEUE_READS)

struct gpreempt_view;

/* Intervals: each new one counts for an eighth. */
DECLARE_EWMA(gpreempt_pace, 0, 8)

/**
 * struct gpreempt_pace - the monitor's rhythm
 * @begun_ns:	when the last scan began; 0 if the one before it is no measure
 * @interval_ns: wanted time from that to the next; 0 before the first
 * @achieved:	that time as it really was, in ns
 * @early:	that scan came before its time
 * @due_ns:	when the next is by its rhythm, %U64_MAX: never
 * @free_ns:	no sooner, whatever wakes the monitor
 * @paid_ns:	by then it has slept enough for all scans before their time
 *
 * All zero at the start. Only the monitor touches it.
 */
struct gpreempt_pace {
	u64 begun_ns;
	u64 interval_ns;
	struct ewma_gpreempt_pace achieved;
	bool early;
	u64 due_ns;
	u64 free_ns;
	u64 paid_ns;
};

/**
 * struct gpreempt_watch - for how long scans have seen that something is missing
 * @since_ns:	when the last of them ended, or when it could have come at the
 *		earliest
 * @seen_ns:	time between scans that counts so far
 */
struct gpreempt_watch {
	u64 since_ns;
	u64 seen_ns;
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
typedef unsigned int (*gpreempt_read_fn)(struct gpreempt_view *view, unsigned int i);

void gpreempt_read(struct gpreempt_view *view, gpreempt_read_fn read);

u64 gpreempt_pace_begin(struct gpreempt_pace *p, u64 now_ns, bool woken);
void gpreempt_pace_restart(struct gpreempt_pace *p, u64 now_ns);
void gpreempt_pace_end(struct gpreempt_pace *p, u64 now_ns, u64 worked_ns, u32 interval_us);
u64 gpreempt_pace_next(struct gpreempt_pace *p, u64 now_ns, u32 min_us, u32 max_us, u64 until_ns);
u64 gpreempt_pace_rest(struct gpreempt_pace *p, u64 now_ns, u64 until_ns);
u64 gpreempt_pace_wait(const struct gpreempt_pace *p, u64 now_ns);
bool gpreempt_watch_scan(struct gpreempt_watch *w, u64 begun_ns, u64 now_ns,
			 u64 limit_ns);

#endif /* GPREEMPT_PACE_H_INCLUDED */
