/* SPDX-License-Identifier: GPL-2.0 */
/* User-mode queues whose rings hold dwords: PM4 and SDMA. */
#ifndef KFD_GPREEMPT_RING_H
#define KFD_GPREEMPT_RING_H

#include "aql.h"

/**
 * struct ring_queue - one queue
 * @dev:	its device
 * @id:		KFD's number
 * @type:	KFD_IOC_QUEUE_TYPE_COMPUTE or _SDMA
 * @priority:	as given to the kernel
 * @dwords:	ring size, a power of two
 * @wptr:	next dword to write, never wrapped
 * @mem:	ring
 * @index:	page with @write and @read
 * @save:	what a compute queue needs besides
 * @ring:	packets
 * @write:	write pointer as the GPU counts: dwords (PM4) or bytes (SDMA)
 * @read:	read pointer
 * @doorbell:	mapped doorbell
 */
struct ring_queue {
	struct kfd_dev *dev;
	__u32 id;
	__u32 type;
	__u32 priority;
	__u32 dwords;
	__u64 wptr;
	struct kfd_mem mem, index;
	struct save_area save;
	__u32 *ring;
	volatile __u64 *write, *read;
	volatile __u64 *doorbell;
};

int ring_create(struct ring_queue *q, struct kfd_dev *dev, __u32 type, __u32 dwords,
		__u32 priority);
int ring_destroy(struct ring_queue *q);

/* UPDATE_QUEUE; @percentage 0 takes the queue off the hardware. */
int ring_update(struct ring_queue *q, __u32 percentage);

/* Put @n dwords into the ring; the caller knows that there is room. */
void ring_put(struct ring_queue *q, const __u32 *dw, unsigned int n);

/* Tell the GPU. */
void ring_submit(struct ring_queue *q);

#define RING_PUT(q, ...) do {						\
	const __u32 _dw[] = { __VA_ARGS__ };				\
	ring_put(q, _dw, sizeof(_dw) / sizeof(_dw[0]));			\
} while (0)

#define LO(p)	((__u32)(uintptr_t)(p))
#define HI(p)	((__u32)((__u64)(uintptr_t)(p) >> 32))

/* All that was submitted is consumed. 0 or -ETIME. */
int ring_wait(struct ring_queue *q, unsigned int timeout_ms);

/* The word at @p becomes @value. 0 or -ETIME. */
int ring_wait_word(const volatile __u32 *p, __u32 value, unsigned int timeout_ms);

#endif
