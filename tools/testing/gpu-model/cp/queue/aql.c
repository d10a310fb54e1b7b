// SPDX-License-Identifier: GPL-2.0
/*
 * AQL packets. A packet is consumed in order: the header of the one at the
 * fetch index is looked at, and the queue waits there while it is INVALID,
 * while its barrier bit waits for earlier dispatches, while a barrier packet
 * waits for signals, or while an earlier dispatch still has workgroups to
 * launch. Nothing the host wrote is trusted: a bad packet stops its queue.
 *
 * Layouts: HSA Platform System Architecture 1.2 section 2.9.
 */
#include <inttypes.h>

#include "bus/memory.h"
#include "cp/queue/aql.h"
#include "cp/queue/aql_dispatch.h"
#include "cp/queue/aql_ring.h"
#include "cp/queue/dispatch.h"
#include "cp/queue/engine.h"
#include "cp/queue/hqd.h"
#include "cp/queue/pm4.h"
#include "cp/queue/signal.h"
#include "host/fault.h"
#include "host/log.h"
#include "host/params.h"
#include "vm/vm.h"

enum vendor_format { VENDOR_PM4_IB = 1, VENDOR_BARRIER_VALUE = 2 };

#define HEADER_BARRIER		(1u << 8)

/* ROCr clears the signal once it has given the queue scratch memory. */
static bool scratch_granted(struct user_queue *q)
{
	u64 handle = 0;
	s64 value = 1;

	if (!q->amd_queue ||
	    vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_INACTIVE, &handle, sizeof(handle)) ||
	    !handle || signal_read(q, handle, &value))
		return false;
	return !value;
}

/* Barrier packet: five signals, zero handles count as satisfied. */
static enum aql_error barrier(struct user_queue *q, const u8 *packet, bool any, bool *wait)
{
	unsigned int i, set = 0, done = 0;
	s64 value;

	for (i = 0; i < 5; i++) {
		u64 handle = get64(packet + 8 + 8 * i);

		if (!handle)
			continue;
		if (signal_read(q, handle, &value))
			return AQL_FAULT;
		set++;
		done += !value;
	}
	*wait = any ? set && !done : done < set;
	return AQL_OK;
}

/* hsa_amd_barrier_value_packet_t: wait for a condition on a signal's value. */
static enum aql_error barrier_value(struct user_queue *q, const u8 *packet, bool *wait)
{
	u64 handle = get64(packet + 8);
	s64 value, want = get64(packet + 16), mask = get64(packet + 24);
	bool met;

	if (!handle)
		return AQL_OK;
	if (signal_read(q, handle, &value))
		return AQL_FAULT;
	value &= mask;
	switch (get32(packet + 32)) {
	case 0:
		met = value == want;
		break;
	case 1:
		met = value != want;
		break;
	case 2:
		met = value < want;
		break;
	case 3:
		met = value >= want;
		break;
	default:
		return AQL_BAD_VENDOR;
	}
	*wait = !met;
	return AQL_OK;
}

/*
 * amd_aql_pm4_ib: an INDIRECT_BUFFER packet within this one. The slot's
 * registers say how far its packets are, so that it goes on after a preemption.
 */
static enum aql_error vendor_ib(struct user_queue *q, const u8 *packet, bool *wait)
{
	u32 jump[4], *control = &q->h->reg[HQD(MQD_IB_CONTROL)];

	memcpy(jump, packet + 4, sizeof(jump));
	if (!(*control & IB_PROCESSING) && pm4_enter_ib(q->h, jump))
		return AQL_BAD_VENDOR;
	if (pm4_run(q->g, q->h, mec_pm4(q->g, q->h)))
		mec_kick(q->g);
	*wait = *control & IB_PROCESSING;
	return AQL_OK;
}

static enum aql_error vendor(struct user_queue *q, const u8 *packet, bool *wait)
{
	switch (packet[2]) {
	case VENDOR_BARRIER_VALUE:
		return barrier_value(q, packet, wait);
	case VENDOR_PM4_IB:
		return vendor_ib(q, packet, wait);
	default:
		return AQL_BAD_VENDOR;
	}
}

/*
 * Look again at a wait that no doorbell ends. Asked for in every turn: a
 * request may have been merged with an earlier one that is over.
 */
static void poll_later(struct user_queue *q)
{
	u64 now = gpu_now();

	if (q->poll_at <= now) {
		q->poll_ns = !q->poll_at ? BARRIER_POLL_NS : q->poll_ns * 2;
		if (q->poll_ns > BARRIER_POLL_MAX_NS)
			q->poll_ns = BARRIER_POLL_MAX_NS;
		q->poll_at = now + q->poll_ns;
	}
	mec_kick_at(q->g, q->poll_at);
}

/* The packet at the fetch index. Return: true if it was consumed. */
static bool packet_step(struct user_queue *q)
{
	static const char *const names[] = {
		"vendor", "invalid", "dispatch", "barrier-and", "agent", "barrier-or",
	};
	enum aql_error error = AQL_OK;
	bool wait = false, poll = false;
	u8 packet[AQL_PACKET_BYTES];
	unsigned int header, type;
	bool in_buffer = q->h->reg[HQD(MQD_IB_CONTROL)] & IB_PROCESSING;

	if (vm_read(q->g, q->vmid, aql_packet_addr(q, q->fetch), packet, sizeof(packet))) {
		queue_fail(q, AQL_FAULT);
		return false;
	}
	header = packet[0] | packet[1] << 8;
	type = header & 0xff;
	if (type == PACKET_INVALID)
		return false;	/* reserved, not yet written: a doorbell will follow */
	if (header & HEADER_BARRIER && q->begun && !in_buffer)
		return false;
	if (fault_hit(FAULT_CORRUPT_PACKET, NULL))
		type = PACKET_CORRUPT;

	switch (type) {
	case PACKET_DISPATCH:
		error = aql_dispatch(q, packet, &wait);
		break;
	case PACKET_BARRIER_AND:
	case PACKET_BARRIER_OR:
		error = barrier(q, packet, type == PACKET_BARRIER_OR, &wait);
		poll = true;
		break;
	case PACKET_VENDOR:
		error = vendor(q, packet, &wait);
		if (q->error)
			return false;
		poll = packet[2] != VENDOR_PM4_IB;
		break;
	default:
		error = AQL_BAD_PACKET;
		break;
	}
	if (error) {
		queue_fail(q, error);
		return false;
	}
	if (wait) {
		if (poll)
			poll_later(q);
		return false;
	}
	q->poll_at = 0;
	log_event("packet", "queue=%#x pasid=%u packet=%" PRIu64 " type=%s", q->h->doorbell,
		  q->pasid, q->fetch, names[type]);
	q->fetch++;
	if (type != PACKET_DISPATCH) {
		if (signal_complete(q, get64(packet + 56), gpu_now(), gpu_now()))
			queue_fail(q, AQL_FAULT);
		aql_publish(q);
	} else if (q->g->cfg.rptr_at_fetch) {
		aql_publish(q);
	}
	return true;
}

/**
 * aql_has_packet() - is there a packet to take, or to wait at?
 * @q:	queue
 *
 * Return: false if there is none, or it is reserved and not yet written: a doorbell will
 * follow.
 */
bool aql_has_packet(struct user_queue *q)
{
	const u8 *header;
	bool has;
	size_t span;

	if ((s64)(q->write - q->fetch) <= 0 || q->fetch - q->read > q->mask)
		return false;
	mem_enter(q->g);
	header = vm_ptr_quiet(q->g, q->vmid, aql_packet_addr(q, q->fetch), &span, false);
	has = !header || *header != PACKET_INVALID;	/* at a missing page its queue stops */
	mem_exit(q->g);
	return has;
}

/**
 * aql_advance() - consume packets as far as possible now
 * @q:	queue
 *
 * At most AQL_ROUND_PACKETS in a call.
 *
 * Return: true if a packet was consumed.
 */
bool aql_advance(struct user_queue *q)
{
	bool moved = false;
	unsigned int n;

	if (q->error == AQL_NO_SCRATCH && scratch_granted(q)) {
		q->error = AQL_OK;
		q->poll_at = 0;
	}
	for (n = 0; n < AQL_ROUND_PACKETS; n++) {
		/* A write index below the read index, or nonsense, is no work. */
		if (!q->aql || q->error || q->frozen || q->drain || q->launching ||
		    (s64)(q->write - q->fetch) <= 0 || q->fetch - q->read > q->mask)
			break;
		if (!packet_step(q))
			break;
		moved = true;
	}
	if (q->error == AQL_NO_SCRATCH)
		poll_later(q);
	return moved;
}

/**
 * aql_run() - the doorbell of an AQL queue rang
 * @h:	its slot
 *
 * machine_turn(), later in the same turn, looks at the packets.
 */
void aql_run(struct hqd *h)
{
	struct user_queue *q = h->uq;

	h->rung = false;
	if (q->frozen)
		return;		/* the next map reads the index again */
	aql_read_write_index(q);
	log_event("doorbell-seen", "queue=%#x pasid=%u value=%" PRIu64 " write=%" PRIu64
		  " read=%" PRIu64, h->doorbell, q->pasid, h->db_value, q->write, q->read);
}
