// SPDX-License-Identifier: GPL-2.0
/* Unit tests of registers: banks, handshakes, power-on values, resets. */
#include "tap.h"
#include "device.h"

#define SEL(me, pipe, queue)	((me) << 2 | (pipe) | (queue) << 8)
#define CP_HQD_ACTIVE		(HQD_REG_BASE + 4 * HQD(130))
#define CP_HQD_PQ_BASE		(HQD_REG_BASE + 4 * HQD(136))
#define CP_HQD_PQ_WPTR_HI	(HQD_REG_BASE + 4 * HQD(183))
#define CP_HQD_DOORBELL		(HQD_REG_BASE + 4 * HQD(143))
#define CP_HQD_DEQUEUE_REQUEST	(HQD_REG_BASE + 4 * HQD(152))
#define DOORBELL_EN		(1u << 30)
#define DEVCTL			0x6c
#define FLR			0x8000

static struct gpu gpu;

static void select_queue(unsigned int me, unsigned int pipe, unsigned int queue)
{
	regs_write(&gpu, REG_GRBM_GFX_CNTL, SEL(me, pipe, queue));
}

static void banks(void)
{
	unsigned int me, pipe, queue, wrong = 0;

	for (me = 1; me <= 2; me++)
		for (pipe = 0; pipe < 4; pipe++)
			for (queue = 0; queue < 8; queue++) {
				select_queue(me, pipe, queue);
				wrong += regs_read(&gpu, CP_HQD_PQ_BASE) != 0;
				regs_write(&gpu, CP_HQD_PQ_BASE, SEL(me, pipe, queue));
				regs_write(&gpu, CP_HQD_PQ_WPTR_HI, ~SEL(me, pipe, queue));
			}
	ok(!wrong, "an empty slot reads 0");
	for (me = 1; me <= 2; me++)
		for (pipe = 0; pipe < 4; pipe++)
			for (queue = 0; queue < 8; queue++) {
				select_queue(me, pipe, queue);
				wrong += regs_read(&gpu, CP_HQD_PQ_BASE) != SEL(me, pipe, queue);
				wrong += regs_read(&gpu, CP_HQD_PQ_WPTR_HI) !=
					 (u32)~SEL(me, pipe, queue);
			}
	ok(!wrong, "each of 64 slots has its own first and last register");
	select_queue(0, 0, 0);
	regs_write(&gpu, CP_HQD_PQ_BASE, 5);
	ok(!regs_read(&gpu, CP_HQD_PQ_BASE), "ME 0 has no compute queues");
	select_queue(3, 0, 0);
	ok(!regs_read(&gpu, CP_HQD_PQ_BASE), "nor has ME 3");
}

static void activation(void)
{
	struct hqd *h = mec_hqd(&gpu, 2, 1, 3);

	select_queue(2, 1, 3);
	regs_write(&gpu, CP_HQD_DOORBELL, 0x123 << 2 | DOORBELL_EN);
	ok(!h->active && !mec_find_doorbell(&gpu, 0x123), "registers alone map no queue");
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	ok(h->active && mec_find_doorbell(&gpu, 0x123) == h, "CP_HQD_ACTIVE does");
	regs_write(&gpu, CP_HQD_DEQUEUE_REQUEST, 1);
	ok(!h->active && !regs_read(&gpu, CP_HQD_ACTIVE) && !mec_find_doorbell(&gpu, 0x123),
	   "a dequeue request takes it off");
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	regs_write(&gpu, REG_SPI_COMPUTE_QUEUE_RESET, 1);
	ok(!h->active && !regs_read(&gpu, CP_HQD_ACTIVE), "so does a queue reset");
}

static void handshakes(void)
{
	u64 t1, t2;
	u32 gen;

	regs_write(&gpu, 0x12340, 0xdeadbeef);
	ok(regs_read(&gpu, 0x12340) == 0xdeadbeef, "an unknown register keeps its value");
	ok(!regs_read(&gpu, REGS_SIZE) && !regs_read(&gpu, 0x12341), "outside reads 0");
	regs_write(&gpu, REGS_SIZE, 1);
	gen = vm_generation(&gpu, 5);
	regs_write(&gpu, REG_VM_INV_REQ + 4 * 17, 1 << 5 | 0xff0000);
	ok(regs_read(&gpu, REG_VM_INV_ACK + 4 * 17) == 1 << 5 && vm_generation(&gpu, 5) != gen,
	   "an invalidation flushes and is acknowledged");
	regs_write(&gpu, REG_MMHUB_INV_REQ, 1 << 2);
	ok(regs_read(&gpu, REG_MMHUB_INV_ACK) == 1 << 2, "in the MMHUB too");
	ok(regs_read(&gpu, REG_VM_INV_SEM) & 1, "the semaphore is free");
	regs_write(&gpu, REG_RLC_SAFE_MODE, 3);
	ok(!(regs_read(&gpu, REG_RLC_SAFE_MODE) & 1), "safe mode is answered");
	regs_write(&gpu, REG_RLC_CAPTURE_GPU_CLOCK, 1);
	t1 = regs_read(&gpu, REG_RLC_GPU_CLOCK_LSB) |
	     (u64)regs_read(&gpu, REG_RLC_GPU_CLOCK_MSB) << 32;
	do {
		regs_write(&gpu, REG_RLC_CAPTURE_GPU_CLOCK, 1);
		t2 = regs_read(&gpu, REG_RLC_GPU_CLOCK_LSB) |
		     (u64)regs_read(&gpu, REG_RLC_GPU_CLOCK_MSB) << 32;
	} while (t2 == t1);
	ok(t2 > t1, "the clock advances");
	regs_write(&gpu, REG_RCC_CONFIG_MEMSIZE, 1);
	ok(regs_read(&gpu, REG_RCC_CONFIG_MEMSIZE) == DEVICE_VRAM_MB, "the size of VRAM is fixed");
	regs_write(&gpu, REG_GRBM_GFX_INDEX, 200 << 16);
	ok(!regs_read(&gpu, REG_SPI_CSQ_WF_ACTIVE_STATUS) &&
	   !regs_read(&gpu, REG_SPI_CSQ_WF_ACTIVE_COUNT_0 + 4 * 7), "engine 200 has no waves");
}

static void resets(void)
{
	u8 flr[2] = { FLR & 0xff, FLR >> 8 };

	regs_write(&gpu, 0x12340, 7);
	select_queue(1, 2, 2);
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	ok(regs_read(&gpu, REG_BIOS_SCRATCH_7) == BIOS_SCRATCH_7_POSTED, "powered on: posted");
	pci_write(&gpu, PCI_CONFIG, DEVCTL, flr, 2);
	ok(!regs_read(&gpu, 0x12340) && !mec_hqd(&gpu, 1, 2, 2)->active, "FLR drops all");
	ok(!regs_read(&gpu, REG_BIOS_SCRATCH_7), "and the card wants a post");
	pci_read(&gpu, PCI_CONFIG, DEVCTL, flr, 2);
	ok(!(flr[1] & (FLR >> 8)), "the reset bit reads 0");
}

int main(void)
{
	device_start(&gpu);
	banks();
	activation();
	handshakes();
	resets();
	device_stop(&gpu);
	return tap_done();
}
