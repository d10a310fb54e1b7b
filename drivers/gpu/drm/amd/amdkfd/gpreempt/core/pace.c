// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT pace: how long the monitor sleeps between two scans, and how much it reads in one.
 *
 * Rule 12, bounded cost. Tenants may wake the monitor as often as they like, and give it as much
 * to read as they like; and it runs before all of them.
 */

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/* For scans before their time it sleeps so many times as long as it worked, ... */
#define EARLY_PART	20
/* ... but may be so much behind with that: several that come at once do not wait. */
#define BEHIND_NS	(20 * NSEC_PER_MSEC)
/* Waking the thread and putting it to sleep again takes so long, however short the scan. */
#define WAKE_NS		(5 * NSEC_PER_USEC)

/**
 * gpreempt_pace_begin - a scan begins
 * @p: the rhythm
 * @now_ns: the time
 */
void gpreempt_pace_begin(struct gpreempt_pace *p, u64 now_ns)
{
	p->begun_ns = now_ns;
	p->early = now_ns < p->due_ns;
}

/**
 * gpreempt_pace_end - a scan has ended
 * @p: the rhythm
 * @now_ns: the time
 * @worked_ns: how long it took, without carrying out its plan: a wake-up does not make plans more
 *	frequent, and a tenant that delays its saves makes carrying one out long
 * @interval_us: shortest interval
 *
 * The monitor sleeps at least as long as it worked, whatever wakes it. For scans before their
 * time it sleeps %EARLY_PART times as long in the long run, but no longer than an interval at
 * once. A thread that did not run, or waited for a lock, has not worked: so no scan counts for
 * more than %BEHIND_NS.
 */
void gpreempt_pace_end(struct gpreempt_pace *p, u64 now_ns, u64 worked_ns, u32 interval_us)
{
	u64 most_ns = now_ns + BEHIND_NS + (u64)interval_us * NSEC_PER_USEC;

	worked_ns = min_t(u64, worked_ns, BEHIND_NS);
	p->free_ns = now_ns + worked_ns;
	if (p->early)
		p->paid_ns = min(max(p->paid_ns, now_ns) + EARLY_PART * (worked_ns + WAKE_NS),
				 most_ns);
}

/**
 * gpreempt_pace_next - the monitor is about to sleep
 * @p: the rhythm
 * @now_ns: the time
 * @interval_us: between the beginnings of two scans, 0: until something wakes it
 * @until_ns: in any case until then, 0: there is no such time
 *
 * A scan that takes long does not make the interval longer, unless it takes more than half of it.
 * One at @until_ns is before its time: tenants announce as many ends as they like.
 *
 * Return: how long to sleep, in ns, %U64_MAX: for ever.
 */
u64 gpreempt_pace_next(struct gpreempt_pace *p, u64 now_ns, u32 interval_us, u64 until_ns)
{
	u64 due_ns = U64_MAX;

	if (interval_us)
		due_ns = min(p->begun_ns, now_ns) + (u64)interval_us * NSEC_PER_USEC;
	p->due_ns = max3(due_ns, p->free_ns, now_ns);
	if (until_ns)
		due_ns = min(due_ns, until_ns);
	return due_ns == U64_MAX ? U64_MAX : max3(due_ns, p->free_ns, now_ns) - now_ns;
}

/**
 * gpreempt_pace_wait - the monitor is awake: how long is it to wait with its scan?
 * @p: the rhythm
 * @now_ns: the time
 *
 * Return: ns.
 */
u64 gpreempt_pace_wait(const struct gpreempt_pace *p, u64 now_ns)
{
	u64 until_ns = p->free_ns;

	if (p->paid_ns > BEHIND_NS)
		until_ns = max(until_ns, min(p->due_ns, p->paid_ns - BEHIND_NS));
	return until_ns > now_ns ? until_ns - now_ns : 0;
}

/* A turn: so much of a process, no fewer than four queues, before it is the next one's. */
#define TURN_READS	(4 * GPREEMPT_QUEUE_READS)

/* Are both of one process? Its queues follow each other. */
static bool is_of(const struct gpreempt_queue_view *one, const struct gpreempt_queue_view *q)
{
	return q && q->reading.process == one->reading.process;
}

static bool is_unread(const struct gpreempt_queue_view *q, u8 level)
{
	return q->reading.wanted && q->terms.priority == level;
}

/*
 * Of the process of which something on a level was read longest ago, and that has something to be
 * read there, the queue that was read longest ago; or NULL. @first: out: the process's first one.
 */
static struct gpreempt_queue_view *next_on(struct gpreempt_view *view, u8 level,
					   struct gpreempt_queue_view **first)
{
	struct gpreempt_queue_view *next = NULL, *oldest = NULL, *start = view->first, *q;
	u64 turn = 0, least = U64_MAX;

	gpreempt_for_each(q, view) {
		if (q->terms.priority == level)
			turn = max(turn, q->reading.turn);
		if (is_unread(q, level) && (!oldest || q->reading.turn < oldest->reading.turn))
			oldest = q;
		if (is_of(q, q->next))
			continue;
		if (oldest && turn < least) {
			least = turn;
			next = oldest;
			*first = start;
		}
		turn = 0;
		oldest = NULL;
		start = q->next;
	}
	return next;
}

static unsigned int read_one(struct gpreempt_view *view, struct gpreempt_queue_view *q,
			     gpreempt_read_fn read)
{
	q->reading.wanted = false;
	return read(view, q);
}

/* In a turn the queues of a process are read from the oldest one on. Returns how much it was. */
static unsigned int read_level(struct gpreempt_view *view, u8 level, unsigned int most,
			       gpreempt_read_fn read)
{
	struct gpreempt_queue_view *next, *first, *q;
	unsigned int words = 0, end;

	while (words + TURN_READS <= most && (next = next_on(view, level, &first))) {
		end = words + TURN_READS;
		q = next;
		do {
			if (is_unread(q, level))
				words += read_one(view, q, read);
			q = is_of(q, q->next) ? q->next : first;
		} while (q != next && words + GPREEMPT_QUEUE_READS <= end);
	}
	return words;
}

/**
 * gpreempt_read - read what a scan wants to, and may
 * @view: the scan; of each queue, &gpreempt_queue_view.reading says what is wanted
 * @read: reads one
 *
 * It is no more than %GPREEMPT_SCAN_READS. 64 queues are always read. Where there may not be enough
 * for all, each level that something is wanted of has an equal part; the rest then goes to the
 * highest first. On a level processes take turns, from scan to scan. So with p processes on its
 * level, n queues of its own there, and k = 64 / levels, a queue is read once in
 * (n / 4) * (p / (k / 4)) scans, both factors rounded up, and k / 4 down.
 */
void gpreempt_read(struct gpreempt_view *view, gpreempt_read_fn read)
{
	unsigned int left = GPREEMPT_SCAN_READS, wanted = 0, part, i;
	struct gpreempt_queue_view *q;
	u32 on = 0;
	int level;

	gpreempt_for_each(q, view) {
		if (!q->reading.wanted)
			continue;
		wanted++;
		on |= BIT(q->terms.priority);
	}
	if (wanted * GPREEMPT_QUEUE_READS <= left) {
		gpreempt_for_each(q, view)
			if (q->reading.wanted)
				read_one(view, q, read);
		return;
	}
	part = left / hweight32(on);
	for (i = 0; i < 2; i++, part = GPREEMPT_SCAN_READS)
		for (level = GPREEMPT_LEVELS - 1; level >= 0; level--)
			if (on & BIT(level))
				left -= read_level(view, level, min(part, left), read);
}
