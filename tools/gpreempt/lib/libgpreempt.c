// SPDX-License-Identifier: GPL-2.0 OR MIT
/* libgpreempt: AMDKFD_IOC_GPREEMPT for programs. Nothing here prints, waits, or ends the program. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/kfd_gpreempt.h>

#include "libgpreempt.h"

/* Its tests have a folder instead. */
#ifndef SYSFS
#define SYSFS	"/sys"
#endif
#define KFD	"/dev/kfd"
/* KFD numbers its nodes from 0 on, and no machine has more. */
#define NODES	1024

/* What programs were built with is what the driver takes. */
_Static_assert(GPREEMPT_NONE == KFD_GPREEMPT_NONE);
_Static_assert(sizeof(struct gpreempt_gpu) == sizeof(struct kfd_gpreempt_query));
_Static_assert(sizeof(struct gpreempt_queue) == KFD_GPREEMPT_QUEUE_INFO_SIZE_1);
#define SAME(field)	_Static_assert(offsetof(struct gpreempt_queue, field) == \
				       offsetof(struct kfd_gpreempt_queue_info, field))
SAME(gpu_id);
SAME(permitted);
SAME(state);
SAME(flags);
SAME(timeslice_us);
SAME(preemptions);
SAME(pid);
SAME(waves);
SAME(resumed_ns);
_Static_assert((int)GPREEMPT_GPU_BYPASSED == (int)KFD_GPREEMPT_NODE_BYPASSED);
_Static_assert((int)GPREEMPT_QUEUE_OFF == (int)KFD_GPREEMPT_QUEUE_OFF);
_Static_assert(GPREEMPT_QUEUE_IS_EXCLUDED == KFD_GPREEMPT_QUEUE_EXCLUDED);

/**
 * struct gpreempt - which queues a caller means
 * @fd:		/dev/kfd, or -1
 * @absent:	0, or the negative errno of all that is asked without it
 * @gpu_id:	of these GPUs
 * @pid:	of this process, 0: the caller
 * @pidfd:	of that one, if it is not negative
 * @flags:	which of them: those of LIST and others that mean more queues than one
 * @value:	number or level that belongs to that
 */
struct gpreempt {
	int fd;
	int absent;
	uint32_t gpu_id;
	pid_t pid;
	int pidfd;
	uint32_t flags;
	uint32_t value;
};

/* A number of a file, or a negative errno. */
static int64_t read_number(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	text[n] = '\0';
	return strtoul(text, NULL, 10);
}

uint32_t gpreempt_gpu(unsigned int number)
{
	unsigned int node;
	int64_t gpu_id;
	char path[64];

	for (node = 0; node < NODES; node++) {
		snprintf(path, sizeof(path), SYSFS "/class/kfd/kfd/topology/nodes/%u/gpu_id", node);
		gpu_id = read_number(path);
		/* a CPU is none, nor is a GPU that a container was not given */
		if (gpu_id < 0 && gpu_id != -EPERM)
			break;
		if (gpu_id > 0 && !number--)
			return gpu_id;
	}
	return GPREEMPT_NO_GPU;
}

static int open_error(int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
		return -ENXIO;
	case EPERM:
		return -EACCES;
	case EINVAL:
		/* KFD is locked */
		return -EAGAIN;
	default:
		return -error;
	}
}

/* Several threads may: the first descriptor counts. */
static void open_kfd(struct gpreempt *g)
{
	/* a driver that has GPREEMPT knows the operation, and no GPU of that number */
	struct kfd_ioctl_gpreempt_args args = { .op = KFD_GPREEMPT_OP_QUERY };
	int fd = open(KFD, O_RDWR | O_CLOEXEC), none = -1, absent = 0;

	if (fd < 0)
		absent = open_error(errno);
	else if (ioctl(fd, AMDKFD_IOC_GPREEMPT, &args) && errno == ENOTTY)
		absent = -ENOTTY;
	else if (g->gpu_id == GPREEMPT_NO_GPU)
		absent = -ENODEV;
	if (fd >= 0 && (absent || !__atomic_compare_exchange_n(&g->fd, &none, fd, 0,
							       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)))
		close(fd);
	if (__atomic_load_n(&g->fd, __ATOMIC_SEQ_CST) >= 0)
		absent = 0;
	__atomic_store_n(&g->absent, absent, __ATOMIC_SEQ_CST);
}

int gpreempt_ioctl(struct gpreempt *g, struct kfd_ioctl_gpreempt_args *args)
{
	int absent;

	if (!g)
		return -ENOMEM;
	/* which passes */
	if (__atomic_load_n(&g->absent, __ATOMIC_SEQ_CST) == -EAGAIN)
		open_kfd(g);
	absent = __atomic_load_n(&g->absent, __ATOMIC_SEQ_CST);
	if (absent)
		return absent;
	return ioctl(g->fd, AMDKFD_IOC_GPREEMPT, args) ? -errno : 0;
}

static int query(struct gpreempt *g, uint32_t gpu_id, struct kfd_gpreempt_query *answer)
{
	struct kfd_ioctl_gpreempt_args args = { .op = KFD_GPREEMPT_OP_QUERY, .gpu_id = gpu_id };
	int r = gpreempt_ioctl(g, &args);

	*answer = args.query;
	return r;
}

static struct gpreempt *open_any(uint32_t gpu_id, pid_t pid, int pidfd)
{
	struct gpreempt *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->fd = -1;
	g->gpu_id = gpu_id;
	g->pid = pid;
	g->pidfd = pidfd;
	g->flags = KFD_GPREEMPT_ALL;
	open_kfd(g);
	return g;
}

struct gpreempt *gpreempt_open(uint32_t gpu_id)
{
	return open_any(gpu_id, 0, -1);
}

struct gpreempt *gpreempt_open_pid(uint32_t gpu_id, pid_t pid)
{
	return open_any(gpu_id, pid, -1);
}

struct gpreempt *gpreempt_open_pidfd(uint32_t gpu_id, int pidfd)
{
	/* a negative one is no descriptor, and not the caller */
	return open_any(gpu_id, 0, pidfd < 0 ? INT32_MAX : pidfd);
}

void gpreempt_close(struct gpreempt *g)
{
	if (g && g->fd >= 0)
		close(g->fd);
	free(g);
}

static int check_gpu(struct gpreempt *g, uint32_t gpu_id)
{
	struct kfd_gpreempt_query answer;
	int r = query(g, gpu_id, &answer);

	if (r)
		return r;
	if (answer.state == KFD_GPREEMPT_NODE_DISABLED)
		return -ENODEV;
	return answer.state == KFD_GPREEMPT_NODE_BYPASSED ? -EIO : 0;
}

int gpreempt_check(struct gpreempt *g)
{
	uint32_t gpu_id = g ? g->gpu_id : GPREEMPT_ALL_GPUS;
	int r = check_gpu(g, gpu_id), error;
	unsigned int i;

	/* no GPU has the number of all */
	if (r != -ENODEV || gpu_id != GPREEMPT_ALL_GPUS)
		return r;
	for (i = 0; (gpu_id = gpreempt_gpu(i)) != GPREEMPT_NO_GPU; i++) {
		error = check_gpu(g, gpu_id);
		if (!error)
			return 0;
		/* of several reasons not the one that most have */
		if (error != -ENODEV)
			r = error;
	}
	return r;
}

const char *gpreempt_strerror(int error)
{
	switch (error < 0 ? -error : error) {
	case ENXIO:
		return KFD ": not there: the amdgpu driver is not loaded, or was built without "
		       "CONFIG_HSA_AMD; try 'modprobe amdgpu'. A container has to be given the "
		       "device, as by 'docker run --device " KFD "'";
	case EACCES:
		return KFD ": permission denied: become a member of the group that owns it "
		       "(ls -l " KFD "), or run as root. A container has to be given it, as by "
		       "'docker run --device " KFD "'";
	case EAGAIN:
		return KFD ": KFD is locked, as while a GPU is reset: try again";
	case ENOTTY:
		return KFD ": this kernel's amdgpu was built without CONFIG_HSA_AMD_GPREEMPT";
	case ENODEV:
		return "GPREEMPT is not enabled on the queue's GPU, or there is no such GPU; "
		       "'gpreempt status' lists them, try 'gpreempt set enable=1'";
	case EIO:
		return "GPREEMPT gave up on the queue's GPU; 'gpreempt status' says why";
	case ESRCH:
		return "no such process, or it does not use the GPU; 'gpreempt top' lists them";
	case ENOENT:
		return "no such compute queue; 'gpreempt top' lists them";
	case EPERM:
		return "not permitted: the process is another user's, or this is more than its user "
		       "may ask for; run as root (CAP_SYS_NICE)";
	case EBUSY:
		return "the queue must stay where it is: it is being destroyed, or uses global wave "
		       "sync that the firmware cannot save";
	case ENOSPC:
		return "all processes together would be guaranteed more than 100 %";
	case EDQUOT:
		return "this user has given 1,024 processes, or cgroups, something already; run as root "
		       "(CAP_SYS_NICE)";
	case ETIME:
		return "not done in time, and taken back: allow it more";
	case EBADF:
		return "the descriptor is no pidfd, or GPREEMPT was opened before a fork: open it in "
		       "the process that uses it";
	case EINVAL:
	case EOPNOTSUPP:
		return "the driver does not take this request: a value is out of its range, or the "
		       "driver is of another version than this program";
	default:
		return strerror(error < 0 ? -error : error);
	}
}

int gpreempt_select(struct gpreempt *g, enum gpreempt_which which, uint32_t value)
{
	static const uint32_t flags[] = {
		[GPREEMPT_ALL] = KFD_GPREEMPT_ALL,
		[GPREEMPT_QUEUE] = 0,
		[GPREEMPT_AT_LEAST] = KFD_GPREEMPT_AT_LEAST,
		[GPREEMPT_BELOW] = KFD_GPREEMPT_BELOW,
	};

	if (!g)
		return -ENOMEM;
	if (which >= sizeof(flags) / sizeof(flags[0]))
		return -EINVAL;
	g->flags = flags[which];
	g->value = which == GPREEMPT_ALL ? 0 : value;
	return 0;
}

static struct kfd_ioctl_gpreempt_args about_process(const struct gpreempt *g, uint32_t op)
{
	struct kfd_ioctl_gpreempt_args args = { .op = op };

	if (g && g->pidfd >= 0) {
		args.flags = KFD_GPREEMPT_PIDFD;
		args.pidfd = g->pidfd;
	} else if (g) {
		args.pid = g->pid;
	}
	return args;
}

static struct kfd_ioctl_gpreempt_args about_queues(const struct gpreempt *g, uint32_t op)
{
	struct kfd_ioctl_gpreempt_args args = about_process(g, op);

	if (!g)
		return args;
	args.flags |= g->flags;
	if (!g->flags) {
		args.queue_id = g->value;
		return args;
	}
	args.level = g->value;
	args.gpu_id = g->gpu_id;
	return args;
}

/* Where GPREEMPT is off on all GPUs there is no queue for the driver, whatever the reason. */
static int ask(struct gpreempt *g, struct kfd_ioctl_gpreempt_args *args)
{
	int r = gpreempt_ioctl(g, args);

	return r == -ENOENT && g->flags ? gpreempt_check(g) ?: r : r;
}

int gpreempt_query(struct gpreempt *g, struct gpreempt_gpu *gpu)
{
	struct kfd_gpreempt_query answer;
	int r = query(g, g && g->gpu_id ? g->gpu_id : gpreempt_gpu(0), &answer);

	if (!r)
		memcpy(gpu, &answer, sizeof(*gpu));
	return r;
}

int gpreempt_list(struct gpreempt *g, struct gpreempt_queue *queues, unsigned int max)
{
	struct kfd_ioctl_gpreempt_args args = about_queues(g, KFD_GPREEMPT_OP_LIST);
	int r;

	args.list.queues = (uintptr_t)queues;
	args.list.count = max;
	args.list.entry_size = sizeof(*queues);
	r = gpreempt_ioctl(g, &args);
	return r ?: (int)args.list.count;
}

static int set_default(struct gpreempt *g, uint32_t priority)
{
	struct kfd_ioctl_gpreempt_args args = about_process(g, KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT);

	args.flags |= KFD_GPREEMPT_KEEP_CEILING | KFD_GPREEMPT_KEEP_TIMESLICE;
	args.process_default.priority = priority;
	args.process_default.ceiling = KFD_GPREEMPT_NONE;
	return gpreempt_ioctl(g, &args);
}

/* What they are served at that have no priority of their own. */
static uint32_t lowest_permitted(struct gpreempt *g)
{
	struct gpreempt_queue queues[64];
	uint32_t lowest = GPREEMPT_NONE;
	int n = gpreempt_list(g, queues, 64), i;

	for (i = 0; i < n && i < 64; i++)
		if (queues[i].permitted < lowest && !(queues[i].flags & GPREEMPT_QUEUE_IS_SET))
			lowest = queues[i].permitted;
	return lowest;
}

int gpreempt_set_priority(struct gpreempt *g, uint32_t priority, uint32_t *permitted)
{
	struct kfd_ioctl_gpreempt_args args = about_queues(g, KFD_GPREEMPT_OP_SET_PRIORITY);
	int r;

	if (g && g->flags == KFD_GPREEMPT_ALL) {
		r = set_default(g, priority);
		if (!r && permitted)
			*permitted = lowest_permitted(g);
		return r;
	}
	args.priority.priority = priority;
	r = gpreempt_ioctl(g, &args);
	if (!r && permitted)
		*permitted = args.priority.permitted;
	return r;
}

int gpreempt_hint(struct gpreempt *g, uint32_t in_us, uint32_t for_us)
{
	struct kfd_ioctl_gpreempt_args args = about_queues(g, KFD_GPREEMPT_OP_HINT);

	args.hint.arrival_us = in_us;
	args.hint.duration_us = for_us;
	return ask(g, &args);
}

static int preempt(struct gpreempt *g, struct kfd_ioctl_gpreempt_args *args, uint32_t wait_ms)
{
	int r;

	if (wait_ms)
		args->flags |= KFD_GPREEMPT_WAIT;
	args->preempt.wait_ms = wait_ms;
	r = ask(g, args);
	return r ?: (int)args->preempt.queues;
}

int gpreempt_preempt(struct gpreempt *g, uint32_t hold_ms, uint32_t wait_ms)
{
	struct kfd_ioctl_gpreempt_args args = about_queues(g, KFD_GPREEMPT_OP_PREEMPT);

	if (hold_ms)
		args.flags |= KFD_GPREEMPT_HOLD;
	args.preempt.hold_ms = hold_ms == GPREEMPT_NO_LIMIT ? 0 : hold_ms;
	return preempt(g, &args, wait_ms);
}

int gpreempt_resume(struct gpreempt *g, uint32_t wait_ms)
{
	struct kfd_ioctl_gpreempt_args args = about_queues(g, KFD_GPREEMPT_OP_RESUME);

	return preempt(g, &args, wait_ms);
}
