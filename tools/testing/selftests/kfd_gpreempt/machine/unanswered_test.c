// SPDX-License-Identifier: GPL-2.0
/*
 * Preemptions that MES never answers, many in one boot: stock resets the GPU once for each, or the
 * queue where firmware names it, and tells the processes what it tells them of a removal of its
 * own. GPREEMPT is bypassed until the reset has succeeded, and the next preemption is exact.
 * $GPREEMPT_UNANSWERED says how many. Run it alone: the GPU is reset.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "gpreempt.h"
#include "uevent.h"

#define TIMES		"20"
#define SECONDS		3600	/* of the guest, for 100 */
#define LAUNCH_MS	20
#define RESET_TIMEOUT_MS	60000
#define UP_MS		50	/* what stock does after the scheduler is up */
#define LISTEN_MS	200	/* after the reset: what stock tells it has told before */

/**
 * struct side - LOW's process, or HIGH's, shared with it
 * @step:	what it has done: 1 its queue is ready, 2 LOW's owner has it back, or HIGH executes,
 *		3 it has listened
 * @go:		what it is to do: 1 take LOW off, or start HIGH, 2 listen, and end
 * @told:	it was told of a reset by an event
 * @data:	what that said
 */
struct side {
	volatile int step, go;
	int told;
	struct kfd_hsa_hw_exception_data data;
};

FIXTURE(unanswered) {
	struct side *low, *high;
	pid_t low_pid, high_pid;
	int kfd, smi, uevents;
	unsigned int pre, post;
	__u32 gpu_id;
};

FIXTURE_VARIANT(unanswered) {
	const char *fault;
	bool whole;		/* the GPU's reset, else the queue's */
};

/* MES has done as it was told, and the fence is lost. */
FIXTURE_VARIANT_ADD(unanswered, fence_lost) { "lose-fence", true };
/* A wave cannot be saved. From 0x8c on MES names the queue, and Linux 7.3 resets that. */
FIXTURE_VARIANT_ADD(unanswered, named) { "stall-wave", false };

static void wait_go(const struct side *s, int go)
{
	while (s->go < go)
		usleep(1000);
}

/* In a process of its own: what is it told? 0, or the number of the step that failed. */
static int run_side(struct side *s, __u32 priority, bool by_stock)
{
	struct kfd_ioctl_create_event_args event = { .event_type = KFD_IOC_EVENT_HW_EXCEPTION };
	struct kfd_event_data data = {};
	struct kfd_ioctl_wait_events_args wait = {
		.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = LISTEN_MS,
	};
	bool low = priority == PRIORITY_LOW;
	struct until_job job;
	struct aql_queue q;
	struct client c;

	if (client_open(&c) || aql_create(&q, &c.dev, 64, priority) || until_job_init(&c, &job) ||
	    kfd_ioctl(&c.dev, AMDKFD_IOC_CREATE_EVENT, &event))
		return 1;
	if (low) {
		until_job_start(&c, &job, &q);
		if (until_job_moves(&job))
			return 2;
	}
	s->step = 1;
	wait_go(s, 1);
	if (low && by_stock)
		aql_update(&q, 0, PRIORITY_LOW);
	else if (!low && !by_stock)
		until_job_start(&c, &job, &q);
	while (s->go < 2) {
		if (low || *job.rounds)
			s->step = 2;
		usleep(1000);
	}
	data.event_id = event.event_id;
	if (kfd_ioctl(&c.dev, AMDKFD_IOC_WAIT_EVENTS, &wait))
		return 3;
	s->told = wait.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE;
	if (s->told)
		s->data = data.hw_exception_data;
	s->step = 3;
	return 0;
}

/* 0, -ETIME, or -ECHILD: the process has ended before. */
static int wait_step(const struct side *s, pid_t pid, int step)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	siginfo_t info = {};

	while (s->step < step) {
		if (waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			return s->step < step ? -ECHILD : 0;
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

FIXTURE_SETUP(unanswered)
{
	struct kfd_ioctl_smi_events_args args = {};
	__u64 mask = 1ULL << (KFD_SMI_EVENT_GPU_PRE_RESET - 1) |
		     1ULL << (KFD_SMI_EVENT_GPU_POST_RESET - 1);
	struct kfd_dev dev = {};
	int ret = gpreempt_begin();
	unsigned int node;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (!gpu_model_present())
		SKIP(return, "no GPU that could be told not to answer");
	dev.fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, dev.fd);
	ASSERT_EQ(0, kfd_find_gpu(&args.gpuid, &node));
	ASSERT_EQ(0, kfd_ioctl(&dev, AMDKFD_IOC_SMI_EVENTS, &args));
	ASSERT_EQ(sizeof(mask), write(args.anon_fd, &mask, sizeof(mask)));
	self->gpu_id = args.gpuid;
	self->kfd = dev.fd;
	self->smi = args.anon_fd;
	self->uevents = uevent_open();
	ASSERT_LE(0, self->uevents);
	self->low = client_shared_page();
	self->high = client_shared_page();
	ASSERT_NE(NULL, self->low);
	ASSERT_NE(NULL, self->high);
}

FIXTURE_TEARDOWN(unanswered)
{
	gpu_model_say("off", NULL, 0);
	gpreempt_end();
	close(self->uevents);
	close(self->smi);
	close(self->kfd);
}

/* Count the resets that have begun and ended since it was asked last. */
static void see_resets(FIXTURE_DATA(unanswered) *self)
{
	char text[4096], *line, *rest;
	ssize_t n = read(self->smi, text, sizeof(text) - 1);

	if (n <= 0)
		return;
	text[n] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		self->pre += strtoul(line, NULL, 16) == KFD_SMI_EVENT_GPU_PRE_RESET;
		self->post += strtoul(line, NULL, 16) == KFD_SMI_EVENT_GPU_POST_RESET;
	}
}

/* Bypassed from the failure on, until the scheduler is up again, which ends the reset. */
static void expect_bypassed(struct __test_metadata *_metadata, FIXTURE_DATA(unanswered) *self)
{
	__u64 end = kfd_now() + RESET_TIMEOUT_MS * 1000000ULL;
	char state[32];
	int all;

	ASSERT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	EXPECT_EQ(-EBUSY, gpreempt_set("enable", 1));
	do {
		see_resets(self);
		ASSERT_GT(end, kfd_now());
		usleep(1000);
		ASSERT_EQ(0, gpreempt_read("state", state, sizeof(state)));
	} while (!strcmp(state, "bypassed"));
	see_resets(self);
	EXPECT_EQ(1, self->pre);
	end = kfd_now() + UP_MS * 1000000ULL;
	while (!self->post && kfd_now() < end) {
		usleep(1000);
		see_resets(self);
	}
	EXPECT_EQ(1, self->post);
	EXPECT_EQ(1, uevent_bypasses(self->uevents, self->gpu_id, "hung_preemption", &all));
	EXPECT_EQ(1, all);
}

static void wait_reset(struct __test_metadata *_metadata, FIXTURE_DATA(unanswered) *self)
{
	__u64 end = kfd_now() + RESET_TIMEOUT_MS * 1000000ULL;

	while (!self->post) {
		ASSERT_GT(end, kfd_now());
		usleep(1000);
		see_resets(self);
	}
}

/* A process that comes afterwards: LOW is preempted once for HIGH, and exact. */
static int preempts_exactly(void)
{
	long long before = gpreempt_number("stats/preemptions");
	struct contest ct = {};
	int ret = contest_begin(&ct);

	if (!ret && gpreempt_number("stats/preemptions") != before + 1)
		ret = -ERANGE;
	ret = ret ?: contest_finish(&ct);
	contest_close(&ct);
	return ret;
}

/* LOW is taken off, by its owner or for HIGH, and that is not answered: what are both told? */
static void fail_once(struct __test_metadata *_metadata, FIXTURE_DATA(unanswered) *self,
		      const FIXTURE_VARIANT(unanswered) *variant, bool by_stock)
{
	long long failed = gpreempt_number("stats/failed");
	int fired = gpu_model_fired(variant->fault), status;

	*self->low = (struct side){};
	*self->high = (struct side){};
	self->pre = 0;
	self->post = 0;
	self->low_pid = client_fork();
	if (!self->low_pid)
		_exit(run_side(self->low, PRIORITY_LOW, by_stock));
	ASSERT_EQ(0, wait_step(self->low, self->low_pid, 1));
	self->high_pid = client_fork();
	if (!self->high_pid)
		_exit(run_side(self->high, PRIORITY_HIGH, by_stock));
	ASSERT_EQ(0, wait_step(self->high, self->high_pid, 1));
	if (!by_stock)
		ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpu_model_say(variant->fault, NULL, 0));
	if (!variant->whole)
		ASSERT_EQ(0, gpu_model_wait_fired(variant->fault, fired + 1, CLIENT_TIMEOUT_MS));
	(by_stock ? self->low : self->high)->go = 1;
	if (!variant->whole) {
		ASSERT_EQ(0, by_stock ? wait_step(self->low, self->low_pid, 2) :
			  wait_step(self->high, self->high_pid, 2));
		EXPECT_NE(0, gpreempt_wait_state("bypassed", LAUNCH_MS));
	} else if (by_stock) {
		wait_reset(_metadata, self);
	} else {
		expect_bypassed(_metadata, self);
	}
	EXPECT_EQ(fired + 1, gpu_model_fired(variant->fault));
	EXPECT_EQ(failed + (variant->whole && !by_stock), gpreempt_number("stats/failed"));
	self->low->go = 2;
	self->high->go = 2;
	ASSERT_EQ(0, wait_step(self->low, self->low_pid, 3));
	ASSERT_EQ(0, wait_step(self->high, self->high_pid, 3));
	ASSERT_EQ(self->low_pid, waitpid(self->low_pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(self->high_pid, waitpid(self->high_pid, &status, 0));
	EXPECT_EQ(0, status);
	see_resets(self);
	EXPECT_EQ(variant->whole, self->pre);
	EXPECT_EQ(variant->whole, self->post);
}

TEST_F_TIMEOUT(unanswered, again_and_again, SECONDS)
{
	unsigned int i, n = atoi(getenv("GPREEMPT_UNANSWERED") ?: TIMES);
	struct side low, high;
	int status;
	__u64 ns;
	pid_t pid;

	fail_once(_metadata, self, variant, true);
	low = *self->low;
	high = *self->high;
	EXPECT_EQ(1, low.told);
	EXPECT_EQ(variant->whole, high.told);
	ns = kfd_now();
	for (i = 0; i < n; i++) {
		fail_once(_metadata, self, variant, false);
		EXPECT_EQ(low.told, self->low->told);
		EXPECT_EQ(high.told, self->high->told);
		EXPECT_EQ(0, memcmp(&low.data, &self->low->data, sizeof(low.data)));
		EXPECT_EQ(0, memcmp(&high.data, &self->high->data, sizeof(high.data)));
		pid = client_fork();
		if (!pid)
			_exit(-preempts_exactly());
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		ASSERT_EQ(0, gpreempt_begin());
	}
	TH_LOG("%u not answered, each some %llu ms until the next was exact", n,
	       (kfd_now() - ns) / 1000000 / (n ?: 1));
	EXPECT_EQ(0, client_other_works());
}

TEST_HARNESS_MAIN
