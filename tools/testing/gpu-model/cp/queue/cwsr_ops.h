/* SPDX-License-Identifier: GPL-2.0 */
/* How a GPU lays out what it saves of a queue; see cwsr.c for what is common. */
#ifndef GPU_MODEL_CWSR_OPS_H
#define GPU_MODEL_CWSR_OPS_H

#include "compute/spi.h"

/* COMPUTE_RELAUNCH: what a word of the control stack is, else a wave. */
#define RELAUNCH_EVENT	(1u << 30)
#define RELAUNCH_STATE	(1u << 31)

#define EXTRA_BYTES	64	/* struct wave_extra */

/**
 * struct cwsr_ops - the layout
 * @relaunch:	COMPUTE_RELAUNCH, counted from the first register of SET_SH_REG
 * @states:	words of a state; those behind the first are zero
 * @first: @last: of a wave's word: it is the first or the last of its workgroup
 * @stack:	where the control stack of a slot begins and in which VMID that is; it grows down
 *		from there plus CP_HQD_CNTL_STACK_SIZE
 * @state_word:	resources of the waves that follow it, which are a dispatch's
 * @wave_word:	one of a group's waves, without @first and @last
 * @record:	bytes of a wave's record, that of its workgroup's first one or not
 * @extra:	of a record that ends at @top where struct wave_extra is in it, where handler and
 *		readers leave it alone; NULL: it is between that record and the one above
 * @write:	what the trap handler would write to such a record
 * @read:	what it would read from there. Both: 0 or -EFAULT
 */
struct cwsr_ops {
	u32 relaunch, states, first, last;
	u64 (*stack)(const struct hqd *h, unsigned int *vmid);
	u32 (*state_word)(const struct dispatch *d);
	u32 (*wave_word)(const struct group *grp, unsigned int i);
	u32 (*record)(const struct dispatch *d, bool first);
	u64 (*extra)(u64 top, u32 state, bool first);
	int (*write)(struct user_queue *q, const struct wave *w, bool first, u64 va);
	int (*read)(struct user_queue *q, struct wave *w, bool first, u64 va);
};

/* With the control stack behind the MQD, and records as gfx90a and gfx942 have them. */
extern const struct cwsr_ops cwsr_gfx9;

/* With the control stack in the process' save area, and records as gfx1100 has them. */
extern const struct cwsr_ops cwsr_gfx11;

/* To and from a record at *@va, which moves on: 0 or -EFAULT. */
int cwsr_put(struct user_queue *q, u64 *va, const void *buf, size_t len);
int cwsr_get(struct user_queue *q, u64 *va, void *buf, size_t len);

/* What a workgroup has of the LDS. */
static inline u32 cwsr_lds_bytes(const struct dispatch *d)
{
	u32 granule = asic_of(d->q->g)->cu->lds_granule;

	return (d->lds_bytes + granule - 1) / granule * granule;
}

#endif
