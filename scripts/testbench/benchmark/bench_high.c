// SPDX-License-Identifier: GPL-2.0
/*
 * The benchmark's HIGH: a request of some kernels at each of the times it is
 * given, from its submission to its end. It can have LOW work in its own process
 * and switch that off meanwhile, or tell LOW processes that it is at work. What it
 * knows of ahead it announces to GPREEMPT or to bench_daemon, or switches LOW off as
 * early as GPREEMPT would.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>
#include <linux/kfd_gpreempt.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "bench_work.h"
#include "clocks.h"
#include "debugger.h"

/* Packets of the queue: room for a request of so many kernels. */
#define RING		256

/**
 * struct setup - the command line
 * @at:		file with the times of the requests, us from the start, one a line
 * @kernels:	of a request
 * @us:		of a kernel
 * @priority:	of the queue
 * @hint_us:	each request is known so long before; 0: it is not
 * @margin_us:	LOW is to be off so much earlier than it comes: scans are late now and then
 * @coop_steps: @coop_iterations: @rounds: @coop_kernels: LOW work in this process, see
 *		bench_low
 * @coop_priority: of its queue
 * @ticks_per_us: of the GPU's clock
 * @go:		a file with a number; with it the requests begin. It is a process whose CPU time is
 *		printed, 0: none
 * @cpu_of:	that process
 * @debuggee:	see debugger_allow()
 * @lds_kb:	that a workgroup asks for, and does not use
 * @notice:	where bench_daemon is told, or NULL: it is not
 * @at_work:	see bench_work_share(), or NULL
 */
struct setup {
	const char *at, *go;
	unsigned int kernels, us, priority, hint_us, margin_us;
	unsigned int coop_steps, coop_iterations, rounds, coop_kernels, coop_priority;
	double ticks_per_us;
	pid_t cpu_of;
	int debuggee;
	unsigned int lds_kb;
	const char *notice;
	volatile __u32 *at_work;
};

static void fail(const char *what, int err)
{
	fprintf(stderr, "bench_high: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void sleep_until(__u64 ns)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
}

/* CPU time of a process or kernel thread; 0 of none. */
static __u64 cpu_ns(pid_t pid)
{
	struct timespec ts = { };
	clockid_t clock;

	if (!pid)
		return 0;
	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		fail("CPU time of the monitor or daemon", -ESRCH);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* A request comes at @at; 0: none does any more. It may come late, and last longer. */
static void hint(struct aql_queue *q, const struct setup *s, __u64 at)
{
	__u64 now = kfd_now(), early = at - s->margin_us * 1000ULL;
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = q->id,
		.hint = {
			.arrival_us = at && early > now ? (early - now) / 1000 : 0,
			.duration_us = at ? s->margin_us + 2 * s->kernels * s->us : 0,
		},
	};

	if (ioctl(q->dev->fd, AMDKFD_IOC_GPREEMPT, &args))
		fail("hint", -errno);
}

static int update_coop(struct bench_work *w, unsigned int percentage)
{
	return aql_update(&w->queue, percentage, w->queue.priority);
}

/* LOW is to be off from then on; 0: it can come back. */
static void tell_daemon(int fd, __u64 at)
{
	if (write(fd, &at, sizeof(at)) != sizeof(at))
		fail("the daemon", -errno);
}

/* A request comes at @next. What GPREEMPT makes of the hint, a @coop does itself. */
static void give_notice(struct aql_queue *q, const struct setup *s, struct bench_work *coop,
			int daemon, bool first, __u64 next)
{
	__u64 early = next - s->hint_us * 1000ULL;
	int ret;

	if (coop) {
		sleep_until(next - s->margin_us * 1000ULL);
		ret = update_coop(coop, 0);
		if (ret)
			fail("switch LOW off", ret);
		return;
	}
	if (daemon >= 0) {
		sleep_until(early);
		tell_daemon(daemon, next - s->margin_us * 1000ULL);
		return;
	}
	/* the last one is over, and this one far away */
	if (!first && early > kfd_now())
		hint(q, s, 0);
	sleep_until(early);
	hint(q, s, next);
}

/* One after the other: each waits for what was before it. Returns the last one's index. */
static __u64 submit(struct client *c, struct aql_queue *q, struct high_job *job,
		    unsigned int kernels)
{
	struct aql_packet *p;
	unsigned int i;
	__u64 n;

	aql_signal_init(job->signal, 1, &job->event);
	for (i = 0; i < kernels; i++) {
		p = aql_reserve(q, &n);
		aql_fill(p, &c->high, c->dev.cus * 64, 64, job->args,
			 i + 1 == kernels ? job->signal : NULL);
		aql_publish(p, AQL_HEADER(AQL_DISPATCH, 1));
	}
	aql_ring(q, n);
	return n;
}

static void *run_coop(void *arg)
{
	int ret = bench_work_run(arg);

	if (ret)
		fail("LOW", ret);
	return NULL;
}

/* One more request is under way, or one fewer: the last one wakes those that wait for it. */
static void count(volatile __u32 *at_work, int by)
{
	if (!__atomic_add_fetch(at_work, by, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, at_work, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void request(struct client *c, struct aql_queue *q, struct high_job *job,
		    const struct setup *s, struct bench_work *coop)
{
	__u64 begin = kfd_now(), n;
	int ret = 0;

	if (coop && !s->hint_us)
		ret = update_coop(coop, 0);
	if (s->at_work) {
		count(&s->at_work[s->priority], 1);
		bench_work_wait(s->at_work, s->priority);
	}
	n = submit(c, q, job, s->kernels);
	ret = ret ?: high_job_wait(c, job, 10 * CLIENT_TIMEOUT_MS);
	printf("request packet=%llu kernels=%u at=%llu end=%llu\n", (unsigned long long)n,
	       s->kernels, (unsigned long long)begin, (unsigned long long)kfd_now());
	if (s->at_work)
		count(&s->at_work[s->priority], -1);
	if (coop)
		ret = ret ?: update_coop(coop, 100);
	if (ret)
		fail("a request", ret);
}

static unsigned int measure(struct client *c, struct aql_queue *q, struct high_job *job,
			    const struct setup *s, struct bench_work *coop)
{
	FILE *at = fopen(s->at, "re");
	int daemon = s->notice ? open(s->notice, O_WRONLY | O_CLOEXEC) : -1;
	__u64 begin = kfd_now(), cpu = cpu_ns(s->cpu_of), own = cpu_ns(gettid());
	unsigned int requests = 0;
	unsigned long long us;
	__u64 next;

	if (!at || (s->notice && daemon < 0))
		fail(s->at, -errno);
	while (fscanf(at, "%llu", &us) == 1) {
		next = begin + us * 1000;
		if (s->hint_us)
			give_notice(q, s, coop, daemon, !requests, next);
		sleep_until(next);
		request(c, q, job, s, coop);
		if (daemon >= 0)
			tell_daemon(daemon, 0);
		requests++;
	}
	fclose(at);
	printf("cpu_ns=%llu\nown_cpu_ns=%llu\n", (unsigned long long)(cpu_ns(s->cpu_of) - cpu),
	       (unsigned long long)(cpu_ns(gettid()) - own));
	/* with this a daemon that is told ends */
	if (daemon >= 0)
		close(daemon);
	return requests;
}

static void print_clocks(struct client *c, const char *when)
{
	int ret = clocks_print(&c->dev, when);

	if (ret)
		fail("clocks", ret);
}

static void wait_for_go(struct setup *s)
{
	FILE *f;

	while (!(f = fopen(s->go, "re")))
		usleep(10000);
	if (fscanf(f, "%d", &s->cpu_of) != 1)
		fail(s->go, -EINVAL);
	fclose(f);
}

static void run(struct setup *s)
{
	struct bench_work coop;
	struct aql_queue q;
	struct high_job job;
	struct client c;
	unsigned int i, requests;
	pthread_t thread;
	bool cooperate = s->coop_steps || s->coop_iterations;
	int ret = client_open(&c);

	if (ret)
		fail("no usable GPU", ret);
	c.high.group_bytes = s->lds_kb * 1024;
	if (s->debuggee)
		ret = debugger_allow(&c.dev);
	if (ret)
		fail("runtime enable", ret);
	ret = aql_create(&q, &c.dev, RING, s->priority);
	if (ret)
		fail("create queue", ret);
	c.ticks_per_us = s->ticks_per_us;
	ret = high_job_init(&c, &job, s->us);
	if (!ret && cooperate)
		ret = bench_work_init(&coop, &c, s->coop_priority, s->rounds, s->coop_iterations,
				      s->coop_steps, s->coop_kernels);
	if (ret)
		fail("memory", ret);
	printf("ring=%lu\nready\n", (unsigned long)q.ring.ptr);
	fflush(stdout);
	wait_for_go(s);
	if (cooperate) {
		pthread_create(&thread, NULL, run_coop, &coop);
		usleep(300000);
	}
	print_clocks(&c, "begin");
	requests = measure(&c, &q, &job, s, cooperate ? &coop : NULL);
	print_clocks(&c, "end");
	if (cooperate) {
		coop.stop = 1;
		pthread_join(thread, NULL);
		printf("groups=%lu\n", coop.dispatches * coop.groups);
		aql_destroy(&coop.queue);
	}
	for (i = 0; i < c.dev.cus; i++)
		if (job.done[i] != requests * s->kernels)
			fail("a workgroup was lost or repeated", -EILSEQ);
	aql_destroy(&q);
	client_close(&c);
}

static void usage(void)
{
	fputs("usage: bench_high --at FILE --go FILE --ticks-per-us N [--kernels N] [--us N]\n"
	      "                  [--priority N] [--hint-us N [--margin-us N]] [--debuggee]\n"
	      "                  [--lds-kb N] [--notice FIFO] [--ahead FILE]\n"
	      "                  [--coop-steps N | --coop-iterations N] [--rounds N]\n"
	      "                  [--coop-kernels N] [--coop-priority N]\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "at", required_argument, NULL, 'a' },
		{ "ticks-per-us", required_argument, NULL, 't' },
		{ "kernels", required_argument, NULL, 'k' },
		{ "us", required_argument, NULL, 'u' },
		{ "priority", required_argument, NULL, 'p' },
		{ "hint-us", required_argument, NULL, 'h' },
		{ "margin-us", required_argument, NULL, 'm' },
		{ "go", required_argument, NULL, 'g' },
		{ "coop-steps", required_argument, NULL, 's' },
		{ "coop-iterations", required_argument, NULL, 'i' },
		{ "coop-kernels", required_argument, NULL, 'n' },
		{ "coop-priority", required_argument, NULL, 'l' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "debuggee", no_argument, NULL, 'd' },
		{ "lds-kb", required_argument, NULL, 'b' },
		{ "notice", required_argument, NULL, 'f' },
		{ "ahead", required_argument, NULL, 'w' },
		{ }
	};
	struct setup s = {
		.kernels = 1, .us = 200, .priority = PRIORITY_HIGH, .rounds = 2,
		.lds_kb = CLIENT_LDS_BYTES / 1024,
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'a':
			s.at = optarg;
			break;
		case 't':
			s.ticks_per_us = atof(optarg);
			break;
		case 'k':
			s.kernels = atoi(optarg);
			break;
		case 'u':
			s.us = atoi(optarg);
			break;
		case 'p':
			s.priority = atoi(optarg);
			break;
		case 'h':
			s.hint_us = atoi(optarg);
			break;
		case 'm':
			s.margin_us = atoi(optarg);
			break;
		case 'g':
			s.go = optarg;
			break;
		case 's':
			s.coop_steps = atoi(optarg);
			break;
		case 'i':
			s.coop_iterations = atoi(optarg);
			break;
		case 'n':
			s.coop_kernels = atoi(optarg);
			break;
		case 'l':
			s.coop_priority = atoi(optarg);
			break;
		case 'r':
			s.rounds = atoi(optarg);
			break;
		case 'd':
			s.debuggee = 1;
			break;
		case 'b':
			s.lds_kb = atoi(optarg);
			break;
		case 'f':
			s.notice = optarg;
			break;
		case 'w':
			s.at_work = bench_work_share(optarg);
			if (!s.at_work)
				fail(optarg, -errno);
			break;
		default:
			usage();
		}
	}
	if (!s.at || !s.go || s.ticks_per_us <= 0 || !s.kernels || s.kernels > RING ||
	    s.margin_us > s.hint_us)
		usage();
	run(&s);
	return 0;
}
