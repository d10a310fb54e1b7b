// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT scan: registers of hardware slots, alike in all generations.
 *
 * Which slot holds which queue is the firmware's choice, and under
 * oversubscription it changes without the driver. So a slot is always read
 * together with the doorbell offset that names its queue, under one lock.
 */

#include "amdgpu.h"
#include "gc/gc_9_0_sh_mask.h"
#include "soc15_common.h"
#include "queue.h"
#include "slots.h"

#define BROADCAST	0xffffffff

/**
 * struct access - accesses to registers, which are about 1 us each on PCIe
 * @adev:	the device
 * @slots:	its registers
 * @nr:		how many there were
 * @kfd_slots:	those of KFD's queues
 * @xcc:	logical number of the XCC that is read
 * @asked:	@slotted is known
 * @slotted:	slots that have a queue, by the selected engine
 * @slot:	selected there, %GPREEMPT_MAX_SLOTS at first
 * @named:	slots whose @name is known
 * @name:	doorbell offset of the queue in a slot
 */
struct access {
	struct amdgpu_device *adev;
	const struct kfd_gpreempt_slots *slots;
	unsigned int nr;
	u32 kfd_slots;
	u32 xcc;
	bool asked;
	unsigned long slotted;
	unsigned int slot;
	unsigned long named;
	u32 name[GPREEMPT_MAX_SLOTS];
};

static void select_queue(struct access *a, u32 me, u32 pipe, u32 queue)
{
	a->nr++;
	a->slots->select(a->adev, a->xcc, me, pipe, queue);
}

static void select_slot(struct access *a, unsigned int slot)
{
	u32 per_pipe = a->adev->gfx.mec.num_queue_per_pipe;

	if (a->slot == slot)
		return;
	a->slot = slot;
	select_queue(a, 1, slot / per_pipe, slot % per_pipe);
}

static void select_engine(struct access *a, u32 engine)
{
	a->nr++;
	a->asked = false;
	amdgpu_gfx_select_se_sh(a->adev, engine, engine == BROADCAST ? engine : 0,
				BROADCAST, a->xcc);
}

/* A register of the XCC that is read; all that matter are in the first segment. */
static u32 read_reg(struct access *a, u32 reg)
{
	struct amdgpu_device *adev = a->adev;

	a->nr++;
	return RREG32(adev->reg_offset[GC_HWIP][GET_INST(GC, a->xcc)][0] + reg);
}

static unsigned long slotted(struct access *a)
{
	if (!a->asked) {
		a->slotted = read_reg(a, a->slots->status) & a->kfd_slots;
		a->asked = true;
	}
	return a->slotted;
}

/* A slot's waves on the selected engine. */
static u32 read_count(struct access *a, unsigned int slot)
{
	u32 queue = slot % a->adev->gfx.mec.num_queue_per_pipe;

	select_slot(a, slot);
	return read_reg(a, a->slots->count + queue) & SPI_CSQ_WF_ACTIVE_COUNT_0__COUNT_MASK;
}

static bool is_in(struct access *a, unsigned int slot, u32 doorbell_off)
{
	u32 control;

	if (!test_bit(slot, &a->named)) {
		select_slot(a, slot);
		control = read_reg(a, a->slots->doorbell);
		a->name[slot] = REG_GET_FIELD(control, CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET);
		__set_bit(slot, &a->named);
	}
	return a->name[slot] == doorbell_off;
}

/*
 * A queue is looked for where it was last; then in each slot that has a queue. While the locks are
 * held it is taken to stay where it was found.
 */
static bool find_slot(struct access *a, struct kfd_gpreempt_queue *gpq, unsigned int *slot)
{
	u32 doorbell_off = gpq->scan.doorbell_off;
	u8 *last = &gpq->slot[a->xcc];
	unsigned long slots;

	*slot = *last - 1;
	if (*last && (test_bit(*slot, &a->named) || slotted(a) & BIT(*slot)) &&
	    is_in(a, *slot, doorbell_off))
		return true;
	slots = slotted(a);
	for_each_set_bit(*slot, &slots, GPREEMPT_MAX_SLOTS)
		if (is_in(a, *slot, doorbell_off))
			break;
	*last = *slot < GPREEMPT_MAX_SLOTS ? *slot + 1 : 0;
	return *last;
}

/*
 * STATUS is per shader engine and has a bit for each slot that has a queue, with
 * waves or without. As kgd_gfx_v9_get_cu_occupancy() does, bits are taken to
 * number the slots of the first micro engine.
 *
 * Once all queues have been found, STATUS is not read on the other engines. A queue that is where
 * it was last costs its selection, its name, and a count on each engine up to the first on which
 * it has waves. As a rule it is of no interest how many there are: that number is taken for each
 * engine of each XCC.
 */
static void read_xcc(struct access *a, u32 xccs, struct kfd_gpreempt_scan *scan)
{
	u32 engine, engines = a->adev->gfx.config.max_shader_engines;
	struct gpreempt_queue_view *v;
	unsigned int slot, waves;

	a->slot = GPREEMPT_MAX_SLOTS;
	a->named = 0;
	for (engine = 0; engine < engines; engine++) {
		select_engine(a, engine);
		gpreempt_for_each(v, &scan->view) {
			struct kfd_gpreempt_queue *gpq = kfd_gpreempt_of(v);
			struct kfd_gpreempt_scan_queue *sq = &gpq->scan;

			if (!v->matters || (!v->change.begins && sq->counted) ||
			    !find_slot(a, gpq, &slot))
				continue;
			if (!sq->resident) {
				sq->resident = true;
				v->seen.waves = 0;
				if (!sq->aql) {
					select_slot(a, slot);
					sq->hqd_rptr = read_reg(a, a->slots->rptr);
				}
			}
			waves = read_count(a, slot);
			v->seen.waves += v->change.begins ? waves : waves * engines * xccs;
			if (waves)
				sq->counted = true;
		}
	}
	select_engine(a, BROADCAST);
	select_queue(a, 0, 0, 0);
}

/**
 * kfd_gpreempt_read_slots - &kfd_gpreempt_hw.read_waves of a generation with such registers
 * @node: the node
 * @scan: the scan
 * @slots: the registers
 *
 * Return: number of accesses.
 */
unsigned int kfd_gpreempt_read_slots(struct kfd_node *node, struct kfd_gpreempt_scan *scan,
				     const struct kfd_gpreempt_slots *slots)
{
	struct amdgpu_device *adev = node->adev;
	struct access a = {
		.adev = adev, .slots = slots,
		.kfd_slots = node->kfd->shared_resources.cp_queue_bitmap[0],
	};

	/* Others that need these locks wait for one XCC at most. */
	for_each_inst(a.xcc, node->xcc_mask) {
		guard(mutex)(&adev->srbm_mutex);
		guard(mutex)(&adev->grbm_idx_mutex);
		read_xcc(&a, NUM_XCC(node->xcc_mask), scan);
	}
	return a.nr;
}
