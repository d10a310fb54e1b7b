// SPDX-License-Identifier: GPL-2.0
/*
 * The demo's LOW: keeps every compute unit busy at the lowest priority and
 * checks every word it computes, until SIGTERM or for a number of seconds.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

/* Dispatches in flight, so that the machine is never without one. */
#define DEPTH		3
/* Workgroups of a dispatch for each that the machine holds; one of a full machine's are enough. */
#define ROUNDS		2
#define FULL_ROUNDS	1

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static void usage(void)
{
	fputs("usage: low [--ms N | --iterations N] [--seconds N] [--priority N] [--full]\n"
	      "  --ms          length of a workgroup, calibrated (default 50)\n"
	      "  --iterations  of the kernel's loop, instead of --ms\n"
	      "  --seconds     how long to run (default: until SIGTERM)\n"
	      "  --priority    of the queue (default 0)\n"
	      "  --full        all waves, registers and LDS that the machine has\n", stderr);
	exit(2);
}

static void fail(const char *what, int err)
{
	fprintf(stderr, "low: %s: %s\n", what, strerror(-err));
	exit(1);
}

/* Run dispatches until told to stop; returns the number of wrong words. */
static unsigned long work(struct client *c, struct aql_queue *q, struct low_job *job,
			  double seconds)
{
	__u64 begin = kfd_now(), end = seconds ? begin + seconds * 1e9 : UINT64_MAX;
	unsigned long wrong = 0, done = 0, items;
	unsigned int i, inflight = 0;
	int ret;

	printf("gpu_clock_begin=%llu\n", (unsigned long long)kfd_gpu_clock(&c->dev));
	for (i = 0; i < DEPTH; i++, inflight++)
		low_job_start(c, &job[i], q);
	printf("running\n");
	fflush(stdout);
	for (i = 0; inflight; i = (i + 1) % DEPTH) {
		ret = low_job_wait(c, &job[i], 10 * CLIENT_TIMEOUT_MS);
		if (ret)
			fail("a dispatch did not end", ret);
		wrong += low_job_wrong(&job[i]);
		done++;
		inflight--;
		if (!stop && kfd_now() < end) {
			low_job_start(c, &job[i], q);
			inflight++;
		}
	}
	end = kfd_now();
	items = (unsigned long)job[0].groups * LOW_GROUP;
	printf("gpu_clock_end=%llu\n", (unsigned long long)kfd_gpu_clock(&c->dev));
	printf("seconds=%.6f\n", (end - begin) / 1e9);
	printf("dispatches=%lu\n", done);
	printf("words=%lu\n", done * items);
	printf("wrong=%lu\n", wrong);
	printf("iterations_per_second=%.3f\n",
	       (double)done * items * job[0].iterations / ((end - begin) / 1e9));
	return wrong;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "ms", required_argument, NULL, 'm' },
		{ "iterations", required_argument, NULL, 'i' },
		{ "seconds", required_argument, NULL, 's' },
		{ "priority", required_argument, NULL, 'p' },
		{ "full", no_argument, NULL, 'f' },
		{ }
	};
	unsigned int ms = 50, iterations = 0, priority = PRIORITY_LOW, i;
	struct low_job job[DEPTH];
	double seconds = 0;
	bool full = false;
	unsigned long wrong;
	struct aql_queue q;
	struct client c;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'm':
			ms = atoi(optarg);
			break;
		case 'i':
			iterations = atoi(optarg);
			break;
		case 's':
			seconds = atof(optarg);
			break;
		case 'p':
			priority = atoi(optarg);
			break;
		case 'f':
			full = true;
			break;
		default:
			usage();
		}
	}
	signal(SIGTERM, on_term);

	ret = client_open(&c);
	if (ret)
		fail("no usable GPU", ret);
	c.full = full;
	ret = aql_create(&q, &c.dev, 64, priority);
	if (ret)
		fail("create queue", ret);
	if (!iterations)
		iterations = low_calibrate(&c, &q, ms);
	if (!iterations)
		fail("calibration", -EIO);
	printf("iterations=%u\n", iterations);
	ret = low_job_init(&c, &job[0], (full ? FULL_ROUNDS : ROUNDS) * low_groups(&c), iterations);
	for (i = 1; !ret && i < DEPTH; i++)
		ret = low_job_init_as(&c, &job[i], &job[0]);
	if (ret)
		fail("memory", ret);
	wrong = work(&c, &q, job, seconds);
	ret = aql_destroy(&q);
	if (ret)
		fail("destroy queue", ret);
	client_close(&c);
	return wrong ? 1 : 0;
}
