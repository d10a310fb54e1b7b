// SPDX-License-Identifier: GPL-2.0
/*
 * Nobody opts out: a tenant without privileges fills the machine and tries what it can
 * to be left there, by itself and with an accomplice. HIGH waits for two intervals and a
 * save at most, and what an operator holds stays held.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"

#define HIGH_US		200
#define HIGH_TIMES	5
/* What a scan of the most queues takes at most, and a save or mapping HIGH. */
#define SCAN_US		150
#define SAVE_US		150
/* How often GWS is freed and allocated anew, and how long a hold is looked at. */
#define GWS_US		50000
#define HOLD_US		400000
/* Of a crowd: more queues than slots, of more processes than VMIDs. */
#define CROWD_QUEUES	26
#define CROWD_PROCESSES	14

/**
 * struct tricks - what a tenant does before its queue has work
 * @index:	where the driver reads the indices is other memory than the GPU's, and constant
 * @signal:	so is the completion signal, and says that all has ended
 * @decoy:	another queue waits for a signal that never comes
 * @crowd:	others have nothing to do, but there are more than there is room for
 */
struct tricks {
	bool index, signal, decoy, crowd;
};

/**
 * struct tenant - a process with a queue at work
 * @shared:	with the test; its @stop: 1 to play the trick, 2 to end
 * @c:		device
 * @q:		queue
 * @job:	its work
 */
struct tenant {
	struct shared *shared;
	struct client c;
	struct aql_queue q;
	struct until_job job;
};

static int debug(struct kfd_dev *dev, pid_t pid)
{
	struct kfd_runtime_info info = {};
	struct kfd_ioctl_dbg_trap_args trap = {
		.pid = pid,
		.op = KFD_IOC_DBG_TRAP_ENABLE,
		.enable = {
			.rinfo_ptr = (uintptr_t)&info,
			.rinfo_size = sizeof(info),
			.dbg_fd = open("/dev/null", O_RDWR),
		},
	};

	return kfd_ioctl(dev, AMDKFD_IOC_DBG_TRAP, &trap);
}

static int debugs_itself(struct tenant *t)
{
	return debug(&t->c.dev, getpid());
}

/* Stays there: a debugger that ends has detached. */
static int attach_to(pid_t tenant, struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, ptrace(PTRACE_ATTACH, tenant, NULL, NULL));
	CHECK(tenant, waitpid(tenant, NULL, 0));
	CHECK(0, debug(&dev, tenant));
	CHECK(0, ptrace(PTRACE_CONT, tenant, NULL, NULL));
	shared->ready = 2;
	while (shared->stop < 2)
		usleep(1000);
	return 0;
}

static int has_accomplice(struct tenant *t)
{
	pid_t tenant = getpid(), pid = client_fork();

	if (!pid)
		_exit(attach_to(tenant, t->shared));
	while (pid > 0 && t->shared->ready < 2 && !t->shared->line)
		usleep(1000);
	return pid < 0 || t->shared->line;
}

static int has_gws(struct tenant *t)
{
	return gws_alloc(&t->c.dev, &t->q);
}

/* Off and on again, with GWS that is freed and allocated anew. */
static int has_new_gws(struct tenant *t)
{
	int ret = has_gws(t);

	while (!ret && t->shared->stop < 2) {
		t->shared->ready = 2;
		usleep(GWS_US);
		ret = gws_free(&t->c.dev, &t->q) ?: has_gws(t);
	}
	return ret;
}

static void *rest_of(void *tenant);

/* The thread that all of the process is known by is gone. */
static int loses_its_main_thread(struct tenant *t)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, rest_of, t))
		return 1;
	pthread_exit(NULL);
}

/* Nothing more than it did before. */
static int goes_on(struct tenant *t)
{
	return 0;
}

/* The CPU's mapping becomes other memory, as it was; the GPU's stays. The old one, elsewhere. */
static void *forge(const struct kfd_mem *mem)
{
	void *real, *fake;

	real = mmap(NULL, mem->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (real == MAP_FAILED ||
	    mremap(mem->ptr, mem->size, mem->size, MREMAP_MAYMOVE | MREMAP_FIXED, real) != real)
		return NULL;
	fake = mmap(mem->ptr, mem->size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (fake != mem->ptr)
		return NULL;
	memcpy(fake, real, mem->size);
	return real;
}

static int forge_index(struct aql_queue *q)
{
	struct aql_amd_queue amd = *q->amd;
	int ret;

	ret = aql_stop(q);
	if (ret)
		return ret;
	kfd_free(q->dev, &q->index);
	ret = kfd_alloc(q->dev, &q->index, KFD_PAGE, KFD_MEM_GTT);
	if (ret)
		return ret;
	q->amd = q->index.ptr;
	*q->amd = amd;
	ret = aql_start(q);
	q->amd = forge(&q->index);
	return ret ?: q->amd ? 0 : -errno;
}

/* The signal that the packet names is 0 for whoever reads it there. */
static int forge_signal(struct tenant *t, struct aql_signal **named)
{
	struct aql_signal *real;
	struct kfd_mem mem;
	int ret = kfd_alloc(&t->c.dev, &mem, KFD_PAGE, KFD_MEM_GTT);

	if (ret)
		return ret;
	memset(mem.ptr, 0, KFD_PAGE);
	real = forge(&mem);
	if (!real)
		return -errno;
	aql_signal_init(real, 1, NULL);
	*named = mem.ptr;
	return 0;
}

static int add_decoy(struct tenant *t)
{
	struct aql_signal *dep[5] = {};
	static struct aql_queue q;
	struct kfd_mem mem;
	int ret = kfd_alloc(&t->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST);

	ret = ret ?: aql_create(&q, &t->c.dev, 64, PRIORITY_LOW);
	if (ret)
		return ret;
	dep[0] = mem.ptr;
	aql_signal_init(dep[0], 1, NULL);
	aql_barrier(&q, AQL_BARRIER_AND, dep, NULL);
	return 0;
}

/* Never returns. */
static void be_in_crowd(struct tenant *t, int *ready)
{
	struct aql_queue q;

	if (kfd_open(&t->c.dev) || aql_create(&q, &t->c.dev, 64, PRIORITY_LOW))
		_exit(1);
	__atomic_fetch_add(ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
}

static int add_processes(struct tenant *t)
{
	int *ready = client_shared_page();
	unsigned int i, ms;

	if (!ready)
		return -ENOMEM;
	for (i = 0; i < CROWD_PROCESSES; i++)
		if (!client_fork())
			be_in_crowd(t, ready);
	for (ms = 0; ms < CLIENT_TIMEOUT_MS; ms++) {
		if (__atomic_load_n(ready, __ATOMIC_SEQ_CST) == CROWD_PROCESSES)
			return 0;
		usleep(1000);
	}
	return -ECHILD;
}

static int add_queues(struct tenant *t)
{
	static struct aql_queue q[CROWD_QUEUES];
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < CROWD_QUEUES; i++)
		ret = aql_create(&q[i], &t->c.dev, 64, PRIORITY_LOW);
	return ret;
}

static int run_tenant(struct tenant *t, const struct tricks *tricks,
		      int (*trick)(struct tenant *))
{
	struct kfd_ioctl_runtime_enable_args runtime = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK,
	};
	struct shared *shared = t->shared;
	struct until_job *job = &t->job;
	struct aql_signal *signal;

	CHECK(0, become(SOME_USER, false));
	/* before there is anything that a child must not have */
	if (tricks->crowd)
		CHECK(0, add_processes(t));
	CHECK(0, client_open(&t->c));
	CHECK(0, kfd_ioctl(&t->c.dev, AMDKFD_IOC_RUNTIME_ENABLE, &runtime));
	CHECK(0, aql_create(&t->q, &t->c.dev, 64, PRIORITY_LOW));
	CHECK(0, until_job_init(&t->c, job));
	if (tricks->index)
		CHECK(0, forge_index(&t->q));
	signal = job->signal;
	if (tricks->signal)
		CHECK(0, forge_signal(t, &signal));
	if (tricks->decoy)
		CHECK(0, add_decoy(t));
	if (tricks->crowd)
		CHECK(0, add_queues(t));
	aql_dispatch(&t->q, &t->c.until, t->c.dev.cus * 64, 64, job->args, signal);
	shared->pid = getpid();
	shared->queue_id = t->q.id;
	CHECK(0, until_job_moves(job));
	shared->ready = 1;
	while (!shared->stop)
		usleep(1000);
	CHECK(0, trick(t));
	rest_of(t);
	return 0;
}

static void *rest_of(void *tenant)
{
	struct tenant *t = tenant;
	struct kfd_gpreempt_queue_info info;

	/* of itself it may know, whatever it did */
	if (gpreempt_get(&t->c.dev, 0, t->q.id, &info))
		t->shared->line = __LINE__;
	t->shared->ready = 2;
	while (t->shared->stop < 2)
		usleep(1000);
	_exit(0);
}

FIXTURE(evade) {
	struct client c;
	struct aql_queue high;
	struct high_job job;
	struct shared *shared;
	pid_t tenant;
	__u64 alone_ns;		/* HIGH's kernel, on a machine of its own */
};

FIXTURE_VARIANT(evade) {
	int (*trick)(struct tenant *t);
	struct tricks before;
	bool hws;	/* only with the hardware scheduler: debugger, GWS, more than fits */
	bool high_gws;	/* HIGH wants GWS as well, of which there is enough for one queue */
};

FIXTURE_VARIANT_ADD(evade, debugger) {
	.trick = debugs_itself, .hws = true,
};

FIXTURE_VARIANT_ADD(evade, accomplice) {
	.trick = has_accomplice, .hws = true,
};

FIXTURE_VARIANT_ADD(evade, main_thread) {
	.trick = loses_its_main_thread,
};

FIXTURE_VARIANT_ADD(evade, gws) {
	.trick = has_gws, .hws = true,
};

FIXTURE_VARIANT_ADD(evade, new_gws) {
	.trick = has_new_gws, .hws = true,
};

FIXTURE_VARIANT_ADD(evade, gws_of_both) {
	.trick = has_gws, .hws = true, .high_gws = true,
};

FIXTURE_VARIANT_ADD(evade, index) {
	.trick = goes_on, .before = { .index = true },
};

FIXTURE_VARIANT_ADD(evade, signal) {
	.trick = goes_on, .before = { .signal = true },
};

FIXTURE_VARIANT_ADD(evade, decoy) {
	.trick = goes_on, .before = { .decoy = true },
};

FIXTURE_VARIANT_ADD(evade, crowd) {
	.trick = goes_on, .before = { .crowd = true }, .hws = true,
};

FIXTURE_VARIANT_ADD(evade, index_and_decoy) {
	.trick = goes_on, .before = { .index = true, .signal = true, .decoy = true },
};

FIXTURE_VARIANT_ADD(evade, index_and_crowd) {
	.trick = goes_on, .before = { .index = true, .crowd = true }, .hws = true,
};

FIXTURE_VARIANT_ADD(evade, all_forged) {
	.trick = goes_on, .before = { true, true, true, true }, .hws = true,
};

FIXTURE_SETUP(evade)
{
	struct tenant t = {};
	char backend[16] = "";
	int ret = gpreempt_begin();
	unsigned int i;
	__u64 ns;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	gpreempt_read("backend", backend, sizeof(backend));
	if (variant->hws && !strcmp(backend, "hqd"))
		SKIP(return, "not to be had without the hardware scheduler");
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, open_to_all(&self->c.dev));
	ASSERT_EQ(0, aql_create(&self->high, &self->c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->job, HIGH_US));
	if (variant->high_gws)
		ASSERT_EQ(0, gws_alloc(&self->c.dev, &self->high));
	/* the least of some: the tenant of the test before this may still be on its way out */
	self->alone_ns = UINT64_MAX;
	for (i = 0; i < HIGH_TIMES; i++) {
		ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high, CLIENT_TIMEOUT_MS,
					  &ns));
		self->alone_ns = ns < self->alone_ns ? ns : self->alone_ns;
	}
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->tenant = client_fork();
	if (!self->tenant) {
		t.shared = self->shared;
		_exit(run_tenant(&t, &variant->before, variant->trick));
	}
	while (self->shared->ready < 1 && !self->shared->line)
		usleep(1000);
	ASSERT_EQ(1, self->shared->ready) TH_LOG("line %d", self->shared->line);
}

FIXTURE_TEARDOWN(evade)
{
	if (self->tenant > 0) {
		self->shared->stop = 2;
		kill(self->tenant, SIGKILL);
		waitpid(self->tenant, NULL, 0);
	}
	gpreempt_end();
	if (self->c.dev.fd > 0) {
		aql_destroy(&self->high);
		client_close(&self->c);
	}
}

static int play(struct shared *shared)
{
	unsigned int ms;

	shared->stop = 1;
	for (ms = 0; shared->ready < 2; ms++) {
		if (shared->line || ms > CLIENT_TIMEOUT_MS)
			return -ETIME;
		usleep(1000);
	}
	return shared->line ? -EIO : 0;
}

/* As often as HIGH comes it waits no longer than it has to. */
TEST_F_TIMEOUT(evade, higher_level, 120)
{
	__u64 ns, longest = 0, limit_us;
	unsigned int i;

	ASSERT_EQ(0, play(self->shared)) TH_LOG("line %d", self->shared->line);
	for (i = 0; i < HIGH_TIMES; i++) {
		ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high, CLIENT_TIMEOUT_MS,
					  &ns));
		longest = ns > longest ? ns : longest;
		/* LOW is back, for any time but a whole number of intervals */
		usleep(20300);
	}
	/*
	 * The interval is from one scan's end to the next one, its timer may be late by a 16th
	 * of it, and some tricks take many queues, which take long to scan: one scan may have
	 * begun too early, two see HIGH wait, and the last of them counts waves, for which it
	 * decides once more. Mapping HIGH takes no longer than a save.
	 */
	limit_us = self->alone_ns / 1000 + 2 * gpreempt_number("poll_interval_us") * 17 / 16 +
		   4 * SCAN_US + 2 * SAVE_US;
	TH_LOG("HIGH %llu us, alone %llu, at most %llu; scans up to %lld, saves up to %lld",
	       longest / 1000, self->alone_ns / 1000, limit_us,
	       gpreempt_number("stats/scan_ns_max") / 1000,
	       gpreempt_number("stats/save_ns_max") / 1000);
	EXPECT_GE(gpu_model_limit(limit_us) * 1000ULL, longest);
}

/* What an operator asked for is carried out, and lasts. */
TEST_F_TIMEOUT(evade, hold, 120)
{
	struct shared *shared = self->shared;
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;
	__u64 preemptions;

	ASSERT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				      KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS,
				      0));
	ASSERT_EQ(0, gpreempt_get(dev, shared->pid, shared->queue_id, &info));
	preemptions = info.preemptions;
	ASSERT_EQ(0, play(shared)) TH_LOG("line %d", shared->line);
	usleep(HOLD_US);
	ASSERT_EQ(0, gpreempt_get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, info.state);
	/* all the time */
	EXPECT_EQ(preemptions, info.preemptions);
	EXPECT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_RESUME, shared->pid, shared->queue_id,
				      KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0));
	usleep(HOLD_US);
	EXPECT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				      KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0));
}

TEST_HARNESS_MAIN
