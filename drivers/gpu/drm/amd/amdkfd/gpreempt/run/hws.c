// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT back end hws: the hardware scheduler's runlist.
 *
 * Rule 9, one transaction. UNMAP_QUEUES takes the whole runlist off the hardware, so all decisions
 * of a scan share one transaction: unmap, flip the flags, map. The flags are flipped between the
 * two, as update_queue() does it. So a queue that did not answer and was reset is no longer active
 * and is not taken for a victim, and a failed unmap leaves nothing to put back.
 */

#include <linux/random.h>
#include <linux/timekeeping.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "commit.h"
#include "queue.h"

/* It is to leave for being idle, and had something after all: that is not tried again at once. */
static bool is_refuted(const struct kfd_gpreempt *gp, const struct queue *q,
		       enum gpreempt_verdict verdict)
{
	return verdict == GPREEMPT_PREEMPT &&
	       q->gpreempt->view.out.reason == GPREEMPT_REASON_IDLE && !gp->hw->is_bare(q);
}

/* The verdicts, after all queues were saved in that time. */
static void flip(struct kfd_gpreempt *gp, u64 save_ns)
{
	struct device_process_node *dpn;
	struct queue *q;

	kfd_gpreempt_for_each(q, dpn, gp->node->dqm) {
		enum gpreempt_verdict verdict = kfd_gpreempt_verdict(q);

		if (is_refuted(gp, q, verdict))
			q->gpreempt->group->idle.since_ns = 0;
		else if (verdict == GPREEMPT_PREEMPT)
			kfd_gpreempt_queue_off(gp, dpn->qpd, q, save_ns);
		else if (verdict == GPREEMPT_RESUME)
			kfd_gpreempt_queue_on(gp, dpn->qpd, q, q->gpreempt->view.out.reason);
	}
}

/*
 * Had this queue waves? After a late save it may have had some if any were saved, or if the last
 * scan counted some, or did not count: they may have ended before the save. After a save in time
 * only saved waves clear it; not where firmware rotates, as the MQD may be older than the save.
 */
static bool had_waves(const struct kfd_gpreempt *gp, const struct queue *q, bool late)
{
	bool saved;

	if (!q->properties.is_active)
		return false;
	saved = gp->hw->has_saved(q);
	return late ? saved || q->gpreempt->account.last.seen.waves :
		      saved && !gp->node->dqm->packet_mgr.is_over_subscription;
}

/* A search overrules the scan's verdicts. */
static void judge(struct kfd_gpreempt *gp, struct queue *q, bool began, u64 now_ns)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	bool kept_off = gpreempt_is_kept_off(&gpq->suspect, now_ns);
	struct gpreempt_outcome *out = &gpq->view.out;

	gpreempt_search_place(&gp->saves.search, &gpq->suspect);
	if (gpreempt_is_kept_off(&gpq->suspect, now_ns))
		out->verdict = GPREEMPT_PREEMPT;
	else if (kept_off)
		out->verdict = GPREEMPT_RESUME;
	else if (!began || gpq->suspect.role == GPREEMPT_TRIED)
		out->verdict = GPREEMPT_KEEP;
	else
		return;
	out->reason = GPREEMPT_REASON_LATE;
}

/*
 * All queues are off, and their save was late, or ends a trial. Decide which of them are to be on
 * the hardware now.
 */
static enum gpreempt_finding search(struct kfd_gpreempt *gp, bool late)
{
	bool began = !gp->saves.search.on;
	struct device_process_node *dpn;
	enum gpreempt_finding finding;
	u64 now_ns = ktime_get_ns();
	struct queue *q;

	gpreempt_search_hear(&gp->saves.search, late);
	kfd_gpreempt_for_each(q, dpn, gp->node->dqm)
		if (q->gpreempt)
			gpreempt_search_weigh(&gp->saves.search, &q->gpreempt->suspect,
					      had_waves(gp, q, late));
	finding = gpreempt_search_find(&gp->saves.search, now_ns, get_random_u8() & 1);
	kfd_gpreempt_for_each(q, dpn, gp->node->dqm) {
		if (!q->gpreempt)
			continue;
		if (finding == GPREEMPT_FOUND && gpreempt_is_suspect(&q->gpreempt->suspect))
			kfd_gpreempt_exclude(gp, q);
		judge(gp, q, began, now_ns);
	}
	return finding;
}

/* Had none of its compute queues anything to do at the last scan? */
static bool is_idle(const struct device_process_node *dpn)
{
	const struct queue *q;

	list_for_each_entry(q, &dpn->qpd->queues_list, list)
		if (q->gpreempt && q->properties.is_active &&
		    q->gpreempt->view.out.activity != GPREEMPT_IDLE)
			return false;
	return true;
}

/*
 * Where there are too few slots or VMIDs, firmware gives them in the order of the runlist, and
 * takes them away again after a quantum. Processes that work come first: what others were
 * taken off for is not to wait for a turn of those that idle.
 */
static void put_idle_last(struct device_queue_manager *dqm)
{
	struct device_process_node *dpn, *next;
	LIST_HEAD(idle);

	list_for_each_entry_safe(dpn, next, &dqm->queues, list)
		if (is_idle(dpn))
			list_move_tail(&dpn->list, &idle);
	list_splice_tail(&idle, &dqm->queues);
}

/*
 * Map what should be mapped. A return of 0 from map_queues_cpsch() is not yet
 * success: it also is what a stopped scheduler answers.
 */
static int hws_map(struct kfd_gpreempt *gp)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	int r = map_queues_cpsch(dqm);

	if (!r && !dqm->active_runlist && dqm->active_queue_count)
		r = -EAGAIN;
	return r;
}

/* The wait for the fence is never cut short: the fence word is reused. */
static int unmap(struct kfd_gpreempt *gp)
{
	return unmap_queues_cpsch(gp->node->dqm, KFD_UNMAP_QUEUES_FILTER_DYNAMIC_QUEUES, 0,
				  kfd_gpreempt_grace(gp), false);
}

static int hws_transact(struct kfd_gpreempt *gp, unsigned int preempt, enum gpreempt_event *error)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	unsigned int active = dqm->active_queue_count;
	bool mapped = dqm->active_runlist, delayed = false, late;
	enum gpreempt_finding finding = GPREEMPT_TRY;
	u64 start_ns, fence_ns = 0;
	int r;

	start_ns = ktime_get_ns();
	r = unmap(gp);
	if (r == -ETIME || (r && amdgpu_amdkfd_is_fed(dqm->dev->adev))) {
		*error = GPREEMPT_EV_HANG;	/* stock has asked for a reset */
		kfd_gpreempt_release(gp);
		return r;
	}
	/* No space for the packet, or somebody has the reset semaphore: nothing was changed. */
	if (r)
		return -EAGAIN;
	kfd_gpreempt_count(gp, TRANSACTIONS, 1);

	if (mapped) {
		fence_ns = gp->saves.answered_ns - start_ns;
		delayed = kfd_gpreempt_save_took(gp, &gp->saves.search, preempt, fence_ns);
	}
	/* Stock has reset each queue that did not leave at all: nobody else is to blame. */
	late = delayed && dqm->active_queue_count == active;
	if (late || gp->saves.search.on)
		finding = search(gp, late);
	if (finding == GPREEMPT_NOBODY) {
		*error = GPREEMPT_EV_LATE;
		kfd_gpreempt_release(gp);
	} else {
		flip(gp, fence_ns);
		put_idle_last(dqm);
		if (preempt && !delayed && !gp->saves.search.on)
			*error = GPREEMPT_EV_SAVED;
	}

	r = hws_map(gp);
	if (r) {
		/* The monitor tries again before it does anything else. */
		*error = GPREEMPT_EV_MAP;
		kfd_gpreempt_release(gp);
	}
	return r;
}

/* The flags change when all is off: a queue still on an old runlist would never be mapped. */
static int hws_give_back(struct kfd_gpreempt *gp)
{
	int r = unmap(gp);

	if (r)
		return r;
	kfd_gpreempt_release(gp);
	return hws_map(gp);
}

static bool hws_oversubscribed(const struct device_queue_manager *dqm)
{
	return dqm->packet_mgr.is_over_subscription;
}

const struct kfd_gpreempt_backend kfd_gpreempt_hws = {
	.name = "hws",
	.transact = hws_transact,
	.give_back = hws_give_back,
	.oversubscribed = hws_oversubscribed,
	.map = hws_map,
};
