// SPDX-License-Identifier: GPL-2.0
/* The compute side as the device's shell sees it; see machine.h. */
#include "compute/spi.h"
#include "cp/machine.h"
#include "cp/pipe.h"
#include "cp/queue/aql.h"
#include "cp/queue/complete.h"
#include "cp/queue/engine.h"
#include "cp/queue/pm4.h"
#include "cp/queue/sched.h"
#include "cp/queue/slot.h"
#include "host/log.h"

static void kill_queues(struct gpu *g)
{
	struct partition *p;

	for_each_partition(g, p)
		while (p->queues)
			slot_drop(p->queues);
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
	copy_wait(g);
	log_event("machine-reset", "queues=%d", has_queues(g));
	kill_queues(g);
	asic_of(g)->sched->reset(g);
}

void machine_kill_waves(struct gpu *g, unsigned int xcc, u32 mask, unsigned int vmid)
{
	unsigned int i;

	mec_lock(g);
	copy_wait(g);
	for (i = 0; i < g->spi->ncus; i++)
		if (g->spi->cus[i].xcc == xcc && mask >> g->spi->cus[i].engine & 1)
			cu_kill(&g->spi->cus[i], vmid);
	mec_unlock(g);
}

bool machine_partition(struct gpu *g, unsigned int n)
{
	bool idle;

	mec_lock(g);
	copy_wait(g);
	idle = !has_queues(g);
	if (!idle) {
		log_warn("partitions of %u XCCs: processes' queues are mapped", n);
	} else if (n != gpu_partition(g)) {
		asic_of(g)->sched->reset(g);
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
	asic_of(g)->sched->turn(g);
}
