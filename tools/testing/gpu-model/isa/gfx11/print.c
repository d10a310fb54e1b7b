// SPDX-License-Identifier: GPL-2.0
/*
 * Decoded instructions as text, in the syntax of LLVM's assembler. Masks of lanes are those of
 * waves of 32, but in isa_gfx1100_wave64.
 */
#include <string.h>
#include "isa/text.h"
#include "gfx11.h"

static void put_operand(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
			unsigned int dwords)
{
	static const struct {
		u16 op;
		u8 dwords;
		const char *name;
	} special[] = {
		{ 106, 1, "vcc_lo" }, { 107, 1, "vcc_hi" }, { 106, 2, "vcc" },
		{ SGPR_M0, 1, "m0" }, { 126, 1, "exec_lo" }, { 127, 1, "exec_hi" },
		{ 126, 2, "exec" },
		{ 235, 0, "src_shared_base" }, { 236, 0, "src_shared_limit" },
		{ 237, 0, "src_private_base" }, { 238, 0, "src_private_limit" },
		{ 251, 0, "src_vccz" }, { 252, 0, "src_execz" }, { 253, 0, "src_scc" },
	};

	if (!dwords)
		dwords = isa_type_dwords(t);
	if (op >= OP_VGPR) {
		put_range(o, "v", op - OP_VGPR, dwords);
		return;
	}
	for (unsigned int n = 0; n < sizeof(special) / sizeof(special[0]); n++)
		if (special[n].op == op && (special[n].dwords == dwords || !special[n].dwords)) {
			put(o, "%s", special[n].name);
			return;
		}
	if (put_number(o, op, dwords))
		return;
	if (op == 248)
		put(o, "%s", t == F64 || t == B64 ? "0.15915494309189532" : "0.15915494");
	else if (op == OP_LITERAL)
		put(o, "0x%x", i->literal);
	else
		put(o, "src_%u", op);
}

/* A destination: what nothing reads has a name of its own. */
static void put_dst(struct out *o, const struct insn *i, enum isa_type t, unsigned int dwords)
{
	sep(o);
	if (i->dst == SGPR_SINK)
		put(o, "null");
	else
		put_operand(o, i, i->dst, t, dwords);
}

static void put_mask(struct out *o, const struct insn *i, unsigned int op)
{
	sep(o);
	if (op == SGPR_SINK)
		put(o, "null");
	else
		put_operand(o, i, op, NIL, i->isa->mask_dwords);
}

static void print_operands(struct out *o, const struct insn *i);

static void print_valu(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;

	if (r->fmt == VOPC || ((r->fmt == VOP1 || r->fmt == VOP2) &&
			       (!(r->flags & F_E32) || i->enc != ENC_BASE)))
		put(o, "%s", i->enc == ENC_DPP ? "_dpp" : i->enc == ENC_VOP3 ? "_e64" : "_e32");
	print_operands(o, i);
}

static void print_operands(struct out *o, const struct insn *i)
{
	static const char *const omod[4] = { "", " mul:2", " mul:4", " div:2" };
	const struct isa_row *r = i->row;

	if (r->fmt == VOPC) {
		if (!(r->arg & CMPX))
			put_mask(o, i, i->dst);
	} else if (r->dst) {
		put_dst(o, i, r->dst, 0);
	}
	if (r->flags & F_CO)
		put_mask(o, i, i->sdst);
	for (unsigned int n = 0; n < 3 && r->src[n]; n++) {
		bool abs = i->abs >> n & 1;

		sep(o);
		put(o, "%s%s", i->neg >> n & 1 ? "-" : "", abs ? "|" : "");
		put_operand(o, i, i->src[n], r->src[n], 0);
		put(o, "%s", abs ? "|" : "");
	}
	if (r->flags & F_CI)
		put_mask(o, i, i->src[2]);
	put(o, "%s%s", i->clamp ? " clamp" : "", omod[i->omod]);
}

static void print_ds(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;

	if (r->dst)
		put_dst(o, i, r->dst, 0);
	for (unsigned int n = 0; n < 3; n++)
		if (r->src[n]) {
			sep(o);
			put_operand(o, i, i->src[n], r->src[n], 0);
		}
	if (r->flags & F_OFF2) {
		if (i->simm)
			put(o, " offset0:%d", i->simm);
		if (i->simm2)
			put(o, " offset1:%u", i->simm2);
	} else if (i->simm) {
		put(o, " offset:%d", i->simm);
	}
	put(o, "%s", i->gds ? " gds" : "");
}

static void print_flags(struct out *o, const struct insn *i)
{
	put(o, "%s%s", i->glc ? " glc" : "", i->slc ? " slc" : "");
}

static void print_flat(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;
	unsigned int data = isa_type_dwords(r->dst), back = data;

	if (r->flags & F_ATOMIC && (r->arg & 0xff) == A_CMPSWAP)
		back /= 2;
	if (i->dst != OP_NONE)
		put_dst(o, i, NIL, back);
	if (i->src[0] != OP_NONE) {
		sep(o);
		put_operand(o, i, i->src[0], NIL,
			    i->saddr == OP_NONE && r->fmt != SCRATCH ? 2 : 1);
	} else if (r->fmt == SCRATCH) {
		sep(o);
		put(o, "off");
	}
	if (i->src[1] != OP_NONE) {
		sep(o);
		put_operand(o, i, i->src[1], NIL, data);
	}
	if (r->fmt != FLAT) {
		sep(o);
		if (i->saddr == OP_NONE)
			put(o, "off");
		else
			put_operand(o, i, i->saddr, NIL, r->fmt == SCRATCH ? 1 : 2);
	}
	if (i->simm)
		put(o, " offset:%d", i->simm);
	print_flags(o, i);
}

static void print_mubuf(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;

	if (r->flags & F_NOPERAND)
		return;
	sep(o);
	put_operand(o, i, i->src[1], r->dst, 0);
	sep(o);
	if (i->src[0] == OP_NONE)
		put(o, "off");
	else
		put_operand(o, i, i->src[0], NIL, i->offen + i->idxen);
	sep(o);
	put_operand(o, i, i->src[2], B128, 0);
	sep(o);
	put_operand(o, i, i->soffset, B32, 0);
	put(o, "%s%s", i->idxen ? " idxen" : "", i->offen ? " offen" : "");
	if (i->simm)
		put(o, " offset:%d", i->simm);
	print_flags(o, i);
}

static void print_smem(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;

	if (r->flags & F_NOPERAND)
		return;
	put_dst(o, i, r->dst, 0);
	sep(o);
	put_operand(o, i, i->src[0], r->src[0], 0);
	sep(o);
	if (i->soffset == OP_NONE) {
		put(o, "0x%x", i->simm);
	} else {
		put_operand(o, i, i->soffset, B32, 0);
		if (i->simm)
			put(o, " offset:0x%x", i->simm);
	}
	print_flags(o, i);
}

static void print_scalar(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;
	bool imm_first = r->fmt == SOPK && strstr(r->name, "setreg");

	if (imm_first) {
		sep(o);
		put(o, "0x%x", (u16)i->simm);
	}
	if (r->dst)
		put_dst(o, i, r->dst, 0);
	for (unsigned int n = 0; n < 2; n++)
		if (r->src[n]) {
			sep(o);
			put_operand(o, i, i->src[n], r->src[n], 0);
		}
	if (r->flags & (F_IMM | F_MSG) && !imm_first) {
		sep(o);
		put(o, "0x%x", (u16)i->simm);
	}
	if (imm_first && !r->src[0]) {
		sep(o);
		put(o, "0x%x", i->literal);
	}
}

/* Two, each as it is by itself. */
static void print_dual(struct out *o, const struct insn *i)
{
	u32 raw[INSN_DWORDS];
	struct insn h;

	for (unsigned int y = 0; y < 2; y++) {
		i->isa->half(i, y, raw);
		put(o, "%s", y ? " :: " : "");
		if (isa_decode(&h, raw, i->isa)) {
			put(o, "?");
			continue;
		}
		put(o, "v_dual_%s", h.row->name + 2);
		o->operands = false;
		print_operands(o, &h);
	}
}

void gfx11_print(const struct insn *i, char *buf, size_t size)
{
	struct out o = { buf, size, 0, false };

	if (i->row->fmt == VOPD) {
		print_dual(&o, i);
		return;
	}

	put(&o, "%s", i->row->name);
	switch (i->row->fmt) {
	case VOP1: case VOP2: case VOPC: case VOP3:
		print_valu(&o, i);
		break;
	case DS:
		print_ds(&o, i);
		break;
	case FLAT: case GLOBAL: case SCRATCH:
		print_flat(&o, i);
		break;
	case MUBUF:
		print_mubuf(&o, i);
		break;
	case SMEM:
		print_smem(&o, i);
		break;
	default:
		print_scalar(&o, i);
	}
}
