// SPDX-License-Identifier: GPL-2.0
/*
 * Decoded instructions as text, in the syntax of LLVM's assembler. Masks of lanes are those of
 * waves of 32, but in isa_gfx1100_wave64.
 */
#include "isa/print.h"
#include "gfx11.h"

static void print_valu(struct out *o, const struct insn *i)
{
	const struct isa_row *r = i->row;
	unsigned int mask = i->isa->mask_dwords;

	if (r->fmt == VOPC) {
		if (!(r->arg & CMPX))
			put_dst(o, i, i->dst, NIL, mask);
	} else if (r->dst) {
		put_dst(o, i, i->dst, r->dst, 0);
	}
	if (r->flags & F_CO)
		put_dst(o, i, i->sdst, NIL, mask);
	for (unsigned int n = 0; n < sources(i); n++) {
		bool abs = i->abs >> n & 1;

		sep(o);
		put(o, "%s%s", i->neg >> n & 1 ? "-" : "", abs ? "|" : "");
		put_operand(o, i, i->src[n], r->src[n], 0);
		put(o, "%s", abs ? "|" : "");
	}
	if (r->flags & F_CI)
		put_src(o, i, i->src[2], NIL, mask);
	put_result(o, i);
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
		print_valu(o, &h);
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
		put_encoding(&o, i);
		print_valu(&o, i);
		break;
	default:
		print_operands(&o, i);
	}
}
