// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel is taken off the machine in mid-loop by UPDATE_QUEUE, many times,
 * and its result is exact. Without GPREEMPT; by the hardware scheduler's
 * runlist, or by the queue's registers (amdgpu.sched_policy=2).
 */
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"

#define LOW_MS		100
#define TOGGLES		60

FIXTURE(toggle) {
	struct client c;
	struct aql_queue q;
	struct low_job job;
};

FIXTURE_SETUP(toggle)
{
	unsigned int node;
	__u32 gpu_id, n;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->q));
	n = low_calibrate(&self->c, &self->q, LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &self->job, self->c.dev.cus, n));
}

FIXTURE_TEARDOWN(toggle)
{
	if (self->c.dev.fd <= 0)
		return;
	EXPECT_EQ(0, aql_destroy(&self->q));
	client_close(&self->c);
}

TEST_F_TIMEOUT(toggle, exact, 120)
{
	unsigned int i, n = 0, jobs = 0, wrong = 0;

	while (n < TOGGLES) {
		low_job_start(&self->c, &self->job, &self->q);
		for (i = 0; i < 20; i++, n++) {
			/* not in step with the kernel's loop */
			usleep(1000 + n * 1717 % 4001);
			ASSERT_EQ(0, aql_update(&self->q, 0, PRIORITY_LOW));
			if (!i)
				ASSERT_EQ(-ETIME, low_job_wait(&self->c, &self->job, 200));
			ASSERT_EQ(0, aql_update(&self->q, 100, PRIORITY_LOW));
		}
		ASSERT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
		wrong += low_job_wrong(&self->job);
		jobs++;
	}
	TH_LOG("%u toggles, %u dispatches, %u wrong words", n, jobs, wrong);
	EXPECT_EQ(0, wrong);
}

/* A queue that goes away with its kernel under way takes it along. */
TEST_F(toggle, destroy_while_running)
{
	struct aql_queue other;

	ASSERT_EQ(0, aql_create(&other, &self->c.dev, 64, PRIORITY_LOW));
	low_job_start(&self->c, &self->job, &other);
	usleep(5000);
	ASSERT_EQ(0, aql_destroy(&other));
	low_job_start(&self->c, &self->job, &self->q);
	ASSERT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
}

TEST_HARNESS_MAIN
