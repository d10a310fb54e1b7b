// SPDX-License-Identifier: GPL-2.0
/*
 * A preempted queue, and what else the driver does with queues and processes:
 * nothing is lost, and nobody but GPREEMPT puts it back (gpreempt.rst has the
 * table).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <drm/amdgpu_drm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "gpreempt.h"
#include "ioctl_call.h"

#define PROC	"/sys/class/kfd/kfd/proc"

/* Time the process was evicted from the GPU until now, ms. */
static long long evicted_ms(const struct kfd_dev *dev)
{
	long long ms = -1;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), PROC "/%d/stats_%u/evicted_ms", getpid(), dev->gpu_id);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	if (fscanf(f, "%lld", &ms) != 1)
		ms = -EIO;
	fclose(f);
	return ms;
}

/* KFD knows the process until its queues are gone. */
static bool kfd_knows(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), PROC "/%d", pid);
	return !access(path, F_OK);
}

static bool kfd_forgets(pid_t pid)
{
	unsigned int ms;

	for (ms = 0; kfd_knows(pid); ms += 10) {
		if (ms > CLIENT_TIMEOUT_MS)
			return false;
		usleep(10000);
	}
	return true;
}

static bool wait_preemption(long long before)
{
	unsigned int ms;

	for (ms = 0; gpreempt_number("stats/preemptions") == before; ms++) {
		if (ms > CLIENT_TIMEOUT_MS)
			return false;
		usleep(1000);
	}
	return true;
}

FIXTURE(coexist) {
	struct contest ct;
	bool over;
};

FIXTURE_SETUP(coexist)
{
	int ret = contest_begin(&self->ct);

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(coexist)
{
	if (!self->over)
		EXPECT_EQ(0, contest_finish(&self->ct));
	contest_close(&self->ct);
}

/* The kernel takes the process off for a moment, because of @evict. */
#define EXPECT_EVICTION(evict) \
do { \
	long long before_ = evicted_ms(&self->ct.c.dev); \
	unsigned int round_; \
	\
	ASSERT_LE(0, before_); \
	for (round_ = 0; round_ < 50 && evicted_ms(&self->ct.c.dev) == before_; round_++) { \
		evict; \
		usleep(20000); \
	} \
	EXPECT_LT(before_, evicted_ms(&self->ct.c.dev)) TH_LOG("nothing was evicted"); \
} while (0)

/* A page of ROCr's kind goes away under the GPU. */
TEST_F_TIMEOUT(coexist, userptr_eviction, 120)
{
	struct kfd_mem mem;

	ASSERT_EQ(0, kfd_alloc(&self->ct.c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	EXPECT_EVICTION(ASSERT_EQ(0, madvise(mem.ptr, mem.size, MADV_DONTNEED)));
	EXPECT_TRUE(contest_low_is_off(&self->ct));
	kfd_free(&self->ct.c.dev, &mem);
}

/* The same for shared virtual memory. */
TEST_F_TIMEOUT(coexist, svm_eviction, 120)
{
	const size_t attrs = sizeof(struct kfd_ioctl_svm_attribute);
	__u64 room[8] = {};
	struct kfd_ioctl_svm_args *svm = (void *)room;
	char *p;

	ASSERT_LE(sizeof(*svm) + attrs, sizeof(room));
	p = mmap(NULL, 16 * KFD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	memset(p, 1, 16 * KFD_PAGE);
	svm->start_addr = (uintptr_t)p;
	svm->size = 16 * KFD_PAGE;
	svm->op = KFD_IOCTL_SVM_OP_SET_ATTR;
	svm->nattr = 1;
	svm->attrs[0].type = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE;
	svm->attrs[0].value = self->ct.c.dev.gpu_id;
	/* the size of the call includes its attributes */
	ASSERT_EQ(0, kfd_ioctl(&self->ct.c.dev, AMDKFD_IOC_SVM + (attrs << _IOC_SIZESHIFT), svm));
	EXPECT_EVICTION(ASSERT_EQ(0, madvise(p, 16 * KFD_PAGE, MADV_DONTNEED));
			memset(p, 1, 16 * KFD_PAGE));
	EXPECT_TRUE(contest_low_is_off(&self->ct));
	munmap(p, 16 * KFD_PAGE);
}

/* Another process wants the VRAM that this one has, and perhaps HIGH's, so LOW may run. */
TEST_F_TIMEOUT(coexist, vram_eviction, 120)
{
	struct drm_amdgpu_memory_info memory = {};
	struct drm_amdgpu_info info = {
		.return_pointer = (uintptr_t)&memory,
		.return_size = sizeof(memory),
		.query = AMDGPU_INFO_MEMORY,
	};
	struct kfd_mem mem;
	int status;
	size_t size;
	pid_t pid;

	ASSERT_EQ(0, ioctl(self->ct.c.dev.drm_fd, DRM_IOCTL_AMDGPU_INFO, &info));
	size = memory.vram.usable_heap_size / 2 & -(2UL << 20);
	ASSERT_EQ(0, kfd_alloc(&self->ct.c.dev, &mem, size, KFD_MEM_VRAM));
	EXPECT_EVICTION(pid = client_fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(client_take_vram(self->ct.c.dev.drm_fd, size, 200));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFEXITED(status));
		ASSERT_EQ(0, WEXITSTATUS(status)));
	kfd_free(&self->ct.c.dev, &mem);
}

/* A child has the file, but not the queues; its copy of a page takes the parent's off. */
TEST_F_TIMEOUT(coexist, fork, 120)
{
	struct kfd_ioctl_get_version_args version = {};
	struct kfd_mem mem = { .size = KFD_PAGE };
	int status;
	pid_t pid;

	mem.ptr = mmap(NULL, KFD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, mem.ptr);
	*(volatile char *)mem.ptr = 1;
	ASSERT_EQ(0, kfd_register(&self->ct.c.dev, &mem));
	EXPECT_EVICTION(pid = client_fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(kfd_ioctl(&self->ct.c.dev, AMDKFD_IOC_GET_VERSION,
					&version) == -EBADF);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(1, WEXITSTATUS(status)));
	EXPECT_TRUE(contest_low_is_off(&self->ct));
}

/* Off by its owner: then its waves may be read. On again: still preempted. */
TEST_F_TIMEOUT(coexist, update_off_and_on, 120)
{
	struct kfd_ioctl_get_queue_wave_state_args args = {
		.ctl_stack_address = (uintptr_t)self->ct.queue.save.cwsr.ptr,
		.queue_id = self->ct.queue.id,
	};

	ASSERT_EQ(0, aql_update(&self->ct.queue, 0, PRIORITY_LOW));
	EXPECT_EQ(0, kfd_ioctl(&self->ct.c.dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args));
	EXPECT_NE(0, args.save_area_used_size);
	ASSERT_EQ(0, aql_update(&self->ct.queue, 100, PRIORITY_LOW));
	EXPECT_TRUE(contest_low_is_off(&self->ct));
}

/* Raised to the other's priority it is kept off by nobody: it waits beside the other. */
TEST_F_TIMEOUT(coexist, update_priority, 120)
{
	ASSERT_EQ(0, aql_update(&self->ct.queue, 100, PRIORITY_HIGH));
	EXPECT_EQ(0, gpreempt_wait_number("stats/resumes", self->ct.resumes + 1,
					  CLIENT_TIMEOUT_MS));
}

/*
 * It comes back on other compute units, and is exact. The mask's bits go round over the XCCs,
 * and one without a unit would never end its workgroups.
 */
TEST_F_TIMEOUT(coexist, cu_mask, 120)
{
	__u32 mask = (1U << self->ct.c.dev.xccs) - 1;
	struct kfd_ioctl_set_cu_mask_args args = {
		.queue_id = self->ct.queue.id,
		.num_cu_mask = 32,
		.cu_mask_ptr = (uintptr_t)&mask,
	};

	ASSERT_EQ(0, kfd_ioctl(&self->ct.c.dev, AMDKFD_IOC_SET_CU_MASK, &args));
	EXPECT_TRUE(contest_low_is_off(&self->ct));
}

TEST_F_TIMEOUT(coexist, destroy, 120)
{
	struct aql_queue *low = &self->ct.queue;

	self->over = true;
	ASSERT_EQ(0, aql_destroy(low));
	EXPECT_EQ(1, self->ct.job.signal->value);
	ASSERT_EQ(0, rival_run(self->ct.rival, 0));
	/* its number and doorbell are free again */
	ASSERT_EQ(0, aql_create(low, &self->ct.c.dev, 64, PRIORITY_LOW));
	low_job_start(&self->ct.c, &self->ct.job, low);
	EXPECT_EQ(0, low_job_wait(&self->ct.c, &self->ct.job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->ct.job));
}

#define ROUND_US	500
#define ROUNDS		400	/* starvation_ms is far off */

/*
 * A cooperative kernel is a victim like any other, inside its barrier, as soon as any other:
 * firmware saves what its waves have synchronised.
 */
TEST_F_TIMEOUT(coexist, gws_in_barrier, 120)
{
	struct contest *ct = &self->ct;
	long long preemptions;
	struct agree_job job;
	unsigned int i;
	__u64 begin;

	ASSERT_EQ(0, contest_finish(ct));
	ASSERT_EQ(0, client_calibrate(&ct->c, &ct->queue));
	ASSERT_EQ(0, gws_alloc(&ct->c.dev, &ct->queue));
	ASSERT_EQ(0, agree_job_start(&ct->c, &job, &ct->queue, ROUNDS, ROUND_US));
	for (i = 0; i < 4; i++) {
		usleep(10 * ROUND_US);
		preemptions = gpreempt_number("stats/preemptions");
		begin = kfd_now();
		ASSERT_EQ(0, rival_run(ct->rival, 1));
		ASSERT_TRUE(wait_preemption(preemptions));
		/* some intervals and a save, and what this process takes to see it */
		EXPECT_GT(gpu_model_limit(50000) * 1000ULL, kfd_now() - begin);
		EXPECT_EQ(-ETIME, agree_job_wait(&ct->c, &job, 2 * ROUNDS * ROUND_US / 1000));
		ASSERT_EQ(0, rival_run(ct->rival, 0));
	}
	/* also if it is asked for, just when it is back */
	usleep(10 * ROUND_US);
	EXPECT_EQ(0, gpreempt_hold(&ct->queue, 0));
	EXPECT_EQ(0, gpreempt_resume(&ct->queue));
	EXPECT_EQ(0, agree_job_wait(&ct->c, &job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, agree_job_wrong(&job));
}

/* Given while it is preempted: it comes back as before, and is a victim as before. */
TEST_F_TIMEOUT(coexist, gws_while_preempted, 120)
{
	long long preemptions;

	ASSERT_EQ(0, gws_alloc(&self->ct.c.dev, &self->ct.queue));
	EXPECT_TRUE(contest_low_is_off(&self->ct));
	ASSERT_EQ(0, contest_finish(&self->ct));
	preemptions = gpreempt_number("stats/preemptions");
	low_job_start(&self->ct.c, &self->ct.job, &self->ct.queue);
	usleep(CONTEST_LOW_MS * 1000 / 10);
	ASSERT_EQ(0, rival_run(self->ct.rival, 1));
	EXPECT_TRUE(wait_preemption(preemptions));
}

/* Without that global wave sync is another process's: the model stops such waves. */
TEST_F_TIMEOUT(coexist, gws_not_given, 120)
{
	struct contest *ct = &self->ct;
	struct agree_job job;

	if (!gpu_model_present())
		SKIP(return, "what a GPU does then is not known");
	ASSERT_EQ(0, contest_finish(ct));
	ASSERT_EQ(0, client_calibrate(&ct->c, &ct->queue));
	EXPECT_EQ(-ETIME, agree_job_start(&ct->c, &job, &ct->queue, 1, ROUND_US));
	self->over = true;
}

FIXTURE(others) {
	struct rival *rival;
	struct client c;
	pid_t pid;
};

FIXTURE_SETUP(others)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
}

FIXTURE_TEARDOWN(others)
{
	rival_kill(self->rival, self->pid);
	if (self->c.dev.fd > 0)
		client_close(&self->c);
	gpreempt_end();
}

/* A preempted queue's process ends, by @end; the machine is the other's and goes on. */
#define EXPECT_PREEMPTED_ENDS(end) \
do { \
	long long before_ = gpreempt_number("stats/preemptions"); \
	struct until_job until_; \
	struct aql_queue high_; \
	\
	ASSERT_EQ(0, rival_start(&self->rival, &self->pid, PRIORITY_LOW, 0)); \
	ASSERT_EQ(0, rival_run(self->rival, 1)); \
	ASSERT_EQ(0, client_open(&self->c)); \
	ASSERT_EQ(0, aql_create(&high_, &self->c.dev, 64, PRIORITY_HIGH)); \
	ASSERT_EQ(0, until_job_init(&self->c, &until_)); \
	until_job_start(&self->c, &until_, &high_); \
	ASSERT_TRUE(wait_preemption(before_)); \
	end; \
	EXPECT_TRUE(kfd_forgets(self->pid)); \
	EXPECT_EQ(1, until_.signal->value); \
	until_job_stop(&until_); \
	EXPECT_EQ(0, until_job_wait(&self->c, &until_, CLIENT_TIMEOUT_MS)); \
	/* and it is not out of step */ \
	until_job_start(&self->c, &until_, &high_); \
	until_job_stop(&until_); \
	EXPECT_EQ(0, until_job_wait(&self->c, &until_, CLIENT_TIMEOUT_MS)); \
	EXPECT_EQ(0, aql_destroy(&high_)); \
	EXPECT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS)); \
} while (0)

TEST_F_TIMEOUT(others, kill_preempted, 120)
{
	EXPECT_PREEMPTED_ENDS(ASSERT_EQ(0, kill(self->pid, SIGKILL));
			      ASSERT_EQ(self->pid, waitpid(self->pid, NULL, 0)));
	self->pid = 0;
}

/* The process goes on, its memory and queues do not. */
TEST_F_TIMEOUT(others, exec_preempted, 120)
{
	EXPECT_PREEMPTED_ENDS(self->rival->leave = 1);
	EXPECT_EQ(0, waitpid(self->pid, NULL, WNOHANG));
}

/* Whoever keeps a queue off is killed: it comes back. */
TEST_F_TIMEOUT(coexist, kill_holder, 120)
{
	self->over = true;
	ASSERT_EQ(0, kill(self->ct.pid, SIGKILL));
	ASSERT_EQ(self->ct.pid, waitpid(self->ct.pid, NULL, 0));
	self->ct.pid = 0;
	EXPECT_EQ(0, low_job_wait(&self->ct.c, &self->ct.job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->ct.job));
}

TEST_HARNESS_MAIN
