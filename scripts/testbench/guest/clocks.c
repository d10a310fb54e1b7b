// SPDX-License-Identifier: GPL-2.0
/* The guest's clock and the GPU's; see clocks.h. */
#include <stdint.h>
#include <stdio.h>
#include <linux/kfd_ioctl.h>

#include "clocks.h"

#define CLOCK_TRIES	20

int clocks_print(struct kfd_dev *dev, const char *when)
{
	struct kfd_ioctl_get_clock_counters_args args = { .gpu_id = dev->gpu_id };
	__u64 begin, ns, gpu = 0, now = 0, least = UINT64_MAX;
	unsigned int i;
	int ret;

	for (i = 0; i < CLOCK_TRIES; i++) {
		begin = kfd_now();
		ret = kfd_ioctl(dev, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args);
		ns = kfd_now() - begin;
		if (ret)
			return ret;
		if (ns >= least)
			continue;
		least = ns;
		gpu = args.gpu_clock_counter;
		/* CLOCK_BOOTTIME, which is CLOCK_MONOTONIC on a machine that did not sleep */
		now = args.system_clock_counter;
	}
	printf("gpu_clock_%s=%llu\nclock_%s=%llu\n", when, (unsigned long long)gpu, when,
	       (unsigned long long)now);
	return 0;
}
