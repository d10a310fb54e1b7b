// SPDX-License-Identifier: GPL-2.0
/* Files of sysfs and tracefs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

int read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0) {
		n = -errno;
		close(fd);
		return n;
	}
	close(fd);
	buf[n] = '\0';
	if (n && buf[n - 1] == '\n')
		buf[n - 1] = '\0';
	return 0;
}

int read_number(const char *path, uint64_t *value)
{
	char text[32], *end;
	int r = read_text(path, text, sizeof(text));

	*value = 0;
	if (r)
		return r;
	*value = strtoull(text, &end, 10);
	return end == text || *end ? -EINVAL : 0;
}

int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		r = -errno;
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
