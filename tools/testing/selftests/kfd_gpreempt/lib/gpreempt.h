/* SPDX-License-Identifier: GPL-2.0 */
/* /sys/class/kfd/kfd/gpreempt/<gpu_id>/ for tests. */
#ifndef KFD_GPREEMPT_SYSFS_H
#define KFD_GPREEMPT_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Path of @file (NULL for the folder) of the first GPU node. */
int gpreempt_path(const char *file, char *path, size_t size);

/* True when the driver has GPREEMPT. */
bool gpreempt_present(void);

/* One value, newline removed. 0 or -errno. */
int gpreempt_read(const char *file, char *buf, size_t size);
long long gpreempt_number(const char *file);	/* negative errno on failure */

/* The monitor's thread; 0 while there is none. */
pid_t gpreempt_monitor(void);

/* This process and the monitor have one CPU between them from now on. 0 or -errno. */
int gpreempt_share_cpu(void);

/* Queues that are preempted now, as counted; one destroyed in that state stays counted. */
long long gpreempt_preempted(void);

/* One write() of exactly @text. 0 or -errno. */
int gpreempt_write(const char *file, const char *text);

/*
 * Before a test: not enabled, every tunable at its default; but patient with a model
 * whose times do not count. 0 or -errno. After it: not enabled, all at its default. At
 * the end of the program: all as it was before.
 */
int gpreempt_begin(void);
int gpreempt_end(void);

/*
 * How long a save may sleep, in us: without the hardware scheduler hqd_destroy() sleeps
 * 0.5 to 1 ms when it finds the queue not off yet.
 */
unsigned int gpreempt_save_sleeps_us(void);

/* Why a test cannot run after gpreempt_begin() returned @ret; NULL if it can, or must fail. */
const char *gpreempt_missing(int ret);

/*
 * Wait until the monitor is in a state; 0 or -ETIME. One that was woken is parked until it
 * runs: wait for its scan first.
 */
int gpreempt_wait_state(const char *state, unsigned int timeout_ms);

/* Wait until a file's number is @least; 0 or -ETIME. */
int gpreempt_wait_number(const char *file, long long least, unsigned int timeout_ms);

/* Wait until the monitor has looked so often; 0 or -ETIME. */
int gpreempt_wait_scans(unsigned int n, unsigned int timeout_ms);

int gpreempt_set(const char *file, long long value);

/* The numbers of a node, their ranges and defaults. */
extern const struct gpreempt_tunable {
	const char *file;
	long long min, max, def;
} gpreempt_tunables[9];

/* And the default of each level's timeslice_us. */
#define GPREEMPT_TIMESLICE_US	10000

#endif
