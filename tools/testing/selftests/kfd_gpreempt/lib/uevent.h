/* SPDX-License-Identifier: GPL-2.0 */
/* What GPREEMPT tells udev. */
#ifndef KFD_GPREEMPT_UEVENT_H
#define KFD_GPREEMPT_UEVENT_H

#include <linux/types.h>

/* A socket that hears of uevents from now on, or -errno. */
int uevent_open(void);

/* How many so far told of a bypass of this node for this reason, and of any. */
int uevent_bypasses(int fd, __u32 gpu_id, const char *reason, int *all);

#endif
