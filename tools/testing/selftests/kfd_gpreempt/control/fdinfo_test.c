// SPDX-License-Identifier: GPL-2.0
/*
 * The time on the GPU that fdinfo of a render node shows of the process whose queues are in its
 * address space: it goes on while one of them executes, once for all of them, and never back.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"

#define KEY		"\ndrm-engine-compute:"
#define MS		1000000ULL
#define LATE_MS		12	/* an interval at its longest, and some */
#define LOOK_MS		200	/* a time to look at */
#define TURN_MS		10
#define TURNS_MS	2000
#define NVTOP_MS	100
#define NVTOP_READS	20
#define LATE_BY		"delay-preemption=300000"
#define KILLS		8
#define READS		400

/* Of a file of some process: ns, 0 without that line, or -errno. */
static long long fdinfo_ns(pid_t pid, const char *fd)
{
	char path[320], text[4096], *line, *end;
	long long ns;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", pid, fd);
	ret = file_read(path, text, sizeof(text));
	if (ret)
		return ret;
	line = strstr(text, KEY);
	if (!line)
		return 0;
	ns = strtoll(line + strlen(KEY), &end, 10);
	return strncmp(end, " ns", 3) ? -EBADMSG : ns;
}

static long long fd_ns(int fd)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", fd);
	return fdinfo_ns(getpid(), name);
}

/* Of all files of a process, as a tool sees it; -errno of one that goes meanwhile. */
static long long process_ns(pid_t pid)
{
	long long sum = 0, ns = 0;
	struct dirent *d;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (ns >= 0 && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		ns = fdinfo_ns(pid, d->d_name);
		/* the folder's own file is there while it is read, and empty ones have no text */
		if (ns == -ENOENT || ns == -EIO)
			ns = 0;
		sum += ns;
	}
	closedir(dir);
	return ns < 0 ? ns : sum;
}

static void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

/* As much as that, but for a scan; if times count. */
static bool is_about(long long ns, unsigned int ms)
{
	if (!gpu_model_figures())
		return ns > 0;
	return ns >= (long long)((ms - LATE_MS) * MS) && ns <= (long long)((ms + LATE_MS) * MS);
}

/* No more than until the next scan, if times count. */
static bool is_still(long long ns)
{
	return ns >= 0 && (!gpu_model_figures() || ns <= (long long)(LATE_MS * MS));
}

FIXTURE(fdinfo) {
	struct client c;
	struct aql_queue low, high;
	struct until_job job, other;
	struct rival *rival;
	pid_t pid;
	int second;	/* another file of the same render node */
};

FIXTURE_SETUP(fdinfo)
{
	int ret = gpreempt_begin();
	char path[32], node[64];

	self->second = -1;
	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	/* a queue alone, whose waves nobody counts, is seen to execute after that */
	ASSERT_EQ(0, gpreempt_set("blocked_us", 2000));
	ASSERT_EQ(0, rival_start(&self->rival, &self->pid, 7, 0));
	ASSERT_EQ(0, client_open(&self->c));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->c.dev.drm_fd);
	ret = readlink(path, node, sizeof(node) - 1);
	ASSERT_LT(0, ret);
	node[ret] = '\0';
	self->second = open(node, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->second);
	/* two levels: there is something to decide, and the monitor polls */
	ASSERT_EQ(0, aql_create(&self->low, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, aql_create(&self->high, &self->c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, until_job_init(&self->c, &self->job));
	ASSERT_EQ(0, until_job_init(&self->c, &self->other));
}

FIXTURE_TEARDOWN(fdinfo)
{
	gpreempt_set("enable", 0);
	if (gpu_model_present())
		gpu_model_say("off", NULL, 0);
	close(self->second);
	rival_kill(self->rival, self->pid);
	if (self->c.dev.fd > 0)
		client_close(&self->c);
	gpreempt_end();
}

/* One workgroup: beside it there is room for another one's. */
static void start_small(struct client *c, struct until_job *job, struct aql_queue *q)
{
	*job->stop = 0;
	aql_signal_init(job->signal, 1, NULL);
	aql_dispatch(q, &c->until, 64, 64, job->args, job->signal);
}

static int stop(struct client *c, struct until_job *job)
{
	until_job_stop(job);
	return until_job_wait(c, job, CLIENT_TIMEOUT_MS);
}

/*
 * It goes on while a queue executes and at no other time, of this file alone; where GPREEMPT is
 * not enabled, nothing is shown that stock does not show.
 */
TEST_F_TIMEOUT(fdinfo, while_it_executes, 60)
{
	int fd = self->c.dev.drm_fd;
	long long begun, ran;

	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	sleep_ms(LOOK_MS);
	EXPECT_EQ(0, fd_ns(fd));
	ASSERT_EQ(0, stop(&self->c, &self->job));

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	sleep_ms(LOOK_MS);
	EXPECT_EQ(0, fd_ns(fd));

	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	ASSERT_EQ(0, gpreempt_wait_scans(2, CLIENT_TIMEOUT_MS));
	begun = fd_ns(fd);
	ASSERT_LT(0, begun);
	sleep_ms(LOOK_MS);
	ran = fd_ns(fd) - begun;
	EXPECT_TRUE(is_about(ran, LOOK_MS)) TH_LOG("%lld ns", ran);
	/* a whole process has no more than its one file */
	EXPECT_TRUE(is_still(process_ns(getpid()) - begun - ran));
	EXPECT_EQ(0, fd_ns(self->second));

	ASSERT_EQ(0, stop(&self->c, &self->job));
	ASSERT_EQ(0, gpreempt_wait_scans(2, CLIENT_TIMEOUT_MS));
	begun = fd_ns(fd);
	sleep_ms(LOOK_MS);
	EXPECT_TRUE(is_still(fd_ns(fd) - begun)) TH_LOG("%lld ns", fd_ns(fd) - begun);

	/* nobody watches, but it is not forgotten */
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	begun = fd_ns(fd);
	EXPECT_LT(0, begun);
	sleep_ms(LOOK_MS);
	EXPECT_EQ(begun, fd_ns(fd));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_LE(begun, fd_ns(fd));
	EXPECT_EQ(0, fd_ns(self->second));
}

/* Two queues at once are no more than one. */
TEST_F_TIMEOUT(fdinfo, once_for_all_queues, 60)
{
	int fd = self->c.dev.drm_fd;
	struct aql_queue low;
	long long begun, ran;

	ASSERT_EQ(0, aql_create(&low, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	start_small(&self->c, &self->job, &self->low);
	start_small(&self->c, &self->other, &low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	ASSERT_EQ(0, until_job_moves(&self->other));
	ASSERT_EQ(0, gpreempt_wait_scans(2, CLIENT_TIMEOUT_MS));
	begun = fd_ns(fd);
	sleep_ms(LOOK_MS);
	ran = fd_ns(fd) - begun;
	EXPECT_TRUE(is_about(ran, LOOK_MS)) TH_LOG("%lld ns", ran);
	ASSERT_EQ(0, stop(&self->c, &self->job));
	ASSERT_EQ(0, gpreempt_wait_scans(2, CLIENT_TIMEOUT_MS));
	/* with the other one it goes on */
	begun = fd_ns(fd);
	sleep_ms(LOOK_MS);
	ran = fd_ns(fd) - begun;
	EXPECT_TRUE(is_about(ran, LOOK_MS)) TH_LOG("%lld ns", ran);
	ASSERT_EQ(0, stop(&self->c, &self->other));
}

/* Taken off for another process, it has none of the time, and that one has all. */
TEST_F_TIMEOUT(fdinfo, not_while_preempted, 60)
{
	long long begun, other, ran, preemptions;
	int fd = self->c.dev.drm_fd;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	preemptions = gpreempt_number("stats/preemptions");
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	ASSERT_EQ(0, rival_run(self->rival, 1));
	ASSERT_EQ(0, gpreempt_wait_number("stats/preemptions", preemptions + 1, CLIENT_TIMEOUT_MS));
	sleep_ms(LATE_MS);
	begun = fd_ns(fd);
	other = process_ns(self->pid);
	EXPECT_LT(0, begun);
	sleep_ms(LOOK_MS);
	EXPECT_TRUE(is_still(fd_ns(fd) - begun)) TH_LOG("%lld ns", fd_ns(fd) - begun);
	ran = process_ns(self->pid) - other;
	EXPECT_TRUE(is_about(ran, LOOK_MS)) TH_LOG("%lld ns", ran);
	ASSERT_EQ(0, rival_run(self->rival, 0));
	ASSERT_EQ(0, stop(&self->c, &self->job));
}

/* What a queue had stays when it goes, and the next one's comes on top. */
TEST_F_TIMEOUT(fdinfo, stays_with_the_process, 60)
{
	int fd = self->c.dev.drm_fd;
	long long before, after;
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < 5; i++) {
		until_job_start(&self->c, &self->job, &self->low);
		ASSERT_EQ(0, until_job_moves(&self->job));
		before = fd_ns(fd);
		sleep_ms(LOOK_MS / 5 + i);
		after = fd_ns(fd);
		EXPECT_LT(before, after);
		before = after;
		ASSERT_EQ(0, aql_destroy(&self->low));
		after = fd_ns(fd);
		EXPECT_LE(before, after);
		sleep_ms(LATE_MS);
		EXPECT_LE(after, fd_ns(fd));
		ASSERT_EQ(0, aql_create(&self->low, &self->c.dev, 64, PRIORITY_LOW));
	}
}

/*
 * Two that take turns have together no more than all of the time, and each its half. Each turn
 * begins and ends between two scans.
 */
TEST_F_TIMEOUT(fdinfo, turns, 60)
{
	struct aql_queue q;
	long long own, other;
	__u64 begin, wall;

	ASSERT_EQ(0, aql_create(&q, &self->c.dev, 64, 7));
	ASSERT_EQ(0, gpreempt_write("policy", "timeslice"));
	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", TURN_MS * 1000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &self->job, &q);
	ASSERT_EQ(0, until_job_moves(&self->job));
	ASSERT_EQ(0, rival_run(self->rival, 1));
	sleep_ms(LOOK_MS);
	begin = kfd_now();
	own = process_ns(getpid());
	other = process_ns(self->pid);
	sleep_ms(TURNS_MS);
	own = process_ns(getpid()) - own;
	other = process_ns(self->pid) - other;
	wall = kfd_now() - begin;
	printf("# turns: %lld and %lld of %llu ns\n", own, other, wall);
	EXPECT_LT(0, own);
	EXPECT_LT(0, other);
	if (gpu_model_figures()) {
		EXPECT_GE(wall + LATE_MS * MS, own + other);
		EXPECT_LE(wall / 100 * 35, own);
		EXPECT_LE(wall / 100 * 35, other);
	}
	ASSERT_EQ(0, rival_run(self->rival, 0));
	ASSERT_EQ(0, stop(&self->c, &self->job));
}

/* Of a queue without a pause: the time is a clock, whenever the last scan was. */
TEST_F_TIMEOUT(fdinfo, all_of_the_time, 60)
{
	long long ns, late[NVTOP_READS], early[NVTOP_READS], latest = LLONG_MIN;
	unsigned int right = 0, i;
	__u64 before;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	sleep_ms(LOOK_MS);
	for (i = 0; i < NVTOP_READS; i++) {
		before = kfd_now();
		ns = fd_ns(self->c.dev.drm_fd);
		ASSERT_LT(0, ns);
		/* how far it is ahead of that clock, read before it and after it */
		early[i] = ns - (long long)before;
		late[i] = ns - (long long)kfd_now();
		if (late[i] > latest)
			latest = late[i];
		usleep(NVTOP_MS * 1000 + i * 137);
	}
	/* the same each time, but for a reading while a scan is accounted */
	for (i = 0; i < NVTOP_READS; i++)
		right += early[i] >= latest;
	TH_LOG("%u readings of %u; from the first to the last %lld ns", right, NVTOP_READS,
	       late[NVTOP_READS - 1] - late[0]);
	if (gpu_model_figures())
		EXPECT_LE(NVTOP_READS * 9 / 10, right);
	ASSERT_EQ(0, stop(&self->c, &self->job));
}

/* On one level the monitor is parked, and scans for who reads. */
TEST_F_TIMEOUT(fdinfo, parked, 60)
{
	int fd = self->c.dev.drm_fd;
	long long begun, ran;

	ASSERT_EQ(0, aql_update(&self->high, 100, PRIORITY_LOW));
	rival_kill(self->rival, self->pid);
	self->rival = NULL;
	self->pid = 0;
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	sleep_ms(LOOK_MS);
	begun = fd_ns(fd);
	sleep_ms(LOOK_MS);
	ran = fd_ns(fd) - begun;
	EXPECT_TRUE(is_about(ran, LOOK_MS)) TH_LOG("%lld ns", ran);
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, stop(&self->c, &self->job));
}

#define DISABLED_MS	3000

/* What it does while nobody watches is not known, and not made up afterwards. */
TEST_F_TIMEOUT(fdinfo, not_while_disabled, 60)
{
	int fd = self->c.dev.drm_fd;
	long long before, ns;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	sleep_ms(LOOK_MS);
	before = fd_ns(fd);
	EXPECT_LT(0, before);
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ns = fd_ns(fd);
	EXPECT_LE(before, ns);
	sleep_ms(DISABLED_MS);
	EXPECT_EQ(ns, fd_ns(fd));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	sleep_ms(LOOK_MS);
	ns = fd_ns(fd) - before;
	EXPECT_GT(2 * LOOK_MS * 1000000LL, ns) TH_LOG("%lld ns", ns);
	ASSERT_EQ(0, stop(&self->c, &self->job));
}

/* Whatever queues do, and however often it is read. */
TEST_F_TIMEOUT(fdinfo, never_back, 60)
{
	long long ns, last = 0;
	unsigned int falls = 0, shown = 0, i;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < READS; i++) {
		if (i % 20 == 0)
			until_job_start(&self->c, &self->job, &self->low);
		if (i % 20 == 7)
			ASSERT_EQ(0, gpreempt_hold(&self->low, 0));
		if (i % 20 == 11)
			ASSERT_EQ(0, gpreempt_resume(&self->low));
		/* its work ends, or it is destroyed at work */
		if (i % 40 == 17)
			ASSERT_EQ(0, stop(&self->c, &self->job));
		if (i % 40 == 37) {
			ASSERT_EQ(0, aql_destroy(&self->low));
			ASSERT_EQ(0, aql_create(&self->low, &self->c.dev, 64, PRIORITY_LOW));
		}
		if (i % 100 == 99)
			ASSERT_EQ(0, gpreempt_set("enable", 0));
		if (i % 100 == 0)
			ASSERT_EQ(0, gpreempt_set("enable", 1));
		ns = fd_ns(self->c.dev.drm_fd);
		ASSERT_LE(0, ns);
		/* it is not shown before it has executed */
		falls += ns < last;
		shown += ns > 0;
		last = ns;
		usleep(i * 7919 % 3000);
	}
	EXPECT_EQ(0, falls);
	EXPECT_LT(READS / 2, shown);
}

/* A node that gave up watches nobody: the time stands still, and goes on from there. */
TEST_F_TIMEOUT(fdinfo, not_while_bypassed, 60)
{
	int fd = self->c.dev.drm_fd;
	long long before, ns;

	if (!gpu_model_present())
		SKIP(return, "this GPU cannot be told to fail");
	ASSERT_EQ(0, gpreempt_set("preempt_timeout_ms", 100));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	sleep_ms(LOOK_MS);
	before = fd_ns(fd);
	EXPECT_LT(0, before);
	ASSERT_EQ(0, stop(&self->c, &self->job));
	ns = fd_ns(fd);
	EXPECT_LE(before, ns);
	/* nobody is at work who could be blamed */
	ASSERT_EQ(0, gpu_model_say(LATE_BY, NULL, 0));
	ASSERT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id,
				      0, 0, 0));
	ASSERT_EQ(0, gpreempt_wait_state("bypassed", CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, gpu_model_say("off", NULL, 0));
	before = fd_ns(fd);
	EXPECT_LE(ns, before);
	until_job_start(&self->c, &self->job, &self->low);
	ASSERT_EQ(0, until_job_moves(&self->job));
	ns = fd_ns(fd);
	/* it tries again by itself, which a slow kernel may come to see */
	if (!gpreempt_wait_state("bypassed", 0))
		EXPECT_EQ(before, ns);
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	sleep_ms(LOOK_MS);
	ns = fd_ns(fd);
	EXPECT_LT(before, ns);
	ASSERT_EQ(0, stop(&self->c, &self->job));
	EXPECT_LE(ns, fd_ns(fd));
}

/* In a child: reads a process's files, and one of them as its own, until the process is gone. */
static int read_until_gone(pid_t pid, int own)
{
	unsigned int after = 0, ms;
	long long ns;

	/* a zombie has the folder still, and no files */
	while (after < 50) {
		ns = process_ns(pid);
		if (ns < 0 && ns != -ENOENT && ns != -ESRCH && ns != -EACCES)
			return 1;
		after += ns <= 0;
		if (fd_ns(own) < 0)
			return 2;
	}
	/* nobody has queues in it any more, once the last of the memory's users is through */
	for (ms = 0; fd_ns(own); ms++) {
		if (ms > CLIENT_TIMEOUT_MS)
			return 3;
		sleep_ms(1);
	}
	return 0;
}

/* The file of a process in whose address space its queues are, as one's own; or -errno. */
static int take_file(pid_t pid)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0), fd = -ETIME;
	unsigned int ms, n;
	char name[16];

	for (ms = 0; fd == -ETIME && ms < CLIENT_TIMEOUT_MS; ms++) {
		for (n = 0; fd == -ETIME && n < 64; n++) {
			snprintf(name, sizeof(name), "%u", n);
			if (fdinfo_ns(pid, name) <= 0)
				continue;
			fd = syscall(SYS_pidfd_getfd, pidfd, n, 0);
			fd = fd < 0 ? -errno : fd;
		}
		sleep_ms(1);
	}
	close(pidfd);
	return fd;
}

/* The other process is killed, with its kernel under way, while that is read. */
TEST_F_TIMEOUT(fdinfo, killed_meanwhile, 120)
{
	unsigned int i;
	pid_t reader;
	int fd, status;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < KILLS; i++) {
		ASSERT_EQ(0, rival_run(self->rival, 1));
		fd = take_file(self->pid);
		ASSERT_LE(0, fd);
		EXPECT_LT(0, fd_ns(fd));
		reader = client_fork();
		if (!reader)
			_exit(read_until_gone(self->pid, fd));
		usleep(500 + i * 1300);
		rival_kill(self->rival, self->pid);
		self->rival = NULL;
		self->pid = 0;
		ASSERT_EQ(reader, waitpid(reader, &status, 0));
		EXPECT_EQ(0, status);
		close(fd);
		ASSERT_EQ(0, rival_start(&self->rival, &self->pid, 7, 0));
	}
}

TEST_HARNESS_MAIN
