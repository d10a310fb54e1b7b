// SPDX-License-Identifier: GPL-2.0
/*
 * Test of patches/rocm: every priority of libhsakmt arrives in KFD as it should,
 * as GPREEMPT's file in sysfs tells. Arguments: the seven that the names lead to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu.h"

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

static unsigned int gpu;

/* Create a queue so, or change one that was made normal; what KFD was asked for. */
static int asked(int priority, int update)
{
	HSA_QUEUEID queue = make_queue(gpu, update ? HSA_QUEUE_PRIORITY_NORMAL : priority);
	int value = -1;

	if (!queue)
		return -1;
	if (!update || !change_queue(queue, priority))
		value = in_kfd();
	hsaKmtDestroyQueue(queue);
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
	unsigned int i;

	gpu = open_gpu();
	if (argc != 8 || !gpu) {
		printf("Bail out! no GPU, or not seven priorities\n");
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
