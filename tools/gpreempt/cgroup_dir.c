// SPDX-License-Identifier: GPL-2.0
/* Cgroups: their directories, and what they are given. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/openat2.h>

#include "gpreempt.h"

static int open_below(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_BENEATH,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, error;

	if (dir < 0)
		return -1;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	error = errno;
	close(dir);
	errno = error;
	return fd;
}

int cgroup_open(const char *path)
{
	const char *root = cgroup_mount_point(), *name = path + strspn(path, "/");
	int fd = -1;

	if (!root)
		fail(STATUS_FAILED, "no cgroups of version 2 are mounted; version 1 has no priorities. "
		     "Boot with systemd.unified_cgroup_hierarchy=1, or mount -t cgroup2 none "
		     "/sys/fs/cgroup");
	/* below the mount point that is the root, and so the whole machine */
	if (!*path)
		fail(STATUS_FAILED, "a cgroup without a name");
	/* the caller's directory may be anybody's, and so what such a name stands for there */
	if (*path == '/')
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && cgroup_is(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	fd = open_below(root, *name ? name : ".");
	if (fd >= 0 && cgroup_is(fd))
		return fd;
	if (fd >= 0)
		fail(STATUS_FAILED, "%s: not a cgroup of version 2", path);
	if (errno == EXDEV)
		fail(STATUS_FAILED, "%s: it leads out of %s", path, root);
	fail(STATUS_FAILED, "%s: %s: neither a cgroup's directory nor one below %s", path,
	     strerror(errno), root);
}

const char *cgroup_error(int error)
{
	switch (-error) {
	case EPERM:
		return "not permitted: it is another user's, or this is more than it has, or a share "
		       "that it does not have yet; run as root (CAP_SYS_NICE)";
	case ENODEV:
	case ENOENT:
		return "it was removed";
	case EBADF:
		return "not a cgroup of version 2";
	case ENOSPC:
		return "all cgroups and processes together would be guaranteed more than 100 %";
	case EINVAL:
		return "its cap would be below its minimum, it is more than 64 deep, or the driver is "
		       "of another version than this program";
	default:
		return kfd_error(error);
	}
}

int cgroup_set(const char *path, const struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_ioctl_gpreempt_args call = *args;
	int fd = cgroup_open(path), r;

	call.cgroup_fd = fd;
	r = kfd_call(&call);
	close(fd);
	return r;
}
