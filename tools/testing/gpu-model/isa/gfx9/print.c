// SPDX-License-Identifier: GPL-2.0
/* Decoded instructions as text, in the syntax of LLVM's assembler. */
#include "isa/matrix.h"
#include "isa/print.h"
#include "gfx9.h"

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

static void put_matrix(struct out *o, const struct insn *i)
{
	if (i->neg_hi)
		put(o, " cbsz:%u", i->neg_hi);
	if (i->op_sel)
		put(o, " abid:%u", i->op_sel);
	if (i->neg && mm_shape(i->row->arg).a == MM_F64 && i->isa == &isa_gfx942)
		put_bits(o, "neg", i->neg, 3);
	else if (i->neg)
		put(o, " blgp:%u", i->neg);
}

static void print_valu(struct out *o, const struct insn *i)
{
	put_encoding(o, i);
	put_valu_operands(o, i);
	if (i->row->flags & F_MFMA) {
		put_matrix(o, i);
		return;
	}
	put_valu_modifiers(o, i);
	if (i->enc == ENC_SDWA)
		put_sdwa(o, i);
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
