// SPDX-License-Identifier: GPL-2.0
/*
 * soak's clients: what they compute is compared word by word with what the CPU
 * computes, and what they do besides is drawn from their seed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "debugger.h"
#include "gpreempt.h"
#include "ioctl_call.h"
#include "ring.h"
#include "soak.h"

#define RING		64
#define LOOK_US		3000	/* how often a client looks after its queues */
#define HOLD_ITEMS	256
#define HOLD_GROUP	128
#define COPY_BYTES	(64 << 10)
#define SDMA_COPY	1	/* vega10_sdma_pkt_open.h */

/**
 * struct worker - a client at work
 * @part: @seat: its own
 * @c:		device
 * @q:		queues
 * @job:	two for each, so that it is never without
 * @next:	which of them ends first
 * @seed:	of what comes next
 * @debugged:	a debugger is attached
 * @dbg_fd:	for its events
 * @page:	to be lost under the GPU
 * @ring:	SDMA queue, if there is the habit
 * @from: @to:	of its copies
 */
struct worker {
	const struct soak_part *part;
	struct soak_seat *seat;
	struct client c;
	struct aql_queue q[SOAK_QUEUES];
	struct low_job job[SOAK_QUEUES][2];
	unsigned int next[SOAK_QUEUES];
	unsigned int seed;
	bool debugged;
	int dbg_fd;
	struct kfd_mem page;
	struct ring_queue ring;
	struct kfd_mem from, to;
};

/* 0 to @n - 1 */
static unsigned int draw(struct worker *w, unsigned int n)
{
	return rand_r(&w->seed) % n;
}

/* Remembers the first step that failed; returns @ret. */
static int step(struct soak_seat *seat, const char *name, int ret)
{
	if (ret && !seat->error) {
		snprintf(seat->step, sizeof(seat->step), "%s", name);
		seat->error = ret;
	}
	return ret;
}

#define STEP(w, call)	step((w)->seat, #call, call)

static void compared(struct worker *w, unsigned int words, unsigned int wrong)
{
	w->seat->results++;
	w->seat->words += words;
	w->seat->wrong += wrong;
}

/* Waits for a signal, also for one whose interrupt is lost. */
static int wait_signal(struct worker *w, struct aql_signal *signal)
{
	unsigned int tries;

	for (tries = 0; tries < CLIENT_TIMEOUT_MS / 100; tries++)
		if (!aql_signal_wait(&w->c.dev, signal, 100))
			return 0;
	return -ETIME;
}

static int make_queue(struct worker *w, unsigned int i)
{
	unsigned int k;
	int ret = aql_create(&w->q[i], &w->c.dev, RING, w->part->priority);

	for (k = 0; !ret && k < 2; k++) {
		ret = low_job_init(&w->c, &w->job[i][k], w->part->groups, w->part->iterations);
		if (!ret)
			low_job_start(&w->c, &w->job[i][k], &w->q[i]);
	}
	w->next[i] = 0;
	return ret;
}

static void check_job(struct worker *w, struct low_job *job)
{
	compared(w, job->groups * LOW_GROUP, low_job_wrong(job));
}

/* All that the queue has is waited for, and compared. */
static int drain(struct worker *w, unsigned int i)
{
	unsigned int k;
	int ret = 0;

	for (k = 0; !ret && k < 2; k++, w->next[i] ^= 1) {
		struct low_job *job = &w->job[i][w->next[i]];

		ret = wait_signal(w, job->signal);
		if (!ret)
			check_job(w, job);
	}
	return ret;
}

static int end_queue(struct worker *w, unsigned int i)
{
	int ret = drain(w, i);

	ret = ret ?: aql_destroy(&w->q[i]);
	low_job_free(&w->c, &w->job[i][0]);
	low_job_free(&w->c, &w->job[i][1]);
	return ret;
}

/* Jobs that ended are compared and started again. */
static void turn(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < w->part->queues; i++) {
		struct low_job *job = &w->job[i][w->next[i]];

		if (job->signal->value)
			continue;
		check_job(w, job);
		low_job_start(&w->c, job, &w->q[i]);
		w->next[i] ^= 1;
	}
}

/* ---- habits: each returns 0, or an error that must not be ---- */

/* Destroyed with work under way every other time. */
static int queues(struct worker *w)
{
	unsigned int i = draw(w, w->part->queues);
	int ret;

	if (draw(w, 2)) {
		ret = STEP(w, end_queue(w, i));
	} else {
		ret = STEP(w, aql_destroy(&w->q[i]));
		low_job_free(&w->c, &w->job[i][0]);
		low_job_free(&w->c, &w->job[i][1]);
	}
	return ret ?: STEP(w, make_queue(w, i));
}

static int update(struct worker *w)
{
	struct aql_queue *q = &w->q[draw(w, w->part->queues)];
	int ret = STEP(w, aql_update(q, 0, w->part->priority));

	usleep(draw(w, 3000));
	return ret ?: STEP(w, aql_update(q, 100, draw(w, 4) ? w->part->priority : draw(w, 16)));
}

/* What GPREEMPT answers depends on its state and on others: any errno is right here. */
static int calls(struct worker *w)
{
	struct aql_queue *q = &w->q[draw(w, w->part->queues)];
	struct kfd_ioctl_gpreempt_args hint = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = q->id,
		.hint = { .arrival_us = 1 + draw(w, 2000), .duration_us = draw(w, 2000) },
	};
	struct kfd_gpreempt_queue_info info;

	switch (draw(w, 7)) {
	case 0:
		gpreempt_set_priority(&w->c.dev, 0, q->id,
				      draw(w, 2) ? KFD_GPREEMPT_NONE : draw(w, 16));
		break;
	case 1:
		gpreempt_set_timeslice(&w->c.dev, q->id, 1000 + draw(w, 10000));
		break;
	case 2:
		gpreempt_hold(q, 1 + draw(w, 20));
		break;
	case 3:
		gpreempt_preempt(&w->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, q->id, 0, 0, 0);
		break;
	case 4:
		gpreempt_preempt(&w->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, 0,
				 KFD_GPREEMPT_ALL | KFD_GPREEMPT_EVERYBODY, 0, 0);
		break;
	case 5:
		gpreempt_call(&w->c.dev, &hint);
		break;
	default:
		return STEP(w, gpreempt_get(&w->c.dev, 0, q->id, &info));
	}
	return 0;
}

static int pages(struct worker *w)
{
	if (!w->page.ptr && STEP(w, kfd_alloc(&w->c.dev, &w->page, KFD_PAGE, KFD_MEM_HOST)))
		return -ENOMEM;
	return STEP(w, madvise(w->page.ptr, w->page.size, MADV_DONTNEED));
}

static int copy_of_us(struct worker *w)
{
	pid_t pid = client_fork();

	if (!pid)
		_exit(0);
	return STEP(w, waitpid(pid, NULL, 0) == pid ? 0 : -errno);
}

/* How much there is depends on others, too: there may be none left. */
static int vram(struct worker *w)
{
	pid_t pid = client_fork();

	if (!pid)
		_exit(client_take_vram(w->c.dev.drm_fd, (192 + draw(w, 192)) << 20, 20));
	return STEP(w, waitpid(pid, NULL, 0) == pid ? 0 : -errno);
}

/* Attached to itself, with a queue that it suspends for a while; detached again. */
static int be_debugged(struct worker *w)
{
	__u32 queue = w->q[draw(w, w->part->queues)].id;
	int ret;

	if (!w->debugged) {
		ret = STEP(w, debugger_attach(&w->c.dev, w->dbg_fd));
		w->debugged = !ret;
		return ret;
	}
	if (draw(w, 2)) {
		ret = STEP(w, debugger_suspend(&w->c.dev, queue) - 1);
		usleep(draw(w, 3000));
		return ret ?: STEP(w, debugger_resume(&w->c.dev, queue) - 1);
	}
	w->debugged = false;
	return STEP(w, debugger_detach(&w->c.dev));
}

static int copy(struct worker *w)
{
	__u32 *from = w->from.ptr, *to = w->to.ptr;
	__u32 tag = rand_r(&w->seed);
	unsigned int i, wrong = 0;

	for (i = 0; i < COPY_BYTES / 4; i++)
		from[i] = tag + i;
	RING_PUT(&w->ring, SDMA_COPY, COPY_BYTES - 1, 0, LO(from), HI(from), LO(to), HI(to));
	ring_submit(&w->ring);
	if (STEP(w, ring_wait(&w->ring, CLIENT_TIMEOUT_MS)))
		return -ETIME;
	for (i = 0; i < COPY_BYTES / 4; i++)
		wrong += to[i] != tag + i;
	compared(w, COPY_BYTES / 4, wrong);
	return 0;
}

static int hold(struct worker *w)
{
	struct aql_queue *q = &w->q[draw(w, w->part->queues)];
	struct hold_job job;
	int ret;

	ret = STEP(w, hold_job_start(&w->c, &job, q, HOLD_ITEMS, HOLD_GROUP, rand_r(&w->seed)));
	if (ret)
		return ret;
	usleep(draw(w, 20000));
	*job.stop = 1;
	ret = STEP(w, wait_signal(w, job.signal));
	if (!ret)
		compared(w, 2 * job.items, hold_job_wrong(&job));
	kfd_free(&w->c.dev, &job.mem);
	return ret;
}

const char *const soak_habits[HABITS] = {
	[HABIT_QUEUES] = "queues",
	[HABIT_UPDATE] = "update",
	[HABIT_CALLS] = "calls",
	[HABIT_PAGES] = "pages",
	[HABIT_FORK] = "fork",
	[HABIT_VRAM] = "vram",
	[HABIT_DEBUGGER] = "debugger",
	[HABIT_COPY] = "copy",
	[HABIT_HOLD] = "hold",
};

static int (*const act[HABITS])(struct worker *w) = {
	[HABIT_QUEUES] = queues,
	[HABIT_UPDATE] = update,
	[HABIT_CALLS] = calls,
	[HABIT_PAGES] = pages,
	[HABIT_FORK] = copy_of_us,
	[HABIT_VRAM] = vram,
	[HABIT_DEBUGGER] = be_debugged,
	[HABIT_COPY] = copy,
	[HABIT_HOLD] = hold,
};

/* One of those that the part has. */
static int some_habit(struct worker *w)
{
	unsigned int habit;

	do {
		habit = draw(w, HABITS);
	} while (!(w->part->habits & 1U << habit));
	w->seat->acts[habit]++;
	return act[habit](w);
}

static int open_client(struct worker *w)
{
	unsigned int habits = w->part->habits;
	struct kfd_dev *dev = &w->c.dev;

	if (STEP(w, client_open(&w->c)))
		return -ENODEV;
	if (habits & 1U << HABIT_DEBUGGER) {
		w->dbg_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (STEP(w, debugger_allow(dev)))
			return -EIO;
	}
	if (habits & 1U << HABIT_COPY &&
	    (STEP(w, ring_create(&w->ring, dev, KFD_IOC_QUEUE_TYPE_SDMA, 1024, 7)) ||
	     STEP(w, kfd_alloc(dev, &w->from, COPY_BYTES, KFD_MEM_HOST)) ||
	     STEP(w, kfd_alloc(dev, &w->to, COPY_BYTES, KFD_MEM_HOST))))
		return -ENOMEM;
	return 0;
}

/* When a habit comes to act next. */
static __u64 next_act(struct worker *w)
{
	return w->part->habits ? kfd_now() + draw(w, w->part->habit_us) * 1000ULL : ~0ULL;
}

static int run_low(struct worker *w)
{
	__u64 next;
	unsigned int i;

	for (i = 0; i < w->part->queues; i++)
		if (STEP(w, make_queue(w, i)))
			return 1;
	w->seat->ready = 1;
	next = next_act(w);
	while (!w->seat->stop) {
		turn(w);
		if (kfd_now() > next) {
			if (some_habit(w))
				return 1;
			next = next_act(w);
		}
		usleep(LOOK_US);
	}
	if (w->debugged && STEP(w, debugger_detach(&w->c.dev)))
		return 1;
	for (i = 0; i < w->part->queues; i++)
		if (STEP(w, end_queue(w, i)))
			return 1;
	if (w->part->habits & 1U << HABIT_COPY && STEP(w, ring_destroy(&w->ring)))
		return 1;
	return 0;
}

/* Each workgroup of each kernel ran once. */
static int run_high(struct worker *w)
{
	struct aql_queue *q = &w->q[0];
	unsigned int groups = w->part->groups, i, runs = 0, wrong;
	struct high_job job;
	int ret;

	if (STEP(w, aql_create(q, &w->c.dev, RING, w->part->priority)) ||
	    STEP(w, high_job_init(&w->c, &job, 0)))
		return 1;
	job.args->ticks = w->part->iterations;
	w->seat->ready = 1;
	do {
		aql_signal_init(job.signal, 1, &job.event);
		aql_dispatch(q, &w->c.steps, groups * 64, 64, job.args, job.signal);
		ret = STEP(w, wait_signal(w, job.signal));
		if (ret)
			return 1;
		runs++;
		for (i = 0, wrong = 0; i < groups; i++)
			wrong += job.done[i] != runs;
		compared(w, groups, wrong);
		usleep(1 + draw(w, w->part->us));
	} while (!w->seat->stop && !wrong);
	high_job_free(&w->c, &job);
	return STEP(w, aql_destroy(q)) ? 1 : 0;
}

/* It says itself whether what it computed was right; at least one run is whole. */
static int run_program(const struct soak_part *part, struct soak_seat *seat)
{
	int status;

	seat->ready = 1;
	do {
		status = system(part->program);
		if (step(seat, "its exit status", status))
			return 1;
		seat->results++;
	} while (!seat->stop);
	return 0;
}

int soak_client(const struct soak_part *part, struct soak_seat *seat)
{
	static struct worker w;
	int ret;

	if (part->kind == SOAK_PROGRAM)
		return run_program(part, seat);
	w.part = part;
	w.seat = seat;
	w.seed = part->seed;
	if (open_client(&w))
		return 1;
	ret = part->kind == SOAK_LOW ? run_low(&w) : run_high(&w);
	if (!ret)
		client_close(&w.c);
	return ret || seat->wrong;
}
