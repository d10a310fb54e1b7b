// SPDX-License-Identifier: GPL-2.0
/* gpreempt-oci-hook: a container's cgroup has its level before the container's command runs. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "oci_state.h"

#define PROGRAM		"gpreempt-oci-hook"

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

/* What the cgroup is to have. */
static struct kfd_ioctl_gpreempt_args given = CGROUP_KEEPS_ALL;
/* They replace its priority and ceiling, the first one that fits. */
static struct mapping *mappings;
static unsigned int count;
/* No container without its level. */
static bool required;

static void add_mapping(const char *option)
{
	char *text = strdup(option), *value = strchr(text, '='), *level = strrchr(text, ':');

	if (!value || value == text || level < value)
		usage("annotation '%s' is not KEY=VALUE:N", text);
	*value = '\0';
	*level = '\0';
	mappings = xrealloc(mappings, (count + 1) * sizeof(*mappings));
	mappings[count++] = (struct mapping) {
		text, value + 1, parse_number("level", level + 1, 0, 15)
	};
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

static bool sets_nothing(void)
{
	return given.flags == (KFD_GPREEMPT_CGROUP | KEEP_ALL);
}

static const struct option_of options[] = {
	{ "annotation", 'a', "KEY=VALUE:N", "level N of containers that have this annotation; may be\n"
	  "given several times, and the first that fits counts", CALL, add_mapping },
	{ "required", 'r', NULL, "without its level the container does not start", FLAG, &required },
	{ }
};

static const struct command hook = {
	.given = &given,
	.options = options,
	.about = "An OCI hook of the stage createRuntime: gives the container's cgroup what\n"
		"'gpreempt cgroup' would give it. See gpreempt-oci-hook(1).",
};

static void follow_annotations(const struct oci_state *state)
{
	const struct mapping *m;

	for (m = mappings; m < mappings + count; m++) {
		if (!oci_state_has(state, m->key, m->value))
			continue;
		set_priority(&given, m->level);
		set_ceiling(&given, m->level);
		return;
	}
}

int main(int argc, char **argv)
{
	struct oci_state state = { };
	char path[PATH_MAX];
	int r;

	messages.program = PROGRAM;
	parse_options(&hook, argc, argv);
	if (sets_nothing() && !count)
		usage("neither a priority nor a ceiling, a grant, a timeslice, a share or an "
		      "annotation");
	close_above(&given);
	/* What is wrong from here on is not the administrator's command line. */
	openlog(PROGRAM, LOG_PID, LOG_DAEMON);
	messages.log = true;
	/* Annotations are a part of the state: no way out for the author of a container. */
	messages.fail_status = STATUS_FAILED;
	oci_state_read(&state);
	messages.fail_status = required ? STATUS_FAILED : 0;
	follow_annotations(&state);
	if (sets_nothing())
		return 0;
	cgroup_of_container(state.pid, path, sizeof(path));
	r = cgroup_set(path, &given);
	if (r == -ENOSPC && !required) {
		/* Else the ceiling would end with so many containers, whoever has started them. */
		warn("%s: no minimum: %s", path, cgroup_error(r));
		given.flags &= ~KFD_GPREEMPT_SET_MIN;
		given.process_default.min_percent = 0;
		r = cgroup_set(path, &given);
	}
	if (r)
		fail(STATUS_FAILED, "%s: %s", path, cgroup_error(r));
	return 0;
}
