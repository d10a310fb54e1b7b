// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT wake: how long the monitor may sleep, and whose doorbells must wake it before.
 *
 * A doorbell is a write from user space to the device: the kernel does not see it, unless its
 * mapping was taken away. So an idle queue's is awaited where its next work could not wait for
 * the interval to end; and where no work could, without one.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "select.h"

/*
 * How long nothing must happen before doorbells are taken away. Longer than the pauses of an
 * interactive client, so that those take no fault each time.
 */
#define LINGER_NS	(100 * NSEC_PER_MSEC)

/**
 * struct situation - what of the queues is of concern to all
 * @at_work:	lowest level with a queue that has work: in the way of idle ones above
 * @turns:	a group with one of these that takes turns on its level, NULL: there is none
 * @many:	and so does one of another group
 * @expected:	highest level that work is announced for, -1 if none is
 * @end_ns:	the first hold of a limited time ends then, 0: there is none
 */
struct situation {
	int at_work;
	const struct gpreempt_group *turns;
	bool many;
	int expected;
	u64 end_ns;
};

static struct situation survey(const struct gpreempt_view *view)
{
	struct situation s = { .at_work = GPREEMPT_BOOST + 1, .expected = -1 };
	const struct gpreempt_queue_view *q;

	gpreempt_for_each(q, view) {
		if (gpreempt_takes_part(q) && q->out.activity != GPREEMPT_IDLE &&
		    q->out.level <= s.at_work) {
			if (q->out.level < s.at_work) {
				s.turns = NULL;
				s.many = false;
			}
			s.at_work = q->out.level;
			if (q->rank.slice_ns) {
				s.many |= s.turns && s.turns != q->group;
				s.turns = q->group;
			}
		}
		if (q->terms.hint_end_ns > view->now_ns)
			s.expected = max_t(int, s.expected, q->out.level);
		s.end_ns = min_not_zero(s.end_ns, q->terms.hold_end_ns);
	}
	return s;
}

/* Would it take others off, or share their time, as soon as it has work? */
static bool would_contend(const struct gpreempt_queue_view *q, const struct situation *s)
{
	return q->out.level > s->at_work ||
	       (q->out.level == s->at_work && s->turns && q->rank.slice_ns &&
		(s->many || s->turns != q->group));
}

/*
 * Let the doorbells of idle queues that would preempt others wake the monitor. One that has
 * only just become idle may go on at once, and is left alone for a scan; unless others come
 * back now, as a rule because it is idle. While work is announced for a queue's level or
 * above, the monitor looks often enough. An announcement on a lower level must not delay it.
 */
static void await_preemptors(struct gpreempt_view *view, const struct gpreempt_plan *plan,
			     const struct situation *s)
{
	struct gpreempt_queue_view *q;

	gpreempt_for_each(q, view)
		q->out.awaited = q->seen.mapped && q->out.activity == GPREEMPT_IDLE &&
				 would_contend(q, s) && q->out.level > s->expected &&
				 (q->state.was_idle || plan->nr_resume);
}

/*
 * Can nothing have to be decided before a doorbell or another event wakes the monitor? That needs
 * all work, running or waiting, on one level, and each queue that could contend with it idle, with
 * an awaited doorbell. Two groups that take turns are not calm: a blocked one may go on, and have
 * its turn. Nor is an idle queue below: its doorbell is not awaited, so it may begin, and be in the
 * way of the next work above, with no event. Nor is announced work: its time comes with no event.
 */
static bool is_calm(const struct gpreempt_view *view, const struct gpreempt_plan *plan,
		    const struct situation *s)
{
	const struct gpreempt_queue_view *q;
	int highest = -1;

	if (plan->waiting || plan->within_us || plan->nr_preempt || s->expected >= 0)
		return false;
	gpreempt_for_each(q, view) {
		/* A queue to be held leaves when it may, and no event tells that. */
		if (q->seen.preempted ? !gpreempt_held(q) :
		    q->seen.mapped && (q->terms.held || q->terms.asked))
			return false;
		if (!q->seen.mapped)
			continue;
		if (q->out.activity != GPREEMPT_IDLE) {
			/* Until a scan finds it back, its waves are counted before it leaves. */
			if (q->memory->unseen.restored)
				return false;
			highest = max_t(int, highest, q->out.level);
			continue;
		}
		if (q->out.level < s->at_work || (would_contend(q, s) && !q->out.awaited))
			return false;
	}
	return s->at_work == highest && !s->many;
}

/**
 * gpreempt_wake - how long may the monitor sleep?
 * @view: the scan; whose doorbells are to wake it is filled in, and when something was at work
 * @plan: what is done now; how the monitor goes on is filled in
 */
void gpreempt_wake(struct gpreempt_view *view, struct gpreempt_plan *plan)
{
	bool parks = plan->rest == GPREEMPT_PARK, long_idle;
	bool idle = parks || (plan->idle && !plan->nr_preempt);
	struct situation s = survey(view);
	struct gpreempt_queue_view *q;

	if (!idle)
		view->busy_ns = view->now_ns;
	long_idle = !parks && idle && view->now_ns - view->busy_ns > LINGER_NS;
	plan->next_ns = min_not_zero(s.end_ns, plan->next_ns);
	gpreempt_for_each(q, view)
		q->out.awaited = long_idle;
	if (!idle)
		await_preemptors(view, plan, &s);
	if (long_idle)
		plan->rest = GPREEMPT_PARK;
	else if (!idle && is_calm(view, plan, &s))
		plan->rest = GPREEMPT_CALM;
}
