/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT request: which queues are meant, and what is asked of them. */
#ifndef GPREEMPT_REQUEST_H_INCLUDED
#define GPREEMPT_REQUEST_H_INCLUDED

#include "gpreempt/run/queue.h"

/* Flags that choose more queues than one; at most one of them is set. */
#define KFD_GPREEMPT_WHICH						\
	(KFD_GPREEMPT_ALL | KFD_GPREEMPT_AT_LEAST | KFD_GPREEMPT_BELOW)

/**
 * struct kfd_gpreempt_choice - the queues that an ioctl is about which may be about many
 * @processes:	referenced
 * @count:	how many
 * @which:	%KFD_GPREEMPT_WHICH, 0: one queue
 * @number:	the level, or the one queue's
 * @gpu_id:	of this node only, 0: of all
 */
struct kfd_gpreempt_choice {
	struct kfd_process **processes;
	unsigned int count;
	u32 which;
	u32 number;
	u32 gpu_id;
};

/**
 * struct kfd_gpreempt_asked - a queue of which something was asked
 * @p:		its process, which may end: see kfd_gpreempt_process_get()
 * @gpq:	the queue's record, referenced
 * @queue_id:	its number in @p
 * @hold:	as in &struct kfd_gpreempt_terms, before that
 * @preemptions: how often it was taken off, likewise
 * @requests:	as in &struct kfd_gpreempt_terms, with this request
 */
struct kfd_gpreempt_asked {
	struct kfd_process *p;
	struct kfd_gpreempt_queue *gpq;
	u32 queue_id;
	struct kfd_gpreempt_hold hold;
	u64 preemptions;
	u64 requests;
};

/**
 * struct kfd_gpreempt_asks - all of which something was asked
 * @nice:	the caller has CAP_SYS_NICE: only one that has it may end the hold that it places
 *		on another process's queue
 * @asked:	these
 * @count:	how many
 * @room:	for how many there is space
 * @refused:	how many others have to stay as they are
 * @error:	why the first of them has to
 */
struct kfd_gpreempt_asks {
	bool nice;
	struct kfd_gpreempt_asked *asked;
	unsigned int count;
	unsigned int room;
	unsigned int refused;
	int error;
};

/* target.c */
int kfd_gpreempt_leader(const struct kfd_ioctl_gpreempt_args *args, struct task_struct **task);
bool kfd_gpreempt_user_of(const struct cred *cred, struct task_struct *task);
bool kfd_gpreempt_owns(const struct kfd_process *p);
bool kfd_gpreempt_may_control(const struct kfd_process *p, bool nice);
int kfd_gpreempt_lock_access(struct task_struct *task);
int kfd_gpreempt_find_queue(struct kfd_process *p, u32 queue_id, struct queue **q);
struct kfd_process *kfd_gpreempt_process_get(const struct kfd_process *p);
int kfd_gpreempt_choose(struct kfd_process *p, const struct kfd_ioctl_gpreempt_args *args,
			struct kfd_gpreempt_choice *choice);
void kfd_gpreempt_unchoose(struct kfd_gpreempt_choice *choice);

/* One that is being made is in the table of processes before the last step that can fail. */
static inline bool kfd_gpreempt_process_made(const struct kfd_process *p)
{
	/* With kfd_gpreempt_process_init(): what the process is made of can be seen, too. */
	return smp_load_acquire(&p->gpreempt.made);
}

/* request.c */
bool kfd_gpreempt_chosen(const struct kfd_gpreempt_choice *choice, const struct queue *q);
int kfd_gpreempt_request(struct kfd_gpreempt *gp, const struct kfd_gpreempt_choice *choice,
			 const struct kfd_ioctl_gpreempt_args *args,
			 struct kfd_gpreempt_asks *asks);
void kfd_gpreempt_take_back(const struct kfd_gpreempt_asked *before);
int kfd_gpreempt_outcome(struct queue *q, bool off, u64 preemptions);
int kfd_gpreempt_queue_info(struct kfd_gpreempt_queue *gpq, struct kfd_gpreempt_queue_info *info);

#endif /* GPREEMPT_REQUEST_H_INCLUDED */
