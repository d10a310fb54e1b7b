/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT busy: how long a process has been on the GPU, with however many queues. Includes no
 * amdgpu header, so that KUnit builds it.
 */
#ifndef GPREEMPT_BUSY_H_INCLUDED
#define GPREEMPT_BUSY_H_INCLUDED

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct gpreempt_busy - the time in which at least one queue of a process was executing
 * @total_ns:	it, to the last scan; only grows
 * @until_ns:	the last scan up to which it was counted
 * @goes_on_ns:	the last scan that saw a queue execute
 *
 * Only the monitor writes; others read with gpreempt_busy_at().
 */
struct gpreempt_busy {
	u64 total_ns;
	u64 until_ns;
	u64 goes_on_ns;
};

/**
 * gpreempt_busy_goes_on - a scan sees a queue of the process execute
 * @b: the process's time
 * @scan_ns: the scan
 *
 * The scan calls this for all queues before gpreempt_busy_count() for any, so that no reader adds
 * the time between two scans twice.
 */
static inline void gpreempt_busy_goes_on(struct gpreempt_busy *b, u64 scan_ns)
{
	WRITE_ONCE(b->goes_on_ns, scan_ns);
}

/**
 * gpreempt_busy_count - a queue of the process was executing
 * @b: the process's time
 * @since_ns: from then on, the scan before that the queue was in
 * @scan_ns: to this scan, no earlier than the ones before
 *
 * A scan has all queues, so that @since_ns is the same for all. Of those that execute at the same
 * time one counts: a process has no more than all of the time.
 */
static inline void gpreempt_busy_count(struct gpreempt_busy *b, u64 since_ns, u64 scan_ns)
{
	u64 ns = scan_ns - max(since_ns, b->until_ns);

	b->until_ns = scan_ns;
	/* Pairs with gpreempt_busy_at(): after what tells that a scan was made. */
	smp_store_release(&b->total_ns, b->total_ns + ns);
}

/**
 * gpreempt_busy_at - the time that a reader is shown
 * @b: the process's time
 * @scan_ns: where the monitor leaves the time of its last scan, before it counts for that
 * @now_ns: now
 *
 * It includes the time since that scan if the process was executing then, as the next scan will
 * count it: without, the age of the scan would make readings jump.
 */
static inline u64 gpreempt_busy_at(const struct gpreempt_busy *b, const u64 *scan_ns, u64 now_ns)
{
	/* Pairs with gpreempt_busy_count(). */
	u64 ns = smp_load_acquire(&b->total_ns);
	u64 goes_on_ns = READ_ONCE(b->goes_on_ns);

	if (goes_on_ns && goes_on_ns == READ_ONCE(*scan_ns) && now_ns > goes_on_ns)
		ns += now_ns - goes_on_ns;
	return ns;
}

#endif /* GPREEMPT_BUSY_H_INCLUDED */
