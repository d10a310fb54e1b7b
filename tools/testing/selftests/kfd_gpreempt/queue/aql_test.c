// SPDX-License-Identifier: GPL-2.0
/* AQL queues through plain /dev/kfd: packets, signals, barriers, a full ring. */
#include "kselftest_harness.h"
#include "code.h"

#define GROUPS	64
#define ITEMS	(GROUPS * 64)

struct store_args {
	__u32 *out;
	__u32 value;
};

FIXTURE(aql) {
	struct kfd_dev dev;
	struct code code;
	struct aql_kernel store;
	struct aql_queue q;
	struct kfd_mem mem;
	struct kfd_event event;
	struct aql_signal *signal;	/* eight of them */
	struct store_args *args;
	__u32 *out;
};

FIXTURE_SETUP(aql)
{
	int ret = kfd_open(&self->dev);

	if (ret == -ENODEV || ret == -ENOENT)
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, code_load(&self->code, &self->dev));
	ASSERT_EQ(0, code_kernel(&self->code, "store", &self->store));
	ASSERT_EQ(0, kfd_alloc(&self->dev, &self->mem, KFD_PAGE + ITEMS * 4, KFD_MEM_HOST));
	self->signal = self->mem.ptr;
	self->args = (void *)(self->signal + 8);
	self->out = (void *)((char *)self->mem.ptr + KFD_PAGE);
	self->args->out = self->out;
	ASSERT_EQ(0, kfd_event_create(&self->dev, &self->event));
	ASSERT_EQ(0, aql_create(&self->q, &self->dev, 64, 7));
}

FIXTURE_TEARDOWN(aql)
{
	if (self->dev.fd <= 0)
		return;
	EXPECT_EQ(0, aql_destroy(&self->q));
	kfd_close(&self->dev);
}

/* Number of words that are not @value + index. */
static unsigned int wrong(const __u32 *out, __u32 value)
{
	unsigned int i, n = 0;

	for (i = 0; i < ITEMS; i++)
		n += out[i] != value + i;
	return n;
}

/* A dispatch whose completion is polled writes every word, once told to. */
TEST_F(aql, dispatch_polled)
{
	self->args->value = 1000;
	aql_signal_init(&self->signal[0], 1, NULL);
	aql_dispatch(&self->q, &self->store, ITEMS, 64, self->args, &self->signal[0]);
	ASSERT_EQ(0, aql_signal_wait(&self->dev, &self->signal[0], 5000));
	EXPECT_EQ(0, wrong(self->out, 1000));
	EXPECT_EQ(1, self->q.amd->read_dispatch_id);
}

/* The same by interrupt and event. */
TEST_F(aql, dispatch_interrupt)
{
	self->args->value = 77;
	aql_signal_init(&self->signal[0], 1, &self->event);
	aql_dispatch(&self->q, &self->store, ITEMS, 64, self->args, &self->signal[0]);
	ASSERT_EQ(0, kfd_event_wait(&self->dev, &self->event, 5000));
	EXPECT_EQ(0, self->signal[0].value);
	EXPECT_EQ(0, wrong(self->out, 77));
	EXPECT_LE(self->signal[0].start_ts, self->signal[0].end_ts);
}

/* A ring's worth of packets, several times around, each one executed. */
TEST_F(aql, ring_wraps)
{
	unsigned int i, n = 5 * self->q.packets;

	self->args->value = 3;
	aql_signal_init(&self->signal[0], n, NULL);
	for (i = 0; i < n; i++)
		aql_dispatch(&self->q, &self->store, 64, 64, self->args, &self->signal[0]);
	ASSERT_EQ(0, aql_signal_wait(&self->dev, &self->signal[0], 20000));
	EXPECT_EQ(n, self->q.amd->write_dispatch_id);
	EXPECT_EQ(n, self->q.amd->read_dispatch_id);
}

/*
 * A ring exactly full, rung once: the masked indices are equal, as in an empty
 * one, and all packets run.
 */
TEST_F(aql, ring_full)
{
	unsigned int i, n = self->q.packets;
	__u64 last = 0;

	self->args->value = 9;
	aql_signal_init(&self->signal[0], n, NULL);
	for (i = 0; i < n; i++)
		last = aql_prepare(&self->q, &self->store, ITEMS, 64, self->args,
				   &self->signal[0]);
	ASSERT_EQ(n - 1, last);
	aql_ring(&self->q, last);
	ASSERT_EQ(0, aql_signal_wait(&self->dev, &self->signal[0], 20000));
	EXPECT_EQ(0, wrong(self->out, 9));
}

/* Barrier-AND lets the dispatch behind it start only when all signals are zero. */
TEST_F(aql, barrier_and)
{
	struct aql_signal *const dep[5] = { &self->signal[1], NULL, &self->signal[2] };

	self->args->value = 5;
	aql_signal_init(&self->signal[0], 1, NULL);
	aql_signal_init(&self->signal[1], 1, NULL);
	aql_signal_init(&self->signal[2], 1, NULL);
	aql_signal_init(&self->signal[3], 1, NULL);
	aql_barrier(&self->q, AQL_BARRIER_AND, dep, &self->signal[3]);
	aql_dispatch(&self->q, &self->store, ITEMS, 64, self->args, &self->signal[0]);
	self->signal[1].value = 0;
	EXPECT_EQ(-ETIME, aql_signal_wait(&self->dev, &self->signal[0], 200));
	EXPECT_EQ(1, self->signal[3].value);
	self->signal[2].value = 0;
	ASSERT_EQ(0, aql_signal_wait(&self->dev, &self->signal[0], 5000));
	EXPECT_EQ(0, self->signal[3].value);
	EXPECT_EQ(0, wrong(self->out, 5));
}

/* Barrier-OR: one of them is enough. */
TEST_F(aql, barrier_or)
{
	struct aql_signal *const dep[5] = { &self->signal[1], &self->signal[2] };

	self->args->value = 6;
	aql_signal_init(&self->signal[0], 1, NULL);
	aql_signal_init(&self->signal[1], 1, NULL);
	aql_signal_init(&self->signal[2], 1, NULL);
	aql_barrier(&self->q, AQL_BARRIER_OR, dep, NULL);
	aql_dispatch(&self->q, &self->store, ITEMS, 64, self->args, &self->signal[0]);
	EXPECT_EQ(-ETIME, aql_signal_wait(&self->dev, &self->signal[0], 200));
	self->signal[2].value = 0;
	ASSERT_EQ(0, aql_signal_wait(&self->dev, &self->signal[0], 5000));
	EXPECT_EQ(0, wrong(self->out, 6));
}

/* A packet whose header is not valid yet is not executed, and later is. */
TEST_F(aql, reserved_packet_waits)
{
	struct aql_packet *head;
	__u64 n, first;

	self->args->value = 8;
	aql_signal_init(&self->signal[0], 1, NULL);
	head = aql_reserve(&self->q, &first);
	n = aql_dispatch(&self->q, &self->store, ITEMS, 64, self->args, &self->signal[0]);
	EXPECT_EQ(first + 1, n);
	EXPECT_EQ(-ETIME, aql_signal_wait(&self->dev, &self->signal[0], 200));
	EXPECT_EQ(first, self->q.amd->read_dispatch_id);
	/* an empty barrier packet */
	aql_publish(head, AQL_HEADER(AQL_BARRIER_AND, 0));
	aql_ring(&self->q, n);
	ASSERT_EQ(0, aql_signal_wait(&self->dev, &self->signal[0], 5000));
	EXPECT_EQ(0, wrong(self->out, 8));
}

TEST_HARNESS_MAIN
