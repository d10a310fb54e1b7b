// SPDX-License-Identifier: GPL-2.0
/* gpreempt renice: another priority for processes and queues that are there. */
#include <getopt.h>
#include <stdlib.h>

#include "gpreempt.h"

/**
 * struct wish - what is to be set
 * @priority:	0 to 15 or KFD_GPREEMPT_NONE
 * @timeslice_us: likewise, 0: the level's
 * @set_priority: was it asked for?
 * @set_timeslice: likewise
 */
struct wish {
	unsigned int priority, timeslice_us;
	bool set_priority, set_timeslice;
};

static int renice_process(const struct target *t, unsigned int priority)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .pid = t->pid,
		.flags = KFD_GPREEMPT_KEEP_CEILING | KFD_GPREEMPT_KEEP_TIMESLICE,
		.process_default = { priority, KFD_GPREEMPT_NONE },
	};
	int r = kfd_call(&args);

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

	if (w->set_priority)
		status |= (t->one ? renice_queue : renice_process)(t, w->priority);
	if (w->set_timeslice)
		status |= set_timeslice(t, w->timeslice_us);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "priority", required_argument, NULL, 'p' },
		{ "timeslice", required_argument, NULL, 't' },
		{ }
	};
	struct wish w = { };
	int opt, i, status = 0;

	while ((opt = getopt_long(argc, argv, "p:t:", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			w.priority = parse_priority(&cmd_renice, optarg);
			w.set_priority = true;
			break;
		case 't':
			w.timeslice_us = parse_timeslice(&cmd_renice, optarg);
			w.set_timeslice = true;
			break;
		default:
			bad_option(&cmd_renice);
		}
	}
	if (!w.set_priority && !w.set_timeslice)
		usage(&cmd_renice, "neither --priority nor --timeslice");
	if (optind == argc)
		usage(&cmd_renice, "no process and no queue");
	/* All are understood before any is changed. */
	for (i = optind; i < argc; i++)
		parse_target(&cmd_renice, argv[i]);
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
	.help = "renice [--priority N] [--timeslice TIME] PID[:QUEUE]...\n\n"
		"For a queue it counts before anything else. For a process it is the default of\n"
		"its queues, those to come too, and of its children's, and takes the place of an\n"
		"earlier default, of its ceiling and its timeslice.\n\n"
		"  -p, --priority N      0 to 15, or none: what the application asks for\n"
		"  -t, --timeslice TIME  of the queues that are there: 1ms to 1s, 0: their\n"
		"                        process's or level's",
};
