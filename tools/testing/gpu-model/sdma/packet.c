// SPDX-License-Identifier: GPL-2.0
/*
 * SDMA packets; layouts: vega10_sdma_pkt_open.h. Rings of processes reach
 * memory through their own VMID only, and no register.
 */
#include <errno.h>
#include <string.h>

#include "vm/ih.h"
#include "host/log.h"
#include "bus/memory.h"
#include "vm/vm.h"
#include "host/params.h"
#include "bus/regs.h"
#include "ring.h"

enum {
	OP_NOP = 0, OP_COPY, OP_WRITE, OP_INDIRECT = 4, OP_FENCE, OP_TRAP, OP_SEM,
	OP_POLL_REGMEM, OP_COND_EXE, OP_ATOMIC, OP_CONST_FILL, OP_PTEPDE, OP_TIMESTAMP,
	OP_SRBM_WRITE, OP_PRE_EXE, OP_DUMMY_TRAP, OP_GCR_REQ = 17,	/* SDMA 6 */
};

#define POLL_VM_INVALIDATE	4		/* sub-operation, of SDMA 6 */

#define COPY_BROADCAST		(1u << 27)
#define COPY_COUNT		0x3fffffff	/* bytes - 1; 22 bits before SDMA 4.4 */
#define COPY_WINDOW		4		/* sub-operation: a box out of a larger one */
#define ELEMENT_LOG2_MAX	4
#define PACKET_DWORDS_MAX	13
#define MAX_WRITE		0x100000u	/* dwords; the field has 20 bits */
#define POLL_HDP_FLUSH		(1u << 26)
#define POLL_FUNCTION(p)	((p)[0] >> 28 & 7)

/* Copies and fills let the guest's maps change between two pieces of this size. */
#define PIECE_BYTES		0x100000ull

/* NULL: *@err is -EFAULT, or -EAGAIN for an access that is to be made again. */
static void *reach(struct gpu *g, u32 vmid, u64 va, size_t *span, bool write, int *err)
{
	void *p = vm_ptr_quiet(g, vmid, va, span, write);

	if (!p)
		*err = vm_retry(g, vmid, va, write) ? -EAGAIN : -EFAULT;
	return p;
}

/* From *@done, which moves, to @end. */
static int copy_piece(struct gpu *g, u32 vmid, u64 src, u64 dst, u64 *done, u64 end)
{
	int err = 0;

	mem_enter(g);
	while (*done < end) {
		size_t a, b, n;
		u8 *from = reach(g, vmid, src + *done, &a, false, &err);
		u8 *to = from ? reach(g, vmid, dst + *done, &b, true, &err) : NULL;

		if (!to)
			break;
		n = a < b ? a : b;
		if (n > end - *done)
			n = end - *done;
		memmove(to, from, n);
		*done += n;
	}
	mem_exit(g);
	return err;
}

/* In whole units: of dwords, ROCr has bytes - 4 in the count, kfdtest bytes - 1. */
static u64 fill_bytes(const u32 *p)
{
	u64 unit = 1ull << (p[0] >> 30);

	return (p[4] & COPY_COUNT & -unit) + unit;
}

/* The repeated dword @val, from *@done, which moves, to @end. */
static int fill_piece(struct gpu *g, u32 vmid, u64 dst, u32 val, u64 *done, u64 end)
{
	u8 pattern[4];
	int err = 0;
	u64 j;

	memcpy(pattern, &val, 4);
	mem_enter(g);
	while (*done < end) {
		size_t span;
		u8 *p = reach(g, vmid, dst + *done, &span, true, &err);

		if (!p)
			break;
		if (span > end - *done)
			span = end - *done;
		for (j = 0; j < span; j++)
			p[j] = pattern[(*done + j) & 3];
		*done += span;
	}
	mem_exit(g);
	return err;
}

static u64 piece_end(u64 done, u64 len)
{
	return len - done < PIECE_BYTES ? len : done + PIECE_BYTES;
}

/* *@done: what a packet that waits for its pages has behind it. */
static int copy_linear(struct gpu *g, u32 vmid, u64 src, u64 dst, u64 len, u64 *done)
{
	int err = 0;

	while (!err && *done < len)
		err = copy_piece(g, vmid, src, dst, done, piece_end(*done, len));
	return err;
}

static int fill(struct gpu *g, u32 vmid, u64 dst, u32 val, u64 len, u64 *done)
{
	int err = 0;

	while (!err && *done < len)
		err = fill_piece(g, vmid, dst, val, done, piece_end(*done, len));
	return err;
}

/* Both targets of a broadcast, and the rows of a box: all anew if the packet waits. */
static int copy_all(struct gpu *g, u32 vmid, u64 src, u64 dst, u64 len)
{
	u64 done = 0;

	return copy_linear(g, vmid, src, dst, len, &done);
}

/**
 * struct window - one side of a copy of a box
 * @base:	address of the element that begins its first row
 * @pitch: @slice:	bytes from row to row, and from slice to slice
 */
struct window {
	u64 base, pitch, slice;
};

static struct window window(const u32 *p, unsigned int log2)
{
	struct window w = {
		.pitch = ((p[3] >> 13) + 1ull) << log2,
		.slice = ((p[4] & 0x0fffffff) + 1ull) << log2,
	};

	w.base = packet_u64(p) + ((u64)(p[2] & 0x3fff) << log2) +
		 (p[2] >> 16 & 0x3fff) * w.pitch + (p[3] & 0x7ff) * w.slice;
	return w;
}

static u64 window_row(const u32 *p)
{
	return ((p[11] & 0x3fff) + 1ull) << (p[0] >> 29);
}

/* 0: more than an engine copies. */
static u64 window_bytes(const u32 *p)
{
	u64 bytes = window_row(p) * ((p[11] >> 16 & 0x3fff) + 1) * ((p[12] & 0x7ff) + 1);

	return bytes <= COPY_COUNT + 1ull ? bytes : 0;
}

/* COPY of a box, rows and slices apart from each other (hsa_amd_memory_async_copy_rect()). */
static int copy_window(struct gpu *g, u32 vmid, const u32 *p)
{
	unsigned int log2 = p[0] >> 29;
	u64 row = window_row(p), y, z;
	u64 rows = (p[11] >> 16 & 0x3fff) + 1, slices = (p[12] & 0x7ff) + 1;
	struct window from = window(p + 1, log2), to = window(p + 6, log2);
	int err = 0;

	if (log2 > ELEMENT_LOG2_MAX || !window_bytes(p))
		return -EINVAL;
	for (z = 0; z < slices && !err; z++)
		for (y = 0; y < rows && !err; y++)
			err = copy_all(g, vmid, from.base + z * from.slice + y * from.pitch,
				       to.base + z * to.slice + y * to.pitch, row);
	return err;
}

/* WRITE linear: @n dwords that follow the packet's head. */
static int write_linear(struct gpu *g, const struct stream *s, u64 dst, u32 first, u32 n)
{
	u32 buf[256], run;
	int err;

	while (n) {
		run = n < 256 ? n : 256;
		if (stream_read(g, s, first, run, buf))
			return -EFAULT;
		err = vm_write_retry(g, s->vmid, dst, buf, 4ull * run);
		if (err)
			return err;
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

/* POLL_REGMEM */
static int poll(struct gpu *g, const struct sdma_ring *r, u32 vmid, const u32 *p)
{
	u32 val = 0, ref = p[3], mask = p[4];
	int err;

	/*
	 * ROCr and the thunk have the HDP flushed: nothing needs to be done. ROCr's
	 * packet lacks that bit; its condition, function 0, is always true.
	 */
	if (r->user && !(p[0] >> 31))
		return p[0] & POLL_HDP_FLUSH || !POLL_FUNCTION(p) ? 0 : -EINVAL;
	if (p[0] >> 31) {
		err = vm_read_retry(g, vmid, packet_u64(p + 1) & ~3ull, &val, 4);
		if (err)
			return err;
	} else {
		/* With the HDP flush bit, the first register is the request's answer. */
		if (p[0] & POLL_HDP_FLUSH)
			regs_write(g, p[2] & 0xffffc, ref);
		val = regs_read(g, p[1] & 0xffffc);
	}
	return packet_compare(POLL_FUNCTION(p), val & mask, ref) ? 0 : -EAGAIN;
}

/* COND_EXE; *@skip: dwords behind it that are not executed. */
static int cond_exe(struct gpu *g, const struct stream *s, const u32 *p, u32 *skip)
{
	u32 val;
	int err = vm_read_retry(g, s->vmid, packet_u64(p + 1) & ~3ull, &val, 4);

	if (err)
		return err;
	*skip = val == p[3] ? 0 : p[4] & 0x3fff;
	return *skip > s->avail - 5 ? -EINVAL : 0;
}

/* Operations of ATOMIC, TC_OP of the register headers; bit 6 only says that nothing returns. */
enum {
	ATOMIC_SWAP = 7, ATOMIC_CMPSWAP = 8, ATOMIC_ADD = 15, ATOMIC_SUB, ATOMIC_SMIN, ATOMIC_UMIN,
	ATOMIC_SMAX, ATOMIC_UMAX, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_INC, ATOMIC_DEC,
};

#define ATOMIC_64	0x20

static bool atomic_known(unsigned int op)
{
	return op == ATOMIC_SWAP || op == ATOMIC_CMPSWAP || (op >= ATOMIC_ADD && op <= ATOMIC_DEC);
}

/* What @old becomes; 32-bit values come sign-extended. */
static u64 atomic_result(unsigned int op, u64 old, u64 src, u64 cmp)
{
	switch (op) {
	case ATOMIC_SWAP:
		return src;
	case ATOMIC_CMPSWAP:
		return old == cmp ? src : old;
	case ATOMIC_ADD:
		return old + src;
	case ATOMIC_SUB:
		return old - src;
	case ATOMIC_SMIN:
		return (s64)old < (s64)src ? old : src;
	case ATOMIC_UMIN:
		return old < src ? old : src;
	case ATOMIC_SMAX:
		return (s64)old > (s64)src ? old : src;
	case ATOMIC_UMAX:
		return old > src ? old : src;
	case ATOMIC_AND:
		return old & src;
	case ATOMIC_OR:
		return old | src;
	case ATOMIC_XOR:
		return old ^ src;
	case ATOMIC_INC:
		return old >= src ? 0 : old + 1;
	default:
		return !old || old > src ? src : old - 1;
	}
}

/* @size is 4 or 8; *@old: what was there. */
static int atomic_at(struct gpu *g, u32 vmid, const u32 *p, unsigned int size, u64 *old)
{
	unsigned int op = p[0] >> 25 & 0x1f;
	u64 src = packet_u64(p + 3), cmp = packet_u64(p + 5), new;
	size_t span;
	int err;
	u32 *at;

	at = reach(g, vmid, packet_u64(p + 1), &span, true, &err);
	if (!at)
		return err;
	if (size == 4) {
		u32 have = __atomic_load_n(at, __ATOMIC_ACQUIRE);

		do {
			*old = (s64)(s32)have;
			new = atomic_result(op, *old, (s64)(s32)src, (s64)(s32)cmp);
		} while (!__atomic_compare_exchange_n(at, &have, (u32)new, false,
						      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
		return 0;
	}
	*old = __atomic_load_n((u64 *)at, __ATOMIC_ACQUIRE);
	do {
		new = atomic_result(op, *old, src, cmp);
	} while (!__atomic_compare_exchange_n((u64 *)at, old, new, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	return 0;
}

/* ATOMIC; with its loop bit a compare-and-swap is tried until it does swap. */
static int atomic_packet(struct gpu *g, u32 vmid, const u32 *p)
{
	unsigned int op = p[0] >> 25 & 0x1f, size = p[0] >> 25 & ATOMIC_64 ? 8 : 4;
	u64 old, cmp = packet_u64(p + 5);
	int err;

	if (!atomic_known(op) || p[1] & (size - 1))
		return -EINVAL;
	mem_enter(g);
	err = atomic_at(g, vmid, p, size, &old);
	mem_exit(g);
	if (err)
		return err;
	if (op == ATOMIC_CMPSWAP && p[0] >> 16 & 1 &&
	    (size == 8 ? old != cmp : (u32)old != (u32)cmp))
		return -EAGAIN;
	return 0;
}

static void trap(struct gpu *g, const struct sdma_ring *r, u32 vmid, u32 context)
{
	const struct ih_sources *ih = asic_of(g)->ih;
	struct ih_vector v = {
		.client = ih->sdma_client[r->engine],
		.source = ih->sdma_source,
		.ring = ih->sdma_places ? r->queue | r->engine << 4 : r->id,
		.vmid = vmid,
		.pasid = vmid ? ih_vmid_pasid(g, vmid) : 0,
		.data = { context & 0x0fffffff },
	};

	ih_post(g, &v);
}

/* Dwords of a packet without data, 0 for what this engine does not know. */
static u32 packet_dwords(const struct gpu *g, u32 header)
{
	/* With a sub-operation (tiled, physical, ...) the layout is another one. */
	static const u8 plain[] = {
		[OP_COPY] = 7, [OP_WRITE] = 4, [OP_INDIRECT] = 6, [OP_FENCE] = 4, [OP_TRAP] = 2,
		[OP_POLL_REGMEM] = 6, [OP_COND_EXE] = 5, [OP_ATOMIC] = 8, [OP_CONST_FILL] = 5,
		[OP_PTEPDE] = 10, [OP_TIMESTAMP] = 3,
		[OP_SRBM_WRITE] = 3, [OP_PRE_EXE] = 2, [OP_DUMMY_TRAP] = 2,
	};
	unsigned int op = header & 0xff, sub = header >> 8 & 0xff;

	if (op == OP_NOP)
		return 1 + (header >> 16 & 0x3fff);
	if (op == OP_COPY && sub == COPY_WINDOW)
		return 13;
	if (asic_of(g)->sdma->is_6 && op == OP_GCR_REQ)
		return 5;
	if (asic_of(g)->sdma->is_6 && op == OP_POLL_REGMEM && sub == POLL_VM_INVALIDATE)
		return 4;
	if (op >= sizeof(plain) || (sub && op != OP_TIMESTAMP))
		return 0;
	if (op == OP_COND_EXE && !asic_of(g)->sdma->is_6)
		return 0;
	if (op == OP_COPY && header & COPY_BROADCAST)
		return 9;
	return plain[op];
}

u64 sdma_packet_bytes(struct gpu *g, const struct stream *s)
{
	u32 p[PACKET_DWORDS_MAX] = { 0 }, n;

	if (stream_read(g, s, 0, 1, p))
		return 0;
	n = packet_dwords(g, p[0]);
	if (!n || n > s->avail || (p[0] & 0xff) == OP_NOP || stream_read(g, s, 0, n, p))
		return 0;
	switch (p[0] & 0xff) {
	case OP_COPY:
		if ((p[0] >> 8 & 0xff) == COPY_WINDOW)
			return window_bytes(p);
		return ((p[1] & COPY_COUNT) + 1ull) * (n == 9 ? 2 : 1);
	case OP_CONST_FILL:
		return fill_bytes(p);
	default:
		return 0;
	}
}

static int execute(struct gpu *g, struct sdma_ring *r, const struct stream *s, bool in_ib,
		   u32 *taken)
{
	u32 p[PACKET_DWORDS_MAX] = { 0 }, n, data;
	u64 ticks, len;
	int err;

	*taken = s->avail;
	if (stream_read(g, s, 0, 1, p))
		return -EFAULT;
	n = packet_dwords(g, p[0]);
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
		if ((p[0] >> 8 & 0xff) == COPY_WINDOW)
			return copy_window(g, s->vmid, p);
		len = (p[1] & COPY_COUNT) + 1ull;
		if (n != 9)
			return copy_linear(g, s->vmid, packet_u64(p + 3), packet_u64(p + 5), len,
					   &r->done);
		err = copy_all(g, s->vmid, packet_u64(p + 3), packet_u64(p + 5), len);
		return err ? err : copy_all(g, s->vmid, packet_u64(p + 3), packet_u64(p + 7), len);
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
		r->ib_vmid = r->user ? s->vmid : p[0] >> 16 & 15;
		return 1;
	case OP_FENCE:
		return vm_write_retry(g, s->vmid, packet_u64(p + 1) & ~3ull, &p[3], 4);
	case OP_TRAP:
		trap(g, r, r->user ? s->vmid : 0, p[1]);
		return 0;
	case OP_POLL_REGMEM:
		if ((p[0] >> 8 & 0xff) == POLL_VM_INVALIDATE) {
			vm_invalidate(g, r->user ? 1u << s->vmid : p[3] & 0xffff);
			return 0;
		}
		return poll(g, r, s->vmid, p);
	case OP_COND_EXE:
		err = cond_exe(g, s, p, &n);
		*taken += err ? 0 : n;
		return err;
	case OP_ATOMIC:
		return atomic_packet(g, s->vmid, p);
	case OP_CONST_FILL:
		return fill(g, s->vmid, packet_u64(p + 1), p[3], fill_bytes(p), &r->done);
	case OP_PTEPDE:
		return write_ptes(g, s->vmid, p);
	case OP_TIMESTAMP:
		ticks = gpu_now() / GPU_CLOCK_NS;
		return p[0] >> 8 & 0xff ?
		       vm_write_retry(g, s->vmid, packet_u64(p + 1) & ~7ull, &ticks, 8) : 0;
	case OP_SRBM_WRITE:
		if (s->vmid) {
			log_warn("SDMA%u: SRBM_WRITE of vmid %u", r->engine, s->vmid);
			return r->user ? -EINVAL : 0;
		}
		regs_write(g, (p[1] & 0x3ffff) * 4, p[2]);
		return 0;
	default:
		return 0;
	}
}

int sdma_packet(struct gpu *g, struct sdma_ring *r, const struct stream *s, bool in_ib,
		u32 *taken)
{
	int ret = execute(g, r, s, in_ib, taken);

	if (ret != -EAGAIN) {
		r->poll_ns = 0;
		r->done = 0;
		return ret;
	}
	/* It waits: look again, at growing distances. */
	r->poll_ns = r->poll_ns ? r->poll_ns * 2 : POLL_MIN_NS;
	if (r->poll_ns > POLL_MAX_NS)
		r->poll_ns = POLL_MAX_NS;
	r->poll_at = gpu_now() + r->poll_ns;
	return -EAGAIN;
}
