/* SPDX-License-Identifier: GPL-2.0 */
/* AMDKFD_IOC_GPREEMPT as the tests call it, from this process and from others. */
#ifndef KFD_GPREEMPT_IOCTL_CALL_H
#define KFD_GPREEMPT_IOCTL_CALL_H

#include <stdio.h>
#include <sys/types.h>
#include <linux/kfd_gpreempt.h>
#include "client.h"

#define LAST_OP		KFD_GPREEMPT_OP_GET_DEFAULT
#define SOME_USER	1000	/* anybody but root */

/* One call, restarted by nobody: 0 or -errno. */
int gpreempt_call(struct kfd_dev *dev, struct kfd_ioctl_gpreempt_args *args);

/* LIST of one queue. @pid 0 is the caller, as everywhere here. 0 or -errno. */
int gpreempt_get(struct kfd_dev *dev, __u32 pid, __u32 queue_id,
		 struct kfd_gpreempt_queue_info *info);

/* Of a queue of one's own, or -errno: the priority that it may have; its state. */
int gpreempt_permitted(struct aql_queue *q);
int gpreempt_queue_state(struct aql_queue *q);

/* Length of a queue's turn in us, or -errno. */
int gpreempt_timeslice(struct kfd_dev *dev, __u32 pid, __u32 queue_id);

/* What remains of the priority, or -errno. */
int gpreempt_set_priority(struct kfd_dev *dev, __u32 pid, __u32 queue_id, __u32 priority);
int gpreempt_set_default(struct kfd_dev *dev, __u32 pid, __u32 priority, __u32 ceiling);
int gpreempt_set_default_timeslice(struct kfd_dev *dev, __u32 pid, __u32 us);
int gpreempt_set_share(struct kfd_dev *dev, __u32 pid, __u32 flags, __u32 weight, __u32 min_percent,
		       __u32 cap_percent);
int gpreempt_set_timeslice(struct kfd_dev *dev, __u32 queue_id, __u32 us);

#define SHARE_IS(weight, min, cap)	((weight) * 1000000LL + (min) * 1000 + (cap))

/* As in the queue's files: SHARE_IS(), or -errno. */
long long gpreempt_share(pid_t pid, __u32 queue_id);

/* PREEMPT or RESUME. 0 or -errno. */
int gpreempt_preempt(struct kfd_dev *dev, __u32 op, __u32 pid, __u32 queue_id, __u32 flags,
		     __u32 wait_ms, __u32 hold_ms);

/* Hold a queue of one's own, and let go; both wait until that is done. */
int gpreempt_hold(struct aql_queue *q, __u32 hold_ms);
int gpreempt_resume(struct aql_queue *q);

/**
 * struct op_use - what an operation takes
 * @flags:	that it knows
 * @pid: @queue: @gpu: whether it uses that field
 * @in:		bytes of the union that it reads; it refuses the others
 */
struct op_use {
	__u32 flags;
	bool pid, queue, gpu;
	unsigned int in;
};

extern const struct op_use op_uses[LAST_OP + 1];

/* A request that succeeds, or fails for its state alone. */
struct kfd_ioctl_gpreempt_args op_request(const struct kfd_dev *dev, unsigned int op,
					  __u32 queue_id);

/**
 * struct shared - between a test and its children
 * @ready:	the child has come so far
 * @stop:	it may go on, or end
 * @line:	of the check that failed in it
 * @pid:	its own
 * @queue_id:	of its queue
 */
struct shared {
	volatile int ready;
	volatile int stop;
	volatile int line;
	volatile pid_t pid;
	volatile __u32 queue_id;
};

/* In a child: remember which check failed. */
#define CHECK(expected, seen) do {						\
	long __expected = (expected), __seen = (seen);				\
										\
	if (__expected != __seen) {						\
		fprintf(stderr, "# line %d: expected %ld, got %ld\n", __LINE__,	\
			__expected, __seen);					\
		shared->line = __LINE__;					\
		return 1;							\
	}									\
} while (0)

/* Until the program ends, let any user open the GPU, as membership of the group render does. */
int open_to_all(const struct kfd_dev *dev);

/*
 * In a child of its own: become @user, with CAP_SYS_NICE and nothing else if
 * @nice. Readable by others of the same user, as a program usually is.
 */
int become(uid_t user, bool nice);

/* Root with all capabilities but CAP_SYS_NICE, as in a container. 0 or -errno. */
int give_up_nice(void);

/* Runs @child(@shared, @user, @nice) in a child; its exit status. */
int in_child(struct shared *shared, uid_t user, bool nice, int (*child)(struct shared *shared));

/* For in_child(): hold @shared's queue, with no end. */
int hold_for_ever(struct shared *shared);

/* A child with a queue of priority 3, until @shared->stop; its number, or -1. */
pid_t start_owner(struct shared *shared, uid_t user);

/* Its two halves, for a child that becomes something else. */
int run_owner(struct shared *shared);
pid_t await_owner(struct shared *shared, pid_t pid);

/* LOW's work, under way, with so many ms to go when nobody disturbs it. */
#define LOW_MS	400
int start_low(struct client *c, struct aql_queue *q, struct low_job *job);

/* Wait until a queue of one's own is preempted; 0 or -ETIME. */
int wait_preempted(struct aql_queue *q);

/* HIGH, which never ends, keeps LOW off the machine; the end of both. */
int start_contention(struct client *c, struct aql_queue *low, struct aql_queue *high,
		     struct low_job *job, struct until_job *until);
int end_contention(struct client *c, struct low_job *job, struct until_job *until);

#endif
