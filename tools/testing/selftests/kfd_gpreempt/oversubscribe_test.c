// SPDX-License-Identifier: GPL-2.0
/*
 * More queues than the hardware has slots for, more processes than it has
 * VMIDs for: all of their kernels make progress, and none loses its state.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"

#define QUEUES		30	/* of 24 slots */
#define PROCESSES	15	/* of 13 VMIDs */
#define ITEMS		128	/* one workgroup of the "hold" kernel */
#define BEATS		4	/* rounds in which a kernel must be seen */

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
	struct hold_job *job = &h->job;
	int i, wrong = 0, ret;

	ret = hold_job_end(c, job);
	if (ret)
		return ret;
	for (i = 0; i < ITEMS; i++)
		wrong += job->out[3 * i] != job->args->tag + i ||
			 job->out[3 * i + 2] != ~(job->args->tag + i);
	return wrong;
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

FIXTURE(oversubscribe) {
	struct client c;
};

FIXTURE_SETUP(oversubscribe)
{
	unsigned int node;
	__u32 gpu_id;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, "no KFD device");
}

FIXTURE_TEARDOWN(oversubscribe)
{
}

TEST_F_TIMEOUT(oversubscribe, queues, 120)
{
	struct holder *h = calloc(QUEUES, sizeof(*h));
	unsigned int i;

	ASSERT_EQ(0, client_open(&self->c));
	for (i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, holder_start(&self->c, &h[i], i << 16));
	for (i = 0; i < QUEUES; i++)
		EXPECT_EQ(0, holder_progress(&h[i], BEATS)) TH_LOG("queue %u stands still", i);
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
	s->go = 1;
	for (i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
}

TEST_HARNESS_MAIN
