// SPDX-License-Identifier: GPL-2.0
/*
 * A KFD for tests without one: libgpreempt is linked with these in the place of open() and ioctl()
 * (ld --wrap). The environment says what it answers:
 *
 * FAKE_SYS	a folder in the place of /sys
 * FAKE_OPEN	errno of opening /dev/kfd
 * FAKE_SLOW	us that this takes
 * FAKE_ERRNO	errno of each call of AMDKFD_IOC_GPREEMPT
 * FAKE_ONLY	that of this operation alone
 * FAKE_STATE	of each GPU
 * FAKE_STATE_n	of the one of that gpu_id
 * FAKE_QUEUES	how many there are; the n-th is permitted 3 + n
 * FAKE_SET	this one of them has a priority of its own
 * FAKE_ENTRY	bytes of an entry of LIST that it knows
 * FAKE_REFUSE	what ends like that cannot be opened to be written: EOPNOTSUPP
 * FAKE_LOG	a file that gets the arguments of each call, as they came; without it all is real
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/kfd_gpreempt.h>

/* Descriptors that are KFD. */
static bool is_kfd[1024];

static unsigned int number(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_open(const char *path, int flags, ...)
{
	const char *sys = getenv("FAKE_SYS"), *refuse = getenv("FAKE_REFUSE");
	size_t length = strlen(path), end = refuse ? strlen(refuse) : length;
	char other[512];
	int kfd;

	if (!strcmp(path, "/dev/kfd") && getenv("FAKE_LOG")) {
		usleep(number("FAKE_SLOW", 0));
		errno = number("FAKE_OPEN", 0);
		if (errno)
			return -1;
		kfd = __real_open("/dev/null", flags);
		if (kfd >= 0 && kfd < 1024)
			is_kfd[kfd] = true;
		return kfd;
	}
	if (flags & O_WRONLY && end < length && !strcmp(path + length - end, refuse)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (sys && !strncmp(path, "/sys/class/kfd/", strlen("/sys/class/kfd/"))) {
		snprintf(other, sizeof(other), "%s%s", sys, path + strlen("/sys"));
		path = other;
	}
	return __real_open(path, flags);
}

static void note(const struct kfd_ioctl_gpreempt_args *args)
{
	int fd = __real_open(getenv("FAKE_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (fd < 0 || write(fd, args, sizeof(*args)) != sizeof(*args) || close(fd))
		abort();
}

static void list(struct kfd_gpreempt_list *to)
{
	unsigned int count = number("FAKE_QUEUES", 1), known = number("FAKE_ENTRY", to->entry_size), i;
	unsigned int size = known < to->entry_size ? known : to->entry_size;

	for (i = 0; i < count && i < to->count; i++) {
		struct kfd_gpreempt_queue_info queue = {
			.queue_id = i, .permitted = 3 + i, .resumed_ns = 4711,
			.flags = number("FAKE_SET", count) == i ? KFD_GPREEMPT_QUEUE_PRIORITY : 0,
		};

		memcpy((char *)(uintptr_t)to->queues + i * to->entry_size, &queue,
		       size < sizeof(queue) ? size : sizeof(queue));
	}
	to->count = count;
	to->entry_size = known;
}

static unsigned int state(unsigned int gpu_id)
{
	char name[32];

	snprintf(name, sizeof(name), "FAKE_STATE_%u", gpu_id);
	return number(name, number("FAKE_STATE", KFD_GPREEMPT_NODE_ACTIVE));
}

static bool is_gpu(unsigned int gpu_id)
{
	return gpu_id == 4711 || gpu_id == 4712;
}

static void answer(struct kfd_ioctl_gpreempt_args *args)
{
	switch (args->op) {
	case KFD_GPREEMPT_OP_QUERY:
		args->query = (struct kfd_gpreempt_query) {
			.version = 1, .capabilities = 1, .levels = 16, .priority_cap = 7,
			.state = state(args->gpu_id),
		};
		break;
	case KFD_GPREEMPT_OP_LIST:
		list(&args->list);
		break;
	case KFD_GPREEMPT_OP_SET_PRIORITY:
		args->priority.permitted = 7;
		break;
	case KFD_GPREEMPT_OP_PREEMPT:
	case KFD_GPREEMPT_OP_RESUME:
		args->preempt.queues = number("FAKE_QUEUES", 1);
		break;
	}
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct kfd_ioctl_gpreempt_args *to;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (fd < 0 || fd >= 1024 || !is_kfd[fd] || request != AMDKFD_IOC_GPREEMPT ||
	    !getenv("FAKE_LOG"))
		return __real_ioctl(fd, request, arg);
	to = arg;
	note(to);
	errno = number("FAKE_ONLY", to->op) == to->op ? number("FAKE_ERRNO", 0) : 0;
	if (!errno && to->op == KFD_GPREEMPT_OP_QUERY && !is_gpu(to->gpu_id))
		errno = ENODEV;
	if (errno)
		return -1;
	answer(to);
	return 0;
}
