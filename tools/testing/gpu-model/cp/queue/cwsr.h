/* SPDX-License-Identifier: GPL-2.0 */
/* Compute wave save and restore: a queue's state to and from its save area. */
#ifndef GPU_MODEL_CWSR_H
#define GPU_MODEL_CWSR_H

#include "compute/queue.h"

/**
 * struct cwsr_size - where a save will go
 * @stack:	bytes of control stack
 * @state:	bytes of wave state
 */
struct cwsr_size {
	u32 stack, state;
};

/*
 * A preemption in four steps, with mec_lock held except for the third:
 *   cwsr_remove()  takes the queue's groups off the machine into q->removed
 *   cwsr_check()   does the save area hold them? -ENOSPC, -EFAULT, -EBUSY
 *   cwsr_write()   copies state to memory (no lock: q is frozen)
 *   cwsr_drop()    frees the host's copy and the resources
 * or, when the area will not do, cwsr_undo(): the waves stay, stopped for good.
 */
void cwsr_remove(struct user_queue *q);
int cwsr_check(struct user_queue *q, struct cwsr_size *size);
int cwsr_write(struct user_queue *q);
void cwsr_drop(struct user_queue *q);
void cwsr_undo(struct user_queue *q);

/* Is there a saved state in the MQD copy of this slot? */
bool cwsr_saved(const struct hqd *h);

/* Read it back: dispatches, and groups into q->pending. 0 or -errno. */
int cwsr_restore(struct user_queue *q, u64 *bytes);

/**
 * struct cwsr_load - what is to be saved, by where it is
 * @waves:	of each engine, which saves one after the other
 * @bytes:	of each compute unit, which save beside each other
 */
struct cwsr_load {
	unsigned int waves[ALL_ENGINES_MAX];
	u32 bytes[ALL_CUS_MAX];
};

/* Add what cwsr_remove() took off. */
void cwsr_count(const struct user_queue *q, struct cwsr_load *load);

/* Modelled time of a save: fixed, by the bytes of a unit and the waves of an engine with most. */
u64 cwsr_save_time(u64 bytes, const struct cwsr_load *load);

/* Modelled time that waves get to end by themselves when their queue has to go. */
u64 cwsr_grace(const struct partition *part);

#endif
