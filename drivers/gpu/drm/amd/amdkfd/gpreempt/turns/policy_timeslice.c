// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policy timeslice: strict between levels, and groups take turns on a level. Next is
 * the one whose last turn is longest ago.
 */
#include <linux/time64.h>

#include "gpreempt/core/policy.h"

static u64 timeslice_ns(const struct gpreempt_terms *terms, u32 level_us)
{
	return (u64)(terms->timeslice_us ?: level_us) * NSEC_PER_USEC;
}

static u64 timeslice_key(const struct gpreempt_party *p)
{
	return p->turn->last_ns;
}

const struct gpreempt_policy gpreempt_timeslice = {
	.name = "timeslice",
	.slice_ns = timeslice_ns,
	.key = timeslice_key,
};
