/* SPDX-License-Identifier: GPL-2.0 */
/* What the administrator allows, as the plugin's arguments in plugstack.conf say. */
#ifndef GPREEMPT_SLURM_RULES_H
#define GPREEMPT_SLURM_RULES_H

#include <stdbool.h>
#include <stddef.h>

#define LEVEL_MAX	15
#define LEVEL_NONE	(-1)
#define NAMES		3

/**
 * struct rule - of a partition, or of all that have none of their own
 * @name:	of the partition
 * @standard:	for whoever asks for nothing, or LEVEL_NONE: what the programs ask for
 * @max:	highest that may be asked for
 */
struct rule {
	const char *name;
	int standard;
	int max;
};

/**
 * struct rules - all of them
 * @named:	the levels of low, normal and high
 * @general:	of partitions without one of their own
 * @partition:	those that have one
 * @count:	of @partition
 * @required:	a node that cannot do it runs no job
 */
struct rules {
	int named[NAMES];
	struct rule general;
	struct rule *partition;
	size_t count;
	bool required;
};

/* Both: 0, or -1 and what is wrong, in words. The words of @argv stay in use. */
int rules_parse(struct rules *r, int argc, char **argv, char *why, size_t size);
int rules_level(const struct rules *r, const char *text, int *level, char *why, size_t size);
/* Those of a partition; of all of several, with commas, the lowest; NULL: of any. */
struct rule rules_of(const struct rules *r, const char *partitions);
/* Of what is not known to be any of them: the lowest of all. */
struct rule rules_least(const struct rules *r);
/* "high (11)", or "5". */
const char *rules_name(const struct rules *r, int level, char *text, size_t size);

#endif
