# SPDX-License-Identifier: GPL-2.0
# The kernel build tree in the cache: its source is kept equal to the pristine
# source plus our patches; its objects are in gcc/ and clang/ below it, so that
# kbuild sees relative paths and ccache finds its objects from any tree.
# shellcheck shell=bash

TREE=${TREE:-$CACHE/build/linux-$BASE}

# Reproducible, so that an unchanged kernel is also an identical one.
export KBUILD_BUILD_TIMESTAMP=1970-01-01 KBUILD_BUILD_USER=gpreempt KBUILD_BUILD_HOST=gpreempt
export CCACHE_DIR=$CACHE/ccache

# kmake gcc|clang ARGUMENT...: make in the build tree.
kmake() {
	local cc=$1
	shift
	nice make -s -C "$TREE" O="$cc" CC="ccache $cc" HOSTCC="ccache gcc" LOCALVERSION= \
		-j"$JOBS" "$@"
}

# Make the build tree's source what it should be, touching only what differs.
# A copy of the pristine files is patched beside it by scripts/apply; what an
# earlier state of our patches changed and this one does not is restored.
sync_tree() {
	local want file src

	src=$(pristine)
	if [ ! -f "$TREE/.gpreempt-source" ] || [ "$(cat "$TREE/.gpreempt-source")" != "$src" ]; then
		say COPY "${src##*/} to $TREE"
		mkdir -p "$TREE"
		rsync -a --checksum --delete --exclude=/gcc --exclude=/clang "$src/" "$TREE/"
		echo "$src" >"$TREE/.gpreempt-source"
	fi
	want=$(mktemp -d "$CACHE/overlay.XXXXXX")
	"$ROOT/scripts/overlay" "$src" "$want"
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

# configure gcc|clang: tinyconfig plus our fragment; every line of it must be
# in the result.
configure() {
	local cc=$1 fragment=$ROOT/scripts/config/kernel.config stamp missing

	stamp=$(key "$fragment" "$TREE/.gpreempt-source")
	if [ "$(cat "$TREE/$cc/.gpreempt-config" 2>/dev/null)" != "$stamp" ]; then
		mkdir -p "$TREE/$cc"
		quietly "$CACHE/log/config" kmake "$cc" tinyconfig
		(cd "$TREE/$cc" && quietly "$CACHE/log/config" \
			../scripts/kconfig/merge_config.sh -m .config "$fragment")
	fi
	quietly "$CACHE/log/config" kmake "$cc" olddefconfig
	missing=$(grep -E '^(# )?CONFIG_' "$fragment" | grep -vxFf "$TREE/$cc/.config" || true)
	[ -z "$missing" ] || die "Kconfig dropped: $(echo "$missing" | paste -sd, -)"
	echo "$stamp" >"$TREE/$cc/.gpreempt-config"
}

# set_gpreempt gcc|clang y|n: switch the feature; the KUnit tests go with it.
set_gpreempt() {
	local cc=$1 value=$2

	grep -q 'config HSA_AMD_GPREEMPT$' "$TREE"/drivers/gpu/drm/amd/amdkfd/Kconfig* || return 0
	"$TREE/scripts/config" --file "$TREE/$cc/.config" --set-val HSA_AMD_GPREEMPT "$value" \
		--set-val HSA_AMD_GPREEMPT_KUNIT_TEST "${value/y/m}"
	quietly "$CACHE/log/config" kmake "$cc" olddefconfig
	if [ "$value" = y ]; then
		grep -qx 'CONFIG_HSA_AMD_GPREEMPT=y' "$TREE/$cc/.config" ||
			die "Kconfig dropped: CONFIG_HSA_AMD_GPREEMPT=y"
	fi
}
