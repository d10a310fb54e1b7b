// SPDX-License-Identifier: GPL-2.0
/*
 * Processes are kept apart (enforce_isolation): work of amdgpu's own queues halts KFD's scheduler,
 * and a while after it has ended the scheduler goes on. What was preempted before the halt comes
 * back after it. Run it alone: for some time there is no room on the GPU for others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <drm/amdgpu_drm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "contest.h"
#include "file.h"
#include "gpreempt.h"

#define IB_VA		(1ull << 20)
#define IB_DWORDS	16
#define NOP		0xffff1000u	/* a packet of this dword alone */
#define SLICE_MS	250		/* GFX_SLICE_PERIOD_MS: the halt is no shorter */

FIXTURE(isolation) {
	struct contest ct;
	char file[128];
};

FIXTURE_SETUP(isolation)
{
	char address[64];
	int ret;

	ASSERT_EQ(0, kfd_pci_address(address, sizeof(address)));
	snprintf(self->file, sizeof(self->file), "/sys/bus/pci/devices/%s/enforce_isolation",
		 address);
	if (access(self->file, W_OK))
		SKIP(return, "amdgpu does not keep processes apart on this GPU");
	ret = contest_begin(&self->ct);
	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	file_keep(self->file);
	ASSERT_EQ(0, file_write(self->file, "1"));
}

FIXTURE_TEARDOWN(isolation)
{
	file_write(self->file, "0");
	contest_close(&self->ct);
}

/* Packets that do nothing, on one of the kernel's compute queues. 0, or the step that failed. */
static int submit(int fd)
{
	union drm_amdgpu_ctx ctx = { .in.op = AMDGPU_CTX_OP_ALLOC_CTX };
	union drm_amdgpu_gem_create gem = {
		.in = { .bo_size = 4096, .alignment = 4096, .domains = AMDGPU_GEM_DOMAIN_GTT },
	};
	struct drm_amdgpu_gem_va va = {
		.operation = AMDGPU_VA_OP_MAP, .va_address = IB_VA, .map_size = 4096,
		.flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE,
	};
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = IB_VA, .ib_bytes = 4 * IB_DWORDS, .ip_type = AMDGPU_HW_IP_COMPUTE,
	};
	struct drm_amdgpu_bo_list_entry entry;
	struct drm_amdgpu_bo_list_in list = {
		.operation = ~0u, .list_handle = ~0u, .bo_number = 1, .bo_info_size = sizeof(entry),
		.bo_info_ptr = (uintptr_t)&entry,
	};
	struct drm_amdgpu_cs_chunk chunk[] = {
		{ AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib },
		{ AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4, (uintptr_t)&list },
	};
	uint64_t chunks[] = { (uintptr_t)&chunk[0], (uintptr_t)&chunk[1] };
	union drm_amdgpu_gem_mmap map = {};
	union drm_amdgpu_cs cs = {};
	union drm_amdgpu_wait_cs wait = {};
	unsigned int i;
	__u32 *p;

	if (ioctl(fd, DRM_IOCTL_AMDGPU_CTX, &ctx))
		return 1;
	if (ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &gem))
		return 2;
	va.handle = gem.out.handle;
	map.in.handle = gem.out.handle;
	entry.bo_handle = gem.out.handle;
	entry.bo_priority = 0;
	if (ioctl(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &map))
		return 3;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, map.out.addr_ptr);
	if (p == MAP_FAILED)
		return 4;
	for (i = 0; i < IB_DWORDS; i++)
		p[i] = NOP;
	if (ioctl(fd, DRM_IOCTL_AMDGPU_GEM_VA, &va))
		return 5;
	cs.in.ctx_id = ctx.out.alloc.ctx_id;
	cs.in.num_chunks = 2;
	cs.in.chunks = (uintptr_t)chunks;
	if (ioctl(fd, DRM_IOCTL_AMDGPU_CS, &cs))
		return 6;
	wait.in.ctx_id = ctx.out.alloc.ctx_id;
	wait.in.handle = cs.out.handle;
	wait.in.ip_type = AMDGPU_HW_IP_COMPUTE;
	wait.in.timeout = ~0ull >> 1;
	return ioctl(fd, DRM_IOCTL_AMDGPU_WAIT_CS, &wait) || wait.out.status ? 7 : 0;
}

/* The monitor looks meanwhile, and finds nothing that could be arbitrated. */
TEST_F(isolation, preempted_before_a_halt)
{
	struct contest *ct = &self->ct;
	char path[32];
	int fd;

	/* an open file, and so a memory, of our own */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ct->c.dev.drm_fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, submit(fd));
	/* halted: what HIGH's process does, no queue shows */
	ASSERT_EQ(0, gpreempt_wait_state("parked", SLICE_MS));
	ct->rival->run = 0;
	EXPECT_EQ(0, contest_finish(ct));
	EXPECT_EQ(ct->resumes + 1, gpreempt_number("stats/resumes"));
	close(fd);
}

TEST_HARNESS_MAIN
