// SPDX-License-Identifier: GPL-2.0
/* What a debugger and the wave state's readers see of a preempted queue. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "debugger.h"
#include "gpreempt.h"
#include "ioctl_call.h"

FIXTURE(debug) {
	struct contest ct;
	int dbg_fd;
};

/* The runtime is enabled, as ROCr does, before the first queue. */
FIXTURE_SETUP(debug)
{
	int ret = contest_open(&self->ct);

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, debugger_allow(&self->ct.c.dev));
	self->dbg_fd = open("/dev/null", O_RDWR);
	ASSERT_LE(0, self->dbg_fd);
	ASSERT_EQ(0, contest_init(&self->ct));
	ASSERT_EQ(0, contest_preempt(&self->ct));
}

FIXTURE_TEARDOWN(debug)
{
	EXPECT_EQ(0, contest_finish(&self->ct));
	close(self->dbg_fd);
	contest_close(&self->ct);
}

/* Its owner takes a preempted queue for an active one, and so does the kernel. */
TEST_F_TIMEOUT(debug, wave_state_refused, 120)
{
	struct kfd_ioctl_get_queue_wave_state_args args = {
		.ctl_stack_address = (uintptr_t)self->ct.queue.save.cwsr.ptr,
		.queue_id = self->ct.queue.id,
	};

	EXPECT_EQ(-EINVAL, kfd_ioctl(&self->ct.c.dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args));
	EXPECT_TRUE(contest_low_is_off(&self->ct));
}

/* A debugger, even root's, keeps no queue on the machine: LOW stays off, and is a victim again. */
TEST_F_TIMEOUT(debug, attached, 120)
{
	struct contest *ct = &self->ct;

	ASSERT_EQ(0, debugger_attach(&ct->c.dev, self->dbg_fd));
	EXPECT_TRUE(contest_low_is_off(ct));
	ASSERT_EQ(0, rival_run(ct->rival, 0));
	EXPECT_EQ(0, low_job_wait(&ct->c, &ct->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&ct->job));
	EXPECT_EQ(0, contest_preempt(ct));
	EXPECT_TRUE(contest_low_is_off(ct));
	EXPECT_EQ(0, debugger_detach(&ct->c.dev));
}

/* Nor does it end a hold, or keep one from being placed. */
TEST_F_TIMEOUT(debug, held, 120)
{
	struct contest *ct = &self->ct;

	ASSERT_EQ(0, debugger_attach(&ct->c.dev, self->dbg_fd));
	EXPECT_EQ(0, gpreempt_hold(&ct->queue, 0));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, gpreempt_queue_state(&ct->queue));
	EXPECT_EQ(0, debugger_detach(&ct->c.dev));
	ASSERT_EQ(0, debugger_attach(&ct->c.dev, self->dbg_fd));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, gpreempt_queue_state(&ct->queue));
	EXPECT_EQ(0, debugger_detach(&ct->c.dev));
	EXPECT_EQ(0, gpreempt_preempt(&ct->c.dev, KFD_GPREEMPT_OP_RESUME, 0, ct->queue.id,
				      0, 0, 0));
}

/* A queue that its debugger suspends is the debugger's until it resumes it. */
TEST_F_TIMEOUT(debug, suspended, 120)
{
	struct contest *ct = &self->ct;
	struct kfd_ioctl_get_queue_wave_state_args waves = {
		.ctl_stack_address = (uintptr_t)ct->queue.save.cwsr.ptr,
		.queue_id = ct->queue.id,
	};

	ASSERT_EQ(0, debugger_attach(&ct->c.dev, self->dbg_fd));
	ASSERT_EQ(1, debugger_suspend(&ct->c.dev, ct->queue.id));
	EXPECT_EQ(0, kfd_ioctl(&ct->c.dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &waves));
	EXPECT_EQ(-ETIME, low_job_wait(&ct->c, &ct->job, 4 * CONTEST_LOW_MS));
	EXPECT_EQ(1, debugger_resume(&ct->c.dev, ct->queue.id));
	/* LOW is not in its way, nor has the machine before it ends */
	ASSERT_EQ(0, rival_run(ct->rival, 0));
	EXPECT_EQ(0, low_job_wait(&ct->c, &ct->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, debugger_detach(&ct->c.dev));
}

static void *destroy(void *arg)
{
	struct aql_queue *q = arg;

	return aql_stop(q) ? arg : NULL;
}

/*
 * Who destroys such a queue waits for the debugger, which may let it wait for as long as it
 * likes: that does not protect the queue.
 */
TEST_F_TIMEOUT(debug, destroyed_while_suspended, 120)
{
	struct contest *ct = &self->ct;
	struct kfd_ioctl_destroy_queue_args again = { .queue_id = ct->queue.id };
	pthread_t thread;
	void *failed;

	ASSERT_EQ(0, contest_finish(ct));
	EXPECT_EQ(0, debugger_attach(&ct->c.dev, self->dbg_fd));
	ASSERT_EQ(1, debugger_suspend(&ct->c.dev, ct->queue.id));
	ASSERT_EQ(0, pthread_create(&thread, NULL, destroy, &ct->queue));
	usleep(100000);
	/* what says that the thread waits; it would wait itself, had it come first */
	EXPECT_EQ(-EBUSY, kfd_ioctl(&ct->c.dev, AMDKFD_IOC_DESTROY_QUEUE, &again));
	EXPECT_EQ(0, gpreempt_preempt(&ct->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, ct->queue.id,
				      KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0));
	EXPECT_EQ(1, debugger_resume(&ct->c.dev, ct->queue.id));
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
	EXPECT_EQ(0, debugger_detach(&ct->c.dev));
	ASSERT_EQ(0, aql_create(&ct->queue, &ct->c.dev, 64, PRIORITY_LOW));
}

TEST_HARNESS_MAIN
