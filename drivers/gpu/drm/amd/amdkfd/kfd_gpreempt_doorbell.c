// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT doorbells: how the monitor learns about new work at once.
 *
 * A doorbell mapping has a fault handler. While GPREEMPT is not enabled it is
 * never called: the mapping is complete from the start, as in stock. The monitor
 * takes the pages away before it parks, and when a queue that could preempt
 * others has become idle; the next doorbell faults, gets its page back and wakes
 * the monitor. That fault is all it costs: later doorbells find the page.
 *
 * A mapping outlives its node, so it follows no pointer but that to its own
 * record, which counts a reference on &struct kfd_gpreempt.
 */

#include <linux/mm.h>
#include <linux/refcount.h>
#include <linux/slab.h>

#include "kfd_gpreempt_priv.h"

/**
 * struct gpreempt_doorbell - a doorbell mapping of user space
 * @node:	in &kfd_gpreempt.doorbells
 * @gp:		the node it is of, referenced
 * @vmas:	how many VMAs the mapping has been split into
 * @mapping:	where the VMAs hang. Lives as long as they do: each holds its
 *		file, and lets go only after it has left this record
 * @pgoff:	offset of the mapping in @mapping, in pages
 * @pages:	size
 * @pfn:	first page frame
 * @address:	where it was mapped first
 * @mm:		whose it is. Lives as long as its VMAs do
 * @linked:	its VMA is known to be in @mapping
 * @revocable:	false for a private mapping, which cannot be faulted back in
 * @revoked:	no doorbell was rung through it since it was taken away
 * @awaited:	the next fault is to wake the monitor
 */
struct gpreempt_doorbell {
	struct list_head node;
	struct kfd_gpreempt *gp;
	refcount_t vmas;
	struct address_space *mapping;
	unsigned long pgoff;
	unsigned long pages;
	unsigned long pfn;
	unsigned long address;
	struct mm_struct *mm;
	bool linked;
	bool revocable;
	bool revoked;
	bool awaited;
};

static void doorbell_open(struct vm_area_struct *vma)
{
	struct gpreempt_doorbell *db = vma->vm_private_data;

	refcount_inc(&db->vmas);
}

static void doorbell_close(struct vm_area_struct *vma)
{
	struct gpreempt_doorbell *db = vma->vm_private_data;
	struct kfd_gpreempt *gp = db->gp;

	if (!refcount_dec_and_mutex_lock(&db->vmas, &gp->doorbell_lock))
		return;
	list_del(&db->node);
	gp->untrapped -= !db->revocable;
	mutex_unlock(&gp->doorbell_lock);
	kfree(db);
	kobject_put(&gp->kobj);
}

static vm_fault_t doorbell_fault(struct vm_fault *vmf)
{
	struct gpreempt_doorbell *db = vmf->vma->vm_private_data;
	struct kfd_gpreempt *gp = db->gp;
	vm_fault_t ret;

	/* The node is gone, and its BAR may belong to somebody else. */
	if (READ_ONCE(gp->dead))
		return VM_FAULT_SIGBUS;

	ret = vmf_insert_pfn(vmf->vma, vmf->address,
			     db->pfn + (vmf->pgoff - db->pgoff));
	/*
	 * After the page is back: the other order could leave it in place and
	 * @revoked set. This one at worst revokes once more.
	 */
	WRITE_ONCE(db->revoked, false);
	kfd_gpreempt_count(gp, GPREEMPT_STAT_DOORBELLS, 1);
	if (xchg(&db->awaited, false))
		kfd_gpreempt_wake(gp);
	return ret;
}

static const struct vm_operations_struct doorbell_vm_ops = {
	.open = doorbell_open,
	.close = doorbell_close,
	.fault = doorbell_fault,
};

/* A private mapping is only counted: vmf_insert_pfn() refuses it. */
static const struct vm_operations_struct private_doorbell_vm_ops = {
	.open = doorbell_open,
	.close = doorbell_close,
};

/**
 * kfd_gpreempt_doorbell_mmap - a process has mapped its doorbells
 * @node: the node they are of
 * @vma: the complete mapping
 * @address: physical address of the first doorbell
 *
 * Return: 0 or -ENOMEM.
 */
int kfd_gpreempt_doorbell_mmap(struct kfd_node *node,
			       struct vm_area_struct *vma, phys_addr_t address)
{
	struct kfd_gpreempt *gp = node->gpreempt;
	struct gpreempt_doorbell *db;

	if (!gp)
		return 0;
	db = kzalloc(sizeof(*db), GFP_KERNEL);
	if (!db)
		return -ENOMEM;

	kobject_get(&gp->kobj);
	db->gp = gp;
	refcount_set(&db->vmas, 1);
	db->mapping = vma->vm_file->f_mapping;
	db->pgoff = vma->vm_pgoff;
	db->pages = vma_pages(vma);
	db->pfn = PHYS_PFN(address);
	db->address = vma->vm_start;
	db->mm = vma->vm_mm;
	db->revocable = !is_cow_mapping(vma->vm_flags);

	vma->vm_private_data = db;
	vma->vm_ops = db->revocable ? &doorbell_vm_ops :
				      &private_doorbell_vm_ops;

	mutex_lock(&gp->doorbell_lock);
	list_add(&db->node, &gp->doorbells);
	gp->untrapped += !db->revocable;
	mutex_unlock(&gp->doorbell_lock);

	/* A parked monitor has not revoked this one. */
	kfd_gpreempt_wake(gp);
	return 0;
}

/**
 * kfd_gpreempt_doorbell_revocable - would every doorbell be noticed?
 * @gp: the node
 */
bool kfd_gpreempt_doorbell_revocable(struct kfd_gpreempt *gp)
{
	return !READ_ONCE(gp->untrapped);
}

/*
 * mmap() puts a VMA where unmap_mapping_pages() finds it only after it has called us.
 * Both are done under the lock of its memory, for writing: if that can be had for
 * reading, the first of these has been done. @doorbell_lock is taken under it, so it
 * must not be waited for here.
 */
static bool is_linked(struct gpreempt_doorbell *db)
{
	if (!db->linked && mmap_read_trylock(db->mm)) {
		db->linked = true;
		mmap_read_unlock(db->mm);
	}
	return db->linked;
}

/**
 * kfd_gpreempt_doorbell_await - let a process's next fault wake the monitor
 * @gp: the node
 * @mm: the process's memory
 *
 * Return: true if it can ring a doorbell without a fault, through a mapping that
 * could be revoked.
 */
bool kfd_gpreempt_doorbell_await(struct kfd_gpreempt *gp,
				 const struct mm_struct *mm)
{
	struct gpreempt_doorbell *db;
	bool open = false;

	mutex_lock(&gp->doorbell_lock);
	list_for_each_entry(db, &gp->doorbells, node) {
		if (db->mm != mm)
			continue;
		/*
		 * Before @revoked is read: a fault that goes on without waking us
		 * has cleared that. Pairs with xchg() in doorbell_fault().
		 */
		smp_store_mb(db->awaited, true);
		open |= db->revocable && !READ_ONCE(db->revoked);
	}
	mutex_unlock(&gp->doorbell_lock);
	return open;
}

/* Where the calling process has mapped doorbells that were taken away, or 0. */
static unsigned long revoked_address(struct kfd_gpreempt *gp)
{
	struct gpreempt_doorbell *db;
	unsigned long address = 0;

	mutex_lock(&gp->doorbell_lock);
	list_for_each_entry(db, &gp->doorbells, node)
		if (db->mm == current->mm && db->revocable && READ_ONCE(db->revoked))
			address = db->address;
	mutex_unlock(&gp->doorbell_lock);
	return address;
}

/**
 * kfd_gpreempt_doorbell_restore - put the calling process's doorbells back
 * @gp: the node
 *
 * Before work that it has announced: the monitor polls until then, and the fault
 * would only make that work later. A mapping that was moved has to fault.
 */
void kfd_gpreempt_doorbell_restore(struct kfd_gpreempt *gp)
{
	unsigned long address = revoked_address(gp), pfn, n;
	struct gpreempt_doorbell *db;
	struct vm_area_struct *vma;

	if (!address)
		return;
	mmap_read_lock(current->mm);
	/* Not under @doorbell_lock, which the monitor takes: this may allocate. */
	vma = vma_lookup(current->mm, address);
	db = vma && vma->vm_ops == &doorbell_vm_ops ? vma->vm_private_data : NULL;
	if (db && db->gp == gp && !READ_ONCE(gp->dead)) {
		pfn = db->pfn + (vma->vm_pgoff - db->pgoff);
		for (n = 0; n < vma_pages(vma); n++)
			vmf_insert_pfn(vma, vma->vm_start + n * PAGE_SIZE, pfn + n);
		WRITE_ONCE(db->revoked, false);
	}
	mmap_read_unlock(current->mm);
	/* The announcement may be over, and the monitor have parked meanwhile. */
	kfd_gpreempt_wake(gp);
}

/**
 * kfd_gpreempt_doorbell_revoke - take all doorbell mappings away
 * @gp: the node
 * @await: let the next fault of every process wake the monitor
 *
 * All, because those of a node's processes have the same offset in the same
 * file, by which they are found.
 *
 * The DQM lock must not be held: MMU notifiers, which run below, take it.
 *
 * Return: false if one could not be taken away, as it is just being mapped.
 */
bool kfd_gpreempt_doorbell_revoke(struct kfd_gpreempt *gp, bool await)
{
	struct gpreempt_doorbell *db;
	bool all = true;

	lockdep_assert_not_held(&gp->node->dqm->lock_hidden);

	mutex_lock(&gp->doorbell_lock);
	list_for_each_entry(db, &gp->doorbells, node) {
		if (!db->revocable)
			continue;
		if (!is_linked(db)) {
			all = false;
			continue;
		}
		if (await)
			WRITE_ONCE(db->awaited, true);
		WRITE_ONCE(db->revoked, true);
		unmap_mapping_pages(db->mapping, db->pgoff, db->pages, false);
	}
	mutex_unlock(&gp->doorbell_lock);
	return all;
}
