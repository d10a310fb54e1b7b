/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT show: files of nodes and queues, and fdinfo. */
#ifndef GPREEMPT_SHOW_H_INCLUDED
#define GPREEMPT_SHOW_H_INCLUDED

#include "gpreempt/run/queue.h"

extern const struct attribute_group *kfd_gpreempt_groups[];
extern const struct attribute_group *kfd_gpreempt_queue_groups[];
extern const struct sysfs_ops kfd_gpreempt_queue_ops;
int kfd_gpreempt_sysfs_add(struct kfd_gpreempt *gp);
void kfd_gpreempt_sysfs_remove(struct kfd_gpreempt *gp);

#endif /* GPREEMPT_SHOW_H_INCLUDED */
