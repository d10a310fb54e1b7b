/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waves that save and restore themselves by their process' trap handler, as the
 * hardware has them do. The handler is the driver's, in the process' memory.
 */
#ifndef GPU_MODEL_TRAP_H
#define GPU_MODEL_TRAP_H

#include "aql.h"

/* Is there a handler, and is it to be used now, to @save or to restore (gpu_config.cwsr)? */
bool trap_usable(const struct user_queue *q, bool save);

/**
 * trap_save() - the waves of a group store themselves
 * @q:		its queue, for which trap_usable() is true; no lock
 * @grp:	group off the machine; its waves are spoilt
 * @va:		where each wave's record begins, 0 for waves without one
 *
 * Return: 0, -EFAULT for a page fault, -EIO when the handler went astray.
 */
int trap_save(struct user_queue *q, struct group *grp, const u64 *va);

/* The waves of a group, just allocated, load themselves; as trap_save(). */
int trap_restore(struct user_queue *q, struct group *grp, const u64 *va);

#endif
