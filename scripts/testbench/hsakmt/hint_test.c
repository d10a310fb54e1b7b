// SPDX-License-Identifier: GPL-2.0
/*
 * Test of patches/rocm: what libhsakmt tells of GPREEMPT, and hints that arrive at the queues
 * that are meant. Argument: stock, where the kernel has none.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include <hsakmt/hsakmt.h>
#include <hsakmt/linux/kfd_ioctl.h>
#include <hsakmt/linux/kfd_gpreempt.h>

#include "gpu.h"

#define US	1000000		/* the longest that a hint takes */

static int kfd, tests, failed;

static void check(const char *what, long expected, long seen)
{
	int good = seen == expected;

	failed += !good;
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++tests, what);
	if (!good)
		printf("# expected %ld, got %ld\n", expected, seen);
}

/* A sum of what has a hint now: 1 for a queue that asks for 0, 2 for one that asks for more. */
static int hinted(void)
{
	struct kfd_gpreempt_queue_info info[4];
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .flags = KFD_GPREEMPT_ALL,
		.list = { (uintptr_t)info, 4, sizeof(info[0]) },
	};
	unsigned int i;
	int sum = 0;

	if (ioctl(kfd, AMDKFD_IOC_GPREEMPT, &args))
		return -1;
	for (i = 0; i < args.list.count; i++)
		if (info[i].flags & KFD_GPREEMPT_QUEUE_HINT)
			sum += info[i].priority ? 2 : 1;
	return sum;
}

static void test_stock(unsigned int gpu)
{
	HsaPreemptionInfo info;

	check("nothing to tell", HSAKMT_STATUS_NOT_SUPPORTED, hsaKmtGetPreemptionInfo(gpu, &info));
	check("nobody to hint at", HSAKMT_STATUS_NOT_SUPPORTED,
	      hsaKmtHintPriority(HSA_QUEUE_PRIORITY_MINIMUM, 0, 1));
}

static void test(unsigned int gpu)
{
	HsaQueueResource low = { }, high = { };
	HsaPreemptionInfo info;

	check("tells", HSAKMT_STATUS_SUCCESS, hsaKmtGetPreemptionInfo(gpu, &info));
	check("the version", KFD_GPREEMPT_VERSION, info.Version);
	check("the cap", 7, info.PriorityCap);
	check("supported", 1, info.Supported);
	check("not enabled", 0, info.Enabled);
	check("not of a CPU", HSAKMT_STATUS_INVALID_NODE_UNIT, hsaKmtGetPreemptionInfo(99, &info));
	check("no queue", HSAKMT_STATUS_INVALID_HANDLE,
	      hsaKmtHintPriority(HSA_QUEUE_PRIORITY_MINIMUM, 0, 1));

	low.QueueId = make_queue(gpu, HSA_QUEUE_PRIORITY_MINIMUM);
	high.QueueId = make_queue(gpu, HSA_QUEUE_PRIORITY_HIGH);
	check("two queues", 1, low.QueueId && high.QueueId);
	check("not enabled: no hint", HSAKMT_STATUS_UNAVAILABLE,
	      hsaKmtHintQueue(high.QueueId, 0, 1));
	check("enable", 0, enable_gpreempt());
	check("tells", HSAKMT_STATUS_SUCCESS, hsaKmtGetPreemptionInfo(gpu, &info));
	check("enabled", 1, info.Enabled);
	check("by priority", HSAKMT_STATUS_SUCCESS,
	      hsaKmtHintPriority(HSA_QUEUE_PRIORITY_NORMAL, US, US));
	check("the high one alone", 2, hinted());
	check("one queue", HSAKMT_STATUS_SUCCESS, hsaKmtHintQueue(low.QueueId, US, US));
	check("both", 3, hinted());
	check("none comes", HSAKMT_STATUS_SUCCESS,
	      hsaKmtHintPriority(HSA_QUEUE_PRIORITY_MINIMUM, 0, 0));
	check("neither", 0, hinted());
	check("too long", HSAKMT_STATUS_INVALID_PARAMETER,
	      hsaKmtHintQueue(low.QueueId, 0, US + 1));
	check("no such priority", HSAKMT_STATUS_INVALID_PARAMETER,
	      hsaKmtHintPriority((HSA_QUEUE_PRIORITY)4, 0, 1));
	check("no queue that asks for it", HSAKMT_STATUS_INVALID_HANDLE,
	      hsaKmtHintPriority(HSA_QUEUE_PRIORITY_LEVEL_15, 0, 1));
	hsaKmtDestroyQueue(low.QueueId);
	hsaKmtDestroyQueue(high.QueueId);
}

int main(int argc, char **argv)
{
	unsigned int gpu = open_gpu();

	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (!gpu || kfd < 0) {
		printf("Bail out! no GPU\n");
		return 1;
	}
	if (argc == 2 && !strcmp(argv[1], "stock"))
		test_stock(gpu);
	else
		test(gpu);
	printf("1..%d\n", tests);
	hsaKmtCloseKFD();
	return failed != 0;
}
