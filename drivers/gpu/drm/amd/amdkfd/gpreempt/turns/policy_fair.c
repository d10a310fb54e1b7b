// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT policy fair: strict between levels, and on a level each group has its share of the
 * time, by its weight.
 *
 * Start-time fair queueing. What a group has is counted in virtual time, which goes the slower
 * the greater its weight is; next is the one that has had least. The level's clock follows the
 * group that has the machine, a turn behind it. One that comes, or wakes, goes on where it was,
 * but within a turn of the clock: so it neither saves up what it did not use, nor pays for
 * what it had when nobody else wanted it. One that is new has had a turn: else a process that
 * makes itself anew each time would always be first.
 *
 * A minimum and a cap are rates. Each has a time at which what the group had until now would be due
 * at that rate: if that of its minimum is not in the future, it goes first; while that of its cap
 * is, it has no turn. Both lag for no more than one turn behind the time; and that of its minimum
 * is no more than one ahead: what a group had when nobody else wanted it is not held against it.
 */
#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "gpreempt/core/policy.h"

/* A key is of a group that is behind its minimum, or of the others, which come after it. */
#define OTHERS		BIT_ULL(62)

/* The policy's own words of a group on a level, and of a group. */
enum { PLACE, BY_RIGHT };
enum { MINIMUM, CAP };

static s64 virtual_ns(const struct gpreempt_party *p, u64 ns)
{
	u32 weight = p->share->weight ?: GPREEMPT_WEIGHT_DEFAULT;

	return div_u64(ns * GPREEMPT_WEIGHT_DEFAULT, weight);
}

/* How far its place is ahead of the clock. Both may wrap. */
static s64 ahead(const struct gpreempt_party *p)
{
	s64 turn = virtual_ns(p, p->turn->slice_ns);

	if (p->turn->awake)
		return p->turn_own[PLACE] - *p->clock;
	if (!p->turn->last_ns)
		return turn;
	return clamp((s64)(p->turn_own[PLACE] - *p->clock), -turn, turn);
}

static bool is_behind(const struct gpreempt_party *p, u64 now)
{
	return p->share->min_percent && p->own[MINIMUM] <= now;
}

static u64 fair_key(const struct gpreempt_party *p)
{
	if (is_behind(p, p->now_ns))
		return p->own[MINIMUM];
	return OTHERS + clamp(ahead(p), -(s64)(OTHERS / 2), (s64)(OTHERS / 2));
}

static u64 fair_not_before_ns(const struct gpreempt_party *p)
{
	return p->share->cap_percent ? max(p->own[CAP], 1ULL) : 0;
}

/* When is the next due of a group that is to have so much of the time? */
static void due(u64 *due_ns, const struct gpreempt_party *p, u64 ns, u32 percent)
{
	u64 begun = p->now_ns - ns, turn = div_u64(p->turn->slice_ns * 100, percent);

	*due_ns = max(*due_ns, begun - min(begun, turn)) + div_u64(ns * 100, percent);
}

static void fair_charge(struct gpreempt_party *p, u64 ns, u64 group_ns)
{
	s64 turn = virtual_ns(p, p->turn->slice_ns), place = ahead(p) + virtual_ns(p, ns);

	if (p->turn->begins || p->turn->had_ns >= p->turn->slice_ns)
		p->turn_own[BY_RIGHT] = is_behind(p, p->now_ns - ns);
	/*
	 * A group that goes first for its minimum does not move the clock, so that nobody waits
	 * for that; nor does it pay for that once it has no minimum any more.
	 */
	if (p->turn_own[BY_RIGHT])
		place = min(place, max(turn, ahead(p)));
	p->turn_own[PLACE] = *p->clock + place;
	if (!p->turn_own[BY_RIGHT] && place > turn)
		*p->clock += place - turn;
	if (p->share->min_percent) {
		due(&p->own[MINIMUM], p, group_ns, p->share->min_percent);
		p->own[MINIMUM] = min(p->own[MINIMUM], p->now_ns +
				      div_u64(p->turn->slice_ns * 100, p->share->min_percent));
	}
	if (p->share->cap_percent)
		due(&p->own[CAP], p, group_ns, p->share->cap_percent);
}

static void fair_wake(struct gpreempt_party *p)
{
	p->turn_own[PLACE] = *p->clock + ahead(p);
}

const struct gpreempt_policy gpreempt_fair = {
	.name = "fair",
	.turns = true,
	.key = fair_key,
	.not_before_ns = fair_not_before_ns,
	.charge = fair_charge,
	.wake = fair_wake,
};
