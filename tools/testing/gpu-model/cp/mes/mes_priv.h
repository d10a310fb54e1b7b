/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of MES share: mes.c has its ring and its frames, place.c gives processes VMIDs
 * and queues places, rotate.c has queues wait for places and make room. All under gpu.mec_lock,
 * called by the command-processor thread.
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
 * @places:	how many queues these are
 * @context:	process of each VMID by the address of its context, 0 when free
 * @frame:	the frame in work, if @taken
 * @done_at:	model time before which firmware is busy with it
 * @begun:	its effect began, and takes its time
 * @poll_ns:	distance of looks at what it waits for
 * @queues: @count:	of processes: all that were added, and how many
 * @since:	when the process of a VMID got its first place
 * @now: @look_at: model times of this look at those that wait, and the next one
 * @level:	a queue of that level has work, and keeps those of lower levels off
 */
struct mes {
	u32 vmids, compute[MEC_PIPES], gfx, sdma[2], places;
	u64 context[VM_COUNT], since[VM_COUNT];
	u32 frame[FRAME_DWORDS];
	bool taken, begun;
	u64 done_at, poll_ns, now, look_at;
	struct mes_queue *queues;
	unsigned int count;
	u32 level;
};

/**
 * struct mes_add - ADD_QUEUE of a process' queue
 * @context:	address of its process' context
 * @pasid: @root:	of that process, and its page table
 * @gang:	address of its gang's context
 * @process_quantum: @gang_quantum: ns that its process and it keep places while others wait
 * @priority:	in its process
 * @level:	global, of 5: LOW is 0, amdkfd's NORMAL 1
 * @type: @doorbell: @mqd: of the queue
 * @wptr:	its write pointer, for VMID 0
 * @tba: @tma: @traps_off: how its waves trap
 */
struct mes_add {
	u64 context, root, gang;
	u16 pasid;
	enum mes_queue_type type;
	u64 process_quantum, gang_quantum;
	u32 priority, level, doorbell;
	u64 mqd, wptr, tba, tma;
	bool traps_off;
};

/**
 * struct mes_queue - a process' queue
 * @add:	as it was added
 * @vmid:	of its process while it is placed, else 0
 * @suspended:	it is off, until its gang is resumed
 * @leaving:	it has to make room
 * @hung:	found so: it does not come back
 * @passed:	it had its turn in this look
 * @at:		when it came to its place, or began to wait for one
 * @busy_at:	when it had work last
 * @work_at:	since when it has work; U64_MAX: it has none
 * @read: @mask: how far it was when it left, as its write pointer counts; U64_MAX: it has work
 */
struct mes_queue {
	struct mes_queue *next;
	struct mes_add add;
	unsigned int vmid;
	bool suspended, leaving, hung, passed;
	u64 at, busy_at, work_at, read, mask;
};

/*
 * Give it a VMID and a place, or have it wait for one. 0, -EINVAL, -EEXIST, -EFAULT, -ENOMEM,
 * -ENOSPC: there are too many, or of its type none can wait.
 */
int mes_add_queue(struct gpu *g, const struct mes_add *add);

/* Give a queue of a process a place: 0, -ENOSPC or as mes_add_queue(). */
int mes_place(struct gpu *g, struct mes_queue *q);

/* Has its process a VMID, or is there one for it? */
bool mes_may_have_vmid(struct gpu *g, const struct mes_queue *q);

/* Take it off: 0 when what it goes on from is in its MQD, else -EAGAIN. */
int mes_take_off(struct gpu *g, struct mes_queue *q);

/* Its slot, or NULL: it has none. */
struct hqd *mes_slot(struct gpu *g, const struct mes_queue *q);

/* Take the queue of a process off. 0, -EAGAIN while that lasts, -ENOENT: there is none. */
int mes_remove_queue(struct gpu *g, u32 doorbell);

/*
 * Take the queues of @gang off, or with 0 those of all, side by side; they keep their VMIDs. And
 * give them places again. 0, -EAGAIN while that lasts, or as mes_place().
 */
int mes_suspend(struct gpu *g, u64 gang);
int mes_resume(struct gpu *g, u64 gang);

/* Write those of a type that were told to leave and did not to @found. 0 or -EFAULT. */
int mes_find_hung(struct gpu *g, u32 type, u64 found);

/* Queues that wait get places, for which others make room. */
void mes_rotate(struct gpu *g);

/* Forget all; the caller drops the queues. */
void mes_forget(struct gpu *g);

#endif
