/* SPDX-License-Identifier: GPL-2.0 */
/* A process as its own debugger: AMDKFD_IOC_DBG_TRAP. */
#ifndef KFD_GPREEMPT_DEBUGGER_H
#define KFD_GPREEMPT_DEBUGGER_H

#include "kfd.h"

/* Let a debugger attach, as ROCr does: before the first queue. 0 or -errno. */
int debugger_allow(struct kfd_dev *dev);

/* @dbg_fd: for its events. 0 or -errno. */
int debugger_attach(struct kfd_dev *dev, int dbg_fd);
int debugger_detach(struct kfd_dev *dev);

/* Suspend a queue, or resume it: how many were, 1 that is, or -errno. */
int debugger_suspend(struct kfd_dev *dev, __u32 queue);
int debugger_resume(struct kfd_dev *dev, __u32 queue);

#endif
