// SPDX-License-Identifier: GPL-2.0
/* User-mode AQL queues. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aql.h"

_Static_assert(sizeof(struct aql_packet) == AQL_PACKET_BYTES, "packet");
_Static_assert(sizeof(struct aql_signal) == 64, "signal");
_Static_assert(sizeof(struct aql_amd_queue) == 256, "amd_queue_t");
_Static_assert(offsetof(struct aql_amd_queue, write_dispatch_id) == 0x38, "write index");
_Static_assert(offsetof(struct aql_amd_queue, read_dispatch_id) == 0x80, "read index");

/* Scratch slots of a compute unit that ROCr provides for */
#define SCRATCH_WAVES_PER_CU	32

/*
 * Swizzled buffer of 4-byte elements, 64 lanes an index, thread id added:
 * the third descriptor word ROCr gives to gfx9.
 */
#define SCRATCH_RSRC3	0x00ea4facu
#define RSRC1_SWIZZLE	(1u << 31)

/* What the debugger reads at the start of the save area (HsaUserContextSaveAreaHeader) */
struct save_area_header {
	__u32 control_stack_offset;
	__u32 control_stack_size;
	__u32 wave_state_offset;
	__u32 wave_state_size;
	__u32 debug_offset;
	__u32 debug_size;
	__u64 err_payload_addr;
	__u32 err_event_id;
	__u32 reserved;
};

static int setup_scratch(struct aql_queue *q)
{
	struct kfd_dev *dev = q->dev;
	/* Of one XCC; those of the next lie behind them. */
	__u32 waves = dev->cus / dev->xccs * SCRATCH_WAVES_PER_CU;
	bool gfx11 = dev->gfx_version >= 110000;
	__u32 lane_bytes = gfx11 ? AQL_SCRATCH_LANE_BYTES_GFX11 : AQL_SCRATCH_LANE_BYTES;
	__u32 wave_kb = lane_bytes * 64 / 1024;
	struct aql_amd_queue *amd = q->amd;
	__u64 base;
	int ret;

	ret = kfd_alloc(dev, &q->scratch, (size_t)waves * dev->xccs * wave_kb * 1024,
			KFD_MEM_VRAM);
	if (ret)
		return ret;
	base = (uintptr_t)q->scratch.ptr;
	amd->scratch_resource_descriptor[0] = base;
	amd->scratch_resource_descriptor[1] = base >> 32 | RSRC1_SWIZZLE;
	amd->scratch_resource_descriptor[2] = q->scratch.size;
	amd->scratch_resource_descriptor[3] = SCRATCH_RSRC3;
	amd->scratch_backing_memory_location = base;
	amd->scratch_backing_memory_byte_size = q->scratch.size;
	amd->scratch_wave64_lane_byte_size = lane_bytes;
	/* counts 1024 bytes, or 256 */
	amd->compute_tmpring_size = waves | (gfx11 ? 4 * wave_kb : wave_kb) << 12;
	return 0;
}

int save_area_alloc(struct kfd_dev *dev, struct save_area *s)
{
	size_t size = (size_t)(dev->cwsr_size + dev->debug_size) * dev->xccs;
	struct save_area_header *header;
	unsigned int i;
	int ret;

	ret = kfd_alloc(dev, &s->eop, KFD_PAGE, KFD_MEM_VRAM);
	if (!ret)
		ret = kfd_alloc(dev, &s->cwsr, size, KFD_MEM_HOST);
	if (ret)
		return ret;
	for (i = 0; i < dev->xccs; i++) {
		header = (void *)((char *)s->cwsr.ptr + (size_t)i * dev->cwsr_size);
		header->debug_offset = (dev->xccs - i) * dev->cwsr_size;
		header->debug_size = dev->debug_size * dev->xccs;
	}
	return 0;
}

void save_area_free(struct kfd_dev *dev, struct save_area *s)
{
	kfd_free(dev, &s->cwsr);
	kfd_free(dev, &s->eop);
}

void save_area_args(const struct kfd_dev *dev, const struct save_area *s,
		    struct kfd_ioctl_create_queue_args *args)
{
	args->eop_buffer_address = (uintptr_t)s->eop.ptr;
	args->eop_buffer_size = s->eop.size;
	args->ctx_save_restore_address = (uintptr_t)s->cwsr.ptr;
	args->ctx_save_restore_size = dev->cwsr_size;
	args->ctl_stack_size = dev->ctl_stack_size;
}

static int alloc_buffers(struct aql_queue *q)
{
	struct kfd_dev *dev = q->dev;
	unsigned int i;
	int ret;

	ret = kfd_alloc(dev, &q->ring, q->packets * AQL_PACKET_BYTES, KFD_MEM_HOST);
	if (ret)
		return ret;
	q->packet = q->ring.ptr;
	for (i = 0; i < q->packets; i++)
		q->packet[i].header = AQL_INVALID;

	ret = kfd_alloc(dev, &q->index, KFD_PAGE, kfd_index_flags(dev));
	if (ret)
		return ret;
	q->amd = q->index.ptr;

	ret = save_area_alloc(dev, &q->save);
	if (ret)
		return ret;
	return setup_scratch(q);
}

static void free_buffers(struct aql_queue *q)
{
	kfd_free(q->dev, &q->scratch);
	save_area_free(q->dev, &q->save);
	kfd_free(q->dev, &q->index);
	kfd_free(q->dev, &q->ring);
}

static void setup_amd_queue(struct aql_queue *q)
{
	struct aql_amd_queue *amd = q->amd;
	struct kfd_dev *dev = q->dev;

	amd->features = 1;	/* kernel dispatch */
	amd->base_address = (uintptr_t)q->ring.ptr;
	amd->size = q->packets;
	amd->group_segment_aperture_base_hi = dev->lds_base >> 32;
	amd->private_segment_aperture_base_hi = dev->scratch_base >> 32;
	amd->max_cu_id = dev->cus - 1;
	amd->max_wave_id = dev->cu_waves - 1;
	/* how the firmware finds this structure from the read index' address */
	amd->read_dispatch_id_field_base_byte_offset =
		offsetof(struct aql_amd_queue, read_dispatch_id);
}

/**
 * aql_create() - allocate and create a queue
 * @q:		result
 * @dev:	device
 * @packets:	ring size, a power of two of at least one page of packets
 * @priority:	0 to 15
 *
 * Return: 0, or what CREATE_QUEUE (or an allocation) answered.
 */
int aql_create(struct aql_queue *q, struct kfd_dev *dev, __u32 packets, __u32 priority)
{
	int ret;

	memset(q, 0, sizeof(*q));
	q->dev = dev;
	q->packets = packets;
	q->percentage = 100;
	q->priority = priority;
	ret = alloc_buffers(q);
	if (!ret) {
		setup_amd_queue(q);
		ret = aql_start(q);
	}
	if (ret)
		free_buffers(q);
	return ret;
}

/**
 * aql_start() - create a queue on the memory of one that aql_stop() destroyed
 * @q:		queue
 *
 * Return: 0, or what CREATE_QUEUE answered.
 */
int aql_start(struct aql_queue *q)
{
	struct kfd_ioctl_create_queue_args args = {};
	struct kfd_dev *dev = q->dev;
	int ret;

	args.ring_base_address = (uintptr_t)q->ring.ptr;
	args.ring_size = q->ring.size;
	args.write_pointer_address = (uintptr_t)&q->amd->write_dispatch_id;
	args.read_pointer_address = (uintptr_t)&q->amd->read_dispatch_id;
	args.gpu_id = dev->gpu_id;
	args.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	args.queue_percentage = q->percentage;
	args.queue_priority = q->priority;
	save_area_args(dev, &q->save, &args);
	ret = kfd_ioctl(dev, AMDKFD_IOC_CREATE_QUEUE, &args);
	if (ret)
		return ret;
	q->id = args.queue_id;
	ret = kfd_doorbell(dev, args.doorbell_offset, &q->doorbell);
	if (ret)
		aql_stop(q);
	return ret;
}

/**
 * aql_stop() - destroy a queue and keep its memory
 * @q:		queue
 *
 * Return: 0, or what DESTROY_QUEUE answered.
 */
int aql_stop(struct aql_queue *q)
{
	struct kfd_ioctl_destroy_queue_args args = { .queue_id = q->id };

	return kfd_ioctl(q->dev, AMDKFD_IOC_DESTROY_QUEUE, &args);
}

/**
 * aql_destroy() - destroy a queue and free its memory
 * @q:	queue
 *
 * Return: 0, or what DESTROY_QUEUE answered (the memory then stays).
 */
int aql_destroy(struct aql_queue *q)
{
	int ret = aql_stop(q);

	if (!ret)
		free_buffers(q);
	return ret;
}

int aql_update(struct aql_queue *q, __u32 percentage, __u32 priority)
{
	struct kfd_ioctl_update_queue_args args = {
		.ring_base_address = (uintptr_t)q->ring.ptr,
		.queue_id = q->id,
		.ring_size = q->ring.size,
		.queue_percentage = percentage,
		.queue_priority = priority,
	};
	int ret;

	ret = kfd_ioctl(q->dev, AMDKFD_IOC_UPDATE_QUEUE, &args);
	if (!ret) {
		q->percentage = percentage;
		q->priority = priority;
	}
	return ret;
}

struct aql_packet *aql_reserve(struct aql_queue *q, __u64 *n)
{
	struct aql_packet *p;

	*n = __atomic_fetch_add(&q->amd->write_dispatch_id, 1, __ATOMIC_ACQ_REL);
	while (*n - __atomic_load_n(&q->amd->read_dispatch_id, __ATOMIC_ACQUIRE) >= q->packets)
		sched_yield();
	p = &q->packet[*n & (q->packets - 1)];
	memset((char *)p + sizeof(p->header), 0, sizeof(*p) - sizeof(p->header));
	return p;
}

void aql_publish(struct aql_packet *p, __u16 header)
{
	__atomic_store_n(&p->header, header, __ATOMIC_RELEASE);
}

void aql_ring(struct aql_queue *q, __u64 n)
{
	/* the doorbell must not overtake the packet */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*q->doorbell = n;
}

void aql_fill(struct aql_packet *p, const struct aql_kernel *k, __u32 grid,
	      __u16 workgroup, void *kernarg, struct aql_signal *signal)
{
	p->dispatch.setup = 1;
	p->dispatch.workgroup[0] = workgroup;
	p->dispatch.workgroup[1] = 1;
	p->dispatch.workgroup[2] = 1;
	p->dispatch.grid[0] = grid;
	p->dispatch.grid[1] = 1;
	p->dispatch.grid[2] = 1;
	p->dispatch.private_bytes = k->private_bytes;
	p->dispatch.group_bytes = k->group_bytes;
	p->dispatch.kernel_object = k->object;
	p->dispatch.kernarg = (uintptr_t)kernarg;
	p->completion_signal = (uintptr_t)signal;
}

__u64 aql_prepare(struct aql_queue *q, const struct aql_kernel *k, __u32 grid,
		  __u16 workgroup, void *kernarg, struct aql_signal *signal)
{
	struct aql_packet *p;
	__u64 n;

	p = aql_reserve(q, &n);
	aql_fill(p, k, grid, workgroup, kernarg, signal);
	aql_publish(p, AQL_HEADER(AQL_DISPATCH, 0));
	return n;
}

__u64 aql_dispatch(struct aql_queue *q, const struct aql_kernel *k, __u32 grid,
		      __u16 workgroup, void *kernarg, struct aql_signal *signal)
{
	__u64 n = aql_prepare(q, k, grid, workgroup, kernarg, signal);

	aql_ring(q, n);
	return n;
}

__u64 aql_barrier(struct aql_queue *q, enum aql_type type, struct aql_signal *const dep[5],
		     struct aql_signal *signal)
{
	struct aql_packet *p;
	unsigned int i;
	__u64 n;

	p = aql_reserve(q, &n);
	for (i = 0; i < 5; i++)
		p->barrier.dep[i] = (uintptr_t)dep[i];
	p->completion_signal = (uintptr_t)signal;
	aql_publish(p, AQL_HEADER(type, 0));
	aql_ring(q, n);
	return n;
}

#define VENDOR_BARRIER_VALUE	2

__u64 aql_barrier_value(struct aql_queue *q, struct aql_signal *dep, enum aql_condition condition,
			__s64 value, __s64 mask, struct aql_signal *signal)
{
	struct aql_packet *p;
	__u64 n;

	p = aql_reserve(q, &n);
	p->barrier_value.format = VENDOR_BARRIER_VALUE;
	p->barrier_value.signal = (uintptr_t)dep;
	p->barrier_value.value = value;
	p->barrier_value.mask = mask;
	p->barrier_value.condition = condition;
	p->completion_signal = (uintptr_t)signal;
	aql_publish(p, AQL_HEADER(AQL_VENDOR, 0));
	aql_ring(q, n);
	return n;
}

/* PM4 type 3 packets; names and fields as in the kernel's soc15d.h. */
#define PACKET3(op, dwords)	(3u << 30 | ((dwords) - 2) << 16 | (op) << 8)
#define PACKET3_WAIT_REG_MEM	0x3c
#define PACKET3_INDIRECT_BUFFER	0x3f
#define WAIT_EQUAL		3
#define WAIT_MEMORY		(1 << 4)
#define WAIT_POLL_CLOCKS	16
#define IB_VALID		(1 << 23)
#define VENDOR_PM4_IB		1
#define VENDOR_REMAIN		10	/* dwords behind, always */

__u64 aql_commands(struct aql_queue *q, const __u32 *ib, __u32 dwords,
		   struct aql_signal *signal)
{
	struct aql_packet *p;
	__u64 n;

	p = aql_reserve(q, &n);
	p->pm4_ib.format = VENDOR_PM4_IB;
	p->pm4_ib.jump[0] = PACKET3(PACKET3_INDIRECT_BUFFER, 4);
	p->pm4_ib.jump[1] = (uintptr_t)ib;
	p->pm4_ib.jump[2] = (uintptr_t)ib >> 32;
	p->pm4_ib.jump[3] = dwords | IB_VALID;
	p->pm4_ib.remain = VENDOR_REMAIN;
	p->completion_signal = (uintptr_t)signal;
	aql_publish(p, AQL_HEADER(AQL_VENDOR, 0));
	aql_ring(q, n);
	return n;
}

__u64 aql_wait_memory(struct aql_queue *q, __u32 *ib, volatile __u32 *word, __u32 value,
		      struct aql_signal *signal)
{
	const __u32 wait[AQL_WAIT_DWORDS] = {
		PACKET3(PACKET3_WAIT_REG_MEM, AQL_WAIT_DWORDS), WAIT_EQUAL | WAIT_MEMORY,
		(__u32)(uintptr_t)word, (uintptr_t)word >> 32, value, ~0u, WAIT_POLL_CLOCKS,
	};

	memcpy(ib, wait, sizeof(wait));
	return aql_commands(q, ib, AQL_WAIT_DWORDS, signal);
}

void aql_signal_init(struct aql_signal *s, __s64 value, const struct kfd_event *ev)
{
	memset(s, 0, sizeof(*s));
	s->kind = 1;
	if (ev) {
		s->mailbox = ev->mailbox;
		s->event_id = ev->id;
	}
	__atomic_store_n(&s->value, value, __ATOMIC_RELEASE);
}

int aql_signal_wait(struct kfd_dev *dev, struct aql_signal *s, unsigned int timeout_ms)
{
	struct kfd_event ev = { .id = s->event_id };
	__u64 end = kfd_now() + timeout_ms * 1000000ULL;
	__u64 now;
	int ret;

	while (__atomic_load_n(&s->value, __ATOMIC_ACQUIRE) > 0) {
		now = kfd_now();
		if (now >= end)
			return -ETIME;
		if (s->mailbox) {
			ret = kfd_event_wait(dev, &ev, (end - now) / 1000000 + 1);
			if (ret && ret != -ETIME)
				return ret;
		} else {
			usleep(100);
		}
	}
	return 0;
}
