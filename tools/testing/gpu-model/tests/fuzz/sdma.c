// SPDX-License-Identifier: GPL-2.0
/*
 * SDMA rings of any content, the kernel's and a process', with registers and
 * memory changing between the packets. SDMA's turns are made here.
 */
#define _GNU_SOURCE
#include "../device.h"
#include "fuzz.h"
#include "actors.h"

/* The device has the linked one's; a second of that name the sanitizer would refuse. */
#define sdma_block	unused_block
#include "sdma/sdma.c"	/* its statics are what this is about */
#undef sdma_block

/* Places in VRAM, which the process sees at the same addresses. */
#define MQD		0x100000ull
#define RING(n)		(0x110000ull + (n) * 0x1000)
#define RING_DW		1024u
#define INDEX		0x120000ull	/* write pointer; read pointer 64 bytes behind */
#define WORDS		0x121000ull
#define BUFFER		0x122000ull
#define ENGINE		1u
#define QUEUE		5u
#define USER_DOORBELL	0x1234u

#define KERNEL(off)	(MEM_FB_BASE + (off))
#define ADDR(a)		(u32)(a), (u32)((u64)(a) >> 32)

enum { GFX, PAGE, USER, RINGS, MMIO = RINGS, POKE, MAP, UNMAP, WAIT, KINDS };

static u64 wptr[RINGS];			/* bytes */
static u32 base[RINGS];			/* of the registers */

static void fuzz_start(void)
{
	struct sdma *d;

	fuzz_guard(DEVICE_VRAM_MB);
	device_start(&gpu);
	d = gpu.sdma;
	actor_stop(&d->actor);
	base[GFX] = REG_AT(REG_SDMA0) + sdma_4_4_0.gfx;
	base[PAGE] = REG_AT(REG_SDMA0 + ENGINE) + sdma_4_4_0.page;
	base[USER] = REG_AT(REG_SDMA0 + ENGINE) + sdma_4_4_0.user +
		     QUEUE * sdma_4_4_0.stride;
}

static void turns(void)
{
	struct sdma *d = gpu.sdma;
	unsigned int i, e, n;
	u64 when = 0;

	pthread_mutex_lock(&d->lock);
	for (i = 0; i < 2; i++)
		for (e = 0; e < SDMA_ENGINES; e++)
			for (n = 0; n < SDMA_RINGS; n++)
				ring_turn(&gpu, &d->ring[e][n], &when);
	pthread_mutex_unlock(&d->lock);
	actors_turn();
}

static void map(void)
{
	const struct sdma_user u = {
		.mqd = KERNEL(MQD), .write_addr = INDEX, .vmid = FUZZ_VMID, .pasid = FUZZ_PASID,
	};

	sdma_map(&gpu, &u);
}

static bool all(const void *ctx, unsigned int vmid, u16 pasid, u32 doorbell)
{
	(void)ctx;
	(void)vmid;
	(void)pasid;
	(void)doorbell;
	return true;
}

/* As amdgpu starts a ring of its own, and amdkfd describes one of a process. */
static void make_rings(void)
{
	u32 *m = fuzz_vram(MQD);
	unsigned int n;

	for (n = GFX; n <= PAGE; n++) {
		regs_write(&gpu, base[n] + RB_BASE, KERNEL(RING(n)) >> 8);
		regs_write(&gpu, base[n] + RB_BASE_HI, KERNEL(RING(n)) >> 40);
		regs_write(&gpu, base[n] + RB_RPTR_ADDR_LO, KERNEL(INDEX + 0x100 * (n + 1)));
		regs_write(&gpu, base[n] + RB_RPTR_ADDR_HI, KERNEL(0) >> 32);
		regs_write(&gpu, base[n] + RB_CNTL, 10 << 1 | RB_ENABLE | RB_RPTR_WRITEBACK);
	}
	regs_write(&gpu, REG_AT(REG_SDMA0) + sdma_4_4_0.f32_cntl, 0);
	regs_write(&gpu, REG_AT(REG_SDMA0 + ENGINE) + sdma_4_4_0.f32_cntl, 0);
	m[0] = 10 << 1 | RB_RPTR_WRITEBACK;
	m[1] = RING(USER) >> 8;
	m[9] = INDEX + 64;
	m[22] = USER_DOORBELL << 2;
	m[126] = ENGINE;
	m[127] = QUEUE;
}

static void submit(unsigned int n, const u32 *word, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		fuzz_vram(RING(n))[(wptr[n] / 4 + i) % RING_DW] = word[i];
	wptr[n] += 4 * count;
	if (n == USER) {
		*(u64 *)fuzz_vram(INDEX) = wptr[n];
		sdma_block.doorbell(&gpu, USER_DOORBELL, wptr[n]);
	} else {
		regs_write(&gpu, base[n] + RB_WPTR, wptr[n]);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct record r;
	u32 i;

	pci_reset(&gpu, true);
	fuzz_clear_vram();
	fuzz_tables(FUZZ_VMID);
	memset(wptr, 0, sizeof(wptr));
	make_rings();
	map();
	while (record_next(&data, &size, &r)) {
		switch (r.kind % KINDS) {
		case MMIO:
			for (i = 0; i < r.n; i += 2)
				regs_write(&gpu, REG_AT(REG_SDMA0 + (r.word[i] >> 16 & 1)) +
					   (r.word[i] & (SDMA_REG_WINDOW - 4)), r.word[i + 1]);
			break;
		case POKE:
			fuzz_poke(&r);
			break;
		case MAP:
			map();
			break;
		case UNMAP:
			sdma_unmap(&gpu, all, NULL);
			break;
		case WAIT:
			atomic_fetch_add(&fuzz_clock, r.word[0] % 1000000000);
			break;
		default:
			submit(r.kind % KINDS, r.word, r.n);
			break;
		}
		turns();
	}
	return 0;
}

#define FENCE(a, v)	5, ADDR(a), v
#define COPY(n, a, b)	1, (n) - 1, 0, ADDR(a), ADDR(b)
#define FILL(n, a)	11 | 2u << 30, ADDR(a), 0x01020304, (n) - 4
#define POLL(a, v)	8 | 1u << 31 | 3 << 28, ADDR(a), v, ~0u, 0xfff << 16 | 4
#define ATOMIC(op, a)	10 | (op) << 25, ADDR(a), 1, 0, 2, 0, 0

/* Writes all over an engine's registers. */
static void seed_registers(void)
{
	u32 words[128], i;

	for (i = 0; i < 64; i++) {
		words[2 * i] = SDMA_REG_WINDOW / 64 * i;
		words[2 * i + 1] = 1;
	}
	seed_record(MMIO, words, 128);
}

static bool seed(unsigned int n)
{
	switch (n) {
	case 0:		/* every packet of a process */
		SEED(USER, COPY(256, BUFFER, WORDS), FILL(64, WORDS), 2, ADDR(WORDS), 1, 7, 8,
		     FENCE(WORDS + 8, 9), 6, 0x123, 13 | 2 << 8, ADDR(WORDS + 16), 0);
		SEED(USER, ATOMIC(15u, WORDS), ATOMIC(47u, WORDS + 8), ATOMIC(40u, WORDS + 8),
		     1 | 1 << 27, 15, 0, ADDR(BUFFER), ADDR(WORDS), ADDR(WORDS + 64));
		return true;
	case 1:		/* waits, and is moved meanwhile; an indirect buffer */
		SEED(USER, POLL(WORDS, 1), FENCE(WORDS + 4, 1));
		SEED(UNMAP, 0);
		SEED(POKE, WORDS, 1);
		SEED(MAP, 0);
		SEED(WAIT, 2000000);
		SEED(POKE, BUFFER, FENCE(WORDS, 3), POLL(WORDS + 32, 1), ATOMIC(15u, WORDS));
		SEED(USER, 4, ADDR(BUFFER), 18, 0, 0);
		SEED(UNMAP, 0);
		SEED(MAP, 0);
		return true;
	case 2:		/* the kernel's: page tables, registers, buffers of a process */
		SEED(GFX, 12, ADDR(KERNEL(WORDS)), 0x61, 0, 0x1000, 0, 0x1000, 0, 3,
		     14 | 15u << 28, REG_AT(REG_SCRATCH_REG0) / 4, 5,
		     8 | 3 << 28, REG_AT(REG_SCRATCH_REG0), 0, 5, ~0u, 0xfff << 16 | 4,
		     8 | 1 << 26 | 3 << 28, REG_AT(REG_VM_INV_ACK), REG_AT(REG_VM_INV_REQ), 1, 1, 0xfff << 16 | 4,
		     FENCE(KERNEL(WORDS), 1), 6, 1);
		SEED(POKE, BUFFER, FENCE(WORDS, 3), 0);
		SEED(PAGE, 4 | FUZZ_VMID << 16, ADDR(BUFFER), 5, 0, 0,
		     COPY(4096, KERNEL(BUFFER), KERNEL(WORDS)), FILL(8192, KERNEL(WORDS)));
		return true;
	case 3:		/* a queue loaded by registers */
		SEED(UNMAP, 0);
		SEED(MMIO, 0x10000 + 0x4c0 + QUEUE * 0x160, FUZZ_VMID << 24 | 10 << 1,
		     0x10000 + 0x4c0 + QUEUE * 0x160 + 4, RING(USER) >> 8,
		     0x10000 + 0x4c0 + QUEUE * 0x160 + 0xac, USER_DOORBELL << 2,
		     0x10000 + 0x4c0 + QUEUE * 0x160 + 0x48, 1u << 28,
		     0x10000 + 0x4c0 + QUEUE * 0x160, FUZZ_VMID << 24 | 10 << 1 | 1);
		SEED(USER, FENCE(WORDS, 1), 0, 0);
		seed_registers();
		return true;
	default:
		return false;
	}
}
