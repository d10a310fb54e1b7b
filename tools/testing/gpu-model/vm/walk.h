/* SPDX-License-Identifier: GPL-2.0 */
/* Address translation without its faults, which access.c reports; see vm.h. */
#ifndef GPU_MODEL_WALK_H
#define GPU_MODEL_WALK_H

#include <stdatomic.h>

#include "vm/vm.h"

/**
 * struct vm - the VMIDs' address spaces
 * @ctx:	VM_CONTEXTn registers; a torn read of a base under change is the
 *		driver's bug, as on hardware
 * @gen:	see vm_generation()
 * @retry:	see vm_set_retry()
 * @hub:	see vm_set_hub()
 * @fault_lock:	last fault of each VMID, to report it once
 */
struct vm {
	_Atomic u32 ctx[VM_COUNT][VM_FIELDS];
	_Atomic u32 gen[VM_COUNT];
	atomic_bool retry[VM_COUNT];
	atomic_uint hub[VM_COUNT];
	pthread_mutex_t fault_lock;
	struct {
		u64 page;
		u32 gen;
		bool valid;
	} fault[VM_COUNT];
};

int vm_create(struct gpu *g);
void vm_destroy(struct gpu *g);

/* Forget all page tables. */
void vm_reset(struct gpu *g);

/* Why there is no translation, of those reasons that the driver can do something about. */
extern const char vm_not_readable[], vm_not_writable[], vm_no_table[], vm_no_page[];

/* As vm_ptr_quiet(), by a walk of the tables. @why: out: the reason where it gives NULL */
void *vm_translate(struct gpu *g, unsigned int vmid, u64 va, bool write, u64 *span,
		   const char **why);

/* The same, by what the thread found before if it can. */
void *vm_find(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write,
	      const char **why);

#endif
