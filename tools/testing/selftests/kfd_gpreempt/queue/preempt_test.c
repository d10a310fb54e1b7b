// SPDX-License-Identifier: GPL-2.0
/*
 * What GPREEMPT promises, through /dev/kfd: an inversion is resolved, within a
 * process and across two, with exact results; a blocked queue keeps nobody
 * out; nobody starves; the monitor is parked when there is nothing to decide.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"

/* Length of LOW's workgroups, ms. */
#define LOW_MS		(gpu_model_figures() ? 100 : 300)
/* Longer than a test has HIGH's kernels beside it. */
#define LONG_MS		(gpu_model_figures() ? 15 * LOW_MS : 20 * LOW_MS)
#define HIGH_US		200
#define SAMPLES		20

/* Pauses between HIGH's kernels, not in step with LOW's workgroups. */
#define PAUSE_US(i)	(10000 + (i) * 3700 % 23000)

/*
 * HIGH's kernel beside LOW, from doorbell to end: some 430 us are measured, of which 100
 * are LOW's save and 20 the driver's; with Linux 7.3, before runlist-dump.patch, 500, and
 * 560 on two compute dies.
 */
#define LATENCY_US	600
/* The longest of some: what comes during a scan is seen by the next one. */
#define LONGEST_US	700
/* The guest may be late once: 0.3 ms were seen, the GPU's part of it as long as ever. */
#define GUEST_LATE_NS	400000

/* Shared with the process that runs LOW. */
struct shared {
	struct aql_signal signal;	/* completed by the dispatch after @arm */
	volatile int running;
	volatile int stop;
	volatile unsigned int dispatches;
	volatile unsigned int wrong;
};

FIXTURE(preempt) {
	struct client c;
	struct aql_queue high;
	struct high_job job;
	struct shared *shared;
	pid_t low;
};

/* A LOW job that runs on, again and again; in its own process. */
static int run_low(struct shared *shared)
{
	struct low_job job[2];
	struct aql_queue q;
	struct client c;
	__u32 n;
	unsigned int i;

	if (client_open(&c) || aql_create(&q, &c.dev, 64, PRIORITY_LOW))
		return 1;
	n = low_calibrate(&c, &q, LOW_MS);
	if (!n)
		return 2;
	for (i = 0; i < 2; i++) {
		if (low_job_init(&c, &job[i], c.dev.cus, n))
			return 3;
		low_job_start(&c, &job[i], &q);
	}
	shared->running = 1;
	for (i = 0; !shared->stop; i ^= 1) {
		if (low_job_wait(&c, &job[i], CLIENT_TIMEOUT_MS))
			return 4;
		shared->wrong += low_job_wrong(&job[i]);
		shared->dispatches++;
		low_job_start(&c, &job[i], &q);
	}
	for (i = 0; i < 2; i++) {
		if (low_job_wait(&c, &job[i], CLIENT_TIMEOUT_MS))
			return 5;
		shared->wrong += low_job_wrong(&job[i]);
	}
	return aql_destroy(&q) ? 6 : 0;
}

static int by_value(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* Median of HIGH's latencies in ns, 0 if one did not end. */
static __u64 median_latency(struct client *c, struct high_job *job, struct aql_queue *q)
{
	__u64 ns[SAMPLES];
	unsigned int i;

	for (i = 0; i < SAMPLES; i++) {
		usleep(PAUSE_US(i));
		if (high_job_run(c, job, q, CLIENT_TIMEOUT_MS, &ns[i]))
			return 0;
	}
	qsort(ns, SAMPLES, sizeof(ns[0]), by_value);
	return ns[SAMPLES / 2];
}

/* The longest that HIGH's kernel may take, in ns; where times do not count, that it ends. */
static __u64 limit_ns(void)
{
	if (!gpu_model_figures())
		return CLIENT_TIMEOUT_MS * 1000000ULL;
	return (LONGEST_US + gpreempt_save_sleeps_us()) * 1000ULL;
}

static int start_low(struct shared *shared, pid_t *pid)
{
	unsigned int ms;

	*pid = client_fork();
	if (*pid < 0)
		return -errno;
	if (!*pid)
		_exit(run_low(shared));
	for (ms = 0; !shared->running; ms += 10) {
		if (ms > CLIENT_TIMEOUT_MS || waitpid(*pid, NULL, WNOHANG) == *pid)
			return -ECHILD;
		usleep(10000);
	}
	return 0;
}

/* LOW's process ends by itself when it is told; its exit status. */
static int stop_low(struct shared *shared, pid_t *pid)
{
	int status;

	shared->stop = 1;
	if (waitpid(*pid, &status, 0) != *pid)
		return -errno;
	*pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

FIXTURE_SETUP(preempt)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	/* before the device is opened: the child opens it for itself */
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->high, &self->c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->job, HIGH_US));
}

FIXTURE_TEARDOWN(preempt)
{
	if (self->low > 0) {
		kill(self->low, SIGKILL);
		waitpid(self->low, NULL, 0);
	}
	if (self->c.dev.fd > 0) {
		EXPECT_EQ(0, aql_destroy(&self->high));
		client_close(&self->c);
	}
	gpreempt_end();
}

/*
 * Rule 1 across two processes: with GPREEMPT the HIGH kernel comes through while
 * LOW's workgroups are under way; without it waits for one to end. LOW's
 * results are exact, and each preempted queue was resumed.
 */
TEST_F_TIMEOUT(preempt, two_processes, 120)
{
	__u64 stock, gpreempt;
	long long preemptions, before = gpreempt_preempted();

	ASSERT_EQ(0, start_low(self->shared, &self->low));
	stock = median_latency(&self->c, &self->job, &self->high);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	preemptions = gpreempt_number("stats/preemptions");
	gpreempt = median_latency(&self->c, &self->job, &self->high);
	preemptions = gpreempt_number("stats/preemptions") - preemptions;
	ASSERT_EQ(0, stop_low(self->shared, &self->low));
	TH_LOG("median: stock %llu us, gpreempt %llu us, %lld preemptions, %u dispatches",
	       (unsigned long long)stock / 1000, (unsigned long long)gpreempt / 1000,
	       preemptions, self->shared->dispatches);
	EXPECT_NE(0, gpreempt);
	if (gpu_model_figures()) {
		EXPECT_GE(LATENCY_US * 1000ULL, gpreempt);
		/*
		 * LOW's next workgroups begin when HIGH ends, and HIGH waits for theirs
		 * to: for LOW_MS without the pause, and a guest wakes a pause up late.
		 */
		EXPECT_LE(LOW_MS / 2 * 1000000ULL, stock);
		/* HIGH may come between two of LOW's dispatches */
		EXPECT_LE(SAMPLES - 1, preemptions);
	}
	EXPECT_EQ(0, self->shared->wrong);
	EXPECT_LE(2, self->shared->dispatches);
	EXPECT_EQ(before, gpreempt_preempted());
}

/* The same between two queues of one process. */
TEST_F_TIMEOUT(preempt, same_process, 120)
{
	struct low_job low;
	struct aql_queue q;
	long long preemptions;
	unsigned int i, late = 0;
	__u64 ns;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	preemptions = gpreempt_number("stats/preemptions");
	for (i = 0; i < SAMPLES; i++) {
		low_job_start(&self->c, &low, &q);
		usleep(LOW_MS * 1000 / 10);
		ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		EXPECT_EQ(1, low.signal->value);
		late += ns > limit_ns();
		EXPECT_GE(limit_ns() + GUEST_LATE_NS, ns) TH_LOG("kernel %u", i);
		ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
		EXPECT_EQ(0, low_job_wrong(&low));
	}
	EXPECT_GE(1, late);
	EXPECT_EQ(SAMPLES, gpreempt_number("stats/preemptions") - preemptions);
	low_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

/*
 * A producer that is slow between reserving a packet and making it valid: the
 * monitor sees the write index move long before there is work, and must still
 * see the work when it comes.
 */
TEST_F_TIMEOUT(preempt, slow_producer, 120)
{
	struct aql_packet *p;
	struct low_job low;
	struct aql_queue q;
	unsigned int i;
	__u64 ns, packet;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, 2 * LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < 5; i++) {
		low_job_start(&self->c, &low, &q);
		/* the packet before this one is over and done */
		ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		aql_signal_init(self->job.signal, 1, &self->job.event);
		p = aql_reserve(&self->high, &packet);
		usleep(LOW_MS * 1000 / 5);
		aql_fill(p, &self->c.high, self->c.dev.cus * 64, 64, self->job.args,
			 self->job.signal);
		aql_publish(p, AQL_HEADER(AQL_DISPATCH, 0));
		aql_ring(&self->high, packet);
		ASSERT_EQ(0, high_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
		EXPECT_EQ(1, low.signal->value) TH_LOG("round %u: HIGH waited for LOW's end", i);
		ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
		EXPECT_EQ(0, low_job_wrong(&low));
	}
	low_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

/*
 * Rule 2 within a process: HIGH waits, by a barrier packet, for a signal that
 * LOW completes. It must not keep LOW off the machine.
 */
TEST_F_TIMEOUT(preempt, blocked_same_process, 120)
{
	struct aql_signal *done;
	struct kfd_mem mem;
	struct low_job low;
	struct aql_queue q;
	__u64 alone;
	__u32 n;

	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	done = mem.ptr;
	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, 2 * LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	/* rule 3 shall not do rule 2's work */
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));

	struct aql_signal *const dep[5] = { low.signal };

	low_job_start(&self->c, &low, &q);
	aql_signal_init(done, 1, NULL);
	alone = kfd_now();
	aql_barrier(&self->high, AQL_BARRIER_AND, dep, done);
	ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, aql_signal_wait(&self->c.dev, done, 1000));
	alone = kfd_now() - alone;
	/* as long as alone; that its length was measured leaves a percent */
	EXPECT_GE(gpu_model_limit(2 * LOW_MS * 102 / 100) * 1000000ULL, alone);
	EXPECT_EQ(0, low_job_wrong(&low));
	low_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
	kfd_free(&self->c.dev, &mem);
}

/* Rule 2 across processes: the signal is in memory that both share. */
TEST_F_TIMEOUT(preempt, blocked_across_processes, 120)
{
	struct aql_signal *const dep[5] = { &self->shared->signal };
	unsigned int before, i;
	struct kfd_mem shared = { .ptr = self->shared, .size = KFD_PAGE };
	struct aql_signal *done;
	struct kfd_mem mem;

	aql_signal_init(&self->shared->signal, 1, NULL);
	ASSERT_EQ(0, start_low(self->shared, &self->low));
	ASSERT_EQ(0, kfd_register(&self->c.dev, &shared));
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	done = mem.ptr;
	aql_signal_init(done, 1, NULL);
	/* rule 3 shall not do rule 2's work */
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	aql_barrier(&self->high, AQL_BARRIER_AND, dep, done);
	before = self->shared->dispatches;
	/* as many of LOW's dispatches as fit into the time, less one under way */
	for (i = 0; i < 20; i++)
		usleep(LOW_MS * 1000);
	while (!gpu_model_figures() && self->shared->dispatches - before < i - 1)
		usleep(LOW_MS * 1000);
	EXPECT_LE(i - 1, self->shared->dispatches - before);
	EXPECT_EQ(1, done->value);
	__atomic_store_n(&self->shared->signal.value, 0, __ATOMIC_RELEASE);
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, 1000));
	ASSERT_EQ(0, stop_low(self->shared, &self->low));
	EXPECT_EQ(0, self->shared->wrong);
	kfd_free(&self->c.dev, &mem);
}

/*
 * Rule 3: HIGH never ends, LOW still executes: the residency that it is promised, for an eighth of
 * the time at most.
 */
TEST_F_TIMEOUT(preempt, starvation_bound, 120)
{
	/* LOW's restore and save are of its turn, so that it needs one more */
	const unsigned int starvation_ms = 50, residency_ms = 10, work_ms = 20;
	const unsigned int turns = work_ms / residency_ms + 1;
	/* two saves and two intervals */
	const unsigned int turn_ms = residency_ms + 3;
	struct until_job until;
	struct low_job low;
	struct aql_queue q;
	long long starved;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, work_ms);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	ASSERT_EQ(0, until_job_init(&self->c, &until));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", starvation_ms));
	ASSERT_EQ(0, gpreempt_set("min_residency_us", residency_ms * 1000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	starved = gpreempt_number("stats/starved");
	until_job_start(&self->c, &until, &self->high);
	usleep(20000);
	low_job_start(&self->c, &low, &q);
	/* it never comes without the rule; and a scan may be late by one each time */
	EXPECT_EQ(0, low_job_wait(&self->c, &low, gpu_model_limit(starvation_ms +
								  turns * 8 * turn_ms)));
	EXPECT_LT(starved, gpreempt_number("stats/starved"));
	EXPECT_GE(starved + gpu_model_limit(turns), gpreempt_number("stats/starved"));
	EXPECT_EQ(1, until.signal->value);
	until_job_stop(&until);
	ASSERT_EQ(0, until_job_wait(&self->c, &until, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&low));
	low_job_free(&self->c, &low);
	until_job_free(&self->c, &until);
	ASSERT_EQ(0, aql_destroy(&q));
}

/*
 * LOW's waves come back and end before the next scan, whether a signal tells that or not: it
 * is taken off once.
 */
static void ends_when_restored(struct __test_metadata *_metadata, FIXTURE_DATA(preempt) *self,
			       bool signals)
{
	struct until_job low, high;
	struct aql_queue q;
	long long before, preemptions, failed = gpreempt_number("stats/failed");

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, until_job_init(&self->c, &high));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("poll_interval_us", 20000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	before = gpreempt_number("stats/preemptions");
	*low.stop = 0;
	aql_dispatch(&q, &self->c.until, self->c.dev.cus * 64, 64, low.args,
		     signals ? low.signal : NULL);
	ASSERT_EQ(0, until_job_moves(&low));
	until_job_start(&self->c, &high, &self->high);
	ASSERT_EQ(0, until_job_moves(&high));
	until_job_stop(&low);
	until_job_stop(&high);
	ASSERT_EQ(0, until_job_wait(&self->c, &high, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	preemptions = gpreempt_number("stats/preemptions") - before;
	EXPECT_GE(1, preemptions);
	/* where a scan takes its time, one may find that both have ended */
	EXPECT_LE(gpu_model_figures(), preemptions);
	EXPECT_EQ(failed, gpreempt_number("stats/failed"));
	until_job_free(&self->c, &high);
	until_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

TEST_F_TIMEOUT(preempt, ends_when_restored, 60)
{
	ends_when_restored(_metadata, self, true);
}

TEST_F_TIMEOUT(preempt, ends_when_restored_without_signal, 60)
{
	ends_when_restored(_metadata, self, false);
}

/*
 * HIGH has all of its workgroups but one on the machine, as LOW, which never ends, has a compute
 * unit: HIGH's waves are fewer than its packet says, so LOW leaves.
 */
TEST_F_TIMEOUT(preempt, last_workgroup, 60)
{
	__u32 cus = self->c.dev.cus;
	struct until_job low, high;
	struct aql_queue q;
	unsigned int ms;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, until_job_init(&self->c, &high));
	/* one on each compute unit */
	self->c.until.group_bytes = 64 * 1024;
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	aql_signal_init(low.signal, 1, NULL);
	aql_dispatch(&q, &self->c.until, 64, 64, low.args, low.signal);
	ASSERT_EQ(0, until_job_moves(&low));
	aql_signal_init(high.signal, 1, NULL);
	aql_dispatch(&self->high, &self->c.until, cus * 64, 64, high.args, high.signal);
	for (ms = 0; !high.rounds[cus - 1] && ms < gpu_model_limit(500); ms++)
		usleep(1000);
	EXPECT_NE(0, high.rounds[cus - 1]);
	until_job_stop(&high);
	ASSERT_EQ(0, until_job_wait(&self->c, &high, CLIENT_TIMEOUT_MS));
	until_job_stop(&low);
	ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &high);
	until_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

/* A kernel that waits for all before it, with a signal that is 0 from the start. */
static void start_liar(FIXTURE_DATA(preempt) *self, struct until_job *job)
{
	struct aql_packet *p;
	__u64 n;

	*job->stop = 0;
	aql_signal_init(job->signal, 0, NULL);
	p = aql_reserve(&self->high, &n);
	aql_fill(p, &self->c.until, self->c.dev.cus * 64, 64, job->args, job->signal);
	aql_publish(p, AQL_HEADER(AQL_DISPATCH, 1));
	aql_ring(&self->high, n);
}

/*
 * HIGH says that it has ended, and never ends: LOW, whose waves come back and find no
 * room, executes by rule 3 all the same, and is not taken for one that cannot be
 * restored.
 */
TEST_F_TIMEOUT(preempt, says_ended, 120)
{
	struct until_job until;
	struct low_job low;
	struct aql_queue q;
	unsigned int i;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, 100);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	ASSERT_EQ(0, until_job_init(&self->c, &until));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 300));
	ASSERT_EQ(0, gpreempt_set("min_residency_us", 10000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	low_job_start(&self->c, &low, &q);
	usleep(20000);
	start_liar(self, &until);
	/* if HIGH was seen to wait, LOW gets its 100 ms in residencies of 10, each starved for */
	EXPECT_EQ(0, low_job_wait(&self->c, &low, gpu_model_limit(10 * (300 + 10) + 100)));
	EXPECT_NE(0, gpreempt_wait_state("bypassed", 0));
	EXPECT_EQ(0, until.signal->value);
	until_job_stop(&until);
	for (i = 0; !until.signal->value && i < CLIENT_TIMEOUT_MS; i++)
		usleep(1000);
	EXPECT_EQ(-1, until.signal->value);
	EXPECT_EQ(0, low_job_wrong(&low));
	low_job_free(&self->c, &low);
	until_job_free(&self->c, &until);
	ASSERT_EQ(0, aql_destroy(&q));
}

/* The monitor's wake-ups in 10 s, after a second to settle. */
static long long wakeups(void)
{
	long long before;

	sleep(1);
	before = gpreempt_number("stats/wakeups");
	sleep(10);
	return gpreempt_number("stats/wakeups") - before;
}

/* As amdgpu was told to schedule, or MES. */
TEST_F(preempt, backend)
{
	bool mes = self->c.dev.gfx_version >= 110000;
	char policy[16], backend[16];

	ASSERT_EQ(0, file_read("/sys/module/amdgpu/parameters/sched_policy", policy,
			       sizeof(policy)));
	ASSERT_EQ(0, gpreempt_read("backend", backend, sizeof(backend)));
	EXPECT_STREQ(mes ? "mes" : atoi(policy) == 2 ? "hqd" : "hws", backend);
}

/* One level, and its queue busy all the time: nothing to decide. */
TEST_F_TIMEOUT(preempt, parked_on_one_level, 120)
{
	/* HIGH's queue would be the second level */
	ASSERT_EQ(0, aql_update(&self->high, 100, PRIORITY_LOW));
	ASSERT_EQ(0, start_low(self->shared, &self->low));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_EQ(0, wakeups());
	EXPECT_EQ(0, gpreempt_wait_state("parked", 0));
	ASSERT_EQ(0, stop_low(self->shared, &self->low));
	EXPECT_LT(1, self->shared->dispatches);
}

/* Until one of the level asks for another, which wakes the monitor, runlist or not. */
TEST_F_TIMEOUT(preempt, update_wakes, 60)
{
	struct until_job low;
	struct aql_queue q;

	ASSERT_EQ(0, aql_update(&self->high, 100, PRIORITY_LOW));
	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &low, &q);
	ASSERT_EQ(0, until_job_moves(&low));
	high_job_start(&self->c, &self->job, &self->high);
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	EXPECT_EQ(-ETIME, high_job_wait(&self->c, &self->job, LOW_MS));
	ASSERT_EQ(0, aql_update(&self->high, 100, PRIORITY_HIGH));
	EXPECT_EQ(0, high_job_wait(&self->c, &self->job, LOW_MS));
	until_job_stop(&low);
	ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

/* Two levels and no queue busy; work that then comes is seen at once. */
TEST_F_TIMEOUT(preempt, parked_when_idle, 120)
{
	struct aql_queue q;
	struct low_job low;
	long long preemptions;
	__u64 ns;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, 2 * LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_EQ(0, wakeups());
	EXPECT_EQ(0, gpreempt_wait_state("parked", 0));

	preemptions = gpreempt_number("stats/preemptions");
	low_job_start(&self->c, &low, &q);
	usleep(LOW_MS * 1000);
	ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high, CLIENT_TIMEOUT_MS, &ns));
	EXPECT_GE(limit_ns(), ns);
	ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&low));
	/* counted before LOW came back, but maybe not before HIGH ended */
	EXPECT_LT(preemptions, gpreempt_number("stats/preemptions"));
	low_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

/*
 * The doorbell of an idle queue above a busy one wakes the monitor, so that
 * HIGH does not wait for the poll interval to end.
 */
TEST_F_TIMEOUT(preempt, doorbell_wakes, 120)
{
	const unsigned int poll_us = 60000;
	struct low_job low;
	struct aql_queue q;
	long long doorbells;
	unsigned int i;
	__u64 ns;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, LONG_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	ASSERT_EQ(0, gpreempt_set("poll_interval_us", poll_us));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	low_job_start(&self->c, &low, &q);
	for (i = 0; i < 3; i++) {
		/* until LOW is back, and HIGH was seen idle twice, and at no fixed phase */
		usleep(5 * poll_us + i * poll_us / 3);
		doorbells = gpreempt_number("stats/doorbell_faults");
		ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		EXPECT_GE(limit_ns(), ns);
		EXPECT_LT(doorbells, gpreempt_number("stats/doorbell_faults"));
		EXPECT_EQ(1, low.signal->value);
	}
	ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&low));
	low_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

/* Until LOW is put back, by the count of @before. 0 or -ETIME. */
static int wait_resume(long long before)
{
	unsigned int us;

	for (us = 0; gpreempt_number("stats/resumes") == before; us += 100) {
		if (us > CLIENT_TIMEOUT_MS * 1000)
			return -ETIME;
		usleep(100);
	}
	return 0;
}

/*
 * It does so as well when LOW has only just come back. Then HIGH waits for as long as
 * LOW is left there, and not for the poll interval.
 */
TEST_F_TIMEOUT(preempt, doorbell_wakes_after_resume, 60)
{
	/* what is launching is looked at again after an eighth of the interval: sooner */
	const unsigned int poll_us = 40000, residency_us = 10000;
	long long resumes;
	struct low_job low;
	struct aql_queue q;
	unsigned int i, after_us;
	__u64 ns;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, LONG_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	ASSERT_EQ(0, gpreempt_set("poll_interval_us", poll_us));
	ASSERT_EQ(0, gpreempt_set("min_residency_us", residency_us));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	low_job_start(&self->c, &low, &q);
	for (i = 0; i < 3; i++) {
		/* until LOW is back, and HIGH was seen idle twice */
		ASSERT_EQ(0, gpreempt_wait_scans(5, CLIENT_TIMEOUT_MS));
		resumes = gpreempt_number("stats/resumes");
		ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		ASSERT_EQ(0, wait_resume(resumes));
		/* before LOW has its waves back, and later */
		after_us = i * residency_us / 5;
		usleep(after_us);
		ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		EXPECT_GE(gpu_model_limit(residency_us - after_us) * 1000ULL +
			  limit_ns(), ns);
		EXPECT_EQ(1, low.signal->value);
	}
	ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&low));
	low_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

static bool map_again(struct kfd_dev *dev)
{
	return mmap(dev->doorbells, dev->doorbell_mem.size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED, dev->fd, dev->doorbell_offset) == dev->doorbells;
}

/*
 * Doorbells that are mapped while their queue is awaited wake the monitor when they are
 * rung. It may look for them before they can be found: on the same CPU it does so within
 * mmap().
 */
TEST_F_TIMEOUT(preempt, doorbells_mapped_anew, 120)
{
	struct kfd_dev *dev = &self->c.dev;
	long long doorbells;
	struct low_job low;
	struct aql_queue q;
	unsigned int i;
	__u64 ns;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, LONG_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, dev->cus, n));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	low_job_start(&self->c, &low, &q);
	ASSERT_EQ(0, gpreempt_share_cpu());
	for (i = 0; i < 10; i++) {
		/* until LOW is back, and HIGH was seen idle twice */
		ASSERT_EQ(0, gpreempt_wait_scans(5, CLIENT_TIMEOUT_MS));
		ASSERT_TRUE(map_again(dev));
		ASSERT_EQ(0, gpreempt_wait_scans(2, CLIENT_TIMEOUT_MS));
		doorbells = gpreempt_number("stats/doorbell_faults");
		ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		EXPECT_LT(doorbells, gpreempt_number("stats/doorbell_faults"))
			TH_LOG("mapping %u: no fault", i);
		EXPECT_EQ(1, low.signal->value);
	}
	ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&low));
	low_job_free(&self->c, &low);
	ASSERT_EQ(0, aql_destroy(&q));
}

/* HIGH wakes the monitor by a doorbell fault, and it has looked. 0 or -errno. */
static int doorbell_wakes(FIXTURE_DATA(preempt) *self)
{
	long long doorbells = gpreempt_number("stats/doorbell_faults");
	long long scans = gpreempt_number("stats/scans");
	__u64 ns;
	int ret;

	ret = high_job_run(&self->c, &self->job, &self->high, CLIENT_TIMEOUT_MS, &ns);
	if (ret)
		return ret;
	if (gpreempt_number("stats/doorbell_faults") == doorbells)
		return -ENODATA;
	return gpreempt_wait_number("stats/scans", scans + 1, CLIENT_TIMEOUT_MS);
}

/* The same where nothing runs: to map them does not wake the monitor, to ring them does. */
TEST_F_TIMEOUT(preempt, doorbells_mapped_while_parked, 60)
{
	struct kfd_dev *dev = &self->c.dev;
	struct aql_queue q;
	long long wakeups;
	unsigned int i;

	ASSERT_EQ(0, aql_create(&q, dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_share_cpu());
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
		wakeups = gpreempt_number("stats/wakeups");
		ASSERT_TRUE(map_again(dev));
		usleep(i * 100);
		EXPECT_EQ(wakeups, gpreempt_number("stats/wakeups"));
		EXPECT_EQ(0, doorbell_wakes(self)) TH_LOG("mapping %u", i);
	}
	ASSERT_EQ(0, aql_destroy(&q));
}

/* A process splits its doorbells' mapping, and gives a part back: the rest still wakes. */
TEST_F_TIMEOUT(preempt, doorbells_split, 60)
{
	struct kfd_dev *dev = &self->c.dev;
	char *rest = (char *)dev->doorbells + KFD_PAGE;
	size_t size = dev->doorbell_mem.size - KFD_PAGE;
	struct aql_queue q;

	ASSERT_EQ(0, aql_create(&q, dev, 64, PRIORITY_LOW));
	ASSERT_GT(rest, (char *)self->high.doorbell);
	ASSERT_LT(0, size);
	ASSERT_EQ(0, mprotect(rest, size, PROT_READ));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, doorbell_wakes(self));

	ASSERT_EQ(0, munmap(rest, size));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, doorbell_wakes(self));
	ASSERT_EQ(0, aql_destroy(&q));
}

/* Rule 5: disabling gives a preempted queue back at once. */
TEST_F_TIMEOUT(preempt, disable_resumes, 120)
{
	struct until_job until;
	struct low_job low;
	struct aql_queue q;
	long long preemptions, before = gpreempt_preempted();
	unsigned int ms;
	__u32 n;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_LOW));
	n = low_calibrate(&self->c, &q, 2 * LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &low, self->c.dev.cus, n));
	ASSERT_EQ(0, until_job_init(&self->c, &until));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	preemptions = gpreempt_number("stats/preemptions");
	low_job_start(&self->c, &low, &q);
	usleep(20000);
	until_job_start(&self->c, &until, &self->high);
	for (ms = 0; gpreempt_number("stats/preemptions") == preemptions; ms++) {
		ASSERT_GT(gpu_model_limit(3), ms);
		usleep(1000);
	}
	EXPECT_EQ(-ETIME, low_job_wait(&self->c, &low, 2 * LOW_MS));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	EXPECT_EQ(before, gpreempt_preempted());
	until_job_stop(&until);
	ASSERT_EQ(0, until_job_wait(&self->c, &until, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, low_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&low));
	low_job_free(&self->c, &low);
	until_job_free(&self->c, &until);
	ASSERT_EQ(0, aql_destroy(&q));
}

TEST_HARNESS_MAIN
