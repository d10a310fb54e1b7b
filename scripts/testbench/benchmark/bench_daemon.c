// SPDX-License-Identifier: GPL-2.0
/*
 * What one can do without GPREEMPT: a daemon that attaches to the processes as a
 * debugger, looks at HIGH's queue once an interval, and suspends LOW's while HIGH
 * has work. It sees what GPREEMPT sees in memory: indices, and the completion
 * signal of the newest packet. Or HIGH gives it notice, then it need not look.
 * It runs at the nice value of GPREEMPT's monitor.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "aql.h"

#define TARGETS_MAX	64
#define QUEUES_MAX	32
#define MONITOR_NICE	(-20)

/**
 * struct target - a process
 * @pid:	its number
 * @count:	compute queues
 * @queue:	they, as the debugger is told of them
 */
struct target {
	pid_t pid;
	unsigned int count;
	struct kfd_queue_snapshot_entry queue[QUEUES_MAX];
};

/**
 * struct targets - some processes
 * @count:	so many
 * @target:	they
 */
struct targets {
	unsigned int count;
	struct target target[TARGETS_MAX];
};

static volatile sig_atomic_t stop;
static int kfd, dbg_fd;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static void fail(const char *what, pid_t pid)
{
	fprintf(stderr, "bench_daemon: %s %d: %s\n", what, pid, strerror(errno));
	exit(1);
}

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void sleep_until(__u64 ns)
{
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME,
			&(struct timespec){ ns / 1000000000, ns % 1000000000 }, NULL);
}

static int trap(struct kfd_ioctl_dbg_trap_args *args, pid_t pid, __u32 op)
{
	args->pid = pid;
	args->op = op;
	return ioctl(kfd, AMDKFD_IOC_DBG_TRAP, args);
}

static void attach(struct target *t, pid_t pid)
{
	struct kfd_runtime_info info = { };
	struct kfd_ioctl_dbg_trap_args args = {
		.enable = {
			.rinfo_ptr = (uintptr_t)&info, .rinfo_size = sizeof(info), .dbg_fd = dbg_fd,
		},
	};

	t->pid = pid;
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		fail("attach to", pid);
	if (trap(&args, pid, KFD_IOC_DBG_TRAP_ENABLE))
		fail("debug", pid);
	memset(&args, 0, sizeof(args));
	/* a queue that its debugger has not seen cannot be suspended */
	args.queue_snapshot.exception_mask = KFD_EC_MASK(EC_QUEUE_NEW);
	args.queue_snapshot.snapshot_buf_ptr = (uintptr_t)t->queue;
	args.queue_snapshot.num_queues = QUEUES_MAX;
	args.queue_snapshot.entry_size = sizeof(t->queue[0]);
	if (trap(&args, pid, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT))
		fail("list the queues of", pid);
	t->count = args.queue_snapshot.num_queues;
	if (!t->count || t->count > QUEUES_MAX)
		fail("no queue, or too many, of", pid);
}

static void detach(struct target *t)
{
	struct kfd_ioctl_dbg_trap_args args = { };
	int status;

	if (trap(&args, t->pid, KFD_IOC_DBG_TRAP_DISABLE))
		fail("end debugging of", t->pid);
	/* only a stopped process can be let go of */
	if (!ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL) && waitpid(t->pid, &status, __WALL) > 0)
		ptrace(PTRACE_DETACH, t->pid, NULL, NULL);
}

static void suspend(const struct target *t, bool off)
{
	struct kfd_ioctl_dbg_trap_args args = { };
	__u32 ids[QUEUES_MAX];
	unsigned int i;
	int n;

	for (i = 0; i < t->count; i++)
		ids[i] = t->queue[i].queue_id;
	if (off) {
		args.suspend_queues.queue_array_ptr = (uintptr_t)ids;
		args.suspend_queues.num_queues = t->count;
		n = trap(&args, t->pid, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES);
	} else {
		args.resume_queues.queue_array_ptr = (uintptr_t)ids;
		args.resume_queues.num_queues = t->count;
		n = trap(&args, t->pid, KFD_IOC_DBG_TRAP_RESUME_QUEUES);
	}
	if (n != (int)t->count)
		fail(off ? "suspend" : "resume", t->pid);
}

static bool peek(pid_t pid, __u64 addr, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)addr, size };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Is there a packet that was not consumed, or one that was and has not ended? */
static bool busy(const struct target *t)
{
	const struct kfd_queue_snapshot_entry *q = &t->queue[0];
	__u64 read, write, packets = q->ring_size / AQL_PACKET_BYTES;
	struct aql_packet packet;
	struct aql_signal signal;

	if (!peek(t->pid, q->write_pointer_address, &write, sizeof(write)) ||
	    !peek(t->pid, q->read_pointer_address, &read, sizeof(read)))
		return false;
	if (read != write)
		return true;
	return write && peek(t->pid, q->ring_base_address +
			     (write - 1) % packets * AQL_PACKET_BYTES, &packet, sizeof(packet)) &&
	       packet.completion_signal &&
	       peek(t->pid, packet.completion_signal, &signal, sizeof(signal)) && signal.value > 0;
}

static bool any_busy(const struct targets *high)
{
	unsigned int i;

	for (i = 0; i < high->count; i++)
		if (busy(&high->target[i]))
			return true;
	return false;
}

static void suspend_all(const struct targets *low, bool off)
{
	unsigned int i;

	for (i = 0; i < low->count; i++)
		suspend(&low->target[i], off);
}

/* Until HIGH closes @fifo. It says when LOW is to be off, and 0 when a request has ended. */
static void heed(const char *fifo, const struct targets *low)
{
	int fd = open(fifo, O_RDONLY | O_CLOEXEC);
	bool off = false;
	__u64 ns;

	if (fd < 0)
		fail(fifo, 0);
	while (read(fd, &ns, sizeof(ns)) == sizeof(ns)) {
		if (ns)
			sleep_until(ns);
		if (off != !!ns)
			suspend_all(low, ns);
		off = ns;
	}
	close(fd);
}

static void watch(const struct targets *high, const struct targets *low, __u64 interval)
{
	__u64 next = now_ns();
	bool off = false, want;

	while (!stop) {
		next += interval;
		sleep_until(next);
		want = any_busy(high);
		if (want != off)
			suspend_all(low, want);
		off = want;
		/* late: the ioctls took longer than the interval */
		if (now_ns() > next + interval)
			next = now_ns();
	}
	if (off)
		suspend_all(low, false);
}

static void attach_all(struct targets *targets, char **pids)
{
	for (; *pids && strcmp(*pids, "--"); pids++) {
		if (targets->count == TARGETS_MAX)
			fail("too many processes before", atoi(*pids));
		attach(&targets->target[targets->count++], atoi(*pids));
	}
}

static void detach_all(struct targets *targets)
{
	unsigned int i;

	for (i = 0; i < targets->count; i++)
		detach(&targets->target[i]);
}

int main(int argc, char **argv)
{
	static struct targets high, low;
	__u64 interval;

	if (argc < 5) {
		fputs("usage: bench_daemon INTERVAL-US|FIFO HIGH-PID... -- LOW-PID...\n", stderr);
		return 2;
	}
	signal(SIGTERM, on_term);
	if (setpriority(PRIO_PROCESS, 0, MONITOR_NICE))
		fail("nice value of", getpid());
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	dbg_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (kfd < 0 || dbg_fd < 0)
		fail("/dev/kfd", 0);
	attach_all(&high, argv + 2);
	detach_all(&high);
	attach_all(&low, argv + 3 + high.count);
	printf("attached\n");
	fflush(stdout);
	interval = atol(argv[1]) * 1000;
	if (interval)
		watch(&high, &low, interval);
	else
		heed(argv[1], &low);
	detach_all(&low);
	return 0;
}
