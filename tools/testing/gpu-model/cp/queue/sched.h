/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduler's firmware, of which each GPU has one kind. */
#ifndef GPU_MODEL_SCHED_H
#define GPU_MODEL_SCHED_H

#include "gpu.h"

struct hqd;

/**
 * struct sched_ops - what gives processes VMIDs, and their queues slots
 * @start:	sets it up; 0 or -ENOMEM. No lock
 * @stop:	frees it. No lock
 * @reset:	forgets all processes and queues; the caller drops the queues. mec_lock
 * @turn:	what it does by itself, in every turn of the command processor. mec_lock
 * @packet:	one PM4 packet 0xa0..0xa5 from its queue on @xcc, which leads its partition;
 *		NULL: its queue is another one
 * @ring:	takes packets of its own kind from the queue in slot @h; NULL: it has none. True if
 *		it stopped with some left that it could take now. mec_lock
 *
 * @packet is given the payload after the header (a copy, not guest memory), of @n dwords. It
 * is called by the command-processor thread only. It drops mec_lock and takes it again while
 * it saves or restores waves: the caller looks again at what it knew of slots. It returns
 * 0 when done or begun, a model time in ns (> 0) before which the queue may not take the next
 * packet, -EAGAIN when this packet cannot begin yet, as while a preemption is under way (offer
 * it again after the next kick), or -EINVAL for a malformed packet.
 */
struct sched_ops {
	int (*start)(struct gpu *g);
	void (*stop)(struct gpu *g);
	void (*reset)(struct gpu *g);
	void (*turn)(struct gpu *g);
	s64 (*packet)(struct gpu *g, unsigned int xcc, unsigned int op, const u32 *p,
		      unsigned int n);
	bool (*ring)(struct gpu *g, struct hqd *h);
};

#endif
