// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation that an operation on GPREEMPT makes fails once. It answers
 * with an error or does without, and works the next time; what it loses, kmemleak
 * finds where there is one. Needs CONFIG_FAILSLAB, CONFIG_FAULT_INJECTION_DEBUG_FS and
 * CONFIG_FAULT_INJECTION_STACKTRACE_FILTER, and root.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"
#include "gpreempt.h"

#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define FAIL_NTH	"/proc/thread-self/fail-nth"

/* More than any operation here allocates. */
#define MANY		500

FIXTURE(failslab) {
	struct client c;
	struct aql_queue q;
	int fail_nth;
};

FIXTURE_SETUP(failslab)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (access(FAIL_NTH, W_OK) || access(FAILSLAB, F_OK))
		SKIP(return, "no fault injection");
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, file_write(FAILSLAB "ignore-gfp-wait", "N"));
	ASSERT_EQ(0, file_write(FAILSLAB "verbose", "0"));
	self->fail_nth = open(FAIL_NTH, O_RDWR);
	ASSERT_LE(0, self->fail_nth);
}

FIXTURE_TEARDOWN(failslab)
{
	file_write(FAILSLAB "ignore-gfp-wait", "Y");
	file_write(FAILSLAB "probability", "0");
	gpreempt_end();
	close(self->fail_nth);
	client_close(&self->c);
}

/* From now on this thread's @n-th allocation fails; with 0, none. */
static void arm(int fail_nth, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fail_nth, text, len, 0) != len)
		_exit(1);
}

/* Ends that. Was there such an allocation? */
static bool disarm(int fail_nth)
{
	char text[16] = {};
	bool hit;

	hit = pread(fail_nth, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
	arm(fail_nth, 0);
	return hit;
}

/*
 * @operation with each of its allocations failing, one at a time, until it has
 * no more; @undo after each success. Leaves it done. @other: an errno that some
 * allocation has besides ENOMEM.
 */
#define EXPECT_SURVIVES(operation, undo, other) \
do { \
	unsigned int n_, failed_ = 0; \
	bool hit_ = true; \
	int ret_; \
	\
	for (n_ = 1; hit_; n_++) { \
		ASSERT_GT(MANY, n_); \
		arm(self->fail_nth, n_); \
		ret_ = (operation); \
		hit_ = disarm(self->fail_nth); \
		if (ret_) { \
			EXPECT_TRUE(ret_ == -ENOMEM || ret_ == (other)) \
				TH_LOG("allocation %u: %d", n_, ret_); \
			EXPECT_TRUE(hit_); \
			failed_++; \
		} else if (hit_) { \
			EXPECT_EQ(0, (undo)); \
		} \
	} \
	TH_LOG("%u allocations, %u of them indispensable", n_ - 2, failed_); \
	EXPECT_LT(0, n_ - 2); \
} while (0)

static int write_one(int fd, char c)
{
	return pwrite(fd, &c, 1, 0) == 1 ? 0 : -errno;
}

TEST_F_TIMEOUT(failslab, enable, 300)
{
	char path[128];
	int fd;

	ASSERT_EQ(0, gpreempt_path("enable", path, sizeof(path)));
	fd = open(path, O_RDWR);
	ASSERT_LE(0, fd);
	EXPECT_SURVIVES(write_one(fd, '1'), write_one(fd, '0'), -ENOMEM);
	EXPECT_EQ(1, gpreempt_number("enable"));
	EXPECT_SURVIVES(write_one(fd, '0'), write_one(fd, '1'), -ENOMEM);
	EXPECT_EQ(0, gpreempt_number("enable"));
	close(fd);
}

TEST_F_TIMEOUT(failslab, update_queue, 300)
{
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_SURVIVES(aql_update(&self->q, 100, PRIORITY_HIGH), 0, -ENOMEM);
}

/* The doorbells are mapped on top of themselves. */
static int map_doorbells(struct kfd_dev *dev)
{
	void *p = mmap(dev->doorbells, dev->doorbell_mem.size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_FIXED, dev->fd, dev->doorbell_offset);

	return p == MAP_FAILED ? -errno : 0;
}

TEST_F_TIMEOUT(failslab, map_doorbells, 300)
{
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_SURVIVES(map_doorbells(&self->c.dev), 0, -ENOMEM);
}

/* Each file that there is, opened and read. */
static int read_file(const char *path)
{
	char buf[4096];

	return file_read(path, buf, sizeof(buf));
}

TEST_F_TIMEOUT(failslab, read_sysfs, 300)
{
	char folder[128], path[512];
	struct dirent *e;
	DIR *d;

	ASSERT_EQ(0, gpreempt_path(NULL, folder, sizeof(folder)));
	d = opendir(folder);
	ASSERT_NE(NULL, d);
	while ((e = readdir(d))) {
		if (e->d_type != DT_REG)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		EXPECT_SURVIVES(read_file(path), 0, -ENOMEM);
	}
	closedir(d);
}

/*
 * Of CREATE_QUEUE those allocations alone that GPREEMPT makes. When memory fails for its own, stock
 * amdkfd frees the MQD under the DQM lock, and removes a sysfs entry that was never made; lockdep
 * and a reference count report that.
 */
FIXTURE(create) {
	struct client c;
	struct aql_queue q;
	int fail_nth;
	long long warnings;
};

static long long warnings(void)
{
	char text[32];
	int ret = file_read("/sys/kernel/warn_count", text, sizeof(text));

	return ret ?: atoll(text);
}

FIXTURE_SETUP(create)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (access(FAIL_NTH, W_OK) || access(FAILSLAB "require-start", F_OK))
		SKIP(return, "no fault injection by stack trace");
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, file_write(FAILSLAB "ignore-gfp-wait", "N"));
	ASSERT_EQ(0, file_write(FAILSLAB "verbose", "0"));
	self->fail_nth = open(FAIL_NTH, O_RDWR);
	ASSERT_LE(0, self->fail_nth);
	self->warnings = warnings();
	ASSERT_LE(0, self->warnings);
}

FIXTURE_TEARDOWN(create)
{
	file_write(FAILSLAB "require-start", "0");
	file_write(FAILSLAB "require-end", "0xffffffffffffffff");
	file_write(FAILSLAB "ignore-gfp-wait", "Y");
	gpreempt_end();
	close(self->fail_nth);
	client_close(&self->c);
	EXPECT_EQ(self->warnings, warnings());
}

/* From now on those allocations alone fail that a function of amdgpu makes, or has others make. */
static int fail_in(const char *function)
{
	unsigned long long at, begin = 0, end = ~0ULL;
	char line[512], name[256], module[64], text[32];
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned int pass;
	int ret;

	if (!f)
		return -errno;
	/* where it begins, and where the next one does */
	for (pass = 0; pass < 2; pass++) {
		rewind(f);
		while (fgets(line, sizeof(line), f)) {
			if (sscanf(line, "%llx %*c %255s [%63[^]]]", &at, name, module) != 3 ||
			    strcmp(module, "amdgpu"))
				continue;
			if (!pass && !strcmp(name, function))
				begin = at;
			if (pass && at > begin && at < end)
				end = at;
		}
	}
	fclose(f);
	if (!begin)
		return -ENOENT;
	snprintf(text, sizeof(text), "%#llx", begin);
	ret = file_write(FAILSLAB "require-start", text);
	snprintf(text, sizeof(text), "%#llx", end);
	return ret ?: file_write(FAILSLAB "require-end", text);
}

TEST_F_TIMEOUT(create, queue, 300)
{
	ASSERT_EQ(0, fail_in("kfd_gpreempt_queue_init"));
	EXPECT_SURVIVES(aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW),
			aql_destroy(&self->q), -ENOMEM);
	EXPECT_EQ(0, aql_destroy(&self->q));
}

/* A queue without its folder is a complete one, and goes like any other. */
TEST_F_TIMEOUT(create, queue_folder, 300)
{
	char path[128];

	ASSERT_EQ(0, fail_in("kfd_gpreempt_queue_sysfs_add"));
	EXPECT_SURVIVES(aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW) ? -EIO : 0,
			aql_destroy(&self->q), -ENOMEM);
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt/state",
		 getpid(), self->q.id);
	EXPECT_EQ(0, access(path, F_OK));
	EXPECT_EQ(0, aql_destroy(&self->q));
}

/* Mark each node's monitor as one whose allocations may fail. */
static int mark_monitors(void)
{
	char path[300], comm[32];
	int ret = -ESRCH;
	struct dirent *e;
	FILE *f;
	DIR *d;

	d = opendir("/proc");
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) && !strncmp(comm, "gpreempt/", 9)) {
			snprintf(path, sizeof(path), "/proc/%s/make-it-fail", e->d_name);
			ret = file_write(path, "1");
		}
		fclose(f);
	}
	closedir(d);
	return ret;
}

/*
 * The monitor itself allocates nothing; its transaction needs memory for the
 * runlist. When there is none it gives up, and everybody is mapped again.
 */
FIXTURE(monitor) {
	struct client c;
	struct aql_queue q, high;
	struct until_job low_job, high_job;
};

FIXTURE_SETUP(monitor)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (access(FAILSLAB, F_OK))
		SKIP(return, "no fault injection");
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, aql_create(&self->high, &self->c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, until_job_init(&self->c, &self->low_job));
	ASSERT_EQ(0, until_job_init(&self->c, &self->high_job));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, mark_monitors());
	ASSERT_EQ(0, file_write(FAILSLAB "ignore-gfp-wait", "N"));
	ASSERT_EQ(0, file_write(FAILSLAB "verbose", "0"));
	ASSERT_EQ(0, file_write(FAILSLAB "task-filter", "Y"));
	until_job_start(&self->c, &self->low_job, &self->q);
	ASSERT_EQ(0, until_job_moves(&self->low_job));
}

FIXTURE_TEARDOWN(monitor)
{
	file_write(FAILSLAB "probability", "0");
	file_write(FAILSLAB "space", "0");
	file_write(FAILSLAB "task-filter", "N");
	file_write(FAILSLAB "ignore-gfp-wait", "Y");
	gpreempt_end();
	EXPECT_EQ(0, aql_destroy(&self->high));
	client_close(&self->c);
}

/* Both end, though nobody else makes a runlist. */
#define EXPECT_BOTH_END() \
do { \
	until_job_stop(&self->low_job); \
	until_job_stop(&self->high_job); \
	EXPECT_EQ(0, until_job_wait(&self->c, &self->low_job, CLIENT_TIMEOUT_MS)); \
	EXPECT_EQ(0, until_job_wait(&self->c, &self->high_job, CLIENT_TIMEOUT_MS)); \
} while (0)

TEST_F_TIMEOUT(monitor, one_fails, 120)
{
	ASSERT_EQ(0, file_write(FAILSLAB "times", "1"));
	ASSERT_EQ(0, file_write(FAILSLAB "probability", "100"));
	until_job_start(&self->c, &self->high_job, &self->high);
	EXPECT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	EXPECT_BOTH_END();
	ASSERT_EQ(0, file_write(FAILSLAB "probability", "0"));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
}

/* Do both stand still, and for longer than it takes to try again? */
static bool nobody_runs(const struct until_job *a, const struct until_job *b)
{
	__u32 rounds;

	usleep(50000);		/* waves that were not saved yet */
	rounds = a->rounds[0] + b->rounds[0];
	usleep(500000);
	return a->rounds[0] + b->rounds[0] == rounds;
}

/* Both attempts to map fail, and all that follow until there is memory. */
TEST_F_TIMEOUT(monitor, all_fail, 120)
{
	ASSERT_EQ(0, file_write(FAILSLAB "times", "-1"));
	ASSERT_EQ(0, file_write(FAILSLAB "probability", "100"));
	until_job_start(&self->c, &self->high_job, &self->high);
	EXPECT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	EXPECT_TRUE(nobody_runs(&self->low_job, &self->high_job));
	/* told to try again before that it does not forget */
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_TRUE(nobody_runs(&self->low_job, &self->high_job));
	ASSERT_EQ(0, file_write(FAILSLAB "probability", "0"));
	EXPECT_BOTH_END();
}

/* The same when it is disabled before there is memory. */
TEST_F_TIMEOUT(monitor, all_fail_then_disabled, 120)
{
	ASSERT_EQ(0, file_write(FAILSLAB "times", "-1"));
	ASSERT_EQ(0, file_write(FAILSLAB "probability", "100"));
	until_job_start(&self->c, &self->high_job, &self->high);
	EXPECT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	EXPECT_TRUE(nobody_runs(&self->low_job, &self->high_job));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	EXPECT_BOTH_END();
}

/* Memory comes back so much later. */
#define LATER_MS	300

static int memory_comes_back(void)
{
	usleep(LATER_MS * 1000);
	return file_write(FAILSLAB "probability", "0") ? 1 : 0;
}

/* There is none for what disables it, either: it tries again until there is. */
TEST_F_TIMEOUT(monitor, all_fail_while_disabled, 120)
{
	char path[128];
	int status, fd;
	pid_t pid;

	ASSERT_EQ(0, gpreempt_path("enable", path, sizeof(path)));
	fd = open(path, O_WRONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_write(FAILSLAB "times", "-1"));
	ASSERT_EQ(0, file_write(FAILSLAB "probability", "100"));
	until_job_start(&self->c, &self->high_job, &self->high);
	EXPECT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	pid = client_fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(memory_comes_back());
	/* for the two bytes that it writes there is some */
	ASSERT_EQ(0, file_write(FAILSLAB "space", "10"));
	ASSERT_EQ(0, file_write("/proc/thread-self/make-it-fail", "1"));
	EXPECT_EQ(0, write_one(fd, '0'));
	EXPECT_EQ(0, file_write("/proc/thread-self/make-it-fail", "0"));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_BOTH_END();
	close(fd);
}

TEST_HARNESS_MAIN
