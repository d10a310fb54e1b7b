// SPDX-License-Identifier: GPL-2.0
/* Every file of /sys/class/kfd/kfd/gpreempt/<gpu_id>/: present, its range, garbage refused. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"

static const char *const counters[] = {
	"preemptions", "resumes", "transactions", "blocked", "starved", "scans", "wakeups",
	"register_accesses", "register_ns_total", "doorbell_faults", "doorbell_revocations",
	"scan_ns_total", "scan_ns_max", "fence_wait_ns_total", "detections",
	"late", "excluded", "failed", "detection_ns_p50", "detection_ns_p99", "detection_ns_max",
	"save_ns_p50", "save_ns_p99", "save_ns_max",
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
	int ret = gpreempt_end();	/* whatever its operator has set */

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
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

/*
 * Files one may write are root's to write; all are everyone's to read but those that
 * tell what others do, which are for root, and for a group that it chooses.
 */
TEST_F(sysfs, files)
{
	const struct gpreempt_tunable *t;
	char name[64];
	unsigned int i;

	EXPECT_EQ(0644, mode("enable"));
	EXPECT_EQ(0444, mode("state"));
	EXPECT_EQ(0444, mode("unsupported"));
	EXPECT_EQ(0444, mode("backend"));
	EXPECT_EQ(0644, mode("policy"));
	EXPECT_EQ(0644, mode("grace_us"));
	EXPECT_EQ(0644, mode("idle_unmap_ms"));
	for (t = gpreempt_tunables; t < gpreempt_tunables + ARRAY_SIZE(gpreempt_tunables); t++) {
		EXPECT_EQ(0644, mode(t->file)) TH_LOG("%s", t->file);
	}
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		snprintf(name, sizeof(name), "stats/%s", counters[i]);
		EXPECT_EQ(0440, mode(name)) TH_LOG("%s", name);
		EXPECT_LE(0, gpreempt_number(name)) TH_LOG("%s", name);
		EXPECT_EQ(-EACCES, gpreempt_write(name, "0\n")) TH_LOG("%s", name);
	}
	EXPECT_EQ(0444, mode("stats/bypass_reason"));
	for (i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "level%u/preemptions", i);
		EXPECT_EQ(0440, mode(name)) TH_LOG("%s", name);
	}
}

/* Both ends of the range are taken and read back; the next value is not. */
TEST_F(sysfs, ranges)
{
	const struct gpreempt_tunable *t;

	for (t = gpreempt_tunables; t < gpreempt_tunables + ARRAY_SIZE(gpreempt_tunables); t++) {
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

/* A level has no turns, or such of a length that is worth its saves. */
TEST_F(sysfs, turns_of_a_level)
{
	static const struct {
		long long value;
		int ret;
	} c[] = { { 1000, 0 }, { 0, 0 }, { 1, -EINVAL }, { 999, -EINVAL }, { 1000000, 0 },
		  { 1000001, -EINVAL } };
	long long before, value;
	unsigned int level, i;
	char file[32];

	for (level = 0; level < 16; level++) {
		snprintf(file, sizeof(file), "level%u/timeslice_us", level);
		before = gpreempt_number(file);
		for (i = 0, value = before; i < ARRAY_SIZE(c); i++) {
			EXPECT_EQ(c[i].ret, gpreempt_set(file, c[i].value))
				TH_LOG("%s: %lld", file, c[i].value);
			value = c[i].ret ? value : c[i].value;
			EXPECT_EQ(value, gpreempt_number(file)) TH_LOG("%s", file);
		}
		EXPECT_EQ(0, gpreempt_set(file, before));
	}
}

/* Garbage is refused by every file, and changes nothing. */
TEST_F(sysfs, garbage)
{
	const char *files[ARRAY_SIZE(gpreempt_tunables) + 3] = { "enable", "policy", "grace_us" };
	char before[64], after[64];
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(gpreempt_tunables); i++)
		files[3 + i] = gpreempt_tunables[i].file;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_EQ(0, gpreempt_read(files[i], before, sizeof(before)));
		for (n = 0; n < ARRAY_SIZE(garbage); n++) {
			EXPECT_EQ(-EINVAL, gpreempt_write(files[i], garbage[n]))
				TH_LOG("file %u, text %u", i, n);
		}
		EXPECT_EQ(-EINVAL, gpreempt_write(files[i], self->huge)) TH_LOG("file %u", i);
		ASSERT_EQ(0, gpreempt_read(files[i], after, sizeof(after)));
		EXPECT_STREQ(before, after) TH_LOG("file %u", i);
	}
	EXPECT_EQ(-EINVAL, gpreempt_write("enable", "2\n"));
	EXPECT_EQ(-EACCES, gpreempt_write("state", "parked\n"));
}

/* Bytes that are no text, and texts of a page and more. */
static const struct {
	const char *bytes;
	size_t size;
} binary[] = {
	{ "", 1 }, { "\0001\n", 3 }, { "\377\376\375\n", 4 }, { "1\377\n", 3 }, { "\0331\n", 3 },
	{ "\001\002\003\004", 4 }, { "%s%n\n", 5 },
};

static unsigned int files_written;

/* Nonsense for one file: returns how often it was taken, or changed something. */
static int abuse(const char *path)
{
	char before[256] = {}, after[256] = {};
	static char huge[3 * 4096];
	unsigned int i;
	int fd, bad = 0;

	fd = open(path, O_RDWR);
	if (fd < 0)
		return 1;
	memset(huge, '7', sizeof(huge));
	bad += pread(fd, before, sizeof(before) - 1, 0) < 0;
	for (i = 0; i < ARRAY_SIZE(binary); i++)
		bad += pwrite(fd, binary[i].bytes, binary[i].size, 0) >= 0 || errno != EINVAL;
	bad += pwrite(fd, huge, 4095, 0) >= 0 || errno != EINVAL;
	bad += pwrite(fd, huge, sizeof(huge), 0) >= 0 || errno != EINVAL;
	/* of nothing there is nothing to refuse */
	bad += pwrite(fd, huge, 0, 0) != 0;
	bad += pwrite(fd, (void *)-4096L, 8, 0) >= 0 || errno != EFAULT;
	close(fd);
	fd = open(path, O_RDONLY);
	bad += pread(fd, after, sizeof(after) - 1, 0) < 0 || strcmp(before, after);
	close(fd);
	files_written++;
	return bad;
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	int bad = 0;

	if (type == FTW_F && st->st_mode & 0222)
		bad = abuse(path);
	else if (type == FTW_F)
		bad = open(path, O_WRONLY) >= 0 || errno != EACCES;
	if (bad)
		ksft_print_msg("%s: %d\n", path, bad);
	return bad;
}

/* The files are found, not listed: none is forgotten. */
TEST_F(sysfs, binary)
{
	char root[128];

	ASSERT_EQ(0, gpreempt_path(NULL, root, sizeof(root)));
	EXPECT_EQ(0, nftw(root, visit, 8, FTW_PHYS));
	EXPECT_LE(11 + 16, files_written);
}

/* Turns of a level: off, or within its range. */
TEST_F(sysfs, timeslices)
{
	const long long min = 1000, max = 1000000;
	char name[64];
	unsigned int i;

	for (i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "level%u/timeslice_us", i);
		EXPECT_EQ(GPREEMPT_TIMESLICE_US, gpreempt_number(name));
		EXPECT_EQ(0, gpreempt_set(name, 0));
		EXPECT_EQ(0, gpreempt_number(name));
		EXPECT_EQ(-EINVAL, gpreempt_set(name, 1));
		EXPECT_EQ(-EINVAL, gpreempt_set(name, min - 1));
		EXPECT_EQ(-EINVAL, gpreempt_set(name, max + 1));
		EXPECT_EQ(0, gpreempt_number(name));
		EXPECT_EQ(0, gpreempt_set(name, min));
		EXPECT_EQ(0, gpreempt_set(name, max));
		EXPECT_EQ(max, gpreempt_number(name));
		EXPECT_EQ(0, gpreempt_set(name, GPREEMPT_TIMESLICE_US));
	}
}

/* The I/O schedulers' form: all names, the chosen one in brackets. */
TEST_F(sysfs, policy)
{
	char text[64];

	ASSERT_EQ(0, gpreempt_read("policy", text, sizeof(text)));
	EXPECT_STREQ("none [strict] timeslice fair", text);
	ASSERT_EQ(0, gpreempt_write("policy", "none\n"));
	ASSERT_EQ(0, gpreempt_read("policy", text, sizeof(text)));
	EXPECT_STREQ("[none] strict timeslice fair", text);
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
	EXPECT_EQ(0, gpreempt_wait_state("parked", gpu_model_limit(10)));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, gpreempt_read("state", text, sizeof(text)));
	EXPECT_STREQ("disabled", text);
}

TEST_HARNESS_MAIN
