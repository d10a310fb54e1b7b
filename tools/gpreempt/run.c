// SPDX-License-Identifier: GPL-2.0
/* gpreempt run: a command whose queues, and those of its children, have a default. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpreempt.h"

/* As env, nice and timeout have them: of this program, and of a command that cannot run. */
#define EXIT_OWN	125
#define EXIT_NO_EXEC	126
#define EXIT_NOT_FOUND	127

/* In a child: give its parent the default. */
static int set_default(unsigned int parent, struct kfd_ioctl_gpreempt_args *args)
{
	int r;

	args->pid = parent;
	r = kfd_call(args);
	if (r)
		fail(EXIT_OWN, "/dev/kfd: %s", kfd_error(r));
	/* For what outlives its parent. Most users may not make one. */
	r = cgroup_enter_new(parent, args);
	if (r && r != -ENODATA && (!geteuid() || (r != -EACCES && r != -EPERM)))
		warn("warning: no cgroup for the command: %s; a process that outlives its parent loses "
		     "what it was given", cgroup_error(r));
	return 0;
}

/*
 * A child opens /dev/kfd, as KFD has a record of whoever did until some time after
 * its exec, and the command would find one of its number that is being taken down.
 */
static void set_own_default(struct kfd_ioctl_gpreempt_args *args)
{
	unsigned int self = getpid();
	pid_t child = fork();
	int status;

	if (child < 0)
		fail(EXIT_OWN, "fork: %s", strerror(errno));
	if (!child)
		exit(set_default(self, args));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			fail(EXIT_OWN, "wait: %s", strerror(errno));
	if (status)
		exit(EXIT_OWN);
}

static struct kfd_ioctl_gpreempt_args args = {
	.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
	.process_default = { KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE },
};

static bool streams;

static int run(int argc, char **argv)
{
	const struct kfd_gpreempt_process_default *def = &args.process_default;
	bool given;
	int error;

	if (!argc)
		usage("no command to run");
	given = def->priority != KFD_GPREEMPT_NONE || def->ceiling != KFD_GPREEMPT_NONE ||
		def->timeslice_us || args.flags;
	if (!given && !streams)
		usage("neither a priority nor a ceiling, a timeslice, a share or streams");
	if (streams && def->priority != KFD_GPREEMPT_NONE)
		usage("with --priority all queues are served alike, streams or not; "
		      "--ceiling lets them differ below it");
	check_default(&args);
	if (given) {
		set_own_default(&args);
		warn_of_caps(def->priority);
	}
	if (streams)
		setenv(HIP_SWITCH, "0", 1);
	execvp(argv[0], argv);
	error = errno;
	warn("%s: %s", argv[0], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NO_EXEC;
}

static const struct option_of options[] = {
	{ "priority", 'p', "N", "0 to 15, 15 highest", DEFAULT, &args },
	{ "ceiling", 'c', "N", "no higher than this, even if somebody sets one more",
	  DEFAULT, &args },
	{ "timeslice", 't', "TIME", "their turn among equals, 1ms to 1s; more than their level's\n"
	  "counts with CAP_SYS_NICE only", DEFAULT, &args },
	{ "weight", 'w', "N", "1 to 1000, 100 if not set: part of the time, under the\npolicy fair",
	  DEFAULT, &args },
	{ "min", 'm', "PERCENT", "no less of the time than this, of COMMAND itself",
	  DEFAULT, &args },
	{ "cap", 'C', "PERCENT", "and no more than that, of each process; 0: any", DEFAULT, &args },
	{ "streams", 'S', NULL, "HIP asks for the priorities of its streams, which it ignores\n"
	  "otherwise (" HIP_SWITCH "=0)", FLAG, &streams },
	{ }
};

const struct command cmd_run = {
	.name = "run",
	.run = run,
	.options = options,
	.operands = true,
	.has_command = true,
	.failure = EXIT_OWN,
	.summary = "run a command at a priority, as nice does",
	.usage =
		"run [--priority N] [--ceiling N] [--timeslice TIME] [--weight N] [--min PERCENT]\n"
		"    [--cap PERCENT] [--streams] [--] COMMAND [ARGUMENT...]",
	.about = "Runs COMMAND; the compute queues that it and its children make are served at\n"
		"priority N, whatever they ask for. If the caller may make a cgroup below its own,\n"
		"that holds of everything that COMMAND starts, also if it outlives its parent.",
	.notes = "Exit status: the command's; 127 if it is not found, 126 if it cannot be run,\n"
		"125 if gpreempt itself fails.",
};
