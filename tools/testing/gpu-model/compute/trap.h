/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trap handlers. The driver's, in the process' memory, is the first level: it
 * saves and restores waves, and hands whatever else a wave traps for to the
 * second level, which the process installed (AMDKFD_IOC_SET_TRAP_HANDLER).
 */
#ifndef GPU_MODEL_TRAP_H
#define GPU_MODEL_TRAP_H

#include "isa/wave.h"

struct group;
struct user_queue;

/**
 * struct trap_setup - how a process' waves trap: by MAP_PROCESS or its VMID's registers
 * @tba: @tma:	first-level handler, or 0, and what it reads
 * @debug:	SPI_GDBG_PER_VMID_CNTL: what a debugger wants of waves at their launch
 * @watch:	TCP_WATCHn_CNTL
 * @off:	waves enter it to be saved, and for nothing else (STATUS.TRAP_EN of RDNA)
 */
struct trap_setup {
	u64 tba, tma;
	u32 debug;
	u32 watch[WATCHES];
	bool off;
};

/* Waves of @q trap as @setup says. */
void trap_attach(struct user_queue *q, const struct trap_setup *setup);

/* A debugger's wishes for the waves of a new group. */
void trap_launch(struct group *grp);

/* Would an exception have the wave go to its trap handler now? */
bool trap_possible(const struct wave *w);

/**
 * trap_enter() - the wave goes to its trap handler
 * @w:	wave outside of it; pc where it shall return to
 * @id:	that of S_TRAP, or 0
 */
void trap_enter(struct wave *w, u32 id);

/* What S_SENDMSG of a wave in its group asks for, or tells the host. */
void trap_message(struct group *grp, struct wave *w);

/*
 * Waves off the machine finish their trap handlers: in these they cannot be saved.
 * False if one does not.
 */
bool trap_leave(struct user_queue *q);

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
