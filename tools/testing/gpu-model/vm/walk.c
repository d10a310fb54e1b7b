// SPDX-License-Identifier: GPL-2.0
/* The GPU's page tables, and what was found in them; see walk.h. */
#include <errno.h>
#include <stdlib.h>

#include "bus/memory.h"
#include "walk.h"

#define PAGE_SHIFT	12
#define PAGE		(1ull << PAGE_SHIFT)
#define ADDR_BITS	48

/* Entries of page directories and tables (amdgpu_vm.h). */
#define PTE_VALID	(1ull << 0)
#define PTE_SYSTEM	(1ull << 1)
#define PTE_EXECUTE	(1ull << 4)
#define PTE_READ	(1ull << 5)
#define PTE_WRITE	(1ull << 6)
#define PTE_PRT		(1ull << 51)
#define PDE_PTE		(1ull << 54)	/* the directory entry is a leaf */
#define PTE_FURTHER	(1ull << 56)	/* the entry of a block table points to a table */
#define PDE_BFS(p)	((unsigned int)((p) >> 59))
#define PTE_ADDR(p)	((p) & 0xfffffffff000ull)
#define PDE_ADDR(p)	((p) & 0xffffffffffc0ull)

/*
 * Combinations without sense: the driver found nothing to map, the access is not
 * to be tried again (AMDGPU_VM_NORETRY_FLAGS, and _TF in the tables of pages).
 */
#define PDE_NO_RETRY	(PTE_EXECUTE | PDE_PTE | PTE_FURTHER)
#define PTE_NO_RETRY	(PTE_VALID | PTE_SYSTEM | PTE_PRT)

#define CNTL_ENABLE(c)	((c) & 1)
#define CNTL_DEPTH(c)	((c) >> 1 & 3)
#define CNTL_BLOCK(c)	((c) >> 3 & 15)
#define CNTL_RETRY(c)	((c) >> 7 & 1)	/* permission or invalid page */

#define TLB_ENTRIES	256

/* A thread's translations; valid while the VMID's generation is @gen. */
struct tlb_entry {
	u64 page;		/* va >> 12 */
	u8 *host;		/* of the page's first byte */
	u64 span;		/* contiguous bytes from the page's first byte */
	const struct mem *mem;
	u32 gen;
	u8 vmid;
	bool write;
};

static _Thread_local struct tlb_entry tlb[TLB_ENTRIES];

int vm_create(struct gpu *g)
{
	g->vm = calloc(1, sizeof(*g->vm));
	if (!g->vm)
		return -ENOMEM;
	pthread_mutex_init(&g->vm->fault_lock, NULL);
	return 0;
}

void vm_destroy(struct gpu *g)
{
	if (!g->vm)
		return;
	pthread_mutex_destroy(&g->vm->fault_lock);
	free(g->vm);
	g->vm = NULL;
}

void vm_reset(struct gpu *g)
{
	unsigned int v, f;

	for (v = 0; v < VM_COUNT; v++) {
		atomic_store(&g->vm->retry[v], false);
		atomic_store(&g->vm->hub[v], 0);
		for (f = 0; f < VM_FIELDS; f++)
			atomic_store(&g->vm->ctx[v][f], 0);
	}
	vm_flush(g, 0xffff);
}

void vm_set_field(struct gpu *g, unsigned int vmid, enum vm_field f, u32 val)
{
	if (vmid >= VM_COUNT)
		return;
	atomic_store(&g->vm->ctx[vmid][f], val);
	if (f <= VM_BASE_HI)
		vm_flush(g, 1u << vmid);
}

void vm_set_base(struct gpu *g, unsigned int vmid, u64 pde)
{
	if (vmid >= VM_COUNT)
		return;
	atomic_store(&g->vm->ctx[vmid][VM_BASE_LO], (u32)pde);
	atomic_store(&g->vm->ctx[vmid][VM_BASE_HI], (u32)(pde >> 32));
	vm_flush(g, 1u << vmid);
}

void vm_flush(struct gpu *g, u32 mask)
{
	unsigned int v;

	for (v = 0; v < VM_COUNT; v++)
		if (mask & 1u << v)
			atomic_fetch_add(&g->vm->gen[v], 1);
}

void vm_invalidate(struct gpu *g, u32 mask)
{
	vm_flush(g, mask);
	mem_wait(g);	/* all that used what was there have left */
}

void vm_set_retry(struct gpu *g, unsigned int vmid, bool on)
{
	if (vmid < VM_COUNT)
		atomic_store(&g->vm->retry[vmid], on);
}

bool vm_retries(struct gpu *g, unsigned int vmid)
{
	struct vm *vm = g->vm;

	vmid %= VM_COUNT;
	return vmid && atomic_load(&vm->retry[vmid]) &&
	       CNTL_RETRY(atomic_load(&vm->ctx[vmid][VM_CNTL]));
}

void vm_set_hub(struct gpu *g, unsigned int vmid, unsigned int xcc)
{
	if (vmid < VM_COUNT)
		atomic_store(&g->vm->hub[vmid], xcc);
}

unsigned int vm_hub(struct gpu *g, unsigned int vmid)
{
	return atomic_load(&g->vm->hub[vmid % VM_COUNT]);
}

u32 vm_generation(struct gpu *g, unsigned int vmid)
{
	return mem_generation(g) +
	       atomic_load_explicit(&g->vm->gen[vmid % VM_COUNT], memory_order_acquire);
}

static u64 ctx_u64(struct vm *vm, unsigned int vmid, enum vm_field lo)
{
	return atomic_load(&vm->ctx[vmid][lo]) |
	       (u64)atomic_load(&vm->ctx[vmid][lo + 1]) << 32;
}

/* Read entry @index of the table at @addr; false if it lies nowhere. */
static bool read_entry(struct gpu *g, u64 addr, bool system, u64 index, u64 *out)
{
	u64 len;
	u8 *p = mem_at(g, addr + index * 8, system, false, &len);

	if (!p || len < 8 || (uintptr_t)p & 7)
		return false;
	*out = __atomic_load_n((u64 *)p, __ATOMIC_ACQUIRE);
	return true;
}

const char vm_not_readable[] = "not readable", vm_not_writable[] = "not writable";
const char vm_no_table[] = "invalid directory entry", vm_no_page[] = "invalid page";
static const char refused[] = "nothing that the driver could map";

static const char *invalid(u64 entry, const char *why)
{
	return (entry & PDE_NO_RETRY) == PDE_NO_RETRY ? refused : why;
}

/*
 * Walk the tables for @va. A leaf gives its entry and how many bits of the
 * address lie within it.
 *
 * With depth D there are D directory levels above the block table. The entry of
 * the last directory says by its block fragment size how much an entry of the
 * block table covers (2^(12+bfs) bytes); such an entry is a page, or, with the
 * "further" bit, a pointer to the table of 4 KiB pages. amdgpu sets the
 * 9.4.2 up with D = 2 and bfs = 9, so its PDB0 is the block table.
 */
static const char *walk(struct gpu *g, unsigned int vmid, u64 va, u64 *leaf,
			unsigned int *leaf_shift)
{
	struct vm *vm = g->vm;
	u32 cntl = atomic_load(&vm->ctx[vmid][VM_CNTL]);
	u64 root = ctx_u64(vm, vmid, VM_BASE_LO);
	u64 start = ctx_u64(vm, vmid, VM_START_LO) << PAGE_SHIFT;
	u64 end = (ctx_u64(vm, vmid, VM_END_LO) << PAGE_SHIFT) + PAGE;
	unsigned int depth = CNTL_DEPTH(cntl);
	unsigned int block = PAGE_SHIFT + 9 + CNTL_BLOCK(cntl);	/* under a last PDE */
	unsigned int shift, bfs;
	u64 entry = root, index;

	if (!CNTL_ENABLE(cntl))
		return "context disabled";
	if (va < start || va >= end)
		return "outside of the context";
	va -= start;
	if (!(root & PTE_VALID))
		return "no page table";

	if (!depth) {
		if (!read_entry(g, PDE_ADDR(root), root & PTE_SYSTEM, va >> PAGE_SHIFT, &entry))
			return "table outside of memory";
		*leaf_shift = PAGE_SHIFT;
		goto leaf;
	}

	for (shift = block + 9 * (depth - 1); depth; depth--, shift -= 9) {
		index = va >> shift;
		if (entry != root)
			index &= 0x1ff;
		if (!read_entry(g, PDE_ADDR(entry), entry & PTE_SYSTEM, index, &entry))
			return "directory outside of memory";
		if (!(entry & PTE_VALID))
			return invalid(entry, vm_no_table);
		if (entry & PDE_PTE) {
			*leaf_shift = shift;
			goto leaf;
		}
	}

	bfs = PDE_BFS(entry);
	if (PAGE_SHIFT + bfs > block)
		return "block fragment larger than its block";
	index = (va & ((1ull << block) - 1)) >> (PAGE_SHIFT + bfs);
	if (!read_entry(g, PDE_ADDR(entry), entry & PTE_SYSTEM, index, &entry))
		return "block table outside of memory";
	*leaf_shift = PAGE_SHIFT + bfs;
	if (bfs && entry & PTE_FURTHER) {
		if (!(entry & PTE_VALID))
			return invalid(entry, vm_no_table);
		index = (va & ((1ull << *leaf_shift) - 1)) >> PAGE_SHIFT;
		if (!read_entry(g, PDE_ADDR(entry), entry & PTE_SYSTEM, index, &entry))
			return "table outside of memory";
		*leaf_shift = PAGE_SHIFT;
	}
leaf:
	if (!(entry & PTE_VALID))
		return invalid(entry, vm_no_page);
	if ((entry & PTE_NO_RETRY) == PTE_NO_RETRY)
		return refused;
	*leaf = entry;
	return NULL;
}

void *vm_translate(struct gpu *g, unsigned int vmid, u64 va, bool write, u64 *span,
		   const char **why)
{
	unsigned int shift;
	u64 pte, offset, len;
	u8 *p;

	if (vmid == 0 && va >= MEM_FB_BASE && va - MEM_FB_BASE < mem_vram_size(g))
		return mem_at(g, va - MEM_FB_BASE, false, write, span);
	/* The upper half may come sign-extended (amdgpu_gmc_sign_extend()). */
	if ((s64)va >> (ADDR_BITS - 1) == -1)
		va &= (1ull << ADDR_BITS) - 1;
	if (va >> ADDR_BITS) {
		*why = "not an address of 48 bits";
		return NULL;
	}
	*why = walk(g, vmid, va, &pte, &shift);
	if (*why)
		return NULL;
	/* The kernel's own aperture (VMID 0) is not subject to permissions. */
	if (vmid && !(pte & (write ? PTE_WRITE : PTE_READ))) {
		*why = write ? vm_not_writable : vm_not_readable;
		return NULL;
	}
	/* Added, not or'ed: a 2 MiB leaf of amdgpu need not be 2 MiB aligned. */
	offset = va & ((1ull << shift) - 1);
	p = mem_at(g, PTE_ADDR(pte) + offset, pte & PTE_SYSTEM, write, &len);
	if (!p) {
		*why = pte & PTE_SYSTEM ? "system page outside of the guest's maps" :
					  "page outside of VRAM";
		return NULL;
	}
	/*
	 * It ends with the page, whatever the entry's fragment says: KFD may unmap part of a
	 * fragment, and leaves the other entries with one that names pages of others.
	 */
	*span = (1ull << shift) - offset;
	if (*span > len)
		*span = len;
	return p;
}

void *vm_find(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write,
	      const char **why)
{
	u64 page = va >> PAGE_SHIFT, in_page = va & (PAGE - 1), len;
	struct tlb_entry *t = &tlb[(page ^ page >> 8 ^ vmid << 4) % TLB_ENTRIES];
	u32 gen;
	u8 *p;

	vmid %= VM_COUNT;
	gen = vm_generation(g, vmid);
	if (t->host && t->page == page && t->vmid == vmid && t->gen == gen &&
	    t->mem == g->mem && (t->write || !write)) {
		*span = t->span - in_page;
		return t->host + in_page;
	}
	p = vm_translate(g, vmid, va, write, &len, why);
	if (!p)
		return NULL;
	*span = len;
	*t = (struct tlb_entry){ .page = page, .host = p - in_page, .span = len + in_page,
				 .mem = g->mem, .gen = gen, .vmid = vmid, .write = write };
	return p;
}

void *vm_ptr_quiet(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write)
{
	const char *why = NULL;

	return vm_find(g, vmid, va, span, write, &why);
}

bool vm_on_bus(struct gpu *g, unsigned int vmid, u64 va, u64 *addr)
{
	unsigned int shift;
	u64 pte;

	if (walk(g, vmid % VM_COUNT, va, &pte, &shift) ||
	    !(pte & PTE_SYSTEM) || !(pte & PTE_WRITE))
		return false;
	*addr = PTE_ADDR(pte) + (va & ((1ull << shift) - 1));
	return true;
}
