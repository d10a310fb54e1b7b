// SPDX-License-Identifier: GPL-2.0
/*
 * The compute queues of all processes, by KFD's files in sysfs. AMDKFD_IOC_GPREEMPT
 * tells the same, but who opens /dev/kfd is a GPU process itself.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "gpreempt.h"

#define PROCESSES	KFD_CLASS "/proc"

static const struct {
	const char *file;
	size_t offset;
	bool scans;	/* a read has a parked node's monitor scan */
} numbers[] = {
	{ "gpreempt/priority", offsetof(struct queue, priority) },
	{ "gpreempt/permitted_priority", offsetof(struct queue, permitted) },
	{ "gpreempt/effective_priority", offsetof(struct queue, effective) },
	{ "gpreempt/timeslice_us", offsetof(struct queue, timeslice_us) },
	{ "gpreempt/weight", offsetof(struct queue, weight) },
	{ "gpreempt/min_percent", offsetof(struct queue, min_percent) },
	{ "gpreempt/cap_percent", offsetof(struct queue, cap_percent) },
	{ "gpreempt/preemptions", offsetof(struct queue, preemptions) },
	{ "gpreempt/running_ns", offsetof(struct queue, running_ns), true },
	{ "gpreempt/waiting_ns", offsetof(struct queue, waiting_ns), true },
	{ "gpreempt/preempted_ns", offsetof(struct queue, preempted_ns) },
};

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Of the folder of a queue. */
static int queue_number(const struct queue *q, const char *file, uint64_t *value)
{
	return read_number(value, PROCESSES "/%u/queues/%u/%s", q->folder, q->id, file);
}

int queue_state(struct queue *q)
{
	return read_text(q->state, sizeof(q->state), PROCESSES "/%u/queues/%u/gpreempt/state",
			 q->folder, q->id);
}

/* What is of GPREEMPT. -EACCES if the caller may not control the process. */
static int read_state(struct queue *q, bool times)
{
	unsigned int i;
	uint64_t pid;
	/* in a pid namespace a process has another number than on the host, or none */
	int r = queue_number(q, "gpreempt/pid", &pid);

	if (!r && !pid)
		return -EACCES;
	if (pid)
		q->pid = pid;
	r = r ?: queue_state(q);
	for (i = 0; !r && i < ARRAY_SIZE(numbers); i++) {
		if (numbers[i].scans && !times)
			continue;
		r = queue_number(q, numbers[i].file, (uint64_t *)((char *)q + numbers[i].offset));
	}
	return r;
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
	char text[32];
	bool known = !read_text(text, sizeof(text), "/proc/%u/comm", pid);

	utf8_text(name, size, known ? text : "?");
	return known;
}

/* 0, or an error of a queue that is not compute, or gone. */
static int read_queue(struct queue *q, const char *folder, const char *id, bool times)
{
	uint64_t gpu_id;
	int r;

	*q = (struct queue) { .folder = strtoul(folder, NULL, 10), .id = strtoul(id, NULL, 10) };
	q->pid = q->folder;
	r = read_state(q, times);
	q->hidden = r == -EACCES;
	if (q->hidden)
		r = 0;
	r = r ?: queue_number(q, "gpuid", &gpu_id);
	if (r)
		return r;
	q->gpu_id = gpu_id;
	/* an older driver tells of no groups: each process is one */
	queue_number(q, "gpreempt/group", &q->group);
	if (q->group)
		cgroup_find(q->pid, q->group, q->cgroup, sizeof(q->cgroup));
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
