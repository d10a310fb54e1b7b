// SPDX-License-Identifier: GPL-2.0
/*
 * A process's default wakes the monitor of each GPU on which the process has a queue, and only
 * where it changes something. Of several GPUs the one tested is not the first: KFD_GPU.
 */
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "ioctl_call.h"

#define QUIET_MS	50

/* Times the monitor woke up, when it has not for a while. */
static long long quiet(void)
{
	long long before, now = -1;

	do {
		before = now;
		usleep(QUIET_MS * 1000);
		now = gpreempt_number("stats/wakeups");
	} while (now != before);
	return now;
}

TEST(wakes)
{
	struct aql_queue q;
	struct kfd_dev dev;
	long long wakeups;
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, kfd_open(&dev));
	ASSERT_EQ(0, aql_create(&q, &dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	wakeups = quiet();
	ASSERT_EQ(0, gpreempt_set_default(&dev, 0, 5, KFD_GPREEMPT_NONE));
	EXPECT_EQ(0, gpreempt_wait_number("stats/wakeups", wakeups + 1, CLIENT_TIMEOUT_MS));
	wakeups = quiet();
	ASSERT_EQ(0, gpreempt_set_default(&dev, 0, 5, KFD_GPREEMPT_NONE));
	EXPECT_EQ(wakeups, quiet());
	EXPECT_EQ(0, gpreempt_set_default(&dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	ASSERT_EQ(0, aql_destroy(&q));
	kfd_close(&dev);
	EXPECT_EQ(0, gpreempt_end());
}

TEST_HARNESS_MAIN
