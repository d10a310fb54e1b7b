// SPDX-License-Identifier: GPL-2.0
/*
 * gpreempt record: GPREEMPT's tracepoints into a file: a timeline of the queues, or the
 * events as they are. In a tracing instance of its own, so that nobody else's tracing is
 * disturbed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpreempt.h"

#define TRACING		"/sys/kernel/tracing"
#define TRACE_SYSTEM	"kfd_gpreempt"
/* How often the timeline looks at the queues. */
#define LOOK_MS		10

static char instance[PATH_SIZE];
static const char *instance_name;
static const char *path = "gpreempt.json";
static double seconds;
/* The events as they are, by trace-cmd. */
static bool raw;
/*
 * Leads a group: it records by processes of its own, which stay if it does not end by itself.
 * 0: not started, -1: it has ended.
 */
static pid_t trace_cmd;
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

/* A child with the signals that a command shall have. */
static pid_t fork_unblocked(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail(STATUS_FAILED, "fork: %s", strerror(errno));
	if (!pid)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* What the terminal sends goes to the command as well; what kill sends does not, and is passed. */
static bool signalled(pid_t child)
{
	struct timespec moment = { .tv_nsec = LOOK_MS * 1000000L };
	siginfo_t info;
	int sig = sigtimedwait(&awaited, &info, &moment);

	if (sig > 0 && child && info.si_code <= 0)
		kill(child, sig);
	return sig > 0;
}

/* It records until SIGINT. The terminal's is for this program and its command alone. */
static void __attribute__((noreturn)) be_trace_cmd(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	/* a shell has its background jobs ignore it */
	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGINT);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	execlp("trace-cmd", "trace-cmd", "record", "-q", "-C", "mono", "-o", output_beside,
	       "-B", instance_name, "-e", TRACE_SYSTEM, NULL);
	warn("trace-cmd: %s", strerror(errno));
	_exit(STATUS_FAILED);
}

static bool is_one(const char *file)
{
	uint64_t value;

	return !read_number(&value, "%s/%s", instance, file) && value == 1;
}

static bool has_ended(void)
{
	siginfo_t info = { };

	/* it is left a zombie, whose group nobody else can have */
	return waitid(P_PID, trace_cmd, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/* Those of an instance that is there. */
static void start_trace_cmd(void)
{
	trace_cmd = fork_unblocked();
	if (!trace_cmd)
		be_trace_cmd();
	/* it enables the events while tracing is off */
	while (!is_one("events/" TRACE_SYSTEM "/enable") || !is_one("tracing_on")) {
		if (has_ended())
			fail(STATUS_FAILED, "trace-cmd, which writes such files, did not start");
		if (signalled(0))
			fail(STATUS_FAILED, "ended before trace-cmd recorded");
	}
}

/* It writes the file now; one more signal ends that. */
static int end_trace_cmd(void)
{
	int status = 0;

	if (trace_cmd > 0) {
		kill(trace_cmd, SIGINT);
		while (!has_ended())
			if (signalled(0))
				kill(trace_cmd, SIGKILL);
		kill(-trace_cmd, SIGKILL);
		waitpid(trace_cmd, &status, 0);
		trace_cmd = -1;
	}
	return status;
}

/* Also what it wrote after the file was given up, and what it records into. */
static void remove_trace_cmd(void)
{
	char left[2 * PATH_SIZE];
	int i;

	if (!trace_cmd)
		return;
	end_trace_cmd();
	unlink(output_beside);
	for (i = 0; i < get_nprocs_conf(); i++) {
		snprintf(left, sizeof(left), "%s.%s.cpu%d", output_beside, instance_name, i);
		unlink(left);
	}
}

/* At the end, whatever it is: an instance with open files stays. Who was killed may have some. */
static void remove_instance(void)
{
	int tries, r;

	if (raw)
		remove_trace_cmd();
	else
		timeline_close();
	for (tries = 0; (r = rmdir(instance)) && errno == EBUSY && tries < 100; tries++)
		usleep(10000);
	if (r)
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
	instance_name = strrchr(instance, '/') + 1;
	if (mkdir(instance, 0700))
		fail(STATUS_FAILED, "%s: %s", instance, strerror(errno));
	atexit(remove_instance);
	instance_write("trace_clock", "mono");
}

static void enable(bool on)
{
	instance_write("events/" TRACE_SYSTEM "/enable", on ? "1" : "0");
	/* of these the timeline makes nothing */
	if (on && !raw)
		instance_write("events/" TRACE_SYSTEM "/kfd_gpreempt_scan/enable", "0");
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

/* Record until the command ends, the time is over, or a signal comes. */
static bool follow(pid_t child, int *status)
{
	uint64_t end = seconds ? now_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX;
	bool over = false, stop = false;

	while (!stop && !over && now_ns() < end) {
		if (!raw)
			timeline_drain();
		stop = signalled(child);
		over = child && waitpid(child, status, WNOHANG);
	}
	enable(false);
	if (!raw)
		timeline_drain();
	return over;
}

static int run(const struct command *cmd, int argc, char **command)
{
	const char *end = strrchr(path, '.');
	unsigned long lost;
	pid_t child = 0;
	int status = 0;
	bool over;
	FILE *out;
	long size;

	output_check(path);
	raw = end && !strcmp(end, ".dat");
	block_signals();
	make_instance();
	out = output_open(path);
	if (raw)
		start_trace_cmd();
	else
		timeline_open(instance);
	enable(true);
	if (*command)
		child = start(command);
	over = follow(child, &status);
	lost = lost_events();
	if (!raw)
		timeline_write(out, now_ns() / 1000);
	else if (end_trace_cmd())
		fail(STATUS_FAILED, "trace-cmd failed");
	fseek(out, 0, SEEK_END);
	size = ftell(out);
	output_close();
	warn("%s: %ld KB, for %s", path, size / 1024, raw ? "'trace-cmd report' and KernelShark" :
	     "https://ui.perfetto.dev and speedscope");
	if (lost)
		warn("warning: %lu events were lost", lost);
	while (child && !over) {
		over = waitpid(child, &status, WNOHANG);
		if (!over)
			signalled(child);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
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
