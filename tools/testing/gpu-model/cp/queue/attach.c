// SPDX-License-Identifier: GPL-2.0
/* User queues come into being; see attach.h. */
#include <stdlib.h>

#include "asic.h"
#include "bus/pci.h"
#include "compute/spi.h"
#include "cp/queue/aql_ring.h"
#include "cp/queue/attach.h"
#include "cp/queue/hqd.h"
#include "cp/queue/pm4_dispatch.h"
#include "host/log.h"
#include "vm/vm.h"

/* A fault is the matter of wave_mem_retry(). */
static void *wave_mem_ptr(void *ctx, u64 va, size_t *span, bool write)
{
	struct user_queue *q = ctx;

	return vm_ptr_quiet(q->g, q->vmid, va, span, write);
}

static bool wave_mem_retry(void *ctx, u64 va, bool write)
{
	struct user_queue *q = ctx;

	return vm_retry(q->g, q->vmid, va, write);
}

/* The driver maps a process's doorbells for its waves, too, and they may map another GPU's. */
static bool wave_mem_ring(void *ctx, u64 va, const u64 *value, size_t bytes)
{
	struct user_queue *q = ctx;
	u64 addr;

	return vm_on_bus(q->g, q->vmid, va, &addr) && pci_post(q->g, addr, value, bytes);
}

static u32 wave_mem_generation(void *ctx)
{
	struct user_queue *q = ctx;

	return vm_generation(q->g, q->vmid);
}

static u32 wave_mem_gws_range(void *ctx)
{
	struct user_queue *q = ctx;

	return spi_gws_range(q->g, q->part->xcc, q->vmid);
}

/*
 * Which XCC does what: a PM4 queue runs on the one that its MQD names, an AQL
 * queue's workgroups go round in the order of compute_current_logic_xcc_id. Each
 * MQD has its XCC's CU masks.
 */
static void attach_xccs(struct user_queue *q)
{
	struct gpu *g = q->g;
	u32 sh[COMPUTE_REGS], target = 0;
	unsigned int i, logic;

	q->chunk = q->aql ? q->sh[MQD_TG_CHUNK - MQD_COMPUTE] : 0;
	if (!q->chunk && !vm_read(g, 0, q->h->mqd + 4 * MQD_PM4_TARGET_XCC, &target, 4) &&
	    target < gpu_partition(g))
		q->xcc[0] = target;
	for (i = 0; i < gpu_partition(g); i++) {
		const struct hqd *h = mec_on_xcc(g, q->h, q->h->xcc + i);

		if (vm_read(g, 0, h->mqd + 4 * MQD_COMPUTE, sh, sizeof(sh))) {
			log_warn("queue %#x: cannot read its MQD of XCC %u", h->doorbell, h->xcc);
			continue;
		}
		compute_masks(q, i, sh);
		logic = sh[MQD_LOGIC_XCC - MQD_COMPUTE];
		if (q->chunk && logic < XCCS_MAX)
			q->xcc[logic] = i;
	}
}

/**
 * aql_attach() - bind a user queue to its slot
 * @g:		device
 * @h:		slot that mec_map() or registers filled
 * @env:	what its process brings
 *
 * Return: queue, or NULL if out of memory.
 */
struct user_queue *aql_attach(struct gpu *g, struct hqd *h, const struct queue_env *env)
{
	struct user_queue *q = calloc(1, sizeof(*q));
	const u32 *r = h->reg;

	if (!q)
		return NULL;
	q->g = g;
	q->part = spi_partition(g, h->xcc);
	q->h = h;
	q->pasid = env->pasid;
	q->vmid = h->vmid;
	q->is_static = env->is_static;
	q->gws = env->gws;
	q->since = env->since;
	q->aql = h->aql;
	q->ring = ((u64)r[HQD(MQD_PQ_BASE_HI)] << 32 | r[HQD(MQD_PQ_BASE_LO)]) << 8;
	q->read_addr = (u64)r[HQD(MQD_RPTR_REPORT_HI)] << 32 | r[HQD(MQD_RPTR_REPORT_LO)];
	q->write_addr = env->write_addr;
	if (!q->write_addr)
		q->write_addr = (u64)r[HQD(MQD_WPTR_POLL_HI)] << 32 |
				r[HQD(MQD_WPTR_POLL_LO)];
	q->connected = g->cfg.connect == CONNECT_ALL;
	q->cwsr = r[HQD(MQD_PERSISTENT_STATE)] & PERSISTENT_QSWITCH_MODE &&
		  (r[HQD(MQD_CTX_SAVE_BASE_LO)] || r[HQD(MQD_CTX_SAVE_BASE_HI)]);
	q->pipe_priority = r[HQD(MQD_PIPE_PRIORITY)];
	q->priority = r[HQD(MQD_QUEUE_PRIORITY)];
	if (!h->mqd || vm_read(g, 0, h->mqd + 4 * MQD_COMPUTE, q->sh, sizeof(q->sh)))
		log_warn("queue %#x: cannot read its MQD", h->doorbell);
	compute_masks(q, 0, q->sh);
	if (gpu_partition(g) > 1)
		attach_xccs(q);
	q->mem = (struct wave_mem){
		.isa = asic_of(g)->isa,
		.ptr = wave_mem_ptr,
		.retry = wave_mem_retry,
		.ring = wave_mem_ring,
		.generation = wave_mem_generation,
		.ctx = q,
		.gws = g->spi->gws[q->part->xcc],
		.gws_range = wave_mem_gws_range,
		.shared_base = (u64)(env->sh_mem_bases >> 16) << 48,
		.private_base = (u64)(env->sh_mem_bases & 0xffff) << 48,
	};
	trap_attach(q, &env->trap);
	if (q->aql)
		aql_ring_attach(q);
	else
		q->fetch = q->read = q->sh[MQD_DISPATCH_ID - MQD_COMPUTE];
	h->uq = q;
	spi_attach(q);
	return q;
}

/**
 * aql_detach() - unbind a queue from its slot and free it
 * @q:	queue without groups
 */
void aql_detach(struct user_queue *q)
{
	spi_detach(q);
	q->h->uq = NULL;
	free(q);
}
