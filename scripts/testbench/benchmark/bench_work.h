/* SPDX-License-Identifier: GPL-2.0 */
/* LOW work of the benchmark: a queue that is never without a dispatch for long. */
#ifndef KFD_GPREEMPT_BENCH_WORK_H
#define KFD_GPREEMPT_BENCH_WORK_H

#include "client.h"

/* Dispatches in flight, so that the machine is never without one. */
#define BENCH_DEPTH	3
/* Of a process, at most. */
#define BENCH_QUEUES	32

/**
 * struct bench_work - one queue and its jobs
 * @c:		device
 * @queue:	its queue
 * @steps:	of the kernel of that name, or 0: the LOW kernel
 * @groups:	workgroups of a dispatch
 * @kernels:	dispatches of an iteration, which all end before the next begins; 0: none
 * @low:	jobs of the LOW kernel
 * @step:	jobs of the other
 * @at_work:	see bench_work_share(), or NULL
 * @stop:	end after what is in flight
 * @started: @dispatches: dispatches that began, that ended
 */
struct bench_work {
	struct client *c;
	struct aql_queue queue;
	unsigned int steps, groups, kernels;
	struct low_job low[BENCH_DEPTH];
	struct high_job step[BENCH_DEPTH];
	volatile __u32 *at_work;
	volatile int stop;
	unsigned long started, dispatches;
};

/* @rounds: dispatches of it fill the machine so often; of the next two either is 0. */
int bench_work_init(struct bench_work *w, struct client *c, __u32 priority, unsigned int rounds,
		    unsigned int iterations, unsigned int steps, unsigned int kernels);

/*
 * What all who map that file share: a word a priority, how many of its requests are under way.
 * While there are any, lower ones start nothing, but what they have started goes on to its end.
 * NULL if there is no such file.
 */
volatile __u32 *bench_work_share(const char *path);

/* Until there is no request above @priority. */
void bench_work_wait(volatile __u32 *at_work, unsigned int priority);

/*
 * Until @w->stop. Says "running" once it runs, and when each dispatch ended: "done <ns>".
 * Return: 0, -EILSEQ if a result is wrong, or an error.
 */
int bench_work_run(struct bench_work *w);

/* The GPU's time of @rounds workgroups on each compute unit, ns; negative errno. */
__s64 bench_steps_time(struct client *c, struct aql_queue *q, unsigned int steps,
		       unsigned int rounds);

#endif
