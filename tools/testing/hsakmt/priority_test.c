// SPDX-License-Identifier: GPL-2.0
/*
 * Test of patches/rocm: every priority of libhsakmt arrives in KFD as it should,
 * as GPREEMPT's file in sysfs tells. Arguments: the seven that the names lead to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hsakmt/hsakmt.h>

#define RING	4096

static int tests, failed;

/* What the newest queue of this process asked KFD for; there is one at a time. */
static int in_kfd(void)
{
	char command[128];
	int value = -1;
	FILE *f;

	snprintf(command, sizeof(command),
		 "cat /sys/class/kfd/kfd/proc/%d/queues/*/gpreempt/priority", getpid());
	f = popen(command, "r");
	if (!f || fscanf(f, "%d", &value) != 1)
		value = -1;
	if (f)
		pclose(f);
	return value;
}

static unsigned int find_gpu(void)
{
	HsaSystemProperties system;
	HsaNodeProperties node;
	unsigned int i;

	if (hsaKmtAcquireSystemProperties(&system))
		return 0;
	for (i = 0; i < system.NumNodes; i++)
		if (!hsaKmtGetNodeProperties(i, &node) && node.NumFComputeCores)
			return i;
	return 0;
}

static unsigned int gpu;
static void *ring;

/* Create a queue so, or change one that was made normal; what KFD was asked for. */
static int asked(int priority, int update)
{
	HsaQueueResource queue = { };
	int value = -1;

	if (hsaKmtCreateQueue(gpu, HSA_QUEUE_COMPUTE, 100, update ? HSA_QUEUE_PRIORITY_NORMAL :
			      (HSA_QUEUE_PRIORITY)priority, ring, RING, NULL, &queue))
		return -1;
	if (!update || !hsaKmtUpdateQueue(queue.QueueId, 100, (HSA_QUEUE_PRIORITY)priority, ring,
					  RING, NULL))
		value = in_kfd();
	hsaKmtDestroyQueue(queue.QueueId);
	return value;
}

/* @expect: -1: refused */
static void check(int priority, int expect)
{
	int update;

	for (update = 0; update < 2; update++) {
		int value = asked(priority, update), good = value == expect;

		failed += !good;
		printf("%s %d - %s, priority %d: %d\n", good ? "ok" : "not ok", ++tests,
		       update ? "update" : "create", priority, value);
	}
}

int main(int argc, char **argv)
{
	static const int wrong[] = { -4, 4, 15, 32 };
	HsaMemFlags flags = { };
	unsigned int i;

	if (argc != 8 || hsaKmtOpenKFD()) {
		printf("Bail out! no /dev/kfd, or not seven priorities\n");
		return 1;
	}
	gpu = find_gpu();
	flags.ui32.HostAccess = 1;
	flags.ui32.ExecuteAccess = 1;
	flags.ui32.NonPaged = 1;
	flags.ui32.PageSize = HSA_PAGE_SIZE_4KB;
	if (!gpu || hsaKmtAllocMemory(0, RING, flags, &ring) ||
	    hsaKmtMapMemoryToGPU(ring, RING, NULL)) {
		printf("Bail out! no GPU, or no memory for a ring\n");
		return 1;
	}
	for (i = 0; i < 7; i++)
		check((int)i - 3, atoi(argv[i + 1]));
	for (i = 0; i < 16; i++)
		check(HSA_QUEUE_PRIORITY_LEVEL_0 + i, i);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		check(wrong[i], -1);
	printf("1..%d\n", tests);
	hsaKmtCloseKFD();
	return failed != 0;
}
