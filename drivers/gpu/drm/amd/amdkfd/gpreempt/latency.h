/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT latencies: what the driver can measure of its own work, and
 * histograms of it. Includes no amdgpu header, so that KUnit builds it.
 */
#ifndef GPREEMPT_LATENCY_H_INCLUDED
#define GPREEMPT_LATENCY_H_INCLUDED

#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/**
 * enum gpreempt_latency - what is measured
 * @GPREEMPT_LATENCY_DETECTION: from the last scan that saw no reason to the one
 *	that finds a queue kept waiting by a lower one. An upper bound: a doorbell's
 *	time is invisible
 * @GPREEMPT_LATENCY_SAVE: from the request to take queues off to its answer
 * @GPREEMPT_LATENCY_RESTORE: from the request to map a queue again to a scan that
 *	finds it executing. An upper bound: RUN_LIST has no fence
 * @GPREEMPT_LATENCIES: number of them
 */
enum gpreempt_latency {
	GPREEMPT_LATENCY_DETECTION,
	GPREEMPT_LATENCY_SAVE,
	GPREEMPT_LATENCY_RESTORE,
	GPREEMPT_LATENCIES
};

/* The last one, from 2^23 us (8 s) on, is open. */
#define GPREEMPT_BUCKETS	25

/**
 * struct gpreempt_histogram - samples by the power of two of their us
 * @count: bucket 0 is below 1 us, bucket n from 2^(n-1) to below 2^n us
 *
 * Only the monitor writes.
 */
struct gpreempt_histogram {
	u64 count[GPREEMPT_BUCKETS];
};

/**
 * gpreempt_bucket - where a sample belongs
 * @ns: the sample
 */
static inline unsigned int gpreempt_bucket(u64 ns)
{
	return min(fls64(div_u64(ns, NSEC_PER_USEC)), GPREEMPT_BUCKETS - 1);
}

#endif /* GPREEMPT_LATENCY_H_INCLUDED */
