// SPDX-License-Identifier: GPL-2.0
/* The kernel's tracepoints; see trace.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "trace.h"

#define TRACING		"/sys/kernel/tracing/"
#define TEXT_MAX	(16u << 20)

static int event_write(const char *event, const char *file, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), TRACING "events/%s/%s", event, file);
	return file_write(path, text);
}

int trace_on(const char *event, const char *filter)
{
	int ret = event_write(event, "filter", filter);

	return ret ? ret : event_write(event, "enable", "1");
}

int trace_off(const char *event)
{
	int ret = event_write(event, "enable", "0");

	return ret ? ret : event_write(event, "filter", "0");
}

int trace_clear(void)
{
	int fd = open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* "# entries-in-buffer/entries-written: 12/12   #P:2" */
static int complete(const char *text)
{
	const char *line = strstr(text, "entries-in-buffer/entries-written: ");
	unsigned long long in_buffer, written;

	return line && sscanf(line, "%*s %llu/%llu", &in_buffer, &written) == 2 &&
	       in_buffer == written;
}

char *trace_read(void)
{
	int fd = open(TRACING "trace", O_RDONLY | O_CLOEXEC);
	char *text = malloc(TEXT_MAX);
	size_t n = 0;
	ssize_t r = 0;

	while (fd >= 0 && text && n < TEXT_MAX - 1 &&
	       (r = read(fd, text + n, TEXT_MAX - 1 - n)) > 0)
		n += r;
	if (fd >= 0)
		close(fd);
	if (text)
		text[n] = '\0';
	if (fd < 0 || !text || r || !complete(text)) {
		free(text);
		return NULL;
	}
	return text;
}

char *trace_line(char **rest)
{
	char *line = *rest, *end;

	if (!line || !*line)
		return NULL;
	end = strchrnul(line, '\n');
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

long long trace_field(const char *line, const char *name)
{
	size_t length = strlen(name);
	const char *p = line;

	while ((p = strchr(p, ' '))) {
		p++;
		if (!strncmp(p, name, length) && p[length] == '=')
			return strtoll(p + length + 1, NULL, 0);
	}
	return -1;
}
