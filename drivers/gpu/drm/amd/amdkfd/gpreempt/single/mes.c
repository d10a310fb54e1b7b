// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT back end mes: the scheduler of gfx11 and later, which takes queues
 * one by one and saves their waves when one is removed.
 */

#include "amdgpu.h"
#include "gpreempt/run/commit.h"

/* In the slots that the driver has given it. The kernel's own queues have others. */
static bool mes_oversubscribed(const struct device_queue_manager *dqm)
{
	const struct amdgpu_mes *mes = &dqm->dev->adev->mes;
	unsigned int i, slots = 0;

	for (i = 0; i < ARRAY_SIZE(mes->compute_hqd_mask); i++)
		slots += hweight32(mes->compute_hqd_mask[i]);
	return dqm->active_cp_queue_count > slots;
}

const struct kfd_gpreempt_backend kfd_gpreempt_mes = {
	.name = "mes",
	.transact = kfd_gpreempt_single_transact,
	.give_back = kfd_gpreempt_single_give_back,
	.oversubscribed = mes_oversubscribed,
	.remove = remove_queue_mes,
	.add = add_queue_mes,
};
