// SPDX-License-Identifier: GPL-2.0
/* Workgroups and waves: allocation, initial registers, the interpreter's loop. */
#include <errno.h>
#include <stdlib.h>
#include "code.h"
#include "host/log.h"

#define PAGE_BITS	12
#define PAGE_MASK	((1ull << PAGE_BITS) - 1)

struct workgroup *wg_alloc(unsigned int nwaves, unsigned int lanes, unsigned int vgprs,
			   unsigned int acc_offset, u32 lds_bytes)
{
	size_t wave_regs = (size_t)vgprs * LANES * sizeof(u32);
	struct workgroup *wg;

	if (!nwaves || !vgprs || vgprs > MAX_VGPRS || acc_offset > vgprs)
		return NULL;
	wg = calloc(1, sizeof(*wg));
	if (!wg)
		return NULL;
	wg->waves = calloc(nwaves, sizeof(*wg->waves));
	wg->lds = calloc(1, lds_bytes ? lds_bytes : 1);
	wg->lds_bytes = lds_bytes;
	if (!wg->waves || !wg->lds)
		goto fail;
	for (; wg->nwaves < nwaves; wg->nwaves++) {
		struct wave *w = &wg->waves[wg->nwaves];

		w->vgpr = aligned_alloc(64, wave_regs);
		if (!w->vgpr)
			goto fail;
		memset(w->vgpr, 0, wave_regs);
		w->lanes = lanes;
		w->all = ALL_LANES >> (LANES - lanes);
		w->vgprs = vgprs;
		w->acc_offset = acc_offset;
		w->index = wg->nwaves;
		w->wg = wg;
		set_mask(w, SGPR_EXEC, w->all);
		wave_drop_tlb(w);
	}
	return wg;
fail:
	wg_free(wg);
	return NULL;
}

void wg_free(struct workgroup *wg)
{
	if (!wg)
		return;
	for (unsigned int n = 0; n < wg->nwaves; n++)
		free(wg->waves[n].vgpr);
	free(wg->waves);
	free(wg->lds);
	free(wg);
}

void wave_drop_tlb(struct wave *w)
{
	for (unsigned int n = 0; n < sizeof(w->tlb) / sizeof(w->tlb[0]); n++)
		w->tlb[n].page = ~0ull;
}

bool wg_barrier_done(struct workgroup *wg)
{
	bool any = false;

	for (unsigned int n = 0; n < wg->nwaves; n++) {
		if (wg->waves[n].ended)
			continue;
		if (!wg->waves[n].at_barrier)
			return false;
		any = true;
	}
	if (any)
		for (unsigned int n = 0; n < wg->nwaves; n++)
			wg->waves[n].at_barrier = false;
	return any;
}

/* What other state tells: SCC 0, EXECZ 9, VCCZ 10, IN_TG 11, IN_BARRIER 12, VALID 16. */
#define STATUS_DERIVED	0x11e01u

u32 wave_status(const struct wave *w)
{
	return (w->status & ~STATUS_DERIVED) | w->scc | (u32)!wave_exec(w) << 9 |
	       (u32)!get_mask(w, SGPR_VCC) << 10 | (u32)(w->wg->nwaves > 1) << 11 |
	       (u32)w->at_barrier << 12 | 1 << 16;
}

void wave_set_status(struct wave *w, u32 v)
{
	w->status = v & ~STATUS_DERIVED;
	w->scc = v & 1;
	w->at_barrier = v >> 12 & 1;
}

void wave_leave_gws(struct wave *w)
{
	u32 v;

	if (!w->gws)
		return;
	v = __atomic_load_n(w->gws, __ATOMIC_ACQUIRE);
	do {
		if ((v & GWS_FLAG) != w->gws_flag) {
			w->pc += 8;
			break;
		}
	} while (!__atomic_compare_exchange_n(w->gws, &v, v + 1, false, __ATOMIC_ACQUIRE,
					      __ATOMIC_ACQUIRE));
	w->gws = NULL;
}

static u32 le32(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

/* Bits of the kernel descriptor (LLVM, AMDGPUUsage, "Kernel Descriptor"). */
#define KD_GROUP	0
#define KD_PRIVATE	4
#define KD_KERNARG	8
#define KD_ENTRY	16
#define KD_RSRC3	44
#define KD_RSRC1	48
#define KD_RSRC2	52
#define KD_PROPERTIES	56
#define PROP_RSRC	(1 << 0)
#define PROP_DISPATCH	(1 << 1)
#define PROP_QUEUE	(1 << 2)
#define PROP_KERNARG	(1 << 3)
#define PROP_ID		(1 << 4)
#define PROP_FLAT	(1 << 5)
#define PROP_SIZE	(1 << 6)
#define PROP_WAVE32	(1 << 10)

static unsigned int property_sgprs(unsigned int p)
{
	return (p & PROP_RSRC ? 4 : 0) + (p & PROP_DISPATCH ? 2 : 0) +
	       (p & PROP_QUEUE ? 2 : 0) + (p & PROP_KERNARG ? 2 : 0) +
	       (p & PROP_ID ? 2 : 0) + (p & PROP_FLAT ? 2 : 0) + (p & PROP_SIZE ? 1 : 0);
}

bool kernel_code_regs(struct kernel_code *k, const struct isa *isa, unsigned int lanes,
		      const u32 rsrc[3])
{
	u32 rsrc1 = rsrc[0], rsrc2 = rsrc[1], rsrc3 = rsrc[2];

	memset(k, 0, sizeof(*k));
	k->lanes = lanes;
	k->rdna = isa->rdna;
	if (isa->rdna) {
		k->vgprs = ((rsrc1 & 0x3f) + 1) * (lanes > 32 ? 4 : 8);
		k->acc_offset = k->vgprs;
		k->sgprs = MAX_SGPRS;
	} else {
		k->vgprs = ((rsrc1 & 0x3f) + 1) * 8;
		k->acc_offset = ((rsrc3 & 0x3f) + 1) * 4;
		if (k->acc_offset > k->vgprs)
			k->acc_offset = k->vgprs;
		k->sgprs = ((rsrc1 >> 6 & 0xf) / 2 + 1) * 16;
	}
	k->mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9 |
		  (rsrc2 >> 24 & 0x7f) << 12 | (rsrc1 >> 26 & 1) << 23;

	k->scratch_en = rsrc2 & 1;
	k->user_sgprs = rsrc2 >> 1 & 0x1f;
	k->wg_id_x = rsrc2 >> 7 & 1;
	k->wg_id_y = rsrc2 >> 8 & 1;
	k->wg_id_z = rsrc2 >> 9 & 1;
	k->wg_info = rsrc2 >> 10 & 1;
	k->workitem_dims = rsrc2 >> 11 & 3;
	return !isa->rdna || !(rsrc3 & 0xf);
}

int kernel_code_parse(struct kernel_code *k, const struct isa *isa, const u8 *kd, u64 va)
{
	const u32 rsrc[3] = { le32(kd + KD_RSRC1), le32(kd + KD_RSRC2), le32(kd + KD_RSRC3) };
	const u16 properties = kd[KD_PROPERTIES] | kd[KD_PROPERTIES + 1] << 8;
	bool wave32 = properties & PROP_WAVE32;

	if (wave32 && !isa->rdna) {
		log_warn("kernel descriptor %#llx: wave32 is not of gfx90a",
			 (unsigned long long)va);
		return -EINVAL;
	}
	if (!kernel_code_regs(k, isa, wave32 ? 32 : 64, rsrc)) {
		log_warn("kernel descriptor %#llx: shared VGPRs", (unsigned long long)va);
		return -EINVAL;
	}
	k->lds_bytes = le32(kd + KD_GROUP);
	k->scratch_bytes = le32(kd + KD_PRIVATE);
	k->kernarg_bytes = le32(kd + KD_KERNARG);
	k->entry = va + (le32(kd + KD_ENTRY) | (u64)le32(kd + KD_ENTRY + 4) << 32);
	k->properties = properties;

	if (k->user_sgprs < property_sgprs(k->properties) || k->user_sgprs > 16 ||
	    k->workitem_dims > 2) {
		log_warn("kernel descriptor %#llx: %u user SGPRs, properties %#x, rsrc2 %#x",
			 (unsigned long long)va, k->user_sgprs, k->properties, rsrc[1]);
		return -EINVAL;
	}
	if (k->entry & 0xff) {	/* the hardware's start address drops 8 bits */
		log_warn("kernel descriptor %#llx: entry %#llx",
			 (unsigned long long)va, (unsigned long long)k->entry);
		return -EINVAL;
	}
	return 0;
}

/* Extent of workgroup @id in dimension @d: less than wgsize at the grid's edge. */
static u32 wg_extent(const struct dispatch_regs *r, const u32 id[3], unsigned int d)
{
	u64 first = (u64)id[d] * r->wgsize[d];
	u64 left = r->grid[d] > first ? r->grid[d] - first : 0;

	return left < r->wgsize[d] ? left : r->wgsize[d];
}

unsigned int wg_nwaves(const struct kernel_code *k, const struct dispatch_regs *d, const u32 id[3])
{
	u32 items = wg_extent(d, id, 0) * wg_extent(d, id, 1) * wg_extent(d, id, 2);

	return (items + k->lanes - 1) / k->lanes;
}

static void init_sgprs(struct wave *w, const struct kernel_code *k,
		       const struct dispatch_regs *d, const u32 id[3], u32 scratch_slot,
		       unsigned int nwaves)
{
	u64 wave_offset = (u64)scratch_slot * d->scratch_wave_bytes;
	unsigned int n = 0;

	if (k->properties & PROP_RSRC)
		for (unsigned int m = 0; m < 4; m++)
			w->sgpr[n++] = d->private_rsrc[m];
	if (k->properties & PROP_DISPATCH) {
		set_sgpr64(w, n, d->dispatch_ptr);
		n += 2;
	}
	if (k->properties & PROP_QUEUE) {
		set_sgpr64(w, n, d->queue_ptr);
		n += 2;
	}
	if (k->properties & PROP_KERNARG) {
		set_sgpr64(w, n, d->kernarg);
		n += 2;
	}
	if (k->properties & PROP_ID) {
		set_sgpr64(w, n, d->dispatch_id);
		n += 2;
	}
	if (k->properties & PROP_FLAT) {
		set_sgpr64(w, n, d->flat_scratch_init);
		n += 2;
	}
	if (k->properties & PROP_SIZE)
		w->sgpr[n++] = d->private_bytes;

	if (d->user_data)
		memcpy(w->sgpr, d->user_data, 4 * k->user_sgprs);

	n = k->user_sgprs;
	if (k->wg_id_x)
		w->sgpr[n++] = id[0];
	if (k->wg_id_y)
		w->sgpr[n++] = id[1];
	if (k->wg_id_z)
		w->sgpr[n++] = id[2];
	if (k->wg_info)		/* first wave, and waves in the group */
		w->sgpr[n++] = (u32)(w->index == 0) << 31 | nwaves;
	if (k->rdna)
		w->flat_scratch = k->scratch_en ? d->scratch_base + wave_offset : 0;
	else if (k->scratch_en && d->flat_scratch)
		set_sgpr64(w, SGPR_FLAT_SCRATCH, d->scratch_base + wave_offset);
	else if (k->scratch_en)
		w->sgpr[n++] = wave_offset;
}

void wg_init_regs(struct workgroup *wg, const struct kernel_code *k,
		  const struct dispatch_regs *d, const u32 id[3], u32 scratch_slot)
{
	u32 ex = wg_extent(d, id, 0), ey = wg_extent(d, id, 1), ez = wg_extent(d, id, 2);
	u32 items = ex * ey * ez;

	for (unsigned int n = 0; n < wg->nwaves; n++) {
		struct wave *w = &wg->waves[n];
		u64 exec = 0;

		w->pc = k->entry;
		w->mode = k->mode;
		w->ended = n * w->lanes >= items;
		/* A wave of its own takes a scratch slot of its own. */
		init_sgprs(w, k, d, id, scratch_slot + n, wg_nwaves(k, d, id));
		for (unsigned int l = 0; l < w->lanes; l++) {
			u32 item = n * w->lanes + l, x, y, z;

			if (item >= items)
				break;
			exec |= 1ull << l;
			x = item % ex;
			y = item / ex % ey;
			z = item / ex / ey;
			w->vgpr[0][l] = x;
			if (k->workitem_dims > 0)
				w->vgpr[0][l] |= y << 10;
			if (k->workitem_dims > 1)
				w->vgpr[0][l] |= z << 20;
		}
		set_mask(w, SGPR_EXEC, exec);
	}
}

void complain(const struct wave *w, const struct insn *i, const char *what)
{
	char text[160] = "unknown";

	if (i->row)
		isa_print(i, text, sizeof(text));
	log_warn("wave at pc %#llx: %s: %08x %08x (%s)", (unsigned long long)w->pc, what,
		 i->raw[0], i->len > 4 ? i->raw[1] : 0, text);
}

/* The instruction at pc, of which nothing is cached: it may end on the next page. */
static enum wave_stop fetch(struct ctx *c, struct insn *i)
{
	struct wave *w = c->w;
	u32 raw[INSN_DWORDS] = { 0 };
	unsigned int len = 4;
	int err;

	for (unsigned int n = 0; 4 * n < len; n++) {
		size_t span;
		const u32 *code = (const u32 *)wave_ptr(c, w->pc + 4 * n, false, &span);

		if (!code)
			return WAVE_FAULT;
		raw[n] = __atomic_load_n(code, __ATOMIC_RELAXED);
		err = isa_decode_for(i, raw, w->mem);
		len = i->len;
	}
	if (err) {
		complain(w, i, i->row ? "bad scalar operand" : "unknown instruction");
		return WAVE_ILLEGAL;
	}
	return WAVE_BUDGET;
}

/* Add @idx to vector register @op of @dwords registers; false if the wave has less of them. */
static bool index_operand(const struct wave *w, u16 *op, unsigned int idx, unsigned int dwords)
{
	u32 end = *op >= OP_ACC ? OP_ACC + w->vgprs - w->acc_offset : OP_VGPR + w->acc_offset;

	if (*op < OP_VGPR || *op >= OP_ACC + MAX_VGPRS / 2)
		return true;
	*op += idx;
	return *op + dwords <= end;
}

/*
 * GPR indexing (s_set_gpr_idx_on): M0[7:0] is added to the numbers of the
 * vector registers that M0[15:12] selects: sources 0 to 2, destination. Where
 * the wave has none a source is register 0, and a destination has the instruction
 * do nothing ("Vega" ISA, section 3.6.1). amdkfd's trap handler wants that: it
 * restores registers 4 to 7 of every wave.
 */
static void index_registers(const struct wave *w, struct insn *i, u32 m0)
{
	const struct isa_row *r = i->row;

	for (unsigned int n = 0; n < 3; n++)
		if (m0 >> (12 + n) & 1 &&
		    !index_operand(w, &i->src[n], m0 & 0xff, isa_type_dwords(r->src[n])))
			i->src[n] = OP_VGPR;
	if (m0 >> 15 & 1 && !index_operand(w, &i->dst, m0 & 0xff, isa_type_dwords(r->dst)))
		i->fn = x_nop;
}

/* Exceptions stay in TRAPSTS until somebody clears them there. */
static enum wave_stop illegal(struct wave *w)
{
	w->trapsts |= TRAPSTS_ILLEGAL_INST;
	return WAVE_ILLEGAL;
}

/* Nothing of the instruction is done. Without XNACK_ERROR: an aperture's violation. */
static enum wave_stop fault(struct wave *w)
{
	if (w->again) {
		w->again = false;
		return WAVE_RETRY;
	}
	w->trapsts |= TRAPSTS_MEM_VIOL | TRAPSTS_XNACK_ERROR;
	return WAVE_FAULT;
}

static bool is_valu(const struct insn *i)
{
	return i->row->fmt >= VOP1 && i->row->fmt <= VOP3P;
}

static bool is_vector(const struct insn *i)
{
	return i->row->fmt > SMEM;
}

/* One instruction of a wave that may not have its registers, or whose MODE changes them. */
static enum wave_stop execute(struct ctx *c, const struct insn *i)
{
	const struct wave *w = c->w;
	struct insn indexed;

	if (w->mode & MODE_GPR_IDX_EN && is_valu(i)) {
		indexed = *i;
		i = &indexed;
		index_registers(w, &indexed, w->sgpr[SGPR_M0]);
	}
	if (i->vmax > w->acc_offset || w->acc_offset + i->amax > w->vgprs) {
		complain(w, i, "register not allocated");
		return WAVE_ILLEGAL;
	}
	return w->mode & MODE_VSKIP && is_vector(i) ? WAVE_BUDGET : i->fn(c, i);
}

/*
 * The @n instructions from @i on, or fewer when one stops the wave. @plain: execute() has
 * nothing to do for any of them.
 */
static inline __attribute__((always_inline))
enum wave_stop run(struct ctx *c, const struct insn *i, unsigned int n, bool plain, u32 *budget)
{
	struct wave *w = c->w;
	u64 pc = w->pc, last = w->last_pc;
	unsigned int left = n;
	enum wave_stop stop;

	for (;;) {
		w->pc = pc;
		c->next_pc = pc + i->len;
		stop = plain ? i->fn(c, i) : execute(c, i);
		if (stop == WAVE_ILLEGAL || stop == WAVE_FAULT)
			break;
		last = pc;
		if (!--left || stop != WAVE_BUDGET)
			break;
		pc += i->len;
		i = (const struct insn *)((const char *)i + i->to_next);
	}
	w->last_pc = last;
	w->insns += n - left;
	*budget -= n - left;
	if (stop == WAVE_ILLEGAL)
		return illegal(w);
	if (stop == WAVE_FAULT)
		return fault(w);
	w->pc = c->next_pc;
	return stop;
}

enum wave_stop wave_run(struct wave *w, u32 *budget)
{
	enum wave_stop stop = WAVE_BUDGET;
	struct code_page *page = NULL;
	const u32 *code = NULL;
	u64 page_va = 1;
	u32 generation;
	struct ctx c;

	c.w = w;
	c.file[0] = w->vgpr;
	c.file[1] = w->vgpr + w->acc_offset;
	c.lane_exec = 0;
	memset(c.lane_mask, 0, sizeof(c.lane_mask));
	generation = w->mem->generation(w->mem->ctx);
	if (generation != w->tlb_generation) {
		wave_drop_tlb(w);
		w->tlb_generation = generation;
	}
	while (*budget && stop == WAVE_BUDGET) {
		unsigned int at = (w->pc & PAGE_MASK) / 4;
		const struct code_run *r;
		struct insn single;
		unsigned int n;
		bool plain;

		if (w->pc >> PAGE_BITS != page_va) {
			size_t span;

			code = (const u32 *)wave_ptr(&c, w->pc & ~PAGE_MASK, false, &span);
			if (!code || w->pc & 3) {
				w->fault_va = w->pc;
				return fault(w);
			}
			page_va = w->pc >> PAGE_BITS;
			page = code_page(w->pc, code, w->mem);
		}
		r = code_run(page, code, at, *budget);
		if (!r) {
			stop = fetch(&c, &single);
			if (stop == WAVE_ILLEGAL)
				return illegal(w);
			if (stop == WAVE_FAULT)
				return fault(w);
			stop = run(&c, &single, 1, false, budget);
			continue;
		}
		plain = r->vmax <= w->acc_offset && w->acc_offset + r->amax <= w->vgprs &&
			!(w->mode & (MODE_GPR_IDX_EN | MODE_VSKIP));
		n = r->insns < *budget ? r->insns : *budget;
		if (plain)
			stop = run(&c, &page->insn[at], n, true, budget);
		else
			stop = run(&c, &page->insn[at], n, false, budget);
	}
	return stop;
}
