// SPDX-License-Identifier: GPL-2.0
/* The steps of gpreempt-hwtest that are about one thing each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"
#include "ioctl_call.h"

#define HIGH_US		200
#define BLOCK_MS	20	/* a dispatch of LOW's */
#define WAITS_US	20000	/* HIGH waits so long for a full machine */
#define PREEMPTIONS	10000
#define QUICK_PREEMPTIONS 30
#define DOORBELLS_MAX	50
#define ARRIVALS_MAX	200

/* ---- what GPREEMPT spends ---- */

/**
 * struct spent - counters at some moment
 * @scans:	scans
 * @scan_ns:	their time and that of decisions, without registers
 * @accesses:	of registers
 * @register_ns: their time
 * @preemptions: queues taken off
 * @detections:	times that HIGH was seen to wait
 */
struct spent {
	long long scans, scan_ns, accesses, register_ns, preemptions, detections;
};

static struct spent spent_now(void)
{
	return (struct spent){
		.scans = gpreempt_number("stats/scans"),
		.scan_ns = gpreempt_number("stats/scan_ns_total"),
		.accesses = gpreempt_number("stats/register_accesses"),
		.register_ns = gpreempt_number("stats/register_ns_total"),
		.preemptions = gpreempt_number("stats/preemptions"),
		.detections = gpreempt_number("stats/detections"),
	};
}

/* What was spent since. */
static void report_spent(struct hwtest *t, const struct spent *b)
{
	struct spent now = spent_now();
	struct report *r = t->report;
	long long scans = now.scans - b->scans, accesses = now.accesses - b->accesses;

	report_figure(r, "scans", scans);
	if (scans)
		report_figure(r, "scan_ns", (now.scan_ns - b->scan_ns) / scans);
	report_figure(r, "register_accesses", accesses);
	if (accesses)
		report_figure(r, "register_access_ns",
			      (now.register_ns - b->register_ns) / accesses);
}

/* ---- watch ---- */

/* From here on the GPU is used. */
static int prepare(struct hwtest *t)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		return anomaly(t, "%s; the kernel's log says why", gpreempt_missing(ret));
	ret = must(t, ret, "set GPREEMPT's tunables");
	ret = ret ?: must(t, client_open_pair(&t->c, &t->low, &t->high), "open the GPU");
	ret = ret ?: must(t, client_calibrate(&t->c, &t->high), "measure the GPU's clock");
	return ret ?: must(t, high_job_init(&t->c, &t->high_job, HIGH_US), "get memory for HIGH");
}

int step_watch(struct hwtest *t)
{
	unsigned int n = TIMES(t, 5, 50);
	struct spent before;
	struct feeder f;
	__u64 ns[50];
	int ret;

	ret = prepare(t);
	ret = ret ?: feeder_init(t, &f, BLOCK_MS);
	if (ret)
		return ret;
	ret = gpreempt_on(t, "none");
	before = spent_now();
	ret = ret ?: arrive_often(t, &f, false, ns, n);
	report_spent(t, &before);
	report_says(t->report, "%lu dispatches of LOW and %u of HIGH exact, nothing preempted",
		    f.done, n);
	feeder_free(&f);
	if (!ret && gpreempt_number("stats/preemptions") != before.preemptions)
		ret = anomaly(t, "policy none has preempted");
	return ret;
}

/* ---- index ---- */

/* How long after @begin the read index was beyond @from, in us; -1 if not within @us. */
static double index_moves(const struct aql_queue *q, __u64 from, __u64 begin, unsigned int us)
{
	__u64 now;

	do {
		now = kfd_now();
		if (__atomic_load_n(&q->amd->read_dispatch_id, __ATOMIC_ACQUIRE) > from)
			return (now - begin) / 1e3;
	} while (now - begin < us * 1000ULL);
	return -1;
}

/* HIGH's packet when not one of its workgroups can be launched: LOW has every unit. */
static int index_of_waiting(struct hwtest *t, double *us)
{
	struct until_job low;
	__u64 n;
	int ret;

	ret = must(t, until_job_init(&t->c, &low), "get memory");
	if (ret)
		return ret;
	until_job_start(&t->c, &low, &t->low);
	ret = until_job_moves(&low);
	if (ret)
		return must(t, ret, "have LOW run");
	high_job_start(&t->c, &t->high_job, &t->high);
	t->arrivals++;
	n = kfd_now();
	*us = index_moves(&t->high, t->high_job.packet, n, WAITS_US);
	if (!t->high_job.signal->value)
		ret = anomaly(t, "HIGH ran although LOW had every compute unit");
	until_job_stop(&low);
	ret = ret ?: must(t, until_job_wait(&t->c, &low, CLIENT_TIMEOUT_MS), "see LOW end");
	ret = ret ?: must(t, high_job_wait(&t->c, &t->high_job, CLIENT_TIMEOUT_MS), "see HIGH end");
	until_job_free(&t->c, &low);
	return ret;
}

/* The packet of a kernel of twice as many workgroups as there is room for. */
static int index_of_large(struct hwtest *t, double *us)
{
	struct high_job job;
	__u64 n;
	int ret;

	ret = must(t, high_job_init(&t->c, &job, WAITS_US), "get memory");
	if (ret)
		return ret;
	aql_signal_init(job.signal, 1, &job.event);
	n = aql_dispatch(&t->high, &t->c.high, 2 * t->c.dev.cus * 64, 64, job.args, job.signal);
	*us = index_moves(&t->high, n, kfd_now(), 4 * WAITS_US);
	ret = must(t, high_job_wait(&t->c, &job, CLIENT_TIMEOUT_MS), "see HIGH end");
	high_job_free(&t->c, &job);
	return ret;
}

int step_index(struct hwtest *t)
{
	double waiting = 0, large = 0;
	const char *at;
	int ret;

	ret = gpreempt_off(t);
	ret = ret ?: index_of_waiting(t, &waiting);
	ret = ret ?: index_of_large(t, &large);
	ret = ret ?: arrivals_check(t);
	if (ret)
		return ret;
	if (waiting >= 0)
		at = "fetch";
	else if (large >= 0 && large < WAITS_US / 2)
		at = "first launch";
	else
		at = "launch";
	report_text(t->report, "read_index_at", "%s", at);
	report_figure(t->report, "none_launched_us", waiting);
	report_figure(t->report, "half_launched_us", large);
	report_says(t->report, "the read index advances at %s", at);
	return 0;
}

/* ---- preempt ---- */

int step_preempt(struct hwtest *t)
{
	struct hold_job job;
	__u32 beats;
	int ret;

	ret = gpreempt_on(t, "none");
	ret = ret ?: must(t, hold_start(t, &job, &t->c.hold, t->c.dev.cus), "get memory");
	ret = ret ?: must(t, hold_moves(&job, CLIENT_TIMEOUT_MS), "have LOW run");
	ret = ret ?: must(t, gpreempt_hold(&t->low, 0), "preempt a queue");
	if (ret)
		return ret;
	beats = job.beats[0];
	usleep(5000);
	if (job.beats[0] != beats)
		return anomaly(t, "the queue runs although it was preempted");
	ret = must(t, gpreempt_resume(&t->low), "resume a queue");
	ret = ret ?: must(t, hold_moves(&job, CLIENT_TIMEOUT_MS), "see all waves back");
	ret = ret ?: hold_end(t, &job);
	report_says(t->report, "%u waves saved and restored, every value of theirs exact",
		    2 * t->c.dev.cus);
	return ret;
}

/* ---- gws ---- */

#define ROUND_US	1000	/* of which all but one wave spend most at the barrier */

int step_gws(struct hwtest *t)
{
	unsigned int i, n = TIMES(t, 10, 100);
	struct agree_job job;
	int ret;

	ret = gpreempt_on(t, "none");
	if (ret)
		return ret;
	ret = gws_alloc(&t->c.dev, &t->low);
	if (ret) {
		report_says(t->report, "no global wave sync here: %s", strerror(-ret));
		return ret == -ENODEV ? 0 : must(t, ret, "get global wave sync");
	}
	ret = must(t, agree_job_start(&t->c, &job, &t->low, 10 * n, ROUND_US), "start the kernel");
	for (i = 0; !ret && i < n; i++) {
		usleep(3 * ROUND_US);
		ret = must(t, gpreempt_hold(&t->low, 0), "preempt a cooperative kernel");
		ret = ret ?: must(t, gpreempt_resume(&t->low), "resume it");
	}
	if (!ret && !job.signal->value)
		ret = anomaly(t, "the kernel did not wait at its barriers");
	ret = ret ?: must(t, agree_job_wait(&t->c, &job, CLIENT_TIMEOUT_MS), "see it end");
	if (!ret && agree_job_wrong(&job))
		ret = anomaly(t, "WRONG RESULT: %u words of %u of a cooperative kernel",
			      agree_job_wrong(&job), job.groups);
	ret = ret ?: must(t, gws_free(&t->c.dev, &t->low), "give global wave sync back");
	report_figure(t->report, "preemptions", n);
	report_says(t->report, "%u preemptions inside barriers of %u waves, exact", n, job.groups);
	return ret;
}

/* ---- empty ---- */

int step_empty(struct hwtest *t)
{
	unsigned int i, n = TIMES(t, 10, 200);
	double off_us = 0, on_us = 0;
	long long fence_ns = 0, fence;
	__u64 begin;
	int ret;

	ret = gpreempt_on(t, "none");
	for (i = 0; !ret && i < n; i++) {
		fence = gpreempt_number("stats/fence_wait_ns_total");
		begin = kfd_now();
		ret = must(t, gpreempt_hold(&t->low, 0), "preempt an empty queue");
		off_us += (kfd_now() - begin) / 1e3;
		fence_ns += gpreempt_number("stats/fence_wait_ns_total") - fence;
		begin = kfd_now();
		ret = ret ?: must(t, gpreempt_resume(&t->low), "resume an empty queue");
		on_us += (kfd_now() - begin) / 1e3;
	}
	report_figure(t->report, "unmap_fence_us", fence_ns / 1e3 / n);
	report_figure(t->report, "unmap_call_us", off_us / n);
	report_figure(t->report, "map_call_us", on_us / n);
	report_says(t->report, "the GPU answers an unmap after %.0f us", fence_ns / 1e3 / n);
	return ret;
}

/* ---- queues ---- */

#define QUEUES_MAX	24	/* a GPU of gfx9 has as many slots, or more */
#define SETTLED_US	500	/* by then firmware has mapped all of a runlist */

/* Costs with so many queues, us: of an unmap, of an update alone, and of one behind another. */
struct of_queues {
	double unmap, update, updates;
};

static int measure_queues(struct hwtest *t, struct of_queues *us)
{
	unsigned int i, n = TIMES(t, 20, 200);
	long long fence;
	__u64 begin;
	int ret = 0;

	for (i = 0; !ret && i < n; i++) {
		usleep(SETTLED_US);
		fence = gpreempt_number("stats/fence_wait_ns_total");
		ret = must(t, gpreempt_hold(&t->low, 0), "preempt an empty queue");
		us->unmap += (gpreempt_number("stats/fence_wait_ns_total") - fence) / 1e3 / n;
		ret = ret ?: must(t, gpreempt_resume(&t->low), "resume an empty queue");
	}
	for (i = 0; !ret && i < n; i++) {
		usleep(SETTLED_US);
		begin = kfd_now();
		ret = must(t, aql_update(&t->low, 100, PRIORITY_LOW), "update a queue");
		us->update += (kfd_now() - begin) / 1e3 / n;
	}
	begin = kfd_now();
	for (i = 0; !ret && i < n; i++)
		ret = must(t, aql_update(&t->low, 100, PRIORITY_LOW), "update a queue");
	us->updates = (kfd_now() - begin) / 1e3 / n;
	return ret;
}

/*
 * All queues are without work. An update of a queue unmaps all, and has them mapped again without
 * waiting for that: the next one has to, if it follows at once.
 */
int step_queues(struct hwtest *t)
{
	static const unsigned int totals[] = { 2, 8, QUEUES_MAX };
	static struct aql_queue more[QUEUES_MAX - 2];
	double x[ARRAY_SIZE(totals)], unmap[ARRAY_SIZE(totals)], map[ARRAY_SIZE(totals)];
	double fixed, slope;
	unsigned int i, n = 0;
	int ret;

	ret = gpreempt_on(t, "none");
	for (i = 0; !ret && i < ARRAY_SIZE(totals); i++) {
		struct of_queues us = {};
		char name[8];

		for (; !ret && n + 2 < totals[i]; n++)
			ret = must(t, aql_create(&more[n], &t->c.dev, 64, PRIORITY_LOW),
				   "create a queue");
		ret = ret ?: measure_queues(t, &us);
		x[i] = totals[i];
		unmap[i] = us.unmap;
		map[i] = us.updates - us.update;
		snprintf(name, sizeof(name), "%u", totals[i]);
		report_row(t->report, name, (double[]){ us.unmap, us.update, us.updates }, 3);
	}
	while (n--)
		ret = must(t, aql_destroy(&more[n]), "destroy a queue") ?: ret;
	if (ret)
		return ret;
	line_through(x, unmap, ARRAY_SIZE(totals), &fixed, &slope);
	report_figure(t->report, "unmap_fixed_us", fixed);
	report_figure(t->report, "unmap_queue_us", slope);
	report_says(t->report, "an unmap takes %.1f us and %.2f a queue", fixed, slope);
	line_through(x, map, ARRAY_SIZE(totals), &fixed, &slope);
	report_figure(t->report, "map_queue_us", slope);
	return 0;
}

/* ---- doorbell ---- */

/* HIGH's doorbell, rung while GPREEMPT is on and parked, or off: ns. */
static int ring(struct hwtest *t, bool parked, __u64 *ns)
{
	struct high_job *job = &t->high_job;
	__u64 n, begin;
	int ret = 0;

	if (parked)
		ret = must(t, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS),
			   "see GPREEMPT park");
	if (ret)
		return ret;
	aql_signal_init(job->signal, 1, &job->event);
	n = aql_prepare(&t->high, &t->c.high, t->c.dev.cus * 64, 64, job->args, job->signal);
	begin = kfd_now();
	aql_ring(&t->high, n);
	*ns = kfd_now() - begin;
	t->arrivals++;
	return must(t, high_job_wait(&t->c, job, CLIENT_TIMEOUT_MS), "see HIGH end");
}

int step_doorbell(struct hwtest *t)
{
	unsigned int i, n = TIMES(t, 5, DOORBELLS_MAX);
	__u64 plain[DOORBELLS_MAX], fault[DOORBELLS_MAX];
	long long faults;
	int ret = gpreempt_off(t);

	for (i = 0; !ret && i < n; i++)
		ret = ring(t, false, &plain[i]);
	ret = ret ?: gpreempt_on(t, "strict");
	faults = gpreempt_number("stats/doorbell_faults");
	for (i = 0; !ret && i < n; i++)
		ret = ring(t, true, &fault[i]);
	if (ret)
		return ret;
	faults = gpreempt_number("stats/doorbell_faults") - faults;
	report_figure(t->report, "doorbells", n);
	report_figure(t->report, "faults", faults);
	report_figure(t->report, "plain_p50_us", percentile(plain, n, 50) / 1e3);
	report_figure(t->report, "fault_p50_us", percentile(fault, n, 50) / 1e3);
	report_figure(t->report, "fault_max_us", percentile(fault, n, 100) / 1e3);
	report_says(t->report, "%lld of %u doorbells faulted, which takes %.1f us", faults, n,
		    percentile(fault, n, 50) / 1e3);
	return faults ? arrivals_check(t) : anomaly(t, "a parked GPREEMPT gets no doorbell");
}

/* ---- detection ---- */

int step_detection(struct hwtest *t)
{
	unsigned int i, n = TIMES(t, 10, ARRIVALS_MAX);
	__u64 alone[ARRIVALS_MAX], ns[ARRIVALS_MAX];
	struct report *r = t->report;
	struct spent before, after;
	struct feeder f;
	int ret;

	ret = gpreempt_off(t) ?: feeder_init(t, &f, BLOCK_MS);
	for (i = 0; !ret && i < n; i++)
		ret = arrive(t, GAP_US, false, &alone[i]);
	ret = ret ?: gpreempt_on(t, "strict");
	before = spent_now();
	ret = ret ?: arrive_often(t, &f, false, ns, n);
	if (ret)
		return ret;
	feeder_free(&f);
	after = spent_now();
	if (after.detections == before.detections)
		return anomaly(t, "HIGH came %u times beside LOW and was not seen once", n);
	report_spent(t, &before);
	report_figure(r, "preemptions", after.preemptions - before.preemptions);
	report_figure(r, "detection_at_most_us", gpreempt_number("stats/detection_ns_p50") / 1e3);
	report_figure(r, "high_alone_p50_us", percentile(alone, n, 50) / 1e3);
	report_figure(r, "high_p50_us", percentile(ns, n, 50) / 1e3);
	report_figure(r, "high_p99_us", percentile(ns, n, 99) / 1e3);
	report_says(r, "HIGH takes %.0f us beside LOW, %.0f alone", percentile(ns, n, 50) / 1e3,
		    percentile(alone, n, 50) / 1e3);
	return 0;
}

/* ---- exact ---- */

/* HIGH comes until there were so many preemptions; most times that it comes, there is one. */
static int preempt_often(struct hwtest *t, struct feeder *f, long long wanted, long long *there)
{
	long long first = gpreempt_number("stats/preemptions");
	unsigned int i;
	__u64 ns;
	int ret = 0;

	for (i = 0; !ret && *there < wanted; i++) {
		if (i > 10 * wanted)
			return anomaly(t, "HIGH came %u times for %lld preemptions", i, *there);
		ret = arrive(t, GAP_US, false, &ns) ?: feeder_check(f);
		*there = gpreempt_number("stats/preemptions") - first;
	}
	return ret;
}

int step_exact(struct hwtest *t)
{
	long long there = 0, wanted = TIMES(t, QUICK_PREEMPTIONS, PREEMPTIONS);
	struct feeder f;
	int ret;

	ret = gpreempt_off(t) ?: feeder_init(t, &f, BLOCK_MS);
	ret = ret ?: gpreempt_on(t, "strict");
	ret = ret ?: feeder_start(&f);
	if (ret)
		return ret;
	ret = preempt_often(t, &f, wanted, &there);
	ret = feeder_stop(&f) ?: ret;
	ret = ret ?: gpreempt_off(t);
	ret = ret ?: arrivals_check(t);
	if (!ret && gpreempt_preempted())
		ret = anomaly(t, "not each preempted queue was resumed");
	report_figure(t->report, "preemptions", there);
	report_figure(t->report, "low_dispatches", f.done);
	report_figure(t->report, "low_words", (double)f.done * t->c.dev.cus * LOW_GROUP);
	report_figure(t->report, "low_words_wrong", f.wrong);
	report_says(t->report, "%lld preemptions, %lu dispatches of LOW, all exact", there, f.done);
	if (!ret)
		feeder_free(&f);
	return ret;
}
