// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT back end hws: the hardware scheduler's runlist.
 *
 * Rule 9, one transaction.
 * UNMAP_QUEUES takes the whole runlist off the hardware, so all decisions of a
 * scan share one transaction: unmap, flip the flags, map. The flags are flipped
 * between the two, as update_queue() does it. So a queue that did not answer
 * and was reset is no longer active and is not taken for a victim, and a
 * failed unmap leaves nothing to put back.
 */

#include <linux/timekeeping.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "kfd_gpreempt_priv.h"

static void flip(struct kfd_gpreempt *gp, u64 fence_ns)
{
	struct device_process_node *dpn;
	struct queue *q;

	list_for_each_entry(dpn, &gp->node->dqm->queues, list) {
		list_for_each_entry(q, &dpn->qpd->queues_list, list) {
			switch (kfd_gpreempt_verdict(q)) {
			case GPREEMPT_PREEMPT:
				kfd_gpreempt_queue_off(gp, dpn->qpd, q, fence_ns);
				break;
			case GPREEMPT_RESUME:
				kfd_gpreempt_queue_on(gp, dpn->qpd, q,
						      q->gpreempt->reason);
				break;
			case GPREEMPT_KEEP:
				break;
			}
		}
	}
}

/*
 * Map what should be mapped. A return of 0 from map_queues_cpsch() is not yet
 * success: it also is what a stopped scheduler answers.
 */
static int map_and_check(struct device_queue_manager *dqm)
{
	int r = map_queues_cpsch(dqm);

	if (!r && !dqm->active_runlist && dqm->active_queue_count)
		r = -EAGAIN;
	return r;
}

static int hws_transact(struct kfd_gpreempt *gp, unsigned int preempt,
			enum gpreempt_event *error)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	bool mapped = dqm->active_runlist;
	u64 start_ns, fence_ns;
	int r;

	start_ns = ktime_get_ns();
	/* The wait for the fence is never cut short: its word is used again. */
	r = unmap_queues_cpsch(dqm, KFD_UNMAP_QUEUES_FILTER_DYNAMIC_QUEUES, 0,
			       USE_DEFAULT_GRACE_PERIOD, false);
	fence_ns = ktime_get_ns() - start_ns;
	if (r == -EIO && !amdgpu_amdkfd_is_fed(dqm->dev->adev))
		return -EAGAIN;		/* a reset came first */
	if (r) {
		*error = GPREEMPT_EV_HANG;	/* stock has asked for a reset */
		kfd_gpreempt_release(gp, NULL);
		return r;
	}
	kfd_gpreempt_count(gp, GPREEMPT_STAT_TRANSACTIONS, 1);

	if (mapped && !kfd_gpreempt_account_save(gp, preempt, fence_ns)) {
		*error = GPREEMPT_EV_LATE;
		kfd_gpreempt_release(gp, NULL);
	} else {
		flip(gp, fence_ns);
	}

	r = map_and_check(dqm);
	if (r) {
		*error = GPREEMPT_EV_MAP;
		kfd_gpreempt_release(gp, NULL);
		map_and_check(dqm);
	}
	return r;
}

static int hws_give_back(struct kfd_gpreempt *gp, struct qcm_process_device *qpd)
{
	if (!kfd_gpreempt_release(gp, qpd))
		return 0;
	return execute_queues_cpsch(gp->node->dqm,
				    KFD_UNMAP_QUEUES_FILTER_DYNAMIC_QUEUES, 0,
				    USE_DEFAULT_GRACE_PERIOD);
}

static int hws_map(struct kfd_gpreempt *gp)
{
	return map_and_check(gp->node->dqm);
}

const struct kfd_gpreempt_backend kfd_gpreempt_hws = {
	.name = "hws",
	.transact = hws_transact,
	.give_back = hws_give_back,
	.map = hws_map,
};
