// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT decide: the order of the rooms. The policy ranks each queue, estimate tells what it
 * is doing, select makes a plan of that, and estimate remembers what came of it.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "decide.h"
#include "wake.h"

/*
 * Announced work finds the machine free if lower queues are taken off early enough for a save
 * and for a scan that is late.
 */
static u64 lead_ns(const struct gpreempt_view *view, const struct gpreempt_tunables *tun)
{
	return view->save_ns + (u64)tun->poll_interval_us * NSEC_PER_USEC / 4;
}

/*
 * Mark the queues that may want or hold the machine. Do two of different levels, or of two groups
 * that take turns? Returns whether something may depend on which of them have waves: they
 * contend; or any work may be hidden, and the monitor must not park while there is some.
 */
static bool mark(struct gpreempt_view *view)
{
	int lowest = GPREEMPT_BOOST + 1, highest = -1;
	const struct gpreempt_group *turns[GPREEMPT_LEVELS] = {};
	bool unsure = false, shown = false, contested = false;
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];
		u8 level = gpreempt_level(q);
		enum gpreempt_work work = gpreempt_work(q);
		bool may_work = work >= GPREEMPT_WORK_HIDDEN;

		q->matters = may_work && q->seen.mapped;
		q->shows = work == GPREEMPT_WORK_SHOWN;
		q->unsure = q->matters && q->seen.waves == GPREEMPT_WAVES_UNKNOWN &&
			    !view->waves_final;
		q->ended = false;
		unsure |= q->unsure;
		shown |= work == GPREEMPT_WORK_WAITS || q->shows;
		if (!may_work && !gpreempt_is_announced(view, q))
			continue;
		lowest = min_t(int, lowest, level);
		highest = max_t(int, highest, level);
		if (q->rank.slice_ns && !q->terms.pinned && level < GPREEMPT_LEVELS) {
			contested |= (turns[level] && turns[level] != q->group) ||
				     q->rank.not_before_ns;
			turns[level] = q->group;
		}
	}
	view->contested = lowest < highest || contested || view->waves_final;
	return unsure && (view->contested || !shown);
}

/*
 * Does a queue say that all it had has ended? That is its application's word: the newest packet
 * waited for all others, and its signal tells that it has completed.
 */
static bool says_ended(const struct gpreempt_queue_view *q)
{
	return q->seen.readable && q->seen.ordered && q->seen.signal == GPREEMPT_SIGNAL_DONE &&
	       !q->change.backlog;
}

/*
 * The only queue that is not off may say that all it had has ended. Its word is taken, as it
 * brings others back. Were that a lie, it would share the machine with them until the next
 * scan, which counts its waves.
 */
static bool takes_word(struct gpreempt_view *view)
{
	struct gpreempt_queue_view *only = NULL;
	bool off = false;
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		struct gpreempt_queue_view *q = &view->q[i];

		off |= q->seen.preempted && gpreempt_takes_part(q);
		if (q->matters && only)
			return false;
		if (q->matters)
			only = q;
	}
	if (!off || !only || !says_ended(only))
		return false;
	only->ended = true;
	only->unsure = false;
	return true;
}

static void select_if(const struct gpreempt_policy *policy, struct gpreempt_view *view,
		      const struct gpreempt_tunables *tun, bool most,
		      struct gpreempt_plan *plan, struct gpreempt_wake *wake)
{
	unsigned int i;

	for (i = 0; i < view->nr; i++)
		if (view->q[i].unsure)
			gpreempt_assume(&view->q[i], most);
	gpreempt_select(view, tun, plan);
	if (!plan->nr_preempt || policy->passive)
		gpreempt_wake(view, plan, wake);
}

/*
 * Rule 14, quiet. Does the plan, or what is to wake the monitor, depend on what was not counted?
 * A plan is monotone in how much each queue works, wants or holds; select says where it is
 * not. So if nothing differs between all that is unsure doing as much as it may,
 * and as little, nothing does in between. Times are not compared: what is missed by them waits
 * for an interval more. After a plan that takes something off, as a policy that only watches
 * does not, the next scan comes soon, whatever wakes it.
 */
static bool depends_on_waves(const struct gpreempt_policy *policy, struct gpreempt_view *view,
			     const struct gpreempt_tunables *tun)
{
	struct gpreempt_wake least_wake = {}, most_wake = {};
	struct gpreempt_plan least, most;
	unsigned int i;

	/* Nothing contends, so the plan is the same: waves tell whether the monitor may park. */
	if (!view->contested)
		return true;
	for (i = 0; i < view->nr; i++)
		if (view->q[i].unsure && gpreempt_must_count(view, tun, view->q[i].memory))
			return true;
	for (i = 0; i < view->nr; i++)
		gpreempt_suppose(view, tun, &view->q[i]);
	select_if(policy, view, tun, false, &least, &least_wake);
	for (i = 0; i < view->nr; i++) {
		view->q[i].supposed = view->q[i].out.verdict;
		view->q[i].supposed_awaited = view->q[i].out.awaited;
	}
	select_if(policy, view, tun, true, &most, &most_wake);
	if (least.guesses || most.guesses || least_wake.idle != most_wake.idle ||
	    least_wake.rest != most_wake.rest)
		return true;
	for (i = 0; i < view->nr; i++) {
		const struct gpreempt_queue_view *q = &view->q[i];

		if (q->supposed != q->out.verdict ||
		    q->supposed_awaited != q->out.awaited)
			return true;
	}
	return false;
}

/**
 * gpreempt_decide - what to take off the hardware, and what to put back
 * @policy: which ranks the queues
 * @view: the queues
 * @tun: the tunables
 * @plan: filled in
 *
 * Called by the monitor only, never concurrently for a node.
 */
void gpreempt_decide(const struct gpreempt_policy *policy, struct gpreempt_view *view,
		     const struct gpreempt_tunables *tun, struct gpreempt_plan *plan)
{
	bool need_waves;
	unsigned int i;

	view->lead_ns = lead_ns(view, tun);
	gpreempt_group_rank(policy, view, tun);
	/* One that takes nothing off watches all the same. */
	view->passive = false;
	view->proof &= view->waves_final;
	view->crowded = view->proof && gpreempt_lacks_slot(view, tun);
	need_waves = mark(view) && !takes_word(view) && depends_on_waves(policy, view, tun);
	view->passive = policy->passive;
	if (!view->waves_final && !policy->passive &&
	    gpreempt_wants_proof(view, tun, need_waves)) {
		view->proof = true;
		need_waves = true;
	}
	if (need_waves) {
		*plan = (struct gpreempt_plan) { .need_waves = true };
		for (i = 0; i < view->nr; i++) {
			view->q[i].out.verdict = GPREEMPT_KEEP;
			view->q[i].matters |= view->proof && view->q[i].seen.mapped;
		}
		return;
	}
	for (i = 0; i < view->nr; i++)
		gpreempt_estimate(view, tun, &view->q[i]);
	gpreempt_select(view, tun, plan);
	for (i = 0; i < view->nr; i++)
		gpreempt_learn(view, &view->q[i], plan->displaces);
	for (i = 0; i < view->nr; i++)
		gpreempt_track_proof(view, &view->q[i]);
	gpreempt_group_learn(policy, view);
}

/**
 * gpreempt_skip - a scan has shown that there is nothing to decide
 * @view: the scan
 * @plan: filled in: nothing is to be done
 *
 * Then no queue waits for another, and none has before: one that comes back when its hold
 * ends, say, has not starved meanwhile.
 */
void gpreempt_skip(struct gpreempt_view *view, struct gpreempt_plan *plan)
{
	unsigned int i;

	*plan = (struct gpreempt_plan) {};
	for (i = 0; i < view->nr; i++)
		gpreempt_waits_no_more(view->q[i].memory);
	gpreempt_group_skip(view);
}

/**
 * gpreempt_may_contend - could anything have to be decided?
 * @policy: which would rank the queues
 * @view: the queues; only whether they are there and on what terms is looked at
 * @tun: the tunables
 *
 * Rule 14, quiet. That is gpreempt_select()'s answer if all had work, found without estimating
 * what each of them does: a monitor that is about to park asks for nothing that has to be read.
 *
 * Return: false if no work of these queues, whenever it comes, would make the policy do anything.
 * True after a change of the policy: there are the last one's words to be cleared.
 */
bool gpreempt_may_contend(const struct gpreempt_policy *policy, const struct gpreempt_view *view,
			  const struct gpreempt_tunables *tun)
{
	const struct gpreempt_group *turns[GPREEMPT_LEVELS] = {};
	u32 levels = 0;
	unsigned int i;

	if (view->policy && view->policy != policy)
		return true;
	for (i = 0; i < view->nr; i++) {
		const struct gpreempt_queue_view *q = &view->q[i];
		struct gpreempt_rank rank = gpreempt_policy_rank(policy, &q->terms, tun);
		u32 level = BIT(rank.level);

		gpreempt_policy_place(policy, view, q->group, tun, &rank);
		if (q->seen.mapped && !q->terms.pinned && (q->terms.held || q->terms.asked))
			return true;
		if (!gpreempt_takes_part(q))
			continue;
		if (q->seen.preempted || (levels & ~level) || rank.not_before_ns)
			return true;
		levels |= level;
		if (!rank.slice_ns || q->terms.pinned)
			continue;
		if (turns[rank.level] && turns[rank.level] != q->group)
			return true;
		turns[rank.level] = q->group;
	}
	return false;
}
