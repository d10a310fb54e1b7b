// SPDX-License-Identifier: GPL-2.0
/* The command processor's thread and lock; see engine.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cp/queue/engine.h"
#include "host/clock.h"
#include "host/params.h"

/**
 * struct engine - the thread
 * @actor:	it
 * @turn:	what it does
 * @waiters:	threads that want mec_lock of it
 * @running:	it is not stopped
 */
struct engine {
	struct actor actor;
	bool (*turn)(struct gpu *g);
	atomic_uint waiters;
	bool running;
};

/* The command processor holds mec_lock whenever it executes a packet. */
static _Thread_local bool is_cp;

void mec_lock(struct gpu *g)
{
	if (is_cp)
		return;
	atomic_fetch_add(&g->engine->waiters, 1);
	pthread_mutex_lock(&g->mec_lock);
	atomic_fetch_sub(&g->engine->waiters, 1);
}

void mec_unlock(struct gpu *g)
{
	if (!is_cp)
		pthread_mutex_unlock(&g->mec_lock);
}

void mec_kick(struct gpu *g)
{
	actor_kick(&g->engine->actor);
}

void mec_kick_at(struct gpu *g, u64 t)
{
	actor_kick_at(&g->engine->actor, t);
}

void copy_begin(struct gpu *g)
{
	g->copying = true;
	pthread_mutex_unlock(&g->mec_lock);
}

void copy_end(struct gpu *g)
{
	pthread_mutex_lock(&g->mec_lock);
	g->copying = false;
	pthread_cond_broadcast(&g->copied);
}

void copy_wait(struct gpu *g)
{
	while (g->copying)
		pthread_cond_wait(&g->copied, &g->mec_lock);
}

/* A turn for all; one that stopped in the middle of its packets goes on a little later. */
static u64 engine_run(void *arg)
{
	struct gpu *g = arg;
	bool more;

	/*
	 * A mutex favours the thread that just released it; the driver's register
	 * accesses must not starve behind a busy ring.
	 */
	while (atomic_load(&g->engine->waiters))
		sched_yield();
	is_cp = true;
	pthread_mutex_lock(&g->mec_lock);
	more = g->engine->turn(g);
	pthread_mutex_unlock(&g->mec_lock);
	is_cp = false;
	return more ? gpu_now() + PM4_TURN_NS : NEVER;
}

int engine_start(struct gpu *g, bool (*turn)(struct gpu *g))
{
	struct engine *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return -ENOMEM;
	e->turn = turn;
	g->engine = e;
	err = actor_start(&e->actor, "gpu-cp", engine_run, g);
	if (err) {
		engine_destroy(g);
		return err;
	}
	e->running = true;
	return 0;
}

void engine_stop(struct gpu *g)
{
	struct engine *e = g->engine;

	if (!e || !e->running)
		return;
	actor_stop(&e->actor);
	e->running = false;
}

void engine_destroy(struct gpu *g)
{
	free(g->engine);
	g->engine = NULL;
}
