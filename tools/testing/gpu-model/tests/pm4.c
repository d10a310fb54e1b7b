// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of PM4 queues: packets do what they say, malformed ones are
 * skipped, a waiting queue holds no other up, a process reaches no register.
 */
#include <string.h>

#include "packets.h"
#include "cp/queue/pm4.h"

#define RING_DW		256u
#define RING_LOG2	8
#define KERNEL_RING	0x100000ull		/* VRAM offsets */
#define USER_RING	0x110000ull
#define BUFFER		0x120000ull
#define TARGET		0x130000ull

#define RPTR		HQD(138)
#define WPTR		HQD(182)
#define HEADER(op, n)	(3u << 30 | ((n) - 1u) << 16 | (u32)(op) << 8)
#define SCRATCH		(REG_AT(REG_SCRATCH_REG0) / 4)

static struct hqd *kq, *uq;		/* a kernel's and a process' queue */
static struct pm4_state ks, us;

/* What a kernel queue calls VRAM. A process sees it from address 0. */
static u64 fb(u64 off)
{
	return MEM_FB_BASE + off;
}

static struct hqd *queue(unsigned int n, u64 ring, unsigned int vmid)
{
	struct hqd *h = mec_hqd(&gpu, 0, 1, 0, n);

	memset(h->reg, 0, sizeof(h->reg));
	h->active = true;
	h->vmid = vmid;
	h->is_user = vmid;
	h->reg[HQD(136)] = LO(ring >> 8);
	h->reg[HQD(137)] = HI(ring >> 8);
	h->reg[HQD(145)] = RING_LOG2 - 1;
	return h;
}

static void put(struct hqd *h, const u32 *p, u32 n)
{
	u64 ring = h == kq ? KERNEL_RING : USER_RING;
	u32 i;

	for (i = 0; i < n; i++)
		vram(ring)[h->reg[WPTR]++ % RING_DW] = p[i];
}

#define PUT(h, ...) do { \
	const u32 words[] = { __VA_ARGS__ }; \
	put(h, words, sizeof(words) / 4); \
} while (0)

static bool drained(const struct hqd *h)
{
	return h->reg[RPTR] == h->reg[WPTR] % RING_DW;
}

static void run(struct hqd *h)
{
	struct pm4_state *s = h == kq ? &ks : &us;

	while (pm4_run(&gpu, h, s))
		;
}

static void packets(void)
{
	struct ih_vector last;
	u32 i;

	PUT(kq, HEADER(PM4_WRITE_DATA, 5), 5 << 8, LO(fb(TARGET)), HI(fb(TARGET)), 11, 22);
	run(kq);
	ok(vram(TARGET)[0] == 11 && vram(TARGET)[1] == 22 && drained(kq), "WRITE_DATA");
	PUT(kq, HEADER(PM4_SET_UCONFIG_REG, 2), SCRATCH - 0xc000, 0xcafe);
	PUT(kq, HEADER(PM4_COPY_DATA, 5), 5 << 8, SCRATCH, 0, LO(fb(TARGET)), HI(fb(TARGET)));
	run(kq);
	ok(vram(TARGET)[0] == 0xcafe, "SET_UCONFIG_REG, then COPY_DATA of a register");
	PUT(kq, HEADER(PM4_RELEASE_MEM, 7), 0x514, 2u << 29 | 2 << 24, LO(fb(TARGET)),
	    HI(fb(TARGET)), 1, 2, 0x77);
	run(kq);
	ok(vram(TARGET)[0] == 1 && vram(TARGET)[1] == 2, "RELEASE_MEM writes 64 bits");
	ok(irqs_seen(&last) == 1 && last.client == 0x14 && last.source == 181 &&
	   last.ring == (1 << 2 | 0 << 4) && last.data[0] == 0x77, "and interrupts");

	vram(BUFFER)[0] = HEADER(PM4_WRITE_DATA, 4);
	vram(BUFFER)[1] = 5 << 8;
	vram(BUFFER)[2] = LO(fb(TARGET));
	vram(BUFFER)[3] = HI(fb(TARGET));
	vram(BUFFER)[4] = 99;
	vram(BUFFER)[5] = HEADER(PM4_INDIRECT_BUFFER, 3);	/* not allowed in here */
	vram(BUFFER)[6] = LO(fb(BUFFER));
	vram(BUFFER)[7] = HI(fb(BUFFER));
	vram(BUFFER)[8] = 9;
	PUT(kq, HEADER(PM4_INDIRECT_BUFFER, 3), LO(fb(BUFFER)), HI(fb(BUFFER)), 9);
	PUT(kq, HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(fb(TARGET + 4)), HI(fb(TARGET + 4)), 5);
	run(kq);
	ok(vram(TARGET)[0] == 99 && vram(TARGET)[1] == 5 && drained(kq),
	   "an indirect buffer runs before what follows it, one within it is refused");

	for (i = 0; i < RING_DW; i++) {
		PUT(kq, HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(fb(TARGET)), HI(fb(TARGET)), i);
		run(kq);
	}
	ok(vram(TARGET)[0] == RING_DW - 1 && drained(kq), "packets that wrap around the ring");
	PUT(kq, HEADER(PM4_NOP, 0x4000), HEADER(PM4_NOP, 3), 1, 2, 3, 2u << 30);
	run(kq);
	ok(drained(kq), "NOPs of one dword and of several, type 2");
}

static void malformed(void)
{
	PUT(kq, HEADER(PM4_WRITE_DATA, 100), 5 << 8);
	run(kq);
	ok(drained(kq), "a packet longer than what was written loses the rest only");
	PUT(kq, 0x00010203);
	run(kq);
	ok(drained(kq), "so does a header of type 0");
	vram(TARGET)[0] = 0;
	PUT(kq, HEADER(PM4_WRITE_DATA, 1), 5 << 8, HEADER(0xee, 2), 1, 2,
	    HEADER(PM4_RELEASE_MEM, 1), 0, HEADER(PM4_WAIT_REG_MEM, 1), 0,
	    HEADER(PM4_SET_UCONFIG_REG, 2), 0xffff, 1, HEADER(PM4_MAP_QUEUES, 1), 0,
	    HEADER(PM4_RUN_LIST, 1), 0, HEADER(PM4_WRITE_DATA, 4), 5 << 8, 4, 0x7fff, 1,
	    HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(fb(TARGET)), HI(fb(TARGET)), 7);
	run(kq);
	ok(vram(TARGET)[0] == 7 && drained(kq),
	   "short, unknown and misdirected packets are skipped one by one");
}

/* amdkfd's hang_hws: firmware that meets such a header takes nothing any more. */
static void hang(void)
{
	struct pm4_state s = { .hiq = true };
	u32 before = kq->reg[RPTR];

	vram(TARGET)[0] = 0;
	PUT(kq, 0x55555555, HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(fb(TARGET)), HI(fb(TARGET)), 3);
	pm4_run(&gpu, kq, &s);
	PUT(kq, HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(fb(TARGET)), HI(fb(TARGET)), 3);
	ok(!pm4_run(&gpu, kq, &s) && kq->reg[RPTR] == before && !vram(TARGET)[0],
	   "a HIQ hangs at a header of no known type");
	run(kq);	/* another queue would not */
}

static void waiting(void)
{
	u32 before;

	vram(TARGET)[0] = 0;
	PUT(kq, HEADER(PM4_WAIT_REG_MEM, 6), 3 | 1 << 4, LO(fb(TARGET)), HI(fb(TARGET)), 5, 0xff,
	    10);
	before = kq->reg[RPTR];
	run(kq);
	ok(kq->reg[RPTR] == before, "WAIT_REG_MEM keeps the packet while it waits");
	PUT(uq, HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(TARGET), HI(TARGET), 0x1105);
	run(uq);
	ok(vram(TARGET)[0] == 0x1105 && drained(uq), "another queue goes on meanwhile");
	run(kq);
	ok(drained(kq), "and releases it");
	regs_write(&gpu, REG_AT(REG_VM_INV_REQ), 0);
	PUT(kq, HEADER(PM4_WAIT_REG_MEM, 6), 3 | 1 << 6, REG_AT(REG_VM_INV_REQ) / 4, REG_AT(REG_VM_INV_ACK) / 4,
	    0xf80000 | 1 << 4, 1 << 4, 32);
	run(kq);
	ok(drained(kq) && regs_get(&gpu, REG_AT(REG_VM_INV_ACK)) == 1 << 4, "write, then wait for the answer");
}

static void processes(void)
{
	vram(TARGET)[0] = 0;
	regs_write(&gpu, REG_AT(REG_SCRATCH_REG0), 1);
	PUT(uq, HEADER(PM4_WRITE_DATA, 4), 0, SCRATCH, 0, 2,
	    HEADER(PM4_SET_UCONFIG_REG, 2), SCRATCH - 0xc000, 3,
	    HEADER(PM4_COPY_DATA, 5), 5, 4, 0, SCRATCH, 0,
	    HEADER(PM4_COPY_DATA, 5), 5 << 8, SCRATCH, 0, LO(TARGET), 0,
	    HEADER(PM4_WAIT_REG_MEM, 6), 3 | 1 << 6, SCRATCH, SCRATCH, 9, ~0u, 1);
	run(uq);
	ok(regs_get(&gpu, REG_AT(REG_SCRATCH_REG0)) == 1 && !vram(TARGET)[0] && drained(uq),
	   "a process writes, reads and waits for no register");
	PUT(uq, HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(fb(TARGET)), HI(fb(TARGET)), 6);
	run(uq);
	ok(!vram(TARGET)[0] && drained(uq), "nor reaches memory by the kernel's address");
	vram(BUFFER)[4] = 42;		/* the kernel's buffer of packets() */
	PUT(uq, HEADER(PM4_INDIRECT_BUFFER, 3), LO(BUFFER), HI(BUFFER), 5 | 0 << 24);
	run(uq);
	ok(!vram(TARGET)[0] && drained(uq), "nor by naming VMID 0 in an indirect buffer");
	PUT(uq, HEADER(PM4_MAP_QUEUES, 6), 0, 0, 0, 0, 0, 0, HEADER(PM4_UNMAP_QUEUES, 5), 0,
	    kq->doorbell << 2, 0, 0, 0, HEADER(PM4_INVALIDATE_TLBS, 1), 0);
	run(uq);
	ok(kq->active && drained(uq), "nor maps or unmaps queues");
}

/* Whatever is in a ring, the model survives it and the ring empties. */
static void garbage(void)
{
	static const u8 ops[] = { PM4_NOP, PM4_WRITE_DATA, PM4_WAIT_REG_MEM, PM4_INDIRECT_BUFFER,
				  PM4_COPY_DATA, PM4_RELEASE_MEM, PM4_SET_SH_REG,
				  PM4_SET_UCONFIG_REG, PM4_INVALIDATE_TLBS, PM4_RUN_LIST };
	u32 seed = 12345, i, j, stuck = 0;

	for (i = 0; i < 4000; i++) {
		u32 words[24], n = 0;

		for (j = 0; j < 24; j++) {
			seed = seed * 1664525 + 1013904223;
			words[n++] = seed >> 28 > 9 ? HEADER(ops[seed % sizeof(ops)], 1 + seed / 64 % 8)
						    : seed >> (seed >> 27 & 31);
		}
		put(uq, words, n);
		run(uq);
		/* A wait on memory may be for good: that is what the packet says. */
		if (us.waiting || uq->reg[HQD(149)] >> 31) {
			uq = queue(1, USER_RING, VMID);
			memset(&us, 0, sizeof(us));
		} else {
			stuck += !drained(uq);
		}
	}
	ok(!stuck, "96000 random dwords");
}

int main(void)
{
	device_start(&gpu);
	engine_stop(&gpu);		/* the turns are made here */
	process_start();
	kq = queue(0, fb(KERNEL_RING), 0);
	uq = queue(1, USER_RING, VMID);
	packets();
	malformed();
	hang();
	waiting();
	processes();
	garbage();
	mec_unmap(&gpu, kq);
	mec_unmap(&gpu, uq);
	device_stop(&gpu);
	return tap_done();
}
