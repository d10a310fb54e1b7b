// SPDX-License-Identifier: GPL-2.0
/* The events as they are, by trace-cmd, which records those of an instance that is there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpreempt.h"

/* Leads a group: it records by processes of its own, which stay if it does not end by itself. */
static pid_t trace_cmd;
/* Its name of the tracing instance; NULL: it was never started. */
static const char *name;

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
	execlp("trace-cmd", "trace-cmd", "record", "-q", "-C", "mono", "-o", output_beside(),
	       "-B", name, "-e", TRACE_SYSTEM, NULL);
	warn("trace-cmd: %s", strerror(errno));
	_exit(STATUS_FAILED);
}

static bool is_one(const char *instance, const char *file)
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

static void tracedat_open(const char *instance)
{
	name = strrchr(instance, '/') + 1;
	trace_cmd = fork_unblocked();
	if (!trace_cmd)
		be_trace_cmd();
	/* it enables the events while tracing is off */
	while (!is_one(instance, "events/" TRACE_SYSTEM "/enable") ||
	       !is_one(instance, "tracing_on")) {
		if (has_ended())
			fail(STATUS_FAILED, "trace-cmd, which writes such files, did not start");
		if (signalled(0))
			fail(STATUS_FAILED, "ended before trace-cmd recorded");
	}
}

static void tracedat_drain(void)
{
}

/* It writes the file now; one more signal ends that. */
static int end(void)
{
	int status = 0;

	if (trace_cmd > 0) {
		kill(trace_cmd, SIGINT);
		while (!has_ended())
			if (signalled(0))
				kill(trace_cmd, SIGKILL);
		kill(-trace_cmd, SIGKILL);
		waitpid(trace_cmd, &status, 0);
		trace_cmd = 0;
	}
	return status;
}

/* Also what it wrote after the file was given up, and what it records into. */
static void tracedat_close(void)
{
	char path[2 * PATH_SIZE];
	int i;

	if (!name)
		return;
	end();
	unlink(output_beside());
	for (i = 0; i < get_nprocs_conf(); i++) {
		snprintf(path, sizeof(path), "%s.%s.cpu%d", output_beside(), name, i);
		unlink(path);
	}
}

static void tracedat_write(FILE *f)
{
	if (end())
		fail(STATUS_FAILED, "trace-cmd failed");
	fseek(f, 0, SEEK_END);
}

const struct recorder tracedat = {
	.drain_ms = 100,
	.open = tracedat_open,
	.drain = tracedat_drain,
	.write = tracedat_write,
	.close = tracedat_close,
	.see = "'trace-cmd report' and KernelShark",
};
