// SPDX-License-Identifier: GPL-2.0
/*
 * The driver is unbound while a queue is preempted: it must let go, and the
 * processes must be able to end; and while a process asks about the node. Run each
 * test alone: the GPU is gone afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "ioctl_call.h"

#define DRIVER	"/sys/bus/pci/drivers/amdgpu"
#define NODES	"/sys/class/kfd/kfd/gpreempt"

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

/* The last node's going takes the folder of all nodes with it. */
static bool gone(void)
{
	unsigned int ms;

	for (ms = 0; !access(NODES, F_OK) && ms < CLIENT_TIMEOUT_MS; ms += 10)
		usleep(10000);
	return access(NODES, F_OK) && !gpreempt_present();
}

static int unbind(void)
{
	char address[64];

	return kfd_pci_address(address, sizeof(address)) ?: file_write(DRIVER "/unbind", address);
}

TEST_F_TIMEOUT(unbind, while_preempted, 120)
{
	unsigned int ms;

	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = client_fork();
	ASSERT_LE(0, self->child);
	if (!self->child)
		_exit(contend(self->ready));
	for (ms = 0; !*self->ready && ms < CLIENT_TIMEOUT_MS; ms += 10)
		usleep(10000);
	ASSERT_EQ(1, *self->ready);

	EXPECT_EQ(0, unbind());
	/* amdkfd stays until the last user goes, but takes nobody off any more */
	if (gpreempt_present())
		EXPECT_EQ(gpreempt_number("stats/preemptions"),
			  gpreempt_number("stats/resumes"));
	ASSERT_EQ(0, kill(self->child, SIGKILL));
	ASSERT_EQ(self->child, waitpid(self->child, NULL, 0));
	self->child = 0;
	EXPECT_TRUE(gone());
}

/* How a process asks about the node, again and again. */
struct asking {
	volatile int answer;
	volatile unsigned int times;
	volatile bool enough;
};

/*
 * It has no VM on the GPU, so it does not keep the node, whose memory goes with the driver.
 * It must not end afterwards: what stock does then follows the node.
 */
static void ask(struct asking *asking)
{
	struct kfd_ioctl_gpreempt_args args;
	struct kfd_dev dev = {};

	kfd_find_gpu(&dev.gpu_id, &dev.node);
	dev.fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	while (!asking->enough) {
		args = (struct kfd_ioctl_gpreempt_args){
			.op = KFD_GPREEMPT_OP_QUERY, .gpu_id = dev.gpu_id,
		};
		asking->answer = gpreempt_call(&dev, &args);
		asking->times++;
	}
	for (;;)
		pause();
}

static bool asked_more(struct asking *asking)
{
	unsigned int before = asking->times, ms;

	for (ms = 0; asking->times < before + 1000; ms += 10) {
		if (ms > CLIENT_TIMEOUT_MS)
			return false;
		usleep(10000);
	}
	return true;
}

/*
 * What GPREEMPT allocated and did not free, as SLUB knows with slub_debug=U, by the code that
 * did: how many kinds. -errno where SLUB does not keep that: then nothing could be told. KASAN
 * keeps freed objects until their cache shrinks.
 */
static int left(void)
{
	char line[512];
	bool kept = false;
	glob_t lists;
	size_t i;
	int n = 0;

	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &lists))
		return -ENOENT;
	for (i = 0; i < lists.gl_pathc; i++)
		file_write(lists.gl_pathv[i], "1");
	globfree(&lists);
	if (glob("/sys/kernel/debug/slab/*/alloc_traces", 0, NULL, &lists))
		return -ENOENT;
	for (i = 0; i < lists.gl_pathc; i++) {
		FILE *f = fopen(lists.gl_pathv[i], "r");

		while (f && fgets(line, sizeof(line), f)) {
			/* the line of an allocation; those below it are its callers */
			if (!strstr(line, " age="))
				continue;
			kept = true;
			if (!strstr(line, "gpreempt"))
				continue;
			printf("# %s: %s", lists.gl_pathv[i], line);
			n++;
		}
		if (f)
			fclose(f);
	}
	globfree(&lists);
	return kept ? n : -ENODATA;
}

/* A queue that comes and goes, and whose record is known; a node's own is too large for a slab. */
static int use_queue(void)
{
	struct aql_queue q;
	struct kfd_dev dev;
	int ret = kfd_open(&dev);

	if (ret)
		return ret;
	ret = aql_create(&q, &dev, 64, PRIORITY_LOW);
	if (!ret && left() <= 0)
		ret = -ENODATA;
	ret = ret ?: aql_destroy(&q);
	kfd_close(&dev);
	return ret;
}

/* From Linux 7 on stock ends whoever has KFD open when a GPU goes. */
static bool ends_who_asks(void)
{
	struct utsname uts;

	return !uname(&uts) && atoi(uts.release) >= 7;
}

/* Who asks is told that there is none; what there was is not followed. */
TEST_F_TIMEOUT(unbind, while_asked, 120)
{
	struct asking *asking = client_shared_page();
	int status;
	pid_t pid;

	ASSERT_NE(NULL, asking);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	pid = client_fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(use_queue());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		ask(asking);
	EXPECT_TRUE(asked_more(asking));
	EXPECT_EQ(0, asking->answer);
	EXPECT_EQ(0, unbind());
	EXPECT_TRUE(gone());
	if (ends_who_asks()) {
		EXPECT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	} else {
		EXPECT_TRUE(asked_more(asking));
		EXPECT_EQ(-ENODEV, asking->answer);
	}
	EXPECT_EQ(0, left());
	asking->enough = true;
}

TEST_HARNESS_MAIN
