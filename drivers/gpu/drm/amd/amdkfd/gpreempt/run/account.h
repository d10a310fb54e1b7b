/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT account: statistics, latencies, traces. */
#ifndef GPREEMPT_ACCOUNT_H_INCLUDED
#define GPREEMPT_ACCOUNT_H_INCLUDED

#include <linux/types.h>

struct kfd_gpreempt;
struct work_struct;

/* A node's statistics, one file in stats/ each; they count from when the driver was loaded. */
enum gpreempt_stat {
	GPREEMPT_STAT_PREEMPTIONS,	/* queues taken off the hardware */
	GPREEMPT_STAT_RESUMES,		/* queues put back */
	GPREEMPT_STAT_TRANSACTIONS,	/* runlist transactions for the two */
	GPREEMPT_STAT_BLOCKED,		/* times a queue became blocked */
	GPREEMPT_STAT_STARVED,		/* times a queue's effective priority was raised */
	GPREEMPT_STAT_SCANS,
	GPREEMPT_STAT_WAKEUPS,		/* times the monitor woke up */
	GPREEMPT_STAT_REGISTERS,	/* register accesses, reads and writes */
	GPREEMPT_STAT_REGISTER_NS,	/* time in register accesses */
	GPREEMPT_STAT_DOORBELLS,	/* doorbells that woke the monitor by a fault */
	GPREEMPT_STAT_REVOCATIONS,	/* times a process's doorbells were taken away */
	GPREEMPT_STAT_SCAN_NS,		/* time in scans and decisions, without registers */
	GPREEMPT_STAT_SCAN_NS_MAX,	/* the longest of these times */
	GPREEMPT_STAT_FENCE_NS,		/* time from UNMAP_QUEUES to its fence */
	GPREEMPT_STAT_DETECTIONS,	/* queues found to be kept waiting by a lower one */
	GPREEMPT_STAT_LATE,		/* preemptions that took longer than preempt_timeout_ms */
	GPREEMPT_STAT_EXCLUDED,		/* times a queue was kept off that had delayed one */
	GPREEMPT_STAT_FAILED,		/* transactions that failed */
	GPREEMPT_STAT_NR
};

/**
 * enum gpreempt_latency - what the driver can measure of its own work
 * @GPREEMPT_LATENCY_DETECTION: from the last scan that saw no reason to the one
 *	that finds a queue kept waiting by a lower one. An upper bound: a doorbell's
 *	time is invisible
 * @GPREEMPT_LATENCY_SAVE: from the request to take queues off to its answer
 * @GPREEMPT_LATENCIES: number of them
 */
enum gpreempt_latency {
	GPREEMPT_LATENCY_DETECTION,
	GPREEMPT_LATENCY_SAVE,
	GPREEMPT_LATENCIES
};

/**
 * struct kfd_gpreempt_samples - all samples of a latency since the node was enabled
 * @count:	by size, four buckets to a power of two of ns, see account.c
 * @max_ns:	the longest
 *
 * Only the monitor writes.
 */
struct kfd_gpreempt_samples {
	u64 count[4 * 63];
	u64 max_ns;
};

/* Adds to a statistic of a node. */
#define kfd_gpreempt_count(gp, stat, n)	\
	atomic64_add(n, &(gp)->account.stats[GPREEMPT_STAT_##stat])

u64 kfd_gpreempt_latency_ns(const struct kfd_gpreempt *gp, enum gpreempt_latency latency,
			    unsigned int percent);
void kfd_gpreempt_account_save(struct kfd_gpreempt *gp, unsigned int preempt, u64 ns, bool late);
void kfd_gpreempt_account_scan(struct kfd_gpreempt *gp);
void kfd_gpreempt_report_bypass(struct kfd_gpreempt *gp);
void kfd_gpreempt_send_bypass(struct work_struct *work);

#endif /* GPREEMPT_ACCOUNT_H_INCLUDED */
