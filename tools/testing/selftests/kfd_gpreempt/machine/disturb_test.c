// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants that disturb others: what a process may do with its doorbells costs nobody
 * else anything, and what nobody does anything with costs no power. Run it alone: the
 * GPU is reset.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"
#include "trace.h"

#define CROWD_MS	120000	/* until all of a crowd are ready */
#define PRIORITY_MIDDLE	7

/* Mappings of doorbells, 65,000 in all: of one page, each takes longer the more there are. */
#define MAPPERS		20
#define MAPPINGS	3250
#define PROCESSES	32

#define SAMPLES		101
#define EXITS		9
#define TICK_US		4000
/* Stock's waits end on ticks: those for readers (SRCU) in an exit, and more in a reset. */
#define EXIT_WAIT_NS	1000000
#define RESET_WAIT_NS	4000000
#define CPU_PERCENT	5
#define PARKED_S	60
#define BUSY_MB		256	/* of which a change of protection takes long */
#define FAULT_US	100
#define POLL_US		50
#define ENDS		50
#define QUEUES		8	/* of a process that ends: so long its memory is read */
#define END_MB		32	/* it has: it takes longer to go than the rest of the process */

/* Queues whose rings the CPU reads uncached: as many as processes may have of them. */
#define SLOW_PROCESSES	8
#define SLOW_QUEUES	125
#define SLOW_LOOK_MS	300
#define SLOW_SAMPLES	20
#define SLOW_CPU	50	/* percent that the monitor may take for them */
#define SLOW_SCAN_MS	8	/* what is read, and what as many queues take in any case */
#define SLOW_MS		16	/* HIGH's latency: two scans, a sleep as long, and a save */

/* Loops that would have the monitor look, by an ordinary user's processes. */
#define NOISY		3
#define NOISE_CPU	10	/* percent more that the monitor may take for them */
/* With requests at work it takes 5 % or 11 %, by the rhythm that they come to have. */
#define RHYTHM_CPU	6
#define NOISE_ROUNDS	3	/* of which the median counts */
#define NOISE_MS	100
#define REQUESTS	100
#define REQUEST_US	200

/*
 * A tenant's processes, each the next one's parent. The last of them have defaults, as many as a
 * user may give, at all of which a call looks.
 */
#define CHAIN		2500
#define QUOTA		1024
#define CHAIN_STACK	32768
#define CHAIN_MS	300000	/* until they are there */
#define OPENS		25
#define OPEN_US		100	/* that another user's open may take longer beside them */

/* What such processes do: nothing, something that is nobody's affair, or what disturbs. */
enum noise { QUIET, HARMLESS, DISTURBING };

/**
 * struct crowd - processes of an ordinary user, each with a queue and some mappings of
 *		  its doorbells
 * @ready:	so many have them
 * @failed:	-errno of one that has not
 * @noise:	what they do in a loop
 * @pid:	their numbers
 * @nr:		how many there are
 */
struct crowd {
	volatile int ready, failed;
	enum noise noise;
	pid_t pid[PROCESSES];
	unsigned int nr;
};

static void *map_doorbells(const struct kfd_dev *dev, int flags)
{
	return mmap(NULL, dev->doorbell_mem.size, PROT_READ | PROT_WRITE, flags, dev->fd,
		    dev->doorbell_offset);
}

/* Never returns: the process is killed. */
static void join(struct crowd *crowd, unsigned int mappings)
{
	struct aql_queue q;
	struct kfd_dev dev;
	int ret;

	ret = kfd_open(&dev);
	if (!ret && (setgid(SOME_USER) || setuid(SOME_USER)))
		ret = -errno;
	ret = ret ?: aql_create(&q, &dev, 64, PRIORITY_MIDDLE);
	/* the queue's own is the first */
	while (!ret && --mappings)
		if (map_doorbells(&dev, MAP_SHARED) == MAP_FAILED)
			ret = -errno;
	if (ret)
		crowd->failed = ret;
	__atomic_fetch_add(&crowd->ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
}

static void crowd_end(struct crowd *crowd)
{
	unsigned int i;

	for (i = 0; i < crowd->nr; i++)
		kill(crowd->pid[i], SIGKILL);
	while (crowd->nr)
		waitpid(crowd->pid[--crowd->nr], NULL, 0);
}

/* 0 when all are ready, or -errno. */
static int crowd_start(struct crowd *crowd, unsigned int nr, unsigned int mappings)
{
	__u64 end = kfd_now() + CROWD_MS * 1000000ULL;
	pid_t pid;

	crowd->ready = 0;
	crowd->failed = 0;
	while (crowd->nr < nr) {
		pid = client_fork();
		if (pid < 0)
			return -errno;
		if (!pid)
			join(crowd, mappings);
		crowd->pid[crowd->nr++] = pid;
	}
	while (crowd->ready < nr) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return crowd->failed;
}

FIXTURE(disturb) {
	struct client c;
	struct aql_queue low, high;
	struct crowd *crowd;
	char recover[128];
	bool stock;
};

FIXTURE_SETUP(disturb)
{
	int ret = gpreempt_begin();

	self->stock = !gpreempt_present();
	if (!self->stock && gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	if (!self->stock)
		ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	self->crowd = mmap(NULL, sizeof(*self->crowd), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->crowd);
}

FIXTURE_TEARDOWN(disturb)
{
	if (self->crowd)
		crowd_end(self->crowd);
	if (self->c.dev.fd > 0) {
		EXPECT_EQ(0, aql_destroy(&self->low));
		EXPECT_EQ(0, aql_destroy(&self->high));
		client_close(&self->c);
	}
	trace_off("timer");
	trace_off("rpm");
	trace_off("sched/sched_wakeup");
	if (!self->stock)
		gpreempt_end();
}

#define NO_GPREEMPT	"a kernel without GPREEMPT"

static int by_value(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static __u64 median(__u64 *ns, unsigned int n)
{
	qsort(ns, n, sizeof(*ns), by_value);
	return ns[n / 2];
}

/* What mapping its doorbells anew costs a process, and the first doorbell after that. */
static int map_cost(struct kfd_dev *dev, __u64 *map_ns, __u64 *ring_ns)
{
	__u64 map[SAMPLES], ring[SAMPLES], begin;
	unsigned int i;
	char *p;

	for (i = 0; i < SAMPLES; i++) {
		/* at no fixed phase of the monitor's, which the last doorbell has woken */
		usleep(2000 + i * 370 % 4100);
		begin = kfd_now();
		p = mmap(dev->doorbells, dev->doorbell_mem.size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, dev->fd, dev->doorbell_offset);
		map[i] = kfd_now() - begin;
		if (p == MAP_FAILED)
			return -errno;
		begin = kfd_now();
		/* of no queue: the last one of the slice */
		*(volatile __u64 *)(p + dev->doorbell_mem.size - sizeof(__u64)) = 0;
		ring[i] = kfd_now() - begin;
	}
	*map_ns = median(map, SAMPLES);
	*ring_ns = median(ring, SAMPLES);
	return 0;
}

/* From a process's exit until it is gone. It waits for ticks: exits begin at all times of one. */
static int exit_cost(volatile int *step, __u64 *exit_ns)
{
	struct kfd_dev dev;
	struct aql_queue q;
	__u64 ns[EXITS];
	unsigned int i;
	int status;
	pid_t pid;

	for (i = 0; i < EXITS; i++) {
		*step = 0;
		pid = client_fork();
		if (!pid) {
			if (kfd_open(&dev) || aql_create(&q, &dev, 64, PRIORITY_LOW))
				_exit(1);
			*step = 1;
			while (*step == 1)
				usleep(100);
			_exit(0);
		}
		while (!*step && !waitpid(pid, &status, WNOHANG))
			usleep(1000);
		usleep(5000 + i * TICK_US / EXITS);
		ns[i] = kfd_now();
		*step = 2;
		if (waitpid(pid, &status, 0) != pid || status)
			return -ECHILD;
		ns[i] = kfd_now() - ns[i];
	}
	*exit_ns = median(ns, EXITS);
	return 0;
}

/* What others pay for a crowd, in ns; and the monitor, in percent of a CPU. */
struct price {
	__u64 map, ring, exit, reset;
	unsigned int cpu;
};

static long long cpu_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return -errno;
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Runs in a process of its own: a reset ends its queues. */
static int victim(struct price *price, volatile int *step)
{
	struct aql_queue low, high;
	struct client c;
	int ret;

	ret = client_open_pair(&c, &low, &high);
	ret = ret ?: map_cost(&c.dev, &price->map, &price->ring);
	return ret ?: exit_cost(step, &price->exit);
}

static void report(bool enable, const char *what, __u64 ns)
{
	printf("# report: %s beside %u mappings%s: %llu ns\n", what, MAPPERS * MAPPINGS,
	       enable ? ", enabled" : "", ns);
}

static int pay(FIXTURE_DATA(disturb) *self, bool enable, struct price *price)
{
	struct {
		struct price price;
		volatile int ret, step;
	} *shared = client_shared_page();
	long long cpu = 0;
	clockid_t clock;
	char result[32];
	int ret, status;
	__u64 begin;
	pid_t pid;

	if (!shared)
		return -ENOMEM;
	begin = kfd_now();
	if (enable) {
		ret = gpreempt_set("enable", 1);
		if (ret || clock_getcpuclockid(gpreempt_monitor(), &clock))
			return ret ?: -ESRCH;
		cpu = cpu_ns(clock);
	}
	ret = crowd_start(self->crowd, MAPPERS, MAPPINGS);
	if (ret)
		return ret;
	usleep(1000000);
	if (enable)
		shared->price.cpu = 100 * (cpu_ns(clock) - cpu) / (kfd_now() - begin);
	pid = client_fork();
	if (!pid) {
		shared->ret = victim(&shared->price, &shared->step);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		return -ECHILD;
	begin = kfd_now();
	ret = shared->ret ?: file_read(self->recover, result, sizeof(result));
	shared->price.reset = kfd_now() - begin;
	*price = shared->price;
	crowd_end(self->crowd);
	report(enable, "mmap", price->map);
	report(enable, "exit", price->exit);
	report(enable, "reset", price->reset);
	if (enable)
		printf("# report: the monitor beside that: %u %% of a CPU\n", price->cpu);
	return ret;
}

/* What it may cost, if it costs that much without: a twentieth more. */
static __u64 limit(__u64 without)
{
	return without + without / 20;
}

/* An ordinary user maps doorbells 65,000 times. */
TEST_F_TIMEOUT(disturb, mappings, 600)
{
	struct price without, with;

	if (kfd_recover_path(self->recover, sizeof(self->recover)))
		SKIP(return, KFD_NO_RECOVER);
	ASSERT_EQ(0, pay(self, false, &without));
	if (self->stock)
		return;
	ASSERT_EQ(0, pay(self, true, &with));
	EXPECT_GE(CPU_PERCENT, with.cpu);
	if (!gpu_model_figures())
		return;
	EXPECT_GE(limit(without.map), with.map);
	EXPECT_GE(limit(without.exit) + EXIT_WAIT_NS, with.exit);
	EXPECT_GE(limit(without.reset) + RESET_WAIT_NS, with.reset);
}

/*
 * What it costs where GPREEMPT is not enabled. This and the above run on a kernel
 * without it as well: the figures that they report can be compared.
 */
TEST_F_TIMEOUT(disturb, not_enabled, 60)
{
	__u64 map_ns, ring_ns;

	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, map_cost(&self->c.dev, &map_ns, &ring_ns));
	printf("# report: mmap of doorbells: %llu ns\n", map_ns);
	printf("# report: first doorbell: %llu ns\n", ring_ns);
	EXPECT_LT(0, map_ns);
}

/* Each process's doorbells are taken away once. */
TEST_F_TIMEOUT(disturb, one_revocation_each, 120)
{
	long long before;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, crowd_start(self->crowd, PROCESSES, 1));
	before = gpreempt_number("stats/doorbell_revocations");
	ASSERT_LE(0, before);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	/* this one's, too */
	EXPECT_EQ(PROCESSES + 1, gpreempt_number("stats/doorbell_revocations") - before);
}

/*
 * How long HIGH's doorbell takes, which tells nothing new, in ns; 0 if it does not wake the
 * monitor, which has looked otherwise. It may fault a second time: the monitor took the
 * page away again before the CPU came back to it.
 */
static __u64 rings_and_wakes(FIXTURE_DATA(disturb) *self)
{
	long long faults = gpreempt_number("stats/doorbell_faults");
	long long scans = gpreempt_number("stats/scans");
	__u64 ns = kfd_now();

	*self->high.doorbell = self->high.amd->write_dispatch_id - 1;
	ns = kfd_now() - ns;
	if (gpreempt_number("stats/doorbell_faults") == faults ||
	    gpreempt_wait_number("stats/scans", scans + 1, CLIENT_TIMEOUT_MS))
		return 0;
	return ns;
}

/* Through a private mapping nothing is rung, so it does not keep the monitor awake. */
TEST_F_TIMEOUT(disturb, private_mapping, 60)
{
	void *p;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	p = map_doorbells(&self->c.dev, MAP_PRIVATE);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	*(volatile __u64 *)p = 0;
	EXPECT_EQ(0, gpreempt_wait_state("parked", 0));
	EXPECT_LT(0, rings_and_wakes(self));
	EXPECT_EQ(0, munmap(p, self->c.dev.doorbell_mem.size));
}

/* Scans in a second. */
static long long scans(void)
{
	long long before = gpreempt_number("stats/scans");

	sleep(1);
	return gpreempt_number("stats/scans") - before;
}

/*
 * A process may ring through a second mapping, which is not taken away: while it has a
 * queue it is looked for, seldom if nothing is done and often if it would be in time.
 */
TEST_F_TIMEOUT(disturb, second_mapping, 60)
{
	volatile __u64 *own, *other;
	struct until_job low;
	struct high_job high;
	unsigned int i;
	__u64 ns;
	void *p;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &high, 100));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	p = map_doorbells(&self->c.dev, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, p);
	sleep(1);
	EXPECT_EQ(-ETIME, gpreempt_wait_state("parked", 1000));
	EXPECT_GE(1000000 / gpreempt_number("poll_interval_max_us") * 11 / 10, scans());

	own = self->high.doorbell;
	other = (volatile __u64 *)((char *)p + ((char *)own - (char *)self->c.dev.doorbells));
	until_job_start(&self->c, &low, &self->low);
	ASSERT_EQ(0, until_job_moves(&low));
	self->high.doorbell = other;
	for (i = 0; i < 5; i++) {
		usleep(200000 + i * 333);
		ASSERT_EQ(0, high_job_run(&self->c, &high, &self->high, CLIENT_TIMEOUT_MS, &ns));
		/* an interval, a save, and its work */
		EXPECT_GE(gpu_model_limit(2000) * 1000ULL, ns);
	}
	self->high.doorbell = own;
	until_job_stop(&low);
	ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));

	ASSERT_EQ(0, munmap(p, self->c.dev.doorbell_mem.size));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	EXPECT_LT(0, rings_and_wakes(self));
	until_job_free(&self->c, &low);
	high_job_free(&self->c, &high);
}

/* Which of its mappings a process gives up does not matter to the one that it keeps. */
TEST_F_TIMEOUT(disturb, moved_mapping, 60)
{
	struct kfd_dev *dev = &self->c.dev;
	struct high_job high;
	size_t size, offset;
	char *p, *q;
	__u64 ns;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &high, 100));
	size = dev->doorbell_mem.size;
	offset = (char *)self->high.doorbell - (char *)dev->doorbells;
	p = map_doorbells(dev, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, p);
	/* nothing else is to be mapped here */
	ASSERT_EQ(dev->doorbells, mmap(dev->doorbells, size, PROT_NONE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	/* only the other one is left, then one of each kind, then one that is moved */
	EXPECT_EQ(-ETIME, gpreempt_wait_state("parked", 1000));
	/* KFD does not look at the place in the file: all of them have the same doorbells */
	q = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd,
		 dev->doorbell_offset + 4 * size);
	ASSERT_NE(MAP_FAILED, q);
	ASSERT_EQ(0, munmap(p, size));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	ASSERT_EQ(dev->doorbells, mremap(q, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
					 dev->doorbells));
	EXPECT_LT(0, rings_and_wakes(self));
	EXPECT_EQ(0, high_job_run(&self->c, &high, &self->high, CLIENT_TIMEOUT_MS, &ns));
	/* each page at a place of its own, the first one moved twice */
	q = map_doorbells(dev, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, q);
	ASSERT_EQ(0, munmap(q, size));
	ASSERT_EQ(q, mremap(dev->doorbells, KFD_PAGE, KFD_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, q));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	ASSERT_EQ(dev->doorbells, mremap(q, KFD_PAGE, KFD_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
					 dev->doorbells));
	ASSERT_GT(KFD_PAGE, offset);
	EXPECT_LT(0, rings_and_wakes(self));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	EXPECT_LT(0, rings_and_wakes(self));
}

/* A process that has mapped twice, but has no queue, costs nobody anything. */
static void map_twice(struct crowd *crowd, __u64 offset, size_t size)
{
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	if (mmap(NULL, size, PROT_WRITE, MAP_SHARED, fd, offset) == MAP_FAILED ||
	    mmap(NULL, size, PROT_WRITE, MAP_SHARED, fd, offset) == MAP_FAILED)
		crowd->failed = -errno;
	crowd->ready = 1;
	for (;;)
		pause();
}

TEST_F_TIMEOUT(disturb, second_mapping_without_queue, 60)
{
	struct crowd *crowd = self->crowd;
	pid_t pid;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	pid = client_fork();
	if (!pid)
		map_twice(crowd, self->c.dev.doorbell_offset, self->c.dev.doorbell_mem.size);
	ASSERT_LT(0, pid);
	crowd->pid[crowd->nr++] = pid;
	while (!crowd->ready)
		usleep(1000);
	ASSERT_EQ(0, crowd->failed);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
}

/*
 * Ends with queues to be read, and a mapping that keeps @path locked until it goes; each
 * time at another phase of the monitor's interval.
 */
static int end(const char *path, unsigned int phase)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct aql_queue q[QUEUES];
	struct kfd_dev dev;
	unsigned int i;
	__u64 ns;

	if (fd < 0 || flock(fd, LOCK_EX) ||
	    mmap(NULL, KFD_PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ||
	    mmap(NULL, END_MB << 20, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED ||
	    kfd_open(&dev))
		return 1;
	close(fd);
	for (i = 0; i < QUEUES; i++)
		if (aql_create(&q[i], &dev, 64, PRIORITY_HIGH))
			return 2;
	/* a timer would be put off to the monitor's */
	for (ns = kfd_now() + 2000000 + phase * 7000; kfd_now() < ns; )
		;
	return 0;
}

/* The driver reads a process's memory; that goes with the process all the same, at its expense. */
TEST_F_TIMEOUT(disturb, memory_ends_with_process, 120)
{
	unsigned int i, late = 0;
	struct until_job job;
	char path[32];
	int fd, status;
	pid_t pid;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	fd = memfd_create("end", MFD_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, KFD_PAGE));
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, until_job_init(&self->c, &job));
	ASSERT_EQ(0, gpreempt_set("poll_interval_us", POLL_US));
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", POLL_US));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &job, &self->low);
	for (i = 0; i < ENDS; i++) {
		pid = client_fork();
		if (!pid)
			_exit(end(path, i));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		late += flock(fd, LOCK_EX | LOCK_NB) != 0;
		flock(fd, LOCK_UN);
	}
	EXPECT_EQ(0, late) TH_LOG("%u of %u", late, ENDS);
	close(fd);
	until_job_stop(&job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &job);
}

/* What is counted are wake-ups: the second page's fault finds the monitor at work. */
TEST_F_TIMEOUT(disturb, faults_that_wake, 60)
{
	struct until_job job;
	long long faults;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, until_job_init(&self->c, &job));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	faults = gpreempt_number("stats/doorbell_faults");
	until_job_start(&self->c, &job, &self->high);
	ASSERT_EQ(0, until_job_moves(&job));
	*(volatile __u64 *)((char *)self->c.dev.doorbells + self->c.dev.doorbell_mem.size -
			    sizeof(__u64)) = 0;
	EXPECT_EQ(1, gpreempt_number("stats/doorbell_faults") - faults);
	until_job_stop(&job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &job);
}

/* Memory whose protection another thread changes, again and again. */
struct busy {
	char *p;
	volatile int run, running;
};

static void *protect(void *arg)
{
	struct busy *busy = arg;

	while (busy->run >= 0) {
		while (!busy->run)
			usleep(100);
		busy->running = 1;
		while (busy->run > 0) {
			mprotect(busy->p, BUSY_MB << 20, PROT_READ);
			mprotect(busy->p, BUSY_MB << 20, PROT_READ | PROT_WRITE);
		}
		busy->running = 0;
	}
	return NULL;
}

/* Memory for protect(). 0 or -errno. */
static int busy_map(struct busy *busy)
{
	busy->p = mmap(NULL, BUSY_MB << 20, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return busy->p == MAP_FAILED ? -errno : 0;
}

/* A doorbell does not wait for what its process does to other memory. */
TEST_F_TIMEOUT(disturb, fault_waits_for_nothing, 120)
{
	struct busy busy = {};
	pthread_t thread;
	__u64 ns[EXITS];
	unsigned int i;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, busy_map(&busy));
	ASSERT_EQ(0, pthread_create(&thread, NULL, protect, &busy));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < EXITS; i++) {
		ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
		busy.run = 1;
		while (!busy.running)
			;
		usleep(1000 + 100 * i);
		ns[i] = rings_and_wakes(self);
		EXPECT_LT(0, ns[i]);
		busy.run = 0;
		while (busy.running)
			usleep(100);
	}
	busy.run = -1;
	pthread_join(thread, NULL);
	munmap(busy.p, BUSY_MB << 20);
	median(ns, EXITS);
	printf("# report: a doorbell fault beside mprotect(): %llu us, %llu us at most\n",
	       ns[EXITS / 2] / 1000, ns[EXITS - 1] / 1000);
	EXPECT_GE(gpu_model_limit(FAULT_US) * 1000ULL, ns[EXITS / 2]);
}

/* NULL, or @arg if an announcement failed: nothing would be tested any more. */
static void *announce(void *arg)
{
	FIXTURE_DATA(disturb) *self = arg;
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->high.id, .hint = { 1000, 1000 },
	};

	while (!self->crowd->ready)
		if (gpreempt_call(&self->c.dev, &args))
			return arg;
	return NULL;
}

/*
 * HINT puts the caller's doorbells back, and may wait for what its process does to its
 * memory; whoever asks about its queues meanwhile does not.
 */
TEST_F_TIMEOUT(disturb, hint_waits_alone, 120)
{
	struct kfd_gpreempt_queue_info info;
	pthread_t changing, announcing;
	struct busy busy = { .run = 1 };
	__u64 ns[SAMPLES];
	unsigned int i;
	void *failed;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, busy_map(&busy));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, pthread_create(&changing, NULL, protect, &busy));
	ASSERT_EQ(0, pthread_create(&announcing, NULL, announce, self));
	for (i = 0; i < SAMPLES; i++) {
		usleep(1000 + i * 370 % 4100);
		ns[i] = kfd_now();
		ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
		ns[i] = kfd_now() - ns[i];
	}
	self->crowd->ready = 1;
	busy.run = -1;
	pthread_join(announcing, &failed);
	EXPECT_EQ(NULL, failed);
	pthread_join(changing, NULL);
	munmap(busy.p, BUSY_MB << 20);
	median(ns, SAMPLES);
	printf("# report: LIST of one beside HINT and mprotect(): %llu us, %llu us at most\n",
	       ns[SAMPLES / 2] / 1000, ns[SAMPLES - 1] / 1000);
	EXPECT_GE(gpu_model_limit(FAULT_US) * 1000ULL, ns[SAMPLES / 2]);
}

/* Flags of the mapping at @p, as in /proc/self/smaps. 0 or -errno. */
static int vm_flags(const void *p, char *flags, size_t size)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long start = 0, end = 0, a, b;
	char line[512];
	int ret = -ENOENT;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
			start = a;
			end = b;
		} else if (!strncmp(line, "VmFlags:", 8) && start <= (uintptr_t)p &&
			   (uintptr_t)p < end) {
			snprintf(flags, size, "%s", line);
			ret = 0;
		}
	}
	if (f)
		fclose(f);
	return ret;
}

/* The monitor does not change a mapping's flags, which mprotect() writes, too. */
TEST_F_TIMEOUT(disturb, flags_stay, 60)
{
	char before[512], after[512];

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, vm_flags(self->c.dev.doorbells, before, sizeof(before)));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, vm_flags(self->c.dev.doorbells, after, sizeof(after)));
	EXPECT_STREQ(before, after);
}

/* Lines of what was traced, of one event. */
static int traced(const char *text, const char *event)
{
	int n = 0;

	while ((text = strstr(text, event))) {
		n++;
		text++;
	}
	return n;
}

/*
 * Parked, the monitor sets no timer, is not woken, and takes no hold of the GPU's
 * power. It reads no register, and only for that it keeps GFXOFF off.
 */
TEST_F_TIMEOUT(disturb, parked, 120)
{
	long long wakeups, registers;
	char filter[64], *text;
	struct until_job job;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, until_job_init(&self->c, &job));
	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on("rpm", "0"));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	usleep(100000);
	snprintf(filter, sizeof(filter), "common_pid == %d", gpreempt_monitor());
	ASSERT_EQ(0, trace_on("timer", filter));
	snprintf(filter, sizeof(filter), "pid == %d", gpreempt_monitor());
	ASSERT_EQ(0, trace_on("sched/sched_wakeup", filter));
	wakeups = gpreempt_number("stats/wakeups");
	registers = gpreempt_number("stats/register_accesses");
	sleep(PARKED_S);
	EXPECT_EQ(wakeups, gpreempt_number("stats/wakeups"));
	EXPECT_EQ(registers, gpreempt_number("stats/register_accesses"));
	text = trace_read();
	ASSERT_NE(NULL, text);
	EXPECT_EQ(0, traced(text, "timer_start: ")) TH_LOG("%s", text);
	EXPECT_EQ(0, traced(text, "sched_wakeup: ")) TH_LOG("%s", text);
	EXPECT_EQ(0, traced(text, ": rpm_")) TH_LOG("%s", text);
	free(text);
	/* it would have been seen */
	until_job_start(&self->c, &job, &self->high);
	ASSERT_EQ(0, until_job_moves(&job));
	text = trace_read();
	ASSERT_NE(NULL, text);
	EXPECT_LT(0, traced(text, "timer_start: "));
	EXPECT_LT(0, traced(text, "sched_wakeup: "));
	free(text);
	until_job_stop(&job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &job);
}

static int set_priority(struct aql_queue *q, unsigned int i)
{
	int ret = gpreempt_set_priority(q->dev, 0, q->id, i % 2);

	return ret < 0 ? ret : 0;
}

static int set_default(struct aql_queue *q, unsigned int i)
{
	return gpreempt_set_default(q->dev, 0, i % 2, KFD_GPREEMPT_NONE);
}

static int map_again(struct aql_queue *q, unsigned int i)
{
	void *p = map_doorbells(q->dev, MAP_SHARED);

	return p == MAP_FAILED || munmap(p, q->dev->doorbell_mem.size) ? -errno : 0;
}

static int ring(struct aql_queue *q, unsigned int i)
{
	*q->doorbell = q->amd->write_dispatch_id - 1;
	return 0;
}

static int announce_again(struct aql_queue *q, unsigned int i)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = q->id, .hint = { 10 * (i % 1000), 1 },
	};

	return gpreempt_call(q->dev, &args);
}

static int update(struct aql_queue *q, unsigned int i)
{
	return aql_update(q, 0, i % 2);
}

/* As long a way into the driver, which changes nothing. */
static int ask(struct kfd_dev *dev)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_QUERY, .gpu_id = dev->gpu_id,
	};

	return gpreempt_call(dev, &args);
}

/*
 * All on one CPU, where the time that one takes is nobody else's. On the model two CPUs have
 * one clock and take turns: a thread's time goes on during the other CPU's turn.
 */
static int pin(pid_t pid)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	return sched_setaffinity(pid, sizeof(first), &first) ? -errno : 0;
}

/*
 * Queues that share all their memory, which is none that the GPU could do anything with. To the
 * CPU the ring is the device's: doorbells, whose reads take as long as those of VRAM. Never
 * returns: the process is killed.
 */
static void read_slowly(struct crowd *crowd)
{
	struct aql_queue q;
	struct kfd_dev dev;
	unsigned int i;
	int ret;

	ret = kfd_open(&dev);
	if (!ret && (setgid(SOME_USER) || setuid(SOME_USER)))
		ret = -errno;
	ret = ret ?: aql_create(&q, &dev, 64, PRIORITY_LOW);
	ret = ret ?: aql_stop(&q);
	if (!ret) {
		kfd_free(&dev, &q.ring);
		/* doorbells are mapped as a whole */
		ret = kfd_alloc(&dev, &q.ring, dev.doorbell_mem.size, KFD_MEM_GTT);
	}
	if (!ret) {
		q.packet = q.ring.ptr;
		q.packets = q.ring.size / AQL_PACKET_BYTES;
		for (i = 0; i < q.packets; i++)
			q.packet[i].header = AQL_INVALID;
		q.amd->base_address = (uintptr_t)q.ring.ptr;
		q.amd->size = q.packets;
		q.amd->write_dispatch_id = q.amd->read_dispatch_id + 1;
		if (mmap(q.ring.ptr, q.ring.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 dev.fd, dev.doorbell_offset) == MAP_FAILED)
			ret = -errno;
	}
	for (i = 0; !ret && i < SLOW_QUEUES; i++)
		ret = aql_start(&q);
	if (ret)
		crowd->failed = ret;
	__atomic_fetch_add(&crowd->ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
}

/*
 * How long the monitor takes to read a tenant's queues is for the tenant to say only within
 * bounds: it costs half a CPU at most, and HIGH's requests are seen in time.
 */
TEST_F_TIMEOUT(disturb, slow_memory, 300)
{
	struct crowd *crowd = self->crowd;
	__u64 ns[SLOW_SAMPLES], begin;
	struct high_job request;
	unsigned int i, percent;
	clockid_t clock;
	long long cpu;
	cpu_set_t cpus;
	pid_t pid;

	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(cpus), &cpus));
	ASSERT_EQ(0, pin(0));
	while (crowd->nr < SLOW_PROCESSES) {
		pid = client_fork();
		ASSERT_LE(0, pid);
		if (!pid)
			read_slowly(crowd);
		crowd->pid[crowd->nr++] = pid;
	}
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &request, REQUEST_US));
	while (crowd->ready < SLOW_PROCESSES)
		usleep(1000);
	ASSERT_EQ(0, crowd->failed);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, pin(gpreempt_monitor()));
	ASSERT_EQ(0, clock_getcpuclockid(gpreempt_monitor(), &clock));

	cpu = cpu_ns(clock);
	begin = kfd_now();
	usleep(SLOW_LOOK_MS * 1000);
	percent = 100 * (cpu_ns(clock) - cpu) / (kfd_now() - begin);
	for (i = 0; i < SLOW_SAMPLES; i++) {
		usleep(20000 + i * 3700 % 23000);
		ASSERT_EQ(0, high_job_run(&self->c, &request, &self->high, CLIENT_TIMEOUT_MS,
					  &ns[i]));
	}
	median(ns, SLOW_SAMPLES);
	printf("# report: beside %u queues read slowly the monitor takes %u %% of a CPU,",
	       SLOW_PROCESSES * SLOW_QUEUES, percent);
	printf(" a scan %lld us at most; HIGH %llu us, %llu at most\n",
	       gpreempt_number("stats/scan_ns_max") / 1000, ns[SLOW_SAMPLES / 2] / 1000,
	       ns[SLOW_SAMPLES - 1] / 1000);
	if (gpu_model_figures()) {
		EXPECT_GE(SLOW_CPU, percent);
		EXPECT_GE(SLOW_SCAN_MS * 1000000LL, gpreempt_number("stats/scan_ns_max"));
		EXPECT_GE(SLOW_MS * 1000000ULL, ns[SLOW_SAMPLES - 1]);
	}
	high_job_free(&self->c, &request);
	EXPECT_EQ(0, sched_setaffinity(gpreempt_monitor(), sizeof(cpus), &cpus));
}

/**
 * struct chain - a user's processes, the last of which uses the GPU
 * @length:	how many there are by now
 * @ready: @failed: all that were wanted are there; -errno if not
 * @noise:	what the last one does
 * @sets:	how often it has set a default
 * @pid:	their numbers
 * @stack:	of each but the first and the last
 */
struct chain {
	volatile unsigned int length;
	volatile int ready, failed;
	volatile enum noise noise;
	volatile unsigned int sets;
	pid_t pid[CHAIN];
	char (*stack)[CHAIN_STACK];
};

/*
 * Of the last one: the defaults of itself and of those above, as many as a user may give, and then
 * its own, again and again.
 */
static int set_defaults(struct chain *chain)
{
	struct kfd_dev dev;
	unsigned int i;
	int ret;

	ret = kfd_open(&dev);
	for (i = CHAIN - QUOTA; !ret && i < CHAIN; i++)
		ret = gpreempt_set_default(&dev, chain->pid[i], 1, KFD_GPREEMPT_NONE);
	chain->failed = ret;
	chain->ready = 1;
	for (i = 0; !ret; i++) {
		if (chain->noise == HARMLESS) {
			ret = ask(&dev);
		} else if (chain->noise == DISTURBING) {
			ret = gpreempt_set_default(&dev, 0, i % 2, KFD_GPREEMPT_NONE);
			chain->sets++;
		} else {
			usleep(1000);
		}
	}
	return ret;
}

/*
 * Never returns: all are killed with the first, which is that of a pid namespace. They share
 * their memory, but for the last one, as so many copies of it would take minutes.
 */
static int lengthen(void *arg)
{
	struct chain *chain = arg;
	unsigned int n = chain->length++;
	pid_t pid;

	chain->pid[n] = getpid();
	if (n < CHAIN - 2) {
		pid = clone(lengthen, chain->stack[n + 1], CLONE_VM | SIGCHLD, chain);
	} else {
		pid = fork();
		if (!pid) {
			chain->pid[chain->length++] = getpid();
			chain->failed = set_defaults(chain);
		}
	}
	if (pid < 0)
		chain->failed = -errno;
	while (pause())
		;
	return 0;
}

/* The first one. */
static void begin_chain(struct chain *chain)
{
	cpu_set_t second;

	CPU_ZERO(&second);
	CPU_SET(1, &second);
	chain->stack = mmap(NULL, sizeof(*chain->stack) * (CHAIN - 2), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (chain->stack == MAP_FAILED || setgid(SOME_USER) || setuid(SOME_USER) ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) || sched_setaffinity(0, sizeof(second), &second))
		chain->failed = -errno;
	else
		lengthen(chain);
	_exit(1);
}

/* How long another user's process waits for its first open of /dev/kfd. 0 or -errno. */
static int open_cost(__u64 *open_ns)
{
	volatile __u64 *shared = client_shared_page();
	__u64 ns[OPENS];
	unsigned int i;
	int status;
	pid_t pid;

	if (!shared)
		return -ENOMEM;
	for (i = 0; i < OPENS; i++) {
		/* until nothing is left of the one before, for which an open would wait */
		usleep(30000 + i * 370);
		pid = client_fork();
		if (!pid) {
			if (become(SOME_USER + 1, false))
				_exit(1);
			*shared = kfd_now();
			if (open("/dev/kfd", O_RDWR | O_CLOEXEC) < 0)
				_exit(2);
			*shared = kfd_now() - *shared;
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return -ECHILD;
		ns[i] = *shared;
	}
	*open_ns = median(ns, OPENS);
	return 0;
}

/* Beside calls on another CPU that are nobody's affair, and beside such as set defaults. */
static void open_beside(struct __test_metadata *_metadata, FIXTURE_DATA(disturb) *self)
{
	struct rlimit many = { RLIM_INFINITY, RLIM_INFINITY };
	struct sched_param first = { .sched_priority = 1 };
	__u64 alone, beside, end = kfd_now() + CHAIN_MS * 1000000ULL;
	struct chain *chain;
	struct kfd_dev dev;
	pid_t pid;

	ASSERT_LE(2, sysconf(_SC_NPROCESSORS_ONLN));
	ASSERT_EQ(0, setrlimit(RLIMIT_NPROC, &many));
	ASSERT_EQ(0, kfd_open(&dev));
	ASSERT_EQ(0, open_to_all(&dev));
	kfd_close(&dev);
	chain = mmap(NULL, sizeof(*chain), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, chain);
	ASSERT_EQ(0, unshare(CLONE_NEWPID));
	pid = client_fork();
	if (!pid)
		begin_chain(chain);
	ASSERT_LT(0, pid);
	self->crowd->pid[self->crowd->nr++] = pid;
	while (!chain->ready && !chain->failed) {
		ASSERT_GT(end, kfd_now());
		usleep(10000);
	}
	ASSERT_EQ(0, chain->failed);
	ASSERT_EQ(CHAIN, chain->length);
	ASSERT_EQ(0, pin(0));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	chain->noise = HARMLESS;
	ASSERT_EQ(0, open_cost(&alone));
	chain->noise = DISTURBING;
	ASSERT_EQ(0, open_cost(&beside));
	chain->noise = QUIET;
	printf("# report: an open of /dev/kfd takes %llu us, beside a chain of %u", alone / 1000,
	       chain->length);
	printf(" and %u calls %llu us\n", chain->sets, beside / 1000);
	EXPECT_LT(OPENS, chain->sets);
	ASSERT_EQ(0, chain->failed);
	if (gpu_model_figures())
		EXPECT_GE(alone + OPEN_US * 1000, beside);
	crowd_end(self->crowd);
	munmap(chain, sizeof(*chain));
}

/* Nobody walks a tenant's chain of processes to its end, or waits for a look at its defaults. */
TEST_F_TIMEOUT(disturb, open_beside_chain, 600)
{
	if (self->stock)
		SKIP(return, NO_GPREEMPT);
	open_beside(_metadata, self);
}

FIXTURE(noise) {
	cpu_set_t cpus;
	struct client c;
	struct aql_queue low, high;
	struct until_job job;
	struct high_job request;
	struct crowd *crowd;
	clockid_t clock;
};

FIXTURE_VARIANT(noise) {
	int (*act)(struct aql_queue *q, unsigned int i);
	bool without_queue;
	bool locks;
};

FIXTURE_VARIANT_ADD(noise, priority) { .act = set_priority };
FIXTURE_VARIANT_ADD(noise, process_default) { .act = set_default };
FIXTURE_VARIANT_ADD(noise, default_without_queue) { .act = set_default, .without_queue = true };
FIXTURE_VARIANT_ADD(noise, mmap) { .act = map_again };
FIXTURE_VARIANT_ADD(noise, doorbell) { .act = ring };
/*
 * Both take the lock under which stock maps queues; the second is stock's own call. The holder
 * may have to give up the CPU to the next of the loops, for milliseconds. The monitor takes that
 * lock twice for a preemption, each time behind all of the loops.
 */
FIXTURE_VARIANT_ADD(noise, hint) { .act = announce_again, .locks = true };
FIXTURE_VARIANT_ADD(noise, update) { .act = update, .locks = true };

/* Never returns: the process is killed. */
static void be_noisy(struct crowd *crowd, bool queue,
		     int (*act)(struct aql_queue *q, unsigned int i))
{
	struct kfd_dev dev;
	struct aql_queue q = { .dev = &dev };
	enum noise noise;
	unsigned int i;
	int ret;

	ret = kfd_open(&dev);
	if (!ret && (setgid(SOME_USER) || setuid(SOME_USER)))
		ret = -errno;
	/* it is what the monitor does, not what they take of a CPU themselves */
	if (!ret && nice(19) < 0)
		ret = -errno;
	if (!ret && queue)
		ret = aql_create(&q, &dev, 64, PRIORITY_MIDDLE);
	/* one that is not active changes no runlist */
	if (!ret && act == update)
		ret = aql_update(&q, 0, PRIORITY_MIDDLE);
	crowd->failed = ret;
	__atomic_fetch_add(&crowd->ready, 1, __ATOMIC_SEQ_CST);
	for (i = 0; ; i++) {
		noise = __atomic_load_n(&crowd->noise, __ATOMIC_SEQ_CST);
		if (noise == QUIET)
			usleep(1000);
		else
			ret = noise == HARMLESS ? ask(&dev) : act(&q, i);
		if (ret)
			crowd->failed = ret;
	}
}

FIXTURE_SETUP(noise)
{
	struct sched_param first = { .sched_priority = 1 };
	int ret = gpreempt_begin();
	unsigned int i;
	pid_t pid;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	self->crowd = client_shared_page();
	ASSERT_NE(NULL, self->crowd);
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(self->cpus), &self->cpus));
	ASSERT_EQ(0, pin(0));
	for (i = 0; i < NOISY; i++) {
		pid = client_fork();
		ASSERT_LE(0, pid);
		if (!pid)
			be_noisy(self->crowd, !variant->without_queue, variant->act);
		self->crowd->pid[self->crowd->nr++] = pid;
	}
	while (self->crowd->ready < NOISY)
		usleep(1000);
	ASSERT_EQ(0, self->crowd->failed);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->request, REQUEST_US));
	ASSERT_EQ(0, until_job_init(&self->c, &self->job));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, pin(gpreempt_monitor()));
	ASSERT_EQ(0, clock_getcpuclockid(gpreempt_monitor(), &self->clock));
	/* HIGH's own wait for the CPU is not the monitor's doing */
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
}

FIXTURE_TEARDOWN(noise)
{
	if (gpreempt_monitor() > 0)
		sched_setaffinity(gpreempt_monitor(), sizeof(self->cpus), &self->cpus);
	if (self->crowd)
		crowd_end(self->crowd);
	if (self->c.dev.fd > 0) {
		EXPECT_EQ(0, aql_destroy(&self->low));
		EXPECT_EQ(0, aql_destroy(&self->high));
		client_close(&self->c);
	}
	gpreempt_end();
}

static void make(FIXTURE_DATA(noise) *self, enum noise noise)
{
	__atomic_store_n(&self->crowd->noise, noise, __ATOMIC_SEQ_CST);
}

/* The monitor's share of a CPU while @run(@self) does, in percent, or -errno. */
static int monitor_share(FIXTURE_DATA(noise) *self, int (*run)(FIXTURE_DATA(noise) *self))
{
	long long cpu = cpu_ns(self->clock);
	__u64 begin = kfd_now();
	int ret = run(self);

	return ret ?: (int)(100 * (cpu_ns(self->clock) - cpu) / (kfd_now() - begin));
}

static int rest(FIXTURE_DATA(noise) *self)
{
	usleep(NOISE_MS * 1000);
	return 0;
}

static unsigned int percent;	/* so many of HIGH's requests, of serve() */
static __u64 late_ns;		/* take so long at most */

/* HIGH's requests, at no fixed phase. */
static int serve(FIXTURE_DATA(noise) *self)
{
	static __u64 ns[REQUESTS];
	unsigned int i;
	int ret;

	for (i = 0; i < REQUESTS; i++) {
		usleep(500 + i * 370 % 2300);
		ret = high_job_run(&self->c, &self->request, &self->high, CLIENT_TIMEOUT_MS,
				   &ns[i]);
		if (ret)
			return ret;
	}
	median(ns, REQUESTS);
	late_ns = ns[REQUESTS * percent / 100 - 1];
	return 0;
}

/*
 * Whatever they do, and however often, it costs the monitor no more than a tenth of a CPU
 * more than the dearer rhythm of requests, and a third party no more than an interval, or one for
 * each time that the monitor takes a lock which they take: on a machine that nobody uses, and on
 * one where LOW and HIGH contend. Loops that are nobody's affair take as much of the CPU, and make
 * threads that are not real-time ones, the monitor among them, wait for it as long.
 */
TEST_F_TIMEOUT(noise, is_bounded, 300)
{
	__u64 quiet_ns, interval_ns = gpreempt_number("poll_interval_us") * 1000;
	__u64 cpu[2][NOISE_ROUNDS], late[2][NOISE_ROUNDS];
	int idle, disturbed_idle, share;
	/* how long a lock is held by one that waits for the CPU is luck */
	unsigned int i, with, rounds = variant->locks ? NOISE_ROUNDS : 1;

	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	make(self, HARMLESS);
	idle = monitor_share(self, rest);
	make(self, DISTURBING);
	disturbed_idle = monitor_share(self, rest);
	make(self, QUIET);

	percent = variant->locks ? 90 : 99;
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	ASSERT_EQ(0, serve(self));
	quiet_ns = late_ns;
	for (i = 0; i < rounds; i++) {
		for (with = 0; with < 2; with++) {
			make(self, with ? DISTURBING : HARMLESS);
			share = monitor_share(self, serve);
			ASSERT_LE(0, share);
			cpu[with][i] = share;
			late[with][i] = late_ns;
		}
	}
	make(self, QUIET);
	until_job_stop(&self->job);
	ASSERT_EQ(0, until_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, self->crowd->failed);
	for (with = 0; with < 2; with++) {
		cpu[with][0] = median(cpu[with], rounds);
		late[with][0] = median(late[with], rounds);
	}

	TH_LOG("the monitor, of a CPU: idle %d %%, disturbed %d; at work %llu %%, disturbed %llu",
	       idle, disturbed_idle, cpu[0][0], cpu[1][0]);
	TH_LOG("%u %% of HIGH's requests: %llu us at most, %llu beside loops, disturbed %llu",
	       percent, quiet_ns / 1000, late[0][0] / 1000, late[1][0] / 1000);
	ASSERT_LE(0, idle);
	if (!gpu_model_figures())
		return;
	EXPECT_GE(idle + NOISE_CPU, disturbed_idle);
	EXPECT_GE(cpu[0][0] + NOISE_CPU + RHYTHM_CPU, cpu[1][0]);
	EXPECT_GE((late[0][0] > quiet_ns ? late[0][0] : quiet_ns) +
		  (variant->locks ? 2 : 1) * interval_ns, late[1][0]);
}

TEST_HARNESS_MAIN
