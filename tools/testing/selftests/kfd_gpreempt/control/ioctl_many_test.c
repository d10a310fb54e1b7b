// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT on more queues than one: all of a process, those at or below a level,
 * everybody's; and processes that are named by a pidfd.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>

#include "ioctl_fixture.h"

#define MANY	8	/* queues that a list here has room for */

static int pidfd_of(pid_t pid)
{
	return syscall(SYS_pidfd_open, pid, 0);
}

/* PREEMPT with HOLD, or RESUME, of what @flags choose, waiting for it; how many there were. */
static int ask(struct kfd_dev *dev, unsigned int op, __u32 flags, __u32 level, __u32 hold_ms)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = op, .flags = flags | KFD_GPREEMPT_WAIT, .level = level,
		.preempt = { CLIENT_TIMEOUT_MS, hold_ms },
	};
	int ret;

	if (op == KFD_GPREEMPT_OP_PREEMPT)
		args.flags |= KFD_GPREEMPT_HOLD;
	ret = gpreempt_call(dev, &args);
	return ret ?: (int)args.preempt.queues;
}

static int hold(struct kfd_dev *dev, __u32 flags, __u32 level)
{
	return ask(dev, KFD_GPREEMPT_OP_PREEMPT, flags, level, 60000);
}

static int resume(struct kfd_dev *dev, __u32 flags, __u32 level)
{
	return ask(dev, KFD_GPREEMPT_OP_RESUME, flags, level, 0);
}

static int list(struct kfd_dev *dev, __u32 flags, __u32 level, struct kfd_gpreempt_queue_info *info)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .flags = flags, .level = level,
		.list = { (uintptr_t)info, MANY, sizeof(*info) },
	};
	int ret = gpreempt_call(dev, &args);

	return ret ?: (int)args.list.count;
}

static bool held(struct aql_queue *q)
{
	return gpreempt_queue_state(q) == KFD_GPREEMPT_QUEUE_HELD;
}

/* As a third queue, one that nobody else's level matches. */
#define PRIORITY_MIDDLE	5

TEST_F(ioctl, all_of_a_process)
{
	struct kfd_gpreempt_queue_info info[MANY];
	struct kfd_dev *dev = &self->c.dev;
	struct aql_queue middle;
	long long transactions;

	ASSERT_EQ(0, aql_create(&middle, dev, 64, PRIORITY_MIDDLE));
	EXPECT_EQ(-ENODEV, hold(dev, KFD_GPREEMPT_ALL, 0));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	transactions = gpreempt_number("stats/transactions");
	EXPECT_EQ(3, hold(dev, KFD_GPREEMPT_ALL, 0));
	/* all at once */
	EXPECT_EQ(transactions + 1, gpreempt_number("stats/transactions"));
	EXPECT_TRUE(held(&self->low) && held(&middle) && held(&self->high));
	/* back they come level by level, the highest first */
	EXPECT_EQ(3, resume(dev, KFD_GPREEMPT_ALL, 0));
	EXPECT_FALSE(held(&self->low) || held(&middle) || held(&self->high));
	EXPECT_EQ(3, list(dev, KFD_GPREEMPT_ALL, 0, info));
	EXPECT_EQ(0, aql_destroy(&middle));
}

TEST_F(ioctl, of_a_node)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .flags = KFD_GPREEMPT_ALL,
		.hint = { 1000000, 1000000 },
	};
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	args.gpu_id = self->c.dev.gpu_id + 1;
	EXPECT_EQ(-ENOENT, gpreempt_call(&self->c.dev, &args));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(0, info.flags);
	args.gpu_id = self->c.dev.gpu_id;
	EXPECT_EQ(0, gpreempt_call(&self->c.dev, &args));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HINT, info.flags);
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HINT, info.flags);
}

/*
 * What HIP's user can name is the priority that it asked for: also without CAP_SYS_NICE, when
 * that is clamped. What is in the way is named by the level that it is served at.
 */
static int names_its_own(struct shared *shared)
{
	struct kfd_gpreempt_queue_info info[MANY];
	struct aql_queue low, high;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&low, &dev, 64, 0));
	CHECK(0, aql_create(&high, &dev, 64, 11));
	CHECK(7, gpreempt_permitted(&high));
	CHECK(1, list(&dev, KFD_GPREEMPT_AT_LEAST, 8, info));
	CHECK(high.id, info[0].queue_id);
	CHECK(2, list(&dev, KFD_GPREEMPT_AT_LEAST, 0, info));
	CHECK(0, list(&dev, KFD_GPREEMPT_AT_LEAST, 12, info));
	CHECK(2, list(&dev, KFD_GPREEMPT_BELOW, 8, info));
	CHECK(1, list(&dev, KFD_GPREEMPT_BELOW, 7, info));
	CHECK(low.id, info[0].queue_id);
	CHECK(0, list(&dev, KFD_GPREEMPT_BELOW, 0, info));
	CHECK(1, hold(&dev, KFD_GPREEMPT_AT_LEAST, 8));
	CHECK(true, held(&high));
	CHECK(false, held(&low));
	CHECK(1, resume(&dev, KFD_GPREEMPT_AT_LEAST, 11));
	CHECK(-ENOENT, resume(&dev, KFD_GPREEMPT_BELOW, 0));
	CHECK(0, aql_destroy(&low));
	CHECK(0, aql_destroy(&high));
	kfd_close(&dev);
	return 0;
}

TEST_F(ioctl, by_level)
{
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, names_its_own))
		TH_LOG("line %d", self->shared->line);
}

/* All below a level, whoever they belong to, off in one transaction; and nobody else. */
TEST_F_TIMEOUT(ioctl, everybody_below, 120)
{
	struct kfd_gpreempt_queue_info info[MANY];
	struct kfd_dev *dev = &self->c.dev;
	long long transactions, preemptions;
	int i, n, others = 0;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	transactions = gpreempt_number("stats/transactions");
	preemptions = gpreempt_number("stats/preemptions");
	EXPECT_EQ(2, hold(dev, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_BELOW, 4));
	EXPECT_EQ(transactions + 1, gpreempt_number("stats/transactions"));
	EXPECT_EQ(preemptions + 2, gpreempt_number("stats/preemptions"));
	EXPECT_TRUE(held(&self->low));
	EXPECT_FALSE(held(&self->high));
	n = list(dev, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_ALL, 0, info);
	EXPECT_EQ(3, n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(KFD_GPREEMPT_CONTEXT_PRIMARY, info[i].context_id);
		if (info[i].pid == getpid())
			continue;
		EXPECT_EQ(self->child, info[i].pid);
		EXPECT_EQ(self->shared->queue_id, info[i].queue_id);
		EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, info[i].state);
		others++;
	}
	EXPECT_EQ(1, others);
	EXPECT_EQ(2, resume(dev, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_BELOW, 4));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	low_job_free(&self->c, &self->job);
}

/* Without CAP_SYS_NICE everybody is who belongs to the user; another's is as if not there. */
static int has_nobody(struct shared *shared)
{
	struct kfd_gpreempt_queue_info info[MANY];
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-ENOENT, hold(&dev, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_BELOW, 15));
	CHECK(0, list(&dev, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_ALL, 0, info));
	kfd_close(&dev);
	return 0;
}

/* Its user's may be held for a time, and only its own for ever. */
static int has_a_friend(struct shared *shared)
{
	const __u32 below = KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_BELOW;
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_PREEMPT, .flags = below | KFD_GPREEMPT_HOLD, .level = 15,
	};
	struct aql_queue q;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, gpreempt_call(&dev, &args));
	CHECK(0, args.preempt.queues);
	CHECK(1, args.preempt.refused);
	CHECK(1, hold(&dev, below, 15));
	CHECK(1, resume(&dev, below, 15));
	CHECK(0, aql_create(&q, &dev, 64, 0));
	args.flags |= KFD_GPREEMPT_WAIT;
	args.preempt = (struct kfd_gpreempt_preempt){ .wait_ms = CLIENT_TIMEOUT_MS };
	CHECK(0, gpreempt_call(&dev, &args));
	CHECK(1, args.preempt.queues);
	CHECK(1, args.preempt.refused);
	CHECK(true, held(&q));
	CHECK(2, resume(&dev, below, 15));
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

TEST_F(ioctl, everybody_is_ones_own)
{
	struct shared *shared = self->shared;
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, false, has_nobody))
		TH_LOG("line %d", shared->line);
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(0, info.preemptions);
	EXPECT_EQ(0, in_child(shared, SOME_USER, false, has_a_friend))
		TH_LOG("line %d", shared->line);
	EXPECT_FALSE(held(&self->low));
	/* an operator's hold stands in the way of that alone which it holds */
	ASSERT_EQ(0, gpreempt_preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid,
				      shared->queue_id, KFD_GPREEMPT_HOLD, 0, 0));
}

/* As root's, but what has no number in the caller's pid namespace cannot be named. */
TEST_F(ioctl, everybody_of_a_namespace)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, unshare(CLONE_NEWPID));
	pid = client_fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(has_nobody(self->shared));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status)) TH_LOG("line %d", self->shared->line);
	EXPECT_FALSE(held(&self->low));
}

/* A process's all, by somebody who may not: neither held nor counted. */
static int may_not(struct shared *shared)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_PREEMPT, .flags = KFD_GPREEMPT_ALL, .pid = shared->pid,
	};
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, gpreempt_call(&dev, &args));
	args.flags |= KFD_GPREEMPT_PIDFD;
	args.pid = 0;
	args.pidfd = pidfd_of(shared->pid);
	CHECK(-EPERM, gpreempt_call(&dev, &args));
	kfd_close(&dev);
	return 0;
}

TEST_F(ioctl, all_of_a_stranger)
{
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(self->shared, SOME_USER + 1, false, may_not))
		TH_LOG("line %d", self->shared->line);
}

/* Each operation on a process that is named by its pidfd; and what is no pidfd. */
TEST_F(ioctl, pidfd)
{
	struct kfd_dev *dev = &self->c.dev;
	int fd, null, done, status;
	unsigned int op;
	pid_t pid;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	fd = pidfd_of(self->child);
	ASSERT_LE(0, fd);
	null = open("/dev/null", O_RDONLY);
	ASSERT_LE(0, null);
	pid = client_fork();
	if (!pid)
		_exit(0);
	done = pidfd_of(pid);
	ASSERT_LE(0, done);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	for (op = 1; op <= LAST_OP; op++) {
		struct kfd_ioctl_gpreempt_args args = op_request(dev, op, self->shared->queue_id);

		args.flags |= KFD_GPREEMPT_PIDFD;
		args.pidfd = fd;
		EXPECT_EQ(op_uses[op].pid ? 0 : -EINVAL, gpreempt_call(dev, &args))
			TH_LOG("operation %u", op);
		if (!op_uses[op].pid)
			continue;
		args = op_request(dev, op, self->shared->queue_id);
		args.flags |= KFD_GPREEMPT_PIDFD;
		args.pidfd = done;
		EXPECT_EQ(-ESRCH, gpreempt_call(dev, &args)) TH_LOG("operation %u", op);
		args.pidfd = null;
		EXPECT_EQ(-EBADF, gpreempt_call(dev, &args)) TH_LOG("operation %u", op);
		args.pidfd = -1;
		EXPECT_EQ(-EBADF, gpreempt_call(dev, &args)) TH_LOG("operation %u", op);
	}
	close(fd);
	close(null);
	close(done);
}

/* One's own, by a pidfd, is one's own: held without a time. */
TEST_F(ioctl, pidfd_of_oneself)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_PREEMPT, .queue_id = self->low.id,
		.flags = KFD_GPREEMPT_PIDFD | KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT,
		.preempt.wait_ms = CLIENT_TIMEOUT_MS,
	};

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	args.pidfd = pidfd_of(getpid());
	EXPECT_EQ(0, gpreempt_call(&self->c.dev, &args));
	EXPECT_EQ(1, args.preempt.queues);
	EXPECT_TRUE(held(&self->low));
	close(args.pidfd);
	/* and the same again, with what the kernel has written there */
	args.pidfd = pidfd_of(getpid());
	args.preempt.wait_ms = CLIENT_TIMEOUT_MS;
	EXPECT_EQ(0, gpreempt_call(&self->c.dev, &args));
	close(args.pidfd);
	EXPECT_EQ(0, gpreempt_resume(&self->low));
}

/* A program that knows version 1 alone: its entries are as long as they were. */
TEST_F(ioctl, list_of_version_1)
{
	struct {
		__u8 known[KFD_GPREEMPT_QUEUE_INFO_SIZE_1];
		__u8 own[8];
	} entry[2];
	struct kfd_gpreempt_queue_info info[MANY];
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .flags = KFD_GPREEMPT_ALL,
		.list = { (uintptr_t)entry, 2, sizeof(entry[0].known) },
	};
	unsigned int i;

	ASSERT_EQ(2, list(&self->c.dev, KFD_GPREEMPT_ALL, 0, info));
	memset(entry, 0xa5, sizeof(entry));
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	EXPECT_EQ(2, args.list.count);
	EXPECT_EQ(sizeof(info[0]), args.list.entry_size);
	/* one beside the other, and nothing behind them */
	EXPECT_EQ(0, memcmp(entry, &info[0], KFD_GPREEMPT_QUEUE_INFO_SIZE_1));
	EXPECT_EQ(0, memcmp((__u8 *)entry + KFD_GPREEMPT_QUEUE_INFO_SIZE_1, &info[1],
			    KFD_GPREEMPT_QUEUE_INFO_SIZE_1));
	for (i = 2 * KFD_GPREEMPT_QUEUE_INFO_SIZE_1; i < sizeof(entry); i++)
		EXPECT_EQ(0xa5, ((__u8 *)entry)[i]);
}

/* What a scheduler in user space needs: work that waits, waves that run, what a save costs. */
TEST_F_TIMEOUT(ioctl, list_says_what_there_is, 120)
{
	struct kfd_gpreempt_queue_info info[MANY], *low, *high;
	__u64 begin = kfd_now(), before;
	struct until_job more[2];
	unsigned int i;

	ASSERT_EQ(2, list(&self->c.dev, KFD_GPREEMPT_ALL, 0, info));
	EXPECT_EQ(0, info[0].seen_ns);
	EXPECT_EQ(0, info[0].save_ns);
	ASSERT_EQ(0, start_contention(&self->c, &self->low, &self->high, &self->job,
				      &self->until));
	ASSERT_EQ(0, gpreempt_wait_scans(3, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(2, list(&self->c.dev, KFD_GPREEMPT_ALL, 0, info));
	low = &info[info[0].queue_id == self->low.id ? 0 : 1];
	high = &info[low == info];
	EXPECT_EQ(self->low.id, low->queue_id);
	EXPECT_EQ(getpid(), low->pid);
	EXPECT_LT(begin, low->seen_ns);
	EXPECT_GT(kfd_now(), low->seen_ns);
	/* saved in mid-loop: some time, and no more than a preemption may take */
	EXPECT_LT(10000, low->save_ns);
	EXPECT_GT(100 * 1000000ULL, low->save_ns);
	/* HIGH holds the machine and was never taken off */
	EXPECT_EQ(0, high->save_ns);
	/* the packet of what runs, where the read index moves when that has ended */
	before = high->backlog;
	EXPECT_GE(1, before);
	/* two more, of which the first waits for the one that runs */
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		ASSERT_EQ(0, until_job_init(&self->c, &more[i]));
		until_job_start(&self->c, &more[i], &self->high);
		until_job_stop(&more[i]);
	}
	ASSERT_EQ(0, gpreempt_wait_scans(3, CLIENT_TIMEOUT_MS));
	ASSERT_EQ(2, list(&self->c.dev, KFD_GPREEMPT_ALL, 0, info));
	EXPECT_LE(before + 1, high->backlog);
	EXPECT_GE(before + 2, high->backlog);
	EXPECT_EQ(0, end_contention(&self->c, &self->job, &self->until));
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		EXPECT_EQ(0, until_job_wait(&self->c, &more[i], CLIENT_TIMEOUT_MS));
		until_job_free(&self->c, &more[i]);
	}
}

TEST_HARNESS_MAIN
