// SPDX-License-Identifier: GPL-2.0
/*
 * The wave counters that the driver reads, and what firmware writes when a queue is unmapped:
 * both compared with waves that are known. amdgpu's file in debugfs reads the registers, of the
 * first XCC.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "hwtest.h"

/* Registers of gfx9, bytes. */
#define SPI_CSQ_WF_ACTIVE_STATUS	0x936c
#define SPI_CSQ_WF_ACTIVE_COUNT_0	0x9370
#define COUNT_MASK			0x7ff

#define PIPES		4	/* of the first micro engine */
#define PIPE_QUEUES	8	/* and as many counters */
#define ENGINES_MAX	32
#define READS_MAX	1000
#define BROADCAST	0xffffffff

/* ---- amdgpu_regs2: amdgpu_umr.h in the kernel's source ---- */

struct regs2_state {
	__u32 use_srbm, use_grbm, pg_lock;
	struct {
		__u32 se, sh, instance;
	} grbm;
	struct {
		__u32 me, pipe, queue, vmid;
	} srbm;
};

#define REGS2_SET_STATE	_IOWR(0x20, 0, struct regs2_state)

/* Later reads are of this engine, and of this queue slot. 0 or -errno. */
static int select_slot(int fd, unsigned int engine, unsigned int slot)
{
	struct regs2_state state = {
		.use_grbm = 1, .grbm = { engine, BROADCAST, BROADCAST },
		.use_srbm = 1, .srbm = { 1, slot / PIPE_QUEUES, slot % PIPE_QUEUES, 0 },
	};

	return ioctl(fd, REGS2_SET_STATE, &state) ? -errno : 0;
}

static int read_registers(int fd, unsigned int offset, __u32 *value, unsigned int n)
{
	ssize_t bytes = n * sizeof(*value), got = pread(fd, value, bytes, offset);

	if (got < 0)
		return -errno;
	return got == bytes ? 0 : -EIO;
}

/**
 * struct counters - what the registers said at some moment
 * @status:	SPI_CSQ_WF_ACTIVE_STATUS of each engine
 * @waves:	sum of all counters
 */
struct counters {
	__u32 status[ENGINES_MAX];
	unsigned int waves;
};

static int read_counters(const struct hwtest *t, int fd, struct counters *c)
{
	unsigned int engine, slot;
	__u32 count;
	int ret = 0;

	memset(c, 0, sizeof(*c));
	for (engine = 0; !ret && engine < t->c.dev.engines && engine < ENGINES_MAX; engine++) {
		for (slot = 0; !ret && slot < PIPES * PIPE_QUEUES; slot++) {
			ret = select_slot(fd, engine, slot);
			if (!slot)
				ret = ret ?: read_registers(fd, SPI_CSQ_WF_ACTIVE_STATUS,
							    &c->status[engine], 1);
			ret = ret ?: read_registers(fd, SPI_CSQ_WF_ACTIVE_COUNT_0 +
						    4 * (slot % PIPE_QUEUES), &count, 1);
			c->waves += ret ? 0 : count & COUNT_MASK;
		}
	}
	return ret;
}

/* Bits that are more, on the engine where most are: queues get other slots with each runlist. */
static int bits_more(const struct counters *now, const struct counters *before)
{
	int engine, n, most = 0;

	for (engine = 0; engine < ENGINES_MAX; engine++) {
		n = __builtin_popcount(now->status[engine]) -
		    __builtin_popcount(before->status[engine]);
		if (n > most)
			most = n;
	}
	return most;
}

/* ---- registers ---- */

/* A read, by the difference between one and as many as there are counters. */
static int time_reads(struct hwtest *t, int fd)
{
	unsigned int i, k, n = TIMES(t, 100, READS_MAX);
	__u64 ns[2][READS_MAX], begin;
	__u32 value[PIPE_QUEUES];
	int ret = 0;

	for (i = 0; !ret && i < n; i++) {
		for (k = 0; !ret && k < 2; k++) {
			begin = kfd_now();
			ret = read_registers(fd, SPI_CSQ_WF_ACTIVE_COUNT_0, value,
					     k ? PIPE_QUEUES : 1);
			ns[k][i] = kfd_now() - begin;
		}
	}
	ret = must(t, ret, "read registers");
	if (!ret)
		report_figure(t->report, "register_read_ns",
			      (percentile(ns[1], n, 50) - percentile(ns[0], n, 50)) /
			      (PIPE_QUEUES - 1));
	return ret;
}

/* So many workgroups a compute unit, or one on each XCC; @c: while all are at work. */
static int count_waves(struct hwtest *t, int fd, unsigned int groups, struct counters *c)
{
	struct hold_job job;
	int ret;

	ret = must(t, hold_start(t, &job, &t->c.hold, groups), "get memory");
	ret = ret ?: must(t, hold_moves(&job, CLIENT_TIMEOUT_MS), "have LOW run");
	ret = ret ?: must(t, read_counters(t, fd, c), "read registers");
	return ret ?: hold_end(t, &job);
}

/* What the status register has a bit for; NULL: for something that the driver does not know. */
static const char *status_of(int idle, int few, int many)
{
	if (idle == 1 && !few && !many)
		return "queues";
	if (!idle && few == 1 && many == 1)
		return "queues with waves";
	return NULL;
}

static int judge_counters(struct hwtest *t, int fd)
{
	unsigned int launched = HOLD_WAVES * t->c.dev.cus / t->c.dev.xccs;
	struct counters before, queue, some, all;
	struct report *r = t->report;
	int idle, few, many, ret;
	struct aql_queue q;

	ret = must(t, read_counters(t, fd, &before), "read registers");
	ret = ret ?: must(t, aql_create(&q, &t->c.dev, 64, PRIORITY_LOW), "create a queue");
	ret = ret ?: must(t, read_counters(t, fd, &queue), "read registers");
	ret = ret ?: must(t, aql_destroy(&q), "destroy a queue");
	ret = ret ?: count_waves(t, fd, t->c.dev.xccs, &some);
	ret = ret ?: count_waves(t, fd, t->c.dev.cus, &all);
	if (ret)
		return ret;
	idle = bits_more(&queue, &before);
	few = bits_more(&some, &before);
	many = bits_more(&all, &before);
	report_figure(r, "bits_of_an_idle_queue", idle);
	report_figure(r, "bits_of_a_workgroup", few);
	report_figure(r, "bits_of_many", many);
	report_figure(r, "waves_launched", launched);
	report_figure(r, "waves_counted", all.waves - before.waves);
	if (!status_of(idle, few, many))
		return anomaly(t, "SPI_CSQ_WF_ACTIVE_STATUS has %d bits for an idle queue, %d for "
			       "one workgroup, %d for many", idle, few, many);
	report_text(r, "status_bits_are", "%s", status_of(idle, few, many));
	if (all.waves - before.waves != launched)
		return anomaly(t, "SPI_CSQ_WF_ACTIVE_COUNT counts %d waves of %u",
			       (int)(all.waves - before.waves), launched);
	report_says(r, "a bit of the status is for %s; %u waves of %u counted",
		    status_of(idle, few, many), launched, launched);
	return 0;
}

int step_registers(struct hwtest *t)
{
	int ret, fd = -1;
	char path[128];

	ret = gpreempt_off(t);
	if (ret)
		return ret;
	if (!kfd_debugfs_path("amdgpu_regs2", path, sizeof(path)))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		report_says(t->report, "not looked at: no amdgpu_regs2 in debugfs");
		return 0;
	}
	ret = time_reads(t, fd) ?: judge_counters(t, fd);
	close(fd);
	return ret;
}

/* ---- offset ---- */

/* Bytes of wave state that stock names after an unmap: of waves, of none, of a new queue. */
int step_offset(struct hwtest *t)
{
	double waves = 0, none = 0, fresh = 0;
	struct aql_queue q;
	struct hold_job job;
	int ret;

	ret = gpreempt_off(t);
	ret = ret ?: must(t, hold_start(t, &job, &t->c.hold, t->c.dev.cus), "get memory");
	ret = ret ?: must(t, hold_moves(&job, CLIENT_TIMEOUT_MS), "have LOW run");
	ret = ret ?: saved_bytes(t, &t->low, NULL, &waves);
	ret = ret ?: must(t, hold_moves(&job, CLIENT_TIMEOUT_MS), "see all waves back");
	ret = ret ?: hold_end(t, &job);
	ret = ret ?: saved_bytes(t, &t->low, NULL, &none);
	ret = ret ?: must(t, aql_create(&q, &t->c.dev, 64, PRIORITY_LOW), "create a queue");
	ret = ret ?: saved_bytes(t, &q, NULL, &fresh);
	ret = ret ?: must(t, aql_destroy(&q), "destroy a queue");
	if (ret)
		return ret;
	report_figure(t->report, "bytes_of_waves", waves);
	report_figure(t->report, "bytes_without_waves", none);
	report_figure(t->report, "bytes_of_a_new_queue", fresh);
	if (!waves)
		return anomaly(t, "an unmap with waves names no wave state");
	report_text(t->report, "wave_offset_written_at", "%s",
		    none || fresh ? "saves only" : "each unmap");
	report_says(t->report, "firmware writes the offset of the wave state at %s",
		    none || fresh ? "saves only" : "each unmap");
	return 0;
}
