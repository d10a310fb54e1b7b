// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: the priority and the turn that a queue may have, by
 * itself, by its process, and by who asks.
 */
#include <sched.h>

#include "ioctl_fixture.h"

/* SET_PRIORITY counts until it is taken back, whatever UPDATE_QUEUE says. */
TEST_F(ioctl, set_priority)
{
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;

	EXPECT_EQ(9, gpreempt_set_priority(dev, 0, self->low.id, 9));
	ASSERT_EQ(0, aql_update(&self->low, 100, 2));
	ASSERT_EQ(0, gpreempt_get(dev, 0, self->low.id, &info));
	EXPECT_EQ(2, info.priority);
	EXPECT_EQ(9, info.permitted);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_PRIORITY, info.flags);
	EXPECT_EQ(0, gpreempt_set_priority(dev, 0, self->low.id, 0));
	EXPECT_EQ(2, gpreempt_set_priority(dev, 0, self->low.id, KFD_GPREEMPT_NONE));
	ASSERT_EQ(0, gpreempt_get(dev, 0, self->low.id, &info));
	EXPECT_EQ(0, info.flags);
	/* another queue was not meant */
	EXPECT_EQ(PRIORITY_HIGH, gpreempt_permitted(&self->high));
}

TEST_F(ioctl, set_timeslice)
{
	const __u32 us[] = { KFD_GPREEMPT_TIMESLICE_US_MIN, 20000,
			     KFD_GPREEMPT_TIMESLICE_US_MAX };
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(us); i++) {
		EXPECT_EQ(0, gpreempt_set_timeslice(dev, self->low.id, us[i]));
		ASSERT_EQ(0, gpreempt_get(dev, 0, self->low.id, &info));
		EXPECT_EQ(us[i], info.timeslice_us);
	}
	EXPECT_EQ(0, gpreempt_set_timeslice(dev, self->low.id, 0));
	/* its level's, whatever level that is */
	ASSERT_EQ(0, gpreempt_set("level0/timeslice_us", 2000));
	ASSERT_EQ(0, gpreempt_set("level4/timeslice_us", 4000));
	EXPECT_EQ(2000, gpreempt_timeslice(dev, 0, self->low.id));
	EXPECT_EQ(4, gpreempt_set_priority(dev, 0, self->low.id, 4));
	EXPECT_EQ(4000, gpreempt_timeslice(dev, 0, self->low.id));
}

/* What a process's queues have that have no timeslice of their own. */
TEST_F(ioctl, default_timeslice)
{
	__u32 us = gpreempt_number("level0/timeslice_us") + 5000;
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;

	EXPECT_EQ(0, gpreempt_set_default_timeslice(dev, 0, us));
	EXPECT_EQ(us, gpreempt_timeslice(dev, 0, self->low.id));
	EXPECT_EQ(us, gpreempt_timeslice(dev, 0, self->high.id));
	/* it is no priority */
	ASSERT_EQ(0, gpreempt_get(dev, 0, self->high.id, &info));
	EXPECT_EQ(PRIORITY_HIGH, info.permitted);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(0, gpreempt_set_timeslice(dev, self->low.id, 2000));
	EXPECT_EQ(2000, gpreempt_timeslice(dev, 0, self->low.id));
	EXPECT_EQ(us, gpreempt_timeslice(dev, 0, self->high.id));
	EXPECT_EQ(0, gpreempt_set_timeslice(dev, self->low.id, 0));
	EXPECT_EQ(us, gpreempt_timeslice(dev, 0, self->low.id));
	EXPECT_EQ(0, gpreempt_set_default_timeslice(dev, 0, 0));
	EXPECT_EQ(us - 5000, gpreempt_timeslice(dev, 0, self->low.id));
}

/* What anybody may do to a queue of its own, and the cap on it. */
static int own_queue(struct shared *shared)
{
	__u32 level = gpreempt_number("level7/timeslice_us");
	struct aql_queue q;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 15));
	CHECK(7, gpreempt_permitted(&q));
	CHECK(7, gpreempt_set_priority(&dev, 0, q.id, 15));
	CHECK(3, gpreempt_set_priority(&dev, 0, q.id, 3));
	CHECK(7, gpreempt_set_priority(&dev, 0, q.id, 7));
	CHECK(7, gpreempt_set_priority(&dev, 0, q.id, KFD_GPREEMPT_NONE));
	CHECK(0, aql_update(&q, 100, 5));
	CHECK(5, gpreempt_permitted(&q));
	CHECK(0, aql_update(&q, 100, 8));
	CHECK(7, gpreempt_permitted(&q));
	CHECK(0, gpreempt_set_timeslice(&dev, q.id, level));
	CHECK(-EPERM, gpreempt_set_timeslice(&dev, q.id, level + 1));
	CHECK(0, gpreempt_set_timeslice(&dev, q.id, 0));
	CHECK(0, gpreempt_set_default_timeslice(&dev, 0, level + 1));
	CHECK(level, gpreempt_timeslice(&dev, 0, q.id));
	CHECK(0, gpreempt_set_default_timeslice(&dev, 0, level - 1));
	CHECK(level - 1, gpreempt_timeslice(&dev, 0, q.id));
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

/* The same with CAP_SYS_NICE and no other privilege. */
static int own_queue_nice(struct shared *shared)
{
	struct aql_queue q;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 15));
	CHECK(15, gpreempt_permitted(&q));
	CHECK(0, aql_update(&q, 100, 12));
	CHECK(12, gpreempt_permitted(&q));
	CHECK(9, gpreempt_set_priority(&dev, 0, q.id, 9));
	CHECK(0, gpreempt_set_timeslice(&dev, q.id, KFD_GPREEMPT_TIMESLICE_US_MAX));
	CHECK(0, gpreempt_set_timeslice(&dev, q.id, 0));
	CHECK(0, gpreempt_set_default_timeslice(&dev, 0, KFD_GPREEMPT_TIMESLICE_US_MAX));
	CHECK(KFD_GPREEMPT_TIMESLICE_US_MAX, gpreempt_timeslice(&dev, 0, q.id));
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

/* All capabilities, in a user namespace that anybody may make. */
static int own_queue_in_namespace(struct shared *shared)
{
	CHECK(0, unshare(CLONE_NEWUSER) ? -errno : 0);
	return own_queue(shared);
}

TEST_F(ioctl, cap_clamps)
{
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, own_queue));
}

TEST_F(ioctl, cap_clamps_not_who_may)
{
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, true, own_queue_nice));
}

TEST_F(ioctl, cap_clamps_root_of_a_namespace)
{
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, own_queue_in_namespace));
}

/*
 * Takes the turn of a level that has the longest, and goes back to its own. @clamped: to
 * what that level allows.
 */
static int turn_of_another_level(struct shared *shared, bool clamped)
{
	struct aql_queue q;
	struct kfd_dev dev;
	__u32 us;

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 7));
	CHECK(0, gpreempt_set_priority(&dev, 0, q.id, 0));
	CHECK(0, gpreempt_set_timeslice(&dev, q.id, KFD_GPREEMPT_TIMESLICE_US_MAX));
	CHECK(KFD_GPREEMPT_TIMESLICE_US_MAX, gpreempt_timeslice(&dev, 0, q.id));
	CHECK(7, gpreempt_set_priority(&dev, 0, q.id, KFD_GPREEMPT_NONE));
	us = clamped ? gpreempt_number("level7/timeslice_us") : KFD_GPREEMPT_TIMESLICE_US_MAX;
	CHECK(us, gpreempt_timeslice(&dev, 0, q.id));
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

static int keeps_no_turn(struct shared *shared)
{
	return turn_of_another_level(shared, true);
}

static int keeps_turn(struct shared *shared)
{
	return turn_of_another_level(shared, false);
}

TEST_F(ioctl, timeslice_is_clamped_on_use)
{
	ASSERT_EQ(0, gpreempt_set("level0/timeslice_us", KFD_GPREEMPT_TIMESLICE_US_MAX));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, keeps_no_turn));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, true, keeps_turn));
}

/* One queue of a process that opens the GPU now; what priority 7 comes to. */
static int open_queue(struct kfd_dev *dev, struct aql_queue *q)
{
	if (kfd_open(dev) || aql_create(q, dev, 64, 7))
		return -1;
	return gpreempt_permitted(q);
}

/* The child of one that has priority 3, ceiling 5, 20 ms: it can step back farther. */
static int grandchild(struct shared *shared)
{
	struct aql_queue q, q2;
	struct kfd_dev dev;
	int status;
	pid_t pid;

	CHECK(3, open_queue(&dev, &q));
	CHECK(20000, gpreempt_timeslice(&dev, 0, q.id));
	CHECK(0, gpreempt_set_default(&dev, 0, 2, KFD_GPREEMPT_NONE));
	CHECK(2, gpreempt_permitted(&q));
	CHECK(20000, gpreempt_timeslice(&dev, 0, q.id));
	/* the ancestor's ceiling holds for what is set nearer, too */
	CHECK(0, gpreempt_set_default(&dev, 0, 7, 9));
	CHECK(5, gpreempt_permitted(&q));
	CHECK(5, gpreempt_set_priority(&dev, 0, q.id, 7));
	CHECK(5, gpreempt_set_priority(&dev, 0, q.id, KFD_GPREEMPT_NONE));
	pid = client_fork();
	if (!pid)
		_exit(open_queue(&dev, &q2));
	CHECK(pid, waitpid(pid, &status, 0));
	CHECK(5, WEXITSTATUS(status));
	/* one's own ceiling can be lowered, not raised */
	CHECK(0, gpreempt_set_default(&dev, 0, 7, 1));
	CHECK(1, gpreempt_permitted(&q));
	CHECK(-EPERM, gpreempt_set_default(&dev, 0, 7, 2));
	CHECK(-EPERM, gpreempt_set_default(&dev, 0, 7, KFD_GPREEMPT_NONE));
	CHECK(1, gpreempt_permitted(&q));
	return 0;
}

/* In a child that has been given priority 3, ceiling 5, 20 ms, and has no GPU yet. */
static int heir(struct shared *shared)
{
	struct aql_queue q;
	struct kfd_dev dev;
	int status;
	pid_t pid;

	shared->ready = 1;
	while (!shared->stop)
		usleep(1000);
	pid = client_fork();
	if (!pid)
		_exit(grandchild(shared));
	CHECK(pid, waitpid(pid, &status, 0));
	CHECK(0, WEXITSTATUS(status));
	CHECK(3, open_queue(&dev, &q));
	CHECK(-EPERM, gpreempt_set_default(&dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	return 0;
}

TEST_F(ioctl, process_default)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
		.process_default = { .priority = 3, .ceiling = 5, .timeslice_us = 20000 },
	};
	struct shared *shared = self->shared;
	int status;

	self->child = client_fork();
	if (!self->child)
		_exit(become(SOME_USER, false) ? 99 : heir(shared));
	while (!shared->ready)
		usleep(1000);
	args.pid = self->child;
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	shared->stop = 1;
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_EQ(0, WEXITSTATUS(status)) TH_LOG("line %d", shared->line);
	/* the parent is no descendant */
	EXPECT_EQ(PRIORITY_HIGH, gpreempt_permitted(&self->high));
}

/* What is not asked about stays; with neither flag it goes. */
TEST_F(ioctl, process_default_keeps)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
		.process_default = { .priority = 3, .ceiling = 5, .timeslice_us = 20000 },
	};
	struct kfd_dev *dev = &self->c.dev;

	ASSERT_EQ(0, gpreempt_call(dev, &args));
	args.flags = KFD_GPREEMPT_KEEP_CEILING | KFD_GPREEMPT_KEEP_TIMESLICE;
	args.process_default = (struct kfd_gpreempt_process_default){ 9, KFD_GPREEMPT_NONE };
	ASSERT_EQ(0, gpreempt_call(dev, &args));
	EXPECT_EQ(5, gpreempt_permitted(&self->low));
	EXPECT_EQ(20000, gpreempt_timeslice(dev, 0, self->low.id));
	args.flags = KFD_GPREEMPT_KEEP_PRIORITY;
	ASSERT_EQ(0, gpreempt_call(dev, &args));
	EXPECT_EQ(9, gpreempt_permitted(&self->low));
	ASSERT_EQ(0, gpreempt_set("level9/timeslice_us", 9000));
	EXPECT_EQ(9000, gpreempt_timeslice(dev, 0, self->low.id));
	args.flags = 0;
	args.process_default.priority = KFD_GPREEMPT_NONE;
	ASSERT_EQ(0, gpreempt_call(dev, &args));
	EXPECT_EQ(PRIORITY_LOW, gpreempt_permitted(&self->low));
}

/* On queues that exist: counts at once, SET_PRIORITY before it, and ends. */
TEST_F(ioctl, process_default_of_running)
{
	struct shared *shared = self->shared;
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;

	self->child = start_owner(shared, 0);
	ASSERT_LT(0, self->child);
	/* this process is the owner's parent: the owner follows */
	EXPECT_EQ(0, gpreempt_set_default(dev, 0, 12, KFD_GPREEMPT_NONE));
	EXPECT_EQ(12, gpreempt_permitted(&self->low));
	EXPECT_EQ(12, gpreempt_permitted(&self->high));
	ASSERT_EQ(0, gpreempt_get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(3, info.priority);
	EXPECT_EQ(12, info.permitted);
	EXPECT_EQ(6, gpreempt_set_priority(dev, 0, self->low.id, 6));
	EXPECT_EQ(0, gpreempt_set_default(dev, shared->pid, 9, 10));
	ASSERT_EQ(0, gpreempt_get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(9, info.permitted);
	EXPECT_EQ(12, gpreempt_permitted(&self->high));
	EXPECT_EQ(0, gpreempt_set_default(dev, 0, 12, 4));
	EXPECT_EQ(4, gpreempt_permitted(&self->low));
	ASSERT_EQ(0, gpreempt_get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(4, info.permitted);
	EXPECT_EQ(0, gpreempt_set_default(dev, shared->pid, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	EXPECT_EQ(0, gpreempt_set_default(dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	EXPECT_EQ(6, gpreempt_permitted(&self->low));
	EXPECT_EQ(PRIORITY_HIGH, gpreempt_permitted(&self->high));
	ASSERT_EQ(0, gpreempt_get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(3, info.permitted);
}

/* Two queues on one level, nothing to arbitrate: until a default makes it two. */
TEST_F_TIMEOUT(ioctl, process_default_wakes, 60)
{
	struct kfd_dev *dev = &self->c.dev;

	EXPECT_EQ(5, gpreempt_set_priority(dev, 0, self->high.id, 5));
	ASSERT_EQ(0, gpreempt_set_default(dev, 0, 5, KFD_GPREEMPT_NONE));
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_low(&self->c, &self->low, &self->job));
	ASSERT_EQ(0, until_job_init(&self->c, &self->until));
	until_job_start(&self->c, &self->until, &self->high);
	ASSERT_EQ(0, gpreempt_wait_state("parked", CLIENT_TIMEOUT_MS));
	ASSERT_EQ(0, gpreempt_set_default(dev, 0, 3, KFD_GPREEMPT_NONE));
	EXPECT_EQ(0, wait_preempted(&self->low));
	EXPECT_EQ(0, end_contention(&self->c, &self->job, &self->until));
}

TEST_HARNESS_MAIN
