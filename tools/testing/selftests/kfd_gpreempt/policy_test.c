// SPDX-License-Identifier: GPL-2.0
/*
 * What the policies promise beyond taking a lower queue off for a higher one:
 * the lowest executes beside one that never ends, queues of a level take turns,
 * and a change of policy leaves nobody behind.
 */
#include <errno.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"

FIXTURE(policy) {
	struct client c;
	struct aql_queue q[3];
	struct until_job job[3];
	unsigned int queues, jobs;
	long long before, preemptions;
};

FIXTURE_SETUP(policy)
{
	int ret = gpreempt_begin();

	if (ret == -ENODEV)
		SKIP(return, "no KFD device");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, gpreempt_set("blocked_us", 500000));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, client_open(&self->c));
	self->before = gpreempt_preempted();
}

FIXTURE_TEARDOWN(policy)
{
	unsigned int i;

	gpreempt_set("enable", 0);
	if (self->c.dev.fd > 0) {
		/* all of them first: one may keep another from the machine */
		for (i = 0; i < self->jobs; i++)
			until_job_stop(&self->job[i]);
		for (i = 0; i < self->jobs; i++)
			EXPECT_EQ(0, until_job_wait(&self->c, &self->job[i],
						    CLIENT_TIMEOUT_MS));
		/* a second dispatch of a job may still want its arguments */
		while (self->queues)
			EXPECT_EQ(0, aql_destroy(&self->q[--self->queues]));
		while (self->jobs)
			until_job_free(&self->c, &self->job[--self->jobs]);
		client_close(&self->c);
	}
	gpreempt_end();
}

static int start(FIXTURE_DATA(policy) *self, const char *policy, unsigned int n,
		 const __u32 *priority)
{
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = aql_create(&self->q[i], &self->c.dev, 64, priority[i]);
		if (ret)
			return ret;
		self->queues++;
		ret = until_job_init(&self->c, &self->job[i]);
		if (ret)
			return ret;
		self->jobs++;
		/* nothing to stop yet */
		aql_signal_init(self->job[i].signal, 0, NULL);
	}
	self->preemptions = gpreempt_number("stats/preemptions");
	ret = gpreempt_write("policy", policy);
	return ret ?: gpreempt_set("enable", 1);
}

static void run(FIXTURE_DATA(policy) *self, unsigned int i)
{
	until_job_start(&self->c, &self->job[i], &self->q[i]);
}

/* Wait until so many are preempted; 0 or -ETIME. */
static int preempted(FIXTURE_DATA(policy) *self, long long n)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	while (gpreempt_preempted() - self->before != n) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

static const __u32 low_high[] = { PRIORITY_LOW, PRIORITY_HIGH };

/*
 * Rule 3: the lowest queue executes instructions, again and again, beside the
 * highest, whose kernel never ends and which has another one behind it.
 */
TEST_F_TIMEOUT(policy, lowest_executes, 60)
{
	unsigned int i, moved = 0;
	__u32 last, now;

	ASSERT_EQ(0, start(self, "strict", 2, low_high));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	run(self, 1);
	aql_dispatch(&self->q[1], &self->c.until, self->c.dev.cus * 64, 64,
		     self->job[1].args, NULL);
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	ASSERT_EQ(0, preempted(self, 1));
	/* without the rule it stands still */
	last = self->job[0].rounds[0];
	usleep(300000);
	EXPECT_EQ(last, self->job[0].rounds[0]);

	ASSERT_EQ(0, gpreempt_set("starvation_ms", 50));
	ASSERT_EQ(0, gpreempt_set("min_residency_us", 10000));
	for (i = 0; i < 10; i++) {
		usleep(200000);
		now = self->job[0].rounds[0];
		moved += now != last;
		last = now;
	}
	/* every third starvation time at least, on however busy a host */
	EXPECT_LE(i / 2, moved);
	EXPECT_EQ(0, until_job_moves(&self->job[1]));
}

static const __u32 equal[] = { 7, 7 };

/* Two kernels that never end and both need the machine: one after the other. */
TEST_F_TIMEOUT(policy, turns, 60)
{
	__u32 before[2], rounds[2];
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 20000));
	ASSERT_EQ(0, start(self, "strict", 2, equal));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	run(self, 1);
	/* strict does not care */
	usleep(200000);
	EXPECT_EQ(0, self->job[1].rounds[0]);
	EXPECT_EQ(self->preemptions, gpreempt_number("stats/preemptions"));

	ASSERT_EQ(0, gpreempt_write("policy", "timeslice"));
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	for (i = 0; i < 2; i++)
		before[i] = self->job[i].rounds[0];
	usleep(2000000);
	for (i = 0; i < 2; i++)
		rounds[i] = self->job[i].rounds[0] - before[i];
	TH_LOG("rounds: %u and %u, %lld preemptions", rounds[0], rounds[1],
	       gpreempt_number("stats/preemptions") - self->preemptions);
	/* half for each, as far as the host lets it */
	EXPECT_LE(rounds[0], 2 * rounds[1]);
	EXPECT_LE(rounds[1], 2 * rounds[0]);
	EXPECT_LE(5, gpreempt_number("stats/preemptions") - self->preemptions);

	/* one alone is left alone, once it is clear that the other has nothing to do */
	ASSERT_EQ(0, gpreempt_set("blocked_us", 2000));
	until_job_stop(&self->job[1]);
	ASSERT_EQ(0, until_job_wait(&self->c, &self->job[1], CLIENT_TIMEOUT_MS));
	usleep(1000000);
	ASSERT_EQ(0, preempted(self, 0));
	self->preemptions = gpreempt_number("stats/preemptions");
	usleep(200000);
	EXPECT_EQ(self->preemptions, gpreempt_number("stats/preemptions"));
}

/* Each policy in its turn on a busy node: nobody stays behind preempted. */
TEST_F_TIMEOUT(policy, change, 60)
{
	static const __u32 priority[] = { PRIORITY_LOW, 7, 7 };
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 1000000));
	ASSERT_EQ(0, start(self, "timeslice", 3, priority));
	for (i = 0; i < 3; i++) {
		run(self, i);
		if (i < 2)
			ASSERT_EQ(0, until_job_moves(&self->job[i]));
	}
	for (i = 0; i < 5; i++) {
		/* LOW for the two, and one of the two for the other */
		ASSERT_EQ(0, gpreempt_write("policy", "timeslice"));
		EXPECT_EQ(0, preempted(self, 2));
		ASSERT_EQ(0, gpreempt_write("policy", "strict"));
		EXPECT_EQ(0, preempted(self, 1));
		ASSERT_EQ(0, gpreempt_write("policy", "none"));
		EXPECT_EQ(0, preempted(self, 0));
	}
	/* watch and count only */
	self->preemptions = gpreempt_number("stats/preemptions");
	usleep(100000);
	EXPECT_EQ(self->preemptions, gpreempt_number("stats/preemptions"));
}

TEST_HARNESS_MAIN
