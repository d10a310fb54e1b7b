# SPDX-License-Identifier: GPL-2.0
# Roots of Debian for guests, made by debootstrap and cached. Source it after lib.sh.
# shellcheck shell=bash

# in_apt ROOT ARGUMENT...: apt-get in a root. The mirror may be a snapshot, whose date of
# expiry has passed; its signature is checked all the same.
in_apt() {
	local root=$1
	shift
	env DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get -q -y \
		-o Acquire::Check-Valid-Until=false --no-install-recommends "$@"
}

# debian_root SUBJECT SUITE TEXT [SCRIPT]: out/SUBJECT-root, with the packages of SUITE that
# SUBJECT/packages lists; TEXT says what they are. It is cached under the hash of both.
# finish_root ROOT, which is the caller's, does what else there is to do. SCRIPT is
# debootstrap's, of a suite that may be younger than it.
debian_root() {
	local name=$1 suite=$2 text=$3 script=${4-} dir root packages=$TESTBENCH/$1/packages

	dir=$CACHE/$name/$(echo "$suite" | key - "$packages")
	ln -sfn "$dir" "$OUT/$name-root"
	[ -d "$dir" ] && return
	locked "$name"
	[ -d "$dir" ] && return
	[ "$(id -u)" = 0 ] || die "only root can install $text beside the system"
	need debootstrap debootstrap
	say DEBIAN "debootstrap $suite with $text: some minutes"
	mkdir -p "$CACHE/$name"
	root=$(mktemp -d "$CACHE/$name/tmp.XXXXXX")
	quietly "$CACHE/log/$name-debootstrap" \
		debootstrap --variant=minbase "$suite" "$root" "$(mirror)" ${script:+"$script"}
	# others than root may work in it
	chmod 755 "$root"
	# no package's daemon starts here
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	# shellcheck disable=SC2046 # words are what is wanted
	quietly "$CACHE/log/$name-install" in_apt "$root" install $(sed 's/#.*//' "$packages")
	finish_root "$root"
	rm -rf "$root/var/cache/apt" "$root/var/lib/apt/lists"
	mkdir -p "$root"/{repo,out,build}
	mv -T "$root" "$dir"
}

# in_root ROOT BUILD COMMAND...: run in a root that has the repository at /repo, read-only, and
# BUILD at /build, by mounts that end with the command.
in_root() {
	local dir
	dir=$(readlink -f "$1")
	# shellcheck disable=SC2016,SC2153 # for the inner shell; of lib.sh
	unshare --mount --fork --pid --kill-child sh -euc '
		root=$1 repo=$2 build=$3
		shift 3
		mount --make-rprivate /
		mount -t proc proc "$root/proc"
		mount --rbind "$repo" "$root/repo"
		mount -o remount,bind,ro "$root/repo"
		mount --bind "$build" "$root/build"
		exec chroot "$root" "$@"
	' in_root "$dir" "$ROOT" "${@:2}"
}
