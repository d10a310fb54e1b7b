/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT grace: the unit in which firmware counts how long it lets waves run on before it saves
 * them. Pure functions.
 */
#ifndef GPREEMPT_GRACE_H_INCLUDED
#define GPREEMPT_GRACE_H_INCLUDED

#include <linux/math.h>
#include <linux/types.h>

/* A unit, in clocks of the engine. */
#define GPREEMPT_GRACE_CLOCKS	1024
/* SCH_WAVE of CP_IQ_WAIT_TIME2 has eight bits. */
#define GPREEMPT_GRACE_MOST	255

/**
 * gpreempt_grace_us - a number of units in us, rounded down
 * @units: up to %GPREEMPT_GRACE_MOST
 * @mhz: the engine's clock, not 0
 */
static inline u32 gpreempt_grace_us(u32 units, u32 mhz)
{
	return units * GPREEMPT_GRACE_CLOCKS / mhz;
}

/**
 * gpreempt_grace_units - the fewest units that last as long
 * @us: up to what %GPREEMPT_GRACE_MOST units last
 * @mhz: the engine's clock, not 0
 *
 * Return: 1 at least: firmware takes 0 for a time without end.
 */
static inline u32 gpreempt_grace_units(u32 us, u32 mhz)
{
	return us ? DIV_ROUND_UP(us * mhz, GPREEMPT_GRACE_CLOCKS) : 1;
}

#endif /* GPREEMPT_GRACE_H_INCLUDED */
