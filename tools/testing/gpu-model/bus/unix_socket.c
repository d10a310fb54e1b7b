// SPDX-License-Identifier: GPL-2.0
/* Unix sockets by path; see unix_socket.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus/unix_socket.h"

/* A socket, and @addr filled in; or a negative errno. */
static int open_socket(const char *path, struct sockaddr_un *addr)
{
	int fd;

	if (strlen(path) >= sizeof(addr->sun_path)) {
		fprintf(stderr, "gpu-model: socket path '%s' is longer than %zu bytes\n",
			path, sizeof(addr->sun_path) - 1);
		return -ENAMETOOLONG;
	}
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	strcpy(addr->sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

int unix_listen(const char *path)
{
	struct sockaddr_un addr;
	char own[PATH_MAX];
	int fd, err;

	/* Who waits for @path to appear must find it listening: it gets its name last. */
	snprintf(own, sizeof(own), "%s.%d", path, getpid());
	fd = open_socket(own, &addr);
	if (fd < 0)
		return fd;
	/*
	 * An existing path is somebody's: never replaced. In one step, as one that is killed
	 * between link() and unlink() leaves its first name behind.
	 */
	err = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 4) ||
	      renameat2(AT_FDCWD, own, AT_FDCWD, path, RENAME_NOREPLACE) ? -errno : 0;
	if (!err)
		return fd;
	unlink(own);
	fprintf(stderr, "gpu-model: cannot listen on '%s': %s%s\n", path, strerror(-err),
		err == -EEXIST ? " (another model's, or left behind: remove it)" : "");
	close(fd);
	return err;
}

int unix_connect(const char *path)
{
	struct sockaddr_un addr;
	int fd = open_socket(path, &addr), err;

	if (fd < 0)
		return fd;
	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	err = -errno;
	fprintf(stderr, "gpu-model: cannot connect to '%s': %s\n", path, strerror(-err));
	close(fd);
	return err;
}
