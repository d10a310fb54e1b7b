// SPDX-License-Identifier: GPL-2.0
/*
 * grace_us: how long firmware lets waves run on before it saves them, where GPREEMPT asks for it.
 * Stock's own requests keep stock's time. Whether times are as told is seen on the model only.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "debugger.h"
#include "gpreempt.h"

/* Of the model: 64 and 255 units of 1024 clocks at 1700 MHz. */
#define STOCK_US	38
#define MOST_US		153

FIXTURE(grace) {
	struct contest ct;
	long long stock_us;
	int dbg_fd;
};

FIXTURE_SETUP(grace)
{
	int ret = contest_open(&self->ct);

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	self->stock_us = gpreempt_number("grace_us");
	if (self->stock_us == -EOPNOTSUPP)
		SKIP(return, "no grace period that could be set on this GPU");
	self->dbg_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->dbg_fd);
	ASSERT_EQ(0, debugger_allow(&self->ct.c.dev));
	ASSERT_EQ(0, contest_init(&self->ct));
}

FIXTURE_TEARDOWN(grace)
{
	close(self->dbg_fd);
	contest_close(&self->ct);
}

/* GPREEMPT's preemption takes so much longer with the one than with the other. */
static void preempt(struct __test_metadata *_metadata, struct contest *ct, long long us,
		    long long other_us)
{
	long long ns[2];

	ASSERT_EQ(0, gpreempt_set("grace_us", other_us));
	ns[0] = contest_save_ns(ct);
	ASSERT_EQ(0, gpreempt_set("grace_us", us));
	ns[1] = contest_save_ns(ct);
	EXPECT_TRUE(contest_longer_by(ns[1], ns[0], us - other_us))
		TH_LOG("%lld us: %lld ns; %lld us: %lld ns", us, ns[1], other_us, ns[0]);
}

TEST_F_TIMEOUT(grace, of_gpreempts_requests, 120)
{
	long long us = self->stock_us;

	if (gpu_model_present())
		EXPECT_EQ(STOCK_US, us);
	preempt(_metadata, &self->ct, us, 0);
	preempt(_metadata, &self->ct, us, us / 2);
	preempt(_metadata, &self->ct, 3 * us, us);
}

/* A change of the runlist by stock, while GPREEMPT is enabled, and when it no longer is. */
TEST_F_TIMEOUT(grace, not_of_stocks, 120)
{
	struct contest *ct = &self->ct;
	long long stock_ns, ns;
	unsigned int i;

	stock_ns = contest_stock_ns(ct);
	ASSERT_LT(0, stock_ns);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, gpreempt_set("grace_us", i * 3 * self->stock_us));
		ASSERT_LT(0, contest_save_ns(ct));
		ns = contest_stock_ns(ct);
		EXPECT_TRUE(contest_longer_by(ns, stock_ns, 0))
			TH_LOG("enabled: %lld ns, not %lld", ns, stock_ns);
		ASSERT_EQ(0, contest_preempt(ct));
		ASSERT_EQ(0, gpreempt_set("enable", 0));
		ASSERT_EQ(0, contest_finish(ct));
		ns = contest_stock_ns(ct);
		EXPECT_TRUE(contest_longer_by(ns, stock_ns, 0))
			TH_LOG("disabled: %lld ns, not %lld", ns, stock_ns);
		ASSERT_EQ(0, gpreempt_set("enable", 1));
	}
}

/* A debugger has a time of its own, here the least: neither changes the other's, or stock's. */
TEST_F_TIMEOUT(grace, beside_a_debugger, 120)
{
	struct contest *ct = &self->ct;
	long long before_ns, stock_ns, ns;

	ASSERT_EQ(0, gpreempt_set("grace_us", 3 * self->stock_us));
	before_ns = contest_save_ns(ct);
	stock_ns = contest_stock_ns(ct);
	ASSERT_LT(0, stock_ns);
	ASSERT_EQ(0, debugger_attach(&ct->c.dev, self->dbg_fd));
	ASSERT_EQ(1, debugger_suspend(&ct->c.dev, ct->queue.id));
	ASSERT_EQ(1, debugger_resume(&ct->c.dev, ct->queue.id));
	ns = contest_save_ns(ct);
	EXPECT_TRUE(contest_longer_by(ns, before_ns, 0)) TH_LOG("%lld ns, not %lld", ns, before_ns);
	ASSERT_EQ(0, debugger_detach(&ct->c.dev));
	ns = contest_stock_ns(ct);
	EXPECT_TRUE(contest_longer_by(ns, stock_ns, 0)) TH_LOG("%lld ns, not %lld", ns, stock_ns);
}

TEST_F(grace, refused)
{
	static const char *const texts[] = {
		"\n", "abc\n", "-1\n", "1x\n", "0x10\n", "4294967296\n"
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		EXPECT_EQ(-EINVAL, gpreempt_write("grace_us", texts[i])) TH_LOG("text %u", i);
	}
	EXPECT_EQ(self->stock_us, gpreempt_number("grace_us"));
	if (!gpu_model_present())
		return;
	EXPECT_EQ(0, gpreempt_set("grace_us", MOST_US));
	EXPECT_EQ(-EINVAL, gpreempt_set("grace_us", MOST_US + 1));
	EXPECT_EQ(MOST_US, gpreempt_number("grace_us"));
	EXPECT_EQ(0, gpreempt_set("grace_us", 0));
	EXPECT_EQ(0, gpreempt_number("grace_us"));
}

/* Without the runlist there is no packet that sets it: then the file says so. */
TEST(only_by_the_runlist)
{
	int ret = gpreempt_begin();
	char text[16];
	bool hws;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, gpreempt_read("backend", text, sizeof(text)));
	hws = !strcmp(text, "hws");
	EXPECT_EQ(hws ? 0 : -EOPNOTSUPP, gpreempt_read("grace_us", text, sizeof(text)));
	EXPECT_EQ(hws ? -EINVAL : -EOPNOTSUPP, gpreempt_write("grace_us", "x\n"));
	EXPECT_EQ(hws ? 0 : -EOPNOTSUPP, gpreempt_write("grace_us", "1\n"));
	EXPECT_EQ(0, gpreempt_end());
}

TEST_HARNESS_MAIN
