// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT account: statistics and tracepoints.
 */

#include "amdgpu.h"
#include "queue.h"

/* As tracepoints show them, in the order of the enums. */
static const char *const activities[] = { "idle", "running", "runnable", "blocked", "unknown" };
static const char *const verdicts[] = { "keep", "preempt", "resume" };
static const char *const reasons[] = {
	"none", "inversion", "aged", "hint", "asked", "timeslice", "free", "blocked", "starved",
	"turn", "idle", "late", "off",
};

static_assert(ARRAY_SIZE(reasons) == GPREEMPT_REASON_OFF + 1);

#define CREATE_TRACE_POINTS
#include "trace.h"

/*
 * Samples stand in buckets, four to a power of two of ns: a percentile is too long by a quarter at
 * most.
 */
static unsigned int bucket(u64 ns)
{
	unsigned int order = fls64(ns | 4) - 3;

	return 4 * order + (ns >> order);
}

/* The longest time that belongs there. */
static u64 bucket_most_ns(unsigned int i)
{
	unsigned int order = i < 8 ? 0 : i / 4 - 1;

	return ((i - 4 * order + 1ULL) << order) - 1;
}

static void count_latency(struct kfd_gpreempt *gp, enum gpreempt_latency latency, u64 ns)
{
	struct kfd_gpreempt_samples *s = &gp->account.latencies[latency];
	u64 *count = &s->count[bucket(ns)];

	WRITE_ONCE(*count, *count + 1);
	WRITE_ONCE(s->max_ns, max(s->max_ns, ns));
}

/**
 * kfd_gpreempt_latency_ns - how long something took, in ns
 * @gp: the node
 * @latency: which
 * @percent: of the samples took no longer; 100: the longest of all, exactly
 *
 * Return: 0 before the first sample.
 */
u64 kfd_gpreempt_latency_ns(const struct kfd_gpreempt *gp, enum gpreempt_latency latency,
			    unsigned int percent)
{
	const struct kfd_gpreempt_samples *s = &gp->account.latencies[latency];
	u64 max_ns = READ_ONCE(s->max_ns), total = 0, below = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->count); i++)
		total += READ_ONCE(s->count[i]);
	for (i = 0; i < ARRAY_SIZE(s->count); i++) {
		below += READ_ONCE(s->count[i]);
		if (100 * below >= percent * total)
			return min(bucket_most_ns(i), max_ns);
	}
	return max_ns;
}

/**
 * kfd_gpreempt_account_save - account one answer to a request to take queues off
 * @gp: the node
 * @preempt: how many queues were taken off, 0 if the list was only changed
 * @ns: the time it took
 * @late: was that too long?
 */
void kfd_gpreempt_account_save(struct kfd_gpreempt *gp, unsigned int preempt, u64 ns, bool late)
{
	kfd_gpreempt_count(gp, FENCE_NS, ns);
	if (preempt)
		count_latency(gp, GPREEMPT_LATENCY_SAVE, ns);
	if (late)
		kfd_gpreempt_count(gp, LATE, 1);
}

/*
 * Does a lower queue keep this one waiting, and since when at most? @running is the lowest level
 * that executes. A queue without backlog may be executing, unless waves were counted; one whose
 * read index has passed its packet waits if it was counted and has none. It did not wait at its
 * last quiet scan, nor before a wake-up that ended a sleep without a timer.
 */
static void account_inversion(struct kfd_gpreempt *gp, struct kfd_gpreempt_queue *gpq, int running)
{
	const struct gpreempt_queue_view *v = &gpq->view;
	bool waits = v->out.activity == GPREEMPT_RUNNABLE ||
		     (v->out.activity == GPREEMPT_RUNNING && !v->seen.waves);
	bool inverted = waits && v->out.wants && !v->out.announced && v->out.level > running &&
			(v->change.backlog || gp->scan.view.waves_final);
	u64 ns;

	if (inverted && !gpq->account.inverted) {
		ns = ktime_get_ns() - max3(gpq->account.quiet_ns, gp->monitor.calm_ns,
					   (u64)atomic64_read(&gp->monitor.woken_ns));
		kfd_gpreempt_count(gp, DETECTIONS, 1);
		count_latency(gp, GPREEMPT_LATENCY_DETECTION, ns);
		trace_kfd_gpreempt_inversion(gpq, running, ns);
	}
	if (!v->out.wants || v->seen.waves > 0)
		gpq->account.quiet_ns = gp->scan.view.now_ns;
	gpq->account.inverted = inverted;
}

/* While the monitor was parked, the time of a longer gap between two scans goes to nobody. */
#define GAP_MAX_NS	(2 * NSEC_PER_SEC)

/*
 * A mapped queue's time since the last scan goes to the state that scan saw. If the monitor was
 * parked meanwhile, nobody looked: then it counts only if both scans see the same state and lie
 * no more than GAP_MAX_NS apart. A preempted queue's time off is counted exactly.
 */
static void account_time(struct kfd_gpreempt_queue *gpq, bool watched, u64 now_ns)
{
	u64 ns = now_ns - gpq->account.last.ns;

	if (!gpq->account.last.ns || !gpq->account.last.seen.mapped)
		return;
	if (!watched &&
	    (gpq->view.out.activity != gpq->account.last.out.activity || ns > GAP_MAX_NS))
		return;
	if (gpq->account.last.out.activity == GPREEMPT_RUNNING) {
		gpq->account.running_ns += ns;
		gpreempt_busy_count(&gpq->client->busy, gpq->account.last.ns, now_ns);
	} else if (gpq->account.last.out.activity == GPREEMPT_RUNNABLE) {
		gpq->account.waiting_ns += ns;
	}
}

/**
 * kfd_gpreempt_account_scan - count, trace and keep what a scan has shown
 * @gp: the node, with a decided plan
 */
void kfd_gpreempt_account_scan(struct kfd_gpreempt *gp)
{
	const struct gpreempt_view *view = &gp->scan.view;
	u64 ns = ktime_get_ns() - view->now_ns - gp->scan.register_ns;
	int running = GPREEMPT_BOOST + 1;
	bool watched = gp->account.scan_ns;
	struct gpreempt_queue_view *v;

	kfd_gpreempt_count(gp, SCANS, 1);
	kfd_gpreempt_count(gp, SCAN_NS, ns);
	if (ns > atomic64_read(&gp->account.stats[GPREEMPT_STAT_SCAN_NS_MAX]))
		atomic64_set(&gp->account.stats[GPREEMPT_STAT_SCAN_NS_MAX], ns);
	trace_kfd_gpreempt_scan(gp->node->id, view->nr, gp->scan.registers, ns);

	/* Before the time to this scan is counted: see gpreempt_busy_goes_on(). */
	WRITE_ONCE(gp->account.scan_ns, view->now_ns);
	gpreempt_for_each(v, view) {
		if (v->out.activity != GPREEMPT_RUNNING || !v->seen.mapped)
			continue;
		running = min_t(int, running, v->out.level);
		gpreempt_busy_goes_on(&kfd_gpreempt_of(v)->client->busy, view->now_ns);
	}

	guard(mutex)(&gp->account.lock);
	gpreempt_for_each(v, view) {
		struct kfd_gpreempt_queue *gpq = kfd_gpreempt_of(v);
		struct kfd_gpreempt_last *last = &gpq->account.last;

		account_inversion(gp, gpq, running);
		if (v->out.activity == GPREEMPT_BLOCKED && last->out.activity != GPREEMPT_BLOCKED) {
			kfd_gpreempt_count(gp, BLOCKED, 1);
			trace_kfd_gpreempt_blocked(gpq);
		}
		if (v->out.level == GPREEMPT_BOOST && last->out.level != GPREEMPT_BOOST)
			kfd_gpreempt_count(gp, STARVED, 1);
		if (v->out.verdict != GPREEMPT_KEEP)
			trace_kfd_gpreempt_decision(gpq);
		account_time(gpq, watched, view->now_ns);
		last->ns = view->now_ns;
		last->seen = v->seen;
		if (v->seen.readable)
			last->backlog = v->change.backlog;
		last->out = v->out;
	}
}
