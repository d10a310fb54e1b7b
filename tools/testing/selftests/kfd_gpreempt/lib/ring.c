// SPDX-License-Identifier: GPL-2.0
/* User-mode PM4 and SDMA queues. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"

/* Bytes from the write to the read pointer, which the GPU writes. */
#define READ_OFFSET	128

static bool compute(const struct ring_queue *q)
{
	return q->type == KFD_IOC_QUEUE_TYPE_COMPUTE;
}

static void free_buffers(struct ring_queue *q)
{
	if (compute(q))
		save_area_free(q->dev, &q->save);
	kfd_free(q->dev, &q->index);
	kfd_free(q->dev, &q->mem);
}

/**
 * ring_create() - allocate and create a queue
 * @q:		result
 * @dev:	device
 * @type:	KFD_IOC_QUEUE_TYPE_COMPUTE or _SDMA
 * @dwords:	ring size, a power of two of at least one page
 * @priority:	0 to 15
 *
 * Return: 0, or what CREATE_QUEUE (or an allocation) answered.
 */
int ring_create(struct ring_queue *q, struct kfd_dev *dev, __u32 type, __u32 dwords,
		__u32 priority)
{
	struct kfd_ioctl_create_queue_args args = {};
	int ret;

	memset(q, 0, sizeof(*q));
	q->dev = dev;
	q->type = type;
	q->dwords = dwords;
	q->priority = priority;
	ret = kfd_alloc(dev, &q->mem, dwords * 4, KFD_MEM_HOST);
	if (!ret)
		ret = kfd_alloc(dev, &q->index, KFD_PAGE, kfd_index_flags(dev));
	if (!ret && compute(q))
		ret = save_area_alloc(dev, &q->save);
	if (ret)
		goto err_free;
	q->ring = q->mem.ptr;
	q->write = q->index.ptr;
	q->read = (void *)((char *)q->index.ptr + READ_OFFSET);

	args.ring_base_address = (uintptr_t)q->mem.ptr;
	args.ring_size = q->mem.size;
	args.write_pointer_address = (uintptr_t)q->write;
	args.read_pointer_address = (uintptr_t)q->read;
	args.gpu_id = dev->gpu_id;
	args.queue_type = type;
	args.queue_percentage = 100;
	args.queue_priority = priority;
	if (compute(q))
		save_area_args(dev, &q->save, &args);
	ret = kfd_ioctl(dev, AMDKFD_IOC_CREATE_QUEUE, &args);
	if (ret)
		goto err_free;
	q->id = args.queue_id;
	ret = kfd_doorbell(dev, args.doorbell_offset, &q->doorbell);
	if (ret) {
		ring_destroy(q);
		return ret;
	}
	return 0;

err_free:
	free_buffers(q);
	return ret;
}

/**
 * ring_destroy() - destroy a queue and free its memory
 * @q:	queue
 *
 * Return: 0, or what DESTROY_QUEUE answered (the memory then stays).
 */
int ring_destroy(struct ring_queue *q)
{
	struct kfd_ioctl_destroy_queue_args args = { .queue_id = q->id };
	int ret;

	ret = kfd_ioctl(q->dev, AMDKFD_IOC_DESTROY_QUEUE, &args);
	if (ret)
		return ret;
	free_buffers(q);
	return 0;
}

int ring_update(struct ring_queue *q, __u32 percentage)
{
	struct kfd_ioctl_update_queue_args args = {
		.ring_base_address = (uintptr_t)q->mem.ptr,
		.queue_id = q->id,
		.ring_size = q->mem.size,
		.queue_percentage = percentage,
		.queue_priority = q->priority,
	};

	return kfd_ioctl(q->dev, AMDKFD_IOC_UPDATE_QUEUE, &args);
}

void ring_put(struct ring_queue *q, const __u32 *dw, unsigned int n)
{
	while (n--)
		q->ring[q->wptr++ % q->dwords] = *dw++;
}

void ring_submit(struct ring_queue *q)
{
	__u64 wptr = compute(q) ? q->wptr : q->wptr * 4;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*q->write = wptr;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*q->doorbell = wptr;
}

/* PM4's read pointer has 32 bits and is that of the ring, SDMA's is not wrapped. */
static bool consumed(const struct ring_queue *q)
{
	return compute(q) ? (__u32)*q->read == q->wptr % q->dwords : *q->read == q->wptr * 4;
}

static __u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

int ring_wait(struct ring_queue *q, unsigned int timeout_ms)
{
	__u64 end = now_ms() + timeout_ms;

	while (!consumed(q)) {
		if (now_ms() > end)
			return -ETIME;
		usleep(100);
	}
	return 0;
}

int ring_wait_word(const volatile __u32 *p, __u32 value, unsigned int timeout_ms)
{
	__u64 end = now_ms() + timeout_ms;

	while (*p != value) {
		if (now_ms() > end)
			return -ETIME;
		usleep(100);
	}
	return 0;
}
