// SPDX-License-Identifier: GPL-2.0
/* Unit tests of what differs between the GPUs: identity, registers, discovery. */
#include <string.h>

#include "tap.h"
#include "device.h"
#include "asic.h"
#include "discovery.h"

#define MM_INDEX_VRAM	(1u << 31)
#define STRAP0		(4 * (0xd20 + 0x16))
/* VM_INVALIDATE_ENG17_REQ and _ACK as gc_9_4_2 and gc_9_4_3 have them. */
#define REQ_9_4_2	(4 * (0x2000 + 0x8a3 + 17))
#define ACK_9_4_2	(4 * (0x2000 + 0x8b5 + 17))
#define REQ_9_4_3	(4 * (0x2000 + 0x883 + 17))
#define ACK_9_4_3	(4 * (0x2000 + 0x895 + 17))

static struct gpu gpu;

static void start(unsigned int asic)
{
	device_start(&gpu);
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
	start(ASIC_MI210);
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

	start(ASIC_MI300X);
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

int main(void)
{
	mi210();
	mi300x();
	return tap_done();
}
