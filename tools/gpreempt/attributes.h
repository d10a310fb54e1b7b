/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a cgroup or a process is given, for gpreempt and for what other programs load: nothing
 * here prints, or ends the program. Functions return 0 or negative errno.
 */
#ifndef GPREEMPT_ATTRIBUTES_H
#define GPREEMPT_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct gpreempt;
struct kfd_ioctl_gpreempt_args;

/* Where cgroups of version 2 are mounted, or NULL. */
const char *cgroup_mount_point(void);
/* Is it the directory of one? */
bool cgroup_is(int fd);
/* The directory of the cgroup that a process is in; -ENODATA if it is in none of version 2. */
int cgroup_of_process(pid_t pid, char *path, size_t size);
/* AMDKFD_IOC_GPREEMPT by libgpreempt; KFD that is locked is asked again for half a minute. */
int ask_patiently(struct gpreempt *g, struct kfd_ioctl_gpreempt_args *args);
/*
 * By a child: whoever has opened /dev/kfd is one of its processes, with all that the driver keeps
 * of one, until it ends, and some time after its exec. A process is therefore to be named by its
 * number. The call returns 0 or a negative errno, and so does this.
 */
int in_child(int (*call)(struct kfd_ioctl_gpreempt_args *args),
	     const struct kfd_ioctl_gpreempt_args *args);
int attributes_set(const struct kfd_ioctl_gpreempt_args *args);

#endif
