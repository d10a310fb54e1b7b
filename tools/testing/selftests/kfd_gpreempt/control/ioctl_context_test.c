// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT in a process that has several contexts, as it may from Linux 7.3 on:
 * each numbers its queues for itself, and none reaches another's. Before that a second
 * /dev/kfd is the same process.
 */
#include <fcntl.h>
#include <sys/ioctl.h>

#include "ioctl_fixture.h"

#ifndef AMDKFD_IOC_CREATE_PROCESS
#define AMDKFD_IOC_CREATE_PROCESS	AMDKFD_IO(0x27)
#endif

/* What is asked of LOW through @dev, by its number and the process's, gets @ret. */
static void ask(struct __test_metadata *_metadata, struct kfd_dev *dev, __u32 pid, __u32 low,
		int ret)
{
	struct kfd_gpreempt_queue_info info;

	EXPECT_EQ(ret, gpreempt_get(dev, pid, low, &info));
	EXPECT_EQ(ret, gpreempt_preempt(dev, KFD_GPREEMPT_OP_RESUME, pid, low, 0, 0, 0));
	EXPECT_EQ(ret ?: 3, gpreempt_set_priority(dev, pid, low, 3));
	EXPECT_EQ(ret ?: 7, gpreempt_set_priority(dev, pid, low, 7));
}

/* LOW, in the context of that number, and how many queues the whole process has. */
static int get_in(struct kfd_dev *dev, __u32 id, __u32 low)
{
	struct kfd_gpreempt_queue_info info;
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .flags = KFD_GPREEMPT_CONTEXT,
		.context_id = id, .queue_id = low, .list = { (uintptr_t)&info, 1, sizeof(info) },
	};
	int ret = gpreempt_call(dev, &args);

	return ret ?: (int)info.context_id;
}

static int count(struct kfd_dev *dev, __u32 flags, __u32 id)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .flags = KFD_GPREEMPT_ALL | flags, .context_id = id,
		.list.entry_size = sizeof(struct kfd_gpreempt_queue_info),
	};
	int ret = gpreempt_call(dev, &args);

	return ret ?: (int)args.list.count;
}

/* The parent's, whom a number names: its primary context, which LOW is of. */
static int child(struct shared *shared)
{
	struct kfd_gpreempt_queue_info info;
	struct client c;

	CHECK(0, client_open(&c));
	CHECK(0, gpreempt_get(&c.dev, getppid(), shared->queue_id, &info));
	return 0;
}

TEST_F(ioctl, context)
{
	struct kfd_dev other = self->c.dev;
	bool contexts;
	int ret;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	other.fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	ASSERT_LT(0, other.fd);
	ask(_metadata, &other, 0, self->low.id, 0);

	contexts = !ioctl(other.fd, AMDKFD_IOC_CREATE_PROCESS);
	ASSERT_TRUE(contexts || errno == ENOTTY);
	ret = contexts ? -ENOENT : 0;
	ask(_metadata, &other, 0, self->low.id, ret);
	ask(_metadata, &other, getpid(), self->low.id, ret);
	ask(_metadata, &self->c.dev, 0, self->low.id, 0);
	ask(_metadata, &self->c.dev, getpid(), self->low.id, 0);
	/* but where it says which context it means, and where it means all */
	EXPECT_EQ(KFD_GPREEMPT_CONTEXT_PRIMARY,
		  get_in(&other, KFD_GPREEMPT_CONTEXT_PRIMARY, self->low.id));
	EXPECT_EQ(contexts ? -ENOENT : -ESRCH, get_in(&self->c.dev, 0, self->low.id));
	EXPECT_EQ(-ESRCH, get_in(&self->c.dev, 1, self->low.id));
	EXPECT_EQ(2, count(&self->c.dev, 0, 0));
	EXPECT_EQ(2, count(&other, 0, 0));
	EXPECT_EQ(2, count(&other, KFD_GPREEMPT_CONTEXT, KFD_GPREEMPT_CONTEXT_PRIMARY));
	EXPECT_EQ(contexts ? 0 : -ESRCH, count(&other, KFD_GPREEMPT_CONTEXT, 0));
	self->shared->queue_id = self->low.id;
	EXPECT_EQ(0, in_child(self->shared, 0, true, child));

	EXPECT_EQ(0, close(other.fd));
	ask(_metadata, &self->c.dev, getpid(), self->low.id, 0);
}

TEST_HARNESS_MAIN
