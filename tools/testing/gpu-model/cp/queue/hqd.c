// SPDX-License-Identifier: GPL-2.0
/* Queue slots; see hqd.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "asic.h"
#include "cp/queue/engine.h"
#include "cp/queue/hqd.h"
#include "host/log.h"
#include "vm/vm.h"

#define DOORBELL_ENABLE		(1u << 30)
#define DOORBELL_OFFSET(v)	(((v) & 0x0ffffffc) >> 2)

struct pm4_state *mec_pm4(struct gpu *g, struct hqd *h)
{
	return &g->slots->pm4[h - g->slots->hqd];
}

struct hqd *mec_hqd(struct gpu *g, unsigned int xcc, unsigned int me, unsigned int pipe,
		    unsigned int queue)
{
	if (xcc * MEC_SLOTS >= g->slots->count || me < 1 || me > MEC_COUNT || pipe >= MEC_PIPES ||
	    queue >= asic_of(g)->pipe_queues)
		return NULL;
	return &g->slots->hqd[((xcc * MEC_COUNT + me - 1) * MEC_PIPES + pipe) * MEC_QUEUES + queue];
}

bool mec_has_doorbell(const struct hqd *h, u32 dw)
{
	return h->active && h->doorbell == dw && h->reg[HQD(MQD_DOORBELL_CONTROL)] & DOORBELL_ENABLE;
}

struct hqd *mec_find_doorbell(struct gpu *g, unsigned int xcc, u32 dw)
{
	struct hqd *h = &g->slots->hqd[xcc * MEC_SLOTS];
	unsigned int i;

	for (i = 0; i < MEC_SLOTS; i++, h++)
		if (mec_has_doorbell(h, dw))
			return h;
	return NULL;
}

/*
 * A doorbell rung while the queue was not mapped is lost: the write pointer in
 * memory has it. AQL counts packets there; that is the AQL room's.
 */
static void poll_wptr(struct gpu *g, struct hqd *h)
{
	u64 poll = h->reg[HQD(MQD_WPTR_POLL_LO)] | (u64)h->reg[HQD(MQD_WPTR_POLL_HI)] << 32, wptr;

	if (h->reg[HQD(MQD_AQL_CONTROL)] & 1 || !poll ||
	    vm_read(g, h->reg[HQD(MQD_VMID)] & 15, poll, &wptr, sizeof(wptr)))
		return;
	h->reg[HQD(MQD_PQ_WPTR_LO)] = (u32)wptr;
	h->reg[HQD(MQD_PQ_WPTR_HI)] = (u32)(wptr >> 32);
}

/* The registers are set: take what the slot's other fields derive from them. */
static void activate(struct gpu *g, struct hqd *h)
{
	struct pm4_state *s = mec_pm4(g, h);

	memset(s, 0, sizeof(*s));
	h->active = true;
	h->reg[HQD(MQD_ACTIVE)] |= 1;
	h->doorbell = DOORBELL_OFFSET(h->reg[HQD(MQD_DOORBELL_CONTROL)]);
	h->aql = h->reg[HQD(MQD_AQL_CONTROL)] & 1;
	h->vmid = h->reg[HQD(MQD_VMID)] & 15;
	h->is_user = h->vmid != 0;
	h->rung = true;
	h->uq = NULL;
	s->ib_vmid = h->vmid;
	log_event("hqd-map", "xcc=%u me=%u pipe=%u queue=%u vmid=%u doorbell=0x%x aql=%d", h->xcc,
		  h->me, h->pipe, h->queue, h->vmid, h->doorbell, h->aql);
	mec_kick(g);
}

/* The launcher counts waves by the slots of ME 1: processes' queues are there alone. */
static bool may_map(const struct hqd *h, unsigned int vmid)
{
	if (!vmid || h->me == 1)
		return true;
	log_warn("me %u pipe %u queue %u: no place for a queue of vmid %u", h->me, h->pipe,
		 h->queue, vmid);
	return false;
}

int mec_map(struct gpu *g, struct hqd *h, u64 mqd, unsigned int vmid)
{
	u32 reg[HQD_REGS];

	if (!may_map(h, vmid))
		return -EINVAL;
	if (vm_read(g, 0, mqd + HQD_MQD_DW * 4, reg, sizeof(reg)))
		return -EFAULT;
	memcpy(h->reg, reg, sizeof(reg));
	h->mqd = mqd;
	h->reg[HQD(MQD_VMID)] = vmid;
	h->reg[HQD(MQD_DOORBELL_CONTROL)] |= DOORBELL_ENABLE;	/* amdkfd's MQDs leave it to the firmware */
	poll_wptr(g, h);
	activate(g, h);
	return 0;
}

void mec_activate(struct gpu *g, struct hqd *h)
{
	unsigned int vmid = h->reg[HQD(MQD_VMID)] & 15;

	if (!may_map(h, vmid)) {
		h->reg[HQD(MQD_ACTIVE)] &= ~1u;
		return;
	}
	h->mqd = h->reg[HQD(MQD_BASE_LO)] | (u64)h->reg[HQD(MQD_BASE_HI)] << 32;
	if (vmid)
		poll_wptr(g, h);
	activate(g, h);
}

void mec_set_doorbell(struct hqd *h)
{
	h->doorbell = DOORBELL_OFFSET(h->reg[HQD(MQD_DOORBELL_CONTROL)]);
}

bool mec_leads(const struct gpu *g, const struct hqd *h)
{
	return h->xcc == gpu_leader(g, h->xcc);
}

bool mec_follows(const struct hqd *h, const struct hqd *leader)
{
	return h->active && h->is_user && h->doorbell == leader->doorbell;
}

void mec_unmap(struct gpu *g, struct hqd *h)
{
	unsigned int i;

	if (h->active)
		log_event("hqd-unmap", "xcc=%u me=%u pipe=%u queue=%u vmid=%u doorbell=0x%x",
			  h->xcc, h->me, h->pipe, h->queue, h->vmid, h->doorbell);
	for (i = 1; h->active && h->is_user && mec_leads(g, h) && i < gpu_partition(g); i++)
		if (mec_follows(mec_on_xcc(g, h, h->xcc + i), h))
			mec_unmap(g, mec_on_xcc(g, h, h->xcc + i));
	memset(mec_pm4(g, h), 0, sizeof(struct pm4_state));
	memset(h->reg, 0, sizeof(h->reg));
	h->active = false;
	h->vmid = 0;
	h->mqd = 0;
	h->doorbell = 0;
	h->aql = false;
	h->is_user = false;
	h->uq = NULL;
	h->rung = false;
	h->db_value = 0;
}

void mec_set_hiq(struct gpu *g, struct hqd *h)
{
	mec_pm4(g, h)->hiq = true;
}

int slots_start(struct gpu *g)
{
	struct slots *s = calloc(1, sizeof(*s));
	unsigned int i;

	if (!s)
		return -ENOMEM;
	s->count = g->cfg.xccs * MEC_SLOTS;
	for (i = 0; i < s->count; i++) {
		s->hqd[i].xcc = i / MEC_SLOTS;
		s->hqd[i].me = i / (MEC_PIPES * MEC_QUEUES) % MEC_COUNT + 1;
		s->hqd[i].pipe = i / MEC_QUEUES % MEC_PIPES;
		s->hqd[i].queue = i % MEC_QUEUES;
	}
	g->slots = s;
	return 0;
}

void slots_destroy(struct gpu *g)
{
	free(g->slots);
	g->slots = NULL;
}
