// SPDX-License-Identifier: GPL-2.0
/*
 * Global wave sync: which VMID has which resources of the unit. Those that the driver leaves to
 * the scheduler (SET_RESOURCES) are given to a process while a queue of its that uses them
 * (MAP_QUEUES, gws_control_queue) has a slot: as many as the process may have (MAP_PROCESS,
 * num_gws), in a row. GDS_GWS_VMIDn tells the unit. A queue for which there are too few has to
 * wait. A process finds in them what it left.
 */
#include <stdlib.h>
#include <string.h>

#include "compute/spi.h"
#include "hws_priv.h"

u32 *gws_left(struct hws *s, u16 pasid)
{
	struct gws *gws;

	for (gws = s->gws; gws; gws = gws->next)
		if (gws->pasid == pasid)
			return gws->resource;
	gws = calloc(1, sizeof(*gws));
	if (!gws)
		return NULL;
	gws->pasid = pasid;
	gws->next = s->gws;
	s->gws = gws;
	return gws->resource;
}

static u64 in_a_row(unsigned int count)
{
	return count < GWS_RESOURCES ? (1ull << count) - 1 : ~0ull;
}

/* The first of so many that are free, or -1. */
static int find(const struct hws *s, unsigned int count)
{
	u64 unused = s->gws_mask, row = in_a_row(count);
	unsigned int i;

	for (i = 0; i < VMIDS; i++)
		unused &= ~s->gws_of[i];
	for (i = 0; i + count <= GWS_RESOURCES; i++)
		if ((unused >> i & row) == row)
			return i;
	return -1;
}

bool gws_there(const struct hws *s, const struct process *p, int vmid)
{
	return !p->gws_count || (vmid >= 0 && s->gws_of[vmid]) || find(s, p->gws_count) >= 0;
}

static void tell(struct hws *s, int vmid, u32 range)
{
	unsigned int i;

	for (i = 0; i < gpu_partition(s->g); i++)
		spi_set_gws_range(s->g, s->part->xcc + i, vmid, range);
}

bool gws_give(struct hws *s, const struct process *p, int vmid)
{
	int base;

	if (!p->gws_count || s->gws_of[vmid])
		return true;
	base = find(s, p->gws_count);
	if (base < 0)
		return false;
	memcpy(s->g->spi->gws[s->part->xcc] + base, p->gws, p->gws_count * sizeof(u32));
	s->gws_of[vmid] = in_a_row(p->gws_count) << base;
	tell(s, vmid, GWS_RANGE(base, p->gws_count));
	return true;
}

void gws_take(struct hws *s, int vmid)
{
	u64 mask = s->gws_of[vmid];

	if (!mask)
		return;
	memcpy(gws_left(s, s->pasid[vmid]), s->g->spi->gws[s->part->xcc] + __builtin_ctzll(mask),
	       __builtin_popcountll(mask) * sizeof(u32));
	s->gws_of[vmid] = 0;
	tell(s, vmid, 0);
}

void gws_free(struct hws *s)
{
	while (s->gws) {
		struct gws *gws = s->gws;

		s->gws = gws->next;
		free(gws);
	}
}

void gws_reset(struct hws *s)
{
	struct gws *gws;

	for (gws = s->gws; gws; gws = gws->next)
		memset(gws->resource, 0, sizeof(gws->resource));
	memset(s->gws_of, 0, sizeof(s->gws_of));
	s->gws_mask = 0;
}
