// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that always have work share the time of the GPU: under fair by weight, with
 * minimum and cap, under timeslice equally, however many queues they have; and the members of a
 * cgroup with a share have one together. Here each only has to come forward; the moments printed
 * are for whoever can tell from outside, as on a model, who had how much.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"

#define TENANTS		4
#define CGROUPS		"/tmp/cgroup"
#define CGROUP		CGROUPS "/shares"
#define QUEUES_MAX	8
#define SETTLE_MS	500	/* until what has been is forgotten */
#define WINDOW_MS	2000

/**
 * struct tenant - a process with queues that all have endless work
 * @ready:	it has them
 * @failed:	or at which step it has not
 * @rounds:	how far they came, together
 */
struct tenant {
	volatile int ready, failed;
	volatile __u32 rounds;
};

/* One of the four in a case; without queues it is not there. */
struct part {
	__u32 queues, weight, min, cap;
	double percent;		/* of the time that it has to get */
	bool member;		/* of the cgroup, whose share the first of these gives */
};

FIXTURE(shares) {
	struct kfd_dev dev;
	struct tenant *tenant;
	pid_t pid[TENANTS];
};

FIXTURE_VARIANT(shares) {
	const char *policy;
	struct part part[TENANTS];
};

FIXTURE_VARIANT_ADD(shares, weights)
{
	.policy = "fair",
	.part = { { 8, 100, 0, 0, 100 / 15. }, { 1, 200, 0, 0, 200 / 15. },
		  { 4, 400, 0, 0, 400 / 15. }, { 2, 800, 0, 0, 800 / 15. } },
};

FIXTURE_VARIANT_ADD(shares, minimum_and_cap)
{
	.policy = "fair",
	.part = { { 1, 100, 40, 0, 40 }, { 8, 100, 0, 10, 10 }, { 1, 100, 0, 0, 25 },
		  { 2, 100, 0, 0, 25 } },
};

FIXTURE_VARIANT_ADD(shares, turns)
{
	.policy = "timeslice",
	.part = { { 1, 100, 0, 0, 50 }, { 8, 100, 0, 0, 50 } },
};

/* Three processes together have what one has, whatever each would have by itself. */
FIXTURE_VARIANT_ADD(shares, cgroup)
{
	.policy = "fair",
	.part = { { 1, 100, 0, 0, 50, true }, { 4, 900, 0, 0, 50, true },
		  { 2, 300, 0, 0, 50, true }, { 1, 100, 0, 0, 50 } },
};

FIXTURE_VARIANT_ADD(shares, cgroup_turns)
{
	.policy = "timeslice",
	.part = { { 1, 100, 0, 0, 100 / 3., true }, { 2, 100, 0, 0, 100 / 3., true },
		  { 1, 100, 0, 0, 100 / 3. }, { 4, 100, 0, 0, 100 / 3. } },
};

/* A cgroup of which the tenant's process becomes a member. */
static int enter_cgroup(struct kfd_dev *dev, pid_t pid, const struct part *p)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
		.flags = KFD_GPREEMPT_CGROUP | KFD_GPREEMPT_SET_WEIGHT,
		.process_default = { KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE, .weight = p->weight },
	};
	char text[16];
	int fd, ret;

	mkdir(CGROUPS, 0755);
	if (access(CGROUPS "/cgroup.procs", F_OK) && mount("cgroup", CGROUPS, "cgroup2", 0, NULL))
		return -errno;
	if (!mkdir(CGROUP, 0755)) {
		fd = open(CGROUP, O_RDONLY | O_DIRECTORY);
		args.cgroup_fd = fd;
		ret = fd < 0 ? -errno : gpreempt_call(dev, &args);
		close(fd);
		if (ret)
			return ret;
	}
	snprintf(text, sizeof(text), "%d", pid);
	return file_write(CGROUP "/cgroup.procs", text);
}

/* Never returns: the process is killed. */
static void work(struct tenant *t, unsigned int queues)
{
	static struct until_job job[QUEUES_MAX];
	static struct aql_queue q[QUEUES_MAX];
	struct client c;
	unsigned int i;
	__u32 rounds;

	if (client_open(&c))
		t->failed = __LINE__;
	for (i = 0; !t->failed && i < queues; i++) {
		if (aql_create(&q[i], &c.dev, 64, 7) || until_job_init(&c, &job[i]))
			t->failed = __LINE__;
		else
			until_job_start(&c, &job[i], &q[i]);
	}
	t->ready = 1;
	for (;;) {
		for (i = 0, rounds = 0; !t->failed && i < queues; i++)
			rounds += job[i].rounds[0];
		t->rounds = rounds;
		usleep(10000);
	}
}

FIXTURE_SETUP(shares)
{
	const __u32 all = KFD_GPREEMPT_SET_WEIGHT | KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP;
	const struct part *p = variant->part;
	int ret = gpreempt_begin();
	unsigned int i;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, kfd_open(&self->dev));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_write("policy", variant->policy));
	self->tenant = client_shared_page();
	ASSERT_NE(NULL, self->tenant);
	for (i = 0; i < TENANTS; i++) {
		if (!p[i].queues)
			continue;
		self->pid[i] = client_fork();
		ASSERT_LE(0, self->pid[i]);
		if (!self->pid[i])
			work(&self->tenant[i], p[i].queues);
		ASSERT_EQ(0, gpreempt_set_share(&self->dev, self->pid[i], all, p[i].weight,
						p[i].min, p[i].cap));
		if (p[i].member)
			ASSERT_EQ(0, enter_cgroup(&self->dev, self->pid[i], &p[i]));
		while (!self->tenant[i].ready)
			usleep(1000);
		ASSERT_EQ(0, self->tenant[i].failed);
	}
}

FIXTURE_TEARDOWN(shares)
{
	unsigned int i;

	gpreempt_set("enable", 0);
	for (i = 0; i < TENANTS; i++) {
		if (self->pid[i] <= 0)
			continue;
		kill(self->pid[i], SIGKILL);
		waitpid(self->pid[i], NULL, 0);
	}
	rmdir(CGROUP);
	if (self->tenant)
		munmap(self->tenant, KFD_PAGE);
	kfd_close(&self->dev);
	gpreempt_end();
}

/* What the driver and the model call a process: from Linux 7.3 on another name on each GPU. */
static int pasid_of(const struct kfd_dev *dev, pid_t pid)
{
	char path[96], text[32];
	int pasid;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/pasid", pid);
	pasid = file_read(path, text, sizeof(text)) ? -1 : atoi(text);
	if (pasid)
		return pasid;
	snprintf(path, sizeof(path), "/sys/kernel/debug/kfd/proc/%d/pasid_%u", pid, dev->gpu_id);
	return file_read(path, text, sizeof(text)) ? -1 : atoi(text);
}

/* The rounds of one, or of all members if it is one of them: which of those run is theirs. */
static __u32 rounds_of(const struct tenant *tenant, const struct part *part, unsigned int one)
{
	__u32 rounds = 0;
	unsigned int i;

	for (i = 0; i < TENANTS; i++)
		if (i == one || (part[one].member && part[i].member))
			rounds += tenant[i].rounds;
	return rounds;
}

TEST_F_TIMEOUT(shares, each, 60)
{
	__u32 before[TENANTS] = {};
	unsigned int i;
	__u64 begin;

	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 10000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	usleep(gpu_model_rounds(SETTLE_MS) * 1000);
	for (i = 0; i < TENANTS; i++)
		before[i] = rounds_of(self->tenant, variant->part, i);
	begin = kfd_gpu_clock(&self->dev);
	usleep(WINDOW_MS * 1000);
	printf("# shares of %s begin=%llu end=%llu\n", variant->policy, begin,
	       kfd_gpu_clock(&self->dev));
	for (i = 0; i < TENANTS; i++) {
		if (!self->pid[i])
			continue;
		printf("# share %s pasid=%d percent=%.2f\n",
		       variant->part[i].member ? "together" : "alone",
		       pasid_of(&self->dev, self->pid[i]), variant->part[i].percent);
		EXPECT_NE(before[i], rounds_of(self->tenant, variant->part, i));
	}
}

TEST_HARNESS_MAIN
