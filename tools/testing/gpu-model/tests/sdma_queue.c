// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of SDMA queues of processes: mapped from an MQD or by registers,
 * each packet, state that survives an unmap, and what they are refused.
 */
#include <errno.h>
#include <unistd.h>

#include "packets.h"

#define MQD		0x100000ull		/* VRAM offsets; a process sees the first 4 MiB */
#define RING		0x110000ull
#define RING_DW		1024u
#define BUFFER		0x120000ull
#define SOURCE		0x130000ull
#define TARGET		0x140000ull
#define WORDS		0x150000ull
#define INDEX		0x160000ull		/* write pointer; read pointer 64 bytes behind */
#define SECOND		0x200000ull		/* of its two pages of 2 MiB, where that begins */
#define PAGES		0x600000ull		/* what is there when it has been away */
#define KERNEL		0x800000ull		/* out of its reach */
#define PASID		0x8003
#define DOORBELL	0x1234u
#define ENGINE		1u
#define QUEUE		5u

#define REG(off)	(REG_AT(REG_SDMA0 + ENGINE) + 0x4c0 + 0x160 * QUEUE + (off))
#define ENABLE		1u
#define IDLE		4u

enum { COPY = 1, WRITE = 2, INDIRECT = 4, FENCE = 5, TRAP = 6, POLL = 8, ATOMIC = 10,
       FILL = 11, TIMESTAMP = 13, SRBM_WRITE = 14 };

#define POLL_MEMORY	(1u << 31)
#define POLL_EQUAL	(3u << 28)
#define ADD64		(47u << 25)
#define ADD32		(15u << 25)
#define SMAX32		(19u << 25)
#define INC32		(24u << 25)
#define CMPSWAP64	(40u << 25)
#define LOOP		(1u << 16)

static u64 wptr;				/* bytes */
static void pci_reg(u32 off, u32 val)
{
	pci_write(&gpu, PCI_BAR5, off, &val, 4);
}

static u32 word(unsigned int i)
{
	return __atomic_load_n(vram(WORDS) + i, __ATOMIC_ACQUIRE);
}

static void put(const u32 *p, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++, wptr += 4)
		vram(RING)[wptr / 4 % RING_DW] = p[i];
	__atomic_store_n((u64 *)vram(INDEX), wptr, __ATOMIC_RELEASE);
}

#define PUT(...) do { \
	const u32 words[] = { __VA_ARGS__ }; \
	put(words, sizeof(words) / 4); \
} while (0)

#define AT(off)		LO(off), HI(off)
#define WORD(i)		AT(WORDS + 4 * (i))

static void doorbell(void)
{
	pci_write(&gpu, PCI_BAR2, DOORBELL * 4, &wptr, 8);
}

/* @cond within two seconds? */
#define reached(cond) ({ \
	unsigned int _i; \
	for (_i = 0; _i < 20000 && !(cond); _i++) \
		usleep(100); \
	cond; \
})

static bool drained(void)
{
	return reached(__atomic_load_n((u64 *)vram(INDEX + 64), __ATOMIC_ACQUIRE) == wptr);
}

static bool all(const void *ctx, unsigned int vmid, u16 pasid, u32 dw)
{
	(void)ctx;
	return vmid == VMID && pasid == PASID && dw == DOORBELL;
}

static bool none(const void *ctx, unsigned int vmid, u16 pasid, u32 dw)
{
	(void)ctx;
	(void)vmid;
	return pasid != PASID || dw != DOORBELL;
}

static u32 *mqd(void)
{
	return vram(MQD);
}

/* As update_mqd_sdma() does. */
static void update_mqd(void)
{
	u32 *m = mqd();

	m[0] = 10 << 1 | 1 << 12 | 6 << 16;
	m[1] = LO(RING >> 8);
	m[2] = HI(RING >> 8);
	m[8] = HI(INDEX + 64);
	m[9] = LO(INDEX + 64);
	m[22] = DOORBELL << 2;
	m[126] = ENGINE;
	m[127] = QUEUE;
}

static int map(void)
{
	const struct sdma_user u = {
		.mqd = MEM_FB_BASE + MQD, .write_addr = INDEX, .vmid = VMID, .pasid = PASID,
	};

	update_mqd();
	return sdma_map(&gpu, &u);
}

static void queue_new(void)
{
	memset(mqd(), 0, 512);
	memset(vram(WORDS), 0, 4096);
	memset(vram(INDEX), 0, 128);
	wptr = 0;
	pthread_mutex_lock(&irq_lock);
	irqs = 0;
	pthread_mutex_unlock(&irq_lock);
}

static void packets(void)
{
	struct ih_vector last;
	u32 i;

	for (i = 0; i < 256; i++)
		vram(SOURCE)[i] = i * 3;
	PUT(COPY, 1023, 0, AT(SOURCE), AT(TARGET));
	PUT(FILL | 2u << 30, AT(TARGET + 4096), 0x01020304, 252);
	PUT(WRITE, WORD(0), 1, 77, 88);
	PUT(FENCE, WORD(2), 99);
	doorbell();
	ok(drained() && !memcmp(vram(SOURCE), vram(TARGET), 1024), "COPY");
	ok(vram(TARGET + 4096)[63] == 0x01020304 && !vram(TARGET + 4096)[64], "CONST_FILL in dwords");
	ok(word(0) == 77 && word(1) == 88 && word(2) == 99, "WRITE, FENCE");

	/* 3 x 2 x 2 elements of 4 bytes, out of rows of 8 and slices of 32 into rows of 4. */
	PUT(COPY | 4 << 8 | 2u << 29, AT(SOURCE), 1 | 2 << 16, 1 | 7 << 13, 31,
	    AT(TARGET + 8192), 1, 0 | 3 << 13, 15, 2 | 1 << 16, 1);
	doorbell();
	ok(drained() && !vram(TARGET + 8192)[0] && vram(TARGET + 8192)[1] == 3 * (32 + 16 + 1) &&
	   vram(TARGET + 8192)[3] == 3 * (32 + 16 + 3) && !vram(TARGET + 8192)[4] &&
	   vram(TARGET + 8192)[5 + 16] == 3 * (64 + 24 + 1) && !vram(TARGET + 8192)[9],
	   "COPY of a box");

	vram(WORDS)[4] = 10;
	vram(WORDS)[6] = ~0u;
	vram(WORDS)[8] = 3;
	vram(WORDS)[10] = (u32)-5;
	PUT(ATOMIC | ADD32, WORD(4), 5, 0, 0, 0, 0);
	PUT(ATOMIC | ADD64, WORD(6), 1, 0, 0, 0, 0);
	PUT(ATOMIC | INC32, WORD(8), 3, 0, 0, 0, 0);
	PUT(ATOMIC | SMAX32, WORD(10), (u32)-2, 0, 0, 0, 0);
	PUT(TIMESTAMP | 2 << 8, WORD(12));
	doorbell();
	ok(drained() && word(4) == 15, "ATOMIC add");
	ok(!word(6) && word(7) == 1, "of 64 bits");
	ok(!word(8) && word(10) == (u32)-2, "increment that wraps, signed maximum");
	ok(word(12) | word(13), "TIMESTAMP");

	PUT(TRAP, 0x123);
	doorbell();
	ok(drained() && irqs_seen(&last) == 1 && last.client == 9 && last.source == 224 &&
	   last.vmid == VMID && last.pasid == PASID && last.data[0] == 0x123,
	   "TRAP with the process' PASID");

	PUT(POLL, 0, 0x80000000, 0, 0, 0, FENCE, WORD(2), 98);
	doorbell();
	ok(drained() && word(2) == 98, "ROCr's flush of the HDP, a poll that is always true");
}

/* As read_sdma_queue_counter() finds it. */
static u64 activity(void)
{
	return __atomic_load_n((u64 *)vram(INDEX + 64 + 8), __ATOMIC_ACQUIRE);
}

static void waiting(void)
{
	u64 before;

	PUT(POLL | POLL_MEMORY | POLL_EQUAL, WORD(20), 1, ~0u, 0xfff << 16 | 4);
	PUT(ATOMIC | CMPSWAP64 | LOOP, WORD(22), 7, 0, 6, 0, 0);
	PUT(FENCE, WORD(24), 1);
	before = activity();
	doorbell();
	usleep(20000);
	ok(!word(24) && *(u64 *)vram(INDEX + 64) < wptr, "POLL_REGMEM waits");
	ok(activity() - before >= 1000000 && activity() < gpu_now() / 10,
	   "and that counts as activity, in ticks of 10 ns");
	ok(sdma_unmap(&gpu, none, NULL) == 0 && sdma_unmap(&gpu, all, NULL) == 1 &&
	   sdma_unmap(&gpu, all, NULL) == 0, "unmapped in the middle of it, once, if meant");
	ok((mqd()[3] | (u64)mqd()[4] << 32) == *(u64 *)vram(INDEX + 64),
	   "the MQD has the read pointer");
	__atomic_store_n(vram(WORDS) + 20, 1, __ATOMIC_RELEASE);
	before = activity();
	usleep(20000);
	ok(!word(22) && !word(24) && activity() == before,
	   "nothing goes on while it is unmapped");
	PUT(FENCE, WORD(25), 2);
	doorbell();			/* lost */
	ok(!map(), "mapped again");
	usleep(20000);
	ok(!word(24), "a compare-and-swap with loop waits");
	__atomic_store_n(vram(WORDS) + 22, 6, __ATOMIC_RELEASE);
	ok(drained() && word(22) == 7 && word(24) == 1 && word(25) == 2,
	   "until it swaps; what was put meanwhile is done too");
}

static void buffer(void)
{
	const u32 ib[] = {
		FENCE, WORD(30), 1,
		POLL | POLL_MEMORY | POLL_EQUAL, WORD(31), 1, ~0u, 0xfff << 16 | 4,
		ATOMIC | ADD32, WORD(32), 1, 0, 0, 0, 0,
	};

	memcpy(vram(BUFFER), ib, sizeof(ib));
	PUT(INDIRECT, AT(BUFFER), sizeof(ib) / 4, 0, 0);
	PUT(FENCE, WORD(33), 1);
	doorbell();
	ok(reached(word(30) == 1), "INDIRECT, in the process' address space");
	vram(WORDS)[30] = 0;
	sdma_unmap(&gpu, all, NULL);
	map();
	__atomic_store_n(vram(WORDS) + 31, 1, __ATOMIC_RELEASE);
	ok(drained() && word(32) == 1 && word(33) == 1 && !word(30),
	   "goes on in its middle after an unmap");
}

/* What is behind SECOND: an entry of the block table. */
static void set_second(u64 pde)
{
	__atomic_store_n((u64 *)vram(PDB0) + 1, pde, __ATOMIC_RELEASE);
	vm_invalidate(&gpu, 1 << VMID);
}

static bool is_waiting(void)
{
	unsigned int before = irqs_seen(NULL);

	doorbell();
	return reached(irqs_seen(NULL) != before) &&
	       __atomic_load_n((u64 *)vram(INDEX + 64), __ATOMIC_ACQUIRE) < wptr;
}

/* XNACK: what has no page waits for it. */
static void retried(void)
{
	u64 pde = *((u64 *)vram(PDB0) + 1);
	u32 i;

	pci_reg(REG_AT(REG_GRBM_GFX_CNTL), VMID << 4);
	pci_reg(REG_AT(REG_SH_MEM_CONFIG), 0);
	vm_set_field(&gpu, VMID, VM_CNTL, 1 | 2 << 1 | 9 << 3 | 1 << 7);
	set_second(0);
	for (i = 0; i < 1024; i++)
		vram(SOURCE)[i] = i;
	vram(PAGES + 4096)[0] = 40;
	PUT(COPY, 4095, 0, AT(SOURCE), AT(SECOND - 2048));
	PUT(ATOMIC | ADD32, AT(SECOND + 4096), 2, 0, 0, 0, 0);
	PUT(FILL | 2u << 30, AT(SECOND + 8192), 7, 0);
	PUT(WRITE, AT(SECOND + 8196), 1, 77, 88);
	PUT(FENCE, AT(SECOND + 8204), 99);
	ok(is_waiting() && vram(SECOND - 4)[0] == 511, "COPY, as far as there are pages, waits");
	for (i = 0; i < 1024; i++)
		vram(SOURCE)[i] = 0x600d0000 + i;
	set_second(PAGES | PTE_V | PTE_RW);
	ok(drained() && vram(SECOND - 4)[0] == 511 && vram(PAGES)[0] == 0x600d0200 &&
	   vram(PAGES)[511] == 0x600d03ff, "and goes on where it was, with the page");
	ok(vram(PAGES + 4096)[0] == 42 && vram(PAGES + 8192)[0] == 7 &&
	   vram(PAGES + 8192)[1] == 77 && vram(PAGES + 8192)[3] == 99, "others do, each once");
	set_second(0);
	PUT(ATOMIC | ADD32, AT(SECOND + 4096), 2, 0, 0, 0, 0);
	ok(is_waiting() && sdma_unmap(&gpu, all, NULL) == 1, "it leaves while it waits");
	set_second(PAGES | PTE_V | PTE_RW);
	usleep(5000);
	ok(vram(PAGES + 4096)[0] == 42 && !map() && drained() && vram(PAGES + 4096)[0] == 44,
	   "and is done when it is back");
	pci_reg(REG_AT(REG_SH_MEM_CONFIG), SH_MEM_CONFIG_RETRY_DISABLE);
	set_second(pde);
}

/* What stops the queue: each time it is made anew. */
static void refused(const char *name, const u32 *p, u32 n)
{
	sdma_unmap(&gpu, all, NULL);
	queue_new();
	map();
	put(p, n);
	PUT(FENCE, WORD(40), 1);
	doorbell();
	usleep(10000);
	ok(!word(40) && *vram(KERNEL) == 0x600d && regs_get(&gpu, REG_AT(REG_SCRATCH_REG0)) == 0x600d, name);
}

#define REFUSED(name, ...) do { \
	const u32 words[] = { __VA_ARGS__ }; \
	refused(name, words, sizeof(words) / 4); \
} while (0)

static void limits(void)
{
	*vram(KERNEL) = 0x600d;
	regs_set(&gpu, REG_AT(REG_SCRATCH_REG0), 0x600d);
	REFUSED("an unknown packet", 0xab);
	REFUSED("a register write", SRBM_WRITE | 0xfu << 28, REG_AT(REG_SCRATCH_REG0) / 4, 1);
	REFUSED("a poll of a register", POLL | POLL_EQUAL, REG_AT(REG_SCRATCH_REG0), 0, 0x600d, ~0u,
		0xfff << 16 | 4);
	REFUSED("the kernel's memory", FENCE, AT(MEM_FB_BASE + KERNEL), 1);
	REFUSED("memory behind its own", WRITE, AT(KERNEL), 0, 1);
	REFUSED("an atomic across its alignment", ATOMIC | ADD64, WORD(41), 1, 0, 0, 0, 0);
	REFUSED("a box of more than a GiB", COPY | 4 << 8 | 4u << 29, AT(SOURCE), 0, 0, 0,
		AT(TARGET), 0, 0, 0, 0x3fff3fff, 1);
	REFUSED("a box of elements of 32 bytes", COPY | 4 << 8 | 5u << 29, AT(SOURCE), 0, 0, 0,
		AT(TARGET), 0, 0, 0, 0, 0);
	REFUSED("an atomic of no kind", ATOMIC | 3u << 25, WORD(42), 1, 0, 0, 0, 0);
	sdma_unmap(&gpu, all, NULL);
	queue_new();
	update_mqd();
	mqd()[127] = 8;
	ok(sdma_map(&gpu, &(struct sdma_user){ .mqd = MEM_FB_BASE + MQD, .vmid = VMID }) == -EINVAL,
	   "an MQD that names no ring");
}

/* As kgd_arcturus_hqd_sdma_load() and _destroy() do it (amdgpu.sched_policy=2). */
static void load(void)
{
	const u32 *m = mqd();

	pci_reg(REG(0x00), m[0] | VMID << 24);
	pci_reg(REG(0xac), m[22]);
	pci_reg(REG(0x48), 1u << 28);
	pci_reg(REG(0x0c), m[3]);
	pci_reg(REG(0x10), m[4]);
	pci_reg(REG(0x14), LO(wptr));
	pci_reg(REG(0x18), HI(wptr));
	pci_reg(REG(0x04), m[1]);
	pci_reg(REG(0x08), m[2]);
	pci_reg(REG(0x24), m[9]);
	pci_reg(REG(0x20), m[8]);
	pci_reg(REG(0x00), m[0] | VMID << 24 | ENABLE);
}

static void destroy(void)
{
	u32 *m = mqd();

	pci_reg(REG(0x00), regs_read(&gpu, REG(0x00)) & ~ENABLE);
	ok(reached(regs_read(&gpu, REG(0x44)) & IDLE), "becomes idle");
	pci_reg(REG(0x48), 0);
	pci_reg(REG(0x00), regs_read(&gpu, REG(0x00)) | ENABLE);
	m[3] = regs_read(&gpu, REG(0x0c));
	m[4] = regs_read(&gpu, REG(0x10));
}

static void by_registers(void)
{
	queue_new();
	update_mqd();
	load();
	PUT(POLL | POLL_MEMORY | POLL_EQUAL, WORD(0), 1, ~0u, 0xfff << 16 | 4);
	PUT(ATOMIC | ADD32, WORD(1), 1, 0, 0, 0, 0);
	doorbell();
	usleep(10000);
	ok(!word(1), "loaded by registers, it waits");
	destroy();
	vram(WORDS)[0] = 1;
	usleep(10000);
	ok(!word(1), "and is off");
	load();
	ok(drained() && word(1) == 1, "loaded again, it goes on where it was");
	destroy();
}

int main(void)
{
	device_start(&gpu);
	process_start();
	ih_set_vmid_pasid(&gpu, VMID, PASID);
	pci_reg(REG_AT(REG_SDMA0 + ENGINE) + 0xa8, 0);

	queue_new();
	ok(!map() && map() == -EBUSY && sdma_vmid_used(&gpu, VMID), "its place is taken once");
	packets();
	waiting();
	buffer();
	retried();
	limits();
	ok(!sdma_vmid_used(&gpu, VMID), "no queue is left");
	by_registers();
	device_stop(&gpu);
	return tap_done();
}
