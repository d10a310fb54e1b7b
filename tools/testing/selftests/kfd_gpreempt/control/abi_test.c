// SPDX-License-Identifier: GPL-2.0
/*
 * The files in sysfs and their description in Documentation/ABI: none that is
 * not described, none that is missing, and as readable and writable as it says.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"

#define MAX_ENTRIES	256
#define NODES		"/sys/class/kfd/kfd/gpreempt"
#define PARAMETER	"/sys/module/amdgpu/parameters/gpreempt"

/* abi.S */
extern const char abi_begin[], abi_end[];

struct entry {
	char what[160];
	bool writable;
	bool described;		/* it is known whether it is writable */
	unsigned int seen;
};

#define QUEUE_FOLDER	"/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt"

FIXTURE(abi) {
	struct client c;
	struct aql_queue q;
	struct entry entry[MAX_ENTRIES];
	unsigned int entries;
	char folder[96];	/* of the queue */
};

/* "What:" lines that follow each other share the description after them. */
static unsigned int read_description(struct entry *entry)
{
	unsigned int n = 0, i;
	const char *line, *end;
	char text[160];

	for (line = abi_begin; line < abi_end; line = end + 1) {
		end = memchr(line, '\n', abi_end - line);
		if (!end)
			break;
		snprintf(text, sizeof(text), "%.*s", (int)(end - line), line);
		if (n < MAX_ENTRIES && sscanf(text, "What: %159s", entry[n].what) == 1)
			n++;
		if (!strncmp(text, "\t\t(RO)", 6) || !strncmp(text, "\t\t(RW)", 6)) {
			for (i = n; i-- && !entry[i].described;) {
				entry[i].described = true;
				entry[i].writable = text[4] == 'W';
			}
		}
	}
	return n;
}

/* <...> stands for a number; a directory's description ends with a slash. */
static bool matches(const char *what, const char *path)
{
	while (*what) {
		if (*what == '<') {
			what = strchr(what, '>') + 1;
			if (!strspn(path, "0123456789"))
				return false;
			path += strspn(path, "0123456789");
		} else if (*what++ != *path++) {
			return !path[-1] && !strcmp(what - 1, "/");
		}
	}
	return !*path;
}

static struct entry *find(struct entry *entry, unsigned int n, const char *path)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (matches(entry[i].what, path))
			return &entry[i];
	return NULL;
}

FIXTURE_SETUP(abi)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_HIGH));
	snprintf(self->folder, sizeof(self->folder), QUEUE_FOLDER, getpid(), self->q.id);
	self->entries = read_description(self->entry);
	ASSERT_LT(30, self->entries);
	ASSERT_GT(MAX_ENTRIES, self->entries);
}

FIXTURE_TEARDOWN(abi)
{
	if (self->c.dev.fd > 0) {
		aql_destroy(&self->q);
		client_close(&self->c);
	}
	gpreempt_end();
}

/* Returns how many of the files below @path are not as described. */
static unsigned int walk(struct entry *entry, unsigned int n, const char *path)
{
	struct entry *e = find(entry, n, path);
	unsigned int wrong = 0;
	char below[512];
	struct dirent *d;
	struct stat st;
	DIR *dir;

	if (lstat(path, &st)) {
		ksft_print_msg("%s: %s\n", path, strerror(errno));
		return 1;
	}
	if (e)
		e->seen++;
	if (!S_ISDIR(st.st_mode)) {
		if (!e || e->writable != !!(st.st_mode & 0222)) {
			ksft_print_msg("%s: mode %o, %s\n", path, st.st_mode & 0777,
				       e ? "not as described" : "not described");
			wrong++;
		}
		return wrong;
	}
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, d->d_name);
		wrong += walk(entry, n, below);
	}
	if (dir)
		closedir(dir);
	return wrong;
}

TEST_F(abi, all_described_all_there)
{
	unsigned int i;

	EXPECT_EQ(0, walk(self->entry, self->entries, NODES));
	EXPECT_EQ(0, walk(self->entry, self->entries, self->folder));
	EXPECT_EQ(0, walk(self->entry, self->entries, PARAMETER));
	for (i = 0; i < self->entries; i++) {
		EXPECT_TRUE(self->entry[i].described) TH_LOG("%s", self->entry[i].what);
		EXPECT_LT(0, self->entry[i].seen) TH_LOG("%s is missing", self->entry[i].what);
	}
	/* 16 levels, each with its files */
	EXPECT_EQ(16, find(self->entry, self->entries,
			   NODES "/1/level3/timeslice_us")->seen);
}

static const char *const queue_files[] = {
	"state", "priority", "permitted_priority", "effective_priority", "timeslice_us",
	"preemptions", "running_ns", "waiting_ns", "preempted_ns",
	"weight", "min_percent", "cap_percent", "group", "pid", "excluded_ms",
};

static int read_queue_file(const char *folder, const char *name, char *text, size_t size)
{
	char path[192];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n <= 0)
		return n ?: -EIO;
	text[n - 1] = '\0';
	return 0;
}

/* The queue waits, runs and is held, for so long each, in ms; all counts stand still then. */
#define WAITS_MS	50
#define RUNS_MS		120
#define HELD_MS		200
#define EVERY_MS	100	/* one scan at most */
#define PARKED_MS	300
#define LONG_MS		2500	/* a gap that counts for nobody */

static void live(struct __test_metadata *_metadata, FIXTURE_DATA(abi) *self)
{
	struct until_job low_job, job;
	struct aql_queue low;

	ASSERT_EQ(0, aql_create(&low, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, until_job_init(&self->c, &low_job));
	ASSERT_EQ(0, until_job_init(&self->c, &job));
	ASSERT_EQ(0, gpreempt_write("policy", "none"));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &low_job, &low);
	ASSERT_EQ(0, until_job_moves(&low_job));
	until_job_start(&self->c, &job, &self->q);
	usleep(WAITS_MS * 1000);
	ASSERT_EQ(0, gpreempt_write("policy", "strict"));
	usleep(RUNS_MS * 1000);
	ASSERT_EQ(0, gpreempt_hold(&self->q, 0));
	usleep(HELD_MS * 1000);
	ASSERT_EQ(0, gpreempt_resume(&self->q));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	until_job_stop(&job);
	until_job_stop(&low_job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, until_job_wait(&self->c, &low_job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &job);
	until_job_free(&self->c, &low_job);
	ASSERT_EQ(0, aql_destroy(&low));
}

/* As long as that, but for a few scans and a save; and each file has its own time. */
static bool is_about(__u64 ns, unsigned int ms)
{
	const unsigned int late_ms = 5;

	if (!gpu_model_figures())
		return ns;
	return ns >= (ms - late_ms) * 1000000ULL && ns <= (ms + late_ms) * 1000000ULL;
}

/* What the files say is what the ioctl says, and so it was. */
TEST_F_TIMEOUT(abi, queue_values, 60)
{
	struct kfd_gpreempt_queue_info info;
	unsigned long long values[ARRAY_SIZE(queue_files)] = {};
	char text[64];
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("level9/timeslice_us", 12345));
	ASSERT_EQ(11, gpreempt_set_priority(&self->c.dev, 0, self->q.id, 11));
	live(_metadata, self);
	ASSERT_EQ(9, gpreempt_set_priority(&self->c.dev, 0, self->q.id, 9));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->q.id, &info));
	EXPECT_TRUE(is_about(info.waiting_ns, WAITS_MS)) TH_LOG("%llu ns", info.waiting_ns);
	EXPECT_TRUE(is_about(info.running_ns, RUNS_MS)) TH_LOG("%llu ns", info.running_ns);
	EXPECT_TRUE(is_about(info.preempted_ns, HELD_MS)) TH_LOG("%llu ns", info.preempted_ns);
	for (i = 0; i < ARRAY_SIZE(queue_files); i++) {
		ASSERT_EQ(0, read_queue_file(self->folder, queue_files[i], text, sizeof(text)))
			TH_LOG("%s", queue_files[i]);
		if (i)
			values[i] = strtoull(text, NULL, 10);
		else
			EXPECT_STREQ("unknown", text);
	}
	EXPECT_EQ(PRIORITY_HIGH, values[1]);
	EXPECT_EQ(9, values[2]);
	EXPECT_EQ(9, values[3]);
	EXPECT_EQ(12345, values[4]);
	EXPECT_EQ(1, values[5]);
	EXPECT_EQ(info.running_ns, values[6]);
	EXPECT_EQ(info.waiting_ns, values[7]);
	EXPECT_EQ(info.preempted_ns, values[8]);
	EXPECT_EQ(getpid(), values[13]);
	EXPECT_EQ(0, values[14]);

	ASSERT_EQ(0, aql_update(&self->q, 0, 4));
	ASSERT_EQ(0, read_queue_file(self->folder, "state", text, sizeof(text)));
	EXPECT_STREQ("off", text);
	ASSERT_EQ(0, read_queue_file(self->folder, "priority", text, sizeof(text)));
	EXPECT_STREQ("4", text);
	ASSERT_EQ(0, aql_update(&self->q, 100, PRIORITY_HIGH));
}

/*
 * LOW runs on while the monitor is parked. Nobody looks but who reads its time: from one read to
 * the next it counts, if that is not long; and many reads are one scan. The ioctl makes none.
 */
TEST_F_TIMEOUT(abi, parked_time_by_reads, 60)
{
	struct kfd_gpreempt_queue_info info;
	unsigned int reads = 5, i;
	struct until_job job;
	struct aql_queue low;
	char folder[96], text[64];
	long long scans;
	__u64 begun_ns;

	ASSERT_EQ(0, aql_create(&low, &self->c.dev, 64, PRIORITY_LOW));
	snprintf(folder, sizeof(folder), QUEUE_FOLDER, getpid(), low.id);
	ASSERT_EQ(0, until_job_init(&self->c, &job));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	/* A queue alone executes for sure only after so long: here, before the monitor parks. */
	ASSERT_EQ(0, gpreempt_set("blocked_us", 2000));
	until_job_start(&self->c, &job, &low);
	ASSERT_EQ(0, until_job_moves(&job));
	/* nothing to decide on one level */
	ASSERT_EQ(0, aql_update(&self->q, 100, PRIORITY_LOW));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	/* the one scan in a while may be that of a read before this test */
	usleep(2 * EVERY_MS * 1000);
	ASSERT_EQ(0, read_queue_file(folder, "running_ns", text, sizeof(text)));
	begun_ns = strtoull(text, NULL, 10);
	usleep(PARKED_MS * 1000);
	EXPECT_EQ(0, gpreempt_wait_state("parked", 0));
	scans = gpreempt_number("stats/scans");
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, low.id, &info));
	EXPECT_EQ(begun_ns, info.running_ns);
	EXPECT_EQ(scans, gpreempt_number("stats/scans"));
	for (i = 0; i < reads; i++)
		ASSERT_EQ(0, read_queue_file(folder, "running_ns", text, sizeof(text)));
	EXPECT_TRUE(is_about(strtoull(text, NULL, 10) - begun_ns, PARKED_MS)) TH_LOG("%s", text);
	EXPECT_LT(scans, gpreempt_number("stats/scans"));
	if (gpu_model_figures())
		EXPECT_GT(scans + reads, gpreempt_number("stats/scans"));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));

	begun_ns = strtoull(text, NULL, 10);
	usleep(LONG_MS * 1000);
	ASSERT_EQ(0, read_queue_file(folder, "running_ns", text, sizeof(text)));
	EXPECT_GT(PARKED_MS * 1000000ULL, strtoull(text, NULL, 10) - begun_ns);
	until_job_stop(&job);
	ASSERT_EQ(0, until_job_wait(&self->c, &job, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &job);
	ASSERT_EQ(0, aql_destroy(&low));
}

/* In a child: a user's queue, whose files are that user's. */
static int private_files(int user)
{
	char folder[96], path[192], text[64];
	struct aql_queue q;
	struct kfd_dev dev;
	struct stat st;
	unsigned int i;

	if (setgid(user) || setuid(user) || kfd_open(&dev) || aql_create(&q, &dev, 64, 0))
		return 1;
	snprintf(folder, sizeof(folder), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt",
		 getpid(), q.id);
	for (i = 0; i < ARRAY_SIZE(queue_files); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, queue_files[i]);
		if (stat(path, &st) || st.st_uid != user || (st.st_mode & 07777) != 0400)
			return 2;
		if (read_queue_file(folder, queue_files[i], text, sizeof(text)))
			return 3;
	}
	return aql_destroy(&q) ? 4 : 0;
}

/* In a child: how many of root's queue's files can be opened. */
static int readable(int user, const char *folder)
{
	char text[64];
	unsigned int i;
	int n = 0;

	if (setgid(user) || setuid(user))
		return 99;
	for (i = 0; i < ARRAY_SIZE(queue_files); i++)
		n += read_queue_file(folder, queue_files[i], text, sizeof(text)) != -EACCES;
	return n;
}

TEST_F(abi, queue_files_are_private)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, open_to_all(&self->c.dev));
	pid = client_fork();
	if (!pid)
		_exit(private_files(SOME_USER));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));

	pid = client_fork();
	if (!pid)
		_exit(readable(SOME_USER, self->folder));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* How many of a queue's files can be read. */
static int read_all(const char *folder)
{
	char text[64];
	unsigned int i;
	int n = 0;

	for (i = 0; i < ARRAY_SIZE(queue_files); i++)
		n += read_queue_file(folder, queue_files[i], text, sizeof(text)) != -EACCES;
	return n;
}

/* How many of the files that tell of everybody's queues can be read, of how many. */
static int read_counts(unsigned int *all)
{
	char path[128], name[64];
	unsigned int i, n = 0;
	struct dirent *d;
	DIR *dir;

	*all = 0;
	if (gpreempt_path("stats", path, sizeof(path)))
		return -ENODEV;
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		/* the reason is everybody's */
		if (d->d_name[0] == '.' || !strcmp(d->d_name, "bypass_reason"))
			continue;
		snprintf(name, sizeof(name), "stats/%.48s", d->d_name);
		n += gpreempt_number(name) != -EACCES;
		++*all;
	}
	if (dir)
		closedir(dir);
	for (i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "level%u/preemptions", i);
		n += gpreempt_number(name) != -EACCES;
		++*all;
	}
	return n;
}

/* Of somebody outside. */
static char others_folder[96];

/* Root, the first process of a pid namespace, with the host's sysfs and a queue. */
static int in_container(struct shared *shared)
{
	char folder[96], text[64];
	struct aql_queue q;
	struct kfd_dev dev;
	unsigned int all;

	CHECK(1, getpid());
	/* its number outside */
	while (!shared->pid)
		usleep(1000);
	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 3));
	CHECK(0, read_all(others_folder));
	CHECK(0, read_counts(&all));
	CHECK(true, all > 30);
	CHECK(0, gpreempt_read("stats/bypass_reason", text, sizeof(text)));
	CHECK(0, gpreempt_read("state", text, sizeof(text)));
	snprintf(folder, sizeof(folder), QUEUE_FOLDER, shared->pid, q.id);
	CHECK(ARRAY_SIZE(queue_files), read_all(folder));
	CHECK(0, read_queue_file(folder, "pid", text, sizeof(text)));
	CHECK(1, atoi(text));
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

/* Its exit status. */
static int run_container(struct shared *shared, bool nice)
{
	int status;
	pid_t pid;

	shared->pid = 0;
	pid = client_fork();
	if (!pid) {
		if (unshare(CLONE_NEWPID) || (!nice && give_up_nice()))
			_exit(99);
		pid = client_fork();
		if (!pid)
			_exit(in_container(shared));
		shared->pid = pid;
		_exit(waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
		      WEXITSTATUS(status) : 98);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

/* The mode of a file would let a container's root read the host's; the ioctl does not. */
TEST_F(abi, container)
{
	struct shared *shared = client_shared_page();
	unsigned int all;
	int n;

	ASSERT_NE(NULL, shared);
	strcpy(others_folder, self->folder);
	EXPECT_EQ(0, run_container(shared, false)) TH_LOG("line %d", shared->line);
	EXPECT_EQ(0, run_container(shared, true)) TH_LOG("line %d", shared->line);
	/* which are there to be read */
	EXPECT_EQ(ARRAY_SIZE(queue_files), read_all(self->folder));
	n = read_counts(&all);
	EXPECT_EQ(all, n);
}

/* Nor does it let root who is one user of many, though its number is known. */
static int reads_no_others(struct shared *shared)
{
	CHECK(0, give_up_nice());
	CHECK(0, read_all(others_folder));
	return 0;
}

TEST_F(abi, without_nice)
{
	struct shared *shared = client_shared_page();
	pid_t owner;

	ASSERT_NE(NULL, shared);
	ASSERT_EQ(0, open_to_all(&self->c.dev));
	owner = start_owner(shared, SOME_USER);
	ASSERT_LT(0, owner);
	snprintf(others_folder, sizeof(others_folder), QUEUE_FOLDER, owner, shared->queue_id);
	EXPECT_EQ(ARRAY_SIZE(queue_files), read_all(others_folder));
	EXPECT_EQ(0, in_child(shared, 0, false, reads_no_others)) TH_LOG("line %d", shared->line);
	shared->stop = 1;
	EXPECT_EQ(owner, waitpid(owner, NULL, 0));
}

TEST_HARNESS_MAIN
