// SPDX-License-Identifier: GPL-2.0
//
// Counts: the kernel of tests/gfx11.c. s[0:1] is where results go, s2 how far, s3 the workgroup's
// number; groups of 64, whose waves have 64 lanes with WAVE64, else 32. A work-item counts in v1,
// in v40 and in its word of LDS, its wave in s4 and s100, and only those of even lanes in v2. Each
// has five words of results.

	v_lshlrev_b32 v3, 2, v0
	v_mov_b32 v1, 0
	v_mov_b32 v2, 0
	v_mov_b32 v40, 0
	v_mov_b32 v4, 0
	v_and_b32 v5, 1, v0
.ifdef WAVE64
	v_cmp_eq_u32 vcc, 0, v5
.else
	v_cmp_eq_u32 vcc_lo, 0, v5
.endif
	s_mov_b32 s4, 0
	s_mov_b32 s100, 0
	s_mov_b32 m0, 7
	ds_store_b32 v3, v4
.Lloop:
	v_add_nc_u32 v1, v1, 1
.ifdef WAVE64
	s_and_saveexec_b64 s[6:7], vcc
	v_add_nc_u32 v2, v2, 1
	s_mov_b64 exec, s[6:7]
.else
	s_and_saveexec_b32 s5, vcc_lo
	v_add_nc_u32 v2, v2, 1
	s_mov_b32 exec_lo, s5
.endif
	s_barrier
	ds_load_b32 v4, v3
	s_waitcnt lgkmcnt(0)
.ifdef WAVE64
	v_mov_b32 v6, v4
	v_mov_b32 v7, 1
.else
	v_dual_mov_b32 v6, v4 :: v_dual_mov_b32 v7, 1
.endif
	v_add_nc_u32 v4, v6, v7
	ds_store_b32 v3, v4
	v_add_nc_u32 v40, v40, v7
	s_add_u32 s4, s4, 1
	s_add_u32 s100, s100, 1
	s_cmp_lt_u32 s4, s2
	s_cbranch_scc1 .Lloop
	s_add_u32 s100, s100, m0
	s_lshl_b32 s3, s3, 6
	v_add_nc_u32 v0, s3, v0
	v_mul_u32_u24 v0, 20, v0
	v_mov_b32 v5, s100
	global_store_b32 v0, v1, s[0:1]
	global_store_b32 v0, v2, s[0:1] offset:4
	global_store_b32 v0, v40, s[0:1] offset:8
	global_store_b32 v0, v4, s[0:1] offset:12
	global_store_b32 v0, v5, s[0:1] offset:16
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
