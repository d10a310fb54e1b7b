// SPDX-License-Identifier: GPL-2.0
/* The events as they are, by trace-cmd, which records those of an instance that is there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpreempt.h"

static pid_t trace_cmd;

/* It records until SIGINT. The terminal's is for this program and its command alone. */
static void __attribute__((noreturn)) be_trace_cmd(const char *instance)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGINT);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	execlp("trace-cmd", "trace-cmd", "record", "-q", "-C", "mono", "-o", output_beside(),
	       "-B", strrchr(instance, '/') + 1, "-e", TRACE_SYSTEM, NULL);
	warn("trace-cmd: %s", strerror(errno));
	_exit(STATUS_FAILED);
}

static bool is_one(const char *instance, const char *file)
{
	uint64_t value;

	return !read_number(&value, "%s/%s", instance, file) && value == 1;
}

static void tracedat_open(const char *instance)
{
	trace_cmd = fork_unblocked();
	if (!trace_cmd)
		be_trace_cmd(instance);
	/* it enables the events while tracing is off */
	while (!is_one(instance, "events/" TRACE_SYSTEM "/enable") ||
	       !is_one(instance, "tracing_on")) {
		if (waitpid(trace_cmd, NULL, WNOHANG)) {
			trace_cmd = 0;
			fail(STATUS_FAILED, "trace-cmd, which writes such files, did not start");
		}
		usleep(10000);
	}
}

static void tracedat_drain(void)
{
}

static int end(void)
{
	int status = 0;

	if (trace_cmd > 0) {
		kill(trace_cmd, SIGINT);
		waitpid(trace_cmd, &status, 0);
		trace_cmd = 0;
	}
	return status;
}

static void tracedat_close(void)
{
	end();
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
