// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policy timeslice: strict between levels, and groups take turns on a level. Next is
 * the one whose last turn is longest ago.
 */
#include "gpreempt/core/policy.h"

static u64 timeslice_key(const struct gpreempt_party *p)
{
	return p->turn->last_ns;
}

const struct gpreempt_policy gpreempt_timeslice = {
	.name = "timeslice",
	.turns = true,
	.key = timeslice_key,
};
