/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT shares: to how much of the time is a group entitled?
 */
#ifndef GPREEMPT_SHARE_H_INCLUDED
#define GPREEMPT_SHARE_H_INCLUDED

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

bool gpreempt_share_valid(const struct gpreempt_share *share);
int gpreempt_share_admit(const struct gpreempt_share *share, const struct gpreempt_share *had,
			 bool nice, u32 others_percent);
struct gpreempt_share gpreempt_share_lower(struct gpreempt_share share,
					   const struct gpreempt_share *most);
struct gpreempt_share gpreempt_share_inherit(struct gpreempt_share share,
					     const struct gpreempt_share *parent);
u32 gpreempt_share_pack(const struct gpreempt_share *share);
struct gpreempt_share gpreempt_share_unpack(u32 packed);

#endif /* GPREEMPT_SHARE_H_INCLUDED */
