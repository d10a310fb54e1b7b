// SPDX-License-Identifier: GPL-2.0
/*
 * Nonsense for AMDKFD_IOC_GPREEMPT and for every file in sysfs, from root and
 * from another user at once, while queues work, come and go. At the end every
 * queue is mapped, what ran under all that is exact, and the machine works.
 *
 * GPREEMPT_FUZZ_CALLS makes it longer than that of a test run,
 * GPREEMPT_FUZZ_SEED repeats one; the kernel says whether it had a splat, and on
 * a debug kernel whether something leaked.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "ioctl_call.h"

#define CALLS		10000
#define MAX_CALLS	1000000000
#define MAX_SECONDS	100000
#define FUZZERS		4	/* while one waits the others call */
#define MAX_QUEUES	4	/* more than any process here has */
#define MAX_FILES	256	/* likewise */
#define HIGH_US		100

/* Between the test and the fuzzers; the last process number is the test's. */
struct fuzz {
	volatile int ready;
	volatile int stop;
	volatile int ended;
	volatile int leave;
	volatile __u32 queue_id[FUZZERS];	/* what each has at the end */
	volatile unsigned int calls[FUZZERS], accepted[FUZZERS], writes[FUZZERS];
	volatile pid_t pid[FUZZERS + 1];
};

/* The files of the node, open; those that can be written come first. */
static int files[MAX_FILES];
static unsigned int nfiles, nwritable;

FIXTURE(fuzz) {
	struct client c;
	struct aql_queue low, high;
	struct low_job job;
	struct high_job brief;
	struct fuzz *shared;
	unsigned int calls, seed;
};

static unsigned int number(const char *name, unsigned int otherwise, unsigned int most)
{
	const char *text = getenv(name);
	unsigned long value = text ? strtoul(text, NULL, 0) : otherwise;

	return value < most ? value : most;
}

FIXTURE_SETUP(fuzz)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	self->calls = number("GPREEMPT_FUZZ_CALLS", CALLS, MAX_CALLS);
	self->seed = number("GPREEMPT_FUZZ_SEED", kfd_now() / 1000, ~0);
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, open_to_all(&self->c.dev));
}

FIXTURE_TEARDOWN(fuzz)
{
	gpreempt_end();
	if (self->c.dev.fd > 0) {
		EXPECT_EQ(0, aql_destroy(&self->low));
		EXPECT_EQ(0, aql_destroy(&self->high));
		client_close(&self->c);
	}
}

/* A value that is likely to be near a limit, or what a program would say. */
static __u32 some(unsigned int *seed)
{
	static const __u32 values[] = {
		0, 1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65, 999, 1000, 1001, 10000, 60000, 60001,
		1000000, 1000001, 3600000, 3600001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	};

	return rand_r(seed) % 8 ? values[rand_r(seed) % ARRAY_SIZE(values)] : rand_r(seed);
}

/*
 * Where lists go: a page, and nothing behind it as far as the last entry of the
 * largest size can be.
 */
static void *list_area(void)
{
	size_t size = (size_t)MAX_QUEUES << 32;
	void *area = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			  -1, 0);

	if (area == MAP_FAILED || mprotect(area, KFD_PAGE, PROT_READ | PROT_WRITE))
		return NULL;
	return area;
}

static void some_call(struct kfd_dev *dev, struct fuzz *shared, unsigned int who,
		      void *area, unsigned int *seed)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = rand_r(seed) % (LAST_OP + 3),
		.pid = rand_r(seed) % 4 ? shared->pid[rand_r(seed) % (FUZZERS + 1)] : 0,
		.queue_id = rand_r(seed) % 8 ? rand_r(seed) % 3 : some(seed),
	};
	void *to = rand_r(seed) % 16 ? (void *)&args : (void *)(uintptr_t)some(seed);

	switch (args.op) {
	case KFD_GPREEMPT_OP_QUERY:
		args.pid = 0;
		args.queue_id = 0;
		args.gpu_id = dev->gpu_id;
		break;
	case KFD_GPREEMPT_OP_LIST:
		args.list.count = rand_r(seed) % 4 ? rand_r(seed) % 5 : some(seed);
		args.list.entry_size = rand_r(seed) % 4 ? sizeof(struct kfd_gpreempt_queue_info) :
							  some(seed);
		break;
	case KFD_GPREEMPT_OP_GET_DEFAULT:
		args.queue_id = 0;
		break;
	case KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT:
		args.queue_id = 0;
		args.process_default.priority = some(seed);
		args.process_default.ceiling = some(seed);
		args.process_default.timeslice_us = rand_r(seed) % 2 ? some(seed) : 0;
		if (rand_r(seed) % 2)
			break;
		args.flags = (rand_r(seed) % 8) * KFD_GPREEMPT_SET_WEIGHT;
		if (args.flags & KFD_GPREEMPT_SET_WEIGHT)
			args.process_default.weight = some(seed);
		if (args.flags & KFD_GPREEMPT_SET_MIN)
			args.process_default.min_percent = rand_r(seed) % 103;
		if (args.flags & KFD_GPREEMPT_SET_CAP)
			args.process_default.cap_percent = rand_r(seed) % 103;
		break;
	case KFD_GPREEMPT_OP_PREEMPT:
	case KFD_GPREEMPT_OP_RESUME:
		args.flags = rand_r(seed) % 4;
		if (args.flags & KFD_GPREEMPT_WAIT)
			args.preempt.wait_ms = 1 + rand_r(seed) % 20;
		if (args.flags & KFD_GPREEMPT_HOLD)
			args.preempt.hold_ms = rand_r(seed) % 30;
		break;
	default:
		args.reserved[0] = some(seed) | (__u64)some(seed) << 32;
		if (rand_r(seed) % 2)
			args.reserved[0] &= 0xffffffff;
	}
	/* more queues than one, or another name of the process */
	if (!(rand_r(seed) % 4)) {
		args.flags |= KFD_GPREEMPT_PIDFD << rand_r(seed) % 6;
		if (rand_r(seed) % 2)
			args.flags |= KFD_GPREEMPT_EVERYBODY;
		if (args.flags & (KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_PIDFD))
			args.pid = 0;
		if (args.flags & KFD_GPREEMPT_PIDFD)
			args.pidfd = rand_r(seed) % 32;
		if (args.flags & (KFD_GPREEMPT_ALL | KFD_GPREEMPT_AT_LEAST | KFD_GPREEMPT_BELOW))
			args.queue_id = 0;
		if (args.flags & (KFD_GPREEMPT_AT_LEAST | KFD_GPREEMPT_BELOW))
			args.level = rand_r(seed) % 17;
		if (args.flags & KFD_GPREEMPT_CONTEXT)
			args.context_id = rand_r(seed) % 2 ? some(seed) :
							     KFD_GPREEMPT_CONTEXT_PRIMARY;
	}
	if (!(rand_r(seed) % 8))
		((__u8 *)&args)[rand_r(seed) % sizeof(args)] = rand_r(seed);
	/* whatever that made of it: no wait longer than the test */
	if (args.op == KFD_GPREEMPT_OP_PREEMPT || args.op == KFD_GPREEMPT_OP_RESUME)
		args.preempt.wait_ms %= 100;
	/* and no list over our own memory */
	if (args.op == KFD_GPREEMPT_OP_LIST)
		args.list.queues = rand_r(seed) % 4 ? (uintptr_t)area : some(seed);
	shared->calls[who]++;
	shared->accepted[who] += !ioctl(dev->fd, AMDKFD_IOC_GPREEMPT, to);
}

static int open_writable(const char *path, const struct stat *st, int type, struct FTW *at)
{
	if (type != FTW_F || !(st->st_mode & 0222))
		return 0;
	if (nfiles == MAX_FILES)
		return -ENOSPC;
	files[nfiles] = open(path, O_RDWR);
	nwritable = ++nfiles;
	return files[nfiles - 1] < 0 ? -errno : 0;
}

static int open_others(const char *path, const struct stat *st, int type, struct FTW *at)
{
	if (type != FTW_F || st->st_mode & 0222)
		return 0;
	if (nfiles == MAX_FILES)
		return -ENOSPC;
	files[nfiles] = open(path, O_RDONLY);
	return files[nfiles++] < 0 ? -errno : 0;
}

static int open_files(void)
{
	char path[128];

	return gpreempt_path(NULL, path, sizeof(path)) ?:
	       nftw(path, open_writable, 8, FTW_PHYS) ?: nftw(path, open_others, 8, FTW_PHYS);
}

static void some_write(struct fuzz *shared, unsigned int who, unsigned int *seed)
{
	static const char *const words[] = {
		"0\n", "1\n", "none\n", "strict\n", "timeslice\n", "fair\n", "\n",
	};
	char text[64];
	size_t i, size;

	switch (rand_r(seed) % 3) {
	case 0:
		size = snprintf(text, sizeof(text), "%s", words[rand_r(seed) % ARRAY_SIZE(words)]);
		break;
	case 1:
		size = snprintf(text, sizeof(text), "%u\n", some(seed));
		break;
	default:
		size = rand_r(seed) % sizeof(text);
		for (i = 0; i < size; i++)
			text[i] = rand_r(seed);
	}
	shared->calls[who]++;
	shared->writes[who] += pwrite(files[rand_r(seed) % nwritable], text, size, 0) > 0;
}

/* Any file of the node, a page or a few bytes. */
static void some_read(struct fuzz *shared, unsigned int who, unsigned int *seed)
{
	char text[4096];

	shared->calls[who]++;
	shared->accepted[who] += pread(files[rand_r(seed) % nfiles], text,
				       rand_r(seed) % 8 ? sizeof(text) : 3,
				       rand_r(seed) % 8 ? 0 : some(seed)) >= 0;
}

/* A file of a queue, which may be gone. */
static void some_queue_read(struct fuzz *shared, unsigned int who, unsigned int *seed)
{
	static const char *const names[] = {
		"state", "pid", "priority", "permitted_priority", "effective_priority",
		"timeslice_us", "weight", "min_percent", "cap_percent", "group",
		"preemptions", "running_ns", "waiting_ns", "preempted_ns",
	};
	char path[128], text[32];
	int fd;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt/%s",
		 shared->pid[rand_r(seed) % (FUZZERS + 1)], rand_r(seed) % 2,
		 names[rand_r(seed) % ARRAY_SIZE(names)]);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	shared->calls[who] += read(fd, text, sizeof(text)) >= 0;
	close(fd);
}

/* Half of them are root's. */
static bool is_root(unsigned int who)
{
	return who % 2 == 0;
}

static void anything(struct kfd_dev *dev, struct fuzz *shared, unsigned int who, void *area,
		     unsigned int *seed)
{
	unsigned int what = rand_r(seed) % 32;

	if (what == 0)
		some_queue_read(shared, who, seed);
	else if (what <= 4 && is_root(who))
		some_write(shared, who, seed);
	else if (what <= 8 && is_root(who))
		some_read(shared, who, seed);
	else
		some_call(dev, shared, who, area, seed);
}

/* In the place of @q, on its memory, which takes long to allocate. */
static int another_queue(struct aql_queue *q, __u32 priority)
{
	int ret = aql_stop(q);

	if (ret)
		return ret;
	q->amd->write_dispatch_id = 0;
	q->amd->read_dispatch_id = 0;
	q->priority = priority;
	return aql_start(q);
}

/* In a child: queues that come and go, calls and, as root, writes. */
static int fuzz(struct fuzz *shared, unsigned int who, unsigned int seed)
{
	struct aql_signal *dep[5] = {};
	void *area = list_area();
	struct kfd_mem never;
	struct aql_queue q;
	struct kfd_dev dev;
	unsigned int i;

	if (!area || (is_root(who) ? open_files() : setgid(SOME_USER) || setuid(SOME_USER)))
		return 1;
	if (kfd_open(&dev) || kfd_alloc(&dev, &never, KFD_PAGE, KFD_MEM_HOST))
		return 2;
	dep[0] = never.ptr;
	aql_signal_init(dep[0], 1, NULL);
	shared->pid[who] = getpid();
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_SEQ_CST);
	if (aql_create(&q, &dev, 64, 0))
		return 3;
	for (;;) {
		/* half of them wait for what never comes */
		if (rand_r(&seed) % 2)
			aql_barrier(&q, AQL_BARRIER_AND, dep, NULL);
		for (i = 0; i < 1000 && !shared->stop; i++) {
			anything(&dev, shared, who, area, &seed);
			if (!(rand_r(&seed) % 256) &&
			    aql_update(&q, 100, rand_r(&seed) % 8) == -EFAULT)
				return 4;
		}
		if (shared->stop)
			break;
		if (another_queue(&q, rand_r(&seed) % 16))
			return 5;
	}
	shared->queue_id[who] = q.id;
	__atomic_fetch_add(&shared->ended, 1, __ATOMIC_SEQ_CST);
	while (!shared->leave)
		usleep(1000);
	if (aql_destroy(&q))
		return 6;
	kfd_close(&dev);
	return 0;
}

/* The driver takes a queue off while it moves the queue's memory, as after a fork. */
static int becomes_mapped(struct kfd_dev *dev, pid_t pid, __u32 queue_id)
{
	struct kfd_gpreempt_queue_info info;
	unsigned int ms;
	int ret;

	for (ms = 0; ms < CLIENT_TIMEOUT_MS; ms++) {
		ret = gpreempt_get(dev, pid, queue_id, &info);
		if (ret || info.state != KFD_GPREEMPT_QUEUE_OFF)
			return ret ?: (int)info.state;
		usleep(1000);
	}
	return KFD_GPREEMPT_QUEUE_OFF;
}

static unsigned int calls_done(const struct fuzz *shared)
{
	unsigned int i, n = 0;

	for (i = 0; i < FUZZERS; i++)
		n += shared->calls[i];
	return n;
}

/* LOW and HIGH are given work as soon as they have none; nobody waits for what may be held. */
static int keep_busy(struct client *c, struct low_job *job, struct aql_queue *low,
		     struct high_job *brief, struct aql_queue *high)
{
	if (!job->signal->value) {
		if (low_job_wrong(job))
			return -EILSEQ;
		low_job_start(c, job, low);
	}
	if (!brief->signal->value)
		high_job_start(c, brief, high);
	return 0;
}

TEST_F_TIMEOUT(fuzz, ioctl_and_sysfs, MAX_SECONDS)
{
	struct fuzz *shared = self->shared;
	unsigned int i, done, told = 0;
	pid_t child[FUZZERS];
	int status;
	__u32 n;

	n = low_calibrate(&self->c, &self->low, LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &self->job, self->c.dev.cus, n));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->brief, HIGH_US));
	shared->pid[FUZZERS] = getpid();
	for (i = 0; i < FUZZERS; i++) {
		child[i] = client_fork();
		ASSERT_LE(0, child[i]);
		if (!child[i])
			_exit(fuzz(shared, i, self->seed * FUZZERS + i));
	}
	while (shared->ready < FUZZERS) {
		for (i = 0; i < FUZZERS; i++)
			ASSERT_EQ(0, waitpid(child[i], &status, WNOHANG));
		usleep(1000);
	}
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	low_job_start(&self->c, &self->job, &self->low);
	high_job_start(&self->c, &self->brief, &self->high);
	while ((done = calls_done(shared)) < self->calls) {
		if (done / (self->calls / 10 + 1) > told) {
			told++;
			TH_LOG("%u calls", done);
		}
		for (i = 0; i < FUZZERS; i++) {
			ASSERT_EQ(0, waitpid(child[i], &status, WNOHANG)) TH_LOG("%#x", status);
		}
		ASSERT_EQ(0, keep_busy(&self->c, &self->job, &self->low,
				       &self->brief, &self->high));
		usleep(10000);
	}
	shared->stop = 1;
	while (shared->ended < FUZZERS) {
		for (i = 0; i < FUZZERS; i++) {
			ASSERT_EQ(0, waitpid(child[i], &status, WNOHANG)) TH_LOG("%#x", status);
		}
		usleep(1000);
	}

	/* whatever was asked for: off means off, and everybody is mapped */
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	for (i = 0; i < FUZZERS; i++)
		EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN,
			  becomes_mapped(&self->c.dev, child[i], shared->queue_id[i]));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, becomes_mapped(&self->c.dev, 0, self->low.id));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, becomes_mapped(&self->c.dev, 0, self->high.id));
	shared->leave = 1;
	for (i = 0; i < FUZZERS; i++) {
		ASSERT_EQ(child[i], waitpid(child[i], &status, 0));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(0, WEXITSTATUS(status)) TH_LOG("fuzzer %u", i);
		TH_LOG("seed %u, fuzzer %u: %u calls, %u accepted, %u writes accepted",
		       self->seed, i, shared->calls[i], shared->accepted[i], shared->writes[i]);
		EXPECT_LT(0, shared->accepted[i]);
	}
	EXPECT_LT(0, shared->writes[0]);
	TH_LOG("%u calls, seed %u", calls_done(shared), self->seed);

	EXPECT_EQ(0, high_job_wait(&self->c, &self->brief, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));

	/* and it works as before */
	ASSERT_EQ(0, gpreempt_begin());
	EXPECT_EQ(0, gpreempt_set_default(&self->c.dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	low_job_start(&self->c, &self->job, &self->low);
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	high_job_free(&self->c, &self->brief);
	low_job_free(&self->c, &self->job);
}

TEST_HARNESS_MAIN
