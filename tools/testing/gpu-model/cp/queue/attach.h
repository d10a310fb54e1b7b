/* SPDX-License-Identifier: GPL-2.0 */
/* A user queue, made from its slot's registers and its MQD. mec_lock held. */
#ifndef GPU_MODEL_ATTACH_H
#define GPU_MODEL_ATTACH_H

#include "compute/queue.h"
#include "compute/trap.h"

#define PERSISTENT_QSWITCH_MODE	(1u << 14)	/* CWSR allowed */

/**
 * struct queue_env - what a queue's process brings
 * @pasid:		process
 * @sh_mem_bases:	private aperture in the low, shared in the high half: bits 63:48
 * @trap:		how its waves trap
 * @write_addr:		where the write index lives, or 0: as the MQD says
 * @since: @is_static: @gws: see struct user_queue
 */
struct queue_env {
	u16 pasid;
	u32 sh_mem_bases;
	struct trap_setup trap;
	u64 write_addr, since;
	bool is_static, gws;
};

/* SH_MEM_BASES of a queue loaded by registers: what amdkfd always sets. */
#define SH_MEM_BASES_DEFAULT	0x00010002u

/* Bind a queue to the slot mec_map() filled; reads indices, restores nothing. */
struct user_queue *aql_attach(struct gpu *g, struct hqd *h, const struct queue_env *env);

/* Unbind and free; its groups must be gone. */
void aql_detach(struct user_queue *q);

#endif
