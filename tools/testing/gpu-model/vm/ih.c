// SPDX-License-Identifier: GPL-2.0
/* Interrupt ring; see ih.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bus/asic.h"
#include "host/clock.h"
#include "host/fault.h"
#include "vm/ih.h"
#include "host/log.h"
#include "vm/memory.h"
#include "host/params.h"
#include "bus/regs.h"
#include "ih_regs.h"
#include "vm_regs.h"
#include "bus/vfio_user.h"

#define VECTOR_BYTES		32

#define CNTL_RB_ENABLE		(1u << 0)
#define CNTL_RB_SIZE(v)		((v) >> 1 & 0x1f)	/* log2 of dwords */
#define CNTL_WPTR_WRITEBACK	(1u << 8)
#define CNTL_ENABLE_INTR	(1u << 17)
#define CNTL_MC_SPACE(v)	((v) >> 28 & 7)		/* 1: bus address, 4: GPU address */
#define CNTL_OVERFLOW_CLEAR	(1u << 31)
#define WPTR_OVERFLOW		1u
#define DOORBELL_ENABLE		(1u << 28)
#define DOORBELL_OFFSET(v)	((v) & 0x3ffffff)
#define PASID_VALID		(1u << 31)

#define CLIENT_SE0		0x0a
#define CLIENT_GRBM_CP		0x14
#define CLIENT_UTCL2		0x1b
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
 * struct ih - the interrupt ring's write side
 * @lock:	orders posts and the registers WPTR and RPTR; protects @cam
 * @cam:	pages that retry faults were sent for and the driver has not answered
 * @faults: @last: page faults on their way, in their order
 */
struct ih {
	pthread_mutex_t lock;
	struct {
		bool used;
		u16 pasid;
		u64 page;
	} cam[RETRY_CAM_ENTRIES];
	struct actor actor;
	struct page_fault *faults, **last;
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
static struct page_fault *take_fault(struct ih *ih, u64 *next)
{
	struct page_fault *f;

	pthread_mutex_lock(&ih->lock);
	f = ih->faults;
	*next = f ? f->due : NEVER;
	if (f && f->due > gpu_now())
		f = NULL;
	if (f) {
		ih->faults = f->next;
		if (!f->next)
			ih->last = &ih->faults;
	}
	pthread_mutex_unlock(&ih->lock);
	return f;
}

static u64 ih_run(void *arg)
{
	struct gpu *g = arg;
	struct page_fault *f;
	u64 next;

	while ((f = take_fault(g->ih, &next))) {
		ih_post(g, &f->v);
		free(f);
	}
	return next;
}

static int start(struct gpu *g)
{
	int err;

	g->ih = calloc(1, sizeof(*g->ih));
	if (!g->ih)
		return -ENOMEM;
	pthread_mutex_init(&g->ih->lock, NULL);
	g->ih->last = &g->ih->faults;
	err = actor_start(&g->ih->actor, "gpu-ih", ih_run, g);
	if (err) {
		free(g->ih);
		g->ih = NULL;
	}
	return err;
}

static void destroy(struct gpu *g)
{
	struct page_fault *f;

	if (!g->ih)
		return;
	actor_stop(&g->ih->actor);
	while ((f = g->ih->faults)) {
		g->ih->faults = f->next;
		free(f);
	}
	pthread_mutex_destroy(&g->ih->lock);
	free(g->ih);
	g->ih = NULL;
}

static void *ring_ptr(struct gpu *g, u32 cntl, u64 addr, size_t len)
{
	size_t span;
	void *p;

	if (CNTL_MC_SPACE(cntl) == 1)
		return mem_ptr(g, addr, len, true);
	p = vm_ptr_quiet(g, 0, addr, &span, true);	/* a fault would be an interrupt */
	return p && span >= len ? p : NULL;
}

/*
 * Which die an interrupt comes from; the older GPUs have one. An AID (4n) has two
 * XCCs (4n + 1 and 4n + 2): kfd_setup_interrupt_bitmap().
 */
static u32 node_of(struct gpu *g, const struct ih_vector *v)
{
	if (!asic_of(g)->discovery)
		return 0;
	switch (v->client) {
	case CLIENT_SE0 ... CLIENT_SE0 + 3:
	case CLIENT_GRBM_CP:
	case CLIENT_UTCL2:
		return v->xcc / 2 * 4 + v->xcc % 2 + 1;
	default:
		return 0;
	}
}

/* Put @v into the ring; true if the driver wants to be interrupted. */
static bool enqueue(struct gpu *g, const struct ih_vector *v)
{
	u32 cntl = regs_get(g, REG_IH_RB_CNTL), wptr, next, mask, *slot, *back, i;
	u64 base, ticks = gpu_now() / GPU_CLOCK_NS;

	if (!(cntl & CNTL_RB_ENABLE))
		return false;
	mask = (4u << CNTL_RB_SIZE(cntl)) - 1;
	if (mask < 2 * VECTOR_BYTES)
		return false;
	base = (u64)regs_get(g, REG_IH_RB_BASE) << 8 |
	       (u64)(regs_get(g, REG_IH_RB_BASE_HI) & 0xff) << 40;
	wptr = regs_get(g, REG_IH_RB_WPTR);
	slot = ring_ptr(g, cntl, base + (wptr & mask & ~(VECTOR_BYTES - 1)), VECTOR_BYTES);
	if (!slot) {
		log_warn("interrupt ring at 0x%llx is not in memory",
			 (unsigned long long)base);
		return false;
	}
	slot[0] = v->client | v->source << 8 | v->ring << 16 | (v->vmid & 15u) << 24;
	slot[1] = (u32)ticks;
	slot[2] = (u32)(ticks >> 32) & 0xffff;
	slot[3] = v->pasid | node_of(g, v) << 16;
	for (i = 0; i < 4; i++)
		slot[4 + i] = v->data[i];

	next = ((wptr & ~WPTR_OVERFLOW) + VECTOR_BYTES) & mask;
	/* The oldest vector is lost; the driver resumes behind the write pointer. */
	if (wptr & WPTR_OVERFLOW || next == (regs_get(g, REG_IH_RB_RPTR) & mask))
		next |= WPTR_OVERFLOW;
	regs_set(g, REG_IH_RB_WPTR, next);
	if (cntl & CNTL_WPTR_WRITEBACK) {
		back = ring_ptr(g, cntl, (regs_get(g, REG_IH_RB_WPTR_ADDR_LO) & ~3u) |
				(u64)(regs_get(g, REG_IH_RB_WPTR_ADDR_HI) & 0xffff) << 32, 4);
		if (back)
			__atomic_store_n(back, next, __ATOMIC_RELEASE);
	}
	return cntl & CNTL_ENABLE_INTR;
}

void ih_post(struct gpu *g, const struct ih_vector *v)
{
	bool irq;

	if (fault_hit_on(FAULT_LOSE_INTERRUPT, v->source))
		return;
	vm_enter(g);
	pthread_mutex_lock(&g->ih->lock);
	irq = enqueue(g, v);
	pthread_mutex_unlock(&g->ih->lock);
	vm_exit(g);
	if (irq)
		vfio_user_irq(g);
}

static void write_control(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)off;
	(void)index;
	pthread_mutex_lock(&g->ih->lock);
	if (val & CNTL_OVERFLOW_CLEAR)
		regs_set(g, REG_IH_RB_WPTR, regs_get(g, REG_IH_RB_WPTR) & ~WPTR_OVERFLOW);
	regs_set(g, REG_IH_RB_CNTL, val);
	pthread_mutex_unlock(&g->ih->lock);
}

static bool rings(struct gpu *g, u32 reg, u32 dw)
{
	u32 db = regs_get(g, reg);

	return db & DOORBELL_ENABLE && DOORBELL_OFFSET(db) == dw;
}

static bool doorbell(struct gpu *g, u32 dw, u64 value)
{
	bool rptr = rings(g, REG_IH_DOORBELL_RPTR, dw);

	if (!rptr && !rings(g, REG_IH_DOORBELL_RETRY_CAM, dw))
		return false;
	pthread_mutex_lock(&g->ih->lock);
	if (rptr)
		regs_set(g, REG_IH_RB_RPTR, value);
	else if (CAM_INDEX(value) < RETRY_CAM_ENTRIES)
		g->ih->cam[CAM_INDEX(value)].used = false;
	pthread_mutex_unlock(&g->ih->lock);
	return true;
}

static void write_retry_cam(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)index;
	regs_set(g, off, val);
	pthread_mutex_lock(&g->ih->lock);
	memset(g->ih->cam, 0, sizeof(g->ih->cam));
	pthread_mutex_unlock(&g->ih->lock);
}

/* An entry for a page that has none; false: it has, or there is none left. */
static bool cam_take(struct ih *ih, u16 pasid, u64 page, u32 *index)
{
	unsigned int i, n = RETRY_CAM_ENTRIES;

	for (i = 0; i < RETRY_CAM_ENTRIES; i++) {
		if (!ih->cam[i].used)
			n = i;
		else if (ih->cam[i].pasid == pasid && ih->cam[i].page == page)
			return false;
	}
	if (n == RETRY_CAM_ENTRIES)
		return false;
	ih->cam[n].used = true;
	ih->cam[n].pasid = pasid;
	ih->cam[n].page = page;
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
		.client = CLIENT_UTCL2,
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
	pthread_mutex_lock(&g->ih->lock);
	*g->ih->last = f;
	g->ih->last = &f->next;
	pthread_mutex_unlock(&g->ih->lock);
	actor_kick_at(&g->ih->actor, due);
}

bool ih_post_vm_retry(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why)
{
	struct ih_vector v = fault_vector(g, vmid, va, write, why);
	bool post = true;

	v.data[1] |= FAULT_DATA_RETRY;
	if (regs_get(g, REG_IH_RETRY_CAM_CNTL) & CAM_ENABLE) {
		pthread_mutex_lock(&g->ih->lock);
		post = cam_take(g->ih, v.pasid, va >> 12, &v.data[2]);
		pthread_mutex_unlock(&g->ih->lock);
	}
	if (post)
		post_fault(g, &v);
	return post;
}

void ih_post_vm_fault(struct gpu *g, unsigned int vmid, u64 va, bool write, enum vm_fault why)
{
	struct ih_vector v = fault_vector(g, vmid, va, write, why);

	regs_set(g, REG_VM_L2_FAULT_STATUS, STATUS_CID_TCP | STATUS_PERMISSION |
		 (write ? STATUS_RW : 0) | vmid << STATUS_VMID_SHIFT);
	regs_set(g, REG_VM_L2_FAULT_ADDR_LO, (u32)(va >> 12));
	regs_set(g, REG_VM_L2_FAULT_ADDR_HI, (u32)(va >> 44));
	post_fault(g, &v);
}

void ih_set_vmid_pasid(struct gpu *g, unsigned int vmid, u16 pasid)
{
	if (vmid >= VM_COUNT)
		return;
	regs_set(g, REG_IH_VMID_0_LUT + 4 * vmid, pasid);
	regs_set(g, REG_ATC_VMID0_PASID + 4 * vmid, pasid ? pasid | PASID_VALID : 0);
}

u16 ih_vmid_pasid(struct gpu *g, unsigned int vmid)
{
	return vmid < VM_COUNT ? regs_get(g, REG_IH_VMID_0_LUT + 4 * vmid) : 0;
}

static const struct reg_range ranges[] = {
	{ "IH_RB_CNTL", REG_IH_RB_CNTL, 1, NULL, write_control },
	{ "IH_RETRY_INT_CAM_CNTL", REG_IH_RETRY_CAM_CNTL, 1, NULL, write_retry_cam },
	{ 0 }
};

const struct block ih_block = {
	.name = "interrupts",
	.start = start,
	.free = destroy,
	.doorbell = doorbell,
	.regs = ranges,
};
