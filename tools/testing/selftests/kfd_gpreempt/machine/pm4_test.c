// SPDX-License-Identifier: GPL-2.0
/*
 * PM4 queues through plain /dev/kfd, with the packets that AMD's kfdtest uses:
 * fences, waits, dispatches, and one that is taken off the machine under way.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"
#include "ring.h"

/* Packets of type 3; numbers and fields: soc15d.h, nvd.h. */
#define PM4(op, n)		(3u << 30 | ((n) - 1) << 16 | (op) << 8)
#define WRITE_DATA		0x37
#define WAIT_REG_MEM		0x3c
#define INDIRECT_BUFFER		0x3f
#define COPY_DATA		0x40
#define EVENT_WRITE		0x46
#define RELEASE_MEM		0x49
#define ACQUIRE_MEM		0x58
#define SET_SH_REG		0x76
#define DISPATCH_DIRECT		0x15
#define NOP			0x10

#define TO_MEMORY		(5 << 8)
#define WRITE_CONFIRM		(1 << 20)
#define CS_PARTIAL_FLUSH	(7 | 4 << 8)
#define END_OF_PIPE		(0x14 | 5 << 8)
#define FLUSH_CACHES		(1 << 15 | 1 << 17)

/* SET_SH_REG counts from register 0x2c00. */
#define START_X			0x204
#define NUM_THREAD_X		0x207
#define PGM_LO			0x20c
#define SCRATCH_BASE		0x210
#define PGM_RSRC1		0x212
#define TMPRING_SIZE		0x218
#define PGM_RSRC3		0x22d
#define PGM_RSRC3_GFX11		0x228
#define USER_DATA_0		0x240
#define IN_WORK_ITEMS		0x21
#define CS_W32_EN		(1u << 15)

#define RING_DWORDS		4096
#define WORDS			1024
#define ITEMS			4096
#define KERNEL_MS		100
#define TOGGLES			20
#define HIGH_US			1000
#define TIMES			3

#define WAVE32			(1u << 10)	/* of a descriptor's properties */

/* The kernel descriptor's words (LLVM AMDGPUUsage). */
struct descriptor {
	__u32 group_bytes, private_bytes, kernarg_bytes, reserved;
	__s64 entry;
	__u32 reserved1[5];
	__u32 rsrc3, rsrc1, rsrc2;
	__u16 properties;
};

FIXTURE(pm4) {
	struct client c;
	struct ring_queue q;
	struct aql_queue aql;		/* its scratch memory serves both */
	struct kfd_event event;
	struct kfd_mem mem;
	volatile __u32 *word;
	__u32 *ib, *out;
};

FIXTURE_SETUP(pm4)
{
	unsigned int node;
	__u32 gpu_id;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &self->mem, 2 * WORDS * 4 + ITEMS * 4,
			       KFD_MEM_HOST));
	self->word = self->mem.ptr;
	self->ib = (__u32 *)self->mem.ptr + WORDS;
	self->out = self->ib + WORDS;
	ASSERT_EQ(0, kfd_event_create(&self->c.dev, &self->event));
	ASSERT_EQ(0, aql_create(&self->aql, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, ring_create(&self->q, &self->c.dev, KFD_IOC_QUEUE_TYPE_COMPUTE, RING_DWORDS,
				 PRIORITY_LOW));
}

FIXTURE_TEARDOWN(pm4)
{
	if (self->c.dev.fd <= 0)
		return;
	EXPECT_EQ(0, ring_destroy(&self->q));
	EXPECT_EQ(0, aql_destroy(&self->aql));
	client_close(&self->c);
}

static void write_word(struct ring_queue *q, const volatile __u32 *p, __u32 value)
{
	RING_PUT(q, PM4(WRITE_DATA, 4), TO_MEMORY | WRITE_CONFIRM, LO(p), HI(p), value);
}

/* At the end of all before it: write, then interrupt with the event's id. */
static void release(struct ring_queue *q, const volatile void *p, __u64 value, __u32 event)
{
	RING_PUT(q, PM4(RELEASE_MEM, 7), END_OF_PIPE | FLUSH_CACHES,
		 2u << 29 | (event ? 2 : 3) << 24, LO(p), HI(p), LO(value), HI(value), event);
}

/* Event mailbox and interrupt, as kfdtest and ROCr do it. */
static void release_event(struct ring_queue *q, const struct kfd_event *ev)
{
	release(q, (void *)(uintptr_t)ev->mailbox, ev->id, ev->id);
}

struct words {
	__u32 dw[128];
	unsigned int n;
};

static void add(struct words *w, const __u32 *dw, unsigned int n)
{
	memcpy(w->dw + w->n, dw, n * 4);
	w->n += n;
}

#define ADD(w, ...) do {						\
	const __u32 _dw[] = { __VA_ARGS__ };				\
	add(w, _dw, sizeof(_dw) / sizeof(_dw[0]));			\
} while (0)

/* User SGPRs in the order of the descriptor's properties. */
static void add_user_data(struct words *w, const struct descriptor *kd, const void *kernarg,
			  const struct aql_queue *scratch)
{
	const struct aql_amd_queue *amd = scratch->amd;
	__u32 data[16] = {};
	unsigned int n = 0;

	if (kd->properties & 1) {
		memcpy(data, amd->scratch_resource_descriptor, 16);
		n = 4;
	}
	n += kd->properties & 2 ? 2 : 0;	/* packet and queue: none here */
	n += kd->properties & 4 ? 2 : 0;
	if (kd->properties & 8) {
		data[n++] = LO(kernarg);
		data[n++] = HI(kernarg);
	}
	n += kd->properties & 16 ? 2 : 0;
	if (kd->properties & 32) {
		data[n++] = LO(amd->scratch_backing_memory_location);
		data[n++] = HI(amd->scratch_backing_memory_location);
	}
	ADD(w, PM4(SET_SH_REG, 17), USER_DATA_0);
	add(w, data, 16);
}

/* A kernel of the code object, in registers. */
static void add_dispatch(struct words *w, const struct aql_kernel *k, __u32 items, __u32 group,
			 const void *kernarg, const struct aql_queue *scratch)
{
	const struct descriptor *kd = (const void *)(uintptr_t)k->object;
	__u64 entry = (k->object + kd->entry) >> 8;
	bool gfx11 = scratch->dev->gfx_version >= 110000;

	ADD(w, PM4(ACQUIRE_MEM, 6), 0x28c00000, ~0u, 0, 0, 0, 4);
	ADD(w, PM4(SET_SH_REG, 9), START_X, 0, 0, 0, group, 1, 1, 0, 0);
	ADD(w, PM4(SET_SH_REG, 3), PGM_LO, LO(entry), HI(entry));
	ADD(w, PM4(SET_SH_REG, 3), PGM_RSRC1, kd->rsrc1,
	    kd->rsrc2 | (k->group_bytes + 511) / 512 << 15);
	ADD(w, PM4(SET_SH_REG, 2), gfx11 ? PGM_RSRC3_GFX11 : PGM_RSRC3, kd->rsrc3);
	ADD(w, PM4(SET_SH_REG, 2), TMPRING_SIZE, scratch->amd->compute_tmpring_size);
	/* From gfx942 on the launcher sets FLAT_SCRATCH by this. */
	ADD(w, PM4(SET_SH_REG, 3), SCRATCH_BASE,
	    LO(scratch->amd->scratch_backing_memory_location >> 8),
	    HI(scratch->amd->scratch_backing_memory_location >> 8));
	add_user_data(w, kd, kernarg, scratch);
	ADD(w, PM4(DISPATCH_DIRECT, 4), items, 1, 1,
	    IN_WORK_ITEMS | (kd->properties & WAVE32 ? CS_W32_EN : 0));
}

/* ... from an indirect buffer with a flush behind it. */
static void dispatch_ib(FIXTURE_DATA(pm4) *self, const struct aql_kernel *k, __u32 items,
			__u32 group, const void *kernarg)
{
	struct words w = {};

	add_dispatch(&w, k, items, group, kernarg, &self->aql);
	ADD(&w, PM4(EVENT_WRITE, 1), CS_PARTIAL_FLUSH);
	memcpy(self->ib, w.dw, w.n * 4);
	RING_PUT(&self->q, PM4(INDIRECT_BUFFER, 3), LO(self->ib), HI(self->ib), w.n | 1u << 23);
}

/* Around the ring several times, the read pointer always catches up. */
TEST_F(pm4, ring_wraps)
{
	unsigned int i;

	for (i = 0; i < 3 * RING_DWORDS / 7; i++) {
		RING_PUT(&self->q, PM4(NOP, 1), 0);
		write_word(&self->q, self->word, i);
		ring_submit(&self->q);
		if (i % 500 == 0)
			ASSERT_EQ(0, ring_wait(&self->q, 5000));
	}
	ASSERT_EQ(0, ring_wait(&self->q, 5000));
	EXPECT_EQ(i - 1, *self->word);
}

TEST_F(pm4, event)
{
	release_event(&self->q, &self->event);
	ring_submit(&self->q);
	ASSERT_EQ(0, kfd_event_wait(&self->c.dev, &self->event, 5000));
}

TEST_F(pm4, wait_reg_mem)
{
	volatile __u32 *flag = self->word, *done = self->word + 1, *copy = self->word + 2;

	RING_PUT(&self->q, PM4(WAIT_REG_MEM, 6), 3 | 1 << 4, LO(flag), HI(flag), 5, ~0u, 4);
	RING_PUT(&self->q, PM4(COPY_DATA, 5), 1 | TO_MEMORY | WRITE_CONFIRM, LO(flag), HI(flag),
		 LO(copy), HI(copy));
	write_word(&self->q, done, 1);
	ring_submit(&self->q);
	EXPECT_EQ(-ETIME, ring_wait_word(done, 1, 100));
	/* off the hardware and on again, it still waits */
	ASSERT_EQ(0, ring_update(&self->q, 0));
	ASSERT_EQ(0, ring_update(&self->q, 100));
	EXPECT_EQ(-ETIME, ring_wait_word(done, 1, 100));
	*flag = 5;
	ASSERT_EQ(0, ring_wait_word(done, 1, 5000));
	EXPECT_EQ(5, *copy);
}

TEST_F(pm4, dispatch)
{
	struct { __u32 *out; __u32 value; } *args = (void *)(self->word + 16);
	unsigned int i, wrong = 0;

	args->out = self->out;
	args->value = 4000;
	dispatch_ib(self, &self->c.store, ITEMS, 64, args);
	release_event(&self->q, &self->event);
	ring_submit(&self->q);
	ASSERT_EQ(0, kfd_event_wait(&self->c.dev, &self->event, 10000));
	for (i = 0; i < ITEMS; i++)
		wrong += self->out[i] != 4000 + i;
	EXPECT_EQ(0, wrong);
}

/* What RELEASE_MEM waits for holds nothing up that comes behind it. */
TEST_F(pm4, release_does_not_block)
{
	struct until_job job;
	struct words w = {};

	ASSERT_EQ(0, until_job_init(&self->c, &job));
	add_dispatch(&w, &self->c.until, 64, 64, job.args, &self->aql);
	ring_put(&self->q, w.dw, w.n);
	release_event(&self->q, &self->event);
	write_word(&self->q, self->word, 1);
	ring_submit(&self->q);
	EXPECT_EQ(0, ring_wait_word(self->word, 1, 5000));
	EXPECT_EQ(-ETIME, kfd_event_wait(&self->c.dev, &self->event, 100));
	/* nor does it get lost */
	ASSERT_EQ(0, ring_update(&self->q, 0));
	ASSERT_EQ(0, ring_update(&self->q, 100));
	until_job_stop(&job);
	ASSERT_EQ(0, kfd_event_wait(&self->c.dev, &self->event, 5000));
	until_job_free(&self->c, &job);
}

/* The same registers and packets, in a buffer that an AQL packet names. */
TEST_F(pm4, in_an_aql_queue)
{
	struct aql_signal *signal = (void *)(self->word + 64);
	struct { __u32 *out; __u32 value; } *args = (void *)(self->word + 16);
	unsigned int i, wrong = 0;
	struct words w = {};

	args->out = self->out;
	args->value = 5000;
	add_dispatch(&w, &self->c.store, ITEMS, 64, args, &self->aql);
	ADD(&w, PM4(EVENT_WRITE, 1), CS_PARTIAL_FLUSH);
	ADD(&w, PM4(WRITE_DATA, 4), TO_MEMORY | WRITE_CONFIRM, LO(self->word), HI(self->word), 7);
	memcpy(self->ib, w.dw, w.n * 4);
	aql_signal_init(signal, 1, &self->event);
	aql_commands(&self->aql, self->ib, w.n, signal);
	ASSERT_EQ(0, aql_signal_wait(&self->c.dev, signal, 10000));
	for (i = 0; i < ITEMS; i++)
		wrong += self->out[i] != 5000 + i;
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(7, *self->word);
}

/* LOW is taken off in the middle of its loop again and again: exact. */
TEST_F_TIMEOUT(pm4, preempted, 120)
{
	struct low_job job;
	unsigned int i;
	__u32 n;

	ASSERT_EQ(0, client_calibrate(&self->c, &self->aql));
	n = low_calibrate(&self->c, &self->aql, KERNEL_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &job, self->c.dev.cus, n));
	memset(job.out, 0, 2 * job.groups * LOW_GROUP * sizeof(__u32));
	dispatch_ib(self, &self->c.low, job.groups * LOW_GROUP, LOW_GROUP, job.args);
	release_event(&self->q, &job.event);
	ring_submit(&self->q);
	for (i = 0; i < TOGGLES; i++) {
		usleep(1000 + i * 1717 % 4001);
		ASSERT_EQ(0, ring_update(&self->q, 0));
		if (!i)
			EXPECT_EQ(-ETIME, kfd_event_wait(&self->c.dev, &job.event, 300));
		ASSERT_EQ(0, ring_update(&self->q, 100));
	}
	ASSERT_EQ(0, kfd_event_wait(&self->c.dev, &job.event, CLIENT_TIMEOUT_MS));
	EXPECT_EQ(0, low_job_wrong(&job));
	ASSERT_EQ(0, ring_wait(&self->q, 5000));
	low_job_free(&self->c, &job);
}

/* So often HIGH comes in the next two tests, and LOW is taken off for it. */
static long long times(void)
{
	/* one of them may miss the other in real time */
	return gpu_model_figures() ? TIMES : 1;
}

/* Enabled. Rule 3 is not what they are about. */
static int enable_gpreempt(void)
{
	int ret = gpreempt_begin();

	ret = ret ?: gpreempt_set("starvation_ms", 60000);
	return ret ?: gpreempt_set("enable", 1);
}

/* GPREEMPT takes a PM4 queue off for an AQL queue that stands above it. */
TEST_F_TIMEOUT(pm4, gives_way, 120)
{
	int ret = enable_gpreempt();
	struct aql_queue above;
	struct high_job high;
	long long preemptions;
	struct low_job job;
	unsigned int i;
	__u64 ns;
	__u32 n;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, aql_create(&above, &self->c.dev, 64, PRIORITY_HIGH));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->aql));
	n = low_calibrate(&self->c, &self->aql, KERNEL_MS);
	ASSERT_NE(0, n);
	ASSERT_EQ(0, low_job_init(&self->c, &job, self->c.dev.cus, n));
	ASSERT_EQ(0, high_job_init(&self->c, &high, HIGH_US));
	preemptions = gpreempt_number("stats/preemptions");
	for (i = 0; i < TIMES; i++) {
		memset(job.out, 0, 2 * job.groups * LOW_GROUP * sizeof(__u32));
		dispatch_ib(self, &self->c.low, job.groups * LOW_GROUP, LOW_GROUP, job.args);
		release_event(&self->q, &job.event);
		ring_submit(&self->q);
		usleep(KERNEL_MS * 1000 / 5);
		EXPECT_EQ(0, high_job_run(&self->c, &high, &above, CLIENT_TIMEOUT_MS, &ns));
		ASSERT_EQ(0, kfd_event_wait(&self->c.dev, &job.event, CLIENT_TIMEOUT_MS));
		EXPECT_EQ(0, low_job_wrong(&job));
		ASSERT_EQ(0, ring_wait(&self->q, 5000));
	}
	EXPECT_LE(preemptions + times(), gpreempt_number("stats/preemptions"));
	gpreempt_end();
	high_job_free(&self->c, &high);
	low_job_free(&self->c, &job);
	EXPECT_EQ(0, aql_destroy(&above));
}

/* And for a PM4 queue it takes an AQL queue off, while that has work. */
TEST_F_TIMEOUT(pm4, has_way, 120)
{
	int ret = enable_gpreempt();
	struct kfd_gpreempt_queue_info info;
	struct high_job high;
	long long preemptions;
	struct until_job low;
	unsigned int i;

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	self->q.priority = PRIORITY_HIGH;
	ASSERT_EQ(0, ring_update(&self->q, 100));
	ASSERT_EQ(0, client_calibrate(&self->c, &self->aql));
	ASSERT_EQ(0, until_job_init(&self->c, &low));
	ASSERT_EQ(0, high_job_init(&self->c, &high, HIGH_US));
	preemptions = gpreempt_number("stats/preemptions");
	until_job_start(&self->c, &low, &self->aql);
	for (i = 0; i < TIMES; i++) {
		ASSERT_EQ(0, until_job_moves(&low));
		dispatch_ib(self, &self->c.high, self->c.dev.cus * 64, 64, high.args);
		release_event(&self->q, &high.event);
		ring_submit(&self->q);
		ASSERT_EQ(0, kfd_event_wait(&self->c.dev, &high.event, CLIENT_TIMEOUT_MS));
		ASSERT_EQ(0, ring_wait(&self->q, 5000));
	}
	EXPECT_LE(preemptions + times(), gpreempt_number("stats/preemptions"));
	EXPECT_EQ(0, until_job_moves(&low));
	/* it has no work any more */
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->q.id, &info));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_IDLE, info.state);
	until_job_stop(&low);
	EXPECT_EQ(0, until_job_wait(&self->c, &low, CLIENT_TIMEOUT_MS));
	gpreempt_end();
	high_job_free(&self->c, &high);
	until_job_free(&self->c, &low);
}

/* A packet that does not exist stops its queue and no other. */
TEST_F(pm4, bad_packet)
{
	struct ring_queue other;

	ASSERT_EQ(0, ring_create(&other, &self->c.dev, KFD_IOC_QUEUE_TYPE_COMPUTE, RING_DWORDS,
				 PRIORITY_LOW));
	RING_PUT(&self->q, PM4(0xee, 1), 0);
	write_word(&self->q, self->word, 1);
	ring_submit(&self->q);
	write_word(&other, self->word + 1, 2);
	ring_submit(&other);
	ASSERT_EQ(0, ring_wait_word(self->word + 1, 2, 5000));
	EXPECT_EQ(-ETIME, ring_wait_word(self->word, 1, 100));
	ASSERT_EQ(0, ring_destroy(&other));
}

TEST_HARNESS_MAIN
