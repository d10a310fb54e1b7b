// SPDX-License-Identifier: GPL-2.0
/* RELEASE_MEM; see release.h. */
#include <errno.h>
#include <string.h>

#include "cp/queue/release.h"
#include "cp/queue/signal.h"
#include "host/params.h"
#include "vm/ih.h"
#include "vm/packet.h"
#include "vm/vm.h"

int release_now(struct gpu *g, struct hqd *h, u32 vmid, const u32 *p)
{
	unsigned int data_sel = p[1] >> 29 & 7, int_sel = p[1] >> 24 & 7;
	struct ih_vector v = {
		.xcc = h->xcc,
		.client = IH_CLIENT_GRBM_CP,
		.source = IH_SOURCE_CP_EOP,
		.ring = h->pipe | h->me << 2 | h->queue << 4,
		.vmid = h->vmid,
	};
	u64 val;
	int err = 0;

	switch (data_sel) {
	case 0:
		break;
	case 1:
		err = vm_write(g, vmid, packet_u64(p + 2) & ~3ull, &p[4], 4);
		break;
	case 2:
		val = packet_u64(p + 4);
		err = vm_write(g, vmid, packet_u64(p + 2) & ~7ull, &val, 8);
		break;
	case 3:
	case 4:
		val = gpu_now() / GPU_CLOCK_NS;
		err = vm_write(g, vmid, packet_u64(p + 2) & ~7ull, &val, 8);
		break;
	default:
		return -EINVAL;
	}
	if (int_sel == 1 || int_sel == 2) {
		v.pasid = h->vmid ? ih_vmid_pasid(g, h->vmid) : 0;
		v.data[0] = p[6];
		ih_post(g, &v);
	}
	return err;
}

bool release_later(struct user_queue *q, const u32 *p)
{
	struct release *r;
	unsigned int i;

	if (q->releases == RELEASES_MAX)
		return false;
	r = &q->release[q->releases++];
	*r = (struct release){};
	memcpy(r->packet, p, sizeof(r->packet));
	for (i = 0; i < DISPATCHES_MAX; i++)
		r->after |= q->d[i].used ? 1u << i : 0;
	return true;
}

int release_ended(struct user_queue *q, unsigned int place)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < q->releases; i++)
		q->release[i].after &= ~(1u << place);
	/* Those behind one wait for all that it waits for. */
	for (i = 0; i < q->releases && !q->release[i].after; i++)
		err |= release_now(q->g, q->h, q->vmid, q->release[i].packet);
	q->releases -= i;
	memmove(q->release, q->release + i, q->releases * sizeof(q->release[0]));
	return err ? -EFAULT : 0;
}
