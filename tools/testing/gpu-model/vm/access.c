// SPDX-License-Identifier: GPL-2.0
/* Accesses by virtual address, and how they fault; see vm.h. */
#include <errno.h>
#include <string.h>

#include "bus/memory.h"
#include "bus/pci.h"
#include "fault.h"
#include "host/log.h"
#include "walk.h"

static enum vm_fault kind_of(const char *why)
{
	return why == vm_not_readable ? VM_FAULT_READ :
	       why == vm_not_writable ? VM_FAULT_WRITE : VM_FAULT_NO_PAGE;
}

static void fault(struct gpu *g, unsigned int vmid, u64 va, bool write, const char *why)
{
	struct vm *vm = g->vm;
	u32 gen = vm_generation(g, vmid);
	bool report;

	pthread_mutex_lock(&vm->fault_lock);
	report = !vm->fault[vmid].valid || vm->fault[vmid].page != va >> 12 ||
		 vm->fault[vmid].gen != gen;
	vm->fault[vmid].page = va >> 12;
	vm->fault[vmid].gen = gen;
	vm->fault[vmid].valid = true;
	pthread_mutex_unlock(&vm->fault_lock);
	if (!report)
		return;
	log_warn("page fault: vmid %u, %s at 0x%llx: %s", vmid, write ? "write" : "read",
		 (unsigned long long)va, why);
	log_event("page-fault", "vmid=%u va=0x%llx write=%d", vmid, (unsigned long long)va,
		  write);
	fault_post(g, vmid, va, write, kind_of(why));
}

bool vm_retry(struct gpu *g, unsigned int vmid, u64 va, bool write)
{
	const char *why = NULL;
	u64 span;

	vmid %= VM_COUNT;
	if (vm_translate(g, vmid, va, write, &span, &why))
		return true;		/* there by now */
	if (!vm_retries(g, vmid) || (why != vm_not_readable && why != vm_not_writable &&
				     why != vm_no_table && why != vm_no_page)) {
		fault(g, vmid, va, write, why);
		return false;
	}
	if (fault_post_retry(g, vmid, va, write, kind_of(why)))
		log_event("page-retry", "vmid=%u va=0x%llx write=%d", vmid,
			  (unsigned long long)va, write);
	return true;
}

void *vm_ptr(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write)
{
	const char *why = NULL;
	void *p = vm_find(g, vmid, va, span, write, &why);

	if (!p)
		fault(g, vmid % VM_COUNT, va, write, why);
	return p;
}

/*
 * Copy to memory, and from there. Fences and indices, aligned words, in one access:
 * the guest polls those that are written, and writes those that are read.
 */
static void store(u8 *mem, const u8 *buf, size_t len)
{
	u64 v8;
	u32 v4;

	if (len == 8 && !((uintptr_t)mem & 7)) {
		memcpy(&v8, buf, 8);
		__atomic_store_n((u64 *)mem, v8, __ATOMIC_RELEASE);
	} else if (len == 4 && !((uintptr_t)mem & 3)) {
		memcpy(&v4, buf, 4);
		__atomic_store_n((u32 *)mem, v4, __ATOMIC_RELEASE);
	} else {
		memcpy(mem, buf, len);
	}
}

static void load(u8 *buf, const u8 *mem, size_t len)
{
	u64 v8;
	u32 v4;

	if (len == 8 && !((uintptr_t)mem & 7)) {
		v8 = __atomic_load_n((const u64 *)mem, __ATOMIC_ACQUIRE);
		memcpy(buf, &v8, 8);
	} else if (len == 4 && !((uintptr_t)mem & 3)) {
		v4 = __atomic_load_n((const u32 *)mem, __ATOMIC_ACQUIRE);
		memcpy(buf, &v4, 4);
	} else {
		memcpy(buf, mem, len);
	}
}

static int vm_copy(struct gpu *g, unsigned int vmid, u64 va, u8 *buf, size_t len, bool write,
		   bool retry)
{
	const char *why = NULL;
	int err = 0;
	u64 addr;

	mem_enter(g);
	while (len) {
		size_t span;
		u8 *p = vm_find(g, vmid, va, &span, write, &why);

		if (!p && write && vm_on_bus(g, vmid, va, &addr)) {
			mem_exit(g);	/* a queue's lock comes first */
			if (pci_loop_back(g, addr, buf, len))
				return 0;
			mem_enter(g);
		}
		if (!p && retry) {
			err = vm_retry(g, vmid, va, write) ? -EAGAIN : -EFAULT;
			break;
		}
		if (!p) {
			fault(g, vmid % VM_COUNT, va, write, why);
			err = -EFAULT;
			break;
		}
		if (span > len)
			span = len;
		if (write)
			store(p, buf, span);
		else
			load(buf, p, span);
		buf += span;
		va += span;
		len -= span;
	}
	mem_exit(g);
	return err;
}

int vm_read(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len)
{
	return vm_copy(g, vmid, va, buf, len, false, false);
}

int vm_write(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len)
{
	return vm_copy(g, vmid, va, (u8 *)(uintptr_t)buf, len, true, false);
}

int vm_read_retry(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len)
{
	return vm_copy(g, vmid, va, buf, len, false, true);
}

int vm_write_retry(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len)
{
	return vm_copy(g, vmid, va, (u8 *)(uintptr_t)buf, len, true, true);
}
