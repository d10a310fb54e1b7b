// SPDX-License-Identifier: GPL-2.0
/* gpreempt preempt, resume and hint: queues off the hardware, and back; room for work that comes. */
#include <errno.h>
#include <string.h>

#include "gpreempt.h"

#define CHOICES	(KFD_GPREEMPT_BELOW | KFD_GPREEMPT_AT_LEAST)

/* Which of a process's queues, if no number says it: all, unless a level was given. */
static int ask(const struct target *t, const struct kfd_ioctl_gpreempt_args *what)
{
	struct kfd_ioctl_gpreempt_args args = *what;
	int r;

	args.pid = t->pid;
	if (t->one)
		args.queue_id = t->queue;
	else if (!(args.flags & CHOICES))
		args.flags |= KFD_GPREEMPT_ALL;
	r = kfd_call(&args);
	if (!r)
		return 0;
	if (t->one)
		warn("queue %u:%u: %s", t->pid, t->queue, kfd_error(r));
	else
		warn("process %u: %s", t->pid,
		     r == -ENOENT ? "has no such compute queue" : kfd_error(r));
	return STATUS_FAILED;
}

/* All that the caller may control, at once: it is no failure that there are none. */
static int ask_everybody(const struct kfd_ioctl_gpreempt_args *what)
{
	struct kfd_ioctl_gpreempt_args args = *what;
	int r;

	args.flags |= KFD_GPREEMPT_EVERYBODY;
	r = kfd_call(&args);
	if (r && r != -ENOENT) {
		warn("%s", kfd_error(r));
		return STATUS_FAILED;
	}
	if (args.preempt.refused)
		warn("%u queues must stay as they are", args.preempt.refused);
	printf("%u queues\n", args.preempt.queues);
	return args.preempt.refused ? STATUS_FAILED : 0;
}

static int ask_all(const struct kfd_ioctl_gpreempt_args *args, int argc, char **argv)
{
	int i, status = 0;

	if (!argc && !(args->flags & KFD_GPREEMPT_BELOW))
		usage("no process and no queue");
	/* All are understood before any is touched. */
	for (i = 0; i < argc; i++)
		if (parse_target(argv[i]).one && args->flags & CHOICES)
			usage("'%s' is one queue, and a level chooses of a process's", argv[i]);
	if (!argc)
		return ask_everybody(args);
	for (i = 0; i < argc; i++) {
		struct target t = parse_target(argv[i]);

		status |= ask(&t, args);
	}
	return status;
}

static const char *hold, *wait_time = "1s", *below;
static const char *arrival, *duration, *at_least;
static bool none;

/* If it was given. */
static void set_level(struct kfd_ioctl_gpreempt_args *args, __u32 flag, const char *text)
{
	if (!text)
		return;
	args->flags |= flag;
	args->level = parse_number("level", text, 0, 15);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = cmd == &cmd_preempt ? KFD_GPREEMPT_OP_PREEMPT : KFD_GPREEMPT_OP_RESUME,
	};

	if (strcmp(wait_time, "0")) {
		args.flags |= KFD_GPREEMPT_WAIT;
		args.preempt.wait_ms = parse_time_us("wait", wait_time, 1000,
						     KFD_GPREEMPT_WAIT_MS_MAX * 1000) / 1000;
	}
	set_level(&args, KFD_GPREEMPT_BELOW, below);
	if (hold)
		args.flags |= KFD_GPREEMPT_HOLD;
	if (hold && *hold)
		args.preempt.hold_ms = parse_time_us("hold", hold, 1000,
						     KFD_GPREEMPT_HOLD_MS_MAX * 1000U) / 1000;
	return ask_all(&args, argc, argv);
}

static int run_hint(const struct command *cmd, int argc, char **argv)
{
	struct kfd_ioctl_gpreempt_args args = { .op = KFD_GPREEMPT_OP_HINT };

	if (arrival)
		args.hint.arrival_us = parse_time_us("arrival", arrival, 1, KFD_GPREEMPT_HINT_US_MAX);
	if (duration)
		args.hint.duration_us = parse_time_us("duration", duration, 1,
						      KFD_GPREEMPT_HINT_US_MAX);
	set_level(&args, KFD_GPREEMPT_AT_LEAST, at_least);
	if (none && (arrival || duration))
		usage("--none takes a hint back, and has no times");
	if (!none && !duration)
		usage("no --for: how long will the work last?");
	return ask_all(&args, argc, argv);
}

static const struct option_of preempt_options[] = {
	{ "hold", 1, "[=TIME]", "keep it off, for TIME at most (up to 1 h); without TIME\n"
	  "that needs CAP_SYS_NICE", TEXT, &hold },
	{ "wait", 'w', "TIME", "give up after that time (default 1s), 0: do not wait",
	  TEXT, &wait_time },
	{ "below", 'b', "N", "only queues that are served below level N (0 to 15); without\n"
	  "PID everybody's that you may control, and as root that is\neverybody's", TEXT, &below },
	{ }
};

const struct command cmd_preempt = {
	.name = "preempt",
	.run = run,
	.options = preempt_options,
	.operands = "[PID[:QUEUE]...]",
	.summary = "take queues off the GPU",
	.about =
		"Takes one queue, or all of a process, off the GPU: until its turn comes, or with\n"
		"--hold until 'gpreempt resume'. Returns when it is done.",
};

const struct command cmd_resume = {
	.name = "resume",
	.run = run,
	.options = preempt_options + 1,
	.operands = "[PID[:QUEUE]...]",
	.summary = "put them back",
	.about = "Ends a hold, or a preemption that is under way. Returns when the queue is back.",
};

static const struct option_of hint_options[] = {
	{ "in", 'i', "TIME", "when it comes (up to 1s; default: now)", TEXT, &arrival },
	{ "for", 'f', "TIME", "how long it lasts (up to 1s)", TEXT, &duration },
	{ "none", 'n', NULL, "it does not come: take a hint back", FLAG, &none },
	{ "at-least", 'l', "N", "only queues whose program asked for priority N or more",
	  TEXT, &at_least },
	{ }
};

const struct command cmd_hint = {
	.name = "hint",
	.run = run_hint,
	.options = hint_options,
	.operands = "PID[:QUEUE]...",
	.summary = "tell of work that comes soon",
	.about =
		"Work comes for one queue, or for all of a process: the GPU is freed in advance. A\n"
		"hint expires by itself.",
};
