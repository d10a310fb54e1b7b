// SPDX-License-Identifier: GPL-2.0
/*
 * A file that is there as a whole or not at all: it is made beside the old one, and
 * takes its place when it is complete. And what is put into objects of json-c.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <json-c/json.h>

#include "gpreempt.h"

static const char *target;
char output_beside[PATH_SIZE];
static FILE *file;

static void remove_beside(void)
{
	if (file)
		unlink(output_beside);
}

static void __attribute__((noreturn)) fail_output(void)
{
	fail(STATUS_FAILED, "%s: %s", target, strerror(errno));
}

void output_check(const char *path)
{
	struct stat st;

	/* a device would be replaced by a file */
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		usage("%s: not a regular file", path);
}

FILE *output_open(const char *path)
{
	int fd;

	target = path;
	if (snprintf(output_beside, PATH_SIZE, "%s.XXXXXX", path) >= PATH_SIZE)
		fail(STATUS_FAILED, "%s: %s", path, strerror(ENAMETOOLONG));
	fd = mkostemp(output_beside, O_CLOEXEC);
	if (fd < 0)
		fail_output();
	file = fdopen(fd, "w");
	if (!file)
		fail(STATUS_FAILED, "out of memory");
	atexit(remove_beside);
	return file;
}

void output_close(void)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fflush(file) || ferror(file) || fsync(fileno(file)) ||
	    fchmod(fileno(file), 0666 & ~mask) || rename(output_beside, target))
		fail_output();
	fclose(file);
	file = NULL;
}

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
