// SPDX-License-Identifier: GPL-2.0
/*
 * Processes' queues come to their places and leave them. All that are added and not suspended have
 * one: what there is no place for is refused, so nothing rotates. See mes_priv.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "asic.h"
#include "cp/queue/attach.h"
#include "cp/queue/engine.h"
#include "cp/queue/slot.h"
#include "host/log.h"
#include "mes_priv.h"
#include "sdma/sdma.h"
#include "vm/ih.h"

#define PDE_VALID	1ull
#define REQUEST_SAVE	3	/* CP_HQD_DEQUEUE_REQUEST, see slot.c */

#define QUEUES_MAX	256

/* Of processes that have no queue any more. */
static void free_vmids(struct gpu *g)
{
	const struct mes_queue *q;
	unsigned int v;

	for (v = 0; v < VM_COUNT; v++) {
		for (q = g->mes->queues; q && q->add.context != g->mes->context[v]; q = q->next)
			;
		if (q || !g->mes->context[v])
			continue;
		g->mes->context[v] = 0;
		ih_set_vmid_pasid(g, v, 0);
	}
}

/* The VMID of a process, which has one or gets one; 0: there is none left. */
static unsigned int vmid_of(struct gpu *g, const struct mes_add *add)
{
	struct mes *m = g->mes;
	unsigned int v, got = 0;

	for (v = 1; v < VM_COUNT; v++) {
		if (m->context[v] == add->context)
			return v;
		if (!got && !m->context[v] && m->vmids >> v & 1)
			got = v;
	}
	if (!got)
		return 0;
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

/* Its MQD has to have the doorbell, too, by which it is found again. */
static int place(struct gpu *g, const struct mes_add *add)
{
	unsigned int vmid = vmid_of(g, add);
	int err = -ENOSPC;

	if (vmid)
		err = add->type == MES_QUEUE_SDMA ? place_sdma(g, add, vmid) :
						    place_slot(g, add, vmid);
	if (err)
		log_warn("MES: queue %#x of pasid %u has no place (%d)", add->doorbell, add->pasid,
			 err);
	return err;
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

int mes_add_queue(struct gpu *g, const struct mes_add *add)
{
	struct mes_queue **p = find(g, add->doorbell);
	int err;

	if (!add->context || add->type >= MES_QUEUE_TYPES)
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
	err = place(g, add);
	if (err)
		drop(g, p);
	return err;
}

static bool has_doorbell(const void *ctx, unsigned int vmid, u16 pasid, u32 doorbell)
{
	(void)vmid;
	(void)pasid;
	return doorbell == *(const u32 *)ctx;
}

/* 0 when it is off its place: what it goes on from is in its MQD. Else -EAGAIN. */
static int take_off(struct gpu *g, const struct mes_add *add)
{
	struct hqd *h = mec_find_doorbell(g, 0, add->doorbell);

	if (add->type == MES_QUEUE_SDMA) {		/* at once */
		sdma_unmap(g, has_doorbell, &add->doorbell);
		return 0;
	}
	if (!h || !h->vmid)
		return 0;
	if (h->me == ME_GFX) {		/* it stopped between two packets */
		vm_write(g, 0, add->mqd + 4 * MQD_PQ_RPTR, &h->reg[HQD(MQD_PQ_RPTR)], 4);
		mec_unmap(g, h);
		return 0;
	}
	if (!h->reg[HQD(MQD_DEQUEUE_REQUEST)]) {
		h->reg[HQD(MQD_DEQUEUE_REQUEST)] = REQUEST_SAVE;
		mec_kick(g);
	}
	return -EAGAIN;
}

int mes_remove_queue(struct gpu *g, u32 doorbell)
{
	struct mes_queue **p = find(g, doorbell);
	int err;

	if (!*p)
		return -ENOENT;
	err = (*p)->suspended ? 0 : take_off(g, &(*p)->add);
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
		q->suspended = !take_off(g, &q->add);
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
		if (!q->suspended || (gang && q->add.gang != gang))
			continue;
		ret = place(g, &q->add);
		q->suspended = ret;
		err = ret ? ret : err;
	}
	return err;
}

void mes_forget(struct gpu *g)
{
	while (g->mes->queues)
		drop(g, &g->mes->queues);
}
