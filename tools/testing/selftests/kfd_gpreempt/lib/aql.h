/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-mode AQL queues as ROCr makes them: rings and index pages in host
 * memory, packets, completion signals. Formats: HSA Platform System
 * Architecture 1.2 and ROCr's amd_hsa_queue.h, amd_hsa_signal.h.
 */
#ifndef KFD_GPREEMPT_AQL_H
#define KFD_GPREEMPT_AQL_H

#include "kfd.h"

#define AQL_PACKET_BYTES	64

enum aql_type {
	AQL_VENDOR = 0,
	AQL_INVALID = 1,
	AQL_DISPATCH = 2,
	AQL_BARRIER_AND = 3,
	AQL_BARRIER_OR = 5,
};

/* Packet header: type, barrier bit 8, acquire scope 10:9, release scope 12:11 (2 = system) */
#define AQL_HEADER(type, barrier)	((type) | (barrier) << 8 | 2 << 9 | 2 << 11)

/*
 * struct aql_signal - amd_signal_t
 * @kind:	1, user signal
 * @value:	decremented by one at completion
 * @mailbox:	event slot to write @event_id to, or 0 for no interrupt
 * @event_id:	event to raise
 * @start_ts: @end_ts: GPU clock around the kernel
 */
struct aql_signal {
	__s64 kind;
	volatile __s64 value;
	__u64 mailbox;
	__u32 event_id;
	__u32 reserved0;
	volatile __u64 start_ts;
	volatile __u64 end_ts;
	__u64 reserved1[2];
} __attribute__((aligned(64)));

/*
 * struct aql_amd_queue - amd_queue_t, the page KFD calls read and write pointer
 */
struct aql_amd_queue {
	__u32 type;
	__u32 features;
	__u64 base_address;
	__u64 doorbell_signal;
	__u32 size;
	__u32 reserved0;
	__u64 id;
	__u32 reserved1[4];
	volatile __u64 write_dispatch_id;		/* 0x38 */
	__u32 group_segment_aperture_base_hi;
	__u32 private_segment_aperture_base_hi;
	__u32 max_cu_id;
	__u32 max_wave_id;
	__u64 reserved2[6];
	volatile __u64 read_dispatch_id;		/* 0x80 */
	__u32 read_dispatch_id_field_base_byte_offset;
	__u32 compute_tmpring_size;
	__u32 scratch_resource_descriptor[4];
	__u64 scratch_backing_memory_location;
	__u64 scratch_backing_memory_byte_size;
	__u32 scratch_wave64_lane_byte_size;
	__u32 queue_properties;
	__u64 reserved3;
	__u64 queue_inactive_signal;
	__u32 reserved4[14];
};

/*
 * struct aql_packet - kernel dispatch, barrier and vendor packets
 */
struct aql_packet {
	union {
		__u16 header;
		struct {
			__u16 header;
			__u16 setup;
			__u16 workgroup[3];
			__u16 reserved0;
			__u32 grid[3];
			__u32 private_bytes;
			__u32 group_bytes;
			__u64 kernel_object;
			__u64 kernarg;
			__u64 reserved1;
		} dispatch;
		struct {
			__u16 header;
			__u16 reserved0;
			__u32 reserved1;
			__u64 dep[5];
			__u64 reserved2;
		} barrier;
		struct {		/* hsa_amd_barrier_value_packet_t */
			__u16 header;
			__u16 format;
			__u32 reserved0;
			__u64 signal;
			__s64 value;
			__s64 mask;
			__u32 condition;
			__u32 reserved1[5];
		} barrier_value;
		struct {		/* amd_aql_pm4_ib */
			__u16 header;
			__u16 format;
			__u32 jump[4];
			__u32 remain;
			__u32 reserved[8];
		} pm4_ib;
	};
	__u64 completion_signal;
} __attribute__((aligned(64)));

/**
 * struct save_area - what every compute queue needs besides its ring
 * @eop:	end-of-pipe buffer
 * @cwsr:	context save area
 */
struct save_area {
	struct kfd_mem eop, cwsr;
};

int save_area_alloc(struct kfd_dev *dev, struct save_area *s);
void save_area_free(struct kfd_dev *dev, struct save_area *s);

/* Tell CREATE_QUEUE of them. */
void save_area_args(const struct kfd_dev *dev, const struct save_area *s,
		    struct kfd_ioctl_create_queue_args *args);

/**
 * struct aql_queue - one queue
 * @dev:	its device
 * @id:		KFD's number
 * @packets:	ring size
 * @percentage:	as last given to the kernel
 * @priority:	likewise
 * @ring:	packets
 * @index:	@amd
 * @save:	see struct save_area
 * @scratch:	private segments of its waves
 * @packet:	the ring
 * @amd:	the index page
 * @doorbell:	mapped doorbell
 */
struct aql_queue {
	struct kfd_dev *dev;
	__u32 id;
	__u32 packets;
	__u32 percentage;
	__u32 priority;
	struct kfd_mem ring, index, scratch;
	struct save_area save;
	struct aql_packet *packet;
	struct aql_amd_queue *amd;
	volatile __u64 *doorbell;
};

/**
 * struct aql_kernel - what a dispatch needs to know of a kernel (code.h)
 * @object:	GPU address of the kernel descriptor
 * @group_bytes: LDS of a workgroup
 * @private_bytes: scratch of a work-item
 */
struct aql_kernel {
	__u64 object;
	__u32 group_bytes;
	__u32 private_bytes;
};

/* Scratch of every queue, bytes a lane: enough for the kernels here. */
#define AQL_SCRATCH_LANE_BYTES	256
#define AQL_SCRATCH_LANE_BYTES_GFX11	320	/* of 32 lanes a wave, with twice as much */

int aql_create(struct aql_queue *q, struct kfd_dev *dev, __u32 packets, __u32 priority);
int aql_destroy(struct aql_queue *q);
int aql_start(struct aql_queue *q);
int aql_stop(struct aql_queue *q);

/* UPDATE_QUEUE; @percentage 0 takes the queue off the hardware. */
int aql_update(struct aql_queue *q, __u32 percentage, __u32 priority);

/**
 * aql_reserve() - take the next packet of the ring, waiting while it is full
 * @q:	queue
 * @n:	its index
 *
 * The packet's header is INVALID until aql_publish(). Return: the packet, body zeroed.
 */
struct aql_packet *aql_reserve(struct aql_queue *q, __u64 *n);
void aql_publish(struct aql_packet *p, __u16 header);
void aql_ring(struct aql_queue *q, __u64 n);

/* The body of a dispatch packet; aql_publish() comes next. */
void aql_fill(struct aql_packet *p, const struct aql_kernel *k, __u32 grid,
	      __u16 workgroup, void *kernarg, struct aql_signal *signal);

/* Fill, publish and ring. @signal may be NULL. @grid in work-items, one dimension. */
__u64 aql_dispatch(struct aql_queue *q, const struct aql_kernel *k, __u32 grid,
		      __u16 workgroup, void *kernarg, struct aql_signal *signal);

/* As aql_dispatch(), without the doorbell. */
__u64 aql_prepare(struct aql_queue *q, const struct aql_kernel *k, __u32 grid,
		     __u16 workgroup, void *kernarg, struct aql_signal *signal);

/* @type AQL_BARRIER_AND or _OR; up to five dependencies, NULL ones do not count. */
__u64 aql_barrier(struct aql_queue *q, enum aql_type type, struct aql_signal *const dep[5],
		     struct aql_signal *signal);

/* A vendor packet that waits until @dep's value, after @mask, meets the condition. */
enum aql_condition { AQL_EQ, AQL_NE, AQL_LT, AQL_GTE };
__u64 aql_barrier_value(struct aql_queue *q, struct aql_signal *dep, enum aql_condition condition,
			__s64 value, __s64 mask, struct aql_signal *signal);

/* A vendor packet of PM4 commands: @dwords at @ib, which stay until they are done. */
__u64 aql_commands(struct aql_queue *q, const __u32 *ib, __u32 dwords,
		   struct aql_signal *signal);

/* Such commands, which wait until *@word is @value. @ib is room for AQL_WAIT_DWORDS. */
#define AQL_WAIT_DWORDS		7
__u64 aql_wait_memory(struct aql_queue *q, __u32 *ib, volatile __u32 *word, __u32 value,
		      struct aql_signal *signal);

/* @ev may be NULL: then no interrupt. */
void aql_signal_init(struct aql_signal *s, __s64 value, const struct kfd_event *ev);

/*
 * Wait until the signal is zero: by its event when it has one, else by polling.
 * 0, or -ETIME.
 */
int aql_signal_wait(struct kfd_dev *dev, struct aql_signal *s, unsigned int timeout_ms);

#endif
