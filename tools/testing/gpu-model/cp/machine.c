// SPDX-License-Identifier: GPL-2.0
/* The compute side as the device's shell sees it; see machine.h. */
#include <stdlib.h>

#include "cp/cwsr.h"
#include "cp_regs.h"
#include "cp/hws.h"
#include "host/log.h"
#include "cp/machine.h"
#include "cp/pipe.h"
#include "cp/pm4.h"
#include "cp/slot.h"
#include "compute/spi.h"

/* Take a queue off the machine and out of its slot; nothing is saved. */
static void kill_queue(struct user_queue *q)
{
	q->frozen = true;
	cwsr_remove(q);
	aql_reap(q->part);
	cwsr_drop(q);
	aql_detach(q);
}

static void kill_queues(struct gpu *g)
{
	struct partition *p;

	for_each_partition(g, p)
		while (p->queues)
			kill_queue(p->queues);
}

static bool has_queues(struct gpu *g)
{
	struct partition *p;
	bool any = false;

	for_each_partition(g, p)
		any |= p->queues != NULL;
	return any;
}

void machine_stop(struct gpu *g)
{
	pthread_mutex_lock(&g->mec_lock);
	kill_queues(g);
	pthread_mutex_unlock(&g->mec_lock);
}

void machine_reset(struct gpu *g)
{
	hws_wait_copied(g);
	log_event("machine-reset", "queues=%d", has_queues(g));
	kill_queues(g);
	hws_reset(g);
}

void machine_queue_reset(struct gpu *g, struct hqd *h)
{
	hws_wait_copied(g);
	if (!h->uq)
		return;
	log_event("queue-reset", "queue=%#x pasid=%u", h->doorbell, h->uq->pasid);
	kill_queue(h->uq);
}

void machine_kill_waves(struct gpu *g, unsigned int xcc, u32 mask, unsigned int vmid)
{
	unsigned int i;

	mec_lock(g);
	hws_wait_copied(g);
	for (i = 0; i < g->spi->ncus; i++)
		if (g->spi->cus[i].xcc == xcc && mask >> g->spi->cus[i].engine & 1)
			cu_kill(&g->spi->cus[i], vmid);
	mec_unlock(g);
}

bool machine_partition(struct gpu *g, unsigned int n)
{
	bool idle;

	mec_lock(g);
	hws_wait_copied(g);
	idle = !has_queues(g);
	if (!idle) {
		log_warn("partitions of %u XCCs: processes' queues are mapped", n);
	} else if (n != gpu_partition(g)) {
		hws_reset(g);
		g->partition_xccs = n;
		log_event("partitions", "xccs=%u", n);
	}
	mec_unlock(g);
	return idle;
}

/* Has the scheduler come to giving the queue its slot? */
static bool is_here(const struct user_queue *q)
{
	if (gpu_now() >= q->since)
		return true;
	mec_kick_at(q->g, q->since);
	return false;
}

/* Packets of a process' PM4 queue. What it cannot do in this turn waits for the next. */
static void pm4_advance(struct user_queue *q)
{
	if (!q->frozen && !q->drain && pm4_run(q->g, q->h, mec_pm4(q->g, q->h)))
		mec_kick_at(q->g, gpu_now() + PM4_TURN_NS);
}

static void partition_turn(struct partition *p)
{
	unsigned int limit = LAUNCH_BATCH, rounds = TURN_ROUNDS;
	struct user_queue *q;
	struct dispatch *d;
	bool again;

	do {
		again = aql_reap(p);
		for (q = p->queues; q; q = q->next)
			aql_complete(q);
		for (q = p->queues; q; q = q->next) {
			if (!is_here(q) || !q->connected)
				continue;
			if (q->aql)
				again |= aql_advance(q);
			else
				pm4_advance(q);
		}
		d = spi_launch(p, &limit);
		if (d) {
			aql_launched(d);
			again = true;
		}
		if (p->g->cfg.connect != CONNECT_ALL)
			again |= pipes_connect(p);
	} while (again && limit && --rounds);
	if (!limit || !rounds)
		mec_kick(p->g);	/* there may be more: after others had the lock */
}

void machine_turn(struct gpu *g)
{
	struct partition *p;

	for_each_partition(g, p)
		partition_turn(p);
	slot_turn(g);		/* these two last: they may wait for a dispatch that just ended */
	hws_turn(g);
}

static int start(struct gpu *g)
{
	int err = hws_start(g);

	g->kick = mec_kick;
	if (err)
		return err;
	err = mec_start(g);
	if (err)
		hws_stop(g);
	return err;
}

static void stop(struct gpu *g)
{
	mec_stop(g);
	machine_stop(g);
	hws_stop(g);
}

static void reset(struct gpu *g)
{
	mec_lock(g);
	machine_reset(g);
	mec_reset(g);
	g->partition_xccs = 0;
	mec_unlock(g);
}

const struct block cp_block = {
	.name = "command processor",
	.start = start,
	.stop = stop,
	.free = mec_destroy,
	.reset = reset,
	.power_on = cp_regs_power_on,
	.doorbell = mec_doorbell,
	.regs = cp_regs,
};
