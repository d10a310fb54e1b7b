// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: what may be done to the queues of another process. That
 * a stranger may do nothing, ioctl_op_test shows for each operation.
 */
#include <sched.h>

#include "ioctl_fixture.h"

/* Every operation on the owner's queue, by somebody who may. */
static int friend(struct shared *shared)
{
	struct kfd_dev dev;
	unsigned int op;

	CHECK(0, kfd_open(&dev));
	for (op = 1; op <= LAST_OP; op++) {
		struct kfd_ioctl_gpreempt_args args = op_request(&dev, op, shared->queue_id);

		if (!op_uses[op].pid)
			continue;
		if (op == KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT)
			args.process_default.ceiling = KFD_GPREEMPT_NONE;
		args.pid = shared->pid;
		CHECK(0, gpreempt_call(&dev, &args));
	}
	CHECK(4, gpreempt_set_priority(&dev, shared->pid, shared->queue_id, 4));
	kfd_close(&dev);
	return 0;
}

/* A hold on another's queue: for a time, or with CAP_SYS_NICE. */
static int hold_for_a_time(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid,
				       shared->queue_id, KFD_GPREEMPT_HOLD, 0, 0));
	CHECK(0, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				  KFD_GPREEMPT_HOLD, 0, 10000));
	CHECK(0, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_RESUME, shared->pid, shared->queue_id,
				  0, 0, 0));
	kfd_close(&dev);
	return 0;
}

static int hold_for_ever(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				  KFD_GPREEMPT_HOLD, 0, 0));
	kfd_close(&dev);
	return 0;
}

static int cannot_end_hold(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_RESUME, shared->pid,
				       shared->queue_id, 0, 0, 0));
	CHECK(-EPERM, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid,
				       shared->queue_id, KFD_GPREEMPT_HOLD, 0, 1));
	kfd_close(&dev);
	return 0;
}

static int ends_hold(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_RESUME, shared->pid, shared->queue_id,
				  0, 0, 0));
	kfd_close(&dev);
	return 0;
}

/* Who might attach as a debugger, and who has CAP_SYS_NICE. */
TEST_F(ioctl, friends)
{
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(self->shared, SOME_USER + 1, true, friend));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, friend));
	EXPECT_EQ(0, in_child(self->shared, 0, false, friend));
}

/* Whoever has CAP_SYS_NICE holds, and only such a one lets go. */
TEST_F(ioctl, holds)
{
	struct shared *shared = self->shared;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(shared, SOME_USER, false, hold_for_a_time));
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, true, hold_for_ever));
	EXPECT_EQ(0, in_child(shared, SOME_USER, false, cannot_end_hold));
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, true, ends_hold));
}

/* All capabilities in a user namespace of one's own are none here. */
static int stranger_in_namespace(struct shared *shared)
{
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev dev;

	CHECK(0, unshare(CLONE_NEWUSER) ? -errno : 0);
	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, gpreempt_get(&dev, shared->pid, shared->queue_id, &info));
	CHECK(-EPERM, gpreempt_set_priority(&dev, shared->pid, shared->queue_id, 0));
	kfd_close(&dev);
	return 0;
}

TEST_F(ioctl, user_namespace)
{
	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(self->shared, SOME_USER + 1, false, stranger_in_namespace));
}

/* The first process of a pid namespace, and root: outside it has another number. */
static int first_of_namespace(struct shared *shared)
{
	struct kfd_gpreempt_queue_info info;
	struct aql_queue q;
	struct kfd_dev dev;

	CHECK(1, getpid());
	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 2));
	CHECK(0, gpreempt_get(&dev, 0, q.id, &info));
	CHECK(0, gpreempt_get(&dev, 1, q.id, &info));
	CHECK(2, info.priority);
	/* the owner's number, outside, is nobody's here */
	CHECK(-ESRCH, gpreempt_get(&dev, shared->pid, shared->queue_id, &info));
	CHECK(-ESRCH, gpreempt_set_default(&dev, shared->pid, 0, 0));
	shared->queue_id = q.id;
	shared->ready = 2;
	while (shared->ready == 2)
		usleep(1000);
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

TEST_F(ioctl, pid_namespace)
{
	struct shared *shared = self->shared;
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;
	unsigned int ms;
	pid_t pid;
	int status;

	self->child = start_owner(shared, 0);
	ASSERT_LT(0, self->child);
	ASSERT_EQ(0, unshare(CLONE_NEWPID));
	pid = client_fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(first_of_namespace(shared));
	for (ms = 0; shared->ready != 2 && ms < CLIENT_TIMEOUT_MS; ms++) {
		ASSERT_EQ(0, waitpid(pid, &status, WNOHANG)) TH_LOG("line %d", shared->line);
		usleep(1000);
	}
	ASSERT_EQ(2, shared->ready);
	/* from here it is found by the number that it has here */
	EXPECT_EQ(0, gpreempt_get(dev, pid, shared->queue_id, &info));
	EXPECT_EQ(2, info.priority);
	shared->ready = 3;
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status)) TH_LOG("line %d", shared->line);
}

TEST_HARNESS_MAIN
