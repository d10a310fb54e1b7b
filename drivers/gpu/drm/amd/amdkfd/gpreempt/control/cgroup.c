// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT cgroups: which one a process is in, and which one an ioctl names. Of the unified
 * hierarchy, version 2, only. Changes nothing.
 */

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/nsproxy.h>
#include <linux/sched/signal.h>
#include <linux/uidgid.h>

#include "inherit.h"

/* So many that have ended are passed over: a tenant may have any number. */
#define THREADS_MAX	16

/**
 * kfd_gpreempt_cgroup - the cgroup that a process is in
 * @task: the process's leader, whose cgroup counts for all its threads; RCU read lock held
 *
 * Return: the cgroup, which RCU keeps.
 */
struct cgroup *kfd_gpreempt_cgroup(struct task_struct *task)
{
	struct task_struct *t;
	unsigned int n = 0;

	/* A leader that has ended stays where it was when the other threads are moved. */
	if (READ_ONCE(task->flags) & PF_EXITING)
		for_each_thread(task, t)
			if (!(READ_ONCE(t->flags) & PF_EXITING) || ++n == THREADS_MAX)
				return task_dfl_cgroup(t);
	return task_dfl_cgroup(task);
}

/* Writable, and in its cgroup namespace: a container's root owns the host's directories, too. */
static bool is_own(const struct file *dir, struct cgroup *cgroup)
{
	return uid_eq(current_euid(), file_inode(dir)->i_uid) &&
	       !__mnt_is_readonly(dir->f_path.mnt) &&
	       cgroup_is_descendant(cgroup, current->nsproxy->cgroup_ns->root_cset->dfl_cgrp);
}

/**
 * kfd_gpreempt_cgroup_of_fd - find the cgroup whose directory a descriptor is of
 * @fd: the descriptor
 * @own: out: the directory is the caller's own, and can be written
 *
 * Return: the cgroup, referenced; -EBADF for a descriptor of something else, a cgroup of
 * version 1 among others, or -ENOENT for one that was removed.
 */
struct cgroup *kfd_gpreempt_cgroup_of_fd(int fd, bool *own)
{
	struct cgroup *cgroup = cgroup_get_from_fd(fd);
	struct file *dir __free(fput) = NULL;

	if (IS_ERR(cgroup))
		return cgroup;
	dir = fget_raw(fd);
	/* By now the number may be of another directory. */
	*own = dir && file_inode(dir)->i_private == cgroup->kn && is_own(dir, cgroup);
	return cgroup;
}
