// SPDX-License-Identifier: GPL-2.0
/*
 * What a process changes wakes the monitor of each GPU on which it has a queue, and what changes
 * nothing wakes none. Of several GPUs the one tested is not the first: KFD_GPU.
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

FIXTURE(wake) {
	struct aql_queue q;
	struct kfd_dev dev;
	long long wakeups;
};

FIXTURE_SETUP(wake)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, kfd_open(&self->dev));
	ASSERT_EQ(0, aql_create(&self->q, &self->dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->wakeups = quiet();
}

FIXTURE_TEARDOWN(wake)
{
	ASSERT_EQ(0, aql_destroy(&self->q));
	kfd_close(&self->dev);
	EXPECT_EQ(0, gpreempt_end());
}

#define EXPECT_WAKES()								\
	EXPECT_EQ(0, gpreempt_wait_number("stats/wakeups", self->wakeups + 1,	\
					  CLIENT_TIMEOUT_MS))

TEST_F_TIMEOUT(wake, process_default, 60)
{
	ASSERT_EQ(0, gpreempt_set_default(&self->dev, 0, 5, KFD_GPREEMPT_NONE));
	EXPECT_WAKES();
	self->wakeups = quiet();
	ASSERT_EQ(0, gpreempt_set_default(&self->dev, 0, 5, KFD_GPREEMPT_NONE));
	EXPECT_EQ(self->wakeups, quiet());
	EXPECT_EQ(0, gpreempt_set_default(&self->dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
}

/* To take an announcement back that was never made changes nothing. */
TEST_F_TIMEOUT(wake, hint, 60)
{
	struct kfd_ioctl_gpreempt_args announce = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->q.id,
		.hint = { .arrival_us = 1000, .duration_us = 1000 },
	};
	struct kfd_ioctl_gpreempt_args none = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->q.id,
	};

	ASSERT_EQ(0, gpreempt_call(&self->dev, &none));
	EXPECT_EQ(self->wakeups, quiet());
	ASSERT_EQ(0, gpreempt_call(&self->dev, &announce));
	EXPECT_WAKES();
}

TEST_HARNESS_MAIN
