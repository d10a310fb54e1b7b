# SPDX-License-Identifier: GPL-2.0
# The kernel build tree in the cache: its source is kept equal to the pristine
# source plus our patches. Its objects are in folders right below it, so that
# kbuild sees relative paths and ccache finds its objects from any tree: gcc/
# for the guest, gcc-debug/, gcc-kcsan/ and gcc-cov/ for guests that check themselves,
# gcc-lint/ and clang-lint/ with more warnings.
# shellcheck shell=bash

TREE=${TREE:-$CACHE/build/linux-$BASE}

# The tree is for one at a time, as long as this process lives; another TREE has another lock.
lock_tree() { locked "tree-$(echo "$TREE" | key -)"; }

# Reproducible, so that an unchanged kernel is also an identical one.
export KBUILD_BUILD_TIMESTAMP=1970-01-01 KBUILD_BUILD_USER=gpreempt KBUILD_BUILD_HOST=gpreempt
export CCACHE_DIR=$CACHE/ccache

# each_of VARIABLE FILE...: kbuild's setting of VARIABLE for the object of each
# file. It names objects from the Makefile's folder: amdkfd has none of its own.
each_of() {
	local variable=$1 f
	shift
	for f in "$@"; do
		f=${f##*/amdkfd/}
		case $f in
		tests/*_kunit.c) f=${f#tests/}; echo "${variable}_${f%.c}.o=y" ;;
		*) echo "${variable}_../amdkfd/${f%.c}.o=y" ;;
		esac
	done
}

# The files of Linux that the patches change and a compiler reads.
patched() {
	patch_files | xargs grep -hoE '^\+\+\+ b/[a-z0-9_/]+\.[ch]' | sed 's|^+++ b/||' | sort -u
}

# What a folder's objects are built with besides: in gcc-cov GPREEMPT's own
# files and those of amdkfd that it changes count how often each line runs; in
# gcc-kcsan only amdkfd's accesses are watched for races (a watched kernel is
# slow, and the rest is not ours).
instruments() {
	local amdkfd=$TREE/drivers/gpu/drm/amd/amdkfd changed

	mapfile -t changed < <(patched | grep '/amdkfd/.*\.c$')
	case $1 in
	gcc-cov) each_of GCOV_PROFILE "$amdkfd"/{gpreempt/*/,tests/kfd_gpreempt}*.c "${changed[@]}" ;;
	gcc-kcsan) echo KCSAN_SANITIZE=n; each_of KCSAN_SANITIZE "$amdkfd"/{,gpreempt/*/}*.c ;;
	esac
}

# Debian's clang, or where Linux asks for a newer one that of packages.<base>.
base_clang() { if [ -z "$(too_old llvm clang -dumpversion)" ]; then echo clang; else echo clang-19; fi; }

# kmake FOLDER ARGUMENT...: make in the build tree, with objects in FOLDER and
# the compiler that its name begins with.
kmake() {
	local dir=$1 extra cc
	shift
	cc=${dir%%-*}
	[ "$cc" != clang ] || cc=$(base_clang)
	[ "$cc" != gcc ] || cc=${CROSS_COMPILE:-}gcc
	mapfile -t extra < <(instruments "$dir")
	make -s -C "$TREE" O="$dir" CC="ccache $cc" HOSTCC="ccache gcc" LOCALVERSION= \
		-j"$JOBS" "${extra[@]}" "$@"
}

# Make the build tree's source what it should be, touching only what differs.
# A copy of the pristine files is patched beside it as bench apply does; what an
# earlier state of our patches changed and this one does not is restored.
sync_tree() {
	local want file src

	src=$(pristine)
	if [ ! -f "$TREE/.gpreempt-source" ] || [ "$(cat "$TREE/.gpreempt-source")" != "$src" ]; then
		say COPY "${src##*/} to $TREE"
		mkdir -p "$TREE"
		rsync -a --checksum --delete --exclude=/gcc --exclude='/gcc-*' --exclude='/clang-*' "$src/" "$TREE/"
		echo "$src" >"$TREE/.gpreempt-source"
	fi
	want=$(mktemp -d "$CACHE/overlay.XXXXXX")
	bench overlay "$src" "$want"
	(cd "$want" && find . -type f) | sort >"$TREE/.gpreempt-files.new"
	touch "$TREE/.gpreempt-files"
	comm -23 "$TREE/.gpreempt-files" "$TREE/.gpreempt-files.new" | while read -r file; do
		if [ -f "$src/$file" ]; then
			cp "$src/$file" "$TREE/$file"
		else
			rm -f "$TREE/${file:?}"
		fi
	done
	rsync -a --checksum --no-times "$want/" "$TREE/"
	mv "$TREE/.gpreempt-files.new" "$TREE/.gpreempt-files"
	rm -rf "$want"
}

# configure FOLDER: tinyconfig plus our fragments: kernel.config, and for gcc-NAME
# also NAME.config if there is one. Every line of them must be in the result.
configure() {
	local dir=$1 fragments=("$TESTBENCH/kernel/config/kernel.config") stamp missing

	[ ! -f "$TESTBENCH/kernel/config/${dir#*-}.config" ] ||
		fragments+=("$TESTBENCH/kernel/config/${dir#*-}.config")
	stamp=$(key "${fragments[@]}" "$TREE/.gpreempt-source")
	if [ "$(cat "$TREE/$dir/.gpreempt-config" 2>/dev/null)" != "$stamp" ]; then
		mkdir -p "$TREE/$dir"
		quietly "$CACHE/log/config" kmake "$dir" tinyconfig
		(cd "$TREE/$dir" && quietly "$CACHE/log/config" \
			../scripts/kconfig/merge_config.sh -m .config "${fragments[@]}")
	fi
	quietly "$CACHE/log/config" kmake "$dir" olddefconfig
	missing=$(grep -hE '^(# )?CONFIG_' "${fragments[@]}" | grep -vxFf "$TREE/$dir/.config" || true)
	[ -z "$missing" ] || die "Kconfig dropped: $(echo "$missing" | paste -sd, -)"
	echo "$stamp" >"$TREE/$dir/.gpreempt-config"
}

# set_gpreempt FOLDER y|n: switch the feature; the KUnit tests go with it.
set_gpreempt() {
	local dir=$1 value=$2

	grep -q 'config HSA_AMD_GPREEMPT$' "$TREE"/drivers/gpu/drm/amd/amdkfd/Kconfig* || return 0
	"$TREE/scripts/config" --file "$TREE/$dir/.config" --set-val HSA_AMD_GPREEMPT "$value" \
		--set-val HSA_AMD_GPREEMPT_KUNIT_TEST "${value/y/m}"
	quietly "$CACHE/log/config" kmake "$dir" olddefconfig
	if [ "$value" = y ]; then
		grep -qx 'CONFIG_HSA_AMD_GPREEMPT=y' "$TREE/$dir/.config" ||
			die "Kconfig dropped: CONFIG_HSA_AMD_GPREEMPT=y"
	fi
}
