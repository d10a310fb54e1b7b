// SPDX-License-Identifier: GPL-2.0
//
// Trap handlers and kernels of tests/trap.c. The first level does what the driver's
// does for a wave that is not to be saved (cwsr_trap_handler_gfx9.asm): TTMP12 is
// STATUS, TTMP14 and 15 the second level's TMA. SECOND may name another second
// level to assemble in place of this one.

	.set TRAP_ID, 16 | 8 << 16		// of TTMP1, for s_bfe
	.set HALT, 13 | 1 << 16			// of STATUS
	.set SAVED_HALT, 1 << 29		// of TTMP6

// Each program begins at a place of its own.
	.org 0x0
first:
	s_branch .Lnot_restore
	s_endpgm
.Lnot_restore:
	s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
	s_getreg_b32 ttmp14, hwreg(18)		// SQ_SHADER_TMA_LO
	s_getreg_b32 ttmp15, hwreg(19)
	s_lshl_b64 ttmp[14:15], ttmp[14:15], 8
	s_load_dword ttmp2, ttmp[14:15], 0x10 glc	// is there a debugger?
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 ttmp2, ttmp2, 23
	s_andn2_b32 ttmp11, ttmp11, 1 << 23
	s_or_b32 ttmp11, ttmp11, ttmp2
	s_load_dwordx2 ttmp[2:3], ttmp[14:15], 0x0 glc
	s_waitcnt lgkmcnt(0)
	s_load_dwordx2 ttmp[14:15], ttmp[14:15], 0x8 glc
	s_waitcnt lgkmcnt(0)
	s_setpc_b64 ttmp[2:3]

// Tells the driver the exception and halts the wave, as ROCr's does.
	.org 0x400
report:
.ifdef SECOND
	.include "second.s"
.else
	s_bfe_u32 ttmp2, ttmp1, TRAP_ID
	s_cbranch_scc0 .Ltell
	s_add_u32 ttmp0, ttmp0, 4
	s_addc_u32 ttmp1, ttmp1, 0
	s_cmp_eq_u32 ttmp2, 3			// a breakpoint: nothing without a debugger
	s_cbranch_scc0 .Ltell
	s_bitcmp0_b32 ttmp11, 23
	s_cbranch_scc1 .Lreturn
.Ltell:
	s_min_u32 ttmp2, ttmp2, 15
	s_lshl_b32 ttmp2, ttmp2, 25
	s_andn2_b32 ttmp6, ttmp6, 15 << 25 | SAVED_HALT
	s_or_b32 ttmp6, ttmp6, ttmp2
	s_mov_b64 ttmp[2:3], exec
	s_mov_b32 exec_lo, 0x80000000
	s_sendmsg sendmsg(10)			// the doorbell comes in EXEC
.Lwait:
	s_nop 7
	s_bitcmp0_b32 exec_lo, 31
	s_cbranch_scc0 .Lwait
	s_mov_b32 exec_hi, ttmp3
	s_and_b32 ttmp3, exec_lo, 0x3ff
	s_mov_b32 exec_lo, ttmp2
	s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
	s_bitcmp1_b32 ttmp2, 28			// XNACK_ERROR
	s_cbranch_scc0 .Lno_fault
	s_bitset1_b32 ttmp3, 10 + 4		// EC_QUEUE_WAVE_MEMORY_VIOLATION
.Lno_fault:
	s_bitcmp1_b32 ttmp2, 11			// ILLEGAL_INST
	s_cbranch_scc0 .Llegal
	s_bitset1_b32 ttmp3, 10 + 3
.Llegal:
	s_bfe_u32 ttmp2, ttmp6, 25 | 4 << 16
	s_cmp_eq_u32 ttmp2, 2
	s_cbranch_scc0 .Lno_abort
	s_bitset1_b32 ttmp3, 10 + 0
.Lno_abort:
	s_andn2_b32 ttmp2, ttmp3, 0x3ff
	s_cbranch_scc1 .Lsend
	s_bitset1_b32 ttmp3, 10 + 1		// EC_QUEUE_WAVE_TRAP
.Lsend:
	s_mov_b32 ttmp2, m0
	s_mov_b32 m0, ttmp3
	s_nop 0
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_waitcnt lgkmcnt(0)
	s_mov_b32 m0, ttmp2
	s_bitset1_b32 ttmp12, 13		// HALT
.Lreturn:
	s_lshr_b32 ttmp2, ttmp11, 11
	s_and_b32 ttmp2, ttmp2, 0x1f8000
	s_setreg_b32 hwreg(HW_REG_IB_STS), ttmp2
	s_and_b64 exec, exec, exec
	s_and_b64 vcc, vcc, vcc
	s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
	s_rfe_b64 ttmp[0:1]
.endif

// Counts in memory: at its TMA a counter, behind it what the last trap was for.
	.org 0x1000
count:
	s_mov_b32 ttmp2, 1
	s_atomic_add ttmp2, ttmp[14:15], 0x0 glc
	s_getreg_b32 ttmp3, hwreg(HW_REG_TRAPSTS)
	s_store_dword ttmp3, ttmp[14:15], 0x4 glc
	s_store_dwordx2 ttmp[0:1], ttmp[14:15], 0x8 glc
	s_store_dwordx4 ttmp[8:11], ttmp[14:15], 0x10 glc
	s_dcache_wb
	s_waitcnt lgkmcnt(0)
	s_bfe_u32 ttmp2, ttmp1, TRAP_ID
	s_cbranch_scc0 .Lcounted
	s_add_u32 ttmp0, ttmp0, 4
	s_addc_u32 ttmp1, ttmp1, 0
.Lcounted:
	s_and_b32 ttmp1, ttmp1, 0xffff
	s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
	s_rfe_b64 ttmp[0:1]

// Takes its time, then goes on behind the trap.
	.org 0x1400
linger:
	s_movk_i32 ttmp2, 0x4000
.Llinger:
	s_sub_u32 ttmp2, ttmp2, 1
	s_cmp_lg_u32 ttmp2, 0
	s_cbranch_scc1 .Llinger
	s_add_u32 ttmp0, ttmp0, 4
	s_addc_u32 ttmp1, ttmp1, 0
	s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
	s_rfe_b64 ttmp[0:1]

// Never comes back.
	.org 0x1800
astray:
	s_load_dword ttmp2, ttmp[14:15], 0x0
	s_branch astray

// Kernels: s[0:1] is the kernel argument, where they leave what they did.
	.org 0x2000
	v_mov_b32 v1, 7
	s_trap 3
	s_mov_b32 s4, 5
	s_store_dword s4, s[0:1], 0x0 glc
	s_endpgm

	.org 0x2100
	s_trap 2
	s_endpgm

	.org 0x2200
	s_trap 4
	s_endpgm

	.org 0x2300
	.long 0xbfff0000			// there is no such SOPP
	s_endpgm

	.org 0x2400
	s_mov_b64 s[2:3], 0xfff000
	s_load_dword s4, s[2:3], 0x0
	s_endpgm

// Each kind of access to the watched 64 bytes at the argument + 64.
	.org 0x2500
	s_add_u32 s2, s0, 64
	s_addc_u32 s3, s1, 0
	v_mov_b32 v0, s2
	v_mov_b32 v1, s3
	v_mov_b32 v2, 1
	s_load_dword s4, s[2:3], 0x0		// past the caches that watch
	flat_load_dword v3, v[0:1] offset:64	// beside it
	flat_load_dword v3, v[0:1] offset:60
	flat_store_dword v[0:1], v2
	global_atomic_add v[0:1], v2, off
	s_mov_b32 s4, 5
	s_store_dword s4, s[0:1], 0x0 glc
	s_endpgm

	.org 0x2600
	s_mov_b32 s4, 5
	s_nop 0
	s_store_dword s4, s[0:1], 0x0 glc
	s_endpgm
