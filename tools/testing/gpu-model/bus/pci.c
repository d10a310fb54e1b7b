// SPDX-License-Identifier: GPL-2.0
/* PCI side of the device; see pci.h. */
#include <errno.h>
#include <string.h>

#include "asic.h"
#include "bus/discovery.h"
#include "bus/nbio.h"
#include "host/log.h"
#include "bus/memory.h"
#include "bus/pci.h"
#include "bus/regs.h"
#include "bus/vbios.h"

#define CAP_PM		0x50
#define CAP_PCIE	0x64
#define CAP_MSI		0xa0
#define COMMAND		0x04
#define COMMAND_MEMORY	0x2
#define BAR2		0x18
#define DEVCAP		(CAP_PCIE + 4)
#define DEVCTL		(CAP_PCIE + 8)
#define DEVCTL_FLR	(1u << 15)
#define DEVCAP_FLR	(1u << 28)
#define DEVCAP_ROLE_ERR	(1u << 15)

/* One device a process, so the space and the mask of writable bits are here. */
static u8 config[PCI_CONFIG_SIZE], writable[PCI_CONFIG_SIZE];
static u8 rom[PCI_ROM_SIZE];
/* Where the doorbells are on the bus; 0 while memory is not decoded. */
static u64 doorbell_base;

static void set16(u32 at, u32 val, u32 write)
{
	config[at] = val;
	config[at + 1] = val >> 8;
	writable[at] = write;
	writable[at + 1] = write >> 8;
}

static void set32(u32 at, u32 val, u32 write)
{
	set16(at, val, write);
	set16(at + 2, val >> 16, write >> 16);
}

/* Address bits of a region of @size bytes; its type bits stay. */
static u32 bar_mask(u64 size)
{
	return ~(u32)(size - 1);
}

/* What the firmware leaves at the end of VRAM when the device has powered up. */
static void describe(struct gpu *g)
{
	if (!asic_of(g)->discovery)
		return;
	mem_enter(g);
	discovery_build(&g->cfg, mem_ptr(g, mem_vram_size(g) - DISCOVERY_OFFSET, DISCOVERY_SIZE,
					 false));
	mem_exit(g);
}

/* @posted: has the VBIOS' init table run? */
static void power_on(struct gpu *g, bool posted)
{
	regs_reset(g);
	if (posted)
		reg_set(g, REG_BIOS_SCRATCH_7, BIOS_SCRATCH_7_POSTED);
	describe(g);
}

void pci_init(struct gpu *g)
{
	const struct asic *asic = asic_of(g);
	u64 vram = mem_vram_size(g);

	memset(config, 0, sizeof(config));
	memset(writable, 0, sizeof(writable));
	set16(0x00, PCI_VENDOR, 0);
	set16(0x02, asic->device, 0);
	set16(0x04, 0, 0x0547);		/* memory, master, parity, SERR, INTx disable */
	set16(0x06, 0x0010, 0);		/* capability list */
	config[0x08] = asic->revision;
	config[0x0a] = asic->class & 0xff;
	config[0x0b] = asic->class >> 8;
	writable[0x0c] = 0xff;		/* cache line size */
	set32(0x10, 0x0000000c, vram < 1ull << 32 ? bar_mask(vram) : 0);
	set32(0x14, 0, vram < 1ull << 32 ? ~0u : bar_mask(vram >> 32));
	set32(0x18, 0x0000000c, bar_mask(DOORBELL_SIZE));
	set32(0x1c, 0, ~0u);
	set32(0x24, 0, bar_mask(regs_size(g)));
	set16(0x2c, PCI_VENDOR, 0);
	set16(0x2e, asic->subsystem, 0);
	set32(0x30, 0, bar_mask(PCI_ROM_SIZE) | 1);
	config[0x34] = CAP_PM;
	writable[0x3c] = 0xff;		/* interrupt line; there is no INTx pin */

	set16(CAP_PM, 0x01 | CAP_PCIE << 8, 0);
	set16(CAP_PM + 2, 0x0003, 0);			/* version 3, D0 and D3 */
	set16(CAP_PM + 4, 0x0008, 0x0003);		/* no soft reset */

	set16(CAP_PCIE, 0x10 | CAP_MSI << 8, 0);
	set16(CAP_PCIE + 2, 0x0002, 0);			/* version 2, endpoint */
	set32(DEVCAP, DEVCAP_FLR | DEVCAP_ROLE_ERR | 1, 0);
	set16(DEVCTL, 0x2810, 0x7fff);			/* FLR starts a reset, reads 0 */
	set32(CAP_PCIE + 0xc, 0x00000104, 0);		/* 16 lanes, 16 GT/s */
	set16(CAP_PCIE + 0x10, 0, 0x0fff);
	set16(CAP_PCIE + 0x12, 0x0104, 0);
	set32(CAP_PCIE + 0x24, 0x00000000, 0);
	set16(CAP_PCIE + 0x28, 0, 0xffff);
	set32(CAP_PCIE + 0x2c, 0x0000001e, 0);
	set16(CAP_PCIE + 0x30, 0x0004, 0xffff);

	set16(CAP_MSI, 0x05, 0);
	set16(CAP_MSI + 2, 0x0080, 0x0001);		/* one vector, 64-bit address */
	set32(CAP_MSI + 4, 0, ~3u);
	set32(CAP_MSI + 8, 0, ~0u);
	set16(CAP_MSI + 12, 0, 0xffff);

	vbios_build(&g->cfg, rom, sizeof(rom));
}

static int start(struct gpu *g)
{
	pci_init(g);
	power_on(g, true);
	return 0;
}

u64 pci_region_size(struct gpu *g, unsigned int region)
{
	switch (region) {
	case PCI_BAR0: return mem_vram_size(g);
	case PCI_BAR2: return DOORBELL_SIZE;
	case PCI_BAR5: return regs_size(g);
	case PCI_ROM: return PCI_ROM_SIZE;
	case PCI_CONFIG: return PCI_CONFIG_SIZE;
	default: return 0;
	}
}

void pci_reset(struct gpu *g, bool posted)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	unsigned int i;

	pthread_mutex_lock(&lock);	/* the guest's and the control socket's */
	log_event("reset", "posted=%d", posted);
	for (i = g->nblocks; i--;)
		if (g->blocks[i]->reset)
			g->blocks[i]->reset(g);
	power_on(g, posted);
	pthread_mutex_unlock(&lock);
}

/* An access may be narrower than a register, or span several. */
static u32 reg_bytes(struct gpu *g, u64 off, u8 *buf, size_t len)
{
	u32 in = off & 3, n = 4 - in < len ? 4 - in : len;
	u32 val = regs_read(g, off & ~3ull);

	memcpy(buf, (u8 *)&val + in, n);
	return n;
}

int pci_read(struct gpu *g, unsigned int region, u64 off, void *buf, size_t len)
{
	u64 size = pci_region_size(g, region);
	u8 *out = buf;

	if (off >= size || len > size - off)
		return -EINVAL;
	switch (region) {
	case PCI_BAR0:
		mem_enter(g);
		memcpy(buf, mem_ptr(g, off, len, false), len);
		mem_exit(g);
		break;
	case PCI_BAR2:		/* doorbells are write-only */
		memset(buf, 0, len);
		break;
	case PCI_BAR5:
		while (len) {
			u32 n = reg_bytes(g, off, out, len);

			out += n;
			off += n;
			len -= n;
		}
		break;
	case PCI_ROM:
		memcpy(buf, rom + off, len);
		break;
	case PCI_CONFIG:
		memcpy(buf, config + off, len);
		break;
	}
	return 0;
}

static void doorbell(struct gpu *g, u64 off, const void *buf, size_t len)
{
	u64 value = 0;
	unsigned int i;

	if (len != 4 && len != 8)
		return;
	memcpy(&value, buf, len);
	for (i = 0; i < g->nblocks; i++)
		if (g->blocks[i]->doorbell && g->blocks[i]->doorbell(g, off / 4, value))
			return;
}

/* Is @addr on the bus in the doorbell BAR? @off: out: where there. */
static bool in_doorbells(u64 addr, u64 *off)
{
	u64 base = __atomic_load_n(&doorbell_base, __ATOMIC_RELAXED);

	*off = addr - base;
	return base && addr >= base && *off < DOORBELL_SIZE;
}

bool pci_loop_back(struct gpu *g, u64 addr, const void *buf, size_t len)
{
	u64 off;

	if (!in_doorbells(addr, &off))
		return false;
	doorbell(g, off, buf, len);
	return true;
}

#define POSTS	1024		/* a process has so many doorbells */

/* What the thread's waves have rung. */
static _Thread_local struct {
	u64 off, value;
	size_t len;
} posted[POSTS];
static _Thread_local unsigned int posts;

bool pci_post(struct gpu *g, u64 addr, const u64 *value, size_t len)
{
	unsigned int i;
	u64 off;

	(void)g;
	if (!in_doorbells(addr, &off))
		return false;
	if (!value)
		return true;
	/* the last one wins, as in hardware */
	for (i = 0; i < posts && posted[i].off != off; i++)
		;
	if (i == POSTS) {
		log_warn("more than %u doorbells at once by waves: one is lost", POSTS);
		return true;
	}
	posts += i == posts;
	posted[i].off = off;
	posted[i].value = *value;
	posted[i].len = len;
	return true;
}

void pci_flush(struct gpu *g)
{
	unsigned int i;

	for (i = 0; i < posts; i++)
		doorbell(g, posted[i].off, &posted[i].value, posted[i].len);
	posts = 0;
}

static void config_write(struct gpu *g, u64 off, const u8 *buf, size_t len)
{
	u64 base;
	size_t i;

	for (i = 0; i < len; i++)
		config[off + i] = (config[off + i] & ~writable[off + i]) |
				  (buf[i] & writable[off + i]);
	memcpy(&base, &config[BAR2], sizeof(base));
	if (!(config[COMMAND] & COMMAND_MEMORY))
		base = 0;
	__atomic_store_n(&doorbell_base, base & ~0xfull, __ATOMIC_RELAXED);
	if (off <= DEVCTL + 1 && off + len > DEVCTL + 1 &&
	    (buf[DEVCTL + 1 - off] & (DEVCTL_FLR >> 8)))
		pci_reset(g, false);
}

int pci_write(struct gpu *g, unsigned int region, u64 off, const void *buf, size_t len)
{
	u64 size = pci_region_size(g, region);
	const u8 *in = buf;
	u32 val;

	if (off >= size || len > size - off)
		return -EINVAL;
	switch (region) {
	case PCI_BAR0:
		mem_enter(g);
		memcpy(mem_ptr(g, off, len, false), buf, len);
		mem_exit(g);
		break;
	case PCI_BAR2:
		doorbell(g, off, buf, len);
		break;
	case PCI_BAR5:
		if ((off | len) & 3)
			return -EINVAL;
		for (; len; len -= 4, off += 4, in += 4) {
			memcpy(&val, in, 4);
			regs_write(g, off, val);
		}
		break;
	case PCI_ROM:
		break;
	case PCI_CONFIG:
		config_write(g, off, buf, len);
		break;
	}
	return 0;
}

const struct block pci_block = {
	.name = "PCI",
	.start = start,
};
