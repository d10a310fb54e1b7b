// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the SDMA engines: each packet the kernel sends, and bad ones. */
#include <unistd.h>

#include "packets.h"

#define ENGINE		3
#define RING		0x100000ull	/* VRAM offsets */
#define RING_DW		1024u
#define BUFFER		0x110000ull
#define SOURCE		0x120000ull
#define TARGET		0x130000ull
#define FENCE		0x140000ull
#define REPORT		0x150000ull
#define TABLE		0x160000ull
#define DOORBELL	0x1f0u		/* dword in BAR2 */
#define DOORBELL_BAR	0x380000000ull	/* its bus address */

#define REG(off)	(REG_AT(REG_SDMA0 + ENGINE) + (off))
#define F32_CNTL	REG(0x0a8)
#define RB_CNTL		REG(0x200)
#define RB_BASE		REG(0x204)
#define RB_BASE_HI	REG(0x208)
#define RB_RPTR		REG(0x20c)
#define RB_WPTR		REG(0x214)
#define RPTR_ADDR_HI	REG(0x220)
#define RPTR_ADDR_LO	REG(0x224)
#define RB_DOORBELL	REG(0x248)
#define RB_DB_OFFSET	REG(0x2ac)

#define AT(off)		LO(MEM_FB_BASE + (off)), HI(MEM_FB_BASE + (off))

static u32 wptr;			/* dwords */
static void put(const u32 *p, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		vram(RING)[wptr++ % RING_DW] = p[i];
}

#define PUT(...) do { \
	const u32 words[] = { __VA_ARGS__ }; \
	put(words, sizeof(words) / 4); \
} while (0)

static void ring_doorbell(void)
{
	u64 bytes = 4ull * wptr;

	pci_write(&gpu, PCI_BAR2, DOORBELL * 4, &bytes, 8);
}

/* Until the engine has taken all, two seconds at most. */
static bool drained(void)
{
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		if (__atomic_load_n((u64 *)vram(REPORT), __ATOMIC_ACQUIRE) == 4ull * wptr)
			return true;
		usleep(100);
	}
	return false;
}

static bool run(void)
{
	ring_doorbell();
	return drained();
}

static void start(void)
{
	regs_write(&gpu, RB_BASE, LO((MEM_FB_BASE + RING) >> 8));
	regs_write(&gpu, RB_BASE_HI, HI((MEM_FB_BASE + RING) >> 8));
	regs_write(&gpu, RPTR_ADDR_LO, LO(MEM_FB_BASE + REPORT));
	regs_write(&gpu, RPTR_ADDR_HI, HI(MEM_FB_BASE + REPORT));
	regs_write(&gpu, RB_DOORBELL, 1 << 28);
	regs_write(&gpu, RB_DB_OFFSET, DOORBELL << 2);
	PUT(0, 0);
	ring_doorbell();
	regs_write(&gpu, RB_CNTL, 10 << 1 | 1 << 12 | 1);
	usleep(2000);
	ok(!regs_read(&gpu, RB_RPTR), "a halted engine takes nothing");
	regs_write(&gpu, F32_CNTL, 0);
	ok(drained(), "it does once it is let go");
}

static void packets(void)
{
	struct ih_vector last;
	u64 *pte = (u64 *)vram(TARGET);

	PUT(2, AT(TARGET), 2, 7, 8, 9);
	ok(run() && vram(TARGET)[0] == 7 && vram(TARGET)[2] == 9, "WRITE");
	memset(vram(SOURCE), 0x5a, 5000);
	PUT(1, 4999, 0, AT(SOURCE), AT(TARGET));
	ok(run() && !memcmp(vram(SOURCE), vram(TARGET), 5000), "COPY over pages");
	PUT(11, AT(TARGET), 0x01020304, 4095);
	ok(run() && vram(TARGET)[0] == 0x01020304 && vram(TARGET)[1023] == 0x01020304 &&
	   vram(TARGET)[1024] == 0x5a5a5a5a, "CONST_FILL and not a byte more");
	PUT(11 | 2u << 30, AT(TARGET), 0x11111111, 2047, 11 | 2u << 30, AT(TARGET), 0x22222222,
	    1020);
	ok(run() && vram(TARGET)[255] == 0x22222222 && vram(TARGET)[256] == 0x11111111 &&
	   vram(TARGET)[511] == 0x11111111 && vram(TARGET)[512] == 0x01020304,
	   "CONST_FILL of dwords, by either way to count them");
	PUT(12, AT(TARGET), 0x71, 0, 0x200000, 1, 0x1000, 0, 2);
	ok(run() && pte[0] == 0x100200071 && pte[2] == 0x100202071, "PTEPDE");
	PUT(5, AT(FENCE), 1234, 6, 99);
	ok(run() && vram(FENCE)[0] == 1234, "FENCE");
	ok(irqs_seen(&last) == 1 && last.client == 4 &&
	   last.source == 224 && !last.ring && last.data[0] == 99, "TRAP");
	PUT(0xf000000e, REG_AT(REG_SCRATCH_REG0) / 4, 77);
	ok(run() && regs_get(&gpu, REG_AT(REG_SCRATCH_REG0)) == 77, "SRBM_WRITE");
	vram(BUFFER)[0] = 5;
	vram(BUFFER)[1] = LO(MEM_FB_BASE + FENCE);
	vram(BUFFER)[2] = HI(MEM_FB_BASE + FENCE);
	vram(BUFFER)[3] = 4321;
	PUT(4, AT(BUFFER), 4, 0, 0, 5, AT(FENCE + 4), 5678);
	ok(run() && vram(FENCE)[0] == 4321 && vram(FENCE)[1] == 5678,
	   "INDIRECT, then what follows it");
	while (wptr % RING_DW < RING_DW - 2)
		PUT(0);
	PUT(5, AT(FENCE), 31);
	ok(run() && vram(FENCE)[0] == 31, "a packet that wraps around the ring");
}

static void waits(void)
{
	vram(TARGET)[0] = 0;
	PUT(8 | 3u << 28 | 1u << 31, AT(TARGET), 5, 0xf, 0, 5, AT(FENCE), 1);
	ring_doorbell();
	usleep(5000);
	ok(__atomic_load_n(vram(FENCE), __ATOMIC_ACQUIRE) != 1, "POLL_REGMEM waits");
	__atomic_store_n(vram(TARGET), 0x15, __ATOMIC_RELEASE);
	ok(drained() && vram(FENCE)[0] == 1, "until the word matches");
	PUT(8 | 3u << 28 | 1u << 26, REG_AT(REG_HDP_FLUSH_DONE), REG_AT(REG_HDP_FLUSH_DONE) - 4, 1 << 5, 1 << 5, 0);
	ok(run(), "an HDP flush is answered");
}

/* A process has the doorbells in its page table, and lets a packet write there. */
static void rung_by_gpu(void)
{
	u64 bar = DOORBELL_BAR, *pte = (u64 *)vram(TABLE), bytes;
	u8 memory = 2;

	*pte = DOORBELL_BAR | 0x63;		/* readable, writable, system, valid */
	vm_set_field(&gpu, VMID, VM_CNTL, 1);
	vm_set_field(&gpu, VMID, VM_END_LO, 1);
	vm_set_base(&gpu, VMID, TABLE | 1);
	PUT(5, AT(FENCE), 41);
	bytes = 4ull * wptr;
	pci_write(&gpu, PCI_CONFIG, 0x18, &bar, 8);
	ok(vm_write(&gpu, VMID, 4 * DOORBELL, &bytes, 8), "a BAR without an address rings nobody");
	pci_write(&gpu, PCI_CONFIG, 0x04, &memory, 1);
	ok(!vm_write(&gpu, VMID, 4 * DOORBELL, &bytes, 8) && drained() && vram(FENCE)[0] == 41,
	   "a write by the GPU to its doorbell BAR rings");
	*pte &= ~0x40ull;
	vm_flush(&gpu, 1 << VMID);
	ok(vm_write(&gpu, VMID, 4 * DOORBELL, &bytes, 8), "a read-only page rings nobody");
}

static void malformed(void)
{
	PUT(2, AT(TARGET), 0xfffff, 1);
	ok(run(), "WRITE of more than the ring has loses the rest only");
	PUT(0xab);
	ok(run(), "so does an unknown packet");
	PUT(1 | 3 << 8, 1, 2);
	ok(run(), "and a copy of a kind that is not modelled");
	PUT(4, AT(0x7000000000ull), 100, 0, 0, 1, 99, 0, AT(0x7000000000ull), AT(TARGET),
	    5, AT(0x7000000000ull), 1, 5, AT(FENCE), 17);
	ok(run() && vram(FENCE)[0] == 17, "addresses that lead nowhere are skipped");
}

int main(void)
{
	device_start(&gpu);
	start();
	packets();
	waits();
	rung_by_gpu();
	malformed();
	vram(TARGET)[0] = 0;
	PUT(8 | 3u << 28 | 1u << 31, AT(TARGET), 5, 0xf, 0);
	ring_doorbell();
	pci_reset(&gpu, true);
	ok(!regs_read(&gpu, RB_CNTL), "a reset ends a wait");
	device_stop(&gpu);
	return tap_done();
}
