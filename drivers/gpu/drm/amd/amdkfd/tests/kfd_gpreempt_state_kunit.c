// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's state machine. They take in the
 * source, so that they need neither the driver nor its symbols.
 */

#include <kunit/test.h>

/* Names of its own, should the driver be built in beside it. */
#define gpreempt_state		kunit_gpreempt_state
#define gpreempt_event		kunit_gpreempt_event
#define gpreempt_rearm_ms	kunit_gpreempt_rearm_ms
#define gpreempt_state_names	kunit_gpreempt_state_names
#define gpreempt_bypass_names	kunit_gpreempt_bypass_names
#define gpreempt_unsupported	kunit_gpreempt_unsupported
#define gpreempt_gws_stays	kunit_gpreempt_gws_stays

#include "../gpreempt/core/state.c"

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
		KUNIT_EXPECT_STREQ(test, gpreempt_bypass_names[m.bypass],
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
				   gpreempt_state_names[state], code);
		/* A hang hides a soft error, and its forgiveness forgives both. */
		if ((state == GPREEMPT_BYPASSED) != (enabled && (hang || soft)))
			KUNIT_FAIL(test, "wrongly %s after sequence %u",
				   gpreempt_state_names[state], code);
	}
}

/* Each state and each reason has its name. */
static void gpreempt_state_has_names(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(gpreempt_state_names), GPREEMPT_BYPASSED + 1);
	KUNIT_EXPECT_STREQ(test, gpreempt_state_names[GPREEMPT_PARKED], "parked");
	KUNIT_EXPECT_STREQ(test, gpreempt_state_names[GPREEMPT_BYPASSED], "bypassed");
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(gpreempt_bypass_names), GPREEMPT_BYPASS_MAP + 1);
	KUNIT_EXPECT_STREQ(test, gpreempt_bypass_names[GPREEMPT_BYPASS_LATE], "late_preemption");
	KUNIT_EXPECT_STREQ(test, gpreempt_bypass_names[GPREEMPT_BYPASS_MAP], "map_failed");
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

static struct kunit_case gpreempt_state_cases[] = {
	KUNIT_CASE_PARAM(gpreempt_state_sequences, sequence_gen_params),
	KUNIT_CASE(gpreempt_state_ends_by_itself),
	KUNIT_CASE(gpreempt_state_late_in_a_row),
	KUNIT_CASE(gpreempt_state_first_reason_stays),
	KUNIT_CASE_SLOW(gpreempt_state_every_sequence),
	KUNIT_CASE(gpreempt_state_has_names),
	KUNIT_CASE_PARAM(gpreempt_platforms, platform_gen_params),
	KUNIT_CASE(gpreempt_gws_has_its_time),
	{}
};

static struct kunit_suite gpreempt_state_suite = {
	.name = "amdgpu_kfd_gpreempt_state",
	.test_cases = gpreempt_state_cases,
};

kunit_test_suite(gpreempt_state_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's state machine");
MODULE_LICENSE("Dual MIT/GPL");
