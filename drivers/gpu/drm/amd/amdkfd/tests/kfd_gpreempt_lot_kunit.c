// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's lots: from the settings of a queue, of its process and of those above
 * to the priority and the turn of the queue. Shares are kfd_gpreempt_share_kunit.c's.
 */

#include <kunit/test.h>

/* Names of its own, should the driver be built in beside it. */
#define gpreempt_share_valid	kunit_gpreempt_share_valid
#define gpreempt_share_lower	kunit_gpreempt_share_lower
#define gpreempt_share_admit	kunit_gpreempt_share_admit
#define gpreempt_lot_inherit	kunit_gpreempt_lot_inherit
#define gpreempt_lot_exceeds	kunit_gpreempt_lot_exceeds
#define gpreempt_permitted	kunit_gpreempt_permitted
#define gpreempt_turn_us	kunit_gpreempt_turn_us

#include "../gpreempt/core/lot.c"

static const struct gpreempt_lot none = GPREEMPT_NO_LOT;

static struct gpreempt_lot with_priority(struct gpreempt_lot lot, u32 priority, bool nice)
{
	lot.priority = priority;
	lot.nice = nice;
	return lot;
}

static struct gpreempt_lot with_ceiling(struct gpreempt_lot lot, u32 ceiling)
{
	lot.ceiling = ceiling;
	return lot;
}

static struct gpreempt_lot with_turn(struct gpreempt_lot lot, u32 us, bool nice)
{
	lot.turn_us = us;
	lot.longer = us && nice;
	return lot;
}

static struct gpreempt_lot with_grant(struct gpreempt_lot lot, u32 grant)
{
	lot.grant = grant;
	return lot;
}

static struct gpreempt_lot inherit(struct gpreempt_lot lot, struct gpreempt_lot parent)
{
	return gpreempt_lot_inherit(lot, &parent);
}

static bool exceeds(struct gpreempt_lot lot, struct gpreempt_lot had)
{
	return gpreempt_lot_exceeds(&lot, &had);
}

/* As of a queue of which something was set, whose process has a lot, and that asks for another. */
static u32 permitted(struct gpreempt_lot asked, struct gpreempt_lot set,
		     struct gpreempt_lot process, u32 cap)
{
	const struct gpreempt_lot lot = inherit(inherit(set, process), asked);

	return gpreempt_permitted(&lot, cap);
}

static u32 turn_us(struct gpreempt_lot set, struct gpreempt_lot process, u32 level)
{
	const struct gpreempt_lot lot = inherit(set, process);

	return gpreempt_turn_us(&lot, level);
}

static void expect_same(struct kunit *test, struct gpreempt_lot lot, struct gpreempt_lot is)
{
	KUNIT_EXPECT_MEMEQ(test, &lot, &is, sizeof(lot));
}

/* A priority as somebody sets it: 0 is none, then each with and without nice. */
#define NR_SETTINGS	33

static struct gpreempt_lot setting(int n)
{
	return n ? with_priority(none, (n - 1) / 2, n % 2) : none;
}

static u32 expected_permitted(int asked, int set, int process, u32 ceiling, u32 cap)
{
	int n = set ?: process ?: asked;
	u32 priority = (n - 1) / 2;

	if (!(n % 2))
		priority = min(priority, cap);
	return min(priority, ceiling);
}

/* The queue's own setting before the process's before the application's. */
static void gpreempt_permitted_every_setting(struct kunit *test)
{
	static const u32 limits[] = { 0, 3, 7, 15 };
	int asked, set, process, c, l, wrong = 0;

	for (asked = 1; asked < NR_SETTINGS; asked++)
		for (set = 0; set < NR_SETTINGS; set++)
			for (process = 0; process < NR_SETTINGS; process++)
				for (c = 0; c < 4; c++)
					for (l = 0; l < 4; l++)
						wrong += permitted(setting(asked), setting(set),
							with_ceiling(setting(process), limits[c]),
							limits[l]) !=
							expected_permitted(asked, set, process,
									   limits[c], limits[l]);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void gpreempt_lot_nearest_priority_lowest_ceiling(struct kunit *test)
{
	struct gpreempt_lot parent = with_ceiling(setting(20), 6);
	struct gpreempt_lot child = with_ceiling(setting(9), 11);

	expect_same(test, inherit(none, none), none);
	expect_same(test, inherit(none, parent), parent);
	expect_same(test, inherit(child, none), child);
	expect_same(test, inherit(child, parent), with_ceiling(child, 6));
	expect_same(test, inherit(parent, child), parent);
	expect_same(test, inherit(child, with_ceiling(none, 12)), child);
	/* a ceiling alone is no priority */
	KUNIT_EXPECT_EQ(test, permitted(with_priority(none, 15, true), none,
					with_ceiling(none, 14), 7), 14);
}

/* The queue's own turn before the process's before the level's. */
static void gpreempt_turn_every_setting(struct kunit *test)
{
	static const u32 us[] = { 0, 1000, 20000, 1000000 };
	int s, p, l, nice;

	for (s = 0; s < 4; s++) {
		for (p = 0; p < 4; p++) {
			for (l = 0; l < 4; l++) {
				/* bit 0: of the queue's, bit 1: of the process's */
				for (nice = 0; nice < 4; nice++) {
					u32 want = us[s] ?: us[p];
					bool longer = us[s] ? nice & 1 : nice & 2;

					if (!want || (!longer && want > us[l]))
						want = us[l];
					KUNIT_EXPECT_EQ(test,
							turn_us(with_turn(none, us[s], nice & 1),
								with_turn(none, us[p], nice & 2),
								us[l]), want);
				}
			}
		}
	}
}

/* The priority of a queue that asks for one and is set to another, or to none (16). */
static int wrongly_granted(u32 asked, u32 set, u32 cap, u32 grant, u32 ceiling)
{
	struct gpreempt_lot process = with_ceiling(none, ceiling);
	u32 want = set < 16 ? set : asked;

	if (grant < 16)
		process = with_grant(process, grant);
	want = min(want, grant < 16 ? max(cap, grant) : cap);
	return permitted(with_priority(none, asked, false),
			 set < 16 ? with_priority(none, set, false) : none, process, cap) !=
	       min(want, ceiling);
}

/* Above the node's cap by the grant, and by nothing else of what an application can ask for. */
static void gpreempt_grant_every_setting(struct kunit *test)
{
	u32 asked, set, cap, grant, ceiling;
	int wrong = 0;

	for (asked = 0; asked < 16; asked++)
		for (set = 0; set <= 16; set++)
			for (cap = 0; cap < 16; cap++)
				for (grant = 0; grant <= 16; grant++)
					for (ceiling = 0; ceiling < 16; ceiling++)
						wrong += wrongly_granted(asked, set, cap, grant,
									 ceiling);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	/* with CAP_SYS_NICE there is no cap to be above of */
	KUNIT_EXPECT_EQ(test, permitted(with_priority(none, 14, true), none, with_grant(none, 9),
					7), 14);
}

/* The nearest grant, be it lower than that of an ancestor. */
static void gpreempt_grant_is_inherited(struct kunit *test)
{
	struct gpreempt_lot own = with_grant(none, 5), parent = with_grant(none, 12);

	KUNIT_EXPECT_EQ(test, inherit(own, parent).grant, 5);
	KUNIT_EXPECT_EQ(test, inherit(none, parent).grant, 12);
	KUNIT_EXPECT_EQ(test, inherit(with_priority(none, 1, false), parent).grant, 12);
	KUNIT_EXPECT_EQ(test, inherit(own, parent).priority, GPREEMPT_UNSET);
}

/* The nearest turn counts, with the privilege of its setter; the rest stays as it is. */
static void gpreempt_turn_is_inherited(struct kunit *test)
{
	struct gpreempt_lot rest = with_ceiling(with_priority(none, 15, true), 0);
	struct gpreempt_lot own = with_turn(rest, 1000, false);
	struct gpreempt_lot parent = with_turn(with_priority(none, 3, false), 1000000, true);

	KUNIT_EXPECT_EQ(test, permitted(with_priority(none, 0, false), none, parent, 15), 3);
	expect_same(test, inherit(none, parent), parent);
	expect_same(test, inherit(own, parent), own);
	KUNIT_EXPECT_EQ(test, turn_us(none, inherit(rest, parent), 2000), 1000000);
	KUNIT_EXPECT_EQ(test, turn_us(none, inherit(parent, own), 2000), 1000000);
	KUNIT_EXPECT_EQ(test, inherit(parent, own).ceiling, 0);
}

/* Of a share that there is, all but the minimum. */
static void gpreempt_lot_inherits_the_share(struct kunit *test)
{
	struct gpreempt_lot parent = none;

	parent.share = (struct gpreempt_share) { 50, 20, 60 };
	parent.group = 7;
	KUNIT_EXPECT_EQ(test, inherit(none, parent).share.weight, 50);
	KUNIT_EXPECT_EQ(test, inherit(none, parent).share.min_percent, 0);
	KUNIT_EXPECT_EQ(test, inherit(none, parent).share.cap_percent, 60);
	/* that its members have it together is for the caller to say */
	KUNIT_EXPECT_EQ(test, inherit(none, parent).group, 0);
}

/* A caller that may only lower can neither raise any part nor remove a bound. */
static void gpreempt_lot_exceeds_by_a_part(struct kunit *test)
{
	struct gpreempt_lot free = with_ceiling(with_priority(none, 6, false), 10);
	struct gpreempt_lot had = with_grant(free, 9);

	KUNIT_EXPECT_FALSE(test, exceeds(had, had));
	KUNIT_EXPECT_FALSE(test, exceeds(none, none));
	KUNIT_EXPECT_FALSE(test, exceeds(with_priority(none, 15, false), none));
	KUNIT_EXPECT_FALSE(test, exceeds(with_turn(had, 5000, false), had));
	KUNIT_EXPECT_FALSE(test, exceeds(with_ceiling(had, 9), had));
	KUNIT_EXPECT_TRUE(test, exceeds(had, with_ceiling(had, 9)));
	KUNIT_EXPECT_TRUE(test, exceeds(with_ceiling(had, GPREEMPT_UNSET), had));
	KUNIT_EXPECT_TRUE(test, exceeds(with_grant(free, 10), had));
	KUNIT_EXPECT_FALSE(test, exceeds(with_grant(free, 8), had));
	KUNIT_EXPECT_TRUE(test, exceeds(with_grant(free, 0), free));
	KUNIT_EXPECT_TRUE(test, exceeds(free, had));
}

static struct kunit_case gpreempt_lot_cases[] = {
	KUNIT_CASE(gpreempt_permitted_every_setting),
	KUNIT_CASE(gpreempt_lot_nearest_priority_lowest_ceiling),
	KUNIT_CASE(gpreempt_turn_every_setting),
	KUNIT_CASE(gpreempt_turn_is_inherited),
	KUNIT_CASE(gpreempt_grant_every_setting),
	KUNIT_CASE(gpreempt_grant_is_inherited),
	KUNIT_CASE(gpreempt_lot_inherits_the_share),
	KUNIT_CASE(gpreempt_lot_exceeds_by_a_part),
	{}
};

static struct kunit_suite gpreempt_lot_suite = {
	.name = "amdgpu_kfd_gpreempt_lot",
	.test_cases = gpreempt_lot_cases,
};

kunit_test_suite(gpreempt_lot_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's lots");
MODULE_LICENSE("Dual MIT/GPL");
