/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event log: one line an event, "<time in ns> <event> key=value ...".
 * Time is model time (gpu_now()). Written by all threads.
 */
#ifndef GPU_MODEL_LOG_H
#define GPU_MODEL_LOG_H

#include "gpu.h"

int log_open(const char *path);
void log_close(void);

/* Write out what is buffered; called when the machine becomes idle. */
void log_flush(void);

/* log_event("wave-start", "queue=%u wg=%u", q, wg); cheap when no log is open. */
void log_event(const char *event, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Something the model does not know or a guest did wrong; also to stderr, rate limited. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
