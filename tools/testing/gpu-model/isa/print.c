// SPDX-License-Identifier: GPL-2.0
/* Decoded instructions as text, in the syntax of LLVM's assembler; see print.h. */
#include <string.h>
#include "print.h"

static void put_scalar(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
		       unsigned int dwords)
{
	static const struct {
		u16 op;
		u8 dwords;
		bool gfx9;		/* a register as others on RDNA */
		const char *name;
	} special[] = {
		{ 102, 1, true, "flat_scratch_lo" }, { 103, 1, true, "flat_scratch_hi" },
		{ 102, 2, true, "flat_scratch" }, { 104, 1, true, "xnack_mask_lo" },
		{ 105, 1, true, "xnack_mask_hi" }, { 104, 2, true, "xnack_mask" },
		{ 106, 1, false, "vcc_lo" }, { 107, 1, false, "vcc_hi" }, { 106, 2, false, "vcc" },
		{ SGPR_M0, 1, false, "m0" },
		{ 126, 1, false, "exec_lo" }, { 127, 1, false, "exec_hi" }, { 126, 2, false, "exec" },
		{ 235, 0, false, "src_shared_base" }, { 236, 0, false, "src_shared_limit" },
		{ 237, 0, false, "src_private_base" }, { 238, 0, false, "src_private_limit" },
		{ 251, 0, false, "src_vccz" }, { 252, 0, false, "src_execz" },
		{ 253, 0, false, "src_scc" },
	};

	for (unsigned int n = 0; n < sizeof(special) / sizeof(special[0]); n++)
		if (special[n].op == op && (special[n].dwords == dwords || !special[n].dwords) &&
		    !(special[n].gfx9 && i->isa->rdna)) {
			put(o, "%s", special[n].name);
			return;
		}
	if (put_number(o, op, dwords))
		return;
	if (op == 248)
		put(o, "%s", t == F64 || t == B64 || t == B256 ? "0.15915494309189532" :
			     t >= B16 && t <= F16 ? "0.1592" : "0.15915494");
	else if (op == OP_LITERAL)
		put(o, "0x%x", i->literal);
	else
		put(o, "src_%u", op);
}

void put_operand(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
		 unsigned int dwords)
{
	if (!dwords)
		dwords = isa_type_dwords(t);
	if (op >= OP_ACC)
		put_range(o, "a", op - OP_ACC, dwords);
	else if (op >= OP_VGPR)
		put_range(o, "v", op - OP_VGPR, dwords);
	else
		put_scalar(o, i, op, t, dwords);
}

void put_src(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
	     unsigned int dwords)
{
	sep(o);
	put_operand(o, i, op, t, dwords);
}

void put_dst(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
	     unsigned int dwords)
{
	sep(o);
	if (op == SGPR_SINK)
		put(o, "null");
	else
		put_operand(o, i, op, t, dwords);
}

/* A register, or that there is none. */
static void put_or_off(struct out *o, const struct insn *i, unsigned int op, unsigned int dwords)
{
	sep(o);
	if (op == OP_NONE)
		put(o, "off");
	else
		put_operand(o, i, op, NIL, dwords);
}

unsigned int sources(const struct insn *i)
{
	unsigned int n = 0;

	while (n < 3 && i->row->src[n])
		n++;
	return n;
}

void put_encoding(struct out *o, const struct insn *i)
{
	static const char *const names[] = {
		[ENC_BASE] = "_e32", [ENC_VOP3] = "_e64", [ENC_SDWA] = "_sdwa", [ENC_DPP] = "_dpp",
		[ENC_VOP3_DPP] = "_e64_dpp",
	};
	const struct isa_row *r = i->row;
	bool e32 = r->fmt == VOPC || r->fmt == VOP1 || r->fmt == VOP2;

	if (e32 ? !(r->flags & F_E32) || i->enc != ENC_BASE : i->enc == ENC_VOP3_DPP)
		put(o, "%s", names[i->enc]);
}

void put_bits(struct out *o, const char *name, unsigned int bits, unsigned int n)
{
	put(o, " %s:[", name);
	for (unsigned int k = 0; k < n; k++)
		put(o, "%s%u", k ? "," : "", bits >> k & 1);
	put(o, "]");
}

/* Source of a vector ALU instruction, with its modifiers. */
static void put_source(struct out *o, const struct insn *i, unsigned int n)
{
	const struct isa_row *r = i->row;
	bool mods = r->fmt != VOP3P || r->flags & F_HALVES;
	bool neg = mods && i->neg >> n & 1, abs = mods && i->abs >> n & 1;
	bool sext = i->enc == ENC_SDWA && n < 2 && i->sext[n];

	if (r->flags & F_HALVES)
		abs = i->neg_hi >> n & 1;
	put(o, "%s%s%s", neg ? "-" : "", abs ? "|" : "", sext ? "sext(" : "");
	put_operand(o, i, i->src[n], r->src[n], 0);
	put(o, "%s%s", abs ? "|" : "", sext ? ")" : "");
}

/* RDNA does not name EXEC, which its CMPX instructions write. */
void put_valu_operands(struct out *o, const struct insn *i)
{
	unsigned int n = sources(i), mask = i->isa->mask_dwords;
	const struct isa_row *r = i->row;

	if (r->fmt == VOPC && !(i->isa->rdna && r->arg & CMPX))
		put_dst(o, i, i->dst, NIL, mask);
	else if (r->fmt != VOPC && r->dst)
		put_dst(o, i, i->dst, r->dst, 0);
	if (r->flags & F_CO)
		put_dst(o, i, i->sdst, NIL, mask);
	for (unsigned int k = 0; k < n; k++) {
		sep(o);
		put_source(o, i, k);
	}
	if (r->flags & F_CI)
		put_src(o, i, i->src[2], NIL, mask);
}

static void put_dpp(struct out *o, const struct insn *i)
{
	static const struct {
		u16 ctrl;
		const char *name;
	} fixed[] = {
		{ 0x130, "wave_shl:1" }, { 0x134, "wave_rol:1" }, { 0x138, "wave_shr:1" },
		{ 0x13c, "wave_ror:1" }, { 0x140, "row_mirror" }, { 0x141, "row_half_mirror" },
		{ 0x142, "row_bcast:15" }, { 0x143, "row_bcast:31" },
	};
	static const char *const rows[8] = {
		[0] = "row_shl", [1] = "row_shr", [2] = "row_ror", [5] = "row_newbcast",
		[6] = "row_xmask",
	};
	unsigned int c = i->dpp_ctrl;

	if (c & DPP8) {
		put(o, " dpp8:[");
		for (unsigned int n = 0; n < 8; n++)
			put(o, "%s%u", n ? "," : "", c >> 3 * n & 7);
		put(o, "]%s", i->fetch_inactive ? " fi:1" : "");
		return;
	}
	if (c < 0x100)
		put(o, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
	else if (c < 0x180 && rows[c >> 4 & 7])
		put(o, " %s:%u", i->isa->rdna && c >> 4 == 0x15 ? "row_share" : rows[c >> 4 & 7],
		    c & 15);
	for (unsigned int n = 0; n < sizeof(fixed) / sizeof(fixed[0]); n++)
		if (fixed[n].ctrl == c)
			put(o, " %s", fixed[n].name);
	put(o, " row_mask:0x%x bank_mask:0x%x", i->row_mask, i->bank_mask);
	if (i->bound_ctrl)
		put(o, " bound_ctrl:%u", i->isa->rdna);
	put(o, "%s", i->fetch_inactive ? " fi:1" : "");
}

static bool packed(const struct isa_row *r)
{
	return r->fmt == VOP3P && !(r->flags & F_HALVES);
}

void put_valu_modifiers(struct out *o, const struct insn *i)
{
	static const char *const omod[4] = { "", " mul:2", " mul:4", " div:2" };
	unsigned int n = sources(i), all = (1u << n) - 1;
	const struct isa_row *r = i->row;

	if (r->fmt == VOP3P && n > 1) {
		if (i->op_sel)
			put_bits(o, "op_sel", i->op_sel, n);
		if (packed(r) ? (i->op_sel_hi & all) != all : i->op_sel_hi & all)
			put_bits(o, "op_sel_hi", i->op_sel_hi, n);
		if (packed(r) && i->neg)
			put_bits(o, "neg_lo", i->neg, n);
		if (packed(r) && i->neg_hi)
			put_bits(o, "neg_hi", i->neg_hi, n);
	} else if (r->flags & F_BYTE && i->op_sel) {
		put_bits(o, "op_sel", i->op_sel, 4);
	} else if ((i->enc == ENC_VOP3 || i->enc == ENC_VOP3_DPP) && i->op_sel) {
		put_bits(o, "op_sel", (i->op_sel & all) | (i->op_sel >> 3 & 1) << n, n + 1);
	}
	put(o, "%s%s", i->clamp ? " clamp" : "", omod[i->omod]);
	if (is_dpp(i))
		put_dpp(o, i);
}

static void print_flags(struct out *o, const struct insn *i)
{
	static const char *const names[2][3] = {
		{ " glc", " slc", " scc" },
		{ " sc0", " nt", " sc1" },
	};
	const char *const *name = names[i->row->fmt != SMEM && i->isa == &isa_gfx942];

	put(o, "%s%s%s%s", i->glc ? name[0] : "", i->slc ? name[1] : "", i->scc ? name[2] : "",
	    i->lds ? " lds" : "");
}

static void print_ds(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;

	if (r->dst)
		put_dst(o, i, i->dst, r->dst, 0);
	for (unsigned int n = 0; n < 3; n++)
		if (r->src[n])
			put_src(o, i, i->src[n], r->src[n], 0);
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

static void print_flat(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;
	unsigned int data = isa_type_dwords(r->dst), back = data;

	if (r->flags & F_ATOMIC && (r->arg & 0xff) == A_CMPSWAP)
		back /= 2;
	if (i->dst != OP_NONE)
		put_dst(o, i, i->dst, NIL, back);
	if (i->src[0] != OP_NONE || r->fmt == SCRATCH)
		put_or_off(o, i, i->src[0], r->fmt == SCRATCH || i->saddr != OP_NONE ? 1 : 2);
	if (i->src[1] != OP_NONE)
		put_src(o, i, i->src[1], NIL, data);
	if (r->fmt != FLAT)
		put_or_off(o, i, i->saddr, r->fmt == SCRATCH ? 1 : 2);
	if (i->simm)
		put(o, " offset:%d", i->simm);
	print_flags(o, i);
}

static void print_mubuf(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;

	if (r->flags & F_NOPERAND) {
		print_flags(o, i);
		return;
	}
	if (!i->lds)
		put_src(o, i, i->src[1], r->dst, 0);
	put_or_off(o, i, i->src[0], i->offen + i->idxen);
	put_src(o, i, i->src[2], B128, 0);
	put_src(o, i, i->soffset, B32, 0);
	if (r->fmt == MTBUF)
		put(o, " format:%u", i->simm2);
	put(o, "%s%s", i->idxen ? " idxen" : "", i->offen ? " offen" : "");
	if (i->simm)
		put(o, " offset:%d", i->simm);
	print_flags(o, i);
}

static void print_smem(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;

	if (r->dst) {
		put_dst(o, i, i->dst, r->dst, 0);
	} else if (r->flags & F_IMM) {
		sep(o);
		put(o, "0x%x", i->simm2);
	}
	if (!r->src[0])
		return;
	put_src(o, i, i->src[0], r->src[0], 0);
	if (i->soffset == OP_NONE) {
		sep(o);
		put(o, "0x%x", i->simm);
	} else {
		put_src(o, i, i->soffset, B32, 0);
		if (i->simm)
			put(o, " offset:0x%x", i->simm);
	}
	print_flags(o, i);
}

static void print_scalar(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;
	bool imm_first = r->fmt == SOPK && !r->dst && strstr(r->name, "setreg");

	if (imm_first) {
		sep(o);
		put(o, "0x%x", (u16)i->simm);
	}
	if (r->dst)
		put_dst(o, i, i->dst, r->dst, 0);
	for (unsigned int n = 0; n < 2; n++)
		if (r->src[n])
			put_src(o, i, i->src[n], r->src[n], 0);
	if (r->flags & (F_IMM | F_MSG) && !imm_first) {
		sep(o);
		put(o, "0x%x", (u16)i->simm);
	}
	if (imm_first && !r->src[0]) {
		sep(o);
		put(o, "0x%x", i->literal);
	}
}

void print_operands(struct out *o, const struct insn *i)
{
	switch (i->row->fmt) {
	case DS:
		print_ds(o, i);
		break;
	case FLAT: case GLOBAL: case SCRATCH:
		print_flat(o, i);
		break;
	case MUBUF: case MTBUF:
		print_mubuf(o, i);
		break;
	case SMEM:
		print_smem(o, i);
		break;
	default:
		print_scalar(o, i);
	}
}
