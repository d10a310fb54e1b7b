// SPDX-License-Identifier: GPL-2.0
/*
 * What amdkfd does with or without GPREEMPT that a checker of a debug kernel
 * reports, so that a report of the kind can be told from one of GPREEMPT's.
 */
#include <errno.h>
#include <unistd.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "client.h"

FIXTURE(known) {
	struct client c;
	struct aql_queue q;
};

FIXTURE_SETUP(known)
{
	int ret = client_open(&self->c);

	if (ret == -ENODEV)
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW));
}

FIXTURE_TEARDOWN(known)
{
	EXPECT_EQ(0, aql_destroy(&self->q));
	client_close(&self->c);
}

/*
 * MMU notifiers take the DQM lock, memory is allocated under the topology lock,
 * and checkpointing a queue takes the topology lock inside the DQM lock.
 */
TEST_F_TIMEOUT(known, checkpoint, 120)
{
	struct kfd_ioctl_criu_args args = { .op = KFD_CRIU_OP_PROCESS_INFO };
	struct kfd_mem mem;

	ASSERT_EQ(0, kfd_alloc(&self->c.dev, &mem, KFD_PAGE, KFD_MEM_HOST));
	ASSERT_EQ(0, madvise(mem.ptr, mem.size, MADV_DONTNEED));
	usleep(100000);
	EXPECT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_CRIU_OP, &args));
	args.op = KFD_CRIU_OP_UNPAUSE;
	EXPECT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_CRIU_OP, &args));
	kfd_free(&self->c.dev, &mem);
}

TEST_HARNESS_MAIN
