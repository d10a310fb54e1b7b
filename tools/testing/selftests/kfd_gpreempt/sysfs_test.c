// SPDX-License-Identifier: GPL-2.0
/* Every file of /sys/class/kfd/kfd/gpreempt/<gpu_id>/: present, its range, garbage refused. */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"

static const struct tunable {
	const char *file;
	long long min, max, def;
} tunables[] = {
	{ "poll_interval_us", 50, 1000000, 1000 },
	{ "poll_interval_max_us", 50, 1000000, 10000 },
	{ "starvation_ms", 10, 60000, 1000 },
	{ "min_residency_us", 0, 1000000, 500 },
	{ "blocked_us", 100, 1000000, 2000 },
	{ "preempt_timeout_ms", 1, 9000, 100 },
	{ "priority_cap", 0, 15, 7 },
};

static const char *const counters[] = {
	"preemptions", "resumes", "transactions", "inversions", "blocked", "starved",
	"scans", "wakeups", "register_accesses", "register_ns_total",
	"interval_ns", "interval_ns_max", "doorbell_faults",
	"decision_ns_total", "decision_ns_max", "scan_ns_total", "scan_ns_max",
	"fence_wait_ns_total", "fence_wait_ns_min", "fence_wait_ns_max", "late", "failed",
	"detections", "detection_ns_total", "detection_ns_min", "detection_ns_max",
	"restores", "restore_ns_total", "restore_ns_min", "restore_ns_max",
};

/* Text that is no number for any of the files. */
static const char *const garbage[] = {
	"\n", " ", "abc\n", "-1\n", "1x\n", "0x10\n", "1 2\n", "1.5\n", "+-1\n",
	"99999999999999999999999999\n", "18446744073709551616\n", "-9223372036854775808\n",
};

FIXTURE(sysfs) {
	char huge[4096];
};

FIXTURE_SETUP(sysfs)
{
	unsigned int node;
	__u32 gpu_id;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, "no KFD device");
	ASSERT_TRUE(gpreempt_present());
	memset(self->huge, '1', sizeof(self->huge) - 1);
	self->huge[sizeof(self->huge) - 1] = '\0';
}

FIXTURE_TEARDOWN(sysfs)
{
}

static mode_t mode(const char *file)
{
	char path[128];
	struct stat st;

	if (gpreempt_path(file, path, sizeof(path)) || stat(path, &st))
		return 0;
	return st.st_mode & 0777;
}

/* Files one may write are root's to write, all are everyone's to read. */
TEST_F(sysfs, files)
{
	char name[64];
	unsigned int i;

	EXPECT_EQ(0644, mode("enable"));
	EXPECT_EQ(0444, mode("state"));
	EXPECT_EQ(0444, mode("backend"));
	EXPECT_EQ(0644, mode("policy"));
	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		EXPECT_EQ(0644, mode(tunables[i].file)) TH_LOG("tunable %u", i);
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		snprintf(name, sizeof(name), "stats/%s", counters[i]);
		EXPECT_EQ(0444, mode(name)) TH_LOG("%s", name);
		EXPECT_LE(0, gpreempt_number(name)) TH_LOG("%s", name);
		EXPECT_EQ(-EACCES, gpreempt_write(name, "0\n")) TH_LOG("%s", name);
	}
	EXPECT_EQ(0444, mode("stats/bypass_reason"));
}

TEST_F(sysfs, defaults)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		EXPECT_EQ(tunables[i].def, gpreempt_number(tunables[i].file))
			TH_LOG("tunable %u", i);
}

/* Both ends of the range are taken and read back; the next value is not. */
TEST_F(sysfs, ranges)
{
	const struct tunable *t;

	for (t = tunables; t < tunables + ARRAY_SIZE(tunables); t++) {
		EXPECT_EQ(0, gpreempt_set(t->file, t->min)) TH_LOG("%s", t->file);
		EXPECT_EQ(t->min, gpreempt_number(t->file)) TH_LOG("%s", t->file);
		EXPECT_EQ(-EINVAL, gpreempt_set(t->file, t->min - 1)) TH_LOG("%s", t->file);
		EXPECT_EQ(t->min, gpreempt_number(t->file)) TH_LOG("%s", t->file);
		EXPECT_EQ(0, gpreempt_set(t->file, t->max)) TH_LOG("%s", t->file);
		EXPECT_EQ(t->max, gpreempt_number(t->file)) TH_LOG("%s", t->file);
		EXPECT_EQ(-EINVAL, gpreempt_set(t->file, t->max + 1)) TH_LOG("%s", t->file);
		EXPECT_EQ(-EINVAL, gpreempt_set(t->file, LLONG_MAX)) TH_LOG("%s", t->file);
		EXPECT_EQ(t->max, gpreempt_number(t->file)) TH_LOG("%s", t->file);
		EXPECT_EQ(0, gpreempt_set(t->file, t->def)) TH_LOG("%s", t->file);
	}
}

/* Garbage is refused by every file, and changes nothing. */
TEST_F(sysfs, garbage)
{
	const char *files[ARRAY_SIZE(tunables) + 2] = { "enable", "policy" };
	char before[64], after[64];
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		files[2 + i] = tunables[i].file;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_EQ(0, gpreempt_read(files[i], before, sizeof(before)));
		for (n = 0; n < ARRAY_SIZE(garbage); n++)
			EXPECT_EQ(-EINVAL, gpreempt_write(files[i], garbage[n]))
				TH_LOG("file %u, text %u", i, n);
		EXPECT_EQ(-EINVAL, gpreempt_write(files[i], self->huge)) TH_LOG("file %u", i);
		ASSERT_EQ(0, gpreempt_read(files[i], after, sizeof(after)));
		EXPECT_STREQ(before, after) TH_LOG("file %u", i);
	}
	EXPECT_EQ(-EINVAL, gpreempt_write("enable", "2\n"));
	EXPECT_EQ(-EACCES, gpreempt_write("state", "parked\n"));
}

/* The I/O schedulers' form: all names, the chosen one in brackets. */
TEST_F(sysfs, policy)
{
	char text[64];

	ASSERT_EQ(0, gpreempt_read("policy", text, sizeof(text)));
	EXPECT_STREQ("none [strict]", text);
	ASSERT_EQ(0, gpreempt_write("policy", "none\n"));
	ASSERT_EQ(0, gpreempt_read("policy", text, sizeof(text)));
	EXPECT_STREQ("[none] strict", text);
	EXPECT_EQ(-EINVAL, gpreempt_write("policy", "strictest\n"));
	EXPECT_EQ(-EINVAL, gpreempt_write("policy", "stric\n"));
	ASSERT_EQ(0, gpreempt_write("policy", "strict\n"));
}

/* Off until asked; nothing to arbitrate means parked; off again. */
TEST_F(sysfs, enable)
{
	char text[64];

	EXPECT_EQ(0, gpreempt_number("enable"));
	ASSERT_EQ(0, gpreempt_read("state", text, sizeof(text)));
	EXPECT_STREQ("disabled", text);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_EQ(1, gpreempt_number("enable"));
	EXPECT_EQ(0, gpreempt_wait_state("parked", 1000));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, gpreempt_read("state", text, sizeof(text)));
	EXPECT_STREQ("disabled", text);
}

TEST_HARNESS_MAIN
