// SPDX-License-Identifier: GPL-2.0
/* gpreempt preempt, gpreempt resume: queues off the hardware, and back. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "gpreempt.h"

static int ask(const struct target *t, const struct kfd_ioctl_gpreempt_args *what)
{
	unsigned int *ids, n = kfd_queues(t, &ids), i;
	int status = n ? 0 : STATUS_FAILED;

	for (i = 0; i < n; i++) {
		struct kfd_ioctl_gpreempt_args args = *what;
		int r;

		args.pid = t->pid;
		args.queue_id = ids[i];
		r = kfd_call(&args);
		if (!r)
			continue;
		warn("queue %u:%u: %s", t->pid, ids[i], kfd_error(r));
		status = STATUS_FAILED;
	}
	free(ids);
	return status;
}

static unsigned int parse_wait(const struct command *cmd, const char *text)
{
	return !strcmp(text, "0") ? 0 :
	       parse_time_us(cmd, "wait", text, 1000, KFD_GPREEMPT_WAIT_MS_MAX * 1000) / 1000;
}

static int run(const struct command *cmd, struct kfd_ioctl_gpreempt_args *args, int argc,
	       char **argv)
{
	static const struct option options[] = {
		{ "wait", required_argument, NULL, 'w' },
		{ "hold", optional_argument, NULL, 'H' },
		{ }
	};
	/* resume has no --hold */
	const struct option *known = cmd == &cmd_preempt ? options : (const struct option[]) {
		options[0], { } };
	int opt, i, status = 0;

	args->preempt.wait_ms = 1000;
	while ((opt = getopt_long(argc, argv, "w:", known, NULL)) != -1) {
		switch (opt) {
		case 'w':
			args->preempt.wait_ms = parse_wait(cmd, optarg);
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
	if (optind == argc)
		usage(cmd, "no process and no queue");
	if (args->preempt.wait_ms)
		args->flags |= KFD_GPREEMPT_WAIT;
	/* All are understood before any is touched. */
	for (i = optind; i < argc; i++)
		parse_target(cmd, argv[i]);
	for (i = optind; i < argc; i++) {
		struct target t = parse_target(cmd, argv[i]);

		status |= ask(&t, args);
	}
	return status;
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

const struct command cmd_preempt = {
	.name = "preempt",
	.run = run_preempt,
	.summary = "take queues off the GPU",
	.help = "preempt [--hold[=TIME]] [--wait TIME] PID[:QUEUE]...\n\n"
		"Takes one queue, or all of a process, off the GPU: until its turn comes, or with\n"
		"--hold until 'gpreempt resume'. Returns when it is done.\n\n"
		"      --hold[=TIME]  keep it off, for TIME at most (up to 1 h); without TIME\n"
		"                     that needs CAP_SYS_NICE\n"
		"  -w, --wait TIME    give up after that time (default 1s), 0: do not wait",
};

const struct command cmd_resume = {
	.name = "resume",
	.run = run_resume,
	.summary = "put them back",
	.help = "resume [--wait TIME] PID[:QUEUE]...\n\n"
		"Ends a hold, or a preemption that is under way. Returns when the queue is back.\n\n"
		"  -w, --wait TIME  give up after that time (default 1s), 0: do not wait",
};
