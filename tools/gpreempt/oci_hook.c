// SPDX-License-Identifier: GPL-2.0
/* gpreempt-oci-hook: a container's cgroup has its level before the container's command runs. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>
#include <json-c/json.h>

#include "gpreempt.h"

#define PROGRAM		"gpreempt-oci-hook"
/* What an engine may write; annotations are the only part that can be long. */
#define STATE_MAX	(1 << 20)
#define DEPTH_MAX	8

/* What the cgroup is to have. */
static struct kfd_ioctl_gpreempt_args given = CGROUP_KEEPS_ALL;
/* Annotations that replace its priority and ceiling by a level; the first one that fits. */
static struct mapping {
	const char *key, *value;
	unsigned int level;
} *mappings;
static unsigned int count;
/* No container without its level. */
static bool required;
/* Of the container: its first process, and what whoever may start it may have written, or NULL. */
static unsigned int pid;
static struct json_object *annotations;

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

/* A level is a ceiling, too, or a member would ask for another priority of its own. */
static void close_above(void)
{
	struct kfd_gpreempt_process_default *def = &given.process_default;
	bool granted = given.flags & KFD_GPREEMPT_SET_GRANT && def->grant != KFD_GPREEMPT_NONE &&
		       def->grant > def->priority;

	if (!(given.flags & KFD_GPREEMPT_KEEP_CEILING) || def->priority == KFD_GPREEMPT_NONE)
		return;
	def->ceiling = granted ? def->grant : def->priority;
	given.flags &= ~KFD_GPREEMPT_KEEP_CEILING;
}

static bool is_within(const char *path, const char *above)
{
	size_t n = strlen(above);

	return !strncmp(path, above, n) && (!path[n] || path[n] == '/' || above[n - 1] == '/');
}

/* One value, and nothing behind it. */
static struct json_object *parse(const char *text, size_t length)
{
	struct json_tokener *parser = json_tokener_new_ex(DEPTH_MAX);
	struct json_object *value;
	enum json_tokener_error error;

	if (!parser)
		fail(STATUS_FAILED, "out of memory");
	json_tokener_set_flags(parser, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	/* with the zero behind it, which tells the parser that it ends */
	value = json_tokener_parse_ex(parser, text, length + 1);
	error = json_tokener_get_error(parser);
	if (error != json_tokener_success)
		fail(STATUS_FAILED, "the container's state is not JSON: %s",
		     json_tokener_error_desc(error));
	if (json_tokener_get_parse_end(parser) < length)
		fail(STATUS_FAILED, "the container's state is not JSON: there is more behind it");
	json_tokener_free(parser);
	return value;
}

/* The state as the runtime specification has it, on standard input. It stays until the end. */
static void read_state(void)
{
	static char text[STATE_MAX + 2], name[300];
	size_t length = fread(text, 1, STATE_MAX + 1, stdin);
	struct json_object *root, *value;

	if (ferror(stdin))
		fail(STATUS_FAILED, "the container's state: %s", strerror(errno));
	if (!length)
		fail(STATUS_FAILED, "no state of a container on standard input");
	if (length > STATE_MAX)
		fail(STATUS_FAILED, "the container's state is longer than %d bytes", STATE_MAX);
	root = parse(text, length);
	if (!json_object_is_type(root, json_type_object))
		fail(STATUS_FAILED, "the container's state is not a JSON object");
	if (json_object_object_get_ex(root, "id", &value) &&
	    json_object_is_type(value, json_type_string)) {
		snprintf(name, sizeof(name), "container %s", json_object_get_string(value));
		messages.about = name;
	}
	if (!json_object_object_get_ex(root, "pid", &value))
		fail(STATUS_FAILED, "the container's state has no pid: the hook's stage has to be "
		     "createRuntime");
	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) <= 0 ||
	    json_object_get_int64(value) > INT_MAX)
		fail(STATUS_FAILED, "the container's state: %s is not the number of a process",
		     json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
	pid = json_object_get_int64(value);
	json_object_object_get_ex(root, "annotations", &annotations);
}

/* Is the annotation @key there, and is it @text? */
static bool has_annotation(const char *key, const char *text)
{
	struct json_object *value;

	return json_object_object_get_ex(annotations, key, &value) &&
	       json_object_is_type(value, json_type_string) &&
	       !strcmp(json_object_get_string(value), text);
}

/* Of a container that has none of its own it is its engine's, or the whole machine's. */
static void cgroup_of_container(char *path, size_t size)
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

static void follow_annotations(void)
{
	const struct mapping *m;

	for (m = mappings; m < mappings + count; m++) {
		if (!has_annotation(m->key, m->value))
			continue;
		given.process_default.priority = m->level;
		given.process_default.ceiling = m->level;
		given.flags &= ~(KFD_GPREEMPT_KEEP_PRIORITY | KFD_GPREEMPT_KEEP_CEILING);
		return;
	}
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	int r;

	messages.program = PROGRAM;
	parse_options(&hook, argc, argv);
	if (sets_nothing() && !count)
		usage("neither a priority nor a ceiling, a grant, a timeslice, a share or an "
		      "annotation");
	close_above();
	/* What is wrong from here on is not the administrator's command line. */
	openlog(PROGRAM, LOG_PID, LOG_DAEMON);
	messages.log = true;
	/* Annotations are a part of the state: no way out for the author of a container. */
	messages.fail_status = STATUS_FAILED;
	read_state();
	messages.fail_status = required ? STATUS_FAILED : 0;
	follow_annotations();
	if (sets_nothing())
		return 0;
	cgroup_of_container(path, sizeof(path));
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
