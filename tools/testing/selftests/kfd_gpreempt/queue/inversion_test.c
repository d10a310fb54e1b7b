// SPDX-License-Identifier: GPL-2.0
/*
 * Rule 2: a queue that cannot run, whatever it is given, keeps no lower one off
 * the machine. It waits for lower ones by barrier packets, by PM4 commands, or
 * for the CPU. And rule 3, where kernels wait for each other in their waves: no
 * driver can tell that from work, so only starvation_ms bounds the harm.
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"

#define QUEUES		8
#define LOW_MS		100
#define HIGH_US		20000

/* Far more than a test takes: here rule 3 must not do rule 2's work. */
#define NO_STARVATION_MS	60000

/* Shared with the process that runs LOW. */
struct shared {
	struct aql_signal signal;	/* completed by LOW's dispatch */
	volatile int running;
	volatile int stop;
};

/* The page that signals, arguments and commands of a test are in. */
struct page {
	struct aql_signal signal[2 * QUEUES];
	struct {
		__u64 arrived;
		__u32 all;
	} meet;
	__u32 commands[AQL_WAIT_DWORDS];
	volatile __u32 word;
	volatile __u32 arrived;
};

FIXTURE(inversion) {
	struct client c;
	struct aql_queue q[QUEUES];
	unsigned int queues;
	struct kfd_mem mem;
	struct page *page;
	struct shared *shared;
	pid_t low;
	long long preemptions;
};

FIXTURE_SETUP(inversion)
{
	int ret = gpreempt_begin();
	unsigned int i;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	/* before the device is opened: the child opens it for itself */
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, gpreempt_set("starvation_ms", NO_STARVATION_MS));
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &self->mem, KFD_PAGE, KFD_MEM_HOST));
	self->page = self->mem.ptr;
	for (i = 0; i < 2 * QUEUES; i++)
		aql_signal_init(&self->page->signal[i], 1, NULL);
}

FIXTURE_TEARDOWN(inversion)
{
	if (self->low > 0) {
		kill(self->low, SIGKILL);
		waitpid(self->low, NULL, 0);
	}
	if (self->c.dev.fd > 0) {
		while (self->queues)
			EXPECT_EQ(0, aql_destroy(&self->q[--self->queues]));
		kfd_free(&self->c.dev, &self->mem);
		client_close(&self->c);
	}
	gpreempt_end();
}

/* Queues of these priorities; the GPU's clock is measured on the first. */
static int make_queues(FIXTURE_DATA(inversion) *self, unsigned int n, const __u32 *priority)
{
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = aql_create(&self->q[i], &self->c.dev, 64, priority[i]);
		if (ret)
			return ret;
		self->queues++;
	}
	return client_calibrate(&self->c, &self->q[0]);
}

static int enable(FIXTURE_DATA(inversion) *self)
{
	self->preemptions = gpreempt_number("stats/preemptions");
	return gpreempt_set("enable", 1);
}

static long long preemptions(FIXTURE_DATA(inversion) *self)
{
	return gpreempt_number("stats/preemptions") - self->preemptions;
}

/* Wait until GPREEMPT has taken somebody off; 0 or -ETIME. */
static int preempts(FIXTURE_DATA(inversion) *self)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	while (!preemptions(self)) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

static const __u32 low_high[] = { PRIORITY_LOW, PRIORITY_HIGH };

/*
 * HIGH first works, for which LOW is taken off, and then turns out to depend on
 * LOW: LOW is resumed at once. It never ends unless it executes.
 */
TEST_F_TIMEOUT(inversion, turns_out_to_depend, 60)
{
	struct aql_signal *done = &self->page->signal[0];
	struct until_job low;
	struct high_job high;

	ASSERT_EQ(0, make_queues(self, 2, low_high));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, high_job_init(&self->c, &high, HIGH_US));
	ASSERT_EQ(0, enable(self));

	struct aql_signal *const dep[5] = { low.signal };

	until_job_start(&self->c, &low, &self->q[0]);
	ASSERT_EQ(0, until_job_moves(&low));
	high_job_start(&self->c, &high, &self->q[1]);
	aql_barrier(&self->q[1], AQL_BARRIER_AND, dep, done);
	ASSERT_EQ(0, high_job_wait(&self->c, &high, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(1, preemptions(self));
	EXPECT_EQ(0, until_job_moves(&low));
	EXPECT_EQ(1, done->value);
	until_job_stop(&low);
	EXPECT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(1, preemptions(self));
	high_job_free(&self->c, &high);
	until_job_free(&self->c, &low);
}

/*
 * The same where HIGH's work is over before the monitor looks again. What it was is told by
 * its signal: LOW does not stay off for blocked_us, for which HIGH might still begin.
 */
TEST_F_TIMEOUT(inversion, turns_out_to_depend_unseen, 60)
{
	const unsigned int poll_us = 5000;
	struct aql_signal *done = &self->page->signal[0];
	struct until_job low;
	struct high_job high;
	__u64 ns;

	ASSERT_EQ(0, make_queues(self, 2, low_high));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, high_job_init(&self->c, &high, HIGH_US));
	ASSERT_EQ(0, gpreempt_set("poll_interval_us", poll_us));
	ASSERT_EQ(0, gpreempt_set("blocked_us", 1000000));
	ASSERT_EQ(0, enable(self));

	struct aql_signal *const dep[5] = { low.signal };

	until_job_start(&self->c, &low, &self->q[0]);
	ASSERT_EQ(0, until_job_moves(&low));
	high_job_start(&self->c, &high, &self->q[1]);
	aql_barrier(&self->q[1], AQL_BARRIER_AND, dep, done);
	ASSERT_EQ(0, high_job_wait(&self->c, &high, CLIENT_TIMEOUT_MS));
	ns = kfd_now();
	EXPECT_EQ(0, until_job_moves(&low));
	ns = kfd_now() - ns;
	/* an interval, a scan that may be late by one, and LOW's restore */
	EXPECT_GE(gpu_model_limit(3 * poll_us) * 1000ULL, ns);
	EXPECT_EQ(1, preemptions(self));
	until_job_stop(&low);
	EXPECT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	high_job_free(&self->c, &high);
	until_job_free(&self->c, &low);
}

static int run_low(struct shared *shared)
{
	struct kfd_mem page = { .ptr = shared, .size = KFD_PAGE };
	struct until_job job;
	struct aql_queue q;
	struct client c;

	if (client_open(&c) || kfd_register(&c.dev, &page) ||
	    aql_create(&q, &c.dev, 64, PRIORITY_LOW) || until_job_init(&c, &job))
		return 1;
	job.signal = &shared->signal;
	until_job_start(&c, &job, &q);
	if (until_job_moves(&job))
		return 2;
	shared->running = 1;
	while (!shared->stop)
		usleep(1000);
	until_job_stop(&job);
	return until_job_wait(&c, &job, CLIENT_TIMEOUT_MS) ? 3 : 0;
}

/* The same across two processes: the signal is in memory that both share. */
TEST_F_TIMEOUT(inversion, turns_out_to_depend_on_another_process, 60)
{
	struct kfd_mem page = { .ptr = self->shared, .size = KFD_PAGE };
	struct aql_signal *const dep[5] = { &self->shared->signal };
	struct aql_signal *done = &self->page->signal[0];
	struct high_job high;
	__u64 end;
	int status;

	self->low = client_fork();
	ASSERT_LE(0, self->low);
	if (!self->low)
		_exit(run_low(self->shared));
	ASSERT_EQ(0, make_queues(self, 1, &low_high[1]));
	ASSERT_EQ(0, kfd_register(&self->c.dev, &page));
	/* shorter than those above may be at work and want no more: then LOW would try */
	ASSERT_EQ(0, high_job_init(&self->c, &high, HIGH_US / 4));
	end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	while (!self->shared->running) {
		ASSERT_GT(end, kfd_now());
		usleep(1000);
	}
	ASSERT_EQ(0, enable(self));
	high_job_start(&self->c, &high, &self->q[0]);
	aql_barrier(&self->q[0], AQL_BARRIER_AND, dep, done);
	ASSERT_EQ(0, high_job_wait(&self->c, &high, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(1, preemptions(self));
	EXPECT_EQ(1, done->value);
	self->shared->stop = 1;
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(self->low, waitpid(self->low, &status, 0));
	self->low = 0;
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, preemptions(self));
	high_job_free(&self->c, &high);
}

/*
 * HIGH waits for MID, MID for LOW, by barriers that are there before LOW's
 * kernel is: LOW is never taken off, and all end in their order.
 */
TEST_F_TIMEOUT(inversion, chain_of_three, 60)
{
	static const __u32 priority[] = { PRIORITY_LOW, 7, PRIORITY_HIGH };
	struct high_job mid, high;
	struct until_job low;

	ASSERT_EQ(0, make_queues(self, 3, priority));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, high_job_init(&self->c, &mid, HIGH_US));
	ASSERT_EQ(0, high_job_init(&self->c, &high, HIGH_US));

	struct aql_signal *const low_done[5] = { low.signal }, *const mid_done[5] = { mid.signal };

	aql_signal_init(low.signal, 1, NULL);
	aql_signal_init(mid.signal, 1, NULL);
	ASSERT_EQ(0, enable(self));
	aql_barrier(&self->q[2], AQL_BARRIER_AND, mid_done, &self->page->signal[2]);
	aql_barrier(&self->q[1], AQL_BARRIER_AND, low_done, &self->page->signal[1]);
	until_job_start(&self->c, &low, &self->q[0]);
	high_job_start(&self->c, &mid, &self->q[1]);
	high_job_start(&self->c, &high, &self->q[2]);
	EXPECT_EQ(0, until_job_moves(&low));
	usleep(LOW_MS * 1000);
	EXPECT_EQ(0, until_job_moves(&low));
	EXPECT_EQ(0, preemptions(self));
	until_job_stop(&low);
	ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, high_job_wait(&self->c, &mid, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, high_job_wait(&self->c, &high, CLIENT_TIMEOUT_MS));
	EXPECT_LE(low.signal->end_ts, mid.signal->start_ts);
	EXPECT_LE(mid.signal->end_ts, high.signal->start_ts);
	high_job_free(&self->c, &high);
	high_job_free(&self->c, &mid);
	until_job_free(&self->c, &low);
}

/* A barrier-OR waits until the first of its signals is there, not longer. */
TEST_F_TIMEOUT(inversion, barrier_or, 60)
{
	struct aql_signal *never = &self->page->signal[0], *done = &self->page->signal[1];
	struct until_job low;

	ASSERT_EQ(0, make_queues(self, 2, low_high));
	ASSERT_EQ(0, until_job_init(&self->c, &low));

	struct aql_signal *const dep[5] = { never, low.signal };

	aql_signal_init(low.signal, 1, NULL);
	ASSERT_EQ(0, enable(self));
	aql_barrier(&self->q[1], AQL_BARRIER_OR, dep, done);
	until_job_start(&self->c, &low, &self->q[0]);
	EXPECT_EQ(0, until_job_moves(&low));
	usleep(LOW_MS * 1000);
	EXPECT_EQ(0, until_job_moves(&low));
	EXPECT_EQ(0, preemptions(self));
	EXPECT_EQ(1, done->value);
	until_job_stop(&low);
	ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(1, never->value);
	until_job_free(&self->c, &low);
}

/* HIGH waits for the CPU. No doorbell tells when: LOW is taken off all the same. */
TEST_F_TIMEOUT(inversion, signal_set_by_cpu, 60)
{
	struct aql_signal *const dep[5] = { &self->page->signal[0] };
	struct until_job low;
	struct high_job high;

	ASSERT_EQ(0, make_queues(self, 2, low_high));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, high_job_init(&self->c, &high, HIGH_US));
	ASSERT_EQ(0, enable(self));
	aql_barrier(&self->q[1], AQL_BARRIER_AND, dep, NULL);
	high_job_start(&self->c, &high, &self->q[1]);
	until_job_start(&self->c, &low, &self->q[0]);
	EXPECT_EQ(0, until_job_moves(&low));
	usleep(LOW_MS * 1000);
	EXPECT_EQ(0, preemptions(self));
	EXPECT_EQ(1, high.signal->value);

	__atomic_store_n(&dep[0]->value, 0, __ATOMIC_RELEASE);
	EXPECT_EQ(0, high_job_wait(&self->c, &high, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(1, preemptions(self));
	EXPECT_EQ(0, until_job_moves(&low));
	until_job_stop(&low);
	ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	high_job_free(&self->c, &high);
	until_job_free(&self->c, &low);
}

/* The same for ROCr's packet that compares a signal's value, in each of its ways. */
TEST_F_TIMEOUT(inversion, barrier_value, 120)
{
	static const struct {
		enum aql_condition condition;
		__s64 value, unmet, met;
	} ways[] = {
		{ AQL_EQ, 5, 4, 5 },
		{ AQL_NE, 5, 5, 6 },
		{ AQL_LT, 5, 5, 4 },
		{ AQL_GTE, 5, 4, 6 },
	};
	const __s64 mask = 0xff, beside_mask = 0x100;
	struct aql_signal *gate = &self->page->signal[0];
	struct until_job low;
	struct high_job job[2], *high;
	unsigned int i;

	ASSERT_EQ(0, make_queues(self, 2, low_high));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, high_job_init(&self->c, &job[0], HIGH_US));
	ASSERT_EQ(0, high_job_init(&self->c, &job[1], HIGH_US));
	ASSERT_EQ(0, enable(self));
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		/* a signal in use again would show the packet before as pending */
		high = &job[i % 2];
		gate->value = ways[i].unmet | beside_mask;
		aql_barrier_value(&self->q[1], gate, ways[i].condition, ways[i].value, mask, NULL);
		high_job_start(&self->c, high, &self->q[1]);
		until_job_start(&self->c, &low, &self->q[0]);
		EXPECT_EQ(0, until_job_moves(&low));
		usleep(LOW_MS * 1000);
		EXPECT_EQ(i, preemptions(self)) TH_LOG("condition %u", i);
		EXPECT_EQ(1, high->signal->value);

		__atomic_store_n(&gate->value, ways[i].met | beside_mask, __ATOMIC_RELEASE);
		EXPECT_EQ(0, high_job_wait(&self->c, high, CLIENT_TIMEOUT_MS));
		EXPECT_EQ(i + 1, preemptions(self)) TH_LOG("condition %u", i);
		until_job_stop(&low);
		ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	}
	high_job_free(&self->c, &job[1]);
	high_job_free(&self->c, &job[0]);
	until_job_free(&self->c, &low);
}

/*
 * HIGH waits in PM4 commands: its head packet does not show it, only that it
 * was given the machine and did not move. It is believed once, and not again
 * before it moves.
 */
TEST_F_TIMEOUT(inversion, no_progress, 60)
{
	struct until_job low;
	struct high_job high;

	ASSERT_EQ(0, make_queues(self, 2, low_high));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, high_job_init(&self->c, &high, HIGH_US));
	ASSERT_EQ(0, enable(self));
	until_job_start(&self->c, &low, &self->q[0]);
	ASSERT_EQ(0, until_job_moves(&low));
	self->page->word = 0;
	aql_wait_memory(&self->q[1], self->page->commands, &self->page->word, 1,
			&self->page->signal[0]);
	ASSERT_EQ(0, preempts(self));
	EXPECT_EQ(0, until_job_moves(&low));
	usleep(2 * LOW_MS * 1000);
	EXPECT_EQ(0, until_job_moves(&low));
	EXPECT_EQ(1, preemptions(self));
	EXPECT_EQ(1, self->page->signal[0].value);

	/* it moves, and is to be reckoned with again */
	self->page->word = 1;
	ASSERT_EQ(0, aql_signal_wait(&self->c.dev, &self->page->signal[0], CLIENT_TIMEOUT_MS));
	high_job_start(&self->c, &high, &self->q[1]);
	EXPECT_EQ(0, high_job_wait(&self->c, &high, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(2, preemptions(self));
	EXPECT_EQ(1, low.signal->value);
	until_job_stop(&low);
	ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	high_job_free(&self->c, &high);
	until_job_free(&self->c, &low);
}

static const __u32 spread[QUEUES] = { 0, 2, 4, 6, 8, 10, 12, 14 };

/*
 * All wait for all: each queue has a kernel that fills the machine, barriers on
 * the kernels of all queues, and a kernel behind them.
 */
TEST_F_TIMEOUT(inversion, all_wait_for_all_barriers, 60)
{
	struct high_job first[QUEUES], second[QUEUES];
	__u64 last = 0;
	unsigned int i;

	ASSERT_EQ(0, make_queues(self, QUEUES, spread));
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, high_job_init(&self->c, &first[i], HIGH_US));
		ASSERT_EQ(0, high_job_init(&self->c, &second[i], HIGH_US));
		aql_signal_init(first[i].signal, 1, NULL);
	}

	struct aql_signal *const some[5] = {
		first[0].signal, first[1].signal, first[2].signal, first[3].signal,
	};
	struct aql_signal *const others[5] = {
		first[4].signal, first[5].signal, first[6].signal, first[7].signal,
	};

	ASSERT_EQ(0, enable(self));
	/* the highest last, when the machine is taken */
	for (i = 0; i < QUEUES; i++) {
		high_job_start(&self->c, &first[i], &self->q[i]);
		aql_barrier(&self->q[i], AQL_BARRIER_AND, some, NULL);
		aql_barrier(&self->q[i], AQL_BARRIER_AND, others, NULL);
		high_job_start(&self->c, &second[i], &self->q[i]);
	}
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, high_job_wait(&self->c, &first[i], CLIENT_TIMEOUT_MS));
		if (first[i].signal->end_ts > last)
			last = first[i].signal->end_ts;
	}
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, high_job_wait(&self->c, &second[i], CLIENT_TIMEOUT_MS));
		EXPECT_LE(last, second[i].signal->start_ts);
		high_job_free(&self->c, &first[i]);
		high_job_free(&self->c, &second[i]);
	}
}

/*
 * The same in the kernels' waves, each of which needs the whole machine and
 * spins until all have been on it. Strict priority alone would let the highest
 * spin for ever; each of the others has its turn after starvation_ms.
 */
TEST_F_TIMEOUT(inversion, all_wait_for_all_spinning, 60)
{
	struct page *page = self->page;
	unsigned int i;
	__u64 start;

	ASSERT_EQ(0, make_queues(self, QUEUES, spread));
	page->arrived = 0;
	page->meet.arrived = (uintptr_t)&page->arrived;
	page->meet.all = QUEUES * self->c.dev.cus;
	ASSERT_EQ(0, gpreempt_set("min_residency_us", 5000));
	ASSERT_EQ(0, enable(self));
	for (i = QUEUES; i--; ) {
		aql_dispatch(&self->q[i], &self->c.meet, self->c.dev.cus * 64, 64,
			     &page->meet, &page->signal[i]);
		if (i == QUEUES - 1)
			while (page->arrived < self->c.dev.cus)
				usleep(1000);
	}
	usleep(5 * LOW_MS * 1000);
	EXPECT_EQ(self->c.dev.cus, page->arrived);

	start = kfd_now();
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 50));
	for (i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, aql_signal_wait(&self->c.dev, &page->signal[i], CLIENT_TIMEOUT_MS));
	TH_LOG("%llu ms", (unsigned long long)(kfd_now() - start) / 1000000);
	EXPECT_EQ(page->meet.all, page->arrived);
	/* one after the other: each has 5 ms, two saves and two scans; those above, seven times */
	EXPECT_GE(gpu_model_limit(50 + QUEUES * 8 * 8) * 1000000ULL, kfd_now() - start);
}

TEST_HARNESS_MAIN
