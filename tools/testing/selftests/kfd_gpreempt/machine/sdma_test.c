// SPDX-License-Identifier: GPL-2.0
/*
 * SDMA queues through plain /dev/kfd: the packets ROCr and kfdtest use, events,
 * and a queue that is taken off the hardware under way.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/utsname.h>

#include "kselftest_harness.h"
#include "file.h"
#include "ring.h"

/* Operations and fields: vega10_sdma_pkt_open.h. */
enum { NOP, COPY, WRITE, FENCE = 5, TRAP, POLL = 8, ATOMIC = 10, FILL, TIMESTAMP = 13 };

#define FILL_DWORDS	(2u << 30)
#define POLL_MEMORY	(1u << 31)
#define POLL_EQUAL	(3u << 28)
#define POLL_FOREVER	(0xfff << 16 | 4)
#define ADD64		(47u << 25)
#define GLOBAL_CLOCK	(2 << 8)

#define RING_DWORDS	1024
#define BYTES		(1 << 20)

FIXTURE(sdma) {
	struct kfd_dev dev;
	struct ring_queue q;
	struct kfd_event event;
	struct kfd_mem words, from, to, vram;
	volatile __u32 *word;
};

FIXTURE_SETUP(sdma)
{
	unsigned int i, node;
	__u32 gpu_id;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, kfd_open(&self->dev));
	ASSERT_EQ(0, kfd_alloc(&self->dev, &self->words, KFD_PAGE, KFD_MEM_HOST));
	ASSERT_EQ(0, kfd_alloc(&self->dev, &self->from, BYTES, KFD_MEM_HOST));
	ASSERT_EQ(0, kfd_alloc(&self->dev, &self->to, BYTES, KFD_MEM_HOST));
	ASSERT_EQ(0, kfd_alloc(&self->dev, &self->vram, BYTES, KFD_MEM_VRAM));
	ASSERT_EQ(0, kfd_event_create(&self->dev, &self->event));
	ASSERT_EQ(0, ring_create(&self->q, &self->dev, KFD_IOC_QUEUE_TYPE_SDMA, RING_DWORDS, 7));
	self->word = self->words.ptr;
	for (i = 0; i < BYTES / 4; i++)
		((__u32 *)self->from.ptr)[i] = i * 2654435761u;
}

FIXTURE_TEARDOWN(sdma)
{
	if (self->dev.fd <= 0)
		return;
	EXPECT_EQ(0, ring_destroy(&self->q));
	kfd_close(&self->dev);
}

static void copy(struct ring_queue *q, const void *from, const void *to, __u32 bytes)
{
	RING_PUT(q, COPY, bytes - 1, 0, LO(from), HI(from), LO(to), HI(to));
}

static void fence(struct ring_queue *q, const volatile __u32 *p, __u32 value)
{
	RING_PUT(q, FENCE, LO(p), HI(p), value);
}

static void wait_for(struct ring_queue *q, const volatile __u32 *p, __u32 value)
{
	RING_PUT(q, POLL | POLL_MEMORY | POLL_EQUAL, LO(p), HI(p), value, ~0u, POLL_FOREVER);
}

/* To the GPU's memory and back, unaligned at both ends too. */
TEST_F(sdma, copy)
{
	char *from = self->from.ptr, *to = self->to.ptr, *vram = self->vram.ptr;

	copy(&self->q, from, vram, BYTES);
	copy(&self->q, vram, to, BYTES / 2);
	copy(&self->q, vram + BYTES / 2 + 3, to + BYTES / 2 + 3, BYTES / 2 - 8);
	ring_submit(&self->q);
	ASSERT_EQ(0, ring_wait(&self->q, 10000));
	EXPECT_EQ(0, memcmp(from, to, BYTES / 2));
	EXPECT_EQ(0, memcmp(from + BYTES / 2 + 3, to + BYTES / 2 + 3, BYTES / 2 - 8));
	EXPECT_EQ(0, to[BYTES / 2] | to[BYTES - 1]);
}

TEST_F(sdma, packets)
{
	volatile __u64 *sum = (volatile __u64 *)(self->word + 16), *clock = sum + 1;
	__u32 *to = self->to.ptr;

	RING_PUT(&self->q, NOP);
	RING_PUT(&self->q, FILL | FILL_DWORDS, LO(to), HI(to), 0xa5a5a5a5, BYTES / 2 - 4);
	RING_PUT(&self->q, WRITE, LO(self->word), HI(self->word), 1, 11, 22);
	RING_PUT(&self->q, ATOMIC | ADD64, LO(sum), HI(sum), ~0u, 0, 0, 0, 0);
	RING_PUT(&self->q, ATOMIC | ADD64, LO(sum), HI(sum), 1, 0, 0, 0, 0);
	RING_PUT(&self->q, TIMESTAMP | GLOBAL_CLOCK, LO(clock), HI(clock));
	RING_PUT(&self->q, TIMESTAMP | GLOBAL_CLOCK, LO(clock + 1), HI(clock + 1));
	fence(&self->q, self->word + 2, 33);
	ring_submit(&self->q);
	ASSERT_EQ(0, ring_wait(&self->q, 10000));
	EXPECT_EQ(0xa5a5a5a5, to[BYTES / 8 - 1]);
	EXPECT_EQ(0, to[BYTES / 8]);
	EXPECT_EQ(11, self->word[0]);
	EXPECT_EQ(22, self->word[1]);
	EXPECT_EQ(33, self->word[2]);
	EXPECT_EQ(1ULL << 32, *sum);
	EXPECT_NE(0, clock[0]);
	EXPECT_LE(clock[0], clock[1]);
}

/* Microseconds that this process' queues were at work, as sysfs has it. */
static long long activity(const struct kfd_dev *dev)
{
	char path[80], text[32] = "";

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/sdma_%u", getpid(), dev->gpu_id);
	return file_read(path, text, sizeof(text)) ? -1 : atoll(text);
}

/*
 * From Linux 7.3 on stock reads the time of an MI300's queues from a register that new firmware
 * keeps, and the model's is none.
 */
static bool counts(const struct kfd_dev *dev)
{
	struct utsname uts;

	return dev->gfx_version < 90400 || uname(&uts) || atoi(uts.release) < 7;
}

/* The time of a queue that waits counts, and stays counted when it is gone. */
TEST_F(sdma, activity)
{
	struct ring_queue other;
	long long before;

	EXPECT_EQ(0, activity(&self->dev));
	if (!counts(&self->dev))
		return;
	wait_for(&self->q, self->word, 1);
	ring_submit(&self->q);
	usleep(50000);
	*self->word = 1;
	ASSERT_EQ(0, ring_wait(&self->q, 5000));
	before = activity(&self->dev);
	EXPECT_LE(40000, before);
	EXPECT_GT(5000000, before);
	ASSERT_EQ(0, ring_create(&other, &self->dev, KFD_IOC_QUEUE_TYPE_SDMA, RING_DWORDS, 7));
	fence(&other, self->word, 2);
	ring_submit(&other);
	ASSERT_EQ(0, ring_wait(&other, 5000));
	ASSERT_EQ(0, ring_destroy(&other));
	EXPECT_LE(before, activity(&self->dev));
	EXPECT_GT(before + 1000000, activity(&self->dev));
}

/* Mailbox and trap, as ROCr signals. */
TEST_F(sdma, event)
{
	fence(&self->q, (void *)(uintptr_t)self->event.mailbox, self->event.id);
	RING_PUT(&self->q, TRAP, self->event.id);
	ring_submit(&self->q);
	ASSERT_EQ(0, kfd_event_wait(&self->dev, &self->event, 5000));
}

TEST_F(sdma, ring_wraps)
{
	unsigned int i;

	for (i = 1; i <= RING_DWORDS; i++) {
		fence(&self->q, self->word, i);
		RING_PUT(&self->q, NOP);
		ring_submit(&self->q);
		if (i % 100 == 0)
			ASSERT_EQ(0, ring_wait(&self->q, 5000));
	}
	ASSERT_EQ(0, ring_wait(&self->q, 5000));
	EXPECT_EQ(RING_DWORDS, *self->word);
}

/* A queue that waits is taken off and put back; nothing is lost or done twice. */
TEST_F(sdma, preempted)
{
	volatile __u32 *flag = self->word, *done = self->word + 1, *count = self->word + 2;
	unsigned int i;

	for (i = 1; i <= 20; i++) {
		wait_for(&self->q, flag, i);
		RING_PUT(&self->q, ATOMIC | ADD64, LO(count), HI(count), 1, 0, 0, 0, 0);
		fence(&self->q, done, i);
		ring_submit(&self->q);
		ASSERT_EQ(0, ring_update(&self->q, 0));
		*flag = i;
		if (i % 10 == 1)
			EXPECT_EQ(-ETIME, ring_wait_word(done, i, 50));
		ASSERT_EQ(0, ring_update(&self->q, 100));
		ASSERT_EQ(0, ring_wait_word(done, i, 5000));
	}
	EXPECT_EQ(20, *count);
}

/* More queues than an engine has, beside compute queues that come and go. */
TEST_F(sdma, many)
{
	struct ring_queue q[6];
	struct aql_queue aql;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, ring_create(&q[i], &self->dev, KFD_IOC_QUEUE_TYPE_SDMA,
					 RING_DWORDS, 7));
		wait_for(&q[i], self->word + i, 1);
		fence(&q[i], self->word + i + 1, 1);
		ring_submit(&q[i]);
	}
	ASSERT_EQ(0, aql_create(&aql, &self->dev, 64, 7));
	self->word[0] = 1;
	ASSERT_EQ(0, ring_wait_word(self->word + 6, 1, 5000));
	ASSERT_EQ(0, aql_destroy(&aql));
	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, ring_destroy(&q[i]));
}

/* Each queue has its own place: one that cannot go on holds up no other. */
TEST_F(sdma, bad_packet)
{
	struct ring_queue other;

	ASSERT_EQ(0, ring_create(&other, &self->dev, KFD_IOC_QUEUE_TYPE_SDMA, RING_DWORDS, 7));
	RING_PUT(&self->q, 0xab);
	fence(&self->q, self->word, 1);
	ring_submit(&self->q);
	fence(&other, self->word + 1, 1);
	ring_submit(&other);
	ASSERT_EQ(0, ring_wait_word(self->word + 1, 1, 5000));
	EXPECT_EQ(-ETIME, ring_wait_word(self->word, 1, 100));
	ASSERT_EQ(0, ring_destroy(&other));
}

TEST_HARNESS_MAIN
