// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: what is refused by each operation. One that does not use
 * a field refuses whatever is in it.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "ioctl_fixture.h"

FIXTURE_VARIANT(ioctl) {
	unsigned int op;
};

#define OPERATION(name, operation)						\
	FIXTURE_VARIANT_ADD(ioctl, name) { .op = KFD_GPREEMPT_OP_##operation }

OPERATION(query, QUERY);
OPERATION(list, LIST);
OPERATION(set_priority, SET_PRIORITY);
OPERATION(set_timeslice, SET_TIMESLICE);
OPERATION(set_process_default, SET_PROCESS_DEFAULT);
OPERATION(preempt, PREEMPT);
OPERATION(resume, RESUME);
OPERATION(hint, HINT);
OPERATION(get_default, GET_DEFAULT);

#define AT(field)	offsetof(struct kfd_ioctl_gpreempt_args, field)
#define IS(field)	(byte >= AT(field) &&						\
			 byte < AT(field) + sizeof(((struct kfd_ioctl_gpreempt_args *)0)->field))

/* Without a flag that names another field. */
static bool reads(unsigned int op, size_t byte)
{
	const struct op_use *use = &op_uses[op];

	if (IS(flags))
		return byte == AT(flags) && use->flags;
	return byte < AT(flags) || (IS(pid) && use->pid) || (IS(gpu_id) && use->gpu) ||
	       (IS(queue_id) && use->queue) ||
	       (byte >= AT(reserved) && byte < AT(reserved) + use->in);
}

static bool of_default(unsigned int op)
{
	return op == KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT || op == KFD_GPREEMPT_OP_GET_DEFAULT;
}

/* Each byte that means nothing to the operation: refused, and nothing changed. */
TEST_F(ioctl, unused_byte)
{
	struct kfd_gpreempt_queue_info before, after;
	unsigned int unused = 0;
	size_t byte;

	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &before));
	for (byte = 0; byte < sizeof(struct kfd_ioctl_gpreempt_args); byte++) {
		struct kfd_ioctl_gpreempt_args args =
			op_request(&self->c.dev, variant->op, self->low.id);

		if (reads(variant->op, byte))
			continue;
		((__u8 *)&args)[byte] = 0x80;
		EXPECT_EQ(-EINVAL, gpreempt_call(&self->c.dev, &args)) TH_LOG("byte %zu", byte);
		unused++;
	}
	EXPECT_LT(60, unused);
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

TEST_F(ioctl, unknown_flag)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		struct kfd_ioctl_gpreempt_args args =
			op_request(&self->c.dev, variant->op, self->low.id);

		if (op_uses[variant->op].flags & 1u << bit)
			continue;
		args.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, gpreempt_call(&self->c.dev, &args)) TH_LOG("flag %u", bit);
	}
}

/* What the operation answers about a queue, or a process, that is not there. */
static int no_queue(unsigned int op)
{
	return op_uses[op].queue ? -ENOENT : -EINVAL;
}

static int no_process(unsigned int op)
{
	return op_uses[op].pid ? -ESRCH : -EINVAL;
}

static int call_queue(struct kfd_dev *dev, unsigned int op, __u32 queue_id)
{
	struct kfd_ioctl_gpreempt_args args = op_request(dev, op, queue_id);

	args.queue_id = queue_id;
	return gpreempt_call(dev, &args);
}

static int call_process(struct kfd_dev *dev, unsigned int op, __u32 pid, __u32 queue_id)
{
	struct kfd_ioctl_gpreempt_args args = op_request(dev, op, queue_id);

	args.pid = pid;
	return gpreempt_call(dev, &args);
}

TEST_F(ioctl, queue_never_made)
{
	const __u32 ids[] = { 500, 1023, 1024, 0x7fffffff, 0x80000000, ~0 };
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		__u32 id = ids[i];

		EXPECT_EQ(no_queue(variant->op), call_queue(&self->c.dev, variant->op, id))
			TH_LOG("queue %u", id);
	}
}

TEST_F(ioctl, queue_destroyed)
{
	struct aql_queue gone;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, aql_create(&gone, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, aql_destroy(&gone));
	EXPECT_EQ(no_queue(variant->op), call_queue(&self->c.dev, variant->op, gone.id));
}

TEST_F(ioctl, pid_of_nobody)
{
	const __u32 pids[] = { 0x3fffff, 0x400000, 0x7fffffff, 0x80000000, ~0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		__u32 pid = pids[i];

		EXPECT_EQ(no_process(variant->op),
			  call_process(&self->c.dev, variant->op, pid, self->low.id))
			TH_LOG("pid %u", pid);
	}
}

/* Dead, and not reaped: still a process, which may have a default; then reaped. */
TEST_F(ioctl, pid_of_the_dead)
{
	pid_t pid = client_fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &(siginfo_t){}, WEXITED | WNOWAIT));
	EXPECT_EQ(of_default(variant->op) ? 0 : no_process(variant->op),
		  call_process(&self->c.dev, variant->op, pid, self->low.id));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(no_process(variant->op),
		  call_process(&self->c.dev, variant->op, pid, self->low.id));
}

static void *sleeper(void *arg)
{
	struct shared *shared = arg;

	shared->pid = syscall(SYS_gettid);
	while (!shared->stop)
		usleep(1000);
	return NULL;
}

/* A thread's number is no process's. */
TEST_F(ioctl, pid_of_a_thread)
{
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, sleeper, self->shared));
	while (!self->shared->pid)
		usleep(1000);
	EXPECT_EQ(no_process(variant->op),
		  call_process(&self->c.dev, variant->op, self->shared->pid, self->low.id));
	self->shared->stop = 1;
	pthread_join(thread, NULL);
}

/* One that does not use KFD has no queues, but may have a default. */
TEST_F(ioctl, pid_without_kfd)
{
	self->child = client_fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		pause();
		_exit(0);
	}
	EXPECT_EQ(of_default(variant->op) ? 0 : no_process(variant->op),
		  call_process(&self->c.dev, variant->op, self->child, self->low.id));
}

/* A file descriptor is the opener's alone. */
TEST_F(ioctl, forked_child)
{
	int status;
	pid_t pid;

	pid = client_fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct kfd_ioctl_gpreempt_args args =
			op_request(&self->c.dev, variant->op, self->low.id);

		if (gpreempt_call(&self->c.dev, &args) != -EBADF)
			_exit(1);
		args.pid = getppid();
		_exit(gpreempt_call(&self->c.dev, &args) != -EBADF ? 2 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* What stranger() tries. */
static unsigned int strange_op;

/* In a child of another user. */
static int stranger(struct shared *shared)
{
	int refusal = op_uses[strange_op].pid ? -EPERM : -EINVAL;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(refusal, call_process(&dev, strange_op, shared->pid, shared->queue_id));
	/* nor is it told which queues there are */
	CHECK(refusal, call_process(&dev, strange_op, shared->pid, 500));
	kfd_close(&dev);
	return 0;
}

/* The queues of another user are none of the caller's business. */
TEST_F(ioctl, other_users_queue)
{
	struct shared *shared = self->shared;
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(shared, SOME_USER);
	ASSERT_LT(0, self->child);
	strange_op = variant->op;
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, false, stranger));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(3, info.permitted);
	EXPECT_EQ(0, info.flags);
}

/* What needs the monitor is refused without one, and the rest is not. */
TEST_F(ioctl, disabled)
{
	struct kfd_ioctl_gpreempt_args args =
		op_request(&self->c.dev, variant->op, self->low.id);
	struct kfd_gpreempt_queue_info info;
	bool monitor = op_uses[variant->op].queue && variant->op >= KFD_GPREEMPT_OP_PREEMPT;

	EXPECT_EQ(monitor ? -ENODEV : 0, gpreempt_call(&self->c.dev, &args));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(variant->op == KFD_GPREEMPT_OP_SET_PRIORITY ? KFD_GPREEMPT_QUEUE_PRIORITY : 0,
		  info.flags);
}

TEST_HARNESS_MAIN
