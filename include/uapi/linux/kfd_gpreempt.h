/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * GPREEMPT: preemption of AMD compute queues by priority, as a program or an
 * operator's tool controls it. See Documentation/gpu/amdgpu/gpreempt.rst.
 */
#ifndef UAPI_KFD_GPREEMPT_H_INCLUDED
#define UAPI_KFD_GPREEMPT_H_INCLUDED

#include <linux/types.h>
#include <linux/kfd_ioctl.h>

/*
 * What KFD_GPREEMPT_OP_QUERY answers: the one way to find out what a kernel can do. A later
 * version does all that an earlier one does.
 */
#define KFD_GPREEMPT_VERSION		1

/* Of a priority, a ceiling or a grant: none, as if it had never been set. */
#define KFD_GPREEMPT_NONE		0xffffffffU

/* Of a context: the one that a process has by itself, and before Linux 7.3 its only one. */
#define KFD_GPREEMPT_CONTEXT_PRIMARY	0xffffU

/* Longest times that are taken; see the operations. */
#define KFD_GPREEMPT_WAIT_MS_MAX	60000
#define KFD_GPREEMPT_HOLD_MS_MAX	3600000
#define KFD_GPREEMPT_HINT_US_MAX	1000000
/* Other than 0, which is that of the process's default or the level's own. */
#define KFD_GPREEMPT_TIMESLICE_US_MIN	1000
#define KFD_GPREEMPT_TIMESLICE_US_MAX	1000000

/* Of what has none of its own, and the greatest. */
#define KFD_GPREEMPT_WEIGHT_DEFAULT	100
#define KFD_GPREEMPT_WEIGHT_MAX		1000

/**
 * enum kfd_gpreempt_op - what AMDKFD_IOC_GPREEMPT is to do
 * @KFD_GPREEMPT_OP_QUERY: version, abilities and limits of the node gpu_id
 * @KFD_GPREEMPT_OP_LIST: what is known of one compute queue, or of many
 * @KFD_GPREEMPT_OP_SET_PRIORITY: the priority that GPREEMPT acts on, instead of
 *	the one the application asks for by CREATE_QUEUE and UPDATE_QUEUE
 * @KFD_GPREEMPT_OP_SET_TIMESLICE: the queue's turn among equals; longer than
 *	its level's needs CAP_SYS_NICE, also when the queue has gone to another level
 * @KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT: priority, ceiling and turn of the queues
 *	of a process, whether it has any by now or not, and of its descendants; and its
 *	share of the time. With KFD_GPREEMPT_CGROUP: of the members of a cgroup
 * @KFD_GPREEMPT_OP_PREEMPT: take queues off the hardware
 * @KFD_GPREEMPT_OP_RESUME: end a hold, or a preemption that is under way
 * @KFD_GPREEMPT_OP_HINT: work for the queues will arrive soon
 * @KFD_GPREEMPT_OP_GET_DEFAULT: what SET_PROCESS_DEFAULT has set of that process or that
 *	cgroup, in the same structure, and of nothing above it
 */
enum kfd_gpreempt_op {
	KFD_GPREEMPT_OP_QUERY = 1,
	KFD_GPREEMPT_OP_LIST,
	KFD_GPREEMPT_OP_SET_PRIORITY,
	KFD_GPREEMPT_OP_SET_TIMESLICE,
	KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT,
	KFD_GPREEMPT_OP_PREEMPT,
	KFD_GPREEMPT_OP_RESUME,
	KFD_GPREEMPT_OP_HINT,
	KFD_GPREEMPT_OP_GET_DEFAULT,
};

/* Flags of PREEMPT and RESUME: return when it is done, or after wait_ms. */
#define KFD_GPREEMPT_WAIT		(1U << 0)
/* Flag of PREEMPT: until RESUME or for hold_ms; else until its turn comes. */
#define KFD_GPREEMPT_HOLD		(1U << 1)

/* Flags of SET_PROCESS_DEFAULT: what is there of one before stays. */
#define KFD_GPREEMPT_KEEP_PRIORITY	(1U << 2)
#define KFD_GPREEMPT_KEEP_CEILING	(1U << 3)
#define KFD_GPREEMPT_KEEP_TIMESLICE	(1U << 4)
/* And these: this of its share is given; without them it has to be 0, and stays. */
#define KFD_GPREEMPT_SET_WEIGHT		(1U << 5)
#define KFD_GPREEMPT_SET_MIN		(1U << 6)
#define KFD_GPREEMPT_SET_CAP		(1U << 7)

/* Flag of all operations that are about a process: pidfd names it, and pid is 0. */
#define KFD_GPREEMPT_PIDFD		(1U << 8)
/*
 * Flag of all of them but SET_PROCESS_DEFAULT and GET_DEFAULT: context_id says which context of
 * the process is meant.
 */
#define KFD_GPREEMPT_CONTEXT		(1U << 9)

/*
 * Flags of LIST, PREEMPT, RESUME and HINT: more queues than one. Of all contexts of the
 * process, unless one is named; of all nodes, unless gpu_id names one. All of them;
 */
#define KFD_GPREEMPT_ALL		(1U << 10)
/* those that ask for the priority level or a higher one, whatever they are served at; */
#define KFD_GPREEMPT_AT_LEAST		(1U << 11)
/* those that are served below the priority level. */
#define KFD_GPREEMPT_BELOW		(1U << 12)
/* With one of these three: of all processes that the caller may control, instead of one. */
#define KFD_GPREEMPT_EVERYBODY		(1U << 13)

/*
 * Flag of SET_PROCESS_DEFAULT and GET_DEFAULT: cgroup_fd is a descriptor of the directory of a
 * cgroup of version 2. What is set of it holds for the processes in it and in those below it, which
 * may have their own. To set it needs CAP_SYS_NICE; the directory's owner, where it can write, may
 * lower what is there, and so much only.
 */
#define KFD_GPREEMPT_CGROUP		(1U << 14)
/* Flag of SET_PROCESS_DEFAULT, with that: the grant is given; without it is 0, and stays. */
#define KFD_GPREEMPT_SET_GRANT		(1U << 15)

/**
 * enum kfd_gpreempt_node_state - &kfd_gpreempt_query.state
 * @KFD_GPREEMPT_NODE_DISABLED: not enabled by the administrator
 * @KFD_GPREEMPT_NODE_PARKED: enabled, nothing could be arbitrated
 * @KFD_GPREEMPT_NODE_ACTIVE: watching the queues
 * @KFD_GPREEMPT_NODE_BYPASSED: gave up after an error, preempts nothing
 */
enum kfd_gpreempt_node_state {
	KFD_GPREEMPT_NODE_DISABLED,
	KFD_GPREEMPT_NODE_PARKED,
	KFD_GPREEMPT_NODE_ACTIVE,
	KFD_GPREEMPT_NODE_BYPASSED,
};

/* kfd_gpreempt_query.capabilities: the node's hardware can be preempted. */
#define KFD_GPREEMPT_CAP_SUPPORTED	(1U << 0)

/**
 * struct kfd_gpreempt_query - answer to QUERY
 * @version:	KFD_GPREEMPT_VERSION of the kernel
 * @capabilities: KFD_GPREEMPT_CAP_*
 * @state:	enum kfd_gpreempt_node_state
 * @levels:	priorities are 0 to @levels - 1, the highest last
 * @priority_cap: highest effective priority without CAP_SYS_NICE
 */
struct kfd_gpreempt_query {
	__u32 version;
	__u32 capabilities;
	__u32 state;
	__u32 levels;
	__u32 priority_cap;
};

/**
 * enum kfd_gpreempt_queue_state - &kfd_gpreempt_queue_info.state
 * @KFD_GPREEMPT_QUEUE_UNKNOWN: on the hardware, and not watched now
 * @KFD_GPREEMPT_QUEUE_IDLE: has no work
 * @KFD_GPREEMPT_QUEUE_RUNNING: executes
 * @KFD_GPREEMPT_QUEUE_WAITING: has work, and waits for the machine
 * @KFD_GPREEMPT_QUEUE_BLOCKED: has work that waits for something else
 * @KFD_GPREEMPT_QUEUE_PREEMPTED: taken off the hardware, comes back by itself
 * @KFD_GPREEMPT_QUEUE_HELD: taken off the hardware until RESUME or for a time
 * @KFD_GPREEMPT_QUEUE_OFF: not on the hardware for another reason: evicted,
 *	suspended by a debugger, or switched off by its owner
 */
enum kfd_gpreempt_queue_state {
	KFD_GPREEMPT_QUEUE_UNKNOWN,
	KFD_GPREEMPT_QUEUE_IDLE,
	KFD_GPREEMPT_QUEUE_RUNNING,
	KFD_GPREEMPT_QUEUE_WAITING,
	KFD_GPREEMPT_QUEUE_BLOCKED,
	KFD_GPREEMPT_QUEUE_PREEMPTED,
	KFD_GPREEMPT_QUEUE_HELD,
	KFD_GPREEMPT_QUEUE_OFF,
};

/* kfd_gpreempt_queue_info.flags: PREEMPT asked for it, not yet carried out, */
#define KFD_GPREEMPT_QUEUE_ASKED	(1U << 0)
/* PREEMPT with HOLD was asked for, */
#define KFD_GPREEMPT_QUEUE_HOLD		(1U << 1)
/* a HINT is not over, */
#define KFD_GPREEMPT_QUEUE_HINT		(1U << 2)
/* SET_PRIORITY is in force, */
#define KFD_GPREEMPT_QUEUE_PRIORITY	(1U << 3)
/* it has delayed a preemption, and is kept off for some time whatever its priority. */
#define KFD_GPREEMPT_QUEUE_EXCLUDED	(1U << 4)

/**
 * struct kfd_gpreempt_queue_info - a compute queue
 * @queue_id:	KFD's number of it in its process
 * @gpu_id:	the node it is on
 * @priority:	as the application asked
 * @permitted:	after SET_PRIORITY, process default, ceiling and cap
 * @effective:	@permitted, or 16 while raised above all others
 * @state:	enum kfd_gpreempt_queue_state
 * @flags:	KFD_GPREEMPT_QUEUE_*
 * @timeslice_us: its turn among equals, 0 where there are no turns
 * @running_ns:	time seen executing. Of a node that is parked nobody sees any, unless the file of
 *		this name in the queue's folder in sysfs is read
 * @waiting_ns:	time seen waiting for the machine, likewise
 * @preempted_ns: time off the hardware
 * @preemptions: how often it was taken off
 * @pid:	its process, in the caller's pid namespace, 0: has no number there
 * @context_id:	its process's context, see KFD_GPREEMPT_CONTEXT
 * @backlog:	packets that the GPU had not consumed when its memory was read last, at @seen_ns
 *		or before
 * @waves:	that it had then: 0, or an estimate from those of one engine;
 *		KFD_GPREEMPT_NONE: they were not counted
 * @save_ns:	how long its last save took, for all that left with it; 0: it was never saved
 * @seen_ns:	when that was seen, by CLOCK_MONOTONIC, 0: not yet. What was seen last stays,
 *		also when the node is parked
 * @resumes:	how often it was put on the hardware again
 * @resumed_ns:	when that was last, by CLOCK_MONOTONIC, 0: never
 */
struct kfd_gpreempt_queue_info {
	__u32 queue_id;
	__u32 gpu_id;
	__u32 priority;
	__u32 permitted;
	__u32 effective;
	__u32 state;
	__u32 flags;
	__u32 timeslice_us;
	__u64 running_ns;
	__u64 waiting_ns;
	__u64 preempted_ns;
	__u64 preemptions;
	__u32 pid;
	__u32 context_id;
	__u32 backlog;
	__u32 waves;
	__u64 save_ns;
	__u64 seen_ns;
	__u64 resumes;
	__u64 resumed_ns;
};

/* Bytes of version 1, the least that LIST takes for an entry. */
#define KFD_GPREEMPT_QUEUE_INFO_SIZE_1	112

/**
 * struct kfd_gpreempt_list - parameters of LIST
 * @queues:	user address of an array
 * @count:	in: entries that the array holds; out: queues there are
 * @entry_size:	in: distance of two entries, KFD_GPREEMPT_QUEUE_INFO_SIZE_1 or more; out:
 *		bytes of an entry that the kernel knows. No more are written than both say
 */
struct kfd_gpreempt_list {
	__u64 queues;
	__u32 count;
	__u32 entry_size;
};

/**
 * struct kfd_gpreempt_priority - parameters of SET_PRIORITY
 * @priority:	0 to 15, or KFD_GPREEMPT_NONE: what the application asks for
 * @permitted:	out: what remains of it
 */
struct kfd_gpreempt_priority {
	__u32 priority;
	__u32 permitted;
};

/**
 * struct kfd_gpreempt_process_default - parameters of SET_PROCESS_DEFAULT, answer to GET_DEFAULT
 * @priority:	0 to 15, or KFD_GPREEMPT_NONE
 * @ceiling:	0 to 15, or KFD_GPREEMPT_NONE; raising it needs CAP_SYS_NICE
 * @timeslice_us: as of SET_TIMESLICE; no more than the level's counts of what was
 *		set without CAP_SYS_NICE
 * @weight:	with KFD_GPREEMPT_SET_WEIGHT: 1 to KFD_GPREEMPT_WEIGHT_MAX, its part of the
 *		time, among all
 * @min_percent: with KFD_GPREEMPT_SET_MIN: no less of the time, if it can use it; 0: none.
 *		Those of all processes are 100 at most, else ENOSPC; descendants have none of it
 * @cap_percent: with KFD_GPREEMPT_SET_CAP: no more, whoever wants the rest, and no less than
 *		the minimum; 0: none. Of several, the lowest of the process's and its
 *		ancestors' counts
 * @grant:	with KFD_GPREEMPT_SET_GRANT: 0 to 15, or KFD_GPREEMPT_NONE: the highest priority
 *		that the cgroup's members may have without CAP_SYS_NICE, if that is above the
 *		node's cap. The nearest one counts
 * @pad:	0
 *
 * Each has to be valid, also where a flag says that what was set before stays. The last three
 * are the process's share, for the policy fair. A greater weight than it has, a greater
 * minimum, and a higher cap, or none where there is one, need CAP_SYS_NICE.
 *
 * A process's priority, ceiling and turn come from its own default and its ancestors', and then
 * from its cgroup's and those of the cgroups above: the nearest priority and turn, and the
 * lowest ceiling. The members of the nearest cgroup that has a share are one group for the
 * policies, and their own shares do not count. Of a cgroup, a weight of 0 with its flag
 * takes it away, and with CAP_SYS_NICE only a group is made or ended.
 */
struct kfd_gpreempt_process_default {
	__u32 priority;
	__u32 ceiling;
	__u32 timeslice_us;
	__u32 weight;
	__u32 min_percent;
	__u32 cap_percent;
	__u32 grant;
	__u32 pad;
};

/**
 * struct kfd_gpreempt_preempt - parameters of PREEMPT and RESUME
 * @wait_ms:	with KFD_GPREEMPT_WAIT: give up after that time, 1 to
 *		KFD_GPREEMPT_WAIT_MS_MAX; what remains is written back
 * @hold_ms:	with KFD_GPREEMPT_HOLD: RESUME by itself after that time, up to
 *		KFD_GPREEMPT_HOLD_MS_MAX; 0: never, for a queue of another
 *		process only with CAP_SYS_NICE
 * @queues:	out: of how many queues that was asked
 * @refused:	out: how many others were meant, and must stay as they are. If all must, the
 *		call fails as it does for the first of them
 *
 * The queues of a node are asked for all at once, and leave in one transaction. @wait_ms
 * is for the outcome. Like every call about a queue, these two may have to wait for amdkfd's
 * own locks besides: while it waits for the GPU, that is for as long as the GPU takes to
 * answer, amdgpu.queue_preemption_timeout_ms at most.
 */
struct kfd_gpreempt_preempt {
	__u32 wait_ms;
	__u32 hold_ms;
	__u32 queues;
	__u32 refused;
};

/**
 * struct kfd_gpreempt_hint - parameters of HINT
 * @arrival_us:	the work comes in that time, up to KFD_GPREEMPT_HINT_US_MAX
 * @duration_us: and lasts about so long, 1 to KFD_GPREEMPT_HINT_US_MAX; both 0:
 *		take an earlier hint back
 */
struct kfd_gpreempt_hint {
	__u32 arrival_us;
	__u32 duration_us;
};

/**
 * struct kfd_ioctl_gpreempt_args - argument of AMDKFD_IOC_GPREEMPT
 * @op:		enum kfd_gpreempt_op
 * @flags:	of the operation
 * @pid:	the process, in the caller's pid namespace; 0: the caller
 * @pidfd:	with KFD_GPREEMPT_PIDFD: the process's pidfd
 * @cgroup_fd:	with KFD_GPREEMPT_CGROUP: a descriptor of the cgroup's directory
 * @context_id:	with KFD_GPREEMPT_CONTEXT: number of the context; without: that of the
 *		caller, the primary one of another process
 * @gpu_id:	the node, for QUERY; where more queues than one are meant, those of this node,
 *		0: of all nodes
 * @queue_id:	the queue, where one is meant
 * @level:	with KFD_GPREEMPT_AT_LEAST or KFD_GPREEMPT_BELOW: 0 to 15
 * @pad:	0
 * @query:	out
 * @list:	in and out
 * @priority:	in and out
 * @timeslice_us: 0: that of the process's default, else of the queue's level; or
 *		KFD_GPREEMPT_TIMESLICE_US_MIN to _MAX
 * @process_default: in; out, for GET_DEFAULT
 * @preempt:	in and out
 * @hint:	in
 * @reserved:	makes the size, which no version changes
 *
 * A caller sets each field and each byte of the union to 0 that the operation does not use.
 */
struct kfd_ioctl_gpreempt_args {
	__u32 op;
	__u32 flags;
	__u32 pid;
	__s32 pidfd;
	__s32 cgroup_fd;
	__u32 context_id;
	__u32 gpu_id;
	__u32 queue_id;
	__u32 level;
	__u32 pad;
	union {
		struct kfd_gpreempt_query query;
		struct kfd_gpreempt_list list;
		struct kfd_gpreempt_priority priority;
		__u32 timeslice_us;
		struct kfd_gpreempt_process_default process_default;
		struct kfd_gpreempt_preempt preempt;
		struct kfd_gpreempt_hint hint;
		__u64 reserved[8];
	};
};

/* Far from the numbers in use here, in newer kernels and out of tree. */
#define AMDKFD_IOC_GPREEMPT		\
		AMDKFD_IOWR(0x70, struct kfd_ioctl_gpreempt_args)

#endif /* UAPI_KFD_GPREEMPT_H_INCLUDED */
