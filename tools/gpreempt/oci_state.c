// SPDX-License-Identifier: GPL-2.0
/* The state of a container, as the OCI's runtime specification has it: JSON on standard input. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <json-c/json.h>

#include "oci_state.h"

/* What an engine may write; annotations are the only part that can be long. */
#define STATE_MAX	(1 << 20)
#define DEPTH_MAX	8

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

/* In what is said from now on. */
static void name_container(const char *id)
{
	static char name[300];

	snprintf(name, sizeof(name), "container %s", id);
	messages.about = name;
}

void oci_state_read(struct oci_state *state)
{
	static char text[STATE_MAX + 2];
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
	    json_object_is_type(value, json_type_string))
		name_container(json_object_get_string(value));
	if (!json_object_object_get_ex(root, "pid", &value))
		fail(STATUS_FAILED, "the container's state has no pid: the hook's stage has to be "
		     "createRuntime");
	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) <= 0 ||
	    json_object_get_int64(value) > INT_MAX)
		fail(STATUS_FAILED, "the container's state: %s is not the number of a process",
		     json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
	state->pid = json_object_get_int64(value);
	json_object_object_get_ex(root, "annotations", &state->annotations);
}

bool oci_state_has(const struct oci_state *state, const char *key, const char *text)
{
	struct json_object *value;

	return json_object_is_type(state->annotations, json_type_object) &&
	       json_object_object_get_ex(state->annotations, key, &value) &&
	       json_object_is_type(value, json_type_string) &&
	       !strcmp(json_object_get_string(value), text);
}
