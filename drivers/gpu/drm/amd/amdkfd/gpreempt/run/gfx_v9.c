// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT scan: registers and MQDs of gfx9, those of every XCC of the node.
 */

#include "amdgpu.h"
#include "gc/gc_9_0_offset.h"
#include "soc15_common.h"
#include "soc15.h"
#include "v9_structs.h"
#include "slots.h"

static void select_queue(struct amdgpu_device *adev, u32 xcc, u32 me, u32 pipe, u32 queue)
{
	soc15_grbm_select(adev, me, pipe, queue, 0, GET_INST(GC, xcc));
}

static unsigned int read_waves(struct kfd_node *node, struct kfd_gpreempt_scan *scan)
{
	static const struct kfd_gpreempt_slots slots = {
		.select = select_queue,
		.status = mmSPI_CSQ_WF_ACTIVE_STATUS,
		.count = mmSPI_CSQ_WF_ACTIVE_COUNT_0,
		.doorbell = mmCP_HQD_PQ_DOORBELL_CONTROL,
		.rptr = mmCP_HQD_PQ_RPTR,
	};

	return kfd_gpreempt_read_slots(node, scan, &slots);
}

/*
 * Which compute units does a queue's CU mask bar? 16 of each shader engine are told apart, as
 * gfx9 has no more. KFD spreads a mask over the XCCs, whose MQDs lie in a row.
 */
static void read_cus(const struct queue *q, struct gpreempt_cus *cus)
{
	unsigned int engines = q->device->adev->gfx.config.max_shader_engines;
	unsigned int i, k, n = 0, xccs = NUM_XCC(q->device->xcc_mask);
	u16 barred[sizeof(*cus) / sizeof(u16)];
	const struct v9_mqd *m = q->mqd;

	/* so are engines that there are not */
	memset(barred, 0xff, sizeof(barred));
	for (i = 0; i < xccs; i++) {
		const u32 mask[] = {
			m->compute_static_thread_mgmt_se0, m->compute_static_thread_mgmt_se1,
			m->compute_static_thread_mgmt_se2, m->compute_static_thread_mgmt_se3,
			m->compute_static_thread_mgmt_se4, m->compute_static_thread_mgmt_se5,
			m->compute_static_thread_mgmt_se6, m->compute_static_thread_mgmt_se7,
		};

		for (k = 0; k < min_t(unsigned int, engines, ARRAY_SIZE(mask)); k++, n++)
			if (n < ARRAY_SIZE(barred))
				barred[n] = ~mask[k];
		m = (const void *)m + m->cp_mqd_stride_size;
	}
	memcpy(cus, barred, sizeof(barred));
}

/*
 * Saved waves lie above the control stack, from its size on. The stack alone tells of a dispatch
 * under way, which may have no waves yet. The MQDs of a node's XCCs lie in a row; that of a single
 * XCC names no stride.
 */
static bool has_saved(const struct queue *q)
{
	unsigned int i, xccs = NUM_XCC(q->device->xcc_mask);
	const struct v9_mqd *m = q->mqd;

	for (i = 0; i < xccs; i++) {
		if (m->cp_hqd_wg_state_offset > m->cp_hqd_cntl_stack_size)
			return true;
		m = (const void *)m + m->cp_mqd_stride_size;
	}
	return false;
}

/* The control stack is used from its end on. */
static bool is_bare(const struct queue *q)
{
	unsigned int i, xccs = NUM_XCC(q->device->xcc_mask);
	const struct v9_mqd *m = q->mqd;

	for (i = 0; i < xccs; i++) {
		if (m->cp_hqd_cntl_stack_offset < m->cp_hqd_cntl_stack_size ||
		    m->cp_hqd_wg_state_offset > m->cp_hqd_cntl_stack_size)
			return false;
		m = (const void *)m + m->cp_mqd_stride_size;
	}
	return true;
}

const struct kfd_gpreempt_hw kfd_gpreempt_gfx_v9 = {
	.read_waves = read_waves,
	.read_cus = read_cus,
	.has_saved = has_saved,
	.is_bare = is_bare,
};
