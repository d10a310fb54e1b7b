/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GPREEMPT node: a node's record, its life and its state. */
#ifndef GPREEMPT_NODE_H_INCLUDED
#define GPREEMPT_NODE_H_INCLUDED

#include <linux/average.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/wait.h>

#include "kfd_device_queue_manager.h"
#include "gpreempt/hooks.h"
#include "gpreempt/core/culprit.h"
#include "gpreempt/core/pace.h"
#include "gpreempt/core/state.h"
#include "account.h"
#include "scan.h"

struct gpreempt_policy;
struct kfd_gpreempt_backend;

/* Times: each new one counts for a quarter. */
DECLARE_EWMA(gpreempt_ns, 0, 4)

/**
 * struct kfd_gpreempt - GPREEMPT on one node
 * @list:	of all nodes
 * @kobj:	sysfs directory; its count keeps this alive when the node is gone
 * @node:	the node; not to be followed once @lock says @dead
 * @unsupported: why it cannot be enabled, NULL: it can
 * @lock:	serialises enable, disable, stop, start, requests and teardown.
 *		Outside the DQM lock. Nothing allocates under it: a GPU reset
 *		takes it, and memory may depend on that reset
 * @dead:	the node is going; @lock
 * @stopped:	the scheduler is down, and @thread parked by kthread_park(); @lock
 * @thread:	the monitor, NULL while disabled; @lock
 * @monitor_map: lockdep's picture of "waits for the monitor"
 * @wait:	where the monitor sleeps
 * @kick:	look again before sleeping without a timer
 * @ticks:	counts ticks and changes of the state
 * @ticked:	where callers wait that asked for a preemption
 * @look:	somebody reads what queues do: scan though nothing could be arbitrated
 * @looked_ns:	when that was wanted last
 * @accounted_ns: time of the last scan if it was accounted, and the monitor has not parked since;
 *		0: nobody knows what its queues do
 * @facts:	what the state follows from; @facts_lock
 * @facts_lock: innermost
 * @epoch:	counts enables and resets: older histories are void
 * @search:	for a queue that delays its saves; monitor only, or while it is parked
 * @gpu_id:	KFD's number of the node, also when it is gone
 * @rearm_ns:	when the bypass ends by itself, 0: never, or there is none; @facts_lock
 * @tunables:	as the administrator set them
 * @poll_interval_max_us: how long the interval may become while the rest is %GPREEMPT_CALM
 * @priority_cap: effective priority without CAP_SYS_NICE
 * @policy:	the policy in use
 * @slow_save_ms: saves that take longer are slow
 * @save_ns:	what a save takes; DQM lock
 * @answered_ns: when the GPU last answered a request to take queues off; DQM lock
 * @hw:		register access, NULL where wave counts are not to be had
 * @backend:	how queues get off the hardware
 * @scan:	the monitor's workspace
 * @lists_lock:	guards @groups; nothing is taken inside
 * @groups:	processes that have records, and their cgroups
 * @pace:	the monitor's rhythm; monitor only
 * @calm_ns:	when the monitor last knew that nothing waits; monitor only
 * @woken_ns:	the first wake-up since it went to sleep without a timer, or 0
 * @last_lock:	guards what is shown of queues; inside the DQM lock
 * @stats:	see enum gpreempt_stat
 * @latencies:	see enum gpreempt_latency
 * @bypass_name: reason of the last bypass
 * @bypass_work: sends the uevent of a bypass, which allocates
 * @level_preemptions: queues of each level taken off the hardware
 * @doorbell_lock: guards @doorbells; inside a process's mmap_lock, outside
 *		MMU notifiers, never taken with the DQM lock held
 * @doorbells:	processes that have mapped their doorbells
 * @doorbell_zaps: times stock took all doorbells away
 */
struct kfd_gpreempt {
	struct list_head list;
	struct kobject kobj;
	struct kfd_node *node;
	const char *unsupported;

	struct mutex lock;
	bool dead;
	bool stopped;
	struct task_struct *thread;
	struct lockdep_map monitor_map;
	wait_queue_head_t wait;
	bool kick;
	atomic_t ticks;
	wait_queue_head_t ticked;
	bool look;
	atomic64_t looked_ns;
	u64 accounted_ns;

	spinlock_t facts_lock;
	struct gpreempt_facts facts;
	unsigned int epoch;
	struct gpreempt_search search;
	u32 gpu_id;
	u64 rearm_ns;

	struct gpreempt_tunables tunables;
	u32 poll_interval_max_us;
	u32 priority_cap;
	const struct gpreempt_policy *policy;
	u32 slow_save_ms;
	struct ewma_gpreempt_ns save_ns;
	u64 answered_ns;
	const struct kfd_gpreempt_hw *hw;
	const struct kfd_gpreempt_backend *backend;

	struct kfd_gpreempt_scan scan;
	struct mutex lists_lock;
	struct list_head groups;
	struct gpreempt_pace pace;
	u64 calm_ns;
	atomic64_t woken_ns;

	struct mutex last_lock;
	atomic64_t stats[GPREEMPT_STAT_NR];
	struct kfd_gpreempt_samples latencies[GPREEMPT_LATENCIES];
	const char *bypass_name;
	struct work_struct bypass_work;
	atomic64_t level_preemptions[GPREEMPT_LEVELS];

	struct mutex doorbell_lock;
	struct list_head doorbells;
	unsigned int doorbell_zaps;
};

/*
 * Each queue of a node, and its process there; only compute queues have a record. DQM lock held.
 * A break leaves the queues of one process only.
 */
#define kfd_gpreempt_for_each(q, dpn, dqm)					\
	for (dpn = list_first_entry(&(dqm)->queues, typeof(*dpn), list);	\
	     !list_entry_is_head(dpn, &(dqm)->queues, list);			\
	     dpn = list_next_entry(dpn, list))					\
		list_for_each_entry(q, &(dpn)->qpd->queues_list, list)

int kfd_gpreempt_enable(struct kfd_gpreempt *gp);
int kfd_gpreempt_disable(struct kfd_gpreempt *gp);
void kfd_gpreempt_free(struct kobject *kobj);
struct kfd_gpreempt *kfd_gpreempt_get(const struct kfd_node *node, unsigned int n);
void kfd_gpreempt_wake_for(const struct kfd_process *p);

/* event.c */
void kfd_gpreempt_wake(struct kfd_gpreempt *gp);
void kfd_gpreempt_ticked(struct kfd_gpreempt *gp);
void kfd_gpreempt_look(struct kfd_gpreempt *gp);
enum gpreempt_state kfd_gpreempt_event(struct kfd_gpreempt *gp, enum gpreempt_event event);
enum gpreempt_state kfd_gpreempt_state(struct kfd_gpreempt *gp);
const char *kfd_gpreempt_bypass_name(struct kfd_gpreempt *gp);

/* monitor.c */
int kfd_gpreempt_monitor(void *data);

#endif /* GPREEMPT_NODE_H_INCLUDED */
