// SPDX-License-Identifier: GPL-2.0
/* gpreempt run: a command whose queues, and those of its children, have a default. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

/* As env, nice and timeout have them: of this program, and of a command that cannot run. */
#define EXIT_OWN	125
#define EXIT_NO_EXEC	126
#define EXIT_NOT_FOUND	127

/* In a child: the process that becomes the command is to have the default. */
static int set_default(struct kfd_ioctl_gpreempt_args *args)
{
	int r = kfd_call(args);

	if (r)
		fail(EXIT_OWN, "/dev/kfd: %s", kfd_error(r));
	/* For what outlives its parent. Most users may not make one. */
	r = cgroup_enter_new(args->pid, args);
	if (r && r != -ENODATA && (!geteuid() || (r != -EACCES && r != -EPERM)))
		warn("warning: no cgroup for the command: %s; a process that outlives its parent loses "
		     "what it was given", cgroup_error(r));
	return 0;
}

static struct kfd_ioctl_gpreempt_args args = {
	.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
	.process_default = { KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE },
};

static bool streams;

static int run(const struct command *cmd, int argc, char **argv)
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
	if (given) {
		args.pid = getpid();
		error = -in_child(set_default, &args);
		/* of its own failure the child has told */
		if (error && error != EXIT_OWN)
			warn("fork: %s", strerror(error));
		if (error)
			return EXIT_OWN;
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
	{ "streams", 'S', NULL, "HIP asks for the priorities of its streams, which it ignores\n"
	  "otherwise (" HIP_SWITCH "=0)", FLAG, &streams },
	{ }
};

const struct command cmd_run = {
	.name = "run",
	.run = run,
	.given = &args,
	.options = options,
	.operands = "[--] COMMAND [ARGUMENT...]",
	.has_command = true,
	.failure = EXIT_OWN,
	.summary = "run a command at a priority, as nice does",
	.about = "Runs COMMAND; the compute queues that it and its children make are served at\n"
		"priority N, whatever they ask for. If the caller may make a cgroup below its own,\n"
		"that holds of everything that COMMAND starts, also if it outlives its parent.",
	.notes = "Exit status: the command's; 127 if it is not found, 126 if it cannot be run,\n"
		"125 if gpreempt itself fails.",
};
