// SPDX-License-Identifier: GPL-2.0
/* The command processor as a block, and its turns; see cp.h. */
#include "cp/cp.h"
#include "cp/doorbell.h"
#include "cp/machine.h"
#include "cp/queue/aql.h"
#include "cp/queue/engine.h"
#include "cp/queue/pm4.h"
#include "cp/queue/sched.h"
#include "cp/queue/slot.h"
#include "cp_regs.h"

/* Has a process' queue its slots on all XCCs of its partition? */
static bool is_complete(struct gpu *g, const struct hqd *h)
{
	unsigned int i;

	for (i = 1; i < gpu_partition(g); i++)
		if (!mec_follows(mec_on_xcc(g, h, h->xcc + i), h))
			return false;
	return true;
}

/* What the leading XCC does for the others too. */
static bool is_follower(struct gpu *g, struct hqd *h)
{
	return !mec_leads(g, h) && (h->is_user || mec_pm4(g, h)->hiq);
}

bool cp_turn(struct gpu *g)
{
	struct slots *s = g->slots;
	bool more = false;
	unsigned int i;

	doorbells_look(g);
	for (i = 0; i < s->count; i++) {
		struct hqd *h = &s->hqd[i];

		if (!h->active || is_follower(g, h))
			continue;
		if (mec_is_mes(h)) {
			more |= asic_of(g)->sched->ring(g, h);
			continue;
		}
		/* Loaded by registers. */
		if (h->is_user && !h->uq && h->me != ME_GFX &&
		    (!is_complete(g, h) || !slot_enter(g, h, NULL)))
			continue;
		if (!h->is_user || h->me == ME_GFX)	/* AQL or not */
			more |= pm4_run(g, h, &s->pm4[i]);
		else if (h->aql && h->rung)
			aql_run(h);
	}
	machine_turn(g);
	return more;
}

static void destroy(struct gpu *g)
{
	engine_destroy(g);
	doorbells_destroy(g);
	slots_destroy(g);
}

static int start(struct gpu *g)
{
	int err = asic_of(g)->sched->start(g);

	g->kick = mec_kick;
	if (err)
		return err;
	err = slots_start(g);
	if (!err)
		err = doorbells_start(g);
	if (!err)
		err = engine_start(g, cp_turn);
	if (err) {
		destroy(g);
		asic_of(g)->sched->stop(g);
	}
	return err;
}

static void stop(struct gpu *g)
{
	engine_stop(g);
	machine_stop(g);
	asic_of(g)->sched->stop(g);
}

static void reset(struct gpu *g)
{
	unsigned int i;

	mec_lock(g);
	machine_reset(g);
	for (i = 0; i < g->slots->count; i++)
		mec_unmap(g, &g->slots->hqd[i]);
	doorbells_reset(g);
	g->partition_xccs = 0;
	mec_unlock(g);
}

const struct block cp_block = {
	.name = "command processor",
	.start = start,
	.stop = stop,
	.free = destroy,
	.reset = reset,
	.power_on = cp_regs_power_on,
	.doorbell = mec_doorbell,
	.regs = cp_regs,
};
