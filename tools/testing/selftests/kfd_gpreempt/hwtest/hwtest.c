// SPDX-License-Identifier: GPL-2.0
/* gpreempt-hwtest: see hwtest.h and Documentation/gpu/amdgpu/gpreempt-hwtest.rst. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "file.h"
#include "hwtest.h"

enum { WELL = 0, ANOMALY = 1, REFUSED = 2 };

const struct step steps[] = {
	{ "read", RISK_READS, step_read, "what the GPU, its firmware and the kernel are", {} },
	{ "watch", RISK_RUNS, step_watch, "two queues under policy none; what a scan costs", {} },
	{ "index", RISK_RUNS, step_index, "does the read index advance at fetch or at launch?",
	  {} },
	{ "registers", RISK_RUNS, step_registers,
	  "do the wave counters count waves, and what does a read cost?", {} },
	{ "offset", RISK_PREEMPTS, step_offset,
	  "what firmware says of a queue that saved no waves", {} },
	{ "preempt", RISK_PREEMPTS, step_preempt,
	  "one preemption; each value that the waves held is compared", {} },
	{ "gws", RISK_PREEMPTS, step_gws, "preempt a cooperative kernel inside its barrier", {} },
	{ "empty", RISK_PREEMPTS, step_empty, "unmap and map a queue that has nothing to save",
	  {} },
	{ "queues", RISK_PREEMPTS, step_queues,
	  "what each mapped queue adds to an unmap and to a map",
	  { "queues", "unmap_us", "update_us", "updates_us" } },
	{ "cost", RISK_PREEMPTS, step_cost, "save and restore, by waves, vector registers and LDS",
	  { "groups_a_unit", "waves", "vgprs", "lds_bytes", "saved_mib", "save_us",
	    "restore_us" } },
	{ "grace", RISK_PREEMPTS, step_grace, "is the grace period as long as firmware is told?",
	  { "grace_us", "save_us" } },
	{ "doorbell", RISK_PREEMPTS, step_doorbell, "what the doorbell costs that wakes GPREEMPT",
	  {} },
	{ "detection", RISK_PREEMPTS, step_detection, "how soon HIGH is seen and has the machine",
	  {} },
	{ "exact", RISK_PREEMPTS, step_exact, "is LOW's result exact over 10,000 preemptions?",
	  {} },
	{ "table", RISK_PREEMPTS, step_table, "the demo's and a short benchmark's table",
	  { "way", "block_ms", "p50_us", "p99_us", "max_us", "low_percent" } },
};

const unsigned int steps_count = ARRAY_SIZE(steps);
_Static_assert(ARRAY_SIZE(steps) <= REPORT_STEPS, "a report has room for each step");

static const char *const risks[] = { "only reads", "runs kernels", "preempts" };
/* They only grow while nothing is wrong. */
static const char *const trouble[] = {
	"stats/late", "stats/excluded", "stats/failed",
};

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static volatile sig_atomic_t interrupted;
static pid_t worker;

/* ---- in the worker ---- */

/* What has gone wrong by GPREEMPT's own account since the run began; "" if nothing has. */
static const char *node_trouble(const struct hwtest *t)
{
	static const char *const says[] = {
		"a preemption took longer than preempt_timeout_ms",
		"a queue was kept off since it delayed preemptions",
		"a preemption was never answered, or was refused",
	};
	unsigned int i = ARRAY_SIZE(trouble);

	while (i--)
		if (gpreempt_number(trouble[i]) > t->before[i])
			return says[i];
	return gpreempt_wait_state("bypassed", 0) ? "" : "GPREEMPT has given up (bypassed)";
}

int anomaly(struct hwtest *t, const char *format, ...)
{
	struct report *r = t->report;
	const char *says;
	va_list args;
	size_t n;

	if (r->anomaly[0])
		return -EIO;
	va_start(args, format);
	n = snprintf(r->anomaly, sizeof(r->anomaly), "in step %s: ", steps[r->now].name);
	vsnprintf(r->anomaly + n, sizeof(r->anomaly) - n, format, args);
	va_end(args);
	says = node_trouble(t);
	n = strlen(r->anomaly);
	if (*says)
		snprintf(r->anomaly + n, sizeof(r->anomaly) - n, ". Besides, %s", says);
	return -EIO;
}

int must(struct hwtest *t, int ret, const char *what)
{
	return ret ? anomaly(t, "could not %s: %s", what, strerror(-ret)) : 0;
}

int gpreempt_off(struct hwtest *t)
{
	return must(t, gpreempt_set("enable", 0), "switch GPREEMPT off");
}

int gpreempt_on(struct hwtest *t, const char *policy)
{
	int ret = gpreempt_write("policy", policy);

	return must(t, ret ?: gpreempt_set("enable", 1), "switch GPREEMPT on");
}

static int run_step(struct hwtest *t, unsigned int i)
{
	struct report *r = t->report;
	__u64 begin = kfd_now();
	int ret;

	r->now = i;
	r->step[i].state = STEP_BEGUN;
	printf("%-10s begins; it %s: %s\n", steps[i].name, risks[steps[i].risk], steps[i].what);
	fflush(stdout);
	ret = steps[i].run(t);
	if (!ret && i && *node_trouble(t))
		ret = anomaly(t, "GPREEMPT is in trouble");
	r->step[i].seconds = (kfd_now() - begin) / 1e9;
	r->step[i].state = ret ? STEP_ANOMALY : STEP_OK;
	printf("%-10s %s: %s (%.1f s)\n", steps[i].name, ret ? "ANOMALY" : "ok",
	       ret ? r->anomaly : r->step[i].says, r->step[i].seconds);
	fflush(stdout);
	return ret;
}

static int work(struct report *report, bool quick, unsigned int last)
{
	static struct hwtest t;
	unsigned int i;

	t.report = report;
	t.quick = quick;
	t.c.dev.fd = -1;
	for (i = 0; i < ARRAY_SIZE(trouble); i++)
		t.before[i] = gpreempt_number(trouble[i]);
	for (i = 0; i <= last; i++)
		if (run_step(&t, i))
			return ANOMALY;
	return WELL;
}

/* ---- in its parent ---- */

static void on_signal(int sig)
{
	interrupted = sig;
	if (worker > 0)
		kill(worker, SIGKILL);
}

static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		sigaction(ends[i], &action, NULL);
	/* whoever read what is printed has gone: the report is written all the same */
	signal(SIGPIPE, SIG_IGN);
}

/* Waits for the worker's end; what it could not tell itself is told here. */
static void watch(struct report *r)
{
	int status = 0;

	while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
		;
	if (r->anomaly[0])
		return;
	if (interrupted)
		snprintf(r->anomaly, sizeof(r->anomaly), "interrupted in step %s",
			 steps[r->now].name);
	else if (WIFSIGNALED(status) || WEXITSTATUS(status))
		snprintf(r->anomaly, sizeof(r->anomaly), "in step %s: it ended by %s %d",
			 steps[r->now].name, WIFSIGNALED(status) ? "signal" : "status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* All steps up to @last; what the report needs to be complete. */
static void run(struct report *r, bool quick, unsigned int last)
{
	int log = kernel_log_open();
	unsigned int i;
	size_t n;

	catch_signals();
	fflush(stdout);
	worker = client_fork();
	if (worker < 0)
		snprintf(r->anomaly, sizeof(r->anomaly), "no process for the test: %s",
			 strerror(errno));
	if (!worker) {
		for (i = 0; i < ARRAY_SIZE(ends); i++)
			signal(ends[i], SIG_DFL);
		_exit(work(r, quick, last));
	}
	if (interrupted)
		on_signal(interrupted);
	if (worker > 0)
		watch(r);
	n = strlen(r->anomaly);
	/* until that is over nothing can be put back */
	if (kernel_log_reset(log, r))
		snprintf(r->anomaly + n, sizeof(r->anomaly) - n, "%sthe driver has reset the GPU",
			 n ? "; " : "");
	r->restored = file_put_back();
	if (!r->restored && !r->anomaly[0])
		snprintf(r->anomaly, sizeof(r->anomaly),
			 "the node's settings could not be put back");
}

static void usage(FILE *f)
{
	unsigned int i;

	fprintf(f, "usage: gpreempt-hwtest [--quick] [--until STEP] [--out FOLDER] [--force]\n"
		"What a real GPU does with GPREEMPT. Takes ten minutes and the GPU for itself.\n"
		"  --quick  few repetitions\n"
		"  --until  the last step to make (default %s)\n"
		"  --out    folder of the report (default hwtest-report)\n"
		"  --force  also where the GPU drives a display or others use it: what they have\n"
		"           there is lost if the GPU does not answer and is reset\n"
		"KFD_GPU=N in the environment: the GPU behind N others.\n\n"
		"Steps, in their order:\n", steps[steps_count - 1].name);
	for (i = 0; i < steps_count; i++)
		fprintf(f, "  %-10s %-13s %s\n", steps[i].name, risks[steps[i].risk],
			steps[i].what);
	fputs("\nExit status:\n"
	      "  0  all well\n"
	      "  1  an anomaly, which ended the run, or it was interrupted: see the report\n"
	      "  2  refused, or bad usage: nothing was done\n", f);
}

static int refused(const char *why)
{
	fprintf(stderr, "gpreempt-hwtest: refused: %s\n", why);
	return REFUSED;
}

static int misused(const char *what, const char *value)
{
	fprintf(stderr, "gpreempt-hwtest: %s '%s'; see --help\n", what, value);
	return REFUSED;
}

static int find_step(const char *name)
{
	unsigned int i;

	for (i = 0; i < steps_count; i++)
		if (!strcmp(steps[i].name, name))
			return i;
	return -1;
}

static int test(bool quick, unsigned int last, const char *folder, bool force)
{
	struct report *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char why[256];
	int ret;

	if (refuse_gpu(why, sizeof(why)))
		return refused(why);
	if (refuse_busy(why, sizeof(why)) && !force)
		return refused(why);
	if ((mkdir(folder, 0755) && errno != EEXIST) || access(folder, W_OK) || r == MAP_FAILED)
		return misused("cannot write to", folder);
	puts("If the GPU does not answer, the driver resets it: what others have there is lost.");
	run(r, quick, last);
	ret = report_write(r, folder);
	if (ret) {
		fprintf(stderr, "gpreempt-hwtest: report in '%s': %s\n", folder, strerror(-ret));
		return ANOMALY;
	}
	printf("%s%s\nsettings: %s\nreport: %s: send the whole folder\n",
	       r->anomaly[0] ? "ANOMALY " : "all well", r->anomaly,
	       r->restored ? "as before" : "NOT as before", folder);
	return r->anomaly[0] ? ANOMALY : WELL;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "until", required_argument, NULL, 'u' },
		{ "out", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *folder = "hwtest-report";
	int last = steps_count - 1, opt;
	bool quick = false, force = false;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'q':
			quick = true;
			break;
		case 'u':
			last = find_step(optarg);
			if (last < 0)
				return misused("no step", optarg);
			break;
		case 'o':
			folder = optarg;
			break;
		case 'f':
			force = true;
			break;
		case 'h':
			usage(stdout);
			return WELL;
		default:
			usage(stderr);
			return REFUSED;
		}
	}
	if (optind < argc)
		return misused("what is", argv[optind]);
	return test(quick, last, folder, force);
}
