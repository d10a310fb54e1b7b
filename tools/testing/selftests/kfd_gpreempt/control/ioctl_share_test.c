// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: a process's share of the time, who may set which, and what its
 * descendants have of it. What comes of it is policy_test's.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>

#include "file.h"
#include "ioctl_fixture.h"

#define WEIGHT	KFD_GPREEMPT_SET_WEIGHT
#define MIN	KFD_GPREEMPT_SET_MIN
#define CAP	KFD_GPREEMPT_SET_CAP
#define ALL	(WEIGHT | MIN | CAP)

/* What is not named stays, in whatever order it comes. */
TEST_F(ioctl, kept)
{
	struct kfd_dev *dev = &self->c.dev;
	__u32 id = self->low.id;
	pid_t pid = getpid();

	EXPECT_EQ(SHARE_IS(100, 0, 0), gpreempt_share(pid, id));
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, WEIGHT, 300, 0, 0));
	EXPECT_EQ(SHARE_IS(300, 0, 0), gpreempt_share(pid, id));
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, CAP, 0, 0, 60));
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, MIN, 0, 20, 0));
	EXPECT_EQ(SHARE_IS(300, 20, 60), gpreempt_share(pid, id));
	/* a program that knows of no shares */
	EXPECT_EQ(0, gpreempt_set_default(dev, 0, 5, 6));
	EXPECT_EQ(SHARE_IS(300, 20, 60), gpreempt_share(pid, id));
	EXPECT_EQ(5, gpreempt_permitted(&self->low));
	/* one that makes no sense with what is there changes nothing */
	EXPECT_EQ(-EINVAL, gpreempt_set_share(dev, 0, MIN, 0, 61, 0));
	EXPECT_EQ(-EINVAL, gpreempt_set_share(dev, 0, WEIGHT | CAP, 400, 0, 19));
	EXPECT_EQ(SHARE_IS(300, 20, 60), gpreempt_share(pid, id));
	EXPECT_EQ(5, gpreempt_permitted(&self->low));
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, ALL, 100, 0, 0));
	EXPECT_EQ(SHARE_IS(100, 0, 0), gpreempt_share(pid, self->high.id));
}

/* Minima are of all processes together, and end with them. */
TEST_F(ioctl, no_more_than_all)
{
	struct kfd_dev *dev = &self->c.dev;
	struct shared *shared = self->shared;
	int status;

	self->child = start_owner(shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, gpreempt_set_share(dev, shared->pid, MIN, 0, 70, 0));
	EXPECT_EQ(-ENOSPC, gpreempt_set_share(dev, 0, MIN, 0, 31, 0));
	EXPECT_EQ(SHARE_IS(100, 0, 0), gpreempt_share(getpid(), self->low.id));
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, MIN, 0, 30, 0));
	/* its own is not counted twice */
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, MIN | CAP, 0, 29, 50));
	EXPECT_EQ(-ENOSPC, gpreempt_set_share(dev, shared->pid, MIN, 0, 72, 0));
	/* a cap limits a descendant's minimum, too */
	EXPECT_EQ(SHARE_IS(100, 50, 50), gpreempt_share(shared->pid, shared->queue_id));
	shared->stop = 1;
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, MIN | CAP, 0, 100, 0));
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, ALL, 100, 0, 0));
}

/* A descendant has the weight, and a cap of its own of that height; no minimum. */
TEST_F(ioctl, of_descendants)
{
	struct kfd_dev *dev = &self->c.dev;
	struct shared *shared = self->shared;

	ASSERT_EQ(0, gpreempt_set_share(dev, 0, ALL, 300, 20, 60));
	self->child = start_owner(shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(SHARE_IS(300, 0, 60), gpreempt_share(shared->pid, shared->queue_id));
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, CAP, 0, 0, 40));
	EXPECT_EQ(SHARE_IS(300, 0, 40), gpreempt_share(shared->pid, shared->queue_id));
	EXPECT_EQ(0, gpreempt_set_share(dev, shared->pid, ALL, 500, 10, 90));
	EXPECT_EQ(SHARE_IS(500, 10, 40), gpreempt_share(shared->pid, shared->queue_id));
	EXPECT_EQ(SHARE_IS(300, 20, 40), gpreempt_share(getpid(), self->low.id));
	EXPECT_EQ(0, gpreempt_set_share(dev, 0, ALL, 100, 0, 0));
	EXPECT_EQ(SHARE_IS(500, 10, 90), gpreempt_share(shared->pid, shared->queue_id));
}

/* Anybody takes less, nobody more. */
static int modest(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, gpreempt_set_share(&dev, 0, WEIGHT, 101, 0, 0));
	CHECK(-EPERM, gpreempt_set_share(&dev, 0, MIN, 0, 1, 0));
	CHECK(0, gpreempt_set_share(&dev, 0, WEIGHT | CAP, 50, 0, 50));
	CHECK(-EPERM, gpreempt_set_share(&dev, 0, WEIGHT, 51, 0, 0));
	CHECK(-EPERM, gpreempt_set_share(&dev, 0, CAP, 0, 0, 51));
	CHECK(-EPERM, gpreempt_set_share(&dev, 0, CAP, 0, 0, 0));
	CHECK(0, gpreempt_set_share(&dev, 0, WEIGHT | CAP, 40, 0, 40));
	/* another one's of the same user, as well; a stranger's not */
	CHECK(0, gpreempt_set_share(&dev, shared->pid, WEIGHT, 10, 0, 0));
	CHECK(-EPERM, gpreempt_set_share(&dev, shared->pid, WEIGHT, 11, 0, 0));
	CHECK(-EPERM, gpreempt_set_share(&dev, getppid(), WEIGHT, 10, 0, 0));
	kfd_close(&dev);
	return 0;
}

static int own_share(__u32 flags, __u32 weight, __u32 cap_percent)
{
	struct kfd_dev dev = { .fd = open("/dev/kfd", O_RDWR | O_CLOEXEC) };
	int ret;

	if (dev.fd < 0)
		return -errno;
	ret = gpreempt_set_share(&dev, 0, flags, weight, 0, cap_percent);
	close(dev.fd);
	return ret;
}

/* Nor by a child, which has its parent's. */
static int by_a_child(struct shared *shared)
{
	pid_t pid;
	int status;

	CHECK(0, own_share(WEIGHT | CAP, 10, 10));
	pid = client_fork();
	if (!pid) {
		CHECK(-EPERM, own_share(WEIGHT | CAP, 11, 10));
		CHECK(-EPERM, own_share(WEIGHT | CAP, 10, 11));
		/* one alone: the other stays what it is */
		CHECK(0, own_share(WEIGHT, 9, 0));
		CHECK(0, own_share(CAP, 0, 9));
		CHECK(0, own_share(WEIGHT | CAP, 8, 8));
		_exit(0);
	}
	CHECK(pid, waitpid(pid, &status, 0));
	CHECK(0, status);
	return 0;
}

/* What the last process of by_an_orphan() has at the end, whatever it asks for. */
static long long orphan_share(pid_t parent, int ready)
{
	struct kfd_dev dev;
	struct aql_queue q;
	long long share;

	if (kfd_open(&dev) || aql_create(&q, &dev, 64, 7) || write(ready, "", 1) != 1)
		return -EIO;
	while (getppid() == parent)
		usleep(1000);
	if (gpreempt_set_share(&dev, 0, CAP, 0, 0, 100) ||
	    gpreempt_set_default(&dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE))
		return -EPERM;
	share = gpreempt_share(getpid(), q.id);
	aql_destroy(&q);
	kfd_close(&dev);
	return share;
}

/* Nor when the ancestor is gone that it came from. */
static int by_an_orphan(struct shared *shared)
{
	long long share = 0;
	int ready[2], told[2];
	pid_t pid, parent;
	char byte;

	CHECK(0, pipe(ready));
	CHECK(0, pipe(told));
	pid = fork();
	if (!pid) {
		CHECK(0, own_share(WEIGHT | CAP, 10, 10));
		parent = getpid();
		if (!fork()) {
			share = orphan_share(parent, ready[1]);
			_exit(write(told[1], &share, sizeof(share)) != sizeof(share));
		}
		_exit(read(ready[0], &byte, 1) != 1);
	}
	CHECK(pid, waitpid(pid, NULL, 0));
	close(told[1]);
	CHECK((int)sizeof(share), (int)read(told[0], &share, sizeof(share)));
	CHECK(0, SHARE_IS(10, 0, 10) != share);
	return 0;
}

TEST_F(ioctl, more_needs_nice)
{
	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, modest));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, by_a_child));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, by_an_orphan));
	EXPECT_EQ(SHARE_IS(10, 0, 0), gpreempt_share(self->shared->pid, self->shared->queue_id));
}

TEST_HARNESS_MAIN
