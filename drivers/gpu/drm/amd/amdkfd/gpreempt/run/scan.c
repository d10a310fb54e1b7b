// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT scan: what is each queue doing?
 *
 * Rings and index pages of ROCr are userptr memory: not pinned, and not mapped
 * by the kernel. They are read through the process's page tables, without the
 * DQM lock (which MMU notifiers take) and without faults.
 *
 * Rule 4, read only: nothing is written there. Rule 7, no trust: what is read fills the view and
 * nothing else, and no loop is bounded by it.
 */

#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/srcu.h>
#include <linux/uaccess.h>

#include "amdgpu.h"
#include "amdgpu_reset.h"
#include "commit.h"
#include "queue.h"
#include "kfd_mqd_manager.h"

/*
 * What is looked at in an AQL packet. HSA Platform System Architecture Specification, "AQL packet"
 * and "Signals"; the vendor packet is ROCr's hsa_amd_barrier_value_packet_t.
 */
#define AQL_PACKET_BYTES		64
#define AQL_DEP_SIGNALS			5
#define AQL_SIGNAL_VALUE_OFFSET		8
#define AQL_HEADER_BARRIER		0x100	/* begins when all before it have ended */
#define AQL_AMD_FORMAT_BARRIER_VALUE	2

enum aql_type {
	AQL_TYPE_VENDOR,
	AQL_TYPE_INVALID,
	AQL_TYPE_DISPATCH,
	AQL_TYPE_BARRIER_AND,
	AQL_TYPE_AGENT,
	AQL_TYPE_BARRIER_OR,
};

enum aql_condition {
	AQL_CONDITION_EQ,
	AQL_CONDITION_NE,
	AQL_CONDITION_LT,
	AQL_CONDITION_GTE,
};

/**
 * union aql_packet - a packet of an AQL queue
 * @type:	low byte of the header, &enum aql_type
 * @fences:	high byte of the header
 * @header:	both
 * @amd_format:	of a vendor packet
 * @reserved0:	not looked at
 * @dep_signal:	barrier-AND and -OR: signals waited for, 0 for none
 * @value_signal: vendor packet barrier-value: signal waited for, 0 for none
 * @value:	and what its value is compared with,
 * @mask:	after this mask,
 * @condition:	how, &enum aql_condition
 * @setup:	dispatch: dimensions
 * @workgroup:	dispatch: size of a workgroup
 * @reserved3:	not looked at
 * @grid:	dispatch: size of the grid
 * @sizes:	not looked at
 * @code:	dispatch: address of its kernel's descriptor
 * @reserved2:	not looked at
 * @completion_signal: of every kind, 0 for none
 */
union aql_packet {
	struct {
		u8 type;
		u8 fences;
		u8 amd_format;
		u8 reserved0[5];
		union {
			u64 dep_signal[AQL_DEP_SIGNALS];
			struct {
				u64 value_signal;
				s64 value;
				s64 mask;
				u32 condition;
			};
		};
		u64 reserved2;
		u64 completion_signal;
	};
	struct {
		u16 header;
		u16 setup;
		u16 workgroup[3];
		u16 reserved3;
		u32 grid[3];
		u32 sizes[2];
		u64 code;
	};
};

static_assert(sizeof(union aql_packet) == AQL_PACKET_BYTES);
/* Words of a packet; and those of the head that its kind is told by, and what it waits for. */
#define AQL_WORDS	(sizeof(union aql_packet) / sizeof(u64))
#define AQL_HEAD_WORDS	(offsetof(union aql_packet, reserved2) / sizeof(u64))

static_assert(offsetof(union aql_packet, grid) == 12);
static_assert(offsetof(union aql_packet, code) == 32);

/* LLVM, "User Guide for AMDGPU Backend": a bit of kernel_code_properties. */
#define AQL_CODE_PROPERTIES_OFFSET	56
#define AQL_CODE_WAVE32			BIT(10)
#define AQL_GROUP_ITEMS_MAX		1024
#define AQL_GROUPS_MAX			BIT(20)	/* more than any GPU holds at once */

/* Without faults, and each word by one load: half an index would be another one. */
static int read_words(struct kfd_gpreempt_queue *gpq, void *to, u64 from, unsigned int words)
{
	const u64 __user *p = u64_to_user_ptr(from);
	u64 *word = to;
	int r = -EFAULT;

	if (!IS_ALIGNED(from, sizeof(*p)))
		return r;
	gpq->scan.words += words;
	pagefault_disable();
	if (!user_read_access_begin(p, words * sizeof(*p)))
		goto out;
	for (; words; words--, word++, p++)
		unsafe_get_user(*word, p, failed);
	r = 0;
failed:
	user_read_access_end();
out:
	pagefault_enable();
	return r;
}

static int read_signal(struct kfd_gpreempt_queue *gpq, u64 handle, s64 *value)
{
	return read_words(gpq, value, handle + AQL_SIGNAL_VALUE_OFFSET, 1);
}

static bool barrier_value_met(const union aql_packet *pkt, s64 value)
{
	value &= pkt->mask;
	switch (pkt->condition) {
	case AQL_CONDITION_EQ:
		return value == pkt->value;
	case AQL_CONDITION_NE:
		return value != pkt->value;
	case AQL_CONDITION_LT:
		return value < pkt->value;
	case AQL_CONDITION_GTE:
		return value >= pkt->value;
	}
	return false;
}

/*
 * Work-items of a wave. Where code cannot be read, as in VRAM that the process has not mapped, it
 * is taken for what compilers make unless they are told otherwise.
 */
static u32 wave_items(struct kfd_gpreempt_queue *gpq, const union aql_packet *pkt)
{
	const struct kfd_gpreempt_hw *hw = gpq->gp->hw;
	u64 properties;

	if (!hw || !hw->wave32)
		return 64;
	if (read_words(gpq, &properties, pkt->code + AQL_CODE_PROPERTIES_OFFSET, 1))
		return 32;
	return properties & AQL_CODE_WAVE32 ? 32 : 64;
}

/*
 * Waves that a dispatch launches; 0 if it says nothing sensible. One that was consumed has
 * lost its type, but not its body; that of a barrier says 0.
 */
static u32 packet_waves(struct kfd_gpreempt_queue *gpq, const union aql_packet *pkt)
{
	u64 items = 1, groups = 1;
	int i;

	if (pkt->type != AQL_TYPE_DISPATCH && pkt->type != AQL_TYPE_INVALID)
		return 0;
	for (i = 0; i < 3; i++) {
		u32 size = pkt->workgroup[i], grid = pkt->grid[i];

		if (!size || !grid)
			return 0;
		items = min_t(u64, items * size, AQL_GROUP_ITEMS_MAX);
		groups = min_t(u64, groups * DIV_ROUND_UP_ULL(grid, size), AQL_GROUPS_MAX);
	}
	return groups * DIV_ROUND_UP(items, wave_items(gpq, pkt));
}

/*
 * Does a barrier wait? One whose signal cannot be read does: it cannot be shown to be able to run.
 */
static enum gpreempt_head barrier_head(struct kfd_gpreempt_queue *gpq, const union aql_packet *pkt)
{
	bool one = pkt->type == AQL_TYPE_BARRIER_OR, any = false, met;
	s64 value;
	int i;

	for (i = 0; i < AQL_DEP_SIGNALS; i++) {
		if (!pkt->dep_signal[i])
			continue;
		any = true;
		met = !read_signal(gpq, pkt->dep_signal[i], &value) && !value;
		if (met == one)
			return met ? GPREEMPT_HEAD_READY : GPREEMPT_HEAD_WAITS;
	}
	return any && one ? GPREEMPT_HEAD_WAITS : GPREEMPT_HEAD_READY;
}

static enum gpreempt_head packet_head(struct kfd_gpreempt_queue *gpq, const union aql_packet *pkt)
{
	s64 value;

	switch (pkt->type) {
	case AQL_TYPE_INVALID:
		return GPREEMPT_HEAD_INVALID;
	case AQL_TYPE_BARRIER_AND:
	case AQL_TYPE_BARRIER_OR:
		return barrier_head(gpq, pkt);
	case AQL_TYPE_VENDOR:
		if (pkt->amd_format == AQL_AMD_FORMAT_BARRIER_VALUE && pkt->value_signal &&
		    (read_signal(gpq, pkt->value_signal, &value) || !barrier_value_met(pkt, value)))
			return GPREEMPT_HEAD_WAITS;
		return GPREEMPT_HEAD_READY;
	default:
		return GPREEMPT_HEAD_READY;
	}
}

/* The ring's size is a power of two, checked at queue creation. */
static int read_packet(struct kfd_gpreempt_queue *gpq, union aql_packet *pkt,
		       const struct gpreempt_evidence *e, u64 index, unsigned int words)
{
	return read_words(gpq, pkt, gpq->scan.ring + (index & (e->size - 1)) * AQL_PACKET_BYTES,
			  words);
}

/*
 * Remember the packet before an index: once it is consumed, the ring may hold another. While it is
 * reserved but not valid, what is remembered is an older one.
 */
static void remember(struct kfd_gpreempt_queue *gpq, struct kfd_gpreempt_packet *p,
		     const struct gpreempt_evidence *e, u64 index)
{
	union aql_packet pkt;

	if (!index || index == p->index || read_packet(gpq, &pkt, e, index - 1, AQL_WORDS) ||
	    (pkt.type == AQL_TYPE_INVALID && index != e->rptr))
		return;
	*p = (struct kfd_gpreempt_packet) {
		.index = index,
		.signal = pkt.completion_signal,
		.waves = packet_waves(gpq, &pkt),
		/* Consumed meanwhile, its header says nothing any more. */
		.ordered = pkt.type != AQL_TYPE_INVALID && pkt.header & AQL_HEADER_BARRIER,
	};
}

/*
 * The completion signal of the packet before an index. Once the signal was satisfied, the
 * application may use it elsewhere, so that is remembered. That an older packet's is done says
 * nothing about this one.
 */
static enum gpreempt_signal signal_of(struct kfd_gpreempt_queue *gpq,
				      struct kfd_gpreempt_packet *p, u64 index)
{
	s64 value;

	if (!p->signal)
		return GPREEMPT_SIGNAL_UNKNOWN;
	if (!p->done) {
		if (read_signal(gpq, p->signal, &value))
			return GPREEMPT_SIGNAL_UNKNOWN;
		if (value > 0)
			return GPREEMPT_SIGNAL_PENDING;
		p->done = true;
	}
	return index == p->index ? GPREEMPT_SIGNAL_DONE : GPREEMPT_SIGNAL_UNKNOWN;
}

/*
 * The packet before the head, whose body is there until the ring is full: it may have been
 * consumed before there was space for its waves.
 */
static void read_previous(struct kfd_gpreempt_queue *gpq, struct gpreempt_evidence *e)
{
	struct kfd_gpreempt_packet *p = &gpq->previous;

	if (!e->rptr || e->wptr - e->rptr >= e->size)
		return;
	remember(gpq, p, e, e->rptr);
	if (p->index != e->rptr)
		return;
	e->begun = p->waves;
	e->previous = e->rptr == e->wptr ? e->signal : signal_of(gpq, p, e->rptr);
}

/* AQL: 64-bit packet counts, written by the application and the firmware. */
static void read_aql(struct kfd_gpreempt_queue *gpq, struct gpreempt_evidence *e)
{
	union aql_packet pkt;

	/* The read index first: the other order could show it ahead. */
	if (read_words(gpq, &e->rptr, gpq->scan.rptr, 1) ||
	    read_words(gpq, &e->wptr, gpq->scan.wptr, 1) || (s64)(e->wptr - e->rptr) < 0)
		return;

	if (e->wptr != e->rptr) {
		if (read_packet(gpq, &pkt, e, e->rptr, AQL_HEAD_WORDS))
			return;
		e->head = packet_head(gpq, &pkt);
		e->head_ordered = pkt.header & AQL_HEADER_BARRIER;
	}
	remember(gpq, &gpq->newest, e, e->wptr);
	e->signal = signal_of(gpq, &gpq->newest, e->wptr);
	read_previous(gpq, e);
	e->ordered = gpq->newest.ordered;
	e->readable = true;
}

/* Of PM4, the firmware tells the read pointer in dwords, wrapped. */
static void unwrap_rptr(struct gpreempt_evidence *e, u32 rptr)
{
	e->rptr = e->wptr - (((u32)e->wptr - rptr) & (e->size - 1));
}

/* PM4: dword counts, of 32 bits. */
static void read_pm4(struct kfd_gpreempt_queue *gpq, struct gpreempt_evidence *e)
{
	u64 rptr, wptr;

	if (read_words(gpq, &rptr, gpq->scan.rptr, 1) || read_words(gpq, &wptr, gpq->scan.wptr, 1))
		return;
	e->wptr = lower_32_bits(wptr);
	unwrap_rptr(e, lower_32_bits(rptr));
	e->readable = true;
}

static void collect_queue(struct kfd_gpreempt *gp, struct queue *q, struct kfd_gpreempt_scan *scan)
{
	struct kfd_gpreempt_queue *gpq = q->gpreempt;
	const struct queue_properties *p = &q->properties;

	if (!gpq->turn)
		gpq->turn = ++scan->turn;
	if (gpq->epoch != gp->epoch) {
		gpq->epoch = gp->epoch;
		memset(&gpq->memory, 0, sizeof(gpq->memory));
		gpq->newest = (struct kfd_gpreempt_packet) {};
		gpq->previous = (struct kfd_gpreempt_packet) {};
		gpq->account.inverted = false;
	}
	kobject_get(&gpq->kobj);
	/*
	 * UPDATE_QUEUE changes address and size under the process's lock alone. A
	 * mixture of old and new is as good as anything else that is read there.
	 */
	gpq->scan = (struct kfd_gpreempt_scan_queue) {
		.ring = READ_ONCE(p->queue_address),
		.rptr = (u64)(uintptr_t)p->read_ptr,
		.wptr = (u64)(uintptr_t)p->write_ptr,
		.queue_id = p->queue_id,
		.doorbell_off = p->doorbell_off,
		.aql = p->format == KFD_QUEUE_FORMAT_AQL,
	};
	gpq->view = (struct gpreempt_queue_view) {
		.reading = {
			.process = gpq->mm,
			.turn = gpq->turn,
		},
		.seen = {
			.preempted = p->is_preempted,
			.bare = p->is_preempted && gpq->off.bare,
			.mapped = p->is_active,
			.size = READ_ONCE(p->queue_size) /
				(gpq->scan.aql ? AQL_PACKET_BYTES : sizeof(u32)),
			.waves = GPREEMPT_WAVES_UNKNOWN,
		},
		.memory = &gpq->memory,
		.idle = &gpq->group->idle,
	};
	kfd_gpreempt_terms(q, scan->view.now_ns, &gpq->view.terms);
	gpq->view.group = kfd_gpreempt_queue_group(gpq, q->process);
	/* From Linux 7.3 on hibernation takes MQDs away before the scheduler stops. */
	if (gp->hw && q->mqd)
		gp->hw->read_cus(q, &gpq->view.seen.cus);
}

/*
 * Is it off as its process is idle, with nothing that could bring it back? The first scan that sees
 * it off has it yet, so that what is remembered of it is no older.
 */
static bool is_away(const struct kfd_gpreempt *gp, const struct queue *q)
{
	const struct kfd_gpreempt_queue *gpq = q->gpreempt;

	return q->properties.is_preempted && gpq->off.bare && gpq->account.last.seen.bare &&
	       gpq->epoch == gp->epoch && gpq->group->idle.off;
}

/**
 * kfd_gpreempt_scan_collect - start a scan: list the node's compute queues
 * @gp: the node
 *
 * Takes references that kfd_gpreempt_scan_release() drops.
 *
 * Return: 0, or -EAGAIN while the scheduler is down.
 */
int kfd_gpreempt_scan_collect(struct kfd_gpreempt *gp)
{
	struct device_queue_manager *dqm = gp->node->dqm;
	struct kfd_gpreempt_scan *scan = &gp->scan;
	struct gpreempt_queue_view **next = &scan->view.first;
	struct device_process_node *dpn;
	u64 start_ns = ktime_get_ns();
	struct queue *q;

	guard(kfd_gpreempt_dqm)(dqm);
	scan->view.nr = 0;
	scan->view.away = 0;
	scan->view.waves_final = false;
	scan->view.save_ns = ewma_gpreempt_ns_read(&gp->saves.mean_ns);
	scan->view.now_ns = ktime_get_ns();
	scan->spare_ns += scan->view.now_ns - start_ns;
	scan->view.slots = get_cp_queues_num(dqm);
	scan->view.vmids = max(gp->node->max_proc_per_quantum, 1u);
	scan->view.processes = dqm->processes_count;
	scan->registers = 0;
	scan->register_ns = 0;
	scan->view.blind = !gp->hw;
	scan->oversubscribed = gp->backend->oversubscribed && gp->backend->oversubscribed(dqm);
	if (!dqm->sched_running || dqm->sched_halt || dqm->is_hws_hang)
		return -EAGAIN;
	scan->all |= scan->view.now_ns >= scan->view.look_ns;
	kfd_gpreempt_for_each(q, dpn, dqm) {
		if (!q->gpreempt)
			continue;
		if (!scan->all && is_away(gp, q)) {
			scan->view.away++;
			continue;
		}
		collect_queue(gp, q, scan);
		*next = &q->gpreempt->view;
		next = &q->gpreempt->view.next;
		scan->view.nr++;
	}
	return 0;
}

/*
 * Has KFD not been told yet that a process's memory goes? Its primary context is. Others
 * end with their file, which is closed after the memory has gone.
 */
static bool is_alive(const struct mm_struct *mm)
{
	const struct kfd_process *p;

	hash_for_each_possible_rcu(kfd_processes_table, p, kfd_processes, (uintptr_t)mm,
				   srcu_read_lock_held(&kfd_processes_srcu))
		if (p->mm == mm && kfd_process_context_id(p) == KFD_CONTEXT_ID_PRIMARY)
			return true;
	return false;
}

static void leave(struct kfd_gpreempt_scan *scan)
{
	if (scan->entered)
		kthread_unuse_mm(scan->entered);
	scan->entered = NULL;
}

/* The cost of entering a process, in words that are read uncached. */
#define ENTER_WORDS	4

/* Two indices, the head, the signals that it waits for, and two packets, their code and signals. */
static_assert(2 + AQL_HEAD_WORDS + AQL_DEP_SIGNALS + 2 * (AQL_WORDS + 1 + 1) + ENTER_WORDS <=
	      GPREEMPT_QUEUE_READS);

/* Enter the process of a queue, unless that is the one we are in. */
static bool enter(struct kfd_gpreempt_scan *scan, struct kfd_gpreempt_queue *gpq)
{
	struct mm_struct *mm = gpq->mm;

	if (mm == scan->entered)
		return true;
	leave(scan);
	gpq->scan.words += ENTER_WORDS;
	if (!is_alive(mm))
		return false;
	kthread_use_mm(mm);
	scan->entered = mm;
	return true;
}

/*
 * Read a queue. If it was read before, has the GPU moved on, or ended its work, since then? A queue
 * that cannot be read now stays as it was.
 */
static unsigned int read_queue(struct gpreempt_view *view, struct gpreempt_queue_view *v)
{
	struct kfd_gpreempt_scan *scan = container_of(view, struct kfd_gpreempt_scan, view);
	struct gpreempt_evidence *e = &v->seen, now = *e;
	struct kfd_gpreempt_queue *gpq = kfd_gpreempt_of(v);

	gpq->scan.words = 0;
	gpq->turn = ++scan->turn;
	v->reading.turn = gpq->turn;
	if (!enter(scan, gpq))
		return gpq->scan.words;
	now.readable = false;
	now.head = GPREEMPT_HEAD_UNKNOWN;
	now.head_ordered = false;
	now.begun = 0;
	now.previous = GPREEMPT_SIGNAL_UNKNOWN;
	if (gpq->scan.aql)
		read_aql(gpq, &now);
	else
		read_pm4(gpq, &now);
	if (!now.readable)
		return gpq->scan.words;
	now.ordered &= !view->blind && !scan->oversubscribed;
	if (e->readable) {
		now.ordered &= e->ordered;
		now.late = now.rptr != e->rptr || now.signal != e->signal ||
			   now.previous != e->previous;
	}
	*e = now;
	return gpq->scan.words;
}

/*
 * Read what is wanted.
 *
 * The memory of a process stays while KFD's processes are read-locked: at its end KFD takes the
 * process off their table and waits for us, in the release of its MMU notifier, before a page goes.
 * With a reference on the memory the last user might be this thread, and whatever a process had be
 * torn down by a worker, at the expense of others. So an end waits for as much as a scan may read.
 */
static void read_queues(struct kfd_gpreempt_scan *scan)
{
	guard(srcu)(&kfd_processes_srcu);
	gpreempt_read(&scan->view, read_queue);
	leave(scan);
}

/**
 * kfd_gpreempt_scan_memory - read indices, head packets and signals
 * @gp: the node
 *
 * Of all that is on the hardware, or has just been taken off, or is off as it is idle. That no
 * doorbell of a process can be rung unnoticed is found out before its memory is read.
 */
void kfd_gpreempt_scan_memory(struct kfd_gpreempt *gp)
{
	struct kfd_gpreempt_scan *scan = &gp->scan;
	bool look = scan->view.now_ns >= scan->view.look_ns;
	const struct gpreempt_idle *idle = NULL;
	struct gpreempt_queue_view *v;

	scan->all = false;
	if (look)
		scan->view.look_ns = scan->view.now_ns +
				     GPREEMPT_IDLE_LOOK_MS * NSEC_PER_MSEC;
	gpreempt_for_each(v, &scan->view) {
		const struct kfd_gpreempt_queue *gpq = kfd_gpreempt_of(v);
		/* Packets that it consumed until it was taken off are no news once it is back. */
		bool went = gpq->off.since_ns > gpq->account.last.ns;

		/* The queues of a process follow each other. */
		if (v->idle != idle)
			v->idle->trapped = v->idle->awaited &&
					   kfd_gpreempt_doorbell_watch(gp, gpq->mm);
		idle = v->idle;
		v->idle->look = look || !v->idle->trapped;
		v->reading.wanted = (v->seen.mapped || went || (v->seen.bare && v->idle->look)) &&
				    v->seen.size && gpq->mm;
	}
	read_queues(scan);
}

/*
 * Read the memory of higher queues once more. Counting takes about 1 us an access on PCIe. What a
 * higher queue got to execute, or even ended, meanwhile would look as if it waited, and others be
 * taken off for it in vain. PM4 queues' read pointers are as new as the counts.
 */
static void scan_again(struct kfd_gpreempt_scan *scan)
{
	struct gpreempt_queue_view *v;
	u8 lowest = GPREEMPT_LEVELS;

	gpreempt_for_each(v, &scan->view)
		if (v->matters)
			lowest = min(lowest, v->terms.priority);
	gpreempt_for_each(v, &scan->view)
		v->reading.wanted = kfd_gpreempt_of(v)->scan.aql && v->matters &&
				    v->seen.readable && v->terms.priority > lowest;
	read_queues(scan);
}

/*
 * Firmware rotates the queues. One that is in no slot has left it, or never had one, and its MQD
 * tells whether anything of it was saved: if not, and its indices show nothing, it has no waves.
 */
static void read_left(struct kfd_gpreempt *gp)
{
	u64 start_ns = ktime_get_ns(), locked_ns;
	struct device_process_node *dpn;
	struct queue *q;

	guard(kfd_gpreempt_dqm)(gp->node->dqm);
	locked_ns = ktime_get_ns();
	gp->scan.spare_ns += locked_ns - start_ns;
	kfd_gpreempt_for_each(q, dpn, gp->node->dqm) {
		struct gpreempt_queue_view *v;

		if (!q->gpreempt)
			continue;
		v = &q->gpreempt->view;
		if (v->matters && q->properties.is_active && !q->gpreempt->scan.resident &&
		    v->seen.readable && v->seen.rptr == v->seen.wptr && gp->hw->is_bare(q))
			v->seen.waves = 0;
	}
	gp->scan.register_ns += ktime_get_ns() - locked_ns;
}

/**
 * kfd_gpreempt_scan_waves - read wave counts, PM4 queues' read pointers, and then memory once more
 * @gp: the node
 *
 * Of those queues only that matter for the decision.
 *
 * AQL queues' read pointers are not: in the register they are wrapped, so full
 * and empty look alike, and the application's own, 64-bit one is in memory.
 *
 * Where registers are not known (gfx12) all counts stay unknown.
 *
 * A mapped queue that is in no slot has no waves, unless the firmware rotates
 * queues: then its waves may be saved, and their number is not known, unless it has none.
 */
void kfd_gpreempt_scan_waves(struct kfd_gpreempt *gp)
{
	struct amdgpu_device *adev = gp->node->adev;
	struct kfd_gpreempt_scan *scan = &gp->scan;
	struct gpreempt_queue_view *v;
	u64 start_ns;

	scan->view.waves_final = true;
	if (!gp->hw)
		return;

	/* In a reset the registers are not ours; the counts stay unknown. */
	if (!down_read_trylock(&adev->reset_domain->sem))
		return;
	start_ns = ktime_get_ns();
	amdgpu_gfx_off_ctrl(adev, false);
	scan->registers = gp->hw->read_waves(gp->node, scan);
	amdgpu_gfx_off_ctrl(adev, true);
	up_read(&adev->reset_domain->sem);
	scan->register_ns = ktime_get_ns() - start_ns;
	kfd_gpreempt_count(gp, REGISTERS, scan->registers);
	kfd_gpreempt_count(gp, REGISTER_NS, scan->register_ns);

	gpreempt_for_each(v, &scan->view) {
		const struct kfd_gpreempt_scan_queue *sq = &kfd_gpreempt_of(v)->scan;

		if (!v->matters)
			continue;
		if (!sq->resident && !scan->oversubscribed)
			v->seen.waves = 0;
		if (sq->resident && !sq->aql && v->seen.readable)
			unwrap_rptr(&v->seen, sq->hqd_rptr);
	}
	if (scan->oversubscribed)
		read_left(gp);
	if (scan->registers)
		scan_again(scan);
}

/**
 * kfd_gpreempt_scan_release - end a scan
 * @gp: the node
 */
void kfd_gpreempt_scan_release(struct kfd_gpreempt *gp)
{
	struct gpreempt_view *view = &gp->scan.view;
	struct gpreempt_queue_view *v;

	while ((v = view->first)) {
		view->first = v->next;
		kobject_put(&kfd_gpreempt_of(v)->kobj);
	}
}
