/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the wave code: decoded instructions, the instruction table, and
 * what the semantic functions (isa_*.c) share.
 *
 * A family of instruction sets has a folder with its table, decoder and printer. One
 * row of a table is one instruction. The row's format says where the encoding keeps
 * the operands, its operand types say how wide they are and how constants and
 * modifiers apply, its function does the work: that families share (fns.def).
 */
#ifndef GPU_MODEL_ISA_H
#define GPU_MODEL_ISA_H

#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif
#include "isa/wave.h"

/* Encoding formats, by the names of AMD's ISA documents. */
enum isa_fmt {
	SOP1, SOP2, SOPK, SOPC, SOPP, SMEM,
	VOP1, VOP2, VOPC, VOP3, VOP3P,
	DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, VOPD,
	ISA_FMTS
};

/* Operand types: width, and how constants and modifiers are read. */
enum isa_type {
	NIL,
	B16, I16, U16, F16,
	B32, I32, U32, F32,
	V2H, V2I,		/* packed halves: two f16, two 16-bit integers */
	B64, I64, U64, F64,
	V2S,			/* packed f32 or b32 */
	B96, B128, B256, B512, B1024,
	ISA_TYPES
};

/* Row flags. */
#define F_SDST		(1u << 0)	/* destination is a scalar register */
#define F_CO		(1u << 1)	/* carry (or flag) out, a lane mask */
#define F_CI		(1u << 2)	/* carry in, a lane mask */
#define F_MK		(1u << 3)	/* literal is the second source */
#define F_AK		(1u << 4)	/* literal is the third source */
#define F_KEEP16	(1u << 5)	/* op_sel: the other half of dst is kept */
#define F_ACC_D		(1u << 6)	/* destination is an accumulation register */
#define F_ACC_S		(1u << 7)	/* so is the source */
#define F_IMM		(1u << 8)	/* has a 16-bit immediate */
#define F_BRANCH	(1u << 9)	/* the immediate is a branch distance */
#define F_MFMA		(1u << 10)	/* matrix instruction */
#define F_OFF2		(1u << 11)	/* two 8-bit offsets (DS) */
#define F_STORE		(1u << 12)	/* data operand is read, not written */
#define F_ATOMIC	(1u << 13)	/* data read, old value returned with glc */
#define F_DACC		(1u << 14)	/* destination is also the last source */
#define F_NOPERAND	(1u << 15)	/* memory format without operands */
#define F_GDS		(1u << 16)	/* global data share (ordering only) */
#define F_E32		(1u << 17)	/* VOP1 or VOP2 without VOP3 form */
#define F_SDATA		(1u << 18)	/* SMEM: data is read */
#define F_HALVES	(1u << 19)	/* 16-bit operands chosen by op_sel (mix) */
#define F_90A		(1u << 20)	/* of gfx90a alone */
#define F_942		(1u << 21)	/* of gfx942 alone */
#define F_BYTE		(1u << 22)	/* op_sel: the other bytes of dst are kept */
#define F_LAST		(1u << 23)	/* of a run: it goes elsewhere, stops or changes MODE */
#define F_MSG		(1u << 24)	/* the source field is a message's number */
#define F_ADDTID	(1u << 25)	/* the address is the lane's, from a scalar one */
#define F_NODPP		(1u << 26)	/* of RDNA: no DPP form, though nothing has 64 bits */

struct ctx;
struct insn;

/* Executes one instruction for a wave. WAVE_BUDGET: go on. */
typedef enum wave_stop (*isa_fn)(struct ctx *c, const struct insn *i);

/* The semantic functions by number; many rows share one. */
#define F(fn)	FN_##fn,
enum isa_fn_id {
#include "fns.def"
	ISA_FNS
};
#undef F

/**
 * struct isa_row - one instruction
 * @fmt: @op:	encoding format and opcode in it
 * @name:	mnemonic, without encoding suffix
 * @fn:		semantic function (enum isa_fn_id)
 * @dst: @src:	operand types, NIL when absent
 * @flags:	F_*
 * @arg:	parameter of a semantic function that several rows share
 */
struct isa_row {
	u8 fmt;
	u16 op;
	const char *name;
	u16 fn;
	u8 dst;
	u8 src[3];
	u32 flags;
	u32 arg;
};

/*
 * The semantic functions are built several times (Makefile). All but the reference, which
 * is the first, have symbols that end in the name of the build.
 */
#ifdef BUILD
#define NAMED(symbol)	__asm__(#symbol "." BUILD)
#else
#define NAMED(symbol)
#endif

/**
 * struct isa_build - the semantic functions as they were built for some hosts
 * @name:	for people
 * @fn:		by enum isa_fn_id
 */
struct isa_build {
	const char *name;
	const isa_fn *fn;
};

/* Those that this host can execute: the reference first, the fastest last. */
const struct isa_build *isa_builds(unsigned int *n);

/* Is it the reference? Then nothing is done in another way because that is faster. */
#ifdef BUILD
#define REFERENCE	false
#else
#define REFERENCE	true
#endif

/* Operand space of struct insn: the encoding's 9 bits, and 512.. for acc registers. */
#define OP_VGPR		256
#define OP_ACC		512
#define OP_LITERAL	255
#define OP_NONE		0xffff

enum isa_enc { ENC_BASE, ENC_VOP3, ENC_SDWA, ENC_DPP, ENC_VOP3_DPP };

/* Of struct insn.dpp_ctrl: it is eight selects of three bits, one for each lane of eight. */
#define DPP8		(1u << 24)

/**
 * struct insn - a decoded instruction; depends on its raw dwords and @isa alone
 * @fn:		what executes it, of one build
 * @isa:	instruction set
 * @what:	row->fn, or that of an instruction that is refused (enum isa_fn_id)
 * @raw: @len:	how the encoding begins; @len in bytes, of all of it
 * @to_next:	bytes from here to the next one, of a page's
 * @dst: @sdst: @src: operands; @sdst takes a mask or carry
 * @simm:	immediate or offset, sign-extended
 * @simm2:	second offset (DS), formats of data and numbers (MTBUF)
 * @value:	sources that are constants, by
 * @constant:	bit n: source n is one
 * @plain:	bit n: source n is a VGPR read without any modifier
 * @uniform:	bit n: so is a scalar of 32 bits
 * @direct:	the result may be written to the VGPR as computed
 * @simple:	likewise, of sources that are plain or uniform, and not clamped
 * @dpp_ctrl:	DPP16's control, or DPP8 and selects
 * @fetch_inactive: DPP reads lanes whose EXEC is off, too
 * @vmax: @amax: highest VGPR and acc register used plus one
 */
struct insn {
	isa_fn fn;
	const struct isa *isa;
	const struct isa_row *row;
	u32 raw[2];
	u8 len;
	u8 enc;
	u16 what;
	u16 to_next;
	u16 dst, sdst;
	u16 src[3];
	u32 literal;
	u32 value[3];
	s32 simm;
	u8 simm2;
	u8 abs, neg, neg_hi, op_sel, op_sel_hi;
	u8 omod;
	bool clamp;
	u8 plain, uniform, constant;
	bool direct, simple;
	u16 vmax, amax;
	u8 sel[2], dst_sel, dst_unused;		/* SDWA */
	bool sext[2];
	u32 dpp_ctrl;
	u8 row_mask, bank_mask;
	bool bound_ctrl, fetch_inactive;
	bool glc, slc, scc, offen, idxen, lds, gds;
	u16 saddr;				/* SGPR or OP_NONE */
	u16 soffset;				/* SMEM, MUBUF */
};

/**
 * isa_decode() - decode one instruction
 * @i:		out
 * @raw:	as many dwords as the longest has; junk may follow a short one
 * @isa:	instruction set
 *
 * Return: 0; -ENOENT when no row fits (@i->row is NULL, @i->len a guess);
 * -EINVAL when a scalar operand leaves the register file.
 */
static inline int isa_decode(struct insn *i, const u32 raw[INSN_DWORDS], const struct isa *isa)
{
	return isa->decode(i, raw, isa);
}

/* The same for a wave that sees @mem: it executes its build's functions. */
int isa_decode_for(struct insn *i, const u32 raw[INSN_DWORDS], const struct wave_mem *mem);

/* Does that instruction set have the row? */
static inline bool isa_has(const struct isa_row *r, const struct isa *isa)
{
	return !(r->flags & isa->without);
}

/* Text as LLVM's assembler reads it, of an instruction with a row; always terminated. */
static inline void isa_print(const struct insn *i, char *buf, size_t size)
{
	i->isa->print(i, buf, size);
}

/* Registers of a type. */
static inline unsigned int isa_type_dwords(enum isa_type t)
{
	static const u8 dwords[ISA_TYPES] = {
		[B16 ... V2I] = 1, [B64 ... V2S] = 2, [B96] = 3, [B128] = 4, [B256] = 8,
		[B512] = 16, [B1024] = 32,
	};

	return dwords[t];
}

static inline bool is_16bit(enum isa_type t)
{
	return t >= B16 && t <= F16;
}

/* Type of source @n, which may be the destination itself. */
static inline enum isa_type source_type(const struct isa_row *r, unsigned int n)
{
	return n == 2 && r->flags & F_DACC ? r->dst : r->src[n];
}

static inline bool is_dpp(const struct insn *i)
{
	return i->enc == ENC_DPP || i->enc == ENC_VOP3_DPP;
}

/* To the host's vectors, as VGPRs are. */
#define ALIGNED	__attribute__((aligned(64)))

/**
 * struct ctx - state of wave_run() that lives between instructions
 * @w:		the wave
 * @file:	its vector registers: architectural, accumulation
 * @next_pc:	where the wave goes on; branches change it
 * @lane_exec:	value of EXEC that @lane_mask was made for
 * @lane_mask:	all ones in active lanes
 * @dpp_mask:	lanes that the DPP controls of this instruction leave writable
 * @tmp:	source operands that had to be built
 * @out:	results that need blending or conversion
 */
struct ctx {
	struct wave *w;
	u32 (*file[2])[LANES];
	u64 next_pc;
	u64 lane_exec;
	u64 dpp_mask;
	u32 lane_mask[LANES] ALIGNED;
	u32 tmp[3][2][LANES] ALIGNED;
	u32 out[4][LANES] ALIGNED;
};

#define LANE	for (unsigned int l = 0; l < LANES; l++)

/* The lanes of a register are independent: in-place operation is safe to vectorise. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"	/* some loops are not worth it */
#define IVDEP	_Pragma("clang loop vectorize(assume_safety)")
#else
#define IVDEP	_Pragma("GCC ivdep")
#endif
#define VLOOP(n, count)	IVDEP for (unsigned int n = 0; n < (count); n++)
#define VLANE	VLOOP(l, LANES)
#define NOINLINE __attribute__((noinline))

/* Bit n is the sign of lane n. */
static inline u64 mask_pack(const u32 in[LANES])
{
	u64 m = 0;

#ifdef __AVX2__
	for (unsigned int n = 0; n < LANES / 8; n++) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(in + 8 * n));

		m |= (u64)_mm256_movemask_ps(_mm256_castsi256_ps(v)) << 8 * n;
	}
#elif defined(__SSE2__)
	for (unsigned int n = 0; n < LANES / 4; n++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(in + 4 * n));

		m |= (u64)_mm_movemask_ps(_mm_castsi128_ps(v)) << 4 * n;
	}
#else
	LANE
		m |= (u64)(in[l] >> 31) << l;
#endif
	return m;
}

static inline u64 sgpr64(const struct wave *w, unsigned int n)
{
	return w->sgpr[n] | (u64)w->sgpr[n + 1] << 32;
}

static inline void set_sgpr64(struct wave *w, unsigned int n, u64 v)
{
	w->sgpr[n] = v;
	w->sgpr[n + 1] = v >> 32;
}

/* The mask of a register's lanes. A wave of fewer uses the lower ones. */
#define ALL_LANES	(~0ull >> (64 - LANES))

/* A mask of the wave's lanes: two scalar registers, or one of a wave of 32. */
static inline u64 get_mask(const struct wave *w, unsigned int n)
{
	return sgpr64(w, n) & w->all;
}

static inline void set_mask(struct wave *w, unsigned int n, u64 mask)
{
	w->sgpr[n] = mask;
	if (w->lanes > 32)
		w->sgpr[n + 1] = mask >> 32;
}

static inline u64 wave_exec(const struct wave *w)
{
	return get_mask(w, SGPR_EXEC);
}

/* MODE register fields; those for 64 bits are for 16, too ("MI200 ISA" 6.4). */
enum round { ROUND_NEAREST, ROUND_UP, ROUND_DOWN, ROUND_ZERO };
#define MODE_ROUND32(m)		((m) & 3)
#define MODE_ROUND64(m)		((m) >> 2 & 3)
#define MODE_DENORM32(m)	((m) >> 4 & 3)	/* bit 0: inputs kept, bit 1: results kept */
#define MODE_DENORM64(m)	((m) >> 6 & 3)
#define MODE_DX10_CLAMP		(1u << 8)
#define MODE_IEEE		(1u << 9)
#define MODE_FP16_OVFL		(1u << 23)	/* of 8-bit floats: what overflows is clamped */

/*
 * What a float result is multiplied by, in place of its output modifier. That is ignored in
 * IEEE mode, and where MODE (@denorm) keeps subnormal results; where it is not, none is left,
 * nor a -0 ("MI200 ISA" 6.2.2).
 */
static inline float omod_factor(const struct wave *w, const struct insn *i, unsigned int denorm)
{
	static const float factor[4] = { 1.0f, 2.0f, 4.0f, 0.5f };

	return w->mode & MODE_IEEE || denorm & 2 ? 1.0f : factor[i->omod];
}

/* operand.c: scalar values, vector sources and results. */
u32 ssrc32_build(struct ctx *c, const struct insn *i, unsigned int n) NAMED(ssrc32_build);
u64 ssrc64(struct ctx *c, const struct insn *i, unsigned int n) NAMED(ssrc64);
/* The value of @op when that is a constant, of the instruction or of all. */
bool constant(const struct insn *i, unsigned int op, enum isa_type t, u64 *v) NAMED(constant);
u32 scalar_value(struct ctx *c, const struct insn *i, unsigned int op) NAMED(scalar_value);
const u32 *vsrc_build(struct ctx *c, const struct insn *i, unsigned int n) NAMED(vsrc_build);
void vput(struct ctx *c, const struct insn *i, unsigned int dwords) NAMED(vput);
const u32 *lane_masks(struct ctx *c) NAMED(lane_masks);
void mask_expand(u32 out[LANES], u64 mask) NAMED(mask_expand);

/* The vector register of an operand. */
static inline u32 *vreg(const struct ctx *c, unsigned int op)
{
	return c->file[op / OP_ACC][op % OP_VGPR];
}

static inline u32 ssrc32(struct ctx *c, const struct insn *i, unsigned int n)
{
	if (i->src[n] < MAX_SGPRS)
		return c->w->sgpr[i->src[n]];
	return i->constant >> n & 1 ? i->value[n] : ssrc32_build(c, i, n);
}

static inline void sdst32(struct ctx *c, const struct insn *i, u32 v)
{
	c->w->sgpr[i->dst] = v;
}

static inline void sdst64(struct ctx *c, const struct insn *i, u64 v)
{
	set_sgpr64(c->w, i->dst, v);
}

/* Source @n as 64 dwords (low ones of a 64-bit source; high ones: vsrc_hi()). */
static inline const u32 *vsrc(struct ctx *c, const struct insn *i, unsigned int n)
{
	if (i->plain >> n & 1)
		return vreg(c, i->src[n]);
	if (i->uniform >> n & 1) {
		u32 v = ssrc32(c, i, n);

		LANE
			c->tmp[n][0][l] = v;
		return c->tmp[n][0];
	}
	return vsrc_build(c, i, n);
}

/* After vsrc(): the high dwords. */
static inline const u32 *vsrc_hi(struct ctx *c, const struct insn *i, unsigned int n)
{
	if (i->plain >> n & 1)
		return vreg(c, i->src[n] + 1);
	return c->tmp[n][1];
}

/* Where to compute the result: in place, when all lanes are written. */
static inline u32 *vdst(struct ctx *c, const struct insn *i)
{
	if (i->direct && wave_exec(c->w) == c->w->all)
		return vreg(c, i->dst);
	return c->out[0];
}

/* Is it of registers and scalars, for all lanes? Then it may be computed in place. */
static inline bool in_place(const struct ctx *c, const struct insn *i)
{
	return !REFERENCE && i->simple && wave_exec(c->w) == c->w->all;
}

/* Then, a source that is the same for all lanes. */
static inline u32 uniform(const struct ctx *c, const struct insn *i, unsigned int n)
{
	return i->src[n] < MAX_SGPRS ? c->w->sgpr[i->src[n]] : i->value[n];
}

/* And one that may be, as a register. */
static inline const u32 *in_place_src(struct ctx *c, const struct insn *i, unsigned int n)
{
	u32 v;

	if (i->plain >> n & 1)
		return vreg(c, i->src[n]);
	v = uniform(c, i, n);
	LANE
		c->tmp[n][0][l] = v;
	return c->tmp[n][0];
}

static inline void vdone(struct ctx *c, const struct insn *i, const u32 *d)
{
	if (d == c->out[0])
		vput(c, i, 1);
}

/* The same for results of two dwords: high half @hi of what vdst() returned. */
static inline u32 *vdst_hi(struct ctx *c, const struct insn *i, const u32 *lo)
{
	return lo == c->out[0] ? c->out[1] : vreg(c, i->dst + 1);
}

static inline void vdone64(struct ctx *c, const struct insn *i, const u32 *lo)
{
	if (lo == c->out[0])
		vput(c, i, 2);
}

/* Lanes that a vector instruction acts on. */
static inline u64 active_lanes(const struct ctx *c, const struct insn *i)
{
	u64 m = wave_exec(c->w);

	return is_dpp(i) ? m & c->dpp_mask : m;
}

static inline u64 carry_in(struct ctx *c, const struct insn *i)
{
	return i->src[2] < MAX_SGPRS ? get_mask(c->w, i->src[2]) : ssrc64(c, i, 2);
}

/* float.c: a single-precision source with subnormals flushed. */
const u32 *vsrc_f32_flushed(struct ctx *c, const struct insn *i, unsigned int n)
	NAMED(vsrc_f32_flushed);

/* The same if MODE says so. */
static inline const u32 *vsrc_f32(struct ctx *c, const struct insn *i, unsigned int n)
{
	if (MODE_DENORM32(c->w->mode) & 1)
		return vsrc(c, i, n);
	return vsrc_f32_flushed(c, i, n);
}

/* wave.c: log why an instruction is not executed. */
void complain(const struct wave *w, const struct insn *i, const char *what);

/* mem.c: translation for one wave. */
u8 *wave_ptr(struct ctx *c, u64 va, bool write, size_t *span) NAMED(wave_ptr);

/* Bit casts. */
static inline float u2f(u32 v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static inline u32 f2u(float f)
{
	u32 v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static inline double u2d(u64 v)
{
	double d;

	memcpy(&d, &v, sizeof(d));
	return d;
}

static inline u64 d2u(double d)
{
	u64 v;

	memcpy(&v, &d, sizeof(v));
	return v;
}

static inline u64 join(u32 lo, u32 hi)
{
	return lo | (u64)hi << 32;
}

/* Arguments of the rows. */
#define CMPX		16		/* compare writes EXEC too */
#define M_BYTES(a)	((a) & 0xff)	/* size of a memory element */
#define M_SEXT		(1u << 8)	/* sign-extended */
#define M_D16		(1u << 9)	/* to half a register; SRAM-ECC has the other zeroed */
#define M_HI		(1u << 10)	/* the high half */
#define M_KEEP		(1u << 11)	/* without SRAM-ECC: the other half is kept */
#define A_64		(1u << 8)	/* atomic of 64 bits (not DS: by type there) */

/* A resource of the global wave sync: a flag; the rest is the count. */
#define GWS_FLAG	(1u << 31)

enum isa_atomic {
	A_SWAP, A_CMPSWAP, A_ADD, A_SUB, A_RSUB, A_SMIN, A_UMIN, A_SMAX, A_UMAX,
	A_AND, A_OR, A_XOR, A_INC, A_DEC, A_FADD, A_FMIN, A_FMAX, A_PKADD,
	A_PKADD_BF16, A_MSKOR, A_DSCMP, A_DSFCMP, A_WRAP,
};

/* atomic.c: value after an atomic; the same on host memory, returning the old one. */
u64 atomic_result(enum isa_atomic op, u64 old, u64 data, u64 cmp, bool wide) NAMED(atomic_result);
u64 atomic_host(void *p, enum isa_atomic op, u64 data, u64 cmp, bool wide) NAMED(atomic_host);

/* Loaded memory @v as row argument @arg says, for a register that holds @old. */
static inline u32 mem_extend(u32 arg, u32 v, u32 old)
{
	if (arg & M_SEXT)
		v = M_BYTES(arg) == 1 ? (u32)(int8_t)v : (u32)(int16_t)v;
	if (arg & M_D16) {
		v &= 0xffff;
		v = arg & M_HI ? v << 16 : v;
		if (arg & M_KEEP)
			v |= old & (arg & M_HI ? 0xffff : 0xffff0000);
	}
	return v;
}

/* Element types of matrix instructions; of bf16, CDNA2 adds two or four products at once. */
enum mm_type { MM_F32, MM_F64, MM_F16, MM_BF16, MM_BF16_1K, MM_XF32, MM_I8, MM_FP8, MM_BF8 };

/*
 * @blocks matrices A of @n by @k elements of type @a, as many B of @k by @n of type @b;
 * matrix.h takes it apart.
 */
#define MM_ARG(n, k, blocks, a, b) \
	((n) | (k) << 6 | (blocks) << 13 | MM_##a << 18 | MM_##b << 22)
#define MM_SPARSE	(1u << 26)

/* The formats of 8-bit floats, by the bits of their mantissa. */
#define FP8_MAN		3
#define BF8_MAN		2

#define X(name)	enum wave_stop name(struct ctx *c, const struct insn *i)
#define F(fn)	X(fn) NAMED(fn);
#include "fns.def"
#undef F

#endif
