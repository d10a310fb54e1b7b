/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A user queue's stay in a hardware slot, from its MQD and back. The scheduler
 * lets queues come and go by its runlist, the driver by registers.
 * Protected by gpu.mec_lock.
 */
#ifndef GPU_MODEL_SLOT_H
#define GPU_MODEL_SLOT_H

#include "cp/queue/attach.h"

/**
 * slot_enter() - bind a user queue to its slot, restore what was saved
 * @g:		device; mec_lock is dropped while state is read
 * @h:		slot that mec_map() or registers filled
 * @env:	what its process brings; NULL: loaded by registers
 *
 * Return: queue, or NULL if out of memory.
 */
struct user_queue *slot_enter(struct gpu *g, struct hqd *h, const struct queue_env *env);

/* Write the MQD back and free the slot; the queue's groups must be gone. */
void slot_leave(struct user_queue *q);

/* Take a queue off the machine and forget it; nothing is saved. Its slot stays. */
void slot_drop(struct user_queue *q);

/*
 * Do that with this slot's queue, if it has one, and free the slot. May drop mec_lock and
 * take it again.
 */
void slot_kill(struct gpu *g, struct hqd *h);

/* The queue's waves cannot be saved (@err): they stay, stopped, until a reset. */
void slot_stick(struct user_queue *q, int err);

/*
 * Serve CP_HQD_DEQUEUE_REQUEST of all slots. Command-processor thread; mec_lock
 * is dropped while state is written.
 */
void slot_turn(struct gpu *g);

#endif
