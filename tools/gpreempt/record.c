// SPDX-License-Identifier: GPL-2.0
/*
 * gpreempt record: GPREEMPT's tracepoints into a file: a timeline of the queues, or the
 * events as they are. In a tracing instance of its own, so that nobody else's tracing is
 * disturbed.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpreempt.h"

static char instance[PATH_SIZE];
static const struct recorder *recorder;
static const char *path = "gpreempt.json";
static double seconds;
/* Those that end the recording are waited for; what was blocked before, the command has blocked. */
static sigset_t awaited, before;

static void block_signals(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct sigaction action;
	unsigned int i;

	/* what nohup has ignored stays ignored */
	sigemptyset(&awaited);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&awaited, signals[i]);
	sigprocmask(SIG_BLOCK, &awaited, &before);
}

pid_t fork_unblocked(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail(STATUS_FAILED, "fork: %s", strerror(errno));
	if (!pid)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* At the end, whatever it is: an instance with open files stays. */
static void remove_instance(void)
{
	recorder->close();
	if (rmdir(instance))
		warn("%s: %s", instance, strerror(errno));
}

static void instance_write(const char *file, const char *text)
{
	char path[PATH_SIZE + 64];
	int r;

	snprintf(path, sizeof(path), "%s/%s", instance, file);
	r = write_text(path, text);
	if (r)
		fail(STATUS_FAILED, "%s: %s", path, strerror(-r));
}

static void make_instance(void)
{
	if (access(TRACING "/events", F_OK))
		fail(errno == EACCES ? STATUS_FAILED : STATUS_ABSENT, "%s: %s: %s", TRACING,
		     strerror(errno), errno == EACCES ? "run as root" :
		     "mount tracefs there, in a kernel with CONFIG_FTRACE");
	if (access(TRACING "/events/" TRACE_SYSTEM, F_OK))
		fail(STATUS_ABSENT, TRACING "/events/" TRACE_SYSTEM ": not there: amdgpu is "
		     "not loaded, or was built without CONFIG_HSA_AMD_GPREEMPT");
	snprintf(instance, sizeof(instance), TRACING "/instances/gpreempt-%d", getpid());
	if (mkdir(instance, 0700))
		fail(STATUS_FAILED, "%s: %s", instance, strerror(errno));
	atexit(remove_instance);
	instance_write("trace_clock", "mono");
}

static void enable(bool on)
{
	char path[64];

	instance_write("events/" TRACE_SYSTEM "/enable", on ? "1" : "0");
	if (!on || !recorder->unused)
		return;
	snprintf(path, sizeof(path), "events/" TRACE_SYSTEM "/%s/enable", recorder->unused);
	instance_write(path, "0");
}

/* Events that did not fit into the ring buffers. */
static unsigned long lost_events(void)
{
	char text[1024], *overrun;
	unsigned long lost = 0;
	int i;

	for (i = 0; i < get_nprocs_conf(); i++) {
		read_text(text, sizeof(text), "%s/per_cpu/cpu%d/stats", instance, i);
		overrun = strstr(text, "overrun: ");
		if (overrun)
			lost += strtoul(overrun + strlen("overrun: "), NULL, 10);
	}
	return lost;
}

static pid_t start(char **command)
{
	pid_t pid = fork_unblocked();
	int error;

	if (pid)
		return pid;
	execvp(*command, command);
	error = errno;
	warn("%s: %s", *command, strerror(error));
	/* not the parent's exit handlers */
	_exit(error == ENOENT ? 127 : 126);
}

/*
 * Wait for a moment, or a signal: did one come? What the terminal sends goes to the command as
 * well; what kill sends does not, and is passed on.
 */
static bool signalled(pid_t child)
{
	struct timespec moment = { .tv_nsec = recorder->drain_ms * 1000000L };
	siginfo_t info;
	int sig = sigtimedwait(&awaited, &info, &moment);

	if (sig > 0 && child && info.si_code <= 0)
		kill(child, sig);
	return sig > 0;
}

/* Record until the command ends, the time is over, or a signal comes. */
static bool follow(pid_t child, int *status)
{
	uint64_t end = seconds ? now_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX;
	bool over = false, stop = false;

	while (!stop && !over && now_ns() < end) {
		recorder->drain();
		stop = signalled(child);
		over = child && waitpid(child, status, WNOHANG);
	}
	enable(false);
	recorder->drain();
	return over;
}

static int record(char **command)
{
	unsigned long lost;
	pid_t child = 0;
	int status = 0;
	bool over;
	FILE *out;
	long size;

	block_signals();
	make_instance();
	out = output_open(path);
	recorder->open(instance);
	enable(true);
	if (*command)
		child = start(command);
	over = follow(child, &status);
	lost = lost_events();
	recorder->write(out);
	fflush(out);
	size = ftell(out);
	output_close();
	warn("%s: %ld KB, for %s", path, size / 1024, recorder->see);
	if (lost)
		warn("warning: %lu events were lost", lost);
	while (child && !over) {
		over = waitpid(child, &status, WNOHANG);
		if (!over)
			signalled(child);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool is_tracedat(const char *path)
{
	size_t len = strlen(path);

	return len >= 4 && !strcmp(path + len - 4, ".dat");
}

static int run(int argc, char **argv)
{
	output_check(path);
	recorder = is_tracedat(path) ? &tracedat : &timeline;
	return record(argv);
}

static const struct option_of options[] = {
	{ "output", 'o', "FILE", "default gpreempt.json", TEXT, &path },
	{ "seconds", 's', "N", "stop recording after that time; COMMAND goes on",
	  SECONDS, &seconds },
	{ }
};

const struct command cmd_record = {
	.name = "record",
	.run = run,
	.options = options,
	.operands = "[--] [COMMAND [ARGUMENT...]]",
	.has_command = true,
	.summary = "a timeline of the queues, or all events, into a file",
	.about =
		"Records while COMMAND runs, for N seconds, or until Ctrl-C. FILE is a timeline for\n"
		"https://ui.perfetto.dev or speedscope: when each queue ran, waited, was preempted\n"
		"and why. Is it called *.dat, all of GPREEMPT's tracepoints as they are, by\n"
		"trace-cmd, for 'trace-cmd report FILE' and KernelShark. It is there as a whole or\n"
		"not at all.",
	.notes = "Exit status: that of COMMAND, which is waited for.",
};
