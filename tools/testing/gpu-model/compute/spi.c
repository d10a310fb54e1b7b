// SPDX-License-Identifier: GPL-2.0
/*
 * Workgroup launch. The command-processor thread alone gives and takes room,
 * so that room needs no lock of its own: mec_lock is enough.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compute/spi.h"
#include "compute/trap.h"
#include "host/log.h"

/* An empty unit. */
static struct room room_of(const struct cu_size *size)
{
	struct room room = { .lds = size->lds, .barriers = size->barriers };
	unsigned int s;

	for (s = 0; s < size->simds; s++) {
		room.vgprs[s] = size->vgprs;
		room.sgprs[s] = size->sgprs;
	}
	return room;
}

static u32 round_up(u32 v, u32 granule)
{
	return (v + granule - 1) / granule * granule;
}

/**
 * struct need - resources of a workgroup
 * @nwaves:	waves
 * @vgprs: @sgprs: of each wave, in granules
 * @lds:	bytes, in granules
 */
struct need {
	unsigned int nwaves, vgprs, sgprs;
	u32 lds;
};

static struct need need_of(const struct cu_size *size, unsigned int nwaves,
			   const struct kernel_code *k, u32 lds)
{
	unsigned int vgprs = k->vgprs * k->lanes / size->lanes;

	return (struct need){
		.nwaves = nwaves,
		.vgprs = round_up(vgprs ? vgprs : 1, size->vgpr_granule),
		.sgprs = round_up(k->sgprs ? k->sgprs : 1, size->sgpr_granule),
		.lds = round_up(lds, size->lds_granule),
	};
}

/*
 * Take room for a workgroup, its waves spread over the SIMDs.
 * Return: false, with @room in disorder, if it does not fit.
 */
static bool room_take(struct room *room, const struct cu_size *size, const struct need *n,
		      u8 *simd, u8 *slot)
{
	unsigned int i, s, best;

	if (n->nwaves > WG_WAVES_MAX || room->lds < n->lds)
		return false;
	room->lds -= n->lds;
	if (n->nwaves > 1) {
		if (!room->barriers)
			return false;
		room->barriers--;
	}
	for (i = 0; i < n->nwaves; i++) {
		best = CU_SIMDS;
		for (s = 0; s < size->simds; s++) {
			if (room->slots[s] == (1u << size->waves) - 1 ||
			    room->vgprs[s] < n->vgprs || room->sgprs[s] < n->sgprs)
				continue;
			if (best == CU_SIMDS || __builtin_popcount(room->slots[s]) <
						__builtin_popcount(room->slots[best]))
				best = s;
		}
		if (best == CU_SIMDS)
			return false;
		simd[i] = best;
		slot[i] = __builtin_ctz(~room->slots[best]);
		room->slots[best] |= 1u << slot[i];
		room->vgprs[best] -= n->vgprs;
		room->sgprs[best] -= n->sgprs;
	}
	return true;
}

/**
 * spi_fits() - could a workgroup ever be launched?
 * @g:		device
 * @nwaves: @k:	waves, and their registers
 * @lds:	bytes
 *
 * Return: true if it fits into an empty compute unit.
 */
bool spi_fits(const struct gpu *g, unsigned int nwaves, const struct kernel_code *k, u32 lds)
{
	const struct cu_size *size = asic_of(g)->cu;
	struct need n = need_of(size, nwaves, k, lds);
	struct room room = room_of(size);
	u8 simd[WG_WAVES_MAX], slot[WG_WAVES_MAX];

	return room_take(&room, size, &n, simd, slot);
}

/**
 * spi_release() - give back what a group holds
 * @g:		device
 * @grp:	group that left its unit
 */
void spi_release(struct gpu *g, struct group *grp)
{
	struct room *room = &g->spi->room[grp->cu - g->spi->cus];
	unsigned int i;

	for (i = 0; i < grp->wg->nwaves; i++) {
		room->slots[grp->simd[i]] &= ~(1u << grp->slot[i]);
		room->vgprs[grp->simd[i]] += grp->vgprs;
		room->sgprs[grp->simd[i]] += grp->sgprs;
	}
	room->lds += grp->lds;
	if (grp->wg->nwaves > 1)
		room->barriers++;
	grp->cu = NULL;
}

/**
 * group_free() - free a group and its waves
 * @grp:	group without resources
 */
void group_free(struct group *grp)
{
	wg_free(grp->wg);
	free(grp);
}

static bool scratch_slot_used(const struct user_queue *q, unsigned int i)
{
	return q->scratch_used[i / 64] >> i % 64 & 1;
}

/* @n scratch slots of an XCC's share in a row; -1 if there are none. */
static s32 scratch_find(const struct user_queue *q, unsigned int xcc, unsigned int n)
{
	unsigned int i, run = 0, first = xcc * q->scratch_slots;

	for (i = first; i < first + q->scratch_slots; i++) {
		run = scratch_slot_used(q, i) ? 0 : run + 1;
		if (run == n)
			return i + 1 - n;
	}
	return -1;
}

static void scratch_mark(struct user_queue *q, s32 first, unsigned int n, bool used)
{
	s32 i;

	if (first < 0)
		return;
	for (i = first; i < first + (s32)n; i++) {
		if (used)
			q->scratch_used[i / 64] |= (u64)1 << i % 64;
		else
			q->scratch_used[i / 64] &= ~((u64)1 << i % 64);
	}
}

void spi_scratch_take(struct user_queue *q, const struct group *grp)
{
	scratch_mark(q, grp->scratch, grp->wg->nwaves, true);
}

void spi_scratch_give(struct user_queue *q, const struct group *grp)
{
	scratch_mark(q, grp->scratch, grp->wg->nwaves, false);
}

/* HW_ID as s_getreg_b32 reads it: SQ_WAVE_HW_ID of gc_9_0_sh_mask.h. */
static u32 hw_id(const struct cu *cu, const struct group *grp, unsigned int i)
{
	const struct hqd *h = grp->q->h;

	return grp->slot[i] | grp->simd[i] << 4 | h->pipe << 6 | (cu->index & 0xf) << 8 |
	       (cu->engine & 3) << 13 | (grp->number & 0xf) << 16 | grp->q->vmid << 20 |
	       h->queue << 24 | (u32)1 << 30;
}

/* HW_ID1 and HW_ID2: SQ_WAVE_HW_ID1, _2 of gc_11_0_0_sh_mask.h. */
static u32 hw_id1(const struct cu *cu, const struct group *grp, unsigned int i)
{
	unsigned int simd = (cu->index & 1) * 2 + grp->simd[i];

	return grp->slot[i] | simd << 8 | (cu->index / 2 & 0xf) << 10 | (cu->engine & 7) << 18;
}

static u32 hw_id2(const struct group *grp)
{
	const struct hqd *h = grp->q->h;

	return h->queue | h->pipe << 4 | 1 << 8 | (grp->number & 0x1f) << 16 |
	       (u32)grp->q->vmid << 24;
}

static u64 latest(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* An engine launches one wave after the other; then their unit reads what they were saved with. */
static u64 restored_at(struct gpu *g, struct cu *cu, const struct group *grp)
{
	u64 *at = &g->spi->restored_at[cu_engine(g, cu)];
	unsigned int i;

	*at = latest(*at, latest(gpu_now(), grp->ready));
	for (i = 0; i < grp->wg->nwaves; i++)
		*at += grp->wg->waves[i].ended ? 0 : param.restore_wave_ns;
	cu->copied_at = latest(cu->copied_at, *at) +
			grp->bytes * NS_PER_US / param.cwsr_cu_bytes_per_us;
	return cu->copied_at;
}

static void place(struct gpu *g, struct cu *cu, struct group *grp)
{
	struct user_queue *q = grp->q;
	const struct hqd *h = q->h;
	bool rdna = q->mem.isa->rdna;
	unsigned int i;

	grp->cu = cu;
	grp->count = &g->spi->count[cu_engine(g, cu)][h->pipe * MEC_QUEUES + h->queue];
	for (i = 0; i < grp->wg->nwaves; i++) {
		struct wave *w = &grp->wg->waves[i];

		w->hw_id = rdna ? hw_id1(cu, grp, i) : hw_id(cu, grp, i);
		w->xcc_id = rdna ? hw_id2(grp) : cu->xcc;
		w->mem = &q->mem;
		w->wg = grp->wg;
		if (w->ended)
			continue;
		log_event(grp->restored ? "wave-restore" : "wave-start",
			  "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
			  " wave=%u xcc=%u engine=%u cu=%u simd=%u slot=%u vmid=%u pc=%#" PRIx64
			  " insns=%" PRIu64, h->doorbell, q->pasid, grp->d->packet,
			  grp->number, w->index, cu->xcc, cu->engine, cu->index, grp->simd[i],
			  grp->slot[i], q->vmid, w->pc, w->insns);
	}
	if (grp->restored)
		grp->ready = restored_at(g, cu, grp);
	cu_add(cu, grp);
}

/**
 * group_alloc() - a group with all registers zero
 * @d:		dispatch
 * @number:	linear workgroup number
 * @nwaves:	waves
 * @scratch:	first scratch slot or -1
 *
 * Return: group without resources, or NULL if out of memory.
 */
struct group *group_alloc(struct dispatch *d, u64 number, unsigned int nwaves, s32 scratch)
{
	struct group *grp = calloc(1, sizeof(*grp));

	if (!grp)
		return NULL;
	grp->wg = wg_alloc(nwaves, d->code.lanes, d->code.vgprs, d->code.acc_offset,
			   round_up(d->lds_bytes, asic_of(d->q->g)->cu->lds_granule));
	if (!grp->wg) {
		free(grp);
		return NULL;
	}
	grp->wg->owner = grp;
	grp->q = d->q;
	grp->d = d;
	grp->number = number;
	grp->scratch = scratch;
	grp->ready = gpu_now();
	return grp;
}

/*
 * What trap handlers and debuggers find in a wave's trap temporaries: its packet's
 * place in the ring, its workgroup, its number in that (ROCdbgapi, gfx9). The
 * hardware does so when SPI_GDBG_PER_VMID_CNTL says so; nobody else can look.
 */
static void init_ttmps(struct group *grp, const u32 id[3])
{
	u32 packet = grp->d->packet & grp->q->mask & 0x1ffffff;
	unsigned int i;

	for (i = 0; i < grp->wg->nwaves; i++) {
		u32 *ttmp = grp->wg->waves[i].sgpr + SGPR_TTMP;

		memcpy(ttmp + 8, id, 3 * sizeof(*id));
		ttmp[11] = i;
		if (grp->q->mem.isa == &isa_gfx942)
			ttmp[11] |= packet << 6;
		else
			ttmp[6] = packet;
	}
}

/* Is a unit of one of the partition's XCCs? */
static bool owns(const struct partition *p, const struct cu *cu)
{
	return gpu_leader(p->g, cu->xcc) == p->xcc;
}

/* May a workgroup of @q that belongs to the XCC @xcc of its partition go to @cu? */
static bool cu_allowed(const struct user_queue *q, unsigned int xcc, const u32 *reserved,
		       const struct cu *cu)
{
	unsigned int e = cu_engine(q->g, cu);

	return cu->xcc == q->h->xcc + xcc && q->cus[e] >> cu->index & 1 && !(reserved[e] >> cu->index & 1);
}

/*
 * Where all queues go on: one that launches keeps its pipe from its equals for its quantum.
 * Where they take turns this is cp/pipe.c's.
 */
static void take_pipe(struct user_queue *q)
{
	u64 now = gpu_now(), quantum = queue_quantum(q);

	if (now >= q->pipe_until && quantum && q->g->cfg.connect == CONNECT_ALL)
		q->pipe_until = now + quantum;
}

/*
 * One group of @q to the first unit that has room.
 * Return: false if there is no room, or nothing to launch.
 */
static bool launch_one(struct partition *p, struct user_queue *q, const u32 *reserved)
{
	const struct cu_size *size = asic_of(p->g)->cu;
	struct group *grp = q->pending;
	struct dispatch *d = q->launching;
	struct spi *spi = p->g->spi;
	s32 scratch = -1;
	struct need n;
	unsigned int i, c, xcc = group_xcc(q, grp ? grp->number : d->next);
	u32 id[3];

	if (grp) {
		n = need_of(size, grp->wg->nwaves, &grp->d->code, grp->d->lds_bytes);
	} else {
		n = need_of(size, dispatch_waves(d, d->next, id), &d->code, d->lds_bytes);
		if (d->regs.scratch_wave_bytes) {
			scratch = scratch_find(q, xcc, n.nwaves);
			if (scratch < 0)
				return false;
		}
	}

	for (i = 0; i < spi->ncus; i++) {
		u8 simd[WG_WAVES_MAX], slot[WG_WAVES_MAX];
		struct room room;

		c = (p->next_cu + i) % spi->ncus;
		room = spi->room[c];
		if (!cu_allowed(q, xcc, reserved, &spi->cus[c]) ||
		    !room_take(&room, size, &n, simd, slot))
			continue;
		if (grp) {
			q->pending = grp->next;
		} else {
			grp = group_alloc(d, d->next, n.nwaves, scratch);
			if (!grp) {
				log_warn("out of memory for a workgroup");
				return false;
			}
			wg_init_regs(grp->wg, &d->code, &d->regs, id,
				     scratch < 0 ? 0 : scratch);
			init_ttmps(grp, id);
			trap_launch(grp);
			spi_scratch_take(q, grp);
			if (grp->ready < d->ready)
				grp->ready = d->ready;
			if (!d->next)
				d->begin = grp->ready;
			d->live++;
			d->next++;
		}
		memcpy(grp->simd, simd, sizeof(simd));
		memcpy(grp->slot, slot, sizeof(slot));
		grp->vgprs = n.vgprs;
		grp->sgprs = n.sgprs;
		grp->lds = n.lds;
		spi->room[c] = room;
		p->next_cu = c + 1;
		q->turn = ++p->turn;
		take_pipe(q);
		place(p->g, &spi->cus[c], grp);
		return true;
	}
	return false;
}

static bool wants_launch(const struct user_queue *q)
{
	return q->connected && !q->frozen && gpu_now() >= q->since &&
	       (q->pending || q->launching);
}

static bool equals(const struct user_queue *a, const struct user_queue *b)
{
	return a->pipe_priority == b->pipe_priority && a->priority == b->priority;
}

/* Does an equal that could launch hold the pipe of @q? */
static bool held_back(const struct user_queue *q, u64 now)
{
	const struct user_queue *o;

	if (now < q->pipe_until)
		return false;
	for (o = q->part->queues; o; o = o->next)
		if (now < o->pipe_until && o->h->pipe == q->h->pipe && equals(o, q) &&
		    wants_launch(o) && !o->no_room)
			return true;
	return false;
}

/**
 * spi_launch() - launch workgroups while there is room
 * @p:		partition
 * @limit:	at most this many; reduced by those launched
 *
 * Return: a dispatch that was launched to its last workgroup, or NULL: the queue's
 * next packet may want the remaining room before a lower queue gets it.
 */
struct dispatch *spi_launch(struct partition *p, unsigned int *limit)
{
	u32 reserved[ALL_ENGINES_MAX] = {}, blocked[ALL_ENGINES_MAX] = {};
	unsigned int e, level = ~0u;
	struct user_queue *q, *best;
	u64 now = gpu_now();

	for (q = p->queues; q; q = q->next)
		q->no_room = false;
	while (*limit) {
		best = NULL;
		for (q = p->queues; q; q = q->next) {
			if (wants_launch(q) && !q->no_room && !held_back(q, now) &&
			    (!best || (equals(q, best) && q->turn < best->turn)))
				best = q;	/* the list is in the order of priorities */
		}
		if (!best)
			break;
		if (best->pipe_priority != level) {
			/* What waits at a higher level keeps its units free of lower ones. */
			memcpy(reserved, blocked, sizeof(reserved));
			level = best->pipe_priority;
		}
		if (!launch_one(p, best, reserved)) {
			for (e = 0; e < ALL_ENGINES_MAX; e++)
				blocked[e] |= best->cus[e];
			best->no_room = true;
			continue;
		}
		(*limit)--;
		if (best->launching && best->launching->next == best->launching->total)
			return best->launching;
	}
	return NULL;
}

/**
 * spi_reap() - give back what groups held that ended
 * @p:		partition
 * @ended:	told of the dispatch of each
 *
 * Return: true if there were any.
 */
bool spi_reap(struct partition *p, void (*ended)(struct dispatch *d))
{
	struct spi *spi = p->g->spi;
	bool any = false;
	unsigned int i;

	for (i = 0; i < spi->ncus; i++) {
		struct group *grp = owns(p, &spi->cus[i]) ? cu_reap(&spi->cus[i]) : NULL;

		while (grp) {
			struct group *next = grp->next;
			struct dispatch *d = grp->d;

			spi_scratch_give(grp->q, grp);
			spi_release(p->g, grp);
			group_free(grp);
			ended(d);
			grp = next;
			any = true;
		}
	}
	return any;
}

static u32 slot_bit(const struct user_queue *q)
{
	return (u32)1 << (q->h->pipe * asic_of(q->g)->pipe_queues + q->h->queue);
}

/**
 * spi_attach() - a user queue came to a hardware slot
 * @q:	queue
 *
 * The list is in the order in which the command processor looks at the queues'
 * packets: by pipe priority, then queue priority, then as they came.
 */
void spi_attach(struct user_queue *q)
{
	struct user_queue **p;

	for (p = &q->part->queues; *p; p = &(*p)->next)
		if ((*p)->pipe_priority < q->pipe_priority ||
		    ((*p)->pipe_priority == q->pipe_priority && (*p)->priority < q->priority))
			break;
	q->next = *p;
	*p = q;
	atomic_fetch_or(&q->part->slotted, slot_bit(q));
}

/**
 * spi_detach() - a user queue leaves its hardware slot
 * @q:	queue, none of whose groups is on the machine
 */
void spi_detach(struct user_queue *q)
{
	struct user_queue **p;

	for (p = &q->part->queues; *p && *p != q; p = &(*p)->next)
		;
	if (*p)
		*p = q->next;
	atomic_fetch_and(&q->part->slotted, ~slot_bit(q));
}

/**
 * spi_wave_status() - SPI_CSQ_WF_ACTIVE_STATUS
 * @g:		device
 * @engine:	shader engine, of all XCCs
 *
 * A bit is on while a queue is slotted, with or without waves
 * (kgd_gfx_v9_get_cu_occupancy() says so); hence the same for all engines of a partition.
 * STATUS_BUSY and STATUS_WAVES are what else it could be.
 *
 * Return: bitmap, bit pipe * asic.pipe_queues + queue; with STATUS_WAVES a bit a wave.
 */
u32 spi_wave_status(struct gpu *g, unsigned int engine)
{
	unsigned int pipe, n, all = 0, pipe_queues = asic_of(g)->pipe_queues;
	u32 slotted, waves, busy = 0;

	if (!g->spi || engine >= gpu_engines(g))
		return 0;
	slotted = atomic_load(&spi_partition(g, engine / g->cfg.engines)->slotted);
	if (g->cfg.status == STATUS_QUEUES)
		return slotted;
	for (pipe = 0; pipe < MEC_PIPES; pipe++) {
		for (n = 0; n < pipe_queues; n++) {
			waves = spi_wave_count(g, engine, pipe, n);
			all += waves;
			busy |= (u32)!!waves << (pipe * pipe_queues + n);
		}
	}
	if (g->cfg.status == STATUS_WAVES)
		return all < 32 ? (1u << all) - 1 : ~0u;
	return slotted & busy;
}

/**
 * spi_wave_count() - SPI_CSQ_WF_ACTIVE_COUNT_n
 * @g:		device
 * @engine:	shader engine, of all XCCs
 * @pipe:	pipe of ME 1
 * @n:		queue
 *
 * Return: waves in flight.
 */
u32 spi_wave_count(struct gpu *g, unsigned int engine, unsigned int pipe, unsigned int n)
{
	if (!g->spi || engine >= gpu_engines(g) || pipe >= MEC_PIPES || n >= MEC_QUEUES)
		return 0;
	return atomic_load(&g->spi->count[engine][pipe * MEC_QUEUES + n]);
}

/**
 * spi_in_flight() - has a queue waves on the machine?
 * @q:	queue
 *
 * Return: true if so, stopped ones included.
 */
bool spi_in_flight(const struct user_queue *q)
{
	const struct gpu *g = q->g;
	unsigned int e, first = q->part->xcc * g->cfg.engines;

	for (e = 0; e < gpu_partition(g) * g->cfg.engines; e++)
		if (spi_wave_count(q->g, first + e, q->h->pipe, q->h->queue))
			return true;
	return false;
}

/**
 * spi_start() - build the machine and start its workers
 * @g:	device
 *
 * Return: 0 or -errno.
 */
int spi_start(struct gpu *g)
{
	unsigned int i, n = g->cfg.xccs * gpu_die_cus(&g->cfg);
	struct spi *spi;

	if (!n || g->cfg.xccs > XCCS_MAX || g->cfg.engines > ENGINES_MAX ||
	    g->cfg.cus_per_engine > ENGINE_CUS_MAX || g->cfg.inactive_cus > g->cfg.engines ||
	    !g->cfg.workers)
		return -EINVAL;
	spi = calloc(1, sizeof(*spi));
	if (!spi)
		return -ENOMEM;
	spi->ncus = n;
	spi->cus = calloc(n, sizeof(*spi->cus));
	spi->room = calloc(n, sizeof(*spi->room));
	if (!spi->cus || !spi->room)
		goto fail;
	for (i = 0; i < n; i++) {
		/*
		 * Neighbours in the search belong to different XCCs and engines. The inactive
		 * ones would be the last of all.
		 */
		spi->cus[i].xcc = i % g->cfg.xccs;
		spi->cus[i].engine = i / g->cfg.xccs % g->cfg.engines;
		spi->cus[i].index = i / gpu_engines(g);
		spi->room[i] = room_of(asic_of(g)->cu);
	}
	for (i = 0; i < XCCS_MAX; i++)
		spi->partition[i] = (struct partition){ .g = g, .xcc = i };
	g->spi = spi;
	spi->workers = cu_start(g, spi->cus, n, g->cfg.workers);
	if (spi->workers)
		return 0;
	g->spi = NULL;
fail:
	free(spi->cus);
	free(spi->room);
	free(spi);
	return -ENOMEM;
}

/**
 * spi_stop() - stop the workers, free the machine
 * @g:	device; all queues are gone
 */
void spi_stop(struct gpu *g)
{
	struct spi *spi = g->spi;

	cu_stop(spi->workers, spi->cus, spi->ncus);
	g->spi = NULL;
	free(spi->cus);
	free(spi->room);
	free(spi);
}
