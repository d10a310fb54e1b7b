// SPDX-License-Identifier: GPL-2.0
/*
 * Processes' queues come to their places and leave them. See mes_priv.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "asic.h"
#include "cp/queue/attach.h"
#include "cp/queue/engine.h"
#include "cp/queue/slot.h"
#include "host/log.h"
#include "host/params.h"
#include "mes_priv.h"
#include "sdma/sdma.h"
#include "vm/ih.h"

#define PDE_VALID	1ull
#define REQUEST_SAVE	3	/* CP_HQD_DEQUEUE_REQUEST, see slot.c */

#define QUEUES_MAX	256

/* Has a process queues that need its VMID: a place, or one to come back to? */
static bool needs_vmid(const struct gpu *g, u64 context)
{
	const struct mes_queue *q;

	for (q = g->mes->queues; q; q = q->next)
		if (q->add.context == context && (q->vmid || q->suspended))
			return true;
	return false;
}

static void free_vmid(struct gpu *g, unsigned int vmid)
{
	g->mes->context[vmid] = 0;
	g->mes->since[vmid] = 0;
	ih_set_vmid_pasid(g, vmid, 0);
}

/* Of processes that have no queue any more. */
static void free_vmids(struct gpu *g)
{
	const struct mes_queue *q;
	unsigned int v;

	for (v = 0; v < VM_COUNT; v++) {
		for (q = g->mes->queues; q && q->add.context != g->mes->context[v]; q = q->next)
			;
		if (!q && g->mes->context[v])
			free_vmid(g, v);
	}
}

/* The VMID that a process has, or else can have; 0: there is none left. */
static unsigned int find_vmid(const struct gpu *g, u64 context)
{
	const struct mes *m = g->mes;
	unsigned int v, got = 0;

	for (v = 1; v < VM_COUNT; v++) {
		if (m->context[v] == context)
			return v;
		if (!got && m->vmids >> v & 1 && !needs_vmid(g, m->context[v]))
			got = v;
	}
	return got;
}

bool mes_may_have_vmid(struct gpu *g, const struct mes_queue *q)
{
	return find_vmid(g, q->add.context);
}

static unsigned int vmid_of(struct gpu *g, const struct mes_add *add)
{
	struct mes *m = g->mes;
	unsigned int got = find_vmid(g, add->context);

	if (!got || m->context[got] == add->context)
		return got;
	free_vmid(g, got);
	m->context[got] = add->context;
	ih_set_vmid_pasid(g, got, add->pasid);
	vm_set_base(g, got, add->root | PDE_VALID);
	return got;
}

/* A slot of processes' that is free: pipe after pipe, so that queues spread over them. */
static struct hqd *free_slot(struct gpu *g, enum mes_queue_type type)
{
	const struct mes *m = g->mes;
	unsigned int pipe, queue;

	for (queue = 0; queue < MEC_QUEUES; queue++) {
		for (pipe = 0; pipe < MEC_PIPES; pipe++) {
			u32 mask = type == MES_QUEUE_COMPUTE ? m->compute[pipe] :
				   pipe ? 0 : m->gfx;
			struct hqd *h = mec_hqd(g, 0, type == MES_QUEUE_COMPUTE ? ME_MEC1 : ME_GFX,
						pipe, queue);

			if (h && !h->active && mask >> queue & 1)
				return h;
		}
	}
	return NULL;
}

static int place_sdma(struct gpu *g, const struct mes_add *add, unsigned int vmid)
{
	struct sdma_user u = {
		.mqd = add->mqd, .since = gpu_now(), .vmid = vmid, .pasid = add->pasid,
		.doorbell = add->doorbell,
	};
	u32 poll[2];

	if (!sdma_free_place(g, g->mes->sdma, &u.engine, &u.queue))
		return -ENOSPC;
	if (vm_read(g, 0, add->mqd + 4 * MQD_SDMA_WPTR_POLL_HI, poll, sizeof(poll)))
		return -EFAULT;
	u.write_addr = poll[1] | (u64)poll[0] << 32;
	return sdma_map(g, &u);
}

static int place_slot(struct gpu *g, const struct mes_add *add, unsigned int vmid)
{
	const struct queue_env env = {
		.pasid = add->pasid,
		.sh_mem_bases = SH_MEM_BASES_DEFAULT,
		.trap = { .tba = add->tba, .tma = add->tma, .off = add->traps_off },
	};
	struct hqd *h = free_slot(g, add->type);
	int err;

	if (!h)
		return -ENOSPC;
	err = mec_map(g, h, add->mqd, vmid);
	if (err)
		return err;
	if (h->doorbell != add->doorbell)
		err = -EINVAL;
	else if (add->type == MES_QUEUE_COMPUTE && !slot_enter(g, h, &env))
		err = -ENOMEM;
	if (err)
		mec_unmap(g, h);
	return err;
}

static bool has_place(const struct gpu *g, unsigned int vmid)
{
	const struct mes_queue *q;

	for (q = g->mes->queues; q && q->vmid != vmid; q = q->next)
		;
	return q;
}

int mes_place(struct gpu *g, struct mes_queue *q)
{
	unsigned int vmid = vmid_of(g, &q->add);
	int err = -ENOSPC;

	if (vmid)
		err = q->add.type == MES_QUEUE_SDMA ? place_sdma(g, &q->add, vmid) :
						      place_slot(g, &q->add, vmid);
	if (err)
		return err;
	q->at = gpu_now();
	q->busy_at = q->at;
	if (!has_place(g, vmid))
		g->mes->since[vmid] = q->at;
	q->vmid = vmid;
	return 0;
}

/* Where the queue with a doorbell is linked, or where the next one would be. */
static struct mes_queue **find(struct gpu *g, u32 doorbell)
{
	struct mes_queue **p = &g->mes->queues;

	while (*p && (*p)->add.doorbell != doorbell)
		p = &(*p)->next;
	return p;
}

static void drop(struct gpu *g, struct mes_queue **p)
{
	struct mes_queue *q = *p;

	*p = q->next;
	g->mes->count--;
	free(q);
	free_vmids(g);
}

/* Is its MQD one of a queue with its doorbell, by which it is found? */
static bool is_its_mqd(struct gpu *g, const struct mes_add *add)
{
	u32 control;

	return add->type == MES_QUEUE_SDMA ||
	       (!vm_read(g, 0, add->mqd + 4 * MQD_DOORBELL_CONTROL, &control, 4) &&
		(control & 0x0ffffffc) >> 2 == add->doorbell);
}

int mes_add_queue(struct gpu *g, const struct mes_add *add)
{
	struct mes_queue **p = find(g, add->doorbell);
	int err;

	if (!add->context || add->type >= MES_QUEUE_TYPES || !is_its_mqd(g, add))
		return -EINVAL;
	if (*p)
		return -EEXIST;
	if (g->mes->count == QUEUES_MAX)
		return -ENOSPC;
	*p = calloc(1, sizeof(**p));
	if (!*p)
		return -ENOMEM;
	g->mes->count++;
	(*p)->add = *add;
	(*p)->at = gpu_now();
	(*p)->read = UINT64_MAX;
	(*p)->work_at = UINT64_MAX;
	err = mes_place(g, *p);
	/* of the others there are as many as KFD gives away */
	if (err == -ENOSPC && add->type == MES_QUEUE_COMPUTE)
		return 0;
	if (err) {
		log_warn("MES: queue %#x of pasid %u has no place (%d)", add->doorbell, add->pasid,
			 err);
		drop(g, p);
	}
	return err;
}

static bool has_doorbell(const void *ctx, unsigned int vmid, u16 pasid, u32 doorbell)
{
	(void)vmid;
	(void)pasid;
	return doorbell == *(const u32 *)ctx;
}

struct hqd *mes_slot(struct gpu *g, const struct mes_queue *q)
{
	struct hqd *h = mec_find_doorbell(g, 0, q->add.doorbell);

	return h && h->vmid && q->add.type != MES_QUEUE_SDMA ? h : NULL;
}

int mes_take_off(struct gpu *g, struct mes_queue *q)
{
	struct hqd *h = mes_slot(g, q);

	if (h && h->me == ME_MEC1) {
		if (!h->reg[HQD(MQD_DEQUEUE_REQUEST)]) {
			h->reg[HQD(MQD_DEQUEUE_REQUEST)] = REQUEST_SAVE;
			mec_kick(g);
		}
		return -EAGAIN;
	}
	if (h) {		/* graphics: it stopped between two packets */
		vm_write(g, 0, q->add.mqd + 4 * MQD_PQ_RPTR, &h->reg[HQD(MQD_PQ_RPTR)], 4);
		mec_unmap(g, h);
	} else if (q->add.type == MES_QUEUE_SDMA) {		/* at once */
		sdma_unmap(g, has_doorbell, &q->add.doorbell);
	}
	/* what comes back to a place may have work */
	if (!q->leaving)
		q->read = UINT64_MAX;
	q->vmid = 0;
	q->leaving = false;
	q->at = gpu_now();
	g->mes->look_at = 0;		/* somebody may wait for its place */
	mec_kick(g);
	return 0;
}

int mes_remove_queue(struct gpu *g, u32 doorbell)
{
	struct mes_queue **p = find(g, doorbell);
	int err;

	if (!*p)
		return -ENOENT;
	err = mes_take_off(g, *p);
	if (!err)
		drop(g, p);
	return err;
}

int mes_suspend(struct gpu *g, u64 gang)
{
	struct mes_queue *q;
	int err = 0;

	for (q = g->mes->queues; q; q = q->next) {
		if (q->suspended || (gang && q->add.gang != gang))
			continue;
		q->suspended = !mes_take_off(g, q);
		if (!q->suspended)
			err = -EAGAIN;
	}
	return err;
}

int mes_resume(struct gpu *g, u64 gang)
{
	struct mes_queue *q;
	int err = 0, ret;

	for (q = g->mes->queues; q; q = q->next) {
		if (!q->suspended || q->hung || (gang && q->add.gang != gang))
			continue;
		q->suspended = false;
		ret = mes_place(g, q);
		if (ret == -ENOSPC && q->add.type == MES_QUEUE_COMPUTE)
			continue;
		q->suspended = ret;
		err = ret ? ret : err;
	}
	return err;
}

int mes_find_hung(struct gpu *g, u32 type, u64 found)
{
	struct mes_queue *q;
	unsigned int n = 0;
	int err = 0;

	for (q = g->mes->queues; q && n < g->mes->places; q = q->next) {
		const struct hqd *h = mes_slot(g, q);
		u32 place;

		if (!h || q->add.type != type || !h->reg[HQD(MQD_DEQUEUE_REQUEST)])
			continue;
		q->hung = true;
		place = type | h->pipe << 3 | h->queue << 7;
		err |= vm_write(g, 0, found + 4 * n, &q->add.doorbell, 4);
		err |= vm_write(g, 0, found + 4 * (g->mes->places + n++), &place, 4);
		log_event("mes-hung", "queue=%#x pasid=%u", q->add.doorbell, q->add.pasid);
	}
	return err ? -EFAULT : 0;
}

void mes_forget(struct gpu *g)
{
	while (g->mes->queues)
		drop(g, &g->mes->queues);
}
