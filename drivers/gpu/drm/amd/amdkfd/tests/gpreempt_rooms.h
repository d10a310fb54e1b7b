/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The pure rooms, taken in by a suite that tests them. The suite defines OWN(name), so that it
 * needs no amdgpu, and may stand beside one and beside other suites in the same kernel.
 */
#define gpreempt_estimate	OWN(estimate)
#define gpreempt_learn		OWN(learn)
#define gpreempt_group_rank	OWN(group_rank)
#define gpreempt_group_learn	OWN(group_learn)
#define gpreempt_skip		OWN(skip)
#define gpreempt_select		OWN(select)
#define gpreempt_policy_find	OWN(policy_find)
#define gpreempt_policies	OWN(policies)
#define gpreempt_policy_rank	OWN(policy_rank)
#define gpreempt_none		OWN(none)
#define gpreempt_strict		OWN(strict)
#define gpreempt_timeslice	OWN(timeslice)
#define gpreempt_fair		OWN(fair)
#define gpreempt_policy_party	OWN(policy_party)
#define gpreempt_share_valid	OWN(share_valid)
#define gpreempt_share_admit	OWN(share_admit)
#define gpreempt_share_lower	OWN(share_lower)
#define gpreempt_lot_inherit	OWN(lot_inherit)
#define gpreempt_lot_exceeds	OWN(lot_exceeds)
#define gpreempt_permitted	OWN(permitted)
#define gpreempt_turn_us	OWN(turn_us)
#define gpreempt_work		OWN(work)
#define gpreempt_help		OWN(help)
#define gpreempt_help_learn	OWN(help_learn)
#define gpreempt_linger_until	OWN(linger_until)
#define gpreempt_linger_learn	OWN(linger_learn)
#define gpreempt_wants_proof	OWN(wants_proof)
#define gpreempt_lacks_slot	OWN(lacks_slot)
#define gpreempt_track_proof	OWN(track_proof)
#define gpreempt_in_the_way	OWN(in_the_way)
#define gpreempt_wake		OWN(wake)
#define gpreempt_may_idle	OWN(may_idle)
#define gpreempt_find_idle	OWN(find_idle)
#define gpreempt_decide		OWN(decide)
#define gpreempt_may_contend	OWN(may_contend)

#include "../gpreempt/core/estimate.c"
#include "../gpreempt/core/proof.c"
#include "../gpreempt/core/lot.c"
#include "../gpreempt/core/group.c"
#include "../gpreempt/core/help.c"
#include "../gpreempt/core/linger.c"
#include "../gpreempt/core/idle.c"
#include "../gpreempt/core/select.c"
#include "../gpreempt/core/policy.c"
#include "../gpreempt/turns/policy_timeslice.c"
#include "../gpreempt/turns/policy_fair.c"
#include "../gpreempt/core/wake.c"
#include "../gpreempt/core/decide.c"
