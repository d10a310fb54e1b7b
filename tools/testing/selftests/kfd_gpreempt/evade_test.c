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
/* What GWS protects for, here, and then not: starvation_ms. */
#define GWS_MS		200

/**
 * struct tenant - a process with a queue at work
 * @shared:	with the test; its @stop: 1 to play the trick, 2 to end
 * @c:		device
 * @q:		queue
 */
struct tenant {
	struct shared *shared;
	struct client c;
	struct aql_queue q;
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
	struct kfd_ioctl_alloc_queue_gws_args args = { .queue_id = t->q.id, .num_gws = 64 };

	return kfd_ioctl(&t->c.dev, AMDKFD_IOC_ALLOC_QUEUE_GWS, &args);
}

/* Off and on again, with GWS that is freed and allocated anew. */
static int has_new_gws(struct tenant *t)
{
	struct kfd_ioctl_alloc_queue_gws_args free = { .queue_id = t->q.id };
	int ret = has_gws(t);

	while (!ret && t->shared->stop < 2) {
		t->shared->ready = 2;
		usleep(GWS_MS * 1000 / 4);
		ret = kfd_ioctl(&t->c.dev, AMDKFD_IOC_ALLOC_QUEUE_GWS, &free) ?: has_gws(t);
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

static int run_tenant(struct tenant *t, int (*trick)(struct tenant *))
{
	struct kfd_ioctl_runtime_enable_args runtime = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK,
	};
	struct shared *shared = t->shared;
	struct until_job job;

	CHECK(0, become(SOME_USER, false));
	CHECK(0, client_open(&t->c));
	CHECK(0, kfd_ioctl(&t->c.dev, AMDKFD_IOC_RUNTIME_ENABLE, &runtime));
	CHECK(0, aql_create(&t->q, &t->c.dev, 64, PRIORITY_LOW));
	CHECK(0, until_job_init(&t->c, &job));
	until_job_start(&t->c, &job, &t->q);
	shared->pid = getpid();
	shared->queue_id = t->q.id;
	CHECK(0, until_job_moves(&job));
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
	bool hws;	/* stock has debugger and GWS only with the hardware scheduler */
	bool gws;
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
	.trick = has_gws, .hws = true, .gws = true,
};

FIXTURE_VARIANT_ADD(evade, new_gws) {
	.trick = has_new_gws, .hws = true, .gws = true,
};

FIXTURE_SETUP(evade)
{
	struct tenant t = {};
	char backend[16] = "";
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	gpreempt_read("backend", backend, sizeof(backend));
	if (variant->hws && !strcmp(backend, "hqd"))
		SKIP(return, "neither debugger nor GWS without the hardware scheduler");
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, open_to_all(&self->c.dev));
	ASSERT_EQ(0, aql_create(&self->high, &self->c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->job, HIGH_US));
	ASSERT_EQ(0, high_job_run(&self->c, &self->job, &self->high, CLIENT_TIMEOUT_MS,
				  &self->alone_ns));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", variant->gws ? GWS_MS : 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->tenant = client_fork();
	if (!self->tenant) {
		t.shared = self->shared;
		_exit(run_tenant(&t, variant->trick));
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
	limit_us = self->alone_ns / 1000 + 2 * gpreempt_number("poll_interval_us") +
		   gpreempt_number("stats/fence_wait_ns_max") / 1000;
	/* for so long it must not be taken off */
	if (variant->gws)
		limit_us += GWS_MS * 1000;
	TH_LOG("HIGH %llu us, alone %llu, at most %llu", longest / 1000,
	       self->alone_ns / 1000, limit_us);
	EXPECT_GE(gpu_model_limit(limit_us) * 1000ULL, longest);
}

/* What an operator asked for is carried out, and lasts. */
TEST_F_TIMEOUT(evade, hold, 120)
{
	struct shared *shared = self->shared;
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;

	ASSERT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				      KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS,
				      0));
	ASSERT_EQ(0, play(shared)) TH_LOG("line %d", shared->line);
	usleep(2 * GWS_MS * 1000);
	ASSERT_EQ(0, gpreempt_get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, info.state);
	EXPECT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_RESUME, shared->pid, shared->queue_id,
				      KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0));
	usleep(2 * GWS_MS * 1000);
	EXPECT_EQ(0, gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				      KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0));
	/* back after that, its waves may have to meet once more */
	do {
		usleep(1000);
		ASSERT_EQ(0, gpreempt_get(dev, shared->pid, shared->queue_id, &info));
	} while (info.state == KFD_GPREEMPT_QUEUE_PREEMPTED);
	EXPECT_EQ(variant->gws ? -EBUSY : 0,
		  gpreempt_preempt(dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				   KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0));
}

TEST_HARNESS_MAIN
