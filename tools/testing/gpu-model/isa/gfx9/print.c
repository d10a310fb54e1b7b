// SPDX-License-Identifier: GPL-2.0
/* Decoded instructions as text, in the syntax of LLVM's assembler. */
#include "isa/matrix.h"
#include "isa/text.h"
#include "gfx9.h"

static void put_scalar(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
		       unsigned int dwords)
{
	static const struct {
		u16 op;
		u8 dwords;
		const char *name;
	} special[] = {
		{ 102, 1, "flat_scratch_lo" }, { 103, 1, "flat_scratch_hi" },
		{ 102, 2, "flat_scratch" }, { 104, 1, "xnack_mask_lo" },
		{ 105, 1, "xnack_mask_hi" }, { 104, 2, "xnack_mask" },
		{ 106, 1, "vcc_lo" }, { 107, 1, "vcc_hi" }, { 106, 2, "vcc" },
		{ 124, 1, "m0" }, { 126, 1, "exec_lo" }, { 127, 1, "exec_hi" },
		{ 126, 2, "exec" },
		{ 235, 0, "src_shared_base" }, { 236, 0, "src_shared_limit" },
		{ 237, 0, "src_private_base" }, { 238, 0, "src_private_limit" },
		{ 251, 0, "src_vccz" }, { 252, 0, "src_execz" }, { 253, 0, "src_scc" },
	};

	for (unsigned int n = 0; n < sizeof(special) / sizeof(special[0]); n++)
		if (special[n].op == op && (special[n].dwords == dwords || !special[n].dwords)) {
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

static void put_operand(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
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

static bool packed(const struct isa_row *r)
{
	return r->fmt == VOP3P && !(r->flags & (F_HALVES | F_MFMA));
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

static void put_bits(struct out *o, const char *name, unsigned int bits, unsigned int n)
{
	put(o, " %s:[", name);
	for (unsigned int k = 0; k < n; k++)
		put(o, "%s%u", k ? "," : "", bits >> k & 1);
	put(o, "]");
}

static unsigned int sources(const struct insn *i)
{
	unsigned int n = 0;

	while (n < 3 && i->row->src[n])
		n++;
	return n;
}

static void put_dpp(struct out *o, const struct insn *i)
{
	unsigned int c = i->dpp_ctrl;
	static const struct {
		u16 ctrl;
		const char *name;
	} fixed[] = {
		{ 0x130, "wave_shl:1" }, { 0x134, "wave_rol:1" }, { 0x138, "wave_shr:1" },
		{ 0x13c, "wave_ror:1" }, { 0x140, "row_mirror" }, { 0x141, "row_half_mirror" },
		{ 0x142, "row_bcast:15" }, { 0x143, "row_bcast:31" },
	};

	if (c < 0x100)
		put(o, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
	else if (c > 0x100 && c <= 0x10f)
		put(o, " row_shl:%u", c & 15);
	else if (c > 0x110 && c <= 0x11f)
		put(o, " row_shr:%u", c & 15);
	else if (c > 0x120 && c <= 0x12f)
		put(o, " row_ror:%u", c & 15);
	else if (c >= 0x150 && c <= 0x15f)
		put(o, " row_newbcast:%u", c & 15);
	for (unsigned int n = 0; n < sizeof(fixed) / sizeof(fixed[0]); n++)
		if (fixed[n].ctrl == c)
			put(o, " %s", fixed[n].name);
	put(o, " row_mask:0x%x bank_mask:0x%x", i->row_mask, i->bank_mask);
	if (i->bound_ctrl)
		put(o, " bound_ctrl:0");
}

static void put_sdwa(struct out *o, const struct insn *i)
{
	static const char *const sel[8] = {
		"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "?",
	};
	static const char *const unused[4] = {
		"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?",
	};

	if (i->row->fmt != VOPC && i->row->dst)
		put(o, " dst_sel:%s dst_unused:%s", sel[i->dst_sel], unused[i->dst_unused]);
	put(o, " src0_sel:%s", sel[i->sel[0]]);
	if (i->row->src[1])
		put(o, " src1_sel:%s", sel[i->sel[1]]);
}

static void print_valu(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;
	const char *omod[4] = { "", " mul:2", " mul:4", " div:2" };
	unsigned int n = sources(i), all = (1u << n) - 1;

	if (r->fmt == VOPC)
		put(o, "%s", i->enc == ENC_SDWA ? "_sdwa" : i->enc == ENC_DPP ? "_dpp" :
			     i->enc == ENC_VOP3 ? "_e64" : "_e32");
	else if ((r->fmt == VOP1 || r->fmt == VOP2) &&
		 (!(r->flags & F_E32) || i->enc != ENC_BASE))
		put(o, "%s", i->enc == ENC_SDWA ? "_sdwa" : i->enc == ENC_DPP ? "_dpp" :
			     i->enc == ENC_VOP3 ? "_e64" : "_e32");
	if (r->dst) {
		sep(o);
		put_operand(o, i, i->dst, r->dst, 0);
	}
	if (r->flags & F_CO) {
		sep(o);
		put_operand(o, i, i->sdst, B64, 0);
	}
	for (unsigned int k = 0; k < n; k++) {
		sep(o);
		put_source(o, i, k);
	}
	if (r->flags & F_CI) {
		sep(o);
		put_operand(o, i, i->src[2], B64, 0);
	}
	if (r->flags & F_MFMA) {
		if (i->neg_hi)
			put(o, " cbsz:%u", i->neg_hi);
		if (i->op_sel)
			put(o, " abid:%u", i->op_sel);
		if (i->neg && mm_shape(r->arg).a == MM_F64 && i->isa == &isa_gfx942)
			put_bits(o, "neg", i->neg, 3);
		else if (i->neg)
			put(o, " blgp:%u", i->neg);
		return;
	}
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
	} else if (i->enc == ENC_VOP3 && i->op_sel) {
		put_bits(o, "op_sel", (i->op_sel & all) | (i->op_sel >> 3 & 1) << n, n + 1);
	}
	if (i->clamp)
		put(o, " clamp");
	put(o, "%s", omod[i->omod]);
	if (i->enc == ENC_SDWA)
		put_sdwa(o, i);
	else if (i->enc == ENC_DPP)
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

	if (r->dst) {
		sep(o);
		put_operand(o, i, i->dst, r->dst, 0);
	}
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
	if (i->gds)
		put(o, " gds");
}

static void print_flat(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;
	unsigned int data = isa_type_dwords(r->dst), back = data;
	unsigned int addr = r->fmt == SCRATCH || i->saddr != OP_NONE ? 1 : 2;

	if (r->flags & F_ATOMIC && (r->arg & 0xff) == A_CMPSWAP)
		back /= 2;
	if (i->dst != OP_NONE) {
		sep(o);
		put_operand(o, i, i->dst, NIL, back);
	}
	sep(o);
	if (i->src[0] == OP_NONE)
		put(o, "off");
	else
		put_operand(o, i, i->src[0], NIL, addr);
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

	if (r->flags & F_NOPERAND) {
		print_flags(o, i);
		return;
	}
	if (!i->lds) {
		sep(o);
		put_operand(o, i, i->src[1], r->dst, 0);
	}
	sep(o);
	if (i->src[0] == OP_NONE)
		put(o, "off");
	else
		put_operand(o, i, i->src[0], NIL, i->offen + i->idxen);
	sep(o);
	put_operand(o, i, i->src[2], B128, 0);
	sep(o);
	put_operand(o, i, i->soffset, B32, 0);
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
		sep(o);
		put_operand(o, i, i->dst, r->dst, 0);
	} else if (r->flags & F_IMM) {
		sep(o);
		put(o, "0x%x", i->simm2);
	}
	if (!r->src[0])
		return;
	sep(o);
	put_operand(o, i, i->src[0], r->src[0], 0);
	sep(o);
	if (i->soffset != OP_NONE)
		put_operand(o, i, i->soffset, B32, 0);
	else
		put(o, "0x%x", i->simm);
	print_flags(o, i);
}

static void print_scalar(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;
	bool imm_first = r->fmt == SOPK && r->src[0] && !r->dst && strstr(r->name, "setreg");

	if (imm_first) {
		sep(o);
		put(o, "0x%x", (u16)i->simm);
	}
	if (r->dst) {
		sep(o);
		put_operand(o, i, i->dst, r->dst, 0);
	}
	for (unsigned int n = 0; n < 2; n++)
		if (r->src[n]) {
			sep(o);
			put_operand(o, i, i->src[n], r->src[n], 0);
		}
	if (r->flags & F_IMM && !imm_first) {
		sep(o);
		put(o, "0x%x", (u16)i->simm);
	}
	if (r->fmt == SOPK && !r->dst && !r->src[0]) {
		sep(o);
		put(o, "0x%x", i->literal);
	}
}

void gfx9_print(const struct insn *i, char *buf, size_t size)
{
	struct out o = { buf, size, 0, false };

	put(&o, "%s", i->row->name);
	switch (i->row->fmt) {
	case VOP1: case VOP2: case VOPC: case VOP3: case VOP3P:
		print_valu(&o, i);
		break;
	case DS:
		print_ds(&o, i);
		break;
	case FLAT: case GLOBAL: case SCRATCH:
		print_flat(&o, i);
		break;
	case MUBUF:
	case MTBUF:
		print_mubuf(&o, i);
		break;
	case SMEM:
		print_smem(&o, i);
		break;
	default:
		print_scalar(&o, i);
	}
}
