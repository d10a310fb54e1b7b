// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: defaults of cgroups, who may set which, which processes they hold for,
 * and that no way leads out of them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "file.h"
#include "ioctl_fixture.h"

#define ROOT		"/tmp/cgroup"
#define NONE		KFD_GPREEMPT_NONE
#define KEEP		(KFD_GPREEMPT_KEEP_PRIORITY | KFD_GPREEMPT_KEEP_CEILING | \
			 KFD_GPREEMPT_KEEP_TIMESLICE)
#define GRANT		KFD_GPREEMPT_SET_GRANT
#define WEIGHT		KFD_GPREEMPT_SET_WEIGHT
#define MIN		KFD_GPREEMPT_SET_MIN
#define CAP		KFD_GPREEMPT_SET_CAP
#define SHARE		(WEIGHT | MIN | CAP)

/* What asks for the highest priority, in a program of its own or not, is told by this. */
#define ASKER		"GPREEMPT_ASKER"

#define DEF(...)	((struct kfd_gpreempt_process_default) { __VA_ARGS__ })

/* The path of one of a cgroup's files, or of its directory. */
static const char *path_of(const char *name, const char *file)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", ROOT, name, file);
	return path;
}

static int open_cgroup(const char *name)
{
	int fd = open(path_of(name, ""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* An empty cgroup whose directory and list of processes are @user's. */
static int make_cgroup(const char *name, uid_t user)
{
	if (mkdir(path_of(name, ""), 0755) || chown(path_of(name, ""), user, user) ||
	    chown(path_of(name, "cgroup.procs"), user, user))
		return -errno;
	return 0;
}

static int enter_cgroup(const char *name, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return file_write(path_of(name, "cgroup.procs"), text);
}

static int set_fd(struct kfd_dev *dev, int fd, __u32 flags,
		  struct kfd_gpreempt_process_default def)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .flags = KFD_GPREEMPT_CGROUP | flags,
		.cgroup_fd = fd, .process_default = def,
	};

	return gpreempt_call(dev, &args);
}

static int set(struct kfd_dev *dev, const char *name, __u32 flags,
	       struct kfd_gpreempt_process_default def)
{
	int fd = open_cgroup(name), ret;

	if (fd < 0)
		return fd;
	ret = set_fd(dev, fd, flags, def);
	close(fd);
	return ret;
}

/* One of them, and the rest stays. */
static int set_priority(struct kfd_dev *dev, const char *name, __u32 priority)
{
	return set(dev, name, KEEP & ~KFD_GPREEMPT_KEEP_PRIORITY, DEF(priority, NONE));
}

static int set_ceiling(struct kfd_dev *dev, const char *name, __u32 ceiling)
{
	return set(dev, name, KEEP & ~KFD_GPREEMPT_KEEP_CEILING, DEF(NONE, ceiling));
}

static int set_timeslice(struct kfd_dev *dev, const char *name, __u32 us)
{
	return set(dev, name, KEEP & ~KFD_GPREEMPT_KEEP_TIMESLICE, DEF(NONE, NONE, us));
}

static int set_grant(struct kfd_dev *dev, const char *name, __u32 grant)
{
	return set(dev, name, KEEP | GRANT, DEF(NONE, NONE, .grant = grant));
}

static int set_share(struct kfd_dev *dev, const char *name, __u32 flags, __u32 weight,
		     __u32 min_percent, __u32 cap_percent)
{
	return set(dev, name, KEEP | flags,
		   DEF(NONE, NONE, 0, weight, min_percent, cap_percent));
}

static int get(struct kfd_dev *dev, const char *name, struct kfd_gpreempt_process_default *def)
{
	int fd = open_cgroup(name), ret;
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_GET_DEFAULT, .flags = KFD_GPREEMPT_CGROUP, .cgroup_fd = fd,
	};

	if (fd < 0)
		return fd;
	ret = gpreempt_call(dev, &args);
	*def = args.process_default;
	close(fd);
	return ret;
}

/* The number of the cgroup that a queue's process shares with others, or negative errno. */
static long long group_of(pid_t pid, __u32 queue_id)
{
	char path[128], text[32];
	int ret;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt/group", pid,
		 queue_id);
	ret = file_read(path, text, sizeof(text));
	return ret ?: atoll(text);
}

static long long number_of(const char *name)
{
	struct stat st;

	return stat(path_of(name, ""), &st) ? -errno : (long long)st.st_ino;
}

/* A queue is asked for at the highest priority: what it gets, or 99. */
static int asks(void)
{
	struct aql_queue q;
	struct kfd_dev dev;
	int permitted;

	if (kfd_open(&dev) || aql_create(&q, &dev, 64, 15))
		return 99;
	permitted = gpreempt_permitted(&q);
	if (aql_destroy(&q))
		return 99;
	kfd_close(&dev);
	return permitted < 0 ? 99 : permitted;
}

/* In the program that asks_after_exec() has started. */
__attribute__((constructor)) static void asks_at_once(void)
{
	if (getenv(ASKER))
		_exit(asks());
}

FIXTURE(cgroup) {
	struct kfd_dev dev;
	struct shared *shared;
	pid_t child;		/* killed at the end */
};

/* Those of a test that was killed, too. */
static void remove_cgroups(void)
{
	static const char *const names[] = { "a/sub", "a/b/c", "a/b", "a", "d" };
	unsigned int i, ms;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (ms = 0; rmdir(path_of(names[i], "")) && errno == EBUSY && ms < 1000; ms++)
			usleep(1000);
}

/* The device, open to all users, and an empty cgroup "a". */
static int open_with_cgroup(struct kfd_dev *dev)
{
	int ret;

	mkdir(ROOT, 0755);
	if (access(ROOT "/cgroup.procs", F_OK) && mount("cgroup", ROOT, "cgroup2", 0, NULL))
		return -errno;
	remove_cgroups();
	ret = kfd_open(dev) ?: open_to_all(dev);
	return ret ?: make_cgroup("a", SOME_USER);
}

FIXTURE_SETUP(cgroup)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, open_with_cgroup(&self->dev));
	ASSERT_EQ(0, make_cgroup("a/b", SOME_USER));
	ASSERT_EQ(0, make_cgroup("d", SOME_USER + 1));
}

FIXTURE_TEARDOWN(cgroup)
{
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	gpreempt_end();
	if (self->dev.fd > 0)
		kfd_close(&self->dev);
	remove_cgroups();
}

/* An owner of a queue of priority 3 in a cgroup. */
static pid_t owner_in(struct shared *shared, const char *name)
{
	pid_t pid = start_owner(shared, SOME_USER);

	return pid < 0 || !enter_cgroup(name, pid) ? pid : -1;
}

static int permitted_of(struct kfd_dev *dev, const struct shared *shared)
{
	struct kfd_gpreempt_queue_info info;
	int ret = gpreempt_get(dev, shared->pid, shared->queue_id, &info);

	return ret ?: (int)info.permitted;
}

/* What is set is what is told, and what is not named stays. */
TEST_F(cgroup, kept)
{
	struct kfd_dev *dev = &self->dev;
	struct kfd_gpreempt_process_default def;

	EXPECT_EQ(0, get(dev, "a", &def));
	EXPECT_EQ(NONE, def.priority);
	EXPECT_EQ(NONE, def.ceiling);
	EXPECT_EQ(NONE, def.grant);
	EXPECT_EQ(0, def.timeslice_us + def.weight + def.min_percent + def.cap_percent + def.pad);
	EXPECT_EQ(0, set_grant(dev, "a", 12));
	EXPECT_EQ(0, set_priority(dev, "a", 5));
	EXPECT_EQ(0, set_share(dev, "a", WEIGHT | CAP, 300, 0, 60));
	EXPECT_EQ(0, set_timeslice(dev, "a", 7000));
	EXPECT_EQ(0, set_ceiling(dev, "a", 13));
	EXPECT_EQ(0, set_share(dev, "a", MIN, 0, 20, 0));
	EXPECT_EQ(0, get(dev, "a", &def));
	EXPECT_EQ(5, def.priority);
	EXPECT_EQ(13, def.ceiling);
	EXPECT_EQ(7000, def.timeslice_us);
	EXPECT_EQ(300, def.weight);
	EXPECT_EQ(20, def.min_percent);
	EXPECT_EQ(60, def.cap_percent);
	EXPECT_EQ(12, def.grant);
	/* of itself, and not what it has from above */
	EXPECT_EQ(0, get(dev, "a/b", &def));
	EXPECT_EQ(NONE, def.priority);
	EXPECT_EQ(NONE, def.grant);
	EXPECT_EQ(0, def.weight);
	/* all of it can be taken away */
	EXPECT_EQ(0, set_grant(dev, "a", NONE));
	EXPECT_EQ(0, set(dev, "a", SHARE, DEF(NONE, NONE)));
	EXPECT_EQ(0, get(dev, "a", &def));
	EXPECT_EQ(NONE, def.priority);
	EXPECT_EQ(NONE, def.ceiling);
	EXPECT_EQ(NONE, def.grant);
	EXPECT_EQ(0, def.timeslice_us + def.weight + def.min_percent + def.cap_percent);
}

/* Of a process the same call tells what SET_PROCESS_DEFAULT has set. */
TEST_F(cgroup, of_a_process)
{
	struct kfd_ioctl_gpreempt_args args = { .op = KFD_GPREEMPT_OP_GET_DEFAULT };

	EXPECT_EQ(0, gpreempt_set_default(&self->dev, 0, 5, 9));
	EXPECT_EQ(0, gpreempt_set_share(&self->dev, 0, CAP, 0, 0, 70));
	EXPECT_EQ(0, gpreempt_call(&self->dev, &args));
	EXPECT_EQ(5, args.process_default.priority);
	EXPECT_EQ(9, args.process_default.ceiling);
	EXPECT_EQ(70, args.process_default.cap_percent);
	EXPECT_EQ(NONE, args.process_default.grant);
	EXPECT_EQ(0, gpreempt_set_share(&self->dev, 0, CAP, 0, 0, 0));
	EXPECT_EQ(0, gpreempt_set_default(&self->dev, 0, NONE, NONE));
}

/* What somebody in "a/b" gets at most. */
static int in_a_b(struct shared *shared)
{
	pid_t pid = client_fork();
	int status;

	if (!pid)
		_exit(enter_cgroup("a/b", getpid()) || become(SOME_USER, false) ? 97 : asks());
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : 99;
}

/* The nearest priority, grant and turn, the lowest ceiling; the process's own comes first. */
TEST_F(cgroup, nearest)
{
	struct kfd_dev *dev = &self->dev;
	struct shared *shared = self->shared;

	self->child = owner_in(shared, "a/b");
	ASSERT_LT(0, self->child);
	EXPECT_EQ(3, permitted_of(dev, shared));
	EXPECT_EQ(0, set_priority(dev, "a", 6));
	EXPECT_EQ(6, permitted_of(dev, shared));
	EXPECT_EQ(0, set_priority(dev, "a/b", 5));
	EXPECT_EQ(5, permitted_of(dev, shared));
	/* with CAP_SYS_NICE no cap holds it back */
	EXPECT_EQ(0, set_priority(dev, "a/b", 12));
	EXPECT_EQ(12, permitted_of(dev, shared));
	EXPECT_EQ(0, set_ceiling(dev, "a", 9));
	EXPECT_EQ(9, permitted_of(dev, shared));
	EXPECT_EQ(0, set_ceiling(dev, "a/b", 11));
	EXPECT_EQ(9, permitted_of(dev, shared));
	EXPECT_EQ(0, set_ceiling(dev, "a/b", 2));
	EXPECT_EQ(2, permitted_of(dev, shared));
	EXPECT_EQ(0, set_ceiling(dev, "a/b", NONE));
	EXPECT_EQ(0, gpreempt_set_default(dev, shared->pid, 4, NONE));
	EXPECT_EQ(4, permitted_of(dev, shared));
	EXPECT_EQ(0, gpreempt_set_default(dev, shared->pid, NONE, 8));
	EXPECT_EQ(8, permitted_of(dev, shared));
	EXPECT_EQ(0, set_timeslice(dev, "a", 9000));
	EXPECT_EQ(0, set_timeslice(dev, "a/b", 7000));
	EXPECT_EQ(7000, gpreempt_timeslice(dev, shared->pid, shared->queue_id));
	EXPECT_EQ(0, set_timeslice(dev, "a/b", 0));
	EXPECT_EQ(9000, gpreempt_timeslice(dev, shared->pid, shared->queue_id));
	EXPECT_EQ(0, set_ceiling(dev, "a", NONE));
	EXPECT_EQ(0, set_priority(dev, "a/b", NONE));
	EXPECT_EQ(6, permitted_of(dev, shared));
	/* a grant, too, be the nearer one the lower one */
	EXPECT_EQ(0, set_grant(dev, "a", 13));
	EXPECT_EQ(0, set_priority(dev, "a", NONE));
	EXPECT_EQ(0, set_grant(dev, "a/b", 9));
	EXPECT_EQ(9, in_a_b(self->shared));
	EXPECT_EQ(0, set_grant(dev, "a/b", NONE));
	EXPECT_EQ(13, in_a_b(self->shared));
}

/* Where a process goes it has what is there, without another call. */
TEST_F(cgroup, follows)
{
	struct kfd_dev *dev = &self->dev;
	struct shared *shared = self->shared;

	ASSERT_EQ(0, set_ceiling(dev, "a", 1));
	ASSERT_EQ(0, set_ceiling(dev, "d", 2));
	self->child = start_owner(shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(3, permitted_of(dev, shared));
	EXPECT_EQ(0, enter_cgroup("a/b", self->child));
	EXPECT_EQ(1, permitted_of(dev, shared));
	EXPECT_EQ(0, enter_cgroup("d", self->child));
	EXPECT_EQ(2, permitted_of(dev, shared));
	EXPECT_EQ(0, enter_cgroup("", self->child));
	EXPECT_EQ(3, permitted_of(dev, shared));
	/* also where the one that it has left is no more, and nobody has looked since */
	EXPECT_EQ(0, set_ceiling(dev, "a", NONE));
	EXPECT_EQ(0, enter_cgroup("d", self->child));
	EXPECT_EQ(2, permitted_of(dev, shared));
	EXPECT_EQ(0, enter_cgroup("", self->child));
	EXPECT_EQ(0, rmdir(ROOT "/d"));
	EXPECT_EQ(0, set_priority(dev, "a", NONE));
	EXPECT_EQ(3, permitted_of(dev, shared));
}

static void *tells(void *arg)
{
	struct shared *shared = arg;
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	while (file_read(path, text, sizeof(text)) || !strstr(text, ") Z"))
		usleep(1000);
	shared->ready = 1;
	pause();
	return NULL;
}

/* Its first thread makes a queue and ends. */
static int ends_first(struct shared *shared)
{
	pthread_t thread;
	struct aql_queue q;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 3));
	shared->queue_id = q.id;
	shared->pid = getpid();
	CHECK(0, pthread_create(&thread, NULL, tells, shared));
	pthread_exit(NULL);
}

/* So it does when its first thread has ended, and would stay where it was. */
TEST_F(cgroup, follows_the_other_threads)
{
	struct kfd_dev *dev = &self->dev;
	struct shared *shared = self->shared;

	ASSERT_EQ(0, set_ceiling(dev, "a", 1));
	ASSERT_EQ(0, set_ceiling(dev, "d", 2));
	self->child = client_fork();
	if (!self->child)
		_exit(enter_cgroup("a", getpid()) ? 99 : ends_first(shared));
	ASSERT_LT(0, await_owner(shared, self->child));
	EXPECT_EQ(1, permitted_of(dev, shared));
	EXPECT_EQ(0, enter_cgroup("d", self->child));
	EXPECT_EQ(2, permitted_of(dev, shared));
}

/* Nobody asks, and nothing could be arbitrated before: it is seen all the same. */
TEST_F_TIMEOUT(cgroup, follows_unasked, 120)
{
	struct shared *shared = self->shared;
	struct until_job high, low;
	struct aql_queue q;
	struct client c;
	int status;
	pid_t pid;

	ASSERT_EQ(0, set_priority(&self->dev, "a", 12));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = client_fork();
	if (!self->child) {
		if (client_open(&c) || aql_create(&q, &c.dev, 64, 7) || until_job_init(&c, &low))
			_exit(1);
		until_job_start(&c, &low, &q);
		shared->ready = 1;
		pause();
	}
	ASSERT_LT(0, await_owner(shared, self->child));
	shared->ready = 0;
	pid = client_fork();
	if (!pid) {
		if (client_open(&c) || aql_create(&q, &c.dev, 64, 7) || until_job_init(&c, &high))
			_exit(1);
		until_job_start(&c, &high, &q);
		shared->ready = 1;
		until_job_stop(&high);
		_exit(until_job_wait(&c, &high, 30000) ? 2 : 0);
	}
	ASSERT_LT(0, await_owner(shared, pid));
	usleep(200000);
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	EXPECT_EQ(0, enter_cgroup("a", pid));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* The members of the nearest cgroup with a share have that, and not their own. */
TEST_F(cgroup, shared)
{
	struct kfd_dev *dev = &self->dev;
	struct shared *shared = self->shared;

	self->child = owner_in(shared, "a/b");
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, gpreempt_set_share(dev, shared->pid, WEIGHT, 700, 0, 0));
	EXPECT_EQ(SHARE_IS(700, 0, 0), gpreempt_share(shared->pid, shared->queue_id));
	EXPECT_EQ(0, group_of(shared->pid, shared->queue_id));
	EXPECT_EQ(0, set_share(dev, "a", WEIGHT | MIN, 200, 30, 0));
	EXPECT_EQ(SHARE_IS(200, 30, 0), gpreempt_share(shared->pid, shared->queue_id));
	EXPECT_EQ(number_of("a"), group_of(shared->pid, shared->queue_id));
	EXPECT_EQ(-ENOSPC, set_share(dev, "a/b", MIN, 0, 71, 0));
	/* of two, the nearer one's; its weight from above, and no minimum of another one */
	EXPECT_EQ(0, set_share(dev, "a/b", CAP, 0, 0, 50));
	EXPECT_EQ(SHARE_IS(200, 0, 50), gpreempt_share(shared->pid, shared->queue_id));
	EXPECT_EQ(number_of("a/b"), group_of(shared->pid, shared->queue_id));
	EXPECT_NE(number_of("a"), number_of("a/b"));
	EXPECT_EQ(0, set_share(dev, "a", CAP, 0, 0, 40));
	EXPECT_EQ(SHARE_IS(200, 0, 40), gpreempt_share(shared->pid, shared->queue_id));
	EXPECT_EQ(-EINVAL, set_share(dev, "a/b", MIN, 0, 51, 0));
	EXPECT_EQ(0, set_share(dev, "a", SHARE, 0, 0, 0));
	EXPECT_EQ(0, set_share(dev, "a/b", SHARE, 0, 0, 0));
	EXPECT_EQ(SHARE_IS(700, 0, 0), gpreempt_share(shared->pid, shared->queue_id));
	EXPECT_EQ(0, group_of(shared->pid, shared->queue_id));
}

/* Without end, on all of the machine. */
static int works_on(struct shared *shared)
{
	struct until_job job;
	struct aql_queue q;
	struct client c;

	CHECK(0, client_open(&c));
	CHECK(0, aql_create(&q, &c.dev, 64, 7));
	CHECK(0, until_job_init(&c, &job));
	/* the second one may have no room yet */
	until_job_start(&c, &job, &q);
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
}

/* The members of a cgroup with a share take no turns among themselves; others do with them. */
TEST_F(cgroup, one_group)
{
	struct shared *shared = self->shared;
	long long preemptions;
	pid_t pids[2];
	unsigned int i, ms;

	ASSERT_EQ(0, set_share(&self->dev, "a", WEIGHT, 100, 0, 0));
	ASSERT_EQ(0, gpreempt_write("policy", "fair"));
	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 2000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < 2; i++) {
		pids[i] = client_fork();
		if (!pids[i])
			_exit(enter_cgroup("a", getpid()) ? 99 : works_on(shared));
	}
	for (ms = 0; shared->ready < 2 && !shared->line && ms < CLIENT_TIMEOUT_MS; ms++)
		usleep(1000);
	EXPECT_EQ(2, shared->ready) TH_LOG("line %d", shared->line);
	preemptions = gpreempt_number("stats/preemptions");
	usleep(200000);
	EXPECT_EQ(preemptions, gpreempt_number("stats/preemptions"));
	EXPECT_EQ(0, enter_cgroup("d", pids[1]));
	EXPECT_EQ(0, gpreempt_wait_number("stats/preemptions", preemptions + 4,
					  CLIENT_TIMEOUT_MS));
	for (i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

/* The owner of a directory: what lowers, and no way to more than was given. */
static int lowers(struct shared *shared)
{
	struct kfd_dev dev;
	struct kfd_gpreempt_process_default def;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, set_ceiling(&dev, "d", 0));
	CHECK(0, get(&dev, "d", &def));
	CHECK(-EPERM, set_ceiling(&dev, "", 0));
	CHECK(-EPERM, set_grant(&dev, "a", 13));
	CHECK(-EPERM, set_ceiling(&dev, "a", 15));
	CHECK(-EPERM, set_ceiling(&dev, "a", NONE));
	CHECK(-EPERM, set_priority(&dev, "a", 6));
	CHECK(-EPERM, set_priority(&dev, "a", NONE));
	CHECK(-EPERM, set_share(&dev, "a", WEIGHT, 301, 0, 0));
	CHECK(-EPERM, set_share(&dev, "a", CAP, 0, 0, 0));
	CHECK(0, set_grant(&dev, "a", 11));
	CHECK(-EPERM, set_grant(&dev, "a", 12));
	CHECK(0, set_ceiling(&dev, "a", 13));
	CHECK(0, set_priority(&dev, "a", 4));
	CHECK(0, set_share(&dev, "a", WEIGHT | CAP, 200, 0, 50));
	CHECK(-EPERM, set_share(&dev, "a", WEIGHT, 201, 0, 0));
	CHECK(-EPERM, set_grant(&dev, "a", NONE));
	/* below: no grant, as that would outlast the one above; and no more than above */
	CHECK(-EPERM, set_grant(&dev, "a/b", 10));
	CHECK(0, set_grant(&dev, "a/b", NONE));
	CHECK(-EPERM, set_priority(&dev, "a/b", 5));
	CHECK(0, set_priority(&dev, "a/b", 2));
	/* as many groups as one likes would have as many shares */
	CHECK(-EPERM, set_share(&dev, "a/b", WEIGHT, 100, 0, 0));
	CHECK(-EPERM, set_share(&dev, "a/b", CAP, 0, 0, 1));
	CHECK(-EPERM, set_share(&dev, "a/b", MIN, 0, 1, 0));
	CHECK(-EPERM, set_share(&dev, "a", MIN, 0, 11, 0));
	CHECK(0, set_share(&dev, "a", MIN, 0, 9, 0));
	CHECK(-EPERM, set_share(&dev, "a", MIN, 0, 10, 0));
	/* and without the group above, each process would have one */
	CHECK(-EPERM, set_share(&dev, "a", SHARE, 0, 0, 0));
	kfd_close(&dev);
	return 0;
}

/* What something above bounds for now is not raised meanwhile. */
static int raises_what_is_bounded(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, set_ceiling(&dev, "a/b", NONE));
	CHECK(-EPERM, set_ceiling(&dev, "a/b", 9));
	CHECK(-EPERM, set_grant(&dev, "a/b", 10));
	CHECK(-EPERM, set_grant(&dev, "a/b", NONE));
	CHECK(-EPERM, set_share(&dev, "a/b", MIN, 0, 21, 0));
	CHECK(-EPERM, set_share(&dev, "a/b", CAP, 0, 0, 51));
	CHECK(-EPERM, set_share(&dev, "a/b", CAP, 0, 0, 0));
	CHECK(0, set_ceiling(&dev, "a/b", 7));
	kfd_close(&dev);
	return 0;
}

TEST_F(cgroup, bounded_for_now)
{
	struct kfd_dev *dev = &self->dev;

	ASSERT_EQ(0, set_ceiling(dev, "a", 2));
	ASSERT_EQ(0, set_share(dev, "a", CAP, 0, 0, 5));
	ASSERT_EQ(0, set_ceiling(dev, "a/b", 8));
	ASSERT_EQ(0, set_grant(dev, "a/b", 9));
	ASSERT_EQ(0, set_share(dev, "a/b", MIN | CAP, 0, 20, 50));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, raises_what_is_bounded));
	EXPECT_EQ(0, self->shared->line);
}

static int with_cap_sys_nice(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, set_grant(&dev, "d", 15));
	CHECK(0, set_share(&dev, "d", WEIGHT, 1000, 0, 0));
	kfd_close(&dev);
	return 0;
}

TEST_F(cgroup, permissions)
{
	struct kfd_dev *dev = &self->dev;
	struct kfd_gpreempt_process_default def;

	ASSERT_EQ(0, set_grant(dev, "a", 12));
	ASSERT_EQ(0, set_ceiling(dev, "a", 14));
	ASSERT_EQ(0, set_priority(dev, "a", 5));
	ASSERT_EQ(0, set_share(dev, "a", SHARE, 300, 10, 60));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, lowers));
	EXPECT_EQ(0, self->shared->line);
	EXPECT_EQ(0, get(dev, "a", &def));
	EXPECT_EQ(4, def.priority);
	EXPECT_EQ(13, def.ceiling);
	EXPECT_EQ(11, def.grant);
	EXPECT_EQ(200, def.weight);
	EXPECT_EQ(50, def.cap_percent);
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, true, with_cap_sys_nice));
	EXPECT_EQ(0, self->shared->line);
}

/* Without CAP_SYS_NICE, and with the host's directories, of which root owns most. */
static int root_of_a_container(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, give_up_nice());
	CHECK(0, kfd_open(&dev));
	CHECK(0, set_ceiling(&dev, "r", 3));
	CHECK(0, unshare(CLONE_NEWNS));
	CHECK(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	CHECK(0, mount(ROOT, ROOT, NULL, MS_BIND, NULL));
	CHECK(0, mount(NULL, ROOT, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
	CHECK(-EPERM, set_ceiling(&dev, "r", 2));
	CHECK(-EPERM, set_ceiling(&dev, "", 2));
	CHECK(0, umount(ROOT));
	CHECK(0, enter_cgroup("r/own", getpid()));
	CHECK(0, unshare(CLONE_NEWCGROUP));
	CHECK(-EPERM, set_ceiling(&dev, "r", 2));
	CHECK(-EPERM, set_ceiling(&dev, "d", 2));
	CHECK(-EPERM, set_ceiling(&dev, "", 2));
	CHECK(0, set_ceiling(&dev, "r/own", 1));
	kfd_close(&dev);
	return 0;
}

TEST_F(cgroup, container)
{
	ASSERT_EQ(0, make_cgroup("r", 0));
	ASSERT_EQ(0, make_cgroup("r/own", 0));
	EXPECT_EQ(0, in_child(self->shared, 0, false, root_of_a_container))
		TH_LOG("line %d", self->shared->line);
	EXPECT_EQ(0, rmdir(path_of("r/own", "")));
	EXPECT_EQ(0, rmdir(path_of("r", "")));
}

static int in_fork(int (*ask)(void))
{
	pid_t pid = client_fork();
	int status;

	if (!pid)
		_exit(ask());
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : 99;
}

static int asks_in_fork(void)
{
	return in_fork(asks);
}

/* Orphaned, and then it belongs to init. */
static int asks_twice_forked(void)
{
	int fds[2], parent;
	char got = 99;

	if (pipe(fds))
		return 99;
	if (!client_fork()) {
		parent = getpid();
		if (!fork()) {
			while (getppid() == parent)
				usleep(1000);
			got = asks();
			_exit(write(fds[1], &got, 1) != 1);
		}
		_exit(0);
	}
	close(fds[1]);
	if (read(fds[0], &got, 1) != 1)
		got = 99;
	close(fds[0]);
	while (wait(NULL) > 0)
		;
	return got;
}

static int execs(void)
{
	setenv(ASKER, "1", 1);
	execl("/proc/self/exe", "asker", NULL);
	return 99;
}

static int asks_after_exec(void)
{
	return in_fork(execs);
}

static int asks_in_session(void)
{
	return setsid() < 0 ? 99 : asks();
}

/* With all capabilities, but in namespaces of its own. */
static int asks_in_namespaces(void)
{
	struct kfd_dev dev = { .fd = open("/dev/kfd", O_RDWR | O_CLOEXEC) };
	int fd = open_cgroup("a");

	if (dev.fd < 0 || fd < 0 ||
	    unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWCGROUP))
		return 99;
	set_fd(&dev, fd, KEEP | GRANT, DEF(NONE, NONE, .grant = 15));
	close(dev.fd);
	return in_fork(asks);
}

/* To a cgroup below, which is its own to make, and to raise if it could. */
static int asks_below(void)
{
	struct kfd_dev dev = { .fd = open("/dev/kfd", O_RDWR | O_CLOEXEC) };

	if (dev.fd < 0 || mkdir(path_of("a/sub", ""), 0755) || enter_cgroup("a/sub", getpid()))
		return 99;
	set_grant(&dev, "a/sub", 15);
	set_priority(&dev, "a/sub", 15);
	set_ceiling(&dev, "a/sub", 15);
	close(dev.fd);
	return asks();
}

/* To one with a higher grant, and to the root. */
static int asks_elsewhere(void)
{
	if (enter_cgroup("d", getpid()) != -EACCES || enter_cgroup("", getpid()) != -EACCES)
		return 98;
	return asks();
}

static int asks_by_a_second_open(void)
{
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC), got;

	if (fd < 0)
		return 99;
	got = asks();
	close(fd);
	return got;
}

/* By each call that takes a priority. */
static int asks_by_calls(void)
{
	struct aql_queue q;
	struct kfd_dev dev;
	int got;

	if (kfd_open(&dev) || gpreempt_set_default(&dev, 0, 15, NONE) ||
	    aql_create(&q, &dev, 64, 3))
		return 99;
	got = gpreempt_set_priority(&dev, 0, q.id, 15);
	if (got != gpreempt_permitted(&q) || aql_destroy(&q))
		return 99;
	kfd_close(&dev);
	return got;
}

FIXTURE(escape) {
	struct kfd_dev dev;
};

FIXTURE_VARIANT(escape) {
	int (*way)(void);
};

#define WAY(name)	FIXTURE_VARIANT_ADD(escape, name) { .way = asks_##name }

FIXTURE_VARIANT_ADD(escape, none) { .way = asks };
WAY(in_fork);
WAY(twice_forked);
WAY(after_exec);
WAY(in_session);
WAY(in_namespaces);
WAY(below);
WAY(elsewhere);
WAY(by_a_second_open);
WAY(by_calls);

FIXTURE_SETUP(escape)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, open_with_cgroup(&self->dev));
	ASSERT_EQ(0, make_cgroup("d", SOME_USER));
	ASSERT_EQ(0, set_grant(&self->dev, "d", 15));
}

FIXTURE_TEARDOWN(escape)
{
	gpreempt_end();
	if (self->dev.fd > 0)
		kfd_close(&self->dev);
	remove_cgroups();
}

/* In the cgroup "a" as some user: what does that way lead to? */
static int permitted_by(int (*way)(void))
{
	pid_t pid = client_fork();
	int status;

	if (!pid)
		_exit(enter_cgroup("a", getpid()) || become(SOME_USER, false) ? 97 : way());
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : 99;
}

/* With a grant exactly that, with a ceiling no more than that, without either the node's cap. */
TEST_F(escape, is_none)
{
	EXPECT_EQ(7, permitted_by(variant->way));
	remove_cgroups();
	ASSERT_EQ(0, make_cgroup("a", SOME_USER));
	ASSERT_EQ(0, make_cgroup("d", SOME_USER));
	ASSERT_EQ(0, set_grant(&self->dev, "d", 15));
	ASSERT_EQ(0, set_grant(&self->dev, "a", 11));
	EXPECT_EQ(11, permitted_by(variant->way));
	remove_cgroups();
	ASSERT_EQ(0, make_cgroup("a", SOME_USER));
	ASSERT_EQ(0, make_cgroup("d", SOME_USER));
	ASSERT_EQ(0, set_grant(&self->dev, "a", 15));
	ASSERT_EQ(0, set_ceiling(&self->dev, "a", 2));
	EXPECT_EQ(2, permitted_by(variant->way));
}

/* What is no directory of a cgroup of version 2, and what no default has. */
TEST_F(cgroup, bad_input)
{
	const struct kfd_gpreempt_process_default none = { NONE, NONE };
	struct kfd_dev *dev = &self->dev;
	int fd, fds[2];
	struct kfd_gpreempt_process_default def;

	EXPECT_EQ(-EBADF, set_fd(dev, 12345, 0, none));
	EXPECT_EQ(-EBADF, set_fd(dev, -1, 0, none));
	ASSERT_EQ(0, pipe(fds));
	EXPECT_EQ(-EBADF, set_fd(dev, fds[0], 0, none));
	EXPECT_EQ(-EBADF, set_fd(dev, dev->fd, 0, none));
	fd = open("/", O_RDONLY | O_DIRECTORY);
	EXPECT_EQ(-EBADF, set_fd(dev, fd, 0, none));
	close(fd);
	fd = open(ROOT "/a/cgroup.procs", O_RDONLY);
	EXPECT_EQ(-EBADF, set_fd(dev, fd, 0, none));
	close(fd);
	/* version 1 */
	ASSERT_EQ(0, mkdir("/tmp/cgroup1", 0755));
	ASSERT_EQ(0, mount("cgroup", "/tmp/cgroup1", "cgroup", 0, "none,name=gpreempt"));
	fd = open("/tmp/cgroup1", O_RDONLY | O_DIRECTORY);
	EXPECT_LE(0, fd);
	EXPECT_EQ(-EBADF, set_fd(dev, fd, 0, none));
	close(fd);
	EXPECT_EQ(0, umount("/tmp/cgroup1"));
	EXPECT_EQ(0, rmdir("/tmp/cgroup1"));
	/* one that was removed */
	fd = open_cgroup("a/b");
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, set_fd(dev, fd, 0, none));
	EXPECT_EQ(0, rmdir(ROOT "/a/b"));
	EXPECT_EQ(-ENOENT, set_fd(dev, fd, 0, none));
	close(fd);
	/* only to look at */
	fd = open(ROOT "/a", O_PATH | O_DIRECTORY);
	EXPECT_EQ(0, set_fd(dev, fd, 0, none));
	close(fd);

	EXPECT_EQ(-EINVAL, set(dev, "a", 0, DEF(16, NONE)));
	EXPECT_EQ(-EINVAL, set(dev, "a", 0, DEF(NONE, 16)));
	EXPECT_EQ(-EINVAL, set(dev, "a", GRANT, DEF(NONE, NONE, .grant = 16)));
	EXPECT_EQ(-EINVAL, set(dev, "a", 0, DEF(NONE, NONE, .grant = 1)));
	EXPECT_EQ(-EINVAL, set(dev, "a", 0, DEF(NONE, NONE, .pad = 1)));
	EXPECT_EQ(-EINVAL, set(dev, "a", KFD_GPREEMPT_PIDFD, none));
	EXPECT_EQ(-EINVAL, set(dev, "a", KFD_GPREEMPT_CONTEXT, none));
	EXPECT_EQ(-EINVAL, set(dev, "a", WEIGHT, DEF(NONE, NONE, 0, 1001)));
	EXPECT_EQ(0, get(dev, "a", &def));
	EXPECT_EQ(NONE, def.priority);
	/* no grant is a process's, and it keeps having a weight */
	EXPECT_EQ(-EINVAL, gpreempt_call(dev, &(struct kfd_ioctl_gpreempt_args) {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .flags = GRANT,
		.process_default = { NONE, NONE, .grant = 3 },
	}));
	EXPECT_EQ(-EINVAL, gpreempt_set_share(dev, 0, WEIGHT, 0, 0, 0));
}

/* Of a cgroup that is gone nothing is left, whether anybody calls again or not. */
TEST_F_TIMEOUT(cgroup, many, 300)
{
	const unsigned int cgroups = gpu_model_rounds(10000);
	unsigned int i, s;
	char name[32], stat[128];

	for (i = 0; i < cgroups; i++) {
		snprintf(name, sizeof(name), "a/%u", i);
		ASSERT_EQ(0, mkdir(path_of(name, ""), 0755));
		ASSERT_EQ(0, set_ceiling(&self->dev, name, 3));
		/* 100 at a time */
		if (i < 100)
			continue;
		snprintf(name, sizeof(name), "a/%u", i - 100);
		ASSERT_EQ(0, rmdir(path_of(name, "")));
	}
	for (i = cgroups - 100; i < cgroups; i++) {
		snprintf(name, sizeof(name), "a/%u", i);
		EXPECT_EQ(0, rmdir(path_of(name, "")));
	}
	for (s = 0; s < 60; s++) {
		ASSERT_EQ(0, file_read(ROOT "/cgroup.stat", stat, sizeof(stat)));
		if (strstr(stat, "nr_dying_descendants 0"))
			break;
		sleep(1);
	}
	EXPECT_LT(s, 60);
}

#define JOBS		50
#define ROUNDS		7
#define JOB_US		300

/**
 * struct worker - a process that runs jobs, and says how long they took
 * @round:	written by the test: it is to run @JOBS of them, for the n-th time
 * @ended:	so many rounds are over
 * @median_ns:	of the last one
 * @line:	where it failed
 */
struct worker {
	volatile unsigned int round, ended;
	volatile __u64 median_ns;
	volatile int line;
};

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

#define WORKS(w, value) do {			\
	if (value) {				\
		(w)->line = __LINE__;		\
		return 1;			\
	}					\
} while (0)

static int works(struct worker *w)
{
	struct aql_queue q;
	struct high_job job;
	__u64 ns[JOBS];
	struct client c;
	unsigned int i;

	WORKS(w, client_open(&c));
	WORKS(w, aql_create(&q, &c.dev, 64, 3));
	WORKS(w, client_calibrate(&c, &q));
	WORKS(w, high_job_init(&c, &job, JOB_US));
	for (;;) {
		while (w->round == w->ended)
			usleep(1000);
		for (i = 0; i < JOBS; i++)
			WORKS(w, high_job_run(&c, &job, &q, CLIENT_TIMEOUT_MS, &ns[i]));
		qsort(ns, JOBS, sizeof(*ns), compare);
		w->median_ns = ns[JOBS / 2];
		w->ended++;
	}
}

/* What is set of other cgroups, and of its own, costs a running job nothing. */
TEST_F_TIMEOUT(cgroup, costs_nothing, 120)
{
	struct worker *w = client_shared_page();
	__u64 ns[2][ROUNDS];
	unsigned int i, sets = 0;
	bool costs = true;

	ASSERT_NE(NULL, w);
	self->child = client_fork();
	ASSERT_LE(0, self->child);
	if (!self->child)
		_exit(works(w));
	ASSERT_EQ(0, enter_cgroup("a", self->child));
	/* in turn, so that a slow spell is in both; rounds of one kind take one of two times */
	for (i = 0; i < 2 * ROUNDS; i++) {
		w->round++;
		while (w->ended != w->round && !w->line) {
			/* as many calls, which cost the caller's CPU as much, that set nothing */
			if (i % 2 == 0) {
				ASSERT_EQ(-EINVAL, set_ceiling(&self->dev, "d", 99));
				continue;
			}
			ASSERT_EQ(0, set_ceiling(&self->dev, "d", sets % 15));
			ASSERT_EQ(0, set_ceiling(&self->dev, "a", 14 + sets / 2 % 2));
			sets += 2;
		}
		ASSERT_EQ(0, w->line);
		ns[i % 2][i / 2] = w->median_ns;
	}
	for (i = 0; i < 2; i++)
		qsort(ns[i], ROUNDS, sizeof(ns[i][0]), compare);
	TH_LOG("a job takes %llu (%llu-%llu) us, %llu (%llu-%llu) while something is set %u times",
	       ns[0][ROUNDS / 2] / 1000, ns[0][0] / 1000, ns[0][ROUNDS - 1] / 1000,
	       ns[1][ROUNDS / 2] / 1000, ns[1][0] / 1000, ns[1][ROUNDS - 1] / 1000, sets);
	EXPECT_LT(gpu_model_figures() ? 4 * JOBS * ROUNDS : JOBS, sets);
	/* a cost would move each quartile, and rounds that come to take the other time not all */
	for (i = ROUNDS / 4; i < ROUNDS; i += ROUNDS / 4)
		costs &= ns[1][i] > gpu_model_limit(ns[0][i] * 102 / 100);
	EXPECT_FALSE(costs);
}

/* A walk to the root is 64 steps at most. */
TEST_F(cgroup, depth)
{
	char name[256] = "a";
	unsigned int depth;
	int ret = 0;

	/* "a" is one below the root */
	for (depth = 2; depth <= 66 && !ret; depth++) {
		strcat(name, "/n");
		ASSERT_EQ(0, mkdir(path_of(name, ""), 0755));
		ret = set_ceiling(&self->dev, name, 3);
		EXPECT_EQ(depth <= 64 ? 0 : -EINVAL, ret) TH_LOG("%u deep", depth);
	}
	EXPECT_EQ(66, depth);
	while (strrchr(name, '/')) {
		EXPECT_EQ(0, rmdir(path_of(name, "")));
		*strrchr(name, '/') = '\0';
	}
}

#define QUOTA	1024

/* Gives as many of its cgroups something as it may. */
static int fills_its_quota(struct shared *shared)
{
	struct kfd_dev dev;
	unsigned int i;
	char name[32];

	CHECK(0, kfd_open(&dev));
	for (i = 0; i <= QUOTA; i++) {
		snprintf(name, sizeof(name), "a/%u", i);
		CHECK(0, mkdir(path_of(name, ""), 0755));
		CHECK(i < QUOTA ? 0 : -EDQUOT, set_ceiling(&dev, name, 3));
	}
	/* what has something may have less, and its end makes room */
	CHECK(0, set_ceiling(&dev, "a/1", 2));
	CHECK(-EDQUOT, set_ceiling(&dev, name, 3));
	/* and so may what never had any */
	CHECK(0, set_ceiling(&dev, name, KFD_GPREEMPT_NONE));
	CHECK(0, rmdir(path_of("a/0", "")));
	CHECK(0, mkdir(path_of("a/0", ""), 0755));
	CHECK(0, set_ceiling(&dev, "a/0", 3));
	CHECK(-EDQUOT, set_ceiling(&dev, name, 3));
	kfd_close(&dev);
	return 0;
}

static int has_room(struct shared *shared)
{
	struct kfd_dev dev;
	char name[32];

	snprintf(name, sizeof(name), "a/%u", QUOTA);
	CHECK(0, kfd_open(&dev));
	CHECK(0, set_ceiling(&dev, name, 3));
	kfd_close(&dev);
	return 0;
}

static int has_its_own(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, set_ceiling(&dev, "d", 3));
	kfd_close(&dev);
	return 0;
}

/* What one user gives its cgroups leaves no less for another, nor for root. */
TEST_F_TIMEOUT(cgroup, quota, 300)
{
	char name[32];
	unsigned int i;

	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, fills_its_quota))
		TH_LOG("line %d", self->shared->line);
	EXPECT_EQ(0, in_child(self->shared, SOME_USER + 1, false, has_its_own))
		TH_LOG("line %d", self->shared->line);
	snprintf(name, sizeof(name), "a/%u", QUOTA);
	EXPECT_EQ(0, set_ceiling(&self->dev, name, 3));
	EXPECT_EQ(0, set_ceiling(&self->dev, name, NONE));
	/* one that has nothing any more makes room */
	EXPECT_EQ(0, set_ceiling(&self->dev, "a/2", NONE));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, has_room))
		TH_LOG("line %d", self->shared->line);
	for (i = 0; i <= QUOTA; i++) {
		snprintf(name, sizeof(name), "a/%u", i);
		EXPECT_EQ(0, rmdir(path_of(name, "")));
	}
}

TEST_HARNESS_MAIN
