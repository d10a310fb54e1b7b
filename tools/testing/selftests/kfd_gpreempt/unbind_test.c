// SPDX-License-Identifier: GPL-2.0
/*
 * The driver is unbound while a queue is preempted: it must let go, and the
 * processes must be able to end. Run it alone: the GPU is gone afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"

#define DRIVER	"/sys/bus/pci/drivers/amdgpu"

FIXTURE(unbind) {
	volatile int *ready;
	pid_t child;
};

FIXTURE_SETUP(unbind)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	self->ready = client_shared_page();
	ASSERT_NE(NULL, self->ready);
}

FIXTURE_TEARDOWN(unbind)
{
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
}

/* LOW preempted for a HIGH that does not end, in one process. */
static int contend(volatile int *ready)
{
	struct until_job low_job, high_job;
	struct aql_queue low, high;
	long long preemptions;
	struct client c;
	unsigned int ms;

	if (client_open(&c) || aql_create(&low, &c.dev, 64, PRIORITY_LOW) ||
	    aql_create(&high, &c.dev, 64, PRIORITY_HIGH) ||
	    until_job_init(&c, &low_job) || until_job_init(&c, &high_job))
		return 1;
	preemptions = gpreempt_number("stats/preemptions");
	until_job_start(&c, &low_job, &low);
	usleep(20000);
	until_job_start(&c, &high_job, &high);
	for (ms = 0; gpreempt_number("stats/preemptions") == preemptions; ms++) {
		if (ms > 3000)
			return 2;
		usleep(1000);
	}
	*ready = 1;
	pause();
	return 3;
}

TEST_F_TIMEOUT(unbind, while_preempted, 120)
{
	unsigned int ms;
	char address[64];
	int fd, n;

	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = client_fork();
	ASSERT_LE(0, self->child);
	if (!self->child)
		_exit(contend(self->ready));
	for (ms = 0; !*self->ready && ms < CLIENT_TIMEOUT_MS; ms += 10)
		usleep(10000);
	ASSERT_EQ(1, *self->ready);

	ASSERT_EQ(0, kfd_pci_address(address, sizeof(address)));
	fd = open(DRIVER "/unbind", O_WRONLY);
	ASSERT_LE(0, fd);
	n = strlen(address);
	EXPECT_EQ(n, write(fd, address, n));
	close(fd);
	/* amdkfd stays until the last user goes, but takes nobody off any more */
	if (gpreempt_present())
		EXPECT_EQ(gpreempt_number("stats/preemptions"),
			  gpreempt_number("stats/resumes"));
	ASSERT_EQ(0, kill(self->child, SIGKILL));
	ASSERT_EQ(self->child, waitpid(self->child, NULL, 0));
	self->child = 0;
	for (ms = 0; gpreempt_present() && ms < CLIENT_TIMEOUT_MS; ms += 10)
		usleep(10000);
	EXPECT_FALSE(gpreempt_present());
}

TEST_HARNESS_MAIN
