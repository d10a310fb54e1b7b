// SPDX-License-Identifier: GPL-2.0
/* Unit tests of what differs between the GPUs: identity, registers, discovery. */
#include <string.h>

#include "tap.h"
#include "device.h"
#include "asic.h"
#include "bus/discovery.h"
#include "bus/nbio.h"
#include "compute/compute_regs.h"
#include "compute/spi.h"
#include "cp/cp_regs.h"
#include "sdma/sdma.h"
#include "vm/walk.h"

#define MM_INDEX_VRAM	(1u << 31)
#define STRAP0		(4 * (0xd20 + 0x16))
/* VM_INVALIDATE_ENG17_REQ and _ACK as gc_9_4_2 and gc_9_4_3 have them. */
#define REQ_9_4_2	(4 * (0x2000 + 0x8a3 + 17))
#define ACK_9_4_2	(4 * (0x2000 + 0x8b5 + 17))
#define REQ_9_4_3	(4 * (0x2000 + 0x883 + 17))
#define ACK_9_4_3	(4 * (0x2000 + 0x895 + 17))
/* GCVM_INVALIDATE_ENG17_REQ and _ACK of gc_11_0_0. */
#define REQ_11_0_0	(4 * (0x1260 + 0x16ab + 17))
#define ACK_11_0_0	(4 * (0x1260 + 0x16bd + 17))
/* Likewise of the memory hub in mmhub_1_7. */
#define REQ_1_7		(4 * (0x1a000 + 0xbe3 + 17))
#define ACK_1_7		(4 * (0x1a000 + 0xbf5 + 17))
#define HQD_BASE_LO	(REG_AT(REG_CP_HQD) + 4 * HQD(136))

static struct gpu gpu;

static void start(unsigned int asic, unsigned int xccs)
{
	device_start_cfg(&gpu, (struct gpu_config){
		.asic = asic, .revision = 1, .xccs = xccs, .engines = 2, .cus_per_engine = 2,
	});
	pci_init(&gpu);
	pci_reset(&gpu, true);
}

static u32 config(u32 off)
{
	u32 v = 0;

	pci_read(&gpu, PCI_CONFIG, off, &v, sizeof(v));
	return v;
}

static bool flushes(u32 req, u32 ack)
{
	regs_write(&gpu, ack, 0);
	regs_write(&gpu, req, 1 << 8);
	return regs_read(&gpu, ack) == 1 << 8;
}

/* A dword of VRAM as the driver reads it before it has mapped the BAR. */
static u32 indexed(u64 off)
{
	regs_write(&gpu, REG_AT(REG_MM_INDEX), (u32)(off & 0x7fffffff) | MM_INDEX_VRAM);
	regs_write(&gpu, REG_AT(REG_MM_INDEX_HI), off >> 31);
	return regs_read(&gpu, REG_AT(REG_MM_DATA));
}

static u16 sum(const u8 *p, size_t len)
{
	u16 s = 0;

	while (len--)
		s += *p++;
	return s;
}

static u32 get16(const u8 *p)
{
	return p[0] | p[1] << 8;
}

static void mi210(void)
{
	start(ASIC_MI210, 1);
	ok(config(0) == 0x740f1002 && config(8) >> 16 == 0x0380, "MI210: its PCI identity");
	ok(flushes(REQ_9_4_2, ACK_9_4_2), "and its registers");
	ok(!indexed(((u64)DEVICE_VRAM_MB << 20) - DISCOVERY_OFFSET), "no discovery table");
	device_stop(&gpu);
}

static void mi300x(void)
{
	u64 at = ((u64)DEVICE_VRAM_MB << 20) - DISCOVERY_OFFSET;
	u8 table[DISCOVERY_SIZE];
	unsigned int i, size, bad = 0;

	start(ASIC_MI300X, 1);
	ok(config(0) == 0x74a11002 && config(8) >> 16 == 0x1200, "MI300X: its PCI identity");
	ok(flushes(REQ_9_4_3, ACK_9_4_3), "its registers are elsewhere");
	ok(!flushes(REQ_9_4_2, ACK_9_4_2) && !flushes(REQ_1_7, ACK_1_7), "and not where an MI210's are");
	ok(regs_read(&gpu, STRAP0) >> 24 == 1, "revision 1: gfx942");
	for (i = 0; i < sizeof(table); i += 4) {
		u32 v = indexed(at + i);

		memcpy(table + i, &v, sizeof(v));
	}
	ok(get16(table) == 0x1407 && get16(table + 2) == 0x2821, "discovery's signature");
	size = get16(table + 10);
	ok(size < sizeof(table) && sum(table + 10, size - 10) == get16(table + 8),
	   "checksum of the whole");
	for (i = 0; i < 3; i++) {
		const u8 *entry = table + 12 + 8 * i;

		bad += !get16(entry) || get16(entry) + get16(entry + 4) > size ||
		       sum(table + get16(entry), get16(entry + 4)) != get16(entry + 2);
	}
	ok(!bad, "and of each table");
	regs_write(&gpu, REG_AT(REG_MM_INDEX), MM_INDEX_VRAM | 16);
	regs_write(&gpu, REG_AT(REG_MM_INDEX_HI), 0);
	regs_write(&gpu, REG_AT(REG_MM_DATA), 0x12345678);
	ok(indexed(16) == 0x12345678, "VRAM is written through MM_DATA, too");
	ok(!indexed(1ull << 40), "behind its end there is nothing");
	device_stop(&gpu);
}

/* The result of a message. */
static u32 smu_says(u32 msg)
{
	regs_write(&gpu, REG_AT(REG_MP1_RESULT), 0);
	regs_write(&gpu, REG_AT(REG_MP1_MESSAGE), msg);
	return regs_read(&gpu, REG_AT(REG_MP1_RESULT));
}

/* Likewise, and what firmware tells of itself. */
static void gfx1100(void)
{
	start(ASIC_GFX1100, 1);
	ok(config(0) == 0x744c1002 && config(8) >> 16 == 0x0380, "gfx1100: its PCI identity");
	ok(flushes(REQ_11_0_0, ACK_11_0_0), "its registers are elsewhere");
	ok(regs_read(&gpu, REG_AT(REG_CP_CPC_IC_OP_CNTL)) & 2, "no cache of code to wait for");
	ok(regs_read(&gpu, REG_AT(REG_RSMU_DATA)) == 0 && smu_says(0x99) == 0xfe && smu_says(3) == 1 &&
	   regs_read(&gpu, REG_AT(REG_MP1_PARAM)) == 0x3d, "the SMU answers");
	regs_write(&gpu, REG_AT(REG_RSMU_INDEX), 0x3b10024);
	ok(regs_read(&gpu, REG_AT(REG_RSMU_DATA)) == 1, "and its firmware is there");
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_INDEX), 7);
	ok(smu_says(0x2f) == 1 && regs_read(&gpu, REG_AT(REG_GRBM_GFX_INDEX)) != 7,
	   "it resets the GPU");
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_INDEX), 7);
	regs_write(&gpu, REG_AT(REG_MP1_DEBUG_MESSAGE), 1);
	ok(regs_read(&gpu, REG_AT(REG_GRBM_GFX_INDEX)) == 7, "its other mailbox: another message");
	regs_write(&gpu, REG_AT(REG_MP1_DEBUG_MESSAGE), 2);
	ok(regs_read(&gpu, REG_AT(REG_GRBM_GFX_INDEX)) != 7, "and a reset");
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_INDEX), 1 << 16);
	ok(regs_read(&gpu, REG_AT(REG_CC_GC_SHADER_ARRAY_CONFIG)) == 0xfffe0000,
	   "one work-group processor an engine");
	ok(mec_hqd(&gpu, 0, ME_MES, 1, 0)->me == ME_MES &&
	   mec_hqd(&gpu, 0, ME_GFX, 0, 0)->me == ME_GFX && mec_hqd(&gpu, 0, 1, 3, 3) &&
	   !mec_hqd(&gpu, 0, 1, 0, 4), "slots of MES and of graphics");
	device_stop(&gpu);
	start(ASIC_MI210, 1);
	ok(!mec_hqd(&gpu, 0, ME_MES, 0, 0) && !mec_hqd(&gpu, 0, ME_GFX, 0, 0) &&
	   mec_hqd(&gpu, 0, 2, 0, 7), "which an MI210 has not");
	device_stop(&gpu);
}

/* Registers that each XCC has for itself. */
static void xccs(void)
{
	const u32 second = regs_of_xcc(1, 0);
	u32 cntl = 1 << 2 | 2 | 3 << 8;		/* ME 1, pipe 2, queue 3 */

	start(ASIC_MI300X, 2);
	ok(pci_region_size(&gpu, PCI_BAR5) == 2 * REGS_SIZE, "two XCCs: more registers");
	ok(regs_read(&gpu, REG_AT(REG_CP_HYP_XCP_CTL)) >> 3 == 2 &&
	   regs_read(&gpu, second + REG_AT(REG_CP_HYP_XCP_CTL)) == XCP_CTL(1, 2), "in one partition");
	regs_write(&gpu, second + REG_AT(REG_GRBM_GFX_CNTL), cntl);
	regs_write(&gpu, second + HQD_BASE_LO, 0x1234);
	ok(mec_hqd(&gpu, 1, 1, 2, 3)->reg[HQD(136)] == 0x1234 &&
	   !mec_hqd(&gpu, 0, 1, 2, 3)->reg[HQD(136)] && !regs_read(&gpu, REG_AT(REG_GRBM_GFX_CNTL)),
	   "slots and their selection of its own");
	ok(flushes(second + REQ_9_4_3, second + ACK_9_4_3), "its VM hub answers");
	ok(regs_in_packet(1, REG_AT(REG_SCRATCH_REG0)) == second + REG_AT(REG_SCRATCH_REG0) &&
	   regs_in_packet(1, REG_AT(REG_IH_RB_BASE)) == REG_AT(REG_IH_RB_BASE),
	   "its packets name its own registers, where it has some");
	ok(!regs_read(&gpu, second + REGS_XCC_SIZE) && !regs_read(&gpu, 2 * REGS_SIZE),
	   "behind its window there is nothing");
	device_stop(&gpu);
}

static u32 mode(void)
{
	return regs_read(&gpu, REG_AT(REG_PARTITION_COMPUTE_STATUS)) >> 4;
}

/* Does the page table's base that XCC @xcc is told for a VMID count? */
static bool base_counts(unsigned int xcc, u32 base)
{
	regs_write(&gpu, regs_of_xcc(xcc, 0xa32c) + 8 * 5, base);
	return gpu.vm->ctx[5][VM_BASE_LO] == base;
}

/* What the driver writes to change the compute partition mode, and what it must not. */
static void partitions(void)
{
	const u32 second = regs_of_xcc(1, REG_AT(REG_CP_HYP_XCP_CTL));

	start(ASIC_MI300X, 2);
	ok(!mode() && gpu_partition(&gpu) == 2 && gpu_leader(&gpu, 1) == 0, "SPX: one of all XCCs");
	ok(base_counts(0, 0x1001) && !base_counts(1, 0x2001), "VM contexts: the leader's count");
	ok(regs_read(&gpu, REG_AT(REG_PARTITION_MEM_STATUS)) >> 4 == 1 &&
	   regs_read(&gpu, REG_AT(REG_PARTITION_MEM_CAP)) == 1, "NPS1 alone");
	regs_write(&gpu, REG_AT(REG_CP_HYP_XCP_CTL), XCP_CTL(0, 1));
	regs_write(&gpu, second, XCP_CTL(0, 1));
	ok(mode() == 4 && gpu_partition(&gpu) == 1 && gpu_leader(&gpu, 1) == 1,
	   "CPX: each XCC is one");
	ok(regs_read(&gpu, second) == XCP_CTL(0, 1), "and says so");
	ok(base_counts(0, 0x3001) && base_counts(1, 0x4001), "the second leads itself");
	ok(sdma_first(&gpu, 0) == 0 && sdma_first(&gpu, 1) == 2, "with half of the SDMA engines");
	regs_write(&gpu, REG_AT(REG_CP_HYP_XCP_CTL), XCP_CTL(0, 0));
	regs_write(&gpu, REG_AT(REG_CP_HYP_XCP_CTL), XCP_CTL(0, 3));
	regs_write(&gpu, REG_AT(REG_CP_HYP_XCP_CTL), XCP_CTL(0, 15));
	regs_write(&gpu, REG_AT(REG_CP_HYP_XCP_CTL), XCP_CTL(1, 2));
	regs_write(&gpu, second, XCP_CTL(0, 2));
	ok(mode() == 4 && regs_read(&gpu, REG_AT(REG_CP_HYP_XCP_CTL)) == XCP_CTL(0, 1) &&
	   regs_read(&gpu, second) == XCP_CTL(0, 1), "what cannot be changes nothing");
	regs_write(&gpu, REG_AT(REG_PARTITION_COMPUTE_STATUS), 0);
	ok(mode() == 4, "the mode is not to be written");
	pci_reset(&gpu, true);
	ok(!mode(), "a reset makes it one partition again");
	device_stop(&gpu);
	start(ASIC_MI300X, 1);
	ok(!mode(), "one XCC is one partition: SPX");
	device_stop(&gpu);
}

/* Bits of the units that do not work, of an engine of the second die. */
static u32 inactive(unsigned int engine)
{
	const u32 second = regs_of_xcc(1, 0);

	regs_write(&gpu, second + REG_AT(REG_GRBM_GFX_INDEX), engine << 16);
	return regs_read(&gpu, second + REG_AT(REG_CC_GC_SHADER_ARRAY_CONFIG));
}

/* Units that do not work: the driver is told which, and none of them is there. */
static void inactive_cus(void)
{
	const struct gpu_config config = {
		.asic = ASIC_MI300X, .xccs = 2, .engines = 4, .cus_per_engine = 10,
		.inactive_cus = 2,
	};
	unsigned int i, wrong = 0;

	device_start_cfg(&gpu, config);
	ok(gpu.spi->ncus == 76, "two of each die's 40 units do not work");
	for (i = 0; i < gpu.spi->ncus; i++)
		wrong += gpu.spi->cus[i].index >= (gpu.spi->cus[i].engine < 2 ? 10 : 9);
	ok(!wrong, "the last of two engines");
	ok(inactive(0) == 0xfc000000 && inactive(1) == 0xfc000000 && inactive(2) == 0xfe000000 &&
	   inactive(3) == 0xfe000000, "their bits say so, as those of units that there are not");
	device_stop(&gpu);
}

/* Names that a GPU has are registers of its BAR, each another one. */
static void offsets(void)
{
	unsigned int i, j, k, wrong = 0;

	for (i = 0; i < ASICS; i++) {
		const u32 *reg = asics[i]->reg;

		for (j = 1; j < REG_IDS; j++) {
			wrong += reg[j] % 4 || reg[j] >= REGS_SIZE;
			for (k = 0; reg[j] && k < j; k++)
				wrong += reg[j] == reg[k];
		}
	}
	ok(!wrong, "each register has a place of its own");
	ok(reg_at(&(struct gpu){}, 0, REG_MM_INDEX) == 0, "the first is at 0");
}

int main(void)
{
	offsets();
	mi210();
	mi300x();
	gfx1100();
	xccs();
	partitions();
	inactive_cus();
	return tap_done();
}
