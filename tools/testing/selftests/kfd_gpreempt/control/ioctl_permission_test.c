// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: what may be done to the queues of another process. That
 * a stranger may do nothing, ioctl_op_test shows for each operation.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

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

/* Until the hold has ended by itself. */
static int hold_for_a_moment(struct shared *shared)
{
	struct kfd_gpreempt_queue_info info = { .state = KFD_GPREEMPT_QUEUE_HELD };
	struct kfd_dev dev;
	unsigned int ms;

	CHECK(0, kfd_open(&dev));
	CHECK(0, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				  KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, 10));
	for (ms = 0; info.state == KFD_GPREEMPT_QUEUE_HELD && ms < CLIENT_TIMEOUT_MS; ms++) {
		usleep(1000);
		CHECK(0, gpreempt_get(&dev, shared->pid, shared->queue_id, &info));
	}
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

/* Of the same user, and with CAP_SYS_NICE. */
TEST_F(ioctl, friends)
{
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(self->shared, SOME_USER + 1, true, friend));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, friend));
	EXPECT_EQ(0, in_child(self->shared, 0, false, friend));
}

/**
 * struct ids - whose a process is
 * @real: @effective: @saved: its users
 * @hidden:	no debugger of its user may attach to it
 * @namespace:	a user namespace of its own, in which it has all capabilities
 */
struct ids {
	uid_t real, effective, saved;
	bool hidden, namespace;
};

static int become_ids(const struct ids *ids)
{
	if (setresgid(SOME_USER, SOME_USER, SOME_USER) ||
	    setresuid(ids->real, ids->effective, ids->saved) ||
	    prctl(PR_SET_DUMPABLE, !ids->hidden))
		return -errno;
	return ids->namespace && unshare(CLONE_NEWUSER) ? -errno : 0;
}

/* LIST of the owner's queue, as an exit status: the error, or 99. */
static int get_as(struct shared *shared, const struct ids *ids)
{
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev dev;

	if (become_ids(ids) || kfd_open(&dev))
		return 99;
	return -gpreempt_get(&dev, shared->pid, shared->queue_id, &info);
}

#define ONE	SOME_USER
#define OTHER	(SOME_USER + 1)

FIXTURE(whose) {
	struct kfd_dev dev;
	struct shared *shared;
	pid_t child;
};

FIXTURE_VARIANT(whose) {
	struct ids owner, caller;
	int error;
};

/* As of setpriority(2): the caller's effective user, the owner's real and saved one. */
FIXTURE_VARIANT_ADD(whose, same_user) {
	{ ONE, ONE, ONE }, { ONE, ONE, ONE }, 0,
};

FIXTURE_VARIANT_ADD(whose, other_user) {
	{ ONE, ONE, ONE }, { OTHER, OTHER, OTHER }, EPERM,
};

FIXTURE_VARIANT_ADD(whose, callers_effective_user) {
	{ ONE, ONE, ONE }, { OTHER, ONE, OTHER }, 0,
};

FIXTURE_VARIANT_ADD(whose, callers_real_and_saved_user) {
	{ ONE, ONE, ONE }, { ONE, OTHER, ONE }, EPERM,
};

FIXTURE_VARIANT_ADD(whose, owner_acts_for_other) {
	{ ONE, OTHER, ONE }, { ONE, ONE, ONE }, 0,
};

/* A set-user-ID program is neither its user's nor its file's. */
FIXTURE_VARIANT_ADD(whose, owners_saved_user) {
	{ ONE, OTHER, OTHER }, { ONE, ONE, ONE }, EPERM,
};

FIXTURE_VARIANT_ADD(whose, owners_real_user) {
	{ ONE, OTHER, OTHER }, { OTHER, OTHER, OTHER }, EPERM,
};

/* It is about priority, not about memory. */
FIXTURE_VARIANT_ADD(whose, no_debugger_may_attach) {
	{ ONE, ONE, ONE, .hidden = true }, { ONE, ONE, ONE }, 0,
};

FIXTURE_VARIANT_ADD(whose, callers_namespace) {
	{ ONE, ONE, ONE }, { ONE, ONE, ONE, .namespace = true }, EPERM,
};

/* All that is in a namespace is of the user who has made it, too, as in a rootless container. */
FIXTURE_VARIANT_ADD(whose, owners_namespace) {
	{ ONE, ONE, ONE, .namespace = true }, { ONE, ONE, ONE }, 0,
};

FIXTURE_VARIANT_ADD(whose, others_namespace) {
	{ ONE, ONE, ONE, .namespace = true }, { OTHER, OTHER, OTHER }, EPERM,
};

FIXTURE_VARIANT_ADD(whose, namespace_beside) {
	{ ONE, ONE, ONE, .namespace = true }, { ONE, ONE, ONE, .namespace = true }, EPERM,
};

FIXTURE_SETUP(whose)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, kfd_open(&self->dev));
	ASSERT_EQ(0, open_to_all(&self->dev));
	self->child = client_fork();
	if (!self->child)
		_exit(become_ids(&variant->owner) ? 99 : run_owner(self->shared));
	ASSERT_LT(0, await_owner(self->shared, self->child));
}

FIXTURE_TEARDOWN(whose)
{
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	if (self->dev.fd > 0)
		kfd_close(&self->dev);
	gpreempt_end();
}

TEST_F(whose, queue)
{
	pid_t pid = client_fork();
	int status;

	if (!pid)
		_exit(get_as(self->shared, &variant->caller));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(variant->error, WEXITSTATUS(status));
}

static char stack[16384] __attribute__((aligned(16)));

/* Shares root's memory, and belongs to another user. By libc root itself would become that. */
static int share_memory(void *arg)
{
	struct shared *shared = arg;

	shared->ready = syscall(SYS_setresuid, ONE, ONE, ONE) ? 2 : 1;
	while (!shared->stop)
		usleep(1000);
	return 0;
}

static int no_way_to_its_parent(struct shared *shared)
{
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-ESRCH, gpreempt_get(&dev, shared->pid, shared->queue_id, &info));
	CHECK(-ESRCH, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid,
				       shared->queue_id, 0, 0, 0));
	CHECK(-ESRCH, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_RESUME, shared->pid, 0,
				       KFD_GPREEMPT_ALL, 0, 0));
	kfd_close(&dev);
	return 0;
}

/* The task that was asked about is the one whose queues are touched. */
TEST_F(ioctl, shared_memory)
{
	struct shared *shared = self->shared;
	unsigned int ms;
	int status;

	shared->queue_id = self->low.id;
	shared->pid = clone(share_memory, stack + sizeof(stack), CLONE_VM | SIGCHLD, shared);
	ASSERT_LT(0, shared->pid);
	self->child = shared->pid;
	for (ms = 0; !shared->ready && ms < CLIENT_TIMEOUT_MS; ms++)
		usleep(1000);
	ASSERT_EQ(1, shared->ready);
	EXPECT_EQ(0, in_child(shared, ONE, false, no_way_to_its_parent));
	shared->stop = 1;
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
}

/* Is a queue there? Its process has no number: LIST says 0. */
static bool is_listed(struct kfd_dev *dev, __u32 queue_id)
{
	struct kfd_gpreempt_queue_info info[8] = {};
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .flags = KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_ALL,
		.list = { (__u64)info, ARRAY_SIZE(info), sizeof(info[0]) },
	};
	unsigned int i;

	if (gpreempt_call(dev, &args) || args.list.count > ARRAY_SIZE(info))
		return false;
	for (i = 0; i < args.list.count; i++)
		if (info[i].queue_id == queue_id && !info[i].pid)
			return true;
	return false;
}

static int stays(void *arg)
{
	struct shared *shared = arg;

	shared->ready = 1;
	while (!shared->stop)
		usleep(1000);
	return 0;
}

/* Its queue lives on with its memory, which a child has, too. The number differs from LOW's. */
static int leaves_its_memory(struct shared *shared)
{
	struct aql_queue unused[4], q;
	struct kfd_dev dev;
	unsigned int i;

	CHECK(0, kfd_open(&dev));
	for (i = 0; i < ARRAY_SIZE(unused); i++)
		CHECK(0, aql_create(&unused[i], &dev, 64, 3));
	CHECK(0, aql_create(&q, &dev, 64, 3));
	for (i = 0; i < ARRAY_SIZE(unused); i++)
		CHECK(0, aql_destroy(&unused[i]));
	shared->queue_id = q.id;
	shared->pid = clone(stays, stack + sizeof(stack), CLONE_VM | SIGCHLD, shared);
	CHECK(true, shared->pid > 0);
	while (!shared->ready)
		usleep(1000);
	_exit(0);
}

/* A process whose leader has been reaped hides from no operator on the host. */
TEST_F(ioctl, without_leader)
{
	struct shared *shared = self->shared;
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_PREEMPT,
		.flags = KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_BELOW | KFD_GPREEMPT_HOLD,
		.level = 4, .preempt.hold_ms = 1000,
	};
	unsigned int ms;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	EXPECT_EQ(0, in_child(shared, ONE, false, leaves_its_memory))
		TH_LOG("line %d", shared->line);
	EXPECT_TRUE(is_listed(&self->c.dev, shared->queue_id));
	EXPECT_EQ(0, gpreempt_call(&self->c.dev, &args));
	EXPECT_LE(1, args.preempt.queues);
	shared->stop = 1;
	for (ms = 0; is_listed(&self->c.dev, shared->queue_id) && ms < CLIENT_TIMEOUT_MS; ms++)
		usleep(1000);
	EXPECT_FALSE(is_listed(&self->c.dev, shared->queue_id));
}

#define LISTER	"lister"

/* This very program, with /dev/kfd as it was opened: how many queues may it see? */
__attribute__((constructor)) static void lister(int argc, char **argv)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .flags = KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_ALL,
		.list.entry_size = sizeof(struct kfd_gpreempt_queue_info),
	};
	struct kfd_dev dev = {};

	if (argc != 2 || strcmp(argv[0], LISTER))
		return;
	dev.fd = atoi(argv[1]);
	_exit(gpreempt_call(&dev, &args) ? 99 : args.list.count);
}

/* Leaves its memory, queue and all, to a child of root's, and goes on as another user. */
static int execs(struct shared *shared)
{
	struct aql_queue q;
	struct kfd_dev dev;
	char fd[16];

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 3));
	shared->pid = clone(stays, stack + sizeof(stack), CLONE_VM | SIGCHLD, shared);
	CHECK(true, shared->pid > 0);
	while (!shared->ready)
		usleep(1000);
	CHECK(0, syscall(SYS_setresuid, ONE, ONE, ONE));
	snprintf(fd, sizeof(fd), "%d", dev.fd);
	CHECK(0, fcntl(dev.fd, F_SETFD, 0));
	execl("/proc/self/exe", LISTER, fd, NULL);
	return 99;
}

TEST_F(ioctl, left_memory)
{
	EXPECT_EQ(0, in_child(self->shared, 0, false, execs)) TH_LOG("line %d", self->shared->line);
	self->shared->stop = 1;
}

#define QUOTA	1024

static int waits(void *arg)
{
	return pause();
}

/* Gives as many of its processes something as it may: small ones, with memory in common. */
static int fills_its_quota(struct shared *shared)
{
	static char stacks[QUOTA + 1][4096] __attribute__((aligned(16)));
	pid_t pids[QUOTA + 1];
	struct kfd_dev dev;
	unsigned int i;

	CHECK(0, kfd_open(&dev));
	for (i = 0; i <= QUOTA; i++) {
		pids[i] = clone(waits, stacks[i] + sizeof(stacks[i]), CLONE_VM | SIGCHLD, NULL);
		CHECK(true, pids[i] > 0);
		CHECK(i < QUOTA ? 0 : -EDQUOT,
		      gpreempt_set_default(&dev, pids[i], KFD_GPREEMPT_NONE, 3));
	}
	/* what has something may have less, and its end makes room */
	CHECK(0, gpreempt_set_default(&dev, pids[1], KFD_GPREEMPT_NONE, 2));
	CHECK(-EDQUOT, gpreempt_set_default(&dev, pids[QUOTA], KFD_GPREEMPT_NONE, 3));
	/* and so may what never had any */
	CHECK(0, gpreempt_set_default(&dev, pids[QUOTA], KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	kill(pids[0], SIGKILL);
	CHECK(pids[0], waitpid(pids[0], NULL, 0));
	CHECK(0, gpreempt_set_default(&dev, pids[QUOTA], KFD_GPREEMPT_NONE, 3));
	for (i = 1; i <= QUOTA; i++)
		kill(pids[i], SIGKILL);
	for (i = 1; i <= QUOTA; i++)
		CHECK(pids[i], waitpid(pids[i], NULL, 0));
	kfd_close(&dev);
	return 0;
}

TEST_F_TIMEOUT(ioctl, quota, 120)
{
	EXPECT_EQ(0, in_child(self->shared, ONE, false, fills_its_quota))
		TH_LOG("line %d", self->shared->line);
}

/* Without CAP_SYS_NICE root is one user of many. */
static int root_without_nice(struct shared *shared)
{
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev dev;

	CHECK(0, give_up_nice());
	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, gpreempt_get(&dev, shared->pid, shared->queue_id, &info));
	CHECK(-EPERM, gpreempt_set_priority(&dev, shared->pid, shared->queue_id, 0));
	kfd_close(&dev);
	return 0;
}

TEST_F(ioctl, root_without_nice)
{
	self->child = start_owner(self->shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(self->shared, 0, false, root_without_nice));
}

/* Lowers its own default, with a child that is of that user. */
static int lower_family(struct shared *shared, uid_t user)
{
	struct kfd_dev dev;
	pid_t pid;

	pid = client_fork();
	if (!pid)
		_exit(become(user, false) ? 99 : run_owner(shared));
	CHECK(pid, await_owner(shared, pid));
	CHECK(0, become(ONE, false));
	CHECK(0, kfd_open(&dev));
	CHECK(0, gpreempt_set_default(&dev, 0, 1, 2));
	shared->ready = 2;
	while (!shared->stop)
		usleep(1000);
	CHECK(pid, waitpid(pid, NULL, 0));
	return 0;
}

/* Its child's queue is there, and the default set; or the line in which it failed. */
static int start_family(struct shared *shared, pid_t *parent, uid_t user)
{
	unsigned int ms;

	*parent = client_fork();
	if (!*parent)
		_exit(lower_family(shared, user));
	for (ms = 0; shared->ready != 2 && ms < CLIENT_TIMEOUT_MS; ms++)
		usleep(1000);
	return shared->ready == 2 ? 0 : shared->line;
}

static int end_family(struct shared *shared, pid_t *parent)
{
	int status;

	shared->stop = 1;
	if (waitpid(*parent, &status, 0) != *parent)
		return -errno;
	*parent = 0;
	return WEXITSTATUS(status) ? shared->line : 0;
}

/* A default reaches the descendants that its setter may lower, and root's all. */
TEST_F(ioctl, default_spares_strangers)
{
	struct shared *shared = self->shared;
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, start_family(shared, &self->child, OTHER));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(3, info.permitted);
	ASSERT_EQ(0, gpreempt_set_default(&self->c.dev, self->child, 1, 2));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(1, info.permitted);
	EXPECT_EQ(0, end_family(shared, &self->child));
}

TEST_F(ioctl, default_reaches_children)
{
	struct shared *shared = self->shared;
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, start_family(shared, &self->child, ONE));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(1, info.permitted);
	EXPECT_EQ(0, end_family(shared, &self->child));
}

/* What a queue that is made now may have, which asks for 3. */
static int permitted_now(void)
{
	struct aql_queue q;
	struct kfd_dev dev;
	int ret;

	ret = kfd_open(&dev);
	ret = ret ?: aql_create(&q, &dev, 64, 3);
	if (ret)
		return ret;
	ret = gpreempt_permitted(&q);
	aql_destroy(&q);
	kfd_close(&dev);
	return ret;
}

#define GENERATIONS	64

/* The n-th below the process that has the default. */
static int generation(struct shared *shared, unsigned int n)
{
	int status;
	pid_t pid;

	if (n >= GENERATIONS)
		CHECK(n == GENERATIONS ? 1 : 3, permitted_now());
	if (n > GENERATIONS)
		return 0;
	pid = client_fork();
	if (!pid)
		_exit(generation(shared, n + 1));
	CHECK(pid, waitpid(pid, &status, 0));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A walk to ancestors has an end, though a user may have any number of them. */
TEST_F(ioctl, default_reaches_64_generations)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, gpreempt_set_default(&self->c.dev, 0, 1, KFD_GPREEMPT_NONE));
	pid = client_fork();
	if (!pid)
		_exit(generation(self->shared, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status) TH_LOG("line %d", self->shared->line);
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
	/* and one that has ended by itself binds nobody */
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, true, hold_for_a_moment));
	EXPECT_EQ(0, in_child(shared, SOME_USER, false, ends_hold));
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

/*
 * A default counts for those processes below that its setter may control, by what they are when
 * they open the GPU: a set-user-ID program is none of them, nor is what sudo starts.
 */
FIXTURE(heir) {
	struct kfd_dev dev;
	struct shared *shared;
	pid_t parent;		/* killed at the end, with its child */
};

FIXTURE_VARIANT(heir) {
	struct ids ids;
	bool counts;		/* of a user's default */
};

FIXTURE_VARIANT_ADD(heir, same_user) { { ONE, ONE, ONE }, true };
FIXTURE_VARIANT_ADD(heir, other_user) { { OTHER, OTHER, OTHER }, false };
FIXTURE_VARIANT_ADD(heir, set_user_id) { { ONE, OTHER, OTHER }, false };
FIXTURE_VARIANT_ADD(heir, root) { { 0, 0, 0 }, false };
FIXTURE_VARIANT_ADD(heir, namespace) { { ONE, ONE, ONE, .namespace = true }, true };
FIXTURE_VARIANT_ADD(heir, others_namespace) { { OTHER, OTHER, OTHER, .namespace = true }, false };

FIXTURE_SETUP(heir)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	if (geteuid())
		SKIP(return, "not root");
	self->shared = client_shared_page();
	ASSERT_NE(NULL, self->shared);
	ASSERT_EQ(0, kfd_open(&self->dev));
	ASSERT_EQ(0, open_to_all(&self->dev));
}

FIXTURE_TEARDOWN(heir)
{
	if (self->parent > 0) {
		self->shared->stop = 1;
		kill(self->parent, SIGKILL);
		waitpid(self->parent, NULL, 0);
	}
	if (self->dev.fd > 0)
		kfd_close(&self->dev);
	gpreempt_end();
}

/* In shared->ready, the first one by run_owner(). */
enum { QUEUE_THERE = 1, DEFAULT_SET, WEIGHT_SET };

/*
 * Who sets the default: a user without CAP_SYS_NICE or with it, or after root has set one, which
 * the user may also take back; or root adds something to a user's.
 */
enum by { BY_USER, BY_NICE, BY_USER_AFTER_ROOT, TAKEN_BACK, BY_ROOT_AFTER_USER };

static void await(const struct shared *shared, int step)
{
	while (shared->ready < step)
		usleep(1000);
}

/*
 * Sets its default, before or after its child has a queue of priority 3. The child is forked before
 * both, and becomes what it is to be.
 */
static int be_parent(struct shared *shared, const struct ids *ids, enum by by, bool later)
{
	struct kfd_dev dev;

	if (!client_fork()) {
		if (later)
			await(shared, by == BY_ROOT_AFTER_USER ? WEIGHT_SET : DEFAULT_SET);
		_exit(become_ids(ids) ? 99 : run_owner(shared));
	}
	CHECK(0, kfd_open(&dev));
	if (by == BY_USER_AFTER_ROOT)
		CHECK(0, gpreempt_set_default(&dev, 0, KFD_GPREEMPT_NONE, 2));
	if (by == TAKEN_BACK)
		CHECK(0, gpreempt_set_default(&dev, 0, 2, KFD_GPREEMPT_NONE));
	CHECK(0, become(ONE, by == BY_NICE));
	if (!later)
		await(shared, QUEUE_THERE);
	if (by == TAKEN_BACK)
		CHECK(0, gpreempt_set_default(&dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	else
		CHECK(0, gpreempt_set_default(&dev, 0, 1, 1));
	shared->ready = DEFAULT_SET;
	for (;;)
		pause();
}

/* What the child's queue may have in the end, or -errno. */
static int inherited(FIXTURE_DATA(heir) *self, const struct ids *ids, enum by by, bool later)
{
	int last = later ? QUEUE_THERE : DEFAULT_SET;
	struct kfd_gpreempt_queue_info info;
	unsigned int ms;
	int ret;

	self->parent = client_fork();
	if (!self->parent)
		_exit(be_parent(self->shared, ids, by, later));
	for (ms = 0; self->shared->ready != last; ms++) {
		if (by == BY_ROOT_AFTER_USER && self->shared->ready == DEFAULT_SET) {
			ret = gpreempt_set_share(&self->dev, self->parent, KFD_GPREEMPT_SET_WEIGHT,
						 50, 0, 0);
			if (ret)
				return ret;
			self->shared->ready = WEIGHT_SET;
		}
		if (ms > CLIENT_TIMEOUT_MS || waitpid(self->parent, NULL, WNOHANG))
			return -ETIME;
		usleep(1000);
	}
	ret = gpreempt_get(&self->dev, self->shared->pid, self->shared->queue_id, &info);
	return ret ?: (int)info.permitted;
}

TEST_F(heir, opens_later)
{
	EXPECT_EQ(variant->counts ? 1 : 3, inherited(self, &variant->ids, BY_USER, true));
}

TEST_F(heir, is_there)
{
	EXPECT_EQ(variant->counts ? 1 : 3, inherited(self, &variant->ids, BY_USER, false));
}

/* What was set with CAP_SYS_NICE counts for all, */
TEST_F(heir, opens_later_of_nice)
{
	EXPECT_EQ(1, inherited(self, &variant->ids, BY_NICE, true));
}

TEST_F(heir, is_there_of_nice)
{
	EXPECT_EQ(1, inherited(self, &variant->ids, BY_NICE, false));
}

/* also when a user has lowered it for its own. */
TEST_F(heir, opens_later_after_root)
{
	EXPECT_EQ(variant->counts ? 1 : 2,
		  inherited(self, &variant->ids, BY_USER_AFTER_ROOT, true));
}

TEST_F(heir, is_there_after_root)
{
	EXPECT_EQ(variant->counts ? 1 : 2,
		  inherited(self, &variant->ids, BY_USER_AFTER_ROOT, false));
}

/* That stays for others when the user takes back all of its own, */
TEST_F(heir, opens_later_taken_back)
{
	EXPECT_EQ(variant->counts ? 3 : 2, inherited(self, &variant->ids, TAKEN_BACK, true));
}

/* and a user's stays the user's when root sets something else beside it. */
TEST_F(heir, opens_later_of_both)
{
	EXPECT_EQ(variant->counts ? 1 : 3,
		  inherited(self, &variant->ids, BY_ROOT_AFTER_USER, true));
}

/**
 * struct exec - a process that becomes a program of root's, between it and the test
 * @begin_ns: @end_ns: before it and after it
 * @shown:	the program may end
 */
struct exec {
	volatile __u64 begin_ns, end_ns;
	volatile int shown;
};

#define ROOTS_PROGRAM	"root's program"
#define EXEC_MB		256	/* which exec takes down, with its lock held */

/* This very program, started as root's: its arguments are its name and struct exec's file. */
__attribute__((constructor)) static void roots_program(int argc, char **argv)
{
	struct exec *exec;

	if (argc != 2 || strcmp(argv[0], ROOTS_PROGRAM))
		return;
	exec = mmap(NULL, KFD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(argv[1]), 0);
	if (exec == MAP_FAILED || geteuid())
		_exit(1);
	exec->end_ns = kfd_now();
	while (!exec->shown)
		usleep(1000);
	_exit(0);
}

/* Open, and with no name, so that nobody else can start it. */
static int make_roots_program(void)
{
	char path[] = "/tmp/gpreempt-XXXXXX";
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(path);
	int program = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	unlink(path);
	while ((n = sendfile(to, from, NULL, 1 << 20)) > 0)
		;
	if (!n && fchmod(to, 04755))
		n = -1;
	close(from);
	/* or it is busy */
	close(to);
	return n ? -1 : program;
}

static void become_roots_program(int program, struct exec *exec, int fd)
{
	char number[16], *const argv[] = { ROOTS_PROGRAM, number, NULL };
	void *p = mmap(NULL, EXEC_MB << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	snprintf(number, sizeof(number), "%d", fd);
	if (p == MAP_FAILED || become(ONE, false))
		_exit(2);
	/* of small pages; a kernel without large ones says EINVAL */
	madvise(p, EXEC_MB << 20, MADV_NOHUGEPAGE);
	memset(p, 1, EXEC_MB << 20);
	exec->begin_ns = kfd_now();
	syscall(SYS_execveat, program, "", argv, NULL, AT_EMPTY_PATH);
	_exit(3);
}

/* Until @pid is another's, and no longer after that than it takes to see that it stays so. */
static int set_until_refused(struct exec *exec, pid_t pid, __u64 *longest_ns)
{
	unsigned int refused = 0;
	struct kfd_dev dev;
	__u64 begin_ns;
	int ret;

	if (become(ONE, false) || kfd_open(&dev))
		return 1;
	while (!exec->begin_ns)
		usleep(1000);
	while (refused < 10) {
		begin_ns = kfd_now();
		ret = gpreempt_set_default(&dev, pid, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE);
		if (kfd_now() - begin_ns > *longest_ns)
			*longest_ns = kfd_now() - begin_ns;
		if (ret && ret != -EPERM)
			return 2;
		/* not yet, or not any more */
		if (!ret && refused)
			return 3;
		refused += !!ret;
	}
	kfd_close(&dev);
	return 0;
}

/* Before Linux 7 an exec takes the old memory down with its lock held. */
static bool exec_takes_long(void)
{
	struct utsname uts;

	return uname(&uts) || atoi(uts.release) < 7;
}

/*
 * Who may is asked of the program that a process runs: while it is between two, with the
 * memory of neither and the user of the old one, the answer waits.
 */
TEST_F(ioctl, between_two_programs)
{
	int fd = syscall(SYS_memfd_create, "exec", 0), program = make_roots_program(), status;
	struct shared *shared = self->shared;
	__u64 *longest_ns = (void *)shared;
	struct exec *exec;
	pid_t caller;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, KFD_PAGE));
	exec = mmap(NULL, KFD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, exec);
	ASSERT_LE(0, program);
	self->child = client_fork();
	if (!self->child)
		become_roots_program(program, exec, fd);
	caller = client_fork();
	if (!caller)
		_exit(set_until_refused(exec, self->child, longest_ns));
	EXPECT_EQ(caller, waitpid(caller, &status, 0));
	EXPECT_EQ(0, status);
	/* it may have got no CPU yet; if it never does, the test's time is over */
	while (!exec->end_ns)
		usleep(1000);
	/* most of the time of the exec is that of the lock */
	if (exec_takes_long())
		EXPECT_LT((exec->end_ns - exec->begin_ns) / 2, *longest_ns)
			TH_LOG("%llu of %llu ns", *longest_ns, exec->end_ns - exec->begin_ns);
	exec->shown = 1;
	EXPECT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_EQ(0, status);
	munmap(exec, KFD_PAGE);
	close(program);
	close(fd);
}

TEST_HARNESS_MAIN
