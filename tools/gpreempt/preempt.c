// SPDX-License-Identifier: GPL-2.0
/* gpreempt preempt, resume and hint: queues off the hardware, and back; room for work that comes. */
#include <errno.h>
#include <getopt.h>
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

static int ask_all(const struct command *cmd, const struct kfd_ioctl_gpreempt_args *args,
		   int argc, char **argv)
{
	int i, status = 0;

	if (optind == argc && !(args->flags & KFD_GPREEMPT_BELOW))
		usage(cmd, "no process and no queue");
	/* All are understood before any is touched. */
	for (i = optind; i < argc; i++)
		if (parse_target(cmd, argv[i]).one && args->flags & CHOICES)
			usage(cmd, "'%s' is one queue, and a level chooses of a process's", argv[i]);
	if (optind == argc)
		return ask_everybody(args);
	for (i = optind; i < argc; i++) {
		struct target t = parse_target(cmd, argv[i]);

		status |= ask(&t, args);
	}
	return status;
}

static void set_level(const struct command *cmd, struct kfd_ioctl_gpreempt_args *args,
		      __u32 flag, const char *what, const char *text)
{
	args->flags |= flag;
	args->level = parse_number(cmd, what, text, 0, 15);
}

static unsigned int parse_wait(const struct command *cmd, const char *text)
{
	return !strcmp(text, "0") ? 0 :
	       parse_time_us(cmd, "wait", text, 1000, KFD_GPREEMPT_WAIT_MS_MAX * 1000) / 1000;
}

static int run(const struct command *cmd, struct kfd_ioctl_gpreempt_args *args, int argc,
	       char **argv)
{
	/* resume has no --hold */
	static const struct option options[] = {
		{ "hold", optional_argument, NULL, 'H' },
		{ "wait", required_argument, NULL, 'w' },
		{ "below", required_argument, NULL, 'b' },
		{ }
	};
	int opt;

	args->preempt.wait_ms = 1000;
	while ((opt = getopt_long(argc, argv, "w:b:", options + (cmd == &cmd_resume), NULL)) != -1) {
		switch (opt) {
		case 'w':
			args->preempt.wait_ms = parse_wait(cmd, optarg);
			break;
		case 'b':
			set_level(cmd, args, KFD_GPREEMPT_BELOW, "level", optarg);
			break;
		case 'H':
			args->flags |= KFD_GPREEMPT_HOLD;
			if (!optarg)
				break;
			args->preempt.hold_ms = parse_time_us(cmd, "hold", optarg, 1000,
							      KFD_GPREEMPT_HOLD_MS_MAX * 1000U) /
						1000;
			break;
		default:
			bad_option(cmd);
		}
	}
	if (args->preempt.wait_ms)
		args->flags |= KFD_GPREEMPT_WAIT;
	return ask_all(cmd, args, argc, argv);
}

static int run_preempt(int argc, char **argv)
{
	struct kfd_ioctl_gpreempt_args args = { .op = KFD_GPREEMPT_OP_PREEMPT };

	return run(&cmd_preempt, &args, argc, argv);
}

static int run_resume(int argc, char **argv)
{
	struct kfd_ioctl_gpreempt_args args = { .op = KFD_GPREEMPT_OP_RESUME };

	return run(&cmd_resume, &args, argc, argv);
}

static int run_hint(int argc, char **argv)
{
	static const struct option options[] = {
		{ "in", required_argument, NULL, 'i' },
		{ "for", required_argument, NULL, 'f' },
		{ "none", no_argument, NULL, 'n' },
		{ "at-least", required_argument, NULL, 'l' },
		{ }
	};
	struct kfd_ioctl_gpreempt_args args = { .op = KFD_GPREEMPT_OP_HINT };
	struct kfd_gpreempt_hint *hint = &args.hint;
	bool none = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "i:f:nl:", options, NULL)) != -1) {
		switch (opt) {
		case 'i':
			hint->arrival_us = parse_time_us(&cmd_hint, "arrival", optarg, 1,
							 KFD_GPREEMPT_HINT_US_MAX);
			break;
		case 'f':
			hint->duration_us = parse_time_us(&cmd_hint, "duration", optarg, 1,
							  KFD_GPREEMPT_HINT_US_MAX);
			break;
		case 'n':
			none = true;
			break;
		case 'l':
			set_level(&cmd_hint, &args, KFD_GPREEMPT_AT_LEAST, "level", optarg);
			break;
		default:
			bad_option(&cmd_hint);
		}
	}
	if (none && (hint->arrival_us || hint->duration_us))
		usage(&cmd_hint, "--none takes a hint back, and has no times");
	if (!none && !hint->duration_us)
		usage(&cmd_hint, "no --for: how long will the work last?");
	return ask_all(&cmd_hint, &args, argc, argv);
}

const struct command cmd_preempt = {
	.name = "preempt",
	.run = run_preempt,
	.summary = "take queues off the GPU",
	.help = "preempt [--hold[=TIME]] [--wait TIME] [--below N] PID[:QUEUE]...\n"
		"       gpreempt preempt [--hold[=TIME]] [--wait TIME] --below N\n\n"
		"Takes one queue, or all of a process, off the GPU: until its turn comes, or with\n"
		"--hold until 'gpreempt resume'. Returns when it is done.\n\n"
		"      --hold[=TIME]  keep it off, for TIME at most (up to 1 h); without TIME\n"
		"                     that needs CAP_SYS_NICE\n"
		"  -w, --wait TIME    give up after that time (default 1s), 0: do not wait\n"
		"  -b, --below N      only queues that are served below level N (0 to 15); without\n"
		"                     PID everybody's that you may control, and as root that is\n"
		"                     everybody's",
};

const struct command cmd_resume = {
	.name = "resume",
	.run = run_resume,
	.summary = "put them back",
	.help = "resume [--wait TIME] [--below N] PID[:QUEUE]...\n"
		"       gpreempt resume [--wait TIME] --below N\n\n"
		"Ends a hold, or a preemption that is under way. Returns when the queue is back.\n\n"
		"  -w, --wait TIME  give up after that time (default 1s), 0: do not wait\n"
		"  -b, --below N    as of preempt",
};

const struct command cmd_hint = {
	.name = "hint",
	.run = run_hint,
	.summary = "tell of work that comes soon",
	.help = "hint [--in TIME] --for TIME [--at-least N] PID[:QUEUE]...\n"
		"       gpreempt hint --none [--at-least N] PID[:QUEUE]...\n\n"
		"Work comes for one queue, or for all of a process: the GPU is freed in advance. A\n"
		"hint expires by itself.\n\n"
		"  -i, --in TIME     when it comes (up to 1s; default: now)\n"
		"  -f, --for TIME    how long it lasts (up to 1s)\n"
		"  -n, --none        it does not come: take a hint back\n"
		"  -l, --at-least N  only queues whose program asked for priority N or more",
};
