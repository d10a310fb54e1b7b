/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stand-ins for the device's shell and for the instruction set, so that the
 * compute side is tested by itself: address spaces are arenas of host memory,
 * interrupts and log lines are kept, queue slots are plain structures, and
 * waves execute a toy program (enum toy_op) unless REAL_WAVES is defined.
 */
#ifndef GPU_MODEL_TESTS_FAKE_SHELL_H
#define GPU_MODEL_TESTS_FAKE_SHELL_H

#include "cp/queue/aql.h"
#include "vm/ih.h"

#define ARENAS		8
#define ARENA_BYTES	(256u << 20)
#define ARENA_VA	0x10000	/* addresses below are not mapped */

/* Toy instructions, 4 bytes each: opcode in the low byte, argument above. */
enum toy_op {
	TOY_END,	/* store a digest of all registers and LDS at kernarg + wave * 8 */
	TOY_MIX,	/* stir SGPRs, all VGPRs and a word of LDS */
	TOY_BARRIER,
	TOY_LOOP,	/* jump to the program's start until done arg times */
	TOY_SLEEP,	/* arg us */
	TOY_STALL,	/* keep the host thread busy for arg us of host time */
	TOY_WAIT,	/* spin until the word at kernarg - 8 is not 0 */
	TOY_LOAD,	/* read address arg * 4096 */
};

#define TOY(op, arg)	((u32)(op) | (u32)(arg) << 8)

/* Host pointer to @va of arena @a; NULL if not mapped. */
void *arena_ptr(unsigned int a, u64 va);
/* Make one page fault, or not. */
void arena_map(unsigned int a, u64 va, bool mapped);
void arenas_reset(void);

/* Arena that @vmid's page table leads to, 0 for none. */
unsigned int vmid_arena(unsigned int vmid);

unsigned int ih_count(u8 source);
struct ih_vector ih_last(u8 source);

/* Log lines that contain all of the given strings (b may be NULL). */
unsigned int log_count(const char *a, const char *b);
const char *log_text(void);
void log_reset(void);

/* The grace period of an XCC, in units of 1024 clocks. */
void fake_set_grace(unsigned int xcc, u8 units);
/* The first watch point's address. */
void fake_set_watch(u64 va);

struct sdma_user;
/* The SDMA queue with this MQD, NULL while it is not mapped. */
const struct sdma_user *fake_sdma(u64 mqd);

void fake_mec_reset(struct gpu *g);
/* Has a turn been asked for since the last call? */
bool fake_mec_kicked(void);
/* The earliest time for which one has been asked since then, or NEVER. */
u64 fake_mec_asked(void);
/* Enough bytes of a toy descriptor: see kernel_code_parse() in shell.c. */
void toy_kernel(void *kd, u64 entry, unsigned int vgprs, u32 lds, u32 scratch);

#endif
