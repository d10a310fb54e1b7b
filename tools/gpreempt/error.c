// SPDX-License-Identifier: GPL-2.0
/* Messages, and the end of the program. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

int fail_status;

static void message(const char *format, va_list args)
{
	fflush(stdout);
	fputs("gpreempt: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void fail(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
	exit(fail_status ?: status);
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
	fprintf(stderr, "Try 'gpreempt %s%s--help'.\n", cmd ? cmd->name : "", cmd ? " " : "");
	exit(fail_status ?: STATUS_USAGE);
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
