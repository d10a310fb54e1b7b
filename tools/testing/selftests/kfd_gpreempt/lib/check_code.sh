#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: check_code.sh LLVM_BIN CODE_OBJECT
#
# Fails the build when the compiler did not give the LOW kernel what its test
# is about: more than 128 vector registers (on gfx1100 that many, LLVM gives it
# no more), accumulation registers written and read in its loop (gfx900 and
# gfx1100 have none), LDS, scratch and barriers; or when the loader would have
# to apply relocations, which it does not.
set -eu
bin=$1
co=$2

fail() {
	echo "check_code: $co: $*" >&2
	exit 1
}

number() {	# number KEY [KERNEL]: the LOW kernel's value in the code object's notes
	"$bin/llvm-readelf" -n "$co" | awk -v key=".$1:" -v name="${2:-low}" '
		{ sub(/^ *-? */, "") }
		$1 == ".agpr_count:" { delete v }
		{ v[$1] = $2 }
		$1 == ".vgpr_spill_count:" && v[".name:"] == name { print v[key] }'
}

count() {	# count MNEMONIC: occurrences in the LOW kernel
	"$bin/llvm-objdump" -d "$co" | awk -v op="$1" '
		/^[0-9a-f]+ </ { in_low = ($2 == "<low>:") }
		in_low && index($1, op) == 1 { n++ }
		END { print n + 0 }'
}

acc=$(number agpr_count)
arch=$(number vgpr_count)
acc_ops="v_accvgpr_write v_accvgpr_read"
least=129 store=ds_write load=ds_read
case $co in
*-gfx900.*) acc=16 acc_ops= ;;
*-gfx1100.*) acc=16 acc_ops="" least=128 store=ds_store load=ds_load ;;
*-gfx908.*) ;;				# .vgpr_count is that of the kind it has more of
*) arch=$((arch - acc)) ;;		# it counts both kinds
esac
[ "$arch" -ge "$least" ] || fail "low has $arch vector registers, needs $least"
[ "$acc" -ge 16 ] || fail "low has $acc accumulation registers, needs 16"
[ "$(number group_segment_fixed_size)" -gt 32768 ] ||
	fail "low's LDS leaves room for another workgroup"
[ "$(number private_segment_fixed_size)" -gt 0 ] || fail "low has no scratch"
for op in $acc_ops s_barrier $store $load s_and_saveexec; do
	[ "$(count "$op")" -gt 0 ] || fail "low has no $op"
done
# private memory, by the one or the other kind of instruction
[ "$(count buffer_store_dword)$(count scratch_store)" != 00 ] || fail "low stores no scratch"
[ "$(count buffer_load_dword)$(count scratch_load)" != 00 ] || fail "low loads no scratch"
# 8 waves of a SIMD share its registers, and as many workgroups a compute unit's LDS
case $co in
*-gfx90a.* | *-gfx940.*)
	[ "$((($(number vgpr_count low_full) + 7) / 8))" -eq 8 ] ||
		fail "low_full has $(number vgpr_count low_full) vector registers, needs 57 to 64"
esac
[ "$(number group_segment_fixed_size low_full)" -eq 8192 ] ||
	fail "eight workgroups of low_full do not fill the LDS"
relocs=$("$bin/llvm-readelf" -r "$co")
case $relocs in
*R_AMDGPU*) fail "has relocations" ;;
esac
