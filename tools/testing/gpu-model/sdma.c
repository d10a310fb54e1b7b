// SPDX-License-Identifier: GPL-2.0
/*
 * SDMA 4.4: one thread serves the GFX and PAGE rings of all engines. Rings and
 * their pointers are counted in bytes, as the registers have them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ih.h"
#include "log.h"
#include "memory.h"
#include "packet.h"
#include "params.h"
#include "regs.h"
#include "sdma.h"

/* Byte offsets in an engine's window. */
#define F32_CNTL		0x0a8
#define   F32_HALT		1u
#define RING_GFX		0x200
#define RING_PAGE		0x380
/* ... and in a ring's registers. */
#define RB_CNTL			0x00
#define   RB_ENABLE		1u
#define   RB_SIZE(v)		((v) >> 1 & 0x1f)	/* log2 of dwords */
#define   RB_RPTR_WRITEBACK	(1u << 12)
#define RB_BASE			0x04
#define RB_BASE_HI		0x08
#define RB_RPTR			0x0c
#define RB_RPTR_HI		0x10
#define RB_WPTR			0x14
#define RB_WPTR_HI		0x18
#define RB_RPTR_ADDR_HI		0x20
#define RB_RPTR_ADDR_LO		0x24
#define DOORBELL		0x48
#define   DOORBELL_ENABLE	(1u << 28)
#define DOORBELL_OFFSET		0xac
#define   DOORBELL_DW(v)	(((v) & 0x0ffffffc) >> 2)

enum {
	OP_NOP = 0, OP_COPY, OP_WRITE, OP_INDIRECT = 4, OP_FENCE, OP_TRAP, OP_SEM,
	OP_POLL_REGMEM, OP_COND_EXE, OP_ATOMIC, OP_CONST_FILL, OP_PTEPDE, OP_TIMESTAMP,
	OP_SRBM_WRITE, OP_PRE_EXE, OP_DUMMY_TRAP,
};

#define COPY_BROADCAST		(1u << 27)
#define SOURCE_TRAP		224
#define MAX_WRITE		0x100000u	/* dwords; the field has 20 bits */
#define TURN_PACKETS		32

/**
 * struct sdma_ring - a ring; touched by the SDMA thread only
 * @engine: @reg: @id:	place; @id is the ring number in trap vectors
 * @ib_base: @ib_pos: @ib_len: @ib_vmid:	indirect buffer under way, in dwords
 * @poll_ns:	distance of polls while a POLL_REGMEM waits, else 0
 * @poll_at:	model time of the next look
 */
struct sdma_ring {
	unsigned int engine;
	u32 reg;
	u8 id;
	u64 ib_base;
	u32 ib_pos, ib_len;
	u32 ib_vmid;
	u64 poll_ns, poll_at;
};

/**
 * struct sdma - all engines
 * @lock:	the flags
 * @busy:	the thread is in a turn; sdma_reset() waits for its end
 */
struct sdma {
	struct sdma_ring ring[2 * SDMA_ENGINES];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool kicked, stop, busy;
};

static const u32 engine_base[SDMA_ENGINES] = {
	0x1260 * 4, 0x1860 * 4, 0x1e000 * 4, 0x1e400 * 4, 0x1e800 * 4,
};

/* IH client of each engine's traps (soc15_ih_clientid). */
static const u8 engine_client[SDMA_ENGINES] = { 8, 9, 1, 4, 5 };

u32 sdma_reg_base(unsigned int n)
{
	return engine_base[n];
}

static u32 ring_get(struct gpu *g, const struct sdma_ring *r, u32 off)
{
	return regs_get(g, engine_base[r->engine] + r->reg + off);
}

static void ring_set(struct gpu *g, const struct sdma_ring *r, u32 off, u32 val)
{
	regs_set(g, engine_base[r->engine] + r->reg + off, val);
}

static int copy_linear(struct gpu *g, u32 vmid, u64 src, u64 dst, u64 len)
{
	int err = 0;

	vm_enter(g);
	while (len) {
		size_t a, b, n;
		u8 *from = vm_ptr(g, vmid, src, &a, false);
		u8 *to = from ? vm_ptr(g, vmid, dst, &b, true) : NULL;

		if (!to) {
			err = -EFAULT;
			break;
		}
		n = a < b ? a : b;
		if (n > len)
			n = len;
		memmove(to, from, n);
		src += n;
		dst += n;
		len -= n;
	}
	vm_exit(g);
	return err;
}

/* @len bytes of the repeated dword @val. */
static int fill(struct gpu *g, u32 vmid, u64 dst, u32 val, u64 len)
{
	u8 pattern[4];
	u64 i = 0, j;
	int err = 0;

	memcpy(pattern, &val, 4);
	vm_enter(g);
	while (i < len) {
		size_t span;
		u8 *p = vm_ptr(g, vmid, dst + i, &span, true);

		if (!p) {
			err = -EFAULT;
			break;
		}
		if (span > len - i)
			span = len - i;
		for (j = 0; j < span; j++)
			p[j] = pattern[(i + j) & 3];
		i += span;
	}
	vm_exit(g);
	return err;
}

/* WRITE linear: @n dwords that follow the packet's head. */
static int write_linear(struct gpu *g, const struct stream *s, u64 dst, u32 first, u32 n)
{
	u32 buf[256], run;

	while (n) {
		run = n < 256 ? n : 256;
		if (stream_read(g, s, first, run, buf) || vm_write(g, s->vmid, dst, buf, 4ull * run))
			return -EFAULT;
		first += run;
		dst += 4ull * run;
		n -= run;
	}
	return 0;
}

static int write_ptes(struct gpu *g, u32 vmid, const u32 *p)
{
	u64 dst = packet_u64(p + 1), flags = packet_u64(p + 3), value = packet_u64(p + 5), entry;
	u64 increment = packet_u64(p + 7);
	u32 n = (p[9] & 0x7ffff) + 1, i;

	for (i = 0; i < n; i++, value += increment) {
		entry = value | flags;
		if (vm_write(g, vmid, dst + 8ull * i, &entry, 8))
			return -EFAULT;
	}
	return 0;
}

/* True when the condition holds. */
static bool poll(struct gpu *g, u32 vmid, const u32 *p)
{
	u32 val = 0, ref = p[3], mask = p[4];

	if (p[0] >> 31) {
		if (vm_read(g, vmid, packet_u64(p + 1) & ~3ull, &val, 4))
			return true;	/* reported as a fault; do not hang on it */
	} else {
		/* With the HDP flush bit, the first register is the request's answer. */
		if (p[0] >> 26 & 1)
			regs_write(g, p[2] & 0xffffc, ref);
		val = regs_read(g, p[1] & 0xffffc);
	}
	val &= mask;
	return packet_compare(p[0] >> 28 & 7, val, ref);
}

static void trap(struct gpu *g, const struct sdma_ring *r, u32 context)
{
	struct ih_vector v = {
		.client = engine_client[r->engine],
		.source = SOURCE_TRAP,
		.ring = r->id,
		.data = { context & 0x0fffffff },
	};

	ih_post(g, &v);
}

/* Dwords of a packet without data, 0 for what this engine does not know. */
static u32 packet_dwords(u32 header)
{
	/* With a sub-operation (tiled, physical, ...) the layout is another one. */
	static const u8 plain[] = {
		[OP_COPY] = 7, [OP_WRITE] = 4, [OP_INDIRECT] = 6, [OP_FENCE] = 4, [OP_TRAP] = 2,
		[OP_POLL_REGMEM] = 6, [OP_CONST_FILL] = 5, [OP_PTEPDE] = 10, [OP_TIMESTAMP] = 3,
		[OP_SRBM_WRITE] = 3, [OP_PRE_EXE] = 2, [OP_DUMMY_TRAP] = 2,
	};
	unsigned int op = header & 0xff, sub = header >> 8 & 0xff;

	if (op == OP_NOP)
		return 1 + (header >> 16 & 0x3fff);
	if (op >= sizeof(plain) || (sub && op != OP_TIMESTAMP))
		return 0;
	if (op == OP_COPY && header & COPY_BROADCAST)
		return 9;
	return plain[op];
}

/*
 * One packet. *@taken: dwords to skip. Return: 0, -EAGAIN to look again later,
 * -EINVAL for one that cannot be parsed, 1 when an indirect buffer was entered.
 */
static int step(struct gpu *g, struct sdma_ring *r, const struct stream *s, bool in_ib,
		u32 *taken)
{
	u32 p[10] = { 0 }, n, data;
	u64 ticks;

	*taken = s->avail;
	if (stream_read(g, s, 0, 1, p))
		return -EFAULT;
	n = packet_dwords(p[0]);
	if (!n || n > s->avail) {
		log_warn("SDMA%u: packet 0x%08x with %u dwords left refused", r->engine, p[0],
			 s->avail);
		return -EINVAL;
	}
	*taken = n;
	if ((p[0] & 0xff) == OP_NOP)
		return 0;
	if (stream_read(g, s, 0, n, p))
		return -EFAULT;
	switch (p[0] & 0xff) {
	case OP_COPY:
		if (copy_linear(g, s->vmid, packet_u64(p + 3), packet_u64(p + 5),
				(p[1] & 0x3fffff) + 1ull))
			return -EFAULT;
		if (n == 9)
			return copy_linear(g, s->vmid, packet_u64(p + 3), packet_u64(p + 7),
					   (p[1] & 0x3fffff) + 1ull);
		return 0;
	case OP_WRITE:
		data = (p[3] & (MAX_WRITE - 1)) + 1;
		if (4 + data > s->avail) {
			*taken = s->avail;
			log_warn("SDMA%u: WRITE of %u dwords ends behind its buffer", r->engine,
				 data);
			return -EINVAL;
		}
		*taken = 4 + data;
		return write_linear(g, s, packet_u64(p + 1) & ~3ull, 4, data);
	case OP_INDIRECT:
		if (in_ib)
			return -EINVAL;
		r->ib_base = packet_u64(p + 1) & ~0x1full;
		r->ib_len = p[3] & 0xfffff;
		r->ib_pos = 0;
		r->ib_vmid = p[0] >> 16 & 15;
		return 1;
	case OP_FENCE:
		return vm_write(g, s->vmid, packet_u64(p + 1) & ~3ull, &p[3], 4);
	case OP_TRAP:
		trap(g, r, p[1]);
		return 0;
	case OP_POLL_REGMEM:
		if (poll(g, s->vmid, p)) {
			r->poll_ns = 0;
			return 0;
		}
		r->poll_ns = r->poll_ns ? r->poll_ns * 2 : POLL_MIN_NS;
		if (r->poll_ns > POLL_MAX_NS)
			r->poll_ns = POLL_MAX_NS;
		r->poll_at = gpu_now() + r->poll_ns;
		*taken = 0;
		return -EAGAIN;
	case OP_CONST_FILL:
		return fill(g, s->vmid, packet_u64(p + 1), p[3], (p[4] & 0x3fffff) + 1ull);
	case OP_PTEPDE:
		return write_ptes(g, s->vmid, p);
	case OP_TIMESTAMP:
		ticks = gpu_now() / GPU_CLOCK_NS;
		return p[0] >> 8 & 0xff ? vm_write(g, s->vmid, packet_u64(p + 1) & ~7ull, &ticks, 8)
					: 0;
	case OP_SRBM_WRITE:
		if (s->vmid) {
			log_warn("SDMA%u: SRBM_WRITE of vmid %u ignored", r->engine, s->vmid);
			return 0;
		}
		regs_write(g, (p[1] & 0x3ffff) * 4, p[2]);
		return 0;
	default:
		return 0;
	}
}

static void report_rptr(struct gpu *g, const struct sdma_ring *r, u64 rptr)
{
	u64 addr = ring_get(g, r, RB_RPTR_ADDR_LO) |
		   (u64)ring_get(g, r, RB_RPTR_ADDR_HI) << 32;

	ring_set(g, r, RB_RPTR, (u32)rptr);
	ring_set(g, r, RB_RPTR_HI, (u32)(rptr >> 32));
	if (ring_get(g, r, RB_CNTL) & RB_RPTR_WRITEBACK)
		vm_write(g, 0, addr & ~7ull, &rptr, 8);
}

/* True if the ring stopped with work it can do at once; *@when: next poll. */
static bool ring_run(struct gpu *g, struct sdma_ring *r, u64 *when)
{
	u32 cntl = ring_get(g, r, RB_CNTL), mask = (1u << RB_SIZE(cntl)) - 1, taken, budget;

	if (!(cntl & RB_ENABLE) || regs_get(g, engine_base[r->engine] + F32_CNTL) & F32_HALT)
		return false;
	if (r->poll_ns && r->poll_at > gpu_now()) {
		if (!*when || r->poll_at < *when)
			*when = r->poll_at;
		return false;
	}
	for (budget = TURN_PACKETS; budget; budget--) {
		u64 rptr = ring_get(g, r, RB_RPTR) | (u64)ring_get(g, r, RB_RPTR_HI) << 32;
		u64 wptr = ring_get(g, r, RB_WPTR) | (u64)ring_get(g, r, RB_WPTR_HI) << 32;
		bool in_ib = r->ib_len;
		struct stream s;
		int ret;

		if (in_ib) {
			s = (struct stream){ r->ib_vmid, r->ib_base, r->ib_pos,
					     r->ib_len - r->ib_pos, STREAM_LINEAR };
		} else {
			s.vmid = 0;
			s.base = (u64)ring_get(g, r, RB_BASE) << 8 |
				 (u64)ring_get(g, r, RB_BASE_HI) << 40;
			s.pos = rptr / 4 & mask;
			s.avail = (wptr - rptr) / 4 & mask;
			s.mask = mask;
		}
		if (!s.avail) {
			if (!in_ib)
				return false;
			r->ib_len = 0;
			continue;
		}
		ret = step(g, r, &s, in_ib, &taken);
		if (ret == -EAGAIN) {
			if (!*when || r->poll_at < *when)
				*when = r->poll_at;
			return false;
		}
		if (in_ib)
			r->ib_pos += taken;
		else
			report_rptr(g, r, rptr + 4ull * taken);
	}
	return true;
}

static void *sdma_thread(void *arg)
{
	struct gpu *g = arg;
	struct sdma *d = g->sdma;
	bool more = false;
	u64 when = 0;
	unsigned int i;

	pthread_mutex_lock(&d->lock);
	for (;;) {
		while (!d->stop && !d->kicked && !more) {
			struct timespec ts = { when / 1000000000ull, when % 1000000000ull };

			if (when && when <= gpu_now())
				break;
			if (when)
				pthread_cond_timedwait(&d->cond, &d->lock, &ts);
			else
				pthread_cond_wait(&d->cond, &d->lock);
		}
		if (d->stop)
			break;
		d->kicked = false;
		d->busy = true;
		pthread_mutex_unlock(&d->lock);

		more = false;
		when = 0;
		for (i = 0; i < 2 * SDMA_ENGINES; i++)
			more |= ring_run(g, &d->ring[i], &when);

		pthread_mutex_lock(&d->lock);
		d->busy = false;
		pthread_cond_broadcast(&d->cond);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

static void kick(struct sdma *d)
{
	pthread_mutex_lock(&d->lock);
	d->kicked = true;
	pthread_cond_broadcast(&d->cond);
	pthread_mutex_unlock(&d->lock);
}

void sdma_reg_written(struct gpu *g, unsigned int n, u32 off)
{
	(void)n;
	/* Anything that can start a ring: its pointers and enables, the engine's halt. */
	if (off == F32_CNTL || (off >= RING_GFX && off < RING_GFX + RB_WPTR_HI + 4) ||
	    (off >= RING_PAGE && off < RING_PAGE + RB_WPTR_HI + 4))
		kick(g->sdma);
}

bool sdma_doorbell(struct gpu *g, u32 dw, u64 value)
{
	struct sdma *d = g->sdma;
	unsigned int i;

	for (i = 0; i < 2 * SDMA_ENGINES; i++) {
		struct sdma_ring *r = &d->ring[i];

		if (!(ring_get(g, r, DOORBELL) & DOORBELL_ENABLE) ||
		    DOORBELL_DW(ring_get(g, r, DOORBELL_OFFSET)) != dw)
			continue;
		ring_set(g, r, RB_WPTR, (u32)value);
		ring_set(g, r, RB_WPTR_HI, (u32)(value >> 32));
		kick(d);
		return true;
	}
	return false;
}

static void ring_init(struct sdma *d, unsigned int i)
{
	d->ring[i] = (struct sdma_ring){
		.engine = i / 2,
		.reg = i & 1 ? RING_PAGE : RING_GFX,
		.id = i & 1 ? 3 : 0,	/* sdma_v4_0_process_trap_irq() */
	};
}

int sdma_start(struct gpu *g)
{
	struct sdma *d = calloc(1, sizeof(*d));
	pthread_condattr_t attr;
	unsigned int i;
	int err;

	if (!d)
		return -ENOMEM;
	for (i = 0; i < 2 * SDMA_ENGINES; i++)
		ring_init(d, i);
	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->cond, &attr);
	pthread_condattr_destroy(&attr);
	g->sdma = d;
	err = pthread_create(&d->thread, NULL, sdma_thread, g);
	if (err) {
		free(d);
		g->sdma = NULL;
		return -err;
	}
	pthread_setname_np(d->thread, "gpu-sdma");
	return 0;
}

void sdma_stop(struct gpu *g)
{
	struct sdma *d = g->sdma;

	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_cond_broadcast(&d->cond);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->cond);
	free(d);
	g->sdma = NULL;
}

void sdma_reset(struct gpu *g)
{
	struct sdma *d = g->sdma;
	unsigned int i;

	pthread_mutex_lock(&d->lock);
	for (i = 0; i < SDMA_ENGINES; i++)	/* a ring under way ends after its turn */
		regs_set(g, engine_base[i] + F32_CNTL, F32_HALT);
	while (d->busy)
		pthread_cond_wait(&d->cond, &d->lock);
	for (i = 0; i < 2 * SDMA_ENGINES; i++)
		ring_init(d, i);
	pthread_mutex_unlock(&d->lock);
}
