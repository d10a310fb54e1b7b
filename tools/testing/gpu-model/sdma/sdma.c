// SPDX-License-Identifier: GPL-2.0
/*
 * SDMA 4.4 and 6: one actor serves the rings of all engines, those of the kernel (GFX
 * and PAGE) and those of processes. Rings and their pointers are counted in
 * bytes, as the registers have them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compute/queue.h"
#include "vm/ih.h"
#include "host/log.h"
#include "vm/vm.h"
#include "host/params.h"
#include "bus/regs.h"
#include "ring.h"

#define TURN_PACKETS		32

static const struct sdma_regs *layout(const struct gpu *g)
{
	return asic_of(g)->sdma;
}

/* First register of an engine. */
static u32 engine_base(const struct gpu *g, unsigned int engine)
{
	return reg_at(g, 0, REG_SDMA0 + engine);
}

/* SDMA_F32_CNTL */
static u32 engine_control(const struct gpu *g, unsigned int engine)
{
	return layout(g)->f32_cntl ? engine_base(g, engine) + layout(g)->f32_cntl :
				     engine < 2 ? reg_at(g, 0, REG_SDMA0_F32_CNTL + engine) :
						  REGS_NONE;
}

u32 sdma_ring_get(struct gpu *g, const struct sdma_ring *r, u32 off)
{
	return regs_get(g, engine_base(g, r->engine) + r->reg + off);
}

void sdma_ring_set(struct gpu *g, const struct sdma_ring *r, u32 off, u32 val)
{
	regs_set(g, engine_base(g, r->engine) + r->reg + off, val);
}

static u64 get64(struct gpu *g, const struct sdma_ring *r, u32 off)
{
	return sdma_ring_get(g, r, off) | (u64)sdma_ring_get(g, r, off + 4) << 32;
}

static u32 ring_vmid(struct gpu *g, const struct sdma_ring *r)
{
	return r->user ? RB_VMID(sdma_ring_get(g, r, RB_CNTL)) : 0;
}

/* Where the read pointer is written back, or 0. */
static u64 rptr_addr(struct gpu *g, const struct sdma_ring *r)
{
	if (!(sdma_ring_get(g, r, RB_CNTL) & RB_RPTR_WRITEBACK))
		return 0;
	return (sdma_ring_get(g, r, RB_RPTR_ADDR_LO) & ~7u) |
	       (u64)sdma_ring_get(g, r, RB_RPTR_ADDR_HI) << 32;
}

static void report_rptr(struct gpu *g, const struct sdma_ring *r, u64 rptr)
{
	u64 addr = rptr_addr(g, r);

	sdma_ring_set(g, r, RB_RPTR, (u32)rptr);
	sdma_ring_set(g, r, RB_RPTR_HI, (u32)(rptr >> 32));
	if (addr)
		vm_write(g, ring_vmid(g, r), addr, &rptr, 8);
}

/*
 * How long a process' queue was at work, waiting included, goes behind its read
 * pointer: amdkfd reads it there (read_sdma_queue_counter()), in ticks of 10 ns
 * (SDMA_ACTIVITY_DIVISOR). What lies on another page is not touched.
 */
static void report_activity(struct gpu *g, struct sdma_ring *r)
{
	u64 addr = rptr_addr(g, r), now = gpu_now(), ticks;
	u32 vmid = ring_vmid(g, r);

	if (r->user && addr && (addr + 8) % 4096 &&
	    !vm_read(g, vmid, addr + 8, &ticks, sizeof(ticks))) {
		ticks += (now - r->busy_since) / GPU_CLOCK_NS;
		vm_write(g, vmid, addr + 8, &ticks, sizeof(ticks));
	}
	r->busy_since = r->idle ? 0 : now;
}

/*
 * May it take packets from its ring? The driver leaves a user queue that it
 * takes off enabled, but without doorbell (kgd_arcturus_hqd_sdma_destroy()).
 */
static bool enabled(struct gpu *g, const struct sdma_ring *r)
{
	if (!(sdma_ring_get(g, r, RB_CNTL) & RB_ENABLE))
		return false;
	return !r->user || (!r->stopped && sdma_ring_get(g, r, DOORBELL) & DOORBELL_ENABLE);
}

/* An indirect buffer is finished even when the ring is disabled. */
static bool runnable(struct gpu *g, const struct sdma_ring *r)
{
	if (regs_get(g, engine_control(g, r->engine)) & F32_HALT)
		return false;
	return enabled(g, r) || (r->user && r->ib_len && !r->stopped);
}

/* A process' packet that cannot be executed stops its queue; the kernel's is skipped. */
static void ring_fail(struct gpu *g, struct sdma_ring *r, int err)
{
	u32 vmid = ring_vmid(g, r);

	if (!r->user)
		return;
	r->stopped = true;
	log_event("error", "queue=%#x pasid=%u sdma=%u code=%#x",
		  DOORBELL_DW(sdma_ring_get(g, r, DOORBELL_OFFSET)), ih_vmid_pasid(g, vmid),
		  r->engine, err == -EFAULT ? AQL_FAULT : AQL_BAD_PACKET);
}

static void look_at(u64 *when, u64 t)
{
	if (!*when || t < *when)
		*when = t;
}

/* Where the next packet is; false: nowhere. */
static bool next_packet(struct gpu *g, struct sdma_ring *r, struct stream *s)
{
	u64 rptr = get64(g, r, RB_RPTR), wptr = get64(g, r, RB_WPTR);

	if (r->ib_len && r->ib_pos == r->ib_len)
		r->ib_len = 0;
	if (r->ib_len) {
		*s = (struct stream){ r->ib_vmid, r->ib_base, r->ib_pos,
				      r->ib_len - r->ib_pos, STREAM_LINEAR };
		return true;
	}
	s->vmid = ring_vmid(g, r);
	s->base = get64(g, r, RB_BASE) << 8;
	s->mask = (1u << RB_SIZE(sdma_ring_get(g, r, RB_CNTL))) - 1;
	s->pos = rptr / 4 & s->mask;
	s->avail = (wptr - rptr) / 4 & s->mask;
	return s->avail && enabled(g, r);
}

/* Work comes to an idle ring, or a packet moves bytes: until when is the ring held up? */
static u64 held_until(struct gpu *g, struct sdma_ring *r, const struct stream *s)
{
	u64 now = gpu_now();

	if (r->ready_at <= now && r->idle) {
		r->ready_at = now + param.sdma_start_ns;
	} else if (r->ready_at <= now && !r->paid) {
		r->ready_at = now + sdma_packet_bytes(g, s) * NS_PER_US / param.sdma_bytes_per_us;
		r->paid = true;
	}
	r->idle = false;
	return r->ready_at;
}

/* True if the ring stopped with work it can do at once; *@when: when it goes on. */
static bool take_packets(struct gpu *g, struct sdma_ring *r, u64 *when)
{
	struct stream s;
	u32 taken, budget;
	int ret;

	for (budget = TURN_PACKETS; budget; budget--) {
		bool in_ib;

		if (atomic_load(&r->halt))
			return false;
		if (!next_packet(g, r, &s)) {
			r->idle = true;
			return false;
		}
		if (!r->busy_since)
			r->busy_since = gpu_now();
		if (held_until(g, r, &s) > gpu_now()) {
			look_at(when, r->ready_at);
			return false;
		}
		in_ib = r->ib_len;
		ret = sdma_packet(g, r, &s, in_ib, &taken);
		if (ret == -EAGAIN) {
			look_at(when, r->poll_at);
			return false;
		}
		r->paid = false;
		if (ret < 0) {
			ring_fail(g, r, ret);
			if (r->stopped) {
				r->idle = true;
				return false;
			}
		}
		if (in_ib)
			r->ib_pos += taken;
		else
			report_rptr(g, r, get64(g, r, RB_RPTR) + 4ull * taken);
	}
	return true;
}

static bool ring_run(struct gpu *g, struct sdma_ring *r, u64 *when)
{
	bool more;

	u64 again = r->poll_ns && r->poll_at > r->ready_at ? r->poll_at : r->ready_at;

	if (again > gpu_now()) {
		look_at(when, again);
		return false;
	}
	more = take_packets(g, r, when);
	if (r->busy_since)
		report_activity(g, r);
	return more;
}

/* A turn of one ring; @d->lock is held before and after it. */
static bool ring_turn(struct gpu *g, struct sdma_ring *r, u64 *when)
{
	struct sdma *d = g->sdma;
	bool more;

	if (atomic_load(&r->halt) || !runnable(g, r))
		return false;
	r->running = true;
	if (r->user)
		sdma_ring_set(g, r, CONTEXT_STATUS, 0);
	pthread_mutex_unlock(&d->lock);
	more = ring_run(g, r, when);
	pthread_mutex_lock(&d->lock);
	r->running = false;
	if (r->user && !r->ib_len)
		sdma_ring_set(g, r, CONTEXT_STATUS, CONTEXT_IDLE);
	if (atomic_load(&r->halt))
		pthread_cond_broadcast(&d->cond);
	return more;
}

static u64 sdma_run(void *arg)
{
	struct gpu *g = arg;
	struct sdma *d = g->sdma;
	bool more = false;
	u64 when = 0;
	unsigned int e, n;

	pthread_mutex_lock(&d->lock);
	d->busy = true;
	for (e = 0; e < SDMA_ENGINES; e++)
		for (n = 0; n < SDMA_RINGS; n++)
			more |= ring_turn(g, &d->ring[e][n], &when);
	d->busy = false;
	pthread_cond_broadcast(&d->cond);
	pthread_mutex_unlock(&d->lock);
	if (more)
		look_at(&when, gpu_now() + SDMA_TURN_NS);
	return when ? when : NEVER;
}

void sdma_kick_locked(struct sdma *d)
{
	actor_kick(&d->actor);
}

static void reg_written(struct gpu *g, unsigned int n, u32 off)
{
	u32 user = off - layout(g)->user, stride = layout(g)->stride;
	struct sdma *d = g->sdma;

	/* Anything may start a ring: its pointers and enables, the engine's halt. */
	pthread_mutex_lock(&d->lock);
	if (user < SDMA_USER_RINGS * stride && user % stride == RB_CNTL)
		d->ring[n][2 + user / stride].stopped = false;
	sdma_kick_locked(d);
	pthread_mutex_unlock(&d->lock);
}

static void write_reg(struct gpu *g, u32 off, u32 index, u32 val)
{
	unsigned int n;

	(void)index;
	regs_set(g, off, val);
	for (n = 0; n < SDMA_ENGINES; n++)
		if (off - engine_base(g, n) < SDMA_REG_WINDOW)
			reg_written(g, n, off - engine_base(g, n));
}

static void write_control(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)index;
	regs_set(g, off, val);
	pthread_mutex_lock(&g->sdma->lock);
	sdma_kick_locked(g->sdma);
	pthread_mutex_unlock(&g->sdma->lock);
}

static const struct reg_range ranges[] = {
	{ REG_SDMA0_F32_CNTL, 1, NULL, write_control },
	{ REG_SDMA1_F32_CNTL, 1, NULL, write_control },
	{ REG_SDMA0, SDMA_REG_WINDOW / 4, NULL, write_reg },
	{ REG_SDMA1, SDMA_REG_WINDOW / 4, NULL, write_reg },
	{ REG_SDMA2, SDMA_REG_WINDOW / 4, NULL, write_reg },
	{ REG_SDMA3, SDMA_REG_WINDOW / 4, NULL, write_reg },
	{ REG_SDMA4, SDMA_REG_WINDOW / 4, NULL, write_reg },
	{ 0 }
};

static void power_on(struct gpu *g)
{
	unsigned int e, n;

	for (e = 0; e < SDMA_ENGINES; e++) {
		regs_set(g, engine_control(g, e), F32_HALT);
		regs_set(g, engine_base(g, e) + layout(g)->status, STATUS_IDLE);
		for (n = 0; n < SDMA_USER_RINGS; n++)
			regs_set(g, engine_base(g, e) + layout(g)->user +
				 layout(g)->stride * n + CONTEXT_STATUS, CONTEXT_IDLE);
	}
}

static bool doorbell(struct gpu *g, u32 dw, u64 value)
{
	struct sdma *d = g->sdma;
	unsigned int e, n;
	bool found = false;

	pthread_mutex_lock(&d->lock);	/* against sdma_map(), which reads the pointer in memory */
	for (e = 0; e < SDMA_ENGINES; e++) {
		for (n = 0; n < SDMA_RINGS && !found; n++) {
			struct sdma_ring *r = &d->ring[e][n];

			if (!(sdma_ring_get(g, r, DOORBELL) & DOORBELL_ENABLE) ||
			    DOORBELL_DW(sdma_ring_get(g, r, DOORBELL_OFFSET)) != dw)
				continue;
			sdma_ring_set(g, r, RB_WPTR, (u32)value);
			sdma_ring_set(g, r, RB_WPTR_HI, (u32)(value >> 32));
			sdma_kick_locked(d);
			found = true;
		}
	}
	pthread_mutex_unlock(&d->lock);
	return found;
}

void sdma_ring_init(struct gpu *g, unsigned int engine, unsigned int n)
{
	struct sdma_ring *r = &g->sdma->ring[engine][n];

	*r = (struct sdma_ring){ .engine = engine, .queue = n, .user = n > 1, .idle = true };
	switch (n) {	/* numbers in trap vectors: sdma_v4_0_process_trap_irq() */
	case 0:
		r->reg = layout(g)->gfx;
		r->id = 0;
		break;
	case 1:
		r->reg = layout(g)->page;
		r->id = 3;
		break;
	default:
		r->reg = layout(g)->user + (n - 2) * layout(g)->stride;
		r->id = 2;
		break;
	}
}

static void init_rings(struct gpu *g)
{
	unsigned int e, n;

	for (e = 0; e < SDMA_ENGINES; e++)
		for (n = 0; n < SDMA_RINGS; n++)
			sdma_ring_init(g, e, n);
}

static int start(struct gpu *g)
{
	struct sdma *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->cond, NULL);
	g->sdma = d;
	init_rings(g);
	err = actor_start(&d->actor, "gpu-sdma", sdma_run, g);
	if (err) {
		free(d);
		g->sdma = NULL;
	}
	return err;
}

static void stop(struct gpu *g)
{
	struct sdma *d = g->sdma;

	if (!d)
		return;
	actor_stop(&d->actor);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->cond);
	free(d);
	g->sdma = NULL;
}

static void reset(struct gpu *g)
{
	struct sdma *d = g->sdma;
	unsigned int i;

	pthread_mutex_lock(&d->lock);
	for (i = 0; i < SDMA_ENGINES; i++)	/* a ring under way ends after its turn */
		regs_set(g, engine_control(g, i), F32_HALT);
	while (d->busy)
		pthread_cond_wait(&d->cond, &d->lock);
	init_rings(g);
	pthread_mutex_unlock(&d->lock);
}

const struct block sdma_block = {
	.name = "SDMA",
	.start = start,
	.stop = stop,
	.reset = reset,
	.power_on = power_on,
	.doorbell = doorbell,
	.regs = ranges,
};
