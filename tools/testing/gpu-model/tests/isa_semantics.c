// SPDX-License-Identifier: GPL-2.0
/*
 * What single instructions do, case by case: small programs for llvm-mc, and
 * the register values they must leave ("MI200 ISA" chapter 12 unless noted; for
 * gfx942 "MI300 ISA" chapter 12, assembled for gfx940, its equal to LLVM; for gfx1100 "RDNA 3
 * ISA" chapter 16).
 * At the start v0 is the lane, EXEC is full, s[0:1] points to 4 KiB of data
 * (dword n is n * 0x01010101) before an unmapped page, MODE keeps subnormals
 * and has IEEE and DX10_CLAMP set, and the program is the only wave.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "isa/isa.h"
#include "tap.h"

#define CODE_VA		0x10000000ull
#define DATA_VA		0x20000000ull
#define SCRATCH_VA	0x30000000ull
#define PAGE		4096u
#define SLOT		256u		/* bytes of code a case has */
#define SHARED_VA	0x1000000000000ull
#define PRIVATE_VA	0x2000000000000ull
#define MODE_DEFAULT	(0xf0 | MODE_IEEE | MODE_DX10_CLAMP)

/**
 * struct test - one case
 * @code:	program; s_endpgm follows
 * @want:	"REG=VALUE" or "REG[LANE]=VALUE" ..., REG one of v, a, s with a
 *		number, vcc, exec, scc, trapsts, mem (dword index in data), stop
 */
struct test {
	const char *code;
	const char *want;
};

#define MODE_BITS(first, n, value) \
	"s_setreg_imm32_b32 hwreg(HW_REG_MODE, " #first ", " #n "), " value "\n"
#define ROUND16(mode)	MODE_BITS(2, 2, mode)
#define OMOD \
	"v_mov_b32 v1, 0x40400000\n v_add_f32_e64 v2, v1, |v1| mul:2\n" \
	"v_add_f32_e64 v3, -v1, -1.0 div:2\n v_mul_f32_e64 v4, -v1, 0 mul:2\n" \
	"v_mov_b32 v5, 0x00800000\n v_mul_f32_e64 v5, v5, 1.0 div:2\n" \
	"v_add_f16_e64 v7, 1.0, 1.0 mul:2\n v_mov_b32 v9, 0x4000\n" \
	"v_cvt_f32_f16_e64 v8, v9 div:2\n v_add_f64 v[10:11], 1.0, 1.0 mul:2"
#define CVT_F16 \
	"v_mov_b32 v1, 0x3f801000\n v_cvt_f16_f32 v2, v1\n v_cvt_f16_f32 v3, -v1\n" \
	"v_mov_b32 v1, 0x47c35000\n v_cvt_f16_f32 v4, v1\n v_mov_b32 v1, 0x30800000\n" \
	"v_cvt_f16_f32 v5, v1\n v_mov_b32 v1, 0x801\n v_cvt_f16_u16 v6, v1\n" \
	"v_mov_b32 v1, 0xf7ff\n v_cvt_f16_i16 v7, v1"
#define ARITH_F16 \
	"v_mov_b32 v1, 0x3c013c00\n v_mov_b32 v2, 0x3c010001\n v_add_f16 v3, v1, v2\n" \
	"v_sub_f16 v4, v1, v2\n v_lshrrev_b32 v9, 16, v1\n v_mul_f16 v5, v9, v9\n" \
	"v_fma_f16 v6, v1, 1.0, v2\n v_pk_add_f16 v7, v1, v2\n" \
	"v_sub_f16 v8, v1, v1"

static const struct test tests[] = {
	/* scalar */
	{ "s_mov_b32 s4, -1\n s_add_u32 s5, s4, 1\n s_addc_u32 s6, s4, 5", "s5=0 s6=5 scc=1" },
	{ "s_brev_b32 s4, 1\n s_sub_i32 s5, s4, 1", "s5=0x7fffffff scc=1" },
	{ "s_mov_b64 s[4:5], 0\n s_subb_u32 s6, s4, 1\n s_cmp_eq_u32 s4, 0\n s_subb_u32 s7, 1, s4",
	  "s6=0xffffffff s7=0" },
	{ "s_mov_b32 s4, 0x80000001\n s_bfe_i32 s5, s4, 0x10001f\n s_bfe_u32 s6, s4, 0x1001f",
	  "s5=0xffffffff s6=1" },
	{ "s_flbit_i32_b32 s4, 0\n s_ff1_i32_b64 s5, 0\n s_flbit_i32 s6, -1\n s_flbit_i32 s7, -2",
	  "s4=0xffffffff s5=0xffffffff s6=0xffffffff s7=31" },
	{ "s_mov_b64 s[4:5], 0x10\n s_wqm_b64 s[6:7], s[4:5]\n s_quadmask_b64 s[8:9], s[4:5]",
	  "s6=0xf0 s7=0 s8=2" },
	{ "s_mov_b64 s[4:5], 5\n s_and_saveexec_b64 s[6:7], s[4:5]\n v_mov_b32 v1, 9",
	  "exec=5 s6=0xffffffff v1[0]=9 v1[1]=0 v1[2]=9 scc=1" },
	{ "s_mul_hi_i32 s4, -1, 2\n s_mul_hi_u32 s5, -1, 2\n s_absdiff_i32 s6, 3, 10",
	  "s4=0xffffffff s5=1 s6=7" },
	{ "s_movk_i32 s4, 0x8000\n s_cmpk_lt_i32 s4, 0\n s_cselect_b32 s5, 1, 2\n"
	  "s_cmpk_eq_u32 s4, 0x8000\n s_cselect_b32 s6, 1, 2", "s4=0xffff8000 s5=1 s6=2" },
	{ "s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, 16\n s_swappc_b64 s[6:7], s[4:5]\n"
	  "s_mov_b32 s8, 1\n s_nop 0\n s_mov_b32 s9, 2", "s8=0 s9=2" },
	{ "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n s_getreg_b32 s4, hwreg(HW_REG_MODE, 4, 4)",
	  "s4=0xc" },
	{ "s_getreg_b32 s4, hwreg(HW_REG_SH_MEM_BASES, 16, 16)\n s_mov_b64 s[6:7], src_shared_base",
	  "s4=1 s6=0 s7=0x10000" },
	{ "s_mov_b32 m0, 2\n s_mov_b32 s12, 7\n s_movrels_b32 s4, s10\n s_movreld_b32 s20, 6",
	  "s4=7 s22=6" },
	{ "s_load_dwordx4 s[4:7], s[0:1], 0x8\n s_buffer_load_dword s8, s[4:7], 0",
	  "stop=fault" },
	{ "s_load_dwordx2 s[0:1], s[0:1], 0x10", "s0=0x04040404 s1=0x05050505" },
	{ "s_load_dwordx2 s[4:5], s[0:1], 0xffc", "stop=fault s4=0 s5=0" },
	{ "s_barrier\n s_mov_b32 s4, 1", "s4=1" },
	{ "s_sleep 3", "stop=sleep" },
	{ "s_trap 2", "stop=trap" },
	{ "s_sendmsg sendmsg(MSG_INTERRUPT)", "stop=msg" },
	{ "v_cubeid_f32 v1, v0, v0, v0", "stop=illegal" },
	{ "v_mov_b32 v200, 1", "stop=illegal trapsts=0x800" },
	{ "s_mov_b32 s4, 5\n s_atomic_add s4, s[0:1], 0x8 glc\n s_mov_b32 s5, 6\n s_atomic_or s5, s[0:1], 0x4",
	  "s4=0x02020202 mem2=0x02020207 s5=6 mem1=0x01010107" },
	{ "s_mov_b64 s[4:5], 1\n s_load_dwordx2 s[6:7], s[0:1], 0x8\n"
	  "s_atomic_cmpswap_x2 s[4:7], s[0:1], 0x8 glc", "s4=0x02020202 s5=0x03030303 mem2=1 mem3=0" },
	{ "s_mov_b32 s4, 9\n s_mov_b32 s5, 1\n s_atomic_cmpswap s[4:5], s[0:1], 0x4",
	  "s4=9 mem1=0x01010101" },
	{ "s_mov_b64 s[4:5], 1\n s_atomic_add_x2 s[4:5], s[0:1], 0x4", "stop=fault" },
	{ "s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 8\n s_mov_b32 s7, 0\n s_mov_b32 s8, 3\n s_mov_b32 s9, 3\n"
	  "s_buffer_atomic_add s8, s[4:7], 0x4 glc\n s_buffer_atomic_add s9, s[4:7], 0x8 glc",
	  "s8=0x01010101 mem1=0x01010104 s9=0 mem2=0x02020202" },
	{ "s_mov_b32 m0, 0x20000\n ds_gws_sema_p offset:1 gds\n ds_gws_sema_v gds\n"
	  "v_mov_b32 v2, 2\n ds_gws_init v2 offset:5 gds\n ds_gws_sema_p offset:5 gds\n"
	  "ds_gws_sema_p offset:5 gds\n s_mov_b32 s4, 1\n ds_gws_sema_p offset:1 gds", "stop=sleep s4=1" },
	{ "v_mov_b32 v2, 0\n ds_gws_init v2 offset:5 gds\n ds_gws_barrier v2 offset:5 gds\n"
	  "ds_gws_barrier v2 offset:5 gds\n s_mov_b32 s4, 1", "s4=1" },
	{ "v_mov_b32 v1, 0\n ds_read_b32 v2, v1 gds", "stop=illegal" },
	{ "v_mov_b32 v2, 1\n ds_gws_init v2 offset:5 gds\n ds_gws_barrier v2 offset:5 gds",
	  "stop=sleep" },

	/* integers in lanes */
	{ "v_mov_b32 v1, -1\n v_add_co_u32 v2, vcc, v0, v1\n v_addc_co_u32 v3, vcc, 0, 0, vcc",
	  "v2[0]=0xffffffff v2[1]=0 v3[0]=0 v3[1]=1 vcc=0" },
	{ "v_mov_b32 v1, 2\n v_sub_co_u32 v2, s[4:5], v0, v1", "s4=3 s5=0 v2[0]=0xfffffffe" },
	{ "v_mov_b32 v1, -1\n v_add_u32 v2, v1, v1 clamp\n v_sub_u32 v3, v0, v1 clamp",
	  "v2=0xffffffff v3[0]=0 v3[9]=0" },
	{ "v_bfrev_b32 v1, 1\n v_add_i32 v2, v1, v1 clamp\n v_sub_i32 v3, 1, v1 clamp",
	  "v2=0x80000000 v3=0x7fffffff" },
	{ "v_mov_b32 v1, 0xffff\n v_add_u16 v2, v1, v1\n v_add_u16 v3, v1, v1 clamp",
	  "v2=0xfffe v3=0xffff" },
	{ "v_mov_b32 v1, 0xaaaa8000\n v_mov_b32 v2, 0x55555555\n"
	  "v_add_i16 v2, v1, v1 op_sel:[0,1,1] clamp", "v2=0x80005555" },
	{ "v_mov_b32 v1, -1\n v_mad_u64_u32 v[2:3], vcc, v1, v1, 2\n"
	  "v_mad_u64_u32 v[4:5], s[4:5], v1, v1, v[2:3]",
	  "v2=3 v3=0xfffffffe vcc=0 v4=4 v5=0xfffffffc s4=0xffffffff s5=0xffffffff" },
	{ "v_mov_b32 v1, 0x12345678\n s_mov_b32 s4, 0x0c0d0504\n v_perm_b32 v2, v1, v0, s4\n v_alignbyte_b32 v3, v1, v0, 1",
	  "v2=0x00ff5678 v3[0]=0x78000000" },
	{ "v_mov_b32 v1, 0x80000000\n v_bfe_i32 v2, v1, 30, 2\n v_ffbh_u32 v3, 0\n v_ffbh_i32 v4, -1",
	  "v2=0xfffffffe v3=0xffffffff v4=0xffffffff" },
	{ "v_mov_b32 v1, 0x00ffffff\n v_mul_i32_i24 v2, v1, v1\n v_mul_hi_u32_u24 v3, v1, v1",
	  "v2=1 v3=0xffff" },
	{ "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1",
	  "v1[0]=0 v1[31]=31 v1[32]=32 v1[63]=63" },
	{ "s_mov_b64 exec, 0\n v_readfirstlane_b32 s4, v0\n s_mov_b64 exec, 0x100\n"
	  "v_readfirstlane_b32 s5, v0\n s_movk_i32 s7, 77\n v_readlane_b32 s6, v0, s7\n v_writelane_b32 v1, 5, 3",
	  "s4=0 s5=8 s6=13 v1[3]=5 v1[8]=0" },
	{ "v_mov_b32 v1, 5\n s_mov_b64 exec, 1\n v_cmp_eq_u32 vcc, v0, v0\n v_cmpx_lt_u32 s[4:5], v1, v0",
	  "vcc=1 s4=0 exec=0" },
	{ "v_mov_b32 v1, 7\n s_mov_b64 vcc, 6\n v_cndmask_b32 v2, v1, -v0, vcc",
	  "v2[0]=7 v2[1]=0x80000001 v2[3]=7" },
	{ "v_mov_b32 v2, 1\n v_swap_b32 v0, v2", "v0=1 v2[5]=5" },
	{ "v_accvgpr_write_b32 a1, v0\n v_accvgpr_mov_b32 a0, a1\n v_accvgpr_read_b32 v1, a0",
	  "a0[7]=7 v1[63]=63" },
	{ "v_mov_b32 v4, 40\n v_mov_b32 v5, 50\n s_mov_b32 s4, 2\n s_set_gpr_idx_on s4, gpr_idx(SRC0,DST)\n"
	  "v_mov_b32 v1, v2\n s_set_gpr_idx_off", "v3=40 v1=0" },
	{ "s_mov_b32 s4, 4\n s_setvskip s4, 2\n v_mov_b32 v1, 7\n ds_write_b32 v0, v0\n s_add_u32 s5, s4, 1\n"
	  "s_setvskip s4, 1\n v_mov_b32 v2, 8", "v1=0 v2=8 s5=5" },
	/* the wave has 120 and 8 of them: a source beyond is v0, a destination is not written */
	{ "v_mov_b32 v1, 7\n v_mov_b32 v119, 8\n s_movk_i32 s4, 118\n s_set_gpr_idx_on s4, gpr_idx(SRC0)\n v_mov_b32 v2, v1\n"
	  "v_mov_b32 v3, v2\n s_set_gpr_idx_on s4, gpr_idx(DST)\n v_mov_b32 v1, v0\n v_mov_b32 v2, 9\n"
	  "s_set_gpr_idx_off\n v_accvgpr_read_b32 v5, a0", "v2[5]=8 v3[5]=5 v119[5]=5 v5=0" },
	{ "v_accvgpr_write_b32 a7, 6\n s_mov_b32 s4, 7\n s_set_gpr_idx_on s4, gpr_idx(SRC0)\n v_accvgpr_read_b32 v1, a0\n"
	  "v_accvgpr_read_b32 v2, a1\n s_set_gpr_idx_on s4, gpr_idx(DST)\n v_accvgpr_write_b32 a1, 5\n s_set_gpr_idx_off",
	  "v1=6 v2[9]=9" },

	/* packed */
	{ "v_mov_b32 v1, 0x7fff8000\n v_pk_add_i16 v2, v1, v1 clamp\n v_pk_sub_u16 v3, 0, v1 clamp\n"
	  "v_pk_add_u16 v4, v1, v1 op_sel:[1,0] op_sel_hi:[0,0]", "v2=0x7fff8000 v3=0 v4=0x0000ffff" },
	{ "v_mov_b32 v1, 0xffff0002\n v_pk_mad_i16 v2, v1, v1, v1\n v_pk_lshlrev_b16 v3, 1, v1 op_sel_hi:[0,1]",
	  "v2=0x00000006 v3=0xfffe0004" },

	/* SDWA and DPP */
	{ "v_mov_b32 v1, 0x11228344\n v_mov_b32 v2, 0xeeeeeeee\n"
	  "v_add_u32_sdwa v2, sext(v1), v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:BYTE_3\n"
	  "v_mov_b32_sdwa v3, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_1\n"
	  "v_mov_b32_sdwa v4, v1 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:WORD_0",
	  "v2=0xff94eeee v3=0xffff8300 v4=0x00440000" },
	{ "v_mov_b32 v1, 99\n v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v2, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0",
	  "v1[0]=99 v1[1]=0 v1[16]=99 v1[17]=16 v2[16]=0 v2[17]=16" },
	{ "v_mov_b32 v1, 99\n v_mov_b32_dpp v1, v0 quad_perm:[3,2,1,0] row_mask:0x5 bank_mask:0xa",
	  "v1[0]=99 v1[4]=7 v1[5]=6 v1[8]=99 v1[20]=99 v1[36]=39" },
	{ "v_mov_b32 v1, 99\n s_mov_b64 exec, 0xfffe\n v_mov_b32_dpp v1, v0 row_ror:1 row_mask:0xf bank_mask:0xf",
	  "v1[0]=99 v1[1]=99 v1[2]=1 v1[15]=14 v1[16]=99" },
	{ "v_mov_b32 v1, 0\n v_add_u32_dpp v1, v0, v1 row_bcast:15 row_mask:0xa bank_mask:0xf",
	  "v1[15]=0 v1[16]=15 v1[32]=0 v1[48]=47" },
	{ "v_mov_b32_dpp v1, v0 row_newbcast:3 row_mask:0xf bank_mask:0xf", "v1[0]=3 v1[63]=51" },
	{ "v_mov_b32_dpp v1, v0 wave_ror:1 row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v2, v0 row_half_mirror row_mask:0xf bank_mask:0xf",
	  "v1[0]=63 v1[33]=32 v2[0]=7 v2[8]=15" },

	/* floats */
	{ "v_mov_b32 v1, 0x7f800001\n v_min_f32 v2, 1.0, v1\n v_mov_b32 v3, 0x7fc00007\n"
	  "v_max_f32 v4, v3, 2.0\n v_min_f32 v5, v3, v3", "v2=0x7fc00001 v4=0x40000000 v5=0x7fc00007" },
	{ "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0\n v_mov_b32 v1, 0x7f800001\n v_min_f32 v2, 1.0, v1",
	  "v2=0x3f800000" },
	{ "v_bfrev_b32 v1, 1\n v_min_f32 v2, 0, v1\n v_max_f32 v3, v1, 0", "v2=0x80000000 v3=0" },
	{ "v_mov_b32 v1, 0xff800000\n v_add_f32 v2, 0x7f800000, v1\n v_mov_b32 v3, 0xffc01234\n v_mul_f32 v4, v3, v1",
	  "v2=0x7fc00000 v4=0xffc01234" },
	{ "v_mov_b32 v1, 0x00400000\n v_add_f32 v2, v1, v1\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n"
	  "v_add_f32 v3, v1, v1\n v_mul_f32 v4, 0.5, v1", "v2=0x00800000 v3=0 v4=0" },
	{ "v_mov_b32 v1, 0x40400000\n v_mul_f32_e64 v2, v1, 2.0 clamp", "v2=0x3f800000" },
	/* output modifiers: neither in IEEE mode nor where subnormals are kept */
	{ OMOD, "v2=0x40c00000 v3=0xc0800000 v4=0x80000000 v5=0x00800000 v7=0x4000 v8=0x40000000 v11=0x40000000" },
	{ MODE_BITS(4, 4, "0") OMOD,
	  "v2=0x40c00000 v3=0xc0800000 v4=0x80000000 v5=0x00800000 v7=0x4000 v8=0x40000000 v11=0x40000000" },
	{ MODE_BITS(9, 1, "0") OMOD,
	  "v2=0x40c00000 v3=0xc0800000 v4=0x80000000 v5=0x00800000 v7=0x4000 v8=0x40000000 v11=0x40000000" },
	{ MODE_BITS(9, 1, "0") MODE_BITS(4, 4, "0") OMOD,
	  "v2=0x41400000 v3=0xc0000000 v4=0 v5=0 v7=0x4400 v8=0x3f800000 v11=0x40100000" },
	{ MODE_BITS(9, 1, "0") MODE_BITS(4, 2, "1") OMOD,	/* as results of their own type are */
	  "v2=0x41400000 v3=0xc0000000 v4=0 v5=0 v7=0x4000 v8=0x3f800000 v11=0x40000000" },
	{ "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n v_mov_b32 v1, 0x33000000\n v_add_f32 v2, 1.0, v1\n"
	  "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\n v_add_f32 v3, 1.0, v1\n v_sub_f32 v4, 1.0, v1",
	  "v2=0x3f800001 v3=0x3f800000 v4=0x3f7fffff" },
	/* f16 rounds as f64: to nearest, up, down, to zero; a tie, what overflows, what vanishes */
	{ CVT_F16, "v2=0x3c00 v3=0xbc00 v4=0x7c00 v5=0 v6=0x6800 v7=0xe800" },
	{ ROUND16("1") CVT_F16, "v2=0x3c01 v3=0xbc00 v4=0x7c00 v5=1 v6=0x6801 v7=0xe800" },
	{ ROUND16("2") CVT_F16, "v2=0x3c00 v3=0xbc01 v4=0x7bff v5=0 v6=0x6800 v7=0xe801" },
	{ ROUND16("3") CVT_F16, "v2=0x3c00 v3=0xbc00 v4=0x7bff v5=0 v6=0x6800 v7=0xe800" },
	{ ARITH_F16, "v3=0x3c00 v4=0x3c00 v5=0x3c02 v6=0x3c00 v7=0x40013c00 v8=0" },
	{ ROUND16("1") ARITH_F16, "v3=0x3c01 v4=0x3c00 v5=0x3c03 v6=0x3c01 v7=0x40013c01 v8=0" },
	{ ROUND16("2") ARITH_F16, "v3=0x3c00 v4=0x3bff v5=0x3c02 v6=0x3c00 v7=0x40013c00 v8=0x8000" },
	{ ROUND16("3") ARITH_F16, "v3=0x3c00 v4=0x3bff v5=0x3c02 v6=0x3c00 v7=0x40013c00 v8=0" },
	{ ROUND16("1") "v_mov_b32 v1, 0x3f801000\n v_mov_b32 v2, 0\n v_mov_b32 v6, -30\n v_ldexp_f16 v3, 1.0, v6\n"
	  "v_fma_mixlo_f16 v2, v1, 1.0, 0\n v_fma_mixhi_f16 v2, v1, 1.0, 0\n v_mov_b32 v4, 0x3c01\n"
	  "v_mad_f16 v4, v4, v4, 1.0\n v_cvt_pkrtz_f16_f32 v5, v1, v1", "v2=0x3c013c01 v3=1 v4=0x4002 v5=0x3c003c00" },
	{ "v_mov_b32 v1, 0x7e01\n v_fract_f16 v2, v1\n v_mov_b32 v1, 0x8001\n v_fract_f16 v3, v1",
	  "v2=0x7e01 v3=0x3bff" },
	{ "v_mov_b32 v1, 0x4f800000\n v_cvt_u32_f32 v2, v1\n v_cvt_i32_f32 v3, -v1\n v_cvt_i32_f32 v4, 0x7fc00000\n"
	  "v_cvt_u32_f32 v5, -1.0", "v2=0xffffffff v4=0 v5=0" },
	{ "v_mov_b32 v1, 0x3fc00000\n v_fract_f32 v2, v1\n v_rndne_f32 v3, v1\n v_rndne_f32 v4, 0.5\n"
	  "v_frexp_exp_i32_f32 v5, v1\n v_frexp_mant_f32 v6, v1\n v_cvt_flr_i32_f32 v7, -v1",
	  "v2=0x3f000000 v3=0x40000000 v4=0 v5=1 v6=0x3f400000" },
	{ "v_mov_b32 v1, 0x7f000000\n v_mov_b32 v2, 0x00800000\n v_div_scale_f32 v3, vcc, v2, v2, v1\n"
	  "v_div_scale_f32 v4, s[4:5], v1, v2, v1", "v3=0x20800000 vcc=-1 v4=0x7f000000 s4=0xffffffff" },
	{ "v_mov_b32 v1, 1.0\n v_div_fixup_f32 v2, v1, 0, 1.0\n v_div_fixup_f32 v3, v1, 0, 0\n"
	  "v_div_fixup_f32 v4, v1, -1.0, 1.0", "v2=0x7f800000 v3=0xffc00000 v4=0xbf800000" },
	{ "v_cmp_class_f32 vcc, 0, v0\n v_mov_b32 v1, 0xff800000\n v_cmp_class_f32 s[4:5], v1, 4",
	  "vcc=0 s4=0xffffffff" },
	{ "v_mov_b32 v1, 0x7fc00000\n v_cmp_nlt_f32 s[4:5], v1, 1.0\n v_cmp_lg_f32 s[6:7], v1, 1.0\n"
	  "v_cmp_neq_f32 s[8:9], v1, 1.0\n v_cmp_u_f32 s[10:11], v1, v1",
	  "s4=0xffffffff s6=0 s8=0xffffffff s10=0xffffffff" },
	{ "v_mov_b32 v3, 1.0\n v_mov_b32 v2, 0\n v_add_f64 v[4:5], v[2:3], 1.0\n v_cvt_f32_f64 v6, v[4:5]\n"
	  "v_ldexp_f64 v[8:9], 1.0, -1\n v_max_f64 v[10:11], v[8:9], -v[8:9]",
	  "v8=0 v9=0x3fe00000 v11=0x3fe00000" },
	{ "v_mov_b32 v2, 0x40000000\n v_mov_b32 v3, 0x40400000\n v_pk_add_f32 v[4:5], v[2:3], v[2:3] op_sel:[0,1] op_sel_hi:[1,0]\n"
	  "v_pk_mul_f32 v[6:7], v[2:3], v[2:3] neg_lo:[1,0]\n v_pk_mov_b32 v[8:9], v[2:3], v[2:3] op_sel:[1,0]",
	  "v4=0x40a00000 v5=0x40a00000 v6=0xc0800000 v7=0x41100000 v8=0x40400000 v9=0x40000000" },

	/* memory */
	{ "v_lshlrev_b32 v1, 2, v0\n global_load_dword v2, v1, s[0:1] offset:4\n global_load_sbyte v3, v1, s[0:1]",
	  "v2[0]=0x01010101 v2[9]=0x0a0a0a0a v3[5]=5" },
	{ "v_lshlrev_b32 v1, 6, v0\n v_add_u32 v1, 4, v1\n v_mov_b32 v2, 7\n global_store_dword v1, v2, s[0:1] offset:60",
	  "stop=fault mem16=0x10101010" },
	{ "v_mov_b32 v1, 0\n v_mov_b32 v2, 1\n global_atomic_add v3, v1, v2, s[0:1] glc", "mem0=64 v3[0]=0 v3[63]=63" },
	{ "v_mov_b32 v1, 2\n v_mov_b32 v2, 1\n global_atomic_add v1, v2, s[0:1]", "stop=fault mem0=0" },
	{ "v_mov_b32 v1, 4\n v_mov_b32 v2, 5\n v_mov_b32 v3, 0x01010101\n s_mov_b64 exec, 3\n"
	  "global_atomic_cmpswap v4, v1, v[2:3], s[0:1] glc", "mem1=5 v4[0]=0x01010101 v4[1]=5" },
	{ "v_mov_b32 v1, 2\n v_mov_b32 v2, -1\n global_load_short_d16_hi v2, v1, s[0:1] offset:4\n"
	  "v_mov_b32 v3, -1\n global_load_short_d16 v3, v1, s[0:1] offset:4\n"
	  "v_mov_b32 v4, -1\n v_lshlrev_b32 v5, 2, v0\n ds_write_b32 v5, v2\n ds_read_u16_d16 v4, v5 offset:2", "v2=0x01010000 v3=0x0101 v4[0]=0x0101" },
	{ "v_mov_b32 v1, 6\n global_load_dword v2, v1, s[0:1]", "v2=0x02020101" },
	{ "v_lshlrev_b32 v1, 2, v0\n v_mul_u32_u24 v2, v0, v0\n ds_write_b32 v1, v2\n ds_read2_b32 v[4:5], v1 offset0:1 offset1:2\n"
	  "ds_read2st64_b32 v[6:7], v1 offset1:1", "v4[0]=1 v5[3]=25 v6[8]=64 v7[0]=0" },
	{ "v_mov_b32 v1, 0\n v_mov_b32 v2, 3\n ds_add_rtn_u32 v3, v1, v2\n ds_max_u32 v1, v0 offset:4\n ds_read_b64 v[4:5], v1",
	  "v3[0]=0 v3[5]=15 v4=192 v5=63" },
	{ "v_mov_b32 v1, 0x10000\n v_mov_b32 v2, 9\n ds_write_b32 v1, v2\n ds_read_b32 v3, v1", "v3=0" },
	{ "v_lshlrev_b32 v1, 3, v0\n s_mov_b64 exec, 0xff\n ds_bpermute_b32 v2, v1, v0\n ds_permute_b32 v3, v1, v0\n"
	  "ds_swizzle_b32 v4, v0 offset:swizzle(SWAP,1)", "v2[3]=6 v2[4]=0 v3[0]=0 v3[2]=1 v3[3]=0 v4[0]=1 v4[7]=6 v4[8]=0" },
	{ "s_mov_b32 m0, 8\n s_mov_b64 exec, 0xff0\n ds_append v1 offset:4\n ds_append v2 offset:4\n"
	  "ds_consume v3 offset:4", "v1[4]=0 v2[5]=8 v3[6]=16 v3[0]=0" },
	{ "s_mov_b64 s[4:5], src_private_base\n s_mov_b32 flat_scratch_lo, 0x30000000\n s_mov_b32 flat_scratch_hi, 0\n"
	  "v_mov_b32 v3, s5\n v_mov_b32 v2, 8\n flat_store_dword v[2:3], v0\n s_mov_b32 s6, 8\n scratch_load_dword v4, off, s6\n"
	  "v_mov_b32 v2, 6\n scratch_load_dword v5, v2, off", "v4[7]=7 v5[7]=0x70000" },
	{ "s_mov_b64 s[4:5], src_shared_base\n v_mov_b32 v3, s5\n v_lshlrev_b32 v2, 2, v0\n flat_store_dword v[2:3], v0\n ds_read_b32 v4, v2",
	  "v4[9]=9" },
	{ "s_mov_b32 s4, 0x30000000\n s_mov_b32 s5, 0x80000000\n s_mov_b32 s6, -1\n s_mov_b32 s7, 0xe00000\n"
	  "v_mov_b32 v1, 12\n buffer_store_dword v0, v1, s[4:7], 0 offen\n s_mov_b32 flat_scratch_lo, 0x30000000\n"
	  "s_mov_b32 flat_scratch_hi, 0\n scratch_load_dword v2, v1, off", "v2[5]=5" },
	{ "s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 16\n s_mov_b32 s7, 0\n v_lshlrev_b32 v1, 2, v0\n"
	  "buffer_load_dword v2, v1, s[4:7], 0 offen\n buffer_load_dword v3, off, s[4:7], 4",
	  "v2[3]=0x03030303 v2[4]=0 v3=0x01010101" },
	/* typed buffers */
	{ "s_mov_b64 s[4:5], s[0:1]\n s_or_b32 s5, s5, 0x40000\n s_mov_b32 s6, 8\n s_mov_b32 s7, 0x24fac\n"
	  "buffer_load_format_xyzw v[2:5], v0, s[4:7], 0 idxen\n buffer_load_format_x v6, v0, s[4:7], 0 idxen",
	  "v2[3]=0x03030303 v2[7]=0x07070707 v2[8]=0 v3=0 v4=0 v5[7]=1 v5[8]=0 v6[5]=0x05050505 v6[8]=0" },
	{ "s_mov_b32 s8, 0xff803301\n s_store_dword s8, s[0:1], 0\n s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 64\n"
	  "s_mov_b32 s7, 0x50f2e\n buffer_load_format_xyzw v[2:5], off, s[4:7], 0\n"
	  "s_mov_b32 s7, 0x51e2c\n buffer_load_format_xyzw v[6:9], off, s[4:7], 0\n"
	  "s_mov_b32 s7, 0x51f88\n buffer_load_format_xy v[10:11], off, s[4:7], 0",
	  "v2=0x3f008081 v3=0x3e4ccccd v4=0x3b808081 v5=0x3f800000 v6=0x3c010204 v7=0x3ecd9b36 v8=0 v9=0xbc010204 v10=0 v11=0x3f800000" },
	{ "s_mov_b32 s8, 0xff803301\n s_store_dword s8, s[0:1], 0\n s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 64\n"
	  "tbuffer_load_format_xyzw v[2:5], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SNORM]\n"
	  "tbuffer_load_format_xyzw v[6:9], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SSCALED]\n"
	  "tbuffer_load_format_xyz v[10:12], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8,BUF_NUM_FORMAT_USCALED]\n"
	  "tbuffer_load_format_x v13, off, s[4:7], 0 format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_SINT] offset:3",
	  "v4=0xbf800000 v5=0xbc010204 v6=0x3f800000 v7=0x424c0000 v8=0xc3000000 v9=0xbf800000 v11=0x424c0000 v12=0 v13=0xffffffff" },
	{ "s_mov_b32 s8, 0x801a03e0\n s_store_dword s8, s[0:1], 0\n s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 64\n"
	  "tbuffer_load_format_xyzw v[2:5], off, s[4:7], 0 format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_FLOAT]\n"
	  "tbuffer_load_format_xyzw v[6:9], off, s[4:7], 0 format:[BUF_DATA_FORMAT_2_10_10_10,BUF_NUM_FORMAT_SINT]\n"
	  "tbuffer_load_format_xyzw v[10:13], off, s[4:7], 0 format:[BUF_DATA_FORMAT_10_10_10_2,BUF_NUM_FORMAT_UINT]\n"
	  "tbuffer_load_format_xyz v[14:16], off, s[4:7], 0 format:[BUF_DATA_FORMAT_11_11_10,BUF_NUM_FORMAT_UINT]\n"
	  "tbuffer_load_format_xy v[18:19], off, s[4:7], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT]",
	  "v2=0x3fc00000 v3=0x3e800000 v4=0x40000000 v5=0x3f800000 v6=0xffffffe0 v7=0xfffffe80 v8=1 v9=0xfffffffe v10=0 v11=0xf8 v12=0x1a0 v13=0x200 v14=0x3e0 v15=0x680 v16=0x400 v18=0x38780000 v19=0xb5d00000" },
	{ "s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 64\n"
	  "tbuffer_load_format_xyzw v[2:5], off, s[4:7], 0 format:[BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_FLOAT] offset:52\n"
	  "tbuffer_load_format_xyzw v[6:9], off, s[4:7], 0 format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_UINT] offset:4\n"
	  "tbuffer_load_format_xyzw v[10:13], off, s[4:7], 0 format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_SINT] offset:4\n"
	  "tbuffer_load_format_xy v[14:15], off, s[4:7], 0 format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_SINT] offset:57\n"
	  "tbuffer_load_format_x v16, off, s[4:7], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_UINT] offset:3",
	  "v2=0x0d0d0d0d v4=0x0f0f0f0f v5=0x3f800000 v6=0x01010101 v9=0x04040404 v10=0x101 v12=0x202 v13=0x202 v14=0 v15=0 v16=0x100" },
	{ "s_mov_b32 s4, 0x70000000\n s_mov_b32 s5, 0\n s_mov_b32 s6, 64\n s_mov_b32 s7, 0xfac\n v_mov_b32 v2, 5\n"
	  "buffer_load_format_xyzw v[2:5], off, s[4:7], 4", "v2=0 v5=0" },
	{ "s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 64\n"
	  "tbuffer_load_format_x v2, off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_FLOAT]",
	  "stop=illegal" },
	{ "s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 64\n"
	  "tbuffer_load_format_x v2, off, s[4:7], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UNORM]",
	  "stop=illegal" },
	{ "s_mov_b64 s[4:5], s[0:1]\n s_mov_b32 s6, 64\n"
	  "tbuffer_load_format_x v2, off, s[4:7], 0 format:[BUF_DATA_FORMAT_2_10_10_10,BUF_NUM_FORMAT_FLOAT]",
	  "stop=illegal" },
	{ "s_mov_b32 s4, 5\n s_store_dword s4, s[0:1], 0x10\n s_load_dword s5, s[0:1], 0x10", "s5=5 mem4=5" },

	/* code that changes under the decoder's cache: the second pass runs the new one */
	{ "s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, 0x14\n s_mov_b32 s8, 0\n s_mov_b32 s6, 0xbe890085\n"
	  "s_nop 0\n s_mov_b32 s9, 3\n s_cmp_eq_u32 s8, 1\n s_cbranch_scc1 4\n s_mov_b32 s8, 1\n"
	  "s_store_dword s6, s[4:5], 0\n s_branch -8", "s9=5 s8=1" },
	/* as kfdtest's shaders: copies, loops until memory changes, addresses, functions, GWS */
	{ "s_mov_b64 exec, 1\n v_mov_b32 v2, s0\n v_mov_b32 v3, s1\n flat_load_dword v4, v[2:3] offset:12 glc slc\n"
	  "s_waitcnt 0\n flat_store_dword v[2:3], v4 offset:8 glc slc", "mem2=0x03030303" },
	{ "v_mov_b32 v2, s0\n v_mov_b32 v3, s1\n v_mov_b32 v4, 1\n flat_atomic_add v5, v[2:3], v4 offset:4 glc slc",
	  "mem1=0x01010141 v5[0]=0x01010101 v5[63]=0x01010140" },
	{ "s_movk_i32 s4, 3\n 0: s_load_dword s5, s[0:1], 0x0 glc\n s_waitcnt vmcnt(0) & lgkmcnt(0)\n s_add_u32 s5, s5, 1\n"
	  "s_store_dword s5, s[0:1], 0x0 glc\n s_dcache_wb\n s_cmp_eq_i32 s5, s4\n s_cbranch_scc0 0b", "mem0=3 s5=3" },
	{ "s_mov_b64 exec, 1\n v_mov_b32 v2, s0\n v_mov_b32 v3, s1\n v_mov_b32 v4, 2\n"
	  "0: flat_load_dword v5, v[2:3] glc\n v_add_u32 v5, 1, v5\n flat_store_dword v[2:3], v5 glc\n"
	  "v_cmp_eq_i32 vcc, v5, v4\n s_cbranch_vccz 0b\n buffer_invl2\n buffer_wbl2", "mem0=2 v5[0]=2 vcc=1" },
	{ "v_lshlrev_b32 v4, 2, v0\n v_add_co_u32 v2, vcc, s0, v4\n v_mov_b32 v3, s1\n v_addc_co_u32 v3, vcc, v3, 0, vcc\n"
	  "flat_load_dwordx2 v[6:7], v[2:3] slc\n v_mov_b32 v8, 0\n v_mov_b32 v9, 0x1000\n v_mov_b32 v10, 0x4000\n"
	  "0: v_add_co_u32 v8, vcc, v8, v9\n v_cmp_lt_u32 vcc, v8, v10\n s_cbranch_vccnz 0b",
	  "v6[5]=0x05050505 v7[5]=0x06060606 v8=0x4000 vcc=0" },
	{ "s_movk_i32 s4, 4\n v_cvt_f32_i32 v1, s4\n v_log_f32 v2, v1\n v_exp_f32 v3, v2\n v_sqrt_f32 v4, v1\n"
	  "v_rsq_f32 v5, v1\n v_mul_f32 v6, v2, v3\n v_add_f32 v7, 2.0, v6\n s_movk_i32 s5, 10\n"
	  "0: s_cmp_le_i32 s5, s4\n s_cbranch_scc1 1f\n s_sub_u32 s5, s5, 1\n s_branch 0b\n 1: s_nop 0x10",
	  "v1=0x40800000 v2=0x40000000 v3=0x40800000 v4=0x40000000 v5=0x3f000000 v6=0x41000000 v7=0x41200000 s5=4" },
	{ "s_mov_b32 m0, 0\n s_nop 0\n v_mov_b32 v2, 1\n ds_gws_init v2 offset:0 gds\n ds_gws_sema_p offset:0 gds\n"
	  "s_waitcnt 0\n s_load_dword s4, s[0:1], 0x8 glc\n s_add_u32 s4, s4, 1\n s_store_dword s4, s[0:1], 0x8 glc\n"
	  "ds_gws_sema_v offset:0 gds\n ds_gws_sema_p offset:0 gds", "mem2=0x02020203" },
	{ "s_mov_b64 s[4:5], exec\n s_and_b64 exec, exec, exec\n s_and_b64 vcc, vcc, vcc\n s_cbranch_scc1 0f\n"
	  "s_mov_b32 s6, 0x300\n s_lshr_b32 s6, s6, 4\n s_and_b32 s6, s6, 0x70\n s_or_b32 s6, s6, 5\n 0: s_bitcmp0_b32 s6, 1\n"
	  "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s6\n s_getreg_b32 s7, hwreg(HW_REG_HW_ID)", "s6=0x35 scc=1 trapsts=0x35 s7=0" },
	{ "s_rfe_b64 s[0:1]", "stop=illegal" },
	/* as ROCr's trap handler takes a sample */
	{ "s_mov_b64 s[4:5], 1\n s_atomic_add_x2 s[4:5], s[0:1], 0x8 glc\n s_waitcnt lgkmcnt(0)\n s_bfe_u64 s[6:7], s[4:5], 63 << 16\n"
	  "s_lshr_b32 s8, s5, 24\n s_mulk_i32 s8, 0x10\n s_bitset1_b32 s8, 31\n s_bitset0_b32 s8, 31\n s_mul_hi_u32 s9, s4, 0x40\n"
	  "s_store_dwordx2 s[6:7], s[0:1], 0x10\n s_memrealtime s[10:11]\n s_min_u32 s12, s8, 15\n s_cmp_eq_u64 s[4:5], s[6:7]",
	  "s4=0x02020202 s5=0x03030303 mem2=0x02020203 s8=0x30 s9=0 mem4=0x02020202 mem5=0x03030303 s12=15 scc=1" },
};

/* What only gfx942 has, and has not. */
static const struct test tests_942[] = {
	{ "s_mov_b64 s[4:5], s[0:1]\n s_or_b32 s5, s5, 0x40000\n s_mov_b32 s6, 8\n s_mov_b32 s7, 0x24fac\n"
	  "buffer_load_format_xyzw v[2:5], v0, s[4:7], 0 idxen\n buffer_load_format_x v6, v0, s[4:7], 0 idxen",
	  "v2[3]=0x03030303 v2[7]=0x07070707 v2[8]=0 v3=0 v4=0 v5[7]=1 v5[8]=0 v6[5]=0x05050505 v6[8]=0" },
	{ "v_mov_b32 v1, 7\n v_mov_b64 v[2:3], v[0:1]\n v_mov_b64 v[4:5], -1\n v_mov_b64 v[6:7], 1.0",
	  "v2[5]=5 v3=7 v4=-1 v5=-1 v6=0 v7=0x3ff00000" },
	{ "v_mov_b32 v1, -1\n v_mov_b32 v2, -1\n v_mov_b32 v3, 0\n v_lshl_add_u64 v[4:5], v[2:3], 4, v[0:1]\n"
	  "v_lshl_add_u64 v[6:7], s[0:1], 0, v[0:1]", "v4[0]=0xfffffff0 v5[0]=14 v4[16]=0 v5[16]=15 v6[3]=0x20000003 v7=-1" },
	{ "v_mov_b32 v1, 1.0\n v_mov_b32 v2, 3.0\n v_fmaak_f32 v3, v1, v2, 0x40000000\n v_fmamk_f32 v4, v1, 0x40000000, v2",
	  "v3=0x40a00000 v4=0x40a00000" },
	{ "s_mov_b32 flat_scratch_lo, 0x30000000\n s_mov_b32 flat_scratch_hi, 0\n s_mov_b32 s6, 8\n v_mov_b32 v1, 4\n"
	  "scratch_store_dword v1, v0, s6 offset:4\n scratch_store_dword off, v1, off\n s_mov_b32 s7, 16\n"
	  "scratch_load_dword v2, off, s7\n scratch_load_dword v3, off, off\n v_mov_b32 v1, 16\n"
	  "scratch_load_dword v4, v1, off sc0 nt sc1", "v2[9]=9 v3=4 v4[5]=5" },
	{ "v_mov_b32 v1, 0\n s_mov_b32 m0, 16\n global_load_lds_dword v1, s[0:1] offset:8\n v_mov_b32 v1, 24\n"
	  "ds_read_b32 v2, v1", "v2=0x02020202" },
	{ "v_mov_b32 v1, 0\n v_mov_b32 v2, 0x3f803f80\n s_mov_b64 exec, 3\n global_atomic_pk_add_bf16 v1, v2, s[0:1]\n"
	  "ds_pk_add_bf16 v1, v2\n ds_read_b32 v3, v1", "mem0=0x40004000 v3[1]=0x40004000" },
	{ "buffer_wbl2 sc0 sc1\n buffer_inv sc1\n s_getreg_b32 s4, hwreg(HW_REG_XCC_ID)", "s4=5" },
	{ "s_mov_b64 exec, 1\n v_mov_b32 v2, s0\n v_mov_b32 v3, s1\n v_mov_b32 v4, 5\n v_mov_b32 v6, 0x40\n"
	  "flat_load_dword v5, v[2:3] offset:12 nt sc1 sc0\n flat_store_dword v[2:3], v5 offset:8 nt sc1 sc0\n"
	  "flat_atomic_add v5, v[2:3], v4 offset:4 nt sc1 sc0\n global_store_dword v6, v4, s[0:1] nt sc1 sc0\n"
	  "buffer_wbl2 sc1 sc0\n buffer_inv sc1 sc0\n s_load_dword s4, s[0:1], 0x40\n global_load_dword v7, v6, s[0:1]",
	  "mem2=0x03030303 mem1=0x01010106 v5[0]=0x01010101 s4=5 v7[0]=5" },
	{ "v_mov_b32 v1, 0x80c04840\n v_cvt_f32_fp8 v2, v1\n v_cvt_f32_fp8_sdwa v3, v1 src0_sel:BYTE_1\n"
	  "v_cvt_pk_f32_fp8_sdwa v[4:5], v1 src0_sel:WORD_1\n v_cvt_pk_f32_bf8 v[6:7], v1",
	  "v2=0x3f800000 v3=0x40000000 v4=0xbf800000 v5=0x7fc00000 v6=0x3f800000 v7=0x40800000" },
	{ "v_mov_b32 v1, 1.0\n v_mov_b32 v2, 0x43800000\n v_mov_b32 v3, -1\n v_mov_b32 v4, 0\n v_mov_b32 v5, 0\n"
	  "v_mov_b32 v6, 0\n v_cvt_pk_fp8_f32 v3, v1, -v1 op_sel:[0,0,1]\n v_cvt_pk_fp8_f32 v4, v2, v1\n"
	  "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n v_cvt_pk_fp8_f32 v5, v2, -v2\n v_cvt_pk_bf8_f32 v6, v2, v1",
	  "v3=0xc040ffff v4=0x4080 v5=0xff7f v6=0x4060" },
	{ "v_mov_b32 v1, 0x3f880000\n v_mov_b32 v2, -1\n v_mov_b32 v3, 0x11223344\n v_mov_b32 v4, v3\n"
	  "v_cvt_sr_fp8_f32 v3, v1, v2 op_sel:[0,0,0,1]\n v_cvt_sr_bf8_f32 v4, v1, 0 op_sel:[0,0,1,0]",
	  "v3=0x11413344 v4=0x11224044" },
	{ ".long 0x02020901\n v_mov_b32 v3, 1\n .long 0x2c020901", "stop=illegal" },
};

/* Waves of 32 lanes. */
static const struct test tests_1100[] = {
	/* M0 and NULL */
	{ "s_mov_b32 m0, 7\n s_mov_b32 null, 5\n s_mov_b64 null, -1\n s_mov_b32 s5, m0\n"
	  "s_mov_b32 s6, null\n s_or_b64 s[8:9], null, 1", "s5=7 s6=0 s8=1 s9=0 exec=0xffffffff" },
	/* masks of one register */
	{ "s_mov_b32 s7, 9\n v_cmp_gt_u32 s6, 8, v0\n v_cndmask_b32 v1, 1, 2, s6",
	  "s6=0xff s7=9 v1[7]=2 v1[8]=1" },
	{ "s_mov_b32 vcc_lo, 0\n v_cmpx_gt_u32 8, v0\n v_mov_b32 v1, 5",
	  "exec=0xff vcc=0 v1[7]=5 v1[8]=0" },
	{ "v_cmpx_gt_u32_e64 8, v0\n v_mov_b32 v1, 5", "exec=0xff v1[7]=5 v1[8]=0" },
	{ "s_mov_b32 s4, 0xf0\n s_and_saveexec_b32 s5, s4\n v_mov_b32 v1, 3",
	  "s5=0xffffffff exec=0xf0 v1[4]=3 v1[8]=0 scc=1" },
	{ "s_mov_b32 s4, 0xf0\n s_and_not1_saveexec_b32 s5, s4\n s_or_b32 s6, exec_lo, exec_lo",
	  "s5=0xffffffff exec=0 s6=0 scc=0" },
	{ "s_mov_b32 s4, 0xf0\n s_and_not0_wrexec_b32 s5, s4",
	  "s5=0xffffff0f exec=0xffffff0f scc=1" },
	{ "v_add_co_u32 v1, vcc_lo, -1, v0\n v_add_co_ci_u32 v2, s6, 0, 0, vcc_lo",
	  "vcc=0xfffffffe s6=0 v1[0]=-1 v1[1]=0 v2[0]=0 v2[1]=1" },
	{ "s_mov_b32 vcc_lo, 0\n s_mov_b32 vcc_hi, 1\n s_mov_b32 s4, 1\n s_cbranch_vccz 1\n"
	  "s_mov_b32 s4, 2",
	  "s4=1" },
	{ "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_readlane_b32 s4, v0, 31\n s_mov_b32 s5, 34\n"
	  "v_readlane_b32 s6, v0, s5\n v_writelane_b32 v2, 6, s5",
	  "v1[5]=5 s4=31 s6=2 v2[2]=6 v2[3]=0" },
	/* literals behind VOP3, two in one */
	{ "v_lshl_add_u32 v1, v0, 2, 0x10000\n s_mov_b32 s4, 3", "v1[3]=0x1000c s4=3" },
	{ "v_mov_b32 v2, 1\n v_mov_b32 v3, 2\n v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2\n"
	  "s_mov_b32 s4, 3", "v2=2 v3=1 s4=3" },
	{ "v_dual_mov_b32 v2, 0x12345 :: v_dual_and_b32 v5, 0x12345, v0\n s_mov_b32 s4, 3",
	  "v2=0x12345 v5[7]=5 s4=3" },
	{ "s_mov_b32 s4, 2.0\n v_mov_b32 v3, 1.0\n v_mov_b32 v6, 0x40400000\n"
	  "v_dual_fmac_f32 v6, s4, v3 :: v_dual_mul_f32 v7, s4, v6",
	  "v6=0x40a00000 v7=0x40c00000" },
	/* registers by number */
	{ "v_mov_b32 v8, 5\n s_mov_b32 m0, 3\n v_movrels_b32 v1, v5\n v_movreld_b32 v2, v0\n"
	  "s_mov_b32 m0, 200\n v_movreld_b32 v3, v8\n v_movrels_b32 v4, v8",
	  "v1=5 v5[9]=9 v3=0 v4[9]=9" },
	{ "s_mov_b32 s8, 5\n s_mov_b32 m0, 4\n s_movrels_b32 s5, s4\n s_movreld_b32 s6, s5",
	  "s5=5 s10=5" },
	/* hardware registers, messages */
	{ "s_getreg_b32 s4, hwreg(28, 11, 1)\n s_getreg_b32 s5, hwreg(HW_REG_GPR_ALLOC, 12, 8)\n"
	  "s_getreg_b32 s6, hwreg(HW_REG_LDS_ALLOC, 12, 9)\n"
	  "s_getreg_b32 s7, hwreg(HW_REG_FLAT_SCR_LO)",
	  "s4=0 s5=31 s6=4 s7=0x30000000" },
	{ "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3\n s_round_mode 0xc\n s_denorm_mode 0x5\n"
	  "s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 8)", "s4=0x5c" },
	/* GPR indexing is gfx9's: MODE has no such bit */
	{ "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 24, 8), 0xff\n s_getreg_b32 s4, hwreg(HW_REG_MODE, 24, 8)",
	  "s4=0" },
	{ "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s0", "stop=illegal" },
	{ "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_TMA)\n"
	  "s_sendmsg_rtn_b32 s6, sendmsg(MSG_RTN_GET_TBA)",
	  "s4=0x22334455 s5=0x11 s6=0" },
	{ "s_sendmsg_rtn_b32 s6, sendmsg(MSG_RTN_GET_DDID)", "stop=illegal" },
	{ "s_sendmsg_rtn_b32 s6, sendmsg(MSG_RTN_GET_DOORBELL)", "stop=msg" },
	/* memory */
	{ "v_lshlrev_b32 v2, 2, v0\n global_load_b32 v1, v2, s[0:1] offset:4\n"
	  "s_load_b64 s[4:5], s[0:1], 0x10",
	  "v1[2]=0x03030303 s4=0x04040404 s5=0x05050505" },
	{ "global_load_addtid_b32 v1, s[0:1] offset:8\n"
	  "global_store_addtid_b32 v0, s[0:1] offset:64",
	  "v1[1]=0x03030303 mem21=5 mem47=31 mem48=0x30303030" },
	{ "v_mov_b32 v1, 0\n v_mov_b32 v2, 1\n global_atomic_add_u32 v3, v1, v2, s[0:1] glc",
	  "mem0=32 v3[31]=31" },
	{ "v_lshlrev_b32 v1, 2, v0\n ds_store_b32 v1, v0 offset:8\n ds_load_b32 v2, v1 offset:4",
	  "v2[5]=4" },
	{ "v_mov_b32 v1, 0\n v_mov_b32 v3, 7\n ds_store_b32 v1, v1\n s_mov_b32 exec_lo, 1\n"
	  "ds_cmpstore_rtn_b32 v5, v1, v3, v1\n ds_load_b32 v6, v1", "v5[0]=0 v6[0]=7" },
	{ "s_mov_b32 m0, 16\n ds_store_addtid_b32 v0 offset:4\n v_mov_b32 v1, 28\n"
	  "ds_load_b32 v2, v1",
	  "v2=2" },
	{ "scratch_store_b32 off, v0, off offset:4\n scratch_load_b32 v2, off, off offset:4\n"
	  "s_mov_b32 s4, 4\n scratch_load_b32 v3, off, s4", "v2[9]=9 v3[31]=31" },
	{ "s_mov_b32 s4, s0\n s_mov_b32 s5, 0x40000\n s_mov_b32 s6, 0x1000000\n"
	  "s_mov_b32 s7, 0x10807fac\n"
	  "buffer_load_b32 v1, off, s[4:7], 0 offset:4\n"
	  "buffer_store_b32 v0, off, s[4:7], 0 offset:512",
	  "v1[2]=0x03030303 mem133=5" },
	/* DPP: each control, lanes without a source, lanes that are off */
	{ "v_mov_b32_dpp v1, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v2, v0 row_ror:3 row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v3, v0 row_mirror row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v4, v0 row_half_mirror row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v5, v0 row_share:3 row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v6, v0 row_xmask:5 row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v7, v0 dpp8:[7,6,5,4,3,2,0,1]",
	  "v1[0]=3 v1[22]=21 v2[0]=13 v2[31]=28 v3[1]=14 v3[16]=31 v4[1]=6 v4[31]=24 v5[0]=3 "
	  "v5[31]=19 v6[3]=6 v6[16]=21 v7[0]=7 v7[14]=8 v7[31]=25" },
	{ "v_mov_b32 v1, 99\n v_mov_b32 v2, 99\n v_mov_b32 v3, 99\n"
	  "v_mov_b32_dpp v1, v0 row_shl:15 row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v2, v0 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1\n"
	  "v_mov_b32_dpp v3, v0 row_shr:2 row_mask:0x2 bank_mask:0x6 fi:1",
	  "v1[0]=15 v1[1]=99 v1[16]=31 v2[1]=0 v2[2]=0 v2[17]=0 v2[18]=16 v3[5]=99 v3[19]=99 "
	  "v3[20]=18 v3[27]=25 v3[28]=99" },
	{ "v_add_nc_u32 v8, 7, v0\n v_mov_b32 v1, 99\n s_mov_b32 exec_lo, 0xfffffffe\n"
	  "v_mov_b32_dpp v1, v8 row_ror:1 row_mask:0xf bank_mask:0xf\n"
	  "v_mov_b32_dpp v2, v8 row_ror:1 row_mask:0xf bank_mask:0xf bound_ctrl:1\n"
	  "v_mov_b32_dpp v3, v8 row_ror:1 row_mask:0xf bank_mask:0xf fi:1\n v_mov_b32 v4, 99\n"
	  "v_mov_b32_dpp v4, v8 dpp8:[0,0,0,0,1,1,1,1]\n"
	  "v_mov_b32_dpp v5, v8 dpp8:[0,0,0,0,1,1,1,1] fi:1",
	  "v1[1]=99 v1[2]=8 v1[16]=38 v2[1]=0 v2[2]=8 v3[1]=7 v3[0]=0 v4[1]=0 v4[4]=8 v4[9]=15 "
	  "v5[1]=7 v5[0]=0" },
	{ "v_mov_b32 v1, 0x40400000\n v_cvt_f32_u32 v2, v0\n"
	  "v_add_f32_e64_dpp v3, -v2, |v1| clamp row_share:2 row_mask:0xf bank_mask:0xf\n"
	  "v_mul_f32_dpp v4, v2, v1 dpp8:[1,1,1,1,1,1,1,1]\n"
	  "v_lshl_add_u32_e64_dpp v5, v0, v0, 7 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf",
	  "v3[0]=0x3f800000 v3[16]=0 v4[0]=0x40400000 v4[8]=0x41d80000 v5[2]=11 v5[4]=87" },
	{ "s_mov_b32 vcc_lo, 0\n v_mov_b32 v1, 8\n"
	  "v_cmp_lt_u32_dpp vcc_lo, v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf\n"
	  "v_cmp_lt_u32_e64_dpp s4, v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1\n"
	  "v_add_co_ci_u32_dpp v2, vcc_lo, v0, v1, vcc_lo dpp8:[7,6,5,4,3,2,1,0]\n"
	  "v_cndmask_b32_e64_dpp v3, v0, v1, s4 row_mirror row_mask:0xf bank_mask:0xf\n"
	  "v_cmpx_gt_u32_dpp v0, v1 row_xmask:1 row_mask:0xf bank_mask:0xf",
	  "s4=0x101ff v2[0]=15 v2[1]=15 v2[8]=24 v2[9]=22 vcc=0 v3[0]=8 v3[9]=6 v3[16]=8 exec=0xfffffd00" },
	/* lanes */
	{ "s_mov_b32 s4, 0x01234567\n s_mov_b32 s5, 0x89abcdef\n v_permlane16_b32 v1, v0, s4, s5\n"
	  "v_permlanex16_b32 v2, v0, s4, s5\n v_mov_b32 v3, 99\n v_permlane64_b32 v3, v0",
	  "v1[0]=7 v1[7]=0 v1[8]=15 v1[15]=8 v1[16]=23 v2[0]=23 v2[15]=24 v2[16]=7 v3=99" },
	{ "v_add_nc_u32 v8, 7, v0\n v_mov_b32 v1, 99\n v_mov_b32 v2, 99\n v_mov_b32 v3, 99\n"
	  "s_mov_b32 exec_lo, 0xffff0003\n s_mov_b32 s4, 0x22222222\n"
	  "v_permlane16_b32 v1, v8, s4, s4\n v_permlane16_b32 v2, v8, s4, s4 op_sel:[0,1]\n"
	  "v_permlane16_b32 v3, v8, s4, s4 op_sel:[1,0]\n v_permlanex16_b32 v8, v8, s4, s4",
	  "v1[0]=99 v1[2]=99 v1[16]=25 v2[0]=0 v2[2]=99 v2[16]=25 v3[1]=9 v3[2]=99 v8[0]=25 "
	  "v8[2]=9 v8[16]=23" },
	{ "v_permlane16_b32 v1, v0, 3, 4\n .long 0xd65b0001\n .long 0x04120901", "stop=illegal" },
	{ "v_lshlrev_b32 v1, 3, v0\n ds_bpermute_b32 v2, v1, v0\n ds_permute_b32 v3, v1, v0\n"
	  "ds_swizzle_b32 v4, v0 offset:swizzle(SWAP,1)\n s_mov_b32 exec_lo, 0xff\n"
	  "ds_bpermute_b32 v5, v1, v0 offset:4",
	  "v2[3]=6 v2[20]=8 v3[0]=16 v3[1]=0 v3[2]=17 v4[0]=1 v4[31]=30 v5[3]=7 v5[4]=0 v5[8]=0" },
	/* 16 bits: the other half of the result's register is kept, in each encoding */
	{ "v_mov_b32 v1, 0x40003c00\n v_mov_b32 v2, 0x55554000\n v_add_f16 v2, v1, v2\n"
	  "v_mov_b32 v3, 0x55553c00\n .long 0x65060781\n"	/* v3.h = v1.h + v3.l */
	  "v_mov_b32 v4, 0x55555555\n v_mul_f16_e64 v4, -v1, 2.0\n v_mov_b32 v5, 0x77777777\n"
	  "v_cvt_f16_f32 v5, 1.0\n v_cvt_f32_f16 v6, v1\n v_mov_b32 v7, 0x77777777\n"
	  "v_mov_b32_dpp v8, v1 row_share:0 row_mask:0xf bank_mask:0xf\n"
	  "v_max_f16_dpp v7, v8, v1 row_ror:1 row_mask:0x1 bank_mask:0xf",
	  "v2=0x55554200 v3=0x42003c00 v4=0x5555c000 v5=0x77773c00 v6=0x3f800000 v7[0]=0x77773c00 "
	  "v7[16]=0x77777777" },
	{ "v_mov_b32 v1, 0x3c01\n v_mov_b32 v2, 0x1234bc02\n v_fmac_f16 v2, v1, v1\n"
	  "v_fmamk_f16 v3, v1, 0x4200, v1\n v_fmaak_f16 v4, v1, v1, 0xbc02\n"
	  "v_mov_b32 v5, 0xbc024000\n .long 0x6d0a0301\n"	/* v5.h += v1.l * v1.l */
	  "v_fma_f16 v6, v1, v1, v5 op_sel:[0,0,1,1]",
	  "v2=0x12340010 v3=0x4401 v4=0x0010 v5=0x00104000 v6=0x3c020000" },
	{ "v_mov_b32 v1, 0x00050003\n v_mov_b32 v2, 0x00070002\n v_mov_b32 v3, 0x22221111\n"
	  "v_mov_b32 v4, v3\n v_mov_b32 v5, v3\n v_mad_u16 v3, v1, v2, v1 op_sel:[1,0,0,1]\n"
	  "v_mad_i16 v4, v1, v2, -1 op_sel:[0,1,0,0]\n v_mad_u32_u16 v6, v1, v2, 0x10000 op_sel:[1,1,0,0]\n"
	  "v_add_nc_u16 v5, v1, v2 op_sel:[1,1,1]\n v_add_nc_u16 v7, -1, v1 clamp\n"
	  "v_sub_nc_i16 v8, 0x8000, v1 clamp\n v_mul_lo_u16 v9, v1, v2",
	  "v3=0x000d1111 v4=0x22220014 v5=0x000c1111 v6=0x10023 v7=0xffff v8=0x8000 v9=6" },
	{ "v_mov_b32 v1, 0x7fff8001\n v_cvt_i32_i16 v2, v1\n v_cvt_u32_u16 v3, v1\n"
	  "v_mov_b32 v4, 0x11112222\n v_not_b16 v4, v1\n v_lshlrev_b16 v5, 4, v1\n"
	  "v_lshrrev_b16 v6, 4, v1\n v_ashrrev_i16 v7, 4, v1\n v_min_i16 v8, v1, 5\n"
	  "v_max_u16 v9, v1, 5\n v_and_b16 v10, 0xff, v1\n v_med3_i16 v11, v1, 5, 3\n"
	  "v_mov_b32 v12, 0x10\n v_xor_b16 v12, 0xff01, v1",
	  "v2=0xffff8001 v3=0x8001 v4=0x11117ffe v5=0x10 v6=0x800 v7=0xf800 v8=0x8001 v9=0x8001 "
	  "v10=1 v11=3 v12=0x7f00" },
	{ "v_mov_b32 v1, 0xc500\n v_cvt_i16_f16 v2, v1\n v_cvt_u16_f16 v3, -v1\n"
	  "v_cvt_f16_i16 v4, v2\n v_cvt_f16_u16 v5, v3\n v_floor_f16 v6, -0.5\n"
	  "v_mov_b32 v7, 0x4400\n v_rsq_f16 v8, v7\n v_frexp_exp_i16_f16 v9, v7\n"
	  "v_ldexp_f16 v10, v7, -1\n v_mov_b32 v11, 0x47c35000\n v_cvt_pk_i16_f32 v12, v11, -1.0\n"
	  "v_cvt_pk_u16_f32 v13, 2.0, -v11\n v_cvt_pk_rtz_f16_f32 v14, v11, 1.0",
	  "v2=0xfffb v3=5 v4=0xc500 v5=0x4500 v6=0xbc00 v8=0x3800 v9=3 v10=0x4000 v12=0xffff7fff "
	  "v13=2 v14=0x3c007bff" },
	{ "v_mov_b32 v1, 0x00014000\n v_cmp_lt_f16 s4, 1.0, v1\n v_cmp_gt_i16 vcc_lo, 0, v0\n"
	  "v_cmp_le_u16 s5, 30, v0\n v_cmp_class_f16 s6, v1, 0x100\n v_mov_b32 v2, 0x11112222\n"
	  "v_mov_b32 v3, v2\n v_cndmask_b16 v2, v0, v1, s5\n v_maxmin_f16 v3, v1, 1.0, 0.5\n"
	  "v_minmax_f16 v4, v1, 1.0, 4.0\n v_maxmin_f32 v5, -1.0, 2.0, 1.0\n"
	  "v_minmax_f32 v6, -1.0, 2.0, 1.0\n v_pack_b32_f16 v7, v1, v1 op_sel:[0,1,0]\n"
	  "v_cmpx_gt_u16 4, v0",
	  "s4=0xffffffff vcc=0 s5=0xc0000000 s6=0xffffffff v2[3]=0x11110003 v2[30]=0x11114000 "
	  "v3=0x11113800 v4=0x4400 v5=0x3f800000 v6=0x3f800000 v7=0x00014000 exec=15" },
	{ "v_mov_b32 v1, 4\n v_mov_b32 v2, 0x11112222\n v_mov_b32 v3, v2\n v_mov_b32 v4, v2\n"
	  "v_mov_b32 v5, v2\n v_mov_b32 v6, 0x90a0b0\n ds_store_b32 v1, v6\n"
	  "global_load_d16_hi_b16 v2, v1, s[0:1]\n global_load_d16_b16 v3, v1, s[0:1]\n"
	  "ds_load_i8_d16_hi v4, v1 offset:1\n ds_load_u8_d16 v5, v1\n v_mov_b32 v7, 0x33334444\n"
	  "global_load_d16_i8 v7, v1, s[0:1]",
	  "v2=0x01012222 v3=0x11110101 v4=0xffa02222 v5=0x111100b0 v7=0x33330001" },
	{ "s_mov_b32 s4, s0\n s_mov_b32 s5, 0\n s_mov_b32 s6, 16\n s_mov_b32 s7, 0\n"
	  "v_mov_b32 v2, 0x11112222\n v_mov_b32 v3, v2\n"
	  "buffer_load_d16_hi_u8 v2, off, s[4:7], 0 offset:4\n"
	  "buffer_load_d16_b16 v3, off, s[4:7], 0 offset:20",
	  "v2=0x00012222 v3=0x11110000" },
	/* packed, mixed, dot products */
	{ "v_mov_b32 v1, 0x40003c00\n v_mov_b32 v2, 0x42004400\n v_pk_add_f16 v3, v1, v2\n"
	  "v_pk_mul_f16 v4, v1, v2 op_sel:[1,0] op_sel_hi:[0,0] neg_hi:[1,0]\n"
	  "v_pk_fma_f16 v5, v1, v1, v2\n v_pk_max_f16 v6, v1, 2.0 op_sel_hi:[1,0]\n"
	  "v_mov_b32 v7, v2\n v_pk_fmac_f16 v7, v1, v1\n v_mov_b32 v8, 0x7fff8000\n"
	  "v_pk_add_i16 v9, v8, v8 clamp\n v_pk_mad_u16 v10, v8, 3, 1 op_sel_hi:[1,0,0]\n"
	  "v_pk_lshrrev_b16 v11, 4, v8 op_sel_hi:[0,1]",
	  "v3=0x45004500 v4=0xc4004800 v5=0x47004500 v6=0x40004000 v7=0x47004500 v9=0x7fff8000 "
	  "v10=0x7ffe8001 v11=0x07ff0800" },
	{ "v_mov_b32 v1, 0x40003c00\n v_mov_b32 v2, 0x40400000\n v_mov_b32 v4, 0x11112222\n"
	  "v_mov_b32 v5, v4\n v_fma_mix_f32 v3, v1, v2, v1 op_sel:[1,0,0] op_sel_hi:[1,0,1]\n"
	  "v_fma_mixlo_f16 v4, -v1, v2, |v1| op_sel_hi:[1,0,1]\n"
	  "v_fma_mixhi_f16 v5, v1, v2, 0 op_sel:[1,0,0] op_sel_hi:[1,0,0]\n v_cvt_f32_u32 v6, v0\n"
	  "v_fma_mix_f32_e64_dpp v7, v6, v2, 1.0 row_share:2 row_mask:0xf bank_mask:0xf",
	  "v3=0x40e00000 v4=0x1111c000 v5=0x46002222 v7[0]=0x40e00000 v7[16]=0x425c0000" },
	{ "v_mov_b32 v1, 0xff020304\n v_mov_b32 v2, 0x0201fe01\n v_dot4_i32_iu8 v3, v1, v2, 1\n"
	  "v_dot4_i32_iu8 v4, v1, v2, 1 neg_lo:[1,0,0]\n v_dot4_i32_iu8 v5, v1, v2, 1 neg_lo:[0,1,0]\n"
	  "v_dot4_i32_iu8 v6, v1, v2, 1 neg_lo:[1,1,0]\n v_dot4_u32_u8 v7, v1, v2, 1\n"
	  "v_mov_b32 v8, 0x7fffffff\n v_dot4_i32_iu8 v9, v1, v2, v8 clamp",
	  "v3=1279 v4=767 v5=511 v6=-1 v7=1279 v9=0x7fffffff" },
	{ "v_mov_b32 v1, 0xf0000012\n v_mov_b32 v2, 0x20000034\n v_dot8_i32_iu4 v3, v1, v2, -1\n"
	  "v_dot8_i32_iu4 v4, v1, v2, -1 neg_lo:[1,1,0]\n v_dot8_u32_u4 v5, v1, v2, 1\n"
	  "v_mov_b32 v6, 0x80000000\n v_dot8_i32_iu4 v7, v1, 2, v6 neg_lo:[1,0,0] clamp",
	  "v3=40 v4=8 v5=42 v7=0x80000004" },
	{ "v_mov_b32 v1, 0x40003f80\n v_mov_b32 v2, 0x40403f80\n v_dot2_f32_bf16 v3, v1, v2, 1.0\n"
	  "v_dot2_f32_bf16 v4, v1, v2, 1.0 op_sel:[1,0,0] op_sel_hi:[0,1,1]\n"
	  "v_mov_b32 v5, 0x40003c00\n v_mov_b32 v6, 0x42003c00\n v_dot2_f32_f16 v7, v5, v6, 1.0\n"
	  "v_mov_b32 v8, 0x3c001111\n v_dot2_f16_f16 v8, v5, v6, v8 op_sel:[0,0,1,1]\n"
	  "v_mov_b32 v9, 0x11113f80\n v_dot2_bf16_bf16 v9, v1, v2, v9\n v_mov_b32 v10, 1.0\n"
	  "v_dot2acc_f32_f16 v10, v5, v6\n v_mov_b32 v11, 1.0\n"
	  "v_dual_dot2acc_f32_f16 v11, v5, v6 :: v_dual_mov_b32 v12, v5",
	  "v3=0x41000000 v4=0x40c00000 v7=0x41000000 v8=0x48001111 v9=0x11114100 v10=0x41000000 "
	  "v11=0x41000000 v12=0x40003c00" },
	{ "v_mov_b32 v1, 0x3f813f81\n v_mov_b32 v2, 0x3f803f80\n v_mov_b32 v3, 0x3380\n"
	  "v_dot2_bf16_bf16 v4, v1, v2, v3\n v_mov_b32 v5, 0x3c013c01\n v_mov_b32 v6, 0x3c003c00\n"
	  "v_mov_b32 v7, 0x0001\n v_dot2_f16_f16 v8, v5, v6, v7\n v_mov_b32 v9, 0x7e00\n"
	  "v_dot2_f16_f16 v10, v5, v6, v9\n v_dot2_f16_f16 v11, -v5, v6, v9",
	  "stop=illegal v4=0x4001 v8=0x4001 v10=0x7e00 v11=0" },
	/* nothing to do here */
	{ "s_waitcnt_vscnt null, 0x0\n s_delay_alu instid0(VALU_DEP_1)\n s_clause 0x1\n"
	  "s_waitcnt_depctr 0xfffe\n buffer_gl0_inv\n buffer_gl1_inv\n s_version 0x4006\n"
	  "s_mov_b32 s4, 1",
	  "s4=1" },
	{ "v_xor3_b32 v1, v0, 5, 6\n v_maxmin_u32 v2, v0, 4, 7\n v_minmax_i32 v3, v0, 7, -1",
	  "v1[1]=2 v2[0]=4 v2[9]=7 v3[9]=7 v3[2]=2" },
	{ "s_mov_b32 s4, 0x11112222\n s_mov_b32 s5, 0x33334444\n s_pack_hl_b32_b16 s6, s4, s5",
	  "s6=0x44441111" },
	/* what is not there is not executed */
	{ "s_code_end", "stop=illegal" },
	/* DPP that is gfx9's, or of 64 bits */
	{ ".long 0x7e0202fa\n .long 0xff014200", "stop=illegal" },
	{ ".long 0x7e0202fa\n .long 0xff013000", "stop=illegal" },
	{ ".long 0x7e0420fa\n .long 0xff00e400", "stop=illegal" },
	{ ".long 0xcb500501\n .long 0x02020501", "stop=illegal" },	/* v_dual_dot2acc_f32_bf16 */
	{ ".long 0xbfff0000", "stop=illegal" },
};

/* And of 64. */
static const struct test tests_1100_64[] = {
	{ "v_cmp_gt_u32 vcc, 40, v0\n v_cndmask_b32 v1, 1, 2, vcc",
	  "vcc=0xffffffffff v1[39]=2 v1[40]=1" },
	{ "s_getreg_b32 s4, hwreg(28, 11, 1)\n s_mov_b64 s[6:7], 1\n"
	  "s_and_saveexec_b64 s[8:9], s[6:7]",
	  "s4=1 s8=0xffffffff s9=0xffffffff exec=1" },
	{ "global_store_addtid_b32 v0, s[0:1] offset:64\n v_readlane_b32 s4, v0, 63",
	  "mem79=63 s4=63" },
	{ "scratch_store_b32 off, v0, off offset:4\n scratch_load_b32 v2, off, off offset:4",
	  "v2[63]=63" },
	{ "v_permlane64_b32 v1, v0\n v_lshlrev_b32 v4, 3, v0\n ds_bpermute_b32 v3, v4, v0\n"
	  "ds_permute_b32 v5, v4, v0\n s_mov_b64 exec, 0xff\n v_permlane64_b32 v2, v0\n"
	  "v_permlanex16_b32 v6, v0, 0, 0",
	  "v1[0]=32 v1[63]=31 v2[3]=35 v2[8]=0 v2[40]=0 v3[20]=8 v3[40]=48 v5[0]=16 v5[34]=49 "
	  "v6[0]=0" },
	{ "v_mov_b32 v1, 99\n v_mov_b32_dpp v1, v0 row_share:9 row_mask:0xc bank_mask:0xf\n"
	  "s_mov_b32 exec_lo, 0\n v_mov_b32_dpp v2, v0 row_xmask:15 row_mask:0xf bank_mask:0xf\n"
	  "v_cmp_lt_u32_dpp vcc, v0, v1 dpp8:[0,1,2,3,4,5,6,7]",
	  "v1[31]=99 v1[32]=41 v1[63]=57 v2[31]=0 v2[32]=47 v2[48]=63 vcc=0x1ff01ff00000000" },
};

#define NTESTS (sizeof(tests) / sizeof(tests[0]))
#define NTESTS_1100 (sizeof(tests_1100) / sizeof(tests_1100[0]))
#define NTESTS_1100_64 (sizeof(tests_1100_64) / sizeof(tests_1100_64[0]))
#define NTESTS_942 (sizeof(tests_942) / sizeof(tests_942[0]))

/* The cases of each instruction set, by LLVM's name of it; the first has the most. */
static const struct suite {
	const struct isa *isa;
	const char *cpu;
	const struct test *tests;
	unsigned int n, lanes;
} suites[] = {
	{ &isa_gfx90a, "gfx90a", tests, NTESTS, 64 },
	{ &isa_gfx942, "gfx940", tests_942, NTESTS_942, 64 },
	{ &isa_gfx1100, "gfx1100", tests_1100, NTESTS_1100, 32 },
	{ &isa_gfx1100, "gfx1100 -mattr=+wavefrontsize64,-wavefrontsize32", tests_1100_64,
	  NTESTS_1100_64, 64 },
};

struct memory {
	u8 *code, *data, *scratch;
};

static void *test_ptr(void *ctx, u64 va, size_t *span, bool write)
{
	const struct memory *m = ctx;

	(void)write;
	if (va - CODE_VA < SLOT * NTESTS) {
		*span = SLOT * NTESTS + PAGE - (va - CODE_VA);
		return m->code + (va - CODE_VA);
	}
	if (va - DATA_VA < PAGE) {
		*span = PAGE - (va - DATA_VA);
		return m->data + (va - DATA_VA);
	}
	if (va - SCRATCH_VA < PAGE) {
		*span = PAGE - (va - SCRATCH_VA);
		return m->scratch + (va - SCRATCH_VA);
	}
	return NULL;
}

static u32 test_generation(void *ctx)
{
	(void)ctx;
	return 1;
}

/* All programs in one image, one every SLOT bytes. */
static bool assemble(u8 *image, const struct suite *s)
{
	char path[] = "/tmp/isa_semantics.XXXXXX", cmd[512];
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	size_t got = 0;

	if (!f)
		return false;
	for (unsigned int n = 0; n < s->n; n++)
		fprintf(f, ".org %u\n%s\ns_endpgm\n", n * SLOT, s->tests[n].code);
	fclose(f);
	snprintf(cmd, sizeof(cmd), "$(command -v llvm-mc-15 || echo llvm-mc) -arch=amdgcn "
		 "-mcpu=%s -filetype=obj %s -o %s.o && "
		 "$(command -v llvm-objcopy-15 || echo llvm-objcopy) -O binary -j .text %s.o %s.bin",
		 s->cpu, path, path, path, path);
	if (!system(cmd)) {
		snprintf(cmd, sizeof(cmd), "%s.bin", path);
		f = fopen(cmd, "rb");
		got = f ? fread(image, 1, SLOT * NTESTS, f) : 0;
		if (f)
			fclose(f);
	}
	snprintf(cmd, sizeof(cmd), "rm -f %s %s.o %s.bin", path, path, path);
	return !system(cmd) && got > SLOT * (s->n - 1);
}

static const char *const stops[] = {
	[WAVE_BUDGET] = "budget", [WAVE_SLEEP] = "sleep", [WAVE_BARRIER] = "barrier",
	[WAVE_END] = "end", [WAVE_FAULT] = "fault", [WAVE_ILLEGAL] = "illegal",
	[WAVE_TRAP] = "trap", [WAVE_MSG] = "msg",
};

/* One "REG[LANE]=VALUE"; prints what differs. */
static bool check_one(const struct wave *w, const struct memory *m, const char *stop,
		      const char *want)
{
	char reg[16] = "";
	const char *eq = strchr(want, '='), *bracket = strchr(want, '[');
	size_t len = strcspn(want, "[=");
	unsigned int n, lane = 64;
	u64 v, got = 0;

	memcpy(reg, want, len < 15 ? len : 15);
	v = (u64)strtoll(eq + 1, NULL, 0);
	if (bracket && bracket < eq)
		lane = strtoul(bracket + 1, NULL, 10);
	n = strtoul(reg + strcspn(reg, "0123456789"), NULL, 10);
	if (!strcmp(reg, "stop"))
		return !strcmp(stop, eq + 1) || (printf("#   stop=%s\n", stop), false);
	if (!strcmp(reg, "vcc")) {
		got = get_mask(w, SGPR_VCC);
	} else if (!strcmp(reg, "exec")) {
		got = wave_exec(w);
	} else if (!strcmp(reg, "trapsts")) {
		got = w->trapsts;
	} else if (!strcmp(reg, "scc")) {
		got = w->scc;
	} else if (!strncmp(reg, "mem", 3)) {
		memcpy(&got, m->data + 4 * n, 4);
	} else if (reg[0] == 's') {
		got = w->sgpr[n];
	} else {
		const u32 *r = w->vgpr[n + (reg[0] == 'a' ? w->acc_offset : 0)];

		for (unsigned int l = 0; l < w->lanes; l++)
			if (r[l] != (u32)v && (lane == 64 || lane == l)) {
				printf("#   %s[%u]=%#x\n", reg, l, r[l]);
				return false;
			}
		return true;
	}
	if (got == v)
		return true;
	printf("#   %s=%#llx\n", reg, (unsigned long long)got);
	return false;
}

static bool run(const struct test *t, unsigned int index, const struct suite *s, struct memory *m)
{
	u32 gws[GWS_RESOURCES] = { [3] = 1 };
	struct wave_mem mem = {
		.isa = s->isa, .tma = 0x1122334455ull << 8,
		.ptr = test_ptr, .generation = test_generation, .ctx = m, .gws = gws,
		.shared_base = SHARED_VA, .private_base = PRIVATE_VA,
	};
	struct workgroup *wg = wg_alloc(1, s->lanes, 128, s->isa->rdna ? 128 : 120, 1024);
	char want[512], stop[16], *save, *one;
	enum wave_stop why;
	u32 budget = 1000;
	struct wave *w;
	bool good = true;

	if (!wg)
		return false;
	w = wg->waves;
	w->mem = &mem;
	w->mode = MODE_DEFAULT;
	w->xcc_id = 5;
	w->pc = CODE_VA + index * SLOT;
	w->flat_scratch = SCRATCH_VA;
	set_sgpr64(w, 0, DATA_VA);
	for (unsigned int l = 0; l < LANES; l++)
		w->vgpr[0][l] = l;
	for (unsigned int n = 0; n < PAGE / 4; n++) {
		u32 v = n * 0x01010101;

		memcpy(m->data + 4 * n, &v, 4);
	}
	memset(m->scratch, 0, PAGE);
	why = wave_run(w, &budget);
	snprintf(stop, sizeof(stop), "%s", stops[why]);
	if (!strstr(t->want, "stop=") && why != WAVE_END) {
		printf("#   stop=%s\n", stop);
		good = false;
	}
	snprintf(want, sizeof(want), "%s", t->want);
	for (one = strtok_r(want, " ", &save); one; one = strtok_r(NULL, " ", &save))
		good &= check_one(w, m, stop, one);
	wg_free(wg);
	return good;
}

static void run_suite(const struct suite *s, struct memory *m)
{
	char name[128];

	if (!assemble(m->code, s)) {
		snprintf(name, sizeof(name), "llvm-mc assembles the programs for %s", s->cpu);
		ok(false, name);
		return;
	}
	for (unsigned int n = 0; n < s->n; n++) {
		snprintf(name, sizeof(name), "%s", s->tests[n].code);
		for (char *p = name; *p; p++)
			if (*p == '\n' || *p == '#')
				*p = ';';
		ok(run(&s->tests[n], n, s, m), name);
	}
}

static u32 five(void *ctx)
{
	(void)ctx;
	return GWS_RANGE(0, 5);
}

static u32 six_from_3(void *ctx)
{
	(void)ctx;
	return GWS_RANGE(3, 6);
}

/* Two waves at a barrier of the GWS; the first one is saved and restored while it waits. */
static void run_gws_barrier(struct memory *m)
{
	static const struct test programs[] = {
		{ "ds_gws_barrier v0 offset:5 gds\n s_mov_b32 s4, 1\n"
		  "ds_gws_barrier v0 offset:5 gds", "" },
	};
	static const struct suite suite = { &isa_gfx90a, "gfx90a", programs, 1, 64 };
	u32 gws[GWS_RESOURCES] = { [5] = 1 };
	struct wave_mem mem = {
		.isa = &isa_gfx90a,
		.ptr = test_ptr, .generation = test_generation, .ctx = m, .gws = gws,
	};
	struct workgroup *wg = wg_alloc(2, LANES, 128, 120, 0);
	u32 budget = 1000, i;
	struct wave *w;

	if (!wg || !assemble(m->code, &suite)) {
		ok(false, "a program for two waves");
		return;
	}
	w = wg->waves;
	for (i = 0; i < 2; i++) {
		w[i].mem = &mem;
		w[i].pc = CODE_VA;
		set_sgpr64(&w[i], SGPR_EXEC, 1);
		w[i].vgpr[0][0] = 1;	/* the next barrier's count */
	}
	ok(wave_run(&w[0], &budget) == WAVE_SLEEP && wave_run(&w[0], &budget) == WAVE_SLEEP &&
	   !gws[5], "ds_gws_barrier: the first wave waits, and counts once");
	wave_leave_gws(&w[0]);
	ok(gws[5] == 1 && w[0].pc == CODE_VA, "taken off, it has not come yet");
	ok(wave_run(&w[0], &budget) == WAVE_SLEEP && wave_run(&w[1], &budget) == WAVE_SLEEP &&
	   w[1].sgpr[4] == 1 && w[1].pc > CODE_VA, "the second one goes on to the next barrier");
	wave_leave_gws(&w[0]);
	ok(w[0].pc == CODE_VA + 8 && wave_run(&w[0], &budget) == WAVE_END &&
	   wave_run(&w[1], &budget) == WAVE_END && w[0].sgpr[4] == 1,
	   "taken off behind it, the first one goes on there");
	w[1].pc = CODE_VA;
	w[1].ended = false;
	mem.gws_range = five;
	ok(wave_run(&w[1], &budget) == WAVE_ILLEGAL && w[1].pc == CODE_VA && gws[5] == 1,
	   "a resource that its VMID does not have");
	mem.gws_range = six_from_3;
	ok(wave_run(&w[1], &budget) == WAVE_SLEEP && gws[5] == 1 && gws[8] == GWS_FLAG,
	   "its VMID's begin at the base");
	wg_free(wg);
}

#define BELL_VA		0x40000000ull

/* Doorbells: a page without memory. */
static struct {
	unsigned int rings;
	u64 va, value;
	size_t bytes;
} bell;

static bool test_ring(void *ctx, u64 va, const u64 *value, size_t bytes)
{
	(void)ctx;
	if (va - BELL_VA >= PAGE)
		return false;
	if (value) {
		bell.rings++;
		bell.va = va;
		bell.value = *value;
		bell.bytes = bytes;
	}
	return true;
}

/* Stores to doorbells ring them, with all of their value at once; other accesses halt the wave. */
static void run_doorbells(struct memory *m)
{
	static const struct test programs[] = {
		{ "v_mov_b32 v2, 0x40000018\n v_mov_b32 v3, 0\n v_mov_b32 v4, 7\n v_mov_b32 v5, 3\n"
		  "global_store_dwordx2 v[2:3], v[4:5], off\n"
		  "v_mov_b32 v2, 0x40000020\n global_store_dword v[2:3], v4, off", "" },
		{ "v_mov_b32 v2, 0x40000018\n v_mov_b32 v3, 0\n v_mov_b32 v4, 7\n"
		  "global_atomic_add v[2:3], v4, off", "" },
		{ "v_mov_b32 v2, 0x4000001c\n v_mov_b32 v3, 0\n"
		  "global_store_dwordx2 v[2:3], v[4:5], off", "" },
		{ "v_mov_b32 v2, 0x40000018\n v_mov_b32 v3, 0\n"
		  "global_load_dword v4, v[2:3], off", "" },
	};
	static const struct suite suite = { &isa_gfx90a, "gfx90a", programs, 4, 64 };
	struct wave_mem mem = {
		.isa = &isa_gfx90a, .ring = test_ring,
		.ptr = test_ptr, .generation = test_generation, .ctx = m,
	};
	struct workgroup *wg = wg_alloc(1, LANES, 128, 120, 0);
	unsigned int i;
	struct wave *w;
	u32 budget = 6;

	if (!wg || !assemble(m->code, &suite)) {
		ok(false, "programs that ring");
		return;
	}
	w = wg->waves;
	w->mem = &mem;
	w->pc = CODE_VA;
	set_sgpr64(w, SGPR_EXEC, 1);
	ok(wave_run(w, &budget) == WAVE_BUDGET && bell.rings == 1 && bell.va == BELL_VA + 0x18 &&
	   bell.value == (3ull << 32 | 7) && bell.bytes == 8, "a store of 8 bytes rings a doorbell once");
	budget = 1000;
	ok(wave_run(w, &budget) == WAVE_END && bell.rings == 2 && bell.va == BELL_VA + 0x20 &&
	   bell.value == 7 && bell.bytes == 4, "so does one of 4");
	for (i = 1; i < 4; i++) {
		budget = 1000;
		w->pc = CODE_VA + i * SLOT;
		w->ended = false;
		ok(wave_run(w, &budget) == WAVE_FAULT && bell.rings == 2,
		   i == 1 ? "an atomic does not" : i == 2 ? "nor does what is not aligned" : "nor a load");
	}
	wg_free(wg);
}

/* A wave of 32 lanes: masks of it are one register, what lies above that is not theirs. */
static void run_wave32(struct memory *m)
{
	static const struct test programs[] = {
		{ "s_mov_b32 s5, 0x1234\n s_mov_b32 vcc_lo, 0\n s_mov_b32 vcc_hi, 1\n"
		  "v_cmp_le_u32 s[4:5], v0, v0\n v_cndmask_b32 v1, 1, 2, vcc\n"
		  "v_mov_b32 v2, 3\n s_cbranch_vccz 1\n s_mov_b32 s5, 0", "" },
	};
	static const struct suite suite = { &isa_gfx90a, "gfx90a", programs, 1, 32 };
	struct wave_mem mem = {
		.isa = &isa_gfx90a, .ptr = test_ptr, .generation = test_generation, .ctx = m,
	};
	struct workgroup *wg = wg_alloc(1, 32, 128, 120, 0);
	u32 budget = 1000;
	struct wave *w;

	if (!wg || !assemble(m->code, &suite)) {
		ok(false, "a program for a wave of 32");
		return;
	}
	w = wg->waves;
	w->mem = &mem;
	w->pc = CODE_VA;
	w->sgpr[SGPR_EXEC + 1] = ~0u;
	ok(wave_run(w, &budget) == WAVE_END && w->sgpr[4] == ~0u && w->sgpr[5] == 0x1234,
	   "a wave of 32: a comparison writes one register, and VCC is zero by its lower half");
	ok(w->vgpr[1][31] == 1 && w->vgpr[2][31] == 3 && w->sgpr[SGPR_EXEC + 1] == ~0u &&
	   !(wave_status(w) >> 9 & 1), "each of its lanes does what it is told");
	wg_free(wg);
}

int main(void)
{
	struct memory m = {
		.code = aligned_alloc(PAGE, (SLOT * NTESTS + 2 * PAGE) & ~(PAGE - 1)),
		.data = aligned_alloc(PAGE, PAGE),
		.scratch = aligned_alloc(PAGE, PAGE),
	};

	if (!m.code || !m.data || !m.scratch)
		return 1;
	memset(m.code, 0, (SLOT * NTESTS + 2 * PAGE) & ~(PAGE - 1));
	for (unsigned int n = 0; n < sizeof(suites) / sizeof(suites[0]); n++)
		run_suite(&suites[n], &m);
	run_gws_barrier(&m);
	run_doorbells(&m);
	run_wave32(&m);
	free(m.code);
	free(m.data);
	free(m.scratch);
	return tap_done();
}
