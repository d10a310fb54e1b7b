// SPDX-License-Identifier: GPL-2.0
/* Unit tests of registers: banks, handshakes, power-on values, resets, bad values. */
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "device.h"
#include "cp/queue/pm4.h"
#include "compute/spi.h"

#define SEL(me, pipe, queue)	((me) << 2 | (pipe) | (queue) << 8)
#define CP_HQD_ACTIVE		(REG_AT(REG_CP_HQD) + 4 * HQD(130))
#define CP_HQD_VMID		(REG_AT(REG_CP_HQD) + 4 * HQD(131))
#define CP_HQD_PQ_BASE		(REG_AT(REG_CP_HQD) + 4 * HQD(136))
#define CP_HQD_PQ_BASE_HI	(REG_AT(REG_CP_HQD) + 4 * HQD(137))
#define CP_HQD_PQ_CONTROL	(REG_AT(REG_CP_HQD) + 4 * HQD(145))
#define CP_HQD_PQ_WPTR_HI	(REG_AT(REG_CP_HQD) + 4 * HQD(183))
#define CP_HQD_DOORBELL		(REG_AT(REG_CP_HQD) + 4 * HQD(143))
#define CP_HQD_DEQUEUE_REQUEST	(REG_AT(REG_CP_HQD) + 4 * HQD(152))
#define CP_HQD_AQL_CONTROL	(REG_AT(REG_CP_HQD) + 4 * HQD(181))
#define DOORBELL_EN		(1u << 30)
#define DEVCTL			0x6c
#define FLR			0x8000
#define RING			0x10000ull	/* VRAM offsets */
#define WORD			0x20000ull
#define HEADER(op, n)		(3u << 30 | ((n) - 1u) << 16 | (u32)(op) << 8)
#define KERNEL(off)		(u32)(MEM_FB_BASE + (off)), (u32)((MEM_FB_BASE + (off)) >> 32)

static struct gpu gpu;

static void select_queue(unsigned int me, unsigned int pipe, unsigned int queue)
{
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL), SEL(me, pipe, queue));
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
	struct hqd *h = mec_hqd(&gpu, 0, 2, 1, 3);

	select_queue(2, 1, 3);
	regs_write(&gpu, CP_HQD_DOORBELL, 0x123 << 2 | DOORBELL_EN);
	ok(!h->active && !mec_find_doorbell(&gpu, 0, 0x123), "registers alone map no queue");
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	ok(h->active && mec_find_doorbell(&gpu, 0, 0x123) == h, "CP_HQD_ACTIVE does");
	regs_write(&gpu, CP_HQD_DEQUEUE_REQUEST, 1);
	ok(!h->active && !regs_read(&gpu, CP_HQD_ACTIVE) && !mec_find_doorbell(&gpu, 0, 0x123),
	   "a dequeue request takes it off");
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	regs_write(&gpu, REG_AT(REG_SPI_COMPUTE_QUEUE_RESET), 1);
	ok(!h->active && !regs_read(&gpu, CP_HQD_ACTIVE), "so does a queue reset");
}

/* SQ_SHADER_TBA_LO, _HI, _TMA_LO and _HI, by VMID; in units of 256 bytes. */
static void shader_trap(void)
{
	u32 vmid, i;

	for (vmid = 8; vmid < 10; vmid++) {
		regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL), vmid << 4);
		for (i = 0; i < 4; i++)
			regs_write(&gpu, REG_AT(REG_SQ_SHADER_TBA_LO) + 4 * i, i & 1 ? 0xff : vmid + i);
	}
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL), 0);
	ok(spi_shader_trap(&gpu, 8, SHADER_TBA) == 0xff0000000800 &&
	   spi_shader_trap(&gpu, 9, SHADER_TBA) == 0xff0000000900 &&
	   spi_shader_trap(&gpu, 9, SHADER_TMA) == 0xff0000000b00,
	   "each VMID has its trap handler");
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
	regs_write(&gpu, REG_AT(REG_VM_INV_REQ) + 4 * 17, 1 << 5 | 0xff0000);
	ok(regs_read(&gpu, REG_AT(REG_VM_INV_ACK) + 4 * 17) == 1 << 5 && vm_generation(&gpu, 5) != gen,
	   "an invalidation flushes and is acknowledged");
	regs_write(&gpu, REG_AT(REG_MMHUB_INV_REQ), 1 << 2);
	ok(regs_read(&gpu, REG_AT(REG_MMHUB_INV_ACK)) == 1 << 2, "in the MMHUB too");
	ok(regs_read(&gpu, REG_AT(REG_VM_INV_SEM)) & 1, "the semaphore is free");
	regs_write(&gpu, REG_AT(REG_RLC_SAFE_MODE), 3);
	ok(!(regs_read(&gpu, REG_AT(REG_RLC_SAFE_MODE)) & 1), "safe mode is answered");
	regs_write(&gpu, REG_AT(REG_RLC_CAPTURE_GPU_CLOCK), 1);
	t1 = regs_read(&gpu, REG_AT(REG_RLC_GPU_CLOCK_LSB)) |
	     (u64)regs_read(&gpu, REG_AT(REG_RLC_GPU_CLOCK_MSB)) << 32;
	do {
		regs_write(&gpu, REG_AT(REG_RLC_CAPTURE_GPU_CLOCK), 1);
		t2 = regs_read(&gpu, REG_AT(REG_RLC_GPU_CLOCK_LSB)) |
		     (u64)regs_read(&gpu, REG_AT(REG_RLC_GPU_CLOCK_MSB)) << 32;
	} while (t2 == t1);
	ok(t2 > t1, "the clock advances");
	regs_write(&gpu, REG_AT(REG_RCC_CONFIG_MEMSIZE), 1);
	ok(regs_read(&gpu, REG_AT(REG_RCC_CONFIG_MEMSIZE)) == DEVICE_VRAM_MB, "the size of VRAM is fixed");
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_INDEX), 200 << 16);
	ok(!regs_read(&gpu, REG_AT(REG_SPI_CSQ_WF_ACTIVE_STATUS)) &&
	   !regs_read(&gpu, REG_AT(REG_SPI_CSQ_WF_ACTIVE_COUNT_0) + 4 * 7), "engine 200 has no waves");
}

/* Packets of the kernel to its queue on ME 2; until the last one has been executed. */
static bool execute(const u32 *p, u32 n)
{
	u32 *ring = mem_ptr(&gpu, RING, 4096, false), *word = mem_ptr(&gpu, WORD, 4, false);
	const u32 end[] = { HEADER(PM4_WRITE_DATA, 4), 5 << 8, KERNEL(WORD), 0xe4d };
	static u64 wptr;
	unsigned int i;

	for (i = 0; i < n; i++)
		ring[wptr++ % 1024] = p[i];
	for (i = 0; i < sizeof(end) / 4; i++)
		ring[wptr++ % 1024] = end[i];
	*word = 0;
	pci_write(&gpu, PCI_BAR2, 4 * 0x124, &wptr, 8);
	for (i = 0; i < 5000 && __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0xe4d; i++)
		usleep(1000);
	return *word == 0xe4d;
}

#define EXECUTE(...) ({ \
	const u32 words[] = { __VA_ARGS__ }; \
	execute(words, sizeof(words) / 4); \
})

static void packets(void)
{
	bool attached = false;
	unsigned int i;

	select_queue(2, 1, 3);
	regs_write(&gpu, CP_HQD_PQ_BASE, (u32)((MEM_FB_BASE + RING) >> 8));
	regs_write(&gpu, CP_HQD_PQ_BASE_HI, (MEM_FB_BASE + RING) >> 40);
	regs_write(&gpu, CP_HQD_PQ_CONTROL, 9);
	regs_write(&gpu, CP_HQD_DOORBELL, 0x124 << 2 | DOORBELL_EN);
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	select_queue(1, 3, 3);
	ok(EXECUTE(HEADER(PM4_WRITE_DATA, 4), 0, CP_HQD_PQ_BASE / 4, 0, 0x77,
		   HEADER(PM4_COPY_DATA, 5), 5 << 8, CP_HQD_PQ_BASE / 4, 0, KERNEL(WORD + 4),
		   HEADER(PM4_SET_CONFIG_REG, 2), (REG_AT(REG_SQ_CMD) / 4) - 0x2000, 3 | 1 << 4) &&
	   ((u32 *)mem_ptr(&gpu, WORD, 8, false))[1] == 0x77,
	   "a packet of the kernel reaches the registers of a slot");

	regs_write(&gpu, CP_HQD_VMID, 8);
	regs_write(&gpu, CP_HQD_DOORBELL, 0x200 << 2 | DOORBELL_EN);
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	for (i = 0; i < 5000 && !attached; i++) {
		usleep(1000);
		mec_lock(&gpu);
		attached = gpu.spi->partition[0].queues;
		mec_unlock(&gpu);
	}
	ok(attached && EXECUTE(HEADER(PM4_UNMAP_QUEUES, 5), 0, 0x200 << 2, 0, 0, 0) &&
	   !gpu.spi->partition[0].queues && !regs_read(&gpu, CP_HQD_ACTIVE),
	   "one that unmaps a process' queue leaves nothing of it");
}

static void bad_values(void)
{
	const struct ih_vector v = { .source = 1 };

	select_queue(2, 0, 4);
	regs_write(&gpu, CP_HQD_VMID, 8);
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	ok(!mec_hqd(&gpu, 0, 2, 0, 4)->active && !(regs_read(&gpu, CP_HQD_ACTIVE) & 1),
	   "ME 2 has no place for a process' queue");
	select_queue(2, 0, 5);
	regs_write(&gpu, CP_HQD_AQL_CONTROL, 1);
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	ok(mec_hqd(&gpu, 0, 2, 0, 5)->active && EXECUTE(HEADER(PM4_NOP, 1), 0),
	   "a queue of the kernel that says it is AQL harms nobody");
	regs_write(&gpu, REG_AT(REG_IH_RB_BASE), 0x100);
	regs_write(&gpu, REG_AT(REG_IH_RB_CNTL), 1 | 9 << 1 | 4u << 28);
	ih_post(&gpu, &v);
	ok(!regs_read(&gpu, REG_AT(REG_IH_RB_WPTR)), "an interrupt ring at no address takes none");
	regs_write(&gpu, REG_AT(REG_IH_RB_BASE), (u32)((MEM_FB_BASE + RING) >> 8));
	regs_write(&gpu, REG_AT(REG_IH_RB_BASE_HI), MEM_FB_BASE >> 40);
	regs_write(&gpu, REG_AT(REG_IH_RB_WPTR_ADDR_LO), WORD + 2);
	regs_write(&gpu, REG_AT(REG_IH_RB_WPTR_ADDR_HI), MEM_FB_BASE >> 32);
	regs_write(&gpu, REG_AT(REG_IH_RB_CNTL), 1 | 9 << 1 | 1 << 8 | 4u << 28);
	ih_post(&gpu, &v);
	ok(regs_read(&gpu, REG_AT(REG_IH_RB_WPTR)) == 32 && *(u32 *)mem_ptr(&gpu, WORD, 4, false) == 32,
	   "one that writes its pointer back does so to a whole word");
	regs_write(&gpu, REG_AT(REG_IH_RB_CNTL), 0);
}

static void resets(void)
{
	u8 flr[2] = { FLR & 0xff, FLR >> 8 };

	regs_write(&gpu, 0x12340, 7);
	select_queue(1, 2, 2);
	regs_write(&gpu, CP_HQD_ACTIVE, 1);
	ok(regs_read(&gpu, REG_AT(REG_BIOS_SCRATCH_7)) == BIOS_SCRATCH_7_POSTED, "powered on: posted");
	pci_write(&gpu, PCI_CONFIG, DEVCTL, flr, 2);
	ok(!regs_read(&gpu, 0x12340) && !mec_hqd(&gpu, 0, 1, 2, 2)->active, "FLR drops all");
	ok(!regs_read(&gpu, REG_AT(REG_BIOS_SCRATCH_7)), "and the card wants a post");
	pci_read(&gpu, PCI_CONFIG, DEVCTL, flr, 2);
	ok(!(flr[1] & (FLR >> 8)), "the reset bit reads 0");
}

int main(void)
{
	device_start(&gpu);
	banks();
	activation();
	shader_trap();
	handshakes();
	packets();
	bad_values();
	resets();
	device_stop(&gpu);
	return tap_done();
}
