/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT single: back ends that take one queue at a time. */
#ifndef GPREEMPT_SINGLE_H_INCLUDED
#define GPREEMPT_SINGLE_H_INCLUDED

#include "gpreempt/run/commit.h"

int kfd_gpreempt_single_transact(struct kfd_gpreempt *gp, unsigned int preempt,
				 enum gpreempt_event *error);
int kfd_gpreempt_single_give_back(struct kfd_gpreempt *gp);

/* hqd.c, mes.c */
extern const struct kfd_gpreempt_backend kfd_gpreempt_hqd;
extern const struct kfd_gpreempt_backend kfd_gpreempt_mes;

#endif /* GPREEMPT_SINGLE_H_INCLUDED */
