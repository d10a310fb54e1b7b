/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT terms: the requests and settings of a queue.
 */
#ifndef GPREEMPT_TERMS_H_INCLUDED
#define GPREEMPT_TERMS_H_INCLUDED

#include <linux/types.h>

#include "gpreempt/core/lot.h"

struct gpreempt_terms;
struct kfd_gpreempt;
struct kfd_gpreempt_queue;
struct kfd_ioctl_gpreempt_args;
struct queue;

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

void kfd_gpreempt_terms_init(const struct kfd_gpreempt *gp, const struct queue *q,
			     struct kfd_gpreempt_queue *gpq);
u8 kfd_gpreempt_queue_priority(const struct kfd_gpreempt *gp, const struct queue *q);
u8 kfd_gpreempt_set_priority(struct queue *q, u32 priority);
int kfd_gpreempt_set_timeslice(struct queue *q, u32 us);
bool kfd_gpreempt_queue_pinned(const struct queue *q);
int kfd_gpreempt_ask(struct queue *q, const struct kfd_ioctl_gpreempt_args *args, bool nice);
bool kfd_gpreempt_unask(struct kfd_gpreempt_queue *gpq, const struct kfd_gpreempt_hold *before,
			u64 requests);
void kfd_gpreempt_forget(struct kfd_gpreempt_queue *gpq);
u32 kfd_gpreempt_queue_flags(const struct kfd_gpreempt_queue *gpq);
void kfd_gpreempt_terms(const struct queue *q, u64 now_ns, struct gpreempt_terms *terms);

/* A queue has been off, or nobody waits for that any more. DQM lock held. */
static inline void kfd_gpreempt_was_off(struct kfd_gpreempt_terms *terms)
{
	terms->hold.asked = false;
}

#endif /* GPREEMPT_TERMS_H_INCLUDED */
