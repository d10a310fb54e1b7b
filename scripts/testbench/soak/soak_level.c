// SPDX-License-Identifier: GPL-2.0
/*
 * What must be the same after every period, when all clients have ended: judged
 * by main.py.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "soak.h"

#define KFD_PROCESSES	"/sys/class/kfd/kfd/proc"
#define DEVICE		"/sys/class/drm/card0/device/"
#define DRM_CLIENTS	"/sys/kernel/debug/dri/0/clients"
#define SLABS		"/sys/kernel/debug/slab"	/* with slub_debug=U */
#define QUIET_MS	20000	/* KFD takes a process down when it finds the time */

/* Entries of a folder whose names begin so; "" for all. */
static int count_entries(const char *path, const char *begin)
{
	struct dirent *e;
	DIR *d = opendir(path);
	int n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.' && !strncmp(e->d_name, begin, strlen(begin));
	if (d)
		closedir(d);
	return n;
}

static int count_lines(const char *path)
{
	FILE *f = fopen(path, "re");
	int c, n = 0;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

void soak_wait_quiet(struct soak *s)
{
	unsigned int ms;

	for (ms = 0; count_entries(KFD_PROCESSES, "") || count_lines(DRM_CLIENTS) > 1; ms += 10) {
		if (ms > QUIET_MS) {
			soak_fail(s, "%d processes are left in KFD, %d in DRM",
				  count_entries(KFD_PROCESSES, ""), count_lines(DRM_CLIENTS) - 1);
			return;
		}
		usleep(10000);
	}
}

static long long number(const char *path)
{
	char text[64];

	return file_read(path, text, sizeof(text)) ? -1 : atoll(text);
}

/* A line "NAME: 123 kB". */
static long long meminfo(const char *name)
{
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");
	long long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			kb = atoll(line + strlen(name) + 1);
	if (f)
		fclose(f);
	return kb;
}

/* Objects in use of the slabs whose names begin so. */
static long long slab_objects(const char *begin)
{
	char line[512], name[64];
	FILE *f = fopen("/proc/slabinfo", "re");
	long long n = 0, used;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %lld", name, &used) == 2 &&
		    !strncmp(name, begin, strlen(begin)))
			n += used;
	if (f)
		fclose(f);
	return n;
}

/*
 * Objects of kmalloc in use, by what is in the trace of their allocation: GPREEMPT's, and
 * the others but for jobs of the DRM scheduler, which keeps some that are done.
 */
struct objects {
	long long ours, jobs, others;
};

/* One cache's: a line "  COUNT FUNCTION age=...", then the trace, then an empty line. */
static void count_traces(FILE *f, struct objects *o)
{
	long long n = 0, count;
	bool ours = false, job = false;
	char line[512];

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lld %*s", &count) == 1 && strstr(line, "age=")) {
			n = count;
			ours = false;
			job = false;
		}
		ours |= !!strstr(line, "gpreempt");
		job |= !!strstr(line, "amdgpu_job_alloc") || !!strstr(line, "drm_sched");
		if (line[0] == '\n') {
			*(ours ? &o->ours : job ? &o->jobs : &o->others) += n;
			n = 0;
		}
	}
}

static struct objects count_objects(void)
{
	struct objects o = {};
	char path[320];
	struct dirent *e;
	DIR *d = opendir(SLABS);
	FILE *f;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, "kmalloc", 7))
			continue;
		snprintf(path, sizeof(path), SLABS "/%s/alloc_traces", e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		count_traces(f, &o);
		fclose(f);
	}
	if (d)
		closedir(d);
	return o;
}

/* Caches of CPUs count as used: they are given back first. */
static void shrink(void)
{
	char path[320];
	struct dirent *e;
	DIR *d;

	file_write("/proc/sys/vm/drop_caches", "3");
	d = opendir("/sys/kernel/slab");
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", e->d_name);
		file_write(path, "1");
	}
	if (d)
		closedir(d);
}

/* User processes and kernel threads, but for workers, which come and go. */
static int count_tasks(void)
{
	char path[300], comm[32];
	struct dirent *e;
	DIR *d = opendir("/proc");
	int n = 0;

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		n += e->d_name[0] >= '0' && e->d_name[0] <= '9' &&
		     !file_read(path, comm, sizeof(comm)) && strncmp(comm, "kworker", 7);
	}
	if (d)
		closedir(d);
	return n;
}

void soak_print_levels(void)
{
	struct objects o;

	shrink();
	o = count_objects();
	printf("level references=%lld tasks=%d descriptors=%d", number("/sys/module/amdgpu/refcnt"),
	       count_tasks(), count_entries("/proc/self/fd", ""));
	printf(" files=%lld mms=%lld kernfs=%lld", slab_objects("filp"), slab_objects("mm_struct"),
	       slab_objects("kernfs_node_cache"));
	printf(" vram=%lld gtt=%lld", number(DEVICE "mem_info_vram_used"),
	       number(DEVICE "mem_info_gtt_used"));
	printf(" ours=%lld jobs=%lld kmalloc=%lld", o.ours, o.jobs, o.others);
	printf(" unreclaimable_kb=%lld available_kb=%lld\n", meminfo("SUnreclaim"),
	       meminfo("MemAvailable"));
}
