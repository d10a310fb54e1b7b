// SPDX-License-Identifier: GPL-2.0
/* Decoded instructions as text, in the syntax of LLVM's assembler. */
#include "isa/matrix.h"
#include "isa/print.h"
#include "gfx9.h"

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
	unsigned int n = sources(i), all = (1u << n) - 1;

	put_encoding(o, i);
	if (r->dst)
		put_dst(o, i, i->dst, r->dst, 0);
	if (r->flags & F_CO)
		put_dst(o, i, i->sdst, B64, 0);
	for (unsigned int k = 0; k < n; k++) {
		sep(o);
		put_source(o, i, k);
	}
	if (r->flags & F_CI)
		put_src(o, i, i->src[2], B64, 0);
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
	put_result(o, i);
	if (i->enc == ENC_SDWA)
		put_sdwa(o, i);
	else if (i->enc == ENC_DPP)
		put_dpp(o, i);
}

void gfx9_print(const struct insn *i, char *buf, size_t size)
{
	struct out o = { buf, size, 0, false };

	put(&o, "%s", i->row->name);
	switch (i->row->fmt) {
	case VOP1: case VOP2: case VOPC: case VOP3: case VOP3P:
		print_valu(&o, i);
		break;
	default:
		print_operands(&o, i);
	}
}
