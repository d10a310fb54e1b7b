// SPDX-License-Identifier: GPL-2.0
/*
 * A process with a preempted queue is checkpointed. A test of its own because
 * amdkfd's checkpoint takes locks in an order that lockdep reports once, and
 * then looks no more.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "gpreempt.h"

FIXTURE(criu) {
	struct contest ct;
};

FIXTURE_SETUP(criu)
{
	int ret = contest_begin(&self->ct);

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(criu)
{
	EXPECT_EQ(0, contest_finish(&self->ct));
	contest_close(&self->ct);
}

/* Checkpoint evicts first: a preempted queue is saved as any other, and stays off. */
TEST_F_TIMEOUT(criu, checkpoint, 120)
{
	struct kfd_ioctl_criu_args args = { .op = KFD_CRIU_OP_PROCESS_INFO };
	struct kfd_criu_device_bucket *devices;
	struct kfd_criu_bo_bucket *bos;
	void *priv;
	__u32 i;

	ASSERT_EQ(0, kfd_ioctl(&self->ct.c.dev, AMDKFD_IOC_CRIU_OP, &args));
	devices = calloc(args.num_devices, sizeof(*devices));
	bos = calloc(args.num_bos, sizeof(*bos));
	priv = calloc(1, args.priv_data_size);
	ASSERT_TRUE(devices && bos && priv);
	args.op = KFD_CRIU_OP_CHECKPOINT;
	args.devices = (uintptr_t)devices;
	args.bos = (uintptr_t)bos;
	args.priv_data = (uintptr_t)priv;
	EXPECT_EQ(0, kfd_ioctl(&self->ct.c.dev, AMDKFD_IOC_CRIU_OP, &args));
	for (i = 0; i < args.num_bos; i++)
		if ((int)bos[i].dmabuf_fd > 0)
			close(bos[i].dmabuf_fd);
	args.op = KFD_CRIU_OP_UNPAUSE;
	EXPECT_EQ(0, kfd_ioctl(&self->ct.c.dev, AMDKFD_IOC_CRIU_OP, &args));
	EXPECT_TRUE(contest_low_is_off(&self->ct));
	free(priv);
	free(bos);
	free(devices);
}

TEST_HARNESS_MAIN
