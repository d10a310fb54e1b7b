// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT grace: how long firmware lets waves run on before it saves them.
 *
 * Firmware reads that from a register, CP_IQ_WAIT_TIME2, whenever it takes queues off. Stock's
 * debugger has unmap_queues_cpsch() set it for one request, and so does GPREEMPT for its own. When
 * firmware has answered, stock's value is back. So there is nothing to restore when GPREEMPT is
 * disabled, the GPU is reset or a debugger comes, and other requests of stock's, and firmware's
 * rotation, go by stock's value all the time.
 */

#include "amdgpu.h"
#include "gc/gc_9_0_sh_mask.h"
#include "gpreempt/core/grace.h"
#include "commit.h"

/* The engine's highest clock in MHz, as AMDGPU_INFO_DEV_INFO tells it. 0: unknown. */
static u32 engine_mhz(struct amdgpu_device *adev)
{
	return (adev->pm.dpm_enabled ? amdgpu_dpm_get_sclk(adev, false) :
				       adev->clock.default_sclk) / 100;
}

/**
 * kfd_gpreempt_grace_init - find stock's grace period, which is the default
 * @gp: the node, its back end known
 *
 * Other back ends than hws do not use the packets that set it. Where stock cannot read the
 * register, it cannot build the packet either.
 */
void kfd_gpreempt_grace_init(struct kfd_gpreempt *gp)
{
	struct kfd_node *node = gp->node;
	u32 mhz = engine_mhz(node->adev);

	if (gp->backend != &kfd_gpreempt_hws || !node->kfd2kgd->get_iq_wait_times || !mhz)
		return;
	gp->grace.mhz = mhz;
	gp->grace.stock_us = gpreempt_grace_us(REG_GET_FIELD(node->dqm->wait_times,
							     CP_IQ_WAIT_TIME2, SCH_WAVE), mhz);
	gp->grace.us = gp->grace.stock_us;
}

/**
 * kfd_gpreempt_grace - the grace period of GPREEMPT's own requests
 * @gp: the node
 *
 * Return: for unmap_queues_cpsch().
 */
u32 kfd_gpreempt_grace(const struct kfd_gpreempt *gp)
{
	u32 us = READ_ONCE(gp->grace.us);

	return us == gp->grace.stock_us ? USE_DEFAULT_GRACE_PERIOD :
					  gpreempt_grace_units(us, gp->grace.mhz);
}
