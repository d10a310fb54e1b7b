// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT lots: the settings of a queue, a process or a cgroup, and the priority, the length of
 * turns and the share of the time that follow from them.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "lot.h"

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
 * gpreempt_lot_inherit - combine a lot with the one above it
 * @lot: the lot, combined with nearer ones already
 * @parent: an ancestor's own
 *
 * The nearest priority, the nearest turn and the nearest grant count, and the lowest ceiling. Of
 * the share, the nearest weight counts, the lowest cap of all, and no minimum but its own.
 */
struct gpreempt_lot gpreempt_lot_inherit(struct gpreempt_lot lot, const struct gpreempt_lot *parent)
{
	if (lot.priority == GPREEMPT_UNSET) {
		lot.priority = parent->priority;
		lot.nice = parent->nice;
	}
	if (!lot.turn_us) {
		lot.turn_us = parent->turn_us;
		lot.longer = parent->longer;
	}
	if (lot.grant == GPREEMPT_UNSET)
		lot.grant = parent->grant;
	lot.ceiling = min(lot.ceiling, parent->ceiling);
	if (!lot.share.weight)
		lot.share.weight = parent->share.weight;
	lot.share.cap_percent = min_not_zero(lot.share.cap_percent, parent->share.cap_percent);
	lot.share.min_percent = min(lot.share.min_percent, lot.share.cap_percent ?: 100);
	return lot;
}

/**
 * gpreempt_lot_exceeds - does a cgroup's own lot bound its members' priority less than before?
 * @lot: what it would be
 * @had: what it is
 *
 * A higher ceiling does, and so do a higher grant, a new grant, and a grant that is taken away, as
 * the one above it would count then. The length of a turn is bounded where it is used.
 */
bool gpreempt_lot_exceeds(const struct gpreempt_lot *lot, const struct gpreempt_lot *had)
{
	return lot->ceiling > had->ceiling || lot->grant > had->grant ||
	       (had->grant == GPREEMPT_UNSET && lot->grant != GPREEMPT_UNSET);
}

/**
 * gpreempt_permitted - the priority that a queue may have
 * @lot: the queue's, with the application's own priority as the last resort
 * @cap: without CAP_SYS_NICE, the node's
 */
u32 gpreempt_permitted(const struct gpreempt_lot *lot, u32 cap)
{
	if (lot->grant != GPREEMPT_UNSET)
		cap = max(cap, lot->grant);
	return min(lot->nice ? lot->priority : min(lot->priority, cap), lot->ceiling);
}

/**
 * gpreempt_turn_us - the length of a queue's turn in us
 * @lot: what follows for it
 * @level: of the level it is on, 0: no turns there
 */
u32 gpreempt_turn_us(const struct gpreempt_lot *lot, u32 level)
{
	return !lot->turn_us ? level : lot->longer ? lot->turn_us : min(lot->turn_us, level);
}
