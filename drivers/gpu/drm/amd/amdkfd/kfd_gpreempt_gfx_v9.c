// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT scan: registers of gfx9, those of every XCC of the node.
 *
 * Which slot holds which queue is the firmware's choice, and under
 * oversubscription it changes without the driver. So a slot is always read
 * together with the doorbell offset that names its queue, under one lock.
 */

#include "amdgpu.h"
#include "gc/gc_9_0_offset.h"
#include "gc/gc_9_0_sh_mask.h"
#include "soc15_common.h"
#include "soc15.h"
#include "v9_structs.h"
#include "kfd_gpreempt_priv.h"

#define BROADCAST	0xffffffff
#define MAX_ENGINES	32U

/* A register access is about 1 us on PCIe: each one is counted. */
struct access {
	struct amdgpu_device *adev;
	unsigned int nr;
	u32 xcc;	/* logical */
	int slot;	/* selected, -1 at first */
	u32 engine;	/* selected last */
};

static void select_queue(struct access *a, u32 me, u32 pipe, u32 queue)
{
	struct amdgpu_device *adev = a->adev;

	a->nr++;
	soc15_grbm_select(adev, me, pipe, queue, 0, GET_INST(GC, a->xcc));
}

static void select_slot(struct access *a, int slot)
{
	u32 per_pipe = a->adev->gfx.mec.num_queue_per_pipe;

	if (a->slot == slot)
		return;
	a->slot = slot;
	select_queue(a, 1, slot / per_pipe, slot % per_pipe);
}

static void select_engine(struct access *a, u32 engine)
{
	a->engine = engine;
	a->nr++;
	amdgpu_gfx_select_se_sh(a->adev, engine, engine == BROADCAST ? engine : 0,
				BROADCAST, a->xcc);
}

static u32 read_status(struct access *a)
{
	struct amdgpu_device *adev = a->adev;

	a->nr++;
	return RREG32_SOC15(GC, GET_INST(GC, a->xcc), mmSPI_CSQ_WF_ACTIVE_STATUS);
}

/* The selected pipe's slot on the selected engine. */
static u32 read_waves(struct access *a, u32 slot)
{
	struct amdgpu_device *adev = a->adev;
	u32 reg = SOC15_REG_OFFSET(GC, GET_INST(GC, a->xcc), mmSPI_CSQ_WF_ACTIVE_COUNT_0) +
		  slot % adev->gfx.mec.num_queue_per_pipe;

	a->nr++;
	return RREG32_SOC15_IP(GC, reg) & SPI_CSQ_WF_ACTIVE_COUNT_0__COUNT_MASK;
}

/* The first engine on which a slot has waves. */
static u32 first_engine(const unsigned long *status, unsigned int slot)
{
	u32 engine = 0;

	while (!test_bit(slot, &status[engine]))
		engine++;
	return engine;
}

/* What names the selected slot's queue. */
static u32 read_doorbell_off(struct access *a)
{
	struct amdgpu_device *adev = a->adev;

	a->nr++;
	return REG_GET_FIELD(RREG32_SOC15(GC, GET_INST(GC, a->xcc), mmCP_HQD_PQ_DOORBELL_CONTROL),
			     CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET);
}

static bool is_active(struct access *a)
{
	struct amdgpu_device *adev = a->adev;

	a->nr++;
	return RREG32_SOC15(GC, GET_INST(GC, a->xcc), mmCP_HQD_ACTIVE) & CP_HQD_ACTIVE__ACTIVE_MASK;
}

/*
 * The selected slot's queue, which may have one on another XCC, too: that is the
 * same entry. NULL: no room, because queues changed places while they were read.
 */
static struct kfd_gpreempt_slot *read_queue(struct access *a, unsigned int flags,
					    struct kfd_gpreempt_slot *slots, unsigned int *nr)
{
	struct amdgpu_device *adev = a->adev;
	u32 doorbell_off = read_doorbell_off(a);
	struct kfd_gpreempt_slot *s;

	for (s = slots; s < slots + *nr; s++)
		if (s->doorbell_off == doorbell_off)
			return s;
	if (*nr == GPREEMPT_MAX_SLOTS)
		return NULL;
	++*nr;
	s->waves = 0;
	s->doorbell_off = doorbell_off;
	if (flags & GPREEMPT_READ_RPTR) {
		a->nr++;
		s->rptr = RREG32_SOC15(GC, GET_INST(GC, a->xcc), mmCP_HQD_PQ_RPTR);
	}
	return s;
}

/*
 * STATUS has a bit per slot and is per shader engine, so it comes first and
 * tells which slots are worth a look. As kgd_gfx_v9_get_cu_occupancy() does,
 * bits are taken to number the slots of the first micro engine.
 *
 * A slot costs three accesses: it is selected, named, and its waves are counted
 * on one engine only. Waves are spread evenly over the engines that have some,
 * and how many there are is of interest for the cost of saving them alone. They
 * are spread over XCCs, too, but by workgroups: a queue may have some on one only.
 */
static void read_xcc(struct access *a, const unsigned long *kfd_slots, unsigned int flags,
		     struct kfd_gpreempt_slot *slots, unsigned int *nr)
{
	unsigned int engines = min(a->adev->gfx.config.max_shader_engines, MAX_ENGINES);
	unsigned long status[MAX_ENGINES], wanted = 0;
	unsigned int slot, engine, have;
	struct kfd_gpreempt_slot *s;

	a->slot = -1;
	for (engine = 0; engine < engines; engine++) {
		select_engine(a, engine);
		status[engine] = read_status(a);
		wanted |= status[engine];
	}
	if (flags & GPREEMPT_READ_EMPTY)
		wanted = U32_MAX;
	for_each_set_bit(slot, &wanted, GPREEMPT_MAX_SLOTS) {
		if (!test_bit(slot, kfd_slots))
			continue;
		for (engine = 0, have = 0; engine < engines; engine++)
			have += test_bit(slot, &status[engine]);
		select_slot(a, slot);
		/* Waves tell that there is a queue. */
		if (!have && !is_active(a))
			continue;
		s = read_queue(a, flags, slots, nr);
		if (s && have) {
			if (!test_bit(slot, &status[a->engine]))
				select_engine(a, first_engine(status, slot));
			s->waves += have * read_waves(a, slot);
		}
	}
	select_engine(a, BROADCAST);
	select_queue(a, 0, 0, 0);
}

static unsigned int read_slots(struct kfd_node *node, unsigned int flags,
			       struct kfd_gpreempt_slot *slots, unsigned int *nr)
{
	struct amdgpu_device *adev = node->adev;
	struct access a = { .adev = adev };

	*nr = 0;
	mutex_lock(&adev->srbm_mutex);
	mutex_lock(&adev->grbm_idx_mutex);
	for_each_inst(a.xcc, node->xcc_mask)
		read_xcc(&a, node->kfd->shared_resources.cp_queue_bitmap, flags, slots, nr);
	mutex_unlock(&adev->grbm_idx_mutex);
	mutex_unlock(&adev->srbm_mutex);
	return a.nr;
}

/*
 * The control stack grows down, and is empty where nothing was saved. The MQDs of a
 * node's XCCs lie in a row; that of a single one does not say how far apart.
 */
static bool has_saved(const struct queue *q)
{
	unsigned int i, xccs = NUM_XCC(q->device->xcc_mask);
	const struct v9_mqd *m = q->mqd;

	for (i = 0; i < xccs; i++) {
		if (m->cp_hqd_cntl_stack_offset < m->cp_hqd_cntl_stack_size)
			return true;
		m = (const void *)m + m->cp_mqd_stride_size;
	}
	return false;
}

const struct kfd_gpreempt_hw kfd_gpreempt_gfx_v9 = {
	.read_slots = read_slots,
	.has_saved = has_saved,
};
