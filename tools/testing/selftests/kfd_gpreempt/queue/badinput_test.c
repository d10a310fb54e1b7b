// SPDX-License-Identifier: GPL-2.0
/*
 * What applications may do to the memory that the monitor reads, while it
 * reads. Whatever it is, other queues are served, and the driver lives on.
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
#include "gpu_model.h"
#include "ioctl_call.h"

/* A workgroup of LOW's, and what its values begin at. */
#define LOW_ITEMS	128
#define LOW_TAG		0x10000

FIXTURE(badinput) {
	struct client c;
	struct aql_queue low, high;
	struct hold_job job;
	struct high_job high_job;
	struct shared *shared;
	pid_t child;
	bool open;
};

FIXTURE_SETUP(badinput)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
}

FIXTURE_TEARDOWN(badinput)
{
	char state[32];

	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	if (self->open) {
		EXPECT_EQ(0, aql_destroy(&self->low));
		EXPECT_EQ(0, aql_destroy(&self->high));
		client_close(&self->c);
		ASSERT_EQ(0, gpreempt_read("state", state, sizeof(state)));
		EXPECT_STRNE("bypassed", state);
	}
	gpreempt_end();
}

/* After a fork, if the test has one: a low and a high queue with work for both. */
static int open_client(struct client *c, struct aql_queue *low, struct aql_queue *high,
		       struct high_job *high_job)
{
	int ret = client_open_pair(c, low, high);

	ret = ret ?: client_calibrate(c, high);
	/* no room for HIGH beside LOW */
	c->hold.group_bytes = CLIENT_LDS_BYTES;
	return ret ?: high_job_init(c, high_job, 200);
}

#define OPEN() do { \
	ASSERT_EQ(0, open_client(&self->c, &self->low, &self->high, &self->high_job)); \
	self->open = true; \
	ASSERT_EQ(0, gpreempt_set("enable", 1)); \
} while (0)

/* LOW is on every compute unit when this is over; it ends when it is told to. */
static int low_begin(struct client *c, struct aql_queue *low, struct hold_job *job)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	unsigned int i;
	int ret;

	ret = hold_job_start(c, job, low, c->dev.cus * LOW_ITEMS, LOW_ITEMS, LOW_TAG);
	for (i = 0; !ret && i < c->dev.cus; i++)
		while (!job->beats[i]) {
			if (kfd_now() > end)
				return -ETIME;
			usleep(200);
		}
	return ret;
}

/* It has kept its values. */
static int low_finish(struct client *c, struct hold_job *job)
{
	int ret = hold_job_end(c, job);

	if (ret)
		return ret;
	ret = hold_job_wrong(job) ? -EILSEQ : 0;
	kfd_free(&c->dev, &job->mem);
	return ret;
}

/* LOW and HIGH together work as they should: LOW exact, HIGH before LOW's end. */
static int both_work(struct client *c, struct aql_queue *low, struct aql_queue *high,
		     struct hold_job *job, struct high_job *high_job)
{
	int ret = low_begin(c, low, job);
	__u64 ns;

	ret = ret ?: high_job_run(c, high_job, high, CLIENT_TIMEOUT_MS, &ns);
	return ret ?: low_finish(c, job);
}

#define BOTH_WORK() \
	EXPECT_EQ(0, both_work(&self->c, &self->low, &self->high, &self->job, &self->high_job))

static bool wait_for(volatile int *flag)
{
	unsigned int ms;

	for (ms = 0; !*flag && ms < CLIENT_TIMEOUT_MS; ms += 10)
		usleep(10000);
	return *flag;
}

/*
 * Values a write index should never have, with a doorbell for each. What a queue does of
 * which more was read than written, nobody knows.
 */
TEST_F_TIMEOUT(badinput, nonsense_write_index, 120)
{
	static const __u64 nonsense[] = {
		1, 64, 65, 1ULL << 31, 1ULL << 32, 1ULL << 63, UINT64_MAX, UINT64_MAX - 63,
	};
	struct aql_queue bad;
	unsigned int i;

	OPEN();
	for (i = 0; i < ARRAY_SIZE(nonsense); i++) {
		ASSERT_EQ(0, aql_create(&bad, &self->c.dev, 64, 11));
		bad.amd->write_dispatch_id = nonsense[i];
		aql_ring(&bad, nonsense[i]);
		BOTH_WORK();
		/* and a read index that is beyond it */
		bad.amd->read_dispatch_id = nonsense[i] ^ 1ULL << 62;
		BOTH_WORK();
		if (!(nonsense[i] & 1ULL << 62))
			EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, gpreempt_queue_state(&bad))
				TH_LOG("index %u", i);
		ASSERT_EQ(0, aql_destroy(&bad));
	}
	BOTH_WORK();
}

/* An index that takes more than one load is not read: half of it might be another one's. */
TEST_F_TIMEOUT(badinput, unaligned_index, 120)
{
	struct aql_queue bad;

	OPEN();
	ASSERT_EQ(0, aql_create(&bad, &self->c.dev, 64, 11));
	ASSERT_EQ(0, aql_stop(&bad));
	bad.amd = (void *)((char *)bad.index.ptr + 4);
	ASSERT_EQ(0, aql_start(&bad));
	BOTH_WORK();
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, gpreempt_queue_state(&bad));
	ASSERT_EQ(0, aql_destroy(&bad));
	BOTH_WORK();
}

/*
 * A high queue's reserved packet that is never made valid, rung and all, is no
 * work: it preempts nobody.
 */
TEST_F_TIMEOUT(badinput, reserved_head, 120)
{
	long long preemptions;
	__u64 n;

	OPEN();
	aql_reserve(&self->high, &n);
	aql_ring(&self->high, n);
	/* a write index that just moved may mean work for a moment, no longer */
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	preemptions = gpreempt_number("stats/preemptions");
	ASSERT_EQ(0, low_begin(&self->c, &self->low, &self->job));
	usleep(400000);
	ASSERT_EQ(0, low_finish(&self->c, &self->job));
	EXPECT_EQ(preemptions, gpreempt_number("stats/preemptions"));
	aql_publish(&self->high.packet[n & (self->high.packets - 1)],
		    AQL_HEADER(AQL_BARRIER_AND, 0));
	aql_ring(&self->high, n);
	BOTH_WORK();
}

/* A high ring exactly full, its masked indices equal, is work. */
TEST_F_TIMEOUT(badinput, full_ring, 120)
{
	struct aql_signal *const no_signals[5] = {};
	struct aql_signal *done;
	long long preemptions;
	struct kfd_mem mem;
	unsigned int i;
	__u64 n = 0;

	OPEN();
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	done = mem.ptr;
	/* a first packet, so that the indices are not zero */
	aql_barrier(&self->high, AQL_BARRIER_AND, no_signals, NULL);
	/* it must not look like work any more when LOW starts */
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	aql_signal_init(done, self->high.packets, NULL);
	self->high_job.args->ticks = 0;
	ASSERT_EQ(0, low_begin(&self->c, &self->low, &self->job));
	preemptions = gpreempt_number("stats/preemptions");
	for (i = 0; i < self->high.packets; i++)
		n = aql_prepare(&self->high, &self->c.high, 64, 64, self->high_job.args, done);
	aql_ring(&self->high, n);
	ASSERT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	EXPECT_LT(preemptions, gpreempt_number("stats/preemptions"));
	ASSERT_EQ(0, low_finish(&self->c, &self->job));
	kfd_free(&self->c.dev, &mem);
}

/*
 * A process that pulls its index page away while the monitor scans it: its
 * queue is busy, blocked by a barrier on a signal that nobody will complete.
 * @replace: a page of other contents comes in its place.
 */
static int pull_index_page(struct shared *shared, bool replace)
{
	struct aql_signal *never, *dep[5] = {};
	struct kfd_mem mem;
	struct aql_queue q;
	struct client c;
	void *page;

	if (!wait_for(&shared->stop))
		return 1;
	if (client_open(&c) || aql_create(&q, &c.dev, 64, 11) ||
	    kfd_alloc(&c.dev, &mem, KFD_PAGE, KFD_MEM_HOST))
		return 2;
	never = mem.ptr;
	aql_signal_init(never, 1, NULL);
	dep[0] = never;
	aql_barrier(&q, AQL_BARRIER_AND, dep, NULL);
	shared->ready = 1;
	/* some scans with the page in place */
	usleep(100000);
	page = q.index.ptr;
	if (munmap(page, KFD_PAGE))
		return 3;
	if (replace) {
		if (mmap(page, KFD_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
			return 4;
		memset(page, 0xff, KFD_PAGE);
	}
	shared->ready = 2;
	pause();
	return 5;
}

static void index_page_test(struct __test_metadata *_metadata,
			    FIXTURE_DATA(badinput) *self, bool replace)
{
	__u64 end;
	unsigned int i;

	self->child = client_fork();
	ASSERT_LE(0, self->child);
	if (!self->child)
		_exit(pull_index_page(self->shared, replace));
	OPEN();
	self->shared->stop = 1;
	ASSERT_TRUE(wait_for(&self->shared->ready));
	end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	while (self->shared->ready != 2 && kfd_now() < end)
		BOTH_WORK();
	ASSERT_EQ(2, self->shared->ready);
	for (i = 0; i < 5; i++)
		BOTH_WORK();
	kill(self->child, SIGKILL);
	waitpid(self->child, NULL, 0);
	self->child = 0;
	BOTH_WORK();
}

TEST_F_TIMEOUT(badinput, index_page_unmapped, 120)
{
	index_page_test(_metadata, self, false);
}

TEST_F_TIMEOUT(badinput, index_page_replaced, 120)
{
	index_page_test(_metadata, self, true);
}

/* Is there memory behind a page, or only the promise of it? -1 if that cannot be told. */
static int is_present(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	__u64 entry;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = pread(fd, &entry, sizeof(entry), (uintptr_t)page / KFD_PAGE * sizeof(entry));
	close(fd);
	return n == sizeof(entry) ? entry >> 63 : -1;
}

/*
 * The completion signal of a packet that waits for ever is in memory that nobody has
 * touched yet. To bring it in might take for ever, too: who reads without waiting
 * leaves no trace there.
 */
TEST_F_TIMEOUT(badinput, nothing_is_faulted_in, 120)
{
	struct aql_signal *dep[5] = {};
	struct aql_queue q;
	struct kfd_mem mem;
	unsigned int i;
	void *page;

	OPEN();
	page = mmap(NULL, KFD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, is_present(page));
	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, 11));
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	dep[0] = mem.ptr;
	aql_signal_init(dep[0], 1, NULL);
	aql_barrier(&q, AQL_BARRIER_AND, dep, page);
	for (i = 0; i < 3; i++)
		BOTH_WORK();
	EXPECT_EQ(0, is_present(page));
	ASSERT_EQ(0, aql_destroy(&q));
	kfd_free(&self->c.dev, &mem);
	/* as it would have been seen */
	*(volatile char *)page = 0;
	EXPECT_EQ(1, is_present(page));
	munmap(page, KFD_PAGE);
}

/* A process with a low queue that is busy to its end. */
static int doomed(struct shared *shared)
{
	struct until_job job;
	struct aql_queue q;
	struct client c;

	if (!wait_for(&shared->stop) || client_open(&c) ||
	    aql_create(&q, &c.dev, 64, PRIORITY_LOW) || until_job_init(&c, &job))
		return 1;
	until_job_start(&c, &job, &q);
	shared->ready = 1;
	pause();
	return 2;
}

/* A process killed while its queue is preempted leaves nothing behind. */
TEST_F_TIMEOUT(badinput, killed_while_preempted, 120)
{
	struct until_job until;
	long long preemptions;
	unsigned int ms;
	int status;

	self->child = client_fork();
	ASSERT_LE(0, self->child);
	if (!self->child)
		_exit(doomed(self->shared));
	OPEN();
	ASSERT_EQ(0, until_job_init(&self->c, &until));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	self->shared->stop = 1;
	ASSERT_TRUE(wait_for(&self->shared->ready));
	usleep(20000);
	preemptions = gpreempt_number("stats/preemptions");
	until_job_start(&self->c, &until, &self->high);
	for (ms = 0; gpreempt_number("stats/preemptions") == preemptions; ms++) {
		ASSERT_GT(gpu_model_limit(3), ms);
		usleep(1000);
	}
	/* the preemption has got its waves off when HIGH's are on */
	usleep(20000);
	ASSERT_EQ(0, kill(self->child, SIGKILL));
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_EQ(1, until.signal->value);
	until_job_stop(&until);
	ASSERT_EQ(0, until_job_wait(&self->c, &until, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &until);
	/* and the others find all of the machine */
	BOTH_WORK();
}

TEST_HARNESS_MAIN
