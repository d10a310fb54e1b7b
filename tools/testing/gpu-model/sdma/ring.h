/* SPDX-License-Identifier: GPL-2.0 */
/* What sdma.c (rings), packet.c and queue.c (user queues) share. */
#ifndef GPU_MODEL_SDMA_RING_H
#define GPU_MODEL_SDMA_RING_H

#include <stdatomic.h>

#include "host/clock.h"
#include "vm/packet.h"
#include "sdma/sdma.h"

/* SDMA_F32_CNTL, SDMA_STATUS_REG */
#define F32_HALT		1u
#define STATUS_IDLE		1u
/* Byte offsets in a ring's registers. */
#define RB_CNTL			0x00
#define   RB_ENABLE		1u
#define   RB_SIZE(v)		((v) >> 1 & 0x1f)	/* log2 of dwords */
#define   RB_RPTR_WRITEBACK	(1u << 12)
#define   RB_VMID(v)		((v) >> 24 & 15)
#define RB_BASE			0x04
#define RB_BASE_HI		0x08
#define RB_RPTR			0x0c
#define RB_RPTR_HI		0x10
#define RB_WPTR			0x14
#define RB_WPTR_HI		0x18
#define RB_RPTR_ADDR_HI		0x20
#define RB_RPTR_ADDR_LO		0x24
#define CONTEXT_STATUS		0x44
#define   CONTEXT_IDLE		(1u << 2)
#define DOORBELL		0x48
#define   DOORBELL_ENABLE	(1u << 28)
#define DOORBELL_OFFSET		0xac
#define   DOORBELL_DW(v)	(((v) & 0x0ffffffc) >> 2)

#define SDMA_USER_RINGS		8	/* of an engine */
#define SDMA_RINGS		(2 + SDMA_USER_RINGS)

/**
 * struct sdma_ring - a ring; touched by SDMA's turns only, unless said otherwise
 * @engine: @queue: @reg: @id:	place; @id is the kind of ring in trap vectors
 * @user:	a process' queue
 * @ib_base: @ib_pos: @ib_len: @ib_vmid:	indirect buffer under way, in dwords
 * @poll_ns:	distance of polls while a packet waits, else 0
 * @poll_at:	model time of the next look
 * @ready_at:	model time from which it may execute its next packet
 * @idle:	it has nothing to do: work that comes needs its time to begin
 * @paid:	its packet's bytes took their time
 * @done:	bytes that a packet which waits for its pages has behind it
 * @busy_since:	model time up to which its work is not yet reported, else 0
 * @stopped:	an error ended it; until it is loaded anew
 * @running:	it has its turn (sdma.lock)
 * @halt:	it is being unmapped: stop behind this packet
 * @mqd: @pasid: of a queue that the scheduler mapped, else 0 (sdma.lock)
 */
struct sdma_ring {
	unsigned int engine;
	u32 reg;
	u8 queue, id;
	bool user;
	u64 ib_base;
	u32 ib_pos, ib_len;
	u32 ib_vmid;
	u64 poll_ns, poll_at, ready_at, done, busy_since;
	bool idle, paid, running;
	atomic_bool stopped, halt;
	u64 mqd;
	u16 pasid;
};

/**
 * struct sdma - all engines
 * @ring:	by engine; GFX and PAGE ring first
 * @lock:	the flags, and user rings as they come and go
 * @busy:	it is in a turn; a reset waits for its end
 */
struct sdma {
	struct sdma_ring ring[SDMA_ENGINES][SDMA_RINGS];
	struct actor actor;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool busy;
};

u32 sdma_ring_get(struct gpu *g, const struct sdma_ring *r, u32 off);
void sdma_ring_set(struct gpu *g, const struct sdma_ring *r, u32 off, u32 val);

/* Power-on state of ring @n of @engine. */
void sdma_ring_init(struct gpu *g, unsigned int engine, unsigned int n);

/* Have it take a turn; sdma.lock held. */
void sdma_kick_locked(struct sdma *d);

/* Bytes that the next packet copies or fills; 0 for others, and what cannot be read. */
u64 sdma_packet_bytes(struct gpu *g, const struct stream *s);

/**
 * sdma_packet() - execute the next packet
 * @g:		device
 * @r:		ring
 * @s:		where the packet is
 * @in_ib:	in an indirect buffer
 * @taken:	out: dwords to skip
 *
 * Return: 0, -EAGAIN to look again at @r->poll_at, -EINVAL for one that cannot
 * be parsed or is not allowed, -EFAULT, or 1 when an indirect buffer was entered.
 */
int sdma_packet(struct gpu *g, struct sdma_ring *r, const struct stream *s, bool in_ib,
		u32 *taken);

#endif
