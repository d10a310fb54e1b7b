// SPDX-License-Identifier: GPL-2.0
/* AMDKFD_IOC_GPREEMPT: PREEMPT, HOLD, RESUME and HINT on a queue at work. */
#include "ioctl_fixture.h"

/* Off the hardware in mid-kernel until it is told to go on; nothing lost. */
TEST_F_TIMEOUT(ioctl, hold, 120)
{
	struct kfd_gpreempt_queue_info info;
	__u64 begin;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	ASSERT_EQ(0, gpreempt_hold(&self->low, 0));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, info.state);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HOLD, info.flags);
	EXPECT_EQ(1, info.preemptions);
	EXPECT_EQ(0, info.resumes);
	EXPECT_EQ(0, info.resumed_ns);
	/* nobody else wants the machine, and rule 3 does not end it either */
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 10));
	EXPECT_EQ(-ETIME, low_job_wait(&self->c, &self->job, 3 * LOW_MS));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, gpreempt_queue_state(&self->low));
	/* again is no error, and nothing more to do */
	EXPECT_EQ(0, gpreempt_hold(&self->low, 0));
	begin = kfd_now();
	EXPECT_EQ(0, gpreempt_resume(&self->low));
	EXPECT_NE(KFD_GPREEMPT_QUEUE_HELD, gpreempt_queue_state(&self->low));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(1, info.preemptions);
	EXPECT_EQ(1, info.resumes);
	EXPECT_LE(begin, info.resumed_ns);
	EXPECT_GE(kfd_now(), info.resumed_ns);
	EXPECT_LE(3 * LOW_MS * 1000000ULL, info.preempted_ns);
	EXPECT_EQ(0, gpreempt_resume(&self->low));
	low_job_free(&self->c, &self->job);
}

#define ROUNDS	3

/*
 * LOW's waves come back and end before the next scan, no signal tells, and nothing else works:
 * that is no error, and what root holds of another process's stays held.
 */
TEST_F_TIMEOUT(ioctl, hold_beside_short_work, 120)
{
	struct kfd_gpreempt_queue_info info;
	long long preemptions;
	struct until_job low;
	unsigned int i;

	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, until_job_init(&self->c, &self->until));
	ASSERT_EQ(0, gpreempt_set("poll_interval_us", 20000));
	ASSERT_EQ(0, gpreempt_set("preempt_timeout_ms", 100));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, self->child,
				      self->shared->queue_id,
				      KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0));
	preemptions = gpreempt_number("stats/preemptions");
	for (i = 0; i < ROUNDS; i++) {
		*low.stop = 0;
		aql_dispatch(&self->low, &self->c.until, self->c.dev.cus * 64, 64, low.args, NULL);
		ASSERT_EQ(0, until_job_moves(&low));
		until_job_start(&self->c, &self->until, &self->high);
		ASSERT_EQ(0, until_job_moves(&self->until));
		until_job_stop(&low);
		until_job_stop(&self->until);
		ASSERT_EQ(0, until_job_wait(&self->c, &self->until, CLIENT_TIMEOUT_MS));
		usleep(300000);		/* three times preempt_timeout_ms */
		ASSERT_EQ(0, gpreempt_get(&self->c.dev, self->child, self->shared->queue_id,
					  &info));
		EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, info.state) TH_LOG("round %u", i);
	}
	EXPECT_EQ(1, info.preemptions);
	/* where a scan takes its time, one may find that LOW has ended */
	EXPECT_GE(preemptions + ROUNDS, gpreempt_number("stats/preemptions"));
	EXPECT_LT(preemptions, gpreempt_number("stats/preemptions"));
	EXPECT_NE(0, gpreempt_wait_state("bypassed", 0));
	until_job_free(&self->c, &self->until);
	until_job_free(&self->c, &low);
}

/* The monitor may be parked when the time is over. */
TEST_F_TIMEOUT(ioctl, hold_ends_by_itself, 120)
{
	__u64 begin;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	begin = kfd_now();
	ASSERT_EQ(0, gpreempt_hold(&self->low, 1000));
	EXPECT_EQ(0, gpreempt_wait_state("parked", 900));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, gpreempt_queue_state(&self->low));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	/* from then on LOW needs what was left to do; a tenth it did before */
	EXPECT_LE(1000 * 1000000ULL, kfd_now() - begin);
	EXPECT_GE(gpu_model_limit((1000 + LOW_MS * 92 / 100) * 1000 +
				  gpreempt_save_sleeps_us()) * 1000ULL,
		  kfd_now() - begin);
	EXPECT_EQ(0, low_job_wrong(&self->job));
	low_job_free(&self->c, &self->job);
}

/* Rule 5: disabling forgets it, and what was announced. */
TEST_F_TIMEOUT(ioctl, hold_ends_with_disable, 120)
{
	struct kfd_ioctl_gpreempt_args hint = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->high.id, .hint = { 1000000, 1000000 },
	};
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	ASSERT_EQ(0, gpreempt_hold(&self->low, 0));
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &hint));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HINT, info.flags);
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, info.state);
	EXPECT_EQ(0, info.flags);
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	usleep(50000);
	EXPECT_NE(KFD_GPREEMPT_QUEUE_HELD, gpreempt_queue_state(&self->low));
	low_job_free(&self->c, &self->job);
}

/* Without a hold it is taken off once, and comes back when its turn comes. */
TEST_F_TIMEOUT(ioctl, preempt_once, 120)
{
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	ASSERT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id,
				      0, 0, 0));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(1, info.preemptions);
	EXPECT_EQ(0, info.flags);
	low_job_free(&self->c, &self->job);
}

/* With nobody else about, the queue is back before the waiter can see it off. */
TEST_F_TIMEOUT(ioctl, preempt_once_and_wait, 120)
{
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	EXPECT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id,
				      KFD_GPREEMPT_WAIT, 1000, 0));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_LE(1, info.preemptions);
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	low_job_free(&self->c, &self->job);
}

/* Work is announced: the machine is free when it comes, and if it does not come. */
TEST_F_TIMEOUT(ioctl, hint, 120)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->high.id,
		.hint = { 20000, 100000 },
	};
	struct kfd_gpreempt_queue_info info;
	__u64 begin, ns;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	EXPECT_NE(KFD_GPREEMPT_QUEUE_PREEMPTED, gpreempt_queue_state(&self->low));
	begin = kfd_now();
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HINT, info.flags);
	do {
		usleep(100);
		ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
		ns = kfd_now() - begin;
	} while (!info.preemptions && ns < 1000 * 1000000ULL);
	/* in advance, by a save and a quarter of an interval, and with no work at all */
	EXPECT_EQ(1, info.preemptions);
	EXPECT_LE(gpu_model_least(19000 - 3 * gpreempt_save_sleeps_us()) * 1000ULL, ns);
	EXPECT_GE(gpu_model_limit(20000 + gpreempt_save_sleeps_us()) * 1000ULL, ns);
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	usleep(150000);
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(0, info.flags);
	low_job_free(&self->c, &self->job);
}

/* A dispatch of HIGH's, from doorbell to end: how many faults did doorbells take? */
static long long faults_of_high(FIXTURE_DATA(ioctl) *self)
{
	long long faults = gpreempt_number("stats/doorbell_faults");

	until_job_start(&self->c, &self->until, &self->high);
	until_job_stop(&self->until);
	if (until_job_wait(&self->c, &self->until, CLIENT_TIMEOUT_MS))
		return -1;
	return gpreempt_number("stats/doorbell_faults") - faults;
}

/* HIGH's doorbell wakes the monitor as ever when it is LOW that announces work. */
TEST_F_TIMEOUT(ioctl, hint_of_low, 60)
{
	const unsigned int poll_us = 20000;
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->low.id,
		.hint = { KFD_GPREEMPT_HINT_US_MAX, KFD_GPREEMPT_HINT_US_MAX },
	};
	struct until_job low;

	ASSERT_EQ(0, until_job_init(&self->c, &self->until));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, gpreempt_set("poll_interval_us", poll_us));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &low, &self->low);
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	/* until HIGH was seen idle twice */
	usleep(10 * poll_us);
	EXPECT_LE(1, faults_of_high(self));
	until_job_stop(&low);
	ASSERT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &low);
	until_job_free(&self->c, &self->until);
}

/* An announcement can be taken back. */
TEST_F(ioctl, hint_taken_back)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->high.id,
		.hint = { 1000000, 1000000 },
	};
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HINT, info.flags);
	args.hint = (struct kfd_gpreempt_hint){ 0, 0 };
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(0, info.flags);
}

TEST_HARNESS_MAIN
