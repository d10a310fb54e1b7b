// SPDX-License-Identifier: GPL-2.0
/*
 * A queue that does not leave, on a GPU whose firmware gives it up and names it (MES from 0x8c on,
 * Linux 7.3): stock resets that queue alone, and whoever was to leave with it leaves. Run it alone:
 * should it fail, the GPU is reset.
 */
#include <errno.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "gpreempt.h"

/* Workgroups of each rival: there is room for both, and not for HIGH beside them. */
#define GROUPS		2
#define LAUNCH_MS	20
#define HIGH_US		200
#define LOW_MS		50

FIXTURE(hang) {
	struct rival *hung, *other;
	pid_t hung_pid, other_pid;
	struct client c;
	struct aql_queue low, high;
	struct low_job low_job;
	struct high_job high_job;
};

FIXTURE_SETUP(hang)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (!gpu_model_present())
		SKIP(return, "no GPU that could be told to hang");
	/* The later a process comes, the earlier its queues are taken off. */
	ASSERT_EQ(0, rival_start(&self->hung, &self->hung_pid, PRIORITY_LOW, GROUPS));
	ASSERT_EQ(0, rival_run(self->hung, 1));
	usleep(LAUNCH_MS * 1000);
	ASSERT_EQ(0, gpu_model_say("stall-wave", NULL, 0));
	ASSERT_EQ(0, gpu_model_wait_fired("stall-wave", 1, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
}

FIXTURE_TEARDOWN(hang)
{
	gpreempt_end();
	rival_kill(self->other, self->other_pid);
	rival_kill(self->hung, self->hung_pid);
	client_close(&self->c);
}

/* Its process alone is told. The next preemption is exact. */
TEST_F_TIMEOUT(hang, is_reset_alone, 120)
{
	long long before;
	__u64 ns;
	__u32 n;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, high_job_init(&self->c, &self->high_job, 0));
	EXPECT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high, CLIENT_TIMEOUT_MS, &ns));
	EXPECT_NE(0, gpreempt_wait_state("bypassed", LAUNCH_MS));
	high_job_free(&self->c, &self->high_job);

	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	n = low_calibrate(&self->c, &self->low, LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &self->low_job, self->c.dev.cus, n));
	ASSERT_EQ(0, high_job_init(&self->c, &self->high_job, HIGH_US));
	before = gpreempt_number("stats/preemptions");
	low_job_start(&self->c, &self->low_job, &self->low);
	usleep(LAUNCH_MS * 1000);
	EXPECT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high, CLIENT_TIMEOUT_MS, &ns));
	EXPECT_EQ(1, self->low_job.signal->value) TH_LOG("LOW ended before it was preempted");
	EXPECT_EQ(before + 1, gpreempt_number("stats/preemptions"));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->low_job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->low_job));
	EXPECT_EQ(0, client_other_works());
}

/*
 * One whose save takes longer than firmware waits leaves after that. That another one hangs does
 * not mean that it did not.
 */
TEST_F_TIMEOUT(hang, beside_a_slow_save, 120)
{
	__u64 ns;

	ASSERT_EQ(0, rival_start(&self->other, &self->other_pid, PRIORITY_LOW, GROUPS));
	ASSERT_EQ(0, rival_run(self->other, 1));
	usleep(LAUNCH_MS * 1000);
	ASSERT_EQ(0, gpu_model_say("slow-save", NULL, 0));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, high_job_init(&self->c, &self->high_job, 0));
	EXPECT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high, CLIENT_TIMEOUT_MS, &ns));
	ASSERT_EQ(1, gpu_model_fired("slow-save"));
	EXPECT_EQ(0, rival_run(self->other, 0));
	EXPECT_EQ(0, client_other_works());
}

TEST_HARNESS_MAIN
