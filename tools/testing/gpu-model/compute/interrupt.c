// SPDX-License-Identifier: GPL-2.0
/* The sequencer's interrupts; see interrupt.h. */
#include "compute/interrupt.h"
#include "compute/queue.h"
#include "vm/ih.h"

#define IH_CLIENT_SE0SH		0x0a	/* soc15_ih_clientid.h; one client an engine */
#define IH_CLIENT_GFX		0x0a	/* soc21's */
#define IH_SOURCE_SQ_MSG	239
#define SQ_PRIV			(1u << 13)	/* sent by a trap handler */

/* kfd_int_process_v11.c */
static void rdna_words(struct ih_vector *v, const struct group *grp, const struct wave *w,
		       u32 encoding, u32 data)
{
	u32 place = (u32)grp->slot[w->index] << 27 | (w->status & STATUS_PRIV ? 1u << 26 : 0);

	if (encoding == SQ_ENCODING_ERROR)
		data = data >> 20 << 21;		/* the type */
	v->client = IH_CLIENT_GFX;
	v->data[0] = data | place;
	v->data[1] = grp->simd[w->index] | (grp->cu ? (grp->cu->index / 2 & 0xf) << 2 : 0) |
		     encoding >> 26 << 6;
}

void sq_interrupt(const struct group *grp, const struct wave *w, u32 encoding, u32 data)
{
	static const struct cu nowhere;		/* the group was saved before it had a place */
	const struct cu *cu = grp->cu ? grp->cu : &nowhere;
	const struct user_queue *q = grp->q;
	struct ih_vector v = {
		.xcc = grp->cu ? cu->xcc : q->h->xcc,
		.client = IH_CLIENT_SE0SH + (cu->engine & 3),
		.source = IH_SOURCE_SQ_MSG,
		.vmid = q->vmid,
		.pasid = q->pasid,
		.data = {
			(data & 0xfff) | (w->status & STATUS_PRIV ? SQ_PRIV : 0) |
				(u32)grp->simd[w->index] << 18 | (cu->index & 0xf) << 20 |
				(cu->engine & 3) << 24 | encoding | (data & 0xf000) << 16,
			data >> 16 & 0xff,
		},
	};

	if (w->mem->isa->rdna)
		rdna_words(&v, grp, w, encoding, data);
	ih_post(q->g, &v);
}
