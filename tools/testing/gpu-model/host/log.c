// SPDX-License-Identifier: GPL-2.0
/* Event log and warnings; see log.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"

#define FLUSH_NS	100000000ull	/* a reader of a live log sees lines this late at most */
#define WARN_BURST	50		/* warnings ... */
#define WARN_WINDOW_NS	1000000000ull	/* ... in this time */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;
static atomic_bool log_enabled;
static u64 last_flush;
static u64 warn_window;
static unsigned int warn_count;

int log_open(const char *path)
{
	log_file = fopen(path, "we");
	if (!log_file)
		return -errno;
	setvbuf(log_file, NULL, _IOFBF, 1 << 16);
	atomic_store(&log_enabled, true);
	return 0;
}

void log_close(void)
{
	pthread_mutex_lock(&log_lock);
	atomic_store(&log_enabled, false);
	if (log_file)
		fclose(log_file);
	log_file = NULL;
	pthread_mutex_unlock(&log_lock);
}

void log_flush(void)
{
	if (!atomic_load_explicit(&log_enabled, memory_order_relaxed))
		return;
	pthread_mutex_lock(&log_lock);
	if (log_file)
		fflush(log_file);
	last_flush = gpu_now();
	pthread_mutex_unlock(&log_lock);
}

static void emit(const char *event, const char *fmt, va_list ap)
{
	u64 now;

	pthread_mutex_lock(&log_lock);
	if (log_file) {
		now = gpu_now();
		fprintf(log_file, "%llu %s ", (unsigned long long)now, event);
		vfprintf(log_file, fmt, ap);
		fputc('\n', log_file);
		if (now - last_flush > FLUSH_NS) {
			fflush(log_file);
			last_flush = now;
		}
	}
	pthread_mutex_unlock(&log_lock);
}

void log_event(const char *event, const char *fmt, ...)
{
	va_list ap;

	if (!atomic_load_explicit(&log_enabled, memory_order_relaxed))
		return;
	va_start(ap, fmt);
	emit(event, fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	char line[512];
	bool print;
	va_list ap;
	u64 now = gpu_now();

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);

	pthread_mutex_lock(&log_lock);
	if (now - warn_window > WARN_WINDOW_NS) {
		if (warn_count > WARN_BURST)
			fprintf(stderr, "gpu-model: %u more warnings\n",
				warn_count - WARN_BURST);
		warn_window = now;
		warn_count = 0;
	}
	print = warn_count++ < WARN_BURST;
	pthread_mutex_unlock(&log_lock);

	if (print) {
		fprintf(stderr, "gpu-model: %s\n", line);
		log_event("warn", "text=\"%s\"", line);
	}
}
