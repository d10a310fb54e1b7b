// SPDX-License-Identifier: GPL-2.0
/*
 * What an operator sees of preemptions: statistics, SMI events and tracepoints. The
 * latencies are printed, for a comparison with what a model of the GPU saw.
 */
#include <errno.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"
#include "trace.h"

#define JOB_MS		100
#define HIGH_US		200
#define SAMPLES		30
#define POLL_US		5000

/* What a scan of two queues takes, and a fence, that of LOW's save or of nobody's. */
#define SCAN_NS		6000
#define FENCE_NS	65000
#define EVENTS		"kfd_gpreempt"

FIXTURE(seeing) {
	struct client c;
	struct aql_queue low, high;
	struct low_job job;
	struct high_job high_job;
	unsigned int node;
	__u32 gpu_id;
};

FIXTURE_SETUP(seeing)
{
	int ret = gpreempt_begin();
	__u32 n;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, kfd_find_gpu(&self->gpu_id, &self->node));
	ASSERT_EQ(0, client_open_pair(&self->c, &self->low, &self->high));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->high));
	ASSERT_EQ(0, high_job_init(&self->c, &self->high_job, HIGH_US));
	n = low_calibrate(&self->c, &self->low, JOB_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &self->job, self->c.dev.cus, n));
}

FIXTURE_TEARDOWN(seeing)
{
	trace_off(EVENTS);
	if (self->c.dev.fd > 0) {
		EXPECT_EQ(0, aql_destroy(&self->high));
		EXPECT_EQ(0, aql_destroy(&self->low));
		client_close(&self->c);
	}
	gpreempt_end();
}

/* HIGH comes while LOW runs, so often; LOW's results are exact. */
static int contend(FIXTURE_DATA(seeing) *self, unsigned int times)
{
	unsigned int i;
	__u64 ns;
	int ret;

	for (i = 0; i < times; i++) {
		low_job_start(&self->c, &self->job, &self->low);
		usleep(JOB_MS * 1000 / 5 + i * 3700 % 23000);
		ret = high_job_run(&self->c, &self->high_job, &self->high,
				   CLIENT_TIMEOUT_MS, &ns);
		if (!ret)
			ret = low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS);
		if (!ret && low_job_wrong(&self->job))
			ret = -EIO;
		if (ret)
			return ret;
	}
	return 0;
}

static long long stat_value(const char *name, const char *what)
{
	char file[64];

	snprintf(file, sizeof(file), "stats/%s%s", name, what);
	return gpreempt_number(file);
}

static int by_size(const void *a, const void *b)
{
	const long long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What is told of a latency agrees with its samples: exactly, but for a quarter at most. */
static void latency_check(struct __test_metadata *_metadata, const char *name, long long *ns,
			  unsigned int n)
{
	const struct { const char *file; unsigned int rank; } part[] = {
		{ "_ns_p50", (n + 1) / 2 }, { "_ns_p99", (99 * n + 99) / 100 },
	};
	unsigned int i;

	ASSERT_LT(0, n) TH_LOG("%s", name);
	qsort(ns, n, sizeof(*ns), by_size);
	for (i = 0; i < ARRAY_SIZE(part); i++) {
		long long exact = ns[part[i].rank - 1], told = stat_value(name, part[i].file);

		EXPECT_LE(exact, told) TH_LOG("%s%s", name, part[i].file);
		EXPECT_GE(exact + exact / 4, told) TH_LOG("%s%s", name, part[i].file);
	}
	EXPECT_EQ(ns[n - 1], stat_value(name, "_ns_max")) TH_LOG("%s", name);
}

static bool traced(const char *line, const char *event)
{
	char text[64];

	snprintf(text, sizeof(text), ": kfd_gpreempt_%s: gpu_id=", event);
	return strstr(line, text);
}

/*
 * Each preemption, each queue found waiting and each scan is counted; how long it took is what
 * the tracepoints tell. The interval is long, and does not stretch.
 */
TEST_F_TIMEOUT(seeing, statistics, 120)
{
	static const char *const counted[] = {
		"preemptions", "resumes", "transactions", "detections", "scans",
		"scan_ns_total", "fence_wait_ns_total",
	};
	enum { PREEMPTIONS, RESUMES, TRANSACTIONS, DETECTIONS, SCANS, IN_SCANS, IN_FENCES };
	static const char *const latencies[] = { "detection", "save" };
	long long n[ARRAY_SIZE(counted)], detection_ns[2 * SAMPLES], save_ns[2 * SAMPLES];
	unsigned int i, detections = 0, saves = 0;
	char *text, *rest, *line;
	__u64 begin;

	ASSERT_EQ(0, gpreempt_set("poll_interval_us", POLL_US));
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", POLL_US));
	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on(EVENTS, "0"));
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		n[i] = stat_value(counted[i], "");
	begin = kfd_gpu_clock(&self->c.dev);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, contend(self, SAMPLES));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		n[i] = stat_value(counted[i], "") - n[i];
	printf("# clock begin=%llu end=%llu scans=%lld\n", begin, kfd_gpu_clock(&self->c.dev),
	       n[SCANS]);
	for (i = 0; i < ARRAY_SIZE(latencies); i++)
		printf("# %s p50=%lld p99=%lld max=%lld\n", latencies[i],
		       stat_value(latencies[i], "_ns_p50"), stat_value(latencies[i], "_ns_p99"),
		       stat_value(latencies[i], "_ns_max"));
	printf("# report: a scan: %lld ns, a fence %lld\n", n[IN_SCANS] / (n[SCANS] ?: 1),
	       n[IN_FENCES] / (n[TRANSACTIONS] ?: 1));
	fflush(stdout);
	ASSERT_EQ(0, trace_off(EVENTS));
	text = trace_read();
	ASSERT_NE(NULL, text);
	rest = text;
	while ((line = trace_line(&rest))) {
		if (traced(line, "inversion") && detections < ARRAY_SIZE(detection_ns))
			detection_ns[detections++] = trace_field(line, "ns");
		else if (traced(line, "preempt_end") && saves < ARRAY_SIZE(save_ns))
			save_ns[saves++] = trace_field(line, "ns");
	}
	free(text);

	/* one victim each time */
	EXPECT_EQ(n[PREEMPTIONS], saves);
	EXPECT_EQ(n[PREEMPTIONS], n[RESUMES]);
	EXPECT_EQ(n[DETECTIONS], detections);
	/* where a scan takes long, HIGH may be served by the first that sees it wait */
	EXPECT_GE(SAMPLES, n[DETECTIONS]);
	latency_check(_metadata, "detection", detection_ns, detections);
	latency_check(_metadata, "save", save_ns, saves);
	if (gpu_model_figures()) {
		EXPECT_EQ(SAMPLES, n[PREEMPTIONS]);
		EXPECT_EQ(SAMPLES, n[DETECTIONS]);
		/* LOW off for HIGH, and on again */
		EXPECT_EQ(2 * SAMPLES, n[TRANSACTIONS]);
		EXPECT_GE(SCAN_NS * n[SCANS], n[IN_SCANS]);
		EXPECT_GE(FENCE_NS * n[TRANSACTIONS], n[IN_FENCES]);
	}

	/* of each latency only what came after that */
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < ARRAY_SIZE(latencies); i++) {
		EXPECT_EQ(0, stat_value(latencies[i], "_ns_p50")) TH_LOG("%s", latencies[i]);
		EXPECT_EQ(0, stat_value(latencies[i], "_ns_max")) TH_LOG("%s", latencies[i]);
	}
}

/* On one level no queue waits for another: how long LOW has waited counts anew after that. */
TEST_F_TIMEOUT(seeing, starves_anew, 60)
{
	struct until_job low_job, high_job;
	long long starved;

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, until_job_init(&self->c, &low_job));
	ASSERT_EQ(0, until_job_init(&self->c, &high_job));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 1000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &high_job, &self->high);
	ASSERT_EQ(0, until_job_moves(&high_job));
	until_job_start(&self->c, &low_job, &self->low);
	ASSERT_EQ(0, gpreempt_wait_scans(5, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(PRIORITY_LOW, gpreempt_set_priority(&self->c.dev, 0, self->high.id,
						      PRIORITY_LOW));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	usleep(1500000);
	starved = gpreempt_number("stats/starved");
	ASSERT_EQ(PRIORITY_HIGH, gpreempt_set_priority(&self->c.dev, 0, self->high.id,
						       KFD_GPREEMPT_NONE));
	ASSERT_EQ(0, gpreempt_wait_scans(5, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(starved, gpreempt_number("stats/starved"));
	until_job_stop(&high_job);
	until_job_stop(&low_job);
	EXPECT_EQ(0, until_job_wait(&self->c, &high_job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, until_job_wait(&self->c, &low_job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &high_job);
	until_job_free(&self->c, &low_job);
}

/* Where nothing is on the hardware there is no fence to wait for, and none is counted. */
TEST_F_TIMEOUT(seeing, nothing_to_wait_for, 60)
{
	long long transactions, fence_ns;

	ASSERT_EQ(0, aql_update(&self->high, 0, PRIORITY_HIGH));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	fence_ns = gpreempt_number("stats/fence_wait_ns_total");
	ASSERT_EQ(0, gpreempt_hold(&self->low, 0));
	EXPECT_LT(fence_ns, gpreempt_number("stats/fence_wait_ns_total"));
	fence_ns = gpreempt_number("stats/fence_wait_ns_total");
	transactions = gpreempt_number("stats/transactions");
	ASSERT_EQ(0, gpreempt_resume(&self->low));
	EXPECT_EQ(1, gpreempt_number("stats/transactions") - transactions);
	EXPECT_EQ(fence_ns, gpreempt_number("stats/fence_wait_ns_total"));
	ASSERT_EQ(0, aql_update(&self->high, 100, PRIORITY_HIGH));
}

/* HIGH waited for long, but for nobody below it: an inversion begins when it is raised. */
TEST_F_TIMEOUT(seeing, detection_after_parking, 60)
{
	struct until_job job;
	long long detections;

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, until_job_init(&self->c, &job));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(PRIORITY_LOW, gpreempt_set_priority(&self->c.dev, 0, self->high.id,
						      PRIORITY_LOW));
	until_job_start(&self->c, &job, &self->low);
	ASSERT_EQ(0, until_job_moves(&job));
	high_job_start(&self->c, &self->high_job, &self->high);
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	usleep(200000);
	detections = gpreempt_number("stats/detections");
	ASSERT_EQ(PRIORITY_HIGH, gpreempt_set_priority(&self->c.dev, 0, self->high.id,
						       KFD_GPREEMPT_NONE));
	ASSERT_EQ(0, high_job_wait(&self->c, &self->high_job, CLIENT_TIMEOUT_MS));
	/* where a scan takes long, HIGH may be served by the first that sees it wait */
	if (gpu_model_figures())
		EXPECT_EQ(1, gpreempt_number("stats/detections") - detections);
	EXPECT_GE(gpu_model_limit(1000) * 1000LL, gpreempt_number("stats/detection_ns_max"));
	until_job_stop(&job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &job);
}

/* A monitor that is started anew sees everything for the first time: HIGH waits anew, too. */
TEST_F_TIMEOUT(seeing, enabled_anew, 60)
{
	long long detections = gpreempt_number("stats/detections");
	struct until_job job;
	unsigned int i;

	ASSERT_EQ(0, until_job_init(&self->c, &job));
	ASSERT_EQ(0, gpreempt_write("policy", "none"));
	until_job_start(&self->c, &job, &self->low);
	ASSERT_EQ(0, until_job_moves(&job));
	high_job_start(&self->c, &self->high_job, &self->high);
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, gpreempt_set("enable", 1));
		/* until what was launched last counts as seen, see blocked_us */
		ASSERT_EQ(0, gpreempt_wait_scans(20, CLIENT_TIMEOUT_MS));
		EXPECT_EQ(i, gpreempt_number("stats/detections") - detections);
		ASSERT_EQ(0, gpreempt_set("enable", 0));
	}
	until_job_stop(&job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, high_job_wait(&self->c, &self->high_job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &job);
}

/* As a profiler reads them: evictions with a trigger of their own, and restores. */
TEST_F_TIMEOUT(seeing, smi_events, 60)
{
	struct kfd_ioctl_smi_events_args args = { .gpuid = self->gpu_id };
	long long preemptions, evictions = 0, restores = 0, ns, last = 0;
	char text[4096], *line, *rest, mark;
	unsigned int event, gpu_id, trigger;
	ssize_t n, used = 0;
	int pid, fields;
	__u64 mask;

	ASSERT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_SMI_EVENTS, &args));
	mask = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_EVICTION) |
	       KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_RESTORE);
	ASSERT_EQ(sizeof(mask), write(args.anon_fd, &mask, sizeof(mask)));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	preemptions = gpreempt_number("stats/preemptions");
	ASSERT_EQ(0, contend(self, 3));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	preemptions = gpreempt_number("stats/preemptions") - preemptions;

	while ((n = read(args.anon_fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += n;
	EXPECT_EQ(EAGAIN, errno);
	text[used] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		fields = sscanf(line, "%x %lld -%d %x %c", &event, &ns, &pid, &gpu_id, &mark);
		ASSERT_EQ(5, fields) TH_LOG("%s", line);
		EXPECT_EQ(getpid(), pid) TH_LOG("%s", line);
		EXPECT_EQ(self->gpu_id, gpu_id) TH_LOG("%s", line);
		EXPECT_LE(last, ns);
		last = ns;
		if (event == KFD_SMI_EVENT_QUEUE_EVICTION) {
			fields = sscanf(line, "%*x %*d -%*d %*x %u", &trigger);
			ASSERT_EQ(1, fields) TH_LOG("%s", line);
			evictions += trigger == 64;
		} else if (event == KFD_SMI_EVENT_QUEUE_RESTORE) {
			restores += mark == 'P';
		}
	}
	close(args.anon_fd);
	EXPECT_LT(0, preemptions);
	EXPECT_EQ(preemptions, evictions);
	EXPECT_EQ(preemptions, restores);
}

/* Every tracepoint of the way to a preemption and back. */
TEST_F_TIMEOUT(seeing, tracepoints, 60)
{
	static const char *const events[] = {
		"scan", "decision", "blocked", "preempt_begin", "preempt_end", "resume", "state",
		/* where a scan takes long, HIGH may be served by the first that sees it wait */
		"inversion",
	};
	const unsigned int nr = ARRAY_SIZE(events) - !gpu_model_figures();
	long long blocked;
	struct aql_signal *gate, *done, *dep[5] = {};
	struct kfd_mem mem;
	unsigned int i;
	char *trace, *rest, *line;

	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	gate = mem.ptr;
	done = gate + 1;
	aql_signal_init(gate, 1, NULL);
	aql_signal_init(done, 1, NULL);
	dep[0] = gate;

	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on(EVENTS, "0"));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, contend(self, 2));
	blocked = gpreempt_number("stats/blocked");
	low_job_start(&self->c, &self->job, &self->low);
	aql_barrier(&self->high, AQL_BARRIER_AND, dep, done);
	EXPECT_EQ(0, gpreempt_wait_number("stats/blocked", blocked + 1, CLIENT_TIMEOUT_MS));
	/* counted when it begins, and not in each scan that finds it */
	ASSERT_EQ(0, gpreempt_wait_scans(3, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(1, gpreempt_number("stats/blocked") - blocked);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_BLOCKED, gpreempt_queue_state(&self->high));
	gate->value = 0;
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, trace_off(EVENTS));

	trace = trace_read();
	ASSERT_NE(NULL, trace);
	for (i = 0; i < nr; i++) {
		EXPECT_TRUE(traced(trace, events[i])) TH_LOG("%s", events[i]);
	}
	EXPECT_NE(NULL, strstr(trace, "reason=inversion"));
	EXPECT_NE(NULL, strstr(trace, " verdict=preempt "));
	EXPECT_NE(NULL, strstr(trace, " verdict=resume "));
	EXPECT_NE(NULL, strstr(trace, "waits=1"));
	EXPECT_EQ(NULL, strstr(trace, ": kfd_gpreempt_bypass: "));
	/* there is no decision about a queue that stays where it is */
	for (rest = trace; (line = trace_line(&rest)); ) {
		if (!strstr(line, ": kfd_gpreempt_decision: "))
			continue;
		EXPECT_EQ(NULL, strstr(line, " verdict=keep ")) TH_LOG("%s", line);
	}
	free(trace);
	kfd_free(&self->c.dev, &mem);
}

TEST_HARNESS_MAIN
