/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT lots: the settings of a queue, a process or a cgroup, and the values that follow.
 */
#ifndef GPREEMPT_LOT_H_INCLUDED
#define GPREEMPT_LOT_H_INCLUDED

#include <linux/limits.h>
#include <linux/types.h>

#define GPREEMPT_WEIGHT_DEFAULT	100
#define GPREEMPT_WEIGHT_MAX	1000

/**
 * struct gpreempt_share - what a group is entitled to
 * @weight:	1 to %GPREEMPT_WEIGHT_MAX: its part of the time, among all; 0: not set
 * @min_percent: no less of the time, if it can use it; 0: not set
 * @cap_percent: no more, whoever wants the rest; 0: not set
 */
struct gpreempt_share {
	u32 weight;
	u32 min_percent;
	u32 cap_percent;
};

/**
 * struct gpreempt_lot - settings, or the values that follow from them
 * @priority:	0 to 15; %GPREEMPT_UNSET, as of the next two: none
 * @ceiling:	0 to 14: no priority is above it
 * @grant:	0 to 15: the highest priority that needs no CAP_SYS_NICE, if it is above the cap
 * @turn_us:	length of a turn; 0: none
 * @nice:	@priority was set with CAP_SYS_NICE: no cap applies
 * @longer:	so was @turn_us: it may exceed the level's
 * @share:	of the time; a queue has none of its own
 * @group:	number of the cgroup whose members have @share together; 0: a process has it
 *
 * Has no padding, so that two can be compared.
 */
struct gpreempt_lot {
	u32 priority;
	u32 ceiling;
	u32 grant;
	u32 turn_us;
	u16 nice;
	u16 longer;
	struct gpreempt_share share;
	u64 group;
};

#define GPREEMPT_UNSET		U32_MAX
#define GPREEMPT_NO_LOT		\
	((struct gpreempt_lot) { GPREEMPT_UNSET, GPREEMPT_UNSET, GPREEMPT_UNSET })

/**
 * struct gpreempt_process - what amdkfd keeps of a process for GPREEMPT
 * @made:	it is made: code that looks for processes may use it
 * @cgroup:	number of the cgroup that it was found in
 * @own:	what follows for it without what that cgroup adds
 * @lot:	what follows for it
 */
struct gpreempt_process {
	bool made;
	u64 cgroup;
	struct gpreempt_lot own;
	struct gpreempt_lot lot;
};

bool gpreempt_share_valid(const struct gpreempt_share *share);
int gpreempt_share_admit(const struct gpreempt_share *share, const struct gpreempt_share *had,
			 bool nice, u32 others_percent);
struct gpreempt_share gpreempt_share_lower(struct gpreempt_share share,
					   const struct gpreempt_share *most);
struct gpreempt_lot gpreempt_lot_inherit(struct gpreempt_lot lot,
					 const struct gpreempt_lot *parent);
bool gpreempt_lot_exceeds(const struct gpreempt_lot *lot, const struct gpreempt_lot *had);
u32 gpreempt_permitted(const struct gpreempt_lot *lot, u32 cap);
u32 gpreempt_turn_us(const struct gpreempt_lot *lot, u32 level);

#endif /* GPREEMPT_LOT_H_INCLUDED */
