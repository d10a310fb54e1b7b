// SPDX-License-Identifier: GPL-2.0
/*
 * A segment of "make soak": period after period of clients drawn at random, with
 * trouble of all kinds while they work, until there were so many preemptions. Each
 * result is compared, and after each period nothing of it may be left. The model
 * and the guest of the test bench are taken for granted.
 *
 * The same seed gives the same periods. main.py runs segments,
 * judges what should stay the same from period to period, and adds them up.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>

#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "machine.h"
#include "soak.h"
#include "uevent.h"

#define LOOK_US		5000	/* how often the supervisor looks after its clients */
#define START_MS	60000	/* a client works by then, */
#define END_MS		120000	/* and ends by then, */
#define PROGRAM_MS	600000	/* or somebody else's program does */
#define YARDSTICK_MS	300
#define PERIOD_MS	8000
#define WARN_ONCE	"/sys/kernel/debug/clear_warn_once"

/* Counters of the driver. */
struct marks {
	long long preemptions, transactions, scans;
};

static void usage(void)
{
	fputs("usage: soak --seed N --preemptions N [--periods N] [--ms N] [--pure]\n"
	      "            [--asleep COMMAND] [--program COMMAND]...\n"
	      "       soak --sleep KIND\n"
	      "  --periods  no fewer (default 0)\n"
	      "  --ms       longest period (default 8000)\n"
	      "  --pure     no trouble: clients that work, and nothing besides\n"
	      "  --asleep   puts the machine to sleep, given a kind of /sys/power/mem_sleep\n"
	      "  --program  may be among the clients; its exit status tells of its results\n",
	      stderr);
	exit(2);
}

void soak_fail(struct soak *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("failed ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
	s->failed = true;
}

static struct marks read_marks(void)
{
	return (struct marks){
		gpreempt_number("stats/preemptions"), gpreempt_number("stats/transactions"),
		gpreempt_number("stats/scans"),
	};
}

/* ---- clients ---- */

/* What it has done goes to the sums. A client that failed says why. */
static void take_account(struct soak *s, unsigned int i, bool judge, int status)
{
	struct soak_seat *seat = &s->seat[i];
	unsigned int habit;

	s->pid[i] = 0;
	s->results += seat->results;
	s->words += seat->words;
	s->wrong += seat->wrong;
	for (habit = 0; habit < HABITS; habit++)
		s->acts[habit] += seat->acts[habit];
	if (seat->wrong)
		soak_fail(s, "client %u: %llu of %llu words are wrong", i, seat->wrong,
			  seat->words);
	else if (judge && seat->error)
		soak_fail(s, "client %u: %s: %d", i, seat->step, seat->error);
	else if (judge && status)
		soak_fail(s, "client %u ended with status %#x", i, status);
}

/* A moment later: those that have ended by themselves. */
static void look(struct soak *s, unsigned int us)
{
	unsigned int i;
	int status;

	usleep(us);
	for (i = 0; i < s->period.parts; i++)
		if (s->pid[i] && waitpid(s->pid[i], &status, WNOHANG) == s->pid[i])
			take_account(s, i, true, status);
}

void soak_start(struct soak *s, unsigned int i)
{
	struct soak_seat *seat = &s->seat[i];
	unsigned int ms;

	memset(seat, 0, sizeof(*seat));
	s->pid[i] = client_fork();
	if (!s->pid[i]) {
		/* its children end with it */
		setpgid(0, 0);
		_exit(soak_client(&s->period.part[i], seat));
	}
	for (ms = 0; s->pid[i] && !seat->ready && !s->failed; ms++) {
		if (ms > START_MS)
			soak_fail(s, "client %u does not start", i);
		look(s, 1000);
	}
}

void soak_kill(struct soak *s, unsigned int i)
{
	int status;

	if (!s->pid[i])
		return;
	kill(-s->pid[i], SIGKILL);
	kill(s->pid[i], SIGKILL);
	waitpid(s->pid[i], &status, 0);
	take_account(s, i, false, status);
}

void soak_wait(struct soak *s, __u64 until_ns)
{
	while (!s->failed && kfd_now() < until_ns)
		look(s, LOOK_US);
}

/* Somebody else's program ends first, in the storm still; then all others. */
static void end_clients(struct soak *s)
{
	bool programs[] = { true, false };
	unsigned int i, k;
	__u64 end;

	for (k = 0; k < 2; k++) {
		end = kfd_now() + (programs[k] ? PROGRAM_MS : END_MS) * 1000000ULL;
		for (i = 0; i < s->period.parts; i++)
			s->seat[i].stop |= !programs[k] || s->period.part[i].kind == SOAK_PROGRAM;
		for (i = 0; i < s->period.parts; i++)
			while (s->pid[i] && s->seat[i].stop && !s->failed) {
				look(s, LOOK_US);
				if (kfd_now() > end)
					soak_fail(s, "client %u does not end", i);
			}
	}
	for (i = 0; i < s->period.parts; i++)
		soak_kill(s, i);
}

/* ---- periods ---- */

static void expect(struct soak *s, const char *what, int ret)
{
	if (ret)
		soak_fail(s, "%s: %s", what, strerror(-ret));
}

static bool one_hangs(const struct soak_period *p)
{
	unsigned int i;

	for (i = 0; i < p->events; i++)
		if (p->event[i].what == TROUBLE_HANG)
			return true;
	return false;
}

/*
 * soak.py reads the kernel's reports by period: one that is made once in a boot is made again in
 * each period that has a reason for it.
 */
static void tell_kernel(struct soak *s, unsigned int nth)
{
	char text[64];

	snprintf(text, sizeof(text), "soak: period %u%s", nth,
		 one_hangs(&s->period) ? ", one hangs" : "");
	expect(s, "/dev/kmsg", file_write("/dev/kmsg", text));
	expect(s, WARN_ONCE, file_write(WARN_ONCE, "1"));
}

static void begin_period(struct soak *s)
{
	const struct soak_period *p = &s->period;
	unsigned int i;

	expect(s, "defaults", gpreempt_begin());
	expect(s, "poll_interval_us", gpreempt_set("poll_interval_us", p->poll_us));
	expect(s, "min_residency_us", gpreempt_set("min_residency_us", p->residency_us));
	expect(s, "starvation_ms", gpreempt_set("starvation_ms", p->starvation_ms));
	expect(s, "policy", gpreempt_write("policy", p->policy));
	expect(s, "enable", gpreempt_set("enable", 1));
	s->injected = false;
	for (i = 0; i < p->parts && !s->failed; i++)
		soak_start(s, i);
}

/* GPREEMPT gave up for no fault of the model's, or does not rest when there is nothing to do. */
static void check_state(struct soak *s)
{
	char text[64];
	int all;

	usleep(100000);		/* the uevent comes from a work item */
	uevent_bypasses(s->uevents, s->gpu_id, "", &all);
	gpreempt_read("stats/bypass_reason", text, sizeof(text));
	if (all && !s->injected)
		soak_fail(s, "%d bypasses, the last for %s, and nothing was injected", all, text);
	expect(s, "off", gpu_model_say("off", NULL, 0));
	expect(s, "disable", gpreempt_set("enable", 0));
	expect(s, "enable", gpreempt_set("enable", 1));
	if (gpreempt_wait_state("parked", 1000)) {
		gpreempt_read("state", text, sizeof(text));
		soak_fail(s, "without clients the monitor is %s", text);
	}
}

static __u64 monitor_ns(void)
{
	struct timespec ts = {};
	clockid_t clock;

	if (!clock_getcpuclockid(gpreempt_monitor(), &clock))
		clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The same work after each period: what a scan costs the monitor, with default tunables. */
static void measure_scans(struct soak *s)
{
	const struct soak_part low = {
		.kind = SOAK_LOW, .queues = 2, .groups = 8, .iterations = 32, .seed = 1,
	};
	const struct soak_part high = {
		.kind = SOAK_HIGH, .priority = 15, .groups = 4, .iterations = 2, .us = 2000,
		.seed = 2,
	};
	long long scans;
	__u64 ns;

	expect(s, "defaults", gpreempt_begin());
	expect(s, "enable", gpreempt_set("enable", 1));
	s->period.parts = 2;
	s->period.part[0] = low;
	s->period.part[1] = high;
	soak_start(s, 0);
	soak_start(s, 1);
	scans = gpreempt_number("stats/scans");
	ns = monitor_ns();
	soak_wait(s, kfd_now() + YARDSTICK_MS * 1000000ULL);
	scans = gpreempt_number("stats/scans") - scans;
	printf("cost scan_ns=%lld\n", (long long)(monitor_ns() - ns) / (scans ?: 1));
	end_clients(s);
}

static void run_period(struct soak *s)
{
	struct soak_period *p = &s->period;
	__u64 begin;
	unsigned int i;

	begin_period(s);
	begin = kfd_now();
	for (i = 0; i < p->events && !s->failed; i++) {
		soak_wait(s, begin + p->event[i].at_ms * 1000000ULL);
		if (!s->failed)
			soak_make_trouble(s, &p->event[i]);
	}
	soak_wait(s, begin + p->ms * 1000000ULL);
	end_clients(s);
	if (!s->failed)
		soak_wait_quiet(s);
	if (!s->failed)
		check_state(s);
}

static void print_sums(const struct soak *s, const struct marks *begin, __u64 ns)
{
	struct marks now = read_marks();
	unsigned int i;

	printf("sum preemptions=%lld transactions=%lld scans=%lld",
	       now.preemptions - begin->preemptions, now.transactions - begin->transactions,
	       now.scans - begin->scans);
	printf(" results=%llu words=%llu wrong=%llu ms=%llu", s->results, s->words, s->wrong,
	       (unsigned long long)ns / 1000000);
	for (i = 0; i < TROUBLES; i++)
		printf(" %s=%u", soak_troubles[i], s->done[i]);
	for (i = 0; i < HABITS; i++)
		printf(" %s=%u", soak_habits[i], s->acts[i]);
	printf("\n");
}

static void soak(struct soak *s, const struct soak_mixture *m, long long preemptions,
		 unsigned int periods)
{
	struct marks begin = read_marks();
	__u64 start = kfd_now();
	unsigned int n;

	for (n = 0; !s->failed; n++) {
		if (n >= periods &&
		    gpreempt_number("stats/preemptions") - begin.preemptions >= preemptions)
			break;
		soak_plan(&s->period, m, n);
		printf("# period %u", n);
		soak_plan_print(&s->period);
		tell_kernel(s, n);
		run_period(s);
		if (!s->failed)
			measure_scans(s);
		if (!s->failed)
			soak_wait_quiet(s);
		if (!s->failed)
			soak_print_levels();
		print_sums(s, &begin, kfd_now() - start);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "preemptions", required_argument, NULL, 'n' },
		{ "periods", required_argument, NULL, 'k' },
		{ "ms", required_argument, NULL, 'm' },
		{ "pure", no_argument, NULL, 'u' },
		{ "asleep", required_argument, NULL, 'a' },
		{ "program", required_argument, NULL, 'p' },
		{ "sleep", required_argument, NULL, 'z' },
		{ }
	};
	struct soak_mixture m = { .ms = PERIOD_MS };
	long long preemptions = 0;
	unsigned int periods = 0;
	unsigned int node;
	struct soak s = {};
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			m.seed = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			preemptions = atoll(optarg);
			break;
		case 'k':
			periods = strtoul(optarg, NULL, 0);
			break;
		case 'm':
			m.ms = atoi(optarg);
			break;
		case 'u':
			m.pure = true;
			break;
		case 'a':
			s.asleep = optarg;
			break;
		case 'p':
			if (m.programs == SOAK_PROGRAMS)
				usage();
			m.program[m.programs++] = optarg;
			break;
		case 'z':
			return machine_sleep(optarg) ? 1 : 0;
		default:
			usage();
		}
	}
	if (preemptions <= 0 || m.ms < 100)
		usage();
	setvbuf(stdout, NULL, _IOLBF, 0);
	ret = gpreempt_begin();
	if (ret) {
		fprintf(stderr, "soak: GPREEMPT cannot be enabled: %s\n", strerror(-ret));
		return 1;
	}
	s.seat = client_shared_page();
	s.uevents = uevent_open();
	if (!s.seat || s.uevents < 0 || kfd_find_gpu(&s.gpu_id, &node) ||
	    kfd_recover_path(s.recover, sizeof(s.recover)) || !gpu_model_present()) {
		fprintf(stderr, "soak: this is not a guest of the test bench\n");
		return 1;
	}
	soak(&s, &m, preemptions, periods);
	gpreempt_end();
	return s.failed;
}
