// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT monitor: owns time. It scans, sleeps and parks, as wake says.
 */

/**
 * DOC: GPREEMPT
 *
 * Compute work reaches an AMD GPU through user-mode queues: a process writes packets into a ring in
 * its memory and rings a doorbell. The kernel takes no part, and the hardware never takes a compute
 * unit away from a running wave. GPREEMPT gives queue priorities a meaning all the same. A kernel
 * thread per KFD node, the monitor, watches the compute queues; when one of higher priority waits
 * while one of lower priority runs, it takes the lower one off the hardware by compute wave
 * save/restore (CWSR), and puts it back when the machine is free. Each wave goes on at the
 * instruction where it stopped.
 *
 * A tick of the monitor has five steps, each in a file of its own:
 *
 * - *scan* (scan.c) reads what each queue is doing from the
 *   process's memory and, when the decision needs it, from registers;
 * - *decide* (decide.c), a pure function, finds which queues to preempt and which to resume:
 *   *policy* ranks them, *estimate* tells what each is doing, *select* makes a plan of that;
 * - *wake* (wake.c), another, finds how long the monitor may sleep after it, and
 *   whose doorbells must wake it before;
 * - *commit* (commit.c) carries that out in one runlist transaction, however many queues are
 *   concerned: under the hardware scheduler each transaction unmaps every queue of the node;
 * - *account* (account.c) counts and traces the scan before anything is carried out.
 *
 * While nothing could be arbitrated the monitor is parked: it sleeps without a timer, so an idle
 * GPU costs no wake-ups, unless processes are off for being idle (idle.c): these are looked at 50
 * times a second. With all queues on one level, it is woken by the next runlist, as every
 * change of the queues makes one. With several levels but no work it has to learn about the next
 * doorbell, which the kernel does not see. So it revokes the doorbell mappings, as TTM revokes
 * buffer mappings: the first doorbell after parking takes a page fault, which puts the mapping back
 * and wakes the monitor. The same is done when a queue has become idle that stands above one at
 * work, or takes turns with it, as one of another process may: its next doorbell starts a scan at
 * once, instead of waiting for the poll interval to end. A process costs one revocation, however
 * often it has mapped its doorbells.
 *
 * A process is never charged for what GPREEMPT reads of its memory, and never trusted: see scan.c.
 */

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/types.h>

#include "gpreempt/core/policy.h"
#include "commit.h"
#include "queue.h"

static bool kthread_wanted(void)
{
	return kthread_should_stop() || kthread_should_park();
}

/*
 * Sleep until that time is over or we are wanted; a timer in jiffies would end a hold tens of ms
 * late. Then sleep until the next scan may begin: that scan sees all that happens meanwhile, so no
 * wake-up may even reach the thread.
 */
static void monitor_sleep(struct kfd_gpreempt *gp, u64 ns, u64 slack_ns)
{
	ktime_t timeout = ns_to_ktime(ns);
	DEFINE_WAIT(wait);

	prepare_to_wait(&gp->monitor.wait, &wait, TASK_IDLE);
	if (!READ_ONCE(gp->monitor.kick) && !kthread_wanted())
		schedule_hrtimeout_range(ns == U64_MAX ? NULL : &timeout, slack_ns,
					 HRTIMER_MODE_REL);
	finish_wait(&gp->monitor.wait, &wait);

	ns = gpreempt_pace_wait(&gp->monitor.pace, ktime_get_ns());
	if (!ns)
		return;
	timeout = ns_to_ktime(ns);
	set_current_state(TASK_IDLE);
	if (!kthread_wanted())
		schedule_hrtimeout_range(&timeout, ns / 16, HRTIMER_MODE_REL);
	__set_current_state(TASK_RUNNING);
}

/*
 * Until the interval is over, which a parked monitor does not have, or it is time to look before
 * that, there is something new, or we are wanted.
 */
static void monitor_rest(struct kfd_gpreempt *gp, bool unmapped)
{
	const struct gpreempt_plan *plan = &gp->scan.plan;
	u32 us = plan->within_us ?: READ_ONCE(gp->tunables.poll_interval_us);
	u64 now_ns = ktime_get_ns(), ns;
	u64 until_ns = unmapped ? now_ns + GPREEMPT_MAP_AGAIN_MS * NSEC_PER_MSEC : plan->next_ns;

	if (plan->rest == GPREEMPT_CALM)
		us = max(us, READ_ONCE(gp->poll_interval_max_us));
	else if (plan->rest == GPREEMPT_PARK)
		us = 0;
	ns = gpreempt_pace_next(&gp->monitor.pace, now_ns, us, until_ns);
	monitor_sleep(gp, ns, now_ns + ns == until_ns ? 0 : ns / 16);
}

/* Scan and decide, if anything could have to be decided. */
static void monitor_look(struct kfd_gpreempt *gp)
{
	u32 *set = (u32 *)&gp->tunables, *tun = (u32 *)&gp->scan.view.tun;
	struct kfd_gpreempt_scan *scan = &gp->scan;
	unsigned int i;

	scan->idle_ns = 0;
	/* Each is a u32, and may be set now. */
	for (i = 0; i < sizeof(scan->view.tun) / sizeof(*tun); i++)
		tun[i] = READ_ONCE(set[i]);
	scan->view.policy = READ_ONCE(gp->policy);
	if (kfd_gpreempt_scan_collect(gp)) {
		/* Down or halted: what brings the scheduler up wakes us. */
		scan->view.busy_ns = scan->view.now_ns;
		gpreempt_skip(&scan->view, &scan->plan);
		return;
	}
	/* If no queue could contend, nobody but a reader has a reason to look. */
	if (!scan->look && !gpreempt_may_contend(&scan->view) &&
	    !gpreempt_may_idle(&scan->view)) {
		gp->monitor.calm_ns = scan->view.now_ns;
		gpreempt_skip(&scan->view, &scan->plan);
		return;
	}

	kfd_gpreempt_scan_memory(gp);
	scan->idle_ns = gpreempt_find_idle(&scan->view);
	gpreempt_decide(&scan->view, &scan->plan);
	if (scan->plan.need_waves) {
		kfd_gpreempt_scan_waves(gp);
		/* Not more than a tenth of the time goes into what memory would have spared. */
		if (scan->view.proof)
			scan->view.proof_ns = ktime_get_ns() + 9 * scan->register_ns;
		gpreempt_decide(&scan->view, &scan->plan);
	}
	kfd_gpreempt_account_scan(gp);
}

/* Let the doorbells that are awaited wake us. False if the next scan is to look, for one. */
static bool await_doorbells(struct kfd_gpreempt *gp)
{
	struct gpreempt_queue_view *v;
	bool awaited = true;

	gpreempt_for_each(v, &gp->scan.view)
		if (v->out.awaited)
			awaited &= kfd_gpreempt_doorbell_await(gp, kfd_gpreempt_of(v)->mm);
		else if (v->idle->awaited && !v->idle->trapped)
			kfd_gpreempt_doorbell_await(gp, kfd_gpreempt_of(v)->mm);
	return awaited;
}

/* Rule 6, errors: an error changes the state, and a bypass is reported. */
static void monitor_commit(struct kfd_gpreempt *gp)
{
	enum gpreempt_event event = GPREEMPT_EV_WORK;
	u64 start_ns = ktime_get_ns(), now_ns;
	int r = kfd_gpreempt_commit(gp, &event);

	if (r && r != -EAGAIN)
		kfd_gpreempt_count(gp, FAILED, 1);
	if (event != GPREEMPT_EV_WORK)
		kfd_gpreempt_event(gp, event);
	now_ns = ktime_get_ns();
	gp->scan.spare_ns += now_ns - start_ns;
	/* Queues that were put on get as long as the plan gives them, from now on, to show work. */
	gp->monitor.pace.begun_ns = now_ns;
}

/*
 * While a culprit is searched for, queues are kept off to find out: nothing is decided before
 * the scan that follows, and no group is charged. Returns whether it is so.
 */
static bool monitor_search(struct kfd_gpreempt *gp)
{
	struct gpreempt_search *search = &gp->saves.search;
	u64 now_ns = ktime_get_ns();

	if (!search->on)
		return false;
	WRITE_ONCE(gp->account.scan_ns, 0);
	gp->scan.view.now_ns = now_ns;
	gpreempt_skip(&gp->scan.view, &gp->scan.plan);
	if (now_ns >= search->due_ns) {
		monitor_commit(gp);
		now_ns = ktime_get_ns();
		/* The scheduler is halted, or being reset. */
		if (search->on && now_ns >= search->due_ns)
			search->due_ns = now_ns + GPREEMPT_MAP_AGAIN_MS * NSEC_PER_MSEC;
	}
	gp->scan.plan.rest = GPREEMPT_POLL;
	gp->scan.plan.next_ns = search->on ? search->due_ns : now_ns;
	return true;
}

static void monitor_tick(struct kfd_gpreempt *gp)
{
	struct kfd_gpreempt_scan *scan = &gp->scan;
	bool preempts;

	if (monitor_search(gp))
		return;
	monitor_look(gp);
	preempts = scan->plan.nr_preempt;
	if (preempts)
		monitor_commit(gp);
	gpreempt_wake(&scan->view, &scan->plan);
	scan->plan.next_ns = min_not_zero(scan->plan.next_ns, scan->idle_ns);
	/*
	 * A doorbell rung before this shows in the next scan; one rung while lower queues
	 * are being put back wakes us. If a process can ring unnoticed, it is looked for.
	 */
	if (!await_doorbells(gp) && scan->plan.rest != GPREEMPT_POLL)
		scan->plan.rest--;
	if (scan->plan.nr_resume && !preempts)
		monitor_commit(gp);
	kfd_gpreempt_scan_release(gp);
	monitor_search(gp);
}

/* Errors give the machine back, also stock's. Returns whether it takes another attempt. */
static bool monitor_map(struct kfd_gpreempt *gp)
{
	bool unmapped = kfd_gpreempt_map_again(gp) != 0;

	if (unmapped && kfd_gpreempt_state(gp) != GPREEMPT_BYPASSED) {
		kfd_gpreempt_count(gp, FAILED, 1);
		kfd_gpreempt_event(gp, GPREEMPT_EV_MAP);
	}
	return unmapped;
}

/* Most errors are tried again after some time, with all queues on the hardware by then. */
static bool monitor_bypassed(struct kfd_gpreempt *gp, bool unmapped)
{
	u64 rearm_ns = READ_ONCE(gp->state.rearm_ns);

	if (kfd_gpreempt_state(gp) != GPREEMPT_BYPASSED)
		return false;
	gp->scan.plan.next_ns = rearm_ns;
	if (unmapped || !rearm_ns || ktime_get_ns() < rearm_ns)
		return true;
	gp->epoch++;
	return kfd_gpreempt_event(gp, GPREEMPT_EV_REARM) == GPREEMPT_BYPASSED;
}

static void monitor_begin(struct kfd_gpreempt *gp)
{
	gp->monitor.calm_ns = ktime_get_ns();
	gp->scan.view.busy_ns = gp->monitor.calm_ns;
	gpreempt_pace_next(&gp->monitor.pace, 0, 0, 0);
}

/**
 * kfd_gpreempt_monitor - thread function of a node's monitor
 * @data: the &struct kfd_gpreempt
 *
 * Return: 0, when told to stop.
 */
int kfd_gpreempt_monitor(void *data)
{
	struct kfd_gpreempt *gp = data;
	struct gpreempt_plan *plan = &gp->scan.plan;
	bool bypassed, unmapped;
	u64 start_ns, now_ns;

	/* Late scans are latency of the queues that matter most. */
	set_user_nice(current, MIN_NICE);
	monitor_begin(gp);

	while (!kthread_should_stop()) {
		if (kthread_should_park()) {
			WRITE_ONCE(gp->account.scan_ns, 0);
			kthread_parkme();
			monitor_begin(gp);
			continue;
		}

		WRITE_ONCE(gp->monitor.kick, false);
		/*
		 * Clear before the tick reads: a change it misses was made
		 * later, and sets kick after it. Pairs with the barrier that
		 * wake_up() implies between the change and kick.
		 */
		smp_mb();
		gp->scan.look = READ_ONCE(gp->monitor.look);
		*plan = (struct gpreempt_plan) { .rest = GPREEMPT_PARK };
		start_ns = ktime_get_ns();
		gp->scan.spare_ns = 0;
		gp->scan.all |= xchg(&gp->monitor.all, false);
		gpreempt_pace_begin(&gp->monitor.pace, start_ns);
		unmapped = monitor_map(gp);
		bypassed = monitor_bypassed(gp, unmapped);
		if (!bypassed) {
			kfd_gpreempt_event(gp, GPREEMPT_EV_WORK);
			lock_map_acquire(&gp->monitor.map);
			monitor_tick(gp);
			lock_map_release(&gp->monitor.map);
			if (gp->scan.look)
				WRITE_ONCE(gp->monitor.look, false);
			kfd_gpreempt_ticked(gp);
			/* See at once to what a bypass wants. */
			if (kfd_gpreempt_state(gp) == GPREEMPT_BYPASSED)
				plan->rest = GPREEMPT_POLL;
		}
		now_ns = ktime_get_ns();
		gpreempt_pace_end(&gp->monitor.pace, now_ns, now_ns - start_ns - gp->scan.spare_ns,
				  READ_ONCE(gp->tunables.poll_interval_us));

		if (plan->rest == GPREEMPT_PARK) {
			WRITE_ONCE(gp->account.scan_ns, 0);
			if (!READ_ONCE(gp->monitor.kick))
				kfd_gpreempt_event(gp, GPREEMPT_EV_IDLE);
			atomic64_set(&gp->monitor.woken_ns, 0);
		}
		monitor_rest(gp, unmapped);
		kfd_gpreempt_count(gp, WAKEUPS, 1);
	}
	WRITE_ONCE(gp->account.scan_ns, 0);
	return 0;
}
