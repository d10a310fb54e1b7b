// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT restore: do queues that were put back execute again?
 *
 * RUN_LIST has no fence, so only waves tell. A queue whose waves were saved, and which does not
 * show any though it has the GPU to itself, may have been refused by the firmware: it is taken
 * off once more. If that saves waves again they never executed, and GPREEMPT gives up.
 */

#include <linux/timekeeping.h>

#include "priv.h"

/* May a queue have waves on the machine? Those that do not matter have none. */
static bool is_busy(const struct gpreempt_view *view)
{
	unsigned int i;

	for (i = 0; i < view->nr; i++)
		if (view->q[i].seen.mapped && view->q[i].matters && view->q[i].seen.waves)
			return true;
	return false;
}

/*
 * One that had no waves saved may have nothing to run, or wait for something; then it is no
 * sample. One that had executes, unless others fill the machine. If it does not though the
 * machine was empty in scan after scan, for as long as a preemption may take, its restore is
 * taken to be refused; unless its signal shows that it ended between two scans.
 */
static void watch(struct kfd_gpreempt *gp, struct kfd_gpreempt_queue *gpq,
		  const struct gpreempt_queue_view *v, bool busy)
{
	u64 limit = (u64)READ_ONCE(gp->tunables.preempt_timeout_ms) * NSEC_PER_MSEC;
	u64 now_ns = ktime_get_ns(), ns = now_ns - gpq->mapped_ns;
	bool rotates = gp->scan.oversubscribed;

	/* Where the firmware rotates, what is not seen in a slot may wait for one. */
	if (busy || (rotates && v->seen.waves < 0))
		gpq->alone = (struct gpreempt_watch) { .since_ns = now_ns };
	if (v->seen.mapped && v->seen.waves > 0) {
		if (!rotates)
			kfd_gpreempt_account_restore(gp, ns);
	} else if (v->seen.mapped && gpq->saved && v->seen.signal != GPREEMPT_SIGNAL_DONE &&
		   v->seen.previous != GPREEMPT_SIGNAL_DONE) {
		gpq->refused = gpreempt_watch_scan(&gpq->alone, gp->scan.view.now_ns,
						   now_ns, limit);
		if (!gpq->refused)
			return;
	} else if (v->seen.mapped && v->out.activity != GPREEMPT_IDLE &&
		   v->out.activity != GPREEMPT_BLOCKED && ns < limit) {
		return;
	}
	gpq->mapped_ns = 0;
}

/**
 * kfd_gpreempt_restore_watch - look for the queues that were put back
 * @gp: the node, with a decided plan; monitor only
 *
 * Return: true if the restore of one seems to be refused.
 */
bool kfd_gpreempt_restore_watch(struct kfd_gpreempt *gp)
{
	const struct gpreempt_view *view = &gp->scan.view;
	bool busy = is_busy(view), refused = false;
	unsigned int i;

	if (!view->waves_final)
		return false;
	for (i = 0; i < view->nr; i++) {
		struct kfd_gpreempt_queue *gpq = gp->scan.queues[i].gpq;

		if (gpq->mapped_ns)
			watch(gp, gpq, &view->q[i], busy);
		refused |= gpq->refused;
	}
	return refused;
}

/**
 * kfd_gpreempt_restore_again - take a queue off once more whose restore seems to be refused
 * @gp: the node; monitor only
 *
 * Return: true if its waves never executed, or could not be mapped again: the monitor gives
 * up. If nothing was saved they had ended before a scan could see them.
 */
bool kfd_gpreempt_restore_again(struct kfd_gpreempt *gp)
{
	bool refused = false;
	unsigned int i;

	for (i = 0; i < gp->scan.view.nr; i++) {
		struct kfd_gpreempt_queue *gpq = gp->scan.queues[i].gpq;

		gpq->verdict = gpq->refused ? GPREEMPT_PREEMPT : GPREEMPT_KEEP;
		gpq->reason = GPREEMPT_REASON_OFF;
		if (gpq->refused)
			gpq->saved = false;
		gpq->refused = false;
	}
	if (kfd_gpreempt_carry_out(gp) || kfd_gpreempt_state(gp) == GPREEMPT_BYPASSED ||
	    gp->search.on)
		return false;	/* another error, or a reset; or it was late */
	for (i = 0; i < gp->scan.view.nr; i++) {
		struct kfd_gpreempt_queue *gpq = gp->scan.queues[i].gpq;

		refused |= gpq->verdict == GPREEMPT_PREEMPT && gpq->saved;
	}
	return kfd_gpreempt_release_remap(gp, NULL) || refused;
}
