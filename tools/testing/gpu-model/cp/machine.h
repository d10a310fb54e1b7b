/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the device's shell calls of the compute side: hardware scheduler, AQL,
 * workgroup launch. All with gpu.mec_lock held unless said otherwise.
 */
#ifndef GPU_MODEL_MACHINE_H
#define GPU_MODEL_MACHINE_H

#include "block.h"
#include "cp/mec.h"

void machine_stop(struct gpu *g);	/* no lock; drops all queues and waves */
void machine_reset(struct gpu *g);	/* function-level reset: likewise */

/**
 * machine_turn() - what the command processor does by itself in one turn
 * @g:	device
 *
 * To be called in every turn of the command-processor loop (mec_kick() and
 * mec_kick_at() ask for one): ends preemptions whose time has come, rotates an
 * oversubscribed runlist, completes dispatches, looks at barriers, launches
 * workgroups. Cheap when there is nothing to do.
 */
void machine_turn(struct gpu *g);

/**
 * hws_packet() - one PM4 packet 0xa0..0xa5 from the HIQ
 * @g:	device
 * @xcc:	XCC of the HIQ, which leads its partition
 * @op:	IT opcode
 * @p:	payload, after the header (a copy, not guest memory)
 * @n:	payload dwords
 *
 * Called by the command-processor thread only. Drops mec_lock and takes it
 * again while it saves or restores waves: the caller looks again at what it knew of slots.
 *
 * Return: 0 when done or begun, a model time in ns (> 0) before which the HIQ may
 * not take the next packet, -EAGAIN when this packet cannot begin yet, as while a
 * preemption is under way (offer it again after the next kick), or -EINVAL for a
 * malformed packet.
 */
s64 hws_packet(struct gpu *g, unsigned int xcc, unsigned int op, const u32 *p, unsigned int n);

/* The doorbell of a user AQL queue rang: read its write index; clears @h->rung. */
void aql_run(struct gpu *g, struct hqd *h);

/*
 * Kill the waves of this slot's queue and forget it; the caller frees the slot.
 * May drop mec_lock and take it again.
 */
void machine_queue_reset(struct gpu *g, struct hqd *h);

/* SQ_CMD, kill: end the waves of @vmid (0: all) in the XCC's engines of @mask; takes mec_lock. */
void machine_kill_waves(struct gpu *g, unsigned int xcc, u32 mask, unsigned int vmid);

/*
 * Partitions of @n XCCs, a divisor of how many there are; takes mec_lock. False: queues are
 * mapped, and all stays as it is.
 */
bool machine_partition(struct gpu *g, unsigned int n);

extern const struct block cp_block;

#endif
