/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT tracepoints. Numbers of enums are those of select.h and state.h; names
 * are printed.
 */
#if !defined(GPREEMPT_TRACE_H_INCLUDED) || defined(TRACE_HEADER_MULTI_READ)
#define GPREEMPT_TRACE_H_INCLUDED

#include <linux/tracepoint.h>

#include "select.h"
#include "state.h"

#undef TRACE_SYSTEM
#define TRACE_SYSTEM kfd_gpreempt

TRACE_DEFINE_ENUM(GPREEMPT_IDLE);
TRACE_DEFINE_ENUM(GPREEMPT_RUNNING);
TRACE_DEFINE_ENUM(GPREEMPT_RUNNABLE);
TRACE_DEFINE_ENUM(GPREEMPT_BLOCKED);
TRACE_DEFINE_ENUM(GPREEMPT_UNKNOWN);
TRACE_DEFINE_ENUM(GPREEMPT_KEEP);
TRACE_DEFINE_ENUM(GPREEMPT_PREEMPT);
TRACE_DEFINE_ENUM(GPREEMPT_RESUME);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_NONE);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_INVERSION);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_AGED);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_HINT);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_ASKED);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_TIMESLICE);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_FREE);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_BLOCKED);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_STARVED);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_TURN);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_LATE);
TRACE_DEFINE_ENUM(GPREEMPT_REASON_OFF);
TRACE_DEFINE_ENUM(GPREEMPT_DISABLED);
TRACE_DEFINE_ENUM(GPREEMPT_PARKED);
TRACE_DEFINE_ENUM(GPREEMPT_ACTIVE);
TRACE_DEFINE_ENUM(GPREEMPT_BYPASSED);

#define show_gpreempt_queue_state(v)	__print_symbolic(v,		\
	{ GPREEMPT_IDLE,		"idle" },			\
	{ GPREEMPT_RUNNING,		"running" },			\
	{ GPREEMPT_RUNNABLE,		"runnable" },			\
	{ GPREEMPT_BLOCKED,		"blocked" },			\
	{ GPREEMPT_UNKNOWN,		"unknown" })

#define show_gpreempt_verdict(v)	__print_symbolic(v,		\
	{ GPREEMPT_KEEP,		"keep" },			\
	{ GPREEMPT_PREEMPT,		"preempt" },			\
	{ GPREEMPT_RESUME,		"resume" })

#define show_gpreempt_reason(v)		__print_symbolic(v,		\
	{ GPREEMPT_REASON_NONE,		"none" },			\
	{ GPREEMPT_REASON_INVERSION,	"inversion" },			\
	{ GPREEMPT_REASON_AGED,		"aged" },			\
	{ GPREEMPT_REASON_HINT,		"hint" },			\
	{ GPREEMPT_REASON_ASKED,	"asked" },			\
	{ GPREEMPT_REASON_TIMESLICE,	"timeslice" },			\
	{ GPREEMPT_REASON_FREE,		"free" },			\
	{ GPREEMPT_REASON_BLOCKED,	"blocked" },			\
	{ GPREEMPT_REASON_STARVED,	"starved" },			\
	{ GPREEMPT_REASON_TURN,		"turn" },			\
	{ GPREEMPT_REASON_LATE,		"late" },			\
	{ GPREEMPT_REASON_OFF,		"off" })

#define show_gpreempt_state(v)		__print_symbolic(v,		\
	{ GPREEMPT_DISABLED,		"disabled" },			\
	{ GPREEMPT_PARKED,		"parked" },			\
	{ GPREEMPT_ACTIVE,		"active" },			\
	{ GPREEMPT_BYPASSED,		"bypassed" })

/* A scan ended: how many queues, register accesses (0: no wave counts), how long. */
TRACE_EVENT(kfd_gpreempt_scan,
	TP_PROTO(u32 gpu_id, unsigned int queues, unsigned int registers, u64 ns),
	TP_ARGS(gpu_id, queues, registers, ns),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(unsigned int, queues)
		__field(unsigned int, registers)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->queues = queues;
		__entry->registers = registers;
		__entry->ns = ns;
	),
	TP_printk("gpu_id=%u queues=%u registers=%u ns=%llu", __entry->gpu_id,
		  __entry->queues, __entry->registers, __entry->ns)
);

/* The policy's verdict on a queue, for each queue that is to change. */
TRACE_EVENT(kfd_gpreempt_decision,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue_id,
		 const struct gpreempt_queue_view *v,
		 enum gpreempt_verdict verdict),
	TP_ARGS(gpu_id, pid, queue_id, v, verdict),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u32, queue_id)
		__field(u8, priority)
		__field(u8, effective)
		__field(int, verdict)
		__field(int, reason)
		__field(int, state)
		__field(u64, rptr)
		__field(u64, wptr)
		__field(int, waves)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queue_id = queue_id;
		__entry->priority = v->terms.priority;
		__entry->effective = v->out.level;
		__entry->verdict = verdict;
		__entry->reason = v->out.reason;
		__entry->state = v->out.activity;
		__entry->rptr = v->seen.rptr;
		__entry->wptr = v->seen.wptr;
		__entry->waves = v->seen.waves;
	),
	TP_printk("gpu_id=%u pid=%d queue=%u verdict=%s reason=%s state=%s priority=%u effective=%u rptr=%llu wptr=%llu waves=%d",
		  __entry->gpu_id, __entry->pid, __entry->queue_id,
		  show_gpreempt_verdict(__entry->verdict),
		  show_gpreempt_reason(__entry->reason),
		  show_gpreempt_queue_state(__entry->state),
		  __entry->priority, __entry->effective, __entry->rptr,
		  __entry->wptr, __entry->waves)
);

/* A queue is kept waiting by a lower level, at most for so long. */
TRACE_EVENT(kfd_gpreempt_inversion,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue_id, u8 effective, int running,
		 u64 ns),
	TP_ARGS(gpu_id, pid, queue_id, effective, running, ns),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u32, queue_id)
		__field(u8, effective)
		__field(int, running)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queue_id = queue_id;
		__entry->effective = effective;
		__entry->running = running;
		__entry->ns = ns;
	),
	TP_printk("gpu_id=%u pid=%d queue=%u effective=%u running=%d ns=%llu",
		  __entry->gpu_id, __entry->pid, __entry->queue_id,
		  __entry->effective, __entry->running, __entry->ns)
);

/* A queue has work that cannot run. */
TRACE_EVENT(kfd_gpreempt_blocked,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue_id,
		 const struct gpreempt_queue_view *v),
	TP_ARGS(gpu_id, pid, queue_id, v),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u32, queue_id)
		__field(u8, priority)
		__field(bool, waits)
		__field(u64, rptr)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queue_id = queue_id;
		__entry->priority = v->terms.priority;
		__entry->waits = v->seen.head == GPREEMPT_HEAD_WAITS;
		__entry->rptr = v->seen.rptr;
	),
	TP_printk("gpu_id=%u pid=%d queue=%u priority=%u by=%s rptr=%llu",
		  __entry->gpu_id, __entry->pid, __entry->queue_id,
		  __entry->priority,
		  __entry->waits ? "barrier" : "no-progress", __entry->rptr)
);

/* A queue is about to be taken off the hardware ... */
TRACE_EVENT(kfd_gpreempt_preempt_begin,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue_id, enum gpreempt_reason reason),
	TP_ARGS(gpu_id, pid, queue_id, reason),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u32, queue_id)
		__field(int, reason)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queue_id = queue_id;
		__entry->reason = reason;
	),
	TP_printk("gpu_id=%u pid=%d queue=%u reason=%s", __entry->gpu_id,
		  __entry->pid, __entry->queue_id,
		  show_gpreempt_reason(__entry->reason))
);

/* A queue, and a time. */
DECLARE_EVENT_CLASS(kfd_gpreempt_queue_time,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue_id, u64 ns),
	TP_ARGS(gpu_id, pid, queue_id, ns),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u32, queue_id)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queue_id = queue_id;
		__entry->ns = ns;
	),
	TP_printk("gpu_id=%u pid=%d queue=%u ns=%llu", __entry->gpu_id,
		  __entry->pid, __entry->queue_id, __entry->ns)
);

/* ... and is off: the GPU has answered. 0: another queue made it long. */
DEFINE_EVENT(kfd_gpreempt_queue_time, kfd_gpreempt_preempt_end,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue_id, u64 ns),
	TP_ARGS(gpu_id, pid, queue_id, ns)
);

/* A queue is to be mapped again. */
TRACE_EVENT(kfd_gpreempt_resume,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue_id, enum gpreempt_reason reason,
		 u64 preempted_ns),
	TP_ARGS(gpu_id, pid, queue_id, reason, preempted_ns),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u32, queue_id)
		__field(int, reason)
		__field(u64, preempted_ns)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queue_id = queue_id;
		__entry->reason = reason;
		__entry->preempted_ns = preempted_ns;
	),
	TP_printk("gpu_id=%u pid=%d queue=%u reason=%s preempted_ns=%llu",
		  __entry->gpu_id, __entry->pid, __entry->queue_id,
		  show_gpreempt_reason(__entry->reason), __entry->preempted_ns)
);

/* A queue has delayed its preemption, and is kept off for that time. */
DEFINE_EVENT(kfd_gpreempt_queue_time, kfd_gpreempt_excluded,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue_id, u64 ns),
	TP_ARGS(gpu_id, pid, queue_id, ns)
);

/* The monitor gave up; no queue is preempted. */
TRACE_EVENT(kfd_gpreempt_bypass,
	TP_PROTO(u32 gpu_id, const char *reason),
	TP_ARGS(gpu_id, reason),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__string(reason, reason)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__assign_str(reason);
	),
	TP_printk("gpu_id=%u reason=%s", __entry->gpu_id, __get_str(reason))
);

/* The monitor's state changed. */
TRACE_EVENT(kfd_gpreempt_state,
	TP_PROTO(u32 gpu_id, enum gpreempt_state state),
	TP_ARGS(gpu_id, state),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(int, state)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->state = state;
	),
	TP_printk("gpu_id=%u state=%s", __entry->gpu_id,
		  show_gpreempt_state(__entry->state))
);

#endif /* GPREEMPT_TRACE_H_INCLUDED */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ../../drivers/gpu/drm/amd/amdkfd/gpreempt
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
