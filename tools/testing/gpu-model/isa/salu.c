// SPDX-License-Identifier: GPL-2.0
/* Scalar instructions: arithmetic, compares, program flow, hardware registers. */
#include "isa.h"
#include "host/params.h"

#define DST32(v)	sdst32(c, i, (v))
#define DST64(v)	sdst64(c, i, (v))
#define SCC(v)		(c->w->scc = (v))

/* Two 32-bit sources a and b; the statement sets the result. */
#define S2(name, ...) \
X(name) \
{ \
	u32 a = ssrc32(c, i, 0), b = ssrc32(c, i, 1); \
	__VA_ARGS__ \
	return WAVE_BUDGET; \
}

#define S2_64(name, ...) \
X(name) \
{ \
	u64 a = ssrc64(c, i, 0), b = ssrc64(c, i, 1); \
	__VA_ARGS__ \
	return WAVE_BUDGET; \
}

/* A 64-bit source and a 32-bit one. */
#define S2_SHIFT(name, ...) \
X(name) \
{ \
	u64 a = ssrc64(c, i, 0); \
	u32 b = ssrc32(c, i, 1); \
	__VA_ARGS__ \
	return WAVE_BUDGET; \
}

#define S1(name, ...) \
X(name) \
{ \
	u32 a = ssrc32(c, i, 0); \
	__VA_ARGS__ \
	return WAVE_BUDGET; \
}

#define S1_64(name, ...) \
X(name) \
{ \
	u64 a = ssrc64(c, i, 0); \
	__VA_ARGS__ \
	return WAVE_BUDGET; \
}

/* No sources of interest. */
#define S0(name, ...) \
X(name) \
{ \
	(void)c; \
	(void)i; \
	__VA_ARGS__ \
	return WAVE_BUDGET; \
}

static bool add_overflows(u32 a, u32 b, u32 r)
{
	return ~(a ^ b) & (a ^ r) & 0x80000000;
}

static bool sub_overflows(u32 a, u32 b, u32 r)
{
	return (a ^ b) & (a ^ r) & 0x80000000;
}

S2(x_s_add_u32, u32 r = a + b; SCC(r < a); DST32(r);)
S2(x_s_sub_u32, SCC(b > a); DST32(a - b);)
S2(x_s_add_i32, u32 r = a + b; SCC(add_overflows(a, b, r)); DST32(r);)
S2(x_s_sub_i32, u32 r = a - b; SCC(sub_overflows(a, b, r)); DST32(r);)
S2(x_s_addc_u32, u64 r = (u64)a + b + c->w->scc; SCC(r >> 32); DST32(r);)
S2(x_s_subb_u32, u64 s = (u64)b + c->w->scc; u32 r = a - s; SCC(s > a); DST32(r);)
S2(x_s_min_i32, SCC((s32)a < (s32)b); DST32(c->w->scc ? a : b);)
S2(x_s_min_u32, SCC(a < b); DST32(c->w->scc ? a : b);)
S2(x_s_max_i32, SCC((s32)a > (s32)b); DST32(c->w->scc ? a : b);)
S2(x_s_max_u32, SCC(a > b); DST32(c->w->scc ? a : b);)
S2(x_s_cselect_b32, DST32(c->w->scc ? a : b);)
S2_64(x_s_cselect_b64, DST64(c->w->scc ? a : b);)

#define LOGIC(op, expr) \
S2(x_s_##op##_b32, u32 r = (expr); SCC(r != 0); DST32(r);) \
S2_64(x_s_##op##_b64, u64 r = (expr); SCC(r != 0); DST64(r);)

LOGIC(and, a & b)
LOGIC(or, a | b)
LOGIC(xor, a ^ b)
LOGIC(andn2, a & ~b)
LOGIC(orn2, a | ~b)
LOGIC(nand, ~(a & b))
LOGIC(nor, ~(a | b))
LOGIC(xnor, ~(a ^ b))

S2(x_s_lshl_b32, u32 r = a << (b & 31); SCC(r != 0); DST32(r);)
S2(x_s_lshr_b32, u32 r = a >> (b & 31); SCC(r != 0); DST32(r);)
S2(x_s_ashr_i32, u32 r = (s32)a >> (b & 31); SCC(r != 0); DST32(r);)
S2_SHIFT(x_s_lshl_b64, u64 r = a << (b & 63); SCC(r != 0); DST64(r);)
S2_SHIFT(x_s_lshr_b64, u64 r = a >> (b & 63); SCC(r != 0); DST64(r);)
S2_SHIFT(x_s_ashr_i64, u64 r = (s64)a >> (b & 63); SCC(r != 0); DST64(r);)
S2(x_s_bfm_b32, DST32(((1u << (a & 31)) - 1) << (b & 31));)
S2(x_s_bfm_b64, DST64(((1ull << (a & 63)) - 1) << (b & 63));)
S2(x_s_mul_i32, DST32(a * b);)
S2(x_s_mul_hi_u32, DST32((u64)a * b >> 32);)
S2(x_s_mul_hi_i32, DST32((s64)(s32)a * (s32)b >> 32);)

/* Bit field: offset in bits 4:0 (5:0), width in 22:16. */
static u64 bfe(u64 a, u32 b, unsigned int bits, bool sign)
{
	unsigned int off = b & (bits - 1), width = b >> 16 & 0x7f;
	u64 r;

	if (!width)
		return 0;
	if (bits == 32)
		a = sign ? (u64)(s64)(s32)a : (u32)a;
	r = sign ? (u64)((s64)a >> off) : a >> off;
	if (width >= bits)
		return r;
	r <<= 64 - width;
	return sign ? (u64)((s64)r >> (64 - width)) : r >> (64 - width);
}

S2(x_s_bfe_u32, u32 r = bfe(a, b, 32, false); SCC(r != 0); DST32(r);)
S2(x_s_bfe_i32, u32 r = bfe(a, b, 32, true); SCC(r != 0); DST32(r);)
S2_SHIFT(x_s_bfe_u64, u64 r = bfe(a, b, 64, false); SCC(r != 0); DST64(r);)
S2_SHIFT(x_s_bfe_i64, u64 r = bfe(a, b, 64, true); SCC(r != 0); DST64(r);)

S2(x_s_absdiff_i32, u32 d = a - b; u32 r = (s32)d < 0 ? -d : d; SCC(r != 0); DST32(r);)

#define LSHL_ADD(n) \
S2(x_s_lshl##n##_add_u32, u64 r = ((u64)a << n) + b; SCC(r >> 32 != 0); DST32(r);)
LSHL_ADD(1)
LSHL_ADD(2)
LSHL_ADD(3)
LSHL_ADD(4)

S2(x_s_pack_ll_b32_b16, DST32((a & 0xffff) | b << 16);)
S2(x_s_pack_lh_b32_b16, DST32((a & 0xffff) | (b & 0xffff0000));)
S2(x_s_pack_hh_b32_b16, DST32(a >> 16 | (b & 0xffff0000));)

S1(x_s_mov_b32, DST32(a);)
S1_64(x_s_mov_b64, DST64(a);)
S1(x_s_cmov_b32, DST32(c->w->scc ? a : c->w->sgpr[i->dst]);)
S1_64(x_s_cmov_b64, DST64(c->w->scc ? a : sgpr64(c->w, i->dst));)
S1(x_s_not_b32, SCC(~a != 0); DST32(~a);)
S1_64(x_s_not_b64, SCC(~a != 0); DST64(~a);)

/* Each quad becomes all ones if any of its bits is set. */
static u64 wqm(u64 a)
{
	u64 q = (a | a >> 1 | a >> 2 | a >> 3) & 0x1111111111111111;

	return q * 15;
}

static u64 quadmask(u64 a)
{
	u64 r = 0;

	for (unsigned int n = 0; n < 16; n++)
		r |= (u64)((a >> 4 * n & 15) != 0) << n;
	return r;
}

static u64 reverse(u64 a)
{
	u64 r = 0;

	for (unsigned int n = 0; n < 64; n++)
		r |= (a >> n & 1) << (63 - n);
	return r;
}

S1(x_s_wqm_b32, u32 r = wqm(a); SCC(r != 0); DST32(r);)
S1_64(x_s_wqm_b64, u64 r = wqm(a); SCC(r != 0); DST64(r);)
S1(x_s_quadmask_b32, u32 r = quadmask(a); SCC(r != 0); DST32(r);)
S1_64(x_s_quadmask_b64, u64 r = quadmask(a); SCC(r != 0); DST64(r);)
S1(x_s_brev_b32, DST32(reverse(a) >> 32);)
S1_64(x_s_brev_b64, DST64(reverse(a));)
S1(x_s_bcnt0_i32_b32, u32 r = __builtin_popcount(~a); SCC(r != 0); DST32(r);)
S1_64(x_s_bcnt0_i32_b64, u32 r = __builtin_popcountll(~a); SCC(r != 0); DST32(r);)
S1(x_s_bcnt1_i32_b32, u32 r = __builtin_popcount(a); SCC(r != 0); DST32(r);)
S1_64(x_s_bcnt1_i32_b64, u32 r = __builtin_popcountll(a); SCC(r != 0); DST32(r);)
S1(x_s_ff0_i32_b32, DST32(~a ? __builtin_ctz(~a) : -1);)
S1_64(x_s_ff0_i32_b64, DST32(~a ? __builtin_ctzll(~a) : -1);)
S1(x_s_ff1_i32_b32, DST32(a ? __builtin_ctz(a) : -1);)
S1_64(x_s_ff1_i32_b64, DST32(a ? __builtin_ctzll(a) : -1);)
S1(x_s_flbit_i32_b32, DST32(a ? __builtin_clz(a) : -1);)
S1_64(x_s_flbit_i32_b64, DST32(a ? __builtin_clzll(a) : -1);)
/* Leading bits equal to the sign. */
S1(x_s_flbit_i32, u32 v = (s32)a < 0 ? ~a : a; DST32(v ? __builtin_clz(v) : -1);)
S1_64(x_s_flbit_i32_i64, u64 v = (s64)a < 0 ? ~a : a; DST32(v ? __builtin_clzll(v) : -1);)
S1(x_s_sext_i32_i8, DST32((s32)(int8_t)a);)
S1(x_s_sext_i32_i16, DST32((s32)(int16_t)a);)
S1(x_s_bitset0_b32, DST32(c->w->sgpr[i->dst] & ~(1u << (a & 31)));)
S1(x_s_bitset1_b32, DST32(c->w->sgpr[i->dst] | 1u << (a & 31));)
S1(x_s_bitset0_b64, DST64(sgpr64(c->w, i->dst) & ~(1ull << (a & 63)));)
S1(x_s_bitset1_b64, DST64(sgpr64(c->w, i->dst) | 1ull << (a & 63));)
S1(x_s_abs_i32, u32 r = (s32)a < 0 ? -a : a; SCC(r != 0); DST32(r);)

static u64 replicate(u32 a)
{
	u64 r = 0;

	for (unsigned int n = 0; n < 32; n++)
		r |= (a >> n & 1 ? 3ull : 0) << 2 * n;
	return r;
}

S1(x_s_bitreplicate_b64_b32, DST64(replicate(a));)

/* dst = EXEC; EXEC = expr of a (source) and e (EXEC). */
#define SAVEEXEC(op, expr) \
S1_64(x_s_##op##_saveexec_b64, \
	u64 e = wave_exec(c->w); u64 r = (expr); \
	DST64(e); set_sgpr64(c->w, SGPR_EXEC, r); SCC(r != 0);)
SAVEEXEC(and, a & e)
SAVEEXEC(or, a | e)
SAVEEXEC(xor, a ^ e)
SAVEEXEC(andn2, a & ~e)
SAVEEXEC(orn2, a | ~e)
SAVEEXEC(nand, ~(a & e))
SAVEEXEC(nor, ~(a | e))
SAVEEXEC(xnor, ~(a ^ e))
SAVEEXEC(andn1, ~a & e)
SAVEEXEC(orn1, ~a | e)

#define WREXEC(op, expr) \
S1_64(x_s_##op##_wrexec_b64, \
	u64 e = wave_exec(c->w); u64 r = (expr); \
	set_sgpr64(c->w, SGPR_EXEC, r); DST64(r); SCC(r != 0);)
WREXEC(andn1, ~a & e)
WREXEC(andn2, a & ~e)

/*
 * M0 offsets the register number; the sum must stay below the registers with
 * names, but for trap handlers, which save these too.
 */
static bool movrel(struct ctx *c, unsigned int base, unsigned int dwords, unsigned int *reg)
{
	u32 end = c->w->status & STATUS_PRIV ? SAVED_SGPRS : c->w->mem->isa->sgprs;

	*reg = base + c->w->sgpr[SGPR_M0];
	return *reg <= end - dwords && *reg >= base;
}

#define MOVREL(name, dwords, base, get) \
X(name) \
{ \
	unsigned int r; \
 \
	if (!movrel(c, base, dwords, &r)) \
		return x_unsupported(c, i); \
	get; \
	return WAVE_BUDGET; \
}
MOVREL(x_s_movrels_b32, 1, i->src[0], DST32(c->w->sgpr[r]))
MOVREL(x_s_movrels_b64, 2, i->src[0], DST64(sgpr64(c->w, r)))
MOVREL(x_s_movreld_b32, 1, i->dst, c->w->sgpr[r] = ssrc32(c, i, 0))
MOVREL(x_s_movreld_b64, 2, i->dst, set_sgpr64(c->w, r, ssrc64(c, i, 0)))

#define CMP(name, type, op) \
S2(x_s_cmp_##name, SCC((type)a op (type)b);) \
S1(x_s_cmpk_##name, SCC((type)a op (type)IMM_##type(i));)
#define IMM_s32(i)	((i)->simm)
#define IMM_u32(i)	((u32)(uint16_t)(i)->simm)
CMP(eq_i32, s32, ==)
CMP(lg_i32, s32, !=)
CMP(gt_i32, s32, >)
CMP(ge_i32, s32, >=)
CMP(lt_i32, s32, <)
CMP(le_i32, s32, <=)
CMP(eq_u32, u32, ==)
CMP(lg_u32, u32, !=)
CMP(gt_u32, u32, >)
CMP(ge_u32, u32, >=)
CMP(lt_u32, u32, <)
CMP(le_u32, u32, <=)
S2_64(x_s_cmp_eq_u64, SCC(a == b);)
S2_64(x_s_cmp_lg_u64, SCC(a != b);)
S2(x_s_bitcmp0_b32, SCC(!(a >> (b & 31) & 1));)
S2(x_s_bitcmp1_b32, SCC(a >> (b & 31) & 1);)
S2_SHIFT(x_s_bitcmp0_b64, SCC(!(a >> (b & 63) & 1));)
S2_SHIFT(x_s_bitcmp1_b64, SCC(a >> (b & 63) & 1);)

S0(x_s_movk_i32, DST32(i->simm);)
S0(x_s_cmovk_i32, DST32(c->w->scc ? (u32)i->simm : c->w->sgpr[i->dst]);)
S0(x_s_addk_i32,
	u32 a = c->w->sgpr[i->dst], r = a + i->simm;

	SCC(add_overflows(a, i->simm, r));
	DST32(r);)
S0(x_s_mulk_i32, DST32(c->w->sgpr[i->dst] * (u32)i->simm);)

/* Program flow. Distances count dwords from the next instruction. */
static void branch_if(struct ctx *c, const struct insn *i, bool cond)
{
	if (cond)
		c->next_pc += (s64)i->simm * 4;
}

#define BRANCH(name, cond) S0(x_s_cbranch_##name, branch_if(c, i, cond);)
S0(x_s_branch, branch_if(c, i, true);)
BRANCH(scc0, !c->w->scc)
BRANCH(scc1, c->w->scc)
BRANCH(vccz, !get_mask(c->w, SGPR_VCC))
BRANCH(vccnz, get_mask(c->w, SGPR_VCC))
BRANCH(execz, !wave_exec(c->w))
BRANCH(execnz, wave_exec(c->w))
S0(x_s_getpc_b64, DST64(c->next_pc);)
S0(x_s_setpc_b64, c->next_pc = ssrc64(c, i, 0);)
S0(x_s_swappc_b64, u64 t = ssrc64(c, i, 0); DST64(c->next_pc); c->next_pc = t;)
S0(x_s_call_b64, u64 ret = c->next_pc; branch_if(c, i, true); DST64(ret);)
S0(x_nop,)

X(x_unsupported)
{
	complain(c->w, i, "not supported");
	return WAVE_ILLEGAL;
}

X(x_s_endpgm)
{
	(void)i;
	c->w->ended = true;
	return WAVE_END;
}

X(x_s_barrier)
{
	(void)i;
	if (c->w->wg->nwaves == 1)	/* as the hardware: no barrier slot */
		return WAVE_BUDGET;
	c->w->at_barrier = true;
	return WAVE_BARRIER;
}

/* Sleeps 64 clocks a unit (gfx9: bits 6:0). */
X(x_s_sleep)
{
	u64 clks = (i->simm & 0x7f) * SLEEP_UNIT_CLKS;

	c->w->wake_at = gpu_now() + clks * 1000 / SHADER_CLK_MHZ;
	return WAVE_SLEEP;
}

/* Of the trap handler alone. */
X(x_s_rfe_b64)
{
	if (!(c->w->status & STATUS_PRIV))
		return x_unsupported(c, i);
	c->next_pc = ssrc64(c, i, 0) & 0xffffffffffff;
	c->w->status &= ~STATUS_PRIV;
	return WAVE_RFE;
}

X(x_s_trap)
{
	c->w->trap_id = i->simm & 0xff;
	return WAVE_TRAP;
}

X(x_s_sendmsg)
{
	c->w->msg = (u16)i->simm;
	return WAVE_MSG;
}

/* Time: model time at the constant reference clock, and at the nominal shader clock. */
S0(x_s_memrealtime, DST64(gpu_now() / (1000 / REFCLK_MHZ));)
S0(x_s_memtime, DST64(gpu_now() / 10 * (SHADER_CLK_MHZ / 100));)

S2(x_s_setvskip,
	c->w->mode = a >> (b & 31) & 1 ? c->w->mode | MODE_VSKIP : c->w->mode & ~MODE_VSKIP;)

/* GPR indexing: index in M0[7:0], which operands in M0[15:12]; see wave.c. */
#define M0		(c->w->sgpr[SGPR_M0])
S0(x_s_set_gpr_idx_on,
	c->w->mode |= MODE_GPR_IDX_EN;
	M0 = (M0 & ~0xf0ffu) | (ssrc32(c, i, 0) & 0xff) | (i->simm & 15) << 12;)
S0(x_s_set_gpr_idx_off, c->w->mode &= ~MODE_GPR_IDX_EN;)
S0(x_s_set_gpr_idx_mode, M0 = (M0 & ~0xf000u) | (i->simm & 15) << 12;)
S0(x_s_set_gpr_idx_idx, M0 = (M0 & ~0xffu) | (ssrc32(c, i, 0) & 0xff);)
