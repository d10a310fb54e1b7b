// SPDX-License-Identifier: GPL-2.0
//
// Kernels of tests/xnack.c: s[0:1] is their argument, where they leave what they did.

// Each lane has words of its own, 128 bytes apart: 64 lanes take two pages.
	.org 0x0
vector:
	v_lshlrev_b32 v1, 2, v0
	v_lshlrev_b32 v2, 7, v0
	s_add_u32 s2, s0, 0x10000
	s_addc_u32 s3, s1, 0
	v_mov_b32 v5, s3
	v_add_co_u32 v4, vcc, s2, v2
	v_addc_co_u32 v5, vcc, 0, v5, vcc
	v_mov_b32 v6, 1
	.org 0x40
	global_atomic_add v7, v[4:5], v6, off glc
	v_add_u32 v4, 0x4000, v4
	global_load_dwordx2 v[4:5], v[4:5], off		// over its own address
	s_waitcnt vmcnt(0)
	global_store_dword v1, v7, s[0:1]
	global_store_dword v1, v4, s[0:1] offset:256
	global_store_dword v1, v5, s[0:1] offset:512
	s_endpgm

// Likewise, from the end of one page and the begin of the next.
	.org 0x100
scalar:
	s_add_u32 s2, s0, 0x10ffc
	s_addc_u32 s3, s1, 0
	s_load_dwordx2 s[2:3], s[2:3], 0x0
	s_waitcnt lgkmcnt(0)
	s_store_dwordx2 s[2:3], s[0:1], 0x0
	s_endpgm

// To LDS, the wave's 64 words, and from there to memory.
	.org 0x200
to_lds:
	v_lshlrev_b32 v1, 2, v0
	v_lshlrev_b32 v2, 7, v0
	s_add_u32 s4, s0, 0x10000
	s_addc_u32 s5, s1, 0
	s_mov_b32 s6, -1
	s_mov_b32 s7, 0
	s_mov_b32 m0, 0
	buffer_load_dword v2, s[4:7], 0 offen lds
	s_waitcnt vmcnt(0)
	ds_read_b32 v3, v1
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v3, s[0:1]
	s_endpgm

// An access that waits, then one that no page can help.
	.org 0x300
misaligned:
	v_mov_b32 v1, 0
	v_mov_b32 v2, 1
	s_add_u32 s2, s0, 0x11000
	s_addc_u32 s3, s1, 0
	global_load_dword v3, v1, s[2:3]
	s_waitcnt vmcnt(0)
	global_atomic_add v1, v2, s[0:1] offset:2
	s_endpgm

// An instruction of which half is on the next page.
	.org 0xf00
fetch:
	s_mov_b32 s2, 1
	s_branch .Lacross
	.org 0xffc
.Lacross:
	s_add_u32 s2, s2, 0x12345
	s_store_dword s2, s[0:1], 0x0
	s_endpgm

// The last of its page, with nothing behind it.
	.org 0x1f00
last:
	s_branch .Lend
	.org 0x1ffc
.Lend:
	s_endpgm
