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
 * LDS that HIGH and the endless kernel ask for, which they do not use: beside
 * LOW's there is no room for it on a compute unit, so that whoever holds the
 * machine keeps the other out.
 */
#define CLIENT_LDS_BYTES	(48 * 1024)

/* Longest wait for anything that must come, in ms. */
#define CLIENT_TIMEOUT_MS	20000

/**
 * struct client - an open device and its kernels
 * @ticks_per_us: of s_memtime, measured; 0 before client_calibrate()
 */
struct client {
	struct kfd_dev dev;
	struct code code;
	struct aql_kernel store, read_clock, high, until, low;
	double ticks_per_us;
};

/* fork(), of a child that does not outlive its parent, whatever becomes of the test. */
pid_t client_fork(void);

/* -ENODEV when there is no GPU node: tests skip. */
int client_open(struct client *c);
void client_close(struct client *c);

/* Measures the GPU's clock on @q. */
int client_calibrate(struct client *c, struct aql_queue *q);

/**
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
	uint32_t groups, iterations;
	struct kfd_mem mem;
	struct kfd_event event;
	struct aql_signal *signal;
	struct {
		uint64_t out, count;
		uint32_t iterations, first_group;
	} *args;
	uint32_t *out, *count, *expect;
};

int low_job_init(struct client *c, struct low_job *job, uint32_t groups, uint32_t iterations);
void low_job_free(struct client *c, struct low_job *job);

/* Clears the results and dispatches. */
void low_job_start(struct client *c, struct low_job *job, struct aql_queue *q);
int low_job_wait(struct client *c, struct low_job *job, unsigned int timeout_ms);

/* Work-items whose result or iteration count is not the CPU's; 0 is exact. */
unsigned int low_job_wrong(const struct low_job *job);

/* Iterations that make an unhindered workgroup last about @ms; 0 on failure. */
uint32_t low_calibrate(struct client *c, struct aql_queue *q, unsigned int ms);

/* As the LOW kernel computes it, for workgroups 0 to @groups - 1. */
void low_expect(uint32_t *out, uint32_t groups, uint32_t iterations);

/**
 * struct high_job - a dispatch of the HIGH kernel, one workgroup a compute unit
 * @mem: @event: @signal: as in struct low_job
 * @done:	counts the dispatches, a word each workgroup
 * @packet:	index of the last one in its queue
 */
struct high_job {
	struct kfd_mem mem;
	struct kfd_event event;
	struct aql_signal *signal;
	struct {
		uint64_t done, ticks;
	} *args;
	uint32_t *done;
	uint64_t packet;
};

/* @us: how long the kernel runs; client_calibrate() comes first. */
int high_job_init(struct client *c, struct high_job *job, unsigned int us);
void high_job_free(struct client *c, struct high_job *job);
void high_job_start(struct client *c, struct high_job *job, struct aql_queue *q);
int high_job_wait(struct client *c, struct high_job *job, unsigned int timeout_ms);

/* Start, wait; ns from doorbell to completion in @ns. */
int high_job_run(struct client *c, struct high_job *job, struct aql_queue *q,
		 unsigned int timeout_ms, uint64_t *ns);

/**
 * struct until_job - a dispatch that ends when told to, one workgroup a compute unit
 */
struct until_job {
	struct kfd_mem mem;
	struct aql_signal *signal;
	struct {
		uint64_t stop, rounds;
	} *args;
	volatile uint32_t *stop;
	volatile uint32_t *rounds;
};

int until_job_init(struct client *c, struct until_job *job);
void until_job_free(struct client *c, struct until_job *job);
void until_job_start(struct client *c, struct until_job *job, struct aql_queue *q);
void until_job_stop(struct until_job *job);
int until_job_wait(struct client *c, struct until_job *job, unsigned int timeout_ms);

#endif
