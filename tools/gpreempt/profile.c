// SPDX-License-Identifier: GPL-2.0
/* gpreempt profile: settings that belong together, by one name. */
#include <string.h>

#include "gpreempt.h"

/* The policy is there before it decides anything. */
static const struct profile {
	const char *name, *about;
	const char *const settings[3];
} profiles[] = {
	{ "serve", "what has a higher priority runs first, and lower work on what it leaves",
	  { "policy=strict", "enable=1" } },
	{ "share", "the same, and processes of one priority share the time by weight",
	  { "policy=fair", "enable=1" } },
	{ "off", "as without GPREEMPT", { "enable=0" } },
};

const char *const *profile_settings(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!strcmp(profiles[i].name, name))
			return profiles[i].settings;
	return NULL;
}

static void list(void)
{
	const char *const *s;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(profiles); i++) {
		printf("%-6s %s:\n      ", profiles[i].name, profiles[i].about);
		for (s = profiles[i].settings; *s; s++)
			printf(" %s", *s);
		putchar('\n');
	}
}

/* Nobody's own settings are lost: they may be there for a reason. */
static bool may_replace(void)
{
	char there[128];

	read_text(there, sizeof(there), CONFIGURED);
	return !*there || (!strncmp(there, PROFILE, strlen(PROFILE)) &&
			   profile_settings(there + strlen(PROFILE)));
}

static int keep(const char *name)
{
	if (!may_replace()) {
		warn("warning: %s has settings of its own, and stays as it is: write " PROFILE "%s there "
		     "to have it after the next boot", CONFIGURED, name);
		return STATUS_FAILED;
	}
	fprintf(output_open(CONFIGURED), PROFILE "%s\n", name);
	output_close();
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	int status;

	if (!argc) {
		list();
		return 0;
	}
	if (argc > 1)
		usage("'%s' is too much", argv[1]);
	if (!profile_settings(argv[0]))
		usage("there is no profile '%s'; 'gpreempt profile' lists them", argv[0]);
	status = settings_apply("all", profile_settings(argv[0]));
	return status | keep(argv[0]);
}

const struct command cmd_profile = {
	.name = "profile",
	.run = run,
	.operands = "[NAME]",
	.summary = "settings that belong together: serve, share, off",
	.about = "Sets a profile's values on all GPUs, and writes profile=NAME to " CONFIGURED "\n"
		"so that they last. Without NAME it lists the profiles and what each sets.",
};
