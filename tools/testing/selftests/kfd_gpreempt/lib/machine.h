/* SPDX-License-Identifier: GPL-2.0 */
/* The machine as a whole: its sleep. */
#ifndef KFD_GPREEMPT_MACHINE_H
#define KFD_GPREEMPT_MACHINE_H

/* Why it cannot sleep so (of /sys/power/mem_sleep) and wake by itself; NULL if it can. */
const char *machine_sleepless(const char *sleep);

/* Sleep until woken: its clock is asked to, others may be faster. 0 or -errno. */
int machine_sleep(const char *sleep);

#endif
