/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT commit: queues get off the hardware, and back. */
#ifndef GPREEMPT_COMMIT_H_INCLUDED
#define GPREEMPT_COMMIT_H_INCLUDED

#include "node.h"

/* Between two attempts to map what an error has left unmapped. */
#define GPREEMPT_MAP_AGAIN_MS	100

/**
 * struct kfd_gpreempt_backend - how queues get off the hardware, and back
 * @name:	as sysfs shows it
 * @transact:	carry out the verdicts that hold, of which so many are to preempt.
 *		If that fails, say so in the event, and leave nothing preempted
 * @give_back:	resume and map preempted queues; none was resumed if that fails because somebody has
 *		the reset semaphore
 * @oversubscribed: are there more queues than slots, so that firmware rotates them? NULL: never
 * @map:	map what should be mapped, if nothing is; NULL where that cannot be
 * @remove:	take one queue off; -EIO if a reset came first. The back ends that
 *		work through single queues only
 * @add:	put one queue back; likewise
 *
 * Called with the DQM lock held, @transact and @map with the reset semaphore, too.
 */
struct kfd_gpreempt_backend {
	const char *name;
	int (*transact)(struct kfd_gpreempt *gp, unsigned int preempt, enum gpreempt_event *error);
	int (*give_back)(struct kfd_gpreempt *gp);
	bool (*oversubscribed)(const struct device_queue_manager *dqm);
	int (*map)(struct kfd_gpreempt *gp);
	int (*remove)(struct device_queue_manager *dqm, struct queue *q,
		      struct qcm_process_device *qpd);
	int (*add)(struct device_queue_manager *dqm, struct queue *q,
		   struct qcm_process_device *qpd);
};

bool kfd_gpreempt_save_took(struct kfd_gpreempt *gp, struct gpreempt_search *search,
			    unsigned int preempt, u64 ns);
int kfd_gpreempt_commit(struct kfd_gpreempt *gp, enum gpreempt_event *event);
enum gpreempt_verdict kfd_gpreempt_verdict(const struct queue *q);
void kfd_gpreempt_queue_off(struct kfd_gpreempt *gp,
			    struct qcm_process_device *qpd, struct queue *q, u64 save_ns);
void kfd_gpreempt_queue_on(struct kfd_gpreempt *gp, struct qcm_process_device *qpd, struct queue *q,
			   enum gpreempt_reason reason);
void kfd_gpreempt_exclude(struct kfd_gpreempt *gp, struct queue *q);
void kfd_gpreempt_release(struct kfd_gpreempt *gp);
int kfd_gpreempt_give_back(struct kfd_gpreempt *gp);
int kfd_gpreempt_map_again(struct kfd_gpreempt *gp);

/* grace.c */
void kfd_gpreempt_grace_init(struct kfd_gpreempt *gp);
u32 kfd_gpreempt_grace(const struct kfd_gpreempt *gp);

/* hws.c, hqd.c, mes.c */
extern const struct kfd_gpreempt_backend kfd_gpreempt_hws;
extern const struct kfd_gpreempt_backend kfd_gpreempt_hqd;
extern const struct kfd_gpreempt_backend kfd_gpreempt_mes;

/* single.c: what the last two share */
int kfd_gpreempt_single_transact(struct kfd_gpreempt *gp, unsigned int preempt,
				 enum gpreempt_event *error);
int kfd_gpreempt_single_give_back(struct kfd_gpreempt *gp);

#endif /* GPREEMPT_COMMIT_H_INCLUDED */
