// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: scalar loads and stores; FLAT, GLOBAL, SCRATCH and buffer
 * instructions. A vector access translates the addresses of all active lanes
 * before the first byte moves: a fault has no partial effect.
 */
#include "isa.h"
#include "typed.h"

#define PAGE_BITS	12
#define PAGE_BYTES	(1u << PAGE_BITS)
#define TLB_ENTRIES	(sizeof(((struct wave *)0)->tlb) / sizeof(((struct wave *)0)->tlb[0]))
#define MAX_DWORDS	4	/* of one lane's access */

static bool is_doorbell(const struct wave *w, u64 va)
{
	return w->mem->ring && w->mem->ring(w->mem->ctx, va, NULL, 0);
}

/**
 * wave_ptr() - translate for a wave
 * @c:		context
 * @va:		address
 * @write:	for writing
 * @span:	out: bytes contiguous from @va, to the page's end at most
 *
 * Return: host pointer; NULL for a fault (fault_va is set), of which the driver is told; or for
 * a write to a doorbell, which has no memory behind it.
 */
u8 *wave_ptr(struct ctx *c, u64 va, bool write, size_t *span)
{
	struct wave *w = c->w;
	u64 page = va >> PAGE_BITS;
	unsigned int off = va & (PAGE_BYTES - 1), n = page % TLB_ENTRIES;
	size_t got;
	u8 *host;

	*span = PAGE_BYTES - off;
	if (w->tlb[n].page == page && (w->tlb[n].write || !write))
		return w->tlb[n].host + off;
	host = w->mem->ptr(w->mem->ctx, va - off, &got, write);
	if (host && got >= PAGE_BYTES) {
		w->tlb[n].page = page;
		w->tlb[n].host = host;
		w->tlb[n].write = write;
		return host + off;
	}
	/* Memory smaller than a page: exact, and not remembered. */
	host = w->mem->ptr(w->mem->ctx, va, &got, write);
	if (!host) {
		w->fault_va = va;
		w->again = !(write && is_doorbell(w, va)) && w->mem->retry &&
			   w->mem->retry(w->mem->ctx, va, write);
		return NULL;
	}
	if (got < *span)
		*span = got;
	return host;
}

/* Aligned accesses of up to 8 bytes are single, as other agents see them. */
static u64 load_bytes(const u8 *p, unsigned int bytes)
{
	u64 v = 0;

	if (!((uintptr_t)p & (bytes - 1)))
		switch (bytes) {
		case 1:
			return __atomic_load_n(p, __ATOMIC_RELAXED);
		case 2:
			return __atomic_load_n((const u16 *)p, __ATOMIC_RELAXED);
		case 4:
			return __atomic_load_n((const u32 *)p, __ATOMIC_RELAXED);
		case 8:
			return __atomic_load_n((const u64 *)p, __ATOMIC_RELAXED);
		}
	memcpy(&v, p, bytes);
	return v;
}

static void store_bytes(u8 *p, u64 v, unsigned int bytes)
{
	if (!((uintptr_t)p & (bytes - 1)))
		switch (bytes) {
		case 1:
			__atomic_store_n(p, (u8)v, __ATOMIC_RELAXED);
			return;
		case 2:
			__atomic_store_n((u16 *)p, (u16)v, __ATOMIC_RELAXED);
			return;
		case 4:
			__atomic_store_n((u32 *)p, (u32)v, __ATOMIC_RELAXED);
			return;
		case 8:
			__atomic_store_n((u64 *)p, v, __ATOMIC_RELAXED);
			return;
		}
	memcpy(p, &v, bytes);
}

/*
 * One piece of memory of at most 8 bytes. An unaligned one may end on a second
 * page: @first bytes are at @p, the others at @rest. A lane's store to a doorbell, with all its
 * dwords, is the first of its pieces, at address @bell.
 */
struct piece {
	u8 *p, *rest;
	u64 bell;
	u8 bytes, first;
};

static bool translate(struct ctx *c, struct piece *m, u64 va, unsigned int bytes, bool write)
{
	size_t span, more;

	m->bytes = bytes;
	m->first = bytes;
	m->bell = 0;
	m->p = wave_ptr(c, va, write, &span);
	if (!m->p)
		return false;
	if (span >= bytes)
		return true;
	m->first = span;
	m->rest = wave_ptr(c, va + span, write, &more);
	if (m->rest && more < bytes - span) {
		c->w->fault_va = va + span + more;
		m->rest = NULL;
	}
	return m->rest;
}

static u64 piece_load(const struct piece *m)
{
	u64 v = 0;

	if (m->first == m->bytes)
		return load_bytes(m->p, m->bytes);
	memcpy(&v, m->p, m->first);
	memcpy((u8 *)&v + m->first, m->rest, m->bytes - m->first);
	return v;
}

static void piece_store(const struct piece *m, u64 v)
{
	if (m->first == m->bytes) {
		store_bytes(m->p, v, m->bytes);
		return;
	}
	memcpy(m->p, &v, m->first);
	memcpy(m->rest, (u8 *)&v + m->first, m->bytes - m->first);
}

/* ---- scalar ---- */

static u64 smem_offset(const struct ctx *c, const struct insn *i)
{
	u64 off = (s64)i->simm;

	if (i->soffset != OP_NONE)
		off += c->w->sgpr[i->soffset];
	return off;
}

/* @n dwords at @va (dword-aligned by the hardware) to or from SGPRs. */
static enum wave_stop smem(struct ctx *c, const struct insn *i, u64 va, unsigned int n, bool store)
{
	struct piece m[16];

	va &= ~3ull;
	for (unsigned int k = 0; k < n; k++)
		if (!translate(c, &m[k], va + 4 * k, 4, store))
			return WAVE_FAULT;
	for (unsigned int k = 0; k < n; k++) {
		if (store)
			piece_store(&m[k], c->w->sgpr[i->dst + k]);
		else
			c->w->sgpr[i->dst + k] = piece_load(&m[k]);
	}
	return WAVE_BUDGET;
}

X(x_s_load)
{
	return smem(c, i, sgpr64(c->w, i->src[0]) + smem_offset(c, i), i->row->arg, false);
}

X(x_s_store)
{
	return smem(c, i, sgpr64(c->w, i->src[0]) + smem_offset(c, i), i->row->arg, true);
}

/* Fields of a buffer descriptor (gfx9). */
struct rsrc {
	u64 base;
	u32 stride, num_records, index_stride;
	bool swizzle, add_tid;
};

static struct rsrc rsrc_parse(const struct wave *w, unsigned int s)
{
	const u32 *d = &w->sgpr[s];
	struct rsrc r = {
		.base = d[0] | (u64)(d[1] & 0xffff) << 32,
		.stride = d[1] >> 16 & 0x3fff,
		.swizzle = d[1] >> 31,
		.num_records = d[2],
		.index_stride = 8u << (d[3] >> 21 & 3),
		.add_tid = d[3] >> 23 & 1,
	};

	/* With the lane added, the data format field holds stride bits 17:14. */
	if (r.add_tid)
		r.stride |= (d[3] >> 15 & 15) << 14;
	return r;
}

/* Scalar buffer accesses are linear; out of range reads zero. */
static enum wave_stop s_buffer(struct ctx *c, const struct insn *i, bool store)
{
	struct rsrc r = rsrc_parse(c->w, i->src[0]);
	u64 off = smem_offset(c, i) & ~3ull, size = r.num_records;
	unsigned int n = i->row->arg, in_range = 0;
	enum wave_stop stop;

	if (r.stride)
		size *= r.stride;
	while (in_range < n && off + 4 * (in_range + 1) <= size)
		in_range++;
	stop = smem(c, i, r.base + off, in_range, store);
	if (stop == WAVE_BUDGET && !store)
		for (unsigned int k = in_range; k < n; k++)
			c->w->sgpr[i->dst + k] = 0;
	return stop;
}

X(x_s_buffer_load)
{
	return s_buffer(c, i, false);
}

X(x_s_buffer_store)
{
	return s_buffer(c, i, true);
}

/* An atomic of the wave as a whole; out of a buffer's range it does nothing. */
static enum wave_stop s_atomic(struct ctx *c, const struct insn *i, u64 va, bool in_range)
{
	enum isa_atomic op = i->row->arg & 0xff;
	bool wide = i->row->arg & A_64;
	const u32 *data = &c->w->sgpr[i->dst];
	unsigned int n = wide ? 2 : 1;
	u64 old = 0, cmp = 0;
	struct piece m;

	va &= ~3ull;
	if (in_range) {
		if (!translate(c, &m, va, 4 * n, true))
			return WAVE_FAULT;
		if (va & (4 * n - 1)) {
			c->w->fault_va = va;
			return WAVE_FAULT;
		}
		if (op == A_CMPSWAP)
			cmp = wide ? data[2] | (u64)data[3] << 32 : data[1];
		old = atomic_host(m.p, op, wide ? data[0] | (u64)data[1] << 32 : data[0], cmp,
				  wide);
	}
	if (i->glc) {
		c->w->sgpr[i->dst] = old;
		if (wide)
			c->w->sgpr[i->dst + 1] = old >> 32;
	}
	return WAVE_BUDGET;
}

X(x_s_atomic)
{
	return s_atomic(c, i, sgpr64(c->w, i->src[0]) + smem_offset(c, i), true);
}

X(x_s_buffer_atomic)
{
	struct rsrc r = rsrc_parse(c->w, i->src[0]);
	u64 off = smem_offset(c, i) & ~3ull, size = r.num_records;

	if (r.stride)
		size *= r.stride;
	return s_atomic(c, i, r.base + off, off + (i->row->arg & A_64 ? 8 : 4) <= size);
}

/* The scalar scratch forms scale a register offset by 64: one for all lanes. */
static enum wave_stop s_scratch(struct ctx *c, const struct insn *i, bool store)
{
	u64 va = sgpr64(c->w, i->src[0]) + (s64)i->simm;

	if (i->soffset != OP_NONE)
		va += (u64)c->w->sgpr[i->soffset] * 64;
	return smem(c, i, va, i->row->arg, store);
}

X(x_s_scratch_load)
{
	return s_scratch(c, i, false);
}

X(x_s_scratch_store)
{
	return s_scratch(c, i, true);
}

/* ---- vector ---- */

/**
 * struct vmem - the accesses of one vector instruction
 * @lanes:	lanes that take part
 * @zero:	of these, out of a buffer's range: loads give zero, stores nothing
 * @dwords:	pieces a lane, each of @bytes
 * @align:	address bits that must be zero
 * @access:	WATCH_READ, WATCH_NONREAD (a store) or WATCH_ATOMIC
 * @hits:	bits of TRAPSTS for the watch points that it meets
 * @piece:	where each is
 * @simple:	likewise, @at, when none of them is unaligned or watched
 */
struct vmem {
	u64 lanes, zero;
	unsigned int dwords, bytes, align;
	enum watch_mode access;
	u32 hits;
	bool simple;
	union {
		struct piece piece[LANES][MAX_DWORDS];
		u8 *at[MAX_DWORDS][LANES];
	};
};

static void vmem_init(struct ctx *c, struct vmem *m, unsigned int bytes, enum watch_mode access)
{
	m->lanes = wave_exec(c->w);
	m->zero = 0;
	m->align = 0;
	m->access = access;
	m->simple = false;
	m->hits = 0;
	m->bytes = bytes < 4 ? bytes : 4;
	m->dwords = bytes < 4 ? 1 : bytes / 4;
}

/*
 * Private memory interleaves lanes by dword: byte @off of lane @l is at
 * base + (off / 4 * lanes + l) * 4 + off % 4. @log2: of the wave's lanes.
 */
static u64 private_address(u64 base, u64 off, unsigned int l, unsigned int log2)
{
	return base + ((off & ~3ull) << log2) + l * 4 + (off & 3);
}

static unsigned int lanes_log2(const struct wave *w)
{
	return w->lanes > 32 ? 6 : 5;
}

/* A private access that is not aligned splits where a dword ends. */
static bool translate_private(struct ctx *c, struct piece *p, u64 base, u64 off,
			      unsigned int l, unsigned int bytes, bool write)
{
	unsigned int head = 4 - (off & 3), log2 = lanes_log2(c->w);
	struct piece rest;

	if (head >= bytes)
		return translate(c, p, private_address(base, off, l, log2), bytes, write);
	if (!translate(c, p, private_address(base, off, l, log2), head, write) ||
	    !translate(c, &rest, private_address(base, off + head, l, log2), bytes - head, write))
		return false;
	p->bytes = bytes;
	p->first = head;
	p->rest = rest.p;
	return true;
}

/* Is @va, of one access, what a debugger waits for? A watched atomic is a store, too. */
static void watch(const struct wave_mem *mem, struct vmem *m, u64 va)
{
	for (unsigned int n = 0; n < mem->watches; n++) {
		const struct wave_watch *p = &mem->watch[n];

		if ((va ^ p->va) & p->mask)
			continue;
		if (p->mode == WATCH_ALL || p->mode == m->access ||
		    (p->mode == WATCH_NONREAD && m->access == WATCH_ATOMIC))
			m->hits |= p->bit;
	}
}

/* The access is made: a hit is an exception, which traps if MODE says so. */
static enum wave_stop vmem_end(struct ctx *c, const struct vmem *m)
{
	if (!m->hits)
		return WAVE_BUDGET;
	c->w->trapsts |= m->hits;
	return c->w->mode & MODE_EXCP_EN_WATCH ? WAVE_WATCH : WAVE_BUDGET;
}

static bool misaligned(struct ctx *c, const struct vmem *m, u64 va)
{
	if (!(va & m->align))
		return false;
	c->w->fault_va = va;
	return true;
}

/*
 * A lane stores to a doorbell, whole: other accesses of a doorbell halt the wave. All lanes are
 * looked at before the first one rings.
 */
static bool at_doorbell(const struct ctx *c, const struct vmem *m, struct piece *p, u64 va)
{
	unsigned int bytes = m->dwords * m->bytes;

	if (m->access != WATCH_NONREAD || (bytes != 4 && bytes != 8) || va & (bytes - 1) ||
	    !is_doorbell(c->w, va))
		return false;
	p->bell = va;
	return true;
}

static bool in_lds(struct ctx *c, struct piece *p, u64 va, unsigned int bytes)
{
	const struct workgroup *wg = c->w->wg;
	u32 off = va;

	if (off > wg->lds_bytes || bytes > wg->lds_bytes - off) {
		c->w->fault_va = va;
		return false;
	}
	p->p = wg->lds + off;
	p->bell = 0;
	p->bytes = bytes;
	p->first = bytes;
	return true;
}

/* What comes of an attempt to translate in a simple way. */
enum attempt { SIMPLE, FAULTS, OTHER };

/* Is the page of @va known to the wave? Then it has no fault. */
static bool in_tlb(const struct wave *w, u64 va, bool write)
{
	u64 page = va >> PAGE_BITS;
	unsigned int n = page % TLB_ENTRIES;

	return w->tlb[n].page == page && (w->tlb[n].write || !write);
}

/*
 * The addresses of all lanes, of @bytes each, to host pointers @at. OTHER: one of them is not
 * aligned, or leaves its page. With @part, they are not the whole of an access, and which
 * lane is the first to fault is not to be known here.
 */
static enum attempt simple(struct ctx *c, const struct vmem *m, u64 va[LANES],
			   unsigned int bytes, u8 *at[LANES], bool part)
{
	unsigned int first = __builtin_ctzll(m->lanes);
	u64 page = va[first] >> PAGE_BITS, low = 0, pages = 0, most = 0;
	bool write = m->access != WATCH_READ;
	u8 *host = NULL;

	VLANE {
		u64 a = m->lanes >> l & 1 ? va[l] : va[first], off = a & (PAGE_BYTES - 1);

		va[l] = a;
		low |= a;
		pages |= a >> PAGE_BITS ^ page;
		most = off > most ? off : most;
	}
	if (low & (m->bytes - 1) || most + bytes > PAGE_BYTES)
		return OTHER;
	for (unsigned int l = first; l < (pages ? LANES : first + 1); l++) {
		unsigned int off = va[l] & (PAGE_BYTES - 1);
		size_t span;

		if (!host || va[l] >> PAGE_BITS != page) {
			if (part && !in_tlb(c->w, va[l], write))
				return OTHER;
			host = wave_ptr(c, va[l], write, &span);
			if (!host)
				return write && is_doorbell(c->w, va[l]) ? OTHER : FAULTS;
			if (span != PAGE_BYTES - off)
				return OTHER;
			host -= off;
			page = va[l] >> PAGE_BITS;
		}
		at[l] = host + off;
	}
	if (!pages)
		VLANE
			at[l] = host + (va[l] & (PAGE_BYTES - 1));
	return SIMPLE;
}

/* The same for each piece by itself: they are @step bytes apart. */
static enum attempt simple_pieces(struct ctx *c, struct vmem *m, u64 va[LANES], unsigned int step)
{
	enum attempt a;

	if (!m->lanes)
		return SIMPLE;
	if (step == 4) {
		a = simple(c, m, va, m->dwords * m->bytes, m->at[0], false);
		for (unsigned int d = 1; d < m->dwords && a == SIMPLE; d++)
			VLANE
				m->at[d][l] = m->at[0][l] + 4 * d;
		return a;
	}
	for (unsigned int d = 0; d < m->dwords; d++) {
		a = simple(c, m, va, m->bytes, m->at[d], m->dwords > 1);
		if (a != SIMPLE)
			return a;
		VLANE
			va[l] += step;
	}
	return SIMPLE;
}

static u64 scratch_base(const struct wave *w)
{
	return w->mem->isa->rdna ? w->flat_scratch : sgpr64(w, SGPR_FLAT_SCRATCH);
}

/* FLAT, GLOBAL and SCRATCH: all lanes private, or none, and none in LDS. */
static enum attempt flat_simple(struct ctx *c, const struct insn *i, struct vmem *m,
				const u32 *lo, const u32 *hi, u64 saddr)
{
	const struct wave_mem *mem = c->w->mem;
	u64 scratch, va[LANES] ALIGNED;
	u32 private_top = mem->private_base >> 32, shared_top = mem->shared_base >> 32;
	const u32 *mask = lane_masks(c);
	unsigned int log2 = lanes_log2(c->w);
	u32 apart = 0, off = 0;

	if (REFERENCE || m->align || mem->watches)
		return OTHER;
	if (lo && hi)
		VLANE
			va[l] = saddr + (s64)i->simm + join(lo[l], hi[l]);
	else
		VLANE
			va[l] = saddr + (s64)i->simm + (lo ? lo[l] : 0);
	if (i->row->fmt == FLAT)
		VLANE
			apart |= mask[l] & -(u32)(hi[l] == private_top || hi[l] == shared_top);
	if (apart)
		return OTHER;
	if (i->row->fmt != SCRATCH)
		return simple_pieces(c, m, va, 4);
	scratch = scratch_base(c->w);
	VLANE {
		off |= mask[l] & (u32)va[l];
		va[l] = private_address(scratch, (u32)va[l], l, log2);
	}
	/* A piece that ends behind its dword goes on elsewhere. */
	return off & (m->bytes - 1) ? OTHER : simple_pieces(c, m, va, 4u << log2);
}

/* Translate lane addresses of FLAT (apertures), GLOBAL and SCRATCH. */
static bool flat_translate(struct ctx *c, const struct insn *i, struct vmem *m)
{
	struct wave *w = c->w;
	bool write = m->access != WATCH_READ;
	u64 scratch = scratch_base(w), saddr = 0;
	enum isa_fmt fmt = i->row->fmt;
	const u32 *lo = NULL, *hi = NULL;

	if (i->src[0] != OP_NONE)
		lo = vreg(c, i->src[0]);
	if (fmt == FLAT || (fmt == GLOBAL && i->saddr == OP_NONE))
		hi = vreg(c, i->src[0] + 1);
	if (i->saddr != OP_NONE)
		saddr = fmt == SCRATCH ? w->sgpr[i->saddr] : sgpr64(w, i->saddr);

	switch (flat_simple(c, i, m, lo, hi, saddr)) {
	case SIMPLE:
		m->simple = true;
		return true;
	case FAULTS:
		return false;
	case OTHER:
		break;
	}
	for (u64 left = m->lanes; left; left &= left - 1) {
		unsigned int l = __builtin_ctzll(left);
		u64 va = saddr + (s64)i->simm + (lo ? lo[l] : 0) + (hi ? (u64)hi[l] << 32 : 0);
		/* The aperture is that of the register, before the offset. */
		u64 top = hi && fmt == FLAT ? hi[l] : 0;
		bool is_private = fmt == SCRATCH;
		bool is_lds = false;

		if (misaligned(c, m, va))
			return false;
		if (fmt == FLAT) {
			is_private = top == w->mem->private_base >> 32;
			is_lds = top == w->mem->shared_base >> 32;
		}
		for (unsigned int d = 0; d < m->dwords; d++) {
			struct piece *p = &m->piece[l][d];
			bool ok;

			if (is_private)
				ok = translate_private(c, p, scratch, (u32)va + 4 * d, l,
						       m->bytes, write);
			else if (is_lds)
				ok = in_lds(c, p, (va & 0xffffffff) + 4 * d, m->bytes);
			else
				ok = translate(c, p, va + 4 * d, m->bytes, write);
			if (!ok && !is_private && !is_lds && !d && at_doorbell(c, m, p, va))
				break;
			if (!ok)
				return false;
			if (!is_private && !is_lds)
				watch(w->mem, m, va + 4 * d);
		}
	}
	return true;
}

/* The lane's offset and index in a buffer; false when it is out of its range. */
static bool buffer_range(const struct rsrc *r, u64 index, u64 end, bool indexed)
{
	if (r->stride && (r->swizzle || indexed))
		return index < r->num_records;
	return end <= r->num_records;
}

/* Where byte @o of element @index is. */
static u64 buffer_address(const struct rsrc *r, u64 index, u64 o)
{
	if (!r->swizzle)
		return index * r->stride + o;
	return (index / r->index_stride * r->stride + (o & ~3ull)) * r->index_stride +
	       index % r->index_stride * 4 + (o & 3);
}

static enum attempt buffer_simple(struct ctx *c, const struct insn *i, struct vmem *m,
				  const struct rsrc *r, const u32 *vindex, const u32 *voffset,
				  u32 soffset)
{
	unsigned int total = m->dwords * m->bytes;
	u64 va[LANES] ALIGNED, lanes = m->lanes;
	const u32 *mask = lane_masks(c);
	enum attempt a;
	u32 low = 0;

	if (REFERENCE || m->align || c->w->mem->watches)
		return OTHER;
	LANE {
		u64 index = (vindex ? vindex[l] : 0) + (u64)(r->add_tid ? l : 0);
		u64 off = (u64)i->simm + (voffset ? voffset[l] : 0);

		if (!buffer_range(r, index, off + total + soffset, vindex))
			m->zero |= 1ull << l;
		low |= mask[l] & (u32)off;
		va[l] = r->base + soffset + buffer_address(r, index, off);
	}
	if (r->swizzle && low & (m->bytes - 1))	/* goes on elsewhere */
		return OTHER;
	m->zero &= lanes;
	m->lanes &= ~m->zero;
	a = simple_pieces(c, m, va, r->swizzle ? 4 * r->index_stride : 4);
	m->lanes = lanes;
	return a;
}

/* Translate lane addresses of a buffer instruction (gfx9: elements of 4 bytes). */
static bool buffer_translate(struct ctx *c, const struct insn *i, struct vmem *m)
{
	struct wave *w = c->w;
	bool write = m->access != WATCH_READ;
	struct rsrc r = rsrc_parse(w, i->src[2]);
	unsigned int total = m->dwords * m->bytes;
	const u32 *vindex = NULL, *voffset = NULL;
	u32 soffset;

	if (i->idxen)
		vindex = vreg(c, i->src[0]);
	if (i->offen)
		voffset = vreg(c, i->src[0] + i->idxen);
	soffset = i->soffset < MAX_SGPRS ? w->sgpr[i->soffset] : scalar_value(c, i, i->soffset);

	switch (buffer_simple(c, i, m, &r, vindex, voffset, soffset)) {
	case SIMPLE:
		m->simple = true;
		return true;
	case FAULTS:
		return false;
	case OTHER:
		m->zero = 0;
	}
	for (u64 left = m->lanes; left; left &= left - 1) {
		unsigned int l = __builtin_ctzll(left);
		u64 index = (vindex ? vindex[l] : 0) + (u64)(r.add_tid ? l : 0);
		u64 off = (u64)i->simm + (voffset ? voffset[l] : 0);

		if (!buffer_range(&r, index, off + total + soffset, vindex)) {
			m->zero |= 1ull << l;
			continue;
		}
		for (unsigned int d = 0; d < m->dwords; d++) {
			u64 va = r.base + soffset + buffer_address(&r, index, off + 4 * d);

			if (misaligned(c, m, va) ||
			    !translate(c, &m->piece[l][d], va, m->bytes, write))
				return false;
			watch(w->mem, m, va);
		}
	}
	return true;
}

/* A register of all lanes. */
static void simple_load(u32 *dst, u8 *const at[LANES], u64 lanes, u32 arg)
{
	bool all = lanes == ALL_LANES;

	if (M_BYTES(arg) >= 4) {
		LANE
			if (all || lanes >> l & 1)
				dst[l] = __atomic_load_n((const u32 *)at[l], __ATOMIC_RELAXED);
		return;
	}
	LANE
		if (all || lanes >> l & 1)
			dst[l] = mem_extend(arg, load_bytes(at[l], M_BYTES(arg)), dst[l]);
}

static void vmem_load(struct ctx *c, const struct insn *i, const struct vmem *m)
{
	u32 arg = i->row->arg;

	for (unsigned int d = 0; d < m->dwords && m->simple; d++)
		simple_load(vreg(c, i->dst + d), m->at[d], m->lanes & ~m->zero, arg);
	for (u64 left = m->simple ? m->zero : m->lanes; left; left &= left - 1) {
		unsigned int l = __builtin_ctzll(left);

		for (unsigned int d = 0; d < m->dwords; d++) {
			u32 *dst = &vreg(c, i->dst + d)[l];
			u32 v = m->zero >> l & 1 ? 0 : piece_load(&m->piece[l][d]);

			*dst = mem_extend(arg, v, *dst);
		}
	}
}

/* Of lanes that store to the same place the last one wins, with all of its dwords. */
static void simple_store(const struct ctx *c, const struct insn *i, const struct vmem *m)
{
	const u32 (*src)[LANES] = (const u32 (*)[LANES])vreg(c, i->src[1]);
	u64 lanes = m->lanes & ~m->zero;
	bool all = lanes == ALL_LANES;

	LANE {
		if (!all && !(lanes >> l & 1))
			continue;
		if (m->bytes < 4)
			store_bytes(m->at[0][l],
				    i->row->arg & M_HI ? src[0][l] >> 16 : src[0][l], m->bytes);
		else
			for (unsigned int d = 0; d < m->dwords; d++)
				__atomic_store_n((u32 *)m->at[d][l], src[d][l], __ATOMIC_RELAXED);
	}
}

static void vmem_store(struct ctx *c, const struct insn *i, const struct vmem *m)
{
	if (m->simple) {
		simple_store(c, i, m);
		return;
	}
	for (u64 left = m->lanes & ~m->zero; left; left &= left - 1) {
		unsigned int l = __builtin_ctzll(left);

		if (m->piece[l][0].bell) {
			u64 value = vreg(c, i->src[1])[l];

			if (m->dwords > 1)
				value |= (u64)vreg(c, i->src[1] + 1)[l] << 32;
			c->w->mem->ring(c->w->mem->ctx, m->piece[l][0].bell, &value, 4 * m->dwords);
			continue;
		}
		for (unsigned int d = 0; d < m->dwords; d++) {
			u32 v = vreg(c, i->src[1] + d)[l];

			piece_store(&m->piece[l][d], i->row->arg & M_HI ? v >> 16 : v);
		}
	}
}

X(x_flat_load)
{
	struct vmem m;

	if (i->lds)
		return x_unsupported(c, i);
	vmem_init(c, &m, M_BYTES(i->row->arg), WATCH_READ);
	if (!flat_translate(c, i, &m))
		return WAVE_FAULT;
	vmem_load(c, i, &m);
	return vmem_end(c, &m);
}

X(x_flat_store)
{
	struct vmem m;

	vmem_init(c, &m, M_BYTES(i->row->arg), WATCH_NONREAD);
	if (!flat_translate(c, i, &m))
		return WAVE_FAULT;
	vmem_store(c, i, &m);
	return vmem_end(c, &m);
}

/* Piece @d of lane @l. */
static u32 vmem_piece(const struct vmem *m, unsigned int l, unsigned int d)
{
	return m->simple ? load_bytes(m->at[d][l], m->bytes) : piece_load(&m->piece[l][d]);
}

/* A dword of each lane goes to LDS, at M0 and the instruction's offset. */
static void vmem_load_lds(struct ctx *c, const struct insn *i, const struct vmem *m)
{
	const struct workgroup *wg = c->w->wg;
	u32 base = (c->w->sgpr[SGPR_M0] & 0xffff) + i->simm;

	for (u64 left = m->lanes & ~m->zero; left; left &= left - 1) {
		unsigned int l = __builtin_ctzll(left);
		u32 v = mem_extend(i->row->arg, vmem_piece(m, l, 0), 0), at = base + 4 * l;

		if (at < wg->lds_bytes && wg->lds_bytes - at >= 4)
			memcpy(wg->lds + at, &v, 4);
	}
}

X(x_flat_load_lds)
{
	struct vmem m;

	vmem_init(c, &m, M_BYTES(i->row->arg), WATCH_READ);
	if (!flat_translate(c, i, &m))
		return WAVE_FAULT;
	vmem_load_lds(c, i, &m);
	return vmem_end(c, &m);
}

/* A dword of each lane, one behind the other from a scalar address on. */
static bool addtid_translate(struct ctx *c, const struct insn *i, struct vmem *m)
{
	u64 base = (i->saddr == OP_NONE ? 0 : sgpr64(c->w, i->saddr)) + (s64)i->simm;

	for (u64 left = m->lanes; left; left &= left - 1) {
		unsigned int l = __builtin_ctzll(left);

		if (!translate(c, &m->piece[l][0], base + 4 * l, 4, m->access != WATCH_READ))
			return false;
		watch(c->w->mem, m, base + 4 * l);
	}
	return true;
}

X(x_global_load_addtid)
{
	struct vmem m;

	vmem_init(c, &m, 4, WATCH_READ);
	if (!addtid_translate(c, i, &m))
		return WAVE_FAULT;
	vmem_load(c, i, &m);
	return vmem_end(c, &m);
}

X(x_global_store_addtid)
{
	struct vmem m;

	vmem_init(c, &m, 4, WATCH_NONREAD);
	if (!addtid_translate(c, i, &m))
		return WAVE_FAULT;
	vmem_store(c, i, &m);
	return vmem_end(c, &m);
}

X(x_buffer_load)
{
	struct vmem m;

	if (i->lds && M_BYTES(i->row->arg) != 4)
		return x_unsupported(c, i);
	vmem_init(c, &m, M_BYTES(i->row->arg), WATCH_READ);
	if (!buffer_translate(c, i, &m))
		return WAVE_FAULT;
	if (i->lds)
		vmem_load_lds(c, i, &m);
	else
		vmem_load(c, i, &m);
	return vmem_end(c, &m);
}

X(x_buffer_store)
{
	struct vmem m;

	if (i->lds)
		return x_unsupported(c, i);
	vmem_init(c, &m, M_BYTES(i->row->arg), WATCH_NONREAD);
	if (!buffer_translate(c, i, &m))
		return WAVE_FAULT;
	vmem_store(c, i, &m);
	return vmem_end(c, &m);
}

/* MTBUF says what an element is; for MUBUF's typed accesses the descriptor does. */
static struct typed typed_parse(const struct wave *w, const struct insn *i)
{
	u32 d3 = w->sgpr[i->src[2] + 3];

	if (i->row->fmt == MTBUF)
		return (struct typed){ i->simm2 & 15, i->simm2 >> 4, TYPED_XYZW };
	return (struct typed){ d3 >> 15 & 15, d3 >> 12 & 7, d3 & 0xfff };
}

X(x_typed_load)
{
	struct typed t = typed_parse(c->w, i);
	struct vmem m;

	if (i->lds || (t.data != TYPED_INVALID && !typed_known(&t)))
		return x_unsupported(c, i);
	vmem_init(c, &m, typed_layout(&t)->bytes, WATCH_READ);
	if (t.data == TYPED_INVALID)
		m.zero = m.lanes;
	else if (!buffer_translate(c, i, &m))
		return WAVE_FAULT;
	for (u64 left = m.lanes; left; left &= left - 1) {
		unsigned int l = __builtin_ctzll(left);
		bool zero = m.zero >> l & 1;
		u32 element[MAX_DWORDS];

		for (unsigned int d = 0; d < m.dwords && !zero; d++)
			element[d] = vmem_piece(&m, l, d);
		for (unsigned int n = 0; n < i->row->arg; n++)
			vreg(c, i->dst + n)[l] = zero ? 0 : typed_component(&t, element, n);
	}
	return vmem_end(c, &m);
}

/*
 * Atomics of memory are the host's own, so that waves, the CPU and other
 * engines see them whole. Hardware takes aligned addresses only. Two dwords of
 * private memory do not lie together, but only their lane uses them.
 */
static void vmem_atomic(struct ctx *c, const struct insn *i, const struct vmem *m)
{
	enum isa_atomic op = i->row->arg & 0xff;
	bool wide = i->row->arg & A_64;
	unsigned int n = wide ? 2 : 1;

	for (u64 left = m->lanes; left; left &= left - 1) {
		unsigned int l = __builtin_ctzll(left);
		const struct piece *p = &m->piece[l][0];
		u64 data = vreg(c, i->src[1])[l], cmp = 0, old = 0;

		if (wide)
			data |= (u64)vreg(c, i->src[1] + 1)[l] << 32;
		if (op == A_CMPSWAP) {
			cmp = vreg(c, i->src[1] + n)[l];
			if (wide)
				cmp |= (u64)vreg(c, i->src[1] + 3)[l] << 32;
		}
		if (m->zero >> l & 1) {
			old = 0;
		} else if (p->first != p->bytes) {
			old = piece_load(p);
			piece_store(p, atomic_result(op, old, data, cmp, wide));
		} else {
			old = atomic_host(p->p, op, data, cmp, wide);
		}
		if (i->glc) {
			vreg(c, i->dst)[l] = old;
			if (wide)
				vreg(c, i->dst + 1)[l] = old >> 32;
		}
	}
}

static void atomic_init(struct ctx *c, const struct insn *i, struct vmem *m)
{
	vmem_init(c, m, 4, WATCH_ATOMIC);
	if (i->row->arg & A_64)
		m->bytes = 8;
	m->align = m->bytes - 1;
}

X(x_flat_atomic)
{
	struct vmem m;

	atomic_init(c, i, &m);
	if (!flat_translate(c, i, &m))
		return WAVE_FAULT;
	vmem_atomic(c, i, &m);
	return vmem_end(c, &m);
}

X(x_buffer_atomic)
{
	struct vmem m;

	atomic_init(c, i, &m);
	if (m.bytes == 8 && rsrc_parse(c->w, i->src[2]).swizzle)
		return x_unsupported(c, i);
	if (!buffer_translate(c, i, &m))
		return WAVE_FAULT;
	vmem_atomic(c, i, &m);
	return vmem_end(c, &m);
}
