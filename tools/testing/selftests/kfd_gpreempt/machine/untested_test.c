// SPDX-License-Identifier: GPL-2.0
/*
 * A GPU of a kind on which GPREEMPT was never tried, booted with amdgpu.gpreempt=1: it is enabled
 * if its owner said so with amdgpu.gpreempt_untested=1, and else refused. Needs such a GPU, and
 * a boot for each.
 */
#include <errno.h>
#include <string.h>

#include "kselftest_harness.h"
#include "file.h"
#include "gpreempt.h"
#include "kfd.h"

#define GFX941		90401

FIXTURE(untested) {
	bool dared;
};

FIXTURE_SETUP(untested)
{
	unsigned int node;
	char text[16];
	__u32 gpu_id;

	if (kfd_find_gpu(&gpu_id, &node))
		SKIP(return, KFD_MISSING);
	if (kfd_property(node, "gfx_target_version") != GFX941)
		SKIP(return, "GPREEMPT was tried on GPUs of this kind");
	if (!gpreempt_present())
		SKIP(return, "%s", gpreempt_missing(-ENOENT));
	ASSERT_EQ(0, file_read("/sys/module/amdgpu/parameters/gpreempt_untested", text,
			       sizeof(text)));
	self->dared = text[0] == 'Y';
}

FIXTURE_TEARDOWN(untested)
{
}

TEST_F(untested, owner_decides)
{
	char why[128];

	/* as it came up */
	EXPECT_EQ(self->dared, gpreempt_number("enable"));
	EXPECT_EQ(self->dared ? 0 : -EOPNOTSUPP, gpreempt_set("enable", 1));
	EXPECT_EQ(self->dared, gpreempt_number("enable"));
	ASSERT_EQ(0, gpreempt_read("unsupported", why, sizeof(why)));
	EXPECT_EQ(self->dared, !strstr(why, "load amdgpu with gpreempt_untested=1"))
		TH_LOG("%s", why);
	EXPECT_EQ(0, gpreempt_set("enable", 0));
}

TEST_HARNESS_MAIN
