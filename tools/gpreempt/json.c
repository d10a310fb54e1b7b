// SPDX-License-Identifier: GPL-2.0
/* What is put into objects of json-c. */
#include <json-c/json.h>

#include "gpreempt.h"

void json_number(struct json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_uint64(value));
}

void json_string(struct json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

void json_real(struct json_object *to, const char *key, double value, bool known)
{
	struct json_object *number = known ? json_object_new_double(value) : NULL;

	if (known)
		json_object_set_serializer(number, json_object_double_to_json_string, "%.4f", NULL);
	json_object_object_add(to, key, number);
}

void json_put(struct json_object *root, FILE *f, bool pretty)
{
	fputs(json_object_to_json_string_ext(root, JSON_C_TO_STRING_NOSLASHESCAPE |
		(pretty ? JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_PRETTY : 0)), f);
	if (pretty)
		fputc('\n', f);
	json_object_put(root);
}
