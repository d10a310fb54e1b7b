// SPDX-License-Identifier: GPL-2.0
/*
 * AMDKFD_IOC_GPREEMPT: its number, its structure, and the operations that tell.
 */
#include <stddef.h>
#include <sys/ioctl.h>

#include "ioctl_fixture.h"
#include "ring.h"

#define SDMA_DWORDS	1024

TEST_F(ioctl, query)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_QUERY, .gpu_id = self->c.dev.gpu_id,
	};

	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	EXPECT_EQ(KFD_GPREEMPT_VERSION, args.query.version);
	EXPECT_EQ(KFD_GPREEMPT_NODE_DISABLED, args.query.state);
	EXPECT_EQ(16, args.query.levels);
	EXPECT_EQ(7, args.query.priority_cap);
	EXPECT_EQ(KFD_GPREEMPT_CAP_SUPPORTED, args.query.capabilities);

	ASSERT_EQ(0, gpreempt_set("priority_cap", 3));
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	memset(&args.query, 0, sizeof(args.query));
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	EXPECT_NE(KFD_GPREEMPT_NODE_DISABLED, args.query.state);
	EXPECT_EQ(3, args.query.priority_cap);
	EXPECT_EQ(KFD_GPREEMPT_CAP_SUPPORTED, args.query.capabilities);
}

/* Linux 7.3 knows these, whatever headers this is built with. Errnos compares them with stock. */
#define STOCK_END	(AMDKFD_COMMAND_END > 0x29 ? AMDKFD_COMMAND_END : 0x29)

/* 0x70 is taken; every other number that was unknown still is. */
TEST_F(ioctl, unknown_numbers)
{
	unsigned int nr, n = 0;
	__u64 args[32];

	for (nr = 0; nr < 256; nr++) {
		if ((nr && nr < STOCK_END) || nr == _IOC_NR(AMDKFD_IOC_GPREEMPT))
			continue;
		memset(args, 0, sizeof(args));
		EXPECT_EQ(-1, ioctl(self->c.dev.fd,
				    AMDKFD_IOWR(nr, struct kfd_ioctl_gpreempt_args), args));
		EXPECT_EQ(ENOTTY, errno) TH_LOG("number %#x", nr);
		n++;
	}
	EXPECT_EQ(256 - STOCK_END, n);
}

/* The structure, and room for what another one might have besides. */
union longer {
	struct kfd_ioctl_gpreempt_args args;
	__u8 bytes[1024];
};

/* QUERY, said to be so long. 0 or -errno. */
static int query_of_size(struct kfd_dev *dev, union longer *u, unsigned int size)
{
	memset(&u->args, 0, sizeof(u->args));
	u->args.op = KFD_GPREEMPT_OP_QUERY;
	u->args.gpu_id = dev->gpu_id;
	return ioctl(dev->fd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x70, size), u) ? -errno : 0;
}

/* There is one layout: a shorter and a longer one are refused, also if they end with zeroes. */
TEST_F(ioctl, of_another_size)
{
	union longer u = {};
	unsigned int size;

	for (size = 0; size <= sizeof(u); size++) {
		EXPECT_EQ(size == sizeof(u.args) ? 0 : -EINVAL,
			  query_of_size(&self->c.dev, &u, size)) TH_LOG("size %u", size);
		EXPECT_EQ(size == sizeof(u.args) ? KFD_GPREEMPT_VERSION : 0, u.args.query.version);
	}
}

/* A page with an argument for QUERY at its end, and nothing behind it. */
static struct kfd_ioctl_gpreempt_args *last_of_page(struct kfd_dev *dev)
{
	char *page = mmap(NULL, 2 * KFD_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kfd_ioctl_gpreempt_args *args;

	if (page == MAP_FAILED || munmap(page + KFD_PAGE, KFD_PAGE))
		return NULL;
	args = (void *)(page + KFD_PAGE - sizeof(*args));
	args->op = KFD_GPREEMPT_OP_QUERY;
	args->gpu_id = dev->gpu_id;
	return args;
}

TEST_F(ioctl, null_pointer)
{
	EXPECT_EQ(-EFAULT, gpreempt_call(&self->c.dev, NULL));
}

TEST_F(ioctl, kernel_pointer)
{
	EXPECT_EQ(-EFAULT, gpreempt_call(&self->c.dev, (void *)-4096L));
}

TEST_F(ioctl, unmapped_pointer)
{
	struct kfd_ioctl_gpreempt_args *args = last_of_page(&self->c.dev);

	ASSERT_NE(NULL, args);
	EXPECT_EQ(0, gpreempt_call(&self->c.dev, args));
	EXPECT_EQ(-EFAULT, gpreempt_call(&self->c.dev, args + 1));
}

TEST_F(ioctl, pointer_to_half)
{
	struct kfd_ioctl_gpreempt_args *args = last_of_page(&self->c.dev);

	ASSERT_NE(NULL, args);
	EXPECT_EQ(-EFAULT, gpreempt_call(&self->c.dev, (void *)((char *)args + 64)));
}

TEST_F(ioctl, read_only_pointer)
{
	struct kfd_ioctl_gpreempt_args *args = last_of_page(&self->c.dev);

	ASSERT_NE(NULL, args);
	ASSERT_EQ(0, mprotect((void *)((unsigned long)args & -KFD_PAGE), KFD_PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, gpreempt_call(&self->c.dev, args));
}

TEST_F(ioctl, unknown_operations)
{
	const __u32 ops[] = { 0, LAST_OP + 1, 0x80000000, ~0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct kfd_ioctl_gpreempt_args args = { .op = ops[i] };

		EXPECT_EQ(-EOPNOTSUPP, gpreempt_call(&self->c.dev, &args))
			TH_LOG("operation %u", ops[i]);
	}
}

TEST_F(ioctl, get)
{
	struct kfd_gpreempt_queue_info info;

	ASSERT_EQ(0, gpreempt_set("level15/timeslice_us", 15000));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->high.id, &info));
	EXPECT_EQ(self->high.id, info.queue_id);
	EXPECT_EQ(self->c.dev.gpu_id, info.gpu_id);
	EXPECT_EQ(PRIORITY_HIGH, info.priority);
	/* root may */
	EXPECT_EQ(PRIORITY_HIGH, info.permitted);
	EXPECT_EQ(PRIORITY_HIGH, info.effective);
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_UNKNOWN, info.state);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(15000, info.timeslice_us);
	EXPECT_EQ(0, info.preemptions);

	/* by its own number, too */
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, getpid(), self->high.id, &info));
	EXPECT_EQ(self->high.id, info.queue_id);

	ASSERT_EQ(0, aql_update(&self->high, 0, PRIORITY_HIGH));
	EXPECT_EQ(KFD_GPREEMPT_QUEUE_OFF, gpreempt_queue_state(&self->high));
	ASSERT_EQ(0, aql_update(&self->high, 100, PRIORITY_HIGH));
}

#define ENTRY	sizeof(struct kfd_gpreempt_queue_info)

static int list(struct kfd_dev *dev, void *to, __u32 count, __u32 size, __u32 gpu_id,
		struct kfd_ioctl_gpreempt_args *args)
{
	*args = (struct kfd_ioctl_gpreempt_args) {
		.op = KFD_GPREEMPT_OP_LIST, .flags = KFD_GPREEMPT_ALL, .gpu_id = gpu_id,
		.list = { (uintptr_t)to, count, size },
	};
	return gpreempt_call(dev, args);
}

/* Room for none, for less, and for more than there are. */
TEST_F(ioctl, list)
{
	struct kfd_gpreempt_queue_info info[3];
	struct kfd_dev *dev = &self->c.dev;
	struct kfd_ioctl_gpreempt_args args;

	ASSERT_EQ(0, list(dev, NULL, 0, ENTRY, 0, &args));
	EXPECT_EQ(2, args.list.count);
	EXPECT_EQ(ENTRY, args.list.entry_size);

	memset(info, 0xaa, sizeof(info));
	ASSERT_EQ(0, list(dev, info, 1, ENTRY, dev->gpu_id, &args));
	EXPECT_EQ(2, args.list.count);
	EXPECT_EQ(dev->gpu_id, info[0].gpu_id);
	EXPECT_EQ(0xaaaaaaaa, info[1].gpu_id);

	ASSERT_EQ(0, list(dev, info, ~0, ENTRY, 0, &args));
	EXPECT_EQ(2, args.list.count);
	EXPECT_EQ(self->low.id + self->high.id, info[0].queue_id + info[1].queue_id);
	EXPECT_EQ(0xaaaaaaaa, info[2].gpu_id);
}

/* One queue: without room it is there, and one that is not there is an error. */
TEST_F(ioctl, list_one)
{
	struct kfd_gpreempt_queue_info info[2];
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_LIST, .queue_id = self->high.id, .list.entry_size = ENTRY,
	};

	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	EXPECT_EQ(1, args.list.count);
	EXPECT_EQ(ENTRY, args.list.entry_size);
	memset(info, 0xaa, sizeof(info));
	args.list = (struct kfd_gpreempt_list){ (uintptr_t)info, 2, ENTRY };
	ASSERT_EQ(0, gpreempt_call(&self->c.dev, &args));
	EXPECT_EQ(1, args.list.count);
	EXPECT_EQ(self->high.id, info[0].queue_id);
	EXPECT_EQ(0xaaaaaaaa, info[1].queue_id);
	args.queue_id = 500;
	args.list = (struct kfd_gpreempt_list){ (uintptr_t)info, 2, ENTRY };
	EXPECT_EQ(-ENOENT, gpreempt_call(&self->c.dev, &args));
}

/* What is no compute queue is none of its. */
TEST_F(ioctl, list_beside_sdma)
{
	struct kfd_gpreempt_queue_info info[3];
	struct kfd_dev *dev = &self->c.dev;
	struct kfd_ioctl_gpreempt_args args;
	struct ring_queue sdma;

	ASSERT_EQ(0, ring_create(&sdma, dev, KFD_IOC_QUEUE_TYPE_SDMA, SDMA_DWORDS, 7));
	ASSERT_EQ(0, list(dev, info, 3, ENTRY, 0, &args));
	EXPECT_EQ(2, args.list.count);
	ASSERT_EQ(0, ring_destroy(&sdma));
}

TEST_F(ioctl, list_of_another_node)
{
	struct kfd_ioctl_gpreempt_args args;

	ASSERT_EQ(0, list(&self->c.dev, NULL, 0, ENTRY, self->c.dev.gpu_id + 1, &args));
	EXPECT_EQ(0, args.list.count);
}

/* As a later program's would be, which knows more of a queue. */
TEST_F(ioctl, list_of_longer_entries)
{
	struct {
		struct kfd_gpreempt_queue_info info;
		__u64 more;
	} wide[3];
	struct kfd_gpreempt_queue_info info[2];
	struct kfd_dev *dev = &self->c.dev;
	struct kfd_ioctl_gpreempt_args args;

	memset(wide, 0xaa, sizeof(wide));
	ASSERT_EQ(0, list(dev, info, 2, ENTRY, 0, &args));
	ASSERT_EQ(0, list(dev, wide, 3, sizeof(wide[0]), 0, &args));
	EXPECT_EQ(ENTRY, args.list.entry_size);
	EXPECT_EQ(0, memcmp(&wide[0].info, &info[0], ENTRY));
	EXPECT_EQ(0, memcmp(&wide[1].info, &info[1], ENTRY));
	EXPECT_EQ(0xaaaaaaaaaaaaaaaa, wide[0].more);
	EXPECT_EQ(0xaaaaaaaa, wide[2].info.gpu_id);
}

TEST_F(ioctl, list_to_null)
{
	struct kfd_ioctl_gpreempt_args args;

	EXPECT_EQ(-EFAULT, list(&self->c.dev, NULL, 1, ENTRY, 0, &args));
}

TEST_F(ioctl, list_to_the_kernel)
{
	struct kfd_ioctl_gpreempt_args args;

	EXPECT_EQ(-EFAULT, list(&self->c.dev, (void *)-4096L, 2, ENTRY, 0, &args));
}

TEST_F(ioctl, list_beyond_all_addresses)
{
	struct kfd_gpreempt_queue_info info[2];
	struct kfd_ioctl_gpreempt_args args;

	/* the second entry is */
	EXPECT_EQ(-EFAULT, list(&self->c.dev, info, 2, ~0, 0, &args));
}

TEST_F(ioctl, list_to_read_only_memory)
{
	struct kfd_ioctl_gpreempt_args args;
	void *page = mmap(NULL, KFD_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(-EFAULT, list(&self->c.dev, page, 2, ENTRY, 0, &args));
}

TEST_HARNESS_MAIN
