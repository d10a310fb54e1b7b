# SPDX-License-Identifier: GPL-2.0
# Shared by the shell scripts: messages, the cache, locks. Source it, do not
# run it.
# shellcheck shell=bash

set -euo pipefail
export LC_ALL=C

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TESTBENCH=$ROOT/scripts/testbench
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/gpreempt
OUT=${OUT_DIR:-$ROOT/out}
BASE=${BASE:-6.12}
JOBS=${JOBS:-$(nproc)}

say() { printf '  %-8s %s\n' "$1" "$2" >&2; }
die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }
bench() { "$ROOT/scripts/bench" "$@"; }

[ -d "$ROOT/patches/linux-$BASE" ] ||
	die "there are no patches for Linux $BASE (BASE=); there are for: $(cd "$ROOT/patches" && echo linux-* | sed 's/linux-//g')"

# need COMMAND PACKAGE: fail unless the command is there.
need() {
	command -v "$1" >/dev/null ||
		die "$1 is missing: install the Debian package $2, or run scripts/bench setup as root"
}

# locked NAME: hold NAME's lock until this process exits, so that two runs do
# not build the same thing at once.
declare -A LOCKED
locked() {
	local fd
	[ -z "${LOCKED[$1]:-}" ] || return 0
	LOCKED[$1]=1
	mkdir -p "$CACHE/lock"
	exec {fd}>"$CACHE/lock/$1"
	flock -n "$fd" && return
	say WAIT "another run holds $1"
	flock "$fd"
}

# key FILE...: one short hash of the files' contents.
key() { cat -- "$@" | sha256sum | cut -c1-16; }

# quietly LOG COMMAND...: run with output in LOG; show its end on failure.
quietly() {
	local log=$1
	shift
	mkdir -p "$(dirname "$log")"
	if ! "$@" >"$log" 2>&1; then
		tail -n 40 "$log" >&2
		die "'$*' failed, all of its output is in $log"
	fi
}

# patch_files: the base's patches, in their order. See series/patchset.py
patch_files() {
	local name dir

	grep -E '^[[:alpha:]]' "$ROOT/patches/series" | while read -r name _; do
		for dir in "$ROOT/patches/linux-$BASE" "$ROOT/patches/common" "$ROOT"; do
			[ ! -f "$dir/$name" ] || echo "$dir/$name"
		done
	done
}

# Where a base's source comes from, if not from this machine's own Debian release: the
# release, and the version and SHA-256 of the package that its patches were made for.
declare -A FETCHED=(
	[7.3]="trixie-backports 7.3.4-1~bpo13+1 703e369ddd4cce971452f5a593ee55df3a5c10c83caf0fa0df039633ed181ee3"
)

# The version of the newest kernel source that is there, or nothing. Of one that is
# fetched, the folder that it is unpacked to is all that there is.
source_version() {
	if [ -n "${FETCHED[$BASE]:-}" ]; then
		find "$CACHE" -maxdepth 1 -name "linux-$BASE.*" -printf '%f\n' 2>/dev/null |
			sed 's/^linux-//' | sort -V | tail -n 1
	else
		dpkg-query -W -f '${Version}' "linux-source-$BASE" 2>/dev/null || true
	fi
}

# pristine: prints the folder of the unpacked and untouched kernel source.
pristine() {
	local v
	v=$(source_version)
	[ -n "$v" ] || die "there is no source of Linux $BASE: run scripts/bench setup as root"
	echo "$CACHE/linux-$v"
}

# too_old TOOL COMMAND...: says so if a tool, as the kernel's script names it, is older than
# the kernel asks for. COMMAND tells its version, at the end of its first line.
too_old() {
	local tool=$1 minimum version
	shift

	minimum=$("$(pristine)/scripts/min-tool-version.sh" "$tool")
	version=$("$@" | sed -n '1s/.* //; 1p')
	[ "$(printf '%s\n' "$minimum" "$version" | sort -V | head -n 1)" = "$minimum" ] ||
		echo "Linux $BASE needs $tool $minimum or newer, here is $version"
}

# The Debian mirror this machine is set up to use.
mirror() {
	local uri

	# shellcheck disable=SC2016 # apt-get puts these in
	uri=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Identifier: Packages' |
		sed -n 's/^Debian Debian //p' | head -n 1)
	echo "${uri:-http://deb.debian.org/debian}"
}

# debian_lists DIR SUITE: apt's lists of a Debian release, for APT_CONFIG=DIR/apt/conf.
# Nothing of the machine's own is touched: apt works below DIR/apt.
debian_lists() {
	local dir=$1 apt=$1/apt/conf

	mkdir -p "$dir/apt/lists/partial" "$dir/apt/archives/partial"
	touch "$dir/apt/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $2 main" >"$dir/apt/sources.list"
	cat >"$apt" <<-END
		Dir::Etc::SourceList "$dir/apt/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::State "$dir/apt";
		Dir::State::Status "$dir/apt/status";
		Dir::Cache "$dir/apt";
		APT::Sandbox::User "root";
	END
	quietly "$CACHE/log/apt-update-$2" env APT_CONFIG="$apt" apt-get -q -o APT::Update::Error-Mode=any update
}

# download_debs DIR SUITE PACKAGE...: a Debian release's packages, as DIR/PACKAGE_*.deb.
download_debs() {
	local dir=$1 apt=$1/apt/conf

	debian_lists "$dir" "$2"
	shift 2
	(cd "$dir" && quietly "$CACHE/log/apt-download-${1%%=*}" env APT_CONFIG="$apt" apt-get -q download "$@")
}
