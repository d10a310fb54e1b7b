// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: waits that are interrupted, that last too long, and whose
 * caller or queue goes; operations on queues that come and go.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/time.h>

#include "file.h"
#include "ioctl_fixture.h"

static volatile unsigned int alarms;

static void on_alarm(int sig)
{
	alarms++;
}

static void set_alarms(unsigned int us, int flags)
{
	struct itimerval every = { { 0, us }, { 0, us } };
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = flags };

	if (us)
		alarms = 0;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* A wait that cannot end: its time is its time, however often it is interrupted. */
TEST_F_TIMEOUT(ioctl, wait_is_restarted, 120)
{
	__u64 begin;

	ASSERT_EQ(0, start_contention(&self->c, &self->low, &self->high, &self->job,
				      &self->until));
	begin = kfd_now();
	set_alarms(20000, SA_RESTART);
	EXPECT_EQ(-ETIME, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_RESUME, 0, self->low.id,
					   KFD_GPREEMPT_WAIT, 500, 0));
	begin = kfd_now() - begin;
	if (gpu_model_figures()) {
		/* each restart rounds to a ms, up or down */
		EXPECT_LE(498 * 1000000ULL, begin);
		EXPECT_GE(502 * 1000000ULL, begin);
		EXPECT_LE(24, alarms);
	} else {
		/* a jiffy is lost with each restart, or won */
		EXPECT_LE(250 * 1000000ULL, begin);
		EXPECT_GE(3000 * 1000000ULL, begin);
		EXPECT_LT(3, alarms);
	}
	set_alarms(0, 0);
	EXPECT_EQ(0, end_contention(&self->c, &self->job, &self->until));
}

/* Without SA_RESTART the call says so, and what was left of the time. */
TEST_F_TIMEOUT(ioctl, wait_is_interrupted, 120)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_RESUME, .queue_id = self->low.id,
		.flags = KFD_GPREEMPT_WAIT, .preempt.wait_ms = CLIENT_TIMEOUT_MS,
	};

	ASSERT_EQ(0, start_contention(&self->c, &self->low, &self->high, &self->job,
				      &self->until));
	set_alarms(100000, 0);
	EXPECT_EQ(-EINTR, gpreempt_call(&self->c.dev, &args));
	EXPECT_GT(CLIENT_TIMEOUT_MS, args.preempt.wait_ms);
	EXPECT_LE(CLIENT_TIMEOUT_MS - gpu_model_limit(101), args.preempt.wait_ms);
	set_alarms(0, 0);
	EXPECT_EQ(0, end_contention(&self->c, &self->job, &self->until));
}

/* A hold in a storm of signals comes all the same, once. */
TEST_F_TIMEOUT(ioctl, hold_is_restarted, 120)
{
	unsigned int us;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	/*
	 * A preemption takes some 100 us; more signals than a kernel can handle starve the call,
	 * and how fast one is that counts or checks is not known.
	 */
	for (us = gpu_model_figures() ? 30 : 300; ; us /= 2) {
		set_alarms(us, SA_RESTART);
		ASSERT_EQ(0, gpreempt_hold(&self->low, 0));
		set_alarms(0, 0);
		if (alarms || us < 30)
			break;
		ASSERT_EQ(0, gpreempt_resume(&self->low));
	}
	EXPECT_LT(0, alarms);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, gpreempt_queue_state(&self->low));
	EXPECT_EQ(-ETIME, low_job_wait(&self->c, &self->job, 3 * LOW_MS));
	EXPECT_EQ(0, gpreempt_resume(&self->low));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	low_job_free(&self->c, &self->job);
}

static int run_on(pid_t pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

/* Lets nobody else run on its CPU until it is told to end. */
static int keep_cpu(struct shared *shared)
{
	struct sched_param param = { .sched_priority = 1 };

	CHECK(0, run_on(0, 1));
	CHECK(0, sched_setscheduler(0, SCHED_FIFO, &param));
	shared->ready = 1;
	while (!shared->stop)
		;
	return 0;
}

struct waiter {
	struct aql_queue *q;
	volatile int ret;
	unsigned int *entered;	/* counts those that wait, of many */
};

/* For long enough that its queue can be asked for something else meanwhile. */
static void *wait_preempt(void *arg)
{
	struct waiter *w = arg;

	w->ret = gpreempt_preempt(w->q->dev, KFD_GPREEMPT_OP_PREEMPT, 0, w->q->id,
				  KFD_GPREEMPT_WAIT, 200, 0);
	return NULL;
}

static int preempt_all(struct kfd_dev *dev, __u32 flags)
{
	return gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, 0, 0,
				flags | KFD_GPREEMPT_ALL | KFD_GPREEMPT_WAIT, 1, 0);
}

/* A wait that fails takes back what its call asked for, and nobody else's hold. */
TEST_F_TIMEOUT(ioctl, failed_wait_ends_no_hold, 60)
{
	struct shared *shared = self->shared;
	struct kfd_dev *dev = &self->c.dev;
	struct waiter w = { .q = &self->low, .ret = 1 };
	struct kfd_gpreempt_queue_info info;
	pthread_t thread;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "the monitor needs a CPU that can be taken from it");
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, run_on(0, 0));
	ASSERT_EQ(0, run_on(gpreempt_monitor(), 1));
	self->child = client_fork();
	if (!self->child)
		_exit(keep_cpu(shared));
	while (!shared->ready)
		usleep(1000);
	/* nobody is there to carry it out */
	EXPECT_EQ(-ETIME, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id,
					   KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT, 1, 0));
	ASSERT_EQ(0, gpreempt_get(dev, 0, self->low.id, &info));
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id,
				      KFD_GPREEMPT_HOLD, 0, 10000));
	EXPECT_EQ(-ETIME, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id,
					   KFD_GPREEMPT_WAIT, 1, 0));
	EXPECT_EQ(-ETIME, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id,
					   KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT, 1, 1));
	ASSERT_EQ(0, gpreempt_get(dev, 0, self->low.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HOLD, info.flags);

	/* of each queue that it asked for */
	EXPECT_EQ(-ETIME, preempt_all(dev, 0));
	EXPECT_EQ(-ETIME, preempt_all(dev, KFD_GPREEMPT_HOLD));
	ASSERT_EQ(0, gpreempt_get(dev, 0, self->low.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HOLD, info.flags);
	ASSERT_EQ(0, gpreempt_get(dev, 0, self->high.id, &info));
	EXPECT_EQ(0, info.flags);

	/* nor one that somebody asks for while it waits */
	ASSERT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_RESUME, 0, self->low.id, 0, 0, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_preempt, &w));
	do {
		usleep(1000);
		ASSERT_EQ(0, gpreempt_get(dev, 0, self->low.id, &info));
	} while (!info.flags);
	EXPECT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id,
				      KFD_GPREEMPT_HOLD, 0, 10000));
	EXPECT_EQ(1, w.ret);
	pthread_join(thread, NULL);
	EXPECT_EQ(-ETIME, w.ret);
	ASSERT_EQ(0, gpreempt_get(dev, 0, self->low.id, &info));
	EXPECT_TRUE(info.flags & KFD_GPREEMPT_QUEUE_HOLD);
	shared->stop = 1;
	EXPECT_EQ(0, gpreempt_hold(&self->low, 0));
	EXPECT_EQ(0, gpreempt_resume(&self->low));
}

/* In a child with a held queue: waits for what does not come. */
static int waits(struct shared *shared)
{
	struct until_job until;
	struct aql_queue low, high;
	struct low_job job;
	struct client c;

	CHECK(0, client_open_pair(&c, &low, &high));
	CHECK(0, start_contention(&c, &low, &high, &job, &until));
	shared->ready = 1;
	gpreempt_preempt(&c.dev, KFD_GPREEMPT_OP_RESUME, 0, low.id, KFD_GPREEMPT_WAIT, 60000, 0);
	return 1;
}

/* Killed while it waits: dead at once, and the machine is free. */
TEST_F_TIMEOUT(ioctl, killed_while_waiting, 120)
{
	__u64 begin;
	int status;

	self->child = client_fork();
	if (!self->child)
		_exit(waits(self->shared));
	while (!self->shared->ready) {
		ASSERT_EQ(0, waitpid(self->child, &status, WNOHANG))
			TH_LOG("line %d", self->shared->line);
		usleep(1000);
	}
	usleep(50000);
	begin = kfd_now();
	ASSERT_EQ(0, kill(self->child, SIGKILL));
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_TRUE(WIFSIGNALED(status));
	/* what the kernel needs to take its queues off and its memory back */
	EXPECT_GE(gpu_model_limit(10) * 1000000ULL, kfd_now() - begin);
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	low_job_free(&self->c, &self->job);
}

static void *wait_resume(void *arg)
{
	struct waiter *w = arg;

	w->ret = gpreempt_resume(w->q);
	return NULL;
}

/* The queue goes while somebody waits for it. */
TEST_F_TIMEOUT(ioctl, destroyed_while_waiting, 120)
{
	struct aql_queue other;
	struct waiter w = { .q = &other, .ret = 1 };
	pthread_t thread;

	ASSERT_EQ(0, aql_create(&other, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, start_contention(&self->c, &other, &self->high, &self->job,
				      &self->until));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_resume, &w));
	usleep(100000);
	EXPECT_EQ(1, w.ret);
	ASSERT_EQ(0, aql_destroy(&other));
	pthread_join(thread, NULL);
	EXPECT_EQ(-ENOENT, w.ret);
	until_job_stop(&self->until);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->until, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &self->until);
	low_job_free(&self->c, &self->job);
}

#define VRAM_MB		32	/* of the process that is killed */
#define DEAD_MS		1000	/* after which nothing is left of it */

/* A process with VRAM and a queue of the lowest priority, at work without end. */
static int is_waited_for(struct shared *shared)
{
	struct until_job job;
	struct kfd_mem vram;
	struct aql_queue q;
	struct client c;

	CHECK(0, run_on(0, 0));
	CHECK(0, client_open(&c));
	CHECK(0, kfd_alloc(&c.dev, &vram, VRAM_MB << 20, KFD_MEM_VRAM));
	CHECK(0, aql_create(&q, &c.dev, 64, PRIORITY_LOW));
	CHECK(0, until_job_init(&c, &job));
	until_job_start(&c, &job, &q);
	CHECK(0, until_job_moves(&job));
	shared->queue_id = q.id;
	shared->pid = getpid();
	shared->ready = 1;
	for (;;)
		pause();
}

/* Bytes that are in use. */
static long long vram_used(void)
{
	char address[32], path[96], text[32];
	int ret = kfd_pci_address(address, sizeof(address));

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/mem_info_vram_used", address);
	ret = file_read(path, text, sizeof(text));
	return ret ?: atoll(text);
}

/* For a queue of another process, for the longest time that there is. */
struct long_wait {
	struct kfd_dev *dev;
	struct shared *shared;
	volatile int ret;
};

static void *wait_for_another(void *arg)
{
	struct long_wait *w = arg;

	w->ret = gpreempt_preempt(w->dev, KFD_GPREEMPT_OP_RESUME, w->shared->pid,
				  w->shared->queue_id, KFD_GPREEMPT_WAIT,
				  KFD_GPREEMPT_WAIT_MS_MAX, 0);
	return NULL;
}

/* The process that @w waits for is killed, with @used VRAM before it; so the wait ends. When? */
static __u64 kill_waited_for(struct __test_metadata *_metadata, FIXTURE_DATA(ioctl) *self,
			     struct long_wait *w, long long used)
{
	pthread_t thread;
	__u64 begin;

	w->ret = 1;
	EXPECT_LE(used + (VRAM_MB << 20), vram_used());
	EXPECT_EQ(0, pthread_create(&thread, NULL, wait_for_another, w));
	usleep(100000);
	EXPECT_EQ(1, w->ret);
	begin = kfd_now();
	EXPECT_EQ(0, kill(self->child, SIGKILL));
	pthread_join(thread, NULL);
	EXPECT_EQ(-ENOENT, w->ret);
	EXPECT_GE(gpu_model_limit(DEAD_MS) * 1000000ULL, kfd_now() - begin);
	return begin;
}

/* Nothing is left of it soon after that, but for what others have taken meanwhile. */
static void expect_freed(struct __test_metadata *_metadata, FIXTURE_DATA(ioctl) *self,
			 __u64 begin, long long used)
{
	const long long most = used + (VRAM_MB << 19);

	EXPECT_EQ(self->child, waitpid(self->child, NULL, 0));
	self->child = 0;
	while (vram_used() > most && kfd_now() - begin < gpu_model_limit(DEAD_MS) * 1000000ULL)
		usleep(1000);
	EXPECT_GE(most, vram_used());
}

static void start_waited_for(struct __test_metadata *_metadata, FIXTURE_DATA(ioctl) *self)
{
	self->child = client_fork();
	if (!self->child)
		_exit(is_waited_for(self->shared));
	ASSERT_LT(0, await_owner(self->shared, self->child))
		TH_LOG("line %d", self->shared->line);
}

/* No RESUME brings it back while HIGH works. */
TEST_F_TIMEOUT(ioctl, killed_while_another_waits, 120)
{
	struct long_wait w = { .dev = &self->c.dev, .shared = self->shared };
	struct kfd_gpreempt_queue_info info;
	long long used = vram_used();
	__u64 begin;

	ASSERT_LT(0, used);
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	start_waited_for(_metadata, self);
	ASSERT_EQ(0, until_job_init(&self->c, &self->until));
	until_job_start(&self->c, &self->until, &self->high);
	do {
		usleep(1000);
		ASSERT_EQ(0, gpreempt_get(w.dev, self->shared->pid, self->shared->queue_id, &info));
	} while (info.state != KFD_GPREEMPT_QUEUE_PREEMPTED);
	begin = kill_waited_for(_metadata, self, &w, used);
	expect_freed(_metadata, self, begin, used);
	until_job_stop(&self->until);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->until, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &self->until);
}

#define WAITERS		1000
#define WAITED_FOR	4	/* queues */
#define ANSWER_MS	500

static void *enter_wait_resume(void *arg)
{
	struct waiter *w = arg;

	__atomic_fetch_add(w->entered, 1, __ATOMIC_SEQ_CST);
	return wait_resume(arg);
}

/*
 * Of many that wait each wakes the next: all have their answers when HIGH's end has brought these,
 * though nothing is left to be arbitrated then and the monitor makes no more ticks.
 */
TEST_F_TIMEOUT(ioctl, many_wait, 120)
{
	struct aql_queue low[WAITED_FOR];
	struct until_job job[WAITED_FOR];
	unsigned int entered = 0, bad = 0, i;
	pthread_t thread[WAITERS];
	struct waiter w[WAITERS];
	pthread_attr_t attr;
	__u64 begin;

	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < WAITED_FOR; i++) {
		ASSERT_EQ(0, aql_create(&low[i], &self->c.dev, 64, PRIORITY_LOW));
		ASSERT_EQ(0, until_job_init(&self->c, &job[i]));
		/* one workgroup: there is room for all of them, until HIGH comes */
		*job[i].stop = 0;
		aql_signal_init(job[i].signal, 1, NULL);
		aql_dispatch(&low[i], &self->c.until, 64, 64, job[i].args, job[i].signal);
		ASSERT_EQ(0, until_job_moves(&job[i]));
	}
	ASSERT_EQ(0, until_job_init(&self->c, &self->until));
	until_job_start(&self->c, &self->until, &self->high);
	for (i = 0; i < WAITED_FOR; i++)
		ASSERT_EQ(0, wait_preempted(&low[i]));
	ASSERT_EQ(0, pthread_attr_init(&attr));
	ASSERT_EQ(0, pthread_attr_setstacksize(&attr, 64 * 1024));
	for (i = 0; i < WAITERS; i++) {
		w[i] = (struct waiter){ .q = &low[i % WAITED_FOR], .ret = 1, .entered = &entered };
		ASSERT_EQ(0, pthread_create(&thread[i], &attr, enter_wait_resume, &w[i]));
	}
	while (__atomic_load_n(&entered, __ATOMIC_SEQ_CST) < WAITERS)
		usleep(1000);
	usleep(200000);
	for (i = 0; i < WAITERS; i++)
		ASSERT_EQ(1, w[i].ret);
	begin = kfd_now();
	until_job_stop(&self->until);
	for (i = 0; i < WAITERS; i++) {
		pthread_join(thread[i], NULL);
		bad += w[i].ret != 0;
	}
	begin = kfd_now() - begin;
	TH_LOG("%u answers in %llu us", WAITERS, begin / 1000);
	EXPECT_EQ(0, bad);
	EXPECT_GE(gpu_model_limit(ANSWER_MS) * 1000000ULL, begin);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->until, CLIENT_TIMEOUT_MS));
	for (i = 0; i < WAITED_FOR; i++) {
		until_job_stop(&job[i]);
		EXPECT_EQ(0, until_job_wait(&self->c, &job[i], CLIENT_TIMEOUT_MS));
		until_job_free(&self->c, &job[i]);
		EXPECT_EQ(0, aql_destroy(&low[i]));
	}
	until_job_free(&self->c, &self->until);
}

/* The monitor goes while somebody waits for it. */
TEST_F_TIMEOUT(ioctl, disabled_while_waiting, 120)
{
	struct waiter w = { .q = &self->low, .ret = 1 };
	pthread_t thread;

	ASSERT_EQ(0, start_contention(&self->c, &self->low, &self->high, &self->job,
				      &self->until));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_resume, &w));
	usleep(100000);
	EXPECT_EQ(1, w.ret);
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	pthread_join(thread, NULL);
	/* resumed by disabling, or told that nobody would */
	EXPECT_TRUE(!w.ret || w.ret == -ENODEV);
	EXPECT_EQ(0, end_contention(&self->c, &self->job, &self->until));
}

struct racer {
	struct client *c;
	volatile int stop;
	unsigned int rounds;
};

static void *create_destroy(void *arg)
{
	struct racer *r = arg;
	struct aql_queue q;

	while (!r->stop) {
		if (aql_create(&q, &r->c->dev, 64, r->rounds % 16))
			return arg;
		/* long enough to be met, and to be asked for */
		usleep(r->rounds % 4 * 5000);
		if (aql_destroy(&q))
			return arg;
		r->rounds++;
	}
	return NULL;
}

/* Every operation on a queue that comes and goes. */
TEST_F_TIMEOUT(ioctl, being_destroyed, 120)
{
	struct racer r = { .c = &self->c };
	unsigned int i, found = 0;
	pthread_t thread;
	void *failed;
	__u64 end;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, create_destroy, &r));
	end = kfd_now() + (gpu_model_figures() ? 400 : 2000) * 1000000ULL;
	for (i = 0; kfd_now() < end; i++) {
		unsigned int op = 1 + i % LAST_OP;
		struct kfd_ioctl_gpreempt_args args =
			op_request(&self->c.dev, op, self->high.id + 1);
		int ret;

		if (!op_uses[op].queue)
			continue;
		if (op == KFD_GPREEMPT_OP_PREEMPT) {
			args.flags = KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT;
			args.preempt.wait_ms = 100;
		}
		ret = gpreempt_call(&self->c.dev, &args);
		EXPECT_TRUE(!ret || ret == -ENOENT || ret == -ETIME || ret == -EBUSY)
			TH_LOG("operation %u: %d", op, ret);
		found += !ret;
	}
	r.stop = 1;
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
	TH_LOG("%u queues, %u calls, %u of them met a queue", r.rounds, i, found);
	EXPECT_LT(0, r.rounds);
	EXPECT_LT(0, found);
}

TEST_HARNESS_MAIN
