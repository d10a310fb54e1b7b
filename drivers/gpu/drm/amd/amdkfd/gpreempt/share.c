// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT shares: to how much of the time is a group entitled?
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "share.h"

/**
 * gpreempt_share_valid - does a share make sense?
 * @share: what is asked for
 */
bool gpreempt_share_valid(const struct gpreempt_share *share)
{
	return share->weight <= GPREEMPT_WEIGHT_MAX && share->min_percent <= 100 &&
	       share->cap_percent <= 100 &&
	       (!share->cap_percent || share->cap_percent >= share->min_percent);
}

/**
 * gpreempt_share_lower - no more than another one
 * @share: what would follow
 * @most: what it is not to exceed
 */
struct gpreempt_share gpreempt_share_lower(struct gpreempt_share share,
					   const struct gpreempt_share *most)
{
	u32 weight = most->weight ?: GPREEMPT_WEIGHT_DEFAULT;

	if ((share.weight ?: GPREEMPT_WEIGHT_DEFAULT) > weight)
		share.weight = weight;
	share.min_percent = min(share.min_percent, most->min_percent);
	share.cap_percent = min_not_zero(share.cap_percent, most->cap_percent);
	return share;
}

/**
 * gpreempt_share_admit - may a group be entitled to that?
 * @share: what is asked for it, valid
 * @had: to what it is now
 * @nice: by somebody with CAP_SYS_NICE
 * @others_percent: the sum of all others' minima
 *
 * As of nice(2): anybody may take less.
 *
 * Return: 0, -EPERM for more than it had, -ENOSPC if the minima exceed the whole.
 */
int gpreempt_share_admit(const struct gpreempt_share *share, const struct gpreempt_share *had,
			 bool nice, u32 others_percent)
{
	const struct gpreempt_share lower = gpreempt_share_lower(*share, had);

	if (!nice && memcmp(&lower, share, sizeof(lower)))
		return -EPERM;
	return others_percent + share->min_percent > 100 ? -ENOSPC : 0;
}

/**
 * gpreempt_share_inherit - what follows for a process from its own share and its parent's
 * @share: its own, all 0: it has none
 * @parent: what follows for the parent
 *
 * The weight of the nearest that has one, the lowest cap of all, and no other one's minimum.
 */
struct gpreempt_share gpreempt_share_inherit(struct gpreempt_share share,
					     const struct gpreempt_share *parent)
{
	if (!share.weight)
		share.weight = parent->weight;
	share.cap_percent = min_not_zero(share.cap_percent, parent->cap_percent);
	share.min_percent = min(share.min_percent, share.cap_percent ?: 100);
	return share;
}

#define SHARE_WEIGHT	GENMASK(9, 0)
#define SHARE_MIN	GENMASK(16, 10)
#define SHARE_CAP	GENMASK(23, 17)

/**
 * gpreempt_share_pack - in one word, which is read and written as a whole
 * @share: valid, or all 0: then so is the word
 */
u32 gpreempt_share_pack(const struct gpreempt_share *share)
{
	return FIELD_PREP(SHARE_WEIGHT, share->weight) | FIELD_PREP(SHARE_MIN, share->min_percent) |
	       FIELD_PREP(SHARE_CAP, share->cap_percent);
}

/**
 * gpreempt_share_unpack - the share in such a word
 * @packed: the word
 */
struct gpreempt_share gpreempt_share_unpack(u32 packed)
{
	return (struct gpreempt_share) {
		.weight = FIELD_GET(SHARE_WEIGHT, packed),
		.min_percent = FIELD_GET(SHARE_MIN, packed),
		.cap_percent = FIELD_GET(SHARE_CAP, packed),
	};
}
