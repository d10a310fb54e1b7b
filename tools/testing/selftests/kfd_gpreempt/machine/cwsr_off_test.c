// SPDX-License-Identifier: GPL-2.0
/*
 * With amdgpu.cwsr_enable=0 nothing can be preempted: enabling GPREEMPT is
 * refused, and queues work as ever. Needs a boot (or a module load) of its own.
 */
#include <errno.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"

#define PARAMETER	"/sys/module/amdgpu/parameters/cwsr_enable"

FIXTURE(cwsr_off) {
};

FIXTURE_SETUP(cwsr_off)
{
	unsigned int node;
	__u32 gpu_id;
	int on = 1;
	FILE *f;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, KFD_MISSING);
	f = fopen(PARAMETER, "r");
	ASSERT_NE(NULL, f);
	EXPECT_EQ(1, fscanf(f, "%d", &on));
	fclose(f);
	if (on)
		SKIP(return, "amdgpu was not loaded with cwsr_enable=0");
	if (!gpreempt_present())
		SKIP(return, "%s", gpreempt_missing(-ENOENT));
}

FIXTURE_TEARDOWN(cwsr_off)
{
}

TEST_F(cwsr_off, enable_is_refused)
{
	char why[128];

	EXPECT_EQ(-EOPNOTSUPP, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_read("unsupported", why, sizeof(why)));
	EXPECT_STREQ("compute wave save/restore is off (cwsr_enable=0)", why);
	EXPECT_EQ(0, gpreempt_number("enable"));
	EXPECT_EQ(0, gpreempt_wait_state("disabled", 0));
	EXPECT_EQ(0, gpreempt_set("enable", 0));
}

TEST_F(cwsr_off, queues_work)
{
	struct high_job job;
	struct aql_queue q;
	struct client c;
	__u64 ns;

	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, aql_create(&q, &c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, client_calibrate(&c, &q));
	ASSERT_EQ(0, high_job_init(&c, &job, 200));
	EXPECT_EQ(0, high_job_run(&c, &job, &q, CLIENT_TIMEOUT_MS, &ns));
	high_job_free(&c, &job);
	EXPECT_EQ(0, aql_destroy(&q));
	client_close(&c);
}

TEST_HARNESS_MAIN
