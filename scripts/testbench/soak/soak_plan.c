// SPDX-License-Identifier: GPL-2.0
/* soak's plan: what a seed makes of a period. Nothing here depends on what happens in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

#define CALM_PERCENT	50	/* of the periods have no trouble, */
#define PROGRAM_PERCENT	5	/* have somebody else's program, */
#define LARGE_PERCENT	20	/* and of the others a trouble that all clients feel */
#define SMALL		7	/* kinds of trouble to draw from, */
#define LARGE		3	/* and of those that all clients feel */

static unsigned int draw(unsigned int *seed, unsigned int low, unsigned int high)
{
	return low + rand_r(seed) % (high - low + 1);
}

static bool chance(unsigned int *seed, unsigned int percent)
{
	return draw(seed, 1, 100) <= percent;
}

/*
 * Queues with work all the time, mostly so much of it that no CU is free. All on the lowest
 * level are many that are taken off at once; of several levels one alone is on the machine.
 */
static void plan_low(struct soak_part *part, unsigned int *seed, bool level)
{
	part->kind = SOAK_LOW;
	part->priority = level || chance(seed, 50) ? 0 : draw(seed, 1, 7);
	part->queues = chance(seed, 75) ? draw(seed, 2, SOAK_QUEUES) : 1;
	/* some 5 to 20 ms of it: what is in flight at the end is waited for */
	part->groups = chance(seed, 75) ? draw(seed, 3, 4) : draw(seed, 1, 2);
	part->iterations = 8 * draw(seed, 1, 4);
	if (chance(seed, 50)) {
		part->habits = rand_r(seed) & rand_r(seed) & ((1U << HABITS) - 1);
		part->habit_us = 1000 * draw(seed, 10, 200);
	}
}

/* Pauses of two scans or so: in shorter ones the others stay off. */
static void plan_high(struct soak_part *part, unsigned int *seed)
{
	part->kind = SOAK_HIGH;
	part->priority = draw(seed, 8, 15);
	part->groups = chance(seed, 75) ? draw(seed, 4, 8) : draw(seed, 1, 3);
	part->iterations = chance(seed, 75) ? 1 : draw(seed, 2, 4);
	part->us = chance(seed, 80) ? draw(seed, 400, 1200) : draw(seed, 50, 5000);
}

static void plan_parts(struct soak_period *p, unsigned int *seed, const struct soak_mixture *m,
		       unsigned int nth)
{
	unsigned int lows = draw(seed, 3, 5), highs = chance(seed, 85) ? 1 : 2, i;
	bool level = chance(seed, 80);

	for (i = 0; i < lows; i++)
		plan_low(&p->part[p->parts++], seed, level);
	for (i = 0; i < highs; i++)
		plan_high(&p->part[p->parts++], seed);
	if (m->programs && nth >= LARGE && chance(seed, PROGRAM_PERCENT)) {
		p->part[p->parts].kind = SOAK_PROGRAM;
		p->part[p->parts++].program = m->program[draw(seed, 0, m->programs - 1)];
	}
	for (i = 0; i < p->parts; i++)
		p->part[i].seed = rand_r(seed);
}

static bool has_program(const struct soak_period *p)
{
	return p->parts && p->part[p->parts - 1].kind == SOAK_PROGRAM;
}

/*
 * Small ones often, and one that all clients feel now and then. The first periods have
 * one of these each: what it leaves once is there before anything is compared.
 */
static void plan_events(struct soak_period *p, unsigned int *seed, unsigned int nth)
{
	static const enum soak_trouble small[SMALL] = {
		TROUBLE_TUNABLE, TROUBLE_TUNABLE, TROUBLE_POLICY, TROUBLE_OFF, TROUBLE_KILL,
		TROUBLE_KILL, TROUBLE_FAULT,
	};
	static const enum soak_trouble large[LARGE] = {
		TROUBLE_SLEEP, TROUBLE_RESET, TROUBLE_HANG,
	};
	unsigned int i, at = 0;

	p->events = draw(seed, 0, SOAK_EVENTS - 1);
	for (i = 0; i < p->events; i++) {
		at += draw(seed, 1, p->ms / SOAK_EVENTS);
		p->event[i].what = small[draw(seed, 0, SMALL - 1)];
		p->event[i].at_ms = at;
	}
	if (nth < LARGE || chance(seed, LARGE_PERCENT)) {
		i = nth < LARGE ? nth : draw(seed, 0, LARGE - 1);
		/* the root that others' programs are in does not live through a sleep */
		if (has_program(p) && large[i] == TROUBLE_SLEEP)
			i++;
		p->event[p->events].what = large[i];
		p->event[p->events++].at_ms = at + draw(seed, 1, p->ms / SOAK_EVENTS);
	}
	for (i = 0; i < p->events; i++)
		p->event[i].seed = rand_r(seed);
}

/* Clients that only work, all on one level, and no trouble: as many preemptions as can be. */
static void calm(struct soak_period *p)
{
	unsigned int i;

	p->events = 0;
	p->policy = "strict";
	p->poll_us = 400;
	p->residency_us = 0;
	for (i = 0; i < p->parts; i++) {
		p->part[i].habits = 0;
		if (p->part[i].kind == SOAK_LOW)
			p->part[i].priority = 0;
		if (p->part[i].kind == SOAK_HIGH)
			p->part[i].us = 800;
	}
}

void soak_plan(struct soak_period *p, const struct soak_mixture *m, unsigned int nth)
{
	static const char *const policies[] = {
		"strict", "strict", "strict", "timeslice", "fair",
	};
	unsigned int s = m->seed * 2654435761u + nth * 40503u;

	memset(p, 0, sizeof(*p));
	p->ms = draw(&s, m->ms / 3, m->ms);
	/* scans are what costs the host most */
	p->poll_us = chance(&s, 75) ? draw(&s, 200, 500) : draw(&s, 50, 200);
	p->residency_us = chance(&s, 75) ? draw(&s, 0, 200) : draw(&s, 200, 2000);
	p->starvation_ms = draw(&s, 100, 2000);
	p->policy = policies[draw(&s, 0, sizeof(policies) / sizeof(policies[0]) - 1)];
	plan_parts(p, &s, m, nth);
	plan_events(p, &s, nth);
	if (m->pure || (nth >= LARGE && chance(&s, CALM_PERCENT)))
		calm(p);
}

static void print_part(const struct soak_part *part)
{
	unsigned int i;

	switch (part->kind) {
	case SOAK_LOW:
		printf(" low:%u:%ux%ux%u", part->priority, part->queues, part->groups,
		       part->iterations);
		for (i = 0; i < HABITS; i++)
			if (part->habits & 1U << i)
				printf("+%s", soak_habits[i]);
		break;
	case SOAK_HIGH:
		printf(" high:%u:%ux%u/%u", part->priority, part->groups, part->iterations,
		       part->us);
		break;
	case SOAK_PROGRAM:
		printf(" program:\"%s\"", part->program);
	}
}

void soak_plan_print(const struct soak_period *p)
{
	unsigned int i;

	printf(": %u ms, %s, poll %u us, residency %u us, starvation %u ms:", p->ms, p->policy,
	       p->poll_us, p->residency_us, p->starvation_ms);
	for (i = 0; i < p->parts; i++)
		print_part(&p->part[i]);
	printf(";");
	for (i = 0; i < p->events; i++)
		printf(" %u:%s", p->event[i].at_ms, soak_troubles[p->event[i].what]);
	printf("\n");
}
