/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one work-item of the LOW kernel computes, shared by the kernel
 * (OpenCL C) and the CPU, which computes the same and compares.
 *
 * The state is a lot of registers on purpose: more than 128 vector registers
 * and some accumulation registers live across the whole loop, so that a
 * preemption which loses or mixes any of them changes the result.
 */
#ifndef KFD_GPREEMPT_LOW_WORK_H
#define KFD_GPREEMPT_LOW_WORK_H

#ifdef __OPENCL_C_VERSION__
typedef uint low_u32;
#define LOW_INLINE	static inline __attribute__((always_inline))
#else
#include <linux/types.h>
typedef __u32 low_u32;
#define LOW_INLINE	static inline
#endif

#define LOW_GROUP	256	/* work-items of a workgroup: one wave on each SIMD */
#define LOW_BANKS	16	/* one is worked on each iteration */
#define LOW_BANK_REGS	9
#define LOW_REGS	(LOW_BANKS * LOW_BANK_REGS)
#define LOW_ACC		LOW_BANKS	/* accumulation registers, one a bank */
#define LOW_PRIVATE	16	/* words of scratch, indexed by data */

/* LDS of a workgroup: more than half a compute unit's, so that one fills it. */
#define LOW_LDS_WORDS	8448

/*
 * Eight workgroups of the kernel "low_full" fill a compute unit, with all waves, vector
 * registers and LDS that it holds: 8 waves on a SIMD, 64 registers and 2 KiB each.
 */
#define LOW_FULL_GROUPS	8
#define LOW_FULL_BANKS	4
#define LOW_FULL_LDS_WORDS	2048

/* Carries any lost bit on. */
LOW_INLINE low_u32 low_mix(low_u32 x, low_u32 y)
{
	x ^= y;
	x += x << 5;
	return (x >> 7 | x << 25) + 0x9e3779b9u;
}

/* Two instructions: folds all registers into one at the end. */
LOW_INLINE low_u32 low_fold(low_u32 x, low_u32 y)
{
	return (x >> 31 | x << 1) ^ y;
}

/* First value of register @i, cheap: little time goes by outside the loop. */
LOW_INLINE low_u32 low_seed(low_u32 x, low_u32 i)
{
	return x + i * 0x85ebca6bu;
}

LOW_INLINE low_u32 low_start(low_u32 group, low_u32 item)
{
	return low_mix(group * 0x01000193u + item, 0x811c9dc5u);
}

/* Work-items whose value is odd go one way, the others another. */
LOW_INLINE low_u32 low_odd(low_u32 x)
{
	return low_mix(x, 0x5bd1e995u) + 1;
}

LOW_INLINE low_u32 low_even(low_u32 x)
{
	return (x >> 1) ^ 0xc2b2ae35u;
}

/* Whose LDS word a work-item reads in iteration @n. */
LOW_INLINE low_u32 low_partner(low_u32 item, low_u32 n)
{
	return (item + 1 + (n & 127u)) & (LOW_GROUP - 1);
}

#endif
