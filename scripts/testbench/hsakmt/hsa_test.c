// SPDX-License-Identifier: GPL-2.0
/*
 * Test of patches/rocm: ROCr's extension for GPREEMPT, by what KFD says of the queue. Argument:
 * stock, where the kernel has none.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ven_amd_gpreempt.h>
#include <hsakmt/linux/kfd_ioctl.h>
#include <hsakmt/linux/kfd_gpreempt.h>

#include "enable.h"

#define NONE	KFD_GPREEMPT_NONE

static hsa_ven_amd_gpreempt_1_00_pfn_t gpreempt;
static int kfd, tests, failed;

static void check(const char *what, long expected, long seen)
{
	int good = seen == expected;

	failed += !good;
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++tests, what);
	if (!good)
		printf("# expected %ld, got %ld\n", expected, seen);
}

/*
 * What KFD says of one queue of this process: besides those that are made here ROCr may have some
 * of its own, so it is told by what it asks for, which no other one does.
 */
static struct kfd_gpreempt_queue_info queue_that_asks_for(unsigned int priority)
{
	struct kfd_gpreempt_queue_info info[8];
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .flags = KFD_GPREEMPT_ALL,
		.list = { (uintptr_t)info, 8, sizeof(info[0]) },
	};
	unsigned int i;

	if (!ioctl(kfd, AMDKFD_IOC_GPREEMPT, &args))
		for (i = 0; i < args.list.count && i < 8; i++)
			if (info[i].priority == priority)
				return info[i];
	return (struct kfd_gpreempt_queue_info) { .permitted = NONE, .state = NONE };
}

static hsa_status_t find_gpu(hsa_agent_t agent, void *found)
{
	hsa_device_type_t type;

	if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) || type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	*(hsa_agent_t *)found = agent;
	return HSA_STATUS_INFO_BREAK;
}

static void test_stock(hsa_agent_t gpu, hsa_queue_t *queue)
{
	hsa_ven_amd_gpreempt_info_t info;

	check("nothing to tell", HSA_VEN_AMD_GPREEMPT_STATUS_ABSENT,
	      gpreempt.hsa_ven_amd_gpreempt_agent_get_info(gpu, &info));
	check("no level", HSA_VEN_AMD_GPREEMPT_STATUS_ABSENT,
	      gpreempt.hsa_ven_amd_gpreempt_queue_set_level(queue, 9, NULL));
	check("nobody to hint at", HSA_VEN_AMD_GPREEMPT_STATUS_ABSENT,
	      gpreempt.hsa_ven_amd_gpreempt_hint(7, 0, 1));
}

static void test(hsa_agent_t gpu, hsa_queue_t *queue)
{
	hsa_ven_amd_gpreempt_info_t info;
	uint32_t permitted = NONE, before;

	/* HIGH, which asks for 11: so no other queue does */
	check("HSA's priority", HSA_STATUS_SUCCESS,
	      hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
	check("the queue is there", 11, queue_that_asks_for(11).priority);
	before = queue_that_asks_for(11).permitted;
	check("tells", HSA_STATUS_SUCCESS,
	      gpreempt.hsa_ven_amd_gpreempt_agent_get_info(gpu, &info));
	check("the cap", 7, info.level_cap);
	check("not enabled", 0, info.enabled);
	check("not taken off while it is not", HSA_VEN_AMD_GPREEMPT_STATUS_UNAVAILABLE,
	      gpreempt.hsa_ven_amd_gpreempt_queue_preempt(queue, 0, 1000));
	check("enable", 0, enable_gpreempt());
	check("tells", HSA_STATUS_SUCCESS,
	      gpreempt.hsa_ven_amd_gpreempt_agent_get_info(gpu, &info));
	check("enabled", 1, info.enabled);

	check("a level", HSA_STATUS_SUCCESS,
	      gpreempt.hsa_ven_amd_gpreempt_queue_set_level(queue, 9, &permitted));
	check("is permitted", 9, permitted);
	check("and counts", 9, queue_that_asks_for(11).permitted);
	check("HSA's priority again", HSA_STATUS_SUCCESS,
	      hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
	check("does not change it", 9, queue_that_asks_for(11).permitted);
	check("no such level", HSA_STATUS_ERROR_INVALID_ARGUMENT,
	      gpreempt.hsa_ven_amd_gpreempt_queue_set_level(queue, 16, NULL));
	check("taken back", HSA_STATUS_SUCCESS,
	      gpreempt.hsa_ven_amd_gpreempt_queue_set_level(queue, HSA_VEN_AMD_GPREEMPT_LEVEL_NONE,
							    NULL));
	check("then it is as it was", before, queue_that_asks_for(11).permitted);

	check("a hold", HSA_STATUS_SUCCESS,
	      gpreempt.hsa_ven_amd_gpreempt_queue_preempt(queue, HSA_VEN_AMD_GPREEMPT_HOLD, 10000));
	check("is done", KFD_GPREEMPT_QUEUE_HELD, queue_that_asks_for(11).state);
	check("resume", HSA_STATUS_SUCCESS,
	      gpreempt.hsa_ven_amd_gpreempt_queue_resume(queue, 10000));
	check("is done", 0, queue_that_asks_for(11).flags & KFD_GPREEMPT_QUEUE_HOLD);
	check("a timeout too long", HSA_STATUS_ERROR_INVALID_ARGUMENT,
	      gpreempt.hsa_ven_amd_gpreempt_queue_preempt(queue, 0, 60001));

	check("a hint", HSA_STATUS_SUCCESS,
	      gpreempt.hsa_ven_amd_gpreempt_queue_hint(queue, 1000000, 1000000));
	check("arrives", KFD_GPREEMPT_QUEUE_HINT,
	      queue_that_asks_for(11).flags & KFD_GPREEMPT_QUEUE_HINT);
	check("taken back by priority", HSA_STATUS_SUCCESS,
	      gpreempt.hsa_ven_amd_gpreempt_hint(11, 0, 0));
	check("it is", 0, queue_that_asks_for(11).flags & KFD_GPREEMPT_QUEUE_HINT);
	check("no such priority", HSA_STATUS_ERROR_INVALID_ARGUMENT,
	      gpreempt.hsa_ven_amd_gpreempt_hint(16, 0, 1));
	check("no queue", HSA_STATUS_ERROR_INVALID_QUEUE,
	      gpreempt.hsa_ven_amd_gpreempt_queue_hint(NULL, 0, 1));
}

int main(int argc, char **argv)
{
	hsa_queue_t *queue = NULL;
	hsa_agent_t gpu = { };
	uint16_t minor;
	bool supported = false;

	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (kfd < 0 || hsa_init() || hsa_iterate_agents(find_gpu, &gpu) != HSA_STATUS_INFO_BREAK ||
	    hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX,
			     &queue)) {
		printf("Bail out! no GPU, or no queue\n");
		return 1;
	}
	check("the extension", HSA_STATUS_SUCCESS,
	      hsa_system_major_extension_supported(HSA_EXTENSION_AMD_GPREEMPT, 1, &minor,
						   &supported));
	check("is there", 1, supported);
	check("its functions", HSA_STATUS_SUCCESS,
	      hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_GPREEMPT, 1,
						   sizeof(gpreempt), &gpreempt));
	if (argc == 2 && !strcmp(argv[1], "stock"))
		test_stock(gpu, queue);
	else
		test(gpu, queue);
	hsa_queue_destroy(queue);
	hsa_shut_down();
	printf("1..%d\n", tests);
	return failed != 0;
}
