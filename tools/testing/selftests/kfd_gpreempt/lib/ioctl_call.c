// SPDX-License-Identifier: GPL-2.0
/* AMDKFD_IOC_GPREEMPT as the tests call it; see ioctl_call.h. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>

#include "file.h"
#include "gpreempt.h"
#include "ioctl_call.h"

int gpreempt_call(struct kfd_dev *dev, struct kfd_ioctl_gpreempt_args *args)
{
	return ioctl(dev->fd, AMDKFD_IOC_GPREEMPT, args) ? -errno : 0;
}

int gpreempt_get(struct kfd_dev *dev, __u32 pid, __u32 queue_id,
		 struct kfd_gpreempt_queue_info *info)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .pid = pid, .queue_id = queue_id,
		.list = { (uintptr_t)info, 1, sizeof(*info) },
	};

	*info = (struct kfd_gpreempt_queue_info) {};
	return gpreempt_call(dev, &args);
}

int gpreempt_permitted(struct aql_queue *q)
{
	struct kfd_gpreempt_queue_info info;
	int ret = gpreempt_get(q->dev, 0, q->id, &info);

	return ret ?: (int)info.permitted;
}

int gpreempt_queue_state(struct aql_queue *q)
{
	struct kfd_gpreempt_queue_info info;
	int ret = gpreempt_get(q->dev, 0, q->id, &info);

	return ret ?: (int)info.state;
}

int gpreempt_timeslice(struct kfd_dev *dev, __u32 pid, __u32 queue_id)
{
	struct kfd_gpreempt_queue_info info;

	return gpreempt_get(dev, pid, queue_id, &info) ?: (int)info.timeslice_us;
}

int gpreempt_set_priority(struct kfd_dev *dev, __u32 pid, __u32 queue_id, __u32 priority)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PRIORITY, .pid = pid, .queue_id = queue_id,
		.priority.priority = priority,
	};
	int ret = gpreempt_call(dev, &args);

	return ret ?: (int)args.priority.permitted;
}

int gpreempt_set_default(struct kfd_dev *dev, __u32 pid, __u32 priority, __u32 ceiling)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .pid = pid,
		.process_default = { priority, ceiling },
	};

	return gpreempt_call(dev, &args);
}

int gpreempt_set_default_timeslice(struct kfd_dev *dev, __u32 pid, __u32 us)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .pid = pid,
		.process_default = { KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE, us },
	};

	return gpreempt_call(dev, &args);
}

int gpreempt_set_share(struct kfd_dev *dev, __u32 pid, __u32 flags, __u32 weight, __u32 min_percent,
		       __u32 cap_percent)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .pid = pid,
		.flags = flags | KFD_GPREEMPT_KEEP_PRIORITY | KFD_GPREEMPT_KEEP_CEILING |
			 KFD_GPREEMPT_KEEP_TIMESLICE,
		.process_default = { KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE, 0, weight,
				     min_percent, cap_percent },
	};

	return gpreempt_call(dev, &args);
}

long long gpreempt_share(pid_t pid, __u32 queue_id)
{
	static const char *const names[] = { "weight", "min_percent", "cap_percent" };
	char path[128], text[32];
	long long all = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpreempt/%s",
			 pid, queue_id, names[i]);
		ret = file_read(path, text, sizeof(text));
		if (ret)
			return ret;
		all = all * 1000 + atoll(text);
	}
	return all;
}

int gpreempt_set_timeslice(struct kfd_dev *dev, __u32 queue_id, __u32 us)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_TIMESLICE, .queue_id = queue_id, .timeslice_us = us,
	};

	return gpreempt_call(dev, &args);
}

int gpreempt_preempt(struct kfd_dev *dev, __u32 op, __u32 pid, __u32 queue_id, __u32 flags,
		     __u32 wait_ms, __u32 hold_ms)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = op, .flags = flags, .pid = pid, .queue_id = queue_id,
		.preempt = { wait_ms, hold_ms },
	};

	return gpreempt_call(dev, &args);
}

int gpreempt_hold(struct aql_queue *q, __u32 hold_ms)
{
	return gpreempt_preempt(q->dev, KFD_GPREEMPT_OP_PREEMPT, 0, q->id,
				KFD_GPREEMPT_HOLD | KFD_GPREEMPT_WAIT, CLIENT_TIMEOUT_MS, hold_ms);
}

int gpreempt_resume(struct aql_queue *q)
{
	return gpreempt_preempt(q->dev, KFD_GPREEMPT_OP_RESUME, 0, q->id, KFD_GPREEMPT_WAIT,
				CLIENT_TIMEOUT_MS, 0);
}

#define CONTEXT		(KFD_GPREEMPT_PIDFD | KFD_GPREEMPT_CONTEXT)
#define MANY		(CONTEXT | KFD_GPREEMPT_ALL | KFD_GPREEMPT_AT_LEAST |		\
			 KFD_GPREEMPT_BELOW | KFD_GPREEMPT_EVERYBODY)

const struct op_use op_uses[LAST_OP + 1] = {
	[KFD_GPREEMPT_OP_QUERY] = { .gpu = true },
	[KFD_GPREEMPT_OP_LIST] = { .flags = MANY, .pid = true, .queue = true, .in = 16 },
	[KFD_GPREEMPT_OP_SET_PRIORITY] = { .flags = CONTEXT, .pid = true, .queue = true, .in = 4 },
	[KFD_GPREEMPT_OP_SET_TIMESLICE] = { .flags = CONTEXT, .pid = true, .queue = true, .in = 4 },
	[KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT] = {
		.flags = KFD_GPREEMPT_PIDFD | KFD_GPREEMPT_CGROUP | KFD_GPREEMPT_SET_GRANT | 0xfc,
		.pid = true, .in = 32,
	},
	[KFD_GPREEMPT_OP_PREEMPT] = { .flags = MANY | 3, .pid = true, .queue = true, .in = 16 },
	[KFD_GPREEMPT_OP_RESUME] = { .flags = MANY | 1, .pid = true, .queue = true, .in = 16 },
	[KFD_GPREEMPT_OP_HINT] = { .flags = MANY, .pid = true, .queue = true, .in = 8 },
	[KFD_GPREEMPT_OP_GET_DEFAULT] = {
		.flags = KFD_GPREEMPT_PIDFD | KFD_GPREEMPT_CGROUP, .pid = true,
	},
};

struct kfd_ioctl_gpreempt_args op_request(const struct kfd_dev *dev, unsigned int op,
					  __u32 queue_id)
{
	struct kfd_ioctl_gpreempt_args args = { .op = op };

	if (op_uses[op].queue)
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
		args.process_default.timeslice_us = 5000;
		break;
	case KFD_GPREEMPT_OP_HINT:
		args.hint.arrival_us = 1000;
		args.hint.duration_us = 1000;
		break;
	}
	return args;
}

int open_to_all(const struct kfd_dev *dev)
{
	char link[32], path[64];
	ssize_t n;
	int ret;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dev->drm_fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return -errno;
	path[n] = '\0';
	ret = file_chmod("/dev/kfd", 0666);
	return ret ?: file_chmod(path, 0666);
}

int become(uid_t user, bool nice)
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

int give_up_nice(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective &= ~(1U << CAP_SYS_NICE);
	data[0].permitted &= ~(1U << CAP_SYS_NICE);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int in_child(struct shared *shared, uid_t user, bool nice, int (*child)(struct shared *shared))
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

int hold_for_ever(struct shared *shared)
{
	struct kfd_dev dev;

	CHECK(0, kfd_open(&dev));
	CHECK(0, gpreempt_preempt(&dev, KFD_GPREEMPT_OP_PREEMPT, shared->pid, shared->queue_id,
				  KFD_GPREEMPT_HOLD, 0, 0));
	kfd_close(&dev);
	return 0;
}

int run_owner(struct shared *shared)
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

pid_t await_owner(struct shared *shared, pid_t pid)
{
	unsigned int ms;

	for (ms = 0; pid > 0 && !shared->ready; ms += 10) {
		if (ms > CLIENT_TIMEOUT_MS || waitpid(pid, NULL, WNOHANG) == pid)
			return -1;
		usleep(10000);
	}
	return pid;
}

pid_t start_owner(struct shared *shared, uid_t user)
{
	pid_t pid = client_fork();

	if (!pid)
		_exit(become(user, false) ? 99 : run_owner(shared));
	return await_owner(shared, pid);
}

int start_low(struct client *c, struct aql_queue *q, struct low_job *job)
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

int wait_preempted(struct aql_queue *q)
{
	unsigned int ms;

	for (ms = 0; gpreempt_queue_state(q) != KFD_GPREEMPT_QUEUE_PREEMPTED; ms++) {
		if (ms > CLIENT_TIMEOUT_MS)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

int start_contention(struct client *c, struct aql_queue *low, struct aql_queue *high,
		     struct low_job *job, struct until_job *until)
{
	int ret;

	ret = gpreempt_set("starvation_ms", 60000);
	ret = ret ?: gpreempt_set("enable", 1);
	ret = ret ?: until_job_init(c, until);
	ret = ret ?: start_low(c, low, job);
	if (ret)
		return ret;
	until_job_start(c, until, high);
	return wait_preempted(low);
}

int end_contention(struct client *c, struct low_job *job, struct until_job *until)
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
