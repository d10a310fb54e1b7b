// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of retry faults: which faults are some, what the driver is sent, how
 * often, and that it may take pages away from queues that run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "virtual_time.h"
#include "device.h"
#include "host/params.h"
#include "tap.h"

#define VMID		8
#define PASID		0x8001
#define MAPPED		0x1000ull
#define READ_ONLY	0x2000ull
#define NO_PAGE		0x3000ull
#define REFUSED		0x4000ull		/* by the driver */
#define OUTSIDE		0x5000ull		/* a page behind VRAM */
#define MANY		0x10000ull		/* pages without a page */
#define NO_BLOCK	0x200000ull		/* the second block of 2 MiB has no table, */
#define NO_BLOCK_AT_ALL	0x400000ull		/* the third is refused */

/* VRAM offsets. */
#define PDB2		0x100000ull
#define PDB1		0x101000ull
#define PDB0		0x102000ull
#define PTB		0x103000ull
#define RING		0x200000ull
#define RING_BYTES	4096u

#define V		1ull
#define S		2ull
#define X		0x10ull
#define R		0x20ull
#define W		0x40ull
#define PRT		(1ull << 51)
#define LEAF		(1ull << 54)
#define FURTHER		(1ull << 56)
#define CNTL		(1 | 2 << 1 | 9 << 3)
#define CNTL_RETRY	(1 << 7)
#define CAM_DOORBELL	0x1f6u

static struct gpu gpu;

static u64 *table(u64 off)
{
	return mem_ptr(&gpu, off, 4096, false);
}

static void tables(void)
{
	u64 *ptb = table(PTB);

	table(PDB2)[0] = PDB1 | V;
	table(PDB1)[0] = PDB0 | V | 9ull << 59;
	table(PDB0)[0] = PTB | V | FURTHER;
	table(PDB0)[2] = X | LEAF | FURTHER;
	ptb[MAPPED >> 12] = 0x300000 | V | R | W;
	ptb[READ_ONLY >> 12] = 0x301000 | V | R;
	ptb[NO_PAGE >> 12] = X;
	ptb[REFUSED >> 12] = V | S | PRT;
	ptb[OUTSIDE >> 12] = (u64)DEVICE_VRAM_MB << 20 | V | R | W;
	vm_set_field(&gpu, VMID, VM_CNTL, CNTL | CNTL_RETRY);
	vm_set_field(&gpu, VMID, VM_END_LO, ~0u);
	vm_set_base(&gpu, VMID, PDB2 | V);
	ih_set_vmid_pasid(&gpu, VMID, PASID);
}

static void ring_new(void)
{
	regs_write(&gpu, REG_AT(REG_IH_RB_BASE), (u32)((MEM_FB_BASE + RING) >> 8));
	regs_write(&gpu, REG_AT(REG_IH_RB_BASE_HI), MEM_FB_BASE >> 40);
	regs_set(&gpu, REG_AT(REG_IH_RB_WPTR), 0);
	regs_set(&gpu, REG_AT(REG_IH_RB_RPTR), RING_BYTES - 32);
	regs_write(&gpu, REG_AT(REG_IH_RB_CNTL), 1 | 10 << 1 | 4u << 28);
}

static void xnack(bool on)
{
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL), VMID << 4);
	regs_write(&gpu, REG_AT(REG_SH_MEM_CONFIG), on ? 0 : SH_MEM_CONFIG_RETRY_DISABLE);
}

static void cam(bool on)
{
	regs_write(&gpu, REG_AT(REG_IH_DOORBELL_RETRY_CAM), CAM_DOORBELL | 1u << 28);
	regs_write(&gpu, REG_AT(REG_IH_RETRY_CAM_CNTL), on ? 1 << 16 : 0);
	ring_new();
}

/* As amdgpu does when it is through with a fault. */
static void answer(u32 index)
{
	pci_write(&gpu, PCI_BAR2, CAM_DOORBELL * 4, &index, 4);
}

static unsigned int vectors(void)
{
	clock_run_until(gpu_now() + param.fault_ns);
	return regs_read(&gpu, REG_AT(REG_IH_RB_WPTR)) / 32;
}

/* The last one. */
static const u32 *vector(void)
{
	return (u32 *)table(RING) + 8 * (vectors() - 1);
}

static bool retry(unsigned int vmid, u64 va, bool write)
{
	bool again;

	mem_enter(&gpu);
	again = vm_retry(&gpu, vmid, va, write);
	mem_exit(&gpu);
	return again;
}

/* gmc_v9_0_process_interrupt() takes it apart. */
static bool told(u64 va, u32 flags, u8 ring)
{
	const u32 *v = vector();

	return (v[0] & 0xffff) == 0x1b && (v[0] >> 16 & 0xff) == ring && v[0] >> 24 == VMID &&
	       (v[3] & 0xffff) == PASID && v[4] == va >> 12 && v[5] == flags;
}

/* The driver is asked for a page, or told that an access was in vain. */
static void test_which(void)
{
	cam(true);
	xnack(true);
	ok(retry(VMID, NO_PAGE + 0x123, false) && vectors() == 1 && told(NO_PAGE, 0x80, 0x08),
	   "a read of a page that is not there: a retry fault");
	ok(retry(VMID, READ_ONLY, true) && vectors() == 2 && told(READ_ONLY, 0xa0, 0x20),
	   "a write to a read-only one");
	ok(retry(VMID, NO_BLOCK, true) && vectors() == 3 && told(NO_BLOCK, 0xa0, 0x08),
	   "where there is no table");
	ok(retry(VMID, MAPPED, true) && retry(VMID, READ_ONLY, false) && vectors() == 3,
	   "a page that came meanwhile: again, nothing is sent");
	cam(true);
	ok(!retry(VMID, REFUSED, false) && vectors() == 1 && told(REFUSED, 0, 0x08),
	   "a page that the driver refuses: a fault");
	ok(!retry(VMID, NO_BLOCK_AT_ALL, true) && vectors() == 2 &&
	   told(NO_BLOCK_AT_ALL, 0x20, 0x08), "likewise 2 MiB");
	ok(!retry(VMID, OUTSIDE, false) && vectors() == 3 && told(OUTSIDE, 0, 0x08),
	   "a page that leads nowhere");
	ok(!retry(0, NO_PAGE, false) && vectors() == 4, "an access of the kernel's");
	xnack(false);
	vm_flush(&gpu, 1 << VMID);
	ok(!retry(VMID, NO_PAGE, false) && told(NO_PAGE, 0, 0x08), "without XNACK: a fault");
	xnack(true);
	vm_set_field(&gpu, VMID, VM_CNTL, CNTL);
	ok(!retry(VMID, NO_PAGE, false) && told(NO_PAGE, 0, 0x08),
	   "and if the context sends none");
	vm_set_field(&gpu, VMID, VM_CNTL, CNTL | CNTL_RETRY);
}

static void test_copies(void)
{
	u32 v[2] = { 1, 2 };

	cam(true);
	ok(vm_write_retry(&gpu, VMID, READ_ONLY - 4, v, 8) == -EAGAIN &&
	   told(READ_ONLY, 0xa0, 0x20), "a copy is to be made again");
	ok(vm_read_retry(&gpu, VMID, NO_PAGE, v, 4) == -EAGAIN && told(NO_PAGE, 0x80, 0x08) &&
	   vm_read_retry(&gpu, VMID, REFUSED, v, 4) == -EFAULT, "or is not");
	ok(!vm_write_retry(&gpu, VMID, MAPPED, v, 8) &&
	   vm_write(&gpu, VMID, NO_PAGE, v, 4) == -EFAULT && told(NO_PAGE, 0x20, 0x08),
	   "the command processor's are not");
}

static void test_cam(void)
{
	u32 first, second;
	unsigned int i;

	cam(true);
	retry(VMID, MANY, false);
	first = vector()[6];
	for (i = 0; i < 5; i++)
		retry(VMID, MANY + 0x800, false);
	ok(vectors() == 1, "a page is asked for once");
	retry(VMID, MANY + 0x1000, false);
	second = vector()[6];
	ok(vectors() == 2 && first != second, "another one is another one");
	answer(second);
	retry(VMID, MANY, false);
	ok(vectors() == 2, "the driver's answer to that changes nothing for the first");
	answer(first);
	retry(VMID, MANY, false);
	ok(vectors() == 3 && vector()[6] == first, "its own does: not there yet, asked for again");
	ih_set_vmid_pasid(&gpu, VMID, PASID + 1);
	retry(VMID, MANY, false);
	ok(vectors() == 4, "another process' page is another one");
	ih_set_vmid_pasid(&gpu, VMID, PASID);
	cam(true);
	for (i = 0; i < RETRY_CAM_ENTRIES + 5; i++)
		retry(VMID, MANY + 0x1000 * i, false);
	ok(vectors() == RETRY_CAM_ENTRIES, "so many pages at a time");
	answer(3);
	answer(1000);
	ok(retry(VMID, MANY + 0x1000 * (RETRY_CAM_ENTRIES + 1), false) &&
	   vectors() == RETRY_CAM_ENTRIES + 1 && vector()[6] == 3, "others when one is answered");
	cam(false);
	retry(VMID, MANY, false);
	retry(VMID, MANY, false);
	ok(vectors() == 2, "not enabled: each time");
}

static bool left;

static void *user(void *arg)
{
	mem_enter(&gpu);
	__atomic_store_n((bool *)arg, true, __ATOMIC_RELEASE);
	usleep(20000);
	__atomic_store_n(&left, true, __ATOMIC_RELEASE);
	mem_exit(&gpu);
	return NULL;
}

/* A worker in its slice has pointers to pages. */
static bool waited(void)
{
	bool inside = false, good;
	pthread_t t;

	left = false;
	pthread_create(&t, NULL, user, &inside);
	while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
		usleep(100);
	regs_write(&gpu, REG_AT(REG_VM_INV_REQ), 1 << VMID);
	good = __atomic_load_n(&left, __ATOMIC_ACQUIRE);
	pthread_join(t, NULL);
	return good;
}

static void test_invalidate(void)
{
	u32 before = vm_generation(&gpu, VMID);

	ok(waited() && vm_generation(&gpu, VMID) != before,
	   "an invalidation waits for who uses what was there");
	xnack(false);
	ok(waited(), "without XNACK, too: a process may unmap what its waves use");
	xnack(true);
}

int main(void)
{
	virtual_time();
	device_start(&gpu);
	tables();
	test_which();
	test_copies();
	test_cam();
	test_invalidate();
	pci_reset(&gpu, true);
	ok(!vm_retries(&gpu, VMID), "a reset ends XNACK");
	device_stop(&gpu);
	return tap_done();
}
