// SPDX-License-Identifier: GPL-2.0
/* LOW's and HIGH's work of gpreempt-hwtest, and the table of how they get along. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"

#define SAMPLE_GROUPS	2	/* workgroups that the CPU computes as well */
#define ARRIVALS	200	/* of HIGH, in the table */

/* ---- LOW ---- */

/* Alone, with so many iterations: ms, or -errno. */
static double timed(struct hwtest *t, struct low_job *job, unsigned int iterations)
{
	__u64 begin;
	int ret;

	job->iterations = iterations;
	job->args->iterations = iterations;
	begin = kfd_now();
	low_job_start(&t->c, job, &t->low);
	ret = low_job_wait(&t->c, job, CLIENT_TIMEOUT_MS);
	return ret ?: (kfd_now() - begin) / 1e6;
}

/* Iterations for a dispatch of @ms; 0: it did not end. */
static unsigned int calibrate(struct hwtest *t, struct low_job *job, unsigned int ms)
{
	unsigned int n = LOW_BANKS;
	double took;

	do {
		n *= 2;
		took = timed(t, job, n);
	} while (took > 0 && took < ms / 2.0 && n < 1u << 24);
	if (took < 0)
		return 0;
	n *= ms / took;
	return n < LOW_BANKS ? LOW_BANKS : n;
}

/* What @job gives undisturbed is what it must give; is that right itself? And how long it takes. */
static int learn(struct hwtest *t, struct low_job *job, unsigned int iterations, double *ms)
{
	static __u32 sample[SAMPLE_GROUPS * LOW_GROUP];
	unsigned int groups = job->groups < SAMPLE_GROUPS ? job->groups : SAMPLE_GROUPS;

	low_expect(sample, groups, iterations, LOW_BANKS);
	if (timed(t, job, iterations) < 0)
		return anomaly(t, "LOW did not end, although nobody disturbed it");
	memcpy(job->expect, job->out, job->groups * LOW_GROUP * sizeof(__u32));
	if (memcmp(sample, job->out, groups * LOW_GROUP * sizeof(__u32)))
		return anomaly(t, "LOW's result is not the CPU's, although nobody disturbed it");
	*ms = timed(t, job, iterations);
	if (*ms < 0 || low_job_wrong(job))
		return anomaly(t, "LOW's result differs from run to run, undisturbed");
	return 0;
}

int feeder_init(struct hwtest *t, struct feeder *f, unsigned int ms)
{
	struct low_job *first = &f->job[0];
	unsigned int i, n, groups = t->c.dev.cus;
	int ret = 0;

	memset(f, 0, sizeof(*f));
	f->t = t;
	for (i = 0; !ret && i < FEED_DEPTH; i++)
		ret = low_job_init(&t->c, &f->job[i], groups, 0);
	if (ret)
		return must(t, ret, "get memory for LOW's work");
	n = calibrate(t, first, ms);
	if (!n)
		return anomaly(t, "LOW did not end, although nobody disturbed it");
	ret = learn(t, first, n, &f->ms);
	for (i = 1; i < FEED_DEPTH; i++) {
		f->job[i].iterations = n;
		f->job[i].args->iterations = n;
		memcpy(f->job[i].expect, first->expect, groups * LOW_GROUP * sizeof(__u32));
	}
	return ret;
}

void feeder_free(struct feeder *f)
{
	unsigned int i;

	for (i = 0; i < FEED_DEPTH; i++)
		low_job_free(&f->t->c, &f->job[i]);
}

static void *feed(void *arg)
{
	struct feeder *f = arg;
	struct client *c = &f->t->c;
	unsigned long i, started = FEED_DEPTH;

	for (i = 0; i < FEED_DEPTH; i++)
		low_job_start(c, &f->job[i], &f->t->low);
	for (i = 0; i < started && !f->ret; i++) {
		struct low_job *job = &f->job[i % FEED_DEPTH];

		f->ret = low_job_wait(c, job, CLIENT_TIMEOUT_MS);
		if (f->ret)
			break;
		f->wrong += low_job_wrong(job);
		f->done++;
		if (!f->stop) {
			low_job_start(c, job, &f->t->low);
			started++;
		}
	}
	return NULL;
}

int feeder_start(struct feeder *f)
{
	f->stop = 0;
	f->done = 0;
	return must(f->t, -pthread_create(&f->thread, NULL, feed, f), "start a thread");
}

int feeder_check(struct feeder *f)
{
	if (f->ret)
		return anomaly(f->t, "LOW did not end within %u s", CLIENT_TIMEOUT_MS / 1000);
	if (f->wrong)
		return anomaly(f->t, "WRONG RESULT: %lu words of LOW's are not what they should be",
			       f->wrong);
	return 0;
}

int feeder_stop(struct feeder *f)
{
	f->stop = 1;
	pthread_join(f->thread, NULL);
	return feeder_check(f);
}

/* ---- HIGH ---- */

int arrive(struct hwtest *t, unsigned int gap_us, bool coop, __u64 *ns)
{
	__u64 kernel_ns;
	int ret = 0;

	/* at no fixed phase of the monitor's or of LOW's */
	usleep(gap_us * (0.1 + 0.9 * drand48()));
	*ns = kfd_now();
	if (coop)
		ret = aql_update(&t->low, 0, PRIORITY_LOW);
	ret = ret ?: high_job_run(&t->c, &t->high_job, &t->high, CLIENT_TIMEOUT_MS, &kernel_ns);
	*ns = kfd_now() - *ns;
	t->arrivals++;
	if (coop)
		ret = ret ?: aql_update(&t->low, 100, PRIORITY_LOW);
	if (ret == -ETIME)
		return anomaly(t, "HIGH did not end within %u s", CLIENT_TIMEOUT_MS / 1000);
	return must(t, ret, "run HIGH, or switch LOW off for it");
}

int arrive_often(struct hwtest *t, struct feeder *f, bool coop, __u64 *ns, unsigned int n)
{
	int ret = feeder_start(f);
	unsigned int i;

	if (ret)
		return ret;
	for (i = 0; !ret && i < n; i++)
		ret = arrive(t, GAP_US, coop, &ns[i]) ?: feeder_check(f);
	ret = feeder_stop(f) ?: ret;
	return ret ?: arrivals_check(t);
}

int arrivals_check(struct hwtest *t)
{
	unsigned int i;

	for (i = 0; i < t->c.dev.cus; i++)
		if (t->high_job.done[i] != t->arrivals)
			return anomaly(t, "WRONG RESULT: HIGH's workgroups were lost or repeated");
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

double percentile(__u64 *ns, unsigned int n, unsigned int p)
{
	unsigned int i = (n * p + 99) / 100;

	qsort(ns, n, sizeof(*ns), by_size);
	return ns[i ? i - 1 : 0];
}

/* ---- the table ---- */

enum way { WAY_STOCK, WAY_COOP, WAY_GPREEMPT };

static void add_row(struct hwtest *t, const char *name, double block_ms, __u64 *ns,
		    unsigned int n, double low_percent)
{
	const double row[] = {
		block_ms, percentile(ns, n, 50) / 1e3, percentile(ns, n, 99) / 1e3,
		percentile(ns, n, 100) / 1e3, low_percent,
	};

	report_row(t->report, name, row, ARRAY_SIZE(row));
}

/* Dispatches of LOW a second while nobody else comes; negative: an error. */
static double low_alone(struct hwtest *t, struct feeder *f)
{
	__u64 begin = kfd_now();
	int ret = feeder_start(f);

	if (ret)
		return ret;
	usleep(TIMES(t, 4, ARRIVALS) * GAP_US / 2);
	ret = feeder_stop(f);
	return ret ?: f->done / ((kfd_now() - begin) / 1e9);
}

/*
 * LOW's work is all that it was given, also what was in flight when HIGH came no more: so
 * few dispatches are counted as a whole. @alone: how many a second when nobody comes.
 */
static int run_way(struct hwtest *t, struct feeder *f, enum way way, double alone)
{
	static const char *const names[] = { "stock", "coop", "GPREEMPT" };
	unsigned int n = TIMES(t, 4, ARRIVALS);
	__u64 ns[ARRIVALS], begin;
	char name[32];
	int ret;

	ret = way == WAY_GPREEMPT ? gpreempt_on(t, "strict") : gpreempt_off(t);
	begin = kfd_now();
	ret = ret ?: arrive_often(t, f, way == WAY_COOP, ns, n);
	if (ret)
		return ret;
	snprintf(name, sizeof(name), "%s, %.0f ms", names[way], f->ms);
	add_row(t, name, f->ms, ns, n, 100 * f->done / ((kfd_now() - begin) / 1e9) / alone);
	return 0;
}

/* LOW of @block ms, unless it cannot be much shorter than it was, @ms. */
static int run_block(struct hwtest *t, unsigned int block, double *ms)
{
	struct feeder f;
	double alone;
	enum way way;
	int ret;

	ret = gpreempt_off(t) ?: feeder_init(t, &f, block);
	if (ret)
		return ret;
	alone = f.ms < 0.9 * *ms ? low_alone(t, &f) : 0;
	ret = alone < 0 ? alone : 0;
	for (way = WAY_STOCK; !ret && alone && way <= WAY_GPREEMPT; way++)
		ret = run_way(t, &f, way, alone);
	*ms = f.ms;
	feeder_free(&f);
	return ret;
}

int step_table(struct hwtest *t)
{
	static const unsigned int blocks[] = { 50, 10, 1 };
	unsigned int i, n = TIMES(t, 4, ARRIVALS);
	__u64 ns[ARRIVALS];
	double ms = INFINITY;
	int ret = gpreempt_off(t);

	for (i = 0; !ret && i < n; i++)
		ret = arrive(t, GAP_US, false, &ns[i]);
	if (ret)
		return ret;
	add_row(t, "HIGH alone", NAN, ns, n, NAN);
	for (i = 0; !ret && i < ARRAY_SIZE(blocks); i++)
		ret = run_block(t, blocks[i], &ms);
	report_says(t->report, "HIGH came %u times to each kind of LOW, in 3 ways", n);
	return ret;
}
