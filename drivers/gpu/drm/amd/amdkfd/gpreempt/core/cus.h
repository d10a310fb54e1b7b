/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT compute units: which of them a queue may use, and which are claimed on what level.
 */
#ifndef GPREEMPT_CUS_H_INCLUDED
#define GPREEMPT_CUS_H_INCLUDED

#include <linux/bits.h>
#include <linux/types.h>

/* 16 compute units of each of 32 shader engines: eight XCCs of four, or one of eight. */
#ifndef GPREEMPT_CU_WORDS
#define GPREEMPT_CU_WORDS	8
#endif

/* The KFD ABI's 16 levels, and that of a starved queue above them. */
#define GPREEMPT_CLAIM_LEVELS	17

/**
 * struct gpreempt_cus - compute units, as a queue's CU mask names them
 * @barred: a bit for each that the queue must not use; all zero: the queue has no mask. Those that
 *	the GPU does not have are barred by every mask
 */
struct gpreempt_cus {
	u64 barred[GPREEMPT_CU_WORDS];
};

/**
 * struct gpreempt_claims - which compute units are claimed on which level
 * @levels:	bit n: on level n some are
 * @cus:	those of each such level
 */
struct gpreempt_claims {
	u32 levels;
	struct gpreempt_cus cus[GPREEMPT_CLAIM_LEVELS];
};

/* Is there a compute unit that two queues may both use? */
static inline bool gpreempt_cus_meet(const struct gpreempt_cus *a, const struct gpreempt_cus *b)
{
	unsigned int i;

	for (i = 0; i < GPREEMPT_CU_WORDS; i++)
		if (~(a->barred[i] | b->barred[i]))
			return true;
	return false;
}

static inline void gpreempt_claim(struct gpreempt_claims *c, u8 level,
				  const struct gpreempt_cus *cus)
{
	bool first = !(c->levels & BIT(level));
	unsigned int i;

	c->levels |= BIT(level);
	for (i = 0; i < GPREEMPT_CU_WORDS; i++)
		c->cus[level].barred[i] = cus->barred[i] &
					  (first ? ~0ULL : c->cus[level].barred[i]);
}

/* Is one of these compute units claimed on one of the levels in a bit mask? */
static inline bool gpreempt_is_claimed(const struct gpreempt_claims *c, u32 levels,
				       const struct gpreempt_cus *cus)
{
	unsigned int level;

	levels &= c->levels;
	for (level = 0; levels; level++, levels >>= 1)
		if ((levels & 1) && gpreempt_cus_meet(&c->cus[level], cus))
			return true;
	return false;
}

#define GPREEMPT_ABOVE(level)	(~0U << (level) << 1)
#define GPREEMPT_BELOW(level)	(BIT(level) - 1)

#endif /* GPREEMPT_CUS_H_INCLUDED */
