// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT proof: memory is a hint, hardware the proof.
 *
 * Rule 11, nobody opts out. A tenant can forge its memory to say that its queue has nothing to do
 * while its waves run. So when a queue above has waited for an interval, and no counted waves
 * explain that, the scan counts the waves of all mapped queues.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/*
 * How long a queue may wait before proof is wanted: an interval, or a little less, as the next
 * scan may be early; or an eighth of what the same packets take, so that long kernels are counted
 * seldom.
 */
static u64 patience_ns(const struct gpreempt_view *view, const struct gpreempt_memory *m)
{
	u64 interval_ns = (u64)view->tun.poll_interval_us * NSEC_PER_USEC;
	u64 moved_ns = m->index.moved_ns;
	u64 took_ns = moved_ns && moved_ns < view->now_ns ? view->now_ns - moved_ns : 0;

	return max(interval_ns - interval_ns / 8, took_ns / 8);
}

/* Has it waited for so long, for all that was counted? */
static bool needs_proof(const struct gpreempt_view *view, const struct gpreempt_queue_view *q)
{
	return q->seen.mapped && gpreempt_reached(q->memory->unproved_ns, view->now_ns,
						  patience_ns(view, q->memory));
}

/**
 * gpreempt_wants_proof - are all waves to be counted, whatever memory says?
 * @view: the scan; of each queue it is known whether it matters
 * @counts: waves are counted in any case. Then none is found not to use the machine that it was
 *	given while what it was not given may be hidden
 *
 * Return: false, too, where there is nothing to count, and before &gpreempt_view.proof_ns.
 */
bool gpreempt_wants_proof(const struct gpreempt_view *view, bool counts)
{
	const struct gpreempt_queue_view *q;
	u8 lowest = GPREEMPT_BOOST + 1;

	if (view->blind || view->now_ns < view->proof_ns)
		return false;
	gpreempt_for_each(q, view)
		/* In nobody's way, for all that its memory shows. */
		if (q->seen.mapped && !q->shows && gpreempt_takes_part(q))
			lowest = min(lowest, gpreempt_level(q));
	if (lowest > GPREEMPT_BOOST)
		return false;
	gpreempt_for_each(q, view)
		if ((counts && gpreempt_reached(q->memory->blocked.given_ns, view->now_ns,
						(u64)view->tun.blocked_us * NSEC_PER_USEC)) ||
		    (gpreempt_level(q) > lowest && needs_proof(view, q)))
			return true;
	return false;
}

/**
 * gpreempt_lacks_slot - does one wait for a hardware slot?
 * @view: a scan that has counted all waves
 *
 * Return: true if a queue that has waited for so long was not found in a slot.
 */
bool gpreempt_lacks_slot(const struct gpreempt_view *view)
{
	const struct gpreempt_queue_view *q;

	gpreempt_for_each(q, view)
		if (q->seen.waves == GPREEMPT_WAVES_UNKNOWN && needs_proof(view, q))
			return true;
	return false;
}

/**
 * gpreempt_track_proof - remember since when a queue may have waited, for all that was counted
 * @view: the scan, with a plan
 * @q: the queue
 *
 * It has work; and it was neither seen to move, nor counted to have all it wants.
 */
void gpreempt_track_proof(const struct gpreempt_view *view, struct gpreempt_queue_view *q)
{
	bool works = q->seen.mapped && !q->out.announced && gpreempt_has_work(q);
	bool shown = q->seen.waves > 0 && !q->out.wants;
	u64 *since_ns = &q->memory->unproved_ns;

	if (!works)
		*since_ns = 0;
	else if (!*since_ns || *since_ns > view->now_ns || q->change.consumed || shown ||
		 view->proof)
		*since_ns = max_t(u64, view->now_ns, 1);
}
