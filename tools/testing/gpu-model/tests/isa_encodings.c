// SPDX-License-Identifier: GPL-2.0
/*
 * Checks decoder and printer against LLVM's assembler: for each row of the
 * instruction table, instructions with various operands are printed, assembled
 * by llvm-mc, decoded, and printed again. Name and operands must come back.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "isa/gfx11/gfx11.h"
#include "isa/matrix.h"
#include "tap.h"

#define VARIANTS	12
enum { DPP_E32 = 9, DPP_16, DPP_8 };	/* RDNA's last variants */
#define MAX_TEXT	160
#define ASSEMBLER	"$(command -v llvm-mc-15 || echo llvm-mc) -arch=amdgcn -mcpu=%s " \
			"%s --show-encoding %s 2>/dev/null"

/* gfx942 as LLVM 15 knows it: gfx940 has the same encodings. */
static const char *cpu(const struct isa *isa)
{
	return isa == &isa_gfx942 ? "gfx940" : isa->name;
}

/* gfx1100 writes masks of lanes in another way for waves of 64. */
static const char *attributes(const struct isa *isa)
{
	return isa == &isa_gfx1100_wave64 ? "-mattr=+wavefrontsize64,-wavefrontsize32" : "";
}

/**
 * struct sample - one instruction of the test
 * @row:	row it was made from
 * @basic:	the plain form, one of a matrix instruction's, or DPP's short one: the assembler
 *		must take it
 */
struct sample {
	const struct isa_row *row;
	char text[MAX_TEXT];
	bool basic;
	u8 code[4 * INSN_DWORDS];
	unsigned int bytes;
};

static u32 seed = 1;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Tuples of vector registers start at even ones. */
static u16 vgpr(void)
{
	return OP_VGPR + 2 * rnd(64);
}

static u16 sgpr(unsigned int dwords)
{
	unsigned int align = dwords > 2 ? 4 : dwords;

	return 8 * rnd(8) + (align > 1 ? align * rnd(8 / align) : rnd(8));
}

static u16 sgpr_of(enum isa_type t)
{
	return sgpr(isa_type_dwords(t));
}

static bool float_type(enum isa_type t)
{
	return t == F16 || t == F32 || t == F64;
}

static void make_scalar(struct insn *i, unsigned int variant)
{
	const struct isa_row *r = i->row;

	if (r->dst)
		i->dst = sgpr_of(r->dst);
	for (unsigned int n = 0; n < 2; n++)
		if (r->src[n])
			i->src[n] = sgpr_of(r->src[n]);
	i->simm = r->flags & F_MSG ? 128 + rnd(6) : 1 + rnd(7);
	if (r->fmt == SOPK)
		i->literal = 0x12345678;
	if (r->fmt == SOPK || r->fmt == SOPP)
		return;
	switch (variant) {
	case 1:
		i->src[0] = 128 + rnd(65);
		break;
	case 2:
		if (r->src[1])
			i->src[1] = 193 + rnd(16);
		break;
	case 3:
		i->src[0] = OP_LITERAL;
		i->literal = 0xabcd1234;
		break;
	case 4:
		if (r->dst)
			i->dst = SGPR_VCC;
		i->src[0] = isa_type_dwords(r->src[0]) == 2 ? SGPR_EXEC : SGPR_M0;
		break;
	case 5:
		i->src[0] = 240 + rnd(8);
		break;
	}
}

static void make_smem(struct insn *i, unsigned int variant)
{
	const struct isa_row *r = i->row;

	if (r->dst)
		i->dst = sgpr_of(r->dst);
	if (r->src[0])
		i->src[0] = sgpr_of(r->src[0]);
	if (r->flags & F_IMM)
		i->simm2 = rnd(64);
	i->soffset = OP_NONE;
	i->simm = 4 * rnd(1000);
	if (variant == 1) {
		i->simm = i->isa->rdna ? i->simm : 0;	/* both */
		i->soffset = sgpr(1);
	}
	i->glc = variant == 2;
}

/* All registers in either file, modifiers, a constant for C. */
static bool make_mfma(struct insn *i, unsigned int variant)
{
	const struct isa_row *r = i->row;
	const struct mm_shape s = mm_shape(r->arg);
	u16 acc = OP_ACC - OP_VGPR;

	i->enc = ENC_VOP3;
	i->dst = vgpr() + (variant & 1 ? acc : 0);
	i->src[0] = vgpr() + (variant & 2 ? acc : 0);
	i->src[1] = vgpr() + (variant == 3 ? acc : 0);
	i->src[2] = s.sparse ? vgpr() : i->dst;		/* the same, but they may not overlap */
	switch (variant) {
	case 4:
		i->neg_hi = s.sparse ? 1 : __builtin_ctz(s.blocks);
		i->op_sel = s.sparse ? 3 : s.blocks - 1;
		if (s.a == MM_F64)
			i->neg_hi = i->op_sel = 0;
		break;
	case 5:
		i->neg = s.sparse ? 0 : 1 + rnd(7);
		break;
	case 6:
		i->src[2] = rnd(2) ? 128 + rnd(81) : 240 + rnd(9);
		return !s.sparse;
	}
	return variant < 6;
}

/*
 * DPP of RDNA: 16 lanes and 8, of the short form and of VOP3's. LLVM 15 does not know all of the
 * latter, and does not encode OP_SEL_HI of packed ones.
 */
static bool make_dpp(struct insn *i, unsigned int variant)
{
	static const u16 ctrl[] = {
		0x1b, 0xe4, 0x101, 0x11f, 0x128, 0x140, 0x141, 0x150, 0x15f, 0x161, 0x16f,
	};
	const struct isa_row *r = i->row;
	bool e32 = i->enc == ENC_BASE;

	if (!gfx11_has_dpp(r) || (!e32 && variant == DPP_E32) || i->op_sel_hi)
		return false;
	i->enc = variant == DPP_E32 || (e32 && rnd(2)) ? ENC_DPP : ENC_VOP3_DPP;
	if (i->enc == ENC_VOP3_DPP && r->flags & F_E32)
		return false;
	i->fetch_inactive = rnd(2);
	if (variant == DPP_8) {
		i->dpp_ctrl = DPP8 | rnd(1u << 24);
		return true;
	}
	i->dpp_ctrl = ctrl[rnd(sizeof(ctrl) / sizeof(ctrl[0]))];
	i->row_mask = rnd(16);
	i->bank_mask = rnd(16);
	i->bound_ctrl = rnd(2);
	for (unsigned int n = 0; n < 2 && float_type(r->dst); n++) {
		i->neg |= float_type(r->src[n]) ? rnd(2) << n : 0;
		i->abs |= float_type(r->src[n]) ? rnd(2) << n : 0;
	}
	return true;
}

/* Returns false when the row has no such variant. */
static bool make_valu(struct insn *i, unsigned int variant)
{
	const struct isa_row *r = i->row;
	bool e32 = r->fmt == VOP1 || r->fmt == VOP2 || r->fmt == VOPC;
	unsigned int n = 0;

	if (r->flags & F_MFMA)
		return make_mfma(i, variant);
	i->enc = e32 ? ENC_BASE : ENC_VOP3;
	i->op_sel_hi = r->fmt == VOP3P && !(r->flags & F_HALVES) ? 7 : 0;
	for (; n < 3 && r->src[n]; n++)
		i->src[n] = vgpr();
	i->dst = r->fmt == VOPC ? SGPR_VCC : r->flags & F_SDST ? sgpr_of(r->dst) : vgpr();
	if (!r->dst)
		i->dst = OP_NONE;
	if (r->flags & F_ACC_D)
		i->dst += OP_ACC - OP_VGPR;
	if (r->flags & F_ACC_S)
		i->src[0] += OP_ACC - OP_VGPR;
	if (r->flags & F_CO)
		i->sdst = SGPR_VCC;
	if (r->flags & F_CI)
		i->src[2] = SGPR_VCC;
	if (r->flags & F_MK)
		i->src[1] = OP_LITERAL;
	if (r->flags & F_AK)
		i->src[2] = OP_LITERAL;
	i->literal = is_16bit(r->dst) ? 0x4049 : 0x40490fdb;
	if (strstr(r->name, "readlane") || strstr(r->name, "writelane"))
		i->src[1] = sgpr(1);
	if (strstr(r->name, "writelane"))
		i->src[0] = i->src[1];
	if (strstr(r->name, "permlane") && r->src[2])
		i->src[1] = i->src[2] = sgpr(1);
	if (variant == 8 && i->isa->rdna) {	/* a literal behind VOP3 */
		i->enc = ENC_VOP3;
		i->src[0] = OP_LITERAL;
		return n > 0 && !(r->flags & (F_MK | F_AK | F_E32));
	}
	if (variant > 8 && i->isa->rdna)
		return make_dpp(i, variant);
	if (variant >= 6 && e32) {
		if ((r->flags & F_E32 && variant < 8) || (!n && variant > 7))
			return false;
		i->enc = variant < 8 ? ENC_VOP3 : variant < 10 ? ENC_SDWA : ENC_DPP;
	}
	switch (variant) {
	case 1:		/* a scalar */
		i->src[0] = sgpr_of(r->src[0]);
		return n > 0;
	case 2:		/* an inline constant */
		i->src[0] = 128 + rnd(65);
		return n > 0;
	case 3:		/* integers of 16 bits have no float constants in LLVM */
		i->src[0] = (is_16bit(r->src[0]) && r->src[0] != F16) ||
			    (i->isa->rdna && r->src[0] == V2I) ? 193 + rnd(16) : 240 + rnd(9);
		return n > 0;
	case 4:		/* a literal, where there is room; else modifiers */
		if (e32) {
			i->src[0] = OP_LITERAL;
			return n > 0 && !(r->flags & (F_MK | F_AK));
		}
		i->neg = r->src[0] == V2I ? 0 : rnd(1u << n);
		i->clamp = !float_type(r->dst);
		if (r->fmt == VOP3P)
			i->op_sel = rnd(1u << n);
		return true;
	case 5:
		if (e32)
			return false;
		if (r->fmt == VOP3P) {
			i->op_sel_hi = rnd(1u << n);
			i->neg_hi = r->src[0] == V2I ? 0 : rnd(1u << n);
			return true;
		}
		/* Where the second destination is, there are none. */
		i->abs = float_type(r->src[0]) && !(r->flags & F_CO) ? rnd(1u << n) : 0;
		i->omod = float_type(r->dst) ? 1 + rnd(3) : 0;
		i->op_sel = r->flags & F_KEEP16 ? rnd(16) : r->flags & F_BYTE ? 4 * rnd(4) : 0;
		return true;
	case 6:		/* VOP3 with a scalar last source and any mask registers */
		if (r->fmt == VOPC)
			i->dst = sgpr(i->isa->mask_dwords);
		if (r->flags & F_CO)
			i->sdst = sgpr(i->isa->mask_dwords);
		if (r->flags & F_CI)
			i->src[2] = sgpr(i->isa->mask_dwords);
		else if (n > 1)
			i->src[1] = sgpr_of(r->src[1]);
		return e32;
	case 7:
		if (r->flags & F_CO) {
			i->clamp = true;
			return e32;
		}
		if (float_type(r->src[0])) {
			i->abs = 1 + rnd((1u << n) - 1);
			i->neg = rnd(1u << n);
		}
		i->omod = float_type(r->dst) ? rnd(4) : 0;
		return e32;
	case 8:		/* SDWA */
	case 9:
		if (!e32)
			return false;
		i->sel[0] = rnd(7);
		i->sel[1] = rnd(7);
		if (r->fmt != VOPC && !(r->flags & F_DACC)) {
			i->dst_sel = rnd(7);
			i->dst_unused = rnd(3);
		}
		if (variant == 9 && float_type(r->src[0]))
			i->neg = rnd(1u << n);
		else if (variant == 9)
			i->sext[0] = true;
		return true;
	case 10:	/* DPP */
	case 11:
		if (!e32)
			return false;
		i->dpp_ctrl = variant == 10 ? rnd(256) : 0x111 + rnd(15);
		i->row_mask = rnd(16);
		i->bank_mask = rnd(16);
		i->bound_ctrl = variant == 11;
		return true;
	}
	return true;
}

static bool make_ds(struct insn *i, unsigned int variant)
{
	const struct isa_row *r = i->row;
	u16 file = variant == 1 && !i->isa->rdna ? OP_ACC - OP_VGPR : 0;

	if (r->dst)
		i->dst = vgpr() + file;
	for (unsigned int n = 0; n < 3; n++)
		if (r->src[n])
			i->src[n] = vgpr() + (n ? file : 0);
	i->simm = r->flags & F_OFF2 ? rnd(256) : rnd(65536);
	i->simm2 = rnd(256);
	i->gds = r->flags & F_GDS;
	return variant < 3;
}

static bool make_flat(struct insn *i, unsigned int variant)
{
	const struct isa_row *r = i->row;
	u16 file = variant == 3 && !i->isa->rdna ? OP_ACC - OP_VGPR : 0;

	i->src[0] = vgpr();
	if (variant == 1 || variant == 2) {
		if (r->fmt == FLAT)
			return false;
		i->saddr = r->fmt == SCRATCH ? sgpr(1) : sgpr(2);
		if (r->fmt == SCRATCH && (i->isa == &isa_gfx90a || variant == 1))
			i->src[0] = OP_NONE;
	}
	if (variant == 6) {	/* neither register: the base alone */
		if (r->fmt != SCRATCH || i->isa == &isa_gfx90a)
			return false;
		i->src[0] = OP_NONE;
	}
	if (r->flags & F_ADDTID)
		i->src[0] = OP_NONE;
	i->glc = variant == 2 || variant == 4;
	i->slc = variant == 5;
	i->scc = variant == 5 && i->isa == &isa_gfx942;
	if (r->flags & (F_STORE | F_ATOMIC))
		i->src[1] = vgpr() + file;
	if (!(r->flags & (F_STORE | F_ATOMIC)) || (r->flags & F_ATOMIC && i->glc))
		i->dst = r->dst ? vgpr() + file : OP_NONE;
	i->simm = r->fmt == FLAT ? (s32)rnd(4096) : (s32)rnd(8192) - 4096;
	return variant < 7;
}

static bool make_mubuf(struct insn *i, unsigned int variant)
{
	const struct isa_row *r = i->row;

	if (r->flags & F_NOPERAND) {
		i->glc = i->isa == &isa_gfx942 && variant & 1;
		i->scc = i->isa == &isa_gfx942 && variant & 2;
		return variant < (i->isa == &isa_gfx942 ? 4 : 1);
	}
	if (r->fmt == MTBUF)
		i->simm2 = 1 + rnd(127);
	i->offen = variant & 1;
	i->idxen = variant >> 1 & 1;
	i->glc = variant == 4;
	i->slc = variant == 5;
	if (i->offen || i->idxen)
		i->src[0] = vgpr();
	i->src[1] = vgpr() + (variant == 3 && !i->isa->rdna ? OP_ACC - OP_VGPR : 0);
	i->src[2] = sgpr(4);
	i->soffset = variant == 6 ? 128 + rnd(65) : sgpr(1);
	i->simm = rnd(4096);
	return variant < 7;
}

static bool make(struct insn *i, const struct isa_row *r, const struct isa *isa,
		 unsigned int variant)
{
	memset(i, 0, sizeof(*i));
	i->isa = isa;
	i->row = r;
	i->dst = i->sdst = i->saddr = i->soffset = OP_NONE;
	i->src[0] = i->src[1] = i->src[2] = OP_NONE;
	i->sel[0] = i->sel[1] = i->dst_sel = 6;
	switch (r->fmt) {
	case SMEM:
		make_smem(i, variant);
		return variant < 3;
	case DS:
		return make_ds(i, variant);
	case FLAT: case GLOBAL: case SCRATCH:
		return make_flat(i, variant);
	case MUBUF: case MTBUF:
		return make_mubuf(i, variant);
	case VOP1: case VOP2: case VOPC: case VOP3: case VOP3P:
		return make_valu(i, variant);
	default:
		make_scalar(i, variant);
		return variant < (r->fmt == SOPK || r->fmt == SOPP ? 2 : 6);
	}
}

/* Assemble all samples; those refused keep bytes == 0. */
static bool assemble(struct sample *s, unsigned int n, const struct isa *isa)
{
	char path[] = "/tmp/isa_encodings.XXXXXX", cmd[320], line[512];
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	unsigned int at = n;

	if (!f)
		return false;
	for (unsigned int k = 0; k < n; k++)
		fprintf(f, "L%u:\n%s\n", k, s[k].text);
	fclose(f);
	snprintf(cmd, sizeof(cmd), ASSEMBLER, cpu(isa), attributes(isa), path);
	f = popen(cmd, "r");
	while (f && fgets(line, sizeof(line), f)) {
		const char *e = strstr(line, "encoding: [");

		if (line[0] == 'L') {
			at = strtoul(line + 1, NULL, 10);
			continue;
		}
		if (!e || at >= n)
			continue;
		for (e += 11; s[at].bytes < sizeof(s[at].code) && *e && *e != ']'; e += *e == ',') {
			char *end;

			s[at].code[s[at].bytes++] = strtoul(e, &end, 16);
			if (end == e)
				break;
			e = end;
		}
	}
	if (f)
		pclose(f);
	unlink(path);
	return at < n;
}

/* NULL, or what is wrong with the decoded sample. */
static const char *check(const struct sample *s, const struct isa *isa, char *text)
{
	struct insn i;
	u32 raw[INSN_DWORDS];

	memcpy(raw, s->code, sizeof(raw));
	if (isa_decode(&i, raw, isa)) {
		strcpy(text, "?");
		return "not decoded";
	}
	isa_print(&i, text, MAX_TEXT);
	if (i.len != s->bytes)
		return "another length";
	if (strcmp(text, s->text))
		return "another text";
	return i.row == s->row ? NULL : "another row";
}

static const char *const fmt_names[ISA_FMTS] = {
	"SOP1", "SOP2", "SOPK", "SOPC", "SOPP", "SMEM", "VOP1", "VOP2", "VOPC", "VOP3",
	"VOP3P", "DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF",
	"MTBUF", "VOPD",
};

static void check_isa(struct sample *s, const struct isa *isa)
{
	unsigned int n = 0, taken = 0;
	unsigned int bad[ISA_FMTS] = { 0 }, good[ISA_FMTS] = { 0 };
	bool has[ISA_FMTS] = { false };
	char what[96], text[MAX_TEXT];

	memset(s, 0, (size_t)isa->nrows * VARIANTS * sizeof(*s));
	for (unsigned int r = 0; r < isa->nrows; r++)
		for (unsigned int v = 0; v < VARIANTS; v++) {
			struct insn i;

			if (!isa_has(&isa->rows[r], isa) || !make(&i, &isa->rows[r], isa, v))
				continue;
			isa_print(&i, s[n].text, MAX_TEXT);
			has[isa->rows[r].fmt] = true;
			s[n].row = &isa->rows[r];
			s[n].basic = v == 0 || isa->rows[r].flags & F_MFMA ||
				     (isa->rdna && v == DPP_E32);
			n++;
		}
	snprintf(what, sizeof(what), "llvm-mc assembles the samples for %s", cpu(isa));
	ok(assemble(s, n, isa), what);
	for (unsigned int k = 0; k < n; k++) {
		enum isa_fmt f = s[k].row->fmt;
		const char *err = s[k].bytes ? check(&s[k], isa, text) :
				  s[k].basic ? "refused by the assembler" : NULL;

		taken += s[k].bytes != 0;
		if (!err) {
			good[f] += s[k].bytes != 0;
			continue;
		}
		bad[f]++;
		printf("# %s: %s", s[k].text, err);
		if (s[k].bytes)
			printf(": %s", text);
		printf("\n");
	}
	for (unsigned int f = 0; f < ISA_FMTS; f++) {
		if (!has[f])
			continue;
		snprintf(what, sizeof(what), "%s: %s: %u encodings read back", cpu(isa),
			 fmt_names[f], good[f]);
		ok(good[f] && !bad[f], what);
	}
	/* Refusals are for forms that an instruction does not have: a minority. */
	snprintf(what, sizeof(what), "%u of %u samples are instructions", taken, n);
	ok(taken * 4 > n * 3, what);
}

int main(void)
{
	struct sample *s = calloc((size_t)isa_gfx90a.nrows * VARIANTS, sizeof(*s));

	if (!s)
		return 1;
	check_isa(s, &isa_gfx90a);
	check_isa(s, &isa_gfx942);
	check_isa(s, &isa_gfx1100);
	check_isa(s, &isa_gfx1100_wave64);
	free(s);
	return tap_done();
}
