/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT doorbell: the next doorbell wakes the monitor. */
#ifndef GPREEMPT_DOORBELL_H_INCLUDED
#define GPREEMPT_DOORBELL_H_INCLUDED

#include "gpreempt/run/node.h"

bool kfd_gpreempt_doorbell_await(struct kfd_gpreempt *gp, const struct mm_struct *mm);

#endif /* GPREEMPT_DOORBELL_H_INCLUDED */
