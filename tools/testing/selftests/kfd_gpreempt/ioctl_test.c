// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: every operation, every error, who may do what to whom,
 * and what is left behind by callers that die, are interrupted or lie.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/kfd_gpreempt.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"

#define LOW_MS		400
#define SOME_USER	1000	/* anybody but root */
#define LAST_OP		KFD_GPREEMPT_OP_HINT

/* The same on every machine: the kernel asserts these for itself. */
_Static_assert(sizeof(struct kfd_ioctl_gpreempt_args) == 128, "size");
_Static_assert(offsetof(struct kfd_ioctl_gpreempt_args, reserved) == 24, "union");
_Static_assert(sizeof(struct kfd_gpreempt_queue_info) == 64, "queue");
_Static_assert(offsetof(struct kfd_gpreempt_query, operations) == 8, "query");

/* Between a test and its children. */
struct shared {
	volatile int ready;
	volatile int stop;
	volatile int line;		/* of the check that failed in a child */
	volatile pid_t pid;
	volatile __u32 queue_id;
};

FIXTURE(ioctl) {
	struct client c;
	struct aql_queue low, high;
	struct low_job job;
	struct until_job until;
	struct shared *shared;
	pid_t child;
};

/* One call, restarted by nobody: 0 or -errno. */
static int call(struct kfd_dev *dev, struct kfd_ioctl_gpreempt_args *args)
{
	return ioctl(dev->fd, AMDKFD_IOC_GPREEMPT, args) ? -errno : 0;
}

static int operate(struct kfd_dev *dev, __u32 op, __u32 pid, __u32 queue_id)
{
	struct kfd_ioctl_gpreempt_args args = { .op = op, .pid = pid, .queue_id = queue_id };

	return call(dev, &args);
}

static int get(struct kfd_dev *dev, __u32 pid, __u32 queue_id,
	       struct kfd_gpreempt_queue_info *info)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_GET, .pid = pid, .queue_id = queue_id,
	};
	int ret = call(dev, &args);

	*info = args.queue;
	return ret;
}

static int permitted(struct aql_queue *q)
{
	struct kfd_gpreempt_queue_info info;
	int ret = get(q->dev, 0, q->id, &info);

	return ret ?: (int)info.permitted;
}

/* Returns what remains of the priority, or -errno. */
static int set_priority(struct kfd_dev *dev, __u32 pid, __u32 queue_id, __u32 priority)
{
	struct kfd_ioctl_gpreempt_args args = { .op = KFD_GPREEMPT_OP_SET_PRIORITY, .pid = pid,
			 .queue_id = queue_id, .priority.priority = priority };
	int ret = call(dev, &args);

	return ret ?: (int)args.priority.permitted;
}

static int set_default(struct kfd_dev *dev, __u32 pid, __u32 priority, __u32 ceiling)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .pid = pid,
		.process_default = { priority, ceiling },
	};

	return call(dev, &args);
}

static int preempt(struct kfd_dev *dev, __u32 op, __u32 pid, __u32 queue_id, __u32 flags,
		   __u32 wait_ms, __u32 hold_ms)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = op, .flags = flags, .pid = pid, .queue_id = queue_id,
		.preempt = { wait_ms, hold_ms },
	};

	return call(dev, &args);
}

static int hold(struct aql_queue *q, __u32 hold_ms)
{
	return preempt(q->dev, KFD_GPREEMPT_OP_PREEMPT, 0, q->id,
		       KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, hold_ms);
}

static int resume(struct aql_queue *q)
{
	return preempt(q->dev, KFD_GPREEMPT_OP_RESUME, 0, q->id, KFD_GPREEMPT_WAIT,
		       CLIENT_TIMEOUT_MS, 0);
}

FIXTURE_SETUP(ioctl)
{
	unsigned int node;
	__u32 gpu_id;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, "no KFD device");
	if (geteuid())
		SKIP(return, "not root");
	ASSERT_TRUE(gpreempt_present());
	self->shared = mmap(NULL, KFD_PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	/* on a busy host the model may be late: that is not what is tested here */
	ASSERT_EQ(0, gpreempt_set("preempt_timeout_ms", 9000));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, aql_create(&self->low, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, aql_create(&self->high, &self->c.dev, 64, PRIORITY_HIGH));
}

FIXTURE_TEARDOWN(ioctl)
{
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	gpreempt_set("enable", 0);
	gpreempt_set("preempt_timeout_ms", 100);
	gpreempt_set("starvation_ms", 1000);
	gpreempt_set("priority_cap", 7);
	gpreempt_write("above_cap", "clamp\n");
	if (self->c.dev.fd > 0) {
		EXPECT_EQ(0, set_default(&self->c.dev, 0, KFD_GPREEMPT_NONE,
					 KFD_GPREEMPT_NONE));
		aql_destroy(&self->low);
		EXPECT_EQ(0, aql_destroy(&self->high));
		client_close(&self->c);
	}
}

/*
 * In a child of its own: become @user, with CAP_SYS_NICE and nothing else if
 * @nice. Readable by others of the same user, as a program usually is.
 */
static int become(uid_t user, bool nice)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (nice)
		prctl(PR_SET_KEEPCAPS, 1);
	if (setresgid(user, user, user) || setresuid(user, user, user))
		return -errno;
	if (nice) {
		data[0].effective = 1 << CAP_SYS_NICE;
		data[0].permitted = 1 << CAP_SYS_NICE;
		if (syscall(SYS_capset, &header, data))
			return -errno;
	}
	return prctl(PR_SET_DUMPABLE, 1) ? -errno : 0;
}

/* Let any user open the GPU, as membership of the group render does. */
static int open_to_all(const struct kfd_dev *dev)
{
	return chmod("/dev/kfd", 0666) || fchmod(dev->drm_fd, 0666) ? -errno : 0;
}

/* In a child: remember which check failed. */
#define CHECK(expected, seen) do {						\
	long __expected = (expected), __seen = (seen);				\
										\
	if (__expected != __seen) {						\
		fprintf(stderr, "# line %d: expected %ld, got %ld\n", __LINE__,	\
			__expected, __seen);					\
		shared->line = __LINE__;					\
		return 1;							\
	}									\
} while (0)

/* Runs @child(@shared, @user, @nice) in a child; its exit status. */
static int in_child(struct shared *shared, uid_t user, bool nice,
		    int (*child)(struct shared *shared))
{
	pid_t pid;
	int status;

	shared->line = 0;
	pid = client_fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(become(user, nice) ? 99 : child(shared));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(ioctl, query)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_QUERY, .gpu_id = self->c.dev.gpu_id,
	};

	ASSERT_EQ(0, call(&self->c.dev, &args));
	EXPECT_EQ(KFD_GPREEMPT_VERSION, args.query.version);
	EXPECT_EQ((2ULL << LAST_OP) - 2, args.query.operations);
	EXPECT_EQ(KFD_GPREEMPT_NODE_DISABLED, args.query.state);
	EXPECT_EQ(16, args.query.levels);
	EXPECT_EQ(7, args.query.priority_cap);
	EXPECT_EQ(sizeof(struct kfd_gpreempt_queue_info), args.query.queue_size);
	EXPECT_EQ(KFD_GPREEMPT_CAP_SUPPORTED, args.query.capabilities);

	ASSERT_EQ(0, gpreempt_write("above_cap", "refuse\n"));
	ASSERT_EQ(0, gpreempt_set("priority_cap", 3));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	memset(&args.query, 0, sizeof(args.query));
	ASSERT_EQ(0, call(&self->c.dev, &args));
	EXPECT_NE(KFD_GPREEMPT_NODE_DISABLED, args.query.state);
	EXPECT_EQ(3, args.query.priority_cap);
	EXPECT_EQ(KFD_GPREEMPT_CAP_SUPPORTED | KFD_GPREEMPT_CAP_REFUSES,
		  args.query.capabilities);

	memset(&args.query, 0, sizeof(args.query));
	args.gpu_id = 0;
	EXPECT_EQ(-ENODEV, call(&self->c.dev, &args));
	args.gpu_id = self->c.dev.gpu_id + 1;
	EXPECT_EQ(-ENODEV, call(&self->c.dev, &args));
}

/* 0x70 is taken; every other number that was unknown still is. */
TEST_F(ioctl, unknown_numbers)
{
	unsigned int nr, n = 0;
	__u64 args[32];

	for (nr = 0; nr < 256; nr++) {
		if ((nr && nr < AMDKFD_COMMAND_END) || nr == _IOC_NR(AMDKFD_IOC_GPREEMPT))
			continue;
		memset(args, 0, sizeof(args));
		EXPECT_EQ(-1, ioctl(self->c.dev.fd,
					    AMDKFD_IOWR(nr, struct kfd_ioctl_gpreempt_args), args));
		EXPECT_EQ(ENOTTY, errno) TH_LOG("number %#x", nr);
		n++;
	}
	EXPECT_EQ(256 - AMDKFD_COMMAND_END, n);
}

/* Shorter than the structure is wrong; longer only if the rest is not zero. */
TEST_F(ioctl, sizes)
{
	union {
		struct kfd_ioctl_gpreempt_args args;
		__u8 bytes[1024];
	} u = { .args = { .op = KFD_GPREEMPT_OP_QUERY, .gpu_id = self->c.dev.gpu_id } };
	unsigned int size;

	for (size = 0; size < sizeof(struct kfd_ioctl_gpreempt_args); size++) {
		EXPECT_EQ(-1, ioctl(self->c.dev.fd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x70, size),
				    &u));
		EXPECT_EQ(EINVAL, errno) TH_LOG("size %u", size);
	}
	for (; size <= sizeof(u); size++) {
		memset(&u.args.query, 0, sizeof(u.args.query));
		EXPECT_EQ(0, ioctl(self->c.dev.fd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x70, size),
				   &u)) TH_LOG("size %u", size);
		if (size == sizeof(struct kfd_ioctl_gpreempt_args))
			continue;
		memset(&u.args.query, 0, sizeof(u.args.query));
		u.bytes[size - 1] = 1;
		EXPECT_EQ(-1, ioctl(self->c.dev.fd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x70, size),
				    &u));
		EXPECT_EQ(E2BIG, errno) TH_LOG("size %u", size);
		EXPECT_EQ(0, u.args.query.version);
		u.bytes[size - 1] = 0;
	}
}

TEST_F(ioctl, pointers)
{
	struct kfd_ioctl_gpreempt_args *args = mmap(NULL, 2 * KFD_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *end = (char *)args + KFD_PAGE;

	ASSERT_NE(MAP_FAILED, args);
	ASSERT_EQ(0, munmap(end, KFD_PAGE));
	EXPECT_EQ(-EFAULT, call(&self->c.dev, NULL));
	EXPECT_EQ(-EFAULT, call(&self->c.dev, end));
	EXPECT_EQ(-EFAULT, call(&self->c.dev, (void *)((char *)end - 64)));
	EXPECT_EQ(-EFAULT, call(&self->c.dev, (void *)-4096L));
	args->op = KFD_GPREEMPT_OP_QUERY;
	args->gpu_id = self->c.dev.gpu_id;
	ASSERT_EQ(0, mprotect(args, KFD_PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, call(&self->c.dev, args));
	munmap(args, KFD_PAGE);
}

TEST_F(ioctl, unknown_operations)
{
	EXPECT_EQ(-EOPNOTSUPP, operate(&self->c.dev, 0, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, operate(&self->c.dev, LAST_OP + 1, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, operate(&self->c.dev, 0x80000000, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, operate(&self->c.dev, ~0, 0, 0));
}

/* Which bytes of the structure an operation reads; it refuses the others. */
static const struct {
	__u32 flags;
	bool pid, queue, gpu;
	unsigned int in;
} uses[] = {
	[KFD_GPREEMPT_OP_QUERY] = { .gpu = true },
	[KFD_GPREEMPT_OP_LIST] = { .pid = true, .gpu = true, .in = 16 },
	[KFD_GPREEMPT_OP_GET] = { .pid = true, .queue = true },
	[KFD_GPREEMPT_OP_SET_PRIORITY] = { .pid = true, .queue = true, .in = 4 },
	[KFD_GPREEMPT_OP_SET_TIMESLICE] = { .pid = true, .queue = true, .in = 4 },
	[KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT] = { .pid = true, .in = 8 },
	[KFD_GPREEMPT_OP_PREEMPT] = { .flags = 3, .pid = true, .queue = true, .in = 8 },
	[KFD_GPREEMPT_OP_RESUME] = { .flags = 1, .pid = true, .queue = true, .in = 8 },
	[KFD_GPREEMPT_OP_HINT] = { .pid = true, .queue = true, .in = 8 },
};

static bool reads(unsigned int op, size_t byte)
{
	if (byte < offsetof(struct kfd_ioctl_gpreempt_args, flags))
		return true;
	if (byte < offsetof(struct kfd_ioctl_gpreempt_args, pid))
		return byte == offsetof(struct kfd_ioctl_gpreempt_args, flags) && uses[op].flags;
	if (byte < offsetof(struct kfd_ioctl_gpreempt_args, queue_id))
		return uses[op].pid;
	if (byte < offsetof(struct kfd_ioctl_gpreempt_args, gpu_id))
		return uses[op].queue;
	if (byte < offsetof(struct kfd_ioctl_gpreempt_args, pad))
		return uses[op].gpu;
	return byte >= offsetof(struct kfd_ioctl_gpreempt_args, reserved) &&
	       byte < offsetof(struct kfd_ioctl_gpreempt_args, reserved) + uses[op].in;
}

/* A request that succeeds, or fails for its state alone. */
static struct kfd_ioctl_gpreempt_args request(const struct kfd_dev *dev, unsigned int op,
					      __u32 queue_id)
{
	struct kfd_ioctl_gpreempt_args args = { .op = op };

	if (uses[op].queue)
		args.queue_id = queue_id;
	switch (op) {
	case KFD_GPREEMPT_OP_QUERY:
		args.gpu_id = dev->gpu_id;
		break;
	case KFD_GPREEMPT_OP_LIST:
		args.list.entry_size = sizeof(struct kfd_gpreempt_queue_info);
		break;
	case KFD_GPREEMPT_OP_SET_PRIORITY:
		args.priority.priority = 5;
		break;
	case KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT:
		args.process_default.priority = 5;
		args.process_default.ceiling = 6;
		break;
	case KFD_GPREEMPT_OP_HINT:
		args.hint.arrival_us = 1000;
		args.hint.duration_us = 1000;
		break;
	}
	return args;
}

/* Each byte and each flag that means nothing: refused, and nothing changed. */
TEST_F(ioctl, unused_bytes)
{
	struct kfd_gpreempt_queue_info before, after;
	unsigned int op, bit;
	size_t byte;

	ASSERT_EQ(0, get(&self->c.dev, 0, self->low.id, &before));
	for (op = 1; op <= LAST_OP; op++) {
		for (byte = 0; byte < sizeof(struct kfd_ioctl_gpreempt_args); byte++) {
			struct kfd_ioctl_gpreempt_args args =
				request(&self->c.dev, op, self->low.id);

			if (reads(op, byte))
				continue;
			((__u8 *)&args)[byte] = 0x80;
			EXPECT_EQ(-EINVAL, call(&self->c.dev, &args))
				TH_LOG("operation %u, byte %zu", op, byte);
		}
		for (bit = 0; bit < 32; bit++) {
			struct kfd_ioctl_gpreempt_args args =
				request(&self->c.dev, op, self->low.id);

			if (uses[op].flags & 1u << bit)
				continue;
			args.flags = 1u << bit;
			EXPECT_EQ(-EINVAL, call(&self->c.dev, &args))
				TH_LOG("operation %u, flag %u", op, bit);
		}
	}
	ASSERT_EQ(0, get(&self->c.dev, 0, self->low.id, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

/* Every number out of its range, alone. */
TEST_F(ioctl, ranges)
{
	const __u32 wait = KFD_GPREEMPT_WAIT, holds = KFD_GPREEMPT_HOLD;
	const __u32 q = self->low.id;
	const struct {
		const char *what;
		struct kfd_ioctl_gpreempt_args args;
	} wrong[] = {
		{ "priority 16", { .op = KFD_GPREEMPT_OP_SET_PRIORITY, .queue_id = q,
			.priority.priority = 16 } },
		{ "priority -2", { .op = KFD_GPREEMPT_OP_SET_PRIORITY, .queue_id = q,
			.priority.priority = 0xfffffffe } },
		{ "default 16", { .op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
			.process_default = { 16, 0 } } },
		{ "ceiling 16", { .op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
			.process_default = { 0, 16 } } },
		{ "ceiling -2", { .op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
			.process_default = { 0, 0xfffffffe } } },
		{ "timeslice 1", { .op = KFD_GPREEMPT_OP_SET_TIMESLICE, .queue_id = q,
			.timeslice_us = 1 } },
		{ "timeslice 999", { .op = KFD_GPREEMPT_OP_SET_TIMESLICE, .queue_id = q,
			.timeslice_us = KFD_GPREEMPT_TIMESLICE_US_MIN - 1 } },
		{ "timeslice 1000001", { .op = KFD_GPREEMPT_OP_SET_TIMESLICE, .queue_id = q,
			.timeslice_us = KFD_GPREEMPT_TIMESLICE_US_MAX + 1 } },
		{ "timeslice -1", { .op = KFD_GPREEMPT_OP_SET_TIMESLICE, .queue_id = q,
			.timeslice_us = ~0 } },
		{ "wait for no time", { .op = KFD_GPREEMPT_OP_PREEMPT, .queue_id = q,
			.flags = wait } },
		{ "wait too long", { .op = KFD_GPREEMPT_OP_PREEMPT, .queue_id = q,
			.flags = wait, .preempt.wait_ms = KFD_GPREEMPT_WAIT_MS_MAX + 1 } },
		{ "time without wait", { .op = KFD_GPREEMPT_OP_PREEMPT, .queue_id = q,
			.preempt.wait_ms = 1 } },
		{ "hold too long", { .op = KFD_GPREEMPT_OP_PREEMPT, .queue_id = q,
			.flags = holds, .preempt.hold_ms = KFD_GPREEMPT_HOLD_MS_MAX + 1 } },
		{ "time without hold", { .op = KFD_GPREEMPT_OP_PREEMPT, .queue_id = q,
			.preempt.hold_ms = 1 } },
		{ "resume, wait for no time", { .op = KFD_GPREEMPT_OP_RESUME, .queue_id = q,
			.flags = wait } },
		{ "resume, time without wait", { .op = KFD_GPREEMPT_OP_RESUME, .queue_id = q,
			.preempt.wait_ms = 1 } },
		{ "resume for a time", { .op = KFD_GPREEMPT_OP_RESUME, .queue_id = q,
			.preempt.hold_ms = 1 } },
		{ "hint too far", { .op = KFD_GPREEMPT_OP_HINT, .queue_id = q,
			.hint = { KFD_GPREEMPT_HINT_US_MAX + 1, 1 } } },
		{ "hint too long", { .op = KFD_GPREEMPT_OP_HINT, .queue_id = q,
			.hint = { 0, KFD_GPREEMPT_HINT_US_MAX + 1 } } },
		{ "hint of nothing", { .op = KFD_GPREEMPT_OP_HINT, .queue_id = q,
			.hint = { 1, 0 } } },
		{ "entries too small", { .op = KFD_GPREEMPT_OP_LIST,
			.list.entry_size = sizeof(struct kfd_gpreempt_queue_info) - 1 } },
		{ "entries of 0", { .op = KFD_GPREEMPT_OP_LIST } },
	};
	struct kfd_gpreempt_queue_info before, after;
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, get(&self->c.dev, 0, q, &before));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct kfd_ioctl_gpreempt_args args = wrong[i].args;

		EXPECT_EQ(-EINVAL, call(&self->c.dev, &args)) TH_LOG("%s", wrong[i].what);
	}
	ASSERT_EQ(0, get(&self->c.dev, 0, q, &after));
	EXPECT_EQ(before.permitted, after.permitted);
	EXPECT_EQ(before.timeslice_us, after.timeslice_us);
	EXPECT_EQ(0, after.flags);
}

/* No such queue: one never made, one destroyed, the number of no kind of queue. */
TEST_F(ioctl, no_such_queue)
{
	struct aql_queue gone;
	const __u32 ids[] = { 500, 1023, 1024, 0x7fffffff, 0x80000000, ~0 };
	unsigned int op, i;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, aql_create(&gone, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, aql_destroy(&gone));
	for (op = 1; op <= LAST_OP; op++) {
		if (!uses[op].queue)
			continue;
		for (i = 0; i < ARRAY_SIZE(ids); i++) {
			struct kfd_ioctl_gpreempt_args args = request(&self->c.dev, op, ids[i]);

			EXPECT_EQ(-ENOENT, call(&self->c.dev, &args))
				TH_LOG("operation %u, queue %u", op, ids[i]);
		}
		struct kfd_ioctl_gpreempt_args args = request(&self->c.dev, op, gone.id);

		EXPECT_EQ(-ENOENT, call(&self->c.dev, &args)) TH_LOG("operation %u", op);
	}
}

static void *sleeper(void *arg)
{
	struct shared *shared = arg;

	shared->pid = syscall(SYS_gettid);
	while (!shared->stop)
		usleep(1000);
	return NULL;
}

/*
 * No such process: a number nobody has, a zombie, one that was reaped, a thread
 * that leads none, and, but for its default, one that does not use KFD.
 */
TEST_F(ioctl, no_such_process)
{
	pid_t zombie, idle;
	pthread_t thread;
	unsigned int op;

	zombie = client_fork();
	ASSERT_LE(0, zombie);
	if (!zombie)
		_exit(0);
	/* dead, not reaped */
	ASSERT_EQ(0, waitid(P_PID, zombie, &(siginfo_t){}, WEXITED | WNOWAIT));
	idle = client_fork();
	ASSERT_LE(0, idle);
	if (!idle) {
		pause();
		_exit(0);
	}
	self->child = idle;
	ASSERT_EQ(0, pthread_create(&thread, NULL, sleeper, self->shared));
	while (!self->shared->pid)
		usleep(1000);

	for (op = 1; op <= LAST_OP; op++) {
		struct kfd_ioctl_gpreempt_args args = request(&self->c.dev, op, self->low.id);
		const __u32 pids[] = { 0x3fffff, ~0, 0x80000000, zombie, idle,
				       self->shared->pid };
		unsigned int i;

		if (!uses[op].pid)
			continue;
		for (i = 0; i < ARRAY_SIZE(pids); i++) {
			int want = -ESRCH;

			/* they may have a default before they use KFD, and a zombie is one */
			if (op == KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT &&
			    (pids[i] == zombie || pids[i] == idle))
				want = 0;
			args.pid = pids[i];
			EXPECT_EQ(want, call(&self->c.dev, &args))
				TH_LOG("operation %u, pid %u", op, pids[i]);
		}
	}
	ASSERT_EQ(zombie, waitpid(zombie, NULL, 0));
	EXPECT_EQ(-ESRCH, set_default(&self->c.dev, zombie, 5, KFD_GPREEMPT_NONE));
	self->shared->stop = 1;
	pthread_join(thread, NULL);
}

/* A file descriptor is the opener's alone. */
TEST_F(ioctl, forked_child)
{
	unsigned int op;
	int status;
	pid_t pid;

	pid = client_fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		for (op = 1; op <= LAST_OP; op++) {
			struct kfd_ioctl_gpreempt_args args =
				request(&self->c.dev, op, self->low.id);

			if (call(&self->c.dev, &args) != -EBADF)
				_exit(op);
			args.pid = getppid();
			if (uses[op].pid && call(&self->c.dev, &args) != -EBADF)
				_exit(op);
		}
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_F(ioctl, get)
{
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(self->high.id, info.queue_id);
	EXPECT_EQ(self->c.dev.gpu_id, info.gpu_id);
	EXPECT_EQ(PRIORITY_HIGH, info.priority);
	/* root may */
	EXPECT_EQ(PRIORITY_HIGH, info.permitted);
	EXPECT_EQ(PRIORITY_HIGH, info.effective);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, info.state);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(gpreempt_number("level15/timeslice_us"), info.timeslice_us);
	EXPECT_EQ(0, info.preemptions);

	/* by its own number, too */
	ASSERT_EQ(0, get(&self->c.dev, getpid(), self->high.id, &info));
	EXPECT_EQ(self->high.id, info.queue_id);

	ASSERT_EQ(0, aql_update(&self->high, 0, PRIORITY_HIGH));
	ASSERT_EQ(0, get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_OFF, info.state);
	ASSERT_EQ(0, aql_update(&self->high, 100, PRIORITY_HIGH));
}

static int list(struct kfd_dev *dev, void *to, __u32 count, __u32 size, __u32 gpu_id,
		struct kfd_ioctl_gpreempt_args *args)
{
	*args = (struct kfd_ioctl_gpreempt_args) { .op = KFD_GPREEMPT_OP_LIST, .gpu_id = gpu_id,
			    .list = { (uintptr_t)to, count, size } };
	return call(dev, args);
}

/* Room for none, for less and for more; entries farther apart; nowhere. */
TEST_F(ioctl, list)
{
	const __u32 size = sizeof(struct kfd_gpreempt_queue_info);
	struct {
		struct kfd_gpreempt_queue_info info;
		__u64 more;
	} wide[3];
	struct kfd_gpreempt_queue_info info[3];
	struct kfd_dev *dev = &self->c.dev;
	struct kfd_ioctl_gpreempt_args args;

	ASSERT_EQ(0, list(dev, NULL, 0, size, 0, &args));
	EXPECT_EQ(2, args.list.count);
	EXPECT_EQ(size, args.list.entry_size);

	memset(info, 0xaa, sizeof(info));
	ASSERT_EQ(0, list(dev, info, 1, size, dev->gpu_id, &args));
	EXPECT_EQ(2, args.list.count);
	EXPECT_EQ(dev->gpu_id, info[0].gpu_id);
	EXPECT_EQ(0xaaaaaaaa, info[1].gpu_id);

	ASSERT_EQ(0, list(dev, info, ~0, size, 0, &args));
	EXPECT_EQ(2, args.list.count);
	EXPECT_EQ(self->low.id + self->high.id, info[0].queue_id + info[1].queue_id);
	EXPECT_EQ(0xaaaaaaaa, info[2].gpu_id);

	memset(wide, 0xaa, sizeof(wide));
	ASSERT_EQ(0, list(dev, wide, 3, sizeof(wide[0]), 0, &args));
	EXPECT_EQ(0, memcmp(&wide[0].info, &info[0], size));
	EXPECT_EQ(0, memcmp(&wide[1].info, &info[1], size));
	EXPECT_EQ(0xaaaaaaaaaaaaaaaa, wide[0].more);
	EXPECT_EQ(0xaaaaaaaa, wide[2].info.gpu_id);

	ASSERT_EQ(0, list(dev, info, 3, size, dev->gpu_id + 1, &args));
	EXPECT_EQ(0, args.list.count);

	EXPECT_EQ(-EFAULT, list(dev, NULL, 1, size, 0, &args));
	EXPECT_EQ(-EFAULT, list(dev, (void *)-4096L, 2, size, 0, &args));
	/* the second entry is beyond all addresses */
	EXPECT_EQ(-EFAULT, list(dev, info, 2, ~0, 0, &args));
}

/* SET_PRIORITY counts until it is taken back, whatever UPDATE_QUEUE says. */
TEST_F(ioctl, set_priority)
{
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;

	EXPECT_EQ(9, set_priority(dev, 0, self->low.id, 9));
	ASSERT_EQ(0, aql_update(&self->low, 100, 2));
	ASSERT_EQ(0, get(dev, 0, self->low.id, &info));
	EXPECT_EQ(2, info.priority);
	EXPECT_EQ(9, info.permitted);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_PRIORITY, info.flags);
	EXPECT_EQ(0, set_priority(dev, 0, self->low.id, 0));
	EXPECT_EQ(2, set_priority(dev, 0, self->low.id, KFD_GPREEMPT_NONE));
	ASSERT_EQ(0, get(dev, 0, self->low.id, &info));
	EXPECT_EQ(0, info.flags);
	/* another queue was not meant */
	EXPECT_EQ(PRIORITY_HIGH, permitted(&self->high));
}

TEST_F(ioctl, set_timeslice)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_TIMESLICE, .queue_id = self->low.id,
	};
	struct kfd_gpreempt_queue_info info;
	struct kfd_dev *dev = &self->c.dev;
	const __u32 us[] = { KFD_GPREEMPT_TIMESLICE_US_MIN, 20000,
			     KFD_GPREEMPT_TIMESLICE_US_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(us); i++) {
		args.timeslice_us = us[i];
		EXPECT_EQ(0, call(dev, &args));
		ASSERT_EQ(0, get(dev, 0, self->low.id, &info));
		EXPECT_EQ(us[i], info.timeslice_us);
	}
	args.timeslice_us = 0;
	EXPECT_EQ(0, call(dev, &args));
	ASSERT_EQ(0, get(dev, 0, self->low.id, &info));
	EXPECT_EQ(gpreempt_number("level0/timeslice_us"), info.timeslice_us);
}

/* What anybody may do to a queue of its own, and the cap on it. */
static int own_queue(struct shared *shared)
{
	struct kfd_ioctl_gpreempt_args slice = { .op = KFD_GPREEMPT_OP_SET_TIMESLICE };
	struct aql_queue q;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 15));
	CHECK(7, permitted(&q));
	CHECK(7, set_priority(&dev, 0, q.id, 15));
	CHECK(3, set_priority(&dev, 0, q.id, 3));
	CHECK(7, set_priority(&dev, 0, q.id, 7));
	CHECK(7, set_priority(&dev, 0, q.id, KFD_GPREEMPT_NONE));
	slice.queue_id = q.id;
	slice.timeslice_us = gpreempt_number("level7/timeslice_us");
	CHECK(0, call(&dev, &slice));
	slice.timeslice_us++;
	CHECK(-EPERM, call(&dev, &slice));
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

/* The same with CAP_SYS_NICE and no other privilege. */
static int own_queue_nice(struct shared *shared)
{
	struct kfd_ioctl_gpreempt_args slice = { .op = KFD_GPREEMPT_OP_SET_TIMESLICE };
	struct aql_queue q;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 15));
	CHECK(15, permitted(&q));
	CHECK(9, set_priority(&dev, 0, q.id, 9));
	slice.queue_id = q.id;
	slice.timeslice_us = KFD_GPREEMPT_TIMESLICE_US_MAX;
	CHECK(0, call(&dev, &slice));
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

TEST_F(ioctl, cap_clamps)
{
	ASSERT_EQ(0, open_to_all(&self->c.dev));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, own_queue));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, true, own_queue_nice));
}

/* above_cap = refuse: nothing above the cap, but what was granted stays. */
static int refused(struct shared *shared)
{
	struct aql_queue q, none;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, aql_create(&none, &dev, 64, 8));
	CHECK(0, aql_create(&q, &dev, 64, 7));
	CHECK(-EPERM, aql_update(&q, 100, 8));
	CHECK(7, permitted(&q));
	CHECK(-EPERM, set_priority(&dev, 0, q.id, 8));
	CHECK(7, permitted(&q));
	CHECK(0, aql_update(&q, 100, 7));
	CHECK(5, set_priority(&dev, 0, q.id, 5));
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

TEST_F(ioctl, cap_refuses)
{
	ASSERT_EQ(0, open_to_all(&self->c.dev));
	ASSERT_EQ(0, gpreempt_write("above_cap", "refuse\n"));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, false, refused));
	EXPECT_EQ(0, in_child(self->shared, SOME_USER, true, own_queue_nice));
}

/* A process with a queue, until it is told to end. */
static int owner(struct shared *shared)
{
	struct aql_queue q;
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, aql_create(&q, &dev, 64, 3));
	shared->queue_id = q.id;
	shared->pid = getpid();
	shared->ready = 1;
	while (!shared->stop)
		usleep(1000);
	CHECK(0, aql_destroy(&q));
	kfd_close(&dev);
	return 0;
}

/* Every operation on the owner's queue, which is none of the caller's business. */
static int stranger(struct shared *shared)
{
	struct kfd_dev dev;
	unsigned int op;

	CHECK(0, kfd_open(&dev));
	for (op = 1; op <= LAST_OP; op++) {
		struct kfd_ioctl_gpreempt_args args = request(&dev, op, shared->queue_id);

		if (!uses[op].pid)
			continue;
		args.pid = shared->pid;
		CHECK(-EPERM, call(&dev, &args));
		/* nor is it told which queues there are */
		args.queue_id = uses[op].queue ? 500 : 0;
		CHECK(-EPERM, call(&dev, &args));
	}
	kfd_close(&dev);
	return 0;
}

/* The same for somebody who may. */
static int friend(struct shared *shared)
{
	struct kfd_dev dev;
	unsigned int op;

	CHECK(0, kfd_open(&dev));
	for (op = 1; op <= LAST_OP; op++) {
		struct kfd_ioctl_gpreempt_args args = request(&dev, op, shared->queue_id);

		if (!uses[op].pid)
			continue;
		if (op == KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT)
			args.process_default.ceiling = KFD_GPREEMPT_NONE;
		args.pid = shared->pid;
		CHECK(0, call(&dev, &args));
	}
	CHECK(4, set_priority(&dev, shared->pid, shared->queue_id, 4));
	kfd_close(&dev);
	return 0;
}

/* A hold on another's queue: for a time, or with CAP_SYS_NICE. */
static int foreign_hold(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
			      KFD_GPREEMPT_HOLD, 0, 0));
	CHECK(0, preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
			 KFD_GPREEMPT_HOLD, 0, 10000));
	CHECK(0, preempt(&dev, KFD_GPREEMPT_OP_RESUME, shared->pid, shared->queue_id, 0, 0, 0));
	kfd_close(&dev);
	return 0;
}

/* Whoever has CAP_SYS_NICE holds, and only such a one lets go. */
static int nice_hold(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
			 KFD_GPREEMPT_HOLD, 0, 0));
	kfd_close(&dev);
	return 0;
}

static int cannot_end_hold(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(-EPERM, preempt(&dev, KFD_GPREEMPT_OP_RESUME, shared->pid, shared->queue_id,
			      0, 0, 0));
	CHECK(-EPERM, preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
			      KFD_GPREEMPT_HOLD, 0, 1));
	kfd_close(&dev);
	return 0;
}

static int ends_hold(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, preempt(&dev, KFD_GPREEMPT_OP_RESUME, shared->pid, shared->queue_id, 0, 0, 0));
	kfd_close(&dev);
	return 0;
}

static pid_t start_owner(struct shared *shared, uid_t user)
{
	pid_t pid = client_fork();
	unsigned int ms;

	if (!pid)
		_exit(become(user, false) ? 99 : owner(shared));
	for (ms = 0; pid > 0 && !shared->ready; ms += 10) {
		if (ms > CLIENT_TIMEOUT_MS || waitpid(pid, NULL, WNOHANG) == pid)
			return -1;
		usleep(10000);
	}
	return pid;
}

/* Rule 8, with four callers: another user, with CAP_SYS_NICE, the same user, root. */
TEST_F(ioctl, other_users)
{
	struct kfd_gpreempt_queue_info info;
	struct shared *shared = self->shared;
	int status;

	ASSERT_EQ(0, open_to_all(&self->c.dev));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	self->child = start_owner(shared, SOME_USER);
	ASSERT_LT(0, self->child);
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, false, stranger));
	ASSERT_EQ(0, get(&self->c.dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(3, info.permitted);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, true, friend));
	EXPECT_EQ(0, in_child(shared, SOME_USER, false, friend));
	EXPECT_EQ(0, in_child(shared, 0, false, friend));

	EXPECT_EQ(0, in_child(shared, SOME_USER, false, foreign_hold));
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, true, nice_hold));
	EXPECT_EQ(0, in_child(shared, SOME_USER, false, cannot_end_hold));
	EXPECT_EQ(0, in_child(shared, SOME_USER + 1, true, ends_hold));

	shared->stop = 1;
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_EQ(0, WEXITSTATUS(status)) TH_LOG("line %d", shared->line);
}

/* One queue of a process that opens the GPU now; what priority 7 comes to. */
static int open_queue(struct kfd_dev *dev, struct aql_queue *q)
{
	if (kfd_open(dev) || aql_create(q, dev, 64, 7))
		return -1;
	return permitted(q);
}

/* The child of one that has priority 3, ceiling 5: it can step back farther. */
static int grandchild(struct shared *shared)
{
	struct aql_queue q, q2;
	struct kfd_dev dev;
	int status;
	pid_t pid;

	CHECK(3, open_queue(&dev, &q));
	CHECK(0, set_default(&dev, 0, 2, KFD_GPREEMPT_NONE));
	CHECK(2, permitted(&q));
	/* the ancestor's ceiling holds for what is set nearer, too */
	CHECK(0, set_default(&dev, 0, 7, 9));
	CHECK(5, permitted(&q));
	CHECK(5, set_priority(&dev, 0, q.id, 7));
	CHECK(5, set_priority(&dev, 0, q.id, KFD_GPREEMPT_NONE));
	pid = client_fork();
	if (!pid)
		_exit(open_queue(&dev, &q2));
	CHECK(pid, waitpid(pid, &status, 0));
	CHECK(5, WEXITSTATUS(status));
	/* one's own ceiling can be lowered, not raised */
	CHECK(0, set_default(&dev, 0, 7, 1));
	CHECK(1, permitted(&q));
	CHECK(-EPERM, set_default(&dev, 0, 7, 2));
	CHECK(-EPERM, set_default(&dev, 0, 7, KFD_GPREEMPT_NONE));
	CHECK(1, permitted(&q));
	return 0;
}

/* In a child that has been given priority 3, ceiling 5, and has no GPU yet. */
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
	CHECK(-EPERM, set_default(&dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	return 0;
}

TEST_F(ioctl, process_default)
{
	struct shared *shared = self->shared;
	struct kfd_dev *dev = &self->c.dev;
	int status;

	ASSERT_EQ(0, open_to_all(dev));
	self->child = client_fork();
	if (!self->child)
		_exit(become(SOME_USER, false) ? 99 : heir(shared));
	while (!shared->ready)
		usleep(1000);
	ASSERT_EQ(0, set_default(dev, self->child, 3, 5));
	shared->stop = 1;
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_EQ(0, WEXITSTATUS(status)) TH_LOG("line %d", shared->line);
	/* the parent is no descendant */
	EXPECT_EQ(PRIORITY_HIGH, permitted(&self->high));
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
	EXPECT_EQ(0, set_default(dev, 0, 12, KFD_GPREEMPT_NONE));
	EXPECT_EQ(12, permitted(&self->low));
	EXPECT_EQ(12, permitted(&self->high));
	ASSERT_EQ(0, get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(3, info.priority);
	EXPECT_EQ(12, info.permitted);
	EXPECT_EQ(6, set_priority(dev, 0, self->low.id, 6));
	EXPECT_EQ(0, set_default(dev, shared->pid, 9, 10));
	ASSERT_EQ(0, get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(9, info.permitted);
	EXPECT_EQ(12, permitted(&self->high));
	EXPECT_EQ(0, set_default(dev, 0, 12, 4));
	EXPECT_EQ(4, permitted(&self->low));
	ASSERT_EQ(0, get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(4, info.permitted);
	EXPECT_EQ(0, set_default(dev, shared->pid, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	EXPECT_EQ(0, set_default(dev, 0, KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE));
	EXPECT_EQ(6, permitted(&self->low));
	EXPECT_EQ(PRIORITY_HIGH, permitted(&self->high));
	ASSERT_EQ(0, get(dev, shared->pid, shared->queue_id, &info));
	EXPECT_EQ(3, info.permitted);
}

/* Without a monitor there is nobody to do it. */
TEST_F(ioctl, disabled)
{
	const unsigned int ops[] = { KFD_GPREEMPT_OP_PREEMPT, KFD_GPREEMPT_OP_RESUME,
				     KFD_GPREEMPT_OP_HINT };
	struct kfd_gpreempt_queue_info info;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct kfd_ioctl_gpreempt_args args = request(&self->c.dev, ops[i], self->low.id);

		EXPECT_EQ(-ENODEV, call(&self->c.dev, &args)) TH_LOG("operation %u", ops[i]);
	}
	EXPECT_EQ(-ENODEV, hold(&self->low, 0));
	ASSERT_EQ(0, get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(0, info.flags);
}

static __u32 state_of(struct aql_queue *q)
{
	struct kfd_gpreempt_queue_info info;

	return get(q->dev, 0, q->id, &info) ? ~0 : info.state;
}

/* LOW's work, under way. */
static int start_work(struct client *c, struct aql_queue *q, struct low_job *job)
{
	__u32 n = low_calibrate(c, q, LOW_MS);
	int ret;

	if (!n)
		return -EIO;
	ret = low_job_init(c, job, c->dev.cus, n);
	if (ret)
		return ret;
	low_job_start(c, job, q);
	usleep(LOW_MS * 1000 / 10);
	return 0;
}

/* Off the hardware in mid-kernel until it is told to go on; nothing lost. */
TEST_F_TIMEOUT(ioctl, hold, 120)
{
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_work(&self->c, &self->low, &self->job));
	ASSERT_EQ(0, hold(&self->low, 0));
	ASSERT_EQ(0, get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, info.state);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HOLD, info.flags);
	EXPECT_EQ(1, info.preemptions);
	/* nobody else wants the machine, and rule 3 does not end it either */
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 10));
	EXPECT_EQ(-ETIME, low_job_wait(&self->c, &self->job, 3 * LOW_MS));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, state_of(&self->low));
	/* again is no error, and nothing more to do */
	EXPECT_EQ(0, hold(&self->low, 0));
	EXPECT_EQ(0, resume(&self->low));
	EXPECT_NE(KFD_GPREEMPT_QUEUE_HELD, state_of(&self->low));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	ASSERT_EQ(0, get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(1, info.preemptions);
	EXPECT_LE(3 * LOW_MS * 1000000ULL, info.preempted_ns);
	EXPECT_EQ(0, resume(&self->low));
	low_job_free(&self->c, &self->job);
}

/* The monitor may be parked when the time is over. */
TEST_F_TIMEOUT(ioctl, hold_ends_by_itself, 120)
{
	__u64 begin;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_work(&self->c, &self->low, &self->job));
	begin = kfd_now();
	ASSERT_EQ(0, hold(&self->low, 1000));
	EXPECT_EQ(0, gpreempt_wait_state("parked", 900));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HELD, state_of(&self->low));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_LE(1000000000ULL, kfd_now() - begin);
	EXPECT_EQ(0, low_job_wrong(&self->job));
	low_job_free(&self->c, &self->job);
}

/* Rule 5: disabling forgets it. */
TEST_F_TIMEOUT(ioctl, hold_ends_with_disable, 120)
{
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_work(&self->c, &self->low, &self->job));
	ASSERT_EQ(0, hold(&self->low, 0));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	ASSERT_EQ(0, get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, info.state);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	usleep(50000);
	EXPECT_NE(KFD_GPREEMPT_QUEUE_HELD, state_of(&self->low));
	low_job_free(&self->c, &self->job);
}

/* Without a hold it is taken off once, and comes back when its turn comes. */
TEST_F_TIMEOUT(ioctl, preempt_once, 120)
{
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_work(&self->c, &self->low, &self->job));
	ASSERT_EQ(0, preempt(&self->c.dev, KFD_GPREEMPT_OP_PREEMPT, 0, self->low.id, 0, 0, 0));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	ASSERT_EQ(0, get(&self->c.dev, 0, self->low.id, &info));
	EXPECT_EQ(1, info.preemptions);
	EXPECT_EQ(0, info.flags);
	low_job_free(&self->c, &self->job);
}

/* HIGH, which never ends, keeps LOW off the machine. */
static int start_contention(struct client *c, struct aql_queue *low, struct aql_queue *high,
			    struct low_job *job, struct until_job *until)
{
	unsigned int ms;
	int ret;

	ret = gpreempt_set("starvation_ms", 60000);
	ret = ret ?: gpreempt_set("enable", 1);
	ret = ret ?: until_job_init(c, until);
	ret = ret ?: start_work(c, low, job);
	if (ret)
		return ret;
	until_job_start(c, until, high);
	for (ms = 0; state_of(low) != KFD_GPREEMPT_QUEUE_PREEMPTED; ms++) {
		if (ms > CLIENT_TIMEOUT_MS)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

static int end_contention(struct client *c, struct low_job *job, struct until_job *until)
{
	int ret;

	until_job_stop(until);
	ret = until_job_wait(c, until, CLIENT_TIMEOUT_MS);
	ret = ret ?: low_job_wait(c, job, CLIENT_TIMEOUT_MS);
	ret = ret ?: low_job_wrong(job);
	until_job_free(c, until);
	low_job_free(c, job);
	return ret;
}

static volatile unsigned int alarms;

static void on_alarm(int sig)
{
	alarms++;
}

static void set_alarms(unsigned int ms, int flags)
{
	struct itimerval every = { { 0, ms * 1000 }, { 0, ms * 1000 } };
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = flags };

	alarms = 0;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/*
 * A wait that cannot end: its time is its time however often it is
 * interrupted, and without SA_RESTART it says so.
 */
TEST_F_TIMEOUT(ioctl, wait_is_restarted, 120)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_RESUME, .queue_id = self->low.id,
		.flags = KFD_GPREEMPT_WAIT, .preempt.wait_ms = 500,
	};
	__u64 begin;

	ASSERT_EQ(0, start_contention(&self->c, &self->low, &self->high, &self->job,
				      &self->until));
	begin = kfd_now();
	set_alarms(20, SA_RESTART);
	EXPECT_EQ(-ETIME, call(&self->c.dev, &args));
	begin = kfd_now() - begin;
	/* a jiffy is lost with each restart, or won */
	EXPECT_LE(250 * 1000000ULL, begin);
	EXPECT_GE(3000 * 1000000ULL, begin);
	EXPECT_LT(3, alarms);

	args.preempt.wait_ms = CLIENT_TIMEOUT_MS;
	set_alarms(100, 0);
	EXPECT_EQ(-EINTR, call(&self->c.dev, &args));
	EXPECT_GT(CLIENT_TIMEOUT_MS, args.preempt.wait_ms);
	EXPECT_LT(0, args.preempt.wait_ms);
	set_alarms(0, 0);
	EXPECT_EQ(0, end_contention(&self->c, &self->job, &self->until));
}

/* In a child with a held queue: waits for what does not come. */
static int waits(struct shared *shared)
{
	struct until_job until;
	struct aql_queue low, high;
	struct low_job job;
	struct client c;

	CHECK(0, client_open(&c));
	CHECK(0, aql_create(&low, &c.dev, 64, PRIORITY_LOW));
	CHECK(0, aql_create(&high, &c.dev, 64, PRIORITY_HIGH));
	CHECK(0, start_contention(&c, &low, &high, &job, &until));
	shared->ready = 1;
	preempt(&c.dev, KFD_GPREEMPT_OP_RESUME, 0, low.id, KFD_GPREEMPT_WAIT, 60000, 0);
	return 1;
}

/* Killed while it waits: dead at once, and the machine is free. */
TEST_F_TIMEOUT(ioctl, killed_while_waiting, 120)
{
	__u64 begin;
	int status;

	self->child = client_fork();
	if (!self->child)
		_exit(waits(self->shared));
	while (!self->shared->ready) {
		ASSERT_EQ(0, waitpid(self->child, &status, WNOHANG))
			TH_LOG("line %d", self->shared->line);
		usleep(1000);
	}
	usleep(50000);
	begin = kfd_now();
	ASSERT_EQ(0, kill(self->child, SIGKILL));
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_GE(5000 * 1000000ULL, kfd_now() - begin);
	ASSERT_EQ(0, start_work(&self->c, &self->low, &self->job));
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	low_job_free(&self->c, &self->job);
}

struct waiter {
	struct aql_queue *q;
	volatile int ret;
};

static void *wait_resume(void *arg)
{
	struct waiter *w = arg;

	w->ret = resume(w->q);
	return NULL;
}

/* The queue goes while somebody waits for it; then the node stops. */
TEST_F_TIMEOUT(ioctl, destroyed_while_waiting, 120)
{
	struct aql_queue other;
	struct waiter w = { .q = &other, .ret = 1 };
	pthread_t thread;

	ASSERT_EQ(0, aql_create(&other, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, start_contention(&self->c, &other, &self->high, &self->job,
				      &self->until));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_resume, &w));
	usleep(100000);
	EXPECT_EQ(1, w.ret);
	ASSERT_EQ(0, aql_destroy(&other));
	pthread_join(thread, NULL);
	EXPECT_EQ(-ENOENT, w.ret);
	until_job_stop(&self->until);
	EXPECT_EQ(0, until_job_wait(&self->c, &self->until, CLIENT_TIMEOUT_MS));
	until_job_free(&self->c, &self->until);
	low_job_free(&self->c, &self->job);

	w.q = &self->low;
	w.ret = 1;
	ASSERT_EQ(0, start_contention(&self->c, &self->low, &self->high, &self->job,
				      &self->until));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_resume, &w));
	usleep(100000);
	EXPECT_EQ(1, w.ret);
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	pthread_join(thread, NULL);
	/* resumed by disabling, or told that nobody would */
	EXPECT_TRUE(!w.ret || w.ret == -ENODEV);
	EXPECT_EQ(0, end_contention(&self->c, &self->job, &self->until));
}

struct racer {
	struct client *c;
	volatile int stop;
	unsigned int rounds;
};

static void *create_destroy(void *arg)
{
	struct racer *r = arg;
	struct aql_queue q;

	while (!r->stop) {
		if (aql_create(&q, &r->c->dev, 64, r->rounds % 16))
			return arg;
		/* long enough to be met, and to be asked for */
		usleep(r->rounds % 4 * 5000);
		if (aql_destroy(&q))
			return arg;
		r->rounds++;
	}
	return NULL;
}

/* Every operation on a queue that comes and goes. */
TEST_F_TIMEOUT(ioctl, being_destroyed, 120)
{
	struct racer r = { .c = &self->c };
	unsigned int i, found = 0;
	pthread_t thread;
	void *failed;
	__u64 end;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, create_destroy, &r));
	end = kfd_now() + 2000000000ULL;
	for (i = 0; kfd_now() < end; i++) {
		unsigned int op = 1 + i % LAST_OP;
		struct kfd_ioctl_gpreempt_args args = request(&self->c.dev, op, self->high.id + 1);
		int ret;

		if (op == KFD_GPREEMPT_OP_PREEMPT) {
			args.flags = KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT;
			args.preempt.wait_ms = 100;
		}
		ret = call(&self->c.dev, &args);
		EXPECT_TRUE(!ret || ret == -ENOENT || ret == -ETIME || ret == -EBUSY)
			TH_LOG("operation %u: %d", op, ret);
		found += !ret && uses[op].queue;
	}
	r.stop = 1;
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
	TH_LOG("%u queues, %u calls, %u of them met a queue", r.rounds, i, found);
	EXPECT_LT(0, r.rounds);
	EXPECT_LT(0, found);
}

/* Work is announced: the machine is free when it comes, and if it does not come. */
TEST_F_TIMEOUT(ioctl, hint, 120)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .queue_id = self->high.id,
		.hint = { 20000, 100000 },
	};
	struct kfd_gpreempt_queue_info info;
	unsigned int ms;

	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, start_work(&self->c, &self->low, &self->job));
	EXPECT_NE(KFD_GPREEMPT_QUEUE_PREEMPTED, state_of(&self->low));
	ASSERT_EQ(0, call(&self->c.dev, &args));
	ASSERT_EQ(0, get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_HINT, info.flags);
	for (ms = 0; ms < 1000; ms++) {
		ASSERT_EQ(0, get(&self->c.dev, 0, self->low.id, &info));
		if (info.preemptions)
			break;
		usleep(1000);
	}
	/* in advance, and with no work at all */
	EXPECT_EQ(1, info.preemptions);
	EXPECT_EQ(0, low_job_wait(&self->c, &self->job, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&self->job));
	usleep(150000);
	ASSERT_EQ(0, get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(0, info.flags);

	/* an announcement can be taken back */
	args.hint = (struct kfd_gpreempt_hint){ 1000000, 1000000 };
	ASSERT_EQ(0, call(&self->c.dev, &args));
	args.hint = (struct kfd_gpreempt_hint){ 0, 0 };
	ASSERT_EQ(0, call(&self->c.dev, &args));
	ASSERT_EQ(0, get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(0, info.flags);
	low_job_free(&self->c, &self->job);
}

TEST_HARNESS_MAIN
