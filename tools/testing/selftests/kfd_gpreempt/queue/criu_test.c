// SPDX-License-Identifier: GPL-2.0
/*
 * A process with a preempted queue is checkpointed, and restored in a child, as CRIU does: at the
 * same addresses, with copies of its memory. A test of its own because amdkfd's checkpoint takes
 * locks in an order that lockdep reports once, and then looks no more.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "ioctl_call.h"

#define GROUP	128

FIXTURE(criu) {
	struct client c;
	struct aql_queue q;
	struct hold_job job;
	struct kfd_ioctl_criu_args args;
	struct kfd_criu_device_bucket *devices;
	struct kfd_criu_bo_bucket *bos;
};

FIXTURE_VARIANT(criu) {
	bool resumed;
};

FIXTURE_VARIANT_ADD(criu, preempted) {
};

/* The checkpoint's eviction keeps it off the machine, GPREEMPT does not any more. */
FIXTURE_VARIANT_ADD(criu, resumed_meanwhile) {
	.resumed = true,
};

FIXTURE_SETUP(criu)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	/* on each XCC */
	ASSERT_EQ(0, hold_job_start(&self->c, &self->job, &self->q, self->c.dev.cus * GROUP, GROUP,
				    1));
}

FIXTURE_TEARDOWN(criu)
{
	gpreempt_end();
	client_close(&self->c);
}

static int criu_op(FIXTURE_DATA(criu) *self, __u32 op)
{
	self->args.op = op;
	return kfd_ioctl(&self->c.dev, AMDKFD_IOC_CRIU_OP, &self->args);
}

/* Memory of the process itself is copied with it. */
static int fork_with_memory(FIXTURE_DATA(criu) *self)
{
	const struct kfd_criu_bo_bucket *bo;
	pid_t pid;

	for (bo = self->bos; bo < self->bos + self->args.num_bos; bo++)
		if (bo->alloc_flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR &&
		    madvise((void *)bo->addr, bo->size, MADV_DOFORK))
			return -errno;
	pid = client_fork();
	return pid < 0 ? -errno : pid;
}

/* Memory that is the GPU's: that of the checkpointed process is still mapped here. */
static int restore_contents(const FIXTURE_DATA(criu) *self, const struct kfd_criu_bo_bucket *bo)
{
	void *at = (void *)bo->addr, *copy = malloc(bo->size);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, at, bo->size);
	if (mmap(at, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 self->c.dev.drm_fd, bo->restored_offset) == MAP_FAILED)
		return -errno;
	memcpy(at, copy, bo->size);
	free(copy);
	return 0;
}

/* In the child. Return: 0 if its waves have gone on, and lost nothing; else the line. */
static int restore(FIXTURE_DATA(criu) *self)
{
	const __u32 visible = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
	char render[32];
	__u32 i;

	snprintf(render, sizeof(render), "/dev/dri/renderD%llu",
		 kfd_property(self->c.dev.node, "drm_render_minor"));
	self->c.dev.fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	self->c.dev.drm_fd = open(render, O_RDWR | O_CLOEXEC);
	if (self->c.dev.fd < 0 || self->c.dev.drm_fd < 0)
		return __LINE__;
	for (i = 0; i < self->args.num_devices; i++)
		self->devices[i].drm_fd = self->c.dev.drm_fd;
	if (criu_op(self, KFD_CRIU_OP_RESTORE))
		return __LINE__;
	for (i = 0; i < self->args.num_bos; i++)
		if (self->bos[i].alloc_flags & visible && restore_contents(self, &self->bos[i]))
			return __LINE__;
	self->args.pid = getpid();
	if (criu_op(self, KFD_CRIU_OP_RESUME))
		return __LINE__;
	if (hold_job_end(&self->c, &self->job))
		return __LINE__;
	return hold_job_wrong(&self->job) ? __LINE__ : 0;
}

/*
 * Restored, it goes on where it was preempted, mapped and judged anew; or the kernel, where it
 * cannot carry what all XCCs have saved, says so. Checkpointed, it is where it was.
 */
TEST_F_TIMEOUT(criu, loses_nothing, 120)
{
	long long resumes = gpreempt_number("stats/resumes");
	int pid, ret, status = -1;
	__u32 beats;

	while (!self->job.beats[self->c.dev.cus - 1])
		usleep(1000);
	ASSERT_EQ(0, gpreempt_hold(&self->q, 0));
	beats = self->job.beats[0];
	ASSERT_EQ(0, criu_op(self, KFD_CRIU_OP_PROCESS_INFO));
	if (variant->resumed) {
		ASSERT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_RESUME, 0, self->q.id,
					      0, 0, 0));
		ASSERT_EQ(0, gpreempt_wait_number("stats/resumes", resumes + 1,
						  CLIENT_TIMEOUT_MS));
	}
	self->devices = calloc(self->args.num_devices, sizeof(*self->devices));
	self->bos = calloc(self->args.num_bos, sizeof(*self->bos));
	self->args.devices = (uintptr_t)self->devices;
	self->args.bos = (uintptr_t)self->bos;
	self->args.priv_data = (uintptr_t)calloc(1, self->args.priv_data_size);
	ASSERT_TRUE(self->devices && self->bos && self->args.priv_data);
	ret = criu_op(self, KFD_CRIU_OP_CHECKPOINT);
	if (ret && self->c.dev.xccs > 1) {
		EXPECT_EQ(-EINVAL, ret);
		TH_LOG("refused on %u XCCs", self->c.dev.xccs);
	} else {
		ASSERT_EQ(0, ret);
		pid = fork_with_memory(self);
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(restore(self));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status) TH_LOG("line %d of the child", WEXITSTATUS(status));
	}
	EXPECT_EQ(beats, self->job.beats[0]);
	EXPECT_EQ(0, criu_op(self, KFD_CRIU_OP_UNPAUSE));
	if (!variant->resumed) {
		usleep(50000);
		EXPECT_EQ(beats, self->job.beats[0]);
		EXPECT_EQ(0, gpreempt_resume(&self->q));
	}
	EXPECT_EQ(0, hold_job_end(&self->c, &self->job));
	EXPECT_EQ(0, hold_job_wrong(&self->job));
}

TEST_HARNESS_MAIN
