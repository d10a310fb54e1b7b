// SPDX-License-Identifier: GPL-2.0
/*
 * Nobody loses what nobody gains by: what two processes, or many, have of the machine with
 * GPREEMPT, beside what they have without, in the same boot.
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

#define HIGH		12
#define LOW		3
#define WINDOW_MS	400
/*
 * A scan that falls between two kernels of HIGH may take LOW off for nothing, once in some seconds,
 * for 40 ms at most: the window is so much longer that this is not all that LOW may lose.
 */
#define WINDOWS		4
#define MANY		30	/* queues of a process that has many */
#define PROCESSES	4

/**
 * struct part - what a process does, and how often it has done it
 * @priority:	of its queues
 * @mask:	its CU mask, 0: none
 * @groups:	workgroups of a kernel
 * @us:		how long one takes, 0: it does not end
 * @depth:	kernels that it has queued at any time
 * @in_order:	they have the barrier bit
 * @queues:	that it has; those after the first do the same
 * @ready:	its work has begun
 * @leave:	it is to end
 * @done:	kernels that have ended, or rounds of one that does not
 */
struct part {
	__u32 priority, mask;
	unsigned int groups, us, depth;
	bool in_order;
	unsigned int queues;
	volatile bool ready, leave;
	volatile __u64 done;
};

static int set_mask(struct client *c, struct aql_queue *q, __u32 mask)
{
	struct kfd_ioctl_set_cu_mask_args args = {
		.queue_id = q->id,
		.num_cu_mask = 32,
		.cu_mask_ptr = (uintptr_t)&mask,
	};

	return mask ? kfd_ioctl(&c->dev, AMDKFD_IOC_SET_CU_MASK, &args) : 0;
}

/* Kernels one after the other, of which so many are queued. */
static int stream(struct part *p, struct client *c, struct aql_queue *q)
{
	struct high_job job;
	__u64 sent = 0;

	if (client_calibrate(c, q) || high_job_init(c, &job, p->us))
		return 3;
	p->ready = true;
	while (!p->leave) {
		struct aql_packet *packet;
		__u64 n;

		p->done = *(volatile __u32 *)job.done;
		if (sent - p->done >= p->depth) {
			usleep(p->us / 4);
			continue;
		}
		packet = aql_reserve(q, &n);
		aql_fill(packet, &c->high, p->groups * 64, 64, job.args, NULL);
		aql_publish(packet, AQL_HEADER(AQL_DISPATCH, p->in_order));
		aql_ring(q, n);
		sent++;
	}
	return 0;
}

/* A kernel without an end on each of its queues. */
static int hog(struct part *p, struct client *c, struct aql_queue *q)
{
	struct until_job job[MANY];
	unsigned int i;

	for (i = 0; i < p->queues; i++) {
		if (until_job_init(c, &job[i]))
			return 4;
		*job[i].stop = 0;
		aql_signal_init(job[i].signal, 1, NULL);
		aql_dispatch(&q[i], &c->until, p->groups * 64, 64, job[i].args, job[i].signal);
	}
	p->ready = true;
	while (!p->leave) {
		p->done = job[0].rounds[0];
		usleep(1000);
	}
	return 0;
}

static int run_part(struct part *p)
{
	struct aql_queue q[MANY];
	struct client c;
	unsigned int i;

	if (client_open(&c))
		return 1;
	for (i = 0; i < p->queues; i++)
		if (aql_create(&q[i], &c.dev, 64, p->priority) || set_mask(&c, &q[i], p->mask))
			return 2;
	return p->us ? stream(p, &c, q) : hog(p, &c, q);
}

FIXTURE(harm) {
	struct client c;
	struct part *part[PROCESSES + 1];
	pid_t pid[PROCESSES + 1];
	unsigned int nr;
	__u64 before[PROCESSES + 1], stock[PROCESSES + 1], ours[PROCESSES + 1];
};

FIXTURE_SETUP(harm)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	/* where times do not count, blocked_us is longer than the window that is measured */
	ASSERT_EQ(0, gpreempt_set("blocked_us", 2000));
	ret = client_open(&self->c);
	if (ret == -ENODEV)
		SKIP(return, "no GPU");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(harm)
{
	unsigned int i;

	for (i = 0; i < self->nr; i++) {
		kill(self->pid[i], SIGKILL);
		waitpid(self->pid[i], NULL, 0);
	}
	gpreempt_end();
}

/* What each does from now on for a while. */
static void measure(FIXTURE_DATA(harm) *self, __u64 *did, unsigned int ms)
{
	unsigned int i;

	usleep(100000);
	for (i = 0; i < self->nr; i++)
		self->before[i] = self->part[i]->done;
	usleep(ms * 1000);
	for (i = 0; i < self->nr; i++)
		did[i] = self->part[i]->done - self->before[i];
}

static int start(FIXTURE_DATA(harm) *self, struct part part)
{
	struct part *p = client_shared_page();
	unsigned int ms;

	if (!p)
		return -ENOMEM;
	*p = part;
	if (!p->queues)
		p->queues = 1;
	self->part[self->nr] = p;
	self->pid[self->nr] = client_fork();
	if (!self->pid[self->nr])
		_exit(run_part(p));
	if (self->pid[self->nr] < 0)
		return -errno;
	self->nr++;
	for (ms = 0; !p->ready; ms++) {
		if (ms > CLIENT_TIMEOUT_MS || waitpid(self->pid[self->nr - 1], NULL, WNOHANG))
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

/* With GPREEMPT over that many windows. */
static void compare(struct __test_metadata *_metadata, FIXTURE_DATA(harm) *self,
		    unsigned int windows)
{
	unsigned int i;

	measure(self, self->stock, WINDOW_MS);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	measure(self, self->ours, windows * WINDOW_MS);
	for (i = 0; i < self->nr; i++)
		self->ours[i] /= windows;
	for (i = 0; i < self->nr; i++)
		TH_LOG("report: level %u: %llu on stock, %llu with GPREEMPT",
		       self->part[i]->priority, (unsigned long long)self->stock[i],
		       (unsigned long long)self->ours[i]);
}

/*
 * Has each at least so many per cent of what it has on stock? A kernel that checks itself scans too
 * slowly for that: there each goes on.
 */
static void expect_percent(struct __test_metadata *_metadata, FIXTURE_DATA(harm) *self,
			   unsigned int part, unsigned int percent)
{
	EXPECT_LT(0, self->stock[part]);
	EXPECT_LT(0, self->ours[part]);
	if (!gpu_model_present() || gpu_model_figures())
		EXPECT_GE(self->ours[part] * 100, self->stock[part] * percent);
}

/* Two processes in disjoint halves of the compute units are in nobody's way. */
static void halves(struct __test_metadata *_metadata, FIXTURE_DATA(harm) *self, __u32 other,
		   const char *policy)
{
	unsigned int half = self->c.dev.cus / 2, i;
	__u32 mask = 0;

	/* bits go round over the XCCs and the shader engines */
	for (i = 0; i < half; i++)
		mask |= 1U << i;
	ASSERT_EQ(0, gpreempt_write("policy", policy));
	ASSERT_EQ(0, start(self, (struct part) {
		.priority = LOW, .mask = mask, .groups = half, .us = 1000, .depth = 3 }));
	ASSERT_EQ(0, start(self, (struct part) {
		.priority = other, .mask = mask << half, .groups = half, .us = 1000, .depth = 3 }));
	compare(_metadata, self, 1);
	expect_percent(_metadata, self, 0, 95);
	expect_percent(_metadata, self, 1, 95);
	EXPECT_EQ(0, gpreempt_number("stats/preemptions"));
}

TEST_F_TIMEOUT(harm, halves, 120)
{
	halves(_metadata, self, HIGH, "strict");
}

TEST_F_TIMEOUT(harm, halves_take_no_turns, 120)
{
	halves(_metadata, self, LOW, "timeslice");
}

/* With masks that overlap the higher one takes the lower one off, as ever. */
TEST_F_TIMEOUT(harm, masks_overlap, 120)
{
	unsigned int cus = self->c.dev.cus;

	ASSERT_EQ(0, start(self, (struct part) { .priority = LOW, .mask = (1U << (cus - 1)) - 1,
		.groups = cus - 1, .us = 1000, .depth = 3 }));
	ASSERT_EQ(0, start(self, (struct part) { .priority = HIGH, .mask = 0xffffffff << 1,
		.groups = cus, .us = 1000, .depth = 3 }));
	compare(_metadata, self, 1);
	EXPECT_LT(0, gpreempt_number("stats/preemptions"));
}

/*
 * HIGH sends kernels of one workgroup, in order: it waits for itself, and not for LOW, which
 * has all its waves in flight on half of the compute units.
 */
static void waits_for_itself(struct __test_metadata *_metadata, FIXTURE_DATA(harm) *self,
			     unsigned int depth)
{
	ASSERT_EQ(0, start(self, (struct part) {
		.priority = LOW, .groups = self->c.dev.cus / 2 }));
	ASSERT_EQ(0, start(self, (struct part) {
		.priority = HIGH, .groups = 1, .us = 1100, .depth = depth, .in_order = true }));
	compare(_metadata, self, WINDOWS);
	expect_percent(_metadata, self, 0, 95);
	expect_percent(_metadata, self, 1, 98);
}

TEST_F_TIMEOUT(harm, waits_for_itself, 120)
{
	waits_for_itself(_metadata, self, 3);
}

TEST_F_TIMEOUT(harm, waits_for_nobody, 120)
{
	waits_for_itself(_metadata, self, 1);
}

/* A small kernel that never ends keeps nobody off for long, as a collective's would. */
TEST_F_TIMEOUT(harm, small_and_endless, 120)
{
	ASSERT_EQ(0, start(self, (struct part) { .priority = HIGH, .groups = 1 }));
	ASSERT_EQ(0, start(self, (struct part) {
		.priority = LOW, .groups = self->c.dev.cus, .us = 2000, .depth = 3 }));
	compare(_metadata, self, 1);
	expect_percent(_metadata, self, 0, 95);
	expect_percent(_metadata, self, 1, 80);
}

/*
 * Rule 3, starvation: what is helped takes an eighth of the time from those above at most, however
 * many starve.
 */
TEST_F_TIMEOUT(harm, many_starve, 300)
{
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("starvation_ms", 100));
	ASSERT_EQ(0, start(self, (struct part) {
		.priority = HIGH, .groups = self->c.dev.cus }));
	measure(self, self->stock, WINDOW_MS);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < PROCESSES; i++)
		ASSERT_EQ(0, start(self, (struct part) {
			.priority = LOW, .groups = self->c.dev.cus, .queues = MANY }));
	usleep(200000);
	measure(self, self->ours, WINDOW_MS);
	TH_LOG("report: HIGH: %llu alone, %llu beside %u queues that starve",
	       (unsigned long long)self->stock[0], (unsigned long long)self->ours[0],
	       PROCESSES * MANY);
	expect_percent(_metadata, self, 0, 87);
	EXPECT_LT(0, gpreempt_number("stats/starved"));
}

TEST_HARNESS_MAIN
