// SPDX-License-Identifier: GPL-2.0
/* gpreempt renice: another priority for processes and queues that are there. */
#include <getopt.h>
#include <stdlib.h>

#include "gpreempt.h"

/**
 * struct wish - what is to be set
 * @priority:	0 to 15 or KFD_GPREEMPT_NONE
 * @timeslice_us: likewise, 0: the level's
 * @share:	of the time: flags say which of it
 * @set_priority: was it asked for?
 * @set_timeslice: likewise
 */
struct wish {
	unsigned int priority, timeslice_us;
	struct kfd_ioctl_gpreempt_args share;
	bool set_priority, set_timeslice;
};

static int renice_process(const struct target *t, const struct wish *w)
{
	struct kfd_ioctl_gpreempt_args args = w->share;
	int r;

	args.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT;
	args.pid = t->pid;
	args.flags |= KFD_GPREEMPT_KEEP_CEILING | KFD_GPREEMPT_KEEP_TIMESLICE;
	args.process_default.ceiling = KFD_GPREEMPT_NONE;
	args.process_default.priority = w->set_priority ? w->priority : KFD_GPREEMPT_NONE;
	if (!w->set_priority)
		args.flags |= KFD_GPREEMPT_KEEP_PRIORITY;
	r = kfd_call(&args);

	if (!r)
		return 0;
	warn("process %u: %s", t->pid, kfd_error(r));
	return STATUS_FAILED;
}

static int renice_queue(const struct target *t, unsigned int priority)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PRIORITY, .pid = t->pid, .queue_id = t->queue,
		.priority.priority = priority,
	};
	int r = kfd_call(&args);

	if (r) {
		warn("queue %u:%u: %s", t->pid, t->queue, kfd_error(r));
		return STATUS_FAILED;
	}
	if (priority != KFD_GPREEMPT_NONE && args.priority.permitted < priority)
		warn("warning: queue %u:%u is served at %u: more needs CAP_SYS_NICE, or exceeds "
		     "its ceiling", t->pid, t->queue, args.priority.permitted);
	return 0;
}

static int set_timeslice(const struct target *t, unsigned int us)
{
	unsigned int *ids, n = kfd_queues(t, &ids), i;
	int status = n ? 0 : STATUS_FAILED;

	for (i = 0; i < n; i++) {
		struct kfd_ioctl_gpreempt_args args = {
			.op = KFD_GPREEMPT_OP_SET_TIMESLICE, .pid = t->pid, .queue_id = ids[i],
			.timeslice_us = us,
		};
		int r = kfd_call(&args);

		if (!r)
			continue;
		warn("queue %u:%u: %s", t->pid, ids[i], kfd_error(r));
		status = STATUS_FAILED;
	}
	free(ids);
	return status;
}

static int renice(const struct target *t, const struct wish *w)
{
	int status = 0;

	if (t->one && w->set_priority)
		status |= renice_queue(t, w->priority);
	else if (!t->one && (w->set_priority || w->share.flags))
		status |= renice_process(t, w);
	if (w->set_timeslice)
		status |= set_timeslice(t, w->timeslice_us);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cap", required_argument, NULL, 'C' },
		{ "min", required_argument, NULL, 'm' },
		{ "priority", required_argument, NULL, 'p' },
		{ "timeslice", required_argument, NULL, 't' },
		{ "weight", required_argument, NULL, 'w' },
		{ }
	};
	struct wish w = { };
	int opt, i, status = 0;

	while ((opt = getopt_long(argc, argv, "C:m:p:t:w:", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			w.priority = parse_priority(&cmd_renice, optarg);
			w.set_priority = true;
			break;
		case 't':
			w.timeslice_us = parse_timeslice(&cmd_renice, optarg);
			w.set_timeslice = true;
			break;
		case 'C':
		case 'm':
		case 'w':
			parse_share(&cmd_renice, opt, optarg, &w.share);
			break;
		default:
			bad_option(&cmd_renice);
		}
	}
	if (!w.set_priority && !w.set_timeslice && !w.share.flags)
		usage(&cmd_renice, "neither a priority nor a timeslice or a share");
	check_share(&cmd_renice, &w.share);
	if (optind == argc)
		usage(&cmd_renice, "no process and no queue");
	/* All are understood before any is changed. */
	for (i = optind; i < argc; i++)
		if (parse_target(&cmd_renice, argv[i]).one && w.share.flags)
			usage(&cmd_renice, "'%s': a share is a process's, not a queue's", argv[i]);
	for (i = optind; i < argc; i++) {
		struct target t = parse_target(&cmd_renice, argv[i]);

		if (w.set_priority && !t.one)
			warn_of_caps(w.priority);
		status |= renice(&t, &w);
	}
	return status;
}

const struct command cmd_renice = {
	.name = "renice",
	.run = run,
	.summary = "another priority for processes or queues",
	.help = "renice [--priority N] [--timeslice TIME] [--weight N] [--min PERCENT]\n"
		"       [--cap PERCENT] PID[:QUEUE]...\n\n"
		"For a queue it counts before anything else. For a process it is the default of\n"
		"its queues, those to come too, and of its children's; an earlier ceiling and\n"
		"timeslice stay.\n\n"
		"  -p, --priority N      0 to 15, or none: what the application asks for\n"
		"  -t, --timeslice TIME  of the queues that are there: 1ms to 1s, 0: their\n"
		"                        process's or level's\n"
		"  -w, --weight N        1 to 1000: part of the time, under the policy fair; as the\n"
		"                        other two of processes only\n"
		"  -m, --min PERCENT     no less of the time than this\n"
		"  -C, --cap PERCENT     and no more than that; 0: any",
};
