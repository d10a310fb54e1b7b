/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In the place of clock.c's: actors without threads, which run when the fuzzer says so.
 * With threads an input would do one thing or another, as the host lets them run, and
 * what was found on a busy host would not be found again.
 */
#ifndef GPU_MODEL_TESTS_ACTORS_H
#define GPU_MODEL_TESTS_ACTORS_H

#include "host/clock.h"

static struct actor *actors;

int actor_start(struct actor *a, const char *name, u64 (*run)(void *arg), void *arg)
{
	*a = (struct actor){ .name = name, .run = run, .arg = arg, .asked = NEVER, .next = actors };
	actors = a;
	return 0;
}

void actor_stop(struct actor *a)
{
	struct actor **p;

	for (p = &actors; *p != a; p = &(*p)->next)
		;
	*p = a->next;
}

void actor_kick_at(struct actor *a, u64 t)
{
	if (t < a->asked)
		a->asked = t;
}

void actor_kick(struct actor *a)
{
	actor_kick_at(a, 0);
}

/* Run each that is due, once. */
static void actors_turn(void)
{
	struct actor *a;
	u64 now;

	for (a = actors; a; a = a->next) {
		now = gpu_now();
		if (a->due > now && a->asked > now)
			continue;
		if (a->asked <= now)
			a->asked = NEVER;
		a->due = a->run(a->arg);
	}
}

#endif
