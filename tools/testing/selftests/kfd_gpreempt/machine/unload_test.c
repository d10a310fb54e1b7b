// SPDX-License-Identifier: GPL-2.0
/*
 * The module is unloaded while GPREEMPT is enabled. A process that has the
 * device open holds the module; when it is gone nothing else does. Run it
 * alone: the driver is gone afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "gpreempt.h"

static int unload(void)
{
	return syscall(SYS_delete_module, "amdgpu", O_NONBLOCK) ? -errno : 0;
}

FIXTURE(unload) {
	struct rival *rival;
	pid_t pid;
};

FIXTURE_SETUP(unload)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, rival_start(&self->rival, &self->pid, PRIORITY_LOW, 0));
	ASSERT_EQ(0, rival_run(self->rival, 1));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
}

FIXTURE_TEARDOWN(unload)
{
}

TEST_F_TIMEOUT(unload, while_enabled, 120)
{
	unsigned int ms;
	int ret;

	EXPECT_EQ(-EWOULDBLOCK, unload());
	rival_kill(self->rival, self->pid);
	/* what the kernel does for a process that went takes a while */
	for (ms = 0; (ret = unload()) == -EWOULDBLOCK && ms < CLIENT_TIMEOUT_MS; ms += 10)
		usleep(10000);
	EXPECT_EQ(0, ret);
	EXPECT_FALSE(gpreempt_present());
}

TEST_HARNESS_MAIN
