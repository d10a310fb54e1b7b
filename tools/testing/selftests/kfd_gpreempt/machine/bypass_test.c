// SPDX-License-Identifier: GPL-2.0
/*
 * What GPREEMPT does when the GPU does not: it gives the machine back, says so
 * once, and stays away until it is told to try again or a reset succeeded. The
 * GPU model is told to fail (gpu_model.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"
#include "uevent.h"

#define HIGH_US			200
#define WAKES			50000	/* so many changes of a priority */
#define WAKES_CPU		10	/* percent that the monitor may take for them */
#define LAUNCH_MS		100	/* ample for a dispatch to begin */
#define IN_A_ROW		6	/* late preemptions: the last bypass lasts for 32 s */
#define NOW_AND_THEN		3
#define REARM_SLACK_MS		800	/* the late preemption, and the search that follows */
#define FENCE_MS		2000	/* how long stock waits for a fence, here */
#define FENCE_PARAMETER		"/sys/module/amdgpu/parameters/queue_preemption_timeout_ms"
#define RECOVER			"/sys/kernel/debug/dri/0/amdgpu_gpu_recover"
#define TRACE			"/sys/kernel/tracing/trace"
#define TRACE_BYPASS		"/sys/kernel/tracing/events/kfd_gpreempt/kfd_gpreempt_bypass/enable"
#define RESET_TIMEOUT_MS	60000

FIXTURE(bypass) {
	struct client c;
	struct aql_queue low, high;
	struct until_job job, long_job;		/* LOW's, and one of HIGH's */
	struct high_job high_job;
	int uevents;
	long long before;	/* preempted, as counted: others' queues were destroyed so */
};

static int write_parameter(const char *path, int value)
{
	FILE *f = fopen(path, "we");
	int ret;

	if (!f)
		return -errno;
	ret = fprintf(f, "%d\n", value) < 0 ? -EIO : 0;
	return fclose(f) ? -errno : ret;
}

/* Has the tracepoint told of it, and of no other? */
static bool traced(__u32 gpu_id, const char *reason)
{
	char text[4096], wanted[96], *found;

	snprintf(wanted, sizeof(wanted), ": kfd_gpreempt_bypass: gpu_id=%u reason=%s\n", gpu_id,
		 reason);
	if (file_read(TRACE, text, sizeof(text)))
		return false;
	found = strstr(text, ": kfd_gpreempt_bypass: ");
	return found && found == strstr(text, wanted) &&
	       !strstr(found + 1, ": kfd_gpreempt_bypass: ");
}

/* The bypass is complete: state, reason, nothing preempted, one uevent. */
static void expect_bypassed(struct __test_metadata *_metadata, FIXTURE_DATA(bypass) *self,
			    const char *reason)
{
	char text[64];
	int all;

	ASSERT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, gpreempt_read("stats/bypass_reason", text, sizeof(text)));
	EXPECT_STREQ(reason, text);
	EXPECT_EQ(self->before, gpreempt_preempted());
	usleep(200000);		/* the uevent comes from a work item */
	EXPECT_EQ(1, uevent_bypasses(self->uevents, self->c.dev.gpu_id, reason, &all));
	EXPECT_EQ(1, all);
}

FIXTURE_SETUP(bypass)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (!gpu_model_present())
		SKIP(return, "this GPU cannot be told to fail");
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->high_job, HIGH_US));
	ASSERT_EQ(0, until_job_init(&self->c, &self->job));
	ASSERT_EQ(0, until_job_init(&self->c, &self->long_job));
	self->uevents = uevent_open();
	ASSERT_LE(0, self->uevents);
	/* less than the faults delay, also where gpreempt_begin() is patient */
	ASSERT_EQ(0, gpreempt_set("preempt_timeout_ms", 100));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->before = gpreempt_preempted();
}

FIXTURE_TEARDOWN(bypass)
{
	if (!gpu_model_present())
		return;
	EXPECT_EQ(0, gpu_model_say("off", NULL, 0));
	file_write(TRACE_BYPASS, "0");
	write_parameter(FENCE_PARAMETER, 9000);
	gpreempt_end();
	close(self->uevents);
}

/* LOW executes, for as long as it is not told to end. */
static void low_runs(FIXTURE_DATA(bypass) *self)
{
	until_job_start(&self->c, &self->job, &self->low);
	usleep(LAUNCH_MS * 1000);
}

static int low_ends(FIXTURE_DATA(bypass) *self)
{
	until_job_stop(&self->job);
	return until_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS);
}

/* HIGH comes through while LOW runs, so often. */
static int high_beside_low(FIXTURE_DATA(bypass) *self, unsigned int times)
{
	int ret = 0;
	__u64 ns;

	while (!ret && times--) {
		low_runs(self);
		ret = high_job_run(&self->c, &self->high_job, &self->high,
				   CLIENT_TIMEOUT_MS, &ns);
		if (!ret)
			ret = low_ends(self);
	}
	return ret;
}

/* Armed anew it preempts. */
static void expect_works(struct __test_metadata *_metadata, FIXTURE_DATA(bypass) *self)
{
	long long preemptions;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	preemptions = gpreempt_number("stats/preemptions");
	ASSERT_EQ(0, high_beside_low(self, 3));
	EXPECT_LE(preemptions + 3, gpreempt_number("stats/preemptions"));
	EXPECT_NE(0, gpreempt_wait_state("bypassed", 0));
}

/* A loop that would have it look does not keep a monitor busy that gave up. */
static void expect_spared(struct __test_metadata *_metadata, FIXTURE_DATA(bypass) *self)
{
	struct timespec before, after;
	clockid_t clock;
	unsigned int i;
	__u64 ns, cpu;

	ASSERT_EQ(0, gpreempt_share_cpu());
	ASSERT_EQ(0, clock_getcpuclockid(gpreempt_monitor(), &clock));
	ASSERT_EQ(0, clock_gettime(clock, &before));
	ns = kfd_now();
	for (i = 0; i < WAKES; i++)
		ASSERT_LE(0, gpreempt_set_priority(&self->c.dev, 0, self->low.id, i % 2));
	ns = kfd_now() - ns;
	ASSERT_EQ(0, clock_gettime(clock, &after));
	cpu = (after.tv_sec - before.tv_sec) * 1000000000ULL + after.tv_nsec - before.tv_nsec;
	ASSERT_EQ(PRIORITY_LOW, gpreempt_set_priority(&self->c.dev, 0, self->low.id, PRIORITY_LOW));
	TH_LOG("the monitor took %llu %% of a CPU, of %llu ms", 100 * cpu / ns, ns / 1000000);
	/* a kernel that checks itself takes any time */
	if (gpu_model_figures())
		EXPECT_GE(WAKES_CPU, 100 * cpu / ns);
}

/* A preemption is late, and no queue can be blamed. */
static void be_late(struct __test_metadata *_metadata, FIXTURE_DATA(bypass) *self,
		    struct aql_queue *q)
{
	ASSERT_EQ(0, gpu_model_say("delay-preemption=300000", NULL, 0));
	EXPECT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, q->id, 0, 0, 0));
	expect_bypassed(_metadata, self, "late_preemption");
}

/* The bypass that has begun at @begin ends by itself, after so many ms. */
static void expect_rearmed(struct __test_metadata *_metadata, __u64 begin, unsigned int ms)
{
	__u64 end = begin + (ms + CLIENT_TIMEOUT_MS) * 1000000ULL;

	while (!gpreempt_wait_state("bypassed", 0)) {
		ASSERT_GT(end, kfd_now());
		usleep(1000);
	}
	EXPECT_LE(ms, (kfd_now() - begin) / 1000000);
	EXPECT_GE(ms + gpu_model_limit(REARM_SLACK_MS), (kfd_now() - begin) / 1000000);
}

/*
 * It is tried again after a second, after two and so on, and no time is the last. Meanwhile
 * nobody is preempted: HIGH waits for LOW's end.
 */
TEST_F_TIMEOUT(bypass, late, 180)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_QUERY, .gpu_id = self->c.dev.gpu_id,
	};
	long long late = gpreempt_number("stats/late"), preemptions;
	unsigned int i;
	__u64 begin;

	ASSERT_EQ(0, file_write(TRACE_BYPASS, "1"));
	for (i = 1; i <= IN_A_ROW; i++) {
		ASSERT_EQ(0, file_write(TRACE, "\n"));
		begin = kfd_now();
		be_late(_metadata, self, &self->low);
		EXPECT_TRUE(traced(self->c.dev.gpu_id, "late_preemption"));
		EXPECT_EQ(i, gpu_model_fired("delay-preemption"));
		EXPECT_EQ(late + i, gpreempt_number("stats/late"));
		if (i < IN_A_ROW)
			expect_rearmed(_metadata, begin, 1000 << (i - 1));
	}
	EXPECT_EQ(-EIO, gpreempt_hold(&self->low, 0));
	EXPECT_EQ(0, gpreempt_call(&self->c.dev, &args));
	EXPECT_EQ(KFD_GPREEMPT_NODE_BYPASSED, args.query.state);

	preemptions = gpreempt_number("stats/preemptions");
	low_runs(self);
	ASSERT_EQ(0, until_job_moves(&self->job));
	high_job_start(&self->c, &self->high_job, &self->high);
	EXPECT_EQ(-ETIME, high_job_wait(&self->c, &self->high_job, 200));
	EXPECT_EQ(0, low_ends(self));
	EXPECT_EQ(0, high_job_wait(&self->c, &self->high_job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(preemptions, gpreempt_number("stats/preemptions"));
	expect_spared(_metadata, self);
	EXPECT_EQ(0, gpreempt_wait_state("bypassed", 0));
	expect_works(_metadata, self);
}

/* A preemption in time between two late ones: they are not in a row. */
TEST_F_TIMEOUT(bypass, late_now_and_then, 180)
{
	unsigned int i;
	__u64 begin;

	for (i = 0; i < NOW_AND_THEN; i++) {
		begin = kfd_now();
		be_late(_metadata, self, &self->low);
		expect_rearmed(_metadata, begin, 1000);
		ASSERT_EQ(0, high_beside_low(self, 1));
	}
}

static int queue_flags(struct aql_queue *q)
{
	struct kfd_gpreempt_queue_info info;

	return gpreempt_get(q->dev, 0, q->id, &info) ?: (int)info.flags;
}

static int wait_held(struct aql_queue *q)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	while (gpreempt_queue_state(q) != KFD_GPREEMPT_QUEUE_HELD) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

/* What was off before is given back as well. It is still meant to be held, and is once more. */
TEST_F_TIMEOUT(bypass, hold_outlives_late, 120)
{
	struct aql_queue middle;
	__u64 begin;

	ASSERT_EQ(0, aql_create(&middle, &self->c.dev, 64, 7));
	low_runs(self);
	ASSERT_EQ(0, gpreempt_hold(&self->low, 0));
	begin = kfd_now();
	be_late(_metadata, self, &middle);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, gpreempt_queue_state(&self->low));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HOLD, queue_flags(&self->low));
	EXPECT_EQ(0, until_job_moves(&self->job));
	expect_rearmed(_metadata, begin, 1000);
	EXPECT_EQ(0, wait_held(&self->low));

	/* what is released meanwhile is not held */
	begin = kfd_now();
	be_late(_metadata, self, &middle);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HOLD, queue_flags(&self->low));
	EXPECT_EQ(0, gpreempt_resume(&self->low));
	EXPECT_EQ(0, queue_flags(&self->low));
	expect_rearmed(_metadata, begin, 1000);
	usleep(100000);
	EXPECT_NE(KFD_GPREEMPT_QUEUE_HELD, gpreempt_queue_state(&self->low));
	EXPECT_EQ(0, until_job_moves(&self->job));
	EXPECT_EQ(0, low_ends(self));
	EXPECT_EQ(0, aql_destroy(&middle));
}

#define HOLD_MS		1200	/* longer than it takes to be bypassed, and less than that lasts */

/* The time that a hold is for goes on. */
TEST_F_TIMEOUT(bypass, hold_ends_while_bypassed, 120)
{
	struct aql_queue middle;
	__u64 begin;

	ASSERT_EQ(0, aql_create(&middle, &self->c.dev, 64, 7));
	be_late(_metadata, self, &middle);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	low_runs(self);
	begin = kfd_now();
	ASSERT_EQ(0, gpreempt_hold(&self->low, HOLD_MS));
	ASSERT_EQ(0, gpu_model_say("delay-preemption=300000", NULL, 0));
	ASSERT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, middle.id, 0, 0,
				      0));
	ASSERT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HOLD, queue_flags(&self->low));
	while (kfd_now() - begin < HOLD_MS * 1000000ULL)
		usleep(1000);
	EXPECT_EQ(0, queue_flags(&self->low));
	EXPECT_EQ(0, gpreempt_wait_state("bypassed", 0));
	expect_rearmed(_metadata, begin, HOLD_MS);
	EXPECT_EQ(0, low_ends(self));
	EXPECT_EQ(0, aql_destroy(&middle));
}

/* A hold that is late when it comes again: its queue is searched for, and excluded. */
TEST_F_TIMEOUT(bypass, hold_is_late_again, 120)
{
	long long excluded = gpreempt_number("stats/excluded");
	struct aql_queue middle;
	char slow[48];

	ASSERT_EQ(0, aql_create(&middle, &self->c.dev, 64, 7));
	low_runs(self);
	ASSERT_EQ(0, gpreempt_hold(&self->low, 0));
	be_late(_metadata, self, &middle);
	EXPECT_EQ(excluded, gpreempt_number("stats/excluded"));
	snprintf(slow, sizeof(slow), "slow-save=%lu,100", (unsigned long)self->low.ring.ptr);
	ASSERT_EQ(0, gpu_model_say(slow, NULL, 0));
	ASSERT_EQ(0, gpreempt_wait_number("stats/excluded", excluded + 1, CLIENT_TIMEOUT_MS));
	EXPECT_NE(0, gpreempt_wait_state("bypassed", 500));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HOLD | KFD_GPREEMPT_QUEUE_EXCLUDED,
		  queue_flags(&self->low));
	EXPECT_EQ(0, gpu_model_say("off", NULL, 0));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	EXPECT_EQ(0, low_ends(self));
	EXPECT_EQ(0, aql_destroy(&middle));
}

/*
 * Late once, with LOW that has the machine and HIGH that wants it. LOW is tried and was in time:
 * a bypass, in which LOW stays where it is, and HIGH waits. Then it is preempted again.
 */
TEST_F_TIMEOUT(bypass, late_once, 120)
{
	__u64 begin = kfd_now();

	low_runs(self);
	ASSERT_EQ(0, gpu_model_say("delay-preemption=300000", NULL, 0));
	high_job_start(&self->c, &self->high_job, &self->high);
	expect_bypassed(_metadata, self, "late_preemption");
	EXPECT_EQ(0, until_job_moves(&self->job));
	EXPECT_EQ(0, gpreempt_wait_state("bypassed", 0));
	expect_rearmed(_metadata, begin, 1000);
	EXPECT_EQ(0, high_job_wait(&self->c, &self->high_job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_ends(self));
}

/*
 * A queue that cannot be saved at all has everything wait, and stock resets it. That is not the
 * fault of the one beside it.
 */
TEST_F_TIMEOUT(bypass, stuck_beside_another, 180)
{
	long long excluded = gpreempt_number("stats/excluded");
	struct hold_job job;
	struct aql_queue q;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, 5));
	until_job_start(&self->c, &self->job, &q);
	usleep(LAUNCH_MS * 1000);
	ASSERT_EQ(0, gpu_model_say("stall-wave", NULL, 0));
	ASSERT_EQ(0, gpu_model_wait_fired("stall-wave", 1, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, hold_job_start(&self->c, &job, &self->low, 256, 128, 1));
	usleep(LAUNCH_MS * 1000);
	gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->high.id,
			 KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 0);
	EXPECT_NE(0, gpreempt_wait_state("bypassed", 500));	/* ample for a search */
	EXPECT_EQ(excluded, gpreempt_number("stats/excluded"));
	EXPECT_EQ(0, hold_job_end(&self->c, &job));
	EXPECT_EQ(0, hold_job_wrong(&job));
}

/*
 * Late once, with two that had waves: each is tried, and none can be blamed. It comes to a
 * bypass, and no queue is kept off. The next time it lasts twice as long: what was in time
 * while one was looked for says nothing.
 */
TEST_F_TIMEOUT(bypass, late_for_no_queue, 120)
{
	long long excluded = gpreempt_number("stats/excluded");
	struct hold_job job[2];
	unsigned int i;
	__u64 begin;

	ASSERT_EQ(0, hold_job_start(&self->c, &job[0], &self->low, 256, 128, 1));
	ASSERT_EQ(0, hold_job_start(&self->c, &job[1], &self->high, 256, 128, 1 << 16));
	usleep(LAUNCH_MS * 1000);
	for (i = 1; i < NOW_AND_THEN; i++) {
		begin = kfd_now();
		ASSERT_EQ(0, gpu_model_say("delay-preemption=300000", NULL, 0));
		gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id, 0, 0, 0);
		expect_bypassed(_metadata, self, "late_preemption");
		EXPECT_EQ(excluded, gpreempt_number("stats/excluded"));
		expect_rearmed(_metadata, begin, i * 1000);
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, hold_job_end(&self->c, &job[i]));
		EXPECT_EQ(0, hold_job_wrong(&job[i]));
	}
}

/* ---- what only a GPU reset ends; this process's queues are gone by then ---- */

/* A process that comes after the reset, and that is preempted for. */
static int preempts_again(void)
{
	FIXTURE_DATA(bypass) self = {};
	long long preemptions;

	if (client_open_pair(&self.c, &self.low, &self.high))
		return 1;
	if (client_calibrate(&self.c, &self.high) ||
	    high_job_init(&self.c, &self.high_job, HIGH_US))
		return 3;
	if (until_job_init(&self.c, &self.job))
		return 4;
	preemptions = gpreempt_number("stats/preemptions");
	if (high_beside_low(&self, 3))
		return 5;
	return gpreempt_number("stats/preemptions") > preemptions ? 0 : 6;
}

static void expect_recovered(struct __test_metadata *_metadata)
{
	int status;
	pid_t pid;

	EXPECT_EQ(1, gpreempt_number("enable"));
	pid = client_fork();
	if (!pid)
		_exit(preempts_again());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

static void never_answers(struct __test_metadata *_metadata, FIXTURE_DATA(bypass) *self,
			  const char *fault)
{
	long long failed = gpreempt_number("stats/failed");
	int fired = gpu_model_fired(fault), ret;
	__u64 end;
	char state[32];

	ASSERT_EQ(0, write_parameter(FENCE_PARAMETER, FENCE_MS));
	low_runs(self);
	ASSERT_EQ(0, gpu_model_say(fault, NULL, 0));
	high_job_start(&self->c, &self->high_job, &self->high);
	ASSERT_EQ(0, gpu_model_wait_fired(fault, fired + 1, CLIENT_TIMEOUT_MS));
	/* bypassed until the reset has succeeded; that it was so, others will remember */
	end = kfd_now() + RESET_TIMEOUT_MS * 1000000ULL;
	while (gpreempt_number("stats/failed") == failed) {
		ASSERT_GT(end, kfd_now());
		usleep(1000);
	}
	/* no retry into a hung scheduler */
	ASSERT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	EXPECT_EQ(-EBUSY, gpreempt_set("enable", 1));
	EXPECT_EQ(0, gpreempt_wait_state("bypassed", 0));
	for (;;) {
		ASSERT_EQ(0, gpreempt_read("state", state, sizeof(state)));
		if (strcmp(state, "bypassed"))
			break;
		ASSERT_GT(end, kfd_now());
		usleep(10000);
	}
	EXPECT_EQ(1, uevent_bypasses(self->uevents, self->c.dev.gpu_id, "hung_preemption", &ret));
	EXPECT_EQ(1, ret);
	EXPECT_EQ(failed + 1, gpreempt_number("stats/failed"));
	EXPECT_EQ(self->before, gpreempt_preempted());
	expect_recovered(_metadata);
}

TEST_F_TIMEOUT(bypass, never_answers, 180)
{
	never_answers(_metadata, self, "hang-preemption");
}

TEST_F_TIMEOUT(bypass, fence_lost, 180)
{
	never_answers(_metadata, self, "lose-fence");
}

/* A reset for another reason is no error: parked, and armed again. */
TEST_F_TIMEOUT(bypass, reset_in_progress, 180)
{
	long long failed = gpreempt_number("stats/failed");
	char text[64];
	int fd, all;

	low_runs(self);
	until_job_start(&self->c, &self->long_job, &self->high);
	fd = open(RECOVER, O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_LT(0, read(fd, text, sizeof(text)));	/* returns after the reset */
	close(fd);
	EXPECT_EQ(self->before, gpreempt_preempted());
	EXPECT_EQ(failed, gpreempt_number("stats/failed"));
	ASSERT_EQ(0, gpreempt_read("stats/bypass_reason", text, sizeof(text)));
	EXPECT_STREQ("none", text);
	EXPECT_EQ(0, uevent_bypasses(self->uevents, self->c.dev.gpu_id, "", &all));
	EXPECT_EQ(0, all);
	expect_recovered(_metadata);
}

TEST_HARNESS_MAIN
