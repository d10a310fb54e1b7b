// SPDX-License-Identifier: GPL-2.0
/* Interrupt ring; see ih.h. */
#include <errno.h>
#include <stdlib.h>

#include "asic.h"
#include "host/fault.h"
#include "vm/ih.h"
#include "host/log.h"
#include "vm/vm.h"
#include "host/params.h"
#include "bus/memory.h"
#include "bus/regs.h"
#include "bus/vfio_user.h"

#define VECTOR_BYTES		32

#define CNTL_RB_ENABLE		(1u << 0)
#define CNTL_RB_SIZE(v)		((v) >> 1 & 0x1f)	/* log2 of dwords */
#define CNTL_WPTR_WRITEBACK	(1u << 8)
#define CNTL_ENABLE_INTR	(1u << 17)
#define CNTL_MC_SPACE(v)	((v) >> 28 & 7)		/* 4: GPU address */
#define SPACE_BUS		1		/* bus address: of IH 4, and of IH 6 */
#define SPACE_BUS_6		2
#define CNTL_OVERFLOW_CLEAR	(1u << 31)
#define WPTR_OVERFLOW		1u
#define DOORBELL_ENABLE		(1u << 28)
#define DOORBELL_OFFSET(v)	((v) & 0x3ffffff)
#define PASID_VALID		(1u << 31)

#define CLIENT_SE0		0x0a
#define CLIENT_GRBM_CP		0x14
#define CLIENT_UTCL2		0x1b
#define CLIENT_SOC21_GFX	0x0a

/* soc15_ih_clientid.h; irqsrcs_sdma0_4_0.h and irqsrcs_gfx_11_0_0.h */
const struct ih_sources ih_soc15 = {
	.fault_client = CLIENT_UTCL2,
	.sdma_client = { 8, 9, 1, 4, 5 }, .sdma_source = 224,
};

const struct ih_sources ih_soc21 = {
	.fault_client = CLIENT_SOC21_GFX,
	.sdma_client = { CLIENT_SOC21_GFX, CLIENT_SOC21_GFX }, .sdma_source = 49,
	.sdma_places = true,
};

/**
 * struct ih - the interrupt ring's write side
 * @lock:	orders posts and the registers WPTR and RPTR
 */
struct ih {
	pthread_mutex_t lock;
};

static int start(struct gpu *g)
{
	g->ih = calloc(1, sizeof(*g->ih));
	if (!g->ih)
		return -ENOMEM;
	pthread_mutex_init(&g->ih->lock, NULL);
	return 0;
}

static void destroy(struct gpu *g)
{
	if (!g->ih)
		return;
	pthread_mutex_destroy(&g->ih->lock);
	free(g->ih);
	g->ih = NULL;
}

static void *ring_ptr(struct gpu *g, u32 cntl, u64 addr, size_t len)
{
	size_t span;
	void *p;

	if (CNTL_MC_SPACE(cntl) == SPACE_BUS || CNTL_MC_SPACE(cntl) == SPACE_BUS_6)
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
	if (asic_of(g)->xccs == 1)
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
	u32 cntl = reg_get(g, REG_IH_RB_CNTL), wptr, next, mask, *slot, *back, i;
	u64 base, ticks = gpu_now() / GPU_CLOCK_NS;

	if (!(cntl & CNTL_RB_ENABLE))
		return false;
	mask = (4u << CNTL_RB_SIZE(cntl)) - 1;
	if (mask < 2 * VECTOR_BYTES)
		return false;
	base = (u64)reg_get(g, REG_IH_RB_BASE) << 8 |
	       (u64)(reg_get(g, REG_IH_RB_BASE_HI) & 0xff) << 40;
	wptr = reg_get(g, REG_IH_RB_WPTR);
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
	if (wptr & WPTR_OVERFLOW || next == (reg_get(g, REG_IH_RB_RPTR) & mask))
		next |= WPTR_OVERFLOW;
	reg_set(g, REG_IH_RB_WPTR, next);
	if (cntl & CNTL_WPTR_WRITEBACK) {
		back = ring_ptr(g, cntl, (reg_get(g, REG_IH_RB_WPTR_ADDR_LO) & ~3u) |
				(u64)(reg_get(g, REG_IH_RB_WPTR_ADDR_HI) & 0xffff) << 32, 4);
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
	mem_enter(g);
	pthread_mutex_lock(&g->ih->lock);
	irq = enqueue(g, v);
	pthread_mutex_unlock(&g->ih->lock);
	mem_exit(g);
	if (irq)
		vfio_user_irq(g);
}

static void write_control(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)off;
	(void)index;
	pthread_mutex_lock(&g->ih->lock);
	if (val & CNTL_OVERFLOW_CLEAR)
		reg_set(g, REG_IH_RB_WPTR, reg_get(g, REG_IH_RB_WPTR) & ~WPTR_OVERFLOW);
	reg_set(g, REG_IH_RB_CNTL, val);
	pthread_mutex_unlock(&g->ih->lock);
}

bool ih_rings(struct gpu *g, enum reg control, u32 dw)
{
	u32 db = reg_get(g, control);

	return db & DOORBELL_ENABLE && DOORBELL_OFFSET(db) == dw;
}

static bool doorbell(struct gpu *g, u32 dw, u64 value)
{
	if (!ih_rings(g, REG_IH_DOORBELL_RPTR, dw))
		return false;
	pthread_mutex_lock(&g->ih->lock);
	reg_set(g, REG_IH_RB_RPTR, value);
	pthread_mutex_unlock(&g->ih->lock);
	return true;
}

void ih_set_vmid_pasid(struct gpu *g, unsigned int vmid, u16 pasid)
{
	if (vmid >= VM_COUNT)
		return;
	regs_set(g, reg_at(g, 0, REG_IH_VMID_0_LUT) + 4 * vmid, pasid);
	regs_set(g, reg_at(g, 0, REG_ATC_VMID0_PASID) + 4 * vmid, pasid ? pasid | PASID_VALID : 0);
}

u16 ih_vmid_pasid(struct gpu *g, unsigned int vmid)
{
	return vmid < VM_COUNT ? regs_get(g, reg_at(g, 0, REG_IH_VMID_0_LUT) + 4 * vmid) : 0;
}

static const struct reg_range ranges[] = {
	{ REG_IH_RB_CNTL, 1, NULL, write_control },
	{ 0 }
};

const struct block ih_block = {
	.name = "interrupts",
	.start = start,
	.free = destroy,
	.doorbell = doorbell,
	.regs = ranges,
};
