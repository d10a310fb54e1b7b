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

/* What is of GPREEMPT; -EACCES of another user's. */
static int read_state(struct queue *q, const char *pid, const char *id, bool times)
{
	char path[PATH_SIZE];
	unsigned int i;
	int r;

	snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpreempt/state", pid, id);
	r = read_text(path, q->state, sizeof(q->state));
	for (i = 0; !r && i < ARRAY_SIZE(numbers); i++) {
		if (numbers[i].scans && !times)
			continue;
		snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpreempt/%s", pid, id,
			 numbers[i].file);
		r = read_number(path, (uint64_t *)((char *)q + numbers[i].offset));
	}
	return r;
}

/* An older driver tells of no groups: each process is one. */
static void read_group(struct queue *q, const char *pid, const char *id)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpreempt/group", pid, id);
	if (read_number(path, &q->group))
		q->group = 0;
	if (q->group)
		cgroup_find(q->pid, q->group, q->cgroup, sizeof(q->cgroup));
}

int queue_state(struct queue *q)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), PROCESSES "/%u/queues/%u/gpreempt/state", q->pid, q->id);
	return read_text(path, q->state, sizeof(q->state));
}

const struct queue *queues_find(const struct queues *all, const struct queue *q)
{
	unsigned int i;

	for (i = 0; i < all->count; i++)
		if (all->q[i].pid == q->pid && all->q[i].id == q->id &&
		    all->q[i].gpu_id == q->gpu_id)
			return &all->q[i];
	return NULL;
}

/* 0, or an error of a queue that is not compute, or gone. */
static int read_queue(struct queue *q, const char *pid, const char *id, bool times)
{
	char path[PATH_SIZE];
	uint64_t gpu_id;
	int r;

	*q = (struct queue) { };
	r = read_state(q, pid, id, times);
	q->hidden = r == -EACCES;
	if (r && !q->hidden)
		return r;
	snprintf(path, sizeof(path), PROCESSES "/%s/queues/%s/gpuid", pid, id);
	r = read_number(path, &gpu_id);
	if (r)
		return r;
	q->pid = strtoul(pid, NULL, 10);
	q->id = strtoul(id, NULL, 10);
	q->gpu_id = gpu_id;
	read_group(q, pid, id);
	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (read_text(path, q->command, sizeof(q->command)))
		strcpy(q->command, "?");
	return 0;
}

static void read_process(struct queues *all, const char *pid, bool times)
{
	char path[PATH_SIZE], **ids, **p;
	struct queue q;

	snprintf(path, sizeof(path), PROCESSES "/%s/queues", pid);
	if (list_names(path, &ids))
		return;
	for (p = ids; *p; p++) {
		if (read_queue(&q, pid, *p, times))
			continue;
		all->q = xrealloc(all->q, (all->count + 1) * sizeof(q));
		all->q[all->count++] = q;
	}
	free_names(ids);
}

void queues_read(struct queues *all, bool times)
{
	char **pids, **p;

	*all = (struct queues) { .ns = now_ns() };
	if (list_names(PROCESSES, &pids))
		return;
	for (p = pids; *p; p++)
		read_process(all, *p, times);
	free_names(pids);
}
