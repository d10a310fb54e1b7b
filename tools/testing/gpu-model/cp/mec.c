// SPDX-License-Identifier: GPL-2.0
/* Queue slots, doorbells and the command processor's turns; see mec.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host/clock.h"
#include "host/log.h"
#include "cp/machine.h"
#include "cp/mec.h"
#include "vm/vm.h"
#include "host/params.h"
#include "bus/pci.h"
#include "cp/pm4.h"
#include "cp/slot.h"

#define SLOTS			(MEC_COUNT * MEC_PIPES * MEC_QUEUES)	/* of an XCC */
#define DOORBELLS		(DOORBELL_SIZE / 8)	/* one a qword */
#define BELLS			(2 * DOORBELLS)

#define MQD_ACTIVE		HQD(130)
#define MQD_VMID		HQD(131)
#define MQD_WPTR_POLL_LO	HQD(141)
#define MQD_WPTR_POLL_HI	HQD(142)
#define MQD_DOORBELL		HQD(143)
#define MQD_DEQUEUE_REQUEST	HQD(152)
#define MQD_AQL_CONTROL		HQD(181)
#define MQD_WPTR_LO		HQD(182)
#define MQD_WPTR_HI		HQD(183)
#define MQD_BASE_LO		HQD(128)
#define MQD_BASE_HI		HQD(129)
#define DOORBELL_ENABLE		(1u << 30)
#define DOORBELL_OFFSET(v)	(((v) & 0x0ffffffc) >> 2)

/**
 * struct bell - a doorbell that rang
 * @place: @value:	which, and what was written
 * @due:		model time from which it is looked at
 */
struct bell {
	u32 place;
	u64 value, due;
};

/**
 * struct mec - the micro engines
 * @hqd: @pm4:	slots, XCC after XCC; mec_lock
 * @slots:	how many
 * @waiters:	threads that want mec_lock of the command processor
 * @ring_lock:	the fields below it
 * @ring:	doorbells rung and not yet looked at, from @tail to @head
 * @pending:	how often a place is in @ring: twice at most, so that @ring cannot
 *		overflow however often the guest rings; one more changes the value of the
 *		later one, as the last one wins in hardware
 * @later:	which that is
 */
struct mec {
	struct hqd hqd[XCCS_MAX * SLOTS];
	struct pm4_state pm4[XCCS_MAX * SLOTS];
	unsigned int slots;
	atomic_uint waiters;
	struct actor actor;
	bool running;

	pthread_mutex_t ring_lock;
	struct bell *ring;
	u8 *pending;
	u32 *later;
	u32 head, tail;
};

struct pm4_state *mec_pm4(struct gpu *g, struct hqd *h)
{
	return &g->mec->pm4[h - g->mec->hqd];
}

struct hqd *mec_hqd(struct gpu *g, unsigned int xcc, unsigned int me, unsigned int pipe,
		    unsigned int queue)
{
	if (xcc * SLOTS >= g->mec->slots || me < 1 || me > MEC_COUNT || pipe >= MEC_PIPES ||
	    queue >= MEC_QUEUES)
		return NULL;
	return &g->mec->hqd[((xcc * MEC_COUNT + me - 1) * MEC_PIPES + pipe) * MEC_QUEUES + queue];
}

static bool has_doorbell(const struct hqd *h, u32 dw)
{
	return h->active && h->doorbell == dw && h->reg[MQD_DOORBELL] & DOORBELL_ENABLE;
}

struct hqd *mec_find_doorbell(struct gpu *g, unsigned int xcc, u32 dw)
{
	struct hqd *h = &g->mec->hqd[xcc * SLOTS];
	unsigned int i;

	for (i = 0; i < SLOTS; i++, h++)
		if (has_doorbell(h, dw))
			return h;
	return NULL;
}

/*
 * A doorbell rung while the queue was not mapped is lost: the write pointer in
 * memory has it. AQL counts packets there; that is the AQL room's.
 */
static void poll_wptr(struct gpu *g, struct hqd *h)
{
	u64 poll = h->reg[MQD_WPTR_POLL_LO] | (u64)h->reg[MQD_WPTR_POLL_HI] << 32, wptr;

	if (h->reg[MQD_AQL_CONTROL] & 1 || !poll ||
	    vm_read(g, h->reg[MQD_VMID] & 15, poll, &wptr, sizeof(wptr)))
		return;
	h->reg[MQD_WPTR_LO] = (u32)wptr;
	h->reg[MQD_WPTR_HI] = (u32)(wptr >> 32);
}

/* The registers are set: take what the slot's other fields derive from them. */
static void activate(struct gpu *g, struct hqd *h)
{
	struct pm4_state *s = mec_pm4(g, h);

	memset(s, 0, sizeof(*s));
	h->active = true;
	h->reg[MQD_ACTIVE] |= 1;
	h->doorbell = DOORBELL_OFFSET(h->reg[MQD_DOORBELL]);
	h->aql = h->reg[MQD_AQL_CONTROL] & 1;
	h->vmid = h->reg[MQD_VMID] & 15;
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
	h->reg[MQD_VMID] = vmid;
	h->reg[MQD_DOORBELL] |= DOORBELL_ENABLE;	/* amdkfd's MQDs leave it to the firmware */
	poll_wptr(g, h);
	activate(g, h);
	return 0;
}

static bool leads(const struct gpu *g, const struct hqd *h)
{
	return h->xcc == gpu_leader(g, h->xcc);
}

static bool follows(const struct hqd *h, const struct hqd *leader)
{
	return h->active && h->is_user && h->doorbell == leader->doorbell;
}

void mec_unmap(struct gpu *g, struct hqd *h)
{
	unsigned int i;

	if (h->active)
		log_event("hqd-unmap", "xcc=%u me=%u pipe=%u queue=%u vmid=%u doorbell=0x%x",
			  h->xcc, h->me, h->pipe, h->queue, h->vmid, h->doorbell);
	for (i = 1; h->active && h->is_user && leads(g, h) && i < gpu_partition(g); i++)
		if (follows(mec_on_xcc(g, h, h->xcc + i), h))
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

/* The command processor holds mec_lock whenever it executes a packet. */
static _Thread_local bool is_cp;

void mec_lock(struct gpu *g)
{
	if (is_cp)
		return;
	atomic_fetch_add(&g->mec->waiters, 1);
	pthread_mutex_lock(&g->mec_lock);
	atomic_fetch_sub(&g->mec->waiters, 1);
}

void mec_unlock(struct gpu *g)
{
	if (!is_cp)
		pthread_mutex_unlock(&g->mec_lock);
}

u32 mec_hqd_read(struct gpu *g, struct hqd *h, unsigned int index)
{
	u32 val;

	if (!h || index >= HQD_REGS)
		return 0;
	mec_lock(g);
	val = h->reg[index];
	mec_unlock(g);
	return val;
}

/* Take the queue off the slot without saving anything. */
static void kill_queue(struct gpu *g, struct hqd *h)
{
	if (h->active && h->is_user)
		machine_queue_reset(g, h);
	mec_unmap(g, h);
}

void mec_hqd_write(struct gpu *g, struct hqd *h, unsigned int index, u32 val)
{
	if (!h || index >= HQD_REGS)
		return;
	mec_lock(g);
	h->reg[index] = val;
	if (index == MQD_ACTIVE) {
		if (val & 1 && !h->active && !may_map(h, h->reg[MQD_VMID] & 15)) {
			h->reg[index] &= ~1u;
		} else if (val & 1 && !h->active) {
			h->mqd = h->reg[MQD_BASE_LO] | (u64)h->reg[MQD_BASE_HI] << 32;
			if (h->reg[MQD_VMID] & 15)
				poll_wptr(g, h);
			activate(g, h);
		} else if (!(val & 1) && h->active) {
			kill_queue(g, h);
		}
	} else if (index == MQD_DEQUEUE_REQUEST && val & 7 && h->active) {
		if (h->is_user)
			mec_kick(g);		/* slot_turn() */
		else
			mec_unmap(g, h);	/* it stopped between two packets */
	} else if (index == MQD_DOORBELL) {
		h->doorbell = DOORBELL_OFFSET(val);
	}
	mec_unlock(g);
}

void mec_queue_reset(struct gpu *g, struct hqd *h)
{
	if (!h)
		return;
	mec_lock(g);
	if (h->active)
		kill_queue(g, h);
	mec_unlock(g);
}

void mec_kick(struct gpu *g)
{
	actor_kick(&g->mec->actor);
}

void mec_kick_at(struct gpu *g, u64 t)
{
	actor_kick_at(&g->mec->actor, t);
}

bool mec_doorbell(struct gpu *g, u32 dw, u64 value)
{
	const struct bell b = { dw / 2, value, gpu_now() + param.doorbell_ns };
	struct mec *m = g->mec;

	if (b.place >= DOORBELLS)
		return false;
	pthread_mutex_lock(&m->ring_lock);
	if (m->pending[b.place] == 2) {
		m->ring[m->later[b.place]].value = value;
	} else {
		m->pending[b.place]++;
		m->later[b.place] = m->head % BELLS;
		m->ring[m->head++ % BELLS] = b;
	}
	pthread_mutex_unlock(&m->ring_lock);
	mec_kick_at(g, b.due);
	return true;
}

/* Take a doorbell whose time has come; false: none. @b->due: out: the next one's, or NEVER. */
static bool next_doorbell(struct mec *m, struct bell *b)
{
	bool due = false;

	b->due = NEVER;
	pthread_mutex_lock(&m->ring_lock);
	if (m->tail != m->head) {
		*b = m->ring[m->tail % BELLS];
		due = b->due <= gpu_now();
	}
	if (due) {
		m->tail++;
		m->pending[b->place]--;
	}
	pthread_mutex_unlock(&m->ring_lock);
	return due;
}

static void ring(struct hqd *h, u64 value)
{
	h->rung = true;
	h->db_value = value;
	if (!h->aql) {
		h->reg[MQD_WPTR_LO] = (u32)value;
		h->reg[MQD_WPTR_HI] = (u32)(value >> 32);
	}
}

/* A queue that is not mapped misses its doorbell, as in hardware. */
static void drain_doorbells(struct gpu *g)
{
	struct mec *m = g->mec;
	unsigned int i;
	struct bell b;

	while (next_doorbell(m, &b)) {
		u32 dw = b.place * 2;
		struct hqd *h = mec_find_doorbell(g, 0, dw);

		log_event("doorbell", "dw=0x%x value=0x%llx slot=%d", dw,
			  (unsigned long long)b.value, h ? (int)(h - m->hqd) : -1);
		for (i = 0; i < m->slots; i++)
			if (has_doorbell(&m->hqd[i], dw))
				ring(&m->hqd[i], b.value);
	}
	/* Asked for again: with the request for an earlier one it may have been dropped. */
	if (b.due != NEVER)
		mec_kick_at(g, b.due);
}

/* Has a process' queue its slots on all XCCs of its partition? */
static bool is_complete(struct gpu *g, const struct hqd *h)
{
	unsigned int i;

	for (i = 1; i < gpu_partition(g); i++)
		if (!follows(mec_on_xcc(g, h, h->xcc + i), h))
			return false;
	return true;
}

/* What the leading XCC does for the others too. */
static bool is_follower(struct gpu *g, struct hqd *h)
{
	return !leads(g, h) && (h->is_user || mec_pm4(g, h)->hiq);
}

/* One turn for every queue; true if one of them can go on at once. */
static bool turn(struct gpu *g)
{
	struct mec *m = g->mec;
	bool more = false;
	unsigned int i;

	drain_doorbells(g);
	for (i = 0; i < m->slots; i++) {
		struct hqd *h = &m->hqd[i];

		if (!h->active || is_follower(g, h))
			continue;
		/* Loaded by registers. */
		if (h->is_user && !h->uq && (!is_complete(g, h) || !slot_enter(g, h, NULL)))
			continue;
		if (!h->is_user)		/* AQL or not */
			more |= pm4_run(g, h, &m->pm4[i]);
		else if (h->aql && h->rung)
			aql_run(g, h);
	}
	machine_turn(g);
	return more;
}

/* A turn for all; one that stopped in the middle of its packets goes on a little later. */
static u64 mec_run(void *arg)
{
	struct gpu *g = arg;
	bool more;

	/*
	 * A mutex favours the thread that just released it; the driver's register
	 * accesses must not starve behind a busy ring.
	 */
	while (atomic_load(&g->mec->waiters))
		sched_yield();
	is_cp = true;
	pthread_mutex_lock(&g->mec_lock);
	more = turn(g);
	pthread_mutex_unlock(&g->mec_lock);
	is_cp = false;
	return more ? gpu_now() + PM4_TURN_NS : NEVER;
}

static void mec_free(struct mec *m)
{
	pthread_mutex_destroy(&m->ring_lock);
	free(m->ring);
	free(m->pending);
	free(m->later);
	free(m);
}

int mec_start(struct gpu *g)
{
	struct mec *m = calloc(1, sizeof(*m));
	unsigned int i;
	int err;

	if (!m)
		return -ENOMEM;
	pthread_mutex_init(&m->ring_lock, NULL);
	m->ring = calloc(BELLS, sizeof(*m->ring));
	m->pending = calloc(DOORBELLS, sizeof(*m->pending));
	m->later = calloc(DOORBELLS, sizeof(*m->later));
	if (!m->ring || !m->pending || !m->later) {
		mec_free(m);
		return -ENOMEM;
	}
	m->slots = g->cfg.xccs * SLOTS;
	for (i = 0; i < m->slots; i++) {
		m->hqd[i].xcc = i / SLOTS;
		m->hqd[i].me = i / (MEC_PIPES * MEC_QUEUES) % MEC_COUNT + 1;
		m->hqd[i].pipe = i / MEC_QUEUES % MEC_PIPES;
		m->hqd[i].queue = i % MEC_QUEUES;
	}
	g->mec = m;
	err = actor_start(&m->actor, "gpu-cp", mec_run, g);
	if (err) {
		mec_free(m);
		g->mec = NULL;
		return err;
	}
	m->running = true;
	return 0;
}

void mec_stop(struct gpu *g)
{
	struct mec *m = g->mec;

	if (!m || !m->running)
		return;
	actor_stop(&m->actor);
	m->running = false;
}

void mec_destroy(struct gpu *g)
{
	if (g->mec)
		mec_free(g->mec);
	g->mec = NULL;
}

void mec_reset(struct gpu *g)
{
	struct mec *m = g->mec;
	unsigned int i;

	for (i = 0; i < m->slots; i++)
		mec_unmap(g, &m->hqd[i]);
	pthread_mutex_lock(&m->ring_lock);
	while (m->tail != m->head)
		m->pending[m->ring[m->tail++ % BELLS].place] = 0;
	pthread_mutex_unlock(&m->ring_lock);
}
