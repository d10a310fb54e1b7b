// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policy strict: whatever has the higher priority goes first.
 */
#include "policy.h"

const struct gpreempt_policy gpreempt_strict = {
	.name = "strict",
};
