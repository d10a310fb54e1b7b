/* SPDX-License-Identifier: GPL-2.0 */
/* What tests and demo programs share: an open device with LOW and HIGH work for it. */
#ifndef KFD_GPREEMPT_CLIENT_H
#define KFD_GPREEMPT_CLIENT_H

#include <sys/types.h>
#include "code.h"
#include "low_work.h"

#define PRIORITY_LOW	0
#define PRIORITY_HIGH	15

/*
 * LDS that HIGH and the endless kernels ask for, which they do not use: beside
 * LOW's there is no room for it on a compute unit, so that whoever holds the
 * machine keeps the other out.
 */
#define CLIENT_LDS_BYTES	(48 * 1024)

/* Longest wait for anything that must come, in ms. */
#define CLIENT_TIMEOUT_MS	20000

/**
 * struct client - an open device and its kernels
 * @dev:	device
 * @code:	loaded code object
 * @store:	kernels, see kernels.cl
 * @read_clock:	likewise
 * @high:	likewise
 * @until:	likewise
 * @meet:	likewise
 * @low:	likewise
 * @low_full:	likewise
 * @hold:	likewise
 * @steps:	likewise
 * @agree_init:	likewise
 * @agree:	likewise
 * @full:	LOW's jobs are of @low_full, else of @low
 * @ticks_per_us: of s_memtime, measured; 0 before client_calibrate()
 */
struct client {
	struct kfd_dev dev;
	struct code code;
	struct aql_kernel store, read_clock, high, until, meet, low, low_full, hold, steps;
	struct aql_kernel agree_init, agree;
	bool full;
	double ticks_per_us;
};

/* fork(), of a child that does not outlive its parent, whatever becomes of the test. */
pid_t client_fork(void);

/* Memory that this process and its children share, a page; NULL when there is none. */
void *client_shared_page(void);

/*
 * Can another process, which starts now, use the GPU? Return: 0, or the number
 * of the step of client_use() at which it could not.
 */
int client_other_works(void);

/*
 * Take @size bytes of VRAM for so many ms, as graphics does: in a child, by whose end they
 * are free again. 0, or the number of the step at which that failed.
 */
int client_take_vram(int drm_fd, size_t size, unsigned int ms);

/* -ENODEV when there is no GPU node: tests skip. */
int client_open(struct client *c);
void client_close(struct client *c);

/* client_open(), and a queue of the lowest and one of the highest priority. */
int client_open_pair(struct client *c, struct aql_queue *low, struct aql_queue *high);

/* Measures the GPU's clock on @q. */
int client_calibrate(struct client *c, struct aql_queue *q);

/*
 * struct low_job - a dispatch of the LOW kernel
 * @groups: @iterations: its size
 * @mem:	signal, arguments and results
 * @event:	raised at completion
 * @signal:	completion
 * @out:	a word each work-item
 * @count:	iterations each work-item says it did
 * @expect:	@out as the CPU computes it, owned
 */
struct low_job {
	__u32 groups, iterations;
	struct kfd_mem mem;
	struct kfd_event event;
	struct aql_signal *signal;
	struct {
		__u64 out, count;
		__u32 iterations, first_group;
	} *args;
	__u32 *out, *count, *expect;
};

/* Workgroups of LOW that the machine holds. */
__u32 low_groups(const struct client *c);

int low_job_init(struct client *c, struct low_job *job, __u32 groups, __u32 iterations);

/* Another one of the same size, which expects the same. */
int low_job_init_as(struct client *c, struct low_job *job, const struct low_job *as);
void low_job_free(struct client *c, struct low_job *job);

/* Clears the results and dispatches. */
void low_job_start(struct client *c, struct low_job *job, struct aql_queue *q);
int low_job_wait(struct client *c, struct low_job *job, unsigned int timeout_ms);

/* Work-items whose result or iteration count is not the CPU's; 0 is exact. */
unsigned int low_job_wrong(const struct low_job *job);

/* Iterations that make an unhindered workgroup last about @ms; 0 on failure. */
__u32 low_calibrate(struct client *c, struct aql_queue *q, unsigned int ms);

/* As the LOW kernel of so many @banks computes it, for workgroups 0 to @groups - 1. */
void low_expect(__u32 *out, __u32 groups, __u32 iterations, __u32 banks);

/*
 * struct high_job - a dispatch of the HIGH kernel, one workgroup a compute unit
 * @mem: @event: @signal: as in struct low_job
 * @done:	counts the dispatches, a word each workgroup
 * @packet:	index of the last one in its queue
 * @submitted:	kfd_now() when high_job_run() submitted it
 */
struct high_job {
	struct kfd_mem mem;
	struct kfd_event event;
	struct aql_signal *signal;
	struct {
		__u64 done, ticks;
	} *args;
	__u32 *done;
	__u64 packet;
	__u64 submitted;
};

/* @us: how long the kernel runs; client_calibrate() comes first. */
int high_job_init(struct client *c, struct high_job *job, unsigned int us);
void high_job_free(struct client *c, struct high_job *job);
void high_job_start(struct client *c, struct high_job *job, struct aql_queue *q);
int high_job_wait(struct client *c, struct high_job *job, unsigned int timeout_ms);

/* Start, wait; ns from doorbell to completion in @ns. */
int high_job_run(struct client *c, struct high_job *job, struct aql_queue *q,
		 unsigned int timeout_ms, __u64 *ns);

/*
 * struct until_job - a dispatch that ends when told to, one workgroup a compute unit; on a queue
 *	of PRIORITY_HIGH two, so that it goes on to want all of the machine
 * @rounds:	how far it came, a word each workgroup
 */
struct until_job {
	struct kfd_mem mem;
	struct aql_signal *signal;
	struct {
		__u64 stop, rounds;
	} *args;
	volatile __u32 *stop;
	volatile __u32 *rounds;
};

int until_job_init(struct client *c, struct until_job *job);
void until_job_free(struct client *c, struct until_job *job);
void until_job_start(struct client *c, struct until_job *job, struct aql_queue *q);
void until_job_stop(struct until_job *job);
int until_job_wait(struct client *c, struct until_job *job, unsigned int timeout_ms);

/* Wait until the first workgroup has gone through some rounds from now on; 0 or -ETIME. */
int until_job_moves(const struct until_job *job);

/*
 * struct hold_job - a dispatch whose waves hold values until they are told to end
 * @mem: @signal: as in struct low_job
 * @stop:	ends it, when not 0
 * @beats:	a count of rounds for each workgroup
 * @out:	three words each work-item: the values, as it had them at the end
 * @items:	its size
 */
struct hold_job {
	struct kfd_mem mem;
	struct aql_signal *signal;
	struct {
		__u64 stop, out, beats;
		__u32 tag;
	} *args;
	volatile __u32 *stop, *beats, *out;
	__u32 items;
};

/* Starts it: @items in workgroups of @group, whose values begin at @tag. */
int hold_job_start(struct client *c, struct hold_job *job, struct aql_queue *q, __u32 items,
		   __u16 group, __u32 tag);
int hold_job_end(struct client *c, struct hold_job *job);

/* Words of vector registers and LDS that are not what they were set to. */
unsigned int hold_job_wrong(const struct hold_job *job);

/*
 * struct agree_job - a cooperative dispatch, one workgroup a compute unit
 * @mem: @signal: as in struct low_job
 * @word:	two words each workgroup: as they are in even and in odd rounds
 * @groups: @rounds: its size
 */
struct agree_job {
	struct kfd_mem mem;
	struct aql_signal *signal;
	struct {
		__u64 words;
		__u32 rounds, groups;
		__u64 ticks;
	} *args;
	volatile __u32 *word;
	__u32 groups, rounds;
};

/* Global wave sync for a queue, all there is; or what the driver says, -ENODEV: it has none. */
int gws_alloc(struct kfd_dev *dev, const struct aql_queue *q);
int gws_free(struct kfd_dev *dev, const struct aql_queue *q);

/* Starts it, on a queue that has global wave sync: @rounds, each of @us or more. */
int agree_job_start(struct client *c, struct agree_job *job, struct aql_queue *q, __u32 rounds,
		    unsigned int us);
int agree_job_wait(struct client *c, struct agree_job *job, unsigned int timeout_ms);

/* Words that are not what the CPU computes; 0 is exact. */
unsigned int agree_job_wrong(const struct agree_job *job);

#endif
