// SPDX-License-Identifier: GPL-2.0
/* What debugfs tells of a queue agrees with what sysfs does, while it is preempted and after. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "file.h"
#include "gpreempt.h"

/* Of LOW's queue in /sys/kernel/debug/kfd/gpreempt/<gpu_id>/queues, or -1; and its @mapping. */
static long long preempted_us(const struct contest *ct, char mapping[16])
{
	char path[96], line[512], name[16];
	long long us, found = -1;
	unsigned int queue;
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/sys/kernel/debug/kfd/gpreempt/%u/queues", ct->c.dev.gpu_id);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%d %u %*s %*s %15s %*s %*s %*s %*s %*s %*s %*s %*s %lld",
			   &pid, &queue, name, &us) == 4 &&
		    pid == getpid() && queue == ct->queue.id) {
			strcpy(mapping, name);
			found = us;
		}
	if (f)
		fclose(f);
	return found;
}

/* The same of its folder in sysfs. */
static long long preempted_ns(const struct contest *ct)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt/preempted_ns",
		 getpid(), ct->queue.id);
	return file_read(path, text, sizeof(text)) ? -1 : atoll(text);
}

TEST(time_off)
{
	char mapping[16] = "";
	long long before, us, after;
	struct contest ct;
	int ret = contest_begin(&ct);

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	usleep(10000);
	before = preempted_ns(&ct);
	us = preempted_us(&ct, mapping);
	EXPECT_STREQ("preempted", mapping);
	after = preempted_ns(&ct);
	/* of what it has been off for 10 ms are this time's */
	EXPECT_LE(10000000, before);
	EXPECT_LE(before / 1000, us);
	EXPECT_GE(after / 1000, us);
	EXPECT_EQ(0, contest_finish(&ct));
	EXPECT_EQ(preempted_ns(&ct) / 1000, preempted_us(&ct, mapping));
	EXPECT_STREQ("mapped", mapping);
	contest_close(&ct);
}

TEST_HARNESS_MAIN
