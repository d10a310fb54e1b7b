// SPDX-License-Identifier: GPL-2.0
/*
 * What an operator sees of preemptions: histograms and statistics that agree,
 * SMI events, tracepoints, and the packet a queue waits at. The times themselves
 * are compared with the GPU model's event log by scripts/check-latency.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"

#define JOB_MS		100
#define HIGH_US		200
#define SAMPLES		30
#define BUCKETS		25
#define POLL_US		5000
#define LONGEST_US	9000000

/* What a scan of two queues takes, and a fence, that of LOW's save or of nobody's. */
#define SCAN_NS		6000
#define FENCE_NS	65000
#define TRACING		"/sys/kernel/tracing/"

FIXTURE(seeing) {
	struct client c;
	struct aql_queue low, high;
	struct low_job job;
	struct high_job high_job;
	unsigned int node;
	__u32 gpu_id;
};

/* /sys/kernel/debug/kfd/gpreempt/<gpu_id>/latency */
struct latency {
	unsigned long long count[3][BUCKETS];
	unsigned long long sum[3];
};

enum { DETECTION, SAVE, RESTORE };

static FILE *debugfs_open(__u32 gpu_id, const char *file)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/debug/kfd/gpreempt/%u/%s", gpu_id, file);
	return fopen(path, "r");
}

/*
 * 0, or -errno; lines are in the order of the buckets, named by what is below them, and
 * end with the longest that was seen.
 */
static int latency_read(__u32 gpu_id, struct latency *l)
{
	FILE *f = debugfs_open(gpu_id, "latency");
	unsigned long long n[3] = {};
	char line[128], below[24], name[24];
	unsigned int i = 0, k;

	memset(l, 0, sizeof(*l));
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		snprintf(name, sizeof(name), i < BUCKETS - 1 ? "%llu" : "inf", 1ULL << i);
		if (i >= BUCKETS || sscanf(line, "%23s %llu %llu %llu", below,
					   &n[0], &n[1], &n[2]) != 4 || strcmp(below, name)) {
			i = 0;
			break;
		}
		for (k = 0; k < 3; k++) {
			l->count[k][i] = n[k];
			l->sum[k] += n[k];
		}
		i++;
	}
	fclose(f);
	return i == 1 || n[0] || n[1] || n[2] ? 0 : -EINVAL;
}

/* The line of debugfs about a queue of this process; false if there is none. */
static bool queue_line(__u32 gpu_id, __u32 id, char *line, size_t size)
{
	FILE *f = debugfs_open(gpu_id, "queues");
	unsigned int queue;
	bool found = false;
	int pid;

	if (!f)
		return false;
	while (!found && fgets(line, size, f))
		found = sscanf(line, "%d %u", &pid, &queue) == 2 && pid == getpid() &&
			queue == id;
	fclose(f);
	return found;
}

/* What saving a queue costs, as it says; 0 if it does not. */
static unsigned long long queue_line_save_us(__u32 gpu_id, __u32 id)
{
	unsigned long long us;
	char line[512];

	/* 12 fields before that, and two of what it was preempted */
	if (!queue_line(gpu_id, id, line, sizeof(line)) ||
	    sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &us) != 1)
		return 0;
	return us;
}

/* Wait until that line says so. */
static bool queue_line_says(__u32 gpu_id, __u32 id, const char *text)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	char line[512];

	while (kfd_now() < end) {
		if (queue_line(gpu_id, id, line, sizeof(line)) && strstr(line, text))
			return true;
		usleep(1000);
	}
	fprintf(stderr, "# last: %s", line);
	return false;
}

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
	file_write(TRACING "events/kfd_gpreempt/enable", "0");
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

/* Of the histogram: a bucket for each power of two of the microseconds. */
static unsigned int bucket(long long ns)
{
	unsigned int n = 0;

	for (ns /= 1000; ns; ns /= 2)
		n++;
	return n;
}

/*
 * What the statistics of a latency gained must be what its histogram gained; the
 * shortest and the longest of all stand in the first and the last of @buckets in use.
 */
static void stat_check(struct __test_metadata *_metadata, const char *name,
		       long long count, long long before_ns, const unsigned long long *buckets)
{
	unsigned int first = 0, last = BUCKETS - 1;
	char file[64];
	long long total, min, max;

	snprintf(file, sizeof(file), "stats/%s_ns_total", name);
	total = gpreempt_number(file) - before_ns;
	snprintf(file, sizeof(file), "stats/%s_ns_min", name);
	min = gpreempt_number(file);
	snprintf(file, sizeof(file), "stats/%s_ns_max", name);
	max = gpreempt_number(file);
	EXPECT_LT(0, min) TH_LOG("%s", name);
	EXPECT_LE(count * min, total) TH_LOG("%s: %lld samples", name, count);
	EXPECT_GE(count * max, total) TH_LOG("%s: %lld samples", name, count);
	while (first < last && !buckets[first])
		first++;
	while (first < last && !buckets[last])
		last--;
	EXPECT_EQ(first, bucket(min)) TH_LOG("%s: %lld ns", name, min);
	EXPECT_EQ(last, bucket(max)) TH_LOG("%s: %lld ns", name, max);
}

/*
 * struct span - a time that is counted
 * @name:	of its statistics
 * @each:	statistic of how often
 * @count:	that, at the beginning
 * @ns:		total, at the beginning
 */
struct span {
	const char *name, *each;
	long long count, ns;
};

static long long stat_value(const char *name, const char *what)
{
	char file[64];

	snprintf(file, sizeof(file), "stats/%s%s", name, what);
	return gpreempt_number(file);
}

static void span_begin(struct span *s, const char *name, const char *each)
{
	*s = (struct span){ name, each, stat_value(each, ""), stat_value(name, "_ns_total") };
}

/* Its average; the shortest and the longest that there was are on either side of that. */
static long long span_end(struct __test_metadata *_metadata, const struct span *s)
{
	long long count = stat_value(s->each, "") - s->count;
	long long ns = stat_value(s->name, "_ns_total") - s->ns;

	EXPECT_LT(0, count) TH_LOG("%s", s->each);
	EXPECT_GE(count * stat_value(s->name, "_ns_max"), ns) TH_LOG("%s", s->name);
	/* -ENOENT where there is none */
	EXPECT_LE(count * stat_value(s->name, "_ns_min"), ns) TH_LOG("%s", s->name);
	return ns / (count ?: 1);
}

/*
 * What each scan takes, its decision included, and each wait for a fence; how often
 * somebody was found to wait; and how far apart scans are, where that does not stretch.
 */
TEST_F_TIMEOUT(seeing, statistics, 120)
{
	long long preemptions, resumes, inversions, detections, transactions, interval_ns;
	long long decision_ns, scan_ns, fence_ns;
	struct span decision, scan, fence;

	ASSERT_EQ(0, gpreempt_set("poll_interval_us", POLL_US));
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", POLL_US));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	span_begin(&decision, "decision", "scans");
	span_begin(&scan, "scan", "scans");
	span_begin(&fence, "fence_wait", "transactions");
	preemptions = gpreempt_number("stats/preemptions");
	resumes = gpreempt_number("stats/resumes");
	inversions = gpreempt_number("stats/inversions");
	detections = gpreempt_number("stats/detections");
	transactions = gpreempt_number("stats/transactions");
	ASSERT_EQ(0, contend(self, SAMPLES));
	interval_ns = gpreempt_number("stats/interval_ns");
	EXPECT_LE(interval_ns, gpreempt_number("stats/interval_ns_max"));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	decision_ns = span_end(_metadata, &decision);
	scan_ns = span_end(_metadata, &scan);
	fence_ns = span_end(_metadata, &fence);
	preemptions = gpreempt_number("stats/preemptions") - preemptions;
	resumes = gpreempt_number("stats/resumes") - resumes;
	inversions = gpreempt_number("stats/inversions") - inversions;
	detections = gpreempt_number("stats/detections") - detections;
	transactions = gpreempt_number("stats/transactions") - transactions;
	printf("# report: a scan: %lld ns, its decision %lld, a fence %lld; every %lld ns\n",
	       scan_ns, decision_ns, fence_ns, interval_ns);
	EXPECT_LT(0, preemptions);
	EXPECT_EQ(preemptions, resumes);
	/* one in each scan that finds HIGH waiting: as a rule one each time that it comes */
	EXPECT_LE(detections, inversions);
	EXPECT_LT(0, decision_ns);
	EXPECT_LT(decision_ns, scan_ns);
	if (!gpu_model_figures())
		return;
	EXPECT_GE(SAMPLES * 11 / 10, inversions);
	/* LOW off for HIGH, and on again */
	EXPECT_EQ(2 * SAMPLES, transactions);
	EXPECT_GE(SCAN_NS, scan_ns);
	EXPECT_GE(FENCE_NS, fence_ns);
	/* a timer may be late by a 16th */
	EXPECT_LE(POLL_US * 1000, interval_ns);
	EXPECT_GE(POLL_US * 1000 * 35 / 32, interval_ns);
}

/*
 * Each preemption is in the histogram of saves, each inversion found in that of
 * detections. The interval is long, so that what depends on it stands out.
 */
TEST_F_TIMEOUT(seeing, histograms, 120)
{
	long long preemptions, detections, restores, scans, detection_ns, restore_ns, save_ns;
	static const char *const names[] = { "detection", "save", "restore" };
	struct latency before, after;
	__u64 begin, end;
	unsigned int i, k;

	ASSERT_EQ(0, gpreempt_set("poll_interval_us", 5000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	preemptions = gpreempt_number("stats/preemptions");
	detections = gpreempt_number("stats/detections");
	restores = gpreempt_number("stats/restores");
	scans = gpreempt_number("stats/scans");
	detection_ns = gpreempt_number("stats/detection_ns_total");
	restore_ns = gpreempt_number("stats/restore_ns_total");
	ASSERT_EQ(0, latency_read(self->gpu_id, &before));
	begin = kfd_gpu_clock(&self->c.dev);
	ASSERT_EQ(0, contend(self, SAMPLES));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	end = kfd_gpu_clock(&self->c.dev);
	ASSERT_EQ(0, latency_read(self->gpu_id, &after));
	preemptions = gpreempt_number("stats/preemptions") - preemptions;
	detections = gpreempt_number("stats/detections") - detections;
	restores = gpreempt_number("stats/restores") - restores;
	scans = gpreempt_number("stats/scans") - scans;

	/* one victim each time */
	EXPECT_EQ(preemptions, after.sum[SAVE] - before.sum[SAVE]);
	EXPECT_EQ(detections, after.sum[DETECTION] - before.sum[DETECTION]);
	EXPECT_EQ(restores, after.sum[RESTORE] - before.sum[RESTORE]);
	if (gpu_model_figures()) {
		EXPECT_EQ(SAMPLES, preemptions);
		EXPECT_EQ(SAMPLES, detections);
	} else {
		/* where a scan takes long, HIGH may be served by the first that sees it wait */
		EXPECT_GE(SAMPLES, detections);
	}
	EXPECT_GE(preemptions, restores);
	/* LOW's saves are all that there are; others wait for a fence without one */
	save_ns = queue_line_save_us(self->gpu_id, self->low.id) * 1000;
	EXPECT_LT(gpreempt_number("stats/fence_wait_ns_min"), save_ns);
	EXPECT_GE(gpreempt_number("stats/fence_wait_ns_max"), save_ns);
	stat_check(_metadata, "detection", detections, detection_ns, after.count[DETECTION]);
	stat_check(_metadata, "restore", restores, restore_ns, after.count[RESTORE]);

	/* for scripts/check-latency */
	printf("# clock begin=%llu end=%llu scans=%lld\n", begin, end, scans);
	for (k = 0; k < 3; k++) {
		printf("# %s", names[k]);
		for (i = 0; i < BUCKETS; i++)
			printf(" %llu", after.count[k][i] - before.count[k][i]);
		printf("\n");
	}
	fflush(stdout);
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

/* The last bucket has no end: LOW is put back, and HIGH has the machine for longer than that. */
TEST_F_TIMEOUT(seeing, longest, 120)
{
	struct until_job job, high_job;
	struct latency before, after;

	ASSERT_EQ(0, until_job_init(&self->c, &job));
	ASSERT_EQ(0, until_job_init(&self->c, &high_job));
	ASSERT_EQ(0, gpreempt_write("policy", "none"));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &job, &self->low);
	ASSERT_EQ(0, until_job_moves(&job));
	ASSERT_EQ(0, latency_read(self->gpu_id, &before));
	ASSERT_EQ(0, gpreempt_hold(&self->low, 0));
	until_job_start(&self->c, &high_job, &self->high);
	ASSERT_EQ(0, until_job_moves(&high_job));
	ASSERT_EQ(0, gpreempt_resume(&self->low));
	usleep(LONGEST_US);
	until_job_stop(&high_job);
	ASSERT_EQ(0, until_job_wait(&self->c, &high_job, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, until_job_moves(&job));
	until_job_stop(&job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, latency_read(self->gpu_id, &after));
	EXPECT_EQ(1, after.count[RESTORE][BUCKETS - 1] - before.count[RESTORE][BUCKETS - 1]);
	until_job_free(&self->c, &high_job);
	until_job_free(&self->c, &job);
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
	long long ns, detections;
	struct until_job job;

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
	ns = gpreempt_number("stats/detection_ns_total");
	ASSERT_EQ(PRIORITY_HIGH, gpreempt_set_priority(&self->c.dev, 0, self->high.id,
						       KFD_GPREEMPT_NONE));
	ASSERT_EQ(0, high_job_wait(&self->c, &self->high_job, CLIENT_TIMEOUT_MS));
	/* where a scan takes long, HIGH may be served by the first that sees it wait */
	if (gpu_model_figures())
		EXPECT_EQ(1, gpreempt_number("stats/detections") - detections);
	EXPECT_GE(gpu_model_limit(1000) * 1000LL,
		  gpreempt_number("stats/detection_ns_total") - ns);
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

/* What a queue waits at: a barrier and its signal, a dispatch and its size. */
TEST_F_TIMEOUT(seeing, head_packet, 60)
{
	struct aql_signal *gate, *done, *dep[5] = {};
	struct until_job until;
	struct kfd_mem mem;
	struct aql_packet *p;
	char text[96];
	unsigned int i;
	__u64 n;

	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	gate = mem.ptr;
	done = gate + 1;
	aql_signal_init(gate, 1, NULL);
	aql_signal_init(done, 1, NULL);
	dep[1] = gate;
	ASSERT_EQ(0, until_job_init(&self->c, &until));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &until, &self->low);
	/* more than firmware fetches ahead */
	for (i = 0; i < 40; i++) {
		p = aql_reserve(&self->low, &n);
		aql_fill(p, &self->c.until, 128, 64, until.args, NULL);
		/* no two numbers are the same */
		p->dispatch.setup = 3;
		p->dispatch.grid[1] = 4;
		p->dispatch.grid[2] = 6;
		p->dispatch.workgroup[1] = 2;
		p->dispatch.workgroup[2] = 3;
		aql_publish(p, AQL_HEADER(AQL_DISPATCH, 0));
		aql_ring(&self->low, n);
	}
	aql_barrier(&self->high, AQL_BARRIER_AND, dep, done);

	snprintf(text, sizeof(text), " blocked ");
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->high.id, text));
	snprintf(text, sizeof(text), " barrier-and,waits,on=%#llx,signal=%#llx\n",
		 (unsigned long long)(uintptr_t)gate, (unsigned long long)(uintptr_t)done);
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->high.id, text));
	snprintf(text, sizeof(text), ",grid=128x4x6,workgroup=64x2x3,lds=%u,",
		 self->c.until.group_bytes);
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->low.id, text));
	gate->value = 0;
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	until_job_stop(&until);
	aql_signal_init(done, 1, NULL);
	aql_barrier(&self->low, AQL_BARRIER_AND, (struct aql_signal *[5]){}, done);
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &until);
	kfd_free(&self->c.dev, &mem);
}

/* Packets that wait for one signal or another, or for a value. */
TEST_F_TIMEOUT(seeing, head_packet_of_other_barriers, 60)
{
	struct aql_signal *gate, *done, *dep[5] = {};
	unsigned long long at;
	struct aql_packet *p;
	struct kfd_mem mem;
	char text[160];
	__u32 *word;
	__u64 n;

	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	gate = mem.ptr;
	done = gate + 2;
	at = (uintptr_t)gate;
	aql_signal_init(gate, 1, NULL);
	aql_signal_init(gate + 1, 1, NULL);
	aql_signal_init(done, 2, NULL);
	dep[0] = gate;
	dep[4] = gate + 1;
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	low_job_start(&self->c, &self->job, &self->low);
	aql_barrier(&self->high, AQL_BARRIER_OR, dep, done);
	snprintf(text, sizeof(text), " barrier-or,waits,on=%#llx,on=%#llx,signal=%#llx\n", at,
		 at + sizeof(*gate), at + 2 * sizeof(*gate));
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->high.id, text));
	aql_barrier_value(&self->high, gate, AQL_EQ, 5, 0xff, done);
	gate[1].value = 0;
	snprintf(text, sizeof(text),
		 " vendor,waits,format=2,on=%#llx,value=5,mask=0xff,condition=%u,", at, AQL_EQ);
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->high.id, text));
	gate->value = 5;
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));

	/* of commands there is nothing more to tell */
	aql_signal_init(done, 1, NULL);
	word = (__u32 *)(done + 1);
	aql_wait_memory(&self->high, word + 1, word, 1, done);
	snprintf(text, sizeof(text), " vendor,format=1,signal=%#llx\n", at + 2 * sizeof(*gate));
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->high.id, text));
	*word = 1;
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));

	/* one signal is enough: it only is not its turn yet */
	low_job_start(&self->c, &self->job, &self->low);
	p = aql_reserve(&self->low, &n);
	p->barrier.dep[0] = (uintptr_t)gate;
	p->barrier.dep[4] = (uintptr_t)(gate + 1);
	aql_publish(p, AQL_HEADER(AQL_BARRIER_OR, 1));
	aql_ring(&self->low, n);
	snprintf(text, sizeof(text), " barrier-or,on=%#llx,on=%#llx\n", at, at + sizeof(*gate));
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->low.id, text));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));

	/* nor does it wait for those that it does not name */
	low_job_start(&self->c, &self->job, &self->low);
	p = aql_reserve(&self->low, &n);
	p->barrier.dep[2] = (uintptr_t)(gate + 1);
	aql_publish(p, AQL_HEADER(AQL_BARRIER_AND, 1));
	aql_ring(&self->low, n);
	snprintf(text, sizeof(text), " barrier-and,on=%#llx\n", at + sizeof(*gate));
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->low.id, text));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	kfd_free(&self->c.dev, &mem);
}

static bool traced(const char *trace, const char *event)
{
	char text[64];

	snprintf(text, sizeof(text), ": kfd_gpreempt_%s: gpu_id=", event);
	return strstr(trace, text);
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
	const size_t size = 4 << 20;
	long long blocked;
	struct aql_signal *gate, *done, *dep[5] = {};
	struct kfd_mem mem;
	unsigned int i;
	char *trace;
	size_t n = 0;
	ssize_t r;
	int fd;

	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	gate = mem.ptr;
	done = gate + 1;
	aql_signal_init(gate, 1, NULL);
	aql_signal_init(done, 1, NULL);
	dep[0] = gate;
	trace = malloc(size);
	ASSERT_TRUE(trace != NULL);

	ASSERT_EQ(0, file_write(TRACING "trace", "\n"));
	ASSERT_EQ(0, file_write(TRACING "events/kfd_gpreempt/enable", "1"));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, contend(self, 2));
	blocked = gpreempt_number("stats/blocked");
	low_job_start(&self->c, &self->job, &self->low);
	aql_barrier(&self->high, AQL_BARRIER_AND, dep, done);
	EXPECT_TRUE(queue_line_says(self->gpu_id, self->high.id, " blocked "));
	/* counted when it begins, and not in each scan that finds it */
	ASSERT_EQ(0, gpreempt_wait_scans(3, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(1, gpreempt_number("stats/blocked") - blocked);
	gate->value = 0;
	EXPECT_EQ(0, aql_signal_wait(&self->c.dev, done, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, file_write(TRACING "events/kfd_gpreempt/enable", "0"));

	fd = open(TRACING "trace", O_RDONLY);
	ASSERT_LE(0, fd);
	while (n < size - 1 && (r = read(fd, trace + n, size - 1 - n)) > 0)
		n += r;
	close(fd);
	trace[n] = '\0';
	for (i = 0; i < nr; i++) {
		EXPECT_TRUE(traced(trace, events[i])) TH_LOG("%s", events[i]);
	}
	EXPECT_TRUE(strstr(trace, "reason=inversion") != NULL);
	/* there is none about a queue that stays where it is */
	EXPECT_TRUE(strstr(trace, " verdict=preempt ") != NULL);
	EXPECT_TRUE(strstr(trace, " verdict=resume ") != NULL);
	EXPECT_TRUE(strstr(trace, " verdict=keep ") == NULL);
	EXPECT_TRUE(strstr(trace, "by=barrier") != NULL);
	EXPECT_TRUE(strstr(trace, ": kfd_gpreempt_bypass: ") == NULL);
	free(trace);
	kfd_free(&self->c.dev, &mem);
}

TEST_HARNESS_MAIN
