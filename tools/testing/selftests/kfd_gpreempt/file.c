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

/* The last one first: what is switched on comes after what it shall find. */
static void __attribute__((destructor)) kept_put_back(void)
{
	struct kept *k;

	if (!kept || kept->owner != getpid())
		return;
	for (k = kept->file + kept->count; k-- > kept->file; ) {
		if (k->mode)
			chmod(k->path, k->mode);
		else
			file_write(k->path, k->text);
	}
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
	char text[64], *begin;

	if (!k || file_read(path, text, sizeof(text)))
		return;
	begin = strchr(text, '[');
	if (begin)
		text[strcspn(text, "]")] = '\0';
	strcpy(k->text, begin ? begin + 1 : text);
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
