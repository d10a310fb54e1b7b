/* SPDX-License-Identifier: GPL-2.0 */
/* PM4 packets of the compute micro engine. */
#ifndef GPU_MODEL_PM4_H
#define GPU_MODEL_PM4_H

#include "cp/mec.h"

/* Opcodes of type-3 packets. */
enum {
	PM4_NOP			= 0x10,
	PM4_DISPATCH_DIRECT	= 0x15,
	PM4_WRITE_DATA		= 0x37,
	PM4_WAIT_REG_MEM	= 0x3c,
	PM4_INDIRECT_BUFFER	= 0x3f,
	PM4_COPY_DATA		= 0x40,
	PM4_EVENT_WRITE		= 0x46,
	PM4_RELEASE_MEM		= 0x49,
	PM4_ACQUIRE_MEM		= 0x58,
	PM4_SET_CONFIG_REG	= 0x68,
	PM4_SET_SH_REG		= 0x76,
	PM4_SET_UCONFIG_REG	= 0x79,
	PM4_INVALIDATE_TLBS	= 0x98,
	PM4_SET_RESOURCES	= 0xa0,
	PM4_MAP_PROCESS		= 0xa1,
	PM4_MAP_QUEUES		= 0xa2,
	PM4_UNMAP_QUEUES	= 0xa3,
	PM4_QUERY_STATUS	= 0xa4,
	PM4_RUN_LIST		= 0xa5,
};

/**
 * struct pm4_state - what a slot's packet processor remembers between turns
 * @hiq:	the slot was mapped as hardware-interface queue
 * @hung:	takes no packet until it is mapped anew or the device is reset
 * @waiting:	a WAIT_REG_MEM has done its write and waits
 * @ib_vmid:	VMID of the indirect buffer under way (kernel queues may choose)
 * @hold_until:	model time before which no packet is taken
 * @poll_ns:	current distance of polls of a waiting packet
 */
struct pm4_state {
	bool hiq;
	bool hung;
	bool waiting;
	u8 ib_vmid;
	u64 hold_until;
	u64 poll_ns;
};

/* Enter the buffer of the INDIRECT_BUFFER packet @p; 0, or -EINVAL if it is none. */
int pm4_enter_ib(struct hqd *h, const u32 p[4]);

/*
 * The dispatch in that place ended: RELEASE_MEM packets that waited for it and no
 * other are due. 0 or -EFAULT.
 */
int pm4_dispatch_ended(struct user_queue *q, unsigned int place);

/* Is there a packet of a PM4 queue that it could take or has to wait at? */
bool pm4_has_packet(const struct hqd *h);

/**
 * pm4_run() - take packets of a PM4 queue, or of an AQL queue's indirect buffer
 * @g:	device; mec_lock held, which hws_packet() may drop for a while
 * @h:	active slot
 * @s:	the slot's state
 *
 * Return: true if it stopped with packets left that could run now.
 */
bool pm4_run(struct gpu *g, struct hqd *h, struct pm4_state *s);

#endif
