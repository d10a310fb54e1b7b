// SPDX-License-Identifier: GPL-2.0
/*
 * What the driver makes of a GPU that does not do as it should. The GPU model
 * is told to fail (gpu_model.h); nothing here needs GPREEMPT.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpu_model.h"

#define LOW_MS		100
#define FAULT_MS	300	/* how long delays last */
#define TICKS_PER_MS	100000	/* of a signal's timestamps: 100 MHz */

static unsigned int ms_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * 1000 + (now.tv_nsec - then->tv_nsec) / 1000000;
}

FIXTURE(fault) {
	struct client c;
	struct aql_queue q, other;
	struct low_job job, short_job;
};

FIXTURE_SETUP(fault)
{
	__u32 n;
	int ret;

	if (!gpu_model_present())
		SKIP(return, "this GPU cannot be told to fail");
	ret = client_open(&self->c);
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, 7));
	ASSERT_EQ(0, aql_create(&self->other, &self->c.dev, 64, 7));
	n = low_calibrate(&self->c, &self->q, LOW_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &self->job, self->c.dev.cus, n));
	ASSERT_EQ(0, low_job_init(&self->c, &self->short_job, 1, 16));
}

FIXTURE_TEARDOWN(fault)
{
	if (!gpu_model_present())
		return;
	EXPECT_EQ(0, gpu_model_say("off", NULL, 0));
	/* Whatever happened to the one queue, the other works. */
	low_job_start(&self->c, &self->short_job, &self->other);
	EXPECT_EQ(0, low_job_wait(&self->c, &self->short_job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->short_job));
	EXPECT_EQ(0, aql_destroy(&self->q));
	EXPECT_EQ(0, aql_destroy(&self->other));
	client_close(&self->c);
}

/* The work is done and nobody is told; the next interrupt arrives again. */
TEST_F(fault, lost_interrupt)
{
	struct low_job *job = &self->short_job;

	ASSERT_EQ(0, gpu_model_say("lose-interrupt=181", NULL, 0));
	low_job_start(&self->c, job, &self->q);
	EXPECT_EQ(-ETIME, kfd_event_wait(&self->c.dev, &job->event, 500));
	EXPECT_EQ(0, job->signal->value);
	EXPECT_EQ(0, low_job_wrong(job));
	EXPECT_LT(0, gpu_model_fired("lose-interrupt"));
	low_job_start(&self->c, job, &self->q);
	EXPECT_EQ(0, kfd_event_wait(&self->c.dev, &job->event, CLIENT_TIMEOUT_MS));
}

/* A packet of no known type stops its queue. */
TEST_F(fault, corrupt_packet)
{
	__u64 read = self->q.amd->read_dispatch_id;

	ASSERT_EQ(0, gpu_model_say("corrupt-packet", NULL, 0));
	low_job_start(&self->c, &self->short_job, &self->q);
	ASSERT_EQ(0, gpu_model_wait_fired("corrupt-packet", 1, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(-ETIME, low_job_wait(&self->c, &self->short_job, 300));
	EXPECT_EQ(read, self->q.amd->read_dispatch_id);
}

/* A wave that stops for a while makes its kernel last that long. */
TEST_F(fault, wave_stalled_for_a_while)
{
	struct low_job *job = &self->short_job;
	char command[40];

	snprintf(command, sizeof(command), "stall-wave=%u", FAULT_MS * 1000);
	ASSERT_EQ(0, gpu_model_say(command, NULL, 0));
	low_job_start(&self->c, job, &self->q);
	ASSERT_EQ(0, low_job_wait(&self->c, job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(job));
	EXPECT_LT(0, gpu_model_fired("stall-wave"));
	EXPECT_LE(FAULT_MS * TICKS_PER_MS, job->signal->end_ts - job->signal->start_ts);
}

/* A late preemption is waited for. */
TEST_F(fault, delayed_preemption)
{
	struct timespec start;
	char command[40];

	low_job_start(&self->c, &self->job, &self->q);
	snprintf(command, sizeof(command), "delay-preemption=%u", FAULT_MS * 1000);
	ASSERT_EQ(0, gpu_model_say(command, NULL, 0));
	clock_gettime(CLOCK_MONOTONIC, &start);
	EXPECT_EQ(0, aql_update(&self->q, 0, 7));
	EXPECT_LE(FAULT_MS, ms_since(&start));
	EXPECT_EQ(0, aql_update(&self->q, 100, 7));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
}

/* A queue that is not restored stands still, and loses nothing. */
TEST_F(fault, refused_restore)
{
	low_job_start(&self->c, &self->job, &self->q);
	usleep(LOW_MS * 1000 / 4);
	EXPECT_EQ(0, aql_update(&self->q, 0, 7));
	ASSERT_EQ(1, self->job.signal->value) TH_LOG("LOW ended before it was taken off");
	ASSERT_EQ(0, gpu_model_say("refuse-restore", NULL, 0));
	EXPECT_EQ(0, aql_update(&self->q, 100, 7));
	ASSERT_EQ(0, gpu_model_wait_fired("refuse-restore", 1, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(-ETIME, low_job_wait(&self->c, &self->job, 3 * LOW_MS));
	EXPECT_EQ(0, aql_update(&self->q, 0, 7));
	EXPECT_EQ(0, aql_update(&self->q, 100, 7));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
}

/* ---- what only a reset ends, of the queue or of the GPU ---- */

#define TIMEOUT_PARAMETER	"/sys/module/amdgpu/parameters/queue_preemption_timeout_ms"
#define RESET_TIMEOUT_MS	30000

FIXTURE(hang) {
	struct client c;
	struct aql_queue q;
	struct until_job endless;
	int kmsg;
};

FIXTURE_VARIANT(hang) {
	const char *fault;
	const char *end;	/* what the driver says once it has recovered */
	const char *mes_end;	/* likewise, with MES */
};

/*
 * A wave that stops for good cannot be saved: the scheduler gives up and says
 * which queue it was, and the driver resets that queue alone. MES does not answer.
 */
FIXTURE_VARIANT_ADD(hang, stalled_wave) { "stall-wave", "Queues reset on process", "succeeded!" };
/* Everything else takes the GPU's reset. */
FIXTURE_VARIANT_ADD(hang, preemption) { "hang-preemption", "succeeded!" };
FIXTURE_VARIANT_ADD(hang, lost_fence) { "lose-fence", "succeeded!" };
FIXTURE_VARIANT_ADD(hang, corrupt_packet) { "corrupt-hiq-packet", "succeeded!" };
FIXTURE_VARIANT_ADD(hang, reset) { "reset", "succeeded!" };

FIXTURE_SETUP(hang)
{
	if (!gpu_model_present())
		SKIP(return, "this GPU cannot be told to fail");
	/* Stock waits for 9 s, the scheduler for 4 s before it gives up. */
	ASSERT_EQ(0, file_write(TIMEOUT_PARAMETER,
				strcmp(variant->fault, "stall-wave") ? "1000" : "9000"));
	self->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->kmsg);
	ASSERT_EQ(0, lseek(self->kmsg, 0, SEEK_END));
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, 7));
	ASSERT_EQ(0, until_job_init(&self->c, &self->endless));
}

FIXTURE_TEARDOWN(hang)
{
	file_write(TIMEOUT_PARAMETER, "9000");
	gpu_model_say("off", NULL, 0);
}

/* Wait for a line of the kernel's log with @text. */
static int wait_kmsg(int fd, const char *text, unsigned int timeout_ms)
{
	char line[1024];
	unsigned int ms;
	ssize_t n;

	for (ms = 0; ms < timeout_ms;) {
		n = read(fd, line, sizeof(line) - 1);
		if (n > 0) {
			line[n] = '\0';
			if (strstr(line, text))
				return 0;
		} else if (errno == EAGAIN) {
			usleep(10000);
			ms += 10;
		} else if (errno != EPIPE) {	/* EPIPE: lines were dropped, read on */
			return -errno;
		}
	}
	return -ETIME;
}

/* The driver notices, resets the GPU, and the next process finds it working. */
TEST_F_TIMEOUT(hang, recovered, 90)
{
	int fired = gpu_model_fired(variant->fault);

	until_job_start(&self->c, &self->endless, &self->q);
	ASSERT_EQ(0, gpu_model_say(variant->fault, NULL, 0));
	if (!strcmp(variant->fault, "stall-wave"))	/* else the preemption comes first */
		ASSERT_EQ(0, gpu_model_wait_fired(variant->fault, fired + 1, CLIENT_TIMEOUT_MS));
	aql_update(&self->q, 0, 7);	/* whatever it returns: that is stock's business */
	EXPECT_EQ(fired + 1, gpu_model_fired(variant->fault));
	ASSERT_EQ(0, wait_kmsg(self->kmsg, self->c.dev.gfx_version < 110000 ? variant->end :
			       variant->mes_end ?: variant->end, RESET_TIMEOUT_MS));
	EXPECT_EQ(1, self->endless.signal->value);	/* its work is gone */
	EXPECT_EQ(0, client_other_works());
}

TEST_HARNESS_MAIN
