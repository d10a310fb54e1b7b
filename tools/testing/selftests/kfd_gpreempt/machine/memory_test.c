// SPDX-License-Identifier: GPL-2.0
/*
 * The GPU's memory as a process sees it: pages of every kind, pages that go
 * away under a running kernel and come back, and what the process is told of
 * an access that cannot be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"

#define LOW_MS		300
#define EVICTIONS	40

/* Words of a page; a large buffer is written one word a page. */
#define PAGE_WORDS	(KFD_PAGE / 4)

FIXTURE(memory) {
	struct client c;
	struct aql_kernel scatter;
	struct aql_queue q;
	struct kfd_mem mem;
	struct aql_signal *signal;
	struct {
		__u64 out;
		__u32 value, stride;
	} *args;
	bool open;
};

FIXTURE_SETUP(memory)
{
	unsigned int node;
	__u32 gpu_id;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, client_open(&self->c));
	self->open = true;
	ASSERT_EQ(0, code_kernel(&self->c.code, "scatter", &self->scatter));
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &self->mem, KFD_PAGE, KFD_MEM_HOST));
	self->signal = self->mem.ptr;
	self->args = (void *)((char *)self->mem.ptr + 64);
}

FIXTURE_TEARDOWN(memory)
{
	if (!self->open)
		return;
	EXPECT_EQ(0, aql_destroy(&self->q));
	client_close(&self->c);
}

/* out[i * @stride] = @value + i for @n words. */
static void scatter(FIXTURE_DATA(memory) *self, void *out, __u32 value, __u32 stride, __u32 n)
{
	self->args->out = (uintptr_t)out;
	self->args->value = value;
	self->args->stride = stride;
	aql_signal_init(self->signal, 1, NULL);
	aql_dispatch(&self->q, &self->scatter, n, 64, self->args, self->signal);
}

static unsigned int wrong(const __u32 *out, __u32 value, __u32 stride, __u32 n)
{
	unsigned int i, bad = 0;

	for (i = 0; i < n; i++)
		bad += out[(size_t)i * stride] != value + i;
	return bad;
}

/*
 * Every page of a buffer, written by the GPU and read by the CPU: page tables
 * lead to the same place on both sides, with large pages and with small ones.
 */
static void every_page(struct __test_metadata *_metadata, FIXTURE_DATA(memory) *self, size_t size,
		       __u32 flags)
{
	__u32 n = size / KFD_PAGE;
	struct kfd_mem buf;

	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &buf, size, flags));
	scatter(self, buf.ptr, size, PAGE_WORDS, n);
	ASSERT_EQ(0, aql_signal_wait(&self->c.dev, self->signal, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, wrong(buf.ptr, size, PAGE_WORDS, n));
	kfd_free(&self->c.dev, &buf);
}

TEST_F_TIMEOUT(memory, vram, 60)
{
	every_page(_metadata, self, 48 << 20, KFD_MEM_CODE);
	every_page(_metadata, self, 65 * KFD_PAGE * 64, KFD_MEM_CODE);
}

TEST_F_TIMEOUT(memory, system, 60)
{
	every_page(_metadata, self, 16 << 20, KFD_MEM_GTT);
	every_page(_metadata, self, 64 * KFD_PAGE, KFD_MEM_GTT);
}

TEST_F_TIMEOUT(memory, userptr, 60)
{
	every_page(_metadata, self, 16 << 20, KFD_MEM_HOST);
	every_page(_metadata, self, 64 * KFD_PAGE, KFD_MEM_HOST);
}

/* Milliseconds that this process' queues were evicted, or -1. */
static long evicted_ms(FIXTURE_DATA(memory) *self)
{
	char path[96];
	long ms = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/stats_%u/evicted_ms", getpid(),
		 self->c.dev.gpu_id);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%ld", &ms) != 1)
			ms = -1;
		fclose(f);
	}
	return ms;
}

/* Ways to take pages away from the GPU, which the driver has to survive. */
enum way { PROTECT, FORK, DONTNEED, WAYS };

static void disturb(struct __test_metadata *_metadata, struct kfd_mem *mem, enum way way)
{
	volatile char *p = mem->ptr;
	int status;
	pid_t pid;

	switch (way) {
	case PROTECT:
		ASSERT_EQ(0, mprotect(mem->ptr, mem->size, PROT_READ));
		ASSERT_EQ(0, mprotect(mem->ptr, mem->size, PROT_READ | PROT_WRITE));
		break;
	case FORK:	/* the pages are the child's: ours are copies from the next write on */
		ASSERT_EQ(0, madvise(mem->ptr, mem->size, MADV_DOFORK));
		pid = client_fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(0);
		p[0] = p[0];
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, madvise(mem->ptr, mem->size, MADV_DONTFORK));
		break;
	default:	/* what was in them is lost: nobody needs it yet */
		ASSERT_EQ(0, madvise(mem->ptr, mem->size, MADV_DONTNEED));
		break;
	}
}

/*
 * LOW's results, which it writes at its end, lose their pages again and again
 * while it runs: each time its queue is evicted and its waves are restored.
 */
TEST_F_TIMEOUT(memory, evictions, 120)
{
	struct kfd_mem *out, other;
	struct low_job job;
	unsigned int i, n;
	long before;

	ASSERT_EQ(0, client_calibrate(&self->c, &self->q));
	n = low_calibrate(&self->c, &self->q, LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &job, self->c.dev.cus, n));
	/* The results are on pages of their own, behind signal and arguments. */
	out = &(struct kfd_mem){ .ptr = (char *)job.mem.ptr + KFD_PAGE,
				 .size = job.mem.size - KFD_PAGE };
	before = evicted_ms(self);
	ASSERT_LE(0, before);
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &other, 64 * KFD_PAGE, KFD_MEM_HOST));
	low_job_start(&self->c, &job, &self->q);
	/* A buffer that nobody uses goes without a word to the driver. */
	ASSERT_EQ(0, munmap(other.ptr, other.size));
	for (i = 0; i < EVICTIONS && job.signal->value; i++) {
		disturb(_metadata, out, i % WAYS);
		usleep(3000);
	}
	EXPECT_EQ(EVICTIONS, i) TH_LOG("LOW ended after %u disturbances", i);
	ASSERT_EQ(0, low_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&job));
	TH_LOG("evicted for %ld ms", evicted_ms(self) - before);
	EXPECT_LT(before, evicted_ms(self));
	low_job_free(&self->c, &job);
	kfd_free(&self->c.dev, &other);
}

/* A kernel that polls the page which is taken away sees what the host writes there. */
TEST_F_TIMEOUT(memory, polled_page_moves, 60)
{
	struct until_job job;
	unsigned int i;

	ASSERT_EQ(0, until_job_init(&self->c, &job));
	until_job_start(&self->c, &job, &self->q);
	for (i = 0; i < 12; i++) {
		disturb(_metadata, &job.mem, i & 1 ? FORK : PROTECT);
		usleep(5000);
	}
	EXPECT_EQ(1, job.signal->value);
	until_job_stop(&job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &job);
}

/*
 * Waits for the event of a memory exception.
 * Return: 0 with what the kernel says of it, or -errno.
 */
static int wait_fault(struct kfd_dev *dev, __u32 event, struct kfd_hsa_memory_exception_data *fault,
		      unsigned int timeout_ms)
{
	struct kfd_event_data data = { .event_id = event };
	struct kfd_ioctl_wait_events_args args = {
		.events_ptr = (uintptr_t)&data,
		.num_events = 1,
		.wait_for_all = 1,
		.timeout = timeout_ms,
	};
	int ret = kfd_ioctl(dev, AMDKFD_IOC_WAIT_EVENTS, &args);

	if (ret)
		return ret;
	*fault = data.memory_exception_data;
	return args.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE ? 0 : -ETIME;
}

/*
 * A write to @va faults, in a process of its own: its queue stays stopped. It
 * hears of the address; others do not notice.
 */
static int fault_at(char *va, size_t size, __u32 flags, bool gone)
{
	struct kfd_ioctl_create_event_args event = { .event_type = KFD_IOC_EVENT_MEMORY };
	struct kfd_hsa_memory_exception_data fault;
	FIXTURE_DATA(memory) self = {};
	struct kfd_mem buf = {};

	if (client_open(&self.c) || code_kernel(&self.c.code, "scatter", &self.scatter) ||
	    aql_create(&self.q, &self.c.dev, 64, PRIORITY_LOW) ||
	    kfd_alloc(&self.c.dev, &self.mem, KFD_PAGE, KFD_MEM_HOST) ||
	    kfd_ioctl(&self.c.dev, AMDKFD_IOC_CREATE_EVENT, &event))
		return 1;
	self.signal = self.mem.ptr;
	self.args = (void *)((char *)self.mem.ptr + 64);
	if (size) {
		if (kfd_alloc(&self.c.dev, &buf, size, flags))
			return 2;
		va = buf.ptr;
		if (gone)
			kfd_free(&self.c.dev, &buf);
	}
	if (wait_fault(&self.c.dev, event.event_id, &fault, 0) != -ETIME)
		return 4;
	scatter(&self, va + 64, 1, 1, 1);
	if (wait_fault(&self.c.dev, event.event_id, &fault, CLIENT_TIMEOUT_MS))
		return 5;
	if (fault.gpu_id != self.c.dev.gpu_id || fault.va != (uintptr_t)va) {
		printf("# fault of GPU %u at 0x%llx, wanted GPU %u at %p\n", fault.gpu_id,
		       (unsigned long long)fault.va, self.c.dev.gpu_id, va);
		return 6;
	}
	/* Why: no page, or one that may not be written. */
	if (fault.failure.NotPresent == fault.failure.ReadOnly ||
	    fault.failure.ReadOnly != !(flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE) ||
	    fault.failure.imprecise)
		return 7;
	return self.signal->value == 1 ? 0 : 8;
}

static void faults(struct __test_metadata *_metadata, FIXTURE_DATA(memory) *self, char *va,
		   size_t size, __u32 flags, bool gone)
{
	pid_t pid = client_fork();
	int status;

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(fault_at(va, size, flags, gone));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_TRUE(WIFEXITED(status));
	every_page(_metadata, self, 64 * KFD_PAGE, KFD_MEM_GTT);
}

TEST_F_TIMEOUT(memory, fault_nowhere, 60)
{
	faults(_metadata, self, (char *)0x7000000000, 0, KFD_MEM_HOST, false);
}

TEST_F_TIMEOUT(memory, fault_freed, 60)
{
	faults(_metadata, self, NULL, 64 * KFD_PAGE, KFD_MEM_HOST, true);
}

TEST_F_TIMEOUT(memory, fault_read_only, 60)
{
	faults(_metadata, self, NULL, 64 * KFD_PAGE,
	       KFD_MEM_GTT & ~KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, false);
}

TEST_HARNESS_MAIN
