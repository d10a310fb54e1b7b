// SPDX-License-Identifier: GPL-2.0
/* gpreempt: priority of AMD GPU compute queues, for the operator. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

static const struct command *const commands[] = {
	&cmd_status, &cmd_top, &cmd_run, &cmd_renice, &cmd_preempt, &cmd_resume, &cmd_hint,
	&cmd_cgroup, &cmd_get, &cmd_set, &cmd_profile, &cmd_record, &cmd_metrics, &cmd_report,
};

static void help(void)
{
	unsigned int i;

	puts("usage: gpreempt COMMAND [OPTION...] [ARGUMENT...]\n\n"
	     "Priority of AMD GPU compute queues: see it, set it, record what it does.\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n"
	     "  -h, --help     this, or with a command, its options\n"
	     "  -V, --version  version of this program\n\n"
	     "Exit status: 0 done, 1 failed, 2 wrong usage, 3 no GPREEMPT here, 4 status found\n"
	     "a GPU on which it gave up. That of run is the command's, or 125, 126, 127.\n"
	     "See gpreempt(1).");
}

static bool is(const char *arg, const char *shrt, const char *lng)
{
	return !strcmp(arg, shrt) || !strcmp(arg, lng);
}

/* What could not be written was not done. */
static void check_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	warn("standard output: %s", strerror(errno));
	_exit(exit_status(STATUS_FAILED));
}

int main(int argc, char **argv)
{
	static char name[32];
	unsigned int i;
	int words;

	atexit(check_output);
	/* Who ignores it, and that is inherited, does not learn how a child ended. */
	signal(SIGCHLD, SIG_DFL);
	if (argc < 2)
		usage("no command");
	if (is(argv[1], "-h", "--help") || !strcmp(argv[1], "help")) {
		help();
		return 0;
	}
	if (is(argv[1], "-V", "--version")) {
		printf("gpreempt %s\n", VERSION);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[1], commands[i]->name))
			continue;
		messages.command = argv[1];
		if (commands[i]->failure)
			messages.fail_status = commands[i]->failure;
		/* for getopt's messages */
		snprintf(name, sizeof(name), "gpreempt %s", argv[1]);
		*++argv = name;
		words = parse_options(commands[i], --argc, argv);
		return commands[i]->run(commands[i], argc - words, argv + words);
	}
	usage("'%s' is not a command", argv[1]);
}
