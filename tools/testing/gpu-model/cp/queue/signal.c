// SPDX-License-Identifier: GPL-2.0
/*
 * Signals; see signal.h. Layouts: amd_queue_t and amd_signal_t of ROCr's amd_hsa_queue.h and
 * amd_hsa_signal.h.
 */
#include <errno.h>
#include <inttypes.h>

#include "bus/memory.h"
#include "cp/queue/signal.h"
#include "host/log.h"
#include "vm/ih.h"
#include "vm/vm.h"

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

int signal_read(struct user_queue *q, u64 handle, s64 *value)
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

int signal_complete(struct user_queue *q, u64 handle, u64 begin, u64 end)
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
