// SPDX-License-Identifier: GPL-2.0
/*
 * The GPU is reset while a queue is preempted: nothing stays preempted, and the
 * processes that come afterwards find GPREEMPT at work. Run it alone: everybody's
 * work on the GPU is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "file.h"
#include "gpreempt.h"

FIXTURE(reset) {
	char recover[128];
	volatile int *step;
	pid_t child;
};

FIXTURE_SETUP(reset)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (kfd_recover_path(self->recover, sizeof(self->recover)))
		SKIP(return, KFD_NO_RECOVER);
	self->step = client_shared_page();
	ASSERT_NE(NULL, self->step);
}

FIXTURE_TEARDOWN(reset)
{
	gpreempt_end();
}

/* In a process of its own: LOW preempted, until told to end. Exit status 0 is success. */
static int contend(volatile int *step, bool finish)
{
	struct contest ct = {};

	if (contest_open(&ct) || contest_init(&ct))
		return 1;
	if (contest_preempt(&ct))
		return 2;
	*step = 1;
	while (!finish && *step == 1)
		usleep(1000);
	if (finish && contest_finish(&ct))
		return 3;
	rival_kill(ct.rival, ct.pid);
	return 0;
}

static pid_t start(volatile int *step, bool finish)
{
	pid_t pid;

	*step = 0;
	pid = client_fork();
	if (!pid)
		_exit(contend(step, finish));
	return pid;
}

/* Its exit status, or -1. */
static int end(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F_TIMEOUT(reset, while_preempted, 180)
{
	long long before = gpreempt_preempted();
	char result[32];
	unsigned int ms;
	pid_t pid;

	pid = start(self->step, false);
	ASSERT_LT(0, pid);
	for (ms = 0; !*self->step; ms++) {
		ASSERT_GT(2 * CLIENT_TIMEOUT_MS, ms);
		ASSERT_EQ(0, waitpid(pid, NULL, WNOHANG));
		usleep(1000);
	}
	/* HIGH may execute before LOW is counted */
	for (ms = 0; gpreempt_preempted() != before + 1; ms++) {
		ASSERT_GT(CLIENT_TIMEOUT_MS, ms);
		usleep(1000);
	}
	ASSERT_EQ(0, file_read(self->recover, result, sizeof(result)));
	EXPECT_EQ(before, gpreempt_preempted());
	EXPECT_EQ(1, gpreempt_number("enable"));
	*self->step = 2;
	EXPECT_EQ(0, end(pid));
	EXPECT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));

	/* as before */
	pid = start(self->step, true);
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, end(pid));
	EXPECT_EQ(before, gpreempt_preempted());
}

/* The events that have come since it was asked last, a bit each. */
static unsigned int smi_events(int fd)
{
	unsigned int seen = 0;
	char text[4096], *line, *rest;
	ssize_t n = read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		seen |= 1U << strtoul(line, NULL, 16) % 32;
	return seen;
}

/* A monitor that is started while the scheduler is down works once that has come up. */
TEST_F_TIMEOUT(reset, enabled_meanwhile, 300)
{
	const unsigned int pre = 1U << KFD_SMI_EVENT_GPU_PRE_RESET;
	const unsigned int post = 1U << KFD_SMI_EVENT_GPU_POST_RESET;
	struct kfd_ioctl_smi_events_args args = {};
	__u64 mask = (pre | post) >> 1;
	unsigned int tries, ms, node;
	struct kfd_dev dev = {};
	long long wakeups;
	bool meanwhile = false;
	char result[32];
	pid_t pid;

	dev.fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, dev.fd);
	ASSERT_EQ(0, kfd_find_gpu(&args.gpuid, &node));
	ASSERT_EQ(0, kfd_ioctl(&dev, AMDKFD_IOC_SMI_EVENTS, &args));
	ASSERT_EQ(sizeof(mask), write(args.anon_fd, &mask, sizeof(mask)));
	for (tries = 0; !meanwhile && tries < 5; tries++) {
		ASSERT_EQ(0, gpreempt_set("enable", 0));
		pid = client_fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(file_read(self->recover, result, sizeof(result)) ? 1 : 0);
		for (ms = 0; !(smi_events(args.anon_fd) & pre); ms++) {
			ASSERT_GT(CLIENT_TIMEOUT_MS, ms);
			usleep(1000);
		}
		/* as a rule the scheduler is down by then; if not, it stops the monitor */
		usleep(5000);
		EXPECT_EQ(0, gpreempt_set("enable", 1));
		meanwhile = !(smi_events(args.anon_fd) & post);
		EXPECT_EQ(0, end(pid));
		smi_events(args.anon_fd);
		wakeups = gpreempt_number("stats/wakeups");
		EXPECT_EQ(0, client_other_works());
		EXPECT_EQ(0, gpreempt_wait_number("stats/wakeups", wakeups + 1,
						  CLIENT_TIMEOUT_MS));
	}
	EXPECT_TRUE(meanwhile);
	close(args.anon_fd);
	close(dev.fd);
}

/* In a process of its own: with no grace GPREEMPT is faster by stock's, which stock keeps. */
static int times(long long stock_us)
{
	struct contest ct = {};
	long long ns[3];

	if (contest_open(&ct) || contest_init(&ct))
		return 1;
	ns[0] = contest_save_ns(&ct);
	ns[1] = contest_stock_ns(&ct);
	if (gpreempt_set("grace_us", 0))
		return 2;
	ns[2] = contest_save_ns(&ct);
	if (!contest_longer_by(ns[0], ns[2], stock_us))
		return 3;
	if (!contest_longer_by(contest_stock_ns(&ct), ns[1], 0))
		return 4;
	rival_kill(ct.rival, ct.pid);
	return 0;
}

/* What GPREEMPT asks for and what stock does are the same as before the reset. */
TEST_F_TIMEOUT(reset, grace_period, 300)
{
	long long stock_us = gpreempt_number("grace_us");
	char result[32];
	unsigned int i;
	pid_t pid;

	if (stock_us == -EOPNOTSUPP)
		SKIP(return, "no grace period that could be set on this GPU");
	for (i = 0; i < 2; i++) {
		pid = client_fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(times(stock_us));
		EXPECT_EQ(0, end(pid));
		EXPECT_EQ(0, gpreempt_number("grace_us"));
		ASSERT_EQ(0, file_read(self->recover, result, sizeof(result)));
		EXPECT_EQ(0, gpreempt_number("grace_us"));
	}
}

static sigjmp_buf no_doorbell;

static void on_bus_error(int sig)
{
	siglongjmp(no_doorbell, 1);
}

/* Is there a page? Reading a doorbell rings nothing. */
static bool can_read(const volatile __u64 *doorbell)
{
	if (sigsetjmp(no_doorbell, 1))
		return false;
	(void)*doorbell;
	return true;
}

/*
 * In a process of its own: its doorbells after a reset. Only the first mapping of them is
 * GPREEMPT's, so that another tells what stock does. Exit status 0: the same.
 */
static int doorbells(const char *recover)
{
	volatile __u64 *ours, *stocks;
	struct aql_queue q;
	struct kfd_dev dev;
	char result[32];

	signal(SIGBUS, on_bus_error);
	if (kfd_open(&dev) || aql_create(&q, &dev, 64, 7))
		return 1;
	ours = dev.doorbells;
	stocks = mmap(NULL, 2 * KFD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, dev.fd,
		      dev.doorbell_offset);
	if (stocks == MAP_FAILED || !can_read(ours) || !can_read(stocks))
		return 2;
	if (file_read(recover, result, sizeof(result)))
		return 3;
	return can_read(ours) == can_read(stocks) ? 0 : 4;
}

TEST_F_TIMEOUT(reset, doorbells, 120)
{
	int enable;

	for (enable = 0; enable < 2; enable++) {
		pid_t pid;

		ASSERT_EQ(0, gpreempt_set("enable", enable));
		pid = client_fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(doorbells(self->recover));
		EXPECT_EQ(0, end(pid)) TH_LOG("enable is %d", enable);
	}
}

TEST_HARNESS_MAIN
