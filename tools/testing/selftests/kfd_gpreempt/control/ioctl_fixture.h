/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fixture of the tests of AMDKFD_IOC_GPREEMPT: root, with a queue LOW and a
 * queue HIGH, GPREEMPT not enabled. For one program each: it defines functions.
 */
#ifndef KFD_GPREEMPT_IOCTL_FIXTURE_H
#define KFD_GPREEMPT_IOCTL_FIXTURE_H

#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"

FIXTURE(ioctl) {
	struct client c;
	struct aql_queue low, high;
	struct low_job job;
	struct until_job until;
	struct shared *shared;
	pid_t child;		/* killed at the end */
};

FIXTURE_SETUP(ioctl)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, open_to_all(&self->c.dev));
}

FIXTURE_TEARDOWN(ioctl)
{
	int ret;

	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	gpreempt_end();
	if (self->c.dev.fd > 0) {
		ret = gpreempt_set_default(&self->c.dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE);
		/* the driver may be built without defaults, and is then without this one */
		EXPECT_TRUE(!ret || ret == -EOPNOTSUPP) TH_LOG("%d", ret);
		aql_destroy(&self->low);
		EXPECT_EQ(0, aql_destroy(&self->high));
		client_close(&self->c);
	}
}

#endif
