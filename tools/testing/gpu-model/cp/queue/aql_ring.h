/* SPDX-License-Identifier: GPL-2.0 */
/* An AQL queue's ring and indices, in memory and in the slot's registers. mec_lock held. */
#ifndef GPU_MODEL_AQL_RING_H
#define GPU_MODEL_AQL_RING_H

#include "compute/queue.h"

#define AQL_PACKET_BYTES	64
#define AQL_PACKET_DWORDS	16

enum packet_type {
	PACKET_VENDOR, PACKET_INVALID, PACKET_DISPATCH, PACKET_BARRIER_AND,
	PACKET_AGENT, PACKET_BARRIER_OR, PACKET_CORRUPT,
};

/* Where packet @index is. */
static inline u64 aql_packet_addr(const struct user_queue *q, u64 index)
{
	return q->ring + (index & q->mask) * AQL_PACKET_BYTES;
}

/* Size, indices, and the amd_queue_t around them, of a queue that comes to its slot. */
void aql_ring_attach(struct user_queue *q);

/* Packet q->read is consumed: its slot becomes INVALID, then the index moves. */
void aql_publish(struct user_queue *q);

/* Read the write index again (map, doorbell). */
void aql_read_write_index(struct user_queue *q);

#endif
