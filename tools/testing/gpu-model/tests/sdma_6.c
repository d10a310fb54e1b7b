// SPDX-License-Identifier: GPL-2.0
/* Unit tests of what an SDMA 6 has and older ones have not: packets, registers, interrupts. */
#include <unistd.h>

#include "packets.h"

#define RING		0x100000ull	/* VRAM offsets */
#define TARGET		0x130000ull
#define REPORT		0x150000ull
#define RING_LOG2	8		/* dwords */

/* Of SDMA1: its queue 0, and where the kernel halts it. */
#define REG(off)	(REG_AT(REG_SDMA1) + 0x200 + (off))
#define F32_CNTL	REG_AT(REG_SDMA1_F32_CNTL)

#define AT(off)		LO(MEM_FB_BASE + (off)), HI(MEM_FB_BASE + (off))

static u32 wptr;

#define PUT(...) do { \
	const u32 words[] = { __VA_ARGS__ }; \
	unsigned int i; \
	for (i = 0; i < sizeof(words) / 4; i++) \
		vram(RING)[wptr++ % (1 << RING_LOG2)] = words[i]; \
} while (0)

/* Until the engine has taken all, two seconds at most. */
static bool run(void)
{
	unsigned int i;

	regs_write(&gpu, REG(0x14), 4 * wptr);
	for (i = 0; i < 20000; i++) {
		if (__atomic_load_n((u64 *)vram(REPORT), __ATOMIC_ACQUIRE) == 4ull * wptr)
			return true;
		usleep(100);
	}
	return false;
}

static void start(void)
{
	regs_write(&gpu, REG(0x04), LO((MEM_FB_BASE + RING) >> 8));
	regs_write(&gpu, REG(0x08), HI((MEM_FB_BASE + RING) >> 8));
	regs_write(&gpu, REG(0x20), HI(MEM_FB_BASE + REPORT));
	regs_write(&gpu, REG(0x24), LO(MEM_FB_BASE + REPORT));
	regs_write(&gpu, REG(0x00), 1 | RING_LOG2 << 1 | 1 << 12);
	PUT(0);
	regs_write(&gpu, REG(0x14), 4 * wptr);
	usleep(2000);
	ok(!vram(REPORT)[0], "a halted engine takes nothing");
	regs_write(&gpu, F32_CNTL, 0);
	ok(run(), "until its register behind the others says so");
}

static void packets(void)
{
	const unsigned int before = irqs_seen(NULL);
	struct ih_vector last;
	u32 gen;

	vram(TARGET)[8] = 1;
	PUT(9, AT(TARGET + 32), 1, 4, 5, AT(TARGET), 11,	/* COND_EXE, FENCE */
	    9, AT(TARGET + 32), 2, 4, 5, AT(TARGET), 22);
	ok(run() && vram(TARGET)[0] == 11, "COND_EXE: what follows is executed, or not");
	gen = vm_generation(&gpu, 9);
	PUT(8 | 4 << 8, 0xf80000 | 1 << 9, ~0u, 1 << 9 | 0x1f << 16, 17, 0, 0, 0, 0,
	    5, AT(TARGET), 33);
	ok(run() && vm_generation(&gpu, 9) != gen, "VM_INVALIDATION flushes the VMID that it names");
	ok(vram(TARGET)[0] == 33, "GCR_REQ: memory is coherent");
	PUT(6, 0x123);
	ok(run() && irqs_seen(&last) == before + 1 && last.client == 0x0a && last.source == 49 &&
	   last.ring == (0 | 1 << 4), "TRAP: of the graphics block, by engine and queue");
}

int main(void)
{
	device_start_cfg(&gpu, (struct gpu_config){
		.asic = ASIC_GFX1100, .xccs = 1, .engines = 2, .cus_per_engine = 2,
	});
	pci_reset(&gpu, true);		/* power-on values */
	start();
	packets();
	device_stop(&gpu);
	return tap_done();
}
