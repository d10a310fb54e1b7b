// SPDX-License-Identifier: GPL-2.0
/* Arguments. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>
#include <sys/param.h>

#include "gpreempt.h"

#define PRIORITY_MAX	15

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

unsigned int parse_priority(const char *text)
{
	unsigned long long value;
	const char *end;

	if (!strcmp(text, "none"))
		return KFD_GPREEMPT_NONE;
	if (!number(text, &end, &value) || *end || value > PRIORITY_MAX)
		usage("priority '%s' is neither a number from 0 (lowest) to %d nor 'none'", text,
		      PRIORITY_MAX);
	return value;
}

/* A positive number and its unit, in us; negative if it is none. */
static double time_us(const char *text, double no_unit)
{
	static const struct {
		const char *name;
		double us;
	} units[] = { { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { "min", 60e6 } };
	double value;
	unsigned int i;
	char *end;

	/* strtod() takes more than numbers */
	if (strspn(text, "0123456789.") == 0)
		return -1;
	value = strtod(text, &end);
	if (end == text || strspn(text, "0123456789.") != (size_t)(end - text))
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

unsigned int parse_timeslice(const char *text)
{
	/* none of its own */
	if (text[0] == '0' && !text[1])
		return 0;
	return parse_time_us("timeslice", text, KFD_GPREEMPT_TIMESLICE_US_MIN,
			     KFD_GPREEMPT_TIMESLICE_US_MAX);
}

void parse_default(int option, const char *text, struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_gpreempt_process_default *def = &args->process_default;
	bool cgroup = args->flags & KFD_GPREEMPT_CGROUP;

	switch (option) {
	case 'c':
		def->ceiling = parse_priority(text);
		args->flags &= ~KFD_GPREEMPT_KEEP_CEILING;
		break;
	case 'g':
		def->grant = parse_priority(text);
		args->flags |= KFD_GPREEMPT_SET_GRANT;
		break;
	case 'p':
		def->priority = parse_priority(text);
		args->flags &= ~KFD_GPREEMPT_KEEP_PRIORITY;
		break;
	case 't':
		def->timeslice_us = parse_timeslice(text);
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

void check_default(const struct kfd_ioctl_gpreempt_args *args)
{
	const struct kfd_gpreempt_process_default *def = &args->process_default;

	if (def->cap_percent && def->cap_percent < def->min_percent)
		usage("the cap %u %% is below the minimum %u %%", def->cap_percent, def->min_percent);
}

double parse_seconds(const char *what, const char *text)
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

static void __attribute__((noreturn)) help_of(const struct command *cmd)
{
	const struct option_of *o;
	const char *line, *end;
	char left[32];
	int width = 0;

	printf("usage: %s %s\n\n%s\n", messages.program, cmd->usage, cmd->about);
	for (o = cmd->options; o && o->name; o++)
		width = MAX(width, (int)(strlen(o->name) + strlen(o->value ?: "") + 3));
	for (o = cmd->options; o && o->name && o->help; o++) {
		snprintf(left, sizeof(left), "--%s%s%s", o->name,
			 o->value && *o->value != '[' ? " " : "", o->value ?: "");
		printf(o == cmd->options ? "\n" : "");
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
	case DEFAULT:
		parse_default(o->letter, text, o->to);
		break;
	case CALL:
		((void (*)(const char *text))o->to)(text);
	}
}

int parse_options(const struct command *cmd, int argc, char **argv)
{
	char letters[48], *end = stpcpy(letters, cmd->has_command ? "+h" : "h");
	struct option longs[16] = { { "help", no_argument, NULL, 'h' } };
	const struct option_of *o;
	int n = 1, letter;

	for (o = cmd->options; o && o->name; o++) {
		longs[n++] = (struct option) {
			o->name, !o->value ? no_argument : *o->value == '[' ? optional_argument :
			required_argument, NULL, o->letter
		};
		if (o->letter != 1)
			end += sprintf(end, "%c%s", o->letter, o->value ? ":" : "");
	}
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (letter == 'h')
			help_of(cmd);
		for (o = cmd->options; o && o->name && o->letter != letter; o++)
			;
		if (!o || !o->name)
			bad_option();
		carry_out(cmd, o, optarg);
	}
	if (optind < argc && !cmd->operands)
		usage("'%s' is too much", argv[optind]);
	return optind;
}
