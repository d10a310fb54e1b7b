/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault knobs: what a test may make the device do wrong. A knob is armed for a
 * number of times and fires at the next occasions; the room concerned asks at
 * each of them, which costs one load while nothing is armed.
 */
#ifndef GPU_MODEL_FAULT_H
#define GPU_MODEL_FAULT_H

#include <stdio.h>

#include "gpu.h"

enum fault {
	FAULT_HANG_PREEMPTION,
	FAULT_DELAY_PREEMPTION,
	FAULT_SLOW_SAVE,
	FAULT_LOSE_FENCE,
	FAULT_REFUSE_RESTORE,
	FAULT_LOSE_INTERRUPT,
	FAULT_CORRUPT_PACKET,
	FAULT_CORRUPT_HIQ_PACKET,
	FAULT_STALL_WAVE,
	FAULT_CORRUPT_SAVE,
	FAULT_RESET,
	FAULTS,
};

#define FAULT_NO_ARG	UINT64_MAX

/* Room for the longest answer. */
#define FAULT_ANSWER	1024

/**
 * fault_hit() - does the fault happen now?
 * @f:		fault
 * @arg:	out, may be NULL: its argument, FAULT_NO_ARG when it was given none
 *
 * Return: true if it was armed; counted and logged. Any thread.
 */
bool fault_hit(enum fault f, u64 *arg);

/* As fault_hit(), for a fault whose argument, if given, says which value is meant. */
bool fault_hit_on(enum fault f, u64 value);

/* How much longer, in ns, it takes to save waves of a queue whose ring is at that address. */
u64 fault_save_ns(u64 ring);

/* When a preemption ends that would at model time @end: faults may delay or hang it. */
u64 fault_preempt_end(u64 end);

/**
 * fault_command() - one line of text: NAME[=ARG][,COUNT], status [NAME] or off
 * @line:	the line, without its end
 * @answer:	out: one line that begins with "ok" or "error:"
 *
 * Return: true if it was obeyed.
 */
bool fault_command(const char *line, char answer[FAULT_ANSWER]);

/* The knobs, a line each, for --help. */
void fault_help(FILE *f);

#endif
