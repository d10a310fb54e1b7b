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

#if defined(CONFIG_CGROUPS)
/* cgroup.c */
struct cgroup *kfd_gpreempt_cgroup(struct task_struct *task);
struct cgroup *kfd_gpreempt_cgroup_of_fd(int fd, bool *own);

/* The one of a cgroup's ancestors on a level, 0: the root; NULL past the cgroup itself. */
static inline struct cgroup *kfd_gpreempt_cgroup_above(struct cgroup *cgroup, int level)
{
	return cgroup_ancestor(cgroup, level);
}

/* Was a cgroup removed? The caller has a reference. */
static inline bool kfd_gpreempt_cgroup_gone(const struct cgroup *cgroup)
{
	return !(READ_ONCE(cgroup->self.flags) & CSS_ONLINE);
}

static inline void kfd_gpreempt_cgroup_get(struct cgroup *cgroup) { cgroup_get(cgroup); }
static inline void kfd_gpreempt_cgroup_put(struct cgroup *cgroup) { cgroup_put(cgroup); }
#else
/* No process is in one. */
static inline struct cgroup *kfd_gpreempt_cgroup(struct task_struct *task) { return NULL; }
static inline struct cgroup *kfd_gpreempt_cgroup_above(struct cgroup *cgroup, int level)
{
	return NULL;
}

static inline bool kfd_gpreempt_cgroup_gone(const struct cgroup *cgroup) { return true; }
static inline void kfd_gpreempt_cgroup_get(struct cgroup *cgroup) {}
static inline void kfd_gpreempt_cgroup_put(struct cgroup *cgroup) {}
static inline struct cgroup *kfd_gpreempt_cgroup_of_fd(int fd, bool *own)
{
	return ERR_PTR(-EOPNOTSUPP);
}
#endif

#endif /* GPREEMPT_INHERIT_H_INCLUDED */
