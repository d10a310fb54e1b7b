// SPDX-License-Identifier: GPL-2.0
/* A process as its own debugger. */
#include <errno.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "debugger.h"

#define SNAPSHOT_QUEUES	16	/* more than any process here has */

int debugger_allow(struct kfd_dev *dev)
{
	struct kfd_ioctl_runtime_enable_args runtime = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK,
	};

	return kfd_ioctl(dev, AMDKFD_IOC_RUNTIME_ENABLE, &runtime);
}

int debugger_attach(struct kfd_dev *dev, int dbg_fd)
{
	struct kfd_runtime_info info = {};
	struct kfd_ioctl_dbg_trap_args trap = {
		.pid = getpid(),
		.op = KFD_IOC_DBG_TRAP_ENABLE,
		.enable = {
			.rinfo_ptr = (uintptr_t)&info,
			.rinfo_size = sizeof(info),
			.dbg_fd = dbg_fd,
		},
	};

	return kfd_ioctl(dev, AMDKFD_IOC_DBG_TRAP, &trap);
}

int debugger_detach(struct kfd_dev *dev)
{
	struct kfd_ioctl_dbg_trap_args trap = {
		.pid = getpid(),
		.op = KFD_IOC_DBG_TRAP_DISABLE,
	};

	return kfd_ioctl(dev, AMDKFD_IOC_DBG_TRAP, &trap);
}

/* One whose answer is a number. */
static int call(struct kfd_dev *dev, struct kfd_ioctl_dbg_trap_args *trap)
{
	int ret = ioctl(dev->fd, AMDKFD_IOC_DBG_TRAP, trap);

	return ret < 0 ? -errno : ret;
}

/* Has the debugger seen the queue now? One that it has not cannot be suspended. */
static bool see(struct kfd_dev *dev, __u32 queue)
{
	struct kfd_queue_snapshot_entry snapshot[SNAPSHOT_QUEUES];
	struct kfd_ioctl_dbg_trap_args trap = {
		.pid = getpid(),
		.op = KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT,
		.queue_snapshot = {
			.exception_mask = KFD_EC_MASK(EC_QUEUE_NEW),
			.snapshot_buf_ptr = (uintptr_t)snapshot,
			.num_queues = SNAPSHOT_QUEUES,
			.entry_size = sizeof(snapshot[0]),
		},
	};
	unsigned int i;

	if (call(dev, &trap))
		return false;
	for (i = 0; i < trap.queue_snapshot.num_queues && i < SNAPSHOT_QUEUES; i++)
		if (snapshot[i].queue_id == queue)
			return true;
	return false;
}

int debugger_suspend(struct kfd_dev *dev, __u32 queue)
{
	struct kfd_ioctl_dbg_trap_args trap = {
		.pid = getpid(),
		.op = KFD_IOC_DBG_TRAP_SUSPEND_QUEUES,
		.suspend_queues = { .queue_array_ptr = (uintptr_t)&queue, .num_queues = 1 },
	};

	return see(dev, queue) ? call(dev, &trap) : -ENOENT;
}

int debugger_resume(struct kfd_dev *dev, __u32 queue)
{
	struct kfd_ioctl_dbg_trap_args trap = {
		.pid = getpid(),
		.op = KFD_IOC_DBG_TRAP_RESUME_QUEUES,
		.resume_queues = { .queue_array_ptr = (uintptr_t)&queue, .num_queues = 1 },
	};

	return call(dev, &trap);
}
