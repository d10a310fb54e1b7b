// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT back end hqd: no scheduler in firmware (sched_policy=2). The driver gave each queue its
 * hardware slot, and takes single queues off and puts them back by registers.
 *
 * AMD supports that mode for debugging only. While a queue is saved, stock's
 * kgd_gfx_v9_hqd_destroy() holds srbm_mutex and sleeps 0.5 to 1 ms at a time, so a preemption takes
 * that long at least, and all else that selects registers waits.
 */

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "gpreempt/run/commit.h"

static int hqd_remove(struct device_queue_manager *dqm, struct queue *q,
		      struct qcm_process_device *qpd)
{
	struct mqd_manager *mqd_mgr = dqm->mqd_mgrs[KFD_MQD_TYPE_CP];
	int r = mqd_mgr->destroy_mqd(mqd_mgr, q->mqd, KFD_PREEMPT_TYPE_WAVEFRONT_SAVE,
				     KFD_UNMAP_LATENCY_MS, q->pipe, q->queue);

	/* Unlike the one of a firmware scheduler, nobody else asks for it. */
	if (r == -ETIME)
		amdgpu_amdkfd_gpu_reset(dqm->dev->adev);
	return r;
}

static int hqd_add(struct device_queue_manager *dqm, struct queue *q,
		   struct qcm_process_device *qpd)
{
	struct mqd_manager *mqd_mgr = dqm->mqd_mgrs[KFD_MQD_TYPE_CP];

	/* No process's memory is read: on gfx9 the CP polls the write index. */
	return mqd_mgr->load_mqd(mqd_mgr, q->mqd, q->pipe, q->queue, &q->properties, NULL);
}

const struct kfd_gpreempt_backend kfd_gpreempt_hqd = {
	.name = "hqd",
	.transact = kfd_gpreempt_single_transact,
	.give_back = kfd_gpreempt_single_give_back,
	.remove = hqd_remove,
	.add = hqd_add,
};
