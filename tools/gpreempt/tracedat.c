// SPDX-License-Identifier: GPL-2.0
/*
 * The file that trace-cmd reads, version 6: trace-cmd.dat.v6(5). The descriptions of
 * the events are copied from tracefs, the pages are the ring buffer's own.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

#define SYSTEM	"kfd_gpreempt"

enum { OPTION_DONE = 0, OPTION_TRACECLOCK = 4 };

static const char *out_path;

static void put(FILE *f, const void *data, size_t size)
{
	if (size && fwrite(data, size, 1, f) != 1)
		fail(STATUS_FAILED, "%s: %s", out_path, strerror(errno));
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

static void put_events(FILE *f, const char *tracing)
{
	char path[PATH_SIZE], **names, **p;
	unsigned int n = 0;
	int r;

	snprintf(path, sizeof(path), "%s/events/%s", tracing, SYSTEM);
	r = list_names(path, &names);
	if (r)
		fail(STATUS_ABSENT, "%s: %s", path, strerror(-r));
	/* "enable" and "filter" are no events */
	for (p = names; *p; p++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracing, SYSTEM, *p);
		n += !access(path, R_OK);
	}
	put_string(f, SYSTEM);
	put_u32(f, n);
	for (p = names; *p; p++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracing, SYSTEM, *p);
		if (!access(path, R_OK))
			put_file(f, path, sizeof(uint64_t));
	}
	free_names(names);
}

static void put_headers(FILE *f, const char *tracing, unsigned int cpus)
{
	static const char clock[] = "[mono]";
	char path[PATH_SIZE];

	put(f, "\x17\x08\x44tracing", 10);
	put_string(f, "6");
	fputc(__BYTE_ORDER == __BIG_ENDIAN, f);
	fputc(sizeof(long), f);
	put_u32(f, sysconf(_SC_PAGESIZE));
	put_string(f, "header_page");
	snprintf(path, sizeof(path), "%s/events/header_page", tracing);
	put_file(f, path, sizeof(uint64_t));
	put_string(f, "header_event");
	snprintf(path, sizeof(path), "%s/events/header_event", tracing);
	put_file(f, path, sizeof(uint64_t));
	put_u32(f, 0);		/* events of ftrace itself */
	put_u32(f, 1);		/* systems */
	put_events(f, tracing);
	put_u32(f, 0);		/* kernel symbols */
	put_u32(f, 0);		/* formats of trace_printk() */
	snprintf(path, sizeof(path), "%s/saved_cmdlines", tracing);
	put_file(f, path, sizeof(uint64_t));
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

static void put_data(FILE *f, FILE **data, unsigned int cpus)
{
	uint64_t page = sysconf(_SC_PAGESIZE), offset;
	static char buf[1 << 16];
	unsigned int i;
	size_t n;

	offset = align(ftell(f) + cpus * 2 * sizeof(uint64_t), page);
	for (i = 0; i < cpus; i++) {
		uint64_t size = ftell(data[i]);

		put_u64(f, offset);
		put_u64(f, size);
		offset += align(size, page);
	}
	while (ftell(f) % page)
		put(f, "", 1);
	for (i = 0; i < cpus; i++) {
		rewind(data[i]);
		while ((n = fread(buf, 1, sizeof(buf), data[i])) > 0)
			put(f, buf, n);
	}
}

void tracedat_write(FILE *f, const char *path, const char *tracing, FILE **data,
		    unsigned int cpus)
{
	out_path = path;
	put_headers(f, tracing, cpus);
	put_data(f, data, cpus);
	if (fclose(f))
		fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
}
