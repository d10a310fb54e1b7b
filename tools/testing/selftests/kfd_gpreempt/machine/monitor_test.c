// SPDX-License-Identifier: GPL-2.0
/*
 * What the monitor costs: register accesses only when the decision needs them,
 * and few then; little time of a CPU while queues contend, and none while it is
 * parked; no memory; no preemption and no doorbell fault where a queue gets room
 * without. And its rhythm: the interval stretches while nothing can have to be
 * decided, and is short again at the first sign of work.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"
#include "trace.h"

#define QUEUES		8
#define HIGH_US		200
#define SAMPLES		20
#define SCAN		"kfd_gpreempt/kfd_gpreempt_scan"

/*
 * What a scan that counts waves may access on an XCC. Each shader engine is
 * selected, and its status read, and in the end the selection is put back.
 */
#define PER_ENGINE	2
#define PUT_BACK	2
/* A queue that can matter is selected, named, and counted on each engine. */
#define PER_QUEUE	2
/* What has a new place is searched for: any slot may be selected and named. */
#define PER_SLOT	2

/*
 * A scan of QUEUES of which no register is read takes 23 us where an instruction takes
 * 1 ns: 2 percent of a CPU.
 */
#define SCAN_NS		28000

/* Scans in so many ms: the timer of the interval of 1 ms may be late by a 16th. */
#define SCANS(ms)	gpu_model_least((ms) * 9 / 10)
#define NOTICE_MS	20
#define SNAP_US		600	/* HIGH's latency: no interval is in it */

/* Events of the kernel's allocators. */
static const char *const allocations[] = {
	"kmem/kmalloc", "kmem/kmem_cache_alloc", "kmem/mm_page_alloc",
};

/* LOW, HIGH, and six between. */
static const __u32 spread[QUEUES] = { PRIORITY_LOW, PRIORITY_HIGH, 2, 4, 6, 8, 10, 12 };

FIXTURE(monitor) {
	struct client c;
	struct aql_queue q[QUEUES];
	struct until_job job[QUEUES];
	struct high_job high;
	unsigned int queues, jobs;
};

FIXTURE_SETUP(monitor)
{
	int ret = gpreempt_begin();
	unsigned int i;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, client_open(&self->c));
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, aql_create(&self->q[i], &self->c.dev, 64, spread[i]));
		self->queues++;
		ASSERT_EQ(0, until_job_init(&self->c, &self->job[i]));
		self->jobs++;
		/* nothing to stop yet */
		aql_signal_init(self->job[i].signal, 0, NULL);
	}
	ASSERT_EQ(0, client_calibrate(&self->c, &self->q[1]));
	ASSERT_EQ(0, high_job_init(&self->c, &self->high, HIGH_US));
}

FIXTURE_TEARDOWN(monitor)
{
	unsigned int i;

	gpreempt_set("enable", 0);
	trace_off(SCAN);
	for (i = 0; i < ARRAY_SIZE(allocations); i++)
		trace_off(allocations[i]);
	if (self->c.dev.fd > 0) {
		/* all of them first: one may keep another from the machine */
		for (i = 0; i < self->jobs; i++)
			until_job_stop(&self->job[i]);
		for (i = 0; i < self->jobs; i++)
			EXPECT_EQ(0, until_job_wait(&self->c, &self->job[i],
						    CLIENT_TIMEOUT_MS));
		while (self->queues)
			EXPECT_EQ(0, aql_destroy(&self->q[--self->queues]));
		while (self->jobs)
			until_job_free(&self->c, &self->job[--self->jobs]);
		client_close(&self->c);
	}
	gpreempt_end();
}

static void run(FIXTURE_DATA(monitor) *self, unsigned int i)
{
	until_job_start(&self->c, &self->job[i], &self->q[i]);
}

/* LOW executes; HIGH comes again and again. 0 or -errno. */
static int contend(FIXTURE_DATA(monitor) *self, unsigned int times)
{
	unsigned int i;
	__u64 ns;
	int ret;

	ret = until_job_moves(&self->job[0]);
	for (i = 0; !ret && i < times; i++) {
		ret = high_job_run(&self->c, &self->high, &self->q[1], CLIENT_TIMEOUT_MS, &ns);
		usleep(10000 + i * 3700 % 23000);
	}
	return ret ? ret : until_job_moves(&self->job[0]);
}

/* Scans that were traced. */
struct scans {
	unsigned int nr, with;	/* those that counted waves */
	long long sum, most;	/* register accesses */
	long long ns, longest;
};

static int scans_read(struct scans *s)
{
	char *text = trace_read(), *rest = text, *line;
	long long n;

	memset(s, 0, sizeof(*s));
	while (text && (line = trace_line(&rest))) {
		if (!strstr(line, ": kfd_gpreempt_scan: "))
			continue;
		n = trace_field(line, "registers");
		s->nr++;
		s->with += n > 0;
		s->sum += n;
		if (n > s->most)
			s->most = n;
		n = trace_field(line, "ns");
		s->ns += n;
		if (n > s->longest)
			s->longest = n;
	}
	free(text);
	return text ? 0 : -EIO;
}

/* LOW runs, HIGH waits, and nobody does anything about it; six others are idle. */
TEST_F_TIMEOUT(monitor, registers, 60)
{
	const unsigned int engines = self->c.dev.engines;
	/* of each XCC's engines one is asked for its status */
	const unsigned int high = self->c.dev.xccs * (PUT_BACK + engines + 1 + PER_QUEUE + engines);
	/* found on one engine of one XCC, after which HIGH is selected again */
	const unsigned int accesses = high + PER_QUEUE + 2;
	struct scans s;

	ASSERT_EQ(0, gpreempt_write("policy", "none"));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	run(self, 1);
	usleep(200000);
	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on(SCAN, "0"));
	usleep(500000);
	ASSERT_EQ(0, trace_off(SCAN));
	ASSERT_EQ(0, scans_read(&s));
	printf("# report: %lld register accesses a scan for 2 of %u queues, %u engines\n",
	       s.most, QUEUES, engines);
	/* not counted for blocked_us, LOW might have the machine and not use it: each other scan */
	EXPECT_LE(gpu_model_figures() ? SCANS(500 / 2) : 1, s.with);
	EXPECT_GE(accesses, s.most);
	if (gpu_model_figures())
		EXPECT_EQ(accesses, s.most);
}

/* HIGH comes and LOW goes, and each time all have new places on the hardware. */
TEST_F_TIMEOUT(monitor, registers_moving, 60)
{
	const unsigned int engines = self->c.dev.engines;
	struct scans s;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	run(self, 0);
	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on(SCAN, "0"));
	ASSERT_EQ(0, contend(self, SAMPLES));
	ASSERT_EQ(0, trace_off(SCAN));
	ASSERT_EQ(0, scans_read(&s));
	printf("# report: %u of %u scans counted waves, with %lld register accesses on average\n",
	       s.with, s.nr, s.with ? s.sum / s.with : 0);
	EXPECT_LE(s.longest, gpreempt_number("stats/scan_ns_max"));
	/* either queue may have to be selected again */
	EXPECT_GE(gpu_model_limit(self->c.dev.xccs *
				  (PUT_BACK + PER_ENGINE * engines +
				   2 * (PER_QUEUE + 2 * engines) + PER_SLOT * QUEUES)), s.most);
	/* LOW back on the machine shows itself in wave counts, each time */
	EXPECT_LE(SAMPLES, s.with);
}

/* What sysfs counts is what was traced: read while nothing scans. */
TEST_F_TIMEOUT(monitor, registers_counted, 60)
{
	long long accesses, ns;
	struct scans s;

	run(self, 0);
	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on(SCAN, "0"));
	accesses = gpreempt_number("stats/register_accesses");
	ns = gpreempt_number("stats/scan_ns_total");
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, contend(self, SAMPLES));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	accesses = gpreempt_number("stats/register_accesses") - accesses;
	ns = gpreempt_number("stats/scan_ns_total") - ns;
	ASSERT_EQ(0, trace_off(SCAN));
	ASSERT_EQ(0, scans_read(&s));
	EXPECT_LE(SAMPLES, s.with);
	EXPECT_EQ(s.sum, accesses);
	EXPECT_EQ(s.ns, ns);
}

/* Work on one level, idle queues above it: no decision, and no access at all. */
TEST_F_TIMEOUT(monitor, no_registers, 60)
{
	long long accesses, scans;
	unsigned int tries;

	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 1000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	run(self, 0);
	ASSERT_EQ(0, contend(self, 1));
	/* until HIGH is known to have ended, and LOW to be back */
	for (tries = 0; tries < 100; tries++) {
		accesses = gpreempt_number("stats/register_accesses");
		usleep(100000);
		if (gpreempt_number("stats/register_accesses") == accesses)
			break;
	}
	scans = gpreempt_number("stats/scans");
	usleep(500000);
	EXPECT_EQ(accesses, gpreempt_number("stats/register_accesses"));
	EXPECT_LE(SCANS(500), gpreempt_number("stats/scans") - scans);
}

static long long cpu_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return -errno;
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/*
 * Seven queues of one level have work, and one above is idle: each scan reads them
 * all, but no register.
 */
TEST_F_TIMEOUT(monitor, cpu, 60)
{
	long long cpu, accesses, scans;
	clockid_t clock;
	unsigned int i;

	for (i = 2; i < QUEUES; i++)
		ASSERT_EQ(0, aql_update(&self->q[i], 100, PRIORITY_LOW));
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 1000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, clock_getcpuclockid(gpreempt_monitor(), &clock));
	for (i = 0; i < QUEUES; i++)
		if (i != 1)
			run(self, i);
	usleep(500000);
	accesses = gpreempt_number("stats/register_accesses");
	scans = gpreempt_number("stats/scans");
	cpu = cpu_ns(clock);
	usleep(2000000);
	cpu = cpu_ns(clock) - cpu;
	scans = gpreempt_number("stats/scans") - scans;
	ASSERT_LT(0, scans);
	EXPECT_EQ(accesses, gpreempt_number("stats/register_accesses"));
	printf("# report: a scan of %u queues: %lld ns of a CPU\n", QUEUES, cpu / scans);
	EXPECT_LT(0, cpu);
	/* a kernel that checks itself takes any time */
	if (gpu_model_figures())
		EXPECT_GE(SCAN_NS, cpu / scans);
}

/* Parked, it does not use a CPU at all. */
TEST_F_TIMEOUT(monitor, parked, 60)
{
	clockid_t clock;
	long long cpu;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, clock_getcpuclockid(gpreempt_monitor(), &clock));
	run(self, 0);
	ASSERT_EQ(0, contend(self, 1));
	until_job_stop(&self->job[0]);
	ASSERT_EQ(0, until_job_wait(&self->c, &self->job[0], CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	usleep(100000);
	cpu = cpu_ns(clock);
	ASSERT_LT(0, cpu);
	sleep(2);
	EXPECT_EQ(cpu, cpu_ns(clock));
}

/*
 * The next line of the trace that tells of an allocation which is not kmemleak's: of its
 * record, and of a page just before that, or NULL.
 */
static char *allocation(char **rest)
{
	static const char record[] = " call_site=__alloc_object+";
	char *line, *end;

	while ((line = trace_line(rest))) {
		end = strchrnul(*rest, '\n');
		if (line[0] != '#' && !strstr(line, record) &&
		    !(strstr(line, ": mm_page_alloc: ") &&
		      memmem(*rest, end - *rest, record, strlen(record))))
			break;
	}
	return line;
}

/*
 * The monitor allocates nothing. Only stock's code that makes a runlist does, for
 * its buffer; that these are seen shows that others would be.
 */
TEST_F_TIMEOUT(monitor, allocates_nothing, 60)
{
	unsigned int i, runlists = 0, others = 0;
	char filter[32], *text, *rest, *line;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	run(self, 0);
	ASSERT_EQ(0, trace_clear());
	snprintf(filter, sizeof(filter), "common_pid == %d", gpreempt_monitor());
	for (i = 0; i < ARRAY_SIZE(allocations); i++)
		ASSERT_EQ(0, trace_on(allocations[i], filter));
	ASSERT_EQ(0, contend(self, SAMPLES));
	for (i = 0; i < ARRAY_SIZE(allocations); i++)
		ASSERT_EQ(0, trace_off(allocations[i]));

	text = trace_read();
	ASSERT_NE(NULL, text);
	for (rest = text; (line = allocation(&rest)); ) {
		if (strstr(line, " call_site=kfd_gtt_sa_allocate+")) {
			runlists++;
		} else {
			TH_LOG("%s", line);
			others++;
		}
	}
	free(text);
	EXPECT_EQ(0, others);
	EXPECT_LE(SAMPLES, runlists);
}

static long long scans;		/* that stretched() has seen */

/* Wait until they are nearly as far apart as they may be; 0 or -ETIME. */
static int stretched(void)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	long long before;

	do {
		if (kfd_now() > end)
			return -ETIME;
		before = gpreempt_number("stats/scans");
		usleep(600000);
		scans = gpreempt_number("stats/scans");
	} while (scans - before > 1);
	return 0;
}

/* Was there another soon after that? The interval's is up to a second away. */
static bool noticed(void)
{
	usleep(NOTICE_MS * 1000);
	return gpreempt_number("stats/scans") > scans;
}

/* So many scans in that time. */
static long long scans_in(unsigned int ms)
{
	long long before = gpreempt_number("stats/scans");

	usleep(ms * 1000);
	return gpreempt_number("stats/scans") - before;
}

/* LOW alone works: scans become rare, as far as the operator lets them. */
TEST_F_TIMEOUT(monitor, interval_stretches, 60)
{
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 1000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	usleep(500000);
	EXPECT_LE(SCANS(1000), scans_in(1000));

	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 100000));
	usleep(500000);
	/* one in 100 ms; a timer may be late, by a 16th here, but never early */
	EXPECT_GE(20, scans_in(2000));
	EXPECT_LE(gpu_model_figures() ? 18 : 10, scans_in(2000));

	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 1000000));
	EXPECT_EQ(0, stretched());
}

/* HIGH alone works: LOW may begin, and be in the way of HIGH's next work, unnoticed. */
TEST_F_TIMEOUT(monitor, interval_stays, 60)
{
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 1000000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	run(self, 1);
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	usleep(3000000);	/* by now the interval had stretched, if it could */
	EXPECT_LE(SCANS(500), scans_in(500));
}

/* At the first sign of work, whatever it is, the next comes at once. */
TEST_F_TIMEOUT(monitor, interval_snaps_back, 120)
{
	struct kfd_ioctl_gpreempt_args hint = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->q[1].id,
		.hint = { .arrival_us = 1000000, .duration_us = 1000 },
	};
	struct aql_queue q;
	__u64 ns;

	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 1000000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));

	/* a doorbell: HIGH does not wait for the interval to end */
	ASSERT_EQ(0, stretched());
	ASSERT_EQ(0, high_job_run(&self->c, &self->high, &self->q[1], CLIENT_TIMEOUT_MS, &ns));
	EXPECT_GE(gpu_model_limit(SNAP_US) * 1000ULL, ns);
	/* while LOW waits, nothing is calm */
	ASSERT_EQ(0, stretched());
	run(self, 1);
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	usleep(1000000);	/* by now the interval had stretched, if it could */
	EXPECT_LE(SCANS(500), scans_in(500));
	until_job_stop(&self->job[1]);
	ASSERT_EQ(0, until_job_wait(&self->c, &self->job[1], CLIENT_TIMEOUT_MS));

	ASSERT_EQ(0, stretched());
	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, 7));
	EXPECT_TRUE(noticed()) TH_LOG("CREATE_QUEUE");
	ASSERT_EQ(0, stretched());
	ASSERT_EQ(0, aql_update(&q, 100, 5));
	EXPECT_TRUE(noticed()) TH_LOG("UPDATE_QUEUE");
	ASSERT_EQ(0, stretched());
	ASSERT_EQ(3, gpreempt_set_priority(&self->c.dev, 0, self->q[2].id, 3));
	EXPECT_TRUE(noticed()) TH_LOG("SET_PRIORITY");
	ASSERT_EQ(0, stretched());
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &hint));
	EXPECT_LE(SCANS(250), scans_in(250)) TH_LOG("HINT");
	ASSERT_EQ(0, stretched());
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	EXPECT_TRUE(noticed()) TH_LOG("a tunable");
	ASSERT_EQ(0, stretched());
	ASSERT_EQ(0, gpreempt_write("policy", "strict"));
	EXPECT_TRUE(noticed()) TH_LOG("the policy");
	EXPECT_EQ(0, aql_destroy(&q));
}

/* When something was traced, in us; -1 if the line is of no event of ours. */
static long long traced_us(const char *line)
{
	const char *p = strstr(line, ": kfd_gpreempt_");
	unsigned long long s, us;

	while (p && p > line && p[-1] != ' ')
		p--;
	return p && sscanf(p, "%llu.%6llu:", &s, &us) == 2 ? s * 1000000 + us : -1;
}

/*
 * When queues have changed places the interval begins anew: what was put on the hardware
 * gets as long to show itself as anything else, an eighth if others wait for its end. The
 * save, which is longer than a timer is late, would be missing.
 */
TEST_F_TIMEOUT(monitor, interval_after_a_change, 60)
{
	const unsigned int poll_us = 5000;
	long long changed_us = -1, us;
	unsigned int changes = 0;
	char *text, *rest, *line;

	ASSERT_EQ(0, gpreempt_set("poll_interval_us", poll_us));
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", poll_us));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on("kfd_gpreempt", "0"));
	run(self, 1);
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	until_job_stop(&self->job[1]);
	ASSERT_EQ(0, until_job_wait(&self->c, &self->job[1], CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	ASSERT_EQ(0, gpreempt_wait_scans(3, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, trace_off("kfd_gpreempt"));
	text = trace_read();
	ASSERT_NE(NULL, text);
	for (rest = text; (line = trace_line(&rest)); ) {
		us = traced_us(line);
		if (strstr(line, ": kfd_gpreempt_preempt_end: ") ||
		    strstr(line, ": kfd_gpreempt_resume: ")) {
			changed_us = us;
		} else if (changed_us >= 0 && strstr(line, ": kfd_gpreempt_scan: ")) {
			EXPECT_LE(poll_us / 8, us - changed_us) TH_LOG("%s", line);
			changed_us = -1;
			changes++;
		}
	}
	free(text);
	EXPECT_EQ(2, changes);
}

/*
 * HIGH's kernels follow one another, so it always has work that nothing counted explains, and
 * LOW looks idle: that its memory may lie is no reason to count waves for more than a tenth of
 * the time.
 */
TEST_F_TIMEOUT(monitor, counts_hidden_seldom, 60)
{
	long long counting, percent;
	__u64 begin, ns;

	ASSERT_EQ(0, gpreempt_set("poll_interval_us", 50));
	ASSERT_EQ(0, gpreempt_set("poll_interval_max_us", 50));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, high_job_run(&self->c, &self->high, &self->q[1], CLIENT_TIMEOUT_MS, &ns));
	counting = gpreempt_number("stats/register_ns_total");
	begin = kfd_now();
	do {
		ASSERT_EQ(0, high_job_run(&self->c, &self->high, &self->q[1], CLIENT_TIMEOUT_MS,
					  &ns));
	} while (kfd_now() - begin < 200000000ULL);
	ns = kfd_now() - begin;
	counting = gpreempt_number("stats/register_ns_total") - counting;
	/* or nothing would be tested */
	EXPECT_LT(0, counting);
	percent = 100 * counting / (long long)ns;
	printf("# report: waves that may be hidden were counted for %lld %% of the time\n",
	       percent);
	EXPECT_GE(gpu_model_figures() ? 10 : 33, percent);
}

TEST_HARNESS_MAIN
