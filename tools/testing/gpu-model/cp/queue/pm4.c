// SPDX-License-Identifier: GPL-2.0
/*
 * PM4 rings. The state of a queue between two packets is in its registers
 * (read pointer, write pointer, indirect buffer), so that an unmapped queue
 * goes on where it was. Packets of processes reach memory through their own
 * VMID only, and no register.
 */
#include <errno.h>
#include <string.h>

#include "asic.h"
#include "bus/regs.h"
#include "cp/queue/engine.h"
#include "cp/queue/pm4.h"
#include "cp/queue/pm4_dispatch.h"
#include "cp/queue/release.h"
#include "cp/queue/sched.h"
#include "cp/queue/signal.h"
#include "cp/queue/slot.h"
#include "host/fault.h"
#include "host/log.h"
#include "host/params.h"
#include "vm/ih.h"
#include "vm/packet.h"
#include "vm/vm.h"

#define PQ_SIZE_LOG2(v)		(((v) & 0x3f) + 1)	/* dwords */
#define PQ_SIZE_LOG2_MAX	28			/* 1 GiB, as amdkfd allows */
#define IB_SIZE(v)		((v) & 0xfffff)
#define IB_MIN_AVAIL		(3u << 20)
#define IB_CHAIN		(1u << 20)		/* in the packet */

#define MAX_PAYLOAD		0x4000			/* dwords a header can announce */
#define NOP_SINGLE		0x3fff			/* count of a NOP without payload */

#define EVENT_CS_PARTIAL_FLUSH	7
#define SH_REG_BASE		0x2c00	/* dwords */
#define SCRATCH_REGS		8

/* MAP_QUEUES' engine_sel */
enum { ENGINE_COMPUTE = 0, ENGINE_HIQ = 1, ENGINE_MES = 5 };

/* Outcome of a packet: 0, -EINVAL (skip it), -EAGAIN (try again later), or a hold time. */

/* Registers are the kernel's: a process that names one is refused. */
static bool may_use_regs(const struct hqd *h, const char *packet)
{
	if (!h->is_user)
		return true;
	log_warn("%s of a process (vmid %u) names a register: ignored", packet, h->vmid);
	return false;
}

/* Registers by dword offset, as packets name them. */
static u32 reg_read(struct gpu *g, const struct hqd *h, u32 dw)
{
	return regs_read(g, regs_in_packet(h->xcc, dw * 4));
}

static void reg_write(struct gpu *g, const struct hqd *h, u32 dw, u32 val)
{
	regs_write(g, regs_in_packet(h->xcc, dw * 4), val);
}

/* Has what the queue dispatched before ended? */
static bool idle(const struct hqd *h)
{
	return !h->uq || !h->uq->begun;
}

static s64 wait_reg_mem(struct gpu *g, struct hqd *h, struct pm4_state *s, u32 vmid,
			const u32 *p, u32 n)
{
	unsigned int function = p[0] & 7, operation = p[0] >> 6 & 3;
	u32 val, ref = p[3], mask = p[4];
	bool memory = p[0] >> 4 & 1;

	if (n < 6)
		return -EINVAL;
	if ((!memory || operation == 1) && !may_use_regs(h, "WAIT_REG_MEM"))
		return 0;
	if (operation == 1) {		/* write the first, wait for the second */
		if (!s->waiting)
			reg_write(g, h, p[1], ref);
		val = reg_read(g, h, p[2]);
		ref &= mask;
	} else if (memory) {
		if (vm_read(g, vmid, packet_u64(p + 1) & ~3ull, &val, 4))
			return -EFAULT;
	} else {
		val = reg_read(g, h, p[1]);
	}
	if (packet_compare(function, val & mask, ref)) {
		s->waiting = false;
		return 0;
	}
	s->poll_ns = s->waiting ? s->poll_ns * 2 : POLL_MIN_NS;
	if (s->poll_ns > POLL_MAX_NS)
		s->poll_ns = POLL_MAX_NS;
	s->waiting = true;
	return -EAGAIN;
}

static s64 write_data(struct gpu *g, struct hqd *h, u32 vmid, const u32 *p, u32 n)
{
	unsigned int dst = p[0] >> 8 & 15;
	bool one_address = p[0] >> 16 & 1;
	u32 i;

	if (n < 4)
		return -EINVAL;
	if (dst == 0) {
		if (!may_use_regs(h, "WRITE_DATA"))
			return 0;
		for (i = 3; i < n; i++)
			reg_write(g, h, p[1] + (one_address ? 0 : i - 3), p[i]);
		return 0;
	}
	if (dst != 1 && dst != 2 && dst != 5)
		return -EINVAL;
	if (one_address)
		return vm_write(g, vmid, packet_u64(p + 1) & ~3ull, &p[n - 1], 4);
	return vm_write(g, vmid, packet_u64(p + 1) & ~3ull, &p[3], 4ull * (n - 3));
}

static s64 copy_data(struct gpu *g, struct hqd *h, u32 vmid, const u32 *p, u32 n)
{
	unsigned int src = p[0] & 15, dst = p[0] >> 8 & 15;
	size_t len = p[0] >> 16 & 1 ? 8 : 4;
	u64 val = 0;

	if (n < 5)
		return -EINVAL;
	if ((src == 0 || dst == 0) && !may_use_regs(h, "COPY_DATA"))
		return 0;
	switch (src) {
	case 0:
		val = reg_read(g, h, p[1]);
		if (len == 8)
			val |= (u64)reg_read(g, h, p[1] + 1) << 32;
		break;
	case 1:
	case 2:
		if (vm_read(g, vmid, packet_u64(p + 1) & ~3ull, &val, len))
			return -EFAULT;
		break;
	case 5:
		val = packet_u64(p + 1);
		break;
	case 9:
		val = gpu_now() / GPU_CLOCK_NS;
		break;
	default:
		return -EINVAL;
	}
	switch (dst) {
	case 0:
		reg_write(g, h, p[3], (u32)val);
		if (len == 8)
			reg_write(g, h, p[3] + 1, (u32)(val >> 32));
		return 0;
	case 1:
	case 2:
	case 5:
		return vm_write(g, vmid, packet_u64(p + 3) & ~3ull, &val, len);
	default:
		return -EINVAL;
	}
}

/*
 * At the end of what the queue dispatched before; packets behind this one do not
 * wait. One too many holds its queue up.
 */
static s64 release_mem(struct gpu *g, struct hqd *h, u32 vmid, const u32 *p, u32 n)
{
	if (n < 6 || (p[1] >> 29 & 7) > 4)
		return -EINVAL;
	if (idle(h))
		return release_now(g, h, vmid, p);
	return release_later(h->uq, p) ? 0 : -EAGAIN;
}

/* Do all of @n registers from @reg on belong to everybody? */
static bool is_scratch(struct gpu *g, u32 reg, u32 n)
{
	u32 first = reg_at(g, 0, REG_SCRATCH_REG0) / 4;

	return asic_of(g)->scratch_regs && reg >= first && reg + n <= first + SCRATCH_REGS;
}

/* SET_*_REG: @base is the first dword register of the packet's kind. */
static s64 set_regs(struct gpu *g, struct hqd *h, u32 base, u32 end, const u32 *p, u32 n)
{
	u32 i, reg = base + (p[0] & 0xffff);

	if (n < 2 || reg + (n - 1) > end)
		return -EINVAL;
	if (h->uq && base == SH_REG_BASE)
		return compute_set_regs(h->uq, reg, p + 1, n - 1);
	if (!is_scratch(g, reg, n - 1) && !may_use_regs(h, "SET_REG"))
		return 0;
	for (i = 1; i < n; i++)
		reg_write(g, h, reg + i - 1, p[i]);
	return 0;
}

static void set_ib(struct hqd *h, const u32 *p)
{
	h->reg[HQD(MQD_IB_BASE_LO)] = p[0] & ~3u;
	h->reg[HQD(MQD_IB_BASE_HI)] = p[1] & 0xffff;
	h->reg[HQD(MQD_IB_RPTR)] = 0;
	h->reg[HQD(MQD_IB_CONTROL)] = (h->reg[HQD(MQD_IB_CONTROL)] & IB_MIN_AVAIL) |
				      IB_SIZE(p[2]) | IB_PROCESSING;
}

/* Enter the buffer; a chain from inside one replaces it. */
static s64 indirect_buffer(struct hqd *h, struct pm4_state *s, bool in_ib, const u32 *p, u32 n)
{
	if (n < 3)
		return -EINVAL;
	if (in_ib && !(p[2] & IB_CHAIN)) {
		log_warn("indirect buffer within an indirect buffer");
		return -EINVAL;
	}
	if (!IB_SIZE(p[2]))
		return 0;
	set_ib(h, p);
	s->ib_vmid = h->vmid ? h->vmid : p[2] >> 24 & 15;
	return 1;
}

int pm4_enter_ib(struct hqd *h, const u32 p[4])
{
	if (p[0] >> 30 != 3 || (p[0] >> 8 & 0xff) != PM4_INDIRECT_BUFFER || !h->vmid)
		return -EINVAL;
	set_ib(h, p + 1);
	return 0;
}

static s64 dispatch_direct(struct hqd *h, const u32 *p, u32 n)
{
	enum aql_error error;
	bool wait = false;

	if (n < 4 || !h->uq)
		return -EINVAL;
	error = pm4_dispatch(h->uq, p, &wait);
	if (error)
		queue_fail(h->uq, error);
	return wait || error ? -EAGAIN : 0;
}

/*
 * MAP_QUEUES of the KIQ. A driver that comes back maps its HIQ over the one it
 * left: a kernel queue is replaced, never a process' queue nor the KIQ itself.
 */
static s64 map_queues(struct gpu *g, struct hqd *kiq, const u32 *p, u32 n)
{
	unsigned int vmid = p[0] >> 8 & 15, queue = p[0] >> 13 & 7, pipe = p[0] >> 16 & 3;
	unsigned int me = (p[0] >> 18 & 1) + 1, engine = p[0] >> 26 & 7;
	struct hqd *h = mec_hqd(g, kiq->xcc, engine == ENGINE_MES ? ME_MES : me, pipe, queue);
	int err;

	if (n < 6 || !h || (engine > ENGINE_HIQ && engine != ENGINE_MES))
		return -EINVAL;
	if (engine == ENGINE_HIQ && !asic_of(g)->sched->packet)
		return -EINVAL;
	if (h->active && (h->is_user || h == kiq)) {
		log_warn("MAP_QUEUES: me %u pipe %u queue %u is in use", me, pipe, queue);
		return -EINVAL;
	}
	mec_unmap(g, h);
	err = mec_map(g, h, packet_u64(p + 2) & ~3ull, vmid);
	if (err)
		return err;
	if (engine == ENGINE_HIQ)
		mec_set_hiq(g, h);
	return 0;
}

static s64 unmap_queues(struct gpu *g, const struct hqd *kiq, const u32 *p, u32 n)
{
	unsigned int action = p[0] & 3, select = p[0] >> 4 & 3;
	struct hqd *h;

	if (n < 2 || select)
		return -EINVAL;
	h = mec_find_doorbell(g, kiq->xcc, (p[1] & 0x0ffffffc) >> 2);
	if (!h)
		return 0;
	if (action == 3)	/* preempt without unmapping: nothing runs behind its back */
		return 0;
	slot_kill(g, h);
	return 0;
}

/* What is behind it is executed, or not, as memory says: *@skip dwords are not. */
static s64 cond_exec(struct gpu *g, u32 vmid, const u32 *p, u32 n, u32 *skip)
{
	u32 val;

	if (n < 4)
		return -EINVAL;
	if (vm_read(g, vmid, packet_u64(p) & ~3ull, &val, 4))
		return -EFAULT;
	*skip = val ? 0 : p[3] & 0x3fff;
	return 0;
}

/* Packets of a graphics queue that draws nothing: its state and the order of its engines. */
static bool is_gfx_state(const struct hqd *h, unsigned int op)
{
	if (h->me != ME_GFX)
		return false;
	switch (op) {
	case PM4_CLEAR_STATE:
	case PM4_CONTEXT_CONTROL:
	case PM4_PFP_SYNC_ME:
	case PM4_PREAMBLE_CNTL:
	case PM4_SET_CONTEXT_REG:
	case PM4_SWITCH_BUFFER:
	case PM4_FRAME_CONTROL:
		return true;
	default:
		return false;
	}
}

static s64 query_status(struct gpu *g, u32 vmid, const u32 *p, u32 n)
{
	u64 val;

	if (n < 6)
		return -EINVAL;
	val = packet_u64(p + 4);
	return vm_write(g, vmid, packet_u64(p + 2) & ~7ull, &val, 8);
}

static s64 invalidate_tlbs(struct gpu *g, const u32 *p)
{
	u16 pasid = p[0] >> 5 & 0xffff;
	unsigned int v;

	for (v = 1; v < VM_COUNT; v++)
		if (ih_vmid_pasid(g, v) == pasid)
			vm_invalidate(g, 1u << v);
	return 0;
}

/* Execute one packet. In addition to the outcomes above, 1 means: an IB was entered. */
static s64 execute(struct gpu *g, struct hqd *h, struct pm4_state *s, const struct stream *st,
		   bool in_ib, unsigned int op, const u32 *p, u32 n)
{
	const struct sched_ops *sched = asic_of(g)->sched;

	switch (op) {
	case PM4_NOP:
		return 0;
	case PM4_EVENT_WRITE:
		return (p[0] & 0x3f) == EVENT_CS_PARTIAL_FLUSH && !idle(h) ? -EAGAIN : 0;
	case PM4_ACQUIRE_MEM:		/* memory is coherent here */
		return 0;
	case PM4_DISPATCH_DIRECT:
		return dispatch_direct(h, p, n);
	case PM4_WRITE_DATA:
		return write_data(g, h, st->vmid, p, n);
	case PM4_WAIT_REG_MEM:
		return wait_reg_mem(g, h, s, st->vmid, p, n);
	case PM4_INDIRECT_BUFFER:
		return indirect_buffer(h, s, in_ib, p, n);
	case PM4_COPY_DATA:
		return copy_data(g, h, st->vmid, p, n);
	case PM4_RELEASE_MEM:
		return release_mem(g, h, st->vmid, p, n);
	case PM4_SET_CONFIG_REG:
		return set_regs(g, h, 0x2000, 0x2c00, p, n);
	case PM4_SET_SH_REG:
		return set_regs(g, h, SH_REG_BASE, 0x3000, p, n);
	case PM4_SET_UCONFIG_REG:
		return set_regs(g, h, 0xc000, 0x10000, p, n);
	}
	if (h->is_user)
		return -EINVAL;
	switch (op) {
	case PM4_INVALIDATE_TLBS:
		return invalidate_tlbs(g, p);
	case PM4_RUN_CLEANER_SHADER:	/* a wave finds nothing of an earlier one's here */
		return 0;
	case PM4_SET_RESOURCES:
		return s->hiq ? sched->packet(g, h->xcc, op, p, n) : 0;
	case PM4_MAP_QUEUES:
		return s->hiq ? sched->packet(g, h->xcc, op, p, n) : map_queues(g, h, p, n);
	case PM4_UNMAP_QUEUES:
		return s->hiq ? sched->packet(g, h->xcc, op, p, n) : unmap_queues(g, h, p, n);
	case PM4_QUERY_STATUS:
		return s->hiq ? sched->packet(g, h->xcc, op, p, n) : query_status(g, st->vmid, p, n);
	case PM4_MAP_PROCESS:
	case PM4_RUN_LIST:
		return s->hiq ? sched->packet(g, h->xcc, op, p, n) : -EINVAL;
	default:
		return -EINVAL;
	}
}

/*
 * Take the next packet of @st. Return as execute(); *@taken: dwords to skip,
 * 0 while it waits.
 */
static s64 step(struct gpu *g, struct hqd *h, struct pm4_state *s, const struct stream *st,
		bool in_ib, u32 *taken)
{
	static _Thread_local u32 payload[MAX_PAYLOAD];
	u32 header, n, skip = 0;
	unsigned int op;
	s64 ret;

	*taken = st->avail;	/* what cannot be parsed loses the rest */
	if (stream_read(g, st, 0, 1, &header))
		return -EFAULT;
	if (s->hiq && fault_hit(FAULT_CORRUPT_HIQ_PACKET, NULL))
		header = 0;
	switch (header >> 30) {
	case 2:
		*taken = 1;
		return 0;
	case 3:
		break;
	default:
		log_warn("PM4: header 0x%08x on me %u pipe %u queue %u is of no known type",
			 header, h->me, h->pipe, h->queue);
		/*
		 * The scheduler's firmware stops at one: amdkfd sends it on purpose
		 * (pm_debugfs_hang_hws()) and the driver's recovery wants it so.
		 */
		if (s->hiq) {
			s->hung = true;
			*taken = 0;
			log_event("hiq-hang", "header=0x%08x", header);
			return -EAGAIN;
		}
		return -EINVAL;
	}
	op = header >> 8 & 0xff;
	n = (header >> 16 & 0x3fff) + 1;
	if (op == PM4_NOP && n == NOP_SINGLE + 1) {
		*taken = 1;
		return 0;
	}
	if (n + 1 > st->avail) {
		log_warn("PM4: packet 0x%02x of %u dwords ends behind the %u that were written",
			 op, n + 1, st->avail);
		return -EINVAL;
	}
	*taken = n + 1;
	if (op == PM4_NOP)
		return 0;
	/* Short packets read zeros where a longer one has its fields. */
	memset(payload, 0, 8 * sizeof(payload[0]));
	if (stream_read(g, st, 1, n, payload))
		return -EFAULT;
	if (is_gfx_state(h, op))
		return 0;
	if (op == PM4_COND_EXEC && asic_of(g)->mes == MES_COUNT) {
		ret = cond_exec(g, st->vmid, payload, n, &skip);
		if (skip > st->avail - *taken)
			ret = -EINVAL;
		else
			*taken += skip;
	} else {
		ret = execute(g, h, s, st, in_ib, op, payload, n);
	}
	if (ret == -EAGAIN)
		*taken = 0;
	else if (ret == -EINVAL)
		log_warn("PM4: packet 0x%02x of %u dwords on me %u pipe %u queue %u refused",
			 op, n + 1, h->me, h->pipe, h->queue);
	return ret;
}

static void report_rptr(struct gpu *g, struct hqd *h)
{
	u64 addr = h->reg[HQD(MQD_RPTR_REPORT_LO)] | (u64)h->reg[HQD(MQD_RPTR_REPORT_HI)] << 32;

	if (addr)
		vm_write(g, h->vmid, addr & ~3ull, &h->reg[HQD(MQD_PQ_RPTR)], 4);
}

/* Dwords of the ring. */
static u32 ring_size(const struct hqd *h)
{
	u32 log2 = PQ_SIZE_LOG2(h->reg[HQD(MQD_PQ_CONTROL)]);

	return 1u << (log2 < PQ_SIZE_LOG2_MAX ? log2 : PQ_SIZE_LOG2_MAX);
}

bool pm4_has_packet(const struct hqd *h)
{
	return h->reg[HQD(MQD_IB_CONTROL)] & IB_PROCESSING ||
	       (h->reg[HQD(MQD_PQ_WPTR_LO)] - h->reg[HQD(MQD_PQ_RPTR)]) & (ring_size(h) - 1);
}

bool pm4_run(struct gpu *g, struct hqd *h, struct pm4_state *s)
{
	u32 size = ring_size(h), budget, taken;
	bool ring_moved = false;
	s64 ret;

	if (s->hung)
		return false;
	for (budget = PM4_TURN_PACKETS; budget && h->active; budget--) {
		bool in_ib = h->reg[HQD(MQD_IB_CONTROL)] & IB_PROCESSING;
		struct stream st;

		if (h->uq && h->uq->error)
			break;
		if (h->aql && !in_ib)
			break;

		if (s->hold_until > gpu_now()) {
			mec_kick_at(g, s->hold_until);
			break;
		}
		if (in_ib) {
			st.vmid = h->vmid ? h->vmid : s->ib_vmid;
			st.base = h->reg[HQD(MQD_IB_BASE_LO)] | (u64)h->reg[HQD(MQD_IB_BASE_HI)] << 32;
			st.pos = h->reg[HQD(MQD_IB_RPTR)];
			st.avail = IB_SIZE(h->reg[HQD(MQD_IB_CONTROL)]) - st.pos;
			st.mask = STREAM_LINEAR;
		} else {
			st.vmid = h->vmid;
			st.base = (u64)h->reg[HQD(MQD_PQ_BASE_LO)] << 8 |
				  (u64)h->reg[HQD(MQD_PQ_BASE_HI)] << 40;
			st.pos = h->reg[HQD(MQD_PQ_RPTR)] & (size - 1);
			st.avail = (h->reg[HQD(MQD_PQ_WPTR_LO)] - st.pos) & (size - 1);
			st.mask = size - 1;
		}
		if (!st.avail) {
			if (!in_ib)
				break;
			h->reg[HQD(MQD_IB_CONTROL)] &= IB_MIN_AVAIL;
			continue;
		}

		ret = step(g, h, s, &st, in_ib, &taken);
		if (ret == -EAGAIN) {
			/* The scheduler kicks for itself when it wants to go on. */
			if (s->waiting)
				mec_kick_at(g, gpu_now() + s->poll_ns);
			break;
		}
		if (!h->active)		/* the packet unmapped its own queue */
			return true;
		if (h->uq && ret < 0) {
			queue_fail(h->uq, ret == -EINVAL ? AQL_BAD_PACKET : AQL_FAULT);
			break;
		}
		/* A chained buffer starts anew; one entered from the ring leaves the ring behind it. */
		if (!in_ib) {
			h->reg[HQD(MQD_PQ_RPTR)] = (st.pos + taken) & (size - 1);
			ring_moved = true;
		} else if (ret != 1) {
			h->reg[HQD(MQD_IB_RPTR)] = st.pos + taken;
		}
		if (ret > 1) {
			s->hold_until = ret;
			mec_kick_at(g, ret);
		}
	}
	if (ring_moved)
		report_rptr(g, h);
	return !budget && !(h->uq && h->uq->error);
}
