// SPDX-License-Identifier: GPL-2.0
/*
 * Partitions of one GPU: each is a node of its own, with a monitor, settings and counts
 * of its own, and the mode is changed while GPREEMPT is enabled. Each test begins and
 * ends with one partition of all.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"

#define NODES	"/sys/class/kfd/kfd/gpreempt/[0-9]*"

/* What a child does on a partition: LOW works all the time, with HIGH beside it or not. */
struct child {
	pid_t pid;
	volatile int *ready;
};

FIXTURE(partition) {
	char mode[128];
	struct child child[2];
};

static int partition_mode(FIXTURE_DATA(partition) *self, const char *mode)
{
	return file_write(self->mode, mode);
}

static unsigned int nodes(void)
{
	glob_t found;
	unsigned int n;

	n = glob(NODES, 0, NULL, &found) ? 0 : found.gl_pathc;
	globfree(&found);
	return n;
}

/* From now on, in this process and its children. */
static void take_partition(unsigned int n)
{
	setenv("KFD_GPU", n ? "1" : "0", 1);
}

FIXTURE_SETUP(partition)
{
	char address[64], text[64];
	unsigned int i;
	int ret;

	take_partition(0);
	ret = gpreempt_begin();
	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, kfd_pci_address(address, sizeof(address)));
	snprintf(self->mode, sizeof(self->mode),
		 "/sys/bus/pci/devices/%s/current_compute_partition", address);
	if (file_read(self->mode, text, sizeof(text)) || strncmp(text, "SPX", 3) || nodes() != 1)
		SKIP(return, "no GPU that is one partition and could be more");
	for (i = 0; i < 2; i++) {
		self->child[i].ready = client_shared_page();
		ASSERT_NE(NULL, self->child[i].ready);
	}
}

static void end_child(struct child *child)
{
	if (child->pid <= 0)
		return;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
}

/* The driver lets go of a process that was killed a little later. */
static int becomes(FIXTURE_DATA(partition) *self, const char *mode)
{
	unsigned int ms;
	int ret;

	for (ms = 0; ms < CLIENT_TIMEOUT_MS; ms += 10) {
		ret = partition_mode(self, mode);
		if (ret != -EBUSY)
			return ret;
		usleep(10000);
	}
	return ret;
}

FIXTURE_TEARDOWN(partition)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		end_child(&self->child[i]);
	EXPECT_EQ(0, becomes(self, "SPX"));
	take_partition(0);
	EXPECT_EQ(0, gpreempt_end());
}

/* LOW works until the process is killed; with @high it is taken off for HIGH first. */
static int work(volatile int *ready, bool high)
{
	struct until_job low_job, high_job;
	struct aql_queue low_queue, high_queue;
	long long preemptions;
	struct client c;

	if (client_open_pair(&c, &low_queue, &high_queue) || until_job_init(&c, &low_job) ||
	    until_job_init(&c, &high_job))
		return 1;
	until_job_start(&c, &low_job, &low_queue);
	if (until_job_moves(&low_job))
		return 2;
	preemptions = gpreempt_number("stats/preemptions");
	if (high) {
		until_job_start(&c, &high_job, &high_queue);
		if (until_job_moves(&high_job) ||
		    gpreempt_wait_number("stats/preemptions", preemptions + 1, CLIENT_TIMEOUT_MS))
			return 3;
		until_job_stop(&high_job);
		if (until_job_wait(&c, &high_job, CLIENT_TIMEOUT_MS) || until_job_moves(&low_job))
			return 4;
	}
	*ready = 1;
	for (;;)
		if (until_job_moves(&low_job))
			return 5;
}

/* On partition @n; returns once LOW works, and HIGH, if there is one, has been served. */
static int start(struct child *child, unsigned int n, bool high)
{
	unsigned int ms;

	*child->ready = 0;
	child->pid = client_fork();
	if (child->pid < 0)
		return -errno;
	if (!child->pid) {
		take_partition(n);
		_exit(work(child->ready, high));
	}
	for (ms = 0; !*child->ready && ms < 2 * CLIENT_TIMEOUT_MS; ms += 10) {
		if (waitpid(child->pid, NULL, WNOHANG))
			return -ECHILD;
		usleep(10000);
	}
	return *child->ready ? 0 : -ETIME;
}

static long long preemptions(unsigned int n)
{
	long long count;

	take_partition(n);
	count = gpreempt_number("stats/preemptions");
	take_partition(0);
	return count;
}

/* Enabled, and a preemption on each, whose going is told of on that node alone. */
TEST_F_TIMEOUT(partition, each_its_own, 120)
{
	char enable[8] = "";
	long long other;
	unsigned int n;
	pid_t monitor;

	ASSERT_EQ(0, file_read("/sys/module/amdgpu/parameters/gpreempt", enable, sizeof(enable)));
	ASSERT_EQ(0, partition_mode(self, "CPX"));
	EXPECT_EQ(2, nodes());
	monitor = gpreempt_monitor();
	for (n = 0; n < 2; n++) {
		take_partition(n);
		/* as the module's parameter says: they are nodes that were not there before */
		EXPECT_EQ(atoi(enable), gpreempt_number("enable"));
		EXPECT_EQ(0, gpreempt_number("stats/preemptions"));
		ASSERT_EQ(0, gpreempt_set("enable", 1));
		EXPECT_LT(0, gpreempt_monitor());
		if (n)
			EXPECT_NE(monitor, gpreempt_monitor());
	}
	/* LOW on the other one is nobody's victim, and goes on */
	for (n = 0; n < 2; n++) {
		ASSERT_EQ(0, start(&self->child[!n], !n, false));
		other = preemptions(!n);
		ASSERT_EQ(0, start(&self->child[n], n, true));
		EXPECT_LE(1, preemptions(n));
		EXPECT_EQ(other, preemptions(!n));
		EXPECT_EQ(0, waitpid(self->child[!n].pid, NULL, WNOHANG));
		end_child(&self->child[0]);
		end_child(&self->child[1]);
	}
	/* what is set for one says nothing of the other */
	take_partition(1);
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 4321));
	take_partition(0);
	EXPECT_NE(4321, gpreempt_number("starvation_ms"));
}

/* Both monitors take queues off at the same time. */
TEST_F_TIMEOUT(partition, at_once, 120)
{
	unsigned int i, n;

	ASSERT_EQ(0, partition_mode(self, "CPX"));
	for (n = 0; n < 2; n++) {
		take_partition(n);
		ASSERT_EQ(0, gpreempt_set("enable", 1));
	}
	for (i = 0; i < 3; i++) {
		struct child *child = self->child;

		for (n = 0; n < 2; n++) {
			*child[n].ready = 0;
			child[n].pid = client_fork();
			ASSERT_LE(0, child[n].pid);
			if (!child[n].pid) {
				take_partition(n);
				_exit(work(child[n].ready, true));
			}
		}
		for (n = 0; n < 2; n++) {
			unsigned int ms;

			for (ms = 0; !*child[n].ready && ms < 2 * CLIENT_TIMEOUT_MS; ms += 10)
				usleep(10000);
			EXPECT_EQ(1, *child[n].ready);
		}
		end_child(&child[0]);
		end_child(&child[1]);
	}
	for (n = 0; n < 2; n++)
		EXPECT_LE(3, preemptions(n));
}

/* While a process uses the GPU the mode stays, and so does all else. */
TEST_F_TIMEOUT(partition, in_use, 60)
{
	pid_t monitor;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	monitor = gpreempt_monitor();
	ASSERT_EQ(0, start(&self->child[0], 0, true));
	EXPECT_EQ(-EBUSY, partition_mode(self, "CPX"));
	EXPECT_EQ(1, nodes());
	EXPECT_EQ(1, gpreempt_number("enable"));
	EXPECT_EQ(monitor, gpreempt_monitor());
	EXPECT_EQ(0, waitpid(self->child[0].pid, NULL, WNOHANG));
	end_child(&self->child[0]);
	/* and it preempts as before */
	ASSERT_EQ(0, start(&self->child[0], 0, true));
}

/* Changed while it is enabled, again and again: nothing stays of what was there. */
TEST_F_TIMEOUT(partition, changed, 120)
{
	unsigned int i;
	pid_t monitor;

	/* a process that was killed may still be there, which SPX does not tell where it is so */
	ASSERT_EQ(0, becomes(self, "CPX"));
	ASSERT_EQ(0, becomes(self, "SPX"));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, gpreempt_set("enable", 1));
		monitor = gpreempt_monitor();
		ASSERT_LT(0, monitor);
		ASSERT_EQ(0, partition_mode(self, i % 2 ? "SPX" : "CPX"));
		ASSERT_EQ(i % 2 ? 1 : 2, nodes());
		EXPECT_EQ(-1, kill(monitor, 0));
		EXPECT_EQ(ESRCH, errno);
	}
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start(&self->child[0], 0, true));
}

TEST_HARNESS_MAIN
