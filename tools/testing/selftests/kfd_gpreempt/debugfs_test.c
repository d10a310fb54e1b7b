// SPDX-License-Identifier: GPL-2.0
/* What debugfs tells of a queue agrees with what sysfs does, while it is preempted and after. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "file.h"
#include "gpreempt.h"

/* Of a queue of this process in /sys/kernel/debug/kfd/gpreempt/<gpu_id>/queues, or -1. */
static long long preempted_us(const struct contest *ct)
{
	char path[96], line[512];
	long long us, found = -1;
	unsigned int queue;
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/sys/kernel/debug/kfd/gpreempt/%u/queues", ct->c.dev.gpu_id);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%d %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld",
			   &pid, &queue, &us) == 3 && pid == getpid() && queue == ct->queue.id)
			found = us;
	if (f)
		fclose(f);
	return found;
}

/* The same of its folder in sysfs. */
static long long preempted_ns(const struct contest *ct)
{
	char path[96], text[32];
	long long ns;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt/preempted_ns",
		 getpid(), ct->queue.id);
	if (file_read(path, text, sizeof(text)) || sscanf(text, "%lld", &ns) != 1)
		return -1;
	return ns;
}

TEST(time_off)
{
	long long before, us, after;
	struct contest ct;
	int ret = contest_begin(&ct);

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	usleep(10000);
	before = preempted_ns(&ct);
	us = preempted_us(&ct);
	after = preempted_ns(&ct);
	/* of what it has been off for 10 ms are this time's */
	EXPECT_LE(10000000, before);
	EXPECT_LE(before / 1000, us);
	EXPECT_GE(after / 1000, us);
	EXPECT_EQ(0, contest_finish(&ct));
	EXPECT_EQ(preempted_ns(&ct) / 1000, preempted_us(&ct));
	contest_close(&ct);
}

TEST_HARNESS_MAIN
