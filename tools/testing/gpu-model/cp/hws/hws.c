// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware scheduler: the firmware behind the HIQ. A runlist names processes
 * and their queues, which get VMIDs and queue slots (runlist.c), others with
 * each runlist, and lose them by preemption (preempt.c). Here: what the HIQ's
 * packets say. Layouts: kfd_pm4_headers_ai.h and kfd_pm4_headers_aldebaran.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compute/spi.h"
#include "cp/hws/hws.h"
#include "cp/queue/engine.h"
#include "cp/queue/pm4_opcodes.h"
#include "cp/queue/slot.h"
#include "host/fault.h"
#include "host/log.h"
#include "hws_priv.h"
#include "sdma/sdma.h"
#include "vm/vm.h"

#define IB_DWORDS_MAX	(1u << 16)
#define RUN_LIST_CHAIN	(1u << 20)

enum { QUEUE_STATIC = 2, QUEUE_STATIC_LOW_LATENCY = 3 };	/* MAP_QUEUES queue_type */
enum { ACTION_PREEMPT = 0, ACTION_RESET = 1 };			/* UNMAP_QUEUES action */
enum { SEL_DOORBELLS = 0, SEL_PASID = 1, SEL_ALL = 2, SEL_DYNAMIC = 3 };

/* Which of a partition's queues an UNMAP_QUEUES means. */
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

/* The same for SDMA queues, which are known by their VMIDs. */
struct sdma_filter {
	const struct hws *s;
	const struct filter *f;
};

static bool sdma_wanted(const void *ctx, unsigned int vmid, u16 pasid, u32 doorbell)
{
	const struct sdma_filter *sf = ctx;

	return sf->s->pasid[vmid] == pasid && wanted(sf->f, pasid, doorbell, false);
}

static void unmap_sdma(struct hws *s, const struct filter *f)
{
	const struct sdma_filter ctx = { s, f };

	sdma_unmap(s->g, sdma_wanted, &ctx);
}

/* Take those queues off, as preempt_turn() goes on with. SDMA ones leave at once. */
static void preempt(struct hws *s, const struct filter *f)
{
	struct user_queue *q;

	unmap_sdma(s, f);
	for_each_queue(s, q)
		q->leaving = wanted(f, q->pasid, q->h->doorbell, q->is_static);
	preempt_begin(s);
}

static void turn_of(struct hws *s)
{
	if ((s->busy && !preempt_turn(s)) || !s->rotate_at)
		return;
	if (gpu_now() < s->rotate_at) {
		mec_kick_at(s->g, s->rotate_at);
	} else if (runlist_rotate(s)) {
		s->remap = true;
		preempt_begin(s);
	}
}

static void turn(struct gpu *g)
{
	struct partition *p;

	for_each_partition(g, p)
		turn_of(hws_of(p));
}

/* ---- packets ---- */

static s64 set_resources(struct hws *s, const u32 *p, unsigned int n)
{
	if (n < 7)
		return -EINVAL;
	s->vmid_mask = p[0] & ~1u;	/* VMID 0 is the kernel's */
	s->unmap_latency = (p[0] >> 16 & 0xff) * UNMAP_LATENCY_NS;
	s->queue_mask = p[1] | (u64)p[2] << 32;
	s->gws_mask = p[3] | (u64)p[4] << 32;
	log_event("set-resources", "vmids=%#x queues=%#" PRIx64 " unmap-latency-ms=%" PRIu64,
		  s->vmid_mask, s->queue_mask, s->unmap_latency / NS_PER_MS);
	return 0;
}

static int add_process(struct hws *s, const u32 *p, unsigned int n)
{
	struct process *process = &s->process[s->nprocess];

	if (n < 16 || !(p[0] & 0xffff))
		return -EINVAL;
	*process = (struct process){
		.pasid = p[0],
		.quantum = (p[0] >> 25) * PROCESS_QUANTUM_NS,
		.base = p[1] | (u64)p[2] << 32,
		.sh_mem_bases = p[3],
		.retry = !(p[4] & SH_MEM_CONFIG_RETRY_DISABLE),
		.trap = {
			.tba = (p[5] | (u64)(p[6] & 0xff) << 32) << 8,
			.tma = (p[7] | (u64)(p[8] & 0xff) << 32) << 8,
		},
	};
	process->gws_count = p[12] & 0x7f;
	if (process->gws_count > GWS_RESOURCES)
		return -EINVAL;
	if (process->gws_count)
		process->gws = gws_left(s, process->pasid);
	if (process->gws_count && !process->gws)
		return -ENOMEM;
	if (n >= 18) {		/* the packet of GPUs that are debugged by VMID */
		process->trap.debug = p[13];
		memcpy(process->trap.watch, p + 14, sizeof(process->trap.watch));
	}
	s->nprocess++;
	return 0;
}

static int add_queue(struct hws *s, const u32 *p, unsigned int n)
{
	unsigned int type, engine;

	if (n < 6 || !s->nprocess)
		return -EINVAL;
	type = p[0] >> 21 & 7;
	engine = p[0] >> 26 & 7;
	if ((p[0] >> 4 & 3) != 1)
		return -EINVAL;		/* the scheduler chooses the slots */
	s->entry[s->nentry++] = (struct entry){
		.process = s->nprocess - 1,
		.sdma = engine || p[0] >> 2 & 3,	/* which one, its MQD says */
		.gws = p[0] >> 12 & 1,
		.is_static = type == QUEUE_STATIC || type == QUEUE_STATIC_LOW_LATENCY,
		.doorbell = p[1] >> 2 & 0x3ffffff,
		.mqd = p[2] | (u64)p[3] << 32,
		.write_addr = p[4] | (u64)p[5] << 32,
	};
	return 0;
}

/*
 * A RUN_LIST ends a list that does not fit: @p, the packet in the list, leads
 * back to it. @list: the packet that began it.
 */
static int add_chain(struct hws *s, const u32 *p, unsigned int n, const u32 *list)
{
	if (n < 3 || !(p[2] & RUN_LIST_CHAIN) || p[0] != list[0] || p[1] != list[1]) {
		log_warn("runlist: the RUN_LIST in it does not lead back to its start");
		return -EINVAL;
	}
	s->chained = true;
	return 0;
}

/* Packets of a runlist's IB, @dw dwords of it. */
static int parse_ib(struct hws *s, const u32 *ib, unsigned int dw, const u32 *list)
{
	unsigned int i, n, op;
	int err = 0;

	for (i = 0; i < dw && !err; i += n + 1) {
		op = ib[i] >> 8 & 0xff;
		n = (ib[i] >> 16 & 0x3fff) + 1;
		if (ib[i] >> 30 != 3 || n >= dw - i)
			return -EINVAL;
		switch (op) {
		case PM4_MAP_PROCESS:
			err = add_process(s, ib + i + 1, n);
			break;
		case PM4_MAP_QUEUES:
			err = add_queue(s, ib + i + 1, n);
			break;
		case PM4_RUN_LIST:
			return add_chain(s, ib + i + 1, n, list);
		default:
			return -EINVAL;
		}
	}
	return err;
}

static s64 run_list(struct hws *s, const u32 *p, unsigned int n)
{
	static const struct filter dynamic = { .select = SEL_DYNAMIC };
	struct user_queue *q;
	unsigned int dw;
	u32 *ib;
	int err;

	if (n < 3)
		return -EINVAL;
	dw = p[2] & 0xfffff;
	if (!(p[2] >> 23 & 1) || dw > IB_DWORDS_MAX)
		return -EINVAL;
	runlist_drop(s);
	ib = calloc(dw + 1, 4);
	s->process = calloc(dw + 1, sizeof(*s->process));
	s->entry = calloc(dw + 1, sizeof(*s->entry));
	if (!ib || !s->process || !s->entry)
		err = -ENOMEM;
	else
		err = vm_read(s->g, 0, (p[0] & ~3u) | (u64)p[1] << 32, ib, dw * 4);
	if (!err)
		err = parse_ib(s, ib, dw, p);
	free(ib);
	if (err) {
		runlist_drop(s);
		log_warn("runlist refused (%d)", err);
		return -EINVAL;
	}
	s->concurrent = p[2] >> 24 & 0xf;
	if (!s->concurrent)
		s->concurrent = VMIDS;

	for_each_queue(s, q) {
		if (!q->is_static && !q->stuck) {
			/* A new list without an unmap before it replaces the old one. */
			s->remap = true;
			preempt(s, &dynamic);
			return 0;
		}
	}
	unmap_sdma(s, &dynamic);
	runlist_map(s);
	return s->mapped_at;
}

static void reset_queues(struct hws *s, const struct filter *f)
{
	struct user_queue *q, *next;

	unmap_sdma(s, f);
	for (q = s->part->queues; q; q = next) {
		struct hqd *h = q->h;

		next = q->next;
		if (!wanted(f, q->pasid, h->doorbell, q->is_static))
			continue;
		slot_kill(s->g, h);
	}
	runlist_free_vmids(s);
}

static s64 unmap_queues(struct hws *s, const u32 *p, unsigned int n)
{
	struct filter f = {};
	unsigned int i;

	if (n < 1 || (p[0] & 3) > ACTION_RESET)
		return -EINVAL;		/* amdkfd has no use for the other actions */
	if (p[0] >> 26 & 7)
		return 0;		/* amdkfd has SDMA queues leave along with the others */
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
		s->entry[i].gone |= wanted(&f, s->process[s->entry[i].process].pasid,
					   s->entry[i].doorbell, s->entry[i].is_static);
	if (f.select == SEL_ALL || f.select == SEL_DYNAMIC)
		runlist_drop(s);
	if ((p[0] & 3) == ACTION_RESET) {
		reset_queues(s, &f);
		return 0;
	}
	preempt(s, &f);
	return 0;
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

static s64 packet(struct gpu *g, unsigned int xcc, unsigned int op, const u32 *p, unsigned int n)
{
	struct hws *s = hws_of(spi_partition(g, xcc));

	if (s->busy && !preempt_turn(s))
		return -EAGAIN;
	if (gpu_now() < s->mapped_at) {		/* what rotated in, or replaced another list */
		mec_kick_at(g, s->mapped_at);
		return -EAGAIN;
	}
	switch (op) {
	case PM4_SET_RESOURCES:
		return set_resources(s, p, n);
	case PM4_RUN_LIST:
		return run_list(s, p, n);
	case PM4_UNMAP_QUEUES:
		return unmap_queues(s, p, n);
	case PM4_QUERY_STATUS:
		return query_status(g, p, n);
	default:
		return -EINVAL;		/* MAP_PROCESS and MAP_QUEUES: in runlists only */
	}
}

static int start(struct gpu *g)
{
	unsigned int i;

	g->hws = calloc(1, sizeof(*g->hws));
	if (!g->hws)
		return -ENOMEM;
	for (i = 0; i < XCCS_MAX; i++) {
		g->hws->of[i].g = g;
		g->hws->of[i].part = &g->spi->partition[i];
	}
	return 0;
}

static void stop(struct gpu *g)
{
	unsigned int i;

	for (i = 0; i < XCCS_MAX; i++) {
		runlist_drop(&g->hws->of[i]);
		gws_free(&g->hws->of[i]);
	}
	free(g->hws);
	g->hws = NULL;
}

static void reset(struct gpu *g)
{
	unsigned int i;

	for (i = 0; i < XCCS_MAX; i++) {
		struct hws *s = &g->hws->of[i];

		runlist_drop(s);
		gws_reset(s);
		s->busy = false;
		s->mapped_at = 0;
		s->vmid_mask = 0;
		s->queue_mask = 0;
		memset(s->pasid, 0, sizeof(s->pasid));
	}
}

const struct sched_ops hws_sched = {
	.start = start,
	.stop = stop,
	.reset = reset,
	.turn = turn,
	.packet = packet,
};
