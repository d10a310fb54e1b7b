# SPDX-License-Identifier: GPL-2.0
# Results in TAP from shell scripts. Source it after lib.sh.
# shellcheck shell=bash

TAP_COUNT=0
TAP_FAILED=0

# try NAME COMMAND...: one test; its output is shown when it fails.
try() {
	local name=$1 output
	shift
	TAP_COUNT=$((TAP_COUNT + 1))
	if output=$("$@" 2>&1); then
		echo "ok $TAP_COUNT - $name"
	else
		TAP_FAILED=$((TAP_FAILED + 1))
		printf '%s\n' "$output" | tail -n 60 | sed 's/^/# /'
		echo "not ok $TAP_COUNT - $name"
	fi
}

tap_begin() { echo "TAP version 13"; }

tap_end() {
	echo "1..$TAP_COUNT"
	[ "$TAP_FAILED" = 0 ]
}
