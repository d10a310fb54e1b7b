// SPDX-License-Identifier: GPL-2.0
/* An AQL queue's ring and indices; see aql_ring.h. */
#include "cp/queue/aql_ring.h"
#include "cp/queue/signal.h"
#include "vm/vm.h"

static void set_rptr(struct user_queue *q)
{
	q->h->reg[HQD(MQD_PQ_RPTR)] = (q->read & q->mask) * AQL_PACKET_DWORDS;
}

void aql_publish(struct user_queue *q)
{
	u16 invalid = PACKET_INVALID;
	u64 read = q->read + 1;

	if (vm_write(q->g, q->vmid, aql_packet_addr(q, q->read), &invalid, sizeof(invalid)) ||
	    vm_write(q->g, q->vmid, q->read_addr, &read, sizeof(read)))
		queue_fail(q, AQL_FAULT);
	q->read = read;
	set_rptr(q);
}

/**
 * aql_read_write_index() - poll the write index in memory
 * @q:	queue
 *
 * The doorbell's value only says that something happened: producers ring out
 * of order, and a doorbell rung while the queue was unmapped is lost.
 */
void aql_read_write_index(struct user_queue *q)
{
	u64 dwords;

	if (vm_read(q->g, q->vmid, q->write_addr, &q->write, sizeof(q->write))) {
		queue_fail(q, AQL_FAULT);
		return;
	}
	dwords = q->write * AQL_PACKET_DWORDS;
	q->h->reg[HQD(MQD_PQ_WPTR_LO)] = dwords;
	q->h->reg[HQD(MQD_PQ_WPTR_HI)] = dwords >> 32;
}

/* ROCr keeps the indices inside an amd_queue_t and says so beside the read index. */
static void find_amd_queue(struct user_queue *q)
{
	u64 base = q->read_addr - AMD_QUEUE_READ_ID;
	u32 offset;

	if (q->write_addr != base + AMD_QUEUE_WRITE_ID ||
	    vm_read(q->g, q->vmid, base + AMD_QUEUE_READ_OFFSET, &offset, sizeof(offset)) ||
	    offset != AMD_QUEUE_READ_ID)
		return;
	q->amd_queue = base;
}

void aql_ring_attach(struct user_queue *q)
{
	u32 *r = q->h->reg;
	u64 wrapped = r[HQD(MQD_PQ_RPTR)] / AQL_PACKET_DWORDS;

	/* Ring size: log2 of dwords, less one (kfd_mqd_manager_v9.c). */
	q->mask = ((u64)2 << (r[HQD(MQD_PQ_CONTROL)] & 0x3f)) / AQL_PACKET_DWORDS - 1;
	find_amd_queue(q);
	/* The MQD knows the index modulo the ring, memory the rest. */
	if (vm_read(q->g, q->vmid, q->read_addr, &q->read, sizeof(q->read)))
		queue_fail(q, AQL_FAULT);
	q->read = (q->read & ~q->mask) | (wrapped & q->mask);
	q->fetch = q->read;
	set_rptr(q);
	aql_read_write_index(q);
}
