/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compute units: waves in SIMD slots, executed by worker threads at the
 * model's pace.
 *
 * cu.lock protects a unit's slots, its waves and its lists of groups. A worker
 * holds it for one slice (SLICE_INSNS); others count themselves in cu.waiters
 * first, so that the worker gives way (cu_lock()). mec_lock may be held when
 * cu.lock is taken, never the other way round.
 */
#ifndef GPU_MODEL_CU_H
#define GPU_MODEL_CU_H

#include <stdatomic.h>
#include "gpu.h"
#include "host/params.h"
#include "isa/wave.h"

struct user_queue;
struct dispatch;
struct cu;

/**
 * struct group - a workgroup on the machine, or between two stays on it
 * @wg:		its waves and LDS
 * @q:		queue, valid while the group exists
 * @d:		dispatch (mec_lock)
 * @number:	linear number in the dispatch
 * @cu:		unit it occupies, NULL while it waits for room
 * @simd: @slot: place of each wave
 * @count:	wave counter of the engine and queue slot
 * @live:	waves not ended (cu.lock)
 * @vgprs: @sgprs: @lds: resources taken, in allocation granules
 * @scratch:	first scratch slot, or -1
 * @ready:	model time its waves may issue
 * @restored:	came from a save area: its first instruction is logged
 * @bytes:	of its records there
 * @next:	link in cu.groups, cu.done, or a list of the queue
 */
struct group {
	struct workgroup *wg;
	struct user_queue *q;
	struct dispatch *d;
	u64 number;
	struct cu *cu;
	u8 simd[WG_WAVES_MAX];
	u8 slot[WG_WAVES_MAX];
	atomic_uint *count;
	unsigned int live;
	u16 vgprs, sgprs;
	u32 lds;
	s32 scratch;
	u64 ready;
	bool restored;
	u32 bytes;
	struct group *next;
};

/**
 * struct wave_slot - one wave slot of a SIMD
 * @w:		wave, NULL when free
 * @grp:	its group
 * @ready:	model time from which it may issue
 * @halted:	stopped for good: by a fault or an error, or by its trap handler
 * @first:	restored and not run since
 */
struct wave_slot {
	struct wave *w;
	struct group *grp;
	u64 ready;
	bool halted;
	bool first;
};

/**
 * struct simd - one SIMD of a unit
 * @slot:	waves
 * @waves:	slots that it has, a power of two
 * @time:	model time of its next issue
 * @next:	slot whose turn it is
 */
struct simd {
	struct wave_slot slot[SIMD_WAVES];
	unsigned int waves;
	u64 time;
	unsigned int next;
};

struct worker;

/**
 * struct cu - one compute unit
 * @g:		device
 * @lock:	see the top of this file
 * @waiters:	threads other than the worker that want @lock
 * @simd:	SIMDs
 * @groups:	groups with waves in slots
 * @done:	groups whose waves all ended, for the command processor
 * @has_done:	@done is not empty; readable without @lock
 * @due: @changed: when something is to be executed, unless groups came since
 * @released:	a barrier was passed in this pass over the SIMDs
 * @copied_at:	model time at which it has read what waves on it were saved with (mec_lock)
 * @xcc: @engine: @index: place in the machine
 * @worker:	who executes it
 * @insns: @max_lag: statistics, written by the worker under @lock
 * @behind:	times it fell behind
 */
struct cu {
	struct gpu *g;
	pthread_mutex_t lock;
	atomic_int waiters;
	struct simd simd[CU_SIMDS];
	struct group *groups;
	struct group *done;
	atomic_bool has_done;
	u64 due;
	bool changed, released;
	u64 copied_at;
	unsigned int xcc, engine, index;
	struct worker *worker;
	u64 insns, max_lag, behind;
};

/* A unit's engine, its number among those of all XCCs. */
static inline unsigned int cu_engine(const struct gpu *g, const struct cu *cu)
{
	return cu->xcc * g->cfg.engines + cu->engine;
}

/* Start @n workers that share @cus units; 0 or -errno. */
struct worker *cu_start(struct gpu *g, struct cu *cus, unsigned int ncus, unsigned int n);
/* Stop and join them, log the statistics. */
void cu_stop(struct worker *workers, struct cu *cus, unsigned int ncus);

void cu_lock(struct cu *cu);
void cu_unlock(struct cu *cu);

/* Put a group's waves into the slots that grp->simd and grp->slot name. */
void cu_add(struct cu *cu, struct group *grp);

/* Take all groups of @q out of their slots; groups that are done stay in cu.done. */
struct group *cu_remove(struct cu *cu, struct user_queue *q);

/* Put back what cu_remove() took, for good stopped: its queue could not be saved. */
void cu_add_halted(struct cu *cu, struct group *grp);

/* End the waves of @vmid (0: all) where they are; their groups are done. */
void cu_kill(struct cu *cu, unsigned int vmid);

/* Take the list of finished groups. */
struct group *cu_reap(struct cu *cu);

#endif
