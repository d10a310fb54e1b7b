// SPDX-License-Identifier: GPL-2.0
/*
 * A queue whose saves are late: it alone is kept off, for a time that doubles, and GPREEMPT
 * goes on for the others. The GPU model is told to be slow (gpu_model.h).
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"

#define HIGH_US		200
#define HIGH_TIMES	10
#define LATENCY_US	2000	/* of HIGH, with nobody in its way */
#define OTHERS		3	/* queues of one level */
#define LEVEL		5	/* theirs */
#define SLOW		1	/* the one of them that delays its saves */
#define ITEMS		256
#define SLOW_MS		300	/* what the model's slow saves take longer */
#define ALL		100	/* as often as it likes */
#define SLOW_SAVES	3	/* each by twice slow_save_ms too slow: the last is one too many */

FIXTURE(culprit) {
	struct client c;
	struct aql_queue low, high;
	struct until_job job;
	struct high_job high_job;
};

FIXTURE_SETUP(culprit)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (!gpu_model_present())
		SKIP(return, "this GPU cannot be told to be slow");
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->high_job, HIGH_US));
	ASSERT_EQ(0, until_job_init(&self->c, &self->job));
	ASSERT_EQ(0, gpreempt_set("preempt_timeout_ms", 100));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
}

FIXTURE_TEARDOWN(culprit)
{
	if (!gpu_model_present())
		return;
	EXPECT_EQ(0, gpu_model_say("off", NULL, 0));
	gpreempt_end();
}

/* Which is slow, and how often. */
static int slow(const struct aql_queue *q, unsigned int times)
{
	char command[48];

	snprintf(command, sizeof(command), "slow-save=%lu,%u", (unsigned long)q->ring.ptr, times);
	return gpu_model_say(command, NULL, 0);
}

/* What is left of the time that a queue is kept off for, in ms. */
static long long excluded_ms(const struct aql_queue *q)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt/excluded_ms",
		 getpid(), q->id);
	return file_read(path, text, sizeof(text)) ? -1 : atoll(text);
}

static bool is_excluded(struct client *c, const struct aql_queue *q)
{
	struct kfd_gpreempt_queue_info info;

	return !gpreempt_get(&c->dev, 0, q->id, &info) &&
	       info.flags & KFD_GPREEMPT_QUEUE_EXCLUDED &&
	       info.state == KFD_GPREEMPT_QUEUE_PREEMPTED;
}

/* HIGH may be through before it is found out whom it waited for. */
static int wait_excluded(long long times)
{
	int ret = gpreempt_wait_number("stats/excluded", times, CLIENT_TIMEOUT_MS);

	return ret ?: gpreempt_number("stats/excluded") == times ? 0 : -EEXIST;
}

/* It is, for @s seconds from about now on, and sysfs says so. */
static void expect_excluded(struct __test_metadata *_metadata, FIXTURE_DATA(culprit) *self,
			    unsigned int s)
{
	char path[96], text[32];

	EXPECT_TRUE(is_excluded(&self->c, &self->low));
	EXPECT_GE(1000 * s, excluded_ms(&self->low));
	EXPECT_LE(1000 * s - 300, excluded_ms(&self->low));
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt/state",
		 getpid(), self->low.id);
	ASSERT_EQ(0, file_read(path, text, sizeof(text)));
	text[strcspn(text, "\n")] = '\0';
	EXPECT_STREQ("excluded", text);
}

/*
 * LOW fills the machine, and each of its saves is late. HIGH waits for that once, and once more
 * each time that LOW is tried, then no more until LOW is back; that delays it anew, and is kept off
 * twice as long.
 */
TEST_F_TIMEOUT(culprit, alone, 120)
{
	long long excluded = gpreempt_number("stats/excluded");
	unsigned int i, round;
	__u64 ns;

	ASSERT_EQ(0, slow(&self->low, ALL));
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	for (round = 1; round <= 2; round++) {
		ASSERT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		EXPECT_LT(300000000ULL, ns);	/* what it is about happened */
		ASSERT_EQ(0, wait_excluded(excluded + round));
		expect_excluded(_metadata, self, round);
		EXPECT_EQ(excluded + round, gpreempt_number("stats/excluded"));
		for (i = 0; i < HIGH_TIMES; i++) {
			ASSERT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high,
						  CLIENT_TIMEOUT_MS, &ns));
			EXPECT_GE(gpu_model_limit(LATENCY_US) * 1000ULL, ns);
		}
		/* nobody wants the machine, and it is not put back all the same */
		usleep(round * 1000000 / 2);
		EXPECT_TRUE(is_excluded(&self->c, &self->low));
		usleep(round * 1000000 / 2);
		EXPECT_EQ(0, until_job_moves(&self->job));
		EXPECT_FALSE(is_excluded(&self->c, &self->low));
		EXPECT_EQ(0, excluded_ms(&self->low));
	}
	EXPECT_NE(0, gpreempt_wait_state("bypassed", 0));
	EXPECT_EQ(0, gpu_model_say("off", NULL, 0));
	until_job_stop(&self->job);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
}

/*
 * Its saves are slow and never late. HIGH waits for three of them, with others between them or not,
 * and for one more each time that LOW is tried.
 */
TEST_F_TIMEOUT(culprit, slow_and_in_time, 120)
{
	long long excluded = gpreempt_number("stats/excluded");
	long long late = gpreempt_number("stats/late");
	unsigned int i;
	__u64 ns;

	ASSERT_EQ(0, gpreempt_set("preempt_timeout_ms", 1000));
	/* more than a save takes on a kernel with KASAN */
	ASSERT_EQ(0, gpreempt_set("slow_save_ms", SLOW_MS / 2));
	until_job_start(&self->c, &self->job, &self->low);
	for (i = 0; i < 2 * SLOW_SAVES - 1; i++) {
		ASSERT_EQ(0, until_job_moves(&self->job));
		EXPECT_EQ(excluded, gpreempt_number("stats/excluded"));
		if (i % 2 == 0) {
			ASSERT_EQ(0, slow(&self->low, i == 2 * SLOW_SAVES - 2 ? ALL : 1));
		}
		ASSERT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		if (i % 2) {
			EXPECT_GE(gpu_model_limit(LATENCY_US) * 1000ULL, ns);
		} else if (gpu_model_figures()) {
			/* else a scan may have seen HIGH's packet before its doorbell rang */
			EXPECT_LT(SLOW_MS * 1000000ULL, ns);
		}
	}
	ASSERT_EQ(0, wait_excluded(excluded + 1));
	expect_excluded(_metadata, self, 1);
	for (i = 0; i < HIGH_TIMES; i++) {
		ASSERT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		EXPECT_GE(gpu_model_limit(LATENCY_US) * 1000ULL, ns);
	}
	EXPECT_EQ(late, gpreempt_number("stats/late"));
	EXPECT_NE(0, gpreempt_wait_state("bypassed", 0));
	EXPECT_EQ(0, gpu_model_say("off", NULL, 0));
	until_job_stop(&self->job);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
}

/* Neither RESUME nor a new queue helps; disabling does, and later queues as well. */
TEST_F_TIMEOUT(culprit, stays_off, 120)
{
	long long excluded = gpreempt_number("stats/excluded");
	struct aql_queue other;
	__u64 ns, end;

	ASSERT_EQ(0, slow(&self->low, ALL));
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	ASSERT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high, CLIENT_TIMEOUT_MS,
				  &ns));
	ASSERT_EQ(0, wait_excluded(excluded + 1));
	ASSERT_EQ(0, gpu_model_say("off", NULL, 0));
	ASSERT_TRUE(is_excluded(&self->c, &self->low));
	EXPECT_EQ(-ETIME, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_RESUME, 0, self->low.id,
					   KFD_GPREEMPT_WAIT, 100, 0));
	EXPECT_TRUE(is_excluded(&self->c, &self->low));
	ASSERT_EQ(0, aql_create(&other, &self->c.dev, 64, 7));
	end = kfd_now() + 500000000ULL;		/* LOW is off for longer */
	while (!is_excluded(&self->c, &other) && kfd_now() < end)
		;
	EXPECT_TRUE(is_excluded(&self->c, &other));
	EXPECT_EQ(0, aql_destroy(&other));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	EXPECT_EQ(0, until_job_moves(&self->job));
	EXPECT_EQ(0, excluded_ms(&self->low));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, aql_create(&other, &self->c.dev, 64, 7));
	usleep(20000);
	EXPECT_FALSE(is_excluded(&self->c, &self->low));
	EXPECT_FALSE(is_excluded(&self->c, &other));
	EXPECT_EQ(0, excluded_ms(&other));
	EXPECT_EQ(0, aql_destroy(&other));
	EXPECT_EQ(0, until_job_moves(&self->job));
	until_job_stop(&self->job);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
}

/*
 * Three share the machine, and one delays its saves. Behind the hardware scheduler's one
 * fence that is found out by trials; whatever the way, the others go on, and none of the
 * three loses a value.
 */
TEST_F_TIMEOUT(culprit, among_others, 120)
{
	long long excluded = gpreempt_number("stats/excluded");
	struct hold_job job[OTHERS];
	struct aql_queue q[OTHERS];
	unsigned int i;
	__u32 beats;
	bool parked;
	__u64 end;

	for (i = 0; i < OTHERS; i++) {
		ASSERT_EQ(0, aql_create(&q[i], &self->c.dev, 64, 1 + i));
		ASSERT_EQ(LEVEL, gpreempt_set_priority(&self->c.dev, 0, q[i].id, LEVEL));
		ASSERT_EQ(0, hold_job_start(&self->c, &job[i], &q[i], ITEMS, 128, i << 16));
	}
	for (i = 0; i < OTHERS; i++) {
		end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
		while (!*job[i].beats)
			ASSERT_GT(end, kfd_now());
	}
	ASSERT_EQ(0, slow(&q[SLOW], ALL));
	for (i = 0; i < OTHERS; i++)
		EXPECT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, q[i].id,
					      KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0));
	end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	for (;;) {
		/* not before the search is over: nobody has to wake it */
		parked = !gpreempt_wait_state("parked", 0);
		if (gpreempt_number("stats/excluded") != excluded)
			break;
		ASSERT_FALSE(parked);
		ASSERT_GT(end, kfd_now());
	}
	EXPECT_EQ(excluded + 1, gpreempt_number("stats/excluded"));
	for (i = 0; i < OTHERS; i++) {
		EXPECT_EQ(i == SLOW, is_excluded(&self->c, &q[i])) TH_LOG("queue %u", i);
	}
	for (i = 0; i < OTHERS; i++) {
		if (i == SLOW)
			continue;
		beats = *job[i].beats;
		end = kfd_now() + 900000000ULL;		/* while the other one is off */
		while (*job[i].beats == beats)
			ASSERT_GT(end, kfd_now()) TH_LOG("queue %u", i);
	}
	EXPECT_TRUE(is_excluded(&self->c, &q[SLOW]));
	EXPECT_NE(0, gpreempt_wait_state("bypassed", 0));
	EXPECT_EQ(0, gpu_model_say("off", NULL, 0));
	for (i = 0; i < OTHERS; i++) {
		EXPECT_EQ(0, hold_job_end(&self->c, &job[i]));
		EXPECT_EQ(0, hold_job_wrong(&job[i]));
		EXPECT_EQ(0, aql_destroy(&q[i]));
	}
	EXPECT_EQ(excluded + 1, gpreempt_number("stats/excluded"));
}

/* In a process of its own: its only queue is late, and it makes that anew. 0, or a step. */
static int makes_anew(void)
{
	struct until_job job;
	struct aql_queue q;
	struct client c;
	__u64 end;

	if (client_open(&c) || aql_create(&q, &c.dev, 64, PRIORITY_LOW))
		return 1;
	if (until_job_init(&c, &job) || slow(&q, ALL))
		return 2;
	until_job_start(&c, &job, &q);
	if (until_job_moves(&job))
		return 3;
	gpreempt_preempt(&c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, q.id, KFD_GPREEMPT_WAIT,
			 CLIENT_TIMEOUT_MS, 0);
	end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	while (!is_excluded(&c, &q))
		if (kfd_now() > end)
			return 4;
	if (gpu_model_say("off", NULL, 0))
		return 7;
	if (aql_destroy(&q) || aql_create(&q, &c.dev, 64, PRIORITY_LOW))
		return 5;
	end = kfd_now() + 500000000ULL;		/* the other one would be off for longer */
	while (!is_excluded(&c, &q))
		if (kfd_now() > end)
			return 6;
	return 0;
}

/* Nor is it a way out to make the only queue of a process anew. */
TEST_F_TIMEOUT(culprit, only_queue, 120)
{
	int status;
	pid_t pid;

	/* whose rings may be at the same addresses: the model tells queues by these */
	ASSERT_EQ(0, aql_destroy(&self->low));
	ASSERT_EQ(0, aql_destroy(&self->high));
	pid = client_fork();
	if (!pid)
		_exit(makes_anew());
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status) TH_LOG("step %d", WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
