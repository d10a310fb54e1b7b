// SPDX-License-Identifier: GPL-2.0
/*
 * SDMA queues of processes as the scheduler maps them. Each has a place of its
 * own, which the driver chose: engine and ring stand in its MQD. Or MES chooses it. The MQD is
 * the ring's registers in their order, with gaps (struct v9_sdma_mqd, v11_sdma_mqd).
 */
#include <errno.h>

#include "vm/ih.h"
#include "host/log.h"
#include "vm/vm.h"
#include "ring.h"

#define MQD_DWORDS	128

enum {
	MQD_RB_CNTL = 0, MQD_RB_RPTR = 3, MQD_RB_WPTR = 5, MQD_ENGINE = 126, MQD_QUEUE = 127,
	/* from IB_RPTR on */
	IB_RPTR = 0, IB_BASE_LO = 2, IB_SIZE = 4,
};

#define VMID_SHIFT	24
#define AID_ENGINES	4	/* that the XCCs' partitions share */

/* Registers that a map sets, and those that an unmap writes back. */
static const struct {
	u8 mqd;
	u8 reg;
	bool back;
} fields[] = {
	{ 1, RB_BASE, false },
	{ 2, RB_BASE_HI, false },
	{ MQD_RB_RPTR, RB_RPTR, true },
	{ MQD_RB_RPTR + 1, RB_RPTR_HI, true },
	{ MQD_RB_WPTR, RB_WPTR, true },
	{ MQD_RB_WPTR + 1, RB_WPTR_HI, true },
};

#define NFIELDS	(sizeof(fields) / sizeof(fields[0]))

unsigned int sdma_first(const struct gpu *g, unsigned int xcc)
{
	unsigned int partitions = g->cfg.xccs / gpu_partition(g);

	/* As __aqua_vanjaram_get_xcp_ip_info() shares them out. */
	return xcc / gpu_partition(g) * ((AID_ENGINES + partitions - 1) / partitions);
}

int sdma_map(struct gpu *g, const struct sdma_user *u)
{
	struct sdma *d = g->sdma;
	const struct sdma_regs *layout = asic_of(g)->sdma;
	u32 m[MQD_DWORDS], i, engine, n;
	const u32 *ib = m + layout->mqd_ib;
	struct sdma_ring *r;
	u64 wptr;

	if (vm_read(g, 0, u->mqd, m, sizeof(m)))
		return -EFAULT;
	if (layout->placed &&
	    (m[MQD_ENGINE] >= SDMA_ENGINES - u->first || m[MQD_QUEUE] >= SDMA_USER_RINGS))
		return -EINVAL;
	if (!layout->placed && DOORBELL_DW(m[layout->mqd_doorbell]) != u->doorbell)
		return -EINVAL;
	engine = layout->placed ? u->first + m[MQD_ENGINE] : u->engine;
	n = layout->placed ? 2 + m[MQD_QUEUE] : u->queue;
	r = &d->ring[engine][n];
	pthread_mutex_lock(&d->lock);
	if (r->mqd) {
		pthread_mutex_unlock(&d->lock);
		return -EBUSY;
	}
	for (i = 0; i < NFIELDS; i++)
		sdma_ring_set(g, r, fields[i].reg, m[fields[i].mqd]);
	sdma_ring_set(g, r, RB_RPTR_ADDR_HI, m[layout->mqd_rptr_addr]);
	sdma_ring_set(g, r, RB_RPTR_ADDR_LO, m[layout->mqd_rptr_addr + 1]);
	sdma_ring_set(g, r, DOORBELL_OFFSET, m[layout->mqd_doorbell]);
	/* A doorbell rung while it was not mapped is lost: memory has the write pointer. */
	if (!vm_read(g, u->vmid, u->write_addr, &wptr, sizeof(wptr))) {
		sdma_ring_set(g, r, RB_WPTR, (u32)wptr);
		sdma_ring_set(g, r, RB_WPTR_HI, (u32)(wptr >> 32));
	}
	r->mqd = u->mqd;
	r->pasid = u->pasid;
	r->ready_at = u->since;
	r->ib_base = packet_u64(ib + IB_BASE_LO);
	r->ib_pos = ib[IB_RPTR];
	r->ib_len = ib[IB_SIZE];
	r->ib_vmid = u->vmid;
	sdma_ring_set(g, r, DOORBELL, DOORBELL_ENABLE);
	sdma_ring_set(g, r, RB_CNTL, (m[MQD_RB_CNTL] & ~(15u << VMID_SHIFT)) |
		      u->vmid << VMID_SHIFT | RB_ENABLE);
	log_event("sdma-map", "queue=%#x pasid=%u engine=%u ring=%u vmid=%u",
		  DOORBELL_DW(m[layout->mqd_doorbell]), u->pasid, r->engine, n - 2, u->vmid);
	sdma_kick_locked(d);
	pthread_mutex_unlock(&d->lock);
	return 0;
}

/* What the next map goes on from. */
static void write_mqd(struct gpu *g, const struct sdma_ring *r)
{
	const u32 ib[] = { r->ib_pos, 0, (u32)r->ib_base, r->ib_base >> 32, r->ib_len };
	int err = 0;
	u32 i, val;

	for (i = 0; i < NFIELDS; i++) {
		val = sdma_ring_get(g, r, fields[i].reg);
		if (fields[i].back)
			err |= vm_write(g, 0, r->mqd + 4 * fields[i].mqd, &val, 4);
	}
	err |= vm_write(g, 0, r->mqd + 4 * asic_of(g)->sdma->mqd_ib, ib, sizeof(ib));
	if (err)
		log_warn("SDMA%u: cannot write a queue's MQD", r->engine);
}

static void leave(struct gpu *g, struct sdma_ring *r, unsigned int n)
{
	struct sdma *d = g->sdma;

	atomic_store(&r->halt, true);
	while (r->running)	/* until the end of a packet: memory only, no register */
		pthread_cond_wait(&d->cond, &d->lock);
	if (!r->mqd)
		return;		/* a reset came in between */
	write_mqd(g, r);
	log_event("sdma-unmap", "queue=%#x pasid=%u engine=%u",
		  DOORBELL_DW(sdma_ring_get(g, r, DOORBELL_OFFSET)), r->pasid, r->engine);
	sdma_ring_set(g, r, RB_CNTL, 0);
	sdma_ring_set(g, r, DOORBELL, 0);
	sdma_ring_set(g, r, CONTEXT_STATUS, CONTEXT_IDLE);
	sdma_ring_init(g, r->engine, n);
}

unsigned int sdma_unmap(struct gpu *g, sdma_wanted_fn *wanted, const void *ctx)
{
	struct sdma *d = g->sdma;
	unsigned int e, n, count = 0;

	pthread_mutex_lock(&d->lock);
	for (e = 0; e < SDMA_ENGINES; e++) {
		for (n = 2; n < SDMA_RINGS; n++) {
			struct sdma_ring *r = &d->ring[e][n];

			if (!r->mqd ||
			    !wanted(ctx, RB_VMID(sdma_ring_get(g, r, RB_CNTL)), r->pasid,
				    DOORBELL_DW(sdma_ring_get(g, r, DOORBELL_OFFSET))))
				continue;
			leave(g, r, n);
			count++;
		}
	}
	pthread_mutex_unlock(&d->lock);
	return count;
}

bool sdma_free_place(struct gpu *g, const u32 mask[2], unsigned int *engine, unsigned int *queue)
{
	unsigned int e, n;
	bool found = false;

	pthread_mutex_lock(&g->sdma->lock);
	for (n = 2; n < SDMA_USER_RINGS && !found; n++) {
		for (e = 0; e < 2 && !found; e++) {
			found = mask[e] >> n & 1 && !g->sdma->ring[e][n].mqd;
			*engine = e;
			*queue = n;
		}
	}
	pthread_mutex_unlock(&g->sdma->lock);
	return found;
}

/* A ring that the scheduler mapped, with this MQD (or 0) and VMID (or 0); NULL. */
static const struct sdma_ring *find(struct gpu *g, u64 mqd, unsigned int vmid)
{
	struct sdma *d = g->sdma;
	unsigned int e, n;

	for (e = 0; e < SDMA_ENGINES; e++) {
		for (n = 2; n < SDMA_RINGS; n++) {
			const struct sdma_ring *r = &d->ring[e][n];

			if (r->mqd && (!mqd || r->mqd == mqd) &&
			    (!vmid || RB_VMID(sdma_ring_get(g, r, RB_CNTL)) == vmid))
				return r;
		}
	}
	return NULL;
}

bool sdma_mapped(struct gpu *g, u64 mqd)
{
	bool found;

	pthread_mutex_lock(&g->sdma->lock);
	found = find(g, mqd, 0);
	pthread_mutex_unlock(&g->sdma->lock);
	return found;
}

bool sdma_vmid_used(struct gpu *g, unsigned int vmid)
{
	bool found;

	pthread_mutex_lock(&g->sdma->lock);
	found = find(g, 0, vmid);
	pthread_mutex_unlock(&g->sdma->lock);
	return found;
}
