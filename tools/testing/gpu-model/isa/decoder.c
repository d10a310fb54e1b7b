// SPDX-License-Identifier: GPL-2.0
/*
 * From dwords to decoded instructions, as far as the families are alike: rows and formats,
 * registers that an instruction needs, and shortcuts; see decoder.h.
 */
#include <errno.h>
#include "decoder.h"

void isa_lookup_init(const struct isa *isa, unsigned int vop2, unsigned int vop1)
{
	const struct isa_row *(*lookup)[1024] = isa->lookup;

	for (unsigned int n = 0; n < isa->nrows; n++) {
		const struct isa_row *r = &isa->rows[n];

		if (!isa_has(r, isa))
			continue;
		lookup[r->fmt][r->op] = r;
		if (r->flags & F_E32)
			continue;
		if (r->fmt == VOPC)
			lookup[VOP3][r->op] = r;
		else if (r->fmt == VOP2)
			lookup[VOP3][vop2 + r->op] = r;
		else if (r->fmt == VOP1)
			lookup[VOP3][vop1 + r->op] = r;
	}
}

enum isa_fmt isa_short_format(u32 dw, unsigned int *op)
{
	if (!(dw >> 31)) {
		*op = dw >> 25;
		if (*op == 0x3f) {
			*op = dw >> 9 & 0xff;
			return VOP1;
		}
		if (*op == 0x3e) {
			*op = dw >> 17 & 0xff;
			return VOPC;
		}
		return VOP2;
	}
	switch (dw >> 23 & 0x7f) {
	case 0x7d:
		*op = dw >> 8 & 0xff;
		return SOP1;
	case 0x7e:
		*op = dw >> 16 & 0x7f;
		return SOPC;
	case 0x7f:
		*op = dw >> 16 & 0x7f;
		return SOPP;
	}
	*op = dw >> 23 & 0x7f;
	if (*op < 0x60)
		return SOP2;
	*op -= 0x60;
	return SOPK;
}

void insn_begin(struct insn *i, const u32 raw[INSN_DWORDS], const struct isa *isa)
{
	memset(i, 0, sizeof(*i));
	i->isa = isa;
	i->raw[0] = raw[0];
	i->raw[1] = raw[1];
	i->dst = i->sdst = i->saddr = i->soffset = OP_NONE;
	i->src[0] = i->src[1] = i->src[2] = OP_NONE;
	i->sel[0] = i->sel[1] = i->dst_sel = 6;
}

int insn_find(struct insn *i, enum isa_fmt fmt, unsigned int op)
{
	if (fmt == ISA_FMTS || !i->isa->lookup[fmt][op]) {
		i->len = i->raw[0] >> 30 == 3 ? 8 : 4;
		return -ENOENT;
	}
	i->row = i->isa->lookup[fmt][op];
	i->what = i->row->fn;
	return 0;
}

void insn_packed(struct insn *i, u32 dw, u32 dw1)
{
	i->clamp = dw >> 15 & 1;
	i->neg = dw1 >> 29;
	i->neg_hi = dw >> 8 & 7;
	i->op_sel = dw >> 11 & 7;
	i->op_sel_hi = (dw1 >> 27 & 3) | (dw >> 12 & 4);
}

bool scalar_fits(unsigned int op, unsigned int dwords)
{
	return op >= MAX_SGPRS || op + dwords <= MAX_SGPRS;
}

static bool is_packed(enum isa_type t)
{
	return t == V2H || t == V2I || t == V2S;
}

void insn_uses(struct insn *i, unsigned int op, unsigned int dwords)
{
	if (op == OP_NONE || !dwords)
		return;
	if (op >= OP_ACC) {
		if (op - OP_ACC + dwords > i->amax)
			i->amax = op - OP_ACC + dwords;
	} else if (op >= OP_VGPR) {
		if (op - OP_VGPR + dwords > i->vmax)
			i->vmax = op - OP_VGPR + dwords;
	}
}

void insn_finish_scalar(struct insn *i, unsigned int n)
{
	enum isa_type t = i->row->src[n];
	u64 v;

	if (constant(i, i->src[n], t, &v)) {
		i->constant |= 1u << n;
		i->value[n] = v;
	} else if (i->src[n] >= MAX_SGPRS) {
		return;
	}
	if (isa_type_dwords(t) == 1 && !((i->abs | i->neg) >> n & 1) &&
	    !(is_16bit(t) && i->op_sel >> n & 1) && (i->enc == ENC_BASE || i->enc == ENC_VOP3))
		i->uniform |= 1u << n;
}

void insn_finish(struct insn *i)
{
	const struct isa_row *r = i->row;

	if (r->flags & F_DACC && r->fmt != SOPK)
		i->src[2] = i->dst;
	if (r->flags & F_ACC_D)
		i->dst += OP_ACC - OP_VGPR;
	if (r->flags & F_ACC_S && i->src[0] >= OP_VGPR)
		i->src[0] += OP_ACC - OP_VGPR;
	if (!(r->flags & F_SDST))
		insn_uses(i, i->dst, isa_type_dwords(r->dst));
	for (unsigned int n = 0; n < 3; n++) {
		if (i->src[n] == OP_NONE)
			continue;
		insn_uses(i, i->src[n], isa_type_dwords(r->src[n]));
		if (i->src[n] < OP_VGPR)
			insn_finish_scalar(i, n);
		if (i->src[n] < OP_VGPR || (is_dpp(i) && n == 0))
			continue;
		if (is_packed(r->src[n]) || r->flags & F_HALVES) {
			i->plain |= 1u << n;
			continue;
		}
		if (i->enc == ENC_SDWA && n < 2 && (i->sel[n] != 6 || i->sext[n]))
			continue;
		if ((i->abs | i->neg) >> n & 1)
			continue;
		if (is_16bit(source_type(r, n)) && i->op_sel >> n & 1)
			continue;
		i->plain |= 1u << n;
	}
	i->direct = i->dst != OP_NONE && i->dst >= OP_VGPR && i->enc != ENC_SDWA &&
		    !is_dpp(i) && !(r->flags & (F_KEEP16 | F_HALVES));
	i->simple = i->direct && !i->clamp;
	for (unsigned int n = 0; n < 3; n++)
		i->simple &= !r->src[n] || (i->plain | i->uniform) >> n & 1;
}
