/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT scan: what a scan sees of a node's queues. */
#ifndef GPREEMPT_SCAN_H_INCLUDED
#define GPREEMPT_SCAN_H_INCLUDED

#include "gpreempt/core/select.h"

struct kfd_gpreempt;
struct kfd_node;
struct mm_struct;
struct queue;

/* A node has KFD queue slots on one micro engine: four pipes of eight. */
#define GPREEMPT_MAX_SLOTS	32
#define GPREEMPT_MAX_XCCS	8

/**
 * struct kfd_gpreempt_scan_queue - where a scan finds a queue's memory
 * @ring:	user address of the ring
 * @rptr:	user address of the read index
 * @wptr:	user address of the write index
 * @queue_id:	number of the queue in its process
 * @doorbell_off: names the queue in hardware slots
 * @aql:	packets are AQL packets, not dwords
 * @words:	that were read of its memory
 * @resident:	it is in a hardware slot
 * @counted:	XCCs on which waves of it were found
 * @hqd_rptr:	read pointer there in dwords, wrapped; PM4 only, the first XCC's
 */
struct kfd_gpreempt_scan_queue {
	u64 ring;
	u64 rptr;
	u64 wptr;
	u32 queue_id;
	u32 doorbell_off;
	bool aql;
	unsigned int words;
	bool resident;
	u32 counted;
	u32 hqd_rptr;
};

/**
 * struct kfd_gpreempt_scan - a scan and the decision on it; monitor only
 * @view:	what the policy sees: the views of queues' records, which are referenced
 * @plan:	what it decides
 * @registers:	register accesses
 * @register_ns: time spent on them
 * @spare_ns:	time spent on what was decided, and waiting for locks
 * @turn:	counts readings of queues
 * @entered:	the process whose memory is read, NULL: none
 * @look:	somebody reads what it sees
 * @oversubscribed: firmware rotates the mapped queues
 */
struct kfd_gpreempt_scan {
	struct gpreempt_view view;
	struct gpreempt_plan plan;
	unsigned int registers;
	u64 register_ns;
	u64 spare_ns;
	u64 turn;
	struct mm_struct *entered;
	bool look;
	bool oversubscribed;
};

/**
 * struct kfd_gpreempt_hw - reading of one generation's registers
 * @read_waves:	for each queue of the scan that matters: is it resident, how many
 *		waves has it; return the number of register accesses. The caller
 *		holds the reset semaphore and keeps GFXOFF off
 * @read_cus:	which compute units does the MQD of a queue bar? The caller holds the DQM lock
 * @has_saved:	does the MQD of a queue that was taken off tell of saved waves?
 */
struct kfd_gpreempt_hw {
	unsigned int (*read_waves)(struct kfd_node *node, struct kfd_gpreempt_scan *scan);
	void (*read_cus)(const struct queue *q, struct gpreempt_cus *cus);
	bool (*has_saved)(const struct queue *q);
};

int kfd_gpreempt_scan_collect(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_memory(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_waves(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_release(struct kfd_gpreempt *gp);

/* gfx_v9.c */
extern const struct kfd_gpreempt_hw kfd_gpreempt_gfx_v9;

#endif /* GPREEMPT_SCAN_H_INCLUDED */
