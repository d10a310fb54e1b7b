// SPDX-License-Identifier: GPL-2.0
/* Files of sysfs and tracefs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

/* A file of any length is read as far as it fits, once: sysfs makes it anew for each read. */
static int read_file(char *buf, size_t size, const char *format, va_list args)
{
	char path[PATH_SIZE + 64];
	ssize_t n = -1;
	int fd, error;

	vsnprintf(path, sizeof(path), format, args);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, buf, size - 1);
	error = n < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n > 0 ? n : 0] = '\0';
	return error;
}

int read_text(char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = read_file(buf, size, format, args);
	va_end(args);
	return r;
}

int read_number(uint64_t *value, const char *format, ...)
{
	char text[32], *end;
	va_list args;
	int r;

	va_start(args, format);
	r = read_file(text, sizeof(text), format, args);
	va_end(args);
	*value = strtoull(text, &end, 10);
	if (r)
		return r;
	return end == text || *end ? -EINVAL : 0;
}

int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		r = -errno;
	if (fd >= 0)
		close(fd);
	return r;
}

static int no_dots(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

int list_names(const char *path, char ***names)
{
	struct dirent **found;
	int n = scandir(path, &found, no_dots, versionsort), i;

	*names = NULL;
	if (n < 0)
		return -errno;
	*names = xrealloc(NULL, (n + 1) * sizeof(**names));
	for (i = 0; i < n; i++) {
		(*names)[i] = strdup(found[i]->d_name);
		free(found[i]);
	}
	(*names)[n] = NULL;
	free(found);
	return 0;
}

void free_names(char **names)
{
	char **p;

	for (p = names; p && *p; p++)
		free(*p);
	free(names);
}
