// SPDX-License-Identifier: GPL-2.0
/*
 * LOW computes exactly what it should over more than a thousand preemptions in
 * one run, or as many as $GPREEMPT_EXACT_PREEMPTIONS says. On a model one of
 * $GPREEMPT_EXACT_LATE is answered late, but before stock gives up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"

#define LOW_MS		100
#define HIGH_US		200
/* More than the thousand: some meet LOW outside its loop. */
#define PREEMPTIONS	"1200"
/* Of the guest, for 20,000 of them. */
#define SECONDS		1800

/*
 * How late, us, in turn: no delay to the driver, a slow one, and two that are late. MES is waited
 * for 2.1 s, and the hardware scheduler longer.
 */
static const unsigned int late_us[] = { 8000, 60000, 400000, 1900000 };

FIXTURE(exact) {
	struct client c;
	struct aql_queue low, high;
	struct low_job job[2];
	struct high_job high_job;
};

FIXTURE_SETUP(exact)
{
	int ret = gpreempt_begin();
	unsigned int i;
	__u32 n;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->high_job, HIGH_US));
	n = low_calibrate(&self->c, &self->low, LOW_MS);
	ASSERT_NE(0, n);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, low_job_init(&self->c, &self->job[i], self->c.dev.cus, n));
}

FIXTURE_TEARDOWN(exact)
{
	if (self->c.dev.fd <= 0)
		return;
	EXPECT_EQ(0, gpreempt_end());
	EXPECT_EQ(0, aql_destroy(&self->high));
	EXPECT_EQ(0, aql_destroy(&self->low));
	client_close(&self->c);
}

/* Dispatches of LOW that ended are checked and started again. */
static unsigned int turn_low(FIXTURE_DATA(exact) *self, unsigned int *next, unsigned int *wrong)
{
	unsigned int n = 0;

	while (n < 2 && !low_job_wait(&self->c, &self->job[*next], 0)) {
		*wrong += low_job_wrong(&self->job[*next]);
		low_job_start(&self->c, &self->job[*next], &self->low);
		*next ^= 1;
		n++;
	}
	return n;
}

static int arm_late(unsigned int n)
{
	char command[40];

	snprintf(command, sizeof(command), "delay-preemption=%u",
		 late_us[n % (sizeof(late_us) / sizeof(*late_us))]);
	return gpu_model_say(command, NULL, 0);
}

/* A queue that is blamed for a late answer is kept off until GPREEMPT is enabled anew. */
static int forgive(long long *excluded)
{
	long long now = gpreempt_number("stats/excluded");

	if (now == *excluded)
		return 0;
	*excluded = now;
	return gpreempt_set("enable", 0) ?: gpreempt_set("enable", 1);
}

TEST_F_TIMEOUT(exact, low_over_a_thousand_preemptions, SECONDS)
{
	const char *asked = getenv("GPREEMPT_EXACT_PREEMPTIONS");
	unsigned int every = atoi(getenv("GPREEMPT_EXACT_LATE") ?: "0"), late = 0;
	long long wanted = atoll(asked ?: PREEMPTIONS), first, preemptions = 0;
	long long failed = gpreempt_number("stats/failed");
	long long before = gpreempt_number("stats/excluded"), excluded = before;
	unsigned int i, rounds, next = 0, wrong = 0, dispatches = 0;
	__u64 ns;

	for (i = 0; i < 2; i++)
		low_job_start(&self->c, &self->job[i], &self->low);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	first = gpreempt_number("stats/preemptions");
	ASSERT_LE(0, first);
	ASSERT_LT(0, wanted);
	for (rounds = 0; preemptions < wanted; rounds++) {
		/* not in step with the monitor nor with LOW's loop */
		usleep(3000 + rounds * 1717 % 4001);
		if (every && preemptions >= (late + 1LL) * every)
			ASSERT_EQ(0, arm_late(late++));
		ASSERT_EQ(0, high_job_run(&self->c, &self->high_job, &self->high,
					  CLIENT_TIMEOUT_MS, &ns));
		dispatches += turn_low(self, &next, &wrong);
		ASSERT_EQ(0, forgive(&excluded));
		preemptions = gpreempt_number("stats/preemptions") - first;
	}
	for (i = 0; i < 2; i++, next ^= 1) {
		ASSERT_EQ(0, low_job_wait(&self->c, &self->job[next], CLIENT_TIMEOUT_MS));
		wrong += low_job_wrong(&self->job[next]);
		dispatches++;
	}
	TH_LOG("%lld preemptions, %u dispatches of LOW, %u wrong words", preemptions, dispatches,
	       wrong);
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, dispatches);
	EXPECT_LE(preemptions, gpreempt_number("stats/resumes"));
	/* a reset would have ended this process' queues */
	EXPECT_EQ(failed, gpreempt_number("stats/failed"));
	EXPECT_EQ(rounds, self->high_job.done[0]);
	if (every) {
		TH_LOG("%u answered late, LOW kept off for %lld of them", late,
		       excluded - before);
		EXPECT_EQ((int)late, gpu_model_fired("delay-preemption"));
	}
}

TEST_HARNESS_MAIN
