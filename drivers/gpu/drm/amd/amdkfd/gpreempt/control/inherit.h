/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT inherit: what a process inherits, from its ancestors and its cgroup. */
#ifndef GPREEMPT_INHERIT_H_INCLUDED
#define GPREEMPT_INHERIT_H_INCLUDED

#include <linux/cgroup.h>
#include <linux/err.h>

#include "gpreempt/core/lot.h"

struct kfd_gpreempt_process_default;
struct kfd_process;

void kfd_gpreempt_process_follow(struct kfd_process *p);
struct gpreempt_lot kfd_gpreempt_process_lot(const struct kfd_process *p);
int kfd_gpreempt_default_set(struct task_struct *task, struct cgroup *cgroup,
			     const struct kfd_gpreempt_process_default *def, u32 flags);
void kfd_gpreempt_default_get(struct task_struct *task, const struct cgroup *cgroup,
			      struct kfd_gpreempt_process_default *def);

/* cgroup.c */
struct cgroup *kfd_gpreempt_cgroup(struct task_struct *task);
struct cgroup *kfd_gpreempt_cgroup_of_fd(int fd, bool *own);

/* Was a cgroup removed? The caller has a reference. */
static inline bool kfd_gpreempt_cgroup_gone(const struct cgroup *cgroup)
{
	return !(READ_ONCE(cgroup->self.flags) & CSS_ONLINE);
}

#endif /* GPREEMPT_INHERIT_H_INCLUDED */
