// SPDX-License-Identifier: GPL-2.0
/* GPREEMPT's files in sysfs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "kfd.h"

/*
 * The folder of the GPU that was found last, and KFD_GPU at that time. The folder goes when its
 * node does. To look for a GPU among all nodes takes longer than what is done in the folder.
 */
static char folder[64], folder_of[16];

static int find_folder(void)
{
	const char *which = getenv("KFD_GPU") ?: "";
	unsigned int node;
	__u32 gpu_id;
	int ret;

	if (!strcmp(which, folder_of) && !access(folder, F_OK))
		return 0;
	ret = kfd_find_gpu(&gpu_id, &node);
	if (ret)
		return ret;
	snprintf(folder, sizeof(folder), "/sys/class/kfd/kfd/gpreempt/%u", gpu_id);
	snprintf(folder_of, sizeof(folder_of), "%s", which);
	return 0;
}

int gpreempt_path(const char *file, char *path, size_t size)
{
	int ret = find_folder();

	if (ret)
		return ret;
	snprintf(path, size, "%s%s%s", folder, file ? "/" : "", file ? file : "");
	return 0;
}

bool gpreempt_present(void)
{
	char path[128];

	return !gpreempt_path(NULL, path, sizeof(path)) && !access(path, F_OK);
}

static int open_file(const char *file, int flags)
{
	char path[128];
	int ret, fd;

	ret = gpreempt_path(file, path, sizeof(path));
	if (ret)
		return ret;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int gpreempt_read(const char *file, char *buf, size_t size)
{
	int fd = open_file(file, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, buf, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	if (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return 0;
}

long long gpreempt_number(const char *file)
{
	char text[64], *end;
	long long value;
	int ret;

	ret = gpreempt_read(file, text, sizeof(text));
	if (ret)
		return ret;
	value = strtoll(text, &end, 10);
	return end == text || *end ? -EINVAL : value;
}

pid_t gpreempt_monitor(void)
{
	char path[300], name[32], comm[32];
	unsigned int node;
	struct dirent *e;
	__u32 gpu_id;
	pid_t pid = 0;
	DIR *d;

	if (kfd_find_gpu(&gpu_id, &node))
		return 0;
	snprintf(name, sizeof(name), "gpreempt/%u\n", gpu_id);
	d = opendir("/proc");
	while (d && !pid && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		if (!file_read(path, comm, sizeof(comm)) && !strcmp(comm, name))
			pid = atoi(e->d_name);
	}
	if (d)
		closedir(d);
	return pid;
}

long long gpreempt_preempted(void)
{
	return gpreempt_number("stats/preemptions") - gpreempt_number("stats/resumes");
}

int gpreempt_write(const char *file, const char *text)
{
	int fd = open_file(file, O_WRONLY);
	int ret;

	if (fd < 0)
		return fd;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int gpreempt_set(const char *file, long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld\n", value);
	return gpreempt_write(file, text);
}

const struct gpreempt_tunable gpreempt_tunables[] = {
	{ "poll_interval_us", 50, 1000000, 1000 },
	{ "poll_interval_max_us", 50, 1000000, 10000 },
	{ "starvation_ms", 10, 60000, 1000 },
	{ "min_residency_us", 0, 1000000, 500 },
	{ "linger_max_us", 0, 100000, 1000 },
	{ "blocked_us", 100, 1000000, 2000 },
	{ "preempt_timeout_ms", 1, 9000, 100 },
	{ "slow_save_ms", 1, 9000, 10 },
	{ "priority_cap", 0, 15, 7 },
};

static void keep(const char *file)
{
	char path[128];

	if (!gpreempt_path(file, path, sizeof(path)))
		file_keep(path);
}

/* The one tunable whose default is the GPU's, and is not always there: as it was found. */
static int reset_grace(void)
{
	static char found[32];
	int ret = 0;

	keep("grace_us");
	if (!*found)
		ret = gpreempt_read("grace_us", found, sizeof(found));
	if (ret)
		return ret == -EOPNOTSUPP ? 0 : ret;
	return gpreempt_write("grace_us", found);
}

/* Nor is this one always there. */
static int reset_idle(void)
{
	int ret;

	keep("idle_unmap_ms");
	ret = gpreempt_set("idle_unmap_ms", 0);
	return ret == -EOPNOTSUPP ? 0 : ret;
}

int gpreempt_end(void)
{
	char name[64];
	unsigned int i;
	int ret;

	keep("enable");
	ret = gpreempt_set("enable", 0);
	ret = ret ?: reset_grace();
	ret = ret ?: reset_idle();
	for (i = 0; !ret && i < sizeof(gpreempt_tunables) / sizeof(gpreempt_tunables[0]); i++) {
		keep(gpreempt_tunables[i].file);
		ret = gpreempt_set(gpreempt_tunables[i].file, gpreempt_tunables[i].def);
	}
	for (i = 0; !ret && i < 16; i++) {
		snprintf(name, sizeof(name), "level%u/timeslice_us", i);
		keep(name);
		ret = gpreempt_set(name, GPREEMPT_TIMESLICE_US);
	}
	keep("policy");
	return ret ?: gpreempt_write("policy", "strict");
}

int gpreempt_begin(void)
{
	int ret = gpreempt_end();

	/* what a GPU cannot do, it says when it is asked to */
	ret = ret ?: gpreempt_set("enable", 1);
	ret = ret ?: gpreempt_set("enable", 0);
	if (ret || !gpu_model_present() || gpu_model_figures())
		return ret;
	ret = gpreempt_set("preempt_timeout_ms", 9000);
	ret = ret ?: gpreempt_set("slow_save_ms", 9000);
	return ret ?: gpreempt_set("blocked_us", 500000);
}

unsigned int gpreempt_save_sleeps_us(void)
{
	char backend[16] = "";

	gpreempt_read("backend", backend, sizeof(backend));
	return strcmp(backend, "hqd") ? 0 : 1000;
}

const char *gpreempt_missing(int ret)
{
	switch (ret) {
	case -ENODEV:
		return KFD_MISSING;
	case -ENOENT:
		return "no GPREEMPT in this kernel";
	case -EOPNOTSUPP:
		return "GPREEMPT cannot be enabled on this GPU";
	case -EACCES:
		return "not root";
	default:
		return NULL;
	}
}

int gpreempt_share_cpu(void)
{
	pid_t monitor = gpreempt_monitor();
	cpu_set_t set;

	if (!monitor)
		return -ESRCH;
	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setaffinity(monitor, sizeof(set), &set))
		return -errno;
	return 0;
}

int gpreempt_wait_state(const char *state, unsigned int timeout_ms)
{
	__u64 end = kfd_now() + timeout_ms * 1000000ULL;
	char text[32];
	int ret;

	for (;;) {
		ret = gpreempt_read("state", text, sizeof(text));
		if (ret || !strcmp(text, state))
			return ret;
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
}

int gpreempt_wait_number(const char *file, long long least, unsigned int timeout_ms)
{
	__u64 end = kfd_now() + timeout_ms * 1000000ULL;

	while (gpreempt_number(file) < least) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

int gpreempt_wait_scans(unsigned int n, unsigned int timeout_ms)
{
	return gpreempt_wait_number("stats/scans", gpreempt_number("stats/scans") + n,
				    timeout_ms);
}
