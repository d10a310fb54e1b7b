// SPDX-License-Identifier: GPL-2.0
/* The benchmark's LOW: busy until SIGTERM, one "done" line a dispatch. */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_work.h"
#include "debugger.h"

/* What is measured: one step in many workgroups, many steps in few. */
#define ROUNDS		32
#define MANY_STEPS	128

static struct bench_work work[BENCH_QUEUES];

static void on_term(int sig)
{
	unsigned int i;

	(void)sig;
	for (i = 0; i < BENCH_QUEUES; i++)
		work[i].stop = 1;
}

static void usage(void)
{
	fputs("usage: bench_low --calibrate [--full] | (--iterations N | --steps N) [--rounds N]\n"
	      "                 [--kernels N] [--priority N] [--queues N] [--full] [--gws]\n"
	      "                 [--debuggee] [--half] [--behind FILE]\n"
	      "  --calibrate   print what a workgroup of either kernel takes\n"
	      "  --iterations  of the LOW kernel's loop\n"
	      "  --steps       of the kernel of that name instead\n"
	      "  --rounds      workgroups of a dispatch for each compute unit (default 2)\n"
	      "  --kernels     dispatches that all end before the next begins (default: no such)\n"
	      "  --priority    of the queue (default 0)\n"
	      "  --queues      so many, all busy (default 1)\n"
	      "  --full        all waves, registers and LDS that the machine has\n"
	      "  --gws         the queue may use global wave sync\n"
	      "  --debuggee    let a debugger suspend the queue\n"
	      "  --half        run on half of the compute units\n"
	      "  --behind      start nothing while the file says that HIGH is at work\n", stderr);
	exit(2);
}

static void fail(const char *what, int err)
{
	fprintf(stderr, "bench_low: %s: %s\n", what, strerror(-err));
	exit(1);
}

/* The first half of a mask's bits are half of the units of each engine and die. */
static int on_half(struct client *c, struct aql_queue *q)
{
	__u32 mask[32] = { };
	struct kfd_ioctl_set_cu_mask_args args = {
		.queue_id = q->id, .num_cu_mask = 32 * 32, .cu_mask_ptr = (uintptr_t)mask,
	};
	unsigned int i;

	for (i = 0; i < c->dev.cus / 2; i++)
		mask[i / 32] |= 1U << i % 32;
	return kfd_ioctl(&c->dev, AMDKFD_IOC_SET_CU_MASK, &args);
}

/* The least of some tries: what disturbs it makes it longer. */
static __s64 dispatch_ns(struct client *c, struct aql_queue *q, unsigned int steps,
			 unsigned int rounds)
{
	__s64 best = bench_steps_time(c, q, steps, rounds), again;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		again = bench_steps_time(c, q, steps, rounds);
		if (again < best)
			best = again;
	}
	if (best < 0)
		fail("calibration", best);
	return best;
}

/* Of a workgroup, without what a dispatch costs. */
static __s64 group_ns(struct client *c, struct aql_queue *q, unsigned int steps)
{
	/* as in bench_work_init(), results fill no more than a page */
	unsigned int rounds = KFD_PAGE / sizeof(__u32) / c->dev.cus;

	if (rounds > ROUNDS)
		rounds = ROUNDS;
	return (dispatch_ns(c, q, steps, rounds) - dispatch_ns(c, q, steps, 1)) / (rounds - 1);
}

static void calibrate(struct client *c)
{
	struct aql_queue q;
	__s64 one, many;
	__u32 low;
	int ret = aql_create(&q, &c->dev, 64, 7);

	if (ret)
		fail("create queue", ret);
	one = group_ns(c, &q, 1);
	many = group_ns(c, &q, MANY_STEPS);
	low = low_calibrate(c, &q, 100);
	if (!low)
		fail("calibration", -EIO);
	ret = client_calibrate(c, &q);
	if (ret)
		fail("calibration", ret);
	printf("ns_of_step=%lld\n", (long long)(many - one) / (MANY_STEPS - 1));
	printf("ns_of_first_step=%lld\n", (long long)one);
	printf("iterations_of_100_ms=%u\n", low);
	printf("ticks_per_us=%.3f\n", c->ticks_per_us);
	aql_destroy(&q);
}

static void *run(void *arg)
{
	return (void *)(intptr_t)bench_work_run(arg);
}

/* The first error of any of the queues. */
static int run_all(unsigned int queues)
{
	pthread_t thread[BENCH_QUEUES];
	unsigned int i;
	void *one;
	int ret = 0;

	for (i = 0; i < queues; i++)
		if (pthread_create(&thread[i], NULL, run, &work[i]))
			fail("thread", -EAGAIN);
	for (i = 0; i < queues; i++) {
		pthread_join(thread[i], &one);
		ret = ret ?: (intptr_t)one;
	}
	return ret;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "calibrate", no_argument, NULL, 'c' },
		{ "iterations", required_argument, NULL, 'i' },
		{ "steps", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "kernels", required_argument, NULL, 'k' },
		{ "priority", required_argument, NULL, 'p' },
		{ "debuggee", no_argument, NULL, 'd' },
		{ "half", no_argument, NULL, 'h' },
		{ "behind", required_argument, NULL, 'b' },
		{ "queues", required_argument, NULL, 'q' },
		{ "full", no_argument, NULL, 'f' },
		{ "gws", no_argument, NULL, 'g' },
		{ }
	};
	unsigned int iterations = 0, steps = 0, rounds = 2, kernels = 0, queues = 1, i;
	int opt, ret = 0, calibrating = 0, debuggee = 0, half = 0, full = 0, gws = 0;
	unsigned int priority = PRIORITY_LOW;
	volatile __u32 *at_work = NULL;
	unsigned long groups = 0;
	const char *behind = NULL;
	struct client c;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'c':
			calibrating = 1;
			break;
		case 'i':
			iterations = atoi(optarg);
			break;
		case 's':
			steps = atoi(optarg);
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		case 'k':
			kernels = atoi(optarg);
			break;
		case 'p':
			priority = atoi(optarg);
			break;
		case 'd':
			debuggee = 1;
			break;
		case 'h':
			half = 1;
			break;
		case 'b':
			behind = optarg;
			break;
		case 'q':
			queues = atoi(optarg);
			break;
		case 'f':
			full = 1;
			break;
		case 'g':
			gws = 1;
			break;
		default:
			usage();
		}
	}
	if ((!calibrating && !iterations == !steps) || !queues || queues > BENCH_QUEUES)
		usage();
	signal(SIGTERM, on_term);
	printf("pid=%d\n", getpid());
	ret = client_open(&c);
	if (ret)
		fail("no usable GPU", ret);
	c.full = full;
	if (calibrating) {
		calibrate(&c);
		client_close(&c);
		return 0;
	}
	if (debuggee)
		ret = debugger_allow(&c.dev);
	if (ret)
		fail("runtime enable", ret);
	if (behind)
		at_work = bench_work_share(behind);
	if (behind && !at_work)
		fail(behind, -errno);
	for (i = 0; !ret && i < queues; i++) {
		ret = bench_work_init(&work[i], &c, priority, rounds, iterations, steps, kernels);
		work[i].at_work = at_work;
		if (!ret && half)
			ret = on_half(&c, &work[i].queue);
		if (!ret && gws)
			ret = gws_alloc(&c.dev, &work[i].queue);
	}
	if (ret)
		fail("queue and memory", ret);
	ret = run_all(queues);
	if (ret)
		fail("a dispatch did not end, or computed something wrong", ret);
	for (i = 0; i < queues; i++) {
		groups += work[i].dispatches * work[i].groups;
		aql_destroy(&work[i].queue);
	}
	printf("groups=%lu\n", groups);
	client_close(&c);
	return 0;
}
