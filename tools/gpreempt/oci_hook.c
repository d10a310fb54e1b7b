// SPDX-License-Identifier: GPL-2.0
/* gpreempt-oci-hook: a container's cgroup has its level before the container's command runs. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "oci_state.h"

#define PROGRAM		"gpreempt-oci-hook"

static const char help[] =
	"usage: " PROGRAM " [--required] [--priority N] [--ceiling N] [--grant N]\n"
	"       [--timeslice TIME] [--weight N] [--min PERCENT] [--cap PERCENT]\n"
	"       [--annotation KEY=VALUE:N]...\n\n"
	"An OCI hook of the stage createRuntime: gives the container's cgroup what\n"
	"'gpreempt cgroup' would give it. See gpreempt-oci-hook(1).\n";

/**
 * struct mapping - a level that whoever starts a container may choose
 * @key:	of an annotation
 * @value:	of it
 * @level:	what it means
 */
struct mapping {
	const char *key, *value;
	unsigned int level;
};

/**
 * struct setup - the command line
 * @args:	what the cgroup is to have
 * @mappings:	that replace its priority and ceiling, the first one that fits
 * @count:	of @mappings
 * @required:	no container without its level
 */
struct setup {
	struct kfd_ioctl_gpreempt_args args;
	struct mapping *mappings;
	unsigned int count;
	bool required;
};

static void parse_mapping(struct setup *s, char *text)
{
	struct mapping *m;
	char *value = strchr(text, '='), *level = strrchr(text, ':');

	if (!value || value == text || level < value)
		usage(NULL, "annotation '%s' is not KEY=VALUE:N", text);
	s->mappings = xrealloc(s->mappings, (s->count + 1) * sizeof(*m));
	m = &s->mappings[s->count++];
	*value = '\0';
	*level = '\0';
	m->key = text;
	m->value = value + 1;
	m->level = parse_number(NULL, "level", level + 1, 0, 15);
}

static void set_priority(struct kfd_ioctl_gpreempt_args *args, unsigned int priority)
{
	args->process_default.priority = priority;
	args->flags &= ~KFD_GPREEMPT_KEEP_PRIORITY;
}

static void set_ceiling(struct kfd_ioctl_gpreempt_args *args, unsigned int ceiling)
{
	args->process_default.ceiling = ceiling;
	args->flags &= ~KFD_GPREEMPT_KEEP_CEILING;
}

/* A level is a ceiling, too, or a member would ask for another priority of its own. */
static void close_above(struct kfd_ioctl_gpreempt_args *args)
{
	const struct kfd_gpreempt_process_default *def = &args->process_default;
	unsigned int ceiling = def->priority;

	if (!(args->flags & KFD_GPREEMPT_KEEP_CEILING) || ceiling == KFD_GPREEMPT_NONE)
		return;
	if (args->flags & KFD_GPREEMPT_SET_GRANT && def->grant != KFD_GPREEMPT_NONE &&
	    def->grant > ceiling)
		ceiling = def->grant;
	set_ceiling(args, ceiling);
}

static bool is_within(const char *path, const char *above)
{
	size_t n = strlen(above);

	return !strncmp(path, above, n) && (!path[n] || path[n] == '/' || above[n - 1] == '/');
}

/* Of a container that has none of its own it is its engine's, or the whole machine's. */
static void cgroup_of_container(unsigned int pid, char *path, size_t size)
{
	char own[PATH_MAX];
	int r = cgroup_of_process(pid, path, size);

	if (r == -ENODATA)
		fail(STATUS_FAILED, "process %u is in no cgroup of version 2, and version 1 has no "
		     "priorities", pid);
	if (r)
		fail(STATUS_FAILED, "process %u: %s", pid,
		     r == -ENOENT ? "there is none" : strerror(-r));
	r = cgroup_of_process(getpid(), own, sizeof(own));
	if (r)
		fail(STATUS_FAILED, "the hook's own cgroup: %s", strerror(-r));
	if (is_within(own, path))
		fail(STATUS_FAILED, "it has no cgroup of its own: it is in its engine's, %s", path);
}

static bool sets_nothing(const struct kfd_ioctl_gpreempt_args *args)
{
	return args->flags == (KFD_GPREEMPT_CGROUP | KEEP_ALL);
}

static void read_options(struct setup *s, int argc, char **argv)
{
	static const struct option options[] = {
		{ "cap", required_argument, NULL, 'C' },
		{ "ceiling", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "min", required_argument, NULL, 'm' },
		{ "priority", required_argument, NULL, 'p' },
		{ "timeslice", required_argument, NULL, 't' },
		{ "weight", required_argument, NULL, 'w' },
		{ "annotation", required_argument, NULL, 'a' },
		{ "grant", required_argument, NULL, 'g' },
		{ "required", no_argument, NULL, 'r' },
		{ }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "C:c:hm:p:t:w:a:g:r", options, NULL)) != -1) {
		switch (opt) {
		case 'a':
			parse_mapping(s, optarg);
			break;
		case 'h':
			fputs(help, stdout);
			exit(0);
		case 'r':
			s->required = true;
			break;
		case '?':
			bad_option(NULL);
		default:
			parse_default(NULL, opt, optarg, &s->args);
		}
	}
	if (optind < argc)
		usage(NULL, "'%s' is too much", argv[optind]);
	if (sets_nothing(&s->args) && !s->count)
		usage(NULL, "neither a priority nor a ceiling, a grant, a timeslice, a share or an "
		      "annotation");
	check_default(NULL, &s->args);
	close_above(&s->args);
}

static void follow_annotations(struct setup *s, const struct oci_state *state)
{
	const struct mapping *m;

	for (m = s->mappings; m < s->mappings + s->count; m++) {
		if (!oci_state_has(state, m->key, m->value))
			continue;
		set_priority(&s->args, m->level);
		set_ceiling(&s->args, m->level);
		return;
	}
}

int main(int argc, char **argv)
{
	struct setup setup = { .args = CGROUP_KEEPS_ALL };
	struct oci_state state = { };
	char path[PATH_MAX];
	int r;

	messages.program = PROGRAM;
	read_options(&setup, argc, argv);
	/* What is wrong from here on is not the administrator's command line. */
	openlog(PROGRAM, LOG_PID, LOG_DAEMON);
	messages.log = true;
	/* Annotations are a part of the state: no way out for the author of a container. */
	messages.fail_status = STATUS_FAILED;
	oci_state_read(&state);
	messages.fail_status = setup.required ? STATUS_FAILED : 0;
	follow_annotations(&setup, &state);
	if (sets_nothing(&setup.args))
		return 0;
	cgroup_of_container(state.pid, path, sizeof(path));
	r = cgroup_set(path, &setup.args);
	if (r == -ENOSPC && !setup.required) {
		/* Else the ceiling would end with so many containers, whoever has started them. */
		warn("%s: no minimum: %s", path, cgroup_error(r));
		setup.args.flags &= ~KFD_GPREEMPT_SET_MIN;
		setup.args.process_default.min_percent = 0;
		r = cgroup_set(path, &setup.args);
	}
	if (r)
		fail(STATUS_FAILED, "%s: %s", path, cgroup_error(r));
	return 0;
}
