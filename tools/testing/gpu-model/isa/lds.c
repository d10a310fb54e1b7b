// SPDX-License-Identifier: GPL-2.0
/*
 * Local data share. Reads outside of the workgroup's share give zero, writes
 * there do nothing. Also the cross-lane instructions in DS encoding.
 */
#include "isa.h"

static u8 *lds_at(struct ctx *c, u32 addr, unsigned int bytes)
{
	const struct workgroup *wg = c->w->wg;

	if (addr > wg->lds_bytes || bytes > wg->lds_bytes - addr)
		return NULL;
	return wg->lds + addr;
}

#define EACH_ACTIVE(c, l) \
	for (u64 left_ = wave_exec((c)->w); left_; left_ &= left_ - 1) \
		for (unsigned int l = __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

/* Copy @dwords registers of lane @l from LDS. */
static void lds_get(struct ctx *c, unsigned int reg, unsigned int l, u32 addr, unsigned int dwords)
{
	for (unsigned int d = 0; d < dwords; d++) {
		u8 *p = lds_at(c, addr + 4 * d, 4);
		u32 v = 0;

		if (p)
			memcpy(&v, p, 4);
		vreg(c, reg + d)[l] = v;
	}
}

static void lds_put(struct ctx *c, unsigned int reg, unsigned int l, u32 addr, unsigned int dwords)
{
	for (unsigned int d = 0; d < dwords; d++) {
		u8 *p = lds_at(c, addr + 4 * d, 4);

		if (p)
			memcpy(p, &vreg(c, reg + d)[l], 4);
	}
}

/* The destination may be the address register: addresses are copied first. */
static void addresses(struct ctx *c, const struct insn *i, u32 addr[LANES])
{
	memcpy(addr, vreg(c, i->src[0]), LANES * sizeof(u32));
}

/* Are @bytes at @offset from each active lane's address in the share? */
static bool all_inside(struct ctx *c, const u32 addr[LANES], u32 offset, unsigned int bytes)
{
	const u32 *mask = lane_masks(c);
	u32 most = 0;

	VLANE {
		u32 a = mask[l] & (addr[l] + offset);

		most = a > most ? a : most;
	}
	return !REFERENCE && (u64)most + bytes <= c->w->wg->lds_bytes;
}

/* lds_get() and lds_put() of all active lanes, when all are inside. */
static void get_all(struct ctx *c, unsigned int reg, const u32 addr[LANES], u32 offset,
		    unsigned int dwords)
{
	u64 exec = wave_exec(c->w);
	bool all = exec == ALL_LANES;

	for (unsigned int d = 0; d < dwords; d++) {
		const u8 *lds = c->w->wg->lds;
		u32 *dst = vreg(c, reg + d), at = offset + 4 * d;

		LANE
			if (all || exec >> l & 1)
				memcpy(&dst[l], lds + (u32)(addr[l] + at), 4);
	}
}

/* @n dwords of each lane from registers @src to @at; of lanes that meet the last one wins. */
static void put_all(struct ctx *c, const u32 addr[LANES], const u32 *const src[], const u32 at[],
		    unsigned int n)
{
	u64 exec = wave_exec(c->w);
	u8 *lds = c->w->wg->lds;
	bool all = exec == ALL_LANES;

	LANE
		for (unsigned int d = 0; d < n && (all || exec >> l & 1); d++)
			memcpy(lds + (u32)(addr[l] + at[d]), &src[d][l], 4);
}

X(x_ds_read)
{
	u32 arg = i->row->arg, addr[LANES];
	unsigned int bytes = M_BYTES(arg);

	addresses(c, i, addr);
	if (bytes >= 4 && all_inside(c, addr, i->simm, bytes)) {
		get_all(c, i->dst, addr, i->simm, bytes / 4);
		return WAVE_BUDGET;
	}
	EACH_ACTIVE(c, l) {
		u32 a = addr[l] + (u32)i->simm, v = 0, *d;
		u8 *p;

		if (bytes >= 4) {
			lds_get(c, i->dst, l, a, bytes / 4);
			continue;
		}
		p = lds_at(c, a, bytes);
		if (p)
			memcpy(&v, p, bytes);
		d = &vreg(c, i->dst)[l];
		*d = mem_extend(arg, v, *d);
	}
	return WAVE_BUDGET;
}

X(x_ds_write)
{
	u32 arg = i->row->arg;
	unsigned int bytes = M_BYTES(arg);
	const u32 *addr = vreg(c, i->src[0]), *src[4];
	u32 at[4];

	if (bytes >= 4 && all_inside(c, addr, i->simm, bytes)) {
		for (unsigned int d = 0; d < bytes / 4; d++) {
			src[d] = vreg(c, i->src[1] + d);
			at[d] = i->simm + 4 * d;
		}
		put_all(c, addr, src, at, bytes / 4);
		return WAVE_BUDGET;
	}
	EACH_ACTIVE(c, l) {
		u32 a = addr[l] + (u32)i->simm, v;
		u8 *p;

		if (bytes >= 4) {
			lds_put(c, i->src[1], l, a, bytes / 4);
			continue;
		}
		v = vreg(c, i->src[1])[l];
		if (arg & M_HI)
			v >>= 16;
		p = lds_at(c, a, bytes);
		if (p)
			memcpy(p, &v, bytes);
	}
	return WAVE_BUDGET;
}

/* Two elements, at offsets counted in elements (times 64: the "st64" forms). */
X(x_ds_read2)
{
	unsigned int dwords = isa_type_dwords(i->row->dst) / 2, unit = 4 * dwords * i->row->arg;
	u32 addr[LANES];

	addresses(c, i, addr);
	if (all_inside(c, addr, i->simm * unit, 4 * dwords) &&
	    all_inside(c, addr, i->simm2 * unit, 4 * dwords)) {
		get_all(c, i->dst, addr, i->simm * unit, dwords);
		get_all(c, i->dst + dwords, addr, i->simm2 * unit, dwords);
		return WAVE_BUDGET;
	}
	EACH_ACTIVE(c, l) {
		lds_get(c, i->dst, l, addr[l] + i->simm * unit, dwords);
		lds_get(c, i->dst + dwords, l, addr[l] + i->simm2 * unit, dwords);
	}
	return WAVE_BUDGET;
}

X(x_ds_write2)
{
	unsigned int dwords = isa_type_dwords(i->row->src[1]), unit = 4 * dwords * i->row->arg;
	const u32 *addr = vreg(c, i->src[0]), *src[4];
	u32 at[4];

	if (all_inside(c, addr, i->simm * unit, 4 * dwords) &&
	    all_inside(c, addr, i->simm2 * unit, 4 * dwords)) {
		for (unsigned int d = 0; d < dwords; d++) {
			src[d] = vreg(c, i->src[1] + d);
			at[d] = i->simm * unit + 4 * d;
			src[dwords + d] = vreg(c, i->src[2] + d);
			at[dwords + d] = i->simm2 * unit + 4 * d;
		}
		put_all(c, addr, src, at, 2 * dwords);
		return WAVE_BUDGET;
	}
	EACH_ACTIVE(c, l) {
		lds_put(c, i->src[1], l, addr[l] + i->simm * unit, dwords);
		lds_put(c, i->src[2], l, addr[l] + i->simm2 * unit, dwords);
	}
	return WAVE_BUDGET;
}

static u64 lane_data(struct ctx *c, const struct insn *i, unsigned int n, unsigned int l)
{
	u64 v;

	if (i->src[n] == OP_NONE)
		return 0;
	v = vreg(c, i->src[n])[l];
	if (isa_type_dwords(i->row->src[n]) == 2)
		v |= (u64)vreg(c, i->src[n] + 1)[l] << 32;
	return v;
}

/* One lane's atomic at @addr; the old value, or zero outside. */
static u64 lds_atomic(struct ctx *c, enum isa_atomic op, u32 addr, u64 data, u64 cmp, bool wide)
{
	unsigned int bytes = wide ? 8 : 4;
	u8 *p = lds_at(c, addr, bytes);
	u64 old = 0, new;

	if (!p)
		return 0;
	memcpy(&old, p, bytes);
	new = atomic_result(op, old, data, cmp, wide);
	memcpy(p, &new, bytes);
	return old;
}

X(x_ds_atomic)
{
	bool wide = isa_type_dwords(i->row->src[1]) == 2;
	u32 addr[LANES];

	addresses(c, i, addr);
	EACH_ACTIVE(c, l) {
		u64 old = lds_atomic(c, i->row->arg, addr[l] + (u32)i->simm,
				     lane_data(c, i, 1, l), lane_data(c, i, 2, l), wide);

		if (i->dst == OP_NONE)
			continue;
		vreg(c, i->dst)[l] = old;
		if (wide)
			vreg(c, i->dst + 1)[l] = old >> 32;
	}
	return WAVE_BUDGET;
}

X(x_ds_wrxchg2)
{
	unsigned int dwords = isa_type_dwords(i->row->src[1]), unit = 4 * dwords * i->row->arg;
	u32 addr[LANES];

	addresses(c, i, addr);
	EACH_ACTIVE(c, l) {
		u64 a = lds_atomic(c, A_SWAP, addr[l] + i->simm * unit,
				   lane_data(c, i, 1, l), 0, dwords == 2);
		u64 b = lds_atomic(c, A_SWAP, addr[l] + i->simm2 * unit,
				   lane_data(c, i, 2, l), 0, dwords == 2);

		vreg(c, i->dst)[l] = a;
		vreg(c, i->dst + dwords)[l] = b;
		if (dwords == 2) {
			vreg(c, i->dst + 1)[l] = a >> 32;
			vreg(c, i->dst + 3)[l] = b >> 32;
		}
	}
	return WAVE_BUDGET;
}

/* Write @v to the active lanes of the destination. */
static enum wave_stop put_lanes(struct ctx *c, const struct insn *i, const u32 v[LANES])
{
	u32 *d = vreg(c, i->dst);

	EACH_ACTIVE(c, l)
		d[l] = v[l];
	return WAVE_BUDGET;
}

/* The lane that an address names to lane @l; on RDNA one of the same 32. */
static unsigned int named_lane(const struct insn *i, u32 addr, unsigned int l)
{
	unsigned int bits = i->isa->rdna ? 31 : 63;

	return (l & ~bits) | ((addr + (u32)i->simm) >> 2 & bits);
}

/* Pull: each lane names its source. Inactive sources give zero. */
X(x_ds_bpermute_b32)
{
	const u32 *addr = vreg(c, i->src[0]), *data = vreg(c, i->src[1]);
	u64 exec = wave_exec(c->w);
	u32 v[LANES];

	LANE {
		unsigned int s = named_lane(i, addr[l], l);

		v[l] = exec >> s & 1 ? data[s] : 0;
	}
	return put_lanes(c, i, v);
}

/* Push: each active lane names its destination; the last one wins. */
X(x_ds_permute_b32)
{
	const u32 *addr = vreg(c, i->src[0]), *data = vreg(c, i->src[1]);
	u32 v[LANES] = { 0 };

	EACH_ACTIVE(c, l)
		v[named_lane(i, addr[l], l)] = data[l];
	return put_lanes(c, i, v);
}

/* Offset bit 15: quads permuted; bits 15:14 = 3: rotation; else lane masks in 32 lanes. */
X(x_ds_swizzle_b32)
{
	const u32 *data = vreg(c, i->src[0]);
	u32 o = i->simm, v[LANES];
	u64 exec = wave_exec(c->w);

	if (o >= 0xe000)	/* FFT order */
		return x_unsupported(c, i);
	LANE {
		unsigned int s, low = l & 31;

		if (o >= 0xc000) {
			unsigned int n = o >> 5 & 31, keep = o & 31;
			unsigned int moved = o >> 10 & 1 ? low - n : low + n;

			s = (low & keep) | (moved & ~keep & 31) | (l & 32);
		} else if (o & 0x8000) {
			s = (l & ~3u) + (o >> 2 * (l & 3) & 3);
		} else {
			s = (((low & o) | (o >> 5 & 31)) ^ (o >> 10 & 31)) | (l & 32);
		}
		v[l] = exec >> s & 1 ? data[s] : 0;
	}
	return put_lanes(c, i, v);
}

/* Address from the lane number and M0. */
static u32 addtid(struct ctx *c, const struct insn *i, unsigned int l)
{
	return (c->w->sgpr[SGPR_M0] & 0xffff) + (u32)i->simm + 4 * l;
}

X(x_ds_read_addtid_b32)
{
	EACH_ACTIVE(c, l)
		lds_get(c, i->dst, l, addtid(c, i, l), 1);
	return WAVE_BUDGET;
}

X(x_ds_write_addtid_b32)
{
	EACH_ACTIVE(c, l)
		lds_put(c, i->src[1], l, addtid(c, i, l), 1);
	return WAVE_BUDGET;
}

/* A counter at M0 and the offset, moved by the number of active lanes. */
static enum wave_stop lds_count(struct ctx *c, const struct insn *i, enum isa_atomic op)
{
	u32 addr = (c->w->sgpr[SGPR_M0] & 0xffff) + (u32)i->simm;
	u32 n = __builtin_popcountll(wave_exec(c->w));
	u32 old;

	old = lds_atomic(c, op, addr, n, 0, false);
	EACH_ACTIVE(c, l)
		vreg(c, i->dst)[l] = old;
	return WAVE_BUDGET;
}

X(x_ds_append)
{
	return lds_count(c, i, A_ADD);
}

X(x_ds_consume)
{
	return lds_count(c, i, A_SUB);
}
