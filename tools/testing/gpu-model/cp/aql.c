// SPDX-License-Identifier: GPL-2.0
/*
 * AQL packets. A packet is consumed in order: the header of the one at the
 * fetch index is looked at, and the queue waits there while it is INVALID,
 * while its barrier bit waits for earlier dispatches, while a barrier packet
 * waits for signals, or while an earlier dispatch still has workgroups to
 * launch. Nothing the host wrote is trusted: a bad packet stops its queue.
 *
 * Layouts: HSA Platform System Architecture 1.2 section 2.9; amd_queue_t and
 * amd_signal_t of ROCr's amd_hsa_queue.h and amd_hsa_signal.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cp/aql.h"
#include "asic.h"
#include "host/fault.h"
#include "vm/ih.h"
#include "host/log.h"
#include "cp/machine.h"
#include "bus/memory.h"
#include "vm/vm.h"
#include "cp/pm4.h"
#include "cp/pm4_dispatch.h"
#include "compute/spi.h"

enum packet_type {
	PACKET_VENDOR, PACKET_INVALID, PACKET_DISPATCH, PACKET_BARRIER_AND,
	PACKET_AGENT, PACKET_BARRIER_OR, PACKET_CORRUPT,
};

enum vendor_format { VENDOR_PM4_IB = 1, VENDOR_BARRIER_VALUE = 2 };

#define HEADER_BARRIER		(1u << 8)

/* amd_queue_t */
#define AMD_QUEUE_WRITE_ID	0x38
#define AMD_QUEUE_READ_ID	0x80
#define AMD_QUEUE_READ_OFFSET	0x88
#define AMD_QUEUE_TMPRING	0x8c
#define AMD_QUEUE_SCRATCH_RSRC	0x90
#define AMD_QUEUE_SCRATCH_BASE	0xa0
#define AMD_QUEUE_INACTIVE	0xc0

#define IH_CLIENT_GRBM_CP	0x14
#define IH_SOURCE_CP_EOP	181
#define IH_SOURCE_CP_BAD_OPCODE	183

static u32 get32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u64 get64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void interrupt(struct user_queue *q, u8 source, u32 data)
{
	const struct hqd *h = q->h;
	struct ih_vector v = {
		.xcc = h->xcc,
		.client = IH_CLIENT_GRBM_CP,
		.source = source,
		/* ring id as gfx_v9_0_eop_irq() takes it apart */
		.ring = h->pipe | h->me << 2 | h->queue << 4,
		.vmid = q->vmid,
		.pasid = q->pasid,
		.data = { data },
	};

	ih_post(q->g, &v);
}

/* Host pointer to a signal; NULL: not mapped or not aligned. Under mem_enter(). */
static struct amd_signal *signal_ptr(struct user_queue *q, u64 handle)
{
	size_t span;
	void *p;

	if (handle % sizeof(u64))
		return NULL;
	p = vm_ptr(q->g, q->vmid, handle, &span, true);
	return p && span >= sizeof(struct amd_signal) ? p : NULL;
}

/* Value of a signal; -EFAULT. */
static int signal_read(struct user_queue *q, u64 handle, s64 *value)
{
	struct amd_signal *s;

	mem_enter(q->g);
	s = signal_ptr(q, handle);
	if (s)
		*value = __atomic_load_n(&s->value, __ATOMIC_ACQUIRE);
	mem_exit(q->g);
	return s ? 0 : -EFAULT;
}

/* Wake who waits for a signal's event. */
static int signal_notify(struct user_queue *q, u64 mailbox, u32 event_id)
{
	u64 id = event_id;

	if (!mailbox)
		return 0;
	if (vm_write(q->g, q->vmid, mailbox, &id, sizeof(id)))
		return -EFAULT;
	interrupt(q, IH_SOURCE_CP_EOP, event_id);
	return 0;
}

/* Completion: timestamps, then the value, then mailbox and interrupt. */
static int signal_complete(struct user_queue *q, u64 handle, u64 begin, u64 end)
{
	struct amd_signal *s;
	u64 mailbox = 0;
	u32 event_id = 0;

	if (!handle)
		return 0;
	mem_enter(q->g);
	s = signal_ptr(q, handle);
	if (s) {
		s->start_ts = begin / GPU_CLOCK_NS;
		s->end_ts = end / GPU_CLOCK_NS;
		mailbox = s->event_mailbox;
		event_id = s->event_id;
		__atomic_sub_fetch(&s->value, 1, __ATOMIC_RELEASE);
	}
	mem_exit(q->g);
	return s ? signal_notify(q, mailbox, event_id) : -EFAULT;
}

/* EC_QUEUE_PACKET_* of uapi kfd_ioctl.h. */
static unsigned int exception_code(enum aql_error error)
{
	switch (error) {
	case AQL_BAD_DIM:
		return 16;
	case AQL_BAD_GROUP_SEGMENT:
		return 17;
	case AQL_BAD_CODE:
		return 18;
	case AQL_BAD_GROUP_SIZE:
		return 21;
	case AQL_BAD_REGISTERS:
		return 22;
	case AQL_BAD_VENDOR:
		return 23;
	default:
		return 20;
	}
}

/**
 * queue_fail() - the queue stops at this packet and tells ROCr and the driver why
 * @q:		queue
 * @error:	why
 */
void queue_fail(struct user_queue *q, enum aql_error error)
{
	struct amd_signal *s;
	u64 handle = 0, mailbox = 0;
	u32 event_id = 0;

	q->error = error;
	log_event("error", "queue=%#x pasid=%u packet=%" PRIu64 " code=%#x", q->h->doorbell,
		  q->pasid, q->fetch, error);
	if (error == AQL_FAULT)
		return;		/* vm_ptr() raised the interrupt */
	if (q->amd_queue &&
	    !vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_INACTIVE, &handle, sizeof(handle)) &&
	    handle) {
		mem_enter(q->g);
		s = signal_ptr(q, handle);
		if (s) {
			mailbox = s->event_mailbox;
			event_id = s->event_id;
			__atomic_store_n(&s->value, (s64)error, __ATOMIC_RELEASE);
		}
		mem_exit(q->g);
		signal_notify(q, mailbox, event_id);
	}
	if (error != AQL_NO_SCRATCH)
		interrupt(q, IH_SOURCE_CP_BAD_OPCODE,
			  (q->h->doorbell / 2 & 0x3ff) | exception_code(error) << 10);
}

/* ROCr clears the signal once it has given the queue scratch memory. */
static bool scratch_granted(struct user_queue *q)
{
	u64 handle = 0;
	s64 value = 1;

	if (!q->amd_queue ||
	    vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_INACTIVE, &handle, sizeof(handle)) ||
	    !handle || signal_read(q, handle, &value))
		return false;
	return !value;
}

static u64 packet_addr(const struct user_queue *q, u64 index)
{
	return q->ring + (index & q->mask) * AQL_PACKET_BYTES;
}

static void set_rptr(struct user_queue *q)
{
	q->h->reg[HQD(MQD_PQ_RPTR)] = (q->read & q->mask) * AQL_PACKET_DWORDS;
}

/* Packet q->read is consumed: its slot becomes INVALID, then the index moves. */
static void publish(struct user_queue *q)
{
	u16 invalid = PACKET_INVALID;
	u64 read = q->read + 1;

	if (vm_write(q->g, q->vmid, packet_addr(q, q->read), &invalid, sizeof(invalid)) ||
	    vm_write(q->g, q->vmid, q->read_addr, &read, sizeof(read)))
		queue_fail(q, AQL_FAULT);
	q->read = read;
	set_rptr(q);
}

/**
 * aql_read_write_index() - poll the write index in memory
 * @q:	queue
 *
 * The doorbell's value only says that something happened: producers ring out
 * of order, and a doorbell rung while the queue was unmapped is lost.
 */
void aql_read_write_index(struct user_queue *q)
{
	u64 dwords;

	if (vm_read(q->g, q->vmid, q->write_addr, &q->write, sizeof(q->write))) {
		queue_fail(q, AQL_FAULT);
		return;
	}
	dwords = q->write * AQL_PACKET_DWORDS;
	q->h->reg[HQD(MQD_PQ_WPTR_LO)] = dwords;
	q->h->reg[HQD(MQD_PQ_WPTR_HI)] = dwords >> 32;
}

/* ROCr keeps the indices inside an amd_queue_t and says so beside the read index. */
static void find_amd_queue(struct user_queue *q)
{
	u64 base = q->read_addr - AMD_QUEUE_READ_ID;
	u32 offset;

	if (q->write_addr != base + AMD_QUEUE_WRITE_ID ||
	    vm_read(q->g, q->vmid, base + AMD_QUEUE_READ_OFFSET, &offset, sizeof(offset)) ||
	    offset != AMD_QUEUE_READ_ID)
		return;
	q->amd_queue = base;
}

static void *wave_mem_ptr(void *ctx, u64 va, size_t *span, bool write)
{
	struct user_queue *q = ctx;

	return vm_ptr(q->g, q->vmid, va, span, write);
}

/* With XNACK a fault is the matter of wave_mem_retry(). */
static void *wave_mem_ptr_quiet(void *ctx, u64 va, size_t *span, bool write)
{
	struct user_queue *q = ctx;

	return vm_ptr_quiet(q->g, q->vmid, va, span, write);
}

static bool wave_mem_retry(void *ctx, u64 va, bool write)
{
	struct user_queue *q = ctx;

	return vm_retry(q->g, q->vmid, va, write);
}

static u32 wave_mem_generation(void *ctx)
{
	struct user_queue *q = ctx;

	return vm_generation(q->g, q->vmid);
}

static void attach_aql(struct user_queue *q)
{
	u32 *r = q->h->reg;
	u64 wrapped = r[HQD(MQD_PQ_RPTR)] / AQL_PACKET_DWORDS;

	/* Ring size: log2 of dwords, less one (kfd_mqd_manager_v9.c). */
	q->mask = ((u64)2 << (r[HQD(MQD_PQ_CONTROL)] & 0x3f)) / AQL_PACKET_DWORDS - 1;
	find_amd_queue(q);
	/* The MQD knows the index modulo the ring, memory the rest. */
	if (vm_read(q->g, q->vmid, q->read_addr, &q->read, sizeof(q->read)))
		queue_fail(q, AQL_FAULT);
	q->read = (q->read & ~q->mask) | (wrapped & q->mask);
	q->fetch = q->read;
	set_rptr(q);
	aql_read_write_index(q);
}

/*
 * Which XCC does what: a PM4 queue runs on the one that its MQD names, an AQL
 * queue's workgroups go round in the order of compute_current_logic_xcc_id. Each
 * MQD has its XCC's CU masks.
 */
static void attach_xccs(struct user_queue *q)
{
	struct gpu *g = q->g;
	u32 sh[COMPUTE_REGS], target = 0;
	unsigned int i, logic;

	q->chunk = q->aql ? q->sh[MQD_TG_CHUNK - MQD_COMPUTE] : 0;
	if (!q->chunk && !vm_read(g, 0, q->h->mqd + 4 * MQD_PM4_TARGET_XCC, &target, 4) &&
	    target < gpu_partition(g))
		q->xcc[0] = target;
	for (i = 0; i < gpu_partition(g); i++) {
		const struct hqd *h = mec_on_xcc(g, q->h, q->h->xcc + i);

		if (vm_read(g, 0, h->mqd + 4 * MQD_COMPUTE, sh, sizeof(sh))) {
			log_warn("queue %#x: cannot read its MQD of XCC %u", h->doorbell, h->xcc);
			continue;
		}
		compute_masks(q, i, sh);
		logic = sh[MQD_LOGIC_XCC - MQD_COMPUTE];
		if (q->chunk && logic < XCCS_MAX)
			q->xcc[logic] = i;
	}
}

/**
 * aql_attach() - bind a user queue to its slot
 * @g:		device
 * @h:		slot that mec_map() or registers filled
 * @env:	what its process brings
 *
 * Return: queue, or NULL if out of memory.
 */
struct user_queue *aql_attach(struct gpu *g, struct hqd *h, const struct queue_env *env)
{
	struct user_queue *q = calloc(1, sizeof(*q));
	const u32 *r = h->reg;

	if (!q)
		return NULL;
	q->g = g;
	q->part = spi_partition(g, h->xcc);
	q->h = h;
	q->pasid = env->pasid;
	q->vmid = h->vmid;
	q->is_static = env->is_static;
	q->since = env->since;
	q->aql = h->aql;
	q->ring = ((u64)r[HQD(MQD_PQ_BASE_HI)] << 32 | r[HQD(MQD_PQ_BASE_LO)]) << 8;
	q->read_addr = (u64)r[HQD(MQD_RPTR_REPORT_HI)] << 32 | r[HQD(MQD_RPTR_REPORT_LO)];
	q->write_addr = env->write_addr;
	if (!q->write_addr)
		q->write_addr = (u64)r[HQD(MQD_WPTR_POLL_HI)] << 32 |
				r[HQD(MQD_WPTR_POLL_LO)];
	q->connected = g->cfg.connect == CONNECT_ALL;
	q->cwsr = r[HQD(MQD_PERSISTENT_STATE)] & PERSISTENT_QSWITCH_MODE &&
		  (r[HQD(MQD_CTX_SAVE_BASE_LO)] || r[HQD(MQD_CTX_SAVE_BASE_HI)]);
	q->pipe_priority = r[HQD(MQD_PIPE_PRIORITY)];
	q->priority = r[HQD(MQD_QUEUE_PRIORITY)];
	if (!h->mqd || vm_read(g, 0, h->mqd + 4 * MQD_COMPUTE, q->sh, sizeof(q->sh)))
		log_warn("queue %#x: cannot read its MQD", h->doorbell);
	compute_masks(q, 0, q->sh);
	if (gpu_partition(g) > 1)
		attach_xccs(q);
	q->mem = (struct wave_mem){
		.isa = asic_of(g)->isa,
		.ptr = wave_mem_ptr,
		.generation = wave_mem_generation,
		.ctx = q,
		.gws = env->gws,
		.gws_count = env->gws_count,
		.shared_base = (u64)(env->sh_mem_bases >> 16) << 48,
		.private_base = (u64)(env->sh_mem_bases & 0xffff) << 48,
	};
	if (vm_retries(g, q->vmid)) {
		q->mem.ptr = wave_mem_ptr_quiet;
		q->mem.retry = wave_mem_retry;
	}
	trap_attach(q, &env->trap);
	if (q->aql)
		attach_aql(q);
	else
		q->fetch = q->read = q->sh[MQD_DISPATCH_ID - MQD_COMPUTE];
	h->uq = q;
	spi_attach(q);
	return q;
}

/**
 * aql_detach() - unbind a queue from its slot and free it
 * @q:	queue without groups
 */
void aql_detach(struct user_queue *q)
{
	spi_detach(q);
	q->h->uq = NULL;
	free(q);
}

/* Scratch of the queue, if the kernel needs any. */
static enum aql_error parse_scratch(struct user_queue *q, struct dispatch *d, u32 private_bytes)
{
	u32 tmpring = 0;
	u64 base = 0;

	if (q->amd_queue &&
	    (vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_TMPRING, &tmpring, 4) ||
	     vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_SCRATCH_RSRC,
		     d->regs.private_rsrc, sizeof(d->regs.private_rsrc)) ||
	     vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_SCRATCH_BASE, &base, 8)))
		return AQL_FAULT;
	d->regs.private_bytes = private_bytes;
	d->regs.scratch_base = base;
	d->regs.flat_scratch_init = base;
	d->regs.flat_scratch = asic_of(q->g)->isa->flat_scratch;
	if (!private_bytes)
		return AQL_OK;

	/* Groups in flight keep their slots: the size may change only without any. */
	q->scratch_base = base;
	q->scratch_wave_bytes = TMPRING_WAVESIZE(tmpring) * 1024;
	q->scratch_slots = TMPRING_WAVES(tmpring);
	d->regs.scratch_wave_bytes = q->scratch_wave_bytes;
	if (!base || (u64)private_bytes * LANES > q->scratch_wave_bytes ||
	    q->scratch_slots < (dispatch_waves(d, 0, (u32[3]){})))
		return AQL_NO_SCRATCH;
	return AQL_OK;
}

/**
 * dispatch_dims() - workgroups of a dispatch
 * @d:		dispatch
 * @grid:	work-items
 * @size:	work-items of a workgroup
 * @start:	first workgroup; those before it are not launched
 *
 * Return: AQL_OK, or which of them is no good.
 */
enum aql_error dispatch_dims(struct dispatch *d, const u32 grid[3], const u32 size[3],
			     const u32 start[3])
{
	unsigned int i, items = 1;

	d->total = 1;
	for (i = 0; i < 3; i++) {
		if (!grid[i])
			return AQL_BAD_DIM;
		if (!size[i] || size[i] > 1024)
			return AQL_BAD_GROUP_SIZE;
		items *= size[i];
		if (items > 1024)
			return AQL_BAD_GROUP_SIZE;
		d->regs.grid[i] = grid[i];
		d->regs.wgsize[i] = size[i];
		d->wgs[i] = (grid[i] - 1) / size[i] + 1;
		if (start[i] >= d->wgs[i])
			return AQL_BAD_DIM;
		d->wgs[i] -= start[i];
		d->start[i] = start[i];
		if (__builtin_mul_overflow(d->total, d->wgs[i], &d->total))
			return AQL_BAD_DIM;
	}
	return AQL_OK;
}

/* Is a dispatch made by an AQL packet? Else by registers. */
static bool by_packet(const struct user_queue *q, const struct dispatch *d)
{
	return q->aql && !(d->packet & DISPATCH_IN_BUFFER);
}

static enum aql_error aql_parse(struct user_queue *q, struct dispatch *d)
{
	unsigned int dims = d->source[2] & 3, i;
	u64 kd = get64(d->source + 32);
	u32 private_bytes, grid[3], size[3];
	enum aql_error error;
	u8 desc[64];

	d->q = q;
	if (!dims)
		return AQL_BAD_DIM;
	for (i = 0; i < 3; i++) {
		size[i] = i < dims ? d->source[4 + 2 * i] | d->source[5 + 2 * i] << 8 : 1;
		grid[i] = i < dims ? get32(d->source + 12 + 4 * i) : 1;
	}
	error = dispatch_dims(d, grid, size, (u32[3]){});
	if (error)
		return error;

	if (vm_read(q->g, q->vmid, kd, desc, sizeof(desc)) ||
	    kernel_code_parse(&d->code, desc, kd))
		return AQL_BAD_CODE;
	private_bytes = get32(d->source + 24);
	if (private_bytes < d->code.scratch_bytes)
		private_bytes = d->code.scratch_bytes;
	d->lds_bytes = get32(d->source + 28);
	if (d->lds_bytes < d->code.lds_bytes)
		d->lds_bytes = d->code.lds_bytes;
	if (d->lds_bytes > CU_LDS_BYTES)
		return AQL_BAD_GROUP_SEGMENT;
	if (!spi_fits(dispatch_waves(d, 0, (u32[3]){}), d->code.vgprs, d->code.sgprs,
		      d->lds_bytes))
		return AQL_BAD_REGISTERS;
	d->regs.dispatch_ptr = packet_addr(q, d->packet);
	d->regs.queue_ptr = q->amd_queue;
	d->regs.kernarg = get64(d->source + 40);
	d->regs.dispatch_id = d->packet;
	return parse_scratch(q, d, private_bytes);
}

/**
 * dispatch_parse() - work out a dispatch from its source
 * @q:	queue
 * @d:	dispatch; @d->source and @d->packet are set
 *
 * Return: AQL_OK, or why it is refused.
 */
enum aql_error dispatch_parse(struct user_queue *q, struct dispatch *d)
{
	return by_packet(q, d) ? aql_parse(q, d) : pm4_dispatch_parse(q, d);
}

/**
 * dispatch_alloc() - a place for the queue's next dispatch
 * @q:	queue
 *
 * Return: dispatch, or NULL while too many are under way or one is launching.
 */
struct dispatch *dispatch_alloc(struct user_queue *q)
{
	struct dispatch *d = q->d;

	if (q->begun == DISPATCHES_MAX || q->launching)
		return NULL;
	while (d->used)
		d++;
	*d = (struct dispatch){ .packet = q->fetch };
	return d;
}

/**
 * dispatch_begin() - launch a dispatch from now on
 * @d:	dispatch that was parsed
 */
void dispatch_begin(struct dispatch *d)
{
	struct user_queue *q = d->q;

	d->used = true;
	d->ready = gpu_now() + param.launch_ns;
	q->begun++;
	q->launching = d;
	log_event("dispatch-begin", "queue=%#x pasid=%u disp=%" PRIu64 " wgs=%" PRIu64
		  " waves=%u vgprs=%u lds=%u kernel=%#" PRIx64, q->h->doorbell, q->pasid,
		  d->packet, d->total, dispatch_waves(d, 0, (u32[3]){}), d->code.vgprs,
		  d->lds_bytes, by_packet(q, d) ? get64(d->source + 32) : d->code.entry);
}

static enum aql_error aql_dispatch(struct user_queue *q, const u8 *packet, bool *wait)
{
	struct dispatch *d = dispatch_alloc(q);
	enum aql_error error;

	*wait = !d;
	if (!d)
		return AQL_OK;
	memcpy(d->source, packet, AQL_PACKET_BYTES);
	error = aql_parse(q, d);
	if (!error)
		dispatch_begin(d);
	return error;
}

/**
 * aql_launched() - the last workgroup of a dispatch was launched
 * @d:	dispatch
 */
void aql_launched(struct dispatch *d)
{
	d->q->launching = NULL;
	if (by_packet(d->q, d) && !d->q->g->cfg.rptr_at_fetch)
		publish(d->q);
}

/* A workgroup ended; with its last one the dispatch is aql_complete()'s. */
static void group_ended(struct dispatch *d)
{
	struct user_queue *q = d->q;

	d->live--;
	if (d->live || d->next < d->total)
		return;
	log_event("dispatch-end", "queue=%#x pasid=%u disp=%" PRIu64 " us=%" PRIu64,
		  q->h->doorbell, q->pasid, d->packet, (gpu_now() - d->begin) / NS_PER_US);
	d->end = gpu_now();
}

/**
 * aql_reap() - take note of the workgroups that ended
 * @p:	partition
 *
 * Return: true if there were any.
 */
bool aql_reap(struct partition *p)
{
	return spi_reap(p, group_ended);
}

/* Its signal, and the packets that waited for it; free for another. */
static void complete(struct dispatch *d)
{
	struct user_queue *q = d->q;

	if (by_packet(q, d) && signal_complete(q, get64(d->source + 56), d->begin, d->end))
		queue_fail(q, AQL_FAULT);
	d->used = false;
	q->begun--;
	if (pm4_dispatch_ended(q, d - q->d))
		queue_fail(q, AQL_FAULT);
}

/**
 * aql_complete() - complete dispatches whose end can be seen by now
 * @q:	queue
 *
 * Return: true if one ended that will be seen later; a turn is asked for then.
 */
bool aql_complete(struct user_queue *q)
{
	u64 now = gpu_now();
	bool later = false;
	unsigned int i;

	for (i = 0; i < DISPATCHES_MAX; i++) {
		struct dispatch *d = &q->d[i];

		if (!d->used || !d->end)
			continue;
		if (now >= d->end + param.signal_ns) {
			complete(d);
		} else {
			mec_kick_at(q->g, d->end + param.signal_ns);
			later = true;
		}
	}
	return later;
}

/* Barrier packet: five signals, zero handles count as satisfied. */
static enum aql_error barrier(struct user_queue *q, const u8 *packet, bool any, bool *wait)
{
	unsigned int i, set = 0, done = 0;
	s64 value;

	for (i = 0; i < 5; i++) {
		u64 handle = get64(packet + 8 + 8 * i);

		if (!handle)
			continue;
		if (signal_read(q, handle, &value))
			return AQL_FAULT;
		set++;
		done += !value;
	}
	*wait = any ? set && !done : done < set;
	return AQL_OK;
}

/* hsa_amd_barrier_value_packet_t: wait for a condition on a signal's value. */
static enum aql_error barrier_value(struct user_queue *q, const u8 *packet, bool *wait)
{
	u64 handle = get64(packet + 8);
	s64 value, want = get64(packet + 16), mask = get64(packet + 24);
	bool met;

	if (!handle)
		return AQL_OK;
	if (signal_read(q, handle, &value))
		return AQL_FAULT;
	value &= mask;
	switch (get32(packet + 32)) {
	case 0:
		met = value == want;
		break;
	case 1:
		met = value != want;
		break;
	case 2:
		met = value < want;
		break;
	case 3:
		met = value >= want;
		break;
	default:
		return AQL_BAD_VENDOR;
	}
	*wait = !met;
	return AQL_OK;
}

/*
 * amd_aql_pm4_ib: an INDIRECT_BUFFER packet within this one. The slot's
 * registers say how far its packets are, so that it goes on after a preemption.
 */
static enum aql_error vendor_ib(struct user_queue *q, const u8 *packet, bool *wait)
{
	u32 jump[4], *control = &q->h->reg[HQD(MQD_IB_CONTROL)];

	memcpy(jump, packet + 4, sizeof(jump));
	if (!(*control & IB_PROCESSING) && pm4_enter_ib(q->h, jump))
		return AQL_BAD_VENDOR;
	if (pm4_run(q->g, q->h, mec_pm4(q->g, q->h)))
		mec_kick(q->g);
	*wait = *control & IB_PROCESSING;
	return AQL_OK;
}

static enum aql_error vendor(struct user_queue *q, const u8 *packet, bool *wait)
{
	switch (packet[2]) {
	case VENDOR_BARRIER_VALUE:
		return barrier_value(q, packet, wait);
	case VENDOR_PM4_IB:
		return vendor_ib(q, packet, wait);
	default:
		return AQL_BAD_VENDOR;
	}
}

/*
 * Look again at a wait that no doorbell ends. Asked for in every turn: a
 * request may have been merged with an earlier one that is over.
 */
static void poll_later(struct user_queue *q)
{
	u64 now = gpu_now();

	if (q->poll_at <= now) {
		q->poll_ns = !q->poll_at ? BARRIER_POLL_NS : q->poll_ns * 2;
		if (q->poll_ns > BARRIER_POLL_MAX_NS)
			q->poll_ns = BARRIER_POLL_MAX_NS;
		q->poll_at = now + q->poll_ns;
	}
	mec_kick_at(q->g, q->poll_at);
}

/* The packet at the fetch index. Return: true if it was consumed. */
static bool packet_step(struct user_queue *q)
{
	static const char *const names[] = {
		"vendor", "invalid", "dispatch", "barrier-and", "agent", "barrier-or",
	};
	enum aql_error error = AQL_OK;
	bool wait = false, poll = false;
	u8 packet[AQL_PACKET_BYTES];
	unsigned int header, type;
	bool in_buffer = q->h->reg[HQD(MQD_IB_CONTROL)] & IB_PROCESSING;

	if (vm_read(q->g, q->vmid, packet_addr(q, q->fetch), packet, sizeof(packet))) {
		queue_fail(q, AQL_FAULT);
		return false;
	}
	header = packet[0] | packet[1] << 8;
	type = header & 0xff;
	if (type == PACKET_INVALID)
		return false;	/* reserved, not yet written: a doorbell will follow */
	if (header & HEADER_BARRIER && q->begun && !in_buffer)
		return false;
	if (fault_hit(FAULT_CORRUPT_PACKET, NULL))
		type = PACKET_CORRUPT;

	switch (type) {
	case PACKET_DISPATCH:
		error = aql_dispatch(q, packet, &wait);
		break;
	case PACKET_BARRIER_AND:
	case PACKET_BARRIER_OR:
		error = barrier(q, packet, type == PACKET_BARRIER_OR, &wait);
		poll = true;
		break;
	case PACKET_VENDOR:
		error = vendor(q, packet, &wait);
		if (q->error)
			return false;
		poll = packet[2] != VENDOR_PM4_IB;
		break;
	default:
		error = AQL_BAD_PACKET;
		break;
	}
	if (error) {
		queue_fail(q, error);
		return false;
	}
	if (wait) {
		if (poll)
			poll_later(q);
		return false;
	}
	q->poll_at = 0;
	log_event("packet", "queue=%#x pasid=%u packet=%" PRIu64 " type=%s", q->h->doorbell,
		  q->pasid, q->fetch, names[type]);
	q->fetch++;
	if (type != PACKET_DISPATCH) {
		if (signal_complete(q, get64(packet + 56), gpu_now(), gpu_now()))
			queue_fail(q, AQL_FAULT);
		publish(q);
	} else if (q->g->cfg.rptr_at_fetch) {
		publish(q);
	}
	return true;
}

/**
 * aql_has_packet() - is there a packet to take, or to wait at?
 * @q:	queue
 *
 * Return: false if there is none, or it is reserved and not yet written: a doorbell will
 * follow.
 */
bool aql_has_packet(struct user_queue *q)
{
	const u8 *header;
	bool has;
	size_t span;

	if ((s64)(q->write - q->fetch) <= 0 || q->fetch - q->read > q->mask)
		return false;
	mem_enter(q->g);
	header = vm_ptr_quiet(q->g, q->vmid, packet_addr(q, q->fetch), &span, false);
	has = !header || *header != PACKET_INVALID;	/* at a missing page its queue stops */
	mem_exit(q->g);
	return has;
}

/**
 * aql_advance() - consume packets as far as possible now
 * @q:	queue
 *
 * At most AQL_ROUND_PACKETS in a call.
 *
 * Return: true if a packet was consumed.
 */
bool aql_advance(struct user_queue *q)
{
	bool moved = false;
	unsigned int n;

	if (q->error == AQL_NO_SCRATCH && scratch_granted(q)) {
		q->error = AQL_OK;
		q->poll_at = 0;
	}
	for (n = 0; n < AQL_ROUND_PACKETS; n++) {
		/* A write index below the read index, or nonsense, is no work. */
		if (!q->aql || q->error || q->frozen || q->drain || q->launching ||
		    (s64)(q->write - q->fetch) <= 0 || q->fetch - q->read > q->mask)
			break;
		if (!packet_step(q))
			break;
		moved = true;
	}
	if (q->error == AQL_NO_SCRATCH)
		poll_later(q);
	return moved;
}

/**
 * aql_run() - the doorbell of an AQL queue rang
 * @g:	device
 * @h:	its slot
 *
 * machine_turn(), later in the same turn, looks at the packets.
 */
void aql_run(struct gpu *g, struct hqd *h)
{
	struct user_queue *q = h->uq;

	(void)g;
	h->rung = false;
	if (q->frozen)
		return;		/* the next map reads the index again */
	aql_read_write_index(q);
	log_event("doorbell-seen", "queue=%#x pasid=%u value=%" PRIu64 " write=%" PRIu64
		  " read=%" PRIu64, h->doorbell, q->pasid, h->db_value, q->write, q->read);
}
