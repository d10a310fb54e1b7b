/* SPDX-License-Identifier: GPL-2.0 */
/* LOW in this process, preempted for HIGH in another: where many tests begin. */
#ifndef KFD_GPREEMPT_CONTEST_H
#define KFD_GPREEMPT_CONTEST_H

#include <sys/types.h>
#include "client.h"
#include "gpu_model.h"

/* Length of LOW's workgroups, ms. */
#define CONTEST_LOW_MS	(gpu_model_figures() ? 100 : 300)

/**
 * struct rival - another process with a queue, shared with it
 * @run:	its endless kernel shall run
 * @running:	it runs, or waits for the machine
 * @leave:	end by exec: the process stays, its memory goes
 */
struct rival {
	volatile int run;
	volatile int running;
	volatile int leave;
};

/*
 * Forks it: before this process opens the device. @groups: workgroups of its
 * kernel, 0 for as many as until_job_start() has.
 */
int rival_start(struct rival **rival, pid_t *pid, __u32 priority, unsigned int groups);
void rival_kill(struct rival *rival, pid_t pid);

/* Starts or ends its kernel. 0 or -ETIME. */
int rival_run(struct rival *rival, int run);

/**
 * struct contest - LOW and its rival
 * @rival:	HIGH, of one workgroup: the rest of the machine has room for LOW,
 *		which nothing but GPREEMPT keeps off
 * @pid:	its process
 * @c:		device
 * @queue:	LOW's
 * @job:	LOW's, one workgroup a compute unit
 * @resumes:	how many queues had been resumed when LOW was preempted
 */
struct contest {
	struct rival *rival;
	pid_t pid;
	struct client c;
	struct aql_queue queue;
	struct low_job job;
	long long resumes;
};

/* gpreempt_begin(), starts the rival and opens the device. -ENODEV without a GPU. */
int contest_open(struct contest *ct);

/* Makes LOW's queue and job, and enables GPREEMPT. */
int contest_init(struct contest *ct);

/* Both, and contest_preempt(). */
int contest_begin(struct contest *ct);

/* Starts LOW, then HIGH, and waits until LOW is preempted. */
int contest_preempt(struct contest *ct);

/* Is LOW off the machine, and was all the time since? */
bool contest_low_is_off(struct contest *ct);

/* Ends HIGH's kernel, and LOW's, which is exact then: 0, -EILSEQ, -ETIME. */
int contest_finish(struct contest *ct);

/*
 * How long it takes until LOW is off, ns, or -errno: in GPREEMPT's own preemption for HIGH, which
 * enables GPREEMPT anew; and where stock takes LOW off the runlist, as its owner asks. LOW ends.
 */
long long contest_save_ns(struct contest *ct);
long long contest_stock_ns(struct contest *ct);

/* Is the one time by so much longer than the other? Where times do not count: were both taken? */
bool contest_longer_by(long long ns, long long other_ns, long long us);

/* Puts the tunables back and closes the device. */
void contest_close(struct contest *ct);

#endif
