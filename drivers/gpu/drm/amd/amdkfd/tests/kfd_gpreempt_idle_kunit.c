// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * KUnit tests of GPREEMPT's idle: which processes leave the runlist?
 */
#include <kunit/test.h>

#define OWN(name)	gpreempt_kunit_idle_##name
#include "gpreempt_rooms.h"
#include "gpreempt_chain.h"

#define MS(n)	((n) * NSEC_PER_MSEC)
#define QUEUES	6

/**
 * struct crowd - three processes of two queues each, on a machine of four slots
 * @view:	the scan
 * @q:		their queues
 * @memory:	of these
 * @p:		the processes
 * @blind:	who is off is not read
 */
struct crowd {
	struct gpreempt_view view;
	struct gpreempt_queue_view q[QUEUES];
	struct gpreempt_memory memory[QUEUES];
	struct gpreempt_idle p[QUEUES / 2];
	bool blind;
};

static struct crowd *crowd_new(struct kunit *test)
{
	struct crowd *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->view.tun.idle_unmap_ms = 50;
	c->view.now_ns = MS(1000);
	c->view.slots = 4;
	c->view.vmids = 8;
	c->view.processes = 3;
	for (i = 0; i < QUEUES; i++) {
		c->q[i].memory = &c->memory[i];
		c->q[i].idle = &c->p[i / 2];
		c->q[i].seen.mapped = true;
		c->q[i].seen.readable = true;
		c->memory[i].idle = true;
	}
	gpreempt_chain(&c->view, c->q, QUEUES);
	return c;
}

/* So much later; whoever was awaited before was not rung. What is to leave does, with nothing. */
static u64 scan(struct crowd *c, u64 ns)
{
	unsigned int i;
	u64 next_ns;

	c->view.now_ns += ns;
	c->view.look_ns = c->view.now_ns + MS(GPREEMPT_IDLE_LOOK_MS);
	for (i = 0; i < QUEUES / 2; i++) {
		c->p[i].trapped = c->p[i].awaited;
		c->p[i].look = !c->blind;
	}
	next_ns = gpreempt_find_idle(&c->view);
	for (i = 0; i < QUEUES; i++) {
		if (c->q[i].terms.idle == c->q[i].seen.bare)
			continue;
		c->q[i].seen.mapped = !c->q[i].terms.idle;
		c->q[i].seen.preempted = c->q[i].terms.idle;
		c->q[i].seen.bare = c->q[i].terms.idle;
		c->memory[i].idle = false;
	}
	return next_ns;
}

static unsigned int off(const struct crowd *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < QUEUES; i++)
		n += c->q[i].terms.idle;
	return n;
}

/* All are idle and off. */
static struct crowd *crowd_off(struct kunit *test)
{
	struct crowd *c = crowd_new(test);

	scan(c, 0);
	scan(c, MS(50));
	scan(c, MS(1));
	KUNIT_EXPECT_EQ(test, off(c), QUEUES);
	return c;
}

static void gpreempt_idle_leaves(struct kunit *test)
{
	struct crowd *c = crowd_new(test);

	KUNIT_EXPECT_EQ(test, scan(c, 0), c->view.now_ns + MS(GPREEMPT_IDLE_LOOK_MS));
	scan(c, MS(49));
	KUNIT_EXPECT_FALSE(test, c->p[0].awaited);
	scan(c, MS(1));
	/* its doorbells go first, and it is looked at once more */
	KUNIT_EXPECT_TRUE(test, c->p[0].awaited);
	KUNIT_EXPECT_EQ(test, off(c), 0);
	scan(c, MS(1));
	KUNIT_EXPECT_EQ(test, off(c), QUEUES);
	/* and stays off, though its queues are no longer mapped */
	scan(c, MS(20));
	KUNIT_EXPECT_EQ(test, off(c), QUEUES);
}

static void gpreempt_idle_not_crowded(struct kunit *test)
{
	struct crowd *c = crowd_off(test);

	c->view.slots = QUEUES;
	scan(c, MS(1));
	KUNIT_EXPECT_EQ(test, off(c), 0);
	KUNIT_EXPECT_EQ(test, scan(c, MS(1)), 0);
	/* VMIDs may be what lacks */
	c->view.vmids = 2;
	c->memory[0].idle = true;
	KUNIT_EXPECT_NE(test, scan(c, MS(1)), 0);
}

static void gpreempt_idle_switched_off(struct kunit *test)
{
	struct crowd *c = crowd_off(test);

	c->view.tun.idle_unmap_ms = 0;
	/* the next look, as some are off yet */
	KUNIT_EXPECT_NE(test, scan(c, MS(1)), 0);
	KUNIT_EXPECT_EQ(test, off(c), 0);
	KUNIT_EXPECT_EQ(test, scan(c, MS(1)), 0);
}

/* What one queue has brings all of its process back, and nobody else. */
static void returns(struct kunit *test, struct crowd *c)
{
	scan(c, MS(1));
	KUNIT_EXPECT_EQ(test, off(c), QUEUES - 2);
	KUNIT_EXPECT_FALSE(test, c->q[2].terms.idle || c->q[3].terms.idle);
}

static void gpreempt_idle_returns(struct kunit *test)
{
	struct crowd *c = crowd_off(test);

	/* rung by a wave: an index tells */
	c->q[3].seen.wptr++;
	c->blind = true;
	scan(c, MS(1));
	KUNIT_EXPECT_EQ(test, off(c), QUEUES);
	c->blind = false;
	returns(test, c);

	/* it is idle again only when it was found so on the hardware */
	c->q[3].seen.wptr--;
	scan(c, MS(100));
	KUNIT_EXPECT_EQ(test, c->p[1].since_ns, 0);

	/* what is asked for it counts though it is not read */
	c = crowd_off(test);
	c->blind = true;
	c->q[2].terms.hint_end_ns = c->view.now_ns + MS(10);
	returns(test, c);

	c = crowd_off(test);
	c->blind = true;
	c->q[2].terms.held = true;
	returns(test, c);

	c = crowd_off(test);
	c->blind = true;
	c->q[3].terms.stays = true;
	returns(test, c);

	c = crowd_off(test);
	c->q[3].seen.readable = false;
	returns(test, c);
}

/* The second process has work, and has done it a ms later. */
static void work(struct crowd *c)
{
	c->q[2].seen.wptr++;
	scan(c, MS(1));
	c->q[2].seen.rptr++;
	c->memory[2].index.was = c->q[2].seen;
	c->memory[2].idle = true;
	c->memory[3].idle = true;
}

/* A process works at once whenever it was taken off. */
static void gpreempt_idle_comes_and_goes(struct kunit *test)
{
	struct crowd *c = crowd_new(test);
	unsigned int ms, times = 0;

	for (ms = 0; ms < 20000; ms++) {
		if (c->q[2].seen.bare) {
			times++;
			work(c);
		}
		scan(c, MS(1));
	}
	/* after 50 ms, 100, 200 and so on, at last after 3200 */
	KUNIT_EXPECT_GE(test, times, 9);
	KUNIT_EXPECT_LE(test, times, 11);
	KUNIT_EXPECT_EQ(test, c->p[1].doublings, GPREEMPT_IDLE_DOUBLINGS);

	/* one that stays off for as long as it had to be idle is trusted again */
	for (ms = 0; ms < 4000 && !c->p[1].off; ms++)
		scan(c, MS(1));
	KUNIT_EXPECT_TRUE(test, c->p[1].off);
	scan(c, MS(50 << GPREEMPT_IDLE_DOUBLINGS));
	work(c);
	KUNIT_EXPECT_EQ(test, c->p[1].doublings, GPREEMPT_IDLE_DOUBLINGS - 1);
}

/* A CPU's doorbell, before its index can be seen. */
static void gpreempt_idle_rung(struct kunit *test)
{
	struct crowd *c = crowd_off(test);

	c->view.now_ns += MS(1);
	c->p[1].trapped = false;
	gpreempt_find_idle(&c->view);
	KUNIT_EXPECT_EQ(test, off(c), QUEUES - 2);
	KUNIT_EXPECT_EQ(test, c->p[1].since_ns, c->view.now_ns);
	KUNIT_EXPECT_FALSE(test, c->p[1].awaited);
}

/* A doorbell that cannot be trapped. */
static void gpreempt_idle_untrapped(struct kunit *test)
{
	struct crowd *c = crowd_new(test);
	unsigned int i;

	for (i = 0; i < 200; i++) {
		c->view.now_ns += MS(1);
		gpreempt_find_idle(&c->view);
		KUNIT_EXPECT_EQ(test, off(c), 0);
	}
}

static void gpreempt_idle_works(struct kunit *test)
{
	struct crowd *c = crowd_new(test);
	unsigned int i;

	scan(c, 0);
	/* indices alone are no proof: it may have waves */
	c->memory[0].idle = false;
	c->q[2].seen.wptr = 1;
	c->memory[4].index.was.readable = true;
	c->memory[4].index.was.rptr = 7;
	for (i = 0; i < 4; i++)
		scan(c, MS(50));
	KUNIT_EXPECT_EQ(test, off(c), 0);
}

/* More than a scan may read: what is off stays so, and nobody leaves unread. */
static void gpreempt_idle_unread(struct kunit *test)
{
	struct crowd *c = crowd_new(test);

	scan(c, 0);
	scan(c, MS(50));
	c->q[0].reading.wanted = true;
	c->q[0].seen.readable = false;
	scan(c, MS(1));
	KUNIT_EXPECT_EQ(test, off(c), QUEUES - 2);
	c->q[2].reading.wanted = true;
	c->q[2].seen.readable = false;
	scan(c, MS(1));
	KUNIT_EXPECT_EQ(test, off(c), QUEUES - 2);
}

/* Queues that a scan leaves out crowd the machine all the same, and are to be looked at. */
static void gpreempt_idle_away(struct kunit *test)
{
	struct crowd *c = crowd_off(test);

	gpreempt_chain(&c->view, c->q, 2);
	c->view.away = QUEUES - 2;
	scan(c, MS(1));
	KUNIT_EXPECT_TRUE(test, c->q[0].terms.idle);
	gpreempt_chain(&c->view, c->q, 0);
	c->view.tun.idle_unmap_ms = 0;
	c->view.away = QUEUES;
	KUNIT_EXPECT_TRUE(test, gpreempt_may_idle(&c->view));
	c->view.away = 0;
	KUNIT_EXPECT_FALSE(test, gpreempt_may_idle(&c->view));
}

/* What stock has taken off, as when memory is evicted, counts again when it is back. */
static void gpreempt_idle_evicted(struct kunit *test)
{
	struct crowd *c = crowd_new(test);

	c->q[0].seen.mapped = false;
	c->q[0].seen.readable = false;
	scan(c, 0);
	scan(c, MS(50));
	scan(c, MS(1));
	/* five others do not fit either */
	KUNIT_EXPECT_TRUE(test, c->q[1].terms.idle);
	c->q[0].seen.mapped = true;
	c->q[0].seen.preempted = false;
	c->q[0].seen.bare = false;
	scan(c, MS(1));
	KUNIT_EXPECT_FALSE(test, c->q[1].terms.idle);
}

/* An off queue has nothing, until its ring has something: then it waits as others do. */
static void gpreempt_idle_estimate(struct kunit *test)
{
	struct crowd *c = crowd_off(test);
	struct gpreempt_queue_view *q = &c->q[0];

	q->memory->index.was = q->seen;
	KUNIT_EXPECT_TRUE(test, gpreempt_held(q));
	KUNIT_EXPECT_EQ(test, gpreempt_work(&c->view, q), GPREEMPT_WORK_NONE);
	gpreempt_estimate(&c->view, q);
	KUNIT_EXPECT_EQ(test, q->state.activity, GPREEMPT_IDLE);
	q->terms.idle = false;
	KUNIT_EXPECT_EQ(test, gpreempt_work(&c->view, q), GPREEMPT_WORK_NONE);
	gpreempt_estimate(&c->view, q);
	KUNIT_EXPECT_EQ(test, q->state.activity, GPREEMPT_IDLE);
	KUNIT_EXPECT_FALSE(test, q->state.wants);
	q->seen.wptr = 1;
	q->seen.size = 64;
	KUNIT_EXPECT_EQ(test, gpreempt_work(&c->view, q), GPREEMPT_WORK_SHOWN);
	gpreempt_estimate(&c->view, q);
	KUNIT_EXPECT_EQ(test, q->state.activity, GPREEMPT_RUNNABLE);
	KUNIT_EXPECT_TRUE(test, q->state.wants);
}

static struct kunit_case gpreempt_idle_cases[] = {
	KUNIT_CASE(gpreempt_idle_leaves),
	KUNIT_CASE(gpreempt_idle_not_crowded),
	KUNIT_CASE(gpreempt_idle_switched_off),
	KUNIT_CASE(gpreempt_idle_returns),
	KUNIT_CASE(gpreempt_idle_comes_and_goes),
	KUNIT_CASE(gpreempt_idle_rung),
	KUNIT_CASE(gpreempt_idle_untrapped),
	KUNIT_CASE(gpreempt_idle_works),
	KUNIT_CASE(gpreempt_idle_unread),
	KUNIT_CASE(gpreempt_idle_away),
	KUNIT_CASE(gpreempt_idle_evicted),
	KUNIT_CASE(gpreempt_idle_estimate),
	{}
};

static struct kunit_suite gpreempt_idle_suite = {
	.name = "amdgpu_kfd_gpreempt_idle",
	.test_cases = gpreempt_idle_cases,
};

kunit_test_suite(gpreempt_idle_suite);

MODULE_DESCRIPTION("KUnit tests of GPREEMPT's idle processes");
MODULE_LICENSE("Dual MIT/GPL");
