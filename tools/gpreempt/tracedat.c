// SPDX-License-Identifier: GPL-2.0
/*
 * The file that trace-cmd reads, version 6: trace-cmd.dat.v6(5). The descriptions of
 * the events are copied from tracefs, the pages are the ring buffer's own.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "gpreempt.h"

enum { OPTION_DONE = 0, OPTION_TRACECLOCK = 4 };

/**
 * struct buffer - the ring buffer of a CPU
 * @in:		its raw pages
 * @out:	those read
 */
struct buffer {
	int in;
	FILE *out;
};

static struct buffer *buffers;
static unsigned int cpus;

static void open_buffer(struct buffer *b, const char *instance, unsigned int cpu)
{
	char path[PATH_SIZE + 64];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", instance, cpu);
	b->in = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	/* A CPU that is not there has no buffer, and no pages. */
	if (b->in < 0 && errno != ENOENT && errno != ENODEV)
		fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
	b->out = tmpfile();
	if (!b->out || fcntl(fileno(b->out), F_SETFD, FD_CLOEXEC))
		fail(STATUS_FAILED, "temporary file: %s", strerror(errno));
}

static void tracedat_open(const char *instance)
{
	unsigned int count = get_nprocs_conf();

	buffers = xrealloc(NULL, count * sizeof(*buffers));
	for (; cpus < count; cpus++)
		open_buffer(&buffers[cpus], instance, cpus);
}

static void tracedat_close(void)
{
	unsigned int i;

	for (i = 0; i < cpus; i++)
		close(buffers[i].in);
}

static void drain_buffer(struct buffer *b)
{
	static char page[1 << 16];
	size_t size = sysconf(_SC_PAGESIZE);
	ssize_t n;

	while (b->in >= 0 && (n = read(b->in, page, size)) > 0)
		if (fwrite(page, 1, size, b->out) != size)
			fail(STATUS_FAILED, "temporary file: %s", strerror(errno));
}

static void tracedat_drain(void)
{
	unsigned int i;

	for (i = 0; i < cpus; i++)
		drain_buffer(&buffers[i]);
}

/* ---- the file; output_close() sees whether all was written ---- */

static void put(FILE *f, const void *data, size_t size)
{
	fwrite(data, 1, size, f);
}

/* With the 0 at its end. */
static void put_string(FILE *f, const char *text)
{
	put(f, text, strlen(text) + 1);
}

static void put_u16(FILE *f, uint16_t v)
{
	put(f, &v, sizeof(v));
}

static void put_u32(FILE *f, uint32_t v)
{
	put(f, &v, sizeof(v));
}

static void put_u64(FILE *f, uint64_t v)
{
	put(f, &v, sizeof(v));
}

/* A file of tracefs, behind its size. These files have none of their own. */
static void put_file(FILE *f, const char *path, size_t size_bytes)
{
	size_t room = 1 << 20, n;
	char *text = xrealloc(NULL, room);
	FILE *in = fopen(path, "re");

	if (!in)
		fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
	n = fread(text, 1, room, in);
	fclose(in);
	if (size_bytes == sizeof(uint64_t))
		put_u64(f, n);
	else
		put_u32(f, n);
	put(f, text, n);
	free(text);
}

static void put_events(FILE *f)
{
	char path[PATH_SIZE], **names, **p;
	unsigned int n = 0;
	int r;

	r = list_names(TRACING "/events/" TRACE_SYSTEM, &names);
	if (r)
		fail(STATUS_ABSENT, TRACING "/events/" TRACE_SYSTEM ": %s", strerror(-r));
	/* "enable" and "filter" are no events */
	for (p = names; *p; p++) {
		snprintf(path, sizeof(path), TRACING "/events/" TRACE_SYSTEM "/%s/format", *p);
		n += !access(path, R_OK);
	}
	put_string(f, TRACE_SYSTEM);
	put_u32(f, n);
	for (p = names; *p; p++) {
		snprintf(path, sizeof(path), TRACING "/events/" TRACE_SYSTEM "/%s/format", *p);
		if (!access(path, R_OK))
			put_file(f, path, sizeof(uint64_t));
	}
	free_names(names);
}

static void put_headers(FILE *f)
{
	static const char clock[] = "[mono]";

	put(f, "\x17\x08\x44tracing", 10);
	put_string(f, "6");
	fputc(__BYTE_ORDER == __BIG_ENDIAN, f);
	fputc(sizeof(long), f);
	put_u32(f, sysconf(_SC_PAGESIZE));
	put_string(f, "header_page");
	put_file(f, TRACING "/events/header_page", sizeof(uint64_t));
	put_string(f, "header_event");
	put_file(f, TRACING "/events/header_event", sizeof(uint64_t));
	put_u32(f, 0);		/* events of ftrace itself */
	put_u32(f, 1);		/* systems */
	put_events(f);
	put_u32(f, 0);		/* kernel symbols */
	put_u32(f, 0);		/* formats of trace_printk() */
	put_file(f, TRACING "/saved_cmdlines", sizeof(uint64_t));
	put_u32(f, cpus);
	put(f, "options  ", 10);
	put_u16(f, OPTION_TRACECLOCK);
	put_u32(f, sizeof(clock));
	put(f, clock, sizeof(clock));
	put_u16(f, OPTION_DONE);
	put(f, "flyrecord", 10);
}

static uint64_t align(uint64_t offset, uint64_t page)
{
	return (offset + page - 1) / page * page;
}

static void put_data(FILE *f)
{
	uint64_t page = sysconf(_SC_PAGESIZE), offset;
	static char buf[1 << 16];
	unsigned int i;
	size_t n;

	offset = align(ftell(f) + cpus * 2 * sizeof(uint64_t), page);
	for (i = 0; i < cpus; i++) {
		uint64_t size = ftell(buffers[i].out);

		put_u64(f, offset);
		put_u64(f, size);
		offset += align(size, page);
	}
	while (ftell(f) % page)
		put(f, "", 1);
	for (i = 0; i < cpus; i++) {
		rewind(buffers[i].out);
		while ((n = fread(buf, 1, sizeof(buf), buffers[i].out)) > 0)
			put(f, buf, n);
	}
}

static void tracedat_write(FILE *f)
{
	put_headers(f);
	put_data(f);
}

const struct recorder tracedat = {
	.drain_ms = 100,	/* the kernel's ring buffers hold seconds */
	.open = tracedat_open,
	.drain = tracedat_drain,
	.write = tracedat_write,
	.close = tracedat_close,
	.see = "'trace-cmd report' and KernelShark",
};
