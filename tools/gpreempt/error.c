// SPDX-License-Identifier: GPL-2.0
/* Messages, and the end of the program. */
#include <stdarg.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "gpreempt.h"

struct messages messages = { .program = "gpreempt", .fail_status = -1 };

void warn(const char *format, ...)
{
	const char *about = messages.about, *colon = about ? ": " : "";
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	fflush(stdout);
	fprintf(stderr, "%s: %s%s%s\n", messages.program, about ?: "", colon, text ?: format);
	if (messages.log)
		syslog(LOG_WARNING, "%s%s%s", about ?: "", colon, text ?: format);
	free(text);
}

int exit_status(int status)
{
	return messages.fail_status < 0 ? status : messages.fail_status;
}

void bad_option(void)
{
	fprintf(stderr, "Try '%s%s%s --help'.\n", messages.program, messages.command ? " " : "",
		messages.command ?: "");
	exit(exit_status(STATUS_USAGE));
}

bool colours(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb");
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (!p)
		fail(STATUS_FAILED, "out of memory");
	return p;
}
