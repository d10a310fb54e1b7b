// SPDX-License-Identifier: GPL-2.0
/*
 * What amdkfd does with or without GPREEMPT that the kernel reports, most of it
 * a debug kernel alone, so that a report of the kind can be told from one of
 * GPREEMPT's.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpu_model.h"

#define VRAM		(192UL << 20)	/* more than half of what the model has here */
#define FENCE_PARAMETER	"/sys/module/amdgpu/parameters/queue_preemption_timeout_ms"
#define FENCE_MS	"300"		/* how long KFD waits for a preemption */
#define FENCE_DEFAULT	"9000"
#define REPORT_MS	20000		/* a reset, and 0.1 s */
#define TAINT_WARN	512

FIXTURE(known) {
	struct client c;
	struct aql_queue q;
};

FIXTURE_SETUP(known)
{
	int ret = client_open(&self->c);

	if (ret == -ENODEV)
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW));
}

FIXTURE_TEARDOWN(known)
{
	EXPECT_EQ(0, aql_destroy(&self->q));
	client_close(&self->c);
}

/*
 * MMU notifiers take the DQM lock, memory is allocated under the topology lock,
 * and checkpointing a queue takes the topology lock inside the DQM lock.
 */
TEST_F_TIMEOUT(known, checkpoint, 120)
{
	struct kfd_ioctl_criu_args args = { .op = KFD_CRIU_OP_PROCESS_INFO };
	struct kfd_mem mem;

	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	ASSERT_EQ(0, madvise(mem.ptr, mem.size, MADV_DONTNEED));
	usleep(100000);
	EXPECT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_CRIU_OP, &args));
	args.op = KFD_CRIU_OP_UNPAUSE;
	EXPECT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_CRIU_OP, &args));
	kfd_free(&self->c.dev, &mem);
}

/* Works until it is killed. */
static void work_on(volatile int *works)
{
	struct until_job job;
	struct aql_queue q;
	struct client c;

	if (client_open(&c) || aql_create(&q, &c.dev, 64, PRIORITY_LOW) || until_job_init(&c, &job))
		_exit(1);
	until_job_start(&c, &job, &q);
	*works = !until_job_moves(&job);
	pause();
}

static bool has_warned(void)
{
	char text[32];

	return !file_read("/proc/sys/kernel/tainted", text, sizeof(text)) &&
	       atoi(text) & TAINT_WARN;
}

/*
 * A process is evicted for want of VRAM, and the preemption that its restore makes hangs.
 * KFD counts it as restored, restores it after the reset, and tries again 0.1 s later.
 */
TEST_F_TIMEOUT(known, restore_in_a_hang, 180)
{
	volatile int *works = client_shared_page();
	int fired, status, ms;
	pid_t other, pid;
	struct kfd_mem mem;

	if (!gpu_model_present())
		SKIP(return, "a real GPU does not hang when it is told to");
	ASSERT_FALSE(has_warned());
	ASSERT_NE(NULL, works);
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, VRAM, KFD_MEM_VRAM));
	other = client_fork();
	ASSERT_LE(0, other);
	if (!other)
		work_on(works);
	for (ms = 0; !*works && ms < CLIENT_TIMEOUT_MS; ms++)
		usleep(1000);
	ASSERT_TRUE(*works);
	ASSERT_EQ(0, file_write(FENCE_PARAMETER, FENCE_MS));
	fired = gpu_model_fired("hang-preemption");
	pid = client_fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(client_take_vram(self->c.dev.drm_fd, VRAM, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	/* the process is off, and comes back within 0.1 s */
	ASSERT_EQ(0, gpu_model_say("hang-preemption", NULL, 0));
	EXPECT_EQ(0, gpu_model_wait_fired("hang-preemption", fired + 1, CLIENT_TIMEOUT_MS));
	for (ms = 0; !has_warned() && ms < REPORT_MS; ms += 10)
		usleep(10000);
	EXPECT_TRUE(has_warned());
	EXPECT_EQ(0, file_write(FENCE_PARAMETER, FENCE_DEFAULT));
	kill(other, SIGKILL);
	EXPECT_EQ(other, waitpid(other, &status, 0));
	kfd_free(&self->c.dev, &mem);
}

TEST_HARNESS_MAIN
