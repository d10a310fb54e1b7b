// SPDX-License-Identifier: GPL-2.0
/*
 * What begins to execute while waves are counted does not wait: HIGH's kernels are short and have
 * room beside LOW, and hardly any scan that counted takes LOW off for one of them. One that did not
 * count may: a packet that was not launched yet is all that memory shows. So may one that counted
 * while HIGH had published a packet and not rung its doorbell yet. A GPU that launches slowly, and
 * whose registers are slow, has more begin meanwhile.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "trace.h"

#define TIMES	600
#define VAIN	100	/* one in so many scans that counted may take LOW off in vain */

FIXTURE(counted) {
	struct client c;
	struct aql_queue low, high;
	struct until_job job;
	struct kfd_mem mem;
};

FIXTURE_SETUP(counted)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, until_job_init(&self->c, &self->job));
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &self->mem, KFD_PAGE, KFD_MEM_HOST));
	ASSERT_EQ(0, gpreempt_set("poll_interval_us", 100));
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 100));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
}

FIXTURE_TEARDOWN(counted)
{
	trace_off("kfd_gpreempt");
	until_job_stop(&self->job);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	kfd_free(&self->c.dev, &self->mem);
	EXPECT_EQ(0, aql_destroy(&self->high));
	EXPECT_EQ(0, aql_destroy(&self->low));
	client_close(&self->c);
	gpreempt_end();
}

TEST_F_TIMEOUT(counted, begins_meanwhile, 120)
{
	struct {
		__u64 out;
		__u32 value;
	} *args = self->mem.ptr + 256;
	struct aql_signal *signal = self->mem.ptr;
	unsigned int i, counts = 0, vain = 0, others = 0;
	char *text, *rest, *line;
	long long registers = 0;

	args->out = (uintptr_t)self->mem.ptr + 512;
	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on("kfd_gpreempt", "0"));
	for (i = 0; i < TIMES; i++) {
		args->value = i;
		aql_signal_init(signal, 1, NULL);
		aql_dispatch(&self->high, &self->c.store, 64, 64, args, signal);
		ASSERT_EQ(0, aql_signal_wait(&self->c.dev, signal, CLIENT_TIMEOUT_MS));
		usleep(500 + i * 370 % 1700);
	}
	ASSERT_EQ(0, trace_off("kfd_gpreempt"));
	text = trace_read();
	ASSERT_NE(NULL, text);
	for (rest = text; (line = trace_line(&rest)); ) {
		if (strstr(line, ": kfd_gpreempt_scan: ")) {
			registers = trace_field(line, "registers");
			counts += registers > 0;
		} else if (strstr(line, ": kfd_gpreempt_preempt_begin: ")) {
			vain += registers > 0;
			others += !registers;
			if (registers)
				TH_LOG("%s", line);
		}
	}
	free(text);
	/* or nothing would be tested */
	EXPECT_LT(TIMES / 2, counts);
	/* in another time HIGH may wait all the same */
	if (gpu_model_figures())
		EXPECT_GE(counts / VAIN, vain);
	TH_LOG("%u scans counted, %u of them and %u others took LOW off", counts, vain, others);
}

TEST_HARNESS_MAIN
