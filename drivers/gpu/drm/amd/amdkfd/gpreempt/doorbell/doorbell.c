// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT doorbells: how the monitor learns about new work at once.
 *
 * A process's mapping of its doorbells has a fault handler. While GPREEMPT is not enabled it is
 * never called: the mapping is complete from the start, as in stock. The monitor takes the pages
 * away before it parks, and when a queue that could preempt others has become idle; the next
 * doorbell faults, gets its page back and wakes the monitor. That fault is all it costs: later
 * doorbells find the page. One that is made while GPREEMPT is enabled begins like that, so that
 * nobody has to be woken for it.
 *
 * Rule 12, bounded cost: a process may map its doorbells any number of times. Only one
 * mapping is taken away, so that a process costs the others no more than one revocation,
 * and what it rings through another is seen by the next scan: the monitor goes on to look
 * for those that have one, and for them alone. These mappings are stock's, and so is one
 * that is not shared, as nothing can be rung through it.
 *
 * A mapping outlives its node, so it follows no pointer but that to its process's
 * record, which counts a reference on &struct kfd_gpreempt.
 */

#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "gpreempt/run/node.h"

/**
 * struct gpreempt_doorbell - a process's mappings of its doorbells on a node
 * @node:	in &kfd_gpreempt.doorbell.list
 * @gp:		the node, referenced
 * @mm:		whose they are. Lives as long as the VMAs do
 * @pgoff:	where the doorbells are in their file, in pages
 * @pfn:	first page frame of @parts
 * @zaps:	&kfd_gpreempt.doorbell.zaps when @parts were mapped
 * @others:	VMAs of mappings that are never taken away
 * @revoked:	no doorbell was rung through @parts since they were taken away
 * @awaited:	the next fault is to wake the monitor
 * @watched:	and to have it look at the process though it is off, as it is idle
 * @nr_parts:	used of @parts
 * @max_parts:	size of @parts
 * @parts:	VMAs of the mapping that is taken away, into which it was split
 */
struct gpreempt_doorbell {
	struct list_head node;
	struct kfd_gpreempt *gp;
	struct mm_struct *mm;
	unsigned long pgoff;
	unsigned long pfn;
	unsigned int zaps;
	unsigned int others;
	bool revoked;
	bool awaited;
	bool watched;
	unsigned int nr_parts;
	unsigned int max_parts;
	struct vm_area_struct *parts[] __counted_by(max_parts);
};

static struct gpreempt_doorbell *find_doorbell(struct kfd_gpreempt *gp, const struct mm_struct *mm)
{
	struct gpreempt_doorbell *db;

	lockdep_assert_held(&gp->doorbell.lock);
	list_for_each_entry(db, &gp->doorbell.list, node)
		if (db->mm == mm)
			return db;
	return NULL;
}

/* A mapping that is never taken away has no handler of faults. */
static bool is_other(const struct vm_area_struct *vma)
{
	return !vma->vm_ops->fault;
}

static void doorbell_open(struct vm_area_struct *vma)
{
	struct gpreempt_doorbell *db = vma->vm_private_data;

	guard(mutex)(&db->gp->doorbell.lock);
	if (is_other(vma))
		db->others++;
	else if (!WARN_ON_ONCE(db->nr_parts == db->max_parts))
		db->parts[db->nr_parts++] = vma;
}

/* Forgets a process without a mapping. */
static void doorbell_close(struct vm_area_struct *vma)
{
	struct gpreempt_doorbell *db = vma->vm_private_data;
	struct kfd_gpreempt *gp = db->gp;
	unsigned int i;
	bool used;

	mutex_lock(&gp->doorbell.lock);
	db->others -= is_other(vma);
	for (i = 0; i < db->nr_parts; i++) {
		if (db->parts[i] == vma) {
			db->parts[i] = db->parts[--db->nr_parts];
			break;
		}
	}
	used = db->nr_parts || db->others;
	if (!used)
		list_del(&db->node);
	mutex_unlock(&gp->doorbell.lock);
	if (used)
		return;
	kfree(db);
	kobject_put(&gp->kobj);
}

/* Did stock take the doorbells away, for ever? */
static bool is_zapped(const struct gpreempt_doorbell *db)
{
	return READ_ONCE(db->gp->doorbell.zaps) != db->zaps;
}

static vm_fault_t put_back(const struct gpreempt_doorbell *db, struct vm_area_struct *vma,
			   unsigned long address)
{
	unsigned long page = vma->vm_pgoff - db->pgoff + PFN_DOWN(address - vma->vm_start);
	vm_fault_t ret;

	/* There is a part a page, and one more: never go beyond the process's own pages. */
	if (is_zapped(db) || WARN_ON_ONCE(page >= db->max_parts - 1))
		return VM_FAULT_SIGBUS;
	/* as io_remap_pfn_range() does: a device does not see encrypted memory */
	ret = vmf_insert_pfn_prot(vma, address, db->pfn + page,
				  pgprot_decrypted(vma->vm_page_prot));
	/* The page first: pairs with kfd_gpreempt_doorbell_zapped(). */
	smp_mb();
	if (!is_zapped(db))
		return ret;
	kfd_doorbell_zap(vma, PAGE_ALIGN_DOWN(address), PAGE_SIZE);
	return VM_FAULT_SIGBUS;
}

static vm_fault_t doorbell_fault(struct vm_fault *vmf)
{
	struct gpreempt_doorbell *db = vmf->vma->vm_private_data;
	struct kfd_gpreempt *gp = db->gp;
	vm_fault_t ret;

	/* The node is gone, and its BAR may belong to somebody else. */
	if (READ_ONCE(gp->dead))
		return VM_FAULT_SIGBUS;

	ret = put_back(db, vmf->vma, vmf->address);
	if (ret & VM_FAULT_SIGBUS)
		return ret;
	/*
	 * After the page is back: the other order could leave it in place and
	 * @revoked set. This one at worst revokes once more.
	 */
	smp_store_release(&db->revoked, false);
	if (xchg(&db->awaited, false)) {
		kfd_gpreempt_count(gp, DOORBELLS, 1);
		if (xchg(&db->watched, false))
			kfd_gpreempt_wake(gp);
		else
			kfd_gpreempt_kick(gp);
	}
	return ret;
}

/*
 * Nothing is mapped around a fault. That there is this function lets mm call doorbell_fault() with
 * the VMA's lock alone: a doorbell then does not wait for what else the process does to its memory.
 */
static vm_fault_t doorbell_map_pages(struct vm_fault *vmf, pgoff_t first, pgoff_t last)
{
	return 0;
}

static const struct vm_operations_struct doorbell_vm_ops = {
	.open = doorbell_open,
	.close = doorbell_close,
	.fault = doorbell_fault,
	.map_pages = doorbell_map_pages,
};

static const struct vm_operations_struct other_vm_ops = {
	.open = doorbell_open,
	.close = doorbell_close,
};

static struct gpreempt_doorbell *new_doorbell(struct kfd_gpreempt *gp, struct vm_area_struct *vma)
{
	/* mremap() opens the new place of a page before it closes the old one. */
	unsigned int max_parts = vma_pages(vma) + 1;
	struct gpreempt_doorbell *db = kzalloc(struct_size(db, parts, max_parts), GFP_KERNEL);

	if (!db)
		return NULL;
	kobject_get(&gp->kobj);
	db->gp = gp;
	db->mm = vma->vm_mm;
	db->max_parts = max_parts;
	return db;
}

/**
 * kfd_gpreempt_doorbell_mmap - a process maps its doorbells
 * @node: the node they are of
 * @vma: the mapping
 * @address: physical address of the first doorbell
 *
 * It is filled page by page: of one that io_remap_pfn_range() fills at once, x86
 * notes the memory type, and clears VM_PAT when the pages are taken away. Flags are
 * not to change then, as only the mmap_lock's writer may do that.
 *
 * Return: 0 if it is done, 1 if it is left to the caller, which then calls
 * kfd_gpreempt_doorbell_other(), or -ENOMEM.
 */
int kfd_gpreempt_doorbell_mmap(struct kfd_node *node,
			       struct vm_area_struct *vma, phys_addr_t address)
{
	struct kfd_gpreempt *gp = node->gpreempt;
	struct gpreempt_doorbell *db;
	unsigned long at;
	bool enabled;

	/* Nothing is rung through a private mapping: only a copy is written. */
	if (!gp || !(vma->vm_flags & VM_SHARED))
		return 1;
	/* The process's record stays as it is meanwhile: its mmap_lock is held. */
	scoped_guard(mutex, &gp->doorbell.lock)
		db = find_doorbell(gp, vma->vm_mm);
	if (!db)
		db = new_doorbell(gp, vma);
	if (!db)
		return -ENOMEM;
	vma->vm_private_data = db;
	if (db->nr_parts)
		return 1;

	/* Each context of a process has doorbells of its own: it may be another's turn. */
	db->pfn = PHYS_PFN(address);
	db->pgoff = vma->vm_pgoff;
	db->zaps = READ_ONCE(gp->doorbell.zaps);
	vma->vm_ops = &doorbell_vm_ops;
	enabled = READ_ONCE(gp->monitor.thread);
	/* What cannot be put there now is by a fault. */
	for (at = vma->vm_start; !enabled && at < vma->vm_end; at += PAGE_SIZE)
		put_back(db, vma, at);

	guard(mutex)(&gp->doorbell.lock);
	if (!db->others)
		list_add(&db->node, &gp->doorbell.list);
	db->parts[db->nr_parts++] = vma;
	db->revoked = enabled;
	db->awaited = enabled;
	db->watched = enabled;
	return 0;
}

/**
 * kfd_gpreempt_doorbell_other - the caller has filled a mapping that was left to it
 * @vma: the mapping
 */
void kfd_gpreempt_doorbell_other(struct vm_area_struct *vma)
{
	struct gpreempt_doorbell *db = vma->vm_private_data;
	bool first;

	if (!db)
		return;
	vma->vm_ops = &other_vm_ops;
	scoped_guard(mutex, &db->gp->doorbell.lock)
		first = !db->others++;
	/* A parked monitor does not know that it has to look from now on. */
	if (first)
		kfd_gpreempt_wake(db->gp);
}

/**
 * kfd_gpreempt_doorbell_zapped - stock is about to take all doorbells away
 * @node: the node they are of
 *
 * It does so before a reset, for ever: whoever rings one gets SIGBUS, enabled or not.
 */
void kfd_gpreempt_doorbell_zapped(struct kfd_node *node)
{
	struct kfd_gpreempt *gp = node->gpreempt;

	if (!gp)
		return;
	WRITE_ONCE(gp->doorbell.zaps, gp->doorbell.zaps + 1);
	/* Before the pages go: pairs with put_back(). */
	smp_mb();
}

/* Is a part where a fault would find it? That it is closed may be still to come. */
static bool is_attached(const struct vm_area_struct *part)
{
	return vma_lookup(part->vm_mm, part->vm_start) == part;
}

/*
 * Take a process's doorbells away. Its mmap_lock keeps the parts in place. It must not
 * be waited for: the doorbell lock is taken under it.
 */
static void revoke(struct gpreempt_doorbell *db)
{
	struct vm_area_struct *part;
	unsigned int i;

	if (!mmap_read_trylock(db->mm))
		return;
	/* Before the pages go: see doorbell_fault(). */
	smp_store_mb(db->revoked, true);
	for (i = 0; i < db->nr_parts; i++) {
		part = db->parts[i];
		if (is_attached(part))
			kfd_doorbell_zap(part, part->vm_start, part->vm_end - part->vm_start);
	}
	mmap_read_unlock(db->mm);
	kfd_gpreempt_count(db->gp, REVOCATIONS, 1);
}

/**
 * kfd_gpreempt_doorbell_await - let a process's next doorbell wake the monitor
 * @gp: the node
 * @mm: the process's memory
 *
 * The DQM lock must not be held: MMU notifiers, which run below, take it.
 *
 * Return: true if none can have been rung without a fault since the last call, nor
 * can be from now on. Else the next scan is to look.
 */
bool kfd_gpreempt_doorbell_await(struct kfd_gpreempt *gp, const struct mm_struct *mm)
{
	struct gpreempt_doorbell *db;
	bool revoked;

	lockdep_assert_not_held(&gp->node->dqm->lock_hidden);
	guard(mutex)(&gp->doorbell.lock);
	db = find_doorbell(gp, mm);
	if (!db)
		return true;
	/*
	 * Before @revoked is read: a fault that goes on without waking us has cleared that. Pairs
	 * with xchg() in doorbell_fault().
	 */
	smp_store_mb(db->awaited, true);
	revoked = READ_ONCE(db->revoked);
	if (!revoked)
		revoke(db);
	return revoked && !db->others;
}

/**
 * kfd_gpreempt_doorbell_watch - let the next doorbell of an idle process bring its queues back
 * @gp: the node
 * @mm: the process's memory
 *
 * Return: true from kfd_gpreempt_doorbell_await() until one is rung. Never for a process that has
 * not mapped its doorbells, or more than once.
 */
bool kfd_gpreempt_doorbell_watch(struct kfd_gpreempt *gp, const struct mm_struct *mm)
{
	struct gpreempt_doorbell *db;

	guard(mutex)(&gp->doorbell.lock);
	db = find_doorbell(gp, mm);
	if (!db || !db->nr_parts || db->others)
		return false;
	/* Before @awaited, which a fault takes first. */
	smp_store_mb(db->watched, true);
	/* As in kfd_gpreempt_doorbell_await(). */
	smp_store_mb(db->awaited, true);
	return READ_ONCE(db->revoked);
}
