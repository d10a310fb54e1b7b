// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware scheduler: the firmware behind the HIQ. A runlist names processes
 * and their queues; the scheduler gives them VMIDs and queue slots, others with
 * each runlist, and takes them away by preemption, which costs model time.
 * Packet layouts: kfd_pm4_headers_ai.h and kfd_pm4_headers_aldebaran.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cwsr.h"
#include "fault.h"
#include "hws.h"
#include "ih.h"
#include "log.h"
#include "machine.h"
#include "memory.h"
#include "slot.h"
#include "spi.h"

#define VMIDS		16
#define SLOTS		(MEC_PIPES * MEC_QUEUES)
#define USER_ME		1
#define HIQ_ME		2
#define DOORBELL_EN	(1u << 30)

#define IB_DWORDS_MAX	(1u << 16)

enum { QUEUE_STATIC = 2, QUEUE_STATIC_LOW_LATENCY = 3 };	/* MAP_QUEUES queue_type */
enum { ACTION_PREEMPT = 0, ACTION_RESET = 1 };			/* UNMAP_QUEUES action */
enum { SEL_DOORBELLS = 0, SEL_PASID = 1, SEL_ALL = 2, SEL_DYNAMIC = 3 };

/**
 * struct process - MAP_PROCESS
 * @base:	page directory entry of its address space
 * @quantum:	ns a batch with it stays in an oversubscribed runlist
 */
struct process {
	u16 pasid;
	u32 sh_mem_bases;
	u64 base;
	u64 quantum;
};

/**
 * struct entry - one packet of a runlist
 * @process:	index in hws.process
 * @is_queue:	MAP_QUEUES, else MAP_PROCESS
 * @mqd: @write_addr: @is_static: of the queue
 * @gone:	unmapped since
 */
struct entry {
	unsigned int process;
	bool is_queue, is_static, gone;
	u32 doorbell;
	u64 mqd, write_addr;
};

/**
 * struct hws - scheduler
 * @vmid_mask: @queue_mask: @unmap_latency: SET_RESOURCES
 * @process: @entry: @nprocess: @nentry: runlist
 * @concurrent:	processes mapped at a time
 * @cursor:	entry where the next batch starts
 * @rotate_at:	model time the batch is exchanged, 0: all are mapped
 * @pasid:	process of each VMID, 0 when free
 * @next_slot: @next_vmid: where the next search starts: never the same place
 * @busy:	a preemption is under way
 * @remap:	map a batch after it
 * @copying:	state is being saved or restored with mec_lock dropped
 * @copied:	announces the end of that
 * @begin: @end: @deadline: model times of the preemption; it fails at the last
 * @bytes: @count: context saved, queues taken
 */
struct hws {
	u16 vmid_mask;
	u64 queue_mask;
	u64 unmap_latency;
	struct process *process;
	struct entry *entry;
	unsigned int nprocess, nentry, concurrent, cursor;
	u64 rotate_at;
	u16 pasid[VMIDS];
	unsigned int next_slot, next_vmid;
	bool busy, remap, copying;
	pthread_cond_t copied;
	u64 begin, end, deadline, bytes;
	unsigned int count;
};

/* ---- mapping ---- */

static struct hqd *free_slot(struct gpu *g)
{
	struct hws *s = g->hws;
	unsigned int i, n;

	for (i = 0; i < SLOTS; i++) {
		struct hqd *h;

		n = (s->next_slot + i) % SLOTS;
		h = mec_hqd(g, USER_ME, n / MEC_QUEUES, n % MEC_QUEUES);
		if (!(s->queue_mask >> n & 1) || h->active)
			continue;
		/* 9 and 32 have no common divisor: pipes first, each slot once. */
		s->next_slot = (n + 9) % SLOTS;
		return h;
	}
	return NULL;
}

static int process_vmid(const struct hws *s, u16 pasid)
{
	unsigned int i;

	for (i = 0; i < VMIDS; i++)
		if (s->pasid[i] == pasid)
			return i;
	return -1;
}

/* VMID of a process, given now if it has none; -1 when there is none left. */
static int map_process(struct gpu *g, const struct process *p)
{
	struct hws *s = g->hws;
	unsigned int i, used = 0;
	int vmid = process_vmid(s, p->pasid);

	for (i = 0; i < VMIDS; i++)
		used += s->pasid[i] != 0;
	for (i = 0; vmid < 0 && i < VMIDS; i++) {
		unsigned int n = (s->next_vmid + i) % VMIDS;

		if (s->vmid_mask >> n & 1 && !s->pasid[n] && used < s->concurrent)
			vmid = n;
	}
	if (vmid < 0)
		return -1;
	if (!s->pasid[vmid])
		s->next_vmid = vmid + 1;
	s->pasid[vmid] = p->pasid;
	vm_set_base(g, vmid, p->base);
	ih_set_vmid_pasid(g, vmid, p->pasid);
	return vmid;
}

static void free_vmids(struct gpu *g)
{
	struct user_queue *q;
	unsigned int i;

	for (i = 0; i < VMIDS; i++) {
		if (!g->hws->pasid[i])
			continue;
		for (q = g->spi->queues; q && q->vmid != i; q = q->next)
			;
		if (q)
			continue;
		g->hws->pasid[i] = 0;
		ih_set_vmid_pasid(g, i, 0);
	}
}

/**
 * hws_copy_begin() - a part of a preemption or restore begins that only moves bytes
 * @g:	device; mec_lock is dropped until hws_copy_end()
 */
void hws_copy_begin(struct gpu *g)
{
	g->hws->copying = true;
	pthread_mutex_unlock(&g->mec_lock);
}

/**
 * hws_copy_end() - it ends
 * @g:	device
 */
void hws_copy_end(struct gpu *g)
{
	pthread_mutex_lock(&g->mec_lock);
	g->hws->copying = false;
	pthread_cond_broadcast(&g->hws->copied);
}

/**
 * hws_wait_copied() - wait for a part of that kind to end
 * @g:	device; mec_lock is dropped meanwhile
 */
void hws_wait_copied(struct gpu *g)
{
	while (g->hws->copying)
		pthread_cond_wait(&g->hws->copied, &g->mec_lock);
}

/* Return: false if there is no slot for it now. */
static bool map_queue(struct gpu *g, const struct entry *e, const struct process *p, int vmid)
{
	const struct queue_env env = {
		.pasid = p->pasid,
		.sh_mem_bases = p->sh_mem_bases,
		.write_addr = e->write_addr,
		.is_static = e->is_static,
	};
	struct hqd *h = free_slot(g);

	if (!h)
		return false;
	if (mec_map(g, h, e->mqd, vmid)) {
		log_warn("runlist: no MQD at %#" PRIx64, e->mqd);
		return true;
	}
	/* The driver's MQD names the doorbell; enabling it is the firmware's part. */
	h->reg[HQD(MQD_DOORBELL_CONTROL)] |= DOORBELL_EN;
	if (!slot_enter(g, h, &env))
		mec_unmap(g, h);
	return true;
}

/* Map entries from the cursor on, until one finds no VMID or no slot. */
static unsigned int map_batch(struct gpu *g)
{
	struct hws *s = g->hws;
	unsigned int i, queues = 0;
	u64 quantum = 0;

	for (i = 0; i < s->nentry; i++) {
		const struct entry *e = &s->entry[(s->cursor + i) % s->nentry];
		const struct process *p = &s->process[e->process];
		int vmid;

		if (e->gone)
			continue;
		vmid = map_process(g, p);
		if (vmid < 0 || (e->is_queue && !map_queue(g, e, p, vmid)))
			break;
		queues += e->is_queue;
		if (p->quantum > quantum)
			quantum = p->quantum;
	}
	s->rotate_at = 0;
	if (i < s->nentry) {
		s->cursor = (s->cursor + i) % s->nentry;
		s->rotate_at = gpu_now() + quantum;
		mec_kick_at(g, s->rotate_at);
	}
	log_event("runlist", "processes=%u entries=%u mapped=%u rotates=%d", s->nprocess,
		  s->nentry, queues, s->rotate_at != 0);
	mec_kick(g);
	return queues;
}

/* ---- preemption ---- */

/* Which queues an UNMAP_QUEUES means. */
struct filter {
	unsigned int select;
	u16 pasid;
	unsigned int ndoorbells;
	u32 doorbell[4];
};

static bool wanted(const struct filter *f, u16 pasid, u32 doorbell, bool is_static)
{
	unsigned int i;

	switch (f->select) {
	case SEL_PASID:
		return pasid == f->pasid;
	case SEL_ALL:
		return true;
	case SEL_DYNAMIC:
		return !is_static;
	default:
		for (i = 0; i < f->ndoorbells; i++)
			if (f->doorbell[i] == doorbell)
				return true;
		return false;
	}
}

/* Could not be taken off within the unmap latency: tell the driver which queue. */
static void report_stuck(struct gpu *g, const struct user_queue *q)
{
	const struct hqd *hiq = mec_hqd(g, HIQ_ME, 0, 0);
	u32 doorbell = q->h->doorbell;

	log_event("preempt-fail", "queue=%#x pasid=%u", q->h->doorbell, q->pasid);
	if (!hiq->mqd || vm_write(g, 0, hiq->mqd + 4 * MQD_DOORBELL_ID0, &doorbell, 4))
		log_warn("no HIQ MQD to report queue %#x in", doorbell);
}

/* Write what the frozen queues hold, then forget it. Drops mec_lock for the copying. */
static void save_all(struct gpu *g)
{
	struct cwsr_size size[SLOTS];
	struct user_queue *q, *list[SLOTS];
	unsigned int i, n = 0;
	int err[SLOTS];

	for (q = g->spi->queues; q; q = q->next) {
		if (!q->frozen || q->stuck)
			continue;
		err[n] = cwsr_check(q, &size[n]);
		list[n++] = q;
	}
	hws_copy_begin(g);
	for (i = 0; i < n; i++)
		if (!err[i] && size[i].stack)
			err[i] = cwsr_write(list[i], &size[i]);
	hws_copy_end(g);
	for (i = 0; i < n; i++) {
		if (err[i]) {
			slot_stick(list[i], err[i]);
			continue;
		}
		cwsr_drop(list[i]);
		g->hws->bytes += size[i].stack + size[i].state;
	}
}

/* Is a queue still waiting for its dispatches to end? */
static bool draining(struct gpu *g)
{
	struct user_queue *q;

	for (q = g->spi->queues; q; q = q->next)
		if (q->drain)
			return true;
	return false;
}

static void set_end(struct gpu *g)
{
	struct hws *s = g->hws;
	struct user_queue *q;

	s->end = s->begin + s->count * RUNLIST_QUEUE_NS;
	if (s->bytes)
		s->end += PREEMPT_FIXED_NS + cwsr_time(g, s->bytes);
	for (q = g->spi->queues; q; q = q->next)
		if (q->stuck)
			s->end = s->deadline;
	s->end = fault_preempt_end(s->end);
	mec_kick_at(g, s->end);
}

/*
 * Begin to take queues off. Their waves stop now and their state goes to
 * memory; slots and MQDs change when the modelled time is over.
 */
static void preempt_begin(struct gpu *g, const struct filter *f)
{
	struct hws *s = g->hws;
	struct user_queue *q, *next;

	s->busy = true;
	s->begin = gpu_now();
	s->deadline = s->begin + s->unmap_latency;
	s->bytes = 0;
	s->count = 0;
	for (q = g->spi->queues; q; q = next) {
		next = q->next;
		if (!wanted(f, q->pasid, q->h->doorbell, q->is_static))
			continue;
		s->count++;
		if (!q->cwsr) {
			q->drain = true;
		} else if (!q->stuck) {
			q->frozen = true;
			cwsr_remove(q);
		}
	}
	log_event("preempt-begin", "queues=%u", s->count);
	spi_reap(g);
	save_all(g);
	set_end(g);
}

/* Queues without CWSR leave when their dispatches have ended, or never. */
static void drain_turn(struct gpu *g, u64 now)
{
	struct user_queue *q;

	for (q = g->spi->queues; q; q = q->next) {
		if (!q->drain)
			continue;
		if (!q->begun) {
			q->drain = false;
			q->frozen = true;
		} else if (now >= g->hws->deadline) {
			q->drain = false;
			report_stuck(g, q);
		}
	}
	if (draining(g))
		mec_kick_at(g, g->hws->deadline);
}

static void preempt_end(struct gpu *g)
{
	struct hws *s = g->hws;
	struct user_queue *q, *next;
	unsigned int stuck = 0;

	for (q = g->spi->queues; q; q = next) {
		next = q->next;
		if (q->stuck) {
			report_stuck(g, q);
			stuck++;
		} else if (q->frozen) {
			slot_leave(q);
		}
	}
	free_vmids(g);
	s->busy = false;
	log_event("preempt-end", "queues=%u bytes=%" PRIu64 " us=%" PRIu64 " stuck=%u", s->count,
		  s->bytes, (gpu_now() - s->begin) / NS_PER_US, stuck);
	if (s->remap) {
		s->remap = false;
		map_batch(g);
	}
	mec_kick(g);
}

/**
 * hws_turn() - what the scheduler does by itself
 * @g:	device
 */
void hws_turn(struct gpu *g)
{
	static const struct filter dynamic = { .select = SEL_DYNAMIC };
	struct hws *s = g->hws;
	u64 now = gpu_now();

	if (s->busy) {
		drain_turn(g, now);
		if (draining(g))
			return;
		if (now < s->end) {
			mec_kick_at(g, s->end);
			return;
		}
		preempt_end(g);
	}
	if (!s->rotate_at)
		return;
	if (now < s->rotate_at) {
		mec_kick_at(g, s->rotate_at);
		return;
	}
	s->rotate_at = 0;
	s->remap = true;
	preempt_begin(g, &dynamic);
}

/* ---- packets ---- */

static void drop_runlist(struct hws *s)
{
	free(s->process);
	free(s->entry);
	s->process = NULL;
	s->entry = NULL;
	s->nprocess = 0;
	s->nentry = 0;
	s->cursor = 0;
	s->rotate_at = 0;
	s->remap = false;
}

static s64 set_resources(struct gpu *g, const u32 *p, unsigned int n)
{
	struct hws *s = g->hws;

	if (n < 7)
		return -EINVAL;
	s->vmid_mask = p[0];
	s->unmap_latency = (p[0] >> 16 & 0xff) * UNMAP_LATENCY_NS;
	s->queue_mask = p[1] | (u64)p[2] << 32;
	log_event("set-resources", "vmids=%#x queues=%#" PRIx64 " unmap-latency-ms=%" PRIu64,
		  s->vmid_mask, s->queue_mask, s->unmap_latency / NS_PER_MS);
	return 0;
}

static int add_process(struct hws *s, const u32 *p, unsigned int n)
{
	if (n < 16 || !(p[0] & 0xffff))
		return -EINVAL;
	s->process[s->nprocess] = (struct process){
		.pasid = p[0],
		.quantum = (p[0] >> 25) * PROCESS_QUANTUM_NS,
		.base = p[1] | (u64)p[2] << 32,
		.sh_mem_bases = p[3],
	};
	s->entry[s->nentry++] = (struct entry){ .process = s->nprocess++ };
	return 0;
}

static int add_queue(struct hws *s, const u32 *p, unsigned int n)
{
	unsigned int type, engine;

	if (n < 6 || !s->nprocess)
		return -EINVAL;
	type = p[0] >> 21 & 7;
	engine = p[0] >> 26 & 7;
	if (engine || p[0] >> 2 & 3) {
		log_warn("runlist: SDMA user queues are not modelled (engine %u)", engine);
		return 0;
	}
	if ((p[0] >> 4 & 3) != 1)
		return -EINVAL;		/* the scheduler chooses the slots */
	s->entry[s->nentry++] = (struct entry){
		.process = s->nprocess - 1,
		.is_queue = true,
		.is_static = type == QUEUE_STATIC || type == QUEUE_STATIC_LOW_LATENCY,
		.doorbell = p[1] >> 2 & 0x3ffffff,
		.mqd = p[2] | (u64)p[3] << 32,
		.write_addr = p[4] | (u64)p[5] << 32,
	};
	return 0;
}

/* Packets of a runlist's IB, @dw dwords of it. */
static int parse_ib(struct hws *s, const u32 *ib, unsigned int dw)
{
	unsigned int i, n, op;
	int err = 0;

	for (i = 0; i < dw && !err; i += n + 1) {
		op = ib[i] >> 8 & 0xff;
		n = (ib[i] >> 16 & 0x3fff) + 1;
		if (ib[i] >> 30 != 3 || n >= dw - i)
			return -EINVAL;
		switch (op) {
		case IT_MAP_PROCESS:
			err = add_process(s, ib + i + 1, n);
			break;
		case IT_MAP_QUEUES:
			err = add_queue(s, ib + i + 1, n);
			break;
		case IT_RUN_LIST:
			return 0;	/* chain back to the start: map_batch() wraps */
		default:
			return -EINVAL;
		}
	}
	return err;
}

static s64 run_list(struct gpu *g, const u32 *p, unsigned int n)
{
	static const struct filter dynamic = { .select = SEL_DYNAMIC };
	struct hws *s = g->hws;
	struct user_queue *q;
	unsigned int dw, mapped;
	u32 *ib;
	int err;

	if (n < 3)
		return -EINVAL;
	dw = p[2] & 0xfffff;
	if (!(p[2] >> 23 & 1) || dw > IB_DWORDS_MAX)
		return -EINVAL;
	drop_runlist(s);
	ib = calloc(dw + 1, 4);
	s->process = calloc(dw + 1, sizeof(*s->process));
	s->entry = calloc(dw + 1, sizeof(*s->entry));
	if (!ib || !s->process || !s->entry)
		err = -ENOMEM;
	else
		err = vm_read(g, 0, (p[0] & ~3u) | (u64)p[1] << 32, ib, dw * 4);
	if (!err)
		err = parse_ib(s, ib, dw);
	free(ib);
	if (err) {
		drop_runlist(s);
		log_warn("runlist refused (%d)", err);
		return -EINVAL;
	}
	s->concurrent = p[2] >> 24 & 0xf;
	if (!s->concurrent)
		s->concurrent = VMIDS;

	for (q = g->spi->queues; q; q = q->next) {
		if (!q->is_static) {
			/* A new list without an unmap before it replaces the old one. */
			s->remap = true;
			preempt_begin(g, &dynamic);
			return s->end;
		}
	}
	mapped = map_batch(g);
	return gpu_now() + RUNLIST_FIXED_NS + mapped * RUNLIST_QUEUE_NS;
}

static void reset_queues(struct gpu *g, const struct filter *f)
{
	struct user_queue *q, *next;

	for (q = g->spi->queues; q; q = next) {
		struct hqd *h = q->h;

		next = q->next;
		if (!wanted(f, q->pasid, h->doorbell, q->is_static))
			continue;
		machine_queue_reset(g, h);
		mec_unmap(g, h);
	}
	free_vmids(g);
}

static s64 unmap_queues(struct gpu *g, const u32 *p, unsigned int n)
{
	struct hws *s = g->hws;
	struct filter f = {};
	unsigned int i;

	if (n < 1)
		return -EINVAL;
	if (p[0] >> 26 & 7)
		return 0;		/* SDMA engines: none of their queues is mapped */
	f.select = p[0] >> 4 & 3;
	if (f.select == SEL_PASID) {
		if (n < 2)
			return -EINVAL;
		f.pasid = p[1];
	} else if (f.select == SEL_DOORBELLS) {
		f.ndoorbells = p[0] >> 29;
		if (f.ndoorbells > 4 || n < 1 + f.ndoorbells)
			return -EINVAL;
		for (i = 0; i < f.ndoorbells; i++)
			f.doorbell[i] = p[1 + i] >> 2 & 0x3ffffff;
	}
	/* What goes does not come back with the next rotation. */
	for (i = 0; i < s->nentry; i++)
		if (s->entry[i].is_queue &&
		    wanted(&f, s->process[s->entry[i].process].pasid, s->entry[i].doorbell,
			   s->entry[i].is_static))
			s->entry[i].gone = true;
	if (f.select == SEL_ALL || f.select == SEL_DYNAMIC)
		drop_runlist(s);
	if ((p[0] & 3) == ACTION_RESET) {
		reset_queues(g, &f);
		return 0;
	}
	preempt_begin(g, &f);
	return s->end;
}

static s64 query_status(struct gpu *g, const u32 *p, unsigned int n)
{
	u64 value;

	if (n < 6)
		return -EINVAL;
	if (fault_hit(FAULT_LOSE_FENCE, NULL))
		return 0;
	value = p[4] | (u64)p[5] << 32;
	if (vm_write(g, 0, p[2] | (u64)p[3] << 32, &value, sizeof(value)))
		return -EINVAL;
	return 0;
}

s64 hws_packet(struct gpu *g, unsigned int op, const u32 *p, unsigned int n)
{
	hws_turn(g);
	if (g->hws->busy)
		return -EAGAIN;
	switch (op) {
	case IT_SET_RESOURCES:
		return set_resources(g, p, n);
	case IT_RUN_LIST:
		return run_list(g, p, n);
	case IT_UNMAP_QUEUES:
		return unmap_queues(g, p, n);
	case IT_QUERY_STATUS:
		return query_status(g, p, n);
	default:
		return -EINVAL;		/* MAP_PROCESS and MAP_QUEUES: in runlists only */
	}
}

/**
 * hws_start() - set up the scheduler
 * @g:	device
 *
 * Return: 0 or -ENOMEM.
 */
int hws_start(struct gpu *g)
{
	g->hws = calloc(1, sizeof(*g->hws));
	if (!g->hws)
		return -ENOMEM;
	pthread_cond_init(&g->hws->copied, NULL);
	return 0;
}

/**
 * hws_stop() - free the scheduler
 * @g:	device
 */
void hws_stop(struct gpu *g)
{
	drop_runlist(g->hws);
	pthread_cond_destroy(&g->hws->copied);
	free(g->hws);
	g->hws = NULL;
}

/**
 * hws_reset() - function-level reset
 * @g:	device
 */
void hws_reset(struct gpu *g)
{
	struct hws *s = g->hws;

	drop_runlist(s);
	s->busy = false;
	s->vmid_mask = 0;
	s->queue_mask = 0;
	memset(s->pasid, 0, sizeof(s->pasid));
}
