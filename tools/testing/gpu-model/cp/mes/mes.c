// SPDX-License-Identifier: GPL-2.0
/*
 * MES, the micro engine scheduler: its ring, of frames of 64 dwords, and what they ask for. A
 * frame is answered at its end: a fence is written when what it asked for has happened, and none
 * when that cannot be. Layouts: mes_v11_api_def.h.
 *
 * Kernel queues are where the driver says, and processes' queues have places (place.c) or wait
 * for one (rotate.c). Unfinished: of resets there is the finding alone, as amdgpu makes those of
 * compute queues by registers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "asic.h"
#include "bus/regs.h"
#include "cp/mes/mes.h"
#include "cp/queue/engine.h"
#include "cp/queue/slot.h"
#include "host/fault.h"
#include "host/log.h"
#include "host/params.h"
#include "mes_priv.h"
#include "vm/packet.h"

#define RING_LOG2(v)		(((v) & 0x3f) + 1)	/* CP_HQD_PQ_CONTROL, dwords */
#define RING_LOG2_MAX		28

#define HEADER_TYPE(h)		((h) & 15)
#define HEADER_OPCODE(h)	((h) >> 4 & 0xff)
#define HEADER_DWORDS(h)	((h) >> 12 & 0xff)
#define TYPE_SCHEDULER		1
/* From this version on it gives up what hangs (amdgpu_mes_queue_reset_by_mes_supported()). */
#define VERSION_HANGS		0x8c

enum {
	SET_HW_RSRC = 0, SET_SCHEDULING_CONFIG, ADD_QUEUE, REMOVE_QUEUE, PERFORM_YIELD,
	SUSPEND = 6, RESUME, RESET, SET_LOG_BUFFER, CHANGE_GANG_PRIORITY, QUERY_SCHEDULER_STATUS,
	PROGRAM_GDS, SET_DEBUG_VMID, MISC, UPDATE_ROOT_PAGE_TABLE, AMD_LOG, SET_HW_RSRC_1 = 19,
	OPCODES,
};

/* Dword of each frame's fence: its address, behind that its value. 0: there is no such frame. */
static const u8 status_at[OPCODES] = {
	[SET_HW_RSRC] = 50, [SET_SCHEDULING_CONFIG] = 32, [ADD_QUEUE] = 37, [REMOVE_QUEUE] = 5,
	[PERFORM_YIELD] = 2, [SUSPEND] = 7, [RESUME] = 4, [RESET] = 24, [SET_LOG_BUFFER] = 6,
	[CHANGE_GANG_PRIORITY] = 7, [QUERY_SCHEDULER_STATUS] = 2, [PROGRAM_GDS] = 8,
	[SET_DEBUG_VMID] = 1, [MISC] = 2, [UPDATE_ROOT_PAGE_TABLE] = 5, [AMD_LOG] = 5,
	[SET_HW_RSRC_1] = 1,
};

/* Dwords of frames. */
enum {
	RSRC_VMIDS = 2, RSRC_COMPUTE = 5, RSRC_GFX = 13, RSRC_SDMA = 15,
	ADD_PASID = 1, ADD_ROOT = 2, ADD_PROCESS_QUANTUM = 8, ADD_PROCESS = 10,
	ADD_GANG_QUANTUM = 12, ADD_GANG = 14, ADD_PRIORITY = 16, ADD_LEVEL, ADD_DOORBELL, ADD_MQD,
	ADD_WPTR = 21, ADD_TYPE = 27, ADD_TBA = 33, ADD_FLAGS = 36, ADD_TMA = 41, ADD_PIPE = 48,
	ADD_SLOT = 49,
	REMOVE_DOORBELL = 1, REMOVE_FLAGS = 4, REMOVE_PIPE = 9, REMOVE_SLOT = 10, REMOVE_TRAIL = 11,
	REMOVE_TRAIL_DATA = 13, REMOVE_TYPE = 14,
	MISC_OPCODE = 1, MISC_DATA = 6,
	SUSPEND_ALL = 1, SUSPEND_GANG = 2, SUSPEND_FENCE = 4, SUSPEND_VALUE = 6,
	RESET_FLAGS = 1, RESET_FOUND = 5, RESET_TYPE = 7,
};

#define QUANTUM_NS		100		/* of the two quanta */

#define ADD_TRAP_EN		(1u << 10)
#define ADD_MAP_LEGACY		(1u << 13)
#define REMOVE_PREEMPT_GFX	(1u << 2)
#define REMOVE_UNMAP_LEGACY	(1u << 3)
#define RESET_FIND		(1u << 2)	/* hang_detect_only */

enum { MISC_WRITE_REG, MISC_INV_GART, MISC_QUERY_STATUS, MISC_READ_REG, MISC_WAIT_REG_MEM,
       MISC_SET_SHADER_DEBUGGER, MISC_CHANGE_CONFIG = 8 };

static int set_resources(struct gpu *g, const u32 *f)
{
	struct mes *m = g->mes;
	unsigned int i;

	for (m->places = 0, i = RSRC_COMPUTE; i < RSRC_SDMA + 2; i++)
		m->places += __builtin_popcount(f[i]);
	m->vmids = f[RSRC_VMIDS] & 0xffff & ~1u;	/* VMID 0 is the kernel's */
	memcpy(m->compute, f + RSRC_COMPUTE, sizeof(m->compute));
	m->gfx = f[RSRC_GFX];
	memcpy(m->sdma, f + RSRC_SDMA, sizeof(m->sdma));
	return 0;
}

/* The slot of one of the kernel's queues. */
static struct hqd *legacy_slot(struct gpu *g, u32 type, u32 pipe, u32 slot)
{
	if (type != MES_QUEUE_GFX && type != MES_QUEUE_COMPUTE)
		return NULL;
	return mec_hqd(g, 0, type == MES_QUEUE_GFX ? ME_GFX : ME_MEC1, pipe, slot);
}

static int add_legacy(struct gpu *g, const u32 *f)
{
	struct hqd *h = legacy_slot(g, f[ADD_TYPE], f[ADD_PIPE], f[ADD_SLOT]);

	if (!h || (h->active && h->is_user))
		return -EINVAL;
	mec_unmap(g, h);	/* a driver that comes back maps over what it left */
	return mec_map(g, h, packet_u64(f + ADD_MQD) & ~3ull, 0);
}

static int add_queue(struct gpu *g, const u32 *f)
{
	const struct mes_add add = {
		.context = packet_u64(f + ADD_PROCESS),
		.pasid = f[ADD_PASID],
		.root = packet_u64(f + ADD_ROOT),
		.type = f[ADD_TYPE],
		.doorbell = f[ADD_DOORBELL],
		.mqd = packet_u64(f + ADD_MQD) & ~3ull,
		.gang = packet_u64(f + ADD_GANG),
		.process_quantum = packet_u64(f + ADD_PROCESS_QUANTUM) * QUANTUM_NS,
		.gang_quantum = packet_u64(f + ADD_GANG_QUANTUM) * QUANTUM_NS,
		.priority = f[ADD_PRIORITY],
		.level = f[ADD_LEVEL] < param.mes_global_levels ? f[ADD_LEVEL] :
			 param.mes_global_levels - 1,
		.wptr = packet_u64(f + ADD_WPTR),
		.tba = packet_u64(f + ADD_TBA),
		.tma = packet_u64(f + ADD_TMA),
		.traps_off = !(f[ADD_FLAGS] & ADD_TRAP_EN),
	};

	return f[ADD_FLAGS] & ADD_MAP_LEGACY ? add_legacy(g, f) : mes_add_queue(g, &add);
}

static int remove_queue(struct gpu *g, const u32 *f)
{
	struct hqd *h;

	if (f[REMOVE_FLAGS] & REMOVE_PREEMPT_GFX)	/* nothing runs behind its packets */
		return vm_write(g, 0, packet_u64(f + REMOVE_TRAIL) & ~3ull, &f[REMOVE_TRAIL_DATA],
				4);
	if (!(f[REMOVE_FLAGS] & REMOVE_UNMAP_LEGACY))
		return mes_remove_queue(g, f[REMOVE_DOORBELL]);
	h = legacy_slot(g, f[REMOVE_TYPE], f[REMOVE_PIPE], f[REMOVE_SLOT]);
	if (!h || (h->active && h->is_user))
		return -EINVAL;
	mec_unmap(g, h);
	return 0;
}

/* Which queues SUSPEND or RESUME means, as mes_suspend() has it; false: it names no gang. */
static bool gang_of(const u32 *f, u64 *gang)
{
	*gang = f[SUSPEND_ALL] & 1 ? 0 : packet_u64(f + SUSPEND_GANG);
	return f[SUSPEND_ALL] & 1 || *gang;
}

/* SUSPEND has a fence of its own besides. */
static void write_suspend_fence(struct gpu *g, const u32 *f)
{
	u64 fence = packet_u64(f + SUSPEND_FENCE) & ~3ull;

	if (fence)
		vm_write(g, 0, fence, &f[SUSPEND_VALUE], 4);
}

/*
 * Name the queues that hang: doorbells, and where they are, behind the room for the doorbells of
 * all places (amdgpu_mes_init()). The driver has cleared both.
 */
static int find_hung(struct gpu *g, const u32 *f)
{
	if (param.mes_version < VERSION_HANGS || f[RESET_FLAGS] != RESET_FIND)
		return -EOPNOTSUPP;
	return mes_find_hung(g, f[RESET_TYPE], packet_u64(f + RESET_FOUND) & ~3ull);
}

/* Wait for a register, or write one and wait for another. */
static int wait_reg_mem(struct gpu *g, const u32 *d)
{
	const u32 op = d[0], ref = d[1], mask = d[2], first = d[3] * 4, second = d[4] * 4;
	struct mes *m = g->mes;
	u32 val;

	if (op > 1)
		return -EINVAL;
	if (op && !m->begun)
		regs_write(g, first, ref);
	m->begun = true;
	val = regs_read(g, op ? second : first);
	return (val & mask) == (ref & mask) ? 0 : -EAGAIN;
}

static int misc(struct gpu *g, const u32 *f)
{
	const u32 *d = f + MISC_DATA;
	u32 val;

	switch (f[MISC_OPCODE]) {
	case MISC_WRITE_REG:
		regs_write(g, d[0] * 4, d[1]);
		return 0;
	case MISC_READ_REG:
		val = regs_read(g, d[0] * 4);
		return vm_write(g, 0, packet_u64(d + 1) & ~3ull, &val, 4);
	case MISC_WAIT_REG_MEM:
		return wait_reg_mem(g, d);
	case MISC_INV_GART:
		vm_invalidate(g, 1);
		return 0;
	case MISC_QUERY_STATUS:
	case MISC_SET_SHADER_DEBUGGER:	/* also at each process' end */
	case MISC_CHANGE_CONFIG:	/* one process at a time: Linux 7.3 does not want that */
		return 0;
	default:
		return -EINVAL;
	}
}

static int execute(struct gpu *g, unsigned int op, const u32 *f)
{
	u64 gang;

	switch (op) {
	case SET_HW_RSRC:
		return set_resources(g, f);
	case ADD_QUEUE:
		return add_queue(g, f);
	case REMOVE_QUEUE:
		return remove_queue(g, f);
	case SUSPEND:
		return gang_of(f, &gang) ? mes_suspend(g, gang) : -EINVAL;
	case RESUME:
		return gang_of(f, &gang) ? mes_resume(g, gang) : -EINVAL;
	case RESET:
		return find_hung(g, f);
	case MISC:
		return misc(g, f);
	case SET_HW_RSRC_1:
	case QUERY_SCHEDULER_STATUS:
	case SET_LOG_BUFFER:
	case SET_DEBUG_VMID:
	case AMD_LOG:
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static bool is_valid(u32 header)
{
	return HEADER_TYPE(header) == TYPE_SCHEDULER && HEADER_DWORDS(header) == FRAME_DWORDS &&
	       HEADER_OPCODE(header) < OPCODES && status_at[HEADER_OPCODE(header)];
}

/* Does it take work of processes off? Faults of preemptions happen to those. */
static bool preempts(const u32 *f)
{
	switch (HEADER_OPCODE(f[0])) {
	case REMOVE_QUEUE:
		return !(f[REMOVE_FLAGS] & (REMOVE_PREEMPT_GFX | REMOVE_UNMAP_LEGACY));
	case SUSPEND:
		return true;
	}
	return false;
}

/* Its effect, and the answer. True: it is over. */
static bool finish(struct gpu *g)
{
	struct mes *m = g->mes;
	const u32 *f = m->frame;
	const unsigned int op = HEADER_OPCODE(f[0]);
	int err;

	if (!is_valid(f[0])) {
		log_warn("MES: frame 0x%08x is none", f[0]);
		return true;
	}
	err = execute(g, op, f);
	if (err == -EAGAIN && preempts(f) && param.mes_version >= VERSION_HANGS &&
	    gpu_now() >= m->done_at + param.mes_hang_us * NS_PER_US)
		err = -ETIME;
	if (err == -EAGAIN) {
		m->poll_ns = m->poll_ns ? m->poll_ns * 2 : POLL_MIN_NS;
		if (m->poll_ns > POLL_MAX_NS)
			m->poll_ns = POLL_MAX_NS;
		mec_kick_at(g, gpu_now() + m->poll_ns);
		return false;
	}
	if (err)
		log_warn("MES: frame of opcode %u refused (%d)", op, err);
	else if (preempts(f) && fault_hit(FAULT_LOSE_FENCE, NULL))
		return true;
	else if (vm_write(g, 0, packet_u64(f + status_at[op]) & ~7ull, f + status_at[op] + 2, 8))
		log_warn("MES: the fence of opcode %u is not in memory", op);
	if (!err && op == SUSPEND)
		write_suspend_fence(g, f);
	return true;
}

/* The next frame of its ring, if there is one. */
static bool take(struct gpu *g, struct hqd *h)
{
	const u32 log2 = RING_LOG2(h->reg[HQD(MQD_PQ_CONTROL)]);
	const u32 mask = (1u << (log2 < RING_LOG2_MAX ? log2 : RING_LOG2_MAX)) - 1;
	const struct stream st = {
		.base = ((u64)h->reg[HQD(MQD_PQ_BASE_HI)] << 32 | h->reg[HQD(MQD_PQ_BASE_LO)]) << 8,
		.pos = h->reg[HQD(MQD_PQ_RPTR)] & mask,
		.avail = (h->reg[HQD(MQD_PQ_WPTR_LO)] - h->reg[HQD(MQD_PQ_RPTR)]) & mask,
		.mask = mask,
	};
	struct mes *m = g->mes;

	if (st.avail < FRAME_DWORDS)
		return false;
	if (stream_read(g, &st, 0, FRAME_DWORDS, m->frame)) {
		log_warn("MES: its ring is not in memory");
		h->reg[HQD(MQD_PQ_RPTR)] = h->reg[HQD(MQD_PQ_WPTR_LO)];
		return false;
	}
	mec_pm4(g, h)->waiting = true;
	m->taken = true;
	m->begun = false;
	m->poll_ns = 0;
	m->done_at = gpu_now() + param.mes_packet_ns;
	if (preempts(m->frame))
		m->done_at = fault_preempt_end(m->done_at);
	return true;
}

static bool ring(struct gpu *g, struct hqd *h)
{
	struct mes *m = g->mes;
	u64 addr = h->reg[HQD(MQD_RPTR_REPORT_LO)] | (u64)h->reg[HQD(MQD_RPTR_REPORT_HI)] << 32;

	/* a driver that comes back maps its ring anew, without the frame in work */
	m->taken &= mec_pm4(g, h)->waiting;
	while (m->taken || take(g, h)) {
		if (gpu_now() < m->done_at) {
			mec_kick_at(g, m->done_at);
			return false;
		}
		if (!finish(g))
			return false;
		m->taken = false;
		h->reg[HQD(MQD_PQ_RPTR)] += FRAME_DWORDS;
		if (addr)
			vm_write(g, 0, addr & ~3ull, &h->reg[HQD(MQD_PQ_RPTR)], 4);
	}
	return false;
}

static int start(struct gpu *g)
{
	g->mes = calloc(1, sizeof(*g->mes));
	return g->mes ? 0 : -ENOMEM;
}

static void stop(struct gpu *g)
{
	mes_forget(g);
	free(g->mes);
	g->mes = NULL;
}

static void reset(struct gpu *g)
{
	mes_forget(g);
	memset(g->mes, 0, sizeof(*g->mes));
}

const struct sched_ops mes_sched = {
	.start = start,
	.stop = stop,
	.reset = reset,
	.turn = mes_rotate,
	.ring = ring,
};
