// SPDX-License-Identifier: GPL-2.0
/*
 * The machine sleeps, to idle and to memory, while the GPU works; what ran goes
 * on where it was. Its clock is asked to wake it; others may be faster.
 */
#include <errno.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "gpreempt.h"
#include "ioctl_call.h"
#include "machine.h"

#define WORK_MS		3000	/* long enough to be under way whatever happens */

FIXTURE(suspend) {
	struct client c;
	struct aql_queue q;
	struct low_job job;
};

FIXTURE_VARIANT(suspend) {
	const char *sleep;	/* of /sys/power/mem_sleep */
};

FIXTURE_VARIANT_ADD(suspend, to_idle) { "s2idle" };
FIXTURE_VARIANT_ADD(suspend, to_memory) { "deep" };

FIXTURE_SETUP(suspend)
{
	__u32 n;
	int ret;

	if (machine_sleepless(variant->sleep))
		SKIP(return, "%s: %s", variant->sleep, machine_sleepless(variant->sleep));
	ret = client_open(&self->c);
	if (ret == -ENODEV)
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, 7));
	n = low_calibrate(&self->c, &self->q, WORK_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &self->job, self->c.dev.cus, n));
}

FIXTURE_TEARDOWN(suspend)
{
	EXPECT_EQ(0, aql_destroy(&self->q));
	client_close(&self->c);
}

TEST_F_TIMEOUT(suspend, work_goes_on, 300)
{
	low_job_start(&self->c, &self->job, &self->q);
	usleep(WORK_MS * 1000 / 20);
	ASSERT_EQ(1, self->job.signal->value) TH_LOG("LOW ended before the suspend");
	ASSERT_EQ(0, machine_sleep(variant->sleep));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	EXPECT_EQ(0, client_other_works());
}

FIXTURE(preempted) {
	struct contest ct;
};

FIXTURE_VARIANT(preempted) {
	const char *sleep;
};

FIXTURE_VARIANT_ADD(preempted, to_idle) { "s2idle" };
FIXTURE_VARIANT_ADD(preempted, to_memory) { "deep" };

FIXTURE_SETUP(preempted)
{
	int ret;

	if (machine_sleepless(variant->sleep))
		SKIP(return, "%s: %s", variant->sleep, machine_sleepless(variant->sleep));
	ret = contest_begin(&self->ct);
	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(preempted)
{
	contest_close(&self->ct);
}

/*
 * Nothing stays preempted over a suspend. Afterwards GPREEMPT is at work again,
 * and what was preempted ends exactly.
 */
TEST_F_TIMEOUT(preempted, suspend, 300)
{
	struct contest *ct = &self->ct;

	ASSERT_EQ(0, machine_sleep(variant->sleep));
	EXPECT_LT(ct->resumes, gpreempt_number("stats/resumes"));
	EXPECT_EQ(1, gpreempt_number("enable"));
	EXPECT_EQ(0, contest_finish(ct));
	EXPECT_EQ(0, contest_preempt(ct));
	EXPECT_EQ(0, contest_finish(ct));
}

/* What GPREEMPT asks for and what stock does take as long as before the sleep. */
TEST_F_TIMEOUT(preempted, grace_period, 300)
{
	struct contest *ct = &self->ct;
	long long save_ns, stock_ns, ns;

	ASSERT_EQ(0, contest_finish(ct));
	if (gpreempt_set("grace_us", 0) == -EOPNOTSUPP)
		SKIP(return, "no grace period that could be set on this GPU");
	save_ns = contest_save_ns(ct);
	stock_ns = contest_stock_ns(ct);
	ASSERT_EQ(0, machine_sleep(variant->sleep));
	EXPECT_EQ(0, gpreempt_number("grace_us"));
	/* HIGH's queue may be back before LOW's, and preempt it when it has no waves yet */
	ASSERT_EQ(0, contest_preempt(ct));
	ASSERT_EQ(0, contest_finish(ct));
	ns = contest_save_ns(ct);
	EXPECT_TRUE(contest_longer_by(ns, save_ns, 0)) TH_LOG("%lld ns, not %lld", ns, save_ns);
	ns = contest_stock_ns(ct);
	EXPECT_TRUE(contest_longer_by(ns, stock_ns, 0)) TH_LOG("%lld ns, not %lld", ns, stock_ns);
}

/* What is held runs over a suspend, if at all, and is held again. */
TEST_F_TIMEOUT(preempted, held, 300)
{
	struct contest *ct = &self->ct;
	unsigned int ms;

	ASSERT_EQ(0, gpreempt_hold(&ct->queue, 0));
	ASSERT_EQ(0, machine_sleep(variant->sleep));
	for (ms = 0; gpreempt_queue_state(&ct->queue) != KFD_GPREEMPT_QUEUE_HELD; ms++) {
		ASSERT_GT(CLIENT_TIMEOUT_MS, ms);
		usleep(1000);
	}
	EXPECT_EQ(0, gpreempt_preempt(ct->queue.dev, KFD_GPREEMPT_OP_RESUME, 0, ct->queue.id, 0,
				      0, 0));
	EXPECT_EQ(0, contest_finish(ct));
}

TEST_HARNESS_MAIN
