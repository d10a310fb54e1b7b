// SPDX-License-Identifier: GPL-2.0
/* Arguments. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>
#include <sys/param.h>

#include "gpreempt.h"

/* Only digits: strtoul() takes signs, blanks and wraps around. */
static bool number(const char *text, const char **end, unsigned long long *value)
{
	char *after;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &after, 10);
	*end = after;
	return !errno;
}

unsigned int parse_number(const char *what, const char *text, unsigned int min, unsigned int max)
{
	unsigned long long value;
	const char *end;

	if (!number(text, &end, &value) || *end || value < min || value > max)
		usage("%s '%s' is not a number from %u to %u", what, text, min, max);
	return value;
}

static unsigned int parse_priority(const char *text)
{
	return !strcmp(text, "none") ? KFD_GPREEMPT_NONE : parse_number("priority", text, 0, 15);
}

/* A positive number and its unit, in us; negative if it is none. */
static double time_us(const char *text, double no_unit)
{
	static const struct {
		const char *name;
		double us;
	} units[] = { { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { "min", 60e6 } };
	size_t digits = strspn(text, "0123456789.");
	unsigned int i;
	char *end;
	double value = strtod(text, &end);

	/* strtod() takes more than numbers */
	if (!digits || end != text + digits)
		return -1;
	if (!*end)
		return value * no_unit;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].name))
			return value * units[i].us;
	return -1;
}

unsigned int parse_time_us(const char *what, const char *text, unsigned int min, unsigned int max)
{
	double us = time_us(text, -1);

	if (us < 0)
		usage("%s '%s' is not a time with unit, as 500us, 2ms or 1.5s", what, text);
	if (us < min || us > max)
		usage("%s %s is not within %g to %g ms", what, text, min / 1e3, max / 1e3);
	return us;
}

static double parse_seconds(const char *what, const char *text)
{
	double us = time_us(text, 1e6);

	if (us < 1e4 || us > 1e12)
		usage("%s '%s' is not a time from 10 ms on, as 2, 0.5 or 500ms", what, text);
	return us / 1e6;
}

struct target parse_target(const char *text)
{
	unsigned long long pid, queue = 0;
	const char *end;
	struct target t = { };

	if (!number(text, &end, &pid) || !pid || pid > INT_MAX)
		goto bad;
	t.one = *end == ':';
	if (t.one && !number(end + 1, &end, &queue))
		goto bad;
	if (*end || queue > INT_MAX)
		goto bad;
	t.pid = pid;
	t.queue = queue;
	return t;
bad:
	usage("'%s' is neither a process (PID) nor a queue (PID:QUEUE)", text);
}

/* What a default consists of, which stays as it was in what is not named. */
static const struct option_of of_default[] = {
	{ "priority", 'p', "N", "0 to 15, 15 highest; or none: what the program asks for", DEFAULT },
	{ "ceiling", 'c', "N", "no higher than this, even if somebody sets one more; or none", DEFAULT },
	{ "grant", 'g', "N", "the members may ask for up to this without CAP_SYS_NICE, even if\n"
	  "that is above the GPU's priority_cap; or none", DEFAULT },
	{ "timeslice", 't', "TIME", "the turn among equals, 1ms to 1s, 0: none of its own; more than\n"
	  "the level's counts with CAP_SYS_NICE only", DEFAULT },
	{ "weight", 'w', "N", "1 to 1000: part of the time, under the policy fair", DEFAULT },
	{ "min", 'm', "PERCENT", "no less of the time than this", DEFAULT },
	{ "cap", 'C', "PERCENT", "and no more than that; 0: any", DEFAULT },
};

static void parse_default(int letter, const char *text, struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_gpreempt_process_default *def = &args->process_default;
	bool cgroup = args->flags & KFD_GPREEMPT_CGROUP;

	switch (letter) {
	case 'p':
		def->priority = parse_priority(text);
		args->flags &= ~KFD_GPREEMPT_KEEP_PRIORITY;
		break;
	case 'c':
		def->ceiling = parse_priority(text);
		args->flags &= ~KFD_GPREEMPT_KEEP_CEILING;
		break;
	case 'g':
		def->grant = parse_priority(text);
		args->flags |= KFD_GPREEMPT_SET_GRANT;
		break;
	case 't':
		def->timeslice_us = !strcmp(text, "0") ? 0 :
			parse_time_us("timeslice", text, KFD_GPREEMPT_TIMESLICE_US_MIN,
				      KFD_GPREEMPT_TIMESLICE_US_MAX);
		args->flags &= ~KFD_GPREEMPT_KEEP_TIMESLICE;
		break;
	case 'w':
		def->weight = parse_number("weight", text, cgroup ? 0 : 1, KFD_GPREEMPT_WEIGHT_MAX);
		args->flags |= KFD_GPREEMPT_SET_WEIGHT;
		break;
	case 'm':
		def->min_percent = parse_number("minimum", text, 0, 100);
		args->flags |= KFD_GPREEMPT_SET_MIN;
		break;
	case 'C':
		def->cap_percent = parse_number("cap", text, 0, 100);
		args->flags |= KFD_GPREEMPT_SET_CAP;
		break;
	}
}

/* All options of a command, of which only a cgroup takes a grant. Returns how many they are. */
static unsigned int options_of(const struct command *cmd, const struct option_of **options)
{
	const struct option_of *o;
	unsigned int n = 0;

	for (o = of_default; cmd->given && o < of_default + ARRAY_SIZE(of_default); o++)
		if (o->letter != 'g' || cmd->given->flags & KFD_GPREEMPT_CGROUP)
			options[n++] = o;
	for (o = cmd->options; o && o->name; o++)
		options[n++] = o;
	return n;
}

static void __attribute__((noreturn)) help_of(const struct command *cmd,
					      const struct option_of **options, unsigned int n)
{
	const char *line, *end, *command = messages.command;
	unsigned int i;
	char left[32];
	int width = 0;

	printf("usage: %s%s%s [OPTION...]%s%s\n\n%s\n", messages.program, command ? " " : "",
	       command ?: "", cmd->operands ? " " : "", cmd->operands ?: "", cmd->about);
	for (i = 0; i < n; i++)
		width = MAX(width, (int)(strlen(options[i]->name) +
					 strlen(options[i]->value ?: "") + 3));
	for (i = 0; i < n; i++) {
		const struct option_of *o = options[i];

		snprintf(left, sizeof(left), "--%s%s%s", o->name,
			 o->value && *o->value != '[' ? " " : "", o->value ?: "");
		printf(!i ? "\n" : "");
		printf(o->letter == 1 ? "      " : "  -%c, ", o->letter);
		for (line = o->help; line; line = *end ? end + 1 : NULL) {
			end = strchrnul(line, '\n');
			printf("%*s%-*s  %.*s\n", line == o->help ? 0 : 6, "", width,
			       line == o->help ? left : "", (int)(end - line), line);
		}
	}
	if (cmd->notes)
		printf("\n%s\n", cmd->notes);
	exit(0);
}

static void carry_out(const struct command *cmd, const struct option_of *o, const char *text)
{
	switch (o->kind) {
	case FLAG:
		*(bool *)o->to = true;
		break;
	case TEXT:
		*(const char **)o->to = text ?: "";
		break;
	case SECONDS:
		*(double *)o->to = parse_seconds(o->name, text);
		break;
	case CALL:
		((void (*)(const char *text))o->to)(text);
		break;
	case DEFAULT:
		parse_default(o->letter, text, cmd->given);
	}
}

int parse_options(const struct command *cmd, int argc, char **argv)
{
	char letters[48], *end = stpcpy(letters, cmd->has_command ? "+h" : "h");
	struct option longs[20] = { { "help", no_argument, NULL, 'h' } };
	const struct option_of *options[ARRAY_SIZE(longs)];
	unsigned int n = options_of(cmd, options), i;
	const struct kfd_gpreempt_process_default *def = cmd->given ?
		&cmd->given->process_default : NULL;
	int letter;

	for (i = 0; i < n; i++) {
		const struct option_of *o = options[i];

		longs[i + 1] = (struct option) {
			o->name, !o->value ? no_argument : *o->value == '[' ? optional_argument :
			required_argument, NULL, o->letter
		};
		if (o->letter != 1)
			end += sprintf(end, "%c%s", o->letter, o->value ? ":" : "");
	}
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (letter == 'h')
			help_of(cmd, options, n);
		for (i = 0; i < n && options[i]->letter != letter; i++)
			;
		if (i == n)
			bad_option();
		carry_out(cmd, options[i], optarg);
	}
	if (optind < argc && !cmd->operands)
		usage("'%s' is too much", argv[optind]);
	if (def && def->cap_percent && def->cap_percent < def->min_percent)
		usage("the cap %u %% is below the minimum %u %%", def->cap_percent, def->min_percent);
	return optind;
}
