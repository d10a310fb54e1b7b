// SPDX-License-Identifier: GPL-2.0
/*
 * Compute units: each SIMD has a clock of its own, which advances by param.issue_ns
 * an instruction and is kept just behind model time by a worker. Waves of a
 * SIMD take turns. A unit without a wave that can issue costs nothing: its
 * worker is not run until a wave's s_sleep ends or a workgroup is launched.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

#include "asic.h"
#include "compute/cu.h"
#include "compute/interrupt.h"
#include "compute/queue.h"
#include "compute/trap.h"
#include "host/clock.h"
#include "host/fault.h"
#include "host/log.h"
#include "bus/memory.h"
#include "bus/pci.h"
#include "vm/vm.h"

#define SQ_ERROR(type)		((type) << 20)

/**
 * struct worker - executes the waves of some units
 * @cus: @ncus: @first: @step: its units are first, first + step, ...
 */
struct worker {
	struct actor actor;
	struct gpu *g;
	struct cu *cus;
	unsigned int ncus, first, step;
};

void cu_lock(struct cu *cu)
{
	atomic_fetch_add(&cu->waiters, 1);
	pthread_mutex_lock(&cu->lock);
	atomic_fetch_sub(&cu->waiters, 1);
}

void cu_unlock(struct cu *cu)
{
	pthread_mutex_unlock(&cu->lock);
}

static struct wave_slot *group_slot(struct cu *cu, const struct group *grp, unsigned int i)
{
	return &cu->simd[grp->simd[i]].slot[grp->slot[i]];
}

static void cu_insert(struct cu *cu, struct group *grp, bool halted)
{
	unsigned int i;

	cu_lock(cu);
	grp->live = 0;
	for (i = 0; i < grp->wg->nwaves; i++) {
		struct wave *w = &grp->wg->waves[i];

		if (w->ended)
			continue;
		*group_slot(cu, grp, i) = (struct wave_slot){
			.w = w,
			.grp = grp,
			.ready = w->wake_at > grp->ready ? w->wake_at : grp->ready,
			.halted = halted || w->status & STATUS_HALT,
			.first = grp->restored,
		};
		grp->live++;
	}
	atomic_fetch_add(grp->count, grp->live);
	grp->next = cu->groups;
	cu->groups = grp;
	cu->changed = true;
	cu_unlock(cu);
	actor_kick(&cu->worker->actor);
}

/**
 * cu_add() - give a group's waves the slots it names
 * @cu:		unit
 * @grp:	group; waves that already ended take no slot
 */
void cu_add(struct cu *cu, struct group *grp)
{
	cu_insert(cu, grp, false);
}

/**
 * cu_add_halted() - put back what cu_remove() took, never to run again
 * @cu:		unit
 * @grp:	group whose queue could not be saved
 */
void cu_add_halted(struct cu *cu, struct group *grp)
{
	cu_insert(cu, grp, true);
}

/**
 * cu_remove() - take a queue's groups off a unit, between two instructions
 * @cu:	unit
 * @q:	queue
 *
 * Return: list of groups; the caller is their only user.
 */
struct group *cu_remove(struct cu *cu, struct user_queue *q)
{
	struct group **p = &cu->groups, *list = NULL;
	unsigned int i;

	cu_lock(cu);
	while (*p) {
		struct group *grp = *p;

		if (grp->q != q) {
			p = &grp->next;
			continue;
		}
		*p = grp->next;
		for (i = 0; i < grp->wg->nwaves; i++) {
			struct wave_slot *slot = group_slot(cu, grp, i);

			if (slot->grp == grp)
				*slot = (struct wave_slot){};
		}
		atomic_fetch_sub(grp->count, grp->live);
		grp->next = list;
		list = grp;
	}
	cu_unlock(cu);
	return list;
}

/**
 * cu_reap() - take the groups that ended
 * @cu:	unit
 *
 * Return: list of groups.
 */
struct group *cu_reap(struct cu *cu)
{
	struct group *list;

	if (!atomic_load(&cu->has_done))
		return NULL;
	cu_lock(cu);
	list = cu->done;
	cu->done = NULL;
	atomic_store(&cu->has_done, false);
	cu_unlock(cu);
	return list;
}

/* Layout SQ_INTERRUPT_WORD_WAVE_CTXID (gc_9_0_sh_mask.h). */
/* The wave in @slot is no more. */
static void wave_gone(struct cu *cu, struct wave_slot *slot, const char *event)
{
	struct group *grp = slot->grp, **p;

	log_event(event, "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
		  " wave=%u pc=%#" PRIx64 " insns=%" PRIu64, grp->q->h->doorbell,
		  grp->q->pasid, grp->d->packet, grp->number, slot->w->index,
		  slot->w->last_pc, slot->w->insns);
	*slot = (struct wave_slot){};
	atomic_fetch_sub(grp->count, 1);
	if (--grp->live)
		return;
	for (p = &cu->groups; *p != grp; p = &(*p)->next)
		;
	*p = grp->next;
	grp->next = cu->done;
	cu->done = grp;
	atomic_store(&cu->has_done, true);
	cu->g->kick(cu->g);
}

/**
 * cu_kill() - SQ_CMD: end waves without more ado
 * @cu:		unit
 * @vmid:	whose; 0: all
 */
void cu_kill(struct cu *cu, unsigned int vmid)
{
	unsigned int i, j;

	cu_lock(cu);
	for (i = 0; i < CU_SIMDS; i++) {
		for (j = 0; j < SIMD_WAVES; j++) {
			struct wave_slot *slot = &cu->simd[i].slot[j];

			if (!slot->w || (vmid && slot->grp->q->vmid != vmid))
				continue;
			slot->w->ended = true;
			wave_gone(cu, slot, "wave-kill");
		}
	}
	cu_unlock(cu);
}

static void barrier_check(struct cu *cu, struct group *grp, u64 now)
{
	unsigned int i;

	if (!wg_barrier_done(grp->wg))
		return;
	cu->released = true;
	for (i = 0; i < grp->wg->nwaves; i++) {
		struct wave_slot *slot = group_slot(cu, grp, i);

		if (slot->grp == grp)
			slot->ready = now;
	}
}

static void wave_halt(struct cu *cu, struct wave_slot *slot, const char *why)
{
	slot->halted = true;
	log_event("wave-halt", "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
		  " wave=%u why=%s pc=%#" PRIx64 " va=%#" PRIx64, slot->grp->q->h->doorbell,
		  slot->grp->q->pasid, slot->grp->d->packet, slot->grp->number,
		  slot->w->index, why, slot->w->pc, slot->w->fault_va);
	log_warn("cu %u.%u.%u: wave halted: %s at pc %#" PRIx64, cu->xcc, cu->engine, cu->index,
		 why, slot->w->pc);
}

/* The fault of that name: stop a wave for @us, or for good. */
static void wave_stall(struct wave_slot *slot, u64 now, u64 us)
{
	log_event("wave-stall", "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64 " wave=%u",
		  slot->grp->q->h->doorbell, slot->grp->q->pasid, slot->grp->d->packet,
		  slot->grp->number, slot->w->index);
	if (us != FAULT_NO_ARG) {
		slot->ready = now + us * NS_PER_US;
		return;
	}
	slot->halted = true;
	atomic_store(&slot->grp->q->stalled, true);
}

static void wave_trap(struct wave_slot *slot, const char *why, u32 id)
{
	log_event("wave-trap", "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
		  " wave=%u why=%s id=%u pc=%#" PRIx64, slot->grp->q->h->doorbell,
		  slot->grp->q->pasid, slot->grp->d->packet, slot->grp->number,
		  slot->w->index, why, id, slot->w->pc);
	trap_enter(slot->w, id);
}

/*
 * Why a wave stops that is to go to its trap handler.
 * @why:	for the log
 * @error:	what the sequencer itself tells the host (SQ_INTERRUPT_ERROR_TYPE_*)
 * @halts:	without a handler it goes no further; with @lasting saved waves neither
 */
static const struct exception {
	const char *why;
	u32 error;
	bool halts, lasting;
} exceptions[] = {
	[WAVE_ILLEGAL] = { "illegal", SQ_ERROR(1), true, true },
	/* vm_retry() raised the fault's own; the access is made again after a restore. */
	[WAVE_FAULT] = { "fault", SQ_ERROR(2), true, false },
	[WAVE_TRAP] = { "trap", 0, false, false },
	[WAVE_WATCH] = { "watch", 0, false, false },
};

static void wave_exception(struct cu *cu, struct wave_slot *slot, enum wave_stop stop)
{
	const struct exception *e = &exceptions[stop];
	struct user_queue *q = slot->grp->q;
	struct wave *w = slot->w;
	bool inside = wave_in_handler(w);

	if (e->error)
		sq_interrupt(slot->grp, w, SQ_ENCODING_ERROR, e->error);
	if (trap_possible(w)) {
		if (stop == WAVE_TRAP)
			w->pc -= 4;		/* the handler has to step over it */
		wave_trap(slot, e->why, stop == WAVE_TRAP ? w->trap_id : 0);
		return;
	}
	if (!e->halts)
		return;
	wave_halt(cu, slot, e->why);
	if (e->lasting)
		w->status |= STATUS_HALT;
	if (inside)		/* it never comes to where it could be saved */
		atomic_store(&q->stalled, true);
}

/* What follows from the reason for which the wave in @slot stopped. */
static void wave_stopped(struct cu *cu, struct simd *s, struct wave_slot *slot,
			 enum wave_stop stop)
{
	struct group *grp = slot->grp;

	slot->ready = s->time;
	switch (stop) {
	case WAVE_BUDGET:
		break;
	case WAVE_SLEEP:
		if (slot->w->wake_at > s->time)
			slot->ready = slot->w->wake_at;
		break;
	case WAVE_BARRIER:
		barrier_check(cu, grp, s->time);
		break;
	case WAVE_END:
		wave_gone(cu, slot, "wave-end");
		if (grp->live)
			barrier_check(cu, grp, s->time);
		break;
	case WAVE_RETRY:
		slot->ready += param.xnack_retry_ns;
		break;
	case WAVE_FAULT:
	case WAVE_ILLEGAL:
	case WAVE_TRAP:
	case WAVE_WATCH:
		wave_exception(cu, slot, stop);
		break;
	case WAVE_MSG:
		trap_message(grp, slot->w);
		break;
	case WAVE_RFE:
		if (slot->w->status & STATUS_HALT)
			wave_halt(cu, slot, "handler");
		break;
	}
}

/* Single step: a trap after each instruction outside of the handler. */
static bool steps(const struct wave *w)
{
	return w->mode & MODE_DEBUG_EN && trap_possible(w);
}

static void wave_stepped(struct wave_slot *slot)
{
	const struct wave *w = slot->w;

	if (w && !slot->halted && !w->at_barrier && !wave_in_handler(w))
		wave_trap(slot, "step", 0);
}

/*
 * The wave whose turn it is at @s's time, or else the one that is ready first.
 * @n: out: waves that could issue now.
 */
static struct wave_slot *simd_pick(struct simd *s, unsigned int *n)
{
	struct wave_slot *now = NULL, *later = NULL;
	unsigned int i;

	*n = 0;
	for (i = 0; i < s->waves; i++) {
		struct wave_slot *slot = &s->slot[(s->next + i) & (s->waves - 1)];

		if (!slot->w || slot->halted || slot->w->at_barrier)
			continue;
		if (slot->ready <= s->time) {
			(*n)++;
			if (!now)
				now = slot;
		} else if (!later || slot->ready < later->ready) {
			later = slot;
		}
	}
	return now ? now : later;
}

/* Too late to be true to model time: say so and go on from now. */
static void simd_lag(struct cu *cu, struct simd *s)
{
	u64 now = gpu_now(), lag = now - s->time;

	if (lag > cu->max_lag)
		cu->max_lag = lag;
	if (lag <= BEHIND_NS)
		return;
	cu->behind++;
	log_event("behind", "xcc=%u engine=%u cu=%u simd=%u us=%" PRIu64, cu->xcc, cu->engine,
		  cu->index, (unsigned int)(s - cu->simd), lag / NS_PER_US);
	s->time = now;
}

/*
 * Execute a few instructions of one wave, if one is due before @now.
 * Return: 0, or the model time at which something will be due.
 */
static u64 simd_step(struct cu *cu, struct simd *s, u64 now, u32 *done)
{
	struct wave_slot *slot;
	enum wave_stop stop;
	bool stepping, woken = false;
	u32 budget, given;
	unsigned int n;
	u64 due, us;

	slot = simd_pick(s, &n);
	if (!slot)
		return NEVER;
	if (slot->ready > s->time) {
		if (slot->ready > now)
			return slot->ready;
		s->time = slot->ready;
		woken = true;
		n = 1;
	}
	if (s->time > now)
		return s->time;
	simd_lag(cu, s);
	if (s->time > now)
		return s->time;

	due = (now - s->time) / param.issue_ns / n + 1;
	stepping = steps(slot->w);
	given = stepping ? 1 : due < SLICE_INSNS ? due : SLICE_INSNS;
	budget = given;
	if (slot->first) {
		slot->first = false;
		log_event("wave-resume", "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
			  " wave=%u pc=%#" PRIx64 " insns=%" PRIu64, slot->grp->q->h->doorbell,
			  slot->grp->q->pasid, slot->grp->d->packet, slot->grp->number,
			  slot->w->index, slot->w->pc, slot->w->insns);
	}
	if (fault_hit(FAULT_STALL_WAVE, &us)) {
		wave_stall(slot, s->time, us);
		return 0;
	}
	stop = wave_run(slot->w, &budget);
	*done = given - budget;
	s->time += (*done ? *done : 1) * param.issue_ns;
	if (woken)
		s->time = (s->time + BEAT_NS / 2) / BEAT_NS * BEAT_NS;
	cu->insns += *done;
	s->next = (slot - s->slot + 1) & (s->waves - 1);
	wave_stopped(cu, s, slot, stop);
	if (stepping && stop != WAVE_RETRY)
		wave_stepped(slot);
	return 0;
}

/* Let others have the unit between two slices. */
static void cu_give_way(struct cu *cu)
{
	unsigned int tries = 0;

	mem_exit(cu->g);
	pthread_mutex_unlock(&cu->lock);
	pci_flush(cu->g);
	while (atomic_load(&cu->waiters) && tries++ < 1000)
		sched_yield();
	pthread_mutex_lock(&cu->lock);
	mem_enter(cu->g);
}

/* Execute what is due in a unit. Return: model time of its next need. */
static u64 cu_pass(struct cu *cu, u64 now)
{
	u64 due, next;
	unsigned int i, slice = 0;
	u32 done = 0;

	pthread_mutex_lock(&cu->lock);
	if (!cu->changed && cu->due > now) {
		next = cu->due;
		pthread_mutex_unlock(&cu->lock);
		return next;
	}
	cu->changed = false;
	mem_enter(cu->g);
	do {
		/* A barrier may release waves of a SIMD that had nothing to do. */
		cu->released = false;
		next = NEVER;
		for (i = 0; i < CU_SIMDS; i++) {
			while (!(due = simd_step(cu, &cu->simd[i], now, &done))) {
				slice += done;
				if (slice < SLICE_INSNS && !atomic_load(&cu->waiters))
					continue;
				cu_give_way(cu);
				slice = 0;
			}
			if (due < next)
				next = due;
		}
	} while (cu->released);
	cu->due = next;
	mem_exit(cu->g);
	pthread_mutex_unlock(&cu->lock);
	pci_flush(cu->g);
	return next;
}

/*
 * Execute what is due in all units of a worker: in virtual time at the very time of each
 * instruction, in real time not more often than is worth it.
 */
static u64 worker_run(void *arg)
{
	struct worker *wk = arg;
	u64 now = gpu_now(), due, next = NEVER;
	unsigned int i;

	for (i = wk->first; i < wk->ncus; i += wk->step) {
		due = cu_pass(&wk->cus[i], now);
		if (due < next)
			next = due;
	}
	return clock_shared() || next > now + THREAD_SLICE_NS ? next : now + THREAD_SLICE_NS;
}

/**
 * cu_start() - start what executes waves
 * @g:		device
 * @cus:	units, their place already set
 * @ncus:	how many
 * @n:		workers: threads, in real time
 *
 * Return: array of @n workers ended by one without a device, or NULL.
 */
struct worker *cu_start(struct gpu *g, struct cu *cus, unsigned int ncus, unsigned int n)
{
	struct worker *workers = calloc(n + 1, sizeof(*workers));
	unsigned int i, s;

	if (!workers)
		return NULL;
	for (i = 0; i < ncus; i++) {
		cus[i].g = g;
		cus[i].worker = &workers[i % n];
		for (s = 0; s < CU_SIMDS; s++)
			cus[i].simd[s].waves = asic_of(g)->cu->waves;
		pthread_mutex_init(&cus[i].lock, NULL);
	}
	for (i = 0; i < n; i++) {
		struct worker *wk = &workers[i];

		*wk = (struct worker){
			.g = g, .cus = cus, .ncus = ncus, .first = i, .step = n,
		};
		if (actor_start(&wk->actor, "gpu-waves", worker_run, wk)) {
			wk->g = NULL;
			cu_stop(workers, cus, 0);
			return NULL;
		}
	}
	return workers;
}

/**
 * cu_stop() - stop the workers and report what they did
 * @workers:	from cu_start()
 * @cus: @ncus:	units
 */
void cu_stop(struct worker *workers, struct cu *cus, unsigned int ncus)
{
	u64 insns = 0, lag = 0, behind = 0;
	struct worker *wk;
	unsigned int i;

	for (wk = workers; wk->g; wk++)
		actor_stop(&wk->actor);
	free(workers);
	for (i = 0; i < ncus; i++) {
		insns += cus[i].insns;
		behind += cus[i].behind;
		if (cus[i].max_lag > lag)
			lag = cus[i].max_lag;
	}
	log_event("machine-stop", "insns=%" PRIu64 " max-lag-us=%" PRIu64 " behind=%" PRIu64,
		  insns, lag / NS_PER_US, behind);
}
