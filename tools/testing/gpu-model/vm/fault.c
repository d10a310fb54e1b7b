// SPDX-License-Identifier: GPL-2.0
/* How page faults reach the driver; see fault.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bus/regs.h"
#include "fault.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/params.h"
#include "vm/ih.h"
#include "vm/vm.h"

#define SOURCE_UTCL2_FAULT	0
#define FAULT_DATA_WRITE	0x20	/* data[1]; gmc_v9_0_process_interrupt() */
#define FAULT_DATA_RETRY	0x80
#define CAM_ENABLE		(1u << 16)
#define CAM_INDEX(v)		((v) & 0x3ff)	/* data[2], and what the doorbell says */
#define STATUS_RW		(1u << 18)
#define STATUS_VMID_SHIFT	20
#define STATUS_PERMISSION	(0xfu << 4)
#define STATUS_CID_TCP		(8u << 9)	/* UTCL2 client of the vector caches */

/**
 * struct faults - page faults under way
 * @lock:	protects the others
 * @cam:	pages that retry faults were sent for and the driver has not answered
 * @first: @last: those whose interrupt is still to be raised, in their order
 */
struct faults {
	pthread_mutex_t lock;
	struct {
		bool used;
		u16 pasid;
		u64 page;
	} cam[RETRY_CAM_ENTRIES];
	struct actor actor;
	struct page_fault *first, **last;
};

/**
 * struct page_fault - a page fault whose interrupt is still to be raised
 * @due:	model time of that
 */
struct page_fault {
	struct ih_vector v;
	u64 due;
	struct page_fault *next;
};

/* The first fault, if its time has come; *@next: else when it comes. */
static struct page_fault *take_fault(struct faults *faults, u64 *next)
{
	struct page_fault *f;

	pthread_mutex_lock(&faults->lock);
	f = faults->first;
	*next = f ? f->due : NEVER;
	if (f && f->due > gpu_now())
		f = NULL;
	if (f) {
		faults->first = f->next;
		if (!f->next)
			faults->last = &faults->first;
	}
	pthread_mutex_unlock(&faults->lock);
	return f;
}

static u64 run(void *arg)
{
	struct gpu *g = arg;
	struct page_fault *f;
	u64 next;

	while ((f = take_fault(g->faults, &next))) {
		ih_post(g, &f->v);
		free(f);
	}
	return next;
}

static int start(struct gpu *g)
{
	int err;

	g->faults = calloc(1, sizeof(*g->faults));
	if (!g->faults)
		return -ENOMEM;
	pthread_mutex_init(&g->faults->lock, NULL);
	g->faults->last = &g->faults->first;
	err = actor_start(&g->faults->actor, "gpu-faults", run, g);
	if (err) {
		free(g->faults);
		g->faults = NULL;
	}
	return err;
}

static void destroy(struct gpu *g)
{
	struct page_fault *f;

	if (!g->faults)
		return;
	actor_stop(&g->faults->actor);
	while ((f = g->faults->first)) {
		g->faults->first = f->next;
		free(f);
	}
	pthread_mutex_destroy(&g->faults->lock);
	free(g->faults);
	g->faults = NULL;
}

/* The driver's answer to a retry fault. */
static bool doorbell(struct gpu *g, u32 dw, u64 value)
{
	if (!ih_rings(g, REG_IH_DOORBELL_RETRY_CAM, dw))
		return false;
	pthread_mutex_lock(&g->faults->lock);
	if (CAM_INDEX(value) < RETRY_CAM_ENTRIES)
		g->faults->cam[CAM_INDEX(value)].used = false;
	pthread_mutex_unlock(&g->faults->lock);
	return true;
}

static void write_retry_cam(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)index;
	regs_set(g, off, val);
	pthread_mutex_lock(&g->faults->lock);
	memset(g->faults->cam, 0, sizeof(g->faults->cam));
	pthread_mutex_unlock(&g->faults->lock);
}

/* An entry for a page that has none; false: it has, or there is none left. */
static bool cam_take(struct faults *faults, u16 pasid, u64 page, u32 *index)
{
	unsigned int i, n = RETRY_CAM_ENTRIES;

	for (i = 0; i < RETRY_CAM_ENTRIES; i++) {
		if (!faults->cam[i].used)
			n = i;
		else if (faults->cam[i].pasid == pasid && faults->cam[i].page == page)
			return false;
	}
	if (n == RETRY_CAM_ENTRIES)
		return false;
	faults->cam[n].used = true;
	faults->cam[n].pasid = pasid;
	faults->cam[n].page = page;
	*index = n;
	return true;
}

static struct ih_vector fault_vector(struct gpu *g, unsigned int vmid, u64 va, bool write,
				     enum vm_fault why)
{
	/* As event_interrupt_wq_v9() takes the ring id apart. */
	static const u8 ring[] = {
		[VM_FAULT_NO_PAGE] = 0x08, [VM_FAULT_READ] = 0x10, [VM_FAULT_WRITE] = 0x20,
	};

	return (struct ih_vector){
		.xcc = vm_hub(g, vmid),
		.client = asic_of(g)->ih->fault_client,
		.source = SOURCE_UTCL2_FAULT,
		.ring = ring[why],
		.vmid = vmid,
		.pasid = vmid ? ih_vmid_pasid(g, vmid) : 0,
		.data = { (u32)(va >> 12), (u32)(va >> 44 & 0xf) |
			  (write ? FAULT_DATA_WRITE : 0) },
	};
}

/* What finds that a page is not there needs its time to say so. */
static void post_fault(struct gpu *g, const struct ih_vector *v)
{
	struct page_fault *f = malloc(sizeof(*f));
	u64 due = gpu_now() + param.fault_ns;

	if (!f) {
		log_warn("out of memory for a page fault");
		return;
	}
	*f = (struct page_fault){ .v = *v, .due = due };
	pthread_mutex_lock(&g->faults->lock);
	*g->faults->last = f;
	g->faults->last = &f->next;
	pthread_mutex_unlock(&g->faults->lock);
	actor_kick_at(&g->faults->actor, due);
}

bool fault_post_retry(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why)
{
	struct ih_vector v = fault_vector(g, vmid, va, write, why);
	bool post = true;

	v.data[1] |= FAULT_DATA_RETRY;
	if (reg_get(g, REG_IH_RETRY_CAM_CNTL) & CAM_ENABLE) {
		pthread_mutex_lock(&g->faults->lock);
		post = cam_take(g->faults, v.pasid, va >> 12, &v.data[2]);
		pthread_mutex_unlock(&g->faults->lock);
	}
	if (post)
		post_fault(g, &v);
	return post;
}

void fault_post(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why)
{
	struct ih_vector v = fault_vector(g, vmid, va, write, why);

	regs_set(g, reg_at(g, v.xcc, REG_VM_L2_FAULT_STATUS), STATUS_CID_TCP | STATUS_PERMISSION |
		 (write ? STATUS_RW : 0) | vmid << STATUS_VMID_SHIFT);
	regs_set(g, reg_at(g, v.xcc, REG_VM_L2_FAULT_ADDR_LO), (u32)(va >> 12));
	regs_set(g, reg_at(g, v.xcc, REG_VM_L2_FAULT_ADDR_HI), (u32)(va >> 44));
	post_fault(g, &v);
}

static const struct reg_range ranges[] = {
	{ REG_IH_RETRY_CAM_CNTL, 1, NULL, write_retry_cam },
	{ 0 }
};

const struct block fault_block = {
	.name = "page faults",
	.start = start,
	.free = destroy,
	.doorbell = doorbell,
	.regs = ranges,
};
