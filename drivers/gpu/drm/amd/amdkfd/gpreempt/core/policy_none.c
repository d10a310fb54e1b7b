// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policy none: watches and counts, and does what it is asked to.
 */
#include "policy.h"

const struct gpreempt_policy gpreempt_none = {
	.name = "none",
	.passive = true,
};
