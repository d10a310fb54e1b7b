/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT decide: the order of the rooms. From evidence and terms to a plan; pure, and
 * without a header of the driver, so that KUnit, a simulator or a fuzzer builds it as it is.
 */
#ifndef GPREEMPT_DECIDE_H_INCLUDED
#define GPREEMPT_DECIDE_H_INCLUDED

#include "policy.h"

void gpreempt_decide(const struct gpreempt_policy *policy, struct gpreempt_view *view,
		     const struct gpreempt_tunables *tun, struct gpreempt_plan *plan);
void gpreempt_skip(struct gpreempt_view *view, struct gpreempt_plan *plan);
bool gpreempt_may_contend(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			  const struct gpreempt_tunables *tun);

#endif /* GPREEMPT_DECIDE_H_INCLUDED */
