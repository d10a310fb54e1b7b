/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the hardware scheduler's four files share: hws.c obeys the HIQ's
 * packets, runlist.c gives processes VMIDs and queues slots, gws.c global wave sync,
 * preempt.c takes queues off. All under gpu.mec_lock, called by the command-processor thread.
 */
#ifndef GPU_MODEL_HWS_PRIV_H
#define GPU_MODEL_HWS_PRIV_H

#include "compute/spi.h"
#include "cp/queue/attach.h"
#include "cp/queue/hqd.h"

#define VMIDS		16
#define SLOTS		(MEC_PIPES * MEC_QUEUES)
#define USER_ME		1
#define HIQ_ME		2

/**
 * struct process - MAP_PROCESS
 * @base:	page directory entry of its address space
 * @retry:	XNACK: its accesses that fault are made again
 * @trap:	how its waves trap
 * @gws: @gws_count: what it left of global wave sync, and how many resources it may have
 * @quantum:	ns it keeps its VMID while others wait for one
 * @place:	for runlist_rotate()
 */
struct process {
	u16 pasid;
	u32 sh_mem_bases;
	bool retry;
	u64 base;
	struct trap_setup trap;
	u32 *gws;
	unsigned int gws_count;
	u64 quantum;
	enum { UNKNOWN, HAS_VMID, WAITS } place;
};

/**
 * struct entry - MAP_QUEUES
 * @process:	index in hws.process
 * @mqd: @write_addr: @is_static: of the queue
 * @sdma:	an SDMA queue: it has a place of its own, and needs only a VMID
 * @gws:	uses global wave sync: it needs resources of that, too
 * @gone:	unmapped since
 */
struct entry {
	unsigned int process;
	bool is_static, sdma, gws, gone;
	u32 doorbell;
	u64 mqd, write_addr;
};

/**
 * struct hws - scheduler of a partition
 * @g: @part:	device and partition
 * @vmid_mask: @queue_mask: @gws_mask: @unmap_latency: SET_RESOURCES
 * @process: @entry: @nprocess: @nentry: runlist
 * @chained:	its end leads back to its start: it rotates
 * @concurrent:	processes mapped at a time
 * @cursor:	entry where the search for the next to map starts
 * @rotate_at:	model time at which something has to make room, 0: never
 * @pasid:	process of each VMID, 0 when free
 * @gws_of:	resources of the global wave sync unit that each VMID has
 * @gws:	of all processes that have had some: queues that come back go on with it
 * @since:	when it got it, or its first queue a place
 * @next_slot: @next_vmid: where the next search starts: never the same place
 * @busy:	a preemption is under way
 * @stopped:	its waves are off the machine
 * @saved:	and their state is in memory
 * @remap:	map what waits after it
 * @begin: @grace: @stop: @end: @deadline: model times of the preemption: request,
 *		waves stop at the latest, did so, over; it fails at the last
 * @mapped_at:	when the last runlist is in place: the HIQ waits for it
 * @bytes: @count: @slow: context saved, queues taken, what faults add in ns
 */
struct hws {
	struct gpu *g;
	struct partition *part;
	u16 vmid_mask;
	u64 queue_mask, gws_mask;
	u64 unmap_latency;
	struct process *process;
	struct entry *entry;
	unsigned int nprocess, nentry, concurrent, cursor;
	bool chained;
	u64 rotate_at;
	u16 pasid[VMIDS];
	u64 gws_of[VMIDS];
	struct gws *gws;
	u64 since[VMIDS];
	unsigned int next_slot, next_vmid;
	bool busy, stopped, saved, remap;
	u64 begin, grace, stop, end, deadline, bytes, slow, mapped_at;
	unsigned int count;
};

/**
 * struct gws - global wave sync that a process left
 * @pasid:	process
 * @resource:	its semaphores and barriers, see isa/gws.c
 */
struct gws {
	struct gws *next;
	u16 pasid;
	u32 resource[GWS_RESOURCES];
};

/**
 * struct schedulers - those of all partitions
 * @of:		by the XCC that leads the partition
 */
struct schedulers {
	struct hws of[XCCS_MAX];
};

static inline struct hws *hws_of(const struct partition *p)
{
	return &p->g->hws->of[p->xcc];
}

#define for_each_queue(s, q)	for (q = (s)->part->queues; q; q = q->next)

/*
 * Map what has no place yet, as far as there are places: one queue after the other,
 * the last at hws.mapped_at.
 */
void runlist_map(struct hws *s);

/*
 * Mark queues that have to make room for others as leaving. False if none has to
 * yet: then the next turn for it is set.
 */
bool runlist_rotate(struct hws *s);

/* Take VMIDs from processes without a mapped queue. */
void runlist_free_vmids(struct hws *s);

void runlist_drop(struct hws *s);

/* gws.c: what a process left of global wave sync; NULL: no memory. */
u32 *gws_left(struct hws *s, u16 pasid);

/* Has a process as many resources as it may have, or could it have them? @vmid: its own, or -1. */
bool gws_there(const struct hws *s, const struct process *p, int vmid);

/* It gets them; false: too few are free. They are its VMID's until gws_take(). */
bool gws_give(struct hws *s, const struct process *p, int vmid);
void gws_take(struct hws *s, int vmid);

void gws_reset(struct hws *s);
void gws_free(struct hws *s);

/* Begin to take off the queues that are marked as leaving; hws.busy until it is over. */
void preempt_begin(struct hws *s);

/* Go on with that. Return: true when it is over. */
bool preempt_turn(struct hws *s);

#endif
