// SPDX-License-Identifier: GPL-2.0
/*
 * The compute queues of all processes, by KFD's files in sysfs. AMDKFD_IOC_GPREEMPT
 * tells the same, but who opens /dev/kfd is a GPU process itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpreempt.h"

#define PROCESSES	KFD_CLASS "/proc"

static const struct {
	const char *file;
	size_t offset;
	bool scans;	/* a read has a parked node's monitor scan */
} numbers[] = {
	{ "priority", offsetof(struct queue, priority) },
	{ "permitted_priority", offsetof(struct queue, permitted) },
	{ "effective_priority", offsetof(struct queue, effective) },
	{ "timeslice_us", offsetof(struct queue, timeslice_us) },
	{ "weight", offsetof(struct queue, weight) },
	{ "min_percent", offsetof(struct queue, min_percent) },
	{ "cap_percent", offsetof(struct queue, cap_percent) },
	{ "preemptions", offsetof(struct queue, preemptions) },
	{ "running_ns", offsetof(struct queue, running_ns), true },
	{ "waiting_ns", offsetof(struct queue, waiting_ns), true },
	{ "preempted_ns", offsetof(struct queue, preempted_ns) },
};

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/*
 * In a pid namespace a process has another number than on the host, or none. -EACCES if the caller
 * may not control it.
 */
static int read_pid(struct queue *q, const char *folder, const char *id)
{
	char path[PATH_SIZE];
	uint64_t pid;
	int r;

	snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpreempt/pid", folder, id);
	r = read_number(path, &pid);
	if (pid)
		q->pid = pid;
	return r ?: pid ? 0 : -EACCES;
}

/* What is of GPREEMPT. */
static int read_state(struct queue *q, const char *folder, const char *id, bool times)
{
	char path[PATH_SIZE];
	unsigned int i;
	int r;

	snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpreempt/state", folder, id);
	r = read_text(path, q->state, sizeof(q->state));
	for (i = 0; !r && i < ARRAY_SIZE(numbers); i++) {
		if (numbers[i].scans && !times)
			continue;
		snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpreempt/%s", folder, id,
			 numbers[i].file);
		r = read_number(path, (uint64_t *)((char *)q + numbers[i].offset));
	}
	return r;
}

/* An older driver tells of no groups: each process is one. */
static void read_group(struct queue *q, const char *folder, const char *id)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpreempt/group", folder, id);
	if (read_number(path, &q->group))
		q->group = 0;
	if (q->group)
		cgroup_find(q->pid, q->group, q->cgroup, sizeof(q->cgroup));
}

int queue_state(struct queue *q)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), PROCESSES "/%u/queues/%u/gpreempt/state", q->folder, q->id);
	return read_text(path, q->state, sizeof(q->state));
}

const struct queue *queues_find(const struct queues *all, const struct queue *q)
{
	unsigned int i;

	for (i = 0; i < all->count; i++)
		if (all->q[i].folder == q->folder && all->q[i].id == q->id &&
		    all->q[i].gpu_id == q->gpu_id)
			return &all->q[i];
	return NULL;
}

bool process_name(unsigned int pid, char *name, size_t size)
{
	char path[PATH_SIZE], text[32];
	bool known;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	known = !read_text(path, text, sizeof(text));
	utf8_text(name, size, known ? text : "?");
	return known;
}

/* 0, or an error of a queue that is not compute, or gone. */
static int read_queue(struct queue *q, const char *folder, const char *id, bool times)
{
	char path[PATH_SIZE];
	uint64_t gpu_id;
	int r;

	*q = (struct queue) { };
	q->folder = strtoul(folder, NULL, 10);
	q->pid = q->folder;
	q->id = strtoul(id, NULL, 10);
	r = read_pid(q, folder, id) ?: read_state(q, folder, id, times);
	q->hidden = r == -EACCES;
	if (r && !q->hidden)
		return r;
	snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpuid", folder, id);
	r = read_number(path, &gpu_id);
	if (r)
		return r;
	q->gpu_id = gpu_id;
	read_group(q, folder, id);
	process_name(q->pid, q->command, sizeof(q->command));
	return 0;
}

static void read_process(struct queues *all, const char *folder, bool times)
{
	char path[PATH_SIZE], **ids, **p;
	struct queue q;

	snprintf(path, sizeof(path), PROCESSES "/%s/queues", folder);
	if (list_names(path, &ids))
		return;
	for (p = ids; *p; p++) {
		if (read_queue(&q, folder, *p, times))
			continue;
		all->q = xrealloc(all->q, (all->count + 1) * sizeof(q));
		all->q[all->count++] = q;
	}
	free_names(ids);
}

void queues_read(struct queues *all, bool times)
{
	char **folders, **p;

	*all = (struct queues) { .ns = now_ns() };
	if (list_names(PROCESSES, &folders))
		return;
	for (p = folders; *p; p++)
		read_process(all, *p, times);
	free_names(folders);
}
