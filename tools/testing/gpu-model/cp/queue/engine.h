/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command processor's thread, which takes turns, and the lock that it holds meanwhile.
 */
#ifndef GPU_MODEL_ENGINE_H
#define GPU_MODEL_ENGINE_H

#include "gpu.h"

/*
 * Start the thread: @turn is one turn with mec_lock held, and returns whether one that
 * stopped in the middle of its packets wants another soon. 0 or -errno. No lock.
 */
int engine_start(struct gpu *g, bool (*turn)(struct gpu *g));
void engine_stop(struct gpu *g);	/* no lock; joins it */
void engine_destroy(struct gpu *g);	/* nobody kicks it any more */

/*
 * mec_lock for another thread than the command processor's, which yields to it
 * between its turns. That one comes here when a packet names a register whose
 * handler wants the lock; it has it already, and keeps it.
 */
void mec_lock(struct gpu *g);
void mec_unlock(struct gpu *g);

/* Ask for a turn soon. Any thread, no lock needed. */
void mec_kick(struct gpu *g);

/* Ask for a turn at or before model time @t. */
void mec_kick_at(struct gpu *g, u64 t);

/* Save or restore state with mec_lock dropped meanwhile; one thread at a time. */
void copy_begin(struct gpu *g);
void copy_end(struct gpu *g);

/* Wait until none is; mec_lock is dropped meanwhile. */
void copy_wait(struct gpu *g);

#endif
