/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers share. To be included once by each, last: it silences the log
 * and gives the device a clock of its own, so that an input means the same in
 * every run.
 *
 * An input is a row of records: kind, number of words, words. The corpus folder
 * that the command line names gets the seeds first: inputs that make sense, for
 * libFuzzer to begin with.
 */
#ifndef GPU_MODEL_TESTS_FUZZ_H
#define GPU_MODEL_TESTS_FUZZ_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu.h"
#include "host/log.h"
#include "bus/memory.h"
#include "vm/vm.h"

#define RECORD_WORDS	255u

/**
 * struct record - a piece of an input
 * @kind:	what to do
 * @n: @word:	with what; those behind @n are 0
 */
struct record {
	u8 kind;
	u32 n;
	u32 word[RECORD_WORDS + 1];
};

/* Take the next record of the @size bytes at @data; false at the end. */
static inline bool record_next(const u8 **data, size_t *size, struct record *r)
{
	size_t bytes;

	if (*size < 2)
		return false;
	r->kind = (*data)[0];
	bytes = 4 * (*data)[1];
	*data += 2;
	*size -= 2;
	if (bytes > *size)
		bytes = *size & ~(size_t)3;
	r->n = bytes / 4;
	memset(r->word, 0, sizeof(r->word));
	memcpy(r->word, *data, bytes);
	*data += bytes;
	*size -= bytes;
	return true;
}

/* ---- seeds ---- */

static FILE *seed_file;

static inline void seed_bytes(const void *data, size_t size)
{
	if (seed_file && fwrite(data, 1, size, seed_file) != size)
		exit(1);
}

static inline void seed_record(u8 kind, const u32 *words, u8 n)
{
	const u8 head[2] = { kind, n };

	seed_bytes(head, sizeof(head));
	seed_bytes(words, 4 * n);
}

#define SEED(kind, ...) do {						\
	const u32 seed_words[] = { __VA_ARGS__ };			\
	seed_record(kind, seed_words, sizeof(seed_words) / 4);		\
} while (0)

/* Seed number @n, from 0 on: SEED() its records. False: there are no more. */
static bool seed(unsigned int n);

static inline void write_seeds(const char *folder)
{
	char path[4096];
	unsigned int n;
	bool more = true;

	for (n = 0; more; n++) {
		snprintf(path, sizeof(path), "%s/seed-%u", folder, n);
		seed_file = fopen(path, "wb");
		if (!seed_file) {
			fprintf(stderr, "%s: cannot write it\n", path);
			exit(1);
		}
		more = seed(n);
		fclose(seed_file);
		if (!more)
			remove(path);
	}
}

/* ---- the device ---- */

static struct gpu gpu;
static _Atomic u64 fuzz_clock;
static u64 fuzz_tick = 100;

/* What a fuzzer does once. */
static void fuzz_start(void);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int i;

	for (i = 1; i < *argc && (*argv)[i][0] == '-'; i++)
		;
	if (i < *argc)
		write_seeds((*argv)[i]);
	fuzz_start();
	return 0;
}

/* In the place of log.c's: time passes when somebody looks. */
u64 gpu_now(void)
{
	return atomic_fetch_add(&fuzz_clock, fuzz_tick) + 1000000000;
}

void log_event(const char *event, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	(void)event;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
}

/*
 * Have VRAM of @mb MiB, which the memory block is about to map, lie between two pages
 * that nobody may touch: the sanitizers know nothing of its bounds.
 */
static inline void fuzz_guard(unsigned int mb)
{
	size_t size = (size_t)mb << 20, page = 4096;
	u8 *hole = mmap(NULL, size + 2 * page, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (hole == MAP_FAILED || munmap(hole + page, size))
		abort();
}

/* All of VRAM reads zeros again. */
static inline void fuzz_clear_vram(void)
{
	if (madvise(mem_ptr(&gpu, 0, 1, false), mem_vram_size(&gpu), MADV_REMOVE))
		abort();
}

/* A process whose VMID sees the first 4 MiB of VRAM; its tables lie from there on. */
#define FUZZ_VMID		8u
#define FUZZ_PASID		0x8003
#define FUZZ_REACH		0x400000u
#define FUZZ_PDB2		0x400000ull
#define FUZZ_PDB1		0x401000ull
#define FUZZ_PDB0		0x402000ull
#define FUZZ_PTE		0x61ull			/* valid, readable, writable */
#define FUZZ_CNTL		(1 | 2 << 1 | 9 << 3)	/* two levels, as amdgpu has it */

static inline u32 *fuzz_vram(u64 off)
{
	return mem_ptr(&gpu, off, 4, false);
}

static inline void fuzz_tables(unsigned int vmid)
{
	u64 *pdb0 = (u64 *)fuzz_vram(FUZZ_PDB0);

	*(u64 *)fuzz_vram(FUZZ_PDB2) = FUZZ_PDB1 | 1;
	*(u64 *)fuzz_vram(FUZZ_PDB1) = FUZZ_PDB0 | 1 | 9ull << 59;
	pdb0[0] = FUZZ_PTE;
	pdb0[1] = 0x200000 | FUZZ_PTE;
	vm_set_field(&gpu, vmid, VM_CNTL, FUZZ_CNTL);
	vm_set_field(&gpu, vmid, VM_START_LO, 0);
	vm_set_field(&gpu, vmid, VM_START_HI, 0);
	vm_set_field(&gpu, vmid, VM_END_LO, ~0u);
	vm_set_field(&gpu, vmid, VM_END_HI, 0);
	vm_set_base(&gpu, vmid, FUZZ_PDB2 | 1);
}

/* Words to VRAM where the process sees it; the first says where. */
static inline void fuzz_poke(const struct record *r)
{
	u32 i;

	for (i = 1; i < r->n; i++)
		*fuzz_vram(((u64)r->word[0] + 4 * (i - 1)) % FUZZ_REACH & ~3ull) = r->word[i];
}

#endif
