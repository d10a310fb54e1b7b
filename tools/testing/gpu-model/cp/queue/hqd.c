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

/* ME 1 first, ME 0 last: that is where the micro engines are that not all GPUs have. */
static unsigned int place_of(unsigned int me)
{
	return (me + MES_COUNT - 1) % MES_COUNT;
}

struct hqd *mec_hqd(struct gpu *g, unsigned int xcc, unsigned int me, unsigned int pipe,
		    unsigned int queue)
{
	const unsigned int mes = asic_of(g)->mes, place = place_of(me);

	if (xcc >= g->cfg.xccs || me >= MES_COUNT || place >= mes || pipe >= MEC_PIPES ||
	    queue >= asic_of(g)->pipe_queues)
		return NULL;
	return &g->slots->hqd[((xcc * mes + place) * MEC_PIPES + pipe) * MEC_QUEUES + queue];
}

bool mec_has_doorbell(const struct hqd *h, u32 dw)
{
	return h->active && h->doorbell == dw && h->reg[HQD(MQD_DOORBELL_CONTROL)] & DOORBELL_ENABLE;
}

struct hqd *mec_find_doorbell(struct gpu *g, unsigned int xcc, u32 dw)
{
	const unsigned int n = asic_of(g)->mes * ME_SLOTS;
	struct hqd *h = &g->slots->hqd[xcc * n];
	unsigned int i;

	for (i = 0; i < n; i++, h++)
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

/* The launcher counts waves by the slots of ME 1: processes' compute queues are there alone. */
static bool may_map(const struct hqd *h, unsigned int vmid)
{
	if (!vmid || h->me == ME_MEC1 || h->me == ME_GFX)
		return true;
	log_warn("me %u pipe %u queue %u: no place for a queue of vmid %u", h->me, h->pipe,
		 h->queue, vmid);
	return false;
}

/*
 * A graphics queue's MQD (v11_gfx_mqd) has what a ring needs where a compute queue's has it, but
 * for the write pointer. What is behind the ring's size means something else.
 */
static void from_gfx(u32 *reg)
{
	const u32 wptr[] = { reg[HQD(MQD_GFX_WPTR_LO)], reg[HQD(MQD_GFX_WPTR_LO) + 1] };
	unsigned int i;

	for (i = HQD(MQD_PQ_CONTROL) + 1; i < HQD_REGS; i++)
		reg[i] = 0;
	reg[HQD(MQD_PQ_WPTR_LO)] = wptr[0];
	reg[HQD(MQD_PQ_WPTR_HI)] = wptr[1];
}

int mec_map(struct gpu *g, struct hqd *h, u64 mqd, unsigned int vmid)
{
	u32 reg[HQD_REGS];

	if (!may_map(h, vmid))
		return -EINVAL;
	if (vm_read(g, 0, mqd + HQD_MQD_DW * 4, reg, sizeof(reg)))
		return -EFAULT;
	if (h->me == ME_GFX)
		from_gfx(reg);
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
	const unsigned int mes = asic_of(g)->mes;
	struct slots *s = calloc(1, sizeof(*s));
	unsigned int i;

	if (!s)
		return -ENOMEM;
	s->count = g->cfg.xccs * mes * ME_SLOTS;
	for (i = 0; i < s->count; i++) {
		s->hqd[i].xcc = i / (mes * ME_SLOTS);
		s->hqd[i].me = (i / ME_SLOTS % mes + 1) % MES_COUNT;
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
