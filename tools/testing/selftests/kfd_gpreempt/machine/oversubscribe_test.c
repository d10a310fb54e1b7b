// SPDX-License-Identifier: GPL-2.0
/*
 * More queues than the hardware has slots for, more processes than it has
 * VMIDs for: all of their kernels make progress, and none loses its state; with
 * GPREEMPT a queue of higher priority comes through among them.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"

#define QUEUES		30	/* of 24 slots */
#define PROCESSES	15	/* of 13 VMIDs */
#define ITEMS		128	/* one workgroup of the "hold" kernel */
#define BEATS		4	/* rounds in which a kernel must be seen */
#define REQUESTS	10	/* HIGH's */
#define HIGH_US		200

/* struct holder - a queue with a kernel that runs until it is told to end */
struct holder {
	struct aql_queue q;
	struct hold_job job;
};

static int holder_start(struct client *c, struct holder *h, __u32 tag)
{
	int ret = aql_create(&h->q, &c->dev, 64, PRIORITY_LOW);

	return ret ?: hold_job_start(c, &h->job, &h->q, ITEMS, ITEMS, tag);
}

/* Told to end, it does, with every value it held. Words that are wrong, or -errno. */
static int holder_end(struct client *c, struct holder *h)
{
	int ret = hold_job_end(c, &h->job);

	return ret ?: (int)hold_job_wrong(&h->job);
}

/* The kernel's count of rounds changes @n times, each within the time limit; 0 or -ETIME. */
static int holder_progress(struct holder *h, unsigned int n)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	__u32 seen = *h->job.beats;

	while (n && kfd_now() < end) {
		if (*h->job.beats != seen) {
			seen = *h->job.beats;
			n--;
		} else {
			usleep(200);
		}
	}
	return n ? -ETIME : 0;
}

/* struct high - a queue that finds the machine taken by all the others */
struct high {
	struct aql_queue q;
	struct high_job job;
};

/* While the machine is free. */
static int high_open(struct client *c, struct high *high)
{
	int ret = aql_create(&high->q, &c->dev, 64, PRIORITY_HIGH);

	ret = ret ?: client_calibrate(c, &high->q);
	/* no room beside any other workgroup, which never end */
	c->high.group_bytes = 64 * 1024;
	return ret ?: high_job_init(c, &high->job, HIGH_US);
}

/* Requests come through all the same; 0 or -errno. */
static int high_served(struct client *c, struct high *high)
{
	long long before = gpreempt_number("stats/preemptions");
	unsigned int i;
	__u64 ns;
	int ret;

	ret = gpreempt_set("enable", 1);
	for (i = 0; !ret && i < REQUESTS; i++) {
		ret = high_job_run(c, &high->job, &high->q, CLIENT_TIMEOUT_MS, &ns);
		ret = ret ?: gpreempt_wait_scans(10, CLIENT_TIMEOUT_MS);
	}
	if (ret)
		return ret;
	for (i = 0; i < c->dev.cus; i++)
		if (high->job.done[i] != REQUESTS)
			return -EILSEQ;
	/* now and then the rotation lets it through; always, where scans take longer than that */
	return gpu_model_figures() && gpreempt_number("stats/preemptions") == before ? -EAGAIN : 0;
}

static int high_close(struct client *c, struct high *high)
{
	high_job_free(c, &high->job);
	return aql_destroy(&high->q);
}

FIXTURE(oversubscribe) {
	struct client c;
	struct high high;
};

FIXTURE_VARIANT(oversubscribe) {
	bool preempted;
};

FIXTURE_VARIANT_ADD(oversubscribe, equal) { false };
FIXTURE_VARIANT_ADD(oversubscribe, preempted) { true };

FIXTURE_SETUP(oversubscribe)
{
	unsigned int node;
	__u32 gpu_id;
	int ret;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, KFD_MISSING);
	if (!variant->preempted)
		return;
	ret = gpreempt_begin();
	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(oversubscribe)
{
	if (variant->preempted)
		gpreempt_end();
}

TEST_F_TIMEOUT(oversubscribe, queues, 120)
{
	struct holder *h = calloc(QUEUES, sizeof(*h));
	unsigned int i;

	ASSERT_EQ(0, client_open(&self->c));
	if (variant->preempted)
		ASSERT_EQ(0, high_open(&self->c, &self->high));
	for (i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, holder_start(&self->c, &h[i], i << 16));
	for (i = 0; i < QUEUES; i++) {
		EXPECT_EQ(0, holder_progress(&h[i], BEATS)) TH_LOG("queue %u stands still", i);
	}
	if (variant->preempted) {
		EXPECT_EQ(0, high_served(&self->c, &self->high));
		for (i = 0; i < QUEUES; i++) {
			EXPECT_EQ(0, holder_progress(&h[i], BEATS))
				TH_LOG("queue %u stands still", i);
		}
		EXPECT_EQ(0, high_close(&self->c, &self->high));
	}
	for (i = 0; i < QUEUES; i++)
		EXPECT_EQ(0, holder_end(&self->c, &h[i]));
	for (i = 0; i < QUEUES; i++)
		EXPECT_EQ(0, aql_destroy(&h[i].q));
	client_close(&self->c);
	free(h);
}

/* What the processes of the next test tell each other. */
struct shared {
	unsigned int started, go;
};

/* One process: progress while all others hold the machine too; then the end. */
static int process(volatile struct shared *s, __u32 tag)
{
	struct client c;
	struct holder h;

	if (client_open(&c) || holder_start(&c, &h, tag))
		return 1;
	__atomic_fetch_add(&s->started, 1, __ATOMIC_SEQ_CST);
	while (!s->go)
		usleep(1000);
	if (holder_progress(&h, BEATS))
		return 2;
	return holder_end(&c, &h) || aql_destroy(&h.q) ? 3 : 0;
}

TEST_F_TIMEOUT(oversubscribe, processes, 120)
{
	volatile struct shared *s = client_shared_page();
	pid_t pid[PROCESSES];
	unsigned int i;
	int status;

	ASSERT_NE(NULL, s);
	for (i = 0; i < PROCESSES; i++) {
		pid[i] = client_fork();
		ASSERT_LE(0, pid[i]);
		if (!pid[i])
			_exit(process(s, i << 16));
	}
	while (s->started < PROCESSES) {
		ASSERT_EQ(0, waitpid(-1, &status, WNOHANG)) TH_LOG("a process cannot start");
		usleep(1000);
	}
	if (variant->preempted) {
		ASSERT_EQ(0, client_open(&self->c));
		/* its clock is measured while the others hold the machine */
		ASSERT_EQ(0, high_open(&self->c, &self->high));
		EXPECT_EQ(0, high_served(&self->c, &self->high));
	}
	s->go = 1;
	for (i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	if (variant->preempted) {
		EXPECT_EQ(0, high_close(&self->c, &self->high));
		client_close(&self->c);
	}
}

/* ---- what firmware keeps off for now has work all the same ---- */

#define ROTATED_MS	200	/* many quanta */

FIXTURE(rotated) {
	struct client c;
	struct aql_queue high;
	struct until_job job;
	struct holder low[QUEUES];
};

FIXTURE_SETUP(rotated)
{
	int ret = gpreempt_begin();
	unsigned int i;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->high, &self->c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, until_job_init(&self->c, &self->job));
	*self->job.stop = 0;
	aql_dispatch(&self->high, &self->c.until, 64, 64, self->job.args, NULL);
	ASSERT_EQ(0, until_job_moves(&self->job));
	for (i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, holder_start(&self->c, &self->low[i], i << 16));
}

FIXTURE_TEARDOWN(rotated)
{
	unsigned int i;

	gpreempt_end();
	until_job_stop(&self->job);
	for (i = 0; i < QUEUES; i++)
		EXPECT_EQ(0, holder_end(&self->c, &self->low[i]));
	client_close(&self->c);
}

/*
 * HIGH waits in the rotation for its place, with waves that are saved: none is counted, and no
 * signal tells of them. It is not taken for one that has nothing to do: others leave for it.
 */
TEST_F_TIMEOUT(rotated, no_signal_tells, 120)
{
	long long before;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_wait_scans(10, CLIENT_TIMEOUT_MS));
	before = gpreempt_number("stats/preemptions");
	usleep(ROTATED_MS * 1000);
	EXPECT_LT(before, gpreempt_number("stats/preemptions"));
	EXPECT_EQ(0, until_job_moves(&self->job));
}

TEST_HARNESS_MAIN
