// SPDX-License-Identifier: GPL-2.0
/*
 * Example: tell GPREEMPT of work before it comes, so that the GPU is free by then.
 *
 * A filter in front of a program that serves requests on the GPU: it passes lines on, and
 * hints at each of them to all compute queues of that program.
 *
 *	receive | hint PID | ...
 *
 * A program can do the same for itself, with 0 for the process: say when a request has been
 * read, and launch kernels when it has been understood.
 *
 * cc hint.c, with linux/kfd_ioctl.h and linux/kfd_gpreempt.h of a kernel that has GPREEMPT.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <linux/kfd_gpreempt.h>

/* Kernels come this long after their request, and last about so long. */
#define ARRIVAL_US	1000
#define DURATION_US	5000

/* Work comes for all queues of a process. Returns 0, or -1 if none of them was told. */
static int hint(int kfd, unsigned int pid, unsigned int arrival_us, unsigned int duration_us)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_HINT, .flags = KFD_GPREEMPT_ALL, .pid = pid,
		.hint = { .arrival_us = arrival_us, .duration_us = duration_us },
	};

	return ioctl(kfd, AMDKFD_IOC_GPREEMPT, &args);
}

int main(int argc, char **argv)
{
	unsigned int pid = argc == 2 ? atoi(argv[1]) : 0;
	int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	char line[4096];

	if (kfd < 0) {
		perror("/dev/kfd");
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		/* A request is served without, only later. */
		if (hint(kfd, pid, ARRIVAL_US, DURATION_US))
			perror("hint");
		fputs(line, stdout);
		fflush(stdout);
	}
	return 0;
}
