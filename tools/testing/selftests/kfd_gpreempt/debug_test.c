// SPDX-License-Identifier: GPL-2.0
/* What a debugger and the wave state's readers see of a preempted queue. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"

#define LOW_MS	100

FIXTURE(debug) {
	struct client c;
	struct aql_queue low_queue, high_queue;
	struct low_job job;
	struct until_job until;
	int dbg_fd;
};

/*
 * One process, two queues: the low one preempted for as long as the high one's
 * kernel runs. The runtime is enabled, as ROCr does, before the first queue.
 */
FIXTURE_SETUP(debug)
{
	struct kfd_ioctl_runtime_enable_args runtime = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK,
	};
	long long preemptions;
	__u32 n;
	int ret;

	if (!gpreempt_present())
		SKIP(return, "no GPREEMPT");
	ret = client_open(&self->c);
	if (ret == -ENODEV)
		SKIP(return, "no KFD device");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_RUNTIME_ENABLE, &runtime));
	self->dbg_fd = open("/dev/null", O_RDWR);
	ASSERT_LE(0, self->dbg_fd);

	ASSERT_EQ(0, aql_create(&self->low_queue, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, aql_create(&self->high_queue, &self->c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high_queue));
	n = low_calibrate(&self->c, &self->low_queue, LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &self->job, self->c.dev.cus, n));
	ASSERT_EQ(0, until_job_init(&self->c, &self->until));

	ASSERT_EQ(0, gpreempt_set("preempt_timeout_ms", 9000));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	preemptions = gpreempt_number("stats/preemptions");
	low_job_start(&self->c, &self->job, &self->low_queue);
	usleep(LOW_MS * 1000 / 10);
	/* One workgroup: the rest of the machine has room for LOW. */
	*self->until.stop = 0;
	aql_signal_init(self->until.signal, 1, NULL);
	aql_dispatch(&self->high_queue, &self->c.until, 64, 64, self->until.args,
		     self->until.signal);
	for (n = 0; n < 2000 && gpreempt_number("stats/preemptions") == preemptions; n++)
		usleep(1000);
	ASSERT_LT(preemptions, gpreempt_number("stats/preemptions"));
	ASSERT_EQ(1, self->job.signal->value) TH_LOG("LOW ended before it was preempted");
}

FIXTURE_TEARDOWN(debug)
{
	until_job_stop(&self->until);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->until, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	gpreempt_set("enable", 0);
	gpreempt_set("starvation_ms", 1000);
	gpreempt_set("preempt_timeout_ms", 100);
	close(self->dbg_fd);
	client_close(&self->c);
}

/* Its owner takes a preempted queue for an active one, and so does the kernel. */
TEST_F_TIMEOUT(debug, wave_state_refused, 60)
{
	struct kfd_ioctl_get_queue_wave_state_args args = {
		.ctl_stack_address = (uintptr_t)self->low_queue.save.cwsr.ptr,
		.queue_id = self->low_queue.id,
	};

	EXPECT_EQ(-EINVAL, kfd_ioctl(&self->c.dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args));
	EXPECT_EQ(1, self->job.signal->value);
}

/*
 * The high kernel leaves room on the machine and does not end: attached, the low
 * queue runs beside it and ends, as it would without GPREEMPT.
 */
TEST_F_TIMEOUT(debug, attach_resumes, 60)
{
	struct kfd_runtime_info info = {};
	struct kfd_ioctl_dbg_trap_args trap = {
		.pid = getpid(),
		.op = KFD_IOC_DBG_TRAP_ENABLE,
		.enable = {
			.rinfo_ptr = (uintptr_t)&info,
			.rinfo_size = sizeof(info),
			.dbg_fd = self->dbg_fd,
		},
	};
	long long preemptions;

	ASSERT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_DBG_TRAP, &trap));
	preemptions = gpreempt_number("stats/preemptions");
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	EXPECT_EQ(1, self->until.signal->value) TH_LOG("HIGH has ended: this proves nothing");
	EXPECT_EQ(preemptions, gpreempt_number("stats/preemptions"));

	trap.op = KFD_IOC_DBG_TRAP_DISABLE;
	EXPECT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_DBG_TRAP, &trap));
}

TEST_HARNESS_MAIN
