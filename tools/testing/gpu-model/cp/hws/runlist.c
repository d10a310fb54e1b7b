// SPDX-License-Identifier: GPL-2.0
/*
 * The runlist: which processes have a VMID, which queues a slot. SDMA queues
 * come and go with their process.
 *
 * While all fit nothing moves. Otherwise places are given in the order of the
 * list, and taken back if the list is chained to its own start: a process keeps
 * its VMID for its quantum while another waits for one, a queue its slot for the
 * process quantum while another waits for one, or for the global wave sync that it
 * has. Only as many leave as wait, those mapped longest, and together: each
 * preemption costs. Whether a queue has work does not matter: the driver forbids to
 * look (chained_runlist_idle_disable), and without a slot its doorbell is not seen.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "compute/spi.h"
#include "cp/queue/engine.h"
#include "cp/queue/slot.h"
#include "host/log.h"
#include "hws_priv.h"
#include "sdma/sdma.h"
#include "vm/ih.h"
#include "vm/vm.h"

static struct hqd *free_slot(struct hws *s)
{
	unsigned int i, n;

	for (i = 0; i < SLOTS; i++) {
		struct hqd *h;

		n = (s->next_slot + i) % SLOTS;
		h = mec_hqd(s->g, s->part->xcc, USER_ME, n / MEC_QUEUES, n % MEC_QUEUES);
		if (!(s->queue_mask >> n & 1) || h->active)
			continue;
		/* 9 and 32 have no common divisor: pipes first, each slot once. */
		s->next_slot = (n + (s->g->cfg.pack_slots ? 1 : 9)) % SLOTS;
		return h;
	}
	return NULL;
}

static unsigned int free_slots(struct hws *s)
{
	unsigned int i, n = 0;

	for (i = 0; i < SLOTS; i++)
		n += s->queue_mask >> i & 1 &&
		     !mec_hqd(s->g, s->part->xcc, USER_ME, i / MEC_QUEUES, i % MEC_QUEUES)->active;
	return n;
}

static int process_vmid(const struct hws *s, u16 pasid)
{
	unsigned int i;

	for (i = 0; i < VMIDS; i++)
		if (s->pasid[i] == pasid)
			return i;
	return -1;
}

/* VMIDs that may be given now. */
static unsigned int free_vmids(const struct hws *s)
{
	unsigned int i, used = 0, n = 0;

	for (i = 0; i < VMIDS; i++) {
		used += s->pasid[i] != 0;
		n += s->vmid_mask >> i & 1 && !s->pasid[i];
	}
	if (used >= s->concurrent)
		return 0;
	return n < s->concurrent - used ? n : s->concurrent - used;
}

/* VMID of a process, given @at if it has none; -1 when there is none left. */
static int map_process(struct hws *s, const struct process *p, u64 at)
{
	int vmid = process_vmid(s, p->pasid);
	bool any = free_vmids(s);
	unsigned int i;

	for (i = 0; vmid < 0 && any && i < VMIDS; i++) {
		unsigned int n = (s->next_vmid + i) % VMIDS;

		if (s->vmid_mask >> n & 1 && !s->pasid[n])
			vmid = n;
	}
	if (vmid < 0)
		return -1;
	if (!s->pasid[vmid]) {
		s->next_vmid = vmid + 1;
		s->since[vmid] = at;
	}
	s->pasid[vmid] = p->pasid;
	vm_set_base(s->g, vmid, p->base);
	vm_set_retry(s->g, vmid, p->retry);
	vm_set_hub(s->g, vmid, s->part->xcc);
	ih_set_vmid_pasid(s->g, vmid, p->pasid);
	return vmid;
}

/* From the VMIDs that have no queue for it. */
static void take_gws(struct hws *s)
{
	struct user_queue *q;
	unsigned int i;

	for (i = 0; i < VMIDS; i++) {
		for_each_queue(s, q)
			if (q->vmid == i && q->gws)
				break;
		if (!q)
			gws_take(s, i);
	}
}

void runlist_free_vmids(struct hws *s)
{
	struct user_queue *q;
	unsigned int i;

	take_gws(s);
	for (i = 0; i < VMIDS; i++) {
		if (!s->pasid[i])
			continue;
		for_each_queue(s, q)
			if (q->vmid == i)
				break;
		if (q || sdma_vmid_used(s->g, i))
			continue;
		s->pasid[i] = 0;
		ih_set_vmid_pasid(s->g, i, 0);
	}
}

/* Has the queue of an entry a place? */
static bool mapped(const struct hws *s, const struct entry *e)
{
	struct user_queue *q;

	if (e->sdma)
		return sdma_mapped(s->g, e->mqd);
	for (q = s->part->queues; q && q->h->mqd != e->mqd; q = q->next)
		;
	return q;
}

static void map_sdma(struct hws *s, struct entry *e, const struct process *p, int vmid, u64 at)
{
	struct gpu *g = s->g;
	const struct sdma_user u = {
		.mqd = e->mqd, .write_addr = e->write_addr, .since = at, .vmid = vmid,
		.pasid = p->pasid,
		.first = sdma_first(g, s->part->xcc),
	};
	int err = sdma_map(g, &u);

	if (!err)
		return;
	log_warn("runlist: cannot map the SDMA queue with the MQD at %#" PRIx64 " (%d)", e->mqd,
		 err);
	e->gone = true;
}

/* The queue's slots, one on each XCC of the partition: their MQDs lie in a row. */
static int map_slots(struct gpu *g, struct hqd *h, u64 mqd, int vmid)
{
	unsigned int i;
	u32 stride = 0;
	int err;

	err = mec_map(g, h, mqd, vmid);
	if (!err && gpu_partition(g) > 1)
		err = vm_read(g, 0, mqd + 4 * MQD_STRIDE, &stride, sizeof(stride));
	for (i = 1; !err && i < gpu_partition(g); i++)
		err = mec_map(g, mec_on_xcc(g, h, h->xcc + i), mqd + (u64)i * stride, vmid);
	/* Also a part of them. */
	if (err)
		mec_unmap(g, h);
	return err;
}

/* Has a process no queue but this one? */
static bool is_alone(const struct hws *s, const struct user_queue *uq)
{
	const struct user_queue *q;

	for (q = s->part->queues; q && (q == uq || q->vmid != uq->vmid); q = q->next)
		;
	return !q && !sdma_vmid_used(s->g, uq->vmid);
}

static void map_queue(struct hws *s, struct hqd *h, struct entry *e, const struct process *p,
		      int vmid, u64 at)
{
	const struct queue_env env = {
		.pasid = p->pasid,
		.sh_mem_bases = p->sh_mem_bases,
		.trap = p->trap,
		.gws = e->gws,
		.write_addr = e->write_addr,
		.since = at,
		.is_static = e->is_static,
	};

	if (map_slots(s->g, h, e->mqd, vmid)) {
		log_warn("runlist: no MQD at %#" PRIx64, e->mqd);
		e->gone = true;
		return;
	}
	if (slot_enter(s->g, h, &env)) {
		/* Whatever was done since the VMID was given is not its time. */
		if (is_alone(s, h->uq))
			s->since[vmid] = at;
	} else {
		e->gone = true;
		mec_unmap(s->g, h);
	}
}

void runlist_map(struct hws *s)
{
	u64 at = gpu_now() + param.runlist_fixed_ns;
	unsigned int i, queues = 0, waiting = 0, first = s->cursor;

	for (i = 0; i < s->nentry; i++) {
		unsigned int n = (s->cursor + i) % s->nentry;
		struct entry *e = &s->entry[n];
		const struct process *p = &s->process[e->process];
		struct hqd *h = NULL;
		int vmid;

		if (e->gone || mapped(s, e))
			continue;
		vmid = map_process(s, p, at);
		if (vmid >= 0 && !e->sdma && (!e->gws || gws_give(s, p, vmid)))
			h = free_slot(s);
		if (h) {
			at += param.runlist_queue_ns;
			map_queue(s, h, e, p, vmid, at);
			queues++;
		} else if (vmid >= 0 && e->sdma) {
			at += param.runlist_queue_ns;
			map_sdma(s, e, p, vmid, at);
			queues++;
		} else if (!waiting++) {
			first = n;
		}
	}
	s->cursor = first;
	s->mapped_at = at;
	runlist_free_vmids(s);		/* of those for which there was no slot */
	s->rotate_at = waiting && s->chained ? gpu_now() : 0;
	log_event("runlist", "xcc=%u processes=%u entries=%u mapped=%u waiting=%u rotates=%d",
		  s->part->xcc, s->nprocess, s->nentry, queues, waiting, s->rotate_at != 0);
	if (waiting && !s->chained)
		log_warn("the runlist is not chained: %u of its queues find no place", waiting);
	mec_kick(s->g);
}

static u64 quantum(const struct hws *s, u16 pasid)
{
	unsigned int i;

	for (i = 0; i < s->nprocess; i++)
		if (s->process[i].pasid == pasid)
			return s->process[i].quantum;
	return 0;
}

/**
 * struct candidate - what may have to make room
 * @over:	model time at which its quantum is over
 * @vmid:	process, or -1
 * @queue:	queue, or NULL
 */
struct candidate {
	u64 over;
	int vmid;
	struct user_queue *queue;
};

static int compare(const void *a, const void *b)
{
	u64 x = ((const struct candidate *)a)->over, y = ((const struct candidate *)b)->over;

	return x < y ? -1 : x > y;
}

static bool in_vmid(const void *ctx, unsigned int vmid, u16 pasid, u32 doorbell)
{
	(void)pasid;
	(void)doorbell;
	return vmid == *(const unsigned int *)ctx;
}

/*
 * Mark the @want candidates whose quanta are over first. False if they are not all
 * over yet: *@next is then no later than when they are.
 */
static bool take(struct hws *s, struct candidate *c, unsigned int n, unsigned int want, u64 *next)
{
	struct user_queue *q;
	unsigned int i;

	if (want > n)
		want = n;
	if (!want)
		return false;
	qsort(c, n, sizeof(*c), compare);
	if (c[want - 1].over > gpu_now()) {
		if (!*next || c[want - 1].over < *next)
			*next = c[want - 1].over;
		return false;
	}
	for (i = 0; i < want; i++) {
		for_each_queue(s, q)
			q->leaving |= q == c[i].queue || q->vmid == c[i].vmid;
		if (c[i].vmid >= 0)
			sdma_unmap(s->g, in_vmid, &c[i].vmid);
	}
	return true;
}

/* Processes with a VMID, but for those with a queue that stays whatever happens. */
static unsigned int mapped_processes(struct hws *s, struct candidate *c)
{
	const struct user_queue *q;
	unsigned int n = 0;
	int i;

	for (i = 0; i < VMIDS; i++) {
		for_each_queue(s, q)
			if (q->vmid == i && (q->is_static || q->stuck))
				break;
		if (s->pasid[i] && !q)
			c[n++] = (struct candidate){
				.over = s->since[i] + quantum(s, s->pasid[i]), .vmid = i,
			};
	}
	return n;
}

/* Queues that may have to leave: all, or those that use global wave sync. */
static unsigned int mapped_queues(struct hws *s, struct candidate *c, bool gws)
{
	struct user_queue *q;
	unsigned int n = 0;

	for_each_queue(s, q)
		if (!q->is_static && !q->stuck && !q->leaving && (q->gws || !gws))
			c[n++] = (struct candidate){
				.over = q->since + quantum(s, q->pasid),
				.vmid = -1, .queue = q,
			};
	return n;
}

/**
 * struct waiting - what waits, of which kind
 * @processes:	for a VMID, though none is free
 * @gws:	queues of the others for global wave sync
 * @queues:	their other queues
 */
struct waiting {
	unsigned int processes, gws, queues;
};

static struct waiting count_waiting(struct hws *s)
{
	unsigned int i, vmids = free_vmids(s);
	struct waiting w = {};

	for (i = 0; i < s->nprocess; i++)
		s->process[i].place = process_vmid(s, s->process[i].pasid) < 0 ? UNKNOWN : HAS_VMID;
	for (i = 0; i < s->nentry; i++) {
		const struct entry *e = &s->entry[(s->cursor + i) % s->nentry];
		struct process *p = &s->process[e->process];

		if (e->gone || mapped(s, e))
			continue;
		if (p->place == UNKNOWN && vmids) {
			vmids--;
			p->place = HAS_VMID;
		} else if (p->place == UNKNOWN) {
			w.processes++;
			p->place = WAITS;
		}
		if (p->place != HAS_VMID || e->sdma)
			continue;
		if (e->gws && !gws_there(s, p, process_vmid(s, p->pasid)))
			w.gws++;
		else
			w.queues++;
	}
	return w;
}

static bool in_partition(const void *ctx, unsigned int vmid, u16 pasid, u32 doorbell)
{
	const struct hws *s = ctx;

	(void)doorbell;
	return s->pasid[vmid] == pasid;
}

static void take_all(struct hws *s)
{
	struct user_queue *q;

	for_each_queue(s, q)
		q->leaving = !q->is_static && !q->stuck;
	sdma_unmap(s->g, in_partition, s);
}

bool runlist_rotate(struct hws *s)
{
	struct waiting w = count_waiting(s);
	unsigned int room = free_slots(s);
	struct candidate c[SLOTS];
	struct user_queue *q;
	u64 next = 0;
	bool any;

	any = take(s, c, mapped_processes(s, c), w.processes, &next);
	any |= take(s, c, mapped_queues(s, c, true), w.gws, &next);
	for_each_queue(s, q)
		room += q->leaving;
	any |= take(s, c, mapped_queues(s, c, false), w.queues > room ? w.queues - room : 0, &next);
	if (any && s->g->cfg.rotate_all)
		take_all(s);
	s->rotate_at = any ? 0 : next;
	if (s->rotate_at)
		mec_kick_at(s->g, s->rotate_at);
	return any;
}

void runlist_drop(struct hws *s)
{
	free(s->process);
	free(s->entry);
	s->process = NULL;
	s->entry = NULL;
	s->nprocess = 0;
	s->nentry = 0;
	s->cursor = 0;
	s->chained = false;
	s->rotate_at = 0;
	s->remap = false;
}
