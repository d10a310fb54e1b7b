// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what /dev/kfd answers to wrong requests, a line each. With GPREEMPT
 * built but not enabled the list must be that of a kernel without it: run on
 * both and compare (kselftests cannot compare two kernels by themselves).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kfd_gpreempt.h>

#include "client.h"

static void show(const char *what, int ret)
{
	printf("%s: %d\n", what, ret);
}

/* Every ioctl number, with the size of its own structure or an odd one, zeroed. */
static void all_numbers(struct kfd_dev *dev)
{
	static const unsigned int sizes[] = { 8, 24, 88 };
	char what[64], args[128];
	unsigned int nr, i;
	int ret;

	for (nr = AMDKFD_COMMAND_END; nr < 256; nr++) {
		/* GPREEMPT's own is what tells the two apart */
		if (nr == _IOC_NR(AMDKFD_IOC_GPREEMPT))
			continue;
		for (i = 0; i < 3; i++) {
			memset(args, 0, sizeof(args));
			ret = kfd_ioctl(dev, _IOC(_IOC_READ | _IOC_WRITE, AMDKFD_IOCTL_BASE, nr,
						  sizes[i]), args);
			snprintf(what, sizeof(what), "ioctl %#x size %u", nr, sizes[i]);
			show(what, ret);
		}
	}
}

static void create_queue(struct kfd_dev *dev)
{
	struct kfd_ioctl_create_queue_args args = { .gpu_id = dev->gpu_id,
		.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, .queue_percentage = 100 };

	show("create: no buffers", kfd_ioctl(dev, AMDKFD_IOC_CREATE_QUEUE, &args));
	args.ring_size = 4097;
	show("create: ring size", kfd_ioctl(dev, AMDKFD_IOC_CREATE_QUEUE, &args));
	args.ring_size = 4096;
	args.queue_type = 77;
	show("create: type", kfd_ioctl(dev, AMDKFD_IOC_CREATE_QUEUE, &args));
	args.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	args.gpu_id = ~0;
	show("create: gpu", kfd_ioctl(dev, AMDKFD_IOC_CREATE_QUEUE, &args));
	args.gpu_id = dev->gpu_id;
	args.queue_percentage = 101;
	show("create: percentage", kfd_ioctl(dev, AMDKFD_IOC_CREATE_QUEUE, &args));
}

static void one_queue(struct kfd_dev *dev)
{
	struct kfd_ioctl_get_queue_wave_state_args state = {};
	struct aql_queue q, none = { .dev = dev, .id = 999 };
	struct kfd_ioctl_set_cu_mask_args mask = {};
	unsigned int i;
	char what[64];

	for (i = 14; i < 18; i++) {
		int ret = aql_create(&q, dev, 64, i);

		snprintf(what, sizeof(what), "create: priority %u", i);
		show(what, ret);
		if (!ret)
			show("destroy", aql_destroy(&q));
	}
	show("create", aql_create(&q, dev, 64, 7));
	show("update: percentage 101", aql_update(&q, 101, 7));
	show("update: priority 16", aql_update(&q, 100, 16));
	show("update: priority 15", aql_update(&q, 100, 15));
	show("update: percentage 0", aql_update(&q, 0, 15));
	state.queue_id = q.id;
	show("wave state of an inactive queue",
	     kfd_ioctl(dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &state));
	show("update: percentage 100", aql_update(&q, 100, 0));
	show("wave state of an active queue",
	     kfd_ioctl(dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &state));
	mask.queue_id = q.id;
	show("CU mask", kfd_ioctl(dev, AMDKFD_IOC_SET_CU_MASK, &mask));
	show("destroy", aql_destroy(&q));
	show("destroy again", aql_destroy(&q));
	show("update of no queue", aql_update(&none, 100, 7));
	state.queue_id = none.id;
	show("wave state of no queue", kfd_ioctl(dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &state));
}

int main(void)
{
	struct kfd_dev dev;
	int ret = kfd_open(&dev);

	if (ret) {
		fprintf(stderr, "errnos: no usable GPU: %s\n", strerror(-ret));
		return 1;
	}
	create_queue(&dev);
	one_queue(&dev);
	all_numbers(&dev);
	kfd_close(&dev);
	return 0;
}
