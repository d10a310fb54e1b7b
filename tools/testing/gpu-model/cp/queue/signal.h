/* SPDX-License-Identifier: GPL-2.0 */
/* Signals in a process' memory, and what a queue tells by them and by interrupts. mec_lock held. */
#ifndef GPU_MODEL_SIGNAL_H
#define GPU_MODEL_SIGNAL_H

#include "compute/queue.h"

#define IH_CLIENT_GRBM_CP	0x14
#define IH_SOURCE_CP_EOP	181
#define IH_SOURCE_CP_BAD_OPCODE	183

/* amd_queue_t */
#define AMD_QUEUE_WRITE_ID	0x38
#define AMD_QUEUE_READ_ID	0x80
#define AMD_QUEUE_READ_OFFSET	0x88
#define AMD_QUEUE_TMPRING	0x8c
#define AMD_QUEUE_SCRATCH_RSRC	0x90
#define AMD_QUEUE_SCRATCH_BASE	0xa0
#define AMD_QUEUE_INACTIVE	0xc0

/**
 * struct amd_signal - amd_signal_t in guest memory, 64 bytes
 */
struct amd_signal {
	s64 kind;
	s64 value;
	u64 event_mailbox;
	u32 event_id;
	u32 reserved;
	u64 start_ts;
	u64 end_ts;
	u64 queue;
	u32 reserved2[2];
};

_Static_assert(sizeof(struct amd_signal) == 64, "ABI");

/* Value of a signal; -EFAULT. */
int signal_read(struct user_queue *q, u64 handle, s64 *value);

/* Completion: timestamps, then the value, then mailbox and interrupt. 0 or -EFAULT. */
int signal_complete(struct user_queue *q, u64 handle, u64 begin, u64 end);

/* The queue stops at this packet and tells ROCr and the driver why. */
void queue_fail(struct user_queue *q, enum aql_error error);

#endif
