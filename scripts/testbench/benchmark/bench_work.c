// SPDX-License-Identifier: GPL-2.0
/* LOW work of the benchmark. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "bench_work.h"

/* A tick of the GPU's clock. */
#define GPU_CLOCK_NS	10

int bench_work_init(struct bench_work *w, struct client *c, __u32 priority, unsigned int rounds,
		    unsigned int iterations, unsigned int steps, unsigned int kernels)
{
	unsigned int i;
	int ret;

	memset(w, 0, sizeof(*w));
	w->c = c;
	w->kernels = kernels;
	w->steps = steps;
	w->groups = rounds * low_groups(c);
	ret = aql_create(&w->queue, &c->dev, 64, priority);
	for (i = 0; !ret && i < BENCH_DEPTH; i++) {
		if (!steps) {
			ret = i ? low_job_init_as(c, &w->low[i], &w->low[0]) :
				  low_job_init(c, &w->low[i], w->groups, iterations);
			continue;
		}
		/* its results fill no more than a page */
		if (w->groups > KFD_PAGE / sizeof(__u32))
			return -EINVAL;
		ret = high_job_init(c, &w->step[i], 0);
		w->step[i].args->ticks = steps;
	}
	return ret;
}

static void start(struct bench_work *w, unsigned int i)
{
	struct high_job *job = &w->step[i];

	if (!w->steps) {
		low_job_start(w->c, &w->low[i], &w->queue);
		return;
	}
	aql_signal_init(job->signal, 1, &job->event);
	aql_dispatch(&w->queue, &w->c->steps, w->groups * 64, 64, job->args, job->signal);
}

/* Wait for a dispatch, which is the job's @nth, and look at its results. */
static int finish(struct bench_work *w, unsigned int i, unsigned int nth)
{
	unsigned int group;
	int ret;

	if (!w->steps) {
		ret = low_job_wait(w->c, &w->low[i], 10 * CLIENT_TIMEOUT_MS);
		return ret ?: low_job_wrong(&w->low[i]) ? -EILSEQ : 0;
	}
	ret = high_job_wait(w->c, &w->step[i], 10 * CLIENT_TIMEOUT_MS);
	for (group = 0; !ret && group < w->groups; group++)
		if (w->step[i].done[group] != nth)
			ret = -EILSEQ;
	return ret;
}

volatile __u32 *bench_work_share(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *p = mmap(NULL, KFD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* A new iteration begins when all of the last one has ended. */
static bool may_start(const struct bench_work *w)
{
	unsigned long inflight = w->started - w->dispatches;

	/* what has been started cannot be held back any more */
	if (w->stop || inflight == (w->at_work ? 1 : BENCH_DEPTH))
		return false;
	return !inflight || !w->kernels || w->started % w->kernels;
}

void bench_work_wait(volatile __u32 *at_work, unsigned int priority)
{
	__u32 n;

	while (++priority <= PRIORITY_HIGH)
		while ((n = at_work[priority]))
			syscall(SYS_futex, &at_work[priority], FUTEX_WAIT, n, NULL, NULL, 0);
}

int bench_work_run(struct bench_work *w)
{
	int ret = 0;

	do {
		while (may_start(w)) {
			if (w->at_work)
				bench_work_wait(w->at_work, w->queue.priority);
			start(w, w->started++ % BENCH_DEPTH);
		}
		if (!w->dispatches) {
			printf("running\n");
			fflush(stdout);
		}
		if (w->started == w->dispatches)
			break;
		ret = finish(w, w->dispatches % BENCH_DEPTH, w->dispatches / BENCH_DEPTH + 1);
		printf("done %llu\n", (unsigned long long)kfd_now());
		w->dispatches++;
	} while (!ret);
	return ret;
}

__s64 bench_steps_time(struct client *c, struct aql_queue *q, unsigned int steps,
		       unsigned int rounds)
{
	struct high_job job;
	__s64 ret = high_job_init(c, &job, 0);

	if (ret)
		return ret;
	job.args->ticks = steps;
	aql_signal_init(job.signal, 1, &job.event);
	aql_dispatch(q, &c->steps, rounds * c->dev.cus * 64, 64, job.args, job.signal);
	ret = high_job_wait(c, &job, CLIENT_TIMEOUT_MS);
	if (!ret)
		ret = (job.signal->end_ts - job.signal->start_ts) * GPU_CLOCK_NS;
	high_job_free(c, &job);
	return ret;
}
