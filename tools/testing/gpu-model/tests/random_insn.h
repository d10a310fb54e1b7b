/* SPDX-License-Identifier: GPL-2.0 */
/* Random encodings, and numbers for their operands. */
#ifndef GPU_MODEL_TESTS_RANDOM_INSN_H
#define GPU_MODEL_TESTS_RANDOM_INSN_H

#include "isa/isa.h"
#include "random.h"

/* An encoding of @r: its format's fixed bits and opcode, all else random. */
static void encode(const struct isa_row *r, u32 raw[2])
{
	u32 a = rnd(), b = rnd(), op = r->op;
	bool vop3 = rnd() & 1;

	/* Mostly low register numbers, or nearly all would be out of range. */
	if (rnd() & 3)
		b &= 0xe0fe3f1f | (u32)rnd() << 29;
	switch (r->fmt) {
	case SOP1:
		a = (a & 0x7f00ff) | 0xbe800000 | op << 8;
		break;
	case SOP2:
		a = (a & 0x7fffff) | 0x80000000 | op << 23;
		break;
	case SOPK:
		a = (a & 0x7fffff) | 0xb0000000 | op << 23;
		break;
	case SOPC:
		a = (a & 0xffff) | 0xbf000000 | op << 16;
		break;
	case SOPP:
		a = (a & 0xffff) | 0xbf800000 | op << 16;
		break;
	case SMEM:
		a = (a & 0x3ffff) | 0xc0000000 | op << 18;
		break;
	case VOP1:
		if (vop3)
			goto as_vop3;
		a = (a & 0x1fe01ff) | 0x7e000000 | op << 9;
		break;
	case VOP2:
		if (vop3)
			goto as_vop3;
		a = (a & 0x1ffffff) | op << 25;
		break;
	case VOPC:
		if (vop3)
			goto as_vop3;
		a = (a & 0x1ffff) | 0x7c000000 | op << 17;
		break;
	case VOP3:
as_vop3:
		op += r->fmt == VOP1 ? 0x140 : r->fmt == VOP2 ? 0x100 : 0;
		a = (a & 0xff3f) | 0xd0000000 | op << 16;
		break;
	case VOP3P:
		a = (a & 0xff3f) | 0xd3800000 | op << 16;
		break;
	case DS:
		a = (a & 0xffff) | 0xd8000000 | op << 17;
		break;
	case FLAT: case GLOBAL: case SCRATCH:
		a = (a & 0x31fff) | 0xdc000000 | op << 18 |
		    (r->fmt == GLOBAL ? 2u << 14 : r->fmt == SCRATCH ? 1u << 14 : 0);
		break;
	case MUBUF:
		a = (a & 0x27fff) | 0xe0000000 | op << 18;
		break;
	case MTBUF:
		a = (a & 0x3f87fff) | 0xe8000000 | op << 15;
		break;
	}
	raw[0] = a;
	raw[1] = b;
}

/* Make it a DPP form, of which source 0 is behind the @dwords of the encoding. */
static inline void encode_dpp(u32 raw[INSN_DWORDS], unsigned int dwords)
{
	static const u32 dpp[] = { 250, 250, 233, 234 };

	raw[dwords - 1] = (raw[dwords - 1] & ~0x1ffu) | dpp[rnd() & 3];
	raw[dwords] = rnd() & ~0xc0u;
}

/* The same for a row of gfx1100; some are pairs, whatever @r is. */
static inline void encode_rdna(const struct isa_row *r, u32 raw[INSN_DWORDS])
{
	u32 a = rnd(), op = r->op;
	bool dpp = !(rnd() & 3);

	encode(r, raw);
	raw[2] = rnd();
	switch (r->fmt) {
	case VOP1: case VOP2: case VOPC:
		if (!(raw[0] >> 31)) {
			if (dpp)
				encode_dpp(raw, 1);
			break;
		}
		op += r->fmt == VOP1 ? 0x180 : r->fmt == VOP2 ? 0x100 : 0;
		/* fallthrough */
	case VOP3:
		raw[0] = (a & 0xff3f) | 0xd4000000 | op << 16;
		if (dpp)
			encode_dpp(raw, 2);
		break;
	case VOP3P:
		raw[0] = (a & 0xff3f) | 0xcc000000 | op << 16;
		if (dpp)
			encode_dpp(raw, 2);
		break;
	case SMEM:
		raw[0] = (a & 0x3ffff) | 0xf4000000 | op << 18;
		break;
	case DS:
		raw[0] = (a & 0x1ffff) | 0xd8000000 | op << 18;
		break;
	case FLAT: case GLOBAL: case SCRATCH:
		raw[0] = (a & 0xffff) | 0xdc000000 | op << 18 |
			 (r->fmt == GLOBAL ? 2u << 16 : r->fmt == SCRATCH ? 1u << 16 : 0);
		break;
	case MUBUF:
		raw[0] = (a & 0x3ffff) | 0xe0000000 | op << 18;
		break;
	}
	if (!(rnd() & 15))
		raw[0] = (a & 0x3ffffff) | 0xc8000000;
}

/* Numbers that matter to some instruction: small, special floats, addresses, any. */
static u32 value(void)
{
	static const u32 special[] = {
		0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000,
		0x7f800001, 0x00000001, 0x3f800000, 0x4f000000, 0x7ff00000, 0xfff80000,
		0x20000000, 0x10000, 0x20000,
	};
	u64 r = rnd();

	switch (r & 3) {
	case 0:
		return special[(r >> 8) % (sizeof(special) / sizeof(special[0]))];
	case 1:
		return r >> 8 & 0xfff;
	default:
		return r >> 8;
	}
}

#endif
