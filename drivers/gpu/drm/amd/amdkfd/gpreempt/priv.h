/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT: what its rooms share.
 */
#ifndef GPREEMPT_PRIV_H_INCLUDED
#define GPREEMPT_PRIV_H_INCLUDED

#include <linux/atomic.h>
#include <linux/average.h>
#include <linux/build_bug.h>
#include <linux/cgroup.h>
#include <linux/kobject.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "kfd_priv.h"
#include "kfd_device_queue_manager.h"
#include "hooks.h"
#include "gpreempt/run/busy.h"
#include "gpreempt/core/pace.h"
#include "gpreempt/core/culprit.h"
#include "gpreempt/core/decide.h"
#include "gpreempt/core/wake.h"
#include "gpreempt/core/state.h"
#include "gpreempt/run/terms.h"

/* A node has KFD queue slots on one micro engine: four pipes of eight. */
#define GPREEMPT_MAX_SLOTS	32
#define GPREEMPT_MAX_XCCS	8

/* Times: each new one counts for a quarter. */
DECLARE_EWMA(gpreempt_ns, 0, 4)

/* Between two attempts to map what an error has left unmapped. */
#define GPREEMPT_MAP_AGAIN_MS	100

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

/**
 * struct kfd_gpreempt_last - what a scan has made of a queue, until the next
 * @ns:		time of that scan, 0: there was none
 * @seen:	what it saw
 * @backlog:	valid packets that the GPU had not consumed
 * @out:	what was decided
 */
struct kfd_gpreempt_last {
	u64 ns;
	struct gpreempt_evidence seen;
	u32 backlog;
	struct gpreempt_outcome out;
};

/**
 * struct kfd_gpreempt_group - the compute queues of a process, or of a cgroup, on a node
 * @list:	of the node's; &kfd_gpreempt.lists_lock
 * @pid:	the process, 0: it is of a cgroup
 * @cgroup:	and then this is its number
 * @users:	records of queues that refer to it; likewise
 * @past:	of its queues that delayed their saves; DQM lock
 * @epoch:	the &kfd_gpreempt.epoch that @group belongs to; monitor only
 * @group:	what is remembered of it; likewise
 */
struct kfd_gpreempt_group {
	struct list_head list;
	pid_t pid;
	u64 cgroup;
	unsigned int users;
	struct gpreempt_past past;
	unsigned int epoch;
	struct gpreempt_group group;
};

/**
 * struct kfd_gpreempt_client - a process on a node
 * @ref:	one by the process, one by each record of a queue of it, one by a reader
 * @gp:		the node, referenced
 * @busy:	the time on the GPU of all its queues that there were
 * @shown_ns:	of that somebody was told: it does not go back
 */
struct kfd_gpreempt_client {
	struct kref ref;
	struct kfd_gpreempt *gp;
	struct gpreempt_busy busy;
	atomic64_t shown_ns;
};

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
 * @counted:	XCCs on which waves of it were found
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
	u32 counted;
	u32 hqd_rptr;
};

/**
 * struct kfd_gpreempt_queue - what GPREEMPT knows of a compute queue
 * @kobj:	its folder; counts one by the queue, one by a scan that holds it
 * @q:		the queue, to be followed under its process's lock, or in a
 *		handler of its folder's files
 * @gp:		the node, referenced
 * @uid:	owner of its files, because activity is a side channel
 * @gid:	likewise
 * @mm:		the process's memory, mmgrab()ed; NULL if it cannot be read
 * @pid:	the process
 * @group:	the process's queues on the node
 * @common:	those of the cgroup whose members share the time, or NULL; monitor only
 * @client:	the process on the node, referenced
 * @terms:	what was said of it
 * @suspect:	does it delay its saves? DQM lock
 * @back_ns:	put back on the hardware then, 0: never; DQM lock
 * @preempted_ns: preempted since; DQM lock
 * @preempted_total_ns: time spent preempted before that; DQM lock
 * @preemptions: how often; DQM lock
 * @save_ns:	what the last of these took, for all that left with it; DQM lock
 * @last:	the queue in the last scan; &kfd_gpreempt.last_lock, or monitor only
 * @quiet_ns:	the last scan that saw nothing wait in it
 * @inverted:	a lower queue was seen to keep it waiting
 * @running_ns:	time between two scans that saw it run; &kfd_gpreempt.last_lock
 * @waiting_ns:	the same of waiting, on the hardware; &kfd_gpreempt.last_lock
 * @slot:	hardware slot of each XCC that it was found in last, plus one; 0: in none
 * @epoch:	the &kfd_gpreempt.epoch that @memory belongs to
 * @memory:	what estimate remembers of it
 * @signal_wptr: write index behind the packet whose signal @signal is
 * @signal:	user address of the newest completion signal seen, or 0
 * @signal_done: @signal was seen satisfied; it may be in use again since
 * @previous_rptr: read index behind the packet that the next two are of
 * @previous_signal: user address of its completion signal, or 0
 * @previous_waves: waves that it launches, 0: unknown
 * @signal_ordered: that packet begins when all before it have ended
 * @turn:	when its memory was read last, see &gpreempt_reading.turn
 * @view:	the queue in the last scan that listed it, with the verdict to be committed
 * @scan:	likewise: where that scan found its memory, and what registers told
 *
 * The queue itself may go while the monitor looks at it. What outlives it is
 * here. Where no lock is named, only the monitor touches it.
 */
struct kfd_gpreempt_queue {
	struct kobject kobj;
	struct queue *q;
	struct kfd_gpreempt *gp;
	kuid_t uid;
	kgid_t gid;
	struct mm_struct *mm;
	pid_t pid;
	struct kfd_gpreempt_group *group;
	struct kfd_gpreempt_group *common;
	struct kfd_gpreempt_client *client;
	struct kfd_gpreempt_terms terms;

	struct gpreempt_suspect suspect;
	u64 back_ns;
	u64 preempted_ns;
	u64 preempted_total_ns;
	u64 preemptions;
	u64 save_ns;

	struct kfd_gpreempt_last last;

	u64 quiet_ns;
	bool inverted;
	u64 running_ns;
	u64 waiting_ns;
	u8 slot[GPREEMPT_MAX_XCCS];

	unsigned int epoch;
	struct gpreempt_memory memory;
	u64 signal_wptr;
	u64 signal;
	bool signal_done;
	u64 previous_rptr;
	u64 previous_signal;
	u32 previous_waves;
	bool signal_ordered;
	u64 turn;
	struct gpreempt_queue_view view;
	struct kfd_gpreempt_scan_queue scan;
};

/* The record that has a queue's view. */
static inline struct kfd_gpreempt_queue *kfd_gpreempt_of(struct gpreempt_queue_view *v)
{
	return container_of(v, struct kfd_gpreempt_queue, view);
}

/* Flags that choose more queues than one; at most one of them is set. */
#define KFD_GPREEMPT_WHICH						\
	(KFD_GPREEMPT_ALL | KFD_GPREEMPT_AT_LEAST | KFD_GPREEMPT_BELOW)

/**
 * struct kfd_gpreempt_choice - the queues that an ioctl is about which may be about many
 * @processes:	referenced, in the order of their addresses
 * @count:	how many
 * @which:	%KFD_GPREEMPT_WHICH, 0: one queue
 * @number:	the level, or the one queue's
 * @gpu_id:	of this node only, 0: of all
 */
struct kfd_gpreempt_choice {
	struct kfd_process **processes;
	unsigned int count;
	u32 which;
	u32 number;
	u32 gpu_id;
};

/**
 * struct kfd_gpreempt_asked - a queue of which something was asked
 * @p:		its process, as the choice holds it
 * @gpq:	the queue's record, referenced
 * @queue_id:	its number in @p
 * @hold:	as in &struct kfd_gpreempt_terms, before that
 * @preemptions: as in &struct kfd_gpreempt_queue, likewise
 * @requests:	as in &struct kfd_gpreempt_terms, with this request
 */
struct kfd_gpreempt_asked {
	struct kfd_process *p;
	struct kfd_gpreempt_queue *gpq;
	u32 queue_id;
	struct kfd_gpreempt_hold hold;
	u64 preemptions;
	u64 requests;
};

/**
 * struct kfd_gpreempt_asks - all of which something was asked
 * @nice:	the caller has CAP_SYS_NICE: only one that has it may end the hold that it places
 *		on another process's queue
 * @asked:	these
 * @count:	how many
 * @room:	for how many there is space
 * @refused:	how many others have to stay as they are
 * @error:	why the first of them has to
 */
struct kfd_gpreempt_asks {
	bool nice;
	struct kfd_gpreempt_asked *asked;
	unsigned int count;
	unsigned int room;
	unsigned int refused;
	int error;
};

/**
 * struct kfd_gpreempt_scan - a scan and the decision on it; monitor only
 * @view:	what the policy sees: the views of queues' records, which are referenced
 * @plan:	what it decides
 * @wake:	what the monitor waits for after it
 * @registers:	register accesses
 * @register_ns: time spent on them
 * @spare_ns:	time spent on what was decided, and waiting for locks
 * @turn:	counts readings of queues
 * @entered:	the process whose memory is read, NULL: none
 * @alive:	and it is there
 * @look:	somebody reads what it sees
 * @oversubscribed: firmware rotates the mapped queues
 */
struct kfd_gpreempt_scan {
	struct gpreempt_view view;
	struct gpreempt_plan plan;
	struct gpreempt_wake wake;
	unsigned int registers;
	u64 register_ns;
	u64 spare_ns;
	u64 turn;
	struct mm_struct *entered;
	bool alive;
	bool look;
	bool oversubscribed;
};

/**
 * struct kfd_gpreempt_hw - reading of one generation's registers
 * @read_waves:	for each queue of the scan that matters: is it resident, how many
 *		waves has it; return the number of register accesses. The caller
 *		holds the reset semaphore and keeps GFXOFF off
 * @read_cus:	which compute units does the MQD of a queue bar? The caller holds the DQM lock
 * @has_saved:	does the MQD of a queue that was taken off tell of saved waves?
 */
struct kfd_gpreempt_hw {
	unsigned int (*read_waves)(struct kfd_node *node, struct kfd_gpreempt_scan *scan);
	void (*read_cus)(const struct queue *q, struct gpreempt_cus *cus);
	bool (*has_saved)(const struct queue *q);
};

/**
 * struct kfd_gpreempt_backend - how queues get off the hardware, and back
 * @name:	as sysfs shows it
 * @transact:	carry out the verdicts that hold, of which so many are to preempt.
 *		If that fails, say so in the event, and leave nothing preempted
 * @give_back:	resume and map preempted queues, of one process or all; none was resumed if
 *		that fails because somebody has the reset semaphore
 * @map:	map what should be mapped, if nothing is; NULL where that cannot be
 * @remove:	take one queue off; -EIO if a reset came first. The back ends that
 *		work through single queues only
 * @add:	put one queue back; likewise
 *
 * Called with the DQM lock held, @transact and @map with the reset semaphore, too.
 */
struct kfd_gpreempt_backend {
	const char *name;
	int (*transact)(struct kfd_gpreempt *gp, unsigned int preempt, enum gpreempt_event *error);
	int (*give_back)(struct kfd_gpreempt *gp, struct qcm_process_device *qpd);
	int (*map)(struct kfd_gpreempt *gp);
	int (*remove)(struct device_queue_manager *dqm, struct queue *q,
		      struct qcm_process_device *qpd);
	int (*add)(struct device_queue_manager *dqm, struct queue *q,
		   struct qcm_process_device *qpd);
};

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
 *		0: who knows what goes on
 * @facts:	what the state follows from; @facts_lock
 * @facts_lock: innermost
 * @epoch:	counts enables and resets: older histories are void
 * @search:	for a queue that delays its saves; monitor only, or while it is parked
 * @gpu_id:	KFD's number of the node, also when it is gone
 * @rearm_ns:	when the bypass ends by itself, 0: never, or there is none; @facts_lock
 * @tunables:	as the administrator set them
 * @poll_interval_max_us: how long the interval may become while the rest is %GPREEMPT_CALM
 * @priority_cap: effective priority without CAP_SYS_NICE
 * @refuse:	refuse what is above the cap, instead of clamping it
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
	bool refuse;
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

/* node.c */
int kfd_gpreempt_enable(struct kfd_gpreempt *gp);
int kfd_gpreempt_disable(struct kfd_gpreempt *gp);
void kfd_gpreempt_free(struct kobject *kobj);
struct kfd_gpreempt *kfd_gpreempt_get(const struct kfd_node *node, unsigned int n);
void kfd_gpreempt_wake_for(const struct kfd_process *p);

/* queue.c */
struct gpreempt_group *kfd_gpreempt_queue_group(struct kfd_gpreempt_queue *gpq,
						struct kfd_process *p);
void kfd_gpreempt_queue_free(struct kobject *kobj);

/* event.c */
void kfd_gpreempt_wake(struct kfd_gpreempt *gp);
void kfd_gpreempt_ticked(struct kfd_gpreempt *gp);
void kfd_gpreempt_look(struct kfd_gpreempt *gp);
enum gpreempt_state kfd_gpreempt_event(struct kfd_gpreempt *gp, enum gpreempt_event event);
enum gpreempt_state kfd_gpreempt_state(struct kfd_gpreempt *gp);
const char *kfd_gpreempt_bypass_name(struct kfd_gpreempt *gp);

/* monitor.c */
int kfd_gpreempt_monitor(void *data);

/* scan.c */
int kfd_gpreempt_scan_collect(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_memory(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_waves(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_again(struct kfd_gpreempt *gp);
void kfd_gpreempt_scan_release(struct kfd_gpreempt *gp);

/* gfx_v9.c */
extern const struct kfd_gpreempt_hw kfd_gpreempt_gfx_v9;

/* commit.c */
bool kfd_gpreempt_save_took(struct kfd_gpreempt *gp, unsigned int preempt, u64 ns);
int kfd_gpreempt_commit(struct kfd_gpreempt *gp, enum gpreempt_event *event);
enum gpreempt_verdict kfd_gpreempt_verdict(const struct queue *q);
void kfd_gpreempt_queue_off(struct kfd_gpreempt *gp,
			    struct qcm_process_device *qpd, struct queue *q, u64 save_ns);
void kfd_gpreempt_queue_on(struct kfd_gpreempt *gp, struct qcm_process_device *qpd, struct queue *q,
			   enum gpreempt_reason reason);
void kfd_gpreempt_exclude(struct kfd_gpreempt *gp, struct queue *q);
void kfd_gpreempt_release(struct kfd_gpreempt *gp, struct qcm_process_device *qpd);
int kfd_gpreempt_give_back(struct kfd_gpreempt *gp, struct qcm_process_device *qpd);
int kfd_gpreempt_map_again(struct kfd_gpreempt *gp);

/* hws.c, hqd.c, mes.c */
extern const struct kfd_gpreempt_backend kfd_gpreempt_hws;
extern const struct kfd_gpreempt_backend kfd_gpreempt_hqd;
extern const struct kfd_gpreempt_backend kfd_gpreempt_mes;

/* single.c */
int kfd_gpreempt_single_transact(struct kfd_gpreempt *gp, unsigned int preempt,
				 enum gpreempt_event *error);
int kfd_gpreempt_single_give_back(struct kfd_gpreempt *gp, struct qcm_process_device *qpd);

/* doorbell.c */
bool kfd_gpreempt_doorbell_await(struct kfd_gpreempt *gp, const struct mm_struct *mm);

/* account.c */
void kfd_gpreempt_count(struct kfd_gpreempt *gp, enum gpreempt_stat stat, u64 n);
u64 kfd_gpreempt_latency_ns(const struct kfd_gpreempt *gp, enum gpreempt_latency latency,
			    unsigned int percent);
void kfd_gpreempt_account_save(struct kfd_gpreempt *gp, unsigned int preempt, u64 ns, bool late);
void kfd_gpreempt_account_exclusion(struct kfd_gpreempt *gp, const struct kfd_gpreempt_queue *gpq,
				    u32 queue_id, u64 ns);
void kfd_gpreempt_account_scan(struct kfd_gpreempt *gp);
void kfd_gpreempt_unwatch(struct kfd_gpreempt *gp);
void kfd_gpreempt_report_bypass(struct kfd_gpreempt *gp);
void kfd_gpreempt_send_bypass(struct work_struct *work);

/* request.c */
int kfd_gpreempt_request(struct kfd_gpreempt *gp, const struct kfd_gpreempt_choice *choice,
			 const struct kfd_ioctl_gpreempt_args *args,
			 struct kfd_gpreempt_asks *asks);
void kfd_gpreempt_take_back(const struct kfd_gpreempt_asked *before);
int kfd_gpreempt_outcome(struct queue *q, bool off, u64 preemptions);
int kfd_gpreempt_queue_info(struct kfd_gpreempt_queue *gpq, struct kfd_gpreempt_queue_info *info);

static_assert(GPREEMPT_TURN_LEAST_US == KFD_GPREEMPT_TIMESLICE_US_MIN);
static_assert(GPREEMPT_TURN_MOST_US == KFD_GPREEMPT_TIMESLICE_US_MAX);

/* target.c */
int kfd_gpreempt_leader(const struct kfd_ioctl_gpreempt_args *args, struct task_struct **task);
bool kfd_gpreempt_same_user(struct task_struct *task);
int kfd_gpreempt_lock_access(struct task_struct *task);
int kfd_gpreempt_find_queue(struct kfd_process *p, u32 queue_id, struct queue **q);
int kfd_gpreempt_choose(struct kfd_process *p, const struct kfd_ioctl_gpreempt_args *args,
			struct kfd_gpreempt_choice *choice);
void kfd_gpreempt_unchoose(struct kfd_gpreempt_choice *choice);
bool kfd_gpreempt_chosen(const struct kfd_gpreempt_choice *choice, const struct queue *q);
bool kfd_gpreempt_chosen_process(const struct kfd_gpreempt_choice *choice,
				 const struct kfd_process *p);

/* One that is being made is in the table of processes before the last step that can fail. */
static inline bool kfd_gpreempt_process_made(const struct kfd_process *p)
{
	/* With kfd_gpreempt_process_init(): what the process is made of can be seen, too. */
	return smp_load_acquire(&p->gpreempt.made);
}

/* default.c */
struct gpreempt_lot kfd_gpreempt_process_lot(struct kfd_process *p);
int kfd_gpreempt_default_set(struct task_struct *task, struct cgroup *cgroup,
			     const struct kfd_gpreempt_process_default *def, u32 flags);
void kfd_gpreempt_default_get(struct task_struct *task, const struct cgroup *cgroup,
			      struct kfd_gpreempt_process_default *def);

#if defined(CONFIG_CGROUPS)
/* cgroup.c */
struct cgroup *kfd_gpreempt_cgroup(struct task_struct *task);
struct cgroup *kfd_gpreempt_cgroup_of_fd(u32 fd, bool *own);

/* The one of a cgroup's ancestors on a level, 0: the root; NULL past the cgroup itself. */
static inline struct cgroup *kfd_gpreempt_cgroup_above(struct cgroup *cgroup, int level)
{
	return cgroup_ancestor(cgroup, level);
}

/* Was a cgroup removed? The caller has a reference. */
static inline bool kfd_gpreempt_cgroup_gone(const struct cgroup *cgroup)
{
	return !(READ_ONCE(cgroup->self.flags) & CSS_ONLINE);
}

static inline void kfd_gpreempt_cgroup_get(struct cgroup *cgroup) { cgroup_get(cgroup); }
static inline void kfd_gpreempt_cgroup_put(struct cgroup *cgroup) { cgroup_put(cgroup); }
#else
/* No process is in one. */
static inline struct cgroup *kfd_gpreempt_cgroup(struct task_struct *task) { return NULL; }
static inline struct cgroup *kfd_gpreempt_cgroup_above(struct cgroup *cgroup, int level)
{
	return NULL;
}

static inline bool kfd_gpreempt_cgroup_gone(const struct cgroup *cgroup) { return true; }
static inline void kfd_gpreempt_cgroup_get(struct cgroup *cgroup) {}
static inline void kfd_gpreempt_cgroup_put(struct cgroup *cgroup) {}
static inline struct cgroup *kfd_gpreempt_cgroup_of_fd(u32 fd, bool *own)
{
	return ERR_PTR(-EOPNOTSUPP);
}
#endif

/* fdinfo.c */
struct kfd_gpreempt_client *kfd_gpreempt_client_get(struct kfd_gpreempt *gp, const struct queue *q);
void kfd_gpreempt_client_put(struct kfd_gpreempt_client *client);

/* queue_sysfs.c */
extern const struct kobj_type kfd_gpreempt_queue_ktype;

/* sysfs.c */
int kfd_gpreempt_sysfs_add(struct kfd_gpreempt *gp);
void kfd_gpreempt_sysfs_remove(struct kfd_gpreempt *gp);

#endif /* GPREEMPT_PRIV_H_INCLUDED */
