// SPDX-License-Identifier: GPL-2.0
/*
 * The demo's HIGH: a short kernel at the highest priority in every period, at a
 * random phase of it, timed from its doorbell to its completion.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client.h"
#include "clocks.h"

static void usage(void)
{
	fputs("usage: high [--samples N] [--period-ms N] [--us N] [--priority N] [--seed N]\n"
	      "            [--ticks-per-us N]\n"
	      "  --samples    kernels to run (default 200)\n"
	      "  --period-ms  one in each such period (default 20)\n"
	      "  --us         length of the kernel (default 200)\n"
	      "  --priority   of the queue (default 15)\n"
	      "  --seed       of the random phase (default 1)\n"
	      "  --ticks-per-us  of the GPU's clock, instead of measuring it, which goes\n"
	      "               wrong on a busy GPU\n", stderr);
	exit(2);
}

static void fail(const char *what, int err)
{
	fprintf(stderr, "high: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void sleep_until(__u64 ns)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
}

static void measure(struct client *c, struct aql_queue *q, struct high_job *job,
		    unsigned int samples, __u64 period)
{
	__u64 slot = kfd_now(), ns;
	unsigned int i;
	int ret;

	for (i = 0; i < samples; i++) {
		/* a kernel that overran its period costs the periods it took */
		do {
			slot += period;
		} while (slot < kfd_now());
		sleep_until(slot + drand48() * period * 0.9);
		ret = high_job_run(c, job, q, 10 * CLIENT_TIMEOUT_MS, &ns);
		if (ret)
			fail("a kernel did not end", ret);
		printf("sample packet=%llu at=%llu ns=%llu\n", (unsigned long long)job->packet,
		       (unsigned long long)job->submitted, (unsigned long long)ns);
		fflush(stdout);
	}
	for (i = 0; i < c->dev.cus; i++)
		if (job->done[i] != samples)
			fail("a workgroup was lost or repeated", -EILSEQ);
}

static void print_clocks(struct client *c, const char *when)
{
	int ret = clocks_print(&c->dev, when);

	if (ret)
		fail("clocks", ret);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "samples", required_argument, NULL, 'n' },
		{ "period-ms", required_argument, NULL, 't' },
		{ "us", required_argument, NULL, 'u' },
		{ "priority", required_argument, NULL, 'p' },
		{ "seed", required_argument, NULL, 'r' },
		{ "ticks-per-us", required_argument, NULL, 'k' },
		{ }
	};
	unsigned int samples = 200, period_ms = 20, us = 200, priority = PRIORITY_HIGH;
	struct high_job job;
	struct aql_queue q;
	struct client c;
	double ticks_per_us = 0;
	long seed = 1;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'n':
			samples = atoi(optarg);
			break;
		case 't':
			period_ms = atoi(optarg);
			break;
		case 'u':
			us = atoi(optarg);
			break;
		case 'p':
			priority = atoi(optarg);
			break;
		case 'r':
			seed = atol(optarg);
			break;
		case 'k':
			ticks_per_us = atof(optarg);
			break;
		default:
			usage();
		}
	}
	srand48(seed);

	ret = client_open(&c);
	if (ret)
		fail("no usable GPU", ret);
	ret = aql_create(&q, &c.dev, 64, priority);
	if (ret)
		fail("create queue", ret);
	c.ticks_per_us = ticks_per_us;
	if (!ticks_per_us)
		ret = client_calibrate(&c, &q);
	if (ret)
		fail("calibration", ret);
	ret = high_job_init(&c, &job, us);
	if (ret)
		fail("memory", ret);
	printf("ticks_per_us=%.3f\n", c.ticks_per_us);
	print_clocks(&c, "begin");
	measure(&c, &q, &job, samples, period_ms * 1000000ULL);
	print_clocks(&c, "end");
	ret = aql_destroy(&q);
	if (ret)
		fail("destroy queue", ret);
	client_close(&c);
	return 0;
}
