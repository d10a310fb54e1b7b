// SPDX-License-Identifier: GPL-2.0
/* What GPREEMPT tells udev. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "uevent.h"

int uevent_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		return -errno;
	}
	return fd < 0 ? -errno : fd;
}

int uevent_bypasses(int fd, __u32 gpu_id, const char *reason, int *all)
{
	char text[2048], wanted[64], node[64];
	int n = 0, fits;
	const char *p;
	ssize_t len;

	*all = 0;
	snprintf(wanted, sizeof(wanted), "GPREEMPT_REASON=%s", reason);
	snprintf(node, sizeof(node), "GPREEMPT_GPU_ID=%u", gpu_id);
	while ((len = recv(fd, text, sizeof(text) - 1, 0)) > 0) {
		text[len] = '\0';
		for (p = text, fits = 0; p < text + len; p += strlen(p) + 1) {
			*all += !strcmp(p, "GPREEMPT_STATE=bypassed");
			fits += !strcmp(p, wanted) + !strcmp(p, node);
		}
		n += fits == 2;
	}
	return n;
}
