// SPDX-License-Identifier: GPL-2.0
/* Files of sysfs and tracefs, and text that somebody has chosen: a process's name is any bytes. */
#include <ctype.h>
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

/* Bytes of the character in UTF-8 that it begins with, 0 if it is none. */
static unsigned int length(const char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)text;
	unsigned int n = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4, i;
	uint32_t c = *p & (0xff >> (n + 1));

	if (n < 2)
		return n;
	if (*p > 0xf7)
		return 0;
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

void utf8_text(char *buf, size_t size, const char *text)
{
	char *end = buf;

	while (*text && end + 4 < buf + size) {
		unsigned int n = length(text);

		end = mempcpy(end, n ? text : REPLACEMENT, n ?: strlen(REPLACEMENT));
		text += n ?: 1;
	}
	*end = '\0';
}

void utf8_shown(char *buf, size_t size, const char *name)
{
	const char *p;

	utf8_text(buf, size, name);
	for (p = buf; *p; p++) {
		/* in UTF-8 those from U+0080 to U+009f are control characters, too */
		bool control = *p == '\302' && (p[1] & 0xe0) == 0x80;
		bool bad = !strncmp(p, REPLACEMENT, 3);

		*buf++ = iscntrl((unsigned char)*p) || control || bad ? '?' : *p;
		p += bad ? 2 : control;
	}
	*buf = '\0';
}
