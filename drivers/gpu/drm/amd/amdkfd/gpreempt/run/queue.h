/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT queue: the records of a queue, of its process and of its group. */
#ifndef GPREEMPT_QUEUE_H_INCLUDED
#define GPREEMPT_QUEUE_H_INCLUDED

#include <linux/kref.h>
#include <linux/pid.h>

#include "gpreempt/core/lot.h"
#include "busy.h"
#include "node.h"

struct kfd_ioctl_gpreempt_args;

/**
 * struct kfd_gpreempt_hold - is a queue to be off the hardware?
 * @asked:	once
 * @held:	until it is released
 * @by_nice:	and only with CAP_SYS_NICE
 * @end_ns:	released by itself then, 0: never
 */
struct kfd_gpreempt_hold {
	bool asked;
	bool held;
	bool by_nice;
	u64 end_ns;
};

/**
 * struct kfd_gpreempt_terms - requests and settings of a queue; only terms.c writes it
 * @asked:	the priority that the process asks for
 * @set:	priority and turn that were set from outside
 * @hold:	is it to be off? DQM lock, like those that follow
 * @requests:	how often somebody has changed that
 * @hint_ns:	work is announced for it for then; 0: none is
 * @hint_end_ns: and is expected to be over then
 */
struct kfd_gpreempt_terms {
	struct gpreempt_lot asked;
	struct gpreempt_lot set;
	struct kfd_gpreempt_hold hold;
	u64 requests;
	u64 hint_ns;
	u64 hint_end_ns;
};

/**
 * struct kfd_gpreempt_last - what a scan has made of a queue, until the next
 * @ns:		time of that scan, 0: there was none
 * @seen:	what it saw
 * @backlog:	valid packets that the GPU had not consumed when its memory was read last
 * @out:	what was decided
 */
struct kfd_gpreempt_last {
	u64 ns;
	struct gpreempt_evidence seen;
	u32 backlog;
	struct gpreempt_outcome out;
};

/**
 * struct kfd_gpreempt_group - the compute queues of a process, or of a cgroup, on a node
 * @list:	of the node's; its lock
 * @pid:	the process, referenced; NULL: it is of a cgroup
 * @cgroup:	and then this is its number
 * @users:	records of processes or queues that refer to it; likewise
 * @past:	of its queues that delayed their saves: making them anew is no way out; DQM lock
 * @saves:	how slow these were, where each queue is saved by itself; likewise
 * @idle:	is the process to leave the runlist? monitor only
 * @epoch:	the &kfd_gpreempt.epoch that @idle and @group belong to; monitor only
 * @group:	what is remembered of it; likewise
 */
struct kfd_gpreempt_group {
	struct list_head list;
	struct pid *pid;
	u64 cgroup;
	unsigned int users;
	struct gpreempt_past past;
	struct gpreempt_search saves;
	struct gpreempt_idle idle;
	unsigned int epoch;
	struct gpreempt_group group;
};

/**
 * struct kfd_gpreempt_client - a process on a node
 * @ref:	one by the process, one by each record of a queue of it, one by a reader
 * @gp:		the node, referenced
 * @group:	its queues there, referenced: kept though none is left
 * @busy:	the time on the GPU of all its queues that there were
 * @shown_ns:	of that somebody was told: it does not go back
 */
struct kfd_gpreempt_client {
	struct kref ref;
	struct kfd_gpreempt *gp;
	struct kfd_gpreempt_group *group;
	struct gpreempt_busy busy;
	atomic64_t shown_ns;
};

/**
 * struct kfd_gpreempt_queue - what GPREEMPT knows of a compute queue
 * @kobj:	its folder; counts one by the queue, one by a scan that holds it
 * @q:		the queue, to be followed under its process's lock, or in a
 *		handler of its folder's files
 * @gp:		the node, referenced
 * @uid:	owner of its files, because activity is a side channel
 * @gid:	likewise
 * @mm:		the process's memory, mmgrab()ed; NULL if it cannot be read
 * @pid:	the process
 * @group:	the process's queues on the node, @client's
 * @common:	those of the cgroup whose members share the time, or NULL; monitor only
 * @client:	the process on the node, referenced
 * @terms:	requests and settings
 * @suspect:	does it delay its saves? DQM lock
 * @slot:	hardware slot of each XCC that it was found in last, plus one; 0: in none
 * @epoch:	the &kfd_gpreempt.epoch that @memory belongs to
 * @memory:	what estimate remembers of it
 * @turn:	when its memory was read last, see &gpreempt_reading.turn
 * @view:	the queue in the last scan that listed it, with the verdict to be committed
 * @scan:	likewise: where that scan found its memory, and what registers told
 *
 * The queue itself may go while the monitor looks at it; this record stays. Only the monitor
 * touches a field for which no lock is named.
 */
struct kfd_gpreempt_queue {
	struct kobject kobj;
	struct queue *q;
	struct kfd_gpreempt *gp;
	kuid_t uid;
	kgid_t gid;
	struct mm_struct *mm;
	pid_t pid;
	struct kfd_gpreempt_group *group;
	struct kfd_gpreempt_group *common;
	struct kfd_gpreempt_client *client;
	struct kfd_gpreempt_terms terms;
	struct gpreempt_suspect suspect;

	/* private: each of these is a room's */
	struct {			/* the times that it was taken off the hardware; DQM lock */
		u64 since_ns;		/* is off since then */
		u64 back_ns;		/* was put back then, 0: never */
		u64 total_ns;		/* was off so long in all, before that */
		u64 times;
		u64 save_ns;		/* what the last save took, of all that left with it */
		bool bare;		/* is off as its process is idle */
		bool saved;		/* was off once for another reason */
	} off;
	struct {			/* what is shown of it; the node's account.lock */
		struct kfd_gpreempt_last last;	/* in the last scan; or monitor only */
		u64 quiet_ns;		/* a scan saw nothing wait in it last; monitor only */
		bool inverted;		/* a lower queue keeps it waiting; monitor only */
		u64 running_ns;		/* time between two scans that saw it run */
		u64 waiting_ns;		/* the same of waiting, on the hardware */
	} account;
	struct kfd_gpreempt_packet {	/* as it was read: before the write and the read index */
		u64 index;		/* behind it */
		u64 signal;		/* user address of its completion signal, or 0 */
		u32 waves;		/* that it launches, 0: unknown */
		bool done;		/* that was seen satisfied; it may be in use again since */
		bool ordered;		/* it begins when all before it have ended */
	} newest, previous;
	/* public: */

	u8 slot[GPREEMPT_MAX_XCCS];
	unsigned int epoch;
	struct gpreempt_memory memory;
	u64 turn;
	struct gpreempt_queue_view view;
	struct kfd_gpreempt_scan_queue scan;
};

/* The record that has a queue's view. */
static inline struct kfd_gpreempt_queue *kfd_gpreempt_of(struct gpreempt_queue_view *v)
{
	return container_of(v, struct kfd_gpreempt_queue, view);
}

/* terms.c */
void kfd_gpreempt_terms_init(const struct kfd_gpreempt *gp, const struct queue *q,
			     struct kfd_gpreempt_queue *gpq);
u8 kfd_gpreempt_queue_priority(const struct kfd_gpreempt *gp, const struct queue *q);
u8 kfd_gpreempt_set_priority(struct queue *q, u32 priority);
int kfd_gpreempt_set_timeslice(struct queue *q, u32 us);
bool kfd_gpreempt_queue_pinned(const struct queue *q);
int kfd_gpreempt_ask(struct queue *q, const struct kfd_ioctl_gpreempt_args *args, bool nice);
void kfd_gpreempt_forget(struct kfd_gpreempt_queue *gpq);
u32 kfd_gpreempt_queue_flags(const struct kfd_gpreempt_queue *gpq);
void kfd_gpreempt_terms(const struct queue *q, u64 now_ns, struct gpreempt_terms *terms);

/* A queue has been off, or nobody waits for that any more. DQM lock held. */
static inline void kfd_gpreempt_was_off(struct kfd_gpreempt_terms *terms)
{
	terms->hold.asked = false;
}

/* queue.c */
struct gpreempt_group *kfd_gpreempt_queue_group(struct kfd_gpreempt_queue *gpq,
						struct kfd_process *p);
void kfd_gpreempt_client_put(struct kfd_gpreempt_client *client);

#endif /* GPREEMPT_QUEUE_H_INCLUDED */
