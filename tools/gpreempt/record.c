// SPDX-License-Identifier: GPL-2.0
/*
 * gpreempt record: GPREEMPT's tracepoints into a file for trace-cmd and KernelShark.
 * In a tracing instance of its own, so that nobody else's tracing is disturbed.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpreempt.h"

#define TRACING	"/sys/kernel/tracing"

/* How often the ring buffers are emptied, ms: the kernel's default holds seconds. */
#define DRAIN_MS	100

/**
 * struct buffer - the ring buffer of a CPU
 * @in:		its raw pages
 * @out:	those read
 */
struct buffer {
	int in;
	FILE *out;
};

static char instance[PATH_SIZE];
static struct buffer *buffers;
static unsigned int cpus;
static volatile sig_atomic_t stop;
/* A signal that the command shall have, too. */
static volatile sig_atomic_t pass_on;

/* What the terminal sends goes to the command as well; what kill sends does not. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	stop = 1;
	if (info->si_code <= 0)
		pass_on = sig;
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void catch_signals(void)
{
	struct sigaction action = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART,
	}, old;
	unsigned int i;

	/* what nohup has ignored stays ignored */
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

/* At the end, whatever it is: an instance with open files stays. */
static void remove_instance(void)
{
	unsigned int i;

	for (i = 0; i < cpus; i++)
		close(buffers[i].in);
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
	if (access(TRACING "/events/kfd_gpreempt", F_OK))
		fail(STATUS_ABSENT, "%s/events/kfd_gpreempt: not there: amdgpu is not loaded, or "
		     "was built without CONFIG_HSA_AMD_GPREEMPT", TRACING);
	snprintf(instance, sizeof(instance), TRACING "/instances/gpreempt-%d", getpid());
	if (mkdir(instance, 0700))
		fail(STATUS_FAILED, "%s: %s", instance, strerror(errno));
	atexit(remove_instance);
	instance_write("trace_clock", "mono");
}

static void open_buffer(struct buffer *b, unsigned int cpu)
{
	char path[PATH_SIZE + 64];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", instance, cpu);
	b->in = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	/* A CPU that is not there has no buffer, and no pages. */
	if (b->in < 0 && errno != ENOENT && errno != ENODEV)
		fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
	b->out = tmpfile();
	if (!b->out || fcntl(fileno(b->out), F_SETFD, FD_CLOEXEC))
		fail(STATUS_FAILED, "temporary file: %s", strerror(errno));
}

static void drain(struct buffer *b)
{
	static char page[1 << 16];
	size_t size = sysconf(_SC_PAGESIZE);
	ssize_t n;

	while (b->in >= 0 && (n = read(b->in, page, size)) > 0)
		if (fwrite(page, 1, size, b->out) != size)
			fail(STATUS_FAILED, "temporary file: %s", strerror(errno));
}

/* Events that did not fit into the ring buffers. */
static unsigned long lost_events(void)
{
	char path[PATH_SIZE + 64], text[1024], *overrun;
	unsigned long lost = 0;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", instance, i);
		if (read_text(path, text, sizeof(text)))
			continue;
		overrun = strstr(text, "overrun: ");
		if (overrun)
			lost += strtoul(overrun + strlen("overrun: "), NULL, 10);
	}
	return lost;
}

/* Until it executes the command, a child has the parent's handlers. */
static void forget_signals(void)
{
	struct sigaction action;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			signal(signals[i], SIG_DFL);
}

static pid_t start(char **command)
{
	sigset_t all, before;
	pid_t pid;
	int error;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (!pid)
		forget_signals();
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		fail(STATUS_FAILED, "fork: %s", strerror(errno));
	if (pid)
		return pid;
	execvp(*command, command);
	error = errno;
	warn("%s: %s", *command, strerror(error));
	/* not the parent's exit handlers */
	_exit(error == ENOENT ? 127 : 126);
}

/* Has the command ended? It is told of signals that only this program got. */
static bool ended(pid_t child, int *status)
{
	int sig;

	if (waitpid(child, status, WNOHANG))
		return true;
	sig = pass_on;
	pass_on = 0;
	if (sig)
		kill(child, sig);
	return false;
}

/* Record until the command ends, the time is over, or a signal comes. */
static bool follow(pid_t child, double seconds, int *status)
{
	uint64_t end = seconds ? now_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX;
	bool over = false;
	unsigned int i;

	while (!stop && !over && now_ns() < end) {
		poll(NULL, 0, DRAIN_MS);
		for (i = 0; i < cpus; i++)
			drain(&buffers[i]);
		over = child && ended(child, status);
	}
	instance_write("events/kfd_gpreempt/enable", "0");
	for (i = 0; i < cpus; i++)
		drain(&buffers[i]);
	return over;
}

static FILE *open_output(const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
	return out;
}

static int record(const char *path, double seconds, char **command)
{
	unsigned int count = get_nprocs_conf(), i;
	FILE **data = xrealloc(NULL, count * sizeof(FILE *)), *out;
	unsigned long lost, bytes = 0;
	pid_t child = 0;
	struct stat st;
	int status = 0;
	bool over;

	catch_signals();
	make_instance();
	out = open_output(path);
	buffers = xrealloc(NULL, count * sizeof(*buffers));
	for (i = 0; i < count; i++) {
		open_buffer(&buffers[i], i);
		data[i] = buffers[i].out;
		cpus++;
	}
	instance_write("events/kfd_gpreempt/enable", "1");
	if (*command)
		child = start(command);
	over = follow(child, seconds, &status);
	lost = lost_events();
	tracedat_write(out, path, TRACING, data, cpus);
	if (!stat(path, &st))
		bytes = st.st_size;
	warn("%s: %lu KB; see it with 'trace-cmd report %s' or KernelShark", path, bytes / 1024,
	     path);
	if (lost)
		warn("warning: %lu events were lost", lost);
	free(data);
	while (child && !over) {
		over = ended(child, &status);
		poll(NULL, 0, over ? 0 : DRAIN_MS);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "seconds", required_argument, NULL, 's' },
		{ }
	};
	const char *path = "gpreempt.dat";
	double seconds = 0;
	int opt;

	while ((opt = getopt_long(argc, argv, "+o:s:", options, NULL)) != -1) {
		switch (opt) {
		case 'o':
			path = optarg;
			break;
		case 's':
			seconds = parse_seconds(&cmd_record, "time", optarg);
			break;
		default:
			bad_option(&cmd_record);
		}
	}
	return record(path, seconds, argv + optind);
}

const struct command cmd_record = {
	.name = "record",
	.run = run,
	.summary = "scans, decisions and preemptions into a file for trace-cmd",
	.help = "record [--output FILE] [--seconds N] [--] [COMMAND [ARGUMENT...]]\n\n"
		"Records GPREEMPT's tracepoints while COMMAND runs, for N seconds, or until\n"
		"Ctrl-C. 'trace-cmd report FILE' and KernelShark show them.\n\n"
		"  -o, --output FILE  default gpreempt.dat\n"
		"  -s, --seconds N    stop recording after that time; COMMAND goes on\n\n"
		"Exit status: that of COMMAND, which is waited for.",
};
