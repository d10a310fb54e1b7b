// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT scan: registers and MQDs of gfx11, which has one XCC.
 */

#include "amdgpu.h"
#include "gc/gc_11_0_0_offset.h"
#include "soc21.h"
#include "v11_structs.h"
#include "slots.h"

static void select_queue(struct amdgpu_device *adev, u32 xcc, u32 me, u32 pipe, u32 queue)
{
	soc21_grbm_select(adev, me, pipe, queue, 0);
}

static unsigned int read_waves(struct kfd_node *node, struct kfd_gpreempt_scan *scan)
{
	static const struct kfd_gpreempt_slots slots = {
		.select = select_queue,
		.status = regSPI_CSQ_WF_ACTIVE_STATUS,
		.count = regSPI_CSQ_WF_ACTIVE_COUNT_0,
		.doorbell = regCP_HQD_PQ_DOORBELL_CONTROL,
		.rptr = regCP_HQD_PQ_RPTR,
	};

	return kfd_gpreempt_read_slots(node, scan, &slots);
}

/*
 * Which compute units does a queue's CU mask bar? 32 of each shader engine are told apart, 16 of
 * each of its two arrays.
 */
static void read_cus(const struct queue *q, struct gpreempt_cus *cus)
{
	unsigned int i, engines = q->device->adev->gfx.config.max_shader_engines;
	const struct v11_compute_mqd *m = q->mqd;
	const u32 mask[] = {
		m->compute_static_thread_mgmt_se0, m->compute_static_thread_mgmt_se1,
		m->compute_static_thread_mgmt_se2, m->compute_static_thread_mgmt_se3,
		m->compute_static_thread_mgmt_se4, m->compute_static_thread_mgmt_se5,
		m->compute_static_thread_mgmt_se6, m->compute_static_thread_mgmt_se7,
	};
	u32 barred[sizeof(*cus) / sizeof(u32)];

	/* so are engines that there are not */
	memset(barred, 0xff, sizeof(barred));
	for (i = 0; i < min_t(unsigned int, engines, ARRAY_SIZE(mask)); i++)
		barred[i] = ~mask[i];
	memcpy(cus, barred, sizeof(barred));
}

/* As on gfx9: saved waves lie above the control stack. */
static bool has_saved(const struct queue *q)
{
	const struct v11_compute_mqd *m = q->mqd;

	return m->cp_hqd_wg_state_offset > m->cp_hqd_cntl_stack_size;
}

static bool is_bare(const struct queue *q)
{
	const struct v11_compute_mqd *m = q->mqd;

	return m->cp_hqd_cntl_stack_offset >= m->cp_hqd_cntl_stack_size &&
	       m->cp_hqd_wg_state_offset <= m->cp_hqd_cntl_stack_size;
}

const struct kfd_gpreempt_hw kfd_gpreempt_gfx_v11 = {
	.read_waves = read_waves,
	.read_cus = read_cus,
	.has_saved = has_saved,
	.is_bare = is_bare,
	.wave32 = true,
};
