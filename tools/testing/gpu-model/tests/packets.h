/* SPDX-License-Identifier: GPL-2.0 */
/* For tests of packets: a device whose interrupts are caught, and a process on it. */
#ifndef GPU_MODEL_TESTS_PACKETS_H
#define GPU_MODEL_TESTS_PACKETS_H

#include <string.h>

#include "tap.h"
#include "device.h"

#define LO(a)		((u32)(a))
#define HI(a)		((u32)((u64)(a) >> 32))

/* Page tables of the process, which sees the first 4 MiB of VRAM at address 0. */
#define PDB2		0x200000ull
#define PDB1		0x201000ull
#define PDB0		0x202000ull
#define VMID		8u
#define PTE_V		1ull
#define PTE_RW		0x60ull

static struct gpu gpu;
static pthread_mutex_t irq_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int irqs;
static struct ih_vector irq;

/* In the place of ih.c's. */
void ih_post(struct gpu *g, const struct ih_vector *v)
{
	(void)g;
	pthread_mutex_lock(&irq_lock);
	irq = *v;
	irqs++;
	pthread_mutex_unlock(&irq_lock);
}

/* How many came, and the last one if it is wanted. */
static inline unsigned int irqs_seen(struct ih_vector *last)
{
	unsigned int n;

	pthread_mutex_lock(&irq_lock);
	n = irqs;
	if (last)
		*last = irq;
	pthread_mutex_unlock(&irq_lock);
	return n;
}

static inline u32 *vram(u64 off)
{
	return mem_ptr(&gpu, off, 4, false);
}

static inline void process_start(void)
{
	u64 *pdb2 = mem_ptr(&gpu, PDB2, 4096, false);
	u64 *pdb1 = mem_ptr(&gpu, PDB1, 4096, false);
	u64 *pdb0 = mem_ptr(&gpu, PDB0, 4096, false);
	unsigned int i;

	pdb2[0] = PDB1 | PTE_V;
	pdb1[0] = PDB0 | PTE_V | 9ull << 59;
	for (i = 0; i < 2; i++)
		pdb0[i] = i * 0x200000ull | PTE_V | PTE_RW;
	vm_set_field(&gpu, VMID, VM_CNTL, 1 | 2 << 1 | 9 << 3);
	vm_set_field(&gpu, VMID, VM_END_LO, ~0u);
	vm_set_base(&gpu, VMID, PDB2 | PTE_V);
}

#endif
