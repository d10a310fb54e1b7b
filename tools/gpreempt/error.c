// SPDX-License-Identifier: GPL-2.0
/* Messages, and the end of the program. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "gpreempt.h"

struct messages messages = { .program = "gpreempt", .fail_status = -1 };

static void message(const char *format, va_list args)
{
	const char *about = messages.about, *colon = about ? ": " : "";
	char *text;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
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

void fail(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
	exit(exit_status(status));
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
}

void bad_option(const struct command *cmd)
{
	fprintf(stderr, "Try '%s %s%s--help'.\n", messages.program, cmd ? cmd->name : "",
		cmd ? " " : "");
	exit(exit_status(STATUS_USAGE));
}

void usage(const struct command *cmd, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
	bad_option(cmd);
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
