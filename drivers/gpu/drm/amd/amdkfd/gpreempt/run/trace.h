/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT tracepoints. The names of what is no number are account.c's.
 */
#if !defined(GPREEMPT_TRACE_H_INCLUDED) || defined(TRACE_HEADER_MULTI_READ)
#define GPREEMPT_TRACE_H_INCLUDED

#include <linux/tracepoint.h>

#include "queue.h"

#undef TRACE_SYSTEM
#define TRACE_SYSTEM kfd_gpreempt

/* Most events name the queue, by its process and its number. */
#define QUEUE_ENTRY	__field(u32, gpu_id) __field(pid_t, pid) __field(u32, queue_id)
#define QUEUE_ASSIGN	(__entry->gpu_id = gpq->gp->gpu_id, __entry->pid = gpq->pid, \
			 __entry->queue_id = gpq->scan.queue_id)
#define QUEUE_PR_FMT	"gpu_id=%u pid=%d queue=%u"
#define QUEUE_PR_ARG	__entry->gpu_id, __entry->pid, __entry->queue_id

/* A scan ended: how many queues, register accesses (0: no wave counts), how long. */
TRACE_EVENT(kfd_gpreempt_scan,
	TP_PROTO(u32 gpu_id, unsigned int queues, unsigned int registers, u64 ns),
	TP_ARGS(gpu_id, queues, registers, ns),
	TP_STRUCT__entry(__field(u32, gpu_id) __field(u32, queues) __field(u32, registers)
			 __field(u64, ns)),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->queues = queues;
		__entry->registers = registers;
		__entry->ns = ns;
	),
	TP_printk("gpu_id=%u queues=%u registers=%u ns=%llu", __entry->gpu_id,
		  __entry->queues, __entry->registers, __entry->ns)
);

/* A queue, as a scan saw it, and the verdict on it. */
DECLARE_EVENT_CLASS(kfd_gpreempt_queue_seen,
	TP_PROTO(const struct kfd_gpreempt_queue *gpq),
	TP_ARGS(gpq),
	TP_STRUCT__entry(
		QUEUE_ENTRY __field(u8, priority) __field(u8, effective)
		__string(verdict, verdicts[gpq->view.out.verdict])
		__string(reason, reasons[gpq->view.out.reason])
		__string(state, activities[gpq->view.out.activity])
		__field(u64, rptr) __field(u64, wptr) __field(int, waves) __field(bool, waits)
	),
	TP_fast_assign(
		const struct gpreempt_queue_view *v = &gpq->view;

		QUEUE_ASSIGN;
		__entry->priority = v->terms.priority;
		__entry->effective = v->out.level;
		__assign_str(verdict);
		__assign_str(reason);
		__assign_str(state);
		__entry->rptr = v->seen.rptr;
		__entry->wptr = v->seen.wptr;
		__entry->waves = v->seen.waves;
		__entry->waits = v->seen.head == GPREEMPT_HEAD_WAITS;
	),
	TP_printk(QUEUE_PR_FMT " verdict=%s reason=%s state=%s priority=%u effective=%u rptr=%llu wptr=%llu waves=%d waits=%d",
		  QUEUE_PR_ARG, __get_str(verdict), __get_str(reason), __get_str(state),
		  __entry->priority, __entry->effective, __entry->rptr,
		  __entry->wptr, __entry->waves, __entry->waits)
);

/* For each queue that is to change. */
DEFINE_EVENT(kfd_gpreempt_queue_seen, kfd_gpreempt_decision,
	     TP_PROTO(const struct kfd_gpreempt_queue *gpq), TP_ARGS(gpq));
/* The queue has work that cannot run. */
DEFINE_EVENT(kfd_gpreempt_queue_seen, kfd_gpreempt_blocked,
	     TP_PROTO(const struct kfd_gpreempt_queue *gpq), TP_ARGS(gpq));

/* A queue is kept waiting by a lower level, at most for so long. */
TRACE_EVENT(kfd_gpreempt_inversion,
	TP_PROTO(const struct kfd_gpreempt_queue *gpq, int running, u64 ns),
	TP_ARGS(gpq, running, ns),
	TP_STRUCT__entry(QUEUE_ENTRY __field(u8, effective) __field(int, running) __field(u64, ns)),
	TP_fast_assign(
		QUEUE_ASSIGN;
		__entry->effective = gpq->view.out.level;
		__entry->running = running;
		__entry->ns = ns;
	),
	TP_printk(QUEUE_PR_FMT " effective=%u running=%d ns=%llu", QUEUE_PR_ARG,
		  __entry->effective, __entry->running, __entry->ns)
);

/* A queue changes places, and a time that belongs to that. */
DECLARE_EVENT_CLASS(kfd_gpreempt_queue_moves,
	TP_PROTO(const struct kfd_gpreempt_queue *gpq, enum gpreempt_reason reason, u64 ns),
	TP_ARGS(gpq, reason, ns),
	TP_STRUCT__entry(QUEUE_ENTRY __string(reason, reasons[reason]) __field(u64, ns)),
	TP_fast_assign(
		QUEUE_ASSIGN;
		__assign_str(reason);
		__entry->ns = ns;
	),
	TP_printk(QUEUE_PR_FMT " reason=%s ns=%llu", QUEUE_PR_ARG, __get_str(reason), __entry->ns)
);

#define DEFINE_MOVE_EVENT(_name)						\
DEFINE_EVENT(kfd_gpreempt_queue_moves, _name,					\
	     TP_PROTO(const struct kfd_gpreempt_queue *gpq, enum gpreempt_reason reason, u64 ns), \
	     TP_ARGS(gpq, reason, ns))
/* It is about to be taken off the hardware (0 ns) ... */
DEFINE_MOVE_EVENT(kfd_gpreempt_preempt_begin);
/* ... and is off: the GPU has answered after that time. Another queue may have made it long. */
DEFINE_MOVE_EVENT(kfd_gpreempt_preempt_end);
/* It is to be mapped again, after so long. */
DEFINE_MOVE_EVENT(kfd_gpreempt_resume);
/* It has delayed its preemption, and is kept off for that time. */
DEFINE_MOVE_EVENT(kfd_gpreempt_excluded);

/* What became of a node. */
DECLARE_EVENT_CLASS(kfd_gpreempt_node,
	TP_PROTO(u32 gpu_id, const char *name),
	TP_ARGS(gpu_id, name),
	TP_STRUCT__entry(__field(u32, gpu_id) __string(name, name)),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__assign_str(name);
	),
	TP_printk("gpu_id=%u state=%s", __entry->gpu_id, __get_str(name))
);

/* The monitor's state changed. */
DEFINE_EVENT(kfd_gpreempt_node, kfd_gpreempt_state,
	     TP_PROTO(u32 gpu_id, const char *name), TP_ARGS(gpu_id, name));
/* The monitor gave up; no queue is preempted. */
DEFINE_EVENT_PRINT(kfd_gpreempt_node, kfd_gpreempt_bypass,
	TP_PROTO(u32 gpu_id, const char *name), TP_ARGS(gpu_id, name),
	TP_printk("gpu_id=%u reason=%s", __entry->gpu_id, __get_str(name))
);

#endif /* GPREEMPT_TRACE_H_INCLUDED */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ../../drivers/gpu/drm/amd/amdkfd/gpreempt/run
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
