// SPDX-License-Identifier: GPL-2.0
/* Unit tests of memory.c: DMA maps and the page walk of the 9.4.2. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/fault.h"
#include "bus/memory.h"
#include "vm/vm.h"
#include "tap.h"

#define VRAM_MB		64
#define RAM_BYTES	(1ull << 30)	/* more than VRAM: a lost SYSTEM bit shows */
#define RAM_HIGH	0x100000000ull	/* bus address of its second half */

#define V		1ull
#define S		2ull
#define R		0x20ull
#define W		0x40ull
#define FRAG(n)		((u64)(n) << 7)
#define LEAF		(1ull << 54)
#define FURTHER		(1ull << 56)
#define BFS9		(9ull << 59)

/* Tables in VRAM. */
#define PDB2		0x100000ull
#define PDB1		0x101000ull
#define PDB0		0x102000ull
#define PTB		0x103000ull
#define GART		0x200000ull

#define VMID		8
#define VA(i2, i1, i0, i)	((u64)(i2) << 39 | (u64)(i1) << 30 | (u64)(i0) << 21 | \
				 (u64)(i) << 12)
/* What translate_further gives: depth 2, blocks of 1 GiB (gfxhub_v1_0.c). */
#define CNTL_FURTHER	(1 | 2 << 1 | 9 << 3)
#define CNTL_FLAT	1

static struct gpu gpu = { .cfg = { .vram_mb = VRAM_MB } };
static unsigned int faults;
static u64 fault_va;
static enum vm_fault fault_why;

/* In the place of fault.c's. */
void fault_post(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why)
{
	(void)g;
	(void)vmid;
	(void)write;
	faults++;
	fault_va = va;
	fault_why = why;
}

static u64 *table(u64 addr)
{
	return mem_ptr(&gpu, addr, 4096, false);
}

static void context(unsigned int vmid, u32 cntl, u64 root, u64 start, u64 end)
{
	vm_set_field(&gpu, vmid, VM_CNTL, cntl);
	vm_set_field(&gpu, vmid, VM_START_LO, start >> 12);
	vm_set_field(&gpu, vmid, VM_START_HI, start >> 44);
	vm_set_field(&gpu, vmid, VM_END_LO, end >> 12);
	vm_set_field(&gpu, vmid, VM_END_HI, end >> 44);
	vm_set_base(&gpu, vmid, root);
}

/* Does @va of @vmid lead to @want, with @span contiguous bytes? */
static bool leads(unsigned int vmid, u64 va, const void *want, u64 span)
{
	size_t got = 0;
	void *p;

	mem_enter(&gpu);
	p = vm_ptr(&gpu, vmid, va, &got, false);
	mem_exit(&gpu);
	if (p != want || (span && got != span))
		printf("# 0x%llx: %p, wanted %p; %zu bytes, wanted %llu\n",
		       (unsigned long long)va, p, want, got, (unsigned long long)span);
	return p == want && (!span || got == span);
}

static bool faulted(unsigned int vmid, u64 va, bool write)
{
	size_t span;
	void *p;

	mem_enter(&gpu);
	p = vm_ptr(&gpu, vmid, va, &span, write);
	mem_exit(&gpu);
	return !p;
}

static void dma_maps(int ram)
{
	char word[4] = "abc", back[4];

	ok(!mem_dma_map(&gpu, 0, RAM_BYTES / 2, ram, 0, true), "map the low half of RAM");
	ok(!mem_dma_map(&gpu, RAM_HIGH, RAM_BYTES / 2, ram, RAM_BYTES / 2, true),
	   "map the high half");
	ok(mem_dma_map(&gpu, 0x1000, 0x1000, ram, 0, true) == -EEXIST, "overlap is refused");
	ok(mem_dma_map(&gpu, RAM_BYTES, 0, ram, 0, true) == -EINVAL, "an empty map is refused");
	ok(mem_dma_map(&gpu, ~0xfffull, 0x2000, ram, 0, true) == -EINVAL,
	   "a map past the last address is refused");
	ok(mem_dma_map(&gpu, RAM_BYTES, 0x2000, ram, RAM_BYTES - 0x1000, true) == -EINVAL,
	   "a map past the end of its file is refused");
	ok(!mem_dma_map(&gpu, 0xe0000000, 0x1000, ram, 0, false), "map a range read-only");
	ok(!mem_ptr(&gpu, 0xe0000000, 4, true), "it has no writable pointer");
	ok(!mem_dma_map(&gpu, 0xe0001000, 0x1000, -1, 0, true), "take a range without a file");
	ok(!mem_ptr(&gpu, 0xe0001000, 4, true), "it is not reachable");
	ok(mem_dma_unmap(&gpu, 0x1000, 0x1000) == -ENOENT, "part of a map does not unmap");
	ok(!mem_dma_unmap(&gpu, 0xe0000000, 0x2000), "two whole maps do");
	ok(!mem_ptr(&gpu, RAM_BYTES / 2 - 2, 4, true), "no pointer across the end of a map");
	ok(!mem_ptr(&gpu, (u64)VRAM_MB << 20, 1, false), "no pointer behind VRAM");
	ok(!mem_ptr(&gpu, ((u64)VRAM_MB << 20) - 2, 4, false), "nor across its end");
	ok(!vm_write(&gpu, 0, MEM_FB_BASE + 0x8fff, word, 4) &&
	   !vm_read(&gpu, 0, MEM_FB_BASE + 0x8fff, back, 4) && !memcmp(word, back, 4),
	   "copy across pages of the VRAM aperture");
}

static void gart(void)
{
	u64 *pte = table(GART);

	context(0, CNTL_FLAT, GART | V, 0x10000, 0x10000 + 0x200000 - 1);
	pte[0] = RAM_HIGH | V | S;
	pte[1] = 0x7000 | V;
	ok(leads(0, 0x10010, (u8 *)mem_ptr(&gpu, RAM_HIGH, 1, true) + 0x10, 0x1000 - 0x10),
	   "GART: a system page above the size of VRAM");
	ok(leads(0, 0x11000, mem_ptr(&gpu, 0x7000, 1, false), 0x1000), "GART: a page of VRAM");
	ok(faulted(0, 0x12000, false), "GART: an entry without V faults");
	ok(faulted(0, 0xf000, false) && faulted(0, 0x10000 + 0x200000, false),
	   "GART: below and above its range faults");
}

static void further(void)
{
	u64 *pdb2 = table(PDB2), *pdb1 = table(PDB1), *pdb0 = table(PDB0), *ptb = table(PTB);
	u8 *ram = mem_ptr(&gpu, 0, 1, true), *high = mem_ptr(&gpu, RAM_HIGH, 1, true);
	u64 sys_pdb0 = 0x5000;
	unsigned int n, i;

	context(VMID, CNTL_FURTHER, PDB2 | V, 0, (1ull << 48) - 1);
	pdb2[1] = PDB1 | V;
	pdb2[511] = PDB1 | V;
	pdb1[2] = PDB0 | V | BFS9;
	pdb0[3] = PTB | V | FURTHER;
	ptb[4] = (RAM_HIGH + 0x9000) | V | S | R | W;
	ptb[5] = 0x6000 | V | R;
	for (i = 0; i < 16; i++)
		ptb[16 + i] = (0x40000 + i * 0x1000) | V | S | R | W | FRAG(4);
	ptb[16 + 4] = 0x6000 | V | R;	/* one page of the fragment is another's now */
	/* Two MiB whose first byte is at no multiple of two MiB. */
	pdb0[6] = (RAM_HIGH + 0x84000) | V | S | R | W;
	pdb1[7] = 0x10000000 | V | S | R | W | LEAF;
	pdb1[8] = sys_pdb0 | V | S | BFS9;
	((u64 *)(ram + sys_pdb0))[1] = 0x3000 | V | R;

	ok(leads(VMID, VA(1, 2, 3, 4) + 8, high + 0x9008, 0xff8),
	   "a page behind a further bit, in system memory above the size of VRAM");
	ok(leads(VMID, VA(511, 2, 3, 4), high + 0x9000, 0x1000) &&
	   leads(VMID, ~0ull << 48 | VA(511, 2, 3, 4), high + 0x9000, 0x1000),
	   "the upper half's, also by a sign-extended address");
	ok(leads(VMID, VA(1, 2, 3, 5), mem_ptr(&gpu, 0x6000, 1, false), 0x1000),
	   "a page of VRAM");
	ok(leads(VMID, VA(1, 2, 3, 16 + 3), ram + 0x43000, 0x1000) &&
	   leads(VMID, VA(1, 2, 3, 16 + 4), mem_ptr(&gpu, 0x6000, 1, false), 0x1000),
	   "a page in a fragment's middle that became another, as KFD leaves it");
	ok(leads(VMID, VA(1, 2, 6, 0) + 0x1ff010, high + 0x84000 + 0x1ff010, 0x1000 - 0x10),
	   "a PDB0 entry without further is a leaf, its base is added");
	ok(leads(VMID, VA(1, 7, 0, 0) + 0x123456, ram + 0x10000000 + 0x123456, 0),
	   "a PDB1 entry with the leaf bit");
	ok(leads(VMID, VA(1, 8, 1, 0), mem_ptr(&gpu, 0x3000, 1, false), 0x200000),
	   "a directory in system memory");

	faults = 0;
	ok(faulted(VMID, VA(1, 2, 3, 9), false) && faults == 1 && fault_va == VA(1, 2, 3, 9) &&
	   fault_why == VM_FAULT_NO_PAGE, "an invalid page faults");
	ok(faulted(VMID, VA(1, 2, 3, 9), false) && faults == 1, "it is reported once");
	vm_flush(&gpu, 1 << VMID);
	ok(faulted(VMID, VA(1, 2, 3, 9), false) && faults == 2, "again after a flush");
	ok(faulted(VMID, VA(1, 2, 3, 5), true) && fault_why == VM_FAULT_WRITE,
	   "a write to a read-only page faults");
	ok(!faulted(VMID, VA(1, 2, 3, 5), false), "a read of it does not");
	ok(faulted(VMID, 1ull << 48, false), "an address of more than 48 bits faults");
	ok(faulted(VMID + 1, VA(1, 2, 3, 4), false), "a disabled context faults");

	n = vm_generation(&gpu, VMID);
	ptb[4] = 0x1000 | V | R;
	vm_flush(&gpu, 1 << VMID);
	ok(vm_generation(&gpu, VMID) != n &&
	   leads(VMID, VA(1, 2, 3, 4), mem_ptr(&gpu, 0x1000, 1, false), 0),
	   "a flush makes a changed entry visible");

	pdb0[3] = 0xfffffff000ull | V | FURTHER;
	pdb1[3] = 0xfffffff000ull | V | BFS9;
	pdb2[2] = 0xfffffff000ull | V | S;
	pdb1[4] = PDB0 | V | 31ull << 59;
	ptb[4] = 0xfffffff000ull | V | R;
	pdb0[7] = ((u64)VRAM_MB << 20) | V | R;
	vm_flush(&gpu, 1 << VMID);
	ok(faulted(VMID, VA(1, 2, 3, 4), false) && faulted(VMID, VA(1, 3, 0, 0), false) &&
	   faulted(VMID, VA(2, 0, 0, 0), false), "tables outside of memory fault");
	ok(faulted(VMID, VA(1, 4, 0, 0), false), "an absurd block fragment faults");
	ok(faulted(VMID, VA(1, 2, 7, 0), false), "a page outside of VRAM faults");

	ok(!faulted(VMID, VA(1, 7, 0, 0), false) && !mem_dma_unmap(&gpu, 0, RAM_BYTES / 2) &&
	   faulted(VMID, VA(1, 7, 0, 0), false), "a page faults once its memory is unmapped");
	vm_block.reset(&gpu);
	ok(faulted(VMID, VA(1, 2, 6, 0), false), "a reset forgets the tables");
}

int main(void)
{
	int ram = memfd_create("ram", 0);

	if (ram < 0 || ftruncate(ram, RAM_BYTES) || memory_block.start(&gpu) || vm_block.start(&gpu)) {
		printf("Bail out! no memory\n");
		return 1;
	}
	dma_maps(ram);
	gart();
	further();
	vm_block.free(&gpu);
	memory_block.free(&gpu);
	close(ram);
	return tap_done();
}
