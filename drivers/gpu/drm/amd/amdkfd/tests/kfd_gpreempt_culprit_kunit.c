// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of the search for a queue that delays its saves: some queues, of which some
 * have waves and some delay their saves, always or by chance.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#define gpreempt_search_delayed	kunit_gpreempt_search_delayed
#define gpreempt_search_hear	kunit_gpreempt_search_hear
#define gpreempt_search_weigh	kunit_gpreempt_search_weigh
#define gpreempt_search_find	kunit_gpreempt_search_find
#define gpreempt_search_place	kunit_gpreempt_search_place
#define gpreempt_keep_off	kunit_gpreempt_keep_off

#include "../gpreempt/core/culprit.c"

#define QUEUES		32
#define NOBODY		(-1)
#define RUNS		20000	/* of random searches */
#define COINS		64	/* one of so many searches may blame whom they like */
#define SAVES_MAX	(TRIALS + 1)	/* in a search, its first included */
#define HOUR_NS		(3600 * NSEC_PER_SEC)

/**
 * struct node - queues on a runlist
 * @search:	for one of them
 * @q:		what it knows of them
 * @nr:		how many there are
 * @idle:	bit n: queue n has no waves
 * @slow:	bit n: its saves are late
 * @other:	and so are all, for what is none of these queues
 * @others:	and so are the first, so many
 * @coins:	how the coin falls in the proof; 0: with the suspect, without it, and so on
 * @saved:	which had waves in the last save
 * @late:	was that late?
 * @blamed:	queues that delayed the last one that was late
 * @saves:	how many there were
 * @lates:	that were late
 * @now_ns:	the time
 */
struct node {
	struct gpreempt_search search;
	struct gpreempt_suspect q[QUEUES];
	unsigned int nr;
	u32 idle, slow, saved, blamed, coins;
	bool other, late;
	unsigned int others, saves, lates;
	u64 now_ns;
};

/* All leave the hardware: which had waves, and does that delay it? */
static void save_all(struct node *n)
{
	unsigned int i;

	n->saved = 0;
	for (i = 0; i < n->nr; i++)
		if (!gpreempt_is_kept_off(&n->q[i], n->now_ns))
			n->saved |= BIT(i) & ~n->idle;
	n->late = n->other || n->saves < n->others || n->saved & n->slow;
	if (n->late)
		n->blamed = n->saved & n->slow;
	n->saves++;
	n->lates += n->late;
}

/* As a transaction does it. The queue that is to blame, or NOBODY. */
static int judge(struct node *n, enum gpreempt_finding *finding)
{
	u32 coins = n->coins ^ 0xaaaaaaaa;
	bool coin = coins & BIT(n->search.alone ? n->search.proofs + 1 : 0);
	int culprit = NOBODY;
	unsigned int i;

	gpreempt_search_hear(&n->search, n->late);
	for (i = 0; i < n->nr; i++)
		gpreempt_search_weigh(&n->search, &n->q[i], n->saved & BIT(i));
	*finding = gpreempt_search_find(&n->search, n->now_ns, coin);
	for (i = 0; i < n->nr; i++) {
		if (*finding == GPREEMPT_FOUND && gpreempt_is_suspect(&n->q[i]))
			culprit = i;
		gpreempt_search_place(&n->search, &n->q[i]);
	}
	return culprit;
}

/* From a late save to a finding. */
static int search(struct node *n)
{
	enum gpreempt_finding finding;
	int culprit;

	save_all(n);
	culprit = judge(n, &finding);
	while (finding == GPREEMPT_TRY && n->saves <= SAVES_MAX) {
		n->now_ns = n->search.due_ns;
		save_all(n);
		culprit = judge(n, &finding);
	}
	return culprit;
}

/* Every culprit of every number of queues is found, in as many trials as halving takes. */
static void gpreempt_culprit_found(struct kunit *test)
{
	unsigned int nr, i, k, halves;

	for (nr = 1; nr <= QUEUES; nr++) {
		for (halves = 0; BIT(halves) < nr; halves++)
			;
		for (i = 0; i < nr; i++) {
			struct node n = { .nr = nr, .slow = BIT(i) };

			KUNIT_EXPECT_EQ(test, search(&n), i);
			KUNIT_EXPECT_LE(test, n.saves, 2 + PROOFS + 2 * halves);
			KUNIT_EXPECT_LE(test, n.lates, 2 + PROOFS / 2 + halves);
			KUNIT_EXPECT_FALSE(test, n.search.on);
			for (k = 0; k < nr; k++)
				KUNIT_EXPECT_FALSE(test, gpreempt_is_kept_off(&n.q[k], n.now_ns));
		}
	}
}

/* The only one with waves is tried as well: it may not have been its fault. */
static void gpreempt_culprit_alone(struct kunit *test)
{
	struct node n = { .nr = 4, .idle = 0xb, .slow = BIT(2) };
	enum gpreempt_finding finding;

	KUNIT_EXPECT_EQ(test, search(&n), 2);
	KUNIT_EXPECT_EQ(test, n.saves, 2 + PROOFS);
	KUNIT_EXPECT_EQ(test, n.lates, 2 + PROOFS / 2);

	save_all(&n);
	n.slow = 0;
	judge(&n, &finding);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_TRY);
	save_all(&n);
	KUNIT_EXPECT_EQ(test, judge(&n, &finding), NOBODY);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_NOBODY);
}

/* What is tried has the hardware for itself: else something else might be slow meanwhile. */
static void gpreempt_culprit_has_it_alone(struct kunit *test)
{
	struct node n = { .nr = 5, .idle = 0x11, .slow = BIT(3) };
	enum gpreempt_finding finding;

	save_all(&n);
	judge(&n, &finding);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_TRY);
	KUNIT_EXPECT_TRUE(test, gpreempt_is_kept_off(&n.q[0], n.now_ns));
	KUNIT_EXPECT_TRUE(test, gpreempt_is_kept_off(&n.q[4], n.now_ns));
	KUNIT_EXPECT_EQ(test, gpreempt_is_kept_off(&n.q[1], n.now_ns) +
			gpreempt_is_kept_off(&n.q[2], n.now_ns) +
			gpreempt_is_kept_off(&n.q[3], n.now_ns), 1);
}

/* One that has become idle is not tried: the others are, and it is once it has waves. */
static void gpreempt_culprit_idle_meanwhile(struct kunit *test)
{
	struct node n = { .nr = 2, .slow = 3 };
	enum gpreempt_finding finding;

	save_all(&n);
	judge(&n, &finding);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_TRY);
	KUNIT_EXPECT_EQ(test, n.q[0].role, GPREEMPT_TRIED);
	n.idle = BIT(0);
	save_all(&n);
	KUNIT_EXPECT_FALSE(test, n.late);
	judge(&n, &finding);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_TRY);
	KUNIT_EXPECT_EQ(test, n.q[0].role, GPREEMPT_ASIDE);
	KUNIT_EXPECT_EQ(test, n.q[1].role, GPREEMPT_TRIED);
}

static unsigned int count(u32 queues)
{
	unsigned int n = 0;

	for (; queues; queues &= queues - 1)
		n++;
	return n;
}

/*
 * Half of the suspects are tried at a time, and of them first those that were not tried last; what
 * was saved in time is none any more, nor what was off when a save was late. The last one is tried
 * or left out by a coin.
 */
static void gpreempt_culprit_halves(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i, k;

	prandom_seed_state(&rnd, 815);
	for (i = 0; i < RUNS / 10; i++) {
		struct node n = { .nr = 2 + i % (QUEUES - 1), .slow = BIT(i % 7) };
		enum gpreempt_finding finding = GPREEMPT_TRY;
		u32 suspects = 0, aside = 0;

		while (finding == GPREEMPT_TRY && n.saves <= SAVES_MAX) {
			u32 tried = 0;

			n.idle = n.saves ? prandom_u32_state(&rnd) & prandom_u32_state(&rnd) : 0;
			save_all(&n);
			if (n.saves == 1 && !n.late)
				break;
			if (n.late)
				suspects = n.saved;
			else
				suspects &= ~n.saved;
			aside &= suspects;
			judge(&n, &finding);
			if (finding != GPREEMPT_TRY)
				break;
			for (k = 0; k < n.nr; k++)
				if (n.q[k].role == GPREEMPT_TRIED)
					tried |= BIT(k);
			KUNIT_EXPECT_EQ(test, tried & ~suspects, 0);
			KUNIT_EXPECT_EQ(test, n.search.alone, count(suspects) == 1);
			KUNIT_EXPECT_EQ(test, count(tried),
					n.search.without ? 0 : (count(suspects) + 1) / 2);
			KUNIT_EXPECT_EQ(test, count(tried & aside),
					min(count(aside), count(tried)));
			aside = suspects & ~tried;
			n.now_ns = n.search.due_ns;
		}
	}
}

/* A late save that does not come again is nobody's fault, and the search ends. */
static void gpreempt_culprit_nobody(struct kunit *test)
{
	struct node n = { .nr = QUEUES, .slow = U32_MAX };
	enum gpreempt_finding finding;
	unsigned int k;

	save_all(&n);
	n.slow = 0;
	judge(&n, &finding);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_TRY);
	while (finding == GPREEMPT_TRY && n.saves <= SAVES_MAX) {
		save_all(&n);
		KUNIT_EXPECT_EQ(test, judge(&n, &finding), NOBODY);
	}
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_NOBODY);
	KUNIT_EXPECT_FALSE(test, n.search.on);
	for (k = 0; k < n.nr; k++)
		KUNIT_EXPECT_EQ(test, n.q[k].role, GPREEMPT_UNSUSPECTED);
}

/* Saves that are late with and without the suspects are nobody's fault, however many there are. */
static void gpreempt_culprit_other(struct kunit *test)
{
	unsigned int nr;

	for (nr = 1; nr <= QUEUES; nr++) {
		struct node n = { .nr = nr, .other = true };

		KUNIT_EXPECT_EQ(test, search(&n), NOBODY);
		KUNIT_EXPECT_EQ(test, n.saved, 0);
		KUNIT_EXPECT_FALSE(test, n.search.on);
	}
}

/*
 * So are saves that some tenant delays by its copies, as many as it likes: it does not know the
 * coin, so that one search in 64 blames a queue at most. A culprit is found however that falls.
 */
static void gpreempt_culprit_coin(struct kunit *test)
{
	unsigned int nr, others, coins, blamed;

	for (nr = 1; nr <= 8; nr++) {
		for (others = 1; others <= SAVES_MAX; others++) {
			for (coins = blamed = 0; coins < COINS; coins++) {
				struct node n = { .nr = nr, .others = others, .coins = coins };

				blamed += search(&n) != NOBODY;
				KUNIT_EXPECT_FALSE(test, n.search.on);
			}
			KUNIT_EXPECT_GE(test, 1, blamed);
		}
		for (coins = 0; coins < COINS; coins++) {
			struct node n = { .nr = nr, .slow = BIT(nr / 2), .coins = coins };

			KUNIT_EXPECT_EQ(test, search(&n), nr / 2);
		}
	}
}

/* What comes meanwhile and is late is proved anew, and does not inherit what the coin has shown. */
static void gpreempt_culprit_newcomer(struct kunit *test)
{
	struct node n = { .nr = 1, .slow = 1 };
	enum gpreempt_finding finding;

	save_all(&n);
	judge(&n, &finding);
	while (n.search.proofs + 2 < PROOFS) {
		save_all(&n);
		judge(&n, &finding);
	}
	KUNIT_EXPECT_FALSE(test, n.search.without);
	n.nr = 2;
	n.idle = 1;
	n.slow = 2;
	save_all(&n);
	judge(&n, &finding);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_TRY);
	KUNIT_EXPECT_TRUE(test, gpreempt_is_suspect(&n.q[1]));
	KUNIT_EXPECT_FALSE(test, gpreempt_is_suspect(&n.q[0]));
	KUNIT_EXPECT_GE(test, 1, n.search.proofs);
}

/* A save that is late while the last suspect has no waves clears it, however much was proved. */
static void gpreempt_culprit_idle_at_last(struct kunit *test)
{
	struct node n = { .nr = 1, .slow = 1 };
	enum gpreempt_finding finding;

	save_all(&n);
	judge(&n, &finding);
	while ((n.search.proofs < PROOFS || n.search.without) && n.saves < SAVES_MAX) {
		save_all(&n);
		judge(&n, &finding);
		KUNIT_EXPECT_EQ(test, finding, GPREEMPT_TRY);
	}
	n.idle = 1;
	n.other = true;
	save_all(&n);
	KUNIT_EXPECT_EQ(test, judge(&n, &finding), NOBODY);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_NOBODY);
}

/* A save that is late for no queue's sake has no suspects. */
static void gpreempt_culprit_none(struct kunit *test)
{
	struct node n = { .nr = 3, .late = true };
	enum gpreempt_finding finding;

	KUNIT_EXPECT_EQ(test, judge(&n, &finding), NOBODY);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_NOBODY);
}

#define SLOW	(10 * NSEC_PER_MSEC)
#define LATE	(100 * NSEC_PER_MSEC)

static bool delayed(struct gpreempt_search *search, bool preempts, u64 ns)
{
	return gpreempt_search_delayed(search, preempts, NSEC_PER_SEC, ns, SLOW, LATE);
}

/*
 * What slow saves take too long is twice the limit at most, however many others come between them.
 * A change of the list alone is none of them.
 */
static void gpreempt_culprit_slow(struct kunit *test)
{
	struct gpreempt_search s = {};

	KUNIT_EXPECT_FALSE(test, delayed(&s, true, 2 * SLOW));
	KUNIT_EXPECT_FALSE(test, delayed(&s, false, 1));
	KUNIT_EXPECT_FALSE(test, delayed(&s, false, LATE));
	KUNIT_EXPECT_FALSE(test, delayed(&s, true, 2 * SLOW));
	KUNIT_EXPECT_FALSE(test, delayed(&s, true, 1));
	KUNIT_EXPECT_FALSE(test, delayed(&s, true, SLOW));
	KUNIT_EXPECT_TRUE(test, delayed(&s, true, SLOW + 1));
	KUNIT_EXPECT_TRUE(test, s.harmless);
	/* it begins anew if nothing came of that */
	KUNIT_EXPECT_FALSE(test, delayed(&s, true, 3 * SLOW));
	KUNIT_EXPECT_TRUE(test, delayed(&s, true, LATE + 1));
	KUNIT_EXPECT_FALSE(test, s.harmless);
	KUNIT_EXPECT_FALSE(test, delayed(&s, true, 3 * SLOW));
	KUNIT_EXPECT_TRUE(test, delayed(&s, false, LATE + 1));
	/* one may be enough */
	KUNIT_EXPECT_TRUE(test, delayed(&s, true, 3 * SLOW + 1));
}

/* A 64th of the time may go into what saves take too long. */
static void gpreempt_culprit_slow_part(struct kunit *test)
{
	struct gpreempt_search s = {};
	u64 now = NSEC_PER_SEC;
	unsigned int i;

	for (i = 0; i < 1000; i++, now += 64 * SLOW)
		KUNIT_EXPECT_FALSE(test, gpreempt_search_delayed(&s, true, now, 2 * SLOW, SLOW,
								 LATE));
	for (i = 0; !gpreempt_search_delayed(&s, true, now, 2 * SLOW, SLOW, LATE); i++)
		now += 32 * SLOW;
	KUNIT_EXPECT_GE(test, 4, i);
}

/* Searches that slow saves begin, and that find nobody, take an eighth of the time at most. */
static void gpreempt_culprit_rests(struct kunit *test)
{
	struct node n = { .nr = 2, .now_ns = NSEC_PER_SEC };
	u64 begun_ns = n.now_ns, off_ns = 0;
	unsigned int searches = 0;

	while (n.now_ns < begun_ns + 20 * NSEC_PER_SEC) {
		enum gpreempt_finding finding = GPREEMPT_TRY;
		u64 from_ns;

		n.now_ns += SLOW;
		from_ns = n.now_ns;
		n.saved = 3;
		n.late = gpreempt_search_delayed(&n.search, true, from_ns, 5 * SLOW, SLOW, LATE);
		if (!n.late)
			continue;
		n.idle = U32_MAX;
		judge(&n, &finding);
		while (finding == GPREEMPT_TRY) {
			n.now_ns = n.search.due_ns;
			save_all(&n);
			judge(&n, &finding);
		}
		KUNIT_EXPECT_EQ(test, finding, GPREEMPT_DROPPED);
		off_ns += n.now_ns - from_ns;
		searches++;
	}
	KUNIT_EXPECT_LT(test, 5, searches);
	KUNIT_EXPECT_GE(test, n.now_ns - begun_ns + 2 * NSEC_PER_SEC, 8 * off_ns);
	/* a late one does not wait for that */
	KUNIT_EXPECT_TRUE(test, delayed(&n.search, true, LATE + 1));
}

/* A trial is measured by what began its search, and a late one is no harmless matter. */
static void gpreempt_culprit_slow_trial(struct kunit *test)
{
	struct gpreempt_search s = { .on = true, .limit_ns = SLOW, .harmless = true };

	KUNIT_EXPECT_FALSE(test, delayed(&s, false, SLOW));
	KUNIT_EXPECT_TRUE(test, delayed(&s, false, SLOW + 1));
	KUNIT_EXPECT_TRUE(test, s.harmless);
	KUNIT_EXPECT_TRUE(test, delayed(&s, false, LATE + 1));
	KUNIT_EXPECT_FALSE(test, s.harmless);

	s = (struct gpreempt_search) {};
	KUNIT_EXPECT_TRUE(test, delayed(&s, true, LATE + 1));
	s.on = true;
	KUNIT_EXPECT_FALSE(test, delayed(&s, true, LATE));
}

/* Where saves were slow and none was late, a search that finds nobody is no error. */
static void gpreempt_culprit_dropped(struct kunit *test)
{
	struct node n = { .nr = 2, .late = true, .search.harmless = true, .saved = 3 };
	enum gpreempt_finding finding;

	judge(&n, &finding);
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_TRY);
	while (finding == GPREEMPT_TRY && n.saves <= SAVES_MAX) {
		save_all(&n);
		KUNIT_EXPECT_EQ(test, judge(&n, &finding), NOBODY);
	}
	KUNIT_EXPECT_EQ(test, finding, GPREEMPT_DROPPED);
	KUNIT_EXPECT_FALSE(test, n.search.on);
}

/*
 * Whatever delays its saves now and then, and has waves or not: a queue is only blamed for
 * saves that it delayed itself, and each search ends.
 */
static void gpreempt_culprit_no_other(struct kunit *test)
{
	unsigned int i, found = 0;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < RUNS; i++) {
		struct node n = { .nr = 1 + prandom_u32_state(&rnd) % QUEUES,
				  .coins = prandom_u32_state(&rnd) };
		u32 chance = prandom_u32_state(&rnd) & prandom_u32_state(&rnd);
		enum gpreempt_finding finding = GPREEMPT_TRY;
		int culprit = NOBODY;

		while (finding == GPREEMPT_TRY && n.saves <= SAVES_MAX) {
			n.slow = chance & prandom_u32_state(&rnd);
			n.idle = prandom_u32_state(&rnd) & prandom_u32_state(&rnd);
			save_all(&n);
			if (!n.search.on && !n.late)
				break;
			culprit = judge(&n, &finding);
		}
		KUNIT_EXPECT_LE(test, n.saves, SAVES_MAX);
		if (culprit == NOBODY)
			continue;
		found++;
		KUNIT_EXPECT_EQ(test, n.blamed, BIT(culprit));
		KUNIT_EXPECT_LE(test, PROOFS, n.saves);
	}
	KUNIT_EXPECT_LT(test, RUNS / 1000, found);
}

/* Kept off for 1 s, 2 s and so on to 1024 s; forgotten 10 minutes after it came back. */
static void gpreempt_culprit_time(struct kunit *test)
{
	struct gpreempt_suspect q = {}, other = {};
	struct gpreempt_past past = {};
	u64 now = NSEC_PER_SEC;
	unsigned int i;

	for (i = 0; i < 12; i++) {
		gpreempt_keep_off(&q, &past, now);
		KUNIT_EXPECT_EQ(test, q.until_ns - now, NSEC_PER_SEC << min(i, 10));
		KUNIT_EXPECT_TRUE(test, gpreempt_is_kept_off(&q, q.until_ns - 1));
		KUNIT_EXPECT_FALSE(test, gpreempt_is_kept_off(&q, q.until_ns));
		now = q.until_ns;
	}
	now += 600 * NSEC_PER_SEC;
	gpreempt_keep_off(&other, &past, now);
	KUNIT_EXPECT_EQ(test, other.until_ns - now, 1024 * NSEC_PER_SEC);
	now = other.until_ns + 600 * NSEC_PER_SEC + 1;
	gpreempt_keep_off(&q, &past, now);
	KUNIT_EXPECT_EQ(test, q.until_ns - now, NSEC_PER_SEC);
}

/* The short time of one queue does not end what another of its process has earned. */
static void gpreempt_culprit_time_of_another(struct kunit *test)
{
	struct gpreempt_suspect q = {}, other = {};
	struct gpreempt_past past = { .times = 3, .end_ns = 100 * NSEC_PER_SEC };

	gpreempt_keep_off(&q, &past, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, past.end_ns, 100 * NSEC_PER_SEC);
	gpreempt_keep_off(&other, &past, 99 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, past.end_ns, other.until_ns);
}

/*
 * An hour beside three honest queues, with a save every 10 ms: the tenant that delays each of
 * its own is found each time, and costs the others six late saves a time, a dozen times.
 */
static void gpreempt_culprit_for_an_hour(struct kunit *test)
{
	struct node n = { .nr = 4, .slow = BIT(1), .now_ns = NSEC_PER_SEC };
	struct gpreempt_past past = {};
	unsigned int found = 0;

	while (n.now_ns < HOUR_NS) {
		enum gpreempt_finding finding = GPREEMPT_TRY;

		n.now_ns += 10 * NSEC_PER_MSEC;
		save_all(&n);
		if (!n.late)
			continue;
		while (finding == GPREEMPT_TRY && n.now_ns < HOUR_NS) {
			int culprit = judge(&n, &finding);

			if (finding == GPREEMPT_FOUND) {
				KUNIT_EXPECT_EQ(test, culprit, 1);
				gpreempt_keep_off(&n.q[1], &past, n.now_ns);
				found++;
				break;
			}
			n.now_ns = n.search.due_ns;
			save_all(&n);
		}
	}
	KUNIT_EXPECT_EQ(test, found, 13);
	KUNIT_EXPECT_LE(test, n.lates, 6 * found);
}

static struct kunit_case culprit_cases[] = {
	KUNIT_CASE(gpreempt_culprit_found),
	KUNIT_CASE(gpreempt_culprit_alone),
	KUNIT_CASE(gpreempt_culprit_has_it_alone),
	KUNIT_CASE(gpreempt_culprit_idle_meanwhile),
	KUNIT_CASE(gpreempt_culprit_halves),
	KUNIT_CASE(gpreempt_culprit_nobody),
	KUNIT_CASE(gpreempt_culprit_other),
	KUNIT_CASE(gpreempt_culprit_coin),
	KUNIT_CASE(gpreempt_culprit_newcomer),
	KUNIT_CASE(gpreempt_culprit_idle_at_last),
	KUNIT_CASE(gpreempt_culprit_none),
	KUNIT_CASE(gpreempt_culprit_slow),
	KUNIT_CASE(gpreempt_culprit_slow_part),
	KUNIT_CASE(gpreempt_culprit_slow_trial),
	KUNIT_CASE(gpreempt_culprit_rests),
	KUNIT_CASE(gpreempt_culprit_dropped),
	KUNIT_CASE(gpreempt_culprit_no_other),
	KUNIT_CASE(gpreempt_culprit_time),
	KUNIT_CASE(gpreempt_culprit_time_of_another),
	KUNIT_CASE(gpreempt_culprit_for_an_hour),
	{}
};

static struct kunit_suite culprit_suite = {
	.name = "amdgpu_kfd_gpreempt_culprit",
	.test_cases = culprit_cases,
};

kunit_test_suite(culprit_suite);

MODULE_DESCRIPTION("KUnit tests of the search for a queue that delays its saves");
MODULE_LICENSE("Dual MIT/GPL");
