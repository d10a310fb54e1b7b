// SPDX-License-Identifier: GPL-2.0
/* What a cgroup or a process is given. */
#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/kfd_gpreempt.h>
#include <linux/magic.h>

#include "attributes.h"
#include "lib/libgpreempt.h"

const char *cgroup_mount_point(void)
{
	static char point[PATH_MAX];
	struct mntent *m;
	FILE *f;

	f = setmntent("/proc/self/mounts", "re");
	if (!f)
		return NULL;
	while (!*point && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			snprintf(point, sizeof(point), "%s", m->mnt_dir);
	endmntent(f);
	return *point ? point : NULL;
}

bool cgroup_is(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

int cgroup_of_process(pid_t pid, char *path, size_t size)
{
	const char *root = cgroup_mount_point();
	char name[32], line[PATH_MAX];
	FILE *f;
	int r = -ENODATA;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", pid);
	f = fopen(name, "re");
	if (!f)
		return -errno;
	while (root && fgets(line, sizeof(line), f)) {
		char *end = strchr(line, '\n');

		/* not one of version 1, not cut off, and not outside of the namespace */
		if (!end || strncmp(line, "0::/", 4) || !strncmp(line, "0::/..", 6))
			continue;
		*end = '\0';
		r = snprintf(path, size, "%s%s", root, line + 3) < (int)size ? 0 : -ENAMETOOLONG;
	}
	fclose(f);
	return r;
}

int ask_patiently(struct gpreempt *g, struct kfd_ioctl_gpreempt_args *args)
{
	int r = gpreempt_ioctl(g, args), tries;

	/* half a minute: no reset of a GPU takes longer */
	for (tries = 0; r == -EAGAIN && tries < 300; tries++) {
		usleep(100000);
		r = gpreempt_ioctl(g, args);
	}
	return r;
}

int in_child(int (*call)(struct kfd_ioctl_gpreempt_args *args),
	     const struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_ioctl_gpreempt_args copy = *args;
	pid_t child = fork();
	int status;

	if (child < 0)
		return -errno;
	if (!child)
		_exit(-call(&copy));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

/* The program may have threads: in their child glibc allows malloc(). */
static int set(struct kfd_ioctl_gpreempt_args *args)
{
	return ask_patiently(gpreempt_open(GPREEMPT_ALL_GPUS), args);
}

int attributes_set(const struct kfd_ioctl_gpreempt_args *args)
{
	return in_child(set, args);
}
