// SPDX-License-Identifier: GPL-2.0
/*
 * Idle processes cost nothing: eight of them, whose queues are more than the hardware has slots
 * for, beside HIGH and LOW that work.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"

#define PROCESSES	8
#define QUEUES		4	/* of each: 32 of 24 slots */
#define ALL		(PROCESSES * QUEUES)
#define PRIORITY_IDLE	7
#define LOW_MS		50
#define HIGH_US		200
#define REQUESTS	300
#define IDLE_MS		100
#define LOOK_MS		20
#define FIRST_US	300
#define SETTLE_MS	(gpu_model_limit(IDLE_MS + 100))

/**
 * struct shared - what the processes tell each other
 * @started:	so many have done all that they do by themselves
 * @turn:	that one is to run a kernel, from 1; 0: nobody
 * @silent:	without a doorbell
 * @ns:		how long it took from its doorbell
 * @error:	what went wrong, 0: nothing
 * @low_done:	LOW's kernels
 * @low_rests:	LOW is to begin no other
 * @leave:	all are to end
 */
struct shared {
	volatile unsigned int started, turn;
	volatile bool silent;
	volatile __u64 ns;
	volatile int error;
	volatile __u64 low_done;
	volatile bool low_rests, leave;
};

/* A kernel whose packet is there, of which no doorbell tells. */
static int run_silently(struct client *c, struct high_job *job, struct aql_queue *q, __u64 *ns)
{
	__u64 begun = kfd_now();
	int ret;

	aql_signal_init(job->signal, 1, &job->event);
	aql_prepare(q, &c->high, 64, 64, job->args, job->signal);
	ret = high_job_wait(c, job, CLIENT_TIMEOUT_MS);
	*ns = kfd_now() - begun;
	return ret;
}

static int idle_process(struct shared *s, unsigned int nr)
{
	struct aql_queue q[QUEUES];
	struct high_job job;
	struct client c;
	unsigned int i;
	__u64 ns;
	int ret;

	ret = client_open(&c);
	for (i = 0; !ret && i < QUEUES; i++)
		ret = aql_create(&q[i], &c.dev, 64, PRIORITY_IDLE);
	ret = ret ?: client_calibrate(&c, &q[0]) ?: high_job_init(&c, &job, 1);
	/* each has had work, and all of it has ended */
	for (i = 0; !ret && i < QUEUES; i++)
		ret = high_job_run(&c, &job, &q[i], CLIENT_TIMEOUT_MS, &ns);
	if (ret)
		s->error = ret;
	__atomic_fetch_add(&s->started, 1, __ATOMIC_SEQ_CST);
	while (!s->leave) {
		if (s->turn != nr) {
			usleep(1000);
			continue;
		}
		ret = s->silent ? run_silently(&c, &job, &q[nr % QUEUES], &ns) :
				  high_job_run(&c, &job, &q[nr % QUEUES], CLIENT_TIMEOUT_MS, &ns);
		s->ns = ns;
		s->error = ret;
		s->turn = 0;
	}
	return 0;
}

/* Kernels one after the other that take all of the machine. */
static int low_process(struct shared *s)
{
	struct aql_queue q;
	struct low_job job;
	struct client c;
	int ret;

	ret = client_open(&c) ?: aql_create(&q, &c.dev, 64, PRIORITY_LOW);
	ret = ret ?: low_job_init(&c, &job, low_groups(&c), low_calibrate(&c, &q, LOW_MS));
	s->error = ret;
	__atomic_fetch_add(&s->started, 1, __ATOMIC_SEQ_CST);
	while (!ret && !s->leave) {
		if (s->low_rests) {
			usleep(1000);
			continue;
		}
		low_job_start(&c, &job, &q);
		ret = low_job_wait(&c, &job, CLIENT_TIMEOUT_MS);
		if (!ret && low_job_wrong(&job))
			ret = -EILSEQ;
		s->low_done++;
	}
	s->error = s->error ?: ret;
	return 0;
}

static int wait_started(const struct shared *s, unsigned int n)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	while (s->started < n && kfd_now() < end)
		usleep(1000);
	return s->started < n ? -ETIME : s->error;
}

FIXTURE(idle) {
	struct shared *s;
	unsigned int nr;
	pid_t pid[PROCESSES + 1];
	struct client c;
	struct aql_queue q;
	struct high_job job;
};

FIXTURE_SETUP(idle)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	self->s = client_shared_page();
	ASSERT_NE(NULL, self->s);
}

FIXTURE_TEARDOWN(idle)
{
	unsigned int i;

	gpreempt_end();
	self->s->leave = true;
	for (i = 0; i < self->nr; i++) {
		if (self->pid[i])
			waitpid(self->pid[i], NULL, 0);
	}
}

static int start_idle(FIXTURE_DATA(idle) *f)
{
	unsigned int i;

	for (i = 0; i < PROCESSES; i++) {
		f->pid[f->nr] = client_fork();
		if (!f->pid[f->nr])
			_exit(idle_process(f->s, i + 1));
		f->nr++;
	}
	return wait_started(f->s, f->s->started + PROCESSES);
}

static int start_low(FIXTURE_DATA(idle) *f)
{
	unsigned int n = f->s->started + 1;

	f->pid[f->nr] = client_fork();
	if (!f->pid[f->nr])
		_exit(low_process(f->s));
	f->nr++;
	return wait_started(f->s, n);
}

static int start_high(FIXTURE_DATA(idle) *f)
{
	int ret = client_open(&f->c) ?: aql_create(&f->q, &f->c.dev, 64, PRIORITY_HIGH);

	return ret ?: client_calibrate(&f->c, &f->q) ?: high_job_init(&f->c, &f->job, HIGH_US);
}

/* struct figures - what HIGH and LOW have: HIGH's times in us, LOW's kernels in 10 s */
struct figures {
	unsigned int p50, p99;
	unsigned int low;
	long long scans, preemptions, transactions;
};

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

static int measure(FIXTURE_DATA(idle) *f, struct figures *fig)
{
	static __u64 ns[REQUESTS];
	unsigned int i;
	long long scans = gpreempt_number("stats/scans");
	long long preemptions = gpreempt_number("stats/preemptions");
	long long transactions = gpreempt_number("stats/transactions");
	__u64 begun, low = f->s->low_done;
	int ret = 0;

	srand(1);
	begun = kfd_now();
	for (i = 0; !ret && i < REQUESTS; i++) {
		usleep(5000 + rand() % 45000);
		ret = high_job_run(&f->c, &f->job, &f->q, CLIENT_TIMEOUT_MS, &ns[i]);
	}
	begun = kfd_now() - begun;
	qsort(ns, REQUESTS, sizeof(*ns), compare);
	fig->p50 = ns[REQUESTS / 2] / 1000;
	fig->p99 = ns[REQUESTS * 99 / 100 - 1] / 1000;
	fig->low = (f->s->low_done - low) * 10000000000ULL / begun;
	fig->scans = (gpreempt_number("stats/scans") - scans) * 1000000000LL / begun;
	fig->preemptions = gpreempt_number("stats/preemptions") - preemptions;
	fig->transactions = gpreempt_number("stats/transactions") - transactions;
	return ret ?: f->s->error;
}

static void tell(const char *name, const struct figures *fig)
{
	ksft_print_msg("%s: HIGH p50 %u us p99 %u us, LOW %u.%u kernels a second\n", name,
		       fig->p50, fig->p99, fig->low / 10, fig->low % 10);
	ksft_print_msg("%s: %lld scans a second, %lld preemptions, %lld transactions\n", name,
		       fig->scans, fig->preemptions, fig->transactions);
}

/* A process runs a kernel; ns from its doorbell, or -errno. */
static long long use(struct shared *s, unsigned int nr, bool silent)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	s->silent = silent;
	s->turn = nr;
	while (s->turn && kfd_now() < end)
		usleep(100);
	return s->turn ? -ETIME : s->error ?: (long long)s->ns;
}

/* All are idle, and off. */
static int start_off(FIXTURE_DATA(idle) *f)
{
	int ret = start_idle(f);

	ret = ret ?: gpreempt_set("idle_unmap_ms", IDLE_MS);
	ret = ret ?: gpreempt_set("enable", 1);
	if (ret)
		return ret;
	usleep(SETTLE_MS * 1000);
	return gpreempt_preempted() == ALL ? 0 : -ETIME;
}

/* What they cost those that work, off and on; and then that of a first kernel. */
TEST_F_TIMEOUT(idle, beside_work, 300)
{
	struct figures without, stock, on, off;
	long long ns, alone, first[PROCESSES];
	unsigned int i, slow = 0;

	ASSERT_EQ(0, start_low(self));
	ASSERT_EQ(0, start_high(self));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, measure(self, &without));
	tell("without idle processes", &without);
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, start_idle(self));
	ASSERT_EQ(0, measure(self, &stock));
	tell("stock", &stock);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, measure(self, &on));
	tell("idle_unmap_ms 0", &on);
	ASSERT_EQ(0, gpreempt_set("idle_unmap_ms", IDLE_MS));
	/* HIGH as well, until its first request */
	usleep(SETTLE_MS * 1000);
	EXPECT_EQ(ALL + 1, gpreempt_preempted());
	ASSERT_EQ(0, measure(self, &off));
	/* and LOW may be off yet, for HIGH's last request */
	EXPECT_LE(ALL, gpreempt_preempted());
	tell("idle_unmap_ms 100", &off);
	if (gpu_model_figures()) {
		EXPECT_LE(on.p50 * 2, without.p50 * 3);
		EXPECT_LE(on.p99 * 10, without.p99 * 17);
		EXPECT_GE(on.low, stock.low);
		EXPECT_LE(off.p50 * 100, without.p50 * 103);
		/* one request in a hundred comes while the others' memory is looked at */
		EXPECT_LE(off.p99 * 4, without.p99 * 5);
		EXPECT_GE(off.low * 100, without.low * 97);
	}
	/* beside LOW */
	for (i = 1; i <= PROCESSES; i++) {
		usleep(10000);
		first[i - 1] = use(self->s, i, false);
		EXPECT_LT(0, first[i - 1]);
	}
	/* all are idle, and the monitor has nothing to do */
	ASSERT_EQ(0, gpreempt_set("idle_unmap_ms", 0));
	self->s->low_rests = true;
	EXPECT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, gpreempt_preempted());
	ns = gpreempt_number("stats/scans");
	usleep(1000000);
	EXPECT_EQ(ns, gpreempt_number("stats/scans"));
	/* what the kernel takes by itself is not the price of having been off */
	for (i = 0; i < 3; i++) {
		alone = use(self->s, 1, false);
		ASSERT_LT(0, alone);
		if (!i || alone < ns)
			ns = alone;
	}
	for (i = 0; i < PROCESSES; i++) {
		ksft_print_msg("process %u: %lld us were added to its first kernel\n", i + 1,
			       (first[i] - ns) / 1000);
		slow += (first[i] - ns) / 1000 > gpu_model_limit(FIRST_US);
		EXPECT_GE(gpu_model_limit(2 * FIRST_US), (first[i] - ns) / 1000);
	}
	/* the median, as some meet a look at all the others */
	EXPECT_GE(PROCESSES / 2, slow);
}

/* Work that no CPU rings for is found by the look, soon. */
TEST_F_TIMEOUT(idle, looked_for, 60)
{
	unsigned int i;
	long long ns;

	ASSERT_EQ(0, start_off(self));
	for (i = 1; i <= PROCESSES; i++) {
		ns = use(self->s, i, true);
		EXPECT_LT(0, ns);
		/* and one of the three others of its queues has its work without a doorbell, too */
		EXPECT_GE(gpu_model_limit(LOOK_MS + 2), ns / 1000000);
		EXPECT_EQ(ALL - QUEUES * i, gpreempt_preempted());
		if (gpreempt_preempted() <= ALL - 24)
			break;
	}
}

/* Whatever takes GPREEMPT away, or the reason for it, leaves nobody off. */
TEST_F_TIMEOUT(idle, all_come_back, 60)
{
	ASSERT_EQ(0, start_off(self));
	EXPECT_EQ(0, gpreempt_set("enable", 0));
	EXPECT_EQ(0, gpreempt_preempted());
	EXPECT_LT(0, use(self->s, 1, false));
	EXPECT_EQ(0, gpreempt_set("enable", 1));
	usleep(SETTLE_MS * 1000);
	EXPECT_EQ(ALL, gpreempt_preempted());

	EXPECT_EQ(0, gpreempt_set("idle_unmap_ms", 0));
	usleep(SETTLE_MS * 1000);
	EXPECT_EQ(0, gpreempt_preempted());
	EXPECT_LT(0, use(self->s, 2, false));

	/* with two of them gone all others fit */
	EXPECT_EQ(0, gpreempt_set("idle_unmap_ms", IDLE_MS));
	usleep(SETTLE_MS * 1000);
	EXPECT_EQ(ALL, gpreempt_preempted());
	kill(self->pid[6], SIGKILL);
	kill(self->pid[7], SIGKILL);
	waitpid(self->pid[6], NULL, 0);
	waitpid(self->pid[7], NULL, 0);
	self->pid[6] = 0;
	self->pid[7] = 0;
	usleep(SETTLE_MS * 1000);
	/* as counted, queues that ended while they were off stay so */
	EXPECT_GE(2 * QUEUES, gpreempt_preempted());
	EXPECT_LT(0, use(self->s, 3, false));
}

/* A wave rings another queue of its process. */
TEST_F_TIMEOUT(idle, rung_by_waves, 60)
{
	struct aql_kernel ring;
	struct aql_queue q;
	__u64 *args, n;
	struct kfd_mem mem;

	ASSERT_EQ(0, start_high(self));
	ASSERT_EQ(0, code_kernel(&self->c.code, "ring", &ring));
	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, PRIORITY_IDLE));
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	args = mem.ptr;
	aql_signal_init(self->job.signal, 1, &self->job.event);
	n = aql_prepare(&q, &self->c.high, 64, 64, self->job.args, self->job.signal);
	/* nobody runs it yet */
	usleep(10000);
	EXPECT_EQ(0, self->job.done[0]);
	args[0] = (uintptr_t)q.doorbell;
	args[1] = n;
	aql_dispatch(&self->q, &ring, 64, 64, args, NULL);
	EXPECT_EQ(0, high_job_wait(&self->c, &self->job, 1000));
	EXPECT_EQ(1, self->job.done[0]);
}

TEST_F(idle, range)
{
	static const struct {
		long long value;
		int ret;
	} c[] = { { 10, 0 }, { 9, -EINVAL }, { 1, -EINVAL }, { 0, 0 }, { -1, -EINVAL },
		  { 60000, 0 }, { 60001, -EINVAL } };
	long long value = 0;
	char text[32];
	unsigned int i;

	ASSERT_EQ(0, gpreempt_read("backend", text, sizeof(text)));
	if (strcmp(text, "hws")) {
		EXPECT_EQ(-EOPNOTSUPP, gpreempt_read("idle_unmap_ms", text, sizeof(text)));
		EXPECT_EQ(-EOPNOTSUPP, gpreempt_set("idle_unmap_ms", 0));
		EXPECT_EQ(-EOPNOTSUPP, gpreempt_set("idle_unmap_ms", 10));
		return;
	}
	EXPECT_EQ(0, gpreempt_number("idle_unmap_ms"));
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		EXPECT_EQ(c[i].ret, gpreempt_set("idle_unmap_ms", c[i].value))
			TH_LOG("%lld", c[i].value);
		value = c[i].ret ? value : c[i].value;
		EXPECT_EQ(value, gpreempt_number("idle_unmap_ms"));
	}
	EXPECT_EQ(-EINVAL, gpreempt_write("idle_unmap_ms", "1s\n"));
}

TEST_HARNESS_MAIN
