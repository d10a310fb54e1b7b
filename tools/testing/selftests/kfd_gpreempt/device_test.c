// SPDX-License-Identifier: GPL-2.0
/*
 * The device as a whole is reset, under work, and works again. Run it alone: it
 * disturbs everybody on the GPU.
 */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "file.h"

#define PCI_DEVICE	"/sys/bus/pci/drivers/amdgpu/0*"
#define RECOVER		"/sys/kernel/debug/dri/*/amdgpu_gpu_recover"

/* First path that fits @pattern and ends in @file. */
static int find(const char *pattern, const char *file, char *path, size_t size)
{
	glob_t found;
	int ret = -ENOENT;

	if (!glob(pattern, 0, NULL, &found)) {
		snprintf(path, size, "%s%s", found.gl_pathv[0], file);
		ret = 0;
	}
	globfree(&found);
	return ret;
}

FIXTURE(device) {
	struct client c;
	struct aql_queue q;
	struct until_job endless;
	char reset[PATH_MAX], method[PATH_MAX], recover[PATH_MAX];
};

FIXTURE_SETUP(device)
{
	int ret = client_open(&self->c);

	if (ret == -ENODEV)
		SKIP(return, "no KFD device");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, find(PCI_DEVICE, "/reset", self->reset, PATH_MAX));
	ASSERT_EQ(0, find(PCI_DEVICE, "/reset_method", self->method, PATH_MAX));
	ASSERT_EQ(0, find(RECOVER, "", self->recover, PATH_MAX));
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

	ASSERT_EQ(0, file_read(self->method, text, sizeof(text)));
	EXPECT_TRUE(!!strstr(text, "flr"));
	ASSERT_EQ(0, file_write(self->method, "flr"));
	ASSERT_EQ(0, file_write(self->reset, "1"));
	ASSERT_EQ(0, file_read(self->recover, text, sizeof(text)));
	EXPECT_EQ(0, client_other_works());
	EXPECT_EQ(1, self->endless.signal->value);
}

TEST_HARNESS_MAIN
