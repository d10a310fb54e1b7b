// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's state machine and input checks. They take in the
 * source, so that they need neither the driver nor its symbols.
 */

#include <kunit/test.h>

/* Names of its own, should the driver be built in beside it. */
#define gpreempt_state		kunit_gpreempt_state
#define gpreempt_event		kunit_gpreempt_event
#define gpreempt_rearm_ms	kunit_gpreempt_rearm_ms
#define gpreempt_state_name	kunit_gpreempt_state_name
#define gpreempt_bypass_name	kunit_gpreempt_bypass_name
#define gpreempt_unsupported	kunit_gpreempt_unsupported
#define gpreempt_gws_stays	kunit_gpreempt_gws_stays
#define gpreempt_parse		kunit_gpreempt_parse
#define gpreempt_word_inherit	kunit_gpreempt_word_inherit
#define gpreempt_word_exceeds	kunit_gpreempt_word_exceeds
#define gpreempt_cap		kunit_gpreempt_cap
#define gpreempt_permitted	kunit_gpreempt_permitted
#define gpreempt_turn		kunit_gpreempt_turn

#include "../gpreempt/state.c"

#define NR_EVENTS	(GPREEMPT_EV_MAP + 1)
#define SEQUENCE	5	/* NR_EVENTS ^ SEQUENCE sequences are walked */

/* The state that a sequence of events leads to, from disabled. */
static enum gpreempt_state after(const enum gpreempt_event *events, int n)
{
	struct gpreempt_facts m = {};
	int i;

	for (i = 0; i < n; i++)
		gpreempt_event(&m, events[i]);
	return gpreempt_state(&m);
}

#define EVENTS	6	/* at most, in the sequences that follow */

/* What happens, and what comes of it; EV(..) of 0 ends the list. */
#define EV(what)	(GPREEMPT_EV_##what + 1)

static const struct sequence_case {
	const char *name;
	u8 events[EVENTS];
	enum gpreempt_state state;
} sequence_cases[] = {
	{ "off_until_enabled", {}, GPREEMPT_DISABLED },
	{ "off_with_work", { EV(WORK) }, GPREEMPT_DISABLED },
	{ "off_when_started", { EV(START) }, GPREEMPT_DISABLED },
	{ "enabled", { EV(ENABLE) }, GPREEMPT_ACTIVE },
	{ "disabled", { EV(ENABLE), EV(DISABLE) }, GPREEMPT_DISABLED },
	{ "parks", { EV(ENABLE), EV(IDLE) }, GPREEMPT_PARKED },
	{ "wakes", { EV(ENABLE), EV(IDLE), EV(WORK) }, GPREEMPT_ACTIVE },
	{ "work_does_not_start_a_stopped_scheduler",
	  { EV(ENABLE), EV(STOP), EV(WORK) }, GPREEMPT_PARKED },
	{ "nor_does_enable", { EV(STOP), EV(ENABLE) }, GPREEMPT_PARKED },
	{ "start_is_work", { EV(ENABLE), EV(IDLE), EV(STOP), EV(START) }, GPREEMPT_ACTIVE },
	{ "late", { EV(ENABLE), EV(LATE) }, GPREEMPT_BYPASSED },
	{ "late_is_not_ended_by_work", { EV(ENABLE), EV(LATE), EV(WORK) }, GPREEMPT_BYPASSED },
	{ "late_is_forgiven_by_enable", { EV(ENABLE), EV(LATE), EV(ENABLE) }, GPREEMPT_ACTIVE },
	{ "map_is_forgiven_by_enable", { EV(ENABLE), EV(MAP), EV(ENABLE) }, GPREEMPT_ACTIVE },
	{ "map_ends_by_itself", { EV(ENABLE), EV(MAP), EV(REARM) }, GPREEMPT_ACTIVE },
	{ "hang_does_not", { EV(ENABLE), EV(HANG), EV(REARM) }, GPREEMPT_BYPASSED },
	{ "rearm_does_not_enable",
	  { EV(ENABLE), EV(LATE), EV(MAP), EV(DISABLE), EV(REARM) }, GPREEMPT_DISABLED },
	{ "hang_is_not_forgiven_by_enable",
	  { EV(ENABLE), EV(HANG), EV(ENABLE) }, GPREEMPT_BYPASSED },
	{ "nor_by_disable_and_enable",
	  { EV(ENABLE), EV(HANG), EV(DISABLE), EV(ENABLE) }, GPREEMPT_BYPASSED },
	{ "nor_by_stop", { EV(ENABLE), EV(HANG), EV(STOP) }, GPREEMPT_BYPASSED },
	{ "hang_is_forgiven_by_reset_only",
	  { EV(ENABLE), EV(HANG), EV(STOP), EV(START) }, GPREEMPT_ACTIVE },
};

KUNIT_ARRAY_PARAM_DESC(sequence, sequence_cases, name);

static void gpreempt_state_sequences(struct kunit *test)
{
	const struct sequence_case *c = test->param_value;
	enum gpreempt_event events[EVENTS];
	int n;

	for (n = 0; n < EVENTS && c->events[n]; n++)
		events[n] = c->events[n] - 1;
	KUNIT_EXPECT_EQ(test, after(events, n), c->state);
}

/* Whatever the reason, it is tried again, after 1 s, 2 s and so on to 64 s, however often. */
static void gpreempt_state_ends_by_itself(struct kunit *test)
{
	struct gpreempt_facts m = { .enabled = true };
	unsigned int i;

	KUNIT_EXPECT_EQ(test, gpreempt_rearm_ms(&m), 0);
	for (i = 0; i < 100; i++) {
		bool late = i % 3;

		gpreempt_event(&m, late ? GPREEMPT_EV_LATE : GPREEMPT_EV_MAP);
		KUNIT_EXPECT_EQ(test, gpreempt_state(&m), GPREEMPT_BYPASSED);
		KUNIT_EXPECT_STREQ(test, gpreempt_bypass_name(m.bypass),
				   late ? "late_preemption" : "map_failed");
		KUNIT_EXPECT_EQ(test, gpreempt_rearm_ms(&m), 1000 << min(i, 6));
		gpreempt_event(&m, GPREEMPT_EV_LATE);	/* there is nothing to add */
		KUNIT_EXPECT_EQ(test, gpreempt_rearm_ms(&m), 1000 << min(i, 6));
		gpreempt_event(&m, GPREEMPT_EV_REARM);
		KUNIT_EXPECT_EQ(test, gpreempt_state(&m), GPREEMPT_ACTIVE);
	}
	gpreempt_event(&m, GPREEMPT_EV_ENABLE);
	gpreempt_event(&m, GPREEMPT_EV_LATE);
	KUNIT_EXPECT_EQ(test, gpreempt_rearm_ms(&m), 1000);
}

/* A preemption in time between them: they are not in a row. */
static void gpreempt_state_late_in_a_row(struct kunit *test)
{
	struct gpreempt_facts m = { .enabled = true };
	unsigned int i;

	for (i = 0; i < 10; i++) {
		gpreempt_event(&m, GPREEMPT_EV_LATE);
		KUNIT_EXPECT_EQ(test, gpreempt_rearm_ms(&m), 1000);
		gpreempt_event(&m, GPREEMPT_EV_SAVED);	/* of before */
		KUNIT_EXPECT_EQ(test, gpreempt_rearm_ms(&m), 1000);
		gpreempt_event(&m, GPREEMPT_EV_REARM);
		gpreempt_event(&m, GPREEMPT_EV_SAVED);
	}
}

/* Only a hang replaces a reason. */
static void gpreempt_state_first_reason_stays(struct kunit *test)
{
	struct gpreempt_facts m = { .enabled = true };

	gpreempt_event(&m, GPREEMPT_EV_LATE);
	gpreempt_event(&m, GPREEMPT_EV_MAP);
	KUNIT_EXPECT_EQ(test, m.bypass, GPREEMPT_BYPASS_LATE);
	gpreempt_event(&m, GPREEMPT_EV_HANG);
	KUNIT_EXPECT_EQ(test, m.bypass, GPREEMPT_BYPASS_HANG);
	gpreempt_event(&m, GPREEMPT_EV_LATE);
	KUNIT_EXPECT_EQ(test, m.bypass, GPREEMPT_BYPASS_HANG);
}

/*
 * Whatever happens in whatever order: active means enabled, running and without
 * an error since the last forgiveness. A second, slower account of the facts
 * is kept beside the machine.
 */
static void gpreempt_state_every_sequence(struct kunit *test)
{
	enum gpreempt_event e[SEQUENCE];
	u32 code, rest, total = 1;
	int i;

	for (i = 0; i < SEQUENCE; i++)
		total *= NR_EVENTS;

	for (code = 0; code < total; code++) {
		bool enabled = false, stopped = false, hang = false, soft = false;
		enum gpreempt_state state;

		for (i = 0, rest = code; i < SEQUENCE; i++, rest /= NR_EVENTS) {
			e[i] = rest % NR_EVENTS;
			enabled = e[i] == GPREEMPT_EV_ENABLE ||
				  (enabled && e[i] != GPREEMPT_EV_DISABLE);
			stopped = e[i] == GPREEMPT_EV_STOP ||
				  (stopped && e[i] != GPREEMPT_EV_START);
			hang = e[i] == GPREEMPT_EV_HANG ||
			       (hang && e[i] != GPREEMPT_EV_START);
			soft = e[i] == GPREEMPT_EV_LATE || e[i] == GPREEMPT_EV_MAP ||
			       (soft && e[i] != GPREEMPT_EV_START &&
				e[i] != GPREEMPT_EV_ENABLE &&
				e[i] != GPREEMPT_EV_DISABLE &&
				(e[i] != GPREEMPT_EV_REARM || hang));
		}
		state = after(e, SEQUENCE);
		if (state == GPREEMPT_ACTIVE && (!enabled || stopped || hang || soft))
			KUNIT_FAIL(test, "active after sequence %u", code);
		if ((state == GPREEMPT_DISABLED) == enabled)
			KUNIT_FAIL(test, "wrongly %s after sequence %u",
				   gpreempt_state_name(state), code);
		/* A hang hides a soft error, and its forgiveness forgives both. */
		if ((state == GPREEMPT_BYPASSED) != (enabled && (hang || soft)))
			KUNIT_FAIL(test, "wrongly %s after sequence %u",
				   gpreempt_state_name(state), code);
	}
}

/* Each has a name, and what is none is unknown. */
static void gpreempt_state_names(struct kunit *test)
{
	static const char * const states[] = {
		"disabled", "parked", "active", "bypassed", "unknown",
	};
	static const char * const reasons[] = {
		"none", "late_preemption", "hung_preemption", "map_failed", "unknown",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		KUNIT_EXPECT_STREQ(test, gpreempt_state_name(i), states[i]);
		KUNIT_EXPECT_STREQ(test, gpreempt_bypass_name(i), reasons[i]);
	}
}

struct parse_case {
	const char *text;
	u32 min;
	u32 max;
	bool ok;
	u32 value;
};

static const struct parse_case parse_cases[] = {
	/* In, at, before and after the range. */
	{ "50", 50, 1000000, true, 50 },
	{ "1000000", 50, 1000000, true, 1000000 },
	{ "1000\n", 50, 1000000, true, 1000 },
	{ "49", 50, 1000000, false, 0 },
	{ "1000001", 50, 1000000, false, 0 },
	{ "0", 0, 1, true, 0 },
	{ "2", 0, 1, false, 0 },
	/* More than 32 and 64 bits. */
	{ "4294967295", 0, U32_MAX, true, U32_MAX },
	{ "4294967296", 0, U32_MAX, false, 0 },
	{ "18446744073709551617", 0, U32_MAX, false, 0 },
	/* Garbage. */
	{ "", 0, U32_MAX, false, 0 },
	{ "\n", 0, U32_MAX, false, 0 },
	{ "-1", 0, U32_MAX, false, 0 },
	{ "1 2", 0, U32_MAX, false, 0 },
	{ " 1", 0, U32_MAX, false, 0 },
	{ "1us", 0, U32_MAX, false, 0 },
	{ "0x10", 0, U32_MAX, false, 0 },
	{ "1.5", 0, U32_MAX, false, 0 },
	{ "on", 0, U32_MAX, false, 0 },
};

static void parse_case_name(const struct parse_case *c, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "\"%*pE\" in %u..%u",
		 (int)strlen(c->text), c->text, c->min, c->max);
}

KUNIT_ARRAY_PARAM(parse, parse_cases, parse_case_name);

static void gpreempt_parse_numbers(struct kunit *test)
{
	const struct parse_case *c = test->param_value;
	u32 value = 4711;

	KUNIT_EXPECT_EQ(test, gpreempt_parse(c->text, c->min, c->max, &value),
			c->ok ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, value, c->ok ? c->value : 4711);
}

/*
 * The registers that the scan knows, up to several XCCs; or MES, which is there from gfx11 on.
 * Only what a model has run goes without the owner's word.
 */
enum platform_is { REFUSED, DARED, GOOD };

static const struct platform_case {
	const char *name;
	struct gpreempt_platform p;
	enum platform_is is;
} platform_cases[] = {
	{ "gfx9", { 90000, .cwsr = true }, DARED },
	{ "older", { 80003, .cwsr = true } },
	{ "unknown", { 0, .cwsr = true } },
	{ "MI50", { 90006, .cwsr = true }, DARED },
	{ "MI100", { 90008, .cwsr = true }, DARED },
	{ "an APU", { 90012, .cwsr = true }, DARED },
	{ "MI200", { 90010, .cwsr = true }, GOOD },
	{ "MI300A, revision 0", { 90400, .cwsr = true }, DARED },
	{ "MI300X, revision 0", { 90401, .cwsr = true }, DARED },
	{ "several XCCs", { 90402, .cwsr = true }, GOOD },
	{ "the last with such registers", { 90499, .cwsr = true }, DARED },
	{ "gfx9.5", { 90500, .cwsr = true } },
	{ "gfx10", { 100300, .cwsr = true } },
	{ "gfx11 without MES", { 110000, .cwsr = true } },
	{ "gfx11", { 110000, .mes = true, .cwsr = true }, DARED },
	{ "gfx12", { 120001, .mes = true, .cwsr = true }, DARED },
	{ "the last MES of that kind", { 120099, .mes = true, .cwsr = true }, DARED },
	{ "gfx12.1", { 120100, .mes = true, .cwsr = true } },
	{ "gfx10 with MES", { 109999, .mes = true, .cwsr = true } },
	{ "gfx9 with MES", { 90010, .mes = true, .cwsr = true } },
	{ "no CWSR", { 90010 } },
	{ "no CWSR with MES", { 110000, .mes = true } },
	{ "a virtual function", { 90010, .cwsr = true, .vf = true } },
};

KUNIT_ARRAY_PARAM_DESC(platform, platform_cases, name);

static void gpreempt_platforms(struct kunit *test)
{
	const struct platform_case *c = test->param_value;
	struct gpreempt_platform p = c->p;

	KUNIT_EXPECT_EQ(test, !gpreempt_unsupported(&p), c->is == GOOD);
	p.owner_dares = true;
	KUNIT_EXPECT_EQ(test, !gpreempt_unsupported(&p), c->is != REFUSED);
}

/* For starvation_ms after each return, and not before the first. */
static void gpreempt_gws_has_its_time(struct kunit *test)
{
	const u64 back_ns = 7 * NSEC_PER_SEC, end_ns = back_ns + 200 * NSEC_PER_MSEC;

	KUNIT_EXPECT_FALSE(test, gpreempt_gws_stays(0, NSEC_PER_MSEC, 200));
	KUNIT_EXPECT_TRUE(test, gpreempt_gws_stays(back_ns, back_ns, 200));
	KUNIT_EXPECT_TRUE(test, gpreempt_gws_stays(back_ns, end_ns - 1, 200));
	KUNIT_EXPECT_FALSE(test, gpreempt_gws_stays(back_ns, end_ns, 200));
	/* the longest that there is */
	KUNIT_EXPECT_TRUE(test, gpreempt_gws_stays(back_ns, back_ns + 59 * NSEC_PER_SEC, 60000));
}

/* A priority as somebody sets it: 0 is none, then each with and without nice. */
#define NR_SETTINGS	33

static u32 setting(int n)
{
	return n ? gpreempt_word((n - 1) / 2, n % 2) : 0;
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
						wrong += gpreempt_permitted(setting(asked),
							setting(set),
							gpreempt_word_ceiling(setting(process),
									      limits[c]),
							limits[l]) !=
							expected_permitted(asked, set, process,
									   limits[c], limits[l]);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void gpreempt_word_nearest_priority_lowest_ceiling(struct kunit *test)
{
	u64 parent = gpreempt_word_ceiling(gpreempt_word(9, true), 6);
	u64 child = gpreempt_word_ceiling(gpreempt_word(4, false), 11);

	KUNIT_EXPECT_EQ(test, gpreempt_word_inherit(0, 0), 0);
	KUNIT_EXPECT_EQ(test, gpreempt_word_inherit(0, parent), parent);
	KUNIT_EXPECT_EQ(test, gpreempt_word_inherit(child, 0), child);
	KUNIT_EXPECT_EQ(test, gpreempt_word_inherit(child, parent),
			gpreempt_word_ceiling(gpreempt_word(4, false), 6));
	KUNIT_EXPECT_EQ(test, gpreempt_word_inherit(parent, child), parent);
	KUNIT_EXPECT_EQ(test, gpreempt_ceiling(0), 15);
	KUNIT_EXPECT_EQ(test, gpreempt_ceiling(child), 11);
	KUNIT_EXPECT_EQ(test, gpreempt_word_ceiling(child, 12), child);
	/* a ceiling alone is a word of its own, and no priority */
	KUNIT_EXPECT_NE(test, gpreempt_word_ceiling(0, 14), 0);
	KUNIT_EXPECT_EQ(test, gpreempt_permitted(gpreempt_word(15, true), 0,
						 gpreempt_word_ceiling(0, 14), 7), 14);
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
					u32 set = gpreempt_word_turn(0, us[s], nice & 1);
					u64 word = gpreempt_word_turn(0, us[p], nice & 2);
					u32 want = us[s] ?: us[p];
					bool longer = us[s] ? nice & 1 : nice & 2;

					if (!want || (!longer && want > us[l]))
						want = us[l];
					KUNIT_EXPECT_EQ(test, gpreempt_turn(set, word, us[l]),
							want);
				}
			}
		}
	}
}

/* Each part of a word by itself, with who set it. */
static void gpreempt_word_keeps_parts(struct kunit *test)
{
	u64 old = gpreempt_word_ceiling(gpreempt_word(10, true), 10);
	u64 new = gpreempt_word_ceiling(gpreempt_word(3, false), 5);
	u64 word;

	old = gpreempt_word_grant(gpreempt_word_turn(old, 20000, true), 12);
	new = gpreempt_word_grant(gpreempt_word_turn(new, 1000, false), 9);
	KUNIT_EXPECT_EQ(test, gpreempt_word_keep(new, old, 0), new);
	KUNIT_EXPECT_EQ(test, gpreempt_word_keep(new, old, GPREEMPT_PART_PRIORITY |
						 GPREEMPT_WORD_CEILING | GPREEMPT_PART_TURN |
						 GPREEMPT_WORD_GRANT), old);
	word = gpreempt_word_keep(new, old, GPREEMPT_PART_PRIORITY);
	KUNIT_EXPECT_EQ(test, gpreempt_priority(word), 10);
	/* with CAP_SYS_NICE, or its grant would hold it back */
	KUNIT_EXPECT_EQ(test, gpreempt_permitted(word, 0, 0, 7), 10);
	KUNIT_EXPECT_EQ(test, gpreempt_ceiling(word), 5);
	KUNIT_EXPECT_EQ(test, gpreempt_turn(0, word, 5000), 1000);
	KUNIT_EXPECT_EQ(test, gpreempt_grant(word), 9);
	word = gpreempt_word_keep(new, old, GPREEMPT_WORD_CEILING);
	KUNIT_EXPECT_EQ(test, gpreempt_permitted(word, 0, 0, 7), 3);
	KUNIT_EXPECT_EQ(test, gpreempt_ceiling(word), 10);
	KUNIT_EXPECT_EQ(test, gpreempt_grant(word), 9);
	word = gpreempt_word_keep(new, old, GPREEMPT_PART_TURN);
	KUNIT_EXPECT_EQ(test, gpreempt_ceiling(word), 5);
	KUNIT_EXPECT_EQ(test, gpreempt_turn(0, word, 5000), 20000);
	word = gpreempt_word_keep(new, old, GPREEMPT_WORD_GRANT);
	KUNIT_EXPECT_EQ(test, gpreempt_grant(word), 12);
	KUNIT_EXPECT_EQ(test, gpreempt_ceiling(word), 5);
	KUNIT_EXPECT_EQ(test, gpreempt_word_us(word), 1000);
}

/* What a queue may have that asks for one priority and is set to another one, or to none (16). */
static int wrongly_granted(u32 asked, u32 set, u32 cap, u32 grant, u32 ceiling)
{
	u64 process = gpreempt_word_ceiling(0, ceiling);
	u32 want = set < 16 ? set : asked;

	if (grant < 16)
		process = gpreempt_word_grant(process, grant);
	want = min(want, grant < 16 ? max(cap, grant) : cap);
	return gpreempt_permitted(gpreempt_word(asked, false),
				  set < 16 ? gpreempt_word(set, false) : 0, process, cap) !=
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
	KUNIT_EXPECT_EQ(test, gpreempt_cap(0, 7), 7);
	KUNIT_EXPECT_EQ(test, gpreempt_cap(gpreempt_word_grant(0, 3), 7), 7);
	KUNIT_EXPECT_EQ(test, gpreempt_cap(gpreempt_word_grant(0, 11), 7), 11);
	/* with CAP_SYS_NICE there is no cap to be above of */
	KUNIT_EXPECT_EQ(test, gpreempt_permitted(gpreempt_word(14, true), 0,
						 gpreempt_word_grant(0, 9), 7), 14);
}

/* The nearest grant, be it lower than that of an ancestor. */
static void gpreempt_grant_is_inherited(struct kunit *test)
{
	u64 own = gpreempt_word_grant(0, 5), parent = gpreempt_word_grant(0, 12);

	KUNIT_EXPECT_EQ(test, gpreempt_grant(0), U32_MAX);
	KUNIT_EXPECT_EQ(test, gpreempt_grant(gpreempt_word_inherit(own, parent)), 5);
	KUNIT_EXPECT_EQ(test, gpreempt_grant(gpreempt_word_inherit(0, parent)), 12);
	KUNIT_EXPECT_EQ(test, gpreempt_grant(gpreempt_word_inherit(gpreempt_word(1, false),
								   parent)), 12);
	KUNIT_EXPECT_EQ(test, gpreempt_priority(gpreempt_word_inherit(own, parent)), U32_MAX);
}

/* Whoever may only lower cannot raise any part of it, nor take away what bounds. */
static void gpreempt_word_exceeds_by_a_part(struct kunit *test)
{
	u64 none = gpreempt_word_ceiling(gpreempt_word(6, false), 10);
	u64 had = gpreempt_word_grant(none, 9);

	KUNIT_EXPECT_FALSE(test, gpreempt_word_exceeds(had, had));
	KUNIT_EXPECT_FALSE(test, gpreempt_word_exceeds(0, 0));
	KUNIT_EXPECT_FALSE(test, gpreempt_word_exceeds(gpreempt_word(15, false), 0));
	KUNIT_EXPECT_FALSE(test, gpreempt_word_exceeds(gpreempt_word_turn(had, 5000, false), had));
	KUNIT_EXPECT_FALSE(test, gpreempt_word_exceeds(gpreempt_word_ceiling(had, 9), had));
	KUNIT_EXPECT_TRUE(test, gpreempt_word_exceeds(had, gpreempt_word_ceiling(had, 9)));
	KUNIT_EXPECT_TRUE(test, gpreempt_word_exceeds(gpreempt_word_grant(none, 10), had));
	KUNIT_EXPECT_FALSE(test, gpreempt_word_exceeds(gpreempt_word_grant(none, 8), had));
	KUNIT_EXPECT_TRUE(test, gpreempt_word_exceeds(gpreempt_word_grant(none, 0), none));
	KUNIT_EXPECT_TRUE(test, gpreempt_word_exceeds(none, had));
}

/* The nearest turn, with who set it; what else is in the word stays what it is. */
static void gpreempt_turn_is_inherited(struct kunit *test)
{
	u64 rest = gpreempt_word_ceiling(gpreempt_word(15, true), 0);
	u64 own = gpreempt_word_turn(rest, 1000, false);
	u64 parent = gpreempt_word_turn(gpreempt_word(3, false), 1000000, true);

	KUNIT_EXPECT_EQ(test, gpreempt_word_turn(rest, 0, true), rest);
	KUNIT_EXPECT_EQ(test, gpreempt_ceiling(parent), 15);
	KUNIT_EXPECT_EQ(test, gpreempt_permitted(gpreempt_word(0, false), 0, parent, 15), 3);
	KUNIT_EXPECT_EQ(test, gpreempt_word_inherit(0, parent), parent);
	KUNIT_EXPECT_EQ(test, gpreempt_word_inherit(own, parent), own);
	KUNIT_EXPECT_EQ(test, gpreempt_turn(0, gpreempt_word_inherit(rest, parent), 2000),
			1000000);
	KUNIT_EXPECT_EQ(test, gpreempt_turn(0, gpreempt_word_inherit(parent, own), 2000),
			1000000);
	KUNIT_EXPECT_EQ(test, gpreempt_ceiling(gpreempt_word_inherit(parent, own)), 0);
}

static struct kunit_case gpreempt_state_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_state_sequences, sequence_gen_params),
	KUNIT_CASE(gpreempt_state_ends_by_itself),
	KUNIT_CASE(gpreempt_state_late_in_a_row),
	KUNIT_CASE(gpreempt_state_first_reason_stays),
	KUNIT_CASE_SLOW(gpreempt_state_every_sequence),
	KUNIT_CASE(gpreempt_state_names),
	KUNIT_CASE_PARAM(gpreempt_parse_numbers, parse_gen_params),
	KUNIT_CASE_PARAM(gpreempt_platforms, platform_gen_params),
	KUNIT_CASE(gpreempt_gws_has_its_time),
	KUNIT_CASE(gpreempt_permitted_every_setting),
	KUNIT_CASE(gpreempt_word_nearest_priority_lowest_ceiling),
	KUNIT_CASE(gpreempt_turn_every_setting),
	KUNIT_CASE(gpreempt_word_keeps_parts),
	KUNIT_CASE(gpreempt_turn_is_inherited),
	KUNIT_CASE(gpreempt_grant_every_setting),
	KUNIT_CASE(gpreempt_grant_is_inherited),
	KUNIT_CASE(gpreempt_word_exceeds_by_a_part),
	{}
};

static struct kunit_suite gpreempt_state_suite = {
	.name = "amdgpu_kfd_gpreempt_state",
	.test_cases = gpreempt_state_cases,
};

kunit_test_suite(gpreempt_state_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's state machine");
MODULE_LICENSE("Dual MIT/GPL");
