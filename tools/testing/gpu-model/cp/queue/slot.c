// SPDX-License-Identifier: GPL-2.0
/*
 * User queues come to a slot and leave it; see slot.h.
 *
 * Without the scheduler (amdgpu.sched_policy=2) the driver loads the registers
 * itself, and takes a queue off by CP_HQD_DEQUEUE_REQUEST, then polls
 * CP_HQD_ACTIVE (kgd_gfx_v9_hqd_destroy()). The MQD is written back before
 * that bit goes: the driver loads the registers from there when the queue
 * returns. A request that cannot be served stays pending until the queue is
 * reset; the driver gives up by itself.
 */
#include <errno.h>
#include <inttypes.h>

#include "compute/spi.h"
#include "cp/queue/complete.h"
#include "cp/queue/cwsr.h"
#include "cp/queue/engine.h"
#include "cp/queue/hqd.h"
#include "cp/queue/slot.h"
#include "host/fault.h"
#include "host/log.h"
#include "vm/ih.h"
#include "vm/vm.h"

/* CP_HQD_DEQUEUE_REQUEST, as enum hqd_dequeue_request_type of amdgpu_amdkfd_gfx_v9.c. */
enum { REQUEST_NONE, REQUEST_DRAIN, REQUEST_RESET, REQUEST_SAVE };

static void restore(struct user_queue *q)
{
	u64 bytes = 0;
	int err;

	if (!cwsr_saved(q->h))
		return;
	if (fault_hit(FAULT_REFUSE_RESTORE, NULL)) {
		err = -EIO;
	} else {
		copy_begin(q->g);
		err = cwsr_restore(q, &bytes);
		copy_end(q->g);
	}
	if (err) {
		q->error = AQL_FAULT;
		log_event("error", "queue=%#x pasid=%u restore=%d", q->h->doorbell, q->pasid,
			  err);
		log_warn("queue %#x: cannot restore its state (%d)", q->h->doorbell, err);
		return;
	}
	log_event("queue-restore", "queue=%#x pasid=%u bytes=%" PRIu64 " dispatches=%u",
		  q->h->doorbell, q->pasid, bytes, q->begun);
}

/*
 * Where a queue is in an indirect buffer: the driver clears CP_HQD_IB_CONTROL
 * with every update_mqd(), so the model keeps a copy that it leaves alone.
 */
static void restore_ib(struct gpu *g, struct hqd *h)
{
	u32 control = 0;

	vm_read(g, 0, h->mqd + 4 * MQD_SAVED_IB_CONTROL, &control, 4);
	if (control & IB_PROCESSING)
		h->reg[HQD(MQD_IB_CONTROL)] = control;
}

struct user_queue *slot_enter(struct gpu *g, struct hqd *h, const struct queue_env *env)
{
	const struct queue_env by_registers = {
		.pasid = ih_vmid_pasid(g, h->vmid),
		.sh_mem_bases = SH_MEM_BASES_DEFAULT,
		.trap = {
			.tba = spi_shader_trap(g, h->vmid, SHADER_TBA),
			.tma = spi_shader_trap(g, h->vmid, SHADER_TMA),
		},
	};
	struct user_queue *q = aql_attach(g, h, env ? env : &by_registers);

	if (!q) {
		log_warn("out of memory for a queue");
		return NULL;
	}
	log_event("queue-map", "queue=%#x pasid=%u mqd=%#" PRIx64 " xcc=%u pipe=%u slot=%u vmid=%u"
		  " pipe-priority=%u priority=%u ring=%#" PRIx64 " aql=%d read=%" PRIu64
		  " write=%" PRIu64,
		  h->doorbell, q->pasid, h->mqd, h->xcc, h->pipe, h->queue, q->vmid,
		  q->pipe_priority, q->priority, q->ring, q->aql, q->read, q->write);
	restore_ib(g, h);
	restore(q);
	return q;
}

/* What the driver, and the next map, find in the MQDs: of @h, one of the queue's slots. */
static void write_mqd(struct gpu *g, const struct user_queue *q, const struct hqd *h)
{
	static const u8 regs[] = {
		MQD_PQ_RPTR, MQD_CNTL_STACK_OFFSET, MQD_WG_STATE_OFFSET,
		MQD_PQ_WPTR_LO, MQD_PQ_WPTR_HI, MQD_IB_BASE_LO, MQD_IB_BASE_HI, MQD_IB_RPTR,
	};
	u32 active = 0;
	unsigned int i;
	int err = 0;

	for (i = 0; i < sizeof(regs); i++)
		err |= vm_write(g, 0, h->mqd + 4 * regs[i], &h->reg[HQD(regs[i])], 4);
	err |= vm_write(g, 0, h->mqd + 4 * MQD_SAVED_IB_CONTROL, &h->reg[HQD(MQD_IB_CONTROL)], 4);
	if (h == q->h)
		err |= vm_write(g, 0, h->mqd + 4 * MQD_COMPUTE, q->sh, sizeof(q->sh));
	err |= vm_write(g, 0, h->mqd + 4 * MQD_ACTIVE, &active, 4);
	if (err)
		log_warn("queue %#x: cannot write its MQD", h->doorbell);
}

void slot_leave(struct user_queue *q)
{
	struct gpu *g = q->g;
	struct hqd *h = q->h;
	unsigned int i;

	log_event("queue-unmap", "queue=%#x pasid=%u mqd=%#" PRIx64 " pipe=%u slot=%u vmid=%u"
		  " read=%" PRIu64 " fetch=%" PRIu64, h->doorbell, q->pasid, h->mqd, h->pipe,
		  h->queue, q->vmid, q->read, q->fetch);
	for (i = 0; i < gpu_partition(g); i++)
		write_mqd(g, q, mec_on_xcc(g, h, h->xcc + i));
	/* Only now: what is being saved still holds its registers and LDS. */
	cwsr_drop(q);
	aql_detach(q);
	mec_unmap(g, h);
}

void slot_stick(struct user_queue *q, int err)
{
	q->stuck = true;
	cwsr_undo(q);
	log_warn("queue %#x: cannot save its waves (%d)", q->h->doorbell, err);
}

void slot_drop(struct user_queue *q)
{
	q->frozen = true;
	cwsr_remove(q);
	aql_reap(q->part);
	cwsr_drop(q);
	aql_detach(q);
}

void slot_kill(struct gpu *g, struct hqd *h)
{
	if (h->active && h->is_user)
		copy_wait(g);
	if (h->uq) {
		log_event("queue-reset", "queue=%#x pasid=%u", h->doorbell, h->uq->pasid);
		slot_drop(h->uq);
	}
	mec_unmap(g, h);
}

static void request_done(struct user_queue *q, u64 bytes)
{
	struct gpu *g = q->g;
	unsigned int xcc = q->h->xcc;
	u64 begin = q->request_at;

	slot_leave(q);
	log_event("preempt-end", "xcc=%u queues=1 bytes=%" PRIu64 " us=%" PRIu64 " stuck=0", xcc,
		  bytes, (gpu_now() - begin) / NS_PER_US);
	mec_kick(g);
}

/* Begin: what runs stops. */
static void save_begin(struct user_queue *q)
{
	q->frozen = true;
	cwsr_remove(q);
	aql_reap(q->part);
}

/* Its state goes to memory, and the cost is set; not before what ended is told of. */
static void save(struct user_queue *q)
{
	struct cwsr_load load = {};
	struct gpu *g = q->g;
	struct cwsr_size size;
	int err;

	if (aql_complete(q))
		return;
	cwsr_count(q, &load);
	err = cwsr_check(q, &size);
	if (!err && size.stack) {
		copy_begin(g);
		err = cwsr_write(q);
		copy_end(g);
	}
	if (err) {
		slot_stick(q, err);
		log_event("preempt-fail", "queue=%#x pasid=%u", q->h->doorbell, q->pasid);
		return;
	}
	q->saved_bytes = size.stack + size.state;
	q->leave_at = q->request_at + param.unmap_queue_ns;
	if (q->saved_bytes)
		q->leave_at += cwsr_grace(q->part) + cwsr_save_time(q->saved_bytes, &load) +
			       fault_save_ns(q->ring);
	q->leave_at = fault_preempt_end(q->leave_at);
}

static void serve(struct user_queue *q, unsigned int request)
{
	struct gpu *g = q->g;

	if (request == REQUEST_RESET) {
		slot_kill(g, q->h);
		return;
	}
	if (!q->request_at) {
		q->request_at = gpu_now();
		log_event("preempt-begin", "xcc=%u queues=1", q->h->xcc);
		if (request == REQUEST_SAVE && q->cwsr)
			save_begin(q);
		else
			q->drain = true;
	}
	if (q->frozen && !q->leave_at && !q->stuck)
		save(q);
	/* Of what could not be saved, SQ_CMD may have left nothing. */
	if ((q->drain || q->stuck) && !q->begun) {
		request_done(q, 0);
	} else if (q->leave_at) {
		if (gpu_now() >= q->leave_at)
			request_done(q, q->saved_bytes);
		else
			mec_kick_at(g, q->leave_at);
	}
}

void slot_turn(struct gpu *g)
{
	struct user_queue *q, *next;
	struct partition *p;

	for_each_partition(g, p) {
		for (q = p->queues; q; q = next) {
			unsigned int request = q->h->reg[HQD(MQD_DEQUEUE_REQUEST)] & 7;

			next = q->next;
			/* What the scheduler is taking off leaves anyway. */
			if (request && (q->request_at || !q->frozen))
				serve(q, request);
		}
	}
}
