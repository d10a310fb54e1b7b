// SPDX-License-Identifier: GPL-2.0
/* Decoded instructions: registers that they need, and shortcuts; see finish.h. */
#include "finish.h"

static bool is_16bit(enum isa_type t)
{
	return t >= B16 && t <= F16;
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
		if (i->src[n] < OP_VGPR || (i->enc == ENC_DPP && n == 0))
			continue;
		if (is_packed(r->src[n]) || r->flags & F_HALVES) {
			i->plain |= 1u << n;
			continue;
		}
		if (i->enc == ENC_SDWA && n < 2 && (i->sel[n] != 6 || i->sext[n]))
			continue;
		if ((i->abs | i->neg) >> n & 1)
			continue;
		if (is_16bit(r->src[n]) && i->op_sel >> n & 1)
			continue;
		i->plain |= 1u << n;
	}
	i->direct = i->dst != OP_NONE && i->dst >= OP_VGPR && i->enc != ENC_SDWA &&
		    i->enc != ENC_DPP && !(r->flags & F_KEEP16 && i->enc == ENC_VOP3) &&
		    !(r->flags & F_HALVES);
	i->simple = i->direct && !i->clamp;
	for (unsigned int n = 0; n < 3; n++)
		i->simple &= !r->src[n] || (i->plain | i->uniform) >> n & 1;
}
