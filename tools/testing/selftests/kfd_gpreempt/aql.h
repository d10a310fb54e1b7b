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

/**
 * struct aql_signal - amd_signal_t
 * @kind:	1, user signal
 * @value:	decremented by one at completion
 * @mailbox:	event slot to write @event_id to, or 0 for no interrupt
 * @event_id:	event to raise
 * @start_ts: @end_ts: GPU clock around the kernel
 */
struct aql_signal {
	int64_t kind;
	volatile int64_t value;
	uint64_t mailbox;
	uint32_t event_id;
	uint32_t reserved0;
	volatile uint64_t start_ts;
	volatile uint64_t end_ts;
	uint64_t reserved1[2];
} __attribute__((aligned(64)));

/**
 * struct aql_amd_queue - amd_queue_t, the page KFD calls read and write pointer
 */
struct aql_amd_queue {
	uint32_t type;
	uint32_t features;
	uint64_t base_address;
	uint64_t doorbell_signal;
	uint32_t size;
	uint32_t reserved0;
	uint64_t id;
	uint32_t reserved1[4];
	volatile uint64_t write_dispatch_id;		/* 0x38 */
	uint32_t group_segment_aperture_base_hi;
	uint32_t private_segment_aperture_base_hi;
	uint32_t max_cu_id;
	uint32_t max_wave_id;
	uint64_t reserved2[6];
	volatile uint64_t read_dispatch_id;		/* 0x80 */
	uint32_t read_dispatch_id_field_base_byte_offset;
	uint32_t compute_tmpring_size;
	uint32_t scratch_resource_descriptor[4];
	uint64_t scratch_backing_memory_location;
	uint64_t scratch_backing_memory_byte_size;
	uint32_t scratch_wave64_lane_byte_size;
	uint32_t queue_properties;
	uint64_t reserved3;
	uint64_t queue_inactive_signal;
	uint32_t reserved4[14];
};

/**
 * struct aql_packet - kernel dispatch and barrier packets
 */
struct aql_packet {
	union {
		uint16_t header;
		struct {
			uint16_t header;
			uint16_t setup;
			uint16_t workgroup[3];
			uint16_t reserved0;
			uint32_t grid[3];
			uint32_t private_bytes;
			uint32_t group_bytes;
			uint64_t kernel_object;
			uint64_t kernarg;
			uint64_t reserved1;
		} dispatch;
		struct {
			uint16_t header;
			uint16_t reserved0;
			uint32_t reserved1;
			uint64_t dep[5];
			uint64_t reserved2;
		} barrier;
	};
	uint64_t completion_signal;
} __attribute__((aligned(64)));

/**
 * struct aql_queue - one queue
 * @dev:	its device
 * @id:		KFD's number
 * @packets:	ring size
 * @percentage: @priority: as last given to the kernel
 * @ring: @index: @eop: @cwsr: @scratch: its memory
 * @packet:	the ring
 * @amd:	the index page
 * @doorbell:	mapped doorbell
 */
struct aql_queue {
	struct kfd_dev *dev;
	uint32_t id;
	uint32_t packets;
	uint32_t percentage;
	uint32_t priority;
	struct kfd_mem ring, index, eop, cwsr, scratch;
	struct aql_packet *packet;
	struct aql_amd_queue *amd;
	volatile uint64_t *doorbell;
};

/**
 * struct aql_kernel - what a dispatch needs to know of a kernel (code.h)
 * @object:	GPU address of the kernel descriptor
 * @group_bytes: @private_bytes: its LDS and scratch
 */
struct aql_kernel {
	uint64_t object;
	uint32_t group_bytes;
	uint32_t private_bytes;
};

/* Scratch of every queue, bytes a lane: enough for the kernels here. */
#define AQL_SCRATCH_LANE_BYTES	256

int aql_create(struct aql_queue *q, struct kfd_dev *dev, uint32_t packets, uint32_t priority);
int aql_destroy(struct aql_queue *q);

/* UPDATE_QUEUE; @percentage 0 takes the queue off the hardware. */
int aql_update(struct aql_queue *q, uint32_t percentage, uint32_t priority);

/**
 * aql_reserve() - take the next packet of the ring, waiting while it is full
 * @q:	queue
 * @n:	its index
 *
 * The packet's header is INVALID until aql_publish(). Return: the packet, body zeroed.
 */
struct aql_packet *aql_reserve(struct aql_queue *q, uint64_t *n);
void aql_publish(struct aql_packet *p, uint16_t header);
void aql_ring(struct aql_queue *q, uint64_t n);

/* Fill, publish and ring. @signal may be NULL. @grid in work-items, one dimension. */
uint64_t aql_dispatch(struct aql_queue *q, const struct aql_kernel *k, uint32_t grid,
		      uint16_t workgroup, void *kernarg, struct aql_signal *signal);

/* As aql_dispatch(), without the doorbell. */
uint64_t aql_prepare(struct aql_queue *q, const struct aql_kernel *k, uint32_t grid,
		     uint16_t workgroup, void *kernarg, struct aql_signal *signal);

/* @type AQL_BARRIER_AND or _OR; up to five dependencies, NULL ones do not count. */
uint64_t aql_barrier(struct aql_queue *q, enum aql_type type, struct aql_signal *const dep[5],
		     struct aql_signal *signal);

/* @ev may be NULL: then no interrupt. */
void aql_signal_init(struct aql_signal *s, int64_t value, const struct kfd_event *ev);

/*
 * Wait until the signal is zero: by its event when it has one, else by polling.
 * 0, or -ETIME.
 */
int aql_signal_wait(struct kfd_dev *dev, struct aql_signal *s, unsigned int timeout_ms);

#endif
