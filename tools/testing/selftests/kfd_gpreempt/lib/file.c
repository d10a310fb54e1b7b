// SPDX-License-Identifier: GPL-2.0
/* Small files; see file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "file.h"

/* A file to put back: its @mode, or what it held. */
struct kept {
	char path[96], text[64];
	mode_t mode;
};

/* The tests are children of the program, which may be killed: shared with them. */
static struct {
	pid_t owner;
	unsigned int count;
	struct kept file[40];
} *kept;

static void __attribute__((constructor)) kept_init(void)
{
	void *p = mmap(NULL, sizeof(*kept), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);

	if (p != MAP_FAILED) {
		kept = p;
		kept->owner = getpid();
	}
}

/* Of a file that shows a choice, "a [b] c", what is in brackets; else all. 0 or -errno. */
static int value_of(const char *path, char *value, size_t size)
{
	int ret = file_read(path, value, size);
	char *begin = ret ? NULL : strchr(value, '[');

	if (begin) {
		value[strcspn(value, "]")] = '\0';
		memmove(value, begin + 1, strlen(begin));
	}
	return ret;
}

static bool put_back(const struct kept *k)
{
	char now[sizeof(k->text)];

	if (k->mode)
		return !chmod(k->path, k->mode);
	return !file_write(k->path, k->text) && !value_of(k->path, now, sizeof(now)) &&
		!strcmp(now, k->text);
}

/* The last one first: what is switched on comes after what it shall find. */
bool file_put_back(void)
{
	bool good = true;

	if (!kept || kept->owner != getpid())
		return false;
	while (kept->count)
		good &= put_back(&kept->file[--kept->count]);
	return good;
}

static void __attribute__((destructor)) kept_put_back(void)
{
	file_put_back();
}

/* The next free one, unless there is one already for @path's mode or for what it holds. */
static struct kept *kept_new(const char *path, bool mode)
{
	struct kept *k;

	if (!kept)
		return NULL;
	for (k = kept->file; k < kept->file + kept->count; k++)
		if (!strcmp(k->path, path) && !k->mode == !mode)
			return NULL;
	if (kept->count == sizeof(kept->file) / sizeof(kept->file[0]))
		return NULL;
	snprintf(k->path, sizeof(k->path), "%s", path);
	return k;
}

void file_keep(const char *path)
{
	struct kept *k = kept_new(path, false);

	if (k && !value_of(path, k->text, sizeof(k->text)))
		kept->count++;
}

int file_chmod(const char *path, mode_t mode)
{
	struct kept *k = kept_new(path, true);
	struct stat st;

	if (k && !stat(path, &st)) {
		k->mode = st.st_mode & 07777;
		kept->count++;
	}
	return chmod(path, mode) ? -errno : 0;
}

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	if (n < 0)
		ret = -errno;
	else
		text[n] = '\0';
	close(fd);
	return ret;
}
