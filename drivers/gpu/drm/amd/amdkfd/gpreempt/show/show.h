/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT show: files of nodes and queues, and fdinfo. */
#ifndef GPREEMPT_SHOW_H_INCLUDED
#define GPREEMPT_SHOW_H_INCLUDED

#include "gpreempt/run/queue.h"

struct kfd_gpreempt_client *kfd_gpreempt_client_get(struct kfd_gpreempt *gp, const struct queue *q);
void kfd_gpreempt_client_put(struct kfd_gpreempt_client *client);
extern const struct kobj_type kfd_gpreempt_queue_ktype;
int kfd_gpreempt_sysfs_add(struct kfd_gpreempt *gp);
void kfd_gpreempt_sysfs_remove(struct kfd_gpreempt *gp);

#endif /* GPREEMPT_SHOW_H_INCLUDED */
