// SPDX-License-Identifier: GPL-2.0
/* Unit tests of what differs between the GPUs: identity, registers, discovery. */
#include <string.h>

#include "tap.h"
#include "device.h"
#include "bus/asic.h"
#include "bus/discovery.h"

#define MM_INDEX_VRAM	(1u << 31)
#define STRAP0		(4 * (0xd20 + 0x16))
/* VM_INVALIDATE_ENG17_REQ and _ACK as gc_9_4_2 and gc_9_4_3 have them. */
#define REQ_9_4_2	(4 * (0x2000 + 0x8a3 + 17))
#define ACK_9_4_2	(4 * (0x2000 + 0x8b5 + 17))
#define REQ_9_4_3	(4 * (0x2000 + 0x883 + 17))
#define ACK_9_4_3	(4 * (0x2000 + 0x895 + 17))
#define HQD_BASE_LO	(HQD_REG_BASE + 4 * HQD(136))

static struct gpu gpu;

static void start(unsigned int asic, unsigned int xccs)
{
	device_start_xccs(&gpu, xccs);
	gpu.cfg.asic = asic;
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
	regs_write(&gpu, REG_MM_INDEX, (u32)(off & 0x7fffffff) | MM_INDEX_VRAM);
	regs_write(&gpu, REG_MM_INDEX_HI, off >> 31);
	return regs_read(&gpu, REG_MM_DATA);
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
	ok(flushes(REQ_9_4_3, ACK_9_4_3) && !flushes(REQ_9_4_2 + 0x400, ACK_9_4_2 + 0x400),
	   "its registers are elsewhere");
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
	regs_write(&gpu, REG_MM_INDEX, MM_INDEX_VRAM | 16);
	regs_write(&gpu, REG_MM_INDEX_HI, 0);
	regs_write(&gpu, REG_MM_DATA, 0x12345678);
	ok(indexed(16) == 0x12345678, "VRAM is written through MM_DATA, too");
	ok(!indexed(1ull << 40), "behind its end there is nothing");
	device_stop(&gpu);
}

/* Registers that each XCC has for itself. */
static void xccs(void)
{
	const u32 second = regs_of_xcc(1, 0);
	u32 cntl = 1 << 2 | 2 | 3 << 8;		/* ME 1, pipe 2, queue 3 */

	start(ASIC_MI300X, 2);
	ok(pci_region_size(&gpu, PCI_BAR5) == 2 * REGS_SIZE, "two XCCs: more registers");
	ok(regs_read(&gpu, REG_CP_HYP_XCP_CTL) >> 3 == 2 &&
	   regs_read(&gpu, second + REG_CP_HYP_XCP_CTL) == XCP_CTL(1, 2), "in one partition");
	regs_write(&gpu, second + REG_GRBM_GFX_CNTL, cntl);
	regs_write(&gpu, second + HQD_BASE_LO, 0x1234);
	ok(mec_hqd(&gpu, 1, 1, 2, 3)->reg[HQD(136)] == 0x1234 &&
	   !mec_hqd(&gpu, 0, 1, 2, 3)->reg[HQD(136)] && !regs_read(&gpu, REG_GRBM_GFX_CNTL),
	   "slots and their selection of its own");
	ok(flushes(second + REQ_9_4_3, second + ACK_9_4_3), "its VM hub answers");
	ok(regs_in_packet(1, REG_SCRATCH_REG0) == second + REG_SCRATCH_REG0 &&
	   regs_in_packet(1, REG_IH_RB_BASE) == REG_IH_RB_BASE,
	   "its packets name its own registers, where it has some");
	ok(!regs_read(&gpu, second + REGS_XCC_SIZE) && !regs_read(&gpu, 2 * REGS_SIZE),
	   "behind its window there is nothing");
	device_stop(&gpu);
}

int main(void)
{
	mi210();
	mi300x();
	xccs();
	return tap_done();
}
