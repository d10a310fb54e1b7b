/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the two files of MES share: mes.c has its ring and its frames, place.c gives processes
 * VMIDs and queues places. All under gpu.mec_lock, called by the command-processor thread.
 */
#ifndef GPU_MODEL_MES_PRIV_H
#define GPU_MODEL_MES_PRIV_H

#include "cp/queue/hqd.h"
#include "vm/vm.h"

#define FRAME_DWORDS	64

/* mes_v11_api_def.h */
enum mes_queue_type { MES_QUEUE_GFX, MES_QUEUE_COMPUTE, MES_QUEUE_SDMA, MES_QUEUE_TYPES };

/**
 * struct mes - the scheduler
 * @vmids: @compute: @gfx: @sdma:	SET_HW_RSRC: VMIDs, and queues of each pipe or engine
 * @context:	process of each VMID by the address of its context, 0 when free
 * @frame:	the frame in work, if @taken
 * @done_at:	model time before which firmware is busy with it
 * @begun:	its effect began, and takes its time
 * @poll_ns:	distance of looks at what it waits for
 * @queues: @count:	of processes: all that were added, and how many
 */
struct mes {
	u32 vmids, compute[MEC_PIPES], gfx, sdma[2];
	u64 context[VM_COUNT];
	u32 frame[FRAME_DWORDS];
	bool taken, begun;
	u64 done_at, poll_ns;
	struct mes_queue *queues;
	unsigned int count;
};

/**
 * struct mes_add - ADD_QUEUE of a process' queue
 * @context:	address of its process' context
 * @pasid: @root:	of that process, and its page table
 * @gang:	address of its gang's context
 * @type: @doorbell: @mqd: of the queue
 * @tba: @tma: @traps_off: how its waves trap
 */
struct mes_add {
	u64 context, root, gang;
	u16 pasid;
	enum mes_queue_type type;
	u32 doorbell;
	u64 mqd, tba, tma;
	bool traps_off;
};

/**
 * struct mes_queue - a process' queue
 * @add:	as it was added
 * @suspended:	it is off, until its gang is resumed
 */
struct mes_queue {
	struct mes_queue *next;
	struct mes_add add;
	bool suspended;
};

/* Give it a VMID and a place. 0, -EINVAL, -EEXIST, -EFAULT, -ENOSPC: there is none. */
int mes_add_queue(struct gpu *g, const struct mes_add *add);

/* Take the queue of a process off. 0, -EAGAIN while that lasts, -ENOENT: there is none. */
int mes_remove_queue(struct gpu *g, u32 doorbell);

/*
 * Take the queues of @gang off, or with 0 those of all, side by side; they keep their VMIDs. And
 * give them places again. 0, -EAGAIN while that lasts, or as mes_add_queue().
 */
int mes_suspend(struct gpu *g, u64 gang);
int mes_resume(struct gpu *g, u64 gang);

/* Forget all; the caller drops the queues. */
void mes_forget(struct gpu *g);

#endif
