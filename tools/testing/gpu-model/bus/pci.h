/* SPDX-License-Identifier: GPL-2.0 */
/* PCI configuration space and the regions behind the BARs. */
#ifndef GPU_MODEL_PCI_H
#define GPU_MODEL_PCI_H

#include "block.h"

/* Region numbers of VFIO. */
enum pci_region {
	PCI_BAR0,	/* VRAM */
	PCI_BAR1,
	PCI_BAR2,	/* doorbells */
	PCI_BAR3,
	PCI_BAR4,
	PCI_BAR5,	/* registers */
	PCI_ROM,
	PCI_CONFIG,
	PCI_VGA,
	PCI_REGIONS,
};

#define PCI_CONFIG_SIZE	4096
#define PCI_ROM_SIZE	65536
#define DOORBELL_SIZE	(2u << 20)

extern const struct block pci_block;

/* Configuration space and ROM as at power-on. */
void pci_init(struct gpu *g);

u64 pci_region_size(struct gpu *g, unsigned int region);

/* Access @len bytes of a region; 0 or -EINVAL when outside of it. */
int pci_read(struct gpu *g, unsigned int region, u64 off, void *buf, size_t len);
int pci_write(struct gpu *g, unsigned int region, u64 off, const void *buf, size_t len);

/*
 * A write by the GPU itself to a bus address: rings if it is in the doorbell BAR,
 * else false.
 */
bool pci_loop_back(struct gpu *g, u64 addr, const void *buf, size_t len);

/*
 * The same by waves, which run under mem_enter(), where no block may be told: doorbells are
 * posted, and ring when the thread has left that and calls pci_flush(). @value NULL: only say
 * whether @addr is in the doorbell BAR.
 */
bool pci_post(struct gpu *g, u64 addr, const u64 *value, size_t len);
void pci_flush(struct gpu *g);

/* Function-level reset; @posted: leave the card as after the VBIOS' init. Any thread. */
void pci_reset(struct gpu *g, bool posted);

#endif
