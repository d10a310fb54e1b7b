# SPDX-License-Identifier: GPL-2.0
# What holds whenever these loops of select.c begin anew, and what gets less each time, for
# CBMC: so it proves a step of them, not 64 steps in a row. @enough_at is prove.c's.
s|^\twhile (high <= S64_MAX .*$|&\
__CPROVER_loop_invariant(high > 0 \&\& high <= 1ULL << 63 \&\& !(high \& (high - 1)))\
__CPROVER_decreases((1ULL << 63) - high)|
s|^\(\twhile (low < high)\) {$|\1\
__CPROVER_loop_invariant(low <= enough_at \&\& enough_at <= high \&\& high <= 1ULL << 63)\
__CPROVER_decreases(high - low)\
	{|
