// SPDX-License-Identifier: GPL-2.0
/*
 * Page tables of any content: whatever is found behind an address lies in VRAM or
 * in a map of the guest, and what the guest mapped read-only is not written.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "fuzz.h"
#include "vm/fault.h"

#define VRAM_MB		16
#define TABLES		0x100000ull	/* in VRAM, and in the guest's memory */
#define RAM		0x200000ull
#define RAM_BYTES	0x200000u
#define RAM_RO		0x40000000ull	/* bus address of a part that is read-only */
#define RAM_RO_BYTES	0x10000u
#define RAM_NONE	0x50000000ull	/* taken by the guest, not reachable */
#define RO_BYTE		0x5a

enum { CONTEXT, ENTRIES, RAM_ENTRIES, ACCESS, UNMAP, KINDS };

static u8 *vram, *ram, buffer[0x3000];
static int ram_fd, ro_fd;

/* In the place of fault.c's. */
void fault_post(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why)
{
	(void)g;
	(void)vmid;
	(void)va;
	(void)write;
	(void)why;
}

bool fault_post_retry(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why)
{
	fault_post(g, vmid, va, write, why);
	return true;
}

static void map_ram(void)
{
	mem_dma_unmap_all(&gpu);
	if (mem_dma_map(&gpu, RAM, RAM_BYTES, ram_fd, 0, true) ||
	    mem_dma_map(&gpu, RAM_RO, RAM_RO_BYTES, ro_fd, 0, false) ||
	    mem_dma_map(&gpu, RAM_NONE, 0x1000, -1, 0, true))
		abort();
	ram = mem_ptr(&gpu, RAM, RAM_BYTES, true);
}

static void fuzz_start(void)
{
	u8 page[4096];
	u32 i;

	gpu.cfg.vram_mb = VRAM_MB;
	fuzz_guard(VRAM_MB);
	ram_fd = memfd_create("ram", 0);
	ro_fd = memfd_create("read-only", 0);
	memset(page, RO_BYTE, sizeof(page));
	for (i = 0; i < RAM_RO_BYTES; i += sizeof(page))
		if (write(ro_fd, page, sizeof(page)) != sizeof(page))
			abort();
	if (ftruncate(ram_fd, RAM_BYTES) || memory_block.start(&gpu) || vm_block.start(&gpu))
		abort();
	vram = mem_ptr(&gpu, 0, (u64)VRAM_MB << 20, false);
}

static bool within(const u8 *p, u64 len, const u8 *begin, u64 size)
{
	return begin && p >= begin && p < begin + size && len <= size - (p - begin);
}

/* The end of what vm_ptr() says is behind @va must be of the same memory. */
static void look(unsigned int vmid, u64 va, bool write)
{
	size_t span = 0;
	u8 *p;

	mem_enter(&gpu);
	p = vm_ptr(&gpu, vmid, va, &span, write);
	if (p && !span)
		abort();
	if (p && !within(p, span, vram, (u64)VRAM_MB << 20) && !within(p, span, ram, RAM_BYTES))
		if (write || span > RAM_RO_BYTES || p[0] != RO_BYTE || p[span - 1] != RO_BYTE)
			abort();
	mem_exit(&gpu);
}

static void use(unsigned int vmid, const struct record *r)
{
	u64 va = r->word[0] | (u64)r->word[1] << 32;
	size_t len = r->word[2] % sizeof(buffer);

	vm_set_retry(&gpu, vmid, r->word[3] & 4);
	look(vmid, va, r->word[3] & 1);
	if (r->word[3] & 8)
		vm_read_retry(&gpu, vmid, va, buffer, len);
	else if (r->word[3] & 1)
		vm_write(&gpu, vmid, va, buffer, len);
	else
		vm_read(&gpu, vmid, va, buffer, len);
	look(vmid, va + len, false);
	if (r->word[3] & 2)
		vm_flush(&gpu, ~0u);
}

/* The context's fields are set in their order: control, base, start, end. */
static void context(unsigned int vmid, const struct record *r)
{
	unsigned int i;

	for (i = 0; i < VM_FIELDS; i++)
		vm_set_field(&gpu, vmid, i, r->word[i]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct record r;

	fuzz_clear_vram();
	map_ram();
	if (madvise(ram, RAM_BYTES, MADV_REMOVE))
		abort();
	vm_block.reset(&gpu);
	while (record_next(&data, &size, &r)) {
		unsigned int vmid = r.kind >> 4;
		u64 place = r.word[0] & 0x3ff8;

		switch (r.kind % 16 % KINDS) {
		case CONTEXT:
			context(vmid, &r);
			break;
		case ENTRIES:
			memcpy(vram + TABLES + place, r.word + 1, 4 * r.n);
			break;
		case RAM_ENTRIES:
			if (ram)
				memcpy(ram + place, r.word + 1, 4 * r.n);
			break;
		case ACCESS:
			use(vmid, &r);
			break;
		case UNMAP:
			if (r.word[0] & 1)
				mem_dma_unmap(&gpu, r.word[1], r.word[2]);
			else
				map_ram();
			ram = mem_ptr(&gpu, RAM, RAM_BYTES, true);
			break;
		}
	}
	return 0;
}

#define KIND(vmid, kind)	((vmid) << 4 | (kind))
#define ENTRY(e)		(u32)(e), (u32)((u64)(e) >> 32)
#define VA(va)			ENTRY(va)

static bool seed(unsigned int n)
{
	switch (n) {
	case 0:		/* a flat table of the kernel's */
		SEED(KIND(0, CONTEXT), 1, ENTRY(TABLES | 1), 0x10, 0, 0x20f, 0);
		SEED(KIND(0, ENTRIES), 0, ENTRY(RAM | 3), ENTRY(0x7001), ENTRY(RAM_RO | 3),
		     ENTRY(RAM_NONE | 3));
		SEED(KIND(0, ACCESS), VA(0x10ff8), 16, 1);
		SEED(KIND(0, ACCESS), VA(0x12000), 16, 1);
		SEED(KIND(0, ACCESS), VA(0x12010), 16, 0);
		SEED(KIND(0, ACCESS), VA(0x13000), 4, 2);
		return true;
	case 1:		/* directories, a further table, fragments, leaves */
		SEED(KIND(8, CONTEXT), 1 | 2 << 1 | 9 << 3, ENTRY(TABLES | 1), 0, 0, ~0u, 0);
		SEED(KIND(8, ENTRIES), 0, ENTRY((TABLES + 0x1000) | 1), ENTRY(RAM | 3));
		SEED(KIND(8, ENTRIES), 0x1000, ENTRY((TABLES + 0x2000) | 1 | 9ull << 59),
		     ENTRY(0x63 | 1ull << 54), ENTRY((RAM + 0x2000) | 3 | 9ull << 59));
		SEED(KIND(8, ENTRIES), 0x2000, ENTRY((TABLES + 0x3000) | 1 | 1ull << 56),
		     ENTRY((RAM + 0x84000) | 0x63), ENTRY(0xffe000 | 0x61));
		SEED(KIND(8, ENTRIES), 0x3000, ENTRY((RAM + 0x9000) | 0x63),
		     ENTRY(0x6000 | 0x21), ENTRY(0x40000 | 0x261), ENTRY(RAM_RO | 0x263));
		SEED(KIND(8, ACCESS), VA(0x8), 0x1ff0, 1);
		SEED(KIND(8, ACCESS), VA(0x3000), 0x100, 0);
		SEED(KIND(8, ACCESS), VA(0x200000), 0x100, 1);
		SEED(KIND(8, ACCESS), VA(0x401000), 0x100, 1);
		SEED(KIND(8, ACCESS), VA(1ull << 30), 8, 2);
		SEED(KIND(8, UNMAP), 1, RAM, RAM_BYTES);
		SEED(KIND(8, ACCESS), VA(0), 8, 1);
		return true;
	case 2:		/* the aperture of VRAM */
		SEED(KIND(0, ACCESS), VA(MEM_FB_BASE), 8, 1);
		SEED(KIND(0, ACCESS), VA(MEM_FB_BASE + (VRAM_MB << 20) - 4), 8, 0);
		return true;
	default:
		return false;
	}
}
