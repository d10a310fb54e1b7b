// SPDX-License-Identifier: GPL-2.0
/*
 * A debugger's view of waves taken off the machine: the context save area by
 * AMDKFD_IOC_GET_QUEUE_WAVE_STATE and by suspending the queue, read with the
 * rules that ROCdbgapi has for gfx90a, and what changes there reaches the wave.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"

#define GROUP_ITEMS	128
#define GROUP_WAVES	2
#define LANES		64
#define TAG		0x10000
#define ACC_TAG		0xacc

/* COMPUTE_RELAUNCH in the control stack. */
#define IS_EVENT(w)	((w) >> 30 & 1)
#define IS_STATE(w)	((w) >> 31)
#define STATE_VGPRS(w)	((((w) & 0x3f) + 1) * 8)
#define STATE_SGPRS(w)	(((w) >> 6 & 7) * 16)
#define STATE_LDS(w)	(((w) >> 9 & 0xff) * 512)
#define STATE_ARCH(w)	((((w) >> 24 & 0x3f) + 1) * 4)
#define WAVE_LAST(w)	((w) >> 16 & 1)
#define WAVE_FIRST(w)	((w) >> 17 & 1)

/* Hardware registers of a wave, in dwords; trap temporaries follow at 16. */
enum { REG_PC = 1, REG_EXEC = 3, REG_TTMP = 16 };

FIXTURE(area) {
	struct client c;
	struct aql_queue q;
	struct hold_job job;
	unsigned int groups;
	int dbg_fd;
};

/* The kernel runs on every compute unit when this is over. */
FIXTURE_SETUP(area)
{
	struct kfd_ioctl_runtime_enable_args runtime = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK,
	};
	unsigned int i;
	int ret = client_open(&self->c);

	if (ret == -ENODEV)
		SKIP(return, KFD_MISSING);
	ASSERT_EQ(0, ret);
	self->groups = self->c.dev.cus;
	self->dbg_fd = open("/dev/null", O_RDWR);
	ASSERT_LE(0, self->dbg_fd);
	ASSERT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_RUNTIME_ENABLE, &runtime));
	ASSERT_EQ(0, aql_create(&self->q, &self->c.dev, 64, PRIORITY_LOW));
	ASSERT_EQ(0, hold_job_start(&self->c, &self->job, &self->q, self->groups * GROUP_ITEMS,
				    GROUP_ITEMS, TAG));
	for (i = 0; i < self->groups; i++)
		while (self->job.beats[i] < 3)
			usleep(1000);
}

FIXTURE_TEARDOWN(area)
{
	if (self->c.dev.fd <= 0)
		return;
	EXPECT_EQ(0, aql_destroy(&self->q));
	close(self->dbg_fd);
	client_close(&self->c);
}

/*
 * struct record - where a wave's state is
 * @vgpr: @acc:	rows of 64 lanes; NULL when there is none of the kind
 * @lds:	of its workgroup
 * @ttmp:	trap temporaries
 */
struct record {
	__u32 (*vgpr)[LANES], (*acc)[LANES];
	unsigned int vgprs, accs;
	__u32 *reg, *ttmp, *lds;
};

/*
 * Take the area of an XCC apart. @waves: room for @max records.
 * Return: how many there are, or -1 when control stack and wave state do not
 * fit together.
 */
static int read_area(char *base, struct record *waves, int max)
{
	const struct kfd_context_save_area_header *header = (void *)base;
	char *top = base + header->wave_state.wave_state_offset;
	const __u32 *stack = (void *)(base + header->wave_state.control_stack_offset);
	const __u32 *end = stack + header->wave_state.control_stack_size / 4;
	char *bottom = top - header->wave_state.wave_state_size;
	__u32 *lds = NULL, state = 0;
	int n = 0;

	if ((const char *)end != bottom)
		return -1;
	for (stack += 2; stack < end; stack++) {
		struct record *w = &waves[n];
		char *p = top - 64;

		if (IS_EVENT(*stack))
			continue;
		if (IS_STATE(*stack)) {
			state = *stack;
			continue;
		}
		if (n++ == max || !state)
			return -1;
		if (WAVE_FIRST(*stack)) {
			p -= STATE_LDS(state);
			lds = (__u32 *)p;
		}
		w->lds = lds;
		w->reg = (__u32 *)(p - 128);
		w->ttmp = w->reg + REG_TTMP;
		w->vgprs = STATE_ARCH(state);
		w->accs = STATE_VGPRS(state) - w->vgprs;
		w->acc = (void *)((char *)w->reg - STATE_SGPRS(state) * 4 - w->accs * 256);
		w->vgpr = w->acc - w->vgprs;
		top = (char *)w->vgpr;
		if (top < bottom || !lds)
			return -1;
		if (WAVE_LAST(*stack))
			lds = NULL;
	}
	return top == bottom ? n : -1;
}

/* The register among @rows that holds @first + lane, each xor @mask; NULL if none does. */
static __u32 *find_row(__u32 (*row)[LANES], unsigned int rows, __u32 first, __u32 mask)
{
	unsigned int i, l;

	for (i = 0; i < rows; i++) {
		for (l = 0; l < LANES && row[i][l] == ((first + l) ^ mask); l++)
			;
		if (l == LANES)
			return row[i];
	}
	return NULL;
}

/*
 * Every wave of the kernel is in one of the XCCs' areas with its workgroup, its values and a
 * program counter in the kernel. @marked: one of its values; changed.
 */
static int check_area(struct __test_metadata *_metadata, FIXTURE_DATA(area) *self, bool change)
{
	__u64 code = (uintptr_t)self->c.code.mem.ptr, pc, exec, seen = 0;
	struct record waves[256];
	unsigned int xcc;
	int i, n = 0;

	for (xcc = 0; xcc < self->c.dev.xccs; xcc++) {
		i = read_area((char *)self->q.save.cwsr.ptr + (size_t)xcc * self->c.dev.cwsr_size,
			      waves + n, 256 - n);
		EXPECT_LT(0, i);
		n += i > 0 ? i : 0;
	}
	EXPECT_EQ(self->groups * GROUP_WAVES, n);
	for (i = 0; i < n; i++) {
		__u32 group = waves[i].ttmp[8], wave = waves[i].ttmp[11] & 0x3f;
		__u32 first = TAG + group * GROUP_ITEMS + wave * LANES, *row;
		unsigned int l;

		EXPECT_LT(group, self->groups);
		EXPECT_LT(wave, GROUP_WAVES);
		EXPECT_EQ(0, waves[i].ttmp[6] & 0x1ffffff);	/* the ring's first packet */
		seen |= 1ULL << (group * GROUP_WAVES + wave);
		pc = waves[i].reg[REG_PC] | (__u64)waves[i].reg[REG_PC + 1] << 32;
		EXPECT_TRUE(pc > code && pc < code + self->c.code.mem.size);
		/* all lanes, or in the part that a group's first item does alone, that one */
		exec = waves[i].reg[REG_EXEC] | (__u64)waves[i].reg[REG_EXEC + 1] << 32;
		EXPECT_TRUE(exec == ~0ULL || exec == !wave);
		EXPECT_NE(NULL, find_row(waves[i].acc, waves[i].accs, first, ACC_TAG));
		for (l = 0; l < LANES; l++)
			if (waves[i].lds[wave * LANES + l] != ~(first + l))
				break;
		EXPECT_EQ(LANES, l);
		row = find_row(waves[i].vgpr, waves[i].vgprs, first, 0);
		EXPECT_NE(NULL, row);
		if (row && change)
			row[5]++;
	}
	EXPECT_EQ((1ULL << (self->groups * GROUP_WAVES)) - 1, seen);
	return n;
}

/* The kernel goes on and ends; lane 5 of each wave with the value it was given. */
static void finish(struct __test_metadata *_metadata, FIXTURE_DATA(area) *self, bool changed)
{
	unsigned int i, wrong = 0;
	__u32 x;

	ASSERT_EQ(0, hold_job_end(&self->c, &self->job));
	for (i = 0; i < self->job.items; i++) {
		x = TAG + i;
		wrong += self->job.out[3 * i] != x + (changed && i % LANES == 5);
		wrong += self->job.out[3 * i + 1] != (x ^ ACC_TAG);
		wrong += self->job.out[3 * i + 2] != ~x;
	}
	EXPECT_EQ(0, wrong);
}

TEST_F_TIMEOUT(area, get_wave_state, 60)
{
	struct kfd_ioctl_get_queue_wave_state_args args = {
		.ctl_stack_address = (uintptr_t)self->q.save.cwsr.ptr,
		.queue_id = self->q.id,
	};
	const struct kfd_context_save_area_header *header = self->q.save.cwsr.ptr;

	ASSERT_EQ(-EINVAL, kfd_ioctl(&self->c.dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args));
	ASSERT_EQ(0, aql_update(&self->q, 0, PRIORITY_LOW));
	ASSERT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args));
	EXPECT_EQ(header->wave_state.control_stack_size, args.ctl_stack_used_size);
	EXPECT_EQ(header->wave_state.wave_state_size, args.save_area_used_size);
	EXPECT_EQ(self->c.dev.ctl_stack_size, header->wave_state.control_stack_offset +
		  header->wave_state.control_stack_size);
	EXPECT_GE(self->c.dev.cwsr_size, header->wave_state.wave_state_offset);
	check_area(_metadata, self, true);
	ASSERT_EQ(0, aql_update(&self->q, 100, PRIORITY_LOW));
	finish(_metadata, self, true);
}

/* Debugger and target are one process here; @grace is in units of 1024 clocks. */
static void suspend(struct __test_metadata *_metadata, FIXTURE_DATA(area) *self, __u32 grace)
{
	struct kfd_ioctl_dbg_trap_args trap = { .pid = getpid() };
	struct kfd_queue_snapshot_entry entry = {};
	struct kfd_runtime_info info = {};
	__u32 id = self->q.id;

	trap.op = KFD_IOC_DBG_TRAP_ENABLE;
	trap.enable.rinfo_ptr = (uintptr_t)&info;
	trap.enable.rinfo_size = sizeof(info);
	trap.enable.dbg_fd = self->dbg_fd;
	ASSERT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_DBG_TRAP, &trap));

	/* A new queue cannot be suspended until its creation was seen. */
	trap.op = KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT;
	trap.queue_snapshot.exception_mask = KFD_EC_MASK(EC_QUEUE_NEW);
	trap.queue_snapshot.snapshot_buf_ptr = (uintptr_t)&entry;
	trap.queue_snapshot.num_queues = 1;
	trap.queue_snapshot.entry_size = sizeof(entry);
	ASSERT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_DBG_TRAP, &trap));
	EXPECT_EQ((uintptr_t)self->q.save.cwsr.ptr, entry.ctx_save_restore_address);

	memset(&trap.suspend_queues, 0, sizeof(trap.suspend_queues));
	trap.op = KFD_IOC_DBG_TRAP_SUSPEND_QUEUES;
	trap.suspend_queues.queue_array_ptr = (uintptr_t)&id;
	trap.suspend_queues.num_queues = 1;
	trap.suspend_queues.grace_period = grace;
	ASSERT_LE(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_DBG_TRAP, &trap));
	ASSERT_EQ(self->q.id, id);

	check_area(_metadata, self, true);

	memset(&trap.resume_queues, 0, sizeof(trap.resume_queues));
	trap.op = KFD_IOC_DBG_TRAP_RESUME_QUEUES;
	trap.resume_queues.queue_array_ptr = (uintptr_t)&id;
	trap.resume_queues.num_queues = 1;
	ASSERT_LE(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_DBG_TRAP, &trap));
	ASSERT_EQ(self->q.id, id);
	finish(_metadata, self, true);
	trap.op = KFD_IOC_DBG_TRAP_DISABLE;
	EXPECT_EQ(0, kfd_ioctl(&self->c.dev, AMDKFD_IOC_DBG_TRAP, &trap));
}

TEST_F_TIMEOUT(area, suspend, 60)
{
	suspend(_metadata, self, 0);
}

TEST_F_TIMEOUT(area, suspend_after_grace, 60)
{
	suspend(_metadata, self, 200);
}

TEST_HARNESS_MAIN
