// SPDX-License-Identifier: GPL-2.0
/*
 * The storm for others' programs: a queue of the highest priority that takes the
 * machine again and again, at random moments, until SIGTERM.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client.h"

/* From one kernel's end to the next one's begin, and how long each takes. */
#define PAUSE_MIN_US	2000
#define PAUSE_MAX_US	10000
#define KERNEL_US	300

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static void usage(void)
{
	fputs("usage: storm [--seed N]\n"
	      "  --seed  of the random times (default 1)\n", stderr);
	exit(2);
}

static void fail(const char *what, int err)
{
	fprintf(stderr, "storm: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void sleep_us(unsigned int us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	/* a signal ends it early: that is the end of all of it */
	nanosleep(&ts, NULL);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 'r' },
		{ }
	};
	unsigned long runs = 0;
	struct high_job job;
	struct aql_queue q;
	struct client c;
	unsigned int i;
	long seed = 1;
	int opt, ret;
	char *end;
	__u64 ns;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt != 'r')
			usage();
		seed = strtol(optarg, &end, 10);
		if (!*optarg || *end)
			usage();
	}
	if (optind != argc)
		usage();
	srand48(seed);
	signal(SIGTERM, on_term);

	ret = client_open(&c);
	if (ret)
		fail("no usable GPU", ret);
	ret = aql_create(&q, &c.dev, 64, PRIORITY_HIGH);
	if (ret)
		fail("create queue", ret);
	ret = client_calibrate(&c, &q);
	if (ret)
		fail("calibration", ret);
	ret = high_job_init(&c, &job, KERNEL_US);
	if (ret)
		fail("memory", ret);
	printf("running seed=%ld\n", seed);
	fflush(stdout);
	while (!stop) {
		sleep_us(PAUSE_MIN_US + drand48() * (PAUSE_MAX_US - PAUSE_MIN_US));
		ret = high_job_run(&c, &job, &q, 10 * CLIENT_TIMEOUT_MS, &ns);
		if (ret)
			fail("a kernel did not end", ret);
		runs++;
	}
	for (i = 0; i < c.dev.cus; i++)
		if (job.done[i] != (__u32)runs)
			fail("a workgroup was lost or repeated", -EILSEQ);
	printf("runs=%lu\n", runs);
	ret = aql_destroy(&q);
	if (ret)
		fail("destroy queue", ret);
	client_close(&c);
	return 0;
}
