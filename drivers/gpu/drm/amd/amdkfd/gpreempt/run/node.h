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
#include "gpreempt/core/select.h"
#include "gpreempt/core/state.h"

struct gpreempt_policy;
struct kfd_gpreempt_backend;

/* Times: each new one counts for a quarter. */
DECLARE_EWMA(gpreempt_ns, 0, 4)

/* A node's statistics, one file in stats/ each; they count from when the driver was loaded. */
enum gpreempt_stat {
	GPREEMPT_STAT_PREEMPTIONS,	/* queues taken off the hardware */
	GPREEMPT_STAT_RESUMES,		/* queues put back */
	GPREEMPT_STAT_TRANSACTIONS,	/* runlist transactions for the two */
	GPREEMPT_STAT_BLOCKED,		/* times a queue became blocked */
	GPREEMPT_STAT_STARVED,		/* times a queue's effective priority was raised */
	GPREEMPT_STAT_SCANS,
	GPREEMPT_STAT_WAKEUPS,		/* times the monitor woke up */
	GPREEMPT_STAT_REGISTERS,	/* register accesses, reads and writes */
	GPREEMPT_STAT_REGISTER_NS,	/* time in register accesses */
	GPREEMPT_STAT_DOORBELLS,	/* doorbells that woke the monitor by a fault */
	GPREEMPT_STAT_REVOCATIONS,	/* times a process's doorbells were taken away */
	GPREEMPT_STAT_SCAN_NS,		/* time in scans and decisions, without registers */
	GPREEMPT_STAT_SCAN_NS_MAX,	/* the longest of these times */
	GPREEMPT_STAT_FENCE_NS,		/* time from UNMAP_QUEUES to its fence */
	GPREEMPT_STAT_DETECTIONS,	/* queues found to be kept waiting by a lower one */
	GPREEMPT_STAT_LATE,		/* preemptions that took longer than preempt_timeout_ms */
	GPREEMPT_STAT_EXCLUDED,		/* times a queue was kept off that had delayed one */
	GPREEMPT_STAT_FAILED,		/* transactions that failed */
	GPREEMPT_STAT_NR
};

/**
 * enum gpreempt_latency - what the driver can measure of its own work
 * @GPREEMPT_LATENCY_DETECTION: from the last scan that saw no reason to the one
 *	that finds a queue kept waiting by a lower one. An upper bound: a doorbell's
 *	time is invisible
 * @GPREEMPT_LATENCY_SAVE: from the request to take queues off to its answer
 * @GPREEMPT_LATENCIES: number of them
 */
enum gpreempt_latency {
	GPREEMPT_LATENCY_DETECTION,
	GPREEMPT_LATENCY_SAVE,
	GPREEMPT_LATENCIES
};

/**
 * struct kfd_gpreempt_samples - all samples of a latency since the node was enabled
 * @count:	by size, four buckets to a power of two of ns, see account.c
 * @max_ns:	the longest
 *
 * Only the monitor writes.
 */
struct kfd_gpreempt_samples {
	u64 count[4 * 63];
	u64 max_ns;
};

/* A node has KFD queue slots on one micro engine: four pipes of eight. */
#define GPREEMPT_MAX_SLOTS	32
#define GPREEMPT_MAX_XCCS	8

/**
 * struct kfd_gpreempt_scan_queue - where a scan finds a queue's memory
 * @ring:	user address of the ring
 * @rptr:	user address of the read index
 * @wptr:	user address of the write index
 * @queue_id:	number of the queue in its process
 * @doorbell_off: names the queue in hardware slots
 * @aql:	packets are AQL packets, not dwords
 * @words:	that were read of its memory
 * @resident:	it is in a hardware slot
 * @counted:	waves of it were found
 * @hqd_rptr:	read pointer there in dwords, wrapped; PM4 only, the first XCC's
 */
struct kfd_gpreempt_scan_queue {
	u64 ring;
	u64 rptr;
	u64 wptr;
	u32 queue_id;
	u32 doorbell_off;
	bool aql;
	unsigned int words;
	bool resident;
	bool counted;
	u32 hqd_rptr;
};

/**
 * struct kfd_gpreempt_scan - a scan and the decision on it; monitor only
 * @view:	what the policy sees: the views of queues' records, which are referenced
 * @plan:	what it decides
 * @registers:	register accesses
 * @register_ns: time spent on them
 * @spare_ns:	time spent on what was decided, and waiting for locks
 * @turn:	counts readings of queues
 * @entered:	the process whose memory is read, NULL: none
 * @look:	somebody reads what it sees
 * @oversubscribed: firmware rotates the mapped queues
 * @all:	queues that are off, as their process is idle, take part: it is time to look, or
 *		one may have to come back. Else they cost a scan nothing
 * @idle_ns:	for idle processes, the next scan is to be then; 0: at no time
 */
struct kfd_gpreempt_scan {
	struct gpreempt_view view;
	struct gpreempt_plan plan;
	unsigned int registers;
	u64 register_ns;
	u64 spare_ns;
	u64 turn;
	struct mm_struct *entered;
	bool look;
	bool oversubscribed;
	bool all;
	u64 idle_ns;
};

/**
 * struct kfd_gpreempt_hw - reading of one generation's registers
 * @read_waves:	for each queue of the scan that matters: is it resident, how many
 *		waves has it; return the number of register accesses. The caller
 *		holds the reset semaphore and keeps GFXOFF off
 * @read_cus:	which compute units does the MQD of a queue bar? The caller holds the DQM lock
 * @has_saved:	does the MQD of a queue that was taken off tell of saved waves?
 * @is_bare:	or that there was nothing to save, neither waves nor a dispatch under way?
 * @wave32:	a wave may have 32 work-items, as its code says, and not 64
 */
struct kfd_gpreempt_hw {
	unsigned int (*read_waves)(struct kfd_node *node, struct kfd_gpreempt_scan *scan);
	void (*read_cus)(const struct queue *q, struct gpreempt_cus *cus);
	bool (*has_saved)(const struct queue *q);
	bool (*is_bare)(const struct queue *q);
	bool wave32;
};

/**
 * struct kfd_gpreempt - GPREEMPT on one node
 * @list:	of all nodes
 * @kobj:	sysfs directory; its count keeps this alive when the node is gone
 * @node:	the node; not to be followed once @lock says @dead
 * @gpu_id:	KFD's number of the node, also when it is gone
 * @unsupported: why it cannot be enabled, NULL: it can
 * @hw:		register access, NULL where wave counts are not to be had
 * @backend:	how queues get off the hardware
 * @lock:	serialises enable, disable, stop, start, requests and teardown.
 *		Outside the DQM lock. Nothing allocates under it: a GPU reset
 *		takes it, and memory may depend on that reset
 * @dead:	the node is going; @lock
 * @epoch:	counts enables and resets: older histories are void
 * @tunables:	as the administrator set them
 * @poll_interval_max_us: how long the interval may become while the rest is %GPREEMPT_CALM
 * @priority_cap: effective priority without CAP_SYS_NICE
 * @slow_save_ms: saves that take longer are slow
 * @policy:	the policy in use
 * @scan:	the monitor's workspace
 */
struct kfd_gpreempt {
	struct list_head list;
	struct kobject kobj;
	struct kfd_node *node;
	u32 gpu_id;
	const char *unsupported;
	const struct kfd_gpreempt_hw *hw;
	const struct kfd_gpreempt_backend *backend;

	struct mutex lock;
	bool dead;
	unsigned int epoch;

	struct gpreempt_tunables tunables;
	u32 poll_interval_max_us;
	u32 priority_cap;
	u32 slow_save_ms;
	const struct gpreempt_policy *policy;

	struct kfd_gpreempt_scan scan;

	/* private: each of these is a room's */
	struct {				/* the thread, and what wakes it */
		struct task_struct *thread;	/* NULL while disabled; &kfd_gpreempt.lock */
		struct lockdep_map map;		/* lockdep's picture of "waits for the monitor" */
		wait_queue_head_t wait;		/* where it sleeps */
		bool all;			/* look at those, too, that are off as they idle */
		bool kick;			/* look again before sleeping without a timer */
		bool look;			/* scan though nothing could be arbitrated: ... */
		atomic64_t looked_ns;		/* ... when somebody wanted that last */
		atomic_t ticks;			/* counts ticks and changes of the state */
		wait_queue_head_t ticked;	/* where callers wait for an outcome */
		struct gpreempt_pace pace;	/* its rhythm; monitor only */
		u64 calm_ns;			/* it knew then that nothing waits; monitor only */
		atomic64_t woken_ns;		/* first wake-up since it parked, or 0 */
	} monitor;
	struct {				/* active or not, and why */
		spinlock_t lock;		/* innermost */
		struct gpreempt_facts facts;	/* @stopped: &kfd_gpreempt.lock as well */
		u64 rearm_ns;			/* a bypass ends then, 0: never, or none */
		const char *bypass_name;	/* reason of the last bypass */
		struct work_struct bypass_work;	/* sends its uevent, which allocates */
	} state;
	struct {				/* how long waves run on before a save */
		u32 us;
		u32 stock_us;			/* without GPREEMPT */
		u32 mhz;			/* of the clock that counts; 0: it cannot be set */
	} grace;
	struct {				/* of queues taken off; DQM lock */
		struct ewma_gpreempt_ns mean_ns;	/* what one takes */
		u64 answered_ns;		/* last answer to a request to take queues off */
		struct gpreempt_search search;	/* monitor only, or while it is parked */
	} saves;
	struct {				/* what is shown of the node and its queues */
		struct mutex lock;		/* of what queues' records show; in the DQM lock */
		atomic64_t stats[GPREEMPT_STAT_NR];
		struct kfd_gpreempt_samples latencies[GPREEMPT_LATENCIES];
		atomic64_t level_preemptions[GPREEMPT_LEVELS];	/* queues taken off */
		u64 scan_ns;			/* the last scan's, 0: nobody has looked since */
	} account;
	struct {				/* of processes that have mapped theirs */
		/* in a process's mmap_lock, outside MMU notifiers; never in the DQM lock */
		struct mutex lock;
		struct list_head list;
		unsigned int zaps;		/* times stock took all doorbells away */
	} doorbell;
	struct {				/* of processes with queues, and of their cgroups */
		struct mutex lock;		/* nothing is taken inside */
		struct list_head list;
	} groups;
};

/* Holds the DQM lock until the end of the block. */
DEFINE_GUARD(kfd_gpreempt_dqm, struct device_queue_manager *, dqm_lock(_T), dqm_unlock(_T))

/*
 * Each queue of a node, and its process there; only compute queues have a record. DQM lock held.
 * A break leaves the queues of one process only.
 */
#define kfd_gpreempt_for_each(q, dpn, dqm)					\
	for (dpn = list_first_entry(&(dqm)->queues, typeof(*dpn), list);	\
	     !list_entry_is_head(dpn, &(dqm)->queues, list);			\
	     dpn = list_next_entry(dpn, list))					\
		list_for_each_entry(q, &(dpn)->qpd->queues_list, list)

/* enable.c */
int kfd_gpreempt_enable(struct kfd_gpreempt *gp);
void kfd_gpreempt_disable(struct kfd_gpreempt *gp);

/* Adds to a statistic of a node. */
#define kfd_gpreempt_count(gp, stat, n)	\
	atomic64_add(n, &(gp)->account.stats[GPREEMPT_STAT_##stat])

/* account.c */
u64 kfd_gpreempt_latency_ns(const struct kfd_gpreempt *gp, enum gpreempt_latency latency,
			    unsigned int percent);
void kfd_gpreempt_account_save(struct kfd_gpreempt *gp, unsigned int preempt, u64 ns, bool late);
void kfd_gpreempt_account_scan(struct kfd_gpreempt *gp);

/* node.c */
struct kfd_gpreempt *kfd_gpreempt_get(const struct kfd_node *node, unsigned int n);

/* event.c */
void kfd_gpreempt_send_bypass(struct work_struct *work);
void kfd_gpreempt_kick(struct kfd_gpreempt *gp);
void kfd_gpreempt_wake(struct kfd_gpreempt *gp);
void kfd_gpreempt_wake_for(const struct kfd_process *p);
void kfd_gpreempt_ticked(struct kfd_gpreempt *gp);
void kfd_gpreempt_look(struct kfd_gpreempt *gp);
enum gpreempt_state kfd_gpreempt_event(struct kfd_gpreempt *gp, enum gpreempt_event event);

static inline enum gpreempt_state kfd_gpreempt_state(struct kfd_gpreempt *gp)
{
	guard(spinlock)(&gp->state.lock);
	return gpreempt_state(&gp->state.facts);
}

/* doorbell.c */
bool kfd_gpreempt_doorbell_await(struct kfd_gpreempt *gp, const struct mm_struct *mm);
bool kfd_gpreempt_doorbell_watch(struct kfd_gpreempt *gp, const struct mm_struct *mm);

/* scan.c */
int kfd_gpreempt_scan_collect(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_memory(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_waves(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_release(struct kfd_gpreempt *gp);

/* gfx_v9.c, gfx_v11.c */
extern const struct kfd_gpreempt_hw kfd_gpreempt_gfx_v9;
extern const struct kfd_gpreempt_hw kfd_gpreempt_gfx_v11;

/* monitor.c */
int kfd_gpreempt_monitor(void *data);

#endif /* GPREEMPT_NODE_H_INCLUDED */
