// SPDX-License-Identifier: GPL-2.0
/* What the tests of patches/rocm share; see gpu.h. */
#include <stddef.h>

#include "gpu.h"

#define RING	4096

/* A ring for each queue there can be at a time. */
static void *rings[2];

static unsigned int find_gpu(void)
{
	HsaSystemProperties system;
	HsaNodeProperties node;
	unsigned int i;

	if (hsaKmtAcquireSystemProperties(&system))
		return 0;
	for (i = 0; i < system.NumNodes; i++)
		if (!hsaKmtGetNodeProperties(i, &node) && node.NumFComputeCores)
			return i;
	return 0;
}

unsigned int open_gpu(void)
{
	HsaMemFlags flags = { };
	unsigned int gpu, i;

	if (hsaKmtOpenKFD())
		return 0;
	gpu = find_gpu();
	flags.ui32.HostAccess = 1;
	flags.ui32.ExecuteAccess = 1;
	flags.ui32.NonPaged = 1;
	flags.ui32.PageSize = HSA_PAGE_SIZE_4KB;
	for (i = 0; i < 2; i++)
		if (hsaKmtAllocMemory(0, RING, flags, &rings[i]) ||
		    hsaKmtMapMemoryToGPU(rings[i], RING, NULL))
			return 0;
	return gpu;
}

HSA_QUEUEID make_queue(unsigned int gpu, int priority)
{
	HsaQueueResource queue = { };
	static unsigned int n;

	if (hsaKmtCreateQueue(gpu, HSA_QUEUE_COMPUTE, 100, (HSA_QUEUE_PRIORITY)priority,
			      rings[n++ % 2], RING, NULL, &queue))
		return 0;
	return queue.QueueId;
}

int change_queue(HSA_QUEUEID q, int priority)
{
	return hsaKmtUpdateQueue(q, 100, (HSA_QUEUE_PRIORITY)priority, rings[0], RING, NULL);
}
