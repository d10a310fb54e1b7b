// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of amdkfd itself, which the first part of the series mends: a queue hangs, is refused
 * something, or is profiled, or a process executes another program, and another process must not
 * notice. The GPU model is told to fail (gpu_model.h). Nothing here needs GPREEMPT.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpu_model.h"

#define SHIFT		(1UL << 20)	/* between addresses that are to differ */
#define ITEMS		256		/* of a job: few, so that two have room on the GPU */
#define GROUP		128

/* Linux 6.12 does not have it. */
#ifndef AMDKFD_IOC_PROFILER
#define KFD_IOC_PROFILER_PMC		0
struct kfd_ioctl_profiler_args {
	__u32 op;
	struct {
		__u32 gpu_id, lock, perfcount_enable;
	} pmc;
};

#define AMDKFD_IOC_PROFILER	AMDKFD_IOWR(0x28, struct kfd_ioctl_profiler_args)
#endif

/**
 * struct worker - a process with a job on its queue, and what the test asks of it
 * @pid:	its number
 * @ring:	address of its ring, once it has a queue
 * @start:	it may start its job
 * @stop:	it is to end
 * @beats:	how far the job is, 0: it has not begun
 * @updates:	how often it is to update its queue
 * @updated:	how often it has
 * @answer:	what the last update returned
 */
struct worker {
	pid_t pid;
	volatile __u64 ring;
	volatile int start, stop;
	volatile __u32 beats, updates, updated;
	volatile int answer;
};

static int work(struct worker *w)
{
	struct hold_job job;
	struct aql_queue q;
	struct client c;

	if (client_open(&c) || aql_create(&q, &c.dev, 64, 7))
		return 1;
	w->ring = (uintptr_t)q.ring.ptr;
	while (!w->start)
		usleep(1000);
	if (hold_job_start(&c, &job, &q, ITEMS, GROUP, 1))
		return 2;
	while (!w->stop) {
		usleep(1000);
		w->beats = job.beats[0];
		if (w->updated == w->updates)
			continue;
		w->answer = aql_update(&q, 100, 7);
		w->updated++;
	}
	if (hold_job_end(&c, &job))
		return 3;
	return hold_job_wrong(&job) ? 4 : 0;
}

FIXTURE(stock) {
	struct worker *hung, *other;	/* a page; the other process comes later */
};

FIXTURE_SETUP(stock)
{
	if (!gpu_model_present())
		SKIP(return, "this GPU cannot be told to fail");
	self->hung = client_shared_page();
	ASSERT_NE(NULL, self->hung);
	self->other = self->hung + 1;
}

FIXTURE_TEARDOWN(stock)
{
	if (!gpu_model_present())
		return;
	gpu_model_say("off", NULL, 0);
	if (self->hung->pid)
		kill(self->hung->pid, SIGKILL);
	if (self->other->pid)
		kill(self->other->pid, SIGKILL);
}

/* Wait for what a process does: until @value is @least or more. */
static bool comes_to(const volatile __u32 *value, __u32 least)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	while (*value < least) {
		if (kfd_now() > end)
			return false;
		usleep(1000);
	}
	return true;
}

/* Does its job go on? */
static bool goes_on(const struct worker *w)
{
	return comes_to(&w->beats, w->beats + 100);
}

/* A process has a queue when this returns. Its addresses are those of all others of no shift. */
static bool begin(struct worker *w, size_t shift)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	pid_t pid = client_fork();

	if (!pid) {
		if (shift)
			mmap(NULL, shift, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		_exit(work(w));
	}
	w->pid = pid;	/* on a page that the child has, too */
	while (!w->ring && kfd_now() < end)
		usleep(1000);
	return w->ring;
}

/* The one hangs, the other works. */
static void hang(struct __test_metadata *_metadata, FIXTURE_DATA(stock) *self, size_t shift)
{
	int fired = gpu_model_fired("stall-wave");

	ASSERT_TRUE(begin(self->hung, 0));
	ASSERT_TRUE(begin(self->other, shift));
	self->hung->start = 1;
	ASSERT_TRUE(comes_to(&self->hung->beats, 1));
	ASSERT_EQ(0, gpu_model_say("stall-wave", NULL, 0));
	ASSERT_EQ(0, gpu_model_wait_fired("stall-wave", fired + 1, CLIENT_TIMEOUT_MS));
	self->other->start = 1;
	ASSERT_TRUE(comes_to(&self->other->beats, 1));
}

/* What UPDATE_QUEUE answers it. */
static int update(struct worker *w)
{
	__u32 n = ++w->updates;

	return comes_to(&w->updated, n) ? w->answer : -ETIME;
}

static int ends(struct worker *w)
{
	int status;

	w->stop = 1;
	if (waitpid(w->pid, &status, 0) != w->pid)
		return -errno;
	w->pid = 0;
	return status;
}

/*
 * A queue whose waves cannot be saved is reset. Another process, which came later, has a queue at
 * the same address: it keeps that, and its work is exact.
 */
TEST_F_TIMEOUT(stock, same_address, 180)
{
	hang(_metadata, self, 0);
	ASSERT_EQ(self->hung->ring, self->other->ring);
	EXPECT_EQ(0, update(self->other));
	EXPECT_TRUE(goes_on(self->other));
	EXPECT_EQ(0, ends(self->other));
}

/*
 * A process whose queue is reset may no longer update any. The first time, the queue is only reset
 * when all have been unmapped. Neither time do others stay unmapped.
 */
TEST_F_TIMEOUT(stock, refused_update, 180)
{
	hang(_metadata, self, SHIFT);
	ASSERT_NE(self->hung->ring, self->other->ring);
	EXPECT_EQ(-EACCES, update(self->hung));
	ASSERT_TRUE(goes_on(self->other));
	EXPECT_EQ(-EACCES, update(self->hung));
	ASSERT_TRUE(goes_on(self->other));
	EXPECT_EQ(0, ends(self->other));
}

static int profile(struct kfd_dev *dev, __u32 on)
{
	struct kfd_ioctl_profiler_args args = { .op = KFD_IOC_PROFILER_PMC };

	args.pmc.gpu_id = dev->gpu_id;
	args.pmc.lock = on;
	args.pmc.perfcount_enable = on;
	return kfd_ioctl(dev, AMDKFD_IOC_PROFILER, &args);
}

/* Switches the counters on and off, and on again before it ends. */
static int profiler(void)
{
	struct aql_queue q;
	struct client c;
	int ret;

	if (client_open(&c) || aql_create(&q, &c.dev, 64, 7))
		return 1;
	ret = profile(&c.dev, 1) ?: profile(&c.dev, 0) ?: profile(&c.dev, 1);
	return ret ? -ret : 0;
}

/* Performance counters are set for all queues, which work on. Linux 6.12 has no such ioctl. */
TEST_F_TIMEOUT(stock, counters, 120)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	struct utsname uts;
	int status = -1;
	pid_t pid;

	ASSERT_TRUE(begin(self->other, 0));
	self->other->start = 1;
	ASSERT_TRUE(comes_to(&self->other->beats, 1));
	pid = client_fork();
	if (!pid)
		_exit(profiler());
	/* one that waits for a lock for ever cannot be waited for */
	while (!waitpid(pid, &status, WNOHANG) && kfd_now() < end)
		usleep(1000);
	ASSERT_EQ(0, uname(&uts));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(atoi(uts.release) < 7 ? ENOTTY : 0, WEXITSTATUS(status));
	EXPECT_EQ(0, update(self->other));
	EXPECT_TRUE(goes_on(self->other));
	EXPECT_EQ(0, ends(self->other));
}

/* Keeps the memory of the process that made it, until that ends. */
static int keep(void *kept)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	*(volatile int *)kept = 1;
	for (;;)
		pause();
	return 0;
}

#define EXECUTED	"GPREEMPT_STOCK_EXECUTED"

/* The program that is executed is this one. */
static void __attribute__((constructor)) executed(void)
{
	struct aql_queue q;
	struct client c;

	if (!getenv(EXECUTED))
		return;
	if (client_open(&c) || aql_create(&q, &c.dev, 64, 7))
		_exit(10);
	_exit(aql_destroy(&q) ? 11 : 0);
}

/* KFD has a process of the old memory still when the new program opens it, of the same pid. */
static int execute(void)
{
	static char stack[16384] __attribute__((aligned(16)));
	volatile int kept = 0;
	struct client c;

	if (client_open(&c))
		return 1;
	if (clone(keep, stack + sizeof(stack), CLONE_VM | SIGCHLD, (void *)&kept) < 0)
		return 2;
	while (!kept)
		usleep(1000);
	setenv(EXECUTED, "1", 1);
	execl("/proc/self/exe", "stock_test", NULL);
	return 3;
}

/* Nothing is left of a process whose folder in sysfs could not be made, or of its queue. */
TEST_F(stock, executed)
{
	int status = -1;
	pid_t pid;

	pid = client_fork();
	if (!pid)
		_exit(execute());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_TRUE(begin(self->other, 0));
	self->other->start = 1;
	ASSERT_TRUE(comes_to(&self->other->beats, 1));
	EXPECT_EQ(0, ends(self->other));
}

TEST_HARNESS_MAIN
