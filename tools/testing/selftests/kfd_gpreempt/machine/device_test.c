// SPDX-License-Identifier: GPL-2.0
/*
 * The device as a whole is reset, under work, and works again. Run it alone: it
 * disturbs everybody on the GPU.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"

#define PCI_DEVICES	"/sys/bus/pci/devices"

FIXTURE(device) {
	struct client c;
	struct aql_queue q;
	struct until_job endless;
	char reset[128], method[128], recover[128];
};

FIXTURE_SETUP(device)
{
	int ret = client_open(&self->c);
	char address[64];

	if (ret == -ENODEV)
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, kfd_pci_address(address, sizeof(address)));
	snprintf(self->reset, sizeof(self->reset), PCI_DEVICES "/%s/reset", address);
	snprintf(self->method, sizeof(self->method), PCI_DEVICES "/%s/reset_method", address);
	if (kfd_recover_path(self->recover, sizeof(self->recover)))
		SKIP(return, KFD_NO_RECOVER);
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, 7));
	ASSERT_EQ(0, until_job_init(&self->c, &self->endless));
	until_job_start(&self->c, &self->endless, &self->q);
	while (!self->q.amd->read_dispatch_id)	/* until it is launched */
		usleep(1000);
}

FIXTURE_TEARDOWN(device)
{
}

/* The driver's own reset: what ran is gone, who comes next has a working GPU. */
TEST_F_TIMEOUT(device, recover, 300)
{
	char result[32];

	ASSERT_EQ(0, file_read(self->recover, result, sizeof(result)));
	EXPECT_EQ(0, client_other_works());
	EXPECT_EQ(1, self->endless.signal->value);
}

/*
 * A function-level reset behind the driver's back, as a virtual machine monitor
 * or an administrator does: the driver's recovery brings the GPU back.
 */
TEST_F_TIMEOUT(device, function_level_reset, 300)
{
	char text[64];

	if (file_read(self->method, text, sizeof(text)) || !strstr(text, "flr"))
		SKIP(return, "the GPU has no function-level reset");
	file_keep(self->method);
	ASSERT_EQ(0, file_write(self->method, "flr"));
	ASSERT_EQ(0, file_write(self->reset, "1"));
	ASSERT_EQ(0, file_read(self->recover, text, sizeof(text)));
	EXPECT_EQ(0, client_other_works());
	EXPECT_EQ(1, self->endless.signal->value);
}

TEST_HARNESS_MAIN
