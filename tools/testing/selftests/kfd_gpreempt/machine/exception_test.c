// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions of queues and waves reach their process: as ROCr it enables the
 * runtime, installs a trap handler that tells the driver of a wave's, names an
 * event in the queue's save area, and finds there what happened. A page fault
 * comes as a memory event.
 */
#include <errno.h>
#include <string.h>

#include "kselftest_harness.h"
#include "code.h"
#include "ring.h"

#define EC(code)	(1ULL << ((code) - 1))
#define PM4_BAD		(3u << 30 | 0xee << 8)
#define WAIT_MS		10000
#define KD_ENTRY	16	/* kernel descriptor: where its code begins, counted from it */

FIXTURE(exception) {
	struct kfd_dev dev;
	struct code code;
	struct kfd_mem mem;
	struct kfd_event event;
	volatile __u64 *payload;
	struct aql_queue q;
};

/* Where the driver finds what to do about this queue's exceptions. */
static void report_to(FIXTURE_DATA(exception) *self, struct save_area *save)
{
	struct kfd_context_save_area_header *header = save->cwsr.ptr;

	*self->payload = 0;
	header->err_payload_addr = (uintptr_t)self->payload;
	header->err_event_id = self->event.id;
}

static int install_handler(FIXTURE_DATA(exception) *self)
{
	struct kfd_ioctl_set_trap_handler_args args = { .gpu_id = self->dev.gpu_id };
	struct aql_kernel k;
	int err;

	err = code_kernel(&self->code, "trap_handler", &k);
	if (err)
		return err;
	args.tba_addr = k.object + *(__s64 *)(k.object + KD_ENTRY);
	return kfd_ioctl(&self->dev, AMDKFD_IOC_SET_TRAP_HANDLER, &args);
}

FIXTURE_SETUP(exception)
{
	struct kfd_ioctl_runtime_enable_args args = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK,
	};
	unsigned int node;
	__u32 gpu_id;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, kfd_open(&self->dev));
	ASSERT_EQ(0, kfd_ioctl(&self->dev, AMDKFD_IOC_RUNTIME_ENABLE, &args));
	ASSERT_EQ(0, code_load(&self->code, &self->dev));
	ASSERT_EQ(0, install_handler(self));
	ASSERT_EQ(0, kfd_alloc(&self->dev, &self->mem, KFD_PAGE, KFD_MEM_HOST));
	self->payload = self->mem.ptr;
	ASSERT_EQ(0, kfd_event_create(&self->dev, &self->event));
	ASSERT_EQ(0, aql_create(&self->q, &self->dev, 64, 7));
	report_to(self, &self->q.save);
}

FIXTURE_TEARDOWN(exception)
{
	if (self->dev.fd <= 0)
		return;
	EXPECT_EQ(0, aql_destroy(&self->q));
	kfd_close(&self->dev);
}

static void start(FIXTURE_DATA(exception) *self, const char *kernel, void *args)
{
	struct aql_kernel k;

	if (!code_kernel(&self->code, kernel, &k))
		aql_dispatch(&self->q, &k, 64, 64, args, NULL);
}

TEST_F(exception, illegal_instruction)
{
	start(self, "illegal", NULL);
	ASSERT_EQ(0, kfd_event_wait(&self->dev, &self->event, WAIT_MS));
	EXPECT_EQ(EC(EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION), *self->payload);
}

TEST_F(exception, abort)
{
	start(self, "abort_wave", NULL);
	ASSERT_EQ(0, kfd_event_wait(&self->dev, &self->event, WAIT_MS));
	EXPECT_EQ(EC(EC_QUEUE_WAVE_ABORT), *self->payload);
}

/* The wave's violation, and the fault itself as a memory event with its address. */
TEST_F(exception, page_fault)
{
	struct { __u64 out; __u32 value; } *args = (void *)(self->payload + 8);
	struct kfd_ioctl_create_event_args create = { .event_type = KFD_IOC_EVENT_MEMORY };
	struct kfd_event_data data = {};
	struct kfd_ioctl_wait_events_args wait = {
		.events_ptr = (uintptr_t)&data,
		.num_events = 1,
		.wait_for_all = 1,
		.timeout = WAIT_MS,
	};

	ASSERT_EQ(0, kfd_ioctl(&self->dev, AMDKFD_IOC_CREATE_EVENT, &create));
	data.event_id = create.event_id;
	args->out = 0x123456000;
	start(self, "store", args);
	ASSERT_EQ(0, kfd_ioctl(&self->dev, AMDKFD_IOC_WAIT_EVENTS, &wait));
	ASSERT_EQ(KFD_IOC_WAIT_RESULT_COMPLETE, wait.wait_result);
	EXPECT_EQ(0x123456000, data.memory_exception_data.va);
	ASSERT_EQ(0, kfd_event_wait(&self->dev, &self->event, WAIT_MS));
	EXPECT_EQ(EC(EC_QUEUE_WAVE_MEMORY_VIOLATION), *self->payload);
}

TEST_F(exception, bad_aql_packet)
{
	struct aql_packet *p;
	__u64 n;

	p = aql_reserve(&self->q, &n);
	aql_publish(p, AQL_HEADER(4, 0));	/* agent dispatch: not for a GPU */
	aql_ring(&self->q, n);
	ASSERT_EQ(0, kfd_event_wait(&self->dev, &self->event, WAIT_MS));
	EXPECT_EQ(EC(EC_QUEUE_PACKET_UNSUPPORTED), *self->payload);
}

TEST_F(exception, bad_dispatch)
{
	struct aql_kernel k;
	struct aql_packet *p;
	__u64 n;

	ASSERT_EQ(0, code_kernel(&self->code, "illegal", &k));
	p = aql_reserve(&self->q, &n);
	aql_fill(p, &k, 0, 64, NULL, NULL);	/* no work-items */
	aql_publish(p, AQL_HEADER(AQL_DISPATCH, 0));
	aql_ring(&self->q, n);
	ASSERT_EQ(0, kfd_event_wait(&self->dev, &self->event, WAIT_MS));
	EXPECT_EQ(EC(EC_QUEUE_PACKET_DISPATCH_DIM_INVALID), *self->payload);
}

TEST_F(exception, bad_pm4_packet)
{
	struct ring_queue q;

	ASSERT_EQ(0, ring_create(&q, &self->dev, KFD_IOC_QUEUE_TYPE_COMPUTE, 1024, 7));
	report_to(self, &q.save);
	RING_PUT(&q, PM4_BAD, 0);
	ring_submit(&q);
	ASSERT_EQ(0, kfd_event_wait(&self->dev, &self->event, WAIT_MS));
	EXPECT_EQ(EC(EC_QUEUE_PACKET_UNSUPPORTED), *self->payload);
	ASSERT_EQ(0, ring_destroy(&q));
}

TEST_HARNESS_MAIN
