// SPDX-License-Identifier: GPL-2.0
/* VRAM, guest memory and GPUVM; see memory.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/ih.h"
#include "host/log.h"
#include "vm/memory.h"
#include "bus/pci.h"

#define PAGE_SHIFT	12
#define PAGE		(1ull << PAGE_SHIFT)
#define ADDR_BITS	48
#define MAX_MAPS	1024

/* Entries of page directories and tables (amdgpu_vm.h). */
#define PTE_VALID	(1ull << 0)
#define PTE_SYSTEM	(1ull << 1)
#define PTE_EXECUTE	(1ull << 4)
#define PTE_READ	(1ull << 5)
#define PTE_WRITE	(1ull << 6)
#define PTE_FRAG(p)	((unsigned int)((p) >> 7 & 0x1f))
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

struct dma_map {
	u64 iova, size;
	u8 *host;		/* NULL: taken, but not reachable */
	bool write;
};

/**
 * struct mem - memory of one device
 * @users:	read-held by who uses host pointers, write-held to change @map
 * @map:	ordered by iova
 * @ctx:	VM_CONTEXTn registers; a torn read of a base under change is the
 *		driver's bug, as on hardware
 * @gen:	see vm_generation()
 * @retry:	see vm_set_retry()
 * @fault_lock:	last fault of each VMID, to report it once
 */
struct mem {
	int fd;
	u8 *vram;
	u64 vram_size;
	pthread_rwlock_t users;
	struct dma_map map[MAX_MAPS];
	unsigned int maps;
	_Atomic u32 ctx[VM_COUNT][VM_FIELDS];
	_Atomic u32 gen[VM_COUNT];
	atomic_bool retry[VM_COUNT];
	pthread_mutex_t fault_lock;
	struct {
		u64 page;
		u32 gen;
		bool valid;
	} fault[VM_COUNT];
};

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
static _Thread_local unsigned int enter_depth;

static int start(struct gpu *g)
{
	struct mem *m = calloc(1, sizeof(*m));
	pthread_rwlockattr_t attr;
	int err;

	if (!m)
		return -ENOMEM;
	m->vram_size = (u64)g->cfg.vram_mb << 20;
	m->fd = memfd_create("gpu-model-vram", MFD_CLOEXEC);
	if (m->fd < 0) {
		err = -errno;
		goto out_free;
	}
	if (ftruncate(m->fd, m->vram_size)) {
		err = -errno;
		goto out_close;
	}
	m->vram = mmap(NULL, m->vram_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_NORESERVE, m->fd, 0);
	if (m->vram == MAP_FAILED) {
		err = -errno;
		goto out_close;
	}
	/* Writers first: else busy waves would hold a DMA_UNMAP up for good. */
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&m->users, &attr);
	pthread_rwlockattr_destroy(&attr);
	pthread_mutex_init(&m->fault_lock, NULL);
	g->mem = m;
	return 0;

out_close:
	close(m->fd);
out_free:
	free(m);
	return err;
}

static void destroy(struct gpu *g)
{
	struct mem *m = g->mem;

	if (!m)
		return;
	mem_dma_unmap_all(g);
	munmap(m->vram, m->vram_size);
	close(m->fd);
	pthread_rwlock_destroy(&m->users);
	pthread_mutex_destroy(&m->fault_lock);
	free(m);
	g->mem = NULL;
}

void mem_reset(struct gpu *g)
{
	unsigned int v, f;

	for (v = 0; v < VM_COUNT; v++) {
		atomic_store(&g->mem->retry[v], false);
		for (f = 0; f < VM_FIELDS; f++)
			atomic_store(&g->mem->ctx[v][f], 0);
	}
	vm_flush(g, 0xffff);
}

void mem_lose_vram(struct gpu *g)
{
	struct mem *m = g->mem;

	if (fallocate(m->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, m->vram_size))
		log_warn("cannot clear VRAM: %s", strerror(errno));
}

int mem_vram_fd(struct gpu *g)
{
	return g->mem->fd;
}

u64 mem_vram_size(struct gpu *g)
{
	return g->mem->vram_size;
}

void vm_enter(struct gpu *g)
{
	if (enter_depth++ == 0)
		pthread_rwlock_rdlock(&g->mem->users);
}

void vm_exit(struct gpu *g)
{
	if (--enter_depth == 0)
		pthread_rwlock_unlock(&g->mem->users);
}

/* Index of the first map that ends above @addr. */
static unsigned int map_find(const struct mem *m, u64 addr)
{
	unsigned int lo = 0, hi = m->maps;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (m->map[mid].iova + m->map[mid].size <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int mem_dma_map(struct gpu *g, u64 iova, u64 size, int fd, u64 offset, bool write)
{
	struct mem *m = g->mem;
	struct stat st;
	u8 *host = NULL;
	unsigned int i;
	int err = 0;

	if (!size || iova + size < iova || offset + size < offset ||
	    (iova | size | offset) & (PAGE - 1))
		return -EINVAL;
	if (fd >= 0) {
		/* A file shorter than the map would kill the model with SIGBUS. */
		if (fstat(fd, &st) || st.st_size < 0 || offset + size > (u64)st.st_size)
			return -EINVAL;
		host = mmap(NULL, size, PROT_READ | (write ? PROT_WRITE : 0),
			    MAP_SHARED | MAP_NORESERVE, fd, offset);
		if (host == MAP_FAILED)
			return -errno;
	}

	pthread_rwlock_wrlock(&m->users);
	i = map_find(m, iova);
	if (i < m->maps && m->map[i].iova < iova + size) {
		err = -EEXIST;
	} else if (m->maps == MAX_MAPS) {
		err = -ENOSPC;
	} else {
		memmove(&m->map[i + 1], &m->map[i], (m->maps - i) * sizeof(m->map[0]));
		m->map[i] = (struct dma_map){ iova, size, host, write };
		m->maps++;
	}
	pthread_rwlock_unlock(&m->users);
	if (err && host)
		munmap(host, size);
	return err;
}

/* Remove maps [first, first + n); users is write-held. */
static void maps_drop(struct mem *m, unsigned int first, unsigned int n)
{
	unsigned int i;

	for (i = first; i < first + n; i++)
		if (m->map[i].host)
			munmap(m->map[i].host, m->map[i].size);
	memmove(&m->map[first], &m->map[first + n],
		(m->maps - first - n) * sizeof(m->map[0]));
	m->maps -= n;
}

int mem_dma_unmap(struct gpu *g, u64 iova, u64 size)
{
	struct mem *m = g->mem;
	unsigned int first, n = 0;
	int err = -ENOENT;

	if (!size || iova + size < iova)
		return -EINVAL;
	pthread_rwlock_wrlock(&m->users);
	first = map_find(m, iova);
	while (first + n < m->maps && m->map[first + n].iova < iova + size)
		n++;
	if (n && m->map[first].iova >= iova &&
	    m->map[first + n - 1].iova + m->map[first + n - 1].size <= iova + size) {
		maps_drop(m, first, n);
		vm_flush(g, 0xffff);
		err = 0;
	}
	pthread_rwlock_unlock(&m->users);
	return err;
}

void mem_dma_unmap_all(struct gpu *g)
{
	struct mem *m = g->mem;

	pthread_rwlock_wrlock(&m->users);
	maps_drop(m, 0, m->maps);
	vm_flush(g, 0xffff);
	pthread_rwlock_unlock(&m->users);
}

/* Host pointer and contiguous bytes behind a physical address. */
static u8 *phys(struct mem *m, u64 addr, bool system, bool write, u64 *len)
{
	unsigned int i;

	if (!system) {
		if (addr >= m->vram_size)
			return NULL;
		*len = m->vram_size - addr;
		return m->vram + addr;
	}
	i = map_find(m, addr);
	if (i == m->maps || addr < m->map[i].iova || !m->map[i].host ||
	    (write && !m->map[i].write))
		return NULL;
	*len = m->map[i].size - (addr - m->map[i].iova);
	return m->map[i].host + (addr - m->map[i].iova);
}

void *mem_ptr(struct gpu *g, u64 addr, size_t len, bool system)
{
	u64 have;
	u8 *p = phys(g->mem, addr, system, true, &have);

	return p && have >= len ? p : NULL;
}

void vm_set_field(struct gpu *g, unsigned int vmid, enum vm_field f, u32 val)
{
	if (vmid >= VM_COUNT)
		return;
	atomic_store(&g->mem->ctx[vmid][f], val);
	if (f <= VM_BASE_HI)
		vm_flush(g, 1u << vmid);
}

void vm_set_base(struct gpu *g, unsigned int vmid, u64 pde)
{
	if (vmid >= VM_COUNT)
		return;
	atomic_store(&g->mem->ctx[vmid][VM_BASE_LO], (u32)pde);
	atomic_store(&g->mem->ctx[vmid][VM_BASE_HI], (u32)(pde >> 32));
	vm_flush(g, 1u << vmid);
}

void vm_flush(struct gpu *g, u32 mask)
{
	unsigned int v;

	for (v = 0; v < VM_COUNT; v++)
		if (mask & 1u << v)
			atomic_fetch_add(&g->mem->gen[v], 1);
}

void vm_invalidate(struct gpu *g, u32 mask)
{
	struct mem *m = g->mem;
	bool wait = false;
	unsigned int v;

	vm_flush(g, mask);
	for (v = 0; v < VM_COUNT; v++)
		wait |= mask >> v & 1 && vm_retries(g, v);
	if (!wait)
		return;
	pthread_rwlock_wrlock(&m->users);	/* all that used what was there have left */
	pthread_rwlock_unlock(&m->users);
}

void vm_set_retry(struct gpu *g, unsigned int vmid, bool on)
{
	if (vmid < VM_COUNT)
		atomic_store(&g->mem->retry[vmid], on);
}

bool vm_retries(struct gpu *g, unsigned int vmid)
{
	struct mem *m = g->mem;

	vmid %= VM_COUNT;
	return vmid && atomic_load(&m->retry[vmid]) &&
	       CNTL_RETRY(atomic_load(&m->ctx[vmid][VM_CNTL]));
}

u32 vm_generation(struct gpu *g, unsigned int vmid)
{
	return atomic_load_explicit(&g->mem->gen[vmid % VM_COUNT], memory_order_acquire);
}

static u64 ctx_u64(struct mem *m, unsigned int vmid, enum vm_field lo)
{
	return atomic_load(&m->ctx[vmid][lo]) |
	       (u64)atomic_load(&m->ctx[vmid][lo + 1]) << 32;
}

/* Read entry @index of the table at @addr; false if it lies nowhere. */
static bool read_entry(struct mem *m, u64 addr, bool system, u64 index, u64 *out)
{
	u64 len;
	u8 *p = phys(m, addr + index * 8, system, false, &len);

	if (!p || len < 8 || (uintptr_t)p & 7)
		return false;
	*out = __atomic_load_n((u64 *)p, __ATOMIC_ACQUIRE);
	return true;
}

static const char not_readable[] = "not readable", not_writable[] = "not writable";
static const char no_table[] = "invalid directory entry", no_page[] = "invalid page";
static const char refused[] = "nothing that the driver could map";

static const char *invalid(u64 entry, const char *why)
{
	return (entry & PDE_NO_RETRY) == PDE_NO_RETRY ? refused : why;
}

/*
 * Walk the tables for @va. A leaf gives its entry, the bits of the address it
 * covers and how many of them lie contiguous in physical memory.
 *
 * With depth D there are D directory levels above the block table. The entry of
 * the last directory says by its block fragment size how much an entry of the
 * block table covers (2^(12+bfs) bytes); such an entry is a page, or, with the
 * "further" bit, a pointer to the table of 4 KiB pages. amdgpu sets the
 * 9.4.2 up with D = 2 and bfs = 9, so its PDB0 is the block table.
 */
static const char *walk(struct mem *m, unsigned int vmid, u64 va, u64 *leaf,
			unsigned int *leaf_shift)
{
	u32 cntl = atomic_load(&m->ctx[vmid][VM_CNTL]);
	u64 root = ctx_u64(m, vmid, VM_BASE_LO);
	u64 start = ctx_u64(m, vmid, VM_START_LO) << PAGE_SHIFT;
	u64 end = (ctx_u64(m, vmid, VM_END_LO) << PAGE_SHIFT) + PAGE;
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
		if (!read_entry(m, PDE_ADDR(root), root & PTE_SYSTEM, va >> PAGE_SHIFT, &entry))
			return "table outside of memory";
		*leaf_shift = PAGE_SHIFT;
		goto leaf;
	}

	for (shift = block + 9 * (depth - 1); depth; depth--, shift -= 9) {
		index = va >> shift;
		if (entry != root)
			index &= 0x1ff;
		if (!read_entry(m, PDE_ADDR(entry), entry & PTE_SYSTEM, index, &entry))
			return "directory outside of memory";
		if (!(entry & PTE_VALID))
			return invalid(entry, no_table);
		if (entry & PDE_PTE) {
			*leaf_shift = shift;
			goto leaf;
		}
	}

	bfs = PDE_BFS(entry);
	if (PAGE_SHIFT + bfs > block)
		return "block fragment larger than its block";
	index = (va & ((1ull << block) - 1)) >> (PAGE_SHIFT + bfs);
	if (!read_entry(m, PDE_ADDR(entry), entry & PTE_SYSTEM, index, &entry))
		return "block table outside of memory";
	*leaf_shift = PAGE_SHIFT + bfs;
	if (bfs && entry & PTE_FURTHER) {
		if (!(entry & PTE_VALID))
			return invalid(entry, no_table);
		index = (va & ((1ull << *leaf_shift) - 1)) >> PAGE_SHIFT;
		if (!read_entry(m, PDE_ADDR(entry), entry & PTE_SYSTEM, index, &entry))
			return "table outside of memory";
		*leaf_shift = PAGE_SHIFT;
	}
leaf:
	if (!(entry & PTE_VALID))
		return invalid(entry, no_page);
	if ((entry & PTE_NO_RETRY) == PTE_NO_RETRY)
		return refused;
	*leaf = entry;
	return NULL;
}

/* Translate @va; NULL and a reason on failure. */
static u8 *translate(struct mem *m, unsigned int vmid, u64 va, bool write, u64 *span,
		     const char **why)
{
	unsigned int shift, frag;
	u64 pte, offset, len;
	u8 *p;

	if (vmid == 0 && va >= MEM_FB_BASE && va - MEM_FB_BASE < m->vram_size) {
		*span = m->vram_size - (va - MEM_FB_BASE);
		return m->vram + (va - MEM_FB_BASE);
	}
	/* The upper half may come sign-extended (amdgpu_gmc_sign_extend()). */
	if ((s64)va >> (ADDR_BITS - 1) == -1)
		va &= (1ull << ADDR_BITS) - 1;
	if (va >> ADDR_BITS) {
		*why = "not an address of 48 bits";
		return NULL;
	}
	*why = walk(m, vmid, va, &pte, &shift);
	if (*why)
		return NULL;
	/* The kernel's own aperture (VMID 0) is not subject to permissions. */
	if (vmid && !(pte & (write ? PTE_WRITE : PTE_READ))) {
		*why = write ? not_writable : not_readable;
		return NULL;
	}
	/* Added, not or'ed: a 2 MiB leaf of amdgpu need not be 2 MiB aligned. */
	offset = va & ((1ull << shift) - 1);
	p = phys(m, PTE_ADDR(pte) + offset, pte & PTE_SYSTEM, write, &len);
	if (!p) {
		*why = pte & PTE_SYSTEM ? "system page outside of the guest's maps" :
					  "page outside of VRAM";
		return NULL;
	}
	/* A fragment says how far pages around this one go on contiguously. */
	frag = PAGE_SHIFT + PTE_FRAG(pte);
	if (shift == PAGE_SHIFT && frag > shift && frag < ADDR_BITS)
		offset = va & ((1ull << frag) - 1);
	else
		frag = shift;
	*span = (1ull << frag) - offset;
	if (*span > len)
		*span = len;
	return p;
}

static enum vm_fault kind_of(const char *why)
{
	return why == not_readable ? VM_FAULT_READ :
	       why == not_writable ? VM_FAULT_WRITE : VM_FAULT_NO_PAGE;
}

static void fault(struct gpu *g, unsigned int vmid, u64 va, bool write, const char *why)
{
	struct mem *m = g->mem;
	u32 gen = vm_generation(g, vmid);
	bool report;

	pthread_mutex_lock(&m->fault_lock);
	report = !m->fault[vmid].valid || m->fault[vmid].page != va >> PAGE_SHIFT ||
		 m->fault[vmid].gen != gen;
	m->fault[vmid].page = va >> PAGE_SHIFT;
	m->fault[vmid].gen = gen;
	m->fault[vmid].valid = true;
	pthread_mutex_unlock(&m->fault_lock);
	if (!report)
		return;
	log_warn("page fault: vmid %u, %s at 0x%llx: %s", vmid, write ? "write" : "read",
		 (unsigned long long)va, why);
	log_event("page-fault", "vmid=%u va=0x%llx write=%d", vmid, (unsigned long long)va,
		  write);
	ih_post_vm_fault(g, vmid, va, write, kind_of(why));
}

bool vm_retry(struct gpu *g, unsigned int vmid, u64 va, bool write)
{
	const char *why = NULL;
	u64 span;

	vmid %= VM_COUNT;
	if (translate(g->mem, vmid, va, write, &span, &why))
		return true;		/* there by now */
	if (!vm_retries(g, vmid) || (why != not_readable && why != not_writable &&
				     why != no_table && why != no_page)) {
		fault(g, vmid, va, write, why);
		return false;
	}
	if (ih_post_vm_retry(g, vmid, va, write, kind_of(why)))
		log_event("page-retry", "vmid=%u va=0x%llx write=%d", vmid,
			  (unsigned long long)va, write);
	return true;
}

/* @why: out: reason of a failure */
static void *find(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write,
		  const char **why)
{
	struct mem *m = g->mem;
	u64 page = va >> PAGE_SHIFT, in_page = va & (PAGE - 1), len;
	struct tlb_entry *t = &tlb[(page ^ page >> 8 ^ vmid << 4) % TLB_ENTRIES];
	u32 gen;
	u8 *p;

	vmid %= VM_COUNT;
	gen = vm_generation(g, vmid);
	if (t->host && t->page == page && t->vmid == vmid && t->gen == gen &&
	    t->mem == m && (t->write || !write)) {
		*span = t->span - in_page;
		return t->host + in_page;
	}
	p = translate(m, vmid, va, write, &len, why);
	if (!p)
		return NULL;
	*span = len;
	*t = (struct tlb_entry){ .page = page, .host = p - in_page, .span = len + in_page,
				 .mem = m, .gen = gen, .vmid = vmid, .write = write };
	return p;
}

void *vm_ptr(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write)
{
	const char *why = NULL;
	void *p = find(g, vmid, va, span, write, &why);

	if (!p)
		fault(g, vmid % VM_COUNT, va, write, why);
	return p;
}

void *vm_ptr_quiet(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write)
{
	const char *why = NULL;

	return find(g, vmid, va, span, write, &why);
}

/*
 * Copy to memory, and from there. Fences and indices, aligned words, in one access:
 * the guest polls those that are written, and writes those that are read.
 */
static void store(u8 *mem, const u8 *buf, size_t len)
{
	u64 v8;
	u32 v4;

	if (len == 8 && !((uintptr_t)mem & 7)) {
		memcpy(&v8, buf, 8);
		__atomic_store_n((u64 *)mem, v8, __ATOMIC_RELEASE);
	} else if (len == 4 && !((uintptr_t)mem & 3)) {
		memcpy(&v4, buf, 4);
		__atomic_store_n((u32 *)mem, v4, __ATOMIC_RELEASE);
	} else {
		memcpy(mem, buf, len);
	}
}

static void load(u8 *buf, const u8 *mem, size_t len)
{
	u64 v8;
	u32 v4;

	if (len == 8 && !((uintptr_t)mem & 7)) {
		v8 = __atomic_load_n((const u64 *)mem, __ATOMIC_ACQUIRE);
		memcpy(buf, &v8, 8);
	} else if (len == 4 && !((uintptr_t)mem & 3)) {
		v4 = __atomic_load_n((const u32 *)mem, __ATOMIC_ACQUIRE);
		memcpy(buf, &v4, 4);
	} else {
		memcpy(buf, mem, len);
	}
}

/* A process has its doorbells in its page table, too: @addr on the bus, if @va may be one. */
static bool writes_to_bus(struct gpu *g, unsigned int vmid, u64 va, u64 *addr)
{
	unsigned int shift;
	u64 pte;

	if (walk(g->mem, vmid % VM_COUNT, va, &pte, &shift) ||
	    !(pte & PTE_SYSTEM) || !(pte & PTE_WRITE))
		return false;
	*addr = PTE_ADDR(pte) + (va & ((1ull << shift) - 1));
	return true;
}

static int vm_copy(struct gpu *g, unsigned int vmid, u64 va, u8 *buf, size_t len, bool write,
		   bool retry)
{
	const char *why = NULL;
	int err = 0;
	u64 addr;

	vm_enter(g);
	while (len) {
		size_t span;
		u8 *p = find(g, vmid, va, &span, write, &why);

		if (!p && write && writes_to_bus(g, vmid, va, &addr)) {
			vm_exit(g);	/* a queue's lock comes first */
			if (pci_loop_back(g, addr, buf, len))
				return 0;
			vm_enter(g);
		}
		if (!p && retry) {
			err = vm_retry(g, vmid, va, write) ? -EAGAIN : -EFAULT;
			break;
		}
		if (!p) {
			fault(g, vmid % VM_COUNT, va, write, why);
			err = -EFAULT;
			break;
		}
		if (span > len)
			span = len;
		if (write)
			store(p, buf, span);
		else
			load(buf, p, span);
		buf += span;
		va += span;
		len -= span;
	}
	vm_exit(g);
	return err;
}

int vm_read(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len)
{
	return vm_copy(g, vmid, va, buf, len, false, false);
}

int vm_write(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len)
{
	return vm_copy(g, vmid, va, (u8 *)(uintptr_t)buf, len, true, false);
}

int vm_read_retry(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len)
{
	return vm_copy(g, vmid, va, buf, len, false, true);
}

int vm_write_retry(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len)
{
	return vm_copy(g, vmid, va, (u8 *)(uintptr_t)buf, len, true, true);
}

const struct block memory_block = {
	.name = "memory",
	.start = start,
	.free = destroy,
};
