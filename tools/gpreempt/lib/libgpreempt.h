/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * libgpreempt: what a program asks of GPREEMPT, which takes compute queues of low priority off an
 * AMD GPU while one of higher priority has work. See libgpreempt(3).
 */
#ifndef LIBGPREEMPT_H
#define LIBGPREEMPT_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a priority: none, so that what the application asks for counts. */
#define GPREEMPT_NONE		0xffffffffU
/* In the place of a gpu_id. */
#define GPREEMPT_ALL_GPUS	0U
#define GPREEMPT_NO_GPU		0xffffffffU
/* Of a hold: until gpreempt_resume(), or the process ends. */
#define GPREEMPT_NO_LIMIT	0xffffffffU

/* Which process's queues, on which GPUs, and which of them. */
struct gpreempt;

enum gpreempt_which {
	GPREEMPT_ALL,		/* all of the process, as it is at first */
	GPREEMPT_QUEUE,		/* the one of that number, which is KFD's */
	GPREEMPT_AT_LEAST,	/* those that ask for that priority or more, as HIP's high streams for 11 */
	GPREEMPT_BELOW,		/* those that are served below that priority */
};

enum gpreempt_gpu_state {
	GPREEMPT_GPU_DISABLED,	/* not enabled by the administrator */
	GPREEMPT_GPU_PARKED,	/* enabled, nothing to decide */
	GPREEMPT_GPU_ACTIVE,	/* watching the queues */
	GPREEMPT_GPU_BYPASSED,	/* gave up after an error */
};

/**
 * struct gpreempt_gpu - answer of gpreempt_query()
 * @version:	of the driver's interface
 * @capabilities: bit 0: queues of this GPU can be preempted
 * @state:	enum gpreempt_gpu_state
 * @levels:	priorities are 0 to @levels - 1, the highest last
 * @priority_cap: the highest that is served without CAP_SYS_NICE
 */
struct gpreempt_gpu {
	uint32_t version;
	uint32_t capabilities;
	uint32_t state;
	uint32_t levels;
	uint32_t priority_cap;
};

enum gpreempt_queue_state {
	GPREEMPT_QUEUE_UNKNOWN,		/* on the hardware, and not watched now */
	GPREEMPT_QUEUE_IDLE,		/* has no work */
	GPREEMPT_QUEUE_RUNNING,		/* executes */
	GPREEMPT_QUEUE_WAITING,		/* has work, and waits for the GPU */
	GPREEMPT_QUEUE_BLOCKED,		/* has work that waits for something else */
	GPREEMPT_QUEUE_PREEMPTED,	/* taken off, comes back by itself */
	GPREEMPT_QUEUE_HELD,		/* taken off until it is resumed, or for a time */
	GPREEMPT_QUEUE_OFF,		/* not on the hardware for another reason */
};

/* Of gpreempt_queue.flags. */
#define GPREEMPT_QUEUE_IS_ASKED		(1U << 0)	/* preempt is not carried out yet */
#define GPREEMPT_QUEUE_IS_HELD		(1U << 1)	/* a hold was asked for */
#define GPREEMPT_QUEUE_IS_HINTED	(1U << 2)	/* a hint is not over */
#define GPREEMPT_QUEUE_IS_SET		(1U << 3)	/* it was given a priority of its own */
#define GPREEMPT_QUEUE_IS_EXCLUDED	(1U << 4)	/* kept off: it has delayed a preemption */

/**
 * struct gpreempt_queue - a compute queue, as gpreempt_list() tells of it
 * @queue_id:	KFD's number of it in its process
 * @gpu_id:	the GPU that it is on
 * @priority:	as the application asked
 * @permitted:	what remains of it
 * @effective:	@permitted, or 16 while it is raised above all others
 * @state:	enum gpreempt_queue_state
 * @flags:	GPREEMPT_QUEUE_IS_*
 * @timeslice_us: its turn among equals; 0: there are none
 * @running_ns:	time seen executing
 * @waiting_ns:	time seen waiting for the GPU
 * @preempted_ns: time off the hardware
 * @preemptions: how often it was taken off
 * @pid:	its process, as the caller's pid namespace has it; 0: it has no number there
 * @context_id:	of its process
 * @backlog:	packets that were not consumed when it was seen last
 * @waves:	that it had then: 0, or an estimate from those of one engine; GPREEMPT_NONE: they
 *		were not counted
 * @save_ns:	how long its last save took; 0: it was never saved
 * @seen_ns:	when it was seen last, by CLOCK_MONOTONIC; 0: not yet
 * @resumes:	how often it was put back
 * @resumed_ns:	when that was last; 0: never
 */
struct gpreempt_queue {
	uint32_t queue_id;
	uint32_t gpu_id;
	uint32_t priority;
	uint32_t permitted;
	uint32_t effective;
	uint32_t state;
	uint32_t flags;
	uint32_t timeslice_us;
	uint64_t running_ns;
	uint64_t waiting_ns;
	uint64_t preempted_ns;
	uint64_t preemptions;
	uint32_t pid;
	uint32_t context_id;
	uint32_t backlog;
	uint32_t waves;
	uint64_t save_ns;
	uint64_t seen_ns;
	uint64_t resumes;
	uint64_t resumed_ns;
};

/*
 * The gpu_id of the GPU that KFD has as the number-th, as HIP numbers them unless
 * HIP_VISIBLE_DEVICES is set; GPREEMPT_NO_GPU if there are not so many.
 */
uint32_t gpreempt_gpu(unsigned int number);

/*
 * The queues of the caller, of the process of that number, or of the one of that pidfd, which
 * stays the caller's. NULL without memory, which all functions take. Where GPREEMPT is not
 * there, they do nothing and return why, which gpreempt_check() tells beforehand.
 */
struct gpreempt *gpreempt_open(uint32_t gpu_id);
struct gpreempt *gpreempt_open_pid(uint32_t gpu_id, pid_t pid);
struct gpreempt *gpreempt_open_pidfd(uint32_t gpu_id, int pidfd);
void gpreempt_close(struct gpreempt *g);

/* All that follow return 0 or more, or a negative errno. */

/* Does it work now, on one of these GPUs? */
int gpreempt_check(struct gpreempt *g);
/* What such an error is, and what to do about it; never NULL. */
const char *gpreempt_strerror(int error);

/* Which queues the others are about; the value is a number or a priority, or 0. */
int gpreempt_select(struct gpreempt *g, enum gpreempt_which which, uint32_t value);

/* Of the first of these GPUs. */
int gpreempt_query(struct gpreempt *g, struct gpreempt_gpu *gpu);
/* Returns how many queues there are; no more than max are told of. */
int gpreempt_list(struct gpreempt *g, struct gpreempt_queue *queues, unsigned int max);
/*
 * 0 to 15, or GPREEMPT_NONE. Of all queues it is the process's default, on all GPUs, for queues to
 * come and for its children, too. permitted, if it is not NULL, is what remains of it, which is
 * less without CAP_SYS_NICE or under a ceiling: the least of the first 64 queues that have none of
 * their own, GPREEMPT_NONE without one.
 */
int gpreempt_set_priority(struct gpreempt *g, uint32_t priority, uint32_t *permitted);
/* Work comes in that time, and lasts so long: 1 s at most. Both 0: it does not. */
int gpreempt_hint(struct gpreempt *g, uint32_t in_us, uint32_t for_us);
/*
 * Take queues off the GPU: until their turn comes, or for hold_ms, up to an hour. Waits for that
 * wait_ms at most, up to a minute, 0: not at all. Returns how many there were.
 */
int gpreempt_preempt(struct gpreempt *g, uint32_t hold_ms, uint32_t wait_ms);
/* End that. */
int gpreempt_resume(struct gpreempt *g, uint32_t wait_ms);

/* Whatever else the driver can do, see linux/kfd_gpreempt.h; args are used as they are. */
struct kfd_ioctl_gpreempt_args;
int gpreempt_ioctl(struct gpreempt *g, struct kfd_ioctl_gpreempt_args *args);

#ifdef __cplusplus
}
#endif

#endif
