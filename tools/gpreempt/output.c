// SPDX-License-Identifier: GPL-2.0
/*
 * A file that is there as a whole or not at all: it is made beside the old one, and
 * takes its place when it is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpreempt.h"

static const char *target;
static char beside[PATH_SIZE];
static FILE *file;

static void remove_beside(void)
{
	if (file)
		unlink(beside);
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
	if (snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= (int)sizeof(beside))
		fail(STATUS_FAILED, "%s: %s", path, strerror(ENAMETOOLONG));
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0)
		fail_output();
	file = fdopen(fd, "w");
	if (!file)
		fail(STATUS_FAILED, "out of memory");
	atexit(remove_beside);
	return file;
}

const char *output_beside(void)
{
	return beside;
}

void output_close(void)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fflush(file) || ferror(file) || fsync(fileno(file)) ||
	    fchmod(fileno(file), 0666 & ~mask) || rename(beside, target))
		fail_output();
	fclose(file);
	file = NULL;
}
