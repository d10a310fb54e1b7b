// SPDX-License-Identifier: GPL-2.0
/* gpreempt renice: another priority for processes and queues that are there. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

/* All or nothing of it. */
static int renice_process(unsigned int pid, struct kfd_ioctl_gpreempt_args args)
{
	args.pid = pid;
	return kfd_call(&args) ?: cgroup_renice(pid, &args);
}

static int warn_of(unsigned int pid, int r, const struct kfd_ioctl_gpreempt_args *args)
{
	if (!r)
		return 0;
	if (r == -EINVAL && args->flags & (KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP))
		warn("process %u: its cap would be below its minimum; 'gpreempt top --processes' "
		     "shows both", pid);
	else
		warn("process %u: %s", pid, kfd_error(r));
	return STATUS_FAILED;
}

/* Of a queue: its priority, or its timeslice. */
static int set(const struct target *t, struct kfd_ioctl_gpreempt_args args)
{
	bool priority = args.op == KFD_GPREEMPT_OP_SET_PRIORITY;
	unsigned int asked = args.priority.priority;
	int r;

	args.pid = t->pid;
	args.queue_id = t->queue;
	r = kfd_call(&args);
	if (r) {
		warn("queue %u:%u: %s", t->pid, t->queue, kfd_error(r));
		return STATUS_FAILED;
	}
	if (priority && asked != KFD_GPREEMPT_NONE && args.priority.permitted < asked)
		warn("warning: queue %u:%u is served at %u: more needs CAP_SYS_NICE, or exceeds "
		     "its ceiling", t->pid, t->queue, args.priority.permitted);
	return 0;
}

static int renice_queue(const struct target *t, const struct kfd_ioctl_gpreempt_args *args)
{
	int status = 0;

	if (!(args->flags & KFD_GPREEMPT_KEEP_PRIORITY))
		status |= set(t, (struct kfd_ioctl_gpreempt_args) {
			.op = KFD_GPREEMPT_OP_SET_PRIORITY,
			.priority.priority = args->process_default.priority,
		});
	if (!(args->flags & KFD_GPREEMPT_KEEP_TIMESLICE))
		status |= set(t, (struct kfd_ioctl_gpreempt_args) {
			.op = KFD_GPREEMPT_OP_SET_TIMESLICE,
			.timeslice_us = args->process_default.timeslice_us,
		});
	return status;
}

/* Of a process that has memory: no other can use a GPU. */
static unsigned int user_of(unsigned int pid)
{
	char text[4096], *uid;

	if (read_text(text, sizeof(text), "/proc/%u/status", pid) || !strstr(text, "\nVmSize:"))
		return UINT_MAX;
	uid = strstr(text, "\nUid:");
	return uid ? strtoul(uid + strlen("\nUid:"), NULL, 10) : UINT_MAX;
}

/*
 * The processes that there are of users or of process groups, as setpriority(2) has them. One that
 * ends meanwhile is none of them.
 */
static int renice_many(bool users, unsigned int of, const struct kfd_ioctl_gpreempt_args *args)
{
	unsigned int found = 0, pid;
	char **pids, **p;
	int r, status = 0;

	if (list_names("/proc", &pids))
		fail(STATUS_FAILED, "/proc: cannot be read");
	for (p = pids; *p; p++) {
		pid = strtoul(*p, NULL, 10);
		if (!pid || (users ? user_of(pid) != of : getpgid(pid) != (pid_t)of))
			continue;
		r = renice_process(pid, *args);
		if (r == -ESRCH)
			continue;
		found++;
		status |= warn_of(pid, r, args);
	}
	free_names(pids);
	if (found)
		return status;
	warn("%s %u: no processes", users ? "user" : "process group", of);
	return STATUS_FAILED;
}

static unsigned int parse_many(bool users, const char *text)
{
	return users ? parse_number("user", text, 0, UINT_MAX - 1) :
	       parse_number("process group", text, 1, INT_MAX);
}

static int renice_all(bool users, int count, char **names,
		      const struct kfd_ioctl_gpreempt_args *args)
{
	int i, status = 0;

	/* All are understood before any is changed. */
	for (i = 0; i < count; i++)
		parse_many(users, names[i]);
	warn_of_caps(args->process_default.priority);
	for (i = 0; i < count; i++)
		status |= renice_many(users, parse_many(users, names[i]), args);
	return status;
}

static struct kfd_ioctl_gpreempt_args args = {
	.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .flags = KEEP_ALL,
	.process_default = { KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE },
};

static bool groups, users;

static int run(const struct command *cmd, int argc, char **argv)
{
	const unsigned int of_queues = KFD_GPREEMPT_KEEP_PRIORITY | KFD_GPREEMPT_KEEP_TIMESLICE;
	int i, status = 0;

	if (args.flags == KEEP_ALL)
		usage("neither a priority nor a ceiling, a timeslice or a share");
	if (!argc)
		usage("no process and no queue");
	if (groups || users)
		return renice_all(users, argc, argv, &args);
	/* All are understood before any is changed. */
	for (i = 0; i < argc; i++)
		if (parse_target(argv[i]).one && (args.flags | of_queues) != KEEP_ALL)
			usage("'%s': a ceiling and a share are a process's, not a queue's", argv[i]);
	for (i = 0; i < argc; i++) {
		struct target t = parse_target(argv[i]);

		if (t.one) {
			status |= renice_queue(&t, &args);
			continue;
		}
		warn_of_caps(args.process_default.priority);
		status |= warn_of(t.pid, renice_process(t.pid, args), &args);
	}
	return status;
}

static const struct option_of options[] = {
	{ "user", 'u', NULL, "all processes that users have now; 'id -u NAME' tells a UID",
	  FLAG, &users },
	{ "group", 'g', NULL, "all processes of process groups", FLAG, &groups },
	{ }
};

const struct command cmd_renice = {
	.name = "renice",
	.run = run,
	.given = &args,
	.options = options,
	.operands = "PID[:QUEUE]...|UID...|PGID...",
	.summary = "another priority, ceiling, timeslice or share for what runs",
	.about = "For a process it is the default of its queues, those to come too, and of its\n"
		"children's. For a queue a priority and a timeslice count before anything else.\n"
		"What is not named stays as it was.",
};
