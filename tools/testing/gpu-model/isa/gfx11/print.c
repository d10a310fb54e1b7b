// SPDX-License-Identifier: GPL-2.0
/*
 * Decoded instructions as text, in the syntax of LLVM's assembler. Masks of lanes are those of
 * waves of 32, but in isa_gfx1100_wave64.
 */
#include "isa/print.h"
#include "gfx11.h"

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
		put_valu_operands(o, &h);
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
	case VOP1: case VOP2: case VOPC: case VOP3: case VOP3P:
		put_encoding(&o, i);
		put_valu_operands(&o, i);
		put_valu_modifiers(&o, i);
		break;
	default:
		print_operands(&o, i);
	}
}
